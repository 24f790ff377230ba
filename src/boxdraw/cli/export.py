"""``boxdraw export``: write a model in another language."""

from __future__ import annotations

import argparse
from typing import Any

from boxdraw.cli.errors import Failure, UsageError
from boxdraw.cli.options import add_common, add_output, load_model, risk_of
from boxdraw.cli.output import Output
from boxdraw.cli.show import say
from boxdraw.model.file import Model
from boxdraw.model.risk import RiskTable

SUMMARY = "Write a model, or its scorecard, as SQL, Python, ONNX, HTML, Markdown, text or JSON."
EXAMPLES = """\
  boxdraw export model.json --to sql
  boxdraw export model.json --to sql --dialect postgres --table payments -o flag.sql
  boxdraw export model.json --to sql --scorecard --table payments
  boxdraw export model.json --to sql --risk --table payments
  boxdraw export model.json --to python -o flag.py
  boxdraw export model.json --to onnx -o model.onnx"""

LANGUAGES = ("sql", "python", "onnx", "html", "json", "text", "markdown")
_NOT_OF_SCORECARDS = ("python", "onnx")
_WITH_RISK = ("sql", "python", "onnx")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("model", metavar="MODEL", help="the file that fit wrote, or - for standard input")
    parser.add_argument("--to", required=True, choices=LANGUAGES, help="the language")
    add_output(parser, "-", "the result")
    parser.add_argument(
        "--scorecard",
        action="store_true",
        help="write the scorecard that --method scored learned, with its points, not the union of boxes",
    )
    parser.add_argument(
        "--risk",
        action="store_true",
        help="also write the risk of a row, as SQL, Python or ONNX; as SQL without --table, the risk alone",
    )
    group = parser.add_argument_group("details")
    group.add_argument("--dialect", metavar="NAME", help="of SQL: the database, for example postgres (sqlite)")
    group.add_argument(
        "--table",
        metavar="NAME",
        help="of SQL: write a SELECT from this table, for example schema.table, not a CASE alone",
    )
    group.add_argument("--name", metavar="NAME", help="of Python: the name of the function (flag)")
    add_common(parser, json=None)


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    for option, language in (("dialect", "sql"), ("table", "sql"), ("name", "python")):
        if getattr(args, option) is not None and args.to != language:
            raise UsageError(f"--{option} goes with --to {language}")
    if args.scorecard and args.to in _NOT_OF_SCORECARDS:
        raise UsageError(f"a scorecard is not written as {args.to}; leave out --scorecard to write its union of boxes")
    if args.risk and args.to not in _WITH_RISK:
        raise UsageError(f"--risk goes with --to {', '.join(_WITH_RISK)}")
    if args.to == "onnx" and args.output == "-":
        raise UsageError("ONNX is no text: give it a file, for example -o model.onnx")
    output = Output(args.output, args.force, (args.model,))
    table = None if args.table is None else tuple(args.table.split("."))
    details = {"dialect": args.dialect, "table": table, "name": args.name}
    given = {name: value for name, value in details.items() if value is not None}
    model = load_model(args.model)
    if args.risk:
        given["risk"] = _risk(model, args.scorecard)
        if args.to == "sql" and table is None:  # a single expression
            given |= dict.fromkeys(("column", "points_column") if args.scorecard else ("column",))
    content = exported(model, args.to, args.scorecard, **given)
    if output.is_stdout and isinstance(content, str) and args.to in ("text", "markdown"):
        say(content)  # for people, on whatever terminal they have
    else:
        output.write(f"{content}\n" if isinstance(content, str) else content)


def exported(model: Model, language: str, scorecard: bool = False, **details: Any) -> str | bytes:
    """Write a model in another language."""
    written = model.scorecard if scorecard else model.boxes
    if written is None:
        raise Failure("this model has no scorecard: boxdraw fit --method scored learns one")
    if language == "sql":
        negative, positive = model.classes
        column = "flagged" if model.target is None else f"{model.target}_predicted"
        details = {"negative": negative, "positive": positive, "column": column} | details
    content = getattr(written, f"to_{language}")(**details)
    if isinstance(content, str | bytes):
        return content.removesuffix("\n") if isinstance(content, str) else content
    serialized: bytes = content.SerializeToString()
    return serialized


def _risk(model: Model, scorecard: bool) -> RiskTable:
    risk = risk_of(model)
    if risk.boxes is None and not scorecard:
        raise Failure("the risk of this model goes by points, which only SQL of the card has: --to sql --scorecard")
    return risk

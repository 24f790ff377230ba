"""``boxdraw export``: write a model in another language."""

from __future__ import annotations

import argparse
from typing import Any

from boxdraw.cli.errors import Failure, UsageError
from boxdraw.cli.options import add_common, add_output, load_model, risk_of, without_points
from boxdraw.cli.output import Output
from boxdraw.cli.show import say
from boxdraw.model.file import Model
from boxdraw.model.risk import RiskTable
from boxdraw.model.scorecard import boxes_of

EXAMPLES = """\
  boxdraw export model.json --to sql
  boxdraw export model.json --to sql --dialect postgres --table payments
  boxdraw export model.json --to sql --scorecard --table payments
  boxdraw export model.json --to sql --scorecard --reasons --table payments
  boxdraw export model.json --to python -o flag.py
  boxdraw export model.json --to onnx -o model.onnx
  boxdraw export model.json --to pmml --scorecard -o card.pmml"""

LANGUAGES = ("sql", "python", "onnx", "pmml", "html", "json", "text", "markdown")
_WITH_RISK = ("sql", "python", "onnx", "pmml")
_CARDS_WITH_RISK = ("html", "text", "markdown")
_WITH_REASONS = ("sql", "python")  # elsewhere they are there anyway, or there is no place for them


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
        help="also write the risk of a row, or of each number of points; as SQL without --table, the risk alone",
    )
    parser.add_argument(
        "--reasons",
        action="store_true",
        help="also write the numbers of the boxes that hold a row, those with most points first, as SQL or Python",
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
    with_risk = (*_WITH_RISK, *(_CARDS_WITH_RISK if args.scorecard else ()))
    for option, languages in (("risk", with_risk), ("reasons", _WITH_REASONS)):
        if getattr(args, option) and args.to not in languages:
            raise UsageError(f"--{option} goes with --to {', '.join(languages)}")
    if args.risk and args.reasons and args.to == "sql" and args.table is None:
        raise UsageError("SQL with --risk and --reasons is several columns: add --table")
    if args.to == "onnx" and args.output == "-":
        raise UsageError("ONNX is no text: give it a file, for example -o model.onnx")
    table = None if args.table is None else tuple(args.table.split("."))
    details = {"dialect": args.dialect, "table": table, "name": args.name}
    given = {name: value for name, value in details.items() if value is not None}
    model = load_model(args.model)
    output = Output(args.output, args.force, (args.model,))
    if args.risk:
        given["risk"] = _risk(model, args.scorecard)
    if args.reasons and not (args.scorecard and args.to == "python"):  # that function returns them anyway
        given["reasons"] = True
    if args.to == "sql" and table is None and (args.risk or args.reasons):  # a single expression
        given |= dict.fromkeys(("column", "points_column") if args.scorecard else ("column",))
    content = exported(model, args.to, args.scorecard, **given)
    if output.is_stdout and isinstance(content, str) and args.to in ("text", "markdown"):
        say(content, wrap=args.to == "text")  # for people, on whatever terminal they have
    else:
        output.write(f"{content}\n" if isinstance(content, str) else content)


def exported(model: Model, language: str, scorecard: bool = False, **details: Any) -> str | bytes:
    """Write a model in another language."""
    written = model.scorecard if scorecard else without_points(model, "add --scorecard")
    if written is None:
        raise Failure("this model has no scorecard: boxdraw fit --method scored learns one")
    if language in ("sql", "pmml"):
        details |= dict(zip(("negative", "positive"), model.classes, strict=True))
    if language == "sql":
        names = {"column": _column(model), "risk_column": "risk", "reasons_column": "reasons"}
        names |= {"points_column": "points"} if scorecard else {}
        details = {key: _free(name, model) for key, name in names.items()} | details
    content = getattr(written, f"to_{language}")(**details)
    if isinstance(content, str | bytes):
        return content.removesuffix("\n") if isinstance(content, str) else content
    serialized: bytes = content.SerializeToString()
    return serialized


def _risk(model: Model, scorecard: bool) -> RiskTable:
    risk = risk_of(model)
    if risk.boxes is None and not scorecard:
        raise Failure("the risk of this model goes by points, which only the card has: add --scorecard")
    return risk


def _column(model: Model) -> str:
    """Name the column that an SQL query adds."""
    return "flagged" if model.target is None else f"{model.target}_predicted"


def _free(name: str, model: Model) -> str:
    """Return a name that no feature has, as ONNX and PMML find one."""
    taken = {feature.casefold() for feature in boxes_of(model.drawing).feature_names}
    while name.casefold() in taken:
        name += "_"
    return name

"""``boxdraw rules``: read a model, with what each box catches on a table."""

from __future__ import annotations

import argparse
import csv
import io
import json
from itertools import zip_longest
from typing import Any

from boxdraw.cli.errors import UsageError
from boxdraw.cli.figures import (
    EDITED,
    HEADER,
    asked_union,
    box_figures,
    edit_texts,
    figure_cells,
    figures_text,
    model_text,
    rules_json,
)
from boxdraw.cli.labelled import labels_of, open_trained
from boxdraw.cli.options import add_common, add_csv, add_output, check_inputs, load_model, risk_of, target_column
from boxdraw.cli.output import Output
from boxdraw.cli.show import rows_progress, say, say_json, text_table
from boxdraw.model.export.markdown import markdown_table, to_markdown
from boxdraw.model.export.text import printable, rule_texts
from boxdraw.model.file import Model
from boxdraw.model.scorecard import boxes_of
from boxdraw.model.settings import as_plain
from boxdraw.tables.labelled import LabelledFile
from boxdraw.tables.trained import as_trained, needed_columns

EXAMPLES = """\
  boxdraw rules model.json
  boxdraw rules model.json --risk
  boxdraw rules model.json --history
  boxdraw rules model.json --data new.csv
  boxdraw rules model.json --data new.csv --format markdown -o rules.md
  boxdraw rules model.json --json"""

FORMATS = ("text", "markdown", "json", "csv")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("model", metavar="MODEL", help="the file that fit wrote, or - for standard input")
    parser.add_argument("--format", choices=FORMATS, help="what to write (text)")
    parser.add_argument(
        "--risk", action="store_true", help="also print the risk by region, which a scorecard always has"
    )
    parser.add_argument(
        "--history", action="store_true", help="print who changed what, when and why, and the hash of each file before"
    )
    parser.add_argument("--union", action="store_true", help="also print a scorecard as a union of boxes")
    add_output(parser, "-", "the rules")
    group = parser.add_argument_group("rows to try the rules on")
    group.add_argument("--data", metavar="DATA", help="a CSV or Parquet file with labels, or - for standard input")
    group.add_argument("--target", metavar="COLUMN", help="the column with the labels (default: as in training)")
    group.add_argument("--weight", metavar="COLUMN", help="a column with the weights of the rows")
    group.add_argument("--skip-unlabelled", action="store_true", help="leave out rows without a label")
    add_csv(parser)
    add_common(parser, json="the rules")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    if args.json and args.format not in (None, "json"):
        raise UsageError(f"--json and --format {args.format} contradict each other")
    if args.data is None and (args.target is not None or args.weight is not None or args.skip_unlabelled):
        raise UsageError("--target, --weight and --skip-unlabelled describe the rows of --data, which is not given")
    if args.risk and args.format == "csv":
        raise UsageError("--risk goes with --format text, markdown, json")
    if args.history and (args.risk or args.union or args.data is not None or args.format == "csv"):
        raise UsageError("--history goes with --format text, markdown, json, without --risk, --union and --data")
    check_inputs(args.model, args.data)
    model = load_model(args.model)
    rows = None if args.data is None else _open(args, model)
    output = Output(args.output, args.force, (args.model, args.data or "-"))
    figures = None if rows is None else _figures(args, model, rows)
    form = "json" if args.json else args.format or "text"
    if args.risk:
        risk_of(model)
    if args.history:
        text = history_text(model, form, whole=not output.is_stdout)
    else:
        data = "standard input" if args.data == "-" else args.data
        text = rules_text(model, figures, form, data, args.risk, args.union, whole=not output.is_stdout)
    if output.is_stdout and form == "json":
        say_json(json.loads(text))
    elif output.is_stdout:
        say(text, wrap=form == "text")
    else:
        output.write(f"{text}\n")


def _open(args: argparse.Namespace, model: Model) -> LabelledFile:
    target = target_column(args, model)
    return LabelledFile(open_trained(args, args.data, model), target, args.weight, args.skip_unlabelled)


def _figures(args: argparse.Namespace, model: Model, rows: LabelledFile) -> list[dict[str, Any]]:
    """Count what the boxes catch."""
    file, boxes = rows.file, boxes_of(model.drawing)
    with rows_progress(args.quiet) as tell:
        facts = rows.facts([], [], tell)
        positive = rows.known_labels(facts.count, labels_of(rows, facts, model, None))
        pieces = (
            (as_trained(table, boxes, file), is_positive, weight)
            for table, is_positive, weight in rows.pieces(needed_columns(file, boxes), positive)
        )
        return box_figures(model, pieces, facts.n_rows, tell)


def history_text(model: Model, form: str, whole: bool = False) -> str:
    """Write what was done to a model, the latest last, and the hash of its file."""
    if form == "json":
        history = {"hash": model.digest, "edits": [edit.as_dict() for edit in model.edits]}
        return json.dumps(history, ensure_ascii=False, allow_nan=False, indent=2)
    head = ("Time", "Who", "What", "Why", "File before")
    edits = [(one.time, one.who, one.what, one.reason, one.before) for one in model.edits]
    rows = [[printable(cell) if cell else "" for cell in edit] for edit in edits]
    table = text_table(head, rows, len(head), whole) if form == "text" else markdown_table(head, rows)
    return f"{table if rows else 'No changes since it was learned.'}\n\nThis file: {model.digest}"


def rules_text(
    model: Model,
    figures: list[dict[str, Any]] | None,
    form: str,
    data: str | None,
    with_risk: bool = False,
    with_union: bool = False,
    whole: bool = False,
) -> str:
    """Write rules, figures if there are some, and what is asked for beside them; a card has its risk in any case."""
    if form == "json":
        return json.dumps(as_plain(rules_json(model, figures)), ensure_ascii=False, allow_nan=False, indent=2)
    if form == "csv":
        return _csv(model, figures)
    if form == "markdown":
        if model.scorecard is not None:
            table = model.scorecard.to_markdown(model.risk)
            union = to_markdown(asked_union(model)) if with_union else ""
            table += f"\n\nThe same as a union of boxes:\n\n{union}" if with_union else ""
        else:
            table = to_markdown(model.boxes)
            table += f"\n\n{model.risk.to_markdown()}" if with_risk and model.risk is not None else ""
        if model.edits:
            table = f"{table}\n\n{EDITED}\n\n{markdown_table(('Time', 'Edit'), edit_texts(model))}"
        return table if figures is None else f"{table}\n\nOn the rows of `{data}`:\n\n{_markdown(figures)}"
    text = model_text(model, with_risk, with_union)
    return text if figures is None else f"{text}\n\nOn the rows of {data}:\n{figures_text(figures, whole)}"


def _csv(model: Model, figures: list[dict[str, Any]] | None) -> str:
    rows = figures or [{"box": k, "rule": rule} for k, rule in enumerate(rule_texts(boxes_of(model.drawing)), start=1)]
    if model.scorecard is not None:
        worth = zip_longest(rows, model.scorecard.points)
        rows = [{"box": row["box"], "points": points} | row for row, points in worth]
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]) if rows else ["box", "rule"], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: as_plain(value) for name, value in row.items()} for row in rows)
    return text.getvalue().removesuffix("\n")


def _markdown(figures: list[dict[str, Any]]) -> str:
    lines = [HEADER, ["---:"] * len(HEADER), *(figure_cells(row) for row in figures)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)

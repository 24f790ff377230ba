"""``boxdraw report``: a page that shows a model on labelled rows, and lets people move its limits."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from boxdraw.cli.errors import UsageError, extra
from boxdraw.cli.labelled import open_trained
from boxdraw.cli.options import (
    add_common,
    add_csv,
    add_output,
    check_inputs,
    load_model,
    positive_integer,
    positive_number,
    target_column,
)
from boxdraw.cli.output import Output
from boxdraw.cli.relearn import Slider, find_slider
from boxdraw.cli.show import note, say_json
from boxdraw.model.file import Model
from boxdraw.model.scorecard import boxes_of
from boxdraw.report.build import page
from boxdraw.report.payload import MAX_ROWS, Labelled, Subject, cost_of, payload
from boxdraw.tables.errors import check_columns
from boxdraw.tables.labelled import LabelledFile
from boxdraw.tables.schema import warn_of_unseen
from boxdraw.tables.trained import as_trained, needed_columns

EXAMPLES = """\
  boxdraw report model.json data.csv
  boxdraw report model.json data.csv --test new.csv --title "Card fraud"
  boxdraw report model.json data.parquet --id account --max-rows 10000"""

_HOLDS_ROWS = "it holds the rows, so give it only to people who may see them"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("model", metavar="MODEL", help="the file that fit wrote, or - for standard input")
    parser.add_argument(
        "data",
        metavar="DATA",
        help="a CSV or Parquet file with labels, best that which the boxes were learned from, or - for standard input",
    )
    add_output(parser, "report.html", "the page, which holds the rows")
    group = parser.add_argument_group("the page")
    group.add_argument(
        "--test", metavar="DATA", help="rows that the boxes have not seen, to be shown beside the others"
    )
    group.add_argument("--title", metavar="TEXT", help="the title (default: what is predicted)")
    group.add_argument("--noun", metavar="TEXT", help='what the rows are, in the plural, such as "payments"')
    group.add_argument(
        "--days",
        type=positive_number,
        metavar="N",
        help="how many days the rows cover, those of --test if given: the page then has the false alarms a day",
    )
    group.add_argument(
        "--false-alarm-cost",
        type=positive_number,
        metavar="COST",
        help="what a false alarm costs relative to a miss when the page opens (default: as in training)",
    )
    group.add_argument(
        "--max-rows",
        type=positive_integer,
        default=MAX_ROWS,
        metavar="N",
        help="of a table with more rows, a sample of so many is shown (%(default)s)",
    )
    parser.add_argument(
        "--counts-only",
        action="store_true",
        help="hold no rows, only how many of each label lie between the same limits",
    )
    group = parser.add_argument_group("columns")
    group.add_argument("--target", metavar="COLUMN", help="the column with the labels (default: as in training)")
    group.add_argument(
        "--weight", metavar="COLUMN", help="a column with the weights of the rows (default: as in training)"
    )
    group.add_argument("--id", metavar="COLUMN", help="a column that names the rows (default: their number from 0)")
    group.add_argument("--skip-unlabelled", action="store_true", help="leave out rows without a label")
    add_csv(parser)
    add_common(parser, json="what was written")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    if args.json and args.output == "-":
        raise UsageError("--json and the page cannot share standard output; give -o a file")
    if args.max_rows < 2:
        raise UsageError("--max-rows must be at least 2, one row of each label")
    check_inputs(args.model, args.data)
    if args.test == "-":
        raise UsageError("the rows of --test cannot come from standard input; give a file")
    model = load_model(args.model)
    tables = [_ReportTable(args, model, name) for name in (args.data, args.test) if name is not None]
    weight = _weight_column(args, model, tables)
    output = Output(args.output, args.force, (args.model, args.data, args.test or "-"))
    train, *others = (table.labelled(weight) for table in tables)
    slider = find_slider(model, train, tables[0].file.name, weight)
    train, *others = (slider.with_critical(rows) for rows in (train, *others))
    data = payload(
        _subject(args, model, slider),
        train,
        others[0] if others else None,
        false_alarm_cost=args.false_alarm_cost or cost_of(model.fit),
        max_rows=args.max_rows,
        counts_only=args.counts_only,
    )
    output.write(page(data))
    _tell(args, output, data)


def _subject(args: argparse.Namespace, model: Model, slider: Slider) -> Subject:
    return Subject.of(
        model,
        target=args.target if args.target is not None else model.target,
        title=args.title,
        noun=args.noun,
        days=args.days,
        closed_form=slider.form,
        closed_form_absent=None if model.choices.path else slider.absent,
    )


class _ReportTable:
    """A table of the user, as the boxes need it."""

    def __init__(self, args: argparse.Namespace, model: Model, name: str) -> None:
        self._model, self._args = model, args
        self.file = open_trained(args, name, model)
        self._rows = LabelledFile(self.file, target_column(args, model), skip=args.skip_unlabelled)
        facts = self._rows.facts([], [], lambda what, done, total: None)
        self._positive = self._rows.known_labels(facts.count, model.classes)

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        return list(self.file.schema.names)

    def labelled(self, weight: str | None) -> Labelled:
        """Return the rows with their labels, weights and names."""
        args, boxes = self._args, boxes_of(self._model.drawing)
        check_columns([weight, args.id], self.columns, self.file.name)
        rows = replace(self._rows, weight=weight)
        tables, masks, weights = zip(*rows.pieces(self.columns, self._positive), strict=True)
        table = as_trained(extra("pyarrow").concat_tables(tables), boxes, self.file)
        features = table.select(needed_columns(self.file, boxes))
        warn_of_unseen(features, boxes)
        return Labelled(
            features,
            np.concatenate(masks),
            None if weight is None else np.concatenate(weights),
            ids=None if args.id is None else ["" if value is None else value for value in table[args.id].to_pylist()],
            source=Path(self.file.name).name,
        )


def _weight_column(args: argparse.Namespace, model: Model, tables: list[_ReportTable]) -> str | None:
    """Return the column that was asked for, or that of training if all tables have it."""
    trained = model.fit.get("weight")
    if args.weight is None and isinstance(trained, str) and all(trained in table.columns for table in tables):
        return trained
    given: str | None = args.weight
    return given


def _tell(args: argparse.Namespace, output: Output, data: dict[str, Any]) -> None:
    """Return a line on what the page holds."""
    tables, absent = data["data"], data["closed_form_absent"]
    if args.json:
        counts = {name: table and {"shown": table["n"], **table["total"]} for name, table in tables.items()}
        say_json({"report": output.name, **counts, "slider": absent is None, "slider_absent": absent})
        return
    for name, table in tables.items():
        if table is not None and table["sampled"]:
            source = args.data if name == "train" else args.test
            note(f"the page has a sample of {table['n']} of {table['total']['rows']} rows of {source}", args.quiet)
    if absent is not None:
        note(f"the page has no slider for the cost. {absent}", args.quiet)
    if not output.is_stdout:
        holds = "it holds counts, no rows" if args.counts_only else _HOLDS_ROWS
        note(f"written to {output.name}; {holds}", args.quiet)

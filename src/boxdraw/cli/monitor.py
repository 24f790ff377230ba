"""``boxdraw monitor``: rules watched over periods."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from boxdraw.cli.errors import UsageError, extra
from boxdraw.cli.labelled import labels_of, open_table
from boxdraw.cli.options import add_common, add_csv, add_positive, load_model, number_from_0, positive_integer, share
from boxdraw.cli.output import Output
from boxdraw.cli.show import note, rows_progress, say, say_json
from boxdraw.model.export.text import printable
from boxdraw.model.file import Model
from boxdraw.model.scorecard import boxes_of
from boxdraw.service.counts import Piece
from boxdraw.service.monitor import watch
from boxdraw.tables.errors import TableError, check_columns
from boxdraw.tables.labelled import LabelledFile, Tell
from boxdraw.tables.source import TableFile
from boxdraw.tables.trained import as_trained, check_trained, needed_columns, text_features

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = """\
  boxdraw monitor model.json --reference october.csv november.csv december.csv
  boxdraw monitor model.json --reference old.parquet new.parquet --time month
  boxdraw monitor rules.sql --reference old.csv new.csv --target fraud --json"""

_OUT_OF_BOUNDS = 3  # the exit code if the newest period is: older alarms have been seen


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument(
        "model", metavar="MODEL", help="the file that fit wrote, or rules in SQL (.sql) or sentences (.txt)"
    )
    parser.add_argument("periods", nargs="+", metavar="DATA", help="a table for each period, in their order")
    parser.add_argument(
        "--reference", required=True, metavar="DATA", help="rows of a time when all was well, best not of training"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="also write a page to FILE")
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")
    group = parser.add_argument_group("columns")
    group.add_argument("--time", metavar="COLUMN", help="the column whose values, in order, are the periods: the month")
    group.add_argument(
        "--target", metavar="COLUMN", help="the column with the labels, where there are some (the model's)"
    )
    add_positive(group)
    group = parser.add_argument_group("bounds")
    group.add_argument(
        "--false-alarms",
        type=share,
        default=0.05,
        metavar="SHARE",
        help="the most chance that a stable year raises any alarm (5%%)",
    )
    group.add_argument("--periods-per-year", type=positive_integer, default=12, metavar="N", help="(%(default)s)")
    group.add_argument(
        "--tolerance",
        type=number_from_0,
        default=0.1,
        metavar="PART",
        help="by what part of itself a rate has to change to be out of bounds (%(default)s)",
    )
    add_csv(parser)
    add_common(parser, json="all figures")


def run(args: argparse.Namespace) -> int:
    """Run the command; return its exit code."""
    inputs = args.model, args.reference, *args.periods
    if inputs.count("-") > 1:
        raise UsageError("only one of the model and the tables can come from standard input")
    if args.json and args.output == "-":
        raise UsageError("--json and -o - cannot share standard output; give -o a file")
    if len(set(args.periods)) < len(args.periods):
        raise UsageError("a table is given twice: its rows would count twice")
    model = load_model(args.model)
    reference = _Table(args, args.reference, model)
    tables = {name: _Table(args, name, model) for name in args.periods}
    output = None if args.output is None else Output(args.output, args.force, inputs)
    target = model.target if args.target is None else args.target
    if target is not None and not any(table.has_labels for table in (reference, *tables.values())):
        problem = f'no table has a column "{printable(target)}" with labels'
        if args.target is not None:
            raise UsageError(problem)
        note(f"{problem}: precision and recall are not known", args.quiet)
    with rows_progress(args.quiet) as tell:
        labels = next(
            (one.labels(args.positive, tell) for one in (reference, *tables.values()) if one.has_labels), None
        )
        for table in (reference, *tables.values()):
            table.classes = model.classes if labels is None else labels
        pieces = (piece for _, piece in reference.pieces(None, tell))
        named = (one for name, table in tables.items() for one in table.pieces(_name(name, args.periods), tell))
        bounds = args.periods_per_year, args.false_alarms, args.tolerance
        found = watch(model, pieces, named, *bounds, in_order=args.time is not None)
    if output is not None:
        output.write(found.to_html())
    if args.json:
        say_json({"ok": found.ok, "ok_now": found.ok_now, **asdict(found)})
    elif output is None or not output.is_stdout:
        say(found.to_text())
    return 0 if found.ok_now else _OUT_OF_BOUNDS


def _name(path: str, paths: list[str]) -> str:
    """Return what a period is called: the name of its file without folder and suffix if that tells it from others."""
    short = [Path(one).name.partition(".")[0] or one for one in paths]
    return short[paths.index(path)] if len(set(short)) == len(short) else path


class _Table:
    """A table whose rows are counted in pieces."""

    def __init__(self, args: argparse.Namespace, path: str, model: Model) -> None:
        self._model, self._boxes = model, boxes_of(model.drawing)
        self._file: TableFile = open_table(args, path, text_features(self._boxes))
        self._target = model.target if args.target is None else args.target
        self._time = args.time if path in args.periods else None
        self.classes = model.classes
        check_trained(self._file, self._boxes)
        check_columns([self._time], self._file.schema.names, self._file.name)

    @property
    def has_labels(self) -> bool:
        """Whether there is a column of labels."""
        return self._target in self._file.schema.names

    def labels(self, positive: str | None, tell: Tell) -> tuple[Any, Any]:
        """Return the labels of the model or, if it knows none, those in the table."""
        if (self._model.target is not None and positive is None) or self._target is None:
            return self._model.classes
        rows = LabelledFile(self._file, self._target, skip=True)
        return labels_of(rows, rows.facts([], [], tell), self._model, positive)

    def pieces(self, name: Any, tell: Tell) -> Iterator[tuple[Any, Piece]]:
        """Yield the rows, period by period, under a name or those in the column of periods."""
        rows = LabelledFile(self._file, self._target) if self.has_labels and self._target is not None else None
        features = [one for one in needed_columns(self._file, self._boxes) if one not in (self._target, self._time)]
        others = [one for one in (self._target if self.has_labels else None, self._time) if one is not None]
        done, wanted = 0, list(dict.fromkeys([*features, *others]))
        nothing = self._file.schema.empty_table().select(wanted)  # so that a period without rows is one, too
        for table in itertools.chain([nothing], self._file.tables(wanted)):
            labels = np.full(table.num_rows, -1, dtype=np.int8) if rows is None else self._labels(rows, table)
            X = as_trained(table.select(features), self._boxes, self._file)
            for period, held in [(name, None)] if self._time is None else self._periods(table, self._time):
                yield period, (X, labels) if held is None else (X.filter(held), labels[np.asarray(held)])
            done += table.num_rows
            tell(f"counting rows of {self._file.name}", done, self._file.n_rows)

    def _labels(self, rows: LabelledFile, table: Any) -> Any:
        """Return 1 for each positive label, 0 for a negative one and -1 for none."""
        pc = extra("pyarrow.compute")
        column = table[rows.target]
        missing = np.asarray(column.is_null(nan_is_null=True))
        known = pc.unique(column.filter(~missing)).to_pylist()
        positive = extra("pyarrow").array(rows.known_labels(known, self.classes), column.type)
        return np.where(missing, -1, np.asarray(pc.is_in(column, value_set=positive))).astype(np.int8)

    def _periods(self, table: Any, name: str) -> Iterator[tuple[Any, Any]]:
        """Yield each period in a column, with the mask of its rows."""
        pc, column = extra("pyarrow.compute"), table[name]
        if column.is_null(nan_is_null=True).to_numpy().any():
            raise TableError(f'column "{printable(name)}" of {self._file.name} has no period in some rows')
        for value in pc.unique(column):
            yield value.as_py(), pc.equal(column, value)

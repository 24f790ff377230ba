"""``boxdraw predict``: label the rows of a table."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from boxdraw.arrays import BoolArray
from boxdraw.cli.columns import csv_form
from boxdraw.cli.errors import Failure, UsageError, extra, listed
from boxdraw.cli.features import feature_rows
from boxdraw.cli.files import Output
from boxdraw.cli.model import Model, load_model
from boxdraw.cli.options import add_common, add_csv, add_output, check_inputs
from boxdraw.cli.show import note, say_json
from boxdraw.cli.tables import Source, check_table_name, leading_zeros, read_verbatim, write_table
from boxdraw.export.text import printable
from boxdraw.rows import UNSEEN, read_columns

__all__ = ["EXAMPLES", "SUMMARY", "add_arguments", "predictions", "run"]

SUMMARY = "Write the rows of a table with the predicted label, the points of a scorecard, and the box that holds each."
EXAMPLES = """\
  boxdraw predict model.json new.csv
  boxdraw predict model.json new.csv --only-flagged --explain -o flagged.csv
  boxdraw predict model.json new.parquet -o out.parquet --json
  cat new.csv | boxdraw predict model.json - | head"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        The parser of the command.
    """
    parser.add_argument("model", metavar="MODEL", help="the file that fit wrote, or - for standard input")
    parser.add_argument("data", metavar="DATA", help="a CSV or Parquet file, or - for standard input")
    add_output(parser, "-", "the rows (.csv or .parquet)")
    parser.add_argument("--only-flagged", action="store_true", help="write only the rows that are in a box")
    parser.add_argument("--explain", action="store_true", help="add a column that says why, or what keeps a row out")
    add_csv(parser)
    add_common(parser, json="how many rows were flagged")


def run(args: argparse.Namespace) -> None:
    """Run the command.

    Parameters
    ----------
    args : argparse.Namespace
        The options.
    """
    if args.json and args.output == "-":
        raise UsageError("--json and the table cannot share standard output; give -o a file")
    check_inputs(args.model, args.data)
    check_table_name(args.output)
    output = Output(args.output, args.force, (args.model, args.data))
    model = load_model(args.model)
    source = Source.load(args.data, csv_form(args))
    rows = feature_rows(source, model.boxes)
    _warn_of_unseen(rows, model, args.quiet)
    columns = predictions(model, rows, args.explain)
    flagged = np.asarray(columns["box"].is_valid())
    table = _handed_on(source, rows, model, output)
    for name, column in columns.items():
        if name in table.column_names:
            raise Failure(f'{source.name} has a column "{printable(name)}" already; rename it, or take it out')
        table = table.append_column(name, column)
    if args.only_flagged:
        table = table.filter(extra("pyarrow").array(flagged))
    write_table(table, output, args.delimiter)
    if args.json:
        say_json({"rows": len(flagged), "flagged": int(flagged.sum()), "output": output.name})
    elif not output.is_stdout:
        note(f"{flagged.sum()} of {len(flagged)} rows are flagged; written to {output.name}", args.quiet)


def predictions(model: Model, rows: Any, explain: bool) -> dict[str, Any]:
    """Return the columns that a prediction adds.

    Parameters
    ----------
    model : Model
        The model.
    rows : pyarrow.Table
        The rows.
    explain : bool
        Whether to add ``why``.

    Returns
    -------
    dict of str to pyarrow.Array
        The label, the points if the model is a scorecard, the number of the first box that holds the row, and why.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from boxdraw import BoxSet
    >>> model = Model(BoxSet([[1]], [[2]], feature_names=["age"]), "fraud", ("no", "yes"))
    >>> columns = predictions(model, pa.table({"age": [1, 5]}), explain=False)
    >>> {name: column.to_pylist() for name, column in columns.items()}
    {'fraud_predicted': ['yes', 'no'], 'box': [1, None]}
    """
    pa = extra("pyarrow")
    member = model.boxes.membership(rows)
    name = "predicted" if model.target is None else f"{model.target}_predicted"
    columns = {name: pa.array(model.labels(np.asarray(member.any(axis=1))).tolist(), _label_type(model))}
    if model.scorecard is not None:
        columns["points"] = pa.array(model.scorecard.score(rows), pa.int64())
    columns["box"] = pa.array(_first_box(member), pa.int64())
    if explain:
        from boxdraw.explain import explain as why

        columns["why"] = pa.array(list(why(model.boxes, rows)["why"]), pa.string())
    return columns


def _label_type(model: Model) -> Any:
    """Return the type of a column of labels, which a table without rows has too."""
    return extra("pyarrow").array(list(model.classes)).type


def _first_box(member: BoolArray) -> list[int | None]:
    if not member.shape[1]:
        return [None] * len(member)
    first, held = (member.argmax(axis=1) + 1).tolist(), np.asarray(member.any(axis=1)).tolist()
    return [number if inside else None for number, inside in zip(first, held, strict=True)]


def _handed_on(source: Source, rows: Any, model: Model, output: Output) -> Any:
    """Return the input to be written: from CSV to CSV every field as it was, otherwise with the types found."""
    if source.is_parquet or not output.name.lower().endswith(".parquet"):
        return read_verbatim(source, rows.column_names)
    texts = read_verbatim(source, rows.column_names)
    for name in leading_zeros(source, rows):
        if name not in model.boxes.feature_names:  # a number of an account or an order, rather than a quantity
            rows = rows.set_column(rows.column_names.index(name), name, texts[name])
    return rows


def _warn_of_unseen(rows: Any, model: Model, quiet: bool) -> None:
    """Name categories that the model does not know: they are in no box that limits them."""
    boxes = model.boxes
    limited = [j for j, known in enumerate(boxes.categories) if known is not None and boxes.limited[:, j].any()]
    for j, places in read_columns(rows, boxes, limited)[1].items():
        unseen = np.flatnonzero(places == UNSEEN)
        name = boxes.feature_names[j]
        if unseen.size and name in rows.column_names:
            values = sorted(set(map(str, rows[name].take(unseen).to_pylist())))
            note(
                f'column "{printable(name)}" has categories that were not there in training, in {unseen.size} rows: '
                f"{listed(values)}",
                quiet,
            )

"""``boxdraw compare``: two sets of rules side by side."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

import numpy as np

from boxdraw.cli.errors import UsageError, extra
from boxdraw.cli.labelled import labels_of, open_table
from boxdraw.cli.options import add_common, add_csv, add_positive, check_inputs, load_model, target_column
from boxdraw.cli.output import Output
from boxdraw.cli.show import note, rows_progress, say, say_json
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import printable
from boxdraw.model.file import Model
from boxdraw.model.scorecard import boxes_of
from boxdraw.service.compare import Comparison, compare
from boxdraw.tables.labelled import LabelledFile
from boxdraw.tables.trained import as_trained, check_trained, needed_columns, text_features

EXAMPLES = """\
  boxdraw compare old.json new.json
  boxdraw compare old.json new.json november.csv
  boxdraw compare rules.sql new.json november.csv --target fraud -o page.html"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("old", metavar="OLD", help="a model file, or rules in SQL (.sql) or sentences (.txt)")
    parser.add_argument("new", metavar="NEW", help="others, on the same columns")
    parser.add_argument("data", nargs="?", metavar="DATA", help="rows that neither was learned from, best with labels")
    parser.add_argument("-o", "--output", metavar="FILE", help="also write a page to FILE")
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")
    group = parser.add_argument_group("columns")
    group.add_argument("--target", metavar="COLUMN", help="the column with the labels (default: that of the models)")
    add_positive(group)
    group.add_argument("--weight", metavar="COLUMN", help="a column with the weights of the rows")
    group.add_argument("--skip-unlabelled", action="store_true", help="leave out rows without a label")
    add_csv(parser)
    add_common(parser, json="the comparison")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    check_inputs(args.old, args.new)
    if args.json and args.output == "-":
        raise UsageError("--json and -o - cannot share standard output; give -o a file")
    given = args.target, args.positive, args.weight, args.skip_unlabelled or None
    if args.data is None and any(one is not None for one in given):
        raise UsageError("--target, --positive, --weight and --skip-unlabelled describe the rows of DATA: give it")
    models = load_model(args.old), load_model(args.new)
    output = None if args.output is None else Output(args.output, args.force, (args.old, args.new, args.data or "-"))
    found = compare(models[0].drawing, models[1].drawing) if args.data is None else _on_rows(args, *models)
    if output is not None:
        output.write(found.to_html())
    if args.json:
        say_json(asdict(found))
    elif output is None or not output.is_stdout:
        say(found.to_text())


def _on_rows(args: argparse.Namespace, old: Model, new: Model) -> Comparison:
    """Compare on the rows of a table, with labels if it has them."""
    drawings = old.drawing, new.drawing
    boxes = [boxes_of(drawing) for drawing in drawings]
    file = open_table(args, args.data, {name for one in boxes for name in text_features(one)})
    wanted = list(dict.fromkeys(name for one in boxes for name in needed_columns(file, one)))
    for one in boxes:
        check_trained(file, one)
    model = old if new.target is None else new
    if args.target is None and model.target not in file.schema.names:
        lacking = "neither model names its column of labels"
        if model.target is not None:
            lacking = f'{file.name} has no column "{printable(model.target)}" with labels'
        note(f"{lacking}: alarms only are compared", args.quiet)
        table = extra("pyarrow").concat_tables(file.tables(wanted))
        return compare(*drawings, _as_both(table, boxes, file))
    rows = LabelledFile(file, target_column(args, model), args.weight, args.skip_unlabelled)
    with rows_progress(args.quiet) as tell:
        facts = rows.facts([], [], tell)
    tables, masks, weights = zip(
        *rows.pieces(wanted, rows.known_labels(facts.count, labels_of(rows, facts, model, args.positive))), strict=True
    )
    X = _as_both(extra("pyarrow").concat_tables(tables), boxes, file)
    weight = None if args.weight is None else np.concatenate(weights)
    return compare(*drawings, X, np.concatenate(masks), sample_weight=weight, pos_label=True)


def _as_both(table: Any, boxes: list[BoxSet], file: Any) -> Any:
    """Return rows in the form that both sets of rules compare."""
    for one in boxes:
        table = as_trained(table, one, file)
    return table

"""``boxdraw predict``: label the rows of a table."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from boxdraw._core.arrays import BoolArray
from boxdraw.cli.errors import Failure, UsageError, extra
from boxdraw.cli.labelled import open_trained
from boxdraw.cli.options import add_common, add_csv, add_output, check_inputs, load_model, risk_of
from boxdraw.cli.output import Output, check_table_name, write_tables
from boxdraw.cli.show import note, rows_progress, say_json
from boxdraw.model.export.text import printable
from boxdraw.model.export.view import view_of
from boxdraw.model.file import Model
from boxdraw.model.membership import first_box
from boxdraw.model.rows import UNSEEN, read_columns
from boxdraw.model.scorecard import boxes_of
from boxdraw.tables.errors import listed
from boxdraw.tables.labelled import Tell
from boxdraw.tables.source import TableFile, decoded
from boxdraw.tables.trained import as_trained, needed_columns

Unseen = dict[str, tuple[int, set[str]]]  # by column: in how many rows, and which

EXAMPLES = """\
  boxdraw predict model.json new.csv
  boxdraw predict model.json new.csv --only-flagged --explain -o flagged.csv
  boxdraw predict model.json new.parquet -o out.parquet --json
  cat new.csv | boxdraw predict model.json - | head"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("model", metavar="MODEL", help="the file that fit wrote, or - for standard input")
    parser.add_argument("data", metavar="DATA", help="a CSV or Parquet file, or - for standard input")
    add_output(parser, "-", "the rows (.csv or .parquet)")
    parser.add_argument("--only-flagged", action="store_true", help="write only the rows that are flagged")
    parser.add_argument("--explain", action="store_true", help="add a column that says why, or what keeps a row out")
    parser.add_argument("--risk", action="store_true", help="add a column with the risk of each row")
    add_csv(parser)
    add_common(parser, json="how many rows were flagged")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    if args.json and args.output == "-":
        raise UsageError("--json and the table cannot share standard output; give -o a file")
    check_inputs(args.model, args.data)
    check_table_name(args.output)
    model = load_model(args.model)
    if args.risk:
        risk_of(model)
    file = open_trained(args, args.data, model)
    output = Output(args.output, args.force, (args.model, args.data))
    with rows_progress(args.quiet) as tell:
        n_rows, n_flagged = _write(args, model, file, output, tell)
    if args.json:
        say_json({"rows": n_rows, "flagged": n_flagged, "output": output.name})
    elif not output.is_stdout:
        note(f"{n_flagged} of {n_rows} rows are flagged; written to {output.name}", args.quiet)


def _write(args: argparse.Namespace, model: Model, file: TableFile, output: Output, tell: Tell) -> tuple[int, int]:
    """Write the rows with their predictions; return how many there are, and how many are flagged."""
    pa = extra("pyarrow")
    pieces = _Pieces(file, model, output.name.lower().endswith(".parquet"))
    added, _ = predictions(model, pieces.no_rows, args.explain, args.risk)
    _check_clash(pieces.schema.names, added, file.name)
    done = flagged = 0
    unseen: Unseen = {}
    n_rows = file.n_rows

    def tables() -> Iterator[Any]:
        nonlocal done, flagged
        # What is said of a row depends on how far apart all rows are, so --explain needs them as a whole.
        for rows, table in [pieces.whole()] if args.explain else pieces:
            columns, alarms = predictions(model, rows, args.explain, args.risk)
            _merge_unseen(unseen, _unseen(rows, model))
            done, flagged = done + rows.num_rows, flagged + int(alarms.sum())
            tell("predictions", done, n_rows)
            joined = _joined(table, columns)
            yield joined.filter(pa.array(alarms)) if args.only_flagged else joined

    write_tables(_joined(pieces.schema.empty_table(), added).schema, tables(), output, args.delimiter)
    _note_unseen(unseen, args.quiet)
    return done, flagged


class _Pieces:
    """Some rows at a time, as the boxes need them and as they are handed on.

    From CSV to CSV every field is handed on as it was, otherwise with the types found.
    """

    def __init__(self, file: TableFile, model: Model, to_parquet: bool) -> None:
        self._file, self._boxes = file, boxes_of(model.drawing)
        self._typed = to_parquet and not file.is_parquet
        others = [name for name in file.schema.names if name not in self._boxes.feature_names]
        self._zeros = file.leading_zeros(others) if self._typed else []
        self.no_rows = as_trained(file.schema.empty_table(), self._boxes, file)
        texts = file.verbatim_schema
        self.schema = self._with_zeros(self.no_rows, texts.empty_table()).schema if self._typed else texts

    def whole(self) -> tuple[Any, Any]:
        """Return all rows."""
        pa = extra("pyarrow")
        rows, tables = zip((self.no_rows, self.schema.empty_table()), *self, strict=True)
        return pa.concat_tables(rows[1:] or rows), pa.concat_tables(tables)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        file, boxes = self._file, self._boxes
        if file.is_parquet:
            for table in file.verbatim():
                yield as_trained(decoded(table), boxes, file), table
        elif self._typed:
            texts = file.verbatim(self._zeros) if self._zeros else repeat(None)
            for table, text in zip(file.tables(), texts, strict=False):
                rows = as_trained(table, boxes, file)
                yield rows, self._with_zeros(rows, text)
        else:
            for table, text in zip(file.tables(needed_columns(file, boxes)), file.verbatim(), strict=True):
                yield as_trained(table, boxes, file), text

    def _with_zeros(self, rows: Any, texts: Any) -> Any:
        """Keep numbers with leading zeros, such as those of accounts, as texts."""
        for name in self._zeros:
            rows = rows.set_column(rows.column_names.index(name), name, texts[name])
        return rows


def _check_clash(names: Sequence[str], added: Iterable[str], source: str) -> None:
    for name in added:
        if name in names:
            raise Failure(f'{source} has a column "{printable(name)}" already; rename it, or take it out')


def _joined(table: Any, columns: dict[str, Any]) -> Any:
    """Return rows with their predictions."""
    for name, column in columns.items():
        table = table.append_column(name, column)
    return table


def predictions(model: Model, rows: Any, explain: bool, risk: bool = False) -> tuple[dict[str, Any], BoolArray]:
    """Return the columns that a prediction adds, and which rows are flagged."""
    pa = extra("pyarrow")
    name = "predicted" if model.target is None else f"{model.target}_predicted"
    kind = pa.array(list(model.classes)).type  # which a table without rows has too
    view = view_of(model.drawing)
    member = view.boxes.membership(rows)
    points = member @ np.array(view.card.points, dtype=np.int64)
    flagged = np.asarray(points >= view.card.threshold)
    columns = {name: pa.array(model.labels(flagged).tolist(), kind)}
    if view.has_points:
        columns |= {"points": pa.array(points, pa.int64()), "reasons": pa.array(view.reason_texts(member), pa.string())}
    else:
        box = first_box(member)
        columns["box"] = pa.array(box, pa.int64(), mask=box == 0)
    if risk:
        columns["risk"] = pa.array(risk_of(model).risks(rows, model.drawing), pa.float64())
    if explain:
        from boxdraw.model.explain import explain as why

        columns["why"] = pa.array(list(why(model.drawing, rows)["why"]), pa.string())
    return columns, flagged


def _unseen(rows: Any, model: Model) -> Unseen:
    """Find categories that the model does not know: they are in no box that limits them."""
    boxes = boxes_of(model.drawing)
    limited = [j for j, known in enumerate(boxes.categories) if known is not None and boxes.limited[:, j].any()]
    found: Unseen = {}
    for j, places in read_columns(rows, boxes, limited)[1].items():
        unseen = np.flatnonzero(places == UNSEEN)
        name = boxes.feature_names[j]
        if unseen.size and name in rows.column_names:
            values = rows[name].dictionary_encode().take(unseen)  # pyarrow can't take from string views themselves
            found[name] = int(unseen.size), set(map(str, values.unique().to_pylist()))
    return found


def _merge_unseen(found: Unseen, more: Unseen) -> None:
    for name, (n_rows, values) in more.items():
        before, known = found.get(name, (0, set()))
        found[name] = before + n_rows, known | values


def _note_unseen(found: Unseen, quiet: bool) -> None:
    for name, (n_rows, values) in found.items():
        note(
            f'column "{printable(name)}" has categories that were not there in training, in {n_rows} rows: '
            f"{listed(sorted(values))}",
            quiet,
        )

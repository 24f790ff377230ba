"""Fuzzing of tables: CSV, Parquet and Arrow, as the command line, ``predict_table`` and ``fit_table`` read them.

Predictions are compared with the plain implementation, on the cells that Python's own csv module or Arrow's
``to_pylist`` has; CSV files that are read in one piece with those in several.
"""

from __future__ import annotations

import csv
import gzip
import io
import random
import re
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
from _fuzz_arrow import cell, table
from _fuzz_json import boxes
from _fuzz_judge import attempt, expect
from _fuzz_plain import flagged, rows_near
from _fuzz_values import damaged_bytes, damaged_text, encoded, name, text, written

from boxdraw import BoxSet, BoxSetClassifier, FastBoxesClassifier
from boxdraw.cli.predict import predictions
from boxdraw.model.file import Model
from boxdraw.tables import csv as tables_csv
from boxdraw.tables.csv import MISSING_NUMBERS, CsvForm
from boxdraw.tables.source import TableFile, open_file
from boxdraw.tables.trained import as_trained, check_trained, needed_columns, text_features

FIELDS = (
    "", "0", "1", "2", "3", "-1", "1.5", "1e3", "1e999", "-0", "007", "+5", " 4", "4 ", "1,5", "1_0", "0x1F", "NaN",
    "nan", "NA", "null", "inf", "-inf", "true", "false", "True", "yes", "no", "north", "?", "2020-01-01",
    "2020-01-01 10:00:00", "12:00", "9223372036854775807", "9223372036854775808", "1e-320", "é", '"', '""', "a\nb",
    "a\r\nb", "\x00", "'", "x" * 3000,
)  # fmt: skip
NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,15})?")
ENCODINGS = (
    "utf-8", "utf-8", "utf-8", "utf-8", "utf-8-sig", "UTF8", "latin-1", "cp1252", "utf-16", "utf-7", "ascii", "idna",
    "punycode", "raw_unicode_escape", "undefined", "rot13", "base64", "hz", "shift_jis", "no-such", "", "utf-8\x00",
    "é",
)  # fmt: skip


def form(rng: random.Random) -> CsvForm:
    """Draw how a CSV file is said to be written."""
    if rng.random() < 0.6:
        return CsvForm()
    delimiter = rng.choice((",", ",", ";", "\t", "|", " ", ".", "-", "0", "e", "\x1f", "'"))
    missing = tuple(rng.sample(("?", "-", "NA", "north", "0", "é", ""), rng.randrange(3)))
    return CsvForm(delimiter, rng.choice((".", ".", ",")), rng.choice(ENCODINGS), missing)


def csv_text(rng: random.Random, how: CsvForm, columns: list[str], pools: dict[str, list[str]] | None = None) -> str:
    """Draw a CSV; a column draws its fields from its pool, if it has one."""
    lines = [columns, *([field(rng, (pools or {}).get(column)) for column in columns] for _ in range(rng.randrange(8)))]
    if rng.random() < 0.08:
        broken = rng.choice(lines)
        broken[len(broken) if rng.random() < 0.5 else 0 :] = ["more"]
    if rng.random() < 0.15:  # written without any care
        return "\n".join(how.delimiter.join(line) for line in lines)
    out = io.StringIO(newline="")
    quoting = rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC))
    try:
        csv.writer(
            out, delimiter=how.delimiter, quoting=quoting, lineterminator=rng.choice(("\n", "\r\n", "\n\n", "\r"))
        ).writerows(lines)
    except (csv.Error, TypeError, ValueError):
        return "\n".join(",".join(line) for line in lines)
    return ("\ufeff" if rng.random() < 0.05 else "") + out.getvalue()


def field(rng: random.Random, pool: list[str] | None) -> str:
    """Draw a field."""
    draw = rng.random()
    if pool and draw < 0.9:
        return rng.choice(pool)
    return rng.choice(FIELDS) if draw < 0.97 else text(rng, 5)


def pools_of(rng: random.Random, document: Any) -> dict[str, list[str]]:
    """Return fields for each feature of boxes: mostly what the boxes look at."""
    found: dict[str, list[str]] = {}
    rows = rows_near(rng, document, 6)
    for feature in document["features"]:
        cells = [row[feature["name"]] for row in rows]
        found[feature["name"]] = [written_field(value) for value in cells]
    return found


def written_field(value: Any) -> str:
    """Write a value as a CSV has it."""
    if value is None or value != value:
        return ""
    return str(value).lower() if isinstance(value, bool) else repr(value) if isinstance(value, float) else str(value)


def run(rng: random.Random, folder: Path) -> bool:
    """Run a case; return whether the table was read."""
    kind = rng.random()
    if kind < 0.45:
        return _csv_case(rng, folder)
    if kind < 0.7:
        return _parquet_case(rng, folder)
    return _table_case(rng, folder)


def _model(rng: random.Random) -> tuple[Any, Model]:
    """Draw boxes that Arrow's tables can have columns for."""
    while True:
        document = boxes(rng)
        ok, found = attempt(BoxSet.from_json, written(document, ascii_only=True))
        if ok and all(_is_utf8(column) for column in found.feature_names):
            return document, Model(
                found, rng.choice((None, "y", "y", name(rng))), rng.choice(((0, 1), ("no", "yes"), (False, True)))
            )


def _is_utf8(given: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in given)


def _csv_bytes(rng: random.Random, how: CsvForm, document: Any) -> bytes:
    columns = [feature["name"] for feature in document["features"]]
    if rng.random() < 0.3:
        columns += [name(rng) for _ in range(rng.randint(1, 2))]
    rng.shuffle(columns)
    if rng.random() < 0.04:
        columns.pop()
    given = csv_text(rng, how, columns, pools_of(rng, document))
    if rng.random() < 0.1:
        given = damaged_text(rng, given)
    try:
        content = given.encode(how.encoding) if rng.random() < 0.8 else encoded(rng, given)
    except (LookupError, UnicodeError, ValueError):
        content = encoded(rng, given)
    if rng.random() < 0.05:
        content = gzip.compress(content)
    return damaged_bytes(rng, content) if rng.random() < 0.1 else content


def _csv_case(rng: random.Random, folder: Path) -> bool:
    """Read a CSV as ``boxdraw predict`` does, in one piece and in several."""
    document, model = _model(rng)
    how = form(rng)
    path = folder / "data.csv"
    path.write_bytes(_csv_bytes(rng, how, document))
    done, file = attempt(open_file, str(path), how, text_features(model.boxes))
    if not done:
        return False
    done, rows = attempt(_feature_rows, file, model.boxes)
    whole = _flags(model, rows) if done else None
    if whole is not None:
        expect(whole == _plainly(document, model.boxes, rows), "predictions differ from the plain implementation")
        cells = _by_csv_module(file, document)
        expect(
            cells is None or whole == [flagged(document, row) for row in cells], "predictions differ from Python's csv"
        )
    _in_pieces(rng, str(path), how, model, whole)
    return whole is not None


def _feature_rows(file: TableFile, found: BoxSet) -> Any:
    """Return the rows as the boxes need them."""
    check_trained(file, found)
    tables = [file.schema.empty_table(), *file.tables()]
    return as_trained(pa.concat_tables(tables), found, file)


def _flags(model: Model, rows: Any) -> list[bool] | None:
    """Return the predictions of the command line."""
    done, found = attempt(predictions, model, rows, False)
    return found[1].tolist() if done else None


def _plainly(document: Any, found: BoxSet, rows: Any) -> list[bool]:
    """Predict row by row, from the values that Arrow has."""
    by_name = set(found.feature_names) <= set(rows.column_names)
    columns = [_cells(rows[key]) for key in (found.feature_names if by_name else range(rows.num_columns))]
    return [flagged(document, dict(zip(found.feature_names, row, strict=True))) for row in zip(*columns, strict=True)]


def _cells(column: Any) -> list[Any]:
    """Return the values of a column; Python has not all dates that Arrow has, but none of them is in a box."""
    if pa.types.is_temporal(column.type):
        return [None if gone else object() for gone in column.is_null().to_pylist()]
    return list(column.to_pylist())


def _by_csv_module(file: TableFile, document: Any) -> list[dict[str, Any]] | None:
    """Read a CSV of plain numbers and texts with Python; None if there is anything on which readers may differ."""
    if file.csv is None:
        return None
    with file.csv.places[0].open() as opened:
        content, how = opened.read().decode("utf-8").removeprefix("\ufeff"), file.csv.form
    if how.decimal != "." or how.missing or "\r" in content or '"' in content or "\x00" in content:
        return None
    lines = [line for line in csv.reader(io.StringIO(content, newline=""), delimiter=how.delimiter) if line]
    header, *body = lines
    result: list[dict[str, Any]] = []
    for line in body:
        if len(line) != len(header):
            return None
        cells = dict(zip(header, line, strict=True))
        row: dict[str, Any] = {}
        for feature in document["features"]:
            value = cells.get(feature["name"], "\x00")
            known = feature.get("categories")
            if known is not None and known and all(isinstance(item, str) for item in known):
                row[feature["name"]] = value or None
            elif known is None and value in MISSING_NUMBERS:
                row[feature["name"]] = None
            elif known is None and NUMBER.fullmatch(value):
                row[feature["name"]] = float(value)
            else:
                return None
        result.append(row)
    return result


def _in_pieces(rng: random.Random, path: str, how: CsvForm, model: Model, whole: list[bool] | None) -> None:
    """Read a CSV in several pieces; the predictions must be the same."""
    with mock.patch.object(tables_csv, "_BLOCK", rng.choice((64, 300, 2**20))):
        done, file = attempt(open_file, path, how, text_features(model.boxes))
        if done:
            done, _ = attempt(check_trained, file, model.boxes)
        if not done:
            expect(whole is None or not whole, "a CSV is rejected in several pieces, and accepted in one")
            return

        def flags() -> list[bool]:
            found: list[bool] = []
            for piece in file.tables(needed_columns(file, model.boxes)):
                rows = as_trained(piece, model.boxes, file)
                found += predictions(model, rows, False)[1].tolist()
            return found

        done, pieces = attempt(flags)
        expect(not done or whole is None or pieces == whole, f"in several pieces {pieces}, in one {whole}")


def _parquet_case(rng: random.Random, folder: Path) -> bool:
    """Read a Parquet or Arrow file, perhaps a damaged one."""
    document, model = _model(rng)
    rows = table(rng, document["features"])
    suffix = rng.choice((".parquet", ".parquet", ".arrow"))
    path = folder / f"data{suffix}"
    try:
        if suffix == ".arrow":
            pa.feather.write_feather(rows, path, compression="uncompressed")
        else:
            pq.write_table(
                rows, path, row_group_size=rng.choice((1, 3, 1000)), compression=rng.choice(("none", "snappy", "gzip"))
            )
    except (pa.ArrowException, UnicodeError, ValueError, OverflowError):  # a type that the format has not
        return False
    damaged = rng.random() < 0.3
    if damaged:
        path.write_bytes(damaged_bytes(rng, path.read_bytes()))
    whole = None
    if suffix == ".parquet":
        whole = _as_command_line(path, document, model)
    flags = _predict_table(path, folder, model, document)
    expect(
        damaged or whole is None or flags is None or whole == flags, f"the command line {whole}, predict_table {flags}"
    )
    return whole is not None or flags is not None


def _as_command_line(path: Path, document: Any, model: Model) -> list[bool] | None:
    done, file = attempt(open_file, str(path), CsvForm(), text_features(model.boxes))
    done, rows = attempt(_feature_rows, file, model.boxes) if done else (False, None)
    if not done:
        return None
    whole = _flags(model, rows)
    if whole is not None:
        expect(whole == _plainly(document, model.boxes, rows), "predictions differ from the plain implementation")
    return whole


def _predict_table(source: Any, folder: Path, model: Model, document: Any) -> list[bool] | None:
    """Predict a stored table, and read what was written."""
    out = folder / "out.parquet"
    classifier = BoxSetClassifier(model.boxes, classes=model.classes)
    done, summary = attempt(classifier.predict_table, source, out)
    if not done:
        return None
    flags = [box is not None for box in pq.ParquetFile(out).read().column("box").to_pylist()]
    expect(
        summary.flagged == sum(flags) and summary.rows == len(flags), "predict_table counts other rows than it writes"
    )
    out.unlink()
    return flags


def _table_case(rng: random.Random, folder: Path) -> bool:
    """Predict and fit from an Arrow table in memory."""
    document, model = _model(rng)
    rows = table(rng, document["features"])
    classifier = BoxSetClassifier(model.boxes, classes=model.classes)
    done, labels = attempt(classifier.predict, rows)
    flags = _predict_table(rows, folder, model, document)
    if done:
        found = [label == model.classes[1] for label in labels.tolist()]
        expect(flags is None or found == flags, f"predict {found}, predict_table {flags}")
        expect(found == _plainly(document, model.boxes, rows), "predict differs from the plain implementation")
    if rng.random() < 0.3:
        done |= _fit_case(rng, rows)
    return done or flags is not None


def _fit_case(rng: random.Random, rows: Any) -> bool:
    """Fit a table; the boxes must be those of the same rows in memory."""
    target = pa.array([rng.choice(("no", "yes")) for _ in range(rows.num_rows)], pa.string())
    weight = cell(rng, rows.num_rows) if rng.random() < 0.1 else None
    labelled = rows.append_column("the label", target)
    if weight is not None:
        labelled = labelled.append_column("the weight", weight)
    made = {"n_boxes": rng.choice((1, 2)), "negative_weight": 0.5}
    done, stored_fit = attempt(
        FastBoxesClassifier(**made).fit_table,
        labelled,
        target="the label",
        weight=None if weight is None else "the weight",
    )
    if done and weight is None:
        able, plain = attempt(FastBoxesClassifier(**made).fit, rows, target.to_pylist())
        expect(able and plain.boxes_ == stored_fit.boxes_, "fit_table and fit draw different boxes")
    return done

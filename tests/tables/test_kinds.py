"""Columns mean the same in memory and in a stored table, and what is wrong with them is said in the same words."""

import datetime
from contextlib import nullcontext
from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from boxdraw import FastBoxesClassifier
from boxdraw.tables.kinds import Kind, column_kind

from .same import all_large

DAY = datetime.date(2020, 1, 1)
MOMENT = datetime.datetime(2020, 1, 1, 12)
TIME = datetime.time(12)
SPAN = datetime.timedelta(1)


def coded(column):
    return column.dictionary_encode()


def runs(column):
    return pa.RunEndEncodedArray.from_arrays(pa.array([1, 2, 3], pa.int32()), column)


NUMBERS = {
    "int8": pa.array([1, 2, None], pa.int8()),
    "uint64": pa.array([1, 2, None], pa.uint64()),
    "half": pa.array(np.array([1, 2, np.nan], np.float16)),
    "float": pa.array([1, 2, None], pa.float32()),
    "double": pa.array([1.0, 2.0, None]),
    "decimal": pa.array([Decimal("1.5"), Decimal("2.5"), None]),
    "long decimal": pa.array([Decimal("1.5"), Decimal("2.5"), None], pa.decimal256(50, 2)),
    "coded numbers": coded(pa.array([1, 2, None])),
    "numbers in runs": runs(pa.array([1, 2, None])),
    "nothing": pa.nulls(3),
}
FLAGS = {"flags": pa.array([True, False, None]), "coded flags": coded(pa.array([True, False, None]))}
TEXTS = {
    "text": pa.array(["a", "b", None]),
    "large text": pa.array(["a", "b", None], pa.large_string()),
    "coded text": coded(pa.array(["a", "b", None])),
    "text in runs": runs(pa.array(["a", "b", None])),
}
if hasattr(pa, "string_view"):
    TEXTS["text view"] = pa.array(["a", "b", None], pa.string_view())
DATES = {
    "day": pa.array([DAY, DAY, None]),
    "day in ms": pa.array([DAY, DAY, None], pa.date64()),
    "moment": pa.array([MOMENT, MOMENT, None]),
    "moment somewhere": pa.array([MOMENT, MOMENT, None], pa.timestamp("us", "UTC")),
    "time": pa.array([TIME, TIME, None]),
    "time in s": pa.array([TIME, TIME, None], pa.time32("s")),
    "span": pa.array([SPAN, SPAN, None]),
    "interval": pa.array([(1, 2, 3), (1, 2, 3), None], pa.month_day_nano_interval()),
    "coded day": coded(pa.array([DAY, DAY, None])),
}
OTHER = {
    "bytes": pa.array([b"a", b"b", None]),
    "large bytes": pa.array([b"a", b"b", None], pa.large_binary()),
    "one byte": pa.array([b"a", b"b", None], pa.binary(1)),
    "list": pa.array([[1], [2], None]),
    "large list": pa.array([[1], [2], None], pa.large_list(pa.int64())),
    "struct": pa.array([{"a": 1}, {"a": 2}, None]),
    "map": pa.array([[("a", 1)], [("b", 2)], None], pa.map_(pa.string(), pa.int64())),
}
KINDS = {Kind.NUMBERS: NUMBERS, Kind.FLAGS: FLAGS, Kind.TEXTS: TEXTS, Kind.DATES: DATES, Kind.OTHER: OTHER}
COLUMNS = [pytest.param(kind, column, id=name) for kind, columns in KINDS.items() for name, column in columns.items()]
LABELS = [1, 0, 0] * 4


def repeated(column):
    return pa.chunked_array([column] * 4)


def outcome(fit):
    """Return what is known of the column, or the error, in words without the name of the table."""
    try:
        model = fit()
    except (TypeError, ValueError) as error:
        return type(error), str(error).replace(" of X", "")
    return model._encoding.categories[1], model._encoding.missing[1], model.boxes_


def outcomes(column, forced):
    """Return the outcomes of a fit in memory, of a small stored table and of a large one."""
    X = pa.table({"x": np.arange(12.0), "column": repeated(column)})
    table = X.append_column("label", pa.array(LABELS))
    model = FastBoxesClassifier(n_boxes=1, categorical_features=["column"] if forced else None)
    yield outcome(lambda: model.fit(X, LABELS))
    for large in (nullcontext, all_large):
        with large():
            yield outcome(lambda: model.fit_table(table, target="label"))


@pytest.mark.parametrize(("kind", "column"), COLUMNS)
def test_kinds_of_arrow_types(kind, column):
    assert column_kind(column.type) is kind


@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize(("kind", "column"), COLUMNS)
def test_memory_and_stored_tables_agree(kind, column, forced):
    first, *others = outcomes(column, forced)
    assert all(other == first for other in others)
    is_error = isinstance(first[0], type)
    assert is_error == (kind in (Kind.DATES, Kind.OTHER) or (forced and pa.types.is_decimal(column.type)))
    if is_error:
        what = {Kind.DATES: "'column' holds dates or times", Kind.OTHER: "a number or a category in each cell"}
        assert what.get(kind, "column 'column' can't be a feature") in first[1]
        return
    values = [value for value in column.to_pylist() if value is not None and value == value]
    assert first[1]
    if kind is Kind.NUMBERS and not forced:
        assert first[0] is None
    else:
        assert first[0] == tuple(sorted(set(values)))


FRAMES = {
    Kind.NUMBERS: [
        pd.Series([1.5]),
        pd.Series([1], dtype="Int64"),
        pl.Series([1], dtype=pl.UInt8),
        pl.Series([Decimal(1)], dtype=pl.Decimal(5, 1)),
    ],
    Kind.FLAGS: [pd.Series([True]), pd.Series([True, None], dtype="boolean"), pl.Series([True])],
    Kind.TEXTS: [pd.Series(["a"], dtype="string"), pl.Series(["a"])],
    Kind.DATES: [
        pd.to_datetime(pd.Series([MOMENT])),
        pd.Series([pd.Timedelta(1)]),
        pl.Series([DAY]),
        pl.Series([SPAN]),
    ],
    Kind.OTHER: [pl.Series([[1]]), pl.Series([{"a": 1}])],
    Kind.OPEN: [
        pd.Series(["a", 1], dtype=object),
        pd.Series([1, 2], dtype="category"),
        pl.Series(["a"], dtype=pl.Categorical),
        pl.Series([None]),
    ],
}


@pytest.mark.parametrize(
    ("kind", "column"), [(kind, column) for kind, columns in FRAMES.items() for column in columns], ids=str
)
def test_kinds_of_types_of_frames(kind, column):
    assert column_kind(nw.from_native(column, series_only=True).dtype) is kind


def test_dates_among_objects_are_found():
    X = pd.DataFrame({"x": range(3), "day": pd.Series([DAY, None, DAY], dtype=object)})
    with pytest.raises(ValueError, match="Column 'day' of X holds dates or times"):
        FastBoxesClassifier().fit(X, [1, 0, 0])

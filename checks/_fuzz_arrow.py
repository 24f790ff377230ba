"""Arrow columns and tables of every type, for fuzzing."""

from __future__ import annotations

import datetime
import decimal
import random
from typing import Any

import pyarrow as pa
from _fuzz_values import finite, name

WHOLE = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
OTHER = [
    pa.date32(), pa.date64(), pa.time32("s"), pa.time64("ns"), pa.timestamp("s"), pa.timestamp("ns", "UTC"),
    pa.duration("us"), pa.binary(), pa.large_binary(), pa.binary(3), pa.list_(pa.int64()),
    pa.struct([("a", pa.int64())]), pa.map_(pa.string(), pa.int8()), pa.null(), pa.month_day_nano_interval(),
    pa.list_(pa.string(), 2),
]  # fmt: skip
TEXTS = [
    pa.string(),
    pa.large_string(),
    getattr(pa, "string_view", pa.string)(),  # new in pyarrow 16
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.int32(), pa.large_string()),
]
NUMBERS = [
    pa.float64(), pa.float64(), pa.float32(), pa.float16(), pa.decimal128(20, 3), pa.decimal256(50, 2),
    pa.dictionary(pa.int8(), pa.int64()), pa.dictionary(pa.int8(), pa.float64()),
    pa.run_end_encoded(pa.int32(), pa.float64()),
]  # fmt: skip


def table(rng: random.Random, features: list[dict[str, Any]]) -> Any:
    """Draw a table with these features, mostly of types that suit them, and perhaps other columns."""
    count = rng.choice((0, 1, 3, 6))
    columns: list[tuple[str, Any]] = []
    for feature in features:
        columns.append((feature["name"], _column(rng, count, feature.get("categories"))))
    if rng.random() < 0.3:
        columns.append((name(rng), cell(rng, count)))
    if rng.random() < 0.03:
        columns.pop(0)
    rng.shuffle(columns)
    columns = [(key if _is_utf8(key) else "other", column) for key, column in columns]
    return pa.Table.from_arrays([column for _, column in columns], names=[key for key, _ in columns])


def _is_utf8(given: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in given)


def _column(rng: random.Random, count: int, categories: list[Any] | None) -> Any:
    if rng.random() < 0.12:
        return cell(rng, count)
    if categories is None:
        return of_type(rng, count, rng.choice(WHOLE if rng.random() < 0.3 else NUMBERS))
    if categories and all(isinstance(value, bool) for value in categories) and rng.random() < 0.7:
        return of_type(rng, count, pa.bool_())
    if categories and not any(isinstance(value, str) for value in categories) and rng.random() < 0.7:
        return of_type(rng, count, rng.choice(WHOLE))
    known = [value for value in categories if isinstance(value, str) and _is_utf8(value)]
    return of_type(rng, count, rng.choice(TEXTS), known)


def cell(rng: random.Random, count: int) -> Any:
    """Draw a column of any type."""
    return of_type(rng, count, rng.choice(rng.choice((OTHER, OTHER, WHOLE, TEXTS, NUMBERS, [pa.bool_()]))))


def of_type(rng: random.Random, count: int, kind: Any, known: list[str] | None = None) -> Any:
    """Draw a column of a type, with gaps, in one chunk or two."""
    gaps = rng.choice((0.0, 0.2, 1.0)) if rng.random() < 0.5 else 0.0
    if pa.types.is_run_end_encoded(kind):
        return pa.chunked_array([pa.compute.run_end_encode(of_type(rng, count, kind.value_type).combine_chunks())])
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    values = [None if rng.random() < gaps else _value(rng, plain, known) for _ in range(count)]
    try:
        array = pa.array(values, plain)
    except (pa.ArrowException, OverflowError, ValueError):
        array = pa.nulls(count, plain)
    if pa.types.is_dictionary(kind):
        array = array.dictionary_encode().cast(kind)
    cut = rng.randint(0, count) if rng.random() < 0.3 else 0
    return pa.chunked_array([array[:cut], array[cut:]] if cut else [array], type=array.type)


def _value(rng: random.Random, kind: Any, known: list[str] | None) -> Any:
    types = pa.types
    if types.is_integer(kind):
        top = 2 ** (kind.bit_width - types.is_signed_integer(kind))
        low = -top if types.is_signed_integer(kind) else 0
        return rng.choice((0, 1, 2, 3, 5, low, top - 1, rng.randint(max(low, -9), 9)))
    if types.is_floating(kind):
        return rng.choice((0.0, 1.0, -0.0, 2.5, float("nan"), float("inf"), 65504.0, finite(rng), rng.uniform(-5, 5)))
    if types.is_decimal(kind):
        return decimal.Decimal(rng.randint(-99999, 99999)).scaleb(-2)
    if types.is_boolean(kind):
        return rng.random() < 0.5
    if str(kind) in ("string", "large_string", "string_view"):
        given = rng.choice([*known, "unseen"]) if known and rng.random() < 0.8 else name(rng)
        return given if _is_utf8(given) else "other"
    if types.is_binary(kind) or types.is_large_binary(kind):
        return rng.randbytes(rng.randrange(4))
    if types.is_fixed_size_binary(kind):
        return rng.randbytes(3)
    return _moment(rng, kind)


def _moment(rng: random.Random, kind: Any) -> Any:
    types = pa.types
    if types.is_timestamp(kind) or types.is_duration(kind):
        return rng.choice((0, 1, -1, 2**62, -(2**62), 10**12, 253402300800))
    if types.is_date(kind):
        return rng.choice((datetime.date(1, 1, 1), datetime.date(9999, 12, 31), datetime.date(2026, 11, 16)))
    if types.is_time(kind):
        return datetime.time(rng.randrange(24))
    if types.is_struct(kind):
        return {"a": rng.randint(0, 3)}
    if types.is_map(kind):
        return [("a", 1)]
    if types.is_fixed_size_list(kind):
        return ["a", "b"]
    return [1, 2] if types.is_list(kind) else (1, 2, 3) if types.is_interval(kind) else None

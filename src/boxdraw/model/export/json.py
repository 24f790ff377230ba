"""Boxes as JSON: a versioned layout that people can read and edit.

The layout, version 1::

    {
      "format": "boxdraw.boxes",
      "version": 1,
      "features": [
        {"name": "age", "kind": "numeric"},
        {"name": "region", "kind": "categorical", "categories": ["north", "south", "east"]}
      ],
      "boxes": [
        {"limits": [
          {"feature": "age", "lower": 30, "missing": true},
          {"feature": "region", "categories": ["north", "east"]}
        ]}
      ]
    }

``features`` names the columns in their order; categories are text, numbers, true or false. A box is the rows that
meet all its ``limits``. ``lower`` and ``upper`` are part of the box, and one that is absent does not exist, so JSON
never has to write an infinity. Numbers are written with as many digits as it takes to read the same float back.
``categories`` of a limit are those inside the box. A missing value is inside only if the limit has
``"missing": true``; one with ``"only_missing": true`` admits nothing else, and one without any of these,
``{"feature": "age"}``, everything but missing values. The file ``boxes.schema.json`` beside this module says the same
as a JSON Schema.

What is printed is what is applied: the numbers of a file are those of the text and of every export. Files of version
0.1 also have ``shown_lower``, ``shown_upper`` and ``shown_checksum``, short numbers for printing alone; these keys are
accepted and ignored.
"""

from __future__ import annotations

import json
import math
import reprlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from boxdraw.model.boxes import BoxSet
from boxdraw.model.reader import cells_within, check_header, check_keys, kind_of, list_at, read_text
from boxdraw.model.rule import Category, Limit, Rule

__all__ = ["FORMAT", "MODEL_FORMAT", "VERSION", "from_json", "to_json"]

#: What marks a file as ours.
FORMAT = "boxdraw.boxes"
#: What marks a model file, whose boxes are read too; `boxdraw.model.file` documents it.
MODEL_FORMAT = "boxdraw.model"
#: The newest layout that this version of the library reads, and the one it writes.
VERSION = 1

_NUMBERS = ("lower", "upper")
# Version 0.1 wrote short numbers to print beside the limits. They are ignored: what is printed is what is applied.
_OLD = ("shown_lower", "shown_upper")
_FLAGS = ("missing", "only_missing")
_MOST_DIGITS = 40  # of a whole number that is a category


def to_json(boxes: BoxSet) -> str:
    """Write boxes as JSON that `from_json` reads back to the last bit."""
    for name in boxes.feature_names:
        check_text(name, "feature name", "rename the feature")
    features = _block([_dump(_feature(boxes, j)) for j in range(boxes.n_features)], "    ")
    limits = [_block([_dump(limit) for limit in _limits(boxes, k)], "      ") for k in range(boxes.n_boxes)]
    drawn = _block([f'{{"limits": {text}}}' for text in limits], "    ")
    lines = [
        "{",
        f'  "format": {_dump(FORMAT)},',
        f'  "version": {VERSION},',
        f'  "features": {features},',
        f'  "boxes": {drawn}',
        "}",
    ]
    text = "\n".join(lines)
    _check_size(boxes.n_boxes, boxes.n_features, len(text))
    return text


def check_text(text: str, what: str, advice: str = "rename it") -> None:
    """Raise if JSON reads a text back as another one: two halves of a surrogate pair become one character."""
    if json.loads(json.dumps(text)) != text:
        raise ValueError(f"{what} {text!r} cannot be written as JSON: {advice}")


def _feature(boxes: BoxSet, j: int) -> dict[str, Any]:
    """Describe a feature as a JSON object."""
    categories = boxes.categories[j]
    if categories is None:
        return {"name": boxes.feature_names[j], "kind": "numeric"}
    values = [_written(value) for value in categories]
    return {"name": boxes.feature_names[j], "kind": "categorical", "categories": values}


def _written(category: Category) -> Category:
    if isinstance(category, str):
        check_text(category, "category")
    if isinstance(category, int) and abs(category) >= 10**_MOST_DIGITS:
        raise ValueError(f"a category of more than {_MOST_DIGITS} digits cannot be written as JSON: make it text")
    return plain(category) if isinstance(category, float) else category


def _limits(boxes: BoxSet, k: int) -> Iterable[dict[str, Any]]:
    """List the limits of one box as JSON objects."""
    for j in np.flatnonzero(boxes.limited[k]).tolist():
        limit: dict[str, Any] = {"feature": boxes.feature_names[j]}
        allowed = boxes.allowed[k][j]
        if allowed is not None:
            limit["categories"] = [_written(value) for value in boxes.categories[j] or () if value in allowed]
        if boxes.lower[k, j] > boxes.upper[k, j]:
            yield limit | {"only_missing": True}
            continue
        for side, numbers in (("lower", boxes.lower), ("upper", boxes.upper)):
            if math.isfinite(number := float(numbers[k, j])):
                limit[side] = plain(number)
        yield limit | ({"missing": True} if boxes.missing[k, j] else {})


def plain(number: float) -> float:
    """Drop the ``.0`` of whole numbers that ``repr`` writes without an exponent."""
    return int(number) if number.is_integer() and abs(number) < 1e16 else number


def _dump(value: object) -> str:
    """Write one value readably; a lone surrogate, which no file can hold, stays an escape."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _block(items: list[str], indent: str) -> str:
    """Write a list with an item per line."""
    if not items:
        return "[]"
    return "[\n" + ",\n".join(indent + item for item in items) + f"\n{indent[2:]}]"


def from_json(text: str | bytes) -> BoxSet:
    """Read boxes from JSON text; the ValueError for any other text says what is wrong and where."""
    return read_text(text, _boxes, "cannot read boxes from this JSON")


def _boxes(data: Any, size: int) -> BoxSet:
    if isinstance(data, dict) and data.get("format") == MODEL_FORMAT:  # it also says what the labels are called
        if "boxes" not in data and isinstance(data.get("scorecard"), dict):
            from boxdraw.model.export.scorecard import read_card, union_within

            return union_within(read_card(data["scorecard"], size), size)
        if isinstance(data.get("boxes"), dict):
            data = data["boxes"]
    return read_boxes(data, size)


def read_boxes(data: Any, size: int, where: str = "the file") -> BoxSet:
    """Build boxes from what `read_text` parsed, of a text of some length."""
    check_header(data, FORMAT, VERSION)
    check_keys(data, where, required=("format", "version", "features", "boxes"), optional=("shown_checksum",))
    features = [_read_feature(item, f"features[{j}]") for j, item in enumerate(list_at(data, "features", ""))]
    boxes = list_at(data, "boxes", "")
    if not features:
        raise ValueError("features: expected at least one feature, got none")
    known = dict(features)
    if len(known) < len(features):
        twice = next(iter(_repeated(name for name, _ in features)))
        raise ValueError(f"features: the name {reprlib.repr(twice)} appears twice; names must differ")
    _check_size(len(boxes), len(known), size)
    sets = {name: None if values is None else frozenset(values) for name, values in known.items()}
    limits = [_read_limits(box, f"boxes[{k}]", sets) for k, box in enumerate(boxes)]
    rules = [Rule(tuple(_as_limit(name, limit) for name, limit in box.items())) for box in limits]
    categories = {name: values for name, values in known.items() if values is not None}
    return BoxSet.from_rules(rules, known, categories)


def _as_limit(name: str, limit: dict[str, Any]) -> Limit:
    if limit.get("only_missing"):
        return Limit(name, math.inf, -math.inf, missing=True)
    numbers = limit.get("lower", -math.inf), limit.get("upper", math.inf)
    return Limit(name, *numbers, limit.get("categories"), limit.get("missing", False))


def _read_feature(item: Any, where: str) -> tuple[str, tuple[Category, ...] | None]:
    """Read a name and, of a feature that has them, its categories."""
    check_keys(item, where, required=("name", "kind"), optional=("categories",))
    name, kind = item["name"], item["kind"]
    if not isinstance(name, str):
        raise ValueError(f"{where}.name: expected a string, got {kind_of(name)}")
    if kind not in ("numeric", "categorical"):
        raise ValueError(f'{where}.kind: expected "numeric" or "categorical", got {reprlib.repr(kind)}')
    if (kind == "categorical") != ("categories" in item):
        needs = "needs" if kind == "categorical" else "has no"
        raise ValueError(f'{where}: a feature of kind "{kind}" {needs} categories')
    return name, _read_categories(item, where) if kind == "categorical" else None


def _read_categories(item: Any, where: str) -> tuple[Category, ...]:
    listed = list_at(item, "categories", f"{where}.")
    values = [_category(value, f"{where}.categories[{i}]") for i, value in enumerate(listed)]
    for twice in _repeated(values):
        raise ValueError(f"{where}.categories: {reprlib.repr(twice)} appears twice")
    return tuple(values)


def _repeated(values: Iterable[Category]) -> Iterable[Category]:
    """Find what appears again, in the order of the list."""
    seen = set()
    for value in values:
        if value in seen:
            yield value
        seen.add(value)


def _category(value: Any, where: str) -> Category:
    if isinstance(value, str | bool) or (isinstance(value, int) and abs(value) < 10**_MOST_DIGITS):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise ValueError(f"{where}: expected a string, a number of at most {_MOST_DIGITS} digits, true or false")


def _read_limits(box: Any, where: str, known: dict[str, frozenset[Category] | None]) -> dict[str, dict[str, Any]]:
    """Read the limits of one box, by feature."""
    check_keys(box, where, required=("limits",))
    limits: dict[str, dict[str, Any]] = {}
    for i, item in enumerate(list_at(box, "limits", f"{where}.")):
        here = f"{where}.limits[{i}]"
        check_keys(item, here, required=("feature",), optional=(*_NUMBERS, *_FLAGS, "categories", *_OLD))
        name = item["feature"]
        if not isinstance(name, str) or name not in known:
            raise ValueError(f"{here}.feature: {reprlib.repr(name)} is not one of the features")
        if name in limits:
            raise ValueError(f"{here}: the feature {reprlib.repr(name)} has limits already; write both in one object")
        limits[name] = _read_flags(item, here) | _read_limit({key: item[key] for key in _NUMBERS if key in item}, here)
        if "categories" in item:
            limits[name]["categories"] = frozenset(_read_categories(item, here))
        _check_kind(limits[name], known[name], here)
    return limits


def _read_flags(item: dict[str, Any], where: str) -> dict[str, Any]:
    flags = {key: item[key] for key in _FLAGS if key in item}
    for key, value in flags.items():
        if not isinstance(value, bool):
            raise ValueError(f"{where}.{key}: expected true or false, got {kind_of(value)}")
    if flags.get("only_missing") and (flags.get("missing") is False or any(key in item for key in _NUMBERS)):
        raise ValueError(f"{where}: only_missing admits missing values and no numbers; leave the other keys out")
    return flags


def _check_kind(limit: dict[str, Any], known: frozenset[Category] | None, where: str) -> None:
    """Raise if limits do not go with the kind of the feature."""
    if known is None and "categories" in limit:
        raise ValueError(f"{where}: has categories, but the feature is numeric")
    if known is None:
        return
    if any(key in limit for key in (*_NUMBERS, "only_missing")):
        raise ValueError(f"{where}: has limits of a number, but the feature is categorical")
    if unknown := [value for value in limit.get("categories", ()) if value not in known]:
        raise ValueError(f"{where}.categories: {reprlib.repr(unknown[0])} is not one of the feature's categories")
    if limit.get("categories") == frozenset() and not limit.get("missing"):
        raise ValueError(f"{where}: no category and no missing value is inside, so no row can be; leave the box out")


def _read_limit(numbers: dict[str, Any], where: str) -> dict[str, float]:
    numbers = {key: read_number(number, f"{where}.{key}") for key, number in numbers.items()}
    if numbers.get("lower", -np.inf) > numbers.get("upper", np.inf):
        raise ValueError(f"{where}: lower {numbers['lower']} is greater than upper {numbers['upper']}")
    return numbers


def read_number(value: Any, where: str) -> float:
    """Return a number that a float holds."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValueError(f"{where}: expected a number, got {kind_of(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{where}: the number is too large for a float; leave a limit out to have none")
    return number


def _check_size(n_boxes: int, n_features: int, size: int) -> None:
    """Raise if boxes take far more memory than their text."""
    most = cells_within(size)
    if n_boxes * n_features > most:
        raise ValueError(
            f"{n_boxes} boxes on {n_features} features are {n_boxes * n_features} cells, more than the {most} that a "
            f"file of {size} characters may have; leave out the features that no box limits"
        )

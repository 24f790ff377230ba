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
          {"feature": "age", "lower": 30.000000000000004, "shown_lower": 30, "missing": true},
          {"feature": "region", "categories": ["north", "east"]}
        ]}
      ],
      "shown_checksum": "0c2f97d6190afd4a"
    }

``features`` names the columns in their order; categories are text, numbers, true or false. A box is the rows that
meet all its ``limits``. ``lower`` and ``upper`` are part of the box, and one that is absent does not exist, so JSON
never has to write an infinity. Numbers are written with as many digits as it takes to read the same float back.
``categories`` of a limit are those inside the box. A missing value is inside only if the limit has
``"missing": true``; one with ``"only_missing": true`` admits nothing else, and one without any of these,
``{"feature": "age"}``, everything but missing values. The file ``boxes.schema.json`` beside this module says the same
as a JSON Schema.

``shown_lower`` and ``shown_upper`` are the short numbers to print, and default to the limits. They are believed only
while ``shown_checksum`` says that neither they nor their limits were changed: in a file that someone edited, what is
printed is what is applied. To edit a limit, change ``lower`` or ``upper``. The checksum is the first 16 digits of the
SHA-256 of a JSON text in ASCII without spaces: of the list of ``[side, box, feature, limit, shown]`` for each number
that is shown otherwise, first those below (side 0) and then those above (side 1), by box and feature, boxes counted
from 0 and numbers written as `float.hex` does.
"""

from __future__ import annotations

import hashlib
import json
import math
import reprlib
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from boxdraw.model.boxes import BoxSet
from boxdraw.model.rule import Category, Limit, Rule

__all__ = ["FORMAT", "MAX_CELLS", "MODEL_FORMAT", "VERSION", "from_json", "to_json"]

#: What marks a file as ours.
FORMAT = "boxdraw.boxes"
#: What marks a model file of the command line, whose boxes are read too; `boxdraw.cli.model` documents it.
MODEL_FORMAT = "boxdraw.model"
#: The newest layout that this version of the library reads, and the one it writes.
VERSION = 1
#: The most boxes x features: a few bytes per box and per feature must not be able to claim all memory.
MAX_CELLS = 10_000_000

Read = TypeVar("Read")

_NUMBERS = ("lower", "upper", "shown_lower", "shown_upper")
_FLAGS = ("missing", "only_missing")
_MOST_DIGITS = 40  # of a whole number that is a category


def to_json(boxes: BoxSet) -> str:
    """Write boxes as JSON.

    Parameters
    ----------
    boxes : BoxSet
        The boxes to write.

    Returns
    -------
    str
        The text, which `from_json` reads back to the last bit.

    Examples
    --------
    >>> from boxdraw.model.boxes import BoxSet
    >>> inf = float("inf")
    >>> boxes = BoxSet([[0.1 + 0.2]], [[inf]], feature_names=["age"], shown=([[0.3]], [[inf]]))
    >>> print(to_json(boxes))
    {
      "format": "boxdraw.boxes",
      "version": 1,
      "features": [
        {"name": "age", "kind": "numeric"}
      ],
      "boxes": [
        {"limits": [
          {"feature": "age", "lower": 0.30000000000000004, "shown_lower": 0.3}
        ]}
      ],
      "shown_checksum": "8379533f1939e12d"
    }
    """
    _check_size(boxes.n_boxes, boxes.n_features)
    for name in boxes.feature_names:
        # Two halves of a surrogate pair that Python keeps apart are one character to JSON.
        if json.loads(json.dumps(name)) != name:
            raise ValueError(f"feature name {name!r} cannot be written as JSON: rename the feature")
    features = _block([_dump(_feature(boxes, j)) for j in range(boxes.n_features)], "    ")
    limits = [_block([_dump(limit) for limit in _limits(boxes, k)], "      ") for k in range(boxes.n_boxes)]
    drawn = _block([f'{{"limits": {text}}}' for text in limits], "    ")
    checksum = _checksum(boxes)
    return "\n".join(
        [
            "{",
            f'  "format": {_dump(FORMAT)},',
            f'  "version": {VERSION},',
            f'  "features": {features},',
            f'  "boxes": {drawn}' + ("," if checksum else ""),
            *([f'  "shown_checksum": {_dump(checksum)}'] if checksum else []),
            "}",
        ]
    )


def _feature(boxes: BoxSet, j: int) -> dict[str, Any]:
    """Describe a feature as a JSON object."""
    categories = boxes.categories[j]
    if categories is None:
        return {"name": boxes.feature_names[j], "kind": "numeric"}
    values = [_written(value) for value in categories]
    return {"name": boxes.feature_names[j], "kind": "categorical", "categories": values}


def _written(category: Category) -> Category:
    if isinstance(category, str) and json.loads(json.dumps(category)) != category:
        raise ValueError(f"category {category!r} cannot be written as JSON: rename it")
    if isinstance(category, int) and abs(category) >= 10**_MOST_DIGITS:
        raise ValueError(f"a category of more than {_MOST_DIGITS} digits cannot be written as JSON: make it text")
    return _plain(category) if isinstance(category, float) else category


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
        for side, exact, shown in (
            ("lower", boxes.lower, boxes.shown_lower),
            ("upper", boxes.upper, boxes.shown_upper),
        ):
            number, printed = float(exact[k, j]), float(shown[k, j])
            if math.isfinite(number):
                limit[side] = _plain(number)
            if printed != number:
                limit[f"shown_{side}"] = _plain(printed)
        yield limit | ({"missing": True} if boxes.missing[k, j] else {})


def _checksum(boxes: BoxSet) -> str:
    """Return what ties the numbers to print to their limits; nothing where both are the same."""
    differ = ((boxes.shown_lower, boxes.lower), (boxes.shown_upper, boxes.upper))
    cells = [
        [side, k, boxes.feature_names[j], float(exact[k, j]).hex(), float(shown[k, j]).hex()]
        for side, (shown, exact) in enumerate(differ)
        for k, j in np.argwhere(shown != exact).tolist()
    ]
    # As ASCII, in which every language writes the same text.
    text = json.dumps(cells, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16] if cells else ""


def _plain(number: float) -> float:
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
    """Read boxes from JSON text.

    Parameters
    ----------
    text : str or bytes
        What `to_json` wrote, or the same edited by hand. Bytes are decoded as UTF-8.

    Returns
    -------
    BoxSet
        The boxes.

    Raises
    ------
    ValueError
        If the text is anything but such a file; the message says what is wrong and where.

    Examples
    --------
    >>> from boxdraw.model.boxes import BoxSet
    >>> boxes = BoxSet([[1, 2]], [[3, 4]], feature_names=["a", "b"])
    >>> from_json(to_json(boxes)) == boxes
    True
    """
    return read_text(text, _boxes, "boxes")


def read_text(text: str | bytes, build: Callable[[Any], Read], what: str) -> Read:
    """Make something from JSON text; every error says that it cannot be read, and why."""
    try:
        return build(_parse(text))
    except RecursionError:
        raise ValueError(f"cannot read {what} from this JSON: it is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"cannot read {what} from this JSON: {error}") from None


def _parse(text: str | bytes) -> Any:
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"not UTF-8 at byte {error.start}; save it with that encoding") from None
    # Editors on Windows put a mark in front. Whole numbers are read as floats because that is what limits
    # are, and because a float takes a number of any length in its stride.
    return json.loads(
        text.removeprefix("\ufeff"),
        parse_int=_Whole,
        parse_constant=_refuse_constant,
        object_pairs_hook=_unique_keys,
    )


class _Whole(float):
    """A whole number as a float that still knows its digits, because a category may have more than a float holds."""

    def __new__(cls, text: str) -> _Whole:
        number = super().__new__(cls, text)
        number.exact = int(text) if len(text.lstrip("-")) <= _MOST_DIGITS else None
        return number

    exact: int | None


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number in JSON; leave a limit out to have none")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"the key {reprlib.repr(key)} appears twice in one object")
        result[key] = value
    return result


def _boxes(data: Any) -> BoxSet:
    if isinstance(data, dict) and data.get("format") == MODEL_FORMAT:  # it also says what the labels are called
        if "boxes" not in data and isinstance(data.get("scorecard"), dict):
            from boxdraw.model.export.scorecard import read_card

            return read_card(data["scorecard"]).union()
        if isinstance(data.get("boxes"), dict):
            data = data["boxes"]
    return read_boxes(data)


def read_boxes(data: Any, where: str = "the file") -> BoxSet:
    """Make boxes from what `read_text` parsed."""
    check_header(data, FORMAT, VERSION)
    check_keys(data, where, required=("format", "version", "features", "boxes"), optional=("shown_checksum",))
    features = [_read_feature(item, f"features[{j}]") for j, item in enumerate(list_at(data, "features", ""))]
    boxes = list_at(data, "boxes", "")
    if not isinstance(data.get("shown_checksum", ""), str):
        raise ValueError(f"shown_checksum: expected a string, got {kind_of(data['shown_checksum'])}")
    if not features:
        raise ValueError("features: expected at least one feature, got none")
    known = dict(features)
    if len(known) < len(features):
        twice = next(iter(_repeated(name for name, _ in features)))
        raise ValueError(f"features: the name {reprlib.repr(twice)} appears twice; names must differ")
    _check_size(len(boxes), len(known))
    sets = {name: None if values is None else frozenset(values) for name, values in known.items()}
    limits = [_read_limits(box, f"boxes[{k}]", sets) for k, box in enumerate(boxes)]
    rules = [Rule(tuple(_as_limit(name, limit) for name, limit in box.items())) for box in limits]
    categories = {name: values for name, values in known.items() if values is not None}
    result = BoxSet.from_rules(rules, known, categories)
    printed = {"shown_lower": result.lower.copy(), "shown_upper": result.upper.copy()}
    place = {name: j for j, name in enumerate(known)}
    for k, box in enumerate(limits):
        for name, limit in box.items():
            for side in printed.keys() & limit.keys():
                printed[side][k, place[name]] = limit[side]
    as_shown = result._with(np.s_[:], (printed["shown_lower"], printed["shown_upper"]))
    return as_shown if data.get("shown_checksum") == (_checksum(as_shown) or None) else result


def _as_limit(name: str, limit: dict[str, Any]) -> Limit:
    if limit.get("only_missing"):
        return Limit(name, math.inf, -math.inf, missing=True)
    numbers = limit.get("lower", -math.inf), limit.get("upper", math.inf)
    return Limit(name, *numbers, limit.get("categories"), limit.get("missing", False))


def check_header(data: Any, expected: str, newest: int) -> None:
    """Check what every version has, before anything that a newer version may have changed."""
    if not isinstance(data, dict):
        raise ValueError(f"expected an object {{...}}, got {kind_of(data)}")
    marker = data.get("format")
    if marker != expected:
        raise ValueError(f'expected "format": "{expected}", got {reprlib.repr(marker) if marker else "none"}')
    version = data.get("version")
    if not isinstance(version, float) or not version.is_integer() or version < 1:
        raise ValueError(f"version: expected a whole number from 1 on, got {reprlib.repr(version)}")
    if version > newest:
        raise ValueError(
            f"written by a newer boxdraw (format version {version:g}; this one reads up to {newest}): upgrade boxdraw"
        )


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
    if isinstance(value, _Whole) and value.exact is not None:
        return value.exact
    if isinstance(value, str | bool) or (type(value) is float and math.isfinite(value)):
        return value
    raise ValueError(f"{where}: expected a string, a number of at most {_MOST_DIGITS} digits, true or false")


def _read_limits(box: Any, where: str, known: dict[str, frozenset[Category] | None]) -> dict[str, dict[str, Any]]:
    """Read the limits of one box, by feature."""
    check_keys(box, where, required=("limits",))
    limits: dict[str, dict[str, Any]] = {}
    for i, item in enumerate(list_at(box, "limits", f"{where}.")):
        here = f"{where}.limits[{i}]"
        check_keys(item, here, required=("feature",), optional=(*_NUMBERS, *_FLAGS, "categories"))
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
    """Refuse limits that do not go with the kind of the feature."""
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
    for key, number in numbers.items():
        if not isinstance(number, float):
            raise ValueError(f"{where}.{key}: expected a number, got {kind_of(number)}")
        if not math.isfinite(number):
            raise ValueError(f"{where}.{key}: the number is too large for a float; leave a limit out to have none")
    for shown, exact in (("shown_lower", "lower"), ("shown_upper", "upper")):
        if shown in numbers and exact not in numbers:
            raise ValueError(f"{where}: has {shown} but no {exact}")
    if numbers.get("lower", -np.inf) > numbers.get("upper", np.inf):
        raise ValueError(f"{where}: lower {numbers['lower']} is greater than upper {numbers['upper']}")
    return numbers


def check_keys(value: Any, where: str, *, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
    """Refuse what is no object, or lacks keys, or has others."""
    if not isinstance(value, dict):
        raise ValueError(f"{where}: expected an object {{...}}, got {kind_of(value)}")
    missing = [key for key in required if key not in value]
    if missing:
        raise ValueError(f"{where}: lacks {', '.join(missing)}")
    unknown = sorted(set(value) - {*required, *optional})
    if unknown:
        raise ValueError(f"{where}: unknown keys {reprlib.repr(unknown)}; known are {', '.join(required + optional)}")


def list_at(parent: dict[str, Any], key: str, where: str) -> list[Any]:
    """Return a value that has to be a list."""
    value = parent[key]
    if not isinstance(value, list):
        raise ValueError(f"{where}{key}: expected a list [...], got {kind_of(value)}")
    return value


def kind_of(value: object) -> str:
    """Name a value as JSON does."""
    kinds = {dict: "an object", list: "a list", str: "a string", float: "a number", bool: "true or false"}
    return next((name for kind, name in kinds.items() if isinstance(value, kind)), "null")


def _check_size(n_boxes: int, n_features: int) -> None:
    if n_boxes * n_features > MAX_CELLS:
        raise ValueError(
            f"{n_boxes} boxes on {n_features} features are {n_boxes * n_features} cells, more than the "
            f"{MAX_CELLS} that a file may have; leave out the features that no box limits"
        )

"""Boxes as JSON: a versioned layout that people can read and edit.

The layout, version 1::

    {
      "format": "boxdraw.boxes",
      "version": 1,
      "features": [
        {"name": "age", "kind": "numeric"}
      ],
      "boxes": [
        {"limits": [
          {"feature": "age", "lower": 30.000000000000004, "shown_lower": 30}
        ]}
      ],
      "shown_checksum": "c5f2b140dae5034d"
    }

``features`` names the columns in their order. A box is the rows that meet all its ``limits``; ``lower`` and
``upper`` are part of the box, and a limit that is absent does not exist, so JSON never has to write an
infinity. Numbers are written with as many digits as it takes to read the same float back.

``shown_lower`` and ``shown_upper`` are the short numbers to print, and default to the limits. They are believed only
while ``shown_checksum`` says that neither they nor their limits were changed: in a file that someone edited, what is
printed is what is applied. To edit a limit, change ``lower`` or ``upper``.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import reprlib
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from boxdraw.boxes import BoxSet

__all__ = ["FORMAT", "MAX_CELLS", "VERSION", "from_json", "read_source", "to_json", "write_text"]

#: What marks a file as ours.
FORMAT = "boxdraw.boxes"
#: The newest layout that this version of the library reads, and the one it writes.
VERSION = 1
#: The most boxes x features: a few bytes per box and per feature must not be able to claim all memory.
MAX_CELLS = 10_000_000

_NUMBERS = ("lower", "upper", "shown_lower", "shown_upper")


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
    >>> from boxdraw.boxes import BoxSet
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
      "shown_checksum": "f33b5ad8d6e95f58"
    }
    """
    _check_size(boxes.n_boxes, boxes.n_features)
    for name in boxes.feature_names:
        # Two halves of a surrogate pair that Python keeps apart are one character to JSON.
        if json.loads(json.dumps(name)) != name:
            raise ValueError(f"feature name {name!r} cannot be written as JSON: rename the feature")
    features = _block([_dump({"name": name, "kind": "numeric"}) for name in boxes.feature_names], "    ")
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


def _limits(boxes: BoxSet, k: int) -> Iterable[dict[str, str | float]]:
    """List the limits of one box as JSON objects."""
    for j in np.flatnonzero(np.isfinite(boxes.lower[k]) | np.isfinite(boxes.upper[k])):
        limit: dict[str, str | float] = {"feature": boxes.feature_names[j]}
        for side, exact, shown in (
            ("lower", boxes.lower, boxes.shown_lower),
            ("upper", boxes.upper, boxes.shown_upper),
        ):
            number, printed = float(exact[k, j]), float(shown[k, j])
            if math.isfinite(number):
                limit[side] = _plain(number)
            if printed != number:
                limit[f"shown_{side}"] = _plain(printed)
        yield limit


def _checksum(boxes: BoxSet) -> str:
    """Return what ties the numbers to print to their limits; nothing where both are the same."""
    differ = ((boxes.shown_lower, boxes.lower), (boxes.shown_upper, boxes.upper))
    cells = [
        (side, k, boxes.feature_names[j], float(exact[k, j]).hex(), float(shown[k, j]).hex())
        for side, (shown, exact) in enumerate(differ)
        for k, j in np.argwhere(shown != exact).tolist()
    ]
    return hashlib.sha256(repr(cells).encode("utf-8", "surrogatepass")).hexdigest()[:16] if cells else ""


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
    >>> from boxdraw.boxes import BoxSet
    >>> boxes = BoxSet([[1, 2]], [[3, 4]], feature_names=["a", "b"])
    >>> from_json(to_json(boxes)) == boxes
    True
    """
    try:
        return _boxes(_parse(text))
    except RecursionError:
        raise ValueError("cannot read boxes from this JSON: it is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"cannot read boxes from this JSON: {error}") from None


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
        parse_int=float,
        parse_constant=_refuse_constant,
        object_pairs_hook=_unique_keys,
    )


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
    _check_header(data)
    _check_keys(data, "the file", required=("format", "version", "features", "boxes"), optional=("shown_checksum",))
    names = [_feature_name(item, f"features[{j}]") for j, item in enumerate(_list(data, "features", ""))]
    boxes = _list(data, "boxes", "")
    index = {name: j for j, name in enumerate(names)}
    if not names:
        raise ValueError("features: expected at least one feature, got none")
    if len(index) < len(names):
        twice = next(name for j, name in enumerate(names) if index[name] != j)
        raise ValueError(f"features: the name {reprlib.repr(twice)} appears twice; names must differ")
    _check_size(len(boxes), len(names))
    lower = np.full((len(boxes), len(names)), -np.inf)
    upper = np.full_like(lower, np.inf)
    shown: list[tuple[str, tuple[int, int], float]] = []
    for k, box in enumerate(boxes):
        for j, limit in _read_limits(box, f"boxes[{k}]", index).items():
            lower[k, j] = limit.get("lower", -np.inf)
            upper[k, j] = limit.get("upper", np.inf)
            shown += [(side, (k, j), limit[side]) for side in ("shown_lower", "shown_upper") if side in limit]
    if not shown:
        return BoxSet(lower, upper, feature_names=names)
    printed = {"shown_lower": lower.copy(), "shown_upper": upper.copy()}
    for side, cell, number in shown:
        printed[side][cell] = number
    boxes_as_shown = BoxSet(lower, upper, feature_names=names, shown=(printed["shown_lower"], printed["shown_upper"]))
    if data.get("shown_checksum") != _checksum(boxes_as_shown):
        return BoxSet(lower, upper, feature_names=names)
    return boxes_as_shown


def _check_header(data: Any) -> None:
    """Check what every version has, before anything that a newer version may have changed."""
    if not isinstance(data, dict):
        raise ValueError(f"expected an object {{...}}, got {_kind(data)}")
    marker = data.get("format")
    if marker != FORMAT:
        raise ValueError(f'expected "format": "{FORMAT}", got {reprlib.repr(marker) if marker else "none"}')
    version = data.get("version")
    if not isinstance(version, float) or not version.is_integer() or version < 1:
        raise ValueError(f"version: expected a whole number from 1 on, got {reprlib.repr(version)}")
    if version > VERSION:
        raise ValueError(
            f"written by a newer boxdraw (format version {version:g}; this one reads up to {VERSION}): upgrade boxdraw"
        )


def _feature_name(item: Any, where: str) -> str:
    _check_keys(item, where, required=("name", "kind"))
    name, kind = item["name"], item["kind"]
    if not isinstance(name, str):
        raise ValueError(f"{where}.name: expected a string, got {_kind(name)}")
    if kind != "numeric":
        raise ValueError(f'{where}.kind: expected "numeric", got {reprlib.repr(kind)}')
    return name


def _read_limits(box: Any, where: str, index: dict[str, int]) -> dict[int, dict[str, float]]:
    """Read the limits of one box, by the position of their feature."""
    _check_keys(box, where, required=("limits",))
    limits: dict[int, dict[str, float]] = {}
    for i, item in enumerate(_list(box, "limits", f"{where}.")):
        here = f"{where}.limits[{i}]"
        _check_keys(item, here, required=("feature",), optional=_NUMBERS)
        name = item["feature"]
        if not isinstance(name, str) or name not in index:
            raise ValueError(f"{here}.feature: {reprlib.repr(name)} is not one of the features")
        if index[name] in limits:
            raise ValueError(f"{here}: the feature {reprlib.repr(name)} has limits already; write both in one object")
        limits[index[name]] = _read_limit({key: item[key] for key in _NUMBERS if key in item}, here)
    return limits


def _read_limit(numbers: dict[str, Any], where: str) -> dict[str, float]:
    for key, number in numbers.items():
        if not isinstance(number, float):
            raise ValueError(f"{where}.{key}: expected a number, got {_kind(number)}")
        if not math.isfinite(number):
            raise ValueError(f"{where}.{key}: the number is too large for a float; leave a limit out to have none")
    for shown, exact in (("shown_lower", "lower"), ("shown_upper", "upper")):
        if shown in numbers and exact not in numbers:
            raise ValueError(f"{where}: has {shown} but no {exact}")
    if numbers.get("lower", -np.inf) > numbers.get("upper", np.inf):
        raise ValueError(f"{where}: lower {numbers['lower']} is greater than upper {numbers['upper']}")
    return numbers


def _check_keys(value: Any, where: str, *, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
    if not isinstance(value, dict):
        raise ValueError(f"{where}: expected an object {{...}}, got {_kind(value)}")
    missing = [key for key in required if key not in value]
    if missing:
        raise ValueError(f"{where}: lacks {', '.join(missing)}")
    unknown = sorted(set(value) - {*required, *optional})
    if unknown:
        raise ValueError(f"{where}: unknown keys {reprlib.repr(unknown)}; known are {', '.join(required + optional)}")


def _list(parent: dict[str, Any], key: str, where: str) -> list[Any]:
    value = parent[key]
    if not isinstance(value, list):
        raise ValueError(f"{where}{key}: expected a list [...], got {_kind(value)}")
    return value


def _kind(value: object) -> str:
    """Name a value as JSON does."""
    kinds = {dict: "an object", list: "a list", str: "a string", float: "a number", bool: "true or false"}
    return kinds.get(type(value), "null")


def _check_size(n_boxes: int, n_features: int) -> None:
    if n_boxes * n_features > MAX_CELLS:
        raise ValueError(
            f"{n_boxes} boxes on {n_features} features are {n_boxes * n_features} cells, more than the "
            f"{MAX_CELLS} that a file may have; leave out the features that no box limits"
        )


def read_source(source: str | bytes | os.PathLike[str]) -> str | bytes:
    """Get the JSON text from wherever it is.

    Parameters
    ----------
    source : str, bytes or path-like
        Bytes and a str that starts with ``{`` are the text itself; anything else is the path of a file.

    Returns
    -------
    str or bytes
        The text, not yet decoded when it comes from a file.

    Examples
    --------
    >>> read_source('{"format": "boxdraw.boxes"}')
    '{"format": "boxdraw.boxes"}'
    """
    if isinstance(source, bytes):
        return source
    if isinstance(source, str):
        start = source.lstrip("\ufeff \t\r\n")[:1]
        if start == "{":
            return source
        if start in ("", "[", '"') or (start.isdigit() and not Path(source).exists()):
            raise ValueError(f"expected JSON text that starts with {{, or a path; got {reprlib.repr(source)}")
    if isinstance(source, str | os.PathLike):
        return Path(source).read_bytes()
    raise TypeError(f"expected JSON text, bytes or a path, got {type(source).__name__}")


def write_text(path: str | os.PathLike[str], text: str) -> None:
    r"""Write a file so that it is there completely or not at all.

    Parameters
    ----------
    path : str or path-like
        The file. What was there is replaced in one step; a symbolic link is followed.
    text : str
        What to write, as UTF-8.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_text(Path(folder, "boxes.json"), "{}")
    ...     Path(folder, "boxes.json").read_text(encoding="utf-8")
    '{}\n'
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise OSError(f"{os.fspath(path)!r} is not a regular file: give the path of a file to write")
    temporary = target.with_name(f".boxdraw-{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            file.write(f"{text}\n".encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        with suppress(FileNotFoundError):
            temporary.unlink()
        raise

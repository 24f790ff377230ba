"""The reader of JSON that boxes, scorecards, model files and certificates share.

Its time and memory follow the size of the text: keys are checked in one pass, whole numbers have a bounded number of
digits, and `cells_within` bounds what a text may ask to be allocated.
"""

from __future__ import annotations

import json
import math
import reprlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

Read = TypeVar("Read")

#: Longer whole numbers are infinite to every reader: parsing one takes time that grows with the square of its length.
MOST_DIGITS = 1000
#: Cells (boxes x features) that any text may have, and those it may have for each of its characters.
FREE_CELLS, CELLS_PER_CHARACTER = 2_000_000, 10


def read_text(text: str | bytes, build: Callable[[Any, int], Read], failure: str) -> Read:
    """Build something from JSON text and its length; the message of every error begins with ``failure``."""
    try:
        return build(_parse(text), len(text))
    except RecursionError:
        raise ValueError(f"{failure}: it is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"{failure}: {error}") from None


def _parse(text: str | bytes) -> Any:
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"not UTF-8 at byte {error.start}; save it with that encoding") from None
    return json.loads(
        text.removeprefix("\ufeff"),  # editors on Windows put it in front
        parse_int=_whole_number,
        parse_constant=_reject_constant,
        object_pairs_hook=unique_keys,
    )


def _whole_number(text: str) -> float:
    return int(text) if len(text) <= MOST_DIGITS else math.copysign(math.inf, -1 if text[0] == "-" else 1)


def _reject_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number in JSON; leave a limit out to have none")


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object of its keys and values; raise if a key appears twice."""
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"the key {reprlib.repr(key)} appears twice in one object")
        result[key] = value
    return result


def cells_within(n_characters: int) -> int:
    """Return how many cells a text of some length may ask for: a few bytes must not claim all memory."""
    return max(FREE_CELLS, CELLS_PER_CHARACTER * n_characters)


@contextmanager
def within(key: str) -> Iterator[None]:
    """Let the message of an error say which part of the file it is about."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"in {key}: {error}") from None


def check_header(data: Any, expected: str, newest: int) -> None:
    """Check what every version has, before anything that a newer version may have changed."""
    if not isinstance(data, dict):
        raise ValueError(f"expected an object {{...}}, got {kind_of(data)}")
    marker = data.get("format")
    if marker != expected:
        raise ValueError(f'expected "format": "{expected}", got {reprlib.repr(marker) if marker else "none"}')
    version = whole(data.get("version"))
    if version is None or version < 1:
        raise ValueError(f"version: expected a whole number from 1 on, got {reprlib.repr(data.get('version'))}")
    if version > newest:
        raise ValueError(
            f"written by a newer boxdraw (format version {version}; this one reads up to {newest}): upgrade boxdraw"
        )


def check_keys(value: Any, where: str, *, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> None:
    """Raise unless a value is an object with all required keys and no unknown ones."""
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


def whole(value: Any) -> int | None:
    """Return a whole number, written 3 or 3.0, as an int; None for anything else."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def kind_of(value: object) -> str:
    """Name a value as JSON does."""
    kinds = {dict: "an object", list: "a list", str: "a string", bool: "true or false", int | float: "a number"}
    return next((name for kind, name in kinds.items() if isinstance(value, kind)), "null")

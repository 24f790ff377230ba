"""Odd values for fuzzing: names, numbers, JSON trees and their text, and ways to damage all of them.

Everything is drawn from a `random.Random`, so that a seed gives the same case again.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

NAMES = (
    "age", "amount", "x0", "x1", "region", "a b", "a,b", "a;b", 'say "hi"', "it's", "`tick`", "back\\slash",
    "tab\there", "line\nbreak", "cr\r", "nul\x00", "", " ", "SELECT", "select", "def", "None", "nan", "target",
    "feature", "{x}", "%s", "${x}", "--", "/* */", "]]>", "<script>", "&amp;", "|", "é", "e\u0301", "年齢", "ﬁ", "İ",
    "\u202eright", "\u200b", "\U0001f600", "\ud800", "\udc80", "\ufeff", "\u2028", "prediction", "box", "points",
    "a" * 300, "__class__",
)  # fmt: skip

NUMBERS = (
    0, -0.0, 1, -1, 2, 0.1, 0.30000000000000004, 1e-5, 1e16, 1e22, 5e-324, 1e-310, 1.7976931348623157e308, -1e308,
    2**31, 2**53, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 2**64, 10**18, 10**39, 10**40, 722.983587, 1e400, -1e400,
)  # fmt: skip

#: Numbers as only text can have them; most are no JSON.
TOKENS = (
    "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1E+2", "1e-999", "-0", "-0.0", "007", "+1", ".5", "5.",
    "0x10", "1_000", "1" * 41, "9" * 400, "1" * 5000, "1." + "1" * 5000, "1e1000000000", "1e-1000000000", "tru",
    "nul", "'a'", "",
)  # fmt: skip


class Raw(str):
    """Text that stands in the JSON as it is."""


class Pairs(list[tuple[str, Any]]):
    """An object of JSON in which a key may come twice."""


def name(rng: random.Random) -> str:
    """Draw a name, mostly an ordinary one."""
    draw = rng.random()
    if draw < 0.5:
        return rng.choice(NAMES[:8])
    if draw < 0.9:
        return rng.choice(NAMES)
    return text(rng, 12)


def names(rng: random.Random, count: int) -> list[str]:
    """Draw names that all differ."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[name(rng)] = None
    return list(found)


def text(rng: random.Random, length: int) -> str:
    """Draw characters of all kinds."""
    return "".join(character(rng) for _ in range(rng.randrange(length + 1)))


def character(rng: random.Random) -> str:
    """Draw a character."""
    top = rng.choice((128, 128, 128, 0x250, 0x3000, 0xFFFF, 0x10FFFF))
    return chr(rng.randrange(top + 1))


def number(rng: random.Random) -> Any:
    """Draw a number, mostly a small one."""
    draw = rng.random()
    if draw < 0.5:
        return rng.randint(-3, 12)
    if draw < 0.7:
        return round(rng.uniform(-10, 10), rng.randint(0, 6))
    if draw < 0.8:
        return rng.uniform(-1, 1) * 10 ** rng.randint(-300, 300)
    return rng.choice(NUMBERS)


def finite(rng: random.Random) -> float:
    """Draw a number that a float64 holds."""
    return min(max(float(min(max(number(rng), -1e308), 1e308)), -1e308), 1e308)


def category(rng: random.Random) -> Any:
    """Draw a category."""
    draw = rng.random()
    if draw < 0.6:
        return name(rng)
    if draw < 0.8:
        return rng.randint(-2, 5)
    if draw < 0.9:
        return rng.choice((True, False))
    return rng.choice((0.5, 1.0, 2**53 + 1, 10**30, -1, 1e300))


def value(rng: random.Random, depth: int = 2) -> Any:
    """Draw any value of JSON."""
    kind = rng.randrange(8 if depth else 6)
    if kind == 0:
        return None
    if kind == 1:
        return rng.choice((True, False))
    if kind == 2:
        return number(rng)
    if kind == 3:
        return name(rng)
    if kind == 4:
        return Raw(rng.choice(TOKENS))
    if kind == 5:
        return rng.choice(
            ([], {}, "", 0, "numeric", "categorical", "boxdraw.boxes", "boxdraw.model", "boxdraw.scorecard")
        )
    if kind == 6:
        return [value(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {name(rng): value(rng, depth - 1) for _ in range(rng.randrange(4))}


def written(tree: Any, ascii_only: bool = False) -> str:
    """Write a tree as JSON, or as what nearly is JSON."""
    if isinstance(tree, Raw):
        return str(tree)
    if isinstance(tree, dict | Pairs):
        pairs = tree.items() if isinstance(tree, dict) else tree
        return (
            "{"
            + ", ".join(f"{json.dumps(k, ensure_ascii=ascii_only)}: {written(v, ascii_only)}" for k, v in pairs)
            + "}"
        )
    if isinstance(tree, list):
        return "[" + ", ".join(written(item, ascii_only) for item in tree) + "]"
    return json.dumps(tree, ensure_ascii=ascii_only)


Place = tuple[Any, Any]


def places(tree: Any) -> list[Place]:
    """List all places below a tree, as a container and a key."""
    found: list[Place] = []
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        keys = list(part) if isinstance(part, dict) else range(len(part)) if type(part) is list else ()
        for key in keys:
            found.append((part, key))
            waiting.append(part[key])
    return found


def _replace(rng: random.Random, part: Any, key: Any, all_places: list[Place]) -> None:
    part[key] = value(rng)


def _drop(rng: random.Random, part: Any, key: Any, all_places: list[Place]) -> None:
    del part[key]


def _swap(rng: random.Random, part: Any, key: Any, all_places: list[Place]) -> None:
    other, place = rng.choice(all_places)
    part[key], other[place] = json.loads(json.dumps(_plain(other[place]))), json.loads(json.dumps(_plain(part[key])))


def _plain(tree: Any) -> Any:
    """Return what the json module can copy."""
    return None if isinstance(tree, Raw | Pairs) else tree


def _rename(rng: random.Random, part: Any, key: Any, all_places: list[Place]) -> None:
    if isinstance(part, dict):
        part[rng.choice((name(rng), key.upper(), key + " ", "missing", "only_missing", "shown_lower", "upper"))] = (
            part.pop(key)
        )
    else:
        part.insert(key, part[key])


def _twice(rng: random.Random, part: Any, key: Any, all_places: list[Place]) -> None:
    if isinstance(part[key], dict) and part[key]:
        pairs = Pairs(part[key].items())
        part[key] = Pairs([*pairs, (rng.choice(pairs)[0], value(rng))])
    else:
        part[key] = [part[key], part[key]]


def _nest(rng: random.Random, part: Any, key: Any, all_places: list[Place]) -> None:
    depth = rng.choice((1, 2, 50, 900, 3000, 100_000))
    opened, closed = rng.choice((("[", "]"), ('{"a": ', "}"), ("[", "")))
    part[key] = Raw(opened * depth + "1" + closed * depth)


def _number(rng: random.Random, part: Any, key: Any, all_places: list[Place]) -> None:
    part[key] = Raw(rng.choice(TOKENS)) if rng.random() < 0.3 else number(rng)


def _text(rng: random.Random, part: Any, key: Any, all_places: list[Place]) -> None:
    part[key] = text(rng, 20) if rng.random() < 0.5 else name(rng)


_MUTATIONS: tuple[Callable[..., None], ...] = (_replace, _drop, _swap, _rename, _twice, _nest, _number, _number, _text)


def mutated(rng: random.Random, tree: Any, most: int = 3) -> Any:
    """Damage a tree in some places; the tree given is not kept."""
    for _ in range(rng.randint(1, most)):
        all_places = places(tree)
        if not all_places:
            return tree
        part, key = rng.choice(all_places)
        try:
            rng.choice(_MUTATIONS)(rng, part, key, all_places)
        except (TypeError, ValueError, KeyError, IndexError):  # the place is gone, or has something else by now
            continue
    return tree


def damaged_text(rng: random.Random, given: str) -> str:
    """Change some characters of a text."""
    characters = list(given)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(characters) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            characters[place : place + rng.choice((1, 1, 5, 50))] = []
        elif kind == 1:
            characters.insert(place, rng.choice((character(rng), *'{}[]",:\\ \n0e-')))
        elif kind == 2 and place < len(characters):
            characters[place] = character(rng)
        else:
            start = rng.randrange(len(characters) + 1)
            characters[place:place] = characters[start : start + rng.choice((1, 10, 100))]
    return "".join(characters[: rng.randrange(len(characters) + 1)] if rng.random() < 0.1 else characters)


def damaged_bytes(rng: random.Random, given: bytes) -> bytes:
    """Change some bytes."""
    content = bytearray(given)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(content) + 1)
        kind = rng.randrange(5)
        if kind == 0:
            del content[place : place + rng.choice((1, 1, 4, 30))]
        elif kind == 1:
            content[place:place] = rng.randbytes(rng.choice((1, 1, 4)))
        elif kind == 2 and place < len(content):
            content[place] ^= 1 << rng.randrange(8)
        elif kind == 3 and place < len(content):
            content[place] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, 0x22, 0x0A, 0x0D))
        elif rng.random() < 0.2:
            del content[place:]
    return bytes(content)


def encoded(rng: random.Random, given: str) -> bytes:
    """Write text as bytes, mostly in UTF-8."""
    encoding = rng.choice(("utf-8",) * 8 + ("utf-8-sig", "utf-16", "utf-16-le", "latin-1", "cp1252", "utf-7"))
    try:
        return given.encode(encoding)
    except UnicodeEncodeError:
        return given.encode("utf-8", "surrogatepass")

"""Boxes from the sentences that `BoxSet.to_text` writes, perhaps changed by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import PLAIN, printable
from boxdraw.model.rule import Category, Limit, Rule

__all__ = ["from_text"]

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
_CATEGORY = rf'"(?:[^"\\]|\\.)*"|{_NUMBER}|{PLAIN.pattern}'
_TITLE = re.compile(r"\s*(?:Box \d+: )?(?P<rule>.*?)\s*")
_NO_BOXES = "No boxes: no row is flagged"
_ESCAPE = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|.)")


def from_text(
    text: str,
    feature_names: Iterable[str] | None = None,
    categories: Mapping[str, Iterable[Category]] | None = None,
) -> BoxSet:
    """Read boxes from sentences, as `BoxSet.from_text` documents."""
    names = None if feature_names is None else list(feature_names)
    known = {name: list(values) for name, values in (categories or {}).items()}
    conditions = _patterns(names)
    boxes: list[list[Limit]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        found = _TITLE.fullmatch(line)
        rule = found["rule"] if found else ""
        if not rule or rule == _NO_BOXES:
            continue
        limits = [] if rule == "every row" else _limits(rule.split(" and "), conditions)
        if limits is None:
            raise ValueError(f"Line {number} is no rule as BoxSet.to_text writes it: {line.strip()!r}.")
        boxes.append(limits)
    categorical = {*known, *(limit.feature for limits in boxes for limit in limits if _is_set(limit))}
    rules = [Rule(tuple(_as_meant(limit, categorical, known) for limit in limits)) for limits in boxes]
    used = dict.fromkeys([*(name for rule in rules for name in rule.features), *known])
    if not (names or used):
        raise ValueError("The text names no feature: state feature_names.")
    return BoxSet.from_rules(rules, list(used) if names is None else names, known or None)


def _patterns(names: list[str] | None) -> list[tuple[re.Pattern[str], dict[str, str]]]:
    """Return what conditions look like, and the features by the names that are printed."""
    printed = {printable(name): name for name in names or ()}
    name = "|".join(map(re.escape, sorted(printed, key=len, reverse=True))) if names else "[^≤≥=<>]+?"
    forms = [
        r"(?P<name>{name}) is (?P<is>known|missing)",
        r"(?P<low>{number}) (?:≤|<=) (?P<name>{name}) (?:≤|<=) (?P<high>{number})(?P<or> \(or missing\))?",
        r"(?P<name>{name}) (?P<sign>≤|<=|≥|>=|=) (?P<number>{number})(?P<or> \(or missing\))?",
        r"(?P<name>{name}) = (?P<one>{category})(?P<or> \(or missing\))?",
        r"(?P<name>{name}) in \{{(?P<set>{category}(?:, (?:{category}))*)\}}(?P<or> \(or missing\))?",
    ]
    parts = {"name": name, "number": _NUMBER, "category": f"(?:{_CATEGORY})"}
    return [(re.compile(form.format(**parts)), printed) for form in forms]


def _limits(pieces: list[str], conditions: list[tuple[re.Pattern[str], dict[str, str]]]) -> list[Limit] | None:
    """Read conditions from what stands between each "and"; names and categories may have one of their own."""
    if not pieces:
        return []
    for n in range(1, len(pieces) + 1):
        text = " and ".join(pieces[:n])
        for pattern, printed in conditions:
            found = pattern.fullmatch(text)
            rest = _limits(pieces[n:], conditions) if found else None
            if found and rest is not None:
                return [_limit(found.groupdict(), printed), *rest]
    return None


def _limit(found: dict[str, str | None], printed: dict[str, str]) -> Limit:
    name = printed.get(found["name"] or "", found["name"] or "")
    missing = bool(found.get("or"))
    if "is" in found:
        return Limit(name) if found["is"] == "known" else Limit(name, float("inf"), -float("inf"), missing=True)
    if "low" in found:
        return Limit(name, float(found["low"] or 0), float(found["high"] or 0), missing=missing)
    if "number" in found:
        number, sign = float(found["number"] or 0), found["sign"] or ""
        low = number if sign in ("≥", ">=", "=") else -float("inf")
        high = number if sign in ("≤", "<=", "=") else float("inf")
        return Limit(name, low, high, missing=missing)
    texts = re.findall(_CATEGORY, found.get("one") or found.get("set") or "")
    return Limit(name, categories=frozenset(map(_category, texts)), missing=missing)


def _category(text: str) -> Category:
    if text.startswith('"'):
        return _ESCAPE.sub(_unescaped, text[1:-1])
    if text in ("True", "False"):
        return text == "True"
    if re.fullmatch(_NUMBER, text):
        return int(text) if re.fullmatch(r"-?\d+", text) else float(text)
    return text


def _unescaped(found: re.Match[str]) -> str:
    sign = found[0][1]
    return found[0].encode("ascii").decode("unicode_escape") if sign in "xuUntr" else sign


def _is_set(limit: Limit) -> bool:
    return limit.categories is not None


def _as_meant(limit: Limit, categorical: set[str], known: Mapping[str, list[Category]]) -> Limit:
    """Return a limit of a feature of categories as a set: ``= 5`` is one, and so is "is missing"."""
    name, missing = limit.feature, limit.missing
    if name not in categorical or (limit.known and not missing):
        return limit
    if limit.categories is None and limit.lower != limit.upper and limit.lower < limit.upper:
        raise ValueError(f"{name!r} has categories, so it cannot be limited to numbers.")
    values: Iterable[Category] = limit.categories or ([limit.lower] if limit.lower == limit.upper else [])
    own = {value: value for value in known.get(name, [])}
    plain = (int(value) if isinstance(value, float) and value.is_integer() else value for value in values)
    return Limit(name, categories=frozenset(own.get(value, value) for value in plain), missing=missing)

"""Boxes and scorecards as the source of a Python function that needs nothing but Python.

The function takes one row, a mapping of feature names to values. That of boxes returns True where `BoxSet.contains`
does; that of a scorecard, and that of boxes with reasons, a dict of the ``flag``, the ``points`` of a scorecard, the
``risk`` if there is one, and the ``reasons``: the numbers of the boxes that hold the row, those with most points first.
It imports nothing, so it can be pasted into any program. What it promises:

- Numbers are compared as float64, whatever their type: a NumPy float32 or a Decimal is made a float first. Text where
  a number is expected is a TypeError.
- None, NaN and pandas.NA are missing values; pandas is not needed to tell.
- A value that is no category, even a list, is one that no box allows.
- The docstring lists the rules with the short numbers that `to_text` prints; the code has the exact ones.
- Every feature that any box limits has to be in the row, or a KeyError names it. Other keys are ignored.

With a risk by boxes there is a second function, which returns the number that `RiskTable.risks` does.
"""

from __future__ import annotations

import builtins
import keyword
import math
import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from boxdraw.model.export.text import to_text
from boxdraw.model.export.view import View, points_text, view_of
from boxdraw.model.rule import Category, Limit, Rule

if TYPE_CHECKING:
    from boxdraw.model.boxes import BoxSet
    from boxdraw.model.risk import RiskTable
    from boxdraw.model.scorecard import Scorecard

__all__ = ["to_python"]

_WIDTH = 100

_NUMBER = """
    def number(value):
        if type(value) is float:  # as most are
            return value
        if value is None or type(value).__name__ in ("NAType", "NaTType"):
            return float("nan")  # the only number that is not equal to itself
        if isinstance(value, (str, bytes, bytearray)):
            raise TypeError(f"expected a number, got {value!r}")
        return float(value)
"""

# What cannot be hashed or compared is no category, and not missing either.
_CATEGORY = """
    def category(value):
        if type(value) is str:
            return value
        if value is None or type(value).__name__ in ("NAType", "NaTType"):
            return None
        try:
            hash(value)
            return None if value != value else value
        except Exception:
            return object()
"""


def to_python(
    drawing: BoxSet | Scorecard, name: str = "flag", risk: RiskTable | None = None, reasons: bool = False
) -> str:
    """Write a drawing as the source of a Python function, and its risk by boxes as that of another."""
    _check_function_name(name)
    view = view_of(drawing, risk)
    flag = _with_reasons(name, view) if reasons or view.has_points else _flag(name, view)
    if risk is None or risk.boxes is None:
        return flag
    rules, regions = risk.boxes.rules(), enumerate(risk[:-1], start=1)
    branches = [
        (f"Region {i}", rules[k], [f"return {float(region.risk)!r}"]) for i, region in regions for k in region.of
    ]
    what = "Return the risk of a row, a mapping of feature names to values: that of the first region that holds it."
    about = [what, "", *risk.to_text().split("\n")]
    return f"{flag}\n\n{_function(f'{name}_risk', risk.boxes, about, branches, [f'return {view.base!r}'])}"


def _flag(name: str, view: View) -> str:
    """Write a function that says whether a row is in any box."""
    branches = [(f"Box {k}", rule, ["return True"]) for k, rule in enumerate(view.boxes.rules(), start=1)]
    about = ["Say whether a row, a mapping of feature names to values, is in any box.", ""]
    return _function(name, view.boxes, [*about, *to_text(view.boxes).split("\n")], branches, ["return False"])


def _with_reasons(name: str, view: View) -> str:
    """Write a function that returns a dict."""
    rules, points = view.boxes.rules(), view.card.points
    branches = []
    for k in view.order:
        added = [f"points += {points[k]}".replace("+= -", "-= ")] if view.has_points else []
        branches.append((f"Box {k + 1}", rules[k], [*added, f"reasons.append({k + 1})"]))
    found = (
        {"flag": f"points >= {view.card.threshold}", "points": "points"}
        if view.has_points
        else {"flag": "reasons != []"}
    )
    found |= {"risk": _risk(name, view)} if view.risk is not None else {}
    items = ", ".join(f'"{key}": {value}' for key, value in (found | {"reasons": "reasons"}).items())
    about = [f"Return the {', '.join(found)} and reasons of a row, a mapping of feature names to values.", ""]
    about += view.texts or ["No boxes: no row is flagged"]
    about += [f"Alarm from {points_text(view.card.threshold)}."] if view.has_points and points else []
    about += [] if view.risk is None else ["", *view.risk.to_text().split("\n")]
    start = ["points = 0", "reasons = []"] if view.has_points else ["reasons = []"]
    return _function(name, view.boxes, about, branches, [f"return {{{items}}}"], start)


def _risk(name: str, view: View) -> str:
    if not view.by_points:
        return f"{name}_risk(row)"
    return "".join(f"{value!r} if points >= {least} else " for least, value in view.steps) + repr(view.base)


def _function(
    name: str,
    boxes: BoxSet,
    about: list[str],
    branches: list[tuple[str, Rule, list[str]]],
    end: list[str],
    start: Iterable[str] = (),
) -> str:
    """Write a function with lines for the rows that meet a rule, each with a comment, and lines at its end."""
    used = np.flatnonzero(boxes.limited.any(axis=0)).tolist()
    reads = [_read(boxes, j) for j in used]
    lines = [f"def {name}(row):", *_docstring(about)]
    for helper, categorical in ((_NUMBER, False), (_CATEGORY, True)):
        if any((boxes.categories[j] is not None) == categorical for j in used):
            lines += helper.removesuffix("\n").split("\n")
    lines += ["", *reads, ""] if reads else []
    lines += [f"    {line}" for line in start]
    for comment, rule, then in branches:
        lines += [f"    # {comment}", *_box(rule, boxes, then)]
        if not rule.limits and then[-1].startswith("return"):  # what follows would never run
            return "\n".join([*lines, ""])
    return "\n".join([*lines, *(f"    {line}" for line in end), ""])


def _check_function_name(name: str) -> None:
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"name must be an identifier of Python, to be the name of a function; got {name!r}")
    # Python reads some letters as others: a name with ligatures can be one of its own.
    # An interactive Python keeps its last result among them, as _.
    if name != "_" and hasattr(builtins, unicodedata.normalize("NFKC", name)):
        raise ValueError(f"name {name!r} is a name of Python's own, which the function uses: choose another")


def _docstring(about: list[str]) -> list[str]:
    first, *lines = [line.replace("\\", "\\\\").replace('"""', '\\"\\"\\"') for line in about]
    return [
        f'    """{first}',
        *(f"    {line}" if line else "" for line in lines),
        "",
        "    None, NaN and pandas.NA are missing. A feature that a box looks at and the row lacks is a KeyError.",
        '    """',
    ]


def _read(boxes: BoxSet, j: int) -> str:
    helper = "number" if boxes.categories[j] is None else "category"
    return f"    x{j} = {helper}(row[{boxes.feature_names[j]!r}])"


def _box(rule: Rule, boxes: BoxSet, then: list[str]) -> list[str]:
    """Write what happens to the rows of a box."""
    if not rule.limits:
        return [f"    {line}" for line in then]
    places = [boxes.feature_names.index(feature) for feature in rule.features]
    options = [_options(limit, f"x{j}", boxes.categories[j]) for limit, j in zip(rule.limits, places, strict=True)]
    if len(options) == 1:
        return _if(options[0], "or", then)
    return _if([f"({' or '.join(either)})" if len(either) > 1 else either[0] for either in options], "and", then)


def _if(conditions: list[str], operator: str, then: list[str]) -> list[str]:
    line, inside = f"    if {f' {operator} '.join(conditions)}:", [f"        {line}" for line in then]
    if len(line) <= _WIDTH and "\n" not in line:
        return [line, *inside]
    first, *others = conditions
    return ["    if (", f"        {first}", *(f"        {operator} {other}" for other in others), "    ):", *inside]


def _options(limit: Limit, variable: str, known: tuple[Category, ...] | None) -> list[str]:
    """Write the conditions of which a feature has to meet one."""
    missing = f"{variable} != {variable}" if known is None else f"{variable} is None"
    if limit.known:
        return [f"{variable} == {variable}" if known is None else f"{variable} is not None"]
    if limit.lower > limit.upper or limit.categories == frozenset():
        return [missing]
    if limit.categories is not None:
        inside = f"{variable} in {_set(value for value in known or () if value in limit.categories)}"
    else:
        inside = _interval(variable, limit)
    return [inside, missing] if limit.missing else [inside]


def _set(values: Iterable[Category]) -> str:
    items = [_literal(value) for value in values]
    line = f"{{{', '.join(items)}}}"
    if len(line) <= _WIDTH // 2:
        return line
    return "\n".join(["{", *(f"            {item}," for item in items), "        }"])


def _literal(value: Category) -> str:
    """Write a category as what it is to Python, even a member of an enumeration."""
    if isinstance(value, str):
        return str.__repr__(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return int.__repr__(value)
    return repr(value)


def _interval(variable: str, limit: Limit) -> str:
    """Write the limits of a number, at least one of which is finite."""
    if limit.lower == -math.inf:
        return f"{variable} <= {limit.upper!r}"
    if limit.upper == math.inf:
        return f"{variable} >= {limit.lower!r}"
    if limit.lower == limit.upper:
        return f"{variable} == {limit.lower!r}"
    return f"{limit.lower!r} <= {variable} <= {limit.upper!r}"

"""All tables and figures by name."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from paper.data import NotHereError
from paper.plan import Plan

__all__ = ["ARTEFACTS", "artefact", "make_all", "make_one"]

#: Names in the order of the paper, after the long ones, whose cells the others use.
ARTEFACTS = (
    "table-auh",
    "table-trivial",
    "table-exact",
    "figure-boxes",
    "figure-space",
    "figure-ranking",
    "figure-clusters",
    "figure-expansion",
    "figure-minimal-expansion",
    "rules-glass2",
    "bound",
)
#: Further packages that they need, and the extra of boxdraw with each.
_EXTRAS = {"pandas": "datasets", "matplotlib": "plot", "ortools": "exact"}
_OF_METHODS = ("table-auh", "table-trivial", "table-exact", "figure-ranking")


def artefact(name: str) -> Any:
    """Import the module that makes a table or figure."""
    return importlib.import_module(f"paper.{name.replace('-', '_')}")


def make_one(name: str, plan: Plan) -> list[Path]:
    """Make a table or figure."""
    can_have = artefact(name).DATASETS
    others = [] if can_have is None else [key for key in plan.datasets or () if key not in can_have]
    if others:
        raise ValueError(
            f"{name} has no {' or '.join(others)}: it is of {', '.join(can_have)}; leave out --datasets, or name only "
            "these"
        )
    if lacks := _lacking([name], plan if name in _OF_METHODS else None):
        raise ImportError(f"{name} needs {lacks}")
    written: list[Path] = artefact(name).make(plan)
    return written


def make_all(plan: Plan, wrote: Callable[[Path], None]) -> None:
    """Make all tables and figures; skip, with a note, what cannot be made here."""
    left_out = 0
    if lacks := _lacking(ARTEFACTS, plan):
        plan.note(f"not everything can be made here, which needs {lacks}")
    for name in ARTEFACTS:
        try:
            if lacks := _lacking([name]):
                raise ImportError(f"it needs {lacks}")
            for path in artefact(name).make(_for_all(name, plan)):
                wrote(path)
        except (ImportError, NotHereError) as error:
            left_out += 1
            plan.note(f"{name} is left out: {error}")
    if left_out == len(ARTEFACTS):
        raise NotHereError("nothing could be made; the notes say what is missing")


def _lacking(names: Sequence[str], plan: Plan | None = None) -> str | None:
    """Return which packages are missing, also for the plan's methods, and what to install; None if nothing is."""
    needed = {"pandas"}.union(*(artefact(name).NEEDS for name in names))
    absent = [package for package in _EXTRAS if package in needed and importlib.util.find_spec(package) is None]
    if not absent:
        return None
    extras, text = [_EXTRAS[package] for package in absent], ", ".join(absent)
    if methods := [method.title for method in plan.wanted_methods() if method.missing] if plan else []:
        extras.append("baselines")
        text += f", and more for {', '.join(methods)}"
    return f"{text}: pip install 'boxdraw[{','.join(extras)}]'"


def _for_all(name: str, plan: Plan) -> Plan:
    """Return the plan of one table among many, with the wanted data sets that it can have."""
    can_have = artefact(name).DATASETS
    if plan.datasets is None or can_have is None:
        return plan
    wanted = tuple(key for key in plan.datasets if key in can_have)
    if not wanted and len(can_have) > 1:
        raise NotHereError(f"it is of {', '.join(can_have)}, and --datasets names none of them")
    return replace(plan, datasets=wanted or None)

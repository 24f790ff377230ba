"""Plans for small data sets and methods that take no time."""

import pytest

from paper import plan as plan_module

from .small import METHODS, toy


@pytest.fixture
def small(monkeypatch):
    """Have the data sets pima and glass2 of 60 rows each, and five methods."""
    sets = {name: toy(name, seed) for seed, name in enumerate(("pima", "glass2"))}
    monkeypatch.setattr(plan_module, "all_names", lambda: list(sets))
    monkeypatch.setattr(plan_module, "load_those_here", lambda names: ([sets[name] for name in names], {}))
    monkeypatch.setattr(plan_module, "all_methods", lambda: METHODS)
    monkeypatch.setattr(plan_module, "DEFAULT", ("cart", "c45", "prim", "fast_boxes"))
    return sets

"""CP-SAT on levels against brute force on raw rows, and its promises to those who call it."""

import math
import threading
import time
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest

from boxdraw.learners.exact import cp_sat
from boxdraw.learners.exact.cp_sat import CpSat, model_size
from boxdraw.learners.exact.objective import Objective
from boxdraw.learners.exact.problem import presolve

from .fitted import HANG

pytest.importorskip("ortools")


def random_objective(seed):
    """Return few rows on a coarse grid, so that rows are equal, within a class and across, and share coordinates."""
    rng = np.random.default_rng(seed)
    max_boxes = int(rng.integers(1, 4))
    n_positives, n_negatives = int(rng.integers(1, 5 if max_boxes == 3 else 6)), int(rng.integers(0, 9))
    X = rng.integers(0, rng.integers(2, 7), (n_positives + n_negatives, rng.integers(1, 4))) / 2
    return Objective(
        X=X,
        positive=np.arange(len(X)) < n_positives,
        weight=None if seed % 2 else rng.integers(1, 5, len(X)).astype(float),
        negative_weight=Fraction(int(rng.integers(1, 7)), 3),
        box_cost=Fraction(int(rng.integers(0, 5)), 2),
        margin=float(rng.choice([0.0, 0.0, 0.25, 0.5])),
        max_boxes=max_boxes,
    )


def brute_force(objective):
    """Return the best value of all unions of bounding boxes of positives, grown by the margin."""
    rows, margin = objective.X[objective.positive], objective.margin
    subsets = [list(s) for size in range(1, len(rows) + 1) for s in combinations(range(len(rows)), size)]
    boxes = sorted({(*(rows[s].min(axis=0) - margin), *(rows[s].max(axis=0) + margin)) for s in subsets})
    drawings = (d for size in range(objective.max_boxes + 1) for d in combinations(boxes, size))
    return max(objective.value(*raw(d, rows.shape[1])) for d in drawings)


def raw(boxes, n_features):
    both = np.array(boxes, dtype=float).reshape(len(boxes), 2, n_features)
    return both[:, 0], both[:, 1]


def raw_value(objective, problem, boxes):
    """Return the objective of a drawing on levels, counted on raw rows."""
    rows, margin = objective.X[objective.positive], objective.margin
    held = [rows[problem.held_rows(box)] for box in boxes]
    drawn = [(*(r.min(axis=0) - margin), *(r.max(axis=0) + margin)) for r in held]
    return objective.value(*raw(drawn, rows.shape[1]))


class Reports:
    """All that a search reports."""

    def __init__(self, problem, hint=(), *, seed=0):
        self.search = CpSat(problem, hint, seed)
        self.bounds, self.drawings, self.values = [], [], []
        self.begun = threading.Event()

    def solve(self, time_limit=math.inf):
        return self.search.solve(time_limit, self._take_bound, self._take_boxes)

    def _take_bound(self, bound):
        self.begun.set()
        self.bounds.append(bound)

    def _take_boxes(self, boxes, value):
        self.begun.set()
        self.drawings.append([(lo.tolist(), hi.tolist()) for lo, hi in boxes])
        self.values.append(value)
        self.boxes = boxes


def noise(n_positives, n_negatives, max_boxes, seed=0):
    """Return a problem without structure: labels have nothing to do with places."""
    X = np.random.default_rng(seed).integers(0, 30, (n_positives + n_negatives, 3)).astype(float)
    positive = np.arange(len(X)) < n_positives
    objective = Objective(X, positive, None, Fraction(1, 2), Fraction(1), 0.0, max_boxes)
    return presolve(objective, objective.in_points())


def clauses(search):
    """Return the conditions and literals of each constraint: all literals follow, or one of them without conditions."""
    constraints = [(list(c.enforcement_literal), c) for c in search._model.proto.constraints]
    return [(given, list((c.bool_and if given else c.bool_or).literals)) for given, c in constraints]


@pytest.mark.parametrize("block", range(15))
def test_brute_force(block):
    for seed in range(10 * block, 10 * block + 10):
        objective = random_objective(seed)
        scale = objective.in_points()
        problem = presolve(objective, scale)
        optimum = brute_force(objective) / scale.unit
        reports = Reports(problem, seed=seed)
        assert reports.solve()
        assert all(bound >= optimum for bound in reports.bounds)
        assert reports.bounds == sorted(set(reports.bounds), reverse=True)
        assert reports.bounds[-1] == optimum
        assert reports.values == sorted(set(reports.values))
        assert (reports.values or [problem.constant])[-1] == optimum
        if reports.values:
            assert problem.value(reports.boxes) == optimum
            assert raw_value(objective, problem, reports.boxes) == optimum * scale.unit


@pytest.mark.parametrize("seed", range(4))
def test_drawings_are_tight_and_worth_what_is_said(seed):
    problem = noise(14, 20, 3, seed)
    reported = []
    search = CpSat(problem, [], seed)
    assert search.solve(math.inf, lambda bound: None, lambda boxes, value: reported.append((boxes, value)))
    assert reported
    for boxes, value in reported:
        assert len(boxes) <= 3
        assert problem.value(boxes) == value
        for lo, hi in boxes:
            tight = problem.around(problem.positives.inside((lo, hi)))
            np.testing.assert_array_equal(tight, (lo, hi))
            assert lo.dtype == hi.dtype == np.int32


def test_only_drawings_better_than_the_hint_are_reported():
    problem = noise(14, 20, 3)
    first = Reports(problem)
    assert first.solve()
    again = Reports(problem, first.boxes[::-1])
    assert again.solve()
    assert again.values == []
    assert again.bounds[-1] == first.values[-1]


def test_hint_is_taken_up_whole():
    """A hint that breaks no constraint is CP-SAT's first solution."""
    problem = noise(20, 30, 3)
    boxes = [(problem.positives.low[i], problem.positives.high[i]) for i in (3, 0, 7)]
    search = CpSat(problem, boxes, 0)
    hint = search._model.proto.solution_hint
    values = np.array(list(hint.values), dtype=bool)
    assert list(hint.vars) == list(range(len(values)))
    for conditions, literals in clauses(search):
        if conditions:
            assert values[literals].all() or not values[conditions].all()
        else:
            assert any(values[v] if v >= 0 else not values[~v] for v in literals)
    objective = search._model.proto.objective
    cost = np.dot(values[list(objective.vars)], list(objective.coeffs))
    assert objective.scaling_factor * (cost + objective.offset) == problem.value(boxes)


def test_same_seed_same_reports():
    problem = noise(20, 30, 3)
    runs = [Reports(problem, seed=5) for _ in range(2)]
    assert all(run.solve() for run in runs)
    assert runs[0].drawings == runs[1].drawings
    assert runs[0].bounds == runs[1].bounds


def test_clauses_on_pairs_change_no_optimum(monkeypatch):
    problem = noise(14, 20, 2)
    reports = Reports(problem)
    assert reports.solve()
    for name, value in (("_FEW", 10**6), ("_MOST_PAIRS", 4), ("_MOST_WORK", 0)):
        monkeypatch.setattr(cp_sat, name, value)
        other = Reports(problem)
        assert other.solve()
        assert other.values[-1] == reports.values[-1]


@pytest.mark.parametrize(("n_features", "farther_in"), [(2, 1), (40, 3)])  # few are between positives of many features
def test_clauses_on_pairs_name_the_negatives_between_them(n_features, farther_in):
    steps = np.random.default_rng(0).integers(0, 4, (40, 2 * n_features))
    steps[15:] //= farther_in
    expected = []
    for i, j in combinations_with_replacement(range(15), 2):
        between = np.flatnonzero((steps[15:] <= np.maximum(steps[i], steps[j])).all(axis=1)).tolist()
        if 1 <= len(between) <= cp_sat._FEW:
            expected.append((i, j, between))
    found = [(i, j, between.tolist()) for i, j, between in cp_sat._pairs(steps[:15], steps[15:])]
    assert found == expected
    assert found


def test_stops_from_another_thread():
    problem = noise(80, 200, 4)
    reports = Reports(problem)

    def stop():
        reports.begun.wait(HANG)
        reports.search.stop()

    thread = threading.Thread(target=stop)
    thread.start()
    assert not reports.solve()
    thread.join()
    assert reports.begun.is_set()
    assert min(reports.bounds, default=math.inf) >= max(reports.values, default=problem.constant)


def test_stop_before_the_search_begins():
    reports = Reports(noise(80, 200, 4))
    reports.search.stop()
    begin = time.perf_counter()
    assert not reports.solve(HANG)
    assert time.perf_counter() - begin < HANG


@pytest.mark.parametrize("time_limit", [-1.0, 0.0, 0.3])
def test_time_limit(time_limit):
    reports = Reports(noise(80, 200, 4))
    begin = time.perf_counter()
    assert not reports.solve(time_limit)
    assert time.perf_counter() - begin < HANG


def test_prints_nothing(capfd):
    assert Reports(noise(14, 20, 2)).solve()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("max_boxes", [1, 5])
def test_model_size(monkeypatch, max_boxes):
    monkeypatch.setattr(cp_sat, "_MOST_PAIRS", 0)
    problem = noise(40, 60, max_boxes)
    search = CpSat(problem, [], 0)
    size = sum(len(conditions) + len(literals) for conditions, literals in clauses(search))
    assert size / 1.5 <= model_size(problem) <= 1.5 * size

"""Large tables: what goes through them in tiles gives what whole matrices give, and nothing too large is begun."""

import math
import time
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boxdraw import ExactBoxesClassifier
from boxdraw.learners.exact import size, strategies
from boxdraw.learners.exact.certificate import about_data
from boxdraw.learners.exact.column_generation import ColumnGeneration
from boxdraw.learners.exact.cp_sat import CpSat
from boxdraw.learners.exact.drawings import Board
from boxdraw.learners.exact.edges import place_edges
from boxdraw.learners.exact.max_box import MaxBox, Pricing, no_pairs
from boxdraw.learners.exact.objective import Objective
from boxdraw.learners.exact.problem import half_ranges, presolve, within_reach
from boxdraw.learners.exact.progress import Reporter
from boxdraw.learners.exact.selection import select
from boxdraw.learners.exact.sorting import row_order

from . import plain
from .fitted import HANG, assert_true, hard, model

SETTINGS = settings(max_examples=60, deadline=None)
COORDINATES = st.integers(-4, 4).map(lambda k: k / 2)
WEIGHTS = st.sampled_from([1.0, 0.1, 2.5, 3.0, 1 / 3, 1e-7, 1e30, 123456.789])


@pytest.fixture(autouse=True, scope="module")
def small_tiles():
    """Several tiles for a table of some rows."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("objective", "problem", "certificate"):
            patch.setattr(f"boxdraw.learners.exact.{module}.tiles", _by_three)
        yield


def _by_three(n_rows, _):
    return [slice(start, min(start + 3, n_rows)) for start in range(0, n_rows, 3)]


@st.composite
def objectives(draw, missing=True, most_rows=14):
    n, width = draw(st.integers(2, most_rows)), draw(st.integers(1, 3))
    elements = COORDINATES | st.just(math.nan) if missing else COORDINATES
    X = draw(hnp.arrays(draw(st.sampled_from([np.float64, np.float32])), (n, width), elements=elements))
    positive = draw(hnp.arrays(np.bool_, n))
    assume(0 < positive.sum() < n)
    return Objective(
        X,
        positive,
        draw(st.none() | hnp.arrays(np.float64, n, elements=WEIGHTS)),
        draw(st.sampled_from([Fraction(1, 3), Fraction(1), Fraction(0)])),
        draw(st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1)])),
        draw(st.sampled_from([0.0, 0.1, 0.5])),
        draw(st.integers(1, 3)),
    )


@given(objectives())
@SETTINGS
def test_the_presolve_in_tiles_is_that_of_whole_matrices(objective):
    scale = objective.in_points()
    problem = presolve(objective, scale)
    (positives, negatives), n_levels = plain.presolve(objective, scale)
    for rows, (levels, points, _) in ((problem.positives, positives), (problem.negatives, negatives)):
        np.testing.assert_array_equal(np.hstack([rows.low, rows.high]), levels)
        np.testing.assert_array_equal(rows.points, points)
    np.testing.assert_array_equal(problem.of_positive, positives[2])
    np.testing.assert_array_equal(np.column_stack([problem.n_low, problem.n_high]), n_levels)
    assert problem.constant == scale.points[~objective.positive].sum()


@given(objectives())
@SETTINGS
def test_the_negatives_within_reach_are_those_in_the_grown_bounding_box(objective):
    assert within_reach(objective, np.flatnonzero(objective.positive)).tolist() == plain.reached(objective).tolist()


@given(objectives(missing=False), st.data())
@SETTINGS
def test_what_some_positives_reach_is_among_what_all_do(objective, data):
    positives = np.flatnonzero(objective.positive)
    near = within_reach(objective, positives)
    some = np.array(data.draw(st.lists(st.sampled_from(positives.tolist()), min_size=1, unique=True).map(sorted)))
    assert within_reach(objective, some, near).tolist() == within_reach(objective, some).tolist()


@given(objectives())
@SETTINGS
def test_points_are_those_of_fractions(objective):
    scale = objective.in_points()
    found = scale.points.tolist(), scale.box_points, scale.unit, scale.error
    assert found == plain.points(objective)


@given(objectives())
@SETTINGS
def test_the_checksum_of_the_data_is_that_of_whole_matrices(objective):
    assert about_data(objective)["data_checksum"] == plain.checksum(objective)


@given(objectives(missing=False), st.data())
@SETTINGS
def test_limits_go_where_they_go_with_whole_matrices(objective, data):
    held = [data.draw(hnp.arrays(np.bool_, int(objective.positive.sum()))) for _ in range(2)]
    held = [rows for rows in held if rows.any()]
    lower, upper = place_edges(objective, held, "tight")
    wide = lower.copy(), upper.copy()
    for k in range(len(held)):
        plain.widen(objective, wide[0][k], wide[1][k])
    same = np.array_equal(objective.counted(lower, upper), objective.counted(*wide))
    found = place_edges(objective, held, "midway")
    np.testing.assert_array_equal(found, wide if same else (lower, upper))


@given(
    hnp.arrays(np.float64, st.tuples(st.integers(0, 12), st.integers(1, 4)), elements=COORDINATES | st.just(math.nan))
)
@SETTINGS
def test_rows_are_sorted_as_by_lexsort(X):
    order, is_new = row_order(X.T, len(X))
    np.testing.assert_array_equal(order, np.lexsort(X.T[::-1]))
    before = np.vstack([np.full(X.shape[1], 99.0), X[order]])[:-1]
    differs = (X[order] != before) & ~(np.isnan(X[order]) & np.isnan(before))
    np.testing.assert_array_equal(is_new, differs.any(axis=1))


@given(objectives(missing=False, most_rows=12))
@settings(max_examples=25, deadline=None)
@pytest.mark.filterwarnings("ignore:Boxes")
def test_a_box_per_cluster_needs_only_the_negatives_within_reach(objective):
    limits = strategies.Budget(HANG, time.perf_counter() + HANG, 0.0, 0, 1, Reporter(0.0, 0, None))
    scale = objective.in_points()
    found = strategies.per_cluster(objective, scale, limits)
    held = plain.per_cluster(objective, limits)
    expected = strategies._worthwhile(objective, scale, plain.reached(objective), (held, []), limits)
    np.testing.assert_array_equal(found.held, expected.held)
    assert found.bound == expected.bound


@given(objectives(missing=False))
@SETTINGS
def test_half_ranges_in_other_units(objective):
    unit = np.arange(1, objective.X.shape[1] + 1) * 3.0
    np.testing.assert_array_equal(half_ranges(objective.X, unit), half_ranges(objective.X.astype(float) / unit))


@pytest.mark.parametrize("strategy", ["full", "per_cluster"])
@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_of_single_precision_give_the_same_model(strategy, weighted):
    X, y = hard(80)
    X = (X / 7).astype(np.float32)
    weight = np.random.default_rng(0).random(80) if weighted else None
    single, double = (model(strategy=strategy).fit(rows, y, weight) for rows in (X, X.astype(float)))
    assert single.boxes_ == double.boxes_
    assert single.certificate_.data_checksum == double.certificate_.data_checksum
    assert (single.objective_, single.bound_) == (double.objective_, double.bound_)
    assert single.certificate_.verify(X, y, weight)


# What is too large


TOO_LARGE = r"too large for a proof in 1 seconds: \d+ distinct positives with \d+ negatives within their reach"


def large_fit(params, match=TOO_LARGE):
    X, y = hard()
    with pytest.warns(UserWarning, match=match) as caught:
        fitted = model(max_boxes=3, time_limit=1.0, **params).fit(X, y)
    assert [warning.category for warning in caught].count(UserWarning) == 1
    assert fitted.status_ == "time_limit"
    assert fitted.certificate_.bound_method == "counting"
    assert fitted.bound_ == 0.5 * (y == 0).sum() + (y == 1).sum() - 1
    assert fitted.objective_ > 0.5 * (y == 0).sum()
    assert_true(fitted, X, y)
    return str(caught[0].message)


@pytest.mark.parametrize("limit", ["_MOST_BYTES", "_WORDS", "_MOST_PAIRS", "_NEGATIVES"])
@pytest.mark.usefixtures("clock")
def test_what_cannot_be_proven_is_searched_without_proof_and_says_so(monkeypatch, limit):
    monkeypatch.setattr(size, limit, 10)
    message = large_fit({})
    assert "one in" not in message
    for way_out in ("per_cluster", "FastBoxesClassifier", "More time", "fewer rows"):
        assert way_out in message


@pytest.mark.usefixtures("clock")
def test_of_too_many_negatives_within_reach_a_sample_is_searched(monkeypatch):
    monkeypatch.setattr(size, "_CELLS", 100)
    assert " on one in " in large_fit({})


@pytest.mark.parametrize("limit", ["_CELLS", "_WORDS"])
@pytest.mark.usefixtures("clock")
def test_clusters_may_be_too_large_too(monkeypatch, limit):
    monkeypatch.setattr(size, limit, 100)
    large_fit({"strategy": "per_cluster"}, TOO_LARGE.replace("in 1 s", r"in 0.333 s"))


@pytest.mark.usefixtures("clock")
def test_a_sample_never_makes_the_model_worse_than_none(monkeypatch):
    """The one negative of the sample is far from the positives, the others are among them."""
    monkeypatch.setattr(size, "_CELLS", 1)
    X, y = np.r_[[0.0], np.full(30, 5.0), [9.0], np.full(3, 5.0)][:, None], np.r_[np.zeros(31), np.ones(4)]
    X[31] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        fitted = ExactBoxesClassifier(time_limit=1.0, negative_weight=1.0, box_cost=0.5, max_boxes=1).fit(X, y)
    assert fitted.objective_ >= 31
    assert fitted.certificate_.verify(X, y)


def test_a_sample_that_meets_the_bound_on_all_rows_is_optimal():
    objective = Objective(
        np.array([[0.0], [1.0], [2.0]]), np.array([False, True, True]), None, Fraction(1), Fraction(1), 0.0, 1
    )
    everyone = np.ones(2, dtype=bool)
    outcome = strategies.Outcome([everyone], Fraction(2), "time_limit", "", "", sampled=True)
    assert strategies.on_all_rows(objective, outcome, 0.0).status == "optimal"
    loose = strategies.Outcome([everyone], Fraction(5, 2), "optimal", "", "", sampled=True)
    assert strategies.on_all_rows(objective, loose, 0.0).status == "time_limit"
    assert strategies.on_all_rows(objective, loose, 0.3).status == "gap_reached"
    useless = strategies.Outcome([np.array([True, False])], Fraction(5, 2), "interrupted", "", "", sampled=True)
    found = strategies.on_all_rows(objective, useless, 0.0)
    assert (found.held, found.status) == ([], "interrupted")


def test_fast_boxes_starts_from_a_sample_of_each_class_when_time_is_short(monkeypatch):
    X, y = hard()
    objective = Objective(X, y == 1, None, Fraction(1, 2), Fraction(1), 0.0, 2)
    whole = strategies.fast_starts(objective, 60.0)
    monkeypatch.setattr(size, "_FAST_CELLS", 100)
    chosen = strategies._every(objective, 7)
    for rows in (objective.positive, ~objective.positive):
        np.testing.assert_array_equal(np.flatnonzero(chosen & rows), np.flatnonzero(rows)[::7])
    sampled = strategies.fast_starts(objective, 1.0)
    assert [held.shape[1] for _, held in sampled] == [held.shape[1] for _, held in whole]
    assert any(not np.array_equal(a[1], b[1]) for a, b in zip(sampled, whole, strict=True))


# The clock


def problem_of(max_boxes=2):
    X, y = hard(120)
    objective = Objective(X, y == 1, None, Fraction(1, 2), Fraction(1), 0.0, max_boxes)
    return presolve(objective, objective.in_points())


def test_without_time_a_climb_ends_after_one_move_and_a_repair_too():
    problem = problem_of()
    pricing = Pricing(problem.positives.points, problem.negatives.points, no_pairs())
    start = problem.around(np.ones(len(problem.positives.points), dtype=bool))
    hurried, patient = Board(problem, lambda: 0.0), Board(problem)
    ((value, box),) = hurried.climb(pricing, [start])
    assert value == problem.value([box]) - problem.constant + problem.box_points
    assert value < patient.climb(pricing, [start])[0][0]
    drawing = hurried.place([start], 2)
    before = drawing.lo.copy(), drawing.hi.copy()
    assert hurried.improve(drawing, [], 10**6, 0) <= problem.value(hurried.boxes(drawing))
    changed = (drawing.lo != before[0]) | (drawing.hi != before[1])
    assert changed[0].sum() <= 1


def test_without_time_no_model_is_written_and_nothing_is_chosen():
    problem = problem_of()
    search = CpSat(problem, [], 0, lambda: True)
    reports = []
    assert search.solve(60.0, reports.append, lambda *_: reports.append(1)) is False
    assert reports == []
    box = problem.around(np.ones(len(problem.positives.points), dtype=bool))
    assert select(problem, [box], -(10**9), seconds=-1.0, effort=1.0) == (None, False)


def test_before_its_first_solution_column_generation_likes_all_columns_the_same():
    problem = problem_of()
    generation = ColumnGeneration(
        problem, MaxBox(problem), None, Board(problem), lambda *_: [], lambda: 0.0, lambda: True
    )
    boxes = [(low, high) for low, high in zip(problem.positives.low[:3], problem.positives.high[:3], strict=True)]
    generation.take(boxes)
    assert len(generation.likely(10)) == len(generation.master.columns) > 0

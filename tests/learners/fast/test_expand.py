"""The closed form against numerical minima, and final limits against the literal rules."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from boxdraw import FastBoxesClassifier
from boxdraw.learners.fast import expand
from boxdraw.learners.fast.divide import EdgeSums
from boxdraw.learners.fast.expand import critical_weight, minimiser
from boxdraw.learners.fast.exponential import exp
from boxdraw.learners.fast.growth import EDGE, FREE, GROWTHS
from boxdraw.learners.scaling import GRID, Scaling

from . import reference as ref

MOST = np.finfo(np.float64).max


def edge_sums(log_positive, log_negative):
    """The same R+ and R- for a lower and an upper edge."""
    return EdgeSums(np.full((2, 1, 1), math.exp(log_positive)), np.full((2, 1, 1), math.exp(log_negative)))


def revised(tight, log_positive, log_negative, c, beta):
    """The library's minimum for a lower and an upper edge with the same tight limit and sums."""
    sums = edge_sums(log_positive, log_negative)
    mirrored = minimiser(np.array([tight, -tight]).reshape(2, 1, 1), sums, c, beta).ravel()
    return mirrored[0], -mirrored[1]


@given(
    ref.tables(kinds=["continuous"], max_rows=20, max_features=3), st.floats(-3, 3), st.sampled_from([0, 1e-6, 1, 3])
)
@settings(max_examples=60, deadline=None)
def test_closed_form_minimises_the_loss(table, log_c, beta):
    X, y = table
    c = 10.0**log_c
    edges = FastBoxesClassifier(n_boxes=1, pos_label=1).fit(X, y)._edges
    place = minimiser(edges.tight, edges.sums, c, beta) * np.array([1, -1])[:, None, None]
    rows, label = edges.scaling.columns(X).T.tolist(), np.where(y == 1, 0, -1).tolist()
    for side, _, j in np.argwhere(edges.sums.negative).tolist():
        at = ref.loss(rows, np.ones(len(rows)), label, 0, j, side, c, beta)
        found = minimize_scalar(at, bounds=(-25, 25), method="bounded", options={"xatol": 1e-11}).x
        assert place[side, 0, j] == pytest.approx(found, rel=0, abs=1e-7)


@given(
    st.floats(-1, 1),
    st.floats(-5, 40),
    st.floats(-690, 45),
    ref.costs,
    st.sampled_from([0.0, 1e-6, 1.0, 1e6, 1e12]),
)
@settings(max_examples=200, deadline=None)
def test_closed_form_is_the_root_of_the_derivative(tight, log_positive, log_negative, c, beta):
    lower, upper = revised(tight, log_positive, log_negative, c, beta)
    expected = ref.revised_limit(tight, log_positive, log_negative, c, beta, ref.LOWER)
    assert lower == pytest.approx(expected, rel=1e-12, abs=1e-11)
    expected = ref.revised_limit(tight, log_positive, log_negative, c, beta, ref.UPPER)
    assert upper == pytest.approx(expected, rel=1e-12, abs=1e-11)


@given(st.floats(-1, 1), st.floats(-3, 3), st.floats(-3, 3), st.floats(-3, 3), st.floats(0, 20))
@settings(max_examples=60, deadline=None)
def test_closed_form_as_printed(tight, log_positive, log_negative, log_c, beta):
    """Prop. 1 and 2 in the paper's own form, where nothing cancels much."""
    plus, minus, c = math.exp(log_positive), math.exp(log_negative), math.exp(log_c)
    root = math.sqrt(beta**2 + 4 * c * plus * minus)
    lower, upper = revised(tight, log_positive, log_negative, c, beta)
    assert lower == pytest.approx(tight - 1 + math.log((root - beta) / (2 * plus)), abs=1e-7)
    assert upper == pytest.approx(tight + 1 + math.log((beta + root) / (2 * c * minus)), abs=1e-7)


@given(st.floats(-3, 3), st.floats(-3, 3), ref.costs, ref.expansions)
@settings(max_examples=60, deadline=None)
def test_when_an_edge_moves_outward(log_positive, log_negative, c, beta):
    pull = c * math.exp(log_negative)
    push = math.exp(2 + log_positive) + math.e * beta
    lower, upper = revised(0.0, log_positive, log_negative, c, beta)
    if not math.isclose(pull, push, rel_tol=1e-9):
        assert (lower < 0) == (upper > 0) == (pull < push)


def fitted(X, y, weight, hands, noise, **parameters):
    clusterer = ref.Dealer(hands, noise)
    model = FastBoxesClassifier(n_boxes=1, clusterer=clusterer, pos_label=1, round_limits=False, **parameters)
    return model.fit(X, y, sample_weight=weight)


def check_limits(X, y, weight, hands, noise, c, beta, growth):
    model = fitted(X, y, weight, hands, noise, negative_weight=c, expansion=beta, growth=growth)
    found = np.stack(model._edges.limits(c, beta, GROWTHS[growth]))
    mass = np.ones(len(X)) if weight is None else weight
    label = ref.dealt_labels(X, y == 1, mass, hands, noise)
    # a limit that jumps within a rounding error of c may be on either side of the jump
    near = [
        np.array(ref.boxes(X, y == 1, mass, label, cost, beta, growth)).transpose(1, 0, 2)
        for cost in (c, c * (1 - 1e-9), c * (1 + 1e-9))
    ]
    assert found.shape == near[0].shape
    if growth == "nearest_negative":
        np.testing.assert_array_equal(np.where((found == near).any(axis=0), found, near[0]), found)
    else:
        low, high = X.min(axis=0), X.max(axis=0)
        with np.errstate(invalid="ignore"):  # inf - inf
            close = (found == near) | (np.abs(found - near) <= 1e-8 * (high - low))
        assert close.any(axis=0).all(), (found, near[0])
    lower, upper = found
    room = ((lower <= upper) & (lower < np.inf) & (upper > -np.inf)).all(axis=1)
    np.testing.assert_array_equal(model.boxes_.lower, lower[room])
    np.testing.assert_array_equal(model.boxes_.upper, upper[room])


settings_of_limits = st.tuples(
    ref.weight_kinds,
    st.integers(1, 3),
    st.integers(0, 1),
    st.floats(-2, 2).map(lambda exponent: 10.0**exponent),
    st.sampled_from([0.0, 1e-3, 0.3, 1.0, 5.0, 1e6]),
    ref.growths,
)


def deal_and_check(table, weight_kind, hands, noise, c, beta, growth):
    X, y = table
    noise *= len(np.unique(X[y == 1], axis=0)) > 1  # the first point is noise then
    check_limits(X, y, ref.make_weight(weight_kind, len(X), len(X)), hands, noise, c, beta, growth)


@given(ref.tables(kinds=["continuous", "duplicates"], max_rows=20, max_features=3), settings_of_limits)
@settings(max_examples=100, deadline=None)
def test_final_limits(table, parameters):
    deal_and_check(table, *parameters)


@given(ref.tables(kinds=["integers"], max_rows=20, max_features=3), settings_of_limits)
@settings(max_examples=100, deadline=None)
def test_final_limits_with_ties(table, parameters):
    deal_and_check(table, *parameters)


@given(ref.tables(), ref.costs, ref.expansions, st.sampled_from(["nearest_negative", "edge"]), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_boxes_hold_their_clusters(table, c, beta, growth, hands):
    X, y = table
    parameters = {"negative_weight": c, "expansion": beta, "growth": growth}
    model = fitted(X, y, None, hands, 0, **parameters)
    assert (model.predict(X[y == 1]) == 1).all()


def test_limits_by_hand():
    """A box on [2, 3] between negatives at 0, 1 and 5, 9."""
    X, y = np.array([[0.0], [1], [2], [3], [5], [9]]), np.array([0, 0, 1, 1, 0, 0])

    def limits(c, growth):
        model = fitted(X, y, None, 1, 0, negative_weight=c, growth=growth)
        return [limit[0, 0] for limit in model._edges.limits(c, 0.0, GROWTHS[growth])]

    up, down = np.nextafter(1, 2), np.nextafter(5, 4)
    assert limits(1e9, "nearest_negative") == [up, down]
    assert limits(1e-9, "nearest_negative") == [-np.inf, np.inf]
    assert limits(1e9, "edge") == pytest.approx([2, 3])
    assert limits(1e-9, "edge") == [-np.inf, np.inf]
    assert limits(1e9, "free") == [np.inf, -np.inf]
    # R+ = 1/e and R- = exp(1 - 2/9) + exp(1 - 4/9) below, so l_r = 2/9 * (l_s - 1 + log(c R- / R+) / 2)
    sums = math.exp(1 - 2 / 9) + math.exp(1 - 4 / 9)
    expected = 2 + 9 / 2 * (-1 + math.log(2 * sums * math.e) / 2)
    assert limits(2.0, "free")[0] == pytest.approx(expected)


def test_the_negative_at_the_very_end_of_the_range_stops_an_edge():
    """Only an edge at the end of the range, or beyond it, has no limit."""
    X, y = np.array([[0.0], [1], [2], [3]]), np.array([0, 1, 1, 0])
    model = fitted(X, y, None, 1, 0, negative_weight=2.0)
    assert model.boxes_.lower.item() == np.nextafter(0, 1)
    assert model.boxes_.upper.item() == np.nextafter(3, 2)


def test_no_pull_no_limit():
    for beta in (0.0, 1.0):
        assert revised(0.5, -1.0, -math.inf, 1.0, beta) == (-math.inf, math.inf)


@given(st.floats(-690, 300), st.floats(-690, 300), ref.expansions)
@settings(max_examples=60, deadline=None)
def test_settling_on_a_limit_takes_few_steps(log_positive, log_negative, beta):
    """However small or large the sums are."""
    X, y = np.array([[0.0], [1], [2], [3]]), np.array([0, 1, 1, 0])
    edges = fitted(X, y, None, 1, 0, growth="edge")._edges
    evaluate, calls = expand.critical_weight, []

    def counted(*arguments):
        calls.append(1)
        assert len(calls) < 200, "the search for the limit does not end"
        return evaluate(*arguments)

    # a cost that puts the edge half way to the end of the range: t = exp(2/3) there
    t = math.exp(2 / 3)
    log_c = math.log(t) + np.logaddexp(log_positive + math.log(t), math.log(beta) if beta else -math.inf) - log_negative
    assume(-700 < log_c < 700)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expand, "critical_weight", counted)
        lower, upper = replace(edges, sums=edge_sums(log_positive, log_negative)).limits(math.exp(log_c), beta, EDGE)
    assert lower.item() == pytest.approx(0.5, abs=1e-9)
    assert upper.item() == pytest.approx(2.5, abs=1e-9)


@pytest.mark.parametrize("scale", [1.0, 1e-200, 1e6, 1e200])
@pytest.mark.parametrize("growth", ["edge", "free"])
def test_raw_limits_are_the_last_numbers_inside_and_found_in_few_steps(scale, growth):
    """The next number outwards is outside; bisection starts near by, or it would take some 60 steps."""
    calls, coordinate = [], Scaling.coordinate
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = scale * (rng.normal(size=(50, 3)) + 7 * (seed % 2))
        edges = fitted(X, (rng.random(50) < 0.3).astype(int), None, 2, 0, growth=growth)._edges
        for c in (0.3, 1.0, 3.0):
            target = edges.targets(c, 0.5, GROWTHS[growth])
            calls.clear()
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(Scaling, "coordinate", lambda *given: calls.append(1) or coordinate(*given))
                lower, upper = edges._raw_limits(target)
            assert len(calls) <= 20
            for sign, limit, wanted in ((1, lower, target[0]), (-1, -upper, target[1])):
                finite = np.isfinite(limit)
                for place, is_inside in ((limit, True), (np.nextafter(limit, -np.inf), False)):
                    scaled = sign * coordinate(edges.scaling, sign * np.where(finite, place, 0.0), np.s_[None])
                    assert ((scaled >= wanted) == is_inside)[finite].all()
            low, high = edges.scaled_range()
            np.testing.assert_array_equal(lower == -np.inf, target[0] <= low[0])
            np.testing.assert_array_equal(upper == -np.inf, target[1] > high[1])


@pytest.mark.parametrize("growth", ["nearest_negative", "edge", "free"])
def test_the_ceiling_is_above_every_finite_weight_and_not_far(growth):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 2)), (rng.random(60) < 0.3).astype(int)
    model = fitted(X, y, None, 2, 0, growth=growth, expansion=0.5)
    rows = rng.uniform(-4, 4, (4000, 2))
    critical = model.critical_weight(np.concatenate([X, rows]))
    highest, ceiling = critical[np.isfinite(critical)].max(), model._edges.ceiling(0.5, GROWTHS[growth])
    assert highest < ceiling < np.inf
    # the farthest inside is the end of the data for boxes that may shrink, or else the tight limit
    edges = model._edges
    farthest = edges.scaled_range()[1] if growth == "free" else edges.tight
    t = np.exp(farthest - edges.tight + 1)
    with np.errstate(divide="ignore"):
        there = t * (edges.sums.positive * t + 0.5) / edges.sums.negative
    assert ceiling == pytest.approx(math.e * max(1.0, there[np.isfinite(there)].max()))


def test_the_ceiling_without_negatives_in_the_way_or_with_huge_weights():
    X, y = np.array([[0.0], [1], [2], [3]]), np.array([0, 1, 1, 0])
    edges = fitted(X, y, None, 1, 0, growth="edge")._edges
    assert replace(edges, sums=edge_sums(0.0, -math.inf)).ceiling(0.0, EDGE) == pytest.approx(math.e)
    assert replace(edges, sums=edge_sums(300.0, -407.0)).ceiling(0.0, EDGE) == np.finfo(np.float64).max


def test_cuts_are_lower_limits_and_the_numbers_after_upper_ones():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), (rng.random(60) < 0.3).astype(int)
    edges = fitted(X, y, None, 2, 0, growth="edge")._edges
    lower, upper = edges.limits(1.0, 0.5, EDGE)
    cuts = edges.cuts(1.0, 0.5, EDGE)
    np.testing.assert_array_equal(cuts[:2], lower)
    np.testing.assert_array_equal(cuts[2:], np.nextafter(upper, np.inf))


def test_ordinals_count_the_floats():
    """One after the other, across zero and the ends of the range, which bisection relies on."""
    starts = [-MOST, -1.0, -5e-324, 0.0, 5e-324, 1.0, np.nextafter(MOST, 0)]
    starts += (np.random.default_rng(0).normal(size=50) * 10.0 ** np.arange(-25, 25)).tolist()
    values = np.array(starts)
    following = np.nextafter(values, np.inf)
    np.testing.assert_array_equal(expand._ordinal(following) - expand._ordinal(values), 1)
    assert expand._ordinal(np.array([0.0, -0.0])).tolist() == [0, 0]
    back = expand._from_ordinal(expand._ordinal(values))
    np.testing.assert_array_equal(back, values)
    np.testing.assert_array_equal(np.signbit(back), np.signbit(values))  # zero comes back as 0, not as -0
    assert (np.diff(expand._ordinal(np.sort(values))) > 0).all()


@pytest.mark.parametrize("expansion", [0.0, 0.5])
def test_targets_are_the_least_steps_of_the_grid_that_are_inside(expansion):
    """Where no step of the data's range is inside, they are one step beyond it; where all are, its first."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(40, 3)), (rng.random(40) < 0.3).astype(int)
    edges = fitted(X, y, None, 2, 0, growth="free")._edges
    low, high = (np.broadcast_to(end, edges.tight.shape) for end in edges.scaled_range())

    def is_inside(place, c):
        t = exp(place - edges.tight + 1)
        return critical_weight(t, edges.sums.positive, edges.sums.negative, expansion) >= c

    at_low, at_high = (
        critical_weight(exp(end - edges.tight + 1), edges.sums.positive, edges.sums.negative, expansion)
        for end in (low, high)
    )
    turns = np.concatenate([at_low, at_high]).ravel()
    turns = turns[np.isfinite(turns) & (turns > 0)]
    for c in (*np.geomspace(1e-3, 1e3, 25), *turns, *np.nextafter(turns, 0), *np.nextafter(turns, np.inf)):
        target = edges.targets(c, expansion, FREE)
        assert ((low <= target) & (target <= high + GRID)).all()
        np.testing.assert_array_equal(target > high, ~is_inside(high, c))
        assert is_inside(target, c)[target <= high].all()
        assert not is_inside(target - GRID, c)[target > low].any()

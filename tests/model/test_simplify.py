import math
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw.model.boxes import BoxSet
from boxdraw.model.rule import Limit, Rule
from boxdraw.model.simplify import Change, needed_limits, simplify

from .export.cases import random_boxes, random_rows
from .test_explain import records, unmet

INF = math.inf
seeds = st.integers(0, 2**32 - 1)


# the meaning of boxes and of the objective, in plain Python


def flags(boxes, X):
    return [any(not unmet(rule, row) for rule in boxes.rules()) for row in records(X)]


def objective(flagged, positive, weight, negative_weight):
    signs = [1 if label else -Fraction(negative_weight) for label in positive]
    return sum(Fraction(w) * sign for inside, w, sign in zip(flagged, weight, signs, strict=True) if inside)


def n_limits(boxes):
    """Count as people do: each box, and each number or set of categories."""
    finite = np.isfinite(boxes.lower).astype(int) + np.isfinite(boxes.upper)
    return len(boxes) + int(np.where(boxes.limited, np.maximum(finite, 1), 0).sum())


def case(seed, weights=True):
    rng = np.random.default_rng(seed)
    boxes = random_boxes(rng)
    X = random_rows(rng, boxes, int(rng.integers(2, 40)))
    # Mostly the labels that the boxes were made for, so that not all limits are worth nothing.
    y = (boxes.contains(X) ^ (rng.random(len(X)) < rng.choice([0, 0.1, 0.5]))).astype(int)
    y[:2] = 0, 1
    # Eighths add up without rounding, so that equal sums are equal.
    weight = rng.integers(0, 17, len(X)) / 8 if weights else np.ones(len(X))
    return rng, boxes, X, y, weight


def simpler_by_one_step(boxes):
    """Every drawing with a box or a limit less, made by the methods of a user."""
    for k, rule in enumerate(boxes.rules()):
        yield boxes.drop_box(k)
        for limit in rule.limits:
            yield boxes.drop_limit(k, limit.feature)
            if -INF < limit.lower <= limit.upper < INF:
                yield boxes.replace(k, limit.feature, lower=-INF)
                yield boxes.replace(k, limit.feature, upper=INF)


# any boxes and rows


@settings(deadline=None)
@given(seeds, st.sampled_from([0, 0.125, 1, 2.5, 10]), st.sampled_from([0, 0.5, 1, 3]))
def test_the_loss_is_what_it_says_and_at_most_what_is_allowed(seed, max_loss, negative_weight):
    _, boxes, X, y, weight = case(seed)
    made, changes = simplify(
        boxes, X, y, max_loss=max_loss, negative_weight=negative_weight, sample_weight=weight, pos_label=1
    )
    before, after = (flags(drawing, X) for drawing in (boxes, made))
    fallen = objective(before, y, weight, negative_weight) - objective(after, y, weight, negative_weight)
    assert fallen <= max_loss
    assert sum(change.loss for change in changes) == fallen
    assert sum(after) - sum(before) == sum(change.flagged - change.freed for change in changes)
    positives = sum(change.flagged_positives - change.freed_positives for change in changes)
    assert sum(y[after]) - sum(y[before]) == positives
    assert n_limits(made) <= n_limits(boxes) - len(changes)
    assert len(made) <= len(boxes)


@settings(deadline=None)
@given(seeds, st.sampled_from([0, 0.5, 2]))
def test_it_ends_only_when_every_step_would_cost_too_much(seed, max_loss):
    _, boxes, X, y, weight = case(seed, weights=False)
    made, _ = simplify(boxes, X, y, max_loss=max_loss, negative_weight=1, pos_label=1)
    best = objective(flags(boxes, X), y, weight, 1)
    for simpler in simpler_by_one_step(made):
        assert objective(flags(simpler, X), y, weight, 1) < best - max_loss


def merged(boxes, k, other):
    """The smallest box around two, in the place of the first."""
    rules = boxes.rules()
    pairs = [(a, b) for a in rules[k].limits for b in rules[other].limits if a.feature == b.feature]
    hulls = [
        Limit(
            a.feature,
            min(a.lower, b.lower),
            max(a.upper, b.upper),
            None if a.categories is None or b.categories is None else a.categories | b.categories,
            a.missing or b.missing,
        )
        for a, b in pairs
    ]
    rules[k] = Rule(tuple(hulls))
    known = {n: c for n, c in zip(boxes.feature_names, boxes.categories, strict=True) if c is not None}
    return BoxSet.from_rules(rules, boxes.feature_names, known).drop_box(other)


def plain_greedy(boxes, X, y, weight, max_loss):
    """The same greedy steps, each drawing evaluated from scratch."""
    now, first = boxes, objective(flags(boxes, X), y, weight, 1)
    while True:
        flagged = flags(now, X)
        drops = [now.drop_box(k) for k in range(len(now))]
        if needless := [drop for drop in drops if flags(drop, X) == flagged]:
            now = min(needless, key=n_limits)
            continue
        boxes_less = drops + [drawing for drawing in simpler_by_one_step(now) if len(drawing) == len(now)]
        pairs = [(k, other) for k in range(len(now)) for other in range(k + 1, len(now))]
        costs = []
        for place, drawing in enumerate(boxes_less + [merged(now, *pair) for pair in pairs]):
            after, saved = flags(drawing, X), n_limits(now) - n_limits(drawing)
            value = objective(after, y, weight, 1)
            if first - value <= max_loss:
                rate = (objective(flagged, y, weight, 1) - value) / saved
                costs.append((rate, sum(a != b for a, b in zip(after, flagged, strict=True)), -saved, place, drawing))
        if not costs:
            return now
        now = min(costs, key=lambda cost: cost[:4])[4]


@settings(deadline=None, max_examples=50)
@given(seeds, st.sampled_from([0, 0.5, 2]))
def test_each_step_costs_least_for_what_it_saves(seed, max_loss):
    _, boxes, X, y, weight = case(seed)
    made, _ = simplify(boxes, X, y, max_loss=max_loss, negative_weight=1, sample_weight=weight, pos_label=1)
    assert made == plain_greedy(boxes, X, y, weight.tolist(), max_loss)


@settings(deadline=None, max_examples=50)
@given(seeds)
def test_boxes_that_are_not_to_be_merged(seed):
    _, boxes, X, y, weight = case(seed)
    made, changes = simplify(boxes, X, y, negative_weight=1, sample_weight=weight, pos_label=1, merge=False)
    assert all(change.kind != "merge boxes" for change in changes)
    for rule in made.rules():  # each is one of the boxes given, with fewer limits
        assert any(
            all(any(_is_part(limit, other) for other in given.limits) for limit in rule.limits)
            for given in boxes.rules()
        )


def _is_part(limit, other):
    return (limit.feature, limit.categories, limit.missing) == (other.feature, other.categories, other.missing) and (
        limit.lower in (-INF, other.lower) and limit.upper in (INF, other.upper)
    )


def test_needed_limits_of_a_matrix():
    """The second box holds no positive; a missing value is inside any limit of a matrix."""
    X = np.array([[1.0, 5.0], [2.0, np.nan], [9.0, 5.0], [9.0, 6.0], [1.5, 9.0], [1.5, 8.0], [20.0, 20.0]])
    positive = np.arange(7) < 2
    lower, upper = np.array([[1.0, 0.0], [19.0, 19.0]]), np.array([[3.0, 6.0], [21.0, 21.0]])
    places, kept = needed_limits(lower, upper, X, positive, None, 1.0)
    assert places == [0]
    assert kept[:, 0].tolist() == [[False, False], [True, True]]
    _, kept = needed_limits(lower, upper, X, positive, np.array([1.0, 1, 1e-9, 1e-9, 1, 1, 1]), 1.0)
    assert kept[:, 0].tolist() == [[False, False], [False, True]]  # two rows of next to no weight


@settings(deadline=None)
@given(seeds, st.sampled_from([0, 1, 3]))
def test_the_order_of_the_rows_does_not_matter(seed, max_loss):
    rng, boxes, X, y, weight = case(seed)
    order = rng.permutation(len(X))
    one = simplify(boxes, X, y, max_loss=max_loss, sample_weight=weight, pos_label=1)
    other = simplify(boxes, X.iloc[order], y[order], max_loss=max_loss, sample_weight=weight[order], pos_label=1)
    assert one == other


@settings(deadline=None)
@given(seeds)
def test_a_weight_of_three_is_three_rows(seed):
    _, boxes, X, y, _ = case(seed)
    rows = np.repeat(np.arange(len(X)), 3)
    made, changes = simplify(boxes, X, y, max_loss=6, sample_weight=np.full(len(X), 3))
    again, others = simplify(boxes, X.iloc[rows], y[rows], max_loss=6)
    assert made == again
    assert [(change.text, change.loss) for change in changes] == [(change.text, change.loss) for change in others]
    assert [3 * change.flagged for change in changes] == [change.flagged for change in others]


@settings(deadline=None)
@given(seeds)
def test_the_balance_keeps_boxes_that_are_better_than_chance(seed):
    """By default recall less false-alarm rate never falls, so that some boxes stay where it is above 0."""
    _, boxes, X, y, weight = case(seed)
    weight[:2] = 1  # both classes have some weight
    made, _ = simplify(boxes, X, y, sample_weight=weight, pos_label=1)

    def gain(drawing):
        flagged, positive = np.array(flags(drawing, X)), y == 1
        rates = [
            Fraction(weight[flagged & rows].sum()) / Fraction(weight[rows].sum()) for rows in (positive, ~positive)
        ]
        return rates[0] - rates[1]

    assert gain(made) >= gain(boxes)
    if gain(boxes) > 0:
        assert len(made) > 0


# single steps


def line(*values):
    return [[value] for value in values]


def test_limits_that_exclude_nobody_are_dropped():
    boxes = BoxSet([[2, 0, 7]], [[4, 9, 7]], feature_names=["a", "b", "c"])
    made, changes = simplify(boxes, [[3, 5, 7], [1, 5, 7], [5, 5, 7]], [1, 0, 0])
    assert made.to_text() == "Box 1: 2 ≤ a ≤ 4"
    assert [change.text for change in changes] == ["drop 0 ≤ b ≤ 9 from box 1", "drop c = 7 from box 1"]
    assert changes[0] == Change("drop limit", "drop 0 ≤ b ≤ 9 from box 1", 0.0, 0, 0, 0, 0)


def test_one_side_of_a_limit_is_dropped():
    made, changes = simplify(BoxSet([[2]], [[4]], missing=[[True]]), line(3, 1, 3.5), [1, 0, 1], pos_label=1)
    assert (made.lower.tolist(), made.upper.tolist(), made.missing.tolist()) == ([[2]], [[INF]], [[True]])
    assert [change.text for change in changes] == ["drop x0 ≤ 4 from box 1"]


def test_a_limit_that_only_keeps_missing_values_out():
    boxes = BoxSet([[-INF]], [[4]])
    X = line(3, 1, None)
    assert simplify(boxes, X, [1, 1, 0], pos_label=1)[0] == boxes
    made, changes = simplify(boxes, X, [1, 1, 1], pos_label=1)
    assert made.to_text() == "Box 1: every row"
    assert changes[0].loss == -1


def test_boxes_that_add_nothing_are_dropped():
    inside, empty = [[3], [3.5]], [[100], [200]]
    boxes = BoxSet(*([[one[side][0]] for one in ([[2], [4]], inside, [[2], [4]], empty)] for side in (0, 1)))
    made, changes = simplify(boxes, line(2, 3, 4, 1, 5), [1, 1, 1, 0, 0], pos_label=1)
    assert made.to_text() == "Box 1: 2 ≤ x0 ≤ 4"
    assert [change.kind for change in changes] == ["drop box"] * 3
    assert [(change.loss, change.flagged, change.freed) for change in changes] == [(0, 0, 0)] * 3


def test_boxes_are_merged_with_everything_that_either_admits():
    rules = [
        Rule((Limit("a", 1, 2), Limit("b", categories={"x"}), Limit("c", 5, 5), Limit("d", 0, 1))),
        Rule((Limit("a", 3, 4, missing=True), Limit("b", categories={"y"}), Limit("c", INF, -INF, missing=True))),
    ]
    boxes = BoxSet.from_rules(rules, ["a", "b", "c", "d"], {"b": ["x", "y", "z"]})
    inside = [[1, "x", 5, 0.5], [2, "x", 5, 0], [3, "y", None, 9], [None, "y", None, 9]]
    outside = [[0, "x", 5, 0], [5, "y", 5, 0], [2, "z", 5, 0], [2, None, 5, 0], [2, "x", 4, 0], [2, "x", 6, 0]]
    made, changes = simplify(boxes, inside + outside, [1] * 4 + [0] * 6)
    assert [change.kind for change in changes] == ["merge boxes"]
    assert made.rules() == [
        Rule((Limit("a", 1, 4, missing=True), Limit("b", categories={"x", "y"}), Limit("c", 5, 5, missing=True)))
    ]
    assert changes[0].text == f"merge boxes 1 and 2 into: {made.to_text().removeprefix('Box 1: ')}"


def test_a_limit_to_known_values_is_kept_by_a_merge():
    boxes = BoxSet([[-INF, 1], [-INF, 3]], [[INF, 2], [INF, 4]], missing=[[False, False]] * 2)
    made, changes = simplify(boxes, [[0, 1], [0, 4], [None, 2], [0, 5], [0, 0]], [1, 1, 0, 0, 0])
    assert [change.kind for change in changes] == ["merge boxes"]
    assert made.to_text() == "Box 1: x0 is known and 1 ≤ x1 ≤ 4"


def test_a_merge_that_leaves_no_limit_on_a_feature():
    """One box admits all but large values, the other all but small and missing ones."""
    boxes = BoxSet([[-INF, 0], [1, 0]], [[2, 1], [INF, 1]], missing=[[True, False], [False, False]])
    X = [[0, 1], [1.5, 0], [None, 0.5], [3, 1], [0, 2], [None, 2], [1.5, -1]]
    made, changes = simplify(boxes, X, [1, 1, 1, 1, 0, 0, 0], pos_label=1)
    assert made.to_text() == "Box 1: 0 ≤ x1 ≤ 1"
    assert [change.text for change in changes] == ["merge boxes 1 and 2 into: 0 ≤ x1 ≤ 1"]


def test_boxes_stay_in_their_order():
    boxes = BoxSet([[0], [20], [2], [40]], [[1], [21], [3], [41]])
    X, y = line(0, 3, 20, 21, 40, -1, 10, 30, 22, 42), [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]
    assert (
        simplify(boxes, X, y, pos_label=1)[0].to_text() == "Box 1: 0 ≤ x0 ≤ 3\nBox 2: 20 ≤ x0 ≤ 21\nBox 3: 40 ≤ x0 ≤ 41"
    )
    made, changes = simplify(BoxSet([[0], [20]], [[1], [21]]), line(0, 20, 10, 22), [1, 1, 0, 0], pos_label=1)
    assert made.to_text() == "Box 1: x0 ≤ 1\nBox 2: 20 ≤ x0 ≤ 21"
    assert [change.text for change in changes] == ["drop x0 ≥ 0 from box 1"]


def test_boxes_have_their_first_numbers_in_words():
    boxes = BoxSet([[0], [10], [20], [12]], [[1], [11], [21], [13]])
    X, y = line(0, 10, 13, -1, 5, 15, 16, 22), [1, 1, 1, 0, 0, 0, 0, 0]
    for max_loss, n_steps in ((0, 2), (1, 3), (3, 4)):
        changes = simplify(boxes, X, y, max_loss=max_loss, negative_weight=1)[1]
        assert [(change.text, change.loss) for change in changes] == [
            ("drop box 3: 20 ≤ x0 ≤ 21", 0),
            ("merge boxes 2 and 4 into: 10 ≤ x0 ≤ 13", 0),
            ("drop box 1: 0 ≤ x0 ≤ 1", 1),
            ("drop box 2+4: 10 ≤ x0 ≤ 13", 2),
        ][:n_steps]


def test_what_is_gained_may_be_spent():
    """Dropping a box of two negatives gains two, so the drawing may end one below its best and one above its first."""
    boxes = BoxSet([[0], [10]], [[1], [11]])
    X = line(0, 10, 10.5, -1, 5, 15)
    made, changes = simplify(boxes, X, [1, 0, 0, 0, 0, 0], max_loss=0, negative_weight=1)
    assert [change.loss for change in changes] == [-2, 1]
    assert len(made) == 0


def test_boxes_of_low_precision_stay_at_the_balance():
    """One of three flagged rows is positive, among ten: better than chance, but not worth a false alarm per miss."""
    boxes, X, y = BoxSet([[0]], [[2]]), line(0, 1, 2, 3, 4, 5, 6, 7, 8, -1), [1] + [0] * 9
    assert simplify(boxes, X, y) == (boxes, [])
    made, changes = simplify(boxes, X, y, negative_weight=1)
    assert (len(made), [change.loss for change in changes]) == (0, [-1])


def test_steps_that_lose_nothing_come_before_those_that_lose():
    boxes = BoxSet([[2, 0]], [[4, 9]])
    X = [[3, 5], [1, 5], [5, 5], [5, 5]]
    _, changes = simplify(boxes, X, [1, 0, 0, 0], max_loss=1)
    assert [change.loss for change in changes] == [0, 1]
    assert changes[0].text == "drop 0 ≤ x1 ≤ 9 from box 1"


def test_the_negative_weight_decides():
    boxes = BoxSet([[2]], [[4]])
    X, y = line(3, 1, 3.5, 4.5), [1, 0, 1, 0]
    for weight, loss in ((1, 1), (0.25, 0.25), (0, 0)):
        made, changes = simplify(boxes, X, y, max_loss=loss, negative_weight=weight, pos_label=1)
        assert (made.lower.tolist(), made.upper.tolist()) != ([[2]], [[4]])
        assert changes[0].loss == loss
        if loss:
            below = math.nextafter(loss, 0)
            assert simplify(boxes, X, y, max_loss=below, negative_weight=weight, pos_label=1) == (boxes, [])


def test_numbers_stay():
    boxes = BoxSet([[2.01, 0], [6.01, -INF]], [[3.99, 9], [7.99, INF]])
    made, changes = simplify(boxes, [[3, 1], [7, 1], [1, 1], [9, 1]], [1, 1, 0, 0], pos_label=1)
    assert (made.lower.tolist(), made.upper.tolist()) == ([[2.01, -INF]], [[7.99, INF]])
    assert changes[-1].text == "merge boxes 1 and 2 into: 2.01 ≤ x0 ≤ 7.99"


def test_the_given_boxes_come_back_if_nothing_changes():
    boxes = BoxSet([[2]], [[4]])
    made, changes = simplify(boxes, line(3, 1, 5), [1, 0, 0])
    assert made is boxes
    assert changes == []


def test_no_boxes():
    empty = BoxSet(np.empty((0, 1)), np.empty((0, 1)))
    assert simplify(empty, line(1, 2), [0, 1]) == (empty, [])


def test_everything_may_be_lost():
    made, changes = simplify(
        BoxSet([[2], [8]], [[4], [9]]), line(3, 8.5, 1, 5), [1, 1, 0, 0], max_loss=INF, pos_label=1
    )
    assert len(made) == 0
    assert sum(change.freed_positives - change.flagged_positives for change in changes) == 2


def test_many_boxes_over_the_same_rows():
    """Counts of boxes do not wrap around at 256."""
    boxes = BoxSet([[2 - k / 1000] for k in range(257)], [[4]] * 257)
    made, changes = simplify(boxes, line(3, 1, 5), [1, 0, 0])
    assert len(made) == 1
    assert [change.kind for change in changes] == ["drop box"] * 256


# tables and labels


def test_any_kind_of_table_and_labels():
    boxes = BoxSet.from_rules([Rule((Limit("a", 2, 4), Limit("b", categories={"x"})))], ["a", "b"])
    data = {"b": ["x", "x", None, "y"], "other": [0, 0, 0, 0], "a": [3.0, 1.0, 3.0, 3.0]}
    labels = ["yes", "no", "no", "no"]
    tables = [pd.DataFrame(data, index=[5, 6, 7, 8]), pl.DataFrame(data), pa.table(data)]
    tables.append(np.array(list(zip(data["a"], data["b"], strict=True)), dtype=object))
    for X in tables:
        for y in (labels, pd.Series(labels), pl.Series(labels), pa.array(labels), np.array(labels)):
            made, changes = simplify(boxes, X, y)
            assert made.to_text() == "Box 1: a ≥ 2 and b = x"
            assert len(changes) == 1


def test_the_positive_class():
    boxes, X = BoxSet([[2]], [[4]]), line(3, 3.5, 1)
    assert simplify(boxes, X, [1, 1, 0])[0].n_boxes == 0  # 0 is rarer, and none of it is flagged
    assert simplify(boxes, X, [1, 1, 0], pos_label=1)[0].to_text() == "Box 1: x0 ≥ 2"
    assert simplify(boxes, X, [1, 1, 0], sample_weight=[1, 1, 9])[0].n_boxes == 0  # rows count, not their weights
    one_each = simplify(boxes, X, [1, 1, 0], sample_weight=[1, 0, 1])[0]  # but not those without any
    assert one_each.to_text() == "Box 1: x0 ≥ 2"
    assert simplify(boxes, X, ["n"] * 3, pos_label="p")[0].n_boxes == 0
    assert simplify(boxes, X, ["p"] * 3, pos_label="p")[0].to_text() == "Box 1: every row"


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [
        ([1, 0], {"max_loss": -1}, "max_loss must be at least 0"),
        ([1, 0], {"max_loss": math.nan}, "max_loss must be at least 0"),
        ([1, 0], {"negative_weight": -1}, "negative_weight must be a finite number"),
        ([1, 0], {"negative_weight": INF}, "negative_weight must be a finite number"),
        ([1, 0], {"sample_weight": [1]}, r"sample_weight has shape \(1,\); expected \(2,\)"),
        ([1, 0], {"sample_weight": [1, -1]}, "sample_weight"),
        ([1, 0], {"sample_weight": [1, math.nan]}, "sample_weight"),
        ([1, 0], {"pos_label": 2}, "pos_label=2 is not a class"),
        ([1, 1], {}, "every label is .*1.*: say with pos_label"),
        ([1], {}, "y has 1 labels, but X has 2 rows"),
    ],
)
def test_bad_input_has_one_clear_error(y, options, message):
    with pytest.raises(ValueError, match=message):
        simplify(BoxSet([[2]], [[4]]), line(3, 1), y, **options)


def test_there_must_be_rows():
    with pytest.raises(ValueError, match="there are no rows"):
        simplify(BoxSet([[2]], [[4]]), np.empty((0, 1)), [])

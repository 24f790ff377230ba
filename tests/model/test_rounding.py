import math
from decimal import ROUND_CEILING, Context, Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw.model.boxes import BoxSet
from boxdraw.model.rounding import round_boxes
from boxdraw.model.rule import Limit, Rule

from .export.cases import random_boxes, random_rows
from .test_explain import records, unmet

INF = math.inf
seeds = st.integers(0, 2**32 - 1)


def n_digits(number):
    text = f"{Decimal(repr(float(number)))}".lower().partition("e")[0].lstrip("-")
    return len(text.replace(".", "").strip("0")) or 1


def test_the_count_of_digits_that_the_tests_use():
    numbers = [0.0, 5, 1200, 0.05, -12.5, 1e300, 1.5e-300, 10.01, 100.0]
    assert [n_digits(number) for number in numbers] == [1, 1, 2, 1, 3, 1, 2, 4, 1]


def members(boxes, X):
    return [[not unmet(rule, row) for rule in boxes.rules()] for row in records(X)]


def flags(boxes, X):
    return [any(row) for row in members(boxes, X)]


def case(seed):
    rng = np.random.default_rng(seed)
    boxes = random_boxes(rng)
    X = random_rows(rng, boxes, int(rng.integers(2, 25)))
    y = rng.integers(0, 2, len(X))
    y[:2] = 0, 1
    return rng, boxes, X, y


def sides(boxes):
    """All finite numbers of the limits, with their places."""
    pairs = (("lower", boxes.lower), ("upper", boxes.upper))
    return {(side, k, j): float(m[k, j]) for side, m in pairs for k, j in np.argwhere(np.isfinite(m)).tolist()}


def assert_only_numbers_differ(one, other):
    assert one.feature_names == other.feature_names
    assert one.categories == other.categories
    assert one.allowed == other.allowed
    assert (one.missing == other.missing).all()
    assert (one.limited == other.limited).all()
    # An equality has two sides where there may have been one.
    both = one.lower == one.upper
    assert (np.isfinite(one.lower) | both).tolist() == (np.isfinite(other.lower) | both).tolist()
    assert (np.isfinite(one.upper) | both).tolist() == (np.isfinite(other.upper) | both).tolist()


# any boxes and rows


@settings(deadline=None)
@given(seeds)
def test_every_row_stays_in_its_boxes(seed):
    _, boxes, X, y = case(seed)
    made, changes = round_boxes(boxes, X)
    assert members(made, X) == members(boxes, X)
    assert made.membership(X).tolist() == boxes.membership(X).tolist()
    assert_only_numbers_differ(made, boxes)
    assert all((change.loss, change.flagged, change.freed) == (0, 0, 0) for change in changes)
    moved = {place[1:] for place, number in sides(made).items() if number != sides(boxes).get(place)}
    assert len(changes) == len(moved)
    assert round_boxes(boxes, X, y)[0] == made


@st.composite
def numeric_cases(draw):
    """Boxes and rows of numbers; the features have few digits, many, or are whole."""
    rng = np.random.default_rng(draw(seeds))
    X = rng.normal(scale=50, size=(draw(st.integers(1, 40)), 3))
    X = np.column_stack([np.round(X[:, j], rng.choice([0, 1, 6])) for j in range(3)])
    X[rng.random(X.shape) < 0.05] = np.nan
    lower, upper = np.sort(rng.normal(scale=40, size=(2, 3, 3)), axis=0)
    lower[rng.random(lower.shape) < 0.2], upper[rng.random(upper.shape) < 0.2] = -INF, INF
    return BoxSet(lower, upper), X


@settings(deadline=None)
@given(numeric_cases())
def test_numbers_have_as_few_digits_as_any_limit_that_keeps_each_row_on_its_side(case):
    boxes, X = case
    made, _ = round_boxes(boxes, X)
    assert (made.membership(X) == boxes.membership(X)).all()
    assert (made.lower <= made.upper).all()
    for (side, k, j), number in sides(made).items():
        column = X[np.isfinite(X[:, j]), j]
        given = sides(boxes).get((side, k, j))
        if given is None or (np.rint(column) == column).all():
            continue
        assert n_digits(number) <= n_digits(given)
        # Between the two values next to it a limit changes nothing, whatever the rest of the box.
        sign = 1 if side == "lower" else -1
        other = boxes.upper[k, j] if side == "lower" else -made.lower[k, j]
        below, above = sign * column[sign * column < sign * given], sign * column[sign * column >= sign * given]
        if below.size and above.size and boxes[k].contains(X).any():
            up_to = min(above.min(), math.nextafter(other, -INF))
            assert n_digits(number) <= fewest_digits(below.max(), up_to)


@settings(deadline=None)
@given(numeric_cases())
def test_features_of_whole_numbers_get_whole_limits(case):
    boxes, X = case
    X = np.round(X)
    made, _ = round_boxes(boxes, X)
    assert (made.membership(X) == boxes.membership(X)).all()
    for (side, k, j), number in sides(made).items():
        if np.isfinite(X[:, j]).any() and math.ceil(max(boxes.lower[k, j], -1e9)) <= min(boxes.upper[k, j], 1e9):
            assert number.is_integer(), (side, k, j)


def fewest_digits(above, up_to):
    """The fewest digits of a number in the interval, which contains up_to but not above."""
    if above < 0 <= up_to:
        return 1
    first = Decimal(math.nextafter(above, INF))
    for digits in range(1, 18):
        if float(Context(prec=digits, rounding=ROUND_CEILING).create_decimal(first)) <= up_to:
            return digits
    raise AssertionError


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=4, max_size=20, unique=True), seeds)
def test_no_number_between_the_rows_is_shorter(values, seed):
    values = sorted([*values, 0.5])  # not all are whole
    rng = np.random.default_rng(seed)
    first, last = np.sort(rng.choice(np.arange(1, len(values)), 2, replace=False)).tolist()
    lower, upper = rng.uniform([values[first - 1], values[last - 1]], [values[first], values[last]]).tolist()
    if not (values[first - 1] < lower < values[first] <= values[last - 1] < upper < values[last] and lower < upper):
        return
    made, _ = round_boxes(BoxSet([[lower]], [[upper]]), line(*values))
    assert made.contains(line(*values)).tolist() == [lower <= value <= upper for value in values]
    assert n_digits(made.lower[0, 0]) == fewest_digits(
        values[first - 1], min(values[first], math.nextafter(upper, -INF))
    )
    # The mirror image of an upper limit is a lower one, which must not reach the other limit.
    assert n_digits(made.upper[0, 0]) == fewest_digits(
        -values[last], min(-values[last - 1], math.nextafter(-made.lower[0, 0], -INF))
    )


@settings(deadline=None)
@given(seeds, st.integers(1, 3), st.booleans())
def test_few_digits_and_what_they_change(seed, digits, labels):
    _, boxes, X, y = case(seed)
    made, changes = round_boxes(boxes, X, y if labels else None, digits=digits, negative_weight=0.5, pos_label=1)
    assert_only_numbers_differ(made, boxes)
    assert all(n_digits(number) <= digits for number in sides(made).values())
    before, after = np.array(flags(boxes, X)), np.array(flags(made, X))
    assert after.sum() - before.sum() == sum(change.flagged - change.freed for change in changes)
    if labels:
        positives = sum(change.flagged_positives - change.freed_positives for change in changes)
        assert y[after].sum() - y[before].sum() == positives
        fallen = [(flagged & (y == 1)).sum() - 0.5 * (flagged & (y == 0)).sum() for flagged in (before, after)]
        assert sum(change.loss for change in changes) == fallen[0] - fallen[1]
    else:
        assert all(change.flagged_positives is change.freed_positives is None for change in changes)
        assert all((change.loss is None) == (change.flagged + change.freed > 0) for change in changes)


# limits one by one


def line(*values):
    return [[value] for value in values]


def test_the_roundest_number_between_the_rows():
    boxes = BoxSet([[212.7391]], [[843.1177]], feature_names=["amount"])
    made, changes = round_boxes(boxes, line(187.2, 230.5, 790.0, 861.9))
    assert (made.lower.tolist(), made.upper.tolist()) == ([[200]], [[800]])
    assert made.to_text() == "Box 1: 200 ≤ amount ≤ 800"
    assert [change.text for change in changes] == ["box 1: 212.7391 ≤ amount ≤ 843.1177 becomes 200 ≤ amount ≤ 800"]
    assert changes[0].kind == "round limit"


def test_only_rows_that_meet_the_other_limits_are_in_the_way():
    boxes = BoxSet([[16.83, 5]], [[INF, 9]])
    rows = [[16.81, 2], [16.85, 2], [12.5, 6], [21.5, 6]]
    made, _ = round_boxes(boxes, rows)
    assert made.lower.tolist()[0][0] == 20
    assert made.membership(rows).tolist() == boxes.membership(rows).tolist()


def test_rows_that_two_limits_exclude_stay_out():
    """Once one limit has given way to a row, the other has to keep it out."""
    boxes = BoxSet([[16.83, 16.83]], [[INF, INF]])
    rows = [[15.5, 15.5], [23.5, 23.5]]
    made, _ = round_boxes(boxes, rows)
    assert made.contains(rows).tolist() == [False, True]


def test_a_limit_beyond_all_rows_does_not_run_away():
    made, _ = round_boxes(BoxSet([[-INF]], [[98.7654]]), line(90.5, 91.5, 92.5))
    assert made.to_text() == "Box 1: x0 ≤ 100"
    made, _ = round_boxes(BoxSet([[-INF]], [[98.7654]]), line(98.5, 91.5, 92.5))
    assert made.to_text() == "Box 1: x0 ≤ 99"


def test_without_rows_nothing_moves():
    boxes = BoxSet([[1.2345]], [[2.3456]])
    for rows in (np.empty((0, 1)), line(None), line(INF, -INF)):
        assert round_boxes(boxes, rows) == (boxes, [])


def test_whole_numbers():
    rows = line(0, 1, 2, 3, 4, 5, None)
    for lower, upper, text in (
        (0.5, 3.5, "1 ≤ x0 ≤ 3"),
        (-INF, 2.5, "x0 ≤ 2"),
        (1.5, INF, "x0 ≥ 2"),
        (2.2, 3.4, "x0 = 3"),
        (-0.5, 0.5, "x0 = 0"),
        (-0.5, 2.5, "0 ≤ x0 ≤ 2"),
        (-INF, 0.5, "x0 ≤ 0"),
        (2.2, 2.8, "2.2 ≤ x0 ≤ 2.8"),
        (2, 3, "2 ≤ x0 ≤ 3"),
    ):
        boxes = BoxSet([[lower]], [[upper]])
        made, changes = round_boxes(boxes, rows)
        assert made.to_text() == f"Box 1: {text}"
        assert all(change.text.endswith(f" becomes {text}") for change in changes)
        assert made.contains(rows).tolist() == boxes.contains(rows).tolist()
    assert round_boxes(BoxSet([[0.5]], [[3.5]]), [*rows, [2.5]])[0].to_text() == "Box 1: 0.5 ≤ x0 ≤ 3"


def test_equal_limits_stay_and_others_do_not_meet():
    assert round_boxes(BoxSet([[1.25]], [[1.25]]), line(0.5, 3.5))[1] == []
    made, _ = round_boxes(BoxSet([[4.9]], [[5.2]]), line(1.5, 5, 9.5))
    assert made.lower[0, 0] < made.upper[0, 0]
    assert made.contains(line(1.5, 5, 9.5)).tolist() == [False, True, False]
    nobody, _ = round_boxes(BoxSet([[4.91]], [[4.92]]), line(1.5, 9.5))
    assert nobody.lower[0, 0] < nobody.upper[0, 0]


def test_categories_and_missing_values_stay():
    limits = Limit("a", 2.0137, missing=True), Limit("b", categories={"x"}), Limit("c", INF, -INF, missing=True)
    boxes = BoxSet.from_rules([Rule((*limits, Limit("d")))], ["a", "b", "c", "d"], {"b": ["x", "y"]})
    rows = [[1.5, "x", None, 1], [3.5, "x", None, 1], [None, "x", None, 1], [3.5, "z", None, 1], [1.9, "y", 1, None]]
    made, changes = round_boxes(boxes, rows)
    assert made == boxes.replace(0, "a", lower=2)
    assert len(changes) == 1


def test_the_one_value_of_two_that_a_box_admits():
    for lower, upper, text in (
        (0.5, INF, "x0 = 1"),
        (1, 7, "x0 = 1"),
        (-INF, 0.2, "x0 = 0"),
        (-3.25, 0.2, "x0 = 0"),
        (-INF, 1.5, "x0 ≤ 1"),
        (0.2, 0.8, "0.2 ≤ x0 ≤ 0.8"),
    ):
        made, _ = round_boxes(BoxSet([[lower]], [[upper]]), line(0, 1, None, 1))
        assert made.to_text() == f"Box 1: {text}"
    assert round_boxes(BoxSet([[0.5]], [[INF]]), line(0, 1, 2))[0].to_text() == "Box 1: x0 ≥ 1"
    assert round_boxes(BoxSet([[0.5]], [[INF]]), line(0.2, 1))[0].to_text() == "Box 1: x0 ≥ 0.5"
    assert round_boxes(BoxSet([[0.5]], [[INF]]), line(1, 1))[0].to_text() == "Box 1: x0 ≥ 1"


# fewer digits than the rows allow


def test_fewest_rows_change_without_labels():
    rows = line(1.2, 1.21, 1.3, 1.4, 1.5)
    made, changes = round_boxes(BoxSet([[1.205]], [[INF]]), rows, digits=1)
    assert made.to_text() == "Box 1: x0 ≥ 1"
    assert (changes[0].flagged, changes[0].freed, changes[0].loss) == (1, 0, None)
    assert changes[0].flagged_positives is None


def test_the_least_loss_counts_with_labels():
    rows, y = line(1.2, 1.21, 1.3, 1.4), [0, 0, 0, 1]
    boxes = BoxSet([[1.205]], [[INF]])
    made, changes = round_boxes(boxes, rows, y, digits=1, negative_weight=1, pos_label=1)
    assert made.to_text() == "Box 1: x0 ≥ 2"
    assert (changes[0].loss, changes[0].freed, changes[0].freed_positives) == (-1, 3, 1)
    made, changes = round_boxes(boxes, rows, y, digits=1, negative_weight=1, pos_label=1, sample_weight=[1, 1, 1, 4])
    assert made.to_text() == "Box 1: x0 ≥ 1"
    assert (changes[0].loss, changes[0].flagged, changes[0].flagged_positives) == (1, 1, 0)
    assert round_boxes(boxes, rows, y, digits=1, pos_label=1, negative_weight=0.25)[0].to_text() == "Box 1: x0 ≥ 1"


def test_rows_that_another_box_holds_do_not_change():
    boxes = BoxSet([[1.205], [0]], [[INF], [1.205]])
    rows = line(1.2, 1.21, 1.3, 1.4, 1.5)
    made, changes = round_boxes(boxes, rows, digits=1)
    assert made.to_text() == "Box 1: x0 ≥ 1\nBox 2: 0 ≤ x0 ≤ 1"
    assert [(change.flagged, change.freed) for change in changes] == [(0, 0), (0, 0)]


def test_an_interval_does_not_shrink_to_a_number():
    made, _ = round_boxes(BoxSet([[4.9]], [[5.2]]), line(4.85, 5, 5.25), digits=1)
    assert made.lower[0, 0] < made.upper[0, 0]


def test_a_number_becomes_a_number_or_an_interval():
    number = BoxSet([[1.234]], [[1.234]])
    for rows, text in (((1.234, 1.2, 1.2, 1.3, 1.3), "x0 = 1.2"), ((1.234, 1.234, 1.2), "1.2 ≤ x0 ≤ 1.3")):
        made, changes = round_boxes(number, line(*rows), digits=2)
        assert made.to_text() == f"Box 1: {text}"
        assert (changes[0].flagged, changes[0].freed) == ((2, 1) if "=" in text.split() else (1, 0))


def test_the_largest_numbers():
    top = np.finfo(float).max
    made, _ = round_boxes(BoxSet([[1.7e308]], [[top]]), line(1.69e308, 1.75e308, top), digits=1)
    assert (made.lower.tolist(), made.upper.tolist()) == ([[1e308]], [[1e308]])


def test_whole_numbers_of_few_digits_are_whole():
    rows = [[value] for value in range(1000, 1300)]
    made, _ = round_boxes(BoxSet([[1123.5]], [[1277.5]]), rows, digits=2)
    assert (made.lower.tolist(), made.upper.tolist()) == ([[1100]], [[1300]])


@pytest.mark.parametrize("digits", [0, -1, 1.5, True, "2"])
def test_digits_must_be_a_whole_number(digits):
    with pytest.raises(ValueError, match="digits must be a whole number of at least 1"):
        round_boxes(BoxSet([[1]], [[2]]), line(1), digits=digits)


def test_no_boxes():
    empty = BoxSet(np.empty((0, 1)), np.empty((0, 1)))
    assert round_boxes(empty, line(1, 2), digits=1) == (empty, [])


def test_labels_are_checked():
    with pytest.raises(ValueError, match="y has 1 labels, but X has 2 rows"):
        round_boxes(BoxSet([[1]], [[2]]), line(1, 2), [1], digits=1)


def test_any_kind_of_table():
    boxes = BoxSet.from_rules([Rule((Limit("a", 2.0137), Limit("b", categories={"x"})))], ["a", "b"])
    data = {"b": ["x", "x", None], "other": [0, 0, 0], "a": [3.5, 1.5, 3.5]}
    array = np.array(list(zip(data["a"], data["b"], strict=True)), dtype=object)
    for X in (pd.DataFrame(data, index=[5, 6, 7]), pl.DataFrame(data), pa.table(data), array, array.tolist()):
        made, changes = round_boxes(boxes, X)
        assert made.to_text() == "Box 1: a ≥ 2 and b = x"
        assert len(changes) == 1

import datetime
import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw.model.boxes import BoxSet
from boxdraw.model.explain import Violation, explain, explain_frame, feature_scale, violations
from boxdraw.model.rule import Limit, Rule
from boxdraw.model.scorecard import Scorecard

from .export.cases import random_boxes, random_rows

INF = math.inf
seeds = st.integers(0, 2**32 - 1)
COLUMNS = ["flagged", "box", "boxes", "n_violations", "distance", "why"]


# the meaning of boxes, in plain Python


def is_missing(value):
    return value is None or value != value


def meets(limit, value):
    if is_missing(value):
        return limit.missing
    if limit.known:
        return True
    return value in limit.categories if limit.categories is not None else limit.lower <= value <= limit.upper


def records(X):
    return X.to_dict("records")


def unmet(rule, row):
    return [limit for limit in rule.limits if not meets(limit, row[limit.feature])]


def by(limit, value):
    """How far a value that does not meet a limit is from it; None without a distance."""
    if is_missing(value) or limit.categories is not None or limit.known or limit.lower > limit.upper:
        return None
    return limit.lower - value if value < limit.lower else value - limit.upper


def random_case(seed, n_rows=30):
    rng = np.random.default_rng(seed)
    boxes = random_boxes(rng)
    return rng, boxes, random_rows(rng, boxes, int(rng.integers(1, n_rows)))


def assert_nearly(one, other):
    assert one == other or math.isclose(one, other, rel_tol=1e-12)


# all boxes and rows


@settings(deadline=None)
@given(seeds)
def test_violations_are_true_and_complete(seed):
    _, boxes, X = random_case(seed)
    expected = [
        (i, k, limit.feature, limit, by(limit, row[limit.feature]))
        for i, row in enumerate(records(X))
        for k, rule in enumerate(boxes.rules(), start=1)
        for limit in unmet(rule, row)
    ]
    found = violations(boxes, X)
    assert [(v.row, v.box, v.feature, v.needs, v.by) for v in found] == expected
    for violation in found:
        value = X[violation.feature].tolist()[violation.row]
        assert violation.has is None if is_missing(value) else violation.has == value


@settings(deadline=None)
@given(seeds)
def test_the_box_is_the_first_that_holds_the_row_or_the_nearest(seed):
    rng, boxes, X = random_case(seed)
    scale = rng.uniform(0.1, 10, boxes.n_features)
    units = dict(zip(boxes.feature_names, scale.tolist(), strict=True))
    columns = explain(boxes, X, scale=scale)
    assert columns["flagged"].tolist() == boxes.contains(X).tolist()
    for i, row in enumerate(records(X)):
        against = [unmet(rule, row) for rule in boxes.rules()]
        holding = [k for k, limits in enumerate(against, start=1) if not limits]
        assert columns["flagged"][i] == bool(holding)
        assert columns["boxes"][i] == ", ".join(map(str, holding))
        if not against:
            assert columns["box"][i] is None
            assert (columns["n_violations"][i], columns["distance"][i]) == (0, INF)
            continue
        costs = [[(by(limit, row[limit.feature]), units[limit.feature]) for limit in limits] for limits in against]
        far = [sum(1 if d is None else d / unit for d, unit in cost) for cost in costs]
        box = int(columns["box"][i])
        if holding:
            assert box == holding[0]
            assert (columns["n_violations"][i], columns["distance"][i]) == (0, 0)
        else:
            assert_nearly(far[box - 1], min(far))
            assert_nearly(columns["distance"][i], min(far))
            assert columns["n_violations"][i] == len(against[box - 1])


@settings(deadline=None)
@given(seeds)
def test_every_limit_that_excludes_a_row_is_in_its_sentence(seed):
    _, boxes, X = random_case(seed)
    columns = explain(boxes, X)
    for i, row in enumerate(records(X) if len(boxes) else []):
        rule, text = boxes.rules()[columns["box"][i] - 1], columns["why"][i]
        if columns["flagged"][i]:
            assert text.count(" (has ") == len(rule.limits)
        else:
            assert text.count("needs ") == text.count(", has ") == columns["n_violations"][i]
            assert text.count(", has a missing value") == sum(
                is_missing(row[limit.feature]) for limit in unmet(rule, row)
            )


# sentences


def is_true(condition, value):
    """Evaluate a printed condition on a number."""
    number = r"(-?[\d.e+-]+)"
    if found := re.fullmatch(rf"{number} ≤ \w+ ≤ {number}", condition):
        return float(found[1]) <= value <= float(found[2])
    name, sign, limit = condition.split(" ")
    assert name.startswith("x")
    return {"≤": value <= float(limit), "≥": value >= float(limit), "=": value == float(limit)}[sign]


@st.composite
def boxes_and_rows(draw):
    """Boxes, some with round limits, and rows on and next to the limits."""
    rng = np.random.default_rng(draw(seeds))
    lower, upper = np.sort(rng.normal(scale=3, size=(2, 3, 2)), axis=0)
    lower[rng.random(lower.shape) < 0.2], upper[rng.random(upper.shape) < 0.2] = -INF, INF
    boxes = BoxSet(lower, upper)
    if draw(st.booleans()):
        boxes, _ = boxes.round(rng.normal(scale=3, size=(draw(st.integers(0, 20)), 2)))
    limits = np.concatenate([boxes.lower, boxes.upper])
    near = np.concatenate([limits, np.nextafter(limits, INF), np.nextafter(limits, -INF), rng.normal(size=(5, 2))])
    return boxes, np.column_stack([rng.permutation(near[:, j]) for j in range(2)])


@settings(deadline=None)
@given(boxes_and_rows())
def test_every_sentence_is_true(case):
    boxes, X = case
    columns = explain(boxes, X)
    for i, row in enumerate(X.tolist()):
        text = columns["why"][i]
        if text == "every row":
            assert not boxes.limited[columns["box"][i] - 1].any()
            continue
        pattern = r"(.+?) \(has (.+?)\)(?: and |$)" if columns["flagged"][i] else r"needs (.+?), has (.+?)(?:; |$)"
        found = re.findall(pattern, text)
        rule = boxes.rules()[columns["box"][i] - 1]
        limits = rule.limits if columns["flagged"][i] else unmet(rule, {f"x{j}": x for j, x in enumerate(row)})
        assert re.findall(r"x\d", text) == [limit.feature for limit in limits]
        assert len(found) == len(limits)
        for condition, has in found:
            j = int(re.search(r"x(\d)", condition)[1])
            assert float(has) == row[j]
            assert is_true(condition, float(has)) == columns["flagged"][i], text


def test_of_two_limits_the_unmet_one_is_told():
    boxes = BoxSet([[9.6]], [[250.3]], feature_names=["amount"])
    assert explain(boxes, [[300], [250.3], [9.5], [None]])["why"] == [
        "needs amount ≤ 250.3, has 300",
        "9.6 ≤ amount ≤ 250.3 (has 250.3)",
        "needs amount ≥ 9.6, has 9.5",
        "needs 9.6 ≤ amount ≤ 250.3, has a missing value",
    ]
    assert explain(BoxSet([[3]], [[3]]), [[2], [3]])["why"] == ["needs x0 = 3, has 2", "x0 = 3 (has 3)"]


@pytest.fixture
def mixed():
    rule = Rule((Limit("amount", upper=250), Limit("region", categories={"north", "east"}), Limit("age")))
    return BoxSet.from_rules([rule], ["amount", "region", "age"], {"region": ["north", "south", "a; b"]})


def test_words_for_categories_and_missing_values(mixed):
    rows = [[300, "south", None], [120, "north", 30], [250, "a; b", math.nan], [-0.0, None, -0.0], [INF, "west", 1]]
    assert explain(mixed, rows)["why"] == [
        "needs amount ≤ 250, has 300; needs region in {east, north}, has south; needs age known, has a missing value",
        "amount ≤ 250 (has 120) and region in {east, north} (has north) and age is known (has 30)",
        'needs region in {east, north}, has "a; b"; needs age known, has a missing value',
        "needs region in {east, north}, has a missing value",
        "needs amount ≤ 250, has inf; needs region in {east, north}, has west",
    ]


def test_words_for_only_missing_and_single_values():
    limits = Limit("a", INF, -INF, missing=True), Limit("b", 5, 5), Limit("c", categories=frozenset(), missing=True)
    boxes = BoxSet.from_rules([Rule(limits)], ["a", "b", "c"], {"c": ["x"]})
    assert explain(boxes, [[1, 6, "x"], [None, 5, None], [INF, None, "new"]])["why"] == [
        "needs a missing, has 1; needs b = 5, has 6; needs c missing, has x",
        "a is missing (has a missing value) and b = 5 (has 5) and c is missing (has a missing value)",
        "needs a missing, has inf; needs b = 5, has a missing value; needs c missing, has new",
    ]


def test_a_limit_that_admits_missing_values_says_so():
    boxes = BoxSet([[-INF]], [[250]], missing=[[True]])
    condition = boxes.to_text().removeprefix("Box 1: ")
    assert "missing" in condition
    assert explain(boxes, [[300], [None]])["why"] == [
        f"needs {condition}, has 300",
        f"{condition} (has a missing value)",
    ]


def test_zero_has_no_sign():
    assert explain(BoxSet([[0], [1]], [[0.5], [2]]), [[-0.0]])["why"] == ["0 ≤ x0 ≤ 0.5 (has 0)"]
    assert explain(BoxSet([[1]], [[2]]), [[-0.0]])["why"] == ["needs x0 ≥ 1, has 0"]


def test_only_the_side_that_excludes_a_row_is_needed():
    boxes = BoxSet([[30]], [[40]])
    assert explain(boxes, [[20], [50], [None]])["why"] == [
        "needs x0 ≥ 30, has 20",
        "needs x0 ≤ 40, has 50",
        "needs 30 ≤ x0 ≤ 40, has a missing value",
    ]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (datetime.date(2024, 5, 1), "2024-05-01"),
        (["list"], "['list']"),
        (INF, "inf"),
        ("a\nb", r'"a\nb"'),
        (np.int64(7), "7"),
        (np.bool_(True), "True"),
        ("7", '"7"'),
    ],
)
def test_any_value_can_be_in_a_column_of_categories(value, words):
    boxes = BoxSet([[-INF]], [[INF]], feature_names=["a"], allowed={"a": [{"x"}]})
    X = pd.DataFrame({"a": pd.Series([value], dtype=object)})
    assert explain(boxes, X)["why"] == [f"needs a = x, has {words}"]
    assert violations(boxes, X)[0].has == value


# distance


def test_distance_and_ties():
    boxes = BoxSet([[0, 0], [20, 0], [0, 0]], [[10, 1], [30, 1], [10, 1]])
    columns = explain(boxes, [[15, 0.5], [18, 2], [None, 0.5], [5, 4], [5, 1]], scale=[10, 1])
    assert columns["box"].tolist() == [1, 2, 1, 1, 1]
    assert columns["distance"].tolist() == [0.5, 1.2, 1, 3, 0]
    assert columns["n_violations"].tolist() == [1, 2, 1, 1, 0]
    assert columns["boxes"] == ["", "", "", "", "1, 3"]


def test_rows_that_are_infinitely_far_from_every_box():
    columns = explain(BoxSet([[0, 0], [0, -INF]], [[1, 1], [1, INF]]), [[INF, 5.0], [-INF, 0.5]])
    assert columns["distance"].tolist() == [INF, INF]
    assert columns["box"].tolist() == [1, 1]
    assert columns["n_violations"].tolist() == [2, 1]
    huge = explain(BoxSet([[1e308]], [[INF]]), [[-1e308]])
    assert huge["distance"].tolist() == [INF]


def test_a_box_at_the_smallest_distance_is_not_a_box_that_holds_the_row():
    boxes = BoxSet([[5e-324], [-1]], [[1], [1]])
    columns = explain(boxes, [[0]], scale=[10])  # the scaled distance from the first is 0 in floats
    assert (columns["box"].tolist(), columns["boxes"]) == ([2], ["2"])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([10, 20, 30, 40, 50], 20),
        ([10, 20, 30, 40, 50, math.nan, INF, -INF], 20),
        ([1, 1, 1, 1, 1, 1, 1, 1, 9], 8),
        ([3, 3], 1),
        ([math.nan, INF], 1),
        ([], 1),
        ([-1e308, -1e308, 1e308, 1e308], np.finfo(float).max),
    ],
)
def test_the_scale_of_a_feature(values, expected):
    boxes = BoxSet([[0, -INF]], [[1, INF]])
    X = np.column_stack([values, values]) if values else np.empty((0, 2))
    assert feature_scale(boxes, X).tolist() == [expected, 1]


def test_the_scale_is_that_of_the_rows_unless_given():
    boxes = BoxSet([[0, 0]], [[1, 1]])
    X = np.array([[3, 0], [7, 0], [11, 3], [15, 3], [19, 9]], dtype=np.float32)
    given = explain(boxes, X, scale=feature_scale(boxes, X))
    assert (
        explain(boxes, X)["distance"].tolist()
        == given["distance"].tolist()
        == [2 / 8, 6 / 8, 1.25 + 2 / 3, *[1.75 + 2 / 3, 2.25 + 8 / 3]]
    )
    assert explain(boxes, X[:1], scale=feature_scale(boxes, X))["distance"].tolist() == [2 / 8]
    assert explain(boxes, X[:1])["distance"].tolist() == [2]


@pytest.mark.parametrize("scale", [[1], [1, 0], [1, -1], [1, INF], [1, math.nan], 1.0])
def test_a_scale_that_makes_no_sense(scale):
    with pytest.raises(ValueError, match="a positive, finite number for each of the 2 features"):
        explain(BoxSet([[0, 0]], [[1, 1]]), [[1, 1]], scale=scale)


# kinds of tables


def test_a_frame_of_the_callers_kind(mixed):
    data = {"other": [1, 2], "age": [30.0, None], "region": ["north", "west"], "amount": [120, 300]}
    kinds = {
        pd.DataFrame: pd.DataFrame(data, index=["a", "b"]),
        pl.DataFrame: pl.DataFrame(data),
        pa.Table: pa.table(data),
    }
    why = [
        "amount ≤ 250 (has 120) and region in {east, north} (has north) and age is known (has 30)",
        "needs amount ≤ 250, has 300; needs region in {east, north}, has west; needs age known, has a missing value",
    ]
    for kind, X in kinds.items():
        frame = explain_frame(mixed, X)
        assert isinstance(frame, kind)
        read = pd.DataFrame({name: np.asarray(frame[name]) for name in COLUMNS})
        assert read["flagged"].tolist() == [True, False]
        assert read["box"].tolist() == [1, 1]
        assert read["boxes"].tolist() == ["1", ""]
        assert read["n_violations"].tolist() == [0, 3]
        assert read["distance"].tolist() == [0, 50 / 90 + 2]
        assert read["why"].tolist() == why
    assert explain_frame(mixed, kinds[pd.DataFrame]).index.tolist() == ["a", "b"]
    assert list(explain_frame(mixed, kinds[pl.DataFrame]).columns) == COLUMNS
    rows = np.array([[120, "north", 30.0], [300, "west", None]], dtype=object)
    for array in (rows, rows.tolist()):
        frame = explain_frame(mixed, array)
        assert isinstance(frame, pd.DataFrame)
        assert frame["why"].tolist() == why


def test_categories_of_pandas_and_polars(mixed):
    data = {"amount": [1], "region": ["west"], "age": [1]}
    enum = pl.DataFrame(data).with_columns(pl.col("region").cast(pl.Categorical))
    for X in (pd.DataFrame(data).astype({"region": "category"}), enum):
        assert explain(mixed, X)["why"] == ["needs region in {east, north}, has west"]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, lambda data: np.column_stack([*data.values()])])
def test_no_boxes_and_no_rows(make):
    none = BoxSet(np.empty((0, 2)), np.empty((0, 2)))
    frame = explain_frame(none, make({"x0": [1.0], "x1": [2.0]}))
    assert np.asarray(frame["flagged"]).tolist() == [False]
    assert pd.isna(np.asarray(frame["box"])[0])
    assert np.asarray(frame["why"]).tolist() == ["there are no boxes"]
    assert np.asarray(frame["distance"]).tolist() == [INF]
    for boxes in (none, BoxSet([[0, 1]], [[1, 2]])):
        assert violations(boxes, make({"x0": np.empty(0), "x1": np.empty(0)})) == []
        assert len(explain_frame(boxes, make({"x0": np.empty(0), "x1": np.empty(0)}))) == 0


def test_a_box_without_limits_holds_every_row():
    columns = explain(BoxSet([[0], [-INF]], [[1], [INF]]), [[5], [None], [1]])
    assert columns["why"] == ["every row", "every row", "0 ≤ x0 ≤ 1 (has 1)"]
    assert columns["boxes"] == ["2", "2", "1, 2"]


def test_violations_are_data():
    boxes = BoxSet([[0.5]], [[INF]], feature_names=["a"])
    limit = Limit("a", lower=0.5)
    assert violations(boxes, [[0.25], [None], [0.75]]) == [
        Violation(0, 1, "a", limit, 0.25, 0.25),
        Violation(1, 1, "a", limit, None, None),
    ]


@settings(deadline=None)
@given(seeds)
def test_a_card_is_explained_by_its_points(seed):
    """The points in each sentence add up, and what a row lacks is a box that would be enough."""
    rng, boxes, X = random_case(seed)
    points = rng.choice([-2, -1, 1, 2, 3], len(boxes))
    card = Scorecard(boxes, points, int(rng.integers(1, 4)) if len(boxes) else 1)
    told, member = explain(card, X), boxes.membership(X)
    np.testing.assert_array_equal(told["points"], card.score(X))
    np.testing.assert_array_equal(told["flagged"], card.contains(X))
    for inside, total, numbers, why in zip(member, told["points"], told["boxes"], told["why"], strict=True):
        named = [int(text) - 1 for text in numbers.split(", ") if text]
        assert sorted(named) == np.flatnonzero(inside).tolist()
        assert (np.diff(points[named]) <= 0).all()
        if not len(card):
            assert why == "there are no boxes"
            continue
        head, _, rest = why.partition(": ")
        assert head.replace("−", "-") in {
            f"{total} {word}, alarm from {card.threshold}" for word in ("point", "points")
        }
        lacks = re.search(r"; for (\d+) more it needs ", rest)
        enough = points[~inside][total + points[~inside] >= card.threshold]
        assert (lacks is not None) == bool(total < card.threshold and enough.size)
        assert lacks is None or int(lacks[1]) in enough
        assert rest.startswith("in no box") != inside.any()


def test_words_for_points():
    card = Scorecard(BoxSet([[0, -np.inf], [2, 5]], [[3, np.inf], [9, 8]], feature_names=["dose", "age"]), [1, -2], 2)
    assert explain(card, [[2.5, 6], [1, 6], [50, 6]])["why"] == [
        "−1 point, alarm from 2: 1 for 0 ≤ dose ≤ 3 (has 2.5); −2 for 2 ≤ dose ≤ 9 (has 2.5) and 5 ≤ age ≤ 8 (has 6)",
        "1 point, alarm from 2: 1 for 0 ≤ dose ≤ 3 (has 1)",
        "0 points, alarm from 2: in no box",
    ]
    one = Scorecard(card.boxes, [1, 2], 2)
    assert explain(one, [[1, 9]])["why"] == [
        "1 point, alarm from 2: 1 for 0 ≤ dose ≤ 3 (has 1); for 2 more it needs dose ≥ 2, has 1; needs age ≤ 8, has 9"
    ]

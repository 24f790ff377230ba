import copy
import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from boxdraw.model.boxes import BoxSet
from boxdraw.model.membership import _TILE_ROWS
from boxdraw.model.rule import Limit, Rule
from boxdraw.model.scorecard import Scorecard

INF = np.inf
floats = st.floats(allow_nan=False, allow_infinity=False)


@pytest.fixture
def boxes():
    return BoxSet([[30, -INF, 0], [-INF, 5, -INF]], [[INF, 2, 0], [20, INF, INF]], feature_names=["age", "dose", "sex"])


@st.composite
def box_sets(draw, elements=floats, max_boxes=3, n_features=None):
    n_features = n_features or draw(st.integers(1, 3))
    shape = (draw(st.integers(0, max_boxes)), n_features)
    pair = [draw(hnp.arrays(np.float64, shape, elements=elements)) for _ in range(2)]
    lower, upper = np.minimum(*pair), np.maximum(*pair)
    lower[draw(hnp.arrays(np.bool_, shape))] = -INF
    upper[draw(hnp.arrays(np.bool_, shape))] = INF
    return BoxSet(lower, upper)


def naive_inside(boxes, row):
    """A row against every box in plain Python: a limit that is absent is not looked at."""
    return [
        all(low == -INF or x >= low for x, low in zip(row, box.lower[0].tolist(), strict=True))
        and all(high == INF or x <= high for x, high in zip(row, box.upper[0].tolist(), strict=True))
        for box in boxes
    ]


# construction


@pytest.mark.parametrize(
    ("lower", "upper", "options", "error", "message"),
    [
        ([1, 2], [3, 4], {}, ValueError, r"lower must be .*got \(2,\).*\[\[...\]\]"),
        ([[1]], [3], {}, ValueError, r"upper must be"),
        (np.empty((0, 0)), np.empty((0, 0)), {}, ValueError, "at least one feature"),
        ([[1, 2]], [[3]], {}, ValueError, r"same shape, got \(1, 2\) and \(1, 1\)"),
        (
            [[0, 0], [0, 5]],
            [[1, 1], [1, 4]],
            {},
            ValueError,
            r"\[5.0, 4.0\].*'x1' in box index 1.*lower <= upper",
        ),
        ([[np.nan]], [[1]], {}, ValueError, "'x0' in box index 0 must not be NaN"),
        ([[0]], [[np.nan]], {}, ValueError, "must not be NaN"),
        ([[INF]], [[INF]], {}, ValueError, "must not be inf below"),
        ([[-INF]], [[-INF]], {}, ValueError, "must not be inf below or -inf above"),
        ([["1"]], [[2]], {}, TypeError, "lower must hold numbers only, got list of dtype <U1"),
        (np.array([["1"]], dtype=object), [[2]], {}, TypeError, "lower must hold numbers only"),
        ([[1]], [[2j]], {}, TypeError, "upper must hold numbers only"),
        ([[10**400]], [[2]], {}, ValueError, "lower has a whole number beyond all of float64"),
        ([[1]], [[2**1024 - 1]], {}, ValueError, "upper has a whole number beyond .* for no limit use infinity"),
        ([[1]], [[2]], {"feature_names": ["a", "b"]}, ValueError, "a name per feature: 1, got 2"),
        ([[1, 2]], [[3, 4]], {"feature_names": ["a", "a"]}, ValueError, r"all differ, got \['a'\]"),
        ([[1]], [[2]], {"feature_names": [1]}, TypeError, r"sequence of strings, got \[1\]"),
        ([[1]], [[2]], {"feature_names": "a"}, TypeError, "sequence of strings"),
        (
            [[1]],
            [[2]],
            {"allowed": {"x0": "a"}},
            ValueError,
            r"allowed\['x0'\] must have an entry for each of the 1 boxes",
        ),
        ([[1]], [[2]], {"allowed": {"x0": ["ab"]}}, TypeError, "sets of categories, got the text 'ab': write {'ab'}"),
        (
            [[1]],
            [[2]],
            {"missing": [[1]]},
            ValueError,
            r"missing must hold True or False .* got int64 of shape \(1, 1\)",
        ),
        (
            [[1]],
            [[2]],
            {"missing": [True]},
            ValueError,
            r"for each box and feature, \(1, 1\); got bool of shape \(1,\)",
        ),
    ],
)
def test_bad_input_has_one_clear_error(lower, upper, options, error, message):
    with pytest.raises(error, match=message):
        BoxSet(lower, upper, **options)


def test_attributes(boxes):
    assert (boxes.n_boxes, boxes.n_features, len(boxes)) == (2, 3, 2)
    assert boxes.feature_names == ("age", "dose", "sex")
    assert boxes.lower.dtype == boxes.upper.dtype == np.float64
    assert BoxSet([[1, 2]], [[3, 4]]).feature_names == ("x0", "x1")
    names = BoxSet([[1]], [[2]], feature_names=pd.Index(["a"])).feature_names
    assert names == ("a",)
    assert type(BoxSet([[1]], [[2]], feature_names=np.array(["a"])).feature_names[0]) is str


def test_equal_limits_and_no_boxes_are_allowed():
    assert BoxSet([[3]], [[3]]).contains([[3], [4]]).tolist() == [True, False]
    empty = BoxSet(np.empty((0, 2)), np.empty((0, 2)))
    assert (len(empty), list(empty)) == (0, [])
    assert empty.membership([[1, 2]]).shape == (1, 0)
    assert empty.contains([[1, 2]]).tolist() == [False]
    assert empty.margin([[1, 2]]).tolist() == [-INF]


def test_never_changes(boxes):
    source = np.zeros((1, 2))
    made = BoxSet(source, source + 1)
    source += 0.5
    assert made.lower.tolist() == [[0, 0]]
    for name in ("lower", "upper", "missing", "limited"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(boxes, name)[0, 0] = 1
    with pytest.raises(AttributeError, match="cannot set 'lower'"):
        boxes.lower = 1
    with pytest.raises(AttributeError, match="cannot set 'other'"):
        boxes.other = 1
    with pytest.raises(AttributeError, match="cannot delete 'lower'"):
        del boxes.lower
    assert not hasattr(boxes, "__dict__")


@pytest.mark.parametrize("remake", [copy.copy, copy.deepcopy, lambda boxes: pickle.loads(pickle.dumps(boxes))])
def test_copies_are_equal_and_read_only(boxes, remake):
    again = remake(boxes)
    assert again == boxes
    assert again.to_text() == boxes.to_text()
    assert not again.lower.flags.writeable
    assert not again.upper.flags.writeable


def test_equality_and_hash_by_value(boxes):
    again = BoxSet(boxes.lower, boxes.upper, feature_names=boxes.feature_names)
    assert again == boxes
    assert hash(again) == hash(boxes)
    assert boxes != BoxSet(boxes.lower, boxes.upper)
    assert boxes != boxes[:1]
    assert boxes != "boxes"
    assert boxes.__eq__(1) is NotImplemented
    assert BoxSet([[0.0]], [[1]]) == BoxSet([[-0.0]], [[1]])
    assert hash(BoxSet([[0.0]], [[1]])) == hash(BoxSet([[-0.0]], [[1]]))
    assert BoxSet(np.empty((0, 1)), np.empty((0, 1))) != BoxSet(np.empty((0, 2)), np.empty((0, 2)))


def test_indexing_and_iteration(boxes):
    assert [len(box) for box in boxes] == [1, 1]
    assert boxes[0].lower[0, 0] == boxes.lower[0, 0]
    assert boxes[-1] == boxes[1] == list(boxes)[1] == boxes[np.int64(1)]
    assert boxes[1].feature_names == boxes.feature_names
    assert boxes[1:] == boxes[1]
    assert len(boxes[:0]) == 0
    for index in (2, -3):
        with pytest.raises(IndexError):
            boxes[index]
    with pytest.raises(TypeError):
        boxes[0.5]


def test_rows_may_be_named_and_options_must_be(boxes):
    X, y = [[40, 1, 0], [10, 7, 1], [25, 3, 0], [26, 3, 0], [27, 4, 0]], [1, 1, 0, 0, 0]
    assert boxes == BoxSet(lower=boxes.lower, upper=boxes.upper, feature_names=boxes.feature_names)
    assert boxes.membership(X=X, n_jobs=1).tolist() == [[True, False], [False, True], *[[False, False]] * 3]
    assert boxes.contains(X=X, n_jobs=1).tolist() == [True, True, False, False, False]
    assert boxes.simplify(X, y) == boxes.simplify(X=X, y=y, max_loss=0.0) != boxes.simplify(X, y, max_loss=1.0)
    assert boxes.round(X=X, y=y, digits=1)[0] == boxes
    for call in (
        lambda: BoxSet([[1]], [[2]], ["a"]),
        lambda: boxes.membership(X, 1),
        lambda: boxes.contains(X, 1),
        lambda: boxes.simplify(X, y, 1.0),
        lambda: boxes.round(X, y, 1),
    ):
        with pytest.raises(TypeError, match="positional argument"):
            call()


# rows


@given(st.data())
def test_membership_and_margin_agree_with_plain_python(data):
    boxes = data.draw(box_sets(elements=st.integers(-3, 3).map(float)))
    values = st.one_of(st.integers(-4, 4).map(float), st.sampled_from([np.nan, INF, -INF]))
    X = data.draw(hnp.arrays(np.float64, (data.draw(st.integers(0, 6)), boxes.n_features), elements=values))
    # Where a box has no limit, anything is inside: nothing but the limits is looked at.
    expected = np.array([naive_inside(boxes, row) for row in X.tolist()]).reshape(len(X), len(boxes))
    np.testing.assert_array_equal(boxes.membership(X), expected)
    np.testing.assert_array_equal(boxes.contains(X), expected.any(axis=1))
    np.testing.assert_array_equal(boxes.margin(X) >= 0, expected.any(axis=1))


@given(st.data())
def test_margin_has_the_sign_of_contains_for_any_floats(data):
    boxes = data.draw(box_sets(n_features=1))
    finite = boxes.lower[np.isfinite(boxes.lower)].tolist() + boxes.upper[np.isfinite(boxes.upper)].tolist()
    near = [math.nextafter(value, to) for value in finite for to in (-INF, value, INF)]
    X = np.array([*near, data.draw(st.floats()), -INF, INF])[:, None]
    np.testing.assert_array_equal(boxes.margin(X) >= 0, boxes.contains(X))


def test_margin_values():
    boxes = BoxSet([[0, -INF], [10, 1]], [[4, INF], [20, 2]])
    assert boxes.margin([[1, 99], [4, 0], [11, 1.25], [6, 1.5], [25, 3]]).tolist() == [1, 0, 0.25, -2, -5]
    assert BoxSet([[-INF]], [[INF]]).margin([[5], [np.nan]]).tolist() == [INF, INF]
    tiny = 5e-324
    assert BoxSet([[tiny]], [[1]]).margin([[0.0]]).tolist() == [-tiny]
    assert BoxSet([[1e308]], [[1.5e308]]).margin([[-1.7e308]]).tolist() == [-INF]


def test_an_equality_leaves_the_margin_to_the_other_limits():
    boxes = BoxSet([[5, 100]], [[5, INF]], feature_names=["hour", "amount"])
    assert boxes.margin([[5, 100], [5, 250], [7, 250], [5, 90], [np.nan, 250]]).tolist() == [0, 150, -2, -10, -INF]
    assert boxes.drop_limit(0, "amount").margin([[5, 1], [4, 1]]).tolist() == [INF, -1]
    known = BoxSet([[5]], [[5]], missing=[[True]])
    assert known.margin([[np.nan], [5], [INF]]).tolist() == [INF, INF, -INF]


def test_nan_is_outside_limits_and_inside_where_there_are_none(boxes):
    X = [[np.nan, 1, 0], [40, np.nan, 0], [10, 7, np.nan]]
    assert boxes.contains(X).tolist() == [False, False, True]
    assert boxes.margin(X).tolist() == [-INF, -INF, 2]
    assert boxes.contains([[None, 1, 0], [10, 7, None]]).tolist() == [False, True]


def test_rows_beyond_one_tile():
    X = np.random.default_rng(0).normal(size=(2 * _TILE_ROWS + 5, 3))
    boxes = BoxSet([[-1, -INF, 0], [0, -1, -1]], [[1, 0.5, INF], [2, 0, 1]])
    expected = ((X[:, None] >= boxes.lower) & (X[:, None] <= boxes.upper)).all(axis=2)
    for array in (X, np.asfortranarray(X), X[:, ::-1][:, ::-1]):
        np.testing.assert_array_equal(boxes.membership(array), expected)
    assert (boxes.margin(X) >= 0).tolist() == expected.any(axis=1).tolist()


def test_float32_is_compared_as_float64():
    third = np.float32(0.1)
    X = np.array([[third]], dtype=np.float32)
    # As float32 both limits would round to the value and hold it.
    above, below = np.nextafter(float(third), INF), np.nextafter(float(third), -INF)
    assert not BoxSet([[above]], [[1]]).contains(X)[0]
    assert not BoxSet([[0]], [[below]]).contains(X)[0]
    assert BoxSet([[float(third)]], [[float(third)]]).contains(X)[0]
    assert BoxSet([[above]], [[1]]).margin(X)[0] < 0
    assert not BoxSet([[0.1]], [[0.1]]).contains(X)[0]


def test_other_types_of_numbers():
    boxes = BoxSet([[1.5]], [[1e300]])
    for dtype in (np.int8, np.uint64, np.float16, np.bool_, object):
        assert boxes.contains(np.array([[1], [2]]).astype(dtype)).tolist() == [False, dtype is not np.bool_]
    assert boxes.contains([[2**63 - 1], [2**70]]).tolist() == [True, True]


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (np.zeros((2, 2)), ValueError, "X has 2 features, but this BoxSet has 3"),
        ([1, 2, 3], ValueError, r"X must be \(n_samples, n_features\), got \(3,\)"),
        (5, ValueError, "X must be"),
        ([["a", "b", "c"]], TypeError, "X must hold numbers only"),
        (np.array([["1", 2, 3]], dtype=object), TypeError, "X must hold numbers only"),
        (np.zeros((1, 3), dtype="M8[s]"), TypeError, "X must hold numbers only"),
    ],
)
def test_bad_rows_have_one_clear_error(boxes, X, error, message):
    for method in (boxes.contains, boxes.membership, boxes.margin, boxes.round):
        with pytest.raises(error, match=message):
            method(X)


# frames

FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]


@pytest.mark.parametrize("frame", FRAMES)
def test_frames_are_matched_by_name(boxes, frame):
    X = frame({"note": ["a", "b"], "sex": [0, 1], "dose": [1.0, 7.0], "age": [40, 10]})
    assert boxes.membership(X).tolist() == [[True, False], [False, True]]
    assert boxes.margin(X).tolist() == [1, 2]
    with pytest.raises(ValueError, match=r"X lacks the columns \['dose', 'sex'\]"):
        boxes.contains(frame({"age": [1], "other": [2], "more": [3]}))


@pytest.mark.parametrize("frame", FRAMES)
def test_frames_are_matched_by_position_only_for_default_names(boxes, frame):
    default = BoxSet(boxes.lower, boxes.upper)
    X = {"age": [40, 10], "dose": [1.0, 7.0], "sex": [0, 1]}
    assert default.contains(frame(X)).tolist() == [True, True]
    with pytest.raises(ValueError, match="X has 4 features, but this BoxSet has 3"):
        default.contains(frame({**X, "more": [1, 2]}))
    assert default.contains(frame({"x2": [0, 1], "x1": [1.0, 7.0], "x0": [40, 10]})).tolist() == [True, True]
    # Going by position here would take x1 for x0.
    with pytest.raises(ValueError, match=r"lacks the columns \['x0'\]"):
        default.contains(frame({"x1": [1], "x2": [2], "x3": [3]}))


@pytest.mark.parametrize("frame", FRAMES)
def test_missing_values_of_frames(frame):
    boxes = BoxSet([[0, -INF]], [[2, 0]], feature_names=["a", "b"])
    X = frame({"a": [1, None, 1], "b": [False, False, None]})
    assert boxes.contains(X).tolist() == [True, False, False]


def test_pandas_specials():
    boxes = BoxSet([[0, 1]], [[2, 1]], feature_names=["column_names", "flag"])
    X = pd.DataFrame({"column_names": [1, None, 5], "flag": [True, True, None]})
    expected = [True, False, False]
    for dtypes in (
        {"column_names": "Int64", "flag": "boolean"},
        {"column_names": "Float32", "flag": "boolean"},
        {"column_names": "int64[pyarrow]", "flag": "bool[pyarrow]"},
    ):
        assert boxes.contains(X.astype(dtypes)).tolist() == expected
    assert boxes.contains(X.convert_dtypes(dtype_backend="pyarrow")).tolist() == expected
    assert BoxSet([[0]], [[1]]).contains(pd.DataFrame(np.array([[1], [2]]))).tolist() == [True, False]
    with pytest.raises(ValueError, match=r"several columns named \['flag'\]"):
        boxes.contains(pd.concat([X, X["flag"]], axis=1))
    with pytest.raises(TypeError, match="column 'flag' of X must hold numbers only"):
        boxes.contains(pd.DataFrame({"column_names": [1], "flag": ["1"]}))


@pytest.mark.parametrize("frame", FRAMES)
def test_a_column_without_limits_is_not_read(frame):
    boxes = BoxSet([[0, -INF]], [[1, INF]], feature_names=["a", "note"])
    assert boxes.contains(frame({"note": ["text", "more"], "a": [1, 2]})).tolist() == [True, False]


# how much there is to read


def test_limits_that_a_person_reads():
    rules = [
        (Limit("a", 1), 1),
        (Limit("a", 1, 2), 2),
        (Limit("a", 2, 2), 1),
        (Limit("a", 1, 2, missing=True), 2),
        (Limit("a", 2, 2, missing=True), 1),
        (Limit("a", INF, -INF, missing=True), 1),
        (Limit("a"), 1),
        (Limit("b", categories={"x", "y"}), 1),
        (Limit("b", categories={"x"}, missing=True), 1),
        (Limit("b", categories=frozenset(), missing=True), 1),
        (Limit("b"), 1),
    ]
    for limit, count in rules:
        assert BoxSet.from_rules([Rule((limit,))], ["a", "b"], {"b": ["x", "y"]}).n_limits == count, limit
    together = [Rule((limit, other)) for limit, _ in rules[:7] for other, _ in rules[7:]]
    boxes = BoxSet.from_rules([*together, Rule()], ["a", "b"], {"b": ["x", "y"]})
    assert boxes.n_limits == 4 * sum(count for _, count in rules[:7]) + 7 * 4
    # Each number and each other condition is printed once.
    texts = [limit for line in boxes[:-1].to_text().splitlines() for limit in line.split(": ")[1].split(" and ")]
    assert boxes.n_limits == sum(2 if limit.count("≤") == 2 else 1 for limit in texts)
    assert Scorecard(boxes, [1] * len(boxes), 1).n_limits == boxes.n_limits
    assert BoxSet(np.empty((0, 1)), np.empty((0, 1))).n_limits == 0


# representations


def test_repr(boxes):
    assert repr(boxes).splitlines() == [
        "BoxSet with 2 boxes on 3 features",
        "Box 1: age ≥ 30 and dose ≤ 2 and sex = 0",
        "Box 2: age ≤ 20 and dose ≥ 5",
    ]
    many = BoxSet(np.arange(15)[:, None], np.arange(15)[:, None] + 1)
    assert repr(many).splitlines()[-2:] == ["Box 10: 9 ≤ x0 ≤ 10", "... and 5 more"]
    assert repr(many[:0]) == "BoxSet with 0 boxes on 1 feature\nNo boxes: no row is flagged"
    assert "more" not in repr(many[:10])


def test_html(boxes):
    html = boxes._repr_html_()
    assert html.count("<tr>") == 3
    assert "age ≥ 30 and dose ≤ 2" in html
    hostile = BoxSet([[1]], [[2]], feature_names=["<script>alert('&')</script>\n"])._repr_html_()
    assert "<script" not in hostile
    assert "&lt;script&gt;alert(&#x27;&amp;&#x27;)&lt;/script&gt;\\n" in hostile
    assert "No boxes: no row is flagged" in boxes[:0]._repr_html_()
    assert boxes._repr_html_().endswith("<p>Looks at 3 of 3 features: age, dose, sex</p>")
    assert boxes[:0]._repr_html_().endswith("<p>Looks at 0 of 3 features</p>")
    many = BoxSet(np.eye(30), np.eye(30), feature_names=[f"<{j}>" for j in range(30)])._repr_html_()
    assert many.count("<tr>") == 12
    assert '<td style="text-align:left">and 20 more</td>' in many
    assert many.endswith("&lt;18&gt;, &lt;19&gt; and 10 more</p>")


def test_boxes_are_chosen_by_places_and_masks():
    boxes = BoxSet([[1], [2], [3]], [[4], [5], [6]])
    for index in ([0, 2], np.array([0, 2]), [True, False, True], slice(0, 3, 2)):
        assert boxes[index] == boxes[0] + boxes[2]
    assert boxes[-1] == boxes[2] == boxes[np.int64(2)]
    assert not len(boxes[[]])
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        boxes[3]
    for wrong in (None, True, "a", [[0], [1]]):
        with pytest.raises(TypeError, match="boxes are chosen by a number from 0 on"):
            boxes[wrong]


def test_a_repr_cuts_rules_that_nobody_reads_to_the_end():
    shops = [f"shop {i}" for i in range(500)]
    boxes = BoxSet([[-np.inf]] * 2, [[np.inf]] * 2, feature_names=["shop"], allowed={"shop": [set(shops), {"shop 7"}]})
    _, first, second = repr(boxes).splitlines()
    assert first.startswith("Box 1: shop in {shop 0, shop 1, shop 10, ")
    assert first.endswith(" ...")
    assert len(first) == 400
    assert second == "Box 2: shop = shop 7"
    assert "shop 499" in boxes.to_text()

"""What a page holds."""

import base64
import json

import numpy as np
import pandas as pd
import pytest

from boxdraw import BoxSet
from boxdraw.model.explain import feature_scale
from boxdraw.model.rows import MISSING, UNSEEN
from boxdraw.model.scorecard import Scorecard
from boxdraw.report.build import page
from boxdraw.report.payload import FORMAT, Labelled, Subject, array, balanced_cost, payload

INF = float("inf")


def numbers(spec):
    """Read an array as the page does."""
    return np.frombuffer(base64.b64decode(spec["data"]), np.dtype(spec["type"]).newbyteorder("<"))


def held(page_text):
    """Read the data back from a page."""
    return json.loads(page_text.split('id="boxdraw-data">')[1].split("</script>")[0])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([], "u1"),
        ([0, 255], "u1"),
        ([True, False], "u1"),
        ([-2, 127], "i1"),
        ([-2, 128], "i2"),
        ([-32769], "i4"),
        ([2**31 - 1], "i4"),
        ([2**31], "f4"),
        ([2**31 + 1], "f8"),
        ([0.5, np.nan], "f4"),
        ([INF, -INF, 1], "f4"),
        ([0.1], "f8"),
        ([1e300], "f8"),
    ],
)
def test_arrays_are_exact_and_small(values, kind):
    spec = array(values)
    assert spec["type"] == kind
    np.testing.assert_array_equal(numbers(spec).astype(float), np.asarray(values, dtype=float))


def mixed():
    """Return boxes on a number and on categories of several types, and rows with all that can be in them."""
    boxes = BoxSet(
        [[0.5, -INF, -INF]],
        [[INF, INF, INF]],
        feature_names=["a", "b", "c"],
        categories={"b": ["x", 2, 3.5, True]},
        allowed={"b": [{"x", 3.5}]},
        missing=[[True, False, True]],
    )
    table = pd.DataFrame(
        {
            "b": pd.Series(["x", 2, 3.5, True, "new", None], dtype=object),
            "a": [np.nan, INF, -INF, 0.25, 1, 7],
            "c": [10, 20, 30, 40, 50, 90],
        }
    )
    return boxes, table, np.array([1, 0, 0, 1, 0, 0], dtype=bool)


def test_columns_are_those_of_the_boxes():
    boxes, table, positive = mixed()
    data = payload(Subject(boxes, ("no", "yes")), Labelled(table, positive))
    assert data["features"] == [
        {"name": "a", "kind": "numeric", "scale": feature_scale(boxes, table)[0], "whole": False},
        {"name": "b", "kind": "categorical", "categories": ["x", 2, 3.5, True], "scale": 1.0},
        {
            "name": "c",
            "kind": "numeric",
            "scale": feature_scale(boxes.replace(0, "c", lower=5), table)[2],
            "whole": True,
        },
    ]
    a, b, c = (numbers(column) for column in data["data"]["train"]["columns"])
    np.testing.assert_array_equal(a, table["a"])
    assert b.tolist() == [0, 1, 2, 3, UNSEEN, MISSING]
    assert c.tolist() == table["c"].tolist()
    assert BoxSet.from_json(json.dumps(data["boxes"])) == boxes
    assert held(page(data)) == data


def test_everything_else():
    boxes, table, positive = mixed()
    card = Scorecard(boxes, [3], 2)
    train = Labelled(table, positive, np.arange(1.0, 7), np.array([INF, 0.5, 1, 2, 3, 4]), list("uvwxyz"))
    data = payload(
        Subject(boxes, (np.int64(0), np.int64(1)), card, "fraud", "Scored", {"lam": 4}, closed_form_absent="why"),
        train,
        Labelled(table[:2], positive[:2]),
    )
    assert (data["format"], data["version"], data["target"], data["learner"]) == (FORMAT, 1, "fraud", "Scored")
    assert (data["classes"], data["title"], data["fit"]) == ([0, 1], "Rules for fraud = 1", {"lam": 4})
    assert data["scorecard"] == {"threshold": 2, "points": [3]}
    assert data["false_alarm_cost"] == pytest.approx((1 + 4) / (2 + 3 + 5 + 6))
    assert (data["closed_form"], data["closed_form_absent"]) == (None, "why")
    rows, test = data["data"]["train"], data["data"]["test"]
    assert (rows["n"], rows["sampled"], rows["ids"]) == (6, False, list("uvwxyz"))
    assert rows["total"] == {"rows": 6, "positives": 2}
    assert numbers(rows["positive"]).tolist() == positive.tolist()
    assert numbers(rows["weight"]).tolist() == [1, 2, 3, 4, 5, 6]
    assert numbers(rows["critical"]).tolist() == [INF, 0.5, 1, 2, 3, 4]
    assert (test["n"], test["weight"], test["ids"], test["critical"]) == (2, None, None, None)


@pytest.mark.parametrize("label", [np.str_("yes"), np.bool_(True), True, 1, 1.5, "yes", b"yes"])
def test_labels_are_plain(label):
    found = payload(Subject(BoxSet([[1]], [[2]]), (label, label)), Labelled([[1]], np.array([True])))["classes"][0]
    assert found == ("b'yes'" if isinstance(label, bytes) else label)
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize(
    "name",
    [
        "</script><script>alert(1)</script>",
        "<!--",
        "]]>",
        "&lt;",
        "'\"`",
        "{{script}}",
        "\u2028\0\x7f",
        "\ud800",
        "\u202e",
    ],
)
def test_hostile_texts(name):
    boxes = BoxSet(
        [[1, -INF]], [[2, INF]], feature_names=[name, "b"], categories={"b": [name, "q"]}, allowed={"b": [{name}]}
    )
    subject = Subject(boxes, ("no", name), target=name, title=f"t {name}", fit={name: name})
    table = np.array([[1.0, name], [5.0, "q"]], dtype=object)
    text = page(payload(subject, Labelled(table, np.array([True, False]), ids=[name, "q"])))
    assert text.encode("utf-8").decode("utf-8") == text
    assert text.count("<script") == 2  # the data, and the program
    assert text.count("</script") == 2
    data = held(text)
    assert (data["features"][0]["name"], data["features"][1]["categories"][0]) == (name, name)
    assert (data["data"]["train"]["ids"][0], data["target"], data["fit"][name]) == (name, name, name)
    assert numbers(data["data"]["train"]["columns"][1]).tolist() == [0, 1]


def test_what_json_cannot_tell_apart_is_refused():
    table = Labelled([[1]], np.array([True]))
    with pytest.raises(ValueError, match="cannot be written as JSON: rename the feature"):
        payload(Subject(BoxSet([[1]], [[2]], feature_names=["\ud83d\ude00"]), (0, 1)), table)
    boxes = BoxSet([[-INF]], [[INF]], categories={"x0": [1, 2**53 + 1]})
    with pytest.raises(ValueError, match=r"'x0' has the category 9007199254740993, .* make the categories strings"):
        payload(Subject(boxes, (0, 1)), Labelled([[1]], np.array([True])))


def test_no_boxes_and_no_rows():
    boxes = BoxSet(np.empty((0, 2)), np.empty((0, 2)))
    data = payload(
        Subject(boxes, (0, 1)), Labelled([[1, 2]], np.array([True])), Labelled(np.empty((0, 2)), np.empty(0, bool))
    )
    assert data["boxes"]["boxes"] == []
    test = data["data"]["test"]
    assert (test["n"], test["total"], test["sampled"]) == (0, {"rows": 0, "positives": 0}, False)
    assert test["columns"] == [{"type": "u1", "data": ""}] * 2
    assert data["false_alarm_cost"] == 1


def many(n_positive, n_negative, weight=None):
    rng = np.random.default_rng(1)
    positive = rng.permutation(np.arange(n_positive + n_negative) < n_positive)
    return Labelled(np.arange(len(positive), dtype=float)[:, None], positive, weight)


def sampled(data, most):
    rows = payload(Subject(BoxSet([[1]], [[2]]), (0, 1)), data, data, max_rows=most)["data"]
    assert rows["train"] == rows["test"]
    return rows["train"]


@pytest.mark.parametrize(
    ("n_positive", "n_negative", "kept"),
    [
        (10, 990, 10),
        (500, 500, 50),
        (990, 10, 90),
        (0, 1000, 0),
        (1000, 0, 100),
        (40, 61, 40),
        (61, 40, 60),
        (1, 100, 1),
    ],
)
def test_samples(n_positive, n_negative, kept):
    data = many(n_positive, n_negative)
    rows = sampled(data, 100)
    assert rows == sampled(data, 100)
    assert (rows["n"], rows["sampled"]) == (100, True)
    assert rows["total"] == {"rows": len(data.positive), "positives": n_positive}
    positive, weight, values = numbers(rows["positive"]) == 1, numbers(rows["weight"]), numbers(rows["columns"][0])
    assert positive.sum() == kept
    assert weight[positive].sum() == pytest.approx(n_positive)
    assert weight[~positive].sum() == pytest.approx(n_negative)
    assert len(np.unique(values)) == 100
    assert (np.diff(values) > 0).all()  # in the order of the table
    np.testing.assert_array_equal(data.positive[values.astype(int)], positive)
    assert rows["ids"] == [str(int(value)) for value in values]


def test_samples_of_weighted_rows():
    rng = np.random.default_rng(2)
    weight = np.where(rng.random(1000) < 0.5, 0, rng.random(1000))
    data = many(300, 700, weight)
    rows = sampled(data, 100)
    positive, masses = numbers(rows["positive"]) == 1, numbers(rows["weight"])
    assert (masses > 0).all()
    for chosen, whole in ((positive, data.positive), (~positive, ~data.positive)):
        assert masses[chosen].sum() == pytest.approx(weight[whole].sum())
    values = numbers(rows["columns"][0]).astype(int)
    share = masses[positive] / weight[values][positive]
    np.testing.assert_allclose(share, share[0])  # rows keep their weights among each other
    assert sampled(many(3, 200, np.zeros(203)), 100)["n"] == 0


def test_all_rows_where_there_are_not_too_many():
    rows = sampled(many(3, 97), 100)
    assert (rows["n"], rows["sampled"], rows["weight"], rows["ids"]) == (100, False, None, None)


def test_the_balanced_cost():
    positive = np.array([True, False, False])
    assert balanced_cost(Labelled(None, positive)) == 0.5
    assert balanced_cost(Labelled(None, positive, np.array([3.0, 1, 1]))) == 1.5
    assert balanced_cost(Labelled(None, positive, np.array([0.0, 1, 1]))) == 1
    assert balanced_cost(Labelled(None, positive[:1])) == 1

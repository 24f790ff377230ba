"""A page without rows: numbers of rows between limits count as the rows do, and hold none of their values."""

import numpy as np
import pytest

from boxdraw import BoxSetClassifier
from boxdraw.report.cells import count_cells
from boxdraw.report.payload import Labelled, Subject, payload

from .javascript import run_js
from .models import random_boxes, random_rows
from .test_shell import BOXES, X_TEST, Y_TEST, X, Y, _counts, _page_counts, _payload, show

__all__ = ["show"]  # a fixture


@pytest.mark.parametrize("seed", range(20))
def test_boxes_hold_cells_exactly_as_they_hold_rows(page, seed):
    rng = np.random.default_rng(seed)
    boxes = random_boxes(rng, [f"x{j}" for j in range(4)], 3)
    rows = random_rows(rng, boxes, 200)
    positive, weight = rng.random(200) < 0.3, rng.random(200)
    data = payload(Subject(boxes, (0, 1)), Labelled(rows, positive, weight), counts_only=True)
    expression = """(() => {
      const report = readReport(argument);
      const { member, table } = evaluate(report.learned, report.data.train);
      return [member.map((rows) => [...rows]), [...table.positive], [...table.weight]];
    })()"""
    member, labels, masses = (np.array(part) for part in run_js(page, ["data", "evaluate"], expression, data))
    expected, found = {}, {}
    for key, mass in zip(zip(*boxes.membership(rows).T.tolist(), positive.tolist(), strict=True), weight, strict=True):
        expected[key] = expected.get(key, 0) + mass
    for key, mass in zip(zip(*(member == 1).tolist(), (labels == 1).tolist(), strict=True), masses, strict=True):
        found[key] = found.get(key, 0) + mass
    assert found == pytest.approx(expected)


def test_the_page_counts_without_rows(show):
    data = payload(
        Subject(BOXES, ("no", "yes"), None, "fraud"), Labelled(X, Y), Labelled(X_TEST, Y_TEST), counts_only=True
    )
    page = show(data, edited=False)
    assert _page_counts(page) == _counts(BOXES)
    assert "holds no rows" in page.locator("#top").inner_text()
    assert page.locator("#rows table").count() == 0
    assert data["data"]["train"]["n"] < len(X) / 5 < _payload()["data"]["train"]["n"]


def test_no_value_of_a_row_is_in_the_page(tmp_path):
    income = X["income"].dropna().unique()
    values, _, _ = count_cells(BOXES, [X["age"], X["income"], np.zeros(len(X))], Y, None)
    assert not np.isin(values[1], income).any()
    html = BoxSetClassifier(BOXES, classes=(False, True)).report(X, Y, counts_only=True).html
    assert '"counts_only":true' in html

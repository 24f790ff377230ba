"""A card of the largest size that is learned by default prints on one page."""

import re

import numpy as np

from boxdraw import BoxSet, BoxSetClassifier, Scorecard
from boxdraw.model.risk import Region, RiskTable


def largest(n_boxes=16):
    """Return a classifier whose card has two limits in each box, long names and a risk for each number of points."""
    names = [f"number of payments in the last {j} weeks" for j in range(12)]
    lower, upper = np.full((n_boxes, 12), -np.inf), np.full((n_boxes, 12), np.inf)
    for k in range(n_boxes):
        lower[k, k % 12], upper[k, (k + 5) % 12] = k + 0.25, k + 99.5
    points = [(-1) ** k * (k % 5 + 1) for k in range(n_boxes)]
    model = BoxSetClassifier(Scorecard(BoxSet(lower, upper, feature_names=names), points, 6))
    model._set_risk(RiskTable([Region(20 - k if k < 15 else None, 90, 9, 0.5 - 0.03 * k, 0.1, 0.9) for k in range(16)]))
    return model


def n_pages(page, html):
    page.set_content(f"<!doctype html><meta charset=utf-8>{html}")
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", margin=dict.fromkeys(SIDES, "1cm"))))


SIDES = ("top", "bottom", "left", "right")


def test_a_card_prints_on_one_page(page):
    model = largest()
    assert n_pages(page, model.scorecard_.to_html(model.risk_table_)) == 1
    assert n_pages(page, largest(12)._repr_html_()) == 1  # it says what is looked at, in lines of the page's own font
    assert "20 or more points" in model._repr_html_()
    assert n_pages(page, largest(60)._repr_html_()) > 1  # pages are counted

"""Exact Boxes as in the paper's experiments, on a small table."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from boxdraw import ExactBoxesClassifier
from paper import exact_boxes
from paper.exact_boxes import PAPER_EXACT_BOXES, TIE, chosen_boxes, draw, own_boxes
from paper.fast_boxes import paper_model
from paper.tables import PAPER_FAST_BOXES


@pytest.fixture(scope="module")
def table():
    """One box of positives, with noise."""
    rng = np.random.default_rng(0)
    X = rng.random((40, 2)).round(3)
    return X, ((abs(X - 0.3) < 0.25).all(axis=1) ^ (rng.random(40) < 0.1)).astype(int)


def direct(train, test, max_boxes, edges):
    """Compute the ROC points of one split step by step."""
    (X, y), (X_test, y_test) = train, test
    model = ExactBoxesClassifier(
        max_boxes=max_boxes, box_cost=1, limit_cost=0, edges=edges, pos_label=1, random_state=0
    )
    points = []
    for c in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        model.set_params(negative_weight=c).fit(X, y)
        model.set_params(warm_start_boxes=model.boxes_ if len(model.boxes_) else None)
        flagged = model.boxes_.contains(X_test)
        points.append((flagged[y_test == 0].mean(), flagged[y_test == 1].mean()))
    return points


def test_drawings_are_what_a_direct_computation_gives(table):
    X, y = table
    train, test = list(StratifiedShuffleSplit(2, test_size=0.5, random_state=3).split(X, y))[1]
    max_boxes = chosen_boxes(X[train], y[train])
    assert max_boxes == paper_model().fit(X[train], y[train]).best_params_["n_boxes"]
    parts = (X[train], y[train]), (X[test], y[test])
    drawings = draw((*parts[0], *parts[1]), max_boxes, 60.0, "tight")
    assert [(one.fpr, one.tpr) for one in drawings] == direct(*parts, max_boxes, "tight")
    assert all(one.proven and one.gap == 0 for one in drawings)


def test_its_own_number_of_boxes_is_the_one_of_the_best_held_out_objective(table, monkeypatch):
    monkeypatch.setattr(exact_boxes, "OWN_BOXES", (1, 2))
    X, y = table
    chosen = own_boxes(X, y, 1200.0, "midway")
    values = np.zeros((2, 10))
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        for n_boxes in (1, 2):
            model = ExactBoxesClassifier(max_boxes=n_boxes, box_cost=1, limit_cost=TIE, pos_label=1, round_limits=False)
            for i in range(10):
                model.set_params(negative_weight=(i + 1) / 10).fit(X[train], y[train])
                model.set_params(warm_start_boxes=model.boxes_ if len(model.boxes_) else None)
                right = model.boxes_.contains(X[test]) == (y[test] == 1)
                values[n_boxes - 1, i] += right @ np.where(y[test] == 1, 1.0, (i + 1) / 10)
    best = np.where(values[1] > values[0] + 1e-9, 2, 1)
    assert chosen == best.tolist()
    assert (values[0] != values[1]).any()


def test_the_papers_eight_data_sets_are_among_those_of_fast_boxes():
    assert len(PAPER_EXACT_BOXES) == 8
    assert PAPER_EXACT_BOXES.keys() <= PAPER_FAST_BOXES.keys()

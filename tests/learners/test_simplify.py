"""``simplify`` of every classifier: at the weight of its fit, with its labels, and as a classifier that is saved."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import boxdraw
from boxdraw import (
    BoxSet,
    BoxSetClassifier,
    ExactBoxesClassifier,
    FastBoxesClassifier,
    FastBoxesClassifierCV,
    Scorecard,
    ScoredBoxesClassifier,
    SparseBoxesClassifier,
)

LEARNERS = [
    FastBoxesClassifier(n_boxes=2),
    FastBoxesClassifierCV(n_boxes=(1, 2), cv=2),
    ScoredBoxesClassifier(max_boxes=3, max_limits=2),
    ExactBoxesClassifier(max_boxes=1, time_limit=2),
    SparseBoxesClassifier(cv=2),
]


def rare(n=240, seed=0):
    """A class that is flagged with a precision of about a quarter at best."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random((n, 3)), columns=["a", "b", "c"])
    inside = (X["a"] > 0.6) & (X["b"] > 0.5)
    return X, pd.Series(np.where(inside & (rng.random(n) < 0.25), "bad", "ok"), name="state")


def worth(flagged, positive, cost):
    return np.count_nonzero(flagged & positive) - cost * np.count_nonzero(flagged & ~positive)


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_a_model_of_low_precision_is_not_emptied(learner):
    X, y = rare()
    positive = (y == "bad").to_numpy()
    model = clone(learner).fit(X, y)
    flagged = model.predict(X) == "bad"
    balance = positive.sum() / (~positive).sum()
    assert worth(flagged, positive, 1) < 0 < worth(flagged, positive, balance)
    simpler = model.simplify(X, y)
    assert len(simpler.boxes_) > 0
    cost = getattr(model, "negative_weight_", balance) if "CV" not in type(model).__name__ else balance
    now = simpler.predict(X) == "bad"
    assert worth(now, positive, cost) >= worth(flagged, positive, cost) - 1e-9
    assert sum(map(len, (rule.limits for rule in simpler.boxes_.rules()))) <= sum(
        map(len, (rule.limits for rule in model.boxes_.rules()))
    )


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_what_else_the_model_knows_stays(learner, tmp_path):
    X, y = rare()
    model = clone(learner).fit(X, y)
    boxes = model.boxes_
    simpler = model.simplify(X, y, max_loss=2)
    assert isinstance(simpler, BoxSetClassifier)
    assert model.boxes_ is boxes
    assert (simpler.classes_.tolist(), simpler.pos_label_) == (["bad", "ok"], "bad")
    assert simpler.feature_names_in_.tolist() == ["a", "b", "c"]
    assert simpler.boxes_ == BoxSet.from_json(simpler.boxes_.to_json())
    assert ((simpler.decision_function(X) < 0) == (simpler.predict(X) == "bad")).all()
    simpler.save(tmp_path / "model.json")
    saved = boxdraw.load(tmp_path / "model.json")
    assert saved.boxes_ == simpler.boxes_
    assert (saved._loaded.target, saved._loaded.fit["learner"]) == ("state", type(learner).__name__)
    assert saved._loaded.fit["simplified"] == [change.text for change in simpler.changes_]


def test_the_weight_is_that_of_the_fit():
    """One box of two positives and three negatives: at a cost of a half it pays, at one it does not."""
    X, y = pd.DataFrame({"x": np.arange(12.0)}), np.array([0] * 4 + [1, 0, 0, 0, 1] + [0] * 3)
    boxes = BoxSet([[4]], [[8]], feature_names=["x"])

    class Priced(BoxSetClassifier):
        false_alarm_cost = None

    model = Priced(boxes)
    for cost, kept in ((0.5, 1), (1.0, 0), (None, 1), ("balanced", 1)):
        Priced.false_alarm_cost = cost
        assert len(model.simplify(X, y).boxes_) == kept
    Priced.false_alarm_cost_ = 1.0  # what fit chose
    assert len(model.simplify(X, y).boxes_) == 0
    assert len(model.simplify(X, y, negative_weight=0.5).boxes_) == 1
    exact = ExactBoxesClassifier(max_boxes=1, negative_weight=0.2, box_cost=0.1).fit(X, y)
    assert exact.boxes_.contains(X).sum() == 5
    assert exact.simplify(X, y).boxes_ == exact.boxes_
    assert len(exact.simplify(X, y, negative_weight=1).boxes_) == 0


def test_weights_of_rows_count():
    X, y = [[1.0], [2.0], [3.0], [9.0]], [1, 0, 1, 0]
    model = BoxSetClassifier(BoxSet([[1]], [[3]]))
    assert model.simplify(X, y, negative_weight=1, sample_weight=[1, 3, 1, 1]).boxes_.n_boxes == 0
    assert model.simplify(X, y, negative_weight=1).boxes_.to_text() == "Box 1: x0 ≤ 3"


def test_of_a_scorecard_the_union():
    card = Scorecard(BoxSet([[0, -np.inf], [-np.inf, 0]], [[1, np.inf], [np.inf, 1]]), [1, 1], 1)
    X = [[0.5, 5], [5, 0.5], [5, 5], [6, 7], [6, -1]]
    simpler = BoxSetClassifier(card, classes=("no", "yes")).simplify(X, ["yes", "no", "no", "no", "no"])
    assert simpler.boxes_.to_text() == "Box 1: x0 ≤ 1"
    assert simpler.predict(X).tolist() == ["yes", "no", "no", "no", "no"]
    assert not hasattr(simpler, "scorecard_")


def test_changes_are_gone_after_another_fit():
    X, y = [[1.0], [2.0], [3.0], [9.0]], [1, 0, 1, 0]
    simpler = BoxSetClassifier(BoxSet([[1]], [[3]])).simplify(X, y)
    assert [change.kind for change in simpler.changes_] == ["drop limit"]
    assert not hasattr(simpler.fit(X, y), "changes_")


def test_one_clear_error():
    model = BoxSetClassifier(BoxSet([[1]], [[3]]), classes=("no", "yes"))
    with pytest.raises(ValueError, match="max_loss must be at least 0"):
        model.simplify([[1.0]], ["yes"], max_loss=-1)
    with pytest.raises(ValueError, match="maybe"):
        model.simplify([[1.0]], ["maybe"])
    with pytest.raises(ValueError, match="fitted"):
        FastBoxesClassifier().simplify([[1.0]], ["yes"])

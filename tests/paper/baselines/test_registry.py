"""Every baseline that can run here does what a table of the paper needs of it."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.metrics import balanced_accuracy_score

from paper.baselines import BASELINES, MODERN, HellingerTreeClassifier, PRIMClassifier
from paper.baselines.modern import RuleFit, SkopeRules
from paper.baselines.weighted import WeightedClassifier, best_threshold, imported, seeded

ALL = BASELINES | MODERN


def available(name):
    if reason := ALL[name].missing():
        pytest.skip(reason)
    return ALL[name]


@pytest.fixture(scope="module")
def table():
    """Return a core of many positives, a surrounding of some, flagged if negatives weigh little, and a rest."""
    rng = np.random.default_rng(0)
    X = rng.random((480, 3))
    share = np.select([X[:, :2].min(axis=1) > 0.7, X[:, :2].min(axis=1) > 0.45], [0.95, 0.35], 0.02)
    y = (rng.random(480) < share).astype(int)
    return X[:240], y[:240], X[240:], y[240:]


def test_the_papers_columns_are_in_its_order():
    paper = ["Logistic", "SVM", "CART", "C4.5", "AdaBoost", "RF", "C5.0", "HDDT", "PRIM"]
    assert [one.title for one in BASELINES.values()] == paper
    assert list(MODERN) == ["ebm", "skope_rules", "figs", "rulefit", "ripper"]
    assert [name for name, one in ALL.items() if not one.weighted] == ["c45", "ripper"]
    assert all("no weights" in ALL[name].note for name in ("c45", "ripper"))


@pytest.mark.parametrize("name", ALL)
def test_it_learns_and_the_weight_counts(name, table):
    X, y, unseen, labels = table
    baseline = available(name)
    few, many = (baseline.make(weight, 0).fit(X, y).predict(unseen) for weight in (1.0, 0.1))
    for predicted in (few, many):
        assert predicted.shape == labels.shape
        assert set(predicted.tolist()) <= {0, 1}
    assert balanced_accuracy_score(labels, many) > (0.7 if baseline.weighted else 0.5)
    assert (few != many).any() == baseline.weighted
    if name not in ("cart", "adaboost"):  # there the weights only move splits, either way
        assert many.sum() >= few.sum()


@pytest.mark.parametrize("name", [name for name in ALL if name not in ("ebm", "rulefit")])  # which take long
def test_the_same_seed_gives_the_same_model(name, table):
    X, y, unseen, _ = table
    model = available(name).make(0.5, 3)
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    first = model.fit(X, y).predict(unseen)
    np.testing.assert_array_equal(clone(model).fit(X, y).predict(unseen), first)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_the_weight_of_cart_decides_in_a_leaf():
    X, y = np.zeros((4, 1)), [1, 0, 0, 0]
    assert [BASELINES["cart"].make(c, 0).fit(X, y).predict([[0.0]]).item() for c in (0.1, 1.0)] == [1, 0]


@pytest.mark.parametrize("weight", [-1, 0, float("nan"), float("inf"), True, "heavy"])
@pytest.mark.parametrize("name", ALL)
def test_a_weight_that_is_none_is_refused(name, weight):
    with pytest.raises(ValueError, match="negative_weight must be a finite number above 0; got"):
        ALL[name].make(weight, 0)


@pytest.mark.parametrize(
    "model",
    [
        SkopeRules(-1),
        RuleFit(-1),
        WeightedClassifier(DummyClassifier(), -1),
        HellingerTreeClassifier(-1),
        PRIMClassifier(-1),
    ],
    ids=lambda model: type(model).__name__,
)
def test_estimators_refuse_it_themselves(model):
    with pytest.raises(ValueError, match="negative_weight must be a finite number above 0; got -1"):
        model.fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    "name", ["svm", "c45", "adaboost", "hddt", "prim", "ebm", "skope_rules", "figs", "rulefit", "ripper"]
)
def test_one_class_is_one_clear_error(name):
    with pytest.raises(ValueError, match=r"Classifier can't train when only one class is present: .* 0"):
        available(name).make(1.0, 0).fit([[0.0], [1.0], [2.0]], [0, 0, 0])


@pytest.mark.parametrize("name", ["c45", "c50", "skope_rules", "figs", "rulefit", "ripper"])  # of other packages
def test_columns_may_be_named_by_numbers(name, table):
    pd = pytest.importorskip("pandas")
    X, y, unseen, _ = table
    model = available(name).make(0.5, 3)
    expected = model.fit(X, y).predict(unseen)
    columns = [10, 5, 7]
    of_frame = model.fit(pd.DataFrame(X, columns=columns), y).predict(pd.DataFrame(unseen, columns=columns))
    np.testing.assert_array_equal(of_frame, expected)


def test_what_is_missing_is_named(monkeypatch):
    absent = replace(BASELINES["c50"], packages=("no_such_package",))
    assert absent.missing() == "C5.0 needs no_such_package: pip install 'boxdraw[baselines]'"
    monkeypatch.setitem(sys.modules, "c50py", None)
    with pytest.raises(ImportError, match=r"C5.0 needs c50py: pip install 'boxdraw\[baselines\]'"):
        BASELINES["c50"].make(1.0, 0)


def test_a_package_that_is_there_is_imported():
    assert imported("numpy", "it") is np


def test_the_best_threshold_is_the_best_of_all():
    rng = np.random.default_rng(0)
    for _ in range(50):
        y, score = rng.integers(0, 2, 12), rng.integers(0, 6, 12)
        y[:2] = 0, 1
        weights = np.where(y == 1, 1.0, rng.random())
        right = [weights[(score >= cut) == (y == 1)].sum() for cut in [*range(6), np.inf]]
        chosen = (score >= best_threshold(y, score, weights)) == (y == 1)
        assert weights[chosen].sum() == pytest.approx(max(right))


def test_seeds_are_for_a_while():
    np.random.seed(1)  # noqa: NPY002
    expected = np.random.random(2)  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    with seeded(7):
        first = np.random.random()  # noqa: NPY002
    with seeded(7):
        assert np.random.random() == first  # noqa: NPY002
    np.testing.assert_array_equal(np.random.random(2), expected)  # noqa: NPY002

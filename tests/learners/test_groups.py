"""Groups of rows, which inner folds keep whole."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import boxdraw.learners.folds
from boxdraw import ExactBoxesClassifier, FastBoxesClassifierCV, ScoredBoxesClassifier, SparseBoxesClassifier
from boxdraw.learners.folds import inner_splits
from boxdraw.tables.training import Training

LEARNERS = {
    "sparse": SparseBoxesClassifier(max_boxes=2, max_limits=2, cv=3),
    "scored": ScoredBoxesClassifier(max_boxes=2, max_limits=1, cv=3),
    "fast": FastBoxesClassifierCV(n_boxes=(1, 2), cv=3),
}


def make_rows(n=240, seed=0):
    """Return rows of 20 customers, whose first feature names them, and whose second tells the classes apart."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 20, n)
    X = np.column_stack([groups + rng.normal(0, 0.01, n), rng.random(n)])
    return X, (X[:, 1] + rng.normal(0, 0.1, n) > 0.75).astype(int), groups


@pytest.fixture
def splits(monkeypatch):
    """Note the inner folds, as groups of the rows on both sides."""
    seen = []

    def spy(data, *args):
        found = inner_splits(data, *args)
        seen.extend((data.groups[train], data.groups[test]) for train, test in found)
        return found

    for name in ("sparse.fit", "scored.choose", "fast.cv", "exact.choice"):
        module = __import__(f"boxdraw.learners.{name}", fromlist=["inner_splits"])
        monkeypatch.setattr(module, "inner_splits", spy)
    assert boxdraw.learners.folds.inner_splits is inner_splits
    return seen


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("cv", [3, GroupKFold(4)])
def test_inner_folds_keep_groups_whole(name, cv, splits):
    X, y, groups = make_rows()
    names = np.array([f"customer {group}" for group in groups])
    model = clone(LEARNERS[name]).set_params(cv=cv).fit(X, y, groups=names)
    assert len(splits) >= (3 if cv == 3 else 4)
    for train, test in splits:
        assert not set(train) & set(test)
        assert len(train) + len(test) == len(X)
    tested = [set(test) for _, test in splits[: 3 if cv == 3 else 4]]
    assert sorted(group for part in tested for group in part) == list(range(20))
    assert (model.predict(X) == y).mean() > 0.8


@pytest.mark.parametrize("name", LEARNERS)
def test_the_order_of_rows_and_the_names_of_groups_do_not_matter(name):
    X, y, groups = make_rows()
    model = clone(LEARNERS[name]).fit(X, y, groups=groups)
    order = np.random.default_rng(1).permutation(len(X))
    again = clone(LEARNERS[name]).fit(X[order], y[order], groups=(groups * 3 + 5)[order].tolist())
    assert again.boxes_ == model.boxes_


@pytest.mark.parametrize("name", LEARNERS)
def test_rows_without_weight_have_no_group(name, splits):
    X, y, groups = make_rows()
    weight = (groups != 7).astype(float)
    clone(LEARNERS[name]).fit(X, y, sample_weight=weight, groups=groups)
    assert {group for sides in splits for side in sides for group in side} == set(range(20)) - {7}


@pytest.mark.parametrize("name", LEARNERS)
def test_groups_that_do_not_go(name):
    X, y, groups = make_rows()
    model = clone(LEARNERS[name])
    for bad, message in (
        (groups[:-1], r"groups must have a value for each row of X: shape \(240,\), got \(239,\)"),
        (groups[:, None], r"shape \(240,\), got \(240, 1\)"),
        ([None, *groups[1:]], "groups has missing values: give each such row a group of its own"),
        (np.array(["a", 1] * 120, dtype=object), "groups must be of one kind: numbers or texts"),
        (np.zeros(240), "groups has a single group, which no inner fold can hold out"),
    ):
        with pytest.raises(ValueError, match=message):
            model.fit(X, y, groups=bad)
    rows = np.arange(240)
    with pytest.raises(ValueError, match="groups go with a number of folds or a splitter as cv"):
        clone(model).set_params(cv=[(rows[::2], rows[1::2])]).fit(X, y, groups=groups)
    with pytest.raises(ValueError, match="'groups' parameter should not be None"):
        clone(model).set_params(cv=GroupKFold(3)).fit(X, y)
    with pytest.warns(UserWarning, match="There are 2 groups for 3 inner folds: only 2 folds are used"):
        clone(model).fit(X, y, groups=groups % 2)
    assert not hasattr(model, "boxes_")
    if name != "fast":
        with pytest.raises(ValueError, match="groups are for inner folds, and with cv=None there are none"):
            clone(model).set_params(cv=None).fit(X, y, groups=groups)


def test_large_tables_have_groups_too(monkeypatch, splits):
    X, y, groups = make_rows()
    monkeypatch.setattr("boxdraw.learners.fast.fast_boxes.LARGE", 100)
    clone(LEARNERS["fast"]).fit(X, y, groups=groups)
    assert len(splits) == 3
    assert all(len(train) + len(test) == 240 and not set(train) & set(test) for train, test in splits)
    splits.clear()
    monkeypatch.setattr("boxdraw.learners.sparse.sparse_boxes._SEARCHED", {True: 30, False: 60})
    clone(LEARNERS["sparse"]).fit(X, y, groups=groups)
    assert len(splits) == 3
    assert all(len(train) + len(test) <= 90 and not set(train) & set(test) for train, test in splits)


def test_folds_of_groups_have_equal_shares_of_the_classes():
    X, y, groups = make_rows(2000)
    data = Training(X, y == 1, None, groups=groups)
    for seed, repeats in ((None, 1), (3, 2)):
        found = inner_splits(data, y, 5, seed, repeats)
        assert len(found) == 5 * repeats
        shares = [y[test].mean() for _, test in found]
        assert np.ptp(shares) < 0.1
        assert all(300 < len(test) < 500 for _, test in found)
    with pytest.warns(UserWarning, match="groups parameter is ignored"):
        inner_splits(data, y, KFold(3), None)


def test_the_number_of_exact_boxes_is_chosen_on_whole_groups(splits):
    X, y, groups = make_rows()
    exact = ExactBoxesClassifier(max_boxes="auto", max_limits=1, pos_label=1)
    with sklearn.config_context(enable_metadata_routing=True):
        pipe = make_pipeline(StandardScaler(), clone(exact).set_fit_request(groups=True))
        pipe.fit(X, y, groups=groups)
    assert len(splits) == 3
    for train, test in splits:
        assert not set(train) & set(test)
        assert len(train) + len(test) == len(X)
    assert (pipe.predict(X) == y).mean() > 0.8
    with pytest.raises(ValueError, match='groups are for inner folds, and only max_boxes="auto" has them'):
        clone(exact).set_params(max_boxes=2).fit(X, y, groups=groups)


def test_groups_come_by_metadata_routing(splits):
    X, y, groups = make_rows()
    with sklearn.config_context(enable_metadata_routing=True):
        model = clone(LEARNERS["fast"]).set_fit_request(groups=True)
        cross_validate(model, X, y, params={"groups": groups}, cv=GroupKFold(2))
    assert splits
    for train, test in splits:
        assert not set(train) & set(test)
        assert len(set(train) | set(test)) == 10  # of those that the outer fold learns from

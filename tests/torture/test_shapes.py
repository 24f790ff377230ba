"""Tables of unusual shape, weights of unusual size, whole numbers that float64 does not have."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import rankdata

from boxdraw import (
    ExactBoxesClassifier,
    FastBoxesClassifier,
    FastBoxesClassifierCV,
    ScoredBoxesClassifier,
    SparseBoxesClassifier,
)
from boxdraw.learners.fast.cluster import filled
from boxdraw.learners.folds import auc, hash_ranks
from boxdraw.tables.suspects import is_rounded
from boxdraw.tables.training import Training

FEW = {
    "fast": FastBoxesClassifier(n_boxes=1, pos_label=1),
    "cv": FastBoxesClassifierCV(n_boxes=1, pos_label=1),
    "scored": ScoredBoxesClassifier(max_boxes=2, max_limits=1, pos_label=1),
    "sparse": SparseBoxesClassifier(pos_label=1),
    "exact": ExactBoxesClassifier(max_boxes=1, box_cost=0.1, random_state=0, pos_label=1, time_limit=600),
}
all_models = pytest.mark.parametrize("model", FEW.values(), ids=FEW)
expected_doubts = pytest.mark.filterwarnings(
    "ignore:(Rows of the smaller|Distinct rows|No box was|Held-out rows|On held-out|The boxes hold all):UserWarning"
)


def check(model, X, y):
    """Scores are finite, and their sign is the side of predict."""
    score, flagged = model.decision_function(X), model.predict(X) == 1
    assert np.isfinite(score).all()
    np.testing.assert_array_equal(score >= 0, flagged)
    np.testing.assert_array_equal(model.boxes_.contains(X), flagged)
    return flagged


@expected_doubts
@all_models
def test_two_rows(model):
    flagged = check(model.fit([[0.0, 1.0], [1.0, 1.0]], [0, 1]), np.array([[0.0, 1.0], [1.0, 1.0]]), [0, 1])
    assert flagged.tolist() == [False, True]


@expected_doubts
@all_models
def test_equal_rows_with_different_labels(model):
    X, y = np.full((10, 3), 0.1), np.array([0, 1] * 5)
    assert len(set(check(model.fit(X, y), X, y).tolist())) == 1


@pytest.fixture(scope="module")
def one_in_a_million():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(10**6, 3)), np.zeros(10**6, dtype=int)
    X[123_456], y[123_456] = (3, 3, 3), 1
    return X, y


@expected_doubts
@pytest.mark.parametrize("model", [FEW["fast"], FEW["scored"], FEW["sparse"]], ids=["fast", "scored", "sparse"])
def test_one_positive_in_a_million_rows(model, one_in_a_million):
    X, y = one_in_a_million
    flagged = check(model.fit(X, y), X, y)
    assert flagged[y == 1].all()
    assert not flagged.all()
    if model is FEW["scored"]:
        return
    boxes = model.boxes_
    order = np.random.default_rng(1).permutation(len(y))
    back = model.set_params(n_jobs=2).fit(X[order], y[order])
    model.set_params(n_jobs=None)
    assert back.boxes_ == boxes


def wide(n_rows, n_features):
    rng = np.random.default_rng(n_features)
    X, y = rng.normal(size=(n_rows, n_features)), (np.arange(n_rows) % 6 == 0).astype(int)
    X[y == 1, :3] += 3
    return X, y


@pytest.mark.parametrize(("n_rows", "n_features"), [(60, 400), (200, 10_000)])
def test_every_row_flagged_on_a_wide_table_is_no_surprise(n_rows, n_features):
    X, y = wide(n_rows, n_features)
    with pytest.warns(UserWarning, match=f"every row is flagged.*over {n_features} features") as caught:
        model = FastBoxesClassifier(n_boxes=2, distance="sum").fit(X, y)
    assert [warning.filename for warning in caught] == [__file__]
    assert check(model, X, y).all()


def test_what_the_warning_of_wide_tables_suggests():
    X, y = wide(60, 400)
    for model, n_features in (
        (FastBoxesClassifier(n_boxes=2), 400),
        (FastBoxesClassifier(n_boxes=2, distance="sum"), 4),
        (FastBoxesClassifier(n_boxes=1, feature_range=(0, 0.05), distance="sum"), 400),
        (FastBoxesClassifier(n_boxes=1, negative_weight=1e12, distance="sum"), 400),
        (ScoredBoxesClassifier(max_boxes=2, max_limits=2, cv=None), 400),
        (SparseBoxesClassifier(), 400),
    ):
        flagged = check(model.fit(X[:, :n_features], y), X[:, :n_features], y)
        assert flagged[y == 1].mean() > 0.8
        assert flagged[y == 0].mean() < 0.4


def test_no_warning_where_negatives_are_near():
    X, y = wide(2000, 4)
    FastBoxesClassifier(n_boxes=2, negative_weight=1e-9).fit(X, y)  # whoever sets such costs wants all rows


@pytest.mark.parametrize("size", [1e-190, 1e190])
@pytest.mark.parametrize("model", [FEW["fast"], FEW["cv"]], ids=["fast", "cv"])
def test_weights_of_any_size(model, size):
    X, y = wide(60, 3)
    flagged = check(model.fit(X, y, np.full(60, size)), X, y)
    assert flagged[y == 1].mean() > 0.8
    assert flagged[y == 0].mean() < 0.4


@pytest.mark.parametrize("size", [1e-190, 3.0, 1e190])
def test_areas_under_the_roc_for_weights_of_any_size(size):
    positive, score = np.array([True, True, False, False, False]), np.array([3.0, 1, 2, 1, 0])
    assert auc(positive, score, np.full(5, size)) == pytest.approx(4.5 / 6)
    assert auc(positive, score, np.where(positive, 0.0, size)) == 0.5


@pytest.mark.parametrize(("model", "size"), [(FEW["fast"], 1e-250), (FEW["cv"], 5e-324), (FEW["scored"], 1e-20)])
def test_weights_that_make_a_class_nothing_are_refused(model, size):
    X, y = wide(60, 3)
    with pytest.raises(ValueError, match=r"sample_weight adds up to .* in one class"):
        model.fit(X, y, np.where(y == 1, size, 1.0))


BIG = 2**62 + np.random.default_rng(0).integers(0, 8, (60, 2))
LABELS = (BIG[:, 0] > 2**62 + 5).astype(int)


@pytest.mark.parametrize(
    "X",
    [
        BIG,
        -BIG,
        BIG.astype(np.uint64) * np.uint64(2),
        pd.DataFrame(BIG, columns=["a", "b"]),
        pd.DataFrame(BIG, columns=["a", "b"]).astype("Int64").shift(),  # the first row is missing
        pl.DataFrame(BIG, schema=["a", "b"]),
        pa.table({"a": BIG[:, 0], "b": BIG[:, 1]}),
    ],
    ids=["int64", "negative", "uint64", "pandas", "pandas Int64", "polars", "arrow"],
)
def test_whole_numbers_that_are_rounded_give_a_warning(X):
    with pytest.warns(UserWarning, match=r"beyond 2\*\*53 that are rounded, column .*, column") as caught:
        model = FastBoxesClassifier(n_boxes=1).fit(X, LABELS)
    assert caught[0].filename == __file__
    assert model.predict(X).shape == (60,)


@pytest.mark.parametrize("model", [FEW["scored"], FEW["exact"]], ids=["scored", "exact"])
@expected_doubts
def test_the_other_learners_warn_as_well(model):
    with pytest.warns(UserWarning, match="are rounded, column 0, column 1") as caught:
        model.fit(BIG, LABELS)
    assert caught[0].filename == __file__


def test_whole_numbers_in_stored_tables_and_identifiers(monkeypatch):
    monkeypatch.setattr("boxdraw.tables.stored.LARGE", 0)
    table = pa.table(
        {"key": [f"row {i}" for i in range(90)], "big": 2**60 + np.arange(90), "label": [True] + [False] * 89}
    )
    with pytest.warns(UserWarning, match="column") as caught:
        FastBoxesClassifier(n_boxes=1).fit_table(table, target="label")
    assert [warning.filename for warning in caught] == [__file__] * 2
    said = sorted(str(warning.message) for warning in caught)
    assert "that are rounded, column 'big'" in said[0]
    assert "identifier, column 'key': 90 different categories in 90 rows" in said[1]


def test_whole_numbers_that_float64_has_give_none():
    X = (BIG - 2**62) * 2**55
    FastBoxesClassifier(n_boxes=1).fit(X, LABELS)
    assert FastBoxesClassifier(n_boxes=1, categorical_features=[0, 1]).fit(BIG, LABELS).score(BIG, LABELS) == 1


@pytest.mark.parametrize(
    ("values", "rounded"),
    [
        ([2**53], False),
        ([2**53 + 1], True),
        ([-(2**53) - 1], True),
        ([-(2**63)], False),
        ([2**63 - 1], True),
        ([2**62], False),
        ([], False),
    ],
)
def test_what_is_rounded(values, rounded):
    assert is_rounded(np.array(values, dtype=np.int64)) == rounded
    assert not is_rounded(np.array(values, dtype=np.float64))


def test_what_is_rounded_of_numbers_without_a_sign():
    assert is_rounded(np.array([2**64 - 1], dtype=np.uint64))
    assert not is_rounded(np.array([2**63, 0], dtype=np.uint64))


def test_rows_that_no_scale_tells_apart_are_dealt_by_their_values():
    """On a common scale with 1e300, rows of 1e-300 and 2e-300 are one."""
    values = np.array([1e300, 1e-300, 2e-300, 3e-300, -1e-300, 5e-324, 0, 1e-200, 7e-300, 2e-250])
    X, positive = np.column_stack([values, values[::-1]]), np.arange(10) % 2 == 0
    order = np.random.default_rng(0).permutation(10)
    ranks = hash_ranks(Training(X, positive, None), None)
    np.testing.assert_array_equal(hash_ranks(Training(X[order], positive[order], None), None), ranks[order])
    np.testing.assert_array_equal(hash_ranks(Training(X[:, ::-1].copy(), positive, None), None), ranks)
    for side in (positive, ~positive):
        assert sorted(ranks[side]) == list(range(side.sum()))
    assert len(set(zip(*map(rankdata, X.T), strict=True))) == 10


def test_missing_values_are_filled_by_weight():
    """A weight of three is three rows, in the median that stands for a missing value while clustering as well."""
    column, weight = np.array([[0.0], [1.0], [5.0], [9.0], [np.nan]]), np.array([1.0, 1, 1, 4, 2])
    copies = np.repeat(column, weight.astype(int), axis=0)
    assert filled(column, weight)[-1] == filled(copies)[-1] == 9
    even = np.array([[0.0], [4.0], [np.nan]]), np.array([3.0, 3, 1])
    assert filled(*even)[-1] == filled(np.repeat(even[0], [3, 3, 1], axis=0))[-1] == 2


def test_a_feature_known_only_in_rows_of_next_to_no_weight():
    """Beside the others these rows weigh less than the sums have digits, yet only they say what the feature is."""
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=(60, 2)), np.arange(60) < 20, np.ones(60)
    X[:18, 0], weight[18:20] = np.nan, 1e-20
    model = FastBoxesClassifier(n_boxes=2).fit(X, y, sample_weight=weight)
    assert model.predict(X[:18]).all()

"""The public classifiers as citizens of scikit-learn."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import StackingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.fixes import parse_version

from boxdraw import (
    BoxSetClassifier,
    ExactBoxesClassifier,
    FastBoxesClassifier,
    FastBoxesClassifierCV,
    ScoredBoxesClassifier,
    SparseBoxesClassifier,
)

QUICK_CV = FastBoxesClassifierCV(n_boxes=(1, 2, 3), expansion=(0.0, 0.1))
CLASSIFIERS = [
    FastBoxesClassifier(),
    FastBoxesClassifier(growth="edge", n_boxes=2, expansion=1.0),
    FastBoxesClassifier(growth="free", n_boxes=1),
    QUICK_CV,
    BoxSetClassifier(),
    # Ended by the clock, two fits may differ: so these have the time that they need on any machine.
    ExactBoxesClassifier(gap=0.1, random_state=0, time_limit=600),
    ExactBoxesClassifier(max_boxes=1, edges="tight", n_jobs=2, time_limit=600),
    ScoredBoxesClassifier(cv=2, max_limits=1),
    ScoredBoxesClassifier(cv=None),
    ScoredBoxesClassifier(signed_points=True, cv=None),
    ScoredBoxesClassifier(max_union=None, cv=None, lam=0.5, max_limits=3),
    SparseBoxesClassifier(),
    SparseBoxesClassifier(cv=None, max_boxes=2, max_limits=2, round_limits=False),
]
# the checks fit tables of a handful of rows, where these warnings are in place
IN_PLACE = (
    "Boxes: ",
    "Rows of the smaller class",
    "Inner folds",
    "No box was found",
    "No training row",
    "Held-out rows",
    "A box has no limits",
    "The boxes hold all",
    "On held-out rows",
    "Distinct rows of",
)


def pandas_frame(X):
    return pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])


def polars_frame(X):
    return pl.DataFrame(np.array(X), schema=[f"f{j}" for j in range(X.shape[1])])


def framed(base, to_frame):
    """Return a subclass that sees the checks' tables of numbers as frames."""

    class Framed(base):
        def _frame(self, X):
            numbers = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf" and X.size
            return to_frame(X) if numbers else X

        def _like_training(self, X):
            # the checks want another number of columns reported as such, not as other names
            array = isinstance(X, np.ndarray) and X.ndim == 2
            return self._frame(X) if array and X.shape[1] == getattr(self, "n_features_in_", None) else X

        def predict(self, X):
            return super().predict(self._like_training(X))

        def decision_function(self, X):
            return super().decision_function(self._like_training(X))

        def transform(self, X):
            return super().transform(self._like_training(X))

        __init__ = base.__init__  # where scikit-learn looks for the parameters

    def fit(self, X, y):
        return base.fit(self, self._frame(X), y)

    def weighted_fit(self, X, y, sample_weight=None):
        return base.fit(self, self._frame(X), y, sample_weight=sample_weight)

    Framed.fit = fit if base is BoxSetClassifier else weighted_fit
    Framed.__name__ = Framed.__qualname__ = f"{base.__name__}With{to_frame.__name__}"
    globals()[Framed.__name__] = Framed  # for pickle
    return Framed


FRAMED = [
    framed(type(classifier), to_frame)(**classifier.get_params())
    for classifier, to_frame in (
        (FastBoxesClassifier(), pandas_frame),
        (FastBoxesClassifier(), polars_frame),
        (QUICK_CV, polars_frame),
        (BoxSetClassifier(), pandas_frame),
        (BoxSetClassifier(), polars_frame),
        (ExactBoxesClassifier(max_boxes=1, time_limit=600), pandas_frame),
        (ScoredBoxesClassifier(cv=None), pandas_frame),
        (ScoredBoxesClassifier(cv=None), polars_frame),
        (SparseBoxesClassifier(cv=None), pandas_frame),
        (SparseBoxesClassifier(cv=None), polars_frame),
    )
]


def failures(classifier):
    with warnings.catch_warnings():
        for message in IN_PLACE:
            warnings.filterwarnings("ignore", message)
        results = check_estimator(classifier, on_skip=None, on_fail=None)
    assert len(results) > 40
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] not in ("passed", "skipped")}
    if parse_version(sklearn.__version__) < parse_version("1.7"):
        # There the check makes two classes of three in two ways, by the first row before and after shuffling, and
        # compares models of different labels; test_invariants has our own check.
        failed.pop("check_sample_weight_equivalence_on_dense_data", None)
    return failed


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=repr)
def test_check_estimator(classifier):
    assert failures(classifier) == {}


@pytest.mark.thorough
@pytest.mark.parametrize("classifier", FRAMED, ids=repr)
def test_check_estimator_with_frames(classifier):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        assert failures(classifier) == {}


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:, :8], np.where(y == 0, "malignant", "benign")


FITTED = [
    FastBoxesClassifier(n_boxes=2, growth="free"),
    QUICK_CV,
    ScoredBoxesClassifier(cv=None),
    ScoredBoxesClassifier(cv=2, max_limits=1, signed_points=False),
    SparseBoxesClassifier(cv=None),
    BoxSetClassifier(),
]


@pytest.mark.parametrize("classifier", FITTED, ids=repr)
def test_clone_and_pickle(classifier, cancer):
    X, y = cancer
    model = clone(classifier).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert again.boxes_ == model.boxes_
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert not hasattr(clone(model), "classes_")


@pytest.mark.parametrize("classifier", FITTED, ids=repr)
@pytest.mark.parametrize("to_frame", [pandas_frame, polars_frame])
def test_frames_give_the_model_of_the_array_with_names(classifier, cancer, to_frame):
    X, y = cancer
    plain, framed = clone(classifier).fit(X, y), clone(classifier).fit(to_frame(X), y)
    assert framed.boxes_.feature_names == tuple(f"f{j}" for j in range(8))
    np.testing.assert_array_equal(framed.boxes_.lower, plain.boxes_.lower)
    np.testing.assert_array_equal(framed.predict(to_frame(X)), plain.predict(X))
    table = framed.box_table(to_frame(X), y)
    assert type(table) is type(to_frame(X))
    output = framed.set_output(transform="pandas").transform(to_frame(X))
    shown = framed.scorecard_ if hasattr(framed, "scorecard_") else framed.boxes_
    assert list(output.columns) == [f"box{k + 1}" for k in range(len(shown))]


@pytest.mark.parametrize("classifier", [*FITTED[:3], SparseBoxesClassifier(cv=None)], ids=repr)
def test_the_score_ranks_towards_the_second_class_whichever_is_rare(classifier, cancer):
    X, y = cancer
    for positive, negative in (("a", "b"), ("b", "a")):
        labels = np.where(y == "malignant", positive, negative)
        model = clone(classifier).fit(X, labels)
        assert model.pos_label_ == positive
        decision = model.decision_function(X)
        np.testing.assert_array_equal(model.predict(X), np.where(decision > 0, "b", "a"))
        assert roc_auc_score(labels, decision) > 0.9
        assert cross_val_score(classifier, X, labels, scoring="roc_auc").mean() > 0.9


def test_grid_search_and_pipeline(cancer):
    X, y = cancer
    search = GridSearchCV(
        make_pipeline(StandardScaler(), FastBoxesClassifier()),
        {"fastboxesclassifier__n_boxes": [1, 2], "fastboxesclassifier__growth": ["edge", "free"]},
        scoring="balanced_accuracy",
        cv=3,
    ).fit(X, y)
    assert search.best_score_ > 0.8


def test_calibration_threshold_tuning_and_one_versus_rest(cancer):
    X, y = cancer
    probability = CalibratedClassifierCV(FastBoxesClassifier(growth="free"), cv=3).fit(X, y).predict_proba(X)
    assert roc_auc_score(y == "malignant", probability[:, 1]) > 0.9
    tuned = TunedThresholdClassifierCV(FastBoxesClassifier(growth="free"), scoring="balanced_accuracy", cv=3)
    assert tuned.fit(X, y).score(X, y) > 0.85
    flowers, kinds = load_iris(return_X_y=True)
    rest = OneVsRestClassifier(FastBoxesClassifier(pos_label=1, n_boxes=1)).fit(flowers, kinds)
    assert rest.score(flowers, kinds) > 0.85


def test_scorecards_in_grid_search_and_pipeline(cancer):
    X, y = cancer
    search = GridSearchCV(
        make_pipeline(StandardScaler(), ScoredBoxesClassifier(cv=None)),
        {"scoredboxesclassifier__max_boxes": [1, 4], "scoredboxesclassifier__signed_points": [False, True]},
        scoring="roc_auc",
        cv=3,
    ).fit(X, y)
    assert search.best_score_ > 0.95
    assert search.best_estimator_[-1].max_boxes == 4
    members = make_pipeline(
        ScoredBoxesClassifier(cv=None, max_boxes=3).set_output(transform="pandas"), LogisticRegression()
    )
    assert members.fit(X, y).score(X, y) > 0.85


@pytest.mark.parametrize("signed", [False, True])
def test_scorecards_with_calibration_threshold_tuning_and_one_versus_rest(cancer, signed):
    X, y = cancer
    model = ScoredBoxesClassifier(cv=None, signed_points=signed)
    plain = roc_auc_score(y == "malignant", model.fit(X, y).decision_function(X))
    assert plain > 0.95
    calibrated = CalibratedClassifierCV(model, cv=3, ensemble=False).fit(X, y).predict_proba(X)[:, 1]
    assert roc_auc_score(y == "malignant", calibrated) == pytest.approx(plain, abs=1e-3)
    stacked = StackingClassifier([("boxes", model)], cv=3).fit(X, y).predict_proba(X)[:, 1]
    assert roc_auc_score(y == "malignant", stacked) == pytest.approx(plain, abs=1e-3)
    tuned = TunedThresholdClassifierCV(model, scoring="balanced_accuracy", cv=3)
    assert tuned.fit(X, y).score(X, y) > 0.85
    flowers, kinds = load_iris(return_X_y=True)
    rest = OneVsRestClassifier(ScoredBoxesClassifier(pos_label=1, cv=None, signed_points=signed)).fit(flowers, kinds)
    assert rest.score(flowers, kinds) > 0.9


@pytest.mark.parametrize("growth", ["nearest_negative", "edge", "free"])
def test_scores_are_moderate_where_rows_are_flagged_at_any_cost(cancer, growth):
    X, y = cancer
    model = FastBoxesClassifier(growth=growth)
    decision, critical = model.fit(X, y).decision_function(X), model.critical_weight(X)
    assert np.isinf(critical).any() == (growth != "free")
    assert np.abs(decision).max() < 50
    always = decision[np.isinf(critical)]
    assert (always > decision[np.isfinite(critical)].max()).all()
    plain = roc_auc_score(y == "malignant", decision)
    stacked = StackingClassifier([("boxes", model)], cv=3).fit(X, y).predict_proba(X)[:, 1]
    assert roc_auc_score(y == "malignant", stacked) == pytest.approx(plain, abs=1e-3)
    sigmoid = CalibratedClassifierCV(model, cv=3, ensemble=False).fit(X, y).predict_proba(X)[:, 1]
    assert roc_auc_score(y == "malignant", sigmoid) == pytest.approx(plain, abs=1e-3)


@pytest.mark.parametrize(
    "classifier", [FastBoxesClassifier(), ScoredBoxesClassifier(), SparseBoxesClassifier()], ids=repr
)
def test_three_classes_are_refused_in_scikit_learns_words(classifier):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"Only binary classification is supported.*OneVsRestClassifier"):
        clone(classifier).fit(X, y)


def test_positive_class_is_the_one_with_fewer_rows(cancer):
    X, y = cancer
    assert FastBoxesClassifier().fit(X, y).pos_label_ == "malignant"
    weight = np.where(y == "malignant", 5, 1)
    assert FastBoxesClassifier().fit(X, y, sample_weight=weight).pos_label_ == "malignant"
    assert FastBoxesClassifier(pos_label="benign").fit(X, y).pos_label_ == "benign"
    with pytest.raises(ValueError, match="pos_label='no' is not a class of y"):
        FastBoxesClassifier(pos_label="no").fit(X, y)

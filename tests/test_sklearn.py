"""The public classifiers as citizens of scikit-learn."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from boxdraw import BoxSetClassifier, FastBoxesClassifier, FastBoxesClassifierCV

QUICK_CV = FastBoxesClassifierCV(n_boxes=(1, 2, 3), expansion=(0.0, 0.1))
CLASSIFIERS = [
    FastBoxesClassifier(),
    FastBoxesClassifier(growth="edge", n_boxes=2),
    FastBoxesClassifier(growth="free", expansion=1.0),
    FastBoxesClassifierCV(),
    BoxSetClassifier(),
]
# scikit-learn's checks fit tables of a handful of rows, where these warnings are in place
TINY = ["ignore:n_boxes=", "ignore:The smaller class has", "ignore:Inner folds"]


def _frames(kind):
    """A mixin that turns the checks' arrays into frames on the way in."""

    def to_frame(X):
        if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf" and X.size:
            return kind(X)
        return X

    class Framed:
        def fit(self, X, y, **params):
            return super().fit(to_frame(X), y, **params)

        def predict(self, X):
            return super().predict(to_frame(X))

        def decision_function(self, X):
            return super().decision_function(to_frame(X))

        def transform(self, X):
            return super().transform(to_frame(X))

    return Framed


def _pandas(X):
    return pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])


def _polars(X):
    return pl.DataFrame(np.asarray(X), schema=[f"f{j}" for j in range(X.shape[1])])


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=repr)
def test_check_estimator(classifier):
    with warnings.catch_warnings():
        for message in TINY:
            warnings.filterwarnings("ignore", message.removeprefix("ignore:"))
        results = check_estimator(classifier, on_skip=None, on_fail=None)
    assert {result["check_name"] for result in results if result["status"] in ("failed", "xfail")} == set()
    assert len(results) > 40

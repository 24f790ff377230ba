"""Small tables, and models fitted to them."""

import warnings

import numpy as np

from boxdraw import CautionWarning, ExactBoxesClassifier

from . import reference as ref

HANG = 600.0  # seconds that only a search that hangs needs: no test depends on how fast the machine is

PAPER = {"box_cost": 1, "limit_cost": 0}


def fit(problem, **params):
    """Return the fitted model; see that it warns if, and only if, it flags nothing."""
    model = ExactBoxesClassifier(
        max_boxes=problem.max_boxes,
        negative_weight=problem.negative_weight,
        box_cost=problem.box_cost,
        limit_cost=0,
        margin=problem.margin,
        pos_label=1,
        **{"random_state": 0, "n_jobs": 1, "time_limit": HANG} | params,
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", "(?!No box)", CautionWarning)  # of few positives
        warnings.filterwarnings("ignore", "builtin type .* has no __module__ attribute")  # the import of OR-tools
        model.fit(problem.X, problem.y, problem.weight)
    expected = [] if len(model.boxes_) else ["No box was found that is worth its cost"]
    assert [str(warning.message)[:39] for warning in caught] == expected
    return model


def small():
    """Two groups of positives among negatives, on whole numbers."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 12, size=(40, 2)).astype(float)
    y = ((X[:, 0] < 4) & (X[:, 1] < 5)) | ((X[:, 0] > 8) & (X[:, 1] > 6))
    return X, (y ^ (rng.random(40) < 0.05)).astype(int)


def hard(n=300):
    """Ages, years and counts in which the classes hardly differ: no search proves three boxes of 300 rows soon."""
    rng = np.random.default_rng(8)
    X = np.column_stack([rng.integers(30, 84, n), rng.integers(58, 70, n), rng.geometric(0.2, n) - 1]).astype(float)
    return X, (rng.random(n) < 0.15 + 0.02 * X[:, 2]).astype(int)


def model(**params):
    defaults = {"max_boxes": 2, "negative_weight": 0.5, "random_state": 0, "n_jobs": 1, "time_limit": HANG}
    return ExactBoxesClassifier(**defaults | PAPER | params)


def problem_of(estimator, X, y):
    names = ("negative_weight", "box_cost", "margin", "max_boxes")
    return ref.Problem(np.asarray(X).tolist(), list(y), None, **{name: getattr(estimator, name) for name in names})


def value_of(boxes, estimator, X, y):
    return float(ref.value(problem_of(estimator, X, y), boxes.lower.tolist(), boxes.upper.tolist()))


def assert_true(fitted, X, y):
    """What the model says of its boxes is so."""
    assert fitted.objective_ == value_of(fitted.boxes_, fitted, X, y)
    assert fitted.bound_ >= fitted.objective_
    assert fitted.certificate_.verify(X, y)

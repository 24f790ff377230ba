"""What other processes do in the tests of concurrency; spawned ones import it by name, so it needs no package."""

import numpy as np

from boxdraw import FastBoxesClassifier


def data(n_rows=45_000):
    """A table large enough for compiled code and threads: more than 2**20 cells."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 24))
    return X, (X[:, 0] + X[:, 1] > 2.6).astype(int)


def model():
    return FastBoxesClassifier(n_boxes=2, n_jobs=2, negative_weight=1.0, random_state=0)


def fit_and_predict(_=None):
    """Fit and predict a large table; return limits and the number of flagged rows."""
    X, y = data()
    fitted = model().fit(X, y)
    return fitted.boxes_.to_json(), int(fitted.predict(X).sum())


def predictions(fitted):
    """Predict with a model from another process."""
    X, _ = data()
    return fitted.predict(X).tobytes(), fitted.critical_weight(X).tobytes()


def put(queue, function, *arguments):
    queue.put(function(*arguments))

"""Tables for the tests of Sparse Boxes, and a fit without the warnings that small ones are due."""

import warnings

import numpy as np
import pandas as pd

from boxdraw import SparseBoxesClassifier

DUE = "No box was found|The boxes hold all|Rows of the smaller class|On held-out rows|Distinct rows of|Inner folds"


def fit(X, y, weight=None, **parameters):
    """Fit without inner folds unless some are asked for."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", DUE)
        return SparseBoxesClassifier(**({"cv": None} | parameters)).fit(X, y, sample_weight=weight)


def corner(seed=0, n_rows=200, n_columns=3):
    """Numbers, positive where the first is large and the second is not, but for a few rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    return X, (((X[:, 0] > 0.5) & (X[:, 1] < 0.5)) ^ (rng.random(n_rows) < 0.03)).astype(int)


def payments(seed=0, n_rows=600):
    """A mixed table with missing values: fraud where the amount is high in two of the regions."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "amount": rng.lognormal(4, 1, n_rows).round(2),
            "hour": rng.integers(0, 24, n_rows),
            "region": rng.choice(["north", "south", "east", "west"], n_rows),
            "new": rng.random(n_rows) < 0.3,
            "noise": rng.normal(size=n_rows),
        }
    )
    y = ((X["amount"] > 100) & X["region"].isin(["south", "west"])).to_numpy() ^ (rng.random(n_rows) < 0.01)
    X.loc[rng.random(n_rows) < 0.1, "noise"] = np.nan
    return X, y.astype(int)


def rules_of(boxes):
    """Return the rules as a set of sets of limits: neither boxes nor features have an order."""
    return {frozenset(rule.limits) for rule in boxes.rules()}

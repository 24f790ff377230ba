"""A small data set and methods that take no time."""

import numpy as np

from paper.data import DataSet
from paper.methods import Method
from paper.protocol import COSTS, measure


def toy(name="toy", seed=0, n_rows=60):
    """Return rows with positives at large values of the first feature, most of the time."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 2))
    y = (X[:, 0] + rng.normal(scale=0.5, size=n_rows) > 0.8).astype(np.int64)
    return DataSet(name, X, y, ("a", "b"))


def threshold(split, seed):
    """Flag large values, the fewer the more negatives weigh."""
    return measure(lambda split: lambda rows: rows[:, 0] > COSTS[:, None], split)


def nothing(split, seed):
    """Flag nothing."""
    return measure(lambda split: lambda rows: np.zeros((10, len(rows)), dtype=bool), split)


def broken(split, seed):
    raise RuntimeError("this method\nis broken")


def method(key, run=threshold, **facts):
    return Method(key, key.title(), facts.pop("note", ""), facts.pop("settings", "1"), run, **facts)


METHODS = {
    "cart": method("cart"),
    "fast_boxes": method("fast_boxes", note="fast"),
    "prim": method("prim", nothing),
    "hddt": method("hddt", broken),
    "c45": method("c45", missing="C4.5 needs weka: install it"),
}

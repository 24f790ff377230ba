"""Draw the pictures of the README and the documentation: ``python docs/pictures.py [FOLDER]``.

Needs ``boxdraw[plot]`` and pandas. They are of scikit-learn's breast cancer table, but for that of the README, which is
of the patients that come with boxdraw, and one of simulated payments.
"""

from __future__ import annotations

import doctest
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from boxdraw import FastBoxesClassifier, FastBoxesClassifierCV, ScoredBoxesClassifier, SparseBoxesClassifier
from boxdraw.plotting import BoxesDisplay, BoxTableDisplay, LimitsDisplay, PathDisplay

FOLDER = Path(__file__).with_name("images")
README = Path(__file__).parents[1] / "README.md"
FEATURES = ["mean radius", "mean texture", "mean concavity", "mean smoothness"]


def tumours():
    """Return the training and the test half of the breast cancer table."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return train_test_split(X, y.map({0: "malignant", 1: "benign"}), test_size=0.5, stratify=y, random_state=0)


def readme():
    """Run the example of the README; return the figure that it draws."""
    names: dict[str, object] = {}
    for example in doctest.DocTestParser().get_examples(README.read_text(encoding="utf-8")):
        exec(example.source, names)
    return names["display"].figure_


def payments(n_rows=1500):
    """Return a simulated table with numbers, categories and missing values."""
    rng = np.random.default_rng(0)
    country = rng.choice(["NL", "DE", "US", "UK"], n_rows, p=[0.5, 0.2, 0.2, 0.1]).astype(object)
    card, amount = rng.random(n_rows) < 0.6, rng.lognormal(4, 1, n_rows)
    age, hour = rng.integers(18, 81, n_rows).astype(float), rng.integers(0, 24, n_rows)
    fraud = (np.isin(country, ["US", "UK"]) & ~card & (amount > 40)) != (rng.random(n_rows) < 0.01)
    age[rng.random(n_rows) < 0.05] = np.nan
    country[rng.random(n_rows) < 0.05] = None
    X = pd.DataFrame({"amount": amount, "country": country, "card present": card, "age": age, "hour": hour})
    return X, np.where(fraud, "fraud", "fine")


def pictures() -> Iterator[tuple[str, object]]:
    """Return the name of each picture and its figure."""
    yield "readme", readme()

    X, X_test, y, y_test = tumours()
    few = FastBoxesClassifierCV(n_boxes=(1, 2, 3), simplified=False).fit(X[FEATURES], y)
    held_out = X_test[FEATURES], y_test
    yield "plot_boxes", BoxesDisplay.from_estimator(few, *held_out).figure_
    yield "plot_pairs", BoxesDisplay.from_estimator(few, *held_out, features="used").figure_
    yield "plot_path", PathDisplay.from_estimator(few, *held_out).figure_
    yield "plot_box_table", BoxTableDisplay.from_estimator(few, *held_out).figure_
    yield "plot_frontier", SparseBoxesClassifier().fit(X[FEATURES], y).frontier_.plot().figure_
    many = FastBoxesClassifier(n_boxes=3).fit(X, y)
    yield "plot_limits", LimitsDisplay.from_estimator(many, X_test, y_test).figure_
    rows = payments()
    scored = ScoredBoxesClassifier(max_boxes=5).fit(*rows)
    yield "plot_scorecard", LimitsDisplay.from_estimator(scored, *rows).figure_


def main(folder: Path = FOLDER) -> None:
    """Write all pictures to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in pictures():
        # Without a program's name and version the same run gives the same file.
        figure.savefig(folder / f"{name}.png", dpi=100, metadata={"Software": None})


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))

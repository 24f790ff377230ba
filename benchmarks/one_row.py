"""What one row costs: the generated Python function on a dict, and ``predict`` of a one-row pandas frame.

Bars: 10 microseconds for the function, 200 for ``predict``. The models are fitted to 2000 rows of ten columns of
numbers, or nine and one of text; "loaded" is ``predict`` of the same model from its file. The shortest time of many is
printed, because whatever else the machine does only adds to it.
"""

from __future__ import annotations

import argparse
import tempfile
import timeit
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from boxdraw import CautionWarning, ScoredBoxesClassifier, SparseBoxesClassifier, load

CALLS = 20


def microseconds(call: Callable[[Any], Any], row: Any, repeats: int) -> float:
    """Return the shortest time of a call."""
    return min(timeit.repeat(lambda: call(row), number=CALLS, repeat=repeats)) / CALLS * 1e6


def table(with_text: bool) -> tuple[pd.DataFrame, pd.Series]:
    """Return rows whose positives lie where three columns are high."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(2000, 10)), columns=[f"column {j}" for j in range(10)])
    y = (X["column 0"] + X["column 1"] + X["column 2"] + rng.normal(size=2000) > 3.5).astype(int)
    if with_text:
        X["column 0"] = pd.cut(X["column 0"], [-9, -1, 0, 1, 9], labels=["a", "b", "c", "d"]).astype(str)
    return X, y


def measured(learner: Any, with_text: bool, repeats: int) -> str:
    """Return a line with the times of a model."""
    X, y = table(with_text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CautionWarning)
        model = learner.fit(X, y)
    card, names = getattr(model, "scorecard_", None), {}
    written = model.boxes_.to_python("run", model.risk_table_, reasons=True) if card is None else None
    exec(written or card.to_python("run", model.risk_table_), names)
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/model.json")
        loaded = load(f"{folder}/model.json")
    times = [microseconds(names["run"], X.iloc[7].to_dict(), repeats)]
    times += [microseconds(each.predict, X.iloc[[7]], repeats) for each in (model, loaded)]
    cells = [type(model).__name__, "text too" if with_text else "numbers", *(f"{time:.1f}" for time in times)]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print a line per model and table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a smoke run: few repeats")
    repeats = 2 if parser.parse_args().quick else 200
    print("| model | columns | function, us | predict, us | loaded, us |\n| --- | --- | --- | --- | --- |")
    for learner in (ScoredBoxesClassifier(), SparseBoxesClassifier()):
        for with_text in (False, True):
            print(measured(learner, with_text, repeats))


if __name__ == "__main__":
    main()

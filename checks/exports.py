"""Compare every export with the model on many edge rows: values on limits and beside them, missing and unseen ones.

``python checks/exports.py`` takes random boxes and scorecards, with negative points too, with risks by points and by
boxes, until 100 000 rows have points and as many a risk, for each export: it runs the Python function, SQL in SQLite
and DuckDB, ONNX in onnxruntime, PMML in jpmml-evaluator and the model file as MLflow reads it, and compares flags,
points, risks and reasons with those of the model. It prints how many rows each agreed on, and ends with an error at the
first that differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1] / "tests" / "model"
ROWS = 500  # of a drawing


@contextmanager
def engines() -> Iterator[dict[str, Callable[..., Any]]]:
    """Yield what runs each export, and leave out PMML by name where there is no Java."""
    sys.path.insert(0, str(TESTS))
    from export.engines import ENGINES, in_pmml, java

    try:
        with java() as backend:
            yield ENGINES | {"jpmml-evaluator": partial(in_pmml, backend=backend)}
    except ImportError as error:
        print(f"jpmml-evaluator is left out: {error}")
        yield ENGINES


def compare(name: str, run: Callable[..., Any], n_rows: int) -> dict[str, int]:
    """Compare an export with the model; return what was compared."""
    from export.engines import answers, as_pmml_has_it, random_drawing

    counts = {"rows": 0, "flagged": 0, "with points": 0, "with a risk": 0, "reasons": 0}
    for seed in count():
        if min(counts["with points"], counts["with a risk"]) >= n_rows:
            break
        drawing, risk, rows = random_drawing(seed, ROWS)
        expected = answers(drawing, risk, rows)
        counts["rows"] += len(rows)
        counts["flagged"] += sum(expected["flag"])
        counts["with points"] += len(expected.get("points", ()))
        counts["with a risk"] += len(expected.get("risk", ()))
        counts["reasons"] += sum(map(len, expected["reasons"]))
        right = as_pmml_has_it(drawing, expected) if name == "jpmml-evaluator" else expected
        if run(drawing, risk, rows) != right:
            raise SystemExit(f"{name} says something else of drawing {seed}")
    return counts


def main() -> None:
    """Compare all exports, and print what agreed."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", type=int, default=100_000, help="with points, and with a risk, of each (%(default)s)")
    args = parser.parse_args()
    with engines() as found:
        for name, run in found.items():
            start = time.perf_counter()
            counts = compare(name, run, args.rows)
            words = ", ".join(f"{value} {key}" for key, value in counts.items())
            print(f"{name}: agrees on {words} ({time.perf_counter() - start:.0f} s)", flush=True)


if __name__ == "__main__":
    main()

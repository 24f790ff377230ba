"""What the NumPy twins of compiled functions buy: a small fit and a prediction in a fresh process, with either.

Run from the repository: ``python benchmarks/twins.py > docs/figures/twins.txt``. Each line is a process of its own that
imports the package, fits 1000 x 8 rows, scores them and predicts them. Rounds run all lines in turn, so that a busy
moment of the machine does not count against one of them; times are medians.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile

N_ROUNDS = 5

LINES = {
    "NumPy": "",
    "NumPy, numba imported": "import numba",
    "compiled sums of the edges": """
from boxdraw.learners.fast import divide, stages
stages.Divide = lambda *given: divide.Divide(*given[:4], True, *given[5:])
""",
    "compiled critical weights": "from boxdraw.learners.fast import path; path._MANY_CELLS = 0",
    "compiled membership": "from boxdraw.model import membership; membership._LARGE = 0",
}

CODE = """
import json, sys, time
import numpy as np
rng = np.random.default_rng(0)
X = rng.normal(size=(1000, 8))
y = (X[:, 0] > 1) & (X[:, 1] > 0)
start = time.perf_counter()
import boxdraw
{patch}
times = [time.perf_counter()]
model = boxdraw.FastBoxesClassifier().fit(X, y)
times.append(time.perf_counter())
model.decision_function(X)
times.append(time.perf_counter())
model.predict(X)
times.append(time.perf_counter())
print(json.dumps([b - a for a, b in zip([start, *times], times)]))
"""


def run(patch, cache=None):
    """Return the seconds of the import, the fit, the scores and the predictions in a process of its own."""
    env = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    if cache is not None:
        env["NUMBA_CACHE_DIR"] = cache
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(patch=patch)], capture_output=True, text=True, check=True, env=env
    )
    return json.loads(done.stdout)


def main():
    """Print the table; with --quick, of one round with what is compiled already."""
    if "--quick" in sys.argv:
        first = dict.fromkeys(LINES, float("nan"))
        show(first, [{name: run(patch) for name, patch in LINES.items()}])
        return
    with tempfile.TemporaryDirectory() as cache:
        first = {name: sum(run(patch, cache)) for name, patch in LINES.items()}
        rounds = [{name: run(patch, cache) for name, patch in LINES.items()} for _ in range(N_ROUNDS)]
    show(first, rounds)


def show(first, rounds):
    """Print medians of the rounds and their ratio to NumPy, and the seconds of the first processes."""
    print(f"A fit, scores and predictions of 1000 x 8 rows in a fresh process; medians of {len(rounds)} rounds.\n")
    print(f"{'':28}{'import':>9}{'fit':>9}{'scores':>9}{'predict':>9}{'in all':>9}{'ratio':>7}{'not compiled yet':>18}")
    plain = statistics.median(sum(line["NumPy"]) for line in rounds)
    for name in LINES:
        parts = [1000 * statistics.median(line[name][k] for line in rounds) for k in range(4)]
        total = statistics.median(sum(line[name]) for line in rounds)
        cells = "".join(f"{ms:>6.0f} ms" for ms in [*parts, 1000 * total])
        print(f"{name:28}{cells}{total / plain:>7.2f}{first[name]:>16.1f} s")


if __name__ == "__main__":
    main()

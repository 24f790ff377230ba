"""What the package does not load."""

import subprocess
import sys

CODE = """
import sys
import numpy as np
import boxdraw

rng = np.random.default_rng(0)
boxdraw.FastBoxesClassifier().fit(rng.normal(size=(1000, 8)), rng.random(1000) < 0.1)
print(sorted({"numba", "matplotlib", "ortools"} & set(sys.modules)))
"""


def test_a_small_fit_loads_neither_numba_nor_an_extra():
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"

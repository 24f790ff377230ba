"""The benchmarks run; nothing is timed here."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parents[1] / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_benchmark_runs(script):
    run = subprocess.run([sys.executable, script, "--quick"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout

"""No room on the disk, or in memory: one error that says so, the old file, and nothing left behind."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import boxdraw

from .inject import OLD, TASKS, Task, inject_full_disk, small_disk

COMMANDS = [name for name, task in TASKS.items() if task.command and name != "paper"]
SOURCE = Path(boxdraw.__file__).parents[1]


@pytest.mark.parametrize("name", [*COMMANDS, "predict_table"])
def test_a_file_that_grows_too_large(bench, name):
    """The limit of a quota: it strikes after some bytes of the file, wherever it is."""
    outcome = bench.inject(name, "full", bench.n_bytes(name) // 2)
    assert outcome.hit
    assert outcome.wrong == []
    if TASKS[name].command:
        assert (outcome.code, outcome.said) == (1, f"boxdraw: error: {TASKS[name].outputs[0]}: File too large\n")


def test_a_cell_of_the_paper_that_does_not_fit(bench):
    outcome = bench.inject("paper", "full", 100)
    assert outcome.code == 1
    assert outcome.said.splitlines()[-1].endswith(".json: File too large")
    assert outcome.wrong == []


def test_a_full_disk(bench):
    with small_disk(bench.root / "disk") as disk:
        if disk is None:
            pytest.skip("no right to mount a small disk")
        for name in ("fit", "report", "predict_table"):
            outcome = inject_full_disk(bench, name, disk, left=0)
            assert outcome.hit
            assert outcome.wrong == []
            assert "No space left on device" in outcome.said
            if TASKS[name].command:
                assert outcome.said == f"boxdraw: error: {TASKS[name].outputs[0]}: No space left on device\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_standard_output_on_a_full_disk(bench):
    outcome = bench.run(Task((), call="print_rules"), bench.fresh("fit"))
    assert (outcome.code, outcome.said) == (1, "boxdraw: error: [Errno 28] No space left on device\n")


def test_a_fit_that_needs_too_much_memory(bench):
    folder = bench.fresh("BoxSet.to_json")
    outcome = bench.run(Task(("saved.json",), call="hungry"), folder, "memory", 300 * 2**20)
    assert outcome.said.splitlines()[-1].partition(":")[0].endswith("MemoryError")  # NumPy has one of its own
    assert (folder / "saved.json").read_bytes() == OLD
    assert not list(folder.glob(".boxdraw-*"))


def test_a_command_that_needs_too_much_memory(bench):
    import pyarrow as pa
    import pyarrow.parquet

    folder = bench.fresh("fit")
    column = np.arange(500_000) % 7
    table = {**{f"x{j}": column for j in range(40)}, "fraud": column == 0}
    pa.parquet.write_table(pa.table(table), folder / "large.parquet")  # a small file, and 160 MB once all of it is read
    command = "fit large.parquet --target fraud --method exact -o fitted.json --force"
    outcome = bench.run(Task(("fitted.json",), command), folder, "memory", 128 * 2**20)
    assert outcome.code == 1
    assert outcome.said.startswith("boxdraw: error: not enough memory")
    assert outcome.said.count("\n") == 1
    assert (folder / "fitted.json").read_bytes() == OLD


UNCACHED = """
import numpy as np
from boxdraw.tables import hashes

found = np.zeros(2, np.uint64)
hashes.pair_hashes(np.ones((2, 3)), np.ones(0), found)
print(hashes.__file__, found[0] == found[1] != 0)
"""


def test_no_place_to_keep_compiled_functions(tmp_path):
    """A package that others own and no home, as in many containers: compiled functions are not kept, and work."""
    shutil.copytree(SOURCE / "boxdraw", tmp_path / "boxdraw", ignore=shutil.ignore_patterns("__pycache__", "js", "css"))
    for folder in [tmp_path / "boxdraw", *(tmp_path / "boxdraw").rglob("*/")]:
        if folder.is_dir():
            (folder / "__pycache__").touch()  # no folder can have this name now, not even root's
    nowhere = {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null/cache", "PYTHONPATH": str(tmp_path)}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA")} | nowhere
    run = subprocess.run([sys.executable, "-c", UNCACHED], env=environment, capture_output=True, text=True)
    assert run.stderr == ""
    assert run.stdout == f"{tmp_path / 'boxdraw' / 'tables' / 'hashes.py'} True\n"

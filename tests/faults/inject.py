"""Faults that are really there, and what must hold after each: used by the tests beside it and by checks/faults.py.

A `Bench` runs commands in a process of its own (``server.py``), each in a folder that has the inputs, and an old file
under every name that the command writes. After a fault each of these names must hold the old file or the complete new
one, byte for byte; nothing else may have changed but temporary files; and the same command, run again, must give what
it always gives.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

import boxdraw
from boxdraw import BoxSet
from boxdraw.cli.demo import FILES
from boxdraw.model.file import Model, model_to_json

OLD = b"what was there before\n"
KILLS = ("kill", "line kill", "byte")  # faults that leave a process no time to clean up
INF = float("inf")
ASKED_THE_NETWORK = 99  # the exit code, of server.py
#: Where boxdraw is, and the repository, which has the paper.
PYTHONPATH = os.pathsep.join([str(Path(boxdraw.__file__).parents[1]), str(Path(__file__).parents[2])])


@dataclass(frozen=True)
class Task:
    """Something that writes files."""

    outputs: tuple[str, ...]
    command: str = ""
    call: str | None = None  # a function of the server, where it is no command


TASKS = {
    "BoxSet.to_json": Task(("saved.json",), call="save"),
    "fit": Task(("fitted.json",), "fit data.csv --target fraud -o fitted.json --force"),
    "predict, CSV": Task(("flagged.csv",), "predict model.json data.csv -o flagged.csv --force"),
    "predict, Parquet": Task(("flagged.parquet",), "predict model.json rows.parquet -o flagged.parquet --force"),
    "predict_table": Task(("table.arrow",), call="predict_table"),
    "report": Task(("report.html",), "report model.json data.csv -o report.html --force"),
    "export, SQL": Task(("model.sql",), "export model.json --to sql -o model.sql --force"),
    "paper": Task(
        ("paper/table-trivial.csv", "paper/table-trivial.md"),
        "paper table-trivial --datasets castle3D --methods cart --quick --out paper",
    ),
    "demo": Task(tuple(f"demo/{name}" for name in FILES), call="tour"),
}


@dataclass
class Outcome:
    """What became of a run: its exit code (minus the signal, if one ended it), its words, and what is wrong now."""

    code: int
    said: str
    seconds: float
    wrong: list[str] = field(default_factory=list)
    temporary: int = 0

    @property
    def hit(self) -> bool:
        """Whether the fault came before the end of the run."""
        return self.code != 0


class Bench:
    """Runs tasks with faults in folders below one that is given; to be closed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._inputs = root / "inputs"
        self._inputs.mkdir()
        write_inputs(self._inputs)
        self._references: dict[str, dict[str, bytes]] = {}
        self._server = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("server.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": PYTHONPATH},
        )

    def close(self) -> None:
        """End the server."""
        self._server.stdin.close()
        self._server.stdout.close()
        self._server.wait(600)

    def run(self, task: Task, folder: Path, fault: str = "none", at: float = -1) -> Outcome:
        """Run a task in a folder."""
        job = {"folder": str(folder), "arguments": task.command.split(), "call": task.call, "fault": fault, "at": at}
        print(json.dumps(job), file=self._server.stdin, flush=True)
        return Outcome(**json.loads(self._server.stdout.readline()))

    def inject(self, name: str, fault: str, at: float = -1, again: bool = True) -> Outcome:
        """Run a task with a fault; check what is left; run it again without, and check that too."""
        folder = self.fresh(name)
        outcome = self.run(TASKS[name], folder, fault, at)
        self.check(name, folder, outcome)
        if fault not in KILLS and outcome.temporary:
            outcome.wrong.append("a temporary file is left, and there was time to remove it")
        if again:
            self.run_again(name, folder, outcome)
        return outcome

    def fresh(self, name: str, folder: Path | None = None) -> Path:
        """Return a folder that has the inputs, and old files where the task writes."""
        self.reference(name)
        return self._prepared(TASKS[name], self.root / "work" if folder is None else folder)

    def _prepared(self, task: Task, folder: Path) -> Path:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self._inputs, folder)
        for output in task.outputs:
            path = folder / output
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(OLD)
        return folder

    def reference(self, name: str) -> dict[str, bytes]:
        """Return what the task writes when nothing goes wrong."""
        if name not in self._references:
            folder = self._prepared(TASKS[name], self.root / "reference")
            outcome = self.run(TASKS[name], folder)
            assert outcome.code == 0, outcome.said
            self._references[name] = {output: (folder / output).read_bytes() for output in TASKS[name].outputs}
        return self._references[name]

    def check(self, name: str, folder: Path, outcome: Outcome) -> None:
        """Note what is wrong in a folder after a run, and count the temporary files."""
        reference, before = self.reference(name), len(outcome.wrong)
        for path in (path for path in folder.rglob("*") if path.is_file()):
            output = str(path.relative_to(folder))
            content = path.read_bytes()
            if output in reference:
                allowed = (reference[output],) if outcome.code == 0 else (OLD, reference[output])
                if content not in allowed:
                    outcome.wrong.append(f"{output} is neither old nor new: {len(content)} bytes")
            elif path.name.startswith(".boxdraw-") and path.name.endswith(".tmp"):
                outcome.temporary += 1
            elif (self._inputs / output).exists():
                if content != (self._inputs / output).read_bytes():
                    outcome.wrong.append(f"the input {output} has changed")
            elif not (output.startswith("paper/cells/") and _is_cell(content)) and output != "filler":
                outcome.wrong.append(f"{output} is no file of this run")
        outcome.wrong += [f"{output} is gone" for output in reference if not (folder / output).is_file()]
        if outcome.wrong[before:]:
            outcome.wrong.append(f"exit code {outcome.code}: {outcome.said[-500:]}")

    def run_again(self, name: str, folder: Path, outcome: Outcome) -> None:
        """Run without a fault where one was, and note what is wrong then."""
        again = self.run(TASKS[name], folder)
        if again.code != 0:
            outcome.wrong.append(f"does not run again: {again.said[-500:]}")
        self.check(name, folder, again)
        outcome.wrong += again.wrong

    def n_lines(self, name: str) -> int:
        """Count how often a line of the code that writes files is run in a task."""
        outcome = self.run(TASKS[name], self.fresh(name), "count")
        return int(outcome.said.rpartition("\nlines: ")[2])

    def seconds(self, name: str) -> float:
        """Measure how long a task takes."""
        return self.run(TASKS[name], self.fresh(name)).seconds

    def n_bytes(self, name: str) -> int:
        """Return the size of the largest file that a task writes."""
        return max(map(len, self.reference(name).values()))


def _is_cell(content: bytes) -> bool:
    """Say whether these are the bytes of a complete cell; it has its seconds in it, which are never the same."""
    try:
        return json.loads(content)["outcome"] is not None
    except ValueError:
        return False


def write_inputs(folder: Path) -> None:
    """Write a table as CSV and Parquet, and a model for it."""
    rng = np.random.default_rng(0)
    amount, hour = rng.integers(1, 400, 400), rng.integers(0, 24, 400)
    fraud = (amount > 250) & (hour < 8)
    fraud[:3] = True
    table = pa.table({"amount": amount, "hour": hour, "fraud": np.where(fraud, "yes", "no")})
    pa.csv.write_csv(table, folder / "data.csv")
    pa.parquet.write_table(table, folder / "rows.parquet")
    boxes = BoxSet([[250, -INF], [-INF, 20]], [[INF, 8], [10, INF]], feature_names=["amount", "hour"])
    (folder / "model.json").write_text(model_to_json(Model(boxes, "fraud", ("no", "yes"))), encoding="utf-8")


@contextmanager
def small_disk(folder: Path, size: int = 2**20) -> Iterator[Path | None]:
    """Make a file system of so many bytes; None where only others may do that."""
    folder.mkdir(exist_ok=True)
    options = ["-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    mount = shutil.which("mount")
    if mount is None or subprocess.run([mount, *options], capture_output=True).returncode:
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill(disk: Path, left: int) -> Path:
    """Write a file that leaves so many bytes of a disk free, up to what the disk counts in."""
    room = os.statvfs(disk)
    filler = disk / "filler"
    filler.write_bytes(bytes(max(0, room.f_bavail * room.f_frsize - left)))
    return filler


def inject_full_disk(bench: Bench, name: str, disk: Path, left: int) -> Outcome:
    """Run a task on a disk that has so many bytes left; check; make room, run it again, and check that too."""
    folder = bench.fresh(name, disk / "work")
    filler = fill(disk, left)
    outcome = bench.run(TASKS[name], folder)
    bench.check(name, folder, outcome)
    if outcome.temporary:
        outcome.wrong.append("a temporary file is left, and takes room on a full disk")
    filler.unlink()
    bench.run_again(name, folder, outcome)
    return outcome


def inject_cut(bench: Bench, name: str, source: str, at: int) -> Outcome:
    """Cut an input short, run, check; put the whole input back, run again, and check that too."""
    folder = bench.fresh(name)
    whole = (folder / source).read_bytes()
    (folder / source).write_bytes(whole[:at])
    outcome = bench.run(TASKS[name], folder)
    (folder / source).write_bytes(whole)
    bench.check(name, folder, outcome)
    bench.run_again(name, folder, outcome)
    return outcome

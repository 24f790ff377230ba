"""Inject faults into commands of boxdraw, hundreds of them, and say what became of their files.

Run ``make faults``, or ``python checks/faults.py --kills 20 --seed 0``. The faults and what must hold after each are
those of tests/faults/inject.py. The exit code is 1 if anything is wrong. It needs Linux; without the right to mount a
small disk, only the limit on the size of a file stands for a full disk.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "faults"))

from inject import PYTHONPATH, TASKS, Bench, Outcome, Task, inject_cut, inject_full_disk, small_disk  # noqa: E402

SLOW = {"demo": 4, "fit": 2}  # these get a fraction of the faults
CUT = {"predict, CSV": "model.json", "predict, Parquet": "rows.parquet"}
TITLES = {
    "kill": "kill -9 at some time",
    "line kill": "kill -9 before a line that writes",
    "byte": "killed after some bytes",
    "full": "file too large after some bytes",
    "interrupt": "Ctrl-C at some time",
    "terminate": "SIGTERM at some time",
}


def main() -> int:
    """Inject, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20, help="of each kind for each command (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the points at which they come (%(default)s)")
    args = parser.parse_args()
    table = Table()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        try:
            inject_all(bench, args.kills, random.Random(args.seed), table)
        finally:
            bench.close()
        lost_workers(Path(folder), max(1, args.kills // 7), table)
    table.end()
    return 1 if table.wrong else 0


class Table:
    """Prints a row per kind of fault and command as soon as it is known."""

    def __init__(self) -> None:
        self.wrong: list[str] = []
        self.sums = [0, 0, 0, 0]
        print("| fault | command | injected | in time | survived | temporary files left |")
        print("| --- | --- | --- | --- | --- | --- |")

    def add(self, fault: str, name: str, outcomes: list[Outcome]) -> None:
        """Print a row; what was wrong follows at the end."""
        counts = [
            len(outcomes),
            sum(outcome.hit for outcome in outcomes),
            sum(not outcome.wrong for outcome in outcomes),
            sum(outcome.temporary for outcome in outcomes),
        ]
        self.sums = [total + count for total, count in zip(self.sums, counts, strict=True)]
        self.wrong += [f"{fault}, {name}: {'; '.join(outcome.wrong)}" for outcome in outcomes if outcome.wrong]
        print(f"| {fault} | {name} | {' | '.join(map(str, counts))} |", flush=True)

    def end(self) -> None:
        """Print the sums, and what was wrong."""
        print(f"| all |  | {' | '.join(map(str, self.sums))} |")
        for line in self.wrong:
            print(f"WRONG: {line}")


def inject_all(bench: Bench, kills: int, rng: random.Random, table: Table) -> None:
    """Inject all faults that a bench can."""
    for name in TASKS:
        most = max(1, kills // SLOW.get(name, 1))
        for fault, points in points_of(bench, name, most, rng):
            table.add(TITLES[fault], name, [bench.inject(name, fault, at) for at in points])
    with small_disk(bench.root / "disk") as disk:
        if disk is None:
            print("No right to mount a small disk: no disk was filled.", file=sys.stderr)
        else:
            for name in TASKS:
                most = max(1, kills // SLOW.get(name, 1) // 4)
                left = [rng.randrange(bench.n_bytes(name)) for _ in range(most)]
                table.add("disk full", name, [inject_full_disk(bench, name, disk, size) for size in left])
    for name, source in CUT.items():
        size = (bench.fresh(name) / source).stat().st_size
        outcomes = [inject_cut(bench, name, source, at) for at in sorted(rng.sample(range(size), kills))]
        table.add(f"{source} cut short", name, outcomes)
    limits = [rng.randrange(100, 600) * 2**20 for _ in range(max(1, kills // 4))]
    table.add("too little memory", "BoxSet.to_json after a fit", [out_of_memory(bench, limit) for limit in limits])


def points_of(bench: Bench, name: str, most: int, rng: random.Random) -> Iterator[tuple[str, list[float]]]:
    """Yield the faults of a command, and the points of its run at which they come."""
    seconds, n_lines, n_bytes = bench.seconds(name), bench.n_lines(name), bench.n_bytes(name)
    few = max(1, most // 4)
    yield "kill", [rng.uniform(0, seconds) for _ in range(most)]
    yield "line kill", sorted(rng.sample(range(n_lines), min(n_lines, most)))
    yield "byte", [rng.randrange(n_bytes) for _ in range(most // 2)]
    yield "full", [rng.randrange(n_bytes) for _ in range(few)]
    if TASKS[name].command:  # a function of ours leaves signals to those who call it
        yield "interrupt", [rng.uniform(0.1, 0.9) * seconds for _ in range(few)]
        yield "terminate", [rng.uniform(0.1, 0.9) * seconds for _ in range(few)]


def out_of_memory(bench: Bench, limit: int) -> Outcome:
    """Fit and save with too little memory; the old file must be there, and saving must work after that."""
    name = "BoxSet.to_json"
    folder = bench.fresh(name)
    outcome = bench.run(Task(("saved.json",), call="hungry"), folder, "memory", limit)
    bench.check(name, folder, outcome)
    if "MemoryError" not in outcome.said:
        outcome.wrong.append(f"no MemoryError: {outcome.said[-300:]}")
    bench.run_again(name, folder, outcome)
    return outcome


def lost_workers(root: Path, kills: int, table: Table) -> None:
    """Kill a worker of ``python -m paper --jobs 2`` as soon as there is one; the tables must be those of one."""
    tables = ("table-trivial.csv", "table-trivial.md")
    command = f"table-trivial --datasets castle3D,iris0 --methods cart,logistic --quick --out {root}/"
    run_paper(f"{command}one")
    expected = [(root / "one" / name).read_bytes() for name in tables]
    outcomes = []
    for kill in range(kills):
        outcome, killed = run_paper(f"{command}{kill} --jobs 2", kill_a_worker)
        written = [path.read_bytes() for path in (root / str(kill) / name for name in tables) if path.exists()]
        if written != expected:
            outcome.wrong.append(f"other tables than those of one process: {outcome.said[-300:]}")
        if outcome.code != 0:
            outcome.wrong.append(f"exit code {outcome.code}: {outcome.said[-300:]}")
        outcomes.append(Killed(outcome.code, outcome.said, outcome.seconds, outcome.wrong) if killed else outcome)
    table.add("kill -9 of a worker", "paper --jobs 2", outcomes)


class Killed(Outcome):
    """A run that was hit, and ended well all the same."""

    hit = True


def run_paper(command: str, meanwhile: Callable[[int], bool] = lambda _: False) -> tuple[Outcome, bool]:
    """Run a command as users do; return what became of it, and what was done meanwhile."""
    environment = os.environ | {"PYTHONPATH": PYTHONPATH}
    arguments = [sys.executable, "-m", "paper", *command.split()]
    start = time.perf_counter()
    with subprocess.Popen(
        arguments, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as run:
        done = meanwhile(run.pid)
        said = run.communicate()[0]
    return Outcome(run.returncode, said, time.perf_counter() - start), done


def kill_a_worker(parent: int) -> bool:
    """Wait until a process has a worker of joblib, and kill it; False if it ends before it has one."""
    while not (workers := workers_of(parent)):
        if Path(f"/proc/{parent}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            return False
        time.sleep(0.01)
    os.kill(workers[0], signal.SIGKILL)
    return True


def workers_of(parent: int) -> list[int]:
    """Return the workers that joblib has started for a process."""
    children = []
    for task in Path(f"/proc/{parent}/task").iterdir():
        with suppress(OSError):
            children += [int(child) for child in (task / "children").read_text().split()]
    found = []
    for child in children:
        with suppress(OSError):
            if "popen_loky_posix" in Path(f"/proc/{child}/cmdline").read_text():
                found.append(child)
    return found


if __name__ == "__main__":
    sys.exit(main())

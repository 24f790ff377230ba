"""Fuzzing: generated documents, tables, commands and boxes, each of which must end in a result or a documented error.

``python checks/fuzz.py --cases 100000`` runs that many cases over all targets and prints a table; ``make fuzz`` does
the same. ``--target NAME`` runs one target, ``--seed S`` other cases, and ``--target NAME --case SEED`` a single case,
with the whole traceback if it is a finding. docs/fuzzing.rst says what counts as one.

Cases run in a process of their own. The parent looks at its clock: a case that takes more than 5 seconds of processor
time, or a minute by the clock, is a finding, and so is one in which the process dies.
"""

from __future__ import annotations

import argparse
import importlib
import math
import multiprocessing
import random
import re
import resource
import shutil
import sys
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

#: The targets, and how many of 1000 cases each gets.
TARGETS = {"cli": 30, "fit": 30, "tables": 110, "export": 80, "json": 750}

HANG = 5.0  # seconds of processor time
STARVED = 60.0  # seconds by the clock
_PARTS = {"cli": 1_500, "fit": 1_500, "tables": 2_750, "export": 4_000, "json": 10_000}  # cases that one process runs
_MEMORY = 12 * 2**30  # bytes of address space, so that a small file can't take all there is


@dataclass
class Tally:
    """What came of the cases of a target."""

    target: str
    cases: int = 0
    accepted: int = 0
    refused: int = 0
    longest: float = 0.0
    seconds: float = 0.0
    findings: list[tuple[int, str]] = field(default_factory=list)

    def add(self, seed: int, outcome: str, seconds: float) -> None:
        """Count a case."""
        self.cases += 1
        self.longest = max(self.longest, seconds)
        if outcome == "accepted":
            self.accepted += 1
        elif outcome == "refused":
            self.refused += 1
        else:
            self.findings.append((seed, outcome))
            print(f"finding: --target {self.target} --case {seed}: {outcome[:300]}", file=sys.stderr, flush=True)


def run_case(target: str, seed: int, folder: Path) -> bool:
    """Run a case; return whether the input was accepted. A finding is an exception."""
    from _fuzz_judge import no_odd_warnings

    module = importlib.import_module(f"_fuzz_{target}")
    with no_odd_warnings():
        return bool(module.run(random.Random(f"{target} {seed}"), folder))


def outcome_of(target: str, seed: int, folder: Path) -> str:
    """Run a case; return ``accepted``, ``refused``, or what is wrong."""
    try:
        return "accepted" if run_case(target, seed, folder) else "refused"
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {str(error)[:400]} ({Path(last.filename).name}:{last.lineno})"


def warm(target: str, folder: Path) -> None:
    """Load and compile what a target needs, which takes longer than a case may."""
    module = importlib.import_module(f"_fuzz_{target}")
    if hasattr(module, "warm"):
        module.warm()
    outcome_of(target, 0, folder)


def _work(target: str, seeds: range, until: float, pipe: Connection) -> None:
    """Run cases in a process of its own, and tell the parent before and after each."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    folder = Path(tempfile.mkdtemp(prefix="boxdraw-fuzz-"))
    try:
        warm(target, folder)
        for seed in seeds:
            if time.monotonic() > until:
                break
            pipe.send((seed, None, 0.0))
            start = time.perf_counter()
            outcome = outcome_of(target, seed, folder)
            pipe.send((seed, outcome, time.perf_counter() - start))
        pipe.send(None)
    except BrokenPipeError:  # the parent was ended
        pass
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _processor_time(process: Any) -> float:
    """Return the seconds that a process has worked, with all its threads."""
    try:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / 100


def run_target(target: str, first: int, count: int, until: float = math.inf) -> Tally:
    """Run the cases of a target, again from the next one if a case hangs or ends its process.

    None is begun when the clock says ``until``.
    """
    tally, start = Tally(target), time.perf_counter()
    seed = first
    while seed < first + count and time.monotonic() < until:
        seed = _run_until_trouble(target, range(seed, first + count), until, tally)
    tally.seconds = time.perf_counter() - start
    return tally


def parts(target: str, first: int, count: int) -> list[tuple[int, int]]:
    """Cut cases in parts that processes can share."""
    size = _PARTS[target]
    return [(first + start, min(size, count - start)) for start in range(0, count, size)]


def together(target: str, tallies: list[Tally]) -> Tally:
    """Add up what came of the cases."""
    result = Tally(target)
    for tally in tallies:
        for name in ("cases", "accepted", "refused", "seconds"):
            setattr(result, name, getattr(result, name) + getattr(tally, name))
        result.findings += tally.findings
        result.longest = max(result.longest, tally.longest)
    return result


def _run_until_trouble(target: str, seeds: range, until: float, tally: Tally) -> int:
    """Run cases in one process; return the seed to go on with."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(target, seeds, until, theirs), daemon=True)
    process.start()
    theirs.close()
    current, since, worked = None, time.perf_counter(), 0.0
    try:
        while True:
            if ours.poll(1.0):
                message = ours.recv()
                if message is None:
                    return seeds.stop
                seed, outcome, seconds = message
                if outcome is not None:
                    tally.add(seed, outcome, seconds)
                    current = None
                else:
                    current, since, worked = seed, time.perf_counter(), -1.0
                continue
            if current is None:
                continue
            elapsed = time.perf_counter() - since
            if worked < 0:
                worked = _processor_time(process)
            if elapsed > STARVED or (elapsed > HANG and _processor_time(process) - worked > HANG):
                tally.add(current, f"a hang: no end after {elapsed:.0f} s", elapsed)
                return current + 1
    except EOFError:
        process.join()
        stopped = seeds.start if current is None else current
        tally.add(stopped, f"the process died with exit code {process.exitcode}", 0.0)
        return stopped + 1
    finally:
        process.kill()
        process.join()
        ours.close()


def print_table(tallies: list[Tally], seed: int) -> None:
    """Print what came of all cases."""
    heads = (("cases", 9), ("accepted", 10), ("refused", 9), ("findings", 10), ("longest, ms", 13), ("seconds", 9))
    print(f"{'target':<8}" + "".join(f"{head:>{width}}" for head, width in heads) + f"{'seed':>6}")
    for tally in tallies if len(tallies) == 1 else [*tallies, together("all", tallies)]:
        _print_line(tally, seed)


def _print_line(tally: Tally, seed: int) -> None:
    print(
        f"{tally.target:<8}{tally.cases:>9}{tally.accepted:>10}{tally.refused:>9}{len(tally.findings):>10}"
        f"{tally.longest * 1000:>13.0f}{tally.seconds:>9.0f}{seed:>6}"
    )


def print_findings(tallies: list[Tally]) -> None:
    """Print how to see each kind of finding again: those that end in the same line of code are of one kind."""
    for tally in tallies:
        kinds: dict[str, list[tuple[int, str]]] = {}
        for seed, what in tally.findings:
            kinds.setdefault(re.sub(r"'.*'|\".*\"|\d", "", what), []).append((seed, what))
        for found in kinds.values():
            seed, what = found[0]
            print(f"python checks/fuzz.py --target {tally.target} --case {seed}  # one of {len(found)}\n    {what}")


def _single(target: str, seed: int) -> int:
    with tempfile.TemporaryDirectory(prefix="boxdraw-fuzz-") as folder:
        print("accepted" if run_case(target, seed, Path(folder)) else "refused")
    return 0


def main() -> int:
    """Run what the command line asks for; the exit code is 1 if there are findings."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cases", type=int, default=100_000, help="of all targets together (%(default)s)")
    parser.add_argument("--target", choices=TARGETS, help="only this one")
    parser.add_argument("--seed", type=int, default=0, help="another seed gives other cases (%(default)s)")
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no case later than this")
    parser.add_argument("--jobs", type=int, default=1, help="processes at the same time (%(default)s)")
    parser.add_argument("--case", type=int, metavar="SEED", help="run this case of --target alone")
    args = parser.parse_args()
    if args.case is not None:
        if args.target is None:
            parser.error("--case needs --target")
        return _single(args.target, args.case)
    chosen = [args.target] if args.target else list(TARGETS)
    share = sum(TARGETS[target] for target in chosen)
    # Cases of another seed are other cases, as long as there are fewer than a billion.
    counts = {target: args.cases * TARGETS[target] // share for target in chosen}
    until = time.monotonic() + args.seconds
    with ThreadPoolExecutor(args.jobs) as pool:  # each waits for a process of its own
        running = {
            target: [pool.submit(run_target, target, *part, until) for part in parts(target, args.seed * 10**9, count)]
            for target, count in counts.items()
        }
        tallies = [together(target, [each.result() for each in each_part]) for target, each_part in running.items()]
    print_table(tallies, args.seed)
    print_findings(tallies)
    return int(any(tally.findings for tally in tallies))


if __name__ == "__main__":
    sys.exit(main())

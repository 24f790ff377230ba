"""Mutation score of the maths: how many small faults, planted one at a time, do the tests notice? Bar: 85% per module.

    python checks/mutation.py                    all modules
    python checks/mutation.py --module boxes     one of them
    python checks/mutation.py --sample 50        so many mutants of each module, drawn with a fixed seed
    python checks/mutation.py --session FILE     keep outcomes in a file; those killed there are not run again
    python checks/mutation.py --session FILE --report   only print what is in it

The faults are made by cosmic-ray's operators (`_mutants.py` says which). Each mutant is tried in a fork of a process
that has collected the tests already, which takes a fraction of the time of a process of its own: the functions that
differ get their new code (`_patch.py`), or, if something else differs, the module and all that import it are imported
anew. Then those tests run that call such a function, the quickest first, until one fails. Examples of hypothesis are
the same for all mutants, and few per test, so the score is rather too low than too high.

`mutation_equivalent.toml` lists mutants that no test can notice, each with the reason. They count as neither killed nor
survived, and are printed with their reasons.
"""

import argparse
import ast
import contextlib
import gc
import importlib
import importlib.machinery
import json
import os
import random
import resource
import select
import signal
import sys
import threading
import time
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from _few_examples import limit_examples
from _mutants import Mutant, mutants
from _patch import changed_functions, patch

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src"
TESTS = {
    "boxdraw.model.boxes": [
        "src/boxdraw/model/boxes.py",
        "tests/model/test_boxes.py",
        "tests/model/test_editing.py",
        "tests/model/test_simplify.py",
    ],
    "boxdraw.learners.fast.expand": [
        "src/boxdraw/learners/fast/expand.py",
        "tests/learners/fast/test_expand.py",
        "tests/test_values.py",
    ],
    "boxdraw.learners.fast.path": [
        "src/boxdraw/learners/fast/path.py",
        "tests/learners/fast/test_path.py",
        "tests/learners/fast/test_path_property.py",
        "tests/learners/fast/test_weights.py",
        "tests/test_values.py",
    ],
    "boxdraw.learners.exact.max_box": ["tests/learners/exact/test_max_box.py", "tests/test_values.py"],
    "boxdraw.learners.exact.certificate": [
        "src/boxdraw/learners/exact/certificate.py",
        "tests/learners/exact/test_certificate.py",
        "tests/test_values.py",
    ],
}
PLUGINS = ("cacheprovider", "faulthandler", "unraisableexception")  # not needed, and slow
OPTIONS = ["-x", "-q", "--no-header", "--tb=short", *(f"-pno:{name}" for name in PLUGINS)]
EXAMPLES = 8  # of each property test
MOST_MEMORY = 16 * 2**30
KILLED, SURVIVED, TIMEOUT, EQUIVALENT = "killed", "survived", "timeout", "equivalent"


def dependents(module: str) -> set[str]:
    """Return the modules of the package that import a module, directly or not, and the module itself."""
    imports = {}
    for path in SOURCES.rglob("*.py"):
        name = ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")
        imports[name] = set(_imported(ast.parse(path.read_text(encoding="utf-8"))))
    found, size = {module, "boxdraw"}, 0
    while len(found) > size:
        size = len(found)
        found |= {name for name, others in imports.items() if others & found}
    return found


def _imported(tree: ast.AST) -> list[str]:
    nodes = list(ast.walk(tree))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names


class Loader(importlib.machinery.SourceFileLoader):
    """Loads one module from changed source."""

    def __init__(self, module: str, source: str) -> None:
        super().__init__(module, str(path_of(module)))
        self.source = source

    def get_code(self, fullname):
        """Compile the changed source; what is on disk is not looked at."""
        return compile(self.source, self.path, "exec", dont_inherit=True)

    def find_spec(self, fullname, path=None, target=None):
        """Say that the module, and no other, is to be had here."""
        if fullname == self.name:
            return importlib.machinery.ModuleSpec(fullname, self, origin=self.path)
        return None


class Plugin:
    """Cuts property tests short, takes the time of tests, and leaves at the first failure."""

    def __init__(self, loop=None, path="") -> None:
        self.loop, self.path = loop, path
        self.calls: dict[str, list[str]] | None = None
        self.seconds: Counter[str] = Counter()

    def pytest_collection_modifyitems(self, items) -> None:
        limit_examples(items, EXAMPLES)

    def pytest_runtestloop(self, session):
        """Try mutants instead of running the tests once, where that is wanted."""
        if self.loop is None:
            return None
        self.loop(session)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        """Note which functions of the module a test calls, if that is asked for."""
        if self.calls is None:
            return (yield)
        called = self.calls.setdefault(item.nodeid, [])

        def note(frame, event, _) -> None:
            if event == "call" and frame.f_code.co_filename == self.path:
                called.append(frame.f_code.co_qualname)

        threading.setprofile(note)
        sys.setprofile(note)
        try:
            return (yield)
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
            self.calls[item.nodeid] = sorted({name.split(".<locals>")[0] for name in called})

    def pytest_runtest_logreport(self, report) -> None:
        self.seconds[report.nodeid] += report.duration
        self._leave_if(report)

    def pytest_collectreport(self, report) -> None:
        self._leave_if(report)

    def _leave_if(self, report) -> None:
        if report.failed:
            print(report.longreprtext, file=sys.stderr, flush=True)
            os._exit(1)


class Bench:
    """A process that has collected the tests of a module, and is forked to run them for each mutant."""

    def __init__(self, module: str, work) -> None:
        self.module, self.work = module, work
        self.source = path_of(module).read_text(encoding="utf-8")
        self.dependents = dependents(module)
        self.plugin = Plugin(self._loop, str(path_of(module)))
        importlib.import_module(module)  # or pytest, looking for doctests, would make a second module of the file
        pytest.main([*OPTIONS, "-s", *TESTS[module]], plugins=[self.plugin])

    def _loop(self, session) -> None:
        self.session = session
        if self.module.startswith("boxdraw.learners.exact"):
            compile_kernels = importlib.import_module("boxdraw.learners.exact.warm").compile_kernels
            compile_kernels(False)
            compile_kernels.cache_clear()
        gc.freeze()
        self._check()
        self.work(self)

    def _check(self) -> None:
        """Try the source as it is, which has to pass, and sort the tests by their times."""
        read, write = os.pipe()
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        if self._forked(self.source, 600, write) != SURVIVED:
            raise SystemExit(f"{self.module}: its tests fail without a mutant")
        with open(read) as stream:
            seconds, self.calls = json.load(stream)
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        if self._forked(self.source + "ANOTHER_NAME = 1\n", 600) != SURVIVED:  # which is imported anew
            raise SystemExit(f"{self.module}: its tests fail when it is imported anew")
        self.session.items.sort(key=lambda item: seconds[item.nodeid])
        self.limit = int(2 * used) + 3
        print(f"{self.module}: {len(seconds)} tests, {used:.1f} s of processor time", file=sys.stderr)

    def try_out(self, mutant: Mutant) -> str:
        """Return what becomes of a mutant."""
        return self._forked(mutant.source, self.limit)

    def _forked(self, source: str, seconds: int, write: int | None = None) -> str:
        pid = os.fork()
        if not pid:
            self._child(source, seconds, write)
        if write is not None:
            os.close(write)
        with open(os.pidfd_open(pid)) as done:
            if not select.select([done], [], [], 60 * seconds)[0]:  # it waits for something instead of working
                os.kill(pid, signal.SIGKILL)
            status = os.waitpid(pid, 0)[1]
        if os.WIFSIGNALED(status):
            return TIMEOUT if os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL) else KILLED
        return SURVIVED if os.WEXITSTATUS(status) == 0 else KILLED

    def _child(self, source: str, seconds: int, write: int | None) -> None:
        """Run the tests with the mutant, and leave."""
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            if write is None:
                os.dup2(null, 2)
            functions = changed_functions(self.source, source)
            if functions is None or not patch(sys.modules[self.module], functions):
                os._exit(self._run_anew(source))
            if write is None:
                self._run_collected([item for item in self.session.items if functions.keys() & self.calls[item.nodeid]])
            else:
                self.plugin.calls = {}
                self._run_collected(self.session.items)
                with open(write, "w") as stream:
                    json.dump([self.plugin.seconds, self.plugin.calls], stream)
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)

    def _run_collected(self, items) -> None:
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)

    def _run_anew(self, source: str) -> int:
        """Import the module from other source, and all that import it, and run its tests."""
        for name in self.dependents | {name for name in sys.modules if name.split(".")[0] in ("tests", "conftest")}:
            forget(name)
        sys.meta_path.insert(0, Loader(self.module, source))
        importlib.import_module("boxdraw")
        importlib.import_module(self.module)
        restore_attributes()
        return pytest.main([*OPTIONS, *TESTS[self.module]], plugins=[Plugin()])


def forget(module: str) -> None:
    """Let a module be imported anew."""
    sys.modules.pop(module, None)
    package, _, name = module.rpartition(".")
    vars(sys.modules.get(package, forget)).pop(name, None)


def restore_attributes() -> None:
    """Let packages that were imported anew have those of their modules that were not."""
    for module in [name for name in sys.modules if name.startswith("boxdraw.")]:
        package, _, name = module.rpartition(".")
        setattr(sys.modules[package], name, sys.modules[module])


def path_of(module: str) -> Path:
    """Return the file of a module."""
    return SOURCES.joinpath(*module.split(".")).with_suffix(".py")


def equivalents(module: str) -> dict[str, str]:
    """Return the mutants that no test can notice, with the reasons."""
    with open(ROOT / "checks" / "mutation_equivalent.toml", "rb") as file:
        entries = tomllib.load(file).get(module, [])
    return {f"{entry['old']}  ->  {entry['new']}": entry["why"] for entry in entries}


def try_all(module: str, sample: int | None, session: Path | None) -> list[tuple[Mutant, str]]:
    """Try the mutants of a module; return each with its outcome."""
    all_mutants, equal = mutants(path_of(module).read_text(encoding="utf-8")), equivalents(module)
    if unused := equal.keys() - {mutant.name for mutant in all_mutants}:
        raise SystemExit(f"mutation_equivalent.toml has what is no mutant of {module}: {sorted(unused)}")
    chosen, known, outcomes = all_mutants, read_session(session, module), []
    if sample is not None and sample < len(chosen):
        chosen = sorted(random.Random(0).sample(chosen, sample), key=lambda mutant: mutant.line)

    def work(bench: Bench) -> None:
        started = time.monotonic()
        for number, mutant in enumerate(chosen, 1):
            key = f"{mutant.line}: {mutant.name}"
            outcome = EQUIVALENT if mutant.name in equal else known.get(key)
            if outcome not in (EQUIVALENT, KILLED, TIMEOUT):
                outcome = bench.try_out(mutant)
                write_session(session, module, key, outcome)
            outcomes.append((mutant, outcome))
            if outcome == SURVIVED or number % 25 == 0:
                seconds = time.monotonic() - started
                print(f"{number}/{len(chosen)} {seconds:.0f} s {module}:{key} {outcome}", file=sys.stderr, flush=True)

    with contextlib.redirect_stdout(sys.stderr):  # what pytest has to say
        Bench(module, work)
    return outcomes


def known_outcomes(module: str, session: Path) -> list[tuple[Mutant, str]]:
    """Return the mutants of a module of which a session has the outcome, or that are equivalent."""
    known, equal = read_session(session, module), equivalents(module)
    found = []
    for mutant in mutants(path_of(module).read_text(encoding="utf-8")):
        outcome = EQUIVALENT if mutant.name in equal else known.get(f"{mutant.line}: {mutant.name}")
        if outcome is not None:
            found.append((mutant, outcome))
    return found


def read_session(session: Path | None, module: str) -> dict[str, str]:
    """Return the outcomes that are stored already."""
    if session is None or not session.exists():
        return {}
    rows = map(json.loads, session.read_text(encoding="utf-8").splitlines())
    return {key: outcome for name, key, outcome in rows if name == module}


def write_session(session: Path | None, module: str, key: str, outcome: str) -> None:
    """Store an outcome."""
    if session is not None:
        with session.open("a", encoding="utf-8") as file:
            file.write(json.dumps([module, key, outcome]) + "\n")


def report(results: dict[str, list[tuple[Mutant, str]]]) -> None:
    """Print the table, what survived and what is equivalent."""
    print("| module | mutants | tried | killed | timeouts | survived | equivalent | score |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for module, outcomes in results.items():
        n = Counter(outcome for _, outcome in outcomes)
        caught = n[KILLED] + n[TIMEOUT]
        score = f"{caught / (caught + n[SURVIVED]):.1%}" if caught + n[SURVIVED] else "-"
        total = len(mutants(path_of(module).read_text(encoding="utf-8")))
        counts = f"{total} | {len(outcomes)} | {n[KILLED]} | {n[TIMEOUT]} | {n[SURVIVED]} | {n[EQUIVALENT]}"
        print(f"| {module} | {counts} | {score} |")
    print("\nKilled: a test fails. Timeout: twice the processor time, plus 2 s. Score: both, of all but equivalents.")
    for module, outcomes in results.items():
        if survivors := [mutant for mutant, outcome in outcomes if outcome == SURVIVED]:
            print(f"\nSurvived in {module}:")
            for mutant in survivors:
                print(f"  {mutant.line}: {mutant.name}")
        if equal := [mutant for mutant, outcome in outcomes if outcome == EQUIVALENT]:
            why = equivalents(module)
            print(f"\nEquivalent in {module}:")
            for mutant in equal:
                print(f"  {mutant.line}: {mutant.name}\n    {why[mutant.name]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--module", help="a part of a module's name")
    parser.add_argument("--sample", type=int, help="at most so many mutants of each module")
    parser.add_argument("--session", type=Path, help="file of outcomes to go on from")
    parser.add_argument("--report", action="store_true", help="only print what the session has; try nothing")
    options = parser.parse_args()
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.dont_write_bytecode = False  # or every mutant compiles the sources and tests again
    os.chdir(ROOT)
    sys.path.insert(0, str(SOURCES))
    chosen = [module for module in TESTS if options.module is None or options.module in module]
    if options.report:
        report({module: known_outcomes(module, options.session) for module in chosen})
    else:
        report({module: try_all(module, options.sample, options.session) for module in chosen})


if __name__ == "__main__":
    main()

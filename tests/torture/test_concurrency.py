"""Threads, processes, `python -OO`: the same answers, no hang, and nothing outside the model changes."""

import importlib.util
import multiprocessing
import os
import pickle
import stat
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import boxdraw
from boxdraw import (
    ExactBoxesClassifier,
    FastBoxesClassifier,
    FastBoxesClassifierCV,
    ScoredBoxesClassifier,
    SparseBoxesClassifier,
)
from boxdraw._core.quiet import quietly

HANG = 600  # seconds: no promise of speed, but an end
SOURCE = Path(boxdraw.__file__).parents[1]


def load_jobs():
    """Import `jobs` under a name that other processes can import it by as well."""
    folder = str(Path(__file__).parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    import jobs

    return jobs


@pytest.fixture(scope="module")
def jobs():
    before = list(sys.path)
    yield load_jobs()
    sys.path[:] = before


@pytest.fixture(scope="module")
def large(jobs):
    X, y = jobs.data()
    return X, y, jobs.model().fit(X, y)


@pytest.fixture(scope="module")
def small():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    return X, (X[:, 0] + rng.normal(scale=0.3, size=120) > 0.9).astype(int)


def at_once(functions):
    """Call functions in threads of their own that all start together."""
    start = threading.Barrier(len(functions))

    def work(function):
        start.wait(HANG)
        return function()

    with ThreadPoolExecutor(len(functions)) as pool:
        return list(pool.map(work, functions, timeout=HANG))


def test_one_model_predicts_from_eight_threads(large):
    X, _, model = large
    expected = model.predict(X), model.critical_weight(X), model.transform(X)
    fresh = pickle.loads(pickle.dumps(model))
    found = at_once([lambda: (fresh.predict(X), fresh.critical_weight(X), fresh.transform(X))] * 8)
    for result in found:
        for mine, theirs in zip(result, expected, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_what_is_found_when_it_is_asked_for_can_be_asked_for_at_once(small):
    """The path's ROC and the numbers that people read are computed by whoever comes first, or by several."""
    X, y = small
    expected = FastBoxesClassifier().fit(X, y)
    text, auh = expected.boxes_.to_text(), expected.path().auh
    for _ in range(5):
        model = FastBoxesClassifier().fit(X, y)
        assert at_once([lambda model=model: (model.boxes_.to_text(), model.path().auh)] * 8) == [(text, auh)] * 8


@pytest.mark.filterwarnings("ignore:(Held-out rows|No box was found|On held-out rows):UserWarning")
def test_fits_at_once_are_fits_in_a_row(small, large):
    X, y = small
    models = [
        FastBoxesClassifier(n_boxes=2),
        FastBoxesClassifier(n_boxes=3, growth="free", n_jobs=2),
        FastBoxesClassifierCV(n_boxes=(1, 2), growth="edge", n_jobs=2),
        ScoredBoxesClassifier(max_boxes=2, max_limits=1, n_jobs=2),
        ScoredBoxesClassifier(max_boxes=3, max_limits=2, cv=None),
        SparseBoxesClassifier(cv=2, n_jobs=2),
        ExactBoxesClassifier(max_boxes=2, random_state=0, time_limit=HANG, box_cost=3),
        ExactBoxesClassifier(max_boxes=1, random_state=0, time_limit=HANG, strategy="per_cluster"),
    ]
    before = list(warnings.filters)
    in_a_row = [clone(model).fit(X, y).boxes_ for model in models]
    fits = [lambda model=model: clone(model).fit(X, y).boxes_ for model in models]
    *found, of_large = at_once([*fits, lambda: clone(large[2]).fit(*large[:2]).boxes_])
    assert found == in_a_row
    assert of_large == large[2].boxes_
    assert warnings.filters == before


def test_silence_in_two_threads_leaves_the_filters_as_they_are():
    """Each tries to leave after the other has entered, which would put back the wrong filters."""
    before = list(warnings.filters)
    entered, left, other = threading.Event(), threading.Event(), threading.Event()

    def first():
        with quietly(UserWarning):
            entered.set()
            other.wait(0.5)  # in vain: the other one waits for its turn
        left.set()

    def second():
        assert entered.wait(HANG)
        with quietly(UserWarning):
            other.set()
            assert left.wait(HANG)

    at_once([first, second])
    assert warnings.filters == before


def run_in(method, target, *arguments, n=1):
    """Run something in processes of a kind, and return what they put."""
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    jobs = sys.modules["jobs"]
    workers = [context.Process(target=jobs.put, args=(queue, target, *arguments)) for _ in range(n)]
    for worker in workers:
        worker.start()
    try:
        results = [queue.get(timeout=HANG) for _ in workers]
        for worker in workers:
            worker.join(HANG)
        assert [worker.exitcode for worker in workers] == [0] * n
    finally:
        for worker in workers:
            worker.kill()  # what hangs is not to outlive the test
    return results


def forks_beside_threads():
    # Python 3.12 and later warn of any fork beside other threads; that this one works is what is tested.
    return pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@forks_beside_threads()
def test_four_forked_processes_predict_with_the_same_model(jobs, large):
    """The parent has run compiled code in threads, k-means, and BLAS before it forks."""
    X, _, model = large
    expected = model.predict(X).tobytes(), model.critical_weight(X).tobytes()
    assert run_in("fork", jobs.predictions, model, n=4) == [expected] * 4


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@forks_beside_threads()
def test_fit_in_forked_processes(jobs, large):
    X, _, model = large
    assert run_in("fork", jobs.fit_and_predict, n=2) == [(model.boxes_.to_json(), int(model.predict(X).sum()))] * 2


def test_fit_and_predict_in_a_spawned_process(jobs, large):
    X, _, model = large
    assert run_in("spawn", jobs.fit_and_predict) == [(model.boxes_.to_json(), int(model.predict(X).sum()))]


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
@forks_beside_threads()
def test_a_fork_in_the_silence_of_another_thread(jobs):
    """The lock of that thread is not to be waited for: in the child there is no such thread."""
    entered, leave = threading.Event(), threading.Event()

    def be_quiet():
        with quietly(UserWarning):
            entered.set()
            leave.wait(HANG)

    thread = threading.Thread(target=be_quiet)
    thread.start()
    try:
        assert entered.wait(HANG)
        assert run_in("fork", enter_silence) == ["quiet"]
    finally:
        leave.set()
        thread.join(HANG)


def enter_silence():
    with quietly(UserWarning):
        return "quiet"


def run_python(code, *options, cwd, **environment):
    result = subprocess.run(
        [sys.executable, *options, "-c", code],
        capture_output=True,
        text=True,
        timeout=HANG,
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"} | environment,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


WHOLE_STORY = """
import numpy as np
from boxdraw import BoxSet, BoxSetClassifier, FastBoxesClassifier, FastBoxesClassifierCV, ScoredBoxesClassifier
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3)); y = (X[:, 0] > 0.8).astype(int)
for model in (FastBoxesClassifier(n_boxes=1), FastBoxesClassifierCV(n_boxes=1, growth="edge")):
    model.fit(X, y)
    assert_ = (model.predict(X) == (model.decision_function(X) >= 0)).all()
    boxes = model.boxes_
    if not assert_ or BoxSet.from_json(boxes.to_json()) != boxes: raise SystemExit("differs")
    boxes.to_sql("t"); boxes.to_python(); boxes._repr_html_(); model._repr_html_inner(); model.box_table(X, y)
    model.explain(X); boxes.round(X); boxes.simplify(X, y); model.path().auh
    page = model.report(X, y).html
    if len(page) < 1000: raise SystemExit("no page")
try:
    BoxSet([[2.0]], [[1.0]])
except ValueError:
    print(boxes.to_text())
"""


STATE = """
import locale, logging, os, sys, threading, warnings
import numpy as np, sklearn
def state():
    return {
        "random": np.random.get_state()[1].tolist() + [np.random.get_state()[2]],
        "errors": np.geterr(),
        "printing": np.get_printoptions(),
        "filters": list(warnings.filters),
        "locale": locale.setlocale(locale.LC_ALL),
        "sklearn": sklearn.get_config(),
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "logging": (logging.root.level, list(logging.root.handlers)),
        "recursion": sys.getrecursionlimit(),
        "threads": threading.active_count(),
        "excepthook": sys.excepthook,
    }
def expect_same(before, what):
    changed = [name for name, value in state().items() if value != before[name]]
    if changed: raise SystemExit(f"{what} changes {changed}")
"""


LARGE_FITS_AND_PLOTS = """
before = state()
import boxdraw
expect_same(before, "import")
for name in ("numba", "matplotlib", "ortools", "dask"):
    if name in sys.modules: raise SystemExit(f"import loads {name}")
import matplotlib, numba, sklearn.cluster, threadpoolctl
matplotlib.use("Agg")
from matplotlib import pyplot
X, y = np.random.default_rng(0).normal(size=(45_000, 24)), np.arange(45_000) % 9 == 0
X[y] += 1
from boxdraw import *
from boxdraw.plotting import BoxesDisplay
import boxdraw.learners.fast.kernels
def pools():
    return sorted((pool["user_api"], pool["num_threads"]) for pool in threadpoolctl.threadpool_info())
X[:100] @ X[:100].T
before, threads, settings, of_pools = state(), numba.get_num_threads(), dict(matplotlib.rcParams), pools()
model = FastBoxesClassifier(n_boxes=2, n_jobs=2).fit(X, y)
model.predict(X)
ExactBoxesClassifier(max_boxes=2, box_cost=0.1, time_limit=600).fit(X[:60, :2], y[:60])
expect_same(before, "fit")
figure = pyplot.figure()
BoxesDisplay.from_estimator(model, X[:200], y[:200], ax=figure.subplots())
expect_same(before, "plot")
if numba.get_num_threads() != threads: raise SystemExit("threads of numba")
if dict(matplotlib.rcParams) != settings: raise SystemExit("rcParams")
if pyplot.get_fignums() != [1]: raise SystemExit("figures of pyplot")
if pools() != of_pools: raise SystemExit(f"{of_pools} became {pools()}")
"""


def test_import_fits_and_plots_change_nothing_outside(tmp_path):
    pytest.importorskip("matplotlib")
    run_python(STATE + LARGE_FITS_AND_PLOTS, cwd=tmp_path)
    assert not list(tmp_path.iterdir())


COMMANDS = """
import contextlib, io
from boxdraw.cli.main import main
for words in (["--help"], ["demo", "--help"]):
    with contextlib.redirect_stdout(io.StringIO()):
        if main(words): raise SystemExit(f"{words} failed")
"""


def test_without_docstrings_and_assertions_all_is_as_with_them(tmp_path):
    """``-OO`` takes out docstrings and assertions; nothing may depend on either."""
    with redirect_stdout(StringIO()) as printed:
        exec(WHOLE_STORY, {})
    plain = printed.getvalue().strip()
    assert plain.startswith("Box 1: ")
    assert run_python(WHOLE_STORY + COMMANDS, "-OO", "-W", "error::UserWarning:boxdraw", cwd=tmp_path) == plain
    assert not list(tmp_path.iterdir())


def test_a_model_is_not_changed_by_another(small):
    X, y = small
    first = FastBoxesClassifier(n_boxes=2, growth="free").fit(X, y)
    before = first.boxes_.to_json(), first.decision_function(X).tobytes(), first.get_params()
    FastBoxesClassifier(n_boxes=3, growth="edge", expansion=9.0, feature_range=(0, 9)).fit(-X, 1 - y).path()
    assert (first.boxes_.to_json(), first.decision_function(X).tobytes(), first.get_params()) == before


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="rights of files are others here")
def test_fit_where_nothing_can_be_written(tmp_path):
    """Compiled code is kept on disk beside the package, in a cache folder, or nowhere."""
    package = tmp_path / "site" / "boxdraw"
    package.parent.mkdir()
    copied = subprocess.run(["cp", "-r", str(SOURCE / "boxdraw"), str(package)], check=False, timeout=HANG)
    assert copied.returncode == 0
    home = tmp_path / "home"
    home.write_text("")  # a file: no one, not even root, can make a folder in it
    for cache in list(package.rglob("__pycache__")):
        for file in cache.iterdir():
            file.unlink()
        cache.rmdir()
        cache.write_text("")  # and none of compiled code beside the modules
    for folder in [path for path in package.rglob("*") if path.is_dir()] + [package]:
        if not (folder / "__pycache__").exists():
            (folder / "__pycache__").write_text("")
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    code = """
import numpy as np, boxdraw
from boxdraw import BoxSet
X = np.random.default_rng(0).normal(size=(50_000, 21))
print(boxdraw.__file__, BoxSet([[0.0] * 21], [[9.0] * 21]).contains(X).sum() >= 0)
"""
    environment = {"PYTHONPATH": str(package.parent), "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    try:
        said = run_python(code, "-B", cwd=tmp_path, **environment)
    finally:
        for folder in [package, *(path for path in package.rglob("*") if path.is_dir())]:
            folder.chmod(stat.S_IRWXU)
    assert said == f"{package / '__init__.py'} True"


def test_jobs_can_be_imported_by_other_processes(jobs):
    assert importlib.util.find_spec("jobs").origin == jobs.__file__

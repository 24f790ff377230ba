"""How a search ends: in time, by a callback, by Ctrl-C, at a gap."""

import os
import select
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from sklearn.base import clone

from boxdraw import BoxSet

from .fitted import HANG, assert_true, hard, model, small, value_of

INF = np.inf
pytestmark = [
    pytest.mark.usefixtures("nothing_is_left_behind"),
    pytest.mark.filterwarnings("ignore:No box was found"),  # in no time at all
]


def assert_unproven(fitted, X, y):
    assert fitted.status_ in ("time_limit", "heuristic")
    assert fitted.bound_ > fitted.objective_
    assert fitted.gap_ == pytest.approx((fitted.bound_ - fitted.objective_) / fitted.objective_)
    assert_true(fitted, X, y)


@pytest.mark.parametrize(
    "params", [{"n_jobs": 1}, {"n_jobs": 2}, {"strategy": "neighbourhood"}, {"strategy": "per_cluster"}], ids=str
)
@pytest.mark.parametrize("seconds", [0.0, 2.0])
def test_the_time_limit_is_kept(clock, params, seconds):
    """Once the time is over, those who search look at the clock a few times more, to see that it is."""
    X, y = hard()
    fitted = model(max_boxes=3, time_limit=seconds, **params).fit(X, y)
    assert_unproven(fitted, X, y)
    assert fitted.certificate_.seconds <= seconds + 100 * clock.step


@pytest.mark.parametrize("seconds", [0.0, 1.0])
def test_the_paper_s_program_ends_in_time(seconds):
    """Its solver has a process and a clock of its own."""
    X, y = hard()
    fitted = model(max_boxes=3, time_limit=seconds, solver="mip").fit(X, y)
    assert_unproven(fitted, X, y)
    assert fitted.certificate_.seconds < HANG


def test_a_callback_sees_the_progress_and_can_end_the_search():
    X, y = hard()
    seen = []

    def callback(progress):
        seen.append(progress)
        return len(seen) == 8

    fitted = model(max_boxes=3, callback=callback, n_jobs=2).fit(X, y)
    assert fitted.status_ == "interrupted"
    assert len(seen) == 8
    assert 0 < seen[-1].seconds <= fitted.certificate_.seconds < HANG
    assert [progress.seconds for progress in seen] == sorted(progress.seconds for progress in seen)
    for progress in seen:
        assert 0 < progress.objective <= fitted.objective_ <= fitted.bound_ <= progress.bound
        assert progress.gap == pytest.approx((progress.bound - progress.objective) / progress.objective)
        assert isinstance(progress.phase, str)
        assert progress.phase
    assert_true(fitted, X, y)


@pytest.mark.parametrize("strategy", ["full", "neighbourhood", "per_cluster"])
@pytest.mark.parametrize("max_boxes", [1, 3])
def test_a_callback_may_end_the_search_at_once(strategy, max_boxes):
    X, y = hard()
    calls = []

    def callback(progress):
        calls.append(progress)
        return True

    fitted = model(max_boxes=max_boxes, callback=callback, strategy=strategy, n_jobs=2).fit(X, y)
    assert calls
    assert fitted.status_ == "interrupted"
    assert_true(fitted, X, y)


@pytest.mark.parametrize("solver", ["auto", "mip"])
@pytest.mark.parametrize("after", [1, 5])
def test_an_exception_in_the_callback_comes_through(solver, after):
    calls = []

    def callback(progress):
        calls.append(progress)
        if len(calls) == after:
            raise RuntimeError("from the callback")

    before = threading.active_count()
    with pytest.raises(RuntimeError, match=r"^from the callback$"):
        model(max_boxes=3, callback=callback, n_jobs=2, solver=solver).fit(*hard())
    assert threading.active_count() == before
    assert len(calls) == after


CTRL_C = """
import sys
import numpy as np
from boxdraw import ExactBoxesClassifier

rng = np.random.default_rng(8)
X = np.column_stack([rng.integers(30, 84, 300), rng.integers(58, 70, 300), rng.geometric(0.2, 300)]).astype(float)
y = (rng.random(300) < 0.15 + 0.02 * X[:, 2]).astype(int)
calls = []


def callback(progress):
    calls.append(progress)
    if len(calls) == int(sys.argv[2]):
        print("searching", flush=True)


model = ExactBoxesClassifier(
    max_boxes=3, time_limit=6000.0, n_jobs=int(sys.argv[1]), callback=callback, solver=sys.argv[3]
)
model.fit(X, y)
print(model.status_, model.certificate_.verify(X, y))
"""


CTRL_C_IN = [
    ("1", 4, "auto"),
    pytest.param("2", 10, "auto", marks=pytest.mark.thorough),
    pytest.param("1", 2, "mip", marks=pytest.mark.thorough),
]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(("n_jobs", "after", "solver"), CTRL_C_IN)
def test_ctrl_c_returns_the_best_so_far(n_jobs, after, solver):
    command = [sys.executable, "-W", "ignore:No box was found", "-c", CTRL_C, n_jobs, str(after), solver]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "searching\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=HANG)
    assert err == ""
    assert process.returncode == 0
    assert out.splitlines()[-1] == "interrupted True"


# The solver inherits the end of a pipe that nobody writes to: it is closed when both processes are gone.
WITNESS = """
import sys
from functools import partial
from boxdraw.learners.exact import mip

mip.Popen = partial(mip.Popen, pass_fds=[int(sys.argv[4])])
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("how", ["SIGTERM", "SIGKILL"])
def test_the_solver_ends_with_the_process_that_started_it(how):
    ours, theirs = os.pipe()
    command = [sys.executable, "-c", WITNESS + CTRL_C, "1", "8", "mip", str(theirs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, pass_fds=[theirs]) as process:
        os.close(theirs)
        assert process.stdout.readline() == "searching\n"
        assert select.select([ours], [], [], 0)[0] == []
        process.send_signal(getattr(signal, how))
    assert process.returncode == -getattr(signal, how)
    assert select.select([ours], [], [], HANG)[0] == [ours]
    assert os.read(ours, 1) == b""
    os.close(ours)


def test_a_gap_is_enough():
    X, y = hard(80)
    fitted = model(gap=0.05).fit(X, y)
    assert fitted.status_ in ("gap_reached", "optimal")
    assert fitted.gap_ <= 0.05
    assert_true(fitted, X, y)
    assert model(gap=1e6).fit(X, y).status_ in ("gap_reached", "optimal")


def test_boxes_to_start_from_are_kept_when_there_is_no_time():
    X, y = hard()
    estimator = model(max_boxes=3)
    known = clone(estimator).set_params(time_limit=1.5).fit(X, y)
    fitted = clone(estimator).set_params(time_limit=0.0, warm_start_boxes=known.boxes_).fit(X, y)
    assert fitted.objective_ >= known.objective_
    assert_true(fitted, X, y)
    loose = BoxSet([[-INF, -INF, 5.5]], [[INF, INF, INF]])
    fitted = clone(estimator).set_params(time_limit=0.0, warm_start_boxes=loose).fit(X, y)
    assert fitted.objective_ >= value_of(loose, estimator, X, y)


@pytest.mark.parametrize(
    "boxes",
    [
        BoxSet(np.zeros((0, 2)), np.zeros((0, 2))),
        BoxSet([[100, 100]], [[200, 200]]),
        BoxSet([[k, -INF] for k in range(8)], [[k, INF] for k in range(8)]),
    ],
    ids=["none", "around nothing", "more than allowed"],
)
def test_boxes_to_start_from_may_be_of_no_use(boxes):
    X, y = small()
    for seconds in (0.0, HANG):
        fitted = model(warm_start_boxes=boxes, time_limit=seconds).fit(X, y)
        assert len(fitted.boxes_) <= 2
        assert_true(fitted, X, y)
    assert fitted.objective_ == model().fit(X, y).objective_

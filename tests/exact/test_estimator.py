"""ExactBoxesClassifier as an estimator: what it accepts, how it ends, what it leaves behind."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky import get_reusable_executor
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.fixes import parse_version

from boxdraw import BoxSet, ExactBoxesClassifier, FastBoxesClassifier
from boxdraw.exact import strategies
from boxdraw.exact.certificate import Certificate

from . import reference as ref

INF = np.inf


def small():
    """Two groups of positives among negatives, on whole numbers."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 12, size=(40, 2)).astype(float)
    y = ((X[:, 0] < 4) & (X[:, 1] < 5)) | ((X[:, 0] > 8) & (X[:, 1] > 6))
    return X, (y ^ (rng.random(40) < 0.05)).astype(int)


def hard(n=300):
    """Ages, years and counts in which the classes hardly differ: no search proves three boxes in some seconds."""
    rng = np.random.default_rng(8)
    X = np.column_stack([rng.integers(30, 84, n), rng.integers(58, 70, n), rng.geometric(0.2, n) - 1]).astype(float)
    return X, (rng.random(n) < 0.15 + 0.02 * X[:, 2]).astype(int)


def model(**params):
    return ExactBoxesClassifier(**{"max_boxes": 2, "negative_weight": 0.5, "random_state": 0, "n_jobs": 1} | params)


@pytest.fixture(scope="module")
def compiled():
    """Compile what a search calls, so that the clock measures only the search."""
    X, y = hard(60)
    for max_boxes in (1, 3):
        model(max_boxes=max_boxes, time_limit=60.0).fit(X, y)


def problem_of(estimator, X, y):
    names = ("negative_weight", "box_cost", "margin", "max_boxes")
    return ref.Problem(np.asarray(X).tolist(), list(y), None, **{name: getattr(estimator, name) for name in names})


def value_of(boxes, estimator, X, y):
    return float(ref.value(problem_of(estimator, X, y), boxes.lower.tolist(), boxes.upper.tolist()))


def assert_true(fitted, X, y):
    """What the model says of its boxes is so."""
    assert fitted.objective_ == value_of(fitted.boxes_, fitted, X, y)
    assert fitted.bound_ >= fitted.objective_
    assert fitted.certificate_.verify(X, y)


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before
    assert multiprocessing.active_children() == []


# In scikit-learn


# There the check makes two classes of three in two ways and compares models of different labels.
OLD = parse_version(sklearn.__version__) < parse_version("1.7")
EXPECTED = {"check_sample_weight_equivalence_on_dense_data": "compares different labels"} if OLD else {}


@parametrize_with_checks(
    [ExactBoxesClassifier(time_limit=2.0, random_state=0), ExactBoxesClassifier(max_boxes=1, edges="tight", n_jobs=2)],
    expected_failed_checks=lambda estimator: EXPECTED,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_clone_and_pickle():
    X, y = small()
    fitted = model(margin=0.5).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.boxes_ == fitted.boxes_
    assert again.certificate_ == fitted.certificate_
    assert again.certificate_.verify(X, y)
    np.testing.assert_array_equal(again.decision_function(X), fitted.decision_function(X))
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert not hasattr(copy, "boxes_")
    warm = clone(model(warm_start_boxes=fitted.boxes_, callback=print))
    assert warm.warm_start_boxes == fitted.boxes_
    assert warm.callback is print


def test_the_decision_has_the_sign_of_the_prediction():
    X, y = small()
    labels = np.where(y, "b", "a")
    for positive in ("a", "b"):
        fitted = model(pos_label=positive).fit(X, labels)
        np.testing.assert_array_equal(fitted.decision_function(X) > 0, fitted.predict(X) == "b")
        np.testing.assert_array_equal(fitted.predict(X) == positive, fitted.boxes_.contains(X))
        assert fitted.pos_label_ == positive
        assert fitted.certificate_.verify(X, labels)


def test_the_rarer_label_is_positive():
    X, y = small()
    assert model().fit(X, np.where(y, "bad", "good")).pos_label_ == "bad"
    assert model().fit(X, np.where(y, "good", "bad")).pos_label_ == "good"
    weight = np.where(y, 50.0, 1.0)
    assert model().fit(X, np.where(y, "good", "bad"), weight).pos_label_ == "bad"


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_with_names(frame):
    X, y = small()
    table = frame({"age": X[:, 0], "dose in mg": X[:, 1]})
    fitted, plain = model().fit(table, y), model().fit(X, y)
    assert fitted.feature_names_in_.tolist() == ["age", "dose in mg"]
    assert fitted.boxes_.feature_names == ("age", "dose in mg")
    assert "age" in fitted.boxes_.to_text()
    assert "x0" not in fitted.boxes_.to_text()
    np.testing.assert_array_equal(fitted.boxes_.lower, plain.boxes_.lower)
    np.testing.assert_array_equal(fitted.predict(table), plain.predict(X))
    assert fitted.certificate_.verify(table, y)
    assert isinstance(fitted.box_table(table, y), frame)
    assert not hasattr(plain, "feature_names_in_")


def test_grid_search():
    X, y = small()
    search = GridSearchCV(model(), {"max_boxes": [1, 2], "box_cost": [0.5, 1.0]}, scoring="balanced_accuracy", cv=3)
    assert search.fit(X, y).best_score_ > 0.6
    assert search.best_estimator_.status_ == "optimal"


def boxes_of(seed):
    X, y = small()
    fitted = model(random_state=seed, n_jobs=2).fit(X, y)
    assert fitted.status_ == "optimal"
    return fitted.boxes_


def test_in_processes_and_threads_the_model_is_the_same():
    seeds = [0, 1, 0, 1]
    here = [boxes_of(seed) for seed in seeds]
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(boxes_of, seeds)) == here
    X, y = small()
    with parallel_config(backend="threading", n_jobs=2):
        fits = Parallel()(delayed(model(random_state=seed).fit)(X, y) for seed in seeds)
    assert [fitted.boxes_ for fitted in fits] == here
    with Parallel(n_jobs=2, backend="loky") as workers:
        fits = workers(delayed(model(random_state=seed).fit)(X, y) for seed in seeds)
    get_reusable_executor().shutdown(wait=True)
    assert [fitted.boxes_ for fitted in fits] == here
    assert all(fitted.certificate_.verify(X, y) for fitted in fits)


# What it prints and leaves


@pytest.mark.parametrize("params", [{"n_jobs": 2}, {"solver": "mip", "time_limit": 2.0}, {"strategy": "per_cluster"}])
def test_a_fit_is_silent(params, capfd):
    model(**params).fit(*small())
    assert capfd.readouterr() == ("", "")


def test_a_fit_that_is_asked_to_talks(capfd):
    model(verbose=1).fit(*small())
    out, err = capfd.readouterr()
    assert "objective" in out
    assert "bound" in out
    assert err == ""


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="where the system lists child processes")
@pytest.mark.parametrize("params", [{}, {"n_jobs": 2}, {"solver": "mip"}, {"strategy": "neighbourhood"}])
def test_no_child_process_is_left_behind(params):
    def children():
        result = []
        for task in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{task}/children") as file:
                result += file.read().split()
        return sorted(result)

    before = children()
    model(time_limit=1.0, max_boxes=3, **params).fit(*hard())
    assert children() == before


# How it ends


@pytest.mark.parametrize(
    "params",
    [{"n_jobs": 1}, {"n_jobs": 2}, {"strategy": "neighbourhood"}, {"strategy": "per_cluster"}, {"solver": "mip"}],
    ids=str,
)
@pytest.mark.parametrize("seconds", [0.0, 2.0])
@pytest.mark.usefixtures("compiled")
def test_the_time_limit_is_kept(params, seconds):
    X, y = hard()
    start = time.perf_counter()
    fitted = model(max_boxes=3, time_limit=seconds, **params).fit(X, y)
    taken = time.perf_counter() - start
    assert taken <= 1.1 * seconds + 1
    assert fitted.status_ in ("time_limit", "heuristic")
    assert fitted.bound_ > fitted.objective_
    assert fitted.gap_ == pytest.approx((fitted.bound_ - fitted.objective_) / fitted.objective_)
    assert fitted.certificate_.seconds == pytest.approx(taken, abs=0.2)
    assert_true(fitted, X, y)


@pytest.mark.usefixtures("compiled")
def test_a_callback_sees_the_progress_and_can_end_the_search():
    X, y = hard()
    seen = []

    def callback(progress):
        seen.append(progress)
        return progress.seconds > 0.5

    fitted = model(max_boxes=3, callback=callback, n_jobs=2).fit(X, y)
    assert fitted.status_ == "interrupted"
    assert 0.5 < seen[-1].seconds <= fitted.certificate_.seconds < 5
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
@pytest.mark.parametrize("after", [0.0, 0.7])
@pytest.mark.usefixtures("compiled")
def test_an_exception_in_the_callback_comes_through(solver, after):
    def callback(progress):
        if progress.seconds >= after:
            raise RuntimeError("from the callback")

    before = threading.active_count()
    start = time.perf_counter()
    with pytest.raises(RuntimeError, match=r"^from the callback$"):
        model(max_boxes=3, callback=callback, n_jobs=2, solver=solver).fit(*hard())
    assert threading.active_count() == before
    assert time.perf_counter() - start < 10


CTRL_C = """
import sys
import numpy as np
from boxdraw import ExactBoxesClassifier

rng = np.random.default_rng(8)
X = np.column_stack([rng.integers(30, 84, 300), rng.integers(58, 70, 300), rng.geometric(0.2, 300)]).astype(float)
y = (rng.random(300) < 0.15 + 0.02 * X[:, 2]).astype(int)
for max_boxes in (1, 3):
    ExactBoxesClassifier(max_boxes=max_boxes).fit(X[:60], y[:60])  # loads all that is compiled


def callback(progress):
    if progress.seconds > float(sys.argv[2]):
        print("searching", flush=True)


model = ExactBoxesClassifier(
    max_boxes=3, time_limit=60.0, n_jobs=int(sys.argv[1]), callback=callback, solver=sys.argv[3]
)
model.fit(X, y)
print(model.status_, model.certificate_.verify(X, y), model.certificate_.seconds < 30)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(("n_jobs", "after", "solver"), [("1", 0.3, "auto"), ("2", 2.0, "auto"), ("1", 0.5, "mip")])
def test_ctrl_c_returns_the_best_so_far(n_jobs, after, solver):
    command = [sys.executable, "-c", CTRL_C, n_jobs, str(after), solver]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "searching\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert err == ""
    assert process.returncode == 0
    assert out.splitlines()[-1] == "interrupted True True"


def test_a_gap_is_enough():
    X, y = hard(80)
    fitted = model(gap=0.05, time_limit=60.0).fit(X, y)
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
    for seconds in (0.0, 30.0):
        fitted = model(warm_start_boxes=boxes, time_limit=seconds).fit(X, y)
        assert len(fitted.boxes_) <= 2
        assert_true(fitted, X, y)
    assert fitted.objective_ == model().fit(X, y).objective_


# Other ways to search


def tiny(seed, max_boxes, n=20):
    rng = np.random.default_rng([seed, max_boxes])
    for _ in range(n):
        yield ref.random_problem(rng, max_boxes, most_rows=10, most_positives=6)


def fit_problem(problem, **params):
    costs = {"negative_weight": problem.negative_weight, "box_cost": problem.box_cost}
    estimator = model(margin=problem.margin, max_boxes=problem.max_boxes, pos_label=1, **costs | params)
    return estimator.fit(problem.X, problem.y, problem.weight)


@pytest.mark.parametrize("max_boxes", [1, 2, 3])
def test_from_the_neighbourhood_the_optimum_is_found_too(max_boxes):
    for problem in tiny(5, max_boxes):
        fitted = fit_problem(problem, strategy="neighbourhood")
        assert fitted.status_ == "optimal"
        assert fitted.objective_ == fitted.bound_ == float(ref.optimum(problem))
        assert fitted.certificate_.verify(problem.X, problem.y, problem.weight)


@pytest.mark.parametrize("max_boxes", [1, 2, 3])
def test_boxes_per_cluster_have_a_bound_that_holds(max_boxes):
    for problem in tiny(6, max_boxes):
        fitted = fit_problem(problem, strategy="per_cluster")
        best = float(ref.optimum(problem))
        boxes = fitted.boxes_.lower.tolist(), fitted.boxes_.upper.tolist()
        assert fitted.objective_ == float(ref.value(problem, *boxes))
        assert fitted.objective_ <= best <= fitted.bound_
        assert fitted.objective_ >= float(ref.value(problem, [], []))
        assert fitted.status_ == ("optimal" if fitted.objective_ == fitted.bound_ else "heuristic")
        assert fitted.certificate_.verify(problem.X, problem.y, problem.weight)


@pytest.mark.parametrize("max_boxes", [1, 2])
def test_the_papers_program_has_the_same_optimum(max_boxes):
    for problem in tiny(7, max_boxes, n=10):
        if problem.margin:  # the program's own tolerances are about coordinates: no rows right at a limit
            problem = replace(problem, margin=0.0)
        fitted = fit_problem(problem, solver="mip")
        assert fitted.status_ == "optimal"
        assert fitted.objective_ == fitted.bound_ == float(ref.optimum(problem))
        assert fitted.certificate_.verify(problem.X, problem.y, problem.weight)


# What it refuses


WRONG = [
    ({"max_boxes": 0}, ValueError, "max_boxes == 0, must be >= 1"),
    ({"max_boxes": -1}, ValueError, "max_boxes == -1, must be >= 1"),
    ({"max_boxes": 1.5}, TypeError, "max_boxes must be an instance of int"),
    ({"max_boxes": "3"}, TypeError, "max_boxes must be an instance of int"),
    ({"max_boxes": None}, TypeError, "max_boxes must be an instance of int"),
    ({"negative_weight": 0}, ValueError, "negative_weight must be 'balanced' or a finite number above 0; got 0"),
    ({"negative_weight": -1}, ValueError, "negative_weight must be 'balanced' or a finite number above 0"),
    ({"negative_weight": np.nan}, ValueError, "negative_weight must be 'balanced' or a finite number above 0"),
    ({"negative_weight": "auto"}, ValueError, "negative_weight must be 'balanced' or a finite number above 0"),
    ({"box_cost": -1}, ValueError, "box_cost must be a finite number of at least 0; got -1"),
    ({"box_cost": INF}, ValueError, "box_cost must be a finite number of at least 0; got inf"),
    ({"box_cost": "cheap"}, ValueError, "box_cost must be a finite number of at least 0; got 'cheap'"),
    ({"margin": -0.5}, ValueError, "margin must be a finite number of at least 0; got -0.5"),
    ({"margin": np.nan}, ValueError, "margin must be a finite number of at least 0; got nan"),
    ({"margin": True}, ValueError, "margin must be a finite number of at least 0; got True"),
    ({"time_limit": -1}, ValueError, "time_limit must be a finite number of at least 0; got -1"),
    ({"time_limit": None}, ValueError, "time_limit must be a finite number of at least 0; got None"),
    ({"gap": -0.1}, ValueError, "gap must be a finite number of at least 0; got -0.1"),
    ({"gap": "1%"}, ValueError, "gap must be a finite number of at least 0; got '1%'"),
    ({"solver": "cplex"}, ValueError, "solver must be one of 'auto', 'mip'; got 'cplex'"),
    ({"strategy": "all"}, ValueError, "strategy must be one of 'full', 'neighbourhood', 'per_cluster'; got 'all'"),
    ({"edges": "loose"}, ValueError, "edges must be one of 'midway', 'tight'; got 'loose'"),
    ({"solver": "mip", "strategy": "per_cluster"}, ValueError, "solver='mip' knows only strategy='full'"),
    ({"callback": 3}, TypeError, "callback must be callable; got 3"),
    ({"warm_start_boxes": [[0, 1]]}, TypeError, "warm_start_boxes must be a BoxSet; got list"),
    ({"warm_start_boxes": BoxSet([[0]], [[1]])}, ValueError, "warm_start_boxes has the features"),
    ({"pos_label": "yes"}, ValueError, "pos_label='yes' is not a class of y"),
    ({"random_state": "seed"}, ValueError, "'seed' cannot be used to seed"),
    ({"n_jobs": 0}, ValueError, "n_jobs"),
    ({"n_jobs": "two"}, (TypeError, ValueError), "n_jobs"),
]


@pytest.mark.parametrize(("params", "error", "message"), WRONG, ids=lambda value: str(value)[:40])
def test_wrong_parameters_are_refused_at_once(params, error, message):
    calls = []
    start = time.perf_counter()
    with pytest.raises(error) as caught:
        model(**{"callback": calls.append} | params).fit(*hard())
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert calls == []
    assert time.perf_counter() - start < 1


def test_wrong_data_are_refused():
    X, y = small()
    with pytest.raises(ValueError, match="only one class is present"):
        model().fit(X, np.zeros(len(y)))
    with pytest.raises(ValueError, match="only one class is present"):
        model().fit(X, y, sample_weight=y)
    with pytest.raises(ValueError, match=r"All sample weights are zero|at least one non-zero"):
        model().fit(X, y, sample_weight=0 * y)
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        model().fit(X, y, sample_weight=y - 0.5)
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        model().fit(X, np.arange(len(y)) % 3)
    with pytest.raises(ValueError, match="contains NaN"):
        model().fit(np.where(X > 10, np.nan, X), y)
    with pytest.raises(ValueError, match="infinity"):
        model().fit(np.where(X > 10, np.inf, X), y)
    renamed = BoxSet([[0, 0]], [[1, 1]], feature_names=["a", "c"])
    with pytest.raises(ValueError, match="warm_start_boxes has the features"):
        model(warm_start_boxes=renamed).fit(pd.DataFrame(X, columns=["a", "b"]), y)


def test_what_to_install_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "ortools", None)
    with pytest.raises(ImportError, match=r"boxdraw\[exact\]"):
        model().fit(*small())


def test_the_package_is_imported_without_the_extra():
    code = """
        import sys
        sys.modules["ortools"] = None
        from boxdraw import ExactBoxesClassifier
        ExactBoxesClassifier()
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)


def test_a_table_that_is_too_large_is_refused_with_a_way_out(monkeypatch):
    monkeypatch.setattr(strategies, "_MOST_BYTES", 1000)
    with pytest.raises(ValueError, match=r"would need about .* GiB") as caught:
        model().fit(*hard())
    for way_out in ("per_cluster", "FastBoxesClassifier", "sample"):
        assert way_out in str(caught.value)


# At the ends of what can be asked


def test_where_no_box_is_worth_its_cost_there_is_none():
    X, y = small()
    for params in ({}, {"solver": "mip"}, {"strategy": "neighbourhood"}, {"strategy": "per_cluster"}):
        fitted = model(box_cost=1000.0, **params).fit(X, y)
        assert len(fitted.boxes_) == 0
        assert fitted.status_ == "optimal"
        assert fitted.objective_ == fitted.bound_ == 0.5 * (y == 0).sum()
        assert (fitted.predict(X) == 0).all()
        assert (fitted.decision_function(X) < 0).all()
        assert np.isfinite(fitted.decision_function(X)).all()
        assert fitted.transform(X).shape == (len(X), 0)
        assert fitted.certificate_.verify(X, y)
        assert Certificate.from_json(fitted.certificate_.to_json()).verify(X, y)


@pytest.mark.parametrize("max_boxes", [1, 2, 50])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_little_to_choose_from(max_boxes, n_jobs):
    for X, y in (
        ([[1.0], [1.0]], [0, 1]),
        ([[1.0], [2.0]], [0, 1]),
        ([[1.0, 2.0]] * 5, [0, 1, 0, 1, 1]),
        (np.eye(4), [0, 0, 0, 1]),
        (np.full((3, 2), 1e300) * [[1], [-1], [0]], [0, 1, 1]),
        ([[5e-324], [0.0], [-5e-324]], [1, 0, 1]),
    ):
        for c, cost in ((0.5, 0.0), (0.5, 0.5), (1e-6, 0.25), (1e6, 0.25)):
            fitted = model(max_boxes=max_boxes, negative_weight=c, box_cost=cost, n_jobs=n_jobs, pos_label=1).fit(X, y)
            assert fitted.status_ == "optimal"
            best = ref.optimum(replace(problem_of(fitted, X, y), max_boxes=min(max_boxes, 3)))
            assert fitted.objective_ == fitted.bound_ == float(best)
            assert_true(fitted, X, y)


def test_no_worse_than_fast_boxes_and_new_rows_are_judged_by_the_boxes():
    X, y = small()
    fitted = model().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        fast = FastBoxesClassifier(n_boxes=2, negative_weight=0.5).fit(X, y)
    assert fitted.objective_ >= value_of(fast.boxes_, fitted, X, y)
    new = np.random.default_rng(0).uniform(-5, 17, size=(500, 2))
    np.testing.assert_array_equal(fitted.predict(new) == 1, fitted.boxes_.contains(new))
    np.testing.assert_array_equal(fitted.transform(new), fitted.boxes_.membership(new))

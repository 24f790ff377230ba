"""ExactBoxesClassifier as an estimator: what it accepts, what it refuses, what it leaves behind."""

import os
import pickle
import subprocess
import sys
import textwrap
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky import get_reusable_executor
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from boxdraw import BoxSet, FastBoxesClassifier
from boxdraw.learners.exact.certificate import Certificate

from . import reference as ref
from .fitted import assert_true, hard, model, problem_of, small, value_of

pytestmark = pytest.mark.usefixtures("nothing_is_left_behind")

INF = np.inf

# In scikit-learn


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
    assert model().fit(X, np.where(y, "good", "bad"), weight).pos_label_ == "good"  # weights do not choose it


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


@pytest.mark.thorough
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


@pytest.mark.parametrize("params", [{"n_jobs": 2}, {"solver": "mip"}, {"strategy": "per_cluster"}])
def test_a_fit_is_silent(params, capfd):
    model(**params).fit(*small())
    assert capfd.readouterr() == ("", "")


def test_a_fit_that_is_asked_to_talks(capfd):
    model(verbose=1).fit(*small())
    out, err = capfd.readouterr()
    assert "objective" in out
    assert "bound" in out
    assert err == ""


def test_on_a_terminal_it_talks_in_one_line(capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    model(verbose=1).fit(*small())
    first, *news = capsys.readouterr().out.split("\r")
    assert first == ""
    assert all("objective" in line for line in news)
    assert [line.endswith("\n") for line in news] == [False] * (len(news) - 1) + [True]
    assert all(len(line) >= len(before.rstrip()) for before, line in pairwise(news))  # nothing is left to be seen of it


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="where the system lists child processes")
@pytest.mark.filterwarnings("ignore:No box was found")
@pytest.mark.parametrize("params", [{}, {"n_jobs": 2}, {"solver": "mip"}, {"strategy": "neighbourhood"}])
def test_no_child_process_is_left_behind(params):
    def children():
        result = []
        for task in os.listdir("/proc/self/task"):
            # A thread may have ended since they were listed.
            with suppress(FileNotFoundError, ProcessLookupError), open(f"/proc/self/task/{task}/children") as file:
                result += file.read().split()
        return sorted(result)

    before = children()
    model(time_limit=1.0, max_boxes=3, **params).fit(*hard())
    assert children() == before


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
    ({"box_cost": -1}, ValueError, "box_cost must be 'auto' or a finite number of at least 0; got -1"),
    ({"box_cost": INF}, ValueError, "box_cost must be 'auto' or a finite number of at least 0; got inf"),
    ({"box_cost": "cheap"}, ValueError, "box_cost must be 'auto' or a finite number of at least 0; got 'cheap'"),
    ({"limit_cost": -1}, ValueError, "limit_cost must be 'auto' or a finite number of at least 0; got -1"),
    ({"max_limits": 0}, ValueError, "max_limits == 0, must be >= 1"),
    ({"max_limits": 1.5}, TypeError, "max_limits must be an instance of int"),
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
    with pytest.raises(error) as caught:
        model(**{"callback": calls.append} | params).fit(*hard())
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert calls == []


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
    with pytest.raises(ValueError, match="solver='mip' takes no missing values"):
        model(solver="mip").fit(np.where(X > 10, np.nan, X), y)
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


# At the ends of what can be asked


def test_where_no_box_is_worth_its_cost_there_is_none():
    X, y = small()
    for params in ({}, {"solver": "mip"}, {"strategy": "neighbourhood"}, {"strategy": "per_cluster"}):
        with pytest.warns(UserWarning, match=r"^No box was .* below 0\.5 .* below 1000 and a limit_cost below 0\.$"):
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


@pytest.mark.filterwarnings("ignore:No box was found")
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

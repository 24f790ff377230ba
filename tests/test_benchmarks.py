"""The benchmarks run; nothing is timed here."""

import importlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]  # has the paper, which some benchmarks import
FOLDER = ROOT / "benchmarks"
SCRIPTS = sorted(FOLDER.glob("[!_]*.py"))  # the others are parts of these


@pytest.mark.skipif(sys.platform == "win32", reason="some benchmarks measure memory by means of POSIX")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_benchmark_runs(script):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, script, "--quick"]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout


@pytest.fixture
def accuracy(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    return importlib.import_module("accuracy")


def test_accuracy_compares_what_is_installed_and_says_what_is_not(accuracy, monkeypatch, capsys):
    learners = {name: accuracy.LEARNERS[name] for name in ("cart", "logistic")}
    learners["figs"] = replace(accuracy.LEARNERS["figs"], package="no_such_package")
    monkeypatch.setattr(accuracy, "LEARNERS", learners)
    monkeypatch.setattr(sys, "argv", ["accuracy.py", "--quick", "--models", "cart,logistic,figs"])
    accuracy.main()
    printed = capsys.readouterr().out
    assert "Left out: FIGS: no_such_package is not installed" in printed
    head, summary = printed.split("### Summary: mean of all 1\n\n")
    assert "failed" not in summary
    rows = [line.split(" | ") for line in summary.strip().splitlines()[2:]]
    assert [row[0] for row in rows] == ["| CART, 8 leaves", "| logistic"]
    assert all(0.5 < float(row[column]) <= 1 for row in rows for column in (1, 3))
    assert rows[0][4:6] == ["8.0", "7.0"]
    assert rows[1][4:6] == ["–", "2.0"]
    assert head.count("### ") == len(accuracy.MEASURES)


def test_a_learner_that_fails_is_named_and_kept_out_of_its_means(accuracy, capsys):
    result = importlib.import_module("_comparison").Result
    tables = [accuracy.DataSet(name, np.zeros((22, 1)), np.arange(22) // 20, ("a",)) for name in ("one", "two")]
    results = [
        result("one", 0, "cart", auc=0.9),
        result("two", 0, "cart", auc=0.7),
        result("one", 0, "figs", auc=0.6),
        result("two", 0, "figs", error="ValueError: no"),
    ]
    accuracy.print_results(results, tables, ["cart", "figs"])
    printed = capsys.readouterr().out
    assert "| two | 10.0 | 0.700 | – |" in printed
    assert "| mean of all 2 |  | 0.800 | 0.600 |" in printed
    assert "- FIGS failed on two, split 0: ValueError: no" in printed


def test_a_failing_fit_is_a_result(accuracy):
    rows = np.zeros((4, 1)), np.zeros(4, dtype=int)  # one class
    result = accuracy.measure("logistic", "constant", 3, rows, rows)
    assert result.error.startswith("ValueError: ")
    assert (result.data, result.split, result.learner) == ("constant", 3, "logistic")
    assert np.isnan([getattr(result, name) for name in accuracy.MEASURES]).all()


def test_unseen_data_sets_are_chosen_by_the_rule(accuracy):
    sources = [
        accuracy.Source("cat_1", 100, 20, 4.0),
        accuracy.Source("cat_2", 100, 25, 3.0),
        accuracy.Source("dog2", 100, 20, 4.0),
        accuracy.Source("dog10", 100, 20, 4.0),  # as many: the first by name
        accuracy.Source("few", 100, 9, 10.1),
        accuracy.Source("even", 100, 40, 1.5),
        accuracy.Source("long", 20_001, 100, 199.0),
        accuracy.Source("ecoli_0_1_vs_5", 240, 20, 11.0),
        accuracy.Source("page_blocks0", 5472, 559, 8.8),
        accuracy.Source("wdbc", 569, 180, 2.2),
    ]
    assert accuracy.one_per_family(sources) == ["cat_2", "dog10"]


@pytest.fixture
def next_to(accuracy):
    return importlib.import_module("next_to")


def test_ahead_counts_data_sets_and_leaves_out_what_failed(accuracy, next_to, capsys):
    result = importlib.import_module("_comparison").Result
    tables = [accuracy.DataSet(name, np.zeros((2, 1)), np.arange(2), ("a",)) for name in ("one", "two", "three")]
    auc = {"cart": (0.9, 0.605, 0.5), "scored": (0.7, 0.6, 0.6), "figs": (0.6, 0.7, np.nan)}
    results = [
        result(table.name, 0, learner, auc=value)
        for learner, values in auc.items()
        for table, value in zip(tables, values, strict=True)
    ]
    next_to.print_ahead(results, tables, ["scored", "cart", "figs"], "scored")
    printed = capsys.readouterr().out
    assert "| CART, 8 leaves | 1 | 1 | 1 | +0.035 |" in printed
    assert "| FIGS | 1 | 0 | 1 | +0.000 |" in printed


def test_prim_ranks_a_row_by_the_first_box_that_holds_it(accuracy):
    X = np.arange(60.0)[:, None]
    y = ((X[:, 0] >= 10) & (X[:, 0] < 20) & (X[:, 0] != 15) | (X[:, 0] == 50)).astype(int)
    model = importlib.import_module("_comparison").BalancedPrim().fit(X, y)
    score = model.predict_proba(X)[:, 1]
    inside = model.model_.boxes_.membership(X)
    assert inside.shape[1] > 1
    for row, boxes in zip(score, inside, strict=True):
        first = int(boxes.argmax()) if boxes.any() else None
        members = inside[:, first] & ~inside[:, :first].any(axis=1) if first is not None else None
        assert row == (0 if first is None else y[members].mean())
    assert (model.predict(X) == (score > 0)).all()


def test_what_a_learner_takes_is_tried(next_to):
    X = np.arange(20.0)[:, None]
    y = (X[:, 0] >= 10).astype(int)
    everything = np.ones(20, dtype=bool)

    class Refuses:
        def fit(self, X, y):
            raise ValueError

    class Guesses:
        def fit(self, X, y):
            pass

        def predict(self, X):
            return np.zeros(len(X))

    assert next_to.takes(next_to.DecisionTreeClassifier, X, y, everything) == "yes"
    assert next_to.takes(Refuses, X, y, everything) == "no (ValueError)"
    assert next_to.takes(Guesses, X, y, everything) == "taken, but not used"
    assert next_to.takes(lambda: next_to.imported("no_such_package", "it"), X, y, everything) == "not installed"

"""boxdraw evaluate."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold

from boxdraw import FastBoxesClassifierCV, ScoredBoxesClassifier
from boxdraw.cli.evaluate import recall_at
from boxdraw.metrics import auh_score

from .conftest import small_table

FEW = ("--max-boxes", 1, "--folds", 2)
MODELS = ["boxes", "logistic regression", "CART, 8 leaves", "random forest"]


def test_a_table_for_people(run, data):
    result = run("evaluate", data, "--target", "fraud", *FEW)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == "data.csv: 120 rows, 17 (14.2%) with fraud = yes"
    assert "over 2 folds;" in lines[1]
    assert lines[3].split("  ")[0] == "model"
    for title in ("AUC", "AUH", "average precision", "recall at 1%", "recall at 5%"):
        assert title in lines[3]
    for name, line in zip(MODELS, lines[4:], strict=True):
        assert line.startswith(name)
        assert line.count("±") == 5


@pytest.mark.parametrize("positive", ["yes", "no"])
def test_figures_are_those_of_the_library(run, data, positive):
    """Also where the positive label comes first in the alphabet, and scores have to be turned around."""
    options = [*FEW, "--repeats", 2, "--false-alarm-rates", "0.1", "--positive", positive]
    figures = json.loads(run("evaluate", data, "--target", "fraud", *options, "--json").out)
    assert figures["positive"] == positive
    assert list(figures["models"]) == MODELS
    table = small_table()
    X = np.column_stack([table["amount"].to_numpy(), table["hour"].to_numpy()]).astype(float)
    y = np.array(table["fraud"].to_pylist())
    expected = []
    for train, test in RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0).split(X, y == positive):
        model = FastBoxesClassifierCV(n_boxes=1, pos_label=positive, random_state=0).fit(X[train], y[train])
        score, truth = np.log(model.critical_weight(X[test])), y[test] == positive
        score = np.nan_to_num(score, posinf=1e9, neginf=-1e9)
        recall = recall_at(truth, score, 0.1)
        expected.append(
            [roc_auc_score(truth, score), auh_score(truth, score), average_precision_score(truth, score), recall]
        )
    boxes = figures["models"]["boxes"]
    assert list(boxes) == ["auc", "auh", "average_precision", "recall_at_0.1"]
    np.testing.assert_allclose([figure["mean"] for figure in boxes.values()], np.mean(expected, axis=0))
    np.testing.assert_allclose([figure["std"] for figure in boxes.values()], np.std(expected, axis=0))


def test_a_scorecard_is_compared_by_its_graded_points(run, data):
    options = ("--method", "scored", "--max-limits", 1, "--max-boxes", 2, "--folds", 2)
    figures = json.loads(run("evaluate", data, "--target", "fraud", *options, "--json").out)
    assert figures["method"] == "scored"
    assert list(figures["models"]) == ["scorecard", *MODELS[1:]]
    table = small_table()
    X, y = table.select(["amount", "hour"]), np.array(table["fraud"].to_pylist()) == "yes"
    expected = []
    for train, test in RepeatedStratifiedKFold(n_splits=2, n_repeats=1, random_state=0).split(y, y):
        model = ScoredBoxesClassifier(max_boxes=2, max_limits=1, pos_label=True, random_state=0)
        score = model.fit(X.take(train), y[train]).decision_function(X.take(test))
        expected.append(roc_auc_score(y[test], score))
    assert figures["models"]["scorecard"]["auc"]["mean"] == pytest.approx(np.mean(expected))


def test_exact_boxes_too(run, data):
    pytest.importorskip("ortools")
    options = ("--method", "exact", "--max-boxes", 1, "--false-alarm-cost", 1, "--folds", 2)
    figures = json.loads(run("evaluate", data, "--target", "fraud", *options, "--json").out)
    assert figures["models"]["exact boxes"]["auc"]["mean"] > 0.8


def test_easy_tables_are_easy_for_all(run):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(0, 1, 80), rng.uniform(2, 3, 20)])
    pyarrow.csv.write_csv(pa.table({"x": x, "noise": rng.random(100), "bad": x > 1.5}), "data.csv")
    figures = json.loads(run("evaluate", "data.csv", "--target", "bad", *FEW, "--json").out)
    for model in figures["models"].values():
        assert model["auc"]["mean"] > 0.95
        assert model["recall_at_0.05"]["mean"] > 0.9


@pytest.mark.thorough
def test_the_same_figures_each_time(run, data):
    first, second = (run("evaluate", data, "--target", "fraud", *FEW).out for _ in range(2))
    assert first == second
    assert run("evaluate", data, "--target", "fraud", *FEW, "--seed", 1).out != first


def test_weights_count(run):
    """Weights of 1 change nothing; others change what is learned and what is counted, for all models."""
    table = small_table().append_column("n", pa.array(np.ones(120)))
    pyarrow.csv.write_csv(table, "ones.csv")
    pyarrow.csv.write_csv(table.set_column(3, "n", pa.array(np.where(np.arange(120) < 3, 9.0, 1.0))), "more.csv")
    ones = json.loads(run("evaluate", "ones.csv", "--target", "fraud", *FEW, "--weight", "n", "--json").out)
    without = json.loads(run("evaluate", "ones.csv", "--target", "fraud", *FEW, "--drop", "n", "--json").out)
    more = json.loads(run("evaluate", "more.csv", "--target", "fraud", *FEW, "--weight", "n", "--json").out)
    for name in MODELS:
        for figure, value in ones["models"][name].items():
            assert value["mean"] == pytest.approx(without["models"][name][figure]["mean"])
        changes = [
            abs(value["mean"] - ones["models"][name][figure]["mean"]) for figure, value in more["models"][name].items()
        ]
        assert max(changes) > 1e-3


def test_weights_are_learned_with(run):
    """Heavy rows say that large numbers are bad, and as many light ones say the opposite."""
    rng = np.random.default_rng(0)
    x, heavy = rng.random(300), np.arange(300) % 2 == 0
    bad = np.where(heavy, x > 0.7, x < 0.3)
    pyarrow.csv.write_csv(pa.table({"x": x, "n": np.where(heavy, 100.0, 0.01), "bad": bad}), "data.csv")
    figures = json.loads(run("evaluate", "data.csv", "--target", "bad", *FEW, "--weight", "n", "--json").out)
    # Without weights it is a half. How weights change the samples of a forest differs between versions of scikit-learn.
    for model in figures["models"].values():
        assert model["auc"]["mean"] > 0.75


def test_recall_at_a_share_of_false_alarms():
    positive = np.array([True, False, True, False, True, False, False, False, False, False, False, False, False])
    score = np.arange(13)[::-1].astype(float)
    assert recall_at(positive, score, 0.0) == pytest.approx(1 / 3)
    assert recall_at(positive, score, 0.1) == pytest.approx(2 / 3)
    assert recall_at(positive, score, 0.2) == 1
    assert recall_at(positive, np.zeros(13), 0.5) == 0
    assert recall_at(positive, score, 1.0) == 1
    weight = np.where(np.arange(13) == 1, 9.0, 1.0)  # half of the negatives' weight has the second highest score
    assert recall_at(positive, score, 0.2, weight) == pytest.approx(1 / 3)


def test_one_clear_error(fails, data):
    fails("evaluate", data, "--target", "fraud", "--folds", 1, code=2, words="--folds must be at least 2")
    fails(
        "evaluate", data, "--target", "fraud", "--false-alarm-rates", "2", code=2, words="expected shares from 0 to 1"
    )
    fails(
        "evaluate", data, "--target", "fraud", "--folds", 50, words="only 17 rows have the rarer label, too few for 50"
    )
    fails("evaluate", data, "--target", "fraud", "--max-union", 3, code=2, words="goes with --method scored")
    fails("evaluate", data, "--target", "frud", words='did you mean "fraud"?')
    Path("one.csv").write_text("a,fraud\n1,yes\n2,no\n3,no\n")
    fails("evaluate", "one.csv", "--target", "fraud", words="only one row has the rarer label")

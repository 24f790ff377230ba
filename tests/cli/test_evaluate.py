"""boxdraw evaluate."""

import json
import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    precision_score,
    recall_score,
    roc_auc_score,
)
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from boxdraw import ExactBoxesClassifier, FastBoxesClassifierCV, ScoredBoxesClassifier
from boxdraw.cli import contenders
from boxdraw.cli.contenders import size_of_tree
from boxdraw.cli.evaluate import recall_at

from .conftest import small_table

FEW = ("--max-boxes", 1, "--folds", 2)
QUICK = ("--models", "fast,logistic,tree,forest", *FEW)
ALL = ["sparse", "scored", "fast", "exact", "logistic", "tree", "forest"]
DECISIONS = ["precision", "recall", "balanced_accuracy", "alarms_per_1000", "boxes", "limits", "seconds"]


def rows():
    table = small_table()
    return table.select(["amount", "hour"]), np.array(table["fraud"].to_pylist())


def test_all_models_in_one_table_for_people(run, data):
    result = run("evaluate", data, "--target", "fraud", "--folds", 2, "--time-limit", 0.2)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == "data.csv: 120 rows, 17 (14.2%) with fraud = yes"
    assert "of 2 folds:" in lines[1]
    assert lines[2] == "Exact Boxes search for at most 0.2 seconds a fit"
    assert " ".join(lines[4].split()) == (
        "model AUC avg. precision precision recall bal. accuracy alarms/1000 boxes limits seconds"
    )
    names = ["Sparse Boxes", "Scored Boxes", "Fast Boxes, CV", "Exact Boxes", "logistic", "tree, 8 leaves", "forest"]
    for name, line in zip(names, lines[5:], strict=True):
        assert line.startswith(name)
        # What cannot be read as rules has no size.
        n_cells = len(line.replace(" ± ", "±").removeprefix(name).split())
        assert n_cells == (7 if name in ("logistic", "forest") else 9)
    assert max(map(len, lines)) <= 120


@pytest.mark.parametrize("positive", ["yes", "no"])
def test_figures_are_those_of_the_library(run, data, positive):
    """Also where the positive label comes first in the alphabet, and scores have to be turned around."""
    options = ["--models", "fast", *FEW, "--repeats", 2, "--false-alarm-rates", "0.1", "--positive", positive]
    figures = json.loads(run("evaluate", data, "--target", "fraud", *options, "--json").out)
    assert figures["positive"] == positive
    X, y = rows()
    ranks, truths, flags, sizes = [], [], [], []
    for train, test in RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0).split(y, y == positive):
        model = FastBoxesClassifierCV(n_boxes=1, pos_label=positive, random_state=0).fit(X.take(train), y[train])
        score, truth = model.decision_function(X.take(test)), y[test] == positive
        score = score if positive == model.classes_[1] else -score
        ranks.append([roc_auc_score(truth, score), average_precision_score(truth, score), recall_at(truth, score, 0.1)])
        truths.append(truth)
        flags.append(model.predict(X.take(test)) == positive)
        sizes.append([len(model.boxes_), model.boxes_.n_limits])
    found = figures["models"]["fast"]
    assert list(found) == ["auc", "average_precision", "auh", "recall_at_0.1", *DECISIONS]
    ranked = [found[name] for name in ("auc", "average_precision", "recall_at_0.1")]
    np.testing.assert_allclose([figure["mean"] for figure in ranked], np.mean(ranks, axis=0))
    np.testing.assert_allclose([figure["std"] for figure in ranked], np.std(ranks, axis=0))
    truth, flagged = np.concatenate(truths), np.concatenate(flags)
    assert found["precision"] == pytest.approx(precision_score(truth, flagged))
    assert found["recall"] == pytest.approx(recall_score(truth, flagged))
    assert found["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(truth, flagged))
    assert found["alarms_per_1000"] == pytest.approx(1000 * flagged.mean())
    assert [found["boxes"], found["limits"]] == pytest.approx(np.mean(sizes, axis=0))


def test_of_a_scorecard_the_card_is_read(run, data):
    options = ("--models", "scored", "--max-limits", 1, "--max-boxes", 2, "--folds", 2)
    found = json.loads(run("evaluate", data, "--target", "fraud", *options, "--json").out)["models"]["scored"]
    X, y = rows()
    ranks, sizes = [], []
    for train, test in RepeatedStratifiedKFold(n_splits=2, n_repeats=1, random_state=0).split(y, y):
        model = ScoredBoxesClassifier(max_boxes=2, max_limits=1, pos_label="yes", random_state=0)
        score = model.fit(X.take(train), y[train]).decision_function(X.take(test))
        ranks.append(roc_auc_score(y[test], score))
        sizes.append(len(model.scorecard_.boxes))
    assert found["auc"]["mean"] == pytest.approx(np.mean(ranks))
    assert found["boxes"] == np.mean(sizes)


def test_exact_boxes_have_the_time_that_is_stated(run, data, monkeypatch):
    limits = []

    def fit(self, *rows):
        limits.append(self.time_limit)
        raise ValueError("enough")

    monkeypatch.setattr(ExactBoxesClassifier, "fit", fit)
    for options, seconds in (((), 10), (("--time-limit", 3), 3)):
        run("evaluate", data, "--target", "fraud", "--models", "exact,tree", "--folds", 2, *options)
        assert limits.pop() == seconds


def test_a_model_that_fails_does_not_stop_the_others(run, fails, data, monkeypatch):
    def fit(*rows):
        raise ValueError("there is\nno way")

    monkeypatch.setattr(ScoredBoxesClassifier, "fit", fit)
    lines = run("evaluate", data, "--target", "fraud", "--models", "scored,tree", "--folds", 2).out.splitlines()
    assert [line.split("  ")[0] for line in lines[3:]] == [
        "model",
        "tree, 8 leaves",
        "Scored Boxes: left out, there is no way",
    ]
    out = json.loads(run("evaluate", data, "--target", "fraud", "--models", "scored,tree", "--folds", 2, "--json").out)
    assert (list(out["models"]), out["left_out"]) == (["tree"], {"scored": "there is no way"})
    fails("evaluate", data, "--target", "fraud", "--models", "scored", "--folds", 2, words="there is no way")


def test_easy_tables_are_easy_for_all(run):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(0, 1, 80), rng.uniform(2, 3, 20)])
    pyarrow.csv.write_csv(pa.table({"x": x, "noise": rng.random(100), "bad": x > 1.5}), "data.csv")
    options = ("--folds", 2, "--time-limit", 1, "--max-boxes", 1)
    figures = json.loads(run("evaluate", "data.csv", "--target", "bad", *options, "--json").out)
    assert list(figures["models"]) == ALL
    for name, model in figures["models"].items():
        assert model["auc"]["mean"] > 0.95, name
        assert model["balanced_accuracy"] > 0.9, name
        assert 150 < model["alarms_per_1000"] < 280, name


def test_gaps_and_categories_are_filled_and_encoded_inside_the_folds(run):
    """A level or a gap that only the held-out rows have stops no one."""
    rng = np.random.default_rng(0)
    kind = np.array(["a", "b", "c"], dtype=object)[rng.integers(0, 3, 90)]
    x = rng.random(90)
    bad = (kind == "b") & (x > 0.3)
    kind[0], kind[1] = "once", None
    values = [None if i in (2, 5) else float(value) for i, value in enumerate(x)]
    pyarrow.csv.write_csv(pa.table({"kind": pa.array(kind.tolist()), "x": values, "bad": bad}), "data.csv")
    found = json.loads(run("evaluate", "data.csv", "--target", "bad", *QUICK, "--json").out)["models"]
    for name in ("logistic", "tree", "forest"):
        assert found[name]["auc"]["mean"] > 0.9, name


def test_a_cost_moves_all_operating_points(run, data):
    alarms = []
    for cost in (0.01, 5):
        models = json.loads(
            run("evaluate", data, "--target", "fraud", *QUICK, "--false-alarm-cost", cost, "--json").out
        )
        alarms.append([model["alarms_per_1000"] for model in models["models"].values()])
    assert all(cheap > dear for cheap, dear in zip(*alarms, strict=True))


def figures_only(output):
    """Leave out the seconds, which no two runs share."""
    models = json.loads(output)["models"]
    return {name: {k: v for k, v in model.items() if k != "seconds"} for name, model in models.items()}


@pytest.mark.thorough
def test_the_same_figures_each_time(run, data):
    first, second = (figures_only(run("evaluate", data, "--target", "fraud", *QUICK, "--json").out) for _ in range(2))
    assert first == second
    assert figures_only(run("evaluate", data, "--target", "fraud", *QUICK, "--seed", 1, "--json").out) != first


def test_weights_count(run):
    """Weights of 1 change nothing; others change what is learned and what is counted, for all models."""
    table = small_table().append_column("n", pa.array(np.ones(120)))
    pyarrow.csv.write_csv(table, "ones.csv")
    pyarrow.csv.write_csv(table.set_column(3, "n", pa.array(np.where(np.arange(120) < 3, 9.0, 1.0))), "more.csv")
    ones = figures_only(run("evaluate", "ones.csv", "--target", "fraud", *QUICK, "--weight", "n", "--json").out)
    without = figures_only(run("evaluate", "ones.csv", "--target", "fraud", *QUICK, "--drop", "n", "--json").out)
    more = figures_only(run("evaluate", "more.csv", "--target", "fraud", *QUICK, "--weight", "n", "--json").out)
    for name, figures in ones.items():
        for figure, value in figures.items():
            assert value == (pytest.approx(without[name][figure]) if value is not None else None)
        now = more[name]
        changes = [abs(now[figure]["mean"] - figures[figure]["mean"]) for figure in ("auc", "average_precision")]
        changes += [abs(now[figure] - figures[figure]) for figure in ("recall", "alarms_per_1000")]
        assert max(changes) > 1e-3


def test_weights_are_learned_with(run):
    """Heavy rows say that large numbers are bad, and as many light ones say the opposite."""
    rng = np.random.default_rng(0)
    x, heavy = rng.random(300), np.arange(300) % 2 == 0
    bad = np.where(heavy, x > 0.7, x < 0.3)
    pyarrow.csv.write_csv(pa.table({"x": x, "n": np.where(heavy, 100.0, 0.01), "bad": bad}), "data.csv")
    figures = json.loads(run("evaluate", "data.csv", "--target", "bad", *QUICK, "--weight", "n", "--json").out)
    # Without weights it is a half. How weights change the samples of a forest differs between versions of scikit-learn.
    for model in figures["models"].values():
        assert model["auc"]["mean"] > 0.75


def test_the_table_as_a_file(run, fails, data):
    result = run("evaluate", data, "--target", "fraud", *QUICK, "-o", "figures.csv", "--json")
    models = json.loads(result.out)["models"]
    table = pyarrow.csv.read_csv("figures.csv").to_pylist()
    assert [row["model"] for row in table] == list(models)
    for row, model in zip(table, models.values(), strict=True):
        assert (row["auc"], row["auc_std"]) == pytest.approx((model["auc"]["mean"], model["auc"]["std"]))
        assert [row[name] for name in DECISIONS] == [pytest.approx(model[name]) for name in DECISIONS]
    assert [row["boxes"] is None for row in table] == [False, True, False, True]
    fails("evaluate", data, "--target", "fraud", *QUICK, "-o", "figures.csv", words="figures.csv exists; add --force")
    run("evaluate", data, "--target", "fraud", *QUICK, "-o", "figures.parquet")
    assert pyarrow.parquet.read_table("figures.parquet").column_names == list(table[0])
    assert run("evaluate", data, "--target", "fraud", *QUICK, "-o", "-").out.splitlines()[0] == ",".join(table[0])


def test_size_of_a_tree():
    """Limits are counted as for boxes: an end of a feature once, and leaves that a parent makes one are one."""
    x = np.arange(8.0)[:, None]
    for y, size in (
        ([0, 0, 0, 0, 1, 1, 1, 1], (1, 1)),
        ([0, 0, 1, 1, 1, 0, 0, 0], (1, 2)),
        ([1, 1, 0, 0, 0, 1, 1, 1], (2, 2)),
        ([0, 1, 1, 0, 0, 1, 1, 0], (2, 4)),
    ):
        assert size_of_tree(DecisionTreeClassifier().fit(x, y)) == size
    stump = DecisionTreeClassifier(max_depth=1, class_weight={0: 0.01, 1: 1}).fit(x, [1, 0, 0, 1, 1, 1, 1, 1])
    assert size_of_tree(stump) == (1, 0)  # both leaves flag: every row


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


def test_a_model_that_flags_nothing_has_no_precision(run, data, monkeypatch):
    def none(args, rows, groups):
        n = len(rows[1])
        nothing = contenders.Tested(np.zeros(n // 2), np.zeros(n // 2, dtype=bool), 0, 0, 0.0)
        return {"tree": lambda train, test: nothing}

    monkeypatch.setattr("boxdraw.cli.evaluate.contenders", none)
    found = json.loads(run("evaluate", data, "--target", "fraud", "--models", "tree", "--folds", 2, "--json").out)
    assert found["models"]["tree"]["precision"] is None
    assert (found["models"]["tree"]["recall"], found["models"]["tree"]["alarms_per_1000"]) == (0, 0)
    line = run("evaluate", data, "--target", "fraud", "--models", "tree", "--folds", 2).out.splitlines()[-1]
    assert not math.isnan(float(line.split()[-1]))
    assert " - " in line


def test_one_clear_error(fails, data):
    fails("evaluate", data, "--target", "fraud", "--folds", 1, code=2, words="--folds must be at least 2")
    fails(
        "evaluate", data, "--target", "fraud", "--false-alarm-rates", "2", code=2, words="expected shares from 0 to 1"
    )
    fails(
        "evaluate", data, "--target", "fraud", "--folds", 50, words="only 17 rows have the rarer label, too few for 50"
    )
    words = "--max-union goes with --models scored; sparse, tree have none"
    fails("evaluate", data, "--target", "fraud", "--models", "sparse,tree", "--max-union", 3, code=2, words=words)
    fails("evaluate", data, "--target", "fraud", "--models", "sparse,cart", code=2, words="there is no model 'cart'")
    fails("evaluate", data, "--target", "fraud", "-o", "figures.txt", code=2, words="must end in .csv or .parquet")
    fails("evaluate", data, "--target", "fraud", "-o", "-", "--json", code=2, words="cannot share standard output")
    fails("evaluate", data, "--target", "frud", words='did you mean "fraud"?')
    Path("one.csv").write_text("a,fraud\n1,yes\n2,no\n3,no\n")
    fails("evaluate", "one.csv", "--target", "fraud", words="only one row has the rarer label")

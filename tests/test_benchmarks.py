"""The benchmarks run; nothing is timed here."""

import importlib
import itertools
import os
import subprocess
import sys
import warnings
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
    summary, silent = summary.split("### Splits no better than chance, without a warning\n\n")
    summary, medians = summary.split("### Summary: median of all 1\n\n")
    assert medians.strip() == summary.strip()  # of one table
    rows = [line.split(" | ") for line in summary.strip().splitlines()[2:]]
    assert [row[0] for row in rows] == ["| CART, 8 leaves", "| logistic"]
    assert all(0.5 < float(row[column]) <= 1 for row in rows for column in (1, 3))
    assert all(1 <= float(size) <= most for size, most in zip(rows[0][6:8], (7, 7 * 4), strict=True))
    assert rows[1][6:8] == ["–", "2.0"]
    assert head.count("### ") == len(accuracy.MEASURES)
    assert silent.strip().splitlines()[2:] == ["| CART, 8 leaves | 0 |  |", "| logistic | 0 |  |"]


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


def test_a_model_no_better_than_chance_is_counted_unless_it_warns(accuracy, monkeypatch, capsys):
    comparison = importlib.import_module("_comparison")

    class Flags:
        def __init__(self, label, warned):
            self.label, self.warned = label, warned

        def fit(self, X, y):
            if self.warned:
                warnings.warn("nothing was learned", UserWarning, stacklevel=1)

        def predict(self, X):
            return np.full(len(X), self.label)

        def decision_function(self, X):
            return X[:, 0]

    rows = np.arange(20.0)[:, None], np.arange(20) // 18
    for label, warned in itertools.product((0, 1), (False, True)):
        learner = comparison.Learner(
            "it", lambda label=label, warned=warned: Flags(label, warned), lambda model: (1, 1)
        )
        monkeypatch.setitem(comparison.LEARNERS, "it", learner)
        result = accuracy.measure("it", "data", 3, rows, rows)
        assert result.silent == (not warned)
        assert (result.auc, result.balanced, result.precision, result.recall) == (1, 0.5, label / 10, label)
        accuracy.print_silent([result], ["it"])
        assert ("| it | 0 |  |" if warned else "| it | 1 | data 3 |") in capsys.readouterr().out


def test_a_tree_is_as_large_as_the_rules_of_its_flagging_leaves(accuracy):
    comparison = importlib.import_module("_comparison")
    X = np.random.default_rng(0).integers(0, 10, (500, 3)).astype(float)
    cases = {
        (1, 2): (X[:, 0] > 6) & (X[:, 1] < 2),
        (1, 3): (X[:, 0] > 6) & (X[:, 1] < 6) & (X[:, 1] > 3),
        (1, 1): X[:, 2] > 6,
    }
    for size, y in cases.items():
        assert comparison.size_of_tree(comparison.small_tree().fit(X, y.astype(int))) == size


def test_boxes_are_as_large_as_what_is_read(accuracy):
    boxdraw = importlib.import_module("boxdraw")
    limits = [
        boxdraw.Limit("a", 1, 2),  # 2
        boxdraw.Limit("b", 5, 5),
        boxdraw.Limit("c", upper=3, missing=True),
        boxdraw.Limit("d"),  # is known
        boxdraw.Limit("e", float("inf"), -float("inf"), missing=True),
        boxdraw.Limit("f", categories={"x", "y"}),
    ]
    boxes = boxdraw.BoxSet.from_rules([boxdraw.Rule(tuple(limits)), boxdraw.Rule((limits[0],))], list("abcdefg"))
    assert importlib.import_module("_comparison").size_of_boxes(boxes) == (2, 7 + 2)


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


@pytest.fixture
def planted_tables(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    return importlib.import_module("_planted_tables")


def is_missing(value):
    return value is None or type(value).__name__ == "NAType" or value != value


def meets(limit, value):
    """Say whether one value meets a limit, from the words of the documentation."""
    if is_missing(value):
        return limit.missing
    if limit.categories is not None:
        return value in limit.categories
    return isinstance(value, str) or limit.lower <= value <= limit.upper


@pytest.mark.parametrize("seed", range(30))
def test_planted_labels_are_those_of_the_rule(planted_tables, seed):
    table = planted_tables.make_table(seed)
    rules = table.boxes.rules()
    X, clean = table.fresh(500)
    for rows, labels in ((table.X[:500], table.clean[:500]), (X, clean)):
        columns = {name: list(rows[name].astype(object)) for name in rows}
        for i, label in enumerate(labels):
            inside = [all(meets(limit, columns[limit.feature][i]) for limit in rule.limits) for rule in rules]
            assert any(inside) == label
        assert (table.boxes.contains(rows) == labels).all()
    assert 0.05 * 0.5 < (table.clean & (table.y == 0)).sum() / table.clean.sum() < 0.15 * 2
    assert (~table.clean & (table.y == 1)).sum() <= 0.006 * len(table.y)
    assert (table.boxes.membership(table.X[table.y == 1]).sum(axis=0) >= planted_tables.LABELLED).all()


@pytest.mark.parametrize("seed", range(30))
def test_no_limit_and_no_box_of_a_planted_rule_is_idle(planted_tables, seed):
    table = planted_tables.make_table(seed)
    X, clean = table.fresh()
    assert 0.008 < clean.mean() < 0.12
    for k, rule in enumerate(table.boxes.rules()):
        assert 2 <= sum(map(planted_tables.count_limits, rule.limits)) <= 3
        if len(table.boxes) > 1:
            assert table.boxes.drop_box(k).contains(X)[clean].mean() < 0.9
        for limit in rule.limits:
            flagged = table.boxes.drop_limit(k, limit.feature).contains(X)
            assert clean[flagged].mean() < 0.9


def test_a_seed_is_a_table(planted_tables):
    first, again, other = (planted_tables.make_table(seed) for seed in (3, 3, 4))
    assert first.X.equals(again.X)
    assert (first.y == again.y).all()
    assert first.boxes == again.boxes
    assert first.boxes != other.boxes
    assert not first.fresh(len(first.X))[0].equals(first.X)


def test_limits_are_counted_as_they_are_read(planted_tables):
    inf, limit = float("inf"), importlib.import_module("boxdraw").Limit
    one = [limit("a", 1), limit("a", upper=1), limit("a", 5, 5), limit("a"), limit("a", inf, -inf, missing=True)]
    one += [limit("a", categories={"x", "y"}), limit("a", categories=(), missing=True), limit("a", 1, missing=True)]
    assert [planted_tables.count_limits(each) for each in one] == [1] * len(one)
    assert planted_tables.count_limits(limit("a", 1, 2)) == 2


@pytest.fixture
def planted(accuracy):
    return importlib.import_module("planted")


class Drawn:
    """A learner that was told the boxes."""

    def __init__(self, boxes):
        self.boxes_ = boxes

    def fit(self, X, y):
        pass

    def predict(self, X):
        return self.boxes_.contains(X).astype(int)


def test_a_rule_is_found_by_its_precision_recall_and_length(planted, planted_tables, monkeypatch):
    table = next(table for table in map(planted_tables.make_table, range(99)) if len(table.boxes) == 2)
    fresh = table.fresh()
    free = next(name for name, *used in zip(table.X, *table.boxes.limited, strict=True) if not any(used))
    idle = table.boxes.replace(0, free, missing=False) if table.X[free].notna().all() else None
    first = table.boxes.rules()[0].limits[0].feature
    cases = [(table.boxes, 1, 1), (table.boxes.drop_limit(0, first), 0, 0), (table.boxes.drop_box(1), 0, 0)]
    cases += [(table.boxes + table.boxes, 0, 1)] + ([(idle, 1, 1)] if idle else [])
    for boxes, found, accurate in cases:
        learner = planted.LEARNERS["fast"]
        monkeypatch.setitem(planted.PLANTED, "fast", replace(learner, make=lambda boxes=boxes: Drawn(boxes)))
        result = planted.search("fast", table, fresh, lambda: 0.0)
        assert not result.error
        assert (result.found, result.accurate) == (found, accurate)
        X, clean = fresh
        flagged = boxes.contains(X)
        assert result.precision == pytest.approx(clean[flagged].mean())
        assert result.recall == pytest.approx(flagged[clean].mean())


def test_what_takes_numbers_only_is_given_categories_and_missing_values(planted, planted_tables):
    kinds = ("set of categories", "is missing", "flag")
    tables = [table for table in map(planted_tables.make_table, range(12)) if set(kinds) & set(table.kinds)]
    assert set(kinds) <= {kind for table in tables for kind in table.kinds}
    for table in tables:
        result = planted.search("cart", table, table.fresh(2000), lambda: 0.0)
        assert not result.error
        assert result.recall > 0.5

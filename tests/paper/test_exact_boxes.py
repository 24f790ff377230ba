"""Exact Boxes' table, on small tables under the names of the paper's."""

import gzip

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from boxdraw import ExactBoxesClassifier
from boxdraw.metrics import auh_from_points
from paper import exact_boxes
from paper.exact_boxes import PAPER_EXACT_BOXES, TIE, Drawing, Split, main, own_boxes, print_table, run_split
from paper.fast_boxes import paper_model
from paper.tables import PAPER_FAST_BOXES


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One box of positives: clear under one name, with noise under another."""
    folder = tmp_path_factory.mktemp("tables")
    rng = np.random.default_rng(0)
    for name, noise in (("glass0", 0.1), ("iris0", 0.0)):
        X = rng.random((40, 2)).round(3)
        y = ((abs(X - 0.3) < 0.25).all(axis=1) ^ (rng.random(40) < noise)).astype(int)
        rows = ["a,b,target", *(f"{a},{b},{target}" for (a, b), target in zip(X, y, strict=True))]
        with gzip.open(folder / f"{name}.csv.gz", "wt", encoding="utf-8") as file:
            file.write("\n".join(rows) + "\n")
    return folder


def direct(path, index, seed, edges):
    """Compute one split's number of boxes and ROC points step by step."""
    rows = np.loadtxt(path, delimiter=",", skiprows=1)
    X, y = rows[:, :-1], rows[:, -1]
    train, test = list(StratifiedShuffleSplit(2, test_size=0.5, random_state=seed).split(X, y))[index]
    max_boxes = paper_model().fit(X[train], y[train]).best_params_["n_boxes"]
    model = ExactBoxesClassifier(
        max_boxes=max_boxes, box_cost=1, limit_cost=0, edges=edges, pos_label=1, random_state=0
    )
    points = []
    for c in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        model.set_params(negative_weight=c).fit(X[train], y[train])
        model.set_params(warm_start_boxes=model.boxes_ if len(model.boxes_) else None)
        flagged = model.boxes_.contains(X[test])
        points.append((flagged[y[test] == 0].mean(), flagged[y[test] == 1].mean()))
    return max_boxes, points


def test_a_split_is_what_a_direct_computation_gives(folder):
    max_boxes, points = direct(folder / "glass0.csv.gz", index=1, seed=3, edges="tight")
    split = run_split(folder, "glass0", 1, 2, 3, 60.0, "tight")
    assert split.max_boxes == max_boxes
    assert [(one.fpr, one.tpr) for one in split.drawings] == points
    assert split.auh == auh_from_points(*zip(*points, strict=True))
    assert all(one.proven and one.gap == 0 for one in split.drawings)


def test_its_own_number_of_boxes_is_the_one_of_the_best_held_out_objective(folder, monkeypatch):
    monkeypatch.setattr(exact_boxes, "OWN_BOXES", (1, 2))
    rows = np.loadtxt(folder / "glass0.csv.gz", delimiter=",", skiprows=1)
    X, y = rows[:, :-1], rows[:, -1]
    chosen = own_boxes(X, y, 1200.0, "midway")
    values = np.zeros((2, 10))
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        for n_boxes in (1, 2):
            model = ExactBoxesClassifier(max_boxes=n_boxes, box_cost=1, limit_cost=TIE, pos_label=1, round_limits=False)
            for i in range(10):
                model.set_params(negative_weight=(i + 1) / 10).fit(X[train], y[train])
                model.set_params(warm_start_boxes=model.boxes_ if len(model.boxes_) else None)
                right = model.boxes_.contains(X[test]) == (y[test] == 1)
                values[n_boxes - 1, i] += right @ np.where(y[test] == 1, 1.0, (i + 1) / 10)
    best = np.where(values[1] > values[0] + 1e-9, 2, 1)
    assert chosen == best.tolist()
    assert (values[0] != values[1]).any()


def test_the_table_has_the_means_of_its_splits(capsys):
    proven, open_ = Drawing(0.25, 0.75, 0.0, True, 1.0), Drawing(0.5, 0.5, 0.1, False, 4.0)
    print_table({"iris0": [Split(2, [proven, open_]), Split(1, [open_, open_])], "glass1": [Split(1, [proven])]})
    *_, iris0, glass1, _, summary = capsys.readouterr().out.splitlines()
    assert iris0 == "| iris0 | 0.6250 (0.1250) | 1.0000 | -0.3750 | 7.50% | 25% | 3.25 |"
    assert glass1 == "| glass1 | 0.7500 (0.0000) | 0.7922 | -0.0422 | 0.00% | 100% | 1.00 |"
    assert summary == "Mean difference over 2 data sets: -0.2086"


def test_the_command_runs_every_table_of_the_paper_that_is_there(folder, capsys):
    main(["--data", str(folder), "--splits", "1", "--seconds", "5", "--jobs", "1"])
    printed = capsys.readouterr()
    assert [line.split(" | ")[0] for line in printed.out.splitlines()[2:4]] == ["| glass0", "| iris0"]
    assert "Mean difference over 2 data sets" in printed.out
    assert "iris0, split 1 of 1: K = " in printed.err


def test_unknown_data_sets_and_empty_runs_are_refused(folder, capsys):
    for arguments, message in ((["--datasets", "glass1"], "not in"), (["--splits", "0"], "at least 1")):
        with pytest.raises(SystemExit):
            main(["--data", str(folder), *arguments])
        assert message in capsys.readouterr().err


def test_the_papers_eight_data_sets_are_among_those_of_fast_boxes():
    assert len(PAPER_EXACT_BOXES) == 8
    assert PAPER_EXACT_BOXES.keys() <= PAPER_FAST_BOXES.keys()

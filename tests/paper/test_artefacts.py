"""Every table and figure at a tiny size, on the real data sets where they are."""

import csv
import dataclasses
import importlib.util
import sys

import numpy as np
import pytest

from boxdraw.theory import generalization_bound
from paper import artefacts, figure_clusters, figure_expansion, table_exact
from paper.artefacts import ARTEFACTS, artefact, make_all, make_one
from paper.bound import bound_rows, grid_sizes
from paper.data import DataSet, NotHereError, load
from paper.drawings import tight_boxes
from paper.figure_ranking import ranking_rows
from paper.figure_space import pulls_on_upper_edge
from paper.plan import Plan, Results
from paper.sweep import curve

from .small import METHODS, broken, method, nothing, threshold

needs_matplotlib = pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="matplotlib is missing")


@pytest.fixture
def plan(tmp_path):
    notes = []
    return Plan(tmp_path / "out", quick=True, methods=("cart", "fast_boxes"), note=notes.append)


def real(name):
    """Load a data set, or skip."""
    try:
        return load(name)
    except NotHereError as error:
        pytest.skip(str(error))


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def check_files(plan, name, paths, endings):
    assert [path.name for path in paths] == [f"{name}{ending}" for ending in endings]
    for path in paths:
        content = path.read_bytes()
        start = {".png": b"\x89PNG", ".svg": b"<?xml", ".csv": b"", ".md": b""}[path.suffix]
        assert content.startswith(start)
        assert content
    assert sorted(path.name for path in plan.out.iterdir() if path.name != "cells") == sorted(p.name for p in paths)


FIGURE = (".csv", ".md", ".png", ".svg")


def test_every_artefact_says_what_it_is():
    for name in ARTEFACTS:
        assert artefact(name).SUMMARY
        assert callable(artefact(name).make)


@needs_matplotlib
def test_figure_ranking(plan):
    plan = dataclasses.replace(plan, datasets=("castle3D", "flooded3D"))
    paths = make_one("figure-ranking", plan)
    check_files(plan, "figure-ranking", paths, FIGURE)
    rows = read(paths[0])
    assert [row["dataset"] for row in rows] == ["castle3D", "flooded3D"]  # by imbalance
    assert all(float(row["paper_rank"]) == 1.0 for row in rows)  # the paper has Fast Boxes above CART on both
    with pytest.raises(NotHereError, match="need fast_boxes and at least one other"):
        make_one("figure-ranking", dataclasses.replace(plan, methods=("cart",)))


@needs_matplotlib
def test_no_ranks_where_all_failed(small, plan, monkeypatch):
    """The other tables and figures are made all the same."""
    monkeypatch.setitem(METHODS, "fast_boxes", method("fast_boxes", broken))
    with pytest.raises(NotHereError, match="Fast Boxes has failed on all data sets"):
        make_one("figure-ranking", dataclasses.replace(plan, quick=False))


def test_ranks_count_ties_half(small, plan):
    plan = dataclasses.replace(plan, methods=("cart", "fast_boxes"))
    sets = [small["glass2"]]
    results = plan.results(sets, [method("cart", threshold), method("fast_boxes", threshold)])
    assert ranking_rows(results)[0]["rank"] == 1.5
    results = plan.results(sets, [method("svm", threshold), method("fast_boxes", nothing, settings="2")])
    assert ranking_rows(results)[0]["rank"] == 2.0
    assert ranking_rows(Results(sets, [], [])) == []


@needs_matplotlib
@pytest.mark.parametrize("name", ["figure-clusters", "figure-expansion"])
def test_figures_of_a_parameter(plan, name, monkeypatch):
    monkeypatch.setattr(figure_clusters, "_NUMBERS", (1, 2))
    monkeypatch.setattr(figure_expansion, "_SHARES", (0.0, 0.1))
    paths = make_one(name, plan)
    check_files(plan, name, paths, FIGURE)
    points = curve([{key: float(value) for key, value in row.items()} for row in read(paths[0])])
    assert len(points) == 2
    assert points[1]["test_auh"] > points[0]["test_auh"]  # two diamonds; and new positives beyond the old ones
    assert f"highest at {points[1]['value']:g}" in paths[1].read_text(encoding="utf-8")


@needs_matplotlib
@pytest.mark.parametrize("name", ["figure-boxes", "figure-space", "figure-minimal-expansion"])
def test_figures_of_boxes(plan, name):
    real(artefact(name).DATASETS[0])
    paths = make_one(name, plan)
    check_files(plan, name, paths, FIGURE)
    before = [path.read_bytes() for path in paths]
    assert [path.read_bytes() for path in make_one(name, plan)] == before  # the same picture each time


@needs_matplotlib
def test_tight_boxes_miss_test_positives_that_grown_ones_hold(plan):
    real("iris0")
    rows = read(make_one("figure-minimal-expansion", plan)[0])
    tight, grown = ([row for row in rows if row["boxes"] == kind] for kind in ("tight", "grown"))
    for one, other in zip(tight, grown, strict=True):
        assert one["feature"] == other["feature"]
        assert not other["lower"] or float(other["lower"]) <= float(one["lower"])
        assert not other["upper"] or float(other["upper"]) >= float(one["upper"])


def test_tight_boxes_are_those_of_the_positives():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = (X[:, 0] > 0.5).astype(int)
    boxes = tight_boxes(X, y, 1)
    np.testing.assert_allclose(boxes.lower[0], X[y == 1].min(axis=0), rtol=1e-12)
    np.testing.assert_allclose(boxes.upper[0], X[y == 1].max(axis=0), rtol=1e-12)
    assert boxes.contains(X)[y == 1].all()


def test_the_rows_of_an_edge_are_those_of_the_papers_set():
    rng = np.random.default_rng(1)
    X = rng.uniform(-2, 2, size=(500, 3))
    lower, upper = np.array([-1.0, -0.5, -0.5]), np.array([1.0, 0.5, 1.5])
    used = pulls_on_upper_edge(X, lower, upper, 2)
    for x, found in zip(X, used, strict=True):
        others = all(lower[p] <= x[p] <= upper[p] for p in (0, 1))
        assert found == (x[2] >= 1.5 or ((lower[2] + upper[2]) / 2 <= x[2] <= 1.5 and others))
    assert 0 < used.sum() < len(X)


def test_rules_glass2(plan):
    data = real("glass2")
    paths = make_one("rules-glass2", plan)
    check_files(plan, "rules-glass2", paths, (".csv", ".md"))
    text = paths[1].read_text(encoding="utf-8")
    assert "| Ca |" in text
    assert "above 8.3101 and below 2.3741" in text  # as printed
    for row in read(paths[0]):
        column = data.X[data.y == 1, data.feature_names.index(row["feature"])]
        assert not row["lower"] or float(row["lower"]) <= column.max()
        assert not row["upper"] or float(row["upper"]) >= column.min()


def test_bound(plan):
    plan = dataclasses.replace(plan, datasets=("castle3D", "square"))
    paths = make_one("bound", plan)
    check_files(plan, "bound", paths, (".csv", ".md"))
    rows = read(paths[0])
    assert [row["dataset"] for row in rows] == ["square"] * 3 + ["castle3D"] * 3  # as in the paper
    data = load("square")
    expected = generalization_bound(5, grid_sizes(data), 10000, 0.05)
    assert float(rows[2]["bound"]) == pytest.approx(expected)
    assert [row["boxes"] for row in bound_rows(data)] == [1, 2, 5]


def test_grid_sizes_count_numbers_of_two_decimals():
    X = np.array([[0.1, 3.0, -0.015], [1.1, 3.0, 0.014]])
    data = DataSet("toy", X, np.array([0, 1]), ("a", "b", "c"))
    expected = [sum(low <= k / 100 <= high for k in range(-500, 500)) for low, high in zip(*X, strict=True)]
    assert grid_sizes(data) == expected == [101, 1, 3]


def test_table_exact(plan, monkeypatch):
    pytest.importorskip("ortools")
    real("iris0")
    monkeypatch.setattr(table_exact, "_QUICK_SECONDS", 600.0)  # enough on any machine
    plan = dataclasses.replace(plan, datasets=("iris0",), seconds=600.0)
    paths = make_one("table-exact", plan)
    check_files(plan, "table-exact", paths, (".csv", ".md"))
    (row,) = read(paths[0])
    assert float(row["exact_auh"]) == 1.0
    assert float(row["proven_share"]) == 1.0
    assert (row["exact_rank"], row["readable_methods"], row["verdict"]) == ("1", "3", "too few splits")


def test_a_data_set_that_a_table_does_not_have_is_named(plan):
    with pytest.raises(ValueError, match=r"^table-exact has no castle3D or corner: it is of vehicle2, haberman"):
        make_one("table-exact", dataclasses.replace(plan, datasets=("iris0", "castle3D", "corner")))


def without(monkeypatch, *packages):
    for package in packages:
        monkeypatch.setitem(sys.modules, package, None)


def test_all_packages_that_are_missing_are_named_at_once(plan, monkeypatch):
    without(monkeypatch, "pandas", "matplotlib")
    with pytest.raises(
        ImportError, match=r"figure-boxes needs pandas, matplotlib: pip install 'boxdraw\[datasets,plot\]'"
    ):
        make_one("figure-boxes", plan)
    with pytest.raises(ImportError, match=r"^bound needs pandas: pip install 'boxdraw\[datasets\]'$"):
        make_one("bound", plan)
    without(monkeypatch, "c50py")
    plan = dataclasses.replace(plan, methods=("cart", "c50"))
    with pytest.raises(
        ImportError, match=r"needs pandas, and more for C5.0: pip install 'boxdraw\[datasets,baselines\]'"
    ):
        make_one("table-auh", plan)


def test_all_says_first_what_it_lacks(plan, monkeypatch):
    without(monkeypatch, "pandas", "matplotlib", "ortools")
    notes = []
    with pytest.raises(NotHereError, match="nothing could be made"):
        make_all(dataclasses.replace(plan, note=notes.append), print)
    packages = "pandas, matplotlib, ortools: pip install 'boxdraw[datasets,plot,exact]'"
    assert notes[0] == f"not everything can be made here, which needs {packages}"
    assert notes[3] == "table-exact is left out: it needs pandas, ortools: pip install 'boxdraw[datasets,exact]'"
    assert len(notes) == 1 + len(ARTEFACTS)


def test_a_table_of_none_of_the_data_sets_is_left_out_of_all(plan):
    plan = dataclasses.replace(plan, datasets=("castle3D",))
    with pytest.raises(NotHereError, match="--datasets names none of them"):
        artefacts._for_all("table-exact", plan)
    assert artefacts._for_all("figure-clusters", plan).datasets is None  # of diamond3D in any case


def test_another_time_limit_is_another_method():
    assert table_exact.exact_method(1.0).settings != table_exact.exact_method(2.0).settings


def test_all_goes_on_without_what_is_not_here(plan, monkeypatch):
    class Module:
        SUMMARY, NEEDS = "", ()

        def __init__(self, make, datasets=None):
            self.make, self.DATASETS = make, datasets

    def absent(plan):
        raise ImportError("it needs x: pip install 'boxdraw[x]'")

    def elsewhere(plan):
        raise NotHereError("no such file")

    seen = []

    def fine(plan):
        seen.append(plan.datasets)
        return [plan.out / "a.csv"]

    modules = {
        "table-auh": Module(absent),
        "bound": Module(elsewhere),
        "figure-boxes": Module(fine),
        "figure-space": Module(fine, ("diamond",)),
        "table-exact": Module(fine, ("iris0", "glass0")),
    }
    monkeypatch.setattr(artefacts, "ARTEFACTS", tuple(modules))
    monkeypatch.setattr(artefacts, "artefact", modules.__getitem__)
    notes, written = [], []
    plan = dataclasses.replace(plan, datasets=("iris0", "castle"), note=notes.append)
    make_all(plan, written.append)
    assert notes == [
        "table-auh is left out: it needs x: pip install 'boxdraw[x]'",
        "bound is left out: no such file",
    ]
    assert seen == [("iris0", "castle"), None, ("iris0",)]
    assert len(written) == 3


def test_which_rows_are_the_papers(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.setenv("BOXDRAW_DATA", str(tmp_path))
    load.cache_clear()
    assert not load("diamond3D").papers_rows  # the authors' law, other rows
    assert not load("castle3D").papers_rows
    assert load("breast").papers_rows
    load.cache_clear()
    frame = load("diamond3D").frame.assign(target=load("diamond3D").y)
    frame.to_csv(tmp_path / "diamond3D.csv", index=False)
    load.cache_clear()
    assert load("diamond3D").papers_rows  # as far as a file of that name is the authors'
    load.cache_clear()

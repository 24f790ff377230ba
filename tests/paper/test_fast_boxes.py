"""The experiments on a data set or two, where the paper's data are."""

import os
from pathlib import Path

import numpy as np
import pytest

from boxdraw.datasets import load_dataset
from boxdraw.metrics import auh_from_points
from paper.fast_boxes import main, paper_model, ten_point_auh, ten_point_scorer
from paper.tables import PAPER_FAST_BOXES, available, data_folder, read_table

DATA = Path(os.environ.get("BOXDRAW_DATA", Path(__file__).parents[3] / "shared" / "data"))
needs_data = pytest.mark.skipif(not available(DATA), reason="the paper's data sets are not here (BOXDRAW_DATA)")


def test_ten_point_auh_is_that_of_the_ten_points():
    rng = np.random.default_rng(0)
    critical = rng.lognormal(-1, 1, size=50)
    positive = rng.random(50) < 0.3
    points = [(np.mean(critical[~positive] >= c), np.mean(critical[positive] >= c)) for c in np.arange(1, 11) / 10]
    assert ten_point_auh(critical, positive) == auh_from_points(*zip(*points, strict=True))


@needs_data
def test_every_table_has_the_rows_of_its_description():
    for name in available(DATA):
        table = read_table(DATA, name)
        assert set(np.unique(table.y)) == {0, 1}
        assert table.imbalance >= 1
        assert np.isfinite(table.X).all()
    assert len(available(DATA)) == len(PAPER_FAST_BOXES) == 29


@needs_data
def test_both_tables_are_printed(capsys):
    main(["--data", str(DATA), "--datasets", "iris0,glass2", "--splits", "2"])
    printed = capsys.readouterr().out
    assert "| iris0 | 1.0000" in printed
    assert "2 data sets without pima: mean" in printed
    assert "Mean over 1 data sets (imbalance ≥ 10): Fast Boxes CV" in printed


@needs_data
def test_the_papers_figure_is_in_reach_on_an_easy_table():
    table = read_table(DATA, "shuttle04")
    half = np.random.default_rng(0).random(len(table.y)) < 0.5
    model = paper_model().fit(table.X[half], table.y[half])
    assert ten_point_scorer(model, table.X[~half], table.y[~half]) == pytest.approx(0.9967, abs=0.01)


def test_the_folder_must_be_one():
    with pytest.raises(SystemExit, match="is not a folder"):
        main(["--data", "/no/such/folder"])


def test_without_a_folder_the_tables_are_those_of_load_dataset(monkeypatch, capsys):
    monkeypatch.delenv("BOXDRAW_DATA", raising=False)
    here = available(data_folder())
    assert {"breast", "corner", "diamond3D"} <= set(here) <= PAPER_FAST_BOXES.keys() - {"fourclass", "breast_tissue"}
    table = read_table(None, "diamond3D")
    X, y = load_dataset("diamond3D", return_X_y=True)
    assert (table.feature_names, table.imbalance) == (("x1", "x2", "x3"), 971 / 29)
    np.testing.assert_array_equal(table.X, X)
    np.testing.assert_array_equal(table.y, y)
    with pytest.raises(SystemExit):
        main(["--datasets", "fourclass"])
    assert "no such data set in what load_dataset finds by itself: fourclass" in capsys.readouterr().err

"""The tables, of small data sets and methods that take no time."""

import csv
import dataclasses
import math

import numpy as np
import pytest

from paper.data import NotHereError
from paper.methods import PAPER
from paper.plan import Plan
from paper.printed import PAPER_TITLES, printed_auh, printed_glass2, printed_trivial
from paper.reported import AUH, METHODS
from paper.table_auh import auh_rows, summary_rows
from paper.table_auh import make as make_auh
from paper.table_trivial import make as make_trivial


@pytest.fixture
def notes():
    return []


@pytest.fixture
def plan(small, notes, tmp_path):
    return Plan(tmp_path / "out", note=notes.append)


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_method_of_the_paper_has_a_key():
    assert tuple(PAPER_TITLES[key] for key in PAPER) == METHODS


def test_figures_of_the_paper_and_their_slips():
    assert printed_auh("vehicle1", "cart").slip == ""
    assert "agree in sixteen figures" in printed_auh("pima", "cart").slip
    assert printed_auh("pima", "hddt").slip == ""
    assert math.isnan(printed_auh("haberman", "c50").sd)
    assert printed_auh("haberman", "c50").mean == 0.5420
    assert printed_auh("glass2", "fast_boxes_cv") is None
    assert printed_trivial("glass2", "cart") == 0.09
    assert set(printed_glass2()).isdisjoint({"Na", "Fe"})


def test_table_auh(plan, notes):
    paths = make_auh(plan)
    assert [path.name for path in paths] == ["table-auh.csv", "table-auh.md"]
    assert notes == ["C45 is left out: C4.5 needs weka: install it"]
    rows = {(row["dataset"], row["method"]): row for row in read(paths[0])}
    assert len(rows) == 2 * 3
    row = rows["glass2", "fast_boxes"]
    assert float(row["paper_mean"]) == AUH["glass2"]["Fast Boxes"].mean
    assert float(row["difference"]) == pytest.approx(float(row["mean"]) - 0.7334)
    assert rows["pima", "fast_boxes"]["verdict"] == "slip of the paper"
    assert rows["pima", "prim"]["verdict"] == "not in the paper"
    assert float(rows["pima", "prim"]["mean"]) == 0.5  # flags nothing
    assert (rows["glass2", "prim"]["bold"], row["bold"]) == ("0", "1")
    text = paths[1].read_text(encoding="utf-8")
    assert f"| glass2 | **{float(row['mean']):.4f}** ({float(row['sd']):.4f}) | 0.5000 (0.0000) |" in text
    assert "†" in text
    assert "- Fast_Boxes: fast" in text
    assert "sixteen figures" in text


def test_means_are_those_of_the_splits(plan):
    results = plan.results(plan.chosen_sets(), plan.chosen_methods())
    row = next(row for row in auh_rows(results) if (row["dataset"], row["method"]) == ("glass2", "cart"))
    areas = [outcome.auh for outcome in results.outcomes("glass2", "cart").values()]
    assert len(areas) == row["splits"] == 10
    assert row["mean"] == pytest.approx(np.mean(areas))
    assert row["sd"] == pytest.approx(np.std(areas, ddof=1))


def test_the_summary_is_without_slips(plan):
    rows = auh_rows(plan.results(plan.chosen_sets(), plan.chosen_methods()))
    found = {row["method"]: row for row in summary_rows(rows)}
    assert set(found) == {"cart", "fast_boxes"}
    assert found["cart"]["datasets"] == 1  # pima is a copy of vehicle1
    row = next(row for row in rows if (row["dataset"], row["method"]) == ("glass2", "cart"))
    assert found["cart"]["mean_absolute_difference"] == pytest.approx(abs(row["difference"]))


def test_other_rows_than_the_papers_get_no_verdict(plan, small):
    results = plan.results([dataclasses.replace(small["glass2"], papers_rows=False)], plan.chosen_methods())
    rows = auh_rows(results)
    assert {row["verdict"] for row in rows if row["method"] in PAPER} == {"other rows"}
    assert summary_rows(rows) == []


def test_a_method_that_fails_is_in_the_table_as_failed(plan, notes):
    plan = dataclasses.replace(plan, methods=("cart", "hddt"), quick=True, datasets=("glass2",))
    csv_path, text = make_auh(plan)
    assert "| glass2 |" in text.read_text(encoding="utf-8")
    assert " failed |" in text.read_text(encoding="utf-8")
    assert [row["verdict"] for row in read(csv_path)][1] == "failed"
    assert notes == [f"failed: hddt on glass2, split {k}: RuntimeError: this method is broken" for k in (1, 2)]
    assert len(plan.failed) == 2


def test_table_trivial(plan):
    rows = {(row["dataset"], row["method"]): row for row in read(make_trivial(plan)[0])}
    assert float(rows["glass2", "prim"]["share"]) == 1.0
    assert rows["glass2", "prim"]["models"] == "100"
    assert float(rows["glass2", "cart"]["share"]) == 0.0
    assert float(rows["glass2", "cart"]["paper_share"]) == 0.09
    text = (plan.out / "table-trivial.md").read_text(encoding="utf-8")
    assert "| glass2 | 0.00 (0.09) | **1.00** | 0.00 (0.28) |" in text
    assert "| mean | 0.00 | 1.00 | 0.00 |" in text


def test_quick_means_two_splits_and_small_data_sets(plan):
    plan = dataclasses.replace(plan, quick=True)
    assert [data.name for data in plan.chosen_sets()] == ["glass2"]
    results = plan.results(plan.chosen_sets(), plan.chosen_methods())
    assert {record.cell.split for record in results.records} == {0, 1}
    text = make_auh(plan)[1].read_text(encoding="utf-8")
    assert "that test finds no difference in fewer than six splits, so all are bold" in text
    table = text.split("\n\n")[1].splitlines()
    assert len(table) == 3
    assert table[2].count("**") == 2 * 3


@pytest.mark.parametrize(
    ("protocol", "quick", "text"),
    [
        ("splits", False, "10 stratified random halves, seed 0"),
        ("splits", True, "2 stratified random halves, seed 0"),
        ("folds", False, "10 stratified folds, seed 0"),
        ("folds", True, "2 of 10 stratified folds, seed 0"),
    ],
)
def test_captions_say_how_it_was_done(plan, protocol, quick, text):
    assert dataclasses.replace(plan, protocol=protocol, quick=quick).described == text


def test_unknown_names_are_refused_before_any_work(small, tmp_path):
    with pytest.raises(ValueError, match="there is no data set 'glas2'; did you mean 'glass2'"):
        Plan(tmp_path, datasets=("glas2",))
    with pytest.raises(ValueError, match="there is no method 'xyz'; There are cart, fast_boxes"):
        Plan(tmp_path, methods=("xyz",))


def test_what_is_not_here(plan, notes, monkeypatch, small):
    from paper import plan as plan_module

    missing = {"pima": "pima needs a package"}
    monkeypatch.setattr(
        plan_module, "load_those_here", lambda names: ([small[n] for n in names if n != "pima"], dict(missing))
    )
    assert [data.name for data in plan.chosen_sets()] == ["glass2"]
    assert notes == ["left out, not here: pima (pima needs a package)"]
    with pytest.raises(NotHereError, match="pima needs a package"):
        dataclasses.replace(plan, datasets=("pima",)).chosen_sets()
    with pytest.raises(NotHereError, match="none of these data sets is here: pima"):
        plan.chosen_sets(["pima"])
    with pytest.raises(NotHereError, match="none of these methods can run here: C45"):
        dataclasses.replace(plan, methods=("c45",)).chosen_methods()

"""What the paper reports, against its source where that is there; and its copy errors, by an analysis of its tables."""

import math
import os
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from paper.errata import ERRATA, to_rst, unsound_means
from paper.exact_boxes import PAPER_EXACT_BOXES
from paper.reported import (
    AUH,
    DATASETS,
    EXACT,
    METHODS,
    READABLE_METHODS,
    TRIVIAL,
    TRIVIAL_METHODS,
    Score,
    Shape,
)
from paper.tables import PAPER_FAST_BOXES, available, read_table

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BOXDRAW_DATA", ROOT.parent / "shared" / "data"))
PAPER = DATA.parent / "paper.tex"
needs_data = pytest.mark.skipif(not available(DATA), reason="the paper's data sets are not here (BOXDRAW_DATA)")
needs_paper = pytest.mark.skipif(
    not PAPER.exists(), reason="the paper's source, paper.tex, is not beside the data sets"
)

KEYS = {"breast tissue": "breast_tissue", "pageblocks 134": "pageblocks134"}


def printed_table(label):
    """Return the rows of a table of the paper, by data set, without its head."""
    before = PAPER.read_text(encoding="utf-8").split(rf"\label{{{label}}}")[0]
    body = before.rsplit(r"\begin{tabular}", 1)[1].split(r"\end{tabular}")[0].split("\n", 1)[1]
    body = re.sub(r"(?m)^%.*$|\\newline", " ", body)
    rows = [row.strip().removesuffix(r"\\").split("&") for row in body.split(r"\hline") if row.strip()]
    cleaned = [[" ".join(cell.split()) for cell in row] for row in rows[1:]]
    return {KEYS.get(name, name): cells for name, *cells in cleaned}


def printed_score(cell):
    """Read a mean and its deviation."""
    bold, mean, sd = re.fullmatch(r"(\\textbf\{)?([\d.]+)\}? ?\(([\d.]+)\)", cell).groups()
    return Score(float(mean), float(sd), bold is not None)


@needs_paper
def test_the_table_of_data_sets_is_as_printed():
    printed = {name: Shape(int(n), int(p), float(ratio)) for name, (n, p, ratio) in printed_table("data").items()}
    assert printed == DATASETS
    assert list(printed) == list(DATASETS)


@needs_paper
def test_the_table_of_auh_is_as_printed_but_for_one_point():
    table = printed_table("firstresult1")
    printed = {name: dict(zip(METHODS, map(printed_score, row), strict=True)) for name, row in table.items()}
    flooded = printed["flooded"]["Fast Boxes"]
    assert flooded == Score(9638.0, 0.0091, False)
    printed["flooded"]["Fast Boxes"] = Score(0.9638, flooded.sd, flooded.bold)
    assert printed == AUH
    assert list(printed) == list(AUH)


@needs_paper
def test_the_table_of_trivial_models_is_as_printed():
    for name, row in printed_table("trivial rule").items():
        for method, cell in zip(TRIVIAL_METHODS, row, strict=True):
            bold, value = re.fullmatch(r"(\\textbf\{)?([\d.]+)\}?", cell).groups()
            assert (TRIVIAL[name][method].value, TRIVIAL[name][method].bold) == (float(value), bold is not None)


@needs_paper
def test_the_table_of_exact_boxes_is_as_printed():
    table = printed_table("MIPresult")
    assert list(table) == list(EXACT)
    for name, (*scores, ranking) in table.items():
        row = EXACT[name]
        assert [row.best, row.fast_boxes, row.exact_boxes] == [printed_score(cell) for cell in scores]
        assert row.ranking == int(ranking)


def test_the_tables_have_the_same_data_sets():
    assert len(DATASETS) == 37
    assert list(DATASETS) == list(AUH) == list(TRIVIAL)
    assert EXACT.keys() <= AUH.keys()
    assert sum(score.bold for row in AUH.values() for score in row.values()) == 105


def test_every_ratio_is_that_of_whole_rows():
    for shape in DATASETS.values():
        negatives = shape.rows - shape.positives
        assert negatives / shape.positives == pytest.approx(shape.ratio, abs=5.1e-5)


@needs_data
def test_the_data_sets_have_the_printed_shape():
    for name in available(DATA):
        table, shape = read_table(DATA, name), DATASETS[name]
        assert (*table.X.shape, int(table.y.sum())) == (shape.rows, shape.features, shape.positives)


def test_the_experiments_compare_with_these_figures():
    assert len(PAPER_FAST_BOXES) == 29
    assert (PAPER_FAST_BOXES["corner"], PAPER_FAST_BOXES["breast_tissue"]) == (0.9891, 0.9953)
    assert len(PAPER_EXACT_BOXES) == 8
    assert (PAPER_EXACT_BOXES["haberman"], PAPER_EXACT_BOXES["iris0"]) == (0.6632, 1.0)


# The analysis: each kind of contradiction is looked for in the whole table, and what is found has to be listed.


def listed(*kinds):
    """Return the cells of the table of AUH that are listed, of all kinds or of some."""
    return {cell for one in ERRATA if not kinds or one.spoils in kinds for cell in one.cells}


def cells():
    """Return all cells of the table of AUH as (data set, method, score)."""
    return [(name, method, score) for name, row in AUH.items() for method, score in row.items()]


def largest_sd(mean, n=10):
    """Return the largest standard deviation of ten numbers from .5 to 1 with this mean: all but one at the ends."""
    total = n * (mean - 0.5)
    at_one = min(int(total / 0.5), n - 1)
    values = np.array([0.5] * at_one + [total - 0.5 * at_one] + [0.0] * (n - at_one - 1))
    return float(values.std(ddof=1))


def test_largest_sd():
    rng = np.random.default_rng(0)
    samples = 0.5 + 0.5 * rng.beta(0.1, 0.1, size=(2000, 10))
    assert all(sample.std(ddof=1) <= largest_sd(sample.mean()) + 1e-12 for sample in samples)
    assert largest_sd(0.55) == pytest.approx(np.std([0.5] * 9 + [1.0], ddof=1))
    assert largest_sd(0.9) == pytest.approx(np.std([0.5] * 2 + [1.0] * 8, ddof=1))


def test_means_outside_the_range_are_listed():
    found = {(name, method) for name, method, score in cells() if not 0.5 <= score.mean <= 1}
    assert found == {("flooded", "Logistic")} <= unsound_means()


def test_deviations_that_no_ten_areas_have_are_listed():
    half = 5.1e-5  # of the last digit, by which means and deviations may be rounded
    impossible = set()
    for name, method, score in cells():
        means = np.clip([score.mean - half, score.mean, score.mean + half], 0.5, 1)
        if score.sd > half + max(map(largest_sd, means)):
            impossible.add((name, method))
    assert len(impossible) == 8
    assert impossible <= listed("mean", "sd")


def test_cells_that_two_data_sets_share_are_listed():
    where = defaultdict(list)
    for name, method, score in cells():
        if score.sd > 0:
            where[method, score.mean, score.sd].append(name)
    repeated = {(method, *names) for (method, *_), names in where.items() if len(names) > 1}
    assert len(repeated) == 11
    assert all({(first, method), (second, method)} & unsound_means() for method, first, second in repeated)


def test_areas_of_methods_without_a_model_are_listed():
    trivial = [(name, method) for name, row in TRIVIAL.items() for method, share in row.items() if share.value == 1]
    found = {(name, method) for name, method in trivial if AUH[name][method] != Score(0.5, 0.0, False)}
    assert found == {("diamond3D", "C4.5"), ("diamond3D", "C5.0")} <= listed("mean", "sd")


def test_deviations_with_a_fifth_decimal_are_listed():
    found = {(name, method) for name, method, score in cells() if round(score.sd, 4) != score.sd}
    seven = next(one for one in ERRATA if one.where == "AUH: seven deviations")
    assert found == {cell for cell in seven.cells if cell != ("vehicle2", "CART")}  # which ends in a zero
    assert all(str(AUH[name][method].sd) in seven.printed for name, method in seven.cells)


def test_the_best_method_is_bold():
    for row in AUH.values():
        assert max(row.values(), key=lambda score: (score.mean, -score.sd)).bold


def test_bold_shares_are_over_one_half_but_for_those_listed():
    odd = {
        (name, method)
        for name, row in TRIVIAL.items()
        for method, share in row.items()
        if share.bold != (share.value > 0.5)
    }
    assert odd == {("corner3D", "C4.5"), ("corner3D", "C5.0")}
    assert any(one.where == "Trivial models: corner3D, C4.5 and C5.0" for one in ERRATA)


def test_shares_of_c5_are_of_ten_models():
    shares = {
        method: [row[method].value for row in TRIVIAL.values() if row[method].value] for method in TRIVIAL_METHODS
    }
    of_ten = {method for method in shares if all(math.isclose(10 * x, round(10 * x)) for x in shares[method])}
    assert of_ten == {"C4.5", "C5.0"}
    assert len(shares["C5.0"]) == 15


def test_the_table_of_exact_boxes_agrees_with_that_of_all_but_for_glass1():
    disagree = set()
    for name, row in EXACT.items():
        assert row.fast_boxes == AUH[name]["Fast Boxes"]
        others = [AUH[name][method] for method in READABLE_METHODS]
        best = max([*others, row.exact_boxes], key=lambda score: (score.mean, -score.sd))
        assert row.best.mean == best.mean
        assert row.ranking == 1 + sum(score.mean > row.exact_boxes.mean for score in others)
        if row.best.sd != best.sd:
            disagree.add(name)
    assert disagree == {"glass1"}


@needs_data
def test_the_rule_for_glass2_holds_no_positive_with_its_calcium_limits_exchanged():
    table = read_table(DATA, "glass2")
    calcium = table.X[:, table.feature_names.index("Ca")]
    positive = table.y == 1
    assert positive.sum() == 17
    assert calcium.min() == 5.43
    assert calcium[positive].min() == 8.32
    assert (calcium[~positive] == 8.31).any()
    assert not ((calcium >= 2.3741) & (calcium <= 8.3101))[positive].any()
    assert DATASETS["glass1"].positives == 76


def test_listed_cells_are_in_the_table():
    for one in ERRATA:
        assert all(name in AUH and method in METHODS for name, method in one.cells)
        assert bool(one.cells) == one.where.startswith("AUH")
    assert len({one.where for one in ERRATA}) == len(ERRATA)


def test_unsound_means_of_fast_boxes():
    assert {name for name, method in unsound_means() if method == "Fast Boxes"} == {"pima"}


def test_the_documentation_has_the_list():
    page = (ROOT / "docs" / "paper.rst").read_text(encoding="utf-8")
    assert to_rst() in page, "Put the output of python -m paper.errata into docs/paper.rst."

"""What the README says beside its Python examples: commands, links and figures."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from boxdraw.cli.main import make_parser

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", "CONTRIBUTING.md"]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def prose(page):
    """Return a page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", read(page), flags=re.M | re.S)


def commands(page):
    """Return the lines of the blocks of shell, and what the text has between backticks, as lists of words."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", read(page), flags=re.M | re.S)
    spans = re.findall(r"`([^`]+)`", prose(page))
    lines = [line for block in blocks for line in block.splitlines()]
    return [shlex.split(text, comments=True) for text in (*lines, *spans) if re.match(r"(make|pip|boxdraw) \w", text)]


@pytest.mark.parametrize("page", [*PAGES, "CHANGELOG.md"])
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)\s]+)\)", prose(page))
    assert page == "CONTRIBUTING.md" or links
    assert [
        link for link in links if not link.startswith("https://") and not (ROOT / link.partition("#")[0]).exists()
    ] == []


@pytest.mark.parametrize("page", PAGES)
def test_files_that_are_named_are_there(page):
    named = re.findall(r"`((?:benchmarks|checks|ci|docs|examples|tests|src)/[\w./-]*)`", prose(page))
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_make_has_the_targets(page):
    targets = set(re.findall(r"^([\w-]+):", read("Makefile"), flags=re.M))
    used = {word for words in commands(page) if words[0] == "make" for word in words[1:] if "=" not in word}
    assert used
    assert used <= targets


def test_pip_has_the_extras():
    extras = tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"]
    used = set(re.findall(r"\.\[([\w,]+)\]|boxdraw\[([\w,]+)\]", read("README.md")))
    assert used
    assert {name for pair in used for names in pair if names for name in names.split(",")} <= set(extras)


def test_the_two_commands_are_named():
    assert {("make", "demo"), ("make", "test")} <= {tuple(words[:2]) for words in commands("README.md")}


def test_the_commands_are_understood():
    used = [words for words in commands("README.md") if words[0] == "boxdraw"]
    assert used
    for words in used:
        assert make_parser().parse_args(words[1:]).run


def test_the_readme_is_short():
    assert len(read("README.md").splitlines()) <= 110


# figures


def good():
    return read("README.md").split("## How good is it?")[1].split("\n## ")[0]


def line(start):
    """Return the item of the section that starts so."""
    (found,) = re.findall(rf"^- ({start}.*(?:\n  .*)*)", good(), re.M)
    return found


def shown(name, learner, part):
    """Return what a benchmark printed of a learner: its means over all data sets, or those with a rare class."""
    tables = [text for text in read(f"docs/figures/{name}.txt").split("### Summary: ") if text.startswith("mean of")]
    heads, row = (
        re.search(rf"^\| {learner} \| (.*) \|$", tables[part], re.M).group(1).split(" | ")
        for learner in ("learner", learner)
    )
    return dict(zip(heads, row, strict=True))


LEARNERS = {  # as the README calls them: the benchmark's name, and the figures of the 29 and of the 22 data sets
    "Sparse Boxes": ("Sparse Boxes", "sparse_accuracy", "sparse_accuracy_unseen"),
    "Scored Boxes": ("Scored Boxes", "accuracy_cards", "accuracy_unseen_cards"),
    "Fast Boxes": ("Fast Boxes, CV", "accuracy_fast", "accuracy_fast_unseen"),
    "decision tree, 8 leaves": ("CART, 8 leaves", "sparse_accuracy", "sparse_accuracy_unseen"),
    "logistic regression": ("logistic", "sparse_accuracy", "sparse_accuracy_unseen"),
    "EBM, without pairs": ("EBM, no pairs", "accuracy", "accuracy_unseen"),
    "random forest, 300 trees": ("forest, 300 trees", "accuracy", "accuracy_unseen"),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_the_table_is_that_of_the_benchmarks(name):
    learner, seen, unseen = LEARNERS[name]
    assert read(f"docs/figures/{seen}.txt").startswith("29 data sets, 5 stratified halves each, seed 20261115")
    assert read(f"docs/figures/{unseen}.txt").startswith("22 data sets, 5 stratified halves each, seed 20261115")
    all_of_them = shown(seen, learner, 0)
    areas = [one["AUC"].lstrip("0") for one in (all_of_them, shown(seen, learner, 1), shown(unseen, learner, 0))]
    sizes = [text if text == "–" else large(float(text)) for text in (all_of_them["boxes"], all_of_them["limits"])]
    (row,) = re.findall(rf"^\| {name} \| (.*) \|$", good(), re.M)
    assert row.split(" | ") == areas + sizes


def large(number):
    return f"{number:.1f}" if number < 100 else f"{number:,.0f}"


def test_the_table_has_a_test_for_every_row():
    assert re.findall(r"^\| ([^|]+) \| \.", good(), re.M) == list(LEARNERS)


def test_the_line_of_missed_aims_is_that_of_the_benchmarks():
    balanced = shown("accuracy_cards", "Scored Boxes", 0)["balanced accuracy"].lstrip("0")
    ours, theirs = (
        shown("accuracy_pairs", learner, 0)["average precision"].lstrip("0")
        for learner in ("Scored Boxes", "EBM, 10 pairs")
    )
    assert re.findall(r"\.\d{3}", line("Short of our aims")) == [balanced, ".835", ours, theirs]
    assert balanced < ".835"
    assert ours < theirs


def test_the_planted_rules_are_those_of_the_benchmark():
    found = dict(re.findall(r"^\| ([^|]+) \| (\d\.\d{3}) \|", read("docs/figures/planted_confirm.txt"), re.M))
    sparse, tree = (f"{float(found[name]):.0%}" for name in ("Sparse Boxes", "CART, 8 leaves"))
    assert f"finds {sparse} of 200 with at most one limit more than there is, the tree {tree}." in line("Planted rules")


def test_the_times_are_those_of_the_benchmark():
    rows = re.findall(r"^\| 1,000,000 \| ([^|]+) \| ([\d.]+) \|", read("docs/figures/large_fit.txt"), re.M)
    seconds = {name: f"{float(value):.2g} s" for name, value in rows}
    named = {
        "Fast Boxes": "Fast Boxes",
        "Sparse Boxes with its inner folds": "Sparse Boxes",
        "Scored Boxes": "Scored Boxes",
        "logistic regression": "LogisticRegression",
        "LightGBM": "LightGBM, 100 trees",
    }
    said = ", ".join(f"{name} {seconds[theirs]}" for name, theirs in named.items())
    assert " ".join(line("One million").split()).endswith(f": {said}.")


def test_the_figures_of_the_paper_were_printed():
    printed = re.findall(r"(?:mean|paper) (0\.\d+)", read("docs/figures/paper.txt"))
    said = re.findall(r"(?<!\d)\.\d{3}\b", good().rpartition("On the paper's own")[2])
    assert said
    assert said == [f"{float(value):.3f}".lstrip("0") for value in printed[: len(said)]]


def test_no_figure_of_the_readme_is_unchecked():
    checked = 3 * len(LEARNERS) + 4 + 2  # the table, the aims, and the paper's; test_readme.py runs the blocks
    assert len(re.findall(r"\.\d{3}\b", prose("README.md"))) == checked

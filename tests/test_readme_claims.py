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


def in_text(text):
    """Return the figures of each learner in a line of the README."""
    return {
        name.strip(): tuple(filter(None, values))
        for name, *values in re.findall(r"([A-Za-z][\w ]*?) (\.\d{3})(?: \((\.\d{3})\))?", text)
    }


def means():
    """Return the mean AUC of each learner that the experiment printed: of all data sets, of those with a rare class."""
    found = {}
    for listed in re.findall(r"^Mean over \d+ data sets \(.*?\): (.*)$", read("docs/figures/default.txt"), re.M):
        for name, value in re.findall(r"([A-Z]?[\w ,]+?) (0\.\d+)(?:, |$)", listed):
            found.setdefault(name, []).append(f"{float(value):.3f}".lstrip("0"))
    return found


def summaries(name):
    """Return the mean AUC of each learner that a benchmark printed: of all data sets, of those with a rare class."""
    found = {}
    for learner, value in re.findall(
        r"^\| ([^|]+) \| (0\.\d{3}) \|", read(f"docs/figures/{name}.txt").partition("### Summary")[2], re.M
    ):
        found.setdefault(learner, []).append(value.lstrip("0"))
    return found


def test_the_first_line_is_that_of_the_experiment():
    printed, said = means(), in_text(line("Fast Boxes"))
    names = {
        "Fast Boxes": "Fast Boxes CV",
        "decision tree with 8 leaves": "CART, 8 leaves",
        "logistic regression": "logistic",
        "random forest": "random forest",
    }
    assert said == {name: tuple(printed[theirs]) for name, theirs in names.items()}


SCORED = {"logistic regression": "logistic", "EBM": "EBM, no pairs", "random forest": "forest, 300 trees"}


def test_the_lines_of_scorecards_are_those_of_the_benchmark():
    printed, said = summaries("accuracy"), in_text(line("Scorecard"))
    names = {"Scorecard": "Scored Boxes", "tree": "CART, 8 leaves", **SCORED}
    assert said == {name: tuple(printed[theirs]) for name, theirs in names.items()}
    before, now = summaries("accuracy_unseen"), summaries("accuracy_unseen_cards")
    names = {"longer cards": "Scored Boxes", **SCORED}
    said = in_text(line("22 data sets").partition(": ")[2])
    assert said == {name: ((before | now)[theirs][0],) for name, theirs in names.items()}
    for theirs in ("logistic", "forest, 300 trees"):  # of the same splits
        assert before[theirs][0] == now[theirs][0]


def test_the_line_of_longer_cards_is_that_of_the_benchmark():
    printed, text = summaries("accuracy_cards"), line("Cards as long")
    mean, _, rare, _ = printed["Scored Boxes"]  # between them are medians
    eight, _, eight_rare, _ = printed["Scored Boxes, 8 positive"]
    summary = read("docs/figures/accuracy_cards.txt").partition("### Summary")[2]
    *_, boxes, limits, _ = re.search(r"^\| Scored Boxes \| (.*) \|$", summary, re.M).group(1).split(" | ")
    assert text.startswith(
        f"Cards as long as inner folds choose {mean} ({rare}), with {boxes} boxes and {limits} limits"
    )
    assert text.endswith(f"cards of 8 boxes {eight} ({eight_rare}).")


def test_the_line_of_missed_aims_is_that_of_the_benchmarks():
    def shown(name, learner, place):
        row = re.search(
            rf"^\| {learner} \| (.*) \|$", read(f"docs/figures/{name}.txt").partition("### Summary")[2], re.M
        )
        return row[1].split(" | ")[place].lstrip("0")

    balanced = shown("accuracy_cards", "Scored Boxes", 2)
    ours, theirs = (shown("accuracy_pairs", learner, 1) for learner in ("Scored Boxes", "EBM, 10 pairs"))
    assert re.findall(r"\.\d{3}", line("Short of our aims")) == [balanced, ".835", ours, theirs]
    assert balanced < ".835"
    assert ours < theirs


SPARSE = {"Sparse Boxes": "Sparse Boxes", "tree": "CART, 8 leaves", "random forest": "forest, 100 trees"}
SPARSE |= {"logistic regression": "logistic"}


def test_the_lines_of_sparse_boxes_are_those_of_the_benchmarks():
    printed, said = summaries("sparse_accuracy"), in_text(line("Sparse Boxes"))
    assert said == {name: tuple(printed[theirs]) for name, theirs in SPARSE.items()}
    printed, said = summaries("sparse_accuracy_unseen"), in_text(line("Unseen data sets").partition(": ")[2])
    assert said == {name: (printed[theirs][0],) for name, theirs in SPARSE.items()}


def test_the_sizes_and_the_planted_rules_are_those_of_the_benchmarks():
    summary = read("docs/figures/sparse_accuracy.txt").partition("### Summary")[2]
    *_, boxes, limits, _ = re.search(r"^\| Sparse Boxes \| (.*) \|$", summary, re.M).group(1).split(" | ")
    found = dict(re.findall(r"^\| ([^|]+) \| (\d\.\d{3}) \|", read("docs/figures/planted_confirm.txt"), re.M))
    sparse, tree = (f"{float(found[name]):.0%}" for name in ("Sparse Boxes", "CART, 8 leaves"))
    text = " ".join(line("Sparse Boxes").split())
    assert f"{boxes} boxes and {limits} limits to read" in text
    assert f"finds {sparse} of 200 with at most one limit more than there is, the tree {tree}." in text


def test_the_times_are_those_of_the_benchmarks():
    fits = dict(re.findall(r"^\| ([^|]+) \| (\d+) \|", read("docs/figures/large_fit.txt"), re.M))
    cards = dict(re.findall(r"^\| ([^|]+) \| 1 \| ([\d.]+) \|", read("docs/figures/scored_speed.txt"), re.M))
    fast, logistic, boosted = (
        int(fits[name]) / 1000 for name in ("with k-means, 1 thread", "LogisticRegression", "LightGBM, 100 trees")
    )
    card, again = float(cards["scorecard"]), float(cards["LightGBM, 100 trees"])
    million = re.search(r"^\| 1,000,000 x 30 \| ([\d.]+) \| ([\d.]+) \|", read("docs/figures/sparse_speed.txt"), re.M)
    sparse, third = map(float, million.groups())
    assert " ".join(line("One million").split()).endswith(
        f": Fast Boxes {fast:.2f} s, logistic regression {logistic:.1f} s, LightGBM {boosted:.0f} s; a scorecard "
        f"{card:.1f} s and LightGBM {again:.1f} s in another run; Sparse Boxes with its inner folds {sparse:.2f} s and "
        f"LightGBM {third:.1f} s in a third."
    )


def test_the_figures_of_the_paper_were_printed():
    printed = re.findall(r"(?:mean|paper) (0\.\d+)", read("docs/figures/paper.txt"))
    said = re.findall(r"(?<!\d)\.\d{3}\b", good().rpartition("On the paper's own")[2])
    assert said
    assert said == [f"{float(value):.3f}".lstrip("0") for value in printed[: len(said)]]


LINES = (
    "Fast Boxes",
    "Cards as long",
    "Sparse Boxes",
    "Unseen data sets",
    "Scorecard",
    "22 data sets",
    "Short of our aims",
)


def test_no_figure_of_the_readme_is_unchecked():
    checked = sum(len(re.findall(r"\.\d{3}\b", line(start))) for start in LINES)
    assert (
        len(re.findall(r"\.\d{3}\b", prose("README.md"))) == checked + 2
    )  # the paper's; test_readme.py runs the blocks

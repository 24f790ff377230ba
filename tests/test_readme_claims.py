"""What the README says beside its Python examples: commands, links and figures."""

import re
import shlex
import tomllib
from importlib.util import find_spec
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
    return [
        shlex.split(text, comments=True) for text in (*lines, *spans) if re.match(r"(make|pip|boxdraw|python) \w", text)
    ]


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


def test_the_commands_are_understood():
    """`boxdraw paper all` takes hours, so it is read here and run on a small scale elsewhere."""
    used = [words for words in commands("README.md") if words[0] in ("boxdraw", "python")]
    assert used
    for words in used:
        if words[0] == "boxdraw":
            assert make_parser().parse_args(words[1:]).run
        else:
            assert words[1] == "-m"
            assert find_spec(words[2]) is not None


# figures


def good():
    return read("README.md").split("## How good is it?")[1].split("\n## ")[0]


def means():
    """Return the means that the experiments printed, by kind and learner."""
    found = {}
    for kind, listed in re.findall(
        r"^Mean over \d+ data sets \((.*?)\): (.*)$", read("docs/figures/default.txt"), re.M
    ):
        found[kind] = {name: float(value) for name, value in re.findall(r"([A-Z]?[\w ,]+?) (0\.\d+)(?:, |$)", listed)}
    return found


def test_the_table_is_that_of_the_experiment():
    rows = re.findall(r"^\| (?!---)([^|]*\w[^|]*) \| (\.\d{3}) \| (\.\d{3}) \|$", good(), re.M)
    names = ["Fast Boxes CV", "CART, 8 leaves", "CART", "logistic", "random forest"]
    assert [row[0].partition(",")[0].strip("`") for row in rows] == [
        "FastBoxesClassifierCV()",
        "decision tree with at most 8 leaves",
        "decision tree",
        "logistic regression",
        "random forest",
    ]
    printed = means()
    for name, (_, *cells) in zip(names, rows, strict=True):
        for kind, cell in zip(("all", "imbalance ≥ 10"), cells, strict=True):
            assert cell == f"{printed[kind][name]:.3f}".lstrip("0")


def summary_figures(name):
    """Return the first column of figures of the summaries that a benchmark printed."""
    text = read(f"docs/figures/{name}.txt").partition("### Summary")[2]
    return {float(value) for value in re.findall(r"^\| [^|]+ \| (0\.\d{3}) \|", text, re.M)}


def test_the_figures_of_the_text_were_printed():
    known = {f"{value:.3f}" for kind in means().values() for value in kind.values()}
    known |= {f"{value:.3f}" for name in ("accuracy", "accuracy_unseen") for value in summary_figures(name)}
    known |= {f"{float(value):.3f}" for value in re.findall(r"(?:mean|paper) (0\.\d+)", read("docs/figures/paper.txt"))}
    said = re.findall(r"(?<![\d.])\.\d{3}\b", good())
    assert len(said) >= 20
    assert [figure for figure in said if f"0{figure}" not in known] == []

"""The examples of the gallery run as notebooks do, and each has a title, prose and pictures."""

import ast
import re
from io import BytesIO
from pathlib import Path

import matplotlib as mpl
import matplotlib.image
import pytest
from matplotlib import pyplot as plt

GALLERY = Path(__file__).parents[1] / "docs" / "gallery"
EXAMPLES = sorted(GALLERY.rglob("*.py"))
if not GALLERY.is_dir():
    pytest.skip("docs/gallery is not there: tests without the documentation", allow_module_level=True)


@pytest.fixture(autouse=True)
def _no_windows():
    mpl.use("Agg")
    with plt.rc_context():
        yield
    plt.close("all")


def cells(path):
    """The parts of an example, as sphinx-gallery and notebooks cut it."""
    return path.read_text(encoding="utf-8").split("\n# %%\n")


def value_of(cell, names):
    """Run a cell; return the value of the expression that it ends with, if it does."""
    tree = ast.parse(cell)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None


def pictures(path):
    """Run an example; return its figures: those of pyplot, and of the displays that cells end with."""
    names, figures = {}, []
    for cell in cells(path):
        figures.append(getattr(value_of(cell, names), "_own_figure", None))
        figures += [plt.figure(number) for number in plt.get_fignums()]
        plt.close("all")
    return [figure for figure in figures if figure is not None]


def contrast(figure):
    """How much the pixels of a figure differ."""
    file = BytesIO()
    figure.savefig(file, format="png", dpi=50)
    file.seek(0)
    return float(matplotlib.image.imread(file)[:, :, :3].std())


def test_there_are_enough_examples_and_every_section_has_a_header():
    assert len(EXAMPLES) >= 10
    assert len({path.name for path in EXAMPLES}) == len(EXAMPLES)
    for folder in {GALLERY, *(path.parent for path in EXAMPLES)}:
        assert re.match(r"\S.*\n[-=]+\n\n\S", (folder / "GALLERY_HEADER.rst").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_a_title_prose_and_is_short(path):
    first, *others = cells(path)
    title, line, _, text, *_ = ast.get_docstring(ast.parse(first)).splitlines()
    assert set(line) == {"="}
    assert len(line) == len(title)
    assert len(text) > 40
    prose = [cell for cell in others if re.match(r"# \S", cell)]
    assert prose == others
    assert others
    assert path.read_text(encoding="utf-8").count("\n") <= 70


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_shows_something(path):
    shown = pictures(path)
    assert shown
    assert min(contrast(figure) for figure in shown) > 0.05
    chosen = re.search(r"sphinx_gallery_thumbnail_number = (\d+)", path.read_text(encoding="utf-8"))
    assert chosen is None or int(chosen[1]) <= len(shown)

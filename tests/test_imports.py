"""What the package loads, and when."""

import ast
import inspect
import pickle
import subprocess
import sys

import pytest

import boxdraw

HEAVY = {"matplotlib", "numba", "numpy", "ortools", "pandas", "scipy", "sklearn"}


def loaded_by(code):
    """Return which of the heavy packages a new process loads for some code."""
    code = f"import sys\n{code}\nprint(*sorted({HEAVY} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.splitlines()[-1].split())


def test_a_small_fit_loads_neither_numba_nor_an_extra():
    fit = """
import numpy as np
import boxdraw

rng = np.random.default_rng(0)
boxdraw.FastBoxesClassifier().fit(rng.normal(size=(1000, 8)), rng.random(1000) < 0.1)
"""
    assert not loaded_by(fit) & {"numba", "matplotlib", "ortools"}


def test_the_import_alone_loads_nothing():
    assert loaded_by("import boxdraw; dir(boxdraw)") == set()


@pytest.mark.parametrize("words", ["--version", "--help", "", "fti"])
def test_what_needs_no_command_loads_none(words):
    code = f"from boxdraw.cli.main import main; main({words.split()})"
    assert loaded_by(code) <= {"numpy"}  # for the words of errors


def test_public_names_are_what_type_checkers_see():
    tree = ast.parse(inspect.getsource(boxdraw))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    seen = {node.module.removeprefix("boxdraw."): [name.name for name in node.names] for node in block.body}
    assert seen == boxdraw._PLACES
    assert sorted(name for names in seen.values() for name in names) == sorted(boxdraw.__all__)


def test_public_names_are_there_once():
    for name in boxdraw.__all__:
        assert getattr(boxdraw, name) is getattr(boxdraw, name)
    everything = {}
    exec("from boxdraw import *", everything)
    assert set(boxdraw.__all__) <= set(everything)
    assert set(boxdraw.__all__) | {"datasets", "metrics", "plotting"} <= set(dir(boxdraw))


def test_public_modules_need_no_import_of_their_own():
    assert loaded_by("import boxdraw; boxdraw.metrics.auh_score, boxdraw.datasets.list_datasets") >= {"numpy"}
    assert loaded_by("import boxdraw; boxdraw.plotting.BoxesDisplay") >= {"numpy"}


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="module 'boxdraw' has no attribute 'SparseBoxes'"):
        boxdraw.SparseBoxes  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'SparseBoxes'"):
        exec("from boxdraw import SparseBoxes")


def test_pickles_are_read_where_nothing_is_imported_yet():
    pickled = pickle.dumps([boxdraw.SparseBoxesClassifier(max_boxes=3), boxdraw.Limit("x", lower=1.0)])
    loaded_by(
        f"import pickle; model, limit = pickle.loads({pickled}); assert (model.max_boxes, limit.lower) == (3, 1.0)"
    )

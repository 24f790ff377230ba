"""The examples and commands of the documentation give what they print, and the reference lists what is public."""

import contextlib
import doctest
import importlib
import inspect
import io
import itertools
import os
import re
import runpy
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import boxdraw
from boxdraw.cli.errors import UsageError
from boxdraw.cli.main import main, make_parser

from .cli.test_walk import commands

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
if not DOCS.is_dir():
    pytest.skip("docs/ is not there: tests without the documentation", allow_module_level=True)

#: Pages whose examples test_readme.py runs.
ELSEWHERE = {"tour", "tables", "rules", "scorecard", "plots", "theory"}
PAGES = sorted(path.stem for path in DOCS.glob("*.rst") if ">>> " in path.read_text(encoding="utf-8"))
#: Blocks that no test can run, by their first line: a cluster and files in a store, MLflow, and what takes a minute.
NOT_RUN = {
    "from boxdraw import FastBoxesClassifier": "scale",
    'model.predict_table("payments/2026.parquet", "flagged.parquet")': "scale",
    'model.save("model.json")': "files",
    "stability = model.stability(X_train, y_train, n=50)": "scorecard",
}


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ELSEWHERE])
def test_examples(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    flags = doctest.NORMALIZE_WHITESPACE
    results = doctest.testfile(str(DOCS / f"{page}.rst"), module_relative=False, optionflags=flags, encoding="utf-8")
    assert results.attempted >= 1
    assert results.failed == 0


def test_every_block_of_python_runs():
    not_run = {}
    for path in DOCS.glob("*.rst"):
        text = path.read_text(encoding="utf-8")
        for block in re.findall(r"\.\. code-block:: python\n\n((?:   .*\n?|\n)+)", text):
            first = block.strip("\n").splitlines()[0].strip()
            if not first.startswith(">>> "):
                not_run[first] = path.stem
    assert not_run == NOT_RUN
    assert {"index", "tutorial_scientist", "path", "exact"} | ELSEWHERE <= set(PAGES)


def run(command):
    """Run a command of a page; return what it prints. Ours run in this process: starting Python takes a second."""
    words = shlex.split(command)
    out = io.StringIO()
    if words[0] == "boxdraw":
        if "exact" in words:  # a proof takes seconds, but a busy machine must not cut it short
            words += ["--time-limit", "600"]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            assert main(words[1:]) in ((0, 3) if words[1] == "monitor" else (0,)), out.getvalue()
    elif words[0] == "python":
        with contextlib.redirect_stdout(out):
            runpy.run_path(words[1], run_name="__main__")
    else:
        shell = {"shell": True, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        out.write(subprocess.run(command, **shell, encoding="utf-8", env=os.environ, check=False).stdout)
    return out.getvalue().rstrip()


def at_some_time(text):
    """Return a text without times, and without the hashes of files that have times in them."""
    return re.sub(r"\b[0-9a-f]{16}\b", "HASH", re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME", text))


def check_commands(page, least):
    steps = commands((DOCS / page).read_text(encoding="utf-8"))
    assert len(steps) >= least
    for command, expected in steps:
        assert (command, at_some_time(run(command))) == (command, at_some_time(expected))


def test_the_tutorial_for_analysts(tmp_path, monkeypatch):
    for script in (ROOT / "examples").glob("*.py"):
        shutil.copy(script, tmp_path)
    monkeypatch.chdir(tmp_path)
    check_commands("tutorial_analyst.rst", 12)


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="needs sha256sum")
def test_the_tutorial_of_a_year(tmp_path, monkeypatch):
    for script in (ROOT / "examples").glob("*.py"):
        shutil.copy(script, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))  # as python year.py does
    check_commands("tutorial_year.rst", 17)
    months = [f"2027-0{month}.csv" for month in (2, 3, 4, 5, 6)]
    for newest, code in ((5, 3), (4, 0)):  # June is out of bounds, May is not
        with contextlib.redirect_stdout(io.StringIO()):
            assert main(["monitor", "revised.json", "--reference", *months[:newest]]) == code


@pytest.mark.skipif(not all(map(shutil.which, ("git", "sha256sum"))), reason="needs git and sha256sum")
def test_the_commands_of_an_audit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("model.json").write_text(boxdraw.BoxSet([[1]], [[2]]).to_json(), encoding="utf-8")
    check_commands("howto_audit.rst", 6)


#: Pages whose commands a test runs: those above, and test_walk.py and test_first_hour.py.
RUN = {"tutorial_analyst", "tutorial_year", "howto_audit", "walk", "first_hour"}
#: Pages with commands that no test runs, and why.
ONLY_READ = {
    "compatibility": "environments with other versions; .ci/run has them",
    "fuzzing": "hours of random cases; tests/fuzz has some",
    "howto_goals": "tests/cli/test_goals.py runs these options",
    "index": "installs",
    "report": "the file comes from a browser; tests/report/test_tutorial.py makes one",
}


def shell_lines(page):
    """Return the commands of the blocks of a page."""
    text = (DOCS / f"{page}.rst").read_text(encoding="utf-8")
    blocks = re.findall(r"\.\. code-block:: (console|sh)\n\n((?:   .*\n|\n)+)", text)
    lines = [(kind, line.strip()) for kind, block in blocks for line in block.splitlines() if line.strip()]
    return [line.removeprefix("$ ") for kind, line in lines if kind == "sh" or line.startswith("$ ")]


def test_every_command_is_run_or_has_a_reason():
    assert {path.stem for path in DOCS.glob("*.rst") if shell_lines(path.stem)} == RUN | set(ONLY_READ)


def test_every_command_is_understood(capsys):
    """Those in the text may leave out the table and the model."""
    seen, wrong = 0, []
    for path in DOCS.glob("*.rst"):
        spans = [" ".join(span.split()) for span in re.findall(r"``([^`]+)``", path.read_text(encoding="utf-8"))]
        blocks = shell_lines(path.stem)
        for command in [text for text in (*blocks, *spans) if re.match(r"boxdraw [a-z]", text)]:
            words = list(itertools.takewhile(lambda word: word not in "|>", shlex.split(command, comments=True)))
            seen += 1
            try:
                make_parser().parse_args(words[1:])
            except UsageError as error:
                if command in blocks or "arguments are required" not in str(error):
                    wrong.append((path.stem, command, str(error)))
            except SystemExit:  # --help
                pass
    assert seen >= 50
    assert wrong == []


PUBLIC = ("boxdraw", "boxdraw.datasets", "boxdraw.metrics", "boxdraw.plotting")


def listed():
    """Return the module and the name of each entry of the reference."""
    names, module = [], ""
    for line in (DOCS / "api.rst").read_text(encoding="utf-8").splitlines():
        if line.startswith(".. currentmodule:: "):
            module = line.split()[-1]
        elif re.fullmatch(r"   [\w.]+", line):
            names.append((module, line.strip()))
    return names


def test_the_reference_lists_the_public_names_and_no_others():
    public = {(module, name) for module in PUBLIC for name in importlib.import_module(module).__all__}
    names = listed()
    assert len(names) == len(set(names))
    assert set(names) == public - {("boxdraw", "__version__")}


@pytest.mark.parametrize(("module", "name"), listed())
def test_what_the_reference_lists_is_documented(module, name):
    value = getattr(importlib.import_module(module), name)
    if inspect.isclass(value) or inspect.isroutine(value):
        assert len((value.__doc__ or "").split()) >= 5
    else:  # data: sphinx shows the comment in front of it, or the string behind
        sources = [path.read_text(encoding="utf-8") for path in (ROOT / "src" / "boxdraw").rglob("*.py")]
        pattern = rf'(#: .*\n{name}\b)|(^{name}\b.*\n+""")'
        assert any(re.search(pattern, source, re.MULTILINE) for source in sources)


#: What the documentation promises of the model and of every classifier, beside what scikit-learn asks for.
BOXES = {
    "attributes": ["lower", "upper", "categories", "missing", "feature_names"],
    "rows": ["contains", "membership", "margin", "explain"],
    "edits": ["rules", "simplify", "round", "replace", "drop_box", "drop_limit", "add_box", "__add__"],
    "exports": ["to_text", "to_sql", "to_python", "to_json", "from_json", "to_onnx", "_repr_html_", "plot"],
}
CLASSIFIER = [
    "fit",
    "predict",
    "transform",
    "decision_function",
    "explain",
    "box_table",
    "simplify",
    "report",
    "predict_table",
]


def test_the_promised_methods_are_there():
    assert [name for names in BOXES.values() for name in names if not hasattr(boxdraw.BoxSet, name)] == []
    learners = [getattr(boxdraw, name) for name in boxdraw.__all__ if "Classifier" in name]
    assert len(learners) >= 5
    for learner in learners:
        assert [method for method in CLASSIFIER if not hasattr(learner, method)] == []


def test_every_public_method_is_documented():
    classes = [value for name in boxdraw.__all__ if inspect.isclass(value := getattr(boxdraw, name))]
    assert len(classes) >= 15
    for value in classes:
        methods = [method for method in dir(value) if not method.startswith("_") and callable(getattr(value, method))]
        assert [method for method in methods if not getattr(value, method).__doc__] == []


def test_every_page_of_the_table_of_contents_is_there():
    """The landing page leads to all pages, and to none that is not there."""
    found, queue = set(), ["index"]
    while queue:
        page = queue.pop()
        if page in found or page.startswith("auto_gallery/"):
            continue
        found.add(page)
        text = (DOCS / f"{page}.rst").read_text(encoding="utf-8")
        for block in re.findall(r"\.\. toctree::\n(?:   :.*\n)*\n((?:   .*\n?)+)", text):
            queue += block.split()
    parts = {"exact_mip", "sg_execution_times"}  # of exact.rst, and what building the gallery leaves behind
    assert found == {path.stem for path in DOCS.glob("*.rst")} - parts

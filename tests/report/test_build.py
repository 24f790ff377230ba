"""One script of many modules, in one page."""

import re
from collections import Counter
from pathlib import Path

import pytest

import boxdraw.report
from boxdraw.report.build import bundle, page

FOLDER = Path(boxdraw.report.__file__).parent
MODULES = sorted(path.stem for path in (FOLDER / "js").glob("*.js"))
TOP_LEVEL = re.compile(
    r"^(?:export )?(?:async )?(?:function\*?|const|let|var|class) +(?:\{([^}]*)\}|\[([^\]]*)\]|(\w+))", re.M
)


def source(module):
    return (FOLDER / "js" / f"{module}.js").read_text("utf-8")


def names(text):
    """Return the names that a module declares at its top, where nothing is indented."""
    for several, listed, single in TOP_LEVEL.findall(text):
        yield from [single] if single else re.findall(r"\w+", several or listed)


def test_names_are_unique_over_all_modules():
    """In the page all modules share one scope."""
    declared = [name for module in MODULES for name in names(source(module))]
    assert len(declared) > 20
    assert [name for name, times in Counter(declared).items() if times > 1] == []


def test_no_module_declares_several_names_in_one_statement():
    """The check above would see the first of them only."""
    for module in MODULES:
        assert not re.search(r"^(?:export )?(?:let|var) +\w+ *,", source(module), re.M), module


def test_every_module_exports_what_others_import():
    for module in MODULES:
        for wanted, other in re.findall(r'^import\s*\{([^}]*)\}\s*from\s*"\./([a-z_]+)\.js";', source(module), re.M):
            exported = set(re.findall(r"^export (?:async )?(?:function\*?|const|class) +(\w+)", source(other), re.M))
            assert set(re.findall(r"\w+", wanted)) <= exported, (module, other)


@pytest.mark.parametrize("module", MODULES)
def test_a_bundle_has_no_imports_and_exports_left(module):
    text = bundle(module)
    assert not re.search(r"^\s*(?:import|export)\b", text, re.M)
    assert "</script" not in text
    assert "<!--" not in text


def test_modules_come_after_what_they_import():
    text = bundle("app")
    place = {module: text.find(source(module).splitlines()[0]) for module in MODULES}
    assert -1 < place["model"] < place["data"] < place["app"]


def test_no_module_writes_markup():
    """Texts of the user go into the page as text."""
    for module in MODULES:
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", source(module)
        )


def test_a_page_loads_nothing():
    text = page({"title": "t"})
    assert "default-src 'none'" in text
    urls = set(re.findall(r"https?://[^\s\"'<>)]+", text))
    assert urls <= {"http://www.w3.org/2000/svg"}  # the name of a kind of element
    assert "{{" not in text.split("<script")[0]


def test_a_title_is_text():
    assert "<title>&lt;b&gt; \\ud800</title>" in page({"title": "<b> \ud800"})


def test_all_parts_are_in_the_package():
    """What the page is made of lies beside the code, where the wheel takes everything from."""
    project = Path(__file__).parents[2] / "pyproject.toml"
    assert 'packages = ["src/boxdraw"]' in project.read_text("utf-8")
    assert (FOLDER / "template.html").is_file()
    assert {path.suffix for path in (FOLDER / "js").iterdir()} == {".js"}
    assert {path.suffix for path in (FOLDER / "css").iterdir()} == {".css"}

"""The command that makes the pictures of the documentation makes all that the pages show."""

import importlib.util
import re
from pathlib import Path

import matplotlib.image
import pytest

ROOT = Path(__file__).parents[2]


def test_every_picture_of_the_pages_is_made_and_stored(tmp_path):
    script = ROOT / "docs" / "pictures.py"
    if not script.exists():
        pytest.skip("docs/pictures.py is not there: tests without the documentation")
    spec = importlib.util.spec_from_file_location("pictures_of_docs", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main(tmp_path)
    made = {path.name for path in tmp_path.iterdir()}
    pages = "".join((ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/plots.rst"))
    shown = set(re.findall(r"images/(\w+\.png)", pages))
    assert shown - {"report_readme.png"} == made  # that one is a screenshot
    for name in made:
        assert matplotlib.image.imread(tmp_path / name)[:, :, :3].std() > 0.05  # not blank
        stored = ROOT / "docs" / "images" / name
        assert stored.stat().st_size < (150_000 if name == "readme.png" else 250_000)

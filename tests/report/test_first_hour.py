"""The first hour of a new user, in a clone and an environment of its own, as docs/first_hour.rst says."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..cli.test_walk import commands

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "first_hour.rst"
RULE = re.compile(r"^--- (\d+) ---$", re.M)

pytestmark = [
    pytest.mark.skipif(not DOCS.exists(), reason="docs/ is not there: tests without the documentation"),
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs a repository to clone"),
    pytest.mark.skipif(not all(map(shutil.which, ("bash", "git", "make", "sha256sum"))), reason="needs their tools"),
]


@pytest.fixture
def environment(tmp_path):
    """The environment of a new user, who has none of the developers' variables; skip where nothing can be installed."""
    ours = ("PYTHON", "COV", "PYTEST", "VIRTUAL_ENV", "NUMBA", "MAKE", "VENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    bare = str(Path(sys.executable).parent)
    path = os.pathsep.join(place for place in os.environ["PATH"].split(os.pathsep) if place != bare)
    python = Path(getattr(sys, "_base_executable", sys.executable)).parent
    asked = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(tmp_path / "asked"), "hatchling"]
    if subprocess.run(asked, capture_output=True, check=False).returncode:
        pytest.skip("needs an index of packages, to install from")
    return kept | {"PATH": f"{python}{os.pathsep}{path}", "REPOSITORY": str(ROOT), "PYTHONIOENCODING": "utf-8"}


def run(steps, folder, environment):
    """Run commands in one shell; return what each printed."""
    script = "\n".join(f"{step}\necho\necho --- $? ---" for step in steps)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    codes = RULE.findall(done.stdout)
    assert codes == ["0"] * len(steps), done.stdout
    return [text.strip() for text in RULE.split(done.stdout)[::2][: len(steps)]]


def edit(page, file, saved):
    """Move the limit, give the reason, save the model; return the printed sheet."""
    page.goto(file.resolve().as_uri())
    page.click("#box-0")
    limit = page.locator("#field-0-22-lower")  # of the 23rd column, worst perimeter
    limit.fill("110")
    limit.press("Enter")
    reason = page.get_by_role("textbox", name="reason")
    reason.fill("fewer false alarms")
    reason.press("Enter")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download model").first.click()
    download.value.save_as(saved)
    page.emulate_media(media="print")
    return page.locator("body").inner_text()


def test_the_first_hour(page, tmp_path, environment):
    steps = commands(DOCS.read_text(encoding="utf-8"))
    assert len(steps) == 12
    names = [command for command, _ in steps]
    before = next(k for k, name in enumerate(names) if "signed.json" in name)
    printed = run(names[:before], tmp_path, environment)

    clone = tmp_path / "boxdraw"
    assert {path.name for path in (clone / "demo").iterdir()} >= {"boxes.png", "model.json", "report.html"}
    sheet = edit(page, clone / "report.html", clone / "signed.json")
    assert "Reason: fewer false alarms" in sheet
    assert hashlib.sha256((clone / "signed.json").read_bytes()).hexdigest()[:16] in sheet
    assert all(word in sheet for word in ("Box 1: worst texture ≥ 20 and worst perimeter ≥ 110", "Date", "Signature"))

    inside = [name for name in names[:before] if name.startswith(("cd ", ". "))]
    printed += run([*inside, *names[before:]], tmp_path, environment)[len(inside) :]
    for (command, expected), found in zip(steps, printed, strict=True):
        assert not expected or (command, found) == (command, expected)
    assert printed[-1].endswith("signed.json")
    assert "worst perimeter ≥ 110" in (clone / "alarms.csv").read_text(encoding="utf-8")
    assert "CAST('110.0' AS DOUBLE PRECISION)" in (clone / "rule.sql").read_text(encoding="utf-8")

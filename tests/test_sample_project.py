"""The sample project that the types are checked on also runs."""

import runpy
from pathlib import Path

import matplotlib as mpl
import pytest

SCRIPT = Path(__file__).parents[1] / "checks" / "sample_project" / "alarms.py"


@pytest.mark.skipif(not SCRIPT.is_file(), reason="the checks are not here")
def test_the_sample_project_runs(capsys, monkeypatch):
    monkeypatch.setitem(mpl.rcParams, "backend", "agg")
    runpy.run_path(str(SCRIPT), run_name="__main__")
    assert "Alarm from" in capsys.readouterr().out

"""What people read fits their terminal, and files stay as they are."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from boxdraw import BoxSet
from boxdraw.cli.main import _COMMANDS
from boxdraw.cli.show import text_table, wrapped
from boxdraw.model.file import Model, model_to_json

INF = np.inf
NAMES = ["Betrag der Zahlung in Euro", "Alter des Kunden in Jahren", "Stunde der Buchung am Tag"]


@pytest.fixture
def wide(folder):
    """Write a model whose rules are longer than a line, and rows; return their names."""
    boxes = BoxSet([[250, -INF, -INF], [60, 10, 3]], [[INF, 60, 8], [1000, 30, 20]], feature_names=NAMES)
    Path("wide.json").write_text(model_to_json(Model(boxes, "Betrug", ("nein", "ja"))), encoding="utf-8")
    rng = np.random.default_rng(0)
    columns = [rng.integers(1, high, 90) for high in (400, 80, 24)]
    labels = np.where((columns[0] > 200) & (columns[2] < 12), "ja", "nein")
    pyarrow.csv.write_csv(pa.table(dict(zip([*NAMES, "Betrug"], [*columns, labels], strict=True))), "wide.csv")
    return "wide.json", "wide.csv"


def words(text):
    return text.split()


def test_rules_and_figures_break_at_words(run, wide, monkeypatch):
    command = ("rules", wide[0], "--data", wide[1])
    whole = run(*command).out
    assert max(map(len, whole.splitlines())) > 100
    monkeypatch.setenv("COLUMNS", "80")
    narrow = run(*command).out
    assert max(map(len, narrow.splitlines())) <= 80
    assert "    and Stunde der Buchung am Tag ≤ 8\n" in narrow
    rules = slice(0, narrow.index("\n\n"))
    assert words(narrow[rules]) == words(whole[: whole.index("\n\n")])


@pytest.mark.parametrize("form", ["text", "markdown", "csv"])
def test_files_and_other_formats_are_not_broken(run, wide, monkeypatch, form):
    command = ("rules", wide[0], "--data", wide[1], "--format", form)
    whole = run(*command).out
    monkeypatch.setenv("COLUMNS", "40")
    assert run(*command, "-o", "out").code == 0
    assert Path("out").read_text(encoding="utf-8") == whole
    if form != "text":
        assert run(*command).out == whole


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit", "wide.csv", "--max-boxes", "2"),
        ("evaluate", "wide.csv", "--folds", "2", "--models", "sparse,tree"),
    ],
)
def test_commands_at_80_columns(run, wide, monkeypatch, arguments):
    monkeypatch.setenv("COLUMNS", "80")
    result = run(*arguments, "--target", "Betrug")
    assert result.code == 0
    assert 40 < max(map(len, result.out.splitlines())) <= 80


def test_help_at_80_columns(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for command in ((), *((name,) for name in _COMMANDS)):
        lines = run(*command, "--help").out.splitlines()
        assert [line for line in lines if len(line) > 80] == []


def test_a_table_in_less_and_less_room(monkeypatch):
    header = ("box", "rows", "false alarms", "only here")
    rows = [["1", "712", "658", "57%"], ["any", "754", "679", "93%"]]

    def lines(columns):
        monkeypatch.setenv("COLUMNS", str(columns))
        return text_table(header, rows).splitlines()

    assert lines(40)[0] == "box  rows  false alarms  only here"
    assert lines(33) == [
        "            false",
        "box  rows  alarms  only here",
        "1     712     658        57%",
        "any   754     679        93%",
    ]
    assert lines(25) == [
        "            false  only",
        "box  rows  alarms  here",
        "1     712     658   57%",
        "any   754     679   93%",
    ]
    assert lines(14) == [
        "box  rows",
        "1     712",
        "any   754",
        "",
        "      false",
        "box  alarms",
        "1       658",
        "any     679",
        "",
        "     only",
        "box  here",
        "1     57%",
        "any   93%",
    ]


def test_text_in_a_column_breaks_too(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    table = text_table(["who", "what"], [["Ana", "Box 1: age ≥ 30 → age ≥ 32 for all"], ["Bo", "none"]], left=2)
    assert table.splitlines() == [
        "who  what",
        "Ana  Box 1: age ≥ 30 → age ≥",
        "     32 for all",
        "Bo   none",
    ]


def test_lines_break_where_people_would():
    rule = "Box 1: the age ≥ 30 (or missing) and the name = word and word is known"
    assert wrapped(rule, 45) == "Box 1: the age ≥ 30 (or missing)\n    and the name = word and word is known"
    assert wrapped("  so 3 ± 1 and much more of it", 9) == "  so\n  3 ± 1\n  and\n  much\n  more of\n  it"
    assert wrapped("source: https://example.org/longer/than/that", 20) == (
        "source:\n    https://example.org/longer/than/that"
    )
    assert wrapped("any line  \n\nas long", None) == "any line  \n\nas long"


@pytest.mark.skipif(os.name != "posix", reason="terminals of POSIX")
def test_on_a_terminal(wide):
    """Its own width counts; of one that does not say, 80 columns."""
    pty, termios, fcntl = (pytest.importorskip(name) for name in ("pty", "termios", "fcntl"))
    import struct

    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    for columns, most in ((60, 60), (0, 80)):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        command = [sys.executable, "-m", "boxdraw.cli", "rules", wide[0]]
        assert subprocess.run(command, stdout=theirs, env=environment, check=False).returncode == 0
        os.close(theirs)
        shown = os.read(ours, 2**16).decode()
        os.close(ours)
        assert most - 30 < max(map(len, shown.splitlines())) <= most

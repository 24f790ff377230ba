"""How the command ends, in this process and in one of its own."""

import json
import os
import signal
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow.csv
import pytest

from boxdraw._core.version import __version__
from boxdraw.cli.main import main

COMMAND = [sys.executable, "-m", "boxdraw.cli"]
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
posix = pytest.mark.skipif(os.name != "posix", reason="signals and terminals of POSIX")


def process(*arguments, **options):
    return subprocess.run([*COMMAND, *arguments], capture_output=True, encoding="utf-8", **options)


def started(*arguments, code="import sys; from boxdraw.cli.main import main; sys.exit(main())", **options):
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


# help, versions, exit codes


def test_version(run):
    assert run("--version") == (0, f"boxdraw {__version__}\n", "")


def test_help_lists_the_commands(run):
    out = run("--help").out
    for command in ("fit", "predict", "rules", "export", "evaluate", "datasets", "demo"):
        assert f"\n    {command} " in out
        details = run(command, "--help")
        assert details.code == 0
        assert "examples:\n  " in details.out
        assert f"boxdraw {command}" in details.out.split("examples:")[1]


def test_examples_of_the_help_are_valid_commands():
    from boxdraw.cli import datasets, evaluate, export, fit, predict, rules
    from boxdraw.cli.main import make_parser

    for module in (datasets, evaluate, export, fit, predict, rules):
        for line in module.EXAMPLES.splitlines():
            for command in line.split(" > ")[0].split("|"):
                words = [word for word in command.split() if not word.startswith("BOXDRAW_DATA=")]
                if words[0] == "boxdraw":
                    make_parser().parse_args(words[1:])


def test_a_wrong_command(fails):
    fails(code=2, words="COMMAND")
    fails("fti", code=2, words=["invalid choice: 'fti'", "see boxdraw --help"])
    fails("fit", code=2, words=["required: DATA, --target", "see boxdraw fit --help"])
    fails("fit", "data.csv", "--targ", "x", code=2, words="required")


def test_debug_shows_where(run):
    result = run("fit", "nothing.csv", "--target", "x", "--debug")
    assert result.code == 1
    assert result.err.startswith("Traceback (most recent call last):")
    assert result.err.splitlines()[-1] == "boxdraw: error: nothing.csv: No such file or directory"


def test_an_error_of_ours_is_one_line_too(fails, data, monkeypatch):
    def broken(*_):
        raise KeyError("two\nlines")

    monkeypatch.setattr("boxdraw.cli.fit.read_labelled", broken)
    fails("fit", data, "--target", "fraud", words="KeyError: 'two\\nlines'")


def test_ctrl_c(run, data, monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("boxdraw.cli.learning.SparseBoxesClassifier.fit", stopped)
    assert run("fit", data, "--target", "fraud") == (130, "", "boxdraw: stopped\n")
    assert not Path("model.json").exists()


def test_warnings_are_one_line_each(run, data, monkeypatch):
    def warn(*_):
        for _ in range(3):
            warnings.warn("something\nis odd", UserWarning, stacklevel=1)
        warnings.warn("nobody cares", DeprecationWarning, stacklevel=1)
        raise ValueError("and wrong")

    monkeypatch.setattr("boxdraw.cli.fit.read_labelled", warn)
    assert run("fit", data, "--target", "fraud").err == (
        "boxdraw: warning: something is odd\nboxdraw: error: and wrong\n"
    )


def test_warnings_name_options_and_leave_columns_alone(run, data, monkeypatch):
    def warn(*_):
        warnings.warn("Lower limit_cost, see column 'limit_cost'", UserWarning, stacklevel=1)
        raise ValueError("enough")

    monkeypatch.setattr("boxdraw.cli.fit.read_labelled", warn)
    assert "warning: Lower --limit-cost, see column 'limit_cost'\n" in run("fit", data, "--target", "fraud").err


def test_warnings_leave_out_what_has_no_option(run, data, monkeypatch):
    def warn(*_):
        warnings.warn(
            "Lower lam. See column 'lam' of 1.5 M. rows. A lambda is fine; use ScoredBoxesClassifier.\nOr box_cost=2.",
            UserWarning,
            stacklevel=1,
        )
        raise ValueError("enough")

    monkeypatch.setattr("boxdraw.cli.fit.read_labelled", warn)
    said = "See column 'lam' of 1.5 M. rows. A lambda is fine; use --method scored."
    assert run("fit", data, "--target", "fraud").err == f"boxdraw: warning: {said}\nboxdraw: error: enough\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "X holds numbers. Leave it out of X, or raise max_boxes.",
            "the table holds numbers. Leave it out with --drop, or raise --max-boxes.",
        ),
        ("Nothing is flagged. In Python, path() has boxes at other costs.", "Nothing is flagged."),
        ("Inner folds 1 are left out. Use a stratified splitter.", "Inner folds 1 are left out."),
        ("Check them, or allow fewer boxes.", "Check them, or allow fewer boxes (--max-boxes)."),
        ("In Python, path() has boxes.", ""),
    ],
)
def test_warnings_speak_of_options(run, data, monkeypatch, text, said):
    def warn(*_):
        warnings.warn(text, UserWarning, stacklevel=1)
        raise ValueError("enough")

    monkeypatch.setattr("boxdraw.cli.fit.read_labelled", warn)
    lines = [f"boxdraw: warning: {said}\n"] if said else []
    assert run("fit", data, "--target", "fraud").err == "".join([*lines, "boxdraw: error: enough\n"])


@pytest.mark.parametrize("module", ["pyarrow", "pyarrow.csv"])
def test_a_library_that_is_not_there(fails, data, monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    fails("fit", data, "--target", "fraud", words="the boxdraw command needs pyarrow: pip install 'boxdraw[cli]'")


def test_a_terminal_without_the_signs(model, capsys, monkeypatch):
    import io

    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["rules", model]) == 0
    out.seek(0)
    assert "Box 1: amount >= 250 and hour <= 8" in out.read()


def test_json_for_a_terminal_without_the_letters(data, monkeypatch):
    import io

    table = pyarrow.csv.read_csv(data)
    pyarrow.csv.write_csv(table.rename_columns(["größe" if n == "amount" else n for n in table.column_names]), "de.csv")
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    assert main(["fit", "de.csv", "--target", "fraud", "--max-boxes", "1", "--json"]) == 0
    out.seek(0)
    text = out.read()
    assert "gr\\u00f6\\u00dfe" in text
    assert "größe" in str(json.loads(text))


def test_a_command_in_a_thread(model, capsys):
    """Where no signals can be handled."""
    with ThreadPoolExecutor() as pool:
        assert pool.submit(main, ["rules", model]).result() == 0
    assert "Box 1: amount" in capsys.readouterr().out


# processes of their own


def test_as_a_module(data, model):
    fitted = process("fit", data, "--target", "fraud", "--max-boxes", "1", "-o", "own.json")
    assert (fitted.returncode, fitted.stderr) == (0, "")
    piped = process("predict", "own.json", "-", "--only-flagged", input=Path(data).read_text())
    assert (piped.returncode, piped.stderr) == (0, "")
    assert piped.stdout.startswith("amount,hour,fraud,fraud_predicted,box\n")
    wrong = process("predict", "own.json")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert len(wrong.stderr.splitlines()) == 1


@pytest.mark.thorough
def test_without_rich_there_is_no_bar_and_no_error(data, run):
    assert run("fit", data, "--target", "fraud", "-o", "first.json").code == 0  # compiles, of which terminals are told
    code = "import sys; sys.modules['rich'] = None; sys.modules['rich.progress'] = None\n"
    code += "from boxdraw.cli.main import main; sys.stderr.isatty = lambda: True; sys.exit(main())"
    process = started("fit", data, "--target", "fraud", "--max-boxes", "1", code=code)
    _, err = process.communicate()
    assert (process.returncode, err) == (0, b"")


def on_a_terminal(*arguments):
    """Run with standard error on a terminal; return the exit code and what it showed."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    with subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=theirs) as run:
        os.close(theirs)
        shown = b""
        while True:
            try:
                chunk = os.read(ours, 4096)
            except OSError:  # how Linux says that the other end is closed
                break
            if not chunk:
                break
            shown += chunk
        run.wait()
    os.close(ours)
    return run.returncode, shown.decode()


@pytest.mark.thorough
@posix
def test_bars_are_for_terminals(data, run):
    pytest.importorskip("rich")
    command = ("evaluate", data, "--target", "fraud", "--max-boxes", "1", "--folds", "2")
    code, shown = on_a_terminal(*command)
    assert code == 0
    assert "evaluating: " in shown
    assert "fold 2 of 2" in shown
    assert on_a_terminal(*command, "--quiet") == (0, "")
    assert run(*command).err == ""


@posix
def test_ctrl_c_in_a_process(model):
    run = started("predict", model, "-", stdin=subprocess.PIPE, code=WAITING)
    run.stderr.readline()  # the command has begun
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=600)
    assert (run.returncode, out, err) == (130, b"", b"boxdraw: stopped\n")


WAITING = """
import sys
from boxdraw.cli import predict
from boxdraw.cli.main import main
load = predict.load_model
def load_and_say(*arguments):
    print("begun", file=sys.stderr, flush=True)
    return load(*arguments)
predict.load_model = load_and_say
sys.exit(main())
"""


@pytest.mark.thorough
@posix
def test_a_reader_that_has_seen_enough(model):
    Path("many.csv").write_text("amount,hour\n" + "300,3\n" * 200_000)
    run = started("predict", model, "many.csv", env=BUFFERED)
    assert run.stdout.readline() == b"amount,hour,fraud_predicted,box\n"
    run.stdout.close()
    assert run.stderr.read() == b""
    assert run.wait(timeout=600) == 0
    run.stderr.close()


@pytest.mark.thorough
@posix
def test_a_reader_that_is_gone(model):
    """What is still to be written when Python ends must not become a message."""
    theirs, ours = os.pipe()
    os.close(theirs)
    run = subprocess.run([*COMMAND, "rules", model], stdout=ours, stderr=subprocess.PIPE, env=BUFFERED)
    os.close(ours)
    assert (run.returncode, run.stderr) == (0, b"")


# The process stops forever when all bytes are written, before the file takes its name.
STUCK = """
import os, sys, time
from boxdraw.cli.main import main
def stuck(_):
    print("written", file=sys.stderr, flush=True)
    time.sleep(3600)
os.fsync = stuck
sys.exit(main())
"""


@pytest.mark.thorough
@posix
@pytest.mark.parametrize(
    ("how", "out"),
    [
        ("SIGKILL", "out.csv"),  # by their names: Windows has only some of them
        ("SIGKILL", "out.parquet"),
        ("SIGTERM", "out.parquet"),
        ("SIGINT", "out.csv"),
    ],
)
def test_a_killed_run_leaves_no_half_file(model, how, out):
    Path("new.csv").write_text("amount,hour\n300,3\n")
    Path(out).write_text("old")
    run = started("predict", model, "new.csv", "-o", out, "--force", code=STUCK)
    assert run.stderr.readline() == b"written\n"
    run.send_signal(getattr(signal, how))
    run.communicate(timeout=600)
    assert Path(out).read_text() == "old"
    left = [name for name in os.listdir() if name.endswith(".tmp")]
    if how == "SIGKILL":
        assert run.returncode == -signal.SIGKILL
        assert all(name.startswith(".boxdraw-") for name in left)
    else:
        assert run.returncode == {"SIGTERM": 143, "SIGINT": 130}[how]
        assert left == []

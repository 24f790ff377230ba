"""The command ``boxdraw``: its subcommands and exit codes.

Exit codes: 0, 1 if the work failed, 2 if the command is invalid, 3 if monitor finds something out of bounds, 130 after
Ctrl-C.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from boxdraw._core.version import __version__
from boxdraw.cli.errors import UsageError, one_line
from boxdraw.cli.show import say, wrapped

# A module each, imported when its command is parsed: `boxdraw --help` needs none of them.
_COMMANDS = {
    "fit": "Learn boxes around the rare label of a table, print them as rules and save them.",
    "predict": (
        "Write the rows of a table with the predicted label, the points of a scorecard, and the box that holds each."
    ),
    "rules": "Print the rules of a model; with --data also what each of them catches there.",
    "export": "Write a model, or its scorecard, as SQL, Python, ONNX, PMML, HTML, Markdown, text or JSON.",
    "report": "Write a page that shows a model on a table and lets people move its limits, in one HTML file.",
    "evaluate": (
        "Judge the rules of each learner on held-out rows, beside logistic regression, a small tree and a forest."
    ),
    "compare": "Put two sets of rules side by side: what differs, which rows change sides, and what that is worth.",
    "revise": "Change rules in use as little as pays on new rows, and show what each change gains.",
    "monitor": (
        "Watch rules over periods: exit code 3 if, in the newest, alarms, precision, recall or values of a column are "
        "out of bounds."
    ),
    "datasets": (
        "List the data sets of the paper and the one that comes with boxdraw, describe one, or write it to a file."
    ),
    "demo": "Learn a rule for a rare disease from a table of real patients, read it, test it, save it and draw it.",
}

# What warnings name in Python, as the options of the command line; in quotes they are columns of the user.
_OPTIONS = {
    "out of X": "out with --drop",
    "X holds": "the table holds",
    "leave the column out": "leave the column out with --drop",
    "allow fewer boxes": "allow fewer boxes (--max-boxes)",
    "FastBoxesClassifier": "--method fast",
    "ScoredBoxesClassifier": "--method scored",
    "categorical_features": "--categorical",
    "false_alarm_cost": "--false-alarm-cost",
    "max_alarm_rate": "--max-alarm-rate",
    "min_precision": "--min-precision",
    "min_recall": "--min-recall",
    "limit_cost": "--limit-cost",
    "negative_weight": "--false-alarm-cost",
    "time_limit": "--time-limit",
    "max_boxes": "--max-boxes",
    "max_limits": "--max-limits",
    "min_box_rows": "--min-box-rows",
    "min_box_precision": "--min-box-precision",
    "monotonic_cst": "--monotone",
    "interaction_cst": "--not-together",
    "categorical=True": "--categorical",
    "from_file=True": "--from-file",
}
# There is no option: what is said of them is left out.
_PYTHON_ONLY = ("box_cost", "feature_range", "lam", "strategy", "In Python", "splitter")

_TERMINATED = 128 + signal.SIGTERM


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line."""
    return run_command(make_parser, sys.argv[1:] if argv is None else list(argv))


def run_command(make: Callable[[], argparse.ArgumentParser], arguments: Sequence[str]) -> int:
    """Parse the arguments and run the command they name; turn whatever happens into one line and an exit code."""
    try:
        with _one_line_warnings(), _tidy_end():
            args = make().parse_args(arguments)
            code: int | None = args.run(args)
            sys.stdout.flush()
    except SystemExit as end:  # after --help and --version, or on SIGTERM
        return end.code if isinstance(end.code, int) else 0
    except KeyboardInterrupt:
        say("boxdraw: stopped", sys.stderr)
        return 130
    except BrokenPipeError:  # the reader has seen enough
        _close_quietly()
        return 0
    except Exception as error:
        if "--debug" in arguments:
            traceback.print_exc()
        text = one_line(error)
        plain = type(error) is ValueError  # of a library that knows nothing of options; others name files and columns
        say(f"boxdraw: error: {_with_options(text) if plain else text}", sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    return code or 0


def _close_quietly() -> None:
    """Redirect pending output to nowhere, or Python complains about the broken pipe at exit."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = Parser(
        prog="boxdraw",
        description=wrapped("Readable rules for rare things: learn a few boxes around the rare label of a table.", 79),
        epilog="boxdraw COMMAND --help shows the options of a command, with examples.\n"
        "Exit codes: 0; 1 if the work failed; 2 if the command is invalid; 3 if monitor\n"
        "finds something out of bounds; 130 after Ctrl-C.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"boxdraw {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_CommandParser)
    for name, summary in _COMMANDS.items():
        part = commands.add_parser(
            name,
            help=summary,
            description=wrapped(summary, 79),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        part.set_defaults(command=name)
    return parser


class Parser(argparse.ArgumentParser):
    """A parser that reports errors in one line."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the usage."""
        raise UsageError(f"{message} (see {self.prog} --help)")


class _CommandParser(Parser):
    """The parser of a command, which imports the module of that command when there is something to parse."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Add the options of the command before they are looked for."""
        if not self.epilog:
            command = importlib.import_module(f"boxdraw.cli.{self.get_default('command')}")
            self.epilog = f"examples:\n{command.EXAMPLES}"
            command.add_arguments(self)
            self.set_defaults(run=command.run)
        return super().parse_known_args(args, namespace)


def _named(names: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!['\"\w])({'|'.join(names)})(?!['\"\w])")


def _in_options(message: str) -> str:
    """Return a warning in one line and in terms of the command line, without the sentences that say nothing there."""
    sentences = re.split(r"(?<=\.) (?=[A-Z])", " ".join(message.split()))
    kept = " ".join(sentence for sentence in sentences if not _named(_PYTHON_ONLY).search(sentence))
    return _with_options(kept)


def _with_options(text: str) -> str:
    return _named(_OPTIONS).sub(lambda found: _OPTIONS[found[0]], text)


@contextmanager
def _one_line_warnings() -> Iterator[None]:
    """Print warnings in one line each, and each only once."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        if text := _in_options(str(message)):
            say(f"boxdraw: warning: {text}", sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("default", UserWarning)
        warnings.filterwarnings("ignore", "X seems to hold an identifier")  # `fit` says it in its own words
        warnings.showwarning = show
        yield


@contextmanager
def _tidy_end() -> Iterator[None]:
    """Clean up on SIGTERM as on Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():  # the only one that can handle signals
        yield
        return

    def end(*_: Any) -> NoReturn:
        raise SystemExit(_TERMINATED)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

"""``python -m paper``: reproduce the tables and figures of the paper; ``make paper`` also installs what it needs."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from boxdraw.cli.errors import Failure, UsageError
from boxdraw.cli.main import Parser, run_command
from boxdraw.cli.options import add_common, positive_integer, positive_number
from boxdraw.cli.show import note, progress, say
from paper.artefacts import ARTEFACTS, make_all, make_one
from paper.plan import Plan

__all__ = ["main", "make_parser"]

SUMMARY = "Make the tables and figures of the paper again, beside the paper's own figures."
EXAMPLES = """\
  make paper ARGS="all --quick"
  make paper ARGS="table-auh --jobs 2 --out results"
  make paper ARGS="table-auh --datasets iris0,glass2 --methods cart,fast_boxes --protocol folds"
  make paper ARGS="rules-glass2"

Finished results are kept in OUT/cells: stop it at any time, run it again, and it goes on from there."""

_SECONDS = 60.0  # between two lines without a terminal


def main(argv: Sequence[str] | None = None) -> int:
    """Make what the arguments name; return the exit code."""
    return run_command(make_parser, sys.argv[1:] if argv is None else list(argv))


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    parser = Parser(
        prog="python -m paper",
        description=SUMMARY,
        epilog=f"examples:\n{EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("artefact", choices=(*ARTEFACTS, "all"), metavar="WHAT", help=", ".join((*ARTEFACTS, "all")))
    parser.add_argument(
        "--out",
        default="boxdraw-paper",
        metavar="FOLDER",
        help="where the files go, and replace earlier ones (%(default)s)",
    )
    parser.add_argument("--datasets", type=_names, metavar="A,B", help="only these data sets (default: all)")
    parser.add_argument("--methods", type=_names, metavar="A,B", help="only these methods (default: all of the paper)")
    parser.add_argument(
        "--protocol",
        choices=("splits", "folds"),
        default="splits",
        help="ten random halves, as the paper's deviations suggest, or ten folds, as its text says (%(default)s)",
    )
    parser.add_argument("--seed", type=_seed, default=0, metavar="N", help="of the splits and learners (%(default)s)")
    parser.add_argument("--jobs", type=positive_integer, default=1, metavar="N", help="processes (%(default)s)")
    parser.add_argument("--quick", action="store_true", help="a few small data sets and two splits of each")
    parser.add_argument(
        "--seconds",
        type=positive_number,
        default=2.0,
        metavar="S",
        help="for each fit of Exact Boxes (%(default)g; at most 0.5 with --quick)",
    )
    add_common(parser, json=None)
    parser.set_defaults(run=run)
    return parser


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    with _shown(args.quiet) as tell:
        try:
            plan = Plan(
                out=Path(args.out),
                datasets=args.datasets,
                methods=args.methods,
                protocol=args.protocol,
                seed=args.seed,
                jobs=args.jobs,
                quick=args.quick,
                seconds=args.seconds,
                note=_once(args.quiet),
                tell=tell,
            )
        except ValueError as error:
            raise UsageError(str(error)) from None
        _check_folder(plan.out)
        _make(args.artefact, plan)
    if plan.failed:
        first = next(iter(plan.failed.values()))
        raise Failure(
            f"{len(plan.failed)} cells failed, and the tables are without them; run the same command again to try them "
            f"again. The first: {first.failure}"
        )


def _check_folder(out: Path) -> None:
    """Make the folder, and check that it is writable before hours of work."""
    try:
        if out.exists() and not out.is_dir():
            raise Failure(f"{out} is not a folder; choose another with --out")
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        raise Failure(f"cannot write in {out}: {error.strerror}; choose another folder with --out") from None


def _make(name: str, plan: Plan) -> None:
    try:
        if name == "all":
            make_all(plan, _wrote)
        else:
            for path in make_one(name, plan):
                _wrote(path)
    except KeyboardInterrupt:
        note(f"what is finished is kept in {plan.store.folder}; the same command goes on from there", False)
        raise


def _wrote(path: Path) -> None:
    say(f"wrote {path}")


def _names(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not names:
        raise argparse.ArgumentTypeError(f"expected names with commas between them, got {text!r}")
    return names


def _seed(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) >= 2**32:
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 to {2**32 - 1}, got {text!r}")
    return int(text)


def _once(quiet: bool) -> Callable[[str], None]:
    """Return a function that prints each note once, since several tables may skip the same method."""
    told: set[str] = set()

    def tell(text: str) -> None:
        if text not in told:
            told.add(text)
            note(text, quiet)

    return tell


@contextmanager
def _shown(quiet: bool) -> Iterator[Callable[[int, int, float], None]]:
    """Show finished cells and the time left: a bar on a terminal, else a line per minute."""
    with progress("cells", 1.0, quiet) as step:
        last = 0.0

        def tell(done: int, total: int, left: float) -> None:
            nonlocal last
            words = f"{done} of {total} cells done, about {_duration(left)} left"
            step(done / total, words)
            if not quiet and not sys.stderr.isatty() and time.monotonic() - last > _SECONDS:
                last = time.monotonic()
                say(f"boxdraw: {words}", sys.stderr)

        yield tell


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


if __name__ == "__main__":
    sys.exit(main())

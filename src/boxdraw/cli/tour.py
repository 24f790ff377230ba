"""``boxdraw demo``: the tour of `boxdraw.demo`."""

from __future__ import annotations

import argparse
from pathlib import Path

from boxdraw.cli.errors import Failure

__all__ = ["EXAMPLES", "SUMMARY", "add_arguments", "run"]

SUMMARY = "Learn rules for a table that comes with scikit-learn, read them, test them, save them and draw them."
EXAMPLES = """\
  boxdraw demo
  boxdraw demo --out /tmp/demo --force"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        The parser of the command.
    """
    parser.add_argument("--out", default="demo", metavar="FOLDER", help="where the files go (%(default)s)")
    parser.add_argument("--force", action="store_true", help="replace files of an earlier demo")
    parser.add_argument("--debug", action="store_true", help="show where in the program an error comes from")


def run(args: argparse.Namespace) -> None:
    """Run the command.

    Parameters
    ----------
    args : argparse.Namespace
        The options.
    """
    from boxdraw.demo import main as demo

    for name in ("model.json", "boxes.png"):
        path = Path(args.out, name)
        if path.exists() and not args.force:
            raise Failure(f"{path} exists; add --force to replace it, or choose another folder with --out")
    try:
        Path(args.out).mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise Failure(f"{args.out} is not a folder") from None
    demo(["--out", args.out])

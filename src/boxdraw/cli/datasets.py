"""``boxdraw datasets``: the tables of the experiments that are there."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from boxdraw.cli.errors import Failure
from boxdraw.cli.options import add_common
from boxdraw.cli.show import say, say_json, text_table
from boxdraw.experiments.tables import Table, available, read_table

__all__ = ["EXAMPLES", "SUMMARY", "add_arguments", "run"]

SUMMARY = "List the data sets of the experiments that are in the folder of the variable BOXDRAW_DATA."
EXAMPLES = """\
  BOXDRAW_DATA=tables boxdraw datasets
  boxdraw datasets --folder tables --json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        The parser of the command.
    """
    parser.add_argument("--folder", metavar="FOLDER", help="where they are (default: as BOXDRAW_DATA says)")
    add_common(parser, json="the list")


def run(args: argparse.Namespace) -> None:
    """Run the command.

    Parameters
    ----------
    args : argparse.Namespace
        The options.
    """
    given = args.folder or os.environ.get("BOXDRAW_DATA")
    if not given:
        raise Failure(
            "nobody has said where the data sets are: set the environment variable BOXDRAW_DATA to a folder with a "
            "file NAME.csv.gz for each, or give --folder"
        )
    folder = Path(given)
    if not folder.is_dir():
        raise Failure(f"{given} is not a folder")
    names = available(folder)
    if not names:
        raise Failure(f"none of the data sets of the experiments is in {given}; each would be a file NAME.csv.gz")
    tables = [read_table(folder, name) for name in names]
    if args.json:
        say_json([_facts(table) | {"file": str(folder / f"{table.name}.csv.gz")} for table in tables])
        return
    header = ["name", "rows", "features", "positives", "negatives per positive"]
    say(text_table(header, [[_cell(value) for value in _facts(table).values()] for table in tables]))


def _cell(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def _facts(table: Table) -> dict[str, object]:
    return {
        "name": table.name,
        "rows": len(table.y),
        "features": table.X.shape[1],
        "positives": int((table.y == 1).sum()),
        "imbalance": table.imbalance,
    }

"""``boxdraw datasets``: the data sets of the paper and our own, listed, described and written to files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from boxdraw.cli.errors import Failure, UsageError, extra
from boxdraw.cli.options import add_common
from boxdraw.cli.output import Output, check_table_name, write_tables
from boxdraw.cli.show import note, say, say_json, text_table
from boxdraw.datasets import DatasetInfo, describe_dataset, list_datasets, load_dataset
from boxdraw.datasets.files import find_file

EXAMPLES = """\
  boxdraw datasets
  boxdraw datasets hypothyroid -o thyroid.csv
  boxdraw datasets abalone19
  boxdraw datasets abalone19 --categorical -o abalone19.parquet
  boxdraw datasets castle --random-state 7 -o castle.csv
  BOXDRAW_DATA=tables boxdraw datasets fourclass -o fourclass.csv"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="a data set (default: list all)")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write its rows here: .csv, .parquet, or - for standard output"
    )
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")
    parser.add_argument("--folder", metavar="FOLDER", help="where your files are (default: as BOXDRAW_DATA says)")
    group = parser.add_argument_group("what to write")
    group.add_argument("--from-file", action="store_true", help="the rows of your file, not those of a package")
    group.add_argument(
        "--random-state", type=int, default=0, metavar="N", help="of simulated data sets: other rows (%(default)s)"
    )
    group.add_argument("--categorical", action="store_true", help="of abalone: Sex as one column, not two indicators")
    add_common(parser, json="the list, or the description,")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    if args.folder is not None and not Path(args.folder).exists():
        raise Failure(f"{args.folder} is not there; --folder is where your files are")
    if args.output is None and (args.from_file or args.categorical or args.force or args.random_state != 0):
        raise UsageError("these options say what to write: name a data set, and a file with -o")
    if args.name is None:
        _no_name(args)
    elif args.output is None:
        _describe(describe_dataset(args.name), args)
    else:
        _write(args)


def _no_name(args: argparse.Namespace) -> None:
    if args.output is not None:
        raise UsageError("-o writes one data set: name it, for example boxdraw datasets castle -o castle.csv")
    here = list_datasets(available=True, data_home=args.folder)
    facts = [_facts(describe_dataset(name)) | {"here": name in here} for name in list_datasets()]
    if args.json:
        say_json(facts)
        return
    header = ["name", "from", "here", "rows", "features", "positives", "negatives per positive"]
    say(text_table(header, [_cells(entry) for entry in facts], left=3))
    if missing := [name for name in list_datasets() if name not in here]:
        few = " and ".join(missing) if len(missing) < 3 else f"{len(missing)} data sets"
        note(f"{few} cannot be loaded here; boxdraw datasets NAME says what is needed", args.quiet)


def _describe(info: DatasetInfo, args: argparse.Namespace) -> None:
    here = info.name in list_datasets(available=True, data_home=args.folder)
    if args.json:
        say_json(_facts(info) | {"here": here})
        return
    say(info.to_text().replace("categorical=True", "--categorical"))
    if not here:
        try:
            load_dataset(info.name, data_home=args.folder)
        except (ImportError, OSError, ValueError) as error:
            note(str(error), args.quiet)


def _write(args: argparse.Namespace) -> None:
    check_table_name(args.output)
    output = Output(args.output, args.force, _inputs(args))
    data, target = load_dataset(
        args.name,
        data_home=args.folder,
        from_file=args.from_file,
        random_state=args.random_state,
        categorical=args.categorical,
        return_X_y=True,
    )
    table = extra("pyarrow").Table.from_pandas(data.assign(target=target), preserve_index=False)
    table = table.replace_schema_metadata(None)
    write_tables(table.schema, [table], output)
    if not output.is_stdout:
        note(f"wrote {len(target)} rows to {args.output}, with the column target, 1 for the rare class", args.quiet)


def _inputs(args: argparse.Namespace) -> tuple[str, ...]:
    """Return the file that the rows come from, if they come from one."""
    info = describe_dataset(args.name)
    return (str(find_file(info, args.folder)),) if args.from_file or info.kind == "file" else ()


def _cells(entry: dict[str, Any]) -> list[str]:
    origin = entry["kind"]
    if origin == "simulated":
        origin = "simulated, law guessed" if entry["reconstruction"] else "simulated, law known"
    figures = (str(entry[key]) for key in ("rows", "features", "positives", "ratio"))
    return [entry["name"], origin, "yes" if entry["here"] else "no", *figures]


def _facts(info: DatasetInfo) -> dict[str, Any]:
    return {
        "name": info.name,
        "rows": info.n_rows,
        "features": info.n_features,
        "positives": info.n_positives,
        "ratio": info.ratio,
        "kind": info.kind,
        "reconstruction": info.reconstruction,
        "source": info.source,
        "licence": info.licence,
        "citation": info.citation,
        "note": info.note,
    }

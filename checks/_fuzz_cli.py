"""Fuzzing of the command line: random arguments and files, run in this process through `boxdraw.cli.main.main`."""

from __future__ import annotations

import copy
import io
import os
import random
import shutil
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq
from _fuzz_arrow import cell, table
from _fuzz_json import boxes, model, scorecard
from _fuzz_judge import expect, undocumented
from _fuzz_tables import csv_text, form, pools_of
from _fuzz_values import NAMES, damaged_bytes, mutated, name, text, written

from boxdraw.cli import main as command
from boxdraw.cli.options import load_model

FILES = (
    "data.csv",
    "new.csv",
    "data.parquet",
    "model.json",
    "-",
    "none.csv",
    "folder",
    "",
    "out.csv",
    "x" * 300,
    "\udcff.csv",
)
OUTPUTS = (
    "out.json",
    "out.csv",
    "out.parquet",
    "out.html",
    "-",
    "-",
    "folder",
    "folder/none/out",
    "data.csv",
    "model.json",
    "out.xyz",
    "",
)
WORDS = (
    "1",
    "0",
    "-1",
    "2",
    "0.5",
    "1e400",
    "nan",
    "inf",
    "-",
    "--",
    "",
    "a",
    "y",
    "y,age",
    "yes",
    "no",
    "true",
    "\udcff",
    "x" * 50,
)
NUMERIC = (
    "--max-boxes",
    "--false-alarm-cost",
    "--max-limits",
    "--limit-cost",
    "--max-union",
    "--seed",
    "--jobs",
    "--folds",
    "--repeats",
    "--max-rows",
)
CSV = ("--delimiter", "--decimal", "--encoding", "--missing")
ENCODINGS = (
    "utf-8",
    "utf-8-sig",
    "latin-1",
    "cp1252",
    "utf-16",
    "utf-7",
    "unicode_escape",
    "undefined",
    "rot13",
    "idna",
    "no",
    "",
)
LABELLED = ("--target", "--positive", "--drop", "--categorical", "--weight", "--skip-unlabelled")
OPTIONS: dict[str, tuple[str, ...]] = {
    "fit": (*LABELLED, *CSV, "--method", *NUMERIC[:7], "--time-limit", "-o", "--force", "--json", "--quiet"),
    "predict": (*CSV, "-o", "--force", "--only-flagged", "--explain", "--json", "--quiet"),
    "rules": (
        *CSV,
        "--format",
        "--data",
        "--target",
        "--weight",
        "--skip-unlabelled",
        "-o",
        "--force",
        "--json",
        "--quiet",
    ),
    "export": ("--to", "--dialect", "--table", "--name", "--scorecard", "-o", "--force", "--quiet"),
    "report": (
        *CSV,
        "--test",
        "--title",
        "--false-alarm-cost",
        "--max-rows",
        "--target",
        "--weight",
        "--id",
        "-o",
        "--force",
        "--json",
    ),
    "datasets": ("--json", "--folder", "--random-state", "--categorical", "--from-file", "--quiet"),
}
FLAGS = (
    "--skip-unlabelled",
    "--force",
    "--json",
    "--quiet",
    "--only-flagged",
    "--explain",
    "--scorecard",
    "--from-file",
)
VALUES: dict[str, tuple[str, ...]] = {
    "--method": ("sparse", "fast", "scored", "exact", "none"),
    "--format": ("text", "markdown", "json", "csv", "none"),
    "--to": ("sql", "sql", "python", "html", "json", "text", "markdown", "onnx", "none"),
    "--dialect": ("sqlite", "duckdb", "postgres", "mysql", "spark", "bigquery", "snowflake", "mssql", "none"),
    "--encoding": ENCODINGS,
    "--decimal": (".", ",", ";"),
    "--delimiter": (",", ",", ";", "tab", "|", "\\t", " ", "ab", "", "é", "0", '"'),
    "--target": ("y", "y", "y", "Y", "age", "none"),
    "--weight": ("age", "amount", "none"),
    "--positive": ("yes", "1", "true", "none"),
    "-o": OUTPUTS,
    "--data": FILES,
    "--test": FILES,
    "--max-boxes": ("1", "2", "3", "0", "a"),
    "--max-limits": ("1", "2", "0"),
    "--jobs": ("1", "0", "-1", "a"),
    "--time-limit": ("0.1", "0.2", "0", "-1", "nan"),
    "--name": ("flag", "class", "print", "é", "a b", ""),
    "--folder": ("folder", "none", ""),
}


def labelled(rng: random.Random, document: Any) -> str:
    """Draw a CSV with the features of boxes and a column of labels."""
    how = form(rng) if rng.random() < 0.2 else form(random.Random(0))
    columns = [feature["name"] for feature in document["features"]]
    pools = pools_of(rng, document)
    pools["y"] = rng.choice((["no", "yes"], ["0", "1"], ["true", "false"], ["a", "b", ""], ["1.5", "2"], ["a"]))
    parts = [csv_text(rng, how, [*columns, "y"], pools) for _ in range(rng.choice((1, 1, 3)))]
    return parts[0] + "".join(part.partition("\n")[2] for part in parts[1:])


def write_files(rng: random.Random, folder: Path) -> None:
    """Fill a folder with a model, tables that mostly suit it, and a folder."""
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    (folder / "folder").mkdir()
    document = boxes(rng)
    tree: Any = {
        "format": "boxdraw.model",
        "version": 1,
        "target": "y",
        "classes": rng.choice((["no", "yes"], [0, 1], [False, True])),
    }
    tree["boxes"] = document
    if rng.random() < 0.25:
        tree = rng.choice((scorecard, model, boxes))(rng)
    if rng.random() < 0.1:
        tree = mutated(rng, copy.deepcopy(tree))
    raw = written(tree, ascii_only=True).encode("utf-8", "surrogatepass")
    (folder / "model.json").write_bytes(damaged_bytes(rng, raw) if rng.random() < 0.05 else raw)
    for called in ("data.csv", "new.csv"):
        raw = labelled(rng, document).encode("utf-8", "surrogatepass")
        (folder / called).write_bytes(damaged_bytes(rng, raw) if rng.random() < 0.1 else raw)
    rows = table(rng, document["features"])
    labels = pa.array([rng.choice(("no", "yes")) for _ in range(rows.num_rows)], pa.string())
    rows = rows.append_column("y", labels if rng.random() < 0.85 else cell(rng, rows.num_rows))
    try:
        pq.write_table(rows, folder / "data.parquet")
    except (pa.ArrowException, ValueError, OverflowError):  # a type that Parquet has not
        (folder / "data.parquet").write_bytes(b"PAR1")
    if rng.random() < 0.1:
        (folder / "data.parquet").write_bytes(damaged_bytes(rng, (folder / "data.parquet").read_bytes()))


def argument(rng: random.Random, option: str) -> str:
    """Draw what follows an option."""
    draw = rng.random()
    if option in VALUES and draw < 0.85:
        return rng.choice(VALUES[option])
    if draw < 0.97:
        return rng.choice((*WORDS, *NAMES)).replace("\x00", "")
    return text(rng, 8).replace("\x00", "")


def arguments(rng: random.Random) -> list[str]:
    """Draw a command, mostly one that makes sense."""
    draw = rng.random()
    if draw > 0.45:
        return sensible(rng)
    if draw < 0.04:
        return [
            rng.choice((*WORDS, *OPTIONS, "demo", "evaluate", "--help", "--version", name(rng).replace("\x00", "")))
            for _ in range(rng.randrange(4))
        ]
    if draw < 0.07:
        return rng.choice(
            (
                [name(rng).replace("\x00", ""), "--quick"],
                ["demo", "--none"],
                ["datasets", "none", "--force"],
                ["evaluate", "--help"],
            )
        )
    if draw < 0.08:
        return [
            "evaluate",
            "data.csv",
            "--target",
            "y",
            "--folds",
            "2",
            "--time-limit",
            "0.1",
            *rng.choice(([], ["--json"], ["--models", "sparse,tree"], ["--false-alarm-rates", "2"])),
        ]
    called = rng.choice(
        ("fit", "predict", "predict", "predict", "rules", "rules", "export", "export", "report", "datasets")
    )
    words = [called, *_positional(rng, called)]
    options = rng.sample(OPTIONS[called], rng.randint(0, 4))
    if called == "export" and rng.random() < 0.9:
        options = ["--to", *options]
    for option in options:
        words.append(option)
        if option not in FLAGS and (called, option) != ("datasets", "--categorical") and rng.random() < 0.98:
            words.append(argument(rng, option))
    if called == "fit":
        words += ["--target", "y"] if rng.random() < 0.9 else []
        words += ["--time-limit", "0.1"] if "exact" in words else []
    return words


def sensible(rng: random.Random) -> list[str]:
    """Draw a command in which nothing is wrong but perhaps the files."""
    data = rng.choice(("data.csv", "data.csv", "data.parquet", "data.parquet", "-"))
    out = rng.choice(("out.csv", "out.parquet", "-"))
    return rng.choice(
        (
            [
                "fit",
                data,
                "--target",
                "y",
                "-o",
                "out.json",
                "--max-boxes",
                "2",
                *_some(rng, ["--json"], ["--skip-unlabelled"]),
            ],
            ["predict", "model.json", data, "-o", out, *_some(rng, ["--only-flagged"], ["--explain"], ["--quiet"])],
            ["predict", "model.json", data, "-o", "out.csv", *_some(rng, ["--json"], ["--explain"])],
            ["predict", "model.json", data, "-o", "out.parquet"],
            [
                "rules",
                "model.json",
                "--data",
                data,
                *_some(rng, ["--format", "markdown"], ["--target", "y"], ["--skip-unlabelled"]),
            ],
            ["rules", "model.json", "--format", rng.choice(("text", "markdown", "json", "csv"))],
            [
                "export",
                "model.json",
                "--to",
                "sql",
                "--dialect",
                rng.choice(VALUES["--dialect"][:-1]),
                *_some(rng, ["--table", "t.u"]),
            ],
            ["export", "model.json", "--to", rng.choice(("python", "html", "json", "text", "markdown"))],
            ["export", "model.json", "--to", "onnx", "-o", "out.onnx"],
            [
                "report",
                "model.json",
                data,
                "-o",
                "out.html",
                *_some(rng, ["--test", "new.csv"], ["--title", name(rng).replace("\0", "")]),
            ],
        )
    )


def _some(rng: random.Random, *options: list[str]) -> list[str]:
    return [word for words in options if rng.random() < 0.3 for word in words]


def _positional(rng: random.Random, called: str) -> list[str]:
    data = (
        rng.choice(FILES)
        if rng.random() < 0.1
        else rng.choice(("data.csv", "data.csv", "new.csv", "data.parquet", "-"))
    )
    given = rng.choice(FILES) if rng.random() < 0.05 else "model.json"
    if called == "datasets":
        return (
            [rng.choice(("abalone19", "castle", "none", name(rng).replace("\x00", "")))] if rng.random() < 0.7 else []
        )
    return {"fit": [data], "predict": [given, data], "report": [given, data]}.get(called, [given])


def warm() -> None:
    """Compile what learning needs."""
    import _fuzz_fit

    _fuzz_fit.warm()


def run(rng: random.Random, folder: Path) -> bool:
    """Run a case; return whether the command did its work."""
    write_files(rng, folder)
    words = arguments(rng)
    typed = (folder / rng.choice(("data.csv", "model.json", "data.parquet"))).read_bytes()
    code, err, error = run_command(words, typed, folder)
    what = f"boxdraw {words!r} "
    expect(code in (0, 1, 2), f"{what}ended with the exit code {code}")
    expect("Traceback" not in err, f"{what}printed a traceback")
    lines = [line for line in err.splitlines() if line.startswith("boxdraw: error: ")]
    expect(len(lines) == (code != 0), f"{what}has the exit code {code} and {len(lines)} lines of errors")
    if error is not None:
        reason = undocumented(error)
        expect(not reason, f"{what}: {reason}")
    left = [path.name for path in folder.iterdir() if path.name.startswith(".boxdraw-")]
    expect(not left, f"{what}left {left}")
    if code == 0 and words[:1] == ["fit"] and (folder / "out.json").exists():
        load_model(str(folder / "out.json"))
    return code == 0


def run_command(words: list[str], typed: bytes, folder: Path) -> tuple[Any, str, BaseException | None]:
    """Run a command in a folder; return its exit code, what it told the user, and the error that ended it."""
    caught: list[BaseException] = []

    def one_line(error: BaseException) -> str:
        caught.append(error)
        return known(error)

    known = command.one_line
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    before = os.getcwd()
    os.chdir(folder)
    try:
        with (
            mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed))),
            mock.patch.object(sys, "stdout", out),
            mock.patch.object(sys, "stderr", err),
            mock.patch.object(command, "one_line", one_line),
        ):
            code = command.main(words)
    finally:
        os.chdir(before)
    told = err.buffer.getvalue().decode("utf-8", "replace")
    return code, told, caught[0] if caught else None

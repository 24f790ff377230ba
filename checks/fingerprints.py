"""Fingerprints of models, exports, reports and command-line output, to compare two versions of boxdraw.

A refactoring must not change a model. Write the fingerprints with each version, then compare:

    PYTHONPATH=old/src python checks/fingerprints.py write old.json
    PYTHONPATH=src python checks/fingerprints.py write new.json
    python checks/fingerprints.py compare old.json new.json

Only public names that both versions have are used. The data sets of the paper are taken from ``../shared/data`` (or
``BOXDRAW_DATA``) where they are.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import hashlib
import io
import json
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import boxdraw

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("BOXDRAW_DATA", ROOT.parent / "shared" / "data"))
COMMANDS = (
    "fit data.csv --target fraud --drop id --categorical branch -o model.json --json --quiet",
    "rules model.json",
    "rules model.json --json",
    "predict model.json data.csv --explain -o flagged.csv --json --quiet",
    "export model.json --to sql",
    "export model.json --to python",
    "export model.json --to markdown",
    "fit data.csv --target fraud --drop id --method scored -o card.json --json --quiet",
    "rules card.json",
    "predict card.json data.csv -o points.csv --json --quiet",
    "export card.json --to sql",
    "fit data.csv --target fraud --drop id --method exact --max-boxes 1 --time-limit 600 -o exact.json --quiet",
    "rules exact.json",
    "evaluate data.csv --target fraud --drop id --models fast,logistic,tree,forest --json --quiet",
    "fit data.parquet --target fraud --drop id -o stored.json --json --quiet",
    "predict stored.json data.parquet -o flagged.parquet --json --quiet",
)


class Case(NamedTuple):
    """A labelled table."""

    X: Any
    y: Any
    weight: Any = None


def cases() -> Iterator[tuple[str, Case]]:
    """Yield small and large tables of numbers, categories and missing values."""
    for path in sorted(DATA.glob("*.csv.gz")):
        with gzip.open(path, "rt") as file:
            frame = pd.read_csv(file)
        yield path.name.removesuffix(".csv.gz"), Case(frame.drop(columns="target"), frame["target"].to_numpy())
    rng = np.random.default_rng(0)
    yield "mixed", mixed(rng, 700)
    table = mixed(rng, 300)
    # Whole weights that leave the rarer class the lighter one: both rules for the positive class agree.
    yield "weighted", Case(table.X, table.y, rng.integers(0, 3, 300).astype(float))
    X = rng.normal(size=(60_000, 20))
    yield "large", Case(X, (X[:, 0] > 1.5) & (X[:, 1] < 0.5) | (rng.random(60_000) < 0.002))


def mixed(rng: np.random.Generator, n_rows: int) -> Case:
    """Return rows with numbers, text, truth values and missing values."""
    amount = rng.gamma(2.0, 60.0, n_rows).round(2)
    region = rng.choice(["north", "south", "east", "région"], n_rows)
    online = rng.random(n_rows) < 0.5
    hour = rng.integers(0, 24, n_rows).astype(float)
    hour[rng.random(n_rows) < 0.1] = np.nan
    y = np.where((amount > 150) & (region == "south") | (rng.random(n_rows) < 0.02), "fraud", "good")
    return Case(pd.DataFrame({"amount": amount, "region": region, "online": online, "hour": hour}), y)


def models(name: str) -> dict[str, Callable[[], Any]]:
    """Return the estimators to fit, by name; the exact ones only where they end long before their time limit."""
    fast = {
        f"fast {growth}": lambda growth=growth: boxdraw.FastBoxesClassifier(growth=growth, n_boxes=2)
        for growth in ("nearest_negative", "edge", "free")
    }
    rest = {"fast cv": boxdraw.FastBoxesClassifierCV, "scored": boxdraw.ScoredBoxesClassifier}
    if name in ("iris0", "ecoli01", "ecoli4", "glass2", "diamond3D", "breast_tissue", "weighted"):
        rest["exact"] = lambda: boxdraw.ExactBoxesClassifier(max_boxes=1, box_cost=1, limit_cost=0, time_limit=600.0)
    return fast | rest


def digest(value: Any) -> str:
    """Return a short hash of bytes, text or an array."""
    if isinstance(value, np.ndarray):
        value = np.ascontiguousarray(value).tobytes() if value.dtype != object else repr(value.tolist())
    return hashlib.sha256(value if isinstance(value, bytes) else str(value).encode()).hexdigest()[:16]


def of_model(model: Any, case: Case) -> Iterator[tuple[str, str]]:
    """Yield the fingerprints of a fitted model: its files, its predictions, its tables, its page."""
    boxes = model.boxes_
    yield "json", digest(boxes.to_json())
    yield "text", digest(boxes.to_text())
    yield "sql", digest(boxes.to_sql("rows"))
    yield "python", digest(boxes.to_python())
    yield "predict", digest(model.predict(case.X).astype(str))
    yield "decision", digest(model.decision_function(case.X))
    yield "table", digest(model.box_table(case.X, case.y).to_csv())
    if isinstance(case.X, pd.DataFrame):
        yield "explain", digest(model.explain(case.X.head(50)).to_csv())
    if hasattr(model, "path"):
        points = model.path()
        yield "path", digest(repr([(point.negative_weight, point.boxes.to_json()) for point in points[:40]]))
    if hasattr(model, "scorecard_"):
        yield "card", digest(model.scorecard_.to_json())
    if hasattr(model, "certificate_"):
        yield "objective", digest(repr((model.objective_, model.bound_, model.status_)))
    if len(case.y) < 5000:
        yield "report", digest(without_comments(model.report(case.X, case.y, title="rows").html))


def without_comments(page: str) -> str:
    """Return a page without comments, their hash, and the version and day that wrote it."""
    page = re.sub(r"^\s*//.*$|/\*.*?\*/", "", page, flags=re.M | re.S)
    page = re.sub(r"sha256-[\w+/=]+", "sha256", page)
    return re.sub(r'"(boxdraw|made)":"[^"]+"', "", page)


def of_commands() -> Iterator[tuple[str, str]]:
    """Yield the fingerprints of what commands print and write."""
    from boxdraw.cli.main import main

    rng = np.random.default_rng(1)
    table = mixed(rng, 400)
    frame = table.X.assign(branch=rng.integers(1, 6, 400), id=np.arange(400), fraud=table.y)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        frame.to_csv("data.csv", index=False)
        frame.to_parquet("data.parquet")
        for command in COMMANDS:
            out = io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                code = main(command.split())
            printed = re.sub(r'"seconds": [\d.e-]+', "", out.getvalue().replace(boxdraw.__version__, ""))
            yield command, digest(f"{code} {printed}")
        for path in sorted(Path().glob("*.json")) + sorted(Path().glob("*.csv")):
            yield path.name, digest(path.read_text(encoding="utf-8").replace(boxdraw.__version__, ""))


def write(path: Path) -> None:
    """Write the fingerprints of the version that is imported."""
    found: dict[str, str] = {}
    for name, case in cases():
        for label, make in models(name).items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = make().fit(case.X, case.y, case.weight)
                found |= {f"{name}, {label}: {part}": value for part, value in of_model(model, case)}
    found |= {f"boxdraw {command}": value for command, value in of_commands()}
    path.write_text(json.dumps(found, indent=0), encoding="utf-8")
    print(f"{len(found)} fingerprints of boxdraw {boxdraw.__version__} in {path}")


def compare(old: Path, new: Path) -> int:
    """Print what differs; return the exit code."""
    before, after = (json.loads(path.read_text(encoding="utf-8")) for path in (old, new))
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            print("differs:" if name in before and name in after else "only in one:", name)
    same = sum(before.get(name) == value for name, value in after.items())
    print(f"{same} of {len(before.keys() | after.keys())} fingerprints are equal")
    return int(same != len(before.keys() | after.keys()))


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("write", "compare"))
    parser.add_argument("files", nargs="+", type=Path)
    args = parser.parse_args()
    if args.what == "write":
        write(args.files[0])
        return 0
    return compare(*args.files)


if __name__ == "__main__":
    sys.exit(main())

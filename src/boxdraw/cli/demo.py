"""``boxdraw demo``: a tour in one command: learn a rule, read it, test it, save it and draw it."""

from __future__ import annotations

import argparse
import shlex
import textwrap
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import train_test_split

from boxdraw import BoxSet, BoxSetClassifier, Rule, SparseBoxesClassifier
from boxdraw._core.arrays import BoolArray
from boxdraw._core.files import replacing
from boxdraw.cli.errors import Failure
from boxdraw.cli.figures import figures_text
from boxdraw.cli.show import say
from boxdraw.datasets.catalogue import describe_dataset
from boxdraw.datasets.shipped import read_shipped
from boxdraw.model.statistics import box_statistics
from boxdraw.tables.write import csv_lines

DATA, TARGET, POSITIVE, NEGATIVE = "hypothyroid", "diagnosis", "hypothyroid", "negative"
WIDTH = 100
# The blood tests, in words.
MEANINGS = {
    "TSH": "thyroid-stimulating hormone",
    "T3": "triiodothyronine",
    "TT4": "total thyroxine",
    "T4U": "thyroxine uptake",
    "FTI": "free thyroxine index",
    "TBG": "thyroxine-binding globulin",
}
FILES = ("model.json", "report.html", "boxes.png", "train.csv", "test.csv")


@dataclass(frozen=True, slots=True)
class Half:
    """Rows and labels of one half of the table."""

    X: npt.NDArray[np.object_]
    y: npt.NDArray[np.str_]

    @property
    def positive(self) -> BoolArray:
        """Which patients are hypothyroid."""
        return np.asarray(self.y == POSITIVE)


EXAMPLES = """\
  boxdraw demo
  boxdraw demo --out /tmp/demo --force"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--out", default="demo", metavar="FOLDER", help="where the files go (%(default)s)")
    parser.add_argument("--force", action="store_true", help="replace files of an earlier demo")
    parser.add_argument("--debug", action="store_true", help="show where in the program an error comes from")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    out = Path(args.out)
    for path in (out / name for name in FILES):
        if path.exists() and not args.force:
            raise Failure(f"{path} exists; add --force to replace it, or choose another folder with --out")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise Failure(f"{out} is not a folder") from None

    train, test = load_halves()
    model = fitted(train)
    say(f"{data_section(train, test)}\n\n{rules_section(model.boxes_)}\n\n{unseen_section(model, test)}\n", width=WIDTH)
    say(f"{files_section(model, train, test, out)}\n\n{next_section(out)}", wrap=False)  # paths and commands, to copy


def load_halves() -> tuple[Half, Half]:
    """Return the table as a training and a test half."""
    columns, labels = read_shipped(DATA)
    X, y = np.array(list(columns.values()), dtype=object).T, np.array(labels)
    train_X, test_X, train_y, test_y = train_test_split(X, y, test_size=0.5, stratify=y == POSITIVE, random_state=0)
    return Half(train_X, train_y), Half(test_X, test_y)


def fitted(train: Half) -> BoxSetClassifier:
    """Learn with the default settings; a model of a frame has names by itself, but frames need another package."""
    learned = SparseBoxesClassifier(pos_label=POSITIVE).fit(train.X, train.y).boxes_
    names = dict(zip(learned.feature_names, read_shipped(DATA)[0], strict=True))
    rules = [
        Rule(tuple(replace(limit, feature=names[limit.feature]) for limit in rule.limits)) for rule in learned.rules()
    ]
    pairs = zip(names.values(), learned.categories, strict=True)
    categories = {name: values for name, values in pairs if values is not None}
    boxes = BoxSet.from_rules(rules, list(names.values()), categories)
    return BoxSetClassifier(boxes, classes=(NEGATIVE, POSITIVE))


def data_section(train: Half, test: Half) -> str:
    """Describe the data."""
    n_rows, n_positive = len(train.y) + len(test.y), train.positive.sum() + test.positive.sum()
    text = (
        f"{n_rows} real patients, {n_positive} of them ({n_positive / n_rows:.1%}) hypothyroid: their thyroid makes "
        f"too little hormone. {train.X.shape[1]} columns, from age and sex to blood tests, many of them with gaps. "
        f"One half ({len(train.y)} rows) trains the model; the figures below are from the other half "
        f"({len(test.y)} rows), which it has not seen."
    )
    info = describe_dataset(DATA)
    credit = f"Source: {info.citation}. Licence: CC BY 4.0."
    return f"THE DATA\n{text}\n{credit}"


def rules_section(boxes: BoxSet) -> str:
    """Write the rules, a paragraph per box, and what their columns are."""
    lines = [f"  {line}" for line in boxes.to_text().splitlines()]
    used = {limit.feature for rule in boxes.rules() for limit in rule.limits}
    words = [f"{name}: {meaning}" for name, meaning in MEANINGS.items() if name in used]
    title = "THE RULE" if len(boxes) == 1 else "THE RULES: a patient in any of these boxes is flagged"
    return "\n".join([title, *lines, f"({'; '.join(words)})"])


def unseen_section(model: BoxSetClassifier, test: Half) -> str:
    """Say what the rules do on patients that they have not seen."""
    flagged, positive = model.predict(test.X) == POSITIVE, test.positive
    caught, false = int((flagged & positive).sum()), int((flagged & ~positive).sum())
    sick, well = int(positive.sum()), int((~positive).sum())
    lines = [
        f"ON THE {len(test.y)} PATIENTS IT HAS NOT SEEN",
        f"  It finds {caught} of the {sick} hypothyroid patients ({caught / sick:.0%}).",
        f"  It flags {false} of the {well} others ({false / well:.1%}).",
        f"  So {caught} of {caught + false} alarms are right ({caught / max(caught + false, 1):.0%}); "
        f"of patients picked at random, {sick / (sick + well):.0%} would be.",
    ]
    return "\n".join([*lines, *_each_box(model.boxes_, test)])


def _each_box(boxes: BoxSet, test: Half) -> list[str]:
    """Tabulate what each box catches, where there are several."""
    if len(boxes) < 2:
        return []
    columns = box_statistics(boxes, boxes.membership(test.X), test.positive, None)
    rows = [{"box": k + 1, **{name: column[k] for name, column in columns.items()}} for k in range(len(boxes))]
    return ["", textwrap.indent(figures_text(rows), "  ")]


def files_section(model: BoxSetClassifier, train: Half, test: Half, out: Path) -> str:
    """Write the files and say which."""
    model.save(out / "model.json", target=TARGET)
    page = out / "report.html"
    model.report(train.X, train.y, page, X_test=test.X, y_test=test.y, title="Who is hypothyroid?", noun="patients")
    lines = [
        "FILES",
        f"  {out / 'model.json'}: the rule, all that is needed to predict",
        f"  {page}: a page to open in a browser, and to move the limits on",
        f"  {_write(train, out / 'train.csv')}, {_write(test, out / 'test.csv')}: the two halves of the table",
    ]
    try:
        figure = draw(model.boxes_, test)
    except ImportError:
        lines.append("  no picture: boxes.png needs matplotlib (pip install 'boxdraw[plot]')")
    else:
        # Without a program's name and version the same run gives the same file.
        with replacing(out / "boxes.png") as file:
            figure.savefig(file, format="png", dpi=100, metadata={"Software": None})
        lines.append(f"  {out / 'boxes.png'}: the rule and the test rows")
    return "\n".join(lines)


def _write(half: Half, path: Path) -> Path:
    """Write rows as they are learned from, with their labels; return the path."""
    rows = ([*row, label] for row, label in zip(half.X.tolist(), half.y.tolist(), strict=True))
    with replacing(path) as file:
        file.write(csv_lines([[*read_shipped(DATA)[0], TARGET], *rows]))
    return path


def draw(boxes: BoxSet, test: Half) -> Any:
    """Draw the boxes and the test rows on two features; return the figure."""
    from boxdraw.plotting import BoxesDisplay
    from boxdraw.plotting._matplotlib import new_figure

    figure = new_figure(7, 4.5)
    axes: Any = figure.subplots()
    BoxesDisplay(boxes, test.X, test.y, pos_label=POSITIVE).plot(ax=axes)
    return figure


def next_section(out: Path) -> str:
    """Suggest what to try."""
    model, train, test = (shlex.quote((out / name).as_posix()) for name in ("model.json", "train.csv", "test.csv"))
    lines = [
        "WHAT TO TRY NEXT",
        f"  The same from your shell:   boxdraw fit {train} --target {TARGET}",
        f"  What it does on new rows:   boxdraw rules {model} --data {test}",
        f"  Against other learners:     boxdraw evaluate {train} --target {TARGET}",
        f"  The rule as SQL:            boxdraw export {model} --to sql",
        "  In Python:                  import boxdraw, pandas",
        f'                              rows = pandas.read_csv("{(out / "test.csv").as_posix()}")',
        f'                              boxdraw.load("{(out / "model.json").as_posix()}").predict(rows)',
    ]
    if find_spec("pyarrow") is None:
        lines.insert(1, "  Commands that read tables need pyarrow: pip install 'boxdraw[cli]'")
    return "\n".join(lines)

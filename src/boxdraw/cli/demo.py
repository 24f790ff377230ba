"""``boxdraw demo``: a tour in one command: learn rules, read them, test them, save them and draw them."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split

from boxdraw import BoxSet, FastBoxesClassifierCV
from boxdraw._core.files import replacing
from boxdraw.cli.errors import Failure
from boxdraw.cli.show import say
from boxdraw.metrics import auh_score
from boxdraw.model.statistics import box_statistics

# Perimeter and area say what the radius says, so the rules do without them.
FEATURES = (
    "mean radius",
    "mean texture",
    "mean smoothness",
    "mean compactness",
    "mean concavity",
    "mean concave points",
    "mean symmetry",
    "mean fractal dimension",
)
POSITIVE = "malignant"
WIDTH = 100


@dataclass(frozen=True, slots=True)
class Half:
    """Rows and labels of one half of the table."""

    X: npt.NDArray[np.float64]
    y: npt.NDArray[np.str_]

    @property
    def positive(self) -> npt.NDArray[np.bool_]:
        """Which rows are malignant."""
        return np.asarray(self.y == POSITIVE)


SUMMARY = "Learn rules for a table that comes with scikit-learn, read them, test them, save them and draw them."
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
    for path in (out / "model.json", out / "boxes.png"):
        if path.exists() and not args.force:
            raise Failure(f"{path} exists; add --force to replace it, or choose another folder with --out")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise Failure(f"{out} is not a folder") from None

    train, test = load_halves()
    model = FastBoxesClassifierCV(n_boxes=(1, 2, 3), pos_label=POSITIVE).fit(train.X, train.y)
    boxes = with_names(model.boxes_, [name.removeprefix("mean ") for name in FEATURES])
    for section in (
        data_section(train, test),
        rules_section(boxes),
        table_section(boxes, test),
        counts_section(model, test),
        costs_section(model, test),
        files_section(model, boxes, test, out),
        next_section(out),
    ):
        say(section + "\n")


def load_halves() -> tuple[Half, Half]:
    """Return scikit-learn's breast cancer table as a training and a test half."""
    table = load_breast_cancer()
    columns = [table.feature_names.tolist().index(name) for name in FEATURES]
    X, y = table.data[:, columns], table.target_names[table.target]
    train_X, test_X, train_y, test_y = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
    return Half(train_X, train_y), Half(test_X, test_y)


def with_names(boxes: BoxSet, names: Sequence[str]) -> BoxSet:
    """Return the same boxes with names; a model that is fitted to a frame has them by itself."""
    shown = boxes.shown_lower, boxes.shown_upper
    return BoxSet(boxes.lower, boxes.upper, feature_names=names, shown=shown)


def data_section(train: Half, test: Half) -> str:
    """Describe the data."""
    n_rows = len(train.y) + len(test.y)
    share = (train.positive.sum() + test.positive.sum()) / n_rows
    text = (
        f"{n_rows} breast tumours, {share:.0%} of them malignant: the Wisconsin table that comes with "
        f"scikit-learn. Of each we take {len(FEATURES)} measurements, averages over the cell nuclei in an "
        f"image. One half ({len(train.y)} rows) trains the model; all figures below are from the other half "
        f"({len(test.y)} rows), which it has not seen."
    )
    return "THE DATA\n" + textwrap.fill(text, WIDTH)


def rules_section(boxes: BoxSet) -> str:
    """Write the rules, a paragraph per box."""
    lines = [
        textwrap.fill(_keep_limits_whole(line), WIDTH, initial_indent="  ", subsequent_indent=" " * 9)
        for line in boxes.to_text().splitlines()
    ]
    return "\n".join(["THE RULES: a tumour in any of these boxes is flagged as malignant", *lines]).replace("\xa0", " ")


def _keep_limits_whole(line: str) -> str:
    """Allow a line break only before "and"."""
    return line.replace(" ", "\xa0").replace("\xa0and\xa0", " and\xa0").replace(":\xa0", ": ", 1)


def table_section(boxes: BoxSet, test: Half) -> str:
    """Tabulate what each box catches."""
    table = box_statistics(boxes, boxes.membership(test.X), test.positive, None)
    lines = [
        "EACH BOX ALONE",
        "  box   rows inside   malignant   false alarms   precision (95% interval)   recall   lift",
    ]
    for k in range(len(boxes)):
        row = {name: column[k] for name, column in table.items()}
        interval = f"{row['precision']:.0%} ({row['precision_low']:.0%} to {row['precision_high']:.0%})"
        lines.append(
            f"  {k + 1:>3}   {row['support']:>11.0f}   {row['true_positives']:>9.0f}"
            f"   {row['false_positives']:>12.0f}   {interval:>24}"
            f"   {row['recall']:>6.0%}   {row['lift']:>4.2f}"
        )
    return "\n".join(lines)


def counts_section(model: FastBoxesClassifierCV, test: Half) -> str:
    """Write the confusion counts and the areas."""
    flagged, positive = model.predict(test.X) == POSITIVE, test.positive
    score = model.decision_function(test.X)  # ranks towards "malignant", the second of the sorted labels
    auc, auh = roc_auc_score(positive, score), auh_score(positive, score)
    return "\n".join(
        [
            "ALL BOXES TOGETHER      flagged   not flagged",
            f"  malignant            {(flagged & positive).sum():>8}   {(~flagged & positive).sum():>11}",
            f"  benign               {(flagged & ~positive).sum():>8}   {(~flagged & ~positive).sum():>11}",
            f"  over all costs: area under the ROC curve {auc:.3f}, under its convex hull {auh:.3f}",
        ]
    )


def costs_section(model: FastBoxesClassifierCV, test: Half) -> str:
    """List what other costs would give."""
    costs = model.path().negative_weights[:-1]  # at the last one everything is flagged
    chosen = costs[np.unique(np.linspace(0, len(costs) - 1, 6).round().astype(int))]
    critical, positive = model.critical_weight(test.X), test.positive
    lines = [
        "OTHER COSTS, FROM THE SAME FIT",
        "  With this weight of a false alarm in the fit, the boxes",
    ]
    for c in chosen:
        flagged = critical >= c
        caught, alarms = flagged[positive].mean(), flagged[~positive].mean()
        lines.append(f"    {c:.2f}   catch {caught:>4.0%} of the malignant and flag {alarms:>3.0%} of the benign")
    used = f"  This model uses {model.negative_weight_:.2f}"
    lines.append(f"{used}: best in cross-validation where both classes weigh the same.")
    return "\n".join(lines)


def files_section(model: FastBoxesClassifierCV, boxes: BoxSet, test: Half, out: Path) -> str:
    """Write the files and say which."""
    boxes.to_json(out / "model.json")
    lines = ["FILES", f"  {out / 'model.json'}: the boxes, all that is needed to predict"]
    try:
        figure = draw(model, boxes, test)
    except ImportError:
        lines.append("  no picture: boxes.png needs matplotlib (pip install 'boxdraw[plot]')")
    else:
        # Without a program's name and version the same run gives the same file.
        with replacing(out / "boxes.png") as file:
            figure.savefig(file, format="png", dpi=100, metadata={"Software": None})
        lines.append(f"  {out / 'boxes.png'}: the boxes with the test rows, and the training ROC")
    return "\n".join(lines)


def draw(model: FastBoxesClassifierCV, boxes: BoxSet, test: Half) -> Any:
    """Draw the boxes and the cost path side by side; return the figure."""
    from boxdraw.plotting import BoxesDisplay, PathDisplay
    from boxdraw.plotting._matplotlib import new_figure

    figure = new_figure(10, 4.5)
    axes: Any = figure.subplots(1, 2, width_ratios=(1.2, 1))
    left, right = axes
    BoxesDisplay(boxes, test.X, test.y, pos_label=POSITIVE).plot(ax=left)
    PathDisplay.from_estimator(model, ax=right)
    right.set_title("Every cost of a false alarm, from one fit", loc="left", fontsize="medium")
    return figure


def next_section(out: Path) -> str:
    """Suggest what to try."""
    saved = (out / "model.json").as_posix()
    return "\n".join(
        [
            "WHAT TO TRY NEXT",
            f'  Load the boxes and flag rows:    BoxSet.from_json("{saved}").contains(rows)',
            "  Fit for another cost:            FastBoxesClassifierCV(false_alarm_cost=0.1).fit(X, y)",
            "  See other costs without a fit:   model.path([1, 0.3, 0.1])[2].boxes",
            "  Use your own table:              the README starts there",
        ]
    )

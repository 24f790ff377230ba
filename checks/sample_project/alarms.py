"""A user's module: learns rules for payments, has them edited, and flags new ones.

It runs, and `make typing` checks it with mypy and pyright against the types of the installed package. Each
`assert_type` is a promise to users: it fails where a name of boxdraw loses its type.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

from boxdraw import (
    BoxSet,
    BoxSetClassifier,
    Change,
    CostPath,
    ExactBoxesClassifier,
    FastBoxesClassifier,
    FastBoxesClassifierCV,
    Limit,
    Report,
    Rule,
    Scorecard,
    ScoredBoxesClassifier,
    Stability,
)
from boxdraw.metrics import auh_score, roc_hull
from boxdraw.plotting import BoxesDisplay, BoxTableDisplay, LimitsDisplay, PathDisplay

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def make_rows(seed: int) -> tuple[Floats, Flags]:
    """Return payments (amount, age of the account) and which of them were fraud."""
    rng = np.random.default_rng(seed)
    rows = rng.uniform(0.0, 100.0, size=(400, 2))
    return rows, (rows[:, 0] > 70) & (rows[:, 1] < 30)


def learn(rows: Floats, fraud: Flags) -> FastBoxesClassifierCV:
    """Choose a model, and read the figures off it."""
    model = FastBoxesClassifierCV(n_boxes=(1, 2), false_alarm_cost=0.2, random_state=0).fit(rows, fraud)
    assert_type(model, FastBoxesClassifierCV)
    assert_type(model.boxes_, BoxSet)
    assert_type(model.negative_weight_, float)
    assert_type(model.critical_weight(rows), Floats)
    assert_type(model.decision_function(rows), Floats)
    assert_type(model.transform(rows), Flags)
    return model


def weigh_costs(model: FastBoxesClassifier | FastBoxesClassifierCV) -> list[str]:
    """Write the rules at three costs."""
    path = model.path([1.0, 0.5, 0.1])
    assert_type(path, CostPath)
    assert_type(path.auh, float)
    return [f"{point.negative_weight:g}: {point.text}" for point in path]


def edit(boxes: BoxSet, rows: Floats, fraud: Flags) -> BoxSet:
    """Round, simplify and change limits, and say what that did."""
    rounded, changes = boxes.round(rows, fraud)
    assert_type(rounded, BoxSet)
    assert_type(changes, list[Change])
    fewer, more = rounded.simplify(rows, fraud, max_loss=1.0)
    notes: list[str] = [change.text for change in (*changes, *more)]
    print(*notes, sep="\n")
    edited = fewer.replace(0, "x0", lower=75.0).add_box({"x1": (0.0, 1.0)}).add_box(Rule((Limit("x1", upper=2.0),)))
    return (edited + boxes[:1]).drop_box(-1)


def sentences(boxes: BoxSet) -> dict[str, list[float]]:
    """Read rules as data."""
    limits: dict[str, list[float]] = {}
    for rule in boxes.rules():
        for limit in rule.limits:
            limits.setdefault(limit.feature, []).extend((limit.lower, limit.upper))
    return limits


def keep(boxes: BoxSet, folder: Path) -> BoxSetClassifier:
    """Save the model, and read it again as a classifier."""
    text: str = boxes.to_json(folder / "model.json")
    again = BoxSet.from_json(folder / "model.json")
    assert_type(again, BoxSet)
    assert again == BoxSet.from_json(text)
    print(again.to_sql("payments", dialect="postgres"), again.to_python(), again.to_markdown(), sep="\n\n")
    return BoxSetClassifier(again, classes=("fine", "fraud"))


def score(rows: Floats, fraud: Flags) -> Scorecard:
    """Learn a scorecard, and look how much it moves."""
    model = ScoredBoxesClassifier(max_boxes=2, random_state=0).fit(rows, fraud)
    card = model.scorecard_
    assert_type(card, Scorecard)
    assert_type(card.score(rows), npt.NDArray[np.int64])
    assert_type(card.contains(rows), Flags)
    assert_type(card.union(), BoxSet)
    assert_type(model.stability(rows, fraud, 2, random_state=0), Stability)
    return Scorecard.from_json(card.to_json())


def prove(rows: Floats, fraud: Flags) -> float:
    """Ask for the best box there is, and check the proof."""
    model = ExactBoxesClassifier(max_boxes=1, random_state=0, time_limit=5).fit(rows, fraud)
    assert model.certificate_.verify(rows, fraud)
    status: str = model.status_
    print(status)
    assert_type(model.gap_, float)
    return model.objective_


def show(model: FastBoxesClassifierCV, rows: Floats, fraud: Flags, folder: Path) -> Report:
    """Draw the pictures, and write the page."""
    assert_type(BoxesDisplay.from_estimator(model, rows, fraud), BoxesDisplay)
    assert_type(LimitsDisplay.from_estimator(model, rows, fraud), LimitsDisplay)
    assert_type(PathDisplay.from_estimator(model), PathDisplay)
    assert_type(BoxTableDisplay.from_estimator(model, rows, fraud), BoxTableDisplay)
    report = model.report(rows, fraud, folder / "report.html", title="Payments")
    assert_type(report, Report)
    assert_type(report.path, Path | None)
    return report


def main() -> None:
    """Run all of it."""
    rows, fraud = make_rows(0)
    model = learn(rows, fraud)
    print(*weigh_costs(model), sep="\n")
    ranking: float = auh_score(fraud, model.decision_function(rows))
    hull: tuple[Floats, Floats] = roc_hull([0.0, 0.5], [0.5, 1.0])
    print(ranking, *hull)
    # What explain and box_table give is a frame of the kind that came in, so it has no type.
    why: Any = model.explain(rows)["why"]
    print(why[0], sentences(model.boxes_))
    with tempfile.TemporaryDirectory() as folder:
        classifier = keep(edit(model.boxes_, rows, fraud), Path(folder))
        predicted: npt.NDArray[Any] = classifier.predict(rows)
        print(predicted[:3], show(model, rows, fraud, Path(folder)).title)
    print(score(rows, fraud).to_text(), prove(rows, fraud))


if __name__ == "__main__":
    main()

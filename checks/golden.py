"""Write the golden models: files as this version of boxdraw writes them, beside what they say of fixed rows.

``make golden`` runs it before a release that writes a new kind or version of file. It never touches a file that is
there: people have such files, and every later version has to read them as the version did that wrote them. See
tests/model/export/golden/README.md.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from boxdraw import BoxSet, ExactBoxesClassifier, Limit, Rule, Scorecard, __version__
from boxdraw.cli.main import main as boxdraw_command
from boxdraw.model.choices import Choice, Choices
from boxdraw.model.file import Edit, Model, model_from_json, model_to_json
from boxdraw.model.risk import Region, RiskTable

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "tests" / "model" / "export" / "golden"
Rows = list[list[Any]]

NUMBERS: Rows = [[30, 2, -1.5e-07], [65, 2, 1e300], [66, 2, 0], [-20, 0.1 + 0.2, 5], [-20, 0.3, 5], [None, 1, 1]]
MIXED: Rows = [
    [30, "north", 2**63, True, 1],
    [None, "it's", None, None, None],
    [29, "north", 1, True, 1],
    [None, "south", 0, False, 9],
    [7, None, 0, True, 0.25],
    [1e308, "west", 0, True, 0.25],
]
SHOWN: Rows = [[30, 1], [30.000000000000004, 1.4999], [30.000000000000004, 1.49995], [None, 1.5], [65, None], [0.5, 2]]
PATIENTS: Rows = [[30, "north"], [35, "south"], [None, "north"], [80, "west"], [61, None], [29.999, "south"]]


def patients() -> Scorecard:
    """Make a card with every kind of limit."""
    rules = [
        Rule((Limit("age", lower=30, missing=True),)),
        Rule((Limit("region", categories=frozenset({"north", "west"})),)),
        Rule((Limit("age", 60, 79.5), Limit("region", missing=True))),
    ]
    boxes = BoxSet.from_rules(rules, ["age", "region"], {"region": ["north", "south", "west"]})
    return Scorecard(boxes, [3, 2, 1], 4)


def fitted(*options: str) -> str:
    """Learn from the payments of the documentation's walk with the command line; return the model file."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        runpy.run_path(str(ROOT / "examples" / "payments.py"), run_name="__main__")
        columns = ("--target", "fraud", "--drop", "id", "--categorical", "branch")
        code = boxdraw_command(["fit", "payments.csv", *columns, "-o", "m.json", *options])
        assert code in (0, None), code
        return Path("m.json").read_text(encoding="utf-8")


def payments(columns: list[str]) -> Rows:
    """Return rows that the payments' models have not seen, those with an alarm first."""
    module = runpy.run_path(str(ROOT / "examples" / "payments.py"))
    names = ["id", "amount due", "country", 'card "present"', "branch", "age", "fraud"]
    rows = sorted(module["payments"](300, 1), key=lambda row: row[-1], reverse=True)[:40]
    numbers = {"amount due", "age"}
    return [
        [None if not (v := row[names.index(c)]) else float(v) if c in numbers else v for c in columns] for row in rows
    ]


def certificate(**settings: Any) -> tuple[str, dict[str, Any]]:
    """Prove the best box of a few rows."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 20, size=(30, 2)).tolist()
    labels = [int(a > 8 and b < 12) for a, b in rows]
    model = ExactBoxesClassifier(max_boxes=1, box_cost=1, random_state=0, **settings)
    model.fit(np.array(rows, dtype=float), labels)
    return model.certificate_.to_json() + "\n", {"rows": rows, "y": labels, "objective": model.objective_}


def texts() -> dict[str, tuple[str, Rows | None]]:
    """Return every kind of file that this version writes but certificates, with rows; None stands for payments."""
    golden = {name: (FOLDER / f"boxes_v1_{name}.json").read_text(encoding="utf-8") for name in ("mixed", "shown")}
    card = patients()
    edits = (
        Edit("2026-11-16T09:30:00Z", "Box 1: age ≥ 30 → age ≥ 32", "no minors"),
        Edit("2026-11-17T10:00:00+01:00", "Box 2 dropped", ""),
    )
    history = (
        Edit("2026-11-18T08:00:00Z", "box 1: drop age ≥ 32", "boxdraw revise on new.csv", "Ana", "6748ec341ff36ae1"),
        Edit("2026-11-19T08:00:00Z", "The same rules", "checked", "Bo"),
    )
    edited = BoxSet.from_json(golden["mixed"]).replace(0, "age", lower=32).drop_box(1).drop_box(-1)
    signed = Model(edited.drop_limit(0, "age"), "label", (0, 1), {"method": "revise"}, (*edits, *history))
    figures = (40.0, 17.5, 1 / 3, 0.1 + 0.2, 0.54), (900.0, 9.0, 0.01, 0.004, 0.02)
    by_points = RiskTable([Region(5, *figures[0]), Region(None, *figures[1])])
    by_boxes = RiskTable([Region((2, 0), *figures[0]), Region((), *figures[1])], card.boxes)
    shorter = Choice(card.boxes[[2]], 0.7, 0.01), Choice(card.boxes[[0, 1]], 1 / 3)
    choices = Choices(shorter, (Choice(card.boxes[[1, 2]], cost=0.1), Choice(card.boxes[[]], cost=2.5)))
    whole = json.loads(model_to_json(Model(card, "ill", (False, True))))
    del whole["boxes"]
    return {
        "boxes_v1_numeric": ((FOLDER / "boxes_v1_numeric.json").read_text(encoding="utf-8"), NUMBERS),
        "boxes_v1_mixed": (golden["mixed"], MIXED),
        "boxes_v1_shown": (golden["shown"], SHOWN),
        "boxes_v1_none": (BoxSet.from_json(golden["shown"])[:0].to_json() + "\n", SHOWN),
        "scorecard_v1_mixed": (card.to_json() + "\n", PATIENTS),
        "scorecard_v1_signed": (Scorecard(card.boxes, [3, -2, 1], 2).to_json() + "\n", PATIENTS),
        "model_v1_fast": (fitted("--method", "fast", "--max-boxes", "2"), None),
        "model_v1_scored": (fitted("--method", "scored", "--max-boxes", "3"), None),
        "model_v1_edits": (model_to_json(Model(edited, "label", (0, 1), {"method": "fast"}, edits=edits)), MIXED),
        "model_v2_card": (model_to_json(Model(card, "ill", (False, True), risk=by_points)), PATIENTS),
        "model_v2_boxes": (model_to_json(Model(card.boxes[:2], "ill", (False, True), risk=by_boxes)), PATIENTS),
        "model_v3_history": (model_to_json(signed), MIXED),
        "model_v4_choices": (model_to_json(Model(card.boxes[:2], "ill", (False, True), choices=choices)), PATIENTS),
        "model_v1_card_alone": (json.dumps(whole, indent=2, ensure_ascii=False) + "\n", PATIENTS),
    }


def expected(text: str, rows: Rows | None) -> dict[str, Any]:
    """Say what a file says of rows."""
    signed = json.loads(text)["format"] == "boxdraw.scorecard" and min(json.loads(text)["points"]) < 0
    model = None if signed else model_from_json(text)  # such a card is no union of boxes
    card = Scorecard.from_json(text) if model is None else model.scorecard
    boxes = card.boxes if card is not None else model.boxes
    rows = payments(list(boxes.feature_names)) if rows is None else rows
    table = np.array(rows, dtype=object)
    inside = ["".join(str(k + 1) if held else "." for k, held in enumerate(row)) for row in boxes.membership(table)]
    found: dict[str, Any] = {"columns": list(boxes.feature_names), "rows": rows, "inside": inside}
    if card is not None:
        found |= {"points": card.score(table).tolist(), "flagged": card.contains(table).tolist()}
    if model is not None:
        found |= {"flagged": model.boxes.contains(table).tolist()}
        found |= {"labels": model.labels(model.boxes.contains(table)).tolist(), "target": model.target}
    if model is not None and model.risk is not None:
        found |= {"risks": model.risk.risks(table, model.drawing).tolist()}
    return found | {"text": (boxes if card is None else card).to_text().split("\n")}


def write(path: Path, text: str) -> None:
    """Write a file that is not there yet."""
    if not path.exists():
        path.write_bytes(text.encode())
        print(f"wrote {path.relative_to(ROOT)}")


def lines(values: dict[str, Any]) -> str:
    """Write what is expected, a line per row."""
    written = []
    for key, value in values.items():
        rows = isinstance(value, list) and value and isinstance(value[0], list)
        parts = ",\n".join("    " + json.dumps(row, ensure_ascii=False) for row in value) if rows else ""
        written.append(f'  "{key}": ' + (f"[\n{parts}\n  ]" if rows else json.dumps(value, ensure_ascii=False)))
    return "{\n" + ",\n".join(written) + "\n}\n"


def main() -> int:
    """Write what is missing, and the list of all."""
    head = {"written_by": __version__}
    for name, (text, rows) in texts().items():
        write(FOLDER / f"{name}.json", text)
        write(FOLDER / f"{name}.expected.json", lines(head | expected(text, rows)))
    limits: dict[str, Any] = {"limit_cost": 0.25}
    for version, settings in enumerate(({"limit_cost": 0}, limits, limits | {"min_box_rows": 4}), 1):
        text, facts = certificate(**settings)
        write(FOLDER / f"certificate_v{version}.json", text)
        write(FOLDER / f"certificate_v{version}.expected.json", lines(head | facts))
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in sorted(FOLDER.glob("*.json"))]
    (FOLDER / "SHA256SUMS").write_text("\n".join(sums) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

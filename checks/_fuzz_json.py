"""Fuzzing of everything that reads models: boxes, scorecards, and the model files of the command line."""

from __future__ import annotations

import io
import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _fuzz_judge import attempt, expect
from _fuzz_plain import boxes_part, flagged, held_by, parsed, points, rows_near
from _fuzz_values import (
    category,
    damaged_bytes,
    damaged_text,
    encoded,
    finite,
    mutated,
    name,
    names,
    text,
    value,
    written,
)

from boxdraw import BoxSet, BoxSetClassifier
from boxdraw.cli.options import load_model
from boxdraw.model.file import Model, model_to_json
from boxdraw.model.scorecard import Scorecard


def feature(rng: random.Random, called: str) -> dict[str, Any]:
    """Draw a feature."""
    if rng.random() < 0.6:
        return {"name": called, "kind": "numeric"}
    known = list(dict.fromkeys(category(rng) for _ in range(rng.randrange(5))))
    return {"name": called, "kind": "categorical", "categories": known}


def limit(rng: random.Random, about: dict[str, Any]) -> dict[str, Any]:
    """Draw what a box asks of a feature."""
    found: dict[str, Any] = {"feature": about["name"]}
    if about["kind"] == "categorical":
        if rng.random() < 0.9:
            found["categories"] = rng.sample(about["categories"], rng.randint(0, len(about["categories"])))
        return found | ({"missing": True} if rng.random() < 0.4 or found.get("categories") == [] else {})
    if rng.random() < 0.1:
        return found | {"only_missing": True}
    low, high = sorted((finite(rng), finite(rng)))
    for side, bound in (("lower", low), ("upper", high)):
        if rng.random() < 0.6:
            found[side] = bound
            if rng.random() < 0.2:
                found[f"shown_{side}"] = finite(rng)
    return found | ({"missing": rng.random() < 0.8} if rng.random() < 0.3 else {})


def boxes(rng: random.Random) -> dict[str, Any]:
    """Draw a document of boxes that is right, but perhaps for its checksum."""
    features = [feature(rng, called) for called in names(rng, rng.randint(1, 4))]
    drawn = [
        {"limits": [limit(rng, about) for about in features if rng.random() < 0.6]} for _ in range(rng.randrange(4))
    ]
    document = {"format": "boxdraw.boxes", "version": 1, "features": features, "boxes": drawn}
    return document | (
        {"shown_checksum": rng.choice(("0c2f97d6190afd4a", "", name(rng)))} if rng.random() < 0.2 else {}
    )


def scorecard(rng: random.Random) -> dict[str, Any]:
    """Draw a document of a scorecard that is right."""
    inner = boxes(rng)
    worth = [rng.choice((1, 2, 3, 3, 5, 10**6)) for _ in inner["boxes"]]
    if rng.random() < 0.15:
        worth = [rng.choice((-1, 0, 2)) for _ in worth]
    header = {"format": "boxdraw.scorecard", "version": 1, "threshold": rng.choice((1, 1, 2, 4, 4, 0, -3, 10**6))}
    return header | {"points": worth, "boxes": inner}


def model(rng: random.Random) -> dict[str, Any]:
    """Draw a document of a model that is right."""
    labels = rng.choice(
        ([0, 1], ["no", "yes"], [False, True], [0.5, 2.5], [1, 0], ["", "\ud800"], [2**70, 1], [name(rng), "+"])
    )
    document: dict[str, Any] = {"format": "boxdraw.model", "version": 1, "target": rng.choice((None, "y", name(rng)))}
    document["classes"] = labels
    if rng.random() < 0.3:
        document["scorecard"] = scorecard(rng)
    else:
        document["boxes"] = boxes(rng)
    if rng.random() < 0.3:
        document |= {"version": 2, "risk": risk(rng, document)}
    if rng.random() < 0.3:
        document["fit"] = {name(rng): value(rng) for _ in range(3)}
    if rng.random() < 0.2:
        times = ("2026-11-16T09:30:00Z", "2026-11-16", "0001-01-01T00:00+23:59", "20261116T09", name(rng))
        edit = {"time": rng.choice(times), "what": text(rng, 9), "reason": name(rng)}
        if rng.random() < 0.5:
            document["version"] = 3
            edit |= {key: name(rng) for key in ("who", "before") if rng.random() < 0.7}
        document["edits"] = [edit]
    return document


def risk(rng: random.Random, of: dict[str, Any]) -> dict[str, Any]:
    """Draw a risk table that is right for a model."""
    figures = sorted(rng.random() for _ in range(rng.randint(1, 4)))[::-1]
    regions: list[dict[str, Any]] = [{"rows": 9, "positives": 2.5, "risk": p, "low": 0, "high": 1} for p in figures]
    if "scorecard" in of:
        parts: list[Any] = sorted(rng.sample(range(-9, 99), len(regions) - 1))[::-1]
        return {"regions": [{"points": p} | row for p, row in zip(parts, regions, strict=False)] + regions[-1:]}
    n = len(of["boxes"]["boxes"])
    parts = [rng.sample(range(n), rng.randint(1, n)) for _ in regions[1:] if n]
    held = [{"boxes": p} | row for p, row in zip(parts, regions, strict=False)]
    return {"boxes": of["boxes"], "regions": [*held, regions[-1]]}


def source(rng: random.Random) -> tuple[str, str | bytes]:
    """Draw a text, and what it is meant to be."""
    what, make = rng.choice((("boxes", boxes), ("boxes", boxes), ("card", scorecard), ("model", model)))
    draw = rng.random()
    if draw < 0.03:
        return what, rng.randbytes(rng.randrange(60)) if rng.random() < 0.5 else "{" + text(rng, 60)
    tree = make(rng)
    if draw < 0.45:
        tree = mutated(rng, tree)
    given = written(tree, ascii_only=rng.random() < 0.5)
    if 0.45 <= draw < 0.55:
        given = damaged_text(rng, given)
    content: str | bytes = encoded(rng, given) if rng.random() < 0.4 else given
    if isinstance(content, bytes) and rng.random() < 0.2:
        content = damaged_bytes(rng, content)
    return what, content


def run(rng: random.Random, folder: Path) -> bool:
    """Run a case; return whether the document was accepted."""
    what, content = source(rng)
    if what == "boxes":
        return _boxes(rng, content)
    return _card(rng, content) if what == "card" else _model(rng, content)


def _readable(content: str | bytes) -> str | bytes:
    """Return what `from_json` takes for text, and not for a path."""
    return content.encode("utf-8", "surrogatepass") if isinstance(content, str) and content[:1] != "{" else content


def _boxes(rng: random.Random, content: str | bytes) -> bool:
    accepted, found = attempt(BoxSet.from_json, _readable(content))
    if accepted:
        check_boxes(rng, found, parsed(content))
    return accepted


def check_boxes(rng: random.Random, found: BoxSet, document: Any) -> None:
    """Compare boxes with the plain implementation, and write them in every form."""
    attempt(rng.choice((found.to_text, found.to_markdown, found._repr_html_, lambda: repr(found), found.rules)))
    able, again = attempt(found.to_json)
    if able:
        copy = BoxSet.from_json(again)
        expect(copy == found, "boxes are not the same after writing and reading them")
        expect(copy.to_json() == again, "boxes are not written the same after reading them")
    rows = rows_near(rng, document, rng.choice((0, 1, 5)))
    right = [flagged(document, row) for row in rows]
    for kind, X in tables_of(found.feature_names, rows, all(known is None for known in found.categories)):
        expect(found.contains(X).tolist() == right, f"contains differs from the plain implementation, with {kind}")
        expect((found.margin(X) >= 0).tolist() == right, f"margin differs from the plain implementation, with {kind}")
    if rows and rng.random() < 0.2:
        done, why = attempt(found.explain, X)
        expect(not done or len(why) == len(rows), "explain has not a line per row")


def tables_of(columns: tuple[str, ...], rows: list[dict[str, Any]], numbers: bool) -> list[tuple[str, Any]]:
    """Return rows in the forms that boxes take."""
    cells = [[row[key] for key in columns] for row in rows]
    array = np.empty((len(rows), len(columns)), dtype=object)
    for i, row in enumerate(cells):
        array[i] = row
    found: list[tuple[str, Any]] = [("an array of objects", array)]
    if numbers:
        found.append(("an array", array.astype(np.float64)))
    return [*found, ("a frame", pd.DataFrame(array, columns=pd.Index(list(columns), dtype=object), dtype=object))]


def _card(rng: random.Random, content: str | bytes) -> bool:
    accepted, card = attempt(Scorecard.from_json, _readable(content))
    if accepted:
        check_card(rng, card, parsed(content))
    return accepted


def check_card(rng: random.Random, card: Scorecard, document: Any) -> None:
    """Compare a scorecard with the plain implementation."""
    check_boxes(rng, card.boxes, document["boxes"])
    able, again = attempt(card.to_json)
    expect(not able or Scorecard.from_json(again) == card, "a card is not the same after writing and reading it")
    attempt(rng.choice((card.to_text, card.to_markdown, card._repr_html_, lambda: repr(card))))
    rows = rows_near(rng, document["boxes"], 4)
    right = [points(document, row) for row in rows]
    done, union = attempt(card.union)
    for kind, X in tables_of(card.boxes.feature_names, rows, False):
        expect(card.score(X).tolist() == right, f"score differs from the plain implementation, with {kind}")
        alarm = [total >= int(document["threshold"]) for total in right] if document["points"] else [False] * len(rows)
        expect(
            card.contains(X).tolist() == alarm, f"contains of a card differs from the plain implementation, with {kind}"
        )
        expect(not done or union.contains(X).tolist() == alarm, f"the union of a card differs from it, with {kind}")


def _model(rng: random.Random, content: str | bytes) -> bool:
    raw = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    accepted, found = attempt(_load, raw)
    if accepted:
        check_model(rng, found, parsed(raw))
    return accepted


def _load(raw: bytes) -> Model:
    """Read a model as the command line does."""
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(raw))
    try:
        return load_model("-")
    finally:
        sys.stdin = before


def check_risk(rng: random.Random, found: Model, document: Any) -> None:
    """Compare the risk of rows with the plain implementation."""
    rows, (*regions, last) = rows_near(rng, document, 3), document["risk"]["regions"]
    drawn = document["risk"].get("boxes", {}).get("boxes")

    def holds(region: Any, row: dict[str, Any]) -> bool:
        if drawn is None:
            return points(document["scorecard"], row) >= region["points"]
        return any(held_by(drawn[int(k)], row) for k in region["boxes"])

    right = [next((region["risk"] for region in regions if holds(region, row)), last["risk"]) for row in rows]
    assert found.risk is not None
    names = (found.scorecard.boxes if found.scorecard is not None else found.boxes).feature_names
    frame = tables_of(names, rows, False)[-1][1]
    expect(found.risk.risks(frame, found.drawing).tolist() == right, "risks differ from the plain implementation")


def check_model(rng: random.Random, found: Model, document: Any) -> None:
    """Compare a model with the plain implementation."""
    able, again = attempt(model_to_json, found)
    if able:
        expect(_load(again.encode()) == found, "a model is not the same after writing and reading it")
        done, alone = attempt(BoxSet.from_json, again)
        expect(not done or alone == found.boxes, "the boxes of a model file are not those of the model")
    if found.risk is not None:
        check_risk(rng, found, document)
    if found.scorecard is not None:
        check_card(
            rng, found.scorecard, document if document["format"] == "boxdraw.scorecard" else document["scorecard"]
        )
        return
    check_boxes(rng, found.boxes, boxes_part(document))
    rows = rows_near(rng, document, 3)
    frame = tables_of(found.boxes.feature_names, rows, False)[-1][1]
    done, labels = attempt(BoxSetClassifier(found.boxes, classes=found.classes).predict, frame)
    if done:
        right = [found.classes[flagged(document, row)] for row in rows]
        expect(labels.tolist() == right, f"predict says {json.dumps(labels.tolist())}, not {json.dumps(right)}")

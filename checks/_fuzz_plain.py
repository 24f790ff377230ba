"""The plain implementation: what boxes and scorecards mean, row by row in ordinary Python, straight from their JSON."""

from __future__ import annotations

import json
import math
import random
from typing import Any

from _fuzz_values import category, finite

Row = dict[str, Any]


def parsed(text: str | bytes) -> Any:
    """Parse JSON as the standard library does."""
    content = text.decode("utf-8") if isinstance(text, bytes) else text
    return json.loads(content.removeprefix("\ufeff"))


def boxes_part(document: Any) -> Any:
    """Return the boxes of a file of boxes, of a scorecard or of a model."""
    while document["format"] != "boxdraw.boxes":
        document = document["boxes"] if "boxes" in document else document["scorecard"]
    return document


def held_by(box: Any, row: Row) -> bool:
    """Say whether a box holds a row."""
    return all(_meets(limit, row[limit["feature"]]) for limit in box["limits"])


def _meets(limit: Any, value: Any) -> bool:
    if value is None or value != value:
        return bool(limit.get("missing") or limit.get("only_missing"))
    if limit.get("only_missing"):
        return False
    if "categories" in limit:
        return any(value == known for known in limit["categories"])
    if "lower" in limit and not float(limit["lower"]) <= value:
        return False
    return not ("upper" in limit and not value <= float(limit["upper"]))


def flagged(document: Any, row: Row) -> bool:
    """Say whether any box holds a row."""
    return any(held_by(box, row) for box in boxes_part(document)["boxes"])


def points(card: Any, row: Row) -> int:
    """Add up the points of a row."""
    return sum(
        int(value) for value, box in zip(card["points"], card["boxes"]["boxes"], strict=True) if held_by(box, row)
    )


def rows_near(rng: random.Random, document: Any, count: int) -> list[Row]:
    """Draw rows on, beside and far from the limits of boxes, with missing values and categories of all kinds."""
    part = boxes_part(document)
    near: dict[str, list[Any]] = {}
    for feature in part["features"]:
        categorical = feature["kind"] == "categorical"
        near[feature["name"]] = [None, math.nan, *(feature["categories"] if categorical else (0.0, finite(rng)))]
        if categorical:
            near[feature["name"]] += [category(rng), "", "unseen"]
    for box in part["boxes"]:
        for limit in box["limits"]:
            for side in ("lower", "upper"):
                if side in limit:
                    number = float(limit[side])
                    beside = [number, math.nextafter(number, math.inf), math.nextafter(number, -math.inf)]
                    near[limit["feature"]] += [x for x in beside if math.isfinite(x)]
    return [{feature: rng.choice(values) for feature, values in near.items()} for _ in range(count)]

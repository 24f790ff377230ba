"""The risk table of a model file as JSON.

The layout::

    {
      "boxes": {"format": "boxdraw.boxes", ...},
      "regions": [
        {"boxes": [0, 2], "rows": 40, "positives": 17, "risk": 0.42, "low": 0.31, "high": 0.54},
        {"rows": 900, "positives": 9, "risk": 0.01, "low": 0.004, "high": 0.02}
      ]
    }

Regions go from the highest risk to the lowest, and a row belongs to the first one that holds it. A region holds the
rows in any of its ``boxes``, by their numbers from 0 in the boxes of the table; or, of a scorecard, those with
``"points": 5`` or more, and then the table has no boxes. The last region has neither, and holds all other rows.
``rows`` and ``positives`` are what was counted; ``low`` and ``high`` are the limits of the interval.
"""

from __future__ import annotations

import json
import math
from typing import Any

from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.json import plain, read_boxes, read_number
from boxdraw.model.export.json import to_json as boxes_to_json
from boxdraw.model.export.scorecard import read_points
from boxdraw.model.reader import check_keys, list_at, whole, within
from boxdraw.model.risk import FIELDS, Region, RiskTable
from boxdraw.model.scorecard import Scorecard

__all__ = ["read_risk", "to_json"]


def to_json(risk: RiskTable, drawing: BoxSet | Scorecard) -> str:
    """Write the risk of a drawing as JSON that `read_risk` reads back to the last bit."""
    risk.check(drawing)
    lines = []
    for place, region in enumerate(risk, start=1):
        of: dict[str, Any] = {}
        if place < len(risk):
            of = {"points": int(region.of)} if risk.boxes is None else {"boxes": list(map(int, region.of))}
        figures = {key: plain(float(getattr(region, name))) for key, name in FIELDS.items()}
        lines.append(f"    {json.dumps(of | figures, allow_nan=False)}")
    boxes = "" if risk.boxes is None else '  "boxes": ' + boxes_to_json(risk.boxes).replace("\n", "\n  ") + ",\n"
    return "{\n" + boxes + '  "regions": [\n' + ",\n".join(lines) + "\n  ]\n}"


def read_risk(data: Any, size: int, drawing: BoxSet | Scorecard) -> RiskTable:
    """Build the risk table of a drawing from what `boxdraw.model.reader.read_text` parsed, of a text of some length."""
    check_keys(data, "the object", required=("regions",), optional=("boxes",))
    boxes = None
    if "boxes" in data:
        with within("boxes"):
            boxes = read_boxes(data["boxes"], size, "the object")
    items = list_at(data, "regions", "")
    if not items:
        raise ValueError("regions: expected at least one region, the last of which holds all other rows; got none")
    key = "points" if boxes is None else "boxes"
    regions: list[Region] = []
    for i, item in enumerate(items, start=1):
        where = f"regions[{i - 1}]"
        check_keys(item, where, required=(*([key] if i < len(items) else []), *FIELDS))
        of: Any = None if boxes is None else ()
        if i < len(items):
            of = _points(item, where, regions) if boxes is None else _numbers(item, where, boxes)
        regions.append(Region(of, **_figures(item, where)))
        if i > 1 and regions[-1].risk > regions[-2].risk:
            raise ValueError(f"{where}.risk: {regions[-1].risk} is more than that of the region before; order them")
    table = RiskTable(regions, boxes)
    table.check(drawing)
    return table


def _points(item: dict[str, Any], where: str, before: list[Region]) -> int:
    points = read_points(item["points"], f"{where}.points")
    if before and points >= before[-1].of:
        raise ValueError(
            f"{where}.points: expected fewer than {before[-1].of}, those of the region before; got {points}"
        )
    return points


def _numbers(item: dict[str, Any], where: str, boxes: BoxSet) -> tuple[int, ...]:
    numbers = [whole(value) for value in list_at(item, "boxes", f"{where}.")]
    found = tuple(number for number in numbers if number is not None and 0 <= number < len(boxes))
    if not found or len(set(found)) < len(numbers):
        raise ValueError(f"{where}.boxes: expected different whole numbers from 0 to {len(boxes) - 1}, at least one")
    return found


def _figures(item: dict[str, Any], where: str) -> dict[str, float]:
    """Read the numbers of a region, by their names there."""
    rows, positives, risk, low, high = (read_number(item[key], f"{where}.{key}") for key in FIELDS)
    # Sums of weights may differ in the last bit.
    if positives < 0 or not (positives <= rows or math.isclose(positives, rows)):
        raise ValueError(f"{where}.positives: expected a number from 0 to the rows, {rows}; got {positives}")
    if not 0 <= low <= risk <= high <= 1:
        raise ValueError(f"{where}: expected 0 ≤ low ≤ risk ≤ high ≤ 1; got {low}, {risk} and {high}")
    return dict(zip(FIELDS.values(), (rows, positives, risk, low, high), strict=True))

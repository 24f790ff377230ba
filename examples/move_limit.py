"""Move one limit of model.json and write down why; the result, signed.json, is what the report page saves too."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from boxdraw.model.file import Edit, model_from_json, model_to_json

model = model_from_json(Path("model.json").read_bytes())
boxes = model.boxes.replace(0, "hour", upper=5)
now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
edit = Edit(now, "Box 1: hour ≤ 7 → hour ≤ 5", "bakeries open at six")
Path("signed.json").write_text(model_to_json(replace(model, drawing=boxes, edits=(edit,))), encoding="utf-8")

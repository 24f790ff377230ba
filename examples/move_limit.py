"""Move one limit of model.json and record why; the result, signed.json, is the model that the report page saves."""

import json
from datetime import UTC, datetime
from pathlib import Path

from boxdraw import BoxSet

model = json.loads(Path("model.json").read_text(encoding="utf-8"))
model["boxes"] = json.loads(BoxSet.from_json("model.json").replace(0, "hour", upper=5).to_json())
now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
model["edits"] = [{"time": now, "what": "Box 1: hour ≤ 7 → hour ≤ 5", "reason": "bakeries open at six"}]
Path("signed.json").write_text(json.dumps(model), encoding="utf-8")

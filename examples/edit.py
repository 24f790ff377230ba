"""Move one limit of model.json by hand; the result is edited.json."""

import json
from pathlib import Path

from boxdraw import BoxSet

model = json.loads(Path("model.json").read_text(encoding="utf-8"))
boxes = BoxSet.from_json("model.json").replace(0, "amount due", lower=100)
print(boxes.to_text())
model["boxes"] = json.loads(boxes.to_json())
Path("edited.json").write_text(json.dumps(model), encoding="utf-8")

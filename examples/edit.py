"""Move one limit of model.json by hand; the result is edited.json."""

from dataclasses import replace
from pathlib import Path

from boxdraw.cli.model import load_model, model_to_json

model = load_model("model.json")
boxes = model.boxes.replace(0, "amount due", lower=100)
print(boxes.to_text())
Path("edited.json").write_text(model_to_json(replace(model, boxes=boxes)), encoding="utf-8")

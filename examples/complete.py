"""Put rules.sql and the new boxes of more.json together in rules.json, with who added what and why."""

from pathlib import Path

import boxdraw

model = boxdraw.load("more.json")
new = model.boxes_
categories = {name: values for name, values in zip(new.feature_names, new.categories, strict=True) if values}
old = boxdraw.BoxSet.from_sql(Path("rules.sql").read_text(encoding="utf-8"), new.feature_names, categories)
model.set_params(boxes=old + new).save("rules.json", who="Ana", note="the rule in use goes on")

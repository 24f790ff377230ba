"""Move one limit of model.json by hand; the result is edited.json."""

import boxdraw

model = boxdraw.load("model.json")
boxes = model.boxes_.replace(0, "amount due", lower=100)
print(boxes.to_text())
model.set_params(boxes=boxes).save("edited.json")

"""
Limits in many dimensions
=========================

No picture shows thirteen dimensions at once, but a box is just a list of limits, which
can be drawn one below the other. The rows are wines of three growers with thirteen
measurements each; the boxes are drawn around the second grower's wines.
"""

from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from boxdraw import FastBoxesClassifier
from boxdraw.plotting import LimitsDisplay

X, grower = load_wine(return_X_y=True, as_frame=True)
X.columns = [
    name.removesuffix("_of_diluted_wines").replace("_", " ") for name in X.columns
]
y = grower.map({0: "other", 1: "grower 2", 2: "other"})
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)

# %%
# Each strip is a feature: above, the distributions of the two classes, the positive one
# filled; below, a bar for each box that limits it, with the numbers of the rule. An
# arrow means no limit on this side. If a bar excludes no part of the blue line, the
# limit does little.
model = FastBoxesClassifier(n_boxes=2).fit(X_train, y_train)
LimitsDisplay.from_estimator(model, X_train, y_train)

# %%
# Fewer limits
# ------------
# Most of these limits are not needed. ``simplify`` drops limits and boxes as long as
# that costs no more than ``max_loss`` on the given rows, here one row, and lists what
# it did.
simpler, changes = model.boxes_.simplify(
    X_train, y_train, max_loss=1, pos_label="grower 2"
)
before, after = model.boxes_.limited.sum(), simpler.limited.sum()
print(f"{before} limits before, {after} after {len(changes)} steps")
print(simpler.to_text())

# %%
# What is left is read at a glance, here over the held-out rows.
LimitsDisplay.from_predictions(simpler, X_test, y_test, pos_label="grower 2")

# %%
# It is about as good on them:
for name, boxes in (("all limits", model.boxes_), ("simplified", simpler)):
    right = boxes.contains(X_test) == (y_test == "grower 2")
    print(f"{name}: {right.mean():.1%} of {len(right)} held-out rows on the right side")

"""
The whole cost trade-off from one fit
=====================================

How much worse is a miss than a false alarm? When a model is trained, often nobody knows
yet. One fit of Fast Boxes has the boxes for every answer. The rows are Pima women, a
third of whom had diabetes within five years.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split

from boxdraw import FastBoxesClassifierCV
from boxdraw.datasets import load_dataset
from boxdraw.plotting import BoxesDisplay, PathDisplay

X, y = load_dataset("pima", return_X_y=True)
X = X[["Plas", "Mass"]].set_axis(["glucose", "body mass index"], axis=1)
known = (X > 0).all(axis=1)  # zero means not measured
X, y = X[known], y[known].map({0: "well", 1: "diabetes"})
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)
model = FastBoxesClassifierCV(n_boxes=(2, 3), growth="free").fit(X_train, y_train)

# %%
# Every row has a *critical weight*: the largest weight of a false alarm at which it is
# still flagged. Sorted by it, the rows trace the ROC of all weights at once, without
# refitting. On the left, each point is a set of boxes, some with their weight ``c``; on
# the right, the same points by precision and recall. The star is the weight that
# cross-validation chose.
PathDisplay.from_estimator(
    model, X_test, y_test, negative_weights=[0.3, 0.5, 0.7, 1, 1.5, 2, 3]
)

# %%
# The boxes along the path
# ------------------------
# ``path`` returns the boxes themselves. They are nested: as false alarms count more,
# each box shrinks. Empty boxes are dropped, and the others are renumbered.
figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.7), layout="constrained")
for ax, point in zip(axes, model.path([0.5, 1, 2]), strict=True):
    boxes, ill = point.boxes, y_test == "diabetes"
    BoxesDisplay.from_predictions(boxes, X_test, y_test, pos_label="diabetes", ax=ax)
    ax.get_legend().remove()
    flagged = boxes.contains(X_test)
    counts = f"{(flagged & ill).sum()} caught, {(flagged & ~ill).sum()} false alarms"
    ax.set_title(f"c = {point.negative_weight:g}\n{counts}", fontsize="medium")

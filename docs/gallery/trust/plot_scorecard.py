"""
A scorecard beside a forest
===========================

A scorecard is a few boxes worth points. A forest of a hundred trees is a common
benchmark for accuracy, and unreadable. How much accuracy does the card give up? The
rows are Pima women, a third of whom had diabetes within five years.
"""

# sphinx_gallery_thumbnail_number = 2
import matplotlib.pyplot as plt
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import auc, roc_curve
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from boxdraw import ScoredBoxesClassifier
from boxdraw.datasets import load_dataset
from boxdraw.plotting import LimitsDisplay

X, y = load_dataset("pima", return_X_y=True)
measured = ["glucose", "pressure", "skin", "insulin", "mass"]
X.columns = ["pregnancies", *measured, "family", "age"]
X[measured] = X[measured].where(X[measured] > 0)  # zero means not measured

# %%
# This is the whole model, learned from all rows. Anyone can add up the points of one
# patient.
labels = y.map({0: "well", 1: "diabetes"})
card = ScoredBoxesClassifier().fit(X, labels)
print(card.scorecard_.to_text())

# %%
# The same as a picture, with the points of each box next to its number. A diamond means
# that missing values get the points, too.
LimitsDisplay.from_estimator(card, X, labels)

# %%
# Beside a forest
# ---------------
# Each row is scored by models that have not seen it, in five folds. On this table the
# card is about as good. On others the forest is ahead; see :doc:`/experiments`.
rivals = {
    "forest of 100 trees": RandomForestClassifier(random_state=0),
    "tree with 8 leaves": DecisionTreeClassifier(max_leaf_nodes=8, random_state=0),
    "scorecard": ScoredBoxesClassifier(),
}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
colours = ["#0072B2", "0.5", "#D55E00"]
figure, ax = plt.subplots(figsize=(5.4, 5.2), layout="constrained")
ax.plot([0, 1], [0, 1], color="0.7", lw=0.8, ls=":")
for (name, model), colour in zip(rivals.items(), colours, strict=True):
    method = "decision_function" if name == "scorecard" else "predict_proba"
    score = cross_val_predict(model, X, y, cv=folds, method=method).reshape(len(y), -1)
    false_alarms, caught, _ = roc_curve(y, score[:, -1])
    label = f"{name}: area {auc(false_alarms, caught):.2f}"
    width = 2.6 if name == "scorecard" else 1.4
    ax.plot(false_alarms, caught, color=colour, lw=width, label=label)
ax.set_xlabel("False alarms: share of the well flagged")
ax.set_ylabel("Caught: share of the ill flagged")
ax.legend(loc="lower right", frameon=False)

"""
Three ways for a box to grow
============================

Fast Boxes starts from tight boxes around clusters of positives, then moves each side to
where a formula balances the positives near it against the negatives near it. ``growth``
controls how far:

- ``"nearest_negative"``, the paper's rule: a side never moves inwards, and continues
  outwards to the next negative.
- ``"edge"``: a side never moves inwards, and stays where the formula puts it.
- ``"free"``: a side goes where the formula puts it, even inwards.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from boxdraw import FastBoxesClassifier
from boxdraw.datasets import load_dataset
from boxdraw.plotting import BoxesDisplay


def compare(X, y):
    """Fit each rule to half of the rows; draw the boxes over the other half."""
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.5, stratify=y, random_state=0
    )
    _, axes = plt.subplots(1, 3, figsize=(9.6, 3.7), layout="constrained")
    for ax, growth in zip(axes, ("nearest_negative", "edge", "free"), strict=True):
        model = FastBoxesClassifier(n_boxes=2, growth=growth, negative_weight=0.3)
        model.fit(X_train, y_train)
        BoxesDisplay.from_estimator(model, X_test, y_test, ax=ax)
        ax.get_legend().remove()
        flagged, positive = model.predict(X_test) == 1, y_test == 1
        caught, alarms = (flagged & positive).sum(), (flagged & ~positive).sum()
        counts = f"{caught} of {positive.sum()} caught, {alarms} false alarms"
        ax.set_title(f'"{growth}"\n{counts}', fontsize="medium")


# %%
# Classes that overlap
# --------------------
# Tumours, malignant ones as triangles; solid markers are flagged. The first two rules
# keep every malignant training tumour, whatever that costs in false alarms. Only
# ``"free"`` gives some up.
X, y = load_breast_cancer(return_X_y=True, as_frame=True)
compare(X[["mean texture", "mean concave points"]], 1 - y)

# %%
# A rare class
# ------------
# Proteins of *E. coli*: twenty of 336 are of the rare class, ten of them in training.
# Here it pays to keep all of them: ``"free"`` weighs the few against the many, and
# gives them up. ``"nearest_negative"`` goes beyond ``"edge"`` where no negative is in
# the way, because new rows of the class are likely to be a little outside.
#
# It is hard to tell in advance which rule suits a table, so
# :class:`~boxdraw.FastBoxesClassifierCV` tries all three.
X, y = load_dataset("ecoli4", return_X_y=True)
compare(X[["Gvh", "Aac"]], y)

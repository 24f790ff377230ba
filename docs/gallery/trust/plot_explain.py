"""
Explain one alarm and one miss
==============================

Why was this case flagged? And why was that one not? Every box answers in one sentence,
and the answer can be drawn.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from boxdraw import FastBoxesClassifierCV

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
measures = ["mean texture", "mean smoothness", "mean concave points", "worst area"]
X = X[[*measures, "worst symmetry"]]
X_train, X_test, y_train, y_test = train_test_split(
    X, 1 - y, test_size=0.5, stratify=y, random_state=0
)
model = FastBoxesClassifierCV(n_boxes=(1, 2, 3)).fit(X_train, y_train)

# %%
# ``explain`` has a line for each row: the box that holds it, or the nearest box and the
# limits that exclude the row. Here are a malignant tumour that was flagged and the one
# that was missed by the smallest distance.
answers = model.explain(X_test)[y_test == 1]
alarm = answers.index[answers["flagged"]][0]
miss = answers.loc[~answers["flagged"], "distance"].idxmin()
print("alarm:", answers.loc[alarm, "why"].replace(" and ", "\n   and "))
print("miss:", answers.loc[miss, "why"])

# %%
# The bars are the limits of that box, on an axis from the smallest to the largest
# training value. The markers are the values of the case: a dot inside the limits, a
# cross outside.
least, largest = X_train.min().to_numpy(), X_train.max().to_numpy()
figure, axes = plt.subplots(1, 2, figsize=(9, 3.3), layout="constrained", sharey=True)
for ax, title, row in zip(
    axes, ["alarm: in", "miss: not in"], [alarm, miss], strict=True
):
    k = answers.loc[row, "box"] - 1
    case = np.array([model.boxes_.lower[k], X_test.loc[row], model.boxes_.upper[k]])
    scaled = np.clip((case - least) / (largest - least), 0, 1)
    for place, (lower, value, upper) in enumerate(scaled.T):
        ax.barh(place, 1, color="0.93", height=0.06)
        ax.barh(place, upper - lower, left=lower, color="#F0CB75", height=0.3)
        style = "ko" if lower <= value <= upper else "rX"
        ax.plot(value, place, style, ms=9, mec="white")
        ax.text(value, place - 0.22, f"{case[1, place]:.4g}", ha="center")
    ax.set(
        xticks=[0, 1], xticklabels=["least", "largest"], title=f"{title} box {k + 1}"
    )
    ax.set_yticks(range(len(least)), X.columns)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
ax.set_ylim(len(least) - 0.5, -0.7)

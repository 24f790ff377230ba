"""
How stable are the limits?
==========================

Another sample of patients would have given another scorecard. Which limits would stay,
and which could be elsewhere? ``stability`` refits the card on bootstrap samples of the
rows.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from boxdraw import ScoredBoxesClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X[["mean radius", "mean texture", "mean concavity", "mean smoothness"]]
model = ScoredBoxesClassifier(max_boxes=4, pos_label=0).fit(X, y)
stability = model.stability(X, y, n=50)
print(stability)

# %%
# Each number is followed by an interval that holds it in nine of ten samples, and each
# box by the share of samples that have a similar one. The last line matters most to
# users: the share of rows on which a card from another sample agrees.
#
# The picture puts all limits on one scale, the share of tumours below the limit. The
# dot is the card's limit, the bar its interval. A short, dark bar is a limit that the
# data determine well; a pale one belongs to a box that many samples lack.
figure, ax = plt.subplots(figsize=(7.2, 3.6), layout="constrained")
limits = stability.to_frame()
for place, limit in limits.iterrows():
    values = X[limit["feature"]]
    low, at, high = ((values < limit[end]).mean() for end in ("low", "limit", "high"))
    ax.barh(place, high - low, 0.3, low, color="#0072B2", alpha=limit["found"])
    ax.plot(at, place, "o", color="white", mec="black", ms=7)
    ax.text(1.02, place, f"found in {limit['found']:.0%}", va="center", size="small")
signs = limits["side"].map({"lower": " ≥ ", "upper": " ≤ "})
numbers = limits["limit"].map("{:.3g}".format)
names = "box " + limits["box"].astype(str) + ": " + limits["feature"] + signs + numbers
ax.set_yticks(limits.index, names)
ax.set(xlim=(0, 1), xlabel="share of all tumours below the limit")
ax.grid(axis="x", color="0.9")
ax.set_axisbelow(True)
ax.invert_yaxis()

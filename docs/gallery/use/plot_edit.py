"""
Edit a rule and see what it costs
=================================

Experts know more than the table, and can change the rules. Every edit returns new
boxes, and labelled rows show what it costs.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from boxdraw import BoxSetClassifier, FastBoxesClassifierCV
from boxdraw.plotting import BoxTableDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X[["mean radius", "mean texture", "mean concavity", "mean smoothness"]]
X_train, X_test, y_train, y_test = train_test_split(
    X, 1 - y, test_size=0.5, stratify=y, random_state=0
)
boxes = (
    FastBoxesClassifierCV(n_boxes=(2, 3), simplified=False).fit(X_train, y_train).boxes_
)
print(boxes.to_text())

# %%
# What is each limit worth?
# -------------------------
# Drop them one by one, and count the tumours that are newly flagged. A limit that keeps
# out many benign tumours and few others earns its place. One that keeps out hardly any
# only makes the rule longer.
flagged, caught, alarms = boxes.contains(X_train), {}, {}
for k, rule in enumerate(boxes.rules()):
    for feature in rule.features:
        new = boxes.drop_limit(k, feature).contains(X_train) & ~flagged
        caught[f"box {k + 1}: {feature}"] = (new & (y_train == 1)).sum()
        alarms[f"box {k + 1}: {feature}"] = (new & (y_train == 0)).sum()
figure, ax = plt.subplots(figsize=(7.2, 4.6), layout="constrained")
for counts, sign, colour in ((caught, -1, "#D55E00"), (alarms, 1, "#0072B2")):
    bars = ax.barh(list(counts), [sign * n for n in counts.values()], color=colour)
    ax.bar_label(bars, [n or "" for n in counts.values()], padding=3, size="small")
ax.axvline(0, color="black", lw=0.8)
ax.set_xlabel("training tumours flagged if the limit is dropped")
ax.legend(ax.containers, ["malignant: caught", "benign: false alarms"], frameon=False)
ax.set(xticks=[], xlim=(-max(caught.values()) - 4, max(alarms.values()) + 4))
ax.tick_params(length=0)
ax.spines[:].set_visible(False)
ax.invert_yaxis()

# %%
# Edit
# ----
# Drop what does little, and round. ``round`` finds the shortest numbers that move no
# training row across a limit.
edited = boxes.drop_limit(0, "mean texture").drop_limit(1, "mean smoothness")
edited = edited.drop_limit(2, "mean texture").drop_limit(2, "mean smoothness")
edited, _ = edited.round(X_train)
print(edited.to_text())

# %%
# What does that cost on the held-out rows?
for name, rules in (("before", boxes), ("after", edited)):
    labels = y_test[rules.contains(X_test)]
    print(f"{name}: {(labels == 1).sum()} caught, {(labels == 0).sum()} false alarms")

# %%
# Box by box. The solid part of the recall is what no other box catches.
BoxTableDisplay.from_estimator(BoxSetClassifier(edited, classes=(0, 1)), X_test, y_test)

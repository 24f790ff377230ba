"""
Choose the cost of a false alarm
================================

If you know what a false alarm costs relative to a miss, pass it:
``false_alarm_cost=0.2`` means that five false alarms are as bad as one miss. The rows
are yeast proteins, and those of the nucleus are the positives.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

from boxdraw import FastBoxesClassifierCV
from boxdraw.datasets import load_dataset

X, y = load_dataset("yeast1", return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)

# %%
# The weight of a false alarm in the fit is not what a false alarm costs you, because
# the formulas of Fast Boxes balance the classes in their own way.
# :class:`~boxdraw.FastBoxesClassifierCV` finds the weight that suits the cost, on folds
# of the training rows.
colours = {0.2: "#0072B2", 0.3: "#009E73", 0.4: "#D55E00"}
models = [FastBoxesClassifierCV(false_alarm_cost=cost) for cost in colours]
for model in models:
    model.fit(X_train, y_train)

# %%
# Each line shows what *all* weights of one fit would cost on the held-out half: the
# misses plus the cost of the false alarms, per 100 rows. Left ends flag every row,
# right ends none. The dot is the weight that was chosen without these rows; it should
# be near the minimum of its line.
rare = (y_test == 1).to_numpy()[:, None]
figure, ax = plt.subplots(figsize=(7, 4.4), layout="constrained")
for model, (cost, colour) in zip(models, colours.items(), strict=True):
    weights = np.append(np.geomspace(0.004, 0.6, 300), model.negative_weight_)
    flagged = model.critical_weight(X_test)[:, None] >= weights
    misses, alarms = (rare & ~flagged).mean(axis=0), (flagged & ~rare).mean(axis=0)
    total = 100 * (misses + cost * alarms)
    ax.plot(weights[:-1], total[:-1], color=colour)
    ax.plot(weights[-1], total[-1], "o", color=colour, mec="black", ms=8)
    ax.text(0.004, total[0] + 1.5, f"a false alarm costs {cost:g}", color=colour)
    shares = f"{misses[-1]:.1%} of all rows missed, {alarms[-1]:.1%} false alarms"
    print(f"cost {cost:g}: {shares}")
ax.set_xlabel("weight of a false alarm in the fit")
ax.set_ylabel("cost per 100 held-out rows, in misses")
ax.set(xscale="log", ylim=(0, 80))

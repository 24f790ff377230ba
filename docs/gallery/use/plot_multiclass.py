"""
More than two classes, in a grid search
=======================================

Boxes are drawn around one class. scikit-learn's ``OneVsRestClassifier`` fits boxes for
each of three growers of wine, and ``GridSearchCV`` chooses the settings, as for any
estimator.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle
from sklearn.datasets import load_wine
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.multiclass import OneVsRestClassifier

from boxdraw import ScoredBoxesClassifier

X, grower = load_wine(return_X_y=True, as_frame=True)
X = X[["flavanoids", "color_intensity"]]
X_train, X_test, y_train, y_test = train_test_split(
    X, grower, test_size=0.5, stratify=grower, random_state=0
)

# %%
# The prefix ``estimator__`` sets parameters of the inner classifier. A wine in boxes of
# two growers, or of none, goes to the grower whose boxes rank it highest.
growers = OneVsRestClassifier(ScoredBoxesClassifier(pos_label=1, cv=None))
grid = {"estimator__max_boxes": [1, 2, 4, 8], "estimator__max_limits": [1, 2]}
search = GridSearchCV(growers, grid, cv=5).fit(X_train, y_train)
print(search.best_params_)
for number, model in enumerate(search.best_estimator_.estimators_, start=1):
    print(f"grower {number}", model.boxes_.to_text(), sep="\n")

# %%
# The boxes of all three over the held-out wines. Crosses are misclassified wines.
right = search.predict(X_test) == y_test
ends = X.min().to_numpy() - 0.4, X.max().to_numpy() + 0.4
figure, ax = plt.subplots(figsize=(6.8, 4.8), layout="constrained")
styles = [("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^")]
for number, (colour, marker) in enumerate(styles):
    for box in search.best_estimator_.estimators_[number].boxes_:
        low, high = np.clip([box.lower[0], box.upper[0]], *ends)
        ax.add_patch(Rectangle(low, *(high - low), fc=colour, alpha=0.13))
        ax.add_patch(Rectangle(low, *(high - low), fill=False, ec=colour, lw=1.6))
    points, good = X_test[y_test == number].to_numpy(), right[y_test == number]
    ax.scatter(*points[good].T, c=colour, marker=marker, label=f"grower {number + 1}")
    ax.scatter(*points[~good].T, c=colour, marker="x", linewidths=2)
ax.set_title(f"{right.sum()} of {len(right)} held-out wines right", fontsize="medium")
ax.set(xlabel="flavanoids", ylabel="colour intensity")
ax.legend(loc="upper right")
ax.autoscale_view()
ax.margins(0)

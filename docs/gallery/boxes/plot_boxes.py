"""
Boxes over two features
=======================

A few boxes around the malignant tumours of scikit-learn's breast cancer table. A row in
any box is flagged.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from boxdraw import SparseBoxesClassifier
from boxdraw.plotting import BoxesDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)

# %%
# Two features
# ------------
# Sparse Boxes looks for the fewest boxes and limits that do the job. They are drawn
# around the rarer class, unless ``pos_label`` says otherwise.
pair = ["mean concave points", "worst area"]
model = SparseBoxesClassifier().fit(X_train[pair], y_train)
print(model.boxes_.to_text())

# %%
# The picture shows the held-out half. Solid markers are rows in a box, so solid circles
# are false alarms, and hollow triangles are misses. A side without a line has no limit.
BoxesDisplay.from_estimator(model, X_test[pair], y_test)

# %%
# Every pair of a few features
# ----------------------------
# With a third feature, a rectangle is only the projection of a box. ``features="used"``
# draws a panel for each pair of features. Rows that the third feature excludes from
# every box are tiny dots, so for rows with a marker the two features of the panel
# decide.
three = [*pair, "mean texture"]
model = SparseBoxesClassifier().fit(X_train[three], y_train)
print(model.boxes_.to_text())
BoxesDisplay.from_estimator(model, X_test[three], y_test, features=three)

# %%
# How much to read
# ----------------
# What does one more limit buy? The frontier has the best drawing for each number of
# limits, with its score on held-out rows of the training half. The square is in use;
# ``model.at(n_limits=...)`` takes another.
model.frontier_.plot()

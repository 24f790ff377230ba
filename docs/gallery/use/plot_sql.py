"""
The same rows in SQL
====================

A model that runs in the database needs no server, and no data have to leave it.
``to_sql`` supports eight dialects. Here SQLite flags the rows, because it comes with
Python.
"""

import sqlite3

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_breast_cancer

from boxdraw import FastBoxesClassifierCV

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X = X[["mean texture", "mean concave points", "worst area"]]
learned = FastBoxesClassifierCV(n_boxes=2).fit(X, y).boxes_
boxes, _ = learned.round(X)  # short numbers that move no row of X across a limit
query = boxes.to_sql("tumours", dialect="sqlite", column="flagged")
print(query)

# %%
# Load the table, and keep the model as a view. It flags the same rows.
database = sqlite3.connect(":memory:")
X.to_sql("tumours", database, index=False)
database.execute(f"CREATE VIEW judged AS {query}")
in_sql = pd.read_sql("SELECT flagged FROM judged", database)["flagged"] == 1
same = in_sql.to_numpy() == learned.contains(X)
print(f"SQLite and boxdraw agree on {same.sum()} of {len(same)} rows")

# %%
# Now ``flagged`` is a column like any other. How many tumours of each size are flagged?
sizes = pd.read_sql(
    """
    SELECT CAST("worst area" / 250 AS INTEGER) * 250 AS size,
           SUM(flagged) AS flagged,
           SUM(1 - flagged) AS other
    FROM judged GROUP BY size
    """,
    database,
    index_col="size",
)
database.close()
figure, ax = plt.subplots(figsize=(7, 3.9), layout="constrained")
bars = {"width": 230, "align": "edge"}
ax.bar(sizes.index, sizes["other"], color="#56B4E9", label="not flagged", **bars)
ax.bar(
    sizes.index,
    sizes["flagged"],
    bottom=sizes["other"],
    color="#D55E00",
    label="flagged",
    **bars,
)
ax.set(xlabel="worst area", ylabel="tumours", xlim=0)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="upper right")

"""
Calibrated probabilities
========================

Boxes flag and rank; they give no probabilities. scikit-learn's
``CalibratedClassifierCV`` makes them of the ranking, for a scorecard as for any
classifier.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import CalibratedClassifierCV, CalibrationDisplay
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import train_test_split

from boxdraw import ScoredBoxesClassifier
from boxdraw.datasets import load_dataset

X, y = load_dataset("pima", return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.5, stratify=y, random_state=0
)

# %%
# The scorecard is fitted on five folds, and the held-out rows calibrate its scores. For
# contrast, here is what not to do: squeeze the score between 0 and 1 and call that a
# probability.
learner = ScoredBoxesClassifier(cv=None)
score = learner.fit(X_train, y_train).decision_function(X_test)
calibrated = CalibratedClassifierCV(learner, method="isotonic", cv=5).fit(
    X_train, y_train
)
chance = {
    "squeezed score": 1 / (1 + np.exp(-score)),
    "calibrated": calibrated.predict_proba(X_test)[:, 1],
}
for name, probability in chance.items():
    print(f"{name}: Brier score {brier_score_loss(y_test, probability):.3f}")

# %%
# Above: of the held-out rows with about this probability, what share is positive? On
# the dotted line both are equal. Below: how many rows have it.
figure, (top, bottom) = plt.subplots(
    2, 1, figsize=(5.6, 6.2), layout="constrained", sharex=True, height_ratios=[3, 1.2]
)
styles = {"color": "#D55E00", "marker": "^"}, {"color": "#0072B2", "marker": "o"}
bins = {"n_bins": 8, "strategy": "quantile"}
for (name, probability), style in zip(chance.items(), styles, strict=True):
    CalibrationDisplay.from_predictions(
        y_test, probability, name=name, ax=top, **bins, **style
    )
    edges = np.linspace(0, 1, 26)
    bottom.hist(probability, edges, histtype="step", color=style["color"], lw=1.5)
top.set(xlabel="", ylabel="share of positives", xlim=(0, 1), ylim=(0, 1))
bottom.set(xlabel="probability", ylabel="rows")

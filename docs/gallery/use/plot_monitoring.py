"""
Watch the alarms after release
==============================

After release, labels come late or never. The share of flagged rows is known at once,
and if it moves, the data may have drifted away from the training data.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import binom
from sklearn.datasets import load_digits

from boxdraw import ScoredBoxesClassifier

X, digit = load_digits(return_X_y=True, as_frame=True)
first, later, six = X[:600], X[600:], digit == 6
model = ScoredBoxesClassifier(max_boxes=6, pos_label=True).fit(first, six[:600])
print(model.scorecard_.to_text())

# %%
# The model detects handwritten sixes, and is fitted to the first 600 images. The others
# arrive in batches of 80, in the order of the table. From the eighth batch on, the
# scanner fades: each batch has 7% less ink than the one before. The fading is
# simulated; the images are real.
size, fades_from = 80, 8
batch = np.arange(len(later)) // size + 1
ink = 0.93 ** np.maximum(batch - fades_from + 1, 0)
flagged = model.predict(later.mul(ink, axis=0))
numbers = np.arange(1, batch[-1])  # the last batch is not full
share = [flagged[batch == b].mean() for b in numbers]
sixes = [six[600:][batch == b].mean() for b in numbers]

# %%
# The band is where 99 of 100 batches should be if the share in training still held. A
# batch below it is a reason to look at the images, long before anybody counts missed
# sixes. No alarms may be the worst news.
expected = model.predict(first).mean()
low, high = binom.ppf([0.005, 0.995], size, expected) / size
figure, ax = plt.subplots(figsize=(7.4, 3.9), layout="constrained")
ax.axhspan(low, high, color="#FBEBCC", label="99% of batches, if nothing changes")
ax.axvline(fades_from - 0.5, color="0.5", lw=1, ls="--")
ax.text(fades_from - 0.4, high + 0.008, "the scanner begins to fade", color="0.35")
ax.plot(numbers, sixes, ".-", color="#0072B2", lw=1, label="sixes, as is known later")
ax.plot(numbers, share, "o-", color="#D55E00", lw=2, label="flagged")
ax.set(xlabel=f"batch of {size} images", ylabel="share of images")
ax.set(xticks=numbers, ylim=(0, high + 0.03))
ax.legend(frameon=False, ncols=3, loc="lower left", bbox_to_anchor=(0, 1))

"""
Handwritten digits: a box is a stencil
======================================

An image of 8 × 8 pixels is a row of 64 features, the ink of each pixel from 0 to 16. A
box over pixels says where there must be ink and where there must be none, so it can be
drawn like a digit itself.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from boxdraw import FastBoxesClassifierCV

X, digit = load_digits(return_X_y=True)
X_train, X_test, digit_train, digit_test = train_test_split(
    X, digit, test_size=0.5, stratify=digit, random_state=0
)

# %%
# One box for each digit, against the nine others. A single box is too simple for most
# of them, but easy to look at.
boxes = []
for number in range(10):
    model = FastBoxesClassifierCV(
        n_boxes=1, growth="free", feature_range=(-3, 3), pos_label=True
    )
    boxes.append(model.fit(X_train, digit_train == number).boxes_)

# %%
# Red pixels must have some ink, blue ones must have little or none; the stronger the
# colour, the stricter the limit. White pixels may be anything. The line is the outline
# of the mean digit. The stencil of the zero has a blank in the middle and blank
# corners, though the learner knows nothing about holes.
figure, axes = plt.subplots(2, 5, figsize=(9.6, 4.9), layout="constrained")
for number, (ax, box) in enumerate(zip(axes.flat, boxes, strict=True)):
    lower, upper = np.clip(box.lower, 0, 16), np.clip(box.upper, 0, 16)
    stencil = (lower - (16 - upper)).reshape(8, 8)
    picture = ax.imshow(stencil, cmap="RdBu_r", vmin=-11, vmax=11)
    mean = np.pad(X_train[digit_train == number].mean(axis=0).reshape(8, 8), 1)
    ax.contour(range(-1, 9), range(-1, 9), mean, [6], colors="black", linewidths=1.3)
    flagged, positive = box.contains(X_test), digit_test == number
    recall, precision = flagged[positive].mean(), positive[flagged].mean()
    title = f"{number}: recall {recall:.0%}\nprecision {precision:.0%}"
    ax.set_title(title, fontsize="medium")
    ax.set(xticks=[], yticks=[], xlim=(-0.5, 7.5), ylim=(7.5, -0.5))
bar = figure.colorbar(picture, ax=axes, shrink=0.8, ticks=[-10.7, 0, 10.7])
bar.ax.set_yticklabels(["no ink", "anything", "much ink"])
bar.ax.tick_params(length=0)

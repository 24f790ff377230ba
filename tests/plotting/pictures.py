"""Pictures of fixed boxes and rows, and their comparison with stored thumbnails.

After a change that is meant to be seen, make the thumbnails anew, and look at them before you commit them::

    python tests/plotting/pictures.py

Nothing here is learned or random, so other versions of scikit-learn and NumPy give the same pictures.
"""

from pathlib import Path

import matplotlib.image
import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from numpy.lib.stride_tricks import sliding_window_view
from scipy.ndimage import uniform_filter
from scipy.special import ndtri

from boxdraw import BoxSet
from boxdraw.model.scorecard import Scorecard
from boxdraw.plotting import BoxesDisplay, BoxTableDisplay, LimitsDisplay, PathDisplay

FOLDER = Path(__file__).with_name("thumbnails")
INF = np.inf
WIDTH, FINER, SHADES = 160, 6, 31  # pixels of a thumbnail; how much larger it is drawn; shades that make a small file
BLUR, SHIFT = 5, 2  # pixels
# Between matplotlib 3.8.4 and 3.11.2, whose fonts and layouts differ, the differences are at most 0.0033 and 0.062. A
# box less, a limit moved or classes exchanged give more than one of the limits: test_thumbnails.py plants such changes.
MOST_ON_AVERAGE, MOST_ANYWHERE = 0.005, 0.09


def table(n=150):
    """Return rows of a mixed table, spread evenly instead of at random, and labels."""
    u = (np.arange(1, n + 1)[:, None] * np.array([0.7548776662, 0.5698402910, 0.3247179572, 0.2451223338])) % 1
    X = pd.DataFrame({"dose": ndtri(u[:, 0]), "age": np.floor(18 + 60 * u[:, 1]), "pulse": 60 + 40 * u[:, 2]})
    X["region"] = pd.Series(np.array(["north", "east", "south"], dtype=object)[(3 * u[:, 3]).astype(int)])
    ill = (X["dose"] > 0.3) & (X["age"] > 40) & (X["region"] != "south")
    X.loc[X.index % 19 == 3, "pulse"] = np.nan
    return X, np.where(ill & (X.index % 5 != 0), "ill", "well")


def boxes():
    """Return boxes on numbers, categories and missing values."""
    return BoxSet(
        [[0.3, 40, -INF, -INF], [-0.5, 60, 75, -INF], [1.2, -INF, 62, -INF]],
        [[INF, INF, INF, INF], [0.6, 76, INF, INF], [2.2, 50, 90, INF]],
        feature_names=["dose", "age", "pulse", "region"],
        allowed={"region": [{"north", "east"}, None, {"south"}]},
        categories={"region": ["north", "east", "south"]},
        missing=[[False, False, True, False], [False, False, True, True], [False, False, False, True]],
    )


def card():
    """Return a scorecard of the same boxes."""
    return Scorecard(boxes(), [4, 2, -1], 3)


def two_features():
    """Draw boxes on two features."""
    return BoxesDisplay.from_predictions(boxes(), *table(), pos_label="ill", features=["dose", "age"])


def pairs():
    """Draw a grid of pairs."""
    return BoxesDisplay.from_predictions(boxes(), *table(), pos_label="ill", features="used")


def limits():
    """Draw limits."""
    return LimitsDisplay.from_predictions(boxes(), *table(), pos_label="ill")


def limits_of_points():
    """Draw the limits of a scorecard."""
    return LimitsDisplay.from_predictions(card(), *table(), pos_label="ill")


def path():
    """Draw a path of costs."""
    X, y = table()
    critical = np.exp(X["dose"].to_numpy() + 0.02 * (X["age"].to_numpy() - 48) - 1.5)
    return PathDisplay.from_predictions(y, critical, pos_label="ill", negative_weight=0.55)


def box_table():
    """Draw the table of the boxes of a scorecard."""
    return BoxTableDisplay.from_predictions(card(), *table(), pos_label="ill")


PICTURES = {
    function.__name__: function for function in (two_features, pairs, limits, limits_of_points, path, box_table)
}


def thumbnail(figure):
    """Return a figure as a small array (height, width, 3) of numbers from 0 to 1.

    It is drawn larger first, because small letters look different with each version of matplotlib.
    """
    figure.set_dpi(FINER * WIDTH / figure.get_size_inches()[0])
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    pixels = np.asarray(canvas.buffer_rgba())[:, :, :3] / 255
    height, width = (size // FINER for size in pixels.shape[:2])
    blocks = pixels[: height * FINER, : width * FINER].reshape(height, FINER, width, FINER, 3)
    return np.rint(blocks.mean(axis=(1, 3)) * SHADES) / SHADES


def differences(one, other):
    """Return the mean and the largest difference of two thumbnails.

    Both are blurred by more than a letter, so that another font changes little, and by less than a box. Of each place
    the nearest match within a few pixels counts, because texts of another width move the axes beside them.
    """
    height, width = (min(sizes) for sizes in zip(one.shape[:2], other.shape[:2], strict=True))
    if max(one.shape[0], other.shape[0]) - height > SHIFT or one.shape[1] != other.shape[1]:
        return 1.0, 1.0
    one, other = (uniform_filter(picture, (BLUR, BLUR, 0))[:height, :width] for picture in (one, other))
    both = np.maximum(_nearest(one, other), _nearest(other, one))
    return float(both.mean()), float(both.max())


def _nearest(picture, other):
    """Return how far each pixel is from the nearest match around its place in the other picture."""
    padded = np.pad(other, ((SHIFT, SHIFT), (SHIFT, SHIFT), (0, 0)), mode="edge")
    views = sliding_window_view(padded, (2 * SHIFT + 1, 2 * SHIFT + 1), axis=(0, 1))
    return np.abs(views - picture[..., None, None]).mean(axis=2).min(axis=(2, 3))


def alike(one, other):
    """Say whether two thumbnails show the same."""
    mean, largest = differences(one, other)
    return mean <= MOST_ON_AVERAGE and largest <= MOST_ANYWHERE


def stored(name):
    """Read a stored thumbnail."""
    return matplotlib.image.imread(FOLDER / f"{name}.png")[:, :, :3].astype(np.float64)


def main():
    """Write all thumbnails."""
    FOLDER.mkdir(exist_ok=True)
    for name, draw in PICTURES.items():
        matplotlib.image.imsave(FOLDER / f"{name}.png", thumbnail(draw().figure_), metadata={"Software": None})


if __name__ == "__main__":
    main()

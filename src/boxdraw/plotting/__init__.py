"""Plots in the style of scikit-learn Displays (needs ``boxdraw[plot]``).

Importing this package does not import matplotlib; drawing does. The figures are not managed by pyplot, so nothing has
to be closed: save one with ``display.figure_.savefig(...)``, or end a notebook cell with the display.
"""

from boxdraw.plotting.box_table import BoxTableDisplay
from boxdraw.plotting.boxes import BoxesDisplay
from boxdraw.plotting.frontier import FrontierDisplay
from boxdraw.plotting.limits import LimitsDisplay
from boxdraw.plotting.roc_path import PathDisplay

__all__ = ["BoxTableDisplay", "BoxesDisplay", "FrontierDisplay", "LimitsDisplay", "PathDisplay"]

"""Names for the kinds of arrays that are passed around."""

from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.intp]
Matrix = npt.NDArray[np.floating[Any]]  # a table of numbers as the user gave it, in float64 or float32

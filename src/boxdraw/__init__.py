"""boxdraw: readable rules for rare classes, as unions of axis-parallel boxes."""

from boxdraw.boxes import BoxSet
from boxdraw.classifier import BoxSetClassifier
from boxdraw.exact.estimator import ExactBoxesClassifier
from boxdraw.fast.cv import FastBoxesClassifierCV
from boxdraw.fast.estimator import FastBoxesClassifier
from boxdraw.scored.estimator import ScoredBoxesClassifier

__version__ = "0.1.0"

__all__ = [
    "BoxSet",
    "BoxSetClassifier",
    "ExactBoxesClassifier",
    "FastBoxesClassifier",
    "FastBoxesClassifierCV",
    "ScoredBoxesClassifier",
]

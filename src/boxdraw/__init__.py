"""boxdraw: readable rules for rare classes, as unions of axis-parallel boxes."""

from boxdraw._core.version import __version__
from boxdraw.learners.classifier import BoxSetClassifier
from boxdraw.learners.exact.estimator import ExactBoxesClassifier
from boxdraw.learners.fast.cv import FastBoxesClassifierCV
from boxdraw.learners.fast.estimator import FastBoxesClassifier
from boxdraw.learners.scored.estimator import ScoredBoxesClassifier
from boxdraw.model.boxes import BoxSet

__all__ = [
    "BoxSet",
    "BoxSetClassifier",
    "ExactBoxesClassifier",
    "FastBoxesClassifier",
    "FastBoxesClassifierCV",
    "ScoredBoxesClassifier",
    "__version__",
]

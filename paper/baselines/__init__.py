"""The baselines: the paper's nine, and readable learners of today."""

from paper.baselines.hddt import HellingerTreeClassifier
from paper.baselines.j48 import J48Classifier
from paper.baselines.prim import PRIMClassifier
from paper.baselines.registry import BASELINES, MODERN, Baseline
from paper.baselines.sigest import SigestSVC

__all__ = [
    "BASELINES",
    "MODERN",
    "Baseline",
    "HellingerTreeClassifier",
    "J48Classifier",
    "PRIMClassifier",
    "SigestSVC",
]

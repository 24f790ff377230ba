"""The learners that boxes are compared with: the paper's nine, and the readable ones of today."""

from boxdraw.experiments.baselines.hddt import HellingerTreeClassifier
from boxdraw.experiments.baselines.j48 import J48Classifier
from boxdraw.experiments.baselines.prim import PRIMClassifier
from boxdraw.experiments.baselines.registry import BASELINES, MODERN, Baseline
from boxdraw.experiments.baselines.sigest import SigestSVC

__all__ = [
    "BASELINES",
    "MODERN",
    "Baseline",
    "HellingerTreeClassifier",
    "J48Classifier",
    "PRIMClassifier",
    "SigestSVC",
]

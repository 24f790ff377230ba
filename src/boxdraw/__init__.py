"""boxdraw: readable rules for rare classes, as unions of axis-parallel boxes."""

from boxdraw._core.version import __version__
from boxdraw._core.warn import CautionWarning
from boxdraw.learners.classifier import BoxSetClassifier, load
from boxdraw.learners.exact.certificate import Certificate, CertificateError
from boxdraw.learners.exact.exact_boxes import ExactBoxesClassifier
from boxdraw.learners.exact.progress import SearchProgress
from boxdraw.learners.fast.cv import FastBoxesClassifierCV
from boxdraw.learners.fast.fast_boxes import FastBoxesClassifier
from boxdraw.learners.fast.path import CostPath, PathPoint
from boxdraw.learners.frontier import CardFrontier, CardPoint, Frontier, FrontierPoint
from boxdraw.learners.scored.scored_boxes import ScoredBoxesClassifier
from boxdraw.learners.sparse.revise import Revision
from boxdraw.learners.sparse.sparse_boxes import SparseBoxesClassifier
from boxdraw.model.boxes import BoxSet
from boxdraw.model.constraints import Breach
from boxdraw.model.explain import Violation, violations
from boxdraw.model.export.onnx import onnx_inputs
from boxdraw.model.rule import Category, Limit, Rule
from boxdraw.model.scorecard import Scorecard
from boxdraw.model.simplify import Change
from boxdraw.model.stability import BoxStability, LimitStability, Stability
from boxdraw.report.report import Report
from boxdraw.service.compare import Comparison, Difference, RuleChange, compare
from boxdraw.service.monitor import Alarm, Monitoring, Reading, monitor
from boxdraw.tables.dask import ClusterFiles
from boxdraw.tables.predict import PredictedTable
from boxdraw.theory import generalization_bound, log_class_size

__all__ = [
    "Alarm",
    "BoxSet",
    "BoxSetClassifier",
    "BoxStability",
    "Breach",
    "CardFrontier",
    "CardPoint",
    "Category",
    "CautionWarning",
    "Certificate",
    "CertificateError",
    "Change",
    "ClusterFiles",
    "Comparison",
    "CostPath",
    "Difference",
    "ExactBoxesClassifier",
    "FastBoxesClassifier",
    "FastBoxesClassifierCV",
    "Frontier",
    "FrontierPoint",
    "Limit",
    "LimitStability",
    "Monitoring",
    "PathPoint",
    "PredictedTable",
    "Reading",
    "Report",
    "Revision",
    "Rule",
    "RuleChange",
    "Scorecard",
    "ScoredBoxesClassifier",
    "SearchProgress",
    "SparseBoxesClassifier",
    "Stability",
    "Violation",
    "__version__",
    "compare",
    "generalization_bound",
    "load",
    "log_class_size",
    "monitor",
    "onnx_inputs",
    "violations",
]

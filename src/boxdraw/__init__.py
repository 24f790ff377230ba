"""boxdraw: readable rules for rare classes, as unions of axis-parallel boxes."""

TYPE_CHECKING = False  # imports take long, and the command line cannot mind Ctrl-C before this module is there

if TYPE_CHECKING:
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
else:  # imported when first asked for: `boxdraw --help` needs none of them
    _PLACES = {
        "_core.version": ["__version__"],
        "_core.warn": ["CautionWarning"],
        "learners.classifier": ["BoxSetClassifier", "load"],
        "learners.exact.certificate": ["Certificate", "CertificateError"],
        "learners.exact.exact_boxes": ["ExactBoxesClassifier"],
        "learners.exact.progress": ["SearchProgress"],
        "learners.fast.cv": ["FastBoxesClassifierCV"],
        "learners.fast.fast_boxes": ["FastBoxesClassifier"],
        "learners.fast.path": ["CostPath", "PathPoint"],
        "learners.frontier": ["CardFrontier", "CardPoint", "Frontier", "FrontierPoint"],
        "learners.scored.scored_boxes": ["ScoredBoxesClassifier"],
        "learners.sparse.revise": ["Revision"],
        "learners.sparse.sparse_boxes": ["SparseBoxesClassifier"],
        "model.boxes": ["BoxSet"],
        "model.constraints": ["Breach"],
        "model.explain": ["Violation", "violations"],
        "model.export.onnx": ["onnx_inputs"],
        "model.rule": ["Category", "Limit", "Rule"],
        "model.scorecard": ["Scorecard"],
        "model.simplify": ["Change"],
        "model.stability": ["BoxStability", "LimitStability", "Stability"],
        "report.report": ["Report"],
        "service.compare": ["Comparison", "Difference", "RuleChange", "compare"],
        "service.monitor": ["Alarm", "Monitoring", "Reading", "monitor"],
        "tables.dask": ["ClusterFiles"],
        "tables.predict": ["PredictedTable"],
        "theory": ["generalization_bound", "log_class_size"],
    }
    _MODULES = "datasets", "metrics", "plotting"

    def __getattr__(name: str) -> object:
        """Import a public name or module."""
        import importlib

        for place, names in _PLACES.items():
            if name in names:
                value = globals()[name] = getattr(importlib.import_module(f"boxdraw.{place}"), name)
                return value
        if name in _MODULES:
            return importlib.import_module(f"boxdraw.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        """List the public names, imported or not."""
        return sorted({*globals(), *__all__, *_MODULES})


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

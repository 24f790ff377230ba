"""The learners that are compared, how large their models are, and how they are measured on one split.

Every learner weighs the classes equally, but for RIPPER, which takes no weights, and Sparse Boxes, which chooses the
cost of a false alarm unless it is told to balance them. ``boxes`` counts boxes, rules, the leaves of a forest, or the
terms of an additive model; for a single tree, the leaves that flag, siblings taken as one. ``limits`` counts what is to
be read in them: each end of an interval, a single value and a set of categories are one each, on the way to a leaf as
in a box; the splits of a forest, the cells of an additive model's tables, or coefficients. One thread each.

Those that only run when asked for by name are slow, or only stand in ``next_to.py``.
"""

import functools
import importlib.util
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from _iguanas import IguanasClassifier, size_of_rules
from _scores import FasterRisk, OptimalBinning, size_of_bins, size_of_risk_score
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    average_precision_score,
    balanced_accuracy_score,
    precision_score,
    recall_score,
    roc_auc_score,
)
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.class_weight import compute_sample_weight
from threadpoolctl import threadpool_limits

from boxdraw import ExactBoxesClassifier, FastBoxesClassifierCV, ScoredBoxesClassifier, SparseBoxesClassifier
from paper.baselines import BASELINES, MODERN
from paper.baselines.modern import SkopeRules, make_ebm, make_figs
from paper.baselines.weighted import best_threshold

NAN = float("nan")
#: Packages that the extra leaves out, as they ask for old versions of others or bring what clashes with ours.
ELSEWHERE = {"fasterrisk": "--no-deps fasterrisk 'numpy<2.3'", "optbinning": "optbinning", "iguanas": "iguanas"}


@dataclass(frozen=True)
class Learner:
    """A learner of the comparison."""

    title: str
    make: Callable[[], Any]
    size: Callable[[Any], tuple[float, float]]  # boxes and limits of a fitted model
    package: str | None = None  # beyond scikit-learn
    weights: bool = False  # whether the classes are weighed by sample_weight
    compiled: bool = False  # whether the first fit compiles
    by_name: bool = False  # whether it only runs when asked for by name

    @property
    def missing(self):
        """Say what it would need, or nothing."""
        if self.package is None or importlib.util.find_spec(self.package):
            return None
        what = ELSEWHERE.get(self.package, "'boxdraw[bench]'")
        return f"{self.package} is not installed: pip install {what}"

    def fitted(self, X, y, clock=time.perf_counter):
        """Return a fitted model and the seconds of the fit."""
        model = self.make()
        weights = {"sample_weight": compute_sample_weight("balanced", y)} if self.weights else {}
        np.random.seed(0)  # noqa: NPY002 - FIGS breaks ties by the global generator
        start = clock()
        model.fit(X, y, **weights)
        return model, clock() - start


@dataclass(frozen=True)
class Result:
    """The measures of one learner on one split; all NaN and an error if it failed."""

    data: str
    split: int
    learner: str
    auc: float = NAN
    average_precision: float = NAN
    balanced: float = NAN
    precision: float = NAN
    recall: float = NAN
    boxes: float = NAN
    limits: float = NAN
    seconds: float = NAN
    error: str = ""
    silent: bool = False  # no better than chance, and no warning said so


MEASURES = tuple(field.name for field in fields(Result) if field.type is float)


class LargerForest:
    """A forest with a threshold, chosen by the trees that have not seen a row: at one half it flags next to nothing."""

    def __init__(self):
        self.model_ = RandomForestClassifier(
            300, min_samples_leaf=3, class_weight="balanced_subsample", oob_score=True, random_state=0
        )

    def fit(self, X, y):
        """Fit the trees and choose the threshold."""
        self.model_.fit(X, y)
        unseen = self.model_.oob_decision_function_[:, 1]
        self.threshold_ = best_threshold(y, unseen, compute_sample_weight("balanced", y))
        return self

    def predict(self, X):
        """Return 1 from the threshold on."""
        return (self.predict_proba(X)[:, 1] >= self.threshold_).astype(int)

    def predict_proba(self, X):
        """Return the scores of the forest itself."""
        return self.model_.predict_proba(X)


class Balanced:
    """A baseline of paper whose negatives weigh as much in sum as its positives."""

    def __init__(self, name):
        self.baseline = (BASELINES | MODERN)[name]

    def fit(self, X, y):
        """Fit it to labels 0 and 1."""
        self.model_ = self.baseline.make(y.sum() / (1 - y).sum(), 0).fit(X, y)
        return self

    def predict(self, X):
        """Return the labels that the baseline predicts."""
        return self.model_.predict(X)

    def predict_proba(self, X):
        """Return the scores of the package's own model."""
        return self.model_.model_.predict_proba(X)


class BalancedPrim(Balanced):
    """PRIM, which ranks a row by the share of positives in the first box that holds it; in none, it is last."""

    def __init__(self):
        super().__init__("prim")

    def fit(self, X, y):
        """Find the boxes, and count the training rows in them."""
        super().fit(X, y)
        first = self._first_box(X)
        # A row in none has the number after the last box.
        self.share_ = np.array([*(y[first == box].mean() for box in range(len(self.model_.boxes_))), 0.0])
        return self

    def predict_proba(self, X):
        """Return the shares of both labels."""
        share = self.share_[self._first_box(X)]
        return np.column_stack([1 - share, share])

    def _first_box(self, X):
        inside = self.model_.boxes_.membership(X)
        return np.where(inside.any(axis=1), inside.argmax(axis=1) if inside.shape[1] else 0, inside.shape[1])


def exact_boxes():
    return ExactBoxesClassifier(time_limit=5, random_state=0)


def small_tree():
    return DecisionTreeClassifier(max_leaf_nodes=8, class_weight="balanced", random_state=0)


def chosen_tree():
    """Return a tree with as many leaves as rank best in three inner folds."""
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    return GridSearchCV(small_tree(), {"max_leaf_nodes": [2, 4, 8, 16, 32, 64]}, scoring="roc_auc", cv=folds)


def small_tree_of_sample(sampler):
    """Return a small tree of a sample that imbalanced-learn makes even."""
    from imblearn import over_sampling, pipeline, under_sampling

    kinds = {"smote": over_sampling.SMOTE, "under": under_sampling.RandomUnderSampler}
    return pipeline.make_pipeline(kinds[sampler](random_state=0), small_tree())


def balanced_forest():
    from imblearn.ensemble import BalancedRandomForestClassifier

    return BalancedRandomForestClassifier(random_state=0)


def logistic():
    return make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced", max_iter=10_000))


def lightgbm():
    from lightgbm import LGBMClassifier

    return LGBMClassifier(class_weight="balanced", n_jobs=1, random_state=0, verbosity=-1)


def size_of_boxes(boxes):
    return len(boxes), boxes.n_limits


def size_of_tree(model):
    """Return the parts that a tree flags, and the limits on the way to them, each end of each feature once."""
    tree, sizes = model.tree_, []

    def visit(node, limits):
        """Return the label of all leaves below, or None; where they differ, add up the parts that are flagged."""
        left, right, feature = tree.children_left[node], tree.children_right[node], tree.feature[node]
        if left == right:
            return model.classes_[tree.value[node, 0].argmax()]
        ways = [limits | {(feature, "<=")}, limits | {(feature, ">")}]
        labels = [visit(child, way) for child, way in zip((left, right), ways, strict=True)]
        if labels[0] == labels[1]:
            return labels[0]
        sizes.extend(len(way) for label, way in zip(labels, ways, strict=True) if label == 1)
        return None

    if visit(0, frozenset()) == 1:
        sizes.append(0)
    return len(sizes), sum(sizes)


def size_of_trees(trees):
    leaves = sum(tree.get_n_leaves() for tree in trees)
    return leaves, leaves - len(trees)


def size_of_lightgbm(model):
    trees = model.booster_.dump_model()["tree_info"]
    leaves = sum(tree["num_leaves"] for tree in trees)
    return leaves, leaves - len(trees)


def size_of_ebm(model):
    # The first and the last bin of each feature are for missing and unknown values.
    cells = sum(np.prod([bins - 2 for bins in scores.shape]) for scores in model.term_scores_)
    return len(model.term_scores_), cells


def size_of_skope_rules(model):
    rules = model.model_.rules_without_feature_names_
    return len(rules), sum(len(rule.agg_dict) for rule in rules)


def size_of_figs(model):
    return model.complexity_ + len(model.trees_), model.complexity_


def size_of_rulefit(model):
    rules = model.model_.model_
    linear = np.count_nonzero(rules.coef[: rules.n_features_])
    used = [rule for rule in rules.rules_without_feature_names_ if rule.args[0]]
    return linear + len(used), linear + sum(len(rule.agg_dict) for rule in used)


def size_of_ripper(model):
    rules = model.model_.model_.ruleset_.rules
    return len(rules), sum(1 + (" - " in str(cond.val)) for rule in rules for cond in rule.conds)


LEARNERS = {
    "sparse": Learner(
        "Sparse Boxes",
        SparseBoxesClassifier,
        lambda model: size_of_boxes(model.boxes_),
        compiled=True,
    ),
    "sparse_balanced": Learner(
        "Sparse Boxes, balanced",
        lambda: SparseBoxesClassifier(false_alarm_cost="balanced"),
        lambda model: size_of_boxes(model.boxes_),
        compiled=True,
    ),
    "scored": Learner(
        "Scored Boxes",
        ScoredBoxesClassifier,
        lambda model: size_of_boxes(model.scorecard_.boxes),
        compiled=True,
    ),
    "scored_union": Learner(
        "Scored Boxes, 8 positive",
        lambda: ScoredBoxesClassifier(max_boxes=8, signed_points=False),
        lambda model: size_of_boxes(model.scorecard_.boxes),
        compiled=True,
        by_name=True,
    ),
    "fast": Learner(
        "Fast Boxes, CV",
        FastBoxesClassifierCV,
        lambda model: size_of_boxes(model.boxes_),
        compiled=True,
    ),
    "exact": Learner(
        "Exact Boxes, 5 s",
        exact_boxes,
        lambda model: size_of_boxes(model.boxes_),
        package="ortools",
        compiled=True,
        by_name=True,
    ),
    "cart": Learner("CART, 8 leaves", small_tree, size_of_tree),
    "cart_chosen": Learner(
        "CART, leaves chosen", chosen_tree, lambda model: size_of_tree(model.best_estimator_), by_name=True
    ),
    "figs": Learner("FIGS", make_figs, size_of_figs, package="imodels", weights=True),
    "skope": Learner("SkopeRules", SkopeRules, size_of_skope_rules, package="imodels", weights=True),
    "logistic": Learner("logistic", logistic, lambda model: (NAN, model[-1].coef_.size)),
    "ebm": Learner("EBM, no pairs", make_ebm, size_of_ebm, package="interpret", weights=True),
    "ebm_pairs": Learner(
        "EBM, 10 pairs", lambda: make_ebm(10), size_of_ebm, package="interpret", weights=True, by_name=True
    ),
    "forest": Learner(
        "forest, 100 trees",
        lambda: RandomForestClassifier(class_weight="balanced", random_state=0),
        lambda model: size_of_trees(model.estimators_),
    ),
    "larger_forest": Learner("forest, 300 trees", LargerForest, lambda model: size_of_trees(model.model_.estimators_)),
    "lightgbm": Learner("LightGBM", lightgbm, size_of_lightgbm, package="lightgbm"),
    "rulefit": Learner("RuleFit", lambda: Balanced("rulefit"), size_of_rulefit, package="imodels", by_name=True),
    "faster_risk": Learner(
        "FasterRisk, 10 terms", FasterRisk, size_of_risk_score, package="fasterrisk", compiled=True, by_name=True
    ),
    "optbinning": Learner("optbinning, scorecard", OptimalBinning, size_of_bins, package="optbinning", by_name=True),
    "iguanas": Learner("Iguanas", IguanasClassifier, size_of_rules, package="iguanas", by_name=True),
    "ripper": Learner("RIPPER", lambda: Balanced("ripper"), size_of_ripper, package="wittgenstein", by_name=True),
    "prim": Learner("PRIM", BalancedPrim, lambda model: size_of_boxes(model.model_.boxes_), by_name=True),
    "smote": Learner(
        "SMOTE, CART of 8 leaves",
        lambda: small_tree_of_sample("smote"),
        lambda model: size_of_tree(model[-1]),
        package="imblearn",
        by_name=True,
    ),
    "under": Learner(
        "under-sampling, CART of 8 leaves",
        lambda: small_tree_of_sample("under"),
        lambda model: size_of_tree(model[-1]),
        package="imblearn",
        by_name=True,
    ),
    "balanced_forest": Learner(
        "balanced forest",
        balanced_forest,
        lambda model: size_of_trees(model.estimators_),
        package="imblearn",
        by_name=True,
    ),
}


def scores(model, X):
    """Return the model's ranking of rows: the more, the rarer class."""
    if hasattr(model, "decision_function"):  # first, as probabilities may have ties: our learners have one per region
        return model.decision_function(X)
    return model.predict_proba(X)[:, 1]


@functools.cache
def warm_up(name):
    """Fit a small table, once a process, so that compiling is not timed."""
    X, y = make_classification(60, 4, weights=[0.8], random_state=0)
    if LEARNERS[name].compiled:
        LEARNERS[name].fitted(X, y)


def measure(name, data, split, train, test, clock=time.perf_counter):
    """Fit a learner to the training rows and measure it on the others."""
    learner = LEARNERS[name]
    try:
        with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warm_up(name)
            caught.clear()
            model, seconds = learner.fitted(*train, clock)
        X, y = test
        score, predicted = scores(model, X), model.predict(X)
        balanced = balanced_accuracy_score(y, predicted)
        figures = (
            roc_auc_score(y, score),
            average_precision_score(y, score),
            balanced,
            precision_score(y, predicted, zero_division=0),
            recall_score(y, predicted),
            *learner.size(model),
            seconds,
        )
    except Exception as error:  # a baseline that fails is a result
        return Result(data, split, name, error=f"{type(error).__name__}: {error}".splitlines()[0][:200])
    warned = any(issubclass(warning.category, UserWarning) for warning in caught)
    # Who flags nothing or everything has a balanced accuracy of one half.
    return Result(data, split, name, *map(float, figures), silent=balanced <= 0.5 and not warned)

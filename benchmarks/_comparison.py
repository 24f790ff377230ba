"""The learners that are compared, how large their models are, and how they are measured on one split.

Every learner weighs the classes equally. ``boxes`` counts boxes, rules, leaves, or the terms of an additive model;
``limits`` counts what is to be read in them: the features limited by a box or rule (on one side or both), the splits of
trees, the cells of an additive model's tables, or coefficients. One thread each.
"""

import functools
import importlib.util
import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, balanced_accuracy_score, roc_auc_score, roc_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.class_weight import compute_sample_weight
from threadpoolctl import threadpool_limits

from boxdraw import FastBoxesClassifierCV, ScoredBoxesClassifier

NAN = float("nan")


@dataclass(frozen=True)
class Learner:
    """A learner of the comparison."""

    title: str
    make: Callable[[], Any]
    size: Callable[[Any], tuple[float, float]]  # boxes and limits of a fitted model
    package: str | None = None  # beyond scikit-learn
    weights: bool = False  # whether the classes are weighed by sample_weight
    compiled: bool = False  # whether the first fit compiles
    slow: bool = False  # so that it only runs when asked for by name

    @property
    def missing(self):
        """Say what it would need, or nothing."""
        if self.package is None or importlib.util.find_spec(self.package):
            return None
        return f"{self.package} is not installed: pip install 'boxdraw[bench]'"

    def fitted(self, X, y):
        """Return a fitted model and the seconds of the fit."""
        model = self.make()
        weights = {"sample_weight": compute_sample_weight("balanced", y)} if self.weights else {}
        np.random.seed(0)  # noqa: NPY002 - FIGS breaks ties by the global generator
        start = time.perf_counter()
        model.fit(X, y, **weights)
        return model, time.perf_counter() - start


@dataclass(frozen=True)
class Result:
    """The measures of one learner on one split; all NaN and an error if it failed."""

    data: str
    split: int
    learner: str
    auc: float = NAN
    precision: float = NAN
    balanced: float = NAN
    boxes: float = NAN
    limits: float = NAN
    seconds: float = NAN
    error: str = ""


MEASURES = tuple(field.name for field in fields(Result) if field.type is float)


class Thresholded:
    """A model whose scores are cut where the balanced accuracy was best, for scores of training rows."""

    def cut(self, y, score):
        """Choose the threshold."""
        false_alarms, hits, thresholds = roc_curve(y, score)
        self.threshold_ = thresholds[np.argmax(hits - false_alarms)]
        return self

    def predict(self, X):
        """Return 1 from the threshold on."""
        return (self.predict_proba(X)[:, 1] >= self.threshold_).astype(int)

    def predict_proba(self, X):
        """Return the scores of the model itself."""
        return self.model_.predict_proba(X)


class SkopeRules(Thresholded):
    """SkopeRules with a threshold: as imodels has them, half of the rules must agree, which flags next to nothing."""

    def __init__(self):
        from imodels import SkopeRulesClassifier

        self.model_ = SkopeRulesClassifier(random_state=0)

    def fit(self, X, y, sample_weight):
        """Fit the rules and choose the threshold."""
        self.model_.fit(X, y, sample_weight=sample_weight)
        return self.cut(y, self.predict_proba(X)[:, 1])


class LargerForest(Thresholded):
    """A forest with a threshold, chosen by the trees that have not seen a row: at one half it flags next to nothing."""

    def __init__(self):
        self.model_ = RandomForestClassifier(
            300, min_samples_leaf=3, class_weight="balanced_subsample", oob_score=True, random_state=0
        )

    def fit(self, X, y):
        """Fit the trees and choose the threshold."""
        self.model_.fit(X, y)
        return self.cut(y, self.model_.oob_decision_function_[:, 1])


def logistic():
    return make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced", max_iter=10_000))


def lightgbm():
    from lightgbm import LGBMClassifier

    return LGBMClassifier(class_weight="balanced", n_jobs=1, random_state=0, verbosity=-1)


def ebm(pairs):
    from interpret.glassbox import ExplainableBoostingClassifier

    # Its 50 000 rounds take minutes for a hundred rows that can be separated.
    return ExplainableBoostingClassifier(interactions=pairs, max_rounds=1000, n_jobs=1, random_state=0)


def figs():
    from imodels import FIGSClassifier

    return FIGSClassifier(max_rules=12, random_state=0)


def size_of_boxes(boxes):
    return len(boxes), boxes.limited.sum()


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
    return len(rules), sum(len({feature for feature, _ in rule.agg_dict}) for rule in rules)


def size_of_figs(model):
    return model.complexity_ + len(model.trees_), model.complexity_


LEARNERS = {
    "scored": Learner(
        "Scored Boxes",
        ScoredBoxesClassifier,
        lambda model: size_of_boxes(model.scorecard_.boxes),
        compiled=True,
    ),
    "fast": Learner(
        "Fast Boxes, CV",
        FastBoxesClassifierCV,
        lambda model: size_of_boxes(model.boxes_),
        compiled=True,
    ),
    "cart": Learner(
        "CART, 8 leaves",
        lambda: DecisionTreeClassifier(max_leaf_nodes=8, class_weight="balanced", random_state=0),
        lambda model: size_of_trees([model]),
    ),
    "figs": Learner("FIGS", figs, size_of_figs, package="imodels", weights=True),
    "skope": Learner("SkopeRules", SkopeRules, size_of_skope_rules, package="imodels", weights=True),
    "logistic": Learner("logistic", logistic, lambda model: (NAN, model[-1].coef_.size)),
    "ebm": Learner("EBM, no pairs", lambda: ebm(0), size_of_ebm, package="interpret", weights=True),
    "ebm_pairs": Learner("EBM, 10 pairs", lambda: ebm(10), size_of_ebm, package="interpret", weights=True, slow=True),
    "forest": Learner(
        "forest, 100 trees",
        lambda: RandomForestClassifier(class_weight="balanced", random_state=0),
        lambda model: size_of_trees(model.estimators_),
    ),
    "larger_forest": Learner("forest, 300 trees", LargerForest, lambda model: size_of_trees(model.model_.estimators_)),
    "lightgbm": Learner("LightGBM", lightgbm, size_of_lightgbm, package="lightgbm"),
}


def scores(model, X):
    """Return the model's ranking of rows: the more, the rarer class."""
    if hasattr(model, "predict_proba"):
        return model.predict_proba(X)[:, 1]
    return model.decision_function(X)


@functools.cache
def warm_up(name):
    """Fit a small table, once a process, so that compiling is not timed."""
    X, y = make_classification(60, 4, weights=[0.8], random_state=0)
    if LEARNERS[name].compiled:
        LEARNERS[name].fitted(X, y)


def measure(name, data, split, train, test):
    """Fit a learner to the training rows and measure it on the others."""
    learner = LEARNERS[name]
    try:
        with threadpool_limits(1):
            warm_up(name)
            model, seconds = learner.fitted(*train)
        X, y = test
        score, predicted = scores(model, X), model.predict(X)
        figures = (
            roc_auc_score(y, score),
            average_precision_score(y, score),
            balanced_accuracy_score(y, predicted),
            *learner.size(model),
            seconds,
        )
    except Exception as error:  # a baseline that fails is a result
        return Result(data, split, name, error=f"{type(error).__name__}: {error}".splitlines()[0][:200])
    return Result(data, split, name, *map(float, figures))

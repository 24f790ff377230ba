"""Every baseline by name: what it is, how to make it, and what it needs."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from paper.baselines.hddt import HellingerTreeClassifier
from paper.baselines.j48 import J48Classifier, missing_weka
from paper.baselines.modern import Ripper, RuleFit, SkopeRules, make_ebm, make_figs
from paper.baselines.prim import PRIMClassifier
from paper.baselines.sigest import SigestSVC
from paper.baselines.weighted import (
    INSTALL,
    WeightedClassifier,
    check_negative_weight,
    class_weight,
    imported,
)

Build = Callable[[float, int], Any]


@dataclass(frozen=True)
class Baseline:
    """A learner to compare with."""

    title: str
    note: str  # what it is, and how the weight of the negatives enters
    build: Build
    weighted: bool = True  # False if the weight makes no difference
    packages: tuple[str, ...] = ()  # modules that it needs beyond those of boxdraw
    reason: Callable[[], str | None] | None = None  # why it cannot run here, if that is not a missing module

    def make(self, negative_weight: float, random_state: int) -> Any:
        """Make an estimator for labels 0 and 1 with this weight of the negatives; positives weigh 1."""
        check_negative_weight(negative_weight)
        return self.build(negative_weight, random_state)

    def missing(self) -> str | None:
        """Return why it cannot run here and what to install; None if it can."""
        absent = [name for name in self.packages if importlib.util.find_spec(name) is None]
        if absent:
            return f"{self.title} needs {' and '.join(absent)}: {INSTALL}"
        return None if self.reason is None else self.reason()


def _logistic(negative_weight: float, random_state: int) -> Any:
    return make_pipeline(
        StandardScaler(), LogisticRegression(class_weight=class_weight(negative_weight), max_iter=10_000)
    )


def _svm(negative_weight: float, random_state: int) -> Any:
    machine = SigestSVC(class_weight=class_weight(negative_weight), random_state=random_state)
    return make_pipeline(StandardScaler(), machine)


def _cart(negative_weight: float, random_state: int) -> Any:
    # The paper's trees are not pruned beyond what is built in: these are the default stopping rules of R's rpart.
    stops = {"min_samples_split": 20, "min_samples_leaf": 7}
    return DecisionTreeClassifier(**stops, class_weight=class_weight(negative_weight), random_state=random_state)


def _c45(negative_weight: float, random_state: int) -> Any:
    return J48Classifier()


def _adaboost(negative_weight: float, random_state: int) -> Any:
    # An unlimited tree fits its rows perfectly, which ends boosting after one round.
    trees = AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=50, random_state=random_state)
    return WeightedClassifier(trees, negative_weight, random_state)


def _random_forest(negative_weight: float, random_state: int) -> Any:
    return RandomForestClassifier(class_weight=class_weight(negative_weight), random_state=random_state)


def _c50(negative_weight: float, random_state: int) -> Any:
    return imported("c50py", "C5.0").C5Classifier(class_weight=class_weight(negative_weight))


def _hddt(negative_weight: float, random_state: int) -> Any:
    return HellingerTreeClassifier(negative_weight, pos_label=1)


def _prim(negative_weight: float, random_state: int) -> Any:
    return PRIMClassifier(negative_weight, mass_min=0.01, pos_label=1)


def _ebm(negative_weight: float, random_state: int) -> Any:
    return WeightedClassifier(make_ebm(random_state=random_state), negative_weight, random_state)


def _figs(negative_weight: float, random_state: int) -> Any:
    return WeightedClassifier(make_figs(random_state), negative_weight, random_state)


def _ripper(negative_weight: float, random_state: int) -> Any:
    return Ripper(random_state)


BASELINES: dict[str, Baseline] = {
    "logistic": Baseline(
        "Logistic", "scikit-learn's logistic regression with its ridge (C = 1), features standardised", _logistic
    ),
    "svm": Baseline(
        "SVM", "scikit-learn's SVC with a Gaussian kernel, width by the sigest rule, features standardised", _svm
    ),
    "cart": Baseline(
        "CART",
        "scikit-learn's decision tree, unpruned; it stops where R's rpart does, at 20 rows or 7 in a leaf",
        _cart,
    ),
    "c45": Baseline(
        "C4.5",
        "Weka's J48 with its built-in pruning, in Java; no weights, as in the paper",
        _c45,
        weighted=False,
        reason=missing_weka,
    ),
    "adaboost": Baseline(
        "AdaBoost", "scikit-learn's AdaBoost of 50 trees of depth 3; the first round has the weights", _adaboost
    ),
    "random_forest": Baseline("RF", "scikit-learn's random forest of 100 trees", _random_forest),
    "c50": Baseline(
        "C5.0",
        "C50py, a reimplementation of C5.0 in Python, one tree with its built-in pruning; cases are weighted",
        _c50,
        packages=("c50py",),
    ),
    "hddt": Baseline(
        "HDDT", "our Hellinger distance decision tree, unpruned; the weight enters where leaves decide", _hddt
    ),
    "prim": Baseline("PRIM", "our PRIM; the weight enters where boxes are taken and kept", _prim),
}

MODERN: dict[str, Baseline] = {
    "ebm": Baseline(
        "EBM",
        "explainable boosting machine of interpret, without pairs of features, at most 1000 rounds",
        _ebm,
        packages=("interpret",),
    ),
    "skope_rules": Baseline(
        "SkopeRules",
        "SkopeRules of imodels, with the threshold that predicts most of the training rows' weight right",
        SkopeRules,
        packages=("imodels", "six"),
    ),
    "figs": Baseline("FIGS", "FIGS of imodels, at most 12 splits", _figs, packages=("imodels", "six")),
    "rulefit": Baseline(
        "RuleFit",
        "RuleFit of imodels; its fit takes no weights, so the weight moves the threshold of its probability",
        RuleFit,
        packages=("imodels", "six"),
    ),
    "ripper": Baseline(
        "RIPPER",
        "RIPPER of wittgenstein, numbers in ten bins; it takes no weights",
        _ripper,
        weighted=False,
        packages=("wittgenstein", "pandas"),
    ),
}

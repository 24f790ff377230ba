"""Readable learners of today, with the weight of the negatives."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import FloatArray
from paper.baselines.classifier import NumbersClassifier
from paper.baselines.weighted import best_threshold, check_negative_weight, imported, row_weights, seeded


def make_ebm(pairs: int = 0, random_state: int = 0) -> Any:
    """Return an explainable boosting machine (Lou et al. 2013), with a number of pairs of features."""
    glassbox = imported("interpret.glassbox", "EBM")
    # 50 000 rounds take minutes for a hundred separable rows.
    return glassbox.ExplainableBoostingClassifier(
        interactions=pairs, max_rounds=1000, n_jobs=1, random_state=random_state
    )


def make_figs(random_state: int = 0) -> Any:
    """Return FIGS (Tan et al. 2022), a sum of trees with at most 12 splits in all."""
    return imported("imodels", "FIGS").FIGSClassifier(max_rules=12, random_state=random_state)


class SkopeRules(NumbersClassifier):
    """SkopeRules of imodels with the threshold that is best on the training rows; its own flags almost nothing."""

    def __init__(self, negative_weight: float = 1.0, random_state: int = 0) -> None:
        self.negative_weight = negative_weight
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SkopeRules:
        """Fit the rules and choose the threshold."""
        check_negative_weight(self.negative_weight)
        X, y = self._labelled_rows(X, y)
        rules = imported("imodels", "SkopeRules").SkopeRulesClassifier(random_state=self.random_state)
        weights = row_weights(y, self.negative_weight) if sample_weight is None else sample_weight
        with seeded(self.random_state):
            self.model_ = rules.fit(X, y, sample_weight=weights)
        self.threshold_ = best_threshold(y, self.model_.predict_proba(X)[:, 1], weights)
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the scores of the rules."""
        rows = self._rows(X)
        scores: FloatArray = self.model_.predict_proba(rows)
        return scores

    def _predict_rows(self, X: FloatArray) -> npt.NDArray[Any]:
        return (self.model_.predict_proba(X)[:, 1] >= self.threshold_).astype(int)


class RuleFit(NumbersClassifier):
    """RuleFit of imodels (Friedman and Popescu 2008), which takes no weights: the weight moves the threshold."""

    def __init__(self, negative_weight: float = 1.0, random_state: int = 0) -> None:
        self.negative_weight = negative_weight
        self.random_state = random_state

    def _learn(self, X: FloatArray, y: npt.NDArray[Any]) -> None:
        check_negative_weight(self.negative_weight)
        rules = imported("imodels", "RuleFit").RuleFitClassifier(random_state=self.random_state)
        with warnings.catch_warnings(), seeded(self.random_state):
            # The package sets a deprecated parameter of scikit-learn's lasso.
            warnings.filterwarnings("ignore", "'penalty' was deprecated", FutureWarning)
            warnings.filterwarnings("ignore", "Inconsistent values: penalty=", UserWarning)
            self.model_ = rules.fit(X, y)

    def _predict_rows(self, X: FloatArray) -> npt.NDArray[Any]:
        negative, positive = self.model_.predict_proba(X).T
        return (positive > self.negative_weight * negative).astype(int)


class Ripper(NumbersClassifier):
    """RIPPER (Cohen 1995) of wittgenstein with its defaults, numbers in ten bins; it takes no weights."""

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def _learn(self, X: FloatArray, y: npt.NDArray[Any]) -> None:
        self.model_ = imported("wittgenstein", "RIPPER").RIPPER(random_state=self.random_state)
        with seeded(self.random_state):
            self.model_.fit(X, y, pos_class=1)

    def _predict_rows(self, X: FloatArray) -> npt.NDArray[Any]:
        return np.asarray(self.model_.predict(X)).astype(int)

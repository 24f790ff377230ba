"""Scorecards of others, as classifiers: FasterRisk and optbinning."""

import contextlib
import io

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.utils.class_weight import compute_sample_weight

from paper.baselines.weighted import best_threshold

N_TERMS, N_THRESHOLDS = 10, 20


class Thresholded:
    """A learner without class weights, whose threshold balances the classes on the training rows."""

    def fit(self, X, y):
        """Fit the learner and choose the threshold."""
        self._learn(X, y)
        self.threshold_ = best_threshold(y, self.predict_proba(X)[:, 1], compute_sample_weight("balanced", y))
        return self

    def predict(self, X):
        """Return 1 from the threshold on."""
        return (self.predict_proba(X)[:, 1] >= self.threshold_).astype(int)

    def predict_proba(self, X):
        """Return the risks of both labels."""
        risk = self._risk(X)
        return np.column_stack([1 - risk, risk])


class FasterRisk(Thresholded):
    """The best risk score of FasterRisk of at most ten terms, which compare features with 20 of their quantiles."""

    def _learn(self, X, y):
        from fasterrisk.fasterrisk import RiskScoreClassifier, RiskScoreOptimizer

        levels = np.linspace(0, 1, N_THRESHOLDS + 2)[1:-1]
        cuts = [np.unique(np.quantile(column, levels, method="lower")) for column in X.T]
        self.terms_ = [(j, cut) for j, values in enumerate(cuts) for cut in values if cut < X[:, j].max()]
        with contextlib.redirect_stdout(io.StringIO()):
            search = RiskScoreOptimizer(X=self._terms(X), y=2 * y - 1, k=min(N_TERMS, len(self.terms_)))
            search.optimize()
            scale, intercept, points = search.get_models(model_index=0)
        self.n_terms_ = np.count_nonzero(points)
        self.model_ = RiskScoreClassifier(scale, intercept, points)

    def _terms(self, X):
        return np.column_stack([X[:, j] <= cut for j, cut in self.terms_]).astype(float)

    def _risk(self, X):
        return self.model_.predict_prob(self._terms(X))


class OptimalBinning(Thresholded):
    """A scorecard of optbinning: optimal bins of all features, with points by a logistic regression."""

    def _learn(self, X, y):
        from optbinning import BinningProcess, Scorecard

        frame = self._frame(X)
        self.model_ = Scorecard(
            binning_process=BinningProcess(list(frame.columns)),
            estimator=LogisticRegression(class_weight="balanced", max_iter=10_000),
        ).fit(frame, y)
        bins = self.model_.table(style="detailed")
        self.rows_ = bins[bins["Count"] > 0]

    @staticmethod
    def _frame(X):
        return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])

    def _risk(self, X):
        return self.model_.predict_proba(self._frame(X))[:, 1]


def size_of_risk_score(model):
    """Return the terms; each is one limit."""
    return model.n_terms_, model.n_terms_


def size_of_bins(model):
    """Return the rows of the card, and their limits: all but one of each feature."""
    return len(model.rows_), len(model.rows_) - model.rows_["Variable"].nunique()

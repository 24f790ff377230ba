"""Iguanas: rules from the leaves of boosted trees, of which a budget of alarms takes the best.

The budget is kept on the training rows; nothing is promised of others.
"""

import re

import numpy as np
from sklearn.metrics import balanced_accuracy_score


class IguanasRules:
    """The union of rules of Iguanas that finds most positives within a share of alarms.

    Candidates are all leaves of gain of 50 trees of depth 3, for three weights of the positives; else as it comes.
    """

    def __init__(self, X, y):
        import polars as pl
        from iguanas.rule_evaluation import apply_rules
        from iguanas.rule_generation import rule_grid_search
        from xgboost import XGBClassifier

        trees = XGBClassifier(n_estimators=50, max_depth=3, n_jobs=1, random_state=0)
        balance = (1 - y).sum() / y.sum()
        weights = [1.0, balance**0.5, balance]
        table, labels = _frame(X), pl.Series(y)
        found = rule_grid_search(
            trees, table, labels, scale_pos_weights=weights, n_jobs=1, leaf_selection="all_positive"
        )
        self._member, self._labels = apply_rules(table, found["rule"].to_list()), labels.cast(pl.Boolean)

    def within(self, rate):
        """Return the rules of a budget as one expression, empty if none is within it."""
        from iguanas.rule_combination import combine_rules_budgeted

        chosen = combine_rules_budgeted(self._member, self._labels, rate)
        return chosen.columns[0] if chosen.width else ""


class IguanasClassifier:
    """Iguanas as a classifier: a row ranks by the least budget that flags it, and the best budget in training flags.

    Budgets are shares of the positives from a quarter to sixteen times, and best is by balanced accuracy.
    """

    def fit(self, X, y):
        """Learn rules, take those of each budget, and choose a budget."""
        rules = IguanasRules(X, y)
        budgets = [rules.within(min(1.0, y.mean() * 2.0**k)) for k in range(-2, 5)]
        self.budgets_ = [chosen for chosen in budgets if chosen]
        balanced = [balanced_accuracy_score(y, flagged_by(chosen, X)) for chosen in self.budgets_]
        self.rules_ = self.budgets_[int(np.argmax(balanced))] if balanced else ""
        return self

    def predict(self, X):
        """Return 1 where the chosen rules flag."""
        return flagged_by(self.rules_, X).astype(int)

    def decision_function(self, X):
        """Count the budgets that flag a row."""
        return np.sum([flagged_by(chosen, X) for chosen in self.budgets_], axis=0) + np.zeros(len(X))


def size_of_rules(model):
    """Return the rules and their comparisons."""
    return model.rules_.count("|") + bool(model.rules_), n_limits(model.rules_)


def flagged_by(rules, X):
    """Return the rows that rules flag."""
    from iguanas.rule_evaluation import apply_rules

    return apply_rules(_frame(X), [rules]).to_numpy()[:, 0].astype(bool) if rules else np.zeros(len(X), dtype=bool)


def n_limits(rules):
    """Count the comparisons in rules."""
    return len(re.findall(r"[<>=]=?", rules))


def _frame(X):
    import polars as pl

    return pl.DataFrame({f"x{j}": X[:, j] for j in range(X.shape[1])})

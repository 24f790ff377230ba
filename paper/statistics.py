"""Means, deviations, the sign test, and the comparison with the paper."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from boxdraw._core.arrays import FloatArray
from boxdraw.metrics import sign_test

__all__ = ["Comparison", "Summary", "best_of", "compare", "in_bold", "summary"]

LEVEL = 0.05
_N_PAPER = 10  # splits behind a mean of the paper
_FEWEST = 5  # splits for a meaningful deviation
_ROUNDING = 0.00005  # the paper has four decimals


@dataclass(frozen=True, slots=True)
class Summary:
    """Mean and sample standard deviation of n scores; NaN if undefined."""

    mean: float
    sd: float
    n: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference to the paper, its standard error, and a verdict."""

    difference: float
    error: float
    verdict: str


def summary(scores: FloatArray) -> Summary:
    """Return mean and deviation."""
    n = len(scores)
    return Summary(float(np.mean(scores)) if n else math.nan, float(np.std(scores, ddof=1)) if n > 1 else math.nan, n)


def best_of(scores: Mapping[str, FloatArray]) -> str:
    """Return the method with the highest mean; as in the paper, ties go to the smallest deviation."""
    return min(scores, key=lambda key: (-float(np.mean(scores[key])), float(np.std(scores[key]))))


def in_bold(scores: Mapping[str, FloatArray]) -> dict[str, float]:
    """Return, for each method, the p-value of the sign test against the best one."""
    if not scores:
        return {}
    best = scores[best_of(scores)]
    return {key: sign_test(values, best) for key, values in scores.items()}


def compare(ours: Summary, mean: float, sd: float) -> Comparison:
    """Compare our mean with the paper's."""
    difference = ours.mean - mean
    if ours.n < _FEWEST or math.isnan(difference):
        return Comparison(difference, math.nan, "too few splits")
    theirs = ours.sd if math.isnan(sd) else sd
    error = math.sqrt(ours.sd**2 / ours.n + theirs**2 / _N_PAPER)
    if abs(difference) <= 2 * error + _ROUNDING:
        return Comparison(difference, error, "reproduced")
    return Comparison(difference, error, "higher" if difference > 0 else "lower")

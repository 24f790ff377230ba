"""Means, deviations, the matched-pairs sign test and whether a figure of the paper is met."""

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
_FEWEST = 5  # splits for a deviation that says something
_ROUNDING = 0.00005  # the paper has four decimals


@dataclass(frozen=True, slots=True)
class Summary:
    """Mean and standard deviation (of a sample) of n scores; NaN where there is none."""

    mean: float
    sd: float
    n: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Ours beside the paper's: the difference, its standard error, and a word."""

    difference: float
    error: float
    verdict: str


def summary(scores: FloatArray) -> Summary:
    """Return mean and deviation.

    Parameters
    ----------
    scores : ndarray
        A score per split.

    Returns
    -------
    Summary
        With NaN as the mean of no scores, and as the deviation of fewer than two.

    Examples
    --------
    >>> summary(np.array([0.5, 0.7]))
    Summary(mean=0.6, sd=0.1414..., n=2)
    """
    n = len(scores)
    return Summary(float(np.mean(scores)) if n else math.nan, float(np.std(scores, ddof=1)) if n > 1 else math.nan, n)


def best_of(scores: Mapping[str, FloatArray]) -> str:
    """Return the method with the highest mean; of several such the one with the smallest deviation, as in the paper.

    Parameters
    ----------
    scores : mapping of str to ndarray
        For each method a score per split.

    Returns
    -------
    str
        The key of the best.

    Examples
    --------
    >>> best_of({"a": np.array([0.25, 0.75]), "b": np.array([0.5, 0.5]), "c": np.array([0.25, 0.5])})
    'b'
    """
    return min(scores, key=lambda key: (-float(np.mean(scores[key])), float(np.std(scores[key]))))


def in_bold(scores: Mapping[str, FloatArray]) -> dict[str, float]:
    """Return, for each method, the p-value of the sign test against the best one.

    Parameters
    ----------
    scores : mapping of str to ndarray
        For each method a score per split, of the same splits.

    Returns
    -------
    dict of str to float
        The paper has in bold those that are at least .05.

    Examples
    --------
    >>> high, low = np.linspace(0.8, 0.9, 10), np.linspace(0.5, 0.6, 10)
    >>> in_bold({"a": high, "b": low})
    {'a': 1.0, 'b': 0.001953125}
    """
    if not scores:
        return {}
    best = scores[best_of(scores)]
    return {key: sign_test(values, best) for key, values in scores.items()}


def compare(ours: Summary, mean: float, sd: float) -> Comparison:
    """Compare a mean of ours with one of the paper.

    Parameters
    ----------
    ours : Summary
        Ours.
    mean, sd : float
        The paper's, over ten splits; where the deviation is NaN, ours stands for it.

    Returns
    -------
    Comparison
        "reproduced" if they differ by no more than two standard errors of the difference, sqrt(sd²/n + sd²/10), and
        the paper's rounding; else "higher" or "lower". That is the error of random halves of the same rows. By chance
        alone about one in twenty would be beyond it.

    Examples
    --------
    >>> compare(Summary(0.80, 0.03, 10), 0.82, 0.03).verdict, compare(Summary(0.80, 0.03, 10), 0.9, 0.03).verdict
    ('reproduced', 'lower')
    """
    difference = ours.mean - mean
    if ours.n < _FEWEST or math.isnan(difference):
        return Comparison(difference, math.nan, "too few splits")
    theirs = ours.sd if math.isnan(sd) else sd
    error = math.sqrt(ours.sd**2 / ours.n + theirs**2 / _N_PAPER)
    if abs(difference) <= 2 * error + _ROUNDING:
        return Comparison(difference, error, "reproduced")
    return Comparison(difference, error, "higher" if difference > 0 else "lower")

"""Clusters of a sample, for the rows that are not in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boxdraw.arrays import FloatArray, IntArray, Matrix
from boxdraw.fast.cluster import medians
from boxdraw.fast.scale import Scaling


@dataclass(frozen=True, slots=True)
class Assignment:
    """The centre of each cluster, to find the nearest one to a row.

    Distances are those of k-means: on the scaled axes, standardised, with the sample's median for a missing value. They
    are added up feature by feature, for each row on its own, so that its label does not depend on the rows beside it.
    """

    scaling: Scaling
    medians: FloatArray
    deviation: FloatArray
    centres: FloatArray  # a row per cluster, on the scaled axes

    @classmethod
    def of(
        cls,
        X: Matrix,
        weight: FloatArray | None,
        count: FloatArray | None,
        labels: IntArray,
        scaling: Scaling,
    ) -> Assignment:
        """Find the centres of clustered rows; those labelled -1 are in no cluster."""
        columns = scaling.columns(X)
        middle = medians(columns, count)
        _fill(columns, middle)
        mass = (np.ones(len(X)) if weight is None else weight) * (1.0 if count is None else count)
        mean, deviation = np.empty(len(columns)), np.ones(len(columns))
        for j, column in enumerate(columns):
            mean[j] = (mass * column).sum() / mass.sum()
            deviation[j] = np.sqrt((mass * (column - mean[j]) ** 2).sum() / mass.sum())
        deviation[deviation == 0] = 1
        member = labels >= 0
        size = np.bincount(labels[member], weights=mass[member])
        totals = [np.bincount(labels[member], weights=(mass * column)[member]) for column in columns]
        return cls(scaling, middle, deviation, np.column_stack(totals) / size[:, None])

    def __call__(self, X: Matrix) -> IntArray:
        """Label each row with the nearest centre; of equally near ones, the first."""
        columns = self.scaling.columns(X)
        _fill(columns, self.medians)
        columns /= self.deviation[:, None]
        labels = np.zeros(len(X), dtype=np.intp)
        least = np.full(len(X), np.inf)
        for k, centre in enumerate(self.centres / self.deviation):
            distance = np.zeros(len(X))
            for column, at in zip(columns, centre.tolist(), strict=True):
                distance += (column - at) ** 2
            nearer = distance < least
            labels[nearer], least[nearer] = k, distance[nearer]
        return labels


def _fill(columns: FloatArray, values: FloatArray) -> None:
    for column, value in zip(columns, values.tolist(), strict=True):
        column[np.isnan(column)] = value

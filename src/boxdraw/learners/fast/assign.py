"""Clusters of a sample, for the rows that are not in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from boxdraw._core.arrays import FloatArray, IntArray, Matrix
from boxdraw.learners.fast.cluster import masses, medians
from boxdraw.learners.scaling import Scaling


@dataclass(frozen=True, slots=True)
class Assignment:
    """The centre of each cluster, and the distances of k-means, added up for each row on its own."""

    scaling: Scaling
    medians: FloatArray
    deviation: FloatArray
    centres: FloatArray  # a row per cluster, on the scaled axes

    @classmethod
    def of(
        cls, X: Matrix, weight: FloatArray | None, count: FloatArray | None, labels: IntArray, scaling: Scaling
    ) -> Assignment:
        """Find the centres of clustered rows; those labelled -1 are in no cluster."""
        columns = scaling.columns(X)
        middle = medians(columns, masses(weight, count))
        np.copyto(columns, middle[:, None], where=np.isnan(columns))
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

    def fill(self, label: npt.NDArray[np.signedinteger[Any]], X: Matrix, members: IntArray) -> None:
        """Label some rows, in their places, with the nearest centre; of equally near ones, the first."""
        from boxdraw.learners.fast.nearest import nearest

        scaling = self.scaling
        nearest(
            X,
            members,
            scaling.low,
            scaling.high,
            scaling.prescale,
            scaling.middle,
            scaling.steps,
            self.medians,
            self.deviation,
            self.centres / self.deviation,
            label,
        )

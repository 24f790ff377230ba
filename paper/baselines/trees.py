"""Fitted binary trees as arrays, independent of how they were grown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boxdraw._core.arrays import FloatArray, IntArray

LEAF = -1  # in place of a feature


@dataclass(frozen=True, slots=True)
class BinaryTree:
    """A tree with an entry per node, the root first; rows with at most ``threshold`` in ``feature`` go left."""

    feature: IntArray
    threshold: FloatArray
    left: IntArray
    right: IntArray

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.feature == LEAF))

    def apply(self, X: FloatArray) -> IntArray:
        """Return the leaf of each row."""
        node = np.zeros(len(X), dtype=np.intp)
        moving = np.flatnonzero(self.feature[node] != LEAF)
        while len(moving):
            here = node[moving]
            goes_left = X[moving, self.feature[here]] <= self.threshold[here]
            node[moving] = np.where(goes_left, self.left[here], self.right[here])
            moving = moving[self.feature[node[moving]] != LEAF]
        return node


class Nodes:
    """The nodes of a growing tree."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, float, int, int]] = []

    def add_leaf(self) -> int:
        """Add a leaf; return its index."""
        self.rows.append((LEAF, 0.0, LEAF, LEAF))
        return len(self.rows) - 1

    def split(self, node: int, feature: int, threshold: float) -> tuple[int, int]:
        """Split a leaf; return the indices of its two sides."""
        left, right = self.add_leaf(), self.add_leaf()
        self.rows[node] = (feature, threshold, left, right)
        return left, right

    def tree(self) -> BinaryTree:
        """Return the tree."""
        feature, threshold, left, right = (np.array(column) for column in zip(*self.rows, strict=True))
        return BinaryTree(feature.astype(np.intp), threshold, left.astype(np.intp), right.astype(np.intp))

"""Rows counted by which boxes hold them: against counting one by one, whatever the chunks."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw.learners.patterns import Patterns


def counted(member, positive, weight):
    """The weight of each pattern and class, one row at a time."""
    counts = Counter()
    for row, side, mass in zip(member.tolist(), positive.tolist(), weight.tolist(), strict=True):
        counts[tuple(row), side] += mass
    return counts


@pytest.mark.parametrize("few", [2**16, 1])  # patterns counted by number, or sorted
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**31), n_boxes=st.sampled_from([0, 1, 3, 17, 70]), weighted=st.booleans())
def test_counts_in_any_chunks(few, seed, n_boxes, weighted):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(1, 80))
    member, positive = rng.uniform(size=(n_rows, n_boxes)) < rng.uniform(0.1, 0.9), rng.uniform(size=n_rows) < 0.3
    weight = rng.integers(1, 1000, n_rows) / 64 if weighted else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("boxdraw.learners.patterns._COUNTED", few)
        whole = Patterns.of(member, positive, weight)
        cuts = np.sort(rng.integers(0, n_rows + 1, 3))
        parts = [
            Patterns.of(member[part], positive[part], None if weight is None else weight[part])
            for part in map(lambda ends: slice(*ends), zip([0, *cuts], [*cuts, n_rows], strict=True))
        ]
        merged = parts[0]
        for part in parts[1:]:
            merged = merged.merge(part)
    for one in (whole, merged):
        found = {
            (tuple(row), bool(side)): mass
            for side, masses in enumerate(one.mass)
            for row, mass in zip(one.member.tolist(), masses.tolist(), strict=True)
            if mass
        }
        assert found == counted(member, positive, np.ones(n_rows) if weight is None else weight)
        assert one.member.tolist() == sorted(one.member.tolist())
    np.testing.assert_array_equal(whole.member, merged.member)
    np.testing.assert_array_equal(whole.mass, merged.mass)
    mass = np.ones(n_rows) if weight is None else weight
    np.testing.assert_array_equal(whole.held(), np.column_stack([mass @ member, (mass * positive) @ member]))


def test_needed_boxes():
    """Box 0 holds what 1 and 2 hold together; box 3 holds negatives alone."""
    member = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]], dtype=bool)
    patterns = Patterns.of(member, np.array([True] * 5 + [False]), None)
    assert patterns.needed([0, 1, 2, 3]) == [1, 2]
    assert patterns.needed([0, 3]) == [0]

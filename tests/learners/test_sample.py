"""The class-balanced rows of reports and plots."""

import numpy as np
import pytest

from boxdraw.learners.sample import balanced_rows


@pytest.mark.parametrize(
    ("n_positive", "n_negative", "positives"),
    [(10, 990, 10), (200, 800, 50), (990, 10, 90), (60, 40, 60), (3, 4, 3)],
)
def test_positives_are_up_to_half_unless_negatives_leave_room(n_positive, n_negative, positives):
    positive = np.random.default_rng(0).permutation(np.arange(n_positive + n_negative) < n_positive)
    rows = balanced_rows(positive, 100)
    assert positive[rows].sum() == positives
    assert len(rows) == min(100, len(positive))
    assert (np.diff(rows) > 0).all()
    np.testing.assert_array_equal(rows, balanced_rows(positive, 100))

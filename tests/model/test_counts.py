"""Counts of rows in boxes."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw import BoxSet
from boxdraw.model.export.text import rule_texts
from boxdraw.model.statistics import BoxCounts, box_statistics, counted_statistics


def rows_and_weights(seed, n_rows=60, n_boxes=3):
    rng = np.random.default_rng(seed)
    return (
        rng.random((n_rows, n_boxes)) < 0.4,
        rng.random(n_rows) < 0.3,
        rng.random(n_rows) * 10.0 ** rng.integers(-9, 9),
    )


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10**6), cuts=st.lists(st.integers(0, 60), max_size=4), weighted=st.booleans())
def test_chunks_in_any_number_give_the_same_counts(seed, cuts, weighted):
    member, positive, weight = rows_and_weights(seed)
    weight = weight if weighted else None
    whole = BoxCounts.of(member, positive, weight)
    parts = np.split(np.arange(60), sorted(cuts))
    counts = [BoxCounts.of(member[rows], positive[rows], None if weight is None else weight[rows]) for rows in parts]
    merged = counts[-1]
    for part in counts[:-1]:
        merged = merged.merge(part)
    assert merged == whole


def test_what_is_counted():
    member, positive, weight = rows_and_weights(0)
    counts = BoxCounts.of(member, positive, weight)
    alone = member.sum(axis=1) == 1
    for k in range(3):
        assert float(counts.rows.inside[k]) == math.fsum(weight[member[:, k]])
        assert float(counts.rows.alone[k]) == math.fsum(weight[member[:, k] & alone])
        assert float(counts.positives.inside[k]) == math.fsum(weight[member[:, k] & positive])
        assert float(counts.positives.alone[k]) == math.fsum(weight[member[:, k] & alone & positive])
    assert float(counts.rows.any) == math.fsum(weight[member.any(axis=1)])
    assert float(counts.positives.all) == math.fsum(weight[positive])


def test_a_weight_of_three_is_three_rows():
    member, positive, _ = rows_and_weights(1)
    times = np.random.default_rng(2).integers(0, 4, 60)
    boxes = BoxSet([[0.0]] * 3, [[1.0]] * 3)
    weighted = box_statistics(boxes, member, positive, times.astype(np.float64))
    rows = np.repeat(np.arange(60), times)
    repeated = counted_statistics(rule_texts(boxes), BoxCounts.of(member[rows], positive[rows], None))
    for name, column in repeated.items():
        assert np.array_equal(column, weighted[name]), name
    assert weighted["support"].tolist() == [times[member[:, k]].sum() for k in range(3)]


def test_no_rows():
    table = counted_statistics(["x"], BoxCounts.of(np.zeros((0, 1), bool), np.zeros(0, bool), None))
    assert table["support"].tolist() == [0]
    assert np.isnan(table["precision"]).all()
    assert np.isnan(table["recall"]).all()


def test_weights_must_be_numbers():
    from boxdraw import BoxSetClassifier

    model = BoxSetClassifier(BoxSet([[0.0]], [[1.0]]))
    with pytest.raises(ValueError, match="sample_weight must be finite"):
        model.box_table([[0.5], [2.0]], [0, 1], [1.0, np.nan])

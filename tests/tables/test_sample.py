"""Samples of rows do not depend on how the rows come, and keys are as good as the rows."""

import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw.model.rule import unique_categories
from boxdraw.tables import sample as module
from boxdraw.tables.encoding import Encoding, category_key
from boxdraw.tables.sample import Sample, hash_rows, sampled_numbers


def arrays_of(sample):
    weight = np.empty(0) if sample.weight is None else sample.weight
    return [sample.keys.view(np.uint64), weight, sample.count, np.array([sample.limit, sample.complete])]


def assert_same(one, other):
    for a, b in zip(arrays_of(one), arrays_of(other), strict=True):
        np.testing.assert_array_equal(a, b, strict=True)


def make_rows(rng, n, n_values, weighted):
    values = np.append(np.arange(n_values) / 3, [np.nan, -0.0])
    keys = rng.choice(values, (n, 2))
    return keys, rng.integers(1, 3, n) / 2 if weighted else None


def merged_in_pieces(rng, keys, weight, limit):
    """Shuffle the rows, cut them anywhere and merge neighbours in any order."""
    order = rng.permutation(len(keys))
    cuts = np.sort(rng.integers(0, len(keys) + 1, rng.integers(0, 6)))
    parts = [Sample.of(keys[rows], None if weight is None else weight[rows], limit) for rows in np.split(order, cuts)]
    while len(parts) > 1:
        at = rng.integers(len(parts) - 1)
        one, other = parts.pop(at), parts.pop(at)
        parts.insert(at, one.merge(other) if rng.integers(2) else other.merge(one))
    return parts[0]


@given(st.integers(0, 2**32 - 1), st.integers(0, 60), st.sampled_from([1, 3, 50]), st.booleans(), st.integers(1, 40))
@settings(max_examples=150, deadline=None)
def test_any_split_and_order_of_merging(seed, n, n_values, weighted, limit):
    rng = np.random.default_rng(seed)
    keys, weight = make_rows(rng, n, n_values, weighted)
    whole = Sample.of(keys, weight, limit)
    assert_same(merged_in_pieces(rng, keys, weight, limit), whole)
    counted = {}
    for row, w in zip((keys + 0.0).tolist(), np.ones(n) if weight is None else weight, strict=True):
        pair = (*(None if value != value else value for value in row), float(w))
        counted[pair] = counted.get(pair, 0) + 1
    assert len(whole) == min(limit, len(counted))
    assert whole.complete == (len(counted) <= limit)
    for row, w, count in zip(
        whole.keys.tolist(), np.ones(len(whole)) if weight is None else whole.weight, whole.count, strict=True
    ):
        assert counted[(*(None if value != value else value for value in row), float(w))] == count


def hashes_of(keys, weight=None):
    return hash_rows(np.array(keys, order="C"), weight)


def bits_of(value):
    """The bits of a float, the same for 0.0 and -0.0 and for every NaN."""
    return int.from_bytes(struct.pack(">d", math.nan if math.isnan(value) else value + 0.0), "big")


def mixed(result, bits):
    """A step of splitmix64 on whole numbers of any length, cut to 64 bits."""
    result = ((result + 0x9E3779B97F4A7C15) % 2**64) ^ bits
    result = ((result ^ (result >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    result = ((result ^ (result >> 27)) * 0x94D049BB133111EB) % 2**64
    return result ^ (result >> 31)


NANS = np.array([0x7FF8000000000000, 0xFFF8000000000000, 0x7FF0000000000001, 0x7FF8DEADBEEF0000], np.uint64)
FLOATS = st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 1.0, *NANS.view(np.float64)]))


@given(st.data(), st.integers(0, 6), st.integers(0, 4), st.booleans())
@settings(deadline=None)
def test_hashes_by_whole_numbers(data, n, n_keys, weighted):
    keys = np.array([[data.draw(FLOATS) for _ in range(n_keys)] for _ in range(n)], dtype=float).reshape(n, n_keys)
    weight = np.array([data.draw(st.floats(0.1, 10)) for _ in range(n)]) if weighted else None
    given_keys = keys.copy()
    hashes = hash_rows(keys, weight)
    for i, row in enumerate(given_keys):
        result = 0
        for value in [*row, 1.0 if weight is None else weight[i]]:
            result = mixed(result, bits_of(value))
        assert int(hashes[i]) == result
        assert keys[i].view(np.uint64).tolist() == [bits_of(value) for value in row]


def few_hashes(keys, weight):
    """Hashes of four values at most, so that different rows have the same."""
    hash_rows(keys, weight)  # for the keys' bits
    columns = [*keys.view(np.uint64).T, (np.ones(len(keys)) if weight is None else weight).view(np.uint64)]
    return np.sum([bits >> np.uint64(62) for bits in columns], axis=0, dtype=np.uint64)


@given(st.integers(0, 2**32 - 1), st.booleans(), st.integers(1, 20))
@settings(max_examples=60, deadline=None)
def test_rows_of_the_same_hash_are_told_apart(seed, weighted, limit):
    rng = np.random.default_rng(seed)
    keys, weight = make_rows(rng, 40, 3, weighted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "hash_rows", few_hashes)
        whole = Sample.of(keys, weight, limit)
        assert_same(merged_in_pieces(rng, keys, weight, limit), whole)
        everything = Sample.of(keys, weight, 1000)
    assert everything.count.sum() == 40
    columns = [everything.keys.view(np.uint64)]
    columns += [] if weight is None else [everything.weight.view(np.uint64)[:, None]]
    assert len(np.unique(np.hstack(columns), axis=0)) == len(everything)


def test_no_rows_change_nothing():
    keys = np.array([[1.0], [2.0], [1.0]])
    whole, empty = Sample.of(keys, None, 5), Sample.of(keys[:0], None, 5)
    assert len(empty) == 0
    assert empty.complete
    assert_same(empty.merge(whole), whole)
    assert_same(whole.merge(empty), whole)


def test_many_parts_are_held_as_few_rows():
    parts = [Sample.of(np.full((1, 1), float(k % 7)), None, 3) for k in range(100)]
    merged = parts[0]
    for part in parts[1:]:
        merged = merged.merge(part)
        assert sum(len(rows.keys) for rows in merged._parts) <= 2 * 3
    assert_same(merged, Sample.of(np.arange(100.0)[:, None] % 7, None, 3))


def test_heavy_duplicates():
    keys = np.repeat([[0.0, 1.0], [np.nan, 2.0], [5.0, 5.0]], [10_000, 1, 400], axis=0)
    sample = Sample.of(keys, None, 3)
    assert sample.complete
    assert sorted(sample.count.tolist()) == [1, 400, 10_000]


def test_a_sample_is_spread_evenly():
    # 2000 of 20 000 rows: the share of a half of the range, and that of a corner, are within four standard errors.
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 1000, (20_000, 3)).astype(float)
    sample = Sample.of(keys, None, 2000)
    for chosen, share in ((sample.keys[:, 0] < 500, 0.5), ((sample.keys < 500).all(axis=1), 0.125)):
        assert abs(chosen.mean() - share) < 4 * np.sqrt(share * (1 - share) / 2000)


def test_weights_of_one_are_no_weights():
    keys = np.random.default_rng(0).normal(size=(50, 2))
    np.testing.assert_array_equal(Sample.of(keys, None, 10).keys, Sample.of(keys, np.ones(50), 10).keys)


def test_hashes_do_not_depend_on_the_chunk():
    keys = np.random.default_rng(0).normal(size=(50, 3))
    keys[5, 1] = np.nan
    whole = hashes_of(keys)
    np.testing.assert_array_equal(np.concatenate([hashes_of(keys[:7]), hashes_of(keys[7:])]), whole)
    assert_same(Sample.of(np.asfortranarray(keys), None, 20), Sample.of(keys, None, 20))
    assert len(np.unique(whole)) == 50
    assert not np.isin(hashes_of(keys[:, ::-1]), whole).any()


def test_keys_that_are_given_stay_as_they_are():
    keys = np.array([[-0.0, 1.0]])
    sample = Sample.of(keys, None, 5)
    assert np.signbit(keys[0, 0])
    assert not np.signbit(sample.keys[0, 0])


VALUES = [
    "a",
    "b",
    "",
    "1",
    "1.0",
    "True",
    0,
    1,
    1.0,
    True,
    False,
    -0.0,
    0.1,
    np.float32(0.1),
    2**53,
    2.0**53,
    2**53 + 1,
]
VALUES += [10**5000, -1, np.int8(-1), np.str_("a"), "\ud800", -0.5, 1e300]


def test_keys_are_equal_exactly_where_categories_are():
    for one in VALUES:
        key = category_key(one)
        assert 0 <= key < 2**52
        assert key == int(key)
        for other in VALUES:
            same = len(unique_categories([one, other])) == 1
            assert (category_key(other) == key) == same, (one, other)


def test_keys_are_the_same_in_every_run():
    assert category_key("north") == 888479558428487
    keys = np.array([[1.0, np.nan]])
    assert hash_rows(keys, None).tolist() == hash_rows(keys, np.ones(1)).tolist() == [16727851657559861219]
    assert hash_rows(keys, np.array([2.5])).tolist() == [12716259379481738504]


@given(st.integers(0, 2**32 - 1), st.integers(0, 20))
@settings(max_examples=60, deadline=None)
def test_keys_and_back(seed, n):
    rng = np.random.default_rng(seed)
    categories = (None, ("b", "a", 1, 2.5), None, (False, True), ())
    encoding = Encoding(None, categories, (True, True, False, False, True))
    table = np.empty((n, 5), dtype=object)
    table[:, 0] = rng.choice([1.5, -2.0, np.nan], n)
    table[:, 1] = [["b", "a", 1.0, 2.5, None][k] for k in rng.integers(0, 5, n)]
    table[:, 2] = rng.normal(size=n)
    table[:, 3] = rng.choice([True, False], n)
    table[:, 4] = None
    X = encoding.encode(table)
    keys = encoding.keys(X)
    assert keys.shape == (n, 5)
    np.testing.assert_array_equal(encoding.from_keys(keys), X, strict=True)
    sample = Sample.of(keys, None, 100)
    np.testing.assert_array_equal(np.unique(encoding.from_keys(sample.keys), axis=0), np.unique(X, axis=0))


def test_keys_of_numbers_are_the_numbers():
    X = np.array([[1.0, -0.0], [0.1, 3.0]], dtype=np.float32)
    encoding = Encoding.of_numbers(None, X, True)
    keys = encoding.keys(X)
    np.testing.assert_array_equal(keys, X.astype(np.float64), strict=True)
    assert not np.signbit(keys).any()
    np.testing.assert_array_equal(encoding.from_keys(keys), keys)


def test_keys_of_categories_that_are_not_in_the_encoding():
    encoding = Encoding(None, (("a",), ("a",)), (False, True))
    X = encoding.from_keys(np.array([[category_key("b"), category_key("b")], [np.nan, np.nan]]))
    np.testing.assert_array_equal(X, [[np.inf, np.inf], [np.inf, 1]])


def test_numbers_of_rows_are_those_of_the_least_hashes(monkeypatch):
    keys = np.column_stack([np.full(1000, 5.0), np.arange(1000.0)])
    expected = np.sort(np.argsort(hash_rows(keys, None))[:300]).tolist()
    assert sampled_numbers(1000, 300, 5).tolist() == expected
    assert sampled_numbers(1000, 300, 6).tolist() != expected
    monkeypatch.setattr(module, "_TILE", 7)
    assert sampled_numbers(1000, 300, 5).tolist() == expected


def test_every_row_is_as_likely_to_be_drawn():
    times = np.bincount(np.concatenate([sampled_numbers(200, 50, seed) for seed in range(400)]), minlength=200)
    # Each is drawn 100 times on average; the sum of squares, over the variance, is about chi-squared of 199.
    assert 120 < ((times - 100) ** 2 / 75).sum() < 290

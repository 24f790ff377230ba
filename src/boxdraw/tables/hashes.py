"""Hashes of very many rows, compiled."""

# mypy: disable-error-code="no-untyped-def"
# (numba finds the types of the compiled functions)

from __future__ import annotations

import numpy as np

from boxdraw._core.compiled import entry, inner

# The constants of splitmix64 (Steele, Lea and Flood 2014).
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FACTOR_1, _FACTOR_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)

_NAN, _ONE = np.array([np.nan, 1.0]).view(np.uint64)


@entry
def pair_hashes(keys, weight, hashes):
    """Hash rows with their weights, an empty array if all are 1; make the bits of equal keys equal."""
    n_rows, n_keys = keys.shape
    bits, weight_bits = keys.view(np.uint64), weight.view(np.uint64)
    for i in range(n_rows):
        result = np.uint64(0)
        for j in range(n_keys):
            keys[i, j] += 0.0  # -0.0 + 0.0 is 0.0
            if np.isnan(keys[i, j]):
                bits[i, j] = _NAN
            result = _mixed(result, bits[i, j])
        hashes[i] = _mixed(result, weight_bits[i] if len(weight) else _ONE)


@inner
def _mixed(result, bits):
    """Mix one more number into a hash."""
    result = (result + _STEP) ^ bits
    result ^= result >> _SHIFT_1
    result *= _FACTOR_1
    result ^= result >> _SHIFT_2
    result *= _FACTOR_2
    return result ^ (result >> _SHIFT_3)

"""Numbers, ticks and histograms of the pictures, computed by the page's own functions."""

import numpy as np
import pytest

from .javascript import run_js


def test_short_numbers_are_no_more_than_a_pixel_off(page):
    rng = np.random.default_rng(0)
    values = (rng.normal(size=200) * 10.0 ** rng.integers(-6, 7, 200)).tolist()
    units = (10.0 ** rng.uniform(-5, 3, 200)).tolist()
    call = "argument.map(([value, unit, whole]) => snapValue(value, unit, whole))"
    short = run_js(page, ["scale"], call, [[*pair, False] for pair in zip(values, units, strict=True)])
    for value, unit, found in zip(values, units, short, strict=True):
        assert abs(value - found) <= unit / 2 * (1 + 1e-9)
        # No more decimals than a step of at most a pixel has.
        assert found == round(found, int(-np.floor(np.log10(unit))))
    whole = run_js(page, ["scale"], call, [[*pair, True] for pair in zip(values, units, strict=True)])
    assert all(value == int(value) for value in whole)


def test_ticks_are_few_and_in_the_picture(page):
    rng = np.random.default_rng(1)
    call = "argument.map((range) => tickValues(makeScale(range, 40, 440), 80))"
    low = 10.0 ** rng.uniform(-4, 4, 100)
    ranges = [
        {"low": start, "high": start * factor, "log": bool(log)}
        for start, factor, log in zip(low, 10 ** rng.uniform(0.1, 6, 100), rng.integers(0, 2, 100), strict=True)
    ]
    for given, ticks in zip(ranges, run_js(page, ["scale"], call, ranges), strict=True):
        assert 1 <= len(ticks) <= 6
        assert all(given["low"] <= tick <= given["high"] for tick in ticks)
        assert ticks == sorted(set(ticks))
        assert all(len(np.format_float_scientific(tick, trim="-").split("e")[0]) <= 5 for tick in ticks)


def test_histograms_count_each_class_by_weight(page):
    rng = np.random.default_rng(2)
    values, positive, weight = rng.uniform(-1, 5, 80), rng.integers(0, 2, 80), rng.uniform(1, 3, 80)
    values[:7] = np.nan
    tables = [{"columns": [values.tolist()], "positive": positive.tolist(), "weight": weight.tolist()}]
    found = run_js(page, ["spread"], "classHistogram(argument, 0, 4, (value) => Math.floor(value))", tables)
    for label, name in enumerate(("negative", "positive")):
        rows = positive == label
        expected = np.histogram(values[rows], [0, 1, 2, 3, 4], weights=weight[rows])[0] / weight[rows].sum()
        shares = found[name]
        assert [shares[str(i)] if isinstance(shares, dict) else shares[i] for i in range(4)] == pytest.approx(expected)

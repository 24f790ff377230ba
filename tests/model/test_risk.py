"""The risk of regions, against scipy and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from boxdraw import BoxSet, Scorecard
from boxdraw.model.risk import estimate_risk, percent

BOXES = BoxSet([[3], [1]], [[9], [12]], feature_names=["dose"])


def counted(*pairs):
    """Return rows and positives of regions."""
    return np.array([n for n, _ in pairs], dtype=float), np.array([k for _, k in pairs], dtype=float)


def test_the_interval_is_that_of_jeffreys_with_twice_the_variance():
    region = estimate_risk([5, None], *counted((40, 13), (400, 2)))[0]
    tail = stats.norm.cdf(np.sqrt(2) * stats.norm.ppf(0.025))
    assert (region.low, region.high) == pytest.approx(stats.beta.ppf([tail, 1 - tail], 13.5, 27.5))


def test_shares_are_shrunk_towards_a_logistic_curve_through_all_regions():
    rng = np.random.default_rng(0)
    for _ in range(50):
        n = rng.integers(1, 60, rng.integers(1, 9)).astype(float)
        k = np.floor(np.sort(rng.random(len(n)))[::-1] * n)
        table = estimate_risk([*range(len(n))[:0:-1], None], n, k)
        curve, rate = logistic_curve(n, k), k.sum() / n.sum()
        if not 0 < rate < 1:
            assert table[0].risk == pytest.approx((k.sum() + rate / 2) / (n.sum() + 0.5))
        elif len(table) == len(n):  # none is put to another one
            share = np.clip(k + curve / 2, rate / 2, n + rate / 2) / (n + 0.5)
            np.testing.assert_allclose([region.risk for region in table], share, atol=2e-6)


def test_no_region_is_surer_than_half_a_row_at_the_base_rate():
    table = estimate_risk([3, 2, None], *counted((40, 40), (30, 10), (930, 0)))
    assert (table[0].risk, table[2].risk) == pytest.approx((40.025 / 40.5, 0.025 / 930.5))


def logistic_curve(n, k):
    """Return a logistic regression on the log-odds of the share of rows that rank higher, with half a row each."""
    rate, above = k.sum() / n.sum(), (np.cumsum(n) - n / 2) / n.sum()
    x, n, k = np.log((1 - above) / above), n + 0.5, k + rate / 2
    loss = lambda b: (n * np.logaddexp(0, b[0] + b[1] * x) - k * (b[0] + b[1] * x)).sum()  # noqa: E731
    if not 0 < rate < 1:
        return np.full(len(n), rate)
    best = optimize.minimize(
        loss, [0, 0], method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-13, "maxiter": 9999}
    ).x
    return 1 / (1 + np.exp(-best[0] - best[1] * x))


def test_the_interval_holds_the_share_of_as_many_new_rows():
    rng = np.random.default_rng(0)
    for n, rate in ((60, 0.3), (200, 0.05), (500, 0.9)):
        first, second = rng.binomial(n, rate, (2, 4000))
        tables = [estimate_risk([None], *counted((n, k)))[0] for k in range(n + 1)]
        inside = [tables[k].low <= new / n <= tables[k].high for k, new in zip(first, second, strict=True)]
        assert 0.93 <= np.mean(inside) <= 0.975


def test_the_interval_ends_where_new_rows_may_be_all_alike():
    few, none, some = (estimate_risk([None], *counted((100, k)))[0] for k in (1, 0, 20))
    assert few.low == none.low == 0 < some.low
    assert stats.betabinom(100, 1.5, 99.5).pmf(0) > 0.025 > stats.betabinom(100, 20.5, 80.5).pmf(0)
    assert estimate_risk([None], *counted((100, 99)))[0].high == 1


def test_regions_out_of_order_are_put_together():
    table = estimate_risk([8, 5, 3, None], *counted((10, 2), (10, 8), (10, 1), (100, 0)))
    assert [region.of for region in table] == [5, 3, None]
    assert table[0].n_rows == 20
    risks = [region.risk for region in table]
    assert risks == sorted(risks, reverse=True)


def test_regions_without_rows_are_put_together_with_others():
    table = estimate_risk([9, 7, 5, 3, None], *counted((0, 0), (9, 8), (0, 0), (20, 3), (0, 0)))
    assert [(region.of, region.n_rows) for region in table] == [(5, 9), (None, 20)]
    assert estimate_risk([(0,), ()], *counted((3, 1), (0, 0)), boxes=BOXES).labels() == ["every row"]


def test_rows_belong_to_the_first_region_that_holds_them():
    table = estimate_risk([(0,), (1,), ()], *counted((10, 9), (20, 5), (30, 0)), boxes=BOXES)
    assert table.places([[4], [2], [50]], BOXES).tolist() == [0, 1, 2]
    card = Scorecard(BOXES, [3, 2], 3)
    points = estimate_risk([5, 2, None], *counted((10, 9), (20, 5), (30, 0)))
    assert points.places([[4], [2], [50]], card).tolist() == [0, 1, 2]
    assert points.labels() == ["5 or more points", "2 to 4 points", "fewer than 2 points"]


def test_another_base_rate_moves_the_odds():
    pairs = counted((10, 9), (90, 1))
    plain, moved = estimate_risk([1, None], *pairs), estimate_risk([1, None], *pairs, base_rate=0.01)
    factor = (0.01 / 0.99) / (0.1 / 0.9)
    for one, other in zip(plain, moved, strict=True):
        for a, b in ((one.risk, other.risk), (one.low, other.low), (one.high, other.high)):
            assert a == b if a in (0, 1) else b / (1 - b) == pytest.approx(factor * a / (1 - a))


@pytest.mark.parametrize("wrong", [0, 1, True, "1%", -0.1, float("nan")])
def test_a_base_rate_is_a_share(wrong):
    with pytest.raises(ValueError, match="base_rate must be None or a number between 0 and 1"):
        estimate_risk([None], *counted((10, 1)), base_rate=wrong)


def test_weights_of_a_sample_tell_as_much_as_its_rows():
    # Of 1000 negatives every tenth was drawn: the interval is that of fewer rows.
    whole, sampled = (estimate_risk([None], *counted((1100, 100)), each=(1.0, v))[0] for v in (1.0, 10.0))
    assert sampled.low < whole.low < whole.risk < whole.high < sampled.high


@pytest.mark.parametrize(
    ("share", "text"),
    [(0, "0%"), (0.0004, "0.04%"), (0.42, "42%"), (0.0136, "1%"), (0.996, "99.6%"), (0.99996, "99.996%"), (1, "100%")],
)
def test_percent_tells_small_shares_from_none(share, text):
    assert percent(share) == text

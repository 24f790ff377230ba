"""Rules watched over periods."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import fisher_exact, hypergeom

from boxdraw import BoxSet, BoxSetClassifier, Scorecard, monitor
from boxdraw.model.file import Model
from boxdraw.service import counts
from boxdraw.service.counts import Counter, stability_index, tails
from boxdraw.service.monitor import watch

NAMES = ["amount", "hour", "region"]
BOXES = BoxSet.from_text("amount >= 1 and region in {x, y}\nhour >= 20", NAMES)
MODEL = BoxSetClassifier(BOXES, classes=(False, True))


def rows(n=2000, seed=0, shift=0.0, caught=0.7, regions=("x", "y", "z"), missing=0.02):
    """Return rows of which those in a box are positive with a chance, others rarely."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "amount": np.where(rng.random(n) < missing, np.nan, rng.normal(shift, size=n).round(2)),
            "hour": rng.integers(0, 24, n),
            "region": rng.choice(regions, n),
        }
    )
    return X, rng.random(n) < np.where(BOXES.contains(X), caught, 0.01)


def readings(found):
    return {(one.period, one.what, one.measure): one for one in found.readings}


def test_figures_are_those_of_the_rows():
    base, periods = rows(), {"May": rows(700, 1), "June": rows(900, 2, 0.1)}
    found = readings(monitor(MODEL, base, periods))
    every = pd.concat([X for X, _ in periods.values()]), np.concatenate([y for _, y in periods.values()])
    holders = {
        "box 1": lambda X: BOXES.membership(X)[:, 0],
        "box 2": lambda X: BOXES.membership(X)[:, 1],
        "all": BOXES.contains,
    }
    figures = {
        "alarm rate": lambda held, y: (held.sum(), len(y)),
        "precision": lambda held, y: (y[held].sum(), held.sum()),
        "recall": lambda held, y: (y[held].sum(), y.sum()),
    }
    for what, holds in holders.items():
        for measure, figure in figures.items():
            one = found["June", what, measure]
            (a, b), (c, d), (e, f) = (figure(holds(X), y) for X, y in (base, periods["June"], every))
            assert (one.reference, one.value, one.so_far) == pytest.approx((a / b, c / d, e / f))
            if measure == "recall" and what != "all":  # told, not tested
                assert np.isnan([one.p, one.p_so_far]).all()
                continue
            for p, part, whole in ((one.p, c, d), (one.p_so_far, e, f)):
                sides = [
                    fisher_exact([[part, whole - part], [a, b - a]], alternative=side).pvalue
                    for side in ("less", "greater")
                ]
                assert p == pytest.approx(min(1, 2 * min(sides)))


def test_features_are_counted_in_bins_of_the_reference():
    base, now = rows()[0], rows(900, 3, 0.2, regions=("x", "y", "w"), missing=0.1)[0]
    found = readings(monitor(BOXES, base, {"May": now}))
    for column, places in (
        (
            "amount",
            lambda X: np.digitize(X.amount, np.unique(np.sort(base.amount.dropna())[_deciles(base)]), right=True),
        ),
        ("region", lambda X: X.region.map({"x": 0, "y": 1}).fillna(2).to_numpy()),
    ):
        bins = [np.bincount(np.where(X[column].isna(), 20, places(X)).astype(int), minlength=21) for X in (base, now)]
        one = found["May", column, "stability index"]
        used = (bins[0] + bins[1]) > 0
        p, q = ((n[used] + 0.5) / (n[used].sum() + 0.5 * used.sum()) for n in bins)
        assert one.value == pytest.approx(sum((b - a) * math.log(b / a) for a, b in zip(p, q, strict=True)))
        together = [
            2 * min(law.cdf(k), law.sf(k - 1))
            for k, n in zip(bins[1][used], bins[0][used], strict=True)
            for law in [hypergeom(len(base) + len(now), k + n, len(now))]
        ]
        assert one.p == pytest.approx(min(1, min(together) * used.sum()))
    assert found["May", "amount", "missing"].value == pytest.approx(now.amount.isna().mean())
    assert found["May", "region", "unseen"].value == pytest.approx((now.region == "w").mean())
    assert found["May", "region", "unseen"].reference == pytest.approx((base.region == "z").mean())


def _deciles(base):
    n = base.amount.notna().sum()
    return [n * k // 10 for k in range(1, 10)]


def test_few_numbers_are_bins_of_their_own():
    boxes = BoxSet([[1]], [[1]])
    base, now = np.repeat([0, 1], [3, 97])[:, None], np.repeat([0, 1], [40, 60])[:, None]
    found = monitor(boxes, base, [now])
    assert any(alarm.measure == "stability index" and "up to 0: 3% → 40%" in alarm.text for alarm in found.alarms)


@pytest.mark.parametrize(("n", "m"), [(50, 30), (20, 200)])
def test_tails_keep_their_level_though_the_reference_chose_the_bins(n, m):
    rng = np.random.default_rng(0)
    chances = []
    for _ in range(1500):
        base, now = rng.random(n), rng.random(m)
        edges = counts._edges(base)
        found, expected = (np.bincount(np.searchsorted(edges, one), minlength=10) for one in (now, base))
        chances.append(tails(found, np.array([m]), expected, np.array([n])))
    chances = np.array(chances)
    for level in (0.2, 0.05, 0.01):
        assert (chances <= level).mean(axis=0).max() <= level + 4 * math.sqrt(level / 1500)


def test_stable_years_raise_few_false_alarms():
    """At no tolerance, so that significance alone decides; without the level there is an alarm in nearly every year."""
    raised = careless = 0
    for year in range(200):
        rng = np.random.default_rng(year)
        X, y = rng.random((1500, 2)).round(3), rng.random(1500)
        X, y = np.concatenate([X, rng.random((12 * 250, 2)).round(3)]), np.concatenate([y, rng.random(12 * 250)]) < 0.3
        boxes = BoxSet([[0.8, -math.inf], [-math.inf, 0.7]], [[math.inf, math.inf], [0.5, math.inf]])
        periods = [(X[k : k + 250], y[k : k + 250]) for k in range(1500, 4500, 250)]
        found = monitor(BoxSetClassifier(boxes, classes=(False, True)), (X[:1500], y[:1500]), periods, tolerance=0)
        assert found.level == 0.05 / (2 * 9 * 12)  # alarm rate and precision of two boxes and all, recall, two features
        least = min(min(one.p, one.p_so_far) for one in found.readings if one.p == one.p)
        raised += least <= found.level
        careless += least <= 0.05
        assert found.ok or least <= found.level
    assert 1 <= raised <= 18
    assert careless > 150


def test_the_level_follows_what_is_asked_and_what_is_tested():
    base, now = rows(), [rows(500, 1)]
    assert monitor(MODEL, base, now).level == 0.05 / (2 * (3 + 3 + 1 + 3) * 12)
    assert monitor(MODEL, base, now, false_alarms=0.1, periods_per_year=52).level == 0.1 / (2 * 10 * 52)
    assert monitor(MODEL, base[0], now).level == 0.05 / (2 * (3 + 3) * 12)  # no labels to compare with


@pytest.mark.parametrize(
    ("drift", "what", "measure", "within"),
    [
        ({"caught": 0.4}, "box 2", "precision", 2),
        ({"caught": 0.55}, "all", "precision", 4),
        ({"shift": 0.6}, "amount", "stability index", 1),
        ({"missing": 0.15}, "amount", "stability index", 1),
        ({"regions": ("x", "y", "w", "z", "z")}, "region", "stability index", 2),
    ],
)
def test_drift_is_found(drift, what, measure, within):
    found = monitor(MODEL, rows(4000), [rows(800, seed, **drift) for seed in range(1, 7)])
    first = min(alarm.period for alarm in found.alarms if (alarm.what, alarm.measure) == (what, measure))
    assert first <= within
    assert not found.ok


def test_slow_drift_is_found_by_all_periods_together():
    found = monitor(MODEL, rows(8000), [rows(400, seed, caught=0.58) for seed in range(1, 13)])
    slow = [alarm for alarm in found.alarms if " so far (p = " in alarm.text]
    assert any(alarm.what == "all" and alarm.measure == "precision" for alarm in slow)
    for alarm in slow:
        one = readings(found)[alarm.period, alarm.what, alarm.measure]
        assert (alarm.value, alarm.p) == (one.so_far, one.p_so_far)
        assert one.p > found.level or abs(one.value / one.reference - 1) <= 0.1


def test_what_is_sure_but_small_is_within_bounds():
    base, now = rows(60_000, caught=0.7), rows(60_000, 1, caught=0.66)
    assert monitor(MODEL, base, [now]).ok
    assert not monitor(MODEL, base, [now], tolerance=0.01).ok


def test_pieces_are_counted_as_the_whole():
    base, now = rows(900), rows(500, 1, 0.4, missing=0.2)
    model = Model(BOXES, classes=(False, True))

    def pieces(X, y, size):
        return [(X[k : k + size], y[k : k + size].astype(np.int8)) for k in range(0, len(X), size)]

    def watched(size, last):
        named = [("May", piece) for piece in pieces(*now, last)]
        return watch(model, iter(pieces(*base, size)), named, 12, 0.05, 0.1)

    assert watched(900, 500).to_frame().equals(watched(70, 33).to_frame())
    assert watched(900, 500).alarms == watched(70, 33).alarms == monitor(MODEL, base, {"May": now}).alarms


def test_bins_are_those_of_the_first_rows(monkeypatch):
    monkeypatch.setattr(counts, "_ENOUGH", 100)
    X, _ = rows(500)
    none = np.full(500, -1, dtype=np.int8)
    ways = [Counter.of(Model(BOXES), [(X[k : k + n], none[k : k + n]) for k in range(0, 500, n)]) for n in (500, 70)]
    for j in (0, 1):
        assert np.array_equal(ways[0][0].edges[j], counts._edges(X.iloc[:100, j].to_numpy()))
        assert np.array_equal(ways[0][0].edges[j], ways[1][0].edges[j])
    assert all(map(np.array_equal, ways[0][1], ways[1][1]))


def test_the_order_of_rows_and_columns_does_not_matter():
    base, now = rows(), rows(500, 1, 0.3)
    other = []
    for X, y in (base, now):
        order = np.random.default_rng(0).permutation(len(X))
        other.append((X.iloc[order][["region", "amount", "hour"]], y[order]))
    assert monitor(MODEL, *[base, [now]]).to_frame().equals(monitor(MODEL, other[0], other[1:]).to_frame())


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.from_pandas])
def test_one_frame_with_a_column_of_periods(kind):
    frames = []
    for month, (X, y) in (("2026-11", rows(500, 1)), ("2026-10", rows(600, 2, 0.5)), ("2026-12", rows(400, 3))):
        frames.append(X.assign(month=month, fraud=y))
    X, y = rows()
    every = pd.concat(frames, ignore_index=True)
    one = monitor(MODEL, kind(X.assign(fraud=y)), kind(every), target="fraud", time="month")
    parts = {month: (rest.drop(columns=["month", "fraud"]), rest.fraud) for month, rest in every.groupby("month")}
    assert list(parts) == ["2026-10", "2026-11", "2026-12"]
    assert one.to_frame().equals(monitor(MODEL, (X, y), parts).to_frame())
    assert isinstance(one.to_frame(kind(X)), type(kind(X)))


def test_labels_may_be_absent():
    base, (X, y) = rows(), rows(600, 1)
    some = y.astype(object)
    some[::3] = None
    found = monitor(MODEL, base, {"none": X, "some": (X, some), "missing": (X, np.full(600, None))})
    kept = readings(monitor(MODEL, base, {"kept": (X[np.arange(600) % 3 > 0], y[np.arange(600) % 3 > 0])}))
    found = readings(found)
    for period in ("none", "missing"):
        for measure in ("precision", "recall"):
            one = found[period, "all", measure]
            assert math.isnan(one.value)
            assert math.isnan(one.p_so_far)
    assert found["some", "all", "precision"].value == kept["kept", "all", "precision"].value
    assert found["some", "all", "alarm rate"].value == found["none", "all", "alarm rate"].value
    assert not any(measure in ("precision", "recall") for _, _, measure in readings(monitor(BOXES, X, [X])))


def test_the_precision_to_expect_is_the_mean_risk():
    X, y = rows(4000, regions=("x", "y"))
    model = BoxSetClassifier(BOXES).fit(X, y)
    now = rows(500, 1, regions=("x", "y"))[0]
    found = readings(monitor(model, (X, y), {"May": now}))
    risk, flagged = model.predict_proba(now)[:, 1], model.predict(now)
    assert flagged.any()
    assert found["May", "all", "precision"].expected == pytest.approx(risk[flagged].mean())
    held = model.transform(now)[:, 0]
    assert found["May", "box 1", "precision"].expected == pytest.approx(risk[held].mean())
    assert "precision expected " in monitor(model, (X, y), {"May": now}).to_text()


def test_a_scorecard_flags_by_its_points():
    card = Scorecard(BOXES, [2, -1], threshold=1)
    now = rows(500, 1)[0]
    found = readings(monitor(card, rows(), {"May": now}))
    assert found["May", "all", "alarm rate"].value == pytest.approx(card.contains(now).mean())
    assert found["May", "box 2", "alarm rate"].value == pytest.approx((now.hour >= 20).mean())


def test_the_target_of_the_model_is_found():
    X, y = rows(regions=("x", "y"))
    model = BoxSetClassifier(BOXES).fit(X, pd.Series(y, name="fraud"))
    found = monitor(model, X.assign(fraud=y), [X.assign(fraud=y)])
    assert found.ok
    assert readings(found)[1, "all", "recall"].value == pytest.approx((y & model.predict(X)).sum() / y.sum())


def test_of_bare_rules_the_rarer_label_is_positive():
    X, y = rows()
    text = np.where(y, "fraud", "fine")
    one = readings(monitor(BOXES, (X, text), [(X, text)]))[1, "all", "precision"]
    assert one.value == pytest.approx(y[BOXES.contains(X)].mean())


def test_a_bad_period_is_not_told_for_ever():
    calm = {name: rows(1500, seed) for seed, name in enumerate(("May", "July", "August"), start=1)}
    periods = {"May": calm["May"], "June": rows(3000, 9, caught=0.2), "July": calm["July"], "August": calm["August"]}
    found = monitor(MODEL, rows(9000), periods)
    reading = readings(found)["August", "all", "precision"]
    assert reading.p_so_far <= found.level  # all so far are still off, but no longer the newest period
    assert {alarm.period for alarm in found.alarms} == {"June"}
    assert found.ok_now
    assert not found.ok
    drift = monitor(MODEL, rows(9000), [rows(400, seed, caught=0.58) for seed in range(12)])
    assert any("so far" in alarm.text for alarm in drift.alarms)


def test_text_frame_and_page_say_the_same():
    found = monitor(MODEL, rows(4000), {"May": rows(800, 1), "June <script>": rows(800, 2, caught=0.3)})
    alarm = next(one for one in found.alarms if (one.what, one.measure) == ("box 2", "precision"))
    assert alarm.text.startswith("box 2: precision ")
    assert f"June <script>: {alarm.text}" in found.to_text()
    assert found.to_text() == repr(found)
    frame, page = found.to_frame(), found.to_html()
    assert frame.out_of_bounds.sum() == len(found.alarms) == page.count('class="out"')
    assert alarm.text in page
    assert "<script>" not in page
    assert page.count("<svg") == len(set(zip(frame.what, frame.measure, strict=True)))
    assert monitor(MODEL, rows(), [rows(300, 1)]).to_text().startswith("Within bounds\n1: alarm rate ")


def test_nothing_to_count():
    none = BoxSet(np.empty((0, 2)), np.empty((0, 2)))
    assert monitor(none, [[1, 2]], [[[3, 4]]]).ok
    X, y = rows()
    assert monitor(MODEL, (X, y), [(X[:0], y[:0])]).ok


def test_the_stability_index_of_equal_shares_is_0():
    assert stability_index(np.array([10, 0, 30]), np.array([10, 0, 30])) == 0
    assert stability_index(np.array([10, 30]), np.array([30, 10])) == pytest.approx(2 * 20 / 41 * math.log(30.5 / 10.5))


X, Y = rows(50)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("amount > 3", X, [X]), {}, TypeError, "model must be a BoxSet, a Scorecard or a fitted classifier, got str"),
        ((BOXES, X[:0], [X]), {}, ValueError, "The reference has no rows"),
        ((BOXES, X, []), {}, ValueError, "There are no periods"),
        ((BOXES, X, X), {}, TypeError, "periods must be a mapping .* got DataFrame"),
        ((BOXES, X, X), {"time": "month"}, ValueError, "one frame that has this column"),
        ((BOXES, X, [X]), {"time": "month"}, ValueError, "one frame that has this column"),
        ((BOXES, X, X.assign(month=None)), {"time": "month"}, ValueError, "'month' of periods has missing values"),
        ((BOXES, X, [X]), {"target": "fraud"}, ValueError, "'fraud' is a column of neither"),
        ((BOXES, X, [(X, Y, Y)]), {}, TypeError, "a frame, an array or a pair .X, y., got tuple"),
        ((BOXES, X, [3]), {}, TypeError, "a frame, an array or a pair .X, y., got int"),
        ((BOXES, X, [(X, Y[:, None])]), {}, ValueError, "labels of shape .50, 1."),
        ((BOXES, X, X.assign(month=[1, "a"] * 25)), {"time": "month"}, ValueError, "The periods have no order"),
        ((BOXES, X, [X]), {"tolerance": "10%"}, ValueError, "tolerance must be a number of at least 0, got '10%'"),
        ((BOXES, X, [(X, Y[:3])]), {}, ValueError, "a label for each row of X: 50, got labels of shape .3,."),
        ((BOXES, (X, ["a"] * 50), [X]), {}, ValueError, "has the labels .'a'.; expected two"),
        ((MODEL, X, [(X, ["a"] * 50)]), {}, ValueError, "the label 'a'; expected False or True"),
        ((BOXES, X.drop(columns="hour"), [X]), {}, ValueError, "lacks the columns .'hour'."),
        ((BOXES, X, [X]), {"false_alarms": 5}, ValueError, "false_alarms must be a share between 0 and 1, got 5"),
        ((BOXES, X, [X]), {"tolerance": -1}, ValueError, "tolerance must be a number of at least 0, got -1"),
        ((BOXES, X, [X]), {"periods_per_year": 0.5}, ValueError, "periods_per_year must be a whole number"),
    ],
)
def test_what_cannot_be_watched(arguments, options, error, message):
    with pytest.raises(error, match=message):
        monitor(*arguments, **options)


@pytest.mark.parametrize("bare", [False, True])
def test_stored_tables_give_the_same(tmp_path, bare):
    import pyarrow as pa
    import pyarrow.dataset
    import pyarrow.parquet

    tables, model = [], BOXES if bare else MODEL
    for month, (X, y) in (("2026-10", rows(900)), ("2026-11", rows(700, 1)), ("2026-12", rows(600, 2, 0.5))):
        tables.append(X.assign(other=1.0, month=month, fraud=y))
    base, every = tables[0].drop(columns="month"), pd.concat(tables[1:], ignore_index=True)
    whole = monitor(model, base, every, target="fraud", time="month")
    paths = [tmp_path / "base.parquet", tmp_path / "every.parquet"]
    for path, frame in zip(paths, (base, every), strict=True):
        pyarrow.parquet.write_table(pa.Table.from_pandas(frame), path, row_group_size=100)
    stored = monitor(model, paths[0], pa.dataset.dataset(paths[1]), target="fraud", time="month")
    assert stored.to_frame().equals(whole.to_frame())
    base.to_csv(tmp_path / "base.csv", index=False)
    apart = {month: part.drop(columns="month") for month, part in every.groupby("month")}
    named = monitor(model, str(tmp_path / "base.csv"), apart, target="fraud")
    assert named.to_frame().equals(whole.to_frame())
    files = {month: [tmp_path / f"{month}-{k}.csv" for k in range(3)] for month in apart}
    for month, part in apart.items():
        for k, path in enumerate(files[month]):
            part[k::3].to_csv(path, index=False)
    assert monitor(model, [tmp_path / "base.csv"], files, target="fraud").to_frame().equals(whole.to_frame())


def test_frames_of_dask_give_the_same():
    dd = pytest.importorskip("dask.dataframe")
    base, now = (X.assign(fraud=y) for X, y in (rows(900), rows(700, 1, 0.4)))
    month = now.assign(month=np.where(np.arange(700) % 3, 11, 12))
    parts = [dd.from_pandas(frame, npartitions=n) for frame, n in ((base, 3), (now, 4), (month, 5))]
    whole = monitor(MODEL, base, {"May": now}, target="fraud")
    assert monitor(MODEL, parts[0], {"May": parts[1]}, target="fraud").to_frame().equals(whole.to_frame())
    whole = monitor(MODEL, base, month, target="fraud", time="month")
    assert monitor(MODEL, parts[0], parts[2], target="fraud", time="month").to_frame().equals(whole.to_frame())

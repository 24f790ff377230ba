"""Round limits: they change no training row, are the same from anywhere, and are the numbers that people read."""

import hashlib
import json
import math
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw import (
    BoxSet,
    ExactBoxesClassifier,
    FastBoxesClassifier,
    FastBoxesClassifierCV,
    ScoredBoxesClassifier,
    SparseBoxesClassifier,
)
from boxdraw.learners.exact.objective import Objective
from boxdraw.model.gaps import FindChunkGaps, FindGaps, Gaps

from ..tables.same import all_large

INF = math.inf
seeds = st.integers(0, 2**32 - 1)
LEARNERS = {
    "fast": FastBoxesClassifier(n_boxes=2),
    "free": FastBoxesClassifier(n_boxes=2, growth="free"),
    "cv": FastBoxesClassifierCV(n_boxes=(1, 2), expansion=0.0, feature_range=(-1, 1)),
    # These end with a proof long before the time is up: what is compared are two fits.
    "exact": ExactBoxesClassifier(max_boxes=1, time_limit=600),
    "tight": ExactBoxesClassifier(max_boxes=2, box_cost=0.5, limit_cost=0, time_limit=600, edges="tight"),
    "scored": ScoredBoxesClassifier(max_boxes=4, cv=None),
    "sparse": SparseBoxesClassifier(cv=None),
}


def column(rng, n):
    """Numbers: smooth, of few digits, whole, of two values, or near an end of what floats hold."""
    kind = rng.integers(7)
    values = rng.normal(size=n) * 10.0 ** rng.integers(-4, 7)
    if kind == 0:
        values = np.round(rng.normal(size=n), 1)
    elif kind == 1:
        values = rng.integers(0, 24, size=n).astype(float)
    elif kind == 2:
        values = rng.choice([[0.0, 1.0], [1.0, 2.0], [-1.0, 1.0]][rng.integers(3)], size=n)
    elif kind == 3:
        values = rng.integers(-40, 40, size=n) * 5e-324
    elif kind == 4:
        values = rng.choice([1e300, 1.5e308]) * np.tanh(values)
    return values


def table(rng, n, missing=True, extreme=True):
    frame = pd.DataFrame({f"f{j}": column(rng, n) for j in range(3)})
    if not extreme:
        for name in frame:
            while np.abs(frame[name]).max() > 1e9 or np.abs(frame[name]).max() < 1e-9:
                frame[name] = column(rng, n)
    if missing and rng.random() < 0.5:
        frame.loc[rng.random(n) < 0.2, "f0"] = np.nan
    if rng.random() < 0.5:
        frame["where"] = pd.Categorical(rng.choice(["north", "south", "east"], size=n))
    y = (frame["f1"].rank() + frame["f2"].rank() + rng.normal(scale=0.2 * n, size=n) > 1.3 * n).to_numpy().astype(int)
    y[:4] = 0, 1, 0, 1
    return frame, y


def refitted(model, **parameters):
    return type(model)(**(model.get_params() | {"pos_label": 1} | parameters))


def drawing(model):
    return model.scorecard_.boxes if hasattr(model, "scorecard_") else model.boxes_


def members(boxes, X):
    """Which rows each box holds; boxes in any order."""
    return sorted(map(tuple, boxes.membership(X).T.tolist()))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", LEARNERS)
@given(seed=seeds)
@settings(max_examples=12, deadline=None)
def test_no_training_row_changes_sides(name, seed):
    rng = np.random.default_rng(seed)
    X, y = table(rng, int(rng.integers(8, 60)), extreme=name in ("fast", "free"))
    weight = [None, rng.integers(0, 3, size=len(y)).astype(float)][rng.integers(2)]
    if weight is not None:
        weight[:4] = 1
    kept = np.ones(len(y), dtype=bool) if weight is None else weight > 0
    exact, rounded = (
        refitted(LEARNERS[name], round_limits=rounds).fit(X, y, sample_weight=weight) for rounds in (False, True)
    )
    assert members(drawing(exact), X[kept]) == members(drawing(rounded), X[kept])
    np.testing.assert_array_equal(exact.predict(X[kept]), rounded.predict(X[kept]))
    check_limits(drawing(rounded), X[kept])
    check_signs(rounded, X, rng)
    order = rng.permutation(len(y))
    again = refitted(LEARNERS[name]).fit(X.iloc[order], y[order], None if weight is None else weight[order])
    if name not in ("exact", "tight"):  # of equal drawings they may find another
        assert again.boxes_ == rounded.boxes_


def check_limits(boxes, X):
    """Whole columns get whole limits, and columns of two whole values equalities, unless the box admits neither."""
    for j, name in enumerate(boxes.feature_names):
        if boxes.categories[j] is not None:
            continue
        values = X[name].dropna().unique()
        if not len(values) or not (values == np.rint(values)).all():
            continue
        for low, high in zip(boxes.lower[:, j], boxes.upper[:, j], strict=True):
            if low > high or not ((low <= values) & (values <= high)).any():
                continue
            assert all(not math.isfinite(limit) or limit == round(limit) for limit in (low, high))
            if len(values) == 2 and ((low <= values) & (values <= high)).sum() == 1:
                assert low == high


def check_signs(model, X, rng):
    """The sign of the score is that of predict, also on the limits and beside them."""
    boxes, rows = drawing(model), [X]
    for limits in (boxes.lower, boxes.upper):
        for k, j in np.argwhere(np.isfinite(limits)).tolist():
            near = X.iloc[rng.integers(len(X), size=3)].copy()
            value = limits[k, j]
            near[boxes.feature_names[j]] = [value, np.nextafter(value, INF), np.nextafter(value, -INF)]
            rows.append(near[np.isfinite(near[boxes.feature_names[j]])])
    rows = pd.concat(rows)
    flagged = model.predict(rows) == 1
    np.testing.assert_array_equal(model.boxes_.contains(rows), flagged)
    np.testing.assert_array_equal(model.decision_function(rows) >= 0, flagged)


@given(seeds, st.sampled_from([0.1, 0.5, 1.0, 0.3]), st.sampled_from(["midway", "tight"]))
@settings(max_examples=25, deadline=None)
def test_exact_boxes_keep_the_objective_with_a_margin(seed, margin, edges):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 12, size=40), rng.normal(scale=4, size=40), rng.integers(0, 2, size=40)])
    y = (X[:, 0] + X[:, 1] + rng.normal(size=40) > 9).astype(int)
    y[:2] = 0, 1
    options = {"max_boxes": 1, "box_cost": 0.5, "margin": margin, "edges": edges, "time_limit": 600, "pos_label": 1}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("boxdraw.learners.exact.exact_boxes.warn", lambda message: None)
        exact, rounded = (ExactBoxesClassifier(**options, round_limits=r).fit(X, y) for r in (False, True))
    assert rounded.certificate_.verify(X, y)
    for model in (exact, rounded):
        certificate = model.certificate_
        costs = certificate.negative_weight, certificate.box_cost
        objective = Objective(X, y == 1, None, *costs, margin, 1, certificate.limit_cost)
        assert float(objective.value(model.boxes_.lower, model.boxes_.upper)) == model.objective_
    assert exact.status_ == rounded.status_ == "optimal"
    assert exact.objective_ == rounded.objective_
    counted = [objective.counted(model.boxes_.lower, model.boxes_.upper) for model in (exact, rounded)]
    np.testing.assert_array_equal(*counted)
    np.testing.assert_array_equal(exact.predict(X), rounded.predict(X))


def n_digits(number):
    return len(Decimal(repr(float(number))).normalize().as_tuple().digits)


def test_numbers_are_round():
    """Not one of many limits on smooth columns has more than a few digits."""
    rng = np.random.default_rng(0)
    X = rng.normal(scale=[1.0, 300.0, 0.01], size=(400, 3))
    y = ((X[:, 0] > 0.5) & (X[:, 1] < 100)).astype(int)
    for model in LEARNERS.values():
        boxes = refitted(model).fit(X, y).boxes_
        limits = np.concatenate([side[np.isfinite(side)] for side in (boxes.lower, boxes.upper)])
        exact = refitted(model, round_limits=False).fit(X, y).boxes_
        assert max(map(n_digits, limits)) <= 5
        assert max(map(n_digits, exact.lower[np.isfinite(exact.lower)]), default=17) > 10


# one pass over any chunks


def test_an_interval_between_two_whole_numbers_is_as_round_in_the_mirror():
    X = np.array([[0.0], [1], [2], [7]])
    lower, upper = np.array([[1.1458]]), np.array([[1.2038]])
    one, other = FindGaps.of(X, lower, upper), FindGaps.of(-X, -upper, -lower)
    low, high = one.rounded(one.in_memory(X))
    assert (low.item(), high.item()) == (1.1, 1.3)
    np.testing.assert_array_equal(other.rounded(other.in_memory(-X)), (-high, -low))


@given(seeds)
@settings(max_examples=60, deadline=None)
def test_gaps_of_chunks_compiled_or_not(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 50))
    X = np.column_stack([column(rng, n) for _ in range(4)])
    X[rng.random(X.shape) < 0.1] = np.nan
    ends = np.where(np.isnan(X), 0, X)[rng.integers(n, size=(2, 3, 4)), np.arange(4)]
    ends = np.where(rng.random(ends.shape) < 0.5, np.nextafter(ends, INF), ends)
    lower, upper = np.sort(ends, axis=0)
    lower[rng.random(lower.shape) < 0.3], upper[rng.random(upper.shape) < 0.3] = -INF, INF
    fixed = rng.random(4) < 0.3
    find = FindGaps.of(X, lower, upper, fixed)
    whole, cut = find(X), rng.integers(0, n + 1)
    for parts in ((find(X[:cut]), find(X[cut:])), (find(X[cut:], compiled=True), find(X[:cut], compiled=True))):
        merged = Gaps.merge(*parts)
        for name in ("inner", "outer", "two_valued"):
            np.testing.assert_array_equal(getattr(merged, name), getattr(whole, name))
    rounded = find.rounded(whole)
    assert (rounded[0][:, fixed] == lower[:, fixed]).all()
    for low, high, old_low, old_high in zip(*rounded, lower, upper, strict=True):
        np.testing.assert_array_equal(
            ((low > X) | (high < X)).any(axis=1), ((old_low > X) | (old_high < X)).any(axis=1)
        )


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_rows_that_are_skipped_would_change_no_gap(seed):
    """Many rows, so that most are skipped: ties, ranges far from 0, limits beyond all values, rows kept out."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(2000, 4000)), int(rng.integers(1, 7))
    X = rng.normal(size=(n, p))
    X[rng.random(X.shape) < 0.05] = np.nan
    steps = rng.choice([0.0, 0.0, 0.25, 1e-7], p)  # columns on a grid have rows equally far beyond a limit
    X = np.where(steps > 0, np.rint(X / np.where(steps > 0, steps, 1)) * steps, X)
    X = X * 10.0 ** rng.integers(-3, 4, p) + rng.choice([0.0, 1.7e9, -3e4], p)
    X = X.astype(rng.choice([np.float32, np.float64]))
    known = np.where(np.isnan(X), np.nanmean(X, axis=0), X).astype(np.float64)
    lower, upper = np.sort(known[rng.integers(n, size=(2, 3, p)), np.arange(p)], axis=0)
    far = rng.random((2, *lower.shape))
    lower, upper = np.where(far[0] < 0.3, -INF, lower), np.where(far[1] < 0.3, INF, upper)
    if rng.random() < 0.3:
        upper = np.where(far[1] > 0.9, np.nanmax(X, axis=0) + 1e9, upper)
    kept_out = rng.random((n, 3)) < 0.1 if rng.random() < 0.5 else None
    find = FindGaps.of(X, lower, upper)
    plain = find(X, kept_out=kept_out)
    X, cut, work = np.asarray(X, order=rng.choice(["C", "F"])), rng.integers(0, n + 1), FindChunkGaps(find)
    parts = [work.of(X[rows], None if kept_out is None else kept_out[rows]) for rows in (np.s_[:cut], np.s_[cut:])]
    compiled = Gaps.merge(*parts)
    for name in ("inner", "outer", "two_valued"):
        np.testing.assert_array_equal(getattr(compiled, name), getattr(plain, name))


@pytest.mark.parametrize("growth", ["nearest_negative", "edge", "free"])
@given(seed=seeds)
@settings(max_examples=5, deadline=None)
def test_files_give_the_limits_of_memory(growth, seed):
    rng = np.random.default_rng(seed)
    X, y = table(rng, 200, extreme=False)
    model = FastBoxesClassifier(n_boxes=2, growth=growth, pos_label=1)
    in_memory = refitted(model).fit(X, y)
    stored = pa.Table.from_pandas(X.assign(label=y), preserve_index=False)
    with all_large(rows=int(rng.integers(1, 90))):
        large = refitted(model).fit(X, y)
        from_table = refitted(model).fit_table(stored, target="label")
        exact = refitted(model, round_limits=False).fit_table(stored, target="label")
    assert in_memory.boxes_ == large.boxes_ == from_table.boxes_
    assert exact.boxes_ == refitted(model, round_limits=False).fit(X, y).boxes_


# what is read is what is applied

NUMBER = r"-?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf)"


def read_back(text):
    """The lower and upper limit that a rule in words states for each feature."""
    found = {}
    for condition in text.split(" and "):
        name = re.search(r"f\d", condition)[0]
        low, high = -INF, INF
        if match := re.fullmatch(rf"({NUMBER}) ≤ f\d ≤ ({NUMBER})(?: \(or missing\))?", condition):
            low, high = map(float, match.groups())
        else:
            sign, number = re.fullmatch(rf"f\d ([≤≥=]) ({NUMBER})(?: \(or missing\))?", condition).groups()
            low, high = (float(number) if sign in signs else none for signs, none in (("≥=", -INF), ("≤=", INF)))
        found[name] = low, high
    return found


@pytest.mark.parametrize("name", LEARNERS)
def test_every_export_has_the_numbers_that_are_applied(name):
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.normal(scale=40, size=(200, 3)), columns=["f0", "f1", "f2"]).assign(
        f2=rng.integers(0, 24, size=200).astype(float)
    )
    y = ((X["f0"] > 10) & (X["f2"] > 6) & (X["f1"] < 30)).astype(int)
    boxes = refitted(LEARNERS[name]).fit(X, y).boxes_
    applied = [
        {f"f{j}": (boxes.lower[k, j], boxes.upper[k, j]) for j in np.flatnonzero(boxes.limited[k])}
        for k in range(len(boxes))
    ]
    assert [read_back(line.split(": ", 1)[1]) for line in boxes.to_text().splitlines()] == applied
    numbers = {limit for box in applied for pair in box.values() for limit in pair if math.isfinite(limit)}
    texts = {
        "json": re.findall(rf'"(?:lower|upper)": ({NUMBER})', boxes.to_json()),
        "sql": re.findall(rf"(?:>=|<=|=|BETWEEN|AND) ({NUMBER})\b", boxes.to_sql()),
        "python": re.findall(rf"(?<![\w.])({NUMBER})(?![\w.])", boxes.to_python().split('"""')[-1]),
        "html": re.findall(
            rf"(?<![\w.#-])({NUMBER})(?![\w.%])", re.sub(r"<style.*?</style>|<[^>]*>", " ", boxes.to_html())
        ),
    }
    for kind, found in texts.items():
        assert numbers <= set(map(float, found)), kind
    for kind in ("json", "sql"):
        assert set(map(float, texts[kind])) == numbers


def test_a_forged_file_prints_what_it_applies():
    """A file of version 0.1 could have a number to print, with its checksum, that is not the limit."""
    data = json.loads(BoxSet([[200]], [[INF]], feature_names=["amount"]).to_json())
    data["boxes"][0]["limits"][0]["shown_lower"] = 900000
    cells = json.dumps([[0, 0, "amount", (200.0).hex(), (900000.0).hex()]], separators=(",", ":"))
    data["shown_checksum"] = hashlib.sha256(cells.encode()).hexdigest()[:16]
    boxes = BoxSet.from_json(json.dumps(data))
    assert boxes.to_text() == "Box 1: amount ≥ 200"
    assert "900000" not in boxes.to_json() + boxes.to_sql() + boxes.to_html() + boxes.to_python()
    assert boxes.contains([[200]]).all()

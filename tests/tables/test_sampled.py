"""Sparse and Scored Boxes from stored tables: the model of the same rows in memory, whatever the files and chunks."""

from contextlib import contextmanager, nullcontext

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boxdraw import BoxSet, FastBoxesClassifier, ScoredBoxesClassifier, SparseBoxesClassifier

from .same import all_large, csv_of, make_frame, write_parquet

FEATURES = ["amount", "size", "age", "town", "known", "same"]
LEARNERS = {"sparse": SparseBoxesClassifier, "scored": ScoredBoxesClassifier}
# Few enough to be quick, and each with something else that is decided on all rows.
SETTINGS = {
    "sparse": (
        {"cv": 2},
        {"cv": None, "round_limits": False},
        {"cv": 2, "max_alarm_rate": 0.2},
        {"cv": None, "monotonic_cst": {"age": -1}, "min_box_rows": 20.0, "max_limits": 2},
        {"cv": None, "allowed_values": {"age": [30, 40, 50]}, "max_boxes": 2},
    ),
    "scored": (
        {"cv": 2, "max_boxes": 4, "max_limits": 2},
        {"cv": None, "signed_points": False, "max_union": 3},
        {"cv": 2, "max_alarm_rate": 0.2, "max_limits": 1},
        {"cv": None, "monotonic_cst": {"age": -1}, "min_box_rows": 20.0, "signed_points": True},
        {"cv": None, "round_limits": False, "false_alarm_cost": 0.3},
    ),
}
pytestmark = pytest.mark.filterwarnings("ignore::boxdraw.CautionWarning")


@contextmanager
def in_passes(rows=100, cells=4_000):
    """Learn from every table in passes over batches of so many rows, and from a sample of so many cells."""
    with all_large(rows), pytest.MonkeyPatch.context() as patch:
        patch.setattr("boxdraw._core.ranges._LEAST_ROWS", rows)
        patch.setattr("boxdraw.tables.arrow._MOST_ROWS", rows)
        patch.setattr("boxdraw.learners.stored.CELLS", cells)
        yield


def fit_frame(method, frame, weighted=False, rows=2**18, **parameters):
    weight = frame["weight"] if weighted else None
    with in_passes(rows):
        return LEARNERS[method](**parameters).fit(frame[FEATURES], frame["label"].to_numpy(), weight)


def fit_source(method, source, weighted=False, rows=100, **parameters):
    with in_passes(rows):
        return LEARNERS[method](**parameters).fit_table(
            source, target="label", weight="weight" if weighted else None, features=FEATURES
        )


def assert_same(one, other, X):
    """Compare what is shown of two models, and what they say of rows."""
    assert one._decider() == other._decider()
    assert one.pos_label_ == other.pos_label_
    assert getattr(one, "false_alarm_cost_", None) == getattr(other, "false_alarm_cost_", None)
    assert [vars_of(point) for point in one.frontier_] == [vars_of(point) for point in other.frontier_]
    assert one.goal_ == other.goal_
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))
    assert hasattr(one, "risk_table_") == hasattr(other, "risk_table_")
    if hasattr(one, "risk_table_"):
        np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))


def vars_of(point):
    """The figures of a point of a frontier, in which NaN is NaN."""
    return str(point)


@pytest.mark.parametrize("method", LEARNERS)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**31), weighted=st.booleans(), number=st.integers(0, 4), rows=st.integers(60, 900))
def test_the_same_bits_under_any_chunking(method, seed, weighted, number, rows):
    frame = make_frame(seed % 5, 1500)
    parameters = SETTINGS[method][number]
    expected = fit_frame(method, frame, weighted, **parameters)
    shuffled = frame.sample(frac=1, random_state=seed % 1000)
    stored = fit_source(method, pa.Table.from_pandas(shuffled), weighted, rows, **parameters)
    assert_same(expected, stored, frame[FEATURES])
    assert_same(expected, fit_frame(method, shuffled, weighted, rows, **parameters), frame[FEATURES])


@pytest.mark.parametrize("method", LEARNERS)
def test_files_in_any_layout(method, tmp_path):
    frame = make_frame(1, 1500)
    frame.insert(3, "other", np.arange(1500) % 7)
    frame["size"] = frame["size"].round(3).astype(str).astype(float)  # as CSV has it, which knows no single precision
    parameters = SETTINGS[method][0]
    expected = fit_frame(method, frame, **parameters)
    parts = tmp_path / "parts"
    parts.mkdir()
    for number, rows in enumerate(np.array_split(np.random.default_rng(0).permutation(1500), 3)):
        write_parquet(
            frame.iloc[rows][[*frame.columns[::-1]] if number == 1 else [*frame.columns]],
            parts / f"{number}.parquet",
            170,
        )
    for source in (write_parquet(frame, tmp_path / "one.parquet", 333), parts):
        assert_same(expected, fit_source(method, source, **parameters), frame[FEATURES])
    stored = fit_source(method, csv_of(frame, tmp_path / "a.csv"), **parameters)
    assert stored._decider() == expected._decider()


def test_a_small_stored_table_is_learned_from_as_in_memory():
    frame = make_frame(2, 600)
    expected = SparseBoxesClassifier(cv=2).fit(frame[FEATURES], frame["label"].to_numpy())
    stored = SparseBoxesClassifier(cv=2).fit_table(pa.Table.from_pandas(frame), target="label", features=FEATURES)
    assert_same(expected, stored, frame[FEATURES])


def test_the_rule_is_found_and_placed_on_all_rows():
    """The limits of a planted rule lie in the gap of all rows, although the sample has a wider one."""
    rng = np.random.default_rng(0)
    n_rows = 60_000
    frame = pd.DataFrame(rng.normal(size=(n_rows, 4)).round(4), columns=list("abcd"))
    frame["label"] = (frame["a"] > 1.2345) & (frame["c"] < 0.4321)
    with in_passes(7000, 8000):
        model = SparseBoxesClassifier(cv=2).fit_table(pa.Table.from_pandas(frame), target="label")
        sampled = SparseBoxesClassifier(cv=2).fit(frame[list("abcd")][:2000], frame["label"][:2000])
    assert (model.predict(frame[list("abcd")]) == frame["label"]).all()
    assert not (sampled.predict(frame[list("abcd")]) == frame["label"]).all()
    assert len(model.boxes_) == 1
    assert model.boxes_.n_limits == 2


@pytest.mark.parametrize("method", LEARNERS)
def test_what_a_box_must_hold_is_counted_on_all_rows(method):
    frame = make_frame(3, 3000)
    model = fit_frame(method, frame, rows=500, cv=None, min_box_rows=150.0, max_boxes=4)
    drawing = model._decider()
    held = getattr(drawing, "boxes", drawing).membership(frame[FEATURES]).sum(axis=0)
    assert len(held)
    assert (held >= 150).all()


def test_what_does_not_go_with_stored_tables():
    table = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "label": [0, 1, 0, 0]})
    with pytest.raises(ValueError, match="needs a number of folds as cv"):
        SparseBoxesClassifier(cv=[([0, 1], [2, 3])]).fit_table(table, target="label")
    with pytest.raises(ValueError, match="existing rules"):
        SparseBoxesClassifier(existing=BoxSet([[1]], [[2]])).fit_table(table, target="label")


def test_progress_is_told():
    told = []
    frame = make_frame(4, 1500)
    with in_passes(400):
        SparseBoxesClassifier(cv=None).fit_table(
            pa.Table.from_pandas(frame), target="label", features=FEATURES, progress=lambda *step: told.append(step)
        )
    passes = list(dict.fromkeys(what for what, _, _ in told))
    assert passes == ["labels", "ranges and positives", "sample", "place limits", "round limits"]
    assert [done for what, done, _ in told if what == "sample"] == [400, 800, 1200, 1500]


def test_only_the_columns_of_limits_are_read_again():
    """After the sample, passes read what the boxes limit, the labels and the weights."""
    from boxdraw.tables.arrow import ArrowReader

    read = []
    plain = ArrowReader.reduce

    def noted(self, work, columns, what, n_rows):
        read.append((what, set(columns)))
        return plain(self, work, columns, what, n_rows)

    frame = make_frame(5, 1500)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ArrowReader, "reduce", noted)
        model = fit_source("sparse", pa.Table.from_pandas(frame), cv=None)
    limited = {name for name, used in zip(FEATURES, model.boxes_.limited.any(axis=0), strict=True) if used}
    later = [columns for what, columns in read if what in ("place limits", "round limits")]
    assert later
    assert all(columns == limited | {"label"} for columns in later)


@pytest.mark.parametrize("method", LEARNERS)
def test_a_damaged_file_changes_no_model(method, tmp_path):
    """The damage is met after the labels, by the pass over all columns."""
    frame = make_frame(2, 1500)
    model = fit_frame(method, frame, cv=None)
    before = dict(vars(model))
    path = tmp_path / "data.parquet"
    pyarrow.parquet.write_table(
        pa.Table.from_pandas(frame[[*FEATURES, "label"]], preserve_index=False), path, compression="gzip"
    )
    content = bytearray(path.read_bytes())
    content[200:400] = bytes(200)
    path.write_bytes(bytes(content))
    told = []
    with in_passes(), pytest.raises(ValueError, match="The table can't be read: "):
        model.fit_table(path, target="label", progress=lambda what, *_: told.append(what))
    assert set(told) == {"labels"}
    assert vars(model) == before
    assert path.read_bytes() == bytes(content)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "a list of labels"])
@pytest.mark.parametrize("learner", [SparseBoxesClassifier, ScoredBoxesClassifier, FastBoxesClassifier])
def test_rows_without_weight_are_as_if_not_there(learner, kind, large):
    frame = make_frame(3, 1_000)[[*FEATURES, "label", "weight"]]
    rows = np.arange(len(frame))
    gone = (rows % 3 == 0) | (rows // 200 == 1)  # also whole chunks
    frame["weight"] = np.where(gone, 0.0, 1.0 + rows % 2)
    kept = frame[~gone]
    # what is only in other rows
    frame.loc[gone, ["amount", "town", "label"]] = [np.inf, "nowhere", "perhaps"]
    frame.loc[rows % 6 == 0, "age"] = -1
    frame["age"] = frame["age"].astype(float)
    frame.loc[rows % 9 == 0, "age"] = np.nan
    model, X = learner(), kept[FEATURES]

    def seen(model):
        return model._encoding, model.boxes_, model.decision_function(X).tolist()

    with in_passes(100) if large else nullcontext():
        one = seen(model.fit(X, kept["label"], kept["weight"]))
        table = {
            "pandas": lambda: frame[FEATURES],
            "polars": lambda: pytest.importorskip("polars").from_pandas(frame[FEATURES]),
            "arrow": lambda: pa.Table.from_pandas(frame[FEATURES]),
            "a list of labels": lambda: frame[FEATURES],
        }[kind]()
        labels = frame["label"].tolist() if kind == "a list of labels" else frame["label"]
        assert seen(model.fit(table, labels, frame["weight"].tolist())) == one
        if kind == "arrow":
            assert seen(model.fit_table(pa.Table.from_pandas(frame), target="label", weight="weight")) == one


def test_few_rows_with_weight_are_learned_from_in_memory_wherever_they_are():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300_000, 4)).round(2), columns=list("abcd"))
    frame["y"] = ((frame["a"] > 1) & (frame["b"] < 0.3)).astype(int)
    frame["w"] = (np.arange(len(frame)) % 10 == 0).astype(float)  # the others are too many for that
    X, model = frame[list("abcd")], ScoredBoxesClassifier(max_boxes=3)
    one = model.fit(X, frame["y"], frame["w"])
    scores, card = one.decision_function(X), one.scorecard_
    other = model.fit_table(pa.Table.from_pandas(frame), target="y", weight="w")
    assert other.scorecard_ == card
    np.testing.assert_array_equal(other.decision_function(X), scores)

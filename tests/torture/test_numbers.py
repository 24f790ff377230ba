"""Numbers at the ends of what there is: no model, score, rule or export breaks on them, and all agree."""

import json
import warnings

import numpy as np
import pytest

from boxdraw import (
    BoxSet,
    ExactBoxesClassifier,
    FastBoxesClassifier,
    FastBoxesClassifierCV,
    ScoredBoxesClassifier,
    SparseBoxesClassifier,
)

from .columns import KINDS, LARGEST, TINY, N, table

# What a model has to say of a table is no fault of the numbers in it. NumPy's warnings stay errors.
SAID = ("Held-out rows", "No box was found", "Boxes: ", "On held-out rows", "The boxes hold all", "No training row")
MODELS = {
    "fast": FastBoxesClassifier(n_boxes=2, pos_label=1),
    "free": FastBoxesClassifier(n_boxes=2, growth="free", expansion=0.5, pos_label=1),
    "cv": FastBoxesClassifierCV(n_boxes=(1, 2), expansion=(0, 0.1), pos_label=1),
    "scored": ScoredBoxesClassifier(max_boxes=3, max_limits=2, signed_points=False, pos_label=1),
    "sparse": SparseBoxesClassifier(max_boxes=2, cv=2, pos_label=1),
    "exact": ExactBoxesClassifier(max_boxes=1, random_state=0, pos_label=1, time_limit=600),
}
all_tables = pytest.mark.parametrize("kind", KINDS)
all_models = pytest.mark.parametrize("name", MODELS)
_fitted = {}


def fit(name, X, y, sample_weight=None, **parameters):
    model = MODELS[name]
    with warnings.catch_warnings():
        for message in SAID:
            warnings.filterwarnings("ignore", message, UserWarning)
        return type(model)(**(model.get_params() | parameters)).fit(X, y, sample_weight)


def fitted(name, kind):
    """The model of a table: fits are what takes long, so they are kept."""
    if (name, kind) not in _fitted:
        _fitted[name, kind] = fit(name, *table(kind))
    return _fitted[name, kind]


def probes(X):
    """The rows of a table, those next to them, and the ends of the number format."""
    X = X.astype(np.float64)
    with np.errstate(over="ignore"):
        near = np.concatenate([np.nextafter(X, np.inf), np.nextafter(X, -np.inf)])
    ends = np.array([[a, b] for a in (-LARGEST, -TINY, -0.0, 0.0, TINY, LARGEST) for b in (-LARGEST, 0.0, LARGEST)])
    return np.concatenate([X, near[np.isfinite(near).all(axis=1)], ends])


def plainly(lower, upper, rows):
    """Say which rows are inside, in plain Python."""
    boxes = list(zip(lower, upper, strict=True))
    return [
        any(all(low <= x <= high for low, x, high in zip(lows, row, highs, strict=True)) for lows, highs in boxes)
        for row in rows.tolist()
    ]


@all_tables
@all_models
def test_scores_are_finite_and_agree_with_plain_limits(name, kind):
    X, _ = table(kind)
    model, rows = fitted(name, kind), probes(X)
    boxes, flagged = model.boxes_, model.predict(rows) == 1
    assert not np.isnan(boxes.lower).any()
    assert not np.isnan(boxes.upper).any()
    assert plainly(boxes.lower.tolist(), boxes.upper.tolist(), rows) == flagged.tolist()
    score, margin = model.decision_function(rows), boxes.margin(rows)
    assert np.isfinite(score).all()
    np.testing.assert_array_equal(score >= 0, flagged)
    assert not np.isnan(margin).any()
    np.testing.assert_array_equal(margin >= 0, flagged)
    if hasattr(model, "path"):
        critical = model.critical_weight(rows)
        assert (critical >= 0).all()
        # Round limits are elsewhere in the gaps between training rows, where some of the others are.
        np.testing.assert_array_equal(critical[: len(X)] >= model.negative_weight_, flagged[: len(X)])
        exact = model.path([model.negative_weight_])[0].boxes
        np.testing.assert_array_equal(critical >= model.negative_weight_, exact.contains(rows))


@all_tables
@all_models
def test_the_same_model_each_time(name, kind):
    X, y = table(kind)
    order = np.random.default_rng(0).permutation(N)
    model, again = fitted(name, kind), fit(name, X[order], y[order], n_jobs=2)
    assert again.boxes_ == model.boxes_
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


@all_models
@pytest.mark.parametrize("kind", ["1e300", "neighbours", "beyond 2**53", "float32 ends"])
@pytest.mark.parametrize("power", [-20, 11])
def test_another_power_of_two_as_unit_flags_the_same_rows(name, kind, power):
    X, y = table(kind)
    X = X[:, :1].astype(np.float64)  # of a single column no value is lost
    unit = 2.0**power
    model, scaled = fit(name, X, y), fit(name, X * unit, y)
    np.testing.assert_array_equal(scaled.predict(X * unit), model.predict(X))


@pytest.mark.parametrize("name", ["fast", "free"])
def test_copies_of_rows_in_a_large_table_are_weights_in_a_small_one(name):
    """The compiled passes, in threads, have the bits of the plain ones, for columns of all kinds."""
    X, y = np.column_stack([table(kind)[0][:, 0] for kind in KINDS]), table("all scales")[1]
    times = 2**20 // X.size + 1
    order = np.random.default_rng(1).permutation(N * times)
    many, labels = np.tile(X, (times, 1))[order], np.tile(y, times)[order]
    large = fit(name, many, labels, negative_weight=1e6, n_jobs=2)
    small = fit(name, X, y, np.full(N, float(times)), negative_weight=1e6)
    assert large.boxes_ == small.boxes_
    assert (large.boxes_.limited.sum(axis=1) > 2).all()
    np.testing.assert_array_equal(large.predict(many), small.predict(X)[order % N])
    np.testing.assert_array_equal(large.critical_weight(many), small.critical_weight(X)[order % N])


@all_tables
@pytest.mark.parametrize("name", ["fast", "free", "scored", "exact"])
def test_rules_as_text_and_code_say_the_same(name, kind):
    X, y = table(kind)
    model, boxes = fitted(name, kind), fitted(name, kind).boxes_
    rows = probes(X)
    inside, names = boxes.contains(rows).tolist(), boxes.feature_names
    assert plainly(boxes.lower.tolist(), boxes.upper.tolist(), X) == boxes.contains(X).tolist()
    assert boxes.to_text()
    stored = boxes.to_json()
    assert "NaN" not in stored
    json.loads(stored, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert BoxSet.from_json(stored) == boxes
    namespace = {}
    exec(boxes.to_python(), namespace)
    assert [namespace["flag"](dict(zip(names, row, strict=True))) for row in rows.tolist()] == inside
    round_boxes, _ = boxes.round(X)
    np.testing.assert_array_equal(round_boxes.membership(X), boxes.membership(X))
    assert not np.isnan(boxes.round(X, y, digits=1)[0].lower).any()
    assert len(boxes.simplify(X, y)[0]) <= len(boxes)
    assert len(model.explain(rows)) == len(rows)
    counts = model.box_table(X, y)
    assert np.isfinite(counts.loc[counts["support"] > 0, ["precision", "precision_high", "recall", "lift"]]).all(
        axis=None
    )


@pytest.mark.parametrize("kind", KINDS)
def test_sql_and_onnx_say_the_same(kind):
    duckdb, onnxruntime = pytest.importorskip("duckdb"), pytest.importorskip("onnxruntime")
    pd = pytest.importorskip("pandas")
    X, _ = table(kind)
    boxes, rows = fitted("fast", kind).boxes_, probes(X)
    inside = boxes.contains(rows)
    frame = pd.DataFrame(rows, columns=list(boxes.feature_names))
    with duckdb.connect() as connection:
        connection.register("rows_here", frame)
        flagged = connection.execute(boxes.to_sql("rows_here", dialect="duckdb")).df()["flagged"] == 1
    np.testing.assert_array_equal(flagged.to_numpy(), inside)
    session = onnxruntime.InferenceSession(boxes.to_onnx().SerializeToString())
    place = {name: j for j, name in enumerate(boxes.feature_names)}
    feed = {node.name: rows[:, [place[node.name]]] for node in session.get_inputs()}
    if feed:
        np.testing.assert_array_equal(np.ravel(session.run(None, feed)[0]) == 1, inside)


@all_tables
def test_paths(kind):
    X, _ = table(kind)
    model = fitted("fast", kind)
    path = model.path()
    assert 0.5 <= path.auh <= 1
    critical = model.critical_weight(X)
    for point in list(path)[:3] + list(path)[-3:]:
        np.testing.assert_array_equal(point.boxes.contains(X), critical >= point.negative_weight)
        assert point.text


@pytest.fixture
def matplotlib():
    pytest.importorskip("matplotlib").use("Agg")
    yield
    from matplotlib import pyplot

    pyplot.close("all")


@pytest.mark.usefixtures("matplotlib")
@pytest.mark.parametrize("kind", ["denormal", "all scales", "1e300", "neighbours", "offset"])
def test_plots(kind):
    from boxdraw.plotting import BoxesDisplay, LimitsDisplay

    X, y = table(kind)
    X = X[:, [0, 0]]
    model = fit("fast", X, y)
    for display in (BoxesDisplay, LimitsDisplay):
        display.from_estimator(model, X, y).figure_.canvas.draw()


@pytest.mark.usefixtures("matplotlib")
@pytest.mark.parametrize("kind", ["whole range", "upper end"])
def test_what_no_axis_can_hold_is_refused(kind):
    from boxdraw.plotting import BoxesDisplay

    X, y = table(kind)
    with pytest.raises(ValueError, match=r"'x0' has numbers of up to .*drawn up to 1e"):
        BoxesDisplay.from_estimator(fitted("fast", kind), X, y)

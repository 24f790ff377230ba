"""Compiled membership says bit for bit what the plain one does."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn import config_context

from boxdraw import BoxSetClassifier, FastBoxesClassifier
from boxdraw.model import inside, membership
from boxdraw.model.boxes import BoxSet

INF, NAN = np.inf, np.nan
# Few values, so that many are exactly on a limit; 0.1 is between two numbers of float32.
NUMBERS = [-INF, -1.5, -0.0, 0.0, 0.1, 1.0, 1e300, INF]
VIEWS = {
    "rows": lambda X: X,
    "columns": np.asfortranarray,
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "every other column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": lambda X: np.frombuffer(X.tobytes(), X.dtype).reshape(X.shape),
}


@pytest.fixture
def no_threshold(monkeypatch):
    """Let the compiled code have matrices of any size."""
    monkeypatch.setattr(membership, "_LARGE", 0)


@st.composite
def box_sets(draw, n_features):
    """Draw boxes with limits of all kinds: none, one side, both, only missing values, none but missing ones."""
    shape = (draw(st.integers(0, 4)), n_features)
    pair = [draw(hnp.arrays(np.float64, shape, elements=st.sampled_from(NUMBERS))) for _ in range(2)]
    lower, upper = np.minimum(*pair), np.maximum(*pair)
    missing = draw(hnp.arrays(np.bool_, shape))
    lower[lower == INF], upper[upper == -INF] = -INF, INF
    only_missing = missing & draw(hnp.arrays(np.bool_, shape))
    lower[only_missing], upper[only_missing] = INF, -INF
    no_limits = draw(hnp.arrays(np.bool_, shape[0]))
    lower[no_limits], upper[no_limits], missing[no_limits] = -INF, INF, True
    return BoxSet(lower, upper, missing=missing)


@st.composite
def tables(draw, n_features):
    n_rows = draw(st.sampled_from([0, 1, inside._BLOCK - 1, inside._BLOCK, inside._BLOCK + 1, 300]))
    kind = draw(st.sampled_from([np.float64, np.float32]))
    seed = draw(st.integers(0, 2**32 - 1))
    with np.errstate(over="ignore"):  # 1e300 as float32
        values = np.array([*NUMBERS, NAN], dtype=kind)
    return np.random.default_rng(seed).choice(values, (n_rows, n_features))


def both_ways(boxes, X, n_jobs=None):
    """Return what the compiled and the plain code say, of some box and of each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inside, "_TILE_CELLS", 1)  # several tasks for the threads
        compiled = inside.contains(X, boxes, n_jobs), inside.membership(X, boxes, n_jobs)
        patch.setattr(membership, "_LARGE", INF)
        return compiled, (boxes.contains(X), boxes.membership(X))


@given(st.data())
def test_compiled_membership_is_the_plain_one(data):
    n_features = data.draw(st.sampled_from([1, 2, 5, 9]))
    boxes, X = data.draw(box_sets(n_features)), data.draw(tables(n_features))
    view = data.draw(st.sampled_from(sorted(VIEWS)))
    compiled, plain = both_ways(boxes, VIEWS[view](X), data.draw(st.sampled_from([None, 1, 2, 3])))
    for ours, theirs in zip(compiled, plain, strict=True):
        assert ours.dtype == np.bool_
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("view", VIEWS)
def test_real_numbers_in_any_layout(view):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 7))
    X[rng.random(X.shape) < 0.05] = NAN
    centre = rng.normal(size=(5, 7)) / 2
    boxes = BoxSet(centre - 1.5, centre + 1.5, missing=rng.random(centre.shape) < 0.3)
    for table in (X, X.astype(np.float32)):
        compiled, plain = both_ways(boxes, VIEWS[view](table), 2)
        assert 0.05 < plain[0].mean() < 0.95
        assert np.array_equal(compiled[0], plain[0])
        assert np.array_equal(compiled[1], plain[1])


def test_float32_rows_are_compared_with_limits_of_float64():
    X = np.full((70, 1), 0.1, dtype=np.float32)  # above 0.1 as float64
    boxes = BoxSet([[0.0], [0.1]], [[0.1], [1.0]])
    compiled, plain = both_ways(boxes, X)
    assert compiled[1].tolist() == plain[1].tolist() == [[False, True]] * 70


@pytest.mark.usefixtures("no_threshold")
@pytest.mark.parametrize(
    ("X", "uses_it"),
    [
        (np.zeros((3, 2)), True),
        (np.zeros((3, 2), dtype=np.float32), True),
        (np.zeros((3, 2), dtype=np.float16), False),
        (np.zeros((3, 2), dtype=np.int64), False),
        (np.zeros((3, 2), dtype=np.dtype(np.float64).newbyteorder()), False),
        (np.zeros((3, 2), dtype=object), False),
        (np.frombuffer(bytes(49), np.float64, 6, 1).reshape(3, 2), False),  # not on a border of memory words
        ([[0.0, 0.0]] * 3, False),
    ],
)
def test_what_is_for_the_compiled_code(X, uses_it, monkeypatch):
    calls = []
    monkeypatch.setattr(inside, "_fill", lambda kernel, X, boxes, result, n_jobs: calls.append(result.fill(True)))
    boxes = BoxSet([[-1, -1]], [[1, 1]])
    assert boxes.contains(X).tolist() == [True] * 3
    assert boxes.membership(X).tolist() == [[True]] * 3
    assert len(calls) == 2 * uses_it


@pytest.mark.usefixtures("no_threshold")
def test_errors_and_categories_are_those_of_the_plain_code():
    boxes = BoxSet([[-1, -1]], [[1, 1]])
    with pytest.raises(ValueError, match="X has 3 features, but this BoxSet has 2"):
        boxes.contains(np.zeros((5, 3)))
    with pytest.raises(ValueError, match="write one row as"):
        boxes.membership(np.zeros(2))
    mixed = BoxSet([[-1, -INF]], [[1, INF]], allowed={"x1": [{0.0}]})
    assert mixed.contains(np.array([[0.0, 0.0], [0.0, 1.0]])).tolist() == [True, False]


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_threads_of_the_plain_code(n_jobs):
    X = np.random.default_rng(0).integers(0, 5, size=(3 * membership._TILE_ROWS + 7, 2))
    boxes = BoxSet([[1, -INF], [2, -INF]], [[3, INF], [4, INF]], allowed={"x1": [{0, 1}, {1, 2}]})
    assert np.array_equal(boxes.membership(X, n_jobs=n_jobs), boxes.membership(X))
    assert np.array_equal(boxes.contains(X, n_jobs=n_jobs), boxes.membership(X).any(axis=1))


@pytest.mark.usefixtures("no_threshold")
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_estimators_predict_and_transform_in_their_threads(n_jobs, monkeypatch):
    given_jobs = []

    def threaded_map(work, items, n_jobs):
        given_jobs.append(n_jobs)
        return map(work, items)

    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] > 1, "yes", "no")
    model = FastBoxesClassifier(n_jobs=n_jobs).fit(X, y)
    monkeypatch.setattr(inside, "threaded_map", threaded_map)
    flagged = [any(model.boxes_.membership(row[None])[0]) for row in X]
    given_jobs.clear()
    assert model.predict(X).tolist() == ["yes" if inside_any else "no" for inside_any in flagged]
    assert model.transform(X).any(axis=1).tolist() == flagged
    assert given_jobs == [n_jobs, n_jobs]
    assert BoxSetClassifier(model.boxes_).predict(X).tolist() == flagged


@pytest.mark.usefixtures("no_threshold")
@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
@pytest.mark.parametrize("place", [(0, 0), (130, 1), (299, 2)])
def test_a_prediction_for_infinite_values_is_refused_in_one_pass(kind, view, place):
    X = np.random.default_rng(0).normal(size=(300, 3)).astype(kind)
    X[7] = NAN
    model = BoxSetClassifier(BoxSet([[1, -INF, -INF]], [[INF] * 3])).fit(X, X[:, 0] > 1)  # limits one feature of three
    assert np.array_equal(model.predict(view(X)), X[:, 0] > 1)
    for value in (INF, -INF):
        X[place] = value
        with pytest.raises(ValueError, match="Input X contains infinity or a value too large"):
            model.predict(view(X))
    with config_context(assume_finite=True):
        assert model.predict(view(X)).shape == (300,)


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_nothing_but_the_result_is_as_long_as_the_table(kind):
    X = np.zeros((400_000, 8), dtype=kind)
    boxes = BoxSet(np.full((3, 8), -1.0), np.ones((3, 8)))
    assert X.size >= membership._LARGE
    for ask, result in ((boxes.contains, len(X)), (boxes.membership, 3 * len(X))):
        ask(X[:100]), ask(X)  # whatever is made once
        tracemalloc.start()
        assert ask(X).all()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < result + len(X) // 2  # one byte for every other row


def test_a_small_prediction_does_not_load_numba():
    code = (
        "import sys, numpy as np, boxdraw\n"
        "boxdraw.BoxSet([[0.0] * 8], [[1.0] * 8]).contains(np.zeros((1000, 8)))\n"
        "print('numba' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"

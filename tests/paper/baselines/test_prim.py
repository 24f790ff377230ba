"""PRIM against worked cases, against every slice there is, and against two packages."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import check_estimator

from paper.baselines import PRIMClassifier
from paper.baselines.prim import Box, best_paste, best_peel, peel_trajectory, slice_size, whole_space

INF = np.inf


def two_bumps(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3))
    near = [np.abs(X[:, :2] - place).max(axis=1) < 0.12 for place in (0.25, 0.75)]
    return X, (near[0] | near[1]).astype(int)


def mean_of(y):
    return y.sum() / len(y)


@pytest.mark.parametrize(("alpha", "n_rows", "size"), [(0.05, 100, 5), (0.05, 101, 6), (0.05, 140, 7), (0.1, 1, 1)])
def test_slices_are_rounded_up(alpha, n_rows, size):
    assert slice_size(alpha, n_rows) == size


def test_a_worked_peel():
    #  x0: 0 1 2 3 4 5 6 7 8 9, positive from 6 to 8. A slice of .2 has two rows: 0 and 1, or 8 and 9.
    X = np.arange(10.0)[:, None]
    positive = (X[:, 0] >= 6) & (X[:, 0] <= 8)
    box = best_peel(X, positive, whole_space(positive, 1), 0.2, 1)
    assert box.limits.ravel().tolist() == [1.5, INF]
    assert (box.positives, box.negatives) == (3, 5)
    limits = [box.limits.ravel().tolist() for box in peel_trajectory(X, positive, 0.2, 2)]
    assert limits == [[-INF, INF], [1.5, INF], [3.5, INF], [5.5, INF], [5.5, 8.5]]


def test_ties_go_together_and_a_constant_is_not_peeled():
    X = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [2.0, 1.0], [3.0, 1.0]])
    positive = np.array([False, True, False, True, True])
    box = best_peel(X, positive, whole_space(positive, 2), 0.05, 1)
    assert box.limits.tolist() == [[1.0, -INF], [INF, INF]]
    assert best_peel(X[:, 1:], positive, whole_space(positive, 1), 0.05, 1) is None


def test_a_peel_leaves_enough_rows():
    X = np.arange(10.0)[:, None]
    positive = X[:, 0] == 5
    assert best_peel(X, positive, whole_space(positive, 1), 0.2, 9) is None
    assert [box.size for box in peel_trajectory(X, positive, 0.2, 4)] == [10, 8, 6, 4]


def test_a_worked_paste():
    X = np.arange(10.0)[:, None]
    positive = (X[:, 0] >= 3) & (X[:, 0] <= 8)
    box = Box(np.array([[4.5], [9.5]]), 4, 1)  # 5 to 9, of which 9 is negative
    larger = best_paste(X, positive, box, 0.2)
    assert larger.limits.ravel().tolist() == [3.5, 9.5]
    assert (larger.positives, larger.negatives) == (5, 1)
    larger = best_paste(X, positive, larger, 0.2)  # a slice of .2 of six rows is two: 3 and 2
    assert larger is None
    assert best_paste(X, positive, Box(np.array([[3.5], [9.5]]), 5, 1), 0.1).limits.ravel().tolist() == [2.5, 9.5]
    everything = best_paste(X, X[:, 0] <= 8, Box(np.array([[0.5], [9.5]]), 8, 1), 0.1)
    assert everything.limits.ravel().tolist() == [-INF, 9.5]


TABLES = st.integers(2, 20).flatmap(
    lambda n: st.tuples(
        st.lists(st.tuples(*[st.integers(0, 5)] * 2), min_size=n, max_size=n),
        st.lists(st.booleans(), min_size=n, max_size=n),
        st.sampled_from([0.05, 0.2, 0.4]),
    )
)


def all_peels(X, y, alpha, min_rows):
    """Return the shares of positives that every slice leaves, by sorting each feature."""
    shares = []
    for j in range(X.shape[1]):
        for sign in (1, -1):
            values = sorted((sign * X[:, j]).tolist())
            kept = sign * X[:, j] > values[slice_size(alpha, len(X)) - 1]
            if kept.sum() >= min_rows:
                shares.append(mean_of(y[kept]))
    return shares


@given(TABLES)
def test_the_best_peel_is_the_best_of_all(table):
    X, y, alpha = np.array(table[0], dtype=float), np.array(table[1]), table[2]
    box = best_peel(X, y, whole_space(y, 2), alpha, 1)
    shares = all_peels(X, y, alpha, 1)
    if not shares:
        assert box is None
        return
    inside = box.holds(X)
    assert box.mean == mean_of(y[inside]) == max(shares)
    assert (box.positives, box.negatives) == (y[inside].sum(), (~y[inside]).sum())


@given(TABLES)
def test_the_best_paste_is_the_best_of_all(table):
    X, y, alpha = np.array(table[0], dtype=float), np.array(table[1]), table[2]
    limits = np.array([[0.5, 1.5], [3.5, 4.5]])
    inside = ((limits[0] <= X) & (limits[1] >= X)).all(axis=1)
    if not inside.any():
        return
    box = Box(limits, int(y[inside].sum()), int((~y[inside]).sum()))
    best = mean_of(y[inside])
    for j in range(2):
        others = (limits[0, 1 - j] <= X[:, 1 - j]) & (limits[1, 1 - j] >= X[:, 1 - j])
        for beyond, key in ((X[:, j] < limits[0, j], -X[:, j]), (X[:, j] > limits[1, j], X[:, j])):
            rows = others & beyond
            if rows.any():
                reach = sorted(key[rows].tolist())[: slice_size(alpha, inside.sum())][-1]
                best = max(best, mean_of(y[inside | (rows & (key <= reach))]))
    larger = best_paste(X, y, box, alpha)
    if larger is None:
        assert best == mean_of(y[inside])
    else:
        held = larger.holds(X)
        assert larger.mean == mean_of(y[held]) == best > box.mean
        assert (held[inside]).all()


def test_two_bumps_are_two_boxes():
    X, y = two_bumps(2000)
    model = PRIMClassifier(0.5, mass_min=0.02, pos_label=1).fit(X, y)
    centres = {tuple(np.round((lower + upper)[:2] / 2 * 4) / 4) for lower, upper in zip(*limits(model), strict=True)}
    assert centres == {(0.25, 0.25), (0.75, 0.75)}
    unseen, labels = two_bumps(seed=1)
    assert (model.predict(unseen) == labels).mean() > 0.95
    assert len(PRIMClassifier(0.5, max_boxes=1).fit(X, y).boxes_) == 1


def limits(model):
    return np.maximum(model.boxes_.lower, 0), np.minimum(model.boxes_.upper, 1)


def test_later_boxes_are_found_in_rows_that_are_left():
    X, y = two_bumps()
    model = PRIMClassifier(0.5, paste_alpha=0.0, pos_label=1).fit(X, y)
    first = model.boxes_.membership(X)[:, 0]
    rest = PRIMClassifier(0.5, paste_alpha=0.0, mass_min=30 / (~first).sum(), pos_label=1).fit(X[~first], y[~first])
    np.testing.assert_array_equal(rest.boxes_.lower, model.boxes_.lower[1:])
    np.testing.assert_array_equal(rest.boxes_.upper, model.boxes_.upper[1:])


def test_the_weight_says_how_pure_a_box_must_be():
    rng = np.random.default_rng(0)
    X = rng.random((2000, 2))
    share = np.where(X[:, 0] > 0.8, 0.4, 0.05)
    y = (rng.random(2000) < share).astype(int)
    flagged = [PRIMClassifier(c, pos_label=1).fit(X, y).predict(X).mean() for c in (0.02, 0.3, 3.0)]
    assert flagged[0] > 0.9  # .05 exceeds .02 times .95 nearly everywhere
    assert 0.15 < flagged[1] < 0.5
    assert flagged[2] < 0.02


def test_kept_boxes_exceed_the_threshold():
    X, y = two_bumps()
    y = np.where(np.random.default_rng(2).random(len(y)) < 0.1, 1 - y, y)
    for weight, threshold in ((0.3, 0.5), (1.0, 0.3), (0.1, 0.8)):
        model = PRIMClassifier(weight, threshold=threshold, paste_alpha=0.0, pos_label=1).fit(X, y)
        left = np.ones(len(X), dtype=bool)
        for member in model.boxes_.membership(X).T:
            held = member & left
            positives, negatives = y[held].sum(), (1 - y[held]).sum()
            assert positives / (positives + weight * negatives) > threshold
            assert held.sum() >= 0.05 * len(X)
            left &= ~member


def test_no_box_where_nothing_is_pure_enough():
    X = np.zeros((10, 1))
    model = PRIMClassifier().fit(X, [1] + [0] * 9)
    assert len(model.boxes_) == 0
    assert model.predict(X).tolist() == [0] * 10


def test_frames_give_names():
    pd = pytest.importorskip("pandas")
    X, y = two_bumps()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = PRIMClassifier(0.5).fit(frame, y)
    assert model.boxes_.feature_names == ("a", "b", "c")
    np.testing.assert_array_equal(model.predict(frame[["c", "a", "b"]]), PRIMClassifier(0.5).fit(X, y).predict(X))


@pytest.mark.parametrize("model", [PRIMClassifier(), PRIMClassifier(0.2, mass_min=0.01, max_boxes=3)])
def test_check_estimator(model):
    check_estimator(model, on_skip=None)


@pytest.mark.parametrize(
    "settings",
    [{"negative_weight": 0}, {"peel_alpha": 0}, {"mass_min": 1.0}, {"threshold": 1}, {"max_boxes": 0}],
    ids=str,
)
def test_bad_settings(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        PRIMClassifier(**settings).fit([[0.0], [1.0]], [0, 1])


def trajectory_of_prim(X, y):
    """Return the rows of each box that the package PRIM peels, and its figures."""
    prim = pytest.importorskip("prim")
    objectives = pytest.importorskip("prim.prim_objfcn")
    frame = pytest.importorskip("pandas").DataFrame(X, columns=list("abc"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # not ours
        search = prim.Prim(frame, y, obj_func=objectives.original, peel_alpha=0.05, paste_alpha=0.05, mass_min=0.05)
        box = search.find_box()
    limits = [np.array([[one[name][side] for name in "abc"] for side in (0, 1)], dtype=float) for one in box._box_lims]
    return limits, box.peeling_trajectory


def trajectory_of_ema(X, y):
    """Return the limits of each box that ema_workbench peels, and its figures."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        prim = pytest.importorskip("ema_workbench.analysis.prim", exc_type=ImportError)
        frame = pytest.importorskip("pandas").DataFrame(X, columns=list("abc"))
        original = prim.PRIMObjectiveFunctions.ORIGINAL
        search = prim.Prim(frame, y, threshold=0.0, obj_function=original, peel_alpha=0.05, mass_min=0.05)
        box = search.find_box()
    return [one[list("abc")].to_numpy(dtype=float) for one in box.box_lims], box.peeling_trajectory


@pytest.mark.parametrize(
    ("trajectory", "seed"),
    [(trajectory_of_prim, 0), (trajectory_of_prim, 1), (trajectory_of_prim, 2), (trajectory_of_ema, 0)],
)
def test_each_peel_of_the_packages_is_ours(trajectory, seed):
    X, y = two_bumps(seed=seed)
    positive = y == 1
    limits, figures = trajectory(X, y)
    sizes = np.round(figures["mass"].to_numpy() * len(y)).astype(int)
    peels = int(np.argmin(sizes))  # what follows is pasted
    assert peels > 30
    for k in range(peels):
        inside = ((limits[k][0] <= X) & (limits[k][1] >= X)).all(axis=1)
        assert inside.sum() == sizes[k]
        # Of equal shares the packages and we take different ones, so each peel starts from the package's box.
        here = Box(limits[k], int(y[inside].sum()), int((1 - y[inside]).sum()))
        box = best_peel(X[inside], positive[inside], here, 0.05, 30)
        assert box.mean == pytest.approx(figures["mean"][k + 1])
        assert box.size >= sizes[k + 1]

"""Numbers at the ends of what there is: every learner works with them, or says what is wrong in one clear error."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone

from boxdraw import (
    ExactBoxesClassifier,
    FastBoxesClassifier,
    FastBoxesClassifierCV,
    ScoredBoxesClassifier,
    SparseBoxesClassifier,
)

HUGE = 10**400
RNG = np.random.default_rng(0)
X = RNG.integers(-64, 65, (40, 2)) / 64.0
Y = ((X[:, 0] > 0.2) & (X[:, 1] > -0.5)).astype(int)

EXACT = {"time_limit": 600.0, "max_boxes": 1, "random_state": 0}
LEARNERS = {
    "fast": FastBoxesClassifier(n_boxes=2, random_state=0),
    "cv": FastBoxesClassifierCV(cv=2, random_state=0),
    "scored": ScoredBoxesClassifier(cv=2, random_state=0),
    "sparse": SparseBoxesClassifier(cv=2, random_state=0),
    "exact": ExactBoxesClassifier(**EXACT),
    "mip": ExactBoxesClassifier(**EXACT, solver="mip"),
    "neighbourhood": ExactBoxesClassifier(**EXACT, strategy="neighbourhood"),
    "per_cluster": ExactBoxesClassifier(**EXACT | {"max_boxes": 2}, strategy="per_cluster"),
}
all_learners = pytest.mark.parametrize("name", LEARNERS)
tables = pytest.mark.parametrize("name", ["fast", "cv"])


@pytest.fixture(autouse=True)
def _no_warning_of_numpy():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of models that are no better than chance
        warnings.simplefilter("error", RuntimeWarning)
        yield


def learner(name, **params):
    return clone(LEARNERS[name]).set_params(**params)


def every_other(*values):
    return np.resize(np.array(values, dtype=float), len(Y))


def by_class(negative, positive):
    return np.where(Y == 1, positive, negative)


@all_learners
@pytest.mark.parametrize("unit", [2.0**1023, 2.0**-1068], ids=["up to 9e307", "subnormal"])
def test_the_largest_and_the_least_numbers_are_numbers_like_others(name, unit):
    """In a unit that is a power of two, nothing but the exponents differs."""
    usual, rows = learner(name).fit(X, Y), X * unit
    model = learner(name).fit(rows, Y)
    assert model.predict(rows).tolist() == usual.predict(X).tolist()
    assert len(set(model.predict(rows))) == 2
    assert np.isfinite(model.decision_function(rows)).all()
    if "certificate_" in vars(model):
        assert model.certificate_.verify(rows, Y)
        assert model.bound_ == usual.bound_
        # Next to the least numbers there is no middle: two limits may meet, and then they are one, an equality.
        assert model.objective_ == usual.objective_ or (unit < 1 and model.objective_ > usual.objective_)


@all_learners
def test_a_range_beyond_all_numbers(name):
    rows = np.column_stack([np.where(X[:, 0] > 0.2, 1.7e308, -1.7e308), X[:, 1], np.full(len(X), 1e308)])
    model = learner(name).fit(rows, Y)
    assert model.score(rows, Y) > 0.8
    assert np.isfinite(model.decision_function(rows)).all()


WEIGHTS = {
    "1e15 beside 1e-299": every_other(1e15, 1e-299),
    "1 beside the least": every_other(1, 5e-324, 1e-310),
    "1e198 beside 1e-198": every_other(1e198, 1e-198, 1),
}


@all_learners
@pytest.mark.parametrize("kind", WEIGHTS)
def test_weights_of_all_sizes_in_both_classes(name, kind):
    weight = WEIGHTS[kind]
    model = learner(name).fit(X, Y, sample_weight=weight)
    heavy = weight == weight.max()
    assert model.score(X[heavy], Y[heavy]) > 0.5
    assert np.isfinite(model.decision_function(X)).all()
    if "certificate_" in vars(model):
        assert model.certificate_.verify(X, Y, weight)


NO_WEIGHTS = {
    "too large": (np.full(len(Y), 1.7e308), "adds up to inf; scale it to between 1e-200 and 1e200"),
    "one too large": (np.r_[1.7e308, np.ones(len(Y) - 1)], r"adds up to 1.7e\+308; scale it"),
    "too small": (np.full(len(Y), 5e-324), "adds up to 2e-322|adds up to 1.98e-322; scale it"),
    "uneven": (by_class(1e15, 1e-299), "in one class and .* in the other; .* Scale the weights of one class"),
    "400 digits": ([HUGE, *[1] * (len(Y) - 1)], "sample_weight must be numbers of at least 0.* too large"),
    "400 digits in a series": (pd.Series([HUGE, *[1] * (len(Y) - 1)], dtype=object), "sample_weight must be numbers"),
}


@all_learners
@pytest.mark.parametrize("kind", NO_WEIGHTS)
def test_weights_that_no_learner_takes(name, kind):
    weight, message = NO_WEIGHTS[kind]
    with pytest.raises(ValueError, match=message):
        learner(name).fit(X, Y, sample_weight=weight)


@pytest.mark.parametrize("name", ["scored", "sparse"])
def test_a_class_that_is_lost_in_the_sum_of_both(name):
    with pytest.raises(ValueError, match="at least 1e-12 of the larger sum in either class"):
        learner(name).fit(X, Y, sample_weight=by_class(1e40, 1e-150))


def with_huge(number):
    rows = X.astype(object)
    rows[3, 1] = number
    return rows


def tables_with(number):
    yield with_huge(number)
    yield with_huge(number).tolist()
    frame = pd.DataFrame(with_huge(number), columns=["a", "b"])
    yield frame
    yield frame.assign(text=np.where(Y == 1, "x", "y"))
    yield frame.assign(text=np.where(Y == 1, "x", "y")).to_numpy()


@all_learners
@pytest.mark.parametrize("number", [HUGE, -HUGE, 2**1024 - 1], ids=["huge", "-huge", "2**1024 - 1"])
def test_whole_numbers_of_400_digits_in_a_table(name, number):
    for rows in tables_with(number):
        with pytest.raises(ValueError, match=r"Input X has a whole number too large for dtype\('float64'\)"):
            learner(name).fit(rows, Y)


def test_they_are_beyond_every_limit_of_a_model():
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "text": "x"})
    model = learner("fast").fit(frame, Y)
    above = model.boxes_.contains(pd.DataFrame({"a": [HUGE, 1e308], "b": [0.5, 0.5], "text": "x"}, dtype=object))
    assert above[0] == above[1]
    assert model.boxes_.contains(pd.DataFrame({"a": [-HUGE], "b": [0.5], "text": "x"}, dtype=object)).tolist() == [
        False
    ]


@all_learners
@pytest.mark.parametrize("kind", [list, lambda y: np.array(y, dtype=object), lambda y: pd.Series(y, dtype=object)])
@pytest.mark.parametrize("labels", [(0, HUGE), (-HUGE, 1), (0, 2**64), (-1, 2**63), (0.5, HUGE)], ids=lambda _: "")
def test_labels_beyond_64_bits(name, kind, labels):
    with pytest.raises(ValueError, match=r"^y has whole numbers that no one integer type of 64 bits holds.* Use texts"):
        learner(name).fit(X, kind([labels[y] for y in Y]))


@pytest.mark.parametrize("labels", [(0, 2**63), (1, 2**64 - 1), (-(2**63), 2**63 - 1)])
def test_labels_of_64_bits(labels):
    model = learner("fast").fit(X, [labels[y] for y in Y])
    assert model.classes_.tolist() == list(labels)
    assert (model.predict(X) == max(labels)).tolist() == (learner("fast").fit(X, Y).predict(X) == 1).tolist()


@all_learners
def test_labels_that_are_amounts(name):
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        learner(name).fit(X, np.where(Y == 1, 1e308, -1e308))


COSTS = (
    "box_cost",
    "limit_cost",
    "negative_weight",
    "false_alarm_cost",
    "lam",
    "expansion",
    "margin",
    "gap",
    "time_limit",
)
PAIRS = [(name, cost) for name, model in LEARNERS.items() for cost in COSTS if cost in model.get_params()]


@pytest.mark.parametrize(("name", "cost"), PAIRS)
@pytest.mark.parametrize("value", [HUGE, -HUGE, 10**5000], ids=["huge", "-huge", "10**5000"])
def test_costs_of_400_digits(name, cost, value):
    message = rf"^{cost} must be .*finite number .*; got a whole number of more than 308 digits\.$"
    with pytest.raises(ValueError, match=message):
        learner(name, **{cost: value}).fit(X, Y)


@pytest.mark.parametrize(("name", "cost"), PAIRS)
@pytest.mark.parametrize("value", [1e-308, 10**30, 1.7e308])
def test_costs_at_the_ends_of_floats(name, cost, value):
    model = learner(name, **{cost: value})
    if (
        name in ("exact", "mip", "neighbourhood", "per_cluster")
        and value == 1.7e308
        and cost not in ("gap", "time_limit")
    ):
        with pytest.raises(ValueError, match=r"(add up to 1e3.*Use smaller costs|margin must be at most 1e\+300)"):
            model.fit(X, Y)
    else:
        assert set(model.fit(X, Y).predict(X)) <= {0, 1}


@all_learners
@pytest.mark.parametrize("number", [10**30, HUGE], ids=["10**30", "huge"])
def test_as_many_as_there_can_be(name, number):
    params = LEARNERS[name].get_params()
    for limit in ("max_boxes", "max_limits", "max_union", "n_boxes"):
        if limit in params and name != "mip":
            usual, most = learner(name, **{limit: 40}).fit(X, Y), learner(name, **{limit: number}).fit(X, Y)
            assert most.predict(X).tolist() == usual.predict(X).tolist()
            assert not hasattr(most, "objective_") or most.objective_ == usual.objective_


@tables
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.full(len(Y), 1.7e308), "The weights add up to 1e200 or more; scale them to between 1e-200 and 1e200"),
        (np.full(len(Y), 5e-324), "The weights add up to .*e-322; scale them"),
        (by_class(1e15, 1e-299), "in one class and .* in the other; .* Scale the weights of one class"),
    ],
)
def test_weights_of_stored_tables(name, weight, message):
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "y": Y, "weight": weight})
    with pytest.raises(ValueError, match=message):
        learner(name).fit_table(table, target="y", weight="weight")


@tables
@pytest.mark.parametrize("unit", [2.0**1023, 2.0**-1068])
def test_numbers_of_stored_tables(name, unit):
    rows, weight = X * unit, WEIGHTS["1e15 beside 1e-299"]
    table = pa.table({"a": rows[:, 0], "b": rows[:, 1], "y": Y, "weight": weight})
    model = learner(name).fit_table(table, target="y", weight="weight")
    frame = pd.DataFrame({"a": rows[:, 0], "b": rows[:, 1]})
    assert model.boxes_ == learner(name).fit(frame, Y, sample_weight=weight).boxes_

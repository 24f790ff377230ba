"""What must hold for the optimum of any problem, whatever the search does."""

from dataclasses import replace

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from . import reference as ref
from .fitted import fit

SETTINGS = settings(max_examples=20, deadline=None)


WEIGHTS = st.integers(1, 3)


@st.composite
def problems(draw, margins=(0.0, 0.5, 1.0), most_features=2, weights=WEIGHTS):
    """Whole coordinates, so that classes share places, and both classes."""
    n, width = draw(st.integers(2, 9)), draw(st.integers(1, most_features))
    row = st.lists(st.integers(0, 4).map(float), min_size=width, max_size=width)
    X = draw(st.lists(row, min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    assume(0 < sum(y) < n)
    return ref.Problem(
        X=X,
        y=y,
        weight=draw(st.lists(weights.map(float), min_size=n, max_size=n)),
        negative_weight=draw(st.sampled_from([0.1, 0.5, 1.0, 2.0])),
        box_cost=draw(st.sampled_from([0.0, 0.5, 1.0])),
        margin=draw(st.sampled_from(margins)),
        max_boxes=draw(st.integers(1, 3)),
    )


def best(problem):
    return fit(problem).objective_


@given(problems())
@SETTINGS
def test_one_more_box_to_use_is_no_loss(problem):
    assert best(replace(problem, max_boxes=problem.max_boxes + 1)) >= best(problem)


@given(problems(), st.sampled_from([0.25, 1.0, 2.0]))
@SETTINGS
def test_dearer_boxes_are_no_gain_and_no_more_than_their_price_is_lost(problem, price):
    cheap, dear = best(problem), best(replace(problem, box_cost=problem.box_cost + price))
    assert cheap - price * problem.max_boxes - 1e-12 <= dear <= cheap  # the floats are rounded one by one


@given(problems(), st.randoms(use_true_random=False))
@SETTINGS
def test_the_order_of_rows_does_not_matter(problem, random):
    order = random.sample(range(len(problem.y)), len(problem.y))
    X, y, weight = ([column[i] for i in order] for column in (problem.X, problem.y, problem.weight))
    assert best(replace(problem, X=X, y=y, weight=weight)) == best(problem)


@given(problems(most_features=3), st.randoms(use_true_random=False))
@SETTINGS
def test_the_order_of_features_does_not_matter(problem, random):
    order = random.sample(range(len(problem.X[0])), len(problem.X[0]))
    assert best(replace(problem, X=[[row[j] for j in order] for row in problem.X])) == best(problem)


@given(problems(), st.integers(0, 1))
@SETTINGS
def test_a_mirrored_feature_does_not_matter(problem, feature):
    X = np.array(problem.X)
    X[:, feature % X.shape[1]] *= -1
    assert best(replace(problem, X=X.tolist())) == best(problem)


@given(problems(margins=(0.0,)), st.data())
@SETTINGS
def test_without_a_margin_only_the_order_of_values_matters(problem, data):
    X = np.array(problem.X)
    for j in range(X.shape[1]):
        values, place = np.unique(X[:, j], return_inverse=True)
        number = st.floats(-1e9, 1e9)
        mapped = data.draw(st.lists(number, min_size=len(values), max_size=len(values), unique=True))
        X[:, j] = np.sort(mapped)[place.reshape(-1)]
    assert best(replace(problem, X=X.tolist())) == best(problem)


@given(problems(margins=(0.5, 1.0), most_features=1), st.sampled_from([2.0**-10, 0.5, 3.0, 1024.0]))
@SETTINGS
def test_a_feature_and_the_margin_may_have_any_unit(problem, unit):
    scaled = replace(problem, X=[[x * unit for x in row] for row in problem.X], margin=problem.margin * unit)
    assert best(scaled) == best(problem)


@given(problems())
@SETTINGS
def test_a_weight_is_a_number_of_equal_rows(problem):
    times = np.array(problem.weight, dtype=int)
    repeated = replace(problem, X=np.repeat(problem.X, times, axis=0), y=np.repeat(problem.y, times), weight=None)
    assert best(repeated) == best(problem)


@given(problems(weights=st.integers(0, 2)))
@SETTINGS
def test_rows_without_weight_do_not_matter(problem):
    kept = np.array(problem.weight) > 0
    y = np.array(problem.y)[kept]
    assume(0 < y.sum() < len(y))
    absent = replace(problem, X=np.array(problem.X)[kept], y=y, weight=np.array(problem.weight)[kept])
    assert fit(absent).boxes_ == fit(problem).boxes_


@given(problems(), st.sampled_from([0.5, 2.0, 3.0, 1000.0]))
@SETTINGS
def test_weights_and_costs_may_have_any_unit(problem, unit):
    scaled = replace(problem, weight=[w * unit for w in problem.weight], box_cost=problem.box_cost * unit)
    assert best(scaled) == float(ref.printed(unit) * ref.optimum(problem))
    assert best(problem) == float(ref.optimum(problem))


@given(problems(), st.integers(0, 3))
@SETTINGS
def test_the_seed_settles_the_boxes(problem, seed):
    model = fit(problem, random_state=seed)
    assert fit(problem, random_state=seed).boxes_ == model.boxes_
    assert fit(problem, random_state=seed, n_jobs=2).boxes_ == model.boxes_


@given(problems())
@SETTINGS
def test_edges_move_no_row(problem):
    tight, midway = fit(problem, edges="tight"), fit(problem, edges="midway")
    assert tight.objective_ == midway.objective_
    if problem.margin == 0:
        np.testing.assert_array_equal(tight.predict(problem.X), midway.predict(problem.X))
    assert (midway.boxes_.lower <= tight.boxes_.lower).all()
    assert (midway.boxes_.upper >= tight.boxes_.upper).all()

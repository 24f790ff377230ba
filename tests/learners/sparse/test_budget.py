"""A budget of alarms: of all limits that the constraints allow, the one that keeps most positives, by brute force."""

import numpy as np
import pytest

from boxdraw import SparseBoxesClassifier
from boxdraw.learners.constraints import ColumnConstraints
from boxdraw.learners.engine.draw import Effort
from boxdraw.learners.parameters import NO_CAP
from boxdraw.learners.sparse import budget
from boxdraw.learners.sparse.drawings import Board, Costs, limits_of
from boxdraw.learners.sparse.fit import Fit
from boxdraw.tables.training import read_training_rows

from ..test_constraints import random_constraints, random_table


def n_limits(axis, lo, hi):
    ends = (lo > 0) + (hi < axis.n_levels - 1)
    return axis.ends[int(lo == hi)] if ends == 2 else ends


def best_by_force(board, axes, drawing, k, share, is_allowed):
    """Return the most positives that a tighter box keeps for itself within a share of the rows, and how."""
    lo, hi = drawing.lo[k], drawing.hi[k]
    others = np.zeros(len(board.mass), bool)
    for other in np.flatnonzero(drawing.used):
        if other != k:
            others |= board.held(budget._only(drawing, other))
    found = {}
    for j in range(len(axes)):
        intervals = {(lo[j], b) for b in range(lo[j], hi[j])} | {(a, hi[j]) for a in range(lo[j] + 1, hi[j] + 1)}
        for interval in intervals:
            box = drawing._replace(lo=lo[None].copy(), hi=hi[None].copy(), used=np.ones(1, bool))
            box.lo[0, j], box.hi[0, j] = interval
            rows = board.held(box)
            if board.mass @ (rows | others) <= share and is_allowed(box, rows):
                found[j, *map(int, interval)] = float(board.ups @ (rows & ~others))
    return found


def is_added(axes, drawing, k, place):
    """Return True if a tighter interval limits an end that the box leaves open."""
    j, lo, hi = place
    open_below, open_above = drawing.lo[k, j] == 0, drawing.hi[k, j] == axes[j].n_levels - 1
    return (open_below and lo > 0) or (open_above and hi < axes[j].n_levels - 1)


@pytest.mark.parametrize("seed", range(40))
def test_the_tightest_limit_is_the_best_that_the_constraints_allow(seed):
    rng = np.random.default_rng(seed)
    X, y = random_table(rng)
    model = SparseBoxesClassifier(**random_constraints(rng, X))
    data = read_training_rows(model, X, y, None)
    constraints = ColumnConstraints.of(model._encoding, model, model.max_limits)
    fit = Fit(data, data, model._encoding, constraints, round_limits=False)
    masks, cap = fit._masks(fit.table, fit._axes), model.max_limits or NO_CAP
    board, asked = Board(fit.table, fit._axes, masks=masks, max_limits=cap), constraints.asked
    drawing = board.blank(2)
    board.improve(drawing, Costs(max(0.2, constraints.least_ratio(data)), 0.0, 0.01, cap), Effort(5, 5, seed))

    def is_allowed(box, rows):
        if sum(map(n_limits, fit._axes, box.lo[0], box.hi[0])) > cap:
            return False
        drawn = model._encoding.boxes(*limits_of(box, fit.table, fit._axes, data.X.shape[1]), fit._order)
        breaches = [breach for breach in asked.breaches(drawn) if "limits, but at most" not in breach.text]
        held = np.array([(fit.table.ups + fit.table.downs)[rows].sum()])
        return not breaches and bool(asked.holds(held, np.array([fit.table.ups[rows].sum()]))[0])

    used = np.flatnonzero(drawing.used)
    inside = np.array([board.held(budget._only(drawing, k)) for k in used])
    for place, k in enumerate(used):
        share = rng.uniform(0.2, 0.9) * float(board.mass @ inside.any(axis=0))
        if share <= board.mass @ np.delete(inside, place, axis=0).any(axis=0):
            continue
        expected = best_by_force(board, fit._axes, drawing, k, share, is_allowed)
        caught, *found = budget._tightest(board, inside, place, (drawing.lo[k], drawing.hi[k]), share)
        assert caught == pytest.approx(max(expected.values(), default=-1.0))
        if caught < 0:
            continue
        assert expected[tuple(found)] == pytest.approx(caught)
        as_good = [at for at, positives in expected.items() if positives == pytest.approx(caught)]
        added = {at: is_added(fit._axes, drawing, k, at) for at in as_good}
        assert not added[tuple(found)] or all(added.values())  # of equal limits, one that the box has already


def flagged_at_most(share, **floors):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    y = (X[:, 0] > 0.9) & (rng.random(600) < 0.9) | (rng.random(600) < 0.01)
    return SparseBoxesClassifier(max_alarm_rate=share, **floors).fit(X, y.astype(int)), X


@pytest.mark.filterwarnings("ignore:Flagged at most 5.0%. out of reach")  # a goal may be just missed
def test_boxes_that_are_cut_down_hold_enough_rows():
    model, X = flagged_at_most(0.05, min_box_rows=20)
    assert 0.03 <= (model.predict(X) == 1).mean() <= 0.05
    assert (model.boxes_.membership(X).sum(axis=0) >= 20).all()


def test_a_model_without_boxes_keeps_no_goal():
    words = r"^Flagged at most 5.0%: out of reach. On held-out rows nothing is flagged. No boxes keep the goal"
    with pytest.warns(UserWarning, match=words) as told:
        model, _ = flagged_at_most(0.05, min_box_rows=80)
    assert not [one for one in told if "No box was found" in str(one.message)]
    assert not len(model.boxes_)
    assert (model.goal_.kept, model.goal_.alarm_rate, model.goal_.recall) == (False, 0, 0)

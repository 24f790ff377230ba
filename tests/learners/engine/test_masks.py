"""Under constraints no box is drawn that they forbid, and beside brute force on tiny tables there are none better."""

import numpy as np
import pytest

from boxdraw.learners.engine.climb import NO_END, Masks, Prices, climb_each
from boxdraw.learners.engine.draw import Drawing, Effort, draw
from boxdraw.learners.parameters import NO_CAP

from . import reference as ref

ENOUGH = Effort(300, 300, 0)


def random_masks(rng, rows):
    """Return masks that leave some levels, features together, and boxes of few rows out."""
    n_features = len(rows.low)
    starts, stops = rng.random((2, n_features, rows.n_levels.max())) < rng.choice([0.5, 1.0])
    starts[:, 0] = True
    stops[np.arange(n_features), rows.n_levels - 1] = True
    groups, sets = (rng.integers(0, 2, (rng.integers(0, 3), n_features)) for _ in range(2))
    caps = rng.integers(1, 3, len(sets))
    twins = np.arange(n_features)
    if rng.random() < 0.3:
        twins[:2] = 1, 0  # the first two stand for one column
        groups[:, 1], sets[:, 1] = groups[:, 0], sets[:, 0]
    together = [[*twins, len(groups)], *([*group, 0] for group in groups)]
    together += [[*some, cap] for some, cap in zip(sets, caps, strict=True)]
    mass = np.zeros((2, 0))
    if rng.random() < 0.5:
        least = rng.choice([0.0, 5.0, 10.0]), rng.choice([0.0, 0.5, 0.9])
        mass = np.column_stack([np.stack([np.maximum(rows.weight, 0), np.maximum(-rows.weight, 0)]), least])
    ends = (starts + 2 * stops).astype(np.uint8)
    return Masks(ends, np.array(together), np.ascontiguousarray(mass))


def is_allowed(masks, rows, lo, hi):
    """Check a box without any of the engine's code."""
    (*twins, n_groups), *sets = masks.together.tolist()
    axes = [j for j in range(len(lo)) if lo[j] > 0 or hi[j] < rows.n_levels[j] - 1]
    columns = {min(j, twins[j]) for j in axes}
    if any(masks.ends[j, lo[j]] not in (1, 3) or masks.ends[j, hi[j]] not in (2, 3) for j in range(len(lo))):
        return False
    if n_groups and not any(all(group[j] for j in axes) for group in sets[:n_groups]):
        return False
    if any(sum(some[j] for j in columns) > cap for *some, cap in sets[n_groups:]):
        return False
    inside = ref.held(rows, lo, hi)
    if not masks.mass.size:
        return True
    up, down = masks.mass[:, :-1][:, inside].sum(axis=1)
    return up + down >= masks.mass[0, -1] and up >= masks.mass[1, -1] * (up + down)


def boxes_of(drawing):
    return [(drawing.lo[k], drawing.hi[k]) for k in np.flatnonzero(drawing.used)]


@pytest.mark.parametrize("n_boxes", [1, 2])
def test_drawings_are_allowed_and_nearly_always_the_best(n_boxes):
    rng, is_best = np.random.default_rng(n_boxes), {False: [], True: []}
    for _ in range(80):
        rows = ref.random_rows(rng)
        masks = random_masks(rng, rows)
        prices = Prices(float(rng.choice([0.01, 1.0])), float(rng.choice([0.0, 0.25, 1.0])), NO_CAP)
        drawing = ref.blank(rows, n_boxes)
        value = draw(rows, prices, drawing, ref.no_boxes(rows), ENOUGH, masks)
        assert value == pytest.approx(ref.drawing_value(rows, prices, drawing), abs=1e-9)
        assert all(is_allowed(masks, rows, lo, hi) for lo, hi in boxes_of(drawing))
        everything = ref.AllBoxes(rows)
        boxes = zip(everything.lo, everything.hi, strict=True)
        everything.limits[[not is_allowed(masks, rows, lo, hi) for lo, hi in boxes]] = NO_CAP + 1
        best, _ = everything.optimum(prices, n_boxes)
        assert value <= best + 1e-9
        is_best[bool(masks.mass.size)].append(value >= best - 1e-9)
    assert np.mean(is_best[False]) >= 0.95
    assert np.mean(is_best[True]) >= 0.8  # what a box must hold is looked at after it is drawn


def test_a_search_may_start_from_boxes_that_are_not_allowed():
    rng = np.random.default_rng(3)
    for seed in range(60):
        rows = ref.random_rows(rng, most_levels=6)
        masks = random_masks(rng, rows)
        lo, hi = (np.array(side) for side in zip(*(ref.random_box(rng, rows) for _ in range(3)), strict=True))
        drawing = Drawing(lo, hi, np.ones(3, np.bool_))
        given = np.array([ref.random_box(rng, rows) for _ in range(3)])
        draw(rows, Prices(0.01, 0.1, 4), drawing, given, Effort(9, 9, seed, NO_END, 0.5, 0.5), masks)
        assert all(is_allowed(masks, rows, lo, hi) for lo, hi in boxes_of(drawing))


def test_a_climb_alone_stays_among_the_allowed_boxes():
    rng = np.random.default_rng(4)
    for _ in range(60):
        rows = ref.random_rows(rng, most_levels=6)
        masks = random_masks(rng, rows)._replace(mass=np.zeros((2, 0)))
        lo, hi = (np.array([side]) for side in ref.random_box(rng, rows))
        climb_each(rows, Prices(0.0, 0.25, NO_CAP), rows.weight[None], lo, hi, int(rng.choice([0, 1, NO_END])), masks)
        assert is_allowed(masks, rows, lo[0], hi[0])

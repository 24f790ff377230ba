"""The bound: its count against all drawings on small grids, and its statement against simulated rows."""

import itertools
import math

import numpy as np
import pytest

from boxdraw.theory import generalization_bound, log_class_size

# A grid of m numbers cuts the line into 2 m + 1 cells that no closed limit on it divides: the numbers themselves and
# the open pieces between and beyond them. A union of boxes is a set of cells, here the bits of an integer.


def intervals(size):
    """Return all closed intervals, empty or not, with limits on the grid or none, as ranges of cells."""
    lower = [0, *(2 * i + 1 for i in range(size))]
    upper = [*(2 * i + 1 for i in range(size)), 2 * size]
    return [range(low, high + 1) for low in lower for high in upper]


def all_boxes(sizes):
    """Return all different boxes that hold something, as sets of cells."""
    places = np.arange(math.prod(2 * size + 1 for size in sizes)).reshape([2 * size + 1 for size in sizes])
    held = (places[np.ix_(*sides)].ravel() for sides in itertools.product(*map(intervals, sizes)))
    return sorted({sum(1 << int(cell) for cell in cells) for cells in held} - {0})


def all_unions(boxes, n_boxes):
    """Return all different unions of at most so many boxes."""
    unions = {0}
    for _ in range(n_boxes):
        unions |= {union | box for union in unions for box in boxes}
    return unions


@pytest.mark.parametrize("sizes", [[0], [1], [2], [5], [1, 1], [2, 1], [2, 3], [0, 2], [1, 1, 1], [2, 1, 2]])
def test_the_boxes_are_counted_exactly(sizes):
    assert math.exp(log_class_size(1, sizes)) == pytest.approx(1 + len(all_boxes(sizes)), rel=1e-12)


@pytest.mark.parametrize(("sizes", "n_boxes"), [([1], 2), ([2], 3), ([4], 2), ([1, 1], 2), ([1, 1], 3), ([2, 1], 2)])
def test_the_unions_are_no_more_than_counted(sizes, n_boxes):
    boxes = all_boxes(sizes)
    sets = sum(1 for k in range(n_boxes + 1) for _ in itertools.combinations(boxes, k))
    assert math.exp(log_class_size(n_boxes, sizes)) == pytest.approx(sets, rel=1e-12)
    assert len(boxes) + 1 <= len(all_unions(boxes, n_boxes)) <= sets


def test_of_more_boxes_than_there_are_every_set_is_counted():
    assert log_class_size(4, [1]) == pytest.approx(4 * math.log(2), rel=1e-14)
    assert log_class_size(10**9, [1]) == log_class_size(4, [1])


def test_the_printed_count_is_less_than_the_drawings():
    # M = 2 numbers in one feature make one box of the paper, and one drawing; it counts 1**2 / 2! for two boxes.
    assert 1**2 / math.factorial(2) < 1
    # M = 3 make three, open as in the paper: (1, 2), (2, 3) and (1, 3), in cells (1, 2), 2 and (2, 3).
    boxes = [0b001, 0b100, 0b111]
    drawings = all_unions(boxes, 4) - {0}
    assert len(drawings) == 4 > len(boxes) ** 4 / math.factorial(4)


@pytest.mark.parametrize("n_possible", [1, 2, 3, 8, 50])
@pytest.mark.parametrize("n_boxes", [1, 2, 3, 7])
def test_the_printed_count_lies_between_sets_and_multisets(n_possible, n_boxes):
    printed = n_possible**n_boxes / math.factorial(n_boxes)
    multisets = math.comb(n_possible + n_boxes - 1, n_boxes)
    assert math.comb(n_possible, n_boxes) <= printed <= multisets
    assert sum(math.comb(n_possible, k) for k in range(1, n_boxes + 1)) <= multisets


@pytest.mark.parametrize(("n_boxes", "sizes"), [(3, [7, 2]), (20, [3]), (40, [10, 10]), (300, [50, 4, 9])])
def test_the_logarithm_is_that_of_the_integer(n_boxes, sizes):
    n_possible = math.prod(math.comb(size + 2, 2) + size for size in sizes)
    exact = sum(math.comb(n_possible, k) for k in range(n_boxes + 1))
    assert log_class_size(n_boxes, sizes) == pytest.approx(math.log(exact), rel=1e-12)


def test_numbers_beyond_floats():
    # N is about 10**7000, so C(N, 1000) is N**1000 / 1000! to far more digits than a float has
    log_possible = 600 * (2 * math.log(10**6) + math.log1p(5e-6 + 2e-12) - math.log(2))
    expected = 1000 * log_possible - math.lgamma(1001)
    assert log_class_size(1000, [10**6] * 600) == pytest.approx(expected, rel=1e-12)
    assert 0 < generalization_bound(1000, [10**6] * 600, 10**9, 1e-300) < 1


class Simulation:
    """Gains of all drawings of at most two boxes on samples of a distribution with random labels."""

    def __init__(self, sizes=(2, 1), n_samples=50, negative_weight=1.0, positive_share=0.5, n_repeats=4000):
        rng = np.random.default_rng(0)
        n_cells = math.prod(2 * size + 1 for size in sizes)
        unions = sorted(all_unions(all_boxes(sizes), 2))
        inside = np.array([[union >> cell & 1 for cell in range(n_cells)] for union in unions], dtype=float)
        gains = np.hstack([inside, negative_weight * (1 - inside)])
        place = rng.dirichlet(np.ones(n_cells))
        probability = np.concatenate([positive_share * place, (1 - positive_share) * place])
        counts = rng.multinomial(n_samples, probability, size=n_repeats)
        self.n_samples, self.n_unions = n_samples, len(unions)
        excess = counts @ gains.T / n_samples - gains @ probability
        # the worst of all drawings on each sample, in each direction
        self.flattered, self.wronged = excess.max(axis=1), -excess.min(axis=1)


SETTINGS = [
    {},
    {"n_samples": 8},
    {"negative_weight": 0.3},
    {"negative_weight": 3.0},
    {"positive_share": 1.0},  # the share of the positives inside
    {"positive_share": 0.02},
]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
@pytest.mark.parametrize("delta", [0.01, 0.2])
def test_the_worst_of_all_drawings_keeps_the_bound(setting, delta):
    simulated = Simulation(**setting)
    weight = setting.get("negative_weight", 1.0)
    bound = generalization_bound(2, [2, 1], simulated.n_samples, delta, negative_weight=weight)
    assert np.mean(simulated.flattered > bound) <= delta
    assert np.mean(simulated.wronged > bound) <= delta


def test_the_bound_is_neither_too_small_nor_needlessly_large():
    simulated = Simulation()
    bound = generalization_bound(2, [2, 1], 50, 0.2)
    # without the count it is the bound for one drawing that was chosen beforehand, and the worst one breaks it
    alone = math.sqrt(math.log(1 / 0.2) / (2 * 50))
    assert np.mean(simulated.flattered > alone) > 0.2
    assert bound < 2 * np.quantile(simulated.flattered, 0.8)


def test_the_printed_bound_fails_for_sums():
    # the paper's risk is a sum over the rows, not a mean; its inequality is broken in nearly every sample
    simulated = Simulation()
    printed = math.sqrt((math.log(simulated.n_unions) + math.log(1 / 0.2)) / (2 * simulated.n_samples))
    assert np.mean(simulated.n_samples * simulated.wronged > printed) > 0.9
    assert np.mean(simulated.n_samples * simulated.flattered > printed) > 0.9


def test_it_grows_with_the_class_and_falls_with_the_rows():
    base = generalization_bound(2, [10, 10], 1000, 0.05)
    assert generalization_bound(3, [10, 10], 1000, 0.05) > base
    assert generalization_bound(2, [11, 10], 1000, 0.05) > base
    assert generalization_bound(2, [10, 10, 1], 1000, 0.05) > base
    assert generalization_bound(2, [10, 10], 1000, 0.04) > base
    assert generalization_bound(2, [10, 10], 1001, 0.05) < base
    assert generalization_bound(2, [10, 10, 0], 1000, 0.05) == base
    assert generalization_bound(2, [10, 10], 4000, 0.05) == pytest.approx(base / 2, rel=1e-14)
    assert generalization_bound(2, [10, 10], 1000, 0.05, negative_weight=0.1) == base
    assert generalization_bound(2, [10, 10], 1000, 0.05, negative_weight=5) == pytest.approx(5 * base, rel=1e-14)


def test_numpy_integers_are_integers():
    sizes = np.array([10, 10])
    assert generalization_bound(np.int64(2), sizes, np.int32(1000), 0.05) == generalization_bound(
        2, [10, 10], 1000, 0.05
    )


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((0, [3], 10, 0.1), ValueError, "n_boxes must be at least 1; got 0"),
        ((10**9, [300, 300], 10, 0.1), ValueError, "n_boxes must be at most 100,000"),
        ((1.5, [3], 10, 0.1), TypeError, "n_boxes must be an integer; got 1.5"),
        ((1, 3, 10, 0.1), TypeError, "grid_sizes must have a number for each feature.*got 3"),
        ((1, "33", 10, 0.1), TypeError, "grid_sizes must have a number for each feature"),
        ((1, [], 10, 0.1), ValueError, "grid_sizes must have a number for each feature.*got none"),
        ((1, [3, -1], 10, 0.1), ValueError, r"grid_sizes\[1\] must be at least 0; got -1"),
        ((1, [0.5], 10, 0.1), TypeError, r"grid_sizes\[0\] must be an integer; got 0.5"),
        ((1, [3], 0, 0.1), ValueError, "n_samples must be at least 1; got 0"),
        ((1, [3], 10, 0.0), ValueError, "delta must be above 0 and below 1.*got 0.0"),
        ((1, [3], 10, 1), ValueError, "delta must be above 0 and below 1.*got 1"),
        ((1, [3], 10, math.nan), ValueError, "delta must be above 0 and below 1.*got nan"),
    ],
)
def test_errors(arguments, error, message):
    with pytest.raises(error, match=message):
        generalization_bound(*arguments)


@pytest.mark.parametrize("weight", [-0.1, math.inf, math.nan])
def test_the_weight_of_the_negatives_is_checked(weight):
    with pytest.raises(ValueError, match="negative_weight must be finite and at least 0"):
        generalization_bound(1, [3], 10, 0.1, negative_weight=weight)

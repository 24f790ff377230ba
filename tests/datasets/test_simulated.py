"""The geometry of the simulated data sets, written down a second time."""

import math
import os
from pathlib import Path

import numpy as np
import pytest

from boxdraw.datasets import describe_dataset, list_datasets, load_dataset
from boxdraw.datasets.simulated import LAWS, simulate

DATA = Path(os.environ.get("BOXDRAW_DATA", Path(__file__).parents[3] / "shared" / "data"))
NAMES = [name for name in list_datasets() if describe_dataset(name).kind == "simulated"]


def distance(a, b, norm):
    gaps = [abs(p - q) for p, q in zip(a, b, strict=True)]
    return {"L1": sum(gaps), "L2": sum(gap**2 for gap in gaps) ** 0.5, "Linf": max(gaps)}[norm]


def in_balls(point, norm, radius):
    centre = [25] * len(point)
    return distance(point, centre, norm) < radius or distance(point, [-c for c in centre], norm) < radius


# Where the positives are: a plain function of one point.
REGIONS = {
    "castle": lambda p: p[0] ** 2 + p[1] ** 2 < 121,
    "corner": lambda p: p[0] + p[1] > 180,
    "diamond": lambda p: in_balls(p, "L1", 10),
    "square": lambda p: in_balls(p, "Linf", 10),
    "flooded": lambda p: in_balls(p, "L2", 10),
    "castle3D": lambda p: max(map(abs, p)) < 20,
    "corner3D": lambda p: sum(p) > 225,
    "diamond3D": lambda p: in_balls(p, "L1", 20),
    "square3D": lambda p: in_balls(p, "Linf", 20),
    "flooded3D": lambda p: in_balls(p, "L2", 20),
}
MOATS = {"castle": lambda p: 11 <= np.hypot(*p) < 23, "castle3D": lambda p: 20 <= max(map(abs, p)) < 40}
COINS = {"corner", "flooded", "corner3D", "flooded3D"}


# The start of load_dataset("castle3D"), as of the first version.
FIRST_ROWS = [
    [41.94826137446735, 21.424129954911137, 49.88470065678665],
    [-37.0843603173442, -42.68027014750216, -34.58828306226802],
]
FIRST_POSITIVES = [5, 10, 12]


def rows(name, **options):
    X, y = load_dataset(name, return_X_y=True, **options)
    return X.to_numpy(), y.to_numpy() == 1


def test_there_is_a_law_for_each():
    assert set(NAMES) == LAWS.keys() == REGIONS.keys()
    assert {name for name, law in LAWS.items() if law.coin} == COINS


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_where_the_law_says(name):
    for seed in (0, 1):
        X, positive = rows(name, random_state=seed)
        inside = np.array([REGIONS[name](point) for point in X.tolist()])
        assert inside[positive].all()
        if name in COINS:
            # Half of the points in the region lose the coin: a chance of 1 in a million to be further off.
            lost, won = int(inside.sum() - positive.sum()), int(positive.sum())
            assert abs(lost - won) < 4.9 * (2 * won) ** 0.5
        else:
            assert not inside[~positive].any()
        if name in MOATS:
            assert not any(map(MOATS[name], X.tolist()))


@pytest.mark.parametrize("name", NAMES)
def test_rows_fill_the_square_or_cube_evenly(name):
    low, high = (0, 100) if name.startswith("corner") else (-50, 50)
    X, positive = rows(name)
    assert X.min() >= low
    assert X.max() <= high
    assert X.min() < low + 2
    assert X.max() > high - 2
    negative = X[~positive]
    if not name.startswith("corner"):  # symmetric around the origin; 5 standard errors
        assert (abs(negative.mean(axis=0)) < 5 * negative.std(axis=0) / len(negative) ** 0.5).all()
    # Positives are not at one end: their first half is as many as their second, but for chance.
    first = positive[: len(positive) // 2].sum()
    assert abs(2 * first - positive.sum()) < 5 * positive.sum() ** 0.5


# Shares of the square or cube: where positives are, and where nothing is.
SHARES = {
    "castle": (math.pi * 11**2 / 100**2, math.pi * (23**2 - 11**2) / 100**2),
    "corner": (20**2 / 2 / 100**2 / 2, 0),
    "diamond": (2 * 20**2 / 2 / 100**2, 0),
    "square": (2 * 20**2 / 100**2, 0),
    "flooded": (2 * math.pi * 10**2 / 100**2 / 2, 0),
    "castle3D": (40**3 / 100**3, (80**3 - 40**3) / 100**3),
    "corner3D": (75**3 / 6 / 100**3 / 2, 0),
    "diamond3D": (2 * 4 / 3 * 20**3 / 100**3, 0),
    "square3D": (2 * 40**3 / 100**3, 0),
    "flooded3D": (2 * 4 / 3 * math.pi * 20**3 / 100**3 / 2, 0),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_papers_counts_are_likely_under_the_law(name):
    """So many positives, and so many rows where there is a moat, come of a round number of points, but for chance."""
    info = describe_dataset(name)
    drawn = 10_000 if info.n_features == 2 else 1000
    positive, nothing = SHARES[name]
    for count, share in ((info.n_positives, positive), (drawn - info.n_rows, nothing)):
        assert abs(count - drawn * share) <= 2 * (drawn * share * (1 - share)) ** 0.5


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_is_a_sample(name):
    X, positive = rows(name)
    again, labels = rows(name, random_state=0)
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(positive, labels)
    assert not np.array_equal(X, rows(name, random_state=1)[0])
    np.testing.assert_array_equal(X, rows(name, random_state=np.random.RandomState(0))[0])


def test_the_default_rows_stay_as_they_are():
    """Published figures depend on them: the sample of a seed may never change."""
    X, positive = rows("castle3D")
    np.testing.assert_allclose(X[:2], FIRST_ROWS, rtol=1e-12)
    assert np.flatnonzero(positive)[:3].tolist() == FIRST_POSITIVES


@pytest.mark.parametrize("name", ["corner", "diamond3D"])
def test_the_authors_samples_follow_the_laws_that_are_called_exact(name):
    if not (DATA / f"{name}.csv.gz").exists():
        pytest.skip("the authors' samples are not here")
    loaded = load_dataset(name, data_home=DATA, from_file=True)
    X, positive = loaded.data.to_numpy(), loaded.target.to_numpy() == 1
    inside = LAWS[name].region(X)
    assert LAWS[name].exact
    assert inside[positive].all()
    assert name in COINS or not inside[~positive].any()
    assert X.min() >= LAWS[name].low
    assert X.max() <= LAWS[name].high
    assert not np.array_equal(np.sort(X[:, 0]), np.sort(load_dataset(name).data["x1"]))
    assert (loaded.reconstruction, loaded.source) == (False, f"the file {DATA / name}.csv.gz")


def test_few_points_are_drawn_until_there_are_enough():
    X, positive = simulate(LAWS["corner"], 2, 40, 1, random_state=3)
    assert (X.shape, positive.sum()) == ((41, 2), 40)
    assert (X[positive].sum(axis=1) > 180).all()
    assert len(np.unique(X, axis=0)) == 41

"""Columns of numbers at the ends of what float64 and float32 have, and a table of each."""

import numpy as np

N = 60
LARGEST = np.finfo(np.float64).max
TINY = 5e-324


def column(kind, seed):
    """One column of a kind; some of its values come more than once."""
    rng = np.random.default_rng(seed)
    sign = rng.choice([-1.0, 1.0], N)
    return {
        "denormal steps": lambda: rng.integers(0, 2000, N) * TINY,
        "denormal": lambda: rng.uniform(-1, 1, N) * 1e-310,
        "whole range": lambda: rng.uniform(-1, 1, N) * LARGEST,
        "upper end": lambda: rng.uniform(0.5, 1, N) * LARGEST,
        "all scales": lambda: sign * 10.0 ** rng.uniform(-300, 300, N),
        "1e-300": lambda: rng.normal(size=N) * 1e-300,
        "1e300": lambda: rng.normal(size=N) * 1e300,
        "neighbours": lambda: 1 + rng.integers(0, 30, N) * 2.0**-52,
        "offset": lambda: 1e15 + rng.integers(0, 40, N) * 0.125,
        "both zeros": lambda: rng.choice([0.0, -0.0, 1.0], N),
        "constant": lambda: np.full(N, 3.3),
        "beyond 2**53": lambda: 2.0**53 + 2 * rng.integers(0, 20, N),
        "float32 ends": lambda: (rng.uniform(-1, 1, N) * 3.4e38).astype(np.float32),
        "float32 denormal": lambda: (rng.integers(0, 2000, N) * 1.4e-45).astype(np.float32),
        "ends": lambda: rng.choice([LARGEST, -LARGEST, TINY, -TINY, 0.0, -0.0, 2.3e-308, 1.0], N),
        "two large": lambda: rng.choice([1e308, np.nextafter(1e308, np.inf)], N),
    }[kind]()


KINDS = (
    "denormal steps",
    "denormal",
    "whole range",
    "upper end",
    "all scales",
    "1e-300",
    "1e300",
    "neighbours",
    "offset",
    "both zeros",
    "constant",
    "beyond 2**53",
    "float32 ends",
    "float32 denormal",
    "ends",
    "two large",
)


def table(kind):
    """A column of the kind, beside one of another kind, and labels that the first has to do with."""
    place = KINDS.index(kind)
    other = KINDS[(place + 3) % len(KINDS)]
    if kind.startswith("float32"):
        other = kind
    X = np.column_stack([column(kind, seed=place), column(other, seed=100 + place)])
    ranks = np.argsort(np.argsort(X[:, 0], kind="stable"), kind="stable")
    y = (ranks >= N - 12).astype(int)
    y[::7] = 1 - y[::7]
    return X, y

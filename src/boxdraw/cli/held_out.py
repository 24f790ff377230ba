"""How ``boxdraw evaluate`` holds rows out: at random, the later ones, or whole groups."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedGroupKFold

from boxdraw._core.arrays import BoolArray, IntArray
from boxdraw.cli.errors import Failure, UsageError
from boxdraw.cli.options import positive_integer
from boxdraw.model.export.text import printable
from boxdraw.model.rule import is_missing
from boxdraw.tables.labelled import TrainingFile, label_text

Split = tuple[IntArray, IntArray]


def add_splitting(group: Any) -> None:
    """Add how the rows are split."""
    group.add_argument(
        "--folds", type=positive_integer, default=5, metavar="N", help="times that rows are held out (%(default)s)"
    )
    group.add_argument(
        "--repeats", type=positive_integer, default=1, metavar="N", help="how often the rows are split (%(default)s)"
    )
    group.add_argument(
        "--time",
        metavar="COLUMN",
        help="train on the past: the rows in the order of this column are cut into parts, one more than folds, and "
        "each part but the first is held out from what is learned on all before it; no feature",
    )
    group.add_argument(
        "--group",
        metavar="COLUMN",
        help="hold out whole groups, such as all rows of a customer: those with the same value here; no feature",
    )


def check_splitting(args: argparse.Namespace) -> None:
    """Reject ways to split that do not go together."""
    if args.folds < 2:
        raise UsageError("--folds must be at least 2")
    if args.time is not None and args.group is not None:
        raise UsageError("--time and --group do not go together: state one of them")
    if args.time is not None and args.repeats > 1:
        raise UsageError("--repeats goes without --time: there is one order of the rows")


def manner(args: argparse.Namespace) -> str:
    """Say which rows are held out."""
    if args.time is not None:
        return f"On rows later by {printable(args.time)} than those learned from, {args.folds} times"
    times = "" if args.repeats == 1 else f", {args.repeats} times"
    whole = "" if args.group is None else f" with all rows of each {printable(args.group)} in one"
    return f"On held-out rows of {args.folds} folds{whole}{times}"


def group_numbers(args: argparse.Namespace, data: TrainingFile) -> IntArray | None:
    """Return the number of the group of each row; None without ``--group``."""
    if args.group is None:
        return None
    groups = _ranks([label_text(value) for value in column_values(data, args.group, "--group")])
    if (n_groups := len(np.unique(groups))) < args.folds:
        raise Failure(f"--group {printable(args.group)} has {n_groups} groups, too few for {args.folds} folds")
    return groups


def splits(
    args: argparse.Namespace, data: TrainingFile, positive: BoolArray, groups: IntArray | None = None
) -> list[Split]:
    """Return training and test rows of each fold, with both labels on either side."""
    if args.time is not None:
        found = _later(_times(column_values(data, args.time, "--time"), args.time), args)
    elif groups is not None:
        found = _whole(groups, positive, args)
    else:
        splitter = RepeatedStratifiedKFold(n_splits=args.folds, n_repeats=args.repeats, random_state=args.seed)
        return list(splitter.split(positive, positive))
    for fold, sides in enumerate(found, start=1):
        for rows, what in zip(sides, ("learn from", "test on"), strict=True):
            if positive[rows].all() or not positive[rows].any():
                raise Failure(f"fold {fold} of {len(found)} has rows of one label only to {what}: use fewer --folds")
    return found


def column_values(data: TrainingFile, name: str, needed_by: str = "") -> list[Any]:
    """Return the values of a column, one per labelled row; raise for missing ones if an option needs all."""
    values = [value for table in data.rows.tables([name]) for value in table[name].to_pylist()]
    if needed_by and (n_missing := sum(map(is_missing, values))):
        raise Failure(f"{needed_by} {printable(name)} has no value in {n_missing} of {len(values)} rows")
    return values


def _times(values: list[Any], name: str) -> list[Any]:
    """Return what sorts in the order of time; texts have to be dates or times as ISO 8601 writes them."""
    try:
        times = [datetime.fromisoformat(value) if isinstance(value, str) else value for value in values]
        sorted(set(times))
    except (TypeError, ValueError) as error:
        raise Failure(
            f"--time {printable(name)} has no order: write numbers, or dates and times such as 2026-11-16 ({error})"
        ) from None
    return times


def _later(times: Sequence[Any], args: argparse.Namespace) -> list[Split]:
    """Cut the rows into parts by time, rows of the same time together; each is tested by all before it."""
    distinct, place, counts = np.unique(_ranks(times), return_inverse=True, return_counts=True)
    first = np.cumsum(counts) - counts  # rows before each time
    part = (first * (args.folds + 1) // len(times))[place]
    if len(np.unique(part)) <= args.folds:
        raise Failure(
            f"--time {printable(args.time)} has {len(distinct)} different values, too few or too uneven for "
            f"{args.folds} folds: use fewer --folds"
        )
    return [(np.flatnonzero(part < k), np.flatnonzero(part == k)) for k in range(1, args.folds + 1)]


def _whole(groups: IntArray, positive: BoolArray, args: argparse.Namespace) -> list[Split]:
    """Deal whole groups to the folds, so that each gets as equal a share of both labels as that allows."""
    found: list[Split] = []
    for seed in np.random.default_rng(args.seed).integers(2**31, size=args.repeats).tolist():
        splitter = StratifiedGroupKFold(n_splits=args.folds, shuffle=True, random_state=seed)
        found += splitter.split(positive, positive, groups)
    return found


def _ranks(values: Sequence[Any]) -> IntArray:
    place = {value: rank for rank, value in enumerate(sorted(set(values)))}
    return np.array([place[value] for value in values], dtype=np.intp)

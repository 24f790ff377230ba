"""The estimator that the options describe."""

from __future__ import annotations

import argparse
import math
from typing import Any

from boxdraw import ExactBoxesClassifier, FastBoxesClassifierCV, ScoredBoxesClassifier
from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw.cli.errors import UsageError
from boxdraw.cli.options import positive_integer, positive_number
from boxdraw.cli.show import progress

__all__ = ["add_learning", "box_counts", "check_learning", "learn", "make_estimator"]

_TRIED = (1, 2, 3, 4, 5, 6, 8, 10)
_EXACT_SECONDS = 60.0
# Options that only one method has.
_OWN = {"time_limit": "exact", "max_limits": "scored", "max_union": "scored"}


def add_learning(parser: argparse.ArgumentParser) -> None:
    """Add how to learn."""
    group = parser.add_argument_group("learning")
    group.add_argument(
        "--method",
        choices=("fast", "exact", "scored"),
        default="fast",
        help="fast chooses its settings by cross-validation; exact searches for the best boxes there are, on up to "
        "some thousand rows; scored gives boxes points, and ranks rows best (%(default)s)",
    )
    group.add_argument(
        "--false-alarm-cost",
        type=positive_number,
        metavar="COST",
        help="what a false alarm costs relative to a miss (default: both labels weigh the same)",
    )
    group.add_argument(
        "--max-boxes", type=positive_integer, metavar="N", help="the most boxes (fast: 10, exact: 3, scored: 8)"
    )
    group.add_argument("--time-limit", type=positive_number, metavar="SECONDS", help="with --method exact (60)")
    group.add_argument(
        "--max-limits",
        type=positive_integer,
        metavar="N",
        help="with --method scored: the most limits of a box (default: 1, 2 or 3, by cross-validation)",
    )
    group.add_argument(
        "--max-union",
        type=positive_integer,
        metavar="N",
        help="with --method scored: the most boxes without points that say the same (8)",
    )
    group.add_argument("--seed", type=int, default=0, help="of what is drawn at random (%(default)s)")
    group.add_argument("--jobs", type=positive_integer, metavar="N", help="number of threads (1)")


def check_learning(args: argparse.Namespace) -> None:
    """Reject options of another method than the chosen one."""
    for name, method in _OWN.items():
        if getattr(args, name) is not None and args.method != method:
            raise UsageError(f"--{name.replace('_', '-')} goes with --method {method}; {args.method} has none")


def learn(args: argparse.Namespace, X: Any, positive: BoolArray, weight: FloatArray | None, quiet: bool) -> Any:
    """Learn boxes."""
    limit = args.time_limit or _EXACT_SECONDS
    with progress("drawing boxes", limit if args.method == "exact" else None, quiet) as step:

        def tell(search: Any) -> None:
            proven = f", at most {search.gap:.1%} from the best" if math.isfinite(search.gap) else ""
            step(min(search.seconds, limit), search.phase + proven)

        fitted = make_estimator(args, tell).fit(X, positive, weight)
    if args.method == "exact" and fitted.status_ == "interrupted":
        raise KeyboardInterrupt  # the search takes Ctrl-C for "enough", but here it means "stop"
    return fitted


def make_estimator(args: argparse.Namespace, tell: Any = None) -> Any:
    """Return the estimator that the options describe, not fitted."""
    common = {"pos_label": True, "random_state": args.seed, "n_jobs": args.jobs}
    cost = args.false_alarm_cost
    if args.method == "exact":
        return ExactBoxesClassifier(
            max_boxes=args.max_boxes or 3,
            negative_weight="balanced" if cost is None else cost,
            time_limit=args.time_limit or _EXACT_SECONDS,
            callback=tell,
            **common,
        )
    if args.method == "scored":
        return ScoredBoxesClassifier(
            max_boxes=args.max_boxes or 8,
            max_limits=args.max_limits or "auto",
            max_union=args.max_union or 8,
            false_alarm_cost=cost,
            **common,
        )
    return FastBoxesClassifierCV(n_boxes=box_counts(args.max_boxes), false_alarm_cost=cost, **common)


def box_counts(most: int | None) -> tuple[int, ...]:
    """Return the numbers of boxes to try."""
    if most is None:
        return _TRIED
    return (*(n for n in _TRIED if n < most), most)

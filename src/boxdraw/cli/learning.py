"""The estimator that the options describe."""

from __future__ import annotations

import argparse
import math
from collections.abc import Collection, Sequence
from typing import Any

from boxdraw import ExactBoxesClassifier, FastBoxesClassifierCV, ScoredBoxesClassifier, SparseBoxesClassifier
from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw.cli.errors import UsageError
from boxdraw.cli.labelled import column_names
from boxdraw.cli.options import (
    AS_BOXES,
    cost,
    load_model,
    number_from_0,
    or_auto,
    positive_integer,
    positive_number,
    share,
    share_or_all,
    without_points,
)
from boxdraw.cli.show import progress
from boxdraw.tables.errors import check_columns
from boxdraw.tables.labelled import TrainingFile

#: The learners.
METHODS = ("sparse", "fast", "exact", "scored")

_TRIED = (1, 2, 3, 4, 5, 6, 8, 10)
_EXACT_SECONDS = 60.0
#: The options that constrain boxes.
CONSTRAINTS = ("monotone", "never", "not_together", "min_box_rows", "min_box_precision")
# Options that not every method has.
_OWN = {
    "time_limit": ("exact",),
    "max_limits": ("sparse", "scored", "exact"),
    "limit_cost": ("sparse", "exact"),
    "max_union": ("scored",),
    **dict.fromkeys(CONSTRAINTS, ("sparse", "scored", "exact")),
    "base_rate": ("sparse", "scored", "fast"),
    "existing": ("sparse",),
} | dict.fromkeys(("max_alarm_rate", "max_alarms", "per", "min_precision", "min_recall"), ("sparse", "scored", "fast"))
_DIRECTIONS = {"+": 1, "-": -1}


def add_learning(parser: argparse.ArgumentParser) -> None:
    """Add how to learn."""
    group = parser.add_argument_group("learning")
    group.add_argument(
        "--method",
        choices=METHODS,
        default="sparse",
        help="sparse draws the fewest boxes and limits that do the job; fast draws a box around each cluster; exact "
        "searches for the best boxes there are, on up to some thousand rows; scored gives boxes points, and ranks rows "
        "best; all but exact read files larger than memory (%(default)s)",
    )
    add_settings(group, "60")
    group.add_argument(
        "--base-rate",
        type=share,
        metavar="SHARE",
        help="but for exact boxes: the share of rows with the label where the model is used, such as 1%%, if the table "
        "has another; risks, alarm rates and precisions are those there",
    )
    group.add_argument(
        "--existing",
        metavar="FILE",
        help="for sparse boxes: rules in use, a model or a file of SQL (.sql) or of sentences (.txt); what they flag "
        "is left out, and only new boxes are learned",
    )


def add_settings(group: argparse._ArgumentGroup, seconds: str) -> None:
    """Add the settings of the learners; ``seconds`` is the time limit that the help names."""
    group.add_argument(
        "--false-alarm-cost",
        type=cost,
        metavar="COST",
        help="what a false alarm costs relative to a miss, or balanced: both labels weigh the same (default: balanced; "
        "sparse chooses, with fewer false alarms)",
    )
    _add_goals(group)
    group.add_argument(
        "--max-boxes",
        type=or_auto(positive_integer),
        metavar="N",
        help="the most boxes, or auto: by cross-validation up to 8 for sparse, 16 for scored, 10 for fast, 5 for exact "
        "(auto; exact: 3)",
    )
    group.add_argument(
        "--time-limit", type=positive_number, metavar="SECONDS", help=f"of a fit, for exact boxes ({seconds})"
    )
    group.add_argument(
        "--max-limits",
        type=or_auto(positive_integer),
        metavar="N",
        help="but for fast boxes: the most limits of a box (sparse, exact: any number, scored: by cross-validation)",
    )
    group.add_argument(
        "--limit-cost",
        type=or_auto(number_from_0),
        metavar="COST",
        help="for sparse and exact boxes: what a limit costs relative to a miss; the more, the shorter the rules "
        "(sparse: by cross-validation, exact: 1%% of the positives)",
    )
    group.add_argument(
        "--max-union",
        type=or_auto(positive_integer),
        metavar="N",
        help="for scored boxes: the most boxes without points that say the same (8)",
    )
    add_constraints(group)
    group.add_argument("--seed", type=int, default=0, help="of what is drawn at random (%(default)s)")
    group.add_argument("--jobs", type=positive_integer, metavar="N", help="number of threads (1)")


def add_constraints(group: argparse._ArgumentGroup) -> None:
    """Add what boxes have to keep to."""
    several: dict[str, Any] = {"action": "append"}
    group.add_argument(
        "--monotone",
        metavar="A=+,B=-",
        help="but for fast boxes: directions of columns; with + more is worse, so rules have only lower "
        "limits on the column, with - only upper ones",
        **several,
    )
    group.add_argument("--never", metavar="A,B", help="but for fast boxes: columns that are in no rule", **several)
    group.add_argument(
        "--not-together",
        metavar="A,B",
        help="but for fast boxes: columns of which a box has at most one; may be given several times",
        **several,
    )
    group.add_argument(
        "--min-box-rows",
        type=positive_number,
        metavar="N",
        help="but for fast boxes: the least rows in a box, by weight",
    )
    group.add_argument(
        "--min-box-precision",
        type=share_or_all,
        metavar="SHARE",
        help="but for fast boxes: the least share of rows in a box that have the label, such as 50%% or 100%%",
    )


def read_constraints(args: argparse.Namespace, data: TrainingFile) -> None:
    """Replace the texts of options by the columns that they name, but for those that are left out anyway."""
    columns, source, kept = data.rows.file.schema.names, data.rows.file.name, set(data.features)
    if args.monotone is not None:
        given = _directions(args.monotone, columns, source)
        args.monotone = {name: sign for name, sign in given.items() if name in kept}
    if args.never is not None:
        args.never = [name for name in column_names(args.never, columns, source) if name in kept]
    if args.not_together is not None:
        groups = (column_names([text], columns, source) for text in args.not_together)
        args.not_together = [[name for name in group if name in kept] for group in groups]


def _directions(given: Sequence[str], columns: Sequence[str], source: str) -> dict[str, int]:
    """Parse directions; a column whose name has a comma is given alone."""
    result = {}
    for text in given:
        alone = text.rpartition("=")[0] in columns
        for part in [text] if alone else text.split(","):
            name, _, sign = part.rpartition("=")
            if sign not in _DIRECTIONS or not name:
                raise UsageError(f"--monotone takes columns with = and + or -, as in amount=+,age=-; got {part!r}")
            check_columns([name], columns, source)
            result[name] = _DIRECTIONS[sign]
    return result


def constraints_of(args: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters that the options stand for."""
    return {
        "monotonic_cst": args.monotone,
        "interaction_cst": None if args.not_together is None else {"not_together": args.not_together},
        "allowed_values": None if args.never is None else dict.fromkeys(args.never, ()),
        "min_box_rows": args.min_box_rows,
        "min_box_precision": args.min_box_precision,
    }


def _add_goals(group: argparse._ArgumentGroup) -> None:
    """Add what people may ask for instead of naming a cost."""
    group.add_argument(
        "--max-alarm-rate", type=share, metavar="SHARE", help="the most of all rows to flag, such as 1%%"
    )
    group.add_argument(
        "--max-alarms",
        type=positive_number,
        metavar="N",
        help="the most rows to flag per value of --per, such as 50 a day: on average, a single day may have more",
    )
    group.add_argument(
        "--per", metavar="COLUMN", help="the column with the days or weeks of --max-alarms, which is not learned from"
    )
    group.add_argument(
        "--min-precision", type=share, metavar="SHARE", help="the least share of the flagged rows with the label"
    )
    group.add_argument(
        "--min-recall", type=share, metavar="SHARE", help="the least share of the rows with the label to flag"
    )
    group.add_argument(
        "--confidence",
        type=share,
        default=0.9,
        metavar="SHARE",
        help="how sure such a goal must be, on new rows (%(default)s)",
    )


def set_alarm_rate(args: argparse.Namespace, data: TrainingFile) -> None:
    """Turn so many alarms per day into a share of the rows."""
    if args.max_alarms is None:
        return
    if not (n_periods := data.rows.n_different(args.per)):
        raise UsageError(f"--per {args.per} has no values to count alarms by")
    args.max_alarm_rate = args.max_alarms * n_periods / data.n_rows
    if not args.max_alarm_rate < 1:
        raise UsageError(
            f"--max-alarms {args.max_alarms:g} is no goal: there are {data.n_rows / n_periods:.3g} rows per {args.per}"
        )


def check_learning(args: argparse.Namespace, methods: Collection[str]) -> None:
    """Reject options that none of the chosen methods has, and goals that do not go together."""
    if (args.max_alarms is None) != (args.per is None):
        raise UsageError("--max-alarms and --per go together: so many alarms per value of that column")
    if args.max_alarms is not None and getattr(args, "base_rate", None) is not None:
        raise UsageError(
            "--max-alarms counts the rows of this table, and --base-rate says that others count: state --max-alarm-rate"
        )
    goals = "max_alarm_rate", "max_alarms", "min_precision", "min_recall", "false_alarm_cost"
    given = [f"--{name.replace('_', '-')}" for name in goals if getattr(args, name) is not None]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} do not go together: state one of them")
    for name, owners in _OWN.items():
        if getattr(args, name, None) is not None and not set(owners) & set(methods):
            choice = "--method" if "method" in args else "--models"
            raise UsageError(
                f"--{name.replace('_', '-')} goes with {choice} {' or '.join(owners)}; "
                f"{', '.join(methods)} {'has' if len(methods) == 1 else 'have'} none"
            )


def learn(
    args: argparse.Namespace,
    X: Any,
    positive: BoolArray,
    weight: FloatArray | None,
    quiet: bool,
    groups: IntArray | None = None,
) -> Any:
    """Learn boxes; inner folds, where there are some, keep groups of rows whole."""
    limit = args.time_limit or _EXACT_SECONDS
    with progress("drawing boxes", limit if args.method == "exact" else None, quiet) as step:

        def tell(search: Any) -> None:
            proven = f", at most {search.gap:.1%} from the best" if math.isfinite(search.gap) else ""
            step(min(search.seconds, limit), search.phase + proven)

        whole = {} if groups is None or args.method == "exact" else {"groups": groups}
        fitted = make_estimator(args, tell).fit(X, positive, weight, **whole)
    if args.method == "exact" and fitted.status_ == "interrupted":
        raise KeyboardInterrupt  # the search takes Ctrl-C for "enough", but here it means "stop"
    return fitted


def make_estimator(args: argparse.Namespace, tell: Any = None) -> Any:
    """Return the estimator that the options describe, not fitted."""
    common = {"pos_label": True, "random_state": args.seed, "n_jobs": args.jobs}
    goals = {name: getattr(args, name) for name in ("max_alarm_rate", "min_precision", "min_recall", "confidence")}
    if getattr(args, "base_rate", None) is not None:  # evaluate has none
        goals["base_rate"] = args.base_rate
    most = None if args.max_limits == "auto" else args.max_limits
    if args.method == "sparse":
        return SparseBoxesClassifier(
            max_boxes=args.max_boxes or "auto",
            max_limits=most,
            limit_cost="auto" if args.limit_cost is None else args.limit_cost,
            false_alarm_cost=args.false_alarm_cost,
            existing=without_points(load_model(args.existing), AS_BOXES) if getattr(args, "existing", None) else None,
            **constraints_of(args),
            **goals | common | {"random_state": args.seed or None},  # as without a seed in Python
        )
    cost = None if args.false_alarm_cost == "balanced" else args.false_alarm_cost
    if args.method == "exact":
        return ExactBoxesClassifier(
            max_boxes=args.max_boxes or 3,
            max_limits=most,
            limit_cost="auto" if args.limit_cost is None else args.limit_cost,
            negative_weight="balanced" if cost is None else cost,
            time_limit=args.time_limit or _EXACT_SECONDS,
            callback=tell,
            **constraints_of(args),
            **common,
        )
    if args.method == "scored":
        return ScoredBoxesClassifier(
            max_boxes=args.max_boxes or "auto",
            max_limits=args.max_limits or "auto",
            max_union=args.max_union or "auto",
            signed_points=False,  # so that there is a union, for rules in use (--existing, revise)
            false_alarm_cost=cost,
            **constraints_of(args),
            **goals | common,
        )
    n_boxes = "auto" if args.max_boxes in (None, "auto") else box_counts(args.max_boxes)
    return FastBoxesClassifierCV(n_boxes=n_boxes, false_alarm_cost=args.false_alarm_cost, **goals | common)


def box_counts(most: int) -> tuple[int, ...]:
    """Return the numbers of boxes to try."""
    return (*(n for n in _TRIED if n < most), most)

"""``boxdraw fit``: learn boxes from a table and save them."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import Any

from boxdraw import ExactBoxesClassifier, FastBoxesClassifierCV, __version__
from boxdraw.cli.columns import Labelled, read_labelled
from boxdraw.cli.errors import UsageError
from boxdraw.cli.files import Output
from boxdraw.cli.labels import label_text
from boxdraw.cli.model import Model, model_to_json
from boxdraw.cli.options import add_common, add_csv, add_labelled, add_output, positive_integer, positive_number
from boxdraw.cli.report import box_figures, figures_text, flag_text, rules_json
from boxdraw.cli.show import percent, plain, progress, say, say_json
from boxdraw.export.text import printable

__all__ = ["EXAMPLES", "SUMMARY", "add_arguments", "box_counts", "fast_boxes", "run"]

SUMMARY = "Learn boxes around the rare label of a table, print them as rules and save them."
EXAMPLES = """\
  boxdraw fit data.csv --target fraud
  boxdraw fit data.csv --target fraud --positive yes --drop id,name --categorical zip -o fraud.json
  boxdraw fit data.csv --target fraud --false-alarm-cost 0.1
  boxdraw fit small.parquet --target fraud --method exact --max-boxes 2 --time-limit 300
  cat data.csv | boxdraw fit - --target fraud -o - | boxdraw rules -"""

_TRIED = (1, 2, 3, 4, 5, 6, 8, 10)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        The parser of the command.
    """
    parser.add_argument("data", metavar="DATA", help="a CSV or Parquet file, or - for standard input")
    add_output(parser, "model.json", "the model")
    group = parser.add_argument_group("learning")
    group.add_argument(
        "--method",
        choices=("fast", "exact"),
        default="fast",
        help="fast chooses its settings by cross-validation; exact searches for the best boxes there are, on up to "
        "some thousand rows (%(default)s)",
    )
    group.add_argument(
        "--false-alarm-cost",
        type=positive_number,
        metavar="COST",
        help="what a false alarm costs relative to a miss (default: both labels weigh the same)",
    )
    group.add_argument("--max-boxes", type=positive_integer, metavar="N", help="the most boxes (fast: 10, exact: 3)")
    group.add_argument("--time-limit", type=positive_number, metavar="SECONDS", help="with --method exact (60)")
    group.add_argument("--seed", type=int, default=0, help="of what is drawn at random (%(default)s)")
    group.add_argument("--jobs", type=positive_integer, metavar="N", help="number of threads (1)")
    add_labelled(parser)
    add_csv(parser)
    add_common(parser, json="what was learned")


def run(args: argparse.Namespace) -> None:
    """Run the command.

    Parameters
    ----------
    args : argparse.Namespace
        The options.
    """
    if args.time_limit is not None and args.method != "exact":
        raise UsageError("--time-limit goes with --method exact; fast has none")
    if args.json and args.output == "-":
        raise UsageError("--json and -o - cannot share standard output; give -o a file")
    output = Output(args.output, args.force, (args.data,))
    data = read_labelled(args)
    classes = data.negative_label, data.positive_label
    fitted = _learn(args, data)
    model = Model(fitted.boxes_, data.target, classes, _origin(args, data, fitted))
    figures = box_figures(model, data.X, data.y, data.weight)
    output.write(model_to_json(model))
    if args.json:
        saved = {"model": output.name, "fit": model.fit}
        say_json(saved | rules_json(model, figures))
    elif not args.quiet:
        say(_report(model, data, figures, output), sys.stderr if output.is_stdout else sys.stdout)


def _learn(args: argparse.Namespace, data: Labelled) -> Any:
    """Return the fitted estimator."""
    limit = 60.0 if args.time_limit is None else args.time_limit
    total = limit if args.method == "exact" else None
    with progress("drawing boxes", total, args.quiet) as step:
        if args.method == "fast":
            return fast_boxes(args).fit(data.X, data.is_positive, data.weight)

        def tell(search: Any) -> None:
            proven = f", at most {search.gap:.1%} from the best" if math.isfinite(search.gap) else ""
            step(min(search.seconds, limit), search.phase + proven)

        fitted = _exact(args, limit, tell).fit(data.X, data.is_positive, data.weight)
    if fitted.status_ == "interrupted":  # the search takes Ctrl-C for "enough", but here it means "stop"
        raise KeyboardInterrupt
    return fitted


def fast_boxes(args: argparse.Namespace) -> FastBoxesClassifierCV:
    """Return the estimator that the options of ``fit`` and ``evaluate`` describe.

    Parameters
    ----------
    args : argparse.Namespace
        The options.

    Returns
    -------
    FastBoxesClassifierCV
        The estimator, not fitted.
    """
    return FastBoxesClassifierCV(
        n_boxes=box_counts(args.max_boxes),
        false_alarm_cost=args.false_alarm_cost,
        pos_label=True,
        random_state=args.seed,
        n_jobs=args.jobs,
    )


def box_counts(most: int | None) -> tuple[int, ...]:
    """Return the numbers of boxes to try.

    Parameters
    ----------
    most : int or None
        The most boxes that the user wants.

    Returns
    -------
    tuple of int
        Rising numbers up to that one.

    Examples
    --------
    >>> box_counts(7), box_counts(None)
    ((1, 2, 3, 4, 5, 6, 7), (1, 2, 3, 4, 5, 6, 8, 10))
    """
    if most is None:
        return _TRIED
    return (*(n for n in _TRIED if n < most), most)


def _exact(args: argparse.Namespace, limit: float, tell: Any) -> ExactBoxesClassifier:
    cost = "balanced" if args.false_alarm_cost is None else args.false_alarm_cost
    return ExactBoxesClassifier(
        max_boxes=args.max_boxes or 3,
        negative_weight=cost,
        time_limit=limit,
        pos_label=True,
        random_state=args.seed,
        n_jobs=args.jobs,
        callback=tell,
    )


def _origin(args: argparse.Namespace, data: Labelled, fitted: Any) -> dict[str, Any]:
    """Say where the boxes come from; nothing that differs from run to run, so that equal models are equal files."""
    origin: dict[str, Any] = {
        "boxdraw": __version__,
        "method": args.method,
        "data": data.source if args.data == "-" else Path(args.data).name,
        "rows": len(data.y),
        "positives": int(data.is_positive.sum()),
        "weight": args.weight,
        "parameters": {"false_alarm_cost": args.false_alarm_cost, "max_boxes": args.max_boxes, "seed": args.seed},
    }
    origin["negative_weight"] = float(fitted.negative_weight_)
    if args.method == "exact":
        origin |= {"status": fitted.status_, "objective": float(fitted.objective_), "bound": float(fitted.bound_)}
    elif hasattr(fitted, "best_params_"):
        origin |= {"chosen": fitted.best_params_, "cross_validated_auh": float(fitted.best_score_)}
    return dict(plain(origin))


def _report(model: Model, data: Labelled, figures: list[dict[str, Any]], output: Output) -> str:
    """Write what was learned."""
    positive = data.is_positive
    label = f"{printable(data.target)} = {printable(label_text(model.classes[1]))}"
    saved = "standard output" if output.is_stdout else output.name
    return "\n".join(
        [
            f"{data.source}: {len(positive)} rows, {positive.sum()} ({percent(positive.mean(), 1)}) with {label}",
            "",
            flag_text(model),
            model.boxes.to_text(),
            *_proof(model.fit),
            "",
            "On the rows the boxes were learned from; expect less on new rows (boxdraw evaluate estimates how much):",
            figures_text(figures),
            "",
            f"Saved in {saved}",
        ]
    )


def _proof(origin: dict[str, Any]) -> list[str]:
    """Say how good the boxes of an exact search are."""
    if origin["method"] != "exact":
        return []
    status, objective, bound = origin["status"], origin["objective"], origin["bound"]
    if status == "optimal":
        return [f"No other boxes are better: objective {objective:.6g}, proven"]
    reach = "and how far it can go is not known" if bound is None else f"and none exceeds {bound:.6g}"
    return [f"The search ended early ({status}): objective {objective:.6g}, {reach}"]

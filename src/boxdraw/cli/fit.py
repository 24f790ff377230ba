"""``boxdraw fit``: learn boxes from a table and save them."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from boxdraw import Frontier
from boxdraw._core.ranges import LARGE
from boxdraw._core.version import __version__
from boxdraw._core.warn import warn
from boxdraw.cli.errors import Failure, UsageError
from boxdraw.cli.figures import box_figures, figures_text, model_text, rules_json
from boxdraw.cli.labelled import open_labelled, read_labelled
from boxdraw.cli.learning import (
    CONSTRAINTS,
    add_learning,
    check_learning,
    learn,
    make_estimator,
    read_constraints,
    set_alarm_rate,
)
from boxdraw.cli.options import AS_BOXES, add_common, add_csv, add_labelled, add_output, load_model, without_points
from boxdraw.cli.output import Output
from boxdraw.cli.show import note, percent, rows_progress, say, say_json
from boxdraw.learners.history import with_history
from boxdraw.model.choices import Choices
from boxdraw.model.export.text import printable
from boxdraw.model.file import Model, model_to_json
from boxdraw.model.settings import as_plain
from boxdraw.tables.arrow import MEMORY_LIMIT
from boxdraw.tables.labelled import Tell, TrainingFile, label_text

EXAMPLES = """\
  boxdraw fit data.csv --target fraud
  boxdraw fit data.csv --target fraud --positive yes --drop id -o fraud.json
  boxdraw fit data.csv --target fraud --categorical zip,branch
  boxdraw fit data.csv --target fraud --false-alarm-cost 0.1
  boxdraw fit data.csv --target fraud --max-alarms 50 --per day
  boxdraw fit data.csv --target fraud --min-precision 50%
  boxdraw fit data.csv --target fraud --max-boxes 2 --max-limits 3
  boxdraw fit data.csv --target fraud --monotone amount=+,age=- --never postcode
  boxdraw fit data.csv --target fraud --method scored --max-limits 2
  boxdraw fit small.parquet --target fraud --method exact --time-limit 300
  cat data.csv | boxdraw fit - --target fraud -o - | boxdraw rules -"""

_IN_PASSES = ("sparse", "scored", "fast")  # methods that need not have all rows in memory


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("data", metavar="DATA", help="a CSV or Parquet file, or - for standard input")
    add_output(parser, "model.json", "the model")
    add_learning(parser)
    add_labelled(parser)
    add_csv(parser)
    add_common(parser, json="what was learned")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    check_learning(args, [args.method])
    if args.json and args.output == "-":
        raise UsageError("--json and -o - cannot share standard output; give -o a file")
    table = open_labelled(args)
    existing = None if args.existing is None else without_points(load_model(args.existing), AS_BOXES)
    output = Output(args.output, args.force, (args.data,))
    with rows_progress(args.quiet) as tell:
        data = read_labelled(args, table, tell, existing)
        read_constraints(args, data)
        set_alarm_rate(args, data)
        fitted = _fit_in_passes(args, data, tell) if _in_passes(args, data) else None
    if fitted is None:
        fitted = _fit_in_memory(args, data)
    model = _model(args, data, fitted)
    with rows_progress(args.quiet) as tell:
        figures = box_figures(model, data.pieces(), data.n_rows, tell)
    if args.method != "sparse":  # which says so itself
        _warn(figures)
    if not output.is_stdout:
        model = with_history(fitted, model, output.name)
    output.write(model_to_json(model))
    if args.json:
        saved = {"model": output.name, "fit": model.fit}
        say_json(saved | rules_json(model, figures))
    elif not args.quiet:
        say(_report(model, data, figures, output), sys.stderr if output.is_stdout else sys.stdout)


def _warn(figures: list[dict[str, Any]]) -> None:
    """Warn if no row that counts is in a box."""
    together = figures[-1]
    if not together["true_positives"]:
        warn("No row with the label is in a box: do not rely on them.")


def _in_passes(args: argparse.Namespace, data: TrainingFile) -> bool:
    """Return True if the table is read in pieces; methods other than fast do so if it is large."""
    large = data.n_rows * len(data.features) > LARGE
    return args.method in _IN_PASSES and args.existing is None and (args.method == "fast" or large)


def _fit_in_passes(args: argparse.Namespace, data: TrainingFile, tell: Tell) -> Any:
    """Learn with a method that reads large tables in pieces."""
    rows = data.rows
    return make_estimator(args).fit_table(
        data, target=rows.target, weight=rows.weight, features=data.features, progress=tell
    )


def _fit_in_memory(args: argparse.Namespace, data: TrainingFile) -> Any:
    """Learn from all rows at once."""
    name, hint = data.rows.file.name, f"--method {' or '.join(_IN_PASSES)} reads large tables in pieces"
    hint += ", without --existing" * (args.existing is not None)
    if 8 * data.n_rows * len(data.features) > MEMORY_LIMIT:
        note(f"all {data.n_rows} rows of {name} are read into memory; {hint}", args.quiet)
    try:
        return learn(args, *data.read(), args.quiet)
    except MemoryError as error:
        raise Failure(f"not enough memory for --method {args.method} on {name}; {hint}") from error


def _model(args: argparse.Namespace, data: TrainingFile, fitted: Any) -> Model:
    drawing = fitted.scorecard_ if args.method == "scored" else fitted.boxes_
    classes = data.negative, data.positive
    risk = getattr(fitted, "risk_table_", None)
    origin, choices = _origin(args, data, fitted), Choices.of(fitted).beside(drawing)
    return Model(drawing, data.rows.target, classes, origin, risk=risk, choices=choices)


def _origin(args: argparse.Namespace, data: TrainingFile, fitted: Any) -> dict[str, Any]:
    """Describe where the boxes come from, without anything that differs between runs: equal models are equal files."""
    origin: dict[str, Any] = {
        "boxdraw": __version__,
        "method": args.method,
        "data": data.rows.file.name if args.data == "-" else Path(args.data).name,
        "rows": data.n_rows,
        "positives": data.n_positive,
        "weight": args.weight,
        "parameters": {"false_alarm_cost": args.false_alarm_cost, "max_boxes": args.max_boxes, "seed": args.seed},
    }
    own = {"sparse": ("max_limits", "limit_cost"), "scored": ("max_limits", "max_union")}
    own["exact"] = own["sparse"]
    goals = "max_alarm_rate", "min_precision", "min_recall"
    if asked := {name: getattr(args, name) for name in goals if getattr(args, name) is not None}:
        origin["parameters"] |= asked | {"confidence": args.confidence}
    origin["parameters"] |= {name: getattr(args, name) for name in own.get(args.method, ())}
    given = {name: getattr(args, name) for name in CONSTRAINTS if getattr(args, name) is not None}
    origin["parameters"] |= given | ({} if args.base_rate is None else {"base_rate": args.base_rate})
    if args.existing is not None:
        origin["parameters"]["existing"] = Path(args.existing).name
    if (goal := getattr(fitted, "goal_", None)) is not None:
        origin["goal"] = goal.as_dict()
    return dict(as_plain(origin | _outcome(args.method, fitted)))


def _outcome(method: str, fitted: Any) -> dict[str, Any]:
    """Return what a method chose or proved."""
    if method == "sparse":
        names = "false_alarm_cost", "limit_cost", "max_boxes"
        return {name: getattr(fitted, f"{name}_") for name in names} | _held_out(fitted.frontier_)
    if method == "scored":
        chosen = {"max_limits": fitted.max_limits_, "lam": fitted.lam_}
        tried = hasattr(fitted, "cv_results_")
        score = {"cross_validated_auc": fitted.cv_results_["mean_test_score"].max()} if tried else {}
        return {"chosen": chosen, **score}
    weight = {"negative_weight": fitted.negative_weight_}
    if method == "exact":
        weight |= {"limit_cost": fitted.limit_cost_, "max_boxes": fitted.max_boxes_}
        return weight | {"status": fitted.status_, "objective": fitted.objective_, "bound": fitted.bound_}
    tried = hasattr(fitted, "best_params_")
    score = {"chosen": fitted.best_params_, "cross_validated_auh": fitted.best_score_} if tried else {}
    return weight | score | {"settings": _settings(fitted)}


def _held_out(frontier: Frontier) -> dict[str, Any]:
    """Return how drawings like the chosen one do on held-out rows; nothing without boxes or inner folds."""
    names = "score", "error", "recall", "false_alarm_rate"
    for point in frontier:
        if point.n_limits == frontier.chosen and not math.isnan(point.score):
            return {"held_out": {name: getattr(point, name) for name in names}}
    return {}


def _settings(fitted: Any) -> dict[str, Any]:
    """Return what Fast Boxes needs, with the cost and the seed, to draw the same boxes again without a search."""
    # in use where nothing was tried
    first = {"n_boxes": 1, "feature_range": fitted.feature_range[0], "distance": fitted.distance[0]}
    chosen = getattr(fitted, "best_params_", first)
    drawn = {name: chosen[name] for name in first}
    drawn |= {"expansion": fitted.expansion_, "growth": fitted.growth_}
    return drawn | {"simplified_at": fitted._simplified_at}


def _report(model: Model, data: TrainingFile, figures: list[dict[str, Any]], output: Output) -> str:
    """Return the text that is printed after a fit."""
    share = percent(data.n_positive / data.n_rows, 1)
    label = f"{printable(data.rows.target)} = {printable(label_text(model.classes[1]))}"
    saved = "standard output" if output.is_stdout else output.name
    return "\n".join(
        [
            f"{data.rows.file.name}: {data.n_rows} rows, {data.n_positive} ({share}) with {label}",
            "",
            model_text(replace(model, edits=())),  # those are of the models before
            *_promise(model.fit),
            "",
            "On the rows the boxes were learned from; expect less on new rows (boxdraw evaluate estimates how much):",
            figures_text(figures),
            "",
            f"Saved in {saved}" + ", with the history of the model that it replaces" * bool(model.edits),
        ]
    )


def _promise(origin: dict[str, Any]) -> list[str]:
    """Return a line on a goal, on sparse boxes on held-out rows, or on how far exact ones are from the best."""
    if goal := origin.get("goal"):
        return [f"Goal: {goal['text']}"]
    if found := origin.get("held_out"):
        recall, alarms = percent(found["recall"]), percent(found["false_alarm_rate"], 1)
        score = f"score {found['score']:.3f} ± {found['error']:.3f}"
        return [f"In cross-validation such boxes catch {recall} and flag {alarms} of the others ({score})"]
    if origin["method"] != "exact":
        return []
    status, objective, bound = origin["status"], origin["objective"], origin["bound"]
    if status == "optimal":
        return [f"No other boxes are better: objective {objective:.6g}, proven"]
    reach = "and how far it can go is not known" if bound is None else f"and none exceeds {bound:.6g}"
    return [f"The search ended early ({status}): objective {objective:.6g}, {reach}"]

"""``boxdraw fit``: learn boxes from a table and save them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from boxdraw._core.version import __version__
from boxdraw.cli.errors import UsageError
from boxdraw.cli.figures import box_figures, figures_text, model_text, rules_json
from boxdraw.cli.labelled import read_labelled
from boxdraw.cli.learning import add_learning, check_learning, learn, make_estimator
from boxdraw.cli.options import add_common, add_csv, add_labelled, add_output
from boxdraw.cli.output import Output
from boxdraw.cli.show import percent, plain, rows_progress, say, say_json
from boxdraw.model.export.text import printable
from boxdraw.model.file import Model, model_to_json
from boxdraw.tables.labelled import Tell, TrainingFile, label_text

__all__ = ["EXAMPLES", "SUMMARY", "add_arguments", "run"]

SUMMARY = "Learn boxes around the rare label of a table, print them as rules and save them."
EXAMPLES = """\
  boxdraw fit data.csv --target fraud
  boxdraw fit data.csv --target fraud --positive yes --drop id,name --categorical zip -o fraud.json
  boxdraw fit data.csv --target fraud --false-alarm-cost 0.1
  boxdraw fit data.csv --target fraud --method scored --max-boxes 6 --max-limits 2
  boxdraw fit small.parquet --target fraud --method exact --max-boxes 2 --time-limit 300
  cat data.csv | boxdraw fit - --target fraud -o - | boxdraw rules -"""


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
    check_learning(args)
    if args.json and args.output == "-":
        raise UsageError("--json and -o - cannot share standard output; give -o a file")
    output = Output(args.output, args.force, (args.data,))
    with rows_progress(args.quiet) as tell:
        data = read_labelled(args, tell)
        fitted = _fit_in_passes(args, data, tell) if args.method == "fast" else None
    if fitted is None:
        fitted = learn(args, *data.read(), args.quiet)
    model = _model(args, data, fitted)
    with rows_progress(args.quiet) as tell:
        figures = box_figures(model, data.pieces(), data.n_rows, tell)
    output.write(model_to_json(model))
    if args.json:
        saved = {"model": output.name, "fit": model.fit}
        say_json(saved | rules_json(model, figures))
    elif not args.quiet:
        say(_report(model, data, figures, output), sys.stderr if output.is_stdout else sys.stdout)


def _fit_in_passes(args: argparse.Namespace, data: TrainingFile, tell: Tell) -> Any:
    """Learn with Fast Boxes, which reads large tables in pieces."""
    rows = data.rows
    return make_estimator(args).fit_table(
        data, target=rows.target, weight=rows.weight, features=data.features, progress=tell
    )


def _model(args: argparse.Namespace, data: TrainingFile, fitted: Any) -> Model:
    drawing = fitted.scorecard_ if args.method == "scored" else fitted.boxes_
    classes = data.negative, data.positive
    return Model(drawing, data.rows.target, classes, _origin(args, data, fitted))


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
    if args.method == "scored":
        origin["parameters"] |= {"max_limits": args.max_limits, "max_union": args.max_union}
    return dict(plain(origin | _outcome(args.method, fitted)))


def _outcome(method: str, fitted: Any) -> dict[str, Any]:
    """Return what a method chose or proved."""
    if method == "scored":
        chosen = {"max_limits": fitted.max_limits_, "lam": fitted.lam_}
        tried = hasattr(fitted, "cv_results_")
        score = {"cross_validated_auc": fitted.cv_results_["mean_test_score"].max()} if tried else {}
        return {"chosen": chosen, **score}
    weight = {"negative_weight": fitted.negative_weight_}
    if method == "exact":
        return weight | {"status": fitted.status_, "objective": fitted.objective_, "bound": fitted.bound_}
    tried = hasattr(fitted, "best_params_")
    score = {"chosen": fitted.best_params_, "cross_validated_auh": fitted.best_score_} if tried else {}
    return weight | score | {"settings": _settings(fitted)}


def _settings(fitted: Any) -> dict[str, Any]:
    """Return what Fast Boxes needs, with the cost and the seed, to draw the same boxes again without a search."""
    first = {"n_boxes": fitted.n_boxes[0], "feature_range": fitted.feature_range[0]}  # in use where nothing was tried
    chosen = getattr(fitted, "best_params_", first)
    drawn = {name: chosen[name] for name in first}
    return drawn | {"expansion": fitted.expansion_, "growth": fitted.growth_}


def _report(model: Model, data: TrainingFile, figures: list[dict[str, Any]], output: Output) -> str:
    """Return the text that is printed after a fit."""
    share = percent(data.n_positive / data.n_rows, 1)
    label = f"{printable(data.rows.target)} = {printable(label_text(model.classes[1]))}"
    saved = "standard output" if output.is_stdout else output.name
    return "\n".join(
        [
            f"{data.rows.file.name}: {data.n_rows} rows, {data.n_positive} ({share}) with {label}",
            "",
            model_text(model),
            *_proof(model.fit),
            "",
            "On the rows the boxes were learned from; expect less on new rows (boxdraw evaluate estimates how much):",
            figures_text(figures),
            "",
            f"Saved in {saved}",
        ]
    )


def _proof(origin: dict[str, Any]) -> list[str]:
    """Return a line on how good the boxes of an exact search are."""
    if origin["method"] != "exact":
        return []
    status, objective, bound = origin["status"], origin["objective"], origin["bound"]
    if status == "optimal":
        return [f"No other boxes are better: objective {objective:.6g}, proven"]
    reach = "and how far it can go is not known" if bound is None else f"and none exceeds {bound:.6g}"
    return [f"The search ended early ({status}): objective {objective:.6g}, {reach}"]

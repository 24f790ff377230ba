"""``boxdraw revise``: change rules in use as little as pays on new rows."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from boxdraw import SparseBoxesClassifier
from boxdraw._core.version import __version__
from boxdraw.cli.errors import UsageError
from boxdraw.cli.labelled import open_labelled, read_labelled
from boxdraw.cli.learning import add_constraints, constraints_of, read_constraints
from boxdraw.cli.options import (
    AS_BOXES,
    add_common,
    add_csv,
    add_labelled,
    add_output,
    check_inputs,
    cost,
    load_model,
    number_from_0,
    or_auto,
    positive_integer,
    target_column,
    without_points,
)
from boxdraw.cli.output import Output
from boxdraw.cli.show import note, rows_progress, say, say_json
from boxdraw.model.file import Edit, Model, model_to_json, now
from boxdraw.model.settings import as_plain
from boxdraw.tables.labelled import label_text

EXAMPLES = """\
  boxdraw revise model.json new.csv
  boxdraw revise model.json new.csv --max-changes 5 -o revised.json
  boxdraw revise rules.sql new.csv --target fraud --take 1 --monotone amount=+"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model file, - for standard input, or rules (.sql, .txt)")
    parser.add_argument("data", metavar="DATA", help="new rows with labels: a CSV or Parquet file")
    add_output(parser, "revised.json", "the revised model")
    group = parser.add_argument_group("changes")
    group.add_argument(
        "--max-changes",
        type=positive_integer,
        default=3,
        metavar="N",
        help="the most limits that are moved, added or dropped (%(default)s); a dropped box is one change, a new one "
        "has as many as limits; what breaks --monotone and the like is changed first",
    )
    group.add_argument(
        "--take",
        type=positive_integer,
        metavar="N",
        help="save the rules after so many changes (default: after those that pay on held-out rows)",
    )
    group.add_argument(
        "--false-alarm-cost",
        type=cost,
        metavar="COST",
        help="as in boxdraw fit (default: what was stated there, or else chosen again)",
    )
    group.add_argument("--limit-cost", type=or_auto(number_from_0), metavar="COST", help="as in boxdraw fit")
    group.add_argument("--who", default="", metavar="NAME", help="whose decision it is, for the history of the model")
    add_constraints(group)
    group.add_argument("--seed", type=int, default=0, help="of the inner folds (%(default)s)")
    group.add_argument("--jobs", type=positive_integer, metavar="N", help="number of threads (1)")
    add_labelled(parser, required=False)
    add_csv(parser)
    add_common(parser, json="the revisions")


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    check_inputs(args.model, args.data)
    if args.json and args.output == "-":
        raise UsageError("--json and -o - cannot share standard output; give -o a file")
    model = load_model(args.model)
    args.target = target_column(args, model)
    if args.positive is None and model.target is not None:
        args.positive = label_text(model.classes[1])
    boxes = without_points(model, AS_BOXES)
    table = open_labelled(args, boxes if model.fit else None)  # rules of people may lack what helps
    output = Output(args.output, args.force, (args.model, args.data))
    if args.false_alarm_cost is None:
        args.false_alarm_cost = _stated_cost(model)
    if model.scorecard is not None:
        note("the union of the scorecard is revised: boxes without points", args.quiet)
    with rows_progress(args.quiet) as tell:
        data = read_labelled(args, table, tell, boxes)
        read_constraints(args, data)
    X, positive, weight = data.read()
    fitted = SparseBoxesClassifier(
        revise=boxes,
        max_changes=args.max_changes,
        false_alarm_cost=args.false_alarm_cost,
        limit_cost="auto" if args.limit_cost is None else args.limit_cost,
        pos_label=True,
        random_state=args.seed or None,
        n_jobs=args.jobs,
        **constraints_of(args),
    ).fit(X, positive, weight)
    number = _taken(args, fitted)
    revision = fitted.revisions_[number]
    origin = {
        "boxdraw": __version__,
        "method": "revise",
        "data": Path(args.data).name,
        "rows": data.n_rows,
        "positives": data.n_positive,
        "parameters": {"false_alarm_cost": args.false_alarm_cost},
        "false_alarm_cost": fitted.false_alarm_cost_,
        "limit_cost": fitted.limit_cost_,
        "gain": [revision.gain, revision.low, revision.high],
        "before": model.fit,
    }
    if revision.changes:
        if model.risk is not None:
            note("the risk table is that of the old rules: the revised model has none", args.quiet)
        edits = (*model.edits, *_edits(args, model, revision.changes))
        model = Model(revision.boxes, data.rows.target, (data.negative, data.positive), as_plain(origin), edits)
    output.write(model_to_json(model))
    if args.json:
        say_json({"model": output.name, "taken": number, "revisions": [_as_json(one) for one in fitted.revisions_]})
    elif not args.quiet:
        say(_as_text(fitted, number, output), sys.stderr if output.is_stdout else sys.stdout)


def _stated_cost(model: Model) -> float | None:
    """Return the cost of a false alarm that the user stated in the fit."""
    stated = model.fit.get("parameters")
    cost = stated.get("false_alarm_cost") if isinstance(stated, dict) else None
    return cost if isinstance(cost, int | float) and cost > 0 else None


def _taken(args: argparse.Namespace, fitted: Any) -> int:
    """Return the place of the revision to save."""
    counts = [revision.n_changes for revision in fitted.revisions_]
    if args.take is None:
        return next(i for i, revision in enumerate(fitted.revisions_) if revision.boxes == fitted.boxes_)
    if args.take not in counts:
        raise UsageError(f"--take {args.take}: there are revisions of {', '.join(map(str, counts))} changes")
    return counts.index(args.take)


def _edits(args: argparse.Namespace, model: Model, changes: tuple[str, ...]) -> list[Edit]:
    """Return the changes as the file has them, which names the rows and the file before."""
    time, reason = now(), f"boxdraw revise on {Path(args.data).name}"
    return [Edit(time, change, reason, args.who, model.digest) for change in changes]


def _as_json(revision: Any) -> dict[str, Any]:
    names = "n_changes", "changes", "gain", "low", "high", "flagged", "freed"
    return {name: getattr(revision, name) for name in names} | {"rules": revision.boxes.to_text().splitlines()}


def _as_text(fitted: Any, number: int, output: Output) -> str:
    """Return each revision, and the rules that are saved."""
    revision = fitted.revisions_[number]
    saved = "standard output" if output.is_stdout else output.name
    return "\n".join(
        [
            *(
                f"{'*' if i == number else ' '} {line}" if at == 0 else f"  {line}"
                for i, one in enumerate(fitted.revisions_)
                for at, line in enumerate(str(one).splitlines())
            ),
            "",
            revision.boxes.to_text(),
            "",
            f"Saved in {saved}",
        ]
    )

"""``boxdraw evaluate``: how good rules are on rows that they have not seen, beside other classifiers."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from boxdraw._core.arrays import BoolArray, FloatArray, IntArray
from boxdraw._core.quiet import quietly
from boxdraw.cli.contenders import BOXES, PEERS, Contender, Tested, contenders
from boxdraw.cli.errors import Failure, UsageError, extra, one_line
from boxdraw.cli.held_out import add_splitting, check_splitting, group_numbers, manner, splits
from boxdraw.cli.labelled import open_labelled, read_labelled
from boxdraw.cli.learning import add_settings, check_learning, read_constraints, set_alarm_rate
from boxdraw.cli.options import add_common, add_csv, add_labelled, positive_integer, shares
from boxdraw.cli.output import Output, check_table_name, write_tables
from boxdraw.cli.protected import Groups, Rates, groups_of, rates_text
from boxdraw.cli.show import note, percent, progress, rows_progress, say, say_json, text_table
from boxdraw.metrics import auh_score
from boxdraw.model.export.text import format_number, printable
from boxdraw.tables.arrow import MEMORY_LIMIT
from boxdraw.tables.labelled import Piece, TrainingFile, label_text

EXAMPLES = """\
  boxdraw evaluate data.csv --target fraud
  boxdraw evaluate data.csv --target fraud --models sparse,tree --repeats 3
  boxdraw evaluate data.csv --target fraud --false-alarm-rates 0.01 -o table.csv
  boxdraw evaluate data.csv --target fraud --time day
  boxdraw evaluate large.parquet --target fraud --sample 100000
  boxdraw evaluate data.csv --target fraud --group customer --protected region
  boxdraw evaluate data.csv --target fraud --json > figures.json"""

_TITLES = BOXES | PEERS
_EXACT_SECONDS = 10.0  # a fit is made for each fold, and time buys proofs rather than better boxes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("data", metavar="DATA", help="a CSV or Parquet file, or - for standard input")
    parser.add_argument("-o", "--output", metavar="FILE", help="also write the table to FILE (.csv or .parquet)")
    parser.add_argument("--force", action="store_true", help="replace the file if it exists")
    group = parser.add_argument_group("comparison")
    group.add_argument(
        "--models",
        type=_models,
        default=list(_TITLES),
        metavar="A,B",
        help=f"which ones, in this order (default: {','.join(_TITLES)})",
    )
    add_splitting(group)
    group.add_argument(
        "--sample",
        type=positive_integer,
        metavar="N",
        help="on so many rows of a table with more, drawn at random: the others are not held in memory",
    )
    group.add_argument(
        "--protected",
        metavar="COLUMN",
        help="also print the rates of alarms, precision and recall for each value of this column, of each box too; no "
        "feature",
    )
    group.add_argument(
        "--false-alarm-rates",
        type=shares,
        default=[],
        metavar="A,B",
        help="shares of the negative rows, such as 0.01,0.05: adds the recall if so many may be flagged",
    )
    add_settings(parser.add_argument_group("learning"), f"{_EXACT_SECONDS:g}")
    add_labelled(parser)
    add_csv(parser)
    add_common(parser, json="the figures")


def _models(text: str) -> list[str]:
    names = list(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in _TITLES:
            raise argparse.ArgumentTypeError(f"there is no model {name!r}; the models are {', '.join(_TITLES)}")
    return names


def run(args: argparse.Namespace) -> None:
    """Run the command."""
    check_splitting(args)
    check_learning(args, args.models)
    args.time_limit = args.time_limit or _EXACT_SECONDS
    if args.json and args.output == "-":
        raise UsageError("--json and -o - cannot share standard output; give -o a file")
    if args.output is not None:
        check_table_name(args.output)
    table = open_labelled(args)
    output = None if args.output is None else Output(args.output, args.force, (args.data,))
    with rows_progress(args.quiet) as tell:
        data = read_labelled(args, table, tell)
        set_alarm_rate(args, data)  # of the whole table
        data = data if args.sample is None else data.sample(args.sample, args.seed, tell)
    read_constraints(args, data)
    fewest = min(data.n_positive, data.n_rows - data.n_positive)
    drawn = "" if data.n_all is None else " of the sample"
    if fewest < args.folds:
        raise Failure(
            f"only {fewest} rows{drawn} have the rarer label, too few for {args.folds} folds: use --folds {fewest}"
            if fewest > 1
            else f"only one row{drawn} has the rarer label: nothing can be learned and tested with it"
        )
    groups = None if args.protected is None else groups_of(data, args.protected)
    rows = _in_memory(args, data)
    whole = group_numbers(args, data)
    models = contenders(args, rows, whole)
    results = _cross_validate(args, models, rows, splits(args, data, rows[1], whole), groups)
    if output is not None:
        _write(results, output)
    if args.json:
        say_json(_as_json(args, data, results, groups))
    elif output is None or not output.is_stdout:
        say(_as_text(args, data, results, groups))


def _in_memory(args: argparse.Namespace, data: TrainingFile) -> Piece:
    """Read the rows that are judged, or say what to do if there are too many."""
    name, hint = data.rows.file.name, "--sample N takes N of them"
    if 8 * data.n_rows * len(data.features) > MEMORY_LIMIT:
        note(f"all {data.n_rows} rows of {name} are read into memory; {hint}", args.quiet)
    try:
        return data.read()
    except MemoryError as error:
        raise Failure(f"not enough memory for {data.n_rows} rows of {name}; {hint}") from error


@dataclass(slots=True)
class Result:
    """The figures of a model: how it ranks in each fold, and what it flags in all folds together."""

    ranking: list[dict[str, float]] = field(default_factory=list)
    counts: FloatArray = field(default_factory=lambda: np.zeros((2, 2)))  # weight by label and by whether flagged
    sizes: list[tuple[float, float, float]] = field(default_factory=list)  # boxes, limits, seconds
    rates: Rates = field(default_factory=Rates)
    error: str = ""

    def add(self, tested: Tested, positive: BoolArray, weight: FloatArray | None, rates: Sequence[float]) -> None:
        """Take in the held-out rows of a fold."""
        self.ranking.append(_ranking(positive, tested.score, weight, rates))
        np.add.at(self.counts, (positive.astype(int), tested.flagged.astype(int)), 1.0 if weight is None else weight)
        self.sizes.append((tested.boxes, tested.limits, tested.seconds))

    def ranks(self) -> dict[str, tuple[float, float]]:
        """Return the mean and the standard deviation over the folds of each figure of the ranking."""
        values = {name: np.array([fold[name] for fold in self.ranking]) for name in self.ranking[0]}
        return {name: (float(folds.mean()), float(folds.std())) for name, folds in values.items()}

    def decisions(self) -> dict[str, float]:
        """Return what ``predict`` gives on all held-out rows, and the size of the model."""
        (quiet, false), (missed, caught) = self.counts.tolist()
        recall, spared = caught / (caught + missed), quiet / (quiet + false)
        boxes, limits, seconds = np.array(self.sizes).T
        return {
            "precision": caught / (caught + false) if caught + false else math.nan,
            "recall": recall,
            "balanced_accuracy": (recall + spared) / 2,
            "alarms_per_1000": 1000 * (caught + false) / float(self.counts.sum()),
            "boxes": float(boxes.mean()),
            "limits": float(limits.mean()),
            "seconds": float(np.median(seconds)),  # the first fit may compile
        }


def _cross_validate(
    args: argparse.Namespace,
    models: dict[str, Contender],
    rows: Piece,
    folds: list[tuple[IntArray, IntArray]],
    groups: Groups | None,
) -> dict[str, Result]:
    """Fit every model to the same folds."""
    _, positive, weight = rows
    results = {name: Result() for name in models}
    n_folds, done = len(folds), 0
    with progress("evaluating", n_folds * len(models), args.quiet) as step:
        for fold, (train, test) in enumerate(folds, start=1):
            for name, result in results.items():
                step(done, f"{_TITLES[name]}, fold {fold} of {n_folds}")
                done += 1
                if result.error:
                    continue
                try:
                    with quietly(UserWarning):  # of proofs that are not found, in every fold again
                        tested = models[name](train, test)
                except (ImportError, ValueError, MemoryError) as error:  # the others are worth reading
                    result.error = one_line(error)
                    continue
                labels, weights = positive[test], None if weight is None else weight[test]
                result.add(tested, labels, weights, args.false_alarm_rates)
                if groups is not None:
                    result.rates.add(groups, test, tested.flagged, tested.inside, labels, weights)
    if all(result.error for result in results.values()):
        raise Failure(next(iter(results.values())).error)
    return results


def _ranking(
    positive: BoolArray, score: FloatArray, weight: FloatArray | None, rates: Sequence[float]
) -> dict[str, float]:
    return {
        "auc": float(roc_auc_score(positive, score, sample_weight=weight)),
        "average_precision": float(average_precision_score(positive, score, sample_weight=weight)),
        "auh": float(auh_score(positive, score, sample_weight=weight)),
        **{f"recall_at_{format_number(rate)}": recall_at(positive, score, rate, weight) for rate in rates},
    }


def recall_at(positive: BoolArray, score: FloatArray, rate: float, weight: FloatArray | None = None) -> float:
    """Return the largest recall of a threshold that flags at most a share of the negatives."""
    false_alarms, caught, _ = roc_curve(positive, score, sample_weight=weight, drop_intermediate=False)
    # A share such as 0.1 of ten rows must not be lost to rounding in the sums of weights.
    return float(caught[false_alarms <= rate + 1e-12].max())


def _as_json(
    args: argparse.Namespace, data: TrainingFile, results: dict[str, Result], groups: Groups | None
) -> dict[str, Any]:
    columns = {option: getattr(args, option) for option in ("time", "group", "protected")}
    return {
        "data": data.rows.file.name,
        "target": data.rows.target,
        "positive": data.positive,
        "rows": data.n_rows,
        **({} if data.n_all is None else {"sample_of": data.n_all}),
        "positives": data.n_positive,
        "folds": args.folds,
        "repeats": args.repeats,
        "seed": args.seed,
        "exact_time_limit": args.time_limit,
        **{option: column for option, column in columns.items() if column is not None},
        "models": {
            name: {figure: {"mean": mean, "std": spread} for figure, (mean, spread) in result.ranks().items()}
            | result.decisions()
            | ({} if groups is None else {"protected": result.rates.as_rows(groups)})
            for name, result in results.items()
            if not result.error
        },
        "left_out": {name: result.error for name, result in results.items() if result.error},
    }


def _write(results: dict[str, Result], output: Output) -> None:
    """Write a row per model."""
    rows = []
    for name, result in results.items():
        if not result.error:
            ranks = {
                figure + part: value
                for figure, pair in result.ranks().items()
                for part, value in zip(("", "_std"), pair, strict=True)
            }
            values = ranks | result.decisions()
            rows.append({"model": name} | {key: None if math.isnan(x) else x for key, x in values.items()})
    table = extra("pyarrow").Table.from_pylist(rows)
    write_tables(table.schema, [table], output)


def _as_text(args: argparse.Namespace, data: TrainingFile, results: dict[str, Result], groups: Groups | None) -> str:
    label = f"{printable(data.rows.target)} = {printable(label_text(data.positive))}"
    share = percent(data.n_positive / data.n_rows, 1)
    rows = f"{data.n_rows} rows"
    if data.n_all is not None:
        rows = f"a sample of {data.n_rows} of {data.n_all} rows (seed {args.seed})"
    exact = [f"Exact Boxes search for at most {args.time_limit:g} seconds a fit"] if "exact" in results else []
    left_out = [f"{_TITLES[name]}: left out, {result.error}" for name, result in results.items() if result.error]
    rates = [f"recall at {format_number(100 * rate)}%" for rate in args.false_alarm_rates]
    header = ["model", "AUC", "avg. precision", *rates, "precision", "recall", "bal. accuracy", "alarms/1000"]
    done = [(_TITLES[name], result) for name, result in results.items() if not result.error]
    cells = [_cells(title, result) for title, result in done]
    protected: list[str] = []
    if groups is not None:
        by_group = [(title, result.rates) for title, result in done]
        protected = ["", rates_text(args.protected, groups, by_group)]
    return "\n".join(
        [
            f"{data.rows.file.name}: {rows}, {data.n_positive} ({share}) with {label}",
            f"{manner(args)}: rankings as mean ± standard deviation over the folds, the rest over all rows",
            *exact,
            "",
            text_table([*header, "boxes", "limits", "seconds"], cells),
            *left_out,
            *protected,
        ]
    )


def _cells(title: str, result: Result) -> list[str]:
    ranks = [f"{mean:.3f} ± {spread:.3f}" for name, (mean, spread) in result.ranks().items() if name != "auh"]
    values = result.decisions()
    shares = [percent(values[name]) for name in ("precision", "recall")]
    sizes = ["" if math.isnan(values[name]) else f"{values[name]:.1f}" for name in ("boxes", "limits")]
    balanced, alarms = f"{values['balanced_accuracy']:.3f}", f"{values['alarms_per_1000']:.1f}"
    return [title, *ranks, *shares, balanced, alarms, *sizes, f"{values['seconds']:.2f}"]

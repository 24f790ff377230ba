"""The table that boxes are learned from, as the options describe it."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boxdraw.cli.errors import Failure, UsageError, extra
from boxdraw.cli.show import note
from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import is_number, printable
from boxdraw.model.file import Model
from boxdraw.model.scorecard import boxes_of
from boxdraw.tables.csv import CsvForm
from boxdraw.tables.errors import check_columns
from boxdraw.tables.kinds import Kind, column_kind
from boxdraw.tables.labelled import Facts, LabelledFile, Tell, TrainingFile, label_text
from boxdraw.tables.source import TableFile, open_file
from boxdraw.tables.suspects import are_dates
from boxdraw.tables.trained import check_trained, text_features

# Names that frames' row numbers get when they are saved.
_ROW_NUMBERS = re.compile(r"|Unnamed: \d+|__index_level_\d+__")
_FEW = 20  # different texts: so many may be categories, however few rows there are
# Options that name a column which is no feature.
_ASIDE = ("per", "time", "group", "protected")
# Numbers as people write them: with a decimal comma, and with commas between thousands or a unit.
_COMMA = re.compile(r"[-+]?\d+,\d+")
_DRESSED = re.compile(r"[€$£¥]?\s*[-+]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?(\s*[€$£¥%]|\s+[A-Za-zµ°²³/]{1,6})?")


def open_table(args: argparse.Namespace, path: str, texts: Iterable[str] = ()) -> TableFile:
    """Open a table with the options for CSV; ``texts`` are columns of text even if they look like numbers."""
    for module in ("pyarrow", "pyarrow.csv", "pyarrow.dataset", "pyarrow.parquet"):
        extra(module)
    try:
        b" ".decode(args.encoding)
    except UnicodeError:  # not that of a space, but one that is known
        pass
    except (LookupError, ValueError):
        raise UsageError(
            f"--encoding {args.encoding} is not known; write it as Python does, for example cp1252"
        ) from None
    return open_file(path, CsvForm(args.delimiter, args.decimal, args.encoding, tuple(args.missing)), texts)


def open_trained(args: argparse.Namespace, path: str, model: Model) -> TableFile:
    """Open a table that has the columns of a model."""
    boxes = boxes_of(model.drawing)
    file = open_table(args, path, text_features(boxes))
    check_trained(file, boxes)
    return file


@dataclass(frozen=True, slots=True)
class Opened:
    """A table to learn from whose columns are checked, but whose rows are not read yet."""

    rows: LabelledFile
    features: list[str]
    categorical: list[str]


def open_labelled(args: argparse.Namespace, learned: BoxSet | None = None) -> Opened:
    """Open the table to learn from, and check the columns that the options name.

    Of boxes that were ``learned`` before, the features are taken again, and those that were texts as such.
    """
    texts = [*args.categorical, *(name for text in args.categorical for name in text.split(","))]
    texts += [] if learned is None else text_features(learned)
    file = open_table(args, args.data, texts)
    rows = LabelledFile(file, args.target, args.weight, args.skip_unlabelled)
    columns, aside = file.schema.names, [getattr(args, option, None) for option in _ASIDE]
    check_columns(aside, columns, file.name)
    dropped, categorical = (column_names(given, columns, file.name) for given in (args.drop, args.categorical))
    features = [name for name in columns if name not in {args.target, args.weight, *aside, *dropped}]
    if learned is not None:
        limited = np.array(learned.feature_names, dtype=object)[learned.limited.any(axis=0)]
        check_columns(limited.tolist(), columns, file.name)
        features = [name for name in features if name in learned.feature_names]
        categorical += [name for name in text_features(learned) if name in features and name not in categorical]
    _check_features(features, file.name)
    return Opened(rows, features, categorical)


def read_labelled(args: argparse.Namespace, table: Opened, tell: Tell, rules: BoxSet | None = None) -> TrainingFile:
    """Look at all rows, leave out columns that neither rows to come nor ``rules`` can use, and note what looks odd."""
    rows, features = table.rows, table.features
    facts = rows.facts(features, _texts(rows.file, features, table.categorical), tell)
    meant = {*table.categorical, *([] if rules is None else rules.feature_names)}
    unsure = [name for name in features if name not in meant]
    idle = {name: why for name in unsure if (why := _no_use(name, facts, args.decimal))}
    kept = [name for name in features if name not in idle]
    for name, why in idle.items():
        note(
            f'column "{printable(name)}" is left out, as {why}: it looks like a name or number of the row; '
            f"--categorical '{printable(name)}' takes it",
            args.quiet,
        )
    if not kept:
        raise Failure(
            f"{rows.file.name} has no other column to learn from: --categorical '{printable(features[0])}' takes one"
        )
    data = TrainingFile.of(rows, kept, table.categorical, facts, args.positive)
    if not args.quiet:
        _note_columns(data, kept, args.decimal)
    return data


def _no_use(name: str, facts: Facts, decimal: str) -> str:
    """Return why no category of a column can say anything about other rows; empty if some may."""
    if name in facts.crowded:
        return "it has too many different texts"
    texts = facts.texts.get(name, set())
    if not _FEW < len(texts) == facts.known[name] or _looks_like_numbers(texts, decimal):
        return ""
    return f"its {len(texts)} texts are all different"


def labels_of(rows: LabelledFile, facts: Facts, model: Model, positive: str | None) -> tuple[Any, Any]:
    """Return the labels of a model; of rules that know none, those of some rows, where the rarer one is positive."""
    own = {label_text(label) for label in model.classes}
    if positive is None and (model.target is not None or {label_text(label) for label in facts.count} <= own):
        return model.classes
    return rows.two_labels(facts, positive)


def column_names(given: Sequence[str], columns: Sequence[str], source: str) -> list[str]:
    """Parse lists of columns, each with commas between them; a name that has a comma itself is given alone."""
    names = [name for text in given for name in ([text] if text in columns else text.split(","))]
    check_columns(names, columns, source)
    return names


def _texts(file: TableFile, features: Sequence[str], categorical: Sequence[str]) -> list[str]:
    """Return the features that are learned as text."""
    kinds = {name: column_kind(file.schema.field(name).type) for name in features}
    return [
        name for name, kind in kinds.items() if kind is Kind.TEXTS or (kind is Kind.NUMBERS and name in categorical)
    ]


def _check_features(features: Sequence[str], source: str) -> None:
    """Reject a table without features, and row numbers as features."""
    if not features:
        raise Failure(f"{source} has no column besides the target to learn from")
    for name in features:
        if _ROW_NUMBERS.fullmatch(name):
            called = f'is called "{name}"' if name else "has no name"
            raise Failure(
                f"a column of {source} {called} and looks like row numbers that were saved with a frame: leave it out "
                f"with --drop '{name}', or give it a name"
            )


def _note_columns(data: TrainingFile, features: Sequence[str], decimal: str) -> None:
    """Point out columns that are left out, or may not be meant as they are taken."""
    file, facts = data.rows.file, data.facts
    for name in features:
        if name in facts.without_values:
            note(f'column "{printable(name)}" of {file.name} has no values and is left out', quiet=False)
    for name in file.leading_zeros(data.features):
        note(
            f'column "{printable(name)}" has leading zeros and is taken as numbers; --categorical takes it as text',
            quiet=False,
        )
    for name in data.features:
        if name in facts.texts:
            _note_texts(name, facts.texts[name], facts.n_rows, None if name in data.categorical else decimal)


def _note_texts(name: str, texts: Collection[str], n_rows: int, decimal: str | None) -> None:
    """Point out a column of text that looks like an identifier or, unless ``decimal`` is None, like numbers."""
    if decimal is not None and (said := _looks_like_numbers(texts, decimal)):
        note(f'column "{printable(name)}" is taken as text, but {said}', quiet=False)
    elif len(texts) > _FEW and len(texts) * 2 > n_rows:
        note(
            f'column "{printable(name)}" has {len(texts)} different texts in {n_rows} rows; if it is a name '
            "or a number of the row, leave it out with --drop",
            quiet=False,
        )


def _looks_like_numbers(texts: Collection[str], decimal: str) -> str:
    """Return why texts that look like numbers or dates are not read as such; empty if few look like it."""
    if are_dates(texts):
        return "it looks like dates: leave it out with --drop, or write days since a fixed date instead"

    def others(is_one: Callable[[str], Any]) -> list[str]:
        return sorted(text for text in texts if not is_one(text))

    def few(rest: list[str]) -> bool:
        return len(texts) - len(rest) > max(2, len(rest))

    swap = str.maketrans(",.", ".,") if decimal == "," else {}
    rest = others(lambda text: is_number(text.replace(decimal, ".")))
    strange = [text for text in rest if not _DRESSED.fullmatch(text.translate(swap))]
    if strange and few(rest):
        odd = printable(strange[0])
        return (
            f'most of it is numbers: correct what is none, like "{odd}", or add --missing "{odd}" if that means a '
            "missing value; --categorical says that text is meant"
        )
    if rest and decimal != "," and few(others(lambda text: is_number(text) or _COMMA.fullmatch(text))):
        return "it looks like numbers with a decimal comma: try --decimal ,"
    if rest and (few(rest) or few(others(lambda text: _DRESSED.fullmatch(text.translate(swap))))):
        sign = "comma" if decimal == "," else "point"
        return f'it looks like numbers: write digits and a {sign} only, not "{printable(rest[0])}"'
    return ""

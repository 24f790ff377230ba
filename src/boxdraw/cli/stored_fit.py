"""Learning from a table that is read piece by piece, as the options of ``fit`` describe it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from boxdraw.cli.columns import check_features, column_names, csv_form, note_of_texts, note_of_zeros, text_columns
from boxdraw.cli.errors import extra, no_such_column
from boxdraw.cli.features import infinite, is_text, learning_column, no_values, nothing_to_learn
from boxdraw.cli.labels import binary_labels
from boxdraw.cli.learning import make_estimator
from boxdraw.cli.show import note
from boxdraw.cli.stored import Stored, open_stored
from boxdraw.cli.stored_labels import Facts, LabelledPieces, Tell, figures_of, find_facts
from boxdraw.model.file import Model

__all__ = ["StoredLabelled", "read_stored"]


@dataclass(frozen=True, slots=True)
class StoredLabelled:
    """Rows to learn from that are in a file; what `boxdraw.cli.columns.Labelled` is in memory.

    Parameters
    ----------
    pieces : LabelledPieces
        The rows.
    n_rows, n_positive : int
        How many rows and positive rows there are.
    positive_label, negative_label : label
        The two labels.
    tell : callable
        Told how passes over the rows get on.
    """

    pieces: LabelledPieces
    n_rows: int
    n_positive: int
    positive_label: Any
    negative_label: Any
    tell: Tell

    @property
    def target(self) -> str:
        """The column of the labels."""
        return self.pieces.target

    @property
    def source(self) -> str:
        """The file, as messages name it."""
        return self.pieces.stored.name

    def learn(self, args: argparse.Namespace) -> Any:
        """Learn boxes.

        Parameters
        ----------
        args : argparse.Namespace
            The options.

        Returns
        -------
        estimator
            Fitted, with the positive class True.
        """
        pieces = self.pieces
        return make_estimator(args).fit_table(
            pieces, target=pieces.target, weight=pieces.weight, features=pieces.features, progress=self.tell
        )

    def figures(self, model: Model) -> list[dict[str, Any]]:
        """Count what each box catches on the rows.

        Parameters
        ----------
        model : Model
            The boxes.

        Returns
        -------
        list of dict
            What `boxdraw.cli.figures.box_figures` returns.
        """
        return figures_of(model, self._counted(), self.n_rows, self.tell)

    def _counted(self) -> Iterator[tuple[Any, Any, Any]]:
        pieces = self.pieces
        for table in pieces.tables():
            weight = None if pieces.weight is None else np.asarray(table[pieces.weight])
            yield table.select(list(pieces.features)), np.asarray(table[pieces.target]), weight


def read_stored(args: argparse.Namespace, tell: Tell) -> StoredLabelled | None:
    """Look at a table with labels, if it is one to be read piece by piece, and by a method that does so.

    Parameters
    ----------
    args : argparse.Namespace
        The options.
    tell : callable
        Told how passes over the rows get on.

    Returns
    -------
    StoredLabelled or None
        The rows; None if they have to be read as a whole.
    """
    stored = open_stored(args.data, csv_form(args), text_columns(args)) if args.method == "fast" else None
    if stored is None:
        return None
    columns = stored.schema.names
    for name in (args.target, *([args.weight] if args.weight is not None else [])):
        if name not in columns:
            raise no_such_column(name, columns, stored.name)
    dropped, categorical = (column_names(given, columns, stored.name) for given in (args.drop, args.categorical))
    features = [name for name in columns if name not in {args.target, args.weight, *dropped}]
    texts = [] if args.quiet else [name for name in features if _becomes_text(stored, name, categorical)]
    facts = find_facts(stored, args.target, args.weight, features, texts, args.skip_unlabelled, tell)
    check_features(features, stored.name)
    features = _with_values(stored, features, categorical, facts, args.quiet)
    _note_of_columns(args, stored, features, categorical, facts)
    return _labelled(args, stored, features, categorical, facts, tell)


def _becomes_text(stored: Stored, name: str, categorical: Sequence[str]) -> bool:
    column, types = stored.schema.empty_table()[name], extra("pyarrow").types
    numbers = types.is_integer(column.type) or types.is_floating(column.type)
    return is_text(column) or (name in categorical and numbers)


def _with_values(
    stored: Stored, features: Sequence[str], categorical: Sequence[str], facts: Facts, quiet: bool
) -> list[str]:
    """Return the features that have values; refuse what boxes can't be drawn on."""
    chosen = []
    for name in features:
        if name in facts.without_values:
            note(no_values(name, stored.name), quiet)
            continue
        learning_column(stored.schema.empty_table()[name], name, name in categorical, stored.name)
        if name in facts.infinite and name not in categorical:
            raise infinite(name, stored.name)
        chosen.append(name)
    if not chosen:
        raise nothing_to_learn(stored.name)
    return chosen


def _note_of_columns(
    args: argparse.Namespace, stored: Stored, features: Sequence[str], categorical: Sequence[str], facts: Facts
) -> None:
    if args.quiet:
        return
    for name in stored.leading_zeros(features):
        note_of_zeros(name)
    for name in features:
        if name in facts.texts:
            note_of_texts(name, facts.texts[name], facts.n_rows, None if name in categorical else args.decimal)


def _labelled(
    args: argparse.Namespace,
    stored: Stored,
    features: Sequence[str],
    categorical: Sequence[str],
    facts: Facts,
    tell: Tell,
) -> StoredLabelled:
    """Choose the positive label."""
    found = extra("pyarrow").chunked_array([list(facts.count)], stored.schema.field(args.target).type)
    y, positive = binary_labels(found, args.target, args.positive)
    labels = np.unique(y).tolist()
    if positive is None:
        first, second = (float(facts.weight[label]) for label in labels)
        positive = labels[0 if first < second else 1]
    (negative,) = (label for label in labels if label != positive)
    pieces = LabelledPieces(
        stored, tuple(features), tuple(categorical), args.target, positive, args.weight, args.skip_unlabelled
    )
    return StoredLabelled(pieces, facts.n_rows, facts.count[positive], positive, negative, tell)

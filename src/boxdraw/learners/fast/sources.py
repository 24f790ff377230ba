"""What boxes are drawn from: a small table at once, or a large one in passes, wherever its rows are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from boxdraw._core.ranges import LARGE
from boxdraw.learners.fast.expand import Edges
from boxdraw.learners.fast.growth import Growth
from boxdraw.learners.fast.path import TrainingRoc, training_weights
from boxdraw.learners.fast.stages import Plan, Stages, draw_edges_in_passes
from boxdraw.learners.rounding import Limits, round_on_rows, round_on_table
from boxdraw.tables.chunks import InMemory, Table
from boxdraw.tables.encoding import Encoding
from boxdraw.tables.keys import Keys
from boxdraw.tables.order import Order, fit_order, ordered
from boxdraw.tables.training import Training
from boxdraw.tables.trial import trial_rows


@dataclass(frozen=True, slots=True)
class SmallTable:
    """A small table in memory, whose negatives are all sorted: one fit answers for every cost."""

    rows: Training

    @property
    def weights(self) -> tuple[float, float]:
        """The weight of the positives and that of the negatives."""
        return self.rows.positive_weight, self.rows.negative_weight

    @property
    def n_positives(self) -> int:
        """How many positive rows there are."""
        return int(self.rows.positive.sum())

    @property
    def trial(self) -> Training:
        """All rows: they are few enough to choose parameters by."""
        return self.rows

    def edges(self, plan: Plan, c: float, expansion: float, growth: Growth) -> Edges:
        """Return what the rows say about every edge, at any cost."""
        return Stages(self.rows).edges(plan, growth)

    def rounded(self, limits: Limits, order: Order, encoding: Encoding) -> Limits:
        """Return the roundest limits that change no row."""
        return round_on_rows(order.apply(self.rows.X), *limits, encoding.steps)

    def for_roc(self) -> Training:
        """Return a copy of the rows: the user may change theirs before the training ROC is asked for."""
        return self.rows.copy()


class LargeTable:
    """A table that is read in passes; of the negatives, only those next to the limits are known.

    ``rows`` are the same rows, with codes for categories, if they are in memory.
    """

    def __init__(self, table: Table, keys: Keys, rows: Training | None = None) -> None:
        self.table, self.keys, self.rows = table, keys, rows

    @classmethod
    def in_memory(cls, rows: Training, encoding: Encoding, n_jobs: int | None) -> LargeTable:
        """Put the categories of the rows in order."""
        keys = Keys(encoding, fit_order(rows))
        return cls(InMemory(ordered(rows, keys.order), keys, n_jobs), keys, rows)

    @property
    def weights(self) -> tuple[float, float]:
        """The weight of the positives and that of the negatives."""
        return self.table.survey.positive_weight, self.table.survey.negative_weight

    @property
    def n_positives(self) -> int:
        """How many positive rows there are, as far as they are known."""
        positives = self.table.survey.positives
        return int(len(positives.X) if positives.count is None else positives.count.sum())

    @cached_property
    def trial(self) -> Training:
        """A sample of about a million cells to choose parameters and limits by."""
        return trial_rows(self.table, self.keys, LARGE, *self.weights)

    def edges(self, plan: Plan, c: float, expansion: float, growth: Growth) -> Edges:
        """Return what the rows say about every edge at one cost."""
        return draw_edges_in_passes(self.table, self.keys.order, plan, c, expansion, growth)

    def rounded(self, limits: Limits, order: Order, encoding: Encoding) -> Limits:
        """Return the roundest limits that change no row."""
        return round_on_table(self.table, *limits, encoding.steps)

    def for_roc(self) -> Training | Table:
        """Return what the training ROC is counted on; a copy of rows in memory would be large."""
        return self.table if self.rows is None else self.rows


Source = SmallTable | LargeTable


def training_roc(
    rows: Training | Table, edges: Edges, expansion: float, growth: Growth, n_jobs: int | None
) -> TrainingRoc:
    """Return the training ROC: exact for rows in memory, otherwise in bounded memory by one more pass."""
    if isinstance(rows, Training):
        return TrainingRoc.of(training_weights(edges, rows, expansion, growth, n_jobs), rows.positive, rows.weight)
    from boxdraw.learners.fast.roc import CountWeights

    return rows.reduce(CountWeights(edges, expansion, growth), "training ROC").to_roc()

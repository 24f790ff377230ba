"""Growth rules: how an edge may move away from the tight box around its cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from boxdraw.learners.parameters import check_choice


@dataclass(frozen=True, slots=True)
class Growth:
    """A growth rule; the public parameter is its name."""

    name: str
    may_shrink: bool  # edges may also move into the tight box
    stops_at_negatives: bool  # edges extend to the nearest negative beyond them


NEAREST_NEGATIVE = Growth("nearest_negative", may_shrink=False, stops_at_negatives=True)
EDGE = Growth("edge", may_shrink=False, stops_at_negatives=False)
FREE = Growth("free", may_shrink=True, stops_at_negatives=False)

GROWTHS = {growth.name: growth for growth in (NEAREST_NEGATIVE, EDGE, FREE)}


def growth_named(name: Any) -> Growth:
    """Return the growth rule of a name, or raise."""
    check_choice(name, "growth", tuple(GROWTHS))
    return GROWTHS[name]

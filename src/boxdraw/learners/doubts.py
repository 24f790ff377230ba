"""What a learner warns of when its boxes tell no rows apart; ``cost`` names the parameters to change."""

from __future__ import annotations


def everything_is_flagged(cost: str) -> str:
    """Return the warning of boxes that hold all training rows."""
    return f"The boxes hold all training rows: everything is flagged. Raise {cost}."


def nothing_is_flagged(why: str, cost: str) -> str:
    """Return the warning of boxes that hold no training row."""
    return f"{why}: nothing is flagged. Lower {cost}, or check whether the features say anything about the classes."

"""The paper's figures by our method names, with their slips."""

from __future__ import annotations

import math
from dataclasses import dataclass

from paper.errata import ERRATA, unsound_means
from paper.reported import AUH, EXACT, TRIVIAL

__all__ = ["PAPER_TITLES", "Printed", "printed_auh", "printed_exact", "printed_glass2", "printed_trivial"]

#: The paper's names of the methods.
PAPER_TITLES = {
    "logistic": "Logistic",
    "svm": "SVM",
    "cart": "CART",
    "c45": "C4.5",
    "adaboost": "AdaBoost",
    "random_forest": "RF",
    "c50": "C5.0",
    "hddt": "HDDT",
    "fast_boxes": "Fast Boxes",
}


@dataclass(frozen=True, slots=True)
class Printed:
    """A mean printed in the paper."""

    mean: float
    sd: float  # NaN if the printed one is a slip
    bold: bool
    slip: str = ""  # why the mean cannot be compared with


def printed_auh(dataset: str, method: str) -> Printed | None:
    """Return a cell of the paper's table of AUH, or None."""
    title = PAPER_TITLES.get(method)
    if title is None or dataset not in AUH:
        return None
    cell = AUH[dataset][title]
    slips = [one for one in ERRATA if (dataset, title) in one.cells and one.certainty != "doubtful"]
    spoilt = any(one.spoils == "sd" for one in slips)
    why = " ".join(one.why for one in slips if one.spoils == "mean")
    return Printed(
        cell.mean,
        math.nan if spoilt else cell.sd,
        cell.bold,
        why if (dataset, title) in unsound_means() else "",
    )


def printed_trivial(dataset: str, method: str) -> float | None:
    """Return a share of the paper's table of trivial models, or None."""
    share = TRIVIAL.get(dataset, {}).get(PAPER_TITLES.get(method, ""))
    return None if share is None else share.value


def printed_exact(dataset: str) -> Printed:
    """Return the paper's AUH of Exact Boxes."""
    cell = EXACT[dataset].exact_boxes
    return Printed(cell.mean, cell.sd, cell.bold)


def printed_glass2() -> dict[str, tuple[float, float]]:
    """Return the limits of the paper's rule for glass2."""
    inf = math.inf
    return {
        "RI": (1.5161, inf),
        "Mg": (3.3301, inf),
        "Al": (-inf, 1.7897),
        "Si": (-inf, 73.0199),
        "K": (-inf, 0.6199),
        "Ca": (8.3101, 2.3741),
        "Ba": (-inf, 2.6646),
    }

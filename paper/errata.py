"""Copy errors of the paper's tables and text: ``python -m paper.errata`` prints the list.

Corrected formulas are another matter; ``docs/paper.rst`` has both lists, and a test keeps this one the same there.

Examples
--------
>>> from paper.errata import ERRATA, unsound_means
>>> print(ERRATA[2].where, "|", ERRATA[2].printed)
AUH: flooded, Fast Boxes | 09638
>>> ("pima", "Fast Boxes") in unsound_means(), ("vehicle1", "Fast Boxes") in unsound_means()
(True, False)
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Literal

from paper.reported import METHODS

__all__ = ["ERRATA", "Erratum", "unsound_means"]

Cell = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Erratum:
    """A slip of the paper."""

    where: str
    printed: str
    why: str
    # Certain: it contradicts arithmetic or the paper itself. Likely: chance does not explain it. Doubtful: chance may.
    certainty: Literal["certain", "likely", "doubtful"]
    spoils: Literal["mean", "sd", "bold", "nothing"] = "nothing"  # a cell with a spoilt mean is not compared with
    cells: tuple[Cell, ...] = ()  # of the table of AUH


def _of(data: str, *methods: str) -> tuple[Cell, ...]:
    """Return the cells of one data set."""
    return tuple((data, method) for method in methods)


ERRATA = (
    Erratum(
        "AUH: pima, all but HDDT",
        "the eight means and deviations of vehicle1",
        "Two data sets do not agree in sixteen figures. Fast Boxes, run again, gives vehicle1 what is printed (.738 "
        "for .7298) and pima something else (.611). SVM is bold for pima and not for vehicle1.",
        "certain",
        "mean",
        _of("pima", *(method for method in METHODS if method != "HDDT")),
    ),
    Erratum(
        "AUH: flooded, Logistic",
        "0 (0)",
        "An area under a hull is at least .5. Probably .5 (0), as for castle and diamond.",
        "certain",
        "mean",
        _of("flooded", "Logistic"),
    ),
    Erratum(
        "AUH: flooded, Fast Boxes",
        "09638",
        "The point is missing: 0.9638.",
        "certain",
        cells=_of("flooded", "Fast Boxes"),
    ),
    Erratum(
        "AUH: diamond3D, Logistic",
        "0.5449 (0.0324)",
        "The cell of castle3D, two rows above.",
        "likely",
        "mean",
        _of("diamond3D", "Logistic"),
    ),
    Erratum(
        "AUH: diamond3D, C5.0",
        "0.5622 (0.0778)",
        "The cell of corner3D, one row above. By the table of trivial models all models here are trivial, which makes "
        "it .5 (0).",
        "certain",
        "mean",
        _of("diamond3D", "C5.0"),
    ),
    Erratum(
        "AUH: diamond3D, RF",
        "0.5957 (0.0309)",
        "The deviation is that of corner3D, and the mean differs from that of corner3D, 0.5657, in one digit.",
        "likely",
        "mean",
        _of("diamond3D", "RF"),
    ),
    Erratum(
        "AUH: diamond3D, C4.5",
        "0.5 (0.0374)",
        "The deviation is that of castle3D. All models here are trivial, and areas of at least .5 with a mean of .5 "
        "are all .5: the deviation is 0.",
        "certain",
        "sd",
        _of("diamond3D", "C4.5"),
    ),
    Erratum(
        "AUH: diamond3D, CART and AdaBoost",
        "deviations of 0.0347 and 0.0499",
        "Those of castle3D, as for C4.5 between them.",
        "likely",
        "sd",
        _of("diamond3D", "CART", "AdaBoost"),
    ),
    Erratum(
        "AUH: yeast1, RF and C5.0",
        "0.6130 (0.0318) and 0.5420 (0.0678)",
        "The cells of haberman, one row above. Its C5.0 has seven trivial models in ten, which fits such a mean and "
        "deviation; that of yeast1 has none, and its C4.5 has .6672.",
        "certain",
        "mean",
        _of("yeast1", "RF", "C5.0"),
    ),
    Erratum(
        "AUH: haberman, C5.0",
        "0.5420 (0.6780)",
        "No deviation of numbers from .5 to 1 is so large. The copy of the cell in the row of yeast1 has 0.0678.",
        "certain",
        "sd",
        _of("haberman", "C5.0"),
    ),
    Erratum(
        "AUH: corner, CART",
        "0.9488 (0.2717)",
        "Ten numbers from .5 to 1 with this mean have a deviation of at most .158. Perhaps 0.0272.",
        "certain",
        "sd",
        _of("corner", "CART"),
    ),
    Erratum(
        "AUH: fourclass, SVM",
        "0.9957 (0.0176)",
        "Ten numbers from .5 to 1 with this mean have a deviation of at most .014. It is that of CART, one column on.",
        "certain",
        "sd",
        _of("fourclass", "SVM"),
    ),
    Erratum(
        "AUH: fourclass, C4.5",
        "0.9916 (0.0296)",
        "Ten numbers from .5 to 1 with this mean have a deviation of at most .027. Perhaps the means of C4.5 and of "
        "AdaBoost, 0.9670, one column on, are exchanged: the other single trees have .967 to .970.",
        "certain",
        "mean",
        _of("fourclass", "C4.5"),
    ),
    Erratum(
        "AUH: pageblocks134, AdaBoost",
        "0.9908 (0.0449)",
        "Ten numbers from .5 to 1 with this mean have a deviation of at most .029. The mean is that of C4.5 and C5.0 "
        "beside it, the deviation that of AdaBoost for corner.",
        "certain",
        "mean",
        _of("pageblocks134", "AdaBoost"),
    ),
    Erratum(
        "AUH: yeast1289, C4.5, and yeast1458, AdaBoost",
        "0.5088 (0.0322) and 0.5023 (0.0088)",
        "Ten numbers from .5 to 1 with these means have deviations of at most .028 and .0074. So some of the ten areas "
        "were below .5, which an area under a hull is not.",
        "certain",
        "mean",
        (("yeast1289", "C4.5"), ("yeast1458", "AdaBoost")),
    ),
    Erratum(
        "AUH: ecoli4, C4.5, AdaBoost and RF",
        "deviations of 0.07756, 0.0775 and 0.0775",
        "Three in a row that agree.",
        "doubtful",
        "sd",
        _of("ecoli4", "C4.5", "AdaBoost", "RF"),
    ),
    Erratum(
        "AUH: ecoli01, HDDT",
        "0.9806 (0.0107), not bold",
        "C4.5 and C5.0 have the same figures in bold.",
        "doubtful",
        "bold",
        _of("ecoli01", "HDDT"),
    ),
    Erratum(
        "AUH: seven deviations",
        "0.03927, 0.01451, 0.07899, 0.03213, 0.07756, 0.02117, 0.01880",
        "Five decimals where all others have at most four: perhaps not rounded, perhaps a digit too many.",
        "doubtful",
        cells=(
            ("corner3D", "AdaBoost"),
            ("square3D", "AdaBoost"),
            ("yeast4", "C5.0"),
            ("abalone918", "RF"),
            ("ecoli4", "C4.5"),
            ("vehicle3", "C5.0"),
            ("vehicle2", "CART"),
        ),
    ),
    Erratum(
        "Trivial models: corner3D, C4.5 and C5.0",
        "0.50, bold",
        "Bold is for values over .5, says the caption.",
        "certain",
        "bold",
    ),
    Erratum(
        "Trivial models: C5.0",
        "shares of 100 models",
        "All fifteen shares that are not 0 are multiples of .1, as are those of C4.5, which has one model for each "
        "split. So the weight made no difference to C5.0, or only ten models were counted.",
        "likely",
    ),
    Erratum(
        "Trivial models: text",
        "“Figure” of trivial models",
        "It is a table.",
        "certain",
    ),
    Erratum(
        "Exact Boxes: glass1, best performance",
        "0.7922 (0.0377)",
        "The best is Exact Boxes itself, with 0.7922 (0.0337) in the same row.",
        "certain",
        "sd",
    ),
    Erratum(
        "Text: simulated data sets",
        "flooded3D twice",
        "One of them is square3D, which the tables have and the text has not.",
        "certain",
    ),
    Erratum(
        "Text: protocol",
        "ten folds, each the test set in turn",
        "The deviations are too small for tests on a tenth of the rows and fit ten random halves, and the text on "
        "trivial models speaks of ten splits.",
        "likely",
    ),
    Erratum(
        "Text: PRIM",
        "“we implemented” it",
        "No table has a figure of it.",
        "certain",
    ),
    Erratum(
        "Text: rule for glass2, calcium",
        "between 8.3101 and 2.3741",
        "No number is. All 17 positives have 8.32 or more, and a negative has 8.31, so 8.3101 is the lower limit. The "
        "least calcium of any row is 5.43, so 2.3741 is no limit at all; with both exchanged the rule holds no "
        "positive.",
        "certain",
    ),
    Erratum(
        "Text: rule for glass2, the class",
        "building windows, not float processed",
        "Of those there are 76, the positives of glass1. The 17 positives of glass2 are vehicle windows.",
        "certain",
    ),
)
"""All that was found, by the analysis that ``tests/paper/test_reported.py`` repeats and by reading."""


def unsound_means() -> frozenset[Cell]:
    """Return the cells (data set, method) of the table of AUH whose mean is nothing to compare with."""
    found = (one for one in ERRATA if one.spoils == "mean" and one.certainty != "doubtful")
    return frozenset(cell for one in found for cell in one.cells)


def to_rst() -> str:
    """Return the list as a table in reStructuredText."""
    rows = [("No.", "Where", "Printed", "Why it is wrong", "How sure")]
    rows += [(f"C{i}", one.where, one.printed, one.why, one.certainty) for i, one in enumerate(ERRATA, start=1)]
    lines = [".. list-table::", "   :header-rows: 1", "   :widths: 5 22 20 43 10", ""]
    for row in rows:
        for i, cell in enumerate(row):
            start = "   * - " if i == 0 else "     - "
            lines += textwrap.wrap(cell, 120, initial_indent=start, subsequent_indent=" " * 7)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(to_rst(), end="")

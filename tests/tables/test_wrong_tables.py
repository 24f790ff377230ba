"""What is wrong with a stored table is said, in one clear error, and the model stays as it was."""

import sys
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.feather
import pytest
from sklearn.base import BaseEstimator

from boxdraw import FastBoxesClassifier, ScoredBoxesClassifier, SparseBoxesClassifier

from .same import RIGHT, all_large, assert_same_model, csv_of, long_csv, write_parquet

# What is wrong with a table


WRONG = {
    "no target": ({"x": [1.0]}, {}, "no column 'label'; it has 'x'"),
    "no weight": (RIGHT, {"weight": "w"}, "no column 'w'"),
    "no feature": (RIGHT, {"features": ["z"]}, "no column 'z'"),
    "no features": ({"label": [0, 1]}, {}, "no column to learn from"),
    "target as feature": (RIGHT, {"features": ["x", "label"]}, "can't be features"),
    "three labels": ({"x": [1.0, 2, 3], "label": [0, 1, 2]}, {}, r"labels 0, 1, 2"),
    "one label": ({"x": [1.0, 2, 3], "label": [1, 1, 1]}, {}, "only one class"),
    "many labels": ({"x": np.arange(300.0), "label": np.arange(300)}, {}, "more than 100 different labels"),
    "missing label": ({"x": [1.0, 2, 3], "label": [1, 0, None]}, {}, "1 rows? without a label"),
    "only missing labels": ({"x": [1.0, 2], "label": pa.nulls(2)}, {}, "2 rows without a label"),
    "negative weight": (RIGHT | {"w": [1.0, 1, -2, 1]}, {"weight": "w"}, "at least 0; got -2.0"),
    "missing weight": (RIGHT | {"w": [1.0, 1, None, 1]}, {"weight": "w"}, "'w' must be finite and at least 0; got nan"),
    "infinite weight": (RIGHT | {"w": [1.0, 1, np.inf, 1]}, {"weight": "w"}, "at least 0; got inf"),
    "text as weight": (RIGHT | {"w": list("abcd")}, {"weight": "w"}, "'w'.*numbers"),
    "no weight at all": (RIGHT | {"w": [0.0] * 4}, {"weight": "w"}, "All weights are zero"),
    "one label with weight": (RIGHT | {"w": [0.0, 1, 0, 0]}, {"weight": "w"}, "only one class.*'label' is 1"),
    "too much weight": (RIGHT | {"w": [1e300] * 4}, {"weight": "w"}, "add up to"),
    "infinite value": (RIGHT | {"x": [1.0, 2, np.inf, 4]}, {}, "infinity"),
    "dates": (RIGHT | {"day": pa.array([1, 2, 3, 4], pa.date32())}, {}, "'day' holds dates"),
    "times": (RIGHT | {"t": pa.array([1, 2, 3, 4], pa.timestamp("s"))}, {}, "'t' holds dates"),
    "lists": (RIGHT | {"many": [[1], [2], [3], [4]]}, {}, "'many' holds list"),
    "structs": (RIGHT | {"many": [{"a": 1}] * 4}, {}, "'many' holds struct"),
    "bytes": (RIGHT | {"raw": [b"a"] * 4}, {}, "'raw' holds binary"),
    "no rows": ({"x": pa.array([], pa.float64()), "label": pa.array([], pa.int64())}, {}, "no rows"),
}


def attributes(model):
    return {name: value for name, value in vars(model).items() if name.endswith("_") or name.startswith("_")}


def fitted():
    return FastBoxesClassifier(n_boxes=1).fit(pd.DataFrame({"old": [1.0, 2.0, 3.0]}), ["a", "b", "a"])


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_and_the_model_stays(large, case):
    columns, options, message = WRONG[case]
    model = fitted()
    before = attributes(model)
    with all_large() if large else nullcontext(), pytest.raises(ValueError, match=message):
        model.fit_table(pa.table(columns), target="label", **options)
    after = attributes(model)
    assert after.keys() == before.keys()
    assert all(after[name] is before[name] for name in before)


class Fails(BaseEstimator):
    """A clusterer that fails, as late in a fit as something can."""

    def fit_predict(self, X):
        raise KeyError("no clusters today")


@pytest.mark.parametrize("patch", [all_large, nullcontext])
def test_a_fit_that_fails_late_leaves_the_model_as_it_was(patch):
    model = fitted()
    before = attributes(model)
    with patch(), pytest.raises(KeyError, match="no clusters today"):
        model.set_params(clusterer=Fails(), n_boxes=2).fit_table(
            pa.table({"x": [1.0, 2, 3, 4], "label": [0, 1, 1, 0]}), target="label"
        )
    assert attributes(model) == before
    with patch(), pytest.raises(ValueError, match="infinity"):
        FastBoxesClassifier().fit_table(pa.table(RIGHT | {"x": [1.0, 2, np.inf, 4]}), target="label")


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"categorical_features": "x"}, TypeError, "must be a list of columns; got the text 'x'"),
        ({"categorical_features": ["z"]}, ValueError, "names 'z', which is not a feature: "),
        ({"pos_label": 7}, ValueError, r"pos_label=7 is not a label in column 'label'; expected one of \[0, 1\]"),
    ],
)
def test_parameters_that_do_not_suit_the_table(parameters, error, message):
    with pytest.raises(error, match=message):
        FastBoxesClassifier(**parameters).fit_table(pa.table(RIGHT), target="label")


def test_what_to_install_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.dataset", None)
    with pytest.raises(ImportError, match=r"Stored tables need pyarrow: pip install 'boxdraw\[scale\]'"):
        FastBoxesClassifier().fit_table("table.parquet", target="label")


def test_two_columns_of_one_name():
    table = pa.table([[1.0, 2], [3.0, 4], [0, 1]], names=["x", "x", "label"])
    with pytest.raises(ValueError, match="several columns named 'x'"):
        FastBoxesClassifier().fit_table(table, target="label")


def test_identifiers(monkeypatch):
    monkeypatch.setattr("boxdraw.tables.first_look._MANY_CATEGORIES", 50)
    table = pa.table({"id": [f"row {i}" for i in range(200)], "label": [0, 1] * 100})
    for batch in (30, 200):
        monkeypatch.setattr("boxdraw.tables.arrow._MOST_ROWS", batch)
        with all_large(), pytest.raises(ValueError, match="more than 50 different categories, such as 'row"):
            FastBoxesClassifier().fit_table(table, target="label")
    with all_large():
        FastBoxesClassifier(n_boxes=1).fit_table(table.slice(0, 40), target="label")


@pytest.mark.parametrize("learner", [FastBoxesClassifier, ScoredBoxesClassifier, SparseBoxesClassifier])
def test_too_little_memory_for_rows_in_memory(monkeypatch, learner):
    def no_room(*_, **__):
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr("boxdraw.tables.training.read_training", no_room)
    with pytest.raises(MemoryError, match=r"^Unable to allocate 9 TiB; fit_table learns from a file that is larger"):
        learner().fit(RIGHT["x"], RIGHT["label"])


@pytest.mark.parametrize("limit", ["much", "-5 MB", "5 bananas", "10 kB", 0, -1, 1000, True, "nan", "inf GB", [5], ""])
def test_memory_limits_that_are_none(limit):
    with pytest.raises(ValueError, match="memory_limit must be at least a megabyte"):
        FastBoxesClassifier().fit_table(pa.table(RIGHT), target="label", memory_limit=limit)


@pytest.mark.parametrize("limit", ["1 MB", "2 MB", "2MiB", "1e7", 2**21, 3e6, "0.5 GB", None])
def test_memory_limits(limit):
    expected = FastBoxesClassifier(n_boxes=1).fit(pd.DataFrame({"x": RIGHT["x"]}), RIGHT["label"])
    with all_large():
        model = FastBoxesClassifier(n_boxes=1).fit_table(pa.table(RIGHT), target="label", memory_limit=limit)
    assert_same_model(expected, model)


# Files


def fit_path(path):
    return FastBoxesClassifier(n_boxes=1).fit_table(path, target="label")


def test_files_that_are_none(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no file .*absent\.parquet"):
        fit_path(tmp_path / "absent.parquet")
    with pytest.raises(ValueError, match="no Parquet, Arrow or CSV file in"):
        fit_path(tmp_path)
    with pytest.raises(ValueError, match="no Parquet, Arrow or CSV file in the empty list"):
        fit_path([])
    for source in (7, None, pd.DataFrame(RIGHT), [None], RIGHT):
        with pytest.raises(TypeError, match="source must be a path"):
            fit_path(source)


def test_formats_that_are_none(tmp_path):
    for name in ("table.xlsx", "table", "table.gz"):
        (tmp_path / name).write_text("x,label\n1,0\n")
        with pytest.raises(ValueError, match="must end in"):
            fit_path(tmp_path / name)
    csv_of(pd.DataFrame(RIGHT), tmp_path / "a.csv")
    write_parquet(pd.DataFrame(RIGHT), tmp_path / "b.parquet")
    with pytest.raises(ValueError, match="same format; got csv, parquet"):
        fit_path([tmp_path / "a.csv", tmp_path / "b.parquet"])
    with pytest.raises(ValueError, match="same format; got csv, parquet"):
        fit_path(tmp_path)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow", ".feather", ".csv.gz"])
def test_damaged_files(tmp_path, suffix):
    (tmp_path / f"good{suffix}").write_bytes(b"")
    bad = tmp_path / f"bad{suffix}"
    bad.write_bytes(b"this is something else")
    with pytest.raises(ValueError, match=r"bad.* is no .* file, or a damaged one"):
        fit_path(bad)


def test_a_damaged_file_among_others(tmp_path):
    write_parquet(pd.DataFrame(RIGHT), tmp_path / "a.parquet")
    (tmp_path / "b.parquet").write_bytes(b"this is something else")
    with pytest.raises(ValueError, match=r"b\.parquet is no parquet file, or a damaged one"):
        fit_path(tmp_path)


def test_a_csv_with_a_row_of_too_many_fields(tmp_path):
    (tmp_path / "a.csv").write_text("x,label\n1,0\n2,1\n3,0,7\n")
    with pytest.raises(ValueError, match=r"a\.csv, line 4: 3 fields, but 2 column names in the first line"):
        fit_path(tmp_path / "a.csv")
    long_csv(tmp_path / "c.csv", pd.DataFrame(RIGHT), "5,1,7\n")
    with pytest.raises(ValueError, match=r"c\.csv, line \d+: 3 fields, but 2 column names in the first line"):
        fit_path(tmp_path / "c.csv")
    (tmp_path / "b.csv").write_text("")
    with pytest.raises(ValueError, match=r"b\.csv is no csv file, or a damaged one.*[Ee]mpty"):
        fit_path(tmp_path / "b.csv")


def test_types_of_files_that_do_not_go_together(tmp_path):
    write_parquet(pd.DataFrame(RIGHT), tmp_path / "a.parquet")
    write_parquet(pd.DataFrame(RIGHT | {"x": list("abcd")}), tmp_path / "b.parquet")
    with pytest.raises(
        ValueError, match=r"Column 'x' holds double in .*a\.parquet and (large_)?string in .*b\.parquet"
    ):
        fit_path(tmp_path)


def test_a_dataset_that_can_not_be_read(tmp_path):
    write_parquet(pd.DataFrame(RIGHT), tmp_path / "a.parquet")
    write_parquet(pd.DataFrame(RIGHT | {"x": list("abcd")}), tmp_path / "b.parquet")
    dataset = pa.dataset.dataset(tmp_path)  # with the types of the first file
    with pytest.raises(ValueError, match="The table can't be read"):
        fit_path(dataset)


def test_files_beside_the_data_are_left_alone(tmp_path):
    write_parquet(pd.DataFrame(RIGHT), tmp_path / "a.parquet")
    for name in ("_SUCCESS", ".hidden.parquet", "_metadata.parquet", "notes.txt"):
        (tmp_path / name).write_text("nothing")
    inner = tmp_path / "more"
    inner.mkdir()
    write_parquet(pd.DataFrame(RIGHT), inner / "b.pq")
    twice = pd.concat([pd.DataFrame(RIGHT)] * 2)
    assert_same_model(FastBoxesClassifier(n_boxes=1).fit(twice[["x"]], twice["label"]), fit_path(tmp_path))

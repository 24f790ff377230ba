"""Stored tables: the model of the same rows in memory, whatever the files."""

import gzip
import re
import sys
from contextlib import nullcontext
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.feather
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw import FastBoxesClassifier

from .same import (
    RIGHT,
    all_large,
    assert_same_edges,
    assert_same_model,
    assert_sides_agree,
    csv_of,
    long_csv,
    make_frame,
    write_parquet,
)

FEATURES = ["amount", "size", "age", "town", "known", "same"]
SETTINGS = ({}, {"growth": "free", "negative_weight": 3.0}, {"growth": "edge", "n_boxes": 1, "pos_label": "no"})


def fit_frame(frame, weighted=False, **parameters):
    weight = frame["weight"] if weighted else None
    return FastBoxesClassifier(**parameters).fit(frame[FEATURES], frame["label"].to_numpy(), weight)


def fit_source(source, weighted=False, batch=100, **parameters):
    """Fit in passes over batches of so many rows."""
    with all_large(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("boxdraw.tables.arrow._MOST_ROWS", batch)
        return FastBoxesClassifier(**parameters).fit_table(
            source, target="label", weight="weight" if weighted else None, features=FEATURES
        )


def pieces(frame, rng, n):
    """Shuffle the rows and cut them into so many pieces, some of which may have no row."""
    order = rng.permutation(len(frame))
    return [frame.iloc[rows] for rows in np.split(order, np.sort(rng.integers(0, len(frame) + 1, n - 1)))]


# The same model from any file


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("parameters", SETTINGS)
@pytest.mark.parametrize("group", [1, 7, 150, 10_000])
def test_row_groups(tmp_path, weighted, parameters, group):
    frame = make_frame(0, 80 if group == 1 else 400)
    path = write_parquet(frame, tmp_path / "table.parquet", group)
    expected = fit_frame(frame, weighted, **parameters)
    stored = fit_source(path, weighted, **parameters)
    assert_same_model(expected, stored, frame[FEATURES])
    assert_sides_agree(stored, frame[FEATURES])
    small = FastBoxesClassifier(**parameters).fit_table(
        path, target="label", weight="weight" if weighted else None, features=FEATURES
    )
    assert_same_model(expected, small, frame[FEATURES])


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 120), st.booleans(), st.sampled_from([None, 2, 3]))
@settings(max_examples=12, deadline=None)
def test_files_in_any_order(tmp_path_factory, seed, n_files, batch, weighted, n_jobs):
    rng = np.random.default_rng(seed)
    frame = make_frame(seed % 7, 100)
    folder = tmp_path_factory.mktemp("files")
    paths = [
        write_parquet(piece, folder / f"{i}.parquet", int(rng.integers(1, 100)))
        for i, piece in enumerate(pieces(frame, rng, n_files))
    ]
    expected = fit_frame(frame, weighted)
    for source in (folder, str(folder), [paths[i] for i in rng.permutation(n_files)]):
        assert_same_model(expected, fit_source(source, weighted, batch, n_jobs=n_jobs))


@pytest.mark.parametrize("weighted", [False, True])
def test_formats(tmp_path, weighted):
    frame = make_frame(1)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    pa.feather.write_feather(table, tmp_path / "a.feather", chunksize=37)
    with pa.ipc.new_file(tmp_path / "a.arrow", table.schema) as file:
        file.write_table(table, max_chunksize=50)
    write_parquet(frame, tmp_path / "upper.PARQUET")
    sources = [
        tmp_path / "a.feather",
        tmp_path / "a.arrow",
        tmp_path / "upper.PARQUET",
        pa.dataset.dataset(tmp_path / "a.arrow", format="ipc"),
        pa.dataset.dataset([pa.dataset.dataset(table[:100]), pa.dataset.dataset(table[100:])]),
        table,
        table.combine_chunks().to_batches()[0],
        pa.concat_tables([table[:10], table[10:300], table[300:]]),
    ]
    expected = fit_frame(frame, weighted)
    for source in sources:
        assert_same_model(expected, fit_source(source, weighted), frame[FEATURES])


def as_floats(frame):
    """The numbers of a frame as a file of text has them: without float32."""
    return frame.assign(size=frame["size"].astype(str).astype(float))


@pytest.mark.parametrize("weighted", [False, True])
def test_csv_files(tmp_path, weighted):
    frame = as_floats(make_frame(2))
    first = csv_of(frame[:150], tmp_path / "a.csv")
    second = csv_of(frame[150:], tmp_path / "b.csv")
    whole = csv_of(frame, tmp_path / "whole.CSV")
    zipped = tmp_path / "c.csv.gz"
    zipped.write_bytes(gzip.compress(whole.read_bytes()))
    expected = fit_frame(frame, weighted)
    for source in ([first, second], [second, first], whole, zipped):
        assert_same_model(expected, fit_source(source, weighted), frame[FEATURES])
    assert_same_model(
        expected,
        FastBoxesClassifier().fit_table(
            whole, target="label", weight="weight" if weighted else None, features=FEATURES
        ),
    )


def test_csv_columns_in_another_order(tmp_path):
    (tmp_path / "a.csv").write_text("x,z,label\n1,1,0\n2,2,1\n3,9,0\n")
    (tmp_path / "b.csv").write_text("z,label,x\nhigh,0,4\n2,1,2.5\n")
    frame = pd.DataFrame({"x": [1, 2, 3, 4, 2.5], "z": ["1", "2", "9", "high", "2"], "label": [0, 1, 0, 0, 1]})
    expected = FastBoxesClassifier(n_boxes=1).fit(frame[["x", "z"]], frame["label"])
    for patch in (all_large, nullcontext):
        with patch():
            stored = FastBoxesClassifier(n_boxes=1).fit_table(tmp_path, target="label")
        assert_same_model(expected, stored, frame[["x", "z"]])


def test_types_that_change_late_in_a_csv(tmp_path):
    frame = pd.DataFrame(
        {
            "whole": np.arange(50),
            "code": np.arange(50) % 7,
            "empty": np.full(50, np.nan),
            "late flag": np.full(50, np.nan),
            "flag": np.arange(50) % 3 == 0,
            "label": (np.arange(50) % 10 == 0).astype(int),
        }
    )
    path = long_csv(
        tmp_path / "long.csv", frame, "2.5,x,7,true,maybe,1\n,NA,,,,0\nNaN,,NA,,True,0\n-7.25,3,2.5,false,False,1\n"
    )
    repeats = path.read_text().count("\n0,0,,,True,1\n")
    late = pd.DataFrame(
        {
            "whole": [2.5, np.nan, np.nan, -7.25],
            "code": ["x", "NA", None, "3"],
            "empty": [7, np.nan, np.nan, 2.5],
            "late flag": [True, None, None, False],
            "flag": ["maybe", None, "True", "False"],
            "label": [1, 0, 0, 1],
        }
    )
    frame["code"] = frame["code"].astype(str)
    frame["flag"] = frame["flag"].astype(str)
    frame["late flag"] = frame["late flag"].astype(object)
    rows = pd.concat([*[frame] * repeats, late], ignore_index=True)
    assert len(rows) == path.read_text().count("\n") - 1
    features = ["whole", "code", "empty", "late flag", "flag"]
    expected = FastBoxesClassifier(n_boxes=2).fit(rows[features], rows["label"])
    with all_large():
        assert_same_model(expected, FastBoxesClassifier(n_boxes=2).fit_table(path, target="label"), rows[features])


def test_other_types_in_other_files(tmp_path):
    rng = np.random.default_rng(0)
    frames = [
        pd.DataFrame({"x": rng.integers(0, 9, 30), "y": np.float32(rng.normal(size=30)), "town": [None] * 30}),
        pd.DataFrame({"x": rng.normal(size=40), "y": rng.normal(size=40), "town": rng.choice(["a", "b"], 40)}),
        pd.DataFrame({"x": [np.nan] * 10, "y": rng.integers(0, 3, 10), "town": pd.Categorical(["a"] * 10)}),
    ]
    frames[2]["town"] = frames[2]["town"].astype(str)
    for i, frame in enumerate(frames):
        frame["label"] = (np.arange(len(frame)) % 5 == 0).astype(int)
        write_parquet(frame, tmp_path / f"{i}.parquet")
    rows = pd.concat([frame.astype({"x": float, "y": float, "town": object}) for frame in frames])
    expected = FastBoxesClassifier(n_boxes=1).fit(rows[["x", "y", "town"]], rows["label"])
    for names in ("012", "210", "102"):
        for patch in (all_large, nullcontext):
            with patch():
                stored = FastBoxesClassifier(n_boxes=1).fit_table(
                    [tmp_path / f"{name}.parquet" for name in names], target="label"
                )
            assert_same_model(expected, stored)


# Types of columns


def typed_table(n_rows=200):
    """An Arrow table of types that pandas has none of its own for, and the same rows for `fit`."""
    rng = np.random.default_rng(1)
    cents = rng.integers(0, 5, n_rows)
    whole = pa.array(rng.integers(0, 9, n_rows), mask=rng.uniform(size=n_rows) < 0.2)
    word = rng.choice(np.array(["a", "b", "c"], dtype=object), n_rows)
    word[rng.uniform(size=n_rows) < 0.2] = None
    flag = pa.array(rng.integers(0, 2, n_rows).astype(bool), mask=rng.uniform(size=n_rows) < 0.2)
    label = cents + rng.uniform(size=n_rows) > 4
    columns = {
        "decimal": pa.array([Decimal(int(value)) / 4 for value in cents], pa.decimal128(5, 2)),
        "whole": whole,
        "small": pa.array(rng.integers(0, 200, n_rows), pa.uint8()),
        "single": pa.array(rng.normal(size=n_rows).astype(np.float32)),
        "half": pa.array(rng.normal(size=n_rows).astype(np.float16)),
        "coded": pa.array(word).dictionary_encode(),
        "coded number": pa.array(cents).dictionary_encode(),
        "large": pa.array(word, pa.large_string()),
        "flag": flag,
        "nothing": pa.nulls(n_rows),
        "label": pa.array(label),
    }
    frame = pd.DataFrame(
        {
            "decimal": cents / 4,
            "whole": whole.to_numpy(zero_copy_only=False),
            "small": columns["small"].to_numpy(),
            "single": columns["single"].to_numpy(),
            "half": columns["half"].to_numpy().astype(float),
            "coded": pd.Series(word, dtype=object),
            "coded number": cents,
            "large": pd.Series(word, dtype=object),
            "flag": pd.Series(flag.to_pylist(), dtype=object),
            "nothing": np.full(n_rows, np.nan),
        }
    )
    return pa.table(columns), frame, label


def with_chunks(table, rows):
    return pa.Table.from_batches(table.to_batches(max_chunksize=rows), table.schema)


@pytest.mark.parametrize("chunk", [1, 50, 200])
def test_types(chunk):
    table, frame, label = typed_table()
    expected = FastBoxesClassifier(n_boxes=2).fit(frame, label)
    with all_large():
        assert_same_model(expected, FastBoxesClassifier(n_boxes=2).fit_table(with_chunks(table, chunk), target="label"))
    small = FastBoxesClassifier(n_boxes=2).fit_table(table, target="label")
    assert_same_model(expected, small)


def test_dictionaries_that_differ():
    halves = [pa.table({"x": pa.array(words).dictionary_encode(), "label": [0, 1, 0]}) for words in ("abc", "cba")]
    frame = pd.DataFrame({"x": list("abccba")})
    expected = FastBoxesClassifier(n_boxes=1).fit(frame, [0, 1, 0] * 2)
    with all_large():
        assert_same_model(
            expected, FastBoxesClassifier(n_boxes=1).fit_table(pa.concat_tables(halves), target="label"), frame
        )


def test_whole_numbers_as_categories():
    frame = make_frame(3)
    expected = fit_frame(frame, categorical_features=["age"])
    table = pa.Table.from_pandas(frame, preserve_index=False)
    for forced in (["age"], [FEATURES.index("age")]):
        assert_same_model(expected, fit_source(table, categorical_features=forced), frame[FEATURES])


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["yes", "no"]),
        np.array([True, False]),
        np.array([3, -1]),
        np.array([1.0, 0.0]),
        np.array([1, 0], dtype=np.int8),
    ],
    ids=["text", "bool", "int", "float", "int8"],
)
@pytest.mark.parametrize("coded", [False, True])
def test_labels(labels, coded):
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=200), labels[(rng.uniform(size=200) > 0.1).astype(int)]
    column = pa.array(y.tolist() if y.dtype.kind == "U" else y)
    table = pa.table({"x": x, "label": column.dictionary_encode() if coded else column})
    y = y.astype(object) if y.dtype.kind == "U" else y
    for pos_label in (None, labels[1]):
        model = FastBoxesClassifier(n_boxes=2, pos_label=pos_label)
        expected = FastBoxesClassifier(n_boxes=2, pos_label=pos_label).fit(pd.DataFrame({"x": x}), y)
        assert_same_model(expected, model.fit_table(table, target="label"), expected_rows := pd.DataFrame({"x": x}))
        with all_large():
            model.fit_table(table, target="label")
        assert_same_model(expected, model, expected_rows)


def test_rows_without_weight_are_as_good_as_none():
    frame = make_frame(4)
    kept = frame[frame["weight"] > 0]
    frame.loc[frame["weight"] == 0, "amount"] = 1e9
    assert_same_model(fit_frame(frame, weighted=True), fit_source(pa.Table.from_pandas(frame), weighted=True))
    assert_same_edges(
        fit_frame(kept, weighted=True)._edges, fit_source(pa.Table.from_pandas(frame), weighted=True)._edges
    )


def test_a_label_without_weight_does_not_count():
    table = pa.table({"x": [1.0, 2, 3, 4, 9], "label": [0, 1, 0, 0, 2], "weight": [1.0, 1, 1, 1, 0]})
    with all_large():
        model = FastBoxesClassifier(n_boxes=1).fit_table(table, target="label", weight="weight")
    assert model.classes_.tolist() == [0, 1]


def test_a_constant_text_column_and_one_that_is_all_missing():
    table = pa.table(
        {"x": [1.0, 2, 3, 4], "t": ["a"] * 4, "none": pa.array([None] * 4, pa.string()), "label": [0, 1, 0, 0]}
    )
    expected = FastBoxesClassifier(n_boxes=1).fit(table.select(["x", "t", "none"]).to_pandas(), [0, 1, 0, 0])
    with all_large():
        assert_same_model(expected, FastBoxesClassifier(n_boxes=1).fit_table(table, target="label"))


# Progress


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_progress_is_told(n_jobs):
    told = []
    frame = make_frame(5)
    table = with_chunks(pa.Table.from_pandas(frame, preserve_index=False), 30)
    with all_large():
        FastBoxesClassifier(n_jobs=n_jobs).fit_table(
            table, target="label", features=FEATURES, progress=lambda *step: told.append(step)
        )
    passes = list(dict.fromkeys(what for what, _, _ in told))
    assert passes == ["labels", "ranges and positives", "divide", "expand", "round limits"]
    for what in passes:
        rows = [done for name, done, _ in told if name == what]
        assert rows == [*range(30, 400, 30), 400]
    assert {n_rows for what, _, n_rows in told if what != "labels"} == {400}
    assert {n_rows for what, _, n_rows in told if what == "labels"} == {None}


@pytest.mark.parametrize(("verbose", "progress"), [(1, None), (0, True)])
def test_progress_is_shown(capsys, verbose, progress):
    with all_large():
        FastBoxesClassifier(n_boxes=1, verbose=verbose).fit_table(pa.table(RIGHT), target="label", progress=progress)
    shown = capsys.readouterr()
    assert shown.out == ""
    lines = shown.err.splitlines()
    assert [line.split(":")[0] for line in lines] == [
        f"[Fast Boxes] {what}" for what in ("labels", "ranges and positives", "divide", "expand", "round limits")
    ]
    assert all(": 4 rows in " in line for line in lines)


def test_progress_on_a_terminal(capsys, monkeypatch):
    """One line for each pass, over which the next state is written."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr("boxdraw._core.progress.RowsProgress._SECONDS", -1)
    with all_large():
        FastBoxesClassifier(n_boxes=1, verbose=1).fit_table(pa.table(RIGHT), target="label")
    labels, *others, nothing = capsys.readouterr().err.split("\n")
    assert nothing == ""
    assert re.fullmatch(
        r"\r\[Fast Boxes\] labels: 4 rows, .* rows/s *\r\[Fast Boxes\] labels: 4 rows in .* s *", labels
    )
    for line in others:
        moving, end = line[1:].split("\r")
        assert "100% of 4 rows, " in moving
        assert moving.rstrip().endswith("about 0 s left")
        assert len(end) >= len(moving.rstrip())  # nothing of it is left to be seen


def test_silence(capsys):
    with all_large():
        FastBoxesClassifier(n_boxes=1).fit_table(pa.table(RIGHT), target="label")
    assert capsys.readouterr() == ("", "")


# Datasets with more to them


def test_a_dataset_with_a_filter(tmp_path):
    frame = make_frame(6)
    path = write_parquet(frame, tmp_path / "a.parquet", 50)
    kept = frame[frame["age"] > 30]
    dataset = pa.dataset.dataset(path).filter(pa.dataset.field("age") > 30)
    assert_same_model(fit_frame(kept), fit_source(dataset), frame[FEATURES])


def test_columns_in_the_names_of_folders(tmp_path):
    frame = make_frame(6)
    for age, rows in frame.groupby("age"):
        folder = tmp_path / f"age={age}"
        folder.mkdir()
        write_parquet(rows.drop(columns="age"), folder / "a.parquet")
    dataset = pa.dataset.dataset(tmp_path, partitioning="hive")
    assert_same_model(fit_frame(frame), fit_source(dataset), frame[FEATURES])


def test_some_row_groups_of_a_file(tmp_path):
    frame = make_frame(6)
    path = write_parquet(frame, tmp_path / "a.parquet", 100)
    whole = pa.dataset.dataset(path)
    fragments = [fragment.subset(row_group_ids=[1, 3]) for fragment in whole.get_fragments()]
    dataset = pa.dataset.FileSystemDataset(fragments, whole.schema, whole.format, whole.filesystem)
    kept = pd.concat([frame[100:200], frame[300:]])
    assert_same_model(fit_frame(kept), fit_source(dataset), frame[FEATURES])


def test_a_column_that_some_files_do_not_have(tmp_path):
    frame = make_frame(6)
    write_parquet(frame[:150], tmp_path / "a.parquet")
    write_parquet(frame[150:].drop(columns="town"), tmp_path / "b.parquet")
    frame.loc[150:, "town"] = None
    for source in (tmp_path, [tmp_path / "b.parquet", tmp_path / "a.parquet"]):
        assert_same_model(fit_frame(frame), fit_source(source), frame[FEATURES])


# The whole trade-off, in one more pass


@pytest.mark.parametrize("growth", ["nearest_negative", "edge", "free"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_training_roc(growth, weighted):
    frame = make_frame(7)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    plain = fit_frame(frame, weighted, growth=growth).path()
    paths = []
    for batch in (37, 400):
        with all_large(), pytest.MonkeyPatch.context() as patch:
            patch.setattr("boxdraw.tables.arrow._MOST_ROWS", batch)
            stored = FastBoxesClassifier(growth=growth).fit_table(
                table, target="label", weight="weight" if weighted else None, features=FEATURES
            )
            paths.append(stored.path())
    for path in paths:
        for name in ("negative_weights", "fpr", "tpr", "roc_fpr", "roc_tpr"):
            np.testing.assert_array_equal(getattr(path, name), getattr(paths[0], name))
    # Its costs have few digits, but what it says of them is exact; the sums of the plain one are rounded at each step.
    rates = [plain.rates_at(c) for c in paths[0].negative_weights]
    np.testing.assert_allclose(np.transpose([paths[0].fpr, paths[0].tpr]), rates, rtol=1e-14 if weighted else 0, atol=0)


# Very many positives


@pytest.mark.parametrize("weighted", [False, True])
def test_a_sample_of_the_positives(monkeypatch, weighted):
    for module in ("stored", "survey"):
        monkeypatch.setattr(f"boxdraw.tables.{module}.LIMIT", 15)
    frame = make_frame(8)
    with all_large(70):
        expected = fit_frame(frame, weighted)
    shuffled = frame.sample(frac=1, random_state=0)
    for batch in (33, 400):
        for rows in (frame, shuffled):
            table = pa.Table.from_pandas(rows, preserve_index=False)
            assert_same_model(expected, fit_source(table, weighted, batch), frame[FEATURES])
    with pytest.raises(AssertionError):  # it is a sample that all of them have seen
        assert_same_model(expected, fit_frame(frame, weighted))

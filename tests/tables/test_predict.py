"""predict_table."""

import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.feather
import pyarrow.parquet
import pytest

from boxdraw import (
    BoxSet,
    BoxSetClassifier,
    FastBoxesClassifier,
    ScoredBoxesClassifier,
    SparseBoxesClassifier,
)
from boxdraw.tables import predict
from boxdraw.tables.arrow import ArrowReader
from boxdraw.tables.dask import ClusterFiles

from .same import make_frame

INF = float("inf")


def mixed_table(n_rows=300, seed=0):
    """Return rows with numbers, whole numbers, texts, truth values, gaps and a column that is no feature."""
    rng = np.random.default_rng(seed)

    def with_gaps(values, share=0.1):
        return pa.array(values, mask=rng.random(n_rows) < share)

    return pa.table(
        {
            "id": [f"r{i}" for i in range(n_rows)],
            "amount": with_gaps(rng.normal(size=n_rows)),
            "count": with_gaps(rng.integers(0, 9, n_rows)),
            "colour": with_gaps(rng.choice(["red", "green", "1"], n_rows)),
            "known": with_gaps(rng.random(n_rows) < 0.5),
        }
    )


FEATURES = ["amount", "count", "colour", "known"]


def labels_of(table):
    amount = table["amount"].fill_null(0).to_numpy()
    return np.where((amount > 0.7) | (np.asarray(table["colour"].fill_null("")) == "1") & (amount > 0), "bad", "good")


@pytest.fixture(scope="module")
def model():
    table = mixed_table()
    return FastBoxesClassifier(n_boxes=3).fit(table.select(FEATURES), labels_of(table))


@pytest.fixture(scope="module")
def by_colour():
    """A model whose boxes limit the colour."""
    table = mixed_table()
    fitted = FastBoxesClassifier(n_boxes=1).fit(
        table.select(FEATURES), np.asarray(table["colour"].fill_null("")) == "1"
    )
    assert fitted.boxes_.limited[:, FEATURES.index("colour")].any()
    return fitted


@pytest.fixture
def small_batches(monkeypatch):
    """Predict a few rows at a time."""
    monkeypatch.setattr(predict, "_ROWS", 7)
    whole = ArrowReader.batches

    def pieces(self, columns):
        for batch in whole(self, columns):
            for start in range(0, batch.num_rows, 5):
                yield batch.slice(start, 5)

    monkeypatch.setattr(ArrowReader, "batches", pieces)


def expected(model, table, features=None):
    """Return the columns that a prediction of the whole table in memory has."""
    X = table if features is None else table.select(features)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        member = model.transform(X)
        box = [int(row.argmax()) + 1 if row.any() else None for row in member]
        return {"prediction": model.predict(X).tolist(), "score": model.decision_function(X).tolist(), "box": box}


def written(path):
    return {".parquet": pyarrow.parquet.read_table, ".csv": pyarrow.csv.read_csv}.get(
        path.suffix, pyarrow.feather.read_table
    )(path)


def added(table):
    return table.select(["prediction", "score", "box"]).to_pydict()


@pytest.mark.parametrize("ending", ["parquet", "arrow", "feather", "csv"])
def test_the_same_as_in_memory(model, small_batches, tmp_path, ending):
    table = mixed_table(200, seed=1)
    done = model.predict_table(table, tmp_path / f"out.{ending}")
    out = written(tmp_path / f"out.{ending}")
    assert added(out) == expected(model, table, FEATURES)
    assert out.column_names == [*table.column_names, "prediction", "score", "box"]
    if ending != "csv":
        assert out.select(table.column_names).equals(table)
    assert (done.output, done.rows) == (str(tmp_path / f"out.{ending}"), 200)
    assert 0 < done.flagged == out["prediction"].to_pylist().count("bad") < 200


@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv"])
def test_stored_tables(model, small_batches, tmp_path, ending):
    parts = [mixed_table(60, seed=2), mixed_table(50, seed=3)]
    names = [tmp_path / f"part{k}.{ending}" for k in range(2)]
    for part, name in zip(parts, names, strict=True):
        if ending == "parquet":
            pyarrow.parquet.write_table(part, name, row_group_size=17)
        elif ending == "csv":
            pyarrow.csv.write_csv(part, name)
        else:
            pyarrow.feather.write_feather(part, name)
    whole = expected(model, pa.concat_tables(parts), FEATURES)
    for source in (names, [str(name) for name in names], tmp_path):
        model.predict_table(source, tmp_path.parent / "out.parquet", columns=["id"])
        out = pyarrow.parquet.read_table(tmp_path.parent / "out.parquet")
        assert added(out) == whole
        assert out.column_names == ["id", "prediction", "score", "box"]


def test_a_dataset_with_a_filter(model, tmp_path):
    table = mixed_table(80, seed=4)
    pyarrow.parquet.write_table(table, tmp_path / "in.parquet")
    dataset = ds.dataset(tmp_path / "in.parquet").filter(ds.field("count") > 4)
    told = []
    done = model.predict_table(
        dataset, tmp_path / "out.parquet", columns=[], progress=lambda *arguments: told.append(arguments)
    )
    kept = table.filter(pa.compute.greater(table["count"], 4))
    assert pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pydict() == expected(model, kept, FEATURES)
    assert told == [("predictions", done.rows, kept.num_rows)]


def test_scorecards_with_negative_points(small_batches, tmp_path):
    table = mixed_table(300, seed=5)
    card = ScoredBoxesClassifier(cv=None, max_limits=1, signed_points=True)
    card.fit(table.select(FEATURES), labels_of(table)).predict_table(table, tmp_path / "out.parquet")
    out = pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pydict()
    X = table.select(FEATURES)
    assert min(card.scorecard_.points) < 0
    assert out["points"] == card.scorecard_.score(X).tolist()
    assert out["prediction"] == card.predict(X).tolist()
    assert [[int(number) - 1 for number in text.split()] for text in out["reasons"]] == [
        sorted(np.flatnonzero(held), key=lambda k: -card.scorecard_.points[k]) for held in card.transform(X)
    ]


def test_without_a_score(tmp_path, monkeypatch):
    monkeypatch.delattr(BoxSetClassifier, "decision_function")
    model = BoxSetClassifier(BoxSet([[1.0]], [[2.0]], feature_names=["a"]))
    model.predict_table(pa.table({"a": [1, 5]}), tmp_path / "out.parquet")
    out = pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pydict()
    assert out == {"a": [1, 5], "prediction": [1, 0], "box": [1, None]}


def test_one_warning_of_all_unseen_categories(by_colour, small_batches, tmp_path):
    model = by_colour
    table = mixed_table(90, seed=6)
    colours = [f"c{i % 9}" for i in range(90)]
    table = table.set_column(3, "colour", pa.array(colours))
    with pytest.warns(UserWarning, match="not seen in training") as stored:
        model.predict_table(table, tmp_path / "out.parquet")
    with pytest.warns(UserWarning, match="not seen in training") as in_memory:
        model.predict(table.select(FEATURES))
    assert [str(found.message) for found in stored] == [str(found.message) for found in in_memory]
    assert "'colour': 'c0', 'c1', 'c2', 'c3', 'c4', ..." in str(stored[0].message)
    assert stored[0].filename == __file__
    assert added(pyarrow.parquet.read_table(tmp_path / "out.parquet")) == expected(model, table, FEATURES)


def test_categories_of_a_csv_that_look_like_numbers_stay_texts(tmp_path):
    boxes = BoxSet([[-INF]], [[INF]], feature_names=["zip"], allowed={"zip": [{"007"}]})
    (tmp_path / "new.csv").write_text("zip\n007\n007\n")
    BoxSetClassifier(boxes).predict_table(tmp_path / "new.csv", tmp_path / "out.parquet")
    out = pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pydict()
    assert out["zip"] == ["007", "007"]
    assert out["box"] == [1, 1]


def test_columns_stored_as_numbers_of_categories(model, small_batches, tmp_path):
    table = mixed_table(70, seed=7)
    place = table.column_names.index("colour")
    coded = table.set_column(place, "colour", table["colour"].dictionary_encode())
    pyarrow.parquet.write_table(coded, tmp_path / "in.parquet", row_group_size=9)
    for ending in ("parquet", "arrow", "csv"):
        model.predict_table(tmp_path / "in.parquet", tmp_path / f"out.{ending}")
        out = written(tmp_path / f"out.{ending}")
        assert added(out) == expected(model, table, FEATURES)


def test_no_names_go_by_place(small_batches, tmp_path):
    rng = np.random.default_rng(8)
    X = rng.normal(size=(200, 2))
    model = FastBoxesClassifier(n_boxes=1).fit(X, X[:, 0] > 1)
    for names in (["a", "b"], ["x0", "x1"]):
        model.predict_table(pa.table(dict(zip(names, X.T, strict=True))), tmp_path / "out.parquet")
        assert added(pyarrow.parquet.read_table(tmp_path / "out.parquet")) == expected(model, X)
    for names in (["a", "b", "c"], ["x0", "b"]):
        with pytest.raises(ValueError, match=r"lacks columns that the model needs: .*'x1'"):
            model.predict_table(pa.table({name: X[:, 0] for name in names}), tmp_path / "no.parquet")


def test_no_rows(model, tmp_path):
    table = mixed_table(3).slice(0, 0)
    for ending in ("parquet", "arrow", "csv"):
        assert model.predict_table(table, tmp_path / f"out.{ending}").rows == 0
        assert written(tmp_path / f"out.{ending}").num_rows == 0
    assert str(pyarrow.parquet.read_table(tmp_path / "out.parquet").schema.field("prediction").type) == "string"


def test_missing_features_are_named_before_anything_is_written(model, tmp_path):
    (tmp_path / "out.parquet").write_text("old")
    with pytest.raises(ValueError, match=r"needs: 'amount', 'known'. It has 'id', 'count', 'colour'"):
        model.predict_table(mixed_table().drop_columns(["amount", "known"]), tmp_path / "out.parquet")
    assert (tmp_path / "out.parquet").read_text() == "old"


def test_an_error_leaves_everything_as_it_was(model, small_batches, tmp_path, monkeypatch):
    (tmp_path / "out.parquet").write_text("old")
    calls = []

    def fail(X):
        calls.append(len(X))
        if len(calls) == 3:
            raise RuntimeError("no more")
        return np.zeros(len(X))

    monkeypatch.setattr(model, "decision_function", fail, raising=False)
    with pytest.raises(RuntimeError, match="no more"):
        model.predict_table(mixed_table(), tmp_path / "out.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["out.parquet"]
    assert (tmp_path / "out.parquet").read_text() == "old"


def test_what_is_read_is_not_replaced(model, tmp_path):
    pyarrow.parquet.write_table(mixed_table(), tmp_path / "in.parquet")
    (tmp_path / "link.parquet").symlink_to(tmp_path / "in.parquet")
    for source in (tmp_path / "in.parquet", tmp_path, ds.dataset([ds.dataset(tmp_path / "in.parquet")])):
        for output in ("in.parquet", "link.parquet"):
            with pytest.raises(ValueError, match="is part of the table that is read"):
                model.predict_table(source, tmp_path / output)
    assert pyarrow.parquet.read_table(tmp_path / "in.parquet").equals(mixed_table())


@pytest.mark.parametrize(
    ("output", "columns", "error", "words"),
    [
        ("out.xlsx", None, ValueError, "must end in .parquet, .arrow, .feather, .csv"),
        ("none/out.csv", None, FileNotFoundError, "There is no directory"),
        ("folder.csv", None, IsADirectoryError, "is a directory"),
        ("out.csv", "id", TypeError, "must be a list"),
        ("out.csv", ["id", "ID"], ValueError, "no columns 'ID' to hand on"),
        ("out.csv", ["id", "id"], ValueError, "several columns named 'id'"),
        ("out.csv", ["id", "score"], ValueError, "named as those that are added: 'score'"),
        ("out.csv", None, ValueError, "named as those that are added: 'score'"),
        ("out.csv", ["tags"], ValueError, "'tags' holds .*CSV has no form for"),
    ],
)
def test_what_cannot_be_written(model, tmp_path, output, columns, error, words):
    (tmp_path / "folder.csv").mkdir()
    table = mixed_table()
    table = table.append_column("score", table["amount"]).append_column("tags", pa.array([[1]] * 300))
    with pytest.raises(error, match=words):
        model.predict_table(table, tmp_path / output, columns=columns)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.csv"]


def test_files_for_a_cluster_are_refused(model, tmp_path):
    with pytest.raises(TypeError, match="give it the files of ClusterFiles themselves"):
        model.predict_table(ClusterFiles("a.parquet"), tmp_path / "out.parquet")


def test_dask_frames_have_their_own_way(model, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    table = mixed_table(60, seed=9).select(["amount", "count"])
    model = FastBoxesClassifier(n_boxes=1).fit(table, labels_of(mixed_table(60, seed=9)))
    frame = dd.from_pandas(table.to_pandas(), npartitions=3)
    with pytest.raises(TypeError, match=r"map_partitions\(model.predict\)"):
        model.predict_table(frame, tmp_path / "out.parquet")
    assert frame.map_partitions(model.predict).compute().tolist() == model.predict(table).tolist()


def test_no_more_in_memory_than_the_limit_allows(monkeypatch):
    batch = pa.RecordBatch.from_pydict({"a": np.zeros(100)})
    tables = list(predict.grouped([batch] * 10, 10_000, 2 * batch.nbytes))
    assert [table.num_rows for table in tables] == [200] * 5
    assert [table.num_rows for table in predict.grouped([batch] * 5, 250, 10**9)] == [300, 200]


@pytest.mark.parametrize("learner", [SparseBoxesClassifier, ScoredBoxesClassifier])
def test_risk_and_points(learner, small_batches, tmp_path):
    table = mixed_table()
    model = learner(cv=2).fit(table.select(FEATURES), labels_of(table))
    done = model.predict_table(table, tmp_path / "out.parquet", columns=["id"])
    out = pyarrow.parquet.read_table(done.output)
    points = ["points"] * (learner is ScoredBoxesClassifier)
    assert out.column_names == ["id", "prediction", "score", *points, "risk", "reasons" if points else "box"]
    positive = [*model.classes_].index(model.pos_label_)
    assert out["risk"].to_pylist() == model.predict_proba(table.select(FEATURES))[:, positive].tolist()
    assert out["score"].to_pylist() == model.decision_function(table.select(FEATURES)).tolist()
    if points:
        assert out["points"].to_pylist() == model.scorecard_.score(table.select(FEATURES)).tolist()
        boxes = model.explain(table.select(FEATURES))["boxes"].to_pylist()
        assert out["reasons"].to_pylist() == [text.replace(",", "") for text in boxes]
    restored = BoxSetClassifier(model._shown_boxes(), classes=("good", "bad"))
    restored.predict_table(table, tmp_path / "plain.parquet", columns=[])
    assert pyarrow.parquet.read_table(tmp_path / "plain.parquet").column_names == ["prediction", "score", "box"]


def test_predictions_do_not_take_turns(by_colour, tmp_path):
    """Two threads are in the midst of a batch at the same time; either of them has its warning of new categories."""
    both = threading.Barrier(2, timeout=600)

    class Waiting(FastBoxesClassifier):
        def decision_function(self, X):
            both.wait()
            return super().decision_function(X)

    waiting = Waiting()
    vars(waiting).update(vars(by_colour))
    table = mixed_table(40).set_column(3, "colour", pa.array(["violet"] * 40))
    with warnings.catch_warnings(record=True) as caught, ThreadPoolExecutor(2) as pool:
        warnings.simplefilter("always")
        outs = [tmp_path / f"{name}.parquet" for name in "ab"]
        done = list(pool.map(lambda out: waiting.predict_table(table, out), outs))
    assert [one.rows for one in done] == [40, 40]
    assert ["'violet'" in str(one.message) for one in caught] == [True, True]
    assert pyarrow.parquet.read_table(outs[0]).equals(pyarrow.parquet.read_table(outs[1]))


@pytest.mark.parametrize("model", [SparseBoxesClassifier(cv=2), ScoredBoxesClassifier(cv=2), FastBoxesClassifier()])
@pytest.mark.filterwarnings("ignore::boxdraw.CautionWarning")
def test_the_box_table_of_a_stored_table(tmp_path, model):
    frame = make_frame(2, 900)
    X = frame.drop(columns=["label", "weight"])
    model.fit(X, frame["label"])
    paths = [str(tmp_path / f"{k}.parquet") for k in range(3)]
    for k, path in enumerate(paths):
        pyarrow.parquet.write_table(pa.Table.from_pandas(frame[k::3]), path, row_group_size=70)
    expected = model.box_table(X, frame["label"], frame["weight"])
    pd.testing.assert_frame_equal(model.box_table(paths, "label", "weight"), expected)
    pd.testing.assert_frame_equal(model.box_table(tmp_path, "label"), model.box_table(X, frame["label"]))
    with pytest.raises(ValueError, match='no column "nothing"'):
        model.box_table(paths, "nothing")

"""Reading stored tables."""

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw._core.progress import RowsProgress
from boxdraw.model.rows import MISSING, places_of
from boxdraw.tables.arrow import ArrowReader
from boxdraw.tables.columns import distinct
from boxdraw.tables.source import open_dataset


def test_parquet_files_are_read_in_the_order_of_their_rows(tmp_path):
    for k in range(3):
        table = pa.table({"a": np.arange(k * 100, k * 100 + 100), "b": ["x"] * 100})
        pyarrow.parquet.write_table(table, tmp_path / f"{k}.parquet", row_group_size=30)
    whole = ds.dataset([str(tmp_path / f"{k}.parquet") for k in (2, 0, 1)])
    for dataset in (whole, whole.filter(ds.field("a") >= 0)):
        batches = list(ArrowReader(dataset, 2**30, None, RowsProgress("", False)).batches(["a"]))
        rows = np.concatenate([batch.column("a") for batch in batches])
        assert rows.tolist() == [*range(200, 300), *range(100), *range(100, 200)]
        assert all(batch.schema.names == ["a"] for batch in batches)


def test_partitions_have_columns_in_their_paths(tmp_path):
    ds.write_dataset(
        pa.table({"a": [1, 2, 3], "day": ["x", "y", "x"]}), tmp_path, format="parquet", partitioning=["day"]
    )
    dataset = ds.dataset(tmp_path, format="parquet", partitioning=["day"])
    batches = list(ArrowReader(dataset, 2**30, None, RowsProgress("", False)).batches(["a", "day"]))
    assert pa.Table.from_batches(batches).sort_by("a").to_pydict() == {"a": [1, 2, 3], "day": ["x", "y", "x"]}


@pytest.mark.parametrize(
    ("first", "later", "kind"),
    [("", "3", "int64"), ("", "2.5", "double"), ("1", "2.5", "double"), ("1", "x", "string"), ("", "", "null")],
)
def test_types_of_csv_files_suit_every_row(tmp_path, first, later, kind):
    rows = [first] * 200_000 + [later] * 3  # Arrow looks at the first megabyte
    (tmp_path / "data.csv").write_text("number,x\n" + "".join(f"123456,{text}\n" for text in rows))
    assert str(open_dataset(tmp_path / "data.csv").schema.field("x").type) == kind


VALUES = {
    pa.string(): st.sampled_from(["a", "b", "", "1", None]),
    pa.large_string(): st.sampled_from(["a", "b", None]),
    pa.bool_(): st.sampled_from([True, False, None]),
    pa.int64(): st.sampled_from([0, 1, 7, None]),
    pa.float64(): st.sampled_from([0.0, -0.0, 1.0, float("nan"), None]),
}


@settings(max_examples=100, deadline=None)
@given(data=st.data(), kind=st.sampled_from(list(VALUES)), coded=st.booleans())
def test_places_of_arrow_columns(data, kind, coded):
    chunks = data.draw(st.lists(st.lists(VALUES[kind], max_size=5), max_size=3))
    known = tuple(data.draw(st.lists(st.sampled_from(["a", "1", True, 0, 7, 1.0]), max_size=3, unique=True)))
    column = pa.chunked_array([pa.array(chunk, kind) for chunk in chunks], kind)
    plain = places_of(np.array([*(value for chunk in chunks for value in chunk), None], dtype=object)[:-1], known)
    assert places_of(column.dictionary_encode() if coded else column, known).tolist() == plain.tolist()


@pytest.mark.parametrize("gap", [[], [None]])
def test_as_many_categories_as_a_byte_holds(gap):
    texts = [f"c{i}" for i in range(128)]
    column = pa.DictionaryArray.from_arrays(pa.array([*range(128), *gap], pa.int8()), pa.array(texts))
    expected = [*range(128), *([MISSING] if gap else [])]
    assert places_of(pa.chunked_array([column]), tuple(texts)).tolist() == expected
    values, place = distinct(column)
    assert [values[k] for k in place] == [*texts, *gap]


def test_columns_in_the_names_of_folders(tmp_path):
    for region in ("north", "south"):
        (tmp_path / f"region={region}").mkdir()
        pyarrow.parquet.write_table(
            pa.table({"x": [1.0, 2.0], "label": [0, 1]}), tmp_path / f"region={region}/a.parquet"
        )
    with pytest.warns(UserWarning, match="names of folders have are not read: 'region'. For a table with them, pass"):
        assert open_dataset(tmp_path).schema.names == ["x", "label"]
    whole = ds.dataset(tmp_path, partitioning="hive")
    assert open_dataset(whole).schema.names == ["x", "label", "region"]

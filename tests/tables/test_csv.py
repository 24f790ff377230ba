"""CSV and Parquet files: what is read from them, and what is wrong with them."""

import gzip
import io
import sys

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxdraw.cli.errors import one_line
from boxdraw.cli.output import Output, write_tables
from boxdraw.tables.csv import CsvForm
from boxdraw.tables.errors import TableError
from boxdraw.tables.source import file_of, open_dataset, open_file


def table_of(file):
    return pa.concat_tables([file.schema.empty_table(), *file.tables()])


def verbatim(file):
    return pa.concat_tables([file.verbatim_schema.empty_table(), *file.verbatim()])


def read(text, texts=(), **form):
    return table_of(file_of("data.csv", text.encode(), CsvForm(**form), texts))


def loaded(tmp_path, content, **form):
    path = tmp_path / "given"
    path.write_bytes(content)
    return open_file(str(path), CsvForm(**form))


def write_table(table, output, delimiter=","):
    write_tables(table.schema, [table], output, delimiter)


# what CSV means


def test_kinds_of_columns():
    table = read("number,whole,flag,text,day\n1.5,1,true,a,2024-01-31\n-2e3,0,False,7 b,2024-02-01\n")
    assert [str(kind) for kind in table.schema.types] == ["double", "int64", "bool", "string", "date32[day]"]


def test_empty_fields_are_missing_in_every_kind_of_column():
    table = read('a,b,c,d\n1,x,true,\n,,,\n"","","",""\n')
    assert table.to_pydict() == {
        "a": [1, None, None],
        "b": ["x", None, None],
        "c": [True, None, None],
        "d": [None, None, None],
    }


@pytest.mark.parametrize("word", ["NA", "N/A", "NaN", "nan", "null", "NULL"])
def test_words_are_missing_numbers_but_stay_text(word):
    table = read(f"a,b,c\n1,x,true\n{word},{word},{word}\n")
    assert table.to_pydict() == {"a": [1, None], "b": ["x", word], "c": [True, None]}


def test_words_that_the_user_names_are_missing_everywhere():
    assert read("a,b\n1,x\n?,?\n", missing=("?",)).to_pydict() == {"a": [1, None], "b": ["x", None]}
    assert read("a,b\n1,x\n?,?\n").to_pydict() == {"a": ["1", "?"], "b": ["x", "?"]}


def test_text_keeps_its_zeros_and_numbers_do_not():
    assert read("zip,n\n007,1\n,2\n", texts=["zip", "not there"]).to_pydict() == {"zip": ["007", None], "n": [1, 2]}
    assert read("zip\n007\n").to_pydict() == {"zip": [7]}


def test_leading_zeros_are_found():
    text = "a,b,c,d,e,f\n007,10,0,0.5,x01,-01\n8,0,0,1,0,1\n"
    assert file_of("data.csv", text.encode()).leading_zeros(["a", "b", "c", "d", "e", "f"]) == ["a", "f"]
    assert file_of("data.csv", b"a,b\n1,x\n,01\n").leading_zeros(["a", "b"]) == []


def test_other_signs():
    table = read("a;b\n1,5;x\n", delimiter=";", decimal=",")
    assert table.to_pydict() == {"a": [1.5], "b": ["x"]}


@pytest.mark.parametrize("text", ["a,b\r\n1,x\r\n", "a,b\r1,x\r", "a,b\n\n1,x\n\n", "a,b\n1,x", "\ufeffa,b\n1,x\n"])
def test_line_ends_blank_lines_and_marks(text):
    assert read(text).to_pydict() == {"a": [1], "b": ["x"]}


def test_quotes_hold_commas_and_line_breaks():
    assert read('"a, b",c\n"x\ny","say ""hi"""\n').to_pydict() == {"a, b": ["x\ny"], "c": ['say "hi"']}


def test_types_are_found_far_below():
    rows = "".join(f"{i}\n" for i in range(300_000))
    assert str(read(f"a\n{rows}x\n").schema.types[0]) == "string"


# files that are not as they should be


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "given is empty: it must have a line with the column names"),
        (b"\xef\xbb\xbf\n \n", "is empty"),
        (b"a,b\n1,2\n3\n", "line 3: 1 fields, but 2 column names in the first line; correct the line"),
        (b"a,b\n1,2\n\n\n3,4,5\n6,7\n", "line 5: 3 fields, but 2"),
        (b'a,b\n1,"2\n3,4\n5,6\n', "line 2: a quote is opened there and never closed"),
        (b"a,b,a,b\n1,2,3,4\n", "has several columns named 'a', 'b'; give each its own name"),
        (b"a,b\n1,caf\xe9\n", "line 2 has a byte that does not fit; name its encoding, for example --encoding cp1252"),
        (b"caf\xe9,b\n1,2\n", "is not written in utf-8: line 1"),
        ("a,b\n1,2\n".encode("utf-16"), "--encoding utf-16"),
        (b"PK\x03\x04....", "looks like an Excel workbook or a zip archive: save the sheet as CSV, or unpack"),
        (b"PAR1 and no more", "is a damaged Parquet file"),
        (b"\x1f\x8b and no more", "is packed with gzip and damaged"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0)[:-9], "is packed with gzip and damaged"),
    ],
)
def test_one_clear_error(tmp_path, content, message):
    with pytest.raises(TableError) as caught:
        table_of(loaded(tmp_path, content))
    assert message in one_line(caught.value)


def test_a_quote_that_is_not_closed():
    with pytest.raises(TableError, match=r"data.csv, line 3: .* is a quote not closed\?"):
        read('a,b\n1,2\n"3,4\n5,6\n7,8\n')


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8-sig"])
def test_other_encodings(tmp_path, encoding):
    file = loaded(tmp_path, "größe,b\n1,né\n".encode(encoding), encoding=encoding)
    assert table_of(file).to_pydict() == {"größe": [1], "b": ["né"]}


def test_no_rows_are_a_table():
    assert read("a,b\n").to_pydict() == {"a": [], "b": []}


def test_packed_files(tmp_path):
    assert table_of(loaded(tmp_path, gzip.compress(b"a,b\n1,2\n"))).to_pydict() == {"a": [1], "b": [2]}


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a\n1\n")))
    file = open_file("-")
    assert file.name == "standard input"
    assert table_of(file).to_pydict() == {"a": [1]}


# Parquet


def parquet(table):
    file = io.BytesIO()
    pyarrow.parquet.write_table(table, file)
    return file_of("data.parquet", file.getvalue())


def test_parquet_keeps_its_types():
    table = pa.table({"a": [1, None], "b": pa.array(["x", "007"]).dictionary_encode(), "c": [True, None]})
    back = table_of(parquet(table))
    assert [str(kind) for kind in back.schema.types] == ["int64", "string", "bool"]
    assert back.to_pydict() == {"a": [1, None], "b": ["x", "007"], "c": [True, None]}
    assert verbatim(parquet(table)).schema == table.schema
    assert parquet(table).leading_zeros(["a", "b", "c"]) == []


def test_parquet_with_repeated_names():
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(TableError, match="several columns named 'a'"):
        parquet(table)


# writing

texts = st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=6)


@given(st.lists(st.tuples(texts, texts), max_size=5), st.sampled_from([",", ";", "\t"]))
def test_what_is_handed_on_comes_out_as_it_was(tmp_path_factory, rows, delimiter):
    """A blank line of a CSV file is no row, so each row here has a field that is not empty."""
    columns = [[first for first, _ in rows], [second for _, second in rows], ["x"] * len(rows)]
    table = pa.table([pa.array(column, pa.string()) for column in columns], names=["a", 'b "b", b', "c"])
    path = tmp_path_factory.mktemp("out") / "out.csv"
    write_table(table, Output(str(path)), delimiter)
    file = file_of("out.csv", path.read_bytes(), CsvForm(delimiter=delimiter))
    assert verbatim(file).to_pydict() == table.to_pydict()


def test_values_are_written_to_be_read_back(tmp_path):
    table = pa.table(
        {"a": [0.1 + 0.2, None, 1e300], "b": [True, None, False], "c": [1, None, -3], "d": ["NA", None, "x"]}
    )
    for name in ("out.csv", "out.parquet", "OUT2.PARQUET"):
        path = tmp_path / name
        write_table(table, Output(str(path)))
        assert path.read_bytes().startswith(b"PAR1") == (name != "out.csv")
        back = table_of(open_file(str(path)))
        assert back.equals(table)


def test_what_has_no_form_in_csv_is_refused(tmp_path):
    with pytest.raises(
        ValueError, match=r"Column 'a' holds list<.*>, which CSV has no form for; write a .parquet file"
    ):
        write_table(pa.table({"a": [[1, 2]]}), Output(str(tmp_path / "out.csv")))
    assert list(tmp_path.iterdir()) == []


def test_a_lonely_quote_within_a_field_is_text():
    assert read('a,b\n1,5" pipe\n2,x\n').to_pydict() == {"a": [1, 2], "b": ['5" pipe', "x"]}
    assert read('a,b\n1,5" pipe\n2,"x\ny"\n3,z\n').num_rows == 3


def test_an_open_quote_far_above_the_end():
    rows = "1,x\n" * 800_000
    with pytest.raises(TableError, match="line 3: a quote is opened there and never closed"):
        read(f'a,b\n1,x\n1,"x\n{rows}')


def test_a_row_of_several_megabytes():
    text = "x" * 3_000_000
    assert read(f"a,b\n1,{text}\n2,y\n").to_pydict() == {"a": [1, 2], "b": [text, "y"]}


# what fuzzing found


def test_a_packed_file_with_damage_inside(tmp_path):
    packed = bytearray(gzip.compress(b"a,b\n" + b"1,2\n" * 500))
    packed[10] = 7  # a block of no type
    with pytest.raises(TableError, match="packed with gzip and damaged"):
        loaded(tmp_path, bytes(packed))


@pytest.mark.parametrize(
    ("encoding", "content"), [("undefined", b"a\n1\n"), ("utf-7", b"a\n+2AA-\n"), ("punycode", b"a-\xff\n")]
)
def test_encodings_that_end_in_other_errors(tmp_path, encoding, content):
    with pytest.raises(TableError, match="is not written in"):
        loaded(tmp_path, content, encoding=encoding)


def test_only_one_mark_at_the_start_is_skipped(tmp_path):
    mark = "\ufeff".encode()
    for encoding in ("utf-8", "utf-8-sig"):
        assert table_of(loaded(tmp_path, mark + b"a\n1\n", encoding=encoding)).column_names == ["a"]
        assert table_of(loaded(tmp_path, 2 * mark + b"a\n1\n", encoding=encoding)).column_names == ["\ufeffa"]


def test_names_that_no_column_can_have():
    assert read("a\n1\n", texts=["\ud800", "a"]).to_pydict() == {"a": ["1"]}


def test_text_of_parquet_that_is_not_in_utf8(tmp_path):
    pa.parquet.write_table(pa.table({"a": ["zzzz"]}), tmp_path / "t", compression="none", use_dictionary=False)
    content = (tmp_path / "t").read_bytes()
    file = file_of("t", content.replace(b"zzzz", b"z\xff\xffz"))
    with pytest.raises(TableError, match="t is a damaged Parquet file"):
        table_of(file)


def test_the_threads_of_arrow_hold_nothing_of_pythons():
    # What they let go of while Python is ending would abort the process, after all its work is done.
    packed = io.BytesIO()
    pyarrow.parquet.write_table(pa.table({"a": [1, 2]}), packed)
    for content in (b"a\n1\n2\n", packed.getvalue()):
        alone = sys.getrefcount(content)
        file = file_of("data", content)
        assert sys.getrefcount(content) == alone
        assert table_of(file).to_pydict() == {"a": [1, 2]}


@pytest.mark.parametrize(
    "name", ["_hidden.csv", ".hidden.csv", "a:b.csv", "file:x.csv", "größe 1%20.csv", "no ending", "\udcff.csv"]
)
def test_names_of_files(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("a\n1\n")
    assert table_of(open_file(name)).to_pydict() == {"a": [1]}
    with open(name, "wb") as file:
        pyarrow.parquet.write_table(pa.table({"a": [1]}), file)
    assert table_of(open_file(name)).to_pydict() == {"a": [1]}


def test_folders_of_csv_files_have_line_breaks_and_long_rows_too(tmp_path):
    """What holds for one file on the command line holds for the files of ``fit_table``."""
    text = "x" * 3_000_000
    (tmp_path / "1.csv").write_text(f'a,b\n1,"two\nlines"\n,{text}\n')
    (tmp_path / "2.csv").write_text("a,b\n2.5,\n")
    table = open_dataset(tmp_path).to_table()
    assert table.schema.types == [pa.float64(), pa.string()]
    assert table.to_pydict() == {"a": [1.0, None, 2.5], "b": ["two\nlines", text, ""]}

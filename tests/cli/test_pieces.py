"""Commands say and write the same however a table is cut into the pieces that are read at once."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw import BoxSet
from boxdraw.cli.main import main
from boxdraw.learners.fast import fast_boxes, sources
from boxdraw.model.file import Model, model_to_json
from boxdraw.tables import csv, source, stored, training
from boxdraw.tables.csv import CsvForm
from boxdraw.tables.source import file_of

from .conftest import INF


def mixed_table(n_rows=90, seed=0):
    """Return rows with an account, numbers, texts, truth values, gaps, weights and labels."""
    rng = np.random.default_rng(seed)
    amount, hour = rng.integers(1, 400, n_rows), rng.integers(0, 24, n_rows)
    fraud = (amount > 250) & (hour < 8)
    fraud[:3] = True

    def with_gaps(values):
        return pa.array(values, mask=rng.random(n_rows) < 0.1)

    return pa.table(
        {
            "account": [f"{i:04d}" for i in range(n_rows)],
            "amount": with_gaps(amount + 0.5),
            "hour": with_gaps(hour),
            "zip": rng.integers(1, 4, n_rows),
            "colour": with_gaps(rng.choice(["red", "green", "NA"], n_rows)),
            "known": with_gaps(rng.random(n_rows) < 0.5),
            "nothing": pa.nulls(n_rows),
            "weight": rng.random(n_rows).round(3),
            "fraud": np.where(fraud, "yes", "no"),
        }
    )


def write_csv(table, name, delimiter=",", decimal="."):
    lines = [delimiter.join(table.column_names)]
    for row in table.to_pylist():
        texts = ["" if value is None else str(value).replace("True", "true") for value in row.values()]
        texts = [
            text.replace(".", decimal) if isinstance(value, float) else text
            for text, value in zip(texts, row.values(), strict=True)
        ]
        lines.append(delimiter.join(texts))
    Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def pieces(monkeypatch):
    """Read few rows at a time."""
    monkeypatch.setattr(csv, "_BLOCK", 300)
    monkeypatch.setattr(source, "_ROWS", 7)


@pytest.fixture
def both(run, monkeypatch):
    """Run a command with many pieces and with one; compare what is said and written; return what is said."""

    def files():
        return {path.name: path.read_bytes() for path in Path().iterdir() if path.suffix in (".json", ".csv", ".md")}

    def tables():
        return {path.name: pyarrow.parquet.read_table(path) for path in Path().glob("out*.parquet")}

    def call(*arguments):
        before = set(Path().iterdir())
        with monkeypatch.context() as patch:
            patch.setattr(csv, "_BLOCK", 300)
            patch.setattr(source, "_ROWS", 7)
            piecewise = run(*arguments)
        written = files(), tables()
        for path in set(Path().iterdir()) - before:
            path.unlink()
        assert piecewise == run(*arguments)
        assert written[0] == files()
        assert written[1].keys() == tables().keys()
        for name, table in tables().items():
            assert table.schema == written[1][name].schema
            assert table.to_pylist() == written[1][name].to_pylist()
        return piecewise

    return call


@pytest.fixture(params=["csv", "parquet"])
def data(request, folder):
    """Write the table; return its name."""
    if request.param == "csv":
        write_csv(mixed_table(), "data.csv")
    else:
        pyarrow.parquet.write_table(mixed_table(), "data.parquet", row_group_size=13)
    return f"data.{request.param}"


FEW = ("--method", "fast", "--max-boxes", 2)


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--drop", "account", "--categorical", "zip", "--weight", "weight"),
        ("--drop", "account,nothing", "--positive", "no", "--json"),
        ("--drop", "account", "--quiet"),
    ],
)
def test_fit(both, data, options):
    result = both("fit", data, "--target", "fraud", *FEW, *options)
    assert result.code == 0, result
    assert ("has no values" in result.err) == ("--json" not in options and "--quiet" not in options)


def test_fit_in_passes(both, data, monkeypatch):
    """Of tables that are too large to be learned from as a whole."""
    for module in (fast_boxes, sources, training, stored):
        monkeypatch.setattr(module, "LARGE", 200)
    options = ("--weight", "weight", "--drop", "account", "--categorical", "zip")
    result = both("fit", data, "--target", "fraud", *FEW, *options)
    assert result.code == 0, result


def test_fit_says_what_is_odd(both, folder):
    write_csv(mixed_table(), "data.csv")
    err = both("fit", "data.csv", "--target", "fraud", *FEW).err
    assert 'column "account" has leading zeros' in err
    pyarrow.parquet.write_table(mixed_table(), "data.parquet")
    err = both("fit", "data.parquet", "--target", "fraud", *FEW, "--force").err
    assert 'column "account" is left out, as its 90 texts are all different' in err


def test_a_target_of_very_many_labels(fails, pieces, monkeypatch):
    """They are not all kept."""
    monkeypatch.setattr("boxdraw.tables.labelled._MANY", 20)
    write_csv(mixed_table(), "data.csv")
    words = 'column "account" has more than 20 different labels: make a column of two'
    fails("fit", "data.csv", "--target", "account", words=words)


def test_fit_without_some_labels(both, data):
    table = mixed_table()
    labels = pa.array(table["fraud"].to_pylist(), mask=np.arange(90) % 7 == 5)
    table = table.set_column(table.column_names.index("fraud"), "fraud", labels)
    write_csv(table, data) if data.endswith("csv") else pyarrow.parquet.write_table(table, data, row_group_size=11)
    assert both("fit", data, "--target", "fraud", *FEW, "--skip-unlabelled", "--drop", "account").code == 0
    assert "in 13 of 90 rows, first in row 6 below" in both("fit", data, "--target", "fraud", "--force").err
    assert both("rules", "model.json", "--data", data, "--skip-unlabelled").code == 0
    assert "in 13 of 90 rows, first in row 6 below" in both("rules", "model.json", "--data", data).err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--target", "frad"), 'no column "frad"; did you mean "fraud"'),
        (("--target", "fraud", "--weight", "no"), 'no column "no"'),
        (("--target", "fraud", "--drop", "nobody"), 'no column "nobody"'),
        (("--target", "zip"), "has 3 different labels (1, 2, 3): make a column of two"),
        (("--target", "nothing"), "is empty: it must have a label in each row"),
        (("--target", "fraud", "--positive", "maybe"), 'has no label "maybe"; its labels are no, yes'),
        (("--target", "fraud", "--weight", "colour"), "must be numbers, one in each row"),
        (("--target", "fraud", "--drop", "account,amount,hour,zip,colour,known,weight"), "has any values"),
    ],
)
def test_fit_fails_in_the_same_words(both, data, options, words):
    result = both("fit", data, *options)
    assert result.code == 1
    assert words in result.err


def test_values_that_boxes_do_not_take(both, folder):
    for column, words in (
        (pa.array([1.0, INF] * 45), "holds infinite values"),
        (pa.array([0] * 90, pa.date32()), "holds dates or times"),
    ):
        pyarrow.parquet.write_table(mixed_table().append_column("x", column), "data.parquet")
        assert words in both("fit", "data.parquet", "--target", "fraud").err
    pyarrow.parquet.write_table(mixed_table().append_column("x", pa.array([1.5] * 90)), "data.parquet")
    assert "has fractions" in both("fit", "data.parquet", "--target", "fraud", "--categorical", "x", "--quiet").err


def test_categories_are_the_same_from_numbers_of_any_type(both, folder):
    """Whole numbers come as decimals from databases, and as floats where some were missing."""
    table, saved = mixed_table().select(["amount", "zip", "fraud"]), []
    for kind in (pa.int64(), pa.float32(), pa.decimal128(19, 0), pa.decimal128(30, 2)):
        pyarrow.parquet.write_table(table.set_column(1, "zip", table["zip"].cast(kind)), "data.parquet")
        assert both("fit", "data.parquet", "--target", "fraud", *FEW, "--categorical", "zip", "--force").code == 0
        saved.append(json.loads(Path("model.json").read_text(encoding="utf-8")))
        assert both("predict", "model.json", "data.parquet", "-o", "flagged.csv", "--force").code == 0
    assert {"name": "zip", "kind": "categorical", "categories": ["1", "2", "3"]} in saved[0]["boxes"]["features"]
    assert all(model["boxes"] == saved[0]["boxes"] for model in saved)
    fractions = pa.array([1.25] * 90).cast(pa.decimal128(9, 2))
    pyarrow.parquet.write_table(table.set_column(1, "zip", fractions), "data.parquet")
    assert "has fractions" in both("fit", "data.parquet", "--target", "fraud", "--categorical", "zip", "--force").err


def test_other_signs(both, folder):
    write_csv(mixed_table(), "data.csv", ";", ",")
    options = ("--delimiter", ";", "--decimal", ",", "--missing", "green")
    assert both("fit", "data.csv", "--target", "fraud", *FEW, "--drop", "account", *options).code == 0
    assert both("rules", "model.json", "--data", "data.csv", *options).code == 0
    assert both("predict", "model.json", "data.csv", *options).code == 0


def test_texts_with_line_breaks_and_a_mark_at_the_start(both, folder, model):
    rows = "".join(f'{i},{i % 24},"two\nlines {i}, with ""signs"""\n' for i in range(60))
    Path("new.csv").write_text("\ufeffamount,hour,text\n" + rows, encoding="utf-8")
    assert both("predict", model, "new.csv", "-o", "out.csv").code == 0
    assert both("predict", model, "new.csv", "-o", "out.parquet").code == 0


def mixed_model():
    boxes = BoxSet(
        [[250, -INF, -INF, -INF], [-INF, 20, -INF, -INF]],
        [[INF, 8, INF, INF], [100, INF, INF, INF]],
        feature_names=["amount", "hour", "colour", "zip"],
        allowed={"colour": [None, {"red", "blue"}], "zip": [{"1", "2"}, None]},
        missing=[[False, True, False, False], [False, False, True, False]],
    )
    return Model(boxes, "fraud", ("no", "yes"))


@pytest.fixture
def mixed(folder):
    Path("mixed.json").write_text(model_to_json(mixed_model()), encoding="utf-8")
    return "mixed.json"


@pytest.mark.parametrize("options", [(), ("--only-flagged",), ("-o", "out.csv"), ("-o", "out.parquet", "--json")])
def test_predict(both, mixed, data, options):
    result = both("predict", mixed, data, *options)
    assert result.code == 0, result
    if "--json" in options:
        assert 0 < json.loads(result.out)["flagged"] < json.loads(result.out)["rows"] == 90
    else:
        assert 'column "colour" has categories that were not there in training' in result.err
        assert "green, NA" in result.err or "NA, green" in result.err


def test_predict_fails_in_the_same_words(both, mixed, model, data):
    table = mixed_table()

    def failure(changed):
        write_csv(changed, data) if data.endswith("csv") else pyarrow.parquet.write_table(changed, data)
        return both("predict", mixed, data, "-o", "out.csv").err

    assert 'has no column "hour"' in failure(table.drop_columns(["hour"]))
    assert 'has a column "box" already' in failure(table.append_column("box", table["hour"]))
    texts = pa.array(["7"] * 50 + ["noon"] + ["8"] * 39)
    assert 'row 51 below the names has "noon"' in failure(table.set_column(2, "hour", texts))
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("options", [(), ("--weight", "weight"), ("--json",), ("--format", "csv")])
def test_rules(both, mixed, data, options):
    result = both("rules", mixed, "--data", data, *options)
    assert result.code == 0, result
    assert "Categories that were not seen in training" in result.err
    assert result.out.count("250") >= 1


def test_rules_fail_in_the_same_words(both, mixed, data):
    assert "labels that the model does not know: 1, 2, 3" in both("rules", mixed, "--data", data, "--target", "zip").err
    assert 'no column "no"' in both("rules", mixed, "--data", data, "--target", "no").err
    assert 'no column "no"' in both("rules", mixed, "--data", data, "--weight", "no").err


def test_a_scorecard(both, data, capsys):
    both_ways = ("--target", "fraud", "--method", "scored", "--max-limits", 1, "--drop", "account")
    assert main([*map(str, ("fit", data, *both_ways, "--quiet"))]) == 0
    capsys.readouterr()  # a caution: there are few positives
    assert both("predict", "model.json", data).code == 0


def test_no_rows(both, mixed, data):
    empty = mixed_table().slice(0, 0)
    write_csv(empty, data) if data.endswith("csv") else pyarrow.parquet.write_table(empty, data)
    assert both("predict", mixed, data).code == 0
    assert both("predict", mixed, data, "-o", "out.parquet").code == 0
    assert "has column names but no rows" in both("fit", data, "--target", "fraud").err
    assert "has column names but no rows" in both("rules", mixed, "--data", data).err


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"amount,hour\n" + b"1,2\n" * 100 + b"1\n" + b"1,2\n" * 100, "line 102: 1 fields, but 2 column names"),
        (b"amount,hour\n" + b"1,2\n" * 100 + b"1,\xe9\n", "is not written in utf-8: line 102 has a byte"),
        (b"amount,amount\n" + b"1,2\n" * 100, "several columns named 'amount'"),
    ],
)
def test_damaged_files(both, model, content, words):
    Path("new.csv").write_bytes(content)
    assert words in both("predict", model, "new.csv", "-o", "out.csv").err


def test_a_damaged_parquet_file(fails, model, folder):
    pyarrow.parquet.write_table(mixed_table(), "new.parquet")
    content = Path("new.parquet").read_bytes()
    Path("new.parquet").write_bytes(content[: len(content) // 2])
    fails("predict", model, "new.parquet", "-o", "out.csv", words="new.parquet is a damaged Parquet file")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"amount,hour\n" + b"1,2\n" * 100 + b'1,"2\n3,4\n', "line 102: a quote is opened there and never closed"),
        (b"amount,hour,text\n" + b"1,2," + b"x" * 1000 + b"\n", "0 of 1 rows are flagged"),
    ],
)
def test_open_quotes_and_long_rows(both, model, content, words):
    Path("new.csv").write_bytes(content)
    assert words in both("predict", model, "new.csv", "-o", "out.csv").err


def test_an_unknown_encoding(fails, data):
    fails("fit", data, "--target", "fraud", "--encoding", "klingon", code=2, words="--encoding klingon is not known")


def test_weights_do_not_choose_the_positive_label(both, data):
    table = mixed_table()
    weight = np.where(np.asarray(table["fraud"]) == "yes", 100.0, 0.5)
    table = table.set_column(table.column_names.index("weight"), "weight", pa.array(weight))
    write_csv(table, data) if data.endswith("csv") else pyarrow.parquet.write_table(table, data)
    assert both("fit", data, "--target", "fraud", *FEW, "--weight", "weight", "--quiet").code == 0
    assert json.loads(Path("model.json").read_text())["classes"] == ["no", "yes"]


FIELDS = st.sampled_from(
    [
        "",
        "1",
        "-7",
        "2.5",
        "1e3",
        "NaN",
        "NA",
        "true",
        "x",
        "2024-01-01",
        "10:00:00",
        "2024-01-01T10:00:00",
        "2024-01-01T10:00:00.123",
        "2024-01-01T10:00Z",
        "0",
        "007",
        "9" * 30,
    ]
)


@settings(max_examples=60, deadline=None)
@given(first=FIELDS, rows=st.lists(FIELDS, min_size=1, max_size=4), missing=st.sampled_from([(), ("x",)]))
def test_types_are_found_as_by_arrow_from_the_whole(first, rows, missing):
    fields = [field for field in [first, *rows] for _ in range(12)]
    content = ("a,b\n" + "".join(f"{i},{field}\n" for i, field in enumerate(fields))).encode()
    form = CsvForm(missing=missing)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv, "_BLOCK", 128)
        found = file_of("data.csv", content, form)
        table = pa.concat_tables(found.tables())
    options = pyarrow.csv.ConvertOptions(null_values=[*csv.MISSING_NUMBERS, *missing])
    whole = pyarrow.csv.read_csv(pa.BufferReader(content), convert_options=options)
    whole = csv.with_missing_texts(whole, ["", *missing])
    assert table.schema == whole.schema
    # As texts, for a NaN is not equal to itself.
    assert str(table.to_pydict()) == str(whole.to_pydict())


def test_progress_of_passes(monkeypatch):
    from boxdraw.cli import show

    pytest.importorskip("rich")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with show.rows_progress(quiet=False) as tell:
        for done in (10, 20):
            tell("first", done, None)
        for _ in range(2):
            for done in (5, 20):
                tell("second", done, 20)
        (task,) = tell._bar.tasks
        assert (task.description, task.completed, task.total) == ("second", 1, 1)
        assert task.fields["speed"].endswith(" rows/s")

"""boxdraw predict."""

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw import BoxSet
from boxdraw.cli.main import main
from boxdraw.model.file import Model, model_to_json

from .conftest import INF, small_model

NEW = 'id,amount,hour,text\n0007,300.50,3,"a, b"\n0008,5,23,\n0009,100,12,né\n0010,,3,x\n'
EXPECTED = (
    "id,amount,hour,text,fraud_predicted,box\n"
    '0007,300.50,3,"a, b",yes,1\n'
    "0008,5,23,,yes,2\n"
    "0009,100,12,né,no,\n"
    "0010,,3,x,no,\n"
)


@pytest.fixture
def new(folder):
    Path("new.csv").write_text(NEW, encoding="utf-8")
    return "new.csv"


def saved(boxes, target="fraud", classes=("no", "yes")):
    Path("model.json").write_text(model_to_json(Model(boxes, target, classes)), encoding="utf-8")
    return "model.json"


def test_rows_come_out_as_they_were_with_a_label_and_a_box(run, model, new):
    assert run("predict", model, new) == (0, EXPECTED, "")


def test_to_a_file(run, model, new):
    result = run("predict", model, new, "-o", "out.csv")
    assert result == (0, "", "boxdraw: note: 2 of 4 rows are flagged; written to out.csv\n")
    assert Path("out.csv").read_text(encoding="utf-8") == EXPECTED
    assert run("predict", model, new, "-o", "out.csv", "--force", "--quiet") == (0, "", "")


def test_machines_get_counts(run, model, new):
    result = run("predict", model, new, "-o", "out.csv", "--json")
    assert json.loads(result.out) == {"rows": 4, "flagged": 2, "output": "out.csv"}
    assert result.err == ""


def test_only_flagged(run, model, new):
    assert run("predict", model, new, "--only-flagged").out == "".join(EXPECTED.splitlines(keepends=True)[:3])


def test_why(run, model, new):
    rows = list(csv.DictReader(io.StringIO(run("predict", model, new, "--explain").out)))
    assert rows[0]["why"] == "amount ≥ 250 (has 300.5) and hour ≤ 8 (has 3)"
    assert "amount" in rows[3]["why"]
    assert "missing" in rows[3]["why"]


def test_from_standard_input(run, model, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(NEW.encode())))
    assert run("predict", model, "-") == (0, EXPECTED, "")


def test_the_model_from_standard_input(run, new, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(model_to_json(small_model()).encode())))
    assert run("predict", "-", new) == (0, EXPECTED, "")


def test_other_signs(run, model):
    Path("new.csv").write_text("hour;amount\n3;300,5\n3;200,5\n")
    result = run("predict", model, "new.csv", "--delimiter", ";", "--decimal", ",")
    assert result.out == "hour;amount;fraud_predicted;box\n3;300,5;yes;1\n3;200,5;no;\n"


def test_words_for_missing_values(run, fails, model):
    Path("new.csv").write_text("hour,amount\n3,300\n?,300\n")
    assert run("predict", model, "new.csv", "--missing", "?").out.splitlines()[2] == "?,300,no,"
    fails("predict", model, "new.csv", words='row 2 below the names has "?"')


def test_parquet_in_and_out(run, model):
    table = pa.table(
        {"amount": [300.5, None], "hour": [3, 3], "tags": [["a"], []], "day": pa.array([0, 1], pa.date32())}
    )
    pyarrow.parquet.write_table(table, "new.parquet")
    assert run("predict", model, "new.parquet", "-o", "out.parquet").code == 0
    out = pyarrow.parquet.read_table("out.parquet")
    assert out.drop_columns(["fraud_predicted", "box"]).equals(table)
    assert out["fraud_predicted"].to_pylist() == ["yes", "no"]
    assert out["box"].to_pylist() == [1, None]
    assert str(out.schema.field("box").type) == "int64"


def test_from_csv_to_parquet_with_types_but_without_losing_zeros(run, model, new):
    run("predict", model, new, "-o", "out.parquet")
    out = pyarrow.parquet.read_table("out.parquet").to_pydict()
    assert out["id"] == ["0007", "0008", "0009", "0010"]
    assert out["amount"] == [300.5, 5.0, 100.0, None]
    assert out["text"] == ["a, b", None, "né", "x"]


def test_no_rows(run, model):
    Path("new.csv").write_text("amount,hour\n")
    assert run("predict", model, "new.csv") == (0, "amount,hour,fraud_predicted,box\n", "")
    run("predict", model, "new.csv", "-o", "out.parquet")
    assert str(pyarrow.parquet.read_table("out.parquet").schema.field("fraud_predicted").type) == "string"


def test_labels_are_those_of_the_model(run, new):
    for classes, texts in (((0, 1), ["0", "1"]), ((False, True), ["false", "true"]), (("x", "a"), ["x", "a"])):
        saved(small_model().boxes, classes=classes)
        rows = list(csv.DictReader(io.StringIO(run("predict", "model.json", new).out)))
        assert [row["fraud_predicted"] for row in rows] == [texts[1], texts[1], texts[0], texts[0]]


def test_boxes_alone(run, new):
    small_model().boxes.to_json("boxes.json")
    rows = list(csv.DictReader(io.StringIO(run("predict", "boxes.json", new).out)))
    assert [(row["predicted"], row["box"]) for row in rows] == [("1", "1"), ("1", "2"), ("0", ""), ("0", "")]


def test_boxes_without_names_go_by_position(run):
    BoxSet([[250, -INF]], [[INF, 8]]).to_json("boxes.json")
    Path("new.csv").write_text("a,b\n300,3\n300,9\n")
    assert run("predict", "boxes.json", "new.csv").out == "a,b,predicted,box\n300,3,1,1\n300,9,0,\n"


def test_no_boxes(run, new):
    saved(small_model().boxes[:0])
    rows = list(csv.DictReader(io.StringIO(run("predict", "model.json", new, "--explain").out)))
    assert {(row["fraud_predicted"], row["box"]) for row in rows} == {("no", "")}


def regions(**limits):
    boxes = BoxSet.from_rules([], ["zip", "member"], {"zip": ["007", "08"], "member": [False, True]})
    return saved(boxes.add_box({}).replace(0, "zip", **limits))


def test_categories_keep_their_zeros_and_missing_ones_their_place(run):
    regions(categories={"007"}, missing=True)
    Path("new.csv").write_text("zip,member\n007,true\n7,true\n,false\n08,\n")
    result = run("predict", "model.json", "new.csv")
    rows = list(csv.DictReader(io.StringIO(result.out)))
    assert [row["box"] for row in rows] == ["1", "", "1", ""]
    assert result.err == 'boxdraw: note: column "zip" has categories that were not there in training, in 1 rows: 7\n'


def test_whole_numbers_are_categories_if_those_of_training_were(run, fails):
    boxes = BoxSet.from_rules([], ["zip"], {"zip": ["7", "8"]}).add_box({"zip": {"7"}})
    model = saved(boxes)
    for values in ([7, 8, None], [7.0, 8.0, None]):
        pyarrow.parquet.write_table(pa.table({"zip": values}), "new.parquet")
        rows = list(csv.DictReader(io.StringIO(run("predict", model, "new.parquet").out)))
        assert [row["box"] for row in rows] == ["1", "", ""]
    regions(categories={"007"})
    pyarrow.parquet.write_table(pa.table({"zip": [7], "member": [True]}), "new.parquet")
    fails("predict", model, "new.parquet", words='"zip" of new.parquet must hold text, as in training; it holds int64')


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("amount,hours\n1,2\n", ['new.csv has no column "hour"; did you mean "hours"?']),
        (
            "amount,hour\n1,2\n3,noon\n",
            ['column "hour" of new.csv must hold numbers', 'row 2 below the names has "noon"'],
        ),
        ("amount,hour\n1,2024-01-01\n", ["must hold numbers, as in training; it holds date32[day]"]),
        ("amount,hour,box\n1,2,3\n", ['has a column "box" already; rename it']),
        ("amount,hour,fraud_predicted\n1,2,3\n", ['has a column "fraud_predicted" already']),
        ("", ["new.csv is empty"]),
    ],
)
def test_one_clear_error(fails, model, text, words):
    Path("new.csv").write_text(text)
    fails("predict", model, "new.csv", "-o", "out.csv", words=words)
    assert not Path("out.csv").exists()


def test_truth_values_must_be_true_or_false(fails):
    regions(categories={"007"})
    Path("new.csv").write_text("zip,member\n007,maybe\n")
    fails("predict", "model.json", "new.csv", words='"member" of new.csv must hold true or false')


def test_what_is_checked_before_the_work(fails, model, new, monkeypatch):
    def no_work(*_):
        raise AssertionError("the work began")

    monkeypatch.setattr("boxdraw.cli.predict._write", no_work)
    Path("out.csv").write_text("old")
    fails("predict", model, new, "-o", "out.csv", words="out.csv exists; add --force")
    fails("predict", model, new, "-o", "no/out.csv", words="does not exist")
    fails("predict", model, new, "-o", new, "--force", words="one of the files that are read")
    fails("predict", model, new, "-o", "out.xlsx", code=2, words="the name must end in .csv or .parquet")
    fails("predict", model, new, "--json", code=2, words="give -o a file")
    fails("predict", "-", "-", code=2, words="cannot both come from standard input")
    assert Path("out.csv").read_text() == "old"


def test_the_arguments_the_wrong_way_round(fails, model, new):
    fails("predict", new, model, words="new.csv is not a model of boxdraw")


numbers = st.one_of(st.floats(allow_nan=False), st.integers(-(2**60), 2**60), st.none())


@settings(max_examples=30)
@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6))
def test_csv_and_the_library_agree(tmp_path_factory, rows):
    """What is flagged in a file of numbers is what `BoxSet.contains` flags."""
    folder = tmp_path_factory.mktemp("agree")
    with open(folder / "new.csv", "w", newline="") as file:
        csv.writer(file).writerows([("amount", "hour", "id"), *((a, b, "x") for a, b in rows)])
    model = small_model()
    (folder / "model.json").write_text(model_to_json(model), encoding="utf-8")
    assert main(["predict", str(folder / "model.json"), str(folder / "new.csv"), "-o", str(folder / "out.csv")]) == 0
    with open(folder / "out.csv", newline="") as file:
        labels = [row["fraud_predicted"] for row in csv.DictReader(file)]
    assert [label == "yes" for label in labels] == model.boxes.contains(rows).tolist()


def test_dates_in_a_column_of_texts_and_numbers(folder, fails):
    boxes = BoxSet([[-INF]], [[INF]], feature_names=["a"], allowed={"a": [{"x", 5}]})
    Path("model.json").write_text(boxes.to_json(), encoding="utf-8")
    pa.parquet.write_table(pa.table({"a": pa.array([2**52], pa.timestamp("us"))}), "data.parquet")
    fails("predict", "model.json", "data.parquet", words='column "a" of data.parquet must hold text or numbers')


def test_words_that_are_no_text(fails):
    Path("data.csv").write_text("a\n1\n")
    fails("predict", "model.json", "data.csv", "--missing", "\udcff", code=2, words="expected text")

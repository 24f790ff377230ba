"""Tables with text, truth values and missing values, from the first command to the last."""

import csv
import io
import json
import random
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from boxdraw.cli.options import load_model

FEW = ("--max-boxes", 2)


def payments(n_rows, seed):
    """Return rows of text as they stand in a file; payments from abroad without the card are fraud."""
    rng = random.Random(seed)
    rows = []
    for i in range(n_rows):
        country, card = rng.choice(["NL", "NL", "DE", "US"]), rng.choice(["true", "false"])
        fraud = country == "US" and card == "false"
        country, age = ("", "") if rng.random() < 0.05 else (country, str(rng.randint(18, 80)))
        row = [f"{i:05d}", f"{rng.lognormvariate(4, 1):.2f}", country, card, rng.choice(["007", "0110"]), age]
        rows.append([*row, "yes" if fraud else "no"])
    return rows


@pytest.fixture
def data(folder):
    header = ["id", "amount", "country", "card", "branch", "age", "fraud"]
    for name, n_rows, seed in (("data.csv", 400, 0), ("new.csv", 150, 1)):
        with open(name, "w", newline="") as file:
            csv.writer(file).writerows([header, *payments(n_rows, seed)])
    return "data.csv"


@pytest.fixture
def fitted(run, data):
    options = ("--drop", "id", "--categorical", "branch", *FEW)
    result = run("fit", data, "--target", "fraud", *options)
    assert result.code == 0, result.err
    assert result.err == ""
    return "model.json"


def test_columns_are_what_they_are_in_the_file(fitted):
    boxes = load_model(fitted).boxes
    assert dict(zip(boxes.feature_names, boxes.categories, strict=True)) == {
        "amount": None,
        "country": ("DE", "NL", "US"),
        "card": (False, True),
        "branch": ("007", "0110"),
        "age": None,
    }


def test_the_rule_is_found(run, fitted):
    figures = json.loads(run("rules", fitted, "--data", "new.csv", "--json").out)["any"]
    assert figures["recall"] > 0.8
    assert figures["lift"] > 3


def test_predictions_of_a_file_are_those_of_its_rules(run, fitted):
    out = run("predict", fitted, "new.csv").out
    rows = list(csv.DictReader(io.StringIO(out)))
    original = list(csv.DictReader(io.StringIO(Path("new.csv").read_text())))
    boxes = load_model(fitted).boxes
    assert [{name: row[name] for name in original[0]} for row in rows] == original
    for row in rows:
        values = [
            float(row["amount"]),
            row["country"] or None,
            row["card"] == "true",
            row["branch"],
            float(row["age"]) if row["age"] else None,
        ]
        assert (row["fraud_predicted"] == "yes") == boxes.contains([values]).item()
        assert (row["box"] != "") == (row["fraud_predicted"] == "yes")


def test_parquet_gives_the_same_answers(run, fitted):
    run("predict", fitted, "new.csv", "-o", "typed.parquet")
    import pyarrow.parquet as pq

    table = pq.read_table("typed.parquet")
    pq.write_table(table.drop_columns(["fraud_predicted", "box"]), "new.parquet")
    run("predict", fitted, "new.parquet", "-o", "again.parquet")
    assert pq.read_table("again.parquet").equals(table)


def test_parquet_trains_the_same_model(run, fitted):
    import pyarrow as pa
    import pyarrow.parquet as pq

    from boxdraw.tables.source import open_file

    pq.write_table(pa.concat_tables(open_file("data.csv", texts=["branch"]).tables()), "data.parquet")
    assert run("fit", "data.parquet", "--target", "fraud", "--drop", "id", *FEW, "-o", "other.json").code == 0
    assert load_model("other.json").boxes == load_model(fitted).boxes


def test_numbers_of_parquet_can_be_categories(run, data):
    import pyarrow as pa
    import pyarrow.parquet as pq

    from boxdraw.tables.source import open_file

    table = pa.concat_tables(open_file(data).tables())
    for kind in (pa.int64(), pa.float64()):
        typed = table.set_column(4, "branch", table["branch"].cast(kind))
        pq.write_table(typed, "data.parquet")
        options = ("--target", "fraud", "--drop", "id", "--categorical", "branch", *FEW, "--force")
        assert run("fit", "data.parquet", *options).code == 0
        assert load_model("model.json").boxes.categories[3] == ("110", "7")
        assert run("predict", "model.json", "data.parquet").code == 0


def test_columns_of_other_programs(run, data):
    """Decimals, short floats, categories of pandas, large strings, and a typed column without any value."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from boxdraw.tables.source import open_file

    table = pa.concat_tables(open_file(data, texts=["branch"]).tables()).drop_columns(["id"])
    odd = {
        "amount": table["amount"].cast(pa.decimal128(12, 2)),
        "country": table["country"].cast(pa.large_string()),
        "card": table["card"],
        "branch": table["branch"].dictionary_encode(),
        "age": table["age"].cast(pa.float32()),
        "gone": pa.array([float("nan")] * len(table), pa.float64()),
        "fraud": table["fraud"].dictionary_encode(),
    }
    pq.write_table(table, "plain.parquet")
    pq.write_table(pa.table(odd), "odd.parquet")
    run("fit", "plain.parquet", "--target", "fraud", *FEW, "-o", "plain.json")
    result = run("fit", "odd.parquet", "--target", "fraud", *FEW, "-o", "odd.json")
    assert result.err == 'boxdraw: note: column "gone" of odd.parquet has no values and is left out\n'
    assert load_model("odd.json").boxes == load_model("plain.json").boxes
    plain, odd = (
        json.loads(run("rules", "plain.json", "--data", f"{n}.parquet", "--json").out) for n in ("plain", "odd")
    )
    assert plain == odd


def test_evaluate(run, data):
    options = ("--drop", "id", "--categorical", "branch", "--max-boxes", 2, "--folds", 2)
    result = run("evaluate", data, "--target", "fraud", *options, "--json")
    assert result.code == 0
    # A half has so few frauds that the cost chosen on its folds may leave no box around all of it.
    assert all(line.startswith("boxdraw: warning: No row is flagged") for line in result.err.splitlines())
    for figures in json.loads(result.out)["models"].values():
        assert figures["auc"]["mean"] > 0.8


def test_exact(run, data):
    pytest.importorskip("ortools")
    options = ("--drop", "id,amount,age", "--method", "exact", "--max-boxes", 1, "--false-alarm-cost", 1)
    result = run("fit", data, "--target", "fraud", *options)
    assert result.code == 0, result.err
    assert "country" in load_model("model.json").boxes.to_text()


def test_why(run, fitted):
    rows = list(csv.DictReader(io.StringIO(run("predict", fitted, "new.csv", "--explain").out)))
    assert all(row["why"] for row in rows)


def test_a_new_country(run, fitted):
    text = Path("new.csv").read_text().replace(",DE,", ",FR,")
    Path("new.csv").write_text(text)
    result = run("predict", fitted, "new.csv", "-o", "out.csv", "--quiet")
    assert result == (0, "", "")
    if load_model(fitted).boxes.limited[:, 1].any():
        assert (
            'column "country" has categories that were not there in training' in run("predict", fitted, "new.csv").err
        )


@pytest.mark.skipif(not hasattr(pa, "string_view"), reason="pyarrow before 16")
def test_a_new_country_in_a_string_view(run, fitted):
    table = pyarrow.csv.read_csv(
        "new.csv", convert_options=pyarrow.csv.ConvertOptions(column_types={"branch": "string"})
    )
    place = table.column_names.index("country")
    country = pa.array(["FR" if value == "DE" else value for value in table["country"].to_pylist()])
    pyarrow.parquet.write_table(table.set_column(place, "country", country.cast(pa.string_view())), "new.parquet")
    assert load_model(fitted).boxes.limited[:, 1].any()
    result = run("predict", fitted, "new.parquet", "-o", "out.csv")
    assert result.code == 0, result.err
    assert 'column "country" has categories that were not there in training' in result.err
    assert "FR" in result.err


def test_a_column_of_names_is_pointed_out(run, data):
    text = Path(data).read_text().splitlines()
    named = [f"{line},{'name' if i == 0 else f'n{i}'}" for i, line in enumerate(text)]
    Path(data).write_text("\n".join(named))
    result = run("fit", data, "--target", "fraud", "--drop", "id", "--categorical", "branch", "--max-boxes", 1)
    assert 'column "name" is left out, as its 400 texts are all different' in result.err
    assert "--categorical 'name' takes it" in result.err
    assert "name" not in json.loads(Path("model.json").read_text())["boxes"]["features"]
    fit = ("fit", data, "--target", "fraud", "--drop", "id", "--max-boxes", 1, "--force")
    assert "left out" not in run(*fit, "--categorical", "name").err
    assert run(*fit, "--never", "name", "--monotone", "name=+", "--not-together", "name,age").code == 0
    assert "identifier" not in result.err
    assert "branch" not in result.err


def test_categories_alone(run, data):
    options = ("--drop", "id,amount,age", "--categorical", "branch", "--max-boxes", 1, "--folds", 2)
    assert run("evaluate", data, "--target", "fraud", *options).code == 0


# A finder that knows no frames but pyarrow's; scikit-learn looks pandas up in sys.modules, so None there would not do.
WITHOUT_FRAMES = """
import sys
from importlib.abc import MetaPathFinder

class NoFrames(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in ("pandas", "polars"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, NoFrames())
from boxdraw.cli.main import main
sys.exit(main())
"""


@pytest.mark.thorough
def test_neither_pandas_nor_polars_is_needed(run, fitted):
    expected = run("predict", fitted, "new.csv").out
    for arguments in (
        ("fit", "data.csv", "--target", "fraud", "--drop", "id", "--categorical", "branch", *FEW, "-o", "again.json"),
        ("predict", "again.json", "new.csv"),
    ):
        command = [sys.executable, "-c", WITHOUT_FRAMES, *map(str, arguments)]
        result = subprocess.run(command, capture_output=True, encoding="utf-8")
        assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == expected


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (lambda i: "n/a!" if i == 7 else f"{i}.5", 'most of it is numbers: correct what is none, like "n/a!"'),
        (lambda i: f"{i},5", "it looks like numbers with a decimal comma: try --decimal ,"),
        (lambda i: f"{i:,}.50 EUR", "it looks like numbers: write digits and a point only"),
        (lambda i: f"{i}.5 km/h", 'it looks like numbers: write digits and a point only, not "1000.5 km/h"'),
        (lambda i: f"{i:,}.50", 'it looks like numbers: write digits and a point only, not "1,000.50"'),
    ],
)
def test_numbers_that_are_read_as_text_are_pointed_out(run, folder, write, said):
    lines = [f"{write(900 + i if i != 7 else 7)};{'yes' if i % 5 == 0 else 'no'}" for i in range(200)]
    Path("data.csv").write_text("\n".join(["price;fraud", *lines]))
    fit = ("fit", "data.csv", "--target", "fraud", "--delimiter", ";", "--max-boxes", 1, "--force")
    assert f'column "price" is taken as text, but {said}' in run(*fit).err
    assert "is taken as text, but" not in run(*fit, "--categorical", "price").err


def test_numbers_of_other_countries_are_not_taken_for_missing_values(run, folder):
    """A point between thousands, in a few large amounts: they must not be lost."""
    lines = [f"{f'1.{i:03d}' if i > 150 else i},5;{'yes' if i > 180 else 'no'}" for i in range(200)]
    Path("data.csv").write_text("\n".join(["price;fraud", *lines]))
    fit = ("fit", "data.csv", "--target", "fraud", "--delimiter", ";", "--max-boxes", 1)
    said = run(*fit, "--decimal", ",").err
    assert 'it looks like numbers: write digits and a comma only, not "1.151,5"' in said
    assert "--missing" not in said


def test_a_decimal_comma_where_a_model_needs_numbers(run, fails, folder):
    lines = [f"{i},5;{'yes' if i > 180 else 'no'}" for i in range(200)]
    Path("data.csv").write_text("\n".join(["price;fraud", *lines]))
    german = ("--delimiter", ";", "--decimal", ",")
    assert run("fit", "data.csv", "--target", "fraud", "--max-boxes", 1, *german).code == 0
    fails("predict", "model.json", "data.csv", "--delimiter", ";", words='has "0,5"; try --decimal ,')
    Path("gaps.csv").write_text("price\n1.5\nn/a\n")
    fails("predict", "model.json", "gaps.csv", words="has \"n/a\"; add --missing 'n/a' if that means a missing value")


def test_a_delimiter_that_was_not_named_is_guessed(run, folder):
    Path("data.csv").write_text("price;fraud\n1,5;yes\n2,5;no\n")
    assert "try --delimiter ';'" in run("fit", "data.csv", "--target", "fraud").err

"""boxdraw fit."""

import gzip
import inspect
import io
import json
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import boxdraw
from boxdraw import ExactBoxesClassifier, FastBoxesClassifierCV, SparseBoxesClassifier
from boxdraw.cli.learning import box_counts
from boxdraw.cli.options import load_model
from boxdraw.tables.labelled import TrainingFile

from .conftest import small_table

IN_PASSES = ("sparse", "scored", "fast")
HINT = f"--method {' or '.join(IN_PASSES)} reads large tables in pieces"
FEW = ("--max-boxes", 2)


def test_a_model_is_learned_and_saved(run, data):
    result = run("fit", data, "--target", "fraud", *FEW)
    assert result.code == 0
    assert result.err == ""
    model = load_model("model.json")
    assert (model.target, model.classes) == ("fraud", ("no", "yes"))
    for words in (
        "data.csv: 120 rows, 17 (14.2%) with fraud = yes",
        "A row in any of these boxes is predicted to have fraud = yes",
        model.boxes.to_text(),
        "In cross-validation such boxes catch ",
        "On the rows the boxes were learned from; expect less on new rows",
        "box  rows  caught  false alarms  precision  95% interval",
        "Saved in model.json",
    ):
        assert words in result.out
    table = small_table()
    estimator = SparseBoxesClassifier(max_boxes=2, pos_label="yes")
    estimator.fit(table.select(["amount", "hour"]), np.array(table["fraud"].to_pylist()))
    assert model.boxes == estimator.boxes_
    (point,) = [point for point in estimator.frontier_ if point.n_limits == model.boxes.n_limits]
    assert f"score {point.score:.3f} ± {point.error:.3f}" in result.out
    caught = int(model.boxes.contains(table)[np.array(table["fraud"].to_pylist()) == "yes"].sum())
    any_box = result.out.split("\nany ")[1].split()
    assert int(any_box[1]) == caught


def test_the_file_says_where_the_boxes_come_from_and_is_always_the_same(run, data):
    run("fit", data, "--target", "fraud", *FEW, "-o", "one.json")
    run("fit", f"./{data}", "--target", "fraud", *FEW, "-o", "two.json")
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()
    origin = json.loads(Path("one.json").read_text(encoding="utf-8"))["fit"]
    assert origin["method"] == "sparse"
    assert (origin["data"], origin["rows"], origin["positives"]) == ("data.csv", 120, 17)
    not_given = {"false_alarm_cost": None, "max_limits": None, "limit_cost": None}
    assert origin["parameters"] == {"max_boxes": 2, "seed": 0, **not_given}
    assert min(origin[name] for name in ("false_alarm_cost", "limit_cost", "max_boxes")) > 0
    assert set(origin["held_out"]) == {"score", "error", "recall", "false_alarm_rate"}


def test_machines_get_json(run, data):
    result = run("fit", data, "--target", "fraud", *FEW, "--json", "-o", "m.json")
    summary = json.loads(result.out)
    assert result.err == ""
    assert summary["model"] == "m.json"
    assert summary["classes"] == ["no", "yes"]
    assert len(summary["boxes"]) == len(load_model("m.json").boxes)
    assert summary["any"]["support"] >= summary["any"]["true_positives"] > 0
    assert summary["boxes"][0]["limits"]


def test_quiet_prints_nothing(run, data):
    assert run("fit", data, "--target", "fraud", *FEW, "--quiet") == (0, "", "")
    assert Path("model.json").exists()


def test_from_standard_input_to_standard_output(run, data, monkeypatch):
    run("fit", data, "--target", "fraud", *FEW, "--quiet")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(data).read_bytes())))
    result = run("fit", "-", "--target", "fraud", *FEW, "-o", "-")
    assert result.code == 0
    piped, saved = json.loads(result.out), json.loads(Path("model.json").read_text())
    assert piped["boxes"] == saved["boxes"]
    assert piped["fit"]["data"] == "standard input"
    assert "Saved in standard output" in result.err


def test_parquet_and_packed_csv_give_the_same_boxes(run, data):
    pyarrow.parquet.write_table(small_table(), "data.parquet")
    Path("data.csv.gz").write_bytes(gzip.compress(Path(data).read_bytes()))
    for name in ("data.csv", "data.parquet", "data.csv.gz"):
        assert run("fit", name, "--target", "fraud", *FEW, "-o", f"{name}.json").code == 0
    assert load_model("data.csv.json").boxes == load_model("data.parquet.json").boxes
    assert load_model("data.csv.json").boxes == load_model("data.csv.gz.json").boxes


def test_a_dear_false_alarm_makes_fewer(run, data):
    flagged = []
    for cost in ("0.01", "10"):
        run("fit", data, "--target", "fraud", *FEW, "--false-alarm-cost", cost, "--force")
        flagged.append(load_model("model.json").boxes.contains(small_table()).sum())
    assert flagged[0] > flagged[1]


@pytest.mark.parametrize(
    ("values", "positive", "classes"),
    [
        ([0, 1], None, (0, 1)),
        ([0, 1], "0", (1, 0)),
        ([1, 0], None, (1, 0)),
        ([0.0, 1.5], "1.5", (0.0, 1.5)),
        ([False, True], "TRUE", (False, True)),
        (["ok", "bad"], None, ("ok", "bad")),
        (["ok", "bad"], "ok", ("bad", "ok")),
    ],
)
def test_labels_of_any_kind(run, values, positive, classes):
    table = small_table()
    is_fraud = np.array(table["fraud"].to_pylist()) == "yes"
    table = table.set_column(2, "fraud", pa.array([values[int(fraud)] for fraud in is_fraud]))
    pyarrow.csv.write_csv(table, "data.csv")
    named = [] if positive is None else ["--positive", positive]
    assert run("fit", "data.csv", "--target", "fraud", *FEW, *named).code == 0
    found = load_model("model.json").classes
    assert found == classes
    assert [type(label) for label in found] == [type(label) for label in classes]


def test_weights_count(run):
    table = small_table().append_column("n", pa.array(np.where(np.arange(120) % 2, 1, 3)))
    pyarrow.csv.write_csv(table, "data.csv")
    result = run("fit", "data.csv", "--target", "fraud", *FEW, "--weight", "n", "--json")
    boxes = load_model("model.json").boxes
    positive = np.array(table["fraud"].to_pylist()) == "yes"
    estimator = SparseBoxesClassifier(max_boxes=2, pos_label=True)
    assert boxes == estimator.fit(table.select(["amount", "hour"]), positive, table["n"].to_numpy()).boxes_
    support = json.loads(result.out)["any"]["support"]
    assert support == table["n"].to_numpy()[boxes.contains(table)].sum()


def test_columns_can_be_left_out(run):
    table = small_table().append_column("id", pa.array(range(120))).append_column("a,b", pa.array(range(120)))
    pyarrow.csv.write_csv(table, "data.csv")
    run("fit", "data.csv", "--target", "fraud", *FEW, "--drop", "id,hour", "--drop", "a,b")
    assert load_model("model.json").boxes.feature_names == ("amount",)


def test_exact_boxes(run, data):
    pytest.importorskip("ortools")
    result = run("fit", data, "--target", "fraud", "--method", "exact", "--max-boxes", 1, "--false-alarm-cost", 0.5)
    assert result.code == 0
    assert "No other boxes are better: objective" in result.out
    model = load_model("model.json")
    assert len(model.boxes) == 1
    assert model.fit["status"] == "optimal"
    assert model.fit["negative_weight"] == 0.5


def test_exact_boxes_choose_their_number_if_asked(run, data):
    pytest.importorskip("ortools")
    words = "--max-boxes", "auto", "--limit-cost", "auto", "--max-limits", "auto", "--seed", 3
    assert run("fit", data, "--target", "fraud", "--method", "exact", *words).code == 0
    table, model = small_table(), load_model("model.json")
    estimator = ExactBoxesClassifier(max_boxes="auto", random_state=3, pos_label="yes")
    estimator.fit(table.select(["amount", "hour"]), np.array(table["fraud"].to_pylist()))
    assert model.boxes == estimator.boxes_
    assert (model.fit["max_boxes"], model.fit["limit_cost"]) == (estimator.max_boxes_, estimator.limit_cost_)


@pytest.mark.parametrize("method", ["sparse", "scored", "fast"])
def test_auto_is_the_default_of_the_others(run, data, method):
    own = {"sparse": ["--limit-cost", "auto"], "scored": ["--max-union", "auto"], "fast": []}
    asked = ["--max-boxes", "auto", *own[method]]
    for name, options in (("one.json", asked), ("two.json", [])):
        assert run("fit", data, "--target", "fraud", "--method", method, *options, "-o", name).code == 0
    assert load_model("one.json").boxes == load_model("two.json").boxes


def test_an_exact_search_that_ended_early_says_how_far_it_came(run, data):
    pytest.importorskip("ortools")
    result = run("fit", data, "--target", "fraud", "--method", "exact", "--max-boxes", 3, "--time-limit", 1e-9)
    origin = load_model("model.json").fit
    assert origin["status"] == "time_limit"
    words = f"objective {origin['objective']:.6g}, and none exceeds {origin['bound']:.6g}"
    assert f"The search ended early (time_limit): {words}\n" in result.out


def test_a_search_that_is_stopped_saves_nothing(run, data, monkeypatch):
    pytest.importorskip("ortools")
    monkeypatch.setattr("boxdraw.cli.learning.ExactBoxesClassifier.fit", lambda self, *_: self)
    monkeypatch.setattr("boxdraw.cli.learning.ExactBoxesClassifier.status_", "interrupted", raising=False)
    result = run("fit", data, "--target", "fraud", "--method", "exact")
    assert (result.code, result.err) == (130, "boxdraw: stopped\n")
    assert not Path("model.json").exists()


def test_numbers_of_boxes_to_try():
    assert box_counts(1) == (1,)
    assert box_counts(8) == (1, 2, 3, 4, 5, 6, 8)
    assert box_counts(20)[-2:] == (10, 20)


# what is refused, and how


def no_work(*_, **__):
    raise AssertionError("the work began")


def test_output_is_checked_before_the_work(fails, data, monkeypatch):
    monkeypatch.setattr("boxdraw.cli.fit.read_labelled", no_work)
    Path("model.json").write_text("old")
    fails("fit", data, "--target", "fraud", words="model.json exists; add --force to replace it")
    fails("fit", data, "--target", "fraud", "-o", "no/model.json", words="folder")
    fails("fit", data, "--target", "fraud", "-o", data, "--force", words="is one of the files that are read")
    assert Path("model.json").read_text() == "old"


def test_force_replaces(run, data):
    Path("model.json").write_text("old")
    assert run("fit", data, "--target", "fraud", *FEW, "--force").code == 0
    assert load_model("model.json").target == "fraud"


@pytest.mark.parametrize(
    ("target", "hint"),
    [("frad", 'did you mean "fraud"?'), ("FRAUD", 'did you mean "fraud"?'), ("zzz", "columns are amount, hour, fraud")],
)
def test_a_mistyped_column(fails, data, target, hint):
    fails("fit", data, "--target", target, words=[f'data.csv has no column "{target}"', hint])
    fails("fit", data, "--target", "fraud", "--drop", target, words=hint)
    fails("fit", data, "--target", "fraud", "--categorical", target, words=hint)
    fails("fit", data, "--target", "fraud", "--weight", target, words=hint)


def test_why_a_column_may_not_be_found(fails):
    Path("data.csv").write_text("amount;hour;fraud\n1;2;yes\n")
    fails("fit", "data.csv", "--target", "fraud", words="try --delimiter ';'")
    Path("data.csv").write_text("1.5,2,yes\n2.5,3,no\n")
    fails("fit", "data.csv", "--target", "fraud", words="the first line looks like data: put a line with the column")


ROWS = "1,2,yes\n2,3,no\n3,4,no\n"


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("", [], "data.csv is empty"),
        ("a,b,fraud\n", [], "data.csv has column names but no rows"),
        ("a,a,fraud\n" + ROWS, [], "several columns named 'a'; give each its own name"),
        ("1,1,fraud\n" + ROWS, [], "own name; the first line must have the names, and seems to be a row"),
        ("a,b,fraud\n1,2\n", [], "line 2: 2 fields, but 3 column names"),
        (
            "a,b,fraud\n1,2,yes\n2,3,\n,,no\n",
            [],
            'column "fraud" of data.csv has no label in 1 of 3 rows, first in row 2',
        ),
        ("a,b,fraud\n1,2,\n2,3,\n", [], 'column "fraud" of data.csv is empty'),
        ("a,b,fraud\n1,2,\n2,3,\n", ["--skip-unlabelled"], 'column "fraud" of data.csv is empty'),
        ("a,b,fraud\n1,2,yes\n2,3,yes\n", [], "has only the label yes: rows of both kinds are needed"),
        ("a,b,fraud\n1,2,x\n2,3,y\n2,3,z\n", [], "has 3 different labels (x, y, z): make a column of two"),
        ("a,b,fraud\n" + ROWS, ["--positive", "ye"], 'has no label "ye"; its labels are no, yes'),
        ("a,b,fraud\n" + ROWS, ["--drop", "a,b"], "has no column besides the target"),
        (
            ",b,fraud\n" + ROWS,
            [],
            "has no name and looks like row numbers that were saved with a frame: leave it out with",
        ),
        ("Unnamed: 0,b,fraud\n" + ROWS, [], "--drop 'Unnamed: 0'"),
        ("a,b,fraud\n,,yes\n,,no\n,,no\n", ["--quiet"], "no column of data.csv besides the target has any values"),
        ("a,b,fraud\n2024-01-01,1,yes\n2024-01-02,2,no\n", [], 'column "a" of data.csv holds dates or times'),
        ("a,b,fraud\n1,x,yes\n2,y,no\n", ["--weight", "b"], "The weights in column 'b' must be numbers"),
        (
            "a,b,fraud\n1,,yes\n2,3,no\n",
            ["--weight", "b"],
            "The weights in column 'b' must be finite and at least 0; got nan",
        ),
        ("a,b,fraud\n1,-1,yes\n2,3,no\n", ["--weight", "b"], "must be finite and at least 0"),
        ("a,b,fraud\n1,2.5,yes\n2,inf,no\n", [], 'column "b" of data.csv holds infinite values'),
        ("a,b,fraud\n1,2,2024-01-01\n2,3,2024-01-02\n", [], 'column "fraud" holds date32[day]: labels are texts'),
    ],
)
def test_one_clear_error(fails, text, options, words):
    Path("data.csv").write_text(text)
    fails("fit", "data.csv", "--target", "fraud", *options, words=words)
    assert not Path("model.json").exists()


def test_rows_without_a_label_can_be_left_out(run, data):
    run("fit", data, "--target", "fraud", *FEW, "-o", "whole.json")
    with Path(data).open("a") as file:
        file.write("5000,30,\n6000,40,\n")
    assert run("fit", data, "--target", "fraud", *FEW, "--skip-unlabelled", "-o", "skipped.json").code == 0
    assert load_model("whole.json").boxes == load_model("skipped.json").boxes


def test_files_that_are_not_there(fails):
    fails("fit", "nothing.csv", "--target", "fraud", words="nothing.csv: No such file or directory")
    fails("fit", ".", "--target", "fraud", words="Is a directory")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--time-limit", "5"], "--time-limit goes with --method exact; sparse has none"),
        (["--time-limit", "5", "--method", "scored"], "--time-limit goes with --method exact; scored has none"),
        (
            ["--max-limits", "2", "--method", "fast"],
            "--max-limits goes with --method sparse or scored or exact; fast has none",
        ),
        (
            ["--limit-cost", "2", "--method", "scored"],
            "--limit-cost goes with --method sparse or exact; scored has none",
        ),
        (["--limit-cost", "-1"], "expected a number from 0 on, got '-1'"),
        (["--max-union", "2", "--method", "exact"], "--max-union goes with --method scored; exact has none"),
        (["--max-limits", "0", "--method", "scored"], "expected a whole number from 1 on"),
        (["--json", "-o", "-"], "cannot share standard output"),
        (["--false-alarm-cost", "0"], "expected a number above 0, got '0'"),
        (["--false-alarm-cost", "nan"], "expected a number above 0"),
        (["--false-alarm-cost", "much"], "expected a number, got 'much'"),
        (["--max-boxes", "0"], "expected a whole number from 1 on"),
        (["--max-boxes", "1000000000"], "expected a whole number from 1 on with at most 9 digits, got '1000000000'"),
        (["--max-boxes", "2.5"], "expected a whole number from 1 on"),
        (["--delimiter", "ab"], "expected one character or the word tab"),
        (["--encoding", "klingon"], "--encoding klingon is not known"),
        (["--method", "best"], "invalid choice: 'best'"),
        (["--what"], "unrecognized arguments: --what"),
    ],
)
def test_a_wrong_command(fails, data, options, words):
    fails("fit", data, "--target", "fraud", *options, code=2, words=words)


def test_columns_that_may_not_be_meant(run):
    table = small_table().append_column("zip", pa.array([f"{i % 7:03d}" for i in range(120)]))
    table = table.append_column("name", pa.array([f"n{i}" for i in range(120)]))
    table = table.append_column("nothing", pa.array([None] * 120, pa.int64()))
    with Path("data.csv").open("w") as file:
        file.write(",".join(table.column_names) + "\n")
        for row in table.to_pylist():
            file.write(",".join("" if value is None else str(value) for value in row.values()) + "\n")
    result = run("fit", "data.csv", "--target", "fraud", *FEW, "--drop", "name")
    assert 'note: column "zip" has leading zeros and is taken as numbers; --categorical' in result.err
    assert 'note: column "nothing" of data.csv has no values and is left out' in result.err
    assert "name" not in result.err
    assert load_model("model.json").boxes.feature_names == ("amount", "hour", "zip")


def test_options_of_sparse_boxes(run, data):
    options = {"max_boxes": 1, "max_limits": 1, "limit_cost": 0.3, "false_alarm_cost": "balanced"}
    words = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", value)]
    origin = json.loads(run("fit", data, "--target", "fraud", *words, "--json").out)["fit"]
    assert origin["parameters"] == options | {"seed": 0}
    assert (origin["limit_cost"], origin["false_alarm_cost"]) == (pytest.approx(0.3), pytest.approx(17 / 103))
    table = small_table()
    estimator = SparseBoxesClassifier(**options, pos_label="yes")
    estimator.fit(table.select(["amount", "hour"]), np.array(table["fraud"].to_pylist()))
    model = boxdraw.load("model.json")
    assert model.boxes_ == estimator.boxes_
    assert model.boxes_.n_limits == 1
    assert run("rules", "model.json").out.splitlines()[1:] == model.boxes_.to_text().splitlines()


@pytest.mark.parametrize("method", ["exact", "scored"])
def test_a_balanced_cost_is_the_default_of_the_others(run, data, method):
    if method == "exact":
        pytest.importorskip("ortools")
    few = ("--method", method, "--max-boxes", 1)
    run("fit", data, "--target", "fraud", *few, "--false-alarm-cost", "balanced", "-o", "one.json")
    run("fit", data, "--target", "fraud", *few, "-o", "two.json")
    assert load_model("one.json").boxes == load_model("two.json").boxes


def test_fast_boxes(run, data):
    result = run("fit", data, "--target", "fraud", "--method", "fast", *FEW)
    assert "In cross-validation" not in result.out
    model, table = load_model("model.json"), small_table()
    estimator = FastBoxesClassifierCV(n_boxes=(1, 2), pos_label="yes", random_state=0)
    estimator.fit(table.select(["amount", "hour"]), np.array(table["fraud"].to_pylist()))
    assert model.boxes == estimator.boxes_
    assert model.fit["method"] == "fast"
    assert model.fit["parameters"] == {"false_alarm_cost": None, "max_boxes": 2, "seed": 0}
    assert model.fit["negative_weight"] == estimator.negative_weight_


def test_rules_that_find_nothing_give_a_warning(run):
    rng = np.random.default_rng(0)
    noise = {name: rng.normal(size=600) for name in "abc"}
    pyarrow.csv.write_csv(pa.table({**noise, "fraud": rng.random(600) < 0.03}), "data.csv")
    result = run("fit", "data.csv", "--target", "fraud")
    assert result.err.startswith("boxdraw: warning: On held-out rows the boxes may be no better than chance")
    result = run("fit", "data.csv", "--target", "fraud", "--limit-cost", 1000, "--force")
    assert result.err.startswith("boxdraw: warning: No box was found that pays for its limits: nothing is flagged.")
    assert "In cross-validation" not in result.out
    assert len(load_model("model.json").boxes) == 0


LEARNERS = [getattr(boxdraw, f"{name}BoxesClassifier") for name in ("Sparse", "Fast", "Exact", "Scored")]


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize(
    ("method", "warning"),
    [
        ("sparse", "No box was found that pays for its limits|Rows of the smaller class"),
        ("fast", "Rows of the smaller class: 2, for 3 inner folds: only 2 folds are used"),
        ("exact", "No box was found that is worth its cost"),
        ("scored", "No box was found that sets positives apart|Rows of the smaller class"),
    ],
)
def test_warnings_name_no_parameters_of_python(run, method, warning, constant):
    column = np.zeros(30) if constant else np.arange(30)
    pyarrow.csv.write_csv(pa.table({"a": column, "fraud": np.arange(30) % 15 == 7}), "data.csv")
    options = ("--false-alarm-cost", 50, "--limit-cost", 10) if method == "exact" else ()
    result = run("fit", "data.csv", "--target", "fraud", "--method", method, *options)
    assert result.code == 0
    assert re.search(warning, result.err)
    names = {name for learner in (*LEARNERS, FastBoxesClassifierCV) for name in inspect.signature(learner).parameters}
    there = set(re.findall(r"\w+", result.err))
    assert not there & {name for name in names if "_" in name or name in ("lam", "cv")}


EVERYTHING = "boxdraw: warning: The boxes hold all training rows: everything is flagged. Raise --false-alarm-cost.\n"


def test_rules_that_flag_everything_give_a_warning(run, data):
    assert run("fit", data, "--target", "fraud", "--false-alarm-cost", 1e-9).err == EVERYTHING


def test_fast_boxes_that_flag_everything_give_one_warning(run, folder):
    Path("tiny.csv").write_text("amount,fraud\n1,no\n2,yes\n3,no\n4,yes\n", encoding="utf-8")
    told = run("fit", "tiny.csv", "--target", "fraud", "--positive", "yes", "--method", "fast").err.splitlines(True)
    assert told[0].startswith("boxdraw: warning: Rows of the smaller class: 2")
    assert told[1:] == [EVERYTHING]


def test_boxes_of_other_learners_that_hold_nothing(run, data, monkeypatch):
    def draw(self, *_):
        self.boxes_ = boxdraw.BoxSet([[1e9, -1]], [[2e9, 99]], feature_names=["amount", "hour"])
        self.negative_weight_, self.status_, self.objective_, self.bound_ = 1.0, "optimal", 0.0, 0.0
        self.limit_cost_, self.max_boxes_ = 0.0, 1
        return self

    monkeypatch.setattr("boxdraw.cli.learning.ExactBoxesClassifier.fit", draw)
    warning = "boxdraw: warning: No row with the label is in a box: do not rely on them.\n"
    assert run("fit", data, "--target", "fraud", "--method", "exact").err == warning


@pytest.mark.parametrize("method", ["exact", "scored"])
def test_cautions_are_in_terms_of_the_command_line(run, folder, method):
    rows = [f"{row},{row % 7},{'yes' if row >= 170 else 'no'}" for row in range(200)]
    Path("rows.csv").write_text("\n".join(["number,day,fraud", *rows]), encoding="utf-8")
    told = run("fit", "rows.csv", "--target", "fraud", "--method", method).err
    assert told == (
        "boxdraw: warning: The rules rest on 'number', which looks like an identifier or the order of the rows: make "
        "sure that it says something about rows to come, or leave it out with --drop.\n"
    )


def test_a_large_table_is_pointed_out(run, data, monkeypatch):
    monkeypatch.setattr("boxdraw.cli.fit.MEMORY_LIMIT", 8 * 120 * 2 - 1)
    assert run("fit", data, "--target", "fraud", *FEW).err == (
        f"boxdraw: note: all 120 rows of data.csv are read into memory; {HINT}\n"
    )
    assert run("fit", data, "--target", "fraud", "--method", "fast", *FEW, "--force").err == ""


def test_large_tables_are_read_in_passes(run, data, monkeypatch):
    """The model is that of the same rows in memory."""
    learn, stored = ("fit", data, "--target", "fraud", "--method"), []
    for module in ("cli.fit", "learners.stored", "tables.stored", "tables.training"):
        monkeypatch.setattr(f"boxdraw.{module}.LARGE", 0)
    plain = TrainingFile.read
    monkeypatch.setattr(TrainingFile, "read", lambda file: stored.append(file) or plain(file))
    for method in IN_PASSES[:-1]:  # fast never has all rows in memory
        run(*learn, method, "-o", f"{method}.json")
        assert not stored
        monkeypatch.setattr("boxdraw.cli.fit.LARGE", 10**9)
        run(*learn, method, "-o", f"whole_{method}.json")
        assert stored.pop()
        assert Path(f"{method}.json").read_text() == Path(f"whole_{method}.json").read_text()
        monkeypatch.setattr("boxdraw.cli.fit.LARGE", 0)


def test_a_table_that_does_not_fit_into_memory(fails, data, monkeypatch):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr("boxdraw.cli.learning.SparseBoxesClassifier.fit", full)
    words = f"not enough memory for --method sparse on data.csv; {HINT}"
    fails("fit", data, "--target", "fraud", words=words)

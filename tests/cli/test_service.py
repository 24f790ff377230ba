"""Rules in use: what they miss, and what they should be changed to."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from boxdraw import BoxSet, BoxSetClassifier
from boxdraw.cli.options import load_model
from boxdraw.model.file import model_to_json
from tests.learners.sparse.test_existing import make_payments

FORMS = {
    "old.txt": "Box 1: amount ≥ 1.2 and region = x",
    "old.sql": "amount >= 1.2 AND region = 'x'",
}


@pytest.fixture
def payments(run):
    X, y = make_payments()
    X.assign(fraud=["yes" if label else "no" for label in y]).to_csv("payments.csv", index=False)
    for name, text in FORMS.items():
        Path(name).write_text(text, encoding="utf-8")
    return "payments.csv"


@pytest.fixture
def model(run, payments):
    assert run("fit", payments, "--target", "fraud", "--quiet").code == 0
    return "model.json"


def test_only_what_existing_rules_miss_is_learned(run, payments):
    found = []
    for name in FORMS:
        result = run("fit", payments, "--target", "fraud", "--existing", name, "--force")
        assert result.code == 0, result
        found.append(load_model("model.json").boxes)
        assert json.loads(Path("model.json").read_text(encoding="utf-8"))["fit"]["parameters"]["existing"] == name
    assert found[0] == found[1]
    assert set(found[0].rules()[0].features) == {"hour", "age"}
    Path("model.json").rename("old.json")
    assert run("fit", payments, "--target", "fraud", "--existing", "old.json", "--force").code == 0
    assert set(load_model("model.json").boxes.rules()[0].features) == {"amount", "region"}


def test_a_fit_over_a_model_carries_its_history_on(run, payments, model):
    first = hashlib.sha256(Path(model).read_bytes()).hexdigest()[:16]
    assert run("fit", payments, "--target", "fraud", "--quiet", "--force").code == 0
    assert hashlib.sha256(Path(model).read_bytes()).hexdigest()[:16] == first
    out = run("fit", payments, "--target", "fraud", "--max-limits", 1, "--force").out
    assert "Changes so far" not in out
    assert "Saved in model.json, with the history of the model that it replaces" in out
    edits = load_model(model).edits
    assert edits
    assert {edit.before for edit in edits} == {first}
    for form in ("text", "markdown"):  # nobody edited the rules since they were learned
        out = run("rules", model, "--format", form).out
        assert "Changes so far:\n" in out
        assert "dited" not in out
    history = run("rules", model, "--history").out
    assert all(edit.what in history and edit.time in history for edit in edits)


def test_existing_rules_that_cannot_be_read(fails, payments):
    fit = "fit", payments, "--target", "fraud", "--existing"
    fails(*fit, "none.sql", words="none.sql")
    Path("bad.sql").write_text("amount LIKE 'x'", encoding="utf-8")
    fails(*fit, "bad.sql", words="bad.sql: Expected a comparison")
    Path("bad.txt").write_text("amount > 3", encoding="utf-8")
    fails(*fit, "bad.txt", words="bad.txt: Line 1 is no rule")
    fails(*fit, "old.sql", "--method", "scored", code=2, words="--existing goes with --method sparse")
    assert not Path("model.json").exists()


def worn(path):
    """Write a model whose rules are no longer right."""
    model = load_model(path)
    boxes = BoxSet.from_text("amount >= 0.9 and region = x\nhour = 5 and age >= 0.9", model.boxes.feature_names)
    old = type(model)(boxes, model.target, model.classes)
    Path("old.json").write_text(model_to_json(old), encoding="utf-8")
    return "old.json"


def test_rules_are_revised(run, payments, model):
    old = worn(model)
    result = run("revise", old, payments, "--max-changes", 4, "--who", "Ana")
    assert result.code == 0, result
    assert "  0 changes: held-out gain" in result.out
    assert "Saved in revised.json" in result.out
    revised = load_model("revised.json")
    assert revised.edits
    digest = hashlib.sha256(Path(old).read_bytes()).hexdigest()[:16]
    signed = {("boxdraw revise on payments.csv", "Ana", digest)}
    assert {(edit.reason, edit.who, edit.before) for edit in revised.edits} == signed
    history = run("rules", "revised.json", "--history").out
    assert all(edit.what in history for edit in revised.edits)
    assert all(edit.what in result.out for edit in revised.edits)
    assert revised.boxes.to_text() in result.out
    again = run("revise", old, payments, "--max-changes", 4, "--json", "--take", 1, "--force")
    told = json.loads(again.out)
    assert told["taken"] == 1
    one = load_model("revised.json")
    assert told["revisions"][1]["rules"] == one.boxes.to_text().splitlines()
    assert len(one.edits) == 1


@pytest.mark.parametrize("old", FORMS)
def test_rules_in_sql_and_sentences_are_compared_watched_and_revised(run, fails, payments, model, old):
    result = run("compare", old, model, payments)
    assert result.code == 0, result
    same = run("compare", model, old, payments, "--json")
    assert json.loads(same.out)["figures"][2]["name"] == "recall"
    told = {one["name"]: one for one in json.loads(same.out)["figures"]}
    assert f"recall {told['recall']['new']:.1%} → {told['recall']['old']:.1%}" in result.out
    alone = json.loads(run("compare", old, old, payments, "--target", "fraud", "--json").out)["figures"]
    assert alone[2]["old"] == told["recall"]["new"]
    other = json.loads(run("compare", old, old, payments, "--target", "fraud", "--positive", "no", "--json").out)
    assert other["figures"][1]["old"] == pytest.approx(1 - told["precision"]["new"])
    Path("new.csv").write_bytes(Path(payments).read_bytes())
    watched = run("monitor", old, "--reference", payments, "new.csv", "--target", "fraud").out
    assert f"recall {100 * told['recall']['new']:.3g}%" in watched
    assert "precision" not in run("monitor", old, "--reference", payments, "new.csv", "--quiet").out
    assert f"{told['recall']['new']:.0%}" in run("rules", old, "--data", payments, "--target", "fraud").out
    fails("revise", old, payments, code=2, words="--target COLUMN")
    assert run("revise", old, payments, "--target", "fraud").code == 0
    revised = load_model("revised.json")
    assert revised.classes == ("no", "yes")
    assert {edit.before for edit in revised.edits} == {hashlib.sha256(Path(old).read_bytes()).hexdigest()[:16]}


def test_sets_of_numbers_are_revised_on_columns_of_numbers(run, payments):
    Path("hours.sql").write_text("amount >= 1.2 AND hour IN (3, 4, 5, 9)", encoding="utf-8")
    assert run("revise", "hours.sql", payments, "--target", "fraud", "--json", "-o", "r.json").code == 0
    first = json.loads(run("revise", "hours.sql", payments, "--target", "fraud", "--json", "--force").out)["revisions"][
        0
    ]
    assert first["rules"] == ["Box 1: amount ≥ 1.2 and 3 ≤ hour ≤ 5", "Box 2: amount ≥ 1.2 and hour = 9"]
    assert run("compare", "hours.sql", "r.json", payments, "--target", "fraud").code == 0


def test_revised_rules_have_no_risk_of_the_old_ones(run, fails, payments):
    X, y = make_payments()
    text = "amount >= 0.9 and region = x\nhour = 5 and age >= 0.9"
    old = BoxSetClassifier(BoxSet.from_text(text, X.columns, {"region": ["x", "y", "z"]}))
    old.fit(X, np.where(y, "yes", "no")).save("old.json", target="fraud")
    assert "Risk:" in run("rules", "old.json", "--risk").out
    result = run("revise", "old.json", payments)
    assert "the risk table is that of the old rules: the revised model has none" in result.err
    fails("rules", "revised.json", "--risk", words="this model has no risk table")
    Path("new.csv").write_bytes(Path(payments).read_bytes())
    watch = "--reference", payments, "new.csv"
    assert "(expected " in run("monitor", "old.json", *watch).out
    assert "expected" not in run("monitor", "revised.json", *watch).out


def test_rules_that_are_right_stay(run, payments, model):
    before = load_model(model)
    assert run("revise", model, payments, "--max-changes", 1).code == 0
    after = load_model("revised.json")
    assert after == before or len(after.edits) == 1


def test_the_features_and_the_cost_of_the_fit_are_taken_again(run, payments):
    table = pyarrow.csv.read_csv(payments)
    shop = pa.array([7 + 2 * (k % 3) for k in range(len(table))])
    pyarrow.csv.write_csv(table.append_column("shop", shop).append_column("id", pa.array(range(len(table)))), "new.csv")
    fit = "fit", "new.csv", "--target", "fraud", "--drop", "id", "--categorical", "shop"
    assert run(*fit, "--false-alarm-cost", "0.07", "--quiet").code == 0
    result = run("revise", "model.json", "new.csv")
    assert result.code == 0, result
    after = json.loads(Path("revised.json").read_text(encoding="utf-8"))
    kinds = {one["name"]: one["kind"] for one in after["boxes"]["features"]}
    assert "id" not in kinds
    assert kinds["shop"] == "categorical"
    assert load_model("revised.json").fit.get("false_alarm_cost", 0.07) == 0.07


def test_rules_without_labels_get_those_of_the_rows(run, payments, model):
    bare = BoxSet.from_text("Box 1: amount ≥ 2.5", ["amount", "hour", "age"])
    Path("bare.json").write_text(bare.to_json(), encoding="utf-8")
    assert run("revise", "bare.json", payments, "--target", "fraud").code == 0
    after = load_model("revised.json")
    assert (after.target, after.classes) == ("fraud", ("no", "yes"))
    assert after.edits


def test_what_cannot_be_revised(fails, run, payments, model):
    fails("revise", model, payments, "--take", 9, code=2, words="--take 9: there are revisions of")
    fails("revise", "-", "-", code=2, words="both come from standard input")
    pyarrow.csv.write_csv(pyarrow.csv.read_csv(payments).drop_columns(["amount", "hour"]), "narrow.csv")
    fails("revise", model, "narrow.csv", words='no column "')
    assert not Path("revised.json").exists()


def test_rules_are_compared(run, payments, model):
    old = worn(model)
    alone = run("compare", old, model)
    assert alone.code == 0, alone
    assert "changed  Box " in alone.out
    assert "recall" not in alone.out
    result = run("compare", old, model, payments, "-o", "page.html")
    assert result.code == 0, result
    assert "recall " in result.out
    assert "McNemar" in Path("page.html").read_text(encoding="utf-8")
    told = json.loads(run("compare", old, model, payments, "--json").out)
    X, y = make_payments()
    recall = next(one for one in told["figures"] if one["name"] == "recall")
    assert recall["old"] == pytest.approx(load_model(old).boxes.contains(X)[y].mean())
    assert recall["new"] == pytest.approx(load_model(model).boxes.contains(X)[y].mean())


def test_rules_are_compared_without_labels(run, payments, model):
    table = pyarrow.csv.read_csv(payments)
    pyarrow.csv.write_csv(table.drop_columns(["fraud"]), "rows.csv")
    result = run("compare", worn(model), model, "rows.csv")
    assert result.code == 0, result
    assert 'rows.csv has no column "fraud" with labels' in result.err
    assert "alarm rate" in result.out
    assert "recall" not in result.out


def test_what_cannot_be_compared(fails, payments, model):
    fails("compare", model, model, "--target", "fraud", code=2, words="describe the rows of DATA")
    fails("compare", model, "none.json", words="none.json")
    fails("compare", model, model, payments, "-o", "-", "--json", code=2, words="cannot share standard output")
    fails("compare", model, model, payments, "-o", payments, words=payments)

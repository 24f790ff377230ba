"""Models as files: `save` of every classifier, and `load`."""

import datetime
import enum
import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

import boxdraw
from boxdraw import (
    BoxSet,
    BoxSetClassifier,
    ExactBoxesClassifier,
    FastBoxesClassifier,
    FastBoxesClassifierCV,
    Scorecard,
    ScoredBoxesClassifier,
    SparseBoxesClassifier,
)

GOLDEN = Path(__file__).parents[1] / "model" / "export" / "golden"


def table(n=120, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"amount": rng.gamma(2, 100, n).round(2), "hour": rng.integers(0, 24, n)})
    frame["region"] = rng.choice(["north", "south", "east"], n)
    flagged = (frame["amount"] > 200) & (frame["hour"] < 14) & (frame["region"] != "south")
    return frame, flagged


def named(flagged, labels=("ok", "fraud")):
    return pd.Series(np.array(labels)[flagged.astype(int)], name="state")


LEARNERS = {
    "fast": FastBoxesClassifier(n_boxes=2, random_state=0),
    "cv": FastBoxesClassifierCV(n_boxes=(1, 2), random_state=0),
    "exact": ExactBoxesClassifier(max_boxes=1, random_state=0),
    "scored": ScoredBoxesClassifier(cv=None),
    "signed": ScoredBoxesClassifier(cv=None, signed_points=True, max_boxes=4),
    "sparse": SparseBoxesClassifier(cv=2),
    "boxes": BoxSetClassifier(),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_every_classifier_comes_back(tmp_path, name):
    X, flagged = table()
    y = named(flagged)
    model = clone(LEARNERS[name]).fit(X, y)
    path = tmp_path / "model.json"
    model.save(path)
    loaded = boxdraw.load(path)
    new, _ = table(300, seed=1)
    np.testing.assert_array_equal(loaded.predict(new), model.predict(new))
    assert {type(label) for label in loaded.predict(new).tolist()} == {str}
    score = loaded.decision_function(new)
    np.testing.assert_array_equal(score >= 0, loaded.predict(new) == loaded.classes_[1])
    assert np.isfinite(score).all()
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert loaded.pos_label_ == model.pos_label_
    assert loaded.feature_names_in_.tolist() == ["amount", "hour", "region"]
    np.testing.assert_array_equal(loaded.transform(new), model.transform(new))
    again = tmp_path / "again.json"
    loaded.save(again)
    assert again.read_bytes() == path.read_bytes()
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["target"] == "state"
    assert document["fit"]["learner"] == type(model).__name__
    reordered = new[["region", "hour", "amount"]]
    np.testing.assert_array_equal(loaded.predict(reordered), model.predict(new))
    np.testing.assert_array_equal(loaded.predict(pl.from_pandas(new)), model.predict(new))


@pytest.mark.parametrize("name", ["scored", "signed"])
def test_a_scorecard_ranks_by_its_points(tmp_path, name):
    X, flagged = table()
    model = clone(LEARNERS[name]).fit(X, named(flagged))
    model.save(tmp_path / "card.json")
    loaded = boxdraw.load(tmp_path / "card.json")
    assert loaded.scorecard_ == model.scorecard_
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X, score="points"))
    assert hasattr(loaded, "boxes_") == (not loaded.scorecard_.signed) == hasattr(model, "boxes_")
    if not loaded.scorecard_.signed:
        assert loaded.boxes_ == model.boxes_
    assert roc_auc_score(named(flagged) == loaded.classes_[1], loaded.decision_function(X)) > 0.9
    assert "enough points" in loaded._repr_html_()
    refitted = clone(loaded).fit(X, named(flagged, ("no", "yes")))
    np.testing.assert_array_equal(refitted.predict(X) == refitted.pos_label_, model.predict(X) == model.pos_label_)


LABELS = {
    "text": (["no", "yes"], "U"),
    "objects": (np.array(["no", "yes"], dtype=object), "U"),
    "a NUL at the end": (np.array(["a", "a\0"], dtype=object), "O"),
    "whole numbers": (np.array([3, -7], dtype=np.int8), "i"),
    "unsigned": (np.array([2**64 - 1, 1], dtype=np.uint64), "uO"),
    "floats": ([0.5, 2.0], "f"),
    "short floats": (np.array([0.1, 2.0], dtype=np.float32), "f"),
    "booleans": ([True, False], "b"),
}


@pytest.mark.parametrize(("labels", "kind"), LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("positive", [0, 1])
def test_labels_keep_their_types(tmp_path, labels, kind, positive):
    boxes = BoxSet([[1.0]], [[2.0]])
    pair = (labels[1 - positive], labels[positive])
    model = BoxSetClassifier(boxes, classes=pair)
    model.save(tmp_path / "model.json")
    loaded = boxdraw.load(tmp_path / "model.json")
    assert loaded.classes_.dtype.kind in kind
    plain = [label.item() if isinstance(label, np.generic) else label for label in pair]
    found = loaded.predict([[1.5], [9.0]]).tolist()
    assert found == [plain[1], plain[0]]
    assert [type(label) for label in found] == [type(label) for label in plain]
    score = loaded.decision_function([[1.5], [9.0]])
    assert (score > 0).tolist() == [label == loaded.classes_[1] for label in found]  # NumPy drops NULs from texts


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@pytest.mark.parametrize(
    ("classes", "kind", "message"),
    [
        ((datetime.date(2026, 1, 1), datetime.date(2026, 1, 2)), TypeError, "labels must be text, numbers or booleans"),
        ((b"no", b"yes"), TypeError, "labels must be text, numbers or booleans"),
        (np.array(["2026-01-01", "2026-01-02"], "M8[D]"), TypeError, "labels must be text, numbers or booleans"),
        ((0.0, float("inf")), ValueError, "labels must be finite"),
        (("a", "\ud83d\ude00"), ValueError, "label .* cannot be written as JSON"),
    ],
)
def test_labels_that_json_cannot_hold_leave_the_file_alone(tmp_path, classes, kind, message):
    path = tmp_path / "model.json"
    path.write_text("old")
    with pytest.raises(kind, match=message):
        BoxSetClassifier(BoxSet([[1]], [[2]]), classes=classes).save(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["model.json"]


@pytest.mark.parametrize("name", LEARNERS)
def test_a_model_that_is_not_fitted_is_not_saved(tmp_path, name):
    with pytest.raises(NotFittedError):
        clone(LEARNERS[name]).save(tmp_path / "model.json")
    assert not os.listdir(tmp_path)


def test_the_target_is_that_of_y_or_as_given(tmp_path):
    X, flagged = table()
    model = FastBoxesClassifier(n_boxes=1)
    targets = []
    for y, given in ((named(flagged), None), (named(flagged).to_numpy(), None), (named(flagged).to_numpy(), "mine")):
        model.fit(X, y).save(tmp_path / "model.json", target=given)
        targets.append(json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))["target"])
    assert targets == ["state", None, "mine"]
    stored = X.drop(columns="region").assign(fraud=flagged.astype(int))
    stored.to_parquet(tmp_path / "rows.parquet")
    model.fit_table(tmp_path / "rows.parquet", target="fraud").save(tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))["target"] == "fraud"


@pytest.mark.filterwarnings("ignore:Categories that were not seen in training")
@pytest.mark.parametrize("path", sorted(GOLDEN.glob("[bms]*_v1_*[a-z].json")), ids=lambda path: path.stem)
def test_files_of_version_01_load(tmp_path, path):
    if path.name.endswith(".expected.json"):
        return
    expected = json.loads(path.with_name(f"{path.stem}.expected.json").read_text(encoding="utf-8"))
    model, rows = boxdraw.load(path), np.array(expected["rows"], dtype=object)
    flagged = np.array(expected["flagged"])
    labels = expected.get("labels", flagged.astype(int).tolist())
    found = model.predict(rows).tolist()
    assert found == labels
    assert [type(label) for label in found] == [type(label) for label in labels]


def test_an_edited_model_keeps_the_rest_of_its_file(tmp_path):
    path = tmp_path / "edited.json"
    model = boxdraw.load(GOLDEN / "model_v1_edits.json")
    model.set_params(boxes=model.boxes_.drop_limit(0, "age")).save(path)
    before, after = (json.loads(file.read_text(encoding="utf-8")) for file in (GOLDEN / "model_v1_edits.json", path))
    assert before.pop("boxes") != after.pop("boxes")
    *edits, edit = after.pop("edits")
    assert before.pop("edits") == edits
    assert (edit["what"], edit["reason"]) == ("Changed: Box 1: without 32 ≤ age ≤ 65 (or missing)", "")
    assert edit["before"] == digest(GOLDEN / "model_v1_edits.json")
    assert (before.pop("version"), after.pop("version")) == (1, 3)
    assert before == after


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def history(path):
    return [(edit.what, edit.reason, edit.who, edit.before) for edit in boxdraw.load(path)._loaded.edits]


def test_a_history_grows_with_each_file(tmp_path):
    path = tmp_path / "model.json"
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    FastBoxesClassifier(n_boxes=1).fit(X, [0, 1, 0, 0]).save(path, note="first", who="Ana")
    first = digest(path)
    expected = [("Learned by FastBoxesClassifier", "first", "Ana", "")]
    assert history(path) == expected
    other = BoxSetClassifier(BoxSet([[2.0], [9.0]], [[3.0], [10.0]]))
    other.save(path, note="wider")
    changes = "Changed: Box 1: x0 ≤ 3 → 2 ≤ x0 ≤ 3", "Added: Box 2: 9 ≤ x0 ≤ 10"
    expected += [(change, "wider", "", first) for change in changes]
    assert history(path) == expected
    second, again = digest(path), boxdraw.load(path)
    again.save(path)  # nothing was changed or said
    assert digest(path) == second
    again.save(tmp_path / "copy.json", who="Bo")
    assert history(tmp_path / "copy.json") == [*expected, ("The same rules", "", "Bo", second)]
    again.set_params(boxes=again.boxes_[:1]).save(path)
    assert history(path) == [*expected, ("Dropped: Box 2: 9 ≤ x0 ≤ 10", "", "", second)]
    again.save(path)  # of the file that it was loaded from, however often
    assert history(path) == [*expected, ("Dropped: Box 2: 9 ≤ x0 ≤ 10", "", "", second)]
    third = digest(path)
    expected += [("Dropped: Box 2: 9 ≤ x0 ≤ 10", "", "", second)]
    other.save(path)  # a plain save carries the history on, too
    assert history(path) == [*expected, ("Added: Box 2: 9 ≤ x0 ≤ 10", "", "", third)]
    last = digest(path)
    other.save(path)  # the same model
    assert digest(path) == last
    other.save(path, target="fraud")
    assert history(path)[-1] == ("The same rules, another target", "", "", last)
    path.unlink()
    card = Scorecard(BoxSet([[2.0], [9.0]], [[3.0], [10.0]]), [1, 1], 1)
    BoxSetClassifier(card).save(path)
    BoxSetClassifier(Scorecard(card.boxes, [2, 2], 2)).save(path, note="doubled")
    assert [entry[:2] for entry in history(path)] == [
        ("Other points, another threshold or another order of the boxes", "doubled")
    ]


def test_revised_rules_say_so(tmp_path):
    X, flagged = table()
    path, old = tmp_path / "model.json", BoxSet.from_text("amount >= 350", X.columns)
    BoxSetClassifier(old, classes=("ok", "fraud")).save(path)
    first = digest(path)
    model = SparseBoxesClassifier(revise=old, cv=None).fit(X, named(flagged))
    model.save(path)
    changes = next(one.changes for one in model.revisions_ if one.boxes == model.boxes_)
    assert changes
    assert history(path) == [(change, "", "", first) for change in changes]
    model.save(path)  # these rules are there already
    assert history(path) == [(change, "", "", first) for change in changes]
    BoxSetClassifier(model.boxes_.drop_box(0), classes=("ok", "fraud")).save(path)
    model.save(path)
    assert [what.split(": ")[0] for what, *_ in history(path)[-2:]] == ["Dropped", "Added"]


def test_a_loaded_model_over_another_file_carries_both_histories_on(tmp_path):
    old, new = tmp_path / "model.json", tmp_path / "candidate.json"
    BoxSetClassifier(BoxSet([[1]], [[9]])).save(old, who="Ana")
    BoxSetClassifier(BoxSet([[2]], [[9]])).save(new, who="Bo")
    before = digest(old)
    boxdraw.load(new).save(old)
    first, second = ("Learned by BoxSetClassifier", "", "Ana", ""), ("Learned by BoxSetClassifier", "", "Bo", "")
    change = "Changed: Box 1: 1 ≤ x0 ≤ 9 → 2 ≤ x0 ≤ 9", "", "", before
    assert history(old) == [first, second, change]


def test_a_simpler_model_of_a_file_says_so(tmp_path):
    X, flagged = table()
    path = tmp_path / "model.json"
    BoxSetClassifier(BoxSet.from_text("amount >= 200 and hour >= 0", X.columns), classes=("ok", "fraud")).save(path)
    simpler = boxdraw.load(path).simplify(X, named(flagged), max_loss=1)
    first = digest(path)
    simpler.save(path)
    assert simpler.changes_
    assert history(path) == [(change.text, "", "", first) for change in simpler.changes_]


def test_a_history_that_cannot_be_written_leaves_the_file_alone(tmp_path):
    path, model = tmp_path / "model.json", BoxSetClassifier(BoxSet([[1]], [[2]]))
    path.write_text("old")
    with pytest.raises(ValueError, match=r"that of the file to replace cannot be read: .*model.json is not a model"):
        model.save(path, note="why")
    with pytest.raises(TypeError, match="who must be a text or None; got 5"):
        model.save(path, who=5)
    assert path.read_text() == "old"
    model.save(path)


def test_a_fit_begins_a_new_file(tmp_path):
    path = tmp_path / "card.json"
    BoxSetClassifier(Scorecard(BoxSet([[1], [2]], [[9], [8]]), [1, 1], 2)).save(path, target="old")
    model = boxdraw.load(path).fit([[1.0], [5.0], [9.0]], ["a", "b", "a"])
    model.save(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    assert (document["target"], document["classes"]) == (None, ["a", "b"])


def test_what_is_no_model(tmp_path):
    path = tmp_path / "other.json"
    path.write_text('{"format": "boxdraw.certificate"}')
    with pytest.raises(ValueError, match=r'other.json is not a model of boxdraw: expected "format": "boxdraw.model"'):
        boxdraw.load(path)
    with pytest.raises(ValueError, match=r"^this JSON is not a model of boxdraw"):
        boxdraw.load(b"[]")
    with pytest.raises(FileNotFoundError):
        boxdraw.load(tmp_path / "nothing.json")


def test_splits_of_the_rows_are_not_written(tmp_path):
    X, flagged = table()
    rows = np.arange(len(X))
    halves = [(rows[::2], rows[1::2]), (rows[1::2], rows[::2])]
    ScoredBoxesClassifier(cv=halves).fit(X, named(flagged)).save(tmp_path / "model.json")
    fit = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))["fit"]
    assert fit["parameters"] == {"cv": "list"}


def test_the_risk_of_other_boxes_is_not_known(tmp_path):
    X, y = np.arange(40.0)[:, None], np.arange(40) % 3 == 0
    boxes = BoxSet([[10]], [[20]])
    boxdraw.BoxSetClassifier(boxes).fit(X, y).save(tmp_path / "model.json")
    model = boxdraw.load(tmp_path / "model.json")
    assert model.set_params(boxes=boxes[[0]]).predict_proba(X).shape == (40, 2)
    model.set_params(boxes=boxes.replace(0, "x0", lower=30, upper=35)).save(tmp_path / "edited.json")
    for one in (model, boxdraw.load(tmp_path / "edited.json")):
        assert not hasattr(one, "predict_proba")

"""A certificate holds for its own data and for nothing else, in memory and from a file."""

import copy
import hashlib
import json
import math
import pickle
import struct
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxdraw import BoxSet
from boxdraw.learners.exact.certificate import Certificate, CertificateError, about_data, make_certificate
from boxdraw.learners.exact.objective import Objective

NAMES = ["age", "größe"]
INF = math.inf


def data():
    """Five positives in the middle of a line, three negatives at its ends, and a feature that no box needs."""
    X = np.array([[1.0, 7], [2, 0], [3, 5], [4, -2], [5, 7], [6, 1], [8, 2], [9, 9]])
    return X, np.array([0, 1, 1, 1, 1, 1, 0, 0])


def certify(X, y, weight=None, boxes=None, **changes):
    """What a learner would write about the box around the positives; here that box is best, and the bound its value."""
    boxes = BoxSet([[2, -INF]], [[6, INF]], feature_names=NAMES) if boxes is None else boxes
    classes = np.unique(y)
    about = {"pos_label": classes[1], "classes": classes, "status": "optimal", "seconds": 0.5, "seed": 7}
    about |= {"objective_method": "destroy and repair", "bound_method": "column generation"}
    problem = {"negative_weight": Fraction(1, 3), "box_cost": Fraction(1, 10), "margin": 0.0, "max_boxes": 2}
    problem |= {name: changes.pop(name) for name in problem if name in changes}
    about |= changes
    objective = Objective(np.asarray(X, dtype=float), y == about["pos_label"], weight, **problem)
    bound = about.pop("bound", objective.value(boxes.lower, boxes.upper))
    return make_certificate(objective, boxes, bound, **about)


def edited(certificate, **changes):
    """The certificate after an edit of its file."""
    return json.dumps(json.loads(certificate.to_json()) | changes)


def assert_fails(certificate, match, X=None, y=None, weight=None):
    own = data()
    with pytest.raises(CertificateError, match=match) as caught:
        certificate.verify(own[0] if X is None else X, own[1] if y is None else y, weight)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700


def test_it_holds_for_its_data():
    X, y = data()
    certificate = certify(X, y)
    assert certificate.verify(X, y) is True
    assert certificate.objective == float(5 + 3 * Fraction(1, 3) - Fraction(1, 10))
    assert (certificate.n_rows, certificate.n_positive, certificate.gap) == (8, 5, 0.0)
    assert certificate.rounding_error == 0


def test_the_order_of_rows_and_the_kind_of_numbers_do_not_matter():
    X, y = data()
    certificate = certify(X, y)
    order = np.random.default_rng(0).permutation(len(X))
    assert certificate.verify(X[order], y[order])
    assert certificate.verify(X.astype(np.float32), y.astype(float))
    assert certificate.verify(X.astype(int).tolist(), y.tolist(), np.ones(len(X)))
    assert certificate.verify(np.where(X == 0, -0.0, X), y)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_columns_of_a_frame_are_found_by_name(frame):
    X, y = data()
    certificate = certify(X, y)
    columns = {"größe": X[:, 1], "other": np.array(["text"] * len(X)), "age": X[:, 0].astype(int)}
    assert certificate.verify(frame(columns), y)
    del columns["age"]
    assert_fails(certificate, r"does not go with the data: X lacks the columns \['age'\]", frame(columns))


def test_pandas_columns_without_names_or_with_its_own_types():
    X, y = data()
    certificate = certify(X, y, boxes=BoxSet([[2, -INF]], [[6, INF]]))
    assert certificate.verify(pd.DataFrame(X), pd.Series(y, dtype="Int64"))
    assert certificate.verify(pd.DataFrame(X).astype("Float64"), pd.Series(y))
    assert_fails(certificate, "data_checksum", pd.DataFrame(X).astype("Float64").replace(9, pd.NA))


@pytest.mark.parametrize(("no", "yes"), [("in Ordnung", "Störung"), (-1, 4), (False, True), (0.5, 1.5), ("", " ")])
def test_labels_of_any_plain_kind(no, yes):
    X, y = data()
    labels = np.where(y == 1, yes, no)
    certificate = certify(X, labels, pos_label=np.asarray(yes)[()], classes=np.array([no, yes]))
    read = Certificate.from_json(certificate.to_json())
    assert read == certificate
    assert read.verify(X, labels)
    assert read.verify(X, pd.Series(labels))
    assert [type(label) for label in (read.pos_label, *read.classes)] == [type(yes), type(no), type(yes)]
    assert_fails(read, "labels .* that the model does not know", y=np.where(y == 1, 17, y))


def test_labels_that_json_does_not_have():
    X, y = data()
    labels = np.array([b"no", b"yes"])[y]
    certificate = certify(X, labels)
    assert certificate.verify(X, labels)
    with pytest.raises(TypeError, match=r"labels must be text, numbers or booleans .* got b'yes'"):
        certificate.to_json()


def test_rows_without_weight_are_absent():
    X, y = data()
    weight = np.array([1.0, 2.5, 0, 0.1, 1, 1, 0, 3])
    kept = weight > 0
    certificate = certify(X[kept], y[kept], weight[kept])
    assert certificate.n_rows == 6
    assert certificate.verify(X, y, weight)
    assert certificate.verify(X[kept], y[kept], weight[kept].tolist())
    assert certificate.verify(X, np.where(kept, y, 99), weight)
    assert_fails(certificate, "n_rows: it says 6, but is 8")
    assert_fails(certificate, "n_rows: it says 6, but is 0|at least one non-zero", weight=np.zeros(8))


def test_weights_belong_to_the_data():
    X, y = data()
    weight = np.array([1.0, 2.5, 1, 0.1, 1, 1, 1, 3])
    certificate = certify(X, y, weight)
    assert certificate.verify(X, y, weight)
    assert_fails(certificate, "data_checksum: it says .*, but is .*; objective: it says", weight=None)
    assert_fails(certificate, "data_checksum", weight=np.roll(weight, 1))
    assert_fails(certificate, "does not go with the data: .*sample_weight", weight=weight[:-1])
    assert_fails(certificate, "does not go with the data: .*[Nn]egative", weight=-weight)


def test_other_data_fail():
    X, y = data()
    certificate = certify(X, y)
    moved = X.copy()
    moved[0, 1] += 1e-9  # in a feature that no box looks at
    assert_fails(certificate, r"^this certificate does not hold: data_checksum: it says '\w+', but is '\w+'$", moved)
    moved[0, 0] = 4.0
    assert_fails(certificate, "objective: it says 5.9, but is 5.5666", moved)
    assert_fails(certificate, "n_rows: it says 8, but is 7", X[1:], y[1:])
    assert_fails(certificate, "n_positive: it says 5, but is 3", y=1 - y)
    assert_fails(certificate, "data_checksum", y=np.roll(y, 1))
    assert_fails(certificate, "data_checksum", X[:, ::-1])
    assert_fails(certificate, "X has 1 features", X[:, :1])
    assert_fails(certificate, "inconsistent numbers of samples", y=y[1:])
    assert_fails(certificate, r"labels \['0', '1'\] that the model does not know", y=np.where(y == 1, "1", "0"))
    assert_fails(certificate, "data_checksum", np.where(X == 9, np.nan, X))


@pytest.mark.parametrize(("lower", "upper"), [(2.5, 6), (1.5, 6), (1, 6), (-INF, 6), (2, 7), (2, 8), (2, INF), (2, 5)])
def test_a_box_that_was_changed_fails(lower, upper):
    """Even if no row notices: the boxes are then not those that the search found."""
    certificate = certify(*data())
    boxes = BoxSet([[lower, -INF]], [[upper, INF]], feature_names=NAMES)
    figure = "checksum" if lower == 1.5 or upper == 7 else "objective"
    assert_fails(replace(certificate, boxes=boxes), f"does not hold: {figure}: it says")
    assert_fails(Certificate.from_json(edited(certificate, boxes=json.loads(boxes.to_json()))), figure)


def test_a_box_more_or_less_fails():
    certificate = certify(*data())
    box = certificate.boxes
    none, three = box[:0], BoxSet(np.repeat(box.lower, 3, 0), np.repeat(box.upper, 3, 0), feature_names=NAMES)
    assert_fails(replace(certificate, boxes=none), "objective: it says 5.9, but is 1.0")
    assert_fails(replace(certificate, boxes=three), "boxes: there are 3, more than max_boxes=2")
    renamed = BoxSet(box.lower, box.upper, feature_names=["größe", "age"])
    assert_fails(replace(certificate, boxes=renamed), "checksum")
    assert_fails(replace(certificate, boxes=renamed), "data_checksum", pd.DataFrame(data()[0], columns=NAMES))


CHANGES = [
    ({"objective": 5.8}, "status: optimal, but 5.8 is below the bound 5.9"),
    ({"objective": 5.8, "bound": 5.8}, "objective: it says 5.8, but is 5.9"),
    ({"objective": 6.0}, "bound: 5.9 is not at least the objective, 6.0"),
    ({"bound": 5.0}, "bound: 5.0 is not at least the objective, 5.9"),
    ({"bound": 6.0}, "status: optimal, but 5.9 is below the bound 6.0"),
    ({"bound": None}, "status: optimal, but 5.9 is below the bound inf"),
    ({"bound": 6.0, "status": "time_limit"}, "checksum"),
    ({"status": "time_limit"}, "status: time_limit, but the objective is the bound"),
    ({"status": "gap_reached", "bound": None}, "status: gap_reached, but there is no bound"),
    ({"status": "perfect"}, "status: 'perfect' is not one of optimal, gap_reached, "),
    ({"negative_weight": "1/2"}, "objective: it says 5.9, but is 6.4"),
    ({"box_cost": "0"}, "objective: it says 5.9, but is 6.0"),
    ({"margin": 0.5}, "objective: it says 5.9, but is 3.9"),
    ({"margin": -0.5}, "margin: -0.5 is not finite and at least 0"),
    ({"rounding_error": 1.0}, "rounding_error: it says 1.0, but is 0.0"),
    ({"max_boxes": 0}, "boxes: there are 1, more than max_boxes=0"),
    ({"max_boxes": 3}, "checksum"),
    ({"n_rows": 9}, "n_rows: it says 9, but is 8"),
    ({"n_positive": 6}, "n_positive: it says 6, but is 5"),
    ({"pos_label": 0}, "n_positive: it says 5, but is 3"),
    ({"pos_label": 3}, "pos_label: 3 is not one of the classes"),
    ({"classes": [1, 2]}, r"y holds labels \[0\] that the model does not know; it knows \[1, 2\]"),
    ({"data_checksum": "0" * 64}, "data_checksum: it says '0000"),
    ({"checksum": "0" * 64}, "does not hold: checksum: it says '0000"),
    ({"checksum": ""}, "checksum"),
    ({"bound_method": "prayer"}, "checksum"),
    ({"seconds": 0.1}, "checksum"),
    ({"seed": None}, "checksum"),
    ({"negative_weight": "1" + "0" * 400}, "does not go with the data: .*Use smaller costs"),
]


@pytest.mark.parametrize(("changes", "message"), CHANGES, ids=lambda value: "".join(value)[:40])
def test_a_figure_that_was_changed_fails(changes, message):
    certificate = Certificate.from_json(edited(certify(*data()), **changes))
    assert_fails(certificate, message)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"margin": math.nan}, "margin: nan is not finite and at least 0"),
        ({"objective": math.nan}, "bound: 5.9 is not at least the objective, nan"),
        ({"objective": INF, "bound": INF, "status": "heuristic"}, "status: heuristic, but the objective is the bound"),
        ({"seconds": INF}, "seconds: inf is not finite and at least 0"),
    ],
)
def test_a_number_that_no_file_can_hold_fails(changes, message):
    certificate = certify(*data())
    assert_fails(replace(certificate, **changes), message)
    if "bound" not in changes:
        with pytest.raises(CertificateError, match=r"(NaN|Infinity) is not a number in JSON"):
            Certificate.from_json(edited(certificate, **changes))


@pytest.mark.parametrize("status", ["gap_reached", "time_limit", "interrupted", "heuristic"])
def test_an_open_gap(status):
    X, y = data()
    certificate = certify(X, y, bound=Fraction("6.49"), status=status)
    assert certificate.verify(X, y)
    assert certificate.gap == pytest.approx(0.1)
    assert "Gap:       10%" in str(certificate)


def test_no_bound_at_all():
    X, y = data()
    certificate = certify(X, y, bound=INF, status="heuristic")
    read = Certificate.from_json(certificate.to_json())
    assert '"bound": null' in certificate.to_json()
    assert read == certificate
    assert read.bound == read.gap == INF
    assert read.verify(X, y)
    assert "Bound:     none proven\nGap:       inf%" in str(read)


@pytest.mark.parametrize(
    ("objective", "bound", "gap"), [(0, 0, 0), (0, 1, INF), (-2, -1, 0.5), (4, 5, 0.25), (4, 3, 0), (-1, INF, INF)]
)
def test_the_gap_is_a_part_of_the_objective(objective, bound, gap):
    assert replace(certify(*data()), objective=objective, bound=bound).gap == gap


def test_weights_that_are_rounded_leave_room_for_their_error():
    """An optimum in points may differ from the bound by the error of both, and by no more."""
    X, y = data()
    weight = np.array([1.0, math.pi, math.e, math.sqrt(2), 1 / 3, 1 / 7, 1e4, 1])
    boxes = BoxSet([[2, -INF]], [[6, INF]], feature_names=NAMES)
    objective = Objective(X, y == 1, weight, Fraction(1, 3), Fraction(1, 10), 0.0, 2)
    value, error = objective.value(boxes.lower, boxes.upper), objective.in_points().error
    assert error > 0
    assert certify(X, y, weight, boxes, bound=value + 2 * error).verify(X, y, weight)
    too_far = certify(X, y, weight, boxes, bound=value + 3 * error)
    assert_fails(too_far, "status: optimal, but", weight=weight)
    assert certify(X, y, weight, boxes, bound=value + 3 * error, status="time_limit").verify(X, y, weight)


def test_a_bound_that_was_rounded_up_is_still_optimal():
    X, y = data()
    certificate = certify(X, y)
    assert certify(X, y, bound=math.nextafter(certificate.objective, INF)).verify(X, y)


def test_the_margin_is_that_of_the_objective():
    X, y = data()
    grown = BoxSet([[1.5, -INF]], [[6.5, INF]], feature_names=NAMES)
    assert certify(X, y, boxes=grown, margin=0.5).objective == float(5 + Fraction(2, 3) - Fraction(1, 10))
    assert certify(X, y, boxes=grown, margin=0.25).objective == float(6 - Fraction(1, 10))
    assert certify(X, y, boxes=grown, margin=0.5).verify(X, y)


def test_a_file(tmp_path):
    X, y = data()
    certificate = certify(X, y)
    path = tmp_path / "certificate.json"
    text = certificate.to_json(path)
    assert path.read_text(encoding="utf-8") == text + "\n"
    for source in (path, str(path), text, text.encode(), "\ufeff" + text):
        assert Certificate.from_json(source) == certificate
    document = json.loads(text)
    assert list(document)[:2] == ["format", "version"]
    assert (document["negative_weight"], document["box_cost"]) == ("1/3", "1/10")
    assert BoxSet.from_json(json.dumps(document["boxes"])) == certificate.boxes
    assert '\n    "features": [\n      {"name": "age", "kind": "numeric"},\n      {"name": "größe", ' in text


def test_numbers_to_print_of_version_0_1_are_ignored():
    X, y = data()
    boxes = BoxSet([[1.99999, -INF]], [[6, INF]], feature_names=NAMES)
    certificate = certify(X, y, boxes=boxes)
    old = json.loads(certificate.to_json())
    old["boxes"]["boxes"][0]["limits"][0]["shown_lower"] = 900
    old["boxes"]["shown_checksum"] = "0123456789abcdef"
    read = Certificate.from_json(json.dumps(old))
    assert read == certificate
    assert read.boxes.to_text() == "Box 1: 1.99999 ≤ age ≤ 6"
    assert read.verify(X, y)


def test_names_and_labels_with_anything_in_them():
    X, y = data()
    names = ['a\n"b"\u2028\\', "\ud800"]
    boxes = BoxSet([[2, -INF]], [[6, 8]], feature_names=names)
    labels = np.array(["no\u2028\n", 'yes "\ud800"'], dtype=object)[y]
    certificate = certify(X, labels, boxes=boxes)
    text = certificate.to_json()
    assert Certificate.from_json(text.encode()) == certificate
    assert Certificate.from_json(text).verify(X, labels)


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False) | st.just(INF),
    st.fractions(0),
    st.integers() | st.none(),
    st.text() | st.integers() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False),
)
@settings(deadline=None)
def test_round_trip_to_the_last_bit(number, bound, cost, seed, label):
    bound = max(bound, number)
    about = {"objective": number, "bound": bound, "box_cost": cost, "seed": seed, "pos_label": label, "margin": number}
    certificate = replace(certify(*data()), **about, classes=(label, "other"), checksum="")
    read = Certificate.from_json(certificate.to_json())
    assert read == certificate
    assert read.to_json() == certificate.to_json()
    assert read.checksum == certificate.checksum


BROKEN = {
    "no JSON": ("{", "Expecting property name"),
    "no certificate": (
        '{"format": "boxdraw.boxes", "version": 1}',
        'expected "format": "boxdraw.certificate"',
    ),
    "not UTF-8": (b'{"\xff', "not UTF-8 at byte 2"),
    "nested": ('{"a":' * 100_000, ""),
    "a newer version": ({"version": 4}, "written by a newer boxdraw"),
    "true as the version": ({"version": True}, "version: expected a whole number from 1 on, got True"),
    "true as a number of rows": ({"n_rows": True}, "n_rows: expected int, got True"),
    "a key twice": ('{"format": "boxdraw.certificate", "format": 1}', "the key 'format' appears twice in one object"),
    "a key too many": ({"boxen": 1}, "missing or unknown: boxen"),
    "text for a number": ({"objective": "5.9"}, "objective: expected float, got '5.9'"),
    "no number": ({"objective": None}, "objective: expected float, got None"),
    "too large": ({"objective": 10**400}, "too large"),
    "a part of a row": ({"n_rows": 8.5}, "n_rows: expected int, got 8.5"),
    "a float for a fraction": ({"box_cost": 0.1}, "box_cost: expected Fraction, got 0.1"),
    "a decimal for a fraction": ({"box_cost": "0.1"}, "box_cost: expected Fraction, got '0.1'"),
    "a power for a fraction": ({"box_cost": "1e999999999"}, "box_cost: expected Fraction"),
    "nothing to divide by": ({"box_cost": "1/00"}, "box_cost: expected Fraction, got '1/00'"),
    "below zero": ({"box_cost": "-1/2"}, "box_cost: expected Fraction, got '-1/2'"),
    "three classes": ({"classes": [0, 1, 2]}, r"classes: expected tuple\[Any, Any\], got \[0, 1, 2\]"),
    "a list as a label": ({"pos_label": [1]}, r"pos_label: expected Any, got \[1\]"),
    "no seed": ({"seed": "7"}, r"seed: expected int \| None, got '7'"),
    "no boxes": ({"boxes": []}, "in boxes: expected an object"),
    "boxes without features": ({"boxes": {"format": "boxdraw.boxes", "version": 1}}, "lacks features, boxes"),
}


@pytest.mark.parametrize(("source", "message"), BROKEN.values(), ids=BROKEN)
def test_a_file_that_cannot_be_read(source, message):
    text = edited(certify(*data()), **source) if isinstance(source, dict) else source
    with pytest.raises(CertificateError, match=f"(?s)^cannot read a certificate from this JSON: .*{message}"):
        Certificate.from_json(text)


def test_a_file_that_lacks_something():
    document = json.loads(certify(*data()).to_json())
    for key in document:
        with pytest.raises(CertificateError, match=key):
            Certificate.from_json(json.dumps({name: value for name, value in document.items() if name != key}))


def test_it_reads_well_and_travels():
    X, y = data()
    certificate = certify(X, y, bound=Fraction(6), status="time_limit")
    assert str(certificate) == repr(certificate)
    assert str(certificate).splitlines() == [
        "Certificate of 1 of at most 2 boxes, for class 1: 5 of 8 rows",
        "Objective: 5.9, found by destroy and repair",
        "Bound:     6, proven by column generation",
        "Gap:       1.69%",
        "Status:    time_limit after 0.5 s",
    ]
    assert certificate.proven
    claimed = certify(X, y, bound=Fraction(6), status="time_limit", bound_method="HiGHS in floating point")
    assert "Bound:     6, not proven, claimed by HiGHS in floating point" in str(claimed)
    assert not claimed.proven
    assert not certify(X, y, bound=math.inf, status="time_limit").proven
    for other in (pickle.loads(pickle.dumps(certificate)), copy.deepcopy(certificate)):
        assert other == certificate
        assert hash(other) == hash(certificate)
        assert other.verify(X, y)


def plain_checksum(X, positive, weight):
    """Hash sorted rows: by weight, then class, then the last feature and so on; in plain Python."""
    rows = [[*x, float(p), w] for x, p, w in zip(X.tolist(), positive.tolist(), weight.tolist(), strict=True)]
    rows = [[value + 0.0 for value in row] for row in rows]
    rows.sort(key=lambda row: [(value != value, 0.0 if value != value else value) for value in row[::-1]])
    content = b"".join(struct.pack("<d", value) for row in rows for value in row)
    return hashlib.sha256(repr((len(rows), X.shape[1] + 2)).encode() + content).hexdigest()


@pytest.mark.parametrize("weighted", [False, True])
def test_the_checksum_of_the_data_is_that_of_the_sorted_rows(weighted):
    """It has to stay so: certificates that were written before have to hold."""
    rng = np.random.default_rng(5)
    X = rng.integers(-1, 2, (60, 3)) * 0.5
    X[X == 0.5] = np.nan
    X[rng.random(X.shape) < 0.2] = -0.0
    y = np.arange(60) % 2
    weight = rng.integers(1, 4, 60) / 2 if weighted else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("boxdraw.learners.exact.certificate.tiles", lambda n_rows, width: [slice(0, 7), slice(7, n_rows)])
        found = about_data(Objective(X, y == 1, weight, Fraction(1, 3), Fraction(1, 10), 0.0, 2))["data_checksum"]
    assert found == plain_checksum(X, y == 1, np.ones(60) if weight is None else weight)


def test_a_certificate_of_version_1_still_holds():
    """The file beside this one: names and categories that are not ASCII, weights, whole numbers as categories."""
    text = (Path(__file__).parent / "certificate_v1.json").read_text(encoding="utf-8")
    certificate = Certificate.from_json(text)
    assert certificate.to_json() + "\n" == text
    kinds = ["groß", "klein", "groß", "groß", "mittel", "groß", "groß", "klein"]
    table = pd.DataFrame({"größe": data()[0][:, 0], "art": kinds, "klasse": [1, 2, 2, 2, 3, 2, 2, 1]})
    y, weight = np.where(data()[1] == 1, "Störung", "in Ordnung"), np.array([1, 2.5, 1, 0.5, 1, 1, 1, 3])
    assert certificate.verify(table, y, weight)
    assert certificate.objective == float(Fraction("3.5") + (1 + 1 + 3) * Fraction(1, 3) - Fraction(1, 10))
    other = certificate.boxes.replace(0, "klasse", categories={2, 3})
    assert_fails(replace(certificate, boxes=other), "checksum: it says", table, y, weight)


def test_a_number_that_json_does_not_have_is_not_written():
    for margin in (math.nan, -INF):
        with pytest.raises(ValueError, match="not JSON compliant"):
            replace(certify(*data()), margin=margin).to_json()


def test_an_optimum_may_be_off_by_exactly_the_rounding():
    """Numbers of which sums are exact: 5 + 2 * (1/2 + one unit in the last place) is the last bound that is reached."""
    certificate, ulp = replace(certify(*data()), objective=5.0, rounding_error=0.5), math.ulp(6.0)
    for bound, is_proven in ((6.0, True), (6.0 + 2 * ulp, True), (6.0 + 3 * ulp, False)):
        with pytest.raises(CertificateError) as caught:
            replace(certificate, bound=bound).verify(*data())
        assert ("status: optimal, but" not in str(caught.value)) == is_proven


def test_nothing_can_be_set():
    certificate = certify(*data())
    with pytest.raises(AttributeError):
        certificate.objective = 7.0
    assert not hasattr(certificate, "__dict__")

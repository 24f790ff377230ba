import builtins
import json
import math

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.onnx import onnx_inputs, to_onnx
from boxdraw.model.rule import Limit, Rule

from .cases import NAMES, NUMBERS, TEXTS, random_boxes, random_rows

INF = math.inf


def session_of(boxes):
    """The model as a runtime reads it, from bytes; every model has to pass ONNX's own checks first."""
    model = to_onnx(boxes)
    onnx.checker.check_model(model, full_check=True)
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def run(boxes, X):
    return session_of(boxes).run(["label", "boxes"], onnx_inputs(boxes, X))


def assert_agrees(boxes, X):
    """Row for row and box for box, in types and shapes too."""
    label, inside = run(boxes, X)
    assert (label.dtype, inside.dtype) == (np.int64, np.bool_)
    np.testing.assert_array_equal(inside, boxes.membership(X), strict=True)
    np.testing.assert_array_equal(label, boxes.contains(X).astype(np.int64), strict=True)
    return label


def mapping(boxes):
    """What the metadata says about the inputs."""
    properties = {item.key: item.value for item in to_onnx(boxes).metadata_props}
    return json.loads(properties["boxdraw.inputs"])


# the same answer as the boxes


def test_random_models_agree_row_for_row():
    rng = np.random.default_rng(0)
    labels = [assert_agrees(boxes := random_boxes(rng), random_rows(rng, boxes, 200)) for _ in range(60)]
    rates = [label.mean() for label in labels]
    assert sum(map(len, labels)) >= 10_000
    # Rates between, so that the agreement says something.
    assert sum(0 < rate < 1 for rate in rates) >= 20


def test_every_name_and_every_category_at_once():
    """Names and categories of all kinds, in a single model."""
    rng = np.random.default_rng(1)
    limits = [Limit(name, lower=0, missing=True) for name in NAMES[:10]]
    limits += [Limit(name, categories=frozenset(TEXTS[j::2])) for j, name in enumerate(NAMES[10:])]
    boxes = BoxSet.from_rules([Rule(tuple(limits)), Rule((limits[3], limits[12]))], NAMES)
    label = assert_agrees(boxes, random_rows(rng, boxes, 2000))
    assert 0 < label.sum() < len(label)


def test_numbers_are_compared_as_doubles():
    """One step of the last bit beside a limit is on the other side of it; with floats of 32 bits it would not be."""
    limits = np.array(sorted({number + 0.0 for number in NUMBERS}))
    boxes = BoxSet(limits[:, None], limits[:, None])
    near = np.concatenate([limits, np.nextafter(limits, INF), np.nextafter(limits, -INF)])
    assert assert_agrees(boxes, near[:, None]).sum() >= len(limits)
    assert run(boxes, limits[:, None])[1].sum() == len(limits)


@pytest.mark.parametrize("missing", [False, True])
def test_infinities_and_missing_numbers(missing):
    X = [[-INF], [-1.0], [0.0], [1.0], [INF], [math.nan]]
    pairs = [(-INF, 0), (0, INF), (-INF, INF)] + [(INF, -INF)] * missing
    for lower, upper in pairs:
        boxes = BoxSet([[lower]], [[upper]], missing=[[missing]])
        inside = [lower <= x <= upper for (x,) in X[:-1]] + [missing]
        assert assert_agrees(boxes, X).tolist() == inside


@pytest.mark.parametrize("missing", [False, True])
def test_missing_and_unknown_text(missing):
    """The empty text is a category like any other, and no missing value."""
    column = pd.DataFrame({"region": ["north", "", None, "south", "unheard of", "?", "??????"]})
    sets = {frozenset({"north", ""}): [1, 1, missing, 0, 0, 0, 0], None: [1, 1, missing, 1, 1, 1, 1]}
    if missing:
        sets[frozenset()] = [0, 0, 1, 0, 0, 0, 0]
    for inside, expected in sets.items():
        rule = Rule((Limit("region", categories=inside, missing=missing),))
        boxes = BoxSet.from_rules([rule], ["region"], {"region": ["north", "", "south"]})
        assert assert_agrees(boxes, column).tolist() == expected


def test_categories_that_are_numbers():
    known = [0, 1.5, 2**53, -3, 2**63]
    boxes = BoxSet.from_rules(
        [Rule((Limit("code", categories=frozenset({0, 1.5, 2**63})),))], ["code"], {"code": known}
    )
    values = [0, -0.0, False, 1.5, 1.5000000000000002, -3, 2**53, 2**53 + 1, 2**63, 2**63 - 1, None, math.nan, "0"]
    column = pd.DataFrame({"code": pd.Series(values, dtype=object)})
    assert assert_agrees(boxes, column).tolist() == [1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0]


def test_true_and_false_are_one_and_zero():
    boxes = BoxSet([[-INF]], [[INF]], feature_names=["member"], allowed={"member": [{True}]})
    assert assert_agrees(boxes, pd.DataFrame({"member": [True, False]})).tolist() == [1, 0]
    label = session_of(boxes).run(["label"], {"member": np.array([[1.0], [0.0], [math.nan]])})[0]
    assert label.tolist() == [1, 0, 0]


def test_texts_with_nothing_to_see():
    """Texts that differ only in what is not printed stay apart."""
    texts = ["a", "a\0", "\0", " a", "a ", "\u00e9", "e\u0301", "A"]
    for text in texts:
        boxes = BoxSet([[-INF]], [[INF]], feature_names=["t"], categories={"t": texts}, allowed={"t": [{text}]})
        X = np.array(texts, dtype=object)[:, None]
        assert assert_agrees(boxes, X).tolist() == [other == text for other in texts]


# boxes that look at nothing, rows that are not there


@pytest.mark.parametrize("n_rows", [0, 1, 5])
@pytest.mark.parametrize("categorical", [False, True])
def test_nothing_to_look_at(n_rows, categorical):
    options = {"feature_names": ["a", "b"], "categories": {"a": ["x"]} if categorical else {}}
    X = np.array([["x" if categorical else 1.0, 2.0]] * n_rows, dtype=object).reshape(n_rows, 2)
    none = BoxSet(np.empty((0, 2)), np.empty((0, 2)), **options)
    label, inside = run(none, X)
    assert label.tolist() == [0] * n_rows
    assert inside.shape == (n_rows, 0)
    everything = BoxSet([[-INF, -INF]], [[INF, INF]], **options)
    assert [item["feature"] for item in mapping(everything)] == ["a"]
    label, inside = run(everything, X)
    assert label.tolist() == [1] * n_rows
    assert inside.shape == (n_rows, 1)


def test_only_features_that_are_looked_at_go_in():
    boxes = BoxSet([[-INF, 1, -INF]], [[INF, 2, INF]], feature_names=["a", "b", "c"])
    assert [value.name for value in session_of(boxes).get_inputs()] == ["b"]
    assert onnx_inputs(boxes, pd.DataFrame({"b": [1.5], "a": [0], "c": [0]})).keys() == {"b"}


def test_no_known_category():
    """Every text is unknown then, the empty one too, and only missing values differ."""
    for inside, missing, expected in ((None, False, [1, 1, 0]), (frozenset(), True, [0, 0, 1])):
        rule = Rule((Limit("t", categories=inside, missing=missing),))
        label, _ = run(BoxSet.from_rules([rule], ["t"], {"t": []}), [["a"], [""], [None]])
        assert label.tolist() == expected


# names


def test_names_that_the_model_needs_itself():
    """A feature may be called as the outputs, as an inner part, or as what another one is renamed to."""
    inner = {name for node in to_onnx(BoxSet([[1, 1]], [[2, 2]])).graph.node for name in (*node.input, *node.output)}
    names = [
        "label",
        "label_",
        "boxes",
        "",
        "feature_3",
        "\ud800",
        "t",
        "t__missing",
        *sorted(inner - {"label", "boxes"}),
    ]
    boxes = BoxSet([[1] * len(names)], [[2] * len(names)], feature_names=names)
    assert_agrees(boxes, [[1.5] * len(names), [0.5, *[1.5] * (len(names) - 1)], [*[1.5] * (len(names) - 1), 0.5]])
    rule = Rule((Limit("t", categories={"u"}), Limit("t__missing", lower=1), Limit("", upper=3)))
    boxes = BoxSet.from_rules([rule], names)
    rows = np.ones((4, len(names)), dtype=object)
    rows[:, names.index("t")] = ["u", None, "v", "u"]
    rows[3, names.index("t__missing")] = 0
    assert assert_agrees(boxes, rows).tolist() == [1, 0, 0, 0]


def test_the_metadata_say_which_input_is_which_feature():
    rule = Rule((Limit("", upper=3), Limit("label", categories={"u"}), Limit("a\nb", lower=1)))
    boxes = BoxSet.from_rules([rule], ["a\nb", "label", "feature_2", ""])
    assert mapping(boxes) == [
        {"feature": "a\nb", "input": "a\nb"},
        {"feature": "label", "input": "label_", "missing_input": "label___missing"},
        {"feature": "", "input": "feature_3"},
    ]
    names = ["a\nb", "label_", "label___missing", "feature_3"]
    assert [value.name for value in session_of(boxes).get_inputs()] == names
    assert list(onnx_inputs(boxes, [[1, "u", 2, 3]])) == names


def test_the_model_says_what_it_flags():
    boxes = BoxSet([[30]], [[40]], feature_names=["a\nb"])
    model = to_onnx(boxes)
    assert model.graph.doc_string == r"Box 1: 30 ≤ a\nb ≤ 40"
    assert model.producer_name == "boxdraw"


def test_a_saved_model_reads_back(tmp_path):
    boxes = BoxSet([[30]], [[40]], feature_names=["age"])
    onnx.save(to_onnx(boxes), tmp_path / "boxes.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "boxes.onnx")
    assert session.run(["label"], {"age": np.array([[29.0], [30.0]])})[0].tolist() == [0, 1]


def test_writing_twice_gives_the_same_bytes():
    rng = np.random.default_rng(2)
    for _ in range(10):
        boxes = random_boxes(rng)
        again = BoxSet.from_json(boxes.to_json())
        assert to_onnx(boxes).SerializeToString() == to_onnx(again).SerializeToString()


# tables


def test_inputs_from_any_table():
    rule = Rule((Limit("age", lower=30, missing=True), Limit("region", categories={"north"}, missing=True)))
    boxes = BoxSet.from_rules([rule], ["age", "region"])
    columns = {"region": ["north", None, "south"], "age": [45, 30, 30]}
    rows = [[45, "north"], [30, None], [30, "south"]]
    tables = [pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns), rows, np.array(rows, dtype=object)]
    tables.append(pd.DataFrame(columns).astype({"region": "category", "age": "Int64"}))
    for X in tables:
        inputs = onnx_inputs(boxes, X)
        assert [(name, column.dtype.kind, column.shape) for name, column in inputs.items()] == [
            ("age", "f", (3, 1)),
            ("region", "O", (3, 1)),
            ("region__missing", "b", (3, 1)),
        ]
        assert assert_agrees(boxes, X).tolist() == [1, 1, 0]


def test_inputs_of_a_wrong_table():
    boxes = BoxSet([[30]], [[40]], feature_names=["age"])
    with pytest.raises(ValueError, match=r"lacks the columns \['age'\]"):
        onnx_inputs(boxes, pd.DataFrame({"size": [1]}))


# what cannot be written


@pytest.mark.parametrize(
    ("categories", "message"),
    [
        (["a", 1], "'code' has both text and other categories, but a tensor of ONNX has one type"),
        ([True, "True"], "'code' has both text and other categories"),
        ([1, 2**53 + 1], "category 9007199254740993 of 'code' is no float64"),
        ([10**400], "of 'code' is no float64"),
        (["a", "\ud800"], r"category '\\ud800' of 'code' is not valid Unicode, as ONNX asks: rename it"),
    ],
)
def test_categories_that_no_tensor_holds(categories, message):
    boxes = BoxSet.from_rules([Rule((Limit("code", categories=categories),))], ["code"])
    for write in (to_onnx, lambda boxes: onnx_inputs(boxes, [[1]])):
        with pytest.raises(ValueError, match=message):
            write(boxes)


def test_without_onnx_the_error_says_what_to_install(monkeypatch):
    def refuse(name, *arguments, **options):
        if name == "onnx":
            raise ImportError(name)
        return original(name, *arguments, **options)

    original = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ImportError, match=r"to_onnx needs onnx: pip install 'boxdraw\[onnx\]'"):
        to_onnx(BoxSet([[1]], [[2]]))

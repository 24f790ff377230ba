import ast
import builtins
import inspect
import math
from decimal import Decimal
from enum import Enum, IntEnum

import numpy as np
import pandas as pd
import pytest

from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.python import to_python
from boxdraw.model.rule import Limit, Rule

from .cases import NAMES, TEXTS, random_boxes, random_rows

INF = math.inf
SEEDS = range(60)
ROWS = 200
HOSTILE = ('"""', '""""', "'''", "\\", '\\"""', "\n    return True\n", "#", "{x}", "\0", "\ud800", "\u2028", "\x0c")


def make(*limits, categories=None):
    """Return one box."""
    return BoxSet.from_rules([Rule(limits)], [limit.feature for limit in limits], categories)


def function(boxes, name="flag"):
    """Return the function, made where only Python's own names are known."""
    space = {"__builtins__": builtins}
    exec(compile(to_python(boxes, name), "generated", "exec"), space)
    return space[name]


def rows_of(frame):
    return [dict(zip(frame.columns, row, strict=True)) for row in frame.itertuples(index=False, name=None)]


# the labels


def test_agrees_on_random_rows():
    seen = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        boxes = random_boxes(rng)
        frame = random_rows(rng, boxes, ROWS)
        inside = boxes.contains(frame)
        flag = function(boxes)
        labels = [flag(row) for row in rows_of(frame)]
        assert {type(label) for label in labels} == {bool}
        np.testing.assert_array_equal(labels, inside, err_msg=f"seed {seed}")
        seen += inside.tolist()
    assert len(seen) >= 10_000
    assert 0.2 < np.mean(seen) < 0.8


@pytest.mark.parametrize("missing", [None, math.nan, np.float32("nan"), np.float64("nan"), pd.NA, pd.NaT])
def test_missing_values(missing):
    for known in (None, {"x": [1, 2]}):
        inside = {"categories": {1}} if known else {"lower": 1, "upper": 1}
        only = {"categories": set()} if known else {"lower": INF, "upper": -INF}
        for limit, expected in (
            (Limit("x", **inside), [True, False, False]),
            (Limit("x", **inside, missing=True), [True, False, True]),
            (Limit("x", **only, missing=True), [False, False, True]),
            (Limit("x"), [True, True, False]),
        ):
            flag = function(make(limit, categories=known))
            assert [flag({"x": 1}), flag({"x": 2}), flag({"x": missing})] == expected


@pytest.mark.parametrize("kind", [int, float, np.int8, np.uint64, np.float16, np.float32, np.longdouble, Decimal])
def test_numbers_of_any_type(kind):
    flag = function(BoxSet([[2]], [[3]], feature_names=["x"]))
    assert [flag({"x": kind(value)}) for value in (1, 2, 3, 4)] == [False, True, True, False]
    flag = function(make(Limit("x", categories={2, 3})))
    assert [flag({"x": kind(value)}) for value in (1, 2, 3, 4)] == [False, True, True, False]


def test_numbers_are_compared_as_float64():
    tenth = function(BoxSet([[-INF]], [[0.1]], feature_names=["x"]))
    assert not tenth({"x": np.float32(0.1)})  # NumPy would round the limit instead
    assert tenth({"x": Decimal("0.1")})
    whole = function(BoxSet([[-INF]], [[2**53]], feature_names=["x"]))
    assert whole({"x": 2**53 + 1})
    assert [function(BoxSet([[0]], [[1]], feature_names=["x"]))({"x": value}) for value in (True, -0.0)] == [True] * 2


def test_text_is_no_number():
    flag = function(BoxSet([[1]], [[3]], feature_names=["x"]))
    for text in ("2", b"2", np.str_("2")):
        with pytest.raises(TypeError, match="expected a number, got"):
            flag({"x": text})


class Odd:
    """Raises on every comparison."""

    __hash__ = object.__hash__

    def __eq__(self, other):
        raise RuntimeError

    def __bool__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    "value",
    [[], {}, {"north"}, np.array(["north"]), np.array([]), np.array([math.nan]), ([],), object(), Odd(), 1j, b""],
)
def test_what_is_no_category_is_in_no_set(value):
    categories = {"x": ["north", "south"]}
    assert not function(make(Limit("x", categories={"north"}, missing=True), categories=categories))({"x": value})
    assert not function(make(Limit("x", categories=set(), missing=True), categories=categories))({"x": value})
    assert function(make(Limit("x"), categories=categories))({"x": value})


def test_categories_are_compared_as_python_does():
    text = function(make(Limit("x", categories={"north", ""})))
    values = ["north", np.str_("north"), "North", "north ", "", " ", "nan"]
    assert [text({"x": value}) for value in values] == [True, True, False, False, True, False, False]
    numbers = function(make(Limit("x", categories={True, 2.5, 2**60})))
    values = [True, np.True_, 1, 1.0, np.float32(2.5), 2**60, 2**60 + 1, "True"]
    assert [numbers({"x": value}) for value in values] == [True] * 6 + [False] * 2


def test_members_of_enumerations_are_their_values():
    class Place(str, Enum):  # noqa: UP042 (its repr is no expression)
        NORTH = "north"

    class Level(IntEnum):
        HIGH = 3

    flag = function(make(Limit("x", categories={Place.NORTH}), Limit("y", categories={Level.HIGH})))
    assert flag({"x": "north", "y": 3})


def test_features_that_the_row_lacks():
    boxes = BoxSet.from_rules([Rule((Limit("a", lower=1),)), Rule((Limit("b", lower=1),))], ["a", "b", "c"])
    flag = function(boxes)
    assert flag({"a": 2, "b": 0, "more": object()})
    with pytest.raises(KeyError, match=r"^'b'$"):  # although the first box holds the row
        flag({"a": 2})


def test_a_row_of_a_frame_is_a_mapping():
    boxes = BoxSet([[1, -INF]], [[3, 5]], feature_names=["a", "b"])
    frame = pd.DataFrame({"b": [5, 6], "a": [1, 2]})
    assert [function(boxes)(row) for _, row in frame.iterrows()] == boxes.contains(frame).tolist() == [True, False]


def test_no_boxes_and_no_limits():
    boxes = BoxSet([[-INF], [1]], [[INF], [2]], feature_names=["x"])
    assert not function(boxes[:0])({})
    assert function(boxes[:1])({})
    assert function(boxes)({"x": 5})
    with pytest.raises(KeyError):
        function(boxes)({})


# the source


def test_the_source_is_as_expected():
    boxes = BoxSet.from_rules(
        [
            Rule((Limit("age", lower=30), Limit("dose", 0.1, 2), Limit("it's", categories={"b", "a"}, missing=True))),
            Rule((Limit("age", upper=0.1 + 0.2, missing=True),)),
            Rule((Limit("it's", categories={f"category {i}" for i in range(4)}), Limit("dose"))),
        ],
        ["age", "unused", "dose", "it's"],
        {"it's": ["b", "a", *(f"category {i}" for i in range(4))]},
    )
    lines = to_python(boxes, "suspicious").split("\n")
    assert lines[:2] == [
        "def suspicious(row):",
        '    """Say whether a row, a mapping of feature names to values, is in any box.',
    ]
    start = lines.index("    x0 = number(row['age'])")
    assert (
        "\n".join(lines[start:])
        == """    x0 = number(row['age'])
    x2 = number(row['dose'])
    x3 = category(row["it's"])

    # Box 1
    if x0 >= 30.0 and 0.1 <= x2 <= 2.0 and (x3 in {'b', 'a'} or x3 is None):
        return True
    # Box 2
    if x0 <= 0.30000000000000004 or x0 != x0:
        return True
    # Box 3
    if (
        x2 == x2
        and x3 in {
            'category 0',
            'category 1',
            'category 2',
            'category 3',
        }
    ):
        return True
    return False
"""
    )
    assert to_python(boxes, "suspicious") == "\n".join(lines)


def test_an_equality_is_written_as_one():
    boxes = make(Limit("hour", 5, 5))
    assert "    if x0 == 5.0:\n" in to_python(boxes)
    assert [function(boxes)({"hour": hour}) for hour in (5, 5.5, None)] == [True, False, False]


def test_long_conditions_are_broken():
    boxes = make(*(Limit(f"feature {j}", j, j + 0.5, missing=True) for j in range(5)))
    source = to_python(boxes)
    assert "    if (\n        (0.0 <= x0 <= 0.5 or x0 != x0)\n        and (1.0 <= x1 <= 1.5 or x1 != x1)\n" in source
    assert function(boxes)({f"feature {j}": j for j in range(5)})


def test_the_docstring_lists_the_rules():
    boxes = BoxSet([[30.000000000000004]], [[INF]], feature_names=["age"])
    # Python 3.13 and later take the indent out of docstrings when they compile.
    assert f"\n{boxes.to_text()}\n" in inspect.getdoc(function(boxes))
    assert "Box 1: age ≥ 30.000000000000004\n" in function(boxes).__doc__
    assert not function(boxes)({"age": 30})


def test_hostile_names_and_categories():
    names, texts = [*NAMES, *HOSTILE], [*TEXTS, *HOSTILE]
    boxes = make(*(Limit(name, categories=set(texts)) for name in names))
    flag = function(boxes)
    for line in boxes.to_text().split("\n"):
        assert line in flag.__doc__
    for text in texts:
        assert flag(dict.fromkeys(names, text))
    assert not flag(dict.fromkeys(names, "unseen"))
    tree = ast.parse(to_python(boxes))
    assert [type(node) for node in tree.body] == [ast.FunctionDef]


def test_nothing_is_imported():
    for seed in SEEDS:
        nodes = list(ast.walk(ast.parse(to_python(random_boxes(np.random.default_rng(seed))))))
        assert not [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        own = {name for name in names if name[0] == "x" and name[1:].isdigit()}
        assert names - own <= {"row", "value", "number", "category"} | set(dir(builtins))


def test_the_source_does_not_depend_on_the_order_of_sets():
    texts = [f"t{i}" for i in range(30)]
    one, other = (make(Limit("x", categories=order), categories={"x": texts}) for order in (texts, texts[::-1]))
    assert to_python(one) == to_python(other)
    places = [to_python(one).index(f"'{text}'") for text in texts]
    assert places == sorted(places)


@pytest.mark.parametrize("name", ["number", "category", "row", "match", "größe", "_", "x0"])
def test_names_of_the_function(name):
    boxes = make(Limit("a", lower=1), Limit("b", categories={"c"}))
    assert function(boxes, name)({"a": 1, "b": "c"})


@pytest.mark.parametrize(
    "name", ["", "1a", "a b", "class", "None", "f(x):#", "a.b", "float", "isinstance", "\ufb02oat", "__debug__", 3]
)
def test_names_that_no_function_can_have(name):
    with pytest.raises(ValueError, match=r"^name "):
        to_python(BoxSet([[1]], [[2]]), name)

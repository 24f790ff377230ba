"""Boxes and scorecards as ONNX models, for runtimes without Python.

The model has an input per feature that any box limits, each of shape [n, 1]:

- a feature of numbers is a double tensor, with NaN for missing values;
- so is one whose categories are numbers or true and false, with 1 for true and 0 for false;
- one whose categories are text is a string tensor. No text can stand for a missing value, because every text may be a
  category, so a second input, a bool tensor, says where the value is missing; the text there does not matter.

An input has the name of its feature, and the one for missing values that name and ``__missing``. The few names that
ONNX cannot have, or that the model needs itself, are replaced: the metadata entry ``boxdraw.inputs`` lists, as JSON,
the ``feature`` of each ``input``, and its ``missing_input`` if it has one. `onnx_inputs` makes the inputs from a table.

The outputs of boxes are ``label``, int64 of shape [n], with 1 for the rows in any box; and ``boxes``, bool of shape
[n, n_boxes], with a column per box. Scorecards have the same, with 1 for the rows with enough points, and ``points``,
int64 of shape [n]; and ``reasons``, int64 of shape [n, n_boxes]: the numbers, from 1, of the boxes that hold the row,
those with most points first, then zeros. If a risk is given there is one more: ``risk``, double of shape [n]; the
inputs are then also those of its boxes. Everything is compared in double precision, as `BoxSet` does.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from boxdraw.model.export.view import View, view_of
from boxdraw.model.rows import MISSING, UNSEEN, read_columns
from boxdraw.model.rule import Category

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto

    from boxdraw.model.boxes import BoxSet
    from boxdraw.model.risk import RiskTable
    from boxdraw.model.scorecard import Scorecard

__all__ = ["is_double", "onnx_inputs", "to_onnx"]

# Double comparisons with both equalities need 13; LabelEncoder of doubles needs 4.
_OPSETS = {"": 17, "ai.onnx.ml": 4}
_IR_VERSION = 8
_OUTPUTS = ("label", "boxes", "risk")
_OF_CARDS = ("points", "reasons")


def to_onnx(drawing: BoxSet | Scorecard, risk: RiskTable | None = None) -> ModelProto:
    """Write boxes or a card as an ONNX model; the module documents its inputs and outputs."""
    try:
        import onnx
    except ImportError:
        raise ImportError("to_onnx needs onnx: pip install 'boxdraw[onnx]'") from None
    view = view_of(drawing, risk)
    inputs = _inputs(view)
    graph = _Graph(onnx, {*_OUTPUTS, *_OF_CARDS, *(name for given in inputs for name in given.names)})
    met = reduce(lambda one, other: graph.node("And", one, other), [_met(graph, view.read, given) for given in inputs])
    held = met if view.read is view.boxes else _columns(graph, met, range(len(view.card)))
    points = _add_outputs(graph, held, view)
    if view.by_points:
        _add_risk_of_points(graph, points, view)
    elif risk is not None:
        _add_risk(graph, met, view)
    model = onnx.helper.make_model(
        onnx.helper.make_graph(graph.nodes, "boxes", graph.inputs, graph.outputs, graph.constants, drawing.to_text()),
        opset_imports=[onnx.helper.make_opsetid(domain, version) for domain, version in _OPSETS.items()],
        ir_version=_IR_VERSION,
        producer_name="boxdraw",
    )
    onnx.helper.set_model_props(model, {"boxdraw.inputs": json.dumps([given.described() for given in inputs])})
    return model


def onnx_inputs(boxes: BoxSet | Scorecard, X: Any, risk: RiskTable | None = None) -> dict[str, npt.NDArray[Any]]:
    """Make the inputs of the model that `BoxSet.to_onnx` or `Scorecard.to_onnx` writes.

    Parameters
    ----------
    boxes : BoxSet or Scorecard
        The boxes or the card of the model.
    X : array-like or frame of shape (n_samples, n_features)
        The rows.
    risk : RiskTable, optional
        The one that the model was written with.

    Returns
    -------
    dict of str to ndarray of shape (n_samples, 1)
        A column per input. Categories that the boxes do not know are replaced by another one that they do not know.

    Examples
    --------
    >>> from boxdraw import BoxSet, onnx_inputs
    >>> inf = float("inf")
    >>> boxes = BoxSet([[30, -inf]], [[inf, inf]], feature_names=["age", "region"], allowed={"region": [{"north"}]})
    >>> for name, column in onnx_inputs(boxes, [[45, "north"], [None, None]]).items():
    ...     print(name, column.tolist())
    age [[45.0], [nan]]
    region [['north'], ['']]
    region__missing [[False], [True]]
    """
    view = view_of(boxes, risk)
    inputs = _inputs(view)
    _, columns = read_columns(X, view.read, [given.feature for given in inputs])
    result = {}
    for given in inputs:
        column = columns[given.feature]
        if given.known is None:
            result[given.name] = column.astype(np.float64)
        else:
            result[given.name] = _values_at(column, given.known)
        if given.missing is not None:
            result[given.missing] = column == MISSING
    return {name: column.reshape(-1, 1) for name, column in result.items()}


def _values_at(places: npt.NDArray[np.intp], known: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the categories at places; those of missing and unknown ones, -2 and -1, count from the end."""
    missing: str | float
    unseen: str | float
    if known.dtype.kind == "O":
        # Longer than any known text, so none of them.
        missing, unseen = "", "?" * (1 + max(map(len, known)))
    else:
        missing, unseen = np.nan, np.inf
    return np.array([*known, missing, unseen], dtype=known.dtype)[places]


@dataclass(frozen=True)
class _Input:
    """A feature that the model uses; `known` are its categories, as a tensor holds them."""

    feature: int
    original: str
    name: str
    missing: str | None
    known: npt.NDArray[Any] | None

    @property
    def names(self) -> list[str]:
        return [self.name] if self.missing is None else [self.name, self.missing]

    def described(self) -> dict[str, str]:
        described = {"feature": self.original, "input": self.name}
        return described if self.missing is None else described | {"missing_input": self.missing}


def _inputs(view: View) -> list[_Input]:
    """List the inputs: the features that any box limits, or one that gives the number of rows."""
    boxes = view.read
    outputs = (*_OUTPUTS[: 2 if view.risk is None else 3], *(_OF_CARDS if view.has_points else ()))
    features = view.used or [0]
    taken = {*outputs, *boxes.feature_names}
    inputs = []
    for j in features:
        original, categories = boxes.feature_names[j], boxes.categories[j]
        name = original if original and _is_unicode(original) else f"feature_{j}"
        if name != original or name in outputs:
            name = _fresh(name, taken)
        known = None if categories is None else _tensor_of(categories, original)
        text = known is not None and known.dtype.kind == "O"
        inputs.append(_Input(j, original, name, _fresh(f"{name}__missing", taken) if text else None, known))
    return inputs


def _tensor_of(categories: tuple[Category, ...], feature: str) -> npt.NDArray[Any]:
    """Return categories of one type: texts as objects, numbers as doubles."""
    # A feature without a known category is read as text; the one that stands in is in no box's set.
    values = categories or ("",)
    texts = [value for value in values if isinstance(value, str)]
    if broken := [text for text in texts if not _is_unicode(text)]:
        raise ValueError(f"category {broken[0]!r} of {feature!r} is not valid Unicode, as ONNX asks: rename it")
    if len(texts) == len(values):
        return np.array(values, dtype=object)
    if texts:
        raise ValueError(f"{feature!r} has both text and other categories, but a tensor of ONNX has one type")
    if inexact := [value for value in values if not is_double(value)]:
        raise ValueError(f"category {inexact[0]!r} of {feature!r} is no float64, which the tensors of ONNX hold")
    return np.array([float(value) for value in values])


def is_double(value: Category) -> bool:
    """Return True if a category is a float64."""
    try:
        return float(value) == value
    except OverflowError:
        return False


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _fresh(name: str, taken: set[str]) -> str:
    """Return the name, made longer until it is new, and take it."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


@dataclass
class _Graph:
    """A graph that grows by one node or constant at a time, with names that are not taken."""

    onnx: Any
    taken: set[str]
    inputs: list[ValueInfoProto] = field(default_factory=list)
    outputs: list[ValueInfoProto] = field(default_factory=list)
    constants: list[TensorProto] = field(default_factory=list)
    nodes: list[NodeProto] = field(default_factory=list)

    def constant(self, values: Any) -> str:
        """Add a constant; return its name."""
        name = _fresh(f"constant_{len(self.constants)}", self.taken)
        self.constants.append(self.onnx.numpy_helper.from_array(np.asarray(values), name))
        return name

    def node(self, operator: str, *inputs: str, output: str | None = None, extra: int = 0, **attributes: Any) -> str:
        """Add a node; return the name of its output, the first one if it has some extra."""
        name = output or _fresh(f"{operator}_{len(self.nodes)}", self.taken)
        names = [name, *(_fresh(f"{name}_{i}", self.taken) for i in range(extra))]
        self.nodes.append(self.onnx.helper.make_node(operator, inputs, names, **attributes))
        return name

    def declare(self, values: list[ValueInfoProto], name: str, dtype: Any, *sizes: Any) -> None:
        """Add an input or an output."""
        kind = self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        values.append(self.onnx.helper.make_tensor_value_info(name, kind, ["n", *sizes]))


def _met(graph: _Graph, boxes: BoxSet, given: _Input) -> str:
    """Add the mask of rows that meet each box's limits on one feature, [n, n_boxes]; return its name."""
    graph.declare(graph.inputs, given.name, np.float64 if given.missing is None else object, 1)
    if given.missing is not None:
        graph.declare(graph.inputs, given.missing, np.bool_, 1)
    missing = given.missing or graph.node("IsNaN", given.name)
    if given.known is not None:
        places = _places(graph, given.name, given.known)
        places = graph.node("Where", missing, graph.constant(np.int64(MISSING)), places)
        inside = graph.node("Gather", graph.constant(_table(boxes, given.feature, given.known)), places)
        return graph.node("Squeeze", inside, graph.constant(np.array([1], dtype=np.int64)))
    # All boxes at once: a column against a row of limits. Where there is none it is infinite, which every number meets.
    lower, upper = (graph.constant(limits[:, given.feature]) for limits in (boxes.lower, boxes.upper))
    above = graph.node("GreaterOrEqual", given.name, lower)
    inside = graph.node("And", above, graph.node("LessOrEqual", given.name, upper))
    absent = graph.node("And", missing, graph.constant(boxes.missing[:, given.feature]))
    return graph.node("Or", inside, absent)


def _places(graph: _Graph, name: str, known: npt.NDArray[Any]) -> str:
    """Add a lookup of the places of categories among the known ones."""
    tensors = {"keys": known, "values": np.arange(len(known), dtype=np.int64), "default": np.array([UNSEEN], np.int64)}
    attributes = {f"{key}_tensor": graph.onnx.numpy_helper.from_array(tensor) for key, tensor in tensors.items()}
    return graph.node("LabelEncoder", name, domain="ai.onnx.ml", **attributes)


def _table(boxes: BoxSet, j: int, known: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return which boxes admit which categories: a row per known one, then one each for missing and unknown."""
    sets = [allowed[j] for allowed in boxes.allowed]
    rows = [[values is None or value in values for values in sets] for value in known.tolist()]
    rows += [boxes.missing[:, j].tolist(), [values is None for values in sets]]
    return np.array(rows, dtype=np.bool_)


def _add_outputs(graph: _Graph, held: str, view: View) -> str:
    """Add all outputs but the risk; return the name of the points, [n, 1]."""
    n_boxes = len(view.card)
    graph.node("Identity", held, output="boxes")
    worth = graph.node("Cast", "boxes", to=graph.onnx.TensorProto.INT64)
    if view.has_points:
        worth = graph.node("Mul", worth, graph.constant(np.array([view.card.points], np.int64).reshape(1, -1)))
    axis = graph.constant(np.array([1], dtype=np.int64))
    # A sum is right without any box, when a maximum is not.
    total = graph.node("ReduceSum", worth, axis, keepdims=1)
    points = graph.node("Squeeze", total, axis, output="points" if view.has_points else None)
    flagged = graph.node("GreaterOrEqual", points, graph.constant(np.int64(view.card.threshold)))
    graph.node("Cast", flagged, output="label", to=graph.onnx.TensorProto.INT64)
    graph.declare(graph.outputs, "label", np.int64)
    graph.declare(graph.outputs, "boxes", np.bool_, n_boxes)
    if view.has_points:
        _add_reasons(graph, view.order)
        graph.declare(graph.outputs, "points", np.int64)
        graph.declare(graph.outputs, "reasons", np.int64, n_boxes)
    return total


def _add_reasons(graph: _Graph, order: list[int]) -> None:
    """Add the numbers of the boxes that hold a row, those with most points first, then zeros."""
    size = np.int64(len(order))
    held = _columns(graph, "boxes", order)
    # Boxes that do not hold the row have the last place of all, which stands for no number.
    places = graph.node("Where", held, graph.constant(np.arange(size)), graph.constant(size))
    first = graph.node("TopK", places, graph.constant(np.array([size])), extra=1, axis=1, largest=0, sorted=1)
    graph.node("Gather", graph.constant(np.array([*(k + 1 for k in order), 0], np.int64)), first, output="reasons")


def _columns(graph: _Graph, met: str, places: Iterable[int]) -> str:
    """Add a choice of columns."""
    return graph.node("Gather", met, graph.constant(np.array([*places], dtype=np.int64)), axis=1)


def _add_risk_of_points(graph: _Graph, points: str, view: View) -> None:
    """Add the risk by points, [n, 1]: its place is the number of regions that begin above them."""
    least = graph.constant(np.array([least for least, _ in view.steps], np.int64))
    above = graph.node("Cast", graph.node("Less", points, least), to=graph.onnx.TensorProto.INT64)
    place = graph.node("ReduceSum", above, graph.constant(np.array([1], dtype=np.int64)), keepdims=0)
    _declare_risk(graph, view, [value for _, value in view.steps], place)


def _add_risk(graph: _Graph, met: str, view: View) -> None:
    """Add the risk of the first region that holds a row; the boxes of regions come after those of the drawing."""
    held = _columns(graph, met, (len(view.card) + k for k, _ in view.regions))
    held = graph.node("Cast", held, to=graph.onnx.TensorProto.INT32)
    # A column that holds every row comes last; the first of the largest is where a row is.
    every = graph.node("ReduceSum", held, graph.constant(np.array([1], dtype=np.int64)), keepdims=1)
    every = graph.node("Equal", every, every)
    held = graph.node("Concat", held, graph.node("Cast", every, to=graph.onnx.TensorProto.INT32), axis=1)
    place = graph.node("ArgMax", held, axis=1, keepdims=0)
    _declare_risk(graph, view, [value for _, value in view.regions], place)


def _declare_risk(graph: _Graph, view: View, values: list[float], place: str) -> None:
    graph.node("Gather", graph.constant(np.array([*values, view.base])), place, output="risk")
    graph.declare(graph.outputs, "risk", np.float64)

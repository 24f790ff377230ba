"""Boxes and scorecards as PMML 4.4, for the engines of banks and insurers.

Boxes are a ``RuleSet``: the first box that holds a row gives the positive label, and no box the negative one. A
scorecard is a ``Scorecard``: a characteristic per box, with its points for the rows that it holds and 0 for others. The
outputs:

- ``flag``: the label.
- ``box``, of boxes: the number, from 1, of the first box that holds the row, or none.
- ``points``, of scorecards.
- ``reason1``, ``reason2``, ..., of scorecards: the numbers of the boxes that hold the row and add points, those with
  most points first. After the last one comes ``0``, for all boxes that do not hold it. Reason codes of PMML have no
  place for boxes that take points away.
- ``risk``, if one is given.

An output whose name a feature has gets a ``_`` at its end. Predicates have the same closed limits as the boxes,
compared as doubles; a missing value meets none of them but ``isMissing``, and a category that the boxes do not know is
only inside where every known value is. Categories are text, true and false, or numbers, which are read as doubles.
Names and categories that XML cannot hold are refused with a ValueError.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from boxdraw._core.version import __version__
from boxdraw.model.export.onnx import is_double
from boxdraw.model.export.view import View, view_of
from boxdraw.model.rule import Category, Limit, Rule, as_category

if TYPE_CHECKING:
    from boxdraw.model.boxes import BoxSet
    from boxdraw.model.risk import RiskTable
    from boxdraw.model.scorecard import Scorecard

__all__ = ["to_pmml"]

_NAMESPACE = "http://www.dmg.org/PMML-4_4"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TYPES: dict[type, str] = {str: "string", bool: "boolean", int: "double", float: "double"}
_LABELS = _TYPES | {int: "integer"}  # true and false come before the whole numbers that they are, too


def to_pmml(
    drawing: BoxSet | Scorecard, risk: RiskTable | None = None, *, positive: Category = 1, negative: Category = 0
) -> str:
    """Write boxes or a card as PMML, as `BoxSet.to_pmml` and `Scorecard.to_pmml` document."""
    view, labels = view_of(drawing, risk), (as_category(positive), as_category(negative))
    if type(labels[0]) is not type(labels[1]) or labels[0] == labels[1]:
        raise ValueError(f"positive and negative must be two labels of one type, got {positive!r} and {negative!r}")
    features = view.used or [0]
    root = ET.Element("PMML", xmlns=_NAMESPACE, version="4.4")
    header = ET.SubElement(root, "Header", description=_checked(drawing.to_text()))
    ET.SubElement(header, "Application", name="boxdraw", version=__version__)
    dictionary = ET.SubElement(root, "DataDictionary", numberOfFields=str(len(features)))
    for j in features:
        known = view.read.categories[j]
        optype = "continuous" if known is None else "categorical"
        name = _checked(view.boxes.feature_names[j])
        ET.SubElement(dictionary, "DataField", name=name, optype=optype, dataType=_type_of(known, name))
    names = _Names(view, features)
    model = (_scorecard if view.has_points else _rule_set)(view, names, labels)
    root.append(model if risk is None or view.by_points else _with_risk(view, names, model))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


class _Names:
    """The names of the features, and those of outputs beside them."""

    def __init__(self, view: View, features: Iterable[int]) -> None:
        self.features = [view.boxes.feature_names[j] for j in features]

    def __getitem__(self, output: str) -> str:
        while output in self.features:
            output += "_"
        return output


def _checked(text: str) -> str:
    """Return a text; raise if XML cannot hold it."""
    if found := _NO_XML.search(text):
        raise ValueError(f"{text!r} cannot be written as PMML: XML has no {found[0]!r}")
    return text


def _type_of(known: Sequence[Category] | None, name: str) -> str:
    """Return the type of a feature; raise if its categories have none together, or it has no name."""
    if not name:
        raise ValueError("a feature without a name cannot be written as PMML: rename it")
    if known is None:
        return "double"
    kinds = {_type(value, _TYPES) for value in known} or {"string"}
    if len(kinds) > 1:
        raise ValueError(f"{name!r} has categories of several types, but a field of PMML has one")
    if kinds == {"double"} and not all(map(is_double, known)):
        raise ValueError(f"a category of {name!r} is no float64, which the fields of PMML hold: make it text")
    return kinds.pop()


def _type(value: Category, types: dict[type, str]) -> str:
    return next(name for kind, name in types.items() if isinstance(value, kind))


def _model(kind: str, names: _Names, **attributes: str) -> ET.Element:
    """Return a model with its mining schema."""
    model = ET.Element(kind, attributes)
    schema = ET.SubElement(model, "MiningSchema")
    for name in names.features:
        ET.SubElement(schema, "MiningField", name=name, invalidValueTreatment="asIs")
    return model


def _output(model: ET.Element, name: str, feature: str, kind: str, **attributes: str) -> ET.Element:
    """Add an output."""
    outputs = model.find("Output")
    outputs = ET.SubElement(model, "Output") if outputs is None else outputs
    optype = "continuous" if kind == "double" or name.startswith("points") else "categorical"
    given = {"name": name, "optype": optype, "dataType": kind, "feature": feature}
    return ET.SubElement(outputs, "OutputField", given | attributes)


def _rule_set(view: View, names: _Names, labels: tuple[Category, Category]) -> ET.Element:
    """Write boxes as rules, of which the first counts."""
    model = _model("RuleSetModel", names, modelName="boxes", functionName="classification", algorithmName="boxdraw")
    _output(model, names["flag"], "predictedValue", _type(labels[0], _LABELS))
    _output(model, names["box"], "entityId", "string")
    inside, outside = map(_literal, labels)
    _add_rules(model, [(rule, inside) for rule in view.boxes.rules()], outside)
    return model


def _add_rules(model: ET.Element, rules: Iterable[tuple[Rule, str]], otherwise: str) -> None:
    added = ET.SubElement(model, "RuleSet", defaultScore=otherwise, defaultConfidence="1")
    ET.SubElement(added, "RuleSelectionMethod", criterion="firstHit")
    for k, (rule, score) in enumerate(rules, start=1):
        ET.SubElement(added, "SimpleRule", id=str(k), score=score).append(_predicate(rule))


def _with_risk(view: View, names: _Names, model: ET.Element) -> ET.Element:
    """Put a rule set that gives the risk by boxes before a model."""
    chain = _model("MiningModel", names, modelName="boxes", functionName=model.attrib["functionName"])
    risks = _model("RuleSetModel", names, modelName="risk", functionName="classification", algorithmName="boxdraw")
    found = names[f"found_{names['risk']}"]
    _output(risks, found, "predictedValue", "double")
    ET.SubElement(_output(chain, names["risk"], "transformedValue", "double"), "FieldRef", field=found)
    rules = view.read.rules()[len(view.card) :]
    _add_rules(risks, [(rules[k], repr(value)) for k, value in view.regions], repr(view.base))
    segments = ET.SubElement(chain, "Segmentation", multipleModelMethod="modelChain")
    for part in (risks, model):
        segment = ET.SubElement(segments, "Segment")
        ET.SubElement(segment, "True")
        segment.append(part)
    return chain


def _scorecard(view: View, names: _Names, labels: tuple[Category, Category]) -> ET.Element:
    """Write a card, with the number of a box as the code of its reason."""
    card = view.card
    options = {
        "useReasonCodes": "true",
        "reasonCodeAlgorithm": "pointsAbove",
        "initialScore": "0",
        "baselineScore": "0",
    }
    model = _model("Scorecard", names, modelName="scorecard", functionName="regression", **options)
    points = names["points"]
    _output(model, points, "predictedValue", "integer")
    flag = _output(model, names["flag"], "transformedValue", _type(labels[0], _LABELS))
    _add_steps(flag, points, [(card.threshold, _literal(labels[0]))], _literal(labels[1]))
    if view.by_points:
        risk = _output(model, names["risk"], "transformedValue", "double")
        _add_steps(risk, points, [(least, repr(value)) for least, value in view.steps], repr(view.base))
    for rank in range(1, 1 + sum(worth > 0 for worth in card.points)):
        _output(model, names[f"reason{rank}"], "reasonCode", "string", rank=str(rank))
    added = ET.SubElement(model, "Characteristics")
    for k, (rule, worth) in enumerate(zip(view.boxes.rules(), card.points, strict=True), start=1):
        one = ET.SubElement(added, "Characteristic", name=f"Box {k}", reasonCode=str(k), baselineScore="0")
        ET.SubElement(one, "Attribute", partialScore=str(worth)).append(_predicate(rule))
        _add_none(one)
    if not len(card):
        _add_none(ET.SubElement(added, "Characteristic", name="none", reasonCode="0", baselineScore="0"))
    return model


def _add_none(characteristic: ET.Element) -> None:
    """Add what rows get that no other attribute holds."""
    ET.SubElement(ET.SubElement(characteristic, "Attribute", partialScore="0", reasonCode="0"), "True")


def _add_steps(output: ET.Element, points: str, steps: Sequence[tuple[int, str]], otherwise: str) -> None:
    """Add what a row has from so many points on, the most points first."""
    kind, parent = output.attrib["dataType"], output
    for least, value in steps:
        parent = ET.SubElement(parent, "Apply", function="if")
        met = ET.SubElement(parent, "Apply", function="greaterOrEqual")
        ET.SubElement(met, "FieldRef", field=points)
        ET.SubElement(met, "Constant", dataType="integer").text = str(least)
        ET.SubElement(parent, "Constant", dataType=kind).text = value
    ET.SubElement(parent, "Constant", dataType=kind).text = otherwise


def _predicate(rule: Rule) -> ET.Element:
    """Write the limits of a box, all of which have to be met."""
    return _joined("and", [_tests(limit) for limit in rule.limits]) if rule.limits else ET.Element("True")


def _tests(limit: Limit) -> ET.Element:
    """Write what a box asks of one feature."""
    options = []
    if limit.known:
        options = [_simple(limit, "isNotMissing")]
    elif limit.categories is not None:
        options = [_simple(limit, "equal", _literal(value)) for value in sorted(limit.categories, key=str)]
    elif limit.lower <= limit.upper:
        ends = (("greaterOrEqual", limit.lower), ("lessOrEqual", limit.upper))
        options = [_joined("and", [_simple(limit, side, repr(end)) for side, end in ends if math.isfinite(end)])]
    return _joined("or", [*options, *([_simple(limit, "isMissing")] if limit.missing else [])])


def _simple(limit: Limit, operator: str, value: str | None = None) -> ET.Element:
    given = {} if value is None else {"value": value}
    return ET.Element("SimplePredicate", {"field": limit.feature, "operator": operator, **given})


def _joined(operator: str, parts: list[ET.Element]) -> ET.Element:
    """Join predicates, if there are several."""
    if len(parts) == 1:
        return parts[0]
    joined = ET.Element("CompoundPredicate", booleanOperator=operator)
    joined.extend(parts)
    return joined


def _literal(value: Category) -> str:
    """Write a category or a label as the text that PMML reads it from."""
    if isinstance(value, str):
        return _checked(value)
    if isinstance(value, int):
        return str(value).lower() if isinstance(value, bool) else int.__repr__(value)
    return repr(value)

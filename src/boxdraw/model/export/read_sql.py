"""Boxes from SQL: what `BoxSet.to_sql` writes, and conditions that people write.

A condition is read as a union of boxes: comparisons of a column with numbers or texts, ``BETWEEN``, ``IN``, ``IS NULL``
and ``IS NOT NULL``, joined by ``AND`` and ``OR``. A ``CASE`` with one value for all that it flags, or a query with such
a ``CASE`` or a ``WHERE``, is read as its conditions. Anything else is refused, with its place. As in SQL, a comparison
does not hold of a missing value, and ``>`` and ``<`` leave the number itself out: the limit is then the next float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from boxdraw.model.boxes import BoxSet
from boxdraw.model.rule import Category, Limit, Rule, as_intervals

__all__ = ["from_sql"]

_MOST_BOXES = 10_000  # of nested OR within AND
_DIALECTS = {"mssql": "tsql"}
_FLIPPED = {"GT": "LT", "GTE": "LTE", "LT": "GT", "LTE": "GTE", "EQ": "EQ", "NEQ": "NEQ"}

# What makes rows of other rows in a query, by the names of sqlglot.
_OTHER_ROWS = "with_", "distinct", "joins", "laterals", "group", "having", "qualify", "limit", "offset"
_OF_TABLE = "joins", "pivots", "sample"

Box = dict[str, Limit]  # by feature: what a row has to meet


def from_sql(
    expression: str,
    feature_names: Iterable[str] | None = None,
    categories: Mapping[str, Iterable[Category]] | None = None,
    *,
    dialect: str = "sqlite",
) -> BoxSet:
    """Read boxes from SQL, as `BoxSet.from_sql` documents."""
    reader = _Reader(expression, dialect)
    boxes = reader.boxes()
    known = {name: list(values) for name, values in (categories or {}).items()}
    numbers = {name for name in reader.categorical.difference(known) if _are_numbers(boxes, name)}
    boxes = [box for each in boxes for box in _without_sets(each, numbers)]
    boxes = _as_categories(boxes, {*known, *reader.categorical} - numbers, known)
    if feature_names is None:
        names: list[str] = list(dict.fromkeys([*reader.columns, *known]))
        if not names:
            raise ValueError("The SQL names no column: state feature_names.")
    else:
        names = list(feature_names)
        if unknown := [name for name in reader.columns if name not in names]:
            raise ValueError(f"The SQL has the columns {unknown}, which are not among feature_names: {names}.")
    return BoxSet.from_rules([Rule(tuple(box.values())) for box in boxes], names, known or None)


class _Reader:
    """Walks the tree that sqlglot makes of SQL."""

    def __init__(self, expression: str, dialect: str) -> None:
        try:
            import sqlglot
            from sqlglot import exp
            from sqlglot.errors import SqlglotError
        except ImportError:
            raise ImportError("from_sql needs sqlglot: pip install 'boxdraw[sql]'") from None
        from boxdraw.model.export.sql import dialect_of

        self._exp, self._dialect, self._engine = exp, _DIALECTS.get(dialect, dialect), dialect_of(dialect)
        self._parse = partial(sqlglot.parse_one, dialect=self._dialect)
        self.columns: list[str] = []  # in their first order
        self._tables: dict[str, str] = {}  # of columns
        self.categorical: set[str] = set()  # those compared with texts or sets
        try:
            self._tree: Any = self._parse(expression)
        except SqlglotError as error:
            raise ValueError(f"This is not SQL that can be read: {str(error).splitlines()[0]}") from None

    def boxes(self) -> list[Box]:
        return self._union(self._condition(self._tree))

    def _refuse(self, node: Any, why: str) -> ValueError:
        text, found = node.sql(dialect=self._dialect), [part.meta for part in node.walk() if "line" in part.meta]
        while not found and (node := node.parent) is not None:  # NULL has no place of its own
            found = [part.meta for part in node.walk() if "line" in part.meta]
        first = min(found, key=lambda meta: meta["start"], default=None)
        at = f" (line {first['line']}, column {first['col'] - first['end'] + first['start']})" if first else ""
        return ValueError(f"{why}{at}: {text}")

    def _condition(self, tree: Any) -> Any:
        """Return the condition of a query or a CASE."""
        exp = self._exp
        if isinstance(tree, exp.Select):
            source = tree.args.get("from_")
            plain = not source or (isinstance(source.this, exp.Table) and not any(map(source.this.args.get, _OF_TABLE)))
            if any(map(tree.args.get, _OTHER_ROWS)) or not plain:
                raise self._refuse(tree, "Expected a query of the rows of one table as they are")
            cases = [case for column in tree.expressions if (case := column.unalias()) and isinstance(case, exp.Case)]
            where = tree.args.get("where")
            if len(cases) + (where is not None) != 1:
                raise self._refuse(tree, "Expected a query with one CASE or a WHERE")
            return self._condition(cases[0]) if cases else where.this
        if not isinstance(tree, exp.Case):
            return tree
        values, otherwise = [branch.args["true"] for branch in tree.args["ifs"]], tree.args.get("default")
        if tree.this is not None or any(value != values[0] for value in values) or otherwise == values[0]:
            raise self._refuse(tree, "Expected a CASE with conditions, one value for all of them and another for ELSE")
        return exp.or_(*(branch.this for branch in tree.args["ifs"]))

    def _union(self, node: Any) -> list[Box]:
        """Return the boxes of a condition."""
        exp = self._exp
        if isinstance(node, exp.Paren):
            return self._union(node.this)
        if isinstance(node, exp.Or):
            return _either([self._union(part) for part in node.flatten()])
        if isinstance(node, exp.And):
            return self._both(node)
        if isinstance(node, exp.Boolean):
            return [{}] if node.this else []
        if isinstance(node, exp.Not):
            return self._known(node)
        readers: dict[type, Callable[[Any], list[Box]]] = {
            exp.Between: self._between,
            exp.In: self._in,
            exp.Is: self._is_null,
            exp.IsNan: lambda node: [self._box(node.this, math.inf, -math.inf, missing=True)],
            **{getattr(exp, name): self._comparison for name in _FLIPPED},
        }
        read = readers.get(type(node))
        if read is None:
            raise self._refuse(node, "Expected a comparison, BETWEEN, IN, IS NULL, AND or OR")
        return read(node)

    def _both(self, node: Any) -> list[Box]:
        parts = [self._union(part) for part in node.flatten()]
        if math.prod(map(len, parts)) > _MOST_BOXES:
            raise ValueError(f"The condition has more than {_MOST_BOXES} boxes: write fewer OR within AND.")
        found = (_intersection(boxes) for boxes in product(*parts))
        return [box for box in found if box is not None]

    def _known(self, node: Any) -> list[Box]:
        """Read IS NOT NULL, and that a number is not NaN."""
        inner = node.this.unnest()
        if isinstance(inner, self._exp.IsNan) or (
            isinstance(inner, self._exp.Is) and isinstance(inner.expression, self._exp.Null)
        ):
            return [self._box(inner.this)]
        raise self._refuse(node, "NOT is read before NULL only")

    def _is_null(self, node: Any) -> list[Box]:
        if not isinstance(node.expression, self._exp.Null):
            raise self._refuse(node, "Expected IS NULL or IS NOT NULL")
        if node.args.get("negate"):
            return [self._box(node.this)]
        return [self._box(node.this, math.inf, -math.inf, missing=True)]

    def _between(self, node: Any) -> list[Box]:
        if node.args.get("symmetric"):
            raise self._refuse(node, "Expected BETWEEN without SYMMETRIC")
        low, high = (self._number(node.args[side]) for side in ("low", "high"))
        box = self._box(node.this, low, high, form=self._engine.rounded)
        return [box] if low <= high else []

    def _in(self, node: Any) -> list[Box]:
        if node.args.get("query") is not None or not node.expressions:
            raise self._refuse(node, "Expected a list of numbers or texts after IN")
        return self._set(node.this, node.expressions)

    def _set(self, node: Any, values: list[Any]) -> list[Box]:
        texts = not all(map(self._is_number, values))
        column = self._column(node, self._engine.exact_text if texts else self._engine.rounded)
        end = self._engine.end_mark if node.unnest() != node.find(self._exp.Column) else ""
        self.categorical.add(column)
        return [{column: Limit(column, categories=frozenset(self._category(value, end) for value in values))}]

    def _comparison(self, node: Any) -> list[Box]:
        kind, left, right = type(node).__name__, node.this, node.expression
        if self._is_value(left) and self._is_value(right):
            same = self._number(left) == self._number(right)  # 1 = 1 of a box without limits, 1 = 0 of no boxes
            return [{}] if same == (kind == "EQ") and kind in ("EQ", "NEQ") else []
        if self._is_value(left):
            kind, left, right = _FLIPPED[kind], right, left
        if self._is_nan(right) and kind in ("EQ", "NEQ"):
            return [self._box(left) if kind == "NEQ" else self._box(left, math.inf, -math.inf, missing=True)]
        if kind == "NEQ":
            raise self._refuse(node, "Expected a comparison by =, <, <=, > or >=")
        if kind == "EQ" and not self._is_number(right):
            return self._set(left, [right])
        number = self._number(right)
        low = {"GTE": number, "GT": float(np.nextafter(number, np.inf)), "EQ": number}.get(kind, -math.inf)
        high = {"LTE": number, "LT": float(np.nextafter(number, -np.inf)), "EQ": number}.get(kind, math.inf)
        return [self._box(left, low, high, form=self._engine.rounded)]

    def _box(
        self, node: Any, lower: float = -math.inf, upper: float = math.inf, missing: bool = False, form: str = "{}"
    ) -> Box:
        column = self._column(node, form)
        return {column: Limit(column, lower, upper, missing=missing)}

    def _column(self, node: Any, form: str) -> str:
        """Return the name of a column, as it is or in the form that `to_sql` writes: others have other values."""
        column = node.find(self._exp.Column)
        if column is None or node.unnest() not in (
            column,
            self._parse(form.format(column.sql(dialect=self._dialect))).unnest(),
        ):
            raise self._refuse(node, "Expected a column as it is")
        if self._tables.setdefault(column.name, column.table) != column.table:
            raise self._refuse(column, "Expected one name for the table of this column")
        if column.name not in self.columns:
            self.columns.append(column.name)
        return str(column.name)

    def _is_value(self, node: Any) -> bool:
        return not any(isinstance(part, self._exp.Column) for part in node.walk())

    def _is_nan(self, node: Any) -> bool:
        return self._is_double(node) and self._is_value(node) and node.this.name.lower() == "nan"

    def _is_double(self, node: Any) -> bool:
        """Whether a value is cast to float64; others are of other values."""
        return isinstance(node, self._exp.Cast) and bool(node.is_type("double"))

    def _is_number(self, node: Any) -> bool:
        exp = self._exp
        return not isinstance(node, exp.Boolean | exp.National | exp.ByteString) and not (
            isinstance(node, exp.Literal) and node.is_string
        )

    def _category(self, node: Any, end: str) -> Category:
        if isinstance(node, self._exp.Boolean):
            return bool(node.this)
        if self._is_number(node):
            number = self._fraction(node)
            return int(number) if number.denominator == 1 else float(number)
        if not str(node.name).endswith(end):
            raise self._refuse(node, f"Expected a text that ends with {end!r}, as the column does")
        return str(node.name).removesuffix(end)

    def _number(self, node: Any) -> float:
        try:
            return float(self._fraction(node))
        except OverflowError:
            raise self._refuse(node, "A number is beyond float64") from None

    def _fraction(self, node: Any) -> Fraction:
        """Return a number; large and small ones are written as products of float64."""
        exp, inner = self._exp, node.unnest()
        cast = self._is_double(inner)
        literal = inner.this if cast else inner
        if isinstance(literal, exp.Literal) and (cast or not literal.is_string):
            with suppress(ValueError):
                return Fraction(literal.name)
        if isinstance(literal, exp.Neg):
            return -self._fraction(literal.this)
        if isinstance(inner, exp.Mul | exp.Div) and (
            self._is_double(inner.this) or isinstance(inner.this, exp.Mul | exp.Div)
        ):  # 3 / 2 is 1 in many a database
            left, right = self._fraction(inner.this), self._fraction(inner.expression)
            if isinstance(inner, exp.Mul):
                return left * right
            if right:
                return left / right
        raise self._refuse(node, "Expected a number")


def _either(unions: list[list[Box]]) -> list[Box]:
    """Join unions; of one column, sets are one set, and a value or missing is one limit."""
    boxes: list[Box] = [box for union in unions for box in union]
    if any(len(box) != 1 for box in boxes) or len({name for box in boxes for name in box}) != 1:
        return boxes
    limits = [limit for box in boxes for limit in box.values()]
    values = [limit for limit in limits if not _only_missing(limit)]
    if not values:
        return boxes[:1]
    sets = [limit.categories for limit in values if limit.categories is not None]
    if len(sets) == len(values):
        values = [_with(values[0], categories=frozenset.union(*sets))]
    if len(values) == 1 and any(limit.missing or _only_missing(limit) for limit in limits):
        # every known value or a missing one is no limit at all
        return [{} if values[0].known else {values[0].feature: _with(values[0], missing=True)}]
    return boxes if len(values) > 1 else [{values[0].feature: values[0]}]


def _intersection(boxes: Iterable[Box]) -> Box | None:
    """Return what meets all boxes; None if no row can."""
    result: Box = {}
    for limit in (limit for box in boxes for limit in box.values()):
        old = result.get(limit.feature)
        both = limit if old is None else _intersected(old, limit)
        if both is None:
            return None
        result[limit.feature] = both
    return result


def _intersected(a: Limit, b: Limit) -> Limit | None:
    """Return the limit of a column that asks for both; None if nothing meets it."""
    missing, none = a.missing and b.missing, Limit(a.feature, math.inf, -math.inf, missing=True)
    if _only_missing(a) or _only_missing(b):
        return none if missing else None
    sets = [limit.categories for limit in (a, b) if limit.categories is not None]
    lower, upper = max(a.lower, b.lower), min(a.upper, b.upper)
    categories = frozenset.intersection(*sets) if sets else None
    if categories is not None and (lower > -math.inf or upper < math.inf):
        if any(isinstance(value, str | bool) for value in categories):
            raise ValueError(f"Column {a.feature!r} is compared with numbers and with categories: expected one.")
        categories = frozenset(value for value in categories if lower <= float(value) <= upper)
        lower, upper = -math.inf, math.inf
    if lower > upper or categories == frozenset():
        return none if missing else None
    return Limit(a.feature, lower, upper, categories, missing)


def _only_missing(limit: Limit) -> bool:
    return limit.lower > limit.upper


def _with(limit: Limit, **changes: Any) -> Limit:
    kept = {name: getattr(limit, name) for name in ("lower", "upper", "categories", "missing")}
    return Limit(limit.feature, **kept | changes)


def _are_numbers(boxes: list[Box], name: str) -> bool:
    """Whether a column of sets has numbers: other limits on it are ranges, and no set has anything else."""
    limits = [box[name] for box in boxes if name in box]
    values = {value for limit in limits for value in limit.categories or ()}
    ranges = [limit for limit in limits if limit.categories is None and limit.lower < limit.upper and not limit.known]
    return bool(ranges) and not any(isinstance(value, str | bool) for value in values)


def _without_sets(box: Box, names: set[str]) -> list[Box]:
    """Return the boxes of single numbers that a box with sets of them is."""
    parts = [as_intervals(limit) if name in names and limit.categories else [limit] for name, limit in box.items()]
    return [{limit.feature: limit for limit in limits} for limits in product(*parts)]


def _as_categories(boxes: list[Box], categorical: set[str], known: Mapping[str, list[Category]]) -> list[Box]:
    """Write the limits of columns of categories as sets of the known ones, where these are equal."""

    def limits(box: Box) -> Iterator[Limit]:
        for name, limit in box.items():
            if name not in categorical:
                yield limit
            elif _only_missing(limit):
                yield Limit(name, categories=frozenset(), missing=True)
            elif limit.categories is None and not limit.known:
                if limit.lower != limit.upper:
                    raise ValueError(f"Column {name!r} is compared with numbers and with categories: expected one.")
                values = [limit.lower]
                yield _with(limit, lower=-math.inf, upper=math.inf, categories=_same(values, known.get(name, [])))
            elif limit.categories is not None:
                yield _with(limit, categories=_same(limit.categories, known.get(name, [])))
            else:
                yield limit

    return [{limit.feature: limit for limit in limits(box)} for box in boxes]


def _same(values: Iterable[Category], known: Iterable[Category]) -> frozenset[Category]:
    """Return the known categories instead of those that equal them: 1 stands for True."""
    own = {value: value for value in known}
    return frozenset(own.get(value, value) for value in values)

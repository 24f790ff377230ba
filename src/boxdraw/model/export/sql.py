"""Boxes and scorecards as SQL: one ``CASE`` expression that gives every row its label.

What is promised, for columns of the type that the boxes were learned from:

- A row gets the positive label exactly where `BoxSet.contains` is True. ``NULL`` is a missing value and, in engines
  whose columns can hold it, so is NaN, which most of them take for larger than every number. Conditions are joined by
  ``AND`` and ``OR`` alone, under which an unknown comparison counts as one not met, and ``CASE`` always gives a label.
- The engine reads the very float64 of each limit, and compares as float64. SQLite before 3.43 misreads some decimals
  by one bit, for example 722.983587; a number at risk is written as a fraction, with its decimals in a comment.
- Text is compared exactly: upper and lower case differ, and trailing spaces count.
- Names and text are quoted, so that none can become SQL. Characters that SQL cannot have, and names that the engine
  would take for one another, are refused with a ValueError. In SQLite names come in backticks because it takes a
  name in double quotes that is no column for text, and says nothing.

What each engine needs, and how its SQL is tested:

========= ==================================================================== ========================================
dialect   needs                                                                tested by
========= ==================================================================== ========================================
sqlite    nothing                                                              running it on random boxes and rows
duckdb    1.0 or later                                                         running it on random boxes and rows
postgres  a database in UTF-8                                                  parsing it
mysql     a connection in utf8mb4; ``NO_BACKSLASH_ESCAPES`` off; MariaDB too   parsing it
spark     default collation; ``escapedStringLiterals`` off                     parsing it
bigquery  default collation                                                    parsing it
snowflake default collation                                                    parsing it
mssql     SQL Server 2008 or later                                             parsing it
========= ==================================================================== ========================================

Postgres 16, MariaDB 10.11 and Spark 4 were also run by hand on such boxes and rows, and gave every row its label.

A true/false column is compared with true and false only if the feature has categories; in a feature of numbers cast it
to a number first, as most engines refuse to compare the two. Numbers that are categories have to be below 2**63, and
beyond 2**53 their column has to be one of whole numbers. Fixed-width ``CHAR`` columns are as the engine returns them:
some with their padding, some without.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from boxdraw.model.export.view import View, view_of
from boxdraw.model.rule import Category, Limit, as_category

if TYPE_CHECKING:
    from boxdraw.model.boxes import BoxSet
    from boxdraw.model.risk import RiskTable
    from boxdraw.model.scorecard import Scorecard

__all__ = ["DIALECTS", "to_sql"]

# From here on a float64 no longer holds every whole number.
_FIRST_GAP = 2**53
# The largest power of ten that is a float64, and the largest power of two that is a 64-bit integer.
_MAX_EXACT_POWER_OF_TEN = 22
_MAX_POWER_OF_TWO = 62


def to_sql(
    drawing: BoxSet | Scorecard,
    table: str | Sequence[str] | None = None,
    *,
    dialect: str = "sqlite",
    column: str | None = "flagged",
    points_column: str | None = "points",
    positive: Category = 1,
    negative: Category = 0,
    risk: RiskTable | None = None,
    risk_column: str = "risk",
    reasons: bool = False,
    reasons_column: str = "reasons",
) -> str:
    """Write boxes or a card as a SQL expression or a query, as `BoxSet.to_sql` and `Scorecard.to_sql` document."""
    view, engine = view_of(drawing, risk), dialect_of(dialect)
    if not view.has_points and points_column != "points":
        raise TypeError("boxes have no points, and so no points_column")
    conditions = _conditions_of(view.boxes, engine)
    inside, outside = _written_labels(positive, negative, engine)
    columns: dict[str, tuple[str | None, list[str]]] = {}
    if view.has_points:
        total = _sum_lines(view.card.points, conditions)
        columns["points"] = points_column, total
        columns["labels"] = column, _points_lines(total, [(view.card.threshold, inside)], outside)
    else:
        columns["labels"] = (
            column,
            _case_lines([(each, inside) for each in conditions] or [(["1 = 0"], inside)], outside),
        )
    if risk is not None:
        columns["risk"] = risk_column, _risk_lines(view, columns, engine)
    if reasons:
        columns["reasons"] = reasons_column, _reason_lines(view, conditions, engine)
    if table is not None:
        return _query(view.boxes, columns, table, engine)
    named = [what for what in ("labels", "points", "risk", "reasons") if columns.get(what, (None,))[0] is not None]
    return "\n".join(columns[named[0] if named else next(iter(columns))][1])


def _sum_lines(points: Sequence[int], conditions: Sequence[Sequence[str]]) -> list[str]:
    """Write the points of a row, in brackets."""
    lines: list[str] = []
    for value, each in zip(points, conditions, strict=True):
        first, *others = _case_lines([(each, str(value))], "0")
        lines += [f"+ {first}" if lines else first, *others]
    return ["(", *(f"  {line}" for line in lines or ["0"]), ")"]


def _points_lines(total: list[str], branches: Sequence[tuple[int, str]], otherwise: str) -> list[str]:
    """Write what a row has from so many points on."""
    first, *others, last = total
    lines = []
    for least, value in branches:
        lines += [f"WHEN {first}", *others, f"{last} >= {least}", f"THEN {value}"]
    return ["CASE", *(f"  {line}" for line in [*lines, f"ELSE {otherwise}"]), "END"]


def _risk_lines(view: View, columns: Mapping[str, tuple[str | None, list[str]]], engine: Dialect) -> list[str]:
    """Write the risk of a row, by points or by boxes."""
    otherwise = engine.number(view.base)
    if view.steps:
        steps = [(least, engine.number(value)) for least, value in view.steps]
        return _points_lines(columns["points"][1], steps, otherwise)
    conditions = (
        _conditions_of(view.risk.boxes, engine) if view.risk is not None and view.risk.boxes is not None else []
    )
    branches = [(conditions[k], engine.number(value)) for k, value in view.regions]
    return _case_lines(branches or [(["1 = 0"], otherwise)], otherwise)


def _reason_lines(view: View, conditions: Sequence[Sequence[str]], engine: Dialect) -> list[str]:
    """Write the numbers of the boxes that hold a row as a text, such as ``2 1``."""
    opening, between, closing = engine.joined
    lines: list[str] = []
    for k in view.order:
        first, *others = _case_lines([(conditions[k], engine.text(f"{k + 1} "))], engine.text(""))
        lines += [f"{between} {first}" if lines else first, *others]
    return [f"RTRIM({opening}", *(f"  {line}" for line in lines or [engine.text("")]), f"{closing})"]


def dialect_of(dialect: str) -> Dialect:
    """Return how a dialect writes things."""
    if dialect not in DIALECTS:
        raise ValueError(f"unknown dialect {dialect!r}; known are {', '.join(DIALECTS)}")
    return _ENGINES[dialect]


def _conditions_of(boxes: BoxSet, engine: Dialect) -> list[list[str]]:
    """Write the limits of each box; raise if two names would be taken for one."""
    _check_features(boxes, engine)
    known = dict(zip(boxes.feature_names, boxes.categories, strict=True))
    return [[_condition(limit, known[limit.feature], engine) for limit in rule.limits] for rule in boxes.rules()]


def _case_lines(branches: Sequence[tuple[Sequence[str], str]], otherwise: str) -> list[str]:
    """Write a ``CASE`` of conditions that all have to be met and the values they give, as lines."""
    lines = ["CASE"]
    for conditions, value in branches:
        first, *others = conditions or ["1 = 1"]
        lines += [f"  WHEN {first}", *(f"    AND {other}" for other in others), f"  THEN {value}"]
    return [*lines, f"  ELSE {otherwise}", "END"]


def _query(
    boxes: BoxSet, columns: Mapping[str, tuple[str | None, list[str]]], table: str | Sequence[str], engine: Dialect
) -> str:
    """Write a query of all columns of a table and of some more, by what they hold: a name or None, an expression."""
    lines, taken = ["SELECT", "  *"], {_fold(name, engine): "a feature" for name in boxes.feature_names}
    named = [(what, name, expression) for what, (name, expression) in columns.items() if name is not None]
    if not named:
        raise ValueError(f"a query needs the name of a column for {' or '.join(columns)}; got None")
    for what, column, expression in named:
        quoted = _name(column, f"the column of {what}", engine)
        if owner := taken.get(_fold(column, engine)):
            option = "column" if what == "labels" else f"{what}_column"
            raise ValueError(f"column {column!r} is the name of {owner}: choose another name for the {what}, {option}=")
        taken[_fold(column, engine)] = f"the column of {what}"
        lines[-1] += ","
        lines += [f"  {line}" for line in expression]
        lines[-1] += f" AS {quoted}"
    return "\n".join([*lines, f"FROM {_path(table, engine)}"])


@dataclass(frozen=True)
class Dialect:
    """How a dialect writes things. In templates ``{}`` stands for a column."""

    title: str
    name: Callable[[str], str]
    text: Callable[[str], str]
    number: Callable[[float], str]
    booleans: tuple[str, str] = ("FALSE", "TRUE")
    boolean_labels: tuple[str, str] = ("FALSE", "TRUE")
    # A column of text as something that is equal to the very same text only, and what ends both sides for that.
    exact_text: str = "{}"
    end_mark: str = ""
    # Conditions; empty where no column can hold NaN.
    is_nan: str = ""
    not_nan: str = ""
    nan_is_largest: bool = False
    # A column of whole numbers that would be compared exactly, as the float64 that boxes compare.
    rounded: str = "{}"
    has_empty_names: bool = False
    tells_cases_apart: bool = False
    most_bytes: int | None = None  # of a name; the rest is cut off without a word
    # What texts stand between to be one.
    joined: tuple[str, str, str] = ("", "||", "")
    not_in_names: str = ""


def _check_features(boxes: BoxSet, engine: Dialect) -> None:
    """Raise if the database would take a feature for another one."""
    folded: dict[str, list[str]] = {}
    for name in boxes.feature_names:
        folded.setdefault(_fold(name, engine), []).append(name)
    for j in np.flatnonzero(boxes.limited.any(axis=0)).tolist():
        same = folded[_fold(boxes.feature_names[j], engine)]
        if len(same) > 1:
            raise ValueError(f"{engine.title} may take the features {same} for one column: rename all but one")


def _fold(name: str, engine: Dialect) -> str:
    """Return a name as the dialect compares it."""
    name = name.encode("utf-8", "surrogatepass")[: engine.most_bytes].decode("utf-8", "ignore")
    return name if engine.tells_cases_apart else name.lower()


def _name(name: str, what: str, engine: Dialect) -> str:
    """Quote the name of a column or a table."""
    if not isinstance(name, str):
        raise TypeError(f"the name of {what} must be a str, got {name!r}")
    if not name and not engine.has_empty_names:
        raise ValueError(f"the name of {what} is empty, which {engine.title} cannot have: rename it")
    if engine.not_in_names and engine.not_in_names in name:
        raise ValueError(f"the name {name!r} of {what} has {engine.not_in_names!r}, which {engine.title} would replace")
    return engine.name(_checked(name, f"the name of {what}"))


def _path(table: str | Sequence[str], engine: Dialect) -> str:
    parts = [table] if isinstance(table, str) else list(table)
    if not parts:
        raise ValueError("table must have at least one name, got none")
    return ".".join(_name(part, "the table", engine) for part in parts)


def _checked(text: str, what: str) -> str:
    """Raise if SQL cannot hold a text even in quotes."""
    if "\0" in text:
        raise ValueError(f"{what} cannot be written as SQL, it has a NUL character: {text!r}")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(f"{what} cannot be written as SQL, it has half of a surrogate pair: {text!r}") from None
    return text


def _written_labels(positive: Category, negative: Category, engine: Dialect) -> tuple[str, str]:
    """Write the two labels; raise if they are equal or not of one type."""
    labels = as_category(positive), as_category(negative)
    kinds = [_kind([label], "a label") for label in labels]
    if kinds[0] != kinds[1] or labels[0] == labels[1]:
        raise ValueError(f"positive and negative must be two labels of one type, got {labels[0]!r} and {labels[1]!r}")
    if kinds[0] == "bool":
        return engine.boolean_labels[bool(labels[0])], engine.boolean_labels[bool(labels[1])]
    return _value(labels[0], kinds[0], engine), _value(labels[1], kinds[1], engine)


def _kind(values: Sequence[Category], what: str) -> str:
    """Return "text", "number" or "bool" for the values of a column."""
    texts = [isinstance(value, str) for value in values]
    if all(texts):
        return "text"
    if any(texts):
        raise ValueError(f"{what} has text and numbers, and a column of SQL has one type; got {list(values)}")
    return "bool" if all(isinstance(value, bool) for value in values) else "number"


def _value(value: Category, kind: str, engine: Dialect, end_mark: str = "") -> str:
    """Write a category or a label."""
    if kind == "bool":
        return engine.booleans[bool(value)]
    if isinstance(value, str):
        return engine.text(_checked(value, "the text") + end_mark)
    fits = -(2**63) <= value < 2**63
    if isinstance(value, float) and not (value.is_integer() and fits):
        return engine.number(value)
    if not fits:
        raise ValueError(f"the whole number {value} has more than 64 bits: make it text")
    return str(int(value))


def _condition(limit: Limit, known: tuple[Category, ...] | None, engine: Dialect) -> str:
    column = _name(limit.feature, "a feature", engine)
    kind = "number" if known is None else _kind(known, f"feature {limit.feature!r}")
    may_be_nan = kind == "number" and bool(engine.is_nan)
    if limit.known:
        return f"{column} IS NOT NULL" + (f" AND {engine.not_nan.format(column)}" if may_be_nan else "")
    options = []
    if limit.categories:
        options = [_membership(column, [value for value in known or () if value in limit.categories], kind, engine)]
    elif limit.lower <= limit.upper and limit.categories is None:
        options = [_interval(column, limit, engine)]
    if limit.missing:
        options += [f"{column} IS NULL"] + ([engine.is_nan.format(column)] if may_be_nan else [])
    return options[0] if len(options) == 1 else f"({' OR '.join(options)})"


def _membership(column: str, values: list[Category], kind: str, engine: Dialect) -> str:
    """Write that a column has one of the values."""
    if kind == "text":
        column = engine.exact_text.format(column)
    return f"{column} IN ({', '.join(_value(value, kind, engine, engine.end_mark) for value in values)})"


def _interval(column: str, limit: Limit, engine: Dialect) -> str:
    """Write the limits of a number, at least one of which is finite."""
    far = any(abs(number) >= _FIRST_GAP for number in (limit.lower, limit.upper) if math.isfinite(number))
    value = engine.rounded.format(column) if far else column
    if limit.lower == -math.inf:
        return f"{value} <= {engine.number(limit.upper)}"
    if limit.lower == limit.upper:
        return f"{value} = {engine.number(limit.lower)}"
    if limit.upper < math.inf:
        return f"{value} BETWEEN {engine.number(limit.lower)} AND {engine.number(limit.upper)}"
    above = f"{value} >= {engine.number(limit.lower)}"
    if engine.nan_is_largest and not limit.missing:
        return f"{above} AND {engine.not_nan.format(column)}"
    return above


def _exponent_number(number: float) -> str:
    """Write a number with an exponent, without which it would be a decimal of fixed precision."""
    text = repr(number).removesuffix(".0")
    return text if "e" in text else f"{text}e0"


def _cast_number(kind: str) -> Callable[[float], str]:
    return lambda number: f"CAST('{number!r}' AS {kind})"


def _sqlite_number(number: float) -> str:
    """Write a number so that every version of SQLite reads the same float."""
    text = repr(number)
    if _is_read_well(number, text):
        return text
    mantissa, exponent = math.frexp(number)
    exponent -= 53
    wholes, rest = divmod(abs(exponent), _MAX_POWER_OF_TWO)
    powers = [_MAX_POWER_OF_TWO] * wholes + [rest] * (rest > 0)
    steps = [f" {'/' if exponent < 0 else '*'} {2**power}" for power in powers]
    # All of these are whole numbers below 2**63, which are read exactly, and scaling by powers of two is exact.
    return f"CAST({int(mantissa * 2**53)} AS REAL){''.join(steps)} /* {text} */"


def _is_read_well(number: float, text: str) -> bool:
    """Return True if one operation reads the decimals, and rounding to 64 bits before 53 does not change them.

    That is what versions of SQLite before 3.43 do, depending on how they were compiled.
    """
    if number.is_integer():
        return abs(number) < _FIRST_GAP
    _, digits, exponent = Decimal(text).as_tuple()
    if int("".join(map(str, digits))) >= _FIRST_GAP or -int(exponent) > _MAX_EXACT_POWER_OF_TEN:
        return False
    halfway = Fraction(abs(number - math.nextafter(number, 0.0))) / 2
    return abs(Fraction(text) - Fraction(number)) <= halfway * Fraction(63, 64)


def _in_double_quotes(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _in_backticks(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _doubled(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _doubled_with_backslashes(text: str) -> str:
    return _doubled(text.replace("\\", "\\\\"))


def _backslashed(text: str, quote: str = "'") -> str:
    escaped = text.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    return quote + escaped.replace("\n", "\\n").replace("\r", "\\r") + quote


def _spark_text(text: str) -> str:
    # Spark puts settings in the place of ${name}, even within quotes; an escape keeps the two signs apart.
    return _backslashed(text).replace("${", "$\\{")


def _postgres_text(text: str) -> str:
    # Whether a backslash escapes in plain quotes is a setting; with an E in front it always does.
    return f"E{_doubled_with_backslashes(text)}" if "\\" in text else _doubled(text)


def _mssql_text(text: str) -> str:
    # A backslash at the end of a line would join it with the next.
    return "N" + _doubled(text).replace("\\\n", "\\' + N'\n").replace("\\\r\n", "\\' + N'\r\n")


def _with_nan(kind: str) -> dict[str, Any]:
    nan = f"CAST('NaN' AS {kind})"
    return {"is_nan": f"{{}} = {nan}", "not_nan": f"{{}} <> {nan}", "nan_is_largest": True}


_ENGINES = {
    "sqlite": Dialect(
        "SQLite",
        name=_in_backticks,
        text=_doubled,
        number=_sqlite_number,
        exact_text="{} COLLATE BINARY",
        booleans=("0", "1"),
        boolean_labels=("0", "1"),
        rounded="CAST({} AS REAL)",
        has_empty_names=True,
    ),
    "duckdb": Dialect(
        "DuckDB",
        name=_in_double_quotes,
        text=_doubled,
        number=_exponent_number,
        exact_text='CAST({} AS VARCHAR) COLLATE "C"',
        **_with_nan("DOUBLE"),
    ),
    "postgres": Dialect(
        "Postgres",
        name=_in_double_quotes,
        text=_postgres_text,
        number=_cast_number("DOUBLE PRECISION"),
        exact_text='CAST({} AS TEXT) COLLATE "C"',
        tells_cases_apart=True,
        most_bytes=63,
        **_with_nan("DOUBLE PRECISION"),
    ),
    "spark": Dialect(
        "Spark",
        name=_in_backticks,
        text=_spark_text,
        number=lambda number: f"{number!r}D",
        not_in_names="${",
        **_with_nan("DOUBLE"),
    ),
    "bigquery": Dialect(
        "BigQuery",
        name=lambda name: _backslashed(name, quote="`"),
        text=_backslashed,
        number=_cast_number("FLOAT64"),
        is_nan="IS_NAN({})",
        not_nan="NOT IS_NAN({})",
    ),
    "snowflake": Dialect(
        "Snowflake",
        name=_in_double_quotes,
        text=_doubled_with_backslashes,
        number=_cast_number("DOUBLE"),
        tells_cases_apart=True,
        **_with_nan("DOUBLE"),
    ),
    "mssql": Dialect(
        "SQL Server",
        name=lambda name: f"[{name.replace(']', ']]')}]",
        text=_mssql_text,
        number=_exponent_number,
        joined=("", "+", ""),
        exact_text="({} + N'|') COLLATE Latin1_General_100_BIN2",
        end_mark="|",
        booleans=("0", "1"),
        boolean_labels=("CAST(0 AS BIT)", "CAST(1 AS BIT)"),
    ),
    "mysql": Dialect(
        "MySQL",
        name=_in_backticks,
        text=_doubled_with_backslashes,
        number=_exponent_number,
        joined=("CONCAT(", ",", ")"),
        exact_text="CAST(CONVERT({} USING utf8mb4) AS BINARY)",
        rounded="({} + 0e0)",
    ),
}

#: The engines that SQL can be written for.
DIALECTS = tuple(_ENGINES)

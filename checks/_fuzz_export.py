"""Fuzzing of exports: SQL, Python and ONNX are run, and must give the answers of the plain implementation."""

from __future__ import annotations

import json
import random
import sqlite3
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import duckdb
import numpy as np
from _fuzz_json import limit
from _fuzz_judge import Finding, attempt, expect
from _fuzz_plain import flagged, points, rows_near
from _fuzz_values import name, names, written

from boxdraw import BoxSet
from boxdraw.model.export.onnx import onnx_inputs
from boxdraw.model.export.sql import DIALECTS
from boxdraw.model.scorecard import Scorecard

WHOLE = (0, 1, -1, 2, 7, 2**31, 2**53, 2**53 + 1, -(2**63), 2**63 - 1)
TAGS = {
    "table",
    "caption",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "div",
    "style",
    "span",
    "p",
    "code",
    "pre",
    "small",
    "br",
}
_DUCKDB: list[Any] = []


def document(rng: random.Random) -> dict[str, Any]:
    """Draw boxes whose features have categories of one type each, as the columns of a database do."""
    features: list[dict[str, Any]] = []
    for called in names(rng, rng.randint(1, 4)):
        kind = rng.randrange(6)
        if kind < 3:
            features.append({"name": called, "kind": "numeric"})
            continue
        if kind == 3:
            known: list[Any] = [name(rng) for _ in range(rng.randint(1, 4))]
        else:
            known = [True, False] if kind == 4 else [rng.choice(WHOLE) for _ in range(3)]
        features.append({"name": called, "kind": "categorical", "categories": list(dict.fromkeys(known))})
    drawn = [
        {"limits": [limit(rng, about) for about in features if rng.random() < 0.7]} for _ in range(rng.randint(0, 3))
    ]
    return {"format": "boxdraw.boxes", "version": 1, "features": features, "boxes": drawn}


def run(rng: random.Random, folder: Path) -> bool:
    """Run a case; return whether anything could be exported."""
    right = document(rng)
    found = BoxSet.from_json(written(right, ascii_only=True))
    rows = [_typed(row, right) for row in rows_near(rng, right, 5)]
    answers = [flagged(right, row) for row in rows]
    done = _python(found, rows, answers)
    _card(rng, found, right, rows)
    _pmml(found)
    done |= _sqlite(rng, found, right, rows, answers)
    if rng.random() < 0.25:
        done |= _duckdb(rng, found, right, rows, answers)
    if rng.random() < 0.03:
        _onnx(found, rows, answers)
    for dialect in rng.sample(DIALECTS, 2):
        attempt(found.to_sql, rng.choice((None, name(rng), (name(rng), name(rng)))), dialect=dialect, column=name(rng))
    _html(found)
    attempt(found.to_markdown)
    return done


def _typed(row: dict[str, Any], right: Any) -> dict[str, Any]:
    """Give every value the type of its column."""
    kinds = {feature["name"]: type(feature.get("categories", [0.0])[0]) for feature in right["features"]}
    return {
        key: None
        if value is None or value != value or not isinstance(value, kinds[key]) or type(value) is not kinds[key]
        else value
        for key, value in row.items()
    }


def _python(found: BoxSet, rows: list[dict[str, Any]], answers: list[bool]) -> bool:
    done, source = attempt(found.to_python, "flag")
    if not done:
        return False
    space: dict[str, Any] = {}
    exec(compile(source.encode("utf-8"), "flag.py", "exec"), space)
    expect([space["flag"](row) for row in rows] == answers, "the Python source says something else")
    return True


def _drawn(rng: random.Random, found: BoxSet) -> Scorecard | None:
    """Draw a scorecard on boxes; None if it is refused."""
    worth = [rng.choice((1, 2, 3, -1)) for _ in range(found.n_boxes)]
    able, card = attempt(Scorecard, found, worth, rng.choice((1, 2, 4)))
    return card if able else None


def _card(rng: random.Random, found: BoxSet, right: Any, rows: list[dict[str, Any]]) -> None:
    card = _drawn(rng, found)
    done, source = attempt(card.to_python) if card is not None else (False, "")
    if card is None or not done:
        return
    space: dict[str, Any] = {}
    exec(compile(source.encode("utf-8"), "score.py", "exec"), space)
    for row in rows:
        said, total = space["score"](row), points({"points": card.points, "boxes": right}, row)
        expect(said["points"] == total, "the Python source gives other points")
        expect(said["flag"] == (total >= card.threshold), "the Python source flags other rows of a card")
        expect(sum(card.points[k - 1] for k in said["reasons"]) == total, "the reasons do not add up to the points")


def _pmml(found: BoxSet) -> None:
    """See that the document is XML, and names come out of it as they are."""
    done, text = attempt(found.to_pmml)
    if done:
        fields = ElementTree.fromstring(text).iter("{http://www.dmg.org/PMML-4_4}DataField")
        expect({field.get("name") for field in fields} <= {*found.feature_names}, "a name is another one in PMML")


def _quoted(called: str, quote: str) -> str:
    return quote + called.replace(quote, quote * 2) + quote


def _create(right: Any, types: dict[type, str], quote: str) -> str:
    columns = []
    for feature in right["features"]:
        kind = type(feature["categories"][0]) if "categories" in feature else float
        columns.append(f"{_quoted(feature['name'], quote)} {types[kind]}")
    return f"CREATE TABLE rows_ (id_of_row INTEGER, {', '.join(columns)})"


def _sql_of(rng: random.Random, found: BoxSet, right: Any, dialect: str) -> tuple[str, Any] | None:
    """Write a query for boxes, or for a scorecard on them; return it with its card."""
    card = _drawn(rng, found) if found.n_boxes and rng.random() < 0.3 else None
    done, sql = attempt((card or found).to_sql, "rows_", dialect=dialect)
    return (sql, card) if done else None


def _compare(
    answers: list[bool], got: list[tuple[Any, ...]], card: Any, right: Any, rows: list[dict[str, Any]], engine: str
) -> None:
    if card is None:
        expect([bool(line[-1]) for line in got] == answers, f"{engine} flags other rows")
        return
    totals = [points({"points": card.points, "boxes": right}, row) for row in rows]
    expect([line[-2] for line in got] == totals, f"{engine} gives other points")
    expect(
        [bool(line[-1]) for line in got] == [total >= card.threshold for total in totals],
        f"{engine} flags other rows of a card",
    )


def _sqlite(rng: random.Random, found: BoxSet, right: Any, rows: list[dict[str, Any]], answers: list[bool]) -> bool:
    query = _sql_of(rng, found, right, "sqlite")
    if query is None:
        return False
    sql, card = query
    base = sqlite3.connect(":memory:")
    try:
        base.execute(_create(right, {float: "REAL", str: "TEXT", bool: "INTEGER", int: "INTEGER"}, '"'))
        marks = ", ".join("?" * (len(right["features"]) + 1))
        base.executemany(f"INSERT INTO rows_ VALUES ({marks})", [(i, *row.values()) for i, row in enumerate(rows)])
    except (sqlite3.Error, UnicodeEncodeError, OverflowError):  # no such table can be made
        base.close()
        return True
    try:
        got = base.execute(f"{sql} ORDER BY id_of_row").fetchall()
    except sqlite3.Error as error:
        raise Finding(f"SQLite does not take the SQL: {error}") from error
    finally:
        base.close()
    _compare(answers, got, card, right, rows, "SQLite")
    return True


def _duckdb(rng: random.Random, found: BoxSet, right: Any, rows: list[dict[str, Any]], answers: list[bool]) -> bool:
    query = _sql_of(rng, found, right, "duckdb")
    if query is None:
        return False
    if not _DUCKDB:
        _DUCKDB.append(duckdb.connect(config={"threads": 1}))
    sql, card = query
    base = _DUCKDB[0]
    base.execute("DROP TABLE IF EXISTS rows_")
    try:
        base.execute(_create(right, {float: "DOUBLE", str: "VARCHAR", bool: "BOOLEAN", int: "BIGINT"}, '"'))
        for i, row in enumerate(rows):
            base.execute(f"INSERT INTO rows_ VALUES (?{', ?' * len(row)})", [i, *row.values()])
    except (duckdb.Error, UnicodeEncodeError, ValueError, RuntimeError):  # no such table can be made
        return True
    try:
        got = base.execute(f"{sql} ORDER BY id_of_row").fetchall()
    except duckdb.Error as error:
        raise Finding(f"DuckDB does not take the SQL: {error}") from error
    _compare(answers, got, card, right, rows, "DuckDB")
    return True


def _onnx(found: BoxSet, rows: list[dict[str, Any]], answers: list[bool]) -> None:
    import onnxruntime

    done, model = attempt(found.to_onnx)
    if not done or not rows:
        return
    table = np.empty((len(rows), found.n_features), dtype=object)
    for i, row in enumerate(rows):
        table[i] = list(row.values())
    done, given = attempt(onnx_inputs, found, table)
    if done:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        label = session.run(["label"], given)[0]
        expect(label.reshape(-1).astype(bool).tolist() == answers, "ONNX flags other rows")


class _Tags(HTMLParser):
    """Collects the tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.add(tag)
        self.attributes |= {key for key, _ in attrs}


def _html(found: BoxSet) -> None:
    """See that no name becomes a part of the page."""
    done, page = attempt(found.to_html)
    if done:
        parser = _Tags()
        parser.feed(page)
        expect(parser.tags <= TAGS, f"a name became HTML: {sorted(parser.tags - TAGS)}")
        odd = {key for key in parser.attributes if key not in ("class", "style", "scope", "colspan")}
        expect(not odd, f"a name became an attribute: {json.dumps(sorted(odd))}")

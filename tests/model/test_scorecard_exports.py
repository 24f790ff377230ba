"""Every way to write a scorecard, but for JSON, against the card itself."""

import math
import sqlite3
from contextlib import closing
from html.parser import HTMLParser

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from markdown_it import MarkdownIt
from sqlglot import exp

from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.sql import DIALECTS, to_sql
from boxdraw.model.export.text import rule_texts
from boxdraw.model.rule import Limit, Rule
from boxdraw.model.scorecard import MAX_POINTS, Scorecard

from .export.cases import random_rows
from .export.test_markdown import HOSTILE as HOSTILE_TEXTS
from .export.test_sql import HOSTILE, listed_texts, parsed, renamed
from .test_scorecard import SEEDS, random_card

INF = math.inf


def small(points=(3, -2), threshold=1):
    boxes = BoxSet.from_rules(
        [
            Rule((Limit("amount", 250.5), Limit("night", categories={True}))),
            Rule((Limit("amount", upper=9, missing=True), Limit("it's", categories={"a", "b'"}))),
        ],
        ["amount", "night", "it's"],
        {"it's": ["b'", "a", "c"]},
    )
    return Scorecard(boxes, points, threshold)


def empty():
    return Scorecard(small().boxes[:0], [], 1)


# text


def test_text():
    assert small((3, 1), 4).to_text().split("\n") == [
        "3 points: amount ≥ 250.5 and night = True",
        "1 point: amount ≤ 9 (or missing) and it's in {\"b'\", a}",
        "Alarm from 4 points.",
    ]
    assert small((-1, -2), 1).to_text().split("\n")[0].startswith("−1 point: amount")
    assert small((1, -2), 1).to_text().split("\n")[1].startswith("−2 points: amount")
    assert empty().to_text() == "No box: nothing is flagged."


@pytest.mark.parametrize(
    ("points", "threshold", "expected"),
    [
        ((3, 2), 1, "Alarm from 1 point."),
        ((3, 2), 5, "Alarm from 5 points."),
        ((3, 2), 6, "Alarm from 6 points, which no row can reach."),
        ((3, -2), 3, "Alarm from 3 points."),
        ((3, -2), 4, "Alarm from 4 points, which no row can reach."),
        ((3, -2), 0, "Alarm from 0 points."),
        ((3, -2), -1, "Alarm from −1 point."),
        ((3, -2), -2, "Alarm from −2 points, which every row has."),
    ],
)
def test_alarm(points, threshold, expected):
    assert small(points, threshold).to_text().split("\n")[-1] == expected


def test_repr():
    assert repr(small()) == "Scorecard with 2 boxes on 3 features\n" + small().to_text()
    assert repr(empty()) == "Scorecard with 0 boxes on 3 features\nNo box: nothing is flagged."
    many = Scorecard(BoxSet(np.arange(15)[:, None], np.arange(15)[:, None] + 1), range(1, 16), 15)
    assert repr(many).split("\n")[-3:] == ["10 points: 9 ≤ x0 ≤ 10", "... and 5 more", "Alarm from 15 points."]
    assert "more" not in repr(Scorecard(many.boxes[:10], many.points[:10], 15))


# tables


@pytest.mark.parametrize(("like", "kind"), [(None, pd), (pd, pd), (pl, pl), (pa, pa)])
def test_frame(like, kind):
    frame = None if like is None else like.table({"x": [1]}) if like is pa else like.DataFrame({"x": [1]})
    for card in (small(), empty()):
        result = card.to_frame(frame)
        assert isinstance(result, pa.Table if kind is pa else kind.DataFrame)
        columns = result.to_pydict() if kind is pa else {name: result[name].to_list() for name in result.columns}
        assert columns == {"rule": rule_texts(card.boxes), "points": list(card.points)}
        points = result["points"]
        assert str(points.type if kind is pa else points.dtype).lower() == "int64"


def test_an_empty_frame_has_a_column_of_text():
    assert empty().to_frame(pl.DataFrame({"x": [1]})).schema["rule"] == pl.String
    assert pd.api.types.is_string_dtype(empty().to_frame()["rule"])


class Cells(HTMLParser):
    """The texts of all cells, and every tag."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.cells = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag in ("td", "th", "caption"):
            self.cells.append("")

    def handle_data(self, data):
        if data.strip():
            self.cells[-1] += data


@pytest.mark.parametrize("name", ["plain", "<script>alert('&')</script>", "</td>", "&lt;", '" onload="x'])
def test_html(name):
    boxes = BoxSet.from_rules([Rule((Limit(name, categories={name}),)), Rule()], [name])
    card = Scorecard(boxes, [3, -2], 1)
    page = Cells(card.to_html())
    assert page.tags == {"table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td"}
    rules = rule_texts(boxes)
    rows = ["1", rules[0], "3", "", "2", rules[1], "−2", "", "", "Total. Alarm from 1 point.", "", ""]
    assert page.cells == ["Scorecard with 2 boxes on 1 feature", "Box", "Rule", "Points", "Score", *rows]
    assert card._repr_html_() == card.to_html()


def test_html_of_nothing():
    cells = ["Scorecard with 0 boxes on 3 features", "Box", "Rule", "Points", "Score", "No box: nothing is flagged."]
    assert Cells(empty().to_html()).cells == cells


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_markdown(name):
    boxes = BoxSet.from_rules([Rule((Limit(name, categories={name}),)), Rule()], [name])
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(Scorecard(boxes, [3, -2], 1).to_markdown())
    assert [token.type for token in tokens if token.level == 0] == [
        "table_open",
        "table_close",
        "paragraph_open",
        "paragraph_close",
    ]
    children = [token.children for token in tokens if token.type == "inline"]
    assert all(child.type == "text" for cell in children for child in cell)
    texts = ["".join(child.content for child in cell) for cell in children]
    rules = rule_texts(boxes)
    assert texts == ["Points", "Rule", "3", rules[0], "−2", rules[1], "Alarm from 1 point."]


def test_markdown_of_nothing():
    assert empty().to_markdown() == "No box: nothing is flagged."


# SQL


def run_sqlite(card, frame, table="t", **options):
    """Return the columns that a query adds, row by row."""
    quoted = ['"' + name.replace('"', '""') + '"' for name in frame.columns]
    target = '"' + table.replace('"', '""') + '"'
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE {target} ({', '.join(quoted)})")
        rows = [tuple(row) for row in frame.astype(object).itertuples(index=False)]
        connection.executemany(f"INSERT INTO {target} VALUES ({', '.join('?' * len(quoted))})", rows)
        result = connection.execute(card.to_sql(table, **options)).fetchall()
    assert len(result) == len(frame)
    return [row[len(quoted) :] for row in result]


def run_duckdb(card, frame, table="t", **options):
    """Return the columns that a query adds, row by row; NaN stays NaN, and None is NULL."""
    arrow = pa.table({name: pa.array(frame[name].tolist(), from_pandas=False) for name in frame.columns})
    with closing(duckdb.connect()) as connection:
        connection.register(table, arrow)
        result = connection.execute(card.to_sql(table, dialect="duckdb", **options)).fetchall()
    assert len(result) == len(frame)
    return [row[len(frame.columns) :] for row in result]


RUNS = [run_sqlite, run_duckdb]


def null(frame):
    return frame.astype(object).where(frame.notna(), None)


@pytest.mark.parametrize(
    ("run", "prepare"), [(run_sqlite, null), (run_duckdb, null), (run_duckdb, lambda frame: frame)]
)
def test_engines_give_the_same_points_and_labels(run, prepare):
    scores, flags = [], []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        card = random_card(rng)
        card = Scorecard(renamed(card.boxes, "no name"), card.points, card.threshold)
        frame = random_rows(rng, card.boxes, 100)
        score, flagged = card.score(frame).tolist(), card.contains(frame).tolist()
        assert run(card, prepare(frame)) == [*zip(score, map(int, flagged), strict=True)], f"seed {seed}"
        scores += score
        flags += flagged
    assert min(scores) < 0 < max(scores)
    assert 0.2 < np.mean(flags) < 0.8


@pytest.mark.parametrize("run", RUNS)
def test_columns_can_be_left_out_and_named(run):
    card, frame = small(), pd.DataFrame({"amount": [300.0, 5.0], "night": [True, True], "it's": ["a", "a"]})
    assert run(card, frame) == [(3, 1), (-2, 0)]
    assert run(card, frame, column=None) == [(3,), (-2,)]
    assert run(card, frame, points_column=None, positive="yes", negative="no") == [("yes",), ("no",)]
    assert '"a b"' in card.to_sql("t", dialect="duckdb", points_column="a b")


@pytest.mark.parametrize("run", RUNS)
def test_expressions_can_be_used_anywhere(run):
    """Without a table there is an expression, which other operations can go around."""
    frame = pd.DataFrame({"x": [1.0, 5.0, math.nan]})
    card = Scorecard(BoxSet([[0], [4]], [[2], [6]], feature_names=["x"]), [3, 2], 3)
    dialect = "duckdb" if run is run_duckdb else "sqlite"
    points, label = card.to_sql(dialect=dialect, column=None), card.to_sql(dialect=dialect)

    class Written:
        def to_sql(self, table, **_):
            return f"SELECT *, 10 * {points} - {points}, 1 + {label} FROM {table}"

    assert run(Written(), null(frame)) == [(27, 2), (18, 1), (0, 1)]


@pytest.mark.parametrize("run", RUNS)
def test_no_box_and_no_limit(run):
    frame = pd.DataFrame({"x": [1.0, 2.0]})
    every = BoxSet([[-INF]], [[INF]], feature_names=["x"])
    assert run(Scorecard(every, [2], 2), frame) == [(2, 1), (2, 1)]
    assert run(Scorecard(every[:0], [], 1), frame) == [(0, 0), (0, 0)]
    assert run(Scorecard(every, [-2], -2), frame) == [(-2, 1), (-2, 1)]


@pytest.mark.parametrize("run", RUNS)
def test_points_as_large_as_they_may_be(run):
    frame = pd.DataFrame({"x": [1.0]})
    boxes = BoxSet([[0], [0]], [[1], [1]], feature_names=["x"])
    assert run(Scorecard(boxes, [MAX_POINTS - 1, 1], MAX_POINTS), frame) == [(MAX_POINTS, 1)]
    assert run(Scorecard(boxes, [1 - MAX_POINTS, -1], -MAX_POINTS), frame) == [(-MAX_POINTS, 1)]


def test_the_text_of_the_sql():
    card = Scorecard(BoxSet([[30], [40]], [[50], [INF]], feature_names=["age"]), [3, -2], 1)
    assert (
        card.to_sql(("s", "t"), dialect="mssql", positive=True, negative=False)
        == """SELECT
  *,
  (
    CASE
      WHEN [age] BETWEEN 30e0 AND 50e0
      THEN 3
      ELSE 0
    END
    + CASE
      WHEN [age] >= 40e0
      THEN -2
      ELSE 0
    END
  ) AS [points],
  CASE
    WHEN (
      CASE
        WHEN [age] BETWEEN 30e0 AND 50e0
        THEN 3
        ELSE 0
      END
      + CASE
        WHEN [age] >= 40e0
        THEN -2
        ELSE 0
      END
    ) >= 1
    THEN CAST(1 AS BIT)
    ELSE CAST(0 AS BIT)
  END AS [flagged]
FROM [s].[t]"""
    )


@pytest.mark.parametrize("dialect", DIALECTS)
def test_another_parser_reads_the_same(dialect):
    """It finds the very names, texts and points, in random cards and in one made to break out."""
    worst = [Rule((Limit(name, categories={*HOSTILE}),)) for name in HOSTILE]
    cards = [Scorecard(BoxSet.from_rules(worst, HOSTILE), range(1, len(HOSTILE) + 1), 7)]
    for seed in SEEDS:
        card = random_card(np.random.default_rng(seed))
        cards.append(Scorecard(renamed(card.boxes, "no name"), card.points, card.threshold))
    for card in cards:
        names = {"column": HOSTILE[0] * 2, "points_column": HOSTILE[1] * 2}
        tree = parsed(card.to_sql(("schema", HOSTILE[0]), dialect=dialect, **names), dialect)
        limits = [limit for rule in card.boxes.rules() for limit in rule.limits]
        texts = {value for limit in limits for value in limit.categories or () if isinstance(value, str)}
        assert {column.name for column in tree.find_all(exp.Column)} == {limit.feature for limit in limits}
        assert listed_texts(tree) == {text + ("|" if dialect == "mssql" else "") for text in texts}
        assert [column.alias for column in tree.expressions[1:]] == [HOSTILE[1] * 2, HOSTILE[0] * 2]
        total = tree.expressions[1].this
        branches = [branch.args["true"].sql() for branch in total.find_all(exp.If)]
        assert sorted(map(int, branches)) == sorted(card.points)
        label = tree.expressions[2].this
        condition = label.args["ifs"][0].this
        assert isinstance(condition, exp.GTE)
        assert condition.this == total
        assert int(condition.expression.sql()) == card.threshold


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("text", HOSTILE)
def test_injections_do_nothing(run, text):
    card = Scorecard(BoxSet.from_rules([Rule((Limit(text, categories={text}),))], [text]), [2], 2)
    frame = pd.DataFrame({text: [text, "x", None]}, dtype=object)
    names = {"column": f"column {text}", "points_column": f"points {text}"}
    rows = run(card, frame, table=f"table {text}", positive=text, negative="'", **names)
    assert rows == [(2, text), (0, "'"), (0, "'")]


def test_what_sql_refuses():
    card = Scorecard(BoxSet([[1, 1]], [[2, 2]], feature_names=["Points", "x"]), [1], 1)
    with pytest.raises(
        ValueError, match="column 'points' is the name of a feature: choose another name for the points, points_column="
    ):
        card.to_sql("t")
    with pytest.raises(ValueError, match="column 'X' is the name of a feature: choose another name for the labels"):
        card.to_sql("t", points_column="sum", column="X")
    with pytest.raises(ValueError, match=r"column 'Sum' is the name of the column of points: choose .* for the labels"):
        card.to_sql("t", points_column="sum", column="Sum")
    apart = card.to_sql("t", points_column="sum", column="Sum", dialect="postgres")
    assert 'AS "sum"' in apart
    assert 'AS "Sum"' in apart
    assert "Points" in card.to_sql(column=None)  # an expression has no name
    with pytest.raises(ValueError, match="a query needs the name of a column for points or labels; got None"):
        card.to_sql("t", column=None, points_column=None)
    with pytest.raises(TypeError, match="the name of the column of points must be a str, got 3"):
        card.to_sql("t", points_column=3)
    with pytest.raises(ValueError, match="unknown dialect 'oracle'"):
        card.to_sql(dialect="oracle")
    with pytest.raises(ValueError, match="two labels of one type"):
        to_sql(card, positive=1, negative="no")
    alike = Scorecard(BoxSet([[1, 1]], [[2, 2]], feature_names=["age", "Age"]), [1], 1)
    with pytest.raises(ValueError, match=r"may take the features \['age', 'Age'\] for one column"):
        alike.to_sql()

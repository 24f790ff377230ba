import math
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from enum import Enum, IntEnum

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sqlglot
from sqlglot import exp

from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.sql import DIALECTS, to_sql
from boxdraw.model.rule import Limit, Rule

from .cases import NAMES, TEXTS, random_boxes, random_rows

INF = math.inf
SEEDS = range(50)
ROWS = 220
HOSTILE = (
    "x'; DROP TABLE t; --",
    'x"; DROP TABLE t; --',
    "`; DROP TABLE t; --",
    "]; DROP TABLE t; --",
    "\\' OR 1=1 --",
    "/* */",
    "{}",
    "\\",
    "\r\n",
)


def make(*limits, categories=None):
    """Return one box."""
    return BoxSet.from_rules([Rule(limits)], [limit.feature for limit in limits], categories)


def renamed(boxes, empty):
    """Return the same boxes with another name for the feature without one."""
    rules = [
        Rule(tuple(replace(limit, feature=limit.feature or empty) for limit in rule.limits)) for rule in boxes.rules()
    ]
    pairs = zip(boxes.feature_names, boxes.categories, strict=True)
    categories = {name or empty: values for name, values in pairs if values is not None}
    return BoxSet.from_rules(rules, [name or empty for name in boxes.feature_names], categories)


def run_sqlite(boxes, frame, table="t", types=None, **options):
    """Return the labels that SQLite gives to rows."""
    quoted = ['"' + name.replace('"', '""') + '"' for name in frame.columns]
    target = '"' + table.replace('"', '""') + '"'
    with closing(sqlite3.connect(":memory:")) as connection:
        columns = [f"{name} {kind}" for name, kind in zip(quoted, types or [""] * len(quoted), strict=True)]
        connection.execute(f"CREATE TABLE {target} ({', '.join(columns)})")
        places = ", ".join("?" * len(quoted))
        rows = [tuple(row) for row in frame.astype(object).itertuples(index=False)]
        connection.executemany(f"INSERT INTO {target} VALUES ({places})", rows)
        result = connection.execute(to_sql(boxes, table, **options)).fetchall()
        assert len(result) == len(frame)
        return [row[-1] for row in result]


def run_duckdb(boxes, frame, table="t", **options):
    """Return the labels that DuckDB gives to rows; NaN stays NaN, and None is NULL."""
    arrow = pa.table({name: pa.array(frame[name].tolist(), from_pandas=False) for name in frame.columns})
    with closing(duckdb.connect()) as connection:
        connection.register(table, arrow)
        result = connection.execute(to_sql(boxes, table, dialect="duckdb", **options)).fetchall()
        assert len(result) == len(frame)
        return [row[-1] for row in result]


def same_on_random_rows(run, prepare=lambda frame: frame, empty="no name"):
    seen = []
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        boxes = renamed(random_boxes(rng), empty)
        frame = random_rows(rng, boxes, ROWS)
        inside = boxes.contains(frame)
        np.testing.assert_array_equal(np.array(run(boxes, prepare(frame))) == 1, inside, err_msg=f"seed {seed}")
        seen += inside.tolist()
    assert len(seen) >= 10_000
    assert 0.2 < np.mean(seen) < 0.8


# the labels


def test_sqlite_agrees_on_random_rows():
    same_on_random_rows(run_sqlite, empty="")


def test_duckdb_agrees_on_random_rows_with_nan():
    same_on_random_rows(run_duckdb)


def test_duckdb_agrees_on_random_rows_with_null():
    def nulls(frame):
        return frame.astype(object).where(frame.notna(), None)

    same_on_random_rows(run_duckdb, nulls)


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb])
def test_missing_and_infinite_numbers(run):
    frame = pd.DataFrame({"x": [5.0, INF, -INF, math.nan]})
    limits = {
        Limit("x", lower=1): [1, 1, 0, 0],
        Limit("x", upper=9): [1, 0, 1, 0],
        Limit("x", 1, 9): [1, 0, 0, 0],
        Limit("x", lower=1, missing=True): [1, 1, 0, 1],
        Limit("x", upper=9, missing=True): [1, 0, 1, 1],
        Limit("x", 6, 9, missing=True): [0, 0, 0, 1],
        Limit("x"): [1, 1, 1, 0],
        Limit("x", INF, -INF, missing=True): [0, 0, 0, 1],
    }
    for limit, expected in limits.items():
        assert run(make(limit), frame) == expected


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT", "INTEGER", "UBIGINT", "HUGEINT", "DECIMAL(10, 2)"])
def test_duckdb_takes_any_numbers(kind):
    with closing(duckdb.connect()) as connection:
        connection.execute(f"CREATE TABLE t (x {kind}); INSERT INTO t VALUES (1), (2), (NULL)")
        for limit, expected in ((Limit("x", lower=1.5), [0, 1, 0]), (Limit("x"), [1, 1, 0])):
            result = connection.execute(to_sql(make(limit), "t", dialect="duckdb")).fetchall()
            assert [label for _, label in result] == expected


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb])
def test_numbers_that_are_categories(run):
    frame = pd.DataFrame({"x": [1.0, 2.5, 3.0, math.nan]})
    categories = {"x": [1, 2.5, 3.0]}
    assert run(make(Limit("x", categories={1, 2.5}), categories=categories), frame) == [1, 1, 0, 0]
    assert run(make(Limit("x", categories={1}, missing=True), categories=categories), frame) == [1, 0, 0, 1]
    assert run(make(Limit("x"), categories=categories), frame) == [1, 1, 1, 0]
    # A float that is whole is written as such, to be compared with whole numbers beyond 2**53 exactly.
    frame = pd.DataFrame({"x": [2**60, 2**60 + 1]})
    assert run(make(Limit("x", categories={2.0**60})), frame) == [1, 0]


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb])
def test_true_and_false(run):
    frame = pd.DataFrame({"x": pd.Series([True, False, None], dtype=object)})
    assert run(make(Limit("x", categories={True})), frame) == [1, 0, 0]
    assert run(make(Limit("x", categories={False}, missing=True)), frame) == [0, 1, 1]
    numbers = make(Limit("x", categories={True, 2}))  # to Python, and so to boxes, True is 1
    assert run(numbers, pd.DataFrame({"x": [1, 2, 3]})) == [1, 1, 0]


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb])
def test_text_is_compared_exactly(run):
    frame = pd.DataFrame({"x": ["north", "North", "north ", " north", "", " "]})
    assert run(make(Limit("x", categories={"north", ""})), frame) == [1, 0, 0, 0, 1, 0]


def test_text_is_compared_exactly_whatever_the_column():
    boxes = make(Limit("x", categories={"north"}))
    frame = pd.DataFrame({"x": ["north", "North", "north "]})
    for collation in ("NOCASE", "RTRIM"):
        assert run_sqlite(boxes, frame, types=[f"TEXT COLLATE {collation}"]) == [1, 0, 0]
    for kind in ("VARCHAR COLLATE NOCASE", "ENUM ('north', 'North', 'north ')"):
        with closing(duckdb.connect()) as connection:
            connection.execute(f"CREATE TABLE t (x {kind}); INSERT INTO t VALUES ('north'), ('North'), ('north ')")
            result = connection.execute(to_sql(boxes, "t", dialect="duckdb")).fetchall()
            assert [label for _, label in result] == [1, 0, 0]


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb])
def test_whole_numbers_are_rounded_as_boxes_round_them(run):
    frame = pd.DataFrame({"x": [2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, -(2**53) - 1]})
    for low, high in ((2**53, INF), (-INF, 2**53), (2**53, 2**53), (-(2**53), 0), (2**53 - 1, INF)):
        boxes = BoxSet([[low]], [[high]], feature_names=["x"])
        assert run(boxes, frame) == boxes.contains(frame).tolist()


def test_mysql_would_not_round_either():
    assert "WHEN (`x` + 0e0) >= 1e+16\n" in to_sql(BoxSet([[1e16]], [[INF]], feature_names=["x"]), dialect="mysql")


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb])
def test_no_boxes_and_no_limits(run):
    boxes = BoxSet([[-INF]], [[INF]], feature_names=["x"])
    frame = pd.DataFrame({"x": [1.0, math.nan]})
    assert run(boxes, frame) == [1, 1]
    assert run(boxes[:0], frame) == [0, 0]


# numbers


def exact_numbers():
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2**64, size=4000, dtype=np.uint64).view(np.float64)
    rounded = np.round(rng.normal(scale=1000, size=10_000), 6)  # old versions misread one in 5000
    special = [0.1, 722.983587, -1719.373424, 5e-324, sys.float_info.min, sys.float_info.max, 2.0**53, 1e22, 1e23, 30.0]
    return [*special, *bits[np.isfinite(bits)].tolist(), *rounded.tolist(), *rng.normal(size=2000).tolist()]


def written_numbers(dialect, numbers):
    """Return numbers as they appear in SQL."""
    boxes = BoxSet([[number] for number in numbers], [[INF]] * len(numbers), feature_names=["x"])
    lines = [line for line in to_sql(boxes, dialect=dialect).split("\n") if " >= " in line]
    return [line.split(" >= ")[1].split(" AND ")[0] for line in lines]


@pytest.mark.parametrize(("dialect", "connect"), [("sqlite", sqlite3.connect), ("duckdb", duckdb.connect)])
def test_engines_read_the_same_floats(dialect, connect):
    numbers = exact_numbers()
    texts = written_numbers(dialect, numbers)
    with closing(connect(":memory:")) as connection:
        for start in range(0, len(numbers), 500):
            read = connection.execute(f"SELECT {', '.join(texts[start : start + 500])}").fetchone()
            assert list(read) == numbers[start : start + 500]
            assert {type(number) for number in read} == {float}


def test_sqlite_gets_a_fraction_where_decimals_are_at_risk():
    expected = ["0.1", "CAST(6359430884781611 AS REAL) / 8796093022208 /* 722.983587 */"]
    assert written_numbers("sqlite", [0.1, 722.983587]) == expected


@pytest.mark.parametrize("dialect", DIALECTS[1:])
def test_digits_say_the_same_float(dialect):
    numbers = exact_numbers()[:3000]
    digits = [text.removeprefix("CAST('").split("'")[0].removesuffix("D") for text in written_numbers(dialect, numbers)]
    assert [float(text) for text in digits] == numbers


# the text of the SQL


SMALL = BoxSet.from_rules(
    [
        Rule((Limit("age", lower=30), Limit("dose", upper=0.1, missing=True), Limit("it's", categories={"a\\", "b'"}))),
        Rule((Limit("age"), Limit("member", categories={True}), Limit("it's", categories=set(), missing=True))),
    ],
    ["age", "dose", "it's", "member"],
    {"it's": ["b'", "a\\", "c"]},
)
LAYOUT = """SELECT
  *,
  CASE
    WHEN {}
      AND {}
      AND {}
    THEN 1
    WHEN {}
      AND <it's> IS NULL
      AND {}
    THEN 1
    ELSE 0
  END AS <flagged>
FROM <s>.<t>"""
# What is different in each engine, in the order of the layout, where < and > are its quotes.
EXPECTED = {
    "sqlite": r"""
`age` >= 30.0
(`dose` <= 0.1 OR `dose` IS NULL)
`it's` COLLATE BINARY IN ('b''', 'a\')
`age` IS NOT NULL
`member` IN (1)
""",
    "duckdb": r"""
"age" >= 30e0 AND "age" <> CAST('NaN' AS DOUBLE)
("dose" <= 0.1e0 OR "dose" IS NULL OR "dose" = CAST('NaN' AS DOUBLE))
CAST("it's" AS VARCHAR) COLLATE "C" IN ('b''', 'a\')
"age" IS NOT NULL AND "age" <> CAST('NaN' AS DOUBLE)
"member" IN (TRUE)
""",
    "postgres": r"""
"age" >= CAST('30.0' AS DOUBLE PRECISION) AND "age" <> CAST('NaN' AS DOUBLE PRECISION)
("dose" <= CAST('0.1' AS DOUBLE PRECISION) OR "dose" IS NULL OR "dose" = CAST('NaN' AS DOUBLE PRECISION))
CAST("it's" AS TEXT) COLLATE "C" IN ('b''', E'a\\')
"age" IS NOT NULL AND "age" <> CAST('NaN' AS DOUBLE PRECISION)
"member" IN (TRUE)
""",
    "spark": r"""
`age` >= 30.0D AND `age` <> CAST('NaN' AS DOUBLE)
(`dose` <= 0.1D OR `dose` IS NULL OR `dose` = CAST('NaN' AS DOUBLE))
`it's` IN ('b\'', 'a\\')
`age` IS NOT NULL AND `age` <> CAST('NaN' AS DOUBLE)
`member` IN (TRUE)
""",
    "bigquery": r"""
`age` >= CAST('30.0' AS FLOAT64)
(`dose` <= CAST('0.1' AS FLOAT64) OR `dose` IS NULL OR IS_NAN(`dose`))
`it's` IN ('b\'', 'a\\')
`age` IS NOT NULL AND NOT IS_NAN(`age`)
`member` IN (TRUE)
""",
    "snowflake": r"""
"age" >= CAST('30.0' AS DOUBLE) AND "age" <> CAST('NaN' AS DOUBLE)
("dose" <= CAST('0.1' AS DOUBLE) OR "dose" IS NULL OR "dose" = CAST('NaN' AS DOUBLE))
"it's" IN ('b''', 'a\\')
"age" IS NOT NULL AND "age" <> CAST('NaN' AS DOUBLE)
"member" IN (TRUE)
""",
    "mssql": r"""
[age] >= 30e0
([dose] <= 0.1e0 OR [dose] IS NULL)
([it's] + N'|') COLLATE Latin1_General_100_BIN2 IN (N'b''|', N'a\|')
[age] IS NOT NULL
[member] IN (1)
""",
    "mysql": r"""
`age` >= 30e0
(`dose` <= 0.1e0 OR `dose` IS NULL)
CAST(CONVERT(`it's` USING utf8mb4) AS BINARY) IN ('b''', 'a\\')
`age` IS NOT NULL
`member` IN (TRUE)
""",
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_text_is_as_expected(dialect):
    sql = to_sql(SMALL, ("s", "t"), dialect=dialect)
    lines = EXPECTED[dialect].strip("\n").split("\n")
    opening, closing = '""' if dialect in ("duckdb", "postgres", "snowflake") else "[]" if dialect == "mssql" else "``"
    assert sql == LAYOUT.replace("<", opening).replace(">", closing).format(*lines)
    bare = [line.removeprefix("  ") for line in sql.split("\n")[2:-2]]
    assert to_sql(SMALL, dialect=dialect) == "\n".join([*bare, "END"])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_equality_is_written_as_one(dialect):
    text = to_sql(make(Limit("hour", 5, 5)), "payments", dialect=dialect)
    assert " = " in text
    assert "BETWEEN" not in text


def test_no_boxes_and_no_limits_are_written_as_conditions():
    boxes = BoxSet([[-INF]], [[INF]], feature_names=["x"])
    assert to_sql(boxes) == "CASE\n  WHEN 1 = 1\n  THEN 1\n  ELSE 0\nEND"
    assert to_sql(boxes[:0]) == "CASE\n  WHEN 1 = 0\n  THEN 1\n  ELSE 0\nEND"


def parsed(sql, dialect):
    statements = sqlglot.parse(sql, read={"mssql": "tsql"}.get(dialect, dialect))
    assert len(statements) == 1
    return statements[0]


def listed_texts(tree):
    """Return the texts in lists of categories."""
    nodes = [node for found in tree.find_all(exp.In) for node in found.expressions]
    return {node.this for node in nodes if node.is_string or isinstance(node, exp.National | exp.ByteString)}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_nothing_leaves_its_quotes(dialect):
    """Another parser finds the very names and texts, in random boxes and in those made to break out."""
    names = [name for name in (*NAMES, *HOSTILE) if name]
    worst = make(*(Limit(name, categories={*TEXTS, *HOSTILE}) for name in names))
    others = [renamed(random_boxes(np.random.default_rng(seed)), "no name") for seed in SEEDS]
    for boxes in (worst, *others):
        tree = parsed(to_sql(boxes, ("schema", HOSTILE[0]), dialect=dialect, column=HOSTILE[1] * 2), dialect)
        limits = [limit for rule in boxes.rules() for limit in rule.limits]
        texts = {value for limit in limits for value in limit.categories or () if isinstance(value, str)}
        assert {column.name for column in tree.find_all(exp.Column)} == {limit.feature for limit in limits}
        assert listed_texts(tree) == {text + ("|" if dialect == "mssql" else "") for text in texts}
        assert [(table.db, table.name) for table in tree.find_all(exp.Table)] == [("schema", HOSTILE[0])]
        assert tree.expressions[-1].alias == HOSTILE[1] * 2


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb])
@pytest.mark.parametrize("text", HOSTILE)
def test_injections_do_nothing(run, text):
    boxes = make(Limit(text, categories={text}))
    frame = pd.DataFrame({text: [text, "x", None]}, dtype=object)
    labels = run(boxes, frame, table=f"table {text}", column=f"column {text}", positive=text, negative="'")
    assert labels == [text, "'", "'"]


def test_a_table_may_be_a_path_or_one_name():
    boxes = BoxSet([[1]], [[2]], feature_names=["x"])
    assert to_sql(boxes, "a.b").endswith("FROM `a.b`")
    assert to_sql(boxes, ["a", "b", "c"], dialect="mssql").endswith("FROM [a].[b].[c]")


def test_sqlite_says_when_a_column_is_absent():
    """In double quotes it would take the name of an absent column for text, and flag rows at random."""
    with pytest.raises(sqlite3.OperationalError, match="no such column: x"):
        run_sqlite(BoxSet([[1]], [[2]], feature_names=["x"]), pd.DataFrame({"y": [1.0]}))


def test_text_that_some_engines_would_change():
    spark = to_sql(make(Limit("x", categories={"${spark.app.name}"})), dialect="spark")
    assert r"IN ('$\{spark.app.name}')" in spark
    lines = to_sql(make(Limit("x\n", categories={"a\r\nb"})), dialect="bigquery")
    assert r"`x\n` IN ('a\r\nb')" in lines  # whose quotes must end on the same line
    joined = to_sql(make(Limit("x", categories={"a\\\nb", "a\\\r\nb"})), dialect="mssql")
    assert "IN (N'a\\' + N'\nb|', N'a\\' + N'\r\nb|')" in joined


# labels


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb])
@pytest.mark.parametrize(("positive", "negative"), [(1, 0), ("it's", ""), (True, False), (-1, 7), (0.1, 2.5), (0, 1)])
def test_labels(run, positive, negative):
    frame = pd.DataFrame({"x": [1.0, 5.0]})
    labels = run(BoxSet([[1]], [[2]], feature_names=["x"]), frame, positive=positive, negative=negative)
    assert labels == [positive, negative]


def test_true_and_false_are_labels_of_their_own_type():
    for dialect in DIALECTS:
        sql = to_sql(SMALL, dialect=dialect, positive=np.True_, negative=False)
        bits = {"sqlite": ("1", "0"), "mssql": ("CAST(1 AS BIT)", "CAST(0 AS BIT)")}
        true, false = bits.get(dialect, ("TRUE", "FALSE"))
        assert sql.endswith(f"THEN {true}\n  ELSE {false}\nEND")


def test_texts_are_labels_without_marks():
    assert to_sql(SMALL, dialect="mssql", positive="ja", negative="nein").endswith("THEN N'ja'\n  ELSE N'nein'\nEND")


@pytest.mark.parametrize(("positive", "negative"), [(1, "no"), (True, 0), ("a", "a"), (1, 1.0)])
def test_labels_must_be_two_of_one_type(positive, negative):
    with pytest.raises(ValueError, match="two labels of one type"):
        to_sql(SMALL, positive=positive, negative=negative)


def test_members_of_enumerations_are_their_values():
    class Place(str, Enum):  # noqa: UP042 (its str() is not its value)
        NORTH = "north"

    class Level(IntEnum):
        HIGH = 3

    boxes = make(Limit("x", categories={Place.NORTH}), Limit("y", categories={Level.HIGH}))
    assert "IN ('north')" in to_sql(boxes)
    assert "IN (3)" in to_sql(boxes)


# what is refused


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_no_sql_can_hold(dialect):
    for bad, reason in (("a\0b", "NUL"), ("\ud800", "surrogate")):
        plain = BoxSet([[1]], [[2]], feature_names=["x"])
        with pytest.raises(ValueError, match=f"the text cannot .* {reason}"):
            to_sql(make(Limit("x", categories={bad})), dialect=dialect)
        with pytest.raises(ValueError, match=f"the name of a feature cannot .* {reason}"):
            to_sql(BoxSet([[1]], [[2]], feature_names=[bad]), dialect=dialect)
        with pytest.raises(ValueError, match=f"the name of the table cannot .* {reason}"):
            to_sql(plain, bad, dialect=dialect)
        with pytest.raises(ValueError, match=f"the name of the column of labels cannot .* {reason}"):
            to_sql(plain, "t", column=bad, dialect=dialect)
        with pytest.raises(ValueError, match=f"the text cannot .* {reason}"):
            to_sql(plain, positive=bad, negative="no", dialect=dialect)


@pytest.mark.parametrize("dialect", DIALECTS[1:])
def test_empty_names_are_refused_where_they_cannot_be(dialect):
    with pytest.raises(ValueError, match="the name of a feature is empty, which"):
        to_sql(BoxSet([[1]], [[2]], feature_names=[""]), dialect=dialect)
    with pytest.raises(ValueError, match="the name of the table is empty"):
        to_sql(SMALL, "", dialect=dialect)
    unused = BoxSet([[1, -INF]], [[2, INF]], feature_names=["x", ""])
    assert "1" in to_sql(unused, dialect=dialect)


def test_names_that_an_engine_takes_for_one_another():
    boxes = BoxSet([[1, -INF]], [[2, INF]], feature_names=["Age", "age"])
    for dialect in set(DIALECTS) - {"postgres", "snowflake"}:
        with pytest.raises(ValueError, match=r"may take the features \['Age', 'age'\] for one column"):
            to_sql(boxes, dialect=dialect)
    for dialect in ("postgres", "snowflake"):
        assert '"Age"' in to_sql(boxes, "t", dialect=dialect, column="AGE")
    with pytest.raises(ValueError, match="'DOSE' is the name of a feature"):
        to_sql(SMALL, "t", column="DOSE")
    assert to_sql(SMALL, column="DOSE") == to_sql(SMALL)  # an expression has no name


def test_other_errors():
    with pytest.raises(ValueError, match="unknown dialect 'oracle'; known are sqlite, duckdb"):
        to_sql(SMALL, dialect="oracle")
    with pytest.raises(ValueError, match="table must have at least one name"):
        to_sql(SMALL, ())
    with pytest.raises(TypeError, match="the name of the table must be a str, got 3"):
        to_sql(SMALL, ("s", 3))
    with pytest.raises(TypeError, match="must be text, a finite number, True or False; got None"):
        to_sql(SMALL, negative=None)
    with pytest.raises(ValueError, match="feature 'x' has text and numbers"):
        to_sql(make(Limit("x", categories={1}), categories={"x": [1, "a"]}))
    with pytest.raises(ValueError, match="9223372036854775808 has more than 64 bits"):
        to_sql(make(Limit("x", categories={2**63})))
    with pytest.raises(ValueError, match=r"has '\$\{', which Spark would replace"):
        to_sql(BoxSet([[1]], [[2]], feature_names=["${x}"]), dialect="spark")


def test_postgres_cuts_long_names():
    """Two names that are one for the database are refused; elsewhere they differ."""
    for names in (["x" * 63 + "1", "x" * 63 + "2"], ["ü" * 31 + "ab", "ü" * 31 + "ac"]):
        boxes = BoxSet([[1, 2]], [[3, 4]], feature_names=names)
        with pytest.raises(ValueError, match=r"Postgres may take the features .* for one column"):
            to_sql(boxes, dialect="postgres")
        assert names[0] in to_sql(boxes, dialect="duckdb")
    assert "y" * 63 in to_sql(BoxSet([[1, 2]], [[3, 4]], feature_names=["y" * 62, "y" * 63]), dialect="postgres")


def test_the_least_whole_number_is_a_category():
    least = -(2**63)
    boxes = BoxSet.from_rules([Rule((Limit("a", categories=frozenset([least])),))], ["a"], {"a": [least, 1]})
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (a INTEGER)")
        connection.executemany("INSERT INTO t VALUES (?)", [(least,), (least + 1,), (1,)])
        assert connection.execute(f"SELECT {to_sql(boxes)} FROM t").fetchall() == [(1,), (0,), (0,)]
    assert boxes.contains([[least], [least + 1], [1]]).tolist() == [True, False, False]
    with pytest.raises(ValueError, match="more than 64 bits"):
        to_sql(BoxSet.from_rules([Rule((Limit("a", categories=frozenset([least - 1])),))], ["a"], {"a": [1]}))

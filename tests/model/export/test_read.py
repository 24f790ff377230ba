import numpy as np
import pytest

from boxdraw import BoxSet, Limit, Rule
from boxdraw.model.export.sql import DIALECTS

from .cases import random_boxes
from .test_sql import renamed

INF = float("inf")
SEEDS = range(40)


def known(boxes):
    pairs = zip(boxes.feature_names, boxes.categories, strict=True)
    return {name: values for name, values in pairs if values is not None}


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_sql_that_boxes_write_is_read_as_the_same_boxes(dialect):
    compared = 0
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        boxes = renamed(random_boxes(rng), "no name")
        for table in (None, "t"):
            try:
                written = boxes.to_sql(table, dialect=dialect)
            except ValueError:  # characters that the dialect cannot have
                continue
            read = BoxSet.from_sql(written, boxes.feature_names, known(boxes), dialect=dialect)
            assert read == boxes
            compared += 1
    assert compared > len(SEEDS)


def test_text_that_boxes_write_is_read_as_the_same_boxes():
    for seed in SEEDS:
        boxes = random_boxes(np.random.default_rng(seed))
        assert BoxSet.from_text(boxes.to_text(), boxes.feature_names, known(boxes)) == boxes


def test_names_and_categories_with_words_of_sentences():
    rule = Rule(
        (
            Limit("a and b", categories={"black and white", 'q"\\u\n', "True", "5", 5, "missing", "", "x is missing"}),
            Limit("b ≤ 3", lower=-1.5e-7, upper=2, missing=True),
            Limit("b", upper=INF, lower=3),
        )
    )
    names = ["b", "a and b", "b ≤ 3"]
    boxes = BoxSet.from_rules([rule, Rule()], names, {"a and b": ["z"]})
    assert BoxSet.from_text(boxes.to_text(), names, {"a and b": ["z"]}) == boxes


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("a > 5", f"Box 1: a ≥ {np.nextafter(5, 6)}"),
        ("5 > a", f"Box 1: a ≤ {np.nextafter(5, 4)}"),
        ("a >= 1 AND a <= 3 AND a >= 2", "Box 1: 2 ≤ a ≤ 3"),
        ("a = 5 AND b IS NOT NULL", "Box 1: a = 5 and b is known"),
        ("a = 'x' OR a = 'y' OR a IS NULL", "Box 1: a in {x, y} (or missing)"),
        ("a BETWEEN 1 AND 2 OR a IS NULL", "Box 1: 1 ≤ a ≤ 2 (or missing)"),
        ("(a >= 1 OR b <= 2) AND c = 3", "Box 1: a ≥ 1 and c = 3\nBox 2: b ≤ 2 and c = 3"),
        ("a >= 3 AND a <= 1", "No boxes: no row is flagged"),
        ("a IS NULL AND a >= 3", "No boxes: no row is flagged"),
        ("a IS NULL OR a IS NOT NULL", "Box 1: every row"),
        ("SELECT * FROM t WHERE a >= -1.5e3", "Box 1: a ≥ -1500"),
        ("CASE WHEN a >= 1 THEN 'yes' WHEN b >= 2 THEN 'yes' ELSE 'no' END", "Box 1: a ≥ 1\nBox 2: b ≥ 2"),
        ("a IN (1, 2) AND b = 1", "Box 1: a in {1, 2} and b = 1"),
        ("a IN (1, 2) OR a = 3.0", "Box 1: a in {1, 2}\nBox 2: a = 3"),
        ("a IN (1, 2.5) OR a >= 50", "Box 1: a = 1\nBox 2: a = 2.5\nBox 3: a ≥ 50"),
        (
            "(a IN (1, 2) OR a IS NULL) AND b >= 3 OR a < 0 AND b IS NULL",
            "Box 1: a = 1 (or missing) and b ≥ 3\nBox 2: a = 2 and b ≥ 3\nBox 3: a ≤ -5e-324 and b is missing",
        ),
        ("a IN (1, 2, 3) AND a >= 2", "Box 1: a in {2, 3}"),
        ("a IN (1, 2, 3) AND a > 3", "No boxes: no row is flagged"),
    ],
)
def test_conditions_that_people_write(sql, text):
    assert BoxSet.from_sql(sql).to_text() == text


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("a LIKE 'x%'", r"Expected a comparison.*\(line 1, column 1\): a LIKE 'x%'"),
        ("NOT a = 1", "NOT is read before NULL only"),
        ("a = 1 AND\n b IN (1, NULL)", r"Expected a number \(line 2, column 2\): NULL"),
        ("t.a > 3 AND u.a < 2", r"Expected one name for the table of this column \(line 1, column 13\): u.a"),
        ("SELECT * FROM t WHERE a > 3 LIMIT 5", "Expected a query of the rows of one table as they are"),
        (
            "SELECT * FROM t TABLESAMPLE (10 PERCENT) WHERE a > 3",
            "Expected a query of the rows of one table as they are",
        ),
        ("SELECT DISTINCT a FROM t WHERE a > 3", "Expected a query of the rows of one table"),
        ("SELECT * FROM t JOIN u ON t.i = u.i WHERE a > 3", "Expected a query of the rows of one table"),
        ("SELECT a FROM t WHERE a > 3 GROUP BY a", "Expected a query of the rows of one table"),
        ("WITH t AS (SELECT 1) SELECT * FROM t WHERE a > 3", "Expected a query of the rows of one table"),
        ("SELECT * FROM (SELECT * FROM t WHERE b > 1) WHERE a > 3", "Expected a query of the rows of one table"),
        ("a = b", "Expected a number"),
        ("a <> 3", "Expected a comparison by ="),
        ("b > 1 AND a != 'x'", r"Expected a comparison by =.*column 11"),
        ("CAST(a AS INTEGER) <= 3", r"Expected a column as it is .*: CAST\(a AS INTEGER\)"),
        ("CAST(d AS DATE) >= 3", "Expected a column as it is"),
        ("k COLLATE NOCASE = 'us'", "Expected a column as it is .*NOCASE"),
        ("CAST(a AS REAL) = 'x'", "Expected a column as it is"),
        ("k COLLATE BINARY >= 3", "Expected a column as it is"),
        ("CAST(a AS REAL) IS NULL", "Expected a column as it is"),
        ("LOWER(k) = 'us'", "Expected a column as it is"),
        ("a >= '3'", "Expected a number"),
        ("a >= CAST('3.7' AS INTEGER)", "Expected a number"),
        ("a >= 3 / 2", "Expected a number"),
        ("a + 1 > 3", "Expected a column as it is"),
        ("a > (SELECT 1)", "Expected a number"),
        ("a IN (SELECT 1)", "Expected a list"),
        ("a >=", "This is not SQL that can be read"),
        ("1 = 1", "state feature_names"),
        ("a >= 1e999", "beyond float64"),
        ("a = 'x' AND a >= 1", "with numbers and with categories"),
        ("a = 'x' OR a >= 1", "with numbers and with categories"),
        ("CASE WHEN a > 1 THEN 1 WHEN a > 2 THEN 2 ELSE 0 END", "Expected a CASE with conditions, one value"),
        ("CASE a WHEN 1 THEN 1 ELSE 0 END", "Expected a CASE with conditions"),
        ("SELECT a FROM t", "Expected a query with one CASE or a WHERE"),
        (" AND ".join(f"(a{i} >= 1 OR b{i} >= 1)" for i in range(20)), "more than 10000 boxes"),
    ],
)
def test_what_is_no_union_of_boxes_is_refused_with_its_place(sql, message):
    with pytest.raises(ValueError, match=message):
        BoxSet.from_sql(sql)


def test_columns_that_are_no_features_are_refused():
    with pytest.raises(ValueError, match=r"has the columns \['b'\], which are not among feature_names"):
        BoxSet.from_sql("a >= 1 OR b >= 2", ["a", "c"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("age > 5", "Line 1 is no rule"),
        ("Box 1: age ≥ 5\nBox 2: age ≥ 5 or b = 3", "Line 2 is no rule"),
        ("", "names no feature"),
        ("age ≥ 5 and age = north", "two limits|has categories"),
    ],
)
def test_text_that_is_no_rule_is_refused(text, message):
    with pytest.raises(ValueError, match=message):
        BoxSet.from_text(text)


def test_sql_holds_of_the_rows_that_a_database_selects():
    import sqlite3

    condition = "(a > 2 OR b IS NULL) AND c IN ('x', 'y') AND (b BETWEEN -1 AND 3 OR b IS NULL OR a = 7)"
    rng, boxes = np.random.default_rng(0), BoxSet.from_sql(condition)
    rows = [
        (
            float(rng.integers(0, 9)) if rng.random() < 0.9 else None,
            float(rng.integers(-3, 6)) if rng.random() < 0.7 else None,
            str(rng.choice(["x", "y", "z"])) if rng.random() < 0.9 else None,
        )
        for _ in range(400)
    ]
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE t (a REAL, b REAL, c TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        flags = [bool(flag) for (flag,) in connection.execute(f"SELECT {condition} FROM t")]
    connection.close()
    assert 40 < sum(flags) < 360
    assert boxes.contains(np.array(rows, dtype=object)).tolist() == flags

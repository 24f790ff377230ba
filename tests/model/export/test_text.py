import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.text import format_number, printable, rule_texts, to_text

INF = math.inf
finite = st.floats(allow_nan=False, allow_infinity=False)


def test_sentences():
    boxes = BoxSet(
        [[16.8, 14.2, -INF], [-INF, -INF, 3], [-INF, -INF, -INF]],
        [[INF, 30, INF], [1e-5, INF, 3], [INF, INF, INF]],
        feature_names=["worst radius", "mean texture", "größe 🙂"],
    )
    assert to_text(boxes).splitlines() == [
        "Box 1: worst radius ≥ 16.8 and 14.2 ≤ mean texture ≤ 30",
        "Box 2: worst radius ≤ 1e-05 and größe 🙂 = 3",
        "Box 3: every row",
    ]
    assert to_text(boxes[:0]) == "No boxes: no row is flagged"


def test_numbers_are_printed_in_full():
    boxes = BoxSet([[0.1 + 0.2, 1.01]], [[1, 1.02]])
    assert rule_texts(boxes) == ["0.30000000000000004 ≤ x0 ≤ 1 and 1.01 ≤ x1 ≤ 1.02"]


@given(finite)
def test_numbers_read_back(number):
    text = format_number(number)
    assert float(text) == number
    assert not text.endswith(".0")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", "''"),
        (" ", " "),
        ("a\nb\tc\r", r"a\nb\tc\r"),
        ("\x1b[31mred\x00\x7f\x85", r"\x1b[31mred\x00\x7f\x85"),
        ("\u202eevil\u2066", r"\u202eevil\u2066"),
        ("line\u2028break", r"line\u2028break"),
        ("\ud800", r"\ud800"),
        ("back\\slash 'quote' ≤ and", "back\\slash 'quote' ≤ and"),
        ("👩‍🔬 وزن", "👩‍🔬 وزن"),
    ],
)
def test_names_do_not_break_the_line(name, expected):
    assert printable(name) == expected
    text = BoxSet([[1]], [[2]], feature_names=[name]).to_text()
    assert text == f"Box 1: 1 ≤ {expected} ≤ 2"
    assert len(text.splitlines()) == 1
    text.encode("utf-8")


@given(st.text())
def test_any_name_prints_on_one_line(name):
    assert len(printable(name).splitlines()) <= 1

"""The sentences of the page are those of Python, character for character."""

import json
import sys
import unicodedata

import numpy as np
import pytest

from boxdraw.model.export.text import category_text, format_number, limit_text, printable, rule_texts
from boxdraw.model.rule import Limit

from .javascript import run_js
from .models import CATEGORIES, INF, NAMES, as_payload, pick, random_boxes, through


def some_floats(n, seed=0):
    """Draw floats of all sizes by their bits, and those where Python changes between two ways of writing."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2**64, n, dtype=np.uint64).view(np.float64)
    edges = [0.0, 5e-324, 1e-5, 9.999e-5, 1e-4, 1.0, 1e15, 9999999999999998.0, 1e16, 1e17, 1e20, 1e21, 1.5e22, 2.0**53]
    near = rng.normal(size=n) * 10.0 ** rng.integers(-8, 24, n)
    whole = np.rint(rng.normal(size=n) * 10.0 ** rng.integers(0, 22, n))
    return [*edges, *(-x for x in edges), *bits[np.isfinite(bits)].tolist(), *near.tolist(), *whole.tolist()]


def test_numbers(page):
    values = some_floats(3000)
    assert through(page, "(values) => values.map(formatNumber)", values) == list(map(format_number, values))
    special = run_js(page, ["text"], "[NaN, Infinity, -Infinity, -0].map(formatNumber)")
    assert special == [format_number(x) for x in (float("nan"), INF, -INF, -0.0)]


def test_names_and_categories(page):
    rng = np.random.default_rng(1)
    alphabet = ["a", "1", "_", " ", ".", "-", "\\", '"', "\n", "e", "\ud801", "é", "😀", "٣", "\u2028", "+"]
    random = ["".join(rng.choice(alphabet, rng.integers(0, 6))) for _ in range(2000)]
    names = [text for text in NAMES + random if json.loads(json.dumps(text)) == text]
    assert through(page, "(names) => names.map(printable)", names) == list(map(printable, names))
    values = CATEGORIES + names
    assert through(page, "(values) => values.map(categoryText)", values) == list(map(category_text, values))


def test_every_character(page):
    # Browsers know newer versions of Unicode than Python: characters that it does not know are left out.
    known = [chr(i) for i in range(sys.maxunicode + 1) if unicodedata.category(chr(i)) != "Cn"]
    ours = through(page, "(values) => values.map(categoryText)", known)
    assert [(a, b) for a, b in zip(ours, map(category_text, known), strict=True) if a != b] == []


RULES = """(cases) => cases.map(({ features, boxes }) =>
  readModel(boxes, features, null).boxes.map((box) => ruleText(features, box)))"""


@pytest.mark.parametrize("seed", range(3))
def test_rules(page, seed):
    rng = np.random.default_rng(seed)
    cases = [random_boxes(rng, pick(rng, NAMES, int(rng.integers(1, 7)))) for _ in range(200)]
    ours = through(page, RULES, [as_payload(boxes) for boxes in cases])
    assert ours == [rule_texts(boxes) for boxes in cases]


def test_limits_that_no_box_has(page):
    # A limit with only the zero that Python's boxes never have.
    expression = """[limitText({ name: "a" }, interval(-0, Infinity)), limitText({ name: "a" }, KNOWN),
        limitText({ name: "a" }, interval(1.25, 2)), pointsText(-1), pointsText(2)]"""
    assert run_js(page, ["text", "model"], expression) == [
        "a ≥ 0",
        limit_text(Limit("a")),
        limit_text(Limit("a", 1.25, 2)),
        "−1 point",
        "2 points",
    ]

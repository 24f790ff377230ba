import math
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from boxdraw.model.boxes import BoxSet
from boxdraw.model.export.markdown import to_markdown
from boxdraw.model.export.text import rule_texts
from boxdraw.model.rule import Limit, Rule

from .cases import NAMES, TEXTS, random_boxes

INF = math.inf
HOSTILE = (
    *NAMES,
    "a|b",
    "|",
    "a\\|b",
    "\\\\|",
    "ends with \\",
    "**bold** _slanted_ ~~gone~~ `code`",
    "snake_case_name",
    "``",
    "![image](x.png) [link](http://example.com) [^1]",
    "[ ] [x]",
    "<b>bold</b> <!-- gone --> <script>alert(1)</script>",
    "<https://example.com>",
    "&lt; &amp; &#65; &copy;",
    "a < b > c & d",
    "$x^2$",
    "--- | ---",
    "- item",
    "# title",
    "1. one",
    "> quote",
    " space at the ends ",
    "two  spaces,   three",
    "\u00a0no break\u3000",
    "line\nbreak\r\n",
    "tab\tand\vmore\x85\u2028",
    "http://example.com www.example.com me@example.com",
    "1e5",
    "\\_\\*",
    "\u202eturned around",
)


def cells_of(text):
    """The rows of the only thing in the text, a table, as a strict reader sees them: no cell holds more than text."""
    tokens = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)
    assert [token.type for token in tokens if token.level == 0] == ["table_open", "table_close"]
    rows = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            assert all(child.type == "text" for child in token.children)
            rows[-1].append("".join(child.content for child in token.children))
    return rows


def assert_reads_as_it_is(boxes):
    rules = [[str(i), rule] for i, rule in enumerate(rule_texts(boxes), start=1)]
    assert cells_of(to_markdown(boxes)) == [["Box", "Rule"], *rules]


def test_the_text():
    boxes = BoxSet.from_rules(
        [Rule((Limit("age", 30, 40), Limit("region", categories={"north", "a|b"}, missing=True))), Rule()],
        ["age", "region"],
    )
    assert to_markdown(boxes).split("\n") == [
        "| Box | Rule |",
        "| ---: | :--- |",
        '| 1 | 30 ≤ age ≤ 40 and region in {"a\\|b", north} (or missing) |',
        "| 2 | every row |",
    ]


def test_no_boxes():
    boxes = BoxSet(np.empty((0, 1)), np.empty((0, 1)))
    assert cells_of(to_markdown(boxes)) == [["Box", "Rule"], ["", "No boxes: no row is flagged"]]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_and_categories(name):
    assert_reads_as_it_is(BoxSet([[-INF], [1], [1]], [[2], [2], [INF]], feature_names=[name]))
    assert_reads_as_it_is(BoxSet.from_rules([Rule((Limit(name, categories={name, "b"}),))], [name]))
    assert_reads_as_it_is(BoxSet.from_rules([Rule((Limit("a", categories={name}),))], ["a"]))


@pytest.mark.parametrize("link", ["http://example.com", "WWW.example.com", "see https://example.com/a_b"])
def test_no_name_becomes_a_link(link):
    """GitHub makes links of addresses, so none may stand there whole."""
    text = to_markdown(BoxSet([[1]], [[2]], feature_names=[link]))
    assert not re.search(r"\w://|www\.", text, re.IGNORECASE)


def test_no_raw_html():
    """Readers that do not know a backslash before < must not see a tag either."""
    text = to_markdown(BoxSet([[1]], [[2]], feature_names=["<script>alert(1)</script> &lt;"]))
    assert "<" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp;lt;" in text


def test_two_names_do_not_work_together():
    """What opens in one name and closes in the next is no formatting either."""
    names = ["*a", "b*", "`c", "d`", "[e", "](f)", "<g", "h>", "$i", "j$", "~~k", "l~~"]
    assert_reads_as_it_is(BoxSet([[1] * len(names)] * 2, [[2] * len(names)] * 2, feature_names=names))


def test_random_boxes():
    rng = np.random.default_rng(0)
    for _ in range(200):
        boxes = random_boxes(rng)
        if len(boxes):
            assert_reads_as_it_is(boxes)


@given(st.text(st.sampled_from("ab1 \\|`*_[](){}<>&;#!~$:/.-+=\n\"'"), max_size=12) | st.text(max_size=8))
@example("".join(TEXTS))
def test_any_name_and_any_category(text):
    assert_reads_as_it_is(BoxSet.from_rules([Rule((Limit(text, categories={text}),))], [text]))
    assert_reads_as_it_is(BoxSet([[-INF]], [[1.5]], feature_names=[text]))

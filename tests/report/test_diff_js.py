"""What changed since learning, in words."""

import numpy as np
import pytest

from boxdraw.model.matching import ALIKE, _by_name, _shared, match_limits

from .javascript import run_js
from .models import as_payload, random_boxes, through

MODULES = ("diff", "matching", "model")
# Boxes are written as [a, b] for a ≤ x0 ≤ b, and so on; null for no limit.
READ = """
const features = [{ name: "x0", kind: "numeric" }, { name: "x1", kind: "numeric" },
  { name: "region", kind: "categorical", categories: ["north", "south", "east"] }];
const limit = (pair, j) => pair === null ? null
  : j === 2 ? { ...KNOWN, codes: pair } : interval(pair[0] ?? -Infinity, pair[1] ?? Infinity);
const read = ({ boxes, points, threshold }) => ({
  threshold: threshold ?? null,
  boxes: boxes.map((pairs, k) => ({ limits: pairs.map(limit), points: points ? points[k] : null })),
});"""
COMPARE = f"""(() => {{
  {READ}
  const changes = difference(features, read(argument.before), read(argument.after));
  return changes.map(({{ kind, box, text }}) => [kind, box, text]);
}})()"""

A, B, C = [[1, None], None, None], [None, [5, 9], None], [[0, 4], None, [0, 1]]
CASES = {
    "nothing": ([A, B], [A, B], []),
    "a limit moved": ([A, B], [[[2, None], None, None], B], [["changed", 0, "Box 1: x0 ≥ 1 → x0 ≥ 2"]]),
    "moved beyond": ([A, B], [A, [None, [20, 30], None]], [["changed", 1, "Box 2: 5 ≤ x1 ≤ 9 → 20 ≤ x1 ≤ 30"]]),
    "the first box dropped": ([A, B, C], [B, C], [["dropped", 0, "Box 1 dropped"]]),
    "a box added": ([A, B], [A, B, C], [["added", 2, "Box 3 added: 0 ≤ x0 ≤ 4 and region in {north, south}"]]),
    "a limit dropped": ([A, C], [A, [[0, 4], None, None]], [["changed", 1, "Box 2: region in {north, south} dropped"]]),
    "the last limit dropped": (
        [A],
        [[None, None, None]],
        [["dropped", 0, "Box 1 dropped"], ["added", 0, "Box 1 added: every row"]],
    ),
    "one dropped and another added": (
        [A, [[0, 4], [5, 9], None]],
        [A, [[7, 8], None, [2]]],
        [["dropped", 1, "Box 2 dropped"], ["added", 1, "Box 2 added: 7 ≤ x0 ≤ 8 and region = east"]],
    ),
    "a limit added": ([B], [[[2, None], [5, 9], None]], [["changed", 0, "Box 1: x0 ≥ 2 added"]]),
    "dropped, and another changed": (
        [A, B, C],
        [B, [[0, 3], None, [0, 1]]],
        [["dropped", 0, "Box 1 dropped"], ["changed", 1, "Box 3 (now 2): 0 ≤ x0 ≤ 4 → 0 ≤ x0 ≤ 3"]],
    ),
    "the last replaced by one that has nothing of it": (
        [A, B],
        [A, [None, None, [2]]],
        [["dropped", 1, "Box 2 dropped"], ["added", 1, "Box 2 added: region = east"]],
    ),
    "two the same, one dropped": ([A, A, B], [A, B], [["dropped", 1, "Box 2 dropped"]]),
    "all moved by the slider": (
        [A, [[2, None], None, None]],
        [[[1.5, None], None, None], [[2.5, None], None, None]],
        [["changed", 0, "Box 1: x0 ≥ 1 → x0 ≥ 1.5"], ["changed", 1, "Box 2: x0 ≥ 2 → x0 ≥ 2.5"]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_differences(page, name):
    before, after, expected = CASES[name]
    assert run_js(page, MODULES, COMPARE, {"before": {"boxes": before}, "after": {"boxes": after}}) == expected


def test_points_and_threshold(page):
    before = {"boxes": [A, B], "points": [1, 2], "threshold": 2}
    after = {"boxes": [A, B, C], "points": [3, 2, 1], "threshold": 3}
    assert run_js(page, MODULES, COMPARE, {"before": before, "after": after}) == [
        ["changed", 0, "Box 1: 1 point → 3 points"],
        ["added", 2, "Box 3 added: 0 ≤ x0 ≤ 4 and region in {north, south} (1 point)"],
        ["changed", None, "Alarm from 2 points → 3 points"],
    ]


def test_numbers_that_are_close(page):
    expression = f"""(() => {{
      {READ}
      const short = interval(1.0371, Infinity);
      const box = (limit) => ({{ limits: [limit, null, null], points: null }});
      const [before, after] = [short, interval(1, Infinity)].map(box);
      return [describeChange(features, before, after), describeChange(features, before, null),
        describeChange(features, null, after), describeChange(features, after, after)];
    }})()"""
    assert run_js(page, MODULES, expression) == ["x0 ≥ 1.0371 → x0 ≥ 1", "dropped", "added: x0 ≥ 1", "unchanged"]


MATCH = """({ features, before, after }) => {
  const read = (boxes) => readModel(boxes, features, null).boxes;
  return [...matchBoxes(read(before), read(after))];
}"""


@pytest.mark.parametrize("seed", range(8))
def test_boxes_are_matched_by_the_rule_of_python(page, seed):
    rng = np.random.default_rng(seed)
    names = [f"x{j}" for j in range(4)]
    drawn = random_boxes(rng, names, 9)
    before, after = drawn[rng.permutation(9)[: rng.integers(1, 7)]], drawn[rng.permutation(9)[: rng.integers(1, 7)]]
    for k in range(len(after)):
        if rng.random() < 0.6:
            after = after.replace(k, "x3", lower=-5.0, upper=float(rng.integers(0, 3)))
    case = as_payload(before)
    argument = {"features": case["features"], "before": case["boxes"], "after": as_payload(after)["boxes"]}
    found = dict(through(page, MATCH, argument, MODULES))
    likeness = [[_shared(ours, theirs) for theirs in _by_name(after)] for ours in _by_name(before)]
    expected = match_limits(before, after)
    best, total = (sum(likeness[k][other] for k, other in pairs.items()) for pairs in (expected, found))
    assert total == pytest.approx(best)  # of pairings that are as good Python takes any
    assert all(likeness[k][other] >= ALIKE for k, other in found.items())
    assert len(set(found.values())) == len(found) == len(expected)

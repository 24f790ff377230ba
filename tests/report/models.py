"""Random models with hostile names for the tests of the page, and a way for them through the browser."""

import json

import numpy as np

from boxdraw import BoxSet
from boxdraw.report.payload import Labelled, Subject, payload

from ..model.export.cases import category_values, number_values
from .javascript import run_js

INF = float("inf")
NAMES = [
    "age", "größe", "", " ", "a b", "tab\there", "new\nline", "</script>", '"quoted"', "it's", "back\\slash", "&amp;",
    "\x00", "\x7f", "\x9f", "\u202eturned", "\u2066", "\u061c", "lone \ud800", "\udc80 other", "😀", "\U0010ffff",
    "ſ", "日本語", "{{title}}", "${x}", "__proto__", "constructor", "nul\x85", "soft\u00ad",
]  # fmt: skip
CATEGORIES = [
    *NAMES, "True", "False", "missing", "true", "1", "1_000", "1__0", "1e5", "1e+5", "1e-5", "1.5", "1.", ".5", "-1",
    "nan", "NaN", "inf", "Infinity", "infinite", "٣", "٣.٥", "１２", "1e٣", "²", "Ⅷ", "½", "a.b", "a..b", "a-b/c:d",
    "x+y", "a@b#c%d&e*f", "a, b", "a ", "a  b", "e5", "1e", "0x10", "1_e5", "_1", "1_", "K", "ınf", "İ", "a\u0301",
    True, False, 0, 1, -7, 2.0, 2.5, -0.5, 1e16, 1e-5, 1e300, 5e-324, 123456789012345.6,
]  # fmt: skip


def through(page, function, argument, modules=("text", "model")):
    """Apply a function of the page; everything goes as ASCII, so that no half of a character is lost on the way."""
    return json.loads(
        run_js(page, modules, f"JSON.stringify(({function})(JSON.parse(argument)))", json.dumps(argument))
    )


def random_boxes(rng, names, n_boxes=4):
    """Draw boxes with every kind of limit; half of the features have categories."""
    n, n_cat = len(names), len(names) // 2
    lower, upper = np.full((n_boxes, n), -INF), np.full((n_boxes, n), INF)
    missing = rng.random((n_boxes, n)) < 0.3
    categories = {name: pick(rng, CATEGORIES, 5) for name in names[:n_cat]}
    allowed = {name: [None] * n_boxes for name in names[:n_cat]}
    for k in range(n_boxes):
        for j, name in enumerate(names):
            if j < n_cat and rng.random() < 0.6:
                some = pick(rng, categories[name], int(rng.integers(0, 4)))
                allowed[name][k], missing[k, j] = some, missing[k, j] or not some
            elif j >= n_cat:
                lower[k, j], upper[k, j], only = random_interval(rng)
                missing[k, j] |= only
            missing[k, j] |= rng.random() < 0.2
    return BoxSet(lower, upper, feature_names=names, categories=categories, allowed=allowed, missing=missing)


def pick(rng, values, n):
    """Draw values, none of which equals another, in random order."""
    return list(dict.fromkeys(values[i] for i in rng.permutation(len(values))[:n]))


def random_interval(rng):
    a, b = sorted((rng.normal(size=2) * 10.0 ** rng.integers(-6, 20)).tolist())
    kind = rng.integers(0, 6)
    pairs = [(a, b), (a, INF), (-INF, b), (a, a), (-INF, INF), (INF, -INF)]
    return (*pairs[kind], kind == 5)


def as_payload(boxes, scale=None):
    features = []
    for j, (name, known) in enumerate(zip(boxes.feature_names, boxes.categories, strict=True)):
        kind = {"kind": "numeric"} if known is None else {"kind": "categorical", "categories": list(known)}
        features.append({"name": name, "scale": 1.0 if scale is None else scale[j]} | kind)
    return {"features": features, "boxes": json.loads(boxes.to_json())}


def random_rows(rng, boxes, n_rows):
    """Draw rows on limits, one float off, missing, infinite, unseen; in an array, as frames refuse some names."""
    X = np.empty((n_rows, boxes.n_features), dtype=object)
    for j, known in enumerate(boxes.categories):
        values = number_values(rng, boxes, j) if known is None else category_values(known)
        X[:, j] = [values[i] for i in rng.integers(len(values), size=n_rows)]
    return X


def as_table(boxes, X):
    """Return rows as the page gets them."""
    labelled = Labelled(X, np.zeros(len(X), dtype=bool))
    return payload(Subject(boxes, (0, 1)), labelled)["data"]["train"]


#: What reads `as_payload` and `as_table` in the page.
READ_CASE = """const readCase = ({ features, boxes, scorecard, rows }) => ({
  features,
  model: readModel(boxes, features, scorecard ?? null),
  table: rows ? { features, n: rows.n, columns: rows.columns.map(decodeArray) } : null,
});"""

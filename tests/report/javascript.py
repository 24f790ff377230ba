"""Running the page's modules by themselves, and the page's objects."""

import base64

import numpy as np

from boxdraw.report.build import bundle


def run_js(page, modules, expression, argument=None):
    """Return what an expression is in a page that has the modules; `argument` is a name in it."""
    return page.evaluate(f'(argument) => {{ "use strict";\n{bundle(*modules)}\nreturn {expression};\n}}', argument)


def map_js(page, modules, function, columns):
    """Apply a function of numbers to each row of some columns, and return the columns of its results, to the bit."""
    cells = np.stack(columns, axis=1)
    expression = f"""(() => {{
      const cells = decodeArray(argument.cells);
      const result = [];
      for (let i = 0; i < cells.length; i += argument.width) {{
        result.push(...({function})(...cells.subarray(i, i + argument.width)));
      }}
      const bytes = new Uint8Array(Float64Array.from(result).buffer);
      return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    }})()"""
    data = base64.b64encode(cells.astype("<f8").tobytes()).decode()
    argument = {"cells": {"type": "f8", "data": data}, "width": cells.shape[1]}
    result = base64.b64decode(run_js(page, ["data", *modules], expression, argument))
    return np.frombuffer(result, dtype="<f8").reshape(len(cells), -1).T


def described(boxes):
    """The features of a box set as a page has them."""
    return [
        {"name": name, "kind": "numeric"}
        if known is None
        else {"name": name, "kind": "categorical", "categories": [str(value) for value in known]}
        for name, known in zip(boxes.feature_names, boxes.categories, strict=True)
    ]


def as_limits(boxes):
    """A box set as the model objects of the page."""
    return [[as_limit(boxes, k, j) for j in range(boxes.n_features)] for k in range(len(boxes))]


def as_limit(boxes, k, j):
    if not boxes.limited[k, j]:
        return None
    allowed = boxes.allowed[k][j]
    return {
        "lower": float(boxes.lower[k, j]),
        "upper": float(boxes.upper[k, j]),
        "codes": None if allowed is None else [i for i, v in enumerate(boxes.categories[j]) if v in allowed],
        "missing": bool(boxes.missing[k, j]),
    }


def page_limits(boxes):
    """The limits of the page's boxes, to compare; large whole numbers come out of it as text that rounds to them."""
    return [[None if limit is None else _with_floats(limit) for limit in box["limits"]] for box in boxes]


def _with_floats(limit):
    numbers = {name: float(limit[name]) for name in ("lower", "upper")}
    return {**limit, **numbers}

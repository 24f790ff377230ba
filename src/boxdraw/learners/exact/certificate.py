"""What Exact Boxes found and how good it is, in a form that can be checked without a solver.

As JSON it has the keys ``"format": "boxdraw.certificate"``, ``"version": 3`` and the attributes of `Certificate`:
fractions as text, ``"1/2"``; an infinite bound as ``null``; boxes in the layout of `boxdraw.model.export.json`. Without
constraints the version is 2, without ``constraints``. Where limits neither cost anything nor are capped either, it is
1, without ``limit_cost`` and ``max_limits``.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import _check_sample_weight

from boxdraw._core.arrays import BoolArray, FloatArray
from boxdraw._core.files import read_source, write_text
from boxdraw._core.tiles import tiles
from boxdraw.learners.exact.objective import Objective, PointWeights
from boxdraw.learners.exact.raw import counted, held, read_table
from boxdraw.learners.exact.sorting import row_order
from boxdraw.model.boxes import BoxSet
from boxdraw.model.constraints import Constraints
from boxdraw.model.export.json import read_boxes, to_json
from boxdraw.model.file import plain_label
from boxdraw.model.reader import check_header, read_text, within
from boxdraw.model.rule import Category
from boxdraw.tables.labels import as_labels, has_label, labels_of

FORMAT, VERSION = "boxdraw.certificate", 3
_OF_LIMITS: dict[str, Any] = {"limit_cost": Fraction(0), "max_limits": None}  # and what they were in version 1
_LATER = {1: {**_OF_LIMITS, "constraints": None}, 2: {"constraints": None}, 3: {}}  # than each version
_PROBLEM = ("negative_weight", "box_cost", "margin", "max_boxes", *_OF_LIMITS)
STATUSES = ("optimal", "gap_reached", "time_limit", "interrupted", "heuristic")


class CertificateError(ValueError):
    """A certificate that does not hold or cannot be read; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True, repr=False)
class Certificate:
    """Boxes, their objective, and a bound that no drawing of at most ``max_boxes`` boxes that may be drawn exceeds.

    Attributes
    ----------
    boxes : BoxSet
        The drawing, in the units of the data.
    objective, bound : float
        What the boxes reach and what no drawing exceeds, as the nearest floats; without a proof the bound is infinite.
    status, seconds, seed : str, float, int or None
        How the search ended (optimal, gap_reached, time_limit, interrupted, heuristic), how long it took, and its seed.
    objective_method, bound_method : str
        What found the boxes, and what gave the bound.
    negative_weight, box_cost, margin, max_boxes, limit_cost, max_limits : Fraction, Fraction, float, int, Fraction, int
        What was maximised; see `boxdraw.learners.exact.objective.Objective`. A ``max_limits`` of None is no cap.
    constraints : dict or None
        The constraints that the boxes of the problem keep, as `BoxSet.check` takes them.
    rounding_error : float
        By how much rounding weights to whole points can change an objective; the bound allows for it.
    pos_label, classes : label, pair of labels
        The positive class, and both.
    n_rows, n_positive, data_checksum : int, int, str
        The rows that have weight: how many, how many positive, and a SHA-256 with classes and weights, in any order.
    checksum : str
        Computed unless given. It shows when something was changed, but it is no signature: anyone can compute it.

    Examples
    --------
    >>> import numpy as np
    >>> from fractions import Fraction
    >>> from boxdraw import BoxSet
    >>> from boxdraw.learners.exact.certificate import make_certificate
    >>> from boxdraw.learners.exact.objective import Objective
    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 1, 1, 0])
    >>> objective = Objective(X, y == 1, None, Fraction(1, 2), Fraction(1), margin=0.0, max_boxes=1)
    >>> certificate = make_certificate(
    ...     objective, BoxSet([[2]], [[3]]), Fraction(2), status="optimal", objective_method="destroy and repair",
    ...     bound_method="column generation", seconds=0.1, seed=0, pos_label=1, classes=(0, 1)
    ... )
    >>> print(certificate)
    Certificate of 1 of at most 1 boxes, for class 1: 2 of 4 rows
    Objective: 2, found by destroy and repair
    Bound:     2, proven by column generation
    Gap:       0%
    Status:    optimal after 0.1 s
    >>> Certificate.from_json(certificate.to_json()).verify(X, y)
    True
    """

    boxes: BoxSet
    objective: float
    bound: float
    status: str
    objective_method: str
    bound_method: str
    negative_weight: Fraction
    box_cost: Fraction
    margin: float
    max_boxes: int
    rounding_error: float
    seconds: float
    seed: int | None
    pos_label: Any
    classes: tuple[Any, Any]
    n_rows: int
    n_positive: int
    data_checksum: str
    checksum: str = ""
    limit_cost: Fraction = Fraction(0)
    max_limits: int | None = None
    constraints: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        for name in (field.name for field in fields(self) if field.type == "float"):
            object.__setattr__(self, name, float(getattr(self, name)))
        object.__setattr__(self, "pos_label", _plain(self.pos_label))
        object.__setattr__(self, "classes", tuple(map(_plain, self.classes)))
        object.__setattr__(self, "checksum", self.checksum or self._own_checksum())

    @property
    def gap(self) -> float:
        """By what part of the objective another drawing may be better: 0 if none is."""
        more = max(self.bound - self.objective, 0.0)
        return more / abs(self.objective) if self.objective else math.inf if more else 0.0

    @property
    def proven(self) -> bool:
        """Whether the bound comes from exact arithmetic; that of ``solver="mip"`` may be the word of HiGHS alone."""
        return self.bound < math.inf and not self.bound_method.startswith("HiGHS")

    def verify(self, X: Any, y: Any, sample_weight: Any = None) -> bool:
        """Recompute, in exact arithmetic, all that can be recomputed without a solver.

        That is: which rows the boxes hold, the objective, the rounding error, and whether these are the data of the
        fit; that the boxes keep the constraints, and bound, status and number of boxes do not contradict them; and that
        nothing was changed since. The
        bound itself remains the claim of ``bound_method``: only the search, run again, proves it again.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The rows of the fit, in any order. The columns of a frame are found by name, as in `BoxSet`.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Their weights. Rows of weight 0 are left out, as in the fit.

        Returns
        -------
        bool
            True. Anything that differs gives a CertificateError: what, what the certificate says, what was found.
        """
        try:
            problems = _contradictions(self) or self._differences(self._recomputed(X, y, sample_weight))
        except (ArithmeticError, TypeError, ValueError) as error:
            raise CertificateError(f"this certificate does not go with the data: {error}") from error
        if problems := problems or self._differences({"checksum": self._own_checksum()}):
            raise CertificateError(f"this certificate does not hold: {'; '.join(problems)}")
        return True

    def _differences(self, found: dict[str, Any]) -> list[str]:
        said = {name: getattr(self, name) for name in found}
        return [f"{name}: it says {said[name]!r}, but is {x!r}" for name, x in found.items() if said[name] != x]

    def _recomputed(self, X: Any, y: Any, sample_weight: Any) -> dict[str, Any]:
        """Read the data as the learner does, and compute the figures from them."""
        table = read_table(X, self.boxes)
        labels = as_labels(y).reshape(-1)
        check_consistent_length(table, labels)
        weight = _check_sample_weight(sample_weight, table, dtype=np.float64, ensure_non_negative=True)
        table, labels, weight = table[weight > 0], labels[weight > 0], weight[weight > 0]
        positive = has_label(labels_of(labels, len(table), np.array(self.classes, dtype=object)), self.pos_label)
        problem = {name: getattr(self, name) for name in _PROBLEM}
        objective = Objective(table, positive, weight, **problem)
        self._check_constraints(table, positive, weight)
        return about_data(objective) | _value(objective, self.boxes)

    def _check_constraints(self, table: FloatArray, positive: BoolArray, weight: FloatArray) -> None:
        """Raise if the boxes break a constraint."""
        categorical = [values is not None for values in self.boxes.categories]
        asked = Constraints.of(self.boxes.feature_names, categorical, **self.constraints or {})
        inside = held(table, self.boxes, 0.0)
        if broken := [*asked.breaches(self.boxes), *asked.breaches_on(inside @ weight, inside @ (weight * positive))]:
            raise ValueError("; ".join(breach.text for breach in broken))

    def _plain(self) -> dict[str, Any]:
        """Return everything but the boxes and the checksum as what JSON has; what later versions have if needed."""
        left_out = ("boxes", "checksum", *_LATER[self._version()])
        return {f.name: _plain(getattr(self, f.name)) for f in fields(self) if f.name not in left_out}

    def _version(self) -> int:
        """Return the first version that has all that there is."""
        same = (all(getattr(self, name) == value for name, value in later.items()) for later in _LATER.values())
        return next(version for version, fits in zip(_LATER, same, strict=True) if fits)

    def _own_checksum(self) -> str:
        limits = self.boxes.lower.tolist(), self.boxes.upper.tolist(), self.boxes.missing.tolist()
        known = [None if values is None else list(map(_exactly, values)) for values in self.boxes.categories]
        allowed = [[None if v is None else sorted(map(_exactly, v)) for v in sets] for sets in self.boxes.allowed]
        boxes = [self.boxes.feature_names, limits, known, allowed]
        return hashlib.sha256(json.dumps([self._plain(), boxes], default=repr).encode()).hexdigest()

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Write the certificate as JSON; `boxdraw.learners.exact.certificate` documents the layout.

        Parameters
        ----------
        path : str or path-like, optional
            A file to write as well. It is replaced in one step, or left as it was if that fails.

        Returns
        -------
        str
            The text, which `from_json` reads back to the last bit. Labels have to be text, numbers or booleans.
        """
        for label in (self.pos_label, *self.classes):
            plain_label(label)
        values = {"format": FORMAT, "version": self._version(), **self._plain(), "checksum": self.checksum}
        text = json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False)
        boxes = to_json(self.boxes).replace("\n", "\n  ")
        text = f'{text[:-2]},\n  "boxes": {boxes}\n}}'.encode("utf-8", "backslashreplace").decode()
        if path is not None:
            write_text(path, text)
        return text

    @classmethod
    def from_json(cls, source: str | bytes | os.PathLike[str]) -> Certificate:
        """Read what `to_json` wrote. Whether it holds is for `verify` to say.

        Parameters
        ----------
        source : str, bytes or path-like
            JSON text (bytes, or a str that starts with ``{``) or the path of a file.

        Returns
        -------
        Certificate
            The certificate. Anything but a valid file gives a CertificateError that says what is wrong.
        """
        try:
            return read_text(read_source(source), _read, "cannot read a certificate from this JSON")
        except ValueError as error:
            raise CertificateError(str(error)) from None

    def __repr__(self) -> str:
        how = "proven" if self.proven else "not proven, claimed"
        bound = f"{self.bound:.10g}, {how} by {self.bound_method}" if self.bound < math.inf else "none proven"
        return (
            f"Certificate of {len(self.boxes)} of at most {self.max_boxes} boxes, "
            f"for class {self.pos_label!r}: {self.n_positive} of {self.n_rows} rows\n"
            f"Objective: {self.objective:.10g}, found by {self.objective_method}\n"
            f"Bound:     {bound}\n"
            f"Gap:       {100 * self.gap:.3g}%\n"
            f"Status:    {self.status} after {self.seconds:.3g} s"
        )


def _exactly(category: Category) -> str:
    """Write a category so that equal ones, and no others, are written alike."""
    return repr(category) if isinstance(category, str) else str(Fraction(category))


def make_certificate(
    objective: Objective, boxes: BoxSet, bound: Fraction | float, data: dict[str, Any] | None = None, **about: Any
) -> Certificate:
    """Fill in what follows from the data and the exact bound; ``about`` has the other attributes.

    ``data`` is what `about_data` returns, if that is known already.
    """
    problem = {name: getattr(objective, name) for name in _PROBLEM}
    problem["constraints"] = None if objective.constraints is None else objective.constraints.asked.given()
    figures = about_data(objective) if data is None else data
    return Certificate(boxes=boxes, bound=float(bound), **figures, **_value(objective, boxes), **problem, **about)


def about_data(objective: Objective, scale: PointWeights | None = None) -> dict[str, Any]:
    """Compute what `Certificate.verify` compares of the data alone; the scale is that of the objective, if known."""
    return {
        "n_rows": len(objective.X),
        "n_positive": int(objective.positive.sum()),
        "data_checksum": _data_checksum(objective),
        "rounding_error": float((objective.in_points() if scale is None else scale).error),
    }


def _value(objective: Objective, boxes: BoxSet) -> dict[str, Any]:
    fractions = [k for k, j in np.argwhere(boxes.lower == boxes.upper).tolist() if not objective.is_whole(j)]
    n_limits = boxes.n_limits + len(fractions)  # an equality among fractions counts as an interval
    return {"objective": float(objective.value_of(counted(objective, boxes), len(boxes), n_limits))}


def _data_checksum(objective: Objective) -> str:
    """Hash the rows with classes and weights, in sorted order, which makes that of the table irrelevant."""
    X, weight = objective.X, np.ones(1) if objective.weight is None else objective.weight
    width = X.shape[1]
    keys = [] if objective.weight is None else [weight]
    order, _ = row_order([*keys, objective.positive, *X.T[::-1]], len(X))
    digest = hashlib.sha256(repr((len(X), width + 2)).encode())
    for tile in tiles(len(X), width):
        chosen = order[tile]
        rows = np.empty((len(chosen), width + 2), dtype="<f8")
        rows[:, :width], rows[:, width] = X[chosen], objective.positive[chosen]
        rows[:, width + 1] = weight[chosen] if len(keys) else 1.0
        rows += 0.0  # turns -0.0 into 0.0
        rows[np.isnan(rows)] = np.nan  # one of the many that there are
        digest.update(rows.tobytes())
    return digest.hexdigest()


def _contradictions(c: Certificate) -> list[str]:
    """List what cannot be true whatever the data are."""
    # The boxes may lose by the rounding of weights as much as the bound had to add for it; then floats are rounded.
    proven = c.bound < math.inf and c.bound - c.objective <= 2 * (c.rounding_error + math.ulp(c.bound))
    amounts = ("negative_weight", "box_cost", "limit_cost", "margin", "rounding_error", "seconds")
    longest = max((box.n_limits for box in c.boxes), default=0)
    too_long = c.max_limits is not None and longest > c.max_limits
    wrong = {f"{x}: {getattr(c, x)} is not finite and at least 0": not 0 <= getattr(c, x) < math.inf for x in amounts}
    wrong |= {
        f"bound: {c.bound} is not at least the objective, {c.objective}": not c.bound >= c.objective,
        f"boxes: there are {len(c.boxes)}, more than max_boxes={c.max_boxes}": len(c.boxes) > c.max_boxes,
        f"boxes: one has {longest} limits, more than max_limits={c.max_limits}": too_long,
        f"status: {c.status!r} is not one of {', '.join(STATUSES)}": c.status not in STATUSES,
        f"status: optimal, but {c.objective} is below the bound {c.bound}": c.status == "optimal" and not proven,
        f"status: {c.status}, but the objective is the bound": c.status != "optimal" and c.bound == c.objective,
        f"status: {c.status}, but there is no bound": c.status == "gap_reached" and c.bound == math.inf,
        f"pos_label: {c.pos_label!r} is not one of the classes {c.classes!r}": c.pos_label not in c.classes,
    }
    return [text for text, is_wrong in wrong.items() if is_wrong]


def _plain(value: Any) -> Any:
    """Turn a value into what JSON has."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return None if value == math.inf else str(value) if isinstance(value, Fraction) else value


_LABEL = str | int | float
# What JSON may have for an attribute, by the attribute's type.
_TYPES: dict[str, Any] = {"float": int | float, "int": int, "int | None": int | None, "str": str, "Any": _LABEL}
_TYPES["dict[str, Any] | None"] = dict | None


def _read(data: Any, size: int) -> Certificate:
    """Build a certificate from what `read_text` parsed, of a text of some length."""
    check_header(data, FORMAT, VERSION)
    data = {name: _plain(value) for name, value in _LATER[data["version"]].items()} | data
    kinds = {field.name: str(field.type) for field in fields(Certificate)}
    if differ := {*kinds, "format", "version"} ^ data.keys():
        raise ValueError(f"keys that are missing or unknown: {', '.join(sorted(differ)):.300}")
    data |= {"bound": math.inf if data["bound"] is None else data["bound"], "checksum": data["checksum"] or "none"}
    with within("boxes"):
        boxes = read_boxes(data.pop("boxes"), size, "the object")
    del kinds["boxes"]
    return Certificate(boxes=boxes, **{name: _attribute(data[name], kind, name) for name, kind in kinds.items()})


def _attribute(value: Any, kind: str, where: str) -> Any:
    if kind == "Fraction" and isinstance(value, str) and re.fullmatch("[0-9]+(/0*[1-9][0-9]*)?", value):
        return Fraction(value)
    if kind == "tuple[Any, Any]" and isinstance(value, list) and len(value) == 2:
        return tuple(_attribute(label, "Any", where) for label in value)
    if not isinstance(value, _TYPES.get(kind, ())) or (isinstance(value, bool) and kind != "Any"):
        raise ValueError(f"{where}: expected {kind}, got {value!r:.60}")
    if kind == "float":
        try:
            return float(value)
        except OverflowError:
            raise ValueError(f"{where}: the number is too large for a float") from None
    return value

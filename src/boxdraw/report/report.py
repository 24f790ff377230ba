"""The report of a classifier: made from labelled rows, shown in a notebook or written to a file."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass, field, replace
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import check_scalar

from boxdraw._core.files import write_text
from boxdraw.learners.base import own_cost
from boxdraw.learners.parameters import check_bool
from boxdraw.model.stability import Stability
from boxdraw.report.build import page
from boxdraw.report.payload import MAX_ROWS, Labelled, Subject, cost_of, payload
from boxdraw.tables.labels import has_label, labels_of, weights_of

__all__ = ["Report", "make_report"]

_HEIGHT = 800  # of the page in a notebook, in pixels


@dataclass(frozen=True, slots=True)
class Report:
    """A page in one HTML file that shows a model on labelled rows and lets people edit it.

    At the end of a notebook cell it shows the page, or its path if it was saved.

    Parameters
    ----------
    html : str
        The page.
    title : str
        Its title.
    path : Path, optional
        The file, if it was saved.

    Examples
    --------
    >>> from boxdraw import BoxSet, BoxSetClassifier
    >>> model = BoxSetClassifier(BoxSet([[30]], [[40]], feature_names=["age"]), classes=("no", "yes"))
    >>> report = model.report([[35], [50]], ["yes", "no"])
    >>> report
    Report 'Rules for label yes', not saved: save(path) writes the page
    >>> report.html[:15]
    '<!doctype html>'
    """

    html: str = field(repr=False)
    title: str
    path: Path | None = None

    def save(self, path: str | os.PathLike[str]) -> Report:
        """Write the page to a file; on an error, an existing file is unchanged.

        Parameters
        ----------
        path : str or path-like
            The file.

        Returns
        -------
        Report
            The page with its path.

        Examples
        --------
        >>> import tempfile
        >>> from boxdraw import BoxSet, BoxSetClassifier
        >>> report = BoxSetClassifier(BoxSet([[30]], [[40]])).report([[35], [50]], [1, 0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     report.save(f"{folder}/report.html").path.name
        'report.html'
        """
        _check_place(path)
        write_text(path, self.html)
        return replace(self, path=Path(path))

    def __repr__(self) -> str:
        where = "not saved: save(path) writes the page" if self.path is None else f"saved in {os.fspath(self.path)!r}"
        return f"Report {self.title!r}, {where}"

    def _repr_html_(self) -> str:
        title = html.escape(self.title)
        if self.path is not None:
            return f"<p>Report “{title}”, saved in <code>{html.escape(os.fspath(self.path))}</code></p>"
        # The sandbox keeps the page away from the notebook and its permissions.
        return (
            f'<iframe title="{title}" sandbox="allow-scripts allow-downloads" width="100%" height="{_HEIGHT}" '
            f'srcdoc="{html.escape(self.html)}"></iframe>'
        )


def make_report(
    estimator: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    X_test: Any = None,
    y_test: Any = None,
    sample_weight: Any = None,
    sample_weight_test: Any = None,
    title: str | None = None,
    false_alarm_cost: float | None = None,
    max_rows: int = MAX_ROWS,
    stability: Stability | None = None,
    counts_only: bool = False,
    noun: str | None = None,
    days: float | None = None,
) -> Report:
    """Make the page of a fitted classifier, and write it if there is a path."""
    _check_options({"title": title, "noun": noun}, {"false_alarm_cost": false_alarm_cost, "days": days}, max_rows)
    check_bool(counts_only, "counts_only")
    _check_stability(stability, estimator)
    if path is not None:
        _check_place(path)  # before the work
    if (X_test is None) != (y_test is None):
        given, absent = ("y_test", "X_test") if X_test is None else ("X_test", "y_test")
        raise ValueError(f"{given} is given without {absent}: give both, or neither.")
    if sample_weight_test is not None and X_test is None:
        raise ValueError("sample_weight_test is given without X_test and y_test.")
    train = _labelled(estimator, X, y, sample_weight, "")
    test = None if X_test is None else _labelled(estimator, X_test, y_test, sample_weight_test, "_test")
    subject = replace(_subject(estimator, y, title), stability=stability, noun=noun, days=days and float(days))
    price = next((cost for cost in (false_alarm_cost, own_cost(estimator), cost_of(subject.fit)) if cost), None)
    data = payload(subject, train, test, false_alarm_cost=price, max_rows=int(max_rows), counts_only=counts_only)
    report = Report(page(data), subject.heading)
    return report if path is None else report.save(path)


def find_form(estimator: Any, learner: str = "") -> tuple[dict[str, Any] | None, str | None]:
    """Return the closed form of a classifier, or a sentence that says why there is none."""
    from boxdraw.report.closed_form import NoClosedForm, closed_form

    try:
        form = closed_form(estimator)
    except NoClosedForm as error:
        return None, str(error)
    come = f"these come from {learner or type(estimator).__name__}"
    absent = f"Only boxes of Fast Boxes follow the cost of a false alarm; {come}. Move limits instead."
    return form, absent if form is None else None


def _subject(estimator: Any, y: Any, title: str | None) -> Subject:
    model, name = estimator._as_model(), getattr(y, "name", None)
    subject = Subject.of(model, title=title)
    form, absent = find_form(estimator, subject.learner)
    (negative,) = estimator.classes_[~has_label(estimator.classes_, estimator.pos_label_)]
    return replace(
        subject,
        classes=(negative, estimator.pos_label_),
        target=name if isinstance(name, str) else model.target,
        closed_form=form,
        closed_form_absent=None if model.choices.path else absent,
    )


def _labelled(estimator: Any, X: Any, y: Any, sample_weight: Any, ending: str) -> Labelled:
    """Check rows, labels and weights; ``ending`` is the suffix of their parameter names."""
    rows = estimator._validated(X)
    if not len(rows):
        raise ValueError(f"X{ending} has no rows.")
    try:
        positive = has_label(labels_of(y, len(rows), estimator.classes_), estimator.pos_label_)
    except ValueError as error:
        raise ValueError(f"X_test, y_test: {error}" if ending else str(error)) from None
    weight = weights_of(sample_weight, len(rows), f"sample_weight{ending}")
    critical = estimator.critical_weight(X) if hasattr(estimator, "critical_weight") else None
    return Labelled(rows, positive, weight, critical, _row_names(X))


def _row_names(X: Any) -> Any:
    """Return the index of a pandas frame, unless it is just the row numbers."""
    if not hasattr(type(X), "iloc"):
        return None
    counting = X.iloc[:, :0].reset_index(drop=True).index
    return None if X.index.equals(counting) else X.index


def _check_options(texts: dict[str, str | None], numbers: dict[str, float | None], max_rows: int) -> None:
    for name, text in texts.items():
        if text is not None and not isinstance(text, str):
            raise TypeError(f"{name} must be a string; got {text!r}.")
    for name, number in numbers.items():
        if number is not None and not 0 < number < np.inf:
            raise ValueError(f"{name} must be a positive number; got {number!r}.")
    check_scalar(max_rows, "max_rows", Integral, min_val=2)  # one of each class


def _check_stability(stability: Any, estimator: Any) -> None:
    if stability is None:
        return
    if not isinstance(stability, Stability):
        raise TypeError(f"stability must be what model.stability(X, y) returns; got {stability!r}.")
    if stability.drawing != estimator._decider():
        raise ValueError("stability is about other boxes; expected what stability(X, y) of this model returns.")


def _check_place(path: str | os.PathLike[str]) -> None:
    """Raise if the path cannot be written."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"{os.fspath(path)!r} is a folder: give the path of a file to write.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"cannot write {os.fspath(path)!r}: the folder {str(target.parent)!r} does not exist.")

"""A model file as a pyfunc model of MLflow, without pickle: MLflow reads the file with `_load_pyfunc`.

The name of this module stays, because it is a part of what MLflow writes::

    model.save("model.json")
    mlflow.pyfunc.save_model(
        "folder", loader_module="boxdraw.learners.mlflow", data_path="model.json", pip_requirements=["boxdraw"]
    )
    mlflow.pyfunc.load_model("folder").predict(rows)

``predict`` returns a frame with a row per row: ``prediction``, the label; ``points``, of a scorecard; ``risk``, if the
file has a risk table; and ``reasons``, the numbers of the boxes that hold the row, as the text ``2 1``, those with most
points first.
"""

from __future__ import annotations

from typing import Any

from boxdraw._core.frames import frame_like
from boxdraw.learners.classifier import BoxSetClassifier, load
from boxdraw.model.export.view import view_of


class Answers:
    """A model whose ``predict`` gives the points, the risk and the reasons as well."""

    def __init__(self, model: BoxSetClassifier) -> None:
        self.model = model

    def predict(self, X: Any) -> Any:
        """Return a frame of what the model says of each row, of the same kind as X."""
        rows, drawing = self.model._validated(X), self.model._decider()
        view = view_of(drawing, self.model.__dict__.get("risk_table_"))
        member = view.boxes.membership(rows)
        columns: dict[str, Any] = {"prediction": self.model._labels(drawing.contains(rows))}
        if view.has_points:
            columns["points"] = view.card.score(rows)
        if view.risk is not None:
            columns["risk"] = view.risk.risks(rows, drawing)
        columns["reasons"] = view.reason_texts(member)
        return frame_like(X, columns)


def _load_pyfunc(path: str) -> Answers:
    """Load a model file, as MLflow asks."""
    return Answers(load(path))

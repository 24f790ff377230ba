"""A model file in MLflow."""

import warnings

import pandas as pd
import pytest

from boxdraw import BoxSet, BoxSetClassifier, Scorecard
from boxdraw.learners.mlflow import _load_pyfunc

BOXES = BoxSet([[1], [2]], [[9], [5]], feature_names=["dose"])
TABLE = pd.DataFrame({"dose": [0.0, 1, 3, 7, None]})


def saved(drawing, folder, y=None):
    model = BoxSetClassifier(drawing, classes=("no", "yes"))
    if y is not None:
        model.fit(TABLE, y)
    model.save(folder / "model.json")
    return model, str(folder / "model.json")


@pytest.mark.parametrize("y", [None, ["no", "yes", "yes", "no", "no"]])
def test_all_columns(tmp_path, y):
    model, path = saved(Scorecard(BOXES, [2, 3], 4), tmp_path, y)
    found = _load_pyfunc(path).predict(TABLE)
    assert found["prediction"].tolist() == model.predict(TABLE).tolist() == ["no", "no", "yes", "no", "no"]
    assert found["points"].tolist() == [0, 2, 5, 2, 0]
    assert found["reasons"].tolist() == ["", "1", "2 1", "1", ""]
    assert ("risk" in found) == (y is not None)
    if y is not None:
        assert found["risk"].tolist() == model.predict_proba(TABLE)[:, 1].tolist()


def test_boxes_have_no_points(tmp_path):
    _, path = saved(BOXES, tmp_path)
    found = _load_pyfunc(path).predict(TABLE)
    assert list(found.columns) == ["prediction", "reasons"]
    assert found["reasons"].tolist() == ["", "1", "1 2", "1", ""]


def test_mlflow_saves_and_loads(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of MLflow and what it imports
        pyfunc = pytest.importorskip("mlflow.pyfunc")
        _, path = saved(Scorecard(BOXES, [2, 3], 4), tmp_path)
        options = {"loader_module": "boxdraw.learners.mlflow", "data_path": path, "pip_requirements": ["boxdraw"]}
        pyfunc.save_model(str(tmp_path / "folder"), **options)
        found = pyfunc.load_model(str(tmp_path / "folder")).predict(TABLE)
    pd.testing.assert_frame_equal(found, _load_pyfunc(path).predict(TABLE))
    assert not [*tmp_path.rglob("*.pkl")]

"""What a fresh install without extras must do; ``checks/release.py`` runs it in the clean environments."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import boxdraw
from boxdraw import BoxSet, BoxSetClassifier, ExactBoxesClassifier, FastBoxesClassifierCV, ScoredBoxesClassifier


def fit_and_save():
    """Learn, predict, save and read again."""
    rng = np.random.default_rng(0)
    X = rng.random((200, 2))
    y = (X[:, 0] > 0.7) & (X[:, 1] < 0.4)
    model = FastBoxesClassifierCV(n_boxes=(1, 2), random_state=0).fit(X, y)
    assert (model.predict(X) == y).mean() > 0.9
    with tempfile.TemporaryDirectory() as folder:
        model.boxes_.to_json(Path(folder, "model.json"))
        boxes = BoxSet.from_json(Path(folder, "model.json"))
        page = model.report(X, y, Path(folder, "report.html"))
    assert boxes == model.boxes_
    assert (BoxSetClassifier(boxes, classes=(False, True)).predict(X) == model.predict(X)).all()
    assert "</script>" in page.html
    assert "</style>" in page.html
    assert ScoredBoxesClassifier(max_boxes=2).fit(X, y).scorecard_.to_text().count("Alarm from") == 1
    return model, X, y


def refusals(model, X, y):
    """Return the extras that are absent, each with a call that needs it."""
    from boxdraw.cli.main import main
    from boxdraw.datasets import load_dataset
    from boxdraw.plotting import BoxesDisplay

    Path("data.csv").write_text("x,y\n1,0\n2,0\n3,1\n", encoding="utf-8")
    return {
        "plot": ("matplotlib", lambda: BoxesDisplay.from_estimator(model, X, y)),
        "exact": ("ortools", lambda: ExactBoxesClassifier().fit(X, y)),
        "onnx": ("onnx", lambda: model.boxes_.to_onnx()),
        "scale": ("pyarrow", lambda: model.fit_table("data.parquet", target="y")),
        "datasets": ("pandas", lambda: load_dataset("vehicle1")),
        "cli": ("pyarrow", lambda: main(["fit", "data.csv", "--target", "y"])),
    }


def main():
    """Run all of it, and print what was seen."""
    place = Path(boxdraw.__file__).parent
    assert "site-packages" in place.parts, place
    assert (place / "py.typed").is_file()
    assert version("boxdraw") == boxdraw.__version__
    named = []
    for extra, (package, call) in refusals(*fit_and_save()).items():
        assert find_spec(package) is None, f"{package} came with the core dependencies"
        told = io.StringIO()
        try:
            with contextlib.redirect_stderr(told):
                call()  # the command tells people, the others raise
        except ImportError as error:
            told.write(str(error))
        assert f"boxdraw[{extra}]" in told.getvalue(), f"{extra}: {told.getvalue()!r}"
        named.append(extra)
    print("ok:", ", ".join(named))


if __name__ == "__main__":
    sys.exit(main())

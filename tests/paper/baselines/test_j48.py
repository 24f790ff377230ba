"""C4.5: what Weka writes is read right, and a real run where there is Java and Weka."""

import pickle
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification

from paper.baselines import J48Classifier, j48
from paper.baselines.j48 import read_tree, run_j48, write_arff

SOURCE = """
class Tree {
  public static double classify(Object[] i)
    double p = Double.NaN;
    p = Tree.N1a(i);
    return p;
  }
  static double N1a(Object []i) {
    double p = Double.NaN;
    if (i[2] == null) {
      p = 0;
    } else if (((Double) i[2]).doubleValue() <= -1.25E-7) {
    p = Tree.N2b(i);
    } else if (((Double) i[2]).doubleValue() > -1.25E-7) {
      p = 1;
    }
    return p;
  }
  static double N2b(Object []i) {
    double p = Double.NaN;
    if (i[0] == null) {
      p = 1;
    } else if (((Double) i[0]).doubleValue() <= 3.0) {
      p = 1;
    } else if (((Double) i[0]).doubleValue() > 3.0) {
      p = 0;
    }
    return p;
  }
}
"""


@pytest.fixture
def weka():
    if reason := j48.missing_weka():
        pytest.skip(reason)


def test_a_written_tree_is_read():
    tree, label = read_tree(SOURCE)
    assert tree.n_leaves == 3
    X = np.array([[9.0, 0.0, 0.0], [3.0, 0.0, -1.0], [3.5, 0.0, -1.25e-7], [3.5, 0.0, -1.24e-7]])
    assert label[tree.apply(X)].tolist() == [1, 1, 0, 1]


def test_a_single_leaf_is_read():
    tree, label = read_tree("double p = Double.NaN;\n    p = 1;\n    return p;")
    assert label[tree.apply(np.zeros((3, 1)))].tolist() == [1, 1, 1]


def test_what_cannot_be_read_is_said():
    with pytest.raises(ValueError, match=r"no tree of numbers that can be read. It wrote: 'help'"):
        read_tree("help")


def test_tables_are_written_to_the_last_digit(tmp_path):
    X = np.array([[0.1 + 0.2, -1e-300], [5e-324, 12345678.000000002]])
    write_arff(tmp_path / "a.arff", X, np.array([0, 1]), 2)
    rows = (tmp_path / "a.arff").read_text().split("@data\n")[1].splitlines()
    np.testing.assert_array_equal([[float(cell) for cell in row.split(",")[:2]] for row in rows], X)


def test_what_is_missing_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(j48, "find_weka", lambda: None)
    assert "weka.jar" in j48.missing_weka()
    with pytest.raises(ImportError, match=r"pip install 'boxdraw\[baselines\]'"):
        J48Classifier().fit([[0.0], [1.0]], [0, 1])
    monkeypatch.setattr(j48, "find_weka", lambda: tmp_path)
    monkeypatch.setattr(j48, "find_java", lambda: None)
    assert "Java" in j48.missing_weka()


def test_a_jar_of_the_users_own_goes_first(monkeypatch, tmp_path):
    jar = tmp_path / "other.jar"
    jar.touch()
    monkeypatch.setenv(j48.WEKA_JAR, str(jar))
    assert j48.find_weka() == jar


def wekas_own(folder, train, test, n_classes):
    """Return what Weka itself predicts, as it prints it."""
    for name, (X, y) in (("train", train), ("test", test)):
        write_arff(folder / f"{name}.arff", X, y, n_classes)
    printed = run_j48(folder, "-t", "train.arff", "-T", "test.arff", "-p", "0")
    return [int(line.split()[2].split(":")[1]) for line in printed.splitlines() if re.match(r"\s+\d+\s+\d+:", line)]


@pytest.mark.usefixtures("weka")
@pytest.mark.parametrize("kind", ["noisy", "small numbers", "three classes", "one leaf"])
def test_predictions_are_wekas_own(tmp_path, kind):
    X, y = make_classification(400, 6, weights=[0.8], flip_y=0.1, random_state=0)
    if kind == "small numbers":
        X = X * 1e-3  # Weka's text has six decimals, which would not do
    elif kind == "three classes":
        X, y = load_iris(return_X_y=True)
    elif kind == "one leaf":
        X = np.random.default_rng(0).random((60, 2))
        y = (np.arange(60) < 3).astype(int)
    model = J48Classifier().fit(X[::2], y[::2])
    expected = wekas_own(tmp_path, (X[::2], y[::2]), (X[1::2], y[1::2]), len(model.classes_))
    assert len(expected) == len(X[1::2])
    assert model.predict(X[1::2]).tolist() == expected
    assert (model.tree_.n_leaves == 1) == (kind == "one leaf")


@pytest.mark.usefixtures("weka")
def test_weka_takes_very_close_numbers_for_equal():
    y = [0, 1] * 20
    leaves = [J48Classifier().fit(scale * np.array(y)[:, None], y).tree_.n_leaves for scale in (1e-4, 1e-7)]
    assert leaves == [2, 1]  # which the documentation says of it


@pytest.mark.usefixtures("weka")
def test_labels_settings_and_copies():
    X, y = make_classification(200, 4, flip_y=0.2, random_state=1)
    names = np.where(y == 1, "rare", "common")
    model = J48Classifier().fit(X, names)
    assert set(model.predict(X)) == {"rare", "common"}
    assert (model.predict(X) == names).mean() > 0.8
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert not hasattr(clone(model), "tree_")
    larger = J48Classifier(min_samples_leaf=30).fit(X, y)
    assert larger.tree_.n_leaves < model.tree_.n_leaves


@pytest.mark.parametrize("settings", [{"confidence": 0.6}, {"min_samples_leaf": 0}], ids=str)
def test_bad_settings(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        J48Classifier(**settings).fit([[0.0], [1.0]], [0, 1])

"""What notebooks show of classifiers."""

import re

import numpy as np
import pytest
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from boxdraw import BoxSet, BoxSetClassifier, FastBoxesClassifier, FastBoxesClassifierCV, ScoredBoxesClassifier


def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    return X, (X[:, 0] > 0.8).astype(int)


def test_a_fitted_model_shows_its_rules():
    model = FastBoxesClassifier(n_boxes=2, negative_weight=1 / 3, n_jobs=1).fit(*rows())
    card = model._repr_html_()
    assert card == model._repr_mimebundle_()["text/html"]
    assert "<strong>FastBoxesClassifier</strong>: a row in any of these boxes is predicted to be <strong>1" in card
    assert "BoxSet with 2 boxes on 3 features" in card
    for line in model.boxes_.to_text().splitlines():
        assert f">{line.split(': ', 1)[1]}<" in card
    assert "<p>n_boxes = 2, negative_weight = 0.3333, expansion = 0, growth = nearest_negative</p>" in card
    assert model._repr_mimebundle_()["text/plain"] == repr(model)


class _Named(FastBoxesClassifier):
    def __init__(self, name, *, n_boxes=1):
        super().__init__(n_boxes=n_boxes)
        self.name = name


def test_a_model_of_a_users_class_that_can_not_be_made_without_parameters():
    card = _Named("third quarter").fit(*rows())._repr_html_()
    assert "<p>name = third quarter, negative_weight = " in card


def test_what_was_chosen_is_told():
    model = FastBoxesClassifierCV(n_boxes=(1, 2), growth="edge", expansion=0.0, feature_range=(-1, 1)).fit(*rows())
    n_boxes = model.best_params_["n_boxes"]
    told = f"best_params = {{feature_range = (-1, 1), distance = mean, n_boxes = {n_boxes}, growth = edge"
    assert told in model._repr_html_()


def test_a_scorecard_shows_its_points():
    model = ScoredBoxesClassifier(cv=None).fit(*rows())
    card = model._repr_html_()
    assert "a row with enough points is predicted to be <strong>1</strong>" in card
    assert model.scorecard_.to_html() in card
    assert "max_limits = 2, lam = 4</p>" in card


def test_other_models_look_as_in_scikit_learn():
    for model in (FastBoxesClassifier(), BoxSetClassifier(), make_pipeline(StandardScaler(), FastBoxesClassifier())):
        assert "sk-top-container" in model._repr_html_()
    with config_context(display="text"):
        model = FastBoxesClassifier().fit(*rows())
        assert not hasattr(model, "_repr_html_")
        assert list(model._repr_mimebundle_()) == ["text/plain"]


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "\ud800", '"&amp;'])
def test_names_are_text(name):
    model = BoxSetClassifier(BoxSet([[1]], [[2]], feature_names=[name]), classes=("a", name))
    card = model._repr_html_()
    card.encode("utf-8")
    assert "<script" not in card
    assert set(re.findall(r"<(/?\w+)", card)) <= {
        *("div", "/div", "p", "/p", "strong", "/strong", "table", "/table", "caption", "/caption"),
        *("thead", "/thead", "tbody", "/tbody", "tr", "/tr", "th", "/th", "td", "/td"),
    }
    assert "color" not in card  # of the page around it, light or dark

"""Whether two fitted Fast Boxes models are the same to the last bit, and how to make small tables count as large."""

from contextlib import contextmanager

import numpy as np
import pytest


@contextmanager
def all_large(rows=2**18):
    """Learn from every table in passes, and from tables in memory in chunks of so many rows."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("fast.estimator", "scale.stored", "training"):
            patch.setattr(f"boxdraw.{module}.LARGE", 0)
        patch.setattr("boxdraw.scale.ranges._ROWS", rows)
        yield


def assert_same_model(one, other, X=None):
    """Compare all that a fit finds out, and what the models say of rows."""
    np.testing.assert_array_equal(one.classes_, other.classes_, strict=True)
    assert one.pos_label_ == other.pos_label_
    assert one.negative_weight_ == other.negative_weight_
    assert one.n_features_in_ == other.n_features_in_
    assert list(getattr(one, "feature_names_in_", ())) == list(getattr(other, "feature_names_in_", ()))
    assert one._encoding == other._encoding
    assert_same_edges(one._edges, other._edges)
    assert one.boxes_ == other.boxes_
    assert one.boxes_.to_text() == other.boxes_.to_text()
    if X is not None:
        np.testing.assert_array_equal(one.predict(X), other.predict(X))


def assert_same_edges(one, other):
    """Compare the sums, which are more than the boxes show of them."""
    np.testing.assert_array_equal(one.sums.negative, other.sums.negative)
    np.testing.assert_array_equal(one.sums.positive, other.sums.positive)
    np.testing.assert_array_equal(one.tight, other.tight)
    for name in ("low", "high", "prescale", "middle", "steps"):
        np.testing.assert_array_equal(getattr(one.scaling, name), getattr(other.scaling, name))
    assert one.order.places.keys() == other.order.places.keys()
    for column, places in one.order.places.items():
        np.testing.assert_array_equal(places, other.order.places[column])


def assert_sides_agree(model, X):
    """The cost in use is the one of the boxes: what scores at least as much is flagged, on the very limit too."""
    flagged = model.predict(X) == model.pos_label_
    np.testing.assert_array_equal(model.critical_weight(X) >= model.negative_weight_, flagged)
    towards_second = model.decision_function(X) > 0
    np.testing.assert_array_equal(towards_second, model.predict(X) == model.classes_[1])

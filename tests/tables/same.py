"""Whether two fitted Fast Boxes models are the same to the last bit, and tables to fit them to."""

from contextlib import contextmanager

import numpy as np
import pytest

#: A table with nothing wrong in it.
RIGHT = {"x": [1.0, 2.0, 3.0, 4.0], "label": [0, 1, 0, 0]}


def make_frame(seed=0, n_rows=400):
    """A table with columns of most kinds, labels and weights."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    town = rng.choice(np.array(["north", "south", "east", "west"], dtype=object), n_rows)
    town[rng.uniform(size=n_rows) < 0.1] = None
    amount = rng.normal(size=n_rows)
    amount[rng.uniform(size=n_rows) < 0.1] = np.nan
    frame = pd.DataFrame(
        {
            "amount": amount,
            "size": rng.normal(size=n_rows).astype(np.float32),
            "age": rng.integers(18, 80, n_rows),
            "town": pd.Series(town, dtype=object),
            "known": rng.integers(0, 2, n_rows).astype(bool),
            "same": np.full(n_rows, 2.5),
        }
    )
    frame["label"] = np.where((rng.uniform(size=n_rows) < 0.15) | ((town == "east") & (frame.age < 40)), "yes", "no")
    frame["weight"] = rng.integers(0, 3, n_rows) * rng.exponential(size=n_rows)
    return frame


@contextmanager
def all_large(rows=2**18):
    """Learn from every table in passes, and from tables in memory in chunks of so many rows."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("learners.fast.fast_boxes", "learners.stored", "tables.stored", "tables.training"):
            patch.setattr(f"boxdraw.{module}.LARGE", 0)
        patch.setattr("boxdraw._core.ranges._ROWS", rows)
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
    if not model.round_limits:  # round limits are elsewhere in their gaps, where unseen rows may be
        np.testing.assert_array_equal(model.critical_weight(X) >= model.negative_weight_, flagged)
    towards_second = model.decision_function(X) > 0
    np.testing.assert_array_equal(towards_second, model.predict(X) == model.classes_[1])


def write_parquet(frame, path, group=None):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, row_group_size=group)
    return path


def csv_of(frame, path):
    frame.to_csv(path, index=False)
    return path


def long_csv(path, frame, last_rows):
    """Rows of a frame over and over, more than Arrow looks at for the types, and then some others."""
    header, body = frame.to_csv(index=False).split("\n", 1)
    text = "\n".join([header, body * (1_200_000 // len(body)) + last_rows])
    assert len(text) - len(last_rows) > 2**20
    path.write_text(text)
    return path

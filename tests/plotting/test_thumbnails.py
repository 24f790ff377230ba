"""Every display still looks as it did; see pictures.py for how to make the thumbnails anew."""

import numpy as np
import pytest

from boxdraw.plotting import BoxesDisplay, BoxTableDisplay, LimitsDisplay, PathDisplay

from .pictures import FOLDER, PICTURES, alike, boxes, card, stored, table, thumbnail

X, Y = table()
EXCHANGED = np.where(Y == "ill", "well", "ill")


@pytest.mark.parametrize("name", PICTURES)
def test_a_display_looks_like_its_thumbnail(name):
    assert alike(thumbnail(PICTURES[name]().figure_), stored(name))


def test_thumbnails_are_small_and_none_is_left_over():
    sizes = {path.stem: path.stat().st_size for path in FOLDER.iterdir()}
    assert sizes.keys() == PICTURES.keys()
    assert max(sizes.values()) < 15_000


@pytest.mark.parametrize(
    ("name", "draw"),
    [
        ("two_features", lambda: BoxesDisplay(boxes()[:2], X, Y, pos_label="ill", features=["dose", "age"])),
        ("two_features", lambda: BoxesDisplay(boxes(), X, EXCHANGED, pos_label="ill", features=["dose", "age"])),
        (
            "two_features",
            lambda: BoxesDisplay(boxes().replace(1, "age", lower=55), X, Y, pos_label="ill", features=["dose", "age"]),
        ),
        ("pairs", lambda: BoxesDisplay(boxes()[:2], X, Y, pos_label="ill", features="used")),
        ("pairs", lambda: BoxesDisplay(boxes(), X, EXCHANGED, pos_label="ill", features="used")),
        ("limits", lambda: LimitsDisplay(boxes().replace(1, "age", lower=50), X, Y, pos_label="ill")),
        ("limits", lambda: LimitsDisplay(boxes(), X, EXCHANGED, pos_label="ill")),
    ],
)
def test_a_box_less_a_moved_limit_and_exchanged_classes_are_seen(name, draw):
    assert not alike(thumbnail(draw().plot().figure_), stored(name))


def test_other_critical_weights_and_other_figures_are_seen():
    other = PathDisplay.from_predictions(Y, np.exp(X["dose"] - 1.5), pos_label="ill", negative_weight=0.55)
    assert not alike(thumbnail(other.figure_), stored("path"))
    other = BoxTableDisplay.from_predictions(card(), X, EXCHANGED, pos_label="ill")
    assert not alike(thumbnail(other.figure_), stored("box_table"))
    assert not alike(stored("path"), stored("box_table"))

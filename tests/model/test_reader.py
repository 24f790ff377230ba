"""The work of reading follows the size of the text: counted, not timed."""

import json
import tracemalloc

import pytest

from boxdraw import BoxSet, Scorecard, load
from boxdraw.model import reader, union
from boxdraw.model.file import Model, model_from_json, model_to_json


def boxes_text(n_boxes, n_features):
    features = [{"name": str(j), "kind": "numeric"} for j in range(n_features)]
    document = {"format": "boxdraw.boxes", "version": 1, "features": features, "boxes": [{"limits": []}] * n_boxes}
    return json.dumps(document, separators=(",", ":"))


class Peak:
    """The most memory that a block takes, in bytes."""

    def __enter__(self):
        tracemalloc.start()
        return self

    def __exit__(self, *_):
        self.bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()


def one_point_boxes(n):
    limits = [{"limits": [{"feature": "a", "lower": k}]} for k in range(n)]
    boxes = {"format": "boxdraw.boxes", "version": 1, "features": [{"name": "a", "kind": "numeric"}], "boxes": limits}
    return {"format": "boxdraw.scorecard", "version": 1, "threshold": n // 2, "points": [1] * n, "boxes": boxes}


class CountedKey:
    """A key that counts what it is compared with."""

    compared = 0

    def __init__(self, name):
        self.name = name

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        CountedKey.compared += 1
        return self.name == other.name


def test_keys_are_compared_once_each(monkeypatch):
    monkeypatch.setattr(CountedKey, "compared", 0)
    n = 60_000
    pairs = [(CountedKey(str(k)), k) for k in range(n)]
    assert len(reader.unique_keys(pairs)) == n
    with pytest.raises(ValueError, match="appears twice in one object"):
        reader.unique_keys([*pairs, (CountedKey("59999"), 0)])
    assert CountedKey.compared < n  # equal hashes are rare


def test_many_keys_are_refused_by_every_reader():
    text = json.dumps({str(k): k for k in range(60_000)})
    for read in (BoxSet.from_json, Scorecard.from_json, load):
        with pytest.raises(ValueError, match="format"):
            read(text)


@pytest.mark.parametrize("n", [3162, 6000])
def test_many_empty_boxes_take_little_memory(n):
    text = boxes_text(n, n)
    with Peak() as peak, pytest.raises(ValueError, match=f"{n} boxes on {n} features are {n * n} cells, more than"):
        BoxSet.from_json(text)
    assert peak.bytes < 100e6


def test_the_largest_boxes_of_a_small_text_take_a_bounded_memory():
    text = boxes_text(1400, 1400)
    with Peak() as peak:
        boxes = BoxSet.from_json(text)
    assert boxes.lower.size == 1400**2
    assert peak.bytes < 100 * reader.FREE_CELLS < 200e6 + 1


def test_a_card_of_many_one_point_boxes_is_refused_at_once(monkeypatch):
    """Sets are counted one by one, whatever the number of boxes, and never listed."""
    searches = []

    def counted(*args, find=union.bisect_left):
        searches.append(1)
        return find(*args)

    monkeypatch.setattr(union, "bisect_left", counted)
    card = one_point_boxes(2000)
    whole = {"format": "boxdraw.model", "version": 1, "target": None, "classes": [0, 1], "scorecard": card}
    with Peak() as peak, pytest.raises(ValueError, match="more than 10000 sets of boxes reach 1000 points"):
        model_from_json(json.dumps(whole | {"boxes": card["boxes"]}))
    assert len(searches) <= 2 * 4 * (union.MAX_SETS + 1)
    assert peak.bytes < 50e6


def test_a_union_that_is_much_larger_than_its_file_is_refused():
    card = one_point_boxes(140) | {"threshold": 2}  # 9730 sets
    whole = {"format": "boxdraw.model", "version": 1, "target": None, "classes": [0, 1], "scorecard": card}
    message = r"9730 sets of boxes on \d+ columns, too many"
    card["boxes"]["features"] += [
        {"name": f"c{k}", "kind": "categorical", "categories": [*range(90)]} for k in range(3)
    ]
    with pytest.raises(ValueError, match=message):
        model_from_json(json.dumps(whole | {"boxes": card["boxes"]}))
    with pytest.raises(ValueError, match=message):
        BoxSet.from_json(json.dumps(whole))
    # Without the boxes to compare there is nothing to work out: the file is a model, and can be written again.
    model = model_from_json(json.dumps(whole))
    assert "boxes" not in json.loads(model_to_json(model))
    assert load(model_to_json(model)).predict([[200.0, 1, 1, 1]]).tolist() == [1]


def test_a_long_whole_number_is_not_parsed():
    with pytest.raises(ValueError, match=r"points.*got inf"):
        Scorecard.from_json(Scorecard(BoxSet([[1]], [[2]]), [3], 2).to_json().replace("[3]", "[" + "3" * 200_000 + "]"))
    text = model_to_json(Model(BoxSet([[1]], [[2]]), fit={"seed": 10**999}))
    assert model_from_json(text).fit["seed"] == 10**999

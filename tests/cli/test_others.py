"""boxdraw demo."""

from pathlib import Path

from boxdraw import BoxSet


def test_the_tour(run, fails):
    result = run("demo", "--out", "tour")
    assert (result.code, result.err) == (0, "")
    assert "THE RULES" in result.out
    boxes = BoxSet.from_json(Path("tour/model.json"))
    fails("demo", "--out", "tour", words="exists; add --force")
    assert run("demo", "--out", "tour", "--force").code == 0
    assert BoxSet.from_json(Path("tour/model.json")) == boxes
    Path("file").write_text("")
    fails("demo", "--out", "file", words="file is not a folder")

"""Who waits for the compiler is told why; who waits for the disk is not."""

import gc

import pytest
from numba import njit

from boxdraw._core.compiled import NOTICE, notice
from boxdraw._core.progress import Progress


def double(number):
    return 2 * number


@pytest.fixture
def compiled(monkeypatch):
    """Return a function as of this package that nobody has called yet, where nothing has been announced yet."""
    monkeypatch.setattr(Progress, "asked", True)
    monkeypatch.setattr(notice, "told", False)
    monkeypatch.setattr(double, "__module__", "boxdraw.tests")
    return njit(double)


def test_compiling_is_announced_once(compiled, capsys):
    assert compiled(1) == 2
    assert compiled(1.5) == 3.0
    compiled(1)
    assert capsys.readouterr().err == NOTICE + "\n"


def test_no_garbage_is_collected_while_a_function_is_compiled(compiled, monkeypatch):
    seen = []
    start = notice.on_start
    monkeypatch.setattr(notice, "on_start", lambda event: (start(event), seen.append(gc.isenabled())))
    compiled(1)
    assert seen
    assert not any(seen)
    assert gc.isenabled()
    gc.disable()
    try:
        compiled(1.5)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_functions_of_others_are_not_announced(compiled, capsys, monkeypatch):
    monkeypatch.setattr(double, "__module__", "elsewhere")
    compiled(1)
    assert capsys.readouterr().err == ""


def test_nobody_is_told_where_nobody_reads(compiled, capsys, monkeypatch):
    monkeypatch.setattr(Progress, "asked", False)
    compiled(1)
    assert capsys.readouterr().err == ""


def test_verbose_asks_for_it(monkeypatch):
    monkeypatch.setattr(Progress, "asked", False)
    Progress("Sparse Boxes", 1)
    assert Progress.asked
    Progress("Sparse Boxes", 0)
    assert not Progress.asked

"""Who waits for the compiler is told why; who waits for the disk is not."""

from numba import njit

from boxdraw._core.compiled import compiling

NOTICE = "Boxes: compiling, once on this machine; this takes about ten seconds.\n"


def double(number):
    return 2 * number


def test_compiling_is_announced_once(capsys):
    function = njit(double)
    with compiling("Boxes", function, tell=True):
        assert function(1) == 2
        assert function(1.5) == 3.0
    assert capsys.readouterr().err == NOTICE
    with compiling("Boxes", function, tell=True):
        function(1)
    assert capsys.readouterr().err == ""


def test_what_needs_no_compiler_is_not_announced(capsys):
    with compiling("Boxes", njit(double), tell=True):
        pass
    assert capsys.readouterr().err == ""


def test_nobody_is_told_where_nobody_reads(capsys):
    function = njit(double)
    with compiling("Boxes", function):
        function(1)
    assert capsys.readouterr().err == ""

"""Ctrl-C and a polite request to end, at any time: tidy, and the same promise as for a kill."""

import random

import pytest

from boxdraw import BoxSet

from .inject import OLD, Task

STOPPED = {"interrupt": (130, "boxdraw: stopped\n"), "terminate": (143, "")}


@pytest.mark.parametrize("fault", STOPPED)
@pytest.mark.parametrize("name", ["export, SQL", "predict, CSV"])
def test_stopped_before_a_line_of_the_code_that_writes(bench, name, fault):
    n_lines = bench.n_lines(name)
    for line in (5, n_lines - 18, n_lines - 10):  # before the work, and while it writes
        outcome = bench.inject(name, f"line {fault}", line)
        assert (outcome.code, outcome.said) == STOPPED[fault]
        assert outcome.wrong == []


@pytest.mark.parametrize("fault", STOPPED)
def test_stopped_at_some_time(bench, fault):
    """The exit code is that of the fault only if it comes when the command has begun, and before its end."""
    outcome = bench.inject("report", fault, random.Random(fault).random() * bench.seconds("report"))
    assert outcome.wrong == []


def stopped(bench, call):
    folder = bench.fresh("fit")
    (folder / "exact.json").write_bytes(OLD)
    return bench.run(Task(("exact.json",), call=call), folder), (folder / "exact.json").read_bytes()


def test_a_search_that_is_stopped_has_the_best_so_far(bench):
    outcome, saved = stopped(bench, "stopped_search")
    assert outcome.code == 0, outcome.said
    assert outcome.said.splitlines()[-1] == "interrupted"
    assert BoxSet.from_json(saved).feature_names == ("amount", "hour")


def test_a_command_that_is_stopped_in_its_search_writes_nothing(bench):
    outcome, saved = stopped(bench, "stopped_command")
    assert (outcome.code, outcome.said) == (130, "boxdraw: stopped\n")
    assert saved == OLD

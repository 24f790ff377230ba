"""Nothing that boxdraw does at run time needs the network, or asks it for anything."""

import pytest

from .inject import ASKED_THE_NETWORK, TASKS, Task


@pytest.mark.parametrize("name", TASKS)
def test_commands_ask_nothing_of_the_network(bench, name):
    folder = bench.fresh(name)
    outcome = bench.run(TASKS[name], folder, "network")
    bench.check(name, folder, outcome)
    assert outcome.code == 0, outcome.said
    assert outcome.wrong == []


def test_everything_else_asks_nothing_of_the_network(bench):
    outcome = bench.run(Task((), call="everything_else"), bench.fresh("fit"), "network")
    assert outcome.code == 0, outcome.said


def test_who_asks_is_found_out(bench):
    """The two tests above can fail."""
    outcome = bench.run(Task((), call="reach_out"), bench.fresh("fit"), "network")
    assert outcome.code == ASKED_THE_NETWORK

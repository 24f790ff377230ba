"""A bounded run of checks/fuzz.py with fixed cases; and the fuzzer finds what is planted.

What the long runs found has tests of its own beside the tests of the code: tests/test_odd_input.py,
tests/tables/test_damaged.py, and the ends of tests/tables/test_csv.py, tests/cli/test_model.py and test_predict.py.
"""

import importlib
import random
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boxdraw.cli.errors import Failure
from boxdraw.model import membership

pytest.importorskip("resource", reason="the fuzzer limits memory by means of POSIX")

FOLDER = Path(__file__).parents[2] / "checks"
BOUNDED = {"json": 150, "tables": 150, "export": 100, "fit": 60, "cli": 60}


@pytest.fixture(scope="module", autouse=True)
def scripts():
    """Let the parts of the fuzzer be imported, as when it is run."""
    before = sys.path[:]
    sys.path.insert(0, str(FOLDER))
    yield
    sys.path[:] = before


@pytest.fixture
def fuzz():
    return importlib.import_module("fuzz")


@pytest.fixture
def judge():
    return importlib.import_module("_fuzz_judge")


@pytest.mark.parametrize("target", BOUNDED)
def test_fixed_cases_end_in_a_result_or_a_documented_error(fuzz, target, tmp_path):
    assert fuzz.TARGETS.keys() == BOUNDED.keys()
    fuzz.warm(target, tmp_path)
    ends = [fuzz.outcome_of(target, seed, tmp_path) for seed in range(BOUNDED[target])]
    findings = {seed: end for seed, end in enumerate(ends) if end not in ("accepted", "refused")}
    assert not findings
    assert ends.count("accepted") >= 10  # what is refused at once tries nothing


@settings(max_examples=60, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(rng=st.randoms(use_true_random=False))
def test_documents_that_hypothesis_draws(rng):
    module, judge = importlib.import_module("_fuzz_json"), importlib.import_module("_fuzz_judge")
    with judge.no_odd_warnings():
        module.run(rng, Path())


def test_a_case_is_the_same_each_time(fuzz):
    source = importlib.import_module("_fuzz_json").source
    drawn = [[source(random.Random(f"json {seed}")) for seed in range(20)] for _ in range(2)]
    assert drawn[0] == drawn[1]


# what is planted is found


def test_a_wrong_answer_is_found(fuzz, tmp_path, monkeypatch):
    right = membership.meets

    def wrong(values, boxes, k, j):
        inside = right(values, boxes, k, j)
        return inside if boxes.categories[j] is not None else inside & (values != boxes.upper[k, j])

    monkeypatch.setattr(membership, "meets", wrong)
    monkeypatch.setattr(membership, "_FEW", 0)  # a few rows are compared at once, without it
    ends = [fuzz.outcome_of("json", seed, tmp_path) for seed in range(150)]
    assert any("differs from the plain implementation" in end for end in ends)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (lambda: {}["key"], "an error of the type KeyError"),
        (lambda: float("x"), "an error that no check raised"),
        (lambda: b"\xff".decode(), "an error of the type UnicodeDecodeError"),
        (lambda: np.array(["x"], dtype=np.float64), "an error that no check raised"),
        (lambda: _raise(Failure("")), "an error without a message"),
        (lambda: _raise(RecursionError("deep")), "an error of the type RecursionError"),
    ],
)
def test_errors_of_internals_are_found(judge, error, reason):
    with pytest.raises(judge.Finding, match=reason):
        judge.attempt(error)


def test_errors_of_checks_are_not(judge):
    from boxdraw import BoxSet

    assert judge.attempt(BoxSet.from_json, "{}")[0] is False
    assert judge.attempt(BoxSet.from_json, "no/such/file")[0] is False
    assert judge.attempt(BoxSet, [[1]], [[2]])[0] is True


def test_warnings_of_numpy_are_found(judge):
    with pytest.raises(judge.Finding, match="RuntimeWarning"), judge.no_odd_warnings():
        np.array([1e308]) * 10


def _raise(error):
    raise error


def test_a_hang_and_a_crash_are_found(fuzz, tmp_path, monkeypatch):
    (tmp_path / "_fuzz_planted.py").write_text(
        "import os\n"
        "import random\n"
        "CASES = {random.Random(f'planted {seed}').random(): seed for seed in range(5)}\n"
        "def run(rng, folder):\n"
        "    seed = CASES[rng.random()]\n"
        "    while seed == 1:\n"
        "        pass\n"
        "    if seed == 3:\n"
        "        os._exit(7)\n"
        "    return seed == 4\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(fuzz, "HANG", 0.5)
    tally = fuzz.run_target("planted", 1, 4)
    assert (tally.cases, tally.accepted, tally.refused) == (4, 1, 1)
    (hung, hang), (died, death) = tally.findings
    assert (hung, died) == (1, 3)
    assert "a hang" in hang
    assert "exit code 7" in death

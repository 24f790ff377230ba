"""Progress of passes over many rows, by a clock that only counts."""

import numpy as np
import pytest

from boxdraw import FastBoxesClassifierCV, ScoredBoxesClassifier, SparseBoxesClassifier
from boxdraw._core import progress
from boxdraw._core.progress import Forecast, RowsProgress

ROWS = 1_000


class Clock:
    """A clock that stands still but for the work that is done."""

    def __init__(self, monkeypatch):
        self.now = 100.0
        monkeypatch.setattr(progress.time, "perf_counter", lambda: self.now)


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


class Shown(RowsProgress):
    """Keeps what would be written: when, and how long all that is left takes."""

    _SECONDS = 0.0

    def __init__(self, clock):
        super().__init__("", True)
        self._clock, self.told = clock, []

    def _show(self, what, done, n_rows, speed):
        share, left = self._left(done, n_rows, speed)
        self.told.append((self._clock.now, share, left))

    def _end(self, *_):
        pass


def work(shown, clock, passes, batches=20):
    """Make passes of so many seconds."""
    for what, seconds in passes:
        with shown.over(what, ROWS) as step:
            for _ in range(batches):
                clock.now += seconds / batches
                step(ROWS // batches)


def ends(shown):
    """Return the ends that were foretold, and at which share of the real time."""
    start, end = 100.0, shown.told[-1][0]
    return [((now - start) / (end - start), (now + left - start) / (end - start)) for now, _, left in shown.told]


LEARNERS = [FastBoxesClassifierCV, SparseBoxesClassifier, ScoredBoxesClassifier]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: learner.__name__)
@pytest.mark.parametrize("wrong", [0.0, 0.15])
@pytest.mark.parametrize("pace", [0.01, 1.0, 50.0])
def test_the_end_is_foretold_after_a_tenth(clock, learner, wrong, pace):
    """On a machine of any pace, whose passes cost up to 15% more or less than expected, each by its own."""
    expected = [(what, cost + 65.0) for what, cost, _ in learner()._passes()]
    rng = np.random.default_rng(0)
    real = [(what, cost * pace * (1 + wrong * rng.uniform(-1, 1))) for what, cost in expected]
    shown = Shown(clock)
    shown.expect(expected)
    work(shown, clock, real)
    assert shown.told[-1][1:] == (pytest.approx(1), pytest.approx(0))
    late = [foretold for at, foretold in ends(shown) if at >= 0.1]
    assert len(late) > 50
    assert 0.8 <= min(late) <= max(late) <= 1.2
    if not wrong:
        assert late == pytest.approx([1.0] * len(late))


def test_without_the_passes_only_the_end_of_each_is_foretold(clock):
    shown = Shown(clock)
    work(shown, clock, [("first", 10.0), ("second", 90.0)])
    assert shown.told[19][2] == pytest.approx(0)  # which would be a lie with the passes known
    assert shown.told[20][2] == pytest.approx(85.5)


def test_nothing_is_foretold_before_anything_is_done(clock):
    forecast = Forecast([("first", 1.0), ("second", 3.0)])
    forecast.begin("first")
    clock.now += 5
    assert forecast.seconds_left(0.0) == np.inf
    assert forecast.seconds_left(1.0) == pytest.approx(15)


def test_passes_that_are_not_needed_count_as_done_and_others_as_part_of_the_one_before(clock):
    forecast = Forecast([("sample", 1.0), ("place", 1.0), ("place", 1.0), ("round", 1.0)])
    shares = []
    for what in ("sample", "surprise", "place", "round", "round"):
        forecast.begin(what)
        shares.append(forecast.share(0.5))
    assert shares == [0.125, 0.125, 0.375, 0.875, 0.875]


def test_a_callable_gets_rows_of_each_pass(clock):
    told = []
    shown = RowsProgress("Boxes", False, lambda *state: told.append(state))
    work(shown, clock, [("first", 1.0), ("second", 1.0)], batches=2)
    assert told == [("first", 500, ROWS), ("first", 1000, ROWS), ("second", 500, ROWS), ("second", 1000, ROWS)]


def test_on_a_terminal_one_line_tells_the_time_left_of_all(clock, capsys, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    shown = RowsProgress("Boxes", True)
    shown.expect([("first", 1.0), ("second", 9.0)])
    work(shown, clock, [("first", 10.0), ("second", 90.0)], batches=2)
    lines = [line.strip() for line in capsys.readouterr().err.replace("\n", "\r").split("\r") if line]
    assert lines == [
        "[Boxes] first: 50% of 1,000 rows, 100 rows/s, about 95 s left",
        "[Boxes] first: 100% of 1,000 rows, 100 rows/s, about 90 s left",
        "[Boxes] first: 1,000 rows in 10.0 s",
        "[Boxes] second: 50% of 1,000 rows, 11 rows/s, about 45 s left",
        "[Boxes] second: 100% of 1,000 rows, 11 rows/s, about 0 s left",
        "[Boxes] second: 1,000 rows in 90.0 s",
    ]

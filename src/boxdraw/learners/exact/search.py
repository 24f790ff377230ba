"""The search: drawings from below, bounds from above, until they meet or time is up."""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from boxdraw.learners.exact.ascent import Ascent
from boxdraw.learners.exact.column_generation import ColumnGeneration
from boxdraw.learners.exact.cp_sat import CpSat, model_size
from boxdraw.learners.exact.drawings import Board
from boxdraw.learners.exact.max_box import Found, MaxBox, Pricing, no_pairs
from boxdraw.learners.exact.problem import Problem
from boxdraw.learners.exact.ranks import Box
from boxdraw.learners.exact.selection import select
from boxdraw.learners.exact.side_tree import SideTree
from boxdraw.learners.exact.warm import compile_kernels

_FIRST_NODES = 20_000  # of the side tree, before other bounds are tried
_JOINT_SHARE = {True: 0.5, False: 0.2}  # of the time for the side tree of all boxes, where features are few and else
_FEW_FEATURES = 4
_JOINT_WORK = 100_000_000  # rows x sides in a second of that share
_ROUNDS = 2000  # of repairs without a better drawing that end them, times the number of boxes squared
_CELLS = 25_000_000  # rows x features x boxes of repairs per second of the time limit, which take about a fifth of it
_LIST_EVERY = 20  # rounds of column generation from one list of boxes to the next
_EFFORT = 0.3  # of CP-SAT, on a clock of its own that counts work, in a choice among likely boxes
_LIKELY = 300  # boxes in such a choice
_MOST_LISTED = 20_000  # boxes in a list of all that a better drawing could use
_TURNS = {10: 1.0, 30: 5.0, 90: 25.0}  # efforts of CP-SAT, after so many rounds of column generation
_MOST_LITERALS = 20_000_000  # in a model for CP-SAT, about 2 GB


@dataclass(frozen=True, slots=True)
class State:
    """The best drawing and the best bound, in points, and who found them."""

    boxes: list[Box]
    value: int
    method: str
    bound: int
    bound_method: str


class Control:
    """The clock, the bound, and what ends the search; shared by all who search."""

    def __init__(
        self, time_limit: float, gap: float, report: Callable[[int, int, str], bool], problem: Problem
    ) -> None:
        self.time_limit = time_limit
        self._end = time.perf_counter() + time_limit
        self._gap = gap
        self._report = report
        self._lock = threading.Lock()
        self._last_report = -math.inf
        self.value = problem.constant
        self.bound = problem.most()
        self.bound_method = "counting"
        self.phase = "presolve"
        self.asked = False

    def seconds_left(self) -> float:
        """Return the seconds left; none once the search is to end."""
        return 0.0 if self.asked or self.certified() else max(0.0, self._end - time.perf_counter())

    def extend(self, seconds: float) -> None:
        """Put the end off."""
        self._end += seconds

    def out_of_time(self) -> bool:
        """Return True if the search is to stop; progress is reported from here."""
        now = time.perf_counter()
        if now - self._last_report > 0.2:
            self.report()
        return self.seconds_left() <= 0

    def report(self) -> None:
        """Tell the user how far it is; take note if they want an end."""
        self._last_report = time.perf_counter()
        if self._report(self.value, self.bound, self.phase):
            self.asked = True

    def tighten_bound(self, bound: int, method: str) -> None:
        """Take over a bound if it is better."""
        with self._lock:
            if bound < self.bound:
                self.bound, self.bound_method = bound, method

    def certified(self) -> bool:
        """Return True if value and bound are as close as asked for."""
        return self.bound <= self.value or self.bound - self.value <= self._gap * abs(self.value)

    def status(self, state: State) -> str:
        """Return how the search ended."""
        if state.bound <= state.value:
            return "optimal"
        if self.asked:
            return "interrupted"
        return "gap_reached" if state.bound - state.value <= self._gap * abs(state.value) else "time_limit"


@contextmanager
def ctrl_c_asks(control: Control) -> Iterator[None]:
    """Let the first Ctrl-C only ask for an end: raised just as a compiled function is entered, it would get lost."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def ask(*_: object) -> None:
        if control.asked:
            raise KeyboardInterrupt
        control.asked = True

    signal.signal(signal.SIGINT, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class Side:
    """CP-SAT in a thread of its own. Its bounds count at once; its drawings only where `Search` takes them."""

    def __init__(self, problem: Problem, hint: Sequence[Box], control: Control, seed: int, effort: float) -> None:
        self._problem = problem
        self._hint = list(hint)
        self._control = control
        self._solver: CpSat | None = None
        self._seed, self._effort = seed, effort
        self._stopped = False
        self.boxes: list[Box] = list(hint)
        self.value = problem.value(self.boxes)
        self.solved = False
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            self._solver = CpSat(self._problem, self._hint, self._seed, self._too_late)
            if not self._stopped:
                left = self._control.seconds_left()
                self.solved = self._solver.solve(left, self._take_bound, self._take_boxes, self._effort)
        except BaseException as error:  # raised again by those who wait for the thread
            self.error = error

    def _too_late(self) -> bool:
        return self._stopped or self._control.seconds_left() <= 0

    def _take_bound(self, bound: int) -> None:
        self._control.tighten_bound(bound, "CP-SAT on levels")

    def _take_boxes(self, boxes: list[Box], value: int) -> None:
        if value > self.value:
            self.boxes, self.value = boxes, value

    def busy(self) -> bool:
        """Return True if it still searches."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """End the search and wait for it."""
        self._stopped = True
        while self.busy():
            if self._solver is not None:
                self._solver.stop()
            self._thread.join(0.02)
        if self.error is not None:
            raise self.error


class Search:
    """The main line of the search, and CP-SAT beside it."""

    # The main line: drawings by refits and repairs, column generation for boxes and for the bound, and a list of all
    # boxes that a better drawing could use. Its steps follow from the seed alone, unless the clock cuts them short. A
    # drawing of CP-SAT is only taken when the main line has ended; repairs then go on until CP-SAT has finished, and
    # what they find counts only if it does not. So equal calls give equal boxes unless the clock ends them.

    def __init__(self, problem: Problem, control: Control, *, seed: int, n_jobs: int, prove: bool = True) -> None:
        self._problem = problem
        self._control = control
        self._seed = seed
        self._n_jobs = n_jobs
        self._prove = prove  # if not, the time goes to drawings
        self._max_box, self._board = MaxBox(problem), Board(problem, control.seconds_left)
        self._sides = None if problem.limits is None else SideTree(problem)
        self._ascent = Ascent(problem, self._sides or self._max_box, self._board, seed, control.out_of_time)
        self._side: Side | None = None

    def run(self, starts: Sequence[tuple[str, list[Box]]], alone: bool = False) -> State:
        """Search, for drawings alone or for bounds too; Ctrl-C ends it with the best so far."""
        control = self._control
        try:
            with ctrl_c_asks(control):
                self._draw(starts)
                if not alone:
                    self._go_on()
        except KeyboardInterrupt:
            control.asked = True
        finally:
            if self._side is not None:
                self._side.stop()
        best, side = self._ascent, self._side
        boxes, value, method = best.boxes, best.value, best.method
        # What CP-SAT has proven comes before what the main line beside it has found in the meantime: see the class.
        if side is not None and side.value > (control.value if side.solved else value):
            boxes, value, method = side.boxes, side.value, "CP-SAT on levels"
        return State(boxes, value, method, max(control.bound, value), control.bound_method)

    def _go_on(self) -> None:
        """Prove the drawing or, if not asked to, look for better ones."""
        if not self._prove:
            self._ascent.repair(2**62, 2**62)
        elif not self._control.out_of_time():
            self._bound_one_box() if self._problem.max_boxes == 1 else self._bound_many()
        self._wait()

    def _offer(self, boxes: Sequence[Box], method: str) -> None:
        if self._ascent.offer(boxes, method):
            self._control.value = self._ascent.value

    def _draw(self, starts: Sequence[tuple[str, list[Box]]]) -> None:
        """Find good drawings."""
        for method, boxes in starts:
            self._offer(boxes, method)
        if self._control.out_of_time():
            return
        self._control.phase = "compiling, once"
        self._control.report()
        start = time.perf_counter()
        with ThreadPoolExecutor(1) as pool:  # numba must not be interrupted; Ctrl-C comes to the main thread only
            sides, masks = self._sides is not None or self._problem.max_boxes > 1, self._problem.masks is not None
            pool.submit(compile_kernels, sides, masks).result()
        self._control.extend(time.perf_counter() - start)
        self._control.phase = "drawing"
        for method, boxes in [*starts, ("greedy", [])]:
            self._offer(self._ascent.improve(boxes, exactly=False), f"{method}, refitted")
        self._offer(self._ascent.improve(self._ascent.boxes, exactly=True), "branch and bound, box by box")
        if self._problem.max_boxes > 1:
            self._repair(1.0)

    def _repair(self, share: float) -> None:
        """Destroy and repair drawings; with a share of 1 long enough to find what is easily found."""
        problem = self._problem
        n_rows, n_features = len(problem.positives.points) + len(problem.negatives.points), len(problem.n_low)
        rounds = min(_ROUNDS * problem.max_boxes**2, 250 * len(problem.positives.points))
        most = self._control.time_limit * _CELLS / (n_rows * n_features * problem.max_boxes)
        self._ascent.repair(math.ceil(share * rounds), math.ceil(share * most))
        self._control.value = self._ascent.value

    def _bound_one_box(self) -> None:
        """Prove the best box by branch and bound."""
        self._control.phase = "branch and bound"
        pricing, shift = self._plain_pricing()
        if self._sides is None:
            found = self._max_box.best(pricing, self._ascent.value - shift, self._control.out_of_time)
            self._take_box(found, shift, "branch and bound")
            return
        # The side tree is exact, but says little before it ends; the other bounds the number of limits from below.
        for n_nodes in (_FIRST_NODES, sys.maxsize):
            found = self._sides.best(pricing, self._ascent.value - shift, self._control.out_of_time, n_nodes)
            self._take_box(found, shift, "side tree")
            if self._control.out_of_time():
                return
            if n_nodes == _FIRST_NODES:
                found = self._max_box.best(pricing, self._ascent.value - shift, self._control.out_of_time)
                self._control.tighten_bound(found.upper + shift, "branch and bound")

    def _plain_pricing(self) -> tuple[Pricing, int]:
        """Return what a box earns alone, and what a drawing of it has beside."""
        problem = self._problem
        pricing = Pricing(problem.positives.points, problem.negatives.points, no_pairs(), problem.limit_points)
        return pricing, problem.constant - problem.box_points

    def _take_box(self, found: Found, shift: int, method: str) -> None:
        if found.box is not None:
            self._offer([found.box], method)
        self._control.tighten_bound(found.upper + shift, method)

    def _bound_many(self) -> None:
        """Lower the bound by column generation; finish by a list of all boxes that a better drawing could use."""
        if self._n_jobs > 1:
            self._start_side()
        if self._problem.masks is not None and self._sides is not None:  # climbs may miss the best that is allowed
            pricing, shift = self._plain_pricing()
            n_nodes = int(_JOINT_SHARE[False] * self._control.time_limit * _JOINT_WORK / self._sides.node_size)
            found = self._sides.best(pricing, self._ascent.value - shift, self._control.out_of_time, n_nodes)
            if found.box is not None:
                self._offer(self._ascent.improve([found.box], exactly=True), "side tree, refitted")
        self._bound_jointly()
        control, searches = self._control, (self._max_box, self._sides, self._board, self._ascent.starts)
        generation = ColumnGeneration(self._problem, *searches, control.seconds_left, control.out_of_time)
        generation.take(self._ascent.promising())
        more, rounds = True, 0
        while more and not self._control.out_of_time():
            self._control.phase = "column generation"
            generation.least = self._ascent.value
            more = generation.step()
            self._control.tighten_bound(generation.bound, "column generation")
            rounds += 1
            if rounds in _TURNS and self._side is None:
                self._give_a_turn(_TURNS[rounds])
            if not more or rounds % _LIST_EVERY == 0:
                if not self._control.out_of_time():
                    self._choose(generation.likely(_LIKELY), _EFFORT)
                self._control.phase = "drawing"
                self._repair(0.2)
                if self._list_all(generation, _MOST_LISTED if not more else _MOST_LISTED // 10):
                    return

    def _bound_jointly(self, to_the_end: bool = False) -> None:
        """Prove the drawing by side trees of all boxes, of one less and so on: where these are few, it is soon done."""
        control, problem = self._control, self._problem
        control.phase = "side tree"
        # The first is the largest. If it does not end, the others are of no use; with many boxes it ends soon or never.
        share = _JOINT_SHARE[len(problem.n_low) <= _FEW_FEATURES] / (problem.max_boxes - 1) ** 2
        end, work = (1 - share) * control.seconds_left(), share * control.time_limit * _JOINT_WORK
        if to_the_end:
            end, work = 0.0, sys.maxsize
        for n_boxes in range(problem.max_boxes, 0, -1):
            tree = SideTree(problem, n_boxes)
            n_nodes = int(work / tree.node_size)
            if n_nodes <= 0 or control.out_of_time():
                return
            found = tree.best_drawing(
                self._ascent.value, lambda: control.out_of_time() or control.seconds_left() < end, n_nodes
            )
            self._offer(found.boxes, "side tree")
            if found.upper > self._ascent.value:
                return
            work -= found.work
        control.tighten_bound(self._ascent.value, "side tree")

    def _choose(self, boxes: list[Box], effort: float) -> bool:
        """Offer the best drawing out of a list of boxes; return True if that is proven."""
        if self._control.out_of_time():
            return False
        self._control.phase = "choosing among boxes"
        left = self._control.seconds_left()
        chosen, proven = select(self._problem, boxes, self._ascent.value, seconds=left, effort=effort)
        if chosen is not None:
            self._offer(chosen, "column generation")
            self._offer(self._ascent.improve(chosen, exactly=True), "column generation, refitted")
        return proven

    def _list_all(self, generation: ColumnGeneration, most: int) -> bool:
        """List every box that a better drawing could use; choose among them; return True if that settled it."""
        if self._control.out_of_time():
            return False
        self._control.phase = "listing boxes"
        boxes = generation.all_boxes(self._ascent.value, most)
        if boxes is None or not self._choose(boxes, 100 * _EFFORT):
            return False
        self._control.tighten_bound(self._ascent.value, "column generation and a list of all boxes in question")
        return True

    def _start_side(self, effort: float = math.inf) -> None:
        # Masks are not in the model.
        if self._problem.masks is None and model_size(self._problem) <= _MOST_LITERALS:
            self._side = Side(self._problem, self._ascent.boxes, self._control, self._seed, effort)

    def _give_a_turn(self, effort: float) -> None:
        """Let CP-SAT try for a moment, on the one thread there is: some problems it settles at once."""
        self._start_side(effort)
        if self._side is not None:
            self._watch(self._side)
            self._side.stop()
            self._side = self._side if self._side.solved else None

    def _watch(self, side: Side) -> None:
        self._control.phase = "CP-SAT"
        while side.busy() and not self._control.out_of_time():
            time.sleep(0.005)

    def _wait(self) -> None:
        """Give CP-SAT the rest of the time, and go on repairing where that does not take time from it."""
        control = self._control
        if control.out_of_time() or self._problem.max_boxes == 1:
            return
        if self._side is None:
            self._start_side()
        if self._side is None:
            if self._problem.masks is not None and self._prove:
                self._bound_jointly(to_the_end=True)
            self._ascent.repair(2**62, 2**62)
        elif self._n_jobs == 1:
            self._watch(self._side)
        else:
            control.phase = "CP-SAT"
            while self._side.busy() and not control.out_of_time():
                self._ascent.repair(100, 100)

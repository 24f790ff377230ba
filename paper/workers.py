"""Many calls in several processes, which go on when one of the processes is killed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

__all__ = ["KILLED", "call_each"]

#: What is said of a call whose process was killed.
KILLED = "its process was killed, also when nothing ran beside it; it may need more memory than there is"


def call_each(function: Callable[[Any], Any], items: Sequence[Any], jobs: int) -> Iterator[tuple[int, Any]]:
    """Call a function with each item.

    A process that is killed, as systems do that run out of memory, takes the calls of the others with it. All that were
    under way are then made once more, one at a time in new processes, and the rest goes on.

    Parameters
    ----------
    function : callable
        What to call. It must not return None.
    items : sequence
        With what.
    jobs : int
        Processes; with one the calls are made in this process, which nothing can protect.

    Yields
    ------
    place : int
        The number of the item, from 0; in the order in which calls end.
    result : object
        What the function has returned; None if its process was killed when nothing ran beside it, too.

    Examples
    --------
    >>> sorted(call_each(abs, [-1, 2], jobs=1))
    [(0, 1), (1, 2)]
    """
    waiting = deque(enumerate(items))
    under_way: dict[int, Any] = {}
    while waiting or under_way:
        calls = _calls(function, waiting, under_way)
        try:
            for place, result in Parallel(n_jobs=jobs, return_as="generator_unordered")(calls):
                del under_way[place]
                yield place, result
        except TerminatedWorkerError:  # which of them it was is not known
            while under_way:
                place = next(iter(under_way))
                yield place, _once_more(function, under_way.pop(place), jobs)


def _calls(
    function: Callable[[Any], Any], waiting: deque[tuple[int, Any]], under_way: dict[int, Any]
) -> Iterator[tuple[Any, ...]]:
    """Yield calls that joblib can make, and note for which items it has asked."""
    while waiting:
        place, item = waiting.popleft()
        under_way[place] = item
        yield delayed(_with_place)(function, place, item)


def _with_place(function: Callable[[Any], Any], place: int, item: Any) -> tuple[int, Any]:
    return place, function(item)


def _once_more(function: Callable[[Any], Any], item: Any, jobs: int) -> Any:
    try:
        return Parallel(n_jobs=jobs)([delayed(function)(item)])[0]
    except TerminatedWorkerError:
        return None

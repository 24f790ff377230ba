"""Many calls in several processes, which continue when one of the processes is killed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

__all__ = ["KILLED", "call_each"]

#: The message of a call whose process was killed.
KILLED = "its process was killed, also when nothing ran beside it; it may need more memory than there is"


def call_each(function: Callable[[Any], Any], items: Sequence[Any], jobs: int) -> Iterator[tuple[int, Any]]:
    """Call a function with each item; if a process is killed, repeat the interrupted calls one at a time."""
    waiting = deque(enumerate(items))
    under_way: dict[int, Any] = {}
    while waiting or under_way:
        calls = _calls(function, waiting, under_way)
        try:
            for place, result in Parallel(n_jobs=jobs, return_as="generator_unordered")(calls):
                del under_way[place]
                yield place, result
        except TerminatedWorkerError:  # it is unknown which one caused it
            while under_way:
                place = next(iter(under_way))
                yield place, _once_more(function, under_way.pop(place), jobs)


def _calls(
    function: Callable[[Any], Any], waiting: deque[tuple[int, Any]], under_way: dict[int, Any]
) -> Iterator[tuple[Any, ...]]:
    """Yield calls for joblib, and record the items that it has started."""
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

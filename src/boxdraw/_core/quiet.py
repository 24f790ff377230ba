"""Silence for a while, without a trace: the filters of warnings belong to the whole process."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

_turn = threading.RLock()


def _new_turn() -> None:
    """In a forked process the thread that had its turn is gone, so no one would ever give it back."""
    global _turn
    _turn = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_turn)


@contextmanager
def quietly(*kinds: type[Warning] | str) -> Iterator[None]:
    """Ignore warnings by category or by first words, in one thread at a time: filters belong to the process."""
    with _turn, warnings.catch_warnings():
        for kind in kinds:
            if isinstance(kind, str):
                warnings.filterwarnings("ignore", kind)
            else:
                warnings.simplefilter("ignore", kind)
        yield

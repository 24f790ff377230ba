"""Files that are there completely or not at all, and JSON from wherever it is."""

from __future__ import annotations

import errno
import os
import reprlib
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # which only writing can meet, and which come without a name


@contextmanager
def replacing(path: str | Path, check: Callable[[], None] | None = None) -> Iterator[IO[bytes]]:
    """Open a file that takes its name, and the old permissions, if the block and ``check`` pass; else it is removed."""
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".boxdraw-{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb", opener=_opener(target)) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if check is not None:
            check()
        os.replace(temporary, target)
    except OSError as error:
        if error.errno in _NO_ROOM or str(error.filename) == str(temporary):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise
    finally:
        with suppress(OSError):  # it has its name by now, or the folder cannot be reached: the first error says more
            temporary.unlink()


def _opener(target: Path) -> Callable[[str, int], int] | None:
    """Return an opener that keeps the permissions of a file, but for a new group: private rows stay private."""
    if os.name != "posix" or not target.exists():
        return None
    before = target.stat()
    mode = stat.S_IMODE(before.st_mode)

    def opener(name: str, flags: int) -> int:
        descriptor = os.open(name, flags, mode & stat.S_IRWXU)
        os.fchmod(descriptor, mode if _has_group(descriptor, before.st_gid) else mode & ~stat.S_IRWXG)
        return descriptor

    return opener


def _has_group(descriptor: int, group: int) -> bool:
    """Give a file to a group, if allowed; return True if it belongs to it now."""
    if os.fstat(descriptor).st_gid != group:
        with suppress(OSError):
            os.fchown(descriptor, -1, group)
    return os.fstat(descriptor).st_gid == group


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Replace a file by a text in UTF-8 in one step; a symbolic link is followed."""
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise OSError(f"{os.fspath(path)!r} is not a regular file: give the path of a file to write")
    with replacing(target) as file:
        file.write(f"{text}\n".encode())


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file; raise for devices and for named pipes, which may have no end."""
    kind = os.stat(path).st_mode
    is_open = os.fspath(path).startswith("/dev/")  # standard input, or what a shell gives for <(...)
    if stat.S_ISCHR(kind) or stat.S_ISBLK(kind) or (stat.S_ISFIFO(kind) and not is_open):
        raise ValueError(f"{os.fspath(path)} is a device or a named pipe, which may have no end: give a file")
    return Path(path).read_bytes()


def read_source(source: str | bytes | os.PathLike[str]) -> str | bytes:
    """Return JSON text: bytes and a str that starts with ``{`` are the text itself, anything else is a path."""
    if isinstance(source, bytes):
        return source
    if isinstance(source, str):
        start = source.lstrip("\ufeff \t\r\n")[:1]
        if start == "{":
            return source
        if start in ("", "[", '"') or (start.isdigit() and not os.path.exists(source)):
            raise ValueError(f"expected JSON text that starts with {{, or a path; got {reprlib.repr(source)}")
    if isinstance(source, str | os.PathLike):
        return read_file(source)
    raise TypeError(f"expected JSON text, bytes or a path, got {type(source).__name__}")

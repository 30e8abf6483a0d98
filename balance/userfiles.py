"""Files that a user names, and temporary folders: one way to read, one way to write.

What is named may be a pipe, a device or a file without an end: it is refused before anything waits for it or
holds it in memory. The files of runs are opened by `balance.files`, which refuses links too.
"""

from __future__ import annotations

import errno
import os
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path

from balance.errors import UsageError
from balance.files import beside, write_new


def read_file(path: str | Path, most: int) -> bytes:
    """Return the content of a regular file; OSError for anything else, and for more than `most` bytes."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "is not a regular file", str(path))
        content = file.read(most + 1) or b""
    if len(content) > most:
        raise OSError(errno.EFBIG, f"is too large: at most {most:,} bytes are read", str(path))
    return content


def write_file(target: Path, content: Iterator[bytes], *, replace: bool) -> None:
    """Write a file that `dataset.manifest.refuse_target` has let pass, whole or not at all.

    What is a pipe or a device by now gets the content; a link stays, and the file that it names is written.
    """
    if is_stream(target):
        with target.open("wb") as stream:
            for piece in content:
                stream.write(piece)
        return
    target = target.resolve()
    if replace:
        with beside(target, content) as temporary:
            temporary.replace(target)
        return
    try:
        write_new(target, content)
    except FileExistsError:
        raise UsageError(f"{target}: exists already; force replaces it", parameter="force") from None


def is_stream(target: Path) -> bool:
    """Return whether a path is a pipe or a device such as /dev/null, which has nothing to lose."""
    try:
        mode = target.stat().st_mode
    except OSError:
        return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)


def temporary_prefix(kind: str) -> str:
    """Return how the name of a temporary folder begins: `balance.__main__` finds what a crash left."""
    return f"balance-{kind}-{os.getppid()}-"


def quoted(path: str | Path) -> str:
    """Return a path as a command takes it, for messages that say what to do: they are copied into a shell."""
    return shlex.quote(str(path))

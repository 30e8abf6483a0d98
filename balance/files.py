"""Writing files whole or not at all: nothing half-written ever carries a name that somebody reads."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["TEMPORARY", "beside", "write_new", "write_whole"]

TEMPORARY = ".tmp"
"""How the name of every unfinished file ends; it begins with a dot."""


@contextmanager
def beside(target: Path, content: bytes | memoryview | Iterator[bytes]) -> Iterator[Path]:
    """Write a temporary file beside `target`, safe on the disk, to be renamed; it is gone afterwards."""
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}{TEMPORARY}")
    try:
        with temporary.open("xb") as file:
            for piece in content if isinstance(content, Iterator) else (content,):
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def write_whole(target: Path, content: bytes | memoryview) -> None:
    """Write a file, or replace it; after a crash there is the old one or the new one, never a part."""
    with beside(target, content) as temporary:
        temporary.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_new(target: Path, content: bytes | memoryview | Iterator[bytes]) -> None:
    """Write a file whole; FileExistsError if its name was taken, also if that was a moment ago."""
    with beside(target, content) as temporary:
        try:
            os.link(temporary, target)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK):
                raise
            temporary.replace(target)  # a file system without links

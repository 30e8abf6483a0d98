"""Files: written whole or not at all, read only if they are files.

Nothing half-written ever has a name that somebody reads. A file of a run is opened without following a link
or waiting for a pipe.
"""

from __future__ import annotations

import errno
import io
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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


def open_regular(folder: Path, name: str, most: int | None = None) -> io.BufferedReader:
    """Open a file below a folder to be read; OSError unless it is a regular file of at most `most` bytes.

    Neither the file nor a folder on the way to it, from `folder` on, may be a link.
    """
    refuse_links(folder, name)
    path = folder / name
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "is not a regular file", str(path))
        if most is not None and found.st_size > most:
            raise OSError(errno.EFBIG, f"has {found.st_size:,} bytes; at most {most:,} are read", str(path))
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def refuse_links(folder: Path, name: str) -> None:
    """Refuse a path that leaves a folder, by `..` or by a link on the way; OSError says where."""
    path = folder
    for part in name.split("/"):
        if part in ("", ".", ".."):
            raise OSError(errno.EINVAL, "does not name a file of the folder", str(folder / name))
        path = path / part
        if path.is_symlink():
            raise OSError(errno.ELOOP, "is a link; a run has none", str(path))


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names in a folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, each name safe on the disk."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for path in missing:
        sync_folder(path.parent)


def write_whole(target: Path, content: bytes | memoryview) -> None:
    """Write a file, or replace it; after a crash there is the old one or the new one, never a part.

    FileExistsError if there is a device or a pipe, which must not become a file.
    """
    if target.exists() and not target.is_file():
        raise FileExistsError(errno.EEXIST, "not a regular file", str(target))
    with beside(target, content) as temporary:
        temporary.replace(target)
    sync_folder(target.parent)


def write_new(target: Path, content: bytes | memoryview | Iterator[bytes]) -> None:
    """Write a file whole; FileExistsError if its name was taken, also if that was a moment ago."""
    with beside(target, content) as temporary:
        try:
            os.link(temporary, target)
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK):
                raise
            temporary.replace(target)  # a file system without links
    sync_folder(target.parent)

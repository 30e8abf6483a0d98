"""Files in the user's cache that are made from runs, each with its checksum: rot is noticed there too.

What is made from runs that were not verified is kept for this process alone: others would trust it.
"""

from __future__ import annotations

import functools
import hashlib
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from balance.files import open_regular, write_whole
from balance.resources import cache_dir
from balance.userfiles import temporary_prefix

if TYPE_CHECKING:
    from balance.dataset.run import Run

_DIGITS: Final = 64


def folder_for(runs: Sequence[Run], name: str, content: str) -> Path:
    """Return the folder of files that are made from runs; `content` identifies what they are made from."""
    verified = all(run.verified for run in runs)
    home = cache_dir() if verified else Path(_unverified().name)
    known = content if verified else repr((content, [str(run.path.resolve()) for run in runs]))
    return home / name / hashlib.sha256(known.encode()).hexdigest()[:24]


@functools.cache
def _unverified() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix=temporary_prefix("unverified"))


def is_kept(file: Path) -> bool:
    """Return whether a file is in the cache as it was written."""
    try:
        with open_regular(file.parent, _sum(file).name, _DIGITS) as expected:
            known = expected.read()
        with open_regular(file.parent, file.name) as content:
            return hashlib.file_digest(content, "sha256").hexdigest().encode() == known
    except OSError:
        return False


def keep(file: Path, content: bytes | memoryview) -> None:
    """Write a file into the cache, or replace it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, content)
    write_whole(_sum(file), hashlib.sha256(content).hexdigest().encode())


def _sum(file: Path) -> Path:
    return file.with_name(f"{file.name}.sha256")

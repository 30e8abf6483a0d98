"""Files in the user's cache that are made from runs, each with its checksum: rot is noticed there too."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from balance.files import open_regular, write_whole

_DIGITS: Final = 64


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

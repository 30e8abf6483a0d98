"""From frames to files: Parquet with zstd, the same bytes for the same rows, whole files only."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from balance.dataset.state import FileRecord
from balance.files import write_whole

if TYPE_CHECKING:
    import polars as pl

__all__ = ["encode", "write_files"]

_ROWS: Final = 65_536
"""Of a row group: few enough that a query for one pair passes over most of them."""
_LEVEL: Final = 1
"""Of zstd. Level 3 takes a quarter more time for 3% fewer bytes."""


def encode(frame: pl.DataFrame) -> memoryview:
    """Return a frame as a Parquet file; its bytes do not depend on how many threads polars has."""
    file = io.BytesIO()
    frame.write_parquet(file, compression="zstd", compression_level=_LEVEL, row_group_size=_ROWS)
    return file.getbuffer()


def write_files(folder: Path, files: Mapping[str, bytes | memoryview]) -> dict[str, FileRecord]:
    """Write files below a folder, each whole or not at all; return what they are."""
    records: dict[str, FileRecord] = {}
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, content)
        records[name] = FileRecord.of(content)
    return records

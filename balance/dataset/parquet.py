"""Frames as Parquet with zstd: the same bytes for the same rows."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import polars as pl

_ROWS: Final = 65_536
"""Rows of a row group: few enough that a query for one pair passes over most of them."""
_LEVEL: Final = 1
"""The level of zstd. Level 3 takes a quarter more time for 3% fewer bytes."""


def encode(frame: pl.DataFrame) -> memoryview:
    """Return a frame as a Parquet file; its bytes do not depend on how many threads polars has."""
    file = io.BytesIO()
    frame.write_parquet(file, compression="zstd", compression_level=_LEVEL, row_group_size=_ROWS)
    return file.getbuffer()

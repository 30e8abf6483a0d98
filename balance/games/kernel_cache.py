"""Machine code in the cache is checked before it is loaded; what is damaged is compiled again.

Numba loads its cache as it is: a truncated file ends in an error at every start, a flipped byte in a crash.
So each file has a checksum beside it, written after it; a file without one counts as not compiled yet.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any

from numba.core import caching

from balance.files import write_whole
from balance.resources import cache_dir

_Unchecked: Any = caching.IndexDataCacheFile


class CheckedCacheFile(_Unchecked):  # type: ignore[misc]
    """Numba's index and data files of one function, each with its checksum."""

    def _load_index(self) -> Any:
        path = Path(self._index_path)
        try:
            _require_same(path)
            return super()._load_index()
        except FileNotFoundError:
            return {}
        except Exception as problem:  # noqa: BLE001 - whatever a damaged pickle does
            _discard(path, problem)
            return {}

    def _save_index(self, overloads: Any) -> None:
        _sum_file(Path(self._index_path)).unlink(missing_ok=True)
        super()._save_index(overloads)
        _seal(Path(self._index_path))

    def _load_data(self, name: str) -> Any:
        path = Path(self._data_path(name))
        try:
            _require_same(path)
            return super()._load_data(name)
        except FileNotFoundError:
            raise
        except Exception as problem:  # noqa: BLE001 - the same
            _discard(path, problem)
            raise FileNotFoundError(str(path)) from None  # which Numba takes for "not compiled yet"

    def _save_data(self, name: str, data: Any) -> None:
        _sum_file(Path(self._data_path(name))).unlink(missing_ok=True)
        super()._save_data(name, data)
        _seal(Path(self._data_path(name)))


def install() -> None:
    """Have Numba use checked files from now on; those outside of our cache folder are left alone."""

    def choose(cache_path: str, **options: Any) -> Any:
        ours = Path(cache_path).is_relative_to(cache_dir())
        return (CheckedCacheFile if ours else _Unchecked)(cache_path, **options)

    setattr(caching, "IndexDataCacheFile", choose)  # noqa: B010 - it is a class for the type checker


def _sum_file(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _require_same(path: Path) -> None:
    """Refuse a file that is not what its checksum says; FileNotFoundError if either is missing."""
    if _sum_file(path).read_text(encoding="ascii") != _sha256(path):
        raise ValueError("it is not what was written")


def _seal(path: Path) -> None:
    """Write the checksum of a file beside it."""
    try:
        write_whole(_sum_file(path), _sha256(path).encode())
    except OSError:
        return  # a cache that cannot be written is of use nevertheless


def _discard(path: Path, problem: Exception) -> None:
    name = type(problem).__name__
    sys.stderr.write(f"the cached machine code {path.name} is damaged ({name}); it is compiled again\n")
    for file in (path, _sum_file(path)):
        try:
            file.unlink(missing_ok=True)
        except OSError:
            continue

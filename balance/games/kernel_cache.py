"""Machine code in the cache is checked before it is loaded; what is damaged is compiled again.

Numba loads its cache as it is: a truncated file ends in an error at every start, a flipped byte in a crash,
and two processes that compile at once may give one name to the code of two signatures. So every file begins
with the checksum of its name and of the rest, and every code has a name of its own.
"""

from __future__ import annotations

import hashlib
import pickle
import secrets
import sys
from pathlib import Path
from typing import Any, Final

from numba.core import caching

from balance.files import open_regular, write_whole
from balance.resources import cache_dir

_Unchecked: Any = caching.IndexDataCacheFile
_SIZE: Final = hashlib.sha256().digest_size


class CheckedCacheFile(_Unchecked):  # type: ignore[misc]
    """Numba's index of one function, and a file for each of its signatures."""

    def save(self, key: Any, data: Any) -> None:
        """Save code, and then where it is."""
        name = f"{self._index_name.removesuffix('.nbi')}.{secrets.token_hex(8)}.nbc"
        _write(Path(self._data_path(name)), self._dump(data))
        known = self._load_index()
        before, known[key] = known.get(key), name
        self._save_index(known)
        if before:
            _unlink(Path(self._data_path(before)))

    def _load_index(self) -> Any:
        path = Path(self._index_path)
        try:
            version, stamp, known = _read(path)
        except FileNotFoundError:
            return {}
        except Exception as problem:  # noqa: BLE001 - whatever a damaged pickle does
            _discard(path, problem)
            for data in path.parent.glob(f"{path.stem}.*.nbc"):
                _unlink(data)
            return {}
        return known if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: Any) -> None:
        _write(Path(self._index_path), self._dump((self._version, self._source_stamp, overloads)))

    def _load_data(self, name: str) -> Any:
        path = Path(self._data_path(name))
        try:
            return _read(path)
        except FileNotFoundError:
            raise
        except Exception as problem:  # noqa: BLE001 - the same
            _discard(path, problem)
            raise FileNotFoundError(str(path)) from None  # which Numba takes for "not compiled yet"


def install() -> None:
    """Have Numba use checked files from now on; those outside of our cache folder are left alone."""

    def choose(cache_path: str, **options: Any) -> Any:
        ours = Path(cache_path).is_relative_to(cache_dir())
        return (CheckedCacheFile if ours else _Unchecked)(cache_path, **options)

    setattr(caching, "IndexDataCacheFile", choose)  # noqa: B010 - it is a class for the type checker


def _write(path: Path, content: bytes) -> None:
    write_whole(path, _sum(path, content) + content)


def _read(path: Path) -> Any:
    with open_regular(path.parent, path.name) as file:
        found = file.read()
    content = found[_SIZE:]
    if found[:_SIZE] != _sum(path, content):
        raise ValueError("it is not what was written")
    return pickle.loads(content)  # noqa: S301 - our own file, as the checksum shows


def _sum(path: Path, content: bytes) -> bytes:
    return hashlib.sha256(path.name.encode() + content).digest()


def _discard(path: Path, problem: Exception) -> None:
    name = type(problem).__name__
    sys.stderr.write(f"the cached machine code {path.name} is damaged ({name}); it is compiled again\n")
    _unlink(path)


def _unlink(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return

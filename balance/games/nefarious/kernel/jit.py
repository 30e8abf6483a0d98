"""The compiler's settings: one decorator for the whole kernel, and a cache that cannot be stale.

Numba's cache does not notice an edit in another file, so the directory carries a hash of all kernel
sources. Must be imported before any other kernel module decorates a function.
"""

import hashlib
import os
import platform
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import FunctionType
from typing import Any, Final

import numba
from llvmlite import ir
from numba import carray, types  # type: ignore[attr-defined]
from numba.extending import intrinsic

from balance.resources import cache_dir

_HERE: Final = Path(__file__).parent
# These give the kernel numbers, so they are kernel sources too.
_GIVERS: Final = ("vocabulary.py", "policies.py", "tables.py")
SOURCES: Final = (*sorted(_HERE.glob("*.py")), *(_HERE.parent / name for name in _GIVERS))


def source_hash() -> str:
    """Return the SHA-256 over all kernel sources, names included."""
    digest = hashlib.sha256()
    for path in SOURCES:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


KERNEL_HASH: Final = source_hash()


def _prepare_cache() -> Path | None:
    """Make the cache directory of these sources; None if it cannot be written."""
    folder = cache_dir() / "numba" / f"nefarious-{KERNEL_HASH[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError:
        return None
    return folder


CACHE_FOLDER: Final = _prepare_cache()
if CACHE_FOLDER is not None:
    numba.config.CACHE_DIR = str(CACHE_FOLDER)  # type: ignore[attr-defined]


def is_compiled(function: str) -> bool:
    """Whether an earlier process of this Python left machine code of a function of `batch` behind."""
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    return CACHE_FOLDER is not None and any(CACHE_FOLDER.rglob(f"batch.{function}-*.{python}.*.nbc"))


_CACHE: Final = CACHE_FOLDER is not None
# The loops here go over 2 to 6 players or a few cards: made for long vectors they begin with more tests than
# they have rounds. 4% faster without, and compiled sooner.
numba.config.LOOP_VECTORIZE = 0  # type: ignore[attr-defined]
if platform.machine() in ("x86_64", "AMD64"):
    # Loops over 2 to 6 players gain nothing from wide vectors and pay for keeping them: 5% faster without. It
    # is also the same machine code, with the same arithmetic, on every such processor of the last 15 years.
    numba.config.CPU_NAME = "nehalem"  # type: ignore[attr-defined]
    numba.config.CPU_FEATURES = ""  # type: ignore[attr-defined]

# Inside the kernel nothing is allocated, so nothing is reference-counted; and nothing there is called from
# Python, so no wrappers are compiled. Division by zero cannot happen, so it is not tested for.
_njit: Callable[..., Any] = numba.njit  # the published types do not know all options
_INNER: Final = {
    "cache": _CACHE,
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
jit: Callable[..., Any] = _njit(**_INNER)
# For what is tiny, or called from one place only: compiled into the caller.
inline: Callable[..., Any] = _njit(forceinline=True, **_INNER)
# The few functions that Python calls.
entry: Callable[..., Any] = _njit(cache=_CACHE, nogil=True, error_model="numpy", no_cfunc_wrapper=True)


def _call_apart(typing_context: Any, address: Any, a: Any, b: Any, c: Any) -> Any:  # noqa: ARG001
    """Call the function at an address (see `apart`) with three records; it returns an integer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        kind = ir.FunctionType(ir.IntType(64), [argument.type for argument in arguments[1:]])
        pointer = builder.inttoptr(arguments[0], kind.as_pointer())
        return builder.call(pointer, arguments[1:])

    return types.int64(address, a, b, c), generate


call_apart: Callable[..., Any] = intrinsic(_call_apart)


def apart(function: Any, *records: Any) -> Callable[[], int]:
    """Return a function that gives the address of a compiled function of three records, compiled when asked.

    Whatever is called in the usual way is compiled again into each caller, and into its callers; a large
    function called from the depth of the rules would be optimised thirty times over.
    """

    def give() -> int:
        first, second, third = (types.CPointer(numba.from_dtype(record)) for record in records)
        # A function of its own name, with `function` among its globals: what a closure holds is part of the
        # key of Numba's cache, and a compiled function there has another key in every process.
        name = f"{function.py_func.__name__}_apart"
        call = FunctionType(_pass_on.__code__, {**globals(), "function": function}, name)
        call.__qualname__ = name
        compiled = numba.cfunc(types.int64(first, second, third), cache=_CACHE, error_model="numpy")(call)
        return int(compiled.address or 0)

    return lru_cache(maxsize=1)(give)


function: Any = None  # stands for the function that `apart` passes on to


def _pass_on(a: Any, b: Any, c: Any) -> Any:
    return function(carray(a, 1)[0], carray(b, 1)[0], carray(c, 1)[0])

"""The compiler's settings: the decorators of all compiled functions, and a cache that cannot be stale.

Numba's cache does not notice an edit in another file. So each package has a cache folder of its own, whose
name carries the digest of all its modules and of what they import (`balance.games.sources`).

With NUMBA_DISABLE_JIT=1 the same functions run as plain Python, slowly: for tests that trace execution.
"""

import os
import platform
import sys
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from types import FunctionType
from typing import Any, Final

import numba
import numpy as np
from llvmlite import ir
from numba import carray, types  # type: ignore[attr-defined]
from numba.extending import intrinsic

from balance.games import kernel_cache, sources
from balance.games.compiled.plain import wrapped
from balance.resources import cache_dir

PLAIN: Final = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]
"""Whether functions are not compiled at all."""

# The loops here go over 2 to 6 players or a few cards: made for long vectors they begin with more tests than
# they have rounds. 4% faster without, and compiled sooner.
numba.config.LOOP_VECTORIZE = 0  # type: ignore[attr-defined]
if platform.machine() in ("x86_64", "AMD64"):
    # Loops over 2 to 6 players gain nothing from wide vectors and pay for keeping them: 5% faster without. It
    # is also the same machine code, with the same arithmetic, on every such processor of the last 15 years.
    numba.config.CPU_NAME = "nehalem"  # type: ignore[attr-defined]
    numba.config.CPU_FEATURES = ""  # type: ignore[attr-defined]


kernel_cache.install()


def compiled_hash(package: str) -> str:
    """Return the digest of everything that is compiled into the functions of a package."""
    return sources.digest(*sources.modules_of(package))


@cache
def cache_folder(package: str) -> Path | None:
    """Make the cache folder of a package, and return it; None if it cannot be written."""
    folder = cache_dir() / "numba" / f"{package}-{compiled_hash(package)[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError:
        return None
    return folder


def is_compiled(module: str, function: str) -> bool:
    """Return whether an earlier process of this Python left machine code of a function in the cache."""
    package, _, name = module.rpartition(".")
    folder = cache_folder(package)
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    return folder is not None and any(folder.rglob(f"{name}.{function}-*.{python}.*.nbc"))


def _cached(module: str, decorate: Callable[..., Any], function: Any) -> Any:
    """Decorate a function so that its machine code is kept in the cache folder of a module's package."""
    folder = cache_folder(module.rpartition(".")[0])
    before = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    if folder is not None:
        numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    try:
        return decorate(cache=folder is not None)(function)
    finally:
        numba.config.CACHE_DIR = before  # type: ignore[attr-defined]


def _decorator(**options: Any) -> Callable[..., Any]:
    njit: Callable[..., Any] = numba.njit  # the published types do not know all options

    def decorate(function: Any) -> Any:
        if PLAIN:
            return function
        return _cached(function.__module__, lambda **cached: njit(**options, **cached), function)

    return decorate


# Inside a kernel nothing is allocated, so nothing is reference-counted; and nothing there is called from
# Python, so no wrappers are compiled. Division by zero cannot happen, so it is not tested for.
_INNER: Final = {
    "nogil": True,
    "error_model": "numpy",
    "_nrt": False,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
jit: Final = _decorator(**_INNER)
# For what is tiny, or called from one place only: compiled into the caller.
inline: Final = _decorator(forceinline=True, **_INNER)
_entry: Final = _decorator(nogil=True, error_model="numpy", no_cfunc_wrapper=True)


def entry(function: Any) -> Any:
    """Compile a function that Python calls."""
    if not PLAIN:
        return _entry(function)

    def plain(*arguments: Any) -> Any:
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return function(*map(wrapped, arguments))

    return plain


# --- functions called by their address

_apart: Final[list[Any]] = []
"""The functions whose places stand for addresses where nothing is compiled."""


def _call_apart(typing_context: Any, address: Any, a: Any, b: Any, c: Any) -> Any:  # noqa: ARG001
    """Call the function at an address (see `apart`) with three records; it returns an integer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        kind = ir.FunctionType(ir.IntType(64), [argument.type for argument in arguments[1:]])
        pointer = builder.inttoptr(arguments[0], kind.as_pointer())
        return builder.call(pointer, arguments[1:])

    return types.int64(address, a, b, c), generate


def _call_plain(address: int, *records: Any) -> Any:
    return _apart[address - 1](*records)


call_apart: Callable[..., Any] = _call_plain if PLAIN else intrinsic(_call_apart)


def apart(function: Any, *records: Any) -> Callable[[], int]:
    """Return a function that gives the address of a compiled function of three records, compiled when asked.

    Whatever is called in the usual way is compiled again into each caller, and into its callers; a large
    function called from the depth of the rules would be optimised thirty times over.
    """
    if PLAIN:
        _apart.append(function)
        place = len(_apart)
        return lambda: place

    def give() -> int:
        first, second, third = (types.CPointer(numba.from_dtype(record)) for record in records)
        # A function of its own name, with `function` among its globals: what a closure holds is part of the
        # key of Numba's cache, and a compiled function there has another key in every process.
        name = f"{function.py_func.__name__}_apart"
        call = FunctionType(_pass_on.__code__, {**globals(), "function": function}, name)
        call.__qualname__ = name
        signature = types.int64(first, second, third)
        compiled = _cached(
            function.py_func.__module__,
            lambda **cached: numba.cfunc(signature, error_model="numpy", **cached),
            call,
        )
        return int(compiled.address or 0)

    return lru_cache(maxsize=1)(give)


function: Any = None  # stands for the function that `apart` passes on to


def _pass_on(a: Any, b: Any, c: Any) -> Any:
    return function(carray(a, 1)[0], carray(b, 1)[0], carray(c, 1)[0])

"""The wall behind the SQL gate: a thread gives up its right to write files, by Landlock of Linux.

Landlock binds the thread that asks for it and every thread that this one starts later, for root too, and
cannot be undone. So the thread that is going to open DuckDB raises the wall first: DuckDB's own threads are
behind it then, while the rest of the process may write as before.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Final

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
VERSION: Final = 3
"""Of Landlock: older ones cannot refuse to truncate a file."""
_PATH_BENEATH: Final = 1
_NO_NEW_PRIVILEGES: Final = 38

_READING: Final = 1 << 0 | 1 << 2 | 1 << 3  # execute, read a file, read a folder: not handled, so allowed
_RIGHTS: Final = (1 << 15) - 1
"""All rights to files that Landlock 3 knows, truncation among them."""


class _Ruleset(ctypes.Structure):
    _fields_ = (("handled_access_fs", ctypes.c_uint64),)


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def version() -> int:
    """Return the version of Landlock that this kernel offers; 0 if none."""
    if not hasattr(os, "O_PATH"):
        return 0
    return max(0, _syscall(_CREATE_RULESET, None, 0, 1))


def raise_wall(writable: Path) -> bool:
    """Let this thread, and those it starts, write below one folder only; return whether the wall stands.

    It does not on a kernel without Landlock 3: older ones cannot refuse to truncate a file.
    """
    if version() < VERSION:
        return False
    writing = _RIGHTS & ~_READING
    ruleset = _syscall(_CREATE_RULESET, ctypes.byref(_Ruleset(writing)), ctypes.sizeof(_Ruleset), 0)
    if ruleset < 0:
        return False
    folder = os.open(writable, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = _PathBeneath(writing, folder)
        if _syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0) != 0:
            return False
        if ctypes.CDLL(None).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
            return False
        return _syscall(_RESTRICT_SELF, ruleset, 0) == 0
    finally:
        os.close(folder)
        os.close(ruleset)


def _syscall(number: int, *arguments: object) -> int:
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    return int(call(ctypes.c_long(number), *arguments))

"""Reading a file of weights of a stranger: nothing is unpacked before its size is known."""

import io
import math
import re
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Final

from balance.userfiles import read_file

_LARGEST: Final = 16_000_000
"""Bytes of a file of weights, and of what it unpacks to: many times what a network has."""
_ARRAY: Final = re.compile(rb"^\x93NUMPY.*?'descr': '<f4'.*?'shape': \(([\d, ]*)\)", re.DOTALL)
"""The first bytes of an array of weights, with its shape."""
_PACKED: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def weights_bytes(path: Path) -> bytes:
    """Read a file of weights; ValueError if it is damaged, or larger than one, packed or unpacked."""
    data = read_file(path, _LARGEST)
    if not data:  # a run of a game without learned players
        return data
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check(archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, struct.error) as error:
        raise ValueError(f"not the weights of a player, or damaged ({error})") from None
    return data


def _check(archive: zipfile.ZipFile) -> None:
    """Refuse an array that says that it has more numbers than there are: NumPy allocates first."""
    members = archive.infolist()
    if sum(member.file_size for member in members) > _LARGEST:
        raise ValueError("unpacked too large for the weights of a player")
    if any(member.compress_type not in _PACKED or member.flag_bits & 1 for member in members):
        raise ValueError("packed in a way that weights are not")
    if damaged := archive.testzip():
        raise ValueError(f"{damaged} is damaged")
    for member in members:
        if member.filename.endswith(".npy"):
            with archive.open(member) as file:
                head = _ARRAY.search(file.read(256))
            if not head or 4 * math.prod(map(int, re.findall(rb"\d+", head[1]))) > member.file_size:
                raise ValueError(f"{member.filename} is not an array of weights")

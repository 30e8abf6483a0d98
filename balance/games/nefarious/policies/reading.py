"""Reading and writing the players' parameters: `data/nefarious/policies.toml`, and that of a run.

A `[[policy]]` gives every parameter of one policy; an `[[offset]]` gives the numbers that a policy adds to
some of them while a twist is in force, and the wording of the twist to which it was fitted.
"""

import contextlib
import io
import math
import re
import zipfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from balance.games import tomlfile
from balance.games.compiled.notes import weights_note
from balance.games.nefarious.policies.names import LEARNED, PLAIN, POLICIES
from balance.games.nefarious.policies.parameters import PARAMETER_NAMES, PARAMETERS
from balance.games.nefarious.policies.weights import NETWORK_FILE, Offset, Policies, PolicyEntry
from balance.games.tomlfile import Problems
from balance.resources import data_dir

FILE: Final = "policies.toml"
POLICY: Final = "policy"
OFFSET: Final = "offset"
_LARGEST: Final = 16_000_000
"""Bytes of a file of weights, and of what it unpacks to: many times what a network has."""
_ARRAY: Final = re.compile(rb"^\x93NUMPY.*?'descr': '<f4'.*?'shape': \(([\d, ]*)\)", re.DOTALL)
"""The first bytes of an array of weights, with its shape."""
_PACKED: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_WEIGHED: Final = tuple(
    name for name, number in POLICIES.items() if number > 0 and name not in (*PLAIN, *LEARNED)
)


@cache
def official_policies() -> Policies:
    """Return the policies of the installation."""
    return read_policies(data_dir("nefarious") / FILE)


def read_policies(path: Path) -> Policies:
    """Read a file of policies: that of the installation, or what a run was played with."""
    problems = Problems()
    document = tomlfile.read_toml(path, problems)
    problems.raise_if_any()
    entries: tuple[PolicyEntry, ...] = ()
    offsets: tuple[Offset, ...] = ()
    try:
        entries = tuple(_read_policy(**table) for table in document[POLICY])
        offsets = tuple(_read_offset(**table) for table in document.get(OFFSET, ()))
        if sorted(entry.name for entry in entries) != sorted(_WEIGHED):
            raise ValueError(f"expected one entry for each of {', '.join(_WEIGHED)}")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        problems.add(str(path), "", "", f"not a file of policies: {error}")
    network = _network_beside(path, problems)
    problems.raise_if_any()
    return Policies(entries, offsets, network)


def read_network(path: Path, problems: Problems) -> bytes:
    """Read a file of weights of learned players, noting if it is none."""
    try:
        data = _network_bytes(path)
        weights_note(data)
    except OSError as error:
        problems.add(str(path), "", "", error.strerror or str(error))
    except ValueError as error:
        problems.add(str(path), "", "", str(error))
    else:
        return data
    return b""


def _network_beside(path: Path, problems: Problems) -> bytes:
    """Return the learned players' weights beside a file of policies, if there are any."""
    beside = path.with_name(NETWORK_FILE)
    try:
        return _network_bytes(beside)
    except FileNotFoundError:
        return b""
    except (OSError, ValueError) as error:
        problems.add(str(beside), "", "", str(error))
        return b""


def _network_bytes(path: Path) -> bytes:
    """Read a file of weights; ValueError if it is larger than one, packed or unpacked."""
    if path.exists() and not path.is_file():
        raise ValueError("not a regular file")
    with path.open("rb") as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise ValueError("too large for the weights of a player")
    with contextlib.suppress(zipfile.BadZipFile), zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        if sum(member.file_size for member in members) > _LARGEST:
            raise ValueError("unpacked too large for the weights of a player")
        if any(member.compress_type not in _PACKED or member.flag_bits & 1 for member in members):
            raise ValueError("packed in a way that weights are not")
        for member in members:
            _check_array(archive, member)
    return data


def _check_array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """Refuse an array that says that it has more numbers than there are: NumPy allocates first."""
    if not member.filename.endswith(".npy"):
        return
    with archive.open(member) as file:
        head = _ARRAY.search(file.read(256))
    if not head or 4 * math.prod(map(int, re.findall(rb"\d+", head[1]))) > member.file_size:
        raise ValueError(f"{member.filename} is not an array of weights")


def _read_policy(name: str, about: str, fixed: list[str], parameters: Mapping[str, Any]) -> PolicyEntry:
    missing = [one for one in PARAMETER_NAMES if one not in parameters]
    if missing:
        raise ValueError(f"{name} lacks {', '.join(missing)}")
    return PolicyEntry(name, str(about), tuple(map(str, fixed)), _numbers(parameters, whole=True))


def _read_offset(policy: str, twist: str, fitted_to: str, parameters: Mapping[str, Any]) -> Offset:
    if policy not in _WEIGHED:
        raise ValueError(f"there is no policy {policy}")
    return Offset(policy, str(twist), str(fitted_to), _numbers(parameters, whole=False))


def _numbers(table: Mapping[str, Any], *, whole: bool) -> Mapping[str, float]:
    """Return parameters; ValueError if one is out of its range, or larger than that if it is not whole."""
    for name, value in table.items():
        parameter = PARAMETERS[PARAMETER_NAMES.index(name)]
        width = parameter.highest - parameter.lowest
        low, high = (parameter.lowest, parameter.highest) if whole else (-width, width)
        if isinstance(value, bool) or not low <= value <= high:
            raise ValueError(f"{name}: expected {low:g}..{high:g}, found {tomlfile.describe(value)}")
    return MappingProxyType({name: float(value) for name, value in table.items()})


_HEAD: Final = """\
# The players of Nefarious: by what numbers each weighs its options. What the numbers mean is explained by
# docs/policies.md, how they are used by balance/games/nefarious/kernel/weighing.py. `fixed` are the numbers
# that make a policy what it is; the others were found by an optimiser.
"""


def policies_text(policies: Policies) -> str:
    """Return policies as a file; reading it gives the same numbers."""
    parts = [_HEAD]
    for entry in policies.entries:
        fields = {"name": entry.name, "about": entry.about, "fixed": list(entry.fixed)}
        parts.append(_table_text(POLICY, fields, entry.parameters))
    for offset in sorted(policies.offsets, key=lambda o: (o.policy, o.twist)):
        fields = {"policy": offset.policy, "twist": offset.twist, "fitted_to": offset.fitted_to}
        parts.append(_table_text(OFFSET, fields, offset.parameters))
    return "\n".join(parts)


def _table_text(kind: str, fields: Mapping[str, Any], parameters: Mapping[str, float]) -> str:
    lines = [f"{name} = {tomlfile.toml_value(value)}" for name, value in fields.items()]
    numbers = [f"{name} = {_number(value)}" for name, value in parameters.items()]
    return "\n".join([f"[[{kind}]]", *lines, f"[{kind}.parameters]", *numbers, ""])


def _number(value: float) -> str:
    short = f"{value:g}"
    return short if float(short) == value else repr(value)

"""Reading and writing the players' parameters: `data/nefarious/policies.toml`, and that of a run.

A `[[policy]]` gives every parameter of one policy; an `[[offset]]` gives the numbers that a policy adds to
some of them while a twist is in force, and the wording of the twist to which it was fitted.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final

from pydantic import AfterValidator, field_validator

from balance.games import tomlfile
from balance.games.compiled.notes import weights_note
from balance.games.forms import Form, Keys, number, read, word
from balance.games.nefarious.policies.names import LEARNED, PLAIN, POLICIES
from balance.games.nefarious.policies.parameters import PARAMETERS
from balance.games.nefarious.policies.weights import NETWORK_FILE, Offset, Policies, PolicyEntry
from balance.games.tomlfile import Problems, RawEntry
from balance.games.weights_file import weights_bytes
from balance.resources import data_dir

FILE: Final = "policies.toml"
POLICY: Final = "policy"
OFFSET: Final = "offset"
_WEIGHED: Final = tuple(
    name for name, number in POLICIES.items() if number > 0 and name not in (*PLAIN, *LEARNED)
)


_Policy = Annotated[str, word(_WEIGHED)]
_RANGES: Final = {one.name: (one.lowest, one.highest) for one in PARAMETERS}
_VALUES: Final = Keys({name: number(*bounds) for name, bounds in _RANGES.items()}, required=True)
_CHANGES: Final = Keys({name: number(low - high, high - low) for name, (low, high) in _RANGES.items()})


class _PolicyForm(Form):
    """One `[[policy]]`."""

    name: _Policy
    about: str
    fixed: tuple[str, ...]
    parameters: Annotated[Mapping[str, float], _VALUES, AfterValidator(MappingProxyType)]


class _OffsetForm(Form):
    """One `[[offset]]`."""

    policy: _Policy
    twist: str
    fitted_to: str
    parameters: Annotated[Mapping[str, float], _CHANGES, AfterValidator(MappingProxyType)]


class _FileForm(Form):
    """A whole file of policies."""

    stand_ins: ClassVar = {"policy": ()}

    policy: tuple[_PolicyForm, ...]
    offset: tuple[_OffsetForm, ...] = ()

    @field_validator("policy")
    @classmethod
    def _complete(cls, policies: tuple[_PolicyForm, ...]) -> tuple[_PolicyForm, ...]:
        if sorted(policy.name for policy in policies) != sorted(_WEIGHED):
            raise ValueError(f"expected one entry for each of {', '.join(_WEIGHED)}")
        return policies


@cache
def official_policies() -> Policies:
    """Return the policies of the installation."""
    return read_policies(data_dir("nefarious") / FILE)


def read_policies(path: Path) -> Policies:
    """Read a file of policies: that of the installation, or what a run was played with."""
    problems = Problems()
    document = tomlfile.read_toml(path, problems)
    problems.raise_if_any()
    form = read(_FileForm, RawEntry("", None, str(path), document), problems)
    network = _network_beside(path, problems)
    problems.raise_if_any()
    return Policies(
        tuple(PolicyEntry(**dict(policy)) for policy in form.policy),
        tuple(Offset(**dict(offset)) for offset in form.offset),
        network,
    )


def read_network(path: Path, problems: Problems) -> bytes:
    """Read a file of weights of learned players, noting if it is none."""
    try:
        data = weights_bytes(path)
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
        return weights_bytes(beside)
    except FileNotFoundError:
        return b""
    except (OSError, ValueError) as error:
        problems.add(str(beside), "", "", str(error))
        return b""


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

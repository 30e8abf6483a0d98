"""The parameters of the players: `data/nefarious/policies.toml`, and offsets for twists from overlays.

A `[[policy]]` gives every parameter of one policy; an `[[offset]]` gives what a policy adds to some of them
while a twist is in force, and to which wording of the twist it was fitted. How they are used is elsewhere.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from balance.games import tomlfile
from balance.games.nefarious.items import Twist, canonical
from balance.games.nefarious.policies import PARAMETER_NAMES, PARAMETERS, PLAIN, POLICIES
from balance.games.tomlfile import Problems
from balance.resources import data_dir
from balance.suggest import unknown

FILE: Final = "policies.toml"
OFFSET: Final = "offset"
_OFFSET_FIELDS: Final = ("twist", "policy", "fitted_to", "parameters")
_POLICY_FIELDS: Final = ("name", "about", "fixed", "parameters")
_WEIGHED: Final = tuple(name for name, number in POLICIES.items() if number > 0 and name not in PLAIN)


@dataclass(frozen=True)
class PolicyEntry:
    """One policy as the file gives it."""

    name: str
    about: str
    fixed: tuple[str, ...]
    """The parameters that make it what it is; the others were tuned."""
    parameters: Mapping[str, float]


@dataclass(frozen=True)
class Offset:
    """What a policy adds to its parameters while a twist is in force."""

    policy: str
    twist: str
    fitted_to: str
    """`twist_digest` of the twist as it was when the offset was fitted."""
    parameters: Mapping[str, float]


@dataclass(frozen=True)
class Policies:
    """All players' parameters, checked."""

    entries: tuple[PolicyEntry, ...]
    offsets: tuple[Offset, ...]

    @cached_property
    def hash(self) -> str:
        """SHA-256 over all numbers."""
        return hashlib.sha256(self.document().encode()).hexdigest()

    def document(self) -> str:
        """Return everything as one JSON text, the same for the same numbers."""
        content = {
            "policies": [
                {"name": e.name, "about": e.about, "fixed": list(e.fixed), "parameters": dict(e.parameters)}
                for e in self.entries
            ],
            "offsets": [
                {"policy": o.policy, "twist": o.twist, "fitted_to": o.fitted_to, **_plain(o.parameters)}
                for o in sorted(self.offsets, key=lambda o: (o.policy, o.twist))
            ],
        }
        return json.dumps(content, indent=1, sort_keys=True) + "\n"

    def parameters(self, policy: str, twists: Sequence[Twist] = ()) -> list[float]:
        """Return the parameters of a policy under twists, in the kernel's order, within their ranges."""
        entry = next(entry for entry in self.entries if entry.name == policy)
        values = [entry.parameters[name] for name in PARAMETER_NAMES]
        ids = {twist.id for twist in twists}
        for offset in self.offsets:
            if offset.policy == policy and offset.twist in ids:
                for name, value in offset.parameters.items():
                    values[PARAMETER_NAMES.index(name)] += value
        return [
            min(max(value, parameter.lowest), parameter.highest)
            for value, parameter in zip(values, PARAMETERS, strict=True)
        ]

    def unfitted(self, twists: Sequence[Twist], policy: str = "adaptive") -> tuple[Twist, ...]:
        """Return the twists for which a policy has no offset, or one that was fitted to another wording."""
        fitted = {(o.twist, o.fitted_to) for o in self.offsets if o.policy == policy}
        return tuple(twist for twist in twists if (twist.id, twist_digest(twist)) not in fitted)


def _plain(parameters: Mapping[str, float]) -> dict[str, Any]:
    return {"parameters": dict(parameters)}


def twist_digest(twist: Twist) -> str:
    """Return a short digest of what a twist does; names, notes and confidence do not matter.

    >>> from balance.games.nefarious.catalog import load_catalog
    >>> len(twist_digest(load_catalog().twist("unions")))
    12
    """
    rules = {key: canonical(twist)[key] for key in ("changes", "lines", "switches")}
    return hashlib.sha256(json.dumps(rules, sort_keys=True).encode()).hexdigest()[:12]


@cache
def official_policies() -> Policies:
    """Return the policies of the installation."""
    return read_policies(data_dir("nefarious") / FILE)


def read_policies(path: Path) -> Policies:
    """Read a file of policies; CatalogError with every problem."""
    problems = Problems()
    document = tomlfile.read_toml(path, problems)
    problems.raise_if_any()
    entries = tuple(_read_policy(table, str(path), problems) for table in document.get("policy", []))
    offsets = read_offsets(document.get(OFFSET, []), str(path), problems)
    missing = [name for name in _WEIGHED if name not in [entry.name for entry in entries]]
    if missing:
        problems.add(str(path), "", "policy", f"missing: {', '.join(missing)}")
    problems.raise_if_any()
    return Policies(entries, offsets)


def with_offsets(policies: Policies, added: Iterable[Offset]) -> Policies:
    """Return policies with further offsets; one for the same policy and twist replaces the old one."""
    offsets = {(offset.policy, offset.twist): offset for offset in (*policies.offsets, *added)}
    return Policies(policies.entries, tuple(offsets.values()))


def _read_policy(table: Mapping[str, Any], file: str, problems: Problems) -> PolicyEntry:
    label = f"policy '{table.get('name')}'"
    _check_keys(table, _POLICY_FIELDS, file, label, problems)
    name = table.get("name")
    if name not in _WEIGHED:
        problems.add(file, label, "name", unknown("policy", str(name), _WEIGHED))
    parameters = _read_parameters(table.get("parameters"), file, label, problems, within=True)
    for missing in (p for p in PARAMETER_NAMES if p not in parameters):
        problems.add(file, label, f"parameters.{missing}", "missing")
    fixed = tuple(str(entry) for entry in table.get("fixed", []))
    for wrong in (p for p in fixed if p not in PARAMETER_NAMES):
        problems.add(file, label, "fixed", unknown("parameter", wrong, PARAMETER_NAMES))
    return PolicyEntry(str(name), str(table.get("about", "")), fixed, MappingProxyType(parameters))


def read_offsets(tables: Any, file: str, problems: Problems) -> tuple[Offset, ...]:
    """Read the list `[[offset]]` of a file, noting every mistake."""
    if not isinstance(tables, list):
        problems.add(file, "", OFFSET, f"expected a list [[{OFFSET}]], found {tomlfile.describe(tables)}")
        return ()
    offsets = []
    for number, table in enumerate(tables, 1):
        label = f"offset {number}"
        if not isinstance(table, dict):
            problems.add(file, label, "", f"expected a table, found {tomlfile.describe(table)}")
            continue
        _check_keys(table, _OFFSET_FIELDS, file, label, problems)
        policy = table.get("policy", "adaptive")
        if policy not in _WEIGHED:
            problems.add(file, label, "policy", unknown("policy", str(policy), _WEIGHED))
        for name in ("twist", "fitted_to"):
            if not isinstance(table.get(name), str):
                problems.add(
                    file, label, name, f"expected a text, found {tomlfile.describe(table.get(name))}"
                )
        parameters = _read_parameters(table.get("parameters"), file, label, problems, within=False)
        offsets.append(
            Offset(
                str(policy),
                str(table.get("twist")),
                str(table.get("fitted_to")),
                MappingProxyType(parameters),
            )
        )
    return tuple(offsets)


def _check_keys(
    table: Mapping[str, Any], known: Sequence[str], file: str, label: str, problems: Problems
) -> None:
    for key in table:
        if key not in known:
            problems.add(file, label, key, unknown("field", key, known))


def _read_parameters(
    table: Any, file: str, label: str, problems: Problems, *, within: bool
) -> dict[str, float]:
    """Read a table of parameters; whole values must be within their ranges, offsets need not."""
    if not isinstance(table, dict):
        problems.add(file, label, "parameters", f"expected a table, found {tomlfile.describe(table)}")
        return {}
    values = {}
    for name, value in table.items():
        place = f"parameters.{name}"
        if name not in PARAMETER_NAMES:
            problems.add(file, label, place, unknown("parameter", name, PARAMETER_NAMES))
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            problems.add(file, label, place, f"expected a number, found {tomlfile.describe(value)}")
            continue
        parameter = PARAMETERS[PARAMETER_NAMES.index(name)]
        if within and not parameter.lowest <= value <= parameter.highest:
            allowed = f"{parameter.lowest}..{parameter.highest}"
            problems.add(file, label, place, f"expected {allowed}, found {value}")
        values[name] = float(value)
    return values


_HEAD: Final = """\
# The players of Nefarious: by what numbers each weighs its options. What the numbers mean is told by
# docs/policies.md, how they are used by balance/games/nefarious/kernel/weighing.py. `fixed` are the numbers
# that make a policy what it is; the others were found by scripts/tune_policies.py.
"""


def write_policies(policies: Policies, path: Path) -> None:
    """Write the file of the official policies anew."""
    parts = [_HEAD]
    for entry in policies.entries:
        fixed = ", ".join(f'"{name}"' for name in entry.fixed)
        lines = ["[[policy]]", f'name = "{entry.name}"', f'about = "{entry.about}"', f"fixed = [{fixed}]"]
        parts.append("\n".join([*lines, "[policy.parameters]", *_lines(entry.parameters), ""]))
    parts += [offset_text(offset) for offset in sorted(policies.offsets, key=lambda o: (o.policy, o.twist))]
    path.write_text("\n".join(parts), encoding="utf-8")


def offset_text(offset: Offset) -> str:
    """Return an offset as it stands in a file."""
    lines = ["[[offset]]", f'policy = "{offset.policy}"', f'twist = "{offset.twist}"']
    lines += [f'fitted_to = "{offset.fitted_to}"', "[offset.parameters]", *_lines(offset.parameters), ""]
    return "\n".join(lines)


def _lines(parameters: Mapping[str, float]) -> list[str]:
    return [f"{name} = {value:g}" for name, value in parameters.items()]

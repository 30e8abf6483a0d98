"""The parameters of the players: `data/nefarious/policies.toml`, and offsets for twists from overlays.

A `[[policy]]` gives every parameter of one policy; an `[[offset]]` gives what a policy adds to some of them
while a twist is in force, and to which wording of the twist it was fitted. How they are used is elsewhere.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from balance.games import tomlfile
from balance.games.nefarious.items import Twist, canonical
from balance.games.nefarious.policies import PARAMETER_NAMES, PARAMETERS, PLAIN, POLICIES, Parameter
from balance.games.tomlfile import Problems
from balance.resources import data_dir
from balance.suggest import unknown

FILE: Final = "policies.toml"
POLICY: Final = "policy"
OFFSET: Final = "offset"
NO_TWIST: Final = "none"
"""What stands for a twist in the offset for games without any."""
LONGEST_TEXT: Final = 200
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

    @cached_property
    def _offsets(self) -> dict[tuple[str, str], Mapping[str, float]]:
        return {(offset.policy, offset.twist): offset.parameters for offset in self.offsets}

    def parameters(self, policy: str, twists: Sequence[Twist] = ()) -> list[float]:
        """Return the parameters of a policy under twists, in the kernel's order, within their ranges."""
        values = self.plain_parameters(policy)
        for twist in sorted(twist.id for twist in twists) or [NO_TWIST]:  # floats: one order, whatever theirs
            for name, value in self._offsets.get((policy, twist), {}).items():
                values[PARAMETER_NAMES.index(name)] += value
        return [
            min(max(value, parameter.lowest), parameter.highest)
            for value, parameter in zip(values, PARAMETERS, strict=True)
        ]

    def plain_parameters(self, policy: str) -> list[float]:
        """Return the parameters of a policy without any offset, in the kernel's order."""
        entry = next(entry for entry in self.entries if entry.name == policy)
        return [entry.parameters[name] for name in PARAMETER_NAMES]

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
    file, document = str(path), tomlfile.read_toml(path, problems)
    problems.raise_if_any()
    _check_keys(document, (POLICY, OFFSET), file, "", problems)
    tables = _labelled(document, POLICY, "name", file, problems)
    entries = tuple(_read_policy(table, file, label, problems) for label, table in tables)
    names = [entry.name for entry in entries]
    for name in dict.fromkeys(name for name in names if name and names.count(name) > 1):
        problems.add(file, f"policy '{name}'", "name", "given twice in this file")
    offsets = read_offsets(document, file, problems)
    missing = [name for name in _WEIGHED if name not in names]
    if missing and not problems.found:  # otherwise one of those is meant
        problems.add(file, "", POLICY, f"missing: {', '.join(missing)}")
    problems.raise_if_any()
    return Policies(entries, offsets)


def with_offsets(policies: Policies, added: Iterable[Offset]) -> Policies:
    """Return policies with further offsets; one for the same policy and twist replaces the old one."""
    offsets = {(offset.policy, offset.twist): offset for offset in (*policies.offsets, *added)}
    return Policies(policies.entries, tuple(offsets.values()))


def _labelled(
    document: Mapping[str, Any], kind: str, by: str, file: str, problems: Problems
) -> list[tuple[str, dict[str, Any]]]:
    """Return the tables of a list of a file, each with what to call it in a message."""
    tables = document.get(kind, [])
    if not isinstance(tables, list):
        problems.add(file, "", kind, f"expected a list [[{kind}]], found {tomlfile.describe(tables)}")
        return []
    found = []
    for number, table in enumerate(tables, 1):
        if not isinstance(table, dict):
            message = f"expected a table, found {tomlfile.describe(table)}"
            problems.add(file, f"{kind} number {number}", "", message)
            continue
        name = table.get(by)
        label = tomlfile.describe(name) if isinstance(name, str) else f"number {number}"
        found.append((f"{kind} {label}", table))
    return found


def _read_policy(table: Mapping[str, Any], file: str, label: str, problems: Problems) -> PolicyEntry:
    _check_keys(table, _POLICY_FIELDS, file, label, problems)
    name = _read_text(table, "name", file, label, problems)
    if name and name not in _WEIGHED:
        problems.add(file, label, "name", unknown("policy", name, _WEIGHED))
    about = _read_text(table, "about", file, label, problems)
    fixed = table.get("fixed", [])
    if not isinstance(fixed, list):
        problems.add(file, label, "fixed", f"expected a list, found {tomlfile.describe(fixed)}")
        fixed = []
    for wrong in (p for p in fixed if p not in PARAMETER_NAMES):
        problems.add(file, label, "fixed", unknown("parameter", str(wrong), PARAMETER_NAMES))
    parameters = _read_parameters(table, file, label, problems, whole=True)
    return PolicyEntry(name, about, tuple(map(str, fixed)), MappingProxyType(parameters))


def read_offsets(document: Mapping[str, Any], file: str, problems: Problems) -> tuple[Offset, ...]:
    """Read the list `[[offset]]` of a file, noting every mistake."""
    offsets: dict[tuple[str, str], Offset] = {}
    for label, table in _labelled(document, OFFSET, "twist", file, problems):
        _check_keys(table, _OFFSET_FIELDS, file, label, problems)
        policy = table.get("policy", "adaptive")
        if policy not in _WEIGHED:
            problems.add(file, label, "policy", unknown("policy", str(policy), _WEIGHED))
        twist = _read_text(table, "twist", file, label, problems)
        fitted_to = _read_text(table, "fitted_to", file, label, problems)
        parameters = _read_parameters(table, file, label, problems, whole=False)
        if (str(policy), twist) in offsets:
            problems.add(file, label, "twist", f"given twice for {policy} in this file")
        offsets[str(policy), twist] = Offset(str(policy), twist, fitted_to, MappingProxyType(parameters))
    return tuple(offsets.values())


def _check_keys(
    table: Mapping[str, Any], known: Sequence[str], file: str, label: str, problems: Problems
) -> None:
    for key in table:
        if key not in known:
            problems.add(file, label, key, unknown("field", key, known))


def _read_text(table: Mapping[str, Any], name: str, file: str, label: str, problems: Problems) -> str:
    problem = "missing" if name not in table else tomlfile.text_problem(table[name], LONGEST_TEXT)
    if problem:
        problems.add(file, label, name, problem)
        return ""
    return str(table[name])


def _read_parameters(
    entry: Mapping[str, Any], file: str, label: str, problems: Problems, *, whole: bool
) -> dict[str, float]:
    """Read the parameters of an entry; if they are whole, none may be missing or out of its range."""
    table = entry.get("parameters")
    if not isinstance(table, dict):
        found = "missing" if table is None else f"expected a table, found {tomlfile.describe(table)}"
        problems.add(file, label, "parameters", found)
        return {}
    wrong = [name for name in table if name not in PARAMETER_NAMES]
    for name in wrong:
        problems.add(file, label, f"parameters.{name}", unknown("parameter", name, PARAMETER_NAMES))
    values = {}
    for name in (name for name in table if name not in wrong):
        problem = _number_problem(table[name], PARAMETERS[PARAMETER_NAMES.index(name)], whole=whole)
        if problem:
            problems.add(file, label, f"parameters.{name}", problem)
        else:
            values[name] = float(table[name])
    missing = [name for name in PARAMETER_NAMES if name not in table]
    if whole and missing and not wrong:  # otherwise one of those is meant
        problems.add(file, label, "parameters", f"missing: {', '.join(missing)}")
    return values


def _number_problem(value: Any, parameter: Parameter, *, whole: bool) -> str:
    """Return why a value is refused, or an empty string; an offset may be as large as the whole range."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return f"expected a number, found {tomlfile.describe(value)}"
    width = parameter.highest - parameter.lowest
    low, high = (parameter.lowest, parameter.highest) if whole else (-width, width)
    return "" if low <= value <= high else f"expected {low:g}..{high:g}, found {tomlfile.describe(value)}"


_HEAD: Final = """\
# The players of Nefarious: by what numbers each weighs its options. What the numbers mean is told by
# docs/policies.md, how they are used by balance/games/nefarious/kernel/weighing.py. `fixed` are the numbers
# that make a policy what it is; the others were found by scripts/tune_policies.py.
"""


def write_policies(policies: Policies, path: Path) -> None:
    """Write the file of the official policies anew."""
    path.write_text(policies_text(policies), encoding="utf-8")


def policies_text(policies: Policies) -> str:
    """Return policies as a file; reading it gives the same numbers."""
    parts = [_HEAD]
    for entry in policies.entries:
        fields = {"name": entry.name, "about": entry.about, "fixed": list(entry.fixed)}
        parts.append(_table_text(POLICY, fields, entry.parameters))
    parts += [offset_text(offset) for offset in sorted(policies.offsets, key=lambda o: (o.policy, o.twist))]
    return "\n".join(parts)


def offset_text(offset: Offset) -> str:
    """Return an offset as it stands in a file."""
    fields = {"policy": offset.policy, "twist": offset.twist, "fitted_to": offset.fitted_to}
    return _table_text(OFFSET, fields, offset.parameters)


def _table_text(kind: str, fields: Mapping[str, Any], parameters: Mapping[str, float]) -> str:
    lines = [f"{name} = {tomlfile.toml_value(value)}" for name, value in fields.items()]
    numbers = [f"{name} = {_number(value)}" for name, value in parameters.items()]
    return "\n".join([f"[[{kind}]]", *lines, f"[{kind}.parameters]", *numbers, ""])


def _number(value: float) -> str:
    short = f"{value:g}"
    return short if float(short) == value else repr(value)

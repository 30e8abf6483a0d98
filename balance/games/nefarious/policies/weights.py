"""The players' parameters as checked data, and what offsets make of them while twists are in force."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

from balance.games.nefarious.policies.parameters import PARAMETER_NAMES, PARAMETERS

if TYPE_CHECKING:
    from balance.games.nefarious.catalog.model import Twist

NETWORK_FILE: Final = "learned.npz"
"""The learned players' weights, beside the other parameters."""
NO_TWIST: Final = "none"
"""The name that stands for a twist in the offset for games without any."""


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
    network: bytes = field(default=b"", repr=False)
    """The file of the learned players' weights, as it is."""

    @cached_property
    def hash(self) -> str:
        """SHA-256 over all numbers."""
        content = {
            "policies": [
                {"name": e.name, "about": e.about, "fixed": list(e.fixed), "parameters": dict(e.parameters)}
                for e in self.entries
            ],
            "offsets": [
                {
                    "policy": o.policy,
                    "twist": o.twist,
                    "fitted_to": o.fitted_to,
                    "parameters": dict(o.parameters),
                }
                for o in sorted(self.offsets, key=lambda o: (o.policy, o.twist))
            ],
        }
        text = json.dumps(content, indent=1, sort_keys=True) + "\n"
        return hashlib.sha256(text.encode() + self.network).hexdigest()

    @cached_property
    def _offsets(self) -> dict[tuple[str, str], Mapping[str, float]]:
        return {(offset.policy, offset.twist): offset.parameters for offset in self.offsets}

    def parameters(self, policy: str, twists: "Sequence[Twist]" = ()) -> list[float]:
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

"""What a run is going to hold, as its file `run.json` says it: the same plan, the same bytes.

Nothing here may differ between two correct runs: no times, no host, no number of threads, no path. Plans are
made by `balance.sweep.planning`; this module knows their form alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from balance.dataset.schema import SCHEMA
from balance.errors import DataError

__all__ = ["Plan", "PlannedCell", "differences", "parse_plan"]

_CELL_COLUMNS: Final = ("cell_id", "players", "variants", "lineup", "first_index", "deals", "replicates")


@dataclass(frozen=True, slots=True)
class PlannedCell:
    """One cell, and which of its games this run plays."""

    id: int
    players: int
    variants: tuple[str, ...]
    """Sorted, or in the order played where each order is a cell of its own."""
    lineup: str
    first: int
    """The first game index."""
    deals: int
    """How many game indices; 0 for a cell that only an earlier run of the family has played."""
    replicates: int
    """Games of each deal, rotations of the lineup included."""

    @property
    def games(self) -> int:
        """How many games this run plays in the cell."""
        return self.deals * self.replicates

    @property
    def key(self) -> tuple[int, tuple[str, ...], str]:
        """What makes it another cell than others of the run."""
        return self.players, self.variants, self.lineup

    def __str__(self) -> str:
        return f"{self.players} players, {' + '.join(self.variants) or 'plain'}, {self.lineup}"


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that decides the bytes of a run."""

    game: str
    edition: str
    seed: int
    ordered: bool
    """Whether each order of variants is a cell of its own; otherwise every deal draws the order."""
    parent: str
    """The id of the run that this one extends, or nothing."""
    catalog_version: str
    catalog_hash: str
    policies_hash: str
    engine_hash: str
    versions: Mapping[str, str]
    """Of the libraries that decide about bytes."""
    shards: int
    cells: tuple[PlannedCell, ...]
    chosen: Mapping[str, Sequence[int]] = field(default_factory=dict)
    """Game indices by number of players where deals were chosen, not just taken one after the other; what a
    cell calls its first index and its deals are places in these lists then."""

    def indices(self, players: int, first: int, deals: int) -> Sequence[int]:
        """Return so many game indices of cells of some players, from a place on."""
        if not self.chosen:
            return range(first, first + deals)
        return self.chosen[str(players)][first : first + deals]

    @property
    def games(self) -> int:
        """How many games the run plays."""
        return sum(cell.games for cell in self.cells)

    @property
    def id(self) -> str:
        """What names the run, wherever it lies."""
        return hashlib.sha256(self.text().encode()).hexdigest()[:16]

    def cell(self, number: int) -> PlannedCell | None:
        """Return the cell of an id, if there is one."""
        return next((cell for cell in self.cells if cell.id == number), None)

    def text(self) -> str:
        """Return the plan as the file holds it: JSON, one cell per line."""
        head: dict[str, Any] = {"schema": SCHEMA}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if name != "cells" and (name != "chosen" or value):
                head[name] = dict(value) if isinstance(value, Mapping) else value
        head |= {"games": self.games, "cell_columns": _CELL_COLUMNS}
        lines = json.dumps(head, indent=1, ensure_ascii=False).removesuffix("\n}")
        rows = ",\n".join(json.dumps(list(asdict(cell).values()), ensure_ascii=False) for cell in self.cells)
        return f'{lines},\n "cells": [\n{rows}\n]\n}}\n'


def parse_plan(text: str, where: str) -> Plan:
    """Read a plan; DataError says what is wrong with the file `where`."""
    try:
        document = json.loads(text)
        schema = document["schema"]
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{where} is damaged: it is not the plan of a run ({error})") from None
    if schema != SCHEMA:
        raise DataError(
            f"{where} is of schema version {schema}; this version of balance knows {SCHEMA}: "
            "open the run with the version that wrote it"
        )
    try:
        cells = tuple(
            PlannedCell(number, players, tuple(variants), *rest)
            for number, players, variants, *rest in document["cells"]
        )
        names = [name for name in Plan.__dataclass_fields__ if name not in ("cells", "chosen")]
        fields = {name: document[name] for name in names}
        plan = Plan(cells=cells, chosen=document.get("chosen", {}), **fields)
        whole = plan.text() == text
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{where} is damaged: {type(error).__name__} {error}") from None
    if not whole:
        raise DataError(f"{where} is damaged: it is not as balance wrote it")
    return plan


def differences(there: Plan, here: Plan) -> list[str]:
    """Return what differs between the plan of a folder and the one asked for, in words; the head first."""
    old, new = _told(there), _told(here)
    found = [f"{name}: {old[name]} there, {new[name]} here" for name in old if old[name] != new[name]]
    if not found and there.cells != here.cells:
        pairs = zip(there.cells, here.cells, strict=False)
        first = next((f"{a} there, {b} here" for a, b in pairs if a != b), "their number")
        found.append(f"cells: {first}")
    return found


def _told(plan: Plan) -> dict[str, str]:
    """Return the plan in a few words each."""
    told = {
        name: str(getattr(plan, name)) or "none"
        for name in ("game", "edition", "seed", "ordered", "parent", "catalog_version")
    }
    told |= {name: getattr(plan, f"{name}_hash")[:12] or "none" for name in ("catalog", "policies", "engine")}
    told |= {f"version of {name}": version for name, version in sorted(plan.versions.items())}
    facets: dict[str, Sequence[object]] = {
        "players": sorted({cell.players for cell in plan.cells}),
        "lineups": sorted({cell.lineup for cell in plan.cells}),
        "games per cell": sorted({cell.deals for cell in plan.cells}),
        "replicates": sorted({cell.replicates for cell in plan.cells}),
        "combinations": [len({cell.variants for cell in plan.cells})],
        "cells": [len(plan.cells)],
    }
    told |= {name: ", ".join(map(str, values)) for name, values in facets.items()}
    digest = hashlib.sha256(json.dumps(dict(plan.chosen), sort_keys=True).encode()).hexdigest()
    return told | {"chosen deals": digest[:12] if plan.chosen else "none"}

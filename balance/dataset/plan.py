"""What a run is going to hold, as its file `run.json` says it: the same plan, the same bytes.

Nothing here may differ between two correct runs: no times, no host, no number of threads, no path. Plans are
made by `balance.sweep.planning`; this module knows their form alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from balance.dataset.schema import MOST_CELLS, MOST_REPLICATES, MOST_SHARDS, SCHEMA
from balance.errors import DataError
from balance.games.keys import HIGHEST_GAME, HIGHEST_SEED

MOST_BYTES: Final = 16 * 2**20
"""Of the file: about 200,000 cells."""
MOST_SEATS: Final = 450_000
"""Seats of a shard: two workers hold two of them in memory. Very long runs have more shards instead."""
_MOST_PLAYERS: Final = 99
_MOST_VARIANTS: Final = 8
"""In force at once: their orders are listed."""
_SHAPES: Final = {
    "seed": int,
    "shards": int,
    "ordered": bool,
    "versions": dict,
    "cells": list,
}
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
    deals: int
    """How many game indices; 0 for a cell that only an earlier run of the family has played."""
    replicates: int
    """Games of each deal, rotations of the lineup included."""

    @property
    def indices(self) -> range:
        """The game indices that this run plays in the cell."""
        return range(self.first, self.first + self.deals)

    @property
    def games(self) -> int:
        """How many games this run plays in the cell."""
        return self.deals * self.replicates

    def common(self, other: PlannedCell) -> range:
        """Return the game indices that two runs play in this cell."""
        return range(max(self.first, other.first), min(self.indices.stop, other.indices.stop))

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
    """Whether each order of variants is a cell of its own: in runs of an earlier version. Now every deal
    draws the order."""
    parent: str
    catalog_version: str
    catalog_hash: str
    policies_hash: str
    engine_hash: str
    versions: Mapping[str, str]
    """The versions of the libraries that decide about bytes."""
    shards: int
    cells: tuple[PlannedCell, ...]

    @property
    def games(self) -> int:
        """How many games the run plays."""
        return sum(cell.games for cell in self.cells)

    @property
    def seats(self) -> int:
        """How many seats all of its games have."""
        return sum(cell.games * cell.players for cell in self.cells)

    @property
    def id(self) -> str:
        """The hash that identifies the run, wherever its folder is."""
        return hashlib.sha256(self.text().encode()).hexdigest()[:16]

    @property
    def name(self) -> str:
        """The name of the run's folder where the user gives none."""
        return f"{self.game}-{self.edition}-{self.id[:8]}"

    def __str__(self) -> str:
        counts = sorted({cell.players for cell in self.cells if cell.games})
        combinations = {cell.variants for cell in self.cells if cell.games}
        span = f"{counts[0]}-{counts[-1]}" if len(counts) > 1 else "".join(map(str, counts))
        only = " + ".join(*combinations) or "no variants" if len(combinations) == 1 else ""
        what = only or f"{len(combinations)} combinations"
        extends = f", extends {self.parent[:8]}" if self.parent else ""
        about = f"{self.game} {self.edition}, {span} players, {what}"
        return f"{about}, {self.games:,} games, seed {self.seed}{extends}"

    def cell(self, number: int) -> PlannedCell | None:
        """Return the cell of an id, if there is one."""
        return next((cell for cell in self.cells if cell.id == number), None)

    def text(self) -> str:
        """Return the plan as the file holds it: JSON, one cell per line."""
        head: dict[str, Any] = {"schema": SCHEMA}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if name != "cells":
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
    except (ValueError, KeyError, TypeError, RecursionError):
        raise DataError(f"{where} is damaged: it is not the plan of a run (schema is missing)") from None
    if schema != SCHEMA:
        raise DataError(
            f"{where} is of schema version {schema!r:.40}; this version of balance knows {SCHEMA}: "
            "open the run with the version that wrote it"
        )
    if "chosen" in document:
        raise DataError(f"{where} is of a run that `balance compare` of an earlier version chose deals for")
    try:
        fields = {name: document.get(name) for name in Plan.__dataclass_fields__}
        _check_shapes(fields)
        cells = tuple(
            PlannedCell(number, players, tuple(variants), *rest)
            for number, players, variants, *rest in fields["cells"]
        )
        plan = Plan(**{**fields, "cells": cells})
        _check(plan)
        whole = plan.text() == text
    except ValueError as error:
        raise DataError(f"{where} is damaged: it is not the plan of a run ({error})") from None
    if not whole:
        raise DataError(f"{where} is damaged: it is not as balance wrote it")
    return plan


def _check_shapes(fields: Mapping[str, Any]) -> None:
    """Refuse fields that are missing or of another type; ValueError says which."""
    for name, value in fields.items():
        if type(value) is not _SHAPES.get(name, str):
            raise ValueError(f"{name} {value!r:.40}")
    for version in fields["versions"].values():
        if type(version) is not str:
            raise ValueError(f"versions {version!r:.40}")
    for cell in fields["cells"]:
        match cell:
            case [_, _, list(variants), str(), _, _, _] if all(type(name) is str for name in variants):
                continue
        raise ValueError(f"cells {cell!r:.40}")


def _check(plan: Plan) -> None:
    """Refuse numbers that no plan has, before anything is allocated for them; ValueError says which."""
    _check_number("seed", plan.seed, HIGHEST_SEED)
    _check_number("shards", plan.shards, MOST_SHARDS)
    for cell in plan.cells:
        _check_number("cell_id", cell.id, MOST_CELLS)
        _check_number("players", cell.players, _MOST_PLAYERS)
        _check_number("first_index", cell.first, HIGHEST_GAME + 1)
        _check_number("deals", cell.deals, HIGHEST_GAME + 1 - cell.first)
        _check_number("replicates", cell.replicates, MOST_REPLICATES)
        _check_number("variants", len(cell.variants), _MOST_VARIANTS)
    if len({cell.id for cell in plan.cells}) != len(plan.cells):
        raise ValueError("two cells have the same id")
    if plan.seats > 2 * plan.shards * MOST_SEATS:  # one deal, or a small cell, may go beyond the limit
        raise ValueError(f"{plan.games} games are more than {plan.shards} shards can hold")


def _check_number(name: str, number: object, highest: int) -> None:
    if type(number) is not int or not 0 <= number <= highest:
        raise ValueError(f"{name} {number!r:.40}")


def differences(there: Plan, here: Plan) -> list[str]:
    """Return what differs between the plan of a folder and the one asked for, in words; the head first."""
    old, new = _told(there), _told(here)
    found = [
        f"{name}: {old.get(name, 'none')} there, {new.get(name, 'none')} here"
        for name in {**old, **new}
        if old.get(name) != new.get(name)
    ]
    if not found and there.cells != here.cells:
        pairs = zip(there.cells, here.cells, strict=False)
        first = next((f"{a} there, {b} here" for a, b in pairs if a != b), "their number")
        found.append(f"cells: {first}")
    return found


def _told(plan: Plan) -> dict[str, str]:
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
    return told | {name: ", ".join(map(str, values)) for name, values in facets.items()}

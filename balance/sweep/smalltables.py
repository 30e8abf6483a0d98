"""The files of a run that are written before its first game: plan, catalog, policies, small tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from balance.dataset.manifest import CATALOG, NETWORK, POLICIES, RUN
from balance.dataset.parquet import encode
from balance.dataset.plan import Plan
from balance.dataset.schema import combination_columns, variant_columns
from balance.games.contract import Catalog, Game, Learnable, Tuned
from balance.games.lineup import parse_lineup

if TYPE_CHECKING:
    import polars as pl


def head_files(game: Game[Any, Any], catalog: Catalog, plan: Plan) -> dict[str, bytes | memoryview]:
    """Return the files by name; the plan comes last: where it exists, all others do."""
    files: dict[str, bytes | memoryview] = {CATALOG: game.catalog_text(catalog).encode()}
    if isinstance(game, Tuned):
        files[POLICIES] = game.policies_text(catalog).encode()
    if isinstance(game, Learnable):
        files[NETWORK] = game.network(catalog)
    for kind in game.kinds:
        files[f"{kind.plural}.parquet"] = encode(_table(game.rows(catalog, kind), list(kind.columns)))
    files["policies.parquet"] = encode(_table(_policies(game, plan), ("policy", "number")))
    files["cells.parquet"] = encode(cells_table(game, plan))
    names = ["game", "edition", "seed", "ordered", "parent", "catalog_version"]
    names += ["catalog_hash", "policies_hash", "engine_hash"]
    run: dict[str, object] = {"run_id": plan.id} | {name: getattr(plan, name) for name in names}
    run |= {f"version_{name}": version for name, version in plan.versions.items()}
    run |= {"cells": len(plan.cells), "games": plan.games, "shards": plan.shards}
    files["run.parquet"] = encode(_table([run], tuple(run)))
    files[RUN] = plan.text().encode()
    return files


def cells_table(game: Game[Any, Any], plan: Plan) -> pl.DataFrame:
    """Return the cells, one per row; the order of variants is empty where every deal draws it."""
    import polars as pl

    sorted_, ordered = combination_columns(game.facts), variant_columns(game.facts)
    rows = [
        {
            "cell_id": cell.id,
            "edition": plan.edition,
            "players": cell.players,
            **_filled(sorted_, sorted(cell.variants)),
            **_filled(ordered, cell.variants if len(cell.variants) == 1 else ()),
            "lineup": cell.lineup,
            "first_index": cell.first,
            "deals": cell.deals,
            "replicates": cell.replicates,
        }
        for cell in plan.cells
    ]
    words = ("edition", *sorted_, *ordered, "lineup")
    types = {"cell_id": pl.Int32, "players": pl.Int8, **dict.fromkeys(words, pl.String)}
    return pl.DataFrame(rows, schema_overrides=types)


def _filled(columns: Sequence[str], names: Sequence[str]) -> dict[str, str | None]:
    return {column: names[k] if k < len(names) else None for k, column in enumerate(columns)}


def _policies(game: Game[Any, Any], plan: Plan) -> list[dict[str, object]]:
    seated = {
        name
        for players, lineup in {(cell.players, cell.lineup) for cell in plan.cells}
        for name in parse_lineup(lineup, players, game).policies
    }
    numbers = {name: game.policy_number(name) for name in {*game.facts.policies, *seated}}
    return [
        {"policy": name, "number": number} for name, number in sorted(numbers.items(), key=lambda p: p[1])
    ]


def _table(rows: Iterable[Mapping[str, object]], columns: Sequence[str]) -> pl.DataFrame:
    """Return rows as whole numbers, booleans and texts; a list becomes a text."""
    import polars as pl

    every = list(rows)
    made: list[pl.Series] = []
    for name in columns:
        values = [row.get(name) for row in every]
        values = ["; ".join(map(str, v)) if isinstance(v, list | tuple) else v for v in values]
        known = {type(value) for value in values if value is not None}
        if known in ({int}, {bool}):
            made.append(pl.Series(name, values, pl.Int64 if known == {int} else pl.Boolean))
        else:
            made.append(pl.Series(name, [v if v is None else str(v) for v in values], pl.String))
    return pl.DataFrame(made)

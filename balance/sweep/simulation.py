"""Simulating from Python: plan, play, extend and repair runs.

`balance simulate` is a thin cover of these functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypedDict, Unpack

from balance import games, machine
from balance.dataset import manifest as states
from balance.dataset.deals import digest
from balance.dataset.housekeeping import RUNS
from balance.dataset.measures import DECLARED
from balance.dataset.plan import MOST_BYTES, Plan, differences
from balance.dataset.run import Run, open_run, read_catalog, read_plan, require_variants
from balance.dataset.stamp import policies_hash
from balance.dataset.verify import damages
from balance.errors import DataError, UsageError
from balance.games.contract import Catalog, Facts, Game
from balance.games.variants import ALL, combinations_of, texts_of
from balance.sweep.folder import SweepSummary, Watch, carry_out, finished_run, refuse_other, scratch
from balance.sweep.planning import (
    DEFAULT_DEALS,
    deals_for,
    extended_plan,
    make_plan,
    parse_players,
    parse_precision,
    versions,
)
from balance.userfiles import quoted

GAMES_REPLAYED: Final = 20
"""How many games of a run are played again to find out whether their rows are theirs."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A plan with everything needed to carry it out; nothing is written yet."""

    game: Game[Any, Any]
    catalog: Catalog
    plan: Plan
    folder: Path
    damaged: bool = False
    again: tuple[int, ...] = ()


class RunOptions(TypedDict, total=False):
    """What a run plays: the options of `balance simulate`."""

    game: str
    edition: str | None
    players: str | int | Sequence[int] | None
    variants: str | Iterable[str]
    games_per_cell: int | None
    precision: str | None
    replicates: int
    lineups: str | Iterable[str] | None
    seed: int
    catalog: Iterable[str | Path]


def simulate(out: str | Path | None = None, *, jobs: int | None = None, **options: Unpack[RunOptions]) -> Run:
    """Play a run into the folder `out`, go on with one that was begun, or open it if it is finished.

    The options are those of `balance simulate` (`RunOptions`); the same options give the same bytes.
    """
    return run_prepared(prepare(out=out, **options), jobs).run


def prepare(
    *,
    game: str = games.DEFAULT,
    out: str | Path | None = None,
    edition: str | None = None,
    players: str | int | Sequence[int] | None = None,
    variants: str | Iterable[str] = ALL,
    games_per_cell: int | None = None,
    precision: str | None = None,
    replicates: int = 1,
    lineups: str | Iterable[str] | None = None,
    seed: int = 0,
    catalog: Iterable[str | Path] = (),
    kept: bool = True,
) -> Prepared:
    """Make the plan of a run, and refuse what could not be played or written.

    Without `out` the folder is named after the plan: below `data/runs`, or not `kept` after the process ends.
    """
    found = games.get(game)
    facts = found.facts
    loaded = found.load_catalog(catalog)
    chosen = _edition(found, loaded, edition)
    counts = parse_players(texts_of(players) or ["{}-{}".format(*facts.players)], facts)
    if replicates < 1:
        raise UsageError(f"replicates {replicates}: a deal is played at least once", parameter="replicates")
    deals = deals_of(facts, games_per_cell, precision)
    plan = make_plan(
        found,
        loaded,
        edition=chosen,
        deals={count: deals[count] for count in counts},
        combinations=combinations_of(found, loaded, chosen, texts_of(variants) or [ALL]),
        lineups=texts_of(lineups),
        replicates=replicates,
        seed=seed,
    )
    return prepare_plan(found, loaded, plan, out, kept=kept)


def prepare_extension(
    parent: str | Path,
    out: str | Path,
    *,
    players: str | int | Sequence[int] | None = None,
    variants: str | Iterable[str] | None = None,
    games_per_cell: int | None = None,
    precision: str | None = None,
    lineups: str | Iterable[str] | None = None,
) -> Prepared:
    """Make the plan of a run that plays on where a finished one ended, or cells that it did not have."""
    run = open_run(parent)
    game, facts = run.game, run.game.facts
    require_same_engine(run.path, run.plan, game)
    plan = extended_plan(
        game,
        run.catalog,
        run.plan,
        players=parse_players(texts_of(players), facts),
        combinations=combinations_of(game, run.catalog, run.plan.edition, texts_of(variants)),
        lineups=texts_of(lineups),
        deals=deals_of(facts, games_per_cell, precision),
    )
    return prepare_plan(game, run.catalog, plan, out)


def prepare_plan(
    game: Game[Any, Any],
    catalog: Catalog,
    plan: Plan,
    out: str | Path | None = None,
    *,
    kept: bool = True,
) -> Prepared:
    """Prepare a plan that is at hand, and refuse what could not be written."""
    if len(plan.text().encode()) > MOST_BYTES:
        raise UsageError(f"{len(plan.cells):,} cells are more than a run can have; ask for fewer")
    folder = (RUNS if kept else scratch()) / plan.name if out is None else Path(out)
    if out is not None or kept:
        states.refuse_inside(folder, "out")
    refuse_other(folder, plan)
    return Prepared(game, catalog, plan, folder)


def prepare_repair(folder: str | Path) -> Prepared:
    """Find out what of a run is damaged or missing, so that it can be played again to the same bytes."""
    path = Path(folder)
    plan = read_plan(path)
    game = games.get(plan.game)
    state = states.read_state(path, plan)
    found = {damage.file for damage in damages(path, state)}
    if states.RUN in found:
        raise DataError(f"{path / states.RUN} was changed after it was written; what was played is not known")
    require_same_engine(path, plan, game)
    if plan.versions.get(DECLARED) != digest(game.facts):
        raise DataError(f"{path} cannot be repaired: its measures were declared differently")
    catalog = _catalog_of(path, plan, game, found)
    require_variants(path, plan, game, catalog)
    from balance.sweep import examine  # which needs what is defined here

    run = Run(path, plan, state)
    lost = {n for n in range(plan.shards) if n not in state.shards or found & state.shards[n].keys()}
    if state.head and not found & state.head.keys():
        found |= {damage.file for damage in examine.wrong_head(run)}
    if state.head and not found & state.head.keys():  # which rows are compared with
        found |= {damage.file for damage in examine.wrong_content(run, leave=lost)}
    if states.RUN in found:
        raise DataError(f"{path / states.RUN} contradicts itself; 'balance doctor {quoted(path)}' shows how")
    again = [number for number, files in state.shards.items() if found & files.keys()]
    if not found and not lost and state.head and any(examine.wrong_games(run, GAMES_REPLAYED)):
        again = list(state.shards)  # a sample, so others may be wrong too
    return Prepared(game, catalog, plan, path, bool(found or again or not state.head), tuple(sorted(again)))


def run_prepared(prepared: Prepared, jobs: int | None = None, watch: Watch = lambda _: None) -> SweepSummary:
    """Carry a plan out; a run that is finished is opened and not touched."""
    p, threads = prepared, machine.threads(jobs)
    run = None if p.damaged else finished_run(p.folder, p.plan)
    if run is not None:
        return SweepSummary(run, 0, 0, 0.0)
    return carry_out(p.game, p.catalog, p.plan, p.folder, threads, watch, p.again)


def _edition(game: Game[Any, Any], catalog: Catalog, name: str | None) -> str:
    if name is None:
        return game.facts.default_edition
    game.variants(catalog, name)  # refuses an unknown one
    return next((entry.id for entry in game.find(catalog, name) if entry.kind == "edition"), name)


def deals_of(
    facts: Facts, games_per_cell: int | None, precision: str | None, default: int = DEFAULT_DEALS
) -> dict[int, int]:
    """Return how many deals a cell has, by player count."""
    if games_per_cell is not None and precision is not None:
        raise UsageError(
            "games_per_cell and precision contradict each other; give one of them",
            parameter=("games_per_cell", "precision"),
        )
    if games_per_cell is not None and (type(games_per_cell) is not int or games_per_cell < 1):
        raise UsageError(
            f"games_per_cell {games_per_cell}: a cell has at least one game", parameter="games_per_cell"
        )
    width = None if precision is None else parse_precision(precision)
    low, high = facts.players
    return {
        players: (games_per_cell or default) if width is None else deals_for(width, players)
        for players in range(low, high + 1)
    }


def require_same_engine(folder: Path, plan: Plan, game: Game[Any, Any]) -> None:
    """Refuse to play into, or on from, a run whose games would differ today."""
    # what belongs to the catalog, policies included, is read from the run itself
    own = {**versions(game.facts), DECLARED: plan.versions.get(DECLARED, "")}  # each run has deals of its own
    found = differences(plan, replace(plan, engine_hash=game.engine_hash(), versions=own))
    if found:
        raise DataError(f"{folder} cannot be played exactly as it was: {'; '.join(found)}")


def _catalog_of(folder: Path, plan: Plan, game: Game[Any, Any], damaged: set[str]) -> Catalog:
    try:
        for name in sorted(name for name in damaged if not name.endswith(".parquet")):
            raise DataError(f"{folder / name} is not what was written")
        return read_catalog(folder, plan, game)
    except DataError as error:
        official: Catalog = game.load_catalog()
        same = (official.hash, policies_hash(game, official)) == (plan.catalog_hash, plan.policies_hash)
        if not same:
            raise DataError(f"{folder}: the catalog as used is damaged: {error}") from None
        return official

"""Tuning the players: CMA-ES over their parameters, in a league of all players and earlier versions.

A candidate sits among opponents drawn from the league, in cells drawn at random (players, twists), and is
judged by its win points. All candidates of a generation play the same games; the next generation plays others.
Deterministic: the same seed and budget give the same numbers, whatever the number of threads.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from balance.errors import Failed
from balance.games.nefarious.catalog import Catalog, load_catalog
from balance.games.nefarious.play import Player
from balance.games.nefarious.players import Offset, Policies, PolicyEntry, twist_digest, with_offsets
from balance.games.nefarious.policies import FIELD, MOST_WEIGHED, PARAMETER_NAMES, PARAMETERS, POLICIES
from balance.games.nefarious.rules import Cell, compile_cell
from balance.machine import cores

Say = Callable[[str], None]
Vector = npt.NDArray[np.float64]

TUNING_SEED: Final = 4_000_000_000
"""Tuning plays on this seed and the following ones; nothing that is published does."""
CANDIDATE: Final = MOST_WEIGHED - 1
"""Row of the kernel's table of parameters where a candidate sits."""
FIRST_SPARE: Final = len(POLICIES)
_RANGES: Final = np.array([(p.lowest, p.highest) for p in PARAMETERS])
# A step of 1 of the optimiser, for each parameter: about what a person would try first.
_STEPS: Final = np.array([min(0.12 * (p.highest - p.lowest), 1.5) for p in PARAMETERS])
# What an offset may change: the worth of things and the liking for actions.
OFFSET_NAMES: Final = (
    "coin", "coin_late", "card", "card_late", "income", "bonus", "bonus_late", "plan", "hurt",
    "speculate", "invent", "invent_late", "research", "pace", "many_from",
)  # fmt: skip


@dataclass(frozen=True)
class Task:
    """Some games of one cell that every candidate plays."""

    cell: Cell
    seed: int
    indices: npt.NDArray[np.int64]
    policies: npt.NDArray[np.int64]
    """One row per game: rows of the kernel's table, CANDIDATE among them once."""
    seats: npt.NDArray[np.int64]
    """Where the candidate sits."""


def optimiser(start: Vector, sigma: float, seed: int, size: int) -> Any:
    """Return a CMA-ES optimiser; Failed if it is not installed."""
    try:
        import cma
    except ImportError as error:
        raise Failed("tuning needs the package cma: pip install 'game-balance[tune]'") from error
    options = {"seed": seed, "popsize": size, "verbose": -9, "CMA_diagonal": False}
    return cma.CMAEvolutionStrategy(start, sigma, options)


def draw_cells(
    catalog: Catalog, rng: np.random.Generator, count: int, edition: str, twist: str | None = None
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Draw players and twists: of four cells one without twists, or all with one given twist."""
    ids = [t.id for t in catalog.twists_of(edition)]
    for k in range(count):
        players = int(rng.choice([2, 3, 4, 4, 4, 5, 6]))
        if twist is not None:
            other = ids[rng.integers(len(ids))]
            pair = (twist,) if k % 3 == 0 or other == twist else (twist, other)
        else:
            pair = () if k % 4 == 0 else tuple(ids[i] for i in rng.choice(len(ids), 2, replace=False))
        yield players, pair


def draw_tasks(
    catalog: Catalog,
    rng: np.random.Generator,
    cells: Sequence[tuple[int, tuple[str, ...]]],
    edition: str,
    games: int,
    league: Sequence[tuple[int, Vector | None]],
    twist: str | None = None,
) -> list[Task]:
    """Draw the games of a generation: for each cell so many, with opponents from the league."""
    tasks = []
    for players, twists in cells:
        cell = compile_cell(catalog, edition, players, twists)
        for row, weights in league:
            if weights is not None:
                cell.rules["weights"][0, row] = weights
        rows = np.array([row for row, _ in league])
        policies = rows[rng.integers(len(rows), size=(games, players))]
        # in half of the games all opponents are the same
        alike = rows[rng.integers(len(rows), size=games)]
        half = rng.random(games) < 0.5
        policies[half] = alike[half][:, None]
        seats = rng.integers(players, size=games)
        policies[np.arange(games), seats] = CANDIDATE
        indices = rng.integers(1 << 32, size=games).astype(np.int64)
        seed = TUNING_SEED + int(rng.integers(1 << 20))
        tasks.append(Task(cell, seed, indices, policies.astype(np.int64), seats))
    del twist
    return tasks


def judge(player: Player, tasks: Sequence[Task], weights_of: Callable[[Cell], Vector]) -> float:
    """Return the win points of a candidate over all tasks, 0 being fair."""
    total = 0.0
    for task in tasks:
        rules = task.cell.rules.copy()
        rules["weights"][0, CANDIDATE] = weights_of(task.cell)
        cell = replace(task.cell, rules=rules)
        winners = player.outcomes(cell, task.seed, task.indices, task.policies).winners
        players = task.cell.players
        wins = np.count_nonzero(winners == task.seats) + np.count_nonzero(winners < 0) / players
        total += players * wins / task.indices.size - 1.0
    return total / len(tasks)


def judge_all(
    pool: ThreadPoolExecutor, tasks: Sequence[Task], candidates: Sequence[Callable[[Cell], Vector]]
) -> list[float]:
    """Judge candidates on all cores; each plays all tasks."""
    return list(pool.map(lambda weights_of: judge(Player(), tasks, weights_of), candidates))


def optimise(
    start: Vector,
    steps: Vector,
    to_weights: Callable[[Vector, Cell], Vector],
    draw: Callable[[np.random.Generator], list[Task]],
    generations: int,
    size: int,
    seed: int,
    say: Say,
    sigma: float = 0.5,
) -> Vector:
    """Return the mean that CMA-ES arrives at; coordinates are in units of `steps` from `start`."""
    rng = np.random.default_rng(seed)
    search = optimiser(np.zeros(start.size), sigma, seed, size)
    # the mean over the last quarter is steadier than the last mean
    kept: list[Vector] = []
    with ThreadPoolExecutor(cores().amount) as pool:
        for generation in range(generations):
            tasks = draw(rng)
            points = search.ask()
            made = [start + steps * np.asarray(point) for point in points]
            scores = judge_all(pool, tasks, [_bound(to_weights, vector) for vector in made])
            search.tell(points, [-score for score in scores])
            if generation >= generations * 3 // 4:
                kept.append(np.asarray(search.mean))
            if generation % 10 == 9:
                say(
                    f"generation {generation + 1}: mean {np.mean(scores):+.3f} best {max(scores):+.3f} "
                    f"sigma {search.sigma:.3f}"
                )
    return np.asarray(start + steps * np.mean(kept, axis=0))


def _bound(to_weights: Callable[[Vector, Cell], Vector], vector: Vector) -> Callable[[Cell], Vector]:
    return lambda cell: to_weights(vector, cell)


def _clipped(values: Vector) -> Vector:
    return np.clip(values, _RANGES[:, 0], _RANGES[:, 1])


def _entry(policies: Policies, name: str) -> PolicyEntry:
    return next(entry for entry in policies.entries if entry.name == name)


def _with_parameters(policies: Policies, name: str, values: Vector) -> Policies:
    rounded = {p: round(float(v), 4) for p, v in zip(PARAMETER_NAMES, values, strict=True)}
    entries = tuple(
        replace(entry, parameters=MappingProxyType(rounded)) if entry.name == name else entry
        for entry in policies.entries
    )
    return Policies(entries, policies.offsets)


def _vector(parameters: Mapping[str, float]) -> Vector:
    return np.array([parameters[name] for name in PARAMETER_NAMES])


def _softness_stays(free: list[int]) -> list[int]:
    """Softness is not tuned: less of it always wins a little, and nobody plays like that."""
    return [i for i in free if PARAMETER_NAMES[i] != "softness"]


def tune_one(
    policies: Policies,
    name: str,
    league: Sequence[tuple[int, Vector | None]],
    generations: int,
    seed: int,
    say: Say,
    cells: int = 24,
    games: int = 40,
    size: int = 16,
    edition: str = "ascora-2011",
) -> Policies:
    """Tune the parameters of a policy that are not fixed."""
    catalog = replace(load_catalog(), policies=policies)
    entry = _entry(policies, name)
    base = _vector(entry.parameters)
    free = _softness_stays([i for i, p in enumerate(PARAMETER_NAMES) if p not in entry.fixed])
    offsets_of = _offsets_by_cell(policies, name)

    def to_weights(vector: Vector, cell: Cell) -> Vector:
        values = base.copy()
        values[free] = vector
        return _clipped(_clipped(values) + offsets_of(cell))

    def draw(rng: np.random.Generator) -> list[Task]:
        drawn = list(draw_cells(catalog, rng, cells, edition))
        return draw_tasks(catalog, rng, drawn, edition, games, league)

    say(f"{name}: {len(free)} parameters, {generations} generations of {size} x {cells * games} games")
    found = optimise(base[free], _STEPS[free], to_weights, draw, generations, size, seed, say)
    values = base.copy()
    values[free] = found
    return _with_parameters(policies, name, _clipped(values))


def _offsets_by_cell(policies: Policies, name: str) -> Callable[[Cell], Vector]:
    table = {o.twist: o.parameters for o in policies.offsets if o.policy == name}

    def offsets_of(cell: Cell) -> Vector:
        total = np.zeros(len(PARAMETERS))
        for twist in cell.twists:
            for parameter, value in table.get(twist.id, {}).items():
                total[PARAMETER_NAMES.index(parameter)] += value
        return total

    return offsets_of


def tune_archetypes(policies: Policies, only: Sequence[str] | None, generations: int, say: Say) -> Policies:
    """Tune every archetype inside its family, against all others as they are."""
    league: list[tuple[int, Vector | None]] = [(POLICIES[name], None) for name in FIELD]
    tuned = policies
    for number, name in enumerate(n for n in FIELD if n not in ("greedy", "adaptive")):
        if not only or name in only:
            after = tune_one(policies, name, league, generations, TUNING_SEED + number, say)
            tuned = _with_parameters(tuned, name, _vector(_entry(after, name).parameters))
    return tuned


def tune_adaptive(policies: Policies, generations: int, say: Say, rounds: int = 3) -> Policies:
    """Tune `adaptive` against all policies and its own past: after each part the version so far joins."""
    league: list[tuple[int, Vector | None]] = [(POLICIES[name], None) for name in FIELD]
    for part in range(rounds):
        past = _vector(_entry(policies, "adaptive").parameters)
        league.append((FIRST_SPARE + part, past))
        seed = TUNING_SEED + 100 + part
        policies = tune_one(policies, "adaptive", league, generations // rounds, seed, say)
    return policies


def tune_offset(
    policies: Policies,
    catalog: Catalog,
    twist_id: str,
    generations: int,
    seed: int,
    say: Say,
    cells: int = 12,
    games: int = 60,
    size: int = 12,
) -> Offset:
    """Find what `adaptive` should add to its parameters while a twist is in force."""
    name = "adaptive"
    twist = catalog.twist(twist_id)
    edition = twist.editions[0]
    others = tuple(o for o in policies.offsets if (o.policy, o.twist) != (name, twist.id))
    catalog = replace(catalog, policies=Policies(policies.entries, others))
    base = _vector(_entry(policies, name).parameters)
    offsets_of = _offsets_by_cell(catalog.policies, name)
    free = [PARAMETER_NAMES.index(p) for p in OFFSET_NAMES]
    league: list[tuple[int, Vector | None]] = [(POLICIES[n], None) for n in ("adaptive", "adaptive", *FIELD)]

    def to_weights(vector: Vector, cell: Cell) -> Vector:
        values = base + offsets_of(cell)
        values[free] += vector
        return _clipped(values)

    def draw(rng: np.random.Generator) -> list[Task]:
        drawn = list(draw_cells(catalog, rng, cells, edition, twist.id))
        return draw_tasks(catalog, rng, drawn, edition, games, league)

    found = optimise(
        np.zeros(len(free)), _STEPS[free], to_weights, draw, generations, size, seed, say, sigma=0.4
    )
    gain, spread = confirm(catalog, twist.id, edition, league, to_weights, found, seed)
    say(f"{twist.id}: {gain:+.3f} win points (+-{spread:.3f}) on fresh games")
    if gain <= spread:
        found = np.zeros(len(free))
    rounded = {p: round(float(v), 4) for p, v in zip(OFFSET_NAMES, found, strict=True) if round(float(v), 4)}
    return Offset(name, twist.id, twist_digest(twist), MappingProxyType(rounded))


def confirm(
    catalog: Catalog,
    twist: str,
    edition: str,
    league: Sequence[tuple[int, Vector | None]],
    to_weights: Callable[[Vector, Cell], Vector],
    found: Vector,
    seed: int,
) -> tuple[float, float]:
    """Return by how many win points the offset beats none on fresh games, and half the 95% interval."""
    rng = np.random.default_rng(seed + 50_000)
    tasks = draw_tasks(
        catalog, rng, list(draw_cells(catalog, rng, 120, edition, twist)), edition, 100, league
    )
    with ThreadPoolExecutor(cores().amount) as pool:
        differences = list(
            pool.map(
                lambda task: (
                    judge(Player(), [task], _bound(to_weights, found))
                    - judge(Player(), [task], _bound(to_weights, np.zeros(found.size)))
                ),
                tasks,
            )
        )
    return float(np.mean(differences)), float(1.96 * np.std(differences) / np.sqrt(len(differences)))


def tune_offsets(policies: Policies, only: Sequence[str] | None, generations: int, say: Say) -> Policies:
    """Tune the offsets of all twists, each against players without offsets for it."""
    catalog = load_catalog()
    offsets = []
    for number, twist in enumerate(catalog.twists):
        if not only or twist.id in only:
            seed = TUNING_SEED + 1000 + number
            offsets.append(tune_offset(policies, catalog, twist.id, generations, seed, say))
    return with_offsets(policies, offsets)

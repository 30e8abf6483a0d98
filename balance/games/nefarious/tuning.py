"""Tuning the players: CMA-ES over their parameters, in a league of all players and earlier versions.

A candidate sits among opponents drawn from the league, in cells drawn at random (players, twists), and is
judged by its win points. All candidates of a generation play the same games, the next generation others.
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
Pair = tuple[str, ...]
League = Sequence[tuple[int, "Vector | None"]]
"""Rows of the kernel's table, and what to write there (None: what stands there)."""
Vector = npt.NDArray[np.float64]

TUNING_SEED: Final = 1_000_000_000
"""Tuning plays on this seed and the following ones; nothing that is published does."""
LEAGUE_EDITION: Final = "ascora-2011"
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


@dataclass(frozen=True)
class Budget:
    """How much is played: generations of so many candidates, each in so many games of so many cells."""

    generations: int
    size: int
    cells: int
    games: int

    def __str__(self) -> str:
        """Tell it to a person."""
        return f"{self.generations} generations of {self.size} candidates x {self.cells * self.games} games"


FIRST: Final = Budget(40, 12, 16, 30)
ARCHETYPE: Final = Budget(30, 12, 16, 30)
ADAPTIVE: Final = Budget(30, 16, 24, 40)
PARTS: Final = 3
"""So many times ADAPTIVE, the version so far joining the league each time."""
TWIST: Final = Budget(25, 12, 12, 60)


def optimiser(start: Vector, sigma: float, seed: int, size: int) -> Any:
    """Return a CMA-ES optimiser; Failed if it is not installed."""
    try:
        import cma  # type: ignore[import-untyped]
    except ImportError as error:
        raise Failed("tuning needs the package cma: pip install 'game-balance[tune]'") from error
    options = {"seed": seed, "popsize": size, "verbose": -9, "CMA_diagonal": False}
    return cma.CMAEvolutionStrategy(start, sigma, options)


def draw_cells(
    rng: np.random.Generator, count: int, pairs: Sequence[Pair], twist: str | None = None
) -> Iterator[tuple[int, Pair]]:
    """Draw players and twists; every fourth cell has none, or every third the given one alone."""
    for k in range(count):
        players = int(rng.choice([2, 3, 4, 4, 4, 5, 6]))
        drawn = pairs[int(rng.integers(len(pairs)))]
        ordered = drawn if rng.integers(2) else drawn[::-1]
        if twist is not None:
            yield players, (twist,) if k % 3 == 0 else ordered
        else:
            yield players, () if k % 4 == 0 else ordered


def draw_tasks(
    catalog: Catalog,
    rng: np.random.Generator,
    cells: Sequence[tuple[int, tuple[str, ...]]],
    edition: str,
    games: int,
    league: League,
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
    budget: Budget,
    seed: int,
    say: Say,
    sigma: float = 0.5,
) -> Vector:
    """Return the mean that CMA-ES arrives at; coordinates are in units of `steps` from `start`."""
    rng = np.random.default_rng(seed)
    search = optimiser(np.zeros(start.size), sigma, seed, budget.size)
    # the mean over the last quarter is steadier than the last mean
    kept: list[Vector] = []
    with ThreadPoolExecutor(cores().amount) as pool:
        for generation in range(budget.generations):
            tasks = draw(rng)
            points = search.ask()
            made = [start + steps * np.asarray(point) for point in points]
            scores = judge_all(pool, tasks, [_bound(to_weights, vector) for vector in made])
            search.tell(points, [-score for score in scores])
            if generation >= budget.generations * 3 // 4:
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
    pairs: Sequence[Pair],
    league: League,
    budget: Budget,
    seed: int,
    say: Say,
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
        drawn = list(draw_cells(rng, budget.cells, pairs))
        return draw_tasks(catalog, rng, drawn, LEAGUE_EDITION, budget.games, league)

    say(f"{name}: {len(free)} parameters, {budget}")
    found = optimise(base[free], _STEPS[free], to_weights, draw, budget, seed, say)
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


def tune_all(policies: Policies, pairs: Mapping[str, Sequence[Pair]], say: Say) -> Policies:
    """Find all numbers: `adaptive` roughly, then the archetypes, then `adaptive` well, then its offsets."""
    everybody: list[tuple[int, Vector | None]] = [(POLICIES[name], None) for name in FIELD]
    here = pairs[LEAGUE_EDITION]
    policies = tune_one(policies, "adaptive", here, everybody, FIRST, TUNING_SEED + 90, say)
    policies = tune_archetypes(policies, here, everybody, say)
    for part in range(PARTS):
        everybody.append((FIRST_SPARE + part, _vector(_entry(policies, "adaptive").parameters)))
        policies = tune_one(policies, "adaptive", here, everybody, ADAPTIVE, TUNING_SEED + 100 + part, say)
    return tune_offsets(policies, pairs, None, say)


def tune_archetypes(policies: Policies, pairs: Sequence[Pair], league: League, say: Say) -> Policies:
    """Tune every archetype inside its family, from the numbers of `adaptive`, against all as they are."""
    start = dict(_entry(policies, "adaptive").parameters)
    tuned = policies
    for number, name in enumerate(n for n in FIELD if n not in ("greedy", "adaptive")):
        family = _entry(policies, name)
        begin = start | {p: family.parameters[p] for p in (*family.fixed, "softness")}
        begun = _with_parameters(policies, name, _vector(begin))
        after = tune_one(begun, name, pairs, league, ARCHETYPE, TUNING_SEED + number, say)
        tuned = _with_parameters(tuned, name, _vector(_entry(after, name).parameters))
    return tuned


def tune_offset(
    policies: Policies,
    catalog: Catalog,
    twist_id: str,
    pairs: Mapping[str, Sequence[Pair]],
    budget: Budget,
    seed: int,
    say: Say,
) -> Offset:
    """Find what `adaptive` should add to its parameters while a twist is in force."""
    name = "adaptive"
    twist = catalog.twist(twist_id)
    edition = twist.editions[0]
    own = [pair for pair in pairs[edition] if twist.id in pair] or [(twist.id,)]
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
        drawn = list(draw_cells(rng, budget.cells, own, twist.id))
        return draw_tasks(catalog, rng, drawn, edition, budget.games, league)

    found = optimise(
        np.zeros(len(free)), _STEPS[free], to_weights, draw, budget, seed, lambda _: None, sigma=0.4
    )
    rng = np.random.default_rng(seed + 50_000)
    fresh = draw_tasks(catalog, rng, list(draw_cells(rng, 120, own, twist.id)), edition, 100, league)
    gain, spread = confirm(fresh, to_weights, found)
    say(f"{twist.id}: {gain:+.3f} win points (+-{spread:.3f}) on fresh games")
    if gain <= spread:
        found = np.zeros(len(free))
    rounded = {p: round(float(v), 4) for p, v in zip(OFFSET_NAMES, found, strict=True) if round(float(v), 4)}
    return Offset(name, twist.id, twist_digest(twist), MappingProxyType(rounded))


def confirm(
    tasks: Sequence[Task], to_weights: Callable[[Vector, Cell], Vector], found: Vector
) -> tuple[float, float]:
    """Return by how many win points an offset beats none on fresh games, and half the 95% interval."""
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


def tune_offsets(
    policies: Policies, pairs: Mapping[str, Sequence[Pair]], only: Sequence[str] | None, say: Say
) -> Policies:
    """Tune the offsets of all twists, each against players without offsets for it."""
    catalog = load_catalog()
    offsets = []
    for number, twist in enumerate(catalog.twists):
        if not only or twist.id in only:
            seed = TUNING_SEED + 1000 + number
            offsets.append(tune_offset(policies, catalog, twist.id, pairs, TWIST, seed, say))
    return with_offsets(policies, offsets)

"""Tuning the players: CMA-ES over their parameters, in a league of all players and earlier versions.

A candidate sits among opponents drawn from the league, in cells drawn at random (players, twists), and is
judged by its win points. All candidates of a generation play the same games, the next generation others.
Deterministic: the same seed and budget give the same numbers, whatever the number of threads.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from balance.errors import Failed, UsageError
from balance.games.contract import Fitting
from balance.games.nefarious.catalog import Catalog, load_catalog
from balance.games.nefarious.items import Twist
from balance.games.nefarious.play import Player
from balance.games.nefarious.players import (
    NO_TWIST,
    Offset,
    Policies,
    PolicyEntry,
    offset_text,
    twist_digest,
    with_offsets,
)
from balance.games.nefarious.policies import FIELD, MOST_WEIGHED, PARAMETER_NAMES, PARAMETERS, POLICIES
from balance.games.nefarious.rules import Cell, compile_cell
from balance.games.nefarious.vocabulary import ACTIONS
from balance.machine import cores

Say = Callable[[str], None]
Advance = Callable[[int], object]
Keep = Callable[["Policies"], object]
"""Is given what was found so far, after each part."""
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
_GREEDY: Final = 8
"""So many times more than anybody else a candidate meets `greedy`."""
_NEARLY_ALWAYS: Final = 200
"""The same where it matters most: in the last steps for games without twists."""
GUESTS: Final = 0.25
"""Share of the games in which one opponent sits among candidates, not one candidate among opponents."""
_RANGES: Final = np.array([(p.lowest, p.highest) for p in PARAMETERS])
# A step of 1 of the optimiser, for each parameter: about what a person would try first.
_WIDTHS: Final = _RANGES[:, 1] - _RANGES[:, 0]
_STEPS: Final = np.minimum(0.12 * _WIDTHS, 1.5)
# What VP that come and go are worth differs most from twist to twist.
_STEPS[[PARAMETER_NAMES.index("bonus"), PARAMETER_NAMES.index("bonus_late")]] = 0.5
BELIEFS: Final = tuple(f"prior_{action}" for action in ACTIONS)
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
    """One row per game: rows of the kernel's table; CANDIDATE is there once, or everywhere but once."""
    seats: npt.NDArray[np.int64]
    """Where that one sits."""
    guests: npt.NDArray[np.bool_]
    """In which games that one is an opponent among candidates."""


@dataclass(frozen=True)
class Budget:
    """How much is played: generations of so many candidates, each in so many games of so many cells."""

    generations: int
    size: int
    cells: int
    games: int

    @property
    def total(self) -> int:
        """How many games that is."""
        return self.generations * self.size * self.cells * self.games

    def __str__(self) -> str:
        """Tell it to a person."""
        return f"{self.generations} generations of {self.size} candidates x {self.cells * self.games} games"


class Shares(NamedTuple):
    """What finding an offset may play."""

    look: Budget
    """A first look at where to begin."""
    search: Budget
    fresh: Budget
    """What shows the gain: two candidates, with and without the offset."""

    @property
    def total(self) -> int:
        """How many games that is."""
        return sum(budget.total for budget in self)


FIRST: Final = Budget(40, 12, 16, 30)
ARCHETYPE: Final = Budget(30, 12, 16, 30)
ADAPTIVE: Final = Budget(30, 16, 24, 40)
PARTS: Final = 3
"""So many times ADAPTIVE, the version so far joining the league each time."""
OBSERVED: Final = Budget(1, 1, 60, 100)
"""What is watched to learn how often each action is played."""
WITHOUT_TWISTS: Final = Budget(60, 14, 10, 60)
POLISH: Final = Budget(40, 16, 10, 120)
STARTS: Final = 1 + len(FIELD)
"""Where the search for an offset may begin: where it is, with none, or like one of the other players."""
FRESH: Final = Budget(1, 2, 120, 60)
TWIST: Final = tuple(Shares(Budget(1, STARTS, 24, 40), Budget(16, 10, 12, n), FRESH) for n in (40, 50))
"""All offsets are found twice, the second time with those of the first at work in the other twists."""
GAMES: Final = range(10_000, 1_000_000_001)
"""Budgets that a user may ask for."""


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
    compiled = (compile_cell(catalog, edition, players, twists) for players, twists in cells)
    return [draw_task(cell, rng, games, league) for cell in compiled]


def draw_task(
    cell: Cell, rng: np.random.Generator, games: int, league: League, guests: float = GUESTS
) -> Task:
    """Draw games of a cell, with opponents from the league, whose numbers are written into the cell.

    The candidate sits alone among opponents, or, in a share of the games, an opponent alone among candidates:
    what wins against others must also hold its own where everybody plays like that.
    """
    for row, weights in league:
        if weights is not None:
            cell.rules["weights"][0, row] = weights * cell.economy
    rows = np.array([row for row, _ in league])
    policies = rows[rng.integers(len(rows), size=(games, cell.players))]
    # in half of the games all opponents are the same
    alike = rows[rng.integers(len(rows), size=games)]
    half = rng.random(games) < 0.5
    policies[half] = alike[half][:, None]
    seats = rng.integers(cell.players, size=games)
    hosted = rng.random(games) < guests
    policies[hosted] = CANDIDATE
    different = np.unique(rows)
    guest = different[rng.integers(len(different), size=games)]
    policies[np.arange(games), seats] = np.where(hosted, guest, CANDIDATE)
    indices = rng.integers(1 << 32, size=games).astype(np.int64)
    seed = TUNING_SEED + int(rng.integers(1 << 20))
    return Task(cell, seed, indices, policies.astype(np.int64), seats, hosted)


def judge(player: Player, tasks: Sequence[Task], weights_of: Callable[[Cell], Vector]) -> float:
    """Return the win points of a candidate over all tasks, less those of its guests, 0 being fair."""
    total = 0.0
    for task in tasks:
        rules = task.cell.rules.copy()
        rules["weights"][0, CANDIDATE] = weights_of(task.cell) * task.cell.economy
        cell = replace(task.cell, rules=rules)
        winners = player.outcomes(cell, task.seed, task.indices, task.policies).winners
        players = task.cell.players
        won = np.where(winners < 0, 1.0, players * (winners == task.seats)) - 1.0
        total += float(np.mean(np.where(task.guests, -won, won)))
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
    say: Say = lambda _: None,
    sigma: float = 0.5,
    jobs: int | None = None,
    advance: Advance = lambda _: None,
) -> Vector:
    """Return the mean that CMA-ES arrives at; coordinates are in units of `steps` from `start`.

    `advance` is told the games as they are played.
    """
    rng = np.random.default_rng(seed)
    search = optimiser(np.zeros(start.size), sigma, seed, budget.size)
    # the mean over the last quarter is steadier than the last mean
    kept: list[Vector] = []
    with ThreadPoolExecutor(jobs or cores().amount) as pool:
        for generation in range(budget.generations):
            tasks = draw(rng)
            points = search.ask()
            made = [start + steps * np.asarray(point) for point in points]
            scores = judge_all(pool, tasks, [_bound(to_weights, vector) for vector in made])
            search.tell(points, [-score for score in scores])
            advance(budget.total // budget.generations)
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


def _tunable(indices: Sequence[int]) -> list[int]:
    """Leave out what is not tuned.

    Less softness always wins a little, and nobody plays like that. What neighbours usually do is a fact, and
    measured (`settle_beliefs`): an optimiser would bend it into a liking for one zone or the other.
    """
    return [i for i in indices if PARAMETER_NAMES[i] not in ("softness", *BELIEFS)]


def settle_beliefs(policies: Policies, pairs: Sequence[Pair], seed: int, say: Say) -> Policies:
    """Give all players but `greedy` the shares of the actions as they are played: the first guess of each."""
    catalog = replace(load_catalog(), policies=policies)
    rng = np.random.default_rng(seed)
    league: League = [(POLICIES[name], None) for name in FIELD]
    chose = np.zeros(len(BELIEFS), np.int64)
    for players, twists in draw_cells(rng, OBSERVED.cells, pairs):
        cell = compile_cell(catalog, LEAGUE_EDITION, players, twists)
        task = draw_task(cell, rng, OBSERVED.games, league)
        task.policies[np.arange(OBSERVED.games), task.seats] = POLICIES["adaptive"]
        chose += Player().play(cell, task.seed, task.indices, task.policies).seats["chose"].sum(axis=0)
    shares = np.round(chose / chose.sum(), 2)
    say("beliefs: " + ", ".join(f"{name} {share}" for name, share in zip(BELIEFS, shares, strict=True)))
    for entry in policies.entries:
        if not set(BELIEFS) <= set(entry.fixed):
            settled = {**entry.parameters, **dict(zip(BELIEFS, map(float, shares), strict=True))}
            policies = _with_parameters(policies, entry.name, _vector(settled))
    return policies


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
    free = _tunable([i for i, p in enumerate(PARAMETER_NAMES) if p not in entry.fixed])
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
        for twist in [t.id for t in cell.twists] or [NO_TWIST]:
            for parameter, value in table.get(twist, {}).items():
                total[PARAMETER_NAMES.index(parameter)] += value
        return total

    return offsets_of


def _league(*extra: str) -> list[tuple[int, Vector | None]]:
    """Return whom a candidate meets: everybody, and `greedy`, that never stops to build, most of the time.

    Careful players lose to it most easily, and it is what a new player does.
    """
    return [(POLICIES[name], None) for name in (*FIELD, *["greedy"] * _GREEDY, *extra)]


def tune_all(
    policies: Policies, pairs: Mapping[str, Sequence[Pair]], say: Say, keep: Keep = lambda _: None
) -> Policies:
    """Find all numbers: `adaptive` roughly, then the archetypes, then `adaptive` well, then its offsets."""
    everybody = _league()
    here = pairs[LEAGUE_EDITION]
    policies = tune_one(policies, "adaptive", here, everybody, FIRST, TUNING_SEED + 90, say)
    policies = settle_beliefs(policies, here, TUNING_SEED + 91, say)
    policies = tune_archetypes(policies, here, everybody, say)
    policies = settle_beliefs(policies, here, TUNING_SEED + 92, say)
    for part in range(PARTS):
        # its own past is met as often as three of the others
        everybody += [(FIRST_SPARE + part, _vector(_entry(policies, "adaptive").parameters))] * 3
        policies = tune_one(policies, "adaptive", here, everybody, ADAPTIVE, TUNING_SEED + 100 + part, say)
        keep(policies)
    policies = tune_offsets(policies, pairs, None, say, keep)
    policies = tune_without_twists(policies, say)
    keep(policies)
    return polish_without_twists(policies, say)


def tune_without_twists(policies: Policies, say: Say) -> Policies:
    """Tune the offset of `adaptive` for games without twists; all that is not fixed may change.

    Its numbers were found over pairs of twists. What is best without any is another thing, found in two
    parts, of which the first joins the league.
    """
    name = "adaptive"
    base, free = _vector(_entry(policies, name).parameters), _tunable(range(len(PARAMETERS)))
    league = _league(name)
    found = np.zeros(len(free))
    others = tuple(o for o in policies.offsets if (o.policy, o.twist) != (name, NO_TWIST))
    catalog = replace(load_catalog(), policies=Policies(policies.entries, others))

    def to_weights(vector: Vector, cell: Cell) -> Vector:  # noqa: ARG001
        return _clipped(base + _spread(free, vector))

    def draw(rng: np.random.Generator, amount: Budget = WITHOUT_TWISTS) -> list[Task]:
        drawn: list[tuple[int, Pair]] = [(2 + k % 5, ()) for k in range(amount.cells)]
        return draw_tasks(catalog, rng, drawn, LEAGUE_EDITION, amount.games, league)

    for part in range(2):
        say(f"{name} without twists: {len(free)} parameters, {WITHOUT_TWISTS}")
        seed = TUNING_SEED + 200 + part
        found = optimise(found, _STEPS[free], to_weights, draw, WITHOUT_TWISTS, seed, say)
        league += [(FIRST_SPARE + part, base + _difference(base, free, found))] * 3
    gain, spread = confirm(draw(np.random.default_rng(TUNING_SEED + 290), FRESH), to_weights, found)
    say(f"{NO_TWIST}: {gain:+.3f} win points (+-{spread:.3f}) on fresh games")
    return _with_difference(policies, name, _difference(base, free, found))


def _difference(base: Vector, free: Sequence[int], found: Vector) -> Vector:
    """Return what was found as an offset of all parameters, within their ranges, as it is written."""
    return np.round(_clipped(base + _spread(free, found)) - base, 4)


def _with_difference(policies: Policies, name: str, difference: Vector) -> Policies:
    parameters = {p: float(v) for p, v in zip(PARAMETER_NAMES, difference, strict=True) if v}
    return with_offsets(policies, [Offset(name, NO_TWIST, NO_TWIST, MappingProxyType(parameters))])


def polish_without_twists(policies: Policies, say: Say) -> Policies:
    """Tune the offset for games without twists on from where it is, in small steps, mostly against `greedy`.

    Who builds and builds is what a careful player loses to; most cells have the 4 players of the claims.
    """
    name = "adaptive"
    base, free = _vector(_entry(policies, name).parameters), _tunable(range(len(PARAMETERS)))
    begun = _offsets_by_cell(policies, name)
    catalog = replace(load_catalog(), policies=policies)
    start = begun(compile_cell(catalog, LEAGUE_EDITION, 4, []))[free]
    league = _league(name, *["greedy"] * _NEARLY_ALWAYS)

    def to_weights(vector: Vector, cell: Cell) -> Vector:  # noqa: ARG001
        return _clipped(base + _spread(free, vector))

    def draw(rng: np.random.Generator, amount: Budget = POLISH) -> list[Task]:
        drawn: list[tuple[int, Pair]] = [(2 + k // 2 % 5 if k % 2 else 4, ()) for k in range(amount.cells)]
        return draw_tasks(catalog, rng, drawn, LEAGUE_EDITION, amount.games, league)

    say(f"{name} without twists, polished: {len(free)} parameters, {POLISH}")
    found = optimise(start, _STEPS[free], to_weights, draw, POLISH, TUNING_SEED + 210, say, sigma=0.25)
    return _with_difference(policies, name, _difference(base, free, found))


def _spread(free: Sequence[int], values: Vector) -> Vector:
    """Return values of some parameters as values of all, 0 for the others."""
    spread = np.zeros(len(PARAMETERS))
    spread[list(free)] = values
    return spread


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


@dataclass(frozen=True)
class Fit:
    """An offset that was found, and by how many win points it beats none on fresh games."""

    offset: Offset
    gain: float
    spread: float
    """Half the 95% interval."""


def fit_offset(
    catalog: Catalog,
    edition: str,
    twist: Twist,
    pairs: Sequence[Pair],
    shares: Shares,
    seed: int,
    jobs: int | None = None,
    advance: Advance = lambda _: None,
) -> Fit:
    """Find what `adaptive` should add to its parameters while a twist is in force; nothing if nothing gains.

    `pairs` are those that may be played; of them those with the twist are, and the twist alone. The search
    begins where a first look is best: with the offset that the catalog has, with none, or with what would
    make it play like one of the others. Small steps do not lead from one style to another.
    """
    name = "adaptive"
    own = [pair for pair in pairs if twist.id in pair] or [(twist.id,)]
    begun = next(
        (o.parameters for o in catalog.policies.offsets if (o.policy, o.twist) == (name, twist.id)), {}
    )
    others = tuple(o for o in catalog.policies.offsets if (o.policy, o.twist) != (name, twist.id))
    catalog = replace(catalog, policies=Policies(catalog.policies.entries, others))
    base = _vector(_entry(catalog.policies, name).parameters)
    offsets_of = _offsets_by_cell(catalog.policies, name)
    free = [PARAMETER_NAMES.index(p) for p in OFFSET_NAMES]
    league = _league(name, name)

    def to_weights(vector: Vector, cell: Cell) -> Vector:
        values = base + offsets_of(cell)
        values[free] += vector
        return _clipped(values)

    def draw(rng: np.random.Generator, amount: Budget = shares.search) -> list[Task]:
        drawn = list(draw_cells(rng, amount.cells, own, twist.id))
        return draw_tasks(catalog, rng, drawn, edition, amount.games, league)

    starts = [np.array([begun.get(parameter, 0.0) for parameter in OFFSET_NAMES]), np.zeros(len(free))]
    starts += [(_vector(_entry(catalog.policies, style).parameters) - base)[free] for style in FIELD[:-1]]
    start = _best_of(starts, to_weights, draw(np.random.default_rng(seed + 90_000), shares.look), jobs)
    advance(shares.look.total)
    found = optimise(
        start, _STEPS[free], to_weights, draw, shares.search, seed, sigma=0.4, jobs=jobs, advance=advance
    )
    found = np.clip(found, -_WIDTHS[free], _WIDTHS[free])
    tasks = draw(np.random.default_rng(seed + 50_000), shares.fresh)
    gain, spread = confirm(tasks, to_weights, found, jobs, advance)
    kept = zip(OFFSET_NAMES, np.round(found, 4), strict=True) if gain > spread else ()
    parameters = {parameter: float(value) for parameter, value in kept if value}
    return Fit(Offset(name, twist.id, twist_digest(twist), MappingProxyType(parameters)), gain, spread)


def _best_of(
    vectors: Sequence[Vector],
    to_weights: Callable[[Vector, Cell], Vector],
    tasks: Sequence[Task],
    jobs: int | None = None,
) -> Vector:
    """Return the vector that does best in some games; the first of equals."""
    with ThreadPoolExecutor(jobs or cores().amount) as pool:
        scores = judge_all(pool, tasks, [_bound(to_weights, vector) for vector in vectors])
    return vectors[int(np.argmax(scores))]


def confirm(
    tasks: Sequence[Task],
    to_weights: Callable[[Vector, Cell], Vector],
    found: Vector,
    jobs: int | None = None,
    advance: Advance = lambda _: None,
) -> tuple[float, float]:
    """Return by how many win points an offset beats none on fresh games, and half the 95% interval."""
    without = _bound(to_weights, np.zeros(found.size))

    def gain(task: Task) -> float:
        return judge(Player(), [task], _bound(to_weights, found)) - judge(Player(), [task], without)

    differences = []
    with ThreadPoolExecutor(jobs or cores().amount) as pool:
        for task, difference in zip(tasks, pool.map(gain, tasks), strict=True):
            differences.append(difference)
            advance(2 * task.indices.size)
    return float(np.mean(differences)), float(1.96 * np.std(differences) / np.sqrt(len(differences)))


def share_out(games: int) -> Shares:
    """Share a number of games out: a twentieth for a first look, a fifth for fresh games, the rest to search.

    More games are spent on more generations first, then on judging each candidate better.

    >>> [str(budget) for budget in share_out(1_000_000)[1:]]
    ['60 generations of 16 candidates x 768 games', '1 generations of 2 candidates x 99960 games']
    """
    if games not in GAMES:
        raise UsageError(f"a budget of {games} games: it must be {GAMES.start}..{GAMES.stop - 1}")
    size, cells = 16, 24
    fresh = games // 5
    look = Budget(1, STARTS, cells, games // 20 // (STARTS * cells))
    left = games - fresh - look.total
    generations = min(max(left // (size * cells * 10), 2), 60)
    search = Budget(generations, size, cells, left // (generations * size * cells))
    return Shares(look, search, replace(FRESH, games=fresh // (2 * FRESH.cells)))


def fit_overlay(
    catalog: Catalog,
    edition: str,
    twist_id: str,
    pairs: Sequence[Pair],
    games: int,
    seed: int,
    jobs: int | None = None,
    advance: Advance = lambda _: None,
) -> Fitting:
    """Fit the offset of a twist with a number of games, and write it as an overlay."""
    shares = share_out(games)
    twist, printed = catalog.twist(twist_id), catalog.edition(edition).id
    compile_cell(catalog, printed, 4, [twist.id])  # refuses a twist that the edition does not have
    fit = fit_offset(catalog, printed, twist, pairs, shares, seed, jobs, advance)
    low, high = fit.gain - fit.spread, fit.gain + fit.spread
    head = [
        f"# How players adapt to the twist {twist.id}:",
        f"# balance tune --twist {twist.id} --edition {printed} --budget {games} --seed {seed}",
        f"# gains {fit.gain:+.3f} win points ({low:+.3f} to {high:+.3f}) on {shares.fresh.total} fresh games"
        + ("." if low > 0 else ": nothing that can be told from 0, so nothing is changed."),
    ]
    text = "\n".join([*head, offset_text(fit.offset)])
    return Fitting(text, fit.gain, low, high, shares.total, shares.fresh.total)


def best_response(
    cell: Cell,
    budget: Budget,
    seed: int,
    jobs: int | None = None,
    advance: Advance = lambda _: None,
) -> Vector:
    """Tune all parameters of one player in one cell, where everybody else plays `adaptive`.

    It starts as `adaptive`; `budget.cells` is how often the cell is dealt for a generation.
    """
    league: list[tuple[int, Vector | None]] = [(POLICIES["adaptive"], None)]
    start = cell.rules["weights"][0, POLICIES["adaptive"]] / cell.economy

    def draw(rng: np.random.Generator) -> list[Task]:
        return [draw_task(cell, rng, budget.games, league, guests=0.0) for _ in range(budget.cells)]

    found = optimise(
        start, _STEPS, lambda vector, _: _clipped(vector), draw, budget, seed, jobs=jobs, advance=advance
    )
    return np.round(_clipped(found), 4)


def tune_offsets(
    policies: Policies,
    pairs: Mapping[str, Sequence[Pair]],
    only: Sequence[str] | None,
    say: Say,
    keep: Keep = lambda _: None,
) -> Policies:
    """Tune the offsets of all twists, twice: two are in force at once, so each must suit the others."""
    for part, shares in enumerate(TWIST):
        for number, twist in enumerate(load_catalog().twists):
            if not only or twist.id in only:
                catalog = replace(load_catalog(), policies=policies)
                seed, edition = TUNING_SEED + 1000 * (1 + part) + number, twist.editions[0]
                fit = fit_offset(catalog, edition, twist, pairs[edition], shares, seed)
                say(f"{twist.id}: {fit.gain:+.3f} win points (+-{fit.spread:.3f}) on fresh games")
                policies = with_offsets(policies, [fit.offset])
        keep(policies)
    return policies

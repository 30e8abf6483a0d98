"""How fast a game is played: games, rounds and decisions per second, and how long the first game takes.

Measures and returns figures; prints nothing. Every figure is a median of several repeats with the lowest and
the highest beside it, and what is compared is measured in turns, so that a busy moment hits both sides.
"""

from __future__ import annotations

import random
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from balance.errors import UsageError
from balance.games.contract import Facts, Game, Measured, Throughput
from balance.games.lineup import Lineup, parse_lineup
from balance.processes import timed

__all__ = [
    "Figure",
    "Start",
    "Workload",
    "figures",
    "lineups",
    "measure",
    "measured",
    "player_counts",
    "sample",
    "start_figures",
    "starts",
    "workloads",
]

SEED: Final = 1
SAMPLED: Final = 50
"""Combinations of variants that stand for all of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """What is played in one measurement; the games are shared out evenly among the cells."""

    lineup: Lineup
    variants: str
    """Which variants are in force, for people: `none`, `50 pairs`."""
    cells: tuple[Any, ...]
    share: int = 1
    """Slow players play one game of so many."""

    @property
    def players(self) -> int:
        """How many play."""
        return self.lineup.players


@dataclass(frozen=True, slots=True)
class Figure:
    """One measure of one workload, over all repeats."""

    measure: str
    lineup: str
    players: int
    variants: str
    threads: int
    median: float
    low: float
    high: float
    unit: str
    n: int
    """Games of one measurement."""
    repeats: int


@dataclass(frozen=True, slots=True)
class Start:
    """A process that plays its first game."""

    measure: str
    seconds: tuple[float, ...]


Runs = dict[tuple[Workload, int], list[Throughput]]
"""The repeats of every workload and number of threads."""


# --- what is measured


def measured(game: Game[Any, Any]) -> Measured:
    """Return the game as one that can be measured; UsageError if it cannot."""
    if not isinstance(game, Measured):
        raise UsageError(f"the game {game.name} does not count what it plays, so its speed is not known")
    return game


def player_counts(facts: Facts) -> tuple[int, ...]:
    """Return the lowest, the middle and the highest number of players."""
    low, high = facts.players
    return tuple(sorted({low, (low + high) // 2, high}))


def lineups(facts: Facts) -> dict[str, int]:
    """Return the lineups that a game wants measured, and of how many games each plays one.

    A game that names none is measured with each of its policies against itself.
    """
    return dict(facts.bench_lineups) or {f"mirror:{policy}": 1 for policy in facts.policies}


def sample(facts: Facts, variants: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the combinations of variants that stand for all: always the same of the same variants."""
    together = min(facts.variants_at_once, 2)
    if not together:
        return []
    every = list(combinations(sorted(variants), together))
    return sorted(random.Random(SEED).sample(every, min(SAMPLED, len(every))))  # noqa: S311 - no secret


def workloads(
    game: Game[Any, Any], of_lineups: Sequence[str] = (), players: Sequence[int] = ()
) -> list[Workload]:
    """Return what to measure: each lineup and number of players, without variants and over the sample."""
    facts = game.facts
    catalog = game.load_catalog()
    edition = facts.default_edition
    combined = sample(facts, game.variants(catalog, edition))
    found: list[Workload] = []
    for count in dict.fromkeys(players or player_counts(facts)):
        plain = (game.compile(catalog, edition, count),)
        varied = tuple(game.compile(catalog, edition, count, variants) for variants in combined)
        shares = dict.fromkeys(of_lineups, 1) or lineups(facts)
        seated = {parse_lineup(text, count, game): share for text, share in shares.items()}
        for lineup, share in seated.items():
            found.append(Workload(lineup, "none", plain, share))
            if varied:
                found.append(Workload(lineup, _name(combined), varied, share))
    return found


def _name(combined: Sequence[tuple[str, ...]]) -> str:
    return f"{len(combined)} {'pairs' if len(combined[0]) == 2 else 'singles'}"


# --- playing


def measure(
    game: Measured,
    work: Sequence[Workload],
    games: int,
    repeats: int,
    threads: Sequence[int],
    advance: Callable[[], object] = lambda: None,
) -> Runs:
    """Play every workload on every number of threads, all of them in turns, `repeats` times.

    Always the same games, so what differs between repeats is the machine.
    """
    runs: Runs = {(load, count): [] for load in work for count in threads}
    for load in work:
        _play(game, load, 1, 1)  # whatever the first game of a process has to wait for
    for _ in range(repeats):
        for (load, count), done in runs.items():
            done.append(_play(game, load, games, count))
            advance()
    return runs


def _play(game: Measured, load: Workload, games: int, threads: int) -> Throughput:
    games = max(1, games // load.share)
    cells = load.cells[:games]
    return game.measure(cells, SEED, 0, -(-games // len(cells)), load.lineup, threads)


def figures(runs: Runs) -> Iterator[Figure]:
    """Yield what the repeats say: speeds of every workload, then the gain by threads."""
    for (load, threads), done in runs.items():
        yield _figure("games/s", load, threads, [run.games / run.seconds for run in done], "1/s", done)
        yield _figure("rounds/s", load, threads, [run.rounds / run.seconds for run in done], "1/s", done)
        spent = [run.seconds * 1e9 / max(run.decisions, 1) for run in done]
        yield _figure("decision", load, threads, spent, "ns", done)
    for (load, threads), done in runs.items():
        if threads != 1 and (load, 1) in runs:
            alone = runs[load, 1]
            gains = [one.seconds / many.seconds for one, many in zip(alone, done, strict=True)]
            yield _figure("speed-up", load, threads, gains, "x", done)


def _figure(
    measure: str, load: Workload, threads: int, values: Sequence[float], unit: str, done: Sequence[Throughput]
) -> Figure:
    return Figure(
        measure, load.lineup.text, load.players, load.variants, threads,
        statistics.median(values), min(values), max(values), unit, done[0].games, len(values),
    )  # fmt: skip


# --- starting

# Everything that is compiled for rows; the game is named by the arguments.
_FIRST_GAME: Final = """
import sys
from balance import games
from balance.games.lineup import parse_lineup
game = games.get(sys.argv[1])
facts = game.facts
players = facts.players[0]
cell = game.compile(game.load_catalog(), facts.default_edition, players)
lineup = parse_lineup(sys.argv[2], players, game)
game.play(cell, 0, [0], lineup.seated(0, [0]))
"""
# The same for a replay, which is compiled apart where it has a log to write.
_FIRST_REPLAY: Final = _FIRST_GAME.replace(
    "game.play(cell, 0, [0], lineup.seated(0, [0]))", "game.replay(cell, 0, 0, lineup.names(0, 0))"
)


def starts(game: Game[Any, Any], repeats: int, advance: Callable[[], object] = lambda: None) -> list[Start]:
    """Time whole processes: one game with an empty cache (once), then with what that left behind.

    The cache is a temporary folder, so neither finds what the user has compiled before.
    """
    plain = next(iter(lineups(game.facts)))
    first_game = ["-c", _FIRST_GAME, game.name, plain]
    first_thought = ["-c", _FIRST_GAME, game.name, game.facts.default_lineup]
    first_replay = ["-c", _FIRST_REPLAY, game.name, game.facts.default_lineup]
    replay = ["-m", "balance", "replay", "--of", game.name, "--players", str(game.facts.players[0])]
    cache = tempfile.mkdtemp(prefix="balance-bench-")
    try:
        cold = [_seconds(first_game, cache)]
        advance()
        cold_players = [_seconds(first_thought, cache)]
        advance()
        cold_replay = [_seconds(first_replay, cache)]
        advance()
        warm: list[float] = []
        replayed: list[float] = []
        for _ in range(repeats):
            warm.append(_seconds(first_thought, cache))
            replayed.append(_seconds(replay, cache))
            advance()
    finally:
        shutil.rmtree(cache, ignore_errors=True)
    return [
        Start("cold", tuple(cold)),
        Start("cold players", tuple(cold_players)),
        Start("cold replay", tuple(cold_replay)),
        Start("warm", tuple(warm)),
        Start("replay", tuple(replayed)),
    ]


def start_figures(game: Game[Any, Any], timed: Sequence[Start]) -> Iterator[Figure]:
    """Yield how long the first game of a process takes."""
    facts = game.facts
    for start in timed:
        taken = start.seconds
        yield Figure(
            start.measure, facts.default_lineup, facts.players[0], "none", 1,
            statistics.median(taken), min(taken), max(taken), "s", 1, len(taken),
        )  # fmt: skip


def _seconds(arguments: Sequence[str], cache: str) -> float:
    """Return the wall time of one Python process."""
    return timed("a process that plays one game", arguments, BALANCE_CACHE_DIR=cache).seconds

"""How strong the policies are against each other: one against the rest, and mixed tables.

Seeds and samples are those of `balance.experiments.samples`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from balance import games, machine
from balance.errors import UsageError
from balance.experiments.dealing import play_deals
from balance.experiments.samples import PUBLISHED_SEED, sample
from balance.games.contract import Game
from balance.games.keys import check_keys
from balance.games.lineup import Lineup, drawn_lineup, parse_lineup
from balance.games.variants import variant_names
from balance.stats.ratio import Ratio

EVERYBODY: Final = "all"
NONE: Final = "none"
SAMPLE: Final = "sample"
"""What names no variants, and a fixed sample of combinations."""
_DIGITS: Final = 4


@dataclass(frozen=True, slots=True)
class Rung:
    """The win points of a policy against some opponents, with their 95% interval."""

    measure: str
    """`mixed` or `one`."""
    policy: str
    against: str
    value: float
    low: float
    high: float
    games: int
    stalled: int


@dataclass(frozen=True)
class Match:
    """A lineup to be played, every rotation of its deals, and whose win points are measured."""

    measured: tuple[str, ...]
    against: str
    lineup: Lineup
    deals: int


@dataclass(frozen=True)
class Ladder:
    """Every ordered pair of policies and mixed tables, to be played; and its rungs once it was."""

    game: Game[Any, Any]
    edition: str
    players: int
    described: str
    seed: int
    policies: tuple[str, ...]
    cells: tuple[Any, ...]
    matches: tuple[Match, ...]
    rungs: tuple[Rung, ...] = ()
    """The win points at mixed tables, the best policy first, then those of one against the rest."""

    @property
    def games(self) -> int:
        """How many games that is."""
        return len(self.cells) * sum(match.deals * match.lineup.rotations for match in self.matches)

    def play(self, jobs: int | None = None, advance: Callable[[int], object] = lambda _: None) -> Ladder:
        """Play everything; the result does not depend on the number of jobs.

        `advance` is called with the games played since its last call.
        """
        threads = machine.threads(jobs)
        found = [rung for match in self.matches for rung in self._play(match, threads, advance)]
        mixed = sorted((r for r in found if r.measure == "mixed"), key=lambda r: (-r.value, r.policy))
        order = {rung.policy: place for place, rung in enumerate(mixed)}
        ones = [rung for rung in found if rung.measure == "one"]
        ones.sort(key=lambda rung: (order[rung.policy], order[rung.against]))
        return replace(self, rungs=(*mixed, *ones))

    def _play(self, match: Match, jobs: int, advance: Callable[[int], object]) -> list[Rung]:
        import numpy as np

        tasks = (
            (cell, match.lineup, range(place * match.deals, (place + 1) * match.deals))
            for place, cell in enumerate(self.cells)
        )
        measured = np.array([self.game.policy_number(name) for name in match.measured])
        points = Ratio.of(np.zeros((len(measured), 0)), 0, match.lineup.players)
        played = stalled = 0
        for batch in play_deals(self.game, tasks, self.seed, jobs):
            score, seats = batch.by_deal(batch.seated[:, :, None] == measured)
            points += Ratio.of(score.T, seats.T)  # a row per policy
            played += batch.winners.size
            stalled += int((batch.winners < 0).sum())
            advance(batch.winners.size)
        measure = "mixed" if match.against == EVERYBODY else "one"
        found = []
        for place, name in enumerate(match.measured):
            value, low, high = (round(end, _DIGITS) + 0.0 for end in points[place].interval)
            found.append(Rung(measure, name, match.against, value, low, high, played, stalled))
        return found


def request(
    *,
    players: int = 4,
    variants: Sequence[str] = (),
    policies: Sequence[str] = (),
    games_per_match: int = 20_000,
    seed: int = PUBLISHED_SEED,
    edition: str | None = None,
    catalog: Iterable[str | Path] = (),
    game: str = games.DEFAULT,
) -> Ladder:
    """Return the ladder of some policies (by default all), under no variants, under these, or a `sample`.

    Each pair plays at least `games_per_match` games, and each policy as many at mixed tables, shared out
    evenly among the cells; all rotations of a deal are played.
    """
    check_keys(seed, 0)
    found = games.get(game)
    loaded = found.load_catalog(catalog)
    printed = edition or found.facts.default_edition
    combined: Sequence[tuple[str, ...]] = [()]
    if list(variants) == [SAMPLE]:
        combined = sample(found, loaded, printed)
    elif variants and list(variants) != [NONE]:
        combined = [tuple(variant_names(found, loaded, variants))]
    cells = tuple(found.compile(loaded, printed, players, combination) for combination in combined)
    wanted = list(policies) or found.facts.policies
    names = tuple(dict.fromkeys(found.policy_name(found.policy_number(name)) for name in wanted))
    if len(names) < 2:
        raise UsageError(f"a ladder needs two policies at least, not {len(names)} ({', '.join(names)})")
    deals = _share(games_per_match, len(cells) * players)
    ones = [
        Match((one,), rest, parse_lineup(",".join([one, *[rest] * (players - 1)]), players, found), deals)
        for one in names
        for rest in names
        if one != rest
    ]
    together = drawn_lineup(names, players, found, EVERYBODY)
    mixed = Match(names, EVERYBODY, together, _share(games_per_match * len(names), len(cells)))
    said = " + ".join(combined[0]) or f"no {found.facts.variants}"
    if len(combined) > 1:
        said = f"{len(combined)} combinations of {found.facts.variants}"
    return Ladder(found, printed, players, said, seed, names, cells, (*ones, mixed))


def ladder(*, jobs: int | None = None, **asked: Any) -> Ladder:
    """Measure how strong policies are: one against the rest, and mixed tables; `request` has the options."""
    return request(**asked).play(jobs)


def _share(wanted: int, parts: int) -> int:
    return max(1, math.ceil(wanted / parts))

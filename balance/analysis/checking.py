"""Checking one combination of variants: play what is needed, judge it, and gather what explains the verdict.

The combination is played together with each of its variants alone and with none, on the same seeds, so that
what it does can be told from what the game does anyway. The games lie in a run like any other: they can be
queried and replayed, and the same check finds them again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from balance import games
from balance.analysis.cells import CellStatistics, Statistics, statistics
from balance.analysis.equilibrium import Surviving, surviving
from balance.analysis.interaction import Interaction, Together, interactions, together
from balance.analysis.sentences import finding_sentence
from balance.analysis.thresholds import Thresholds, load_thresholds
from balance.analysis.verdict import (
    Bench,
    CellVerdict,
    Finding,
    Judgement,
    Judgements,
    Verdict,
    combined,
    judge,
    unfitted_variants,
    worst_first,
)
from balance.dataset.run import Run, open_runs
from balance.dataset.verify import require_intact
from balance.errors import DataError, UsageError
from balance.games.contract import Catalog, Game
from balance.games.variants import variant_ids

__all__ = ["STRENGTHS", "Check", "Scale", "check", "judged"]

Play = Callable[[Any], Run]
"""Carries a prepared run out."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How much a check plays."""

    games: int | None
    """Games per cell, or None: as many as `precision` takes."""
    precision: str | None = None
    search_games: int = 0
    """Games per cell of players who think everything out, at one number of players."""


STRENGTHS: Final[Mapping[str, Scale]] = {
    "quick": Scale(400),
    "normal": Scale(None, "1pp"),
    "expert": Scale(None, "1pp", search_games=200),
}
SEARCH_PLAYERS: Final = 4


@dataclass(frozen=True)
class Check:
    """A combination of variants, judged at several numbers of players, and what explains the verdict."""

    game: Game[Any, Any]
    catalog: Catalog
    variants: tuple[str, ...]
    runs: tuple[Run, ...]
    statistics: Statistics
    bench: Bench
    judgements: Judgements
    """Those of the combination and, beside them, of its parts alone: one family."""
    interactions: tuple[Interaction, ...]
    together: tuple[Together, ...]

    @property
    def own(self) -> list[Judgement]:
        """The verdicts on the combination, by number of players."""
        return [found for found in self.judgements.judgements if found.variants == self.variants]

    @property
    def verdict(self) -> Verdict:
        """Broken if it is at any number of players, fine only if it is at all."""
        return combined(found.verdict for found in self.own)

    @property
    def games(self) -> int:
        """How many games the verdict rests on."""
        return sum(cell.games for cell in self.statistics.cells.values())

    def sentence(self, finding: Finding) -> str:
        """Return a finding in words, beside the same without variants."""
        return finding_sentence(finding, self.bench.without(finding), self._items)

    @cached_property
    def _items(self) -> dict[str, str]:
        rows = self.runs[0].small(self.game.facts.items).to_dicts()
        return {str(row["id"]): str(row.get("name") or row["id"]) for row in rows}

    def worst(self) -> tuple[CellVerdict, Finding | None]:
        """Return the cell that shows best what the verdict is about, and what is wrong there."""
        cells = [cell for judgement in self.own for cell in judgement.cells]
        broken = [(cell, cell.broken[0]) for cell in cells if cell.broken]
        if broken:
            return min(broken, key=lambda pair: worst_first(pair[1]))
        open_ = [cell for cell in cells if cell.verdict is Verdict.UNDECIDED and cell.holding]
        if open_:
            cell = max(open_, key=lambda cell: cell.further)
            return cell, cell.holding
        return cells[len(cells) // 2], None

    @cached_property
    def styles(self) -> list[Surviving]:
        """Which styles of play survive, at the number of players that shows the verdict best."""
        return surviving(self.runs, self.variants, self.worst()[0].cell.players)

    @cached_property
    def telling_game(self) -> tuple[Run, int, str] | None:
        """A game that shows what is wrong, or a typical one: its run, its id, and what it is."""
        cell, finding = self.worst()
        name = finding.measured.metric.name if finding else ""
        for run in self.runs:
            found = _telling_game(run, cell.cell, name)
            if found is not None:
                return run, *found
        return None


def _telling_game(run: Run, cell: CellStatistics, metric: str) -> tuple[int, str] | None:
    """Return a game of a cell: one that nobody won if that is the fault, otherwise one of typical length."""
    import polars as pl

    stored = {column.role: column.name for column in next(t for t in run.tables if t.name == "games").columns}
    length, stalled = stored["length"], stored["stalled"]
    rows = run.games.filter(pl.col("cell_id") == cell.id).select("game_id", length, stalled).collect()
    if rows.is_empty():
        return None
    if metric == "stalls" and rows[stalled].any():
        return rows.filter(pl.col(stalled))["game_id"].sort()[0], "nobody wins it"
    middle = rows[length].sort()[rows.height // 2]
    typical = rows.filter(pl.col(length) == middle)["game_id"].sort()[0]
    return typical, f"one of typical length, {middle} rounds"


def check(
    names: Sequence[str],
    *,
    game: str = games.DEFAULT,
    players: str | int | Sequence[int] | None = None,
    strength: str = "quick",
    runs: Sequence[str | Path] = (),
    edition: str | None = None,
    seed: int = 0,
    catalog: Iterable[str | Path] = (),
    thresholds: Iterable[str | Path] = (),
    play: Play | None = None,
) -> Check:
    """Judge a combination of variants, by games of its own or by those of runs that are there.

    >>> check(["Unions", "Geeks"], strength="slow")
    Traceback (most recent call last):
    balance.errors.UsageError: strength 'slow': expected quick, normal or expert
    """
    if strength not in STRENGTHS:
        raise UsageError(f"strength '{strength}': expected quick, normal or expert")
    if not names:
        raise UsageError("name at least one variant to be checked")
    if runs:
        opened: Sequence[Run] = open_runs(runs)
        require_intact(run.path for run in opened)
        catalog_, found = opened[0].catalog, opened[0].game
        variants = tuple(sorted(variant_ids(found, catalog_, opened[0].plan.edition, names)))
    else:
        found = games.get(game)
        catalog_ = found.load_catalog(catalog)
        printed = edition or found.facts.default_edition
        variants = tuple(sorted(variant_ids(found, catalog_, printed, names)))
        opened = _play(found, variants, players, strength, edition, seed, catalog, play)
    return judged(found, catalog_, variants, opened, players, load_thresholds(found, thresholds))


def _play(
    game: Game[Any, Any],
    variants: tuple[str, ...],
    players: str | int | Sequence[int] | None,
    strength: str,
    edition: str | None,
    seed: int,
    catalog: Iterable[str | Path],
    play: Play | None,
) -> list[Run]:
    """Play the combination, its parts and none, or find that this was done before."""
    from balance.sweep import simulation

    scale = STRENGTHS[strength]
    play = play or (lambda prepared: simulation.run_prepared(prepared).run)
    parts = [",".join(part) for k in range(1, len(variants) + 1) for part in combinations(variants, k)]
    asked = simulation.prepare(
        game=game.name,
        edition=edition,
        players=players,
        variants=["none", *parts],
        games_per_cell=scale.games,
        precision=scale.precision,
        seed=seed,
        catalog=catalog,
    )
    opened = [play(asked)]
    counts = {cell.players for cell in opened[0].plan.cells}
    if scale.search_games and game.facts.expert_lineup:
        at = SEARCH_PLAYERS if SEARCH_PLAYERS in counts else max(counts)
        folder = opened[0].path.with_name(f"{opened[0].path.name}-expert")
        further = simulation.prepare_extension(
            opened[0].path,
            folder,
            players=at,
            variants=["none", *parts],
            games_per_cell=scale.search_games,
            lineups=game.facts.expert_lineup,
        )
        opened.append(play(further))
    return opened


def judged(
    game: Game[Any, Any],
    catalog: Catalog,
    variants: tuple[str, ...],
    runs: Sequence[Run],
    players: str | int | Sequence[int] | None,
    thresholds: Thresholds,
) -> Check:
    """Judge a combination by the games of runs; DataError if they have none of it."""
    from balance.sweep.planning import parse_players

    texts = [] if players is None else [str(players)] if isinstance(players, str | int) else map(str, players)
    counts = set(parse_players(list(texts), game.facts))
    cells = {cell.id: cell for run in runs for cell in run.plan.cells if cell.games}
    parts = {part for k in range(1, len(variants) + 1) for part in combinations(variants, k)}
    wanted = [
        number
        for number, cell in sorted(cells.items())
        if tuple(sorted(cell.variants)) in parts and (not counts or cell.players in counts)
    ]
    if not any(tuple(sorted(cells[number].variants)) == variants for number in wanted):
        raise DataError(f"the runs hold no games of {' + '.join(variants)} at these numbers of players")
    summed = statistics(runs, wanted, items=True)
    bench = Bench(summed, unfitted_variants(game, catalog))
    found = judge(summed, thresholds, cells=wanted, bench=bench)
    pairs = [number for number in wanted if tuple(sorted(cells[number].variants)) == variants]
    beyond = interactions(runs, summed, pairs) if len(variants) == 2 else []
    both = together(found, summed) if len(variants) == 2 else []
    return Check(game, catalog, variants, tuple(runs), summed, bench, found, tuple(beyond), tuple(both))

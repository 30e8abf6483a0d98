"""What a report is made of: all that is computed from runs, once, before anything is put into words."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from balance.dataset.derived import create_tables
from balance.dataset.item_sums import has_items
from balance.dataset.plan import PlannedCell
from balance.dataset.run import Run
from balance.errors import DataError
from balance.experiments.causes import explain
from balance.experiments.published import PublishedLadders, PublishedPrices, measured_ladders
from balance.experiments.rank import Confirmed, confirm
from balance.games.contract import CatalogEntry, Facts, Game
from balance.games.lineup import parse_lineup
from balance.judge.interaction import Interaction, Together, interactions
from balance.judge.ranking import HEADLINE, Ranking, rank, ranked
from balance.judge.strengths import strength_of
from balance.judge.tables import files
from balance.judge.thresholds import Thresholds
from balance.judge.verdict import Judgement, Key, Verdict
from balance.measure.cells import Statistics, connect, connect_to
from balance.measure.cells import statistics as summed
from balance.measure.items import choose_cells, items_of
from balance.measure.metrics import Figures
from balance.report.formatting import command_path, count
from balance.report.model import FIRST_SCREEN, Chart, Table
from balance.report.query_blocks import RunQueries
from balance.sweep.replaying import own_rules

if TYPE_CHECKING:
    import duckdb

    from balance.experiments.side_by_side import Play

_MENDED_GAMES: Final = 200
"""Deals on which each rule of the worst is switched off: what breaks a game clearly shows in few."""
OWN_RULES: Final = "own-rules.toml"
"""The file in which a reader puts the rules of a run that are not the official ones."""

Described = tuple[tuple[str, tuple[str, ...]], ...]

Step = Callable[[str], None]
"""Told what is done next, for a progress bar."""


@dataclass(frozen=True)
class Evidence:
    """Everything at hand."""

    runs: tuple[Run, ...]
    con: duckdb.DuckDBPyConnection
    """The one connection of the report; what is summed up once stays there for all queries."""
    thresholds: Thresholds
    players: tuple[int, ...]
    statistics: Statistics
    ranking: Ranking | None = None
    """None: the runs hold no game under variants."""
    fresh: tuple[Confirmed, ...] = ()
    mended: Mapping[Key, str] = field(default_factory=dict)
    """Without which rules the worst are not broken, in words, by players and variants."""
    not_fresh: str = ""
    """The reason why nothing was played on fresh seeds; empty if it was."""
    interactions: tuple[Interaction, ...] = ()
    strength: PublishedLadders | None = None
    prices: PublishedPrices | None = None

    @property
    def run(self) -> Run:
        """The first run; all others have the same game, catalog and seed."""
        return self.runs[0]

    @cached_property
    def own_rules(self) -> str:
        """The overlay with which a reader plays these games again; empty for the official catalog."""
        return own_rules(self.run)

    @property
    def catalog_options(self) -> tuple[str, ...]:
        """The options that name it, in a command for any computer."""
        return ("--catalog", OWN_RULES) if self.own_rules else ()

    @property
    def game(self) -> Game[Any, Any]:
        """The game."""
        return self.run.game

    @property
    def facts(self) -> Facts:
        """Its facts."""
        return self.game.facts

    @cached_property
    def queries(self) -> RunQueries:
        """The query files of reports on these runs."""
        narrowed = set(self.players) < {c.players for run in self.runs for c in run.plan.cells if c.games}
        options = judging_options(self.runs, self.players, self.thresholds)
        check = " ".join(["balance check --all", *(command_path(run.path) for run in self.runs), *options])
        lineups = {lineup: self.strength_name(lineup) for lineup in self.lineups}
        parts = {str(number): name for number, name in self.item_names.items()}
        names: dict[Any, str] = self.names | lineups | self.item_names | parts
        names["none"] = f"no {self.facts.variant}"
        other = narrowed or self.thresholds.overlays
        counts = self.players if narrowed else ()
        return RunQueries(self.run, self.con, names, counts, check if other else "")

    def ask(
        self, name: str, caption: str = "", *, n: str | None = None, table: bool = False, **given: Any
    ) -> Table | Chart:
        """Return the result of a query file, over `n` games in words; by default those it is about."""
        n = self.games_of(given.get("lineup", ""), given.get("size")) if n is None else n
        return self.queries.ask(name, caption, n=n, table=table, **given)

    @cached_property
    def item_lineup(self) -> str | None:
        """The lineup whose games say what items are worth; None if the game has none."""
        return choose_cells(self.runs, players=self.players)[0].lineup if has_items(self.game) else None

    @cached_property
    def item_names(self) -> dict[Any, str]:
        """The names of all items by id."""
        items = items_of(self.game, self.run.catalog) if has_items(self.game) else []
        return {item.id: item.name for item in items}

    def games_of(self, lineup: str = "", size: int | None = None) -> str:
        """Return how many games were looked at, all or those of a lineup or number of variants, in words."""
        cells = (c for c in self.statistics.cells.values() if lineup in ("", c.lineup))
        own = (cell.games for cell in cells if size in (None, len(cell.variants)))
        return count(sum(own), "game", "games")

    def games_of_each(self, lineup: str) -> str:
        """Return how many games each variant has alone, at the players of pictures, in words."""
        cells = self.statistics.cells.values()
        own = [
            c.games for c in cells if (c.lineup, c.players) == (lineup, self.middle) and len(c.variants) < 2
        ]
        few, many = min(own, default=0), max(own, default=0)
        return f"{few:,} {f'to {many:,} ' if many > few else ''}games of each"

    @cached_property
    def names(self) -> dict[str, str]:
        """The names of all variants by id."""
        rows = self.run.small(self.facts.variants).to_dicts()
        return {str(row["id"]): str(row.get("name") or row["id"]) for row in rows}

    def title(self, variants: Sequence[str]) -> str:
        """Return the names of variants that are in force together."""
        return " + ".join(self.names.get(name, name) for name in variants) or f"no {self.facts.variant}"

    def described(self, variant: str) -> Described:
        """Return what the catalog says of a variant: paragraphs under headings, the rule first."""
        return described(self.game, self.run.catalog, variant, self.names.get(variant, variant))

    @cached_property
    def lineups(self) -> tuple[str, ...]:
        """The lineups that were played, the weakest play first."""
        played = {cell.lineup for cell in self.statistics.cells.values() if cell.games}
        order = [strength.name for strength in self.facts.strengths]

        def place(lineup: str) -> tuple[int, str]:
            name = strength_of(self.facts, lineup).name
            return (order.index(name) if name in order else len(order)), lineup

        return tuple(sorted(played, key=place))

    def strength_name(self, lineup: str) -> str:
        """Return how well those play whom a lineup seats: "skilled play"."""
        return strength_of(self.facts, lineup).name

    @cached_property
    def usual(self) -> str:
        """The lineup of the game's usual players, or else the strongest that was played."""
        preferred = (self.facts.default_lineup, *self.facts.default_sweep_lineups)
        return next((name for name in preferred if name in self.lineups), self.lineups[-1])

    @property
    def middle(self) -> int:
        """The number of players at which pictures are drawn that show one."""
        return self.players[len(self.players) // 2]

    @cached_property
    def mixed(self) -> tuple[str, ...]:
        """The lineups in which different policies meet."""
        players = max(self.players)
        return tuple(name for name in self.lineups if parse_lineup(name, players, self.game).mixed)

    @property
    def games(self) -> int:
        """How many games were looked at."""
        return sum(cell.games for cell in self.statistics.cells.values())

    @cached_property
    def size(self) -> int:
        """How many variants the combinations have that the report is about: the most that were played."""
        return max((len(cell.variants) for cell in self.statistics.cells.values()), default=0)

    @cached_property
    def judged(self) -> tuple[Judgement, ...]:
        """The verdicts on full combinations, the worst first."""
        ranked = self.ranking.ranked if self.ranking else ()
        return tuple(found for found in ranked if len(found.variants) == self.size)

    @cached_property
    def by_combination(self) -> dict[tuple[str, ...], list[Judgement]]:
        """The verdicts on each full combination, by number of players."""
        found: dict[tuple[str, ...], list[Judgement]] = {}
        for judgement in sorted(self.judged, key=lambda j: j.key):
            found.setdefault(judgement.variants, []).append(judgement)
        return found

    @cached_property
    def again(self) -> dict[Key, Confirmed]:
        """What breaks a combination most, measured again on fresh games, by players and variants."""
        by_finding = {id(one.finding): one for one in self.fresh}
        found = ((j.key, by_finding.get(id(j.reasons[0]))) for j in self.judged if j.reasons)
        return {key: one for key, one in found if one is not None}

    def unconfirmed(self, judgement: Judgement) -> bool:
        """Return whether a combination looked broken, and did not on fresh games."""
        again = self.again.get(judgement.key)
        return judgement.verdict is Verdict.BROKEN and again is not None and not again.holds

    def find(self, players: int, variants: Sequence[str]) -> Judgement | None:
        """Return the verdict on some variants."""
        return self._found.get((players, tuple(variants)))

    @cached_property
    def _found(self) -> dict[tuple[int, tuple[str, ...]], Judgement]:
        return {j.key: j for j in (self.ranking.ranked if self.ranking else ())}

    def cell(self, players: int, variants: Sequence[str], lineup: str) -> PlannedCell | None:
        """Return a cell, if it was played."""
        return self.statistics.find(players, variants, lineup)

    @property
    def combination(self) -> str:
        """The name of a full combination: `pair of twists`, `mood`."""
        return f"pair of {self.facts.variants}" if self.size == 2 else self.facts.variant

    @property
    def combinations(self) -> str:
        """The same in the plural: `pairs of twists`, `moods`."""
        return f"pairs of {self.facts.variants}" if self.size == 2 else self.facts.variants


def described(game: Game[Any, Any], catalog: Any, variant: str, name: str) -> Described:
    """Return what a catalog says of a variant: paragraphs under headings, the rule first."""
    return game.describe(catalog, CatalogEntry(game.facts.variant, variant, name)).sections


def rule_of(sections: Described) -> str:
    """Return what a variant does, in words."""
    return " ".join(dict(sections).get("Rule") or (sections[0][1] if sections else ()))


def judging_options(
    runs: Sequence[Run],
    players: Collection[int],
    thresholds: Thresholds,
    named: Callable[[Path], str] = command_path,
) -> list[str]:
    """Return the options with which a command judges the same: what was narrowed or laid over.

    `named` says how files are named.
    """
    options = threshold_options(thresholds, named)
    if set(players) < {cell.players for run in runs for cell in run.plan.cells if cell.games}:
        options.insert(0, f"--players {','.join(map(str, players))}")
    return options


def threshold_options(thresholds: Thresholds, named: Callable[[Path], str] = command_path) -> list[str]:
    """Return the options that lay ranges over the official ones and accept findings."""
    return [
        *(f"--thresholds {named(path)}" for path in thresholds.overlays),
        *(f"--accept {shlex.quote(str(one))}" for one in thresholds.accepted),
    ]


def headliners(ranking: Ranking, size: int) -> dict[Key, Judgement]:
    """Return what a report names first: the worst that are broken, then pairs that are so only together.

    Each is named once in either list, at the number of players where it is worst; of the pairs the sure ones
    come first.
    """
    by_key = {judgement.key: judgement for judgement in ranking.ranked}

    def order(both: Together) -> tuple[object, ...]:
        # the reason that is measured again is the worst: name the pair where that is
        elsewhere = by_key[both.key].broken[0].cell.lineup != both.lineup
        return not both.sure, elsewhere, -by_key[both.key].severity, both.players, both.variants

    worst: dict[tuple[str, ...], Judgement] = {}
    for judgement in ranked(ranking.ranked):
        if judgement.verdict is Verdict.BROKEN and len(judgement.variants) == size:
            worst.setdefault(judgement.variants, judgement)
    surprising: dict[tuple[str, ...], Judgement] = {}
    for both in sorted(ranking.together, key=order):
        surprising.setdefault(both.variants, by_key[both.key])
    named = [*list(worst.values())[:HEADLINE], *list(surprising.values())[:HEADLINE]]
    return {judgement.key: judgement for judgement in named}


def measured_again(
    ranking: Ranking, size: int, again: Callable[[list[Judgement]], list[Confirmed]]
) -> list[Confirmed]:
    """Return the worst and the surprising on fresh games, each where it is worst.

    A combination that is refuted there is measured again wherever else it looked broken.
    """
    named = headliners(ranking, size)
    found = again(list(named.values()))
    refuted = {one.finding.cell.variants for one in found if not one.holds}
    others = [
        j
        for j in ranking.ranked
        if j.verdict is Verdict.BROKEN and j.variants in refuted and j.key not in named
    ]
    return [*found, *(again(others) if others else ())]


def collect(
    runs: Sequence[Run],
    thresholds: Thresholds,
    players: Sequence[int] = (),
    *,
    play: Play,
    step: Step = lambda _: None,
    prices: PublishedPrices | None = None,
    jobs: int | None = None,
) -> Evidence:
    """Compute everything that a report on all combinations says."""
    counts = _counts(runs, players)
    step("games, seats, deals")
    con = connect()
    every = summed(runs, into=con)
    kept = {k: cell for k, cell in every.cells.items() if not players or cell.players in players}
    statistics = replace(every, cells=kept)
    step("verdicts")
    ranking = None
    if any(cell.variants and cell.games for cell in kept.values()):
        ranking = rank(runs, thresholds, players, summed=every)
        create_tables(con, files(runs, thresholds, players, ranking))
    step("pairs against their parts")
    beyond = interactions(runs, statistics, atlas=True, con=con)
    step("the worst on fresh seeds")
    fresh: list[Confirmed] = []
    mended: dict[Key, str] = {}
    why = "" if ranking else "nothing was judged"
    if ranking:
        size = max(len(cell.variants) for cell in kept.values())
        try:
            fresh = measured_again(ranking, size, lambda named: confirm(ranking, named, play))
            step("what would mend them")
            named = list(headliners(ranking, size).values())[:FIRST_SCREEN]
            mended = {judgement.key: _mended(runs, judgement, jobs) for judgement in named}
        except DataError as error:
            why = str(error)
    return Evidence(
        tuple(runs),
        con,
        thresholds,
        counts,
        statistics,
        ranking,
        tuple(fresh),
        mended,
        why,
        tuple(beyond),
        measured_ladders(runs[0].game),
        prices,
    )


def _mended(runs: Sequence[Run], judgement: Judgement, jobs: int | None) -> str:
    finding = judgement.broken[0]
    if finding.pooled:  # games without a rule are too few for what an item wins
        return ""
    cell = next(one for one in judgement.cells if one.cell.id == finding.cell.id)
    found = explain(runs, cell, [finding], deals=_MENDED_GAMES, jobs=jobs)
    return found.mended() if found else ""


def _counts(runs: Sequence[Run], players: Sequence[int]) -> tuple[int, ...]:
    """Return the numbers of players that were played, of those that are asked for."""
    played = {cell.players for run in runs for cell in run.plan.cells if cell.games}
    if not (counts := sorted(played.intersection(players or played))):
        raise DataError("the runs hold no games at these numbers of players")
    return tuple(counts)


def empty_evidence(runs: Sequence[Run], thresholds: Thresholds, players: Sequence[int] = ()) -> Evidence:
    """Return what is known before anything is computed: names, words and queries, for one item."""
    counts, facts = _counts(runs, players), runs[0].game.facts
    nothing = Statistics(facts, {}, Figures(facts))
    return Evidence(tuple(runs), connect_to(runs, metrics=True), thresholds, counts, nothing)

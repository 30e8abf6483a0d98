"""Checking one combination of variants: play what is needed, judge it, and gather what explains the verdict.

The combination is played together with each of its variants alone and with none, on the same seeds, so that
what it does can be distinguished from what the game does anyway. The games are kept in a run like any other:
they can be queried and replayed, and the same check finds them again. Without names the game is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from balance import games
from balance.dataset.plan import PlannedCell
from balance.dataset.run import Run, open_runs
from balance.dataset.schema import split_game_id
from balance.dataset.views import create_views
from balance.errors import DataError, UsageError
from balance.experiments.probe import Gain, probe
from balance.experiments.side_by_side import judge_runs, play_prepared
from balance.games.contract import Catalog, Game
from balance.games.variants import entry_names, texts_of, variant_ids
from balance.judge.bench import Bench
from balance.judge.findings import Finding, worst_first
from balance.judge.interaction import Interaction, Together, interactions, together
from balance.judge.quality import Probed
from balance.judge.sentences import finding_sentence
from balance.judge.thresholds import Thresholds, load_thresholds
from balance.judge.verdict import CellVerdict, Judgement, Judgements, Key, Verdict, combined
from balance.measure.cells import Statistics, connect
from balance.measure.metrics import Measurement
from balance.stats.corrections import ONE_LOOK, Look

if TYPE_CHECKING:
    import duckdb

    from balance.experiments.side_by_side import Play
    from balance.sweep.simulation import Prepared


@dataclass(frozen=True, slots=True)
class Scale:
    """The number of games that a check plays."""

    games: int | None
    precision: str | None = None
    looks: int = 1
    """How often the games are looked at, twice as many each time; what one look decides stays."""
    search_games: int = 0
    """Games per cell of players who think everything out, at one number of players."""
    probed: int = 0
    """Games in which each other policy plays one seat, at each number of players."""


STRENGTHS: Final[Mapping[str, Scale]] = {
    "quick": Scale(400, looks=3),
    "normal": Scale(None, "1pp", probed=300),
    "expert": Scale(None, "1pp", search_games=200, probed=300),
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
    together: tuple[Together, ...]
    thresholds: Thresholds
    con: duckdb.DuckDBPyConnection
    """Has the deals of the cells in memory, and the views of the runs."""
    strength: str = ""
    overlays: tuple[str | Path, ...] = ()
    gains: tuple[Gain, ...] = ()
    """The gain of others in the place of one default player, by number of players, as far as probed."""

    @property
    def own(self) -> list[Judgement]:
        """The verdicts on the combination, by number of players."""
        return [found for found in self.judgements.judgements if found.variants == self.variants]

    @property
    def verdict(self) -> Verdict:
        """The first of broken, undecided, bent and fine that holds at some number of players."""
        return combined(found.verdict for found in self.own)

    @property
    def games(self) -> int:
        """How many games the verdict rests on."""
        return sum(cell.games for cell in self.statistics.cells.values())

    @property
    def kept_runs(self) -> list[Run]:
        """The runs that are still there after this process has ended."""
        from balance.sweep.folder import is_scratch

        return [run for run in self.runs if not is_scratch(run.path)]

    def sentence(self, finding: Finding) -> str:
        """Return a finding in words, beside the same without variants."""
        return finding_sentence(finding, self.bench.without(finding), self.items)

    @cached_property
    def items(self) -> dict[str, str]:
        """The names of all items by id."""
        return entry_names(self.game, self.catalog, self.game.facts.item)

    def worst(self) -> tuple[CellVerdict, Finding | None]:
        """Return the cell that shows best what the verdict is about, and what is wrong there."""
        cells = [cell for judgement in self.own for cell in judgement.cells]
        wrong = [(cell, cell.broken[0]) for cell in cells if cell.broken]
        if not wrong and self.verdict is Verdict.BENT:
            wrong = [(cell, cell.bent[0]) for cell in cells if cell.verdict is Verdict.BENT]
        if wrong:
            return min(wrong, key=lambda pair: worst_first(pair[1]))
        open_ = [cell for cell in cells if cell.verdict is Verdict.UNDECIDED and cell.holding]
        if open_:
            cell = max(open_, key=lambda cell: cell.further)
            return cell, cell.holding
        usual = [cell for cell in cells if cell.cell.lineup == self.game.facts.default_lineup] or cells
        return usual[len(usual) // 2], None

    @property
    def by_policy(self) -> list[tuple[PlannedCell, Measurement]]:
        """The win points of every policy where different ones meet, cell by cell."""
        return [
            (cell.cell, measured)
            for judgement in self.own
            for cell in judgement.cells
            for measured in self.bench.of(cell.cell)
            if measured.metric.name == "win_points"
        ]

    @cached_property
    def interactions(self) -> list[Interaction]:
        """The effects of a pair beyond those of its two variants alone."""
        if len(self.variants) != 2:
            return []
        cells = [cell.cell.id for judgement in self.own for cell in judgement.cells]
        return interactions(self.runs, self.statistics, cells, con=self.con)

    @cached_property
    def telling_game(self) -> tuple[Run, int, str] | None:
        """A game that shows what is wrong, or a typical one: its run, its id, and what it is."""
        cell, finding = self.worst()
        stalls = finding is not None and finding.measured.metric.name == "stalls"
        wanted = "select typical, middle, stalled from telling_games where cell_id = ?"
        typical, middle, stalled = self.con.execute(wanted, [cell.cell.id]).fetchall()[0]
        number = stalled if stalls else typical
        if number is None:  # what stalls on a fresh look alone
            return None
        index = split_game_id(number).index
        for run in self.runs:
            planned = run.plan.cell(cell.cell.id)
            if planned is not None and index in planned.indices:
                return run, number, "nobody wins it" if stalls else f"one of typical length, {middle} rounds"
        return None


def check(
    names: Sequence[str] = (),
    *,
    game: str = games.DEFAULT,
    players: str | int | Sequence[int] | None = None,
    strength: str = "quick",
    runs: Sequence[str | Path] = (),
    edition: str | None = None,
    seed: int = 0,
    catalog: Iterable[str | Path] = (),
    thresholds: Iterable[str | Path] = (),
    accept: Iterable[str] = (),
    save_run: str | Path | None = None,
    play: Play | None = None,
    jobs: int | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Check:
    """Judge a combination of variants, by games of its own or by those of runs that are there.

    Without names the game without variants is judged. `accept` names findings that do not count in a verdict.
    Games of its own are removed when the process ends, unless `save_run` names a folder for them. Verdicts
    that a look at the first games leaves open get more games; `say` receives a line of progress.

    >>> check(["Unions", "Geeks"], strength="slow")
    Traceback (most recent call last):
    balance.errors.UsageError: strength slow: expected quick, normal or expert
    """
    if strength not in STRENGTHS:
        raise UsageError(f"strength {strength}: expected quick, normal or expert", parameter="strength")
    from balance.sweep import simulation

    scale, play = STRENGTHS[strength], play or play_prepared
    if runs:
        opened: Sequence[Run] = open_runs(runs)
        catalog_, found = opened[0].catalog, opened[0].game
        variants = tuple(sorted(variant_ids(found, catalog_, opened[0].plan.edition, names)))
    else:
        found = games.get(game)
        catalog_ = found.load_catalog(catalog)
        printed = edition or found.facts.default_edition
        variants = tuple(sorted(variant_ids(found, catalog_, printed, names)))
        asked = simulation.prepare(
            game=game,
            edition=edition,
            players=players,
            variants=_names(variants),
            games_per_cell=scale.games,
            precision=scale.precision,
            seed=seed,
            catalog=catalog,
            out=save_run,
            kept=False,
        )
        opened = [play(asked)]
        if scale.search_games and found.facts.expert_lineup:
            opened = [*opened, play(_experts(opened[0], variants, scale.search_games))]
    accepted = load_thresholds(found, thresholds, accept)
    look = Look(1, 1 if runs else scale.looks)
    gains = () if runs else tuple(_probed(opened[0], variants, scale.probed, jobs, say))
    con = connect()
    judged_ = judged(found, catalog_, variants, opened, players, accepted, look, con=con, gains=gains)
    while look.number < look.of and any(j.open for j in judged_.own):
        say(f"provisional, after {judged_.games:,} games: {judged_.verdict}; more games where it is open")
        look = look._replace(number=look.number + 1)
        opened = [*opened, _play_on(judged_, look, play)]
        settled = {j.key: j for j in judged_.judgements.judgements if j.verdict is not Verdict.UNDECIDED}
        judged_ = judged(found, catalog_, variants, opened, players, accepted, look, settled, con, gains)
    # no verdict needs this view, and it takes a fifth of a second
    create_views(con, opened, sorted(judged_.statistics.cells), metrics=None)
    return replace(judged_, strength="" if runs else strength, overlays=tuple(catalog))


def _probed(
    run: Run, variants: tuple[str, ...], games_: int, jobs: int | None, say: Callable[[str], None]
) -> Iterator[Gain]:
    for players in sorted({cell.players for cell in run.plan.cells}) if games_ else ():
        say(f"one seat played by others, {players} players")
        yield probe(
            run.game,
            run.catalog,
            variants,
            players=players,
            edition=run.plan.edition,
            seed=run.plan.seed,
            games=games_,
            jobs=jobs,
        )


def _play_on(found: Check, look: Look, play: Play) -> Run:
    """Play as many games again as there are, at the numbers of players where the verdict is open."""
    from balance.sweep import simulation

    first, last = found.runs[0].path, found.runs[-1]
    open_ = sorted(j.players for j in found.own if j.open)
    deals = max(cell.cell.deals for j in found.own for cell in j.cells if j.players in open_)
    further = simulation.prepare_extension(
        last.path,
        first.with_name(f"{first.name}-look-{look.number}"),
        players=open_,
        variants=_names(found.variants),
        games_per_cell=deals,
    )
    return play(further)


def parts_of(variants: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return all combinations of some of the variants, none of them first.

    >>> parts_of(("geeks", "unions"))
    [(), ('geeks',), ('unions',), ('geeks', 'unions')]
    """
    return [part for size in range(len(variants) + 1) for part in combinations(variants, size)]


def _names(variants: tuple[str, ...]) -> list[str]:
    return [",".join(part) or "none" for part in parts_of(variants)]


def _experts(run: Run, variants: tuple[str, ...], games_: int) -> Prepared:
    """Return what players who search play beside a run, at one number of players."""
    from balance.sweep import simulation

    counts = {cell.players for cell in run.plan.cells}
    return simulation.prepare_extension(
        run.path,
        run.path.with_name(f"{run.path.name}-expert"),
        players=SEARCH_PLAYERS if SEARCH_PLAYERS in counts else max(counts),
        variants=_names(variants),
        games_per_cell=games_,
        lineups=run.game.facts.expert_lineup,
    )


def judged(
    game: Game[Any, Any],
    catalog: Catalog,
    variants: tuple[str, ...],
    runs: Sequence[Run],
    players: str | int | Sequence[int] | None,
    thresholds: Thresholds,
    look: Look = ONE_LOOK,
    settled: Mapping[Key, Judgement] | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    gains: Sequence[Gain] = (),
) -> Check:
    """Judge a combination by the games of runs; DataError if they have none of it.

    For repeated looks, as in `balance.judge.verdict.judge`; they share a connection. `gains` are what probes
    of the combination have found.
    """
    from balance.sweep.planning import parse_players

    counts = set(parse_players(texts_of(players), game.facts))
    cells = {cell.id: cell for run in runs for cell in run.plan.cells if cell.games}
    parts = parts_of(variants)[1:] or [()]
    wanted = [
        number
        for number, cell in sorted(cells.items())
        if tuple(sorted(cell.variants)) in parts and (not counts or cell.players in counts)
    ]
    if not any(tuple(sorted(cells[number].variants)) == variants for number in wanted):
        of = " + ".join(variants) or f"the game without {game.facts.variants}"
        raise DataError(f"the runs hold no games of {of} at these numbers of players")
    con = con or connect()
    probed = {(gain.players, variants): Probed(gain.value, gain.low) for gain in gains}
    found, bench = judge_runs(runs, thresholds, wanted, look, settled, probed, into=con)
    summed = bench.statistics
    both = together(found, summed) if len(variants) == 2 else []
    return Check(
        game, catalog, variants, tuple(runs), summed, bench, found, tuple(both), thresholds, con,
        gains=tuple(gains),
    )  # fmt: skip

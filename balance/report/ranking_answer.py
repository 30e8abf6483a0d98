"""The answer of `check --all`: every combination of some runs, the worst first."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator
from typing import Any

from balance.experiments.rank import Ranked
from balance.games.variants import entry_names
from balance.judge.counting import counted
from balance.judge.findings import worst_first
from balance.judge.sentences import needed_sentence
from balance.judge.verdict import Judgement, Verdict
from balance.report.chapters.method import provenance_of
from balance.report.check_answer import unseen_metrics
from balance.report.evidence import judging_options
from balance.report.formatting import count, text, whole, whole_path
from balance.report.glossary import game_words, terms
from balance.report.model import (
    Answer,
    Bullets,
    Cell,
    Heading,
    Section,
    Source,
    Summary,
    Table,
    VerdictCount,
    absolute,
)
from balance.report.records import finding_record, finite, verdict_record


def ranking_answer(found: Ranked, top: int = 0) -> Answer:
    """Return the answer of a ranking; a table of the first `top`, of all without."""
    ranking = found.ranking
    run, facts = ranking.runs[0], ranking.runs[0].game.facts
    players = sorted({j.players for j in ranking.ranked})
    games = sum(cell.games for cell in ranking.statistics.cells.values())
    tally = Counter(j.verdict for j in ranking.ranked)
    counts = ", ".join(f"{tally[verdict]:,} {verdict.value}" for verdict in Verdict)
    words = ["balance check --all", *(whole_path(run.path) for run in ranking.runs)]
    command = " ".join([*words, *judging_options(ranking.runs, players, found.thresholds, whole_path)])
    lineups = sorted({(cell.cell.lineup, cell.strength) for j in ranking.ranked for cell in j.cells})
    return Answer(
        kind="ranking",
        title=f"{facts.title}: every combination, the worst first",
        subtitle=f"{run.plan.edition}, {count(games, 'game', 'games')}",
        game=facts.title,
        edition=run.plan.edition,
        words=game_words(facts),
        summary=Summary(
            f"{count(len(ranking.ranked), 'verdict', 'verdicts')}: {counts}.", tuple(_counts(ranking.ranked))
        ),
        sections=(
            Section("ranking", "Combinations", (_table(found, top, command),)),
            Section("how", "How we know", (Bullets(tuple(_overview(found, full=not top))),)),
        ),
        glossary=terms(facts, lineups, found.thresholds),
        provenance=provenance_of(ranking.runs, games, command),
        verdicts=tuple(verdict_record(j, ranking.sentence) for j in ranking.ranked),
        findings=tuple(_rows(found)),
        only_rows=True,
        places=absolute(shlex.split(command)),
        found=found,
    )


def _counts(judgements: tuple[Judgement, ...]) -> Iterator[VerdictCount]:
    for players in sorted({j.players for j in judgements}):
        yield VerdictCount.of(players, (j.verdict for j in judgements if j.players == players))


def _table(found: Ranked, top: int, command: str) -> Table:
    """Return the first of the ranking, all if `top` is 0: the combination, its verdict, and why."""
    ranking, run = found.ranking, found.ranking.runs[0]
    names = entry_names(run.game, run.catalog, run.game.facts.variant)
    fresh = {id(one.finding): one for one in found.fresh}
    rows = []
    for place, judgement in enumerate(ranking.ranked[: top or None], 1):
        both, reason = ranking.only_together(judgement), ranking.reason(judgement)
        title = " + ".join(names.get(name, name) for name in judgement.variants)
        title += "" if both is None else " (only together)" if both.sure else " (possibly only together)"
        said = ranking.sentence(reason) if reason is not None else ""
        if judgement.verdict is Verdict.BENT:
            said = ranking.in_brief(judgement)
        again = fresh.get(id(reason))
        if again is not None:
            said += " Holds on fresh games." if again.holds else " Does not hold on fresh games."
        elif judgement.verdict is Verdict.UNDECIDED and reason is not None:
            said += f" {needed_sentence(judgement.further)}"
        rows.append(
            (
                whole(place),
                Cell(judgement.verdict.value, judgement.verdict.value),
                Cell(judgement.variants, title),
                whole(judgement.players),
                text(said),
            )
        )
    left = len(ranking.ranked) - len(rows)
    return Table(
        "ranking",
        "Those that are broken only together first, then the worst",
        (
            Heading("rank", "#", "integer"),
            Heading("verdict", "Verdict", "verdict"),
            Heading("variants", "Combination", "pair"),
            Heading("players", "Players", "integer"),
            Heading("reason", "Reason"),
        ),
        tuple(rows),
        Source("", command=command),
        ("rank",),
        f"... and {left:,} more: --top 0, or --format csv." if left else "",
    )


def _overview(found: Ranked, *, full: bool) -> Iterator[str]:
    """Yield how many of each verdict there are; in `full` what holds the open ones, and the family."""
    ranking = found.ranking
    for one in _counts(ranking.ranked):
        counts = f"{one.broken} broken, {one.undecided} undecided, {one.bent} bent, {one.fine} fine"
        truly = ", ".join(map(str, counted(j for j in ranking.ranked if j.players == one.players)))
        yield (
            f"{one.players} players: {counts}; whatever the number of games (95% confidence each): {truly}."
        )
    if not full:
        return
    open_ = [j.holding for j in ranking.ranked if j.verdict is Verdict.UNDECIDED and j.holding is not None]
    held = Counter(finding.measured.name for finding in open_)
    yield from (f"{n} undecided are held by {name}." for name, n in sorted(held.items(), key=_often))
    yield f"{ranking.judgements.family}."
    if ranking.judgements.not_looked_at:
        yield f"Not looked at: {unseen_metrics(ranking.judgements.not_looked_at)}."


def _often(pair: tuple[str, int]) -> tuple[int, str]:
    return -pair[1], pair[0]


def _rows(found: Ranked) -> Iterator[dict[str, Any]]:
    """Yield a row per finding that is outside its range or holds a verdict up; at least one per verdict."""
    fresh = {id(one.finding): one for one in found.fresh}
    for place, judgement in enumerate(found.ranking.ranked, 1):
        both = found.ranking.only_together(judgement)
        head = {
            "rank": place,
            "players": judgement.players,
            "variants": " + ".join(judgement.variants),
            "verdict": judgement.verdict.value,
            "together": None if both is None else ("only together" if both.sure else "possibly"),
            "further_games": finite(judgement.further) or None,
        }
        own = [
            (cell, finding)
            for cell in judgement.cells
            for finding in cell.findings
            if finding.outside or finding is judgement.holding
        ]
        own.sort(key=lambda pair: (not pair[1].broken, not pair[1].bent, worst_first(pair[1])))
        for cell, finding in own:
            again = fresh.get(id(finding))
            yield {
                **head,
                **{key: value for key, value in finding_record(cell, finding).items() if key not in head},
                "threshold": finding.bound,
                "fresh": None if again is None else ("holds" if again.holds else "does not hold"),
            }
        if not own:
            yield head

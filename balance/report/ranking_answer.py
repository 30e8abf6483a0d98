"""The answer of `check --all`: every combination of some runs, the worst first."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from balance.experiments.rank import Ranked
from balance.games.variants import entry_names
from balance.judge.findings import worst_first
from balance.judge.quality import columns
from balance.judge.sentences import open_sentence, quality_overview, unseen_sentence
from balance.judge.verdict import Verdict
from balance.measure.metrics import Measurement
from balance.report.chapters.method import provenance_of
from balance.report.evidence import judging_options
from balance.report.formatting import count, printed, text, whole
from balance.report.glossary import terms
from balance.report.model import (
    Answer,
    Bullets,
    Cell,
    Code,
    Heading,
    Section,
    Source,
    Summary,
    Table,
    VerdictCount,
    absolute,
)
from balance.report.records import finding_record, finite, verdict_counts, verdict_record
from balance.userfiles import quoted

_ROOM: Final = 80 - len("10  ×      no 100%  ")
"""Letters of a line of the short list beside rank, sign and fresh figure, and the gaps around them."""
_WRONG: Final = "Reason"


def ranking_answer(found: Ranked, top: int = 0) -> Answer:
    """Return the answer of a ranking; a short list of the first `top`, without it everything."""
    ranking = found.ranking
    run, facts = ranking.runs[0], ranking.runs[0].game.facts
    players = sorted({j.players for j in ranking.ranked})
    games = sum(cell.games for cell in ranking.statistics.cells.values())
    tally = Counter(j.verdict for j in ranking.ranked)
    counts = ", ".join(f"{tally[verdict]:,} {verdict.value}" for verdict in Verdict)
    words = ["balance check --all", *(quoted(run.path) for run in ranking.runs)]
    command = " ".join([*words, *judging_options(ranking.runs, players, found.thresholds, quoted)])
    lineups = sorted({(cell.cell.lineup, cell.strength) for j in ranking.ranked for cell in j.cells})
    counted = tuple(verdict_counts(ranking.ranked))
    provenance = provenance_of(ranking.runs, games, command)
    return Answer(
        kind="ranking",
        title=f"{facts.title}: every combination, the worst first",
        subtitle=f"{run.plan.edition}, {count(games, 'game', 'games')}",
        game=facts.title,
        edition=run.plan.edition,
        summary=Summary(
            f"{count(len(ranking.ranked), 'verdict', 'verdicts')}: {counts}.",
            counted,
        ),
        sections=tuple(_sections(found, top, command, counted)),
        glossary=terms(facts, lineups, found.thresholds),
        provenance=replace(provenance, commands=(command,)) if top else provenance,
        verdicts=tuple(verdict_record(j, ranking.sentence) for j in ranking.ranked),
        findings=tuple(_rows(found)),
        only_rows=True,
        places=absolute(shlex.split(command)),
        found=found,
    )


def _sections(found: Ranked, top: int, command: str, counts: Sequence[VerdictCount]) -> Iterator[Section]:
    ranked = found.ranking.ranked
    if not top:
        yield Section("ranking", "Combinations", (_table(found, command),))
        yield Section("how", "How we know", (Bullets(tuple(_overview(found, counts))),))
        return
    players = {j.players for j in ranked}
    where = f" at {players.pop()} players" if len(players) == 1 else ""
    left = len(ranked) - top
    note = [f"... and {left:,} more: --top 0, or --format csv." if left > 0 else "", *_unseen(found)]
    table = _short_table(found, top, command, " ".join(note).strip())
    blocks = (table, Bullets(tuple(map(_estimated, counts))), Code(command))
    yield Section("ranking", f"The {min(top, len(ranked))} worst{where}", blocks)


def _names(found: Ranked) -> Mapping[str, str]:
    run = found.ranking.runs[0]
    return entry_names(run.game, run.catalog, run.game.facts.variant)


def _short_table(found: Ranked, top: int, command: str, note: str) -> Table:
    """Return the worst, a line of at most 80 letters each: the sign, the combination, what is wrong."""
    ranking, names = found.ranking, _names(found)
    several = len({j.players for j in ranking.ranked}) > 1
    fresh = {id(one.finding): one for one in found.fresh}
    first = [(judgement, ranking.reason(judgement)) for judgement in ranking.ranked[:top]]
    wrong = ["" if own is None else f"{own.measured.name} {_value(own.measured)}" for _, own in first]
    room = _ROOM - (len("  Seats") if several else 0) - max(map(len, (*wrong, _WRONG)))
    rows = []
    for place, ((judgement, reason), said) in enumerate(zip(first, wrong, strict=True), 1):
        again = fresh.get(id(reason))
        figure = "" if again is None or again.fresh is None else _value(again.fresh)
        title = _shortened([names.get(name, name) for name in judgement.variants], room)
        own = [Cell(judgement.verdict.value, judgement.verdict.value), Cell(judgement.variants, title)]
        own += [whole(judgement.players)] if several else []
        figure = figure if again is None or again.holds else f"no {figure}".strip()
        rows.append((whole(place), *own, text(said), text(figure)))
    headings = [Heading("rank", "#", "integer"), Heading("verdict", "", "verdict")]
    headings += [Heading("variants", "Combination", "pair")]
    headings += [Heading("players", "Seats", "integer")] if several else []
    headings += [
        Heading("reason", _WRONG),
        Heading("fresh", "Fresh", help="on games of fresh seeds"),
    ]
    source = Source("", command=command)
    return Table("ranking", "", tuple(headings), tuple(rows), source, note)


def _value(measured: Measurement) -> str:
    return printed(measured.interval.value, measured.metric.form)


def _shortened(names: Sequence[str], room: int) -> str:
    """Return names joined, the longest without its last words while all do not fit.

    >>> _shortened(["Geeks, Geeks, Geeks, Geeks!", "Unions"], 30)
    'Geeks, Geeks, Geeks… + Unions'
    """
    words = [name.split() for name in names]
    cut = [False] * len(words)

    def joined() -> str:
        shown = [" ".join(own).rstrip(",") + "…" * short for own, short in zip(words, cut, strict=True)]
        return " + ".join(shown)

    while len(joined()) > room and any(len(own) > 1 for own in words):
        longest = max(range(len(words)), key=lambda k: (len(words[k]) > 1, len(" ".join(words[k]))))
        words[longest].pop()
        cut[longest] = True
    return joined()


def _table(found: Ranked, command: str) -> Table:
    """Return the ranking: the combination, its verdict, and why."""
    ranking, names = found.ranking, _names(found)
    fresh = {id(one.finding): one for one in found.fresh}
    rows = []
    for place, judgement in enumerate(ranking.ranked, 1):
        both, reason = ranking.only_together(judgement), ranking.reason(judgement)
        title = " + ".join(names.get(name, name) for name in judgement.variants)
        title += "" if both is None else " (only together)" if both.sure else " (possibly only together)"
        said = ranking.sentence(reason) if reason is not None else ""
        if judgement.verdict is Verdict.BENT:
            said = ranking.in_brief(judgement)
        again = fresh.get(id(reason))
        if again is not None:
            said += " Holds on fresh games." if again.holds else " Does not hold on fresh games."
        elif judgement.verdict is Verdict.UNDECIDED:
            said = open_sentence(judgement, ranking.sentence)
        rows.append(
            (
                whole(place),
                Cell(judgement.verdict.value, judgement.verdict.value),
                Cell(judgement.variants, title),
                whole(judgement.players),
                text(said),
            )
        )
    headings = (
        Heading("rank", "#", "integer"),
        Heading("verdict", "Verdict", "verdict"),
        Heading("variants", "Combination", "pair"),
        Heading("players", "Players", "integer"),
        Heading("reason", "Reason"),
    )
    caption = "Those that are broken only together first, then the worst"
    return Table("ranking", caption, headings, tuple(rows), Source("", command=command))


def _estimated(counts: VerdictCount) -> str:
    """Return how many there are of each class, in one line."""
    return f"{counts.players} players: about {', '.join(map(str, counts.estimated))}"


def _overview(found: Ranked, counts: Iterable[VerdictCount]) -> Iterator[str]:
    """Yield how many of each verdict there are, what holds the open ones, and the family."""
    ranking = found.ranking
    for one in counts:
        said = f"{one.broken} broken, {one.undecided} undecided, {one.bent} bent, {one.fine} fine"
        yield (
            f"{one.players} players: {said}. Estimated from all games, however many decide (95% confidence "
            f"each): {', '.join(map(str, one.estimated))}."
        )
    yield from ranking.pools()
    yield quality_overview(ranking.ranked)
    open_ = [j.holding for j in ranking.ranked if j.verdict is Verdict.UNDECIDED and j.holding is not None]
    held = Counter(finding.measured.name for finding in open_)
    yield from (
        f"{n} undecided are held by {name}."
        for name, n in sorted(held.items(), key=lambda one: (-one[1], one[0]))
    )
    yield f"{ranking.judgements.family}."
    yield from _unseen(found)


def _unseen(found: Ranked) -> Iterator[str]:
    """Yield what was not looked at or not measured again, if anything: a list of any length shows it."""
    if found.unconfirmed:
        yield f"The worst were not measured again on fresh games: {found.unconfirmed}."
    if found.ranking.judgements.not_looked_at:
        yield unseen_sentence(found.ranking.judgements.not_looked_at)


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
            **columns(judgement.quality),
        }
        holding = judgement.holding
        own = [(cell, finding) for cell in judgement.cells for finding in cell.outside]
        own += [(cell, holding) for cell in judgement.cells if holding and cell.holding is holding]
        own.sort(key=lambda pair: (not pair[1].broken, not pair[1].bent, worst_first(pair[1])))
        for cell, finding in own:
            again = fresh.get(id(finding))
            yield {
                **head,
                **{key: value for key, value in finding_record(cell, finding).items() if key not in head},
                "fresh": None if again is None else ("holds" if again.holds else "does not hold"),
            }
        if not own:
            yield head

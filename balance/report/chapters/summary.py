"""The first chapter: how many combinations are broken, the worst, the most bent, what to do next."""

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import replace
from typing import Final

from balance import games
from balance.experiments.rank import Confirmed
from balance.judge.ranking import ranked
from balance.judge.sentences import needed_sentence, quality_overview
from balance.judge.strengths import of_default
from balance.judge.verdict import Judgement, Verdict
from balance.report.evidence import Evidence, headliners, judging_options
from balance.report.formatting import bullets, count, interval, listed
from balance.report.glossary import own_words
from balance.report.model import Block, Bullets, Paragraph, Section, Summary, VerdictCount, Worst
from balance.report.records import verdict_counts

_FEW: Final = 200
"""Games of a cell below which hardly anything can be decided."""
_MOST_BENT: Final = 5
"""Bent combinations that are named."""
_UNCONFIRMED: Final = "not confirmed"


def make_summary(m: Evidence) -> Summary:
    """Return the first page."""
    named = headliners(m.ranking, m.size) if m.ranking else {}
    worst = tuple(_row(m, judgement) for judgement in named.values())
    return Summary(
        _headline(m),
        tuple(_counts(m)),
        worst,
        tuple(_bent(m)),
        _play(m),
        tuple(_next_steps(m, worst)),
        _warning(m),
    )


def _verdict(m: Evidence, judgements: list[Judgement]) -> str:
    """Return the verdict over some numbers of players; broken only where fresh games do not contradict."""
    found = {_UNCONFIRMED if m.unconfirmed(j) else j.verdict.value for j in judgements}
    order = (Verdict.BROKEN.value, _UNCONFIRMED, *(v.value for v in Verdict if v is not Verdict.BROKEN))
    return next(verdict for verdict in order if verdict in found)


def _headline(m: Evidence) -> str:
    if not m.judged:
        return f"No {m.facts.variant} was in force in these games, so there is nothing to judge."
    tally = Counter(_verdict(m, found) for found in m.by_combination.values())
    several = len(m.players) > 1
    total = count(len(m.by_combination), m.combination, m.combinations)
    where = "" if several else f" with {m.players[0]} players"
    parts = [
        f"{count(tally['broken'], 'breaks', 'break')} the game{' at some number of players' * several}",
        f"{count(tally['bent'], 'bends', 'bend')} it",
        f"{count(tally['fine'], 'is', 'are')} fine{' at every number' * several}",
        f"{count(tally['undecided'], 'is', 'are')} undecided",
    ]
    said = f"Of {total}, in {count(_games(m, None), 'game', 'games')}{where}, {listed(parts)}"
    doubted = tally[_UNCONFIRMED]
    if doubted:
        was = "was" if doubted == 1 else "were"
        said += f"; {doubted:,} looked broken and {was} not confirmed on fresh games"
    return f"{said}."


def _counts(m: Evidence) -> list[VerdictCount]:
    """Return how many are which: over all numbers of players if there are several, then at each."""
    found = []
    if len(m.players) > 1 and m.judged:
        every = [_verdict(m, own) for own in m.by_combination.values()]
        found.append(replace(VerdictCount.of(None, every), unconfirmed=every.count(_UNCONFIRMED)))
    for one in verdict_counts(m.judged):
        doubted = sum(m.unconfirmed(j) for j in m.judged if j.players == one.players)
        found.append(replace(one, broken=one.broken - doubted, unconfirmed=doubted))
    return [replace(one, games=_games(m, one.players)) for one in found]


def _games(m: Evidence, players: int | None) -> int:
    """Return how many games of full combinations were looked at, with some number of players or any."""
    return sum(
        cell.games
        for cell in m.statistics.cells.values()
        if len(cell.variants) == m.size and players in (None, cell.players)
    )


def _row(m: Evidence, judgement: Judgement) -> Worst:
    """Return a combination that is broken: its reason, the same on fresh games, what would mend it."""
    assert m.ranking is not None
    finding, again = judgement.broken[0], m.again.get(judgement.key)
    own = [one for one in m.ranking.together if one.key == judgement.key]
    both = min(own, key=lambda one: (one.lineup != finding.cell.lineup, not one.sure), default=None)
    return Worst(
        judgement.variants,
        m.title(judgement.variants),
        judgement.players,
        m.strength_name(finding.cell.lineup),
        m.ranking.sentence(finding),
        _fresh(again) if again else "",
        again.holds if again else None,
        finding.cell.games,
        both.strength if both else "",
        both is not None and both.sure,
        f"{_check(m, judgement.variants, judgement.players)} --suggest",
        m.mended.get(judgement.key, ""),
    )


def _fresh(again: Confirmed) -> str:
    """Return the figure on fresh games, which follows the sentence that says what it measures."""
    if again.fresh is None:
        return "could not be measured again."
    measured = again.fresh
    return f"{interval(measured.interval, measured.metric.form).text} on {again.games:,} fresh games."


def _check(m: Evidence, variants: tuple[str, ...], players: int) -> str:
    """Return the command that checks a combination; it needs no run."""
    plan = m.run.plan
    words = ["balance check", *map(shlex.quote, variants)]
    words += [f"--of {plan.game}"] if plan.game != games.DEFAULT else []
    words += [f"--edition {plan.edition}"] if plan.edition != m.facts.default_edition else []
    return " ".join([*words, f"--players {players}", *m.catalog_options])


def _bent(m: Evidence) -> list[Worst]:
    """Return the most bent, each where it is bent most, in one line."""
    if m.ranking is None:
        return []
    found: dict[tuple[str, ...], Judgement] = {}
    for judgement in ranked(m.judged):
        if judgement.verdict is Verdict.BENT and judgement.bent:
            found.setdefault(judgement.variants, judgement)
    return [
        Worst(
            one.variants,
            m.title(one.variants),
            one.players,
            m.strength_name(one.bent[0].cell.lineup),
            m.ranking.in_brief(one),
            games=one.bent[0].cell.games,
        )
        for one in list(found.values())[:_MOST_BENT]
    ]


def _play(m: Evidence) -> str:
    """Return how good the play behind the verdicts is, in figures that ship with the game."""
    ladders = m.strength.ladders if m.strength else ()
    rungs = [
        (ladder.players, rung)
        for ladder in ladders
        for rung in ladder.figures
        if ladder.variants == "none" and ladder.players in m.players
        if (rung.measure, rung.policy) == ("mixed", m.facts.usual)
    ]
    if m.strength is None or not rungs:
        return f"How strong the players are was not measured. {_quality(m)}"
    players, rung = rungs[-1]
    said = (
        f"The default player ({rung.policy}) wins {rung.value:.2f} ({rung.low:.2f} to {rung.high:.2f}) "
        f"[[win points]] at tables where all kinds of players meet, {players} players, without "
        f"{m.facts.variants} ({count(rung.games, 'game', 'games')}; 1.00 is a fair share)."
    )
    stale = m.strength.stale_today(m.game)
    if stale:
        said += f" Since then {listed(stale)} changed: the figure is of the players as they were."
    return f"{said} {_quality(m)}"


def _quality(m: Evidence) -> str:
    return quality_overview(m.judged).replace("best reply", "[[best reply]]", 1)


def _next_steps(m: Evidence, worst: tuple[Worst, ...]) -> list[str]:
    steps = [said for said in (_culprits(m), _apart(m, worst)) if said]
    open_ = [j for j in m.judged if j.verdict is Verdict.UNDECIDED]
    if open_:
        steps.append(_deciding(m, open_))
    return steps


def _deciding(m: Evidence, open_: list[Judgement]) -> str:
    """Return how many verdicts are open, what they need, and the command that plays on."""
    close = sum(j.too_close for j in open_)
    affordable = sorted(j.further for j in open_ if not j.too_close and not j.blocked)
    several = f" (each on one {m.combination} with one number of players)" if len(m.players) > 1 else ""
    said = f"{len(open_):,} of {count(len(m.judged), 'verdict', 'verdicts')}{several} "
    said += "is open" if len(open_) == 1 else "are open"
    if close:
        said += f", {close:,} of them too close to call"
    if affordable:
        needed = needed_sentence(affordable[len(affordable) // 2]).removesuffix(" would settle it.")
        said += f"; the median one needs {needed.lower()}"
    options = judging_options(m.runs, m.players, m.thresholds)
    command = " ".join(["balance check --all RUN", *options, "--until-decided"])
    return f"{said}. Play on where it matters, with the folder of the run for RUN: {command}"


def _apart(m: Evidence, worst: tuple[Worst, ...]) -> str:
    """Return which pair to keep apart: fresh games confirm it, and both alone were found fine."""
    for one in worst:
        alone = [m.find(one.players, (name,)) for name in one.variants]
        if one.together and one.sure and one.holds and not any(_is_broken(single) for single in alone):
            where = f"with {one.players} players, in {one.together},"
            return (
                f"Consider keeping {one.title} apart: {where} neither of the two alone shows what is wrong."
            )
    return ""


def _is_broken(judgement: Judgement | None) -> bool:
    return judgement is not None and judgement.verdict is Verdict.BROKEN


def _culprits(m: Evidence) -> str:
    """Return which variants break the game without a partner, and how many broken pairs have one."""
    if m.size != 2:
        return ""
    broken = [key for key, found in m.by_combination.items() if _verdict(m, found) == "broken"]
    alone: dict[str, list[str]] = {}
    for name in sorted(m.names):
        found = [j for n in m.players if (j := m.find(n, (name,))) and _is_broken(j)]
        if found:
            alone[name] = list(dict.fromkeys(strength for j in found for strength in j.broken_for))
    if not alone or not broken:
        return ""
    named = "; ".join(f"{m.names[name]}: in {listed(strengths)}" for name, strengths in alone.items())
    with_one = sum(bool(set(key) & alone.keys()) for key in broken)
    return (
        f"{count(len(alone), f'{m.facts.variant} breaks', f'{m.facts.variants} break')} the game without a "
        f"partner ({named}). Mending {'it' if len(alone) == 1 else 'them'} would touch {with_one:,} of "
        f"{count(len(broken), 'broken pair', 'broken pairs')}."
    )


def _warning(m: Evidence) -> str:
    played = [cell for cell in m.statistics.cells.values() if cell.games]
    sizes = sorted(cell.games for cell in of_default(played, m.facts))
    middle = sizes[len(sizes) // 2]
    open_ = [j for j in m.judged if j.verdict is Verdict.UNDECIDED and not (j.blocked or j.too_close)]
    if middle >= _FEW and 2 * len(open_) <= len(m.judged):
        return ""
    return (
        f"Too few games to say much: {count(middle, 'game', 'games')} of each combination and number of "
        "players. Whatever is undecided here may be fine or broken."
    )


# --- the chapter


def section(m: Evidence, answer: Summary) -> Section:
    """Return the chapter: the tables behind the first page."""
    blocks: list[Block] = [
        Paragraph(
            "A combination is [[broken]] if a metric is clearly outside its [[accepted range]], at an end "
            "that breaks the game; [[bent]] if none is and one is clearly outside at an end that makes it "
            "another game; [[fine]] if all are clearly inside; else [[undecided]]. The default player "
            "decides where it was played; what only a weaker [[strength of play]] shows decides nothing. "
            '"About" estimates how many there are from the figures of all, decided or not (95% interval).'
        )
    ]
    if m.judged:
        caption = f"How many {m.combinations} are broken, undecided, bent and fine"
        if any(one.unconfirmed for one in answer.counts):
            text = (
                "These tables count as broken also what fresh games do not confirm: a run does not hold them."
            )
            blocks.append(Bullets((text,)))
        blocks.append(m.ask("verdicts", caption, size=m.size))
        if len(m.players) > 1:
            caption = f"Verdicts on {m.combinations} by number of players"
            blocks.append(m.ask("verdicts-by-players", caption, size=m.size))
    if m.ranking is not None and m.ranking.judgements.pools:
        pools = m.ranking.judgements.pools
        wrong = [
            own_words(said, m.facts)
            for pool, said in zip(pools, m.ranking.pools(), strict=True)
            if pool.verdict is not Verdict.FINE
        ]
        text = "What a [[seat]] is worth, and what it was dealt, is judged over all games together too: "
        text += f"{len(pools) - len(wrong):,} of {count(len(pools), 'verdict is', 'verdicts are')} fine"
        blocks.append(Paragraph(f"{text}{':' if wrong else '.'}"))
        blocks += bullets(wrong)
    if answer.worst:
        blocks.append(m.ask("worst", f"The worst {m.combinations}", size=m.size))
    elif m.judged:
        blocks.append(Paragraph(f"No {m.combination} was found broken."))
    if any(one.together for one in answer.worst):
        blocks.append(m.ask("surprising", "Broken only together", n=m.games_of(size=m.size)))
    elif m.size == 2:
        blocks.append(Paragraph("No pair was found that is broken only together."))
    return Section("answer", "The answer", tuple(blocks))

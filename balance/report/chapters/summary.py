"""The first chapter: how many combinations are broken, the worst, the surprising ones, what to do next."""

from __future__ import annotations

from collections import Counter
from typing import Final

from balance.judge.sentences import needed_sentence
from balance.judge.strengths import of_default
from balance.judge.verdict import Verdict
from balance.report.evidence import Evidence, surprising_of, worst_of
from balance.report.formatting import count, listed
from balance.report.model import Block, Bullets, Paragraph, Section, Summary, Surprise, VerdictCount, Worst
from balance.report.records import verdict_counts

_FEW: Final = 200
"""Games of a cell below which hardly anything can be decided."""


def make_summary(m: Evidence) -> Summary:
    """Return the first page."""
    surprising = _surprising(m)
    return Summary(
        _headline(m),
        tuple(_counts(m)),
        tuple(_worst(m)),
        surprising,
        tuple(_next_steps(m, surprising)),
        _warning(m),
    )


def _headline(m: Evidence) -> str:
    if not m.judged:
        return f"No {m.facts.variant} was in force in these games, so there is nothing to judge."
    tally = Counter(m.verdicts.values())
    total = len(m.verdicts)
    at_some = "at some number of players" if len(m.players) > 1 else f"with {m.players[0]} players"
    at_all = "at every number of players" if len(m.players) > 1 else f"with {m.players[0]} players"
    one = total == 1
    return (
        f"Of {count(total, m.combination, m.combinations)}, {tally[Verdict.BROKEN]:,} "
        f"{'breaks' if one else 'break'} the game {at_some}, {tally[Verdict.BENT]:,} "
        f"{'bends' if tally[Verdict.BENT] == 1 else 'bend'} it, {tally[Verdict.FINE]:,} "
        f"{'is' if tally[Verdict.FINE] == 1 else 'are'} fine {at_all}, and {tally[Verdict.UNDECIDED]:,} "
        f"{'is' if tally[Verdict.UNDECIDED] == 1 else 'are'} undecided."
    )


def _counts(m: Evidence) -> list[VerdictCount]:
    found = []
    if len(m.players) > 1 and m.verdicts:
        found.append(VerdictCount.of(None, m.verdicts.values()))
    return found + verdict_counts(m.judged)


def _worst(m: Evidence) -> list[Worst]:
    if m.ranking is None:
        return []
    fresh = {id(one.finding): one for one in m.fresh}
    found = []
    for judgement in worst_of(m.ranking, m.size):
        finding = judgement.broken[0]
        again = fresh.get(id(finding))
        found.append(
            Worst(
                judgement.variants,
                m.title(judgement.variants),
                judgement.players,
                m.strength_name(finding.cell.lineup),
                m.ranking.sentence(finding),
                f"{again.sentence()}." if again else "",
                again.holds if again else None,
            )
        )
    return found


def _surprising(m: Evidence) -> tuple[Surprise, ...]:
    """Return the combinations that only together are broken, each once, the sure ones first."""
    if m.ranking is None:
        return ()
    fresh = {id(one.finding): one for one in m.fresh}
    found = []
    for both, judgement in surprising_of(m.ranking):
        finding = next(f for f in judgement.broken if f.cell.lineup == both.lineup)
        what = m.ranking.sentence(finding)
        at = f"in {both.strength}"
        alone = (
            f"Each alone is fine {at}, together they are not"
            if both.sure
            else f"Neither alone was found broken {at}"
        )
        again = fresh.get(id(finding))
        found.append(
            Surprise(
                both.variants,
                m.title(both.variants),
                both.players,
                both.strength,
                both.sure,
                f"{alone}: {what[:1].lower()}{what[1:]}",
                f"{again.sentence()}." if again else "",
                again.holds if again else None,
            )
        )
    return tuple(found)


def _next_steps(m: Evidence, surprising: tuple[Surprise, ...]) -> list[str]:
    steps = []
    worst = _worst(m)
    if worst:
        first = worst[0]
        named = " ".join(f'"{m.names.get(name, name)}"' for name in first.variants)
        steps.append(f"Look at the worst first: balance check {named} --players {first.players}")
    culprits = _culprits(m)
    if culprits:
        steps.append(culprits)
    if surprising:
        steps.append(_apart(m, surprising))
    open_ = [j for j in m.judged if j.verdict is Verdict.UNDECIDED]
    close = sum(j.too_close for j in open_)
    if open_:
        affordable = sorted(j.further for j in open_ if not j.too_close and not j.blocked)
        said = f"{count(len(open_), 'verdict is', 'verdicts are')} open"
        if close:
            said += f", {close:,} of them too close to call"
        if affordable:
            games = needed_sentence(affordable[len(affordable) // 2]).removesuffix(" would tell.")
            said += f"; the median one needs {games.lower()}"
        steps.append(f"{said}. Play on where it matters: {m.check} --until-decided")
    return steps


def _apart(m: Evidence, surprising: tuple[Surprise, ...]) -> str:
    """Return which pair to keep apart, or why that cannot be said of the first."""
    doubts = [(one, _doubt(m, one)) for one in surprising]
    one, doubt = next(((one, doubt) for one, doubt in doubts if not doubt), doubts[0])
    where = f"with {one.players} players, in {one.strength}"
    if doubt:
        return f"Look closer at {one.title} before keeping it apart: {where} it is broken, but {doubt}."
    return f"Consider to keep {one.title} apart: what is wrong there {where} is in neither of the two alone."


def _doubt(m: Evidence, one: Surprise) -> str:
    """Return why a pair may not be broken, or not only together; nothing if both are beyond doubt."""
    if one.holds is not True:
        return "fresh games do not confirm it" if one.fresh else "that was not measured again on fresh games"
    alone = [(name, m.find(one.players, (name,))) for name in one.variants]
    broken = [
        f"{m.names.get(name, name)} alone is broken in {listed(single.broken_for)}"
        for name, single in alone
        if single is not None and single.verdict is Verdict.BROKEN
    ]
    if broken:
        return listed(broken)
    return "" if one.sure else "not both alone were found fine"


def _culprits(m: Evidence) -> str:
    """Return which variants alone account for most of what is broken."""
    if m.size != 2:
        return ""
    broken = [key for key, verdict in m.verdicts.items() if verdict is Verdict.BROKEN]
    alone = {
        name
        for name in m.names
        if any((j := m.find(n, (name,))) and j.verdict is Verdict.BROKEN for n in m.players)
    }
    with_one = [key for key in broken if set(key) & alone]
    if not alone or not broken:
        return ""
    return (
        f"{count(len(alone), f'{m.facts.variant} is', f'{m.facts.variants} are')} broken even alone "
        f"({', '.join(m.names[name] for name in sorted(alone))}); mending these would touch "
        f"{len(with_one):,} of the "
        f"{len(broken):,} broken pairs."
    )


def _warning(m: Evidence) -> str:
    played = [cell for cell in m.statistics.cells.values() if cell.games]
    sizes = sorted(cell.games for cell in of_default(played, m.facts))
    middle = sizes[len(sizes) // 2]
    if middle >= _FEW:
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
            "A combination is [[broken]] if a metric is outside its [[accepted range]], beyond doubt, at an "
            "end that breaks the game; [[bent]] if none is and one is outside at an end that makes it "
            "another game; "
            "[[fine]] if all are inside beyond doubt; else [[undecided]]. The default player decides where "
            "it was played; what only weaker [[strengths of play]] show is listed and decides nothing."
        )
    ]
    ask, given, n = m.queries.block, {"size": m.size}, m.games_of()
    if m.judged:
        caption = f"How many {m.combinations} are broken, undecided, bent and fine"
        blocks.append(ask("verdicts", given, caption=caption, n=n))
        caption = f"Verdicts on {m.combinations} by number of players"
        blocks.append(ask("verdicts-by-players", given, caption=caption, n=n))
    if m.ranking is not None and m.ranking.judgements.pools:
        blocks.append(Bullets(tuple(m.ranking.pools())))
    if answer.worst:
        blocks.append(ask("worst", given, caption=f"The worst {m.combinations}", n=n))
    elif m.judged:
        blocks.append(Paragraph(f"No {m.combination} was found broken."))
    if answer.surprising:
        blocks.append(ask("surprising", caption="Broken only together", n=n))
    elif m.size == 2:
        blocks.append(Paragraph("No pair was found that is broken only together."))
    return Section("answer", "The answer", tuple(blocks))

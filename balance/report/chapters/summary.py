"""The first chapter: how many combinations are broken, the worst, the surprising ones, what to do next."""

from __future__ import annotations

from collections import Counter
from typing import Final

from balance.judge.sentences import needed_sentence
from balance.judge.strengths import of_default
from balance.judge.verdict import Judgement, Verdict
from balance.report.evidence import Evidence, surprising_of, worst_of
from balance.report.formatting import count, interval, listed, text, whole
from balance.report.model import (
    Block,
    Bullets,
    Cell,
    Chart,
    Heading,
    Paragraph,
    Section,
    Source,
    Summary,
    Surprise,
    Table,
    VerdictCount,
    Worst,
)
from balance.report.records import verdict_counts
from balance.stats.intervals import Interval

_FEW: Final = 200
"""Games of a cell below which hardly anything can be decided."""
_ESTIMATED: Final = (
    "How many there are by the figures of all, decided or not, with a 95% confidence interval."
)


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
            "[[fine]] if all are inside beyond doubt; else [[undecided]]. It is judged at several "
            "[[strengths of play]]; broken at any of them is broken."
        )
    ]
    if answer.counts:
        blocks += [_counts_table(m, answer), _counts_figure(m, answer)]
    if m.ranking is not None and m.ranking.judgements.pools:
        blocks.append(Bullets(tuple(m.ranking.pools())))
    if answer.worst:
        blocks.append(_worst_table(m, answer))
    elif m.judged:
        blocks.append(Paragraph(f"No {m.combination} was found broken."))
    if answer.surprising:
        blocks.append(_surprising_table(m, answer))
    elif m.size == 2:
        blocks.append(Paragraph("No pair was found that is broken only together."))
    return Section("answer", "The answer", tuple(blocks))


def _source(m: Evidence) -> Source:
    assert m.ranking is not None
    return Source(
        count(m.games, "game", "games"),
        f"verdicts: {m.ranking.judgements.family}",
        command=m.check,
    )


def _counts_table(m: Evidence, answer: Summary) -> Table:
    games = Counter[int]()
    for judgement in m.judged:
        games[judgement.players] += sum(cell.cell.games for cell in judgement.cells)
    rows = tuple(
        (whole(one.players), *(whole(x) for x in (one.total, one.broken, one.undecided, one.bent, one.fine)),
         *(interval(Interval(c.estimate, c.low, c.high), "integer") for c in one.estimated),
         whole(games[one.players]))
        for one in answer.counts
        if one.players is not None
    )  # fmt: skip
    return Table(
        "verdicts",
        f"How many {m.combinations} are broken, undecided, bent and fine",
        (
            Heading("players", "Players", "integer"),
            Heading("judged", "Judged", "integer"),
            Heading("broken", "Broken", "integer", "A metric is outside an end that breaks the game."),
            Heading("undecided", "Undecided", "integer", "These games do not show which."),
            Heading("bent", "Bent", "integer", "Not broken; a metric is outside an end that bends the game."),
            Heading("fine", "Fine", "integer", "Every metric is inside its accepted range."),
            *(
                Heading(f"estimated_{kind}", f"Estimated {kind}", "interval", _ESTIMATED)
                for kind in ("broken", "bent", "fine")
            ),
            Heading("games", "Games", "integer"),
        ),
        rows,
        _source(m),
        ("players",),
    )


def _counts_figure(m: Evidence, answer: Summary) -> Chart:
    kinds = ("broken", "undecided", "bent", "fine")
    each = [
        (one.players, kind, getattr(one, kind))
        for one in answer.counts
        if one.players is not None
        for kind in kinds
    ]
    told = "; ".join(
        f"{one.players} players: {one.broken} broken, {one.undecided} undecided, {one.bent} bent, "
        f"{one.fine} fine"
        for one in answer.counts
        if one.players is not None
    )
    return Chart(
        "verdicts-by-players",
        f"Verdicts on {m.combinations} by number of players",
        "bars",
        {
            "x": tuple(players for players, _, _ in each),
            "series": tuple(kind for _, kind, _ in each),
            "y": tuple(number for _, _, number in each),
        },
        _source(m),
        f"Stacked bars. {told}.",
        x_title="players",
        y_title=m.combinations,
        y_kind="integer",
        stacked=True,
    )


def _broken_cell(judgement: Judgement) -> tuple[int, int]:
    cell = judgement.broken[0].cell
    return cell.id, cell.games


def _again(m: Evidence, one: Worst | Surprise) -> str:
    """Return what fresh games say of a combination that is named."""
    if not one.fresh:
        return m.not_fresh or "Not played again."
    return f"{one.fresh} {'Holds' if one.holds else 'Does not hold'}."


def _worst_table(m: Evidence, answer: Summary) -> Table:
    rows = []
    for place, one in enumerate(answer.worst, 1):
        judgement = m.find(one.players, one.variants)
        assert judgement is not None
        cell, games = _broken_cell(judgement)
        rows.append(
            (
                whole(place),
                Cell(one.variants, one.title),
                whole(one.players),
                text(one.strength),
                text(one.sentence),
                text(_again(m, one)),
                whole(games),
                Cell(cell, str(cell)),
            )
        )
    return Table(
        "worst",
        f"The worst {len(rows)} {m.combinations}" if len(rows) > 1 else f"The worst {m.combination}",
        (
            Heading("rank", "", "integer"),
            Heading("pair", m.combination.capitalize(), "pair"),
            Heading("players", "Players", "integer", "The number of players at which it is worst."),
            Heading("strength", "In", "text"),
            Heading("sentence", "What is wrong", "text"),
            Heading("fresh", "On fresh games", "text", "Measured again on seeds that nobody had looked at."),
            Heading("games", "Games", "integer"),
            Heading("cell_id", "Cell", "integer", "Its number in the run, for SQL."),
        ),
        tuple(rows),
        _source(m),
        ("cell_id",),
        "Whoever is named because of extreme figures looks worse than it is"
        + ("; so each was measured again." if all(one.fresh for one in answer.worst) else "."),
    )


def _surprising_table(m: Evidence, answer: Summary) -> Table:
    rows = []
    for one in answer.surprising:
        judgement = m.find(one.players, one.variants)
        assert judgement is not None
        lineup = next(c.cell for c in judgement.cells if c.strength == one.strength and c.broken)
        rows.append(
            (
                Cell(one.variants, one.title),
                whole(one.players),
                text(one.strength),
                text("yes" if one.sure else "possibly"),
                text(one.sentence),
                text(_again(m, one)),
                whole(lineup.games),
                Cell(lineup.id, str(lineup.id)),
            )
        )
    total = len({both.variants for both in m.ranking.together}) if m.ranking else 0
    sure = len({both.variants for both in m.ranking.together if both.sure}) if m.ranking else 0
    return Table(
        "surprising",
        f"Broken only together: {len(rows)} of {total:,} such pairs, {sure:,} of them beyond doubt",
        (
            Heading("pair", m.combination.capitalize(), "pair"),
            Heading("players", "Players", "integer"),
            Heading("strength", "In", "text"),
            Heading("sure", "Sure", "text", "Yes: both alone were found fine. Possibly: not found broken."),
            Heading("sentence", "What is wrong", "text"),
            Heading("fresh", "On fresh games", "text", "Measured again on seeds that nobody had looked at."),
            Heading("games", "Games", "integer"),
            Heading("cell_id", "Cell", "integer", "Its number in the run, for SQL."),
        ),
        tuple(rows),
        _source(m),
        ("cell_id",),
    )

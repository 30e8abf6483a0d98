"""The first chapter: how many combinations are broken, the worst, the surprising ones, what to do next."""

from __future__ import annotations

from collections import Counter
from typing import Final

from balance.analysis.sentences import finding_sentence, needed_sentence
from balance.analysis.verdict import Judgement, Verdict
from balance.report.material import Material, surprising_of, worst_of
from balance.report.model import (
    Answer,
    Block,
    Bullets,
    Cell,
    Column,
    Figure,
    Paragraph,
    Section,
    Source,
    Surprise,
    Table,
    VerdictCount,
    Worst,
)
from balance.report.words import count, listed, text, whole

__all__ = ["make_answer", "section"]

_FEW: Final = 200
"""Games of a cell below which hardly anything can be decided."""


def make_answer(m: Material) -> Answer:
    """Return the answer in short."""
    surprising = _surprising(m)
    return Answer(
        _headline(m),
        tuple(_counts(m)),
        tuple(_worst(m)),
        surprising,
        tuple(_next_steps(m, surprising)),
        _warning(m),
    )


def _headline(m: Material) -> str:
    if not m.judged:
        return f"No {m.facts.variant} was in force in these games, so there is nothing to judge."
    tally = Counter(m.verdicts.values())
    total = len(m.verdicts)
    at_some = "at some number of players" if len(m.players) > 1 else f"with {m.players[0]} players"
    at_all = "at every number of players" if len(m.players) > 1 else f"with {m.players[0]} players"
    one = total == 1
    return (
        f"Of {count(total, m.combination, m.combinations)}, {tally[Verdict.BROKEN]:,} "
        f"{'breaks' if one else 'break'} the game {at_some}, {tally[Verdict.FINE]:,} "
        f"{'is' if tally[Verdict.FINE] == 1 else 'are'} fine {at_all}, and {tally[Verdict.UNDECIDED]:,} "
        f"{'is' if tally[Verdict.UNDECIDED] == 1 else 'are'} undecided."
    )


def _counts(m: Material) -> list[VerdictCount]:
    found = []
    if len(m.players) > 1 and m.verdicts:
        found.append(_tally(None, Counter(m.verdicts.values())))
    found += [_tally(n, Counter(j.verdict for j in m.judged if j.players == n)) for n in m.players]
    return [one for one in found if one.total]


def _tally(players: int | None, counts: Counter[Verdict]) -> VerdictCount:
    return VerdictCount(players, counts[Verdict.BROKEN], counts[Verdict.FINE], counts[Verdict.UNDECIDED])


def _worst(m: Material) -> list[Worst]:
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
                finding_sentence(finding, m.ranking.bench.without(finding)),
                f"{again.sentence()}." if again else "",
                again.holds if again else None,
            )
        )
    return found


def _surprising(m: Material) -> tuple[Surprise, ...]:
    """Return the combinations that only together are broken, each once, the sure ones first."""
    if m.ranking is None:
        return ()
    fresh = {id(one.finding): one for one in m.fresh}
    found = []
    for both, judgement in surprising_of(m.ranking):
        finding = next(f for f in judgement.broken if f.cell.lineup == both.lineup)
        what = finding_sentence(finding, m.ranking.bench.without(finding))
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


def _next_steps(m: Material, surprising: tuple[Surprise, ...]) -> list[str]:
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


def _apart(m: Material, surprising: tuple[Surprise, ...]) -> str:
    """Return which pair to keep apart, or why that cannot be said of the first."""
    doubts = [(one, _doubt(m, one)) for one in surprising]
    one, doubt = next(((one, doubt) for one, doubt in doubts if not doubt), doubts[0])
    where = f"with {one.players} players, in {one.strength}"
    if doubt:
        return f"Look closer at {one.title} before keeping it apart: {where} it is broken, but {doubt}."
    return f"Consider to keep {one.title} apart: what is wrong there {where} is in neither of the two alone."


def _doubt(m: Material, one: Surprise) -> str:
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


def _culprits(m: Material) -> str:
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


def _warning(m: Material) -> str:
    sizes = sorted(cell.games for cell in m.statistics.cells.values() if cell.games)
    middle = sizes[len(sizes) // 2]
    if middle >= _FEW:
        return ""
    return (
        f"Too few games to say much: {count(middle, 'game', 'games')} of each combination, number of "
        "players and "
        "strength of play. Whatever is undecided here may be fine or broken."
    )


# --- the chapter


def section(m: Material, answer: Answer) -> Section:
    """Return the chapter."""
    blocks: list[Block] = [Paragraph(answer.headline)]
    if answer.warning:
        blocks.append(Paragraph(answer.warning))
    blocks.append(
        Paragraph(
            "A combination is [[broken]] if something lies outside its [[accepted range]] beyond doubt, "
            "[[fine]] "
            "if everything lies inside beyond doubt, and otherwise [[undecided]]. It is judged at several "
            "[[strengths of play]]; broken at any of them is broken."
        )
    )
    if answer.counts:
        blocks += [_counts_table(m, answer), _counts_figure(m, answer)]
    if answer.worst:
        blocks.append(_worst_table(m, answer))
    elif m.judged:
        blocks.append(Paragraph(f"No {m.combination} was found broken."))
    if answer.surprising:
        blocks.append(_surprising_table(m, answer))
    elif m.size == 2:
        blocks.append(Paragraph("No pair was found that is broken only together."))
    if answer.next_steps:
        blocks += [Paragraph("What to do next:"), Bullets(answer.next_steps)]
    return Section("answer", "The answer", tuple(blocks))


def _games_sql(m: Material) -> str:
    ask = m.ask
    size = ask.variants[m.size - 1]
    return (
        f"select players, count(*) as games\nfrom games where {ask.scope} and {size} is not null\n"
        "group by players order by players"
    )


def _source(m: Material, sql: str, n: str = "") -> Source:
    assert m.ranking is not None
    return Source(
        n or count(m.games, "game", "games"),
        f"verdicts: {m.ranking.judgements.family}",
        sql,
        m.check,
    )


def _counts_table(m: Material, answer: Answer) -> Table:
    games = Counter[int]()
    for judgement in m.judged:
        games[judgement.players] += sum(cell.cell.games for cell in judgement.cells)
    rows = tuple(
        (whole(one.players), *(whole(x) for x in (one.total, one.broken, one.undecided, one.fine)),
         whole(games[one.players]))
        for one in answer.counts
        if one.players is not None
    )  # fmt: skip
    return Table(
        "verdicts",
        f"How many {m.combinations} are broken, undecided and fine",
        (
            Column("players", "Players", "integer"),
            Column("judged", "Judged", "integer"),
            Column("broken", "Broken", "integer", "Something lies outside its accepted range, beyond doubt."),
            Column("undecided", "Undecided", "integer", "Neither can be said with these games."),
            Column("fine", "Fine", "integer", "Everything lies inside its accepted range, beyond doubt."),
            Column("games", "Games", "integer"),
        ),
        rows,
        _source(m, _games_sql(m)),
        ("players",),
    )


def _counts_figure(m: Material, answer: Answer) -> Figure:
    kinds = ("broken", "undecided", "fine")
    each = [
        (one.players, kind, getattr(one, kind))
        for one in answer.counts
        if one.players is not None
        for kind in kinds
    ]
    told = "; ".join(
        f"{one.players} players: {one.broken} broken, {one.undecided} undecided, {one.fine} fine"
        for one in answer.counts
        if one.players is not None
    )
    return Figure(
        "verdicts-by-players",
        f"Verdicts on {m.combinations} by number of players",
        "bars",
        {
            "x": tuple(players for players, _, _ in each),
            "series": tuple(kind for _, kind, _ in each),
            "y": tuple(number for _, _, number in each),
        },
        _source(m, _games_sql(m)),
        f"Stacked bars. {told}.",
        x_title="players",
        y_title=m.combinations,
        y_kind="integer",
        stacked=True,
    )


def _cells_sql(m: Material, cells: list[int]) -> str:
    ask = m.ask
    return (
        "select cell_id, players, lineup, count(*) as games,\n"
        f"  median({ask.length}) as median_rounds, count(*) filter ({ask.stalled}) / count(*) as stalled\n"
        f"from games where {ask.cells(cells)}\ngroup by all order by cell_id"
    )


def _broken_cell(judgement: Judgement) -> tuple[int, int]:
    cell = judgement.broken[0].cell
    return cell.id, cell.games


def _again(m: Material, one: Worst | Surprise) -> str:
    """Return what fresh games say of a combination that is named."""
    if not one.fresh:
        return m.not_fresh or "Not played again."
    return f"{one.fresh} {'Holds' if one.holds else 'Does not hold'}."


def _worst_table(m: Material, answer: Answer) -> Table:
    rows = []
    cells = []
    for place, one in enumerate(answer.worst, 1):
        judgement = m.find(one.players, one.variants)
        assert judgement is not None
        cell, games = _broken_cell(judgement)
        cells.append(cell)
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
            Column("rank", "", "integer"),
            Column("pair", m.combination.capitalize(), "pair"),
            Column("players", "Players", "integer", "The number of players at which it is worst."),
            Column("strength", "In", "text"),
            Column("sentence", "What is wrong", "text"),
            Column("fresh", "On fresh games", "text", "Measured again on seeds that nobody had looked at."),
            Column("games", "Games", "integer"),
            Column("cell_id", "Cell", "integer", "Its number in the run, for SQL."),
        ),
        tuple(rows),
        _source(m, _cells_sql(m, cells)),
        ("cell_id",),
        "Whoever is named because of extreme figures looks worse than it is"
        + ("; so each was measured again." if all(one.fresh for one in answer.worst) else "."),
    )


def _surprising_table(m: Material, answer: Answer) -> Table:
    rows = []
    cells = []
    for one in answer.surprising:
        judgement = m.find(one.players, one.variants)
        assert judgement is not None
        lineup = next(c.cell for c in judgement.cells if c.strength == one.strength and c.broken)
        cells.append(lineup.id)
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
            Column("pair", m.combination.capitalize(), "pair"),
            Column("players", "Players", "integer"),
            Column("strength", "In", "text"),
            Column("sure", "Sure", "text", "Yes: both alone were found fine. Possibly: not found broken."),
            Column("sentence", "What is wrong", "text"),
            Column("fresh", "On fresh games", "text", "Measured again on seeds that nobody had looked at."),
            Column("games", "Games", "integer"),
            Column("cell_id", "Cell", "integer", "Its number in the run, for SQL."),
        ),
        tuple(rows),
        _source(m, _cells_sql(m, cells)),
        ("cell_id",),
    )

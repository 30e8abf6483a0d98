"""The variants, one entry each: the rule, what it does alone, its best and worst partners."""

from __future__ import annotations

from balance.analysis.estimates import Quotient, Share
from balance.analysis.intervals import quantile
from balance.analysis.verdict import Judgement, Verdict
from balance.report.material import Material
from balance.report.model import Block, Cell, Column, Paragraph, Section, Source, Table, literal
from balance.report.words import count, interval, listed, slug, whole

__all__ = ["section"]


def section(m: Material) -> Section | None:
    """Return the chapter; None if no variant was in force."""
    if not m.size:
        return None
    played = {name for cell in m.statistics.cells.values() for name in cell.variants}
    order = sorted(played, key=lambda name: (m.names.get(name, name), name))
    head = (
        f"One entry for each {m.facts.variant}: its rule, what it does alone"
        + (", and which partners go best and worst with it." if m.size == 2 else ".")
    )  # fmt: skip
    return Section(
        "variants",
        m.facts.variants.capitalize(),
        (Paragraph(head),),
        tuple(_entry(m, name) for name in order),
    )


def _entry(m: Material, variant: str) -> Section:
    name = m.names.get(variant, variant)
    blocks: list[Block] = [Paragraph(literal(m.rule(variant)))]
    if any(m.cell(n, (variant,), m.usual) for n in m.players):
        blocks.append(_alone(m, variant, name))
    else:
        blocks.append(Paragraph("It was not played alone, so its own effect is not known."))
    if m.size == 2:
        blocks += _partners(m, variant)
    sections = m.described(variant)
    rest = [
        literal(f"{title}: {' '.join(lines)}")
        for title, lines in sections
        if " ".join(lines) != m.rule(variant)
    ]
    if rest:
        blocks.append(Paragraph(" ".join(rest)))
    return Section(f"variant-{slug(variant)}", name, tuple(blocks))


def _alone(m: Material, variant: str, name: str) -> Table:
    rows = []
    lineup = m.usual
    for n in m.players:
        judgement = m.find(n, (variant,))
        cell, base = m.cell(n, (variant,), lineup), m.cell(n, (), lineup)
        if cell is None or not cell.games:
            continue
        ratio = None
        if base and "length" in cell.paired and base.sums["length"].num:
            ratio = Quotient(cell.sums["length"], base.sums["length"], cell.paired["length"]).interval
        verdict = judgement.verdict.value if judgement else "not judged"
        rows.append(
            (
                whole(n),
                Cell(verdict, verdict),
                interval(quantile(cell.lengths, 0.5), "integer"),
                interval(ratio),
                interval(Share(cell.sums["stalled"]).interval, "share"),
                whole(cell.games),
                Cell(cell.id, str(cell.id)),
            )
        )
    ask = m.ask
    return Table(
        f"alone-{variant}",
        literal(f"{name} alone, {m.strength_name(lineup)}"),
        (
            Column("players", "Players", "integer"),
            Column("verdict", "Verdict", "verdict", "Over all strengths of play."),
            Column("p50", "Median rounds", "interval"),
            Column(
                "ratio",
                "Times as long",
                "interval",
                f"Mean length as a multiple of that without any {m.facts.variant}.",
            ),
            Column("stalled", "Nobody wins", "interval"),
            Column("games", "Games", "integer"),
            Column("cell_id", "Cell", "integer", "Its number in the run, for SQL."),
        ),
        tuple(rows),
        Source(
            count(sum(row[5].value for row in rows), "game", "games"),
            "95%: order statistics for the median, Fieller on common deals, Wilson",
            f"select cell_id, players, median({ask.length}) as p50, count(*) as games,\n"
            f"  count(*) filter ({ask.stalled}) / count(*) as stalled\n"
            f"from games where {ask.scope} and {ask.lineup(lineup)} and {ask.alone(variant)}\ngroup by all "
            "order by cell_id",
        ),
        ("cell_id",),
    )


def _partners(m: Material, variant: str) -> list[Block]:
    """Return the partners with which it is broken most, and least."""
    found = []
    for key, judgements in m.by_combination.items():
        if variant in key:
            other = next((name for name in key if name != variant), variant)
            found.append((other, judgements))
    if not found:
        return [Paragraph("It was not played with others.")]
    worst = sorted(found, key=lambda one: (-_severity(one[1]), m.names[one[0]]))
    fine = [one for one in found if all(j.verdict is Verdict.FINE for j in one[1])]
    best = sorted(fine, key=lambda one: (_doubt(one[1]), m.names[one[0]]))
    bad = [
        f"{m.names[other]} (broken at {_broken(own)} of {len(own)} numbers of players)"
        for other, own in worst
        if _broken(own)
    ][:3]
    good = [f"{m.names[other]} (fine at {'all ' if len(own) > 1 else ''}{len(own)})" for other, own in best][
        :3
    ]
    broken = sum(bool(_broken(judgements)) for _, judgements in found)
    said = f"Broken with {broken} of {len(found)} partners at some number of players."
    lines = [said]
    lines.append(f"Worst partners: {listed(bad)}." if bad else "No partner was found broken with it.")
    lines.append(f"Best partners: {listed(good)}." if good else "With no partner it was found fine.")
    return [Paragraph(literal(" ".join(lines)))]


def _broken(judgements: list[Judgement]) -> int:
    return sum(j.verdict is Verdict.BROKEN for j in judgements)


def _severity(judgements: list[Judgement]) -> float:
    """Return how much is wrong at the number of players where it is worst."""
    return max(j.severity for j in judgements)


def _doubt(judgements: list[Judgement]) -> float:
    """Return how much speaks against *fine*, where most does."""
    return max(cell.p_fine for j in judgements for cell in j.cells)

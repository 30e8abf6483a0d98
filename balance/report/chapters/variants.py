"""The variants, one entry each: the rule, what it does alone, its best and worst partners."""

from __future__ import annotations

from balance.judge.verdict import Judgement, Verdict
from balance.report.evidence import Evidence
from balance.report.formatting import listed, slug
from balance.report.model import Block, Paragraph, Section, literal


def section(m: Evidence) -> Section | None:
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


def _entry(m: Evidence, variant: str) -> Section:
    name = m.names.get(variant, variant)
    blocks: list[Block] = [Paragraph(literal(m.rule(variant)))]
    if any(m.cell(n, (variant,), m.usual) for n in m.players):
        blocks += _alone(m, variant, name)
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


def _alone(m: Evidence, variant: str, name: str) -> list[Block]:
    """Return the verdict on a variant alone, and what its games are like."""
    found = [(n, j) for n in m.players if (j := m.find(n, (variant,)))]
    said = listed([f"{j.verdict.value} with {n} players" for n, j in found])
    table = m.queries.block(
        "alone",
        {"variant": variant, "lineup": m.usual},
        caption=literal(f"{name} alone, {m.strength_name(m.usual)}"),
    )
    return [*([Paragraph(f"Alone, over all strengths of play: {said}.")] if said else []), table]


def _partners(m: Evidence, variant: str) -> list[Block]:
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
    lines.append(f"Best partners: {listed(good)}." if good else "No partner was found with which it is fine.")
    return [Paragraph(literal(" ".join(lines)))]


def _broken(judgements: list[Judgement]) -> int:
    return sum(j.verdict is Verdict.BROKEN for j in judgements)


def _severity(judgements: list[Judgement]) -> float:
    """Return how much is wrong at the number of players where it is worst."""
    return max(j.severity for j in judgements)


def _doubt(judgements: list[Judgement]) -> float:
    """Return how much speaks against *fine*, where most does."""
    return max(cell.p_fine for j in judgements for cell in j.cells)

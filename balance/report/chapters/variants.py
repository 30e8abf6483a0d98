"""The variants, one entry each: the rule, what it does alone, its best and worst partners."""

from __future__ import annotations

from balance.judge.verdict import Verdict
from balance.report.evidence import Evidence, rule_of
from balance.report.formatting import listed, slug
from balance.report.model import Block, Paragraph, Section, literal
from balance.report.query_blocks import rows_of


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
    caption = (
        f"What each {m.facts.variant} moves, alone, {m.middle} players, {m.strength_name(m.usual)}: up is "
        "more, down is less, grey may be chance"
    )
    n = m.games_of_each(m.usual)
    moved = m.ask("fingerprints", caption, n=n, lineup=m.usual, players=m.middle)
    return Section(
        "variants",
        m.facts.variants.capitalize(),
        (Paragraph(head), *([moved] if rows_of(moved) else [])),
        tuple(_entry(m, name) for name in order),
    )


def _entry(m: Evidence, variant: str) -> Section:
    name = m.names.get(variant, variant)
    sections = m.described(variant)
    rule = rule_of(sections)
    blocks: list[Block] = [Paragraph(literal(rule))]
    if any(m.cell(n, (variant,), m.usual) for n in m.players):
        blocks += _alone(m, variant, name)
    else:
        blocks.append(Paragraph("It was not played alone, so its own effect is not known."))
    if m.size == 2:
        blocks += _partners(m, variant)
    rest = [literal(f"{title}: {' '.join(lines)}") for title, lines in sections if " ".join(lines) != rule]
    if rest:
        blocks.append(Paragraph(" ".join(rest)))
    return Section(f"variant-{slug(variant)}", name, tuple(blocks))


def _alone(m: Evidence, variant: str, name: str) -> list[Block]:
    """Return the verdict on a variant alone, and what its games are like."""
    at: dict[str, list[int]] = {}
    for players in m.players:
        if found := m.find(players, (variant,)):
            at.setdefault(found.verdict.value, []).append(players)
    said = listed(f"{verdict} {_with(players)}" for verdict, players in at.items())
    caption = literal(f"{name} alone, {m.strength_name(m.usual)}")
    table = m.ask("alone", caption, n="", variant=variant, lineup=m.usual)
    return [*([Paragraph(f"Alone it is {said}.")] if said else []), table]


def _partners(m: Evidence, variant: str) -> list[Block]:
    """Return the partners with which it is broken most, and least."""
    found = [
        (m.names[next((name for name in key if name != variant), variant)], judgements)
        for key, judgements in m.by_combination.items()
        if variant in key
    ]
    if not found:
        return [Paragraph("It was not played with others.")]
    worst = sorted(found, key=lambda one: (-max(j.severity for j in one[1]), one[0]))
    several = len(m.players) > 1
    bad = [
        f"{name} ({_with(at)})" if several else name
        for name, own in worst
        if (at := [j.players for j in own if j.verdict is Verdict.BROKEN])
    ]
    fine = [one for one in found if all(j.verdict is Verdict.FINE for j in one[1])]
    # the best is that of which least speaks against *fine*, where most does
    best = sorted(fine, key=lambda one: (max(cell.p_fine for j in one[1] for cell in j.cells), one[0]))
    good = [name for name, _ in best]
    pairs = f"of its {len(found)} pairs"
    lines = [
        f"{len(bad)} {pairs} {'is' if len(bad) == 1 else 'are'} broken; worst with {listed(bad[:3])}."
        if bad
        else f"None {pairs} was found broken.",
        f"{len(good)} {'is' if len(good) == 1 else 'are'} fine; best with {listed(good[:3])}."
        if good
        else f"None {pairs} was found fine.",
    ]
    return [Paragraph(literal(" ".join(lines)))]


def _with(players: list[int]) -> str:
    return f"with {listed(map(str, players))} players"

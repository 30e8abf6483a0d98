"""Making the model of a report on all combinations from runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from balance.dataset.run import Run
from balance.experiments.published import PublishedPrices
from balance.judge.thresholds import Thresholds
from balance.report.atlas import make_atlas
from balance.report.chapters import items, length, matrices, method, summary, tension, variants, wins
from balance.report.evidence import Step, collect
from balance.report.formatting import count, listed
from balance.report.glossary import terms
from balance.report.model import Answer, Section
from balance.report.records import finding_record, verdict_record

if TYPE_CHECKING:
    from balance.experiments.side_by_side import Play

_MOST_LISTED: Final = 150
"""The most combinations that are listed one by one; the atlas, or its matrices on paper, shows more."""


def space_report(
    runs: Sequence[Run],
    thresholds: Thresholds,
    players: Sequence[int] = (),
    *,
    play: Play,
    command: str,
    step: Step = lambda _: None,
    prices: PublishedPrices | None = None,
    jobs: int | None = None,
) -> Answer:
    """Return the report on all combinations of runs; `command` is what makes it again."""
    m = collect(runs, thresholds, players, play=play, step=step, prices=prices, jobs=jobs)
    step("atlas")
    title = f"{m.facts.title}: is it balanced?"
    atlas = make_atlas(m, title)
    step("chapters")
    first = summary.make_summary(m)
    made = method.provenance_of(m.runs, m.games, command)
    sections: list[Section | None] = [
        summary.section(m, first),
        matrices.section(m, atlas) if atlas is not None and m.ranking is not None else None,
        wins.section(m),
        length.section(m),
        items.section(m),
        variants.section(m),
        tension.section(m),
        method.section(m, made),
    ]
    if 0 < len(m.by_combination) <= _MOST_LISTED:
        every = m.ask("every", f"All {len(m.by_combination):,} {m.combinations}", size=m.size)
        sections.append(Section("every", f"All {m.combinations}", (every,)))
    return Answer(
        kind="space",
        title=title,
        subtitle=f"{m.combinations.capitalize()}, {m.run.plan.edition}, "
        f"{listed([str(n) for n in m.players])} players, {count(m.games, 'game', 'games')}",
        game=m.facts.title,
        edition=m.run.plan.edition,
        summary=first,
        sections=tuple(section for section in sections if section is not None),
        glossary=terms(m.facts, [(lineup, m.strength_name(lineup)) for lineup in m.lineups], thresholds),
        provenance=made,
        atlas=atlas,
        verdicts=tuple(verdict_record(j, m.ranking.sentence) for j in m.ranking.ranked) if m.ranking else (),
        findings=tuple(
            finding_record(cell, finding)
            for judgement in (m.ranking.ranked if m.ranking else ())
            for cell in judgement.cells
            for finding in cell.broken
        ),
    )

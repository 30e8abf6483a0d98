"""Making the model of a report on all combinations from runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from balance.analysis.thresholds import Thresholds
from balance.dataset.run import Run
from balance.games.contract import Facts
from balance.report.atlas import make_atlas
from balance.report.chapters import answer as answers
from balance.report.chapters import items, length, matrices, method, tension, variants, wins
from balance.report.material import Play, Step, collect
from balance.report.model import Report, Section
from balance.report.words import count, listed

__all__ = ["STEPS", "game_words", "space_report", "terms"]

_MOST_LISTED: Final = 150
"""Combinations that are listed one by one; of more the atlas, or its matrices on paper, tell."""
STEPS: Final = 11
"""How many steps `space_report` tells of."""


def space_report(
    runs: Sequence[Run],
    thresholds: Thresholds,
    players: Sequence[int] = (),
    *,
    play: Play,
    command: str,
    step: Step = lambda _: None,
    jobs: int | None = None,
) -> Report:
    """Return the report on all combinations of runs; `command` is what makes it again."""
    m = collect(runs, thresholds, players, play=play, step=step, jobs=jobs)
    step("atlas")
    atlas = make_atlas(m)
    step("chapters")
    answer = answers.make_answer(m)
    made = method.provenance_of(m.runs, m.games, command)
    sections: list[Section | None] = [
        answers.section(m, answer),
        matrices.section(m, atlas) if atlas is not None and m.ranking is not None else None,
        wins.section(m),
        length.section(m),
        items.section(m),
        variants.section(m),
        tension.section(m),
        method.section(m, made),
        matrices.appendix(m) if 0 < len(m.verdicts) <= _MOST_LISTED else None,
    ]
    return Report(
        kind="space",
        title=f"{m.facts.title}: is it balanced?",
        subtitle=f"{m.combinations.capitalize()}, {m.run.plan.edition}, "
        f"{listed([str(n) for n in m.players])} players, {count(m.games, 'game', 'games')}",
        game=m.facts.title,
        edition=m.run.plan.edition,
        words=game_words(m.facts),
        answer=answer,
        sections=tuple(section for section in sections if section is not None),
        glossary=terms(m.facts, [(lineup, m.strength_name(lineup)) for lineup in m.lineups], thresholds),
        provenance=made,
        atlas=atlas,
    )


def game_words(facts: Facts) -> dict[str, str]:
    """Return the game's own words."""
    return {"variant": facts.variant, "variants": facts.variants, "item": facts.item, "items": facts.items}


def terms(
    facts: Facts, strengths_played: Iterable[tuple[str, str]], thresholds: Thresholds | None = None
) -> dict[str, str]:
    """Return the terms that a designer may not know, each explained in a sentence or two.

    Takes the lineups that were played, each with the strength of play that it stands for, and the thresholds
    that were judged by: of the official ones is known when they were written.
    """
    official = thresholds is not None and not thresholds.overlays
    written = " Written down before any combination was judged." if official else ""
    strengths = listed([f"{name} ({lineup})" for lineup, name in dict.fromkeys(strengths_played)])
    strength = f"How well those play who sit at the table. Here: {strengths}."
    return {
        "broken": "Something about the games lies outside the range that its designers accept, and the "
        "games rule out that this is chance.",
        "fine": "Everything that is judged lies inside its accepted range, and the games rule out that this "
        "is chance.",
        "undecided": "The games at hand say neither broken nor fine. More games would tell, unless the truth "
        "lies on the threshold.",
        "accepted range": f"What the designers of the game accept of a metric, with their reason.{written}",
        "strength of play": strength,
        "strengths of play": strength,
        "win points": "The share of wins times the number of players: 1.00 is a fair share, 2.00 twice as "
        "many wins. In a game that nobody wins every seat has 1.",
        "median": "The middle one: half of the games are shorter, half are longer.",
        "stalls": f"Nobody has won when round {facts.round_limit} is over; the game is broken off there.",
        "half-time": "After half the rounds of the game, rounded up.",
        "value": f"Win points of the seats that were dealt the {facts.item}, less the 1.00 of a fair share.",
        "fair cost": f"An estimate of the cost at which the {facts.item} would be worth as much as the "
        "average one: its value in coins, spread over those who build it.",
        "interval": "95% of such intervals hold the truth. Narrow: sure; wide: unsure.",
        "deal": "A shuffle. Games of the same deal begin with the same cards, in every combination.",
        "cell": f"An edition, a number of players, a combination of {facts.variants} and a strength of play.",
    }

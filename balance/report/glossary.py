"""The words of a report: terms that a designer may not know, and the game's own words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from balance.games.contract import Facts
from balance.judge.thresholds import Thresholds
from balance.report.formatting import listed


def game_words(facts: Facts) -> dict[str, str]:
    """Return the game's own words."""
    return {"variant": facts.variant, "variants": facts.variants, "item": facts.item, "items": facts.items}


def own_words(text: str, facts: Facts) -> str:
    """Return a text of the toolkit in the words of the game: twists, not variants."""
    words = game_words(facts)

    def own(found: re.Match[str]) -> str:
        word = words[found[0].lower()]
        return word.capitalize() if found[0][0].isupper() else word

    return re.sub(r"\b(?:variant|item)s?\b", own, text, flags=re.IGNORECASE)


def terms(
    facts: Facts, strengths_played: Sequence[tuple[str, str]], thresholds: Thresholds | None = None
) -> dict[str, str]:
    """Return the terms that a designer may not know, each explained in a sentence or two.

    Takes the lineups that were played, each with the strength of play that it stands for, and the thresholds
    that were judged by: of the official ones is known when they were written.
    """
    official = thresholds is not None and not thresholds.overlays
    written = " Written down before any combination was judged." if official else ""
    strengths = listed([f"{name} ({lineup})" for lineup, name in dict.fromkeys(strengths_played)])
    lineups = " ".join(lineup.replace("field", " ".join(facts.field)) for lineup, _ in strengths_played)
    played = [f"{name} {what}" for name, what in facts.policy_words if name in re.findall(r"[\w-]+", lineups)]
    strategy = "A program that plays" + (f". Here: {'; '.join(played)}." if played else ".")
    strength = f"How well the players at the table play. Here, with its name in commands: {strengths}."
    return {
        "broken": "The game cannot be played as meant: it does not end, there is nothing to decide, or the "
        "deal, a seat or one style decides. The games rule out that this is chance.",
        "bent": "Nothing breaks the game, but it is another one: much longer or shorter, much richer or "
        "poorer, an action that nobody uses. Not a fault, but something to know.",
        "fine": "Everything that is judged is inside its accepted range, and the games rule out that this "
        "is chance.",
        "undecided": "The games at hand do not show which it is. More games would, unless the truth "
        "is on the threshold.",
        "accepted range": f"What the designers of the game accept of a metric, with their reason.{written}",
        "strength of play": strength,
        "best reply": "A player trained for nothing but to beat those of these games. What it gains in win "
        "points above a fair share says how far a verdict may be from that on perfect play.",
        "strategy": strategy,
        "win points": "The share of wins times the number of players: 1.00 is a fair share, 2.00 twice as "
        "many wins. In a game that nobody wins every seat has 1.",
        "median": "The middle one: half of the games are shorter, half are longer.",
        "stalls": f"Nobody has won when round {facts.round_limit} is over; the game is broken off there.",
        "half-time": "After half the rounds of the game, rounded up.",
        "value": f"Win points of the seats that were dealt the {facts.item}, less the 1.00 of a fair share.",
        "interval": "95% of such intervals hold the truth. Narrow: sure; wide: unsure.",
        "deal": "A shuffle. Games of the same deal begin with the same cards, in every combination.",
        "seat": "A place at the table. Seats are numbered from 0, in the order around the table.",
    }

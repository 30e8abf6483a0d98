"""A game as text for people: round by round, from its events alone, in the words of its edition.

Plain text of 80 columns. Who has how much after each event is the ledger's to know; what a card or a twist
does is put into words by `english`. Nothing here knows a rule.
"""

import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from balance.games.contract import Event
from balance.games.nefarious.catalog import english
from balance.games.nefarious.replay.ledger import Ledger
from balance.games.nefarious.rules import Cell
from balance.games.nefarious.vocabulary import ACTIONS

WIDTH: Final = 80
_LEDGER: Final = "  {who:<6}  {moved:>5}  {has:>5}  "
_HANGING: Final = " " * len(_LEDGER.format(who="", moved="", has=""))
_LONGEST_LABEL: Final = 30
_HARD_SPACE: Final = "\N{NO-BREAK SPACE}"


def transcript(cell: Cell, events: Sequence[Event]) -> str:
    """Write a game down."""
    lines = list(_Writer(cell, events).lines())
    # parts ask for a blank line around them; where two meet, one is enough
    kept = [line for before, line in zip(["-", *lines], lines, strict=False) if before or line]
    return "\n".join(kept) + "\n"


class _Writer:
    """Follows one game, and has words for each event."""

    def __init__(self, cell: Cell, events: Sequence[Event]) -> None:
        self.cell, self.events = cell, events
        self.setup = events[0]
        self.ledger = Ledger(cell, self.setup)
        self.words = cell.edition.words
        self.names = {card.id: _whole(card.name) for card in cell.cards}
        self.cards = {card.id: card for card in cell.cards}
        costs = cell.rules[0]["cost"]
        self.costs = {card.id: int(costs[k]) for k, card in enumerate(cell.cards)}
        self.twists = {twist.id: _whole(twist.name) for twist in cell.twists}
        self.goal = int(cell.rules[0]["goal"])

    def lines(self) -> Iterator[str]:
        yield from self._heading()
        choices: list[Event] = []
        for event in self.events[1:]:
            self.ledger.follow(event)
            if event["event"] == "state":
                for seat, has in zip(self.ledger.seats, event["seats"], strict=True):
                    seat.vp = has["vp"]  # a score is logged, not computed
            if event["event"] == "choose":
                choices.append(event)
                if len(choices) == self.cell.players:
                    yield from self._choices(choices)
                    choices = []
            else:
                yield from getattr(self, f"_{event['event']}")(event)

    # --- before the first round

    def _heading(self) -> Iterator[str]:
        setup, edition = self.setup, self.cell.edition
        yield from _fold(f"NEFARIOUS - {edition.name}")
        again = f", replicate {setup['replicate']}" if "replicate" in setup else ""
        yield f"Seed {setup['seed']}, game {setup['game_index']}{again}"
        yield f"{self.cell.players} players, goal {self.goal} VP"
        yield ""
        if not self.cell.twists:
            yield f"No {self.words['twists']}."
        for number, twist in enumerate(self.cell.twists, 1):
            yield from _fold(f"{self.words['twist'].capitalize()} {number}: {twist.name}")
            for sentence in english.twist_rule(twist, edition):
                yield from _fold(self._in_words(sentence), "  ")
        yield ""
        for seat, money in enumerate(setup["money"]):
            yield from self._opening(seat, money)
        yield from ("", "Each line of a round: who, money in or out, money held then, what happened.")

    def _opening(self, seat: int, money: int) -> Iterator[str]:
        dealt = [c for e in self.events if e["event"] == "deal" and e["seat"] == seat for c in e["cards"]]
        yield from _fold(
            f"{self._label(seat)} starts with {money} money and {self._card_names(dealt)}.", "", "  "
        )

    # --- one event each, by its name

    def _deal(self, _event: Event) -> Iterator[str]:
        yield from ()  # shown in the heading

    def _round(self, event: Event) -> Iterator[str]:
        yield from ("", _rule(f"Round {event['round']}"), "")

    def _choices(self, choices: Sequence[Event]) -> Iterator[str]:
        parts = [
            _whole(f"{_seat(e['seat'])} {' + '.join(self.words[a] for a in e['actions']) or 'nothing'}")
            for e in choices
        ]
        yield ""
        yield from _fold(f"Actions: {', '.join(parts)}.", "  ", "    ")
        yield ""

    def _income(self, event: Event) -> Iterator[str]:
        yield from self._line(event, event["amount"], f"income from {self.words['minions']}")

    def _money(self, event: Event) -> Iterator[str]:
        yield from self._line(event, event["amount"], self._cause(event))

    def _commit(self, event: Event) -> Iterator[str]:
        yield from self._line(event, 0, f"commits {self.names[event['card']]}, face down")

    def _place(self, event: Event) -> Iterator[str]:
        zone = self.words[event["zone"]]
        text = f"places a {self.words['minion']} on {zone} ({self._cause(event)})"
        yield from self._line(event, -event["paid"], text)

    def _remove(self, event: Event) -> Iterator[str]:
        zone = self.words[event["zone"]]
        yield from self._line(
            event, 0, f"takes a {self.words['minion']} back from {zone} ({self._cause(event)})"
        )

    def _reveal(self, event: Event) -> Iterator[str]:
        card = self.cards[event["card"]]
        match event["outcome"]:
            case "built":
                worth = english.invention_value(card)[:-1]
                free = "" if event["paid"] else ", free"
                text = f"builds {self.names[card.id]}{free} ({worth[0].lower()}{worth[1:]})"
                yield from self._line(event, -event["paid"], text)
                if not card.blank:
                    said = self._in_words(" ".join(english.invention_lines(card)))
                    yield from _fold(f'"{said}"', f"{_HANGING}  ")
            case "unaffordable":
                cost = self.costs[card.id]
                yield from self._line(
                    event, 0, f"reveals {self.names[card.id]}, but cannot pay its {cost} money"
                )
            case _:
                yield from self._line(
                    event, 0, f"reveals {self.names[card.id]}, which returns to the hand unpaid"
                )

    def _draw(self, event: Event) -> Iterator[str]:
        yield from self._line(event, 0, f"draws {self._card_names(event['cards'])} ({self._cause(event)})")

    def _discard(self, event: Event) -> Iterator[str]:
        yield from self._line(event, 0, f"discards {self._card_names(event['cards'])} ({self._cause(event)})")

    def _shuffle(self, event: Event) -> Iterator[str]:
        where = "goes under the deck" if event["under"] else "becomes the deck"
        yield f"  The discard pile ({_count(len(event['cards']), 'card')}) is shuffled and {where}."

    def _no_more_draws(self, _event: Event) -> Iterator[str]:
        yield "  The deck is too small: no card is drawn for the rest of the game."

    def _end(self, event: Event) -> Iterator[str]:
        yield from ("", _rule("The end"), "")
        played = _count(event["rounds"], "round")
        if event["winner"] is None:
            text = f"Stalled: after {played} nobody leads alone with the goal of {self.goal} VP reached."
        else:
            vp = self.ledger.seats[event["winner"]].vp
            text = (
                f"{self._label(event['winner'])} wins after {played} with {vp} VP; the goal was {self.goal}."
            )
        yield from _fold(text)
        yield ""
        for number, seat in enumerate(self.ledger.seats):
            yield from _fold(f"{self._label(number)}: {seat.vp} VP. {self._worths(number)}", "", "  ")

    # --- scores

    def _state(self, _event: Event) -> Iterator[str]:
        """Show who has how much, as a table."""
        labels = [self._label(number) for number in range(self.cell.players)]
        widest = max(map(len, labels))
        row = f"  {{:<{widest}}}  {{:>3}}  {{:>5}}  {{:>4}}  {{:>5}}  "
        hanging = " " * len(row.format("", "", "", "", ""))
        yield ""
        yield row.format("", "VP", "money", "hand", "built") + self.words["minions"]
        for label, seat in zip(labels, self.ledger.seats, strict=True):
            stand = [_whole(f"{seat.minions[a]} {self.words[a]}") for a in ACTIONS if seat.minions[a]]
            start = row.format(label, seat.vp, seat.money, len(seat.hand), len(seat.built))
            yield from _fold(", ".join(stand) or "-", start, hanging)
        yield from _fold(self._table_line(), "  ")

    def _table_line(self) -> str:
        ledger = self.ledger
        said = f"Deck {len(ledger.deck)}, discard pile {len(ledger.discard)}."
        committed = [
            _whole(f"{_seat(n)} {self.names[seat.committed]}")
            for n, seat in enumerate(ledger.seats)
            if seat.committed is not None
        ]
        if committed:
            said += f" Committed: {', '.join(committed)}."
        leader = ledger.sole_leader()
        return said + ("" if leader is None else f" {_seat(leader)} leads.")

    def _worths(self, number: int) -> str:
        """Say where a final score comes from."""
        seat = self.ledger.seats[number]
        cards = [self.cards[card] for card in seat.built]
        worths = [card.vp + card.vp_per_built * len(cards) for card in cards]
        parts = [_whole(f"{card.name} {worth}") for card, worth in zip(cards, worths, strict=True)]
        if seat.vp != sum(worths):
            parts.append(f"{self.words['twists']} {seat.vp - sum(worths):+}")
        return f"{', '.join(parts) or 'Nothing built'}."

    # --- words

    def _line(self, event: Event, moved: int, text: str) -> Iterator[str]:
        """Yield one line of the account: who, money moved, money then, why."""
        has = self.ledger.seats[event["seat"]].money if moved else ""
        start = _LEDGER.format(who=_seat(event["seat"]), moved=f"{moved:+}" if moved else "", has=has)
        yield from _fold(text, start, _HANGING)

    def _label(self, seat: int) -> str:
        policy = self.setup["policies"][seat]
        return f"{_seat(seat)} ({textwrap.shorten(policy, _LONGEST_LABEL, placeholder='...')})"

    def _cause(self, event: Event) -> str:
        kind, _, name = event["cause"].partition(":")
        if kind == "twist":
            return f"{self.words['twist']} {self.twists[name]}"
        if kind != "invention":
            return self.words[kind]
        card = int(name)
        owners = [n for n, seat in enumerate(self.ledger.seats) if card in seat.built]
        whose = "" if owners == [event["seat"]] or not owners else f"{_seat(owners[0])}'s "
        return f"{whose}{self.names[card]}"

    def _card_names(self, cards: Sequence[int]) -> str:
        return ", ".join(self.names[card] for card in cards) or "no cards"

    def _in_words(self, sentence: str) -> str:
        """Say a rule in the edition's words for actions and pieces."""
        own = {a.capitalize(): self.words[a] for a in ACTIONS}
        own |= {name: self.words[name] for name in ("minion", "minions", "twist", "twists")}
        return re.sub(r"\b(" + "|".join(own) + r")\b", lambda found: own[found[0]], sentence)


def _seat(number: int) -> str:
    return f"Seat {number}"


def _count(n: int, one: str) -> str:
    return f"{n} {one}" if n == 1 else f"{n} {one}s"


def _rule(title: str) -> str:
    return f"--- {title} ".ljust(WIDTH, "-")


def _whole(text: str) -> str:
    """Keep a name on one line where possible: `_fold` makes its spaces plain again."""
    return text.replace(" ", _HARD_SPACE)


def _fold(text: str, first: str = "", hanging: str | None = None) -> list[str]:
    """Break a text into lines, the first after `first`, the others after `hanging`."""
    after = " " * len(first) if hanging is None else hanging
    lines = textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=after, break_on_hyphens=False)
    return [line.replace(_HARD_SPACE, " ") for line in lines] or [first.rstrip()]

"""Why nobody wins a game, in the words of Nefarious: read from the events of the game alone."""

from collections.abc import Sequence

from balance.games.contract import Event
from balance.games.nefarious.rules import Cell


def stall_cause(cell: Cell, events: Sequence[Event]) -> str:
    """Return what stands in the way after the last round: the deck, the hands, the prices, or the table.

    A tie at the goal is named first: everybody could go on building, and it would end nothing.
    """
    state = next(event for event in reversed(events) if event["event"] == "state")
    closed = any(event["event"] == "no_more_draws" for event in events)
    seats = state["seats"]
    if max(seat["vp"] for seat in seats) >= int(cell.rules[0]["goal"]):
        return "the leaders are tied at the goal"
    draws = "the deck is closed" if closed else "cards can still be drawn"
    held = [(seat["money"], card) for seat in seats for card in seat["hand"]]
    if not held:
        return f"{draws}, and all hands are empty"
    costs = {card.id: int(cell.rules[0]["cost"][k]) for k, card in enumerate(cell.cards)}
    if all(costs[card] > money for money, card in held):
        return f"{draws}, and nobody can pay a card in hand"
    return f"{draws}, and cards that could be paid stay in the hand"

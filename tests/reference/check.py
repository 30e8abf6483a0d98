"""Hold an event log against the rules: given its decisions, the plain engine must play the same game.

`check_log` compares every event and every state; `recount` needs no rules at all and asks only whether the
log by itself explains the states it tells.
"""

import json
from collections.abc import Sequence
from typing import Any

from balance.games.nefarious.catalog.model import Catalog
from balance.games.nefarious.vocabulary import ACTIONS
from tests.reference.cell import prepare
from tests.reference.decisions import Event, LogDriven, LogError
from tests.reference.engine import Handicap, Result, play
from tests.reference.moves import MissingDecisionError


class LogMismatchError(AssertionError):
    """The log and the rules disagree; the message shows round, event and both states."""


def check_log(
    catalog: Catalog, events: Sequence[Event], *, in_order: bool = True, handicap: bool = False
) -> Result:
    """Play the log's decisions and compare every event.

    `in_order=False` compares the events of a round as a multiset; `handicap=True` allows the set-up to give
    seats other money and cards than the rules say.
    """
    if not events or events[0].get("event") != "setup":
        raise LogMismatchError("a log begins with a setup event")
    setup = events[0]
    if not handicap:
        _check_start(catalog, setup)
    played: list[Event] = []
    start = Handicap(setup["money"], setup["cards"])
    try:
        result = play(
            catalog, setup["edition"], setup["players"], setup["twists"], LogDriven(events), start, played
        )
    except (LogError, MissingDecisionError):
        # What comes first is the cause: an earlier event that differs says more than the missing decision.
        _compare(events, played, in_order=in_order, whole=False)
        raise
    _compare(events, played, in_order=in_order, whole=True)
    recount(events)
    return result


def _check_start(catalog: Catalog, setup: Event) -> None:
    rules = prepare(catalog, setup["edition"], setup["twists"])
    for name, right in (("money", rules.start_money), ("cards", rules.opening_cards)):
        if setup[name] != [right] * setup["players"]:
            raise LogMismatchError(
                f"setup: {name} {setup[name]}; the rules say {right} for each of {setup['players']} seats"
            )


def _plain(event: Event) -> Event:
    """An event without what may be written in more than one way."""
    plain = dict(event)
    if event["event"] == "discard":
        plain["cards"] = sorted(event["cards"])
    if event["event"] == "state":
        plain["seats"] = [{**seat, "hand": sorted(seat["hand"])} for seat in event["seats"]]
    if event["event"] == "setup":
        plain = {key: event[key] for key in ("edition", "players", "twists", "money", "cards", "deck")}
    return plain


def _rounds(events: Sequence[Event]) -> list[list[tuple[int, Event]]]:
    """The events of the set-up, of round 1, of round 2 ..., each with its place in the log."""
    rounds: list[list[tuple[int, Event]]] = [[]]
    for index, event in enumerate(events):
        if event["event"] == "round":
            rounds.append([])
        if event["event"] != "deal" or event["cards"]:
            rounds[-1].append((index, _plain(event)))
    return rounds


def _compare(log: Sequence[Event], played: Sequence[Event], *, in_order: bool, whole: bool) -> None:
    logged, engine = _rounds(log), _rounds(played)
    if whole and len(logged) != len(engine):
        raise LogMismatchError(f"the log has {len(logged) - 1} rounds, the rules play {len(engine) - 1}")
    for number in range(len(engine)):
        ours = engine[number]
        theirs = logged[number] if number < len(logged) else []
        complete = whole or number < len(engine) - 1
        if not in_order:
            if not complete:
                return
            ours, theirs = _sorted(ours), _sorted(theirs)
        for position in range(max(len(ours), len(theirs)) if complete else len(ours)):
            left = theirs[position] if position < len(theirs) else None
            right = ours[position] if position < len(ours) else None
            if left is None or right is None or left[1] != right[1]:
                raise LogMismatchError(_difference(number, left, right, logged, engine))


def _sorted(events: list[tuple[int, Event]]) -> list[tuple[int, Event]]:
    return sorted(events, key=lambda item: json.dumps(item[1], sort_keys=True))


def _difference(
    number: int,
    left: tuple[int, Event] | None,
    right: tuple[int, Event] | None,
    logged: Sequence[list[tuple[int, Event]]],
    engine: Sequence[list[tuple[int, Event]]],
) -> str:
    lines = [
        f"round {number}, event {left[0] if left else 'missing'} of the log differs",
        f"  log says    {json.dumps(left[1]) if left else 'nothing more in this round'}",
        f"  rules say   {json.dumps(right[1]) if right else 'nothing more in this round'}",
    ]
    if left and right:
        wrong = [key for key in left[1] if left[1][key] != right[1].get(key)]
        lines.append(f"  in          {', '.join(wrong)}")
    lines += _state_lines("state before", engine, number - 1)
    lines += _state_lines("log after   ", logged, number)
    lines += _state_lines("rules after ", engine, number)
    return "\n".join(lines)


def _state_lines(label: str, rounds: Sequence[list[tuple[int, Event]]], number: int) -> list[str]:
    states = [event for _, event in rounds[number] if event["event"] == "state"] if number > 0 else []
    if not states:
        return [f"  {label}: none"]
    state = states[-1]
    head = f"  {label}: deck {state['deck']}, discard {state['discard']}"
    return [head, *(f"    seat {seat}: {json.dumps(of)}" for seat, of in enumerate(state["seats"]))]


def recount(events: Sequence[Event]) -> None:
    """Add up the log without any rule: cards and minions move from place to place, money by what is told."""
    setup = events[0]
    money = list(setup["money"])
    deck = list(setup["deck"])
    pile: list[int] = []
    hands: list[list[int]] = [[] for _ in money]
    built: list[list[int]] = [[] for _ in money]
    minions = [dict.fromkeys(ACTIONS, 0) for _ in money]
    committed: list[int | None] = [None] * len(money)
    for index, event in enumerate(events):
        seat = event.get("seat", 0)
        try:
            match event["event"]:
                case "deal" | "draw":
                    for card in event["cards"]:
                        if deck.pop(0) != card:
                            raise ValueError(f"card {card} is not on top of the deck")
                    hands[seat] += event["cards"]
                case "discard":
                    for card in event["cards"]:
                        hands[seat].remove(card)
                    pile += event["cards"]
                case "shuffle":
                    if sorted(pile) != sorted(event["cards"]):
                        raise ValueError(f"the discard pile is {sorted(pile)}")
                    deck += event["cards"]
                    pile = []
                case "reveal" if event["outcome"] == "built":
                    hands[seat].remove(event["card"])
                    built[seat].append(event["card"])
                    money[seat] -= event["paid"]
                    committed[seat] = None
                case "place":
                    minions[seat][event["zone"]] += 1
                    money[seat] -= event["paid"]
                case "remove":
                    minions[seat][event["zone"]] -= 1
                case "money" | "income":
                    money[seat] += event["amount"]
                case "commit":
                    committed[seat] = event["card"]
                case "state":
                    told = [
                        (s["money"], sorted(s["hand"]), s["built"], s["minions"], s["committed"])
                        for s in event["seats"]
                    ]
                    added: list[Any] = [
                        (money[s], sorted(hands[s]), built[s], minions[s], committed[s])
                        for s in range(len(money))
                    ]
                    if told != added or (event["deck"], event["discard"]) != (len(deck), len(pile)):
                        raise ValueError(f"the events add up to {added}, deck {len(deck)}, pile {len(pile)}")
            if min(money) < 0 or min(min(zones.values()) for zones in minions) < 0:
                raise ValueError("money or minions below 0")
        except (ValueError, IndexError) as error:
            raise LogMismatchError(f"event {index} {json.dumps(event)} does not add up: {error}") from error

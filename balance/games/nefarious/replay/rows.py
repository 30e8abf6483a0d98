"""What a game leaves in the tables, recomputed from its event log alone.

The kernel writes its rows from the state; this reads them off the log, so that a replayed game can be
compared with its row, column by column.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from balance.games.contract import Event
from balance.games.nefarious.policies.names import policy_number
from balance.games.nefarious.replay.ledger import Ledger
from balance.games.nefarious.rules import Cell
from balance.games.nefarious.vocabulary import ACTIONS, ROUNDS_EVERY

Row = dict[str, int]


@dataclass
class _Seat:
    """What a seat's row counts up."""

    opening: int = 0
    drawn: int = 0
    income: int = 0
    chose: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ACTIONS, 0))
    first_action: int = 0


@dataclass
class _Game:
    """What a game's row counts up."""

    scores: list[list[int]] = field(default_factory=list)
    leader: int | None = None
    lead_changes: int = 0
    goal_round: int = 0
    exhausted: bool = False


def rows_of(cell: Cell, events: Sequence[Event]) -> dict[str, list[Row]]:
    """Return the rows of every table that one game leaves; `game` is 0 in all of them."""
    setup, end = events[0], events[-1]
    place = {card.id: k for k, card in enumerate(cell.cards)}
    seats = [_Seat() for _ in range(cell.players)]
    game = _Game()
    builds: list[Row] = []
    rounds: list[Row] = []
    keep = setup["game_index"] % ROUNDS_EVERY == 0
    ledger = Ledger(cell, setup)
    for event in events[1:]:
        ledger.follow(event)
        _count_event(seats, game, event, ledger, place)
        if event["event"] == "state":
            builds += _builds(ledger, builds)
            _count_round(cell, game, ledger)
            rounds += _rounds(ledger) if keep else []
    return {
        "games": [_game_row(setup, end, game)],
        "seats": [_seat_row(setup, end, game, ledger, number, seat) for number, seat in enumerate(seats)],
        "builds": builds,
        "rounds": rounds,
    }


def _count_event(
    seats: list[_Seat], game: _Game, event: Event, ledger: Ledger, place: dict[int, int]
) -> None:
    match event["event"]:
        case "deal":
            seats[event["seat"]].opening |= _mask(event["cards"], place)
        case "draw":
            seats[event["seat"]].drawn |= _mask(event["cards"], place)
            game.exhausted = game.exhausted or not ledger.deck
        case "shuffle" | "no_more_draws":
            game.exhausted = True
        case "income":
            seats[event["seat"]].income += event["amount"]
        case "choose":
            seat = seats[event["seat"]]
            for action in event["actions"]:
                seat.chose[action] += 1
            if ledger.round == 1:
                seat.first_action = action_mask(event["actions"])


def _mask(cards: Sequence[int], place: dict[int, int]) -> int:
    return sum(1 << place[card] for card in cards)


def action_mask(actions: Sequence[str]) -> int:
    """Return actions as the tables keep them."""
    return sum(1 << ACTIONS.index(action) for action in actions)


def _count_round(cell: Cell, game: _Game, ledger: Ledger) -> None:
    scores = [seat.vp for seat in ledger.seats]
    game.scores.append(scores)
    if not game.goal_round and max(scores) >= int(cell.rules[0]["goal"]):
        game.goal_round = ledger.round
    leader = ledger.sole_leader()
    if leader is not None:
        game.lead_changes += game.leader not in (None, leader)
        game.leader = leader


def _builds(ledger: Ledger, earlier: list[Row]) -> list[Row]:
    rows: list[Row] = []
    cost = {card.id: int(ledger.cell.rules[0]["cost"][k]) for k, card in enumerate(ledger.cell.cards)}
    for number, seat in enumerate(ledger.seats):
        known = sum(row["seat"] == number for row in earlier)
        for nth, card in enumerate(seat.built[known:], known + 1):
            rows.append(
                {
                    "game": 0,
                    "seat": number,
                    "nth": nth,
                    "round": ledger.round,
                    "invention": card,
                    "paid": cost[card],
                }
            )
    return rows


def _rounds(ledger: Ledger) -> list[Row]:
    return [
        {
            "game": 0,
            "round": ledger.round,
            "seat": number,
            "actions": action_mask(ledger.actions[number]),
            "money": seat.money,
            "vp": seat.vp,
            "hand": len(seat.hand),
            **{f"minions_{action}": seat.minions[action] for action in ACTIONS},
        }
        for number, seat in enumerate(ledger.seats)
    ]


def _game_row(setup: Event, end: Event, game: _Game) -> Row:
    return {
        "game_index": setup["game_index"],
        "replicate": setup.get("replicate", 0),
        "rounds": end["rounds"],
        "winner_seat": -1 if end["winner"] is None else end["winner"],
        "stalled": end["stalled"],
        "rounds_after_goal": end["rounds"] - game.goal_round if game.goal_round else 0,
        "lead_changes": game.lead_changes,
        "deck_exhausted": game.exhausted,
    }


def _seat_row(setup: Event, end: Event, game: _Game, ledger: Ledger, number: int, seat: _Seat) -> Row:
    held = ledger.seats[number]
    low = (1 << 64) - 1
    return {
        "game": 0,
        "seat": number,
        "policy": policy_number(setup["policies"][number]),
        "won": end["winner"] == number,
        "vp": held.vp,
        "money": held.money,
        "hand": len(held.hand),
        **{f"minions_{action}": held.minions[action] for action in ACTIONS},
        **{f"chose_{action}": seat.chose[action] for action in ACTIONS},
        "first_action": seat.first_action,
        "income": seat.income,
        "built": len(held.built),
        "vp_half": game.scores[(end["rounds"] + 1) // 2 - 1][number],
        "opening_0": seat.opening & low,
        "opening_1": seat.opening >> 64,
        "drawn_0": seat.drawn & low,
        "drawn_1": seat.drawn >> 64,
    }

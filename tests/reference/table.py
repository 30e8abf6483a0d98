"""The table: what lies where during a game, the words that count it, and how it is written down."""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from balance.games.nefarious.vocabulary import ACTIONS, EXTREMES, PUBLIC, WHOSE, Condition, Effect
from tests.reference.cell import ZONE_OF, ZONES, Rules
from tests.reference.decisions import Decisions, Event

BELOW_ALL = -(10**9)
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


@dataclass(slots=True, eq=False)
class Player:
    """One seat."""

    seat: int
    money: int
    reserve: int
    hand: list[int] = field(default_factory=list)
    """Ascending; the committed and the revealed card included."""
    built: list[int] = field(default_factory=list)
    zones: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    """Own minions on each zone."""
    committed: int | None = None
    revealed: int | None = None
    """The card on the table during R5, until its turn to be paid for has come."""
    played: tuple[int, ...] = ()
    """The actions revealed this round; none before R2."""
    past: list[tuple[int, ...]] = field(default_factory=list)
    """The actions of every earlier round."""
    built_now: int = 0
    vp: int = 0

    def on_zones(self) -> int:
        """Own minions on zones."""
        return sum(self.zones)

    def discardable(self) -> list[int]:
        """The hand without the committed card, and without a card that lies revealed on the table."""
        if self.committed is None and self.revealed is None:
            return self.hand
        return [card for card in self.hand if card not in (self.committed, self.revealed)]


@dataclass(slots=True, eq=False)
class Table:
    """A game in progress."""

    rules: Rules
    players: list[Player]
    decisions: Decisions
    log: list[Event] | None
    deck: list[int] = field(default_factory=list)
    """The last card is the top."""
    pile: list[int] = field(default_factory=list)
    """The discard pile."""
    closed: bool = False
    """All or nothing: no card is drawn for the rest of the game."""
    round: int = 0
    crowd: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    """Minions of all players on each zone as the round began."""
    seen: list[dict[str, int]] = field(default_factory=list)
    """By seat, what everybody could count of a player before the first line of the moment."""

    def look(self) -> None:
        """A moment begins: what looks at others sees the table as it is now, until the next one."""
        self.seen = [{word: quantity(self, player, word) for word in PUBLIC} for player in self.players]

    def others(self, player: Player) -> list[Player]:
        """Everybody else, seat 0 first."""
        return [other for other in self.players if other is not player]


# --- counting ---------------------------------------------------------------------------------------------


def card_worth(table: Table, player: Player, card_id: int) -> int:
    """VP of a built card now; some grow with the own built inventions."""
    card = table.rules.cards[card_id]
    return card.vp + card.vp_per_built * len(player.built)


def led_zones(table: Table, player: Player) -> int:
    """Own revealed actions on whose zone the player has more minions than each other player."""
    others = table.others(player)
    return sum(all(player.zones[z] > other.zones[z] for other in others) for z in player.played)


def shared_actions(table: Table, player: Player) -> int:
    """Other players with the same revealed action, counted for each shared action."""
    return sum(action in other.played for other in table.others(player) for action in player.played)


def quantity(table: Table, player: Player, word: str) -> int:
    """The value of a quantity of a condition."""
    match word:
        case "money":
            return player.money
        case "hand":
            return len(player.hand)
        case "built":
            return len(player.built)
        case "built_now":
            return player.built_now
        case "minions":
            return player.on_zones()
        case "reserve":
            return player.reserve
        case "committed":
            return int(player.committed is not None)
        case "vp":
            return sum(card_worth(table, player, card) for card in player.built)
        case "round":
            return table.round
        case "card_vp":
            return card_worth(table, player, player.built[-1])
        case "earlier_vp":
            return max((card_worth(table, player, card) for card in player.built[:-1]), default=BELOW_ALL)
    raise NotImplementedError(f"quantity {word}")


def spoken_of(table: Table, player: Player, word: str) -> list[Player]:
    """The players whom `neighbour`, `other` or `player` means, each once."""
    if word == "player":
        return table.players
    if word == "other":
        return table.others(player)
    count = len(table.players)
    return [table.players[seat] for seat in {(player.seat + 1) % count, (player.seat - 1) % count}]


def was_so(table: Table, player: Player, who: Player, test: Condition) -> bool:
    """Whether a test held for somebody as the moment began; `my` is the player who asks."""
    if test.left == "played":
        return (ZONE_OF[str(test.right)] in who.played) == (test.op == "==")
    theirs = table.seen[who.seat][test.left]
    if test.op in EXTREMES:
        values = [seen[test.left] for seen in table.seen]
        best = max(values) if test.op.endswith("most") else min(values)
        ranked = theirs == best and (not test.op.startswith("sole") or values.count(best) == 1)
        return ranked != test.negated
    right = test.right
    if isinstance(right, str):
        right = table.seen[(player if test.mine else who).seat][right]
    return COMPARE[test.op](theirs, right)


def holds_at_table(table: Table, player: Player, condition: Condition) -> bool:
    """Whether a condition that looks at others holds for the player."""
    if not condition.whose:
        return was_so(table, player, player, condition)
    found = [
        who for who in spoken_of(table, player, condition.whose) if was_so(table, player, who, condition)
    ]
    return not found if condition.nobody else bool(found)


def holds(table: Table, player: Player, conditions: Sequence[Condition]) -> bool:
    """Whether all conditions hold for the player."""
    for condition in conditions:
        if condition.looks:
            if not holds_at_table(table, player, condition):
                return False
            continue
        left: Any
        right: Any
        if condition.left == "played":
            left, right = ZONE_OF[str(condition.right)] in player.played, True
        else:
            left, right = quantity(table, player, condition.left), condition.right
            if isinstance(right, str):
                right = quantity(table, player, right)
        if not COMPARE[condition.op](left, right):
            return False
    return True


def amount_of(
    table: Table,
    player: Player,
    effect: Effect,
    *,
    hand_word: str = "hand",
    zone: int | None = None,
    discarded: int = 0,
) -> int:
    """How much the effect moves: its amount times what it counts, as the line begins (section 3)."""
    if effect.per is None:
        return effect.amount
    match hand_word if effect.per == "hand" else effect.per:
        case "hand":
            count = len(player.hand)
        case "minion":
            count = player.on_zones()
        case "built":
            count = len(player.built)
        case "money/N":
            count = player.money // effect.per_n
        case "money%N":
            count = player.money % effect.per_n
        case "discarded":
            count = discarded
        case "played-minion":
            count = sum(player.zones[z] for z in player.played)
        case "led-zone":
            count = led_zones(table, player)
        case "shared-action":
            count = shared_actions(table, player)
        case "zone-crowd" if zone is not None:
            count = table.crowd[zone]
        case "board-crowd":
            count = sum(other.on_zones() for other in table.players)
        case word if word in WHOSE:
            test = effect.test
            count = sum(
                test is None or was_so(table, player, who, test) for who in spoken_of(table, player, word)
            )
        case word:
            raise NotImplementedError(f"per {word}")
    return effect.amount * count


# --- writing down -----------------------------------------------------------------------------------------


def write(table: Table, event: str, **fields: Any) -> None:
    """Log an event; call it only if a log is kept."""
    if table.log is not None:
        table.log.append({"event": event, **fields})


def state_of(table: Table) -> Event:
    """The `state` event."""
    return {
        "event": "state",
        "seats": [
            {
                "money": player.money,
                "hand": list(player.hand),
                "built": list(player.built),
                "minions": {ACTIONS[zone]: player.zones[zone] for zone in ZONES},
                "committed": player.committed,
                "vp": player.vp,
            }
            for player in table.players
        ],
        "deck": len(table.deck),
        "discard": len(table.pile),
    }

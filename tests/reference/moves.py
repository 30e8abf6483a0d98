"""What a line makes a player do: money, draws, discards, minions, commitments (sections 3 and 4).

Every line of a card or a twist ends up in `do`. Must stay out of here: when a line acts (engine.py).
"""

from bisect import insort
from collections.abc import Sequence

from balance.games.nefarious.vocabulary import ACTIONS, MOST_MONEY, Effect
from tests.reference.cell import ZONE_OF, ZONES
from tests.reference.table import Player, Table, amount_of, holds, write

Wants = Sequence[tuple[Player, int]]


class MissingDecisionError(ValueError):
    """The source of decisions did not answer a question that it must answer."""


def do(table: Table, player: Player, effect: Effect, amount: int, cause: str) -> int:
    """Make a player do an effect whose amount was counted; answers how many cards were discarded."""
    what, plus = effect.what, effect.op == "+"
    if what == "money":
        if plus:
            gain(table, player, amount, cause)
        else:
            lose(table, player, player.money if effect.everything else amount, cause)
    elif what == "card":
        if plus:
            draw_cards(table, [(player, amount)], cause)
        elif effect.everything:
            return discard_hand(table, player, cause)
        else:
            return discard_cards(table, player, amount, cause)
    elif what == "minion":
        if plus:
            place_minions(table, player, effect, amount, cause)
        else:
            take_back_minions(table, player, effect, amount, cause)
    elif what == "commit":
        commit_card(table, player)
    else:
        raise NotImplementedError(f"'{effect}' is not an effect that is done")
    return 0


# --- money ------------------------------------------------------------------------------------------------


def gain(table: Table, player: Player, amount: int, cause: str) -> None:
    """Take money from the bank, up to what a player can hold (section 1)."""
    amount = min(amount, MOST_MONEY - player.money)
    player.money += amount
    if table.log is not None and amount:
        write(table, "money", seat=player.seat, amount=amount, cause=cause)


def lose(table: Table, player: Player, amount: int, cause: str) -> None:
    """Give money to the bank, never more than there is."""
    amount = min(amount, player.money)
    player.money -= amount
    if table.log is not None and amount:
        write(table, "money", seat=player.seat, amount=-amount, cause=cause)


# --- cards ------------------------------------------------------------------------------------------------


def draw_cards(table: Table, wants: Wants, cause: str) -> None:
    """One draw instruction (section 4): every player with the number of cards to draw, seat 0 first."""
    if table.closed:
        return
    if table.rules.all_or_nothing:
        need = sum(number for _, number in wants)
        if need > len(table.deck):
            if table.pile:
                shuffle_pile_into_deck(table)
            if need > len(table.deck):
                table.closed = True
                write(table, "no_more_draws")
                return
    for player, number in wants:
        draw_for(table, player, number, cause)


def draw_for(table: Table, player: Player, number: int, cause: str) -> None:
    """Draw card by card; an empty deck is replaced by the shuffled discard pile."""
    drawn: list[int] = []
    for _ in range(number):
        if not table.deck:
            if not table.pile:
                break
            log_draw(table, player, drawn, cause)
            drawn = []
            shuffle_pile_into_deck(table)
        card = table.deck.pop()
        insort(player.hand, card)
        drawn.append(card)
    log_draw(table, player, drawn, cause)


def log_draw(table: Table, player: Player, cards: list[int], cause: str) -> None:
    """Log a draw, if there was one."""
    if table.log is not None and cards:
        write(table, "draw", seat=player.seat, cards=cards, cause=cause)


def shuffle_pile_into_deck(table: Table) -> None:
    """Shuffle the discard pile and put it under the deck."""
    order = table.decisions.shuffle(table.pile)
    if table.log is not None:
        write(table, "shuffle", cards=order, under=table.rules.all_or_nothing)
    table.deck[:0] = reversed(order)
    table.pile = []


def discard_cards(table: Table, player: Player, number: int, cause: str) -> int:
    """Discard cards of the player's choice, one at a time, as far as possible."""
    done = 0
    while done < number:
        options = player.discardable()
        if not options:
            break
        card = table.decisions.discard(player.seat, options)
        player.hand.remove(card)
        table.pile.append(card)
        done += 1
        if table.log is not None:
            write(table, "discard", seat=player.seat, cards=[card], cause=cause)
    return done


def discard_hand(table: Table, player: Player, cause: str) -> int:
    """Discard the whole hand, but never a committed card."""
    cards = list(player.discardable())
    for card in cards:
        player.hand.remove(card)
    table.pile += cards
    if table.log is not None and cards:
        write(table, "discard", seat=player.seat, cards=cards, cause=cause)
    return len(cards)


def commit_card(table: Table, player: Player) -> None:
    """Lay a card of the hand aside, face down, if none lies there and there is one."""
    if player.committed is None and player.hand:
        player.committed = table.decisions.commit(player.seat, player.hand)
        if table.log is not None:
            write(table, "commit", seat=player.seat, card=player.committed)


# --- minions ----------------------------------------------------------------------------------------------


def place_minions(table: Table, player: Player, effect: Effect, amount: int, cause: str) -> None:
    """Place minions from the reserve, free: on the named zones, or where the player likes."""
    if effect.zone is None:
        for _ in range(amount):
            if player.reserve == 0:
                return
            zone = table.decisions.place(player.seat, ZONES)
            if zone is None:
                raise MissingDecisionError(
                    f"round {table.round}: seat {player.seat} must place a minion ({cause})"
                )
            place_minion(table, player, zone, 0, cause)
        return
    for zone in zones_of(player, effect):
        for _ in range(amount):
            if player.reserve:
                place_minion(table, player, zone, 0, cause)


def place_minion(table: Table, player: Player, zone: int, paid: int, cause: str) -> None:
    """Put one minion from the reserve on a zone, then whatever placing causes."""
    player.money -= paid
    player.reserve -= 1
    player.zones[zone] += 1
    if table.log is not None:
        write(table, "place", seat=player.seat, zone=ACTIONS[zone], paid=paid, cause=cause)
    for line in table.rules.lines.get("place", ()):
        if holds(table, player, line.conditions):
            targets = table.others(player) if line.others else [player]
            amounts = [amount_of(table, target, line.effect, zone=zone) for target in targets]
            for target, amount in zip(targets, amounts, strict=True):
                do(table, target, line.effect, amount, line.cause)


def take_back_minions(table: Table, player: Player, effect: Effect, amount: int, cause: str) -> None:
    """Take minions back to the reserve: from the named zones, or of the player's choice."""
    if effect.zone is None and not effect.everything:
        for _ in range(amount):
            options = [zone for zone in ZONES for _ in range(player.zones[zone])]
            if not options:
                return
            take_back_minion(table, player, table.decisions.remove(player.seat, options), cause)
        return
    for zone in zones_of(player, effect):
        number = player.zones[zone] if effect.everything else min(amount, player.zones[zone])
        for _ in range(number):
            take_back_minion(table, player, zone, cause)


def take_back_minion(table: Table, player: Player, zone: int, cause: str) -> None:
    """Take one minion from a zone back to the reserve."""
    player.zones[zone] -= 1
    player.reserve += 1
    if table.log is not None:
        write(table, "remove", seat=player.seat, zone=ACTIONS[zone], cause=cause)


def zones_of(player: Player, effect: Effect) -> Sequence[int]:
    """The zones that an effect names, in number order; all of them if it names none."""
    if effect.zone is None:
        return ZONES
    named = player.played if effect.zone == "played" else (ZONE_OF[effect.zone],)
    return [zone for zone in ZONES if zone not in named] if effect.off else named

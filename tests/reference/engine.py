"""The game, round by round, as docs/games/nefarious.md tells it (R0 to R9), in plain Python.

The oracle of the compiled engine: it interprets the same catalog and shares no other code with it. Nothing
here is keyed on the name of a card or a twist. A game is `play`, or step by step:

    table = set_up(prepare(catalog, "ascora-2011", []), 4, RandomPlay(seed=1, players=4, game_index=0))
    while play_round(table) is None and table.round < ROUND_LIMIT: ...
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from balance.games.nefarious.catalog.model import Catalog
from balance.games.nefarious.vocabulary import ACTIONS, MOST_MONEY, ROUND_LIMIT, Effect
from tests.reference.cell import INVENT, RESEARCH, SPECULATE, WORK, ZONES, Card, Rules, TwistLine, prepare
from tests.reference.decisions import Decisions, Event
from tests.reference.moves import do, draw_cards, gain, place_minion
from tests.reference.table import Player, Table, amount_of, card_worth, holds, state_of, write


@dataclass(slots=True)
class Handicap:
    """Start money and size of the opening hand of every seat, instead of what the rules say."""

    money: Sequence[int]
    cards: Sequence[int]


@dataclass(slots=True)
class Result:
    """How a game ended, and the state after every round as in the `state` event."""

    winner: int | None
    rounds: int
    stalled: bool
    states: list[Event] = field(default_factory=list)


def play(
    catalog: Catalog,
    edition: str,
    players: int,
    twists: Sequence[str],
    decisions: Decisions,
    handicap: Handicap | None = None,
    log: list[Event] | None = None,
) -> Result:
    """Play one game; the event log is appended to `log` if a list is given."""
    return play_cell(prepare(catalog, edition, twists), players, decisions, handicap, log)


def play_cell(
    rules: Rules,
    players: int,
    decisions: Decisions,
    handicap: Handicap | None = None,
    log: list[Event] | None = None,
    *,
    keep_states: bool = True,
) -> Result:
    """Play one game of a prepared cell; without `keep_states` and `log` nothing is recorded on the way."""
    table = set_up(rules, players, decisions, handicap, log)
    result = Result(None, 0, False)
    while result.winner is None and table.round < ROUND_LIMIT:
        result.winner = play_round(table)
        if keep_states:
            result.states.append(state_of(table))
    result.rounds, result.stalled = table.round, result.winner is None
    if table.log is not None:
        write(table, "end", winner=result.winner, rounds=result.rounds, stalled=result.stalled)
    return result


def set_up(
    rules: Rules,
    players: int,
    decisions: Decisions,
    handicap: Handicap | None = None,
    log: list[Event] | None = None,
) -> Table:
    """Shuffle the deck and deal, seat by seat (section 1)."""
    if not 2 <= players <= 6:
        raise ValueError(f"2 to 6 players, found {players}")
    money = list(handicap.money) if handicap else [rules.start_money] * players
    cards = list(handicap.cards) if handicap else [rules.opening_cards] * players
    if len(money) != players or len(cards) != players or sum(cards) > len(rules.cards):
        raise ValueError(
            f"a start with money {money} and {cards} cards is not possible for {players} players"
        )
    seats = [Player(seat, money[seat], rules.minions) for seat in range(players)]
    table = Table(rules, seats, decisions, decisions.start(log))
    order = decisions.shuffle(list(rules.cards))
    write(
        table,
        "setup",
        game="nefarious",
        edition=rules.edition,
        players=players,
        twists=list(rules.twists),
        **decisions.about(),
        money=money,
        cards=cards,
        deck=order,
    )
    table.deck = order[::-1]
    for player, number in zip(seats, cards, strict=True):
        dealt = [table.deck.pop() for _ in range(number)]
        player.hand = sorted(dealt)
        if dealt:
            write(table, "deal", seat=player.seat, cards=dealt)
    return table


def play_round(table: Table) -> int | None:
    """Play one round; answers the winner, if there is one now."""
    begin_round(table)
    table_lines(table, "start", table.players)
    choose_actions(table)
    table_lines(table, "before income", table.players)
    collect_income(table)
    table_lines(table, "after income", table.players)
    for step in (speculate, invent, research, work):
        for _ in range(table.rules.action_repeats):
            step(table)
    table_lines(table, "end", table.players)
    count_scores(table)
    if table.log is not None:
        table.log.append(state_of(table))
    return winner(table)


def begin_round(table: Table) -> None:
    """Turn the page: nothing is revealed or built yet, and the minions on the zones are remembered."""
    table.round += 1
    for player in table.players:
        player.played, player.built_now = (), 0
    table.crowd = [sum(minions) for minions in zip(*[player.zones for player in table.players], strict=True)]
    if table.log is not None:
        write(table, "round", round=table.round)
    table.decisions.begin_round(table.round)


# --- lines of twists --------------------------------------------------------------------------------------


def table_lines(table: Table, moment: str, subjects: Sequence[Player]) -> None:
    """The lines of all twists at a moment that concerns the table, line by line.

    Whom a line hits and how hard is settled as the line begins; then it happens, seat 0 first. A draw of
    one line is one instruction for all whom it concerns, and a seat draws all its cards at once (section 4).
    """
    lines = table.rules.lines.get(moment)
    if not lines:
        return
    table.look()
    discarded: dict[tuple[str, int], int] = {}
    for line in lines:
        hits: list[tuple[Player, int]] = []
        for subject in subjects:
            # Placing is what "before speculate" waits for: without a reserve there is none, and no coins.
            if (moment == "before speculate" and not subject.reserve) or not holds(
                table, subject, line.conditions
            ):
                continue
            for target in table.others(subject) if line.others else [subject]:
                earlier = discarded.get((line.twist, target.seat), 0)
                hits.append((target, amount_of(table, target, line.effect, discarded=earlier)))
        if line.effect.what == "card" and line.effect.op == "+":
            draw_cards(table, seat_by_seat(table, hits), line.cause)
            continue
        for target, amount in hits:
            count_discards(discarded, line, target, do(table, target, line.effect, amount, line.cause))


def seat_by_seat(table: Table, hits: Sequence[tuple[Player, int]]) -> list[tuple[Player, int]]:
    """The sum of what hits each seat, seat 0 first."""
    sums = [0] * len(table.players)
    for player, amount in hits:
        sums[player.seat] += amount
    return [(player, sums[player.seat]) for player in table.players if sums[player.seat]]


def count_discards(
    discarded: dict[tuple[str, int], int], line: TwistLine, player: Player, number: int
) -> None:
    """Remember what a line made a player discard, for a later `per discarded` of the same twist."""
    if number:
        key = (line.twist, player.seat)
        discarded[key] = discarded.get(key, 0) + number


# --- R1 to R3 ---------------------------------------------------------------------------------------------


def choose_actions(table: Table) -> None:
    """R1, R2: every player picks the action or actions of the round; all are revealed together."""
    rules = table.rules
    chosen: list[tuple[int, ...]] = []
    for player in table.players:
        allowed = 15 & ~rules.barred
        for actions in player.past[-rules.rest :] if rules.rest else ():
            for action in actions:
                allowed &= ~(1 << action)
        chosen.append(table.decisions.choose(player.seat, rules.choices[allowed]) if allowed else ())
    for player, actions in zip(table.players, chosen, strict=True):
        player.played = actions
        player.past.append(actions)
        if table.log is not None:
            write(table, "choose", seat=player.seat, actions=[ACTIONS[action] for action in actions])


def collect_income(table: Table) -> None:
    """R3: each minion earns 1 for each neighbour who played its zone; with 2 players both are one."""
    players = table.players
    lines = table.rules.lines.get("income", ())
    table.look()
    for player in players:
        left = players[(player.seat + 1) % len(players)]
        right = players[player.seat - 1]
        earned = 0
        for action in left.played:
            earned += player.zones[action]
        for action in right.played:
            earned += player.zones[action]
        factor = 1
        for line in lines:
            if holds(table, player, line.conditions):
                if line.effect.op == "x":
                    factor *= line.effect.amount
                else:
                    earned += amount_of(table, player, line.effect)
        earned = min(earned * factor, MOST_MONEY - player.money)
        player.money += earned
        if table.log is not None and earned:
            write(table, "income", seat=player.seat, amount=earned)


# --- R4 to R7, each once or as often as actions are repeated ----------------------------------------------


def speculate(table: Table) -> None:
    """R4: all decide on the state as the step begins, then each pays and places, seat 0 first."""
    speculators = [player for player in table.players if SPECULATE in player.played]
    if not speculators:
        return
    table_lines(table, "before speculate", speculators)
    table.look()
    prices = table.rules.prices
    plans: list[tuple[Player, int]] = []
    for player in speculators:
        payable = [zone for zone in ZONES if prices[zone] <= player.money]
        if player.reserve and payable:
            zone = table.decisions.place(player.seat, payable)
            if zone is None:  # a log shows no placement that came to nothing; the dearest zone fails too
                zone = max(payable, key=lambda zone: prices[zone])
            plans.append((player, zone))
    for player, zone in plans:
        # What an earlier seat's placement caused may have taken the money: like a card, it comes back unpaid.
        if prices[zone] <= player.money:
            place_minion(table, player, zone, prices[zone], "speculate")
    table_lines(table, "after speculate", speculators)


def invent(table: Table) -> None:
    """R5: all reveal together, then all pay, seat 0 first, and only then all effects happen."""
    inventors = [player for player in table.players if INVENT in player.played and player.hand]
    for player in inventors:
        player.revealed = pick_card(table, player)
    table.look()
    builders = [player for player in inventors if pay_and_build(table, player)]
    resolve_inventions(table, builders)


def pick_card(table: Table, player: Player) -> int:
    """The card to reveal: the committed one, if there is one."""
    cards = player.hand if player.committed is None else [player.committed]
    affordable = [card for card in cards if table.rules.cards[card].cost <= player.money]
    return table.decisions.build(player.seat, cards, affordable)


def pay_and_build(table: Table, player: Player) -> bool:
    """All that one inventor does before any effect; answers whether the card was built."""
    assert player.revealed is not None
    card = table.rules.cards[player.revealed]
    lines = table.rules.lines.get("build", ())
    for line in lines:
        if line.or_else and not possible_in_full(player, line.effect):
            reveal(table, player, card, "unions", 0)
            do(table, player, line.or_else, amount_of(table, player, line.or_else), line.cause)
            return False
    if card.cost > player.money:
        reveal(table, player, card, "unaffordable", 0)
        return False
    player.money -= card.cost
    player.hand.remove(card.id)
    player.built.append(card.id)
    player.built_now += 1
    player.committed = None  # with a committed card, it is the one that was revealed
    reveal(table, player, card, "built", card.cost)
    discarded: dict[tuple[str, int], int] = {}
    for line in lines:
        if holds(table, player, line.conditions):
            targets = table.others(player) if line.others else [player]
            amounts = [
                amount_of(table, target, line.effect, discarded=discarded.get((line.twist, target.seat), 0))
                for target in targets
            ]
            for target, amount in zip(targets, amounts, strict=True):
                count_discards(discarded, line, target, do(table, target, line.effect, amount, line.cause))
    return True


def possible_in_full(player: Player, effect: Effect) -> bool:
    """Whether the player could do `-N minion` or `-N card` completely."""
    if effect.what == "card":
        return len(player.discardable()) >= effect.amount
    if effect.zone is None:
        return player.on_zones() >= effect.amount
    named = player.played if effect.zone == "played" else (ACTIONS.index(effect.zone),)
    return all(player.zones[zone] >= effect.amount for zone in named)


def reveal(table: Table, player: Player, card: Card, outcome: str, paid: int) -> None:
    """The card's turn has come: it is built, or back in hand."""
    player.revealed = None
    if table.log is not None:
        write(table, "reveal", seat=player.seat, card=card.id, outcome=outcome, paid=paid)


def resolve_inventions(table: Table, builders: Sequence[Player]) -> None:
    """The effects of one simultaneous invention (section 3, Order)."""
    if not builders or not table.rules.effect_repeats:
        return
    table.look()
    for builder in builders:
        resolve_invention(table, builder, builder, others=False)
    for player in table.players:
        left_first = [builder for builder in builders if builder.seat > player.seat]
        left_first += [builder for builder in builders if builder.seat < player.seat]
        for builder in left_first:
            resolve_invention(table, player, builder, others=True)


def resolve_invention(table: Table, player: Player, builder: Player, *, others: bool) -> None:
    """The player resolves what the builder's new card has for them: printed lines, then added ones."""
    rules = table.rules
    card = printed_card(rules, builder)
    printed = card.others_effects if others else card.self_effects
    added = rules.lines.get("invention", ())
    if not printed and not added:
        return
    for _ in range(rules.effect_repeats):
        for effect in printed:
            amount = amount_of(table, player, effect, hand_word=rules.hand_word)
            do(table, player, effect, amount, card.cause)
        for line in added:
            if line.others == others and holds(table, builder, line.conditions):
                amount = amount_of(table, player, line.effect, hand_word=rules.hand_word)
                do(table, player, line.effect, amount, line.cause)


def printed_card(rules: Rules, builder: Player) -> Card:
    """The card whose printed lines are resolved: the new one, or an earlier one if it has no line."""
    card = rules.cards[builder.built[-1]]
    if rules.echo and card.blank and not rules.lines.get("invention") and len(builder.built) > rules.echo:
        return rules.cards[builder.built[-1 - rules.echo]]
    return card


def research(table: Table) -> None:
    """R6, one pass: all take the money, then all draw (one instruction), then what a twist adds."""
    researchers = [player for player in table.players if RESEARCH in player.played]
    if not researchers:
        return
    rules = table.rules
    table_lines(table, "before research", researchers)
    for player in researchers:
        gain(table, player, rules.research_money, "research")
    draw_cards(table, [(player, rules.research_cards) for player in researchers], "research")
    table_lines(table, "after research", researchers)


def work(table: Table) -> None:
    """R7: money."""
    workers = [player for player in table.players if WORK in player.played]
    if not workers:
        return
    table_lines(table, "before work", workers)
    for player in workers:
        gain(table, player, table.rules.work_money, "work")
    table_lines(table, "after work", workers)


# --- R9 ---------------------------------------------------------------------------------------------------


def count_scores(table: Table) -> None:
    """VP of the built cards and of twists, as the state is now."""
    lines = table.rules.lines.get("score", ())
    table.look()
    for player in table.players:
        vp = 0
        for card in player.built:
            vp += card_worth(table, player, card)
        for line in lines:
            if holds(table, player, line.conditions):
                bonus = amount_of(table, player, line.effect)
                vp += bonus if line.effect.op == "+" else -bonus
        player.vp = vp


def winner(table: Table) -> int | None:
    """The seat that has reached the goal and is alone at the top."""
    best = max(player.vp for player in table.players)
    leaders = [player.seat for player in table.players if player.vp == best]
    return leaders[0] if best >= table.rules.goal and len(leaders) == 1 else None

"""The reference engine against the rules page: its worked examples, its rulings, and the laws of the game."""

import copy
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import pytest

from balance.games.nefarious.catalog.loading import load_catalog
from balance.games.nefarious.catalog.model import Catalog
from balance.games.nefarious.vocabulary import ACTIONS, ROUND_LIMIT
from tests.reference.cell import ZONE_OF, ZONES, Rules, prepare
from tests.reference.check import LogMismatchError, check_log
from tests.reference.decisions import Decisions, Event, LogDriven, LogError, RandomPlay, keyed_hash
from tests.reference.engine import (
    Handicap,
    collect_income,
    count_scores,
    invent,
    play,
    play_cell,
    play_round,
    research,
    set_up,
    speculate,
    table_lines,
    winner,
    work,
)
from tests.reference.moves import discard_cards, draw_cards, lose, place_minions
from tests.reference.table import Player, Table

CATALOG = load_catalog()
LETTERS = {"S": 0, "I": 1, "R": 2, "W": 3}
ASCORA, MAGELLAN, MOSIGRA = "ascora-2011", "magellan-2014", "mosigra-2020"


def ids(*names: str) -> list[int]:
    return [CATALOG.invention(name).id for name in names]


# --- builders ---------------------------------------------------------------------------------------------


@dataclass
class Seat:
    """A seat in one line: `Seat(money=3, on="SSW", plays="I", hand=ids("Nanobots"))`."""

    plays: str = ""
    money: int = 10
    on: str = ""
    hand: Sequence[int] = ()
    built: Sequence[int] = ()
    committed: int | None = None


@dataclass
class Script(Decisions):
    """Decides what a test says, by (kind, seat); else the first option, for `build` the first card."""

    says: dict[tuple[str, int], list[Any]] = field(default_factory=dict)
    plays: list[str] = field(default_factory=list)

    def answer(self, kind: str, seat: int, options: Sequence[Any]) -> Any:
        said = self.says.get((kind, seat))
        answer = said.pop(0) if said else options[0]
        if isinstance(answer, str):
            answer = LETTERS[answer]
        assert answer in options, f"{kind} of seat {seat}: {answer} is not in {options}"
        return answer

    def begin_round(self, number: int) -> None:
        pass

    def shuffle(self, cards: list[int]) -> list[int]:
        return sorted(cards)

    def choose(self, seat: int, options: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
        chosen = tuple(sorted(LETTERS[letter] for letter in self.plays[seat]))
        assert chosen in options, f"seat {seat} may choose {options}"
        return chosen

    def place(self, seat: int, zones: Sequence[int]) -> int:
        return int(self.answer("place", seat, zones))

    def build(self, seat: int, cards: Sequence[int], affordable: Sequence[int]) -> int:
        return int(self.answer("build", seat, cards))

    def discard(self, seat: int, cards: Sequence[int]) -> int:
        return int(self.answer("discard", seat, cards))

    def remove(self, seat: int, zones: Sequence[int]) -> int:
        return int(self.answer("remove", seat, zones))

    def commit(self, seat: int, cards: Sequence[int]) -> int:
        return int(self.answer("commit", seat, cards))


def given(
    *seats: Seat,
    twists: Sequence[str] = (),
    edition: str = ASCORA,
    deck: Sequence[int] | None = None,
    pile: Sequence[int] = (),
    catalog: Catalog = CATALOG,
    **says: dict[int, list[Any]],
) -> Table:
    """A table in the middle of round 1, actions revealed; the first card of `deck` is the top."""
    rules = prepare(catalog, edition, twists)
    script = Script({(kind, seat): list(of) for kind, by in says.items() for seat, of in by.items()})
    script.plays = [seat.plays for seat in seats]
    players = []
    for number, seat in enumerate(seats):
        zones = [seat.on.count(letter) for letter in LETTERS]
        player = Player(number, seat.money, rules.minions - sum(zones), sorted(seat.hand), list(seat.built))
        player.zones, player.committed = zones, seat.committed
        player.played = tuple(sorted(LETTERS[letter] for letter in seat.plays))
        players.append(player)
    held = {card for seat in seats for card in (*seat.hand, *seat.built)} | set(pile)
    order = [card for card in rules.cards if card not in held] if deck is None else list(deck)
    table = Table(rules, players, script, [], order[::-1], list(pile), round=1)
    table.crowd = [sum(player.zones[zone] for player in players) for zone in ZONES]
    return table


def told(table: Table, seat: int | None = None) -> list[str]:
    """The log in short: `+4`, `draw 2`, `discard 1`, `place W`, `remove S`, for one seat or all."""
    short = []
    for event in table.log or ():
        if seat is not None and event.get("seat") != seat:
            continue
        match event["event"]:
            case "money" | "income":
                short.append(f"{event['amount']:+d}")
            case "draw" | "discard":
                short.append(f"{event['event']} {len(event['cards'])}")
            case "place" | "remove":
                short.append(f"{event['event']} {event['zone'][0].upper()}")
            case "reveal":
                short.append(event["outcome"])
            case "shuffle" | "no_more_draws":
                short.append(event["event"])
    return short


def money(table: Table) -> list[int]:
    return [player.money for player in table.players]


def gained(table: Table, act: Any) -> list[int]:
    before = money(table)
    act(table)
    return [now - then for now, then in zip(money(table), before, strict=True)]


# --- the worked examples of section 8 ---------------------------------------------------------------------


@pytest.mark.parametrize(("left", "earned"), [("W", 3), ("S", 4)])
def test_example_1_income_of_four(left: str, earned: int) -> None:
    table = given(Seat("W", on="SSW"), Seat(left), Seat("W"), Seat("S"))
    assert gained(table, collect_income)[0] == earned


def test_example_2_income_of_two_is_double() -> None:
    table = given(Seat("S", on="WWW"), Seat("W"))
    assert gained(table, collect_income) == [6, 0]


def test_example_3_order_of_effects_wendy_sam_jessie_nick() -> None:
    ray, hypno, lift = ids("Shrinking Ray", "Hypnotic Ray", "Space Elevator")
    table = given(
        Seat("I", 30, hand=[hypno, 1]),
        Seat("I", 30, hand=[ray, 2]),
        Seat("W", 30, hand=[3]),
        Seat("I", 30, hand=[lift, 4]),
        build={0: [hypno], 1: [ray], 3: [lift]},
    )
    invent(table)
    assert told(table, 2) == ["draw 1", "discard 1"]
    assert told(table, 3) == ["built", "draw 1", "discard 1"]
    assert told(table, 0) == ["built", "place S", "discard 1", "draw 1"]
    assert told(table, 1) == ["built", "discard 1", "draw 1"]


def test_example_4_order_of_effects_anna_boris_ivan() -> None:
    chamber, suit, lift = ids("Cryochamber", "Anti-gravity Suit", "Space Elevator")
    table = given(
        Seat("I", 30, hand=[chamber, 1]),
        Seat("I", 30, hand=[suit, 2]),
        Seat("I", 30, hand=[lift, 3]),
        build={0: [chamber], 1: [suit], 2: [lift]},
    )
    invent(table)
    assert told(table, 0) == ["built", "place S", "discard 1", "draw 1"]
    assert told(table, 1) == ["built", "+4", "draw 1", "place S"]
    assert told(table, 2) == ["built", "draw 1", "place S", "discard 1"]


def test_example_5_as_far_as_possible() -> None:
    table = given(Seat(hand=[1], money=1, on="SIRWW"), Seat())
    player = table.players[0]
    assert discard_cards(table, player, 2, "x") == 1
    lose(table, player, 2, "x")
    place_minions(table, player, CATALOG.invention("Hypnotic Ray").self_effects[0], 1, "x")
    assert (player.hand, player.money, player.zones) == ([], 0, [1, 1, 1, 2])
    assert told(table) == ["discard 1", "-1"]


def test_example_6_secret_lair_grows() -> None:
    (lair,) = ids("Secret Lair")
    twos = [card.id for card in CATALOG.inventions if card.vp == 2]
    table = given(Seat(built=[*twos[:2], lair]), Seat(built=[*twos[:2], lair, *twos[2:5]]))
    count_scores(table)
    assert [player.vp for player in table.players] == [4 + 3, 10 + 6]


def test_example_7_grants_and_game_theory() -> None:
    table = given(Seat("R", on="WW"), Seat("W"), Seat("S"), twists=["grants", "game-theory"])
    assert gained(table, lambda t: table_lines(t, "start", t.players)) == [2, 2, 2]
    assert gained(table, collect_income)[0] == 4


def test_example_8_philanthropy_and_private_funding() -> None:
    twists = ["philanthropy", "private-funding"]
    start = set_up(prepare(CATALOG, ASCORA, twists), 3, RandomPlay(1, 3, 0))
    assert money(start) == [20, 20, 20]
    table = given(Seat(money=0, hand=[1]), Seat(money=5), Seat(money=0), twists=twists)
    assert gained(table, lambda t: table_lines(t, "end", t.players)) == [2, 0, 2]
    assert [len(player.hand) for player in table.players] == [1, 1, 1]


def test_example_9_embezzling_and_cheap_fusion() -> None:
    table = given(Seat(money=14), Seat(money=15), Seat(money=3), twists=["embezzling-minions"])
    table_lines(table, "start", table.players)
    assert money(table) == [10, 15, 3]
    nine = next(card for card in CATALOG.inventions if card.cost == 9)
    assert prepare(CATALOG, ASCORA, ["cheap-fusion-power"]).cards[nine.id].cost == 5


@pytest.mark.parametrize(("plays", "zones"), [("R", [0, 0, 4, 0]), ("I", [0, 1, 0, 0])])
def test_example_10_mad_broker(plays: str, zones: list[int]) -> None:
    table = given(Seat(plays, on="RRR"), Seat("R"), twists=["mad-broker"])
    play_round(table)
    assert table.players[0].zones == zones
    assert ("+8" in told(table, 0)) == (plays == "R")  # the fourth arrives before income


def test_example_11_quantum_nanobots() -> None:
    bots = ids("Nanobots")
    table = given(Seat("I", hand=bots), Seat("W"), twists=["quantum-relativity"])
    invent(table)
    assert told(table, 0) == ["built", *["draw 2", "discard 1", "discard 1"] * 2]


def test_example_12_rigged_investments() -> None:
    table = given(
        Seat("S", on="III"),
        Seat("S", on="II"),
        Seat("W"),
        twists=["rigged-investments"],
        place={0: ["I"], 1: ["I"]},
    )
    assert gained(table, speculate) == [5 - 2, 5 - 2, 0]


def test_example_13_subliminal_and_double_work() -> None:
    table = given(Seat(money=14), Seat(money=4), twists=["subliminal-advertising"])
    count_scores(table)
    assert [player.vp for player in table.players] == [2, 0]
    table = given(Seat("W"), Seat("R"), twists=["parallel-universe", "blood-sweat-and-mice"])
    assert gained(table, play_round) == [12, 4]
    assert told(table, 0) == ["+6", "+6"]


def test_example_14_security_measures_and_lingering_evil() -> None:
    bots, cats = ids("Nanobots", "Buttered Cat Array")
    table = given(Seat("I", hand=[bots]), Seat("W"), twists=["security-measures", "stolen-parts"])
    assert gained(table, invent) == [-5, 0]
    assert told(table) == ["built"]
    table = given(Seat("I", hand=[cats], built=[bots]), Seat("W"), twists=["lingering-evil", "recycling"])
    invent(table)
    assert told(table) == ["built", "draw 1"]
    table = given(Seat("I", hand=[cats], built=[bots]), Seat("W"), twists=["lingering-evil"])
    invent(table)
    assert told(table) == ["built", "draw 2", "discard 1", "discard 1"]


@pytest.mark.parametrize("second", [None, "before", "after"])
def test_example_15_hyperinflation(second: str | None) -> None:
    game = ids("Addictive Video Game")
    twists = {None: [], "before": ["bigger-and-better"], "after": ["bigger-and-better"]}[second]
    order = [*twists, "hyperinflation"] if second == "before" else ["hyperinflation", *twists]
    table = given(Seat("I", money=9, hand=game), Seat("W"), twists=order)
    invent(table)
    assert table.players[0].money == (4 if second is None else 6)


def test_example_16_sentient_ai() -> None:
    (sentient,) = ids("Sentient AI")
    table = given(Seat("I", hand=[sentient, 1, 2, 3]), Seat("W"), build={0: [sentient]})
    invent(table)
    assert told(table) == ["built", "draw 3"]


# --- rulings ----------------------------------------------------------------------------------------------


def test_draw_all_or_nothing_closes_the_deck() -> None:
    table = given(Seat("R"), Seat("R"), Seat("R", hand=[9]), deck=[1, 2], pile=[])
    research(table)
    assert told(table) == ["+2", "+2", "+2", "no_more_draws"]
    table.pile = [5, 6, 7]
    research(table)
    assert told(table)[4:] == ["+2", "+2", "+2"]  # not even a shuffle
    assert (table.deck, table.pile) == ([2, 1], [5, 6, 7])


def test_draw_all_or_nothing_shuffles_under_the_deck() -> None:
    table = given(Seat("R"), Seat("R"), deck=[9], pile=[4, 3])
    research(table)
    assert [player.hand for player in table.players] == [[9], [3]]
    table = given(Seat("R"), Seat("R"), deck=[9, 8], pile=[4, 3])
    research(table)
    assert "shuffle" not in told(table)  # exactly enough


def test_draw_all_or_nothing_keeps_shuffled_cards_under_the_deck() -> None:
    table = given(Seat("R"), Seat("R"), Seat("R"), deck=[9], pile=[4])
    research(table)
    assert told(table)[3:] == ["shuffle", "no_more_draws"]
    assert (table.deck, table.pile) == ([4, 9], [])


def test_draw_with_reshuffle_takes_what_there_is() -> None:
    table = given(Seat("R"), Seat("R"), Seat("R"), deck=[9], pile=[4], edition=MAGELLAN)
    research(table)
    assert told(table)[3:] == ["draw 1", "shuffle", "draw 1"]
    table = given(Seat(), Seat(), deck=[9], pile=[4, 5], edition=MAGELLAN)
    draw_cards(table, [(table.players[0], 2)], "x")
    assert told(table) == ["draw 1", "shuffle", "draw 1"]


def test_need_of_zero_never_closes_the_deck() -> None:
    table = given(Seat(hand=[1]), Seat(hand=[2]), deck=[], twists=["philanthropy"])
    table_lines(table, "end", table.players)
    assert not table.closed


def test_alien_contact_counts_only_what_was_discarded() -> None:
    table = given(
        Seat(hand=[1, 2, 3], built=[9], committed=2),
        Seat(hand=[4, 5]),
        twists=["alien-contact", "long-term-plans"],
    )
    table.players[0].built_now = 1
    table_lines(table, "end", table.players)
    assert told(table, 0) == ["discard 2", "draw 2"]
    assert told(table, 1) == []
    assert 2 in table.players[0].hand


def test_alien_contact_is_one_draw_instruction() -> None:
    seats = [Seat(hand=[1, 2], built=[9]), Seat(hand=[3, 4], built=[10])]
    table = given(*seats, deck=[50, 51, 52], twists=["alien-contact"])
    for player in table.players:
        player.built_now = 1
    table_lines(table, "end", table.players)
    assert told(table) == ["discard 2", "discard 2", "shuffle", "draw 2", "draw 2"]
    assert [player.hand for player in table.players] == [[50, 51], [1, 52]]


def test_unions_returns_the_card_even_if_it_could_not_be_paid() -> None:
    (lift,) = ids("Space Elevator")
    table = given(Seat("I", money=0, hand=[lift]), Seat("W"), twists=["unions"])
    invent(table)
    assert told(table) == ["unions", "place S"]
    assert table.players[0].hand == [lift]


def test_unions_keeps_the_committed_card_committed() -> None:
    table = given(Seat("I", hand=[1, 2], committed=2), Seat("W"), twists=["unions", "long-term-plans"])
    invent(table)
    assert table.players[0].committed == 2


def test_a_committed_card_is_the_only_one_to_build() -> None:
    game, cats = ids("Addictive Video Game", "Buttered Cat Array")
    table = given(Seat("I", hand=[game, cats], committed=cats), Seat("W"), twists=["long-term-plans"])
    invent(table)
    assert table.players[0].built == [cats]
    assert table.players[0].committed is None


def test_long_term_plans_with_two_inventions_builds_freely_the_second_time() -> None:
    cards = ids("Addictive Video Game", "Buttered Cat Array", "Robotic Pet")
    table = given(
        Seat("I", hand=cards, committed=cards[1]),
        Seat("W"),
        twists=["parallel-universe", "long-term-plans"],
        build={0: [cards[1], cards[2]]},
    )
    invent(table)
    invent(table)
    assert table.players[0].built == [cards[1], cards[2]]


@pytest.mark.parametrize("order", list(permutations(["unions", "bigger-and-better"])))
def test_unions_and_bigger_and_better_in_twist_order(order: tuple[str, str]) -> None:
    game = ids("Addictive Video Game")
    table = given(Seat("I", hand=game, on="W"), Seat("W"), twists=order)
    invent(table)
    step = {"unions": "remove W", "bigger-and-better": "+2"}
    assert told(table) == ["built", step[order[0]], step[order[1]], "+4"]


def test_bigger_and_better_values_secret_lair_with_the_new_card() -> None:
    (lair,) = ids("Secret Lair")
    two = [card.id for card in CATALOG.inventions if card.vp == 2][:2]
    worth_three = given(Seat("I", 30, hand=[lair], built=two), Seat("W"), twists=["bigger-and-better"])
    assert gained(worth_three, invent) == [2 - 12, 0]
    (three,) = [card.id for card in CATALOG.inventions if card.vp == 3][:1]
    grown = given(Seat("I", 30, hand=[three], built=[lair, two[0]]), Seat("W"), twists=["bigger-and-better"])
    invent(grown)
    causes = [event["cause"] for event in grown.log or () if event["event"] == "money"]
    assert "twist:bigger-and-better" not in causes  # the lair is worth 3 now as well


def test_quantum_counts_anew() -> None:
    (sentient,) = ids("Sentient AI")
    table = given(
        Seat("I", hand=[sentient, 1, 2]), Seat("W"), twists=["quantum-relativity"], build={0: [sentient]}
    )
    invent(table)
    assert told(table) == ["built", "draw 2", "draw 4"]


def test_geeks_counts_built_inventions_in_both_passes() -> None:
    (sentient,) = ids("Sentient AI")
    table = given(Seat("I", hand=[sentient, 1], built=[50, 51]), Seat("W"), twists=["geeks"])
    table.decisions = Script({("build", 0): [sentient]})
    invent(table)
    assert told(table) == ["built", "draw 3"]


def test_insider_trading_game_theory_and_cyber_spies() -> None:
    table = given(Seat("R", on="RW"), Seat("W"), twists=["insider-trading", "game-theory"])
    assert gained(table, collect_income)[0] == (1 * 2 + 1) * 2
    table = given(Seat("R", on="RW"), Seat("W"), twists=["insider-trading", "cyber-spies"])
    assert gained(table, collect_income)[0] == 0


def test_focus_groups_needs_more_than_each_other() -> None:
    seats = [Seat("WR", on="WWR"), Seat("W", on="WR"), Seat("S")]
    table = given(*seats, twists=["focus-groups", "perpetual-motion"], edition=MAGELLAN)
    assert gained(table, lambda t: table_lines(t, "after income", t.players)) == [2, 0, 0]


def test_mob_influence_counts_shared_actions() -> None:
    seats = [Seat("RW"), Seat("RW"), Seat("SW", money=1)]
    table = given(*seats, twists=["mob-influence", "perpetual-motion"])
    assert gained(table, lambda t: table_lines(t, "end", t.players)) == [-3, -3, -1]


def test_age_of_boredom_with_perpetual_motion_leaves_the_other_two() -> None:
    rules = prepare(CATALOG, ASCORA, ["perpetual-motion", "age-of-boredom"])
    result_log: list[Event] = []
    play_cell(rules, 3, RandomPlay(3, 3, 0), log=result_log)
    chosen: dict[int, list[list[str]]] = {0: [], 1: [], 2: []}
    for event in result_log:
        if event["event"] == "choose":
            chosen[event["seat"]].append(event["actions"])
    following = [pair for rounds in chosen.values() for pair in pairwise(rounds)]
    assert len(following) > 6
    assert all(sorted(before + now) == sorted(ACTIONS) for before, now in following)


def test_rigged_investments_of_mosigra_pays_before_and_only_with_a_reserve() -> None:
    seats = [Seat("S", money=0, on="WW"), Seat("S", money=0, on="SSSSS"), Seat("W")]
    table = given(*seats, twists=["rigged-investments"], edition=MOSIGRA, place={0: ["I"]})
    assert gained(table, speculate) == [7 - 2, 0, 0]
    speculate(table)
    assert told(table, 0) == ["+7", "place I", "+8", "place S"]


def test_rigged_investments_counts_as_the_round_began_also_for_the_broker() -> None:
    table = given(Seat("R", on="RR"), Seat("W", on="RRR"), twists=["mad-broker", "rigged-investments"])
    play_round(table)
    # all five stood on Research, seat 1's three leave; the own two and the new one earn nothing from Work
    assert told(table, 0)[:2] == ["place R", "+5"]


def test_overpopulation_never_takes_the_committed_card() -> None:
    for order in permutations(["long-term-plans", "overpopulation"]):
        table = given(Seat(hand=[1, 2]), Seat(hand=[3]), twists=order)
        table_lines(table, "start", table.players)
        first, second = table.players
        assert first.hand == [first.committed]
        assert (second.hand, second.committed) == ([3], 3)


def test_a_tie_at_the_top_goes_on() -> None:
    table = given(Seat(), Seat(), Seat())
    for player, vp in zip(table.players, (25, 25, 10), strict=True):
        player.vp = vp
    assert winner(table) is None
    table.players[1].vp = 26
    assert winner(table) == 1


def test_speculate_decides_before_anybody_places() -> None:
    table = given(Seat("S", money=1), Seat("S", money=2), place={0: ["W"], 1: ["I"]})
    speculate(table)
    assert money(table) == [0, 0]
    assert [player.zones for player in table.players] == [[0, 0, 0, 1], [0, 1, 0, 0]]


def test_work_and_research_pay() -> None:
    table = given(Seat("W"), Seat("R"))
    assert gained(table, work) == [4, 0]
    assert gained(table, research) == [0, 2]


# --- twists that a designer writes ------------------------------------------------------------------------

OWN_TWISTS = """
[[twist]]
id = "own-echo"
name = "Own echo"
editions = ["ascora-2011", "magellan-2014", "mosigra-2020"]
switches = { echo = 2, rest = 2, bars = ["work"], per_hand_counts = "minion" }
set = { actions = 2, minions = 3, action_repeats = 2, price_speculate = 1, cost_change = -1 }
lines = [
    { when = "start", do = "-1 card" },
    { when = "start", if = ["round >= 2", "hand <= 3"], do = "+1 card per discarded" },
    { when = "before speculate", do = "+1 minion on work" },
    { when = "before speculate", do = "+1 money per board-crowd" },
    { when = "after speculate", who = "others", do = "-1 minion on work" },
    { when = "end", if = "not played invent", who = "others", do = "+1 card" },
    { when = "end", if = "committed == 0", do = "+1 commit" },
    { when = "score", if = "reserve == 0", do = "-2 vp" },
]

[[twist]]
id = "own-quarrel"
name = "Own quarrel"
editions = ["ascora-2011", "magellan-2014", "mosigra-2020"]
add = { opening_cards = 3 }
lines = [
    { when = "place", who = "others", do = "-2 money" },
    { when = "place", if = "money != 3", do = "-1 card per minion" },
    { when = "build", do = "-1 card", or_else = "-all minion on played" },
    { when = "build", who = "others", do = "-1 card" },
    { when = "build", who = "others", do = "+1 card per discarded" },
    { when = "build", if = "card_vp <= earlier_vp", do = "-1 money per shared-action", first = true },
    { when = "before research", do = "-all minion off research" },
    { when = "after work", if = "built < minions", do = "+1 minion" },
    { when = "income", if = "played speculate", do = "+2 income per led-zone" },
    { when = "invention", who = "others", if = "built_now == 1", do = "-1 minion" },
    { when = "invention", do = "+1 money per money/5" },
    { when = "end", do = "-1 minion on played" },
]
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    file = Path(tmp_path_factory.mktemp("overlay")) / "own.toml"
    file.write_text(OWN_TWISTS, encoding="utf-8")
    return load_catalog([file])


@pytest.mark.slow
def test_own_twists_keep_the_laws(own: Catalog) -> None:
    official = [twist.id for twist in CATALOG.twists_of(ASCORA)]
    pairs = [("own-echo", "own-quarrel"), ("own-quarrel", "own-echo")]
    pairs += [(mine, other) for mine in ("own-echo", "own-quarrel") for other in official[::3]]
    for number, pair in enumerate(pairs):
        for edition in (ASCORA, MAGELLAN):
            if all(edition in own.twist(twist).editions for twist in pair):
                follow_laws(prepare(own, edition, pair), 2 + number % 5, number)
                play_and_check(own, edition, 2 + number % 5, pair, number)


def test_own_revealed_cards_cannot_be_discarded(own: Catalog) -> None:
    game, pet = ids("Addictive Video Game", "Robotic Pet")
    table = given(
        Seat("I", hand=[game, 1]),
        Seat("I", hand=[pet, 40, 41]),
        twists=["own-quarrel"],
        catalog=own,
        build={0: [game], 1: [pet]},
    )
    invent(table)
    assert [player.built for player in table.players] == [[game], [pet]]


def test_own_placement_that_can_no_longer_be_paid_does_not_happen(own: Catalog) -> None:
    table = given(
        Seat("S", money=2),
        Seat("S", money=2),
        twists=["own-quarrel"],
        catalog=own,
        place={0: ["S"], 1: ["I"]},
    )
    speculate(table)
    assert [sum(player.zones) for player in table.players] == [1, 0]
    assert money(table) == [2, 0]


# --- laws over random play --------------------------------------------------------------------------------


def cells() -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """A few hundred cells: no twist, every single twist, and pairs in both orders, over all player counts."""
    for shift, edition in enumerate(CATALOG.editions):
        twists = [twist.id for twist in CATALOG.twists_of(edition.id)]
        for players in range(2, 7):
            yield edition.id, players, ()
        for number, twist in enumerate(twists):
            yield edition.id, 2 + (number + shift) % 5, (twist,)
        pairs = list(permutations(twists, 2))
        for number in range(shift, len(pairs), 13):
            yield edition.id, 2 + number // 13 % 5, pairs[number]


CELLS = list(cells())


def follow_laws(rules: Rules, players: int, game_index: int) -> None:
    """Play a game and look at the table after every round."""
    table = set_up(rules, players, RandomPlay(11, players, game_index))
    won = None
    while won is None and table.round < ROUND_LIMIT:
        built_before = [list(player.built) for player in table.players]
        closed_before, deck_before = table.closed, list(table.deck)
        won = play_round(table)
        places = table.deck + table.pile
        for player in table.players:
            places = places + player.hand + player.built
        assert sorted(places) == list(rules.cards), "every card is in exactly one place"
        for player, before in zip(table.players, built_before, strict=True):
            assert player.reserve + sum(player.zones) == rules.minions
            assert min(player.zones) >= 0 <= player.reserve
            assert player.money >= 0
            assert player.hand == sorted(player.hand)
            assert player.committed is None or player.committed in player.hand
            assert player.revealed is None
            assert player.built[: len(before)] == before, "what is built stays built"
            assert len(player.built) == len(before) + player.built_now
        if closed_before:
            assert table.closed
            assert table.deck == deck_before, "a closed deck is never touched again"
    assert won is None or table.players[won].vp >= rules.goal


def play_and_check(
    catalog: Catalog, edition: str, players: int, twists: Sequence[str], game_index: int
) -> list[Event]:
    """Play, check the own log, and see that the log gives the same game."""
    log: list[Event] = []
    result = play(catalog, edition, players, twists, RandomPlay(7, players, game_index), log=log)
    again = check_log(catalog, json.loads(json.dumps(log)))
    assert again == result
    assert result.states == [event for event in log if event["event"] == "state"]
    return log


def test_laws_hold_in_every_cell() -> None:
    for number, (edition, players, twists) in enumerate(CELLS):
        follow_laws(prepare(CATALOG, edition, twists), players, number)


@pytest.mark.slow
def test_the_own_log_gives_the_same_game() -> None:
    for number, (edition, players, twists) in enumerate(CELLS[::2]):
        play_and_check(CATALOG, edition, players, twists, number)


def test_a_game_is_the_same_with_and_without_a_log() -> None:
    rules = prepare(CATALOG, MAGELLAN, ["unions", "academics"])
    log: list[Event] = []
    assert play_cell(rules, 5, RandomPlay(2, 5, 9)) == play_cell(rules, 5, RandomPlay(2, 5, 9), log=log)


def test_random_play_hashes_the_whole_key() -> None:
    play_source = RandomPlay(12345, 4, 99, replicate=3)
    play_source.begin_round(17)
    for number in range(3):
        h = keyed_hash(12345, 4, 99, 2, 3, 2, 17 * 2**24 + 3 * 2**16 + number)
        assert play_source.discard(2, range(1000)) == ((h >> 32) * 1000) >> 32
    for shuffle in range(2):
        order = sorted(range(1, 65), key=lambda card: keyed_hash(12345, 4, 99, 1, shuffle, card))
        assert play_source.shuffle(list(range(64, 0, -1))) == order


def test_handicap_gives_each_seat_its_start() -> None:
    log: list[Event] = []
    handicap = Handicap(money=[0, 15, 30], cards=[5, 0, 1])
    play(CATALOG, ASCORA, 3, [], RandomPlay(1, 3, 0), handicap, log)
    assert [event["cards"] for event in log if event["event"] == "deal"] == [
        log[0]["deck"][:5],
        [log[0]["deck"][5]],
    ]
    check_log(CATALOG, log, handicap=True)
    with pytest.raises(LogMismatchError, match="the rules say 10"):
        check_log(CATALOG, log)


@pytest.mark.parametrize(
    ("edition", "twists", "message"),
    [
        (ASCORA, ["academics"], "does not have the twist academics"),
        (ASCORA, ["unions", "unions"], "different twists"),
    ],
)
def test_impossible_cells_are_refused(edition: str, twists: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        prepare(CATALOG, edition, twists)


# --- logs that lie ----------------------------------------------------------------------------------------


def a_log(*twists: str, players: int = 3, index: int = 0) -> list[Event]:
    log: list[Event] = []
    play(CATALOG, ASCORA, players, twists, RandomPlay(4, players, index), log=log)
    return log


def first(log: list[Event], event: str, **fields: Any) -> int:
    return next(
        index
        for index, found in enumerate(log)
        if found["event"] == event and all(found.get(key) == value for key, value in fields.items())
    )


def replay(log: list[Event]) -> None:
    setup = log[0]
    play(CATALOG, setup["edition"], setup["players"], setup["twists"], LogDriven(log))


def test_log_with_a_card_that_is_not_in_hand_is_refused() -> None:
    log = a_log()
    index = first(log, "reveal")
    log[index]["card"] = 999
    with pytest.raises(LogError, match=rf"event {index} .*999.*may reveal only one of the cards"):
        replay(log)


def test_log_with_an_unpayable_zone_is_refused() -> None:
    log: list[Event] = []
    poor = Handicap([0, 0, 0], [3, 3, 3])
    play(CATALOG, ASCORA, 3, [], RandomPlay(4, 3, 0), poor, log)
    index = first(log, "place", zone="speculate", cause="speculate")
    log[index]["zone"] = "invent"
    with pytest.raises(LogError, match=rf"event {index} .*may place only one of speculate"):
        play(CATALOG, ASCORA, 3, [], LogDriven(log), poor)


def test_log_with_a_barred_action_is_refused() -> None:
    log = a_log("age-of-boredom")
    second = first(log, "round", round=2)
    index = second + first(log[second:], "choose", seat=1)
    log[index]["actions"] = log[first(log, "choose", seat=1)]["actions"]
    with pytest.raises(LogError, match=rf"round 2, event {index} .*may choose only one of"):
        replay(log)


def test_log_with_a_committed_card_discarded_is_refused() -> None:
    log = a_log("long-term-plans", "overpopulation")
    index = first(log, "discard")
    seat = log[index]["seat"]
    log[index]["cards"] = [log[first(log, "commit", seat=seat)]["card"]]
    with pytest.raises(LogError, match=rf"event {index} .*may discard only one of the cards"):
        replay(log)


def test_log_that_removes_a_minion_where_none_is_is_refused() -> None:
    log = a_log("unions")
    index = first(log, "remove")
    empty = [zone for zone in ACTIONS if zone != log[index]["zone"]]
    for zone in empty:
        bad = copy.deepcopy(log)
        bad[index]["zone"] = zone
        with pytest.raises((LogError, LogMismatchError)):
            check_log(CATALOG, bad)


@pytest.mark.parametrize("kind", ["choose", "reveal", "place"])
def test_log_that_lacks_a_decision_is_refused(kind: str) -> None:
    log = a_log()
    del log[first(log, kind)]
    with pytest.raises((LogError, LogMismatchError), match="round"):
        check_log(CATALOG, log)


def test_log_that_shuffles_other_cards_is_refused() -> None:
    log = a_log("focused-research", "science-marathon", players=6)
    index = first(log, "shuffle")
    log[index]["cards"][0] = 999
    with pytest.raises(LogError, match="not the cards to be shuffled"):
        replay(log)


def test_every_wrong_number_is_found() -> None:
    """Change each event of a log in turn: the check must never pass."""
    log = a_log("philanthropy", "stolen-parts", index=2)
    assert {event["event"] for event in log} >= {"setup", "deal", "money", "state", "end"}
    for index, event in enumerate(log):
        bad = copy.deepcopy(log)
        match event["event"]:
            case "money" | "income":
                bad[index]["amount"] += 1
            case "state":
                bad[index]["seats"][1]["vp"] += 1
            case "end":
                bad[index]["rounds"] += 1
            case "draw" | "deal" | "shuffle":
                bad[index]["cards"][0] = 999
            case "reveal" | "place":
                bad[index]["paid"] += 1
            case "setup":
                bad[index]["money"][0] += 1
            case _:
                del bad[index]
        with pytest.raises((LogError, LogMismatchError)):
            check_log(CATALOG, bad)


def test_a_difference_shows_round_event_and_both_states() -> None:
    log = a_log()
    index = first(log, "state")
    log[index]["seats"][0]["money"] += 1
    with pytest.raises(LogMismatchError) as found:
        check_log(CATALOG, log)
    message = str(found.value)
    assert message.startswith(f"round 1, event {index} of the log differs")
    assert "log after" in message
    assert "rules after" in message


def test_events_of_a_round_can_be_compared_without_their_order() -> None:
    log = a_log("free-radio")
    start = first(log, "money")
    log[start], log[start + 1] = log[start + 1], log[start]
    check_log(CATALOG, log, in_order=False)
    with pytest.raises(LogMismatchError):
        check_log(CATALOG, log)


def test_zone_words_are_the_actions() -> None:
    assert [ZONE_OF[action] for action in ACTIONS] == list(ZONES)

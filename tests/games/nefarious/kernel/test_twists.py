"""Each twist twice: as a table at which the rule shows, and beside the same seeded game without it.

The seeded games must agree event by event until the first moment at which the twist may act; what happens
there must be what the rule says. A twist without either test fails here, and so does a test that would pass
although the twist did nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest

from balance.errors import UsageError
from balance.games.nefarious.catalog.model import Switches
from balance.games.nefarious.replay.ledger import Ledger
from balance.games.nefarious.rules import compile_cell
from balance.games.nefarious.vocabulary import ACTIONS
from tests.games.nefarious import tables_builder
from tests.games.nefarious.compare import KernelLog
from tests.games.nefarious.tables_builder import (
    ASCORA,
    CATALOG,
    EDITIONS,
    MAGELLAN,
    MOSIGRA,
    Seat,
    card,
    round_of,
)

Event = dict[str, Any]
TWISTS = [twist.id for twist in CATALOG.twists]


def told(seats: list[Seat], twist: str, **given: Any) -> list[str]:
    """What the twist itself does in one round, in short."""
    return round_of(*seats, twists=[twist], **given).told(cause=f"twist:{twist}")


# === a table for each twist ===============================================================================


def test_grants():
    played = round_of(Seat("I"), Seat("I", built=[1]), Seat("I"), twists=["grants"])
    assert played.moved("twist:grants") == [2, 0, 2]
    assert played.money == [12, 10, 12]


def test_age_of_boredom():
    played = round_of(Seat("W", before="R"), Seat("R", before="I"), twists=["age-of-boredom"], after=1)
    assert played.asked[0].options == (("speculate",), ("invent",), ("work",))
    assert ("invent",) not in played.asked[1].options
    first = round_of(Seat("W"), Seat("W"), twists=["age-of-boredom"])
    assert len(first.asked[0].options) == 4, "round 1 bars nothing"


def test_alien_contact():
    seats = [Seat("I", hand=["Cloaking Device", 1, 2]), Seat("W", hand=[3, 5]), Seat("I", 0, hand=[4, 6])]
    played = round_of(*seats, twists=["alien-contact"], build={0: ["Cloaking Device"]})
    assert played.told(0) == ["built", "discard 2", "draw 2"]
    assert played.told(1) == ["+4"]
    assert played.told(2) == ["unaffordable"], "only who built"


def test_animal_rights_activists():
    played = round_of(Seat("R", on="R"), Seat("R"), twists=["animal-rights-activists"])
    assert played.told(0) == ["+2", "draw 1"], "income of the minion, no money of the action"
    assert played.money == [12, 10]


def test_bigger_and_better():
    def gains(hand: str, *built: str) -> list[str]:
        return told([Seat("I", 30, hand=[hand], built=built), Seat()], "bigger-and-better")

    assert gains("Buttered Cat Array") == ["+2"], "the first always pays"
    assert gains("Virus", "Buttered Cat Array") == [], "2 is not more than 2"
    assert gains("Teleporter", "Buttered Cat Array", "Virus") == ["+2"]
    assert gains("Secret Lair", "Buttered Cat Array", "Virus") == ["+2"], "a new lair is worth 3"
    assert gains("Teleporter", "Secret Lair", "Virus") == [], "an earlier lair is worth 3 by now"


def test_blood_sweat_and_mice():
    played = round_of(Seat("W"), Seat("R"), twists=["blood-sweat-and-mice"])
    assert played.money == [16, 12]


def test_cheap_fusion_power():
    played = round_of(
        Seat("I", 9, hand=["Growth Activator"]),
        Seat("I", 6, hand=["Moon Base"]),
        twists=["cheap-fusion-power"],
    )
    assert played.money[0] == 9 - 5
    assert played.told(1)[0] == "unaffordable", "13 costs 7"


def test_embezzling_minions():
    played = round_of(Seat("I", 14), Seat("I", 15), Seat("I", 4), twists=["embezzling-minions"])
    assert played.money == [10, 15, 4]


def test_focused_research():
    played = round_of(Seat("R"), Seat("R"), twists=["focused-research"])
    assert played.told() == ["+2", "+2", "draw 2", "draw 2", "discard 1", "discard 1"]
    assert [len(hand) for hand in played.of("hand")] == [1, 1]


def test_forgotten_epiphanies():
    played = round_of(
        Seat("R"), Seat("I", hand=["Tesla Shocker", 1, 2]), twists=["forgotten-epiphanies"],
        build={1: ["Tesla Shocker"]},
    )  # fmt: skip
    assert played.told(0) == ["+2", "draw 2"]
    assert played.told(1) == ["built", "draw 1", "discard 1"], "after the printed line"


def test_game_theory():
    played = round_of(Seat("R", on="WW"), Seat("W", on="R"), Seat("I"), twists=["game-theory"])
    assert played.income == [2 * 2, 1, 0]


def test_science_marathon():
    fours = [c.id for c in CATALOG.inventions if c.vp == 4][:8]
    short = round_of(Seat("W", built=fours[:5]), Seat(), twists=["science-marathon"])
    assert short.of("vp")[0] == 20
    assert not short.over
    assert round_of(Seat("W", built=fours[:5]), Seat()).over
    assert round_of(Seat("W", built=fours), Seat(), twists=["science-marathon"]).over


def test_hyperinflation():
    played = round_of(Seat("I", 9, hand=["Virus"]), Seat("I", 9, hand=[63]), twists=["hyperinflation"])
    assert played.told(0)[:2] == ["built", "-4"]
    assert played.money == [0, 9], "not who built nothing"
    free = round_of(Seat("I", 9, hand=["Buttered Cat Array"]), Seat(), twists=["hyperinflation"])
    assert free.money[0] == 0, "even for a price of 0"


def test_insider_trading():
    played = round_of(Seat("W", on="WWS"), Seat("W", on="R"), twists=["insider-trading"])
    assert played.income == [2 * 2 + 2, 0], "once per minion, also with 2 players"


def test_lingering_evil():
    def does(hand: str, *built: str) -> list[str]:
        seats = [Seat("I", 20, hand=[hand], built=built), Seat("I")]
        return round_of(*seats, twists=["lingering-evil"]).told()[1:]

    assert does("Buttered Cat Array", "Flying Car") == ["+2", "+2"], "self lines, and those of others"
    assert does("Buttered Cat Array") == []
    assert does("Buttered Cat Array", "Flying Car", "Cloaking Device") == [], "no chaining"
    assert does("Secret Lair", "Love Potion") == ["+8"], "its value is no effect line"
    assert does("Virus", "Love Potion") == ["place S"], "a card with lines does its own"


def test_long_term_plans():
    seats = [Seat("I", hand=["Virus", "Buttered Cat Array"]), Seat("R")]
    played = round_of(*seats, twists=["long-term-plans"], commit={0: ["Virus"]})
    assert played.told(0) == ["commit", "built", "place S"]
    assert played.told(1) == ["+2", "draw 1"], "nothing to commit"
    dear = round_of(
        Seat("I", 0, hand=["Virus", 14]), Seat(), twists=["long-term-plans"], commit={0: ["Virus"]}
    )
    assert dear.of("committed")[0] == card("Virus"), "coming back unpaid it stays committed"
    only = round_of(Seat("W", hand=["Virus"]), Seat("I", 20, hand=["Slime Ray"]), twists=["long-term-plans"])
    assert only.of("hand")[0] == [card("Virus")], "it cannot be discarded, not even as the only card"


def test_mad_broker():
    played = round_of(Seat("W", on="RRW"), Seat("S", on="SSSSS"), twists=["mad-broker"])
    assert played.told(0)[:3] == ["remove R", "remove R", "place W"]
    assert played.told(1) == [], "no reserve to place from"
    both = round_of(Seat("IW", on="SIW"), Seat("RW"), twists=["mad-broker", "perpetual-motion"])
    assert both.told(0, "twist:mad-broker") == ["remove S", "place I", "place W"]


def test_academics():
    seats = [Seat("S"), Seat("I", hand=["Cryochamber"])]
    played = round_of(*seats, twists=["academics"], edition=MAGELLAN)
    assert played.told(0) == ["place S", "draw 1", "place S", "draw 1"]
    assert played.told(1) == ["built", "place S", "draw 1"]


def test_free_radio():
    assert round_of(Seat("I"), Seat("I"), twists=["free-radio"]).money == [12, 12]


def test_mob_influence():
    seats = [Seat("I"), Seat("W"), Seat("I"), Seat("I", 1)]
    assert round_of(*seats, twists=["mob-influence"]).moved("twist:mob-influence") == [-2, 0, -2, -1]
    pair = round_of(Seat("I"), Seat("I"), twists=["mob-influence"])
    assert pair.money == [9, 9], "with 2 players the opponent counts once"
    two = round_of(Seat("IR"), Seat("IR"), twists=["mob-influence", "perpetual-motion"])
    assert two.moved("twist:mob-influence") == [-2, -2], "per shared action"


def test_overpopulation():
    seats = [Seat("W", hand=[1, 2, 3]), Seat("W", hand=[4]), Seat("W", hand=[5, 6])]
    assert [len(hand) for hand in round_of(*seats, twists=["overpopulation"]).of("hand")] == [2, 1, 1]


def test_focus_groups():
    seats = [Seat("W", on="WW"), Seat("W", on="W"), Seat("R", on="I")]
    played = round_of(*seats, twists=["focus-groups"], edition=MAGELLAN)
    assert played.moved("twist:focus-groups") == [2, 0, 0]
    tie = round_of(Seat("W", on="W"), Seat("W", on="W"), twists=["focus-groups"], edition=MAGELLAN)
    assert tie.moved("twist:focus-groups") == [0, 0], "more than each other"
    both = round_of(
        Seat("RW", on="RW"), Seat("SI"), twists=["focus-groups", "perpetual-motion"], edition=MAGELLAN
    )
    assert both.moved("twist:focus-groups") == [4, 0], "each led zone of an own action"


def test_parallel_universe():
    played = round_of(
        Seat("S", on="R"), Seat("I", hand=["Robotic Pet", "Virus"]), Seat("R"), Seat("W"),
        twists=["parallel-universe"],
    )  # fmt: skip
    assert played.told(0) == ["place S", "place S"]
    assert played.told(1) == ["built", "place S", "built", "draw 1", "+2"]
    assert played.told(2) == ["+2", "draw 1", "+2", "draw 1"]
    assert played.told(3) == ["+4", "+4"]
    once = round_of(Seat("W", on="WW"), Seat("W"), Seat("I"), twists=["parallel-universe"])
    assert once.income == [2, 0, 0], "income is paid once"


def test_perpetual_motion():
    played = round_of(Seat("SW", on="SW"), Seat("SW"), Seat("IR"), twists=["perpetual-motion"])
    assert len(played.asked[0].options) == 6
    assert played.told(0) == ["+2", "place S", "+4"], "minions earn for both, actions in number order"


def test_philanthropy():
    played = round_of(Seat("I", 0), Seat("I", 0, hand=[63]), Seat("I", 3), twists=["philanthropy"])
    assert played.told() == ["unaffordable", "+2", "+2", "draw 1", "draw 1"]
    assert played.told(0) == ["+2", "draw 1"], "both may apply"


def test_private_funding():
    assert setup_of("private-funding")["money"] == [20, 20]
    assert setup_of()["money"] == [10, 10]


def test_popular_science():
    played = round_of(Seat(built=["Virus", "Teleporter"]), Seat(), twists=["popular-science"])
    assert played.of("vp") == [2 + 3 + 2, 0]


def test_quantum_relativity():
    played = round_of(Seat("I", 4, hand=["Flying Car"]), Seat("I"), twists=["quantum-relativity"])
    assert played.told(0) == ["built", "+2", "+2"]
    assert played.told(1) == ["+2", "+2"]


def test_recycling():
    seats = [Seat("I", hand=["Tesla Shocker"]), Seat("I", 0, hand=[63])]
    played = round_of(*seats, twists=["recycling"])
    assert played.told(0) == ["built", "draw 1", "draw 1"]
    assert played.told(1) == ["unaffordable", "discard 1"], "a self line"


def test_security_measures():
    played = round_of(Seat("I", hand=["Flying Car"]), Seat("I"), twists=["security-measures"])
    assert played.told() == ["built"]
    assert played.money == [6, 10]


def test_rigged_investments():
    seats = [Seat("S", on="II"), Seat("I", on="I", hand=["Hypnotic Ray"]), Seat("W", on="R")]
    for edition in (ASCORA, MAGELLAN):
        played = round_of(*seats, twists=["rigged-investments"], edition=edition, place={0: ["I"], 1: ["I"]})
        assert played.moved("twist:rigged-investments") == [3, 3, 0], "that zone, in any way, own ones too"
        assert played.told(0)[-2:] == ["place I", "+3"], "after paying"
    board = round_of(*seats, twists=["rigged-investments"], edition=MOSIGRA, place={0: ["I"]})
    assert board.moved("twist:rigged-investments") == [4, 0, 0], "all zones, only by playing Speculate"
    assert board.told(0)[-2:] == ["+4", "place I"], "before paying"


def test_stolen_parts():
    seats = [Seat("I", 4, hand=["Flying Car"]), Seat("I", 1), Seat("I", 9)]
    played = round_of(*seats, twists=["stolen-parts"])
    assert played.told(1) == ["+2", "-2"], "after the printed line"
    assert played.money == [2, 1, 9]
    assert round_of(Seat("I", hand=["Hypnotic Ray"]), Seat("I", 1), twists=["stolen-parts"]).money[1] == 0


def test_subliminal_advertising():
    played = round_of(Seat("I", 14), Seat("I", 4), Seat("I", 15), twists=["subliminal-advertising"])
    assert played.of("vp") == [2, 0, 3]


def test_better_left_unknown():
    seats = [Seat(hand=[1, 2, 3, 4, 5]), Seat(hand=[6, 7, 8, 9])]
    assert round_of(*seats, twists=["better-left-unknown"]).of("vp") == [5, 0]


def test_geeks():
    assert setup_of("geeks")["cards"] == [10, 10]
    seats = [Seat("I", 20, hand=["Sentient AI", 1, 2, 3], built=[14, 18]), Seat()]
    played = round_of(*seats, twists=["geeks"], build={0: ["Sentient AI"]})
    assert played.told(0) == ["built", "draw 3"], "three are built"
    moon = round_of(
        Seat("I", 20, hand=["Moon Base", 1, 2], built=[14]),
        Seat(),
        twists=["geeks"],
        build={0: ["Moon Base"]},
    )
    assert moon.told(0) == ["built", "+6", "discard 2"], "the whole hand is the whole hand"


def test_unions():
    none = round_of(Seat("I", 0, hand=["Space Elevator"]), Seat(), twists=["unions"])
    assert none.told(0) == ["unions", "place S"], "before the price is looked at"
    assert none.of("hand")[0] == [card("Space Elevator")]
    one = round_of(
        Seat("I", hand=["Virus"], on="SW"), Seat("I", 0, hand=["Slime Ray"], on="W"), twists=["unions"],
        remove={0: ["W"]}, place={0: ["R"]},
    )  # fmt: skip
    assert one.told(0) == ["built", "remove W", "place R"]
    assert one.told(1) == ["unaffordable"], "only on building"


def test_cyber_spies():
    seats = [Seat("I", on="WW", built=[14]), Seat("W"), Seat("I", on="WW", built=[18, 27])]
    assert round_of(*seats, twists=["cyber-spies"]).income == [0, 0, 2]
    insider = round_of(Seat("W", on="W"), Seat("W"), twists=["cyber-spies", "insider-trading"])
    assert insider.income == [0, 0], "nor Insider Trading's"


def test_inspiration():
    assert round_of(Seat(on="S"), Seat(), twists=["inspiration"]).of("vp") == [0, 3]


def setup_of(*twists: str) -> Event:
    return log_of(ASCORA, 2, twists, 0)[0]


# === the same seeded game with and without ================================================================


@cache
def kernel() -> KernelLog:
    return KernelLog()


def log_of(edition: str, players: int, twists: tuple[str, ...], index: int) -> list[Event]:
    """The log of one game of random play, under the catalog that the builders use now."""
    cell = compile_cell(tables_builder.CATALOG, edition, players, twists)
    return kernel().events(cell, 38, index)


@dataclass
class Pair:
    """A game without the twist (`plain`), the same with it, and where they part."""

    twist: str
    cell: Any
    plain: list[Event]
    twisted: list[Event]

    def __post_init__(self) -> None:
        self.cause = f"twist:{self.twist}"
        self.at = next(
            (i for i, (p, t) in enumerate(zip(self.plain, self.twisted, strict=False)) if p != t), None
        )

    def walk(self):
        """Every event of the plain game with its place and the table before it."""
        table = Ledger(self.cell, self.plain[0])
        for index, event in enumerate(self.plain[1:], 1):
            yield index, event, table
            table.follow(event)

    def first(self, condition: Callable[[Event, Ledger], Any]) -> int | None:
        """The place of the first event of the plain game for which something holds at the table before it."""
        return next((i for i, event, table in self.walk() if condition(event, table)), None)

    def table(self) -> Ledger:
        """The table where the games part."""
        return next(table for index, _, table in self.walk() if index == self.at)

    def parts_at(self, index: int | None, *expected: Event) -> bool:
        """See that the games part exactly there, and that the twisted one goes on as expected."""
        assert self.at == index, (self.at, index)
        if index is not None and expected:
            assert self.twisted[index : index + len(expected)] == list(expected)
        return index is not None

    @property
    def p(self) -> Event:
        """What the plain game does where they part."""
        return self.plain[self.at]

    @property
    def t(self) -> Event:
        """What the twisted game does there."""
        return self.twisted[self.at]

    def gain(self, seat: int, amount: int) -> Event:
        return {"event": "money", "seat": seat, "amount": amount, "cause": self.cause}

    def scored(self, bonus: Callable[[Event], int]) -> bool:
        """See that the games part at the first state in which somebody has the bonus, and only in the VP."""

        def lifted(state: Event) -> Event:
            return {**state, "seats": [{**seat, "vp": seat["vp"] + bonus(seat)} for seat in state["seats"]]}

        first = next((i for i, e in enumerate(self.plain) if e["event"] == "state" and lifted(e) != e), None)
        return self.parts_at(first, *([] if first is None else [lifted(self.plain[first])]))


SEEDED: dict[str, Callable[[Pair], bool]] = {}


def seeded(twist: str):
    """Register how a game with the twist departs from the one without; True if it does."""

    def register(check: Callable[[Pair], bool]):
        SEEDED[twist] = check
        return check

    return register


def is_event(event: Event, kind: str, **fields: Any) -> bool:
    return event["event"] == kind and all(event.get(key) == value for key, value in fields.items())


def after_round_1(pair: Pair) -> int:
    return next(i for i, e in enumerate(pair.plain) if is_event(e, "round", round=1)) + 1


def is_built(event: Event) -> bool:
    return is_event(event, "reveal", outcome="built")


def after(index: int | None) -> int | None:
    return None if index is None else index + 1


def all_revealed(event: Event, table: Ledger) -> bool:
    """Whether R2 is over: everybody has chosen, and this is the next event."""
    return all(table.actions) and event["event"] != "choose"


def on_zones(table: Ledger, seat: int) -> int:
    return sum(table.seats[seat].minions.values())


@seeded("grants")
def _(pair):
    return pair.parts_at(after_round_1(pair), *(pair.gain(s, 2) for s in range(pair.cell.players)))


@seeded("free-radio")
def _(pair):
    return pair.parts_at(after_round_1(pair), *(pair.gain(s, 2) for s in range(pair.cell.players)))


@seeded("age-of-boredom")
def _(pair):
    if pair.at is None:
        return False
    chosen = [
        e["actions"]
        for e in pair.plain[: pair.at]
        if (e["event"], e.get("seat")) == ("choose", pair.t["seat"])
    ]
    last = chosen[-1]  # there is none in round 1, and this fails
    assert pair.p["event"] == pair.t["event"] == "choose"
    assert not set(pair.t["actions"]) & set(last)
    return True


@seeded("alien-contact")
def _(pair):
    def hands_of_builders(table: Ledger, built: set[int]) -> list[int]:
        return [s for s in sorted(built) if table.seats[s].hand]

    built: set[int] = set()
    for index, event, table in pair.walk():
        if event["event"] == "round":
            built = set()
        if is_built(event):
            built.add(event["seat"])
        if event["event"] == "state" and hands_of_builders(table, built):
            seat = hands_of_builders(table, built)[0]
            hand = sorted(table.seats[seat].hand)
            discard = {"event": "discard", "seat": seat, "cards": hand, "cause": pair.cause}
            return pair.parts_at(index, discard)
    return pair.parts_at(None)


@seeded("animal-rights-activists")
def _(pair):
    paid = pair.first(lambda e, _: is_event(e, "money", cause="research"))
    return pair.parts_at(paid) and is_event(pair.t, "draw", cause="research")


@seeded("bigger-and-better")
def _(pair):
    first = pair.first(lambda e, _: is_built(e))
    return pair.parts_at(after(first), *([] if first is None else [pair.gain(pair.plain[first]["seat"], 2)]))


@seeded("blood-sweat-and-mice")
def _(pair):
    first = pair.first(lambda e, _: is_event(e, "money", cause="work"))
    return pair.parts_at(first, {**pair.plain[first], "amount": 6})


@seeded("cheap-fusion-power")
def _(pair):
    assert pair.p["event"] == pair.t["event"] == "reveal"
    assert pair.p["seat"] == pair.t["seat"]
    cost = CATALOG.invention(pair.t["card"]).cost
    assert pair.t["paid"] == (-(-cost // 2) if is_built(pair.t) else 0)
    return True


@seeded("embezzling-minions")
def _(pair):
    for index, event, table in pair.walk():
        odd = [s for s, seat in enumerate(table.seats) if seat.money >= 5 and seat.money % 5]
        if event["event"] == "round" and odd:
            rests = [pair.gain(s, -(table.seats[s].money % 5)) for s in odd]
            return pair.parts_at(index + 1, *rests)
    return pair.parts_at(None)


@seeded("focused-research")
def _(pair):
    first = pair.first(lambda e, _: is_event(e, "draw", cause="research"))
    two = [*pair.plain[first]["cards"], pair.twisted[first]["cards"][-1]]
    return pair.parts_at(first, {**pair.plain[first], "cards": two})


@seeded("forgotten-epiphanies")
def _(pair):
    may = pair.first(lambda e, _: is_built(e) or is_event(e, "draw", cause="research"))
    assert pair.at >= may
    if is_event(pair.t, "draw", cause="research"):
        assert (len(pair.p["cards"]), len(pair.t["cards"])) == (1, 2)
        return True
    assert is_event(pair.t, "discard", cause=pair.cause)
    return built_this_round(pair, pair.t["seat"])


def built_this_round(pair: Pair, seat: int) -> bool:
    """Whether a seat has built in the round in which the games part."""
    start = max(i for i in range(pair.at) if pair.plain[i]["event"] == "round")
    return any(is_built(e) and e["seat"] == seat for e in pair.plain[start : pair.at])


@seeded("game-theory")
def _(pair):
    first = pair.first(lambda e, table: e["event"] == "income" and "research" in table.actions[e["seat"]])
    return pair.parts_at(
        first, *([] if first is None else [{**pair.plain[first], "amount": 2 * pair.plain[first]["amount"]}])
    )


@seeded("science-marathon")
def _(pair):
    final = pair.plain[-2]
    if max(seat["vp"] for seat in final["seats"]) >= 30 or pair.plain[-1]["stalled"]:
        return pair.parts_at(None)
    return pair.parts_at(len(pair.plain) - 1, {"event": "round", "round": pair.plain[-1]["rounds"] + 1})


@seeded("hyperinflation")
def _(pair):
    first = pair.first(lambda e, table: is_built(e) and table.seats[e["seat"]].money > e["paid"])
    if first is None:
        return pair.parts_at(None)
    _, event, table = next(step for step in pair.walk() if step[0] == first)
    return pair.parts_at(
        first + 1, pair.gain(event["seat"], event["paid"] - table.seats[event["seat"]].money)
    )


@seeded("insider-trading")
def _(pair):
    def extra(table: Ledger, seat: int) -> int:
        return sum(table.seats[seat].minions[action] for action in table.actions[seat])

    for index, event, table in pair.walk():
        more = [(s, extra(table, s)) for s in range(pair.cell.players) if extra(table, s)]
        if not all_revealed(event, table) or pair.plain[index - 1]["event"] != "choose" or not more:
            continue
        seat, amount = more[0]
        while is_event(pair.plain[index], "income") and pair.plain[index]["seat"] < seat:
            index += 1  # noqa: PLW2901 - seats before it earn as usual
        if is_event(pair.plain[index], "income", seat=seat):
            amount += pair.plain[index]["amount"]
        return pair.parts_at(index, {"event": "income", "seat": seat, "amount": amount})
    return pair.parts_at(None)


@seeded("lingering-evil")
def _(pair):
    if pair.at is None:
        return False
    causes = [
        f"invention:{seat.built[-2]}"
        for seat in pair.table().seats
        if len(seat.built) > 1 and CATALOG.invention(seat.built[-1]).blank
    ]
    assert pair.t["cause"] in causes or pair.t["event"] in ("shuffle", "no_more_draws")
    return True


@seeded("long-term-plans")
def _(pair):
    pair.parts_at(after_round_1(pair))
    return is_event(pair.t, "commit", seat=0)


@seeded("mad-broker")
def _(pair):
    first = pair.first(all_revealed)
    actions = [e["actions"][0] for e in pair.plain[:first] if e["event"] == "choose"]
    places = [
        {"event": "place", "seat": s, "zone": action, "paid": 0, "cause": pair.cause}
        for s, action in enumerate(actions)
    ]
    return pair.parts_at(first, *places)


@seeded("academics")
def _(pair):
    first = pair.first(lambda e, _: e["event"] == "place")
    if not pair.parts_at(after(first)):
        return False
    return is_event(pair.t, "draw", seat=pair.plain[first]["seat"], cause=pair.cause)


@seeded("mob-influence")
def _(pair):
    def losses(table: Ledger) -> list[Event]:
        found = []
        for s, seat in enumerate(table.seats):
            same = sum(table.actions[s] == other for o, other in enumerate(table.actions) if o != s)
            if same and seat.money:
                found.append(pair.gain(s, -min(same, seat.money)))
        return found

    first = pair.first(lambda e, table: e["event"] == "state" and losses(table))
    if first is None:
        return pair.parts_at(None)
    table = next(table for index, _, table in pair.walk() if index == first)
    return pair.parts_at(first, *losses(table))


@seeded("overpopulation")
def _(pair):
    pair.parts_at(after_round_1(pair))
    discards = pair.twisted[pair.at : pair.at + pair.cell.players]
    assert [(e["event"], e["seat"], len(e["cards"]), e["cause"]) for e in discards] == [
        ("discard", seat, 1, pair.cause) for seat in range(pair.cell.players)
    ]
    return True


@seeded("focus-groups")
def _(pair):
    def leads(table: Ledger, seat: int) -> int:
        zone = table.actions[seat][0]
        held = [other.minions[zone] for other in table.seats]
        return held.count(max(held)) == 1 and held[seat] == max(held)

    for index, event, table in pair.walk():
        if all_revealed(event, table) and event["event"] != "income":
            leaders = [seat for seat in range(pair.cell.players) if leads(table, seat)]
            in_r3 = pair.plain[index - 1]["event"] in ("choose", "income")
            if in_r3 and leaders:
                return pair.parts_at(index, *(pair.gain(seat, 2) for seat in leaders))
    return pair.parts_at(None)


@seeded("parallel-universe")
def _(pair):
    chosen = [e["actions"][0] for e in pair.plain if e["event"] == "choose"][: pair.cell.players]
    action = min(chosen, key=ACTIONS.index)
    seat = chosen.index(action)
    kind = {"speculate": "place", "invent": "reveal"}.get(action, "money")
    cause = {} if action == "invent" else {"cause": action}
    own = [i for i, e in enumerate(pair.twisted) if is_event(e, kind, seat=seat, **cause)]
    assert pair.at == own[1], "the lowest action is done in full, and then again"
    return True


@seeded("perpetual-motion")
def _(pair):
    pair.parts_at(pair.first(lambda e, _: e["event"] == "choose"))
    assert (len(pair.p["actions"]), len(pair.t["actions"])) == (1, 2)
    return True


@seeded("philanthropy")
def _(pair):
    def poor(table: Ledger) -> list[int]:
        return [s for s, seat in enumerate(table.seats) if not seat.money]

    def bare(table: Ledger) -> list[int]:
        return [s for s, seat in enumerate(table.seats) if not seat.hand]

    first = pair.first(lambda e, table: e["event"] == "state" and (poor(table) or bare(table)))
    if not pair.parts_at(first):
        return False
    table = pair.table()
    gains = [pair.gain(seat, 2) for seat in poor(table)]
    assert pair.twisted[first : first + len(gains)] == gains
    if not bare(table):
        return True
    return is_event(pair.twisted[first + len(gains)], "draw", seat=bare(table)[0], cause=pair.cause)


@seeded("private-funding")
def _(pair):
    return pair.parts_at(0, {**pair.plain[0], "money": [20] * pair.cell.players})


@seeded("geeks")
def _(pair):
    return pair.parts_at(0, {**pair.plain[0], "cards": [10] * pair.cell.players})


@seeded("popular-science")
def _(pair):
    return pair.scored(lambda seat: len(seat["built"]))


@seeded("subliminal-advertising")
def _(pair):
    return pair.scored(lambda seat: seat["money"] // 5)


@seeded("better-left-unknown")
def _(pair):
    return pair.scored(lambda seat: 5 * (len(seat["hand"]) >= 5))


@seeded("inspiration")
def _(pair):
    return pair.scored(lambda seat: 3 * (not any(seat["minions"].values())))


@seeded("quantum-relativity")
def _(pair):
    if pair.at is None:
        return False
    start = max(i for i in range(pair.at) if pair.plain[i]["event"] == "round")
    stop = next(i for i in range(start, len(pair.plain)) if pair.plain[i]["event"] == "state")
    if pair.t["event"] in ("shuffle", "no_more_draws"):
        return True

    def own(events: list[Event]) -> list[Event]:
        return [e for e in events if (e.get("seat"), e.get("cause")) == (pair.t["seat"], pair.t["cause"])]

    assert pair.t["cause"].startswith("invention:")
    assert own(pair.plain[start:stop]) == own(pair.twisted[start : pair.at]), "the whole list, then again"
    return True


@seeded("recycling")
def _(pair):
    if pair.at is None:
        return False
    assert is_event(pair.t, "draw", cause=pair.cause)
    assert len(pair.t["cards"]) == 1
    return built_this_round(pair, pair.t["seat"])


@seeded("stolen-parts")
def _(pair):
    assert is_event(pair.t, "money", cause=pair.cause)
    assert pair.t["amount"] == -min(2, pair.table().seats[pair.t["seat"]].money)
    return any(built_this_round(pair, seat) for seat in range(pair.cell.players) if seat != pair.t["seat"])


@seeded("security-measures")
def _(pair):
    first = pair.first(lambda e, _: str(e.get("cause")).startswith("invention:"))
    assert not any(str(e.get("cause")).startswith("invention:") for e in pair.twisted)
    # before a draw the deck may have been shuffled for it
    return pair.parts_at(first)


@seeded("rigged-investments")
def _(pair):
    mosigra = pair.cell.edition.id == MOSIGRA
    crowd: dict[str, int] = {}
    speculated = 0
    for index, event, table in pair.walk():
        if event["event"] == "round":
            crowd = {zone: sum(seat.minions[zone] for seat in table.seats) for zone in ACTIONS}
        if not mosigra and event["event"] == "place" and crowd[event["zone"]]:
            return pair.parts_at(index + 1, pair.gain(event["seat"], crowd[event["zone"]]))
        if mosigra and is_event(event, "place", cause="speculate") and speculated < table.round:
            speculated = table.round  # this is where R4 begins
            board = sum(on_zones(table, seat) for seat in range(pair.cell.players))
            if board:
                return pair.parts_at(index, pair.gain(event["seat"], board))
    return pair.parts_at(None)


@seeded("unions")
def _(pair):
    for index, event, table in pair.walk():
        if event["event"] != "reveal":
            continue
        if not on_zones(table, event["seat"]):
            place = {
                "event": "place", "seat": event["seat"], "zone": "speculate", "paid": 0, "cause": pair.cause,
            }  # fmt: skip
            return pair.parts_at(index, {**event, "outcome": "unions", "paid": 0}, place)
        if is_built(event):
            return pair.parts_at(index + 1) and is_event(
                pair.t, "remove", seat=event["seat"], cause=pair.cause
            )
    return pair.parts_at(None)


@seeded("cyber-spies")
def _(pair):
    def stopped(event: Event, table: Ledger) -> bool:
        seat = event.get("seat", 0)
        return event["event"] == "income" and len(table.seats[seat].built) < on_zones(table, seat)

    first = pair.first(stopped)
    if not pair.parts_at(first):
        return False
    return not is_event(pair.t, "income", seat=pair.p["seat"])


def pairs_of(twist: str):
    """Seeded games for every edition that has the twist, and every number of players."""
    for edition in EDITIONS:
        if edition not in CATALOG.twist(twist).editions:
            continue
        for index in range(10):
            players = 2 + index % 5
            plain = log_of(edition, players, (), index)
            twisted = log_of(edition, players, (twist,), index)
            cell = compile_cell(CATALOG, edition, players, ())
            assert (plain[0].pop("twists"), twisted[0].pop("twists")) == ([], [twist])
            yield Pair(twist, cell, plain, twisted)


def see_where_games_part(twist: str) -> None:
    parted = [SEEDED[twist](pair) for pair in pairs_of(twist)]
    assert any(parted), "the twist never acted"


@pytest.mark.parametrize("twist", TWISTS)
def test_a_seeded_game_parts_at_the_first_moment_and_not_before(twist):
    see_where_games_part(twist)


# === no twist without a test, no test without a bite ======================================================


def table_test(twist: str) -> Callable[[], None]:
    return globals()[f"test_{twist.replace('-', '_')}"]


@pytest.mark.parametrize("twist", TWISTS)
@pytest.mark.parametrize("check", [table_test, lambda twist: lambda: see_where_games_part(twist)])
def test_its_tests_fail_if_the_twist_does_nothing(twist, check, monkeypatch):
    idle = replace(CATALOG.twist(twist), lines=(), changes=(), switches=Switches())
    twists = tuple(idle if other.id == twist else other for other in CATALOG.twists)
    monkeypatch.setattr(tables_builder, "CATALOG", replace(CATALOG, twists=twists))
    # what a test says may also not fit the game any more: an answer that is refused, games that never part
    with pytest.raises((AssertionError, TypeError, UsageError)):
        check(twist)()

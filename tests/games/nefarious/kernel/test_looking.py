"""What looks at others: ranks, tests of neighbours and of players, counts of them; and when they look."""

import pytest

from balance.games.nefarious.catalog.adjusting import numbers, with_number
from balance.games.nefarious.catalog.loading import load_catalog
from balance.games.nefarious.kernel import codes as c
from balance.games.nefarious.rules import compile_cell
from tests.games.nefarious.tables_builder import ASCORA, Seat, round_of

TWIST = '[[twist]]\nid = "mine"\nname = "Mine"\neditions = ["ascora-2011"]\nlines = [%s]\n'


@pytest.fixture
def played(overlay):
    """Play a round with a twist of these lines; return what it moved, seat by seat."""

    def play(lines, *seats, **given):
        catalog = load_catalog([overlay(TWIST % lines)])
        return round_of(*seats, twists=["mine"], catalog=catalog, **given).moved("twist:mine")

    return play


def end(condition, do="+1 money"):
    return f'{{ when = "end", if = "{condition}", do = "{do}" }}'


# At the end of this round: money 4, 9, 7, 9; no action moves any.
FOUR = (Seat("S", 4), Seat("I", 9), Seat("I", 7), Seat("I", 9))


@pytest.mark.parametrize(
    ("condition", "gained"),
    [
        ("most money", [0, 1, 0, 1]),
        ("fewest money", [1, 0, 0, 0]),
        ("sole most money", [0, 0, 0, 0]),
        ("sole fewest money", [1, 0, 0, 0]),
        ("not most money", [1, 0, 1, 0]),
        ("not sole fewest money", [0, 1, 1, 1]),
        ("neighbour money == 7", [0, 1, 0, 1]),
        ("not neighbour money == 7", [1, 0, 1, 0]),
        ("other money == 9", [1, 1, 1, 1]),
        ("other money == 7", [1, 1, 0, 1]),
        ("player money == 7", [1, 1, 1, 1]),
        ("other money > my money", [1, 0, 1, 0]),
        ("neighbour money < my money", [0, 1, 0, 1]),
        ("neighbour played speculate", [0, 1, 0, 1]),
        ("not other not played invent", [1, 0, 0, 0]),
        ("neighbour fewest money", [0, 1, 0, 1]),
        ("other minions < hand", [0, 0, 0, 0]),
        ("other minions > hand", [0, 1, 1, 1]),
    ],
)
def test_conditions(played, condition, gained):
    assert played(end(condition), *FOUR) == gained


@pytest.mark.parametrize(
    ("count", "gained"),
    [
        ("other", [3, 3, 3, 3]),
        ("player", [4, 4, 4, 4]),
        ("neighbour", [2, 2, 2, 2]),
        ("other with money > my money", [3, 0, 2, 0]),
        ("neighbour with played invent", [2, 1, 2, 1]),
        ("player with most money", [2, 2, 2, 2]),
        ("other with money >= 7", [3, 2, 2, 2]),
    ],
)
def test_counts(played, count, gained):
    assert played(f'{{ when = "end", do = "+1 money per {count}" }}', *FOUR) == gained


def test_a_lone_opponent_is_one_neighbour(played):
    assert played('{ when = "end", do = "+1 money per neighbour" }', Seat("I"), Seat("I")) == [1, 1]


def test_vp_are_those_of_built_inventions(played):
    seats = (Seat("I", built=["Moon Base"]), Seat("I", built=[1, 2]), Seat("I"))
    assert played(end("most vp"), *seats) == [1, 0, 0]
    assert played(end("most built"), *seats) == [0, 1, 0]


# --- when they look


def test_a_later_line_of_the_moment_does_not_see_what_an_earlier_one_did(played):
    lines = f"{end('fewest money', '+9 money')}, {end('fewest money', '+1 money')}"
    assert played(lines, *FOUR) == [10, 0, 0, 0]


def test_income_of_earlier_seats_is_not_seen(played):
    line = '{ when = "income", if = "fewest money", do = "+5 income" }'
    income = '{ when = "end", do = "+1 money per other with money == my money" }'
    assert played(f"{line}, {income}", Seat("I", 4), Seat("I", 4), Seat("I", 9)) == [2, 2, 2]


def test_builders_are_ranked_as_the_step_began(played):
    line = '{ when = "build", if = "fewest built", do = "+2 money" }'
    seats = [Seat("I", hand=[n]) for n in (1, 2)] + [Seat("I", built=[3], hand=[4])]
    assert played(line, *seats) == [2, 2, 0], "the first one has built when the second one is asked"


def test_lines_of_inventions_are_ranked_when_all_have_built(played):
    line = '{ when = "invention", if = "sole most built", do = "+2 money" }'
    assert played(line, Seat("I", built=[3], hand=[4]), Seat("I", hand=[2]), Seat("I")) == [2, 0, 0]


def test_placements_are_ranked_as_the_step_began(played):
    line = '{ when = "place", if = "most minions", do = "+2 money" }'
    assert played(line, Seat("S"), Seat("S"), Seat("I")) == [2, 2, 0]


def test_a_card_may_count_players(overlay):
    effect = "+2 money per other with money > my money"
    text = f'[[invention]]\nid = 1001\nname = "Jet"\ncost = 0\nvp = 1\nself = ["{effect}"]\n'
    catalog = load_catalog([overlay(text)])
    played = round_of(Seat("I", 5, hand=[1001]), Seat("I", 9), Seat("I", 6), catalog=catalog)
    assert played.moved("invention:1001") == [4, 0, 0]


# --- what is compiled, and what can be changed


def test_the_compiled_form_is_plain_numbers(overlay):
    conditions = '["not neighbour vp > my vp", "not most hand", "built == 0"]'
    lines = f'{{ when = "end", if = {conditions}, do = "+1 money per other with played work" }}'
    rules = compile_cell(load_catalog([overlay(TWIST % lines)]), ASCORA, 4, ["mine"]).rules[0]
    line = rules["lines"][rules["first"][c.AT_END]]
    assert rules["looks"] == 1
    assert line["whose"].tolist() == [c.NEIGHBOUR, c.OWN_SEEN, c.OWN_NOW, 0, c.OTHER]
    assert line["nobody"].tolist() == [1, 0, 0, 0, 0]
    assert line["left"].tolist() == [c.Q_VP, c.Q_HAND, c.Q_BUILT, 0, c.Q_PLAYED]
    assert line["comparison"].tolist() == [c.MORE, c.MOST, c.EQUAL, 0, c.EQUAL]
    assert line["right_is_quantity"].tolist() == [c.MY_QUANTITY, 0, 0, 0, 0]
    assert line["right"].tolist() == [c.Q_VP, 0, 0, 0, c.WORK]
    assert compile_cell(load_catalog(), ASCORA, 4, ["grants", "mad-broker"]).rules[0]["looks"] == 0


def test_the_numbers_of_a_test_can_be_changed(overlay):
    lines = '{ when = "end", if = "other vp >= 9", do = "+1 money per other with built >= 3" }'
    catalog = load_catalog([overlay(TWIST % lines)])
    found = {number.path: number.value for number in numbers(catalog, "twist", "mine")}
    assert found == {"lines.1.do": 1, "lines.1.do.with": 3, "lines.1.if": 9}
    changed = with_number(catalog, "twist", "mine", "lines.1.do.with", 5).twist("mine").lines[0]
    assert str(changed.effect) == "+1 money per other with built >= 5"


# --- how players see it


def test_adaptive_plays_by_what_it_sees(overlay):
    """Who would be taxed for having the most minions places fewer."""
    from balance import games

    game = games.get("nefarious")
    line = '{ when = "end", if = "most minions", do = "-6 money" }'
    taxed = load_catalog([overlay(TWIST % line)])
    placed = []
    for catalog, twists in ((taxed, ["mine"]), (taxed, [])):
        cell = game.compile(catalog, ASCORA, 4, twists)
        events = [e for index in range(30) for e in game.replay(cell, 1, index, ["adaptive"] * 4)]
        rounds = sum(e["event"] == "round" for e in events)
        placed.append(sum(e["event"] == "place" and e["cause"] == "speculate" for e in events) / rounds)
    assert placed[0] < 0.7 * placed[1], placed

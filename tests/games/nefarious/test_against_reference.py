"""Two engines, one game: the kernel's log of every cell must be what the plain engine plays.

In the sweep over all pairs the reference is driven by the decisions and shuffles of the kernel's log; in the
smaller ones it gets the seed alone, and must shuffle, decide and write down the same game.
"""

from collections import Counter
from functools import cache
from itertools import combinations, permutations
from pathlib import Path

import pytest

from balance import games
from balance.games.nefarious.catalog.loading import load_catalog
from balance.games.nefarious.catalog.model import Catalog
from tests.games.nefarious.compare import KernelLog, LogMismatchError, check, compare_random
from tests.games.nefarious.invented import NAMES, invented_catalog
from tests.reference.cell import prepare

GAME = games.get("nefarious")
OFFICIAL = load_catalog()
WITH_CUSTOM = load_catalog([Path(__file__).parents[2] / "data" / "custom_twists.toml"])
EDITIONS = [edition.id for edition in OFFICIAL.editions]
TWISTS = [twist.id for twist in OFFICIAL.twists]
PLAYERS = range(2, 7)
CUSTOM = [twist.id for twist in WITH_CUSTOM.twists if twist.id.startswith("custom-")]
# Between them these act at every moment of a round, on every thing, and at the deck's edge.
PARTNERS = (
    "parallel-universe",
    "quantum-relativity",
    "perpetual-motion",
    "unions",
    "rigged-investments",
    "long-term-plans",
    "alien-contact",
    "lingering-evil",
    "geeks",
    "age-of-boredom",
)
SEED = 20_111


def twists_of(edition: str) -> list[str]:
    return [twist.id for twist in OFFICIAL.twists_of(edition)]


@cache
def kernel() -> KernelLog:
    return KernelLog()


def logs(catalog: Catalog, edition: str, twists: tuple[str, ...], index: int, counts=PLAYERS):
    """The kernel's log of one game for each of some numbers of players, each another game."""
    for players in counts:
        cell = GAME.compile(catalog, edition, players, twists)
        yield players, kernel().events(cell, SEED, index * len(PLAYERS) + players)


def from_the_seed(catalog: Catalog, edition: str, twists: tuple[str, ...], index: int) -> None:
    for players, events in logs(catalog, edition, twists, index):
        compare_random(events, prepare(catalog, edition, twists), players)


# --- all pairs --------------------------------------------------------------------------------------------


def test_the_sweep_covers_all_699_pairs_that_exist_in_some_edition():
    pairs = {edition: set(combinations(sorted(twists_of(edition)), 2)) for edition in EDITIONS}
    assert {len(here) for here in pairs.values()} == {630}
    assert len(set().union(*pairs.values())) == 699


def home(first, second):
    """Return an edition that has both twists, another one for the other order if there are several."""
    known = [edition for edition in EDITIONS if {first, second} <= set(twists_of(edition))]
    number = TWISTS.index(first) + TWISTS.index(second) + (first > second)
    return known[number % len(known)] if known else None


def count(edition, first, second):
    """Return a number of players: another one for each edition and order of a pair."""
    return PLAYERS[(2 * EDITIONS.index(edition) + (first > second)) % len(PLAYERS)]


def check_pair(edition, first, second):
    here = twists_of(edition)
    number = here.index(first) * len(here) + here.index(second)
    for _, events in logs(OFFICIAL, edition, (first, second), number, [count(edition, first, second)]):
        check(OFFICIAL, events)


@pytest.mark.parametrize("first", TWISTS)
def test_every_pair_in_this_order(first):
    """The first twist with each other one turned over after it, in one of the editions."""
    homes = {second: home(first, second) for second in TWISTS if second != first}
    assert sum(edition is not None for edition in homes.values()) >= 35
    for second, edition in homes.items():
        if edition:
            check_pair(edition, first, second)


def test_pairs_are_spread_over_editions_and_numbers_of_players():
    homes = {pair: home(*pair) for pair in permutations(TWISTS, 2) if home(*pair)}
    assert len(homes) == 2 * 699
    shares = Counter(homes.values())
    assert min(shares[edition] for edition in EDITIONS) > len(homes) / 4
    players = Counter(count(edition, *pair) for pair, edition in homes.items())
    assert min(players[number] for number in PLAYERS) > len(homes) / 8


@pytest.mark.soak
@pytest.mark.parametrize("edition", EDITIONS)
def test_every_pair_in_every_edition(edition):
    """Over both orders and three editions a pair meets every number of players."""
    for first, second in permutations(twists_of(edition), 2):
        check_pair(edition, first, second)


def test_a_pair_of_all_editions_meets_every_number_of_players():
    met = {count(edition, *pair) for edition in EDITIONS for pair in ("ab", "ba")}
    assert met == set(PLAYERS)


# --- no twist, one twist, custom twists -------------------------------------------------------------------


@pytest.mark.parametrize("edition", EDITIONS)
def test_no_twists(edition):
    for index in range(20):
        from_the_seed(OFFICIAL, edition, (), index)


@pytest.mark.parametrize("edition", EDITIONS)
def test_each_twist_alone(edition):
    for index, twist in enumerate(twists_of(edition)):
        from_the_seed(OFFICIAL, edition, (twist,), index)


@pytest.mark.parametrize("twist", CUSTOM)
def test_a_custom_twist_alone(twist):
    for index, edition in enumerate(EDITIONS):
        from_the_seed(WITH_CUSTOM, edition, (twist,), index)


@pytest.mark.parametrize("twist", CUSTOM)
def test_a_custom_twist_beside_a_printed_one(twist):
    for index, partner in enumerate(PARTNERS):
        edition = EDITIONS[index % len(EDITIONS)]
        for order, pair in enumerate(permutations((twist, partner))):
            from_the_seed(WITH_CUSTOM, edition, pair, 2 * index + order)


def test_custom_twists_beside_each_other():
    for index, pair in enumerate(combinations(CUSTOM, 2)):
        cell = GAME.compile(WITH_CUSTOM, EDITIONS[index % 3], 2 + index % 5, pair)
        events = kernel().events(cell, SEED, index)
        compare_random(events, prepare(WITH_CUSTOM, EDITIONS[index % 3], pair), cell.players)


@pytest.mark.parametrize("block", range(6))
def test_invented_twists_and_cards(block):
    """Whatever the effect language can say, both engines play alike."""
    for number in range(20 * block, 20 * block + 20):
        catalog = invented_catalog(OFFICIAL, number)
        edition, players = EDITIONS[number % 3], 2 + number % 5
        for twists in (NAMES, NAMES[::-1], NAMES[:1]):
            cell = GAME.compile(catalog, edition, players, twists)
            events = kernel().events(cell, SEED, number)
            compare_random(events, prepare(catalog, edition, twists), players)


def test_a_line_for_several_players_counts_as_it_begins(overlay):
    """Section 3: a "per" amount is counted once, when the line starts."""
    lines = '[{ when = "build", who = "others", do = "+1 minion per board-crowd on research" }]'
    twist = f'[[twist]]\nid = "crowd"\nname = "Crowd"\neditions = ["ascora-2011"]\nlines = {lines}'
    catalog = load_catalog([overlay(twist)])
    cell = GAME.compile(catalog, "ascora-2011", 3, ["crowd"])
    for index in range(10):
        compare_random(kernel().events(cell, SEED, index), prepare(catalog, "ascora-2011", ["crowd"]), 3)


def test_the_quick_log_is_the_log_of_replay():
    cell = GAME.compile(OFFICIAL, "magellan-2014", 5, ("unions", "academics"))
    assert kernel().events(cell, 7, 123) == GAME.replay(cell, 7, 123, ["random"] * 5)


# --- the comparison can fail ------------------------------------------------------------------------------

UNIONS, GEEKS = ("unions", "mad-broker"), ("geeks", "unions")
PRICES = (
    '[[edition]]\nid = "ascora-2011"\nset = { price_invent = 2, price_research = %d, price_work = 1, %s }'
)
MUTATIONS = {
    "a parameter": (UNIONS, PRICES % (1, "work_money = 5")),
    "a price": (UNIONS, PRICES % (0, "work_money = 4")),
    "the deck": (GEEKS, '[[edition]]\nid = "ascora-2011"\ndeck = "reshuffle"'),
    "a card": (UNIONS, '[[invention]]\nid = 1\nself = ["+1 card"]'),
    "a cost": (UNIONS, "[[invention]]\nid = 64\ncost = 0"),
    "a twist's line": (
        GEEKS,
        '[[twist]]\nid = "unions"\nlines = [{ when = "build", do = "-1 minion" }]',
    ),
    "the order of two lines": (
        UNIONS,
        (
            '[[twist]]\nid = "mad-broker"\nlines = [{ when = "before income", do = "+1 minion on played" },'
            ' { when = "before income", do = "-all minion off played" }]'
        ),
    ),
}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_rule_changed_on_one_side_is_seen_by_both_comparisons(mutation, overlay):
    twists, change = MUTATIONS[mutation]
    mutated = load_catalog([overlay(change)])
    cell = GAME.compile(OFFICIAL, "ascora-2011", 6, twists)
    seen = {"driven by the log": 0, "from the seed": 0}
    for index in range(20):
        events = kernel().events(cell, SEED, index)
        check(OFFICIAL, events)
        try:
            check(mutated, events)
        except (LogMismatchError, ValueError):
            seen["driven by the log"] += 1
        try:
            compare_random(events, prepare(mutated, "ascora-2011", twists), 6)
        except LogMismatchError:
            seen["from the seed"] += 1
    assert min(seen.values()) > 0, seen

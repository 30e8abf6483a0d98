"""Fair costs: the search by hand, planted cards found, the same whatever the threads, and the whole deck."""

import itertools
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from balance import games
from balance.errors import UsageError
from balance.experiments import price as pricing
from balance.experiments.dealing import Deals
from balance.experiments.price import Priced, price
from balance.experiments.price_search import Price, search
from balance.experiments.side_by_side import FRESH_SEED
from balance.measure.items import Item
from balance.stats.corrections import benjamini_yekutieli
from balance.stats.intervals import Interval
from balance.stats.ratio import Ratio
from tests.games import dealt

PLANTED = Path(__file__).parents[1] / "data" / "planted_cards.toml"


def falling(start, slope=0.1, reach=0.2):
    """A value that falls with the cost along a line."""
    return lambda cost: Interval(*(start - slope * cost + off for off in (0.0, -reach, reach)))


@pytest.fixture
def dealing():
    with games.registered(dealt.GAME):
        yield


# --- the search


def test_the_price_is_where_the_value_crosses_0_and_its_interval_where_its_ends_do():
    found, played = search(falling(0.55), 3, 30)
    assert found.value == pytest.approx(5.5)
    assert (found.low, found.high) == (pytest.approx(3.5), pytest.approx(7.5))
    assert found.whole == 6
    assert {5, 6} <= set(played)  # neighbours enclose it
    assert found.told() == "5.5 (3.5 to 7.5)"


@pytest.mark.parametrize("start", [0, 5, 8, 9, 17, 30])
def test_wherever_the_search_begins_it_ends_at_the_same_price(start):
    found, played = search(falling(0.83), start, 30)
    assert found.value == pytest.approx(8.3)
    assert len(played) <= 14


def test_no_cost_is_played_twice():
    asked = []

    def at(cost):
        asked.append(cost)
        return falling(0.5)(cost)

    search(at, 4, 30)
    assert asked[0] == 4
    assert len(asked) == len(set(asked))


def test_an_item_worth_too_little_even_for_nothing_is_said_so():
    found, _ = search(falling(-0.5), 8, 30)
    assert (found.value, found.nowhere, found.whole) == (-math.inf, True, 0)
    assert found.told() == "below 0"
    assert found.excludes(0)


def test_an_item_that_may_be_an_average_one_for_nothing_has_an_upper_end():
    found, _ = search(falling(-0.05), 0, 30)
    assert (found.value, found.nowhere, found.low) == (-math.inf, False, -math.inf)
    assert found.high == pytest.approx(1.5)
    assert found.told() == "below 0 (at most 1.5)"
    assert not found.excludes(1)
    assert found.excludes(2)


def test_an_item_worth_too_much_at_any_cost_is_said_so():
    found, _ = search(falling(9.0), 0, 30)
    assert (found.value, found.nowhere, found.whole) == (math.inf, True, 30)
    assert found.told() == "above 30"
    near, _ = search(falling(3.05), 3, 30)
    assert near.told() == "above 30 (at least 28.5)"
    unknown, _ = search(lambda _: Interval(0.1, -0.5, 0.5), 3, 30)
    assert unknown.told() == "above 30 (any cost is possible)"


def test_where_cost_hardly_matters_an_end_is_open():
    flat = falling(0.01, slope=0.001, reach=0.1)
    assert search(flat, 9, 30)[0] == Price(pytest.approx(10), -math.inf, math.inf, 30)
    assert search(flat, 9, 30)[0].told() == "10.0 (below 0 to above 30)"
    assert not search(flat, 9, 30)[0].excludes(30)


def test_a_value_that_goes_up_and_down_by_chance_still_gives_a_price():
    noise = itertools.cycle([0.03, -0.03, 0.01, -0.02])
    bumps = [next(noise) for _ in range(31)]
    bumpy = {c: Interval(*(end + bumps[c] for end in falling(0.7)(c))) for c in range(31)}
    found, played = search(bumpy.__getitem__, 20, 30)
    assert found.value == pytest.approx(7, abs=0.5)
    low, high = math.floor(found.value), math.floor(found.value) + 1
    assert played[low].value > 0 >= played[high].value


def test_the_interval_of_a_price_covers_it_95_times_in_100():
    """Wins are drawn with the chance that a value gives, on the same deals at every cost."""
    rng = np.random.default_rng(11)
    truth, hits, searches = 7.3, 0, 600
    for _ in range(searches):
        luck = rng.random(500)

        def at(cost, luck=luck):
            won = luck < (1 + 0.08 * (truth - cost)) / 4
            return pricing._value(Ratio.of(4 * won.astype(np.int64), 1, 4))

        found, _ = search(at, 9, 30)
        hits += not found.excludes(truth)
    assert 0.93 <= hits / searches <= 0.975


# --- games


def test_a_charm_that_is_dealt_has_a_price_and_the_proposal_is_an_overlay(dealing, tmp_path, monkeypatch):
    """A Purse that is a gift of 9 points costs too little; who saves up for a Crown has paid too much."""
    gift = tmp_path / "gift.toml"
    gift.write_text("[[charm]]\nid = 2\ncost = 0\npoints = 9\n")
    found = price(game="dealt", players=2, deals=400, catalog=[str(gift)], jobs=1)
    assert [context.name for context in found.contexts] == ["no mood", "3 moods"]
    prices = {one.item.name: one for one in found.contexts[0].priced}
    assert prices["Crown"].price.value < 6
    assert prices["Purse"].price.low > 0
    for one in prices.values():
        costs = [cost for cost, _ in one.played]
        assert costs == sorted(costs)
        assert one.item.cost in costs
        assert set(costs) <= set(range(21))  # the highest cost that the game knows
        assert one.price.top == 20
        assert (one.value.value > 0) == (one.price.value > one.item.cost)
    total = sum(one.value.value * one.seats for one in prices.values())
    assert total == pytest.approx(0)  # compared with the average
    assert found.proposal[2] > 0
    file = tmp_path / "fair.toml"
    file.write_text(found.overlay)
    costs = {charm.id: charm.cost for charm in dealt.GAME.load_catalog([gift, file]).charms}
    assert {item: costs[item] for item in found.proposal} == found.proposal
    assert all(one.nearer for context in found.contexts for one in context.fresh)
    played = []
    whole = Deals.dealt
    monkeypatch.setattr(
        Deals, "dealt", lambda deals, *rest: played.append((deals.seed, len(rest))) or whole(deals, *rest)
    )
    again = price(game="dealt", players=2, deals=400, catalog=[str(gift)], jobs=3)
    assert (again.contexts, again.overlay) == (found.contexts, found.overlay)
    every = [seed for seed, given in played if given == 2]  # not a single item on its own deals
    assert every == [0, 0, *[FRESH_SEED] * 4]  # the proposal is tried on games that found nothing


@pytest.fixture(scope="module")
def planted():
    return price(["Free Lunch", "Paperweight"], catalog=[PLANTED], deals=1500)


def test_planted_cards_get_the_prices_that_they_deserve(planted):
    """8 points for nothing are worth what 8 points cost elsewhere, 22 or 24; nothing is worth less than 0."""
    for context in planted.contexts:
        lunch, weight = context.priced
        assert (lunch.item.name, weight.item.name) == ("Free Lunch", "Paperweight")
        assert lunch.off
        assert lunch.price.low > 15  # where few games leave it open how far above, they say so
        assert weight.value.value < 0
    alone = planted.contexts[0].priced[1]
    assert alone.price.low == -math.inf  # no cost is low enough; few games leave open how far
    assert planted.proposal[1001] > 15
    assert "id = 1001" in planted.overlay


def test_what_is_proposed_is_measured_again_on_fresh_deals(planted):
    for context in planted.contexts:
        (lunch,) = [one for one in context.fresh if one.item.id == 1001]
        assert lunch.proposed == planted.proposal[1001]
        assert lunch.before.low > 0.2
        assert lunch.nearer
        assert lunch.after.low < 0.2 < lunch.before.value
        assert lunch.before != context.priced[0].value  # other deals than those that found it
    assert "clearly off after correcting for 4 tests" in " ".join(planted.sentences())
    assert " proposed cost" in planted.sentences()[-1]


def test_one_correction_holds_for_all_contexts(planted):
    p = [one.p for context in planted.contexts for one in context.priced]
    adjusted = [one.adjusted for context in planted.contexts for one in context.priced]
    assert adjusted == benjamini_yekutieli(p)
    assert len(p) == 4


@pytest.mark.parametrize(
    ("found", "adjusted", "said"),
    [
        ((10.9, 10.2, 12.0), 0.2, "not too cheap; if anything dear, 10.9 (10.2 to 12.0)"),
        ((10.9, 10.2, 12.0), 0.01, "too dear, 10.9 (10.2 to 12.0)"),
        ((15.0, 14.0, 16.0), 0.01, "too cheap, 15.0 (14.0 to 16.0)"),
        ((15.0, 14.0, 16.0), 0.2, "not too dear; if anything cheap, 15.0 (14.0 to 16.0)"),
        ((14.0, 12.0, 16.0), 0.01, "neither clearly cheap nor clearly dear, 14.0 (12.0 to 16.0)"),
    ],
)
def test_a_price_in_a_sentence(found, adjusted, said):
    value = Interval(-0.1, -0.2, 0.0)
    one = Priced(Item(46, "Moon Base", 13), 400, value, 0.01, adjusted, Price(*found, 30), ())
    assert one.sentence() == f"Moon Base: {said} against 13 printed."
    gone = replace(one, adjusted=0.0, price=Price(-math.inf, -math.inf, -math.inf, 30))
    assert gone.sentence() == "Moon Base: too dear, below 0 against 13 printed."


def test_a_few_items_are_answered_one_by_one_first(planted):
    lunch, weight = (one.sentence() for one in planted.contexts[-1].priced)
    assert lunch.startswith("Free Lunch: too cheap, ")
    assert weight.endswith(" against 8 printed.")
    assert planted.sentences()[0] == f"{lunch} {weight}"
    assert planted.sentences()[1].startswith("Of 2 inventions, ")


def test_off_by_2_or_more_is_of_the_whole_interval():
    assert Price(6.0, 5.0, 7.0, 30).off_by(3, 2)
    assert not Price(6.0, 4.9, 7.0, 30).off_by(3, 2)  # by the estimate it is off by 3
    assert Price(6.0, 5.0, 7.0, 30).off_by(9, 2)
    assert not Price(6.0, -math.inf, math.inf, 30).off_by(30, 2)
    assert Price(-math.inf, -math.inf, -math.inf, 30).off_by(2, 2)
    assert not Price(-math.inf, -math.inf, -math.inf, 30).off_by(1, 2)
    assert Price(math.inf, math.inf, math.inf, 30).off_by(28, 2)
    assert not Price(math.inf, math.inf, math.inf, 30).off_by(29, 2)
    assert Price(-math.inf, -math.inf, 2.0, 30).off_by(4, 2)


@pytest.mark.parametrize(
    ("size", "said"),
    [(0, "no twist"), (1, "2 twists"), (2, "2 pairs of twists"), (3, "2 combinations of 3 twists")],
)
def test_a_context_is_named_by_how_many_variants_are_in_force(size, said):
    drawn = [tuple("abc"[:size]), tuple("bcd"[:size])]
    assert pricing._name(games.get("nefarious").facts, drawn) == said


def test_what_cannot_be_priced_is_refused():
    with pytest.raises(UsageError, match="did you mean"):
        price(["Moon Bass"])
    with pytest.raises(UsageError, match="'unions' is not one of the inventions"):
        price(["unions"])
    with pytest.raises(UsageError, match="at least 200"):
        price(deals=199)
    from tests.games.tiny import GAME

    with (
        games.registered(GAME),
        pytest.raises(UsageError, match="Tiny race deals no charms before the first decision"),
    ):
        price(game="tiny", players=2, deals=200)

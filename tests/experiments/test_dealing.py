"""Deals in memory: every rotation counted once, whatever the threads; seats that were dealt an item."""

import itertools
from collections import Counter

import numpy as np
import pytest

from balance import games
from balance.experiments import dealing
from balance.experiments.dealing import Deals, play_deals
from balance.experiments.side_by_side import Trials
from balance.games.lineup import parse_lineup
from balance.measure.items import items_of
from tests.games import dealt
from tests.games.tiny import Tiny

TINY = Tiny()
CELLS = tuple(TINY.compile(TINY.load_catalog(), "classic", 3, moods) for moods in [(), ("windy",)])
ONE = parse_lineup("thrifty,random,random", 3, TINY)
FIELD = parse_lineup("field", 3, TINY)
POLICIES = [TINY.policy_number(name) for name in ("random", "thrifty")]


def tasks(lineup, deals=15):
    return [(cell, lineup, range(place * deals, (place + 1) * deals)) for place, cell in enumerate(CELLS)]


def counted(lineup, jobs=1, seed=5):
    """Score and seats of both policies, by deal."""
    found = [
        (batch.deals, *batch.by_deal(batch.seated[:, :, None] == np.array(POLICIES)))
        for batch in play_deals(TINY, tasks(lineup), seed, jobs)
    ]
    return [np.concatenate(parts).tolist() for parts in zip(*found, strict=True)]


def by_replays(lineup, seed=5):
    """The same counts, from the event logs of single games."""
    score, seats = Counter(), Counter()
    for cell, _, deals in tasks(lineup):
        for index in deals:
            for replicate in range(lineup.rotations):
                names = lineup.names(seed, index, replicate)
                end = TINY.replay(cell, seed, index, names, replicate)[-1]
                for seat, name in enumerate(names):
                    score[index, name] += 1 if end["winner"] is None else 3 * (end["winner"] == seat)
                    seats[index, name] += 1
    names = ("random", "thrifty")
    both = [[[one[index, name] for name in names] for index in range(30)] for one in (score, seats)]
    return [list(range(30)), *both]


@pytest.mark.parametrize("lineup", [ONE, FIELD], ids=["one", "field"])
def test_counts_are_those_of_the_single_games(lineup):
    assert counted(lineup) == by_replays(lineup)


def test_threads_and_batches_change_nothing(monkeypatch):
    once = counted(ONE)
    assert counted(ONE, jobs=3) == once
    monkeypatch.setattr(dealing, "AT_ONCE", 4)
    assert counted(ONE, jobs=2) == once
    assert counted(ONE, seed=6) != once


def test_an_error_ends_it_at_once():
    class Broken(Tiny):
        played = 0

        def play(self, cell, seed, indices, *rest):
            Broken.played += 1
            if 17 in indices:
                raise ZeroDivisionError("deal 17")
            return super().play(cell, seed, indices, *rest)

    with pytest.raises(ZeroDivisionError, match="deal 17"):
        list(play_deals(Broken(), tasks(ONE, 100_000), 5, jobs=2))
    assert Broken.played < 20


def test_stalled_games_are_nobodys_wins_but_everybodys_share(tmp_path):
    far = tmp_path / "far.toml"
    far.write_text('[[mood]]\nid = "windy"\nrun_change = -3\n[[edition]]\nid = "classic"\ngoal = 99\n')
    cell = TINY.compile(TINY.load_catalog([far]), "classic", 2, ["windy"])
    (batch,) = play_deals(TINY, [(cell, parse_lineup("random,thrifty", 2, TINY), range(4))], 1)
    score, seats = batch.by_deal(batch.seated[:, :, None] == np.array(POLICIES))
    assert batch.winners.tolist() == [-1] * 8
    assert (score.sum(axis=0).tolist(), seats.sum(axis=0).tolist()) == ([8, 8], [8, 8])


def test_seats_that_were_dealt_an_item_by_the_opening_hands_of_replays():
    game, catalog = games.get("nefarious"), games.get("nefarious").load_catalog()
    pairs, names = (("unions", "geeks"), ()), ("random", "greedy", "random")
    deals = Deals(game, "ascora-2011", parse_lineup("random,greedy,random", 3, game), pairs, 3, 10, jobs=2)
    ids = [item.id for item in items_of(game, catalog)]
    found = deals.dealt(catalog, range(len(ids)))
    score, seats = np.zeros((10, len(ids)), int), np.zeros((10, len(ids)), int)
    for index, turn in itertools.product(range(10), range(3)):
        cell = game.compile(catalog, "ascora-2011", 3, pairs[index % 2])
        events = game.replay(cell, 3, index, [*names[turn:], *names[:turn]], turn)
        winner = events[-1]["winner"]
        for event in events:
            for card in event["cards"] if event["event"] == "deal" else ():
                seats[index, ids.index(card)] += 1
                score[index, ids.index(card)] += 1 if winner is None else 3 * (winner == event["seat"])
    assert (found.score.tolist(), found.seats.tolist()) == (score.tolist(), seats.tolist())
    assert deals.games == 30
    points = found.points(ids.index(24))
    assert (points.num, points.den) == (score[:, ids.index(24)].sum(), seats[:, ids.index(24)].sum())
    some = deals.dealt(catalog, [ids.index(24)], np.array([2, 7]))
    assert some.seats[[2, 7], 0].tolist() == seats[[2, 7], ids.index(24)].tolist()
    assert some.seats.sum() == some.seats[[2, 7], 0].sum()


def test_seats_in_memory_are_those_of_the_view_on_items_of_a_run(tmp_path):
    """One definition of what an item is worth: `item_deals`, from which reports read."""
    with games.registered(dealt.GAME) as game:
        catalog = game.load_catalog()
        items = items_of(game, catalog)
        run = Trials(game, "classic", ("mirror:thrifty",), tmp_path).play(catalog, [()], {2: 60}, 9)
        rows = run.sql("select deal, item, opening_points, opening from item_deals where opening > 0")
    lineup = parse_lineup("mirror:thrifty", 2, dealt.GAME)
    found = Deals(dealt.GAME, "classic", lineup, ((),), 9, 60).dealt(catalog, range(len(items)))
    assert set(rows.rows()) == {
        (deal, items[place].id, found.score[deal, place], found.seats[deal, place])
        for deal, place in zip(*found.seats.nonzero(), strict=True)
    }

"""Plans: which cells, how many games, how sure; the same however the options are ordered."""

import math

import pytest

import balance
from balance import games
from balance.dataset import shards
from balance.dataset.plan import differences, parse_plan
from balance.errors import DataError, UsageError
from balance.sweep import planning, simulation
from tests.games.tiny import GAME


def plan(**options):
    return simulation.prepare(out="no-such-folder", **options).plan


def mirror(**options):
    """Return the plan of a run with one lineup."""
    return plan(lineups="mirror:random", **options)


def test_by_default_all_pairs_singles_and_the_baseline_at_every_player_count():
    made = plan()
    facts = games.get().facts
    assert len(made.cells) == (630 + 36 + 1) * 5 * len(facts.default_sweep_lineups or [facts.default_lineup])
    assert max(cell.deals for cell in made.cells) == 500
    some = made.cells[0].lineup
    sizes = [len(cell.variants) for cell in made.cells if (cell.players, cell.lineup) == (4, some)]
    assert (sizes.count(0), sizes.count(1), sizes.count(2)) == (1, 36, 630)
    assert {cell.players for cell in made.cells} == {2, 3, 4, 5, 6}
    assert made.seed == 0


def test_the_default_sweep_is_the_games_own():
    assert {(c.lineup, c.deals) for c in plan(game="tiny").cells} == {("mirror:random", 500), ("field", 500)}
    made = plan(players=4, variants="none", games_per_cell=1000).cells
    assert {cell.lineup: (cell.deals, cell.replicates) for cell in made} == {
        "mirror:learned": (1000, 1),
        "one:learned,casual": (40, 4),  # one game for each seat of the one
        "one:field+skilled+casual,learned": (80, 4),
        "drawn:learned,skilled,casual": (100, 2),
    }
    assert sum(cell.games for cell in made) < 2 * 1000, "most games are those of the default player"
    named = plan(players=4, variants="none", games_per_cell=1000, lineups="drawn:learned,skilled,casual")
    assert [(cell.deals, cell.replicates) for cell in named.cells] == [(1000, 2)]


def test_a_default_sweep_is_extended_in_its_proportions(tmp_path):
    options = {"players": 2, "variants": "none", "games_per_cell": 25}
    balance.simulate(tmp_path / "run", **options)
    more = simulation.prepare_extension(tmp_path / "run", tmp_path / "more", games_per_cell=50).plan
    found = {cell.lineup: (cell.first, cell.deals, cell.replicates) for cell in more.cells}
    assert found["mirror:learned"] == (25, 50, 1)
    assert found["one:learned,casual"] == (1, 2, 2)
    assert found["drawn:learned,skilled,casual"] == (3, 6, 2)


def test_ids_follow_players_then_twists():
    keys = [(cell.players, cell.variants, cell.lineup) for cell in plan().cells]
    assert keys == sorted(keys)
    assert [cell.id for cell in plan().cells] == list(range(len(keys)))


def test_a_word_for_some_variants_means_their_combinations():
    made = mirror(players=2, variants="all:unions,Perpetual Motion,geeks", games_per_cell=1)
    assert [cell.variants for cell in made.cells] == [
        (),
        ("geeks",),
        ("geeks", "perpetual-motion"),
        ("geeks", "unions"),
        ("perpetual-motion",),
        ("perpetual-motion", "unions"),
        ("unions",),
    ]
    assert len(mirror(players=2, variants="pairs:unions,geeks,grants", games_per_cell=1).cells) == 3
    with pytest.raises(UsageError, match="unknown twist 'unoins'"):
        mirror(players=2, variants="all:unoins,geeks")


def test_the_order_of_options_does_not_matter():
    one = plan(players="2-4", variants=["unions,parallel-universe", "none"], games_per_cell=7)
    two = plan(players=[4, "2,3"], variants=["none", "parallel-universe,unions", "none"], games_per_cell=7)
    assert one == two
    assert one.id == two.id


def test_names_are_as_good_as_ids():
    named = plan(players=2, variants=["Blood, Sweat & Mice", "Unions, Parallel Universe"])
    assert {cell.variants for cell in named.cells} == {
        ("parallel-universe", "unions"),
        ("blood-sweat-and-mice",),
    }


def test_a_plan_says_everything_and_is_read_back():
    made = plan(players=3, variants="singles", seed=9)
    assert parse_plan(made.text(), "run.json") == made
    assert len(made.catalog_hash) == len(made.engine_hash) == 64
    assert set(made.versions) == {"balance", "measures", "numpy", "numba", "polars"}


def test_nothing_in_the_plan_depends_on_the_moment_or_the_place(tmp_path, monkeypatch):
    before = plan(players=2, variants="none").text()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POLARS_MAX_THREADS", "1")
    assert plan(players=2, variants="none").text() == before
    assert str(tmp_path) not in before


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"seed": 1}, ["seed: 0 there, 1 here"]),
        ({"games_per_cell": 9}, ["games per cell: 500 there, 9 here"]),
        ({"players": 3}, ["players: 2 there, 3 here"]),
        ({"variants": "unions"}, ["cells: 2 players, plain, mirror:random there, 2 players, unions"]),
        ({"replicates": 2}, ["replicates: 1 there, 2 here"]),
        ({"edition": "magellan-2014"}, ["edition: ascora-2011 there, magellan-2014 here"]),
    ],
)
def test_differences_are_told_in_words(options, told):
    base = {"players": 2, "variants": "none"}
    found = differences(mirror(**base), mirror(**base | options))
    assert [line[: len(start)] for line, start in zip(found, told, strict=True)] == told


# --- how sure


@pytest.mark.parametrize("players", range(2, 7))
def test_precision_is_the_half_width_of_a_seats_share(players):
    deals = planning.deals_for(0.01, players)
    share = 1 / players
    assert deals == math.ceil(1.96**2 * share * (1 - share) / 0.01**2) or abs(deals - 9604) <= 1


def test_precision_decides_the_games_of_each_player_count():
    made = mirror(precision="2pp", variants="none")
    assert {cell.players: cell.deals for cell in made.cells} == {
        players: planning.deals_for(0.02, players) for players in range(2, 7)
    }


# --- what is refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": "7"}, "players 7: Nefarious is for 2 to 6 players"),
        ({"players": "two"}, "players two: expected a number or a range such as 2-6"),
        ({"variants": "unons"}, "unknown twist 'unons'; did you mean 'Unions' or 'unions'"),
        ({"variants": "unions,unions"}, "'unions' is given twice"),
        ({"variants": "unions,geeks,parallel-universe"}, "at most 2"),
        ({"game": "tiny", "variants": "pairs"}, "Tiny race has at most 1 moods at once"),
        ({"lineups": "mirror:randon"}, "unknown policy 'randon'"),
        ({"lineups": "random,random,random"}, "seats 3, but 2 play"),
        ({"games_per_cell": 0}, "games_per_cell 0"),
        ({"games_per_cell": 2**33}, "has no game index left"),
        ({"games_per_cell": 5, "precision": "1pp"}, "games_per_cell and precision contradict"),
        ({"precision": "1%"}, "precision 1%: expected percentage points such as 1pp"),
        ({"precision": "0pp"}, "precision 0pp"),
        ({"replicates": 0}, "replicates 0"),
        ({"replicates": 1001, "lineups": "mirror:random"}, "plays each deal 1001 times; at most 1000"),
        ({"seed": -1}, "seed -1 is out of range"),
        ({"edition": "ascora-2012"}, "unknown edition 'ascora-2012'"),
        ({"game": "chess"}, "unknown game 'chess'"),
    ],
)
def test_what_cannot_be_planned(options, message):
    with pytest.raises(UsageError, match=message.replace("(", r"\(")):
        plan(**options)


@pytest.mark.parametrize("text", ["", "{}", "[]", "nonsense", '{"schema": 1}', '{"schema": 1, "cells": 3}'])
def test_a_file_that_is_no_plan(text):
    with pytest.raises(DataError, match=r"run\.json is damaged"):
        parse_plan(text, "run.json")


def test_a_plan_of_another_schema_is_refused_by_name():
    text = plan(players=2, variants="none").text().replace('"schema": 1', '"schema": 99')
    with pytest.raises(DataError, match="is of schema version 99; this version of balance knows 1"):
        parse_plan(text, "run.json")


# --- shards


def cut(**options):
    made = mirror(**options)
    return made, shards.cut(made.cells)


def test_the_full_sweep_is_less_than_500_files_of_bounded_size():
    made, found = cut(games_per_cell=3600)  # as many games as both lineups with 1,800 each
    assert made.games > 12_000_000
    assert len(found) * len(games.get().facts.tables) + 12 <= 500
    assert max(shard.games * shard.players for shard in found) < shards.MOST_SEATS * 1.3


def test_every_game_is_in_one_shard():
    made, found = cut(variants="singles", games_per_cell=1234, replicates=3)
    played = {}
    for shard in found:
        assert {piece.players for piece in shard.pieces} == {shard.players}
        for piece in shard.pieces:
            assert played.setdefault(piece.id, 0) == piece.first
            played[piece.id] += piece.deals
    assert played == {cell.id: 1234 for cell in made.cells}
    assert [shard.number for shard in found] == list(range(made.shards))


def test_one_large_cell_is_cut_between_deals():
    _, found = cut(players=4, variants="none", games_per_cell=2_000_000)
    assert len(found) > 15
    assert sum(shard.games for shard in found) == 2_000_000
    assert max(shard.games * 4 for shard in found) < shards.MOST_SEATS * 1.3


def test_the_tiny_game_is_planned_too():
    assert {cell.variants for cell in plan(game="tiny").cells} == {
        (),
        ("windy",),
        ("festive",),
        ("feverish",),
    }
    assert GAME.facts.variants_at_once == 1

"""Matches: every rotation of every deal counted once, whatever the threads and batches."""

from collections import Counter

import pytest

from balance import games
from balance.experiments import arena
from balance.experiments.arena import Match, play_matches
from balance.games.lineup import parse_lineup
from tests.games.tiny import Tiny

TINY = Tiny()
CATALOG = TINY.load_catalog()
CELLS = tuple(TINY.compile(CATALOG, "classic", 3, moods) for moods in [(), ("windy",)])
ONE = parse_lineup("thrifty,random,random", 3, TINY)
FIELD = parse_lineup("field", 3, TINY)
MATCHES = [Match(ONE, CELLS, 15), Match(FIELD, CELLS, 20)]


def by_replays(match, seed):
    """The same counts, from the event logs of single games."""
    score, seats = {}, {}
    for place, cell in enumerate(match.cells):
        for index in range(place * match.deals, (place + 1) * match.deals):
            for replicate in range(match.lineup.rotations):
                names = match.lineup.names(seed, index, replicate)
                end = TINY.replay(cell, seed, index, names, replicate)[-1]
                for seat, name in enumerate(names):
                    won = 1 if end["winner"] is None else 3 * (end["winner"] == seat)
                    score.setdefault(name, Counter())[index] += won
                    seats.setdefault(name, Counter())[index] += 1
    return score, seats


@pytest.mark.parametrize("match", MATCHES, ids=["one", "field"])
def test_counts_are_those_of_the_single_games(match):
    (outcome,) = play_matches(TINY, [match], 5)
    score, seats = by_replays(match, 5)
    assert outcome.games == match.games == len(match.cells) * match.deals * match.lineup.rotations
    for name in ("random", "thrifty"):
        points = outcome.win_points(name)
        assert (points.num, points.den) == (sum(score[name].values()), sum(seats[name].values()))
        assert points.num2 == sum(won**2 for won in score[name].values())
        assert points.numden == sum(score[name][deal] * n for deal, n in seats[name].items())
        assert points.deals == len(seats[name])


def test_threads_and_batches_change_nothing(monkeypatch):
    once = play_matches(TINY, MATCHES, 5, jobs=1)
    assert play_matches(TINY, MATCHES, 5, jobs=3) == once
    for limit in ("MOST_AT_ONCE", "SECONDS_AT_ONCE"):
        monkeypatch.setattr(arena, limit, 4)
        assert play_matches(TINY, MATCHES, 5, jobs=2) == once
    assert play_matches(TINY, MATCHES, 6) != once


def test_the_games_are_told_as_they_are_played():
    told = []
    play_matches(TINY, MATCHES, 5, jobs=2, advance=told.append)
    assert sum(told) == sum(match.games for match in MATCHES) == 2 * 15 * 3 + 2 * 20


def test_an_error_ends_the_match_at_once():
    class Broken(Tiny):
        played = 0

        def play(self, cell, seed, indices, *rest):
            Broken.played += 1
            if 17 in indices:
                raise ZeroDivisionError("deal 17")
            return super().play(cell, seed, indices, *rest)

    with pytest.raises(ZeroDivisionError, match="deal 17"):
        play_matches(Broken(), [Match(ONE, CELLS, 100_000)], 5, jobs=2)
    assert Broken.played < 1000


def test_stalled_games_are_nobodys_wins_but_everybodys_share(tmp_path):
    far = tmp_path / "far.toml"
    far.write_text('[[mood]]\nid = "windy"\nrun_change = -3\n[[edition]]\nid = "classic"\ngoal = 99\n')
    cell = TINY.compile(TINY.load_catalog([far]), "classic", 2, ["windy"])
    (outcome,) = play_matches(TINY, [Match(parse_lineup("random,thrifty", 2, TINY), (cell,), 4)], 1)
    assert (outcome.games, outcome.stalled) == (8, 8)
    assert outcome.win_points("random").num == 8


def test_nefarious_meets_too():
    game = games.get("nefarious")
    cells = tuple(game.compile(game.load_catalog(), "ascora-2011", 4, twists) for twists in [(), ("unions",)])
    lineup = parse_lineup("mirror:random", 4, game)
    (outcome,) = play_matches(game, [Match(lineup, cells, 50)], 3, jobs=2)
    points = outcome.win_points("random")
    assert (outcome.games, points.deals, points.den) == (100, 100, 400)
    assert points.num == 4 * 100  # somebody wins, or everybody a quarter

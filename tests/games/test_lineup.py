"""Lineups: what users may write, who sits where in which replicate, and draws that never change."""

import numpy as np
import pytest

from balance import games
from balance.errors import UsageError
from balance.games.contract import Facts
from balance.games.lineup import check_seated, drawn_lineup, parse_lineup
from tests.games.tiny import FACTS, Tiny

TINY = Tiny()
RANDOM, THRIFTY = 0, 1


def test_a_mirror_seats_one_policy_everywhere_in_one_game_per_deal():
    lineup = parse_lineup(" mirror: thrifty ", 3, TINY)
    assert (lineup.text, lineup.rotations) == ("mirror:thrifty", 1)
    assert lineup.seated(9, [0, 5], [0, 1]).tolist() == [[THRIFTY] * 3] * 2
    assert lineup.seated(9, [0]).dtype == np.int64


def test_a_list_rotates_with_the_replicate_so_that_each_sits_everywhere():
    lineup = parse_lineup("thrifty, random ,random", 3, TINY)
    assert (lineup.text, lineup.rotations) == ("thrifty,random,random", 3)
    seated = lineup.seated(9, [4, 4, 4, 4], [0, 1, 2, 3])
    assert seated.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert lineup.names(9, 4, 1) == ("random", "random", "thrifty")


def test_one_of_the_field_among_others_changes_from_deal_to_deal():
    nefarious = games.get()
    lineup = parse_lineup("one:field, learned", 4, nefarious)
    assert (lineup.text, lineup.rotations, lineup.mixed) == ("one:field,learned", 4, True)
    learned = nefarious.policy_number("learned")
    seated = lineup.seated(9, np.repeat(np.arange(200), 4), np.tile(np.arange(4), 200)).reshape(200, 4, 4)
    guests = []
    for deal in seated:
        own = deal[deal != learned]
        assert own.size == 4, "the same guest at every seat in turn"
        assert len(set(own.tolist())) == 1
        assert sorted(np.argwhere(deal != learned)[:, 1].tolist()) == [0, 1, 2, 3]
        guests.append(nefarious.policy_name(int(own[0])))
    field = list(nefarious.facts.field)
    assert guests == (field * 200)[:200], "in turns, so that each is met equally often"
    assert lineup.names(9, 3, 1).count("learned") == 3


def test_one_of_several_policies_among_others():
    lineup = parse_lineup("one:thrifty + random,thrifty", 3, TINY)
    assert (lineup.text, lineup.guests) == ("one:thrifty+random,thrifty", 2)
    drawn = {lineup.names(9, k)[0] for k in range(50)}
    assert drawn == {"thrifty", "random"}
    nefarious = games.get()
    both = parse_lineup("one:field+skilled+casual,learned", 4, nefarious)
    guests = both.policies[: both.guests]
    assert guests == (*nefarious.facts.field, "skilled", "casual")
    with pytest.raises(UsageError, match="unknown policy"):
        parse_lineup("one:thrifty+nobody,random", 3, TINY)


def test_seats_draw_from_policies_that_are_named():
    lineup = parse_lineup("drawn: thrifty,random", 3, TINY)
    assert (lineup.text, lineup.rotations, lineup.drawn) == ("drawn:thrifty,random", 1, True)
    seated = lineup.seated(9, [4] * 200, range(200))
    assert 0.4 < (seated == THRIFTY).mean() < 0.6
    with pytest.raises(UsageError, match="unknown policy 'genius'"):
        parse_lineup("drawn:genius,random", 3, TINY)


def test_one_among_others_at_any_number_of_players():
    for players in (2, 3):
        lineup = parse_lineup(" one:thrifty, random", players, TINY)
        assert (lineup.text, lineup.rotations, lineup.mixed) == ("one:thrifty,random", players, True)
        listed = parse_lineup(",".join(["thrifty", *["random"] * (players - 1)]), players, TINY)
        again = list(range(players))
        assert (lineup.seated(9, [4] * players, again) == listed.seated(9, [4] * players, again)).all()
    assert parse_lineup("one:random,random", 3, TINY) == parse_lineup("mirror:random", 3, TINY)


@pytest.mark.parametrize("text", ["one:thrifty", "one:thrifty,random,random", "one:"])
def test_one_among_others_needs_two_names(text):
    with pytest.raises(UsageError, match="one:A,B seats one A among B"):
        parse_lineup(text, 3, TINY)


def test_a_list_of_the_same_is_a_mirror():
    assert parse_lineup("random,random", 2, TINY) == parse_lineup("mirror:random", 2, TINY)


def test_the_rotation_depends_on_nothing_but_the_replicate():
    lineup = parse_lineup("random,thrifty", 2, TINY)
    assert lineup.seated(1, range(50), [1] * 50).tolist() == [[1, 0]] * 50
    assert (lineup.seated(2, range(50), 1) == lineup.seated(1, range(50), 1)).all()


def test_in_the_field_every_seat_draws_for_itself():
    lineup = parse_lineup("field", 3, TINY)
    assert (lineup.text, lineup.rotations, lineup.drawn) == ("field", 1, True)
    seated = lineup.seated(7, np.arange(4000))
    for seat in range(3):
        assert abs(seated[:, seat].mean() - 0.5) < 0.03
    both = (seated[:, 0] == seated[:, 1]).mean()
    assert abs(both - 0.5) < 0.03
    again = lineup.seated(7, np.arange(4000), 1)
    assert abs((again == seated).mean() - 0.5) < 0.03


def test_a_draw_does_not_depend_on_the_batch():
    lineup = parse_lineup("field", 3, TINY)
    seated = lineup.seated(7, range(20), [3] * 20)
    assert (lineup.seated(7, range(19, -1, -1), [3] * 20)[::-1] == seated).all()
    assert (lineup.seated(7, [11], [3])[0] == seated[11]).all()
    assert lineup.names(7, 11, 3) == tuple(FACTS.field[number] for number in seated[11])


def test_the_draws_are_these_for_ever():
    """Computed from the page on randomness with plain integers, not with this code."""
    lineup = drawn_lineup(["random", "thrifty", "random"], 2, TINY, "field")
    assert lineup.seated(20261116, range(6), 2).tolist() == [[1, 0], [0, 0], [1, 0], [0, 0], [0, 1], [1, 0]]


def test_what_is_no_lineup():
    for text, message in {
        "mirror:thirfty": "unknown policy 'thirfty'; did you mean 'thrifty'?",
        "mirror": "unknown policy ''",
        "mirror:": "unknown policy ''",
        "": "unknown policy ''",
        "random,,random": "unknown policy ''",
        "fields": "unknown policy 'fields'",
        "random": "the lineup 'random' seats 1, but 2 play",
        "random,random,thrifty": "the lineup 'random,random,thrifty' seats 3, but 2 play",
    }.items():
        with pytest.raises(UsageError) as caught:
            parse_lineup(text, 2, TINY)
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_game_without_a_field_refuses_it():
    class Bare(Tiny):
        facts: Facts = FACTS.__class__(**{f: getattr(FACTS, f) for f in FACTS.__slots__} | {"field": ()})

    with pytest.raises(UsageError, match="Tiny race has no field of policies"):
        parse_lineup("field", 2, Bare())


def test_only_whole_numbers_of_policies_that_exist_are_seated():
    good = np.zeros((2, 3), np.int64)
    check_seated(good, 2, 3, TINY.policy_name)
    for bad in (good[:1], good[:, :2], good[0], good.astype(float), good + 2, good - 1):
        with pytest.raises(UsageError):
            check_seated(bad, 2, 3, TINY.policy_name)


def test_rotations_of_a_deal_differ_in_the_seats_only():
    """The deal is keyed by seed, players and index: all replicates of Nefarious open with the same hands."""
    game = games.get("nefarious")
    cell = game.compile(game.load_catalog(), "ascora-2011", 3)
    lineup = parse_lineup("mirror:random", 3, game)
    columns = game.play(cell, 5, [8] * 3, lineup.seated(5, [8] * 3, range(3)), range(3))["seats"]
    opening = columns["opening_0"].reshape(3, 3)
    assert (opening == opening[0]).all()
    assert len({tuple(row) for row in columns["vp"].reshape(3, 3).tolist()}) > 1

"""The tiny game itself: its rules in a few examples, its laws against logs that lie."""

import copy

import pytest

from balance.errors import CatalogError, UsageError
from tests.games.tiny import GAME, POLICIES, broken_laws, load_catalog

CATALOG = load_catalog()


def race(*moods, edition="classic", players=2, index=0, policies=("thrifty", "thrifty", "thrifty")):
    cell = GAME.compile(CATALOG, edition, players, moods)
    return cell, GAME.replay(cell, 1, index, policies[:players])


def of(events, kind):
    return [event for event in events if event["event"] == kind]


def test_windy_runs_are_a_step_shorter():
    _, plain = race()
    _, windy = race("windy")
    assert of(plain, "run")[0]["steps"] == of(windy, "run")[0]["steps"] + 1


def test_festive_rounds_begin_with_a_coin_for_everybody():
    _, events = race("festive", players=3)
    assert [e["seat"] for e in of(events, "coins") if e["cause"] == "mood:festive"][:3] == [0, 1, 2]


def test_the_dice_are_the_same_under_every_mood():
    rolls = [[e["pips"] for e in of(race(*moods)[1], "roll")][:6] for moods in ((), ("windy",), ("festive",))]
    assert rolls[0] == rolls[1] == rolls[2]


def test_a_race_that_nobody_wins_is_stalled(tmp_path):
    far = tmp_path / "far.toml"
    far.write_text(
        '[[mood]]\nid = "windy"\nrun_change = -3\n[[edition]]\nid = "classic"\ngoal = 99\ncoins = 0\n'
    )
    cell = GAME.compile(load_catalog([far]), "classic", 2, ["windy"])
    end = GAME.replay(cell, 1, 0, ["random", "random"])[-1]
    assert end == {"event": "end", "winner": None, "rounds": 40, "stalled": True}


def test_a_mood_of_another_edition_is_refused():
    with pytest.raises(UsageError, match="'feverish' is not in edition brisk"):
        GAME.compile(CATALOG, "brisk", 2, ["feverish"])


def test_mistakes_in_an_overlay_are_all_told(tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_text(
        '[[charm]]\nid = 7\nname = "Hat"\ncost = "much"\n[[mood]]\nid = "odd"\neditions = ["huge"]\n'
    )
    with pytest.raises(CatalogError) as caught:
        load_catalog([bad])
    assert [(p.entry, p.field) for p in caught.value.problems] == [
        ("mood 'odd'", "name"),
        ("mood 'odd'", "editions.1"),
        ("charm 7", "cost"),
    ]


@pytest.mark.parametrize("index", range(5))
def test_laws_hold_and_every_lie_is_found(index):
    cell, events = race(index=index, players=3, policies=("random", "thrifty", "random"))
    assert broken_laws(cell, events) == []
    for k, event in enumerate(events):
        lie = copy.deepcopy(events)
        match event["event"]:
            case "run":
                lie[k]["steps"] += 1
            case "coins":
                lie[k]["amount"] += 1
            case "buy":
                lie[k]["charm"] += 1
            case "state":
                lie[k]["seats"][0]["points"] += 1
            case "end":
                lie[k]["winner"] = None
            case _:
                continue
        try:
            assert broken_laws(cell, lie)
        except KeyError:
            assert event["event"] == "buy"  # a charm that does not exist


def test_both_policies_play():
    assert POLICIES == ("random", "thrifty")
    _, events = race(policies=("thrifty", "random"))
    assert any(e["action"] == "buy" for e in of(events, "choose") if e["seat"] == 0)


def test_the_transcript_tells_the_race():
    cell, events = race("windy")
    told = GAME.transcript(cell, events)
    assert told.startswith("Tiny race, classic, 2 players, windy, goal 20\n")
    assert told.rstrip().endswith("wins.")

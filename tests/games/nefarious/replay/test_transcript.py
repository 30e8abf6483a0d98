"""The transcript: made from events alone, in the words of the edition, 80 columns wide."""

import pytest

from balance import games

GAME = games.get("nefarious")


def told(catalog, edition="ascora-2011", players=3, twists=(), index=0, seed=1, **options):
    cell = GAME.compile(catalog, edition, players, twists)
    events = GAME.replay(cell, seed, index, ["random"] * players, **options)
    return GAME.transcript(cell, events)


@pytest.mark.parametrize(
    ("edition", "words"),
    [
        ("ascora-2011", ["Twist 1: Unions", "minions", "places a minion on", "(Speculate)"]),
        ("magellan-2014", ["Twist 1: Unions", "spies", "places a spy on Espionage", "takes back a spy"]),
        ("mosigra-2020", ["Закон 1: Unions", "шпионы", "places a шпион on Шпионаж", "(закон Unions)"]),
    ],
)
def test_it_speaks_the_words_of_the_edition(official, edition, words):
    text = told(official, edition, twists=["unions"])
    assert [word for word in words if word not in text] == []
    if edition != "ascora-2011":
        assert "minion" not in text
        assert "Speculate" not in text


def test_it_names_everything_that_the_game_was_made_from(official):
    text = told(official, twists=["grants", "unions"], index=5, seed=9, replicate=2)
    head = text.split("--- Round 1")[0]
    assert "Nefarious (Ascora Games, 2011)" in head
    assert "Seed 9, game 5, replicate 2" in head
    assert head.index("Twist 1: Grants") < head.index("Twist 2: Unions")
    assert "each player with no built invention gains 2 money." in head
    assert "Seat 2 (random) starts with 10 money and" in head


def test_no_twists_is_said(official):
    assert "\nNo twists.\n" in told(official)
    assert "\nNo законы.\n" in told(official, "mosigra-2020")


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_it_fits_80_columns(official, players):
    for edition in official.editions:
        twists = [twist.id for twist in official.twists_of(edition.id)]
        for index in range(0, len(twists), 2):
            text = told(official, edition.id, players, twists[index : index + 2], index)
            assert max(map(len, text.splitlines())) <= 80
            assert "\n\n\n" not in text
            assert all(line == line.rstrip() for line in text.splitlines())


def test_names_too_long_for_a_line_are_broken(overlay):
    long = "W" * 58
    file = overlay("".join(f'[[invention]]\nid = {n}\nname = "{long}{n}"\n' for n in range(1, 65)))
    text = told(GAME.load_catalog([file]))
    assert max(map(len, text.splitlines())) <= 80


def test_money_in_and_out_adds_up(official):
    """Each seat's moves, one by one, lead to the amount that the line itself and the next table show."""
    text = told(official, "magellan-2014", 4, ["rigged-investments", "mob-influence"], 3)
    money = dict.fromkeys(range(4), 10)
    tables = 0
    for line in text.split("--- Round 1 ")[1].split("--- The end")[0].splitlines():
        words = line.split()
        if line.startswith("  Seat") and words[2].startswith(("+", "-")):
            money[int(words[1])] += int(words[2])
            assert int(words[3]) == money[int(words[1])], line
        elif line.startswith("  Seat") and words[2] == "(random)":
            assert int(words[4]) == money[int(words[1])], line
            tables += 1
    assert tables > 20


def test_a_stalled_game_says_so(overlay):
    file = overlay(
        """
        [[twist]]
        id = "idle"
        name = "Idle Hands"
        editions = ["ascora-2011"]
        switches = { bars = ["invent"] }
        confidence = "own"
        """
    )
    text = told(GAME.load_catalog([file]), players=2, twists=["idle"])
    assert "Stalled: after 200 rounds nobody leads alone with the goal of 20 VP" in text
    assert text.count("0 VP. Nothing built.") == 2


def test_bonuses_are_part_of_the_final_account(official):
    text = told(official, twists=["popular-science"])
    account = text.split("--- The end")[1]
    assert "twists +" in account


def test_scores_are_those_of_the_log(overlay):
    file = overlay(
        """
        [[twist]]
        id = "fresh-glory"
        name = "Fresh Glory"
        editions = ["ascora-2011"]
        lines = [{ when = "score", if = "built_now >= 1", do = "+2 vp" }]
        confidence = "own"
        """
    )
    cell = GAME.compile(GAME.load_catalog([file]), "ascora-2011", 3, ["fresh-glory"])
    events = GAME.replay(cell, 1, 0, ["random"] * 3)
    logged = [seat["vp"] for event in events if event["event"] == "state" for seat in event["seats"]]
    rows = [line.split() for line in GAME.transcript(cell, events).splitlines() if line.startswith("  Seat")]
    assert [int(row[3]) for row in rows if row[2] == "(random)"] == logged

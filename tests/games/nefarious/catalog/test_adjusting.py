"""Catalogs with one thing changed: every number is found, moved and written down; readings and doubts."""

import pytest

from balance.errors import CatalogError, UsageError
from balance.games.nefarious.catalog import english
from balance.games.nefarious.catalog.adjusting import (
    doubts,
    numbers,
    overlay_text,
    parts,
    with_number,
)
from balance.games.nefarious.catalog.loading import load_catalog

OFFICIAL = load_catalog()


@pytest.fixture
def load(tmp_path):
    def overlaid(text):
        file = tmp_path / "overlay.toml"
        file.write_text(text, encoding="utf-8")
        return load_catalog([file])

    return overlaid


@pytest.mark.parametrize(
    ("twist", "expected"),
    [
        ("science-marathon", [("set.goal", 30, 1, 999, 20)]),
        ("age-of-boredom", [("switches.rest", 1, 1, 3, 0)]),
        ("cyber-spies", [("lines.1.do", 0, 0, 10, 1)]),
        ("subliminal-advertising", [("lines.1.do", 1, 1, 20, 0), ("lines.1.do.per", 5, 2, 20, None)]),
        ("grants", [("lines.1.do", 2, 1, 20, 0), ("lines.1.if", 0, 0, 99, None)]),
        ("unions", [("lines.1.do", 1, 1, 20, 0), ("lines.1.or_else", 1, 1, 20, 0)]),
        ("hyperinflation", []),  # everything is lost: no number
    ],
)  # fmt: skip
def test_the_numbers_of_a_twist(twist, expected):
    assert [tuple(number) for number in numbers(OFFICIAL, "twist", twist)] == expected


def test_the_numbers_of_a_card():
    assert [number.path for number in numbers(OFFICIAL, "invention", "6")] == [
        "cost",
        "vp",
        "self.1",
        "self.2",
    ]


def test_numbers_of_a_list_of_conditions_are_counted(load):
    catalog = load(
        '[[twist]]\nid = "mine"\nname = "Mine"\neditions = ["ascora-2011"]\n'
        'lines = [{ when = "end", if = ["hand >= 2", "money >= 3"], do = "-1 card" }]\n'
    )
    paths = [number.path for number in numbers(catalog, "twist", "mine")]
    assert paths == ["lines.1.do", "lines.1.if.1", "lines.1.if.2"]
    line = with_number(catalog, "twist", "mine", "lines.1.if.2", 7).twist("mine").lines[0]
    assert [str(condition) for condition in line.conditions] == ["hand >= 2", "money >= 7"]


def test_a_changed_number_changes_nothing_else(load):
    changed = with_number(OFFICIAL, "twist", "embezzling-minions", "lines.1.do.per", 7)
    assert str(changed.twist("embezzling-minions").lines[0].effect) == "-1 money per money%7"
    assert str(OFFICIAL.twist("embezzling-minions").lines[0].effect) == "-1 money per money%5"
    assert changed.policies is OFFICIAL.policies
    text = overlay_text(OFFICIAL, changed)
    assert text.startswith('[[twist]]\nid = "embezzling-minions"\nlines = [')
    assert load(text).hash == changed.hash != OFFICIAL.hash


def test_a_changed_card_is_an_overlay_of_one_line(load):
    changed = with_number(OFFICIAL, "invention", "46", "cost", 9)
    assert overlay_text(OFFICIAL, changed) == "[[invention]]\nid = 46\ncost = 9\n"
    assert load(overlay_text(OFFICIAL, changed)).hash == changed.hash


def test_an_overlay_that_leaves_an_entry_out(load):
    changed = load("[[invention]]\nid = 46\nremove = true\n")
    assert len(changed.inventions) == 63
    assert overlay_text(OFFICIAL, changed) == "[[invention]]\nid = 46\nremove = true\n"


def test_what_does_not_hold_together_is_refused():
    with pytest.raises(CatalogError, match="too few for 6 opening hands"):
        with_number(OFFICIAL, "twist", "geeks", "set.opening_cards", 11)
    with pytest.raises(CatalogError, match=r"0\.\.99"):
        with_number(OFFICIAL, "invention", "46", "cost", 100)
    with pytest.raises(UsageError, match=r"did you mean 'set\.goal'"):
        with_number(OFFICIAL, "twist", "science-marathon", "set.gaol", 31)
    with pytest.raises(UsageError, match="did you mean 'unions'"):
        numbers(OFFICIAL, "twist", "union")


def test_doubts_are_what_the_catalog_calls_so():
    found = {doubt.entry.id: doubt for doubt in doubts(OFFICIAL, "ascora-2011")}
    contested = {str(card.id) for card in OFFICIAL.inventions if card.confidence == "contested"}
    assert contested == {key for key, doubt in found.items() if doubt.confidence == "contested"}
    assert all(found[key].readings for key in contested)
    assert "focus-groups" not in found  # not in this edition
    assert found["mad-broker"].readings == ()
    assert not {"grants", "1"} & found.keys()  # printed, and told alike by two


def test_a_reading_is_a_whole_catalog(load):
    doubt = next(d for d in doubts(OFFICIAL, "ascora-2011") if d.entry.name == "Nanobots")
    (reading,) = doubt.readings
    assert reading.text == "Worth 5 VP. Discard 2 cards. Each other player draws 2 cards."
    card = reading.catalog.invention(6)
    assert (card.vp, card.cost) == (5, 5)
    assert load(overlay_text(OFFICIAL, reading.catalog)).invention(6) == card


def test_each_rule_of_a_twist_can_be_switched_off_alone():
    cards, counted = parts(OFFICIAL, "ascora-2011", "geeks")
    assert cards.words == "Each player starts with 10 cards in hand (normally 3)."
    assert cards.catalog.twist("geeks").changes == ()
    assert cards.catalog.twist("geeks").switches == OFFICIAL.twist("geeks").switches
    assert counted.catalog.twist("geeks").switches.per_hand_counts == ""
    assert counted.catalog.twist("geeks").changes == OFFICIAL.twist("geeks").changes


def test_the_rules_of_every_twist_together_are_all_that_it_says():
    for twist in OFFICIAL.twists:
        for edition in twist.editions:
            said = " ".join(english.twist_rule(twist, OFFICIAL.edition(edition)))
            for part in parts(OFFICIAL, edition, twist.id):
                assert part.words in said
                assert part.catalog.hash != OFFICIAL.hash
    assert [part.words for part in parts(OFFICIAL, "ascora-2011", "mad-broker")] == english.twist_rule(
        OFFICIAL.twist("mad-broker"), OFFICIAL.edition("ascora-2011")
    )

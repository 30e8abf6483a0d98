"""The official catalog against the facts, counted by hand; and what can be done with a catalog."""

from collections import Counter
from itertools import combinations

import pytest

from balance.errors import CatalogError, UsageError
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.catalog import loading
from balance.games.nefarious.catalog.loading import load_catalog
from balance.games.nefarious.catalog.model import changed_parameters

EDITIONS = ("ascora-2011", "magellan-2014", "mosigra-2020")

# How many cards have which cost and which VP, counted by hand from the transcriptions of the cards (not with
# the loader). The card whose VP grow with the built inventions is not among the VP.
CARDS_OF_COST = {
    0: 4, 1: 1, 2: 1, 4: 4, 5: 3, 6: 3, 7: 5, 8: 6, 9: 4, 10: 5,
    11: 4, 12: 8, 13: 3, 14: 2, 15: 1, 16: 6, 19: 2, 22: 1, 24: 1,
}  # fmt: skip
CARDS_OF_VP = {1: 4, 2: 6, 3: 16, 4: 15, 5: 11, 6: 7, 7: 2, 8: 2}
# Cards that print no effect line; 45 is the one whose VP grow.
BLANK = {14, 18, 27, 28, 42, 43, 44, 45, 47, 48, 54, 55, 56, 57, 58, 59}


# --- counts and sums


def test_there_are_64_inventions_38_twists_and_36_twists_in_each_edition(official):
    assert [card.id for card in official.inventions] == list(range(1, 65))
    assert len(official.twists) == 38
    assert [edition.id for edition in official.editions] == list(EDITIONS)
    assert [len(official.twists_of(edition)) for edition in EDITIONS] == [36, 36, 36]


def test_the_costs_add_up_to_623(official):
    assert sum(CARDS_OF_COST.values()) == 64
    assert Counter(card.cost for card in official.inventions) == CARDS_OF_COST
    assert sum(card.cost for card in official.inventions) == 623


def test_the_vp_add_up_to_251_without_the_card_that_grows(official):
    growing = [card for card in official.inventions if card.vp_per_built]
    assert [(card.id, card.vp, card.vp_per_built) for card in growing] == [(45, 0, 1)]
    fixed = [card.vp for card in official.inventions if not card.vp_per_built]
    assert Counter(fixed) == CARDS_OF_VP
    assert sum(fixed) == 251


def test_16_cards_print_no_effect_line(official):
    assert {card.id for card in official.inventions if card.blank} == BLANK
    assert len(BLANK) == 16


def test_blank_cards_of_fixed_vp_lie_on_the_cost_line(official):
    cards = [card for card in official.inventions if card.blank and not card.vp_per_built]
    assert len(cards) == 15
    assert [card.cost for card in cards] == [4 * (card.vp - 2) for card in cards]


def test_630_pairs_in_each_edition_and_699_in_some(official):
    def pairs(edition):
        return set(combinations(sorted(twist.id for twist in official.twists_of(edition)), 2))

    assert [len(pairs(edition)) for edition in EDITIONS] == [630, 630, 630]
    assert len(set().union(*map(pairs, EDITIONS))) == 699


def test_how_well_everything_is_known(official):
    inventions = Counter(card.confidence for card in official.inventions)
    twists = Counter(twist.confidence for twist in official.twists)
    assert inventions == {"two": 41, "official": 17, "contested": 4, "one": 2}
    assert twists == {"official": 17, "two": 8, "one+": 6, "one": 5, "inferred": 2}


def test_what_is_not_official_or_twice_transcribed_carries_a_note(official):
    for entry in (*official.inventions, *official.twists, *official.editions):
        if entry.confidence not in ("official", "two"):
            assert entry.note, entry.name


def test_contested_cards_keep_their_other_reading_complete(official):
    readings = {card.id: card.alternatives for card in official.inventions if card.alternatives}
    assert set(readings) == {3, 6, 23, 24, 34, 36, 46, 49, 64}
    nanobots = official.invention(6)
    (other,) = readings[6]
    assert (other.vp, [str(e) for e in other.others_effects]) == (5, ["+2 card"])
    assert (other.cost, other.name) == (nanobots.cost, nanobots.name)
    assert all(c.alternatives for c in official.inventions if c.confidence == "contested")


def test_names_without_an_english_source_are_marked_and_have_a_russian_one(official):
    for entry in (*official.inventions, *official.twists):
        assert entry.name_source in ("attested", "translated")
        if entry.name_source == "translated":
            assert entry.name_ru, entry.name


def test_prices_of_the_editions(official):
    prices = [[e.parameters[f"price_{a}"] for a in v.ACTIONS] for e in official.editions]
    assert prices == [[0, 2, 1, 1], [0, 2, 0, 1], [0, 2, 0, 1]]
    assert [e.deck for e in official.editions] == ["all-or-nothing", "reshuffle", "reshuffle"]


# --- the effect language is not a list of special cases


def test_there_are_at_most_8_switches_each_with_its_reason():
    assert len(v.SWITCHES) <= 8
    assert all(switch.meaning and switch.reason for switch in v.SWITCHES.values())


def test_no_moment_serves_one_twist_only_unless_it_takes_a_step(official):
    users = Counter(moment for twist in official.twists for moment in {line.when for line in twist.lines})
    assert set(users) == set(v.MOMENTS)
    assert {moment for moment in v.MOMENTS if users[moment] < 2} <= {"before", "after"}


def test_every_condition_takes_a_parameter(official):
    conditions = [c for twist in official.twists for line in twist.lines for c in line.conditions]
    forms = {"played" if c.left == "played" else "comparison" for c in conditions}
    assert forms == {"played", "comparison"}
    # `played` takes an action, a comparison its operator and what it compares with
    assert all(c.right in v.ACTIONS for c in conditions if c.left == "played")


def test_no_switch_is_a_bare_name(official):
    # true or false would name one card's rule; every switch says how much, or of what
    assert not [name for name, switch in v.SWITCHES.items() if isinstance(switch.example, bool)]
    used = {n for t in official.twists for n in v.SWITCHES if getattr(t.switches, n)}
    assert used == {"rest", "echo", "per_hand_counts"}


# --- loading


def test_loaded_objects_cannot_be_changed(official):
    card = official.invention(1)
    with pytest.raises(AttributeError):
        card.cost = 0
    with pytest.raises(TypeError):
        official.editions[0].parameters["goal"] = 1
    with pytest.raises(AttributeError):
        official.version = "2"


@pytest.mark.parametrize("name", ["46", "Moon Base", "moon base", "  MOON   base ", "Лунная База"])
def test_an_invention_is_found_by_id_english_or_russian_name(official, name):
    assert official.invention(name).id == 46


def test_a_wrong_name_is_answered_with_the_nearest(official):
    with pytest.raises(UsageError, match="did you mean 'Moon Base'"):
        official.invention("Moonbase 2")
    with pytest.raises(UsageError, match="unknown twist ''"):
        official.twist("")


def test_parameters_set_then_add_then_multiply_whatever_the_order(overlay):
    text = ""
    for name, change in (
        ("a", "multiply = { goal = 2 }"),
        ("b", "add = { goal = 5 }"),
        ("c", "set = { goal = 30 }"),
    ):
        text += f'[[twist]]\nid = "{name}"\nname = "{name}"\neditions = ["ascora-2011"]\n{change}\n'
    catalog = load_catalog([overlay(text)])
    edition = catalog.edition("ascora-2011")
    a, b, c = (catalog.twist(name) for name in "abc")
    assert changed_parameters(edition, [a, b])["goal"] == 50
    assert changed_parameters(edition, [b, a])["goal"] == 50
    assert changed_parameters(edition, [b, c])["goal"] == 35
    assert changed_parameters(edition, [a, b, c])["goal"] == 70


def test_parameters_stay_within_their_range(overlay):
    twist = '[[twist]]\nid = "a"\nname = "A"\neditions = ["ascora-2011"]\n'
    catalog = load_catalog(
        [overlay(twist + "add = { price_work = -5 }\nmultiply = { actions = 9, action_repeats = 0 }")]
    )
    changed = changed_parameters(catalog.edition("ascora-2011"), [catalog.twist("a")])
    assert (changed["price_work"], changed["actions"], changed["action_repeats"]) == (0, 4, 1)


def test_the_custom_twists_load_in_every_edition(checkout):
    catalog = load_catalog([checkout / "tests" / "data" / "custom_twists.toml"])
    custom = [twist for twist in catalog.twists if twist.id.startswith("custom-")]
    assert len(custom) == 21
    assert all(twist.editions == EDITIONS for twist in custom)


# --- hash


def test_the_hash_does_not_depend_on_order_comments_or_layout(overlay):
    one = '[[twist]]\nid = "a"\nname = "A"\neditions = ["ascora-2011", "mosigra-2020"]\n'
    one += "set = { goal = 9, minions = 6 }\n"
    two = '[[twist]]\nid = "b"\nname = "B"\neditions = ["ascora-2011"]\n'
    two += 'switches = { bars = ["work", "invent"] }\n'
    lines = 'lines = [{ when = "end", if = ["hand == 0", "money == 0"], do = "+1 card" }]\n'
    other_one = '# a comment\n[[twist]]\nname = "A"\r\nid   = "a"\n[twist.set]\nminions = 6\ngoal = 9\n'
    other_one = other_one.replace("[twist.set]", 'editions = ["mosigra-2020", "ascora-2011"]\n[twist.set]')
    other_two = two.replace('["work", "invent"]', '[ "invent", "work" ]')
    other_lines = '[[twist.lines]]\ndo = "+1 card"\nwhen = "end"\nif = ["money == 0", "hand == 0"]\n'
    first = load_catalog([overlay(one + two + lines)])
    second = load_catalog([overlay(other_two + other_lines + other_one)])
    assert first.hash == second.hash
    assert len(first.hash) == 64


@pytest.mark.parametrize(
    "change",
    [
        "[[invention]]\nid = 1\ncost = 5",
        '[[invention]]\nid = 1\nself = ["+1 card"]',
        '[[invention]]\nid = 6\nself = ["-2 card", "+2 card"]',
        "[[invention]]\nid = 3\nalternatives = []",
        '[[twist]]\nid = "unions"\nnote = "other"',
        '[[twist]]\nid = "hyperinflation"\nlines = [{ when = "build", do = "-all money" }]',
        '[[edition]]\nid = "ascora-2011"\nwords = { minion = "imp" }',
        '[catalog]\nversion = "1.0-mine"',
        '[[twist]]\nid = "unions"\nremove = true',
    ],
)
def test_the_hash_sees_every_change(official, overlay, change):
    assert load_catalog([overlay(change)]).hash != official.hash


def test_an_overlay_that_says_what_is_there_already_changes_nothing(official, overlay):
    assert load_catalog([overlay("[[invention]]\nid = 1\ncost = 4")]).hash == official.hash


def test_the_order_of_effects_and_lines_matters(overlay):
    twist = '[[twist]]\nid = "a"\nname = "A"\neditions = ["ascora-2011"]\nlines = [{}, {}]\n'
    gain, lose = '{ when = "end", do = "+1 money" }', '{ when = "end", do = "-2 money" }'
    first = twist.replace("{}, {}", f"{gain}, {lose}")
    second = twist.replace("{}, {}", f"{lose}, {gain}")
    assert load_catalog([overlay(first)]).hash != load_catalog([overlay(second)]).hash


# --- overlays


def test_an_overlay_changes_one_field_of_one_card(official, overlay):
    catalog = load_catalog([overlay("[[invention]]\nid = 46\ncost = 1")])
    assert catalog.invention(46).cost == 1
    assert catalog.invention(46).self_effects == official.invention(46).self_effects
    assert [c for c in catalog.inventions if c.id != 46] == [c for c in official.inventions if c.id != 46]


def test_an_overlay_adds_a_card_and_a_twist_at_the_end(overlay):
    catalog = load_catalog(
        [
            overlay("""
                [[invention]]
                id = 1001
                name = "Jet Pack"
                cost = 3
                vp = 2

                [[twist]]
                id = "my-twist"
                name = "My Twist"
                editions = ["ascora-2011"]
                """)
        ]
    )
    card, twist = catalog.inventions[-1], catalog.twists[-1]
    assert (card.id, card.name_source, card.confidence, card.blank) == (1001, "own", "own", True)
    assert (twist.id, twist.lines, twist.changes) == ("my-twist", (), ())
    assert len(catalog.twists_of("ascora-2011")) == 37


def test_an_overlay_removes_entries(overlay):
    catalog = load_catalog(
        [overlay('[[invention]]\nid = 64\nremove = true\n[[twist]]\nid = "unions"\nremove = true')]
    )
    assert (len(catalog.inventions), len(catalog.twists)) == (63, 37)


def test_later_overlays_lie_over_earlier_ones_and_folders_count_as_their_files(overlay, tmp_path):
    (tmp_path / "more").mkdir()
    first = overlay("[[invention]]\nid = 1\ncost = 7\nvp = 7")
    for vp, name in enumerate("hcfaegbd"):  # not in the order in which they will be read
        overlay(f"[[invention]]\nid = 1\nvp = {vp}", f"more/{name}.toml")
    overlay("not toml at all", "more/notes.txt")
    card = load_catalog([first, tmp_path / "more"]).invention(1)
    assert (card.cost, card.vp) == (7, 0)


def test_an_edition_of_ones_own(overlay):
    text = '[[edition]]\nid = "home"\nname = "Home"\ndeck = "reshuffle"\nset = { goal = 15 }\n'
    for name in ("a", "b"):
        text += f'[[twist]]\nid = "{name}"\nname = "{name}"\neditions = ["home"]\n'
    edition = load_catalog([overlay(text)]).edition("home")
    assert (edition.parameters["goal"], edition.parameters["price_research"]) == (15, 1)
    assert (edition.words["speculate"], edition.words["minions"]) == ("Speculate", "minions")


def test_an_overlay_may_carry_a_version_of_its_own(official, overlay):
    assert official.version == "1.0"
    assert load_catalog([overlay('[catalog]\nversion = "1.0-mine"')]).version == "1.0-mine"


def test_windows_files_are_welcome(official, overlay):
    catalog = load_catalog([overlay(b"\xef\xbb\xbf[[invention]]\r\nid = 1\r\ncost = 5\r\n")])
    assert catalog.invention(1).cost == 5


def test_a_catalog_error_names_the_folder_without_files(tmp_path):
    with pytest.raises(CatalogError, match="holds no"):
        load_catalog([tmp_path])


def test_the_text_of_a_catalog_with_an_own_card_is_read_back_the_same(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text('[[invention]]\nid = 2000\nname = "Plain"\ncost = 3\nvp = 2\nself = ["+1 card"]\n')
    text = loading.catalog_text(loading.load_catalog([own]))
    file = tmp_path / "catalog.toml"
    file.write_text(text)
    assert loading.catalog_text(loading.read_catalog(file)) == text

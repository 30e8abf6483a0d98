"""Every way a catalog file can be wrong, and what its author is told."""

import os

import pytest

from balance.errors import CatalogError
from balance.games import tomlfile
from balance.games.nefarious.catalog.loading import load_catalog

TWIST = '[[twist]]\nid = "mine"\nname = "Mine"\neditions = ["ascora-2011"]\n'
CARD = '[[invention]]\nid = 1001\nname = "Jet Pack"\ncost = 3\nvp = 2\n'
MINE, JET = "twist 'mine'", "invention 1001"


def line(body):
    return TWIST + f"lines = [{{ {body} }}]\n"


def test_the_pieces_that_the_mistakes_below_are_made_of_are_right(overlay):
    load_catalog([overlay(TWIST + CARD)])
    load_catalog([overlay(line('when = "end", if = "hand == 0", do = "+1 card"'))])


# --- files as a whole


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b" \n\t\n", "the file is empty"),
        (b"# nothing yet\n", "the file is empty"),
        (b"\x00\x01\x02", "binary"),
        ("[[twist]]".encode("utf-16"), "binary"),
        (b"name = '\xe9'", "not UTF-8 text (byte 9)"),
        (b"x" * 1_000_001, "at most 1,000,000 bytes"),
        (b"a = " + b"[" * 50_000 + b"]" * 50_000, "nested too deeply"),
        (b"a = " + b"[" * 12 + b"]" * 12, "nested too deeply"),
        (b"a" + b".a" * 400_000 + b" = 1", "nested too deeply"),
        (b"a = " + b"9" * 5000, "a number that is far too large"),
        (b"[[twist]\nid = 1", "not valid TOML"),
    ],
)
def test_files_that_are_no_catalog(problems, overlay, content, message):
    ((entry, field, said),) = problems(overlay(content))
    assert (entry, field) == ("", "")
    assert message in said


def test_a_syntax_error_tells_line_and_column(problems):
    ((_, _, said),) = problems('[[twist]]\nid = "a"\nname = = "b"\n')
    assert "not valid TOML" in said
    assert "line 3, column 8" in said


def test_a_repeated_key_is_a_syntax_error(problems):
    ((_, _, said),) = problems(TWIST + "set = { goal = 1, goal = 2 }\n")
    assert "not valid TOML" in said


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "no such file"),
        (os.mkfifo, "not a regular file"),
        (lambda path: path.symlink_to(path), "cannot be read"),
        (lambda path: path.mkdir(), "holds no .toml file"),
    ],
    ids=["missing", "fifo", "loop", "empty folder"],
)
def test_what_is_no_file_at_all(problems, tmp_path, make, message):
    path = tmp_path / "x.toml"
    make(path)
    ((_, _, said),) = problems(path)
    assert message in said


def test_a_path_that_cannot_exist(problems, tmp_path):
    ((_, _, said),) = problems(tmp_path / ("x" * 5000))
    assert "cannot be read" in said


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(problems, overlay):
    file = overlay(TWIST)
    file.chmod(0)
    ((_, _, said),) = problems(file)
    assert "Permission denied" in said


def test_without_permission_as_any_user(problems, overlay, monkeypatch):
    file = overlay(TWIST)

    def refuse(path, most):
        if path == file:
            raise PermissionError(13, "Permission denied")
        return original(path, most)

    original = tomlfile.read_file
    monkeypatch.setattr(tomlfile, "read_file", refuse)
    assert problems(file) == [("", "", "cannot be read: Permission denied")]


# --- entries: (text, entry, field, part of the message)

MISTAKES = [
    # unknown keys
    ("[[twits]]\nid = 'a'", "", "twits", "did you mean 'twist'?"),
    ("goal = 3", "", "goal", "allowed: [[invention]], [[twist]], [[edition]]"),
    (TWIST + "lnies = []", MINE, "lnies", "did you mean 'lines'?"),
    (CARD + "price = 3", JET, "price", "allowed: id, name"),
    (line('when = "end", do = "+1 card", iff = "hand == 0"'), MINE, "lines.1.iff", "unknown"),
    (TWIST + "switches = { recho = 1 }", MINE, "switches.recho", "did you mean 'echo'"),
    ("[catalog]\nversoin = '1'", "catalog", "versoin", "allowed: version"),
    (
        '[[edition]]\nid = "ascora-2011"\nwords = { imp = "x" }',
        "edition 'ascora-2011'",
        "words.imp",
        "unknown",
    ),
    # unknown words
    (CARD + 'self = ["+1 crad"]', JET, "self.1", "did you mean 'card'?"),
    (CARD + 'self = ["+1 card per hnad"]', JET, "self.1", "did you mean 'hand'?"),
    (CARD + 'self = ["1 card"]', JET, "self.1", "reads like '+1 card'"),
    (CARD + 'self = ["+1 card please"]', JET, "self.1", "is not understood"),
    (CARD + 'self = ["+1 minion on mars"]', JET, "self.1", "allowed: speculate, invent"),
    (CARD + 'self = ["+1 income"]', JET, "self.1", "moves card, money or minion"),
    (CARD + 'self = ["+1 card per led-zone"]', JET, "self.1", "counts per hand"),
    (CARD + 'self = ["+1 card per money/N"]', JET, "self.1", "write a number for N"),
    (CARD + 'confidence = "sure"', JET, "confidence", "allowed: official, two"),
    (CARD + 'name_source = "guess"', JET, "name_source", "allowed: attested"),
    (line('when = "strat", do = "+1 card"'), MINE, "lines.1.when", "'start'"),
    (line('when = "before", do = "+1 card"'), MINE, "lines.1.when", "needs a step"),
    (line('when = "after invent", do = "+1 card"'), MINE, "lines.1.when", "unknown step"),
    (line('when = "end work", do = "+1 card"'), MINE, "lines.1.when", "takes no step"),
    (line('when = "end", do = "+1 card", who = "all"'), MINE, "lines.1.who", "self, others"),
    (line('when = "end", do = "+1 card", if = "hnad == 0"'), MINE, "lines.1.if", "'hand'"),
    (line('when = "end", do = "+1 card", if = "hand = 0"'), MINE, "lines.1.if", "allowed: =="),
    (line('when = "end", do = "+1 card", if = "hand"'), MINE, "lines.1.if", "reads like"),
    (line('when = "end", do = "+1 card", if = "played"'), MINE, "lines.1.if", "played ACTION"),
    (TWIST + "set = { gaol = 3 }", MINE, "set.gaol", "did you mean 'goal'?"),
    (TWIST + 'switches = { bars = ["sleep"] }', MINE, "switches.bars.1", "allowed: speculate, invent"),
    (TWIST + 'switches = { bars = ["work", "work"] }', MINE, "switches.bars", "names 'work' twice"),
    (TWIST + 'switches = { per_hand_counts = "money" }', MINE, "switches.per_hand_counts", "minion, built"),
    (
        '[[edition]]\nid = "ascora-2011"\ndeck = "none"',
        "edition 'ascora-2011'",
        "deck",
        "all-or-nothing, reshuffle",
    ),
    # wrong types
    (CARD.replace("3", '"3"'), JET, "cost", "expected a whole number 0..99, found '3'"),
    (CARD.replace("3", "3.0"), JET, "cost", "found 3.0"),
    (CARD.replace("3", "nan"), JET, "cost", "found nan"),
    (CARD.replace("3", "inf"), JET, "cost", "found inf"),
    (CARD.replace("3", "true"), JET, "cost", "found true"),
    (CARD.replace("3", "2020-01-01"), JET, "cost", "found 2020-01-01"),
    (CARD.replace("3", "[3]"), JET, "cost", "found a list"),
    (CARD + 'self = "+1 card"', JET, "self", "expected a list"),
    (CARD + "self = [1]", JET, "self.1", "found 1"),
    (CARD + 'self = [["+1 card"]]', JET, "self.1", "found a list"),
    (CARD.replace('"Jet Pack"', "7"), JET, "name", "expected a text, found 7"),
    (TWIST + "lines = [1]", MINE, "lines.1", "expected a table"),
    (TWIST + "lines = {}", MINE, "lines", "expected a list"),
    (TWIST + "set = 3", MINE, "set", "expected a table"),
    (TWIST + "switches = []", MINE, "switches", "expected a table"),
    (TWIST + "set = { goal = 3.5 }", MINE, "set.goal", "found 3.5"),
    (line('when = 1, do = "+1 card"'), MINE, "lines.1.when", "expected a moment"),
    (line('when = "end", do = "+1 card", first = 1'), MINE, "lines.1.first", "true or false"),
    ('[[twist]]\nid = "unions"\neditions = "all"', "twist 'unions'", "editions", "expected a list"),
    ("[twist]\nid = 'a'", "", "twist", "under its own [[twist]]"),
    ("twist = [1]", "", "twist", "under its own [[twist]]"),
    ("catalog = 1", "", "catalog", "expected a table [catalog]"),
    # missing
    ("[[twist]]\nname = 'a'", "twist number 1", "id", "missing"),
    (CARD.replace("cost = 3", ""), JET, "cost", "missing"),
    (TWIST.replace('name = "Mine"', ""), MINE, "name", "missing"),
    (TWIST.replace('editions = ["ascora-2011"]', ""), MINE, "editions", "missing"),
    (TWIST.replace('["ascora-2011"]', "[]"), MINE, "editions", "needs at least 1"),
    (line('when = "end"'), MINE, "lines.1.do", "missing"),
    # ids
    ("[[invention]]\nid = true", "invention number 1", "id", "found true"),
    ("[[twist]]\nid = nan", "twist number 1", "id", "found nan"),
    (CARD.replace("1001", "65"), "invention 65", "id", "own cards take ids 1001..9999"),
    (CARD.replace("1001", "10000"), "invention 10000", "id", "1..9999"),
    (CARD.replace("1001", "-1"), "invention -1", "id", "1..9999"),
    (CARD.replace("1001", '"jet"'), "invention 'jet'", "id", "expected a whole number"),
    (
        CARD.replace("1001", "0x" + "f" * 9000),
        "invention a number that is far too large",
        "id",
        "far too large",
    ),
    (TWIST.replace('"mine"', '"My Twist"'), "twist 'My Twist'", "id", "lower-case words joined by hyphens"),
    (TWIST.replace('"mine"', '"12"'), "twist '12'", "id", "with a letter"),
    (TWIST.replace('"mine"', "12"), "twist 12", "id", "lower-case words"),
    (TWIST.replace('"mine"', "0x" + "f" * 9000), "twist a number that is far too large", "id", "lower-case"),
    # out of range
    (CARD.replace("cost = 3", "cost = 100"), JET, "cost", "expected a whole number 0..99, found 100"),
    (CARD.replace("cost = 3", "cost = -1"), JET, "cost", "expected a whole number 0..99, found -1"),
    (CARD.replace("vp = 2", "vp = 100"), JET, "vp", "expected a whole number -20..99"),
    (CARD.replace("vp = 2", "vp = -21"), JET, "vp", "expected a whole number -20..99"),
    (CARD.replace("vp = 2", "vp = 0x" + "f" * 9000), JET, "vp", "far too large"),
    (CARD + 'self = ["+21 card"]', JET, "self.1", "1..20"),
    (CARD + 'self = ["+0 card"]', JET, "self.1", "1..20"),
    (CARD + 'self = ["+1 card per money/1"]', JET, "self.1", "2..20"),
    (TWIST + "set = { goal = 1000 }", MINE, "set.goal", "expected a whole number 1..999, found 1000"),
    (TWIST + "multiply = { goal = 11 }", MINE, "multiply.goal", "expected a whole number 0..10"),
    (TWIST + "switches = { rest = 4 }", MINE, "switches.rest", "expected a whole number 1..3"),
    (TWIST + "switches = { echo = 0 }", MINE, "switches.echo", "expected a whole number 1..9"),
    (
        '[[edition]]\nid = "ascora-2011"\nset = { goal = 0 }',
        "edition 'ascora-2011'",
        "set.goal",
        "expected a whole number 1..999",
    ),
    (CARD + "self = [" + '"+1 card",' * 5 + "]", JET, "self", "at most 4"),
    (TWIST + "lines = [" + '{ when = "end", do = "+1 card" },' * 13 + "]", MINE, "lines", "at most 12"),
    (
        line('when = "end", do = "+1 card", if = [' + '"hand == 0",' * 5 + "]"),
        MINE,
        "lines.1.if",
        "at most 4",
    ),
    # duplicates
    (TWIST + TWIST, MINE, "id", "given twice"),
    (TWIST.replace('"Mine"', '"UNIONS"'), MINE, "name", "name or id of twist 'unions' already"),
    (TWIST.replace('"Mine"', '"age-of-boredom"'), MINE, "name", "twist 'age-of-boredom' already"),
    (TWIST + 'name_ru = "гранты"', MINE, "name_ru", "twist 'grants' already"),
    (CARD.replace("Jet Pack", "moon base"), JET, "name", "invention 46 already"),
    (CARD.replace("Jet Pack", "12"), JET, "name", "invention 12 already"),
    # unknown references
    (TWIST.replace("ascora-2011", "ascora-2012"), MINE, "editions.1", "did you mean 'ascora-2011'?"),
    (TWIST.replace('"ascora-2011"', '"ascora-2011", "ascora-2011"'), MINE, "editions", "twice"),
    (
        line('when = "end", do = "+1 card", editions = ["x"]'),
        MINE,
        "lines.1.editions.1",
        "allowed: ascora-2011",
    ),
    ('[[twist]]\nid = "onions"\nremove = true', "twist 'onions'", "remove", "did you mean 'unions'?"),
    ("[[invention]]\nid = 1001\nremove = true", JET, "remove", "unknown invention"),
    ('[[twist]]\nid = "unions"\nremove = false', "twist 'unions'", "remove", "only 'remove = true'"),
    ('[[twist]]\nid = "unions"\nremove = true\nname = "x"', "twist 'unions'", "remove", "no other field"),
    # the same parameter twice
    (TWIST + "set = { goal = 3 }\nadd = { goal = 3 }", MINE, "add", "goal is changed twice"),
    # alternatives
    (CARD + "alternatives = [{ foo = 1 }]", "invention 1001 alternative 1", "foo", "unknown field"),
    (CARD + "alternatives = [{ cost = 1 }, { cost = -1 }]", "invention 1001 alternative 2", "cost", "0..99"),
    (CARD + "alternatives = [{}]", JET, "alternatives.1", "expected a table"),
    (CARD + "alternatives = [1]", JET, "alternatives.1", "expected a table"),
    (CARD + 'alternatives = [{ name = "x" }]', JET, "alternatives.1", "may not change name"),
    (CARD + "alternatives = [{ alternatives = [] }]", JET, "alternatives.1", "may not change"),
    (CARD + "alternatives = [" + "{ cost = 1 }," * 9 + "]", JET, "alternatives", "at most 8"),
    (
        TWIST + "add = { goal = 1 }\nalternatives = [{ set = { goal = 1 } }]",
        "twist 'mine' alternative 1",
        "add",
        "twice",
    ),
    # words that do not fit together
    (line('when = "end", do = "x2 income"'), MINE, "lines.1", "possible: card, money"),
    (line('when = "end", do = "+1 vp"'), MINE, "lines.1", "possible: card, money"),
    (line('when = "income", do = "-1 income"'), MINE, "lines.1.do", "added to or multiplied"),
    (line('when = "income", do = "x11 income"'), MINE, "lines.1.do", "0..10"),
    (line('when = "end", do = "x2 money"'), MINE, "lines.1.do", "x multiplies income only"),
    (line('when = "end", do = "+all money"'), MINE, "lines.1.do", "'all' goes with"),
    (line('when = "end", do = "-all money per hand"'), MINE, "lines.1.do", "takes no 'per'"),
    (line('when = "end", do = "+1 money on work"'), MINE, "lines.1.do", "only minions"),
    (line('when = "end", do = "-1 minion off work"'), MINE, "lines.1.do", "'off' goes with"),
    (line('when = "start", do = "+2 commit"'), MINE, "lines.1.do", "only '+1 commit'"),
    (line('when = "start", do = "+1 commit", who = "others"'), MINE, "lines.1", "themselves"),
    (line('when = "score", do = "+1 vp", who = "others"'), MINE, "lines.1", "each player alone"),
    (line('when = "place", do = "+1 minion"'), MINE, "lines.1", "would never end"),
    (line('when = "end", do = "+1 card per zone-crowd"'), MINE, "lines.1", "not known"),
    (line('when = "end", do = "+1 card per discarded"'), MINE, "lines.1", "an earlier line"),
    (line('when = "start", do = "+1 minion on played"'), MINE, "lines.1", "nothing is played yet"),
    (line('when = "end", do = "-1 card", or_else = "+1 card"'), MINE, "lines.1", "moment build"),
    (
        line('when = "build", do = "-1 card", or_else = "+1 card", if = "hand == 0"'),
        MINE,
        "lines.1",
        "no condition",
    ),
    (
        line('when = "build", do = "-1 minion on work", or_else = "+1 card"'),
        MINE,
        "lines.1",
        "goes with '-N minion'",
    ),
    (line('when = "end", do = "+1 card", if = "card_vp > 3"'), MINE, "lines.1", "moment build only"),
    # looking at others
    (line('when = "end", do = "+1 card", if = "most mony"'), MINE, "lines.1.if", "did you mean 'money'?"),
    (line('when = "end", do = "+1 card", if = "sole money"'), MINE, "lines.1.if", "'most QUANTITY'"),
    (line('when = "end", do = "+1 card", if = "most round"'), MINE, "lines.1.if", "what is: money, hand"),
    (
        line('when = "build", do = "+1 card", if = "other card_vp > 3"'),
        MINE,
        "lines.1.if",
        "not asked of others",
    ),
    (line('when = "end", do = "+1 card", if = "neighbour"'), MINE, "lines.1.if", "what can reads like"),
    (
        line('when = "end", do = "+1 card", if = "built > my built"'),
        MINE,
        "lines.1.if",
        "'my' goes with another",
    ),
    (line('when = "end", do = "+1 card", if = "other built > my 3"'), MINE, "lines.1.if", "comes a quantity"),
    (
        line('when = "end", do = "+1 card per built with money > 3"'),
        MINE,
        "lines.1.do",
        "neighbour, other or player",
    ),
    (line('when = "end", do = "+1 card per other with"'), MINE, "lines.1.do", "cannot be asked of others"),
    (
        line('when = "start", do = "+1 card per other with played work"'),
        MINE,
        "lines.1",
        "nothing is revealed yet",
    ),
    (CARD + 'self = ["+1 card per other with round > 3"]', JET, "self.1", "not asked of others"),
]


@pytest.mark.parametrize(("text", "entry", "field", "message"), MISTAKES)
def test_one_mistake(problems, text, entry, field, message):
    found = problems(text)
    assert len(found) == 1 or "number" in entry or entry.startswith("invention a number"), found
    assert found[0][:2] == (entry, field)
    assert message in found[0][2]


# --- conditions that can never hold


@pytest.mark.parametrize(
    ("when", "conditions"),
    [
        ("end", ["money < 0"]),
        ("end", ["hand == 0", "hand >= 1"]),
        ("end", ["hand >= 2", "hand <= 3", "hand != 2", "hand != 3"]),
        ("end", ["minions >= 6"]),
        ("end", ["committed == 2"]),
        ("end", ["round > 200"]),
        ("end", ["round == 0"]),
        ("end", ["hand > 128"]),
        ("end", ["played work", "not played work"]),
        ("start", ["played work"]),
        ("start", ["built_now >= 1"]),
        ("after speculate", ["built_now >= 1"]),
        ("after work", ["not played work"]),
        ("before speculate", ["reserve == 0"]),
        ("build", ["built == 0"]),
        ("invention", ["not played invent"]),
        ("start", ["neighbour played work"]),
    ],
)
def test_a_condition_that_can_never_hold(problems, when, conditions):
    body = f'when = "{when}", if = {conditions}, do = "+1 card"'.replace("'", '"')
    ((entry, field, message),) = problems(line(body))
    assert (entry, field) == ("twist 'mine'", "lines.1")
    assert "can never hold" in message


@pytest.mark.parametrize(
    ("when", "conditions"),
    [
        ("end", ["hand >= 2", "hand <= 3", "hand != 2"]),
        ("end", ["minions == 5", "reserve == 0"]),
        ("end", ["built < minions", "minions < hand"]),
        ("end", ["built != minions", "minions <= built"]),
        ("end", ["played work", "not played invent", "played research"]),
        ("end", ["built_now == built", "built >= 1"]),
        ("start", ["round == 200"]),
        ("build", ["card_vp > earlier_vp", "earlier_vp >= -20"]),
        ("after work", ["played work", "built_now == 4"]),
        ("build", ["other built == 0", "not other built_now >= 1"]),
        ("end", ["other vp < 0", "neighbour played work", "not neighbour not played work"]),
    ],
)
def test_a_condition_that_can_hold(overlay, when, conditions):
    body = f'when = "{when}", if = {conditions}, do = "+1 card"'.replace("'", '"')
    load_catalog([overlay(line(body))])


def test_more_minions_can_be_asked_for_where_a_twist_gives_more(overlay):
    six = line('when = "end", if = "minions >= 6", do = "+1 card"')
    load_catalog([overlay(six + "set = { minions = 6 }\n")])


# --- the catalog as a whole


def without(kind, ids):
    return "".join(f"[[{kind}]]\nid = {name}\nremove = true\n" for name in ids)


def test_an_edition_needs_two_twists(problems):
    text = '[[edition]]\nid = "home"\nname = "Home"\ndeck = "reshuffle"\n'
    assert problems(text) == [
        ("edition 'home'", "id", "has 0 twists; an edition needs at least 2 (see `editions` of the twists)")
    ]


def test_an_edition_that_others_name_cannot_be_removed(problems):
    found = problems('[[twist]]\nid = "mine"\nname = "M"\neditions = ["home"]\n')
    assert found[0][1] == "editions.1"


def test_a_deck_needs_three_cards_for_six_players(problems):
    found = problems(without("invention", range(1, 48)))
    assert [(entry, field) for entry, field, _ in found] == [
        ("edition 'ascora-2011'", "opening_cards"),
        ("edition 'magellan-2014'", "opening_cards"),
        ("edition 'mosigra-2020'", "opening_cards"),
    ]
    assert "the deck has 17 cards, too few for 6 opening hands of 3 (18)" in found[0][2]


def test_a_deck_needs_the_cards_that_a_twist_deals(problems):
    found = problems(TWIST + "set = { opening_cards = 11 }")
    assert found == [
        (
            "twist 'mine'",
            "set.opening_cards",
            "the deck has 64 cards, too few for 6 opening hands of 11 (66) in ascora-2011",
        )
    ]


def test_a_deck_has_at_most_128_cards(problems, overlay):
    cards = [CARD.replace("1001", str(1001 + n)).replace("Jet Pack", f"Jet Pack {n}") for n in range(65)]
    load_catalog([overlay("".join(cards[:64]))])
    ((entry, field, message),) = problems("".join(cards))
    assert (entry, field) == ("catalog", "invention")
    assert "129 cards; at most 128" in message


# --- hostile names


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("<b>bold</b>", "must not contain < or >"),
        ("red \\u001b[31m", "printable characters on a single line, found 'red \\x1b[31m'"),
        ("two\\nlines", "printable"),
        ("tab\\there", "printable"),
        ("right \\u202e left", "printable"),
        ("no\\u200bwidth", "printable"),
        ("non\\u00a0breaking", "printable"),
        ("x" * 10_000, "has 10,000 characters; at most 60"),
        ("x" * 61, "has 61 characters"),
        ("", "must not be empty"),
        (" ", "must not begin or end with a space"),
        ("end ", "must not begin or end with a space"),
    ],
)
def test_hostile_names_are_refused(problems, name, message):
    ((entry, field, said),) = problems(TWIST.replace('"Mine"', f'"{name}"'))
    assert (entry, field) == ("twist 'mine'", "name")
    assert message in said


@pytest.mark.parametrize("name", ["Ёжик & Co.", "発明", "x" * 60, "A \\\"quoted\\\" 'name'", "100% {0} %s"])
def test_unusual_names_are_welcome(overlay, name):
    load_catalog([overlay(TWIST.replace('"Mine"', f'"{name}"'))])


def test_a_wrong_id_does_not_hide_what_else_is_wrong(problems):
    found = problems(TWIST.replace('"mine"', "12") + "set = { opening_cards = 20 }\n")
    assert [(entry, field) for entry, field, _ in found] == [
        ("twist 12", "id"),
        ("twist 12", "set.opening_cards"),
    ]


def test_hostile_keys_and_ids_are_told_harmlessly(problems):
    keys = f'"\\u001b[31m" = 1\n{"x" * 5000} = 1\n'
    ids = "".join(f'[[{kind}]]\nid = "\\u001b[2J"\n' for kind in ("twist", "invention", "edition"))
    found = problems(TWIST.replace("ascora-2011", "nowhere") + keys + ids)
    assert len(found) >= 1 + 2 + 3
    for problem in found:
        assert all(part.isprintable() for part in problem)
        assert max(map(len, problem)) < 400


# --- all at once


def test_five_mistakes_are_five_problems(problems):
    found = problems("""
        [[invention]]
        id = 1001
        name = "Jet Pack"
        cost = 100
        vp = "two"

        [[invention]]
        id = 46
        self = ["+1 crad"]

        [[twist]]
        id = "mine"
        name = "Unions"
        editions = ["ascora-2011"]
        set = { gaol = 3 }
        """)
    assert [problem[:2] for problem in found] == [
        ("invention 46", "self.1"),
        ("invention 1001", "cost"),
        ("invention 1001", "vp"),
        ("twist 'mine'", "set.gaol"),
        ("twist 'mine'", "name"),
    ]


def test_mistakes_of_several_files_are_told_together(overlay):
    files = [overlay("", "a.toml"), overlay("[[twits]]", "b.toml"), overlay(CARD + "x = 1", "c.toml")]
    with pytest.raises(CatalogError) as caught:
        load_catalog(files)
    assert [p.file for p in caught.value.problems] == [str(file) for file in files]


def test_a_wrong_field_of_the_official_catalog_made_by_an_overlay_names_the_overlay(problems):
    ((entry, field, _),) = problems('[[twist]]\nid = "unions"\nset = { goal = 0 }')
    assert (entry, field) == ("twist 'unions'", "set.goal")


def test_countless_mistakes_end_at_500(overlay):
    with pytest.raises(CatalogError) as caught:
        load_catalog([overlay("[[twist]]\n" * 90_000)])
    assert len(caught.value.problems) == tomlfile.MOST_PROBLEMS + 1
    assert "the rest is not shown" in caught.value.problems[-1].message

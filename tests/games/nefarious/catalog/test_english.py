"""Every word of the effect language becomes readable English."""

from itertools import product

import pytest

from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.catalog import english, phrases
from balance.games.nefarious.catalog.loading import load_catalog

MOMENTS = [m for m in v.MOMENTS if m not in ("before", "after")]
MOMENTS += [f"{word} {step}" for word in ("before", "after") for step in v.STEPS]
PERS = [None, *(per.replace("N", "5") for per in v.PERS)]
PERS += [f"{who} with {test}" for who in v.WHOSE for test in ("built >= 3", "vp > my vp", "most hand")]
ZONES = ["", *(f" {word} {zone}" for word in ("on", "off") for zone in (*v.ACTIONS, "played"))]
RIGHTS = [*v.QUANTITIES, -1, 0, 1, 2, 5]
CONDITIONS = [f"{left} {op} {right}" for left, op, right in product(v.QUANTITIES, v.COMPARISONS, RIGHTS)]
CONDITIONS += [f"{word} {action}" for word in ("played", "not played") for action in v.ACTIONS]
RANKS = [f"{word}{rank} {q}" for word, rank, q in product(("", "not "), v.EXTREMES, v.PUBLIC)]
TESTS = [
    f"{a} {op} {b}" for a, op, b in product(("money", "built", "vp"), v.COMPARISONS, ("hand", "my vp", 0, 1))
]
TESTS += [*RANKS, "played work", "not played invent"]
CONDITIONS += [*RANKS, *(f"{who} {test}" for who, test in product(v.WHOSE, TESTS))]
CONDITIONS += [f"not {who} {test}" for who, test in product(v.WHOSE, TESTS)]


def effects():
    """Return every effect that can be written with these amounts."""
    heads = [f"{op}{amount}" for op, amount in product("+-x", ("all", 0, 1, 2, 3))]
    for head, what, per, zone in product(heads, v.WHATS, PERS, ZONES):
        try:
            yield phrases.parse_effect(f"{head} {what}{f' per {per}' if per else ''}{zone}")
        except phrases.WordError:
            continue


EFFECTS = list(effects())


def allowed(line):
    try:
        phrases.check_line(line, [v.Line(line.when, phrases.parse_effect("-1 card"), line.step)], 9)
    except phrases.WordError:
        return False
    return True


def readable(text):
    """Fail unless a text reads like sentences."""
    assert text[0].isupper(), text
    assert text.endswith((".", '."')), text
    for bad in (
        "{",
        "}",
        "None",
        "  ",
        " ,",
        "..",
        "_",
        "N ",
        "%",
        "==",
        "[",
        "1 cards",
        "a cards",
        "who with",
    ):
        assert bad not in text, text
    assert text.isascii()
    assert text.isprintable()


def say(when, do, **fields):
    moment, step = phrases.parse_moment(when)
    conditions = tuple(phrases.parse_condition(c) for c in fields.pop("if_", ()))
    if "or_else" in fields:
        fields["or_else"] = phrases.parse_effect(fields["or_else"])
    return english.line_sentence(
        v.Line(moment, phrases.parse_effect(do), step, conditions=conditions, **fields)
    )


# --- every word


def test_every_effect_at_every_moment_is_readable():
    said = {}
    for moment, effect, who, first in product(MOMENTS, EFFECTS, v.WHOM, (False, True)):
        when, step = phrases.parse_moment(moment)
        line = v.Line(when, effect, step, who, first=first)
        if allowed(line):
            sentence = english.line_sentence(line)
            readable(sentence)
            assert said.setdefault(sentence, line) == line, "two lines read the same"
    whats = {line.effect.what for line in said.values()}
    pers = {line.effect.per for line in said.values()}
    assert whats == set(v.WHATS)
    assert pers == {None, *v.PERS}
    assert {line.when for line in said.values()} == set(v.MOMENTS)
    assert {line.step for line in said.values()} == {None, *v.STEPS}


@pytest.mark.parametrize("moment", MOMENTS)
def test_every_condition_at_every_moment_is_readable(moment):
    when, step = phrases.parse_moment(moment)
    do = {"income": "x2 income", "score": "+1 vp"}.get(when, "+1 card")
    count = 0
    for text in CONDITIONS:
        line = v.Line(when, phrases.parse_effect(do), step, conditions=(phrases.parse_condition(text),))
        if allowed(line):
            readable(english.line_sentence(line))
            count += 1
    assert count > 100


def test_every_parameter_change_and_value_is_readable(official):
    edition = official.editions[0]
    twist = official.twist("science-marathon")
    for (name, parameter), how in product(v.PARAMETERS.items(), v.CHANGES):
        for value in {parameter.low, 0, 1, 2, 3, 5, parameter.high}:
            change = type(twist.changes[0])(name, how, value)
            changed = type(twist)(**{f: getattr(twist, f) for f in twist.__slots__} | {"changes": (change,)})
            (sentence,) = english.twist_rule(changed, edition)
            readable(sentence)
            assert "normally" in sentence


def test_every_switch_is_readable(official):
    twist = official.twist("lingering-evil")
    switches = type(twist.switches)
    for name, values in {
        "bars": [("work",), v.ACTIONS[:2], v.ACTIONS],
        "rest": [1, 2, 3],
        "echo": [1, 2, 9],
        "per_hand_counts": v.HAND_SUBSTITUTES,
    }.items():
        for value in values:
            changed = type(twist)(
                **{f: getattr(twist, f) for f in twist.__slots__} | {"switches": switches(**{name: value})}
            )
            (sentence,) = english.twist_rule(changed, official.editions[0])
            readable(sentence)
    assert set(v.SWITCHES) == set(switches.__slots__)


def test_every_deck_rule_is_readable(official):
    assert {edition.deck for edition in official.editions} == set(v.DECK_RULES)
    for edition in official.editions:
        for sentence in english.edition_rules(edition):
            readable(sentence)


def test_every_official_and_custom_entry_is_readable(checkout):
    catalog = load_catalog([checkout / "tests" / "data" / "custom_twists.toml"])
    for card in catalog.inventions:
        for sentence in (english.invention_value(card), *english.invention_lines(card)):
            readable(sentence)
    said = {}
    for twist in catalog.twists:
        for sentence in english.twist_rules(twist, catalog.editions):
            readable(sentence)
        said[" ".join(english.twist_rules(twist, catalog.editions))] = twist
    assert len(said) == len(catalog.twists) == 59, "two twists read the same"


# --- some of them, word for word


@pytest.mark.parametrize(
    ("card", "sentences"),
    [
        ("Slime Ray", ["Each other player discards a card."]),
        ("Nanobots", ["Draw 2 cards.", "Discard 2 cards."]),
        ("Moon Base", ["Gain 3 money for each card in hand.", "Discard the whole hand."]),
        ("Robot Doubles", ["Place a minion on any zone for each own built invention, free."]),
        ("Kraken", ["No effect."]),
    ],
)
def test_inventions(official, card, sentences):
    assert english.invention_lines(official.invention(card)) == sentences


def test_the_value_of_a_card(official):
    assert english.invention_value(official.invention("Kraken")) == "Worth 6 VP."
    lair = official.invention("Secret Lair")
    assert english.invention_value(lair) == "Worth 1 VP for each own built invention, itself included."


@pytest.mark.parametrize(
    ("twist", "rule"),
    [
        ("grants", "At the start of each round, each player with no built invention gains 2 money."),
        ("blood-sweat-and-mice", "Work pays 6 money (normally 4)."),
        ("age-of-boredom", "Nobody may choose an action that they chose in the last round."),
        ("stolen-parts", 'Every invention gains a last line: "Each other player loses 2 money."'),
        (
            "unions",
            (
                "Whenever a player builds an invention, after paying, the builder takes back a minion; "
                "if that is not possible, the card returns to the hand unpaid and the builder "
                "places a minion on Speculate, free."
            ),
        ),
        (
            "hyperinflation",
            (
                "Whenever a player builds an invention, after paying, the builder loses all money, "
                "before anything else that happens then."
            ),
        ),
        (
            "rigged-investments",
            (
                "In ascora-2011 and magellan-2014: Whenever a player places a minion, that player gains "
                "1 money for each minion of all players that stood on that zone as the round began. "
                "In mosigra-2020: Before minions are placed by Speculate, each player with a minion in "
                "reserve who chose Speculate gains 1 money for each minion of all players on all zones."
            ),
        ),
        (
            "embezzling-minions",
            (
                "At the start of each round, each player with 5 or more money loses the money held "
                "beyond a multiple of 5."
            ),
        ),
        ("custom-quiet-year", "Changes nothing."),
        ("custom-general-strike", "Nobody may choose Work."),
        ("custom-open-recruitment", "Whenever a player places a minion, every other player gains 1 money."),
        ("custom-starving-genius", "When scores are counted, each player with no money scores 2 VP more."),
        (
            "custom-rent-rise",
            (
                "Placing a minion on Speculate costs 1 money (normally 0; 1 more). "
                "Placing a minion on Invent costs 3 money (normally 2; 1 more). "
                "In ascora-2011: Placing a minion on Research costs 2 money (normally 1; 1 more). "
                "In magellan-2014 and mosigra-2020: Placing a minion on Research costs 1 money "
                "(normally 0; 1 more). "
                "Placing a minion on Work costs 2 money (normally 1; 1 more)."
            ),
        ),
    ],
)
def test_twists(checkout, twist, rule):
    catalog = load_catalog([checkout / "tests" / "data" / "custom_twists.toml"])
    assert " ".join(english.twist_rules(catalog.twist(twist), catalog.editions)) == rule


def test_conditions_say_whom_they_concern():
    assert say("after work", "+1 card", if_=["money == 0", "not played invent"]) == (
        "After Work, each player with no money who chose Work and did not choose Invent draws a card."
    )
    assert say("place", "+1 card", if_=["reserve == 0"]) == (
        "Whenever a player with no minion in reserve places a minion, that player draws a card."
    )
    assert say("end", "+1 card", if_=["money > hand", "round >= 3"]) == (
        "At the end of each round, each player with more money than cards in hand draws a card, "
        "if the number of the round is at least 3."
    )
    assert say("invention", "-1 card", who="others", if_=["built >= 3"]) == (
        "Every invention of a player with 3 or more built inventions gains a last line: "
        '"Each other player discards a card."'
    )


def test_what_looks_at_others():
    assert say("end", "+2 money", if_=["fewest built"]) == (
        "At the end of each round, each player with the fewest built inventions (tied or not) gains 2 money."
    )
    assert say("end", "-1 money per money/5", if_=["sole most money", "not neighbour played work"]) == (
        "At the end of each round, each player with more money than anybody else loses 1 money for each full "
        "5 money held, if no neighbour chose Work."
    )
    assert say("start", "+1 money per other with vp > my vp", if_=["not most money"]) == (
        "At the start of each round, each player with less money than some other player gains 1 money for "
        "each other player with more VP than they have."
    )
    assert say("build", "+1 card", if_=["neighbour hand > my built", "not other not played invent"]) == (
        "Whenever a player builds an invention, after paying, the builder draws a card, if a neighbour has "
        "more cards in hand than they have built inventions and every other player chose Invent."
    )
    assert say("invention", "+1 money per neighbour with vp >= my vp").endswith(
        '"Gain 1 money for each neighbour with at least as many VP as you have."'
    )


def test_others_at_the_table():
    assert say("end", "-2 money", who="others", if_=["hand == 0"]) == (
        "At the end of each round, each player with no card in hand makes every other player lose 2 money."
    )


def test_minions_and_zones():
    assert say("end", "-2 minion on work").endswith("each player takes back 2 minions from Work.")
    assert say("end", "-all minion off played").endswith(
        "takes back all minions that are not on the zone of an own action of this round."
    )
    assert say("end", "+1 minion on played").endswith(
        "places a minion on the zone of each own action of this round, free."
    )

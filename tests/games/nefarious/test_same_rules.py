"""Where the rules in force are equal on both sides, every game is, however the rules came about.

A comparison of two catalogs rests on it: what differs must be an effect of the rules. Catalogs are generated
that reach the same rules by other ways; equality is that of the compiled record, without the parameters of
players, which follow from the rest.
"""

from itertools import combinations

import numpy as np
import pytest

from balance import games
from balance.games.lineup import parse_lineup
from balance.games.nefarious import vocabulary as v

GAME = games.get("nefarious")
CATALOG = GAME.load_catalog()
EDITION = GAME.facts.default_edition
PLAYERS = 4
DEALS = np.arange(8, dtype=np.int64)
OF_PLAYERS = ("weights",)
"""Fields of the compiled rules that are not rules."""
TWISTS = [twist for twist in CATALOG.twists_of(EDITION) if twist.changes]
PLAIN = [twist for twist in TWISTS if not twist.lines]


def changed_edition(parameter, value):
    return f'[[edition]]\nid = "{EDITION}"\nset = {{ {parameter} = {value} }}\n'


def overridden():
    """Yield an edition that changes a parameter, and a twist that sets it anyway."""
    for twist in TWISTS:
        for change in twist.changes:
            if change.how != "set":
                continue
            limits = v.PARAMETERS[change.parameter]
            printed = CATALOG.edition(EDITION).parameters[change.parameter]
            for value in {printed - 1, printed + 1, change.value}:
                if limits.low <= value <= limits.high and value != printed:
                    yield changed_edition(change.parameter, value), (twist.id,), (twist.id,)


def said_otherwise():
    """Yield a twist of the catalog, and one of its own that adds what that one sets."""
    for twist in PLAIN:
        for change in twist.changes:
            printed = CATALOG.edition(EDITION).parameters[change.parameter]
            if change.how == "set" and len(twist.changes) == 1 and twist.switches == type(twist.switches)():
                own = f"add = {{ {change.parameter} = {change.value - printed} }}"
                text = f'[[twist]]\nid = "own"\nname = "Own"\neditions = ["{EDITION}"]\n{own}\n'
                yield text, (twist.id,), ("own",)


def not_in_force():
    """Yield changes of what is not in force, and of names."""
    other = next(edition.id for edition in CATALOG.editions if edition.id != EDITION)
    yield f'[[edition]]\nid = "{other}"\nset = {{ goal = 9 }}\n', ("geeks",), ("geeks",)
    yield '[[twist]]\nid = "geeks"\nset = { opening_cards = 5 }\n', ("unions",), ("unions",)
    yield '[[twist]]\nid = "unions"\nname = "Brotherhoods"\n', ("geeks", "unions"), ("geeks", "unions")
    yield '[[invention]]\nid = 9\nname = "Another name"\n', ("unions",), ("unions",)


def turned():
    """Yield pairs of twists in both orders."""
    for one, two in combinations(PLAIN, 2):
        yield "", (one.id, two.id), (two.id, one.id)


CASES = [*overridden(), *not_in_force(), *turned(), *said_otherwise()]
PLAYED = [("mirror:learned", *case) for case in CASES]
# archetypes have parameters that were fitted to printed twists, by id; they do not know an own twist
PLAYED += [("field", *case) for case in CASES if case[2] != ("own",)]


def compiled(overlay, twists, folder):
    paths = []
    if overlay:
        paths = [folder / "overlay.toml"]
        paths[0].write_text(overlay, encoding="utf-8")
    return GAME.compile(GAME.load_catalog(paths), EDITION, PLAYERS, twists)


def same_rules(one, two):
    names = [name for name in one.rules.dtype.names if name not in OF_PLAYERS]
    return all(one.rules[name].tobytes() == two.rules[name].tobytes() for name in names)


def tables(cell, lineup):
    seated = parse_lineup(lineup, PLAYERS, GAME).seated(3, DEALS)
    return GAME.play(cell, 3, DEALS, seated)


def test_most_generated_catalogs_have_the_same_rules(tmp_path):
    same = [
        same_rules(compiled("", before, tmp_path), compiled(overlay, after, tmp_path))
        for overlay, before, after in CASES
    ]
    assert len(CASES) > 40
    assert sum(same) > 0.8 * len(CASES)


@pytest.mark.parametrize(("lineup", "overlay", "before", "after"), PLAYED)
def test_the_same_rules_give_the_same_games(lineup, overlay, before, after, tmp_path):
    one, two = compiled("", before, tmp_path), compiled(overlay, after, tmp_path)
    if not same_rules(one, two):
        pytest.skip("other rules")
    left, right = tables(one, lineup), tables(two, lineup)
    for table, columns in left.items():
        for name, column in columns.items():
            assert np.array_equal(column, right[table][name]), f"{table}.{name}"

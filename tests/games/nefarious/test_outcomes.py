"""Golden outcomes: hashes over all columns of fixed batches; no change of rules or randomness goes unseen.

They are the same on every Python and processor; `make test-update` accepts a change that is meant.
"""

import hashlib

import numpy as np

from balance import games
from balance.games.lineup import parse_lineup

GAMES = 200
SEED = 2**62 + 7
CELLS = [
    ("ascora-2011", 2, ()),
    ("ascora-2011", 3, ()),
    ("ascora-2011", 4, ()),
    ("ascora-2011", 5, ()),
    ("ascora-2011", 6, ()),
    ("magellan-2014", 4, ()),
    ("mosigra-2020", 6, ("academics", "rigged-investments")),
    ("magellan-2014", 3, ("focus-groups", "insider-trading")),
    ("ascora-2011", 4, ("parallel-universe", "unions")),
    ("ascora-2011", 4, ("unions", "parallel-universe")),
    ("ascora-2011", 5, ("mad-broker", "perpetual-motion")),
    ("ascora-2011", 6, ("geeks", "alien-contact")),
    ("magellan-2014", 6, ("alien-contact", "focused-research")),
    ("magellan-2014", 2, ("quantum-relativity", "lingering-evil")),
    ("mosigra-2020", 3, ("long-term-plans", "hyperinflation")),
    ("ascora-2011", 4, ("overpopulation", "cyber-spies")),
]


# Players that think: their arithmetic must come out alike on every machine.
THINKING = [
    ("ascora-2011", 4, (), "mirror:adaptive", 100),
    ("ascora-2011", 5, ("mad-broker", "insider-trading"), "mirror:adaptive", 60),
    ("magellan-2014", 3, ("academics", "long-term-plans"), "field", 60),
    ("mosigra-2020", 6, ("geeks", "parallel-universe"), "field", 30),
    ("ascora-2011", 2, ("perpetual-motion", "unions"), "search:3,adaptive", 4),
]


def outcome_hash(cell, lineup="mirror:random", count=GAMES, **options):
    game = games.get("nefarious")
    seated = parse_lineup(lineup, cell.players, game).seated(SEED, range(count))
    tables = game.play(cell, SEED, range(count), seated, **options)
    digest = hashlib.sha256()
    for table in sorted(tables):
        for name, column in sorted(tables[table].items()):
            digest.update(f"{table}.{name} {column.dtype} {column.size}\n".encode())
            digest.update(np.ascontiguousarray(column).astype(column.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()


def test_outcomes_of_fixed_seeds(golden, official):
    lines = []
    for edition, players, twists in CELLS:
        cell = games.get("nefarious").compile(official, edition, players, twists)
        lines.append(f"{edition} {players} {','.join(twists) or '-'} {outcome_hash(cell)}\n")
    golden("outcomes.txt", "".join(lines))


def test_outcomes_of_players_that_think(golden, official):
    lines = []
    for edition, players, twists, lineup, count in THINKING:
        cell = games.get("nefarious").compile(official, edition, players, twists)
        hashed = outcome_hash(cell, lineup, count)
        lines.append(f"{edition} {players} {','.join(twists) or '-'} {lineup} {hashed}\n")
    golden("thinking.txt", "".join(lines))


def test_measurements_that_ship_are_of_these_games(official):
    """`Facts.fixed_games` stamps ladder.json and the like: who wins, when, with how many points."""
    game = games.get("nefarious")
    digest = hashlib.sha256()
    for edition, players, twists in CELLS:
        cell = game.compile(official, edition, players, twists)
        for lineup in ("mirror:random", "mirror:learned", "field"):
            seated = parse_lineup(lineup, players, game).seated(SEED, range(60))
            tables = game.play(cell, SEED, range(60), seated)
            for column in (tables["games"]["winner_seat"], tables["games"]["rounds"], tables["seats"]["vp"]):
                digest.update(column.astype("<i8").tobytes())
    assert digest.hexdigest()[:16] == game.facts.fixed_games


def test_order_replicate_and_card_texts_change_the_hash(official, overlay):
    """The hash sees what it is for: another order of twists, other decisions, another card."""
    game = games.get("nefarious")
    plain = outcome_hash(game.compile(official, "ascora-2011", 3))
    again = outcome_hash(game.compile(official, "ascora-2011", 3), replicates=[1] * GAMES)
    cheaper = game.load_catalog([overlay("[[invention]]\nid = 46\ncost = 1")])
    changed = outcome_hash(game.compile(cheaper, "ascora-2011", 3))
    assert len({plain, again, changed}) == 3
    assert plain == outcome_hash(game.compile(official, "ascora-2011", 3))

"""The hash of the documentation, for arrays: compared with plain integers, the kernel, and pinned values."""

import numpy as np

from balance.games.nefarious.catalog.loading import load_catalog
from balance.games.nefarious.rules import compile_cell
from balance.games.nefarious.session import Session
from balance.games.randomness import hashed, pick

MASK = 2**64 - 1


def plain_mix(x):
    """docs/games/nefarious.md, word by word."""
    x = (x + 0x9E3779B97F4A7C15) & MASK
    z = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return z ^ z >> 31


def plain_hash(*values):
    h = 0
    for v in values:
        h = plain_mix(h ^ v)
    return h


def test_pinned():
    assert [int(hashed(*values)) for values in [(0,), (1, 2), (2**63 - 1, 6, 2**32 - 1, 3, 0, 5)]] == [
        16294208416658607535,
        13608149317741381227,
        13354171793460013708,
    ]


def test_arrays_are_the_plain_hash_of_every_element():
    games, seats = np.array([0, 1, 2**32 - 1])[:, None], np.arange(4)
    keys = hashed(2**63 - 1, 4, games, 3, 7, seats)
    assert keys.dtype == np.uint64
    assert keys.tolist() == [
        [plain_hash(2**63 - 1, 4, int(game), 3, 7, seat) for seat in range(4)] for game in games[:, 0]
    ]
    assert pick(keys, 10).tolist() == [[((int(key) >> 32) * 10) >> 32 for key in row] for row in keys]


def test_it_is_the_hash_of_the_kernel():
    for seed, players, index in [(0, 2, 0), (7, 4, 123), (2**63 - 1, 6, 2**32 - 1)]:
        game = Session(compile_cell(load_catalog(), "ascora-2011", players), seed, index, replicate=9).state
        assert int(hashed(seed, players, index, 1)) == int(game["deck_key"])
        keys = hashed(seed, players, index, 2, 9, np.arange(players))
        assert keys.tolist() == game["policy_key"][:players].tolist()

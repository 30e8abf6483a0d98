"""Randomness as a hash of what it is for, never a sequence (docs/games/nefarious.md, "Randomness").

Variants and policies are not in the keys: the same game index meets the same shuffle in every cell. The same
arithmetic for arrays of games is `balance.games.randomness`.
"""

from typing import Final

import numpy as np

from balance.games.compiled.jit import inline, jit
from balance.games.compiled.sizes import BUCKETS, MOST_CARDS

_GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
_FIRST: Final = np.uint64(0xBF58476D1CE4E5B9)
_SECOND: Final = np.uint64(0x94D049BB133111EB)
_S30: Final = np.uint64(30)
_S27: Final = np.uint64(27)
_S31: Final = np.uint64(31)
_S32: Final = np.uint64(32)
_CARD_BITS: Final = np.uint64(MOST_CARDS - 1)
_BUCKET_SHIFT: Final = np.uint64(58)
FOR_DECK: Final = np.uint64(1)
FOR_POLICY: Final = np.uint64(2)


@inline
def mix(x):
    """Scramble 64 bits (the finaliser of SplitMix64)."""
    x = np.uint64(x) + _GOLDEN
    x = (x ^ (x >> _S30)) * _FIRST
    x = (x ^ (x >> _S27)) * _SECOND
    return x ^ (x >> _S31)


@inline
def extend(key, value):
    """Add one more value to a hash: H(..., value)."""
    return mix(key ^ np.uint64(value))


@jit
def game_key(seed, players, game_index):
    """Return H(seed, players, game index), the common beginning of all keys of a game."""
    return extend(extend(mix(np.uint64(seed)), players), game_index)


@inline
def pick(key, options):
    """Return one of 0 .. options-1, uniformly."""
    return np.int64(((key >> _S32) * np.uint64(options)) >> _S32)


@inline
def decision_key(policy_key, round_, kind, number):
    """Return the key of one decision of one seat: round, kind and number go in as one value."""
    return extend(policy_key, (round_ << 24) | (kind << 16) | number)


@inline
def order_by_hash(key, ids, cards, first, count, starts, keys, in_order):
    """Order cards[first : first + count] by H(key, id of the card).

    The lowest seven bits of a hash give way to the card, so that one number is moved, not two; slots
    ascend with ids, so that equal hashes are ordered by id. Hashes are spread evenly, so the keys are first
    dealt into as many buckets by their leading bits, which leaves little to sort. `starts` is room for
    BUCKETS + 1 numbers, `keys` and `in_order` for MOST_CARDS hashes each.
    """
    for b in range(BUCKETS + 1):
        starts[b] = 0
    for i in range(count):
        card = cards[first + i]
        hashed = (extend(key, ids[card]) & ~_CARD_BITS) | np.uint64(card)
        keys[i] = hashed
        starts[np.int64(hashed >> _BUCKET_SHIFT) + 1] += 1
    for b in range(BUCKETS):
        starts[b + 1] += starts[b]
    for i in range(count):
        bucket = np.int64(keys[i] >> _BUCKET_SHIFT)
        in_order[starts[bucket]] = keys[i]
        starts[bucket] += 1
    for i in range(1, count):
        hashed = in_order[i]
        j = i - 1
        while j >= 0 and in_order[j] > hashed:
            in_order[j + 1] = in_order[j]
            j -= 1
        in_order[j + 1] = hashed
    for i in range(count):
        cards[first + i] = np.uint8(in_order[i] & _CARD_BITS)

"""The count of combinations of a class: right at any number of games, and its interval covers the truth."""

import numpy as np
import pytest

from balance.judge.counting import counted
from balance.judge.thresholds import Class, Threshold, Thresholds
from balance.judge.verdict import Verdict, judge
from tests.judge.synthetic import bernoulli, book, cell

THRESHOLDS = Thresholds(
    (
        Threshold("stalls", None, 0.1, "test", class_high=Class.BREAKS),
        Threshold("tie_extensions", None, 0.3, "test", class_high=Class.BENDS),
    )
)
TRIES = 200


EDGES = np.array([[0.1], [0.3]])


def on_edges(rng, pairs):
    """Shares of both metrics: point masses on the thresholds, some far away, a skewed rest."""
    kinds = rng.integers(0, 4, (2, pairs))
    rest = rng.beta(1, 4, (2, pairs))
    return np.select(
        [kinds == 0, kinds == 1, kinds == 2], [EDGES, 0.3 * EDGES, np.minimum(1.8 * EDGES, 1)], rest
    )


MIXTURES = {
    "on edges": on_edges,
    "all on one edge": lambda rng, pairs: EDGES + np.zeros((2, pairs)),
    "just above": lambda rng, pairs: 1.05 * EDGES + np.zeros((2, pairs)),
    "two points": lambda rng, pairs: np.where(rng.random((2, pairs)) < 0.3, 1.3, 0.7) * EDGES,
    "few far": lambda rng, pairs: np.where(rng.random((2, pairs)) < 0.05, 2.0, 0.3) * EDGES,
    "skewed": lambda rng, pairs: np.minimum(EDGES * np.exp(rng.normal(-0.5, 1, (2, pairs))), 1),
}
"""Distributions of the truths that the estimate does not assume."""


def numbers_of(true):
    broken, bends = true[0] > 0.1, true[1] > 0.3
    return [int(one.sum()) for one in (broken, ~broken & bends, ~broken & ~bends)]


def drawn(rng, true, n):
    """Combinations whose games share a part of their chance."""
    shared, pairs = rng.random(n), true.shape[1]
    own = np.where(rng.random((pairs, n)) < 0.5, shared, rng.random((pairs, n)))
    return cells_of([(own < share[:, None]).sum(axis=1) for share in true], n)


def alone(rng, true, n):
    """Combinations whose games have nothing in common."""
    return cells_of(rng.binomial(n, true), n)


def cells_of(sums, n):
    stalls, extended = sums
    return [
        cell(
            k,
            {"stalls": bernoulli(int(a), n), "tie_extensions": bernoulli(int(b), n)},
            n=n,
            variants=(f"v{k}",),
        )
        for k, (a, b) in enumerate(zip(stalls, extended, strict=True))
    ]


@pytest.mark.parametrize("mixture", MIXTURES)
@pytest.mark.parametrize("n", [100, 1500])
def test_the_interval_covers_the_true_number(mixture, n):
    rng = np.random.default_rng(n)
    covered, claimed = [], []
    for _ in range(TRIES):
        true = MIXTURES[mixture](rng, 40)
        numbers = numbers_of(true)
        found = judge(book(*drawn(rng, true, n)), THRESHOLDS).judgements
        covered.append([c.low <= number <= c.high for c, number in zip(counted(found), numbers, strict=True)])
        claimed.append(sum(j.verdict is Verdict.BROKEN for j in found) == numbers[0])
    assert (np.mean(covered, axis=0) >= 0.95).all()
    if mixture == "on edges":
        assert np.mean(claimed) < 0.95  # the number of verdicts does not have that coverage


@pytest.mark.parametrize("mixture", ["two points", "few far", "skewed"])
def test_few_games_and_many_give_the_same_number(mixture):
    """The estimate of 400 games agrees with that of 7,200, where the number of verdicts has grown."""
    rng = np.random.default_rng(8)
    grown = []
    for _ in range(5):
        true = MIXTURES[mixture](rng, 300)
        few, many = (judge(book(*alone(rng, true, n)), THRESHOLDS).judgements for n in (400, 7200))
        for one, other, number in zip(counted(few), counted(many), numbers_of(true), strict=True):
            assert one.low <= other.estimate <= one.high
            assert abs(one.estimate - other.estimate) <= 0.06 * 300
            assert abs(other.estimate - number) <= 0.03 * 300
            assert other.high - other.low <= one.high - one.low
        grown.append(sum(j.verdict is not Verdict.UNDECIDED for j in many)
                     > sum(j.verdict is not Verdict.UNDECIDED for j in few))  # fmt: skip
    assert any(grown) or mixture == "few far"


def test_what_is_shown_counts_whole_and_narrows_the_interval():
    rng = np.random.default_rng(3)
    found = judge(book(*alone(rng, MIXTURES["few far"](rng, 100), 20_000)), THRESHOLDS).judgements
    assert all(one.low == one.estimate == one.high for one in counted(found))
    assert str(counted(found)[0]).endswith(f"broken ({counted(found)[0].low} to {counted(found)[0].low})")


def test_nothing_measured_leaves_everything_open():
    (judgement,) = judge(book(cell(0)), THRESHOLDS).judgements
    assert [(one.low, one.high, one.of) for one in counted([judgement])] == [(0, 1, 1)] * 3

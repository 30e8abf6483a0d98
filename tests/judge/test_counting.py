"""The count of combinations of a class: its interval covers the truth at any number of games."""

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


def truths(rng, pairs=40):
    """Shares of both metrics: point masses on the thresholds, some far away, a skewed rest."""
    kinds = rng.integers(0, 4, (2, pairs))
    rest = rng.beta(1, 4, (2, pairs))
    edges = np.array([[0.1], [0.3]])
    return np.select(
        [kinds == 0, kinds == 1, kinds == 2], [edges, 0.3 * edges, np.minimum(1.8 * edges, 1)], rest
    )


def drawn(rng, true, n):
    """Combinations whose games share a part of their chance."""
    shared, pairs = rng.random(n), true.shape[1]
    own = np.where(rng.random((pairs, n)) < 0.5, shared, rng.random((pairs, n)))
    stalls, extended = ((own < share[:, None]).sum(axis=1) for share in true)
    return [
        cell(
            k,
            {"stalls": bernoulli(int(a), n), "tie_extensions": bernoulli(int(b), n)},
            n=n,
            variants=(f"v{k}",),
        )
        for k, (a, b) in enumerate(zip(stalls, extended, strict=True))
    ]


@pytest.mark.parametrize("n", [100, 1500])
def test_the_interval_covers_the_true_number(n):
    rng = np.random.default_rng(n)
    covered, claimed, widths = [], [], []
    for _ in range(TRIES):
        true = truths(rng)
        broken, bends = true[0] > 0.1, true[1] > 0.3
        numbers = {
            Verdict.BROKEN: broken.sum(),
            Verdict.BENT: (~broken & bends).sum(),
            Verdict.FINE: (~broken & ~bends).sum(),
        }
        found = judge(book(*drawn(rng, true, n)), THRESHOLDS).judgements
        intervals = counted(found)
        covered.append([one.low <= numbers[one.verdict] <= one.high for one in intervals])
        claimed.append(sum(j.verdict is Verdict.BROKEN for j in found) == numbers[Verdict.BROKEN])
        widths.append([one.high - one.low for one in intervals])
    assert (np.mean(covered, axis=0) >= 0.95).all()
    assert np.mean(claimed) < 0.95  # the number of verdicts does not have that coverage
    assert np.mean(widths) < (30 if n == 100 else 15)


def test_nothing_measured_leaves_everything_open():
    (judgement,) = judge(book(cell(0)), THRESHOLDS).judgements
    assert [(one.low, one.high, one.of) for one in counted([judgement])] == [(0, 1, 1)] * 3

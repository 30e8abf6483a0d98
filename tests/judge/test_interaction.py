"""Interactions: against differences in differences counted deal by deal."""

import math
from dataclasses import replace

import numpy as np
import pytest

import balance
from balance.judge.interaction import LOG, interactions, together
from balance.judge.ranking import ranked
from balance.judge.verdict import Verdict, judge
from balance.measure.cells import statistics
from tests.judge.synthetic import accept, bernoulli, book, cell


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("interaction")
    return balance.simulate(
        folder / "run",
        players="4",
        variants=["none", "unions", "geeks", "unions,geeks"],
        lineups=["mirror:random"],
        games_per_cell=60,
        seed=5,
    )


@pytest.fixture(scope="module")
def found(run):
    return interactions([run], statistics([run]))


def by_index(run, column):
    """Return the column of all four cells, one row per index: both, geeks, unions, none."""
    frame = run.games.collect()
    order = [("geeks", "unions"), ("geeks", None), ("unions", None), (None, None)]
    rows = {
        (row["pair_a"], row["pair_b"], row["game_index"]): row[column] for row in frame.iter_rows(named=True)
    }
    return np.array([[rows[a, b, k] for a, b in order] for k in range(60)], float)


def test_length_beyond_both_alone_on_the_log_scale(run, found):
    (length,) = [i for i in found if i.measure == "mean_length"]
    rounds = by_index(run, "rounds")
    means = rounds.mean(axis=0)
    value = np.log(means) @ [1, -1, -1, 1]
    influence = (rounds / means) @ [1, -1, -1, 1]
    error = influence.std(ddof=1) / math.sqrt(60)
    assert length.scale == LOG
    assert length.interval == pytest.approx((value, value - 1.959964 * error, value + 1.959964 * error))
    assert "times what both alone would give" in length.sentence()


def test_shares_beyond_both_alone(run, found):
    (exhausted,) = [i for i in found if i.measure == "exhaustion"]
    beyond = by_index(run, "deck_exhausted") @ [1, -1, -1, 1]
    assert exhausted.interval.value == pytest.approx(beyond.mean())
    width = exhausted.interval.high - exhausted.interval.value
    assert width == pytest.approx(2.000995 * beyond.std(ddof=1) / math.sqrt(60), rel=1e-5)
    seats = [i for i in found if i.measure.startswith("seat")]
    assert sum(i.interval.value for i in seats) == pytest.approx(0)
    assert not [i for i in found if i.measure.startswith("win_points")]  # all seats play alike


def test_corrected_over_everything_looked_at(found):
    assert all(i.p <= i.adjusted <= 1 for i in found)
    assert len({i.measure for i in found}) == len(found) >= 10


def test_a_pair_whose_variants_were_not_played_alone_is_left_out(run):
    stats = statistics([run])
    pair = stats.find(4, ("geeks", "unions"), "mirror:random")
    alone = [c.id for c in stats.cells.values() if c.variants == ("geeks",)]
    fewer = replace(stats, cells={k: c for k, c in stats.cells.items() if k not in alone})
    assert interactions([run], fewer, [pair.id]) == []


STALLS = accept(stalls=(None, 0.1))


def judged(**shares):
    n = 1000
    cells = [
        cell(k, {"stalls": bernoulli(round(share * n), n)}, n=n, variants=tuple(name.split("_")))
        for k, (name, share) in enumerate(shares.items())
    ]
    return judge(book(*cells), STALLS), book(*cells)


@pytest.mark.parametrize(
    ("alone", "expected"),
    [(0.02, True), (0.1, False), (0.3, None)],
    ids=["both fine", "one undecided", "one broken"],
)
def test_neither_breaks_it_together_they_do(alone, expected):
    found = together(*judged(a=0.02, b=alone, a_b=0.3))
    assert [t.sure for t in found] == ([] if expected is None else [expected])
    if expected is not None:
        start = "Neither breaks it alone, together they do" if expected else "Possibly only together"
        assert found[0].sentence().startswith(start)


def test_without_the_singles_it_is_only_possible():
    judgements, statistics_ = judged(a_b=0.3)
    assert judgements.judgements[0].verdict is Verdict.BROKEN
    assert [t.sure for t in together(judgements, statistics_)] == [False]


def test_what_only_together_is_broken_is_listed_first():
    judgements, statistics_ = judged(a=0.02, b=0.02, a_b=0.2, c=0.3, b_c=0.9)
    order = ranked(judgements.judgements, together(judgements, statistics_))
    assert [j.variants for j in order[:3]] == [("a", "b"), ("b", "c"), ("c",)]
    assert [j.variants for j in ranked(judgements.judgements)[:2]] == [("b", "c"), ("c",)]

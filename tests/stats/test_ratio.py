"""Ratios over deals: SQL macros and NumPy agree, and both are right where a figure is known by hand."""

import math

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balance.dataset.sql_quote import MACROS
from balance.stats.arithmetic import fieller, student, wilson
from balance.stats.ratio import Multiple, Ratio
from tests.sums import common_of, difference_of, quantiles_of

WHOLE = st.integers(0, 12)
DEALS = st.lists(st.tuples(WHOLE, WHOLE, WHOLE, WHOLE), max_size=40)
GROUPS = st.lists(DEALS, min_size=1, max_size=30)
"""Many at once: one query costs more than what it computes."""


@pytest.fixture(scope="module")
def con():
    with duckdb.connect() as con:
        con.execute(MACROS.read_text(encoding="utf-8"))
        yield con


def asked(con, groups, expression):
    """Return value and ends of each group by SQL: NaN for what is not known."""
    rows = [(k, *deal) for k, deals in enumerate(groups) for deal in deals]
    columns = dict(zip("kxyuv", zip(*rows, strict=True) if rows else [()] * 5, strict=True))
    given = {name: list(column) for name, column in columns.items()}
    unnested = ", ".join(f"unnest(${name}::int[]) as {name}" for name in given)
    found = con.execute(
        f"select g, unnest({expression}) from (select unnest(range({len(groups)})) as g) "
        f"left join (select {unnested}) on k = g group by g order by g",
        given,
    ).fetchall()
    return [math.nan if one is None else one for _, *row in found for one in row]


def told(*estimates):
    """Return value and ends of each: NaN for what is not known."""
    figures = [float(one) for own in estimates for one in (own.value, own.low, own.high)]
    return [one if math.isfinite(one) else math.nan for one in figures]


def near(wanted, **tolerance):
    return pytest.approx(wanted, nan_ok=True, **tolerance)


def columns(deals):
    return np.array(deals, np.int64).reshape(-1, 4).T


@settings(max_examples=15, deadline=None)
@given(groups=GROUPS, most=st.integers(1, 6))
@pytest.mark.slow
def test_a_share_is_the_same_in_sql(con, groups, most):
    groups = [[(min(x, most * y), y, u, v) for x, y, u, v in deals] for deals in groups]
    found = told(*(Ratio.of(*columns(deals)[:2], most) for deals in groups))
    assert asked(con, groups, f"points(x, y, {most})") == near(found, abs=1e-9)


@settings(max_examples=15, deadline=None)
@given(groups=GROUPS)
def test_a_mean_is_the_same_in_sql(con, groups):
    found = told(*(Ratio.of(*columns(deals)[:2]) for deals in groups))
    assert asked(con, groups, "average(x, y)") == near(found, rel=1e-9, abs=1e-9)


def multiple(deals):
    x, y, u, v = columns(deals)
    return Multiple(Ratio.of(x, y), Ratio.of(u, v), common_of(x, y, u, v))


@settings(max_examples=15, deadline=None)
@given(groups=GROUPS)
@pytest.mark.slow
def test_a_multiple_is_the_same_in_sql(con, groups):
    found = told(*map(multiple, groups))
    given = asked(con, groups, "multiple_from(sums(x, y), sums(u, v), common(x, y, u, v))")
    for k in range(0, len(found), 3):
        # where the denominator may just be 0, rounding decides whether an interval is open-ended
        known = not any(map(math.isnan, [*found[k : k + 3], *given[k : k + 3]]))
        assert given[k : k + 3 if known else k + 1] == near(found[k : k + 3 if known else k + 1], rel=1e-9)


@pytest.mark.parametrize("freedom", [1, 2, 30, 100, 101, 150, 1000, 10**6])
def test_students_quantile_is_the_same_in_sql(con, freedom):
    (row,) = con.execute("select student(?)", [freedom]).fetchall()
    assert row[0] == pytest.approx(float(student(freedom)), rel=1e-12)


def test_degenerate_sums_by_hand(con):
    nothing = Ratio.of([], 1, most=1)
    assert told(nothing) == near([math.nan, 0.0, 1.0])
    assert asked(con, [[]], "share(x, y)") == near([math.nan, 0.0, 1.0])
    certain = Ratio.of([1] * 100, 1, most=1)  # Wilson's interval of 100 of 100
    assert told(certain) == pytest.approx([1.0, 100 / (100 + 1.959963984540054**2), 1.0])
    alone = Ratio.of([7], 2)
    assert told(alone) == near([3.5, math.nan, math.nan])
    assert asked(con, [[(7, 2, 0, 0)]], "average(x, y)") == near([3.5, math.nan, math.nan])
    alike = Ratio.of([6, 6, 6], 2)
    assert told(alike) == [3.0, 3.0, 3.0]


def test_p_values_by_hand():
    seen = Ratio.of([1, 1, 1, 0, 0, 0, 0, 0, 0, 0], 1, most=1)
    exact = sum(math.comb(10, k) * 0.1**k * 0.9 ** (10 - k) for k in range(3, 11))
    assert float(seen.above(0.1)) == pytest.approx(exact, rel=1e-12)
    assert float(seen.below(0.9)) == pytest.approx(
        sum(math.comb(10, k) * 0.1**k * 0.9 ** (10 - k) for k in range(7, 11))
    )
    amounts = Ratio.of([1, 2, 3], 1)  # mean 2, standard error 1 / sqrt(3), two degrees of freedom
    z = 2 * math.sqrt(3)
    assert float(amounts.above(0.0)) == pytest.approx(0.5 - z / (2 * math.sqrt(2 + z * z)), rel=1e-9)


def test_ratios_of_different_deals_add_up():
    one, two = Ratio.of([1, 2, 3], [2, 2, 4]), Ratio.of([5, 0], [6, 1])
    both = Ratio.of([1, 2, 3, 5, 0], [2, 2, 4, 6, 1])
    assert told(one + two) == told(both)


def test_what_both_sides_share_cancels():
    rng = np.random.default_rng(1)
    base = rng.integers(50, 150, 400)
    own = base + rng.integers(0, 3, 400)
    one, two = Ratio.of(own, 1), Ratio.of(base, 1)
    paired = Multiple(one, two, common_of(own, 1, base, 1))
    apart = Multiple(one, two, common_of([], 1, [], 1))
    assert float(paired.high - paired.low) < 0.1 * float(apart.high - apart.low)
    assert float(paired.low) < 1.01 < float(paired.high)


def at_least(k, n, p):
    return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))


def test_games_of_one_deal_count_once_if_the_deal_decides_them():
    """20 deals of 5 equal games each say as much as 20 games."""
    deals = Ratio.of([5] * 8 + [0] * 12, 5, 1)
    assert [float(deals.low), float(deals.high)] == pytest.approx([float(end) for end in wilson(0.4, 20)])


def test_deals_that_say_nothing_are_not_trials():
    """Won whenever it was dealt, but that was only in 5 of 100 games."""
    dealt = Ratio.of([4] * 5 + [0] * 95, [1] * 5 + [0] * 95, 4)
    assert float(dealt.low) == pytest.approx(4 * float(wilson(1.0, 5)[0]))
    assert float(dealt.above(2.0)) == pytest.approx(0.5**5)
    assert int(dealt.n) == 5


def test_nothing_seen_is_not_proof_of_nothing():
    none = Ratio.of([0] * 100, 1, 1)
    assert float(none.above(0.01)) == 1
    assert float(none.below(0.01)) == pytest.approx(0.99**100)


def test_a_mean_by_hand():
    """Games of 1, 2, 3, 6: mean 3, variance 14/3, standard error sqrt(7/6); t(0.975, 3) = 3.182446."""
    mean = Ratio.of([1, 2, 3, 6], 1)
    reach = 3.182446 * math.sqrt(7 / 6)
    assert told(mean) == pytest.approx([3, 3 - reach, 3 + reach], rel=1e-6)
    assert float(mean.z(2)) == pytest.approx(1 / math.sqrt(7 / 6))
    assert float(mean.above(1)) == pytest.approx(1 - float(mean.below(1)))


def test_a_multiple_by_hand():
    """(10 - 5t)^2 = 4 (0.25 + 0.04 t^2) has the roots (50 ± sqrt(50^2 - 24.84 * 99)) / 24.84."""
    root = math.sqrt(50**2 - 24.84 * 99)
    low, high = fieller(10, 5, 0.25, 0.04, 0.0, 2)
    assert (float(low), float(high)) == pytest.approx(((50 - root) / 24.84, (50 + root) / 24.84))
    assert [float(end) for end in fieller(10, 0.3, 0.25, 0.04, 0.0)] == [-math.inf, math.inf]
    same = multiple([(4, 1, 2, 1), (8, 1, 4, 1), (12, 1, 6, 1), (16, 1, 8, 1)])
    # own - 1.99 base is a hundredth of base: mean 0.05, variance 20/3 / 4 / 10000; t(3) above 3.873
    assert float(same.z(1.99)) == pytest.approx(0.05 / math.sqrt(20 / 3 / 4 / 10_000))
    assert float(same.above(1.99)) == pytest.approx(0.015233, rel=1e-4)


def test_quantiles_by_order_statistics():
    """Of 100 values the ranks 40 and 61 enclose the median with 95%: 50 ± 9.8, rounded outwards."""
    counts = dict.fromkeys(range(1, 101), 1)
    assert quantiles_of(counts, 0.5).interval == (50.5, 40, 61)
    assert quantiles_of(counts, 0.05).interval == (5, 1, 11)
    assert quantiles_of(counts, 0.5, design=4.0).interval == (50.5, 30, 71)


def test_a_median_is_compared_with_whole_numbers():
    """60 games of 5 rounds, 40 of 6: the median is 5, surely at least 5, surely not above."""
    median = quantiles_of({5: 60, 6: 40}, 0.5)
    assert float(median.value) == 5
    assert float(median.above(5)) == pytest.approx(at_least(40, 100, 0.5))
    assert float(median.at_least(5)) == pytest.approx(0.5**100)
    assert float(median.below(5)) == 1
    assert float(median.at_most(5)) == pytest.approx(at_least(60, 100, 0.5))
    assert float(median.at_most(6)) == pytest.approx(0.5**100)
    assert float(quantiles_of({5: 60, 6: 40}, 0.95).above(5)) == pytest.approx(at_least(40, 100, 0.05))


def test_many_at_once_are_as_one_by_one():
    each = [Ratio.of([1, 0, 1, 0], 1, 1), Ratio.of([3, 4, 5, 9], 2), Ratio.of([2, 0, 0, 0], 1, 2)]
    many = Ratio.stack(each)
    assert many.low.tolist() == [float(one.low) for one in each]
    assert many.above(np.array([0.1, 2.0, 0.5])).tolist() == [
        float(one.above(bound)) for one, bound in zip(each, (0.1, 2.0, 0.5), strict=True)
    ]


# --- differences on common deals


@settings(max_examples=15, deadline=None)
@given(groups=GROUPS)
def test_a_difference_is_the_same_in_sql(con, groups):
    groups = [*groups, [], [(3, 2, 1, 1)], [(k + 3, 1, k, 1) for k in range(20)], [(1, 0, 0, 4)] * 3]
    found = told(*(difference_of(*columns(deals)) for deals in groups))
    expression = "difference_from(sums(x, y), sums(u, v), common(x, y, u, v))"
    assert asked(con, groups, expression) == near(found, rel=1e-9, abs=1e-7)


def test_p_values_of_a_difference_in_sql_are_hardly_above_the_true_ones(con):
    """Never below, at most 6% above, whatever the size that decides anything."""
    from scipy.stats import t

    rows = [(z, freedom) for freedom in (9, 20, 60, 450, 30_000) for z in (1.5, 2.0, 3.0, 4.0, 5.0, 6.5)]
    for z, freedom in rows:
        (found,) = con.execute("select two_sided($z, 1.0::double, $n)", {"z": z, "n": freedom + 1}).fetchone()
        true = 2 * t.sf(z, freedom)
        assert 1.0 <= found / true <= 1.06, (z, freedom, found, true)
    for case in ("two_sided(1, 0.0::double, 50)", "two_sided(1, null, 50)", "two_sided(1, 1.0::double, 9)"):
        assert con.execute(f"select {case}").fetchone() == (None,)
    assert con.execute("select two_sided(0, 1.0::double, 50)").fetchone() == (1.0,)


def test_a_difference_by_hand():
    """6 of 8 less 3 of 6: what deals add is (3-1.5)/8, (1-1.5)/8, (2-3)/8, and (2-1)/6, (0-1)/6, 0."""
    found = difference_of([3, 1, 2], [2, 2, 4], [2, 0, 1], [2, 2, 2])
    assert float(found.value) == pytest.approx(0.25)
    product = (1.5 * 1 + -0.5 * -1 + -1 * 0) / (8 * 6)
    assert float(found.variance) == pytest.approx((3.5 / 64 + 2 / 36 - 2 * product) * 3 / 2)


def test_where_every_deal_differs_by_the_same_there_is_no_spread():
    found = difference_of(np.arange(20) + 3, 1, np.arange(20), 1)
    assert (float(found.variance), float(found.low), float(found.p)) == (0.0, 3.0, 0.5**19)
    nothing = difference_of(np.arange(20), 1, np.arange(20), 1)
    assert (float(nothing.value), float(nothing.p)) == (0.0, 1.0)


def dealt(rng, deals, cells):
    """Scores and seats of an item that is dealt in 1 of 5 deals; all cells share the luck of a deal."""
    seats = (rng.random(deals) < 0.2) * cells
    return 4 * rng.binomial(seats, rng.beta(0.5, 1.5, deals)), seats


@pytest.mark.parametrize(("deals", "cells"), [(60, 50), (450, 600), (450, 1)])
def test_the_interval_covers_the_truth_95_times_in_100(deals, cells):
    rng = np.random.default_rng(3)
    found = [Ratio.of(*dealt(rng, deals, cells)).interval for _ in range(800)]
    covered = sum(ends.low <= 1 <= ends.high for ends in found)
    assert 0.92 <= covered / 800 <= 0.975


def test_counting_games_instead_of_deals_would_not_pass():
    rng = np.random.default_rng(4)
    covered = 0
    for _ in range(300):
        score, seats = dealt(rng, 450, 600)
        share, n = score.sum() / seats.sum() / 4, seats.sum()
        covered += abs(4 * share - 1) <= 1.96 * 4 * (share * (1 - share) / n) ** 0.5
    assert covered / 300 < 0.3


def test_p_values_keep_their_level_and_common_deals_make_a_difference_sharp():
    rng = np.random.default_rng(5)
    level, found = [], []
    for _ in range(600):
        seats = (rng.random(300) < 0.2) * 36
        luck = rng.beta(0.5, 1.5, 300)
        plain, same = (4 * rng.binomial(seats, luck) for _ in range(2))
        better = 4 * rng.binomial(seats, np.clip(luck + 0.05, 0, 1))
        level.append(float(difference_of(same, seats, plain, seats).p))
        found.append(difference_of(better, seats, plain, seats))
    assert 0.035 <= np.mean(np.array(level) < 0.05) <= 0.075
    assert np.mean([float(one.p) < 0.05 for one in found]) > 0.97
    apart = [abs(one.value) > 2 * math.sqrt(one.own.variance + one.base.variance) for one in found]
    assert np.mean(apart) < 0.5

"""Verdicts: what is said, for whom, what it was corrected for, and what is missing for more."""

import math

import pytest

from balance import games
from balance.analysis.cells import Sums, statistics
from balance.analysis.corrections import Look, harmonic
from balance.analysis.ranking import ranked
from balance.analysis.sentences import finding_sentence
from balance.analysis.thresholds import load_thresholds
from balance.analysis.verdict import (
    TOO_MANY,
    Verdict,
    combined,
    judge,
    sensitivity,
    strength_of,
    unfitted_variants,
)
from tests.analysis.synthetic import FACTS, accept, bernoulli, book, cell
from tests.games.tiny import GAME

STALLS = accept(stalls=(None, 0.1))


def stalled(number, share, n=1000, **more):
    return cell(number, {"stalled": bernoulli(round(share * n), n)}, n=n, **more)


def only(found):
    (judgement,) = found.judgements
    return judgement


@pytest.mark.parametrize(
    ("share", "verdict"),
    [(0.2, Verdict.BROKEN), (0.02, Verdict.FINE), (0.1, Verdict.UNDECIDED), (0.095, Verdict.UNDECIDED)],
)
def test_three_verdicts(share, verdict):
    found = only(judge(book(stalled(0, share)), STALLS))
    assert found.verdict is verdict
    assert (found.broken_for == ["casual play"]) == (verdict is Verdict.BROKEN)


def test_not_significant_is_not_fine():
    few = only(judge(book(stalled(0, 0.0, n=20)), STALLS))
    assert few.verdict is Verdict.UNDECIDED
    assert 0 < few.further < 100
    assert few.holding.measured.name == "stalls"


def test_both_ends_of_a_range_count():
    seat = accept(seat=(0.9, 1.1))
    for score, verdict in [
        (1, Verdict.FINE),
        (1.05, Verdict.UNDECIDED),
        (1.5, Verdict.BROKEN),
        (0.5, Verdict.BROKEN),
    ]:
        wins = round(score * 1000 / 4)
        sums = Sums(1000, 4 * wins, 1000, 16 * wins, 1000, 4 * wins)
        found = only(judge(book(cell(0, {"seat:0": sums})), seat))
        assert found.verdict is verdict
        assert found.tests == 2
    assert found.broken[0].upper is False
    assert finding_sentence(found.broken[0]).startswith("Seat 0 gets 0.50 (")


def test_broken_at_any_strength_fine_only_at_all():
    casual, skilled = stalled(0, 0.02), stalled(1, 0.2, lineup="mirror:adaptive")
    found = only(judge(book(casual, skilled), STALLS))
    assert found.verdict is Verdict.BROKEN
    assert found.broken_for == ["skilled play"]
    assert [c.verdict for c in found.cells] == [Verdict.FINE, Verdict.BROKEN]
    open_ = only(judge(book(casual, stalled(1, 0.1, lineup="mirror:adaptive")), STALLS))
    assert open_.verdict is Verdict.UNDECIDED
    assert combined([]) is Verdict.UNDECIDED


def test_the_family_is_everything_looked_at_and_is_told():
    thresholds = accept(stalls=(None, 0.1), tie_extensions=(0.0, 0.5))
    cells = [
        cell(k, {"stalled": bernoulli(100, 1000), "extended": bernoulli(1, 1000)}, variants=(f"v{k}",))
        for k in range(5)
    ]
    found = judge(book(*cells), thresholds)
    assert (found.family.tests, found.family.cells, found.family.metrics) == (15, 5, 2)
    assert found.family.level_broken == pytest.approx(0.05 / (15 * harmonic(15)))
    assert "15 tests of 2 metrics in 5 cells" in str(found.family)


def test_what_is_broken_alone_may_be_undecided_among_many():
    """118 of 1000 against 0.1: p = 0.034; enough alone, not among fifty."""
    thresholds = STALLS
    alone = only(judge(book(stalled(0, 0.118)), thresholds))
    assert alone.broken[0].p_broken == pytest.approx(0.034, abs=0.002)
    many = judge(
        book(stalled(0, 0.118), *(stalled(k, 0.05, variants=(f"v{k}",)) for k in range(1, 50))), thresholds
    )
    assert many.find(4, ("unions",)).verdict is Verdict.UNDECIDED
    assert many.counts()[Verdict.FINE] == 49


def test_variants_that_nobody_learned_are_not_fine_without_those_who_think():
    found = judge(book(stalled(0, 0.02)), STALLS, unfitted=tuple)
    assert only(found).verdict is Verdict.UNDECIDED
    assert only(found).unfitted == ("unions",)
    assert only(found).blocked
    with_search = book(stalled(0, 0.02), stalled(1, 0.02, lineup="mirror:search:200"))
    thought = only(judge(with_search, STALLS, unfitted=tuple))
    assert thought.verdict is Verdict.FINE
    assert [c.strength for c in thought.cells] == ["casual play", "expert play"]
    broken = only(judge(book(stalled(0, 0.3)), STALLS, unfitted=tuple))
    assert broken.verdict is Verdict.BROKEN


def test_a_missing_baseline_forbids_fine():
    thresholds = accept(stalls=(None, 0.1), length_ratio=(0.5, 2.0))
    found = only(judge(book(stalled(0, 0.02)), thresholds))
    assert found.verdict is Verdict.UNDECIDED
    assert found.cells[0].missing == ("length_ratio",)
    assert found.blocked


def test_what_games_cannot_say_is_told_and_does_not_forbid_fine():
    found = only(judge(book(stalled(0, 0.02)), accept(stalls=(None, 0.1), luck=(None, 0.5))))
    assert found.verdict is Verdict.FINE
    assert found.cells[0].not_looked_at == ("luck",)


def test_nothing_measured_is_undecided():
    assert only(judge(book(cell(0)), STALLS)).verdict is Verdict.UNDECIDED
    assert only(judge(book(cell(0)), STALLS)).further == math.inf
    assert only(judge(book(cell(0)), STALLS)).too_close


def test_the_games_asked_for_are_about_enough():
    """Half of 0.1 with few games: what is asked for makes it fine with 80% power, so mostly."""
    n = 100
    found = only(judge(book(stalled(0, 0.05, n=n)), STALLS))
    more = n + int(found.further)
    assert 100 < more < 1000
    assert only(judge(book(stalled(0, 0.05, n=more)), STALLS)).verdict is Verdict.FINE
    close = only(judge(book(stalled(0, 0.0999, n=10_000)), STALLS))
    assert close.too_close
    assert close.further > TOO_MANY


def test_looks_spend_and_settled_verdicts_stay():
    one, two = stalled(0, 0.3, variants=("a",)), stalled(1, 0.1, variants=("b",))
    first = judge(book(one, two), STALLS, look=Look(1, 2))
    assert first.family.alpha == pytest.approx(0.05 / 2)
    settled = {j.key: j for j in first.judgements if j.verdict is not Verdict.UNDECIDED}
    assert list(settled) == [(4, ("a",))]
    second = judge(
        book(stalled(0, 0.1, variants=("a",)), stalled(1, 0.1, n=2000, variants=("b",))),
        STALLS, look=Look(2, 2), settled=settled,
    )  # fmt: skip
    assert second.find(4, ("a",)) is settled[4, ("a",)]
    assert (second.family.tests, second.family.cells) == (2, 2)
    assert second.find(4, ("b",)).look == 2


def test_policies_that_are_not_tuned_are_not_judged():
    points = Sums(1000, 4 * 900, 1000, 16 * 900, 1000, 4 * 900)
    less = Sums(1000, 4 * 100, 3000, 16 * 100, 9000, 12 * 100)
    sums = {"policy:rusher": points, "policy:adaptive": less}
    thresholds = accept(win_points=(None, 1.8))
    twisted = only(judge(book(cell(0, sums)), thresholds, unfitted=lambda _: ()))
    assert twisted.cells[0].findings == ()
    plain = only(judge(book(cell(0, sums, variants=())), thresholds, unfitted=lambda _: ()))
    assert plain.broken[0].measured.name == "win_points:rusher"


def test_moving_thresholds():
    cells = [stalled(k, share, variants=(f"v{k}",)) for k, share in enumerate([0.05, 0.118, 0.3])]
    (moved,) = sensitivity(book(*cells), STALLS)
    assert (moved.tighter, moved.as_is, moved.looser) == (2, 1, 1)
    assert judge(book(*cells), STALLS.moved("stalls", 0.8)).counts()[Verdict.BROKEN] == 2


def test_moving_a_threshold_is_judging_anew(tiny_statistics):
    shares = book(*(stalled(k, 0.01 * k, n=3000, variants=(f"v{k}",)) for k in range(20)))
    for summed, thresholds in ((tiny_statistics, load_thresholds(GAME)), (shares, STALLS)):

        def broken(by_these, summed=summed):
            judgements = judge(summed, by_these).judgements
            return len({j.variants for j in judgements if j.verdict is Verdict.BROKEN})

        found = sensitivity(summed, thresholds)
        assert [moved.threshold for moved in found] == list(thresholds.entries)
        for moved in found:
            assert moved.as_is == broken(thresholds)
            assert moved.tighter == broken(thresholds.moved(moved.threshold.id, 0.8))
            assert moved.looser == broken(thresholds.moved(moved.threshold.id, 1.2))
    assert moved.tighter > moved.as_is > moved.looser > 0


def test_who_plays():
    assert strength_of(FACTS, "field").name == "casual play"
    assert strength_of(FACTS, "mirror:search:50") == FACTS.strengths[-1]
    assert strength_of(FACTS, "mirror:rusher").name == "mirror:rusher"


def test_nefarious_knows_what_its_players_have_learned():
    game = games.get("nefarious")
    unfitted = unfitted_variants(game, game.load_catalog())
    assert unfitted(["unions"]) == ()
    assert unfitted_variants(GAME, GAME.load_catalog()) is None


def test_new_twists_are_unfitted(checkout):
    game = games.get("nefarious")
    catalog = game.load_catalog([checkout / "tests" / "data" / "custom_twists.toml"])
    assert unfitted_variants(game, catalog)(["unions", "custom-sprint"]) == ("custom-sprint",)


def test_the_tiny_game_is_judged(tiny_runs, tiny_statistics):
    found = judge(tiny_statistics, load_thresholds(GAME))
    assert len(found.judgements) == 2 * 4
    assert {len(j.cells) for j in found.judgements} == {2}
    assert found.family.cells == 16
    assert statistics(tiny_runs).cells == tiny_statistics.cells


def test_what_breaks_it_comes_worst_first_whatever_the_number_of_games():
    """Nine tenths stall in a few games, twice the accepted share in many: the first is worse."""
    few, many = stalled(0, 0.9, n=60, variants=("a",)), stalled(1, 0.2, n=100_000, variants=("b",))
    found = judge(book(few, many), STALLS)
    assert [j.variants for j in ranked(found.judgements)] == [("a",), ("b",)]
    worse, clearer = (found.find(4, (name,)).broken[0] for name in "ab")
    assert worse.p_broken > clearer.p_broken
    near = worse.measured.estimate.interval.low
    assert worse.severity == pytest.approx((near - 0.1) / 0.9)
    assert clearer.severity == pytest.approx(0.1 / 0.9, abs=0.01)


def test_severity_of_a_lower_end_and_of_something_without_a_limit():
    seat = {"seat:0": Sums(1000, 500, 4000, 2000, 16_000, 2000)}
    low = only(judge(book(cell(0, seat)), accept(seat=(0.9, 1.1)))).broken[0]
    assert low.severity == pytest.approx(1 - low.measured.estimate.interval.high / 0.9)
    long = only(judge(book(cell(0, lengths={40: 1000})), accept(length=(5, 30))))
    assert long.broken[0].severity == pytest.approx(0.25)
    assert long.severity == long.broken[0].severity


def test_the_more_is_wrong_the_worse():
    both = cell(0, {"stalled": bernoulli(300, 1000)}, lengths={40: 1000}, variants=("a",))
    one = cell(1, {"stalled": bernoulli(330, 1000)}, lengths={20: 1000}, variants=("b",))
    found = judge(book(both, one), accept(stalls=(None, 0.1), length=(5, 30)))
    assert [j.variants for j in ranked(found.judgements)] == [("a",), ("b",)]
    first = found.find(4, ("a",))
    assert first.severity == pytest.approx(sum(f.severity for f in first.broken))
    assert [f.measured.name for f in first.broken] == ["stalls", "length"]  # nobody wins: that comes first

"""Verdicts: what is said, for whom, what it was corrected for, and what is missing for more."""

import math
from dataclasses import replace

import pytest

from balance.judge.sentences import finding_sentence
from balance.judge.strengths import strength_of
from balance.judge.thresholds import Class, Threshold, Thresholds, accepted_findings
from balance.judge.verdict import TOO_MANY, Verdict, combined, judge
from balance.stats.corrections import Look
from balance.stats.ratio import Ratio
from tests.judge.synthetic import FACTS, accept, bernoulli, book, cell

STALLS = accept(stalls=(None, 0.1))


def stalled(number, share, n=1000, **more):
    return cell(number, {"stalls": bernoulli(round(share * n), n)}, n=n, **more)


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
    first_player = replace(FACTS, seats_alike=False)
    for score, verdict in [
        (1, Verdict.FINE),
        (1.05, Verdict.UNDECIDED),
        (1.5, Verdict.BROKEN),
        (0.5, Verdict.BROKEN),
    ]:
        wins = round(score * 1200 / 4)
        sums = Ratio(1200, 4 * wins, 1200, 16 * wins, 1200, 4 * wins, 4.0)
        found = only(judge(replace(book(cell(0, {"seat:0": sums})), facts=first_player), seat))
        assert found.verdict is verdict
        assert len(found.cells[0].rows) == 2
    assert found.broken[0].upper is False
    assert finding_sentence(found.broken[0]).startswith("Seat 0 gets 0.50 (")


def test_broken_at_any_strength_fine_only_at_all():
    random, casual = stalled(0, 0.02, lineup="mirror:random"), stalled(1, 0.2)
    found = only(judge(book(random, casual), STALLS))
    assert found.verdict is Verdict.BROKEN
    assert found.broken_for == ["casual play"]
    assert [c.verdict for c in found.cells] == [Verdict.FINE, Verdict.BROKEN]
    open_ = only(judge(book(random, stalled(1, 0.1)), STALLS))
    assert open_.verdict is Verdict.UNDECIDED
    assert combined([]) is Verdict.UNDECIDED


@pytest.mark.parametrize(("share", "verdict"), [(0.02, Verdict.FINE), (0.1, Verdict.UNDECIDED)])
def test_where_the_default_player_plays_weaker_play_breaks_nothing(share, verdict):
    weak, default = stalled(0, 0.4), stalled(1, share, lineup="mirror:learned")
    found = only(judge(book(weak, default), STALLS))
    assert (found.verdict, found.broken) == (verdict, [])
    assert [f.measured.name for f in found.cells[0].weaker] == ["stalls"]
    assert found.not_broken == (verdict is Verdict.FINE)
    assert len(found.weaker_alone) == 1
    shown_too = only(judge(book(weak, stalled(1, 0.105, n=1000, lineup="mirror:learned")), STALLS))
    assert shown_too.weaker_alone == []  # the default player seems to stall too
    broken = only(judge(book(stalled(0, 0.02), stalled(1, 0.4, lineup="mirror:learned")), STALLS))
    assert (broken.verdict, broken.broken_for) == (Verdict.BROKEN, ["skilled play"])
    with_search = book(default, stalled(2, 0.4, lineup="mirror:search:20"))
    assert only(judge(with_search, STALLS)).broken_for == ["expert play"]


@pytest.mark.parametrize(
    ("default", "search", "verdict", "broken_for"),
    [
        (0.02, 0.4, Verdict.BROKEN, ["expert play"]),
        (0.1, 0.4, Verdict.BROKEN, ["expert play"]),
        (0.4, 0.02, Verdict.FINE, []),
        (0.1, 0.02, Verdict.FINE, []),
        (0.02, 0.1, Verdict.FINE, []),
        (0.1, 0.1, Verdict.UNDECIDED, []),
        (0.4, 0.1, Verdict.BROKEN, ["skilled play"]),
        (0.4, 0.4, Verdict.BROKEN, ["skilled play", "expert play"]),
    ],
)
def test_search_overrides_a_metric_only_where_its_own_games_decide(default, search, verdict, broken_for):
    own = stalled(0, default, lineup="mirror:learned")
    found = only(judge(book(own, stalled(1, search, lineup="mirror:search:20")), STALLS))
    assert (found.verdict, found.broken_for) == (verdict, broken_for)
    (finding,), (searched,) = (one.findings for one in found.cells)
    assert finding.overridden == (search != 0.1 and (default, search) != (0.4, 0.4))
    assert not searched.holds


def test_search_overrides_one_metric_and_leaves_the_others():
    own = two_metrics(0, 0.4, 0.5, lineup="mirror:learned")
    search = two_metrics(1, 0.02, 0.3, lineup="mirror:search:20")
    found = only(judge(book(own, search), BOTH))
    assert found.verdict is Verdict.BENT
    assert [finding.measured.name for finding in found.bent] == ["tie_extensions"]
    bends = two_metrics(1, 0.1, 0.5, lineup="mirror:search:20")
    assert only(judge(book(two_metrics(0, 0.02, 0.1, lineup="mirror:learned"), bends), BOTH)).bent_for == [
        "expert play"
    ]


def test_where_only_search_played_it_is_judged_like_any_other():
    for share, verdict in [(0.4, Verdict.BROKEN), (0.1, Verdict.UNDECIDED), (0.02, Verdict.FINE)]:
        searched = stalled(1, share, lineup="mirror:search:20")
        assert only(judge(book(searched), STALLS)).verdict is verdict


def test_where_seats_are_alike_a_seat_holds_nothing_up_and_is_charged_if_confirmed():
    thresholds = accept(stalls=(None, 0.1), seat=(0.9, 1.1))

    def judged(score, facts=FACTS):
        wins = round(score * 1000 / 4)
        seat = Ratio(1000, 4 * wins, 1000, 16 * wins, 1000, 4 * wins, 4.0)
        summed = replace(book(cell(0, {"stalls": bernoulli(20, 1000), "seat:0": seat})), facts=facts)
        return only(judge(summed, thresholds))

    assert judged(1.05).verdict is Verdict.FINE
    assert judged(1.05, replace(FACTS, seats_alike=False)).verdict is Verdict.UNDECIDED
    assert judged(1.5).verdict is Verdict.BROKEN
    assert [f.measured.name for f in judged(1.5).broken] == ["seat:0"]


def test_the_family_is_everything_looked_at_and_is_told():
    thresholds = accept(stalls=(None, 0.1), tie_extensions=(0.0, 0.5))
    cells = [
        cell(k, {"stalls": bernoulli(100, 1000), "tie_extensions": bernoulli(1, 1000)}, variants=(f"v{k}",))
        for k in range(5)
    ]
    found = judge(book(*cells), thresholds)
    assert (found.family.tests, found.family.cells, found.family.metrics) == (15, 5, 2)
    # five are at the upper end of stalls; the ten at ends that are far away cost nothing
    assert found.family.levels["broken"] == pytest.approx(0.8 * 0.05 / 5)
    assert "15 tests of 2 metrics in 5 cells" in str(found.family)


def two_metrics(number, stalls, extended, n=2000, **more):
    sums = {"stalls": bernoulli(round(stalls * n), n), "tie_extensions": bernoulli(round(extended * n), n)}
    return cell(number, sums, n=n, **more)


BOTH = Thresholds(
    (
        Threshold("stalls", None, 0.1, "test", class_high=Class.BREAKS),
        Threshold("tie_extensions", None, 0.3, "test", class_high=Class.BENDS),
    )
)


@pytest.mark.parametrize(
    ("stalls", "extended", "verdict", "not_broken"),
    [
        (0.2, 0.1, Verdict.BROKEN, False),
        (0.2, 0.5, Verdict.BROKEN, False),
        (0.1, 0.5, Verdict.UNDECIDED, False),
        (0.1, 0.1, Verdict.UNDECIDED, False),
        (0.02, 0.5, Verdict.BENT, True),
        (0.02, 0.3, Verdict.UNDECIDED, True),
        (0.02, 0.1, Verdict.FINE, True),
    ],
)
def test_how_classes_combine(stalls, extended, verdict, not_broken):
    found = only(judge(book(two_metrics(0, stalls, extended)), BOTH))
    assert (found.verdict, found.not_broken) == (verdict, not_broken)
    if verdict is Verdict.UNDECIDED:
        assert found.holding.measured.name == ("tie_extensions" if not_broken else "stalls")
    assert [f.measured.name for f in found.reasons] == {
        Verdict.BROKEN: ["stalls"],
        Verdict.BENT: ["tie_extensions"],
    }.get(verdict, [])


def test_over_player_counts_broken_before_undecided_before_bent_before_fine():
    every = [Verdict.BROKEN, Verdict.UNDECIDED, Verdict.BENT, Verdict.FINE]
    assert [combined(reversed(every[k:])) for k in range(len(every))] == every


def test_each_class_is_a_family_of_its_own():
    """What bends is easy to find here, and must not lower the bar for what breaks."""
    cells = [two_metrics(k, 0.1, 0.9, variants=(f"v{k}",)) for k in range(50)]
    near = two_metrics(50, 0.122, 0.9, variants=("near",))
    found = judge(book(near, *cells), BOTH)
    assert (found.family.tests, found.family.breaking) == (102, 51)
    assert found.find(4, ("near",)).verdict is Verdict.UNDECIDED
    assert only(judge(book(near), BOTH)).verdict is Verdict.BROKEN


def test_accepted_findings_are_listed_and_decide_nothing():
    accepting = replace(BOTH, accepted=(accepted_findings("stalls", FACTS),))
    found = only(judge(book(two_metrics(0, 0.2, 0.1)), accepting))
    assert found.verdict is Verdict.FINE
    assert [f.measured.name for f in found.accepted] == ["stalls"]
    assert "accepted by you" in finding_sentence(found.accepted[0])
    weak, default = two_metrics(0, 0.2, 0.1), two_metrics(1, 0.02, 0.1, lineup="mirror:learned")
    assert only(judge(book(weak, default), accepting)).accepted == []  # weaker play decides nothing anyway
    low = replace(BOTH, accepted=(accepted_findings("stalls:low", FACTS),))
    assert only(judge(book(two_metrics(0, 0.2, 0.1)), low)).verdict is Verdict.BROKEN


def test_a_missing_baseline_that_could_break_forbids_bent_too():
    missing = replace(BOTH, entries=(*BOTH.entries, Threshold("length_ratio", 0.5, 2.0, "test")))
    assert only(judge(book(two_metrics(0, 0.02, 0.5)), missing)).verdict is Verdict.UNDECIDED
    bends = Threshold("length_ratio", 0.5, 2.0, "test", class_low=Class.BENDS, class_high=Class.BENDS)
    found = only(judge(book(two_metrics(0, 0.02, 0.5)), replace(BOTH, entries=(*BOTH.entries, bends))))
    assert found.verdict is Verdict.BENT


def test_what_is_broken_alone_may_be_undecided_among_many():
    """118 of 1000 against 0.1: p = 0.034. Cells far inside cost nothing, those at the threshold do."""

    def among(share):
        others = (stalled(k, share, variants=(f"v{k}",)) for k in range(1, 50))
        return judge(book(stalled(0, 0.118), *others), STALLS)

    alone = only(judge(book(stalled(0, 0.118)), STALLS))
    assert alone.broken[0].p_broken == pytest.approx(0.034, abs=0.002)
    assert among(0.05).find(4, ("unions",)).verdict is Verdict.BROKEN
    assert among(0.1).find(4, ("unions",)).verdict is Verdict.UNDECIDED
    assert sum(one.verdict is Verdict.FINE for one in among(0.05).judgements) == 49


def test_a_missing_baseline_forbids_fine():
    thresholds = accept(stalls=(None, 0.1), length_ratio=(0.5, 2.0))
    found = only(judge(book(stalled(0, 0.02)), thresholds))
    assert found.verdict is Verdict.UNDECIDED
    assert found.cells[0].missing == ("length_ratio",)
    assert found.blocked


def test_what_was_not_looked_at_forbids_fine_and_nothing_else():
    thresholds = accept(stalls=(None, 0.1), luck=(None, 0.5))
    found = only(judge(book(stalled(0, 0.02)), thresholds))
    assert (found.verdict, found.not_looked_at) == (Verdict.UNDECIDED, ("luck",))
    assert (found.open, found.further, found.blocked) == ([], math.inf, True)
    assert only(judge(book(stalled(0, 0.3)), thresholds)).verdict is Verdict.BROKEN
    bends = replace(BOTH, entries=(*BOTH.entries, thresholds.entries[1]))
    assert only(judge(book(two_metrics(0, 0.02, 0.5)), bends)).verdict is Verdict.BENT


def test_what_weaker_play_alone_shows_was_not_looked_at():
    thresholds = accept(stalls=(None, 0.1), half_leader=(None, 0.85))
    weak = cell(0, {"half_leader": bernoulli(10, 1000)})
    found = only(judge(book(weak, stalled(1, 0.02, lineup="mirror:learned")), thresholds))
    assert (found.verdict, found.not_looked_at) == (Verdict.UNDECIDED, ("half_leader",))


def test_what_is_accepted_need_not_be_looked_at():
    thresholds = accept(stalls=(None, 0.1), luck=(None, 0.5), seat=(0.9, 1.1))
    accepted = tuple(accepted_findings(name, FACTS) for name in ("luck:high", "seat:low"))
    found = only(judge(book(stalled(0, 0.02)), replace(thresholds, accepted=accepted)))
    assert found.not_looked_at == ("seat",)


def test_the_game_without_variants_is_not_compared_with_itself():
    thresholds = accept(stalls=(None, 0.1), length_ratio=(0.5, 2.0))
    assert only(judge(book(stalled(0, 0.02, variants=())), thresholds)).verdict is Verdict.FINE


def test_nothing_measured_is_undecided():
    assert only(judge(book(cell(0)), STALLS)).verdict is Verdict.UNDECIDED
    assert only(judge(book(cell(0)), STALLS)).further == math.inf
    assert only(judge(book(cell(0)), STALLS)).too_close


def test_what_is_not_broken_but_not_yet_fine_says_how_many_games_it_needs():
    """Many are not broken and one may be fine: *fine* asks more of the metric that breaks."""
    others = [two_metrics(k, 0.02, 0.3, variants=(f"v{k}",)) for k in range(20)]
    near = two_metrics(20, 0.082, 0.1, variants=("near",))
    found = judge(book(near, *others), BOTH).find(4, ("near",))
    assert (found.verdict, found.not_broken) == (Verdict.UNDECIDED, True)
    assert found.holding.measured.name == "stalls"
    assert 0 < found.further < TOO_MANY


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
    assert second.find(4, ("b",)) not in settled.values()


def test_a_style_that_wins_nearly_double_breaks_the_game_under_any_variants():
    points = Ratio(1000, 4 * 900, 1000, 16 * 900, 1000, 4 * 900, 4.0)
    less = Ratio(1000, 4 * 100, 3000, 16 * 100, 9000, 12 * 100, 4.0)
    sums = {"win_points:rusher": points, f"win_points:{FACTS.usual}": less}
    thresholds = accept(win_points=(None, 1.8))
    for variants in ((), ("unions",)):
        found = only(judge(book(cell(0, sums, variants=variants)), thresholds))
        assert [finding.measured.name for finding in found.broken] == ["win_points:rusher"]


def test_who_plays():
    assert strength_of(FACTS, "field").name == "casual play"
    assert strength_of(FACTS, "mirror:search:50") == FACTS.strengths[-1]
    assert strength_of(FACTS, "mirror:rusher").name == "mirror:rusher"

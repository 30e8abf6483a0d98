"""Faults on purpose, played with the real engine: the verdict finds each and names what is wrong."""

from pathlib import Path

import pytest

import balance
from balance import games
from balance.judge.interaction import together
from balance.judge.thresholds import Class, load_thresholds
from balance.judge.verdict import Verdict, judge
from balance.measure.cells import statistics
from balance.stats.ratio import Normal, Ratio
from tests.judge.synthetic import bernoulli, book, cell

HERE = Path(__file__).parent
NEFARIOUS = games.get("nefarious")


def judged(folder, file, variants, games_per_cell, **options):
    run = balance.simulate(
        folder / "run",
        players=4,
        variants=variants,
        lineups=["mirror:learned", "field"],
        games_per_cell=games_per_cell,
        catalog=[HERE / file],
    )
    stats = statistics([run], **options)
    found = judge(stats, load_thresholds(NEFARIOUS))
    return found, stats


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    twists = ["first-spark", "endless", "gold-rush", "head-start"]
    variants = ["none", *(f"planted-{name}" for name in twists)]
    return judged(tmp_path_factory.mktemp("planted"), "planted.toml", variants, 60)


@pytest.mark.parametrize(
    ("twist", "named"),
    [
        ("first-spark", {"length"}),
        ("endless", {"stalls", "length", "length_long"}),
        ("gold-rush", {"action:work"}),
        ("head-start", {"length", "no_lead_change"}),
    ],
)
def test_planted_twists_are_found_and_named(verdicts, twist, named):
    found = verdicts[0].find(4, (f"planted-{twist}",))
    assert found.verdict is Verdict.BROKEN
    assert named <= {finding.measured.name for finding in (*found.broken, *found.bent)}
    assert named & {finding.measured.name for finding in found.broken}
    assert found.broken_for == ["skilled play"]  # of the default player; casual play is shown


def test_games_without_planted_faults_are_not_broken(verdicts):
    assert verdicts[0].find(4, ()).verdict is Verdict.UNDECIDED
    assert verdicts[0].find(4, ()).broken == []


def test_nothing_that_is_broken_alone_is_said_to_be_so_only_together(verdicts):
    assert together(*verdicts) == []


def test_a_planted_card_is_found_and_named(tmp_path):
    found, _ = judged(tmp_path, "planted_card.toml", ["none"], 150)
    (judgement,) = found.judgements
    assert judgement.verdict is Verdict.BROKEN
    assert {finding.measured.name for finding in judgement.broken} == {"item:1001"}
    assert judgement.broken[0].measured.interval.low > 2


# --- a fault of every breaking kind, one and a half margins out

BASE = {
    "length": 14,
    "length_long": 17,
    "stalls": 0.0,
    "skill": 2.0,
    "win_points": 1.0,
    "luck": 0.2,
    "seat": 1.0,
    "half_leader": 0.5,
    "action": 0.3,
    "item": 1.5,
}
"""About what the game without twists has; a margin is the distance from there to the end of the range."""
DEALS = 20_000
ENDS = [
    (threshold.id, upper)
    for threshold in load_thresholds(NEFARIOUS).entries
    for upper, bound, kind in (
        (False, threshold.low, threshold.class_low),
        (True, threshold.high, threshold.class_high),
    )
    if bound is not None and kind is Class.BREAKS
]


def with_value(metric, value):
    """A cell of four players in which a metric has a value, at the table where it is judged."""
    if metric in ("length", "length_long"):
        rare = DEALS // 10 if metric == "length_long" else DEALS
        usual = {14: DEALS - rare} if rare < DEALS else {}
        return cell(lengths={**usual, max(1, round(value)): rare}, lineup="mirror:learned")
    if metric == "luck":
        return cell(luck=Normal(value, 0.01, DEALS), lineup="drawn:learned,skilled,casual", sums=met(1.0))
    if metric in ("skill", "win_points"):
        lineup = "one:learned,casual" if metric == "skill" else "one:field+skilled+casual,learned"
        policy = "learned" if metric == "skill" else "rusher"
        own = {name: points(value) for name in (f"win_points:{policy}", *(["skill"] * (metric == "skill")))}
        return cell(sums=met(1.0) | own, lineup=lineup)
    named = {"seat": "seat:0", "item": "item:24", "action": "action:work"}.get(metric, metric)
    figure = points(value) if metric in ("seat", "item") else bernoulli(round(min(value, 1.0) * DEALS), DEALS)
    return cell(sums={named: figure}, lineup="mirror:learned")


def points(value):
    wins = round(value * DEALS / 4)
    return Ratio(DEALS, 4 * wins, DEALS, 16 * wins, DEALS, 4 * wins, 4.0)


def met(value):
    return {f"win_points:{policy}": points(value) for policy in ("learned", "casual", "rusher")}


@pytest.mark.parametrize(("metric", "upper"), ENDS)
def test_every_breaking_end_is_found_one_and_a_half_margins_out(metric, upper):
    thresholds = load_thresholds(NEFARIOUS)
    one = next(known for known in thresholds.entries if known.id == metric)
    base, bound = BASE[metric], one.high if upper else one.low
    out, inside = (base + margins * (bound - base) for margins in (1.5, 0.5))

    def broken(value):
        (judgement,) = judge(book(with_value(metric, value)), thresholds).judgements
        return {(f.measured.metric.name, f.upper) for f in judgement.broken}

    assert (metric, upper) in broken(out)
    assert (metric, upper) not in broken(inside)

"""Faults on purpose, played with the real engine: the verdict finds each and names what is wrong."""

from pathlib import Path

import pytest

import balance
from balance import games
from balance.judge.interaction import together
from balance.judge.thresholds import load_thresholds
from balance.judge.verdict import Verdict, judge
from balance.measure.cells import statistics

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

"""Every metric, on cells small enough to count on paper."""

import math
import re
from dataclasses import replace

import pytest

from balance import games
from balance.dataset.measures import metrics_of
from balance.games.contract import Accepting
from balance.judge.thresholds import load_thresholds
from balance.stats.ratio import Normal, Ratio
from tests.judge.synthetic import book, cell
from tests.sums import common_of

NEFARIOUS = games.get("nefarious")


def ones(values, most=1):
    return Ratio.of(values, 1, most)


@pytest.fixture
def cells():
    """Four games of 4 players under `unions` and four without twists.

    Lengths 6, 8, 8, 30 against 10, 12, 14, 16; winners are the seats 0, 0, 2, nobody; policies A B A B.
    """
    sums = {
        "mean_length": ones([6, 8, 8, 30], math.inf),
        "stalls": ones([0, 0, 0, 1]),
        "tie_extensions": ones([1, 0, 0, 1]),
        "no_lead_change": ones([1, 1, 0, 0]),
        "exhaustion": ones([0, 0, 0, 1]),
        "money": Ratio.of([8, 12, 20, 40], 4),
        "hand": Ratio.of([8, 8, 8, 8], 4),
        "half_leader": Ratio.of([1, 0, 0, 0], [1, 1, 0, 1], 1),
        "comeback:2": Ratio.of([0, 1, 0, 0], [3, 2, 0, 1], 1),
        "action:work": Ratio.of([30, 30, 30, 30], [60, 60, 60, 60], 1),
        "action:research": Ratio.of([30, 30, 30, 30], [60, 60, 60, 60], 1),
        "seat:0": ones([4, 4, 0, 1], 4),
        "seat:1": ones([0, 0, 0, 1], 4),
        "seat:2": ones([0, 0, 4, 1], 4),
        "seat:3": ones([0, 0, 0, 1], 4),
        "win_points:adaptive": Ratio.of([4, 4, 4, 2], 2, 4),
        "win_points:greedy": Ratio.of([0, 0, 0, 2], 2, 4),
        "skill": Ratio.of([4, 4, 4, 2], 2, 4),
        "neighbour:adaptive": Ratio.of([0, 0, 0, 0], [2, 2, 2, 0], 1.5),
        "neighbour:greedy": Ratio.of([6, 6, 6, 0], [4, 4, 4, 0], 1.5),
        "item:7": Ratio.of([4, 0, 0, 1], [1, 1, 0, 1], 4),
    }
    common = {
        "mean_length": common_of([6, 8, 8, 30], 1, [10, 12, 14, 16], 1),
        "money": common_of([8, 12, 20, 40], 4, [8, 9, 11, 12], 4),
    }
    own = cell(1, sums, lengths={6: 1, 8: 2, 30: 1}, common=common)
    plain = {"mean_length": ones([10, 12, 14, 16], math.inf), "money": Ratio.of([8, 9, 11, 12], 4)}
    base = cell(0, plain, lengths={10: 1, 12: 1, 14: 1, 16: 1}, variants=())
    return book(base, own, facts=replace(NEFARIOUS.facts, default_lineup="mirror:adaptive"))


def values(statistics):
    return {m.name: m.interval.value for m in statistics.figures.of(1)}


def test_every_metric_by_hand(cells):
    assert values(cells) == pytest.approx(
        {
            "length": 8,
            "length_short": 6,
            "length_long": 30,
            "length_ratio": 52 / 52,
            "mean_length": 52 / 4,
            "stalls": 1 / 4,
            "tie_extensions": 2 / 4,
            "win_points:adaptive": 14 / 8,
            "win_points:greedy": 2 / 8,
            "skill": 14 / 8,
            "seat:0": 9 / 4,
            "seat:1": 1 / 4,
            "seat:2": 5 / 4,
            "seat:3": 1 / 4,
            "neighbour:adaptive": 0,
            "neighbour:greedy": 1.5,
            "no_lead_change": 2 / 4,
            "half_leader": 1 / 3,
            "comeback:2": 1 / 6,
            "action:work": 1 / 2,
            "action:research": 1 / 2,
            "money": 80 / 16,
            "money_ratio": 80 / 40,
            "hand": 2,
            "exhaustion": 1 / 4,
            "item:7": 5 / 3,
        }
    )


def test_what_the_usual_player_wins_is_judged_as_skill_alone(cells):
    shown = [m.name for m in cells.figures.of(1) if not m.comparable]
    assert shown == ["win_points:adaptive"]


def test_the_game_without_variants_is_not_compared_with_itself(cells):
    names = {m.name for m in cells.figures.of(0)}
    assert "length" in names
    assert "length_ratio" not in names


def test_replicated_deals_tell_less_about_length_than_as_many_games():
    """Both games of each deal last equally long: half of the games would tell as much."""
    lengths = Ratio.of([2 * k for k in range(1, 101)], 2)
    counts = dict.fromkeys(range(1, 101), 2)
    found = book(cell(0, {"mean_length": lengths}, lengths=counts, replicates=2, design=2)).figures
    found = found.find(0, "length")
    assert found.interval == (50.5, 40, 61)  # as of 100 games, one of each length


@pytest.mark.parametrize("mixed", [True, False])
def test_luck_is_judged_where_policies_meet(mixed):
    sums = {"mean_length": ones([10] * 10, math.inf)}
    if mixed:
        sums |= {f"win_points:{name}": Ratio.of([2] * 10, 2, 2) for name in ("adaptive", "greedy")}
    drawn = cell(0, sums, lengths={5: 20}, variants=(), replicates=2, luck=Normal(0.2, 0.1, 10))
    luck = book(drawn).figures.find(0, "luck")
    assert luck.interval.value == 0.2
    assert luck.comparable is mixed
    assert book(replace(drawn, luck=None)).figures.find(0, "luck") is None


def test_the_tiny_game_has_the_metrics_that_it_can_have(tiny_statistics):
    cell = tiny_statistics.find(3, ("windy",), "field")
    found = {m.name: m.interval for m in tiny_statistics.figures.of(cell.id)}
    assert {"length", "length_ratio", "stalls", "win_points:thrifty", "skill", "seat:2", "action:buy"} <= set(
        found
    )
    assert {"no_lead_change", "half_leader", "hand", "exhaustion", "luck"} & set(found) == set()
    assert sum(found[f"action:{a}"].value for a in ("run", "earn", "buy")) == pytest.approx(1)
    assert sum(found[f"seat:{k}"].value for k in range(3)) == pytest.approx(3)
    assert all(low - 1e-12 <= value <= high + 1e-12 for value, low, high in found.values())


def test_every_metric_is_on_the_page(checkout):
    page = (checkout / "docs" / "metrics.md").read_text(encoding="utf-8")
    known = metrics_of(NEFARIOUS.facts)
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.M)) == set(known)
    assert all(metric.title and metric.sentence for metric in known.values())


def test_every_game_that_accepts_says_what(tiny_statistics):
    for name in ("nefarious", "tiny"):
        game = games.get(name)
        assert isinstance(game, Accepting)
        assert all(entry.reason for entry in load_thresholds(game).entries)

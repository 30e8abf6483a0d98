"""What `balance bench` measures. Nothing here looks at the clock."""

import importlib.util
import json
from pathlib import Path

import pytest

from balance import bench, games
from balance.errors import Failed, UsageError
from balance.games.contract import Throughput
from balance.games.lineup import parse_lineup
from tests.games.tiny import FACTS, Tiny

NEFARIOUS = games.get("nefarious")


class Counted(Tiny):
    """The tiny game with invented speeds: on two threads twice as fast, every run slower than the last."""

    def __init__(self):
        self.asked = []

    def measure(self, cells, seed, first_index, games, lineup, threads):
        self.asked.append((len(cells), games, lineup.policies, threads))
        played = games * len(cells)
        return Throughput(played, 3 * played, 10 * played, played * len(self.asked) / threads)


def by_measure(figures):
    return {(figure.measure, figure.threads): figure for figure in figures}


# --- what is measured


def test_the_numbers_of_players_are_fewest_middle_and_most():
    assert bench.player_counts(NEFARIOUS.facts) == (2, 4, 6)
    assert bench.player_counts(FACTS) == (2, 3)


def test_lineups_are_those_that_a_game_names_or_every_policy_against_itself():
    assert list(bench.lineups(NEFARIOUS.facts)) == [
        "mirror:random",
        "mirror:adaptive",
        "field",
        "mirror:search:20",
    ]
    assert bench.lineups(FACTS) == {"mirror:random": 1, "mirror:thrifty": 1}


def test_the_sample_is_always_the_same_50_pairs():
    twists = NEFARIOUS.variants(NEFARIOUS.load_catalog(), NEFARIOUS.facts.default_edition)
    pairs = bench.sample(NEFARIOUS.facts, twists)
    assert len(set(pairs)) == 50
    assert all(first < second for first, second in pairs)
    assert pairs == bench.sample(NEFARIOUS.facts, twists[::-1])
    assert len({name for pair in pairs for name in pair}) > 25


def test_a_game_with_one_variant_at_once_is_measured_over_single_ones():
    assert bench.sample(FACTS, ["gloomy", "calm"]) == [("calm",), ("gloomy",)]


def test_workloads_are_lineups_by_players_by_variants():
    assert len(bench.workloads(NEFARIOUS)) == 3 * 4 * 2
    work = bench.workloads(NEFARIOUS, ["mirror:random"])
    assert [(load.players, load.variants, len(load.cells)) for load in work] == [
        (2, "none", 1), (2, "50 pairs", 50), (4, "none", 1), (4, "50 pairs", 50), (6, "none", 1),
        (6, "50 pairs", 50),
    ]  # fmt: skip
    assert work[2].lineup.policies == ("random",) * 4
    assert {cell.players for load in work[2:4] for cell in load.cells} == {4}


def test_a_lineup_that_does_not_seat_everybody_is_refused():
    with pytest.raises(UsageError, match="seats 2, but 4 play"):
        bench.workloads(NEFARIOUS, ["random,random"], [2, 4])


def test_a_game_that_does_not_count_is_refused():
    assert bench.measured(NEFARIOUS) is NEFARIOUS
    with pytest.raises(UsageError, match="tiny does not count"):
        bench.measured(Tiny())


# --- playing and figures


def test_threads_take_turns_after_one_game_that_does_not_count():
    game = Counted()
    load = bench.workloads(game, ["mirror:thrifty"], [2])[0]
    steps = []
    runs = bench.measure(game, [load], 12, 3, (1, 2), lambda: steps.append(1))
    assert [(games, threads) for _, games, _, threads in game.asked] == [(1, 1), *[(12, 1), (12, 2)] * 3]
    assert game.asked[0][2] == ("thrifty", "thrifty")
    assert len(runs[load, 1]) == len(runs[load, 2]) == 3
    assert len(steps) == 6


def test_games_are_shared_out_among_the_cells_and_none_is_lost():
    game = Counted()
    load = bench.workloads(game, ["mirror:random"], [2])[1]
    runs = bench.measure(game, [load], 10, 1, (1,))
    assert game.asked[-1][:2] == (3, 4)  # 3 moods, 10 games
    assert runs[load, 1][0].games == 12


def test_a_figure_is_a_count_by_seconds_with_median_low_and_high():
    load = bench.workloads(Counted(), ["mirror:random"], [3])[0]
    alone = [Throughput(100, 400, 1000, seconds) for seconds in (2.0, 1.0, 4.0)]
    both = [Throughput(100, 400, 1000, seconds) for seconds in (1.0, 1.0, 1.0)]
    found = by_measure(bench.figures({(load, 1): alone, (load, 2): both}))
    games = found["games/s", 1]
    assert (games.median, games.low, games.high) == (100 / 2.0, 100 / 4.0, 100 / 1.0)
    assert (games.unit, games.n, games.repeats, games.players) == ("1/s", 100, 3, 3)
    assert (found["rounds/s", 1].median, found["rounds/s", 1].unit) == (400 / 2.0, "1/s")
    assert (found["decision", 1].median, found["decision", 1].unit) == (2.0 * 1e9 / 1000, "ns")
    gain = found["speed-up", 2]
    assert (gain.median, gain.low, gain.high, gain.unit) == (2.0, 1.0, 4.0, "x")
    assert ("speed-up", 1) not in found


def test_one_core_has_no_speed_up():
    load = bench.workloads(Counted(), ["mirror:random"], [2])[0]
    assert {f.measure for f in bench.figures({(load, 1): [Throughput(1, 1, 1, 1.0)]})} == {
        "games/s", "rounds/s", "decision",
    }  # fmt: skip


# --- what Nefarious counts


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_nefarious_counts_the_rounds_of_every_game_once(threads):
    cells = [
        NEFARIOUS.compile(NEFARIOUS.load_catalog(), "ascora-2011", 2, twists) for twists in [(), ("unions",)]
    ]
    lineup = parse_lineup("mirror:random", 2, NEFARIOUS)
    done = NEFARIOUS.measure(cells, 5, 20, 37, lineup, threads)
    rows = [NEFARIOUS.play(cell, 5, range(20, 57), lineup.seated(5, range(20, 57))) for cell in cells]
    assert done.games == 74
    assert done.rounds == sum(int(row["games"]["rounds"].sum()) for row in rows)
    assert done.decisions == NEFARIOUS.measure(cells, 5, 20, 37, lineup, 1).decisions > done.rounds
    assert done.seconds > 0


def test_nefarious_measures_only_what_can_be_played():
    cell = NEFARIOUS.compile(NEFARIOUS.load_catalog(), "ascora-2011", 2)
    with pytest.raises(UsageError):
        NEFARIOUS.measure([cell], 1, 2**32 - 1, 2, parse_lineup("mirror:random", 2, NEFARIOUS), 1)
    with pytest.raises(UsageError, match="2 games of 3 players given, but 2 games of 2"):
        NEFARIOUS.measure([cell], 1, 0, 2, parse_lineup("mirror:random", 3, NEFARIOUS), 1)


# --- starting


def test_a_start_is_timed_cold_once_and_then_warm_in_one_cache_that_is_removed(monkeypatch):
    asked = []
    monkeypatch.setattr(
        bench, "_seconds", lambda arguments, cache: asked.append((arguments[1], cache)) or 2.0
    )
    timed = bench.starts(NEFARIOUS, 3)
    assert [(start.measure, len(start.seconds)) for start in timed] == [
        ("cold", 1),
        ("cold players", 1),
        ("cold replay", 1),
        ("warm", 3),
        ("replay", 3),
    ]
    assert len({cache for _, cache in asked}) == 1
    assert not Path(asked[0][1]).exists()
    cold = next(bench.start_figures(NEFARIOUS, timed))
    assert (cold.median, cold.unit, cold.n, cold.repeats, cold.threads) == (2.0, "s", 1, 1, 1)


def test_the_cache_of_a_start_that_fails_is_removed_too(monkeypatch, tmp_path):
    monkeypatch.setattr(bench.tempfile, "mkdtemp", lambda prefix: str(tmp_path))
    with pytest.raises(Failed, match=r"exit code 1: .*unknown game 'tiny'"):
        bench.starts(Tiny(), 1)  # known to this process only
    assert not tmp_path.exists()


# --- the script that holds the kernel against the reference


@pytest.fixture
def script(checkout):
    spec = importlib.util.spec_from_file_location("bench_reference", checkout / "scripts/bench_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TINY_RUN = ["--games", "3", "--times", "2", "--repeats", "2"]


def test_the_script_prints_both_engines_and_their_ratio_by_both_clocks(script, capsys):
    assert script.main([*TINY_RUN, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["measure"], row["clock"]) for row in rows] == [
        (measure, clock) for clock in ("cpu", "wall") for measure in ("kernel", "reference", "ratio")
    ]
    assert [row["n"] for row in rows[:3]] == [6, 3, 3]
    assert all(row["low"] <= row["median"] <= row["high"] for row in rows)
    assert script.main(TINY_RUN) == 0
    assert "winner and length of all 3 games equal" in capsys.readouterr().out


def test_the_ratio_is_games_per_second_of_one_by_the_other(script):
    rows = script.rows([script.Timed(1.0, 2.0)], [script.Timed(4.0, 4.0)], (100, 10))
    assert [row["median"] for row in rows] == [100.0, 2.5, 40.0, 50.0, 2.5, 20.0]


def test_a_game_that_ends_differently_fails_the_script(script, capsys, monkeypatch):
    kernel, reference = script.sides("ascora-2011", 2, 2)
    winners, lengths = reference()
    assert script.differences(kernel(), (winners, lengths)) == []
    assert len(script.differences(kernel(), (winners, lengths + 1))) == 4
    monkeypatch.setattr(script, "differences", lambda ours, theirs: ["game 0: not alike"])
    assert script.main(TINY_RUN) == 1
    assert "game 0: not alike" in capsys.readouterr().err

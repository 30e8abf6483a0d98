"""scripts/measure_policies.py on the tiny game: claims reached and not, and the figures behind them."""

import importlib.util
import json
import sys

import pytest

from balance import games
from balance.analysis.arena import Match, play_matches
from balance.analysis.winpoints import win_points
from balance.cli import diagnostics
from balance.games.contract import Throughput
from balance.games.lineup import parse_lineup
from tests.games import tiny
from tests.games.tiny import Tiny

CAST = ["greedy=thrifty", "adaptive=thrifty", "search=thrifty", "without=random"]


@pytest.fixture
def script(checkout, monkeypatch):
    games.register(tiny.GAME)
    spec = importlib.util.spec_from_file_location(
        "measure_policies", checkout / "scripts" / "measure_policies.py"
    )
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "measure_policies", module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def measure(script, tmp_path, capsys):
    """Run the script with `thrifty` as everybody who is good; return exit code, claims, tables, Markdown."""

    def ask(part, *more, games=300, players=3, cast=CAST):
        file = tmp_path / "claims.json"
        arguments = ["--of", "tiny", "--part", part, "--games", str(games), "--players", str(players)]
        arguments += ["--archetypes", "random", "--json", str(file), "--jobs", "2", *more]
        code = script.main([*arguments, *(word for role in cast for word in ("--policy", role))])
        content = json.loads(file.read_text())
        return code, content["claims"], content["tables"], capsys.readouterr().out

    return ask


def test_claims_are_held_against_the_end_that_counts(measure):
    """At three players nobody reaches 3.7; against its own kind thrifty is fair."""
    code, claims, _, out = measure("four", cast=["greedy=thrifty", "adaptive=thrifty"])
    assert code == 1
    told = {claim["claim"]: claim for claim in claims}
    high = told["one thrifty against 2 random"]
    lineup = parse_lineup("thrifty,random,random", 3, tiny.GAME)
    cell = tiny.GAME.compile(tiny.GAME.load_catalog(), "classic", 3)
    (again,) = play_matches(tiny.GAME, [Match(lineup, (cell,), 100)], 20261116)
    points = win_points(again.tally("thrifty"))
    assert (high["value"], high["low"], high["high"]) == tuple(round(end, 4) for end in points)
    assert (high["n"], high["seed"]) == (300, 20261116)
    assert [(c["target"], c["reached"]) for c in claims] == [
        (">= 3.7", False),
        (">= 2.0", False),
        (">= 1.2", True),
        ("<= 1.0", True),
        ("<= 0.05", False),
    ]
    assert "| one thrifty against 2 random | >= 3.7 |" in out
    assert "**no**" in out


def test_a_ranking_that_turns_round_is_told(script, measure, monkeypatch):
    code, claims, tables, _ = measure("ranking", cast=["greedy=thrifty", "adaptive=thrifty"])
    assert (code, claims[0]["claim"], claims[0]["reached"]) == (0, "same ranking at 2 players as at 3", True)
    assert [row["policy"] for row in tables[0]["rows"]] == ["thrifty", "random"]
    real = script.plan

    def turned(game, names, players, cells, games):
        swap = {"random": "thrifty", "thrifty": "random"}
        ladder = real(game, names, players, cells, games)
        if players == 3:
            return ladder
        played = [script.replace(f, policy=swap.get(f.policy, f.policy)) for f in ladder.play(game, 1)]
        return type("Turned", (), {"games": 1, "play": lambda *_: played})()

    monkeypatch.setattr(script, "plan", turned)
    code, claims, _, _ = measure("ranking", cast=["greedy=thrifty", "adaptive=thrifty"])
    assert code == 1
    assert claims[0]["claim"].endswith("(turned round: random above thrifty)")


def test_pairs_count_intervals_above_and_list_the_worst(measure):
    code, claims, tables, _ = measure("pairs", cast=["greedy=random", "adaptive=thrifty"])
    assert code == 0
    assert [(claim["value"], claim["reached"]) for claim in claims] == [(1.0, True), (0, True)]
    assert claims[0]["n"] == 3 * 300
    assert {row["moods"] for row in tables[0]["rows"]} == {"windy", "festive", "feverish"}
    code, claims, _, _ = measure("pairs", cast=["greedy=thrifty", "adaptive=random"])
    assert code == 1
    assert [(claim["value"], claim["reached"]) for claim in claims] == [(0.0, False), (3, False)]


def test_offsets_are_looked_at_variant_by_variant(measure):
    code, claims, tables, _ = measure("offsets")
    assert code == 0
    assert [claim["value"] for claim in claims] == [3, 0, 0]
    assert len(tables[0]["rows"]) == 3
    assert measure("offsets", "--changing", "windy")[1][0]["target"] == "> 0"
    code, claims, _, _ = measure("offsets", cast=["adaptive=random", "without=thrifty"])
    assert (code, [claim["value"] for claim in claims]) == (1, [0, 3, 3])


def test_search_needs_every_sampled_combination(measure):
    code, claims, _, _ = measure("search", cast=["adaptive=random", "search=thrifty"])
    assert (code, [claim["value"] for claim in claims[1:]]) == (0, [3])
    assert measure("search", cast=["adaptive=thrifty", "search=random"])[0] == 1


def test_sane_looks_at_the_median_and_at_stalls(measure, script):
    code, claims, _, _ = measure("sane", cast=["adaptive=random"], games=200)
    assert [claim["target"] for claim in claims] == ["8 to 20", "0"] * 2
    assert [claim["claim"].rsplit(":", 1)[0] for claim in claims[::2]] == [
        "mirror:random, 2 players",
        "mirror:random, 3 players",
    ]
    assert code == (0 if all(claim["reached"] for claim in claims) else 1)
    assert all(claim["low"] <= claim["value"] <= claim["high"] for claim in claims)
    assert claims[1]["value"] == 0
    assert claims[1]["high"] > 0  # none in 200 is not never


def test_speed_is_a_ratio_in_turns(script, measure):
    asked = []

    class Timed(Tiny):
        def measure(self, cells, seed, first_index, games, lineup, threads):
            asked.append(lineup.text)
            return Throughput(games, games, games, 13.0 if "thrifty" in lineup.text else 1.0)

    games.register(Timed())
    try:
        code, (claim,), _, _ = measure("speed", cast=["adaptive=thrifty"])
    finally:
        games.register(tiny.GAME)
    assert (code, claim["value"], claim["reached"]) == (1, 13, False)
    assert asked[:4] == ["mirror:random", "mirror:thrifty"] * 2


def test_a_part_without_its_policies_is_left_out(script, capsys):
    ask = ["--of", "tiny", "--part", "search", "--players", "3"]
    assert diagnostics.run(lambda: script.main(ask)) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "search: left out, there is no adaptive, search:200" in err


def test_wrong_words_are_refused(script):
    for arguments in (
        ["--part", "five"],
        ["--policy", "best=thrifty"],
        ["--part", "offsets", "--changing", "widny", "--players", "3", "--policy", "adaptive=random",
         "--policy", "without=thrifty"],
    ):  # fmt: skip
        with pytest.raises(script.UsageError, match="there is no"):
            script.main(["--of", "tiny", *arguments])


def test_games_that_do_not_end_are_counted_by_variant(measure, tmp_path, monkeypatch):
    """With a goal of 99 some games of the tiny race stall, and the moods under which they do are named."""
    code, claims, tables, _ = measure("ends", games=30)
    assert code == 0
    assert [(c["value"], c["target"], c["n"]) for c in claims] == [(0, "0", 90)] * 3
    assert tables == []
    far = tmp_path / "far.toml"
    far.write_text('[[edition]]\nid = "classic"\ngoal = 99\ncoins = 0\n')
    load = Tiny.load_catalog
    monkeypatch.setattr(Tiny, "load_catalog", lambda self, overlays=(): load(self, [far, *overlays]))
    code, claims, tables, _ = measure("ends", games=30)
    assert code == 1
    (stuck,) = (row["mood"] for row in tables[0]["rows"] if float(row["thrifty"]) > 0.01)
    assert claims[0]["value"] == 1
    assert claims[0]["claim"].endswith(f"more than 1% of games stall ({stuck})")

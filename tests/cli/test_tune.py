"""`balance tune`: what it writes, its promises, and what it refuses."""

import sys
import textwrap

import pytest

from balance import games
from balance.analysis.samples import tuning_combinations
from balance.cli.app import run
from balance.games.nefarious.catalog import load_catalog
from balance.games.variants import editions_of
from tests.games import tiny

MINE = """
    [[twist]]
    id = "my-twist"
    name = "My Twist"
    name_source = "own"
    editions = ["magellan-2014"]
    confidence = "own"
    lines = [{ when = "end", do = "+1 money" }]
"""
SMALL = ["--budget", "10000"]


@pytest.fixture
def mine(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(textwrap.dedent(MINE))
    return file


@pytest.fixture
def call(capfd, monkeypatch, tmp_path):
    """Run `balance tune ARGS` in this process; return exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def ask(*args):
        code = run(["tune", *map(str, args)])
        return code, *capfd.readouterr()

    return ask


def test_an_own_twist_is_fitted_into_an_overlay(call, mine, tmp_path):
    args = ["--catalog", mine, "--twist", "My Twist", *SMALL, "--jobs"]
    code, out, err = call(*args, "1")
    assert code == 0
    assert "balance tune --twist my-twist --edition magellan-2014 --budget 10000 --seed 1000000000" in out
    assert "my-twist, magellan-2014: " in err
    assert " win points (95%: " in err
    assert "on 1,920 fresh games of 9,216" in err
    assert ("cannot be told from 0" in err) == out.endswith("[offset.parameters]\n")
    offsets = tmp_path / "offsets.toml"
    assert call(*args, "2", "--variant", "my-twist", "-q", "-o", offsets) == (0, "", "")
    assert offsets.read_text() == out  # the same bytes for any number of threads
    catalog = load_catalog([mine, offsets])
    assert games.get().unfitted(catalog, ["my-twist"]) == ()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.toml", "offsets.toml"]


def test_what_cannot_be_tuned_is_refused(call, mine, tmp_path):
    games.register(tiny.GAME)
    bad = tmp_path / "bad.toml"
    bad.write_text('[[offset]]\ntwist = "unoins"\nfitted_to = "x"\nparameters = {}\n')
    there = tmp_path / "there.toml"
    there.write_text("mine")
    for args, message in [
        (["--twist", "unoins"], "unknown twist 'unoins'; did you mean 'unions'?"),
        (["--twist", "Moon Base"], "unknown twist 'Moon Base'"),
        (["--twist", ""], "unknown twist ''"),
        ([], "Missing option '--twist'"),
        (["--twist", "my-twist"], "unknown twist 'my-twist'"),
        (["--twist", "unions", "--budget", "9999"], "a budget of 9999 games: it must be 10000..1000000000"),
        (["--twist", "unions", "--budget", "2000000000"], "it must be 10000..1000000000"),
        (["--twist", "unions", "--seed", "20261116"], "seed 20261116 is not for tuning"),
        (["--twist", "unions", "--jobs", "0"], "--jobs"),
        (["--twist", "unions", "--edition", "ascora"], "unknown edition 'ascora'"),
        (["--twist", "my-twist", "--catalog", mine, "--edition", "ascora-2011"], "is not in edition"),
        (["--twist", "unions", "--catalog", bad], "bad.toml: offset 'unoins': twist: unknown twist"),
        (["--twist", "unions", "--catalog", tmp_path / "nowhere.toml"], "nowhere.toml"),
        (["--twist", "unions", "-o", there], "exists already; --force replaces it"),
        (["--of", "tiny", "--mood", "windy"], "the policies of Tiny race cannot be tuned"),
    ]:
        code, out, err = call(*args)
        assert (code, out) == (2, ""), (args, err)
        assert message in err
        assert "Traceback" not in err
    assert there.read_text() == "mine"


def test_without_the_optimiser_it_says_how_to_get_it(call, monkeypatch):
    monkeypatch.setitem(sys.modules, "cma", None)  # as if it were not installed
    code, out, err = call("--twist", "unions", *SMALL)
    assert (code, out) == (1, "")
    assert err == "error: tuning needs the package cma: pip install 'game-balance[tune]'\n"


def test_an_edition_that_an_overlay_removes_is_not_missed(tmp_path):
    game, gone = games.get(), "mosigra-2020"
    lines = [f'[[edition]]\nid = "{gone}"\nremove = true']
    for twist in load_catalog().twists:
        named = any(gone in line.editions for line in twist.lines)
        left = [] if named else [edition for edition in twist.editions if edition != gone]
        lines.append(f'[[twist]]\nid = "{twist.id}"\n' + (f"editions = {left}" if left else "remove = true"))
    file = tmp_path / "gone.toml"
    file.write_text("\n".join(lines))
    catalog = game.load_catalog([file])
    assert editions_of(game, catalog) == ["ascora-2011", "magellan-2014"]
    assert tuning_combinations(game, catalog, "ascora-2011")


def test_ladder_warns_of_twists_that_nobody_has_learned(capfd, mine):
    few = ["--policies", "random,greedy", "--games", "2", "--players", "2", "--json"]
    args = ["--catalog", str(mine), "--edition", "magellan-2014", *few]
    assert run(["ladder", *args, "--twists", "my-twist"]) == 0
    assert "warning: no policy is fitted to 1 twist (my-twist)" in capfd.readouterr().err
    assert run(["ladder", *args, "--twists", "none"]) == 0
    assert "warning" not in capfd.readouterr().err

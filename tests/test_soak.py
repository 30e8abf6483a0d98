"""`make soak`: repeatable, and loud when the engines part."""

import importlib.util
import multiprocessing
import re
import shlex
from dataclasses import replace

import pytest


class InProcess:
    """A pool of one process, this one: where a mutation is seen, and the script is no module."""

    def __init__(self, processes):
        self.imap = lambda work, games, chunksize: map(work, games)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


@pytest.fixture
def soak(checkout, monkeypatch):
    monkeypatch.setattr(multiprocessing, "Pool", InProcess)
    spec = importlib.util.spec_from_file_location("soak", checkout / "scripts" / "soak.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def one_sided(soak):
    """Work pays 1 more on the side of the reference; returns how to undo it."""
    compiled = soak.compiled

    def mutated(*cell):
        kernel, rules = compiled(*cell)
        return kernel, replace(rules, work_money=rules.work_money + 1)

    soak.compiled = mutated
    return lambda: setattr(soak, "compiled", compiled)


def test_the_seed_decides_which_games_are_played(soak):
    first = [spec for cell in range(40) for spec in soak.games_of_cell(1, cell)]
    assert first == [spec for cell in range(40) for spec in soak.games_of_cell(1, cell)]
    assert first != [spec for cell in range(40) for spec in soak.games_of_cell(2, cell)]
    assert {len(spec.twists) for spec in first} == {0, 1, 2}
    assert {spec.players for spec in first} == {2, 3, 4, 5, 6}
    assert len({spec.edition for spec in first}) == 3
    assert any(spec.catalog for spec in first)
    assert all(soak.Spec.read(str(spec)) == spec for spec in first)


def test_a_clean_soak_counts_games_rounds_and_divergences(soak, capsys):
    assert soak.main(["--games", "60", "--seed", "4", "--processes", "1"]) == 0
    assert re.search(r"^60 games, [\d,]+ rounds, 0 divergences, \d+ s$", capsys.readouterr().out, re.M)


def test_a_divergence_is_shown_with_the_command_that_plays_it_again(soak, one_sided, capsys):
    assert soak.main(["--games", "10", "--processes", "1"]) == 1
    out = capsys.readouterr().out
    assert re.search(r"^10 games, .* [1-9]\d* divergences", out, re.M)
    assert "rules say" in out
    command = shlex.split(re.search(r"again: (.*)", out)[1])
    assert command[1] == "scripts/soak.py"
    assert soak.main(command[2:]) == 1
    assert "DIVERGENCE" in capsys.readouterr().out
    one_sided()
    assert soak.main(command[2:]) == 0

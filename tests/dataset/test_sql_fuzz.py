"""A fixed sample of the grammar; `make soak` tries more."""

import shutil

import pytest

import balance
from balance import games
from balance.dataset.connection import connect
from balance.dataset.limits import Limits
from tests.dataset.sql_grammar import Grammar, try_all, written_in_the_open
from tests.games.tiny import GAME


@pytest.fixture
def run(monkeypatch, tmp_path):
    monkeypatch.setenv("BALANCE_CACHE_DIR", str(tmp_path / "cache"))
    with games.registered(GAME):
        yield balance.simulate(tmp_path / "top" / "run", game="tiny", games_per_cell=3)


def grammar(run, tmp_path, seed):
    return Grammar(seed, [str(run.files("games")[0]), str(run.files("seats")[0])], tmp_path / "top")


def test_nothing_gets_through(run, tmp_path):
    with connect([run], Limits(seconds=20)) as con:
        answered = try_all(con, run, tmp_path / "top", grammar(run, tmp_path, 16), 400)
    assert 5 < answered < 350


def test_in_the_open_much_gets_through(run, tmp_path):
    for name in ("games", "seats"):
        shutil.copy(run.files(name)[0], f"{run.files(name)[0]}.saved")
    assert written_in_the_open(tmp_path / "top", grammar(run, tmp_path, 16), 150) > 15

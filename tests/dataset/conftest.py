"""What the tests of views and queries share: one small real run of Nefarious, and connections on runs."""

import duckdb
import pytest

import balance
from balance import games
from balance.dataset import shards
from balance.dataset.views import create_views
from tests.games.tiny import GAME


@pytest.fixture(autouse=True)
def _tiny():
    with games.registered(GAME):
        yield


@pytest.fixture(scope="session")
def nefarious(tmp_path_factory):
    """All combinations of three twists, and one under which games stall; every deal is played twice."""
    return balance.simulate(
        tmp_path_factory.mktemp("nefarious") / "run",
        players="2,3",
        variants=[
            "none",
            "unions",
            "geeks",
            "philanthropy",
            "embezzling-minions",
            "geeks,unions",
            "geeks,philanthropy",
            "unions,philanthropy",
        ],
        lineups=["field", "mirror:random"],
        games_per_cell=20,
        replicates=2,
        seed=3,
    )


@pytest.fixture(scope="session")
def pairs(tmp_path_factory):
    """All pairs of Nefarious, in as many shards as a run with ten times as many games has."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shards, "FEWEST_SEATS", shards.FEWEST_SEATS // 10)
        return balance.simulate(
            tmp_path_factory.mktemp("pairs") / "run",
            players="2,3",
            variants="pairs",
            lineups="mirror:random",
            games_per_cell=22,
        )


@pytest.fixture(scope="session")
def views():
    """Connect to runs: `views(run, ...)`; tests of the same runs share the connection and only read."""
    opened = {}

    def connect(*runs):
        folders = tuple(run.path for run in runs)
        if folders not in opened:
            opened[folders] = duckdb.connect()
            create_views(opened[folders], runs)
        return opened[folders]

    yield connect
    for con in opened.values():
        con.close()

"""What the tests of views and queries share: one small real run of Nefarious, and connections on runs."""

import duckdb
import pytest

import balance
from balance import games
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


@pytest.fixture
def views():
    """Connect to runs: `views(run, ...)`."""
    opened = []

    def connect(*runs):
        con = duckdb.connect()
        opened.append(con)
        create_views(con, runs)
        return con

    yield connect
    for con in opened:
        con.close()

"""Runs of the tiny game, made once for all tests of stats, measure, judge and experiments."""

import pytest

import balance
from balance import games
from balance.measure.cells import statistics
from tests.games.tiny import GAME


@pytest.fixture(scope="package", autouse=True)
def _tiny():
    with games.registered(GAME):
        yield


@pytest.fixture(scope="package")
def tiny_runs(tmp_path_factory):
    """A run of the tiny game, and one that extends it: field and mirror, all moods, one game per deal."""
    folder = tmp_path_factory.mktemp("tiny")
    balance.simulate(folder / "first", game="tiny", games_per_cell=30, jobs=1)
    from balance.sweep.simulation import prepare_extension, run_prepared

    run_prepared(prepare_extension(folder / "first", folder / "more", games_per_cell=20), 1)
    return balance.open_runs([folder / "first", folder / "more"])


@pytest.fixture(scope="package")
def tiny_replicated(tmp_path_factory):
    """A run of the tiny game in which every deal is played four times."""
    folder = tmp_path_factory.mktemp("tiny-again")
    return balance.simulate(folder / "run", game="tiny", players=3, games_per_cell=25, replicates=4, jobs=1)


@pytest.fixture(scope="package")
def tiny_statistics(tiny_runs):
    return statistics(tiny_runs)

"""Games are found by name: built in, registered, or offered by another package."""

import subprocess
import sys
from importlib import metadata
from types import SimpleNamespace

import pytest

from balance import games
from balance.errors import DataError, UsageError


@pytest.fixture(autouse=True)
def _no_game_is_known_yet(monkeypatch):
    monkeypatch.setattr(games, "_registered", {})


def offer(monkeypatch, **points):
    """Pretend that another package offers these names through the entry point group."""

    def entry_points(group, name=None):
        assert group == "balance.games"
        return [p for n, p in points.items() if name in (None, n)]

    monkeypatch.setattr(metadata, "entry_points", entry_points)


def point(name, load):
    return SimpleNamespace(name=name, value=f"{name}:GAME", load=load)


def test_the_built_in_game_is_loaded_when_asked_for():
    script = (
        "import sys, balance.games as games; before = 'balance.games.nefarious.game' in sys.modules;"
        "print(before, games.get().name, games.get() is games.get('nefarious'))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "False nefarious True\n"


def test_an_unknown_game_is_answered_with_the_nearest():
    with pytest.raises(UsageError, match="did you mean 'nefarious'"):
        games.get("nefarius")


def test_a_game_of_another_package(monkeypatch):
    dice = SimpleNamespace(name="dice")
    offer(monkeypatch, dice=point("dice", lambda: dice))
    assert games.names() == ["dice", "nefarious"]
    assert games.get("dice") is dice


def test_a_game_that_cannot_be_loaded_is_told(monkeypatch):
    def load():
        raise ImportError("no module named dice")

    offer(monkeypatch, dice=point("dice", load))
    with pytest.raises(DataError, match="'dice' cannot be loaded from dice:GAME: no module named dice"):
        games.get("dice")


def test_an_entry_point_must_give_a_game_of_its_name(monkeypatch):
    offer(monkeypatch, dice=point("dice", lambda: SimpleNamespace(name="cards")))
    with pytest.raises(DataError, match="does not give a game of that name"):
        games.get("dice")

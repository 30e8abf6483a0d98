from pathlib import Path

import pytest

from balance import resources
from balance.errors import DataError


def test_a_checkout_has_its_data_beside_the_package(checkout):
    assert resources.data_dir("nefarious") == checkout / "data" / "nefarious"


def test_a_wheel_has_its_data_inside_the_package(tmp_path, monkeypatch):
    package = tmp_path / "site-packages" / "balance"
    (package / "_data" / "nefarious").mkdir(parents=True)
    monkeypatch.setattr(resources, "_PACKAGE", package)
    assert resources.data_dir("nefarious") == package / "_data" / "nefarious"


@pytest.mark.parametrize("game", ["chess", "", "..", "../data/nefarious", "/"])
def test_an_unknown_game_is_a_data_error(game):
    with pytest.raises(DataError, match="no data for the game"):
        resources.data_dir(game)


def test_the_current_directory_does_not_matter(tmp_path, monkeypatch):
    before = resources.data_dir("nefarious")
    monkeypatch.chdir(tmp_path)
    assert resources.data_dir("nefarious") == before


def test_our_variable_decides_the_cache_first(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    monkeypatch.setenv("BALANCE_CACHE_DIR", str(tmp_path))
    assert resources.cache_setting() == (str(tmp_path), "BALANCE_CACHE_DIR")
    assert resources.cache_dir() == tmp_path


def test_then_the_xdg_variable(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert resources.cache_setting() == ("/xdg/balance", "XDG_CACHE_HOME")


def test_a_relative_xdg_variable_is_ignored(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "xdg")
    assert resources.cache_setting().source == "default"


def test_then_the_home_directory(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert resources.cache_dir() == tmp_path / ".cache" / "balance"
    assert not resources.cache_dir().exists()


def test_the_home_of_nobody_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setenv("BALANCE_CACHE_DIR", "~nobody-at-all/cache")
    with pytest.raises(DataError, match="no home directory is known"):
        resources.cache_dir()


def test_the_folder_that_was_asked_for_is_absolute(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BALANCE_CACHE_DIR", "cache")
    assert resources.cache_dir() == Path(tmp_path, "cache")

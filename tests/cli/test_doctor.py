import json

import pytest

from balance.cli import doctor
from balance.dataset import wall


@pytest.fixture
def report(command):
    def ask(**env):
        done = command("doctor", "--json", env=env)
        assert (done.returncode, done.stderr) == (0, "")
        return {row["item"]: row for row in json.loads(done.stdout)}

    return ask


def test_it_knows_the_versions(report):
    import numpy as np

    import balance

    items = report()
    assert items["balance"]["value"] == balance.__version__
    assert items["numpy"]["value"] == np.__version__
    assert set(items) >= {"python", "numba", "polars", "duckdb", "scipy", "matplotlib", "typer"}


def test_it_says_where_the_cache_setting_came_from(report, tmp_path):
    cache = report(BALANCE_CACHE_DIR=str(tmp_path / "new"))["cache"]
    assert cache == {"item": "cache", "value": str(tmp_path / "new"), "source": "BALANCE_CACHE_DIR"}
    assert not (tmp_path / "new").exists()


def test_it_says_whether_the_cache_is_writable(report, tmp_path):
    assert report(BALANCE_CACHE_DIR=str(tmp_path / "new" / "deep"))["cache_writable"]["value"] is True
    (tmp_path / "file").touch(0o755)
    assert report(BALANCE_CACHE_DIR=str(tmp_path / "file"))["cache_writable"]["value"] is False


@pytest.mark.parametrize(("version", "value"), [(wall.version(), "stands"), (2, "missing: ")])
def test_it_says_whether_the_wall_stands(monkeypatch, version, value):
    if version < wall.VERSION and value == "stands":
        pytest.skip("this kernel has no Landlock")
    monkeypatch.setattr(wall, "version", lambda: version)
    items = {item: (found, source) for item, found, source in doctor._folders()}
    assert items["wall"][0].startswith(value)
    assert items["wall"][1] == "Landlock of this kernel, behind the gate of balance sql"


def test_the_wall_is_tried(monkeypatch):
    monkeypatch.setattr(wall, "_RESTRICT_SELF", 0)  # a kernel that offers it and refuses
    assert doctor._wall().startswith("missing: ")


def test_it_counts_cores_and_memory(report):
    items = report()
    assert items["cores"]["value"] >= 1
    assert items["memory_mb"]["value"] > 100


def test_it_tells_set_variables_from_unset_ones(report):
    assert report(NO_COLOR="1")["NO_COLOR"] == {"item": "NO_COLOR", "value": "1", "source": "environment"}
    assert report()["NO_COLOR"] == {"item": "NO_COLOR", "value": None, "source": "not set"}


def test_a_missing_dependency_is_told_not_raised(monkeypatch):
    from importlib import metadata

    from balance.cli import doctor

    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert ("duckdb", None, "not installed") in list(doctor._versions())


def test_its_help(command, golden):
    golden("doctor-help.txt", command("doctor", "-h").stdout)

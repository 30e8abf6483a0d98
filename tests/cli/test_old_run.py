"""A run that version 0.1 stored, whose engine is not this one: it is read as ever, and never played on."""

import tarfile
import tomllib
from pathlib import Path

import pytest

from balance.cli.app import run
from balance.resources import data_dir

ARCHIVE = Path(__file__).parents[1] / "data" / "run-0.1.tar.gz"
GAME = "0"


@pytest.fixture
def old(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "run-0.1"


def test_it_is_read(old, capfd):
    assert run(["sql", str(old), "select count(*) as games from games", "--format", "csv"]) == 0
    assert capfd.readouterr().out == "games\n6\n"
    assert run(["check", "--all", str(old), "--json"]) == 0
    assert run(["doctor", str(old)]) == 0


def test_what_breaks_in_it_is_not_measured_again(old, tmp_path, capfd):
    strict = tmp_path / "strict.toml"
    official = tomllib.loads((data_dir("nefarious") / "thresholds.toml").read_text())["threshold"]
    removed = [f'[[threshold]]\nid = "{one["id"]}"\nremove = true\n' for one in official]
    wanted = '[[threshold]]\nid = "length_long"\nhigh = 2\nreason = "Everything is too long."\n'
    strict.write_text("".join(one for one in removed if '"length_long"' not in one) + wanted)
    assert run(["check", "--all", str(old), "--thresholds", str(strict), "--top", "0"]) == 0
    out = capfd.readouterr().out
    assert "1 broken" in out
    assert "The worst were not measured again on fresh games:" in " ".join(out.split())


@pytest.mark.slow
def test_it_is_reported(old, tmp_path):
    assert run(["report", str(old), "--out", str(tmp_path / "report.html")]) == 0
    assert (tmp_path / "report.html").stat().st_size > 0


@pytest.mark.parametrize(
    "command",
    [
        ["replay", "RUN", GAME],
        ["simulate", "--extend", "RUN", "--games", "2", "--out", "more"],
        ["simulate", "--repair", "RUN"],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_it_is_not_played_on(old, capfd, command):
    before = {path: path.read_bytes() for path in old.rglob("*") if path.is_file()}
    assert run([str(old) if word == "RUN" else word for word in command]) == 3
    out, err = capfd.readouterr()
    assert not out
    assert err.startswith(f"error: {old} cannot be played exactly as it was: engine: a6f5396bbf9b there, ")
    assert err.count("\n") == 1
    assert {path: path.read_bytes() for path in old.rglob("*") if path.is_file()} == before

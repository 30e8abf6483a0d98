"""Folders of runs: refused when they hold something else, found out when damaged, repaired to the byte."""

import copy
import hashlib
import json
import shutil

import pytest

import balance
from balance import games
from balance.cli.app import run as command
from balance.dataset import manifest, verify
from balance.errors import DataError, UsageError
from balance.sweep import simulation
from tests.games.tiny import Tiny


@pytest.fixture
def run(tiny_run):
    return tiny_run()


def snapshot(folder):
    return {
        path: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*") if path.is_file()
    }


# --- refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seed": 1}, "seed: 0 there, 1 here"),
        ({"games_per_cell": 9}, "games per cell: 8 there, 9 here"),
        ({"edition": "brisk"}, "edition: classic there, brisk here"),
    ],
)
def test_a_folder_of_another_plan_is_refused_with_what_differs(tiny_run, run, options, message):
    before = snapshot(run.path)
    with pytest.raises(UsageError, match=rf"^out .*holds another run.*{message}.*name another folder$"):
        tiny_run(run.path, **options)
    assert snapshot(run.path) == before


def test_a_folder_of_another_catalog_is_refused(tiny_run, run, tmp_path):
    overlay = tmp_path / "mine.toml"
    overlay.write_text("[[charm]]\nid = 1\ncost = 9\n")
    with pytest.raises(UsageError, match=r"catalog: [0-9a-f]{12} there, [0-9a-f]{12} here"):
        tiny_run(run.path, catalog=[overlay])


def test_a_folder_of_another_version_is_refused(tiny_run, run, monkeypatch):
    monkeypatch.setattr(balance, "__version__", "99.0")
    with pytest.raises(UsageError, match=r"version of balance: .* there, 99\.0 here"):
        tiny_run(run.path)


def test_a_folder_with_other_things_is_refused_and_left_alone(tiny_run, tmp_path):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_text("miaow")
    with pytest.raises(UsageError, match="exists but is not a run"):
        tiny_run(tmp_path / "photos")
    assert [path.name for path in (tmp_path / "photos").iterdir()] == ["cat.jpg"]
    with pytest.raises(UsageError, match="exists but is not a run"):
        tiny_run(tmp_path / "photos" / "cat.jpg")


def test_what_a_first_broken_moment_left_behind_is_gone_on_with(tiny_run, run, tmp_path, digests):
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / manifest.STATE).touch()
    (broken / manifest.CATALOG).write_text("half a cat")
    (broken / ".cells.parquet.01234567.tmp").touch()
    assert digests(tiny_run(broken).path) == digests(run.path)


def test_an_empty_folder_is_taken(tiny_run, tmp_path):
    (tmp_path / "empty").mkdir()
    assert tiny_run(tmp_path / "empty").plan.games == 8 * 16


# --- opening


def test_a_run_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"there is no run in .*nowhere: run\.json is missing"):
        balance.open_run(tmp_path / "nowhere")


def test_an_unfinished_run_is_not_opened(run):
    file = run.path / manifest.STATE
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(DataError, match=f"is unfinished: 1 of {run.plan.shards} shards are missing"):
        balance.open_run(run.path)


def test_a_run_with_a_missing_file_is_not_opened(run):
    run.files("seats")[0].unlink()
    with pytest.raises(DataError, match=r"is damaged: seats/2-players/0000\.parquet is missing"):
        balance.open_run(run.path)


def test_a_run_of_an_unknown_schema_is_not_opened(run):
    file = run.path / manifest.RUN
    file.write_text(file.read_text().replace('"schema": 1,', '"schema": 2,'))
    with pytest.raises(DataError, match="is of schema version 2; this version of balance knows 1"):
        balance.open_run(run.path)


def test_a_wrong_table_is_answered_with_the_right_one(run):
    with pytest.raises(UsageError, match="unknown table 'seat'; did you mean 'seats'"):
        run.scan("seat")
    with pytest.raises(UsageError, match="unknown table 'mood'; did you mean 'moods'"):
        run.small("mood")
    assert run.small("moods").columns[:2] == ["id", "name"]
    assert run.small("run")["games"].to_list() == [128]
    assert run.small("policies").rows() == [("random", 0), ("thrifty", 1)]


def test_the_catalog_as_used_is_in_the_folder(tiny_run, tmp_path):
    overlay = tmp_path / "mine.toml"
    overlay.write_text('[[mood]]\nid = "sleepy"\nname = "Sleepy"\neditions = ["classic"]\nrun_change = -2\n')
    used = tiny_run(catalog=[overlay], variants="sleepy")
    overlay.unlink()
    opened = balance.open_run(used.path)
    assert opened.catalog.hash == used.plan.catalog_hash
    assert "sleepy" in [mood.id for mood in opened.catalog.moods]


class Weighed(Tiny):
    """The tiny game, if its policies had weights."""

    weights = "thrifty = 3\n"

    def policies_text(self, catalog):
        return getattr(catalog, "weights", self.weights)

    def policies_hash(self, catalog):
        return hashlib.sha256(self.policies_text(catalog).encode()).hexdigest()

    def with_policies(self, catalog, path):
        twin = copy.copy(catalog)
        object.__setattr__(twin, "weights", path.read_text())
        return twin


@pytest.fixture
def _weighed():
    with games.registered(Weighed()):
        yield


@pytest.mark.usefixtures("_weighed")
def test_the_policies_as_used_are_in_the_folder(tiny_run, monkeypatch):
    used = tiny_run()
    assert (used.path / manifest.POLICIES).read_text() == "thrifty = 3\n"
    assert used.plan.policies_hash == Weighed().policies_hash(None)
    assert used.small("run")["policies_hash"].to_list() == [used.plan.policies_hash]
    monkeypatch.setattr(Weighed, "weights", "thrifty = 4\n")
    with pytest.raises(UsageError, match=r"policies: [0-9a-f]{12} there, [0-9a-f]{12} here"):
        tiny_run(used.path)
    # what a run was played with is in its folder, so that it can be repaired with other policies installed
    simulation.prepare_repair(used.path)
    (used.path / manifest.POLICIES).write_text("thrifty = 5\n")
    with pytest.raises(DataError, match=r"policies\.toml is not what was written"):
        simulation.prepare_repair(used.path)


# --- damaged and repaired


def truncate(path):
    path.write_bytes(path.read_bytes()[:-10])


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def remove(path):
    path.unlink()


def lengthen(path):
    path.write_bytes(path.read_bytes() + b"x")


GAMES, LAPS, CELLS = "games/2-players/0000.parquet", "laps/3-players/*", "cells.parquet"


@pytest.mark.parametrize(
    ("damage", "where", "problem"),
    [
        (truncate, GAMES, "truncated: "),
        (truncate, CELLS, "truncated: "),
        (flip, LAPS, "changed: "),
        (remove, CELLS, "missing"),
        (remove, LAPS, "missing"),
        (lengthen, GAMES, "too long: "),
    ],
)
@pytest.mark.slow
def test_damage_is_found_and_repaired_to_the_byte(run, digests, capfd, damage, problem, where):
    before = digests(run.path)
    file = next(run.path.glob(where))
    damage(file)
    name = file.relative_to(run.path).as_posix()
    found = list(verify.damages(run.path, run.state))
    assert [(d.file, d.problem[: len(problem)]) for d in found] == [(name, problem)]
    assert command(["doctor", str(run.path), "--json"]) == 3
    out, err = capfd.readouterr()
    assert [row["value"][: len(problem)] for row in json.loads(out) if row["item"] == name] == [problem]
    assert f"'balance simulate --repair {run.path}'" in err
    assert command(["simulate", "--repair", str(run.path)]) == 0
    assert digests(run.path) == before
    assert command(["doctor", str(run.path), "--replay", "2"]) == 0


def test_only_what_is_damaged_is_played_again(run):
    remove(run.files("seats")[1])
    flip(run.files("buys")[2])
    untouched = {path: path.stat().st_mtime_ns for path in run.files("games")}
    summary = simulation.run_prepared(simulation.prepare_repair(run.path))
    assert summary.shards == 2
    changed = [path for path, when in untouched.items() if path.stat().st_mtime_ns != when]
    assert changed == run.files("games")[1:3]


def test_a_damaged_catalog_is_restored_if_this_installation_has_it(run, digests, tiny_run, tmp_path):
    before = digests(run.path)
    truncate(run.path / manifest.CATALOG)
    simulation.run_prepared(simulation.prepare_repair(run.path))
    assert digests(run.path) == before
    overlay = tmp_path / "mine.toml"
    overlay.write_text("[[charm]]\nid = 1\ncost = 9\n")
    own = tiny_run(catalog=[overlay])
    (own.path / manifest.CATALOG).write_text("[catalog]\n")
    with pytest.raises(DataError, match="the catalog as used is damaged"):
        simulation.prepare_repair(own.path)


def test_a_changed_plan_is_not_believed(run):
    file = run.path / manifest.RUN
    file.write_text(file.read_text().replace('"seed": 0', '"seed": 7'))
    with pytest.raises(DataError, match="was changed after it was written"):
        simulation.prepare_repair(run.path)


def test_a_run_of_another_engine_is_not_repaired(run, monkeypatch):
    remove(run.files("seats")[0])
    monkeypatch.setattr(type(run.game), "engine_hash", lambda self: "f" * 64)
    with pytest.raises(DataError, match="cannot be played exactly as it was: engine: "):
        simulation.prepare_repair(run.path)


def test_repair_goes_on_with_what_is_unfinished(run, digests):
    before = digests(run.path)
    shutil.rmtree(run.path / "games")
    (run.path / manifest.STATE).unlink()
    simulation.run_prepared(simulation.prepare_repair(run.path))
    assert digests(run.path) == before


def test_a_healthy_run_says_what_it_holds(run, capfd):
    assert command(["doctor", str(run.path), "--json"]) == 0
    rows = {row["item"]: row["value"] for row in json.loads(capfd.readouterr().out)}
    assert rows["game"] == "tiny"
    assert rows["games"] == 128
    assert rows["shards"] == f"{run.plan.shards} of {run.plan.shards}"
    assert rows["run"] == run.plan.id
    assert "other_files" not in rows
    (run.path / "notes.txt").write_text("mine")
    assert command(["doctor", str(run.path), "--json"]) == 0
    assert {row["item"]: row["source"] for row in json.loads(capfd.readouterr().out)}[
        "other_files"
    ] == "notes.txt"

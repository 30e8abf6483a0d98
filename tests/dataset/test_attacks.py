"""What attackers found in a run of the tiny game, each once more: it does not work again."""

import hashlib
import json
import os
import shutil
import time
import warnings
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

import balance
from balance import games
from balance.cli import diagnostics
from balance.cli.app import run as command
from balance.dataset import connection, verify
from balance.dataset.plan import parse_plan
from balance.dataset.sql_guard import shortened
from balance.errors import DataError, UsageError
from balance.files import write_whole
from balance.judge import tables
from balance.report.model import Chart, Source
from balance.report.render.charts import svg
from balance.sweep.smalltables import head_files
from tests.games.tiny import GAME

PLAYED = {"players": "2,3", "games_per_cell": 3, "jobs": 1}


@pytest.fixture(autouse=True)
def _closed(monkeypatch, tmp_path):
    monkeypatch.setenv("BALANCE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(verify._Trust, "given", False)
    verify._verified.clear()
    with games.registered(GAME):
        yield


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    with games.registered(GAME):
        folder = tmp_path_factory.mktemp("attacks") / "run"
        return balance.simulate(folder, game="tiny", **PLAYED).path


@pytest.fixture
def folder(original, tmp_path):
    return shutil.copytree(original, tmp_path / "run")


@pytest.fixture
def call(capfd):
    def call(*args):
        code = command([*map(str, args)])
        return code, *capfd.readouterr()

    return call


def content(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def forged(folder, table, sql):
    """Write a table again, and its checksum, as a forger would."""
    file = folder / f"{table}.parquet"
    with duckdb.connect() as con:
        con.execute(f"copy (select * replace ({sql}) from '{file}') to '{file}.new' (format parquet)")
    Path(f"{file}.new").replace(file)
    fix_up(folder, f"{table}.parquet")


def fix_up(folder, *names):
    """Write the checksums of files as they are now into the ledger."""
    lines = [json.loads(line) for line in (folder / "shards.jsonl").read_text().splitlines()]
    for entry in lines:
        for name in set(names) & entry["files"].keys():
            made = (folder / name).read_bytes()
            entry["files"][name] = {"size": len(made), "sha256": hashlib.sha256(made).hexdigest()}
    (folder / "shards.jsonl").write_text("".join(f"{json.dumps(entry)}\n" for entry in lines))


# --- caches


def test_what_was_not_verified_is_not_kept_for_others(folder, tmp_path):
    lies, truth = balance.open_run(folder, verify=False), balance.open_run(folder)
    kept = tmp_path / "cache" / "judgements"
    unverified = tables.files([lies])
    assert not kept.exists()
    assert tables.files([lies]) == unverified
    assert all(file.is_relative_to(kept) for file in tables.files([truth]).values())
    verify.trust()
    assert not balance.open_run(folder).verified


def test_a_run_that_is_resumed_is_verified(folder):
    lost, other = sorted((folder / "games").rglob("*.parquet"))
    lost.unlink()
    other.write_bytes(bytes(reversed(other.read_bytes())))  # of the same size
    with pytest.raises(DataError, match="changed: the content"):
        balance.simulate(folder, game="tiny", **PLAYED)


def test_every_file_is_read_again_after_an_hour(folder, monkeypatch):
    balance.open_run(folder)
    now, touched = time.time(), folder / "cells.parquet"
    hashed = []
    digest = hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", lambda *a: hashed.append(a) or digest(*a))
    for minutes, files in ((50, 1), (70, len(balance.open_run(folder).state.files()) - 1)):
        os.utime(touched) if minutes == 50 else None  # one file is verified later than the others
        monkeypatch.setattr(time, "time", lambda minutes=minutes: now + 60 * minutes)
        for forget in (True, False):
            if forget:
                verify._verified.clear()
            balance.open_run(folder)
            assert len(hashed) == (files if forget else 0)
            hashed.clear()


# --- writing


@pytest.mark.parametrize("place", ["run.json", "new.csv", "games/2-players/0000.parquet", "link"])
def test_no_output_goes_into_a_run(folder, tmp_path, call, place):
    target = folder / place
    if place == "link":
        target = tmp_path / "link.csv"
        target.symlink_to(folder / "games/2-players/0000.parquet")
    before = content(folder)
    for args in (
        ["sql", folder, "select 1 as a", "--format", "csv", "-o", target],
        ["catalog", "list", "moods", "--of", "tiny", "-o", target],
        ["doctor", "-o", target],
        ["report", folder, "--format", "json", "-o", target.with_suffix(".json")],
        ["price", "--write", target, "-o", target],
        ["train", folder / "sub"],
        ["tune", "--twist", "unions", "-o", folder / "weights.npz"],
    ):
        code, _, err = call(*args, *([] if args[0] == "train" else ["--force"]))
        if place == "link" and args[0] == "report":
            continue  # link.json is a file of its own
        assert (code, "which never changes" in err) == (2, True), (args, err)
    assert content(folder) == before


@pytest.mark.parametrize("place", ["sub", "sub/deep", "games/sub"])
def test_no_run_goes_into_a_run(folder, call, place):
    before = content(folder)
    code, _, err = call("simulate", "--of", "tiny", "--games", "1", "--players", "2", "--out", folder / place)
    assert (code, "which never changes" in err) == (2, True)
    assert content(folder) == before


@pytest.mark.parametrize(("name", "codes"), [("shards.jsonl", {1}), ("run.log", {0})])
def test_a_repair_does_not_append_to_hard_links(folder, tmp_path, call, name, codes):
    outside = tmp_path / "outside"
    os.link(folder / name, outside)
    (folder / "games/2-players/0000.parquet").unlink()
    before = outside.read_bytes()
    code, _, _ = call("simulate", "--repair", folder, "--jobs", "1")
    assert code in codes
    assert outside.read_bytes() == before


def test_a_repair_names_the_small_files_that_it_wrote(folder, call):
    (folder / "cells.parquet").write_bytes(b"")
    code, _, err = call("simulate", "--repair", folder, "--jobs", "1")
    assert (code, "wrote cells.parquet again" in err) == (0, True), err


# --- lies


def _other_seed(plan):
    return replace(plan, seed=plan.seed + 1)


def _other_variants(plan):
    """Swap the variants of two cells: the plan is consistent, and wrong."""
    one = plan.cells[0]
    two = next(
        c for c in plan.cells if c.variants != one.variants and (c.players, c.lineup) == (2, one.lineup)
    )
    swapped = {one.id: replace(one, variants=two.variants), two.id: replace(two, variants=one.variants)}
    return replace(plan, cells=tuple(swapped.get(cell.id, cell) for cell in plan.cells))


@pytest.mark.parametrize("lie", [_other_seed, _other_variants])
def test_doctor_finds_a_plan_that_lies(folder, call, lie):
    honest = balance.open_run(folder)
    files = head_files(honest.game, honest.catalog, lie(honest.plan))
    for name, made in files.items():
        (folder / name).write_bytes(made)
    fix_up(folder, *files)
    assert call("sql", folder, "select count(*) from games")[0] == 0  # a run is not authenticated
    assert call("doctor", folder)[0] == 3


def test_a_replay_finds_a_row_of_another_cell(folder, call):
    number = duckdb.sql(f"select min(game_id) from '{folder}/games/**/*.parquet'").fetchall()[0][0]
    assert call("replay", folder, number)[0] == 0
    forged(folder, "games/2-players/0000", "(cell_id + 1)::uinteger as cell_id")
    code, _, err = call("replay", folder, number)
    assert code == 3, err
    assert "comes out differently from its rows in games" in err


def test_settings_do_not_show_the_home_folder(folder):
    shown = balance.open_run(folder).sql("select value from duckdb_settings()")
    assert not any(str(Path.home()) in str(value) for value in shown["value"])


# --- names and messages


@pytest.mark.parametrize("table", ["moods", "cells", "policies", "run"])
def test_control_characters_in_small_tables(folder, call, table):
    column = {"moods": "name", "cells": "lineup", "policies": "policy", "run": "edition"}[table]
    forged(folder, table, f"chr(27) || {column} as {column}")
    for args in (["report", folder, "-o", folder.parent / "r.html"], ["sql", folder, "select 1"]):
        code, _, err = call(*args)
        assert code == 3, err
        assert f"{table}.parquet: a text with control characters" in err
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("versions", [1]),
        ("versions", {"numba": 3}),
        ("chosen", 3),
        ("seed", "x"),
        ("ordered", 1),
        ("cells", {}),
        ("cells", [[0]]),
        ("cells", [[0, 2, 5, "field", 0, 1, 1]]),
        ("game", None),
    ],
)
def test_a_broken_plan_is_named_by_its_field(folder, field, value):
    document = json.loads((folder / "run.json").read_text()) | {field: value}
    with pytest.raises(DataError, match=rf"run\.json .*not the plan of a run \({field} ") as caught:
        parse_plan(json.dumps(document), "run.json")
    assert "Error" not in str(caught.value)


@pytest.mark.parametrize(
    "query",
    [
        "select repeat('x', 10000000)::int",
        "select '{}'::int".format("y\n" * 99_999),
        "select " + "- " * 2_000 + "1",
    ],
)
def test_messages_are_short(folder, query):
    with connection.connect([balance.open_run(folder)]) as con:
        with pytest.raises(UsageError) as caught:
            con.frame(query)
        assert len(str(caught.value)) < 1_300
        assert str(caught.value).count("\n") < 4
        assert "SET" not in str(caught.value)


def test_a_message_keeps_the_place_of_a_mistake():
    assert shortened("Error: no\n\nLINE 1: a\n   ^\n\nPossible solutions: x") == "Error: no\nLINE 1: a\n   ^"


def test_a_side_of_a_comparison_with_a_very_long_name(call):
    code, _, err = call("compare", "official", "7" * 5_000, "--of", "tiny")
    assert code == 2, err


def test_long_names_in_a_figure_do_not_warn():
    data = {"label": ("x" * 2_000,), "series": ("a",), "y": (0.1,), "low": (0.0,), "high": (0.2,)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert svg(Chart("id", "caption", "dots", data, Source(""), "alt"))


# --- outputs and Ctrl-C


def test_a_pipe_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(FileExistsError):
        write_whole(pipe, b"x")
    assert pipe.is_fifo()


def test_a_query_that_ctrl_c_interrupts_ends_as_interrupted(capfd):
    def stopped():
        raise RuntimeError("Query interrupted")

    assert diagnostics.run(stopped) == 130
    assert capfd.readouterr().err == "error: interrupted\n"


def test_a_query_file_without_an_end_is_refused(folder, call):
    code, _, err = call("sql", folder, "-f", "/dev/zero")
    assert (code, "too long for a query" in err) == (2, True)

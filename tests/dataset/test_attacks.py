"""What attackers found in a run of the tiny game, each once more: it does not work again."""

import contextlib
import hashlib
import io
import itertools
import json
import os
import re
import shutil
import signal
import socket
import time
import warnings
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

import balance
from balance import games, resources
from balance.cli import diagnostics
from balance.cli.app import run as command
from balance.dataset import connection, verify
from balance.dataset.housekeeping import made_by
from balance.dataset.limits import resident
from balance.dataset.plan import parse_plan
from balance.dataset.saved_queries import load_question
from balance.dataset.sql_guard import shortened
from balance.errors import DataError, Failed, UsageError
from balance.files import write_whole
from balance.judge import tables
from balance.report import build
from balance.report.model import Chart, Source
from balance.report.render.charts import svg
from balance.sweep import examine
from balance.sweep.examine import wrong_content
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


@contextlib.contextmanager
def no_hang():
    def ring(*_):
        raise AssertionError("no answer within 60 s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(60)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


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
    assert (code, "/dev/zero: is not a regular file" in err) == (2, True)


# --- files that a user names


@pytest.fixture(params=["endless", "pipe", "sparse", "socket"])
def special(request, tmp_path):
    """A path that must not be read: a function of the name, since some commands look at its end."""

    def make(name):
        path = tmp_path / name
        if request.param == "endless":
            path.symlink_to("/dev/zero")
        elif request.param == "pipe":
            os.mkfifo(path)
        elif request.param == "sparse":
            with path.open("wb") as file:
                file.truncate(2**40)
        else:
            with socket.socket(socket.AF_UNIX) as opened:
                opened.bind(str(path))
        return path

    return make


FILES = {
    "sql -f": ("x.txt", lambda run, file: ["sql", run, "-f", file]),
    "sql @": ("x.sql", lambda run, file: ["sql", run, f"@{file}"]),
    "report --with": ("x.sql", lambda run, file: ["report", run, "--with", file, "-o", f"{run}.html"]),
    "report --prices": ("x.json", lambda run, file: ["report", run, "--prices", file, "-o", f"{run}.html"]),
    "report --thresholds": (
        "x.toml",
        lambda run, file: ["report", run, "--thresholds", file, "-o", "x.html"],
    ),
    "check --thresholds": ("x.toml", lambda run, file: ["check", "--all", run, "--thresholds", file]),
    "compare": ("x.toml", lambda _, file: ["compare", "official", file, "--of", "tiny"]),
    "simulate --catalog": ("x.toml", lambda _, file: ["simulate", "--catalog", file, "--out", f"{file}-run"]),
    "catalog of weights": ("x.npz", lambda _, file: ["catalog", "list", "twists", "--catalog", file]),
    "a folder of catalogs": (
        "x.toml",
        lambda _, file: ["catalog", "list", "twists", "--catalog", file.parent],
    ),
    "train --from": ("x.npz", lambda _, file: ["train", file.parent / "trained", "--from", file]),
}


@pytest.mark.parametrize("entry", FILES)
def test_only_files_with_an_end_are_read(folder, call, special, entry):
    if entry == "train --from":
        pytest.importorskip("torch")
    name, words = FILES[entry]
    before = resident()
    with no_hang():
        code, _, err = call(*words(folder, special(name)))
    assert code in (2, 3), err
    assert "is not a regular file" in err or "is too large" in err or "No such device" in err, err
    assert resident() - before < 500 * 2**20


@pytest.mark.parametrize("words", [[], ["-f", "-"]])
def test_a_pipe_without_an_end(folder, call, monkeypatch, words):
    with Path("/dev/zero").open("rb") as endless, no_hang():
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(endless))
        code, _, err = call("sql", folder, *words)
    assert (code, "too long for queries" in err) == (2, True), err


def flipped(data, place):
    return data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]


def test_damaged_weights(tmp_path, call):
    whole = (resources.data_dir("nefarious") / "learned.npz").read_bytes()
    for place in range(40, 400, 9):
        (tmp_path / "x.npz").write_bytes(flipped(whole, place))
        code, _, err = call("catalog", "list", "twists", "--catalog", tmp_path / "x.npz")
        assert code in (0, 2), err
        assert "unexpected" not in err


@pytest.mark.parametrize(
    "words", [["sql", "RUN", "select 1", "--format", "csv"], ["report", "RUN", "--format", "json"]]
)
def test_force_replaces_files_alone(folder, tmp_path, call, words):
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(tmp_path / "x.json"))
        code, _, err = call(
            *(folder if word == "RUN" else word for word in words), "-o", tmp_path / "x.json", "--force"
        )
        assert (code, "is not a regular file" in err) == (2, True), err
        assert (tmp_path / "x.json").is_socket()


# --- what a run says, and how it is called


PLANS = {
    "lineup": lambda cell: replace(cell, lineup="mirror:nobody"),
    "lineup with a line break": lambda cell: replace(cell, lineup="mirror:random\nerror: no"),
    "lineup with many digits": lambda cell: replace(cell, lineup="mirror:search:" + "9" * 5_000),
    "players": lambda cell: replace(cell, players=99),
}


@pytest.mark.parametrize("lie", PLANS)
def test_a_plan_that_the_game_does_not_have_is_a_fault_of_the_file(folder, call, lie):
    plan = balance.open_run(folder).plan
    plan = replace(plan, cells=(PLANS[lie](plan.cells[0]), *plan.cells[1:]))
    (folder / "run.json").write_text(plan.text())
    fix_up(folder, "run.json")
    for words in (["sql", folder, "select 1"], ["doctor", folder], ["simulate", "--repair", folder]):
        code, _, err = call(*words)
        assert (code, err.startswith(f"error: {folder}/run.json: ")) == (3, True), err
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    "change", [lambda plan: replace(plan, edition="none"), lambda plan: replace(plan, edition="a\nb")]
)
def test_an_edition_that_there_is_not(folder, call, change):
    (folder / "run.json").write_text(change(balance.open_run(folder).plan).text())
    fix_up(folder, "run.json")
    for words in (["report", folder, "-o", f"{folder}.html"], ["simulate", "--repair", folder]):
        code, _, err = call(*words)
        assert (code, err.startswith(f"error: {folder}/run.json: ")) == (3, True), err


def test_a_repair_does_not_agree_with_a_plan_of_other_variants(folder, call):
    plan = balance.open_run(folder).plan
    cells = tuple(replace(cell, variants=("no-such",)) if cell.variants else cell for cell in plan.cells)
    (folder / "run.json").write_text(replace(plan, cells=cells).text())
    fix_up(folder, "run.json")
    for _ in range(2):
        code, _, err = call("simulate", "--repair", folder, "--jobs", "1")
        assert (code, "the catalog of the run has no " in err) == (3, True), err


def test_a_line_break_in_the_name_of_a_run(folder, tmp_path, call, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "data/runs/one\nerror: all runs are gone"
    place.parent.mkdir(parents=True)
    folder.rename(place)
    for words in (
        ["runs"],
        ["runs", "--clean", "one\\nerror: all runs are gone"],
        ["doctor", place],
        ["sql", place, "select 1"],
    ):
        _, out, err = call(*words)
        assert "\nerror: all" not in f"\n{out}\n{err}", words


def test_a_line_break_in_the_name_of_another_file(folder, call):
    (folder / "x\nrows  fine").write_text("")
    code, out, _ = call("doctor", folder)
    assert (code, "\nrows  fine" in out) == (0, False)


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("balance simulate --games 5 --out 'my run'", True),
        ("rm -rf data", False),
        ("balance simulate; rm -rf data", False),
        ("balance simulate $(rm -rf data)", False),
        ("balance simulate --out 'x", False),
        ("balance sql x 'select 1' -o .bashrc --force", False),
        ("balance runs --clean --yes", False),
    ],
)
def test_a_log_that_suggests_a_command(folder, command, shown):
    (folder / "run.log").write_text(f"2026 here Python 3: made by: {command}\n")
    assert (made_by(folder) == command) is shown


# --- memory and disk


def test_a_text_that_unpacks_to_gigabytes(folder, call):
    """A fifth of a gigabyte of the same letter in each of 24 rows takes 10 kB."""
    file = "games/2-players/0000"
    forged(folder, file, "repeat('x', 200000000) as lineup")
    number = duckdb.sql(f"select min(game_id) from '{folder}/{file}.parquet'").fetchall()[0][0]
    before = resident()
    for words in (["doctor", folder, "--json"], ["replay", folder, number]):
        code, out, err = call(*words)
        assert (code, "a text of more than 10,000 bytes" in out + err) == (3, True), err
    assert resident() - before < 2**30


def test_a_table_is_not_too_large(folder, call):
    code, out, err = call("sql", folder, "select repeat('é', 1000000) from range(6)")
    assert (code, out, "too many for a table" in err) == (1, "", True)


def test_a_result_on_the_disk_has_a_limit(folder, monkeypatch):
    monkeypatch.setattr(connection, "_DISK", 10**6)
    with (
        connection.connect([balance.open_run(folder)]) as con,
        pytest.raises(Failed, match="writes more than"),
    ):
        con.file("select hash(range) from range(100000000)", {}, "csv")


def test_a_chapter_of_a_report_has_a_limit_of_memory(folder, monkeypatch):
    grows = itertools.count(0, 4 * 10**9)
    monkeypatch.setattr(connection, "resident", lambda: next(grows))
    runs = balance.open_runs([folder])
    query = folder.parent / "mine.sql"
    query.write_text("select max(hash(range)) from range(10000000000)")
    with pytest.raises(Failed, match="memory limit"):
        build._chapters(runs, [load_question(query, plain=True)])


# --- functions of DuckDB

HARMLESS = {
    *("random", "uuid", "uuidv4", "uuidv7", "gen_random_uuid", "error", "stats", "vector_type"),
    *("current_connection_id", "current_query", "current_query_id", "current_transaction_id"),
}


def test_functions_with_side_effects_are_refused(folder):
    """What DuckDB itself says has side effects, and macros on it, is refused or known to be harmless."""
    with duckdb.connect() as con:
        known = con.execute(
            "select function_name, has_side_effects, macro_definition from duckdb_functions() where internal "
            "and function_type not in ('table', 'table_macro', 'pragma')"
        ).fetchall()
    refused = {name for name, effects, _ in known if effects} - HARMLESS
    refused |= {name for name, _, made in known if made and refused & {*re.findall(r"\w+", made)}}
    assert {"nextval", "pg_sleep", "setseed", "write_log"} <= refused
    with connection.connect([balance.open_run(folder)]) as con:
        for name in refused:
            with pytest.raises(UsageError, match="is refused: it does more than read"):
                con.frame(f"select {name}()")


def test_commands_in_messages_are_quoted(folder, call):
    place = folder.rename(folder.parent / "run; rm -rf x")
    (place / "cells.parquet").write_bytes(b"")
    for words in (["sql", place, "select 1"], ["doctor", place]):
        assert f"balance doctor '{place}'" in call(*words)[2] or f"--repair '{place}'" in call(*words)[2]


def test_doctor_finds_nothing_wrong_with_a_run_of_nefarious(nefarious, monkeypatch):
    assert list(wrong_content(nefarious)) == []
    monkeypatch.setattr(examine, "versions", lambda _: {"polars": "another"})
    monkeypatch.setattr(examine, "encode", lambda _: b"as another version writes it")
    assert list(wrong_content(nefarious)) == []


@pytest.mark.parametrize(("old", "new"), [(b"policy", b"\xffolicy"), (b"PAR1\x15", b"PAR1")])
def test_a_forged_file_that_duckdb_does_not_name_is_a_fault_of_the_run(folder, call, old, new):
    file = "seats/2-players/0000.parquet"
    content = (folder / file).read_bytes()
    assert old in content
    (folder / file).write_bytes(content.replace(old, new))
    fix_up(folder, file)
    code, out, err = call("sql", folder, "select bit_xor(hash(s)) from seats s")
    assert (code, out, "is damaged" in err) == (3, "", True), err

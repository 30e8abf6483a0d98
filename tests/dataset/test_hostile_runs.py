"""A run that somebody mails you is hostile input: no traceback, no hang, nothing written outside."""

import contextlib
import hashlib
import io
import json
import os
import random
import re
import shutil
import signal
from dataclasses import replace

import pytest

import balance
from balance import games
from balance.cli.app import run as command
from balance.dataset import verify
from balance.errors import DataError
from tests.games.tiny import GAME

QUERY = "select count(*), sum(rounds) from games"
SECONDS = 60


@pytest.fixture(autouse=True)
def _tiny(monkeypatch, tmp_path):
    monkeypatch.setenv("BALANCE_CACHE_DIR", str(tmp_path / "cache"))
    verify._verified.clear()
    monkeypatch.setattr(verify._Trust, "given", False)
    with games.registered(GAME):
        yield


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    with games.registered(GAME):
        return balance.simulate(tmp_path_factory.mktemp("hostile") / "run", game="tiny", games_per_cell=3)


@pytest.fixture
def folder(original, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "victim").write_text("mine")
    return shutil.copytree(original.path, tmp_path / "run")


@pytest.fixture
def outside(folder):
    return folder.parent / "outside"


def commands(folder, original):
    number = original.games.collect()["game_id"][0]
    return {
        "sql": ["sql", str(folder), QUERY],
        "doctor": ["doctor", str(folder), "--replay", "1"],
        "replay": ["replay", str(folder), str(number)],
        "trusting": ["sql", str(folder), QUERY, "--no-verify"],
        "trusting replay": ["replay", "--no-verify", str(folder), str(number)],
        "report": ["report", str(folder), "--format", "json", "--out", f"{folder}.json", "--force"],
        "database": ["sql", str(folder), "--database", f"{folder}.duckdb"],
        "check": ["check", "--all", str(folder)],
        "compare": ["compare", str(folder), str(folder)],
        "extend": [
            "simulate",
            "--extend",
            str(folder),
            "--games",
            "1",
            "--out",
            f"{folder}-more",
            "--jobs",
            "1",
        ],
        "repair": ["simulate", "--repair", str(folder), "--jobs", "1"],  # the last: the run is whole then
    }


@contextlib.contextmanager
def no_hang():
    def ring(*_):
        raise AssertionError(f"no answer within {SECONDS} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def attempt(args, outside, codes=(2, 3)):
    err = io.StringIO()
    verify._verified.clear()
    verify._Trust.given = False
    with (
        no_hang(),
        contextlib.redirect_stderr(err),
        contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())),
    ):
        code = command(args)
    told = err.getvalue()
    assert code in codes, (args, code, told)
    assert "unexpected" not in told
    assert "Traceback" not in told
    assert [path.name for path in outside.iterdir()] == ["victim"]
    assert (outside / "victim").read_text() == "mine"


def fix_up(folder):
    """Write the checksums of the files as they are now, as a forger would."""
    lines = []
    for line in (folder / "shards.jsonl").read_text().splitlines():
        entry = json.loads(line)
        for name in entry["files"]:
            content = (folder / name).read_bytes()
            entry["files"][name] = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        lines.append(json.dumps(entry))
    (folder / "shards.jsonl").write_text("\n".join(lines) + "\n")


# --- links, pipes, devices

FILES = ["run.json", "shards.jsonl", "catalog.toml", "cells.parquet", "games/2-players/0000.parquet"]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kind", ["pipe", "to a file", "to nothing", "/dev/zero"])
def test_what_is_not_a_file(folder, original, outside, name, kind):
    (folder / name).unlink()
    if kind == "pipe":
        os.mkfifo(folder / name)
    else:
        place = {"to a file": outside / "victim", "to nothing": outside / "new"}.get(kind, kind)
        (folder / name).symlink_to(place)
    for what, args in commands(folder, original).items():
        # a repair puts a file in the place of a link, or plays the run again into a ledger of its own
        attempt(args, outside, (0, 1, 2, 3) if what == "repair" else (2, 3))


@pytest.mark.parametrize("name", ["cells.parquet", "catalog.toml", "games/2-players/0000.parquet"])
@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_what_is_not_a_file_is_refused_also_without_checksums(
    folder, original, outside, tmp_path, name, kind
):
    if kind == "link":
        (folder / name).rename(tmp_path / "moved")
        (folder / name).symlink_to(tmp_path / "moved")
    else:
        (folder / name).unlink()
        os.mkfifo(folder / name)
        text = (folder / "shards.jsonl").read_text()
        (folder / "shards.jsonl").write_text(re.sub(rf'("{name}": {{"size": )\d+', r"\g<1>0", text))
    for what in ("trusting", "trusting replay"):
        attempt(commands(folder, original)[what], outside, (3,))


def test_a_log_that_leads_elsewhere(folder, original, outside):
    (folder / "run.log").unlink()
    (folder / "run.log").symlink_to(outside / "victim")
    next((folder / "games").rglob("*.parquet")).unlink()
    attempt(commands(folder, original)["repair"], outside, (0,))
    assert (folder / "run.log").is_symlink()


@pytest.mark.parametrize("name", ["games", "games/2-players", "seats"])
def test_a_folder_that_leads_elsewhere(folder, original, outside, name):
    shutil.rmtree(folder / name)
    (folder / name).symlink_to(outside)
    for args in commands(folder, original).values():
        attempt(args, outside, (1, 3))


# --- the ledger


def ledger(folder, change):
    file = folder / "shards.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    change(lines[-1])
    file.write_text("\n".join(map(json.dumps, lines)) + "\n")


@pytest.mark.parametrize("shard", ["abc", 1e999, -1, 10**30, True, [], {}, 1.5, "\0", "\ud800"])
def test_the_number_of_a_shard(folder, original, outside, shard):
    ledger(folder, lambda entry: entry.update(shard=shard))
    for what, args in commands(folder, original).items():
        attempt(args, outside, (0,) if what == "repair" else (3,))


NAMES = [
    "/dev/zero",
    "/etc/passwd",
    "../outside/victim",
    "games/../../outside/victim",
    "a\0b",
    "\ud800",
    "",
    ".",
]
NAMES += ["games/2-players/0000.parquet/", "x" * 5000 + ".parquet", "run.json/x", "games//0000.parquet"]


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_a_file(folder, original, outside, name):
    ledger(folder, lambda entry: entry["files"].update({name: {"size": 10**18, "sha256": "0" * 64}}))
    for what, args in commands(folder, original).items():
        attempt(args, outside, (0,) if what == "repair" else (3,))


RECORDS = [None, [], {"size": 1}, {"size": "1", "sha256": "0" * 64}, {"size": 1e999, "sha256": "0" * 64}]
RECORDS += [{"size": -1, "sha256": "0" * 64}, {"size": 10**40, "sha256": "0" * 64}, {"size": 1, "sha256": 5}]


@pytest.mark.parametrize("record", RECORDS)
def test_the_record_of_a_file(folder, original, outside, record):
    ledger(folder, lambda entry: entry["files"].update({next(iter(entry["files"])): record}))
    for what, args in commands(folder, original).items():
        attempt(args, outside, (0,) if what == "repair" else (3,))


@pytest.mark.parametrize(
    "content", [b"[" * 300_000 + b"\n", b"\xff\xfe\0\n", b"9" * 6000 + b"\n", b"{}\n[]\n1\n"]
)
def test_a_ledger_of_nonsense(folder, original, outside, content):
    (folder / "shards.jsonl").write_bytes(content)
    attempt(commands(folder, original)["sql"], outside, (3,))
    attempt(commands(folder, original)["doctor"], outside, (3,))


# --- the plan

VALUES = [None, "x", -1, 10**12, 10**40, 1.5, True, [], {}, [[]], {"a": 1}, "\0", "\x1b[31m", "../x"]
KEYS = [
    "schema",
    "game",
    "edition",
    "seed",
    "ordered",
    "parent",
    "catalog_version",
    "catalog_hash",
    "policies_hash",
]
KEYS += ["engine_hash", "versions", "shards", "games", "cell_columns", "cells"]


def write_plan(folder, change):
    file = folder / "run.json"
    document = json.loads(file.read_text())
    change(document)
    head = json.dumps({k: v for k, v in document.items() if k != "cells"}, indent=1, ensure_ascii=False)
    cells = document["cells"]
    if isinstance(cells, list):
        rows = ",\n".join(json.dumps(cell, ensure_ascii=False) for cell in cells)
        cells = f"[\n{rows}\n]"
    else:
        cells = json.dumps(cells)
    file.write_text(f'{head.removesuffix(chr(10) + "}")},\n "cells": {cells}\n}}\n')
    fix_up(folder)


@pytest.mark.parametrize("key", KEYS)
def test_the_plan(original, tmp_path, key):
    rng = random.Random(key)
    for number, value in enumerate(VALUES):
        (tmp_path / str(number)).mkdir()
        outside = tmp_path / str(number) / "outside"
        outside.mkdir()
        (outside / "victim").write_text("mine")
        folder = shutil.copytree(original.path, tmp_path / str(number) / "run")
        write_plan(folder, lambda document, value=value: document.update({key: value}))
        for what in rng.sample(["sql", "doctor", "replay", "repair", "extend"], 1):
            # a text or a seed that reads as another run is answered, or refused as one that cannot be played
            attempt(commands(folder, original)[what], outside, (0, 2, 3))


@pytest.mark.parametrize("place", range(7))
def test_the_cells_of_a_plan(original, tmp_path, place):
    rng = random.Random(place)
    for number, value in enumerate(VALUES):
        (tmp_path / str(number)).mkdir()
        outside = tmp_path / str(number) / "outside"
        outside.mkdir()
        (outside / "victim").write_text("mine")
        folder = shutil.copytree(original.path, tmp_path / str(number) / "run")
        write_plan(folder, lambda document, value=value: document["cells"][0].__setitem__(place, value))
        for what in rng.sample(["sql", "doctor", "replay", "repair"], 1):
            attempt(commands(folder, original)[what], outside, (0, 2, 3))


@pytest.mark.parametrize("numbers", [{"shards": 10**12}, {"deals": 4_000_000_000}, {"deals": 100_000_000}])
def test_huge_numbers_are_refused_before_they_cost_anything(folder, original, outside, numbers):
    def change(document):
        document.update({key: value for key, value in numbers.items() if key == "shards"})
        for cell in document["cells"]:
            cell[5] = numbers.get("deals", cell[5])
        document["games"] = sum(cell[5] * cell[6] for cell in document["cells"])

    write_plan(folder, change)
    for args in commands(folder, original).values():
        attempt(args, outside, (3,))


def test_files_that_are_too_large_for_the_plan(folder, original, outside):
    (folder / "shards.jsonl").write_bytes(b"\n" * 5_000_000)
    for what in ("sql", "doctor", "replay", "repair"):
        attempt(commands(folder, original)[what], outside, (3,))
    (folder / "shards.jsonl").write_bytes(b"[" * 5_000_000)
    attempt(commands(folder, original)["sql"], outside, (3,))
    (folder / "run.json").write_bytes(b'{"schema":1,"cells":[' + b"[]," * 6_000_000 + b"[]]}")
    for what in ("sql", "doctor", "replay", "repair"):
        attempt(commands(folder, original)[what], outside, (3,))


# --- the rows


@pytest.mark.parametrize("name", ["games/2-players/0000", "seats/2-players/0000", "buys/2-players/0000"])
def test_more_rows_than_the_plan_has(folder, original, outside, monkeypatch, name):
    """A file of 21 KB can have 30 million rows: the footer is looked at before anything is read."""
    import polars as pl

    file = folder / f"{name}.parquet"
    pl.concat([pl.read_parquet(file)] * 2000).write_parquet(file)
    fix_up(folder)
    read, whole = [], pl.read_parquet
    monkeypatch.setattr(pl, "read_parquet", lambda path, **kw: read.append(path) or whole(path, **kw))
    for what in ("sql", "doctor", "replay", "report", "check"):
        attempt(commands(folder, original)[what], outside, (3,))
    assert file not in read


def test_more_rows_than_a_small_table_has(folder, original):
    import polars as pl

    file = folder / "cells.parquet"
    pl.concat([pl.read_parquet(file)] * 2000).write_parquet(file)
    fix_up(folder)
    with pytest.raises(DataError, match=r"cells\.parquet: more than 10,016 rows"):
        _ = balance.open_run(folder).cells


@pytest.mark.parametrize("rows", [0, 2])
def test_a_run_is_described_in_one_row(folder, original, outside, rows):
    import polars as pl

    file = folder / "run.parquet"
    pl.concat([pl.read_parquet(file)] * 2).head(rows).write_parquet(file)
    fix_up(folder)
    for what in ("sql", "doctor", "replay", "report", "check"):
        attempt(commands(folder, original)[what], outside, (3,))


@pytest.mark.parametrize("content", [b"\0" * 100, b"\xff\xfe", b"garbage"])
def test_a_catalog_that_is_none(folder, original, outside, content):
    (folder / "catalog.toml").write_bytes(content)
    fix_up(folder)
    for what in ("doctor", "replay", "report", "check"):
        attempt(commands(folder, original)[what], outside, (3,))


def test_footers_and_pages(original, tmp_path):
    rng = random.Random(3)
    files = sorted(path.relative_to(original.path) for path in original.path.rglob("*.parquet"))
    for number in range(15):
        (tmp_path / str(number)).mkdir()
        outside = tmp_path / str(number) / "outside"
        outside.mkdir()
        (outside / "victim").write_text("mine")
        folder = shutil.copytree(original.path, tmp_path / str(number) / "run")
        file = folder / rng.choice(files)
        content = bytearray(file.read_bytes())
        if number % 5 == 0:
            content = content[: rng.randrange(len(content))]
        for _ in range(rng.choice([1, 4, 30]) if content else 0):
            reach = len(content) if number % 2 else min(len(content), 300)
            content[len(content) - 1 - rng.randrange(reach)] = rng.randrange(256)
        file.write_bytes(content)
        fix_up(folder)
        for what in rng.sample(["sql", "doctor", "replay", "database"], 2):
            (tmp_path / str(number) / "run.duckdb").unlink(missing_ok=True)
            # a changed value in rows that nothing else contradicts is answered: a run is not authenticated
            attempt(commands(folder, original)[what], outside, (0, 2, 3))


@pytest.mark.parametrize("what", ["sql", "database", "doctor", "report", "check"])
def test_a_file_that_is_not_parquet(folder, original, outside, what):
    (folder / "policies.parquet").write_bytes(b"x" * 500)
    fix_up(folder)
    attempt(commands(folder, original)[what], outside, (0, 3) if what == "doctor" else (3,))


def test_control_characters_in_names(folder, original, outside, capsys):
    import polars as pl

    file = folder / "moods.parquet"
    pl.read_parquet(file).with_columns(name=pl.lit("\x1b[31m\u202e\0")).write_parquet(file)
    fix_up(folder)
    verify._verified.clear()
    assert command(["sql", str(folder), "select name from moods"]) == 3
    assert "\x1b" not in "".join(capsys.readouterr())
    attempt(commands(folder, original)["doctor"], outside, (0, 3))


def last_cell_with_twelve(plan):
    cell = replace(plan.cells[-1], variants=tuple(f"v{k}" for k in range(12)))
    return replace(plan, cells=(*plan.cells[:-1], cell))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda plan: replace(plan, game="nebarious"), "nebarious"),
        (last_cell_with_twelve, "variants 12"),
    ],
    ids=["a game that does not exist", "more variants than can be in force"],
)
def test_a_plan_that_no_game_has(folder, original, capfd, change, message):
    (folder / "run.json").write_text(change(original.plan).text())
    for name, words in commands(folder, original).items():
        assert command(words) == 3, name
        assert message in capfd.readouterr().err

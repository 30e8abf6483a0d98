"""`doctor` looks at the rows: a forger who fixes the checksums up is found, too."""

import hashlib
import json
import shutil

import polars as pl
import pytest

import balance
from balance import games
from balance.cli.app import run as command
from balance.dataset.manifest import read_state
from balance.dataset.run import Run, read_plan
from balance.sweep.examine import wrong_content, wrong_games
from tests.games.tiny import GAME


@pytest.fixture(autouse=True)
def _tiny(monkeypatch, tmp_path):
    monkeypatch.setenv("BALANCE_CACHE_DIR", str(tmp_path / "cache"))
    with games.registered(GAME):
        yield


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    top = tmp_path_factory.mktemp("examine")
    with games.registered(GAME):
        balance.simulate(top / "other", game="tiny", games_per_cell=3, replicates=2, seed=9)
        return balance.simulate(top / "run", game="tiny", games_per_cell=3, replicates=2).path


@pytest.fixture
def folder(original, tmp_path):
    return shutil.copytree(original, tmp_path / "run")


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


def examined(folder):
    return list(wrong_content(Run(folder, read_plan(folder), read_state(folder))))


def test_a_run_as_it_was_written(folder):
    assert examined(folder) == []
    assert list(wrong_games(balance.open_run(folder), 20)) == []


def changed(table, change):
    def forge(folder, _=None):
        file = folder / table / "2-players" / "0000.parquet"
        change(pl.read_parquet(file)).write_parquet(file)

    return forge


def other_seed(folder, original):
    for table in (path.name for path in original.iterdir() if path.is_dir()):
        part = f"{table}/2-players/0000.parquet"
        shutil.copy(original.parent / "other" / part, folder / part)


def first(column, value):
    return lambda frame: frame.with_columns(
        pl.when(pl.int_range(pl.len()) == 0)
        .then(value)
        .otherwise(pl.col(column))
        .cast(frame[column].dtype)
        .alias(column)
    )


FORGED = {
    "duplicate rows": changed("games", lambda f: pl.concat([f[:-1], f[:1]])),
    "one row less": changed("games", lambda f: f[1:]),
    "an empty table": changed("seats", lambda f: f.clear()),
    "a seat twice": changed("seats", first("seat", 1)),
    "two winners": changed("seats", lambda f: f.with_columns(won=pl.lit(True))),
    "nobody won": changed("games", lambda f: f.with_columns(winner_seat=pl.lit(None, pl.Int8))),
    "a winner who does not play": changed("games", first("winner_seat", 7)),
    "another winner": changed("games", lambda f: f.with_columns(winner_seat=1 - pl.col("winner_seat"))),
    "another lineup": changed("games", first("lineup", pl.lit("mirror:cheat"))),
    "another seed": changed("games", lambda f: f.with_columns(seed=pl.lit(9, pl.Int64))),
    "other types": changed("games", lambda f: f.with_columns(pl.col("rounds").cast(pl.Int64))),
    "a column more": changed("seats", lambda f: f.with_columns(x=pl.lit(1))),
    "an item that does not exist": changed("buys", first("charm", 99)),
    "rows of another game": changed("buys", first("game_id", 5)),
    "sums that do not follow": changed("deals", lambda f: f.with_columns(games=pl.col("games") + 1)),
    "not Parquet": lambda folder, _: (folder / "games" / "2-players" / "0000.parquet").write_bytes(b"PAR1"),
    "another seed's shard": other_seed,
}


@pytest.mark.parametrize("name", FORGED)
def test_what_a_forger_changes_is_found(folder, original, name, capsys):
    FORGED[name](folder, original)
    fix_up(folder)
    found = examined(folder)
    assert found
    assert all("2-players/0000.parquet" in damage.file for damage in found)
    assert command(["doctor", str(folder), "--replay", "0"]) == 3
    out, err = capsys.readouterr()
    assert found[0].file in out.replace("\n", "").replace(" ", "")
    assert "Traceback" not in err


def test_a_table_without_a_record(folder):
    lines = [json.loads(line) for line in (folder / "shards.jsonl").read_text().splitlines()]
    for entry in lines[1:]:
        entry["files"] = {name: file for name, file in entry["files"].items() if not name.startswith("buys/")}
    (folder / "shards.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    assert "no record of this file" in examined(folder)[0].problem


def test_a_game_whose_rows_agree_with_each_other_and_with_nothing_else(folder, capsys):
    """Rows per seat that only a replay can refute."""
    for file in (folder / "seats").rglob("*.parquet"):
        frame = pl.read_parquet(file)
        frame.with_columns(pl.col("coins") + 1).write_parquet(file)
    fix_up(folder)
    assert all("deals" in damage.file for damage in examined(folder))
    assert list(wrong_games(balance.open_run(folder), 5))


def test_repair_uses_the_same_checks(folder, original):
    changed("games", lambda f: pl.concat([f[:-1], f[:1]]))(folder)
    fix_up(folder)
    assert command(["simulate", "--repair", str(folder), "--jobs", "1"]) == 0
    assert examined(folder) == []
    for file in original.rglob("*.parquet"):
        assert (folder / file.relative_to(original)).read_bytes() == file.read_bytes()

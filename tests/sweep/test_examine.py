"""`doctor` looks at the rows: a forger who fixes the checksums up is found, too."""

import hashlib
import json
import shutil
from types import SimpleNamespace

import polars as pl
import pytest

import balance
from balance import games
from balance.cli.app import run as command
from balance.dataset.deals import DealMaker
from balance.dataset.manifest import read_state
from balance.dataset.parquet import encode
from balance.dataset.run import Run, read_plan
from balance.dataset.shards import cut
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
    return list(wrong_content(Run(folder, read_plan(folder), read_state(folder, read_plan(folder)))))


def test_a_run_as_it_was_written(folder):
    assert examined(folder) == []
    assert list(wrong_games(balance.open_run(folder), 20)) == []


def changed(table, change):
    def forge(folder, _=None):
        file = folder / table / "2-players" / "0000.parquet"
        file.write_bytes(encode(change(pl.read_parquet(file))))

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


def written_otherwise(folder, _):
    """The same rows with other statistics in the footer: none."""
    file = folder / "games" / "2-players" / "0000.parquet"
    pl.read_parquet(file).write_parquet(file, statistics=False)


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
    "another variant": changed("games", first("mood_1", pl.lit("windy"))),
    "another seed": changed("games", lambda f: f.with_columns(seed=pl.lit(9, pl.Int64))),
    "the same rows, written otherwise": written_otherwise,
    "other types": changed("games", lambda f: f.with_columns(pl.col("rounds").cast(pl.Int64))),
    "a column more": changed("seats", lambda f: f.with_columns(x=pl.lit(1))),
    "an item that does not exist": changed("buys", first("charm", 99)),
    "rows of another game": changed("buys", first("game_id", 5)),
    "sums that do not follow": changed("deals", lambda f: f.with_columns(games=pl.col("games") + 1)),
    "a row twice": changed("buys", lambda f: pl.concat([f, f])),
    "a row of the course twice": changed(
        "laps",
        lambda f: pl.concat([f, f[:1].with_columns(action=9)], how="vertical_relaxed").cast(dict(f.schema)),
    ),
    "a round less": changed("laps", lambda f: f[1:]),
    "the course of one game of a deal": changed(
        "laps", lambda f: f.filter(pl.col("game_id") != f["game_id"][0])
    ),
    "a round too late": changed("buys", first("round", 39)),
    "a row without a value": changed("buys", first("paid", None)),
    "a row without a cell": changed("laps", first("cell_id", None)),
    "a very long game": changed("games", first("rounds", 30_000)),
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


def test_a_game_whose_rows_agree_with_each_other_and_with_nothing_else(folder, capsys):
    """Rows per seat that only a replay can refute."""
    for file in (folder / "seats").rglob("*.parquet"):
        frame = pl.read_parquet(file)
        file.write_bytes(encode(frame.with_columns(pl.col("coins") + 1)))
    fix_up(folder)
    assert all("deals" in damage.file for damage in examined(folder))
    assert list(wrong_games(balance.open_run(folder), 5))


def entries(folder, change):
    """Change the lines of the ledger: the head, then the shards by number."""
    lines = [json.loads(line) for line in (folder / "shards.jsonl").read_text().splitlines()]
    lines.sort(key=lambda line: -1 if line["shard"] is None else line["shard"])
    change(lines)
    (folder / "shards.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")


def also(folder, lines, number, name, source="games/2-players/0000.parquet"):
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(folder / source, folder / name)
    lines[number]["files"][name] = lines[1]["files"]["games/2-players/0000.parquet"]


LINES = {
    "a file more": lambda f, lines: also(f, lines, 1, "games/2-players/0009.parquet"),
    "a table more": lambda f, lines: also(f, lines, 1, "zzz/2-players/0000.parquet"),
    "files of another shard": lambda f, lines: lines[2]["files"].update(lines[1]["files"]),
    "files of another shard alone": lambda f, lines: lines[2].update(files=lines[1]["files"]),
    "a head file more": lambda f, lines: also(f, lines, 0, "evil.parquet"),
    "no deals": lambda f, lines: lines[1]["files"].pop("deals/2-players/0000.parquet"),
}


@pytest.mark.parametrize("name", LINES)
def test_a_line_of_the_ledger_that_is_not_of_the_plan_does_not_count(folder, original, name, capsys):
    entries(folder, lambda lines: LINES[name](folder, lines))
    for args in (["sql", str(folder), "select 1"], ["doctor", str(folder)], ["replay", str(folder), "0"]):
        assert command(args) == 3
    assert "Traceback" not in capsys.readouterr().err
    assert command(["simulate", "--repair", str(folder), "--jobs", "1"]) == 0
    assert_as(original, folder)


def test_a_shard_that_the_plan_does_not_have_gives_no_rows(folder, capsys):
    def extend(lines):
        lines.append({"shard": 7, "files": {}})
        for table in ("games", "seats", "buys", "laps", "deals"):
            also(folder, lines, -1, f"{table}/2-players/0007.parquet", f"{table}/2-players/0000.parquet")

    entries(folder, extend)
    run = balance.open_run(folder)
    assert run.sql("select count(*) as n from games").item() == run.plan.games


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("cells", lambda f: f.with_columns(players=pl.lit(6, pl.Int8))),
        ("cells", lambda f: pl.concat([f, f])),
        ("moods", lambda f: f.with_columns(name=pl.col("name").reverse())),
        ("charms", lambda f: pl.DataFrame({"a": [1]})),
        ("run", lambda f: f.clear()),
        ("policies", lambda f: f.clear()),
    ],
)
def test_small_tables_that_do_not_follow_are_found_and_written_again(folder, original, table, change, capsys):
    file = folder / f"{table}.parquet"
    file.write_bytes(encode(change(pl.read_parquet(file))))
    fix_up(folder)
    assert command(["doctor", str(folder), "--replay", "0", "--json"]) == 3
    assert [row["item"] for row in json.loads(capsys.readouterr().out)][-1] == f"{table}.parquet"
    assert command(["simulate", "--repair", str(folder), "--jobs", "1"]) == 0
    assert_as(original, folder)
    assert command(["doctor", str(folder)]) == 0


def test_a_folder_with_the_name_of_an_unfinished_file_stays(folder, original):
    (folder / "games" / "2-players" / ".x.01234567.tmp").mkdir()
    (folder / "games" / "2-players" / "0000.parquet").unlink()
    assert command(["simulate", "--repair", str(folder), "--jobs", "1"]) == 0
    assert_as(original, folder)


def test_every_game_is_played_again_if_as_many_are_asked_for(folder, monkeypatch):
    from balance.sweep import examine

    played = []
    monkeypatch.setattr(examine, "find_game", lambda _, number: SimpleNamespace(events=played.append(number)))
    run = balance.open_run(folder)
    assert list(wrong_games(run, 10**6)) == []
    assert sorted(played) == sorted(run.games.collect()["game_id"])


def test_sums_that_were_not_compared_are_named(folder, monkeypatch, capsys):
    from balance.sweep import examine

    monkeypatch.setattr(examine, "digest", lambda _: "of another version")
    assert command(["doctor", str(folder), "--replay", "0", "--json"]) == 0
    assert {row["item"]: row["value"] for row in json.loads(capsys.readouterr().out)}[
        "deals"
    ] == "not compared"


def test_repair_mends_what_only_a_replay_finds(folder, original):
    for file in (folder / "seats").rglob("*.parquet"):
        file.write_bytes(encode(pl.read_parquet(file).with_columns(pl.col("times_run") + 1)))
    fix_up(folder)
    remake_deals(folder)
    assert examined(folder) == []
    assert command(["doctor", str(folder)]) == 3
    assert command(["simulate", "--repair", str(folder), "--jobs", "1"]) == 0
    assert_as(original, folder)


def remake_deals(folder):
    """Make the sums from the rows as they are now, as a careful forger would."""
    run = Run(folder, read_plan(folder), read_state(folder, read_plan(folder)))
    for shard in cut(run.plan.cells):
        files = {table.name: [folder / shard.file(table.name)] for table in run.tables}
        (folder / shard.file("deals")).write_bytes(
            encode(DealMaker(GAME, run.plan.cells, folder).make(files))
        )
    fix_up(folder)


def assert_as(original, folder):
    for file in original.rglob("*.parquet"):
        assert (folder / file.relative_to(original)).read_bytes() == file.read_bytes()


def test_repair_uses_the_same_checks(folder, original):
    changed("games", lambda f: pl.concat([f[:-1], f[:1]]))(folder)
    fix_up(folder)
    assert command(["simulate", "--repair", str(folder), "--jobs", "1"]) == 0
    assert examined(folder) == []
    assert_as(original, folder)

"""The connection sees the tables of runs and nothing else; these tests try to get out."""

import hashlib
import math
import os
import re
import shutil
import threading
import time
from pathlib import Path

import duckdb
import polars as pl
import pytest

import balance
from balance import games
from balance.dataset.connection import connect
from balance.dataset.database import write_database
from balance.dataset.limits import Limits
from balance.dataset.saved_queries import questions
from balance.errors import DataError, Failed, UsageError
from balance.sweep import simulation
from tests.asking import ask
from tests.dataset.test_hostile_runs import fix_up
from tests.games.tiny import GAME


@pytest.fixture(autouse=True)
def _tiny():
    with games.registered(GAME):
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a run of the tiny game, and beside it what nobody may read."""
    top = tmp_path_factory.mktemp("sql")
    with games.registered(GAME):
        balance.simulate(top / "run", game="tiny", games_per_cell=3)
    (top / "secret.csv").write_text("word\nswordfish\n")
    pl.DataFrame({"word": ["swordfish"]}).write_parquet(top / "secret.parquet")
    (top / "run" / "stray.csv").write_text("word\nswordfish\n")
    (top / "run" / "link.csv").symlink_to(top / "secret.csv")
    (top / "run" / "games" / "link.parquet").symlink_to(top / "secret.parquet")
    (top / "run" / "out").symlink_to(top)
    return top


@pytest.fixture
def run(folder):
    return balance.open_run(folder / "run")


@pytest.fixture(scope="module")
def _shared(folder):
    with games.registered(GAME):
        opened = connect([balance.open_run(folder / "run")])
        assert opened.game is GAME
    with opened:
        yield opened


@pytest.fixture
def con(_shared):
    """The same connection for all: whatever is tried on it must leave it as it was."""
    return _shared


def rows(con, query, **parameters):
    return con.frame(query, parameters).rows()


def digests(folder):
    """Return everything below a folder, links by where they lead."""
    return {
        path.relative_to(folder).as_posix(): path.readlink()
        if path.is_symlink()
        else hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


# --- what may be asked


@pytest.mark.parametrize(
    "query",
    [
        "select count(*) from games",
        "SELECT count(*) FROM games;",
        "with g as (from games) select count(*) from g",
        "from games select count(*)",
        "(select count(*) from games)",
        "select (select count(*) from games)",
        "with recursive r as (select 1 as n union all select n + 1 from r where n < 48) select max(n) from r",
        "select count(*) from games -- ; drop table games",
        "/* copy */ select count(*) as copy from games; -- done;",
        "select count(*) from games where 'copy x to y;' <> '--'",
    ],
)
def test_questions_are_answered(con, query):
    assert rows(con, query) == [(48,)]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("values (1, 'a')", (1, "a")),
        ("describe games", ("game_id", "BIGINT", "YES", None, None, None)),
        ("show tables", ("buys",)),
        ("select column_name from (summarize cells)", ("cell_id",)),
        ("table moods order by id limit 1", None),
        ("from games pivot (count(*) for players in (2, 3) group by edition)", ("classic", 24, 24)),
        (
            "pivot (select edition, players from games) on players in (2, 3) using count(*)",
            ("classic", 24, 24),
        ),
        ("with p as (pivot games on players in (2) using count(*) group by edition) from p", ("classic", 24)),
        (
            "pivot games on players in (2, 3) using max(interval 1 month) group by edition",
            ("classic", "1 month", "1 month"),
        ),
        ("unpivot (select 1 as a, 2 as b) on a, b", ("a", 1)),
        ("from range(3)", (0,)),
        ("select unnest([7])", (7,)),
    ],
)
def test_all_kinds_of_reading(con, query, first):
    found = rows(con, query)
    assert found[0] == first or first is None


@pytest.mark.parametrize(
    "query",
    [
        "explain select count(*) from games",
        "explain analyze select count(*) from games",
        "explain (select 1)",
        "/* a */ explain -- b\n analyze /* c */ (from games)",
        "explain pivot games on players in (2) using count(*) group by edition",
    ],
)
def test_plans_are_shown(con, query):
    assert [row[0].endswith("plan") for row in rows(con, query)] == [True]


def test_the_files_of_the_run_can_be_named(con, run):
    file = run.files("games")[0]
    assert rows(con, f"select count(*) from '{file}'") == [(24,)]
    relative = os.path.relpath(file)
    assert rows(con, f"select count(*) from read_parquet('{relative}')") == [(24,)]
    assert rows(con, f"select length(content) > 0 from read_text('{run.path / 'run.json'}')") == [(True,)]


# --- what is refused

STATEMENTS = [
    "copy (select 1) to '{top}/new.csv'",
    "copy games to '{top}/new.csv'",
    "copy (select 1) to '{file}'",
    "COPY(SELECT 1)TO'{file}'",
    "/* select */ copy (select 1) to '{file}' -- select",
    "with a as (copy (select 1) to '{file}') from a",
    "with a as materialized (copy (select 1) to '{file}') select 1",
    "select * from (with a as (copy (select 1) to '{file}') from a)",
    "select (with a as (copy (select 1) to '{file}') select count(*) from a)",
    "select 1 union all (with a as (copy (select 1) to '{file}') from a)",
    "describe with a as (copy (select 1) to '{file}') from a",
    "summarize with a as (copy (select 1) to '{file}') from a",
    "explain copy (select 1) to '{file}'",
    "explain analyze copy (select 1) to '{file}'",
    "explain (analyze) copy (select 1) to '{file}'",
    "explain (analyze, format json) copy (select 1) to '{file}'",
    "explain (analyze, format json) select 1",
    "explain (analyze '(') with c as (copy (select ')' as a) to '{file}') select 1",
    'explain (analyze "(") with c as (copy (select 1 as ")") to \'{file}\') select 1',
    "explain (analyze $$($$) with c as (copy (select $$)$$ as a) to '{file}') select 1",
    "explain (analyze '(') create table t as select ')' as a",
    "explain (analyze '(') create or replace view seats as select ')' as a",
    "explain (analyze '(') prepare p as select ')' as a",
    "explain explain select 1",
    "with c as (copy (select 1 as b) to '{file}') pivot games on players using count(*)",
    "pivot games on players in (with c as (copy (select 1) to '{file}') from c) using count(*)",
    "pivot games on players using count(*)",
    "select 1) union all select * from (with c as (copy (select 1) to '{file}') select 1",
    "select 1); copy (select 1) to '{file}'; select * from (select 1",
    "/* a */ explain -- b\n analyze /* (select 1) */ copy (select 1) to '{file}'",
    "explain analyze with a as (copy (select 1) to '{file}') from a",
    "pivot (with a as (copy (select 1 as n) to '{file}') from a) on Count using count(*)",
    "with a as (copy (select 1) to '{file}'), p as (pivot games on players using count(*)) from p",
    "explain with a as (copy (select 1) to '{file}'), p as (pivot games on players using count(*)) from p",
    "with a as (insert into games select * from games returning *) from a",
    "with a as (delete from games returning *) from a",
    "with a as (update games set players = 9 returning *) from a",
    "insert into games select * from games",
    "update games set players = 9",
    "delete from games",
    "merge into games using seats on true when matched then delete",
    "truncate games",
    "create table t as select 1",
    "create temp table t (a int)",
    "create view v as select 1",
    "create or replace view games as select 1 as players",
    "create macro m() as 1",
    "create secret (type s3)",
    "create type t as enum ('a')",
    "drop view games",
    "alter view games rename to g",
    "comment on view games is 'x'",
    "attach '{top}/new.db'",
    "attach ':memory:' as other",
    "detach memory",
    "use memory",
    "export database '{top}/new'",
    "import database '{top}'",
    "copy from database memory to memory",
    "install httpfs",
    "force install httpfs from 'http://127.0.0.1:9'",
    "load httpfs",
    "load '{top}/secret.csv'",
    "update extensions",
    "set threads = 1",
    "set enable_external_access = true",
    "set lock_configuration = false",
    "set variable x = 1",
    "reset memory_limit",
    "pragma version",
    "pragma enable_profiling",
    "call pragma_version()",
    "call enable_logging()",
    "checkpoint",
    "vacuum",
    "analyze",
    "begin",
    "prepare p as select 1",
    "prepare p as copy (select 1) to '{file}'",
    "execute p",
    "select 1; select 2",
    "select 1; copy (select 1) to '{file}'",
    "select 1;; -- \n copy (select 1) to '{file}'",
    "select 1\0; copy (select 1) to '{file}'",
    "",
    ";",
    "-- nothing",
]
FUNCTIONS = [
    "from query('select 1')",
    "from Query('copy (select 1) to ''{file}''')",
    'from "query"($$select 1$$)',
    "from system.main.query('select 1')",
    "select * from games, lateral (from query('select 1'))",
    "from json_execute_serialized_sql(json_serialize_sql('select 1'))",
    "from json_execute_serialized_sql(json_serialize_sql($$with c as (copy (select 1) to '{file}') from c$$)",
    "from system.main.JSON_EXECUTE_SERIALIZED_SQL('')",
    "from enable_logging(storage = 'file', storage_path = '{top}/new')",
    "from enable_profiling(save_location = '{top}/new.json')",
    "from checkpoint()",
    "from force_checkpoint()",
    "from truncate_duckdb_logs()",
    "from duckdb_secrets()",
    "from read_duckdb('{top}/secret.csv')",
    "pivot (from query('select 1 as n')) on n using count(*)",
    "select sleep_ms(60000)",
    "select pg_sleep(60)",
    "select write_log('x')",
    "from read_csv('{run}/catalog.toml', columns={{'a': 'int'}}, store_rejects=true, rejects_table='games')",
    "from read_csv_auto('{run}/catalog.toml')",
    "from sniff_csv('{run}/catalog.toml')",
]
FILES = [
    "from '{top}/secret.csv'",
    "from '{top}/secret.parquet'",
    "from read_blob(['{file}', '{top}/secret.csv'])",
    "from read_text('{top}/secret.csv')",
    "from read_blob('/proc/self/environ')",
    "from read_json('{top}/secret.csv')",
    "from parquet_metadata('{top}/secret.parquet')",
    "from parquet_schema('{top}/secret.parquet')",
    "from glob('{top}/*')",
    "from glob('/etc/*')",
    "from read_text('{run}/../secret.csv')",
    "from read_text('{run}/games/../../secret.csv')",
    "from read_text('{run}/link.csv')",
    "from '{run}/games/link.parquet'",
    "from '{run}/games/*.parquet'",
    "from read_text('{run}/out/secret.csv')",
    "from read_text('{run}/stray.csv')",
    "from read_text('file://{top}/secret.csv')",
    "from read_text('http://127.0.0.1:9/x')",
    "from read_parquet('s3://bucket/x.parquet')",
    "from '~/.bashrc.csv'",
    "from query_table('{top}/secret.csv')",
    "with s as (from read_text('{top}/secret.csv')) from s",
    "select (select content from read_text('{top}/secret.csv'))",
    "select * from games where edition in (select content from read_text('{top}/secret.csv'))",
    "explain analyze from read_text('{top}/secret.csv')",
    "describe from read_text('{top}/secret.csv')",
    "summarize '{top}/secret.csv'",
    "pivot '{top}/secret.csv' on word using count(*)",
    "select * from (values ('{top}/secret.csv')) t(f), lateral (from read_text(f))",
]


@pytest.mark.parametrize("query", [*STATEMENTS, *FUNCTIONS, *FILES])
def test_there_is_no_way_out(con, run, folder, query):
    before = digests(folder)
    query = query.format(top=folder, run=run.path, file=run.files("games")[0])
    for way in (rows, lambda con, query: con.frame(query)):
        with pytest.raises(UsageError) as caught:
            way(con, query)
        assert "swordfish" not in str(caught.value)
    assert digests(folder) == before
    assert rows(con, "select count(*) from games") == [(48,)]


WRITING = [
    query for query in STATEMENTS if query.startswith(("copy (", "COPY", "with a as (copy", "explain a"))
]
READING = [
    "from '{top}/secret.csv'",
    "select content from read_text('{top}/secret.csv')",
    "select content from read_text('{run}/link.csv')",
]


@pytest.mark.parametrize("query", [*WRITING, *READING])
def test_without_the_walls_there_is_a_way(run, folder, tmp_path, query):
    """What is tried above is no nonsense: on an open connection it works."""
    shutil.copytree(folder, tmp_path / "open", symlinks=True)
    top = tmp_path / "open"
    (top / "run" / "link.csv").unlink()
    (top / "run" / "link.csv").symlink_to(top / "secret.csv")
    file = top / run.files("games")[0].relative_to(folder)
    before = digests(top)
    con = duckdb.connect()
    con.execute(f"create view games as from '{run.files('games')[0]}'")
    found = con.execute(query.format(top=top, run=top / "run", file=file)).fetchall()
    assert (digests(top) != before) == (query in WRITING)
    assert ("swordfish" in str(found)) == (query in READING)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("copy (select 1) to 'x'", "COPY is refused; only reading is possible: SELECT, WITH, "),
        ("with a as (delete from games returning *) from a", "must be at the top level"),
        ("install httpfs", "INSTALL or LOAD is refused"),
        ("select 1; select 2", "one statement at a time; there are 2"),
        ("-- nothing", "the query is empty"),
        ("from query('select 1')", "the function query is refused"),
        ("from '/etc/passwd.csv'", "only the files of the runs can be read, and nothing can be written"),
        ("pivot games on players using count(*)", "a PIVOT that has to find out its values is refused"),
    ],
)
def test_a_refusal_says_why(con, query, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        rows(con, query)


def test_variables_of_ours_are_no_tables(con):
    frame = pl.DataFrame({"a": [1]})
    with pytest.raises(UsageError, match="Table with name frame does not exist"):
        rows(con, "from frame")
    assert frame.height == 1


def test_the_configuration_is_locked(con):
    with pytest.raises(Exception, match="locked"):
        con._con.execute("set enable_external_access = true")
    assert con._con.execute("select current_setting('max_temp_directory_size')").fetchone() == ("9.3 GiB",)
    settings = dict(con._con.execute("select name, value from duckdb_settings()").fetchall())
    assert settings["enable_external_access"] == "false"
    assert settings["autoload_known_extensions"] == settings["autoinstall_known_extensions"] == "false"
    assert settings["allowed_directories"] == f"[{con._folder}/]"
    assert settings["enable_progress_bar"] == "false"  # DuckDB would draw it into the output


def test_a_file_of_the_run_that_leads_elsewhere(folder, tmp_path):
    shutil.copytree(folder / "run", tmp_path / "run", symlinks=True)
    run = balance.open_run(tmp_path / "run")
    file = run.files("games")[0]
    shutil.move(file, tmp_path / "elsewhere.parquet")
    file.symlink_to(tmp_path / "elsewhere.parquet")
    for verify in (True, False):
        with pytest.raises(DataError, match=r"damaged: games/.*parquet is missing, or not a file of its own"):
            balance.open_run(tmp_path / "run", verify=verify)


@pytest.mark.parametrize("name", ["plain", "with space", "it's", "a[b]*?", "Ёж"])
def test_a_run_may_have_any_name(folder, tmp_path, name):
    shutil.copytree(folder / "run", tmp_path / "runs" / name, symlinks=True)
    with connect([balance.open_run(tmp_path / "runs" / name)]) as con:
        assert rows(con, "select count(*) from games") == [(48,)]
    (tmp_path / "latest").symlink_to(tmp_path / "runs" / name)
    with connect([balance.open_run(tmp_path / "latest")]) as con:
        assert rows(con, "select count(*) from games") == [(48,)]


# --- limits


def test_a_query_that_takes_too_long_is_stopped(run):
    with connect([run], Limits(seconds=0.3)) as con:
        begun = time.monotonic()
        for way in (rows, lambda con, query: con.frame(query)):
            with pytest.raises(Failed, match=r"longer than the time limit of 0\.3 s"):
                way(con, "select count(*) from range(1000000) a, range(1000000) b where hash(a, b) = 7")
        assert time.monotonic() - begun < 60
        con.limits = Limits()  # a busy machine may need longer than that for any query
        assert rows(con, "select 1") == [(1,)]


def test_the_time_of_the_reader_does_not_count(run):
    with connect([run], Limits(seconds=1)) as con:
        seen = 0
        for chunk in con.texts("select * from range(10000)").chunks():
            time.sleep(0.4)
            seen += len(chunk)
        assert seen == 10_000


def test_no_limit(run):
    with connect([run], Limits(seconds=0)) as con:
        assert rows(con, "select 1") == [(1,)]


def test_a_query_that_needs_too_much_memory_is_stopped(run):
    with connect([run], Limits(memory="60MB")) as con:
        with pytest.raises(Failed, match="more than the memory limit of 60MB") as caught:
            rows(con, "select list(hash(range)) from range(15000000)")
        assert "SET" not in str(caught.value)
        assert rows(con, "select 1") == [(1,)]


def test_what_does_not_fit_into_memory_goes_to_a_private_folder_that_is_removed(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with connect([run], Limits(memory="60MB")) as con:
        place = Path(con._folder)
        assert place.stat().st_mode & 0o777 == 0o700
        sizes = []
        done = threading.Event()

        def watch():
            while not done.wait(0.01):
                sizes.append(sum(file.stat().st_size for file in place.glob("*")))

        watcher = threading.Thread(target=watch)
        watcher.start()
        result = con.texts("select range, hash(range) as h from range(6000000) order by h")
        first = next(result.chunks())
        done.set()
        watcher.join()
        assert int(first[0][1]) <= int(first[1][1])
        assert max(sizes) > 0
    assert not place.exists()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        *(
            (Limits(memory=text), "write it like 500MB or 2GB")
            for text in ("much", "-1", "0GB", "1e99GB", "")
        ),
        *((Limits(seconds=number), "0 means no limit") for number in (-1, math.nan, math.inf, 1e308)),
    ],
)
def test_limits_that_make_no_sense(run, limits, message):
    with pytest.raises(UsageError, match=message):
        connect([run], limits)


# --- errors


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("selct 1", 'Parser Error: syntax error at or near "selct"\nLINE 1: selct 1\n        ^^^^^'),
        ("from gams", 'Table with name gams does not exist!\nDid you mean "games"?'),
        ("select roundz\nfrom games", 'Candidate bindings: "rounds"'),
        ("select\nroundz from games", "LINE 2: roundz from games\n        ^^^^^^"),
        ("select 'a'::int", "Could not convert string 'a' to INT32"),
        ("select error('mine')", "mine"),
        ("select $x", r"the query needs a value for $x: name=value after the query"),
    ],
)
def test_a_mistake_is_told_with_its_place(con, query, message):
    with pytest.raises(UsageError) as caught:
        rows(con, query)
    assert message in str(caught.value)
    assert "describe" not in str(caught.value)


@pytest.mark.parametrize(
    "query",
    [
        "from read_parquet('{run}/run.json')",
        "from parquet_schema('{run}/run.json')",
        "from read_text('{run}/cells.parquet')",
        "from read_json('{run}/catalog.toml')",
        "from read_json('{file}')",
        "from read_parquet(['{file}', '{run}/cells.parquet'])",
    ],
)
def test_a_file_read_as_what_it_is_not_is_a_mistake_of_the_user(con, run, query):
    with pytest.raises(UsageError):
        rows(con, query.format(run=run.path, file=run.files("games")[0]))


@pytest.mark.parametrize("name", ["games/2-players/0000", "cells", "deals/2-players/0000"])
def test_a_file_with_other_columns_is_a_mistake_of_the_run(run, tmp_path, name):
    copied = shutil.copytree(run.path, tmp_path / "run", symlinks=True)
    file = copied / f"{name}.parquet"
    frame = pl.read_parquet(file)
    frame.drop(frame.columns[2]).write_parquet(file)
    fix_up(copied)
    with pytest.raises(DataError, match="is damaged"):
        connect([balance.open_run(copied)])
    with pytest.raises(DataError, match="is damaged"):
        write_database([balance.open_run(copied)], tmp_path / "x.duckdb")


def test_a_parameter_too_much(con):
    with pytest.raises(UsageError, match=r"no parameter \$y"):
        rows(con, "select $x", x=1, y=2)


# --- values


def test_text_values_are_exact(con):
    query = """select 170141183460469231731687303715884105727::hugeint, 18446744073709551615::ubigint,
      1.50::decimal(9, 2), 0.1::double, date '2024-02-29', timestamp_ns '2024-02-29 10:11:12.123456789',
      timestamptz '2024-02-29 10:11:12+00', interval '1 month 2 days', [1, null], {'a': [date '2024-02-29']},
      [{'b': 1.50, 'c d': 'nan'::double}], 'ab'::blob, null, true, 'infinity'::date"""
    (row,) = next(con.texts(query).chunks())
    assert row == (
        *(str(2**127 - 1), str(2**64 - 1), "1.50", "0.1", "2024-02-29", "2024-02-29 10:11:12.123456789"),
        *("2024-02-29 10:11:12+00", "1 month 2 days", "[1, null]", '{"a": ["2024-02-29"]}'),
        *('[{"b": 1.50, "c d": null}]', "ab", None, "true", "infinity"),
    )


def test_rows_keep_their_order_and_columns_their_names(con):
    result = con.texts(
        "select n as a, (n * 2)::varchar as a, date '2024-01-01' + n::int as d "
        "from range(500000) t(n) order by n desc"
    )
    assert [column.name for column in result.columns] == ["a", "a_1", "d"]
    found = [row for chunk in result.chunks() for row in chunk]
    assert [int(row[0]) for row in found] == list(range(499_999, -1, -1))


def test_a_frame_has_exact_types(con):
    frame = con.frame(
        "select sum(rounds) as small, 1267650600228229401496703205376::hugeint as large, "
        "interval '1 month' as i, 1 as x, 2 as x, any_value(players) as p, null::hugeint as n, "
        "[170141183460469231731687303715884105727::hugeint] as listed from games"
    )
    assert frame.schema == {
        "small": pl.Int64,
        "large": pl.Int128,
        "i": pl.String,
        "x": pl.Int32,
        "x_1": pl.Int32,
        "p": pl.Int8,
        "n": pl.Int64,
        "listed": pl.String,
    }
    assert frame["listed"].item() == f"[{2**127 - 1}]"
    assert frame["large"].item() == 2**100
    assert frame["i"].item() == "1 month"


def test_a_frame_of_a_pivot(con):
    frame = con.frame("pivot games on players in (2, 3) using sum(rounds) group by edition")
    assert frame.schema == {"edition": pl.String, "2": pl.Int64, "3": pl.Int64}


# --- from Python


def test_a_run_answers_sql(run):
    frame = run.sql("select players, sum(rounds) as rounds from games where players = $n group by all", n=3)
    expected = run.games.filter(players=3).select(pl.col("rounds").sum()).collect().item()
    assert frame.rows() == [(3, expected)]


def test_several_runs_have_a_column_run(run, tmp_path):
    prepared = simulation.prepare_extension(run.path, tmp_path / "more", games_per_cell=2)
    simulation.run_prepared(prepared, 1)
    both = balance.open_runs([run.path, tmp_path / "more"])
    frame = both.sql("select run, count(*) as games from games group by all order by all")
    assert frame.rows() == [("more", 32), ("run", 48)]


# --- Nefarious, with its own words


@pytest.fixture(scope="module")
def schemes(tmp_path_factory):
    """A small run of Nefarious, in which policies meet: where all play alike there are no win points."""
    return balance.simulate(
        tmp_path_factory.mktemp("schemes") / "run",
        players="2,3",
        variants=["none", "unions", "geeks", "geeks,unions"],
        lineups="drawn:random,rusher",
        games_per_cell=10,
        replicates=2,
    )


@pytest.fixture(scope="module")
def closed_in(schemes):
    with connect([schemes]) as opened:
        yield opened


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(questions()))
def test_every_ready_query_passes_the_walls(closed_in, schemes, views, name):
    question = questions()[name]
    values = {"players": 2, "policy": "random", "lineup": "drawn:random,rusher"}
    values |= {"metric": "stalls", "measure": "mean_length"}
    given = {p.name: values[p.name] for p in question.parameters if p.name in values}
    found = rows(closed_in, question.sql, **closed_in.bind(question, given))
    assert found
    assert found == ask(views(schemes), question, given).fetchall()
    assert closed_in.frame(question.sql, closed_in.bind(question, given)).height == len(found)


def test_names_stand_beside_ids(schemes):
    query = "select pair_a_name, count(*), sum(rounds) from games group by all order by all"
    by_hand = schemes.games.group_by("pair_a").agg(pl.len(), pl.col("rounds").sum())
    found = schemes.sql(query)
    assert [row[1:] for row in found.rows()] == [
        row[1:] for row in by_hand.sort("pair_a", nulls_last=True).collect().rows()
    ]
    assert found["pair_a_name"].to_list() == ["Geeks, Geeks, Geeks, Geeks!", "Unions", None]


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_an_error_late_in_a_file_always_comes_back(run, kind):
    """DuckDB's own threads for files wait for each other forever after some such errors."""
    with connect([run], Limits(seconds=20)) as con:
        for _ in range(30):
            with pytest.raises(UsageError, match="late"):
                con.file("select if(range = 90000, error('late'), range) from range(100000)", {}, kind)

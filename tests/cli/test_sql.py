"""`balance sql`, as a user calls it."""

import csv
import io
import json
import re
import shlex
import shutil
import sys
from decimal import Decimal

import polars as pl
import pytest

import balance
from balance import games
from balance.cli import output, query_output
from balance.cli.app import run
from balance.sweep import simulation
from tests.games.tiny import GAME


@pytest.fixture(autouse=True)
def _tiny():
    with games.registered(GAME):
        yield


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder with the run `first` of the tiny game, and `more`, which extends it."""
    top = tmp_path_factory.mktemp("runs")
    with games.registered(GAME):
        balance.simulate(top / "first", game="tiny", games_per_cell=3)
        simulation.run_prepared(
            simulation.prepare_extension(top / "first", top / "more", games_per_cell=2), 1
        )
    return top


@pytest.fixture
def sql(capfd, runs, monkeypatch):
    """Run `balance sql ARGS` in the folder of the runs; return exit code, stdout and stderr."""
    monkeypatch.chdir(runs)

    def call(*args, stdin=None):
        if stdin is not None:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = run(["sql", *args])
        return code, *capfd.readouterr()

    return call


COUNT = "select players, count(*) as games from games group by all order by all"


def test_a_question_in_sql(sql):
    assert sql("first", COUNT) == (
        0,
        "players  games\n-------  -----\n      2     24\n      3     24\n",
        "",
    )


def test_several_runs(sql):
    code, out, err = sql(
        "first", "more", "select run, count(*) as n from games group by all order by all", "--json"
    )
    assert (code, err) == (0, "")
    assert json.loads(out) == [{"run": "first", "n": 48}, {"run": "more", "n": 32}]


def test_a_query_from_a_file(sql, tmp_path):
    file = tmp_path / "mine.sql"
    file.write_text(f"-- mine\n{COUNT};\n", encoding="utf-8")
    assert sql("first", "-f", str(file))[1] == sql("first", COUNT)[1]
    assert sql("first", "-f", "-", stdin=COUNT)[1] == sql("first", COUNT)[1]


def test_parameters(sql, tmp_path):
    query = "select count(*) as n from games where players = $players and edition = $edition"
    assert sql("first", query, "players=3", "edition=classic", "--format", "csv") == (0, "n\n24\n", "")
    file = tmp_path / "mine.sql"
    file.write_text(query)
    assert sql("first", "players=3", "edition=classic", "-f", str(file), "--format", "csv")[1] == "n\n24\n"
    code, out, err = sql("first", query, "players=3")
    assert (code, out) == (2, "")
    assert "the query needs a value for $edition" in err


READY = """-- Question: How many games are there?
-- Parameters:
--   $players (cells.players, optional): only games of so many
--   $least (integer, default 1): groups of at least so many games
-- Columns:
--   players: how many play
--   games: how many games
select players, count(*) as games from games
where $players is null or players = $players
group by all having count(*) >= $least order by all
"""


def test_a_ready_query_of_ones_own(sql, tmp_path):
    file = tmp_path / "count_games.sql"
    file.write_text(READY)
    assert sql("first", f"@{file}")[1] == sql("first", COUNT)[1]
    assert sql("first", f"@{file}", "players=2", "--format", "csv") == (0, "players,games\n2,24\n", "")
    assert sql("first", "-f", str(file), "players=2", "--format", "csv")[1] == "players,games\n2,24\n"
    assert sql("first", "-f", str(file), "least=25", "--format", "csv")[1] == "players,games\n"
    code, out, err = sql("first", f"@{file}", "players=7")
    assert (code, out) == (2, "")
    assert "unknown players '7' (2, 3)" in err


def test_a_file_needs_no_head(sql, tmp_path):
    file = tmp_path / "plain.sql"
    file.write_text(f"{COUNT};")
    assert sql("first", f"@{file}")[1] == sql("first", COUNT)[1]


def test_a_ready_query_cannot_do_more_than_others(sql, tmp_path):
    file = tmp_path / "evil.sql"
    file.write_text("-- Question: What?\n-- Columns:\n--   a: b\ncopy (select 1) to 'x.csv'")
    code, out, err = sql("first", f"@{file}")
    assert (code, out) == (2, "")
    assert "COPY is refused" in err


# --- formats

VALUES = """
select 1::tinyint as small, 170141183460469231731687303715884105727::hugeint as huge, 0.1::double as float,
  1.50::decimal(9, 2) as price, null as nothing, '' as empty, 'a "b", c' as text, true as yes,
  date '2024-02-29' as day, timestamp '2024-02-29 10:11:12.5' as moment, [1, null, 3] as list,
  {'a': 1, 'b': 'x'} as struct, [{'a': 2.50}] as nested, map {'a "b"': 2.50, 'c': 'nan'::double} as known
"""


def test_json_is_exact(sql):
    code, out, _ = sql("first", VALUES, "--format", "jsonl")
    assert code == 0
    row = json.loads(out, parse_float=Decimal)
    assert row == {
        "small": 1,
        "huge": 2**127 - 1,
        "float": Decimal("0.1"),
        "price": Decimal("1.50"),
        "nothing": None,
        "empty": "",
        "text": 'a "b", c',
        "yes": True,
        "day": "2024-02-29",
        "moment": "2024-02-29 10:11:12.5",
        "list": [1, None, 3],
        "struct": {"a": 1, "b": "x"},
        "nested": [{"a": Decimal("2.50")}],
        "known": {'a "b"': Decimal("2.5"), "c": None},
    }
    assert '"price": 1.50,' in out  # with all of its digits
    assert json.loads(sql("first", VALUES, "--json")[1], parse_float=Decimal) == [row]


def test_csv_is_exact(sql):
    _, out, _ = sql("first", VALUES, "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(out))
    assert row["huge"] == str(2**127 - 1)
    assert (row["price"], row["float"], row["yes"]) == ("1.50", "0.1", "true")
    assert (row["text"], json.loads(row["list"])) == ('a "b", c', [1, None, 3])
    assert json.loads(row["struct"]) == {"a": 1, "b": "x"}
    assert '1.50,,"","a ""b"", c",true' in out  # NULL is nothing, an empty text a pair of quotes


def test_csv_reads_back_in_duckdb(sql, tmp_path):
    import duckdb

    values = "(1, '', 'x'), (2, null, ' '), (3, 'a,b', 'c\"d'), (4, E'e\\nf', 'NULL')"
    query = f"select * from (values {values}) t(a, b, c)"
    assert sql("first", query, "--format", "csv", "-o", str(tmp_path / "x.csv"))[0] == 0
    con = duckdb.connect()
    read = con.execute(f"from read_csv('{tmp_path / 'x.csv'}', allow_quoted_nulls = false)").fetchall()
    assert read == con.execute(query).fetchall()


def test_a_table_tells_null_from_nothing(sql):
    _, out, _ = sql(
        "first", "select 1.50 as price, null as nothing, '' as empty, true as yes, [1, 2] as list"
    )
    assert out.splitlines()[2] == " 1.50  NULL            true  [1, 2]"
    _, out, _ = sql("first", "select 1.50 as price, null as nothing, 'a|b' as t", "--format", "markdown")
    assert out == "| price | nothing | t |\n| ---: | --- | --- |\n| 1.50 | NULL | a\\|b |\n"


def test_parquet_is_exact(sql, tmp_path):
    file = tmp_path / "x.parquet"
    wide = "2::hugeint * 1267650600228229401496703205376 as wide"
    query = f"select *, sum(7) as total, {wide} from ({VALUES}) group by all"
    assert sql("first", query, "--format", "parquet", "-o", str(file)) == (0, "", "")
    row = pl.read_parquet(file).row(0, named=True)
    assert (row["total"], row["wide"], row["huge"]) == (7, 2**101, str(2**127 - 1))
    assert pl.read_parquet(file).schema["total"] == pl.Int64
    assert (row["price"], row["nothing"], row["empty"]) == (Decimal("1.50"), None, "")
    assert (row["list"], row["struct"]) == ([1, None, 3], {"a": 1, "b": "x"})
    assert str(row["day"]) == "2024-02-29"


@pytest.mark.parametrize("format_", ["table", "csv", "json", "jsonl", "markdown"])
def test_a_file_gets_the_bytes_of_the_pipe(sql, tmp_path, format_):
    _, out, _ = sql("first", VALUES, "--format", format_)
    assert sql("first", VALUES, "--format", format_, "-o", str(tmp_path / "x")) == (0, "", "")
    assert (tmp_path / "x").read_text() == out


@pytest.mark.parametrize(
    ("format_", "expected"),
    [("table", "a\n-\n"), ("csv", "a\n"), ("json", "[]\n"), ("jsonl", ""), ("markdown", "| a |\n| ---: |\n")],
)
def test_no_rows(sql, format_, expected):
    assert sql("first", "select 1 as a where false", "--format", format_)[1] == expected


@pytest.mark.parametrize("format_", ["csv", "json", "jsonl", "markdown"])
def test_many_rows_come_whole_and_in_order(sql, format_):
    _, out, _ = sql("first", "select range as n from range(30000) order by n desc", "--format", format_)
    numbers = [int(n) for n in "".join(c if c.isdigit() else " " for c in out).split()]
    assert numbers == list(range(29_999, -1, -1))


def test_columns_of_the_same_name(sql):
    assert sql("first", "select 1 as a, 2 as a", "--format", "csv")[1] == "a,a_1\n1,2\n"
    assert json.loads(sql("first", "select 1 as a, 2 as a", "--json")[1]) == [{"a": 1, "a_1": 2}]


def test_a_table_has_an_end(sql, monkeypatch):
    monkeypatch.setattr(query_output, "MOST_IN_A_TABLE", 5000)
    code, out, err = sql("first", "from range(6000)")
    assert (code, out) == (1, "")
    assert "more than 5,000 rows or 5,000,000 characters are too many for a table; add a LIMIT" in err


def test_a_table_fits_into_80_columns(sql):
    _, out, _ = sql("first", "from games limit 2")
    assert max(map(len, out.splitlines())) <= 80


def test_on_a_terminal_an_interval_is_behind_its_value(sql, monkeypatch):
    query = (
        "select 'a' as who, 12.66125::double as mean, 12.5::double as mean_low, 13.0::double as mean_high, "
    )
    query += "7 as n"
    heads = sql("first", query)[1].splitlines()[0].split()
    assert heads == ["who", "mean", "mean_low", "mean_high", "n"], "in a pipe each column is its own"
    monkeypatch.setattr(output, "screen", lambda options: sys.stdout)
    monkeypatch.setenv("COLUMNS", "80")
    assert sql("first", query)[1].splitlines() == [
        "who                  mean  n",
        "---  --------------------  -",
        "a    12.66 (12.5 to 13.0)  7",
    ]


def test_a_query_that_fails_late_leaves_no_file(sql, tmp_path):
    query = "select if(range = 90000, error('late'), range) from range(100000)"
    code, out, err = sql("first", query, "--format", "csv", "-o", str(tmp_path / "x.csv"))
    assert (code, out) == (2, "")
    assert "late" in err
    assert list(tmp_path.iterdir()) == []


def test_no_rows_as_parquet(sql, tmp_path):
    target = tmp_path / "none.parquet"
    assert sql("first", "from games where false", "--format", "parquet", "-o", str(target))[0] == 0
    assert pl.read_parquet(target).height == 0


def test_only_a_line_feed_ends_a_line_of_a_pipe(sql):
    query = "select unicode(substr('a\u2028b', 2, 1)) as u, '\n@x\n' as t"
    assert json.loads(sql("first", "--json", stdin=query)[1]) == [{"u": 0x2028, "t": "\n@x\n"}]


def test_a_file_name_that_no_file_can_have(sql):
    code, _, err = sql("first", stdin="@a\0b.sql\n")
    assert code == 2
    assert "there is no file" in err


# --- what goes wrong


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        ([], 2, "no run is named"),
        (["select 1"], 2, "no run is named; try: balance sql RUN"),
        (["nowhere", "select 1"], 3, "there is no run in nowhere"),
        (["first", "nowhere", "select 1"], 3, "there is no run in nowhere"),
        (["first", "select 1", "more"], 2, "'more' after the query: expected name=value; runs stand before"),
        (["first", "select $a", "a=1", "a=2"], 2, "a= is given twice"),
        (["first", "select nope from games"], 2, "LINE 1: select nope from games\n               ^^^^"),
        (["first", "from gams"], 2, 'Did you mean "games"?'),
        (["first", "copy games to 'x'"], 2, "COPY is refused"),
        (["first", "from '/etc/passwd.csv'", "--json"], 2, "only the files of the runs can be read"),
        (["first", ""], 2, "the query is empty"),
        (["first", "-f", "nowhere.sql"], 2, "there is no file nowhere.sql"),
        (["first", "@nowhere.sql"], 2, "nowhere.sql"),
        (["first", "select 1", "--memory", "much"], 2, "write it like 500MB or 2GB"),
        (["first", "select 1", "--memory", "-1"], 2, "--memory -1: write it like 500MB or 2GB"),
        *(
            (["first", "select 1", "--timeout", t], 2, "0 means no limit")
            for t in ("-3", "nan", "inf", "1e308")
        ),
        (
            [
                "first",
                "from range(1000000) a, range(1000000) b",
                "--timeout",
                "0.2",
                "--format",
                "csv",
                "-o",
                "/dev/null",
            ],
            1,
            "time limit of 0.2 s",
        ),
        (
            ["first", "select list(hash(range)) from range(9000000)", "--memory", "40MB"],
            1,
            "memory limit of 40MB",
        ),
        (["first", "first", "select 1"], 2, "overlap"),
    ],
)
def test_a_mistake_is_told(sql, args, code, message, runs):
    before = sorted(runs.rglob("*"))
    got, out, err = sql(*args)
    assert (got, out) == (code, "")
    assert err.startswith("error: ")
    assert message in err
    assert "Traceback" not in err
    assert sorted(runs.rglob("*")) == before


def test_an_unfinished_or_damaged_run(sql, runs, tmp_path):
    shutil.copytree(runs / "first", tmp_path / "cut")
    file = next((tmp_path / "cut" / "games").rglob("*.parquet"))
    file.write_bytes(file.read_bytes()[:-9])
    code, out, err = sql(str(tmp_path / "cut"), "select 1")
    assert (code, out) == (3, "")
    assert "is damaged" in err
    (tmp_path / "cut" / "shards.jsonl").write_text("")
    code, _, err = sql(str(tmp_path / "cut"), "select 1")
    assert (code, "is unfinished" in err) == (3, True)


@pytest.mark.parametrize("part", [slice(None), slice(4, 400), slice(-60, -8)])
def test_a_file_that_is_damaged_inside(sql, runs, tmp_path, part):
    shutil.copytree(runs / "first", tmp_path / "bad")
    for file in (tmp_path / "bad" / "seats").rglob("*.parquet"):
        content = bytearray(file.read_bytes())
        content[part] = b"x" * len(content[part])
        file.write_bytes(content)
    code, out, err = sql(str(tmp_path / "bad"), "select * from seats", "--format", "csv", "-o", "/dev/null")
    assert (code, out) == (3, "")
    assert "balance doctor" in err
    assert "Traceback" not in err


# --- statements from a pipe


def test_statements_from_a_pipe(sql):
    code, out, err = sql("first", stdin="select 1 as a;\nselect ';' as b\n;\n-- end\nselect 3 as c")
    assert (code, out, err) == (0, "a\n-\n1\n\nb\n-\n;\n\nc\n-\n3\n", "")


def test_ready_queries_from_a_pipe(sql, tmp_path):
    file = tmp_path / "count_games.sql"
    file.write_text(READY)
    script = f"select 1 as a;\n@{file} players=3\nselect\n2 as b"
    assert sql("first", "--format", "csv", stdin=script) == (0, "a\n1\nplayers,games\n3,24\nb\n2\n", "")


def test_what_comes_from_a_pipe_must_be_text(sql, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"select \xff")))
    assert sql("first") == (2, "", "error: the standard input is not UTF-8 text\n")


def test_a_script_ends_with_its_first_error(sql):
    code, out, err = sql("first", "--format", "csv", stdin="select 1 as a; select nope; select 3 as c;")
    assert (code, out) == (2, "a\n1\n")
    assert "LINE 1: select nope" in err
    assert sql("first", stdin="")[:2] == (0, "")


def test_a_file_takes_one_result(sql, tmp_path):
    args = ["first", "--format", "csv", "-o", str(tmp_path / "x.csv")]
    code, _, err = sql(*args, stdin="select 1; select 2;")
    assert (code, "take one statement; there are 2" in err) == (2, True)
    assert sql(*args, stdin="select 1 as a;") == (0, "", "")
    assert (tmp_path / "x.csv").read_text() == "a\n1\n"


# --- words


def test_the_order_of_options_does_not_matter(sql):
    expected = (0, "n\n48\n", "")
    query = "select count(*) as n from games"
    assert sql("--format", "csv", "first", query) == expected
    assert sql("first", "--format", "csv", query) == expected
    assert sql("first", "from(select count(*) as n from games)", "--format", "csv") == expected


def test_a_run_may_have_a_space_in_its_name(sql, runs, tmp_path):
    shutil.copytree(runs / "first", tmp_path / "my run (1)")
    code, out, _ = sql(str(tmp_path / "my run (1)"), "select count(*) as n from games", "--format", "csv")
    assert (code, out) == (0, "n\n48\n")


@pytest.mark.slow
def test_the_page_is_right(checkout, tmp_path, monkeypatch, sql):
    """The commands of the page run, one after the other: files from `cat`, pipes from `echo`."""
    page = (checkout / "docs" / "commands" / "sql.md").read_text(encoding="utf-8")
    script = "\n".join(part.split("```")[0] for part in page.split("```sh\n")[1:])
    files = re.compile(r"^cat > (\S+) <<'END'\n(.*?)^END\n", re.M | re.S)
    commands = files.sub("", script).splitlines()
    balance.simulate(
        tmp_path / "data" / "runs" / "first",
        players="2,4",
        variants=["unions,parallel-universe", "none"],
        lineups="mirror:random",
        games_per_cell=20,
    )
    simulation.run_prepared(
        simulation.prepare_extension(
            tmp_path / "data" / "runs" / "first", tmp_path / "data" / "runs" / "more", games_per_cell=5
        ),
        1,
    )
    monkeypatch.chdir(tmp_path)
    for name, text in files.findall(script):
        (tmp_path / name).write_text(text)
    assert len(list(filter(None, commands))) >= 8
    for command in filter(None, commands):
        before, _, asked = command.rpartition(" | ")
        typed = shlex.split(before)[1] if before else None
        program, name, *args = shlex.split(asked)
        assert (program, name) == ("balance", "sql")
        code, _, err = sql(*args, stdin=typed)
        assert (code, err) == (0, ""), command

"""Statements that try to write, nested and quoted in every way: a grammar for fuzzing the SQL gate.

`python -m tests.dataset.sql_grammar 20000 1` tries 20,000 of them, with the seed 1.
"""

import hashlib
import random
import shutil
import sys
import tempfile
from pathlib import Path

import duckdb

OPTIONS = ["", " (format csv)", " (format csv, use_tmp_file false)", " (format parquet)", " (format json)"]
WORDS = ["(", ")", "((", "))", ";", "--", "/*", "*/", "'", '"', "$$", "select", "copy", ",", "$a$"]


_AT_ONCE = 20
"""Statements between two looks at the settings, views and macros; at the files one looks after each."""


class Grammar:
    """Makes statements; the same seed, the same statements."""

    def __init__(self, seed, files, folder):
        self.rng, self.files, self.folder = random.Random(seed), files, folder

    def statement(self):
        """Return one text to be tried."""
        text = self.wrapped(self.rng.choice([1, 1, 1, 2, 2, 3]))
        text = self.rng.choice(["", "", "", ";", ";;", "-- (\n", "/* ( */ "]) + text
        text += self.rng.choice(["", "", "", ";", " ;-- )", "/* ) */", ";select 1", f";{self.writing()}"])
        return self.noisy(text)

    # --- what writes

    def writing(self):
        """Return a statement that writes, or changes the connection."""
        file = self.rng.choice([*self.files, f"{self.folder}/new.csv"])
        return self.rng.choice(
            [
                *[f"copy ({self.reading()}) to {self.text(file)}{self.rng.choice(OPTIONS)}"] * 20,
                f"copy games to {self.text(file)}",
                "create table t as " + self.reading(),
                "create or replace view seats as " + self.reading(),
                "create or replace macro deal(x) as 0",
                "insert into games select * from games",
                "delete from games returning *",
                "update cells set players = 9 returning *",
                f"attach {self.text(str(self.folder) + '/new.db')} as other",
                f"export database {self.text(str(self.folder))}",
                "set threads = 1",
                "set enable_external_access = true",
                "reset memory_limit",
                "pragma enable_profiling",
                "call enable_logging()",
                f"from read_csv({self.text(file)}, store_rejects = true, rejects_table = 'games')",
                "load httpfs",
                "prepare p as " + self.reading(),
                "drop view games",
                "set variable x = 1",
                "checkpoint",
            ]
        )

    def reading(self):
        """Return a query that reads, with quotes that look like something else."""
        word = self.rng.choice(WORDS)
        return self.rng.choice(
            [
                f"select {self.text(word)} as a",
                f"select 1 as {self.name(word)}",
                "select 1 as a",
                "from games",
                f"values ({self.text(word)})",
                "select count(*) from games",
            ]
        )

    # --- how it is wrapped

    def wrapped(self, depth):
        """Return something that holds a writing statement, or a reading one."""
        if depth == 0:
            return self.writing() if self.rng.random() < 0.85 else self.reading()
        inner, name = self.wrapped(depth - 1), self.rng.choice(["c", '"("', '"with"', "q"])
        materialized = self.rng.choice(["", "materialized ", "not materialized "])
        return self.rng.choice(
            [
                *[f"with {name} as {materialized}({inner}) {self.reading()}"] * 14,
                *[f"explain analyze {inner}", f"explain ({self.explaining()}) {inner}"] * 3,
                f"with recursive {name} as ({inner}) select 1",
                f"with a as ({self.reading()}), {name} as ({inner}) from {name}",
                f"select * from ({inner})",
                f"select ({inner})",
                f"({inner})",
                f"from ({inner}) t",
                f"{self.reading()} union all ({inner})",
                f"select * from games where exists ({inner})",
                f"select * from games, lateral ({inner})",
                f"explain {inner}",
                f"explain analyze {inner}",
                f"explain ({self.explaining()}) {inner}",
                f"explain({self.explaining()}){inner}",
                f"describe {inner}",
                f"summarize {inner}",
                f"describe ({inner})",
                f"pivot ({inner}) on a using count(*)",
                f"pivot games on players in ({inner}) using count(*)",
                f"with {name} as ({inner}) pivot games on players using count(*)",
                f"with {name} as ({inner}) pivot games on players in (2) using count(*)",
                f"from query({self.text(inner)})",
                f"from json_execute_serialized_sql(json_serialize_sql({self.text(inner)}))",
                f"from system.main.json_execute_serialized_sql(json_serialize_sql({self.text(inner)}))",
                f"pragma json_execute_serialized_sql({self.text(inner)})",
                f"prepare p as {inner}",
                f"execute immediate {self.text(inner)}",
                f"create or replace temp table t as {inner}",
                f"create or replace view v as {inner}",
                f"{self.reading()}) union all select * from ({inner}",
                f"{self.reading()}); {inner}; select * from (select 1",
                f"{self.reading()}\n) t; {inner} --",
                f"select if(true, 1, ({inner}))",
                f"select [x for x in ({inner})]",
                f"begin; {inner}",
                f"copy ({inner}) to {self.text(str(self.folder) + '/new.csv')}",
            ]
        )

    def explaining(self):
        word = self.rng.choice(WORDS)
        return self.rng.choice(
            [
                *("analyze", "format json", "analyze true", f"analyze, format {self.text('json')}"),
                *(f"analyze {self.text(word)}", f"analyze {self.name(word)}"),
                f"verbose {self.text(word)}, analyze",
            ]
        )

    # --- how it is written

    def text(self, content):
        """Quote a text in one of the ways that there are."""
        quoted = content.replace("'", "''")
        escaped = content.replace("\\", "\\\\").replace("'", "\\'")
        ways = [f"'{quoted}'", f"'{quoted}'", f"e'{escaped}'"]
        ways += [f"{tag}{content}{tag}" for tag in ("$$", "$q$") if "$" not in content]
        return self.rng.choice(ways)

    def name(self, content):
        return '"' + content.replace('"', '""') + '"'

    def noisy(self, text):
        """Change letters and spaces where that changes no meaning outside of quotes."""
        kind = self.rng.randrange(6)
        if kind == 0:
            return text.replace(" (", "(").replace(" select", "\nSELECT").replace("copy", "CoPy")
        if kind == 1:
            return text.replace(" as ", " /* as ( */ as ").replace(" to ", "\tto\n")
        if kind == 2:
            return text.replace(" with", "\n-- with (\nwith").replace("explain", "EXPLAIN")
        return text


def digests(folder):
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def stats(folder):
    return {str(p): (p.lstat().st_ino, p.lstat().st_size, p.lstat().st_mtime_ns) for p in folder.rglob("*")}


def try_all(con, run, top, grammar, number):
    """Try statements on a connection; return how many were answered. AssertionError if one left a trace."""
    from balance.errors import BalanceError

    def state():
        # thread-safe: nothing else runs
        settings = con._con.execute("select name, value from duckdb_settings()").fetchall()
        objects = con._con.execute(
            "select database_name, view_name, sql from duckdb_views() where not internal union all "
            "select database_name, table_name, sql from duckdb_tables() union all "
            "select database_name, function_name, macro_definition from duckdb_functions() where not internal"
        ).fetchall()
        return settings, sorted(map(str, objects)), con._con.execute("show databases").fetchall()

    files, before, content, answered = stats(top), state(), digests(top), 0
    for _ in range(0, number, _AT_ONCE):
        tried = [grammar.statement() for _ in range(_AT_ONCE)]
        for statement in tried:
            try:
                con.frame(statement)
                answered += 1
            except BalanceError:
                pass
            assert stats(top) == files, statement
        assert state() == before, tried
    assert digests(top) == content
    return answered


def written_in_the_open(top, grammar, number):
    """Return how many statements leave a trace without gate and wall: the control of the grammar."""
    found = 0
    for _ in range(number):
        before = stats(top)
        con = duckdb.connect(config={"autoinstall_known_extensions": "false"})
        con.execute(f"create view games as from '{grammar.files[0]}'")
        try:
            con.execute(grammar.statement()).fetchall()
        except (duckdb.Error, ValueError, RuntimeError):
            pass
        finally:
            con.close()
        found += stats(top) != before
        if stats(top) != before:
            shutil.copy(f"{grammar.files[0]}.saved", grammar.files[0])
    return found


def main(number, seed):
    import balance
    from balance import games
    from balance.dataset.connection import connect
    from balance.dataset.limits import Limits
    from tests.games.tiny import GAME

    games.register(GAME)
    with tempfile.TemporaryDirectory() as top:
        run = balance.simulate(Path(top) / "run", game="tiny", games_per_cell=3)
        grammar = Grammar(int(seed), [str(run.files("games")[0]), str(run.files("seats")[0])], Path(top))
        with connect([run], Limits(seconds=20)) as con:
            answered = try_all(con, run, Path(top), grammar, int(number))
            wall = "the wall stands" if con.walled else "no wall"
    sys.stdout.write(
        f"{number} statements, {answered} answered, the others refused; no trace left ({wall})\n"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])

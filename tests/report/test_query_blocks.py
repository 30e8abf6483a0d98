"""Query files as tables, figures and chapters of a report."""

import json
from pathlib import Path

import pytest

import balance
from balance.cli.app import run
from balance.dataset.connection import connect
from balance.dataset.saved_queries import load_question
from balance.errors import CatalogError
from balance.report.query_blocks import block_of

POLICIES = """-- Question: How often does each policy win?
-- Title: Win points by policy
-- Columns:
--   policy [Strategy]: who plays
--   players [Players, integer]: how many play
--   win_points [Win points, number]: 1 is fair
--   low: lower end
--   high: upper end
-- Spread: players, win_points
select policy, players, sum(win_points) / count(*) as win_points, 0.5::double as low, 2.5::double as high
from seats where lineup = 'field' group by all order by all
"""
LENGTHS = """-- Question: How long are games?
-- Columns:
--   lineup: who sits where
--   mean [Mean, number]: rounds
-- Figure: dots
--   label: lineup
--   y: mean
--   reference: 10
select lineup, sum(rounds) / count(*) as mean from games group by all order by all
"""


@pytest.fixture(scope="module")
def con(nefarious):
    with connect([balance.open_run(nefarious)]) as opened:
        yield opened


@pytest.fixture
def ask(con, workplace):
    """Write a query file and return its result as a block."""

    def call(text, **options):
        file = workplace / "own.sql"
        file.write_text(text)
        question = load_question(file)
        frame = con.frame(question.sql)
        return block_of(question, frame.columns, tuple(map(tuple, frame.rows())), {}, **options)

    return call


def test_a_column_is_spread_over_the_values_of_another(ask):
    table = ask(POLICIES)
    assert table.caption == "Win points by policy"
    assert [heading.title for heading in table.headings] == ["Strategy", "2 players", "3 players"]
    first = table.rows[0]
    assert first[1].text == f"{first[1].value:.2f} (0.50 to 2.50)"
    columns, rows = table.data()
    assert columns == ("policy", "players", "win_points", "low", "high")
    assert [first[1].value, first[2].value] == [row[2] for row in rows[:2]]


def test_a_head_asks_for_a_figure(ask):
    chart = ask(LENGTHS)
    assert (chart.kind, chart.reference) == ("dots", 10.0)
    assert chart.data["label"] == ("field", "mirror:learned")
    assert chart.raw[0] == ("lineup", "mean")
    assert [heading.key for heading in ask(LENGTHS, table=True).headings] == ["lineup", "mean"]


FINDINGS = """-- Question: What is wrong?
-- Columns:
--   variants [Combination, pair]: what is in force
--   metric [Metric, hidden]: its name
--   of [Of, of]: of what
select variants, metric, "of"
from (values (['b'], 'item', '9'), (['c'], 'seat', '9')) t(variants, metric, "of")
"""


def test_names_stand_for_ids_and_give_the_order(ask):
    table = ask(FINDINGS, names={"b": "Zebra", "c": "Ape", "9": "Flying Car"})
    assert [[cell.text for cell in row] for row in table.rows] == [["Ape", "9"], ["Zebra", "Flying Car"]]
    assert [row[0] for row in table.raw[1]] == [["b"], ["c"]], "the query's own order"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("-- Figure: pie", "bad.sql: line 9: Figure: unknown kind of figure 'pie'"),
        ("-- Figure: dots", "bad.sql: line 9: Figure: dots also needs label, y"),
        ("-- Figure: dots\n--   label: policy\n--   y: wins", "bad.sql: line 11: Figure: y: unknown column"),
        ("-- Spread: plyers, win_points", "bad.sql: line 9: Spread: .* did you mean 'players'"),
        ("-- Figure: ridges", "bad.sql: line 9: Figure: ridges also needs label, x, y, middle"),
        ("--   seats [Seats, colour]: how many", "bad.sql: line 9: Columns: seats: unknown kind 'colour'"),
    ],
)
def test_what_is_wrong_with_a_head_is_said_with_its_line(tmp_path, line, said):
    file = tmp_path / "bad.sql"
    file.write_text(POLICIES.replace("-- Spread: players, win_points", line))
    with pytest.raises(CatalogError, match=said):
        load_question(file)


def test_a_query_becomes_a_chapter_with_the_numbers_of_balance_sql(nefarious, capsys):
    Path("policies.sql").write_text(POLICIES)
    Path("lengths.sql").write_text(LENGTHS)
    asked = ["report", nefarious, "--with", "policies.sql", "--with", "lengths.sql", "--out", "with.json"]
    assert run(asked) == 0
    found = json.loads(Path("with.json").read_text())
    assert [one["title"] for one in found["sections"]][-3:-1] == [
        "How often does each policy win?",
        "How long are games?",
    ]
    for name, kind in (("policies", "tables"), ("lengths", "figures")):
        shown = next(one for one in found[kind] if one["id"] == f"with-{name}")
        assert shown["source"]["query"] == f"{name}.sql"
        capsys.readouterr()
        assert run(["sql", nefarious, f"@{name}.sql", "--json"]) == 0
        rows = json.loads(capsys.readouterr().out)
        assert [dict(zip(shown["columns"], row, strict=True)) for row in shown["rows"]] == rows


def test_a_plain_query_is_a_table_titled_by_its_file(nefarious):
    Path("plain.sql").write_text("-- mine\nselect count(*) as n from games;\n")
    assert run(["report", nefarious, "--with", "plain.sql", "--out", "plain.json"]) == 0
    found = json.loads(Path("plain.json").read_text())
    assert found["sections"][-2]["title"] == "plain"
    shown = next(one for one in found["tables"] if one["id"] == "with-plain")
    assert shown["columns"] == ["n"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("from games", "from gmes", "LINE 9:"),
        ("select lineup", "selekt lineup", "LINE 9:"),
        ("select lineup", "insert into games select lineup", "wrong.sql: line 9: INSERT is refused"),
        ("order by all", "order by all; select 1", "wrong.sql: line 9: expected one statement, found 2"),
        ("as mean", "as middle", "wrong.sql: line 4: unknown column of its result 'mean'"),
        ("sum(rounds) / count(*)", "'long'", "wrong.sql: line 4: the figure needs numbers in mean"),
        ("sum(rounds) / count(*)", "1e300", "wrong.sql: line 4: a number in mean is too large to be drawn"),
        ("select lineup", "select [lineup] as lineup", "lineup has to be a name or a number, not a list"),
        ("select lineup", "select repeat('x', 2000) as lineup", "a text of more than 1,000 characters"),
    ],
)
def test_what_is_wrong_names_file_and_line_and_nothing_is_written(nefarious, capsys, old, new, said):
    Path("wrong.sql").write_text(LENGTHS.replace(old, new))
    assert run(["report", nefarious, "--with", "wrong.sql", "--out", "wrong.html"]) == 2
    err = capsys.readouterr().err
    assert "wrong.sql: " in err
    assert said in err
    assert not Path("wrong.html").exists()


def test_a_folder_is_not_a_query(nefarious, capsys):
    Path("folder.sql").mkdir()
    assert run(["report", nefarious, "--with", "folder.sql", "--out", "wrong.html"]) == 2
    assert "folder.sql is a folder; name a file in it" in capsys.readouterr().err


def test_values_of_every_type_and_two_files_of_one_name(tiny, capsys):
    text = """-- Question: What is there?
-- Columns:
--   day: a date
--   price [Price, form]: without a column form
--   word [Word, of]: without a column metric
select date '2026-11-18' as day, 1.50::decimal(4, 2) as price, 2::hugeint ** 100 as wide, true as yes,
  {'a': [1, 2], 'b': date '2026-01-01'} as nested, [1.5::float] as listed, null as nothing, 'x' as word
"""
    for folder in ("one", "two"):
        Path(folder).mkdir()
        Path(folder, "types.sql").write_text(text)
    given = ["report", tiny, "--with", "one/types.sql", "--with", "two/types.sql"]
    assert run([*given, "--out", "types.html"]) == 0, capsys.readouterr().err
    assert "2026-11-18" in Path("types.html").read_text()
    assert run([*given, "--out", "types.json"]) == 0, capsys.readouterr().err
    tables = {one["id"]: one for one in json.loads(Path("types.json").read_text())["tables"]}
    capsys.readouterr()
    for name, file in (("with-types", "one/types.sql"), ("with-types-2", "two/types.sql")):
        shown = tables[name]
        assert shown["source"]["query"] == file
        assert run(["sql", tiny, f"@{file}", "--json"]) == 0
        (row,) = json.loads(capsys.readouterr().out)
        assert dict(zip(shown["columns"], shown["rows"][0], strict=True)) == row
        assert (row["day"], row["nested"]["a"]) == ("2026-11-18", [1, 2])

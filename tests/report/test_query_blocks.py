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


@pytest.fixture
def ask(nefarious, workplace):
    """Write a query file and return its result as a block."""

    def call(text, **options):
        file = workplace / "own.sql"
        file.write_text(text)
        question = load_question(file)
        with connect([balance.open_run(nefarious)]) as con:
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


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("-- Figure: pie", "unknown kind of figure 'pie'"),
        ("-- Spread: plyers, win_points", "players"),
        ("--   seats [Seats, colour]: how many", "unknown kind 'colour'"),
    ],
)
def test_what_is_wrong_with_a_head_is_said(tmp_path, line, said):
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
        assert shown["source"]["query"] == name
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


def test_wrong_sql_names_file_and_line_and_nothing_is_written(nefarious, capsys):
    Path("wrong.sql").write_text(LENGTHS.replace("from games", "from gmes"))
    assert run(["report", nefarious, "--with", "wrong.sql", "--out", "wrong.html"]) == 2
    said = capsys.readouterr().err
    assert "wrong.sql: " in said
    assert "LINE 9:" in said
    assert not Path("wrong.html").exists()

"""Answers as JSON, Markdown and plain text: the same numbers and words as the page."""

import json
from dataclasses import replace

import pytest

from balance.report.model import Cell, Chart, Heading, Source, Table
from balance.report.render.json import document, render
from balance.report.render.text import markdown, text
from tests.report.handmade import HOSTILE, handmade

KINDS = ("space", "pair", "item", "tiny_space")


@pytest.mark.parametrize("kind", KINDS)
def test_json_holds_every_table_and_figure_with_its_source(request, kind):
    answer = request.getfixturevalue(kind)
    found = json.loads(render(answer))
    blocks = list(answer.blocks())
    assert [one["id"] for one in found["tables"]] == [b.id for b in blocks if isinstance(b, Table)]
    assert [one["id"] for one in found["figures"]] == [b.id for b in blocks if isinstance(b, Chart)]
    for one in (*found["tables"], *found["figures"]):
        assert {"query", "parameters", "n"} <= one["source"].keys()
        assert all(len(row) == len(one["columns"]) for row in one["rows"])
    assert found["headline"] == answer.summary.headline


def test_the_ends_of_an_interval_are_columns_of_their_own():
    table = Table(
        "t",
        "A table",
        (Heading("policy", "Policy"), Heading("points", "Win points", "interval")),
        ((Cell("greedy", "greedy"), Cell(1.5, "1.50 (1.00 to 2.00)", 1.0, 2.0)),),
        Source("10 games"),
    )
    assert table.data() == (("policy", "points", "points_low", "points_high"), (("greedy", 1.5, 1.0, 2.0),))


def test_verdicts_and_findings_are_records(pair):
    found = document(pair)
    assert [one["players"] for one in found["verdicts"]] == [2, 3]
    assert {one["verdict"] for one in found["verdicts"]} <= {"broken", "undecided", "fine"}
    assert {one["metric"] for one in found["findings"]} >= {"length", "stalls"}
    worst = [one for one in found["findings"] if one["broken"]]
    assert bool(worst) == any(one["verdict"] == "broken" for one in found["verdicts"])


@pytest.mark.parametrize("kind", KINDS)
def test_text_says_what_the_tables_say(request, kind):
    answer = request.getfixturevalue(kind)
    words = " ".join(text(answer, 200).split())
    assert " ".join(answer.summary.headline.split()) in words
    tables = [block for block in answer.blocks() if isinstance(block, Table)]
    for table in tables:
        for row in table.rows[:3]:
            assert all(cell.text.split()[0] in words for cell in row if cell.text.strip())


def test_sentences_and_columns_of_words_fit_the_screen():
    lines = text(handmade(), 60).splitlines()
    assert max(map(len, lines[: lines.index("Make this again")])) <= 60


def test_a_table_of_markdown_has_as_many_columns_in_every_row():
    lines = markdown(handmade(hostile=HOSTILE)).splitlines()
    columns = [line.replace("\\|", "").count("|") - 1 for line in lines if line.startswith("| ")]
    assert columns == [4] * 22 + [10] * 10  # heads, rules and rows of two tables


def test_headings_of_markdown_show_names_as_they_are():
    answer = handmade(hostile=HOSTILE)
    chapter = replace(answer.sections[0], title="<img src=x> [a](b) `c` *d*")
    lines = markdown(replace(answer, title="<b>x</b>", sections=(chapter,))).splitlines()
    assert "# \\<b\\>x\\</b\\>" in lines
    assert "## \\<img src=x\\> \\[a\\](b) \\`c\\` \\*d\\*" in lines

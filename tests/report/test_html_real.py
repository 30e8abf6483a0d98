"""Reports of real runs as HTML: everything that the model says is there, whatever the report is about."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest

from balance.report.model import Bullets, Chart, Code, Paragraph, Table, spans
from balance.report.render.html import render
from tests.report.conftest import HOSTILE
from tests.report.test_html import Page, words

KINDS = ("space", "pair", "item", "tiny_space")


@pytest.fixture(scope="module")
def pages():
    return {}


@pytest.fixture
def report(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def page(request, report, pages):
    name = request.node.callspec.params["report"]
    if name not in pages:
        pages[name] = Page(render(report))
    return pages[name]


def blocks(report):
    for section in report.sections:
        for part in (section, *section.sections):
            for block in part.blocks:
                yield section, block


def plain(text, report):
    return words("".join(piece for piece, _ in spans(text, report.glossary)))


@pytest.mark.parametrize("report", KINDS, indirect=True)
def test_everything_that_the_model_says_is_on_the_page(report, page):
    said = words(page.text)
    missing = []
    for section, block in blocks(report):
        wanted = []
        if isinstance(block, Paragraph):
            wanted = [block.text]
        elif isinstance(block, Bullets):
            wanted = list(block.items)
        elif isinstance(block, Code):
            missing += [] if words(block.text) in said else [block.text]
        elif isinstance(block, Chart):
            wanted = [block.caption, block.source.n, block.source.sql]
        elif isinstance(block, Table) and section.id != "atlas":
            wanted = [block.caption, block.source.n, block.source.interval, block.source.sql, block.note]
            wanted += [cell.text for row in block.rows for cell in row]
        missing += [wish for wish in wanted if plain(wish, report) not in said]
    assert missing == []


@pytest.mark.parametrize("report", KINDS, indirect=True)
def test_rows_are_those_of_the_model_in_their_order(report, page):
    said = words(page.text)
    tables = [b for section, b in blocks(report) if isinstance(b, Table) and section.id != "atlas"]
    rows = [" ".join(plain(c.text, report) for c in row if c.text) for table in tables for row in table.rows]
    assert rows
    assert [row for row in rows if row not in said] == []


@pytest.mark.parametrize("report", KINDS, indirect=True)
def test_ids_are_unique_and_links_have_ends(report, page):
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert [name for name, times in Counter(ids).items() if times > 1] == []
    targets = {a["href"][1:] for a in page.all("a") if not a["href"].startswith("#pair=")}
    assert targets <= set(ids)
    drawn = {use["href"][1:] for use in page.all("use")}
    assert drawn <= set(ids), "every letter that is drawn has its outline"


@pytest.mark.parametrize("report", KINDS, indirect=True)
def test_figures_say_in_words_what_they_show(report, page):
    labels = {svg.get("aria-label") for svg in page.all("svg")}
    shown = [block for section, block in blocks(report) if isinstance(block, Chart) and section.id != "atlas"]
    assert {figure.alt for figure in shown} <= labels


def test_the_same_run_gives_the_same_bytes(space):
    assert render(space) == render(space)


def test_hostile_notes_of_a_catalog_stay_text(space, item):
    for report in (space, item):
        page = Page(render(report))
        assert words(HOSTILE.split("[[")[0]) in words(page.text)
        assert len(page.all("script")) == (5 if report.atlas else 2)
        for script, attributes in zip(page.scripts, page.all("script"), strict=True):
            if attributes.get("type") == "application/json":
                json.loads(script)


def test_too_few_games_are_named_before_anything_is_believed(space):
    said = words(Page(render(space)).text)
    assert "Before you believe it: Too few games to say" in said


@pytest.mark.parametrize("report", ["space", "tiny_space"], indirect=True)
def test_words_of_the_program_are_not_in_the_text(report, page):
    """Commands and SQL have them; the glossary explains once what a strength of play is called there."""
    said = re.sub(r"Here, with its name in commands: [^.]*\.", "", words(page.prose))
    found = re.findall(r"(?i)\b(cells?|digests?|lineups?|mirror:\w*|drawn:\w*|one:\w*|field)\b", said)
    assert found == []
    if report.game == "Nefarious":
        assert not re.findall(r"(?i)[^.]*\b(?:variants?|items?)\b[^.]*", said)
        assert "Seats are numbered from 0" in said

"""The report as HTML: all the model says, nothing that it does not say, and no way out of the page."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from balance.report import model
from balance.report.model import Summary, VerdictCount
from balance.report.render import html
from balance.report.render.charts import _name_points
from balance.report.render.html import render
from tests.report.handmade import HOSTILE, handmade

VENDOR = Path(html.__file__).parent / "vendor"


class Page(HTMLParser):
    """A page taken apart: its elements with their attributes, and the text of each script and of the rest."""

    VOID = frozenset({"meta", "br", "input", "link", "img"})

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = self.prose = ""
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.prose += f"{dict(attrs).get('data-help', '')} "
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if self.open[-1:] == ["script"]:
            self.scripts[-1] += data
        elif "style" not in self.open:
            self.text += data
            if not {"pre", "code"} & set(self.open):
                self.prose += f"{data} "

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def text():
    return render(handmade())


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


@pytest.fixture(scope="module")
def hostile():
    return Page(render(handmade(hostile=HOSTILE)))


def words(text: str) -> str:
    return " ".join(text.split())


def test_the_same_model_gives_the_same_bytes(text):
    assert render(handmade()) == text


def test_every_text_of_the_model_is_on_the_page(page):
    report = handmade()
    said = words(page.text)
    table, _ = (block for block in report.sections[0].blocks if isinstance(block, model.Table))
    wanted = [
        *(report.title, report.subtitle, report.game, report.edition, report.summary.warning),
        *(worst.sentence for worst in report.summary.worst),
        *(found.sentence for found in report.summary.bent),
        *report.summary.next_steps,
        *(column.title for column in table.headings),
        *(cell.text for row in table.rows for cell in row),
        *(table.caption, table.note, table.source.n, table.source.interval, table.source.sql),
        *("One thing", "another", "balance check", "Try it", "More", "A part."),
        *report.provenance.commands,
    ]
    assert [wish for wish in wanted if words(wish) not in said] == []


def test_counts_of_verdicts_carry_words_and_not_only_colours(page):
    said = words(page.text)
    heads = "Players broken undecided bent fine judged games"
    assert f"{heads} at any number 12 10 0 6 28 2 8 10 0 10 28 4 10 10 0 8 28" in said


def test_what_fresh_games_deny_is_said_so(page):
    assert "One seat wins. Not confirmed: 1.02" in words(page.text)
    assert "It never ends. Confirmed: 64 rounds" in words(page.text)
    assert "2 players, skilled play not confirmed" in words(page.text)
    assert "4 players, casual play, 450 games broken only together" in words(page.text)


def test_the_first_screen_names_five_that_are_broken_and_folds_the_others():
    many = replace(handmade(), atlas=None)
    many = replace(many, summary=replace(many.summary, worst=many.summary.worst[:1] * 7))
    seen, folded = render(many).split('<ol class="worst" start="6">')
    assert (seen.count("It never ends."), folded.count("It never ends.")) == (5, 2)
    assert "<summary>2 more: " in seen


def test_the_name_of_a_point_covers_no_other_point():
    written = []
    axes = SimpleNamespace(
        get_xlim=lambda: (0, 1),
        get_ylim=lambda: (0, 1),
        annotate=lambda name, _, **how: written.append((name, how["ha"])),
    )
    points = [("Panacea", 0.5, 0.5), ("Virus", 0.53, 0.5), ("Kraken", 0.1, 0.5)]
    _name_points(axes, points, points)
    assert written == [("Panacea", "right"), ("Virus", "left"), ("Kraken", "left")]


def test_a_comparison_shows_counts_and_a_pair_its_verdict():
    counts = (VerdictCount(4, 172, 36, 459),)
    bare = replace(handmade(), atlas=None, summary=Summary("It changed.", counts))
    said = words(Page(render(replace(bare, kind="comparison"))).text)
    assert "Players broken undecided bent fine judged games 4 172 459 0 36 667" in said
    one = replace(bare.summary, counts=(VerdictCount(4, 0, 0, 1),))
    said = words(Page(render(replace(bare, kind="pair", summary=one))).text)
    assert "PlayersVerdict4undecided" in said.replace(" ", "")


def test_terms_lead_to_the_glossary_and_stand_once(page):
    links = [a["href"] for a in page.all("a") if a.get("class") == "term"]
    assert set(links) == {"#term-win-points"}
    assert [dt["id"] for dt in page.all("dt") if "id" in dt] == ["term-win-points"]


def test_pairs_are_links_into_the_atlas(page):
    links = [a["href"] for a in page.all("a")]
    assert "#pair=v0+v1&players=4" in links, "in the answer"
    assert "#pair=v0+v3" in links, "in the table"


def test_ids_are_unique_and_every_inner_link_has_its_end(page):
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = {a["href"][1:] for a in page.all("a") if not a["href"].startswith("#pair=")}
    assert targets <= set(ids)
    named = {
        name
        for _, attributes in page.elements
        for key in ("aria-labelledby", "aria-describedby")
        for name in (attributes.get(key) or "").split()
    }
    assert named - set(ids) == {"panel-title"}, "which comes with the panel"


def test_landmarks_headings_and_tables_are_real(page):
    tags = [tag for tag, _ in page.elements]
    for landmark in ("header", "nav", "main", "footer"):
        assert tags.count(landmark) == 1
    headings = [int(tag[1]) for tag in tags if tag in ("h1", "h2", "h3", "h4")]
    assert headings.count(1) == 1
    assert headings[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(headings)), "no level is left out"
    assert all(th.get("scope") in ("col", "row") for th in page.all("th"))
    assert page.all("html")[0]["lang"] == "en"


def test_the_page_asks_nothing_of_any_network(page):
    for tag, attributes in page.elements:
        for key in ("src", "href", "srcset", "action", "data", "poster"):
            assert (attributes.get(key) or "#").startswith("#"), (tag, attributes)
    policy = next(m["content"] for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data: blob:"
    assert set(rules) == {"default-src", "script-src", "style-src", "img-src", "base-uri", "form-action"}


def test_only_the_scripts_of_the_page_may_run(page):
    policy = next(m["content"] for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy")
    executed = [
        script
        for script, attributes in zip(page.scripts, page.all("script"), strict=True)
        if "type" not in attributes
    ]
    digests = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in executed]
    assert len(digests) == 4
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    assert f"script-src {allowed};" in policy


def test_the_charting_library_is_the_one_that_its_readme_names():
    library = (VENDOR / "echarts.min.js").read_bytes()
    assert hashlib.sha256(library).hexdigest() in (VENDOR / "README.md").read_text()
    assert len(library) < 1_500_000


def test_its_licences_are_on_the_page(page):
    for name in ("LICENSE-echarts.txt", "NOTICE-echarts.txt", "LICENSE-d3.txt"):
        assert words((VENDOR / name).read_text()) in words(page.text)


def test_hostile_text_stays_text(page, hostile):
    # Only the term of the glossary becomes what it says it is, a link; and letters are drawn in figures.
    other = {"a", "g", "defs", "use", "path", "clippath", "rect"}
    assert [t for t, _ in hostile.elements if t not in other] == [
        t for t, _ in page.elements if t not in other
    ]
    assert {a["href"] for a in hostile.all("a")} == {a["href"] for a in page.all("a")}
    assert hostile.scripts[0] == page.scripts[0]
    assert hostile.text.count("49") == page.text.count("49"), "nothing was calculated"
    assert words(hostile.text).count(words(HOSTILE.split("[[")[0])) > 20


def packed(page):
    """Return the data of the atlas as it is in a page."""
    text = next(
        script
        for script, attributes in zip(page.scripts, page.all("script"), strict=True)
        if attributes.get("type") == "application/gzip"
    )
    return json.loads(gzip.decompress(base64.b64decode(text, validate=True)))


def test_hostile_data_stays_data(hostile):
    data = packed(hostile)
    assert data == json.loads(json.dumps(handmade(hostile=HOSTILE).atlas))
    assert data["variants"][1]["name"] == HOSTILE


def test_an_empty_report_is_honest_and_small():
    nothing = Summary("Too few games to say.", (VerdictCount(2, 0, 0, 0),))
    text = render(replace(handmade(), summary=nothing, sections=(), atlas=None, glossary={}))
    page = Page(text)
    assert "Too few games to say." in page.text
    assert "echarts" not in text
    assert len(text) < 60_000
    assert [script for script in page.all("script") if script.get("type")] == []


def test_the_numbers_of_the_full_space_are_written_short():
    """All pairs of 36 variants, five player counts, two strengths, beside the charting library."""
    assert len(render(handmade(36, (2, 3, 4, 5, 6))).encode()) < 2_500_000

"""The report as a PDF: its text is that of the model, the same bytes twice, nothing from outside."""

import io
import re
import shutil
import subprocess
import warnings
from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree as ET

import pypdf
import pytest

from balance.report import build
from balance.report.model import Bullets, Chart, Paragraph, Source, Summary, Table, VerdictCount, spans
from balance.report.render.charts import svg
from balance.report.render.pdf import render
from tests.report.conftest import HOSTILE
from tests.report.handmade import handmade


@pytest.fixture(scope="module")
def made(space):
    return render(space)


@pytest.fixture(scope="module")
def read(made):
    return pypdf.PdfReader(io.BytesIO(made))


def squeezed(text):
    """Return a text without spaces and hyphens of line breaks: what is left does not depend on lines."""
    return re.sub(r"[\s\u00ad\u2010-]", "", text)


def body_and_sources(read):
    """Return the chapters as one text, and the list of commands that follows them."""
    everything = "".join(page.extract_text() for page in read.pages)
    contents, body, sources = everything.split("Where the numbers come from")
    return contents + body, sources


@pytest.fixture(scope="module")
def text(read):
    return squeezed("".join(page.extract_text() for page in read.pages))


def every_block(report):
    for section in report.sections:
        for part in (section, *section.sections):
            for block in part.blocks:
                yield part, block


def test_all_that_the_model_says_is_in_the_text(space, text):
    assert squeezed(space.title) in text
    assert squeezed(space.summary.headline) in text
    missing = []
    for part, block in every_block(space):
        said = [part.title]
        if isinstance(block, Table):
            said += [column.title for column in block.headings]
            said += [cell.text for row in block.rows for cell in row if len(cell.text) < 30]
        if isinstance(block, Table | Chart):
            said += [block.source.n]
        missing += [words for words in said if squeezed(words) not in text]
    assert missing == []


def test_paragraphs_and_captions_are_there_word_by_word(space, text):
    checked = 0
    for _, block in every_block(space):
        match block:
            case Paragraph(words):
                said = [words]
            case Bullets(items):
                said = list(items)
            case Table() | Chart():
                said = [block.caption]
            case _:
                said = []
        for words in said:
            for piece, _ in spans(words, space.glossary):
                for word in piece.split():
                    assert squeezed(word) in text, (word, words)
                    checked += 1
    assert checked > 500


def test_hostile_notes_stay_text(text, item):
    assert squeezed(HOSTILE) in text
    sheet = pypdf.PdfReader(io.BytesIO(render(item)))
    assert squeezed(HOSTILE) in squeezed("".join(page.extract_text() for page in sheet.pages))


def test_the_same_bytes_twice(space, made):
    assert render(space) == made


def test_figures_are_the_same_bytes_twice_and_carry_no_date(space):
    charts = [block for _, block in every_block(space) if isinstance(block, Chart)]
    assert len(charts) > 5
    for chart in charts:
        for letters in (False, True):
            drawn = svg(chart, letters=letters)
            assert drawn == svg(chart, letters=letters)
            assert "<dc:date>" not in drawn
            assert ("<text" in drawn) is letters


def test_names_of_points_do_not_cover_each_other():
    columns = {
        "label": ("Ape", "Long-eared bat", "Long-tailed cat", "Dog"),
        "x": (22, 21, 21, 50),
        "y": (0.2, 0.2, 0.2, -0.1),
    }
    columns |= {"low": (None,) * 4, "high": (None,) * 4, "series": (True,) * 4}
    drawn = svg(Chart("points", "Points", "scatter", columns, Source(""), ""), letters=True)
    named = re.findall(r"<text [^>]*text-anchor: (start|end)[^>]*>(Ape|Long[^<]*|Dog)<", drawn)
    assert named == [("start", "Ape"), ("end", "Long-eared bat"), ("start", "Dog")], (
        "no room for a third at one place"
    )


def test_fonts_are_embedded(read):
    fonts = {}
    for page in read.pages:
        for font in (page["/Resources"].get("/Font") or {}).values():
            inner = font.get_object()["/DescendantFonts"][0].get_object()["/FontDescriptor"].get_object()
            fonts[inner["/FontName"]] = any(key in inner for key in ("/FontFile", "/FontFile2", "/FontFile3"))
    assert fonts
    assert all(fonts.values()), fonts
    assert all(re.match(r"/[A-Z]{6}\+(Libertinus|DejaVu)", name) for name in fonts), fonts


def test_it_is_set_like_a_document(read, space):
    contents = read.pages[1].extract_text()
    assert "Contents" in contents
    for section in space.sections:
        assert section.title in contents
    assert f"2 / {len(read.pages)}" in contents
    everything, _ = body_and_sources(read)
    tables = [int(n) for n in re.findall(r"Table (\d+)\.", everything)]
    figures = [int(n) for n in re.findall(r"Figure (\d+)\.", everything)]
    assert tables == list(range(1, len(tables) + 1))
    assert figures == list(range(1, len(figures) + 1))
    assert len(figures) == sum(isinstance(block, Chart) for _, block in every_block(space))
    assert read.metadata.title == space.title


def test_commands_stand_at_the_end_and_not_under_each_table(read, space):
    body, sources = body_and_sources(read)
    assert "balance sql" not in body
    shown = [block for _, block in every_block(space) if isinstance(block, Table | Chart)]
    commands = [block.source.invocation for block in shown if block.source.invocation]
    assert len(commands) > 20
    missing = [command for command in commands if squeezed(command) not in squeezed(sources)]
    assert missing == []


def test_every_pair_is_drawn_once(space):
    matrices = [block for _, block in every_block(space) if getattr(block, "kind", "") == "matrix"]
    assert matrices
    for matrix in matrices:
        pairs = [frozenset(pair) for pair in zip(matrix.data["row"], matrix.data["column"], strict=True)]
        assert len(pairs) == len(set(pairs)) == 10, "four alone and six pairs"


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="needs poppler's pdftotext")
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_no_word_leaves_the_page_or_covers_another(space, made, paper, tmp_path):
    (tmp_path / "r.pdf").write_bytes(made if paper == "a4" else render(space, paper))
    boxes = subprocess.run(
        ["pdftotext", "-bbox", "r.pdf", "-"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    pages = ET.fromstring(boxes.stdout).iter("{http://www.w3.org/1999/xhtml}page")
    wrong = []
    for number, page in enumerate(pages, 1):
        words = [
            (*(float(word.get(end)) for end in ("xMin", "yMin", "xMax", "yMax")), word.text) for word in page
        ]
        width = float(page.get("width"))
        wrong += [(number, word) for *box, word in words if box[0] < 50 or box[2] > width - 50]
        for (a, b, c, d, one), (e, f, g, h, two) in combinations(words, 2):
            if min(c, g) - max(a, e) > 1 and min(d, h) - max(b, f) > 4:
                wrong.append((number, one, two))
    assert wrong == []


def test_headers_of_long_tables_are_repeated(space, read):
    values = next(
        block for _, block in every_block(space) if getattr(block, "id", "") == "item-values-mirror-learned"
    )
    pages = [page.extract_text() for page in read.pages if "Differs" in page.extract_text()]
    assert len(values.rows) == 64
    assert len([page for page in pages if "Dealt" in page]) >= 2


def test_a_comparison_shows_the_same_counts_as_its_page():
    counts = (VerdictCount(4, 172, 36, 459),)
    short = replace(handmade(), atlas=None, summary=Summary("It changed.", counts))
    first = {
        kind: " ".join(
            pypdf.PdfReader(io.BytesIO(render(replace(short, kind=kind)))).pages[0].extract_text().split()
        )
        for kind in ("comparison", "pair")
    }
    assert "Players Broken Undecided Bent Fine Judged Games 4 172 459 0 36 667" in first["comparison"]
    assert "Undecided" not in first["pair"]


def test_the_title_page_says_what_fresh_games_say_of_the_worst():
    read = pypdf.PdfReader(io.BytesIO(render(handmade())))
    first = " ".join(read.pages[0].extract_text().split())
    assert "It never ends. Confirmed: 64 rounds" in first
    assert "One seat wins. Not confirmed: 1.02" in first


def test_the_title_page_has_the_five_worst_and_the_first_chapter_the_others():
    many = handmade()
    many = replace(many, summary=replace(many.summary, worst=many.summary.worst[:1] * 7))
    pages = [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(render(many))).pages]
    assert pages[0].count("It never ends.") == 5
    assert [page.count("It never ends.") for page in pages if "More that are broken" in page] == [2]


@pytest.mark.parametrize(("paper", "size"), [("a4", (595.28, 841.89)), ("letter", (612, 792))])
def test_paper(pair, paper, size):
    sheet = pypdf.PdfReader(io.BytesIO(render(pair, paper)))
    box = sheet.pages[0].mediabox
    assert (float(box.width), float(box.height)) == pytest.approx(size, abs=0.5)
    assert len(sheet.pages) == 2


def test_the_tiny_game_and_a_tiny_run_have_a_pdf(tiny_space, workplace):
    sheet = pypdf.PdfReader(io.BytesIO(render(tiny_space)))
    assert "Tiny race: is it balanced?" in sheet.pages[0].extract_text()
    from balance import simulate

    simulate("two-games", players=2, variants=["none", "geeks"], games_per_cell=2, jobs=1)
    small = pypdf.PdfReader(io.BytesIO(render(build.build(build.ReportRequest(("two-games",)), jobs=1))))
    assert "Too few games to say" in small.pages[0].extract_text()


@pytest.mark.skipif(shutil.which("pdftoppm") is None, reason="needs poppler's pdftoppm")
def test_pages_can_be_drawn_and_none_is_empty(made, tmp_path):
    from PIL import Image

    (tmp_path / "r.pdf").write_bytes(made)
    subprocess.run(["pdftoppm", "-r", "20", "-gray", "-png", "r.pdf", "p"], cwd=tmp_path, check=True)
    pages = sorted(tmp_path.glob("p*.png"))
    assert len(pages) == len(pypdf.PdfReader(io.BytesIO(made)).pages)
    for page in pages:
        low, high = Image.open(page).convert("L").getextrema()
        assert low < 200 < high, page.name


def test_a_name_in_a_script_that_no_font_has_does_not_stop_a_report(tiny_space):
    """Boxes are printed in figures, which is worse than letters and better than nothing."""
    name = "हिन्दी"
    section = next(s for s in tiny_space.sections if any(_labelled(block) for block in s.blocks))
    blocks = tuple(
        replace(block, data={**block.data, "label": [name] * len(block.data["label"])})
        if _labelled(block)
        else block
        for block in section.blocks
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = render(replace(tiny_space, sections=(replace(section, blocks=blocks),)))
    assert made.startswith(b"%PDF")


def _labelled(block):
    return isinstance(block, Chart) and "label" in block.data

"""The HTML report in a real browser: clicked, typed at, linked to, downloaded from, and looked at on a phone.

Without chromium these tests are skipped, except where CI is set: there a missing browser is a failure.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
import shutil
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from balance.report.atlas import SCALE, VERDICT_CODES
from balance.report.formatting import printed
from balance.report.render.html import render
from tests.report.handmade import HOSTILE, handmade, place

COUNT = 12
PLAYERS = (2, 3, 4)
OPTIONS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
DESK = {"width": 1280, "height": 900}
CLIPPED = """() => {
    for (const chapter of document.querySelectorAll("details")) chapter.open = true;
    return [...document.querySelectorAll(".scroll, .counts")]
        .filter((one) =>
            one.scrollWidth > one.clientWidth + 1 || one.getBoundingClientRect().right > innerWidth + 1)
        .map((one) => `${one.closest("[id]").id}: ${one.scrollWidth} of ${one.clientWidth}`);
}"""
# Words and numbers in tables that go on in another line.
BROKEN_WORDS = """() => {
    const found = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode())
        for (const word of texts.currentNode.data.matchAll(/[^\\s-]+/g)) {
            if (!texts.currentNode.parentElement.closest("td, th")) break;
            const range = document.createRange();
            range.setStart(texts.currentNode, word.index);
            range.setEnd(texts.currentNode, word.index + word[0].length);
            if (range.getClientRects().length > 1) found.push(word[0]);
        }
    return found;
}"""
OPTION = "echarts.getInstanceByDom(document.getElementById('atlas-chart')).getOption()"
PHONE = {"width": 390, "height": 844}


def chromium() -> str:
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("no chromium here, and CI is set: the HTML report would go untested")
        pytest.skip("no chromium on this machine")
    return found


def test_a_missing_browser_is_a_failure_only_where_ci_is_set(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no chromium here"):
        chromium()
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception):
        chromium()


@pytest.fixture(scope="module")
def context(tmp_path_factory):
    """One browser for all, with an empty memory."""
    program = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        made = driver.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("profile"),
            executable_path=program,
            args=OPTIONS,
            viewport=DESK,
            color_scheme="light",
            reduced_motion="reduce",
            accept_downloads=True,
            permissions=["clipboard-read", "clipboard-write"],
        )
        made.set_default_timeout(20_000)
        yield made
        made.close()


@pytest.fixture(scope="module")
def report():
    return handmade(COUNT, PLAYERS)


@pytest.fixture(scope="module")
def file(report, tmp_path_factory):
    target = tmp_path_factory.mktemp("a folder") / "report.html"
    target.write_text(render(report), encoding="utf-8")
    return target


@pytest.fixture(scope="module")
def real(space, tmp_path_factory):
    """The page of a real run."""
    target = tmp_path_factory.mktemp("real") / "space.html"
    target.write_text(render(space), encoding="utf-8")
    return target


@pytest.fixture(scope="module")
def tab(context):
    page = context.pages[0]
    page.heard = []
    page.asked = []
    page.on("console", lambda message: page.heard.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: page.heard.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (page.heard.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("request", lambda request: page.asked.append(request.url))
    return page


@pytest.fixture
def page(tab, file):
    """The report as if just opened; afterwards the console is silent and no network was asked."""
    tab.heard.clear()
    tab.asked.clear()
    tab.set_viewport_size(DESK)
    if not tab.url.startswith(file.as_uri()):
        load(tab, file.as_uri())
    tab.evaluate(AS_OPENED)
    yield tab
    assert tab.heard == []
    asked = [url for url in tab.asked if not url.startswith(("data:", "blob:", "about:"))]
    assert set(asked) <= {file.as_uri()}


def load(tab, address):
    """Open a page, and wait until its atlas is unpacked."""
    tab.goto(address)
    tab.wait_for_function("!document.getElementById('atlas-app')?.hidden")


# Loading the page for every test would take most of their time.
AS_OPENED = """async () => {
    if (location.hash !== "#players=4") {
        const told = new Promise((done) => addEventListener("hashchange", done, { once: true }));
        location.hash = "#players=4";
        await told;
    }
    const search = document.getElementById("atlas-search");
    search.value = "";
    search.dispatchEvent(new Event("input"));
    delete document.documentElement.dataset.theme;
    for (const chapter of document.querySelectorAll("details.chapter")) chapter.open = true;
    document.activeElement.blur();
    scrollTo(0, 0);
}"""


def address(page) -> str:
    return page.evaluate("location.hash")


def square(page, i: int, j: int) -> tuple[float, float]:
    """Where the middle of the square of two variants is, in a matrix sorted by name."""
    x, y = page.evaluate(
        """([row, column]) => {
            const box = document.getElementById("atlas-chart");
            box.scrollIntoView({ block: "start" });
            const at = echarts.getInstanceByDom(box).convertToPixel({ seriesIndex: 0 }, [column, row]);
            const { left, top } = box.getBoundingClientRect();
            return [left + at[0], top + at[1]];
        }""",
        [i, j],
    )
    return x, y


def row_of(report, index: int) -> int:
    """Where a variant stands in a matrix sorted by name."""
    return sorted(variant["name"] for variant in report.atlas["variants"]).index(
        report.atlas["variants"][index]["name"]
    )


def verdict(report, players: int, i: int, j: int) -> str:
    return VERDICT_CODES[report.atlas["overall"][players][place(i, j, COUNT)]]


def go(page, fragment: str) -> None:
    page.evaluate("fragment => { location.hash = fragment }", fragment)
    page.wait_for_function("fragment => location.hash === '#' + fragment", arg=fragment)


def words(text: str) -> str:
    return " ".join(text.split())


def rows(page) -> list[list[str]]:
    return page.locator("#atlas-list tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
    )


def test_a_click_on_a_square_opens_what_is_known_of_the_pair(page, report):
    page.mouse.click(*square(page, row_of(report, 4), row_of(report, 1)))
    assert page.locator("#panel-title").inner_text() == "Bureaucrats + Espionage"
    assert address(page) == "#pair=v1+v4&players=4&metric=verdict&strength=all"
    panel = page.locator("#panel").inner_text()
    k = place(1, 4, COUNT)
    views = [view for view in report.atlas["views"] if view["players"] == 4]
    for view in views:
        assert f"{VERDICT_CODES[view['verdicts'][k]]} for {view['strength']} (450 games)" in panel
        for reason in view["reasons"][k]:
            assert reason in panel
    assert "The rule of Espionage." in panel
    assert "Below: skilled play." in panel, "what decides is shown, until another strength is chosen"
    view = next(view for view in views if view["lineup"] == "mirror:learned")
    assert view["replays"][k] in panel
    assert f"@report/cell cell={view['cells'][k]}" in panel
    together = view["interactions"]
    assert f"{math.exp(together['length']['values'][k] / SCALE):.2f} times" in panel
    assert f"+{100 * together['stalled']['values'][k] / SCALE:.1f} points" in panel
    told = page.locator("#panel .chart").first.get_attribute("aria-label")
    first = view["lengths"][k]
    assert f"with: 1–5 rounds {round(100 * first[0] / sum(first), 2):g}%" in told
    assert page.locator("#panel .chart svg").count() == 2, "lengths and strategies are drawn"
    assert page.evaluate("document.activeElement.id") == "panel-title"
    assert verdict(report, 4, 1, 4) in page.locator("#said").text_content()


def test_pointing_at_a_square_tells_its_number_and_interval(page, report):
    page.select_option("#atlas-metric", "stalls")
    page.mouse.move(*square(page, row_of(report, 2), row_of(report, 0)))
    tip = page.locator("body > div", has_text="95%:").last
    tip.wait_for()
    found = report.atlas["views"][5]["values"]["stalls"]
    k = place(0, 2, COUNT)
    low, high = found["lows"][k] / SCALE, found["highs"][k] / SCALE
    told = [printed(x, "share") for x in (found["values"][k] / SCALE, low, high)]
    assert "Stalled games: {} (95%: {} to {})".format(*told) in tip.inner_text()
    assert "Anarchy + Cold War" in tip.inner_text()


def test_metric_players_and_strength_change_what_is_shown_and_the_address(page, report):
    page.click("#as-list")
    page.select_option("#atlas-metric", "length")
    assert page.input_value("#atlas-strength") == "mirror:learned", "a number stands for one strength of play"
    page.select_option("#atlas-players", "2")
    assert address(page) == "#players=2&metric=length&strength=mirror%3Alearned&as=list"
    view = report.atlas["views"][1]
    assert (view["players"], view["lineup"]) == (2, "mirror:learned")
    named = {variant["name"]: index for index, variant in enumerate(report.atlas["variants"])}
    shown = rows(page)
    assert len(shown) == COUNT * (COUNT - 1) // 2
    for title, found, value, interval, games in shown:
        k = place(*(named[name] for name in title.split(" + ")), COUNT)
        column = view["values"]["length"]
        assert found == VERDICT_CODES[view["verdicts"][k]]
        assert value == printed(column["values"][k] / SCALE, "integer")
        ends = [printed(end / SCALE, "integer") for end in (column["lows"][k], column["highs"][k])]
        assert interval == " to ".join(ends)
        assert games == "450"


@pytest.mark.parametrize("kind", ["share", "number", "integer"])
def test_numbers_are_printed_as_everywhere_else(page, kind):
    """The panel rounds in the browser; it must come out as `printed` does, halves and ends included."""
    tried = [
        0,
        1,
        0.5,
        1.5,
        2.5,
        0.125,
        0.375,
        0.105,
        0.0125,
        0.0135,
        0.1,
        0.9,
        0.9005,
        0.99995,
        2.675,
        1234.5,
        99.995,
        100.5,
    ]
    told = page.evaluate("([kind, tried]) => tried.map((x) => page.written(kind, x))", [kind, tried])
    assert told == [printed(x, kind) for x in tried]


def test_filter_search_and_sort(page, report):
    page.click("#as-list")
    page.select_option("#atlas-show", "b")
    pairs = list(combinations(range(COUNT), 2))
    names = [variant["name"] for variant in report.atlas["variants"]]
    broken = {f"{names[i]} + {names[j]}" for i, j in pairs if verdict(report, 4, i, j) == "broken"}
    assert {row[0] for row in rows(page)} == broken
    page.fill("#atlas-search", "espion")
    assert {row[0] for row in rows(page)} == {title for title in broken if "Espionage" in title}
    page.select_option("#atlas-show", "any")
    page.fill("#atlas-search", "cold + gold")
    assert [row[0] for row in rows(page)] == ["Cold War + Gold Rush"]
    page.fill("#atlas-search", "")
    page.select_option("#atlas-sort", "broken")
    order = [row[1] for row in rows(page)]
    assert order == sorted(order, key=["broken", "undecided", "fine"].index)
    page.select_option("#atlas-metric", "money")
    page.select_option("#atlas-sort", "value")
    values = [float(row[2]) for row in rows(page)]
    assert values == sorted(values, reverse=True)
    page.click("#as-matrix")
    page.fill("#atlas-search", "espion")
    assert page.evaluate(f"{OPTION}.yAxis[0].data") == ["Espionage"]
    page.fill("#atlas-search", "nothing of that kind")
    assert page.locator("#atlas-none").is_visible()
    page.fill("#atlas-search", "")
    assert page.locator("#atlas-scroll").is_visible()
    assert len(page.evaluate(f"{OPTION}.yAxis[0].data")) == COUNT


def test_a_metric_and_back_leaves_the_strength_of_play_where_it_was(page):
    page.select_option("#atlas-metric", "length")
    assert page.input_value("#atlas-strength") == "mirror:learned"
    page.select_option("#atlas-metric", "verdict")
    assert page.input_value("#atlas-strength") == "all"
    page.select_option("#atlas-metric", "length")
    page.select_option("#atlas-strength", "field")
    page.select_option("#atlas-metric", "verdict")
    assert page.input_value("#atlas-strength") == "field", "what was chosen stays"


def test_every_pair_is_drawn_once(page):
    for search, pairs in (("", COUNT * (COUNT + 1) // 2), ("espion", COUNT), ("cold + gold", 3)):
        page.fill("#atlas-search", search)
        drawn = page.evaluate(f"{OPTION}.series[0].data.filter((one) => one.pair).map((one) => one.pair)")
        once = {tuple(sorted(pair)) for pair in drawn}
        assert len(drawn) == len(once) == pairs, search


def test_different_faults_have_different_colours_and_signs(page, report):
    legend = page.locator("#atlas-legend .key").all_inner_texts()
    told = dict(words(text).rsplit(" (", 1) for text in legend)
    views = {view["lineup"]: view for view in report.atlas["views"] if view["players"] == 4}
    for cause in ("Median length", "Stalled games"):
        count = 0
        for i, j in combinations(range(COUNT), 2):
            k = place(i, j, COUNT)
            first = next((view["causes"][k] for view in views.values() if view["causes"][k]), "")
            count += report.atlas["overall"][4][k] == "b" and first == cause
        shown = next(name for name in told if cause.lower() in name)
        assert (shown, told[shown]) == (f"{shown[0]} broken: {cause.lower()}", f"{count})")
    fills = page.locator("#atlas-legend .swatch").evaluate_all(
        "all => all.map((one) => getComputedStyle(one).backgroundColor)"
    )
    assert len(set(fills)) == len(fills) == 5


def test_the_list_gives_the_reason(page, report):
    page.click("#as-list")
    page.select_option("#atlas-show", "b")
    assert page.locator("#atlas-list thead th").all_inner_texts()[3] == "Why"
    assert {row[3] for row in rows(page)} == {"The median game lasts 21 rounds, accepted are 16 at most."}


def test_a_few_very_long_games_do_not_squeeze_the_lengths(page, tmp_path):
    report = handmade(8, (2,))
    counts = (500, 400, 99, *[0] * 4, 1)
    views = [view | {"lengths": [counts] * len(view["lengths"])} for view in report.atlas["views"]]
    target = tmp_path / "long.html"
    long = replace(report, atlas=report.atlas | {"views": views, "plain_lengths": [counts] * len(views)})
    target.write_text(render(long), encoding="utf-8")
    load(page, f"{target.as_uri()}#pair=v0+v1&players=2&strength=field")
    told = page.locator("#panel .chart").first.get_attribute("aria-label")
    assert "9–10 rounds 9.9%, 11 or more rounds 0.1%" in told, "and four empty classes are left out"
    page.asked.clear()
    page.goto("about:blank")


def test_chapters_open_by_key_by_link_and_for_paper(page, file):
    page.goto("about:blank")
    load(page, file.as_uri())
    opened = "[...document.querySelectorAll('details.chapter')].map((one) => one.open)"
    closed = page.evaluate(opened)
    assert closed.count(True) == 0
    assert len(closed) > 2
    page.locator("details.chapter > summary").first.focus()
    page.keyboard.press("Enter")
    assert page.evaluate(opened)[0]
    page.locator("nav.contents a[href='#length']").click()
    page.wait_for_function("() => document.querySelector('#length > details').open")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert all(page.evaluate(opened))
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(opened).count(True) == 2


@pytest.mark.parametrize("width", [1400, 1920])
def test_no_table_is_clipped_on_a_desk(tab, real, file, width):
    tab.set_viewport_size({"width": width, "height": 1000})
    load(tab, file.as_uri())
    assert tab.evaluate(CLIPPED) == [], "ten columns with intervals"
    load(tab, real.as_uri())
    assert tab.evaluate("document.documentElement.scrollHeight") < 4500, "chapters are closed"
    assert tab.evaluate(CLIPPED) == []


def test_one_screen_has_the_worst_the_most_bent_what_to_do_and_how_good_the_play_is(tab, file):
    tab.set_viewport_size({"width": 1400, "height": 900})
    load(tab, file.as_uri())
    tops = tab.evaluate("""() => [...document.querySelectorAll("#answer h2.sub")].map((one) =>
        [one.textContent, Math.round(one.getBoundingClientRect().bottom)])""")
    assert [title for title, _ in tops] == [
        "The worst",
        "The most bent",
        "What to do next",
        "How good the play is",
    ]
    assert tab.evaluate("document.querySelector('.answers').getBoundingClientRect().bottom") <= 900


@pytest.mark.parametrize("width", [800, 390])
def test_what_is_wider_than_a_small_screen_scrolls_in_its_box(tab, real, width):
    tab.set_viewport_size({"width": width, "height": 844})
    load(tab, real.as_uri())
    tab.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    lost = tab.evaluate(
        """() => [...document.querySelectorAll(".scroll, .overview, .drawing")].filter((box) =>
            box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX !== "auto").length"""
    )
    assert lost == 0


@pytest.mark.parametrize(
    ("figure", "said", "opened"),
    [
        ("length-ridges", r"^Unions: median \d+ \(\d+ to \d+\) rounds \(60 games\)$", "variant-unions"),
        ("item-values", r"^Flying Car, printed cost \d+: [+-].* to .*\) \([\d,]+ dealt\)$", "item-"),
        ("fingerprints", r"^Unions, length: [+-].* to .*\) \(60 games\)$", "variant-unions"),
        ("leader-by-round", r"^after round 3: 2 players \d.* to .*\d games\), 3 players .* games\)$", ""),
        (
            "action-mix-by-round",
            r"^round 1: speculate .* to .*\), invent .*, work .* \([\d,]+ choices\)$",
            "",
        ),
        ("win-rate-by-players", r"^greedy, 2 players: \d.* to .*\) \([\d,]+ seats\)$", ""),
    ],
)
def test_pointing_at_a_picture_shows_n_and_interval_and_a_click_opens(tab, real, figure, said, opened):
    tab.heard.clear()
    tab.set_viewport_size(DESK)
    if not tab.url.startswith(real.as_uri()):
        load(tab, real.as_uri())
    tab.evaluate("for (const one of document.querySelectorAll('details.chapter')) one.open = true")
    marks = tab.locator(f"figure[id^='figure-{figure}'] .mark")
    tips = marks.evaluate_all("all => all.map((one) => one.dataset.tip)")
    at = next((k for k, tip in enumerate(tips) if re.match(said, tip)), None)
    assert at is not None, tips[:5]
    marks.nth(at).hover(force=True)
    assert tab.locator("#tip").inner_text() == tips[at]
    if opened:
        marks.nth(at).click(force=True)
        tab.wait_for_function("name => location.hash.startsWith('#' + name)", arg=opened)
        target = tab.evaluate("location.hash.slice(1)")
        assert tab.locator(f"#{target}").is_visible()
        assert tab.evaluate("name => document.getElementById(name).closest('details').open", target)
    assert tab.heard == []


def test_a_picture_is_walked_with_the_keyboard_and_axe_finds_nothing(tab, real):
    tab.set_viewport_size(DESK)
    load(tab, real.as_uri())
    tab.evaluate("for (const one of document.querySelectorAll('details.chapter')) one.open = true")
    first = tab.locator("figure[id^='figure-length-ridges'] a.mark").first
    first.focus()
    assert tab.locator("#tip").inner_text() == first.get_attribute("data-tip")
    tab.keyboard.press("Enter")
    tab.wait_for_function("location.hash.startsWith('#variant-')")
    stops = "figure[id^='figure-fingerprints'] a.mark:not([tabindex])"
    assert tab.locator(stops).count() == 4, "one for each twist, not for each bar"
    for theme in ("light", "dark"):
        tab.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
        assert violations(tab) == []
    tab.evaluate("delete document.documentElement.dataset.theme")


def test_no_table_is_clipped_on_paper(tab, real, file):
    tab.set_viewport_size({"width": 688, "height": 1000})  # A4 without its margins
    tab.emulate_media(media="print")
    try:
        for page in (file, real):
            load(tab, page.as_uri())
            assert tab.evaluate(CLIPPED) == []
            assert tab.evaluate("document.documentElement.scrollWidth") <= 688
            assert tab.evaluate(BROKEN_WORDS) == []
    finally:
        tab.emulate_media(media="screen")


def violations(page):
    """Return the rules of axe-core that a page breaks, each with its first elements."""
    if os.environ.get("CI"):
        import axe_playwright_python as axe
    else:
        axe = pytest.importorskip("axe_playwright_python")
    script = next(Path(axe.__file__).parent.rglob("axe.min.js")).read_text("utf-8")
    page.evaluate(f"() => {{ {script} }}")
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [(one["id"], [node["html"][:120] for node in one["nodes"]][:3]) for one in found["violations"]]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("fragment", ["", "pair=v1+v2&players=4", "as=list"])
def test_axe_finds_nothing(page, theme, fragment):
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; page.themeChanged() }", theme)
    if fragment:
        go(page, fragment)
    assert violations(page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 800, 390])
def test_axe_finds_nothing_on_any_screen(page, width, theme):
    page.set_viewport_size({"width": width, "height": 844})
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; page.themeChanged() }", theme)
    assert violations(page) == []


def test_a_deep_link_opens_the_pair_and_back_and_forward_work(page, file, report):
    page.goto("about:blank")
    load(page, f"{file.as_uri()}#pair=v2+v3&players=3&metric=seat:0&strength=field")
    title = page.locator("#panel-title")
    assert title.inner_text() == "Cold War + Double Agents"
    framed = page.locator("#atlas-chart path[stroke-width='3']")
    framed.first.wait_for(state="attached")
    assert framed.count() == 1, "its square, and no other"
    assert page.input_value("#atlas-metric") == "seat:0"
    assert page.input_value("#atlas-players") == "3"
    assert page.evaluate("document.getElementById('atlas').getBoundingClientRect().top") < DESK["height"]
    go(page, "pair=v5&players=2")
    title.get_by_text("Factories alone").wait_for()
    page.click("#panel-close")
    assert not page.locator("#panel").is_visible()
    page.go_back()
    title.get_by_text("Factories alone").wait_for()
    assert page.input_value("#atlas-players") == "2"
    page.go_back()
    title.get_by_text("Cold War + Double Agents").wait_for()
    page.go_forward()
    title.get_by_text("Factories alone").wait_for()


def test_a_link_of_the_answer_opens_the_panel_and_escape_leads_back(page):
    link = page.locator("ol.worst a").first
    link.click()
    page.locator("#panel-title").get_by_text("Anarchy + Bureaucrats").wait_for()
    page.keyboard.press("Escape")
    assert not page.locator("#panel").is_visible()
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#pair=v0+v1&players=4"


def test_a_link_to_a_pair_that_is_not_here_says_so(page):
    go(page, "pair=v1+nobody&players=4")
    page.locator("#atlas-problem").get_by_text("This report does not know nobody.").wait_for()
    assert not page.locator("#panel").is_visible()


def test_the_matrix_can_be_walked_with_the_keyboard_and_is_spoken(page, report):
    page.focus("#as-list")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "atlas-chart", "the next stop"
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
    spoken = page.locator("#said").text_content()
    assert spoken == f"Bureaucrats + Double Agents, {verdict(report, 4, 1, 3)}"
    page.keyboard.press("Enter")
    assert page.locator("#panel-title").inner_text() == "Bureaucrats + Double Agents"
    assert page.evaluate("document.activeElement.id") == "panel-title"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "panel-close"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "atlas-chart"


def test_the_first_stop_of_the_keyboard_skips_to_the_answer_and_focus_is_seen(page, file):
    page.goto("about:blank")
    load(page, file.as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the answer"
    assert page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    page.keyboard.press("Tab")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_every_control_has_a_name(page):
    go(page, "pair=v1+v2&players=4")
    page.locator("#panel").wait_for()
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, select, input, a[href], [role=region], [role=img]")]
            .filter((e) => !(e.textContent.trim() || e.labels?.length || e.getAttribute("aria-label")
                || e.getAttribute("aria-labelledby")))
            .map((e) => e.outerHTML.slice(0, 90))"""
    )
    assert nameless == []
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))


def test_the_csv_holds_the_numbers_of_the_model(page, report):
    with page.expect_download() as waiting:
        page.click("#atlas-csv")
    assert waiting.value.suggested_filename == "atlas.csv"
    found = list(csv.DictReader(io.StringIO(waiting.value.path().read_text(encoding="utf-8"))))
    ids = [variant["id"] for variant in report.atlas["variants"]]
    expected = []
    for view in report.atlas["views"]:
        for i in range(COUNT):
            for j in range(i, COUNT):
                k = place(i, j, COUNT)
                line = {
                    "players": str(view["players"]),
                    "lineup": view["lineup"],
                    "strength": view["strength"],
                    "twist_1": ids[i],
                    "twist_2": "" if i == j else ids[j],
                    "games": "450",
                    "verdict": VERDICT_CODES[view["verdicts"][k]],
                }
                for metric, column in view["values"].items():
                    line[metric] = column["values"][k] / SCALE
                    line[f"{metric}_low"] = column["lows"][k] / SCALE
                    line[f"{metric}_high"] = column["highs"][k] / SCALE
                expected.append(line)
    assert len(found) == len(expected)
    for row, line in zip(found, expected, strict=True):
        assert {key: float(row[key]) if isinstance(v, float) else row[key] for key, v in line.items()} == line


def test_the_panel_as_a_picture(page, tmp_path):
    from PIL import Image

    go(page, "pair=v1+v2&players=4")
    page.locator("#panel").wait_for()
    with page.expect_download() as waiting:
        page.click("#panel-png")
    assert waiting.value.suggested_filename == "v1+v2-4p.png"
    with Image.open(waiting.value.path()) as picture:
        assert picture.format == "PNG"
        assert picture.width == 1800
        assert picture.height > 800
        colours = {c: n for n, c in picture.convert("RGB").getcolors(1 << 24)}
    assert max(colours, key=colours.get) == (255, 255, 255)
    assert colours.get((0, 114, 178), 0) > 2000, "the bars of the lengths are there"


@pytest.mark.parametrize("fragment", ["", "pair=v1+v2&players=4", "metric=length&as=matrix"])
def test_on_a_phone_the_page_never_scrolls_sideways(page, fragment):
    page.set_viewport_size(PHONE)
    if fragment:
        go(page, fragment)
    width, seen = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert width <= seen
    counts = page.locator(".overview")
    assert counts.evaluate("one => one.scrollWidth - one.clientWidth") <= 0, "all four counts are seen"
    assert page.locator("#atlas-list").is_visible() == ("as=matrix" not in fragment)
    if "pair" in fragment:
        box = page.locator("#panel").bounding_box()
        assert (box["x"], box["width"]) == (0, PHONE["width"])
        inside, outer = page.evaluate("[document.getElementById('panel').scrollWidth, innerWidth]")
        assert inside <= outer


def test_light_and_dark_change_places_and_are_remembered(page):
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.click("#theme")
    assert page.evaluate(ground) == "rgb(20, 24, 31)"
    assert page.evaluate(f"{OPTION}.xAxis[0].axisLabel.color") == "rgb(230, 233, 238)", "the matrix follows"
    page.reload()
    assert page.evaluate(ground) == "rgb(20, 24, 31)"
    page.click("#theme")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.evaluate("localStorage.clear()")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_stand_out_from_their_ground(page, theme):
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    weak = page.evaluate(
        """() => {
            const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
            const light = (colour) => {
                const linear = (x) => (x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
                const [r, g, b] = parts(colour).map((x) => linear(x / 255));
                return .2126 * r + .7152 * g + .0722 * b;
            };
            const ground = (e) => {
                for (; e; e = e.parentElement) {
                    const colour = getComputedStyle(e).backgroundColor;
                    if (parts(colour)[3] !== 0) return colour;
                }
            };
            const found = new Map();
            for (const e of document.querySelectorAll("main :not([aria-hidden])")) {
                const says = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
                if (!says || !e.checkVisibility()) continue;
                const [a, b] = [light(getComputedStyle(e).color), light(ground(e))];
                const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
                if (contrast < 4.5) found.set(`${e.tagName}.${e.className}`, contrast);
            }
            return [...found];
        }"""
    )
    assert weak == []


def test_tables_sort_search_and_unfold(page):
    table = page.locator("#table-ranking table")
    page.locator("#table-ranking th button", has_text="Value").click()
    assert table.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"
    page.locator("#table-ranking th button", has_text="Value").click()
    values = table.locator("tbody tr").evaluate_all("rows => rows.map((row) => row.cells[2].dataset.v)")
    numbers = [float(value) for value in values[:-1]]
    assert values[-1] == "none", "what is unknown stays last"
    assert numbers == sorted(numbers, reverse=True)
    assert table.locator("tbody tr:visible").count() == 12
    page.locator("#table-ranking .more").click()
    assert table.locator("tbody tr:visible").count() == 20
    page.fill("#table-ranking .seek", "gold")
    assert table.locator("tbody tr:visible").count() == 2


def test_terms_are_explained_on_hover_and_on_focus(page):
    tip = page.locator("#tip")
    term = page.locator("a.term").first
    term.hover()
    assert tip.inner_text() == "Share of wins times players; 1 is fair."
    page.mouse.move(5, 5)
    assert not tip.is_visible()
    term.focus()
    assert tip.is_visible()
    assert term.get_attribute("aria-describedby") == "tip"
    page.keyboard.press("Escape")
    assert not tip.is_visible()


def test_queries_are_copied_whole(page, report):
    block = page.locator("#table-ranking")
    block.locator("summary").click()
    block.locator("button.copy").click()
    block.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == report.sections[0].blocks[1].source.sql


def test_contents_follow_along(page):
    page.locator("nav.contents a[aria-current]", has_text="The answer").wait_for()
    page.evaluate("document.getElementById('length').scrollIntoView()")
    page.locator("nav.contents a[aria-current]", has_text="Game length").wait_for()


def test_on_paper_there_are_no_controls_and_the_ground_is_white(page):
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.emulate_media(media="print")
    orange = "#atlas-chart path[fill='rgb(213, 94, 0)']"
    found = page.evaluate(
        """orange => {
        dispatchEvent(new Event("beforeprint"));
        return document.querySelectorAll(orange).length;
    }""",
        orange,
    )
    assert found > 5, "broken ones in the orange of the light page, drawn at once"
    try:
        assert not page.locator("nav.contents").is_visible()
        assert not page.locator("#atlas-form").is_visible()
        assert page.locator("#atlas-chart").is_visible()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    finally:
        page.emulate_media(media="screen")
        page.evaluate("dispatchEvent(new Event('afterprint'))")


def test_the_page_forbids_itself_the_network_and_foreign_scripts(page):
    blocked = page.evaluate(
        """async () => {
            const blocked = [];
            const note = (event) => blocked.push(event.effectiveDirective);
            document.addEventListener("securitypolicyviolation", note);
            await fetch("https://example.invalid/").catch(() => {});
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            document.body.append(script);
            const image = new Image();
            image.src = "https://example.invalid/x.png";
            await new Promise((done) => { image.onerror = done; });
            return [...blocked.sort(), window.ran ?? false];
        }"""
    )
    assert blocked == ["connect-src", "img-src", "script-src-elem", False]
    assert all("Content Security Policy" in said for said in page.heard)
    page.heard.clear()
    page.asked.clear()  # the driver reports what was tried; the policy did not let it out


def test_hostile_text_does_nothing_in_a_browser(page, tmp_path):
    target = tmp_path / "hostile.html"
    target.write_text(render(handmade(8, (2, 4), HOSTILE)), encoding="utf-8")
    load(page, f"{target.as_uri()}#pair=v0+v1&players=4")
    assert words(page.locator("#panel-title").text_content()) == words(f"Anarchy + {HOSTILE}")
    page.mouse.move(*square(page, 0, 0))
    assert page.evaluate("document.querySelectorAll('script').length") == 5
    assert set(page.asked) == {target.as_uri()}
    page.asked.clear()


@pytest.mark.parametrize("kind", ["space", "pair", "item", "tiny_space"])
def test_reports_of_real_runs_open_without_a_word(tab, request, kind, tmp_path):
    report = request.getfixturevalue(kind)
    target = tmp_path / f"{kind}.html"
    target.write_text(render(report), encoding="utf-8")
    tab.heard.clear()
    tab.asked.clear()
    for size in (DESK, PHONE):
        tab.set_viewport_size(size)
        load(tab, target.as_uri())
        assert tab.locator("h1").inner_text() == report.title
        width, seen = tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert width <= seen
        for number in range(len(report.atlas["variants"]) if report.atlas else 0):
            ids = [variant["id"] for variant in report.atlas["variants"]][: 1 + number : max(1, number)]
            go(tab, f"pair={'+'.join(ids[:2] if report.atlas['pairs'] else ids[:1])}&players=2")
            tab.locator("#panel-title").wait_for()
            reasons = [view["reasons"][0] for view in report.atlas["views"] if view["players"] == 2]
            if number == 0:
                for reason in (one for several in reasons for one in several):
                    assert reason in tab.locator("#panel").inner_text()
    assert tab.heard == []
    assert set(tab.asked) == {target.as_uri()}

"""Measurements that ship as data: written, read, refused, and stale when what they measured has changed."""

import importlib.util
import json
import re
import sys
from dataclasses import replace

import pytest

from balance import games
from balance.errors import DataError
from balance.experiments.ladder import request
from balance.experiments.published import (
    CONTESTED_FILE,
    PublishedLadder,
    ladder_document,
    measured_doubts,
    measured_ladders,
    measured_prices,
    stamp,
)
from tests.games import tiny
from tests.games.tiny import Tiny

GAME = Tiny()
CATALOG = GAME.load_catalog()
NEFARIOUS = games.get("nefarious")


def loaded(checkout, name):
    spec = importlib.util.spec_from_file_location(name.removesuffix(".py"), checkout / "scripts" / name)
    script = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = script  # dataclasses look their module up
    spec.loader.exec_module(script)
    return script


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    with games.registered(GAME):
        found = request(game="tiny", players=2, games_per_match=60, seed=3).play().rungs
    file = tmp_path_factory.mktemp("data") / "ladder.json"
    text = ladder_document(
        GAME, CATALOG, 3, 60, [PublishedLadder(2, "none", "balance ladder ...", tuple(found))]
    )
    file.write_text(text, encoding="utf-8")
    return file, found


def test_what_was_written_is_read(written):
    file, found = written
    strength = measured_ladders(GAME, file)
    assert strength.ladders[0].figures == tuple(found)
    assert (strength.seed, strength.games, strength.stale_today(GAME)) == (3, 60, ())


def test_it_is_stale_when_play_policies_or_catalog_are_others(written):
    class Faster(Tiny):
        def engine_hash(self):
            return "another"

    class Otherwise(Tiny):
        facts = replace(Tiny.facts, fixed_games="another")

    class Retuned(Tiny):
        def policies_hash(self, catalog):
            return "another"

        def policies_text(self, catalog):
            return ""

        def with_policies(self, catalog, path):
            return catalog

    class Reprinted(Tiny):
        def load_catalog(self, overlays=()):
            catalog = super().load_catalog(overlays)
            return type(catalog)(catalog.moods, catalog.charms, catalog.editions, "9")

    found = measured_ladders(GAME, written[0])
    assert found.stale_today(Faster()) == ()
    assert found.stale_today(Otherwise()) == ("play",)
    assert found.stale_today(Retuned()) == ("policies",)
    assert found.stale_today(Reprinted()) == ("catalog",)


def test_none_yet(tmp_path):
    assert measured_ladders(GAME, tmp_path / "ladder.json") is None


@pytest.mark.parametrize("change", ["{", {"version": 1}, {"game": "chess"}, {"ladders": [{}]}, {"seed": "x"}])
def test_a_damaged_file_is_a_clear_error(written, tmp_path, change):
    text = written[0].read_text()
    bad = tmp_path / "ladder.json"
    bad.write_text(change if isinstance(change, str) else json.dumps(json.loads(text) | change))
    with pytest.raises(DataError, match=r"ladder\.json: not a ladder"):
        measured_ladders(GAME, bad)


def test_the_script_measures_all_player_counts(checkout, tmp_path, monkeypatch):
    script = loaded(checkout, "measure_ladder.py")
    out, kept = tmp_path / "ladder.json", tmp_path / "kept.json"
    arguments = ["x", "--of", "tiny", "--games", "30", "--out", str(out), "--kept", str(kept)]
    monkeypatch.setattr("sys.argv", arguments)
    with games.registered(tiny.GAME):
        assert script.main() == 0
    strength = measured_ladders(GAME, out)
    assert [(s.players, s.variants) for s in strength.ladders] == [
        (2, "none"), (2, "sample"), (3, "none"), (3, "sample")
    ]  # fmt: skip
    assert strength.ladders[1].command == (
        "balance ladder --players 2 --moods sample --policies random,thrifty --games 30"
    )
    # what was measured before it was stopped is not played again
    document = json.loads(kept.read_text())
    marked = dict(document["ladders"][0]["figures"][0], value=7.0)
    document["ladders"] = [document["ladders"][0] | {"figures": [marked]}]
    kept.write_text(json.dumps(document))
    with games.registered(tiny.GAME):
        assert script.main() == 0
    again = measured_ladders(GAME, out).ladders
    assert [figure.value for figure in again[0].figures] == [7.0]
    assert again[1:] == strength.ladders[1:]


def test_whatever_ships_is_of_the_present_players_and_cards(checkout):
    """Make what is named here again with `make measure`."""
    now = stamp(NEFARIOUS, NEFARIOUS.load_catalog())
    shipped = sorted((checkout / "data" / "nefarious").glob("*.json"))
    assert [file.name for file in shipped if json.loads(file.read_text("utf-8")).get("stamp") != now] == []
    measured = (checkout / "Makefile").read_text("utf-8").partition("\nmeasure:")[2].partition("\n\n")[0]
    assert [file.name for file in shipped if file.stem not in measured] == []
    assert {file.stem for file in shipped} >= {"contested", "ladder", "players", "prices"}


def test_what_was_in_doubt_when_it_was_measured_still_is():
    found = measured_doubts(NEFARIOUS)
    now = stamp(NEFARIOUS, NEFARIOUS.load_catalog())
    assert found.stale(now | {"catalog": "another"}) == ("catalog",)
    doubts = NEFARIOUS.doubts(NEFARIOUS.load_catalog(), found.edition)
    assert f" of {len(doubts)} entries in doubt have another reading" in found.sentences[1]
    assert found.command == (
        "balance contested --edition ascora-2011 --players 4 --games 2000 --combinations 12 --seed 0"
    )
    assert measured_doubts(GAME) is None


def test_pages_quote_what_was_measured(checkout, request):
    """`--update-goldens` writes the sentences of the files into the pages."""
    doubts, prices = measured_doubts(NEFARIOUS), measured_prices(NEFARIOUS)
    assert prices.command == (
        "balance price --players 4 --games 20000 --seed 0 --edition ascora-2011 --lineup mirror:learned"
    )
    for name, sentences in (("contested", doubts.sentences), ("price", prices.sentences)):
        page = checkout / "docs" / "commands" / f"{name}.md"
        head, rest = re.split(r"(?<=makes it again\.\n\n)", page.read_text("utf-8"))
        quoted = "".join(f"- {said}\n" for said in sentences)
        if request.config.getoption("--update-goldens"):
            rest = quoted + re.sub(r"\A(- .*\n)+", "", rest)
            page.write_text(head + rest, encoding="utf-8")
        assert rest.startswith(quoted + "\n")


def test_the_page_of_the_policies_quotes_what_was_measured(checkout):
    script = loaded(checkout, "measure_players.py")
    measured = json.loads((checkout / "data" / "nefarious" / script.PLAYERS_FILE).read_text("utf-8"))
    page = (checkout / "docs" / "policies.md").read_text("utf-8")
    assert script.page(measured) in page
    assert script.moved_page(measured) in page
    assert all(part in page for part in measured["not_run"])


def test_the_ladder_on_the_page_of_the_policies_is_the_one_that_ships(checkout, request):
    shown = {}
    for ladder in measured_ladders(NEFARIOUS).ladders:
        if ladder.players == 4:
            mixed = [one for one in ladder.figures if one.measure == "mixed"]
            shown[ladder.variants] = {
                one.policy: f"{one.value:.2f} ({one.low:.2f} to {one.high:.2f})" for one in mixed
            }
    rows = [f"| {name} | {shown['none'][name]} | {shown['sample'][name]} |\n" for name in shown["none"]]
    page = checkout / "docs" / "policies.md"
    head, rest = re.split(r"(?<=\| 60 pairs of twists \|\n\|---\|---\|---\|\n)", page.read_text("utf-8"))
    if request.config.getoption("--update-goldens"):
        rest = "".join(rows) + re.sub(r"\A(\| .*\n)+", "", rest)
        page.write_text(head + rest, encoding="utf-8")
    assert rest.startswith("".join(rows) + "\n")


def test_other_contested_files_are_refused(checkout, tmp_path):
    content = json.loads((checkout / "data" / "nefarious" / CONTESTED_FILE).read_text("utf-8"))
    file = tmp_path / CONTESTED_FILE
    file.write_text(json.dumps(content | {"game": "chess"}))
    with pytest.raises(DataError, match="of nefarious, but of chess"):
        measured_doubts(NEFARIOUS, file)
    file.write_text('{"game": "nefarious"}')
    with pytest.raises(DataError, match="not the output of `balance contested --json`"):
        measured_doubts(NEFARIOUS, file)

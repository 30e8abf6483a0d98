"""The ladder that ships as data: written, read, and stale when what it measured has changed."""

import importlib.util
import json

import pytest

from balance import games
from balance.analysis.ladder import plan
from balance.analysis.strength import Standing, document, measured_strength
from balance.errors import DataError
from tests.games import tiny
from tests.games.tiny import Tiny

GAME = Tiny()
CATALOG = GAME.load_catalog()


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    cells = [GAME.compile(CATALOG, "classic", 2)]
    found = plan(GAME, GAME.facts.policies, 2, cells, 60).play(GAME, 3)
    file = tmp_path_factory.mktemp("data") / "ladder.json"
    text = document(GAME, CATALOG, 3, 60, [Standing(2, "none", "balance ladder ...", tuple(found))])
    file.write_text(text, encoding="utf-8")
    return file, found


def test_what_was_written_is_read(written):
    file, found = written
    strength = measured_strength(GAME, file)
    assert strength.ladders[0].figures == tuple(found)
    assert (strength.seed, strength.games, strength.stale) == (3, 60, ())
    assert strength.figure(2, "none", "one", "random", "thrifty").value < 1
    with pytest.raises(KeyError):
        strength.figure(3, "none", "one", "random", "thrifty")


def test_it_is_stale_when_engine_policies_or_catalog_are_others(written):
    class Faster(Tiny):
        def engine_hash(self):
            return "another"

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

    assert measured_strength(Faster(), written[0]).stale == ("engine",)
    assert measured_strength(Retuned(), written[0]).stale == ("policies",)
    assert measured_strength(Reprinted(), written[0]).stale == ("catalog",)


def test_none_yet(tmp_path):
    assert measured_strength(GAME, tmp_path / "ladder.json") is None


@pytest.mark.parametrize("change", ["{", {"version": 2}, {"game": "chess"}, {"ladders": [{}]}, {"seed": "x"}])
def test_a_damaged_file_is_a_clear_error(written, tmp_path, change):
    text = written[0].read_text()
    bad = tmp_path / "ladder.json"
    bad.write_text(change if isinstance(change, str) else json.dumps(json.loads(text) | change))
    with pytest.raises(DataError, match=r"ladder\.json: not a ladder"):
        measured_strength(GAME, bad)


def test_the_script_measures_all_player_counts(checkout, tmp_path, monkeypatch):
    games.register(tiny.GAME)
    spec = importlib.util.spec_from_file_location("script", checkout / "scripts" / "measure_ladder.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    out = tmp_path / "ladder.json"
    monkeypatch.setattr("sys.argv", ["x", "--of", "tiny", "--games", "30", "--out", str(out)])
    assert script.main() == 0
    strength = measured_strength(GAME, out)
    assert [(s.players, s.variants) for s in strength.ladders] == [
        (2, "none"), (2, "sample"), (3, "none"), (3, "sample")
    ]  # fmt: skip
    assert strength.ladders[1].command == (
        "balance ladder --players 2 --moods sample --policies random,thrifty --games 30"
    )

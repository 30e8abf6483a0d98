"""The recipes of docs/how-to/change-a-card.md, from the TOML to what is printed, with few games."""

import json
import re
import shlex
import shutil
import tomllib

import numpy as np
import pytest

from balance import games
from balance.cli.app import run
from balance.games.lineup import parse_lineup
from tests.test_tutorial import played

PAGE = "docs/how-to/change-a-card.md"
NEFARIOUS = games.get("nefarious")
FEW = ["--games", "40", "--fail-on", "none", "--json"]


@pytest.fixture
def recipes(checkout, tmp_path, monkeypatch):
    """A folder with copies of the recipes, to work in."""
    monkeypatch.chdir(tmp_path)
    for file in (checkout / "docs" / "recipes").glob("*.toml"):
        shutil.copy(file, tmp_path)
    return tmp_path


@pytest.fixture
def page(checkout):
    return (checkout / PAGE).read_text("utf-8")


def commands(page):
    """Return every command line of the page."""
    blocks = re.findall(r"```sh\n(.*?)```", page, re.S)
    return [shlex.split(line)[1:] for block in blocks for line in block.splitlines()]


def call(capfd, *args):
    code = run(list(args))
    out, err = capfd.readouterr()
    assert code == 0, err
    return out


def compared(capfd, page, name, *instead):
    """Run the comparison of the page that names a file or an edition, with few games or other options."""
    (args,) = [args for args in commands(page) if args[0] == "compare" and name in args]
    return json.loads(call(capfd, *args[:5], *FEW, *(instead or args[5:])))


def test_every_file_is_on_the_page_and_every_one_is_shown_as_it_is(page, recipes):
    shown = [tomllib.loads(text) for text in re.findall(r"```toml\n(.*?)```", page, re.S)]
    files = sorted(recipes.glob("*.toml"))
    assert len(files) == len(shown) == 5
    for file in files:
        assert f"(../recipes/{file.name})" in page
        content = tomllib.loads(file.read_text("utf-8"))
        for entries in content.values():
            for entry in entries:
                entry.pop("note", None)
        assert content in shown
    assert run(["catalog", "validate", *(file.name for file in files)]) == 0


def test_the_commands_of_the_page_are_those_that_are_tested(page):
    assert [(args[0], args[1]) for args in commands(page)] == [
        ("compare", "official"),
        ("compare", "official"),
        ("compare", "official"),
        ("tune", "--catalog"),
        ("check", "evening-classes"),
        ("compare", "ascora-2011"),
    ]


def test_every_command_prints_what_the_page_shows(capfd, page, recipes, checkout, monkeypatch, request):
    """`make test-update` writes the block anew."""
    monkeypatch.setenv("COLUMNS", "80")
    found = played(page, "", capfd)
    if request.config.getoption("--update-goldens"):
        (checkout / PAGE).write_text(found, encoding="utf-8")
        page = found
    assert found == page
    assert "- Length: Science Marathon, 4 players" in found
    assert ": Grants and Activists + Unions (ascora-2011)" in found


def test_a_card_costs_one_less(capfd, page, recipes):
    found = compared(capfd, page, "card-cost.toml", "--twists", "unions,geeks", "--twists", "grants,unions")
    assert [(one["id"], one["old"], one["new"]) for one in found["differences"]] == [("46", 13, 12)]
    assert found["combinations"] == 3


def test_a_number_of_a_twist(capfd, page, recipes):
    found = compared(capfd, page, "twist-number.toml")
    assert found["combinations"] == 36  # alone, and with each of the others
    assert {"science-marathon"} <= set.intersection(
        *(set(c["variants"]) for c in found["changes"] if c["variants"])
    )
    shorter = [c for c in found["changes"] if (c["level"], c["metric"]) == ("all", "mean_length")]
    assert shorter[0]["high"] < 0
    assert found["uncompared"][-1]["count"] == 631


def test_a_card_taken_out(capfd, page, recipes):
    found = compared(capfd, page, "card-removed.toml")
    assert found["combinations"] == 37
    assert [one["change"] for one in found["differences"]] == ["removed"]


def test_edition_against_edition(capfd, page, recipes):
    found = compared(capfd, page, "magellan-2014", "--twists", "pairs", "--games", "1")
    assert found["combinations"] == 561 + 1
    assert [(one["count"], one["named"]) for one in found["uncompared"]] == [
        (69, ["mad-broker", "overpopulation"]),
        (69, ["academics", "focus-groups"]),
    ]


def test_a_twist_of_your_own_is_tuned_for_and_judged(capfd, page, recipes):
    tune, check = (next(args for args in commands(page) if args[0] == name) for name in ("tune", "check"))
    pytest.importorskip("torch")
    call(capfd, *tune, "--budget", "2000")
    found = json.loads(call(capfd, *check, "--fail-on", "none", "--json"))
    assert found["variants"] == ["evening-classes", "unions"]
    (hand,) = [
        one for one in found["interactions"] if (one["lineup"], one["measure"]) == ("mirror:learned", "hand")
    ]
    assert hand["value"] > 0
    assert hand["adjusted"] < 0.05


def test_two_twists_in_one_play_as_both_do(recipes):
    catalog = NEFARIOUS.load_catalog(["two-in-one.toml"])
    indices = np.arange(60)
    lineup = parse_lineup("mirror:greedy", 4, NEFARIOUS)
    played = []
    for names in (["grants-and-activists"], ["grants", "animal-rights-activists"]):
        cell = NEFARIOUS.compile(catalog, "ascora-2011", 4, names)
        played.append(NEFARIOUS.play(cell, 3, indices, lineup.seated(3, indices)))
    for table in ("games", "seats", "builds"):
        assert played[0][table].keys() == played[1][table].keys() != set()
        for name, values in played[0][table].items():
            assert np.array_equal(values, played[1][table][name]), (table, name)

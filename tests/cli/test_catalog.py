"""`balance catalog`, as a user calls it."""

import csv
import io
import json
import re
import subprocess
import sys
import tomllib

import pytest

from balance.text_columns import text_width

CUSTOM = "tests/data/custom_twists.toml"


@pytest.fixture
def catalog(command, checkout):
    """Run `balance catalog ARGS`, which must succeed without a word on stderr, and return its output."""

    def run(*args):
        done = command("catalog", *args, cwd=checkout)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return run


@pytest.fixture
def own_twists(checkout):
    """Return the ids of the twists of the overlay, in the order of the file."""
    return [twist["id"] for twist in tomllib.loads((checkout / CUSTOM).read_text("utf-8"))["twist"]]


@pytest.fixture
def refused(command, checkout):
    """Run `balance catalog ARGS`, which must end in exit code 2, and return the lines on stderr."""

    def run(*args):
        done = command("catalog", *args, cwd=checkout)
        assert done.returncode == 2, done
        assert "Traceback" not in done.stderr
        return done.stderr.splitlines()

    return run


@pytest.fixture
def overlay(tmp_path):
    def write(text, name="mine.toml"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return write


# --- list


@pytest.mark.parametrize(("kind", "count"), [("twists", 38), ("inventions", 64), ("editions", 3)])
def test_list_shows_all_of_a_kind(catalog, kind, count):
    assert len(json.loads(catalog("list", kind, "--json"))) == count


@pytest.mark.parametrize("kind", ["twists", "inventions", "editions"])
def test_tables_fit_80_columns(catalog, kind):
    lines = catalog("list", kind).splitlines()
    assert max(map(text_width, lines)) <= 80
    assert lines[0].startswith("id")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["list", "twist"], "did you mean 'twists'?"),
        (["list", "twists", "--of", "nefarous"], "did you mean 'nefarious'?"),
        (["list", "twists", "--game", "dice"], "--of NAME names the game"),
        (["list", "twists", "--catalog", "nowhere.toml"], "nowhere.toml: no such file"),
        (["show", "Rigged Investment"], "did you mean 'Rigged Investments'"),
        (["show", ""], "unknown invention, twist or edition ''"),
        (["show", "46", "--format", "csv"], "json can"),
        (["diff", "official", "oficial"], "oficial: no such file"),
    ],
)
def test_what_is_wrong_is_told_with_what_would_be_right(refused, args, message):
    assert message in refused(*args)[0]


def test_csv_into_head_is_clean(checkout):
    command = f"'{sys.executable}' -m balance catalog list inventions --format csv | head -3"
    done = subprocess.run(["bash", "-c", command], capture_output=True, encoding="utf-8", cwd=checkout)
    assert done.stderr == ""
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["id"], row["name"], row["cost"]) for row in rows] == [
        ("1", "Concentrated Brain Juice", "4"),
        ("2", "Virus", "5"),
    ]


def test_an_overlay_is_listed_too(catalog, own_twists):
    rows = json.loads(catalog("list", "twists", "--catalog", CUSTOM, "--json"))
    assert [row["id"] for row in rows[38:]] == own_twists
    rules = {row["id"]: row["rule"] for row in rows}
    assert rules["custom-endless-ambition"] == "The goal is 999 VP (normally 20)."


# --- show


def test_show_explains_a_twist_for_each_edition_where_they_differ(catalog, golden):
    golden("catalog-show-rigged.txt", catalog("show", "Rigged Investments"))


def test_show_explains_a_contested_card(catalog, golden):
    golden("catalog-show-nanobots.txt", catalog("show", "Nanobots"))


def test_show_explains_an_edition_with_its_own_words(catalog, golden):
    text = catalog("show", "mosigra-2020")
    assert max(map(text_width, text.splitlines())) <= 80
    golden("catalog-show-mosigra.txt", text)


@pytest.mark.parametrize("name", ["grants", "GRANTS", "гранты", "Гранты"])
def test_show_takes_ids_and_names_in_any_case(catalog, name):
    assert catalog("show", name).startswith("Grants (Гранты), twist grants\n")


def test_show_says_where_a_twist_is_used(catalog):
    text = " ".join(catalog("show", "mad-broker").split())
    assert "In 1 of 3 editions: ascora-2011." in text
    assert "Never meets academics, focus-groups: no edition has both." in text
    assert "inferred: only a printed note is known" in text


def test_every_entry_can_be_shown_in_80_columns():
    from balance.cli.catalog import _text
    from balance.games import get

    game = get("nefarious")
    official = game.load_catalog()
    ids = [str(row["id"]) for kind in game.kinds for row in game.rows(official, kind)]
    entries = [entry for id_ in ids for entry in game.find(official, id_)]
    assert len(entries) >= 64 + 38 + 3
    for entry in entries:
        text = _text(game.describe(official, entry))
        assert max(map(text_width, text.splitlines())) <= 80


def test_show_as_data(catalog):
    data = json.loads(catalog("show", "Rigged Investments", "--json"))
    assert (data["kind"], data["id"], data["confidence"]) == ("twist", "rigged-investments", "official")
    assert list(data["rule"]) == ["ascora-2011", "magellan-2014", "mosigra-2020"]


def test_a_name_that_two_kinds_share_shows_both(catalog, overlay):
    file = overlay('[[twist]]\nid = "virus"\nname = "Virus"\neditions = ["ascora-2011"]\n')
    text = catalog("show", "virus", "--catalog", file)
    assert "Virus (Вирус), invention 2" in text
    assert "Virus, twist virus" in text


# --- validate


def test_validate_says_ok_and_counts(catalog, overlay, own_twists):
    file = overlay('[[twist]]\nid = "unions"\nremove = true\n[[invention]]\nid = 1\ncost = 9\nvp = 9\n')
    rows = json.loads(catalog("validate", CUSTOM, file, "--json"))
    assert [list(row.values()) for row in rows] == [
        [CUSTOM, "ok", len(own_twists), 0, 0],
        [file, "ok", 0, 1, 1],
    ]


def test_five_mistakes_print_five_lines_and_exit_2(refused, overlay):
    file = overlay(
        """
        [[invention]]
        id = 1001
        name = "<b>Jet Pack</b>"
        cost = 100
        vp = 2
        self = ["+1 crad"]

        [[twist]]
        id = "mine"
        name = "Mine"
        editions = ["ascora-2011"]
        set = { gaol = 3 }
        lines = [{ when = "end", if = "money < 0", do = "+1 card" }]
        """
    )
    lines = refused("validate", file)
    assert len(lines) == 5
    for line, entry in zip(lines, ["invention 1001"] * 3 + ["twist 'mine'"] * 2, strict=True):
        assert line.startswith(f"error: {file}: {entry}: ")
    assert [line.split(": ")[3] for line in lines] == ["name", "cost", "self.1", "set.gaol", "lines.1"]


def test_validate_tells_good_files_from_bad_ones(command, checkout, overlay):
    done = command(
        "catalog", "validate", CUSTOM, overlay("x = "), overlay("", "empty.toml"), "--json", cwd=checkout
    )
    assert [row["result"] for row in json.loads(done.stdout)] == ["ok", "1 problem", "1 problem"]
    assert len(done.stderr.splitlines()) == 2
    assert done.returncode == 2


def test_terminal_codes_in_a_file_do_not_reach_the_terminal(command, overlay):
    done = command("catalog", "validate", overlay('[[twist]]\nid = "a"\n"\\u001b[31m" = "\\u001b[2J"\n'))
    assert "\x1b" not in done.stdout + done.stderr


# --- diff


def test_diff_with_itself_is_empty(command):
    done = command("catalog", "diff", "official", "official", "--json")
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "the two catalogs say the same\n")


def test_diff_tells_field_by_field(catalog, overlay):
    file = overlay(
        '[[invention]]\nid = 46\ncost = 12\nself = ["+2 money per hand"]\n'
        '[[twist]]\nid = "science-marathon"\nset = { goal = 25 }\n'
        '[[twist]]\nid = "geeks"\nremove = true\n'
        '[[twist]]\nid = "mine"\nname = "Mine"\neditions = ["ascora-2011"]\n'
    )
    rows = json.loads(catalog("diff", "official", file, "--json"))
    assert [
        (r["change"], r["id"], r["field"], r["old"], r["new"]) for r in rows if r["change"] == "changed"
    ] == [
        ("changed", "46", "cost", 13, 12),
        ("changed", "46", "self", ["+3 money per hand", "-all card"], ["+2 money per hand"]),
        ("changed", "science-marathon", "set.goal", 30, 25),
    ]
    assert [(r["change"], r["id"], r["new"]) for r in rows if r["change"] != "changed"] == [
        ("removed", "geeks", None),
        ("added", "mine", "Changes nothing."),
    ]
    back = json.loads(catalog("diff", file, "official", "--json"))
    assert len(back) == len(rows)


def test_diff_to_parquet(catalog, overlay, tmp_path):
    import polars as pl

    file = overlay('[[invention]]\nid = 46\ncost = 12\nself = ["+2 money per hand"]\n')
    catalog("diff", "official", file, "--format", "parquet", "-o", str(tmp_path / "diff.parquet"))
    frame = pl.read_parquet(tmp_path / "diff.parquet")
    assert frame["new"].to_list() == ["12", "+2 money per hand"]


# --- other games


def test_a_game_that_is_registered_is_listed_by_the_same_command(capsysbinary):
    """The command knows games by their contract only."""
    from balance import games
    from balance.cli.app import run
    from balance.games.contract import Kind

    class Dice:
        name = "dice"
        kinds = (Kind("rule", "rules", "one row per rule", {"id": "a", "faces": "b"}, ("id",)),)

        def load_catalog(self, overlays=()):
            return ["d6", "d8"]

        def rows(self, catalog, kind):
            return [{"id": die, "faces": int(die[1:])} for die in catalog]

    with games.registered(Dice()):
        assert run(["catalog", "list", "rules", "--of", "dice", "--format", "csv"]) == 0
        assert capsysbinary.readouterr().out == b"id,faces\nd6,6\nd8,8\n"
        assert run(["catalog", "list", "twists", "--of", "dice"]) == 2
        assert "dice" in games.names()
    assert "dice" not in games.names()


# --- documentation


@pytest.mark.slow
@pytest.mark.parametrize("page", ["commands/catalog.md", "how-to/add-a-twist.md"])
def test_the_output_shown_in_the_pages_is_real(checkout, tmp_path, page):
    text = (checkout / "docs" / page).read_text(encoding="utf-8")
    files = re.findall(r"`([a-z-]+\.toml)`[^`]*?\n\n?```(?:toml|text)\n(.*?)^```", text, re.M | re.S)
    for name, content in files:
        (tmp_path / name).write_text(content, encoding="utf-8")
    shown = re.findall(r"^```console\n\$ (.*?)\n(.*?)^```", text, re.M | re.S)
    assert len(shown) >= 2
    for command, output in shown:
        script = f'balance() {{ "{sys.executable}" -m balance "$@"; }}; {command} 2>&1'
        done = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, encoding="utf-8", cwd=tmp_path)
        assert done.stdout == output, command

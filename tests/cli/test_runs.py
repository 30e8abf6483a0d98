"""`balance runs`, as a user calls it, and what commands leave behind in data/runs."""

import json
from pathlib import Path

import pytest

import balance
from balance import games
from balance.cli.app import run
from tests.games.tiny import GAME

TINY = {"game": "tiny", "games_per_cell": 5, "players": 2, "variants": ["none", "windy"]}


@pytest.fixture(autouse=True)
def _tiny(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with games.registered(GAME):
        yield


@pytest.fixture
def runs(capfd):
    def call(*args):
        code = run(["runs", *args])
        return code, *capfd.readouterr()

    return call


def names(folder):
    return sorted(path.name for path in Path(folder).iterdir())


def listed(runs, *args):
    return {row["name"]: row for row in json.loads(runs(*args, "--json")[1])}


@pytest.fixture
def three(capfd):
    """An unnamed run, one that was named, and an extension of the named one."""
    balance.simulate(**TINY)
    balance.simulate("data/runs/base", seed=1, **TINY)
    run(["simulate", "--extend", "data/runs/base", "--games", "3", "--name", "more", "-q"])
    (unnamed,) = (path.name for path in Path("data/runs").iterdir() if path.name.startswith("tiny-"))
    capfd.readouterr()
    return unnamed


def test_it_lists_size_content_and_command(runs, three):
    rows = listed(runs)
    assert list(rows) == sorted([three, "base", "more"])
    size = sum(path.lstat().st_size for path in Path("data/runs/base").rglob("*") if path.is_file())
    base = rows["base"]
    assert (base["state"], base["games"], base["mb"]) == ("finished", 20, round(size / 1e6, 1))
    assert base["holds"] == "tiny classic, 2 players, 2 combinations, 20 games, seed 1"
    assert base["made_by"] == "Python"
    assert ", extends " in rows["more"]["holds"]
    code, out, _ = runs()
    assert code == 0
    assert out.splitlines()[:3] == [
        f"base: finished, {base['mb']} MB",
        "  tiny classic, 2 players, 2 combinations, 20 games, seed 1",
        "  Python",
    ]
    assert max(map(len, out.splitlines())) <= 80


def test_the_command_that_made_a_run_is_in_its_row(runs, capfd, monkeypatch):
    words = ["simulate", "--of", "tiny", "--games", "5", "--name", "first"]
    monkeypatch.setattr("sys.argv", ["/some/where/bin/balance", *words])
    assert run([*words, "-q"]) == 0
    assert capfd.readouterr().out == "data/runs/first\n"
    assert listed(runs)["first"]["made_by"] == "balance simulate --of tiny --games 5 --name first"


def test_an_empty_place_is_not_an_error(runs):
    assert runs("--json") == (0, "[]\n", "data/runs holds no run; balance simulate makes one\n")


def test_a_run_gets_a_better_name(runs, three):
    assert runs("--rename", three, "quick-look")[:2] == (0, "data/runs/quick-look\n")
    assert balance.open_run("data/runs/quick-look").plan.games == 20
    code, _, err = runs("--rename", "quick-look", "base")
    assert (code, "exists already" in err) == (2, True)
    code, _, err = runs("--rename", "quick-loop", "other")
    assert (code, "did you mean 'quick-look'" in err) == (2, True)
    for bad in ("../out", "a/b", ".hidden", ""):
        assert runs("--rename", "quick-look", bad)[0] == 2
    assert Path("data/runs/quick-look").is_dir()


# --- cleaning


def test_cleaning_lists_first_and_removes_with_yes(runs, three):
    code, out, err = runs("--clean", "--json")
    assert code == 0
    assert [row["name"] for row in json.loads(out)] == [three]
    assert "would be removed: 1 run" in err
    assert "--yes" in err
    assert Path("data/runs", three).is_dir()
    code, _, err = runs("--clean", "--yes")
    assert (code, "removed: 1 run" in err) == (0, True)
    assert names("data/runs") == ["base", "more"]
    assert runs("--clean", "--yes")[2] == "nothing to remove\n"


def test_the_parent_of_a_run_that_stays_stays(runs, three):
    code, out, err = runs("--clean", "base", "--yes", "--json")
    assert (code, json.loads(out)) == (0, [])
    assert "base stays: more extends it" in err
    assert balance.open_run("data/runs/base").plan.games == 20
    runs("--clean", "base", "more", "--yes")
    assert names("data/runs") == [three]


def test_no_two_names_look_alike(runs, three):
    """A control character is written out, and so is a name that is written like one."""
    Path("data/runs/base").rename("data/runs/a\\x1b")
    Path("data/runs/more").rename("data/runs/a\x1b")
    assert list(listed(runs)) == ["a\\x1b", "a\\\\x1b", three]
    assert "a\\x1b extends it" in runs("--clean", "a\\\\x1b", "--yes")[2]
    assert Path("data/runs/a\\x1b").is_dir()


def test_a_folder_with_other_files_stays(runs, three):
    Path("data/runs/more/notes.json").write_text("{}")
    _, out, err = runs("--clean", "more", "base", "--yes", "--json")
    assert json.loads(out) == []
    assert "more stays: it holds notes.json" in err
    assert "base stays: more extends it" in err, "its child stays, so it stays too"


def test_links_are_neither_followed_nor_removed(runs, three, tmp_path):
    outside = balance.simulate(tmp_path / "outside", seed=9, **TINY)
    Path("data/runs/linked").symlink_to(outside.path)
    assert "linked" not in listed(runs)
    assert runs("--clean", "linked", "--yes")[0] == 2
    Path("data/runs", three, "elsewhere").symlink_to(outside.path / "games")
    _, out, err = runs("--clean", "--yes", "--json")
    assert json.loads(out) == []
    assert f"{three} stays: it holds elsewhere" in err
    assert balance.open_run(outside.path).plan.games == 20
    assert Path("data/runs/linked").is_symlink()


def test_data_runs_as_a_link_is_not_followed(runs, three, tmp_path):
    Path("data/runs").rename(tmp_path / "elsewhere")
    Path("data/runs").symlink_to(tmp_path / "elsewhere")
    assert three in listed(runs)
    _, out, err = runs("--clean", "--yes", "--json")
    assert json.loads(out) == []
    assert f"{three} stays: data/runs is a link" in err
    assert (tmp_path / "elsewhere" / three / "run.json").is_file()


def test_a_damaged_run_stays(runs, three):
    part = next(Path("data/runs", three, "games").rglob("*.parquet"))
    content = bytearray(part.read_bytes())
    content[40] ^= 1
    part.write_bytes(content)
    _, out, err = runs("--clean", "--yes", "--json")
    assert json.loads(out) == []
    assert f"{three} stays: {part.relative_to(Path('data/runs', three))} is not as it was written" in err
    assert part.is_file()


def test_only_data_runs_is_cleaned(runs, tmp_path):
    balance.simulate(tmp_path / "mine" / "run", **TINY)
    assert runs("--clean", "--in", "mine", "--yes")[0] == 2
    assert runs("--clean", "../mine/run", "--yes")[0] == 2
    assert (tmp_path / "mine" / "run" / "run.json").is_file()


def test_an_unfinished_run_can_go_and_a_foreign_folder_cannot(runs, three):
    part = next(Path("data/runs", three, "games").rglob("*.parquet"))
    lines = Path("data/runs", three, "shards.jsonl").read_text().splitlines(keepends=True)
    Path("data/runs", three, "shards.jsonl").write_text(lines[0])
    assert part.is_file()
    Path("data/runs/mine").mkdir()
    Path("data/runs/mine/run.json").write_text("{}")
    rows = listed(runs)
    assert (rows[three]["state"], rows["mine"]["state"]) == ("unfinished", "unreadable")
    _, _, err = runs("--clean", three, "mine", "--yes")
    assert "mine stays: it cannot be read as a run" in err
    assert names("data/runs") == ["base", "mine", "more"]


@pytest.mark.parametrize("name", [".novel.tmp", "letters/2-players/0001.parquet"])
def test_a_file_that_no_unfinished_run_leaves_stays(runs, three, name):
    ledger, mine = Path("data/runs", three, "shards.jsonl"), Path("data/runs", three, name)
    ledger.write_text(ledger.read_text().splitlines(keepends=True)[0])
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text("mine")
    assert f"it holds {name}" in runs("--clean", "--yes")[2]
    assert balance.simulate(f"data/runs/{three}", **TINY)
    assert mine.read_text() == "mine"


def test_a_run_that_is_being_played_stays(runs, three):
    from balance.dataset.manifest import lock

    with lock(Path("data/runs", three)):
        code, _, err = runs("--clean", "--yes")
    assert (code, "another process is at work" in err) == (1, True)
    assert balance.open_run(Path("data/runs", three)).plan.games == 20


def test_options_that_do_not_go_together(runs, capfd):
    assert runs("--yes")[0] == 2
    assert runs("--clean", "--rename", "a", "b")[0] == 2
    assert run(["simulate", "--name", "x", "--out", "y"]) == 2
    assert "give one of them" in capfd.readouterr().err


# --- what commands leave behind


def test_a_check_leaves_nothing_behind_unless_asked(capfd):
    few = ["--of", "tiny", "--players", "3", "--fail-on", "none"]
    assert run(["check", "windy", *few]) == 0
    out = capfd.readouterr().out
    assert "--save-run DIR keeps them." in " ".join(out.split())
    assert names(".") == []
    assert run(["check", "windy", *few, "--save-run", "kept"]) == 0
    assert ", in kept." in " ".join(capfd.readouterr().out.split())
    assert balance.open_run("kept").plan.games
    assert names(".") == ["kept"]
    assert run(["check", "windy", "--run", "kept", "--save-run", "x"]) == 2


@pytest.mark.slow
def test_the_replay_command_of_a_check_needs_no_run(capfd):
    Path("calm.toml").write_text('[[mood]]\nid = "calm"\nname = "Calm"\neditions = ["classic"]\n')
    for more in ([], ["--catalog", "calm.toml"]):
        run(["check", "windy", "--of", "tiny", "--players", "3", "--seed", "5", "--json", *more])
        command = json.loads(capfd.readouterr().out)["replay"]["command"]
        assert command.startswith("balance replay --of tiny --players 3 --moods windy --seed 5 ")
        assert run(command.split()[1:]) == 0
        assert "3 players, windy" in capfd.readouterr().out

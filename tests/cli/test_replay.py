"""`balance replay`, as a user calls it."""

import json
import os
import pty
import subprocess
import sys
from types import SimpleNamespace

import pytest

from balance import games
from balance.cli import gameoptions
from balance.cli.app import run
from balance.errors import UsageError
from balance.sweep.replaying import Replay

EXAMPLE = ["--players", "4", "--twists", "parallel-universe,unions", "--edition", "ascora-2011"]
EXAMPLE += ["--seed", "7", "--game", "123"]


@pytest.fixture
def replay(capfd):
    """Run `balance replay ARGS` in this process, which must succeed, and return its output."""

    def call(*args):
        code = run(["replay", *args])
        out, err = capfd.readouterr()
        assert code == 0, err
        return out

    return call


@pytest.fixture
def refused(capfd):
    """Run `balance replay ARGS`, which must end in exit code 2 with nothing on stdout; return stderr."""

    def call(*args):
        code = run(["replay", *args])
        out, err = capfd.readouterr()
        assert (code, out) == (2, ""), err
        assert "Traceback" not in err
        return err

    return call


def events_of(text):
    return [json.loads(line) for line in text.splitlines()]


# --- what is printed


def test_a_transcript(replay, cli):
    text = replay(*EXAMPLE)
    assert text.startswith("NEFARIOUS - Nefarious (Ascora Games, 2011)\nSeed 7, game 123\n4 players")
    assert text.index("Twist 1: Parallel Universe") < text.index("Twist 2: Unions")
    assert "--- Round 1 ---" in text
    assert " wins after " in text
    done = cli("replay", *EXAMPLE)
    assert (done.returncode, done.stdout) == (0, text)


def test_the_event_log_is_json_lines_of_the_documented_form(replay):
    events = events_of(replay(*EXAMPLE, "--json"))
    assert [next(iter(event)) for event in events] == ["event"] * len(events)
    assert list(events[0]) == ["event", "game", "edition", "players", "twists", "seed", "game_index",
                               "policies", "money", "cards", "deck"]  # fmt: skip
    assert events[0]["twists"] == ["parallel-universe", "unions"]
    assert [e["seat"] for e in events if e["event"] == "deal"] == [0, 1, 2, 3]
    assert events[-1]["event"] == "end"
    game = games.get()
    cell = game.compile(game.load_catalog(), "ascora-2011", 4, ["parallel-universe", "unions"])
    assert events == game.replay(cell, 7, 123, [game.facts.usual] * 4)


def test_the_order_of_twists_matters(replay):
    one, other = (replay("--players", "3", "--twists", t, "--json") for t in ("unions,geeks", "geeks,unions"))
    assert events_of(one)[0]["deck"] == events_of(other)[0]["deck"]
    assert one != other


@pytest.mark.parametrize(
    "twists",
    [
        ["--twists", "blood-sweat-and-mice,geeks"],
        ["--twists", "Blood, Sweat & Mice", "--twists", "Geeks, Geeks, Geeks, Geeks!"],
        ["--twists", "blood, sweat & mice", "--twists", "geeks"],
        ["--twists", " blood-sweat-and-mice , geeks "],
        ["--variants", "blood-sweat-and-mice", "--twists", "geeks"],
    ],
)
def test_twists_are_ids_in_a_list_or_names_one_by_one(replay, twists):
    setup = events_of(replay("--players", "2", *twists, "--json"))[0]
    assert setup["twists"] == ["blood-sweat-and-mice", "geeks"]


def test_no_twists(replay):
    assert replay("--players", "2", "--twists", "") == replay("--players", "2")


def test_seeds_and_games_up_to_the_last(replay):
    args = ["--players", "2", "--seed", str(2**63 - 1), "--game", str(2**32 - 1)]
    setup = events_of(replay(*args, "--json"))[0]
    assert (setup["seed"], setup["game_index"]) == (2**63 - 1, 2**32 - 1)


def test_a_replicate_has_the_same_deal_and_other_decisions(replay):
    first = events_of(replay("--players", "2", "--json"))
    second = events_of(replay("--players", "2", "--json", "--replicate", "1"))
    assert second[0] == {**first[0], "replicate": 1}
    assert second[1:3] == first[1:3]
    assert second != first


def test_lineups(replay):
    named = replay("--players", "2", "--lineup", "random, random")
    assert named == replay("--players", "2", "--lineup", "mirror:random")
    assert replay("--players", "2") == replay("--players", "2", "--lineup", "mirror:learned") != named


def test_an_own_catalog(replay, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('[[edition]]\nid = "ascora-2011"\nname = "My Own"\n', encoding="utf-8")
    assert replay("--players", "2", "--catalog", str(file)).startswith("NEFARIOUS - My Own\n")


def test_the_state_after_a_round(replay):
    state = replay(*EXAMPLE, "--state", "3")
    assert state.startswith("nefarious 1 edition=ascora-2011 players=4 twists=parallel-universe,unions\n")
    assert "\nafter round=3 " in state
    states = [event for event in events_of(replay(*EXAMPLE, "--json")) if event["event"] == "state"]
    told = states[2]
    for number, seat in enumerate(told["seats"]):
        line = next(line for line in state.splitlines() if line.startswith(f"seat {number} "))
        assert f" money={seat['money']} " in line
        assert f" hand={','.join(map(str, seat['hand'])) or '-'} " in line


def test_a_file_gets_what_a_pipe_gets(replay, refused, tmp_path):
    file = tmp_path / "game.jsonl"
    assert replay("--players", "2", "--json", "-o", str(file)) == ""
    assert file.read_text(encoding="utf-8") == replay("--players", "2", "--json")
    assert "exists already; --force replaces it" in refused("--players", "2", "-o", str(file))


def test_a_reader_that_has_seen_enough(checkout):
    command = f"'{sys.executable}' -m balance replay --players 6 --json | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=checkout)
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""


def test_on_a_terminal_it_is_the_same_text(replay):
    """What a person sees: no control characters, 80 columns."""
    leader, follower = pty.openpty()
    done = subprocess.Popen([sys.executable, "-m", "balance", "replay", "--players", "2"], stdout=follower)
    os.close(follower)
    seen = b""
    while True:
        try:
            part = os.read(leader, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(leader)
    assert done.wait() == 0
    text = seen.decode().replace("\r\n", "\n")
    assert text == replay("--players", "2")
    assert max(map(len, text.splitlines())) <= 80


# --- bad input: one clear line, exit 2


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--players", "4", "--twists", "unons"], "unknown twist 'unons'; did you mean 'Unions' or"),
        (["--players", "4", "--twists", "unions,unions"], "the twist 'unions' is given twice"),
        (["--players", "4", "--twists", "Unions", "--twists", "unions"], "the twist 'unions' is given twice"),
        (["--players", "4", "--twists", "academics"],
         "the twist 'academics' is not in edition ascora-2011; it is in magellan-2014, mosigra-2020"),
        (["--players", "4", "--twists", "mad-broker", "--edition", "mosigra-2020"], "it is in ascora-2011"),
        (["--players", "1"], "Nefarious is for 2 to 6 players, not 1"),
        (["--players", "7"], "Nefarious is for 2 to 6 players, not 7"),
        (["--players", "-3"], "Nefarious is for 2 to 6 players, not -3"),
        (["--players", "4", "--twists", "unions,geeks,grants"], "3 twists given, but a game turns over"),
        (["--players", "4", "--twists", "unions,geeks,grants"], "two twists as one [[twist]] of an overlay"),
        (["--players", "4", "--twists", "unions,"], "--twists unions,: a name is missing beside a comma"),
        (["--players", "4", "--seed", "-1"], "seed -1 is out of range: 0..9223372036854775807 (2^63-1)"),
        (["--players", "4", "--seed", str(2**63)], "seed 9223372036854775808 is out of range"),
        (["--players", "4", "--seed", "9" * 99], "is out of range: 0..9223372036854775807"),
        (["--players", "4", "--game", str(2**32)], "game index 4294967296 is out of range: 0..4294967295"),
        (["--players", "4", "--game", "-1"], "game index -1 is out of range"),
        (["--players", "4", "--replicate", "-1"], "replicate -1 is out of range"),
        (["--players", "4", "--lineup", "mirror:rndom"], "unknown policy 'rndom'; did you mean 'random'?"),
        (["--players", "4", "--lineup", "mirror"], "unknown policy ''"),
        (["--players", "4", "--lineup", "random,random"], "the lineup 'random,random' seats 2, but 4 play"),
        (["--players", "4", "--edition", "ascora"], "unknown edition 'ascora'; did you mean 'ascora-2011'"),
        (["--players", "4", "--state", "201"], "there is no round 201: this game has the rounds 0.."),
        (["--players", "4", "--state", "-1"], "there is no round -1"),
        (["--players", "4", "--state", "2", "--json"], "--state prints one state; it does not go with"),
        (["--players", "4", "--of", "nefarius"], "unknown game 'nefarius'; did you mean 'nefarious'?"),
        (["--players", "4", "--of"], "Option '--of' requires an argument"),
        (["--players", "4", "--catalog", "nowhere.toml"], "nowhere.toml: no such file"),
        ([], "--players is missing (or name a run and one of its games: RUN GAME_ID)"),
        (["unions"], "which game of unions? Name its game_id"),
        (["run", "1", "--seed", "7"], "a run fixes its games; it does not go with --seed"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_clear_line(refused, args, message):
    said = refused(*args)
    assert message in said
    assert said.startswith("error: ")
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--players", "four"], "Invalid value for '--players'"),
        (["--players", "4", "--twist", "unions"], "unknown option '--twist'; did you mean '--twists'"),
        (["run", "1", "surplus"], "unexpected extra argument"),
        (["run", "one"], "Invalid value for 'GAME_ID'"),
    ],
)
def test_a_mistake_in_the_options_points_to_the_help(refused, args, message):
    first, second = refused(*args).splitlines()
    assert message in first
    assert second == "Try 'balance replay --help'."


def test_mistakes_are_answered_without_the_compiler():
    script = "import sys; from balance.cli.app import run; run(sys.argv[1:]); print('numba' in sys.modules)"
    for args in (["--players", "7"], ["--players", "2", "--twists", "unons"], ["--help"]):
        done = subprocess.run([sys.executable, "-c", script, "replay", *args], capture_output=True, text=True)
        assert done.stdout.splitlines()[-1] == "False", args


# --- the game's own words


def test_help_uses_the_words_of_the_game(replay):
    text = replay("--help")
    assert "--twists, --variants A,B" in text
    assert "The twists in force, in order" in text


def test_another_game_has_its_own_word_for_variants(replay):
    facts = SimpleNamespace(variant="house", variants="houses", item="chair", items="chairs")
    for of in (["--of", "manor"], ["--of=manor"]):
        with games.registered(SimpleNamespace(name="manor", facts=facts)):
            text = replay("--players", "2", "--houses", "a,b", *of, "--help")
        assert "--houses, --variants A,B" in text
        assert "The houses in force" in text
        assert "--twists," not in text


# --- the first compilation


def test_the_wait_for_the_compiler_is_announced_once_and_on_stderr(capfd, monkeypatch):
    nefarious = games.get("nefarious")
    monkeypatch.setattr("balance.games.compiled.jit.is_compiled", lambda *_: False)
    assert nefarious.warm_up_note(replay=True) == "compiling the engine, once per version, about a minute"
    assert run(["replay", "--players", "2", "--json"]) == 0
    out, err = capfd.readouterr()
    assert err == "compiling the engine, once per version, about a minute\n"
    assert events_of(out)[-1]["event"] == "end"
    assert run(["replay", "--players", "2", "--quiet"]) == 0
    assert capfd.readouterr().err == ""


def test_a_cache_that_cannot_be_written_is_named(monkeypatch):
    monkeypatch.setattr("balance.games.compiled.jit.cache_folder", lambda _: None)
    monkeypatch.setenv("BALANCE_CACHE_DIR", "/dev/null/cache")
    note = games.get("nefarious").warm_up_note(replay=True)
    assert note.startswith(
        "the cache folder /dev/null/cache cannot be written: compiling the engine for this run"
    )
    assert "BALANCE_CACHE_DIR" in note


def test_a_game_may_have_nothing_to_announce(capfd):
    gameoptions.announce_warm_up(SimpleNamespace(name="dice"), replay=True)
    assert capfd.readouterr().err == ""


# --- the pieces


def test_a_game_without_a_notation_says_so():
    with pytest.raises(UsageError, match="the game dice has no text notation"):
        Replay(SimpleNamespace(name="dice"), None, 0, 0, 0, ()).state(1)

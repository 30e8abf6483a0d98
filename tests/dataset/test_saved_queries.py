"""Ready queries as files: the head is read, values are bound and checked, mistakes are answered."""

import re

import polars as pl
import pytest

import balance
from balance.dataset.saved_queries import find_question, load_question, questions
from balance.errors import CatalogError, UsageError
from balance.games import registered
from tests.asking import ask
from tests.games.tiny import GAME

GOOD = """\
-- Question: How many races does a lineup have,
--   and how long are they?
-- Game: tiny
-- Parameters:
--   $players (cells.players, optional): only races of so many
--   $mood (moods.id, optional): only under this mood,
--       by id or name
--   $least (integer, default 1): leave out shorter ones
-- Columns:
--   lineup: who runs
--   races: how many
select lineup, count(*) as races
from games
where ($players is null or players = $players) and ($mood is null or single_a = $mood) and rounds >= $least
group by lineup order by lineup
"""


@pytest.fixture
def write(tmp_path):
    def make(text, name="races"):
        file = tmp_path / f"{name}.sql"
        file.write_text(text)
        return str(file)

    return make


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    with registered(GAME):
        return balance.simulate(tmp_path_factory.mktemp("saved") / "run", game="tiny", games_per_cell=5)


def test_a_head_is_read(write):
    question = load_question(write(GOOD))
    assert question.question == "How many races does a lineup have, and how long are they?"
    assert question.game == "tiny"
    assert [(p.name, p.type, p.required, p.default) for p in question.parameters] == [
        ("players", "cells.players", False, None),
        ("mood", "moods.id", False, None),
        ("least", "integer", False, "1"),
    ]
    assert question.parameters[1].meaning == "only under this mood, by id or name"
    assert question.columns == (("lineup", "who runs"), ("races", "how many"))


def test_a_query_of_the_user_is_asked_like_ours(write, run, views):
    question = find_question(write(GOOD), "tiny")
    counted = run.games.group_by("lineup").agg(pl.len().cast(pl.Int64)).sort("lineup").collect().rows()
    assert ask(views(run), question).fetchall() == counted
    assert question.name == "races"


@pytest.mark.parametrize(
    ("given", "where"),
    [
        ({"players": 3}, pl.col("players") == 3),
        ({"players": "3"}, pl.col("players") == 3),
        ({"mood": "windy"}, pl.col("single_a") == "windy"),
        ({"mood": "WINDY"}, pl.col("single_a") == "windy"),
        ({"mood": "Feverish", "players": 2}, (pl.col("single_a") == "feverish") & (pl.col("players") == 2)),
        ({"least": "9"}, pl.col("rounds") >= 9),
        ({"least": None}, pl.col("rounds") >= 1),
    ],
)
def test_values_are_bound(given, where, write, run, views):
    question = find_question(write(GOOD))
    expected = run.games.filter(where).group_by("lineup").agg(pl.len().cast(pl.Int64)).sort("lineup")
    assert ask(views(run), question, given).fetchall() == expected.collect().rows()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"player": 3}, "unknown parameter of races 'player'; did you mean 'players'?"),
        ({"players": 7}, "unknown players '7' (2, 3)"),
        ({"mood": "windie"}, "unknown mood 'windie'; did you mean 'windy'"),
        ({"mood": "x' or true --"}, "unknown mood"),
        ({"least": "many"}, "least: expected a whole number, found 'many'"),
        ({"least": "1; drop view games"}, "least: expected a whole number"),
    ],
)
def test_wrong_arguments_are_answered(given, message, write, run, views):
    question = find_question(write(GOOD))
    with pytest.raises(UsageError, match=re.escape(message)):
        ask(views(run), question, given)


def test_a_text_is_never_part_of_the_query(write, run, views):
    text = "-- Question: Does it hold?\n-- Parameters:\n--   $word (text, required): any\n"
    text += "-- Columns:\n--   word: the same\nselect $word as word\n"
    question = find_question(write(text, "echo"))
    nasty = "'); drop view games; --"
    assert ask(views(run), question, {"word": nasty}).fetchall() == [(nasty,)]
    with pytest.raises(UsageError, match=r"echo needs word=\.\.\.: any \(text\)"):
        ask(views(run), question)


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [("number", "1.5", 1.5), ("boolean", "yes", True), ("boolean", "false", False)],
)
def test_other_types(type_, text, value, write, run, views):
    head = f"-- Question: What is it?\n-- Parameters:\n--   $x ({type_}, default {text}): it\n"
    question = find_question(write(head + "-- Columns:\n--   x: it\nselect $x as x", "it"))
    assert ask(views(run), question).fetchall() == [(value,)]
    with pytest.raises(UsageError, match=r"x: expected (a number|true or false), found 'maybe'"):
        ask(views(run), question, {"x": "maybe"})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("-- Question: How many", "-- How many", "line 1: Question: what does it ask?"),
        ("-- Columns:", "-- Colums:", "line 9: unknown heading 'Colums'; did you mean 'Columns'?"),
        (
            "(integer, default 1)",
            "(integer)",
            "line 8: Parameters: expected '$NAME (TYPE, required|optional|default VALUE): MEANING', found",
        ),
        (
            "(integer, default 1)",
            "(integr, default 1)",
            "line 8: Parameters: $least: unknown type 'integr'; did you mean 'integer'?",
        ),
        (
            "--   races: how many",
            "--   races how many",
            "line 11: Columns: expected 'NAME: MEANING' or 'NAME [TITLE, KIND]: MEANING', found 'races how",
        ),
    ],
)
def test_a_bad_head_names_file_and_line(old, new, message, write):
    file = write(GOOD.replace(old, new, 1))
    with pytest.raises(CatalogError, match=re.escape(message)) as caught:
        load_question(file)
    assert all(line.startswith(file) for line in str(caught.value).splitlines())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rounds >= $least", "true", "do not have the same parameters: $least"),
        ("rounds >= $least", "rounds between $least and $most", "do not have the same parameters: $most"),
        ("order by lineup\n", "order by lineup; select 1\n", "expected one statement, found 2"),
        ("select lineup", "selekt lineup", "syntax error"),
    ],
)
def test_a_query_that_cannot_be_asked(old, new, message, write, run, views):
    question = find_question(write(GOOD.replace(old, new, 1)))
    with pytest.raises(UsageError, match=re.escape(message)):
        ask(views(run), question)


def test_a_wrong_name_is_answered_with_the_nearest():
    with pytest.raises(
        UsageError, match="unknown ready query 'win-rate-by-polcy'; did you mean 'win-rate-by-policy'"
    ):
        find_question("win-rate-by-polcy")
    with pytest.raises(UsageError, match="there is no file"):
        find_question("nowhere/x.sql")


def test_a_query_for_another_game_says_so():
    assert "income" not in questions(game="tiny")
    assert "win-rate-by-policy" in questions(game="tiny")
    with pytest.raises(UsageError, match="'income' is for the game nefarious, this run is of tiny"):
        find_question("income", game="tiny")


def test_a_file_that_is_no_text(write, tmp_path):
    (tmp_path / "x.sql").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="is not UTF-8 text"):
        load_question(tmp_path / "x.sql")

"""What an analyst sees of the package in a notebook."""

import pydoc

import pytest

import balance
from balance import games
from balance.cli.app import run as command
from balance.errors import UsageError
from tests.games.tiny import GAME


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    with games.registered(GAME):
        yield balance.simulate(tmp_path_factory.mktemp("api") / "a <run>", game="tiny", games_per_cell=5)


def test_dir_and_help_show_the_api():
    assert {"open_run", "open_runs", "simulate", "check", "compare", "price", "replay", "values"} <= set(
        dir(balance)
    )
    assert dir(balance) == sorted(balance.__all__)
    text = pydoc.plain(pydoc.render_doc(balance))
    assert "open_run(path" in text
    assert 'run.sql("@length-by-players")' in text
    text = pydoc.plain(pydoc.render_doc(balance.check))
    assert "check(names: 'Sequence[str]' = (), " in text
    assert "-> balance.report.model.Answer" in text


def test_a_run_is_a_line_in_a_notebook(run):
    assert repr(run) == f"<Run {run.path}: {run.plan}>"
    assert str(run.plan) == "tiny classic, 2-3 players, 4 combinations, 80 games, seed 0"
    html = run._repr_html_()
    assert "a &lt;run&gt;" in html
    assert "Tables: games, " in html
    assert max(len(repr(run)), len(html)) < 500


def test_runs_answers_and_replays_are_short_in_a_notebook(run):
    runs = balance.open_runs([run.path])
    assert repr(runs) == f"<Runs: {run.path}>"
    assert runs._repr_html_() == run._repr_html_()
    first = run.games.select("game_id").head(1).collect().item()
    game = balance.replay(run, first)
    assert repr(game) == "<Replay tiny: 2 players, seed 0, game 0>"
    assert str(game) == game.transcript()
    assert game.events == balance.replay(run.path, first).events
    assert str(game) in game._repr_html_() or "&" in str(game)
    with pytest.raises(UsageError, match="players is missing"):
        balance.replay()
    answer = balance.check_all([run.path])
    assert len(repr(answer)) < 400
    assert answer._repr_html_().startswith("<details><summary><b>")


def test_ready_queries_by_name(run):
    every = run.sql("@length-by-players")
    assert every.height > 2
    assert run.sql("@length-by-players", limit=2).rows() == every.rows()[:2]
    with pytest.raises(UsageError, match="did you mean 'length-by-players'"):
        run.sql("@lenght-by-players")
    with pytest.raises(UsageError, match="expected a number of rows"):
        run.sql("@length-by-players", limit="2; drop table games")


def test_limit_on_the_command_line(run, capfd):
    assert command(["sql", str(run.path), "@length-by-players", "limit=1", "--format", "csv"]) == 0
    assert len(capfd.readouterr().out.splitlines()) == 2

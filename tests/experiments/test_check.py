"""Checks of Nefarious: the printed game is fine, and looks at growing games stop where all is decided."""

import duckdb
import pytest

from balance.dataset.views import SUMMED
from balance.experiments.check import STRENGTHS, check
from balance.judge.verdict import Verdict
from balance.measure import cells
from balance.report.check_answer import check_answer


@pytest.mark.slow
@pytest.mark.parametrize("edition", ["ascora-2011", "magellan-2014", "mosigra-2020"])
def test_the_printed_game_is_fine_at_every_number_of_players(edition):
    found = check(edition=edition)
    assert {j.players: j.verdict for j in found.own} == dict.fromkeys(range(2, 7), Verdict.FINE)


@pytest.mark.slow
def test_what_is_open_gets_more_games_and_what_is_decided_stays():
    said = []
    found = check(players="2,4", say=said.append)
    assert found.verdict is Verdict.FINE
    assert found.worst()[0].cell.lineup == found.game.facts.default_lineup
    assert 1 <= len(said) < STRENGTHS["quick"].looks
    assert said[0].startswith("provisional, after ")
    assert len(found.runs) == 1 + len(said)
    again = check(players="2,4")
    assert [j.verdict for j in again.own] == [j.verdict for j in found.own]


def test_a_verdict_of_the_first_look_takes_no_more_games(tmp_path):
    impossible = tmp_path / "short.toml"
    impossible.write_text('[[threshold]]\nid = "length"\nhigh = 8\n')
    said = []
    found = check(players=2, thresholds=[impossible], say=said.append)
    assert (found.verdict, len(found.runs), said) == (Verdict.BROKEN, 1, [])


@pytest.mark.slow
def test_mob_influence_with_six_stalls_no_game_of_players_who_read_it():
    """Players of one mind used to choose the same actions for ever: that was their fault, not the twist's."""
    found = check(["mob-influence"], players=6)
    (stalls,) = [
        finding
        for cell in found.own[0].cells
        for finding in cell.findings
        if finding.measured.metric.name == "stalls" and cell.cell.lineup == found.game.facts.default_lineup
    ]
    assert stalls.measured.interval.value < 0.01
    assert found.verdict is not Verdict.BROKEN


def test_one_connection_answers_everything(monkeypatch):
    """The deals of the cells are read once per look; views and what follows from them are made of that."""
    opened = []
    connect = duckdb.connect

    def counting(*args, config, **options):
        opened.append(config.get("memory_limit"))
        return connect(*args, config=config, **options)

    monkeypatch.setattr(duckdb, "connect", counting)
    found = check(["geeks", "mad-broker"], players=4)
    answer = check_answer(found)
    assert found.interactions
    assert opened.count(cells._MEMORY) == 1
    kinds = found.con.execute(
        "select table_name from information_schema.tables where table_type = 'BASE TABLE'"
    )
    assert set(kinds.fetchall()) == {(name,) for name in ("deals", *SUMMED)}
    (figure,) = answer.json()["figures"]
    games = {side: sum(row[3] for row in figure["rows"] if row[1] == side) for side in ("with", "without")}
    assert games == {"with": 400, "without": 400}

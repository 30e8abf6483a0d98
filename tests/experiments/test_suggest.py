"""What mends a broken combination: candidates in order, a planted fault found, and what is said of it."""

import pytest

import balance
from balance import games
from balance.errors import UsageError
from balance.experiments import suggest as remedies
from balance.experiments.check import check
from balance.experiments.side_by_side import FRESH_SEED
from balance.experiments.suggest import NumberChange, candidates, suggest
from balance.games.contract import Number
from balance.judge.verdict import Verdict
from balance.sweep import simulation

ENDLESS = (
    '[[mood]]\nid = "endless"\nname = "Endless"\neditions = ["classic"]\ngoal_change = 10\nround_coins = 1\n'
)
SHORT = '[[threshold]]\nid = "length"\nlow = 1\nhigh = 12.5\nreason = "A short race."\n'
NEFARIOUS = games.get("nefarious").load_catalog()
OTHERS = ("length_ratio", "stalls", "seat", "action", "win_points")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A mood whose goal lies too far away, and nothing else wrong with it; few games judge."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(remedies, "JUDGED_PRECISION", "5pp")
    monkeypatch.setattr(remedies, "SCREENED", 100)
    (tmp_path / "endless.toml").write_text(ENDLESS)
    rest = "".join(f'[[threshold]]\nid = "{name}"\nremove = true\n' for name in OTHERS)
    (tmp_path / "short.toml").write_text(SHORT + rest)
    return tmp_path


def checked(mood, **options):
    return check(
        [mood], game="tiny", players=2, catalog=["endless.toml"], thresholds=["short.toml"], **options
    )


def test_a_number_moves_as_far_as_it_is_in_steps_of_a_twentieth():
    assert list(remedies._moved(Number("a", 1, 1, 20))) == [2, 3]
    assert list(remedies._moved(Number("a", 0, -3, 3))) == [-1, 1, -2, 2]
    assert sorted(remedies._moved(Number("a", 5, 0, 7))) == [0, 1, 2, 3, 4, 6, 7]
    assert sorted(remedies._moved(Number("a", 40, 1, 999)))[:3] == [2, 4, 6]


def test_no_number_returns_to_its_normal_value_or_most_of_the_way():
    assert min(remedies._moved(Number("set.opening_cards", 10, 0, 20, 3))) == 6
    assert sorted(remedies._moved(Number("add.cost_change", -3, -20, 20, 0))) == [-6, -5, -4, -2, -1]
    assert list(remedies._moved(Number("multiply.action_repeats", 2, 1, 4, 1))) == [3, 4]
    twist = {n.path: n for n in games.get("nefarious").numbers(NEFARIOUS, "twist", "geeks")}
    assert twist["set.opening_cards"].normal == 3


def test_the_smallest_relative_changes_come_first(place):
    found = checked("endless")
    every = candidates(found)
    assert every[:4] == [
        NumberChange("endless", "goal_change", 10, 9),
        NumberChange("endless", "goal_change", 10, 11),
        NumberChange("endless", "goal_change", 10, 8),
        NumberChange("endless", "goal_change", 10, 12),
    ]
    sizes = [change.size for change in every]
    assert sizes == sorted(sizes)
    assert len(set(every)) == len(every)
    assert NumberChange("endless", "round_coins", 1, 0) not in every


def test_the_number_that_is_wrong_is_found_and_confirmed_on_fresh_seeds(place, monkeypatch):
    found = checked("endless")
    assert found.verdict is Verdict.BROKEN
    told, seeds = [], []
    prepare = simulation.prepare_plan

    def recorded(game, catalog, plan, *rest, **options):
        seeds.append(plan.seed)
        return prepare(game, catalog, plan, *rest, **options)

    monkeypatch.setattr(simulation, "prepare_plan", recorded)
    remedy = suggest(found, advance=told.append)
    assert seeds[-3:] == [0, 0, FRESH_SEED]  # screened, judged, confirmed
    assert set(seeds[:-1]) == {0}
    assert remedy.change is not None
    assert (remedy.change.path, remedy.change.new < 8) == ("goal_change", True)
    last = remedy.tried[-1]
    assert (last.judged, last.fresh) == (Verdict.FINE, Verdict.FINE)
    assert all(one.fresh is not Verdict.FINE for one in remedy.tried[:-1])
    assert told == [str(one.change) for one in remedy.tried]
    assert f"goal_change = {remedy.change.new}" in remedy.overlay
    (place / "mended.toml").write_text(remedy.overlay)
    mended = check(
        ["endless"],
        game="tiny",
        players=2,
        catalog=["endless.toml", "mended.toml"],
        thresholds=["short.toml"],
    )
    assert mended.verdict is not Verdict.BROKEN
    said = " ".join(remedy.sentences())
    assert "fine on the seeds of this check, fine on fresh ones" in said
    again = suggest(found, jobs=1)
    assert again == remedy


def test_a_few_games_drop_what_still_lies_outside_though_they_prove_nothing(place, monkeypatch):
    (place / "endless.toml").write_text(ENDLESS.replace("= 10", "= 25"))
    monkeypatch.setattr(remedies, "SCREENED", 4)
    monkeypatch.setattr(remedies, "MOST_SCREENED", 1)
    found = checked("endless")
    (first,) = suggest(found).tried
    assert (first.change.new, first.judged) == (24, None)
    assert "rounds" in first.reason


def test_undecided_is_not_fine(place, monkeypatch):
    """The median lies exactly on the threshold: no number of games tells on which side of it."""
    (place / "short.toml").write_text((place / "short.toml").read_text().replace("high = 12.5", "high = 12"))
    monkeypatch.setattr(remedies, "MOST_JUDGED", 1)
    found = checked("endless")
    remedy = suggest(found)
    judged = [one for one in remedy.tried if one.judged is not None]
    assert [(one.judged, one.fresh) for one in judged] == [(Verdict.UNDECIDED, None)]
    assert remedy.change is None
    assert remedy.nearest == judged[0]
    assert remedy.sentences()[1].startswith(f"Nearest: with {judged[0].change} it is undecided.")


def test_that_there_is_no_remedy_is_said(place, monkeypatch):
    """Nothing that a mood can change makes races of two rounds."""
    (place / "short.toml").write_text(SHORT.replace("high = 12.5", "high = 2"))
    (place / "endless.toml").write_text(ENDLESS.replace("round_coins = 1\n", "").replace("= 10", "= 2"))
    monkeypatch.setattr(remedies, "SCREENED", 20)
    found = checked("endless")
    remedy = suggest(found)
    assert (remedy.change, remedy.overlay, remedy.nearest) == (None, "", None)
    assert len(remedy.tried) == remedy.possible
    assert all(one.judged is None for one in remedy.tried)
    assert remedy.sentences()[0].startswith("No change of one number that was tried mends it.")


def test_a_mood_that_does_nothing_any_more_is_refused(place):
    (place / "endless.toml").write_text(ENDLESS.replace("round_coins = 1\n", ""))
    found = checked("endless")
    plain = found.game.with_number(found.catalog, "mood", "endless", "goal_change", 0)
    trial = remedies._Trial(found, remedies._trials(found, place / "trials", 1))
    tried = trial.tried(NumberChange("endless", "goal_change", 10, 0), plain)
    assert (tried.screened, tried.judged) == (Verdict.FINE, None)
    assert tried.reason == "endless does nothing any more"
    assert not remedies._does_nothing(found, found.catalog, "endless")


def test_what_is_not_broken_is_not_mended(place):
    (place / "short.toml").write_text(SHORT.replace("high = 12.5", "high = 39"))
    found = checked("endless")
    with pytest.raises(UsageError, match="not broken: nothing to mend"):
        suggest(found)
    with pytest.raises(UsageError, match="strength expert: changes are tried with players who do not"):
        balance.suggest(["endless"], strength="expert")

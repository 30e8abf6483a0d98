"""Thresholds: read, overlaid, moved, and every mistake told with file, entry and field."""

import pytest

from balance import games
from balance.dataset.measures import metrics_of
from balance.errors import CatalogError, UsageError
from balance.judge.thresholds import Class, Threshold, load_thresholds
from balance.measure.metrics import Measurement
from balance.stats.ratio import Ratio
from tests.games.tiny import GAME

NEFARIOUS = games.get("nefarious")


def measured(name, of=""):
    ratio = Ratio.of([1], 1, 1)
    return Measurement(metrics_of(NEFARIOUS.facts)[name], of, ratio, ratio.interval)


def overlay(tmp_path, text):
    file = tmp_path / "own.toml"
    file.write_text(text)
    return [file]


def test_official_thresholds_give_a_reason_each():
    found = load_thresholds(NEFARIOUS)
    assert len(found.entries) >= 10
    assert all(len(entry.reason) > 20 for entry in found.entries)
    assert found.of(measured("comeback", "4")) is None


def test_an_own_file_changes_adds_and_removes(tmp_path):
    text = '[[threshold]]\nid = "stalls"\nhigh = 0.2\n'
    text += '[[threshold]]\nid = "length"\nremove = true\n'
    text += '[[threshold]]\nid = "action:work"\nhigh = 0.5\nreason = "Work is dull."\n'
    found = load_thresholds(NEFARIOUS, overlay(tmp_path, text))
    assert found.of(measured("stalls")).high == 0.2
    assert "evening lost" in found.of(measured("stalls")).reason
    assert found.of(measured("length")) is None
    assert found.of(measured("action", "work")).high == 0.5
    assert found.of(measured("action", "research")).high == 0.7


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('id = "stals"\nhigh = 1\nreason = "x"', "threshold 'stals': id: unknown metric 'stals'"),
        ('id = "action:wrok"\nhigh = 1\nreason = "x"', "id: unknown action 'wrok'; did you mean 'work'?"),
        ('id = "stalls:x"\nhigh = 1\nreason = "x"', "the metric stalls is one number; write stalls"),
        ('id = "item:gun"\nhigh = 1\nreason = "x"', "id: unknown item 'gun'"),
        ('id = "neighbour"\nreason = "x"', "high: missing; a threshold has low, high or both"),
        ('id = "neighbour"\nlow = 2\nhigh = 1\nreason = "x"', "high: must be above low (2), found 1"),
        ('id = "neighbour"\nlow = "two"\nreason = "x"', "low: expected a number -1e+06..1e+06, found 'two'"),
        ('id = "neighbour"\nlow = nan\nreason = "x"', "low: expected a number -1e+06..1e+06, found nan"),
        ('id = "neighbour"\nlow = 1', "reason: missing"),
        ('id = "neighbour"\nlow = 1\nclass_low = "brakes"\nreason = "x"', "did you mean 'breaks'"),
        ('id = "neighbour"\nlow = 1\nclass_high = "bends"\nreason = "x"', "the threshold has no high end"),
        ('id = "neighbour"\nlow = 1\nreason = "x"\nmax = 3', "max: unknown field 'max'"),
    ],
)
def test_mistakes_name_file_entry_and_field(tmp_path, text, told):
    with pytest.raises(CatalogError) as caught:
        load_thresholds(NEFARIOUS, overlay(tmp_path, f"[[threshold]]\n{text}\n"))
    assert str(caught.value).startswith(f"{tmp_path / 'own.toml'}: threshold ")
    assert told in str(caught.value)


def test_classes_and_what_a_file_accepts(tmp_path):
    text = '[[threshold]]\nid = "stalls"\nclass_high = "bends"\n'
    text += '[[accept]]\nid = "action:work:low"\nreason = "Nobody shall work."\n[[accept]]\nid = "length"\n'
    found = load_thresholds(NEFARIOUS, overlay(tmp_path, text), ["seat"])
    assert found.of(measured("stalls")).class_high is Class.BENDS
    assert (found.of(measured("action", "work")).class_low, found.of(measured("action")).class_high) == (
        Class.BENDS,
        Class.BREAKS,
    )
    accepted = [
        (name, of, end)
        for name, of in [
            ("action", "work"),
            ("action", "invent"),
            ("length", ""),
            ("seat", "3"),
            ("stalls", ""),
        ]
        for end, upper in [("low", False), ("high", True)]
        if found.accepts(measured(name, of), upper=upper)
    ]
    both = [("length", "", "low"), ("length", "", "high"), ("seat", "3", "low"), ("seat", "3", "high")]
    assert accepted == [("action", "work", "low"), *both]


def test_an_accepted_finding_that_nothing_can_be(tmp_path):
    with pytest.raises(CatalogError, match=r"accept 'action:wrok': id: .*did you mean 'work'"):
        load_thresholds(NEFARIOUS, overlay(tmp_path, '[[accept]]\nid = "action:wrok"\n'))
    with pytest.raises(UsageError, match="accept lenght: unknown metric"):
        load_thresholds(NEFARIOUS, accept=["lenght"])


def test_a_file_that_is_none_is_told(tmp_path):
    with pytest.raises(CatalogError, match="no such file"):
        load_thresholds(NEFARIOUS, [tmp_path / "nowhere.toml"])


def test_without_any_threshold_nothing_is_judged(tmp_path):
    removed = "".join(
        f'[[threshold]]\nid = "{entry.id}"\nremove = true\n' for entry in load_thresholds(GAME).entries
    )
    with pytest.raises(UsageError, match="no threshold left"):
        load_thresholds(GAME, overlay(tmp_path, removed))


def test_in_words():
    assert str(Threshold("seat", 0.9, 1.1, "")) == "0.9 to 1.1"
    assert str(Threshold("stalls", None, 0.01, "")) == "at most 0.01"
    assert str(Threshold("skill", 1.05, None, "")) == "at least 1.05"

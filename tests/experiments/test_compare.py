"""Comparing: both sides counted again from rows, and intervals that keep their promise."""

import math
from collections import Counter
from dataclasses import fields, replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import balance
from balance import games
from balance.dataset.measures import Metric
from balance.errors import DataError
from balance.experiments.compare import compare
from balance.experiments.compare.changes import (
    ALL,
    COMBINATION,
    ITEM,
    Change,
    Looking,
    carried,
    changes_of,
    corrected,
)
from balance.experiments.compare.measured import causes_of
from balance.games.lineup import parse_lineup
from balance.measure.items import items_of
from balance.measure.paired import (
    Group,
    groups_of,
    pair_cells,
    paired_dealt,
    paired_measures,
)
from balance.report.comparison_answer import comparison_answer
from balance.stats.corrections import benjamini_yekutieli, harmonic
from tests.games.tiny import GAME
from tests.sums import difference_of

NEFARIOUS = games.get("nefarious")
STORM = '[[mood]]\nid = "windy"\nrun_change = -2\n'
CARD = 46
PAIRS = ["unions,geeks", "grants,unions"]
PLAYERS = 4


LENGTH = Metric("mean_length", "mean length in rounds")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder to work in, with overlays."""
    folder = tmp_path_factory.mktemp("comparing")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        (folder / "storm.toml").write_text(STORM)
        (folder / "cheap.toml").write_text(f"[[invention]]\nid = {CARD}\ncost = 4\n")
        (folder / "gone.toml").write_text(f"[[invention]]\nid = {CARD}\nremove = true\n")
        (folder / "words.toml").write_text(f'[[invention]]\nid = {CARD}\nnote = "Other words."\n')
        yield folder


@pytest.fixture(scope="module")
def cheap(place):
    """A card made much cheaper, in two pairs and without twists."""
    return compare("official", "cheap.toml", players=PLAYERS, variants=PAIRS, games_per_cell=400)


# --- counting


@pytest.fixture(scope="module")
def tiny_phase(place):
    options = {"game": "tiny", "games_per_cell": 40, "replicates": 2, "lineups": ["mirror:random", "field"]}
    base = balance.simulate(place / "base", **options)
    candidate = balance.simulate(place / "candidate", **options, catalog=["storm.toml"])
    return pair_cells(base, candidate, [cell.key for cell in base.plan.cells])


@cache
def summed(path, column, table):
    return balance.open_run(path).sql(
        "select g.cell_id, g.game_index, "
        f"sum(t.{column})::int as x from games g join {table} t using (game_id) group by 1, 2 order by 1, 2"
    )


def of_deals(run, cell, column, table="games"):
    """The sum of a column over the games of each deal, in the order of deals."""
    rows = summed(run.path, column, table).filter(pl.col("cell_id") == cell)
    return rows["x"].to_numpy().astype(np.int64)


def same(one, two):
    """Return whether two differences are of the same sums."""

    def sums(found):
        parts = (found.own, found.base, found.common)
        return [int(getattr(p, f.name)) for p in parts for f in fields(p) if f.name != "most"]

    return sums(one) == sums(two)


@pytest.mark.parametrize(
    ("part", "table", "column"), [("mean_length", "games", "rounds"), ("money", "seats", "coins")]
)
def test_sums_of_a_cell_are_those_of_its_rows(tiny_phase, part, table, column):
    groups = groups_of(tiny_phase.pairings)
    measured = paired_measures(tiny_phase, groups)
    assert tiny_phase.pairings
    for own in tiny_phase.pairings:
        sides = ((tiny_phase.candidate, own.candidate), (tiny_phase.base, own.base))
        now, before = (of_deals(run, cell, column, table) for run, cell in sides)
        games_ = np.full(40, 2 * (own.players if table == "seats" else 1))
        found = measured[Group(own.players, own.lineup, own.variants, whole=True)][part]
        assert same(found, difference_of(now, games_, before, games_))


def test_cells_are_put_together_by_deal(tiny_phase):
    groups = groups_of(tiny_phase.pairings)
    measured = paired_measures(tiny_phase, groups)
    at = [own for own in tiny_phase.pairings if (own.players, own.lineup) == (3, "field")]
    assert len(at) == 4
    columns = [np.zeros(40, np.int64) for _ in range(2)]
    for own in at:
        columns[0] += of_deals(tiny_phase.candidate, own.candidate, "rounds")
        columns[1] += of_deals(tiny_phase.base, own.base, "rounds")
    held = np.full(40, 2 * len(at))
    figure = measured[Group(3, "field")]["mean_length"]
    assert same(figure, difference_of(columns[0], held, columns[1], held))
    per_deal = (columns[0] - columns[1]) / 8
    assert figure.value == pytest.approx(per_deal.mean())
    assert figure.variance == pytest.approx(per_deal.var(ddof=1) / 40)


def test_only_deals_that_both_have_count(place, tiny_phase):
    part = balance.simulate(
        place / "few", game="tiny", games_per_cell=25, replicates=2, lineups=["mirror:random", "field"]
    )
    phase = pair_cells(part, tiny_phase.candidate, [cell.key for cell in part.plan.cells])
    assert {own.deals for own in phase.pairings} == {25}
    measured = paired_measures(phase, groups_of(phase.pairings))
    assert {int(parts["mean_length"].deals) for parts in measured.values()} == {25}


def test_the_seat_that_was_dealt_a_card_counted_from_rows(cheap):
    base, candidate = cheap.base.run, cheap.candidate.run
    phase = pair_cells(base, candidate, [cell.key for cell in base.plan.cells])
    found = paired_dealt(phase, groups_of(phase.pairings), {CARD: True})[CARD]
    assert phase.pairings
    query = (
        "select cell_id, win_points::int as score from cards where invention = $card and how = 'opening' "
        "order by game_id, seat"
    )
    now, before = (run.sql(query, card=CARD) for run in (candidate, base))
    for own in phase.pairings:
        sides = ((now, own.candidate), (before, own.base))
        scores = [rows.filter(pl.col("cell_id") == cell) for rows, cell in sides]
        assert scores[0].height
        held = np.ones(scores[0].height, np.int64)
        expected = difference_of(scores[0]["score"].to_numpy(), held, scores[1]["score"].to_numpy(), held)
        assert same(found[Group(own.players, own.lineup, own.variants, whole=True)], expected)


# --- how sure


def row_of(difference):
    return Looking(COMBINATION, Group(2, "x", ("windy",), whole=True), LENGTH, "", difference)


def played(catalog, mood, deals):
    """Lengths of races of the tiny game, deal by deal."""
    cell = GAME.compile(catalog, "classic", 2, [mood])
    indices = np.arange(deals)
    lineup = parse_lineup("mirror:random", 2, GAME)
    return GAME.play(cell, 5, indices, lineup.seated(5, indices))["games"]["rounds"].astype(np.int64)


def test_intervals_cover_the_truth_as_often_as_they_say(place):
    blocks, size = 150, 30
    before = played(GAME.load_catalog(), "windy", blocks * size)
    after = played(GAME.load_catalog([place / "storm.toml"]), "windy", blocks * size)
    truth = (after - before).mean()
    ones = np.ones(size, np.int64)
    covered = 0
    for k in range(blocks):
        part = slice(k * size, (k + 1) * size)
        difference = difference_of(after[part], ones, before[part], ones)
        (change,) = changes_of([row_of(difference)])
        covered += change.low <= truth <= change.high
    # 95%, give or take three standard errors of 150 tries
    assert 0.95 - 3 * math.sqrt(0.05 * 0.95 / blocks) <= covered / blocks <= 1.0
    unpaired = (before.var() + after.var()) / (after - before).var()
    assert unpaired > 1.2  # what pairing is for


def test_looking_closely_does_not_blur_the_whole():
    def change(level, p):
        return Change(level, 4, "x", (), None, LENGTH, "", 1.0, 1.0, 0.0, 0.0, 0.0, 99, p, 0.0, 0.0)

    looked = [change(ALL, 0.001), *[change(COMBINATION, 0.5)] * 999]
    adjusted, family = corrected(looked)
    assert family.tests == 1000
    assert adjusted[0].adjusted == pytest.approx(0.001 * 2 * harmonic(1000))  # as one of 2, not of 1000
    assert adjusted[0].sure
    assert benjamini_yekutieli([one.p for one in looked])[0] > 0.05
    assert all(one.adjusted == 1.0 for one in adjusted[1:])


def test_the_critical_value_is_where_claims_end():
    def change(level, p):
        return Change(level, 4, "x", (), None, LENGTH, "", 1.0, 1.0, 0.0, 0.0, 0.0, 99, p, 0.0, 0.0)

    for p, sure in ((0.0499, True), (0.0501, False)):  # two levels of one test each, and both claimed
        changes, family = corrected([change(ALL, p / harmonic(2)), change(COMBINATION, p / harmonic(2))])
        critical = family.critical(ALL, claims=2)
        assert [one.sure for one in changes] == [sure] * 2 == [one.p <= critical for one in changes]


def test_false_claims_stay_rare_when_nothing_changed():
    rng = np.random.default_rng(7)
    levels = [ALL] * 2 + [ITEM] * 8 + [COMBINATION] * 40
    rounds, claims, by_level = 3000, 0, Counter()
    for _ in range(rounds):
        looked = [
            Change(level, 4, "x", (), None, LENGTH, "", 1.0, 1.0, 0.0, 0.0, 0.0, 99, float(p), 0.0, 0.0)
            for level, p in zip(levels, rng.uniform(size=len(levels)), strict=True)
        ]
        sure = [one.level for one in corrected(looked)[0] if one.sure]
        claims += bool(sure)
        by_level.update(sure)
    # of independent p-values Benjamini and Hochberg would claim something in 5% of rounds, this in 5% / 4.5
    expected = rounds * 0.05 / harmonic(len(levels))
    assert abs(claims - expected) <= 3 * math.sqrt(expected)
    # a third at each level; without the weights 2 of 50 would be those over all combinations
    assert by_level[ALL] >= 0.15 * by_level.total()
    assert by_level[ITEM] >= 0.2 * by_level.total()


def test_where_every_deal_differs_by_the_same_it_is_sure():
    ones = np.ones(20, np.int64)
    before = np.arange(20)
    difference = difference_of(before + 3, ones, before, ones)
    (change,) = changes_of([row_of(difference)])
    assert (change.difference, change.low, change.high) == (3.0, 3.0, 3.0)
    assert change.p == 0.5**19
    few = difference_of(before[:9] + 3, ones[:9], before[:9], ones[:9])
    assert changes_of([row_of(few)])[0].p is None


def test_what_has_no_changed_twist_plays_the_same_games(checkout):
    changed = NEFARIOUS.load_catalog([checkout / "docs" / "recipes" / "twist-number.toml"])
    lineup = parse_lineup("mirror:adaptive", 4, NEFARIOUS)
    indices = np.arange(40)
    both = []
    for catalog in (NEFARIOUS.load_catalog(), changed):
        cell = NEFARIOUS.compile(catalog, "ascora-2011", 4, ["geeks", "unions"])
        both.append(NEFARIOUS.play(cell, 0, indices, lineup.seated(0, indices)))
    assert {"games", "seats"} <= both[0].keys()
    for table, columns in both[0].items():
        assert all(np.array_equal(values, both[1][table][name]) for name, values in columns.items()), table


def test_rows_of_items_count_the_deals_that_have_the_item(place):
    found = compare("official", "cheap.toml", players=2, variants="none", games_per_cell=300)
    assert {c.deals for c in found.changes if c.metric == "built"} == set()  # one combination has no whole
    found = compare("official", "cheap.toml", players=2, variants="unions", games_per_cell=300)
    built = {c.item: c.deals for c in found.changes if c.metric == "built"}
    assert built.keys() == {item.id for item in items_of(found.base.run.game, found.base.run.catalog)}
    query = "select distinct invention, deal(game_id) from cards"
    held = {row for side in (found.base, found.candidate) for row in side.run.sql(query).rows()}
    assert built == Counter(item for item, _ in held)
    assert max(built.values()) < 300


def test_what_breaks_a_combination_is_looked_for_among_what_changed():
    facts = NEFARIOUS.facts

    def change(metric, of, difference, item=None):
        return Change(
            COMBINATION,
            4,
            "x",
            ("unions",),
            item,
            Metric(metric, metric),
            of,
            1.0,
            1.0,
            difference,
            0.0,
            0.0,
            99,
            0.0,
            0.0,
            0.0,
        )

    def finding(metric, of, upper):
        name = f"{metric}:{of}" if of else metric
        measured = SimpleNamespace(name=name, of=of, metric=SimpleNamespace(name=metric))
        return SimpleNamespace(measured=measured, upper=upper, cell=SimpleNamespace(lineup="x"))

    sure = [change("dealt", "", 0.3, item=CARD), change("mean_length", "", -2.0)]
    looked = {
        ("item", str(CARD), True): True,
        ("item", str(CARD), False): False,  # it moved the other way
        ("item", "45", True): False,
        ("length_ratio", "", False): True,
        ("length", "", True): False,
        ("stalls", "", True): False,
    }
    broken = [finding(*key) for key in looked]
    judgement = SimpleNamespace(players=4, variants=("unions",), broken=broken)
    causes = list(causes_of(judgement, sure, facts))
    assert causes == [one for one, expected in zip(broken, looked.values(), strict=True) if expected]


# --- one combination that carries a change


@pytest.fixture(scope="module")
def outlier(place):
    """A mood that makes races longer; a charm's name lets all combinations be compared."""
    (place / "outlier.toml").write_text(STORM + '[[charm]]\nid = 3\nname = "Other words"\n')
    return compare("official", "outlier.toml", game="tiny", games_per_cell=120)


def test_the_combination_that_carries_a_change_is_named(outlier):
    wholes = [c for c in outlier.changed if (c.level, c.metric) == (ALL, "mean_length")]
    assert {c.players for c in wholes} == {None, 2, 3}
    assert {(c.rest.variants, c.rest.difference, c.rest.p) for c in wholes} == {(("windy",), 0.0, 1.0)}
    first = comparison_answer(outlier).sections[0].blocks[0].items
    assert first[0].startswith("Length: all numbers of players: mean length in rounds ")
    assert first[0].endswith("; carried by Windy: without it +0.00 (+0.00 to +0.00).")
    assert first[1].startswith("Who wins: no clear change (a change of ")


def test_what_is_left_without_a_combination_is_counted_from_the_others(place):
    found = compare("classic", "brisk", game="tiny", players=3, games_per_cell=40)
    whole = next(c for c in found.changed if (c.level, c.metric) == (ALL, "mean_length"))
    assert whole.rest is None  # every mood is shorter in the brisk edition
    phase = pair_cells(*(side.run for side in (found.base, found.candidate)), [
        cell.key for cell in found.base.run.plan.cells
    ])  # fmt: skip
    numbers = {own.variants: own.number for own in phase.pairings}
    rest = Group(3, "mirror:random", ("windy",), without=True)
    kept = [number for variants, number in numbers.items() if variants != ("windy",)]
    figure = paired_measures(phase, {rest: kept})[rest]["mean_length"]
    columns = [np.zeros(40, np.int64) for _ in range(2)]
    for own in (own for own in phase.pairings if own.number in kept):
        columns[0] += of_deals(phase.candidate, own.candidate, "rounds")
        columns[1] += of_deals(phase.base, own.base, "rounds")
    held = np.full(40, len(kept))
    assert same(figure, difference_of(columns[0], held, columns[1], held))


@pytest.mark.parametrize(
    ("difference", "p", "expected"),
    [(0.4, 0.001, True), (-2.0, 0.001, True), (0.6, 0.001, False), (0.6, 0.02, True), (0.6, None, True)],
)
def test_a_change_is_carried_if_it_is_halved_or_unsure_without(difference, p, expected):
    def change(value, p):
        return Change(ALL, 4, "x", (), None, LENGTH, "", 1.0, 2.0, value, 0.0, 0.0, 99, p, 0.0, 0.0)

    assert carried(change(1.0, 1e-9), change(difference, p), critical=0.01) is expected


def test_only_what_is_declared_as_compared_joins_the_family(place, monkeypatch):
    counted = compare("classic", "brisk", game="tiny", players=3, games_per_cell=20)
    assert any(c.metric == "money" for c in counted.changes)
    declared = tuple(replace(one, compared="") for one in GAME.facts.declared)
    monkeypatch.setattr(type(GAME), "facts", replace(GAME.facts, declared=declared))
    fewer = compare("classic", "brisk", game="tiny", players=3, games_per_cell=20)
    gone = {c.looked for c in counted.changes} - {c.looked for c in fewer.changes}
    assert {looked[-1] for looked in gone} == {"money", "action:run", "action:earn", "action:buy"}
    assert fewer.family.tests == counted.family.tests - len(gone) < counted.family.tests


# --- a changed card


def test_a_changed_card_is_named_and_found_in_its_seat(cheap):
    dealt = [c for c in cheap.changed if c.metric == "dealt"]
    whole = next(c for c in dealt if c.level == ITEM and c.item == CARD)
    assert max(dealt, key=lambda c: abs(c.difference)).item == CARD  # others move less, if at all
    assert whole.low > 0.2  # who holds it wins more
    answer = comparison_answer(cheap)
    first = answer.sections[0].blocks[0].items
    assert "Who wins: Moon Base, 4 players: win points of a seat that was dealt it" in first[1]
    said = {(one["level"], one["metric"], one["item"]): one["sentence"] for one in answer.findings}
    assert first[1] == f"Who wins: {said['item', 'dealt', CARD]}."
    assert CARD in {c.item for c in cheap.changed if c.metric == "built"}


def test_a_removed_card_is_told_by_who_would_have_been_dealt_it(place):
    found = compare("official", "gone.toml", players=PLAYERS, variants="none", games_per_cell=99)
    dealt = [c for c in found.changes if c.metric == "dealt" and c.item == CARD]
    assert [c.level for c in dealt] == [COMBINATION]
    assert dealt[0].deals > 0
    assert all(c.item != CARD for c in found.changes if c.metric == "built")


def test_nothing_is_named_when_only_the_notes_of_a_card_changed(place):
    found = compare("official", "words.toml", players=PLAYERS, variants="unions,geeks", games_per_cell=30)
    assert found.base.catalog.hash != found.candidate.catalog.hash
    assert found.changed == ()
    assert {c.difference for c in found.changes} == {0.0}


def test_nothing_to_compare_is_said_before_anything_is_played(place, tmp_path):
    with pytest.raises(DataError, match="no run or overlay"):
        compare("official", tmp_path / "nowhere.toml")

"""The sums of a cell: against the same counts made from plain rows, for both games."""

import json
import math
import re
import tempfile
from collections import Counter, defaultdict
from dataclasses import fields, replace
from pathlib import Path
from textwrap import dedent

import numpy as np
import polars as pl
import pytest

import balance
from balance.dataset.measures import DEFICITS
from balance.dataset.views import keep_views
from balance.errors import UsageError
from balance.games.measures import From, Measure
from balance.measure.cells import connect, connect_to, statistics
from balance.stats.ratio import Ratio
from tests.sums import common_of


def rows_by_game(runs):
    """Return every game as a dict, with the dicts of its seats in order."""
    games, seats = [], defaultdict(list)
    for run in runs:
        for row in run.seats.collect().iter_rows(named=True):
            seats[row["game_id"]].append(row)
        games += list(run.games.collect().iter_rows(named=True))
    return [(game, sorted(seats[game["game_id"]], key=lambda row: row["seat"])) for game in games]


def numbers_of(game, seats, facts, policies):
    """Return (num, den) of every part of one game, counted the slow way."""
    m, n, winner = facts.measures, len(seats), game["winner_seat"]
    found = {"mean_length": (game["rounds"], 1), "stalls": (int(game["stalled"]), 1)}
    if m.lead_changes:
        found["no_lead_change"] = (int(game[m.lead_changes] == 0), 1)
    if "deck_exhausted" in game:
        found["tie_extensions"] = (int(game["rounds_after_goal"] > 0), 1)
        found["exhaustion"] = (int(game["deck_exhausted"]), 1)
    for name, column in (("money", "money"), ("money", "coins"), ("hand", "hand")):
        if column in seats[0]:
            found[name] = (sum(row[column] for row in seats), n)
    chosen = [next(name for name in (f"chose_{a}", f"times_{a}") if name in seats[0]) for a in facts.actions]
    choices = sum(row[column] for row in seats for column in chosen)
    for action, column in zip(facts.actions, chosen, strict=True):
        found[f"action:{action}"] = (sum(row[column] for row in seats), choices)
    if m.half_score:
        halves = [row[m.half_score] for row in seats]
        sole = halves.count(max(halves)) == 1
        found["half_leader"] = (int(sole and winner == halves.index(max(halves))), int(sole))
        for low, high in DEFICITS:
            behind = [k for k, half in enumerate(halves) if low <= max(halves) - half <= high]
            found[f"comeback:{low}"] = (int(winner in behind), len(behind))
    for seat in range(n):
        found[f"seat:{seat}"] = (1 if winner is None else n * (winner == seat), 1)
    names = [row["policy"] for row in seats]
    for policy in policies:
        held = names.count(policy)
        score = held if winner is None else n * (names[winner] == policy)
        found[f"win_points:{policy}"] = (score, held)
        beside = around = 0
        if n > 3 and winner is not None:
            others = [k for k in range(n) if k != winner and names[k] == policy]
            around = 2 * len(others)
            beside = (n - 1) * sum((k - winner) % n in (1, n - 1) for k in others)
        found[f"neighbour:{policy}"] = (beside, around)
    return found


def items_of(game, seats, ids):
    """Return (num, den) of every item in the opening hands of one game."""
    n, winner = len(seats), game["winner_seat"]
    found = {}
    for place, item in enumerate(ids):
        holders = [k for k, row in enumerate(seats) if row[f"opening_{place // 64}"] >> place % 64 & 1]
        score = len(holders) if winner is None else n * (winner in holders)
        found[f"item:{item}"] = (score, len(holders))
    return found


def whole(sums):
    """Return the sums alone, without the greatest value."""
    return [int(getattr(sums, field.name)) for field in fields(sums) if field.name != "most"]


def estimates(found, number):
    """Return the estimate of every metric of a cell by name."""
    return {one.name: one.estimate for one in found.figures.of(number)}


def check(runs, policies, **options):
    facts = runs[0].game.facts
    found = statistics(runs, **options)
    deals = defaultdict(lambda: defaultdict(lambda: defaultdict(lambda: [0, 0])))
    lengths = defaultdict(Counter)
    for game, seats in rows_by_game(runs):
        lengths[game["cell_id"]][game["rounds"]] += 1
        numbers = numbers_of(game, seats, facts, policies)
        if facts.mask("opening"):
            numbers |= items_of(game, seats, sorted(runs[0].small(facts.items)["id"]))
        for name, (num, den) in numbers.items():
            pair = deals[game["cell_id"]][name][game["game_index"]]
            pair[0] += num
            pair[1] += den
    assert set(found.cells) == set(lengths)
    for number, cell in found.cells.items():
        own = estimates(found, number)
        assert {k: n for k, n in enumerate(own["length"].counts) if n} == lengths[number]
        assert cell.games == sum(lengths[number].values())
        for name, by_index in deals[number].items():
            nums, dens = zip(*by_index.values(), strict=True)
            of_policies = name.startswith(("win_points", "neighbour"))
            if not sum(dens):
                assert name not in own
            elif not of_policies or "," in cell.lineup or cell.lineup == "field":
                assert whole(own[name]) == whole(Ratio.of(nums, dens)), (cell, name)
        base = found.baseline(cell)
        for name in ("mean_length", "money", "hand") if cell.variants and base else ():
            if name in deals[number]:
                here, plain = deals[number][name], deals[base.id][name]
                both = sorted(here.keys() & plain.keys())
                sides = [[side[k][part] for k in both] for side in (here, plain) for part in (0, 1)]
                multiple = own["length_ratio" if name == "mean_length" else f"{name}_ratio"]
                assert whole(multiple.common) == whole(common_of(*sides))
                assert whole(multiple.base) == whole(estimates(found, base.id)[name])
    return found


def test_every_sum_of_a_family_of_runs_is_that_of_its_rows(tiny_runs):
    found = check(tiny_runs, ("random", "thrifty"))
    assert {cell.deals for cell in found.cells.values()} == {50}
    cell = found.find(3, ("windy",), "field")
    assert cell.variants == ("windy",)
    assert found.baseline(cell).variants == ()
    assert found.find(3, ("nowhere",), "field") is None


def test_games_that_share_a_deal_are_one_observation(tiny_replicated):
    found = check([tiny_replicated], ("random", "thrifty"))
    wins = wins_within([tiny_replicated])
    assert found.cells.keys() == wins.keys()
    assert wins
    for number, cell in found.cells.items():
        assert (cell.deals, cell.games) == (25, 100)
        value, error = agreement(wins[number], 4)
        luck = estimates(found, number)["luck"]
        assert (luck.value, luck.error) == pytest.approx((value, error))


def agreement(patterns, again):
    """Return the intraclass correlation of winning within deals, and its standard error, the slow way."""
    rows = [[*wins, again - sum(wins)] for wins, count in patterns.items() for _ in range(count)]
    wins = np.array(rows, float)
    deals = len(wins)
    same = (wins * (wins - 1)).sum(axis=1) / (again * (again - 1))
    shares = wins / again
    mean = shares.mean(axis=0)
    chance = (mean**2).sum()
    slope = (same.mean() - 1) / (1 - chance) ** 2
    influence = same / (1 - chance) + slope * 2 * (shares @ mean)
    error = max(math.sqrt(influence.var(ddof=1) / deals), 2 / deals / (1 - chance))
    return (same.mean() - chance) / (1 - chance), error


def test_luck_by_hand():
    """Of 100 deals of two games, 30 go twice to seat 0, 30 twice to seat 1, 40 once to each."""
    value, error = agreement({(2, 0): 30, (0, 2): 30, (1, 1): 40}, 2)
    assert value == pytest.approx(0.2)  # same winner in 6 of 10, by seats alone in half
    assert error == pytest.approx(math.sqrt(0.24 / 99) / 0.5)


def test_ten_deals_that_all_repeat_their_winner_leave_doubt(tmp_path):
    """A chance of 3 in 4 to agree, where the deal decides half, gives ten of ten in 6% of all runs."""
    options = {"game": "tiny", "players": 2, "variants": "none", "lineups": ["mirror:thrifty"]}
    run = balance.simulate(tmp_path / "run", **options, games_per_cell=10, replicates=2, jobs=1)
    (wins,) = wins_within([run]).values()
    assert set(wins) == {(2, 0), (0, 2)}
    found = statistics([run])
    (cell,) = found.cells.values()
    luck = found.figures.find(cell.id, "luck")
    assert (luck.estimate.value, luck.estimate.error) == pytest.approx(agreement(wins, 2))
    assert luck.estimate.above(0.5) > 0.05
    assert luck.interval.low < 0.5 < luck.interval.value == luck.interval.high == 1
    with connect_to([run], metrics=True) as con:
        (row,) = con.execute("select value, low, high from metrics where metric = 'luck'").fetchall()
    assert row == pytest.approx(tuple(luck.interval))


def test_only_some_deals_of_a_cell_count_if_asked(tmp_path):
    options = {"game": "tiny", "players": 3, "replicates": 3, "lineups": ["mirror:random", "field"]}
    longer, first = (
        balance.simulate(tmp_path / str(deals), **options, games_per_cell=deals) for deals in (30, 12)
    )
    every, few = statistics([longer]), statistics([first])
    same = statistics([longer], within=dict.fromkeys(every.cells, (0, 12)))
    assert {n: cell.deals for n, cell in same.cells.items()} == dict.fromkeys(few.cells, 12)
    for number in few.cells:
        assert [one.interval for one in same.figures.of(number)] == [
            one.interval for one in few.figures.of(number)
        ]
    some = next(iter(every.cells))
    rest = statistics([longer], within={some: (12, 30)})
    assert rest.cells[some].deals == 18
    later, first, whole_ = (estimates(one, some)["mean_length"] for one in (rest, few, every))
    assert later + first == whole_
    assert {number: cell.deals for number, cell in rest.cells.items() if number != some} == dict.fromkeys(
        [number for number in every.cells if number != some], 30
    )


def wins_within(runs):
    """Return how many deals of each cell had which wins by seat."""
    deals = defaultdict(lambda: defaultdict(list))
    for game, seats in rows_by_game(runs):
        deals[game["cell_id"]][game["game_index"]].append([row["won"] for row in seats])
    return {
        number: Counter(tuple(sum(column) for column in zip(*won, strict=True)) for won in by_index.values())
        for number, by_index in deals.items()
    }


def test_a_deal_that_nobody_ever_wins(tmp_path):
    far = tmp_path / "far.toml"
    far.write_text('[[mood]]\nid = "windy"\nrun_change = -3\n[[edition]]\nid = "classic"\ngoal = 99\n')
    run = balance.simulate(
        tmp_path / "run",
        game="tiny",
        players=2,
        variants=["windy"],
        catalog=[far],
        games_per_cell=6,
        replicates=2,
        jobs=1,
    )
    found = statistics([run])
    cells = [estimates(found, number) for number in found.cells]
    assert len(cells) == 2
    assert {int(cell[name].num) for cell in cells for name in ("stalls", "seat:1")} == {12}
    assert not any({"luck", "length_ratio"} & set(cell) for cell in cells)  # no baseline


def test_some_cells_bring_their_baselines_along(tiny_runs, tiny_statistics):
    cell = tiny_statistics.find(2, ("festive",), "field")
    found = statistics(tiny_runs, [cell.id])
    assert set(found.cells) == {cell.id, tiny_statistics.baseline(cell).id}
    assert found.cells[cell.id] == cell
    with pytest.raises(UsageError, match="no cell 999"):
        statistics(tiny_runs, [999])


@pytest.fixture(scope="module")
def nefarious(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nefarious")
    return balance.simulate(
        folder / "run",
        players="3,5",
        variants=["none", "unions", "unions,parallel-universe"],
        lineups=["field", "mirror:random"],
        games_per_cell=40,
    )


def test_nefarious_adds_up_too(nefarious):
    found = check([nefarious], nefarious.game.facts.field)
    cell = found.find(5, ("parallel-universe", "unions"), "field")
    sums = estimates(found, cell.id)
    assert {f"neighbour:{name}" for name in nefarious.game.facts.field} <= set(sums)
    assert sum(own.den for name, own in sums.items() if name.startswith("item")) == 40 * 5 * 3


def test_items_of_deals_that_were_replayed(tmp_path):
    """A deal is one observation however often it is played; without replays it is enough to count."""
    options = {"players": 3, "variants": "none", "lineups": ["mirror:random"], "games_per_cell": 6}
    run = balance.simulate(tmp_path / "run", **options, replicates=3)
    found = check([run], ())
    assert any(one.num > one.den for one in estimates(found, 0).values() if isinstance(one, Ratio))


def test_nothing_is_drawn_into_the_output():
    con = connect()
    assert con.execute("select current_setting('enable_progress_bar')").fetchall() == [(False,)]


def test_what_is_kept_for_one_lineup_leaves_the_others_as_they_are(nefarious):
    """A report drew no figure for a lineup after a query on items had looked at another one."""
    tables = "select count(*) from cell_tables"
    with connect_to([nefarious], metrics=True) as con:
        every = con.execute(tables).fetchall()
        keep_views(con, "from item_openings", "field")
        assert con.execute("select distinct lineup from item_openings").fetchall() == [("field",)]
        assert con.execute(tables).fetchall() == every


def counted(run, name):
    """Return numerator and denominator of a measure over all cells."""
    found = statistics([run])
    sums = [own[name] for own in (estimates(found, number) for number in found.cells) if name in own]
    return sum(int(one.num) for one in sums), sum(int(one.den) for one in sums)


@pytest.mark.slow
def test_the_worked_example_of_the_contributing_page(nefarious, checkout, monkeypatch, tmp_path):
    """Its declaration gives what its test counts; it is in metrics, judged by a threshold, in a report."""
    page = (checkout / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = page.partition("## Add a metric")[2].partition("\n## ")[0]
    declaration, test = (dedent(block) for block in re.findall(r"```python\n(.*?)```", section, re.S))
    (row,) = re.findall(r"```markdown\n(.*?)```", section, re.S)
    assert re.match(r"\| `first_builder` \| share \|", dedent(row))  # as `test_metrics.py` looks for it
    assert len((declaration + row + test).splitlines()) < 30
    measure = eval(declaration, {"Measure": Measure, "From": From})
    facts = nefarious.game.facts
    own = replace(facts, declared=(*facts.declared, measure))
    monkeypatch.setattr(type(nefarious.game), "facts", property(lambda _: own))
    monkeypatch.setattr("balance.dataset.kept.cache_dir", lambda: tmp_path)
    room = {"pl": pl, "counted": counted}
    exec(test, room)
    room["test_the_first_builder"](nefarious)
    num, den = counted(nefarious, "first_builder")
    assert 0 < num < den
    with connect_to([nefarious], metrics=True) as con:
        rows = con.execute("select sum(games) from metrics where metric = 'first_builder'").fetchall()
    assert rows == [(nefarious.plan.games,)]
    (tmp_path / "own.toml").write_text(
        '[[threshold]]\nid = "first_builder"\nhigh = 0.01\nclass_high = "breaks"\nreason = "test"\n'
    )
    judged = balance.check(["unions"], runs=[nefarious.path], thresholds=[tmp_path / "own.toml"])
    assert "The seat that builds first wins" in " ".join(str(judged).split())
    (query,) = re.findall(r"```sql\n(.*?)```", section, re.S)
    (tmp_path / "builders.sql").write_text(query)
    report = tmp_path / "report.json"
    balance.write_report(nefarious.path, report, players=3, queries=[tmp_path / "builders.sql"])
    tables = json.loads(report.read_text())["tables"]
    (shown,) = [table for table in tables if table["id"] == "with-builders"]
    assert [row[:2] for row in shown["rows"]] == [
        [n, one] for n in (3, 5) for one in ("field", "mirror:random")
    ]
    assert sum(row[2] > 0 for row in shown["rows"]) > 2


def test_what_does_not_fit_into_memory_goes_to_the_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    con = connect()
    con.execute("set memory_limit = '100MB'")
    con.execute("set threads = 1")
    con.execute("create table x as select random() as a from range(20000000)")
    (place,) = con.execute("select distinct path from duckdb_temporary_files()").fetchone()
    assert Path(place).is_relative_to(tempfile.gettempdir())
    con.close()
    assert not Path(place).exists()
    assert list(tmp_path.iterdir()) == []

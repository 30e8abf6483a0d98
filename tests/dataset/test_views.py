"""The views: stored rows with names and the facts of the cell; masks unpacked; row groups passed over."""

import re
from dataclasses import replace
from pathlib import Path

import duckdb
import polars as pl
import pytest

import balance
from balance.dataset.sql_quote import MACROS
from balance.dataset.views import run_labels, view_queries
from balance.errors import UsageError
from balance.stats.arithmetic import wilson
from balance.stats.intervals import Z
from balance.sweep import simulation

TINY = {"game": "tiny", "games_per_cell": 6}


@pytest.fixture
def tiny(tmp_path):
    return balance.simulate(tmp_path / "tiny", **TINY)


def columns(con, view):
    return {name: str(type_) for name, type_, *_ in con.execute(f"describe {view}").fetchall()}


def frame(con, query):
    return pl.DataFrame(con.sql(query))


# --- what there is


def test_nefarious_has_the_views_of_the_documentation(nefarious):
    wanted = "twists inventions editions policies run cells games seats builds rounds cards"
    wanted += (
        " measures metric_list deals metric_sums metric_pairs lengths designs luck telling_games"
        " cell_tables lineup_deals lineup_figures combinations"
        " variant_deals variant_figures interactions metrics"
    )
    wanted += " item_list item_deals item_openings item_versus metric_items metric_pools"
    assert list(view_queries([nefarious])) == wanted.split()


def test_stored_sql_binds_in_older_clients(nefarious, tiny):
    """DuckDB 2.0 stores an `if` as a call of a function, which DuckDB 1.5 does not have."""
    macros = re.sub("--.*", "", MACROS.read_text(encoding="utf-8"))
    stored = {"macros": macros} | view_queries([tiny]) | view_queries([nefarious])
    plain = {name: re.sub("'[^']*'", "''", sql) for name, sql in stored.items()}
    assert [name for name, sql in plain.items() if re.search(r"\bif\s*\(", sql)] == []


def test_the_design_effect_of_length_by_hand(nefarious, views):
    """Variance of deal means times games of a deal, as a multiple of the variance of games; at least 1."""
    rows = nefarious.games.select("cell_id", "game_index", "rounds").collect()
    wanted = {}
    for (cell,), own in rows.group_by("cell_id"):
        means = own.group_by("game_index").agg(pl.col("rounds").mean())["rounds"]
        single = own["rounds"].var(ddof=0)
        wanted[cell] = max(1.0, 2 * means.var(ddof=0) / single) if single else 1.0
    assert max(wanted.values()) > 1.2
    found = dict(views(nefarious).execute("select cell_id, effect from designs").fetchall())
    assert found == pytest.approx(wanted)


def test_games_worth_looking_at_by_hand(nefarious, views):
    wanted = []
    for (cell,), own in nefarious.games.collect().sort("game_id").group_by("cell_id"):
        middle = own["rounds"].sort()[own.height // 2]
        stalled = own.filter(pl.col("stalled"))["game_id"].to_list()
        typical = own.filter(pl.col("rounds") == middle)["game_id"][0]
        wanted.append((cell, typical, middle, stalled[0] if stalled else None))
    assert views(nefarious).execute("from telling_games order by all").fetchall() == sorted(wanted)


def test_another_game_has_views_in_its_own_words(tiny, views):
    wanted = "moods charms editions policies run cells games seats buys laps"
    wanted += (
        " measures metric_list deals metric_sums metric_pairs lengths designs luck telling_games"
        " cell_tables lineup_deals lineup_figures combinations"
        " variant_deals variant_figures metrics"
    )
    wanted += " item_list item_deals item_openings metric_pools"
    assert list(view_queries([tiny])) == wanted.split()
    con = views(tiny)
    assert columns(con, "buys") | {"charm_name": "VARCHAR", "single_a_name": "VARCHAR"} == columns(
        con, "buys"
    )
    stored = tiny.scan("buys").join(tiny.small("charms").lazy(), left_on="charm", right_on="id").collect()
    expected = sorted(stored.select("game_id", "round", "seat", "name").rows())
    assert (
        con.execute("select game_id, round, seat, charm_name from buys order by all").fetchall() == expected
    )


TYPES = {"INTEGER": "int32", "SMALLINT": "int16", "TINYINT": "int8", "BIGINT": "int64", "UBIGINT": "uint64"}
TYPES |= {"VARCHAR": "string", "BOOLEAN": "bool"}


def test_stored_columns_keep_their_order_types_and_rows(nefarious, views):
    con = views(nefarious)
    assert [table.name for table in nefarious.tables][:2] == ["games", "seats"]
    for table in nefarious.tables:
        types = columns(con, table.name)
        stored = [column.name for column in table.columns]
        assert [name for name in types if name in stored] == stored
        assert {c.name: c.type for c in table.columns} == {name: TYPES[types[name]] for name in stored}
        quoted = ", ".join(f'"{name}"' for name in stored)
        seen = frame(con, f"select {quoted} from {table.name}")
        assert seen.sort(stored).rows() == nefarious.scan(table.name).collect().sort(stored).rows()


def test_names_stand_beside_ids(nefarious, views):
    con = views(nefarious)
    names = dict(nefarious.small("twists").select("id", "name").rows()) | {None: None}
    for column in ("pair_a", "pair_b", "twist_1", "twist_2"):
        for view in ("games", "cells"):
            rows = con.execute(f"select distinct {column}, {column}_name from {view}").fetchall()
            assert len(rows) > (view == "games")  # without --ordered a cell has no order
            assert all(names[id_] == name for id_, name in rows)
    cards = dict(nefarious.small("inventions").select("id", "name").rows())
    for view in ("builds", "cards"):
        rows = con.execute(f"select distinct invention, invention_name from {view}").fetchall()
        assert len(rows) > 40
        assert all(cards[id_] == name for id_, name in rows)


def test_every_big_view_has_the_facts_of_its_cell(nefarious, views):
    con = views(nefarious)
    facts = ("edition", "players", "pair_a", "pair_b", "lineup")
    cells = {row[0]: row[1:] for row in nefarious.cells.select("cell_id", *facts).rows()}
    for view in ("games", "seats", "builds", "rounds", "cards"):
        rows = con.execute(f"select distinct cell_id, {', '.join(facts)} from {view}").fetchall()
        assert {row[0]: row[1:] for row in rows} == cells


def test_win_points_of_a_seat(nefarious, views):
    winners = {
        game: (winner, players)
        for game, winner, players in nefarious.games.select("game_id", "winner_seat", "players")
        .collect()
        .rows()
    }
    assert None in [winner for winner, _ in winners.values()], "no game of the run has stalled"
    rows = views(nefarious).execute("select game_id, seat, stalled, win_points from seats").fetchall()
    assert len(rows) == nefarious.seats.collect().height
    for game, seat, stalled, points in rows:
        winner, players = winners[game]
        assert stalled == (winner is None)
        assert points == (1 if winner is None else players * (seat == winner))


# --- cards


def unpacked(seats, ids, ways):
    """Return (game, seat, item, how) of every bit, the slow way."""
    found = set()
    for row in seats.iter_rows(named=True):
        for how, words in ways.items():
            mask = sum(row[word] << (64 * k) for k, word in enumerate(words))
            found |= {(row["game_id"], row["seat"], ids[bit], how) for bit in range(128) if mask >> bit & 1}
    return found


WAYS = {"opening": ("opening_0", "opening_1"), "drawn": ("drawn_0", "drawn_1")}


def test_cards_are_the_bits_of_the_masks(nefarious, views):
    con = views(nefarious)
    ids = sorted(nefarious.small("inventions")["id"])
    expected = unpacked(nefarious.seats.collect(), ids, WAYS)
    rows = con.execute("select game_id, seat, invention, how, first_time from cards").fetchall()
    assert len(rows) == len(expected)
    assert {row[:4] for row in rows} == expected
    both = {row for row in expected if row[3] == "drawn" and (*row[:3], "opening") in expected}
    assert both, "no card was drawn that was in the opening hand before"
    assert {row[:4] for row in rows if not row[4]} == both


def test_cards_know_seat_and_outcome(nefarious, views):
    con = views(nefarious)
    same = "game_id, seat, policy, won, stalled, win_points"
    seen = con.execute(f"select distinct {same} from cards order by all").fetchall()
    assert seen == con.execute(f"select {same} from seats order by all").fetchall()


def test_a_deck_of_128_cards_is_unpacked(tmp_path, views):
    more = "\n".join(
        f'[[invention]]\nid = {1001 + k}\nname = "Own card {k}"\ncost = 1\nvp = 1\n' for k in range(64)
    )
    (tmp_path / "more.toml").write_text(more)
    run = balance.simulate(
        tmp_path / "run",
        players=6,
        variants="none",
        lineups="mirror:random",
        games_per_cell=30,
        catalog=[tmp_path / "more.toml"],
    )
    ids = sorted(run.small("inventions")["id"])
    assert len(ids) == 128
    rows = views(run).execute("select game_id, seat, invention, how from cards").fetchall()
    assert set(rows) == unpacked(run.seats.collect(), ids, WAYS)
    assert max(row[2] for row in rows) > 1050


@pytest.mark.parametrize(
    "query",
    [
        "select count(*) from cards",
        "select lineup, pair_a, how, count(*), sum(win_points) from cards group by all",
        "select c.lineup, i.cost, count(*) from cards c join inventions i on i.id = c.invention group by all",
        "select t.name, count(*) from games join twists t on t.id in (pair_a, pair_b) group by all",
        "select policy, count(*) from seats where vp > (select avg(vp) from seats) group by all",
        "select a.seat, count(*) from seats a join seats b using (game_id) where a.vp < b.vp group by all",
    ],
)
def test_queries_of_all_shapes_are_answered(query, nefarious, views):
    assert views(nefarious).execute(query).fetchall()


# --- several runs


@pytest.fixture
def family(tmp_path):
    first = balance.simulate(
        tmp_path / "first", players=2, variants=["none", "windy"], lineups="field", **TINY
    )
    longer = simulation.prepare_extension(first.path, tmp_path / "more", games_per_cell=4)
    return [first, simulation.run_prepared(longer).run]


def test_several_runs_have_a_column_run(family, views):
    runs = balance.open_runs([run.path for run in family])
    con = views(*runs)
    counted = dict(con.execute("select run, count(*) from games group by run").fetchall())
    assert counted == {run.path.name: run.plan.games for run in runs}
    for view in ("seats", "buys", "laps", "run"):
        assert next(iter(columns(con, view))) == "run"
    every = sorted(number for run in runs for number in run.seats.collect()["game_id"])
    assert [row[0] for row in con.execute("select game_id from seats order by game_id").fetchall()] == every


def test_a_cell_of_several_runs_is_one_row(family, views):
    con = views(*family)
    rows = con.execute("select cell_id, first_index, deals from cells order by cell_id").fetchall()
    assert rows == [(0, 0, 10), (1, 0, 10)]
    assert con.execute("select count(*) from games join cells using (cell_id)").fetchall() == [(20,)]
    assert con.execute("select count(*) from moods").fetchall() == [(3,)]
    assert con.execute("select count(*), count(distinct policy) from policies").fetchall() == [(2, 2)]


def test_one_run_has_no_column_run(tiny, views):
    assert "run" not in columns(views(tiny), "games")


def test_runs_of_the_same_name_are_told_apart():
    assert run_labels([Path("x/a/run"), Path("x/b/run")]) == ["a/run", "b/run"]
    assert run_labels([Path("x/a"), Path("x/b")]) == ["a", "b"]


def test_no_run_is_refused():
    with pytest.raises(UsageError, match="no run is given"):
        view_queries([])


def test_a_folder_may_be_called_anything(tmp_path, views):
    run = balance.simulate(
        tmp_path / "it's [a] *run?" / "players=9", players=2, variants="none", lineups="field", **TINY
    )
    con = views(run)
    assert con.execute("select distinct players from games").fetchall() == [(2,)]
    assert con.execute("select count(*) from games").fetchall() == [(6,)]


def test_a_column_of_the_game_is_not_replaced(tiny):
    """A game may call one of its own columns as a view would call what it adds."""
    table = tiny.game.facts.table("seats")
    renamed = replace(
        table, columns=tuple(replace(c, name="lineup") if c.name == "coins" else c for c in table.columns)
    )
    facts = replace(
        tiny.game.facts, tables=tuple(renamed if t.name == "seats" else t for t in tiny.game.facts.tables)
    )

    class Game(type(tiny.game)):
        pass

    Game.facts = facts
    other = balance.Run(tiny.path, tiny.plan, tiny.state)
    other.__dict__["game"] = Game()
    assert view_queries([other])["seats"].count('"lineup"') == 1


# --- only what is needed is read


def scanned(con, query, parameters=None):
    """Return how many row groups of Parquet files a query reads, and how many there are: the largest scan."""
    plan = con.execute(f"explain analyze {query}", parameters or {}).fetchall()[0][1]
    groups = [(int(a), int(b)) for a, b in re.findall(r"Row Groups Scanned: (\d+) / (\d+)", plan)]
    most = max(total for _, total in groups)
    return max(read for read, total in groups if total == most), most


@pytest.mark.parametrize("view", ["games", "seats", "builds", "rounds", "cards"])
@pytest.mark.parametrize(
    "where",
    [
        "players = 3 and pair_a = 'philanthropy'",
        "pair_a_name = 'Philanthropy' and players = 3",
        "players = $players and pair_a = $twist",
        "($players is null or players = $players) and ($twist is null or pair_a = $twist)",
    ],
)
def test_a_query_for_one_pair_passes_over_most_row_groups(pairs, views, view, where):
    given = {"players": 3, "twist": "philanthropy"} if "$" in where else None
    con = views(pairs)
    if view == "cards":
        where += " and how = 'opening'"  # the other masks are other scans of the same files
    # `stalled` needs the games that stalled, wherever they are: a second scan of one column
    read, every = scanned(con, f"select count(*), max(game_id) from {view} where {where}", given)
    assert every >= 8
    assert read <= every / 3 or view in ("seats", "cards")
    if view in ("seats", "cards"):
        plan = con.execute(f"explain analyze select max(game_id) from {view} where {where}", given or {})
        groups = re.findall(r"Row Groups Scanned: (\d+) / (\d+)", plan.fetchall()[0][1])
        assert min(int(read) / int(every) for read, every in groups if int(every) > 4) <= 1 / 3


# --- functions


@pytest.mark.parametrize(("k", "n"), [(0, 10), (3, 40), (10, 10), (0.5, 3.5), (700, 1000)])
def test_the_ends_of_wilsons_interval(k, n):
    con = duckdb.connect()
    con.execute(MACROS.read_text(encoding="utf-8"))
    ends = con.execute("select wilson_low(?, ?), wilson_high(?, ?)", [k, n, k, n]).fetchall()[0]
    assert ends == pytest.approx([float(end) for end in wilson(k / n, n)], abs=1e-15)
    assert con.execute("select z()").fetchall() == [(Z,)]


def test_the_deal_of_a_game(nefarious, views):
    rows = views(nefarious).execute("select deal(game_id), game_index from games").fetchall()
    assert len({deal for deal, _ in rows}) == 20
    assert all(deal == index for deal, index in rows)

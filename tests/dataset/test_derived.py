"""`findings` and `verdicts` in SQL: what `check --all` says, made on first use and kept in the cache."""

import pytest

import balance
from balance.dataset import derived
from balance.dataset.connection import connect
from balance.errors import UsageError
from balance.judge import tables
from balance.judge.ranking import rank
from balance.judge.thresholds import load_thresholds


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _shared(shared, monkeypatch):
    """One cache for all tests that only read."""
    monkeypatch.setenv("BALANCE_CACHE_DIR", str(shared))


@pytest.fixture
def cache(_shared, tmp_path, monkeypatch):
    """A cache of its own."""
    monkeypatch.setenv("BALANCE_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_verdicts_are_those_of_the_ranking(nefarious):
    found = nefarious.sql(
        """select players, pair_a, pair_b, verdict, metric, further_games
        from verdicts where pair_a is not null"""
    )
    ranking = rank([nefarious], load_thresholds(nefarious.game))
    expected = set()
    for judgement in ranking.ranked:
        reason = ranking.reason(judgement)
        expected.add(
            (
                judgement.players,
                *(*judgement.variants, None, None)[:2],
                judgement.verdict.value,
                reason.measured.metric.name if reason else None,
                None if judgement.too_close else int(judgement.further),
            )
        )
    assert set(found.rows()) == expected
    assert found.height == len(expected) == 14


def test_verdicts_of_cells_say_what_is_broken_only_together(nefarious):
    ranking = rank([nefarious], load_thresholds(nefarious.game))
    found = nefarious.sql(
        "select players, variants, lineup, verdict, only_together from cell_verdicts"
    ).rows()
    cells = {(j.players, j.variants, c.cell.lineup): c.verdict.value for j in ranking.ranked for c in j.cells}
    assert {(n, tuple(names), lineup): verdict for n, names, lineup, verdict, _ in found if names} == cells
    both = {(one.players, one.variants, one.lineup): one.sure for one in ranking.together}
    said = {(n, tuple(names), lineup): word == "yes" for n, names, lineup, _, word in found if word}
    assert said == both


def test_thresholds_are_a_table(nefarious):
    found = nefarious.sql("select threshold_id, low, high, reason from thresholds").rows()
    entries = load_thresholds(nefarious.game).entries
    assert found == [(one.id, one.low, one.high, one.reason) for one in entries]


def test_the_game_without_variants_has_its_verdict(nefarious):
    found = nefarious.sql(
        "select players, verdict, games from verdicts where pair_a is null order by players"
    )
    assert found["players"].to_list() == [2, 3]
    assert found["games"].to_list() == [80, 80]


def test_findings_hold_every_metric_of_every_class(nefarious):
    """Each metric of each cell once per end, with the figures of `metrics`."""
    both = nefarious.sql(
        """select f.value, m.value, f.low, m.low, f.n from findings f
        join metrics m on m.cell_id = f.cell_id and m.metric = f.metric and m."of" = f."of" """
    )
    assert both.height > 500
    for value, same, low, same_low, _ in both.rows():
        assert value == pytest.approx(same, rel=1e-9, nan_ok=True)
        assert low == pytest.approx(same_low, rel=1e-9, nan_ok=True)
    shown = nefarious.sql(
        """select count(*) as missing from (select distinct cell_id, metric, "of" from metrics) m
        anti join findings f on m.cell_id = f.cell_id and m.metric = f.metric and m."of" = f."of" """
    )
    assert shown["missing"].to_list() == [0]
    classes = nefarious.sql("select distinct class from findings order by all")["class"].to_list()
    assert classes == ["bends", "breaks", "shown"]
    threshold = nefarious.sql(
        "select distinct threshold, class from findings where metric = 'action' and \"end\" = 'low'"
    )
    assert threshold.rows() == [(0.02, "bends")]


def test_what_is_judged_over_everything_has_rows_of_its_own(nefarious):
    found = nefarious.sql("from pooled_findings")
    pools = rank([nefarious], load_thresholds(nefarious.game)).judgements.pools
    assert set(found["metric"]) == {"seat", "item"}
    assert found.height == sum(len(pool.findings) for pool in pools)


def test_the_numbers_of_each_class_add_up(nefarious):
    found = nefarious.sql(
        """select players, variants, sum(verdicts) as n, sum(estimate) as estimate, any_value("of") as "of",
        bool_and(low <= estimate and estimate <= high) as inside
        from verdict_counts group by all order by all"""
    )
    assert found["variants"].to_list() == [0, 1, 2] * 2
    assert found["of"].to_list() == [1, 4, 3] * 2
    assert all(found["inside"])
    assert all(n <= of for n, of in zip(found["n"], found["of"], strict=True))


def test_they_are_made_only_if_named_and_once(nefarious, cache, monkeypatch):
    nefarious.sql("select count(*) from games")
    assert not list(cache.glob("judgements/*"))
    before = sorted(path.name for path in nefarious.path.rglob("*"))
    nefarious.sql("select count(*) from verdicts")
    (folder,) = cache.glob("judgements/*")
    assert {file.stem for file in folder.glob("*.parquet")} == set(balance.DERIVED)
    assert sorted(path.name for path in nefarious.path.rglob("*")) == before
    monkeypatch.setattr(tables, "_rows", None)  # what is there is not made again
    with connect([nefarious]) as con:
        assert con.frame("select count(*) as n from findings").rows() > [(500,)]
        assert con.frame("select * from verdicts limit 1").height == 1


def test_a_damaged_file_of_the_cache_is_made_again(nefarious, cache):
    query = "select * from verdicts order by all"
    before = nefarious.sql(query)
    (file,) = cache.glob("judgements/*/verdicts.parquet")
    whole = file.read_bytes()
    of_another_run = file.with_name("findings.parquet").read_bytes()
    for damaged in (whole[:100], bytes([whole[0] ^ 1]) + whole[1:], of_another_run):
        file.write_bytes(damaged)
        assert nefarious.sql(query).equals(before)
        assert file.read_bytes() == whole


def test_a_name_that_is_put_together_is_an_error_and_not_an_empty_table(nefarious):
    with pytest.raises(UsageError, match="does not contain the name"):
        nefarious.sql("select count(*) from query_table('ver' || 'dicts')")


def test_another_range_is_another_entry_of_the_cache(nefarious, cache, monkeypatch, tmp_path):
    nefarious.sql("select count(*) from verdicts")
    own = tmp_path / "thresholds.toml"
    own.write_text('[[threshold]]\nid = "length"\nhigh = 2\nreason = "A test."\n')
    monkeypatch.setattr(type(nefarious.game), "thresholds_file", lambda _: own)
    found = nefarious.sql("select distinct metric from findings where class <> 'shown'")
    assert found["metric"].to_list() == ["length"]
    assert len(list(cache.glob("judgements/*"))) == 2


def test_their_columns_are_known_before_they_are_made(nefarious, cache):
    assert {"findings", "verdicts"} < set(balance.DERIVED)
    with connect([nefarious]) as con:
        for table in balance.DERIVED:
            names = con.tables()[table]
            assert not list(cache.glob("judgements/*"))
            assert set(derived.maker(table).COLUMNS[table]) - {"cell_id"} <= set(names)
    with connect([nefarious]) as con:
        for table in balance.DERIVED:
            assert con.frame(f"select * from {table} limit 1").columns == list(con.tables()[table])


def test_another_game_has_them_in_its_own_words(tmp_path):
    run = balance.simulate(tmp_path / "run", game="tiny", players=2, games_per_cell=3)
    found = run.sql("select * from verdicts")
    assert found.height > 1
    assert set(found["players"]) == {2}
    assert set(found["verdict"]) <= {"broken", "bent", "fine", "undecided"}
    assert not {"cell_id", "lineup", "pair_a"} & set(found.columns)

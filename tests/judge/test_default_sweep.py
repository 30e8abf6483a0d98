"""What the default sweep of Nefarious must say: a number for every metric that is judged."""

import math

import balance
from balance import games
from balance.games.lineup import parse_lineup
from balance.judge.bench import Bench
from balance.judge.ranking import rank
from balance.judge.thresholds import load_thresholds
from balance.measure.cells import statistics


def test_every_judged_metric_yields_a_number_in_a_default_sweep(tmp_path):
    run = balance.simulate(
        tmp_path / "run", players="2,6", variants=["none", "unions"], games_per_cell=50, seed=5
    )
    bench = Bench(statistics([run]))
    thresholds = load_thresholds(games.get())
    assert rank([run], thresholds).judgements.not_looked_at == ()
    assert run.sql("select distinct not_looked_at from verdicts").rows() == [("",)]
    for players in (2, 6):
        cells = [c for c in bench.statistics.cells.values() if c.players == players and c.variants]
        looks = bench.looks(cells, thresholds)
        judged = {
            finding.measured.metric.name: finding.cell.lineup
            for finding in map(looks.finding, range(len(looks)))
            if not finding.weaker and math.isfinite(finding.measured.interval.value)
        }
        assert {entry.metric for entry in thresholds.entries} - set(judged) == set()
        assert judged["skill"] == "one:learned,casual"
        assert judged["luck"] == "drawn:learned,skilled,casual"
        assert judged["stalls"] == "mirror:learned"
        lineup = parse_lineup(run.game.facts.default_sweep_lineups[2], players, run.game)
        assert {"skilled", "casual", *run.game.facts.field} == set(lineup.policies[: lineup.guests])

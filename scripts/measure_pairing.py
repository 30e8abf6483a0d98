"""Measure how many fewer games it takes to see a change when both sides play the same deals.

    .venv/bin/python scripts/measure_pairing.py

Each change is played against the official catalog on common seeds, in a fixed sample of pairs of twists. The
figure is what independent games would need for the same interval, as a multiple of what the paired ones need:
(variance of the base + variance of the candidate) / variance of the difference, over deals; of each measure
the median of all pairs. docs/methods.md shows what it printed.
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import median

from balance import games
from balance.cli import output
from balance.experiments.compare import compare
from balance.experiments.compare.paired import Dealt, count_dealt, count_measures, groups_of, pair_cells
from balance.experiments.samples import sample
from balance.measure.items import items_of
from balance.stats.ratio import Difference

CHANGES: Mapping[str, str] = {
    "Virus costs 6 instead of 5": "[[invention]]\nid = 2\ncost = 6\n",
    "Moon Base costs 12 instead of 13": "[[invention]]\nid = 46\ncost = 12\n",
    "no Moon Base": "[[invention]]\nid = 46\nremove = true\n",
    "Work pays 3 instead of 4": (
        '[[edition]]\nid = "ascora-2011"\nset = { price_speculate = 0, price_invent = 2, price_research = 1, '
        "price_work = 1, work_money = 3 }\n"
    ),
}
SHOWN: Mapping[str, str] = {
    "length": "length in rounds",
    "money": "money at the end",
    "action:work": "share of Work",
    "extended": "games that go on after the goal",
    "half_leader": "leader at half-time wins",
    "seat:0": "win points of a seat",
    "dealt": "win points of who was dealt the card",
}


def ratio(found: Iterable[Difference]) -> float | None:
    """Return how many times more games independent ones would be, in the middle one of some cells."""
    known = []
    for one in found:
        if not math.isnan(one.value):
            apart = float(one.own.variance + one.base.variance)
            known.append(apart / float(one.variance) if one.variance else math.inf)
    return median(known) if known else None


def main() -> None:
    """Play, and print one row per measure and one column per change."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--players", type=int, default=4)
    asked = parser.parse_args()
    game = games.get()
    pairs = [
        ",".join(pair) for pair in sample(game, game.load_catalog(), game.facts.default_edition, asked.pairs)
    ]
    table: dict[str, dict[str, object]] = {name: {"measure": said} for name, said in SHOWN.items()}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for number, (title, text) in enumerate(CHANGES.items()):
            overlay = Path(f"{number}.toml")
            overlay.write_text(text)
            found = compare(
                "official",
                overlay,
                players=asked.players,
                variants=pairs,
                games_per_cell=asked.games,
                detect=0,
            )
            base, candidate = found.base.runs[0], found.candidate.runs[0]
            phase = pair_cells(base, candidate, [cell.key for cell in base.plan.cells])
            groups = {group: own for group, own in groups_of(phase.pairings).items() if group.whole}
            measured = count_measures(phase, groups)
            for name in SHOWN:
                parts = [own[name] for own in measured.values() if name in own]
                table[name][title] = _told(ratio(parts))
            item = next((int(one.id) for one in found.differences if one.kind == game.facts.item), None)
            if item is not None:
                places = [
                    {i.id: k for k, i in enumerate(items_of(run))}.get(item) for run in (base, candidate)
                ]
                dealt = count_dealt([phase], groups, Dealt(item, *places))
                table["dealt"][title] = _told(ratio(dealt.values()))
    output.rows(list(table.values()), ["measure", *CHANGES], output.OutputOptions(output.Format.markdown))


def _told(value: float | None) -> str:
    if value is not None and math.isinf(value):
        return "no deal differs"
    return "" if value is None else f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


if __name__ == "__main__":
    main()

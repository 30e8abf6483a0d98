"""Measures the ladder that ships with a game and writes data/<game>/ladder.json.

    python scripts/measure_ladder.py --games 40000
    python scripts/measure_ladder.py --games 4000 --policies adaptive,search:200 --out ladder.json

For every number of players, without variants and over the fixed sample of them, it plays what
`balance ladder` plays with the same options. The file says which play, policies and catalog were measured, so
that readers notice when it is stale. Nothing is written there before everything is measured. Until
then ladders are kept in data/runs/measuring, so that a run which was stopped resumes when started again.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from balance import games, machine
from balance.cli import diagnostics
from balance.experiments.ladder import request
from balance.experiments.published import (
    LADDER_FILE,
    PublishedLadder,
    ladder_document,
    measured_ladders,
    stamp,
)
from balance.experiments.samples import PUBLISHED_SEED
from balance.files import write_whole
from balance.resources import data_dir


def main() -> int:
    """Measure and write."""
    read = argparse.ArgumentParser(description="Measure the ladder that ships with a game.")
    read.add_argument("--of", default=games.DEFAULT, help="the game")
    read.add_argument("--games", type=int, default=40_000, help="games of one policy against another")
    read.add_argument("--players", help="numbers of players, separated by commas; default all")
    read.add_argument("--policies", help="who, separated by commas; default everybody")
    read.add_argument("--variants", default="none,sample", help="none, sample or both; default both")
    read.add_argument("--jobs", type=int, default=machine.cores().amount)
    read.add_argument("--out", type=Path, help="default: the data folder of the game")
    read.add_argument("--kept", type=Path, help="where ladders are kept while it runs")
    asked = read.parse_args()
    game = games.get(asked.of)
    facts, catalog = game.facts, game.load_catalog()
    low, high = facts.players
    counts = [int(n) for n in asked.players.split(",")] if asked.players else range(low, high + 1)
    policies = asked.policies.split(",") if asked.policies else list(facts.policies)
    kept = asked.kept or data_dir(game.name).parent / "runs" / "measuring" / f"{game.name}-{LADDER_FILE}"
    before = measured_ladders(game, kept)
    known = {}
    if before is not None and before.games == asked.games and not before.stale(stamp(game, catalog)):
        known = {one.command: one for one in before.ladders}
    kept.parent.mkdir(parents=True, exist_ok=True)
    ladders: list[PublishedLadder] = []
    for players in counts:
        for variants in asked.variants.split(","):
            ladder = request(
                players=players, variants=[variants], policies=policies, games_per_match=asked.games,
                game=game.name,
            )  # fmt: skip
            command = f"balance ladder --players {players} --{facts.variants} {variants}"
            command += f" --policies {','.join(ladder.policies)} --games {asked.games}"
            if command in known:
                ladders.append(known[command])
                continue
            with diagnostics.progress(f"{players} players, {variants}", ladder.games) as advance:
                rungs = ladder.play(asked.jobs, advance).rungs
            ladders.append(PublishedLadder(players, variants, command, rungs))
            write_whole(kept, ladder_document(game, catalog, PUBLISHED_SEED, asked.games, ladders).encode())
            diagnostics.say(f"{players} players, {variants}: {ladder.games} games")
    target = asked.out or data_dir(game.name) / LADDER_FILE
    target.write_text(ladder_document(game, catalog, PUBLISHED_SEED, asked.games, ladders), encoding="utf-8")
    diagnostics.say(f"written: {target}")
    return 0


if __name__ == "__main__":
    sys.exit(diagnostics.run(main))

"""Measure what best replies gain against the learned player, and write data/nefarious/replies.json.

    python scripts/measure_replies.py                 # 60 cells, hours on two cores
    python scripts/measure_replies.py --cells 12      # the first twelve
    python scripts/measure_replies.py --page          # the table of docs/policies.md, nothing is played

Each cell is measured by five jobs: a reply that begins as the learned player, one that begins from nothing,
the control (the same trainer from nothing against `adaptive`, beside what `learned` gains there), a table of
`search:100`, and the cheap probe. Every job is kept in data/runs/measuring/replies.jsonl at once, so a run
that was stopped resumes when started again; jobs of other weights are done again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from itertools import combinations
from math import sqrt
from pathlib import Path
from typing import Any, Final

import numpy as np

from balance.dataset.stamp import stamp
from balance.experiments.check import STRENGTHS
from balance.experiments.probe import probe
from balance.experiments.samples import PUBLISHED_SEED, TUNING_SEEDS
from balance.games.nefarious.catalog.loading import load_catalog
from balance.games.nefarious.game import GAME
from balance.games.nefarious.player import one_among
from balance.games.nefarious.policies.names import policy_number
from balance.games.nefarious.rules import compile_cell
from balance.learning.replies import Reply, best_reply
from balance.learning.training import Frozen
from balance.resources import data_dir
from balance.stats.intervals import Z
from balance.stats.ridge import fit

EDITION: Final = "ascora-2011"
REPLIES_FILE: Final = "replies.json"
KEPT: Final = Path(__file__).parents[1] / "data" / "runs" / "measuring" / "replies.jsonl"
DRAWN: Final = 50
WORST_KNOWN: Final = (
    ((), 4),
    (("better-left-unknown", "recycling"), 4),
    (("hyperinflation", "parallel-universe"), 2),
    (("age-of-boredom", "perpetual-motion"), 4),
    (("forgotten-epiphanies", "parallel-universe"), 6),
    (("embezzling-minions", "mob-influence"), 6),
    (("geeks", "overpopulation"), 4),
    (("mad-broker", "overpopulation"), 4),
    (("grants", "long-term-plans"), 4),
    (("embezzling-minions", "security-measures"), 2),
)
"""Where players of earlier versions did worst against bots, replies or the round limit."""
FEWEST: Final = 12
"""Cells from which gains of others are predicted."""

Cell = tuple[tuple[str, ...], int]


def drawn_cells() -> list[Cell]:
    """Return the ten worst known cells, and fifty drawn by chance over player counts and pairs."""
    catalog = load_catalog()
    pairs = list(combinations(sorted(twist.id for twist in catalog.twists_of(EDITION)), 2))
    rng = np.random.default_rng(PUBLISHED_SEED)
    drawn = [(pairs[int(rng.integers(len(pairs)))], int(rng.integers(2, 7))) for _ in range(DRAWN)]
    # in turns, so that the first cells are a fair sample of both kinds
    mixed: list[Cell] = []
    for number, cell in enumerate(drawn):
        mixed.append(cell)
        if number % 5 == 4:
            mixed.append(WORST_KNOWN[number // 5])
    return mixed


class Measuring:
    """Does the jobs of cells, and keeps every one."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.catalog = load_catalog([given.weights] if given.weights else ())
        self.game = GAME.trainable(self.catalog)
        self.stamp = stamp(GAME, self.catalog)
        self.learned = Frozen(self.game.past[0], self.game.weights())
        self._known: dict[str, Reply] = {}
        if given.kept.is_file():
            for line in given.kept.read_text("utf-8").splitlines():
                found = json.loads(line)
                if found["stamp"] == self.stamp:
                    self._known[found["key"]] = Reply(**found["gain"])

    def measure(self, job: str, cell: Cell) -> Reply:
        """Return the result of a job, which is done if it is not kept yet."""
        key = json.dumps([job, *cell, self.given.games, self.given.fresh])
        if key not in self._known:
            found = self._do(job, cell)
            self._known[key] = found
            self.given.kept.parent.mkdir(parents=True, exist_ok=True)
            with self.given.kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"stamp": self.stamp, "key": key, "gain": asdict(found)}) + "\n")
            sys.stderr.write(f"{job} {cell}: {found.gain:.3f} ({found.low:.3f} to {found.high:.3f})\n")
        return self._known[key]

    def _do(self, job: str, cell: Cell) -> Reply:
        match job:
            case "learned":
                return self._train(cell, self.learned, self.learned.weights)
            case "nothing":
                return self._train(cell, self.learned, None)
            case "control":
                return self._train(cell, Frozen(policy_number("adaptive")), None)
            case "reach":
                return self._alone(cell, "learned", "adaptive", 10_000)
            case "search":
                return self._alone(cell, "search:100", "learned", self.given.searched)
            case _:
                return self._probe(cell)

    def _train(self, cell: Cell, frozen: Frozen, start: Any) -> Reply:
        twists, players = cell
        given = self.given
        return best_reply(
            self.game,
            lambda: compile_cell(self.catalog, EDITION, players, twists),
            frozen,
            start,
            given.games,
            given.fresh,
            TUNING_SEEDS.start,
            given.threads,
        )[0]

    def _alone(self, cell: Cell, one: str, others: str, games: int) -> Reply:
        compiled = compile_cell(self.catalog, EDITION, cell[1], cell[0])
        points, _ = one_among(compiled, PUBLISHED_SEED, games, policy_number(one), policy_number(others))
        half = Z * float(points.std(ddof=1)) / sqrt(games)
        gain = float(points.mean()) - 1.0
        return Reply(gain, gain - half, gain + half, 0, games, one)

    def _probe(self, cell: Cell) -> Reply:
        """Return what the probe of `balance check --strength normal` gains."""
        twists, players = cell
        found = probe(
            GAME,
            self.catalog,
            twists,
            players=players,
            edition=EDITION,
            seed=PUBLISHED_SEED,
            games=STRENGTHS["normal"].probed,
            jobs=self.given.threads,
        )
        return Reply(found.value, found.low, found.value, 0, found.games, "probe")

    def features(self, record: Mapping[str, Any]) -> dict[str, float]:
        """Return what predicts the gain in a cell, without the probe."""
        rules = GAME.rule_features(self.catalog, EDITION, record["twists"])
        return {"players": float(record["players"]), **rules}


JOBS: Final = ("learned", "nothing", "control", "reach", "search", "probe")


def cell_record(cell: Cell, jobs: dict[str, Reply]) -> dict[str, Any]:
    """Return a cell as it ships: the best of both replies, or what search gains where it gains 0.1 more."""
    best = max(jobs["learned"], jobs["nothing"], key=lambda reply: reply.gain)
    if jobs["search"].gain > best.gain + 0.1:
        best = jobs["search"]
    return {
        "twists": list(cell[0]),
        "players": cell[1],
        **asdict(best),
        "control": jobs["control"].gain,
        "learned_among_adaptive": jobs["reach"].gain,
        "search": asdict(jobs["search"]),
        "probe": jobs["probe"].gain,
    }


def summary(cells: list[dict[str, Any]]) -> dict[str, float]:
    """Return the figures of the table: quantiles of the gain, and how many controls reach 0.8."""
    gains = [cell["gain"] for cell in cells]
    reached = [cell["control"] >= 0.8 * cell["learned_among_adaptive"] for cell in cells]
    return {
        "median": float(np.median(gains)),
        "ninetieth": float(np.quantile(gains, 0.9)),
        "worst": float(max(gains)),
        "controls_reached": float(np.mean(reached)),
    }


def prediction(cells: list[dict[str, Any]], features: list[dict[str, float]]) -> dict[str, Any] | None:
    """Return regressions of the gain on players and rules, without and with the probe; None of few cells."""
    if len(cells) < FEWEST:
        return None
    gains = [cell["gain"] for cell in cells]
    with_probe = [{**own, "probe": cell["probe"]} for own, cell in zip(features, cells, strict=True)]
    return {"rules": asdict(fit(features, gains)), "probe": asdict(fit(with_probe, gains))}


def page(document: dict[str, Any]) -> str:
    """Return the tables of docs/policies.md."""
    rows = ["| players | twists | gain of a best reply | by | control | `search:100` |\n"]
    rows.append("|---:|---|---|---|---|---|\n")
    for cell in sorted(document["cells"], key=lambda cell: -cell["gain"]):
        gain = f"{cell['gain']:.2f} ({cell['low']:.2f} to {cell['high']:.2f})"
        control = f"{cell['control']:.2f} of {cell['learned_among_adaptive']:.2f}"
        twists = " + ".join(cell["twists"]) or "none"
        rows.append(
            f"| {cell['players']} | {twists} | {gain} | {cell['start']} | {control} | "
            f"{cell['search']['gain']:.2f} |\n"
        )
    fits = document["prediction"] or {}
    words = {"rules": "players and rules", "probe": "these and the gain of the probe"}
    errors = [f"- from {words[name]}: {one['error']:.3f}\n" for name, one in fits.items()]
    if errors:
        rows += [
            "\nLeave-one-out error of the predicted gain, in win points (root mean square):\n\n",
            *errors,
        ]
    return "".join(rows)


def main() -> None:
    """Measure cells, and write what is known by then."""
    read = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    read.add_argument("--cells", type=int, default=60, help="how many of the 60 cells")
    read.add_argument("--games", type=int, default=200_000, help="games that a reply learns from")
    read.add_argument("--fresh", type=int, default=20_000, help="games that it is measured on")
    read.add_argument("--searched", type=int, default=400, help="games of `search:100`")
    read.add_argument("--weights", type=Path, help="weights of another learned player")
    read.add_argument("--threads", type=int, default=2)
    read.add_argument("--kept", type=Path, default=KEPT, help="where jobs are kept while it runs")
    read.add_argument("--out", type=Path, default=data_dir(GAME.name) / REPLIES_FILE)
    read.add_argument("--page", action="store_true", help="print the table of what was measured")
    given = read.parse_args()
    if given.page:
        sys.stdout.write(page(json.loads(given.out.read_bytes())))
        return
    measuring = Measuring(given)
    cells: list[dict[str, Any]] = []
    for cell in drawn_cells()[: given.cells]:
        cells.append(cell_record(cell, {job: measuring.measure(job, cell) for job in JOBS}))
        document = {
            "game": GAME.name,
            "seed": PUBLISHED_SEED,
            "games": given.games,
            "stamp": measuring.stamp,
            "summary": summary(cells),
            "prediction": prediction(cells, list(map(measuring.features, cells))),
            "cells": cells,
        }
        given.out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

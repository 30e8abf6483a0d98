"""Studies whether verdicts at the default players hold against the strongest search; writes agreement.json.

    python scripts/study_search.py data/runs/full
    python scripts/study_search.py data/runs/small --cells 2 --games 100 --search search:5 --out small.json
    python scripts/study_search.py --page docs/studies/search.md

Draws combinations of a run by chance, as many of each verdict; undecided ones are not counted. Each is played
by players who search. A disagreement is a metric that breaks the game whose confidence interval is on the
other side of its threshold. A cell at a time is kept in data/runs/measuring, so that a study which was
stopped resumes when started again. `--page` writes the page of the docs from the file, if there is one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from balance import games, machine
from balance.cli import diagnostics
from balance.dataset.run import Run, open_run
from balance.dataset.stamp import run_stamp
from balance.errors import DataError
from balance.experiments.published import AGREEMENT_FILE
from balance.experiments.side_by_side import fresh_seed, judge_runs, play_prepared
from balance.files import write_whole
from balance.judge.findings import Finding
from balance.judge.ranking import rank
from balance.judge.thresholds import Class, load_thresholds
from balance.judge.verdict import Judgement, Verdict
from balance.resources import data_dir
from balance.sweep.planning import make_plan
from balance.sweep.simulation import prepare_plan

CLASSES: Final = (Verdict.BROKEN, Verdict.BENT, Verdict.FINE)
PROMISED: Final = 0.95
"""The share of cells of each class in which both must agree."""


def drawn(judgements: Sequence[Judgement], cells: int, seed: int = 0) -> list[Judgement]:
    """Return cells by chance, as many of each verdict; of a rare one all, and more of the others."""
    found: list[Judgement] = []
    groups = [[j for j in judgements if j.verdict is verdict] for verdict in CLASSES]
    for left, own in zip(range(len(groups), 0, -1), sorted(groups, key=len), strict=True):
        share = -(-(cells - len(found)) // left)
        ordered = sorted(own, key=lambda j: j.key)
        found += random.Random(seed).sample(ordered, min(share, len(ordered)))
    return sorted(found, key=lambda j: j.key)


def side(finding: Finding) -> str:
    """Return on which side of the end of its range a metric is: `outside`, `inside`, or `open`."""
    _, low, high = finding.measured.interval
    beyond, within = (low > finding.bound, high <= finding.bound)
    if not finding.upper:
        beyond, within = high < finding.bound, low >= finding.bound
    return "outside" if beyond else "inside" if within else "open"


def held(own: Sequence[Finding], other: Sequence[Finding]) -> list[dict[str, Any]]:
    """Return the metrics that break the game and that two kinds of players show, with the side of each."""
    searched = {(f.measured.name, f.upper): f for f in other}
    rows = []
    for finding in own:
        again = searched.get((finding.measured.name, finding.upper))
        if finding.kind is not Class.BREAKS or again is None or (finding.pooled and not finding.outside):
            continue  # seats and opening cards hold up no verdict: they count where they break one
        here = "outside" if finding.outside else side(finding)
        rows.append(
            {
                "metric": finding.measured.name,
                "bound": finding.bound,
                "end": "high" if finding.upper else "low",
                "default": [*finding.measured.interval],
                "search": [*again.measured.interval],
                "sides": [here, side(again)],
                "disagrees": {here, side(again)} == {"inside", "outside"},
            }
        )
    return rows


def agrees(verdict: Verdict, metrics: Sequence[Mapping[str, Any]]) -> bool | None:
    """Return whether search confirms a verdict; None if its own games leave that open.

    It confirms *broken* if it shows a metric outside that the default players show outside, any other verdict
    if it shows all of them inside.
    """
    if any(row["disagrees"] for row in metrics):
        return False
    if verdict is Verdict.BROKEN:
        return True if any(row["sides"] == ["outside", "outside"] for row in metrics) else None
    return True if metrics and all(row["sides"][1] == "inside" for row in metrics) else None


class Study:
    """The cells of a run that are played again by players who search."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self.asked = asked
        self.run: Run = open_run(asked.run)
        self.game = self.run.game
        self.thresholds = load_thresholds(self.game)
        self.stamp = run_stamp(self.game, self.run.plan)
        place = asked.kept or data_dir(self.game.name).parent / "runs" / "measuring" / "agreement"
        self.place = place / hashlib.sha256(repr(self.stamp).encode()).hexdigest()[:12]

    def cells(self) -> list[Judgement]:
        """Return the cells to look at."""
        return drawn(rank([self.run], self.thresholds).judgements.judgements, self.asked.cells)

    def one(self, cell: Judgement) -> dict[str, Any]:
        """Play a cell by search, or open what was played, and compare."""
        facts = self.game.facts
        name = f"{cell.players}-{'-'.join(cell.variants)}-{self.asked.search.replace(':', '-')}"
        plan = make_plan(
            self.game,
            self.run.catalog,
            edition=self.run.plan.edition,
            deals={cell.players: self.asked.games},
            combinations=[cell.variants],
            lineups=[f"mirror:{self.asked.search}"],
            seed=fresh_seed(self.run.plan.seed),
        )
        out = self.place / f"{name}-{self.asked.games}"
        played = play_prepared(prepare_plan(self.game, self.run.catalog, plan, out), self.asked.jobs)
        (searched,) = judge_runs([played], self.thresholds)[0].judgements
        own = [f for one in cell.cells if one.cell.lineup == facts.default_lineup for f in one.findings]
        metrics = held(own, [f for one in searched.cells for f in one.findings])
        return {
            "players": cell.players,
            "variants": list(cell.variants),
            "verdict": cell.verdict.value,
            "agrees": agrees(cell.verdict, metrics),
            "disagreements": [row for row in metrics if row["disagrees"]],
        }


def document(study: Study, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what is written: the agreement of each class, and every cell."""
    classes = {}
    for verdict in CLASSES:
        own = [row for row in rows if row["verdict"] == verdict.value]
        decided = [row["agrees"] for row in own if row["agrees"] is not None]
        classes[verdict.value] = {"drawn": len(own), "decided": len(decided), "agree": sum(decided)}
    return {
        "game": study.game.name,
        "seed": study.run.plan.seed,
        "games": study.asked.games,
        "stamp": study.stamp,
        "search": study.asked.search,
        "classes": classes,
        "cells": list(rows),
    }


def page(found: Mapping[str, Any]) -> str:
    """Return the page of the docs."""
    rows = [
        f"| {name} | {drawn_} | {decided} | {agree} | {agree / decided:.0%} |"
        for name, (drawn_, decided, agree) in ((name, one.values()) for name, one in found["classes"].items())
        if decided
    ]
    disagreeing = [
        f"| {' + '.join(cell['variants'])} | {cell['players']} | {cell['verdict']} | {row['metric']} "
        f"{row['end']} {row['bound']:g} | {row['default'][0]:.3g} | {row['search'][0]:.3g} "
        f"({row['search'][1]:.3g} to {row['search'][2]:.3g}) |"
        for cell in found["cells"]
        for row in cell["disagreements"]
    ]
    said = (
        f"Combinations drawn by chance, as many of each verdict, were played again by `{found['search']}`, "
        f"{found['games']:,} games each. They disagree where a metric that breaks the game has its "
        "confidence interval on the other side of the threshold. Combinations that the games of either leave "
        "open are not counted. "
        "`scripts/study_search.py` made this page."
    )
    lines = [
        "# Do verdicts hold against search?",
        "",
        said,
        "",
        "| verdict | drawn | decided | agree | |",
        "|---|---:|---:|---:|---:|",
        *rows,
        "",
    ]
    if disagreeing:
        head = "| combination | players | verdict | threshold | default players | search |"
        lines += ["## Where they disagree", "", head, "|---|---:|---|---|---:|---:|", *disagreeing, ""]
    else:
        lines += ["They disagree nowhere.", ""]
    return "\n".join(lines)


def main() -> int:
    """Play, compare and write; 1 if a class agrees less than promised."""
    read = argparse.ArgumentParser(description="Compare verdicts with those of the strongest search.")
    read.add_argument("run", nargs="?", type=Path, help="a sweep with the default players")
    read.add_argument("--cells", type=int, default=60, help="combinations that are drawn")
    read.add_argument("--games", type=int, default=2_000, help="games of each by players who search")
    read.add_argument("--search", default="search:30", help="the strongest that there is time for")
    read.add_argument("--jobs", type=int, default=machine.cores().amount)
    read.add_argument("--kept", type=Path, help="where games are kept while it runs")
    read.add_argument("--out", type=Path, help="default: the data folder of the game")
    read.add_argument("--page", type=Path, help="write this page from the file, and play nothing")
    asked = read.parse_args()
    target = (
        asked.out
        or data_dir(games.DEFAULT if asked.run is None else open_run(asked.run).game.name) / AGREEMENT_FILE
    )
    if asked.page:
        if not target.exists():
            raise DataError(f"there is no {target}: measure first")
        write_whole(asked.page, page(json.loads(target.read_text(encoding="utf-8"))).encode())
        return 0
    if asked.run is None:
        read.error("name a run")
    study = Study(asked)
    rows = []
    for cell in study.cells():
        rows.append(study.one(cell))
        named = " + ".join(cell.variants)
        said = {True: "agrees", False: "disagrees", None: "open"}[rows[-1]["agrees"]]
        diagnostics.say(f"{named}, {cell.players} players, {cell.verdict}: {said}")
    found = document(study, rows)
    write_whole(target, (json.dumps(found, indent=1) + "\n").encode())
    diagnostics.say(f"written: {target}")
    shares = [one["agree"] / one["decided"] for one in found["classes"].values() if one["decided"]]
    return 0 if all(share >= PROMISED for share in shares) else 1


if __name__ == "__main__":
    sys.exit(diagnostics.run(main))

"""Studies whether `balance check` calls harmless changes fine and planted faults broken.

    python scripts/study_harmless.py
    python scripts/study_harmless.py --only work_money-up,start --games 2000 --out harmless.json

Every parameter of the language is moved one step up and one step down, and every moment gets one small line:
twists that code writes. Each is judged by `check` as a user would call it. A change counts as harmless if in
many more games (50,000 by default) no judged metric moves by more than half its margin, the distance from
the game without twists to the end of the accepted range. At least 9 of 10 harmless changes must be fine. The
planted twists of the tests must all be broken. Prints a table in Markdown and writes JSON. What was
measured is kept in data/runs/measuring, so that a study which was stopped resumes when started again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import balance
from balance import games, machine
from balance.cli import diagnostics
from balance.dataset.stamp import stamp
from balance.experiments.check import Check, check
from balance.experiments.side_by_side import play_prepared
from balance.files import write_whole
from balance.games.nefarious.vocabulary import MOMENTS, PARAMETERS
from balance.judge.verdict import Verdict
from balance.resources import data_dir

HALF: Final = 0.5
"""Margins by which a metric of a harmless change moves at most."""
LINES: Final[Mapping[str, tuple[str, str]]] = {
    "start": ("start", "+1 money"),
    "before": ("before income", "+1 money"),
    "income": ("income", "+1 income"),
    "after": ("after work", "+1 money"),
    "place": ("place", "+1 money"),
    "build": ("build", "+1 money"),
    "invention": ("invention", "+1 money"),
    "end": ("end", "+1 money"),
    "score": ("score", "+1 vp"),
}
"""For every moment a small line: when, and what it does."""
PLANTED: Final = Path(__file__).parent.parent / "tests" / "judge" / "planted.toml"


def changes() -> dict[str, str]:
    """Return every change as the fields of a twist: a parameter one step up or down, or one small line."""
    assert LINES.keys() == MOMENTS.keys()
    found = {}
    for name, known in PARAMETERS.items():
        for word, step in (("up", 1), ("down", -1)):
            if known.low <= known.basic + step <= known.high:
                found[f"{name}-{word}"] = f"add = {{ {name} = {step} }}"
    for moment, (when, effect) in LINES.items():
        found[moment] = f'lines = [{{ when = "{when}", do = "{effect}" }}]'
    return found


def overlay(wanted: Mapping[str, str], edition: str) -> str:
    """Return a catalog overlay with a twist for each change."""
    head = f'editions = ["{edition}"]\nnote = "A harmless change, or not."\n'
    return "\n".join(
        f'[[twist]]\nid = "{_id(name)}"\nname = "Study {name}"\n{head}{own}\n' for name, own in wanted.items()
    )


def _id(name: str) -> str:
    return f"study-{name.replace('_', '-')}"


def moved(found: Check) -> tuple[float, str]:
    """Return by how many margins a metric has moved at most, and which: of those that a verdict rests on."""
    every = [
        (
            margins(finding.measured.interval.value, base.interval.value if base else 1.0, finding.bound),
            finding.measured.name,
        )
        for judgement in found.own
        for cell in judgement.cells
        for finding in cell.findings
        if finding.holds
        for base in [found.bench.without(finding)]
        if base is not None or finding.measured.metric.name.endswith("_ratio")
    ]
    return max(every, default=(0.0, ""))


def margins(value: float, base: float, bound: float) -> float:
    """Return by how many margins a metric has moved from the base game's value towards an end of its range.

    >>> margins(0.2, 0.1, 0.3), margins(0.0, 0.1, 0.3)
    (0.5, 0.0)
    """
    margin = bound - base
    return max(0.0, (value - base) / margin) if margin else float("inf") if value != base else 0.0


class Study:
    """The changes, judged and measured one by one, each kept."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self.asked = asked
        self.game = games.get("nefarious")
        self.edition = self.game.facts.default_edition
        self.place = asked.kept or data_dir(self.game.name).parent / "runs" / "measuring" / "harmless"
        self.place.mkdir(parents=True, exist_ok=True)
        self.catalog = self.place / "changes.toml"
        self.catalog.write_text(overlay(changes(), self.edition), encoding="utf-8")

    def one(self, name: str, planted: bool) -> dict[str, Any]:
        """Judge a change by `check`, and measure a harmless one; from what is kept if that is so."""
        catalog = PLANTED if planted else self.catalog
        options = {"players": self.asked.players, "games": 0 if planted else self.asked.games}
        made = {**stamp(self.game, self.game.load_catalog([catalog])), **options}
        file = self.place / f"{name}.json"
        if file.exists() and (known := json.loads(file.read_text(encoding="utf-8")))["made"] == made:
            return dict(known)
        variant = name if planted else _id(name)
        found = check([variant], players=self.asked.players, catalog=[catalog], play=self._play)
        open_ = [j for j in found.own if j.verdict is found.verdict is Verdict.UNDECIDED]
        holding = [j.holding.measured.name for j in open_ if j.holding is not None]
        row = {"change": name, "planted": planted, "verdict": found.verdict.value, "made": made}
        row |= {"check_games": found.games, "held_by": holding[0] if holding else None}
        if not planted:
            size, metric = moved(self._reference(variant))
            row |= {"margins": size, "metric": metric, "harmless": size <= HALF}
        write_whole(file, json.dumps(row, indent=1).encode())
        return row

    def _play(self, prepared: Any) -> Any:
        return play_prepared(prepared, self.asked.jobs)

    def _reference(self, variant: str) -> Check:
        """Return a change judged over many games."""
        run = balance.simulate(
            self.place / f"{variant}-{self.asked.games}",
            players=self.asked.players,
            variants=["none", variant],
            games_per_cell=self.asked.games,
            catalog=[self.catalog],
            jobs=self.asked.jobs,
            seed=1,
        )
        return check([variant], runs=[run.path], players=self.asked.players)


def table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the study as Markdown."""
    harmless = [row for row in rows if row.get("harmless")]
    planted = [row for row in rows if row["planted"]]
    fine = sum(row["verdict"] == "fine" for row in harmless)
    broken = sum(row["verdict"] == "broken" for row in planted)
    found = f"{broken} of {len(planted)} planted are broken"
    yield f"{fine} of {len(harmless)} harmless changes are fine; {found}.\n"
    yield "| change | verdict | games of the check | held by | most moved | margins | harmless |"
    yield "|---|---|---:|---|---|---:|---|"
    for row in rows:
        size = f"{row['margins']:.2f}" if "margins" in row else ""
        kind = "planted" if row["planted"] else "yes" if row["harmless"] else "no"
        cells = (row["change"], row["verdict"], f"{row['check_games']:,}", row["held_by"] or "")
        yield f"| {' | '.join((*cells, row.get('metric', ''), size, kind))} |"


def main() -> int:
    """Judge, measure, print and write; 1 if a promise is not kept."""
    read = argparse.ArgumentParser(description="Study whether harmless changes are called fine.")
    read.add_argument("--games", type=int, default=50_000, help="games of a cell that show what moves")
    read.add_argument("--players", type=int, default=4)
    read.add_argument("--only", help="some changes, separated by commas; default all and the planted")
    read.add_argument("--jobs", type=int, default=machine.cores().amount)
    read.add_argument("--kept", type=Path, help="where measurements are kept while it runs")
    read.add_argument("--out", type=Path, help="default: harmless.json beside what is kept")
    study = Study(asked := read.parse_args())
    planted = [line.split('"')[1] for line in PLANTED.read_text().splitlines() if line.startswith("id = ")]
    wanted = asked.only.split(",") if asked.only else [*changes(), *planted]
    rows = []
    for name in wanted:
        rows.append(study.one(name, name in planted))
        diagnostics.say(f"{name}: {rows[-1]['verdict']}")
    sys.stdout.write("\n".join(table(rows)) + "\n")
    target = asked.out or study.place / "harmless.json"
    write_whole(target, json.dumps(rows, indent=1).encode())
    diagnostics.say(f"written: {target}")
    harmless = [row for row in rows if row.get("harmless")]
    kept = sum(row["verdict"] == "fine" for row in harmless) >= 0.9 * len(harmless)
    return 0 if kept and all(row["verdict"] == "broken" for row in rows if row["planted"]) else 1


if __name__ == "__main__":
    sys.exit(diagnostics.run(main))

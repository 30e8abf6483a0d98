"""Studies whether `balance check` calls harmless changes fine and planted faults broken.

    python scripts/study_harmless.py
    python scripts/study_harmless.py --only work_money-up,start --games 2000 --out harmless.json
    python scripts/study_harmless.py --page docs/studies/harmless.md

Every parameter of the language is moved one step up and one step down, and every moment gets one small line:
twists that code writes. Each is judged by `check` as a user would call it. A change counts as harmless if in
many more games (50,000 by default) no judged metric moves by more than half its margin, the distance from
the game without twists to the end of the accepted range. At least 9 of 10 harmless changes must be fine. The
planted twists of the tests must all be broken, and the printed game must be fine in every edition at every
number of players. Verdicts come first, then the many games. What was measured is kept in data/runs/measuring
by play, thresholds and the code that judges, so that a study which was stopped resumes when started again.
It writes harmless.json; `--page` makes the page of the docs of that file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import balance
from balance import games, machine
from balance.cli import diagnostics
from balance.dataset.stamp import stamp
from balance.experiments.check import Check, check
from balance.experiments.side_by_side import play_prepared
from balance.files import write_whole
from balance.games import sources
from balance.games.nefarious.vocabulary import MOMENTS, PARAMETERS
from balance.judge.thresholds import load_thresholds
from balance.judge.verdict import Verdict
from balance.resources import data_dir

FILE: Final = "harmless.json"
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
    """The changes, judged and measured one by one; each figure is kept."""

    def __init__(self, asked: argparse.Namespace, wanted: Sequence[str]) -> None:
        self.asked = asked
        self.game = games.get("nefarious")
        self.edition = self.game.facts.default_edition
        self.stamp = stamp(self.game, self.game.load_catalog())
        played = repr((self.stamp, wanted, asked.players))
        judged = repr((load_thresholds(self.game), sources.digest(check.__module__)))
        place = asked.kept or data_dir(self.game.name).parent / "runs" / "measuring" / "harmless"
        self.place = place / _short(played)
        self.verdicts = self.place / _short(judged)
        self.verdicts.mkdir(parents=True, exist_ok=True)
        self.catalog = self.place / "changes.toml"
        self.changes = {name: own for name, own in changes().items() if name in wanted}
        if not self.catalog.exists():
            write_whole(self.catalog, overlay(self.changes, self.edition).encode())

    def verdict(self, name: str) -> dict[str, Any]:
        """Return the verdict of `check` on a change or a planted fault."""
        planted = name not in self.changes
        variant, catalog = (name, PLANTED) if planted else (_id(name), self.catalog)

        def found() -> dict[str, Any]:
            checked = check([variant], players=self.asked.players, catalog=[catalog], play=self._play)
            return {"change": name, "planted": planted, **_verdict(checked)}

        return dict(self._kept(name, found))

    def size(self, name: str) -> dict[str, Any]:
        """Return how far a change moves the game, in many games."""

        def found() -> dict[str, Any]:
            size, metric = moved(check([_id(name)], runs=[self.reference], players=self.asked.players))
            return {"margins": size, "metric": metric, "harmless": size <= HALF}

        return dict(self._kept(f"{name}-{self.asked.games}", found))

    def printed(self, edition: str) -> list[dict[str, Any]]:
        """Return the verdicts on an edition without twists, at every number of players."""

        def found() -> list[dict[str, Any]]:
            own = check((), edition=edition, play=self._play).own
            return [{"edition": edition, "players": one.players, "verdict": one.verdict.value} for one in own]

        return list(self._kept(edition, found))

    def _kept(self, name: str, find: Callable[[], Any]) -> Any:
        """Return what is kept of a name, or find and keep it."""
        file = self.verdicts / f"{name}.json"
        if not file.exists():
            write_whole(file, json.dumps(find()).encode())
        return json.loads(file.read_text(encoding="utf-8"))

    def _play(self, prepared: Any) -> Any:
        return play_prepared(prepared, self.asked.jobs)

    @cached_property
    def reference(self) -> Path:
        """Many games of all changes and of the game without twists; resumed if it was stopped."""
        run = balance.simulate(
            self.place / f"games-{self.asked.games}",
            players=self.asked.players,
            variants=["none", *map(_id, self.changes)],
            games_per_cell=self.asked.games,
            catalog=[self.catalog],
            jobs=self.asked.jobs,
            seed=1,
        )
        return run.path


def _short(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:12]


def _verdict(found: Check) -> dict[str, Any]:
    open_ = [j for j in found.own if j.verdict is found.verdict is Verdict.UNDECIDED]
    holding = [j.holding.measured.name for j in open_ if j.holding is not None]
    return {
        "verdict": found.verdict.value,
        "check_games": found.games,
        "held_by": holding[0] if holding else None,
    }


def page(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the study as Markdown."""
    rows, printed = found["changes"], found["printed"]
    harmless = [row for row in rows if row.get("harmless")]
    planted = [row for row in rows if row["planted"]]
    fine = sum(row["verdict"] == "fine" for row in harmless)
    broken = sum(row["verdict"] == "broken" for row in planted)
    yield "# Are harmless changes called fine?\n"
    yield (
        "Code moves every parameter of the effect language one step up and one step down, and adds a "
        "small line at every moment. Each change is judged by `balance check` with "
        f"{found['players']} players. It counts as harmless if in {found['games']:,} games no judged metric "
        "moves by more than half its margin, the distance from the game without twists to the end of the "
        "accepted range. "
        "`scripts/study_harmless.py` made this page.\n"
    )
    found_faults = f"{broken} of {len(planted)} planted faults are broken"
    yield f"{fine} of {len(harmless)} harmless changes are fine; {found_faults}.\n"
    yield "| change | verdict | games of the check | held by | most moved | margins | harmless |"
    yield "|---|---|---:|---|---|---:|---|"
    for row in rows:
        size = f"{row['margins']:.2f}" if "margins" in row else ""
        kind = "planted" if row["planted"] else "yes" if row["harmless"] else "no"
        cells = (row["change"], row["verdict"], f"{row['check_games']:,}", row["held_by"] or "")
        yield f"| {' | '.join((*cells, row.get('metric', ''), size, kind))} |"
    if printed:
        counts = sorted({row["players"] for row in printed})
        yield "\n## The printed game\n"
        yield f"| edition | {' | '.join(f'{players} players' for players in counts)} |"
        yield f"|---{'|---' * len(counts)}|"
        for edition in dict.fromkeys(row["edition"] for row in printed):
            own = {row["players"]: row["verdict"] for row in printed if row["edition"] == edition}
            yield f"| {edition} | {' | '.join(own.get(players, '') for players in counts)} |"


def kept_promises(found: Mapping[str, Any]) -> bool:
    """Return whether 9 of 10 harmless changes and the printed game are fine, and no fault is missed."""
    verdicts = [row["verdict"] for row in found["changes"] if row.get("harmless")]
    planted = all(row["verdict"] == "broken" for row in found["changes"] if row["planted"])
    printed = all(row["verdict"] == "fine" for row in found["printed"])
    return planted and printed and verdicts.count("fine") >= 0.9 * len(verdicts)


def main() -> int:
    """Judge, measure, print and write; 1 if a promise is not kept."""
    read = argparse.ArgumentParser(description="Study whether harmless changes are called fine.")
    read.add_argument("--games", type=int, default=50_000, help="games of a cell that show what moves")
    read.add_argument("--players", type=int, default=4)
    read.add_argument("--only", help="some changes, separated by commas; default everything")
    read.add_argument("--jobs", type=int, default=machine.cores().amount)
    read.add_argument("--kept", type=Path, help="where measurements are kept while it runs")
    read.add_argument("--out", type=Path, default=data_dir("nefarious") / FILE)
    read.add_argument("--page", type=Path, help="write this page from the file, and play nothing")
    asked = read.parse_args()
    if asked.page:
        found = json.loads(asked.out.read_text(encoding="utf-8"))
        write_whole(asked.page, ("\n".join(page(found)) + "\n").encode())
        return 0
    planted = [line.split('"')[1] for line in PLANTED.read_text().splitlines() if line.startswith("id = ")]
    wanted = asked.only.split(",") if asked.only else [*changes(), *planted]
    study = Study(asked, wanted)
    editions = () if asked.only else study.game.facts.editions
    rows = []
    for name in wanted:
        rows.append(study.verdict(name))
        diagnostics.say(f"{name}: {rows[-1]['verdict']}, {rows[-1]['held_by']}")
    printed = [row for edition in editions for row in study.printed(edition)]
    for row in printed:
        diagnostics.say(f"{row['edition']}, {row['players']} players: {row['verdict']}")
    for row in rows:
        if not row["planted"]:
            row.update(study.size(row["change"]))
            diagnostics.say(f"{row['change']}: {row['margins']:.2f} margins, {row['metric']}")
    found = {
        "game": study.game.name,
        "stamp": study.stamp,
        "players": asked.players,
        "games": asked.games,
        "changes": rows,
        "printed": printed,
    }
    write_whole(asked.out, (json.dumps(found, indent=1) + "\n").encode())
    diagnostics.say(f"written: {asked.out}")
    return 0 if kept_promises(found) else 1


if __name__ == "__main__":
    sys.exit(diagnostics.run(main))

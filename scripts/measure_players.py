"""Measure how strong the learned player is, and write data/nefarious/players.json.

    python scripts/measure_players.py                      # everything, at the sizes of docs/policies.md
    python scripts/measure_players.py --part pairs,stalls  # some parts; the others keep their figures
    python scripts/measure_players.py --page               # the table of docs/policies.md, nothing is played

Every cell that was played is kept in data/runs/measuring/players.jsonl at once, so that a run which was
stopped goes on where it was. Cells are kept with the digest of fixed games: where play has changed they are
played again. The ten worst cells of a part are played once more on another seed, and the second figure
counts.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from math import erfc, sqrt
from pathlib import Path
from typing import Any, Final

import numpy as np

from balance.dataset.stamp import stamp
from balance.experiments.samples import PUBLISHED_SEED, sample
from balance.games.nefarious.catalog.loading import load_catalog
from balance.games.nefarious.game import GAME
from balance.games.nefarious.player import Player, one_among
from balance.games.nefarious.policies.names import FIELD, LEARNED, POLICIES, policy_number
from balance.games.nefarious.rules import compile_cell
from balance.games.nefarious.vocabulary import ACTIONS
from balance.resources import data_dir
from balance.stats.intervals import adjusted

EDITION: Final = "ascora-2011"
CUSTOM: Final = Path(__file__).parents[1] / "tests" / "data" / "custom_twists.toml"
PLAYERS_FILE: Final = "players.json"
KEPT: Final = Path(__file__).parents[1] / "data" / "runs" / "measuring" / "players.jsonl"
# One of them never ends and one ends at once: nobody can be better there.
PLAIN_LUCK: Final = ("custom-endless-ambition", "custom-first-spark")
WORST: Final = 10
_Z: Final = 1.959964

Twists = tuple[str, ...]


@dataclass(frozen=True)
class Played:
    """One cell: win points of one policy among others, their standard error, and the share of stalls."""

    twists: Twists
    players: int
    games: int
    points: float
    error: float
    stalls: float
    first: float | None = None
    """What was found before, where the cell was played once more on fresh seeds."""


@dataclass(frozen=True)
class Line:
    """A line of the table: cells taken together."""

    part: str
    measure: str
    cells: int
    games: int
    """Games of each cell."""
    mean: float
    low: float
    high: float
    extreme: float
    """The least favourable cell for the learned player."""
    beyond: int
    """Cells on the wrong side of the bound, after the Benjamini-Hochberg correction at 5%."""
    bound: float
    target: str
    worst: tuple[Played, ...]


class Measuring:
    """Plays cells on some threads, and keeps every one."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.games, self.threads, self.seed, self.kept = given.games, given.threads, given.seed, given.kept
        self.bots: list[str] = given.bots.split(",")
        self.sampled: bool = given.sampled
        self.searched: int = given.searched
        self.confirmed: int = given.confirmed
        self.catalog = load_catalog([CUSTOM])
        official = load_catalog()
        self.stamp = stamp(GAME, official)
        self.pairs: list[Twists] = list(
            combinations(sorted(twist.id for twist in official.twists_of(EDITION)), 2)
        )
        self.sample: list[Twists] = sample(GAME, official, EDITION)
        self.lines: list[Line] = []
        self.moved: list[dict[str, Any]] = []
        self._known: dict[str, Played] = {}
        if self.kept.is_file():
            for line in self.kept.read_text("utf-8").splitlines():
                found = json.loads(line)
                if found["stamp"] == self.stamp:
                    cell = found["cell"] | {"twists": tuple(found["cell"]["twists"])}
                    self._known[found["key"]] = Played(**cell)

    def play(self, twists: Twists, players: int, one: str, others: str, games: int, seed: int) -> Played:
        """Return the figures of a cell, which are played if they are not kept yet."""
        key = json.dumps([one, others, players, twists, games, seed])
        if key not in self._known:
            cell = compile_cell(self.catalog, EDITION, players, twists)
            points, stalled = one_among(cell, seed, games, policy_number(one), policy_number(others))
            error = float(points.std(ddof=1)) / sqrt(games)
            self._known[key] = Played(
                twists, players, games, float(points.mean()), error, float(stalled.mean())
            )
            self._keep(key)
        return self._known[key]

    def _keep(self, key: str) -> None:
        self.kept.parent.mkdir(parents=True, exist_ok=True)
        entry = {"stamp": self.stamp, "key": key, "cell": asdict(self._known[key])}
        with self.kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def cells(
        self,
        which: Iterable[tuple[Twists, int]],
        one: str,
        others: str,
        games: int,
        figure: Callable[[Played], float],
        sign: float,
        again: int = 0,
        most_again: int = WORST,
    ) -> list[Played]:
        """Play cells; the lowest (sign 1) or highest (-1) are played again on another seed, which counts."""
        with ThreadPoolExecutor(self.threads) as pool:
            found = list(pool.map(lambda c: self.play(*c, one, others, games, self.seed), which))
            worst = sorted(found, key=lambda cell: sign * figure(cell))[:most_again]
            doubtful = worst if len(found) > most_again else []
            once_more = pool.map(
                lambda c: self.play(c.twists, c.players, one, others, again or games, self.seed + 1), doubtful
            )
            fresh = {
                (old.twists, old.players): replace(new, first=figure(old))
                for old, new in zip(doubtful, once_more, strict=True)
            }
        return [fresh.get((cell.twists, cell.players), cell) for cell in found]

    def compare(
        self, part: str, measure: str, which: Iterable[tuple[Twists, int]], one: str, others: str,
        games: int, bound: float, target: str,
    ) -> None:  # fmt: skip
        """Measure one policy among others in cells; `bound` is compared with the unfavourable side."""
        sign = 1.0 if one in LEARNED else -1.0
        found = self.cells(which, one, others, games, lambda cell: cell.points, sign)
        found.sort(key=lambda cell: sign * cell.points)
        errors = [cell.error for cell in found]
        chances = [0.5 * erfc(sign * (bound - c.points) / max(c.error, 1e-9) / sqrt(2)) for c in found]
        points = [cell.points for cell in found]
        self._note(part, measure, found, points, errors, games, chances, bound, target)

    def _note(
        self, part: str, measure: str, worst_first: list[Played], figures: list[float], errors: list[float],
        games: int, chances: list[float], bound: float, target: str,
    ) -> None:  # fmt: skip
        """Note a line of the table: the mean of cells, and how many are beyond the bound."""
        mean, half = float(np.mean(figures)), _Z * sqrt(sum(e**2 for e in errors)) / len(figures)
        beyond = sum(p <= 0.05 for p in adjusted(chances))
        line = Line(
            part, measure, len(figures), games, mean, max(0.0, mean - half), mean + half, figures[0],
            beyond, bound, target, tuple(worst_first[:WORST]),
        )  # fmt: skip
        self.lines.append(line)
        sys.stderr.write(described(line) + "\n")

    # --- the parts

    def part_plain(self) -> None:
        """Measure one learned among `adaptive` without twists."""
        self.compare(
            "plain", "one `learned` among three `adaptive`, no twists", [((), 4)], "learned", "adaptive",
            20_000, 0.9, "mean at least 2.2",
        )  # fmt: skip

    def part_pairs(self) -> None:
        """Measure one learned among `adaptive` over all pairs."""
        self.compare(
            "pairs", "one `learned` among three `adaptive`, all pairs", [(pair, 4) for pair in self.pairs],
            "learned", "adaptive", self.games, 0.9, "mean at least 2.2, least 0.9",
        )  # fmt: skip

    def part_own(self) -> None:
        """Measure one learned among `adaptive` under twists of the tests that nobody was trained on."""
        own = [t.id for t in self.catalog.twists if t.id.startswith("custom-") and t.id not in PLAIN_LUCK]
        self.compare(
            "own", "one `learned` among three `adaptive`, twists of the tests, nothing tuned",
            [((twist,), 4) for twist in own], "learned", "adaptive", self.games, 0.9,
            "mean at least 1.7, least 0.9",
        )  # fmt: skip

    def part_rungs(self) -> None:
        """Measure each rung against the one below."""
        for one, others in (("learned", "skilled"), ("skilled", "casual"), ("casual", "random")):
            self.compare(
                "rungs", f"one `{one}` among three `{others}`, no twists and 20 pairs",
                [(pair, 4) for pair in ((), *self.sample[:20])], one, others, self.games, 1.0,
                "about 1.5" if one != "casual" else "",
            )  # fmt: skip

    def part_stalls(self) -> None:
        """Count the stalls of learned mirrors over all pairs and player counts."""
        which = [(pair, players) for players in range(2, 7) for pair in self.pairs]
        found = self.cells(
            which, "learned", "learned", 400, lambda cell: cell.stalls, -1.0,
            again=20_000, most_again=self.confirmed,
        )  # fmt: skip
        found.sort(key=lambda cell: -cell.stalls)
        shares = [cell.stalls for cell in found]
        # exact would be binomial; a cell counts where 1% is excluded by the normal approximation at 1%
        chances = [0.5 * erfc((c.stalls - 0.01) / sqrt(0.01 * 0.99 / c.games) / sqrt(2)) for c in found]
        errors = [sqrt(c.stalls * (1 - c.stalls) / c.games) for c in found]
        self._note(
            "stalls", "games of `learned` that stall, all pairs at 2 to 6 players (share)", found, shares,
            errors, 400, chances, 0.01, "mean below 0.001, no cell above 0.01",
        )  # fmt: skip
        self._closed([cell for cell in found if cell.stalls > 0.01])

    def _closed(self, cells: list[Played]) -> None:
        """Measure how many stalled games cannot end under the rules: no card is left to build."""
        found = []
        for cell in cells:
            compiled = compile_cell(self.catalog, EDITION, cell.players, cell.twists)
            seats = np.full((2000, cell.players), POLICIES["learned"], np.int64)
            played = Player().play(compiled, self.seed, np.arange(2000), seats)
            stalled = played.games["stalled"]
            cards = played.seats["hand"].reshape(2000, cell.players)[stalled].sum(axis=1)
            over = played.games["deck_exhausted"][stalled] & (cards == 0)
            error = float(over.std() / sqrt(over.size))
            found.append(Played(cell.twists, cell.players, over.size, float(over.mean()), error, 1.0))
        found.sort(key=lambda cell: cell.points)
        points, errors = [cell.points for cell in found], [cell.error for cell in found]
        words = (
            "stalled games of the cells above 1% in which the deck is closed and no card in any hand (share)"
        )
        self._note("stalls", words, found, points, errors, 2000, [], 1.0, "")

    def part_bots(self) -> None:
        """Measure one of each bot among learned over all pairs, or over the sample."""
        pairs = self.sample if self.sampled else self.pairs
        for bot in self.bots:
            self.compare(
                "bots",
                f"one `{bot}` among three `learned`, {'60' if self.sampled else 'all'} pairs",
                [(pair, 4) for pair in pairs],
                bot,
                "learned",
                self.games,
                1.0,
                "mean at most 0.35, no pair above 1.0",
            )

    def part_counts(self) -> None:
        """Measure one of each bot among learned at other player counts, over the sample."""
        for bot in self.bots:
            self.compare(
                "counts", f"one `{bot}` among `learned`, 2, 3, 5 and 6 players, 60 pairs",
                [(pair, players) for players in (2, 3, 5, 6) for pair in self.sample],
                bot, "learned", self.games, 1.0, "no pair above 1.0",
            )  # fmt: skip

    def part_search(self) -> None:
        """Measure `search:30` among learned."""
        self.compare(
            "search", f"one `search:30` among three `learned`, no twists and {self.searched} pairs",
            [(pair, 4) for pair in ((), *self.sample[: self.searched])], "search:30", "learned",
            max(200, self.games // 20), 1.3, "each at most 1.3, all together above 1.0",
        )  # fmt: skip

    def part_moved(self) -> None:
        """Compare games of `adaptive` with games of `learned`: how long, what is played, stalls."""
        games = 400
        for twists in [(), *self.sample]:
            cell = compile_cell(self.catalog, EDITION, 4, twists)
            mirrors = []
            for name in ("adaptive", "learned"):
                seats = np.full((games, 4), POLICIES[name], np.int64)
                played = Player().play(cell, self.seed, np.arange(games), seats)
                chosen = np.array([played.seats["chose"][:, k].sum() for k in range(len(ACTIONS))])
                mirrors.append(
                    {
                        "rounds": float(played.games["rounds"].mean()),
                        "stalls": float(played.games["stalled"].mean()),
                        "actions": [round(float(share), 4) for share in chosen / chosen.sum()],
                    }
                )
            before, after = mirrors
            self.moved.append({"twists": twists, "games": games, "before": before, "after": after})

    def part_cost(self) -> None:
        """Measure what a decision costs, beside `adaptive` in one run: processor time, the least of nine."""
        cell = compile_cell(self.catalog, EDITION, 4)
        costs: dict[str, list[float]] = {"adaptive": [], "learned": []}
        for _ in range(9):
            for name, found in costs.items():
                seats = np.full((1000, 4), POLICIES[name], np.int64)
                began = time.thread_time()
                played = Player().play(cell, self.seed, np.arange(1000), seats)
                found.append((time.thread_time() - began) / played.decisions * 1e6)
        fast = {name: min(found[1:]) for name, found in costs.items()}
        ratio = fast["learned"] / fast["adaptive"]
        words = "processor time of a decision of `learned`, in those of `adaptive`"
        self._note("cost", words, [], [ratio], [0.0], 1000, [float(ratio <= 2.0)], 2.0, "at most 2")
        sys.stderr.write(f"learned {fast['learned']:.2f} µs, adaptive {fast['adaptive']:.2f} µs\n")


NOT_MEASURED: Final = (
    "best replies over 60 cells, with their control (`balance exploit` measures one cell)",
    "a second training that never sees 60 of the pairs",
)
"""What should be known of the player and no part measures."""


def described(line: Line) -> str:
    """Return a line as a row of the table of docs/policies.md."""
    digits = 5 if line.part == "stalls" else 2
    interval = f"{line.low:.{digits}f} to {line.high:.{digits}f}" if line.low < line.high else ""
    values = f"{line.mean:.{digits}f} | {interval} | {line.extreme:.{digits}f} | {line.beyond}"
    return f"| {line.measure} | {line.cells:,} x {line.games:,} | {values} | {line.target} |"


def page(document: dict[str, Any]) -> str:
    """Return the table of docs/policies.md, from the file that ships."""
    head = "| measure | cells x games | mean | 95% interval | worst cell | cells beyond | wanted |\n"
    head += "|---|---:|---:|---|---:|---:|---|\n"
    return head + "".join(described(Line(**line)) + "\n" for line in document["lines"])


def moved_page(document: dict[str, Any]) -> str:
    """Return the table of what moves from `adaptive` to `learned`, from the file that ships."""
    head = (
        "| twists | rounds | stalls | Speculate | Invent | Research | Work |\n|---|---|---|---|---|---|---|\n"
    )
    rows = []
    for one in document["moved"]:
        before, after = one["before"], one["after"]
        cells = [" + ".join(one["twists"]) or "none", f"{before['rounds']:.1f} to {after['rounds']:.1f}"]
        cells.append(f"{before['stalls']:.1%} to {after['stalls']:.1%}")
        cells += [f"{a:.0%} to {b:.0%}" for a, b in zip(before["actions"], after["actions"], strict=True)]
        rows.append(f"| {' | '.join(cells)} |\n")
    return head + "".join(rows)


def main() -> None:
    """Measure the parts that are asked for, and write what is known by then."""
    parts = [name.removeprefix("part_") for name in vars(Measuring) if name.startswith("part_")]
    read = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    read.add_argument("--part", default=",".join(parts), help="which parts, separated by commas")
    read.add_argument("--games", type=int, default=4000, help="games in each cell where pairs are counted")
    read.add_argument("--bots", default=",".join(FIELD), help="those of the parts `bots` and `counts`")
    read.add_argument("--sampled", action="store_true", help="the part `bots` over the sample of 60 pairs")
    read.add_argument("--searched", type=int, default=10, help="pairs in which `search:30` plays")
    read.add_argument("--confirmed", type=int, default=60, help="cells with most stalls, played 20,000 times")
    read.add_argument("--threads", type=int, default=2)
    read.add_argument("--seed", type=int, default=PUBLISHED_SEED)
    read.add_argument("--kept", type=Path, default=KEPT, help="where cells are kept while it runs")
    read.add_argument("--out", type=Path, default=data_dir(GAME.name) / PLAYERS_FILE)
    read.add_argument("--page", action="store_true", help="print the table of what was measured")
    given = read.parse_args()
    if given.page:
        document = json.loads(given.out.read_bytes())
        sys.stdout.write(f"{page(document)}\n{moved_page(document)}")
        return
    measuring = Measuring(given)
    asked = given.part.split(",")
    before = json.loads(given.out.read_bytes()) if given.out.is_file() else {"stamp": None}
    current = before["stamp"] == measuring.stamp
    kept = before["lines"] if current else []
    for name in asked:
        getattr(measuring, f"part_{name}")()
        fresh = [asdict(line) for line in measuring.lines]
        renewed = {line["measure"] for line in fresh}
        lines = [line for line in kept if line["measure"] not in renewed] + fresh
        lines.sort(key=lambda line: parts.index(line["part"]))
        moved = measuring.moved or (before["moved"] if current else [])
        done = {line["part"] for line in lines} | ({"moved"} if moved else set())
        document = {
            "game": GAME.name,
            "seed": given.seed,
            "stamp": measuring.stamp,
            "lines": lines,
            "moved": moved,
            "not_run": [f"part `{part}`" for part in parts if part not in done]
            + [
                f"`{bot}` in part `{part}`"
                for part in ("bots", "counts")
                if part in done
                for bot in FIELD
                if not any(f"`{bot}`" in line["measure"] for line in lines if line["part"] == part)
            ]
            + list(NOT_MEASURED),
        }
        given.out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

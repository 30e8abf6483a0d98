"""Measures what the policies are held against, claim by claim: target, figure, interval, reached or not.

    python scripts/measure_policies.py                       everything, as Markdown for docs/policies.md
    python scripts/measure_policies.py --part four,sane --games 20000
    python scripts/measure_policies.py --part search --policy search=search:400 --json claims.json

"At least" is held against the lower end of a 95% interval, "at most" against the upper one. All games are of
the published seed and, where a sample stands for all pairs, of pairs that no tuner has seen. A part whose
policies do not exist is left out, and says so.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from balance import games, machine
from balance.analysis.arena import Match, Outcome, play_matches
from balance.analysis.intervals import Interval, adjusted, median, wilson
from balance.analysis.ladder import Figure, plan
from balance.analysis.samples import PUBLISHED_SEED, SEARCHED, sample
from balance.analysis.winpoints import p_below, win_points
from balance.bench import measured
from balance.cli import diagnostics
from balance.errors import UsageError
from balance.games.contract import Game
from balance.games.lineup import parse_lineup

PLAYERS: Final = 4
"""At this many the claims are made, where nothing else is said."""
CAST: Final = {
    "random": "random",
    "greedy": "greedy",
    "adaptive": "adaptive",
    "search": "search:200",
    "without": "adaptive-plain",
}
"""Who plays which part; `without` is `adaptive` without its offsets for twists."""
ARCHETYPES: Final = ("rusher", "saver", "investor", "spoiler", "researcher")
GAMES: Final = {
    "four": 200_000,
    "ranking": 20_000,
    "pairs": 4_000,
    "offsets": 20_000,
    "search": 2_000,
    "sane": 100_000,
    "ends": 400,
    "speed": 2_000,
}
"""The parts, and how many games each of their figures is measured on."""

Row = dict[str, object]


@dataclass(frozen=True)
class Claim:
    """Something that must be shown, and what was found."""

    part: str
    claim: str
    target: str
    value: float
    low: float | None
    high: float | None
    n: int
    seed: int
    reached: bool


@dataclass
class Found:
    """What a part has found: claims, and the tables behind them."""

    claims: list[Claim] = field(default_factory=list)
    tables: list[tuple[str, list[Row]]] = field(default_factory=list)


@dataclass(frozen=True)
class Setting:
    """What all parts share."""

    game: Game[Any, Any]
    catalog: Any
    edition: str
    cast: dict[str, str]
    archetypes: tuple[str, ...]
    games: int
    jobs: int
    players: int = PLAYERS
    changing: tuple[str, ...] = ()
    """The variants that change what is worth doing; none named: all."""
    seed: int = PUBLISHED_SEED

    def cell(self, variants: Sequence[str] = (), players: int | None = None, edition: str = "") -> Any:
        """Return a cell."""
        return self.game.compile(self.catalog, edition or self.edition, players or self.players, variants)

    def match(self, one: str, rest: str, *cells: Any) -> Match:
        """Return a match of one against the rest: at least `games` games over these cells (none: plain)."""
        cells = cells or (self.cell(),)
        lineup = parse_lineup(",".join([one, *[rest] * (self.players - 1)]), self.players, self.game)
        return Match(lineup, cells, max(1, -(-self.games // (len(cells) * lineup.rotations))))

    def play(self, what: str, matches: Sequence[Match]) -> list[Outcome]:
        """Play matches with a progress bar."""
        with diagnostics.progress(what, sum(match.games for match in matches)) as line:
            return play_matches(self.game, matches, self.seed, self.jobs, line.advance)


def points_claim(setting: Setting, part: str, one: str, rest: str, outcome: Outcome, target: str) -> Claim:
    """Return a claim on win points: the target is `>= x`, `<= x` or `> x`."""
    points = win_points(outcome.tally(one))
    word, number = target.split()
    bound = float(number)
    reached = {">=": points.low >= bound, "<=": points.high <= bound, ">": points.low > bound}[word]
    claim = f"one {one} against {setting.players - 1} {rest}"
    return _claim(setting, part, claim, target, points, outcome.games, reached)


def _claim(
    setting: Setting, part: str, claim: str, target: str, found: Interval, n: int, reached: bool
) -> Claim:
    value, low, high = (round(end, 4) + 0.0 for end in found)
    return Claim(part, claim, target, value, low, high, n, setting.seed, reached)


def _count(
    setting: Setting, part: str, claim: str, target: str, value: float, n: int, reached: bool
) -> Claim:
    """Return a claim on a count or a share that was looked at completely, so that it has no interval."""
    return Claim(part, claim, target, round(value, 4), None, None, n, setting.seed, reached)


# --- the parts


def four(setting: Setting) -> Found:
    """Four players without twists: every rung against the one below, and back."""
    adaptive, greedy, weakest = (setting.cast[name] for name in ("adaptive", "greedy", "random"))
    asked = [(greedy, weakest, ">= 3.7"), (adaptive, greedy, ">= 2.0")]
    asked += [(adaptive, archetype, ">= 1.2") for archetype in setting.archetypes]
    asked += [(archetype, adaptive, "<= 1.0") for archetype in setting.archetypes]
    asked += [(weakest, adaptive, "<= 0.05")]
    outcomes = setting.play("four", [setting.match(one, rest) for one, rest, _ in asked])
    return Found(
        [
            points_claim(setting, "four", one, rest, outcome, target)
            for (one, rest, target), outcome in zip(asked, outcomes, strict=True)
        ]
    )


def ranking(setting: Setting) -> Found:
    """Rate everybody at every number of players: nobody overtakes anybody beyond doubt."""
    cast = setting.cast
    names = [cast["random"], cast["greedy"], *setting.archetypes, cast["adaptive"]]
    low, high = setting.game.facts.players
    ratings: dict[int, dict[str, Figure]] = {}
    for players in range(low, high + 1):
        ladder = plan(setting.game, names, players, [setting.cell(players=players)], setting.games)
        with diagnostics.progress(f"ranking, {players} players", ladder.games) as line:
            figures = ladder.play(setting.game, setting.seed, setting.jobs, line.advance)
        ratings[players] = {f.policy: f for f in figures if f.measure == "rating"}
    here = ratings[setting.players]
    order = sorted(here, key=lambda name: -here[name].value)
    rows: list[Row] = [
        {"policy": name, **{f"{n} players": _shown(ratings[n][name]) for n in ratings}} for name in order
    ]
    claims = []
    for players in ratings:
        if players != setting.players:
            turned = [
                f"{lower} above {upper}"
                for upper, lower in combinations(order, 2)
                if _above(here[upper], here[lower])
                and _above(ratings[players][lower], ratings[players][upper])
            ]
            claim = f"same ranking at {players} players as at {setting.players}"
            claim += f" (turned round: {', '.join(turned)})" if turned else ""
            count = len(order) * (len(order) - 1) // 2
            claims.append(_count(setting, "ranking", claim, "0 turned round", len(turned), count, not turned))
    return Found(claims, [("Ratings by number of players", rows)])


def _above(one: Figure, other: Figure) -> bool:
    """Return whether a rating is above another with intervals that do not overlap."""
    return one.low is not None and other.high is not None and one.low > other.high


def _shown(figure: Figure) -> str:
    return f"{figure.value:.0f} ±{(figure.high or 0.0) - figure.value:.0f}"


def pairs(setting: Setting) -> Found:
    """All pairs of variants, both orders of each: `adaptive` against `greedy`."""
    one, rest = setting.cast["adaptive"], setting.cast["greedy"]
    every = _all_pairs(setting)
    matches = []
    for pair in every:
        orders = dict.fromkeys((pair, pair[::-1]) if setting.game.facts.variants_ordered else (pair,))
        matches.append(setting.match(one, rest, *(setting.cell(order) for order in orders)))
    outcomes = setting.play("pairs", matches)
    tallies = [outcome.tally(one) for outcome in outcomes]
    points = [win_points(tally) for tally in tallies]
    above = sum(found.low > 1 for found in points)
    worse = adjusted([p_below(tally) for tally in tallies])
    below = sum(p < 0.05 for p in worse)
    n = sum(outcome.games for outcome in outcomes)
    versus = f"one {one} against {setting.players - 1} {rest}"
    claims = [
        _count(setting, "pairs", f"{versus}: share of {len(every)} combinations with the interval above 1.0",
               ">= 0.95", above / len(every), n, above >= 0.95 * len(every)),
        _count(setting, "pairs", f"{versus}: below 1.0 after Benjamini-Hochberg over {len(every)}", "0",
               below, n, below == 0),
    ]  # fmt: skip
    worst = sorted(range(len(every)), key=lambda k: (points[k].value, every[k]))[:10]
    rows: list[Row] = [
        {setting.game.facts.variants: " + ".join(every[k]), **_ends(points[k]), "n": outcomes[k].games}
        for k in worst
    ]
    return Found(claims, [(f"The worst ten for {versus}", rows)])


def _all_pairs(setting: Setting) -> list[tuple[str, ...]]:
    names = setting.game.variants(setting.catalog, setting.edition)
    return list(combinations(sorted(names), min(2, setting.game.facts.variants_at_once)))


def _ends(points: Interval) -> Row:
    return {"win points": f"{points.value:.2f}", "interval": f"{points.low:.2f} to {points.high:.2f}"}


def offsets(setting: Setting) -> Found:
    """Every variant alone, in the first edition that has it: with fitted offsets against without."""
    one, rest = setting.cast["adaptive"], setting.cast["without"]
    homes: dict[str, str] = {}
    for edition in setting.game.facts.editions:
        for name in setting.game.variants(setting.catalog, edition):
            homes.setdefault(name, edition)
    _known(setting.changing, homes, setting.game.facts.variant)
    matches = [
        setting.match(one, rest, setting.cell([name], edition=edition)) for name, edition in homes.items()
    ]
    outcomes = setting.play("offsets", matches)
    points = {name: win_points(outcome.tally(one)) for name, outcome in zip(homes, outcomes, strict=True)}
    changing = setting.changing or tuple(points)
    above = [name for name in changing if points[name].low > 1]
    below = [name for name, found in points.items() if found.high < 1]
    worse = sum(p < 0.05 for p in adjusted([p_below(outcome.tally(one)) for outcome in outcomes]))
    n = sum(outcome.games for outcome in outcomes)
    word = setting.game.facts.variants
    versus = f"one {one} against {setting.players - 1} {rest}"
    most = len(changing) // 2
    claims = [
        _count(setting, "offsets", f"{versus}: {word} with the interval above 1.0, of {len(changing)} that "
               "change what is worth doing", f"> {most}", len(above), n, len(above) > most),
        _count(setting, "offsets", f"{versus}: {word} with the interval below 1.0, of {len(points)} "
               f"({', '.join(below) or 'none'})", "0", len(below), n, not below),
        _count(setting, "offsets", f"{versus}: {word} below 1.0 after Benjamini-Hochberg over {len(points)}",
               "0", worse, n, worse == 0),
    ]  # fmt: skip
    order = sorted(points, key=lambda name: (-points[name].value, name))
    rows: list[Row] = [{word: name, **_ends(points[name])} for name in order]
    return Found(claims, [("What the offsets are worth", rows)])


def search(setting: Setting) -> Found:
    """Search against `adaptive`: without variants, and in each of the sampled combinations."""
    one, rest = setting.cast["search"], setting.cast["adaptive"]
    sampled = sample(setting.game, setting.catalog, setting.edition, SEARCHED)
    matches = [setting.match(one, rest)]
    matches += [setting.match(one, rest, setting.cell(combination)) for combination in sampled]
    plain, *outcomes = setting.play("search", matches)
    claims = [points_claim(setting, "search", one, rest, plain, ">= 1.1")]
    points = [win_points(outcome.tally(one)) for outcome in outcomes]
    above = sum(found.low > 1 for found in points)
    n = sum(outcome.games for outcome in outcomes)
    claims.append(
        _count(setting, "search", f"one {one} against {setting.players - 1} {rest}: intervals above 1.0 in "
               f"{len(sampled)} sampled combinations", f"{len(sampled)}", above, n, above == len(sampled))
    )  # fmt: skip
    rows: list[Row] = [
        {setting.game.facts.variants: " + ".join(names), **_ends(found), "n": outcome.games}
        for names, found, outcome in zip(sampled, points, outcomes, strict=True)
    ]
    return Found(claims, [(f"{one} in the sample", rows)])


def sane(setting: Setting) -> Found:
    """Among its own kind `adaptive` ends games, neither at once nor never, at every number of players."""
    claims = []
    low, high = setting.game.facts.players
    for players in range(low, high + 1):
        lineup = parse_lineup(f"mirror:{setting.cast['adaptive']}", players, setting.game)
        match = Match(lineup, (setting.cell(players=players),), setting.games)
        (outcome,) = setting.play(f"sane, {players} players", [match])
        counts = [outcome.lengths[rounds] for rounds in range(setting.game.facts.round_limit + 1)]
        rounds = median(counts)
        where = f"{lineup.text}, {players} players"
        within = rounds.low >= 8 and rounds.high <= 20
        claims.append(
            _claim(setting, "sane", f"{where}: median rounds", "8 to 20", rounds, outcome.games, within)
        )
        stalls = wilson(outcome.stalled / outcome.games, outcome.games)
        ends = Interval(*(end * outcome.games for end in stalls))
        claim = f"{where}: stalled games"
        claims.append(_claim(setting, "sane", claim, "0", ends, outcome.games, outcome.stalled == 0))
    return Found(claims)


def ends(setting: Setting) -> Found:
    """Under every variant alone, players among their own kind end their games: who does not is named."""
    cast = setting.cast
    names = [cast["greedy"], *setting.archetypes, cast["adaptive"]]
    variants = setting.game.variants(setting.catalog, setting.edition)
    matches = [
        Match(parse_lineup(f"mirror:{name}", setting.players, setting.game), (setting.cell([variant]),),
              setting.games)
        for variant in variants for name in names
    ]  # fmt: skip
    played = iter(setting.play("ends", matches))
    shares = {variant: {name: next(played) for name in names} for variant in variants}
    claims = []
    for name in names:
        stuck = [v for v in variants if shares[v][name].stalled > 0.01 * shares[v][name].games]
        claim = f"mirror:{name}: {setting.game.facts.variants} under which more than 1% of games stall"
        claim += f" ({', '.join(stuck)})" if stuck else ""
        n = setting.games * len(variants)
        claims.append(_count(setting, "ends", claim, "0", len(stuck), n, not stuck))
    rows: list[Row] = [
        {setting.game.facts.variant: v, **{n: f"{o.stalled / o.games:.2f}" for n, o in here.items()}}
        for v, here in shares.items()
        if any(outcome.stalled for outcome in here.values())
    ]
    return Found(claims, [("Share of games that stall, where any does", rows)] if rows else [])


def speed(setting: Setting) -> Found:
    """Time a decision of `adaptive` beside one of `random`, in turns, on one thread."""
    engine, cell = measured(setting.game), setting.cell()
    names = (setting.cast["random"], setting.cast["adaptive"])
    lineups = [parse_lineup(f"mirror:{name}", setting.players, setting.game) for name in names]
    ratios = []
    for repeat in range(10):
        cost = [0.0, 0.0]
        for place, lineup in enumerate(lineups):
            run = engine.measure([cell], setting.seed, 0, setting.games, lineup, 1)
            cost[place] = run.seconds / max(run.decisions, 1)
        if repeat:  # the first one may have waited for something
            ratios.append(cost[1] / cost[0])
    middle = statistics.median(ratios)
    claim = f"a decision of {names[1]} costs so many of {names[0]} (lowest and highest of {len(ratios)})"
    found = Interval(middle, min(ratios), max(ratios))
    return Found([_claim(setting, "speed", claim, "<= 12", found, setting.games, middle <= 12)])


PARTS: Final[dict[str, Callable[[Setting], Found]]] = {
    "four": four,
    "ranking": ranking,
    "pairs": pairs,
    "offsets": offsets,
    "search": search,
    "sane": sane,
    "ends": ends,
    "speed": speed,
}
NEEDS: Final = {
    "four": ("random", "greedy", "adaptive"),
    "ranking": ("random", "greedy", "adaptive"),
    "pairs": ("greedy", "adaptive"),
    "offsets": ("adaptive", "without"),
    "search": ("adaptive", "search"),
    "sane": ("adaptive",),
    "ends": ("greedy", "adaptive"),
    "speed": ("random", "adaptive"),
}
"""Who has to exist for a part."""


def missing(setting: Setting, part: str) -> list[str]:
    """Return the policies of a part that do not exist."""
    wanted = [setting.cast[role] for role in NEEDS[part]]
    if part in ("four", "ranking"):
        wanted += setting.archetypes
    absent = []
    for name in wanted:
        try:
            setting.game.policy_number(name)
        except UsageError:
            absent.append(name)
    return absent


# --- printing


def markdown(found: Found) -> str:
    """Return everything as Markdown: the claims, then the tables behind them."""
    rows: list[Row] = [
        {
            "claim": claim.claim,
            "target": claim.target,
            "measured": f"{claim.value:g}",
            "interval": "" if claim.low is None else f"{claim.low:g} to {claim.high:g}",
            "n": claim.n,
            "seed": claim.seed,
            "reached": "yes" if claim.reached else "**no**",
        }
        for claim in found.claims
    ]
    parts = [_table(rows)] if rows else []
    parts += [f"{title}:\n\n{_table(table)}" for title, table in found.tables]
    return "\n".join(parts)


def _table(rows: Sequence[Row]) -> str:
    columns = list(rows[0])
    lines = [columns, ["---"] * len(columns), *([str(row[name]) for name in columns] for row in rows)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def read_options(arguments: Sequence[str]) -> tuple[Setting, list[str], int | None, Path | None]:
    """Return the setting, the parts, the number of games if given, and where JSON goes."""
    read = argparse.ArgumentParser(description="Measure what the policies are held against.")
    read.add_argument("--of", default=games.DEFAULT, help="the game")
    read.add_argument("--part", default=",".join(PARTS), help="parts, separated by commas; default all")
    read.add_argument("--games", type=int, help=f"games of each figure; default by part: {GAMES}")
    read.add_argument("--players", type=int, default=PLAYERS)
    read.add_argument("--policy", action="append", default=[], metavar="ROLE=NAME", help=f"of {CAST}")
    read.add_argument("--archetypes", default=",".join(ARCHETYPES))
    read.add_argument("--changing", default="", help="ids of variants that change what is worth doing")
    read.add_argument("--jobs", type=int, default=machine.cores().amount)
    read.add_argument("--json", type=Path, help="also write claims and tables to this file")
    asked = read.parse_args(arguments)
    game = games.get(asked.of)
    cast = CAST | dict(_role(text) for text in asked.policy)
    setting = Setting(
        game,
        game.load_catalog(),
        game.facts.default_edition,
        cast,
        tuple(name for name in asked.archetypes.split(",") if name),
        0,
        asked.jobs,
        asked.players,
        tuple(name for name in asked.changing.split(",") if name),
    )
    return setting, _known(asked.part.split(","), PARTS, "part"), asked.games, asked.json


def _role(text: str) -> tuple[str, str]:
    role, _, name = text.partition("=")
    _known([role], CAST, "role")
    return role, name


def _known(names: Sequence[str], known: Iterable[str], what: str) -> list[str]:
    for name in names:
        if name not in known:
            raise UsageError(f"there is no {what} '{name}': {', '.join(known)}")
    return list(names)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the parts, print Markdown, and return 1 if a claim is not reached."""
    setting, parts, given, target = read_options(sys.argv[1:] if arguments is None else arguments)
    everything = Found()
    for part in parts:
        absent = missing(setting, part)
        if absent:
            diagnostics.warn(f"{part}: left out, there is no {', '.join(absent)}")
            continue
        found = PARTS[part](replace(setting, games=given or GAMES[part]))
        everything.claims += found.claims
        everything.tables += found.tables
    print(markdown(everything), end="")
    if target is not None:
        content = {
            "claims": [asdict(claim) for claim in everything.claims],
            "tables": [{"title": title, "rows": rows} for title, rows in everything.tables],
        }
        target.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return 0 if all(claim.reached for claim in everything.claims) else 1


if __name__ == "__main__":
    sys.exit(diagnostics.run(main))

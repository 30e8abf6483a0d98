"""`balance ladder`: how strong the policies are against each other."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Annotated, Any, Final

import typer

from balance import games, machine
from balance.analysis import ladder as measuring
from balance.analysis.ladder import Figure
from balance.analysis.samples import PUBLISHED_SEED, SAMPLED, sample
from balance.cli import diagnostics, gameoptions, output
from balance.cli.help import examples
from balance.errors import UsageError
from balance.games.contract import Catalog, Game, Measured
from balance.games.keys import check_keys
from balance.games.lineup import parse_lineup

__all__ = ["EPILOG", "ladder"]

EPILOG = examples(
    "balance ladder --players 4",
    "balance ladder --policies adaptive,greedy,random --twists sample --games 100000",
    "balance ladder --twists unions,geeks --json --out ladder.json",
)

_COLUMNS: Final = tuple(field.name for field in fields(Figure))
_NONE: Final = "none"
_SAMPLE: Final = "sample"
_TIMED_GAMES: Final = 400
_TIMED_REPEATS: Final = 5


def ladder(
    players: Annotated[int, typer.Option(metavar="N", help="How many play.")] = 4,
    variants: Annotated[
        list[str] | None,
        typer.Option(
            "--variants",
            metavar="none|sample|A,B",
            help=f"Under which variants: none (default), a fixed sample of {SAMPLED} pairs, or these.",
        ),
    ] = None,
    policies: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="Who climbs it, separated by commas; by default everybody."),
    ] = None,
    games_: Annotated[
        int,
        typer.Option("--games", metavar="N", min=1, max=2**31, help="Games of one policy against another."),
    ] = 20_000,
    seed: Annotated[int, typer.Option(metavar="N", help="The seed of all games.")] = PUBLISHED_SEED,
    edition: gameoptions.EditionOption = None,
    catalog: gameoptions.CatalogOption = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="J", min=1, help="Threads that play; by default all cores.")
    ] = None,
    timing: Annotated[
        bool, typer.Option("--timing", help="Also measure what a decision costs; differs from run to run.")
    ] = False,
    of: gameoptions.OfOption = games.DEFAULT,
    format_: output.FormatOption = None,
    as_json: output.JsonOption = False,
    out: output.OutOption = None,
    force: output.ForceOption = False,
) -> None:
    """Measure how strong the policies are: one against the rest, mixed tables, and a rating.

    Win points are the share of wins times the number of players: 1.00 is fair. Intervals are 95%, over deals.
    """
    options = output.options(format_, as_json, out, force)
    check_keys(seed, 0)
    game = games.get(of)
    loaded = game.load_catalog(catalog or ())
    printed = edition or game.facts.default_edition
    combined = _combinations(game, loaded, printed, variants or [_NONE])
    cells = [game.compile(loaded, printed, players, combination) for combination in combined]
    named = policies.split(",") if policies is not None else list(game.facts.policies)
    plan = measuring.plan(game, [name.strip() for name in named], players, cells, games_)
    gameoptions.warn_of_unfitted(game, loaded, combined)
    gameoptions.announce_warm_up(game, replay=False)
    diagnostics.say(
        f"{game.facts.title}, {printed}, {players} players, {_described(game, combined)}: "
        f"{plan.games} games of {len(plan.policies)} policies, seed {seed}"
    )
    with diagnostics.progress("playing", plan.games) as line:
        found = plan.play(game, seed, jobs or machine.cores().amount, line.advance)
    if timing:
        found += _timed(game, plan.policies, players, cells, seed)
    rows = [asdict(figure) for figure in found]
    output.sections(_sections(found), rows, _COLUMNS, options)


def _combinations(
    game: Game[Any, Any], catalog: Catalog, edition: str, given: Sequence[str]
) -> list[tuple[str, ...]]:
    """Return the combinations of variants that a user asks for."""
    if list(given) == [_NONE]:
        return [()]
    if list(given) == [_SAMPLE]:
        return sample(game, catalog, edition)
    return [tuple(gameoptions.variant_names(game, catalog, given))]


def _described(game: Game[Any, Any], combined: Sequence[tuple[str, ...]]) -> str:
    if len(combined) > 1:
        return f"{len(combined)} combinations of {game.facts.variants}"
    return " + ".join(combined[0]) or f"no {game.facts.variants}"


def _timed(
    game: Game[Any, Any], policies: Sequence[str], players: int, cells: Sequence[Any], seed: int
) -> list[Figure]:
    """Measure on one thread, all policies in turns, what a decision costs among its own kind."""
    if not isinstance(game, Measured):
        raise UsageError(f"the game {game.name} does not count what it plays, so its speed is not known")
    spent: dict[str, list[float]] = {name: [] for name in policies}
    each = -(-_TIMED_GAMES // len(cells))
    for _ in range(_TIMED_REPEATS):
        for name, taken in spent.items():
            lineup = parse_lineup(f"mirror:{name}", players, game)
            run = game.measure(cells, seed, 0, each, lineup, 1)
            taken.append(run.seconds * 1e9 / max(run.decisions, 1))
    return [
        Figure("decision", name, "", round(statistics.median(taken)), round(min(taken)), round(max(taken)))
        for name, taken in spent.items()
    ]


# --- for people


def _sections(found: Sequence[Figure]) -> list[tuple[str, list[dict[str, object]], list[str]]]:
    """Return the figures as tables: ratings, one against the rest as a matrix, what does not fit."""
    by = {(f.measure, f.policy, f.against): f for f in found}
    order = [f.policy for f in found if f.measure == "rating"]
    timed = any(f.measure == "decision" for f in found)
    standing = [_standing(by, name, timed) for name in order]
    columns = ["policy", "rating", "mixed", *(["ns per decision"] if timed else [])]
    matrix: list[dict[str, object]] = [
        {"one": one, **{rest: _short(by["one", one, rest]) for rest in order if rest != one}} for one in order
    ]
    return [
        ("Rating (400 points are tenfold strength), and win points at mixed tables", standing, columns),
        ("Win points of one against the rest", matrix, ["one", *order]),
        ("What a rating cannot say", _misfits(found), ["what", "policy", "against", "value", "fitted"]),
    ]


def _standing(by: dict[tuple[str, str, str], Figure], name: str, timed: bool) -> dict[str, object]:
    rating, mixed = by["rating", name, ""], by["mixed", name, measuring.EVERYBODY]
    row: dict[str, object] = {
        "policy": name,
        "rating": f"{round(rating.value)} ±{round((rating.high or 0.0) - rating.value)}",
        "mixed": _short(mixed),
    }
    return row | {"ns per decision": by["decision", name, ""].value} if timed else row


def _short(figure: Figure) -> str:
    """Return win points with the longer half of their interval."""
    low, high = figure.low or 0.0, figure.high or 0.0
    return f"{figure.value:.2f} ±{max(figure.value - low, high - figure.value):.2f}"


def _misfits(found: Sequence[Figure]) -> list[dict[str, object]]:
    words = {"misfit": "deviance", "worst fit": "win points off", "cycle": "cycle"}
    return [
        {
            "what": words[f.measure],
            "policy": f.policy,
            "against": f.against,
            "value": f"{f.value:.2f}",
            "fitted": None if f.fitted is None else f"{f.fitted:.2f}",
        }
        for f in found
        if f.measure in words
    ]

"""`balance ladder`: how strong the policies are against each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer

from balance import games, machine
from balance.cli import diagnostics, gameoptions, output
from balance.cli.help_text import examples
from balance.experiments import ladder as measuring
from balance.experiments.samples import PUBLISHED_SEED, SAMPLED, sample
from balance.games.contract import Catalog, Game
from balance.games.keys import check_keys
from balance.games.variants import variant_names

EPILOG = examples(
    "balance ladder --players 4",
    "balance ladder --policies adaptive,greedy --twists sample",
    "balance ladder --twists unions,geeks --json --out ladder.json",
)

_NONE: Final = "none"
_SAMPLE: Final = "sample"


def ladder(
    context: typer.Context,
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
        typer.Option(metavar="A,B,...", help="The policies, separated by commas; by default all."),
    ] = None,
    games_: Annotated[
        int,
        typer.Option("--games", metavar="N", min=1, max=2**31, help="Games of one policy against another."),
    ] = 20_000,
    seed: gameoptions.SeedOption = PUBLISHED_SEED,
    edition: gameoptions.EditionOption = None,
    catalog: gameoptions.CatalogOption = None,
    jobs: gameoptions.JobsOption = None,
    of: gameoptions.OfOption = games.DEFAULT,
    format_: output.PageFormatOption = None,
    as_json: output.JsonOption = False,
    out: output.OutOption = None,
    force: output.ForceOption = False,
) -> None:
    """Measure how strong the policies are: one against the rest, and mixed tables.

    Win points are the share of wins times the number of players: 1.00 is fair. Intervals are 95%, over deals.
    """
    options = output.options(format_, as_json, out, force, pages=True)
    check_keys(seed, 0)
    game = games.get(of)
    loaded = game.load_catalog(catalog or ())
    printed = edition or game.facts.default_edition
    combined = _combinations(game, loaded, printed, variants or [_NONE])
    cells = [game.compile(loaded, printed, players, combination) for combination in combined]
    named = policies.split(",") if policies is not None else list(game.facts.policies)
    plan = measuring.plan(game, [name.strip() for name in named], players, cells, games_)
    gameoptions.announce_warm_up(game, replay=False)
    diagnostics.say(
        f"{game.facts.title}, {printed}, {players} players, {_described(game, combined)}: "
        f"{plan.games} games of {len(plan.policies)} policies, seed {seed}"
    )
    with diagnostics.progress("playing", plan.games) as line:
        found = plan.play(seed, jobs or machine.cores().amount, line.advance)
    standings = measuring.Standings(
        game, printed, players, _described(game, combined), seed, plan.games, tuple(found)
    )
    from balance.report.played_answers import ladder_answer

    output.answer(ladder_answer(standings, gameoptions.command_of(context)), options)


def _combinations(
    game: Game[Any, Any], catalog: Catalog, edition: str, given: Sequence[str]
) -> list[tuple[str, ...]]:
    """Return the combinations of variants that a user asks for."""
    if list(given) == [_NONE]:
        return [()]
    if list(given) == [_SAMPLE]:
        return sample(game, catalog, edition)
    return [tuple(variant_names(game, catalog, given))]


def _described(game: Game[Any, Any], combined: Sequence[tuple[str, ...]]) -> str:
    if len(combined) > 1:
        return f"{len(combined)} combinations of {game.facts.variants}"
    return " + ".join(combined[0]) or f"no {game.facts.variants}"

"""`balance ladder`: how strong the policies are against each other."""

from __future__ import annotations

from typing import Annotated

import typer

from balance import games
from balance.cli import diagnostics, gameoptions, output
from balance.cli.help_text import examples
from balance.experiments import ladder as measuring
from balance.experiments.samples import PUBLISHED_SEED, SAMPLED

EPILOG = examples(
    "balance ladder --players 4",
    "balance ladder --policies adaptive,greedy --twists sample --games 100000",
    "balance ladder --twists unions,geeks --json --out ladder.json",
)


@output.takes_options(pages=True)
def ladder(
    context: typer.Context,
    options: output.OutputOptions,
    players: gameoptions.PlayersOption = 4,
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
) -> None:
    """Measure how strong the policies are: one against the rest, and mixed tables.

    Win points are the share of wins times the number of players: 1.00 is fair. Intervals are 95%, over deals.
    """
    asked = measuring.request(
        players=players,
        variants=variants or (),
        policies=[name.strip() for name in policies.split(",")] if policies is not None else (),
        games_per_match=games_,
        seed=seed,
        edition=edition,
        catalog=catalog or (),
        game=of,
    )
    gameoptions.announce_warm_up(asked.game, replay=False)
    diagnostics.say(
        f"{asked.game.facts.title}, {asked.edition}, {players} players, {asked.described}: "
        f"{asked.games} games of {len(asked.policies)} policies, seed {seed}"
    )
    with diagnostics.progress("playing", asked.games) as advance:
        standings = asked.play(jobs, advance)
    from balance.report.played_answers import ladder_answer

    output.answer(ladder_answer(standings, gameoptions.command_of(context)), options)

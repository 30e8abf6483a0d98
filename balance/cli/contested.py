"""`balance contested`: what rests on facts that are in doubt."""

from __future__ import annotations

from typing import Annotated

import typer

from balance import games
from balance.cli import diagnostics, gameoptions, output
from balance.cli.help_text import examples

EPILOG = examples(
    "balance contested",
    'balance contested "Flying Car" unions --combinations 35',
    "balance contested --json -o contested.json",
)


@output.takes_options(pages=True)
def contested(
    context: typer.Context,
    options: output.OutputOptions,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Entries in doubt; by default all of them."),
    ] = None,
    games_: Annotated[int, typer.Option("--games", metavar="N", help="Deals of each cell.")] = 2000,
    combinations: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Combinations that are played for each entry: a sample, with a variant a sample of its own.",
        ),
    ] = 12,
    players: gameoptions.PlayersOption = 4,
    edition: gameoptions.EditionOption = None,
    seed: gameoptions.SeedOption = 0,
    catalog: gameoptions.CatalogOption = None,
    thresholds: gameoptions.ThresholdsOption = None,
    jobs: gameoptions.JobsOption = None,
    of: gameoptions.OfOption = games.DEFAULT,
) -> None:
    """Show which verdicts and values would change if facts that are in doubt had another reading.

    Plays the other readings that are known. One entry takes some seconds, everything in doubt a minute.
    """
    from balance.experiments import contested as analysis
    from balance.report.played_answers import contested_answer

    game = games.get(of)
    gameoptions.announce_warm_up(game, replay=False)
    loaded = game.load_catalog(catalog or ())
    printed = edition or game.facts.default_edition
    doubts = analysis.doubts_of(game, loaded, printed, names or ())
    with diagnostics.progress("comparing", sum(len(doubt.readings) for doubt in doubts)) as advance:
        found = analysis.contested(
            names or (),
            game=of,
            players=players,
            edition=edition,
            deals=games_,
            combinations=combinations,
            seed=seed,
            catalog=catalog or (),
            thresholds=thresholds or (),
            jobs=jobs,
            advance=advance,
        )
    output.answer(contested_answer(found, gameoptions.command_of(context)), options)

"""`balance price`: at which cost each item would be an average one, and a proposal for all."""

from __future__ import annotations

from typing import Annotated

import typer

from balance import games
from balance.cli import diagnostics, gameoptions, output
from balance.cli.help_text import examples

EPILOG = examples(
    'balance price "Moon Base" Panacea',
    "balance price --write fair.toml",
    "balance price --players 3 --games 5000 --format csv -o prices.csv",
)


@output.takes_options(pages=True)
def price(
    context: typer.Context,
    options: output.OutputOptions,
    items: Annotated[
        list[str] | None, typer.Argument(metavar="[ITEM]...", help="What to price; by default everything.")
    ] = None,
    games_: Annotated[
        int,
        typer.Option(
            "--games",
            metavar="N",
            help="Deals; an item is priced on those in which it was in an opening hand.",
        ),
    ] = 20_000,
    players: gameoptions.PlayersOption = 4,
    lineup: gameoptions.LineupOption = None,
    edition: gameoptions.EditionOption = None,
    seed: gameoptions.SeedOption = 0,
    catalog: gameoptions.CatalogOption = None,
    write: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the proposed costs as a catalog overlay; not over a file."),
    ] = None,
    jobs: gameoptions.JobsOption = None,
    of: gameoptions.OfOption = games.DEFAULT,
) -> None:
    """Find the cost at which holding an item is worth what holding the average one is.

    Plays the same deals again at other costs, without variants and under a sample of their combinations, and
    proposes costs for all items, tried on fresh seeds. One item takes some seconds, a whole deck minutes.
    """
    overlay = output.options(out=write, force=options.force, named="--write") if write is not None else None
    from balance.experiments import price as pricing
    from balance.report.played_answers import price_answer

    game = games.get(of)
    gameoptions.announce_warm_up(game, replay=False)
    loaded = game.load_catalog(catalog or ())
    expected = pricing.expected_games(game, loaded, items or (), games_)
    with diagnostics.progress("pricing", expected) as advance:
        found = pricing.price(
            items or (),
            game=of,
            players=players,
            edition=edition,
            lineup=lineup,
            deals=games_,
            seed=seed,
            catalog=catalog or (),
            jobs=jobs,
            advance=advance,
        )
    output.answer(price_answer(found, gameoptions.command_of(context)), options)
    if overlay is not None:
        if found.overlay:
            head = (
                f"# Costs proposed by balance price: {found.edition}, {found.players} players, "
                f"{found.lineup}, seed {found.seed}, {found.deals} deals.\n"
                "# Lay it over the same catalog with --catalog.\n\n"
            )
            output.text(head + found.overlay, overlay)
            diagnostics.say(f"{len(found.proposal)} new costs are in {write}")
        else:
            diagnostics.say(f"nothing is proposed, so {write} is not written")

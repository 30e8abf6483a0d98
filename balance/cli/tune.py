"""`balance tune`: lets the players learn a twist of your own, or changed rules."""

from __future__ import annotations

from typing import Annotated, Any, Final

import typer

from balance import games, machine
from balance.analysis.samples import TUNING_SEEDS, check_tuning_seed, tuning_combinations
from balance.cli import diagnostics, gameoptions, output
from balance.cli.help import examples
from balance.errors import UsageError
from balance.games.contract import Catalog, Game, Tunable
from balance.games.variants import editions_of, variant_id

__all__ = ["EPILOG", "tune"]

EPILOG = examples(
    "balance tune --catalog my-twists.toml --twist my-twist --out my-offsets.toml",
    "balance tune --catalog my-twists.toml --twist unions --budget 1000000 > my-offsets.toml",
)
BUDGET: Final = 3_000_000
"""Games; about five minutes on two cores."""


def tune(
    variant: Annotated[
        str, typer.Option("--variant", metavar="ID", help="The variant that the players shall learn.")
    ],
    catalog: gameoptions.CatalogOption = None,
    budget: Annotated[
        int, typer.Option(metavar="GAMES", help="How many games are played, at most.")
    ] = BUDGET,
    edition: Annotated[
        str | None,
        typer.Option(metavar="ID", help="The printed edition; by default the first that has the variant."),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", help="The seed of all games, one of those for tuning.")
    ] = TUNING_SEEDS.start,
    jobs: Annotated[
        int | None, typer.Option(metavar="J", min=1, help="Threads that play; by default all cores.")
    ] = None,
    of: gameoptions.OfOption = games.DEFAULT,
    out: output.OutOption = None,
    force: output.ForceOption = False,
) -> None:
    """Fit the players to one variant, and write what they learned as an overlay.

    Lay it over the catalog with another --catalog, or put it into the same folder.
    """
    options = output.options(out=out, force=force)
    check_tuning_seed(seed)
    game = games.get(of)
    if not isinstance(game, Tunable):
        raise UsageError(f"the policies of {game.facts.title} cannot be tuned")
    loaded = game.load_catalog(catalog or ())
    learned = variant_id(game, loaded, variant)
    printed = edition or _first_edition(game, loaded, learned)
    game.compile(loaded, printed, game.facts.players[0], [learned])  # says what is wrong before anybody waits
    combined = tuning_combinations(game, loaded, printed)
    gameoptions.announce_warm_up(game, replay=False)
    with diagnostics.progress(f"fitting {learned}", budget) as line:
        fitting = game.tune(
            loaded, printed, learned, combined, budget, seed, jobs or machine.cores().amount, line.advance
        )
    output.text(fitting.text, options)
    interval = f"{fitting.gain:+.3f} win points (95%: {fitting.low:+.3f} to {fitting.high:+.3f})"
    diagnostics.say(
        f"{learned}, {printed}: {interval} against unfitted players, on {fitting.fresh:,} fresh games "
        f"of {fitting.games:,}"
    )
    if not fitting.gains:
        diagnostics.say("that cannot be told from 0: the players play on as they did, which counts as fitted")


def _first_edition(game: Game[Any, Any], catalog: Catalog, variant: str) -> str:
    """Return the first edition that has a variant."""
    editions = editions_of(game, catalog)
    having = [edition for edition in editions if variant in game.variants(catalog, edition)]
    if not having:
        raise UsageError(f"no printed edition has '{variant}'; name one with --edition")
    return having[0]

"""`balance replay`: one game again, as a transcript, as its event log, or as the state after a round."""

from __future__ import annotations

from typing import Annotated

import typer

from balance import games
from balance.cli import gameoptions, output
from balance.cli.help_text import examples
from balance.errors import UsageError

EPILOG = examples(
    "balance replay --players 4 --twists grants,unions --seed 7 --game 123",
    'balance replay --players 3 --twists "Blood, Sweat & Mice"',
    "balance replay --players 2 --seed 7 --game 5 --json | grep reveal",
    "balance replay data/runs/first 120000000345000",
)


def replay(
    run: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN",
            autocompletion=gameoptions.complete_run,
            help="The folder of a run: replay one of its games.",
        ),
    ] = None,
    game_id: Annotated[
        int | None, typer.Argument(metavar="GAME_ID", help="The game_id of a row of the run.")
    ] = None,
    players: Annotated[
        int | None, typer.Option("--players", metavar="N", help="How many play; needed without a run.")
    ] = None,
    variants: gameoptions.VariantsOption = None,
    edition: gameoptions.EditionOption = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="The seed of all games, 0..2^63-1; by default 0.")
    ] = None,
    game_index: Annotated[
        int | None,
        typer.Option("--game", metavar="N", help="Which game of the seed, 0..2^32-1; by default 0."),
    ] = None,
    replicate: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Which run of the same deal: other chance decisions, a list of policies a seat further.",
        ),
    ] = None,
    lineup: gameoptions.LineupOption = None,
    catalog: gameoptions.CatalogOption = None,
    state: Annotated[
        int | None,
        typer.Option(metavar="K", help="Print only the state after round K (0: as dealt), as a text."),
    ] = None,
    of: Annotated[
        str | None,
        typer.Option(
            "--of", metavar="NAME", help="The game that is played (--game is the index of one game)."
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the event log as JSON lines instead of a transcript.")
    ] = False,
    out: output.OutOption = None,
    force: output.ForceOption = False,
) -> None:
    """Play one game again and print what happens, round by round.

    The same options give the same game, always; the order of variants matters. With RUN and GAME_ID it is a
    game of a run, checked against its rows.
    """
    options = output.options(None, as_json, out, force)
    if state is not None and as_json:
        raise UsageError("--state prints one state; it does not go with --json")
    if run is not None:
        gameoptions.refuse_together(
            "a run fixes its games",
            players=players,
            variants=variants,
            edition=edition,
            seed=seed,
            game_index=game_index,
            replicate=replicate,
            lineup=lineup,
            catalog=catalog,
            game=of,
        )
    from balance.sweep.replaying import replay as played_again

    played = played_again(
        run,
        game_id,
        players=players,
        variants=variants or (),
        edition=edition,
        seed=seed or 0,
        game_index=game_index or 0,
        replicate=replicate or 0,
        lineup=lineup,
        catalog=catalog or (),
        game=of or games.DEFAULT,
    )
    gameoptions.announce_warm_up(played.game, replay=True)
    if state is not None:
        output.text(played.state(state), options)
    elif as_json:
        output.json_lines(played.events, options)
    else:
        output.text(played.transcript(), options)

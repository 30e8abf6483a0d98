"""`balance replay`: one game again, told for people, as its event log, or as the state after a round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from balance import games
from balance.cli import gameoptions, output
from balance.cli.help import examples
from balance.errors import UsageError
from balance.games.contract import Game, Notated
from balance.games.eventlog import from_round
from balance.games.handicap import read_handicaps
from balance.games.keys import check_keys
from balance.games.lineup import parse_lineup

__all__ = ["EPILOG", "replay"]

EPILOG = examples(
    "balance replay --players 4 --twists parallel-universe,unions --seed 7 --game 123",
    'balance replay --players 3 --twists "Blood, Sweat & Mice" --edition magellan-2014 --round 10',
    "balance replay --players 2 --seed 7 --game 5 --json | grep reveal",
)


def replay(
    players: gameoptions.PlayersOption,
    variants: gameoptions.VariantsOption = None,
    edition: gameoptions.EditionOption = None,
    seed: Annotated[int, typer.Option(metavar="N", help="The seed of all games, 0..2^63-1.")] = 0,
    game_index: Annotated[
        int, typer.Option("--game", metavar="N", help="Which game of the seed, 0..2^32-1.")
    ] = 0,
    replicate: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Which run of the same deal: other chance decisions, a list of policies a seat further.",
        ),
    ] = 0,
    lineup: gameoptions.LineupOption = None,
    handicap: gameoptions.HandicapOption = None,
    catalog: gameoptions.CatalogOption = None,
    first_round: Annotated[int, typer.Option("--round", metavar="K", help="Begin with round K.")] = 1,
    state: Annotated[
        int | None,
        typer.Option(metavar="K", help="Print only the state after round K (0: as dealt), as a text."),
    ] = None,
    of: gameoptions.OfOption = games.DEFAULT,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the event log as JSON lines instead of a transcript.")
    ] = False,
    out: output.OutOption = None,
    force: output.ForceOption = False,
) -> None:
    """Play one game again and tell what happens, round by round.

    The same options give the same game, always; the order of variants matters.
    """
    options = output.options(None, as_json, out, force)
    if state is not None and (as_json or first_round != 1):
        raise UsageError("--state prints one state; it does not go with --json or --round")
    check_keys(seed, game_index, replicate)
    game = games.get(of)
    loaded = game.load_catalog(catalog or ())
    cell = game.compile(
        loaded,
        edition or game.facts.default_edition,
        players,
        gameoptions.variant_names(game, loaded, variants or ()),
        read_handicaps(handicap or ()),
    )
    seats = parse_lineup(lineup or game.facts.default_lineup, players, game)
    policies = seats.names(seed, game_index, replicate)
    if state is not None:
        write_state = _notation(game)
        gameoptions.announce_warm_up(game, replay=True)
        output.text(write_state(cell, seed, game_index, policies, state, replicate), options)
        return
    gameoptions.announce_warm_up(game, replay=True)
    events = game.replay(cell, seed, game_index, policies, replicate)
    if as_json:
        output.json_lines(from_round(events, first_round), options)
    else:
        output.text(game.transcript(cell, events, first_round), options)


def _notation(game: Game[Any, Any]) -> Callable[..., str]:
    if not isinstance(game, Notated):
        raise UsageError(f"the game {game.name} has no text notation of a state")
    return game.state_after

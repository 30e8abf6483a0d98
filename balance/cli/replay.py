"""`balance replay`: one game again, as a transcript, as its event log, or as the state after a round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from balance import games
from balance.cli import gameoptions, output
from balance.cli.help_text import examples
from balance.errors import UsageError
from balance.games.contract import Event, Game, Notated
from balance.games.eventlog import from_round
from balance.games.handicap import read_handicaps
from balance.games.keys import check_keys
from balance.games.lineup import parse_lineup
from balance.games.variants import variant_names

if TYPE_CHECKING:
    from balance.sweep.replaying import Replayed


EPILOG = examples(
    "balance replay --players 4 --twists parallel-universe,unions --seed 7 --game 123",
    'balance replay --players 3 --twists "Blood, Sweat & Mice" --edition magellan-2014 --round 10',
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
    handicap: gameoptions.HandicapOption = None,
    catalog: gameoptions.CatalogOption = None,
    first_round: Annotated[int, typer.Option("--round", metavar="K", help="Begin with round K.")] = 1,
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
    if state is not None and (as_json or first_round != 1):
        raise UsageError("--state prints one state; it does not go with --json or --round")
    named = {
        "players": players,
        "variants": variants,
        "edition": edition,
        "seed": seed,
        "game": game_index,
        "replicate": replicate,
        "lineup": lineup,
        "handicap": handicap,
        "catalog": catalog,
        "of": of,
    }
    if run is not None:
        played = _of_run(run, game_id, [name for name, value in named.items() if value is not None])
    else:
        if players is None:
            raise UsageError("--players is missing (or name a run and one of its games: RUN GAME_ID)")
        game = games.get(of or games.DEFAULT)
        loaded = game.load_catalog(catalog or ())
        keys = (seed or 0, game_index or 0, replicate or 0)
        check_keys(*keys)
        cell = game.compile(
            loaded,
            edition or game.facts.default_edition,
            players,
            variant_names(game, loaded, variants or ()),
            read_handicaps(handicap or ()),
        )
        seats = parse_lineup(lineup or game.facts.default_lineup, players, game)
        played = _Played(game, cell, *keys, seats.names(*keys))
    _tell(played, options, state, as_json, first_round)


@dataclass(frozen=True, slots=True)
class _Played:
    """One game, by everything that decides it."""

    game: Game[Any, Any]
    cell: Any
    seed: int
    index: int
    replicate: int
    policies: tuple[str, ...]
    stored: Replayed | None = None
    """Where a run keeps it."""

    def events(self) -> list[Event]:
        """Play it again; a game of a run is checked against its rows."""
        if self.stored is None:
            return self.game.replay(self.cell, self.seed, self.index, self.policies, self.replicate)
        from balance.sweep.replaying import replay_game

        return replay_game(self.stored)


def _of_run(path: str, number: int | None, named: Sequence[str]) -> _Played:
    from balance.dataset.run import open_run
    from balance.sweep.replaying import find_game

    if number is None:
        raise UsageError(f"which game of {path}? Name its game_id: balance replay RUN GAME_ID")
    if named:
        raise UsageError(f"a run says everything of its games; --{named[0]} does not go with it")
    run = open_run(path)
    found = find_game(run, number)
    key = found.key
    return _Played(run.game, found.cell, run.plan.seed, key.index, key.replicate, found.policies, found)


def _tell(
    played: _Played, options: output.OutputOptions, state: int | None, as_json: bool, first_round: int
) -> None:
    """Print the game in the way that the user wants it."""
    p = played
    write_state = None if state is None else _notation(p.game)
    gameoptions.announce_warm_up(p.game, replay=True)
    if write_state is not None:
        output.text(write_state(p.cell, p.seed, p.index, p.policies, state, p.replicate), options)
        return
    events = p.events()
    if as_json:
        output.json_lines(from_round(events, first_round), options)
    else:
        output.text(p.game.transcript(p.cell, events, first_round), options)


def _notation(game: Game[Any, Any]) -> Callable[..., str]:
    if not isinstance(game, Notated):
        raise UsageError(f"the game {game.name} has no text notation of a state")
    return game.state_after

"""The options by which commands name a game, its variants and its players, in the words of the game.

Knows games by their contract only. What the options mean is checked here or by the game; nothing is played.
"""

from __future__ import annotations

import contextlib
import copy
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand

from balance import games
from balance.cli import diagnostics
from balance.errors import BalanceError, UsageError
from balance.games.contract import Game, Warming
from balance.games.lineup import FORMS

_OF: Final = "--of"
_WORDS: Final = ("variants", "variant", "item", "items")
"""Facts of a game with its own words for options."""


class GameCommand(TyperCommand):
    """A command whose options `--variants`, `--variant` and `--item` also answer to the game's own words."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Find out which game is meant, then read the options in its words."""
        ctx.meta[_OF] = self.game_of(args)
        return super().parse_args(ctx, args)

    def game_of(self, args: Sequence[str]) -> str:
        """Return the name of the game that a command line is about."""
        for place, arg in enumerate(args):
            name, equals, value = arg.partition("=")
            if name == _OF and (equals or place + 1 < len(args)):
                return value if equals else args[place + 1]
        return self.default_game(args)

    def default_game(self, args: Sequence[str]) -> str:  # noqa: ARG002 - commands on runs look at them
        """Return the name of the game where `--of` names none."""
        return games.DEFAULT

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, the one for variants under the game's own word."""
        try:
            facts = games.get(ctx.meta.get(_OF, games.DEFAULT)).facts
        except UsageError:
            if not ctx.resilient_parsing:  # completing a half-written command line
                raise
            return super().get_params(ctx)
        given = super().get_params(ctx)
        return [_renamed(p, getattr(facts, p.name)) if p.name in _WORDS else p for p in given]


class RunCommand(GameCommand):
    """A command whose first run says which game it is about."""

    def default_game(self, args: Sequence[str]) -> str:
        """Return the game of the first folder among the arguments that holds a run."""
        from balance.dataset.run import read_plan

        for arg in args:
            with contextlib.suppress(BalanceError, OSError, ValueError):
                return read_plan(Path(arg)).game
        return games.DEFAULT


def refuse_together(why: str, **options: object) -> None:
    """Refuse options that do not go with another, by the names of their parameters."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise UsageError(f"{why}; it does not go with {', '.join(given)}", parameter=given)


def _renamed(param: Any, word: str) -> Any:
    """Return an option, or an argument, with the game's word before the general one."""
    own = copy.copy(param)
    dashes = "--" if param.param_type_name == "option" else ""
    own.opts = list(dict.fromkeys([f"{dashes}{word}", *param.opts]))
    own.help = param.help.replace(param.name, word)
    return own


def complete_variant(incomplete: str) -> list[str]:
    """Return the ids of variants that begin with what was typed after the last comma."""
    game = games.get()
    catalog = game.load_catalog()
    before, comma, last = incomplete.rpartition(",")
    known = dict.fromkeys(v for edition in game.facts.editions for v in game.variants(catalog, edition))
    return [f"{before}{comma}{name}" for name in known if name.startswith(last)]


def complete_strength(incomplete: str) -> list[str]:
    """Return the strengths of a check that begin with what was typed."""
    return [name for name in ("quick", "normal", "expert") if name.startswith(incomplete)]


def complete_run(incomplete: str) -> list[str]:
    """Return the runs below data/runs that begin with what was typed."""
    from balance.dataset.housekeeping import RUNS, run_folders

    names = map(str, run_folders(RUNS))
    return [name for name in names if name.startswith(incomplete) and name.isprintable()]


def _complete_edition(incomplete: str) -> list[str]:
    return [edition for edition in games.get().facts.editions if edition.startswith(incomplete)]


OfOption = Annotated[str, typer.Option(_OF, metavar="NAME", help="The game that is played.")]
PlayersOption = Annotated[int, typer.Option("--players", metavar="N", help="How many play.")]
CountsOption = Annotated[
    str | None, typer.Option("--players", metavar="N,N-N", help="How many play; by default every number.")
]
EditionOption = Annotated[
    str | None,
    typer.Option(
        "--edition",
        metavar="ID",
        help="The printed edition; by default the first.",
        autocompletion=_complete_edition,
    ),
]
VariantsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--variants",
        metavar="A,B",
        help="The variants in force, in order: ids separated by commas, or the option repeated for names.",
        autocompletion=complete_variant,
    ),
]
LineupOption = Annotated[
    str | None,
    typer.Option(
        "--lineup",
        metavar="LINEUP",
        help=f"Which player sits on which seat: {FORMS}.",
    ),
]
CatalogOption = Annotated[
    list[str] | None,
    typer.Option(
        "--catalog", metavar="FILE_OR_DIR", help="Lay this overlay over the official catalog; repeatable."
    ),
]

SeedOption = Annotated[int, typer.Option("--seed", metavar="N", help="The seed of all games.")]
TuningSeedOption = Annotated[
    int, typer.Option("--seed", metavar="N", help="The seed of all games, one of those for tuning.")
]
JobsOption = Annotated[
    int | None, typer.Option("--jobs", metavar="J", help="Threads that play; by default all cores.")
]
ThresholdsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--thresholds", metavar="FILE", help="Lay these thresholds over the official ones; repeatable."
    ),
]


def announce_warm_up(game: Game[Any, Any], *, replay: bool) -> bool:
    """Print why the user has to wait, before anything is played; return whether they have to."""
    note = game.warm_up_note(replay=replay) if isinstance(game, Warming) else None
    if note:
        diagnostics.say(note)
    return bool(note)


_NOT_ASKED: Final = {"format_", "as_json", "out", "force", "jobs", "fail_on", "write", "every"}
"""Options that do not change what is computed: where it goes, how it looks, how fast it is."""


def command_of(context: typer.Context) -> str:
    """Return the command that asks the same again, wherever its output goes."""
    words = ["balance", str(context.info_name)]
    for parameter in context.command.get_params(context):
        name, source = parameter.name, context.get_parameter_source(str(parameter.name))
        value = context.params.get(str(name))
        if name in _NOT_ASKED or value is None or source is None or source.name != "COMMANDLINE":
            continue
        option = [parameter.opts[0]] if parameter.param_type_name == "option" else []
        for one in value if isinstance(value, list | tuple) else [value]:
            words += option if one is True else [*option, str(one)]
    return shlex.join(words)

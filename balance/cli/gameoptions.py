"""The options by which commands name a game, its variants and who plays; in the words of the game at hand.

Knows games by their contract only. What the options mean is checked here or by the game; nothing is played.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand

from balance import games
from balance.analysis.samples import sample
from balance.cli import diagnostics
from balance.errors import UsageError
from balance.games.contract import Catalog, Game, Tunable, Warming
from balance.games.lineup import FORMS
from balance.games.variants import variant_names

__all__ = [
    "CatalogOption",
    "EditionOption",
    "GameCommand",
    "HandicapOption",
    "LineupOption",
    "OfOption",
    "PlayersOption",
    "VariantsOption",
    "announce_warm_up",
    "variant_names",
    "warn_of_unfitted",
    "warn_of_unfitted_sample",
]

_OF: Final = "--of"
_VARIANTS: Final = "variants"
_VARIANT: Final = "variant"
_ITEM: Final = "item"
_MOST_NAMED: Final = 5


class GameCommand(TyperCommand):
    """A command whose options `--variants`, `--variant` and `--item` also answer to the game's own words."""

    named_by: tuple[str, ...] = (_OF,)
    """The options that name the game."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Find out which game is meant, then read the options in its words."""
        ctx.meta[_OF] = self.game_of(args)
        return super().parse_args(ctx, args)

    def game_of(self, args: Sequence[str]) -> str:
        """Return the name of the game that a command line is about."""
        return _named_game(args, self.named_by)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, the one for variants under the game's own word."""
        try:
            facts = games.get(ctx.meta.get(_OF, games.DEFAULT)).facts
        except UsageError:
            if not ctx.resilient_parsing:  # completing a half-written command line
                raise
            return super().get_params(ctx)
        words = {_VARIANTS: facts.variants, _VARIANT: facts.variant, _ITEM: facts.item}
        return [_renamed(p, words[p.name]) if p.name in words else p for p in super().get_params(ctx)]


def _named_game(args: Sequence[str], named_by: Sequence[str]) -> str:
    for place, arg in enumerate(args):
        name, equals, value = arg.partition("=")
        if name in named_by and (equals or place + 1 < len(args)):
            return value if equals else args[place + 1]
    return games.DEFAULT


def _renamed(option: Any, word: str) -> Any:
    """Return the option with the game's word before the general one."""
    own = copy.copy(option)
    own.opts = list(dict.fromkeys([f"--{word}", *option.opts]))
    own.help = option.help.replace(option.name, word)
    return own


def _complete_variant(incomplete: str) -> list[str]:
    game = games.get()
    catalog = game.load_catalog()
    before, comma, last = incomplete.rpartition(",")
    known = dict.fromkeys(v for edition in game.facts.editions for v in game.variants(catalog, edition))
    return [f"{before}{comma}{name}" for name in known if name.startswith(last)]


def _complete_edition(incomplete: str) -> list[str]:
    return [edition for edition in games.get().facts.editions if edition.startswith(incomplete)]


OfOption = Annotated[
    str, typer.Option(_OF, metavar="NAME", help="The game that is played (--game is the index of one game).")
]
PlayersOption = Annotated[int, typer.Option("--players", metavar="N", help="How many play.")]
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
        f"--{_VARIANTS}",
        metavar="A,B",
        help="The variants in force, in order: ids separated by commas, or the option repeated for names.",
        autocompletion=_complete_variant,
    ),
]
LineupOption = Annotated[
    str | None,
    typer.Option(
        "--lineup",
        metavar="LINEUP",
        help=f"Who sits where: {FORMS}.",
    ),
]
HandicapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--handicap",
        metavar="SEAT:+3money",
        help="What a seat starts with more or less: SEAT:+3money, SEAT:-1card; repeatable.",
    ),
]
CatalogOption = Annotated[
    list[str] | None,
    typer.Option(
        "--catalog", metavar="FILE_OR_DIR", help="Lay this overlay over the official catalog; repeatable."
    ),
]


def announce_warm_up(game: Game[Any, Any], *, replay: bool) -> None:
    """Tell a user who will have to wait why, before anything is played."""
    if isinstance(game, Warming):
        note = game.warm_up_note(replay=replay)
        if note:
            diagnostics.say(note)


def warn_of_unfitted(game: Game[Any, Any], catalog: Catalog, combinations: Iterable[Sequence[str]]) -> None:
    """Tell a user who measures play under variants for which nobody was tuned."""
    if not isinstance(game, Tunable):
        return
    named = dict.fromkeys(name for combination in combinations for name in combination)
    missing = game.unfitted(catalog, list(named))
    if missing:
        several = game.facts.variants if len(missing) > 1 else game.facts.variant
        listed = ", ".join(missing[:_MOST_NAMED]) + (", ..." if len(missing) > _MOST_NAMED else "")
        diagnostics.warn(
            f"no policy is fitted to {len(missing)} {several} ({listed}), "
            f"so play may be weaker than it could be; balance tune fits them"
        )


def warn_of_unfitted_sample(game: Game[Any, Any], catalog: Catalog, edition: str | None) -> None:
    """Do the same before games under a sample of combinations."""
    if game.facts.variants_at_once:
        warn_of_unfitted(game, catalog, sample(game, catalog, edition or game.facts.default_edition))

"""`balance compare`: what a change of the rules moves, on the same deals."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from balance.cli import diagnostics, gameoptions, output
from balance.cli.check import BROKEN
from balance.cli.help_text import examples
from balance.cli.sweep_progress import player
from balance.errors import UsageError

EPILOG = examples(
    "balance compare official my-cards.toml --players 4 --twists pairs",
    "balance compare ascora-2011 magellan-2014 --players 4 --format markdown",
    "balance compare data/runs/before data/runs/after --json",
)

_FAIL_ON: Final = ("broken", "changed", "none")


@output.takes_options(pages=True)
def compare(
    context: typer.Context,
    options: output.OutputOptions,
    base: Annotated[
        str, typer.Argument(metavar="BASE", help="A run, an overlay, an edition, or the word official.")
    ],
    candidate: Annotated[str, typer.Argument(metavar="CANDIDATE", help="What is compared with it.")],
    players: gameoptions.CountsOption = None,
    variants: Annotated[
        list[str] | None,
        typer.Option(
            "--variants",
            metavar="X",
            help="pairs, singles, none, all, or one combination of variants; repeatable; all by default.",
        ),
    ] = None,
    lineup: Annotated[
        list[str] | None,
        typer.Option(
            metavar="LINEUP", help="Which players sit at the table; repeatable; by default the usual."
        ),
    ] = None,
    games_: Annotated[
        int | None, typer.Option("--games", metavar="N", help="Deals of each cell; 400 by default.")
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(metavar="1pp", help="Instead of --games: the half-width of a seat's win share."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="The seed of all games that are played; 0 by default.")
    ] = None,
    edition: gameoptions.EditionOption = None,
    thresholds: gameoptions.ThresholdsOption = None,
    fail_on: Annotated[
        str,
        typer.Option(
            metavar="broken|changed|none",
            help="When to exit with 4: something is broken now that was not, or undecided and has clearly "
            "moved outwards; anything changed; never.",
        ),
    ] = "broken",
    every: Annotated[
        bool, typer.Option("--all", help="List everything that was looked at, changed or not.")
    ] = False,
    jobs: gameoptions.JobsOption = None,
    of: Annotated[str | None, typer.Option("--of", metavar="NAME", help="The game that is played.")] = None,
) -> None:
    """Compare a candidate with a base on the same deals: which figures and verdicts changed.

    A figure has changed if its corrected p-value is at most 5%. Plays what is missing into runs of its own.
    Exits with 4 if something is broken now, on fresh deals too, that was not before, or was undecided and a
    metric that breaks it has clearly moved outwards.
    """
    if fail_on not in _FAIL_ON:
        raise UsageError(f"--fail-on {fail_on}: expected {', '.join(_FAIL_ON[:2])} or {_FAIL_ON[2]}")
    from balance.experiments import compare as comparing
    from balance.report.comparison_answer import comparison_answer

    found = comparing.compare(
        base,
        candidate,
        game=of,
        players=players,
        variants=variants,
        lineups=lineup,
        games_per_cell=games_,
        precision=precision,
        seed=seed,
        edition=edition,
        thresholds=thresholds or (),
        play=player(jobs),
    )
    answer = comparison_answer(found, gameoptions.command_of(context), every=every)
    output.answer(answer, options)
    new = [d.id for d in found.differences if d.change == "added" and d.kind == found.game.facts.variant]
    if found.same and new:
        diagnostics.say(f"{new[0]} is new; to judge it: balance check {new[0]} --catalog {candidate}")
    if (fail_on != "none" and found.newly_broken) or (
        fail_on == "changed" and (found.changed or found.verdicts)
    ):
        context.exit(BROKEN)

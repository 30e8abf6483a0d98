"""`balance check`: whether a combination of variants breaks the game."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Final

import typer

from balance import games
from balance.cli import diagnostics, gameoptions, output
from balance.cli.help_text import examples
from balance.cli.sweep_progress import player
from balance.errors import DataError, UsageError

if TYPE_CHECKING:
    from balance.experiments.causes import Causes
    from balance.experiments.check import Check
    from balance.experiments.suggest import Remedy

EPILOG = examples(
    'balance check "Parallel Universe" "Private Funding"',
    "balance check unions geeks --players 4 --strength normal --json",
    "balance check --catalog my-cards.toml --players 4",
    "balance check grants --accept action:speculate:low --fail-on bent",
    "balance check grants recycling --players 4 --suggest",
    "balance check geeks mad-broker --players 4 --why --json",
    "balance check --all data/runs/full --players 4",
    "balance check --all data/runs/full --until-decided --budget 2000000",
)

BROKEN: Final = 4
"""The exit code for a verdict that `--fail-on` names."""


@output.takes_options(pages=True)
def check(
    context: typer.Context,
    options: output.OutputOptions,
    variants: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            autocompletion=gameoptions.complete_variant,
            help="The variants in force together; none: the game without any; with --all the runs.",
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Rank all combinations of the runs that are named.")
    ] = False,
    players: gameoptions.CountsOption = None,
    strength: Annotated[
        str,
        typer.Option(
            metavar="quick|normal|expert",
            autocompletion=gameoptions.complete_strength,
            help="How much is played: a few hundred games of each cell; win shares to 1 pp; the same and "
            "players who search.",
        ),
    ] = "quick",
    run: Annotated[
        list[str] | None,
        typer.Option(
            "--run",
            metavar="RUN",
            autocompletion=gameoptions.complete_run,
            help="Judge the games of this run; repeatable.",
        ),
    ] = None,
    save_run: Annotated[
        str | None,
        typer.Option("--save-run", metavar="DIR", help="Keep the games that are played, as a run in DIR."),
    ] = None,
    thresholds: gameoptions.ThresholdsOption = None,
    accept: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METRIC[:OF][:low|high]",
            help="Judge without these findings, which stay listed: action, action:work:low; repeatable.",
        ),
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            metavar="broken|bent|none",
            help="Exit with 4 if something is broken, or broken or bent; by default broken, with --all none.",
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=0, help="With --all: show N; by default 10 on a terminal; 0, and in a pipe, all."
        ),
    ] = None,
    until_decided: Annotated[
        bool, typer.Option("--until-decided", help="With --all: play on where verdicts are open.")
    ] = False,
    budget: Annotated[
        int, typer.Option(metavar="GAMES", min=1, help="Games that --until-decided may play.")
    ] = 1_000_000,
    suggest: Annotated[
        bool,
        typer.Option("--suggest", help="If it is broken: the smallest change of one number that mends it."),
    ] = False,
    why: Annotated[
        bool | None,
        typer.Option(
            "--why/--no-why",
            help="Open stalled games and switch off each rule in turn; by default on a terminal, afterwards.",
        ),
    ] = None,
    edition: gameoptions.EditionOption = None,
    seed: Annotated[int, typer.Option(metavar="N", help="The seed of all games that are played.")] = 0,
    catalog: gameoptions.CatalogOption = None,
    jobs: gameoptions.JobsOption = None,
    of: gameoptions.OfOption = games.DEFAULT,
) -> None:
    """Judge whether a combination of variants breaks or bends the game, or is fine, and explain why.

    Plays the combination, each of its variants alone and none, on the same seeds; without names the game
    itself. With --all it ranks every combination of a run. Exits with 4 if the verdict is broken.
    """
    fails = _fails(fail_on, every)
    explained: Check | None = None
    if suggest and (every or run):
        raise UsageError("--suggest goes with a combination that is played, not with --all or --run")
    if suggest:
        from balance.experiments.suggest import check_strength

        check_strength(strength)
    if save_run is not None and (every or run):
        raise UsageError("--save-run keeps games that are played; it does not go with --all or --run")
    if why and every:
        raise UsageError("--why explains one combination, not --all")
    if every:
        gameoptions.refuse_together("--all judges what the runs hold", catalog=catalog, edition=edition)
        from balance.experiments.rank import check_all
        from balance.judge.ranking import HEADLINE
        from balance.report.ranking_answer import ranking_answer

        named = [*(variants or ()), *(run or ())]
        if not named:
            raise UsageError("--all needs a run: balance check --all DIR (balance simulate makes one)")
        ranked = check_all(
            named,
            players=players,
            thresholds=thresholds or (),
            accept=accept or (),
            budget=budget if until_decided else 0,
            play=player(jobs),
            say=diagnostics.say,
        )
        by_default = HEADLINE if output.screen(options) else 0
        answer = ranking_answer(ranked, by_default if top is None else top)
    else:
        if until_decided:
            raise UsageError("--until-decided goes with --all")
        if run:
            gameoptions.refuse_together("--run judges games that are there", catalog=catalog, edition=edition)
        from balance.experiments import check as checking
        from balance.report.check_answer import check_answer

        found = checking.check(
            variants or (),
            game=of,
            players=players,
            strength=strength,
            runs=run or (),
            edition=edition,
            seed=seed,
            catalog=catalog or (),
            thresholds=thresholds or (),
            accept=accept or (),
            save_run=save_run,
            play=player(jobs),
            jobs=jobs,
            say=diagnostics.say,
        )
        remedy = _remedy(found, jobs) if suggest else None
        waiting = options.format is output.Format.table and output.screen(options) is not None
        causes = _causes(found, jobs) if why and not waiting else None
        answer = check_answer(found, remedy, causes, mended=suggest)
        explained = found if waiting and why is not False else None
    output.answer(answer, options)
    if explained is not None:
        from balance.report.causes_section import causes_section

        try:
            output.later(causes_section(_causes(explained, jobs)))
        except DataError as error:
            if why:
                raise
            diagnostics.say(f"no causes: {error}")
    if set(fails) & {one["verdict"] for one in answer.verdicts}:
        context.exit(BROKEN)


def _fails(fail_on: str | None, every: bool) -> tuple[str, ...]:
    """Return the verdicts that make the command fail."""
    kinds = {"none": (), "broken": ("broken",), "bent": ("broken", "bent")}
    asked = fail_on or ("none" if every else "broken")
    if asked not in kinds:
        raise UsageError(f"--fail-on {fail_on}: expected broken, bent or none")
    return kinds[asked]


def _causes(found: Check, jobs: int | None) -> Causes | None:
    """Return what explains a verdict; None if there is nothing to explain."""
    from balance.experiments import causes as explaining

    with diagnostics.progress("causes", len(explaining.rules_of(found.runs, found.variants))) as advance:
        return explaining.causes(found, jobs, partial(advance, 1))


def _remedy(found: Check, jobs: int | None) -> Remedy | None:
    """Search for the smallest change that mends a combination; None if it is not broken."""
    from balance.experiments import suggest as remedies

    if found.verdict.value != "broken":
        return None
    possible = min(len(remedies.candidates(found)), remedies.MOST_SCREENED)
    with diagnostics.progress("mending", possible) as advance:
        return remedies.suggest(found, jobs, partial(advance, 1))

"""`balance check`: whether a combination of variants breaks the game."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from balance import games
from balance.cli import diagnostics, gameoptions, mending, output, terminal
from balance.cli.help import examples
from balance.cli.playing import player
from balance.errors import UsageError

if TYPE_CHECKING:
    from balance.analysis.checking import Check
    from balance.analysis.ranking import Confirmed, Ranking
    from balance.analysis.verdict import Judgement

__all__ = ["BROKEN", "EPILOG", "check", "wrapped"]

EPILOG = examples(
    'balance check "Parallel Universe" "Private Funding"',
    "balance check unions geeks --players 4 --strength normal --json",
    "balance check grants recycling --players 4 --suggest",
    "balance check --all data/runs/full --players 4",
    "balance check --all data/runs/full --until-decided --budget 2000000 --extensions data/runs/more",
)

BROKEN: Final = 4
"""The exit code for a combination that is broken."""
_MOST_REASONS: Final = 12
_BARS: Final = 30
_COLUMNS: Final = (
    "rank", "players", "variants", "verdict", "for_whom", "together", "reason",
    "further_games", "fresh",
)  # fmt: skip


def check(
    context: typer.Context,
    variants: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="The variants in force together; with --all the runs."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Rank all combinations of the runs that are named.")
    ] = False,
    players: Annotated[
        str | None, typer.Option(metavar="N,N-N", help="How many play; by default every number.")
    ] = None,
    strength: Annotated[
        str,
        typer.Option(
            metavar="quick|normal|expert",
            help="How much is played: a few hundred games of each cell; win shares to 1 pp; the same and "
            "players who search.",
        ),
    ] = "quick",
    run: Annotated[
        list[str] | None,
        typer.Option("--run", metavar="RUN", help="Judge the games of this run; repeatable."),
    ] = None,
    thresholds: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Lay these thresholds over the official ones; repeatable."),
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(metavar="broken|none", help="When to exit with 4; by default broken, with --all none."),
    ] = None,
    until_decided: Annotated[
        bool, typer.Option("--until-decided", help="With --all: play on where verdicts are open.")
    ] = False,
    budget: Annotated[
        int, typer.Option(metavar="GAMES", min=1, help="Games that --until-decided may play.")
    ] = 1_000_000,
    extensions: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Where --until-decided puts its runs; by default beside the run."),
    ] = None,
    suggest: Annotated[
        bool,
        typer.Option("--suggest", help="If it is broken: the smallest change of one number that mends it."),
    ] = False,
    edition: gameoptions.EditionOption = None,
    seed: Annotated[int, typer.Option(metavar="N", help="The seed of all games that are played.")] = 0,
    catalog: gameoptions.CatalogOption = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="J", min=1, help="Threads that play; by default all cores.")
    ] = None,
    of: gameoptions.OfOption = games.DEFAULT,
    format_: output.FormatOption = None,
    as_json: output.JsonOption = False,
    out: output.OutOption = None,
    force: output.ForceOption = False,
) -> None:
    """Say whether a combination of variants breaks the game: broken, fine or undecided, and why.

    Plays the combination, each of its variants alone and none, on the same seeds. With --all it ranks every
    combination of a run. Exits with 4 if the verdict is broken.
    """
    options = output.options(format_, as_json, out, force)
    fails = _fails(fail_on, every)
    if suggest and (every or run):
        raise UsageError("--suggest goes with a combination that is played, not with --all or --run")
    if every:
        _refuse("--all judges what the runs hold", catalog=catalog, edition=edition)
        named = [*(variants or ()), *(run or ())]
        if not named:
            raise UsageError("--all needs a run: balance check --all DIR (balance simulate makes one)")
        place = Path(extensions) if extensions else Path(f"{named[-1]}-more")
        broken = _rank(named, players, thresholds or (), budget if until_decided else 0, place, jobs, options)
    else:
        if until_decided:
            raise UsageError("--until-decided goes with --all")
        if run:
            _refuse("--run judges games that are there", catalog=catalog, edition=edition)
        from balance.analysis import checking

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
            play=player(jobs),
        )
        remedy = mending.remedy(found, thresholds or (), strength, jobs) if suggest else None
        if options.format in (output.Format.csv, output.Format.parquet):
            output.rows(_findings(found), _FINDINGS, options)
        else:
            more = strength == "quick" and not run
            text = "\n".join([*_lines(found, more=more), *mending.lines(found, remedy, asked=suggest)])
            output.document(text, _document(found) | mending.document(found, remedy, asked=suggest), options)
        broken = found.verdict.value == "broken"
    if broken and fails:
        context.exit(BROKEN)


def _fails(fail_on: str | None, every: bool) -> bool:
    if fail_on not in (None, "broken", "none"):
        raise UsageError(f"--fail-on {fail_on}: expected broken or none")
    return fail_on == "broken" if fail_on else not every


def _refuse(why: str, **options: object) -> None:
    given = [f"--{name}" for name, value in options.items() if value]
    if given:
        raise UsageError(f"{why}; it does not go with {', '.join(given)}")


# --- one combination, for people


def _lines(found: Check, *, more: bool) -> Iterator[str]:
    """Yield the answer: the verdict first, then why, what it looks like, and what was played.

    `more` says that a higher strength would have played more games.
    """
    width = terminal.line_width(None)
    yield f"{found.verdict.value.upper()}: {_title(found)}"
    yield from wrapped(_by_players(found.own) + ".", width)
    for both in found.together:
        yield from wrapped(both.sentence() + ".", width)
    yield ""
    yield from _why(found, width)
    if more and found.verdict.value == "undecided":
        yield from wrapped(
            "A quick check plays too few games to call anything fine; --strength normal plays about 18 "
            "times as many, which is enough where nothing lies near its threshold.",
            width,
            "  ",
        )
    yield ""
    yield from _chart(found)
    yield ""
    yield from _beyond(found, width)
    yield from _styles(found, width)
    game = found.telling_game
    if game is not None:
        run, number, what = game
        yield f"A game worth looking at ({what}):"
        yield f"  balance replay {_shell(run.path)} {number}"
        yield ""
    yield from _played(found, width)


def _title(found: Check) -> str:
    edition = found.runs[0].plan.edition
    return f"{' + '.join(_names(found).values())} ({edition})"


def _names(found: Check) -> dict[str, str]:
    """Return the names of the variants by id."""
    kinds = {entry.id: entry.name for v in found.variants for entry in found.game.find(found.catalog, v)}
    return {variant: kinds.get(variant, variant) for variant in found.variants}


def _by_players(judgements: Sequence[Judgement]) -> str:
    """Return which verdict holds at which numbers of players: "Broken at 2, 3 players; fine at 4"."""
    parts = []
    for verdict in ("broken", "undecided", "fine"):
        at = [str(j.players) for j in judgements if j.verdict.value == verdict]
        if at:
            parts.append(f"{verdict} at {', '.join(at)}")
    said = "; ".join(parts) + " players"
    whom = dict.fromkeys(name for j in judgements for name in j.broken_for)
    return said[:1].upper() + said[1:] + (f" (in {' and '.join(whom)})" if whom else "")


def _why(found: Check, width: int) -> Iterator[str]:
    reasons = [
        (judgement, cell, finding)
        for judgement in found.own
        for cell in judgement.cells
        for finding in cell.broken
    ]
    yield "Why"
    for judgement, cell, finding in reasons[:_MOST_REASONS]:
        head = f"{judgement.players} players, {cell.strength}: "
        yield from wrapped(head + found.sentence(finding), width, "  ")
    if len(reasons) > _MOST_REASONS:
        yield f"  ... and {len(reasons) - _MOST_REASONS} more; --format csv gives all"
    for judgement in found.own:
        yield from _open(found, judgement, width)
    if not reasons and all(j.verdict.value == "fine" for j in found.own):
        yield from wrapped(
            "Every metric lies within its accepted range, beyond doubt, at every strength that was played.",
            width,
            "  ",
        )


def _open(found: Check, judgement: Judgement, width: int) -> Iterator[str]:
    """Say what keeps a verdict open."""
    if judgement.verdict.value != "undecided":
        return
    head = f"{judgement.players} players, undecided: "
    if judgement.unfitted:
        names = ", ".join(judgement.unfitted)
        yield from wrapped(
            f"{head}nobody was tuned for {names}, so it cannot be called fine without --strength expert; "
            "balance tune fits it.",
            width,
            "  ",
        )
    holding = judgement.holding
    if holding is not None:
        from balance.analysis.sentences import needed_sentence

        yield from wrapped(
            f"{head}{found.sentence(holding)} {needed_sentence(judgement.further)}", width, "  "
        )


def _chart(found: Check) -> Iterator[str]:
    """Draw how long games last, with and without the variants."""
    cell = found.worst()[0].cell
    base = found.statistics.baseline(cell)
    yield f"Length of games in rounds, {cell.players} players, {cell.lineup}"
    shown = [("with", cell)] + ([("without", base)] if base is not None else [])
    bins = _bins([cell for _, cell in shown])
    yield "  " + "rounds".rjust(8) + "".join(f"  {name:<{_BARS}}" for name, _ in shown).rstrip()
    for low, high in bins:
        label = str(low) if low == high else f"{low}-{high}"
        bars = []
        for _, one in shown:
            share = sum(n for k, n in one.lengths.items() if low <= k <= high) / max(one.games, 1)
            bars.append(f"{_bar(share):<{_BARS - 6}} {share:4.0%}".ljust(_BARS))
        yield ("  " + label.rjust(8) + "  " + "  ".join(bars)).rstrip()


def _bins(cells: Sequence[Any]) -> list[tuple[int, int]]:
    lengths = sorted(k for cell in cells for k in cell.lengths)
    low, high = lengths[0], lengths[-1]
    step = max(1, -(-(high - low + 1) // 10))
    return [(k, k + step - 1) for k in range(low, high + 1, step)]


def _bar(share: float) -> str:
    eighths = round(share * (_BARS - 6) * 8)
    full, rest = divmod(eighths, 8)
    return "█" * full + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[rest]


def _beyond(found: Check, width: int) -> Iterator[str]:
    """Say what the pair does beyond its two variants alone, where that is beyond doubt."""
    sure = sorted((i for i in found.interactions if i.adjusted <= 0.05), key=lambda i: i.p)
    if len(found.variants) != 2:
        return
    yield "Together, beyond what each does alone"
    for one in sure[:4]:
        yield from wrapped(f"{one.cell.players} players, {one.cell.lineup}: {one.sentence()}.", width, "  ")
    if not sure:
        yield f"  Nothing that could be told from chance in {len(found.interactions)} comparisons."
    yield ""


def _styles(found: Check, width: int) -> Iterator[str]:
    """Say which styles of play survive, if enough games of mixed company were played."""
    from balance.analysis.equilibrium import FEWEST_GAMES

    surviving = found.styles
    yield "Styles of play that survive (an equilibrium of mixed tables; not judged)"
    for one in surviving:
        yield from wrapped(one.sentence(_names(found)) + ".", width, "  ")
    if not surviving:
        yield from wrapped(
            f"Too few games to say: that takes {FEWEST_GAMES:,} of mixed company (--strength normal).",
            width,
            "  ",
        )
    yield ""


def _played(found: Check, width: int) -> Iterator[str]:
    yield "What this rests on"
    where = ", ".join(_shell(run.path) for run in found.runs)
    yield from wrapped(f"{found.games:,} games, seed {found.runs[0].plan.seed}, in {where}.", width, "  ")
    yield from wrapped(f"{found.judgements.family}.", width, "  ")
    unseen = found.judgements.not_looked_at
    if unseen:
        yield from wrapped(f"Not looked at: {_unseen(unseen)}.", width, "  ")


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Return a sentence as lines of at most `width`."""
    return textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=indent + "  " * bool(indent),
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _shell(path: Path) -> str:
    import shlex

    return shlex.quote(str(path))


# --- one combination, for programs

_FINDINGS: Final = (
    "players", "lineup", "strength", "metric", "of", "value", "low", "high", "n", "bound", "end",
    "p_broken", "adjusted", "p_fine", "broken",
)  # fmt: skip


def _unseen(names: Sequence[str]) -> str:
    """Say which metrics the games tell nothing of, and how they would."""
    how = {
        "luck": "needs --replicates",
        "item": "is judged in a check of one combination",
        "win_points": "no style was tuned for what is in force",
    }
    return ", ".join(f"{name} ({how[name]})" if name in how else name for name in names)


def _findings(found: Check) -> list[dict[str, object]]:
    return [
        {
            "players": judgement.players,
            "lineup": cell.cell.lineup,
            "strength": cell.strength,
            "metric": finding.measured.metric.name,
            "of": finding.measured.of or None,
            **dict(
                zip(("value", "low", "high"), map(_plain, finding.measured.estimate.interval), strict=True)
            ),
            "n": finding.measured.estimate.n,
            "bound": finding.bound,
            "end": "high" if finding.upper else "low",
            "p_broken": finding.p_broken,
            "adjusted": finding.adjusted,
            "p_fine": finding.p_fine,
            "broken": finding.broken,
        }
        for judgement in found.own
        for cell in judgement.cells
        for finding in cell.findings
    ]


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _document(found: Check) -> dict[str, object]:
    game = found.telling_game
    return {
        "variants": list(found.variants),
        "edition": found.runs[0].plan.edition,
        "verdict": found.verdict.value,
        "players": [
            {
                "players": j.players,
                "verdict": j.verdict.value,
                "broken_for": j.broken_for,
                "unfitted": list(j.unfitted),
                "further_games": _plain(j.further),
                "reasons": [found.sentence(finding) for finding in j.broken],
            }
            for j in found.own
        ],
        "only_together": [one.sentence() for one in found.together],
        "interactions": [
            {
                "players": i.cell.players,
                "lineup": i.cell.lineup,
                "measure": i.measure,
                "scale": i.scale,
                "value": i.interval.value,
                "low": i.interval.low,
                "high": i.interval.high,
                "p": i.p,
                "adjusted": i.adjusted,
            }
            for i in found.interactions
        ],
        "styles": [
            {
                "variants": list(one.variants),
                "players": one.players,
                "mix": dict(zip(one.diversity.policies, one.diversity.mix, strict=True)),
                "survives": dict(zip(one.diversity.policies, one.diversity.survives, strict=True)),
                **dict(zip(("styles", "low", "high"), one.diversity.styles.interval, strict=True)),
                "n": one.diversity.styles.n,
            }
            for one in found.styles
        ],
        "findings": _findings(found),
        "family": {
            "tests": found.judgements.family.tests,
            "cells": found.judgements.family.cells,
            "metrics": found.judgements.family.metrics,
            "alpha": found.judgements.family.alpha,
            "correction": "Benjamini-Yekutieli",
        },
        "not_looked_at": list(found.judgements.not_looked_at),
        "games": found.games,
        "runs": [str(run.path) for run in found.runs],
        "seed": found.runs[0].plan.seed,
        "replay": None if game is None else {"run": str(game[0].path), "game_id": game[1], "what": game[2]},
    }


# --- all combinations


def _rank(
    paths: Sequence[str],
    players: str | None,
    thresholds: Sequence[str],
    budget: int,
    place: Path,
    jobs: int | None,
    options: output.OutputOptions,
) -> bool:
    """Judge and rank everything; whether anything is broken."""
    from balance.analysis import ranking as ranks
    from balance.analysis.thresholds import load_thresholds
    from balance.dataset.run import open_runs
    from balance.dataset.verify import require_intact
    from balance.sweep.planning import parse_players

    runs = open_runs(paths)
    require_intact(run.path for run in runs)
    game = runs[0].game
    counts = parse_players([players], game.facts) if players else ()
    accepted = load_thresholds(game, thresholds)
    play = player(jobs)
    if budget:
        found = ranks.play_until_decided(runs, accepted, counts, budget, place, play, diagnostics.say)
    else:
        found = ranks.rank(runs, accepted, counts)
    worst = [j for j in found.ranked[: ranks.HEADLINE] if j.verdict.value == "broken"]
    fresh = ranks.confirm(found, worst, play) if worst else []
    rows = _ranked_rows(found, fresh)
    if options.format is output.Format.table:
        _say_overview(found, accepted, fresh)
    output.rows(rows, _COLUMNS, options)
    return any(j.verdict.value == "broken" for j in found.ranked)


def _ranked_rows(found: Ranking, fresh: Sequence[Confirmed]) -> list[dict[str, object]]:
    confirmed = {id(one.finding): one for one in fresh}
    rows: list[dict[str, object]] = []
    for place, judgement in enumerate(found.ranked, 1):
        reason = found.reason(judgement)
        again = confirmed.get(id(reason))
        both = found.only_together(judgement)
        rows.append(
            {
                "rank": place,
                "players": judgement.players,
                "variants": " + ".join(judgement.variants),
                "verdict": judgement.verdict.value,
                "for_whom": ", ".join(judgement.broken_for),
                "together": None if both is None else ("only together" if both.sure else "possibly"),
                "reason": "" if reason is None else found.sentence(reason),
                "further_games": _plain(judgement.further) or None,
                "fresh": None if again is None else ("holds" if again.holds else "does not hold"),
            }
        )
    return rows


def _say_overview(found: Ranking, accepted: Any, fresh: Sequence[Confirmed]) -> None:
    """Say what the table is about: counts, only together, how much thresholds matter, the family."""
    for both in (one for one in found.together if one.sure):
        diagnostics.say(both.sentence())
    for players in sorted({j.players for j in found.ranked}):
        here = [j.verdict.value for j in found.ranked if j.players == players]
        counts = ", ".join(f"{here.count(v)} {v}" for v in ("broken", "undecided", "fine"))
        diagnostics.say(f"{players} players: {counts}")
    for one in fresh:
        said = f"{' + '.join(one.finding.cell.variants)}, {one.finding.cell.players} players"
        diagnostics.say(f"{said}: {one.sentence()}; {'holds' if one.holds else 'does not hold'}")
    for moved in found.sensitivity(accepted):
        diagnostics.say(
            f"threshold {moved.threshold.id} ({moved.threshold}): {moved.as_is} broken; "
            f"20% tighter {moved.tighter}, 20% looser {moved.looser}"
        )
    held: dict[str, int] = {}
    for judgement in found.ranked:
        if judgement.verdict.value == "undecided" and judgement.holding is not None:
            name = judgement.holding.measured.name
            held[name] = held.get(name, 0) + 1
    for name, count in sorted(held.items(), key=lambda pair: (-pair[1], pair[0])):
        diagnostics.say(f"{count} undecided are held by {name}")
    diagnostics.say(str(found.judgements.family))
    unseen = found.judgements.not_looked_at
    if unseen:
        diagnostics.say(f"not looked at: {_unseen(unseen)}")

"""`balance compare`: what a change of the rules moves, on the same deals."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from balance.cli import diagnostics, gameoptions, output, terminal
from balance.cli.check import BROKEN, wrapped
from balance.cli.gameoptions import GameCommand
from balance.cli.help import examples
from balance.cli.playing import player
from balance.cli.report import ReportCommand
from balance.errors import UsageError

if TYPE_CHECKING:
    from balance.analysis.comparison import Change, Comparison

__all__ = ["EPILOG", "CompareCommand", "compare"]

EPILOG = examples(
    "balance compare official cheaper-moon-base.toml --players 4 --twists pairs",
    "balance compare ascora-2011 magellan-2014 --players 4 --format markdown",
    "balance compare data/runs/before data/runs/after --json",
)

_FAIL_ON: Final = ("broken", "changed", "none")
_MOST: Final = {"all": 8, "item": 8, "variant": 5, "combination": 5}
"""Sentences for people at each level."""
_MOST_VERDICTS: Final = 12
_MOST_DIFFERENCES: Final = 8
_COLUMNS: Final = (
    "level", "players", "lineup", "variants", "item", "metric", "of", "base", "candidate", "difference",
    "low", "high", "deals", "p", "adjusted", "changed", "detectable",
)  # fmt: skip
_TABLE: Final = ("where", "what", "base", "candidate", "difference")


class CompareCommand(ReportCommand):
    """A command whose game is the one that `--of` names, or that of a run among its arguments."""

    def game_of(self, args: Sequence[str]) -> str:
        """Return the name of the game."""
        named = any(arg.partition("=")[0] in self.named_by for arg in args)
        return GameCommand.game_of(self, args) if named else super().game_of(args)


def compare(
    context: typer.Context,
    base: Annotated[
        str, typer.Argument(metavar="BASE", help="A run, an overlay, an edition, or the word official.")
    ],
    candidate: Annotated[str, typer.Argument(metavar="CANDIDATE", help="What is held against it.")],
    players: Annotated[
        str | None, typer.Option(metavar="N,N-N", help="How many play; by default every number.")
    ] = None,
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
        typer.Option(metavar="LINEUP", help="Who sits where; repeatable; by default the usual players."),
    ] = None,
    games_: Annotated[
        int | None, typer.Option("--games", metavar="N", help="Deals of each cell; 400 by default.")
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(metavar="1pp", help="Instead of --games: the half-width of a seat's win share."),
    ] = None,
    detect: Annotated[
        float,
        typer.Option(
            metavar="POINTS",
            min=0.0,
            help="Play more deals with a changed item, until such a change of win points of who is dealt it "
            "would show in one combination; 0: none.",
        ),
    ] = 0.15,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="The seed of all games that are played; 0 by default.")
    ] = None,
    edition: gameoptions.EditionOption = None,
    thresholds: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Lay these thresholds over the official ones; repeatable."),
    ] = None,
    fail_on: Annotated[
        str,
        typer.Option(
            metavar="broken|changed|none",
            help="When to exit with 4: something is broken now that was fine, or undecided and has moved "
            "outwards beyond doubt; anything changed; never.",
        ),
    ] = "broken",
    page: Annotated[
        str | None,
        typer.Option(
            "--report",
            metavar="html|pdf|both|FILE",
            help="Write it as a page too: below reports/, or to this file.",
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="List everything that was looked at, changed or not.")
    ] = False,
    jobs: Annotated[
        int | None, typer.Option(metavar="J", min=1, help="Threads that play; by default all cores.")
    ] = None,
    of: Annotated[str | None, typer.Option("--of", metavar="NAME", help="The game that is played.")] = None,
    format_: output.FormatOption = None,
    as_json: output.JsonOption = False,
    out: output.OutOption = None,
    force: output.ForceOption = False,
) -> None:
    """Compare a candidate with a base on the same deals: what changed beyond doubt, and which verdicts.

    Plays what is missing into runs of its own. Exits with 4 if something is broken now, on fresh deals too,
    that was fine before, or was undecided and a metric that breaks it has moved outwards beyond doubt.
    """
    options = output.options(format_, as_json, out, force)
    if fail_on not in _FAIL_ON:
        raise UsageError(f"--fail-on {fail_on}: expected {', '.join(_FAIL_ON[:2])} or {_FAIL_ON[2]}")
    from balance.analysis import comparing

    targets = _targets(page, base, candidate, force)
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
        detect=detect,
        play=player(jobs),
    )
    if targets:
        command = _command(
            base,
            candidate,
            players=players,
            variants=variants,
            lineup=lineup,
            games=games_,
            precision=precision,
            detect=None if detect == comparing.DETECT else detect,
            seed=seed,
            edition=edition,
            thresholds=thresholds,
            of=of,
        )
        _write_page(found, command, targets, force)
    listed = found.changes if every else found.changed
    match options.format:
        case output.Format.csv | output.Format.parquet | output.Format.jsonl:
            output.rows([_row(change) for change in listed], _COLUMNS, options)
        case output.Format.markdown:
            output.markdown("\n".join(_markdown(found)), options)
        case _:
            output.document("\n".join(_lines(found)), _document(found, listed), options)
    if (fail_on != "none" and found.newly_broken) or (
        fail_on == "changed" and (found.changed or found.verdicts)
    ):
        context.exit(BROKEN)


def _targets(page: str | None, base: str, candidate: str, force: bool) -> dict[str, Path]:
    """Return where the page goes, refusing at once what could not be written."""
    if page is None:
        return {}
    from balance.report.comparison import report_targets

    names = (Path(side).stem or side for side in (base, candidate))
    return report_targets(page, "-".join(["compare", *names]), force=force)


def _write_page(found: Comparison, command: str, targets: dict[str, Path], force: bool) -> None:
    if found.same:
        diagnostics.say(f"no page is written: {found.same}")
        return
    from balance.report.comparison import comparison_report
    from balance.report.making import save

    report = comparison_report(found, command)
    for path in save(report, targets, force=force):
        diagnostics.say(f"written: {path}")


def _command(base: str, candidate: str, **options: object) -> str:
    """Return the command that says the same again, wherever its output goes."""
    from balance.report.words import command_path

    words = ["balance", "compare", *(command_path(Path(side)) for side in (base, candidate))]
    for name, value in options.items():
        every = value if isinstance(value, list) else [value] if value is not None else []
        texts = (
            command_path(Path(str(one))) if name == "thresholds" else shlex.quote(str(one)) for one in every
        )
        words += [f"--{name} {text}" for text in texts]
    return " ".join(words)


# --- for people


def _lines(found: Comparison) -> Iterator[str]:
    width = terminal.line_width(None)
    yield found.headline
    yield from (
        line for text in found.told_differences(_MOST_DIFFERENCES) for line in wrapped(text, width, "  ")
    )
    if found.same:
        yield from wrapped(found.answer, width)
        yield from (line for one in found.uncompared for line in wrapped(f"{one}.", width, "  "))
        return
    yield ""
    yield "Verdicts"
    yield from (line for text in _verdicts(found) for line in wrapped(text, width, "  "))
    yield ""
    yield from _sentences(found, width)
    if found.changed:
        rows = _rows(found)
        yield output.table_text(rows, _TABLE).rstrip("\n")
        if len(found.changed) > len(rows):
            yield f"... and {len(found.changed) - len(rows):,} more; --format csv gives all"
        yield ""
    yield from _rests_on(found, width)


def _verdicts(found: Comparison) -> Iterator[str]:
    for players, (before, after) in found.counts.items():
        told = ", ".join(
            f"{after[v]} {v} (before {before[v]})" if after[v] != before[v] else f"{after[v]} {v}"
            for v in sorted({*before, *after}, key=str)
        )
        yield f"{players} players: {told}"
    ranked = sorted(found.verdicts, key=lambda v: (not v.newly_broken, not v.suspect, v.players, v.variants))
    for one in ranked[:_MOST_VERDICTS]:
        names = found.title_of(one.variants)
        head = "BROKEN NOW: " if one.newly_broken else ""
        reason = f". {one.reasons[0]}" if one.reasons else ""
        yield f"{head}{names}, {one.players} players: {one.before}, now {one.after}{one.told_again}{reason}"
    if len(ranked) > _MOST_VERDICTS:
        yield f"... and {len(ranked) - _MOST_VERDICTS:,} more; --json gives all"
    if not ranked:
        yield "No verdict changed."


_HEADS: Final = {
    "all": "Over all combinations",
    "item": "Single {items}, the largest of many and not measured again on fresh deals",
    "variant": "Under single {variants}, over all combinations with them, the largest of many and not "
    "measured again on fresh deals",
    "combination": "Single combinations",
}


def _sentences(found: Comparison, width: int) -> Iterator[str]:
    facts = found.game.facts
    yield "What changed beyond doubt"
    for level in _MOST:
        shown = _largest(found, level)
        more = sum(change.level == level for change in found.changed) - len(shown)
        if shown:
            yield from wrapped(_HEADS[level].format(items=facts.items, variants=facts.variants), width, "  ")
        for change in shown:
            yield from wrapped(found.sentence(change), width, "    ")
        if more:
            yield f"    ... and {more:,} more"
    if not found.changed:
        yield f"  Nothing, in {found.family.tests:,} comparisons."
    yield ""


def _rows(found: Comparison) -> list[dict[str, object]]:
    return [
        {
            "where": found.where(change),
            "what": change.name,
            "base": change.figure(change.base),
            "candidate": change.figure(change.candidate),
            "difference": change.told(),
        }
        for level in _MOST
        for change in _largest(found, level)
    ]


def _largest(found: Comparison, level: str) -> list[Change]:
    """Return the largest changes of a level, those that people are shown."""
    return [change for change in found.changed if change.level == level][: _MOST[level]]


def _rests_on(found: Comparison, width: int) -> Iterator[str]:
    if found.power:
        yield "What would have shown (in 80% of cases, each test alone at 5%)"
        for one in found.power:
            yield from wrapped(f"{found.power_sentence(one)}.", width, "  ")
        yield ""
    if found.uncompared:
        yield "Not compared"
        yield from (line for one in found.uncompared for line in wrapped(f"{one}.", width, "  "))
        yield ""
    yield "What this rests on"
    for text in _basis(found):
        yield from wrapped(text, width, "  ")


def _basis(found: Comparison) -> list[str]:
    where = "; ".join(
        f"{name} {', '.join(str(run.path) for run in side.runs)}"
        for name, side in (("base", found.base), ("candidate", found.candidate))
    )
    played = f"{found.games:,} games of both sides on the same deals, seed {found.seed}"
    return [
        f"{played}, {found.combinations:,} combinations: {where}.",
        f"{found.family}.",
        f"{found.told_families}.",
    ]


# --- for a pull request


def _markdown(found: Comparison) -> Iterator[str]:
    yield f"## {found.headline}"
    yield ""
    yield from (f"- {_plain_text(text)}" for text in found.told_differences(_MOST_DIFFERENCES))
    yield ""
    if found.same:
        yield found.answer
        yield from (f"- {_plain_text(str(one))}" for one in found.uncompared)
        return
    yield "### Verdicts"
    yield ""
    yield from (f"- {_plain_text(text)}" for text in _verdicts(found))
    yield ""
    yield "### What changed beyond doubt"
    yield ""
    if found.changed:
        rows = _rows(found)
        yield (
            output.markdown_line(_TABLE)
            + output.markdown_rule([False, False, True, True, True])
            + "".join(output.markdown_line([str(row[name]) for name in _TABLE]) for row in rows)
        )
        if len(found.changed) > len(rows):
            yield f"... and {len(found.changed) - len(rows):,} more."
            yield ""
    else:
        yield f"Nothing, in {found.family.tests:,} comparisons."
        yield ""
    for one in found.power:
        yield f"- Would have shown (80% power at 5%): {_plain_text(found.power_sentence(one))}."
    yield from (f"- Not compared: {_plain_text(str(one))}." for one in found.uncompared)
    yield from (f"- {_plain_text(text)}" for text in _basis(found))


def _plain_text(text: str) -> str:
    """Return a text with nothing in it that Markdown would read as its own."""
    for char in "\\`*_[]<>|#":
        text = text.replace(char, f"\\{char}")
    return text


# --- for programs


def _row(change: Change) -> dict[str, object]:
    return {
        "level": change.level,
        "players": change.players,
        "lineup": change.lineup,
        "variants": list(change.variants),
        "item": change.item,
        "metric": change.metric,
        "of": change.of or None,
        "base": change.base,
        "candidate": change.candidate,
        "difference": change.difference,
        "low": change.low,
        "high": change.high,
        "deals": change.deals,
        "p": change.p,
        "adjusted": change.adjusted,
        "changed": change.sure,
        "detectable": change.detectable,
    }


def _document(found: Comparison, listed: Sequence[Change]) -> dict[str, Any]:
    return {
        "base": _side(found.base),
        "candidate": _side(found.candidate),
        "same": found.same or None,
        "differences": [one._asdict() for one in found.differences],
        "verdicts": [
            {
                "players": one.players,
                "variants": list(one.variants),
                "before": one.before,
                "after": one.after,
                "newly_broken": one.newly_broken,
                "again": one.again,
                "reasons": list(one.reasons),
            }
            for one in found.verdicts
        ],
        "counts": [
            {
                "players": players,
                "before": {str(v): before[v] for v in sorted(before, key=str)},
                "after": {str(v): after[v] for v in sorted(after, key=str)},
            }
            for players, (before, after) in found.counts.items()
        ],
        "changes": [{**_row(change), "sentence": found.sentence(change)} for change in listed],
        "fresh": [_row(change) for change in found.fresh.values()],
        "detectable": [
            {
                "item": one.item,
                "players": one.players,
                "lineup": one.lineup,
                "dealt": one.dealt,
                "all": one.whole,
                "nine_of_ten_combinations": one.nine_of_ten,
                "worst_combination": one.worst,
            }
            for one in found.power
        ],
        "uncompared": [
            {"count": one.count, "unit": one.unit, "why": one.why, "named": list(one.named)}
            for one in found.uncompared
        ],
        "family": {
            "tests": found.family.tests,
            "levels": dict(found.family.levels),
            "alpha": found.family.alpha,
            "correction": "Benjamini-Yekutieli, levels weighted alike",
        },
        "verdict_families": [
            {"tests": one.tests, "cells": one.cells, "metrics": one.metrics, "alpha": one.alpha}
            for one in found.verdict_families
        ],
        "combinations": found.combinations,
        "games": found.games,
        "seed": found.seed,
    }


def _side(side: Any) -> dict[str, object]:
    return {
        "label": side.label,
        "kind": side.kind,
        "edition": side.edition,
        "catalog": side.catalog.hash,
        "runs": [str(run.path) for run in side.runs],
    }

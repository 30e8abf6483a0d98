"""What to do after a check: the command that gives it again, and what would decide, mend or allow it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from balance import games
from balance.experiments.check import Check
from balance.judge.findings import Finding
from balance.judge.sentences import needed_sentence
from balance.judge.thresholds import Accepted
from balance.judge.verdict import Verdict
from balance.report.evidence import judging_options, threshold_options
from balance.userfiles import quoted

_MOST_ACCEPTED = 4
"""Findings that a command to accept them names one by one."""


def check_command(found: Check) -> str:
    """Return the command that makes a check again: with the runs that are kept, or the same games anew."""
    words = ["balance", "check", *found.variants]
    plan, facts = found.runs[0].plan, found.game.facts
    counts = sorted({j.players for j in found.own})
    if not found.strength:
        runs = (f"--run {quoted(run.path)}" for run in found.kept_runs)
        return " ".join([*words, *runs, *judging_options(found.runs, counts, found.thresholds, quoted)])
    options = {
        "--of": plan.game if plan.game != games.DEFAULT else "",
        "--edition": plan.edition if plan.edition != facts.default_edition else "",
        "--players": ",".join(map(str, counts)) if len(counts) <= facts.players[1] - facts.players[0] else "",
        "--strength": found.strength if found.strength != "quick" else "",
        "--seed": str(plan.seed or ""),
        "--save-run": str(found.kept_runs[0].path) if found.kept_runs else "",
    }
    words += [f"{name} {shlex.quote(value)}" for name, value in options.items() if value]
    words += [f"--catalog {quoted(path)}" for path in found.overlays]
    return " ".join([*words, *threshold_options(found.thresholds, quoted)])


def next_steps(found: Check, *, mended: bool) -> Iterator[str]:
    """Yield what to do next."""
    again = check_command(found)
    if found.verdict is Verdict.UNDECIDED:
        yield from _deciding(found, again)
    elif found.verdict is Verdict.BROKEN:
        if found.variants and found.strength and not mended:
            yield f"To mend it: {again} --suggest looks for the smallest change that keeps the idea."
        yield f"To allow it: {again} {_accepting(found)} gives the verdict without what breaks it."
    elif found.verdict is Verdict.BENT:
        yield f"Allow it: it works. {again} {_accepting(found)} gives the verdict without what bends it."
    else:
        yield "Allow it."


def _deciding(found: Check, again: str) -> Iterator[str]:
    """Yield what would decide a verdict."""
    open_ = [j for j in found.own if j.open]
    unseen = found.judgements.not_looked_at
    if unseen:
        yield f"To look at {', '.join(unseen)} too: balance simulate without --lineup plays every table."
    if not open_:
        return
    if found.strength == "quick":
        yield (
            f"To decide it: {again} --strength normal plays about five times as many games, which is enough "
            "where nothing is near its threshold."
        )
    elif not found.strength:
        most = max(open_, key=lambda j: j.further)
        runs = " ".join(quoted(run.path) for run in found.kept_runs)
        yield (
            f"To decide it: {needed_sentence(most.further)} balance check --all {runs} --until-decided plays "
            "them."
        )
    if any(j.holding for j in open_):
        yield f"If it does not matter: {again} {_accepting(found)} gives the verdict without it."


def _accepting(found: Check) -> str:
    """Return the options that accept what the verdict rests on, or what keeps it open."""
    rested: list[Finding] = []
    for judgement in found.own:
        held = [judgement.holding] if judgement.holding is not None else []
        rested += held if found.verdict is Verdict.UNDECIDED else judgement.reasons
    each = dict.fromkeys(
        str(Accepted(f.measured.metric.name, f.measured.of, "high" if f.upper else "low")) for f in rested
    )
    if len(each) > _MOST_ACCEPTED:
        each = dict.fromkeys(f.measured.metric.name for f in rested)
    return " ".join(f"--accept {shlex.quote(one)}" for one in each)

"""How we know: what was played, by whom, how verdicts are made, how sure the data are, and the limits."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import balance
from balance.dataset.housekeeping import made_by
from balance.dataset.run import Run
from balance.dataset.stamp import run_stamp
from balance.experiments.published import measured_agreement, measured_doubts
from balance.games.contract import Doubtful
from balance.games.variants import combinations_of
from balance.judge.sentences import quality_overview
from balance.judge.verdict import ALPHA, CORRECTION, Verdict
from balance.report.evidence import OWN_RULES, Evidence
from balance.report.formatting import command_path, count, listed
from balance.report.glossary import own_words
from balance.report.model import (
    Block,
    Bullets,
    Code,
    Paragraph,
    Provenance,
    Section,
)

_DIGITS: Final = 12


def section(m: Evidence, made: Provenance) -> Section:
    """Return the chapter."""
    blocks: list[Block] = [
        Paragraph(
            f"{count(m.games, 'game', 'games')} of {m.facts.title} ({m.run.plan.edition}) were played by "
            "programs, on "
            f"seed {m.run.plan.seed}: {_combinations(m)} at {listed(map(str, m.players))} players and at "
            f"{count(len(m.lineups), 'level', 'levels')} of [[strength of play]]{_gaps(m)}. The same "
            "seed gives the same games on every machine."
        ),
        m.ask("runs", n=""),
        m.ask("cells"),
    ]
    if m.ranking is not None:
        blocks += [
            Paragraph(
                "How a verdict is made: each metric has an [[accepted range]]"
                + _written(m)
                + "[[Broken]] means that the games rule out that the metric is inside; [[fine]], that they "
                "rule out that any "
                "metric is outside; few games leave it [[undecided]], however good it looks. Looking "
                "at many things at "
                f"once finds extremes by chance: so all {m.ranking.judgements.family.tests:,} tests were "
                f"corrected, each kind together ({own_words(CORRECTION, m.facts)}). Of all "
                f"claims of a kind, at most {ALPHA:.0%} are false on average."
            ),
            m.ask("thresholds", f"What is accepted, why, and how many {m.combinations} are outside"),
        ]
    blocks.append(
        Paragraph(
            "An [[interval]] says how sure a figure is. The unit is the [[deal]], never the seat or the "
            "game: every combination is played on the same shuffles, so that combinations can be compared, "
            "and 600 of them on the same deals are not 600 independent looks. " + _measured_again(m)
        )
    )
    blocks += _confidence(m)
    blocks += _hanging(m)
    blocks += [Paragraph("Limits:"), Bullets(tuple(_limits(m)))]
    if m.own_rules:
        text = (
            f"These games follow rules of one's own. The commands of this report read them from {OWN_RULES}:"
        )
        blocks += [Paragraph(text), Code(m.own_rules.rstrip("\n"))]
    blocks += [Paragraph("This makes the report again:"), Code("\n".join(made.commands), "")]
    return Section("method", "How we know", tuple(blocks))


def _combinations(m: Evidence) -> str:
    """Return which combinations were played: every one, or how many of them."""
    played = {cell.variants for cell in m.statistics.cells.values() if cell.games}
    every = set(combinations_of(m.game, m.run.catalog, m.run.plan.edition, ["all"]))
    if every <= played:
        return "every combination"
    possible = f"of the {len(every):,} possible combinations of at most {m.facts.variants_at_once}"
    word = m.facts.variant if m.facts.variants_at_once == 1 else m.facts.variants
    return f"{len(played & every):,} {possible} {word} (none included)"


def _gaps(m: Evidence) -> str:
    """Return that not everything met, if that is so."""
    played = {(c.variants, c.players, c.lineup) for c in m.statistics.cells.values() if c.games}
    met = len({c[0] for c in played}) * len(m.players) * len(m.lineups)
    return "" if len(played) == met else ", not each of them at each number and strength"


def _written(m: Evidence) -> str:
    """Return when the thresholds were written; of those that a user laid over them nobody knows."""
    if not m.thresholds.overlays:
        return ", written down before any combination was judged. "
    laid = listed([command_path(path) for path in m.thresholds.overlays])
    return f"; thresholds of {laid} were laid over the official ones. "


def _measured_again(m: Evidence) -> str:
    """Return whether the worst were played again; nothing if there was nothing to play again."""
    if m.fresh:
        return "The worst combinations were measured again on games of another seed."
    broken = any(judgement.verdict is Verdict.BROKEN for judgement in m.judged)
    return f"The worst combinations were not measured again: {m.not_fresh}." if broken else ""


def provenance_of(runs: Sequence[Run], games: int, command: str) -> Provenance:
    """Return what a report on runs rests on; `command` is what makes it."""
    plan = runs[0].plan
    told = tuple(
        {
            "run": run.plan.id,
            "seed": str(run.plan.seed),
            "games": f"{run.plan.games:,}",
            "combinations at tables": f"{sum(bool(cell.games) for cell in run.plan.cells):,}",
            "parent": run.plan.parent or "none",
        }
        for run in runs
    )
    return Provenance(
        games,
        told,
        tuple(sorted(plan.versions.items())),
        (
            ("catalog", plan.catalog_hash[:_DIGITS]),
            ("policies", plan.policies_hash[:_DIGITS] or "none"),
            ("engine", plan.engine_hash[:_DIGITS]),
        ),
        (*(made for run in runs for made in _made_by(run)), command),
    )


def played_provenance(games: int, command: str) -> Provenance:
    """Return what an answer rests on that has no runs: games that were played for it and are gone."""
    return Provenance(games, (), (("balance", balance.__version__),), (), (command,))


def _made_by(run: Run) -> list[str]:
    """Return the command that played a run, if its log names one of ours; folders by their last part."""
    try:
        words = shlex.split(made_by(run.path))
    except ValueError:
        return []
    if words[:2] != ["balance", "simulate"]:
        return []
    return [shlex.join(Path(word).name if Path(word).is_absolute() else word for word in words)]


def _confidence(m: Evidence) -> list[Block]:
    """Return how many winners rest on items whose print is not known for sure."""
    if not m.facts.doubtful:
        return []
    rows = m.run.small(m.facts.items).to_dicts()
    doubtful = sorted(int(row["id"]) for row in rows if row.get("confidence") in m.facts.doubtful)
    if not doubtful:
        return [
            Paragraph(f"The print of every {m.facts.item} is known from more than one source that agree.")
        ]
    told = listed([m.item_names.get(number, str(number)) for number in doubtful])
    return [
        Paragraph(
            f"Confidence of the data on {m.facts.items}: "
            f"{count(len(doubtful), f'{m.facts.item} rests', f'{m.facts.items} rest')} on a single "
            f"source or on sources that disagree ({told}). How many winners had built at least one of them:"
        ),
        *([m.ask("confidence")] if m.queries.has("confidence") else []),
    ]


def _hanging(m: Evidence) -> list[Block]:
    """Return which verdicts and values depend on facts in doubt, as measured before."""
    if not isinstance(m.game, Doubtful):
        return []
    plan = m.run.plan
    found = measured_doubts(m.game)
    if found is None or found.edition != plan.edition:
        return [
            Paragraph(
                "Which verdicts depend on facts in doubt was not measured for this "
                f"edition; balance contested --edition {plan.edition} measures it."
            )
        ]
    stale = found.stale(run_stamp(m.game, plan))
    told = (
        f"What depends on facts in doubt, measured on {count(found.games, 'game', 'games')} of "
        f"{found.players} players of their own: other readings that are known were played. "
    )
    if stale:
        told += f"Since then {listed(stale)} changed: this is how it was. "
    said = " ".join(found.sentences)
    return [Paragraph(f"{told}{said} Each entry is in the answer of:"), Code(found.command)]


def _limits(m: Evidence) -> Iterator[str]:
    yield (
        "A verdict is about the game as these players play it. Better players may find what these do "
        "not, and end games that these let drag on."
    )
    yield "Thresholds are a matter of taste; the table above gives the reason of each."
    if m.ranking is not None:
        yield quality_overview(m.ranking.ranked)
    agreement = measured_agreement(m.game)
    if agreement is not None:
        old = agreement.stale_today(m.game)
        yield f"{agreement} {f'Since then {listed(old)} changed.' if old else ''}".rstrip()
    looked = m.ranking.judgements.compared_with if m.ranking is not None else ()
    silent = [one.id for one in m.thresholds.entries if m.ranking is not None and one.id not in looked]
    if silent:
        yield (
            f"Not looked at, although there are thresholds for it: {listed(silent)}. So no verdict here is "
            "fine."
        )
    if m.strength is None:
        yield "How strong the players are was not measured."
    elif stale := m.strength.stale_today(m.game):
        yield f"The ladder was measured before {listed(stale)} changed."
    fewest = min(c.games for c in m.statistics.cells.values() if c.games)
    yield f"The least played combination has {count(fewest, 'game', 'games')} at one table."

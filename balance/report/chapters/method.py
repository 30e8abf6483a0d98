"""How we know: what was played, by whom, how verdicts are made, how sure the data are, and the limits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from balance.analysis.cells import Sums, connect
from balance.analysis.estimates import Share
from balance.analysis.hanging import measured_doubts
from balance.analysis.verdict import ALPHA, Verdict
from balance.dataset import sqltext
from balance.dataset.run import Run
from balance.dataset.schema import stored_table
from balance.games.contract import Doubtful
from balance.report.material import Material
from balance.report.model import (
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Paragraph,
    Provenance,
    Section,
    Source,
    Table,
)
from balance.report.words import command_path, count, interval, listed, text, whole

__all__ = ["provenance_of", "section"]

_DIGITS: Final = 12


def section(m: Material, made: Provenance) -> Section:
    """Return the chapter."""
    blocks: list[Block] = [
        Paragraph(
            f"{count(m.games, 'game', 'games')} of {m.facts.title} ({m.run.plan.edition}) were played by "
            "programs, on "
            f"seed {m.run.plan.seed}: {_combinations(m)} at {_counts(m)} players and at {len(m.lineups)} "
            f"[[strengths of play]]{_gaps(m)}. The same seed gives the same games on every machine."
        ),
        _runs(m),
        _cells(m),
    ]
    if m.ranking is not None:
        blocks += [
            Paragraph(
                "How a verdict is made: each metric has an [[accepted range]]"
                + _written(m)
                + "[[Broken]] means that the games rule out that the metric lies inside; [[fine]], that they "
                "rule out that any "
                "metric lies outside; a cell of few games is [[undecided]], however good it looks. Looking "
                "at many things at "
                "once finds extremes by chance: so everything was corrected together "
                f"({m.ranking.judgements.family}). Of all "
                f"claims of a kind, at most {ALPHA:.0%} are false on average."
            ),
            _thresholds(m),
            Paragraph(
                f"How much hangs on the thresholds: the last columns say how many {m.combinations} would be "
                "broken if one threshold "
                "accepted 20% less or more, all others unchanged."
            ),
        ]
    blocks.append(
        Paragraph(
            "An [[interval]] says how sure a figure is. The unit is the [[deal]], never the seat or the "
            "game: the same shuffle is "
            "played in every cell, so that cells can be compared, and 600 cells of the same deals are not "
            "600 independent looks. " + _measured_again(m)
        )
    )
    blocks += _confidence(m)
    blocks += _hanging(m)
    blocks += [Paragraph("Limits:"), Bullets(tuple(_limits(m)))]
    blocks += [Paragraph("This makes the report again:"), Code("\n".join(made.commands), "")]
    return Section("method", "How we know", tuple(blocks))


def _counts(m: Material) -> str:
    return listed([str(n) for n in m.players])


def _combinations(m: Material) -> str:
    """Return which combinations were played: every one, or how many of them."""
    played = {cell.variants for cell in m.statistics.cells.values() if cell.games}
    every = _every_combination(m.run)
    if every <= played:
        return "every combination"
    possible = f"of the {len(every):,} possible combinations of at most {m.facts.variants_at_once}"
    word = m.facts.variant if m.facts.variants_at_once == 1 else m.facts.variants
    return f"{len(played & every):,} {possible} {word} (none included)"


def _every_combination(run: Run) -> set[tuple[str, ...]]:
    from balance.games.variants import combinations_of

    return set(combinations_of(run.game, run.catalog, run.plan.edition, ["all"]))


def _gaps(m: Material) -> str:
    """Return that not everything met, if that is so."""
    played = {(c.variants, c.players, c.lineup) for c in m.statistics.cells.values() if c.games}
    met = len({c[0] for c in played}) * len(m.players) * len(m.lineups)
    return "" if len(played) == met else ", not each of them at each number and strength"


def _written(m: Material) -> str:
    """Return when the thresholds were written; of those that a user laid over them nobody knows."""
    if not m.thresholds.overlays:
        return ", written down before any combination was judged. "
    laid = listed([command_path(path) for path in m.thresholds.overlays])
    return f"; thresholds of {laid} were laid over the official ones. "


def _measured_again(m: Material) -> str:
    """Return whether the worst were played again; nothing if there was nothing to play again."""
    if m.fresh:
        return "The worst combinations were measured again on games of another seed."
    broken = any(verdict is Verdict.BROKEN for verdict in m.verdicts.values())
    return f"The worst combinations were not measured again: {m.not_fresh}." if broken else ""


def provenance_of(runs: Sequence[Run], games: int, command: str) -> Provenance:
    """Return what a report on runs rests on; `command` is what makes it."""
    plan = runs[0].plan
    told = tuple(
        {
            "run": run.plan.id,
            "seed": str(run.plan.seed),
            "games": f"{run.plan.games:,}",
            "cells": f"{sum(bool(cell.games) for cell in run.plan.cells):,}",
            "parent": run.plan.parent or "none",
        }
        for run in runs
    )
    made = simulate_command(runs)
    return Provenance(
        games,
        told,
        tuple(sorted(plan.versions.items())),
        (
            ("catalog", plan.catalog_hash[:_DIGITS]),
            ("policies", plan.policies_hash[:_DIGITS] or "none"),
            ("engine", plan.engine_hash[:_DIGITS]),
        ),
        (*([made] if made else []), command),
    )


def simulate_command(runs: Sequence[Run]) -> str:
    """Return the command that plays the run, if a simple one does; nothing otherwise."""
    run, plan, game = runs[0], runs[0].plan, runs[0].game
    if len(runs) > 1 or plan.parent or plan.ordered:
        return ""
    deals, replicates = {c.deals for c in plan.cells}, {c.replicates for c in plan.cells}
    lineups = sorted({c.lineup for c in plan.cells})
    counts = sorted({c.players for c in plan.cells})
    combinations = {c.variants for c in plan.cells}
    official: Any = game.load_catalog()
    if len(deals) != 1 or replicates != {1} or official.hash != plan.catalog_hash:
        return ""
    if len(plan.cells) != len(lineups) * len(counts) * len(combinations):
        return ""
    words = [f"balance simulate --game {plan.game} --edition {plan.edition}"]
    words.append(f"--players {','.join(map(str, counts))}")
    if combinations != _every_combination(run):
        if len(combinations) > 12:
            return ""
        words += [f"--{game.facts.variants} {','.join(names) or 'none'}" for names in sorted(combinations)]
    words += [f"--lineup {lineup}" for lineup in lineups]
    words.append(f"--games {deals.pop()} --seed {plan.seed} --out {command_path(run.path)}")
    return " ".join(words)


def _runs(m: Material) -> Table:
    rows = tuple(
        (
            text(run.plan.id),
            whole(run.plan.seed),
            whole(run.plan.games),
            text(run.plan.catalog_version),
            text(run.plan.catalog_hash[:_DIGITS]),
            text(run.plan.policies_hash[:_DIGITS] or "none"),
            text(run.plan.engine_hash[:_DIGITS]),
            text(", ".join(f"{name} {version}" for name, version in sorted(run.plan.versions.items()))),
        )
        for run in m.runs
    )
    return Table(
        "runs",
        "What was played",
        (
            Column("run_id", "Run"),
            Column("seed", "Seed", "integer"),
            Column("games", "Games", "integer"),
            Column("catalog_version", "Catalog"),
            Column("catalog", "Its digest"),
            Column("policies", "Players' digest"),
            Column("engine", "Engine's digest"),
            Column("versions", "Versions"),
        ),
        rows,
        Source(
            count(sum(run.plan.games for run in m.runs), "game", "games"),
            "",
            "select run_id, seed, games, catalog_version from run order by run_id",
        ),
        ("run_id",),
    )


def _cells(m: Material) -> Table:
    rows = []
    for lineup in m.lineups:
        for n in m.players:
            own = [c for c in m.statistics.cells.values() if (c.lineup, c.players) == (lineup, n) and c.games]
            if own:
                rows.append(
                    (
                        text(m.strength_name(lineup)),
                        text(lineup),
                        whole(n),
                        whole(len(own)),
                        whole(max(c.deals for c in own)),
                        whole(sum(c.games for c in own)),
                    )
                )
    return Table(
        "cells",
        "Cells, deals and games",
        (
            Column("strength", "In"),
            Column("lineup", "Lineup", "text", "Who sits where."),
            Column("players", "Players", "integer"),
            Column("cells", "Cells", "integer", f"Combinations of {m.facts.variants}, none included."),
            Column("deals", "Deals", "integer", "Different shuffles of each cell."),
            Column("games", "Games", "integer"),
        ),
        tuple(rows),
        Source(
            count(m.games, "game", "games"),
            "",
            "select lineup, players, count(*) as cells, max(deals) as deals, sum(deals * replicates) as "
            "games\n"
            f"from cells where deals > 0 and {m.ask.scope}\ngroup by all order by all",
        ),
        ("lineup", "players"),
    )


def _thresholds(m: Material) -> Table:
    rows = []
    moved = {one.threshold.id: one for one in m.moved}
    silent = _not_looked_at(m)
    for entry in m.thresholds.entries:
        one = moved[entry.id]
        numbers = (one.as_is, one.tighter, one.looser)
        rows.append(
            (
                text(entry.id),
                text(str(entry)),
                text(entry.reason),
                *(Cell(None, "not looked at") if entry.id in silent else whole(number) for number in numbers),
            )
        )
    ask = m.ask
    assert m.ranking is not None
    return Table(
        "thresholds",
        f"What is accepted, why, and how many {m.combinations} are broken if it were 20% less or more",
        (
            Column("metric", "Metric"),
            Column("accepted", "Accepted"),
            Column("reason", "Why"),
            Column("as_is", "Broken", "integer"),
            Column("tighter", "20% tighter", "integer"),
            Column("looser", "20% looser", "integer"),
        ),
        tuple(rows),
        Source(
            count(m.games, "game", "games"),
            str(m.ranking.judgements.family),
            f"select count(*) as games, count(distinct cell_id) as cells from games where {ask.scope} and "
            f"{ask.varied}",
            m.check,
        ),
    )


def _not_looked_at(m: Material) -> list[str]:
    """Return the thresholds that no cell was held against: these games say nothing of their metrics."""
    assert m.ranking is not None
    judged = m.ranking.judgements.judgements
    looked = {f.threshold.id for one in judged for cell in one.cells for f in cell.findings}
    return [entry.id for entry in m.thresholds.entries if entry.id not in looked]


def _confidence(m: Material) -> list[Block]:
    """Return how many winners rest on items whose print is not known for sure."""
    doubtful = _doubtful(m)
    if not m.facts.doubtful:
        return []
    if not doubtful:
        return [
            Paragraph(f"The print of every {m.facts.item} is known from more than one source that agree.")
        ]
    built = next(t for t in m.facts.tables if any(c.role == "item" for c in t.columns))
    item, seat = (sqltext.name(built.column(role).name) for role in ("item", "seat"))
    ids = ", ".join(map(str, doubtful))
    games, builds = (
        sqltext.parquet(f for run in m.runs for f in run.files(t)) for t in ("games", built.name)
    )
    table = stored_table(m.facts, "games")
    outcome, players, index = (sqltext.name(table.column(r).name) for r in ("outcome", "players", "index"))
    con = connect()
    low, high = min(m.statistics.cells), max(m.statistics.cells)
    rows = con.execute(f"""
        select players, count(*), sum(games), sum(built), sum(games * games), sum(built * built),
          sum(games * built) from (
          select {players}::int as players, {index} as deal, count(*) as games, count(b.game_id) as built
          from {games} g left join (
            select distinct game_id, {seat} as seat from {builds}
            where {item} in ({ids}) and cell_id between {low} and {high}
          ) b on b.game_id = g.game_id and b.seat = g.{outcome}
          where {outcome} is not null and cell_id between {low} and {high}
            and {players} in ({", ".join(map(str, m.players))})
          group by all
        ) group by all order by all""").fetchall()
    made = tuple(
        (
            whole(n),
            whole(int(won)),
            interval(Share(Sums(int(deals), int(b), int(won), int(b2), int(w2), int(x))).interval, "share"),
        )
        for n, deals, won, b, w2, b2, x in rows
    )
    names = {item.id: item.name for item in (m.items.items if m.items else ())}
    told = listed([names.get(number, str(number)) for number in doubtful])
    return [
        Paragraph(
            f"Confidence of the data on {m.facts.items}: "
            f"{count(len(doubtful), f'{m.facts.item} rests', f'{m.facts.items} rest')} on a single "
            f"source or on sources that disagree ({told}). So many winners had built at least one of them:"
        ),
        Table(
            "confidence",
            f"Winners who built a contested or single-source {m.facts.item}",
            (
                Column("players", "Players", "integer"),
                Column("won", "Games with a winner", "integer"),
                Column("built", "Of these, the winner built one", "interval"),
            ),
            made,
            Source(
                count(sum(int(row[2]) for row in rows), "game with a winner", "games with a winner"),
                "95%, Wilson, from the variance over deals",
                "select players, count(*) as won, count(b.game_id) / count(*) as built\nfrom games g left "
                "join (\n"
                f"  select distinct game_id, {seat} as seat from {sqltext.name(built.name)} where {item} "
                f"in ({ids})\n"
                f") b on b.game_id = g.game_id and b.seat = g.{m.ask.outcome}\n"
                f"where {m.ask.outcome} is not null and {m.ask.scope}\ngroup by all order by all",
            ),
            ("players",),
        ),
    ]


def _hanging(m: Material) -> list[Block]:
    """Return which verdicts and values would change if facts in doubt were otherwise, as measured before."""
    if not isinstance(m.game, Doubtful):
        return []
    plan = m.run.plan
    found = measured_doubts(m.game)
    if found is None or found.edition != plan.edition:
        return [
            Paragraph(
                "Which verdicts would change if facts in doubt were otherwise was not measured for this "
                f"edition; balance contested --edition {plan.edition} does."
            )
        ]
    stale = found.stale(
        {"engine": plan.engine_hash, "policies": plan.policies_hash, "catalog": plan.catalog_hash}
    )
    told = (
        f"What hangs on facts in doubt, on {count(found.games, 'game', 'games')} of {found.players} "
        "players of their own. Where sources disagree the other reading was played; where only one "
        "speaks, the entry was left out or its numbers moved by one, which is called a sensitivity. "
    )
    if stale:
        told += f"Since then {listed(list(stale))} changed: this is how it was. "
    changing = [one for one in found.readings if one.changes]
    blocks: list[Block] = [Paragraph(told + " ".join(found.sentences))]
    if changing:
        blocks.append(
            Table(
                "contested",
                "What would change if facts in doubt were otherwise",
                (
                    Column("entry", "Entry"),
                    Column("confidence", "Known"),
                    Column("kind", "Played as"),
                    Column("change", "What changes"),
                ),
                tuple(
                    (
                        text(one.name),
                        text(one.confidence),
                        text("sensitivity" if one.sensitivity else "another reading"),
                        text(one.sentence),
                    )
                    for one in changing
                ),
                Source(
                    count(found.games, "game", "games"), "95%, paired by blocks of deals", "", found.command
                ),
                (),
            )
        )
    return blocks


def _doubtful(m: Material) -> list[int]:
    """Return the items whose print is not known for sure."""
    frame = m.run.small(m.facts.items)
    if "confidence" not in frame.columns:
        return []
    rows = frame.select("id", "confidence").to_dicts()
    return sorted(int(row["id"]) for row in rows if row["confidence"] in m.facts.doubtful)


def _limits(m: Material) -> list[str]:
    found = [
        (
            "A verdict is about the game as these players play it. Better players may find what these do "
            "not, and end games that these let drag on."
        ),
        "Thresholds are a matter of taste; the table above says how much hangs on them.",
    ]
    silent = _not_looked_at(m) if m.ranking is not None else []
    if silent:
        found.append(
            f"Not looked at, although there are thresholds for it: {listed(silent)}. No verdict here "
            "says anything of that."
        )
    unfitted = sorted({name for j in m.judged for name in j.unfitted})
    if unfitted:
        found.append(f"No player has learned {listed([m.names.get(name, name) for name in unfitted])}.")
    if m.strength is not None and m.strength.stale:
        found.append(f"The ladder was measured before {listed(list(m.strength.stale))} changed.")
    if m.strength is None:
        found.append("How strong the players are was not measured.")
    fewest = min(c.games for c in m.statistics.cells.values() if c.games)
    found.append(f"The smallest cell has {count(fewest, 'game', 'games')}.")
    found.append(
        "Fair costs are straight lines drawn far; what is named as too cheap or too expensive is a hint, "
        "not a verdict."
    )
    return found

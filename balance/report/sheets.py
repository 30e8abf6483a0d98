"""Short reports: two pages on one combination, and one on a single item."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from balance.analysis.cells import CellStatistics
from balance.analysis.checking import Check, judged
from balance.analysis.equilibrium import FEWEST_GAMES
from balance.analysis.interaction import LOG, Interaction
from balance.analysis.intervals import quantile
from balance.analysis.items import LEVEL, ItemValue
from balance.analysis.sentences import finding_sentence, needed_sentence
from balance.analysis.thresholds import Thresholds
from balance.analysis.verdict import Judgement, Verdict, strength_of
from balance.dataset.run import Run
from balance.errors import DataError, UsageError
from balance.games.contract import Description, Entry
from balance.games.variants import variant_ids
from balance.report.atlas import SHARES, SHOWN, TITLES
from balance.report.chapters.items import interactions_table, overall, value_sql
from balance.report.chapters.method import provenance_of
from balance.report.gather import game_words, terms
from balance.report.material import Items, Material, Step, collect_items, empty_material, judging_options
from balance.report.model import (
    Answer,
    Block,
    Bullets,
    Cell,
    Code,
    Column,
    Figure,
    Paragraph,
    Report,
    Section,
    Source,
    Table,
    VerdictCount,
    Worst,
    literal,
)
from balance.report.queries import Ask
from balance.report.words import command_path, count, ends, interval, listed, number, printed, text, whole

__all__ = ["STEPS", "item_report", "pair_report"]

STEPS: Final = 4
"""How many steps these reports tell of."""
_MOST_REASONS: Final = 6
_LAST: Final = 60


# --- one combination


def pair_report(
    runs: Sequence[Run],
    names: Sequence[str],
    thresholds: Thresholds,
    players: Sequence[int] = (),
    *,
    command: str,
    step: Step = lambda _: None,
) -> Report:
    """Return two pages on one combination, judged with its parts alone."""
    run = runs[0]
    game, facts = run.game, run.game.facts
    if facts.variants_at_once < 2:
        raise UsageError(f"{facts.title} has one {facts.variant} at a time; --pair needs two")
    variants = tuple(sorted(variant_ids(game, run.catalog, run.plan.edition, names)))
    step("verdict")
    found = judged(game, run.catalog, variants, runs, list(players) or None, thresholds)
    step("what it looks like")
    counts = sorted({j.players for j in found.own})
    sheet = _Sheet(found, Ask(facts, counts), judging_options(runs, counts, thresholds))
    step("sheet")
    answer = sheet.answer()
    made = provenance_of(runs, found.games, command)
    step("chapters")
    return Report(
        kind="pair",
        title=sheet.title,
        subtitle=f"{facts.title}, {run.plan.edition}, {count(found.games, 'game', 'games')}",
        game=facts.title,
        edition=run.plan.edition,
        words=game_words(facts),
        answer=answer,
        sections=tuple(sheet.sections(made.commands)),
        glossary=terms(
            facts, [(cell.cell.lineup, cell.strength) for j in found.own for cell in j.cells], thresholds
        ),
        provenance=made,
    )


class _Sheet:
    """A check as the sections of a report."""

    def __init__(self, found: Check, ask: Ask, options: Sequence[str]) -> None:
        self.found, self.ask = found, ask
        rows = found.runs[0].small(found.game.facts.variants).to_dicts()
        self.names = {str(row["id"]): str(row.get("name") or row["id"]) for row in rows}
        self.title = " + ".join(self.names.get(name, name) for name in found.variants)
        runs = [f"--run {command_path(run.path)}" for run in found.runs]
        self.check = " ".join(["balance check", *found.variants, *runs, *options])

    def answer(self) -> Answer:
        """Return the verdict in short."""
        own = self.found.own
        parts = []
        for verdict in (Verdict.BROKEN, Verdict.UNDECIDED, Verdict.FINE):
            at = [str(j.players) for j in own if j.verdict is verdict]
            if at:
                parts.append(f"{verdict.value} with {listed(at)} players")
        cell, finding = self.found.worst()
        worst: tuple[Worst, ...] = ()
        if finding is not None:
            worst = (
                Worst(self.found.variants, self.title, cell.cell.players, cell.strength,
                      self.found.sentence(finding), "", None),
            )  # fmt: skip
        counts = tuple(
            VerdictCount(
                j.players, *(int(j.verdict is v) for v in (Verdict.BROKEN, Verdict.FINE, Verdict.UNDECIDED))
            )
            for j in own
        )
        few = min(cell.cell.games for j in own for cell in j.cells)
        warning = (
            f"Too few games to say much: {count(few, 'game', 'games')} of each cell." if few < 200 else ""
        )
        headline = f"{self.title}: {listed(parts)}."
        return Answer(headline, counts, worst, (), (), warning)

    def sections(self, commands: Sequence[str]) -> list[Section]:
        """Return the pages."""
        return [
            Section("verdict", "Verdict and reasons", tuple(self._verdict())),
            Section("rules", "The rules", tuple(self._rules())),
            Section("length", "Length", (self._lengths(),)),
            Section("metrics", "What it does", (self._metrics(),)),
            Section("beyond", "Together, beyond what each does alone", tuple(self._beyond())),
            Section("how", "How we know", tuple(self._how(commands))),
        ]

    def _rules(self) -> list[Block]:
        game, catalog = self.found.game, self.found.catalog
        kind = game.facts.variant
        told = []
        for variant in self.found.variants:
            name = self.names.get(variant, variant)
            sections = game.describe(catalog, Entry(kind, variant, name)).sections
            rule = " ".join(dict(sections).get("Rule") or (sections[0][1] if sections else ()))
            told.append(literal(f"{name}: {rule}"))
        return [Bullets(tuple(told))]

    def _verdict(self) -> list[Block]:
        found: list[Block] = [self._verdict_table()]
        reasons = [
            f"{j.players} players, {cell.strength}: {self.found.sentence(finding)}"
            for j in self.found.own
            for cell in j.cells
            for finding in cell.broken
        ]
        more = len(reasons) - _MOST_REASONS
        shown = reasons[:_MOST_REASONS] + ([f"... and {more} more."] if more > 0 else [])
        shown += self._only_together()
        shown += [
            f"{j.players} players, undecided: {finding_sentence(j.holding)} {needed_sentence(j.further)}"
            for j in self.found.own
            if j.verdict is Verdict.UNDECIDED and j.holding is not None
        ]
        if shown:
            found.append(Bullets(tuple(shown)))
        elif all(j.verdict is Verdict.FINE for j in self.found.own):
            found.append(Paragraph("Every metric lies within its [[accepted range]], beyond doubt."))
        return found

    def _only_together(self) -> list[str]:
        """Return where the pair is broken and neither of its variants alone is."""
        found = []
        for sure, said in (
            (True, "Neither breaks it alone, together they do"),
            (False, "Possibly only together"),
        ):
            where = [f"{b.players} players, {b.strength}" for b in self.found.together if b.sure is sure]
            if where:
                found.append(f"{said}: {'; '.join(where)}.")
        return found

    def _cells(self) -> list[CellStatistics]:
        return [cell.cell for j in self.found.own for cell in j.cells]

    def _verdict_table(self) -> Table:
        rows = [
            (
                whole(j.players),
                text(cell.strength),
                Cell(cell.verdict.value, cell.verdict.value),
                *(self._alone(j, name, cell.cell.lineup) for name in self.found.variants),
                interval(quantile(cell.cell.lengths, 0.5), "integer"),
                whole(cell.cell.games),
                Cell(cell.cell.id, str(cell.cell.id)),
            )
            for j in self.found.own
            for cell in j.cells
        ]
        return Table(
            "verdict",
            "Verdicts, on the pair and on each alone",
            (
                Column("players", "Players", "integer"),
                Column("strength", "In"),
                Column("verdict", "Together", "verdict"),
                *(
                    Column(f"alone{k}", self.names.get(name, name), "verdict")
                    for k, name in enumerate(self.found.variants)
                ),
                Column("p50", "Median rounds", "interval"),
                Column("games", "Games", "integer"),
                Column("cell_id", "Cell", "integer"),
            ),
            tuple(rows),
            Source(
                count(sum(cell.games for cell in self._cells()), "game", "games"),
                f"95%, order statistics; verdicts: {self.found.judgements.family}",
                f"select cell_id, median({self.ask.length}) as p50, count(*) as games\n"
                f"from games where {self.ask.cells(c.id for c in self._cells())}\ngroup by all order by "
                "cell_id",
                self.check,
            ),
            ("cell_id",),
        )

    def _alone(self, judgement: Judgement, name: str, lineup: str) -> Cell:
        alone = self.found.judgements.find(judgement.players, (name,))
        verdict = next((c.verdict.value for c in alone.cells if c.cell.lineup == lineup), "") if alone else ""
        return Cell(verdict, verdict or "not played")

    def _lengths(self) -> Figure:
        cell = self.found.worst()[0].cell
        base = self.found.statistics.baseline(cell)
        xs, series, ys = [], [], []
        named: list[tuple[str, CellStatistics]] = [("with", cell)] + ([("without", base)] if base else [])
        for name, one in named:
            for rounds in range(1, min(max(one.lengths), _LAST) + 1):
                xs.append(rounds)
                series.append(name)
                ys.append(one.lengths.get(rounds, 0) / one.games)
        medians = "; ".join(
            f"{name}: median {quantile(one.lengths, 0.5).value:g} rounds" for name, one in named
        )
        ids = ", ".join(str(one.id) for _, one in named)
        return Figure(
            "lengths",
            f"How long games last with and without, {cell.players} players, {self._strength(cell)}",
            "histogram",
            {"x": tuple(xs), "series": tuple(series), "y": tuple(ys)},
            Source(
                count(sum(one.games for _, one in named), "game", "games"),
                "",
                f"select {self.ask.length} as x, if(cell_id = {cell.id}, 'with', 'without') as series,\n"
                "  count(*) / sum(count(*)) over (partition by cell_id) as y\n"
                f"from games where cell_id in ({ids})\ngroup by cell_id, x qualify x <= {_LAST} order by "
                "series, x",
            ),
            f"Shares of games by length. {medians}.",
            ("x", "series"),
            x_title="rounds",
            y_title="share of games",
            y_kind="share",
        )

    def _strength(self, cell: CellStatistics) -> str:
        return strength_of(self.found.game.facts, cell.lineup).name

    def _metrics(self) -> Table:
        """Return every metric at the number of players that shows the verdict best, with and without."""
        cell = self.found.worst()[0].cell
        base = self.found.statistics.baseline(cell)
        without = {m.name: m for m in self.found.bench.of(base)} if base else {}
        rows = []
        for measured in self.found.bench.of(cell):
            kind = measured.metric.name
            if kind not in (*SHOWN, "win_points"):
                continue
            form = "share" if kind in SHARES else "integer" if kind in ("length", "length_long") else "number"
            other = without.get(measured.name)
            own = measured.estimate.interval
            rows.append(
                (
                    text(measured.metric.title + (f" ({measured.of})" if measured.of else "")),
                    interval(own, form),
                    interval(other.estimate.interval if other else None, form),
                )
            )
        ask = self.ask
        return Table(
            "metrics",
            f"{self.title} against no {self.found.game.facts.variant}, {cell.players} players, "
            f"{self._strength(cell)}",
            (
                Column("metric", "Metric"),
                Column("with", "With", "interval"),
                Column("without", "Without", "interval"),
            ),
            tuple(rows),
            Source(
                count(cell.games, "game", "games"),
                "95%, the deal is the unit; docs/metrics.md says how each is made",
                f"select cell_id, count(*) as games, median({ask.length}) as median_rounds,\n"
                f"  count(*) filter ({ask.stalled}) / count(*) as stalled\nfrom games where cell_id = "
                f"{cell.id} group by all",
            ),
        )

    def _beyond(self) -> list[Block]:
        sure = [i for i in self.found.interactions if i.adjusted <= 0.05]
        shown = sorted(sure, key=lambda i: (i.p, i.cell.id, i.measure))[:4]
        if not self.found.interactions:
            return [
                Paragraph("Its variants were not played alone, so what it does beyond them is not known.")
            ]
        if not shown:
            return [
                Paragraph(
                    f"Nothing that could be told from chance in {len(self.found.interactions):,} comparisons."
                )
            ]
        return [
            Bullets(
                tuple(f"{i.cell.players} players, {self._strength(i.cell)}: {_beyond(i)}." for i in shown)
            )
        ]

    def _how(self, commands: Sequence[str]) -> list[Block]:
        found: list[Block] = [
            Paragraph(
                f"{count(self.found.games, 'game', 'games')}, seed {self.found.runs[0].plan.seed}, the "
                "pair, each alone and none "
                f"on the same deals. {self.found.judgements.family}."
            )
        ]
        styles = [f"{one.sentence(self.names)}." for one in self.found.styles]
        found.append(
            Bullets(tuple(f"Styles that survive: {style}" for style in styles))
            if styles
            else Paragraph(
                f"Which styles survive takes {FEWEST_GAMES:,} games of mixed company; too few games to say."
            )
        )
        game = self.found.telling_game
        lines = list(commands)
        if game is not None:
            lines.append(f"balance replay {command_path(game[0].path)} {game[1]}  # {game[2]}")
        found.append(Code("\n".join(lines)))
        return found


_NAMES: Final = {
    **TITLES,
    "extended": "games that go on after the goal is reached",
    "exhausted": "games in which what all draw from runs out",
    "policy": "win points of {}",
    "seat": "win points of seat {}",
}


def _beyond(one: Interaction) -> str:
    kind, _, of = one.measure.partition(":")
    name = _NAMES.get(kind, "{}").format(of or one.measure)
    value, low, high = one.interval
    if one.scale == LOG:
        a, b, c = (math.exp(end) for end in (value, low, high))
        return f"{name} {a:.2f} times what both alone would give ({b:.2f} to {c:.2f})"
    return f"{name} {value:+.3f} beyond what both alone would give ({low:+.3f} to {high:+.3f})"


# --- one item


def item_report(
    runs: Sequence[Run],
    name: str,
    thresholds: Thresholds,
    players: Sequence[int] = (),
    *,
    command: str,
    step: Step = lambda _: None,
    jobs: int | None = None,
) -> Report:
    """Return a report on one item: what it is worth, at which cost, and under which variants."""
    run = runs[0]
    game, facts = run.game, run.game.facts
    entries = [entry for entry in game.find(run.catalog, name) if entry.kind == facts.item]
    if not entries:
        raise UsageError(f"{name} is no {facts.item}")
    entry = entries[0]
    step("values")
    m = empty_material(runs, thresholds, players)
    items = collect_items(runs, m.players, jobs, step)
    if items is None:
        raise DataError(f"{facts.title} has no {facts.items}")
    step("sheet")
    own = [value for value in items.values if str(value.id) == entry.id]
    described = game.describe(run.catalog, entry)
    made = provenance_of(runs, items.games, command)
    return Report(
        kind="item",
        title=entry.name,
        subtitle=f"{facts.title}, {run.plan.edition}, {facts.item} {entry.id}, "
        f"{count(items.games, 'game', 'games')}",
        game=facts.title,
        edition=run.plan.edition,
        words=game_words(facts),
        answer=Answer(_item_headline(m, items, own), (), (), (), (), _item_warning(own)),
        sections=tuple(_item_sections(m, items, own, described, made.commands)),
        glossary=terms(facts, [(items.lineup, m.strength_name(items.lineup))], thresholds),
        provenance=made,
    )


def _item_warning(own: Sequence[ItemValue]) -> str:
    blocks = max((v.blocks for v in own), default=0)
    return "Too few games to say much." if blocks < 100 else ""


def _item_headline(m: Material, items: Items, own: Sequence[ItemValue]) -> str:
    value = overall(own)[0]
    if value.value.value is None:
        return f"Chance deals no {m.facts.items}, so what {value.name} is worth cannot be told."
    ranked = sorted(overall(items.values), key=lambda v: -(v.value.value or 0.0))
    rank = [v.id for v in ranked].index(value.id) + 1
    told = (value.adjusted or 1.0) <= LEVEL
    verb = "is worth" if told else "cannot be told from the average one:"
    return (
        f"{value.name} {verb} {ends(value.value, 'signed').text} win points to be dealt, "
        f"rank {rank} of {len(ranked)} {m.facts.items}."
    )


def _item_sections(
    m: Material, items: Items, own: Sequence[ItemValue], described: Description, commands: Sequence[str]
) -> list[Section]:
    first = [literal(f"{title}: {' '.join(lines)}") for title, lines in described.sections]
    found = [Section("print", "As printed", (Bullets(tuple(first)),))]
    if own and overall(own)[0].value.value is not None:
        found.append(
            Section("worth", "What it is worth", (_worth(m, items, own), _worth_figure(m, items, own)))
        )
        here = [one for one in items.interactions if one.id == own[0].id and one.difference.value is not None]
        shown = here[:12]
        if shown:
            told = sum((one.adjusted or 1.0) <= LEVEL for one in here)
            found.append(
                Section(
                    "variants",
                    f"Under {m.facts.variants}",
                    (
                        Paragraph(
                            f"Under {told} of {len(here)} {m.facts.variants} it is worth more or less "
                            "beyond doubt (corrected for "
                            f"all {m.facts.items}). The surest:"
                        ),
                        interactions_table(
                            m, items, "under", f"{own[0].name} under {m.facts.variants}", shown,
                            "The surest of many look larger than they are.",
                        ),
                    ),
                )
            )  # fmt: skip
    found.append(
        Section(
            "how",
            "How we know",
            (
                Paragraph(
                    f"In {m.strength_name(items.lineup)} ({items.lineup}). The [[value]] is caused by "
                    "chance dealing it; the [[deal]] "
                    "is the unit of the [[interval]]."
                ),
                Code("\n".join(commands)),
            ),
        )
    )
    return found


def _worth(m: Material, items: Items, own: Sequence[ItemValue]) -> Table:
    rows = [
        (
            Cell(v.players or 0, "all" if v.players is None else str(v.players)),
            ends(v.value, "signed"),
            ends(v.money, "signed"),
            ends(v.fair_cost),
            ends(v.share_built_opening, "share"),
            number(v.round_built),
            ends(v.drawn, "signed"),
            ends(v.built, "signed"),
            whole(v.seats),
        )
        for v in own
    ]
    item = f'"{m.facts.item}" = {own[0].id}'
    sql = value_sql(m, items, item).replace(
        "select item, avg(value) as value, sum(seats) as seats\nfrom (\n", "", 1
    )
    inner = (
        sql.rsplit("\n) group by", 1)[0]
        .replace("item, players,", "players,")
        .replace(f'select "{m.facts.item}" as players,', "select players,")
    )
    inner = inner.replace(f'"{m.facts.item}" as item, ', "")
    return Table(
        "worth",
        f"{own[0].name}: what it is worth to be dealt, by number of players",
        (
            Column("players", "Players", "integer"),
            Column("value", "Value", "interval", "Win points for being dealt it, beyond a fair share."),
            Column("money", "In coins", "interval"),
            Column("fair", "Fair cost", "interval", "An estimate."),
            Column("built", "Built", "interval", "The share of those dealt it who acquired it."),
            Column("round", "Mean round", "number"),
            Column(
                "drawn",
                "When drawn",
                "interval",
                f"Biased: whoever draws much sees more of every {m.facts.item}.",
            ),
            Column("acquired", "When built", "interval", "Biased: whoever builds much wins."),
            Column("seats", "Dealt", "integer"),
        ),
        tuple(rows),
        Source(
            count(items.games, "game", "games"),
            "95%, Wilson or Student, from the variance between blocks of deals",
            inner.strip() + "\n  order by players",
        ),
        ("players",),
        f"Printed cost {own[0].cost}." if own[0].cost is not None else "",
    )


def _worth_figure(m: Material, items: Items, own: Sequence[ItemValue]) -> Figure:
    shown = [v for v in own if v.players is not None and v.value.value is not None]
    table = _worth(m, items, own)
    return Figure(
        "worth-figure",
        f"{own[0].name}: value by number of players; the line is an average {m.facts.item}",
        "dots",
        {
            "label": tuple(f"{v.players} players" for v in shown),
            "series": tuple("value" for _ in shown),
            "y": tuple(v.value.value for v in shown),
            "low": tuple(v.value.low for v in shown),
            "high": tuple(v.value.high for v in shown),
        },
        replace(table.source, sql=table.source.sql),
        "; ".join(f"{v.players} players: {printed(v.value.value, 'signed')}" for v in shown),
        y_title="win points beyond a fair share",
        reference=0.0,
    )

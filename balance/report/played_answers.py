"""Answers of experiments that play games of their own and keep none: prices, facts in doubt, ladders."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from balance.dataset.stamp import stamp
from balance.experiments.contested import Contested
from balance.experiments.ladder import EVERYBODY, Ladder, Rung
from balance.experiments.price import Context, Prices
from balance.games.contract import Game
from balance.measure.items import Item
from balance.report.chapters.method import played_provenance
from balance.report.comparison_answer import Wording, verdict_records
from balance.report.formatting import bullets, count, interval, text, whole
from balance.report.model import (
    Answer,
    Cell,
    Heading,
    Paragraph,
    Section,
    Source,
    Summary,
    Table,
    literal,
)
from balance.report.records import finite
from balance.stats.intervals import Interval


def _answer(
    kind: str, title: str, game: Game[Any, Any], found: Prices | Contested | Ladder, command: str,
    headline: str, sections: Sequence[Section], findings: Iterable[Mapping[str, Any]], **more: Any,
) -> Answer:  # fmt: skip
    facts = game.facts
    return Answer(
        kind=kind,
        title=f"{facts.title}: {title}",
        subtitle=f"{found.edition}, {count(found.games, 'game', 'games')}",
        game=facts.title,
        edition=found.edition,
        summary=Summary(literal(headline)),
        sections=tuple(section for section in sections if section.blocks),
        glossary={},
        provenance=played_provenance(found.games, command),
        findings=tuple(findings),
        found=found,
        **more,
    )


def _fields(record: object, *names: str) -> dict[str, Any]:
    return {name: getattr(record, name) for name in names}


# --- prices


def price_answer(found: Prices, command: str = "balance price") -> Answer:
    """Return the prices of items, and a proposal for all."""
    first, *rest = found.sentences()
    last = found.contexts[-1]
    tables = (_prices(found, command), *([_fresh_values(last, command)] if last.fresh else []))
    how = (
        f"{count(found.games, 'game', 'games')} of {found.players} players ({found.lineup}), "
        f"{found.edition}, seed {found.seed}; {found.deals:,} deals of each kind. Intervals are 95%: at the "
        f"costs within, what the average {found.game.facts.item} is worth cannot be excluded."
    )
    return _answer(
        "prices",
        f"what each {found.game.facts.item} should cost",
        found.game,
        found,
        command,
        first,
        (
            Section("proposal", "The proposal", bullets(rest)),
            Section("prices", "Prices", tables),
            Section("how", "How we know", (Paragraph(how),)),
        ),
        _price_rows(found),
        listed="prices",
        records={
            "game": found.game.name,
            **_fields(found, "edition", "players", "lineup", "seed", "deals", "games"),
            "tests": sum(len(context.priced) for context in found.contexts),
            "stamp": stamp(found.game, found.catalog),
            "sentences": found.sentences(),
            "proposal": {str(item): cost for item, cost in found.proposal.items()},
            "overlay": found.overlay,
        },
    )


_ITEM: Final = (
    Heading("id", "id", "integer"),
    Heading("name", "name", "item"),
    Heading("cost", "cost", "integer"),
)
_PROPOSED: Final = Heading("proposed", "proposed", "integer")


def _item(item: Item) -> tuple[Cell, Cell, Cell]:
    return whole(item.id), Cell(item.id, literal(item.name)), whole(item.cost)


def _prices(found: Prices, command: str) -> Table:
    def proposed(item: Item) -> Cell:
        cost = found.proposal.get(item.id)
        return Cell(cost, "" if cost is None else str(cost))

    prices = [Heading(f"price{k}", f"price, {one.name}") for k, one in enumerate(found.contexts)]
    rows = tuple(
        (*_item(own[0].item), *(text(one.price.told()) for one in own), proposed(own[0].item))
        for own in zip(*(context.priced for context in found.contexts), strict=True)
    )
    caption = f"At which cost each {found.game.facts.item} would be an average one"
    source = Source(count(found.games, "game", "games"), "95%", command=command)
    return Table("prices", caption, (*_ITEM, *prices, _PROPOSED), rows, source)


def _fresh_values(context: Context, command: str) -> Table:
    before = Heading("before", "value as printed", "interval")
    after = Heading("after", "value as proposed", "interval")
    rows = tuple(
        (*_item(one.item), whole(one.proposed), interval(one.before, "signed"), interval(one.after, "signed"))
        for one in context.fresh
    )
    source = Source(count(context.fresh_games, "game", "games"), "95%", command=command)
    caption = f"Values on fresh games, {context.name}"
    return Table("fresh", caption, (*_ITEM, _PROPOSED, before, after), rows, source)


def _price_rows(found: Prices) -> Iterator[dict[str, Any]]:
    for context in found.contexts:
        fresh = {one.item.id: one for one in context.fresh}
        for one in context.priced:
            again, price = fresh.get(one.item.id), one.price
            yield {
                "id": one.item.id,
                "name": one.item.name,
                "cost": one.item.cost,
                "under": context.name,
                "seats": one.seats,
                **_ends("value", one.value),
                "p": one.p,
                "adjusted": one.adjusted,
                "price": finite(round(price.value, 3)),
                "low": finite(round(price.low, 3)),
                "high": finite(round(price.high, 3)),
                "beyond": {-math.inf: "below", math.inf: "above"}.get(price.value),
                "text": price.told(),
                "sentence": one.sentence(),
                "proposed": found.proposal.get(one.item.id),
                **(_ends("fresh", again.before) | _ends("fresh_proposed", again.after) if again else {}),
            }


def _ends(name: str, found: Interval) -> dict[str, float]:
    return {f"{name}{end}": round(x, 6) for end, x in zip(("", "_low", "_high"), found, strict=True)}


# --- facts in doubt


def contested_answer(found: Contested, command: str = "balance contested") -> Answer:
    """Return which verdicts and figures would change if facts that are in doubt had another reading."""
    facts = found.game.facts
    first, *rest = found.sentences()
    how = (
        f"{count(found.games, 'game', 'games')} of {found.players} players ({facts.default_lineup}), "
        f"{found.edition}, seed {found.seed}: {found.deals:,} deals of each of up to {found.combinations} "
        f"combinations of {facts.variants} for an entry, and of the game without any. Each reading is "
        "compared with the printed one on the same deals. Intervals are 95%; what counts as changed is "
        "corrected over all readings. The players have learned what is printed."
    )
    entries = [(doubt, [(one, Wording(one)) for one in readings]) for doubt, readings in found.entries]
    sections = (
        Section(
            f"entry-{doubt.entry.kind}-{doubt.entry.id}",
            f"{doubt.entry.name} ({doubt.entry.kind} {doubt.entry.id}), {doubt.confidence}",
            (
                *([Paragraph(literal(doubt.note))] if doubt.note else []),
                *(
                    block
                    for one, words in readings
                    for block in (
                        Paragraph(literal(f"If it reads: {one.candidate.label}")),
                        *bullets((*words.for_players(), *words.beside())),
                    )
                ),
                *([] if readings else [Paragraph("No other reading is known.")]),
            ),
        )
        for doubt, readings in entries
    )
    rows = [
        {
            "kind": doubt.entry.kind,
            "id": doubt.entry.id,
            "name": doubt.entry.name,
            "confidence": doubt.confidence,
            "reading": one.candidate.label,
            "broken_now": len(one.newly_broken),
            "verdicts_moved": len(one.verdicts),
            "figures_changed": len(one.changed),
            "sentences": [*words.for_players(), *words.beside()],
            "verdicts": verdict_records(one),
        }
        for doubt, readings in entries
        for one, words in readings
    ]
    return _answer(
        "contested",
        "what depends on facts in doubt",
        found.game,
        found,
        command,
        first,
        (
            Section("overall", "In all", bullets(rest)),
            *sections,
            Section("how", "How we know", (Paragraph(how),)),
        ),
        rows,
        listed="readings",
        records={
            "game": found.game.name,
            **_fields(found, "edition", "players", "seed", "deals", "combinations", "games"),
            "stamp": stamp(found.game, found.catalog),
            "sentences": list(found.sentences()),
            "in_doubt": [
                doubt.entry._asdict() | _fields(doubt, "confidence", "meaning", "note")
                for doubt, _ in found.entries
            ],
        },
    )  # fmt: skip


# --- ladders


def ladder_answer(found: Ladder, command: str = "balance ladder") -> Answer:
    """Return how strong policies are: at mixed tables, and one against the rest as a matrix."""
    by = {(rung.measure, rung.policy, rung.against): rung for rung in found.rungs}
    order = [rung.policy for rung in found.rungs if rung.measure == "mixed"]
    played = f"{count(found.games, 'game', 'games')}, seed {found.seed}"
    source = Source(played, "95%, over deals", command=command)
    best = by["mixed", order[0], EVERYBODY]
    mixed = Table(
        "mixed",
        "Win points at mixed tables",
        (Heading("policy", "policy"), Heading("mixed", "mixed", "interval")),
        tuple((text(name), _rung(by["mixed", name, EVERYBODY])) for name in order),
        source,
    )
    ones = Table(
        "one",
        "Win points of one against the rest",
        (Heading("one", "one"), *(Heading(rest, rest, "interval") for rest in order)),
        tuple(
            (text(one), *(_rung(by["one", one, rest]) if rest != one else text("") for rest in order))
            for one in order
        ),
        source,
    )
    return _answer(
        "ladder",
        f"how strong the policies are, {found.players} players, {found.described}",
        found.game,
        found,
        command,
        f"{best.policy} is the strongest of {len(order)} policies: {_rung(best).text} win points at mixed "
        "tables, where 1.00 is fair.",
        (Section("ladder", "Win points", (mixed, ones)),),
        [asdict(rung) for rung in found.rungs],
        only_rows=True,
    )


def _rung(rung: Rung) -> Cell:
    """Return win points with the longer half of their interval."""
    told = f"{rung.value:.2f} ±{max(rung.value - rung.low, rung.high - rung.value):.2f}"
    return Cell(rung.value, told, rung.low, rung.high)

"""What items are worth: value against cost, prices if they are at hand, and under which variants."""

from __future__ import annotations

from balance.report.evidence import Evidence
from balance.report.formatting import count, text, whole
from balance.report.model import Block, Cell, Heading, Paragraph, Section, Source, Table
from balance.report.query_blocks import records_of


def section(m: Evidence) -> Section | None:
    """Return the chapter; None if the game has no items."""
    lineup = m.item_lineup
    if lineup is None:
        return None
    word, words = m.facts.item, m.facts.items
    if not m.facts.mask("opening"):
        return Section(
            "items",
            words.capitalize(),
            (
                Paragraph(
                    f"Chance deals no {words} before the first decision, so the games do not show what one "
                    "is worth. How often each was acquired, and when:"
                ),
                m.ask("item-acquired", f"How often each {word} was acquired", lineup=lineup),
            ),
        )
    blocks: list[Block] = [
        Paragraph(
            f"The [[value]] of {_a(word)} is what being dealt it at the start is worth, in [[win points]] "
            f"beyond a fair share: 0 is the average {word}. Chance deals, so the difference is caused by the "
            f"{word}, not by the player. In {m.strength_name(lineup)}, each seat counting alike."
        )
    ]
    table = m.ask("item-values", f"All {words} by value", table=True, lineup=lineup)
    if m.facts.item_columns.cost and records_of(table):
        caption = f"Value against cost of all {len(records_of(table))} {words}"
        blocks.append(m.ask("item-values", caption, lineup=lineup))
    return Section("items", words.capitalize(), (*blocks, table, *_prices(m), *_with_variants(m, lineup)))


def _a(word: str) -> str:
    return f"an {word}" if word[:1] in "aeiou" else f"a {word}"


def _prices(m: Evidence) -> list[Block]:
    """Return what `balance price` found, if its result is at hand."""
    word = m.facts.item
    if m.prices is None:
        return [
            Paragraph(
                f"The cost at which {_a(word)} would be an average one was not looked for: balance price "
                "plays games at other costs, and --prices quotes its result here."
            )
        ]
    prices = m.prices
    rows = tuple(
        (
            Cell(one.id, one.name),
            whole(one.cost),
            text(one.under),
            Cell(one.price, one.text, one.low, one.high),
            whole(one.proposed),
        )
        for one in prices.prices
    )
    return [
        Paragraph(" ".join(prices.sentences)),
        Table(
            "prices",
            f"The cost at which each {word} would be an average one, by balance price",
            (
                Heading("item", word.capitalize(), "item"),
                Heading("cost", "Cost", "integer", "As printed."),
                Heading("under", "Played"),
                Heading("price", "Price", "interval", f"At this cost the {word} is worth the average."),
                Heading("proposed", "Proposed", "integer", "Where the printed cost is clearly off."),
            ),
            rows,
            Source(
                f"{count(prices.games, 'game', 'games')} of {prices.players} players",
                "95%, from the costs that were played",
                "",
                prices.command,
            ),
            note="Measured on games of its own, which are not part of these runs.",
            long=True,
        ),
    ]


def _with_variants(m: Evidence, lineup: str) -> list[Block]:
    """Return where items are worth more or less under variants."""
    caption = f"Where {_a(m.facts.item)} is worth more or less under a {m.facts.variant}"
    table = m.ask("item-variants", caption, lineup=lineup)
    rows = records_of(table)
    if not rows:
        return []
    return [
        Paragraph(
            f"{rows[0]['found']:,} of {rows[0]['tests']:,} combinations of {_a(m.facts.item)} and a "
            f"{m.facts.variant} clearly differ from the {m.facts.item} without the {m.facts.variant} "
            "(corrected for all of them)."
        ),
        table,
    ]

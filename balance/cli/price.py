"""`balance price`: at which cost each card would be an average one, and a proposal for all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final

import typer

from balance import games
from balance.cli import diagnostics, gameoptions, output, terminal
from balance.cli.check import wrapped
from balance.cli.help import examples

if TYPE_CHECKING:
    from balance.analysis.pricing import Context, Priced, Prices

__all__ = ["EPILOG", "price"]

EPILOG = examples(
    'balance price "Moon Base" Panacea',
    "balance price --write fair.toml",
    "balance price --players 3 --games 5000 --format csv -o prices.csv",
)
_COLUMNS: Final = (
    "id", "name", "cost", "under", "seats", "value", "value_low", "value_high", "p", "adjusted", "price",
    "low", "high", "beyond", "proposed",
)  # fmt: skip


def price(
    items: Annotated[
        list[str] | None, typer.Argument(metavar="[CARD]...", help="What to price; by default everything.")
    ] = None,
    games_: Annotated[
        int,
        typer.Option(
            "--games",
            metavar="N",
            help="Deals; a card is priced on those in which somebody was dealt it at the start.",
        ),
    ] = 20_000,
    players: gameoptions.PlayersOption = 4,
    lineup: gameoptions.LineupOption = None,
    edition: gameoptions.EditionOption = None,
    seed: Annotated[int, typer.Option(metavar="N", help="The seed of all games.")] = 0,
    catalog: gameoptions.CatalogOption = None,
    write: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the proposed costs as a catalog overlay; not over a file."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="J", min=1, help="Threads that play; by default all cores.")
    ] = None,
    of: gameoptions.OfOption = games.DEFAULT,
    format_: output.FormatOption = None,
    as_json: output.JsonOption = False,
    out: output.OutOption = None,
    force: Annotated[
        bool, typer.Option("--force", help="Let --out and --write replace a file that exists.")
    ] = False,
) -> None:
    """Find the cost at which holding a card is worth what holding the average one is.

    Plays the same deals again at other costs, without variants and under a sample of their combinations, and
    proposes costs for the whole deck, tried on fresh seeds. All cards of Nefarious take about two minutes on
    two idle cores, one card some seconds.
    """
    options = output.options(format_, as_json, out, force)
    overlay = output.options(out=write, force=force, named="--write") if write is not None else None
    from balance.analysis import pricing

    game = games.get(of)
    gameoptions.announce_warm_up(game, replay=False)
    loaded = game.load_catalog(catalog or ())
    gameoptions.warn_of_unfitted_sample(game, loaded, edition)
    expected = pricing.expected_games(game, loaded, items or (), games_)
    with diagnostics.progress("pricing", expected) as line:
        found = pricing.price(
            items or (),
            game=of,
            players=players,
            edition=edition,
            lineup=lineup,
            deals=games_,
            seed=seed,
            catalog=catalog or (),
            jobs=jobs,
            advance=line.advance,
        )
    if options.format in (output.Format.csv, output.Format.parquet):
        output.rows(_rows(found), _COLUMNS, options)
    else:
        output.document("\n".join(_lines(found, options)), _document(found), options)
    if overlay is not None:
        if found.overlay:
            output.text(_overlay(found), overlay)
            diagnostics.say(f"{len(found.proposal)} new costs are in {write}")
        else:
            diagnostics.say(f"nothing is proposed, so {write} is not written")


def _lines(found: Prices, options: output.OutputOptions) -> Iterator[str]:
    """Yield the proposal as sentences, then every price."""
    width = terminal.line_width(output.screen(options))
    for sentence in found.sentences():
        yield from wrapped(sentence, width)
    yield ""
    heads = ["id", "name", "cost", *(f"price, {context.name}" for context in found.contexts), "proposed"]
    cells = [
        [
            str(one.item.id),
            one.item.name,
            str(one.item.cost),
            *(context.priced[place].price.told() for context in found.contexts),
            str(found.proposal.get(one.item.id, "")),
        ]
        for place, one in enumerate(found.contexts[-1].priced)
    ]
    right = [True, False, True, *[False] * len(found.contexts), True]
    if options.format is output.Format.markdown:
        yield output.markdown_line(heads).rstrip("\n")
        yield output.markdown_rule(right).rstrip("\n")
        yield from (output.markdown_line(row).rstrip("\n") for row in cells)
    else:
        yield output.table(heads, cells, right, output.screen(options), bold=False).rstrip("\n")
    yield ""
    yield from wrapped(
        f"{found.games:,} games of {found.players} players ({found.lineup}), {found.edition}, "
        f"seed {found.seed}; {found.deals:,} deals of each kind. Intervals are 95%: at the costs within, "
        "what the average card is worth cannot be excluded.",
        width,
    )


def _rows(found: Prices) -> list[dict[str, object]]:
    return [
        {"id": one.item.id, "name": one.item.name, "cost": one.item.cost, "under": context.name}
        | _priced(one)
        | {"proposed": found.proposal.get(one.item.id)}
        for context in found.contexts
        for one in context.priced
    ]


def _priced(one: Priced) -> dict[str, object]:
    value, low, high = (round(end, 6) for end in one.value)
    return {
        "seats": one.seats,
        "value": value,
        "value_low": low,
        "value_high": high,
        "p": one.p,
        "adjusted": one.adjusted,
        "price": _rounded(one.price.value),
        "low": _rounded(one.price.low),
        "high": _rounded(one.price.high),
        "beyond": one.price.beyond or None,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _document(found: Prices) -> dict[str, object]:
    return {
        "edition": found.edition,
        "players": found.players,
        "lineup": found.lineup,
        "seed": found.seed,
        "deals": found.deals,
        "games": found.games,
        "sentences": found.sentences(),
        "prices": _rows(found),
        "proposal": {str(item): cost for item, cost in found.proposal.items()},
        "overlay": found.overlay,
        "spread": [_spread(context) for context in found.contexts if context.shrunk is not None],
    }


def _spread(context: Context) -> dict[str, object]:
    shrunk = context.shrunk
    assert shrunk is not None
    ends = ("value", "low", "high")
    return {
        "under": context.name,
        "before": {end: round(getattr(shrunk.before, end), 6) for end in ends},
        "after": {end: round(getattr(shrunk.after, end), 6) for end in ends},
        "variance_change": {end: round(getattr(shrunk.change, end), 8) for end in ends},
        "shrinks": shrunk.shrinks,
        "fresh_games": shrunk.games,
    }


def _overlay(found: Prices) -> str:
    head = (
        f"# Costs proposed by balance price: {found.edition}, {found.players} players, {found.lineup}, "
        f"seed {found.seed}, {found.deals} deals.\n"
        "# Lay it over the same catalog with --catalog.\n\n"
    )
    return head + found.overlay

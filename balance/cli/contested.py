"""`balance contested`: what rests on facts that are in doubt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Final

import typer

from balance import games
from balance.cli import diagnostics, gameoptions, output, terminal
from balance.cli.check import wrapped
from balance.cli.help import examples
from balance.games.keys import check_keys

if TYPE_CHECKING:
    from balance.analysis.contested import Contested, Variation, Worth

__all__ = ["EPILOG", "contested"]

EPILOG = examples(
    "balance contested",
    'balance contested "Flying Car" unions --combinations 35',
    "balance contested --json -o contested.json",
)
_COLUMNS: Final = (
    "kind", "id", "name", "confidence", "reading", "sensitivity", "judged", "crosses", "crosses_again",
    "on_the_edge", "value", "rank", "value_then", "rank_then", "change", "change_low", "change_high", "p",
    "adjusted", "others",
)  # fmt: skip


def contested(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Entries in doubt; by default all of them."),
    ] = None,
    games_: Annotated[
        int, typer.Option("--games", metavar="N", help="Games of each cell that is judged.")
    ] = 400,
    combinations: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Combinations that are judged for each entry: a sample, with a variant a sample of its own.",
        ),
    ] = 12,
    players: gameoptions.PlayersOption = 4,
    edition: gameoptions.EditionOption = None,
    seed: Annotated[int, typer.Option(metavar="N", help="The seed of all games.")] = 0,
    catalog: gameoptions.CatalogOption = None,
    thresholds: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="Lay these thresholds over the official ones; repeatable."),
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(metavar="J", min=1, help="Threads that play; by default all cores.")
    ] = None,
    of: gameoptions.OfOption = games.DEFAULT,
    format_: output.FormatOption = None,
    as_json: output.JsonOption = False,
    out: output.OutOption = None,
    force: output.ForceOption = False,
) -> None:
    """Say which verdicts and values would change if facts that are in doubt were otherwise.

    Plays the other readings that are known; where none is, it leaves the entry out or moves its numbers by
    one, and calls that a sensitivity. One entry takes some seconds, everything in doubt minutes.
    """
    options = output.options(format_, as_json, out, force)
    check_keys(seed, games_)
    from balance.analysis import contested as analysis

    game = games.get(of)
    gameoptions.announce_warm_up(game, replay=False)
    loaded = game.load_catalog(catalog or ())
    printed = edition or game.facts.default_edition
    expected = 4 * len(analysis.doubts_of(game, loaded, printed, names or ()))
    gameoptions.warn_of_unfitted_sample(game, loaded, edition)
    with diagnostics.progress("comparing", expected) as line:
        found = analysis.contested(
            names or (),
            game=of,
            players=players,
            edition=edition,
            deals=games_,
            combinations=combinations,
            seed=seed,
            catalog=catalog or (),
            thresholds=thresholds or (),
            jobs=jobs,
            advance=line.advance,
        )
    if options.format in (output.Format.csv, output.Format.parquet):
        output.rows(_rows(found), _COLUMNS, options)
    else:
        output.document("\n".join(_lines(found, options)), _document(found), options)


def _lines(found: Contested, options: output.OutputOptions) -> Iterator[str]:
    width = terminal.line_width(output.screen(options))
    for sentence in found.sentences():
        yield from wrapped(sentence, width)
    for entry in found.entries:
        yield ""
        yield from wrapped(f"{entry.name} ({entry.kind} {entry.id}), {entry.confidence}", width)
        if entry.note:
            yield from wrapped(entry.note, width, "  ")
        for variation in entry.variations:
            kind = "sensitivity, " if variation.sensitivity else "another reading, "
            yield from wrapped(kind + variation.sentence(found.items), width, "  ")
    yield ""
    yield from wrapped(
        f"{found.games:,} games of {found.players} players ({', '.join(found.lineups)}), {found.edition}, "
        f"seed {found.seed}: {found.deals:,} deals of each cell that was judged, {found.valued:,} deals for "
        f"the values of {found.items}, all on common seeds. A verdict crosses its threshold if it is surely "
        "broken on one side and what breaks it is measured within its accepted range on the other, which is "
        "no test of the change, so it was played again on fresh seeds; else it is on the edge. Intervals are "
        "95% of one comparison each. The players have learned what is printed.",
        width,
    )


def _rows(found: Contested) -> list[dict[str, object]]:
    return [
        {
            "kind": entry.kind,
            "id": entry.id,
            "name": entry.name,
            "confidence": entry.confidence,
            "reading": variation.text,
            "sensitivity": variation.sensitivity,
            "judged": variation.judged,
            "crosses": sum(moved.crosses for moved in variation.verdicts),
            "crosses_again": sum(bool(moved.again) for moved in variation.verdicts),
            "on_the_edge": sum(not moved.crosses for moved in variation.verdicts),
            **_worth(variation.own),
            "others": len(variation.others),
        }
        for entry in found.entries
        for variation in entry.variations
    ]


def _worth(own: Worth | None) -> dict[str, object]:
    if own is None:
        return {}
    change = own.change
    return {
        "value": own.before,
        "rank": own.rank_before,
        "value_then": own.after,
        "rank_then": own.rank_after,
        "change": None if change is None else change.value,
        "change_low": None if change is None else change.low,
        "change_high": None if change is None else change.high,
        "p": None if change is None else own.p,
        "adjusted": None if change is None else own.adjusted,
    }


def _document(found: Contested) -> dict[str, object]:
    return {
        "game": found.game,
        "stamp": dict(found.stamp),
        "edition": found.edition,
        "players": found.players,
        "lineups": list(found.lineups),
        "seed": found.seed,
        "deals": found.deals,
        "deals_for_values": found.valued,
        "combinations": found.combinations,
        "games": found.games,
        "tests": found.tests,
        "sentences": found.sentences(),
        "entries": [
            {
                "kind": entry.kind,
                "id": entry.id,
                "name": entry.name,
                "confidence": entry.confidence,
                "meaning": entry.meaning,
                "note": entry.note,
                "variations": [_variation(v, found.items) for v in entry.variations],
            }
            for entry in found.entries
        ],
    }


def _variation(variation: Variation, items: str) -> dict[str, object]:
    return {
        "reading": variation.text,
        "sensitivity": variation.sensitivity,
        "sentence": variation.sentence(items),
        "changes": variation.changes,
        "judged": variation.judged,
        "verdicts": [
            {
                "variants": list(m.variants),
                "before": m.before,
                "after": m.after,
                "crosses": m.crosses,
                "again": m.again,
            }
            for m in variation.verdicts
        ],
        "gone": dict(variation.gone),
        "own": _worth(variation.own) or None,
        "others": [{"id": one.id, "name": one.name, **_worth(one)} for one in variation.others],
    }

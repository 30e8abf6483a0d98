"""What every view and every column of SQL means: the one registry behind comments, `--describe` and the page.

Stored tables and catalog listings bring their meanings with the game; the rest is here, in the words of the
game. Makes no view and reads no rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import balance
from balance.dataset import derived, sql_quote
from balance.dataset.measures import declared, fractions, met_policies
from balance.dataset.schema import combination_columns, stored_table, variant_columns
from balance.games.contract import Game

if TYPE_CHECKING:
    import duckdb

    from balance.dataset.run import Run


class Meaning(NamedTuple):
    """What a view holds, and what its columns mean."""

    view: str
    columns: Mapping[str, str]


_RUN: Final = {
    "run_id": "names the run, wherever it is stored: a digest of the plan",
    "game": "the game",
    "edition": "edition of the game",
    "seed": "seed of all games",
    "parent": "the `run_id` of the run that this one extends",
    "catalog_version": "version of the catalog",
    "catalog_hash": "digest of the catalog's content",
    "policies_hash": "digest of the policies' weights",
    "engine_hash": "digest of the sources that decide rows",
    "version_balance": "version of balance",
    "version_measures": "digest of the declared measures",
    "version_numpy": "version of NumPy",
    "version_numba": "version of Numba",
    "version_polars": "version of polars, which writes the files",
    "cells": "how many cells",
    "games": "how many games",
    "shards": "how many shards",
}
_SUMS: Final = {
    "most": "the greatest value that the figure can have; empty for an amount",
    "num": "sum of the numerators",
    "den": "sum of the denominators",
    "num2": "sum of the squared numerators",
    "den2": "sum of the squared denominators",
    "numden": "sum of numerator times denominator",
}
_SHARED: Final = {
    "deal": "index of the deal; the same index is the same shuffle in every cell",
    "deals": "how many deals",
    "games": "how many games",
    "measure": "the measure, a row of `measures`",
    "metric": "the metric, as on the page about metrics",
    "of": "which seat, action or policy the figure is about; empty if it has no parts",
    "value": "the figure",
    "low": "lower end of its 95% confidence interval",
    "high": "upper end of its 95% confidence interval",
    "item": "id of the item",
    "variants": "ids of the variants in force, sorted",
    "size": "how many variants are in force",
    "win_points": "as many as there are players for a win, 0 for a loss, 1 if nobody won; 1 on average",
    "run": "folder of the run; only where several runs are read together",
}


def meanings(runs: Sequence[Run]) -> dict[str, Meaning]:
    """Return the meaning of every view of runs, those that a question needs most first."""
    game = runs[0].game
    facts = game.facts
    shared = _SHARED | _shared(game)
    found = {
        table.name: Meaning(table.meaning, shared | {column.name: column.meaning for column in table.columns})
        for table in runs[0].tables
    }
    seats = found["seats"].columns
    if facts.holdings:
        found[facts.holdings.name] = Meaning(
            f"one row per seat and {facts.item} that it held: the bit masks of `seats`, unpacked",
            {
                **seats,
                facts.item: f"id of the {facts.item}",
                "how": f"how the seat came to hold it: {', '.join(how for how, _ in facts.holdings.ways)}",
                "first_time": "false if the seat had held it before in another way",
            },
        )
    found["cells"] = Meaning("one row per cell: a set of rules, players and a lineup", shared | _CELLS)
    for table in sorted(balance.DERIVED, reverse=True):
        made = derived.maker(table)
        own = {name: meaning for name, (_, meaning) in made.COLUMNS[table].items() if meaning}
        found[table] = Meaning(made.MEANINGS[table], shared | own)
    found |= {kind.plural: Meaning(kind.meaning, kind.columns) for kind in game.kinds}
    found["policies"] = Meaning(
        "one row per policy that the game names or a lineup seats",
        {"policy": "the policy, as in `seats`", "number": "its number inside the engine"},
    )
    ordered = {"ordered": f"whether each order of {facts.variants} is a cell of its own"}
    found["run"] = Meaning("one row per run: the head of its plan", _SHARED | _RUN | ordered)
    return found | {name: Meaning(view, shared | own) for name, (view, own) in _figures(runs).items()}


def _shared(game: Game[Any, Any]) -> dict[str, str]:
    """Return what a cell fixes, which views repeat in every row, and the names that they put beside ids."""
    facts = game.facts
    stored = {column.name: column.meaning for column in stored_table(facts, "games").columns}
    played, sorted_ = variant_columns(facts), combination_columns(facts)
    stalled = facts.table("games").column("stalled").name
    found = {name: stored[name] for name in ("cell_id", "edition", "players", *sorted_, "lineup", stalled)}
    for k, name in enumerate(played):
        found[name] = f"{facts.variant} {k + 1} in the order played; empty where every deal draws the order"
    return found | {f"{name}_name": f"the name of `{name}`" for name in (*sorted_, *played, facts.item)}


_CELLS: Final = {
    "cell_id": "the cell",
    "lineup": "which policy plays which seat",
    "first_index": "the first game index that this run plays",
    "deals": "how many game indices it plays; 0 if only an earlier run of the family has",
    "replicates": "games of each deal, rotations of the lineup included",
}


def _figures(runs: Sequence[Run]) -> dict[str, tuple[str, dict[str, str]]]:
    """Return the views of sums and metrics: what each holds, and the columns that no other view has."""
    game = runs[0].game
    word, item = game.facts.variant, game.facts.item
    measures = declared(game.facts, met_policies(game, [cell for run in runs for cell in run.plan.cells]))
    sums = {}
    for part in fractions(measures):
        of = f", {part.of}" if part.of else ""
        sums[part.num] = f"numerator of `{part.measure.name}`{of}: {part.measure.title}"
        if part.den:
            sums.setdefault(part.den, f"denominator of `{part.measure.name}`{of}")
    parts = {"num": "numerator of the figure", "den": "denominator of the figure"}
    versus = {
        "x": f"win points of seats that were dealt it, with the {word}",
        "y": f"how many seats were dealt it, with the {word}",
        "u": f"win points of seats that were dealt it, without the {word}",
        "v": f"how many seats were dealt it, without the {word}",
    }
    common = {
        "x": "sum of the numerators of the cell",
        "y": "sum of its denominators",
        "u": "sum of the numerators of the base game",
        "v": "sum of its denominators",
    }
    products = {a + b: f"sum of {a} times {b} over the deals" for a in "xy" for b in "uv"}
    return {
        "metrics": ("one row per cell and metric, with its interval", {}),
        "deals": ("one row per cell and deal: the sums of all declared measures", sums),
        "metric_list": (
            "one row per metric: what it is called",
            {
                "title": "what it measures, in words",
                "form": "how it is printed: `share`, `rounds` or `number`",
                "atlas": "whether the atlas of reports offers it",
                "place": "its place among all metrics, the plainest first",
            },
        ),
        "lineup_deals": (
            "one row per lineup, players and deal: `deals` summed up over all combinations",
            sums,
        ),
        "lineup_figures": (
            "`lineup_deals` with one row per figure",
            parts,
        ),
        "variant_deals": (
            f"one row per lineup, players, {word}, size and deal: `deals` summed up over its combinations",
            {"variant": f"id of the {word}, alone or with others"} | sums,
        ),
        "variant_figures": (
            "`variant_deals` with one row per figure",
            {"variant": f"id of the {word}, alone or with others"} | parts,
        ),
        "telling_games": (
            "one row per cell: games worth looking at",
            {
                "typical": "the first game of middle length",
                "middle": "the length in the middle, the upper one of two",
                "stalled": "the first game that nobody wins",
            },
        ),
        "designs": (
            "one row per cell: what replayed deals say about length",
            {"effect": "how many times fewer independent games would say as much; at least 1"},
        ),
        **({"interactions": _interactions(word)} if len(combination_columns(game.facts)) > 1 else {}),
        "measures": (
            "one row per declared measure: its title and the SQL that makes it",
            {
                "measure": "name of the measure",
                "title": "what it measures, in words",
                "kind": "`share`, `mean` or `points` (win points)",
                "numerator": "SQL of the numerator, for one game",
                "denominator": "SQL of the denominator, for one game",
                "of": "what it is measured for, one figure each: actions, seats, policies",
            },
        ),
        "lengths": (
            "one row per cell and length: how many games last that long",
            {"length": "length of a game in rounds"},
        ),
        "luck": (
            "one row per cell whose deals were replayed: the part of winning that the deal decides",
            {"error": "standard error of the figure"},
        ),
        "cell_tables": (
            "one row per cell: its lineup and players as one number, which is quick to group by",
            {"table_id": "the first cell with the same lineup and players"},
        ),
        "combinations": (
            f"one row per cell: its {game.facts.variants} as a list",
            {"variants": f"ids of the {game.facts.variants}, sorted", "size": "how many there are"},
        ),
        "item_list": (
            f"one row per {item}: as printed, with its bit in the masks",
            {
                "item_name": "its name",
                "cost": "printed cost",
                "score": "printed points",
                "word": "which column of the mask: 0 for the first 64 items",
                "place": "the number of its bit in that column, from 0",
                "bit": "that bit, as a list of one number",
            },
        ),
        "item_deals": (f"one row per lineup, players, deal and {item}: the seats that held it", _ITEM_DEALS),
        "item_openings": (
            f"one row per lineup, players, deal and {item}: the seats that were dealt it",
            _ITEM_DEALS,
        ),
        "item_versus": (
            f"one row per lineup, players, {word}, deal and {item}: seats with and without the {word}",
            {"variant": f"id of the {word}"} | versus,
        ),
        "metric_sums": ("one row per cell and figure: sums over deals, which add up", _SUMS),
        "metric_items": (f"`metric_sums` of the win points of seats that were dealt each {item}", _SUMS),
        "metric_pools": (
            "`metric_sums` of seats and items by number of players: deals are put together over all cells",
            {"dry": "whether the deck runs dry in most games of these cells"} | _SUMS,
        ),
        "metric_pairs": (
            "one row per cell and measure: sums over the deals that it shares with the base game",
            {"base_id": f"the cell without {game.facts.variants}"} | common | products,
        ),
    }


def _interactions(word: str) -> tuple[str, dict[str, str]]:
    return (
        f"one row per pair and figure: what it does beyond each {word} alone, on deals of all four cells",
        {
            "scale": "`log`: the logarithm of a factor; `points`: a difference",
            "atlas": "whether reports compare it in every pair",
            "error": "standard error of the figure",
            "with_both": "sum of the numerators of the pair",
            "first_alone": f"the same of its first {word} alone",
            "second_alone": f"the same of its second {word} alone",
            "with_none": "the same of the base game",
            **{name: meaning for name, meaning in _SUMS.items() if name != "most"},
        },
    )


_ITEM_DEALS: Final = {
    "opening": "seats that were dealt it at the start",
    "opening_points": "their win points",
    "drawn": "seats that drew it later",
    "drawn_points": "their win points",
    "built": "times it was built",
    "built_points": "win points of the seats that built it",
    "built_opening": "times it was built by a seat that was dealt it at the start",
    "rounds": "sum of the rounds in which it was built",
    "paid": "sum of what was paid for it",
}


def comment(con: duckdb.DuckDBPyConnection, known: Mapping[str, Meaning]) -> None:
    """Put the meanings on the views, tables and columns that a connection has in its current database."""
    there = con.execute(
        "select table_name, column_name from duckdb_columns() "
        "where database_name = current_database() and not internal"
    ).fetchall()
    tables = {name for (name,) in con.execute("select table_name from duckdb_tables()").fetchall()}
    texts = {}
    for view, column in there:
        if view in known:
            kind = "table" if view in tables else "view"
            texts[f"{kind} {sql_quote.name(view)}"] = known[view].view
            if column in known[view].columns:
                texts[f"column {sql_quote.name(view, column)}"] = known[view].columns[column]
    con.execute(";\n".join(f"comment on {what} is {sql_quote.text(text)}" for what, text in texts.items()))

"""The measures of a game: those that follow from the roles of its columns, and its own; and its metrics.

Declarations only, as SQL text; `balance.dataset.deals` sums them up over the games of a deal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from balance.dataset import sql_quote
from balance.dataset.plan import PlannedCell
from balance.dataset.schema import stored_table
from balance.games.contract import Facts, Game
from balance.games.lineup import parse_lineup
from balance.games.measures import Beyond, Compared, From, Measure

DEFICITS: Final = ((1, 1), (2, 3), (4, 7), (8, 15), (16, 2**31 - 1))
"""Points behind the leader at half-time, in classes, both ends included."""
DECLARED: Final = "measures"
"""Where a plan keeps the digest of the declarations, among its versions."""
CONSTANT: Final = {"1": "games", "players": "games * players"}
"""Denominators that every game of a cell has alike, as SQL over a row of `deals`."""


@dataclass(frozen=True, slots=True)
class Fraction:
    """One figure of a measure, and its columns in `deals`."""

    measure: Measure
    of: str
    num: str
    den: str
    num_sql: str
    den_sql: str

    @property
    def numerator(self) -> str:
        """The numerator as SQL over a row of `deals`."""
        return sql_quote.name(self.num)

    @property
    def denominator(self) -> str:
        """The denominator as SQL over a row of `deals` with the players of its cell."""
        return sql_quote.name(self.den) if self.den else CONSTANT[self.den_sql]


def declared(facts: Facts, policies: Sequence[str] = ()) -> tuple[Measure, ...]:
    """Return all measures of a game; `policies` are those that meet others in some lineup."""
    return (*_of_games(facts), *_of_seats(facts), *_of_policies(facts, policies), *facts.declared)


def fractions(measures: Iterable[Measure]) -> list[Fraction]:
    """Return every figure of measures, each with its columns; equal denominators share a column."""
    found: list[Fraction] = []
    columns: dict[str, str] = dict.fromkeys(CONSTANT, "")
    for measure in measures:
        for of, one in measure.each():
            num = f"{measure.name}_{of}" if of else measure.name
            den = columns.setdefault(one.den, f"{measure.name if measure.den == one.den else num}_of")
            found.append(Fraction(measure, of, num, den, one.num, one.den))
    return found


def met_policies(game: Game[Any, Any], cells: Iterable[PlannedCell]) -> tuple[str, ...]:
    """Return the policies of all lineups in which different ones meet, in the game's order."""
    met: set[str] = set()
    for players, lineup in {(cell.players, cell.lineup) for cell in cells}:
        seated = parse_lineup(lineup, players, game)
        met |= set(seated.policies) if seated.mixed else set()
    order = {name: k for k, name in enumerate(game.facts.policies)}
    return tuple(sorted(met, key=lambda name: (order.get(name, len(order)), name)))


def mixed_cells(game: Game[Any, Any], cells: Iterable[PlannedCell]) -> list[int]:
    """Return the cells in which different policies meet."""
    mixed = cache(lambda players, lineup: parse_lineup(lineup, players, game).mixed)
    return [cell.id for cell in cells if mixed(cell.players, cell.lineup)]


# --- what follows from roles


def _role(facts: Facts, table: str, role: str) -> str:
    return sql_quote.name(stored_table(facts, table).column(role).name)


def _of_games(facts: Facts) -> list[Measure]:
    length, stalled = (_role(facts, "games", role) for role in ("length", "stalled"))
    found = [
        Measure(
            "mean_length",
            "mean length in rounds",
            num=length,
            kind="mean",
            compared="length",
            sentence="Games last {x} rounds on average",
            multiple=Compared(
                "length_ratio",
                "mean length, as a multiple of that without variants",
                "Games last {x} times as long as without",
                atlas=True,
            ),
            beyond=Beyond("length", atlas=True),
        ),
        Measure(
            "stalls",
            "share of games that nobody wins",
            num=stalled,
            compared="length",
            sentence="Nobody wins {x} of the games",
            beyond=Beyond("games that nobody wins", atlas=True),
            atlas=True,
        ),
    ]
    if facts.measures.lead_changes:
        found.append(
            Measure(
                "no_lead_change",
                "share of games in which the lead never changes",
                num=f"{sql_quote.name(facts.measures.lead_changes)} = 0",
                compared="play",
                sentence="In {x} of the games the lead never changes hands",
                beyond=Beyond("games in which the lead never changes", atlas=True),
                atlas=True,
            )
        )
    return found


def _of_seats(facts: Facts) -> list[Measure]:
    winner, stalled = (_role(facts, "games", role) for role in ("outcome", "stalled"))
    seats = range(facts.players[1])
    found = [
        Measure(
            "seat",
            "win points of a seat",
            num=f"if({stalled}, 1, if({winner} = {{of}}, players, 0))",
            kind="points",
            of=tuple(map(str, seats)),
            compared="winning",
            sentence="Seat {of} gets {x} win points (1 is fair)",
            beyond=Beyond("win points of seat {of}"),
            neutral=1.0,
        )
    ]
    if not facts.measures.half_score:
        return found
    seat, half = _role(facts, "seats", "seat"), sql_quote.name(facts.measures.half_score)
    each = [f"half_{k}" for k in seats]
    leaders = " + ".join(f"coalesce(({one} = top_half)::int, 0)" for one in each)
    picked = " ".join(f"when {k} then {one}" for k, one in enumerate(each))
    columns = (
        *(From("seats", one, f"max({half}) filter ({seat} = {k})") for k, one in enumerate(each)),
        From("", "top_half", f"greatest({', '.join(each)})"),
        From("", "winner_half", f"case {winner} {picked} end"),
        From("", "sole_leader", f"{leaders} = 1"),
    )
    found.append(
        Measure(
            "half_leader",
            "share of games that the sole leader at half-time wins",
            num="sole_leader and winner_half = top_half",
            den="sole_leader",
            columns=columns,
            compared="winning",
            sentence="The sole leader at half-time wins {x} of the games",
            atlas=True,
        )
    )
    behind = {
        str(low): [f"coalesce((top_half - {one} between {low} and {high})::int, 0)" for one in each]
        for low, high in DEFICITS
    }
    classes = (
        *(
            From("", f"back_{low}", f"top_half - winner_half between {low} and {high}")
            for low, high in DEFICITS
        ),
        *(From("", f"behind_{low}", " + ".join(terms)) for low, terms in behind.items()),
    )
    found.append(
        Measure(
            "comeback",
            "chance of winning for a seat this many points behind at half-time",
            num="back_{of}",
            den="behind_{of}",
            of=tuple(behind),
            columns=(*columns, *classes),
            compared="play",
            sentence="A seat that is {of} points or a little more behind at half-time wins {x} of the games",
        )
    )
    return found


def _of_policies(facts: Facts, policies: Sequence[str]) -> list[Measure]:
    if not policies:
        return []
    seat, policy = (_role(facts, "seats", role) for role in ("seat", "policy"))
    winner, stalled = (_role(facts, "games", role) for role in ("outcome", "stalled"))
    masks = tuple(
        From(
            "seats", f"mask_{k}", f"bit_or(if({policy} = {sql_quote.text(name)}, 1 << {seat}, 0))", mixed=True
        )
        for k, name in enumerate(policies)
    )
    won = f"coalesce((mask_{{k}} >> {winner}) & 1, 0)"
    left, right = (f"((mask_{{k}} >> (({winner} + {step}) % players)) & 1)" for step in ("1", "players - 1"))
    points = Measure(
        "win_points",
        "win points of a policy among the others",
        num=f"if({stalled}, bit_count(mask_{{k}}), players * {won})",
        den="bit_count(mask_{k})",
        kind="points",
        of=tuple(policies),
        columns=masks,
        compared="winning",
        sentence="{of} gets {x} win points among the others (1 is fair)",
        beyond=Beyond("win points of {of}"),  # seats draw their policies from seeds: alike in all cells
        neutral=1.0,
        compares=True,
    )
    # with three players everybody is a neighbour: nothing to compare
    compared = f"players > 3 and not {stalled}"
    neighbour = Measure(
        "neighbour",
        "wins beside a policy, as a multiple of chance",
        num=f"if({compared}, (players - 1) * ({left} + {right}), 0)",
        den=f"if({compared}, 2 * (bit_count(mask_{{k}}) - {won}), 0)",
        kind="points",
        of=tuple(policies),
        columns=masks,
        compared="play",
        sentence="Sitting beside {of} wins {x} times as often as chance",
        most="(players - 1) / 2",
        neutral=1.0,
    )
    return [points, neighbour]


# --- metrics: what is known of a cell


@dataclass(frozen=True, slots=True)
class Metric:
    """One thing to know about a cell."""

    name: str
    title: str
    sentence: str = ""
    """With `{x}` for the figure and `{of}` for what it is of."""
    form: str = "number"
    neutral: float | None = None
    """The value that says "nothing special" where there is one: thresholds are margins around it."""
    compares: bool = False
    """Whether it compares policies: it is judged at tables where different ones meet."""
    mixed: bool = False
    atlas: bool = False
    things: tuple[str, ...] = ()
    measure: str = ""
    """The measure whose sums per deal it follows; empty if it is not a figure of a deal."""
    plain: str = ""
    """Of a multiple: the sentence of what is compared."""
    compared: str = ""
    """What a comparison shows it under, if it does: `length`, `winning` or `play`."""
    order: int = 0


_LENGTH: Final = "mean_length"
_LENGTHS: Final = (
    Metric(
        "length",
        "median length in rounds",
        "Games last {x} rounds (median)",
        "rounds",
        atlas=True,
        measure=_LENGTH,
    ),
    Metric(
        "length_short",
        "length in rounds that 5% of games stay below",
        "One game in twenty is over within {x} rounds",
        "rounds",
        measure=_LENGTH,
    ),
    Metric(
        "length_long",
        "length in rounds that 5% of games exceed",
        "One game in twenty lasts {x} rounds or more",
        "rounds",
        atlas=True,
        measure=_LENGTH,
    ),
)
_SKILL: Final = Metric(
    "skill",
    "win points of the usual player among the others",
    "A player who weighs the options gets {x} win points among the others (1 is fair)",
    neutral=1.0,
    compares=True,
    atlas=True,
    measure="win_points",
)
_LUCK: Final = Metric(
    "luck", "part of winning that the deal decides", "The deal decides {x} of who wins", "share", mixed=True
)
_ITEM: Final = Metric(
    "item",
    "win points of a seat that was dealt an item",
    "A seat that was dealt {of} gets {x} win points (1 is fair)",
    neutral=1.0,
)


@cache
def metrics_of(facts: Facts) -> dict[str, Metric]:
    """Return all metrics of a game by name, the plainest first."""
    found = list(_LENGTHS)
    for measure in declared(facts, facts.policies):
        if measure.multiple:
            name, title, sentence, atlas = measure.multiple
            made = Metric(name, title, sentence, neutral=1.0, atlas=atlas, measure=measure.name)
            found.append(replace(made, plain=measure.sentence))
        found.append(
            Metric(
                measure.name,
                measure.title,
                measure.sentence,
                "share" if measure.limit == "1" else "number",
                measure.neutral,
                measure.compares,
                atlas=measure.atlas,
                things=measure.of,
                measure=measure.name,
                compared=measure.compared,
            )
        )
        if measure.name == "win_points":
            found += [_SKILL, _LUCK]
    if facts.mask("opening"):
        found.append(_ITEM)
    return {metric.name: replace(metric, order=k) for k, metric in enumerate(found)}

"""Does a game keep the contract? One check for every registered game, ours and those of other packages.

It plays some games of some cells and compares everything that the contract promises: facts, columns,
replays. Knows no game: it finds columns by their role.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from balance.errors import BalanceError, CatalogError, UsageError
from balance.games.contract import ROLES, Adjustable, Event, Explaining, Facts, Game, Table
from balance.games.keys import HIGHEST_GAME, HIGHEST_SEED
from balance.games.lineup import parse_lineup

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Batch = dict[str, dict[str, npt.NDArray[np.generic]]]

AnyGame = Game[Any, Any]

NEEDED_ROLES: Final = {
    "games": ("index", "replicate", "length", "outcome", "stalled"),
    "seats": ("game", "seat", "policy", "won", "score"),
}
"""The tables that every game writes, and what code that does not know the game looks for in them."""
_TYPES: Final = ("bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)))
_NOT_A_NAME: Final = "no-such-name-at-all"


class CellName(NamedTuple):
    """A cell by its names."""

    edition: str
    players: int
    variants: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.edition}, {self.players} players, {' + '.join(self.variants) or 'no variant'}"


class ConformanceError(BalanceError):
    """A game that does not keep the contract; carries every failure found."""

    def __init__(self, game: str, failures: Sequence[str]) -> None:
        self.failures = tuple(failures)
        super().__init__("\n".join([f"the game '{game}' does not keep the contract:", *self.failures]))


@dataclass
class Report:
    """What was looked at."""

    game: str
    cells: int = 0
    games: int = 0
    rounds: int = 0
    failures: list[str] = field(default_factory=list)


def check_game(
    game: AnyGame,
    *,
    games_per_cell: int = 3,
    cells: Iterable[CellName] | None = None,
    seed: int = 1,
) -> Report:
    """Check that a game keeps the contract; ConformanceError lists everything that does not.

    Without `cells` a sample is taken: every edition, every number of players, every variant, some pairs.
    """
    report = Report(game.name)
    report.failures += _collected("facts", _facts(game))
    if not report.failures:
        report.failures += _collected("catalog", _catalog(game))
        report.failures += _collected("wrong input", _refusals(game))
        report.failures += _collected("changes", _changes(game))
        for name in sample_cells(game) if cells is None else cells:
            report.failures += _collected(str(name), _cell(game, name, games_per_cell, seed, report))
    if report.failures:
        raise ConformanceError(game.name, report.failures)
    return report


def _changes(game: AnyGame) -> Iterator[str]:
    """Compare changed catalogs with what was changed, and with the overlays that make the same change."""
    if not isinstance(game, Adjustable):
        return
    catalog = game.load_catalog()
    if game.overlay_text(catalog, catalog):
        yield "a catalog differs from itself"
    for kind in (kind for kind in game.kinds if kind.name in (game.facts.item, game.facts.variant)):
        for row in game.rows(catalog, kind):
            yield from _changed(game, game, catalog, kind.name, str(row["id"]))
    if isinstance(game, Explaining):
        yield from _parts(game, game, catalog)


def _parts(game: AnyGame, explaining: Explaining, catalog: Any) -> Iterator[str]:
    edition = game.facts.default_edition
    for variant in game.variants(catalog, edition):
        for part in explaining.parts(catalog, edition, variant):
            if not part.words or part.catalog.hash == catalog.hash:
                yield f"{game.facts.variant} {variant}: a rule has no words, or nothing changes without it"


def _changed(game: AnyGame, adjusted: Adjustable, catalog: Any, kind: str, id_: str) -> Iterator[str]:
    costs = game.facts.item_columns.cost
    numbers = adjusted.numbers(catalog, kind, id_)
    if kind == game.facts.item and costs and costs not in [number.path for number in numbers]:
        yield f"{kind} {id_} has no number {costs}"
    for number in numbers:
        value = number.value + 1 if number.value < number.high else number.value - 1
        try:
            changed = adjusted.with_number(catalog, kind, id_, number.path, value)
        except CatalogError:
            continue  # it does not go with the rest of the entry
        now = {n.path: n.value for n in adjusted.numbers(changed, kind, id_)}.get(number.path)
        if now != value:
            yield f"{kind} {id_}: {number.path} is {now} after it was changed to {value}"
        if _overlaid(game, adjusted.overlay_text(catalog, changed)).hash != changed.hash:
            yield f"{kind} {id_}: the overlay of a changed {number.path} makes another catalog"


def _overlaid(game: AnyGame, text: str) -> Any:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "overlay.toml"
        file.write_text(text, encoding="utf-8")
        return game.load_catalog([file])


def _collected(where: str, failures: Iterator[str]) -> list[str]:
    """Return what a check found; a game that breaks in one check must not hide the others."""
    found: list[str] = []
    try:
        found.extend(f"{where}: {failure}" for failure in failures)
    except Exception as error:  # noqa: BLE001 - whatever a stranger's game raises
        found.append(f"{where}: {type(error).__name__}: {error}")
    return found


def sample_cells(game: AnyGame, pairs: int = 8) -> list[CellName]:
    """Return some cells of a game: every edition, number of players and variant, and some pairs."""
    facts = game.facts
    catalog = game.load_catalog()
    low, high = facts.players
    sizes = list(range(low, high + 1))
    found = [CellName(edition, players) for edition in facts.editions for players in sizes]
    seen: set[str] = set()
    for edition in facts.editions:
        variants = game.variants(catalog, edition)
        if facts.variants_at_once >= 1:
            new = [variant for variant in variants if variant not in seen]
            found += [CellName(edition, sizes[k % len(sizes)], (variant,)) for k, variant in enumerate(new)]
            seen.update(new)
        if facts.variants_at_once >= 2:
            found += islice(_pairs(edition, sizes, variants), pairs)
    return found


def _pairs(edition: str, sizes: Sequence[int], variants: Sequence[str]) -> Iterator[CellName]:
    """Yield pairs in which every variant occurs before any occurs often."""
    for distance in range(1, len(variants)):
        for k, variant in enumerate(variants):
            yield CellName(
                edition, sizes[k % len(sizes)], (variant, variants[(k + distance) % len(variants)])
            )


# --- facts and catalog ------------------------------------------------------------------------------------


def _facts(game: AnyGame) -> Iterator[str]:
    facts = game.facts
    low, high = facts.players
    if not 1 <= low <= high:
        yield f"players {facts.players}: expected the fewest and the most"
    if facts.default_edition not in facts.editions:
        yield f"the default edition '{facts.default_edition}' is none of {facts.editions}"
    if facts.round_limit < 1:
        yield f"round_limit {facts.round_limit}: without a limit random play may never end"
    if facts.variants_at_once < 0:
        yield f"variants_at_once {facts.variants_at_once}"
    for name in ("editions", "actions", "policies"):
        yield from _distinct(name, getattr(facts, name))
    for word in ("title", "variant", "variants", "item", "items"):
        if not getattr(facts, word):
            yield f"the word '{word}' is empty"
    for kind in (facts.variant, facts.item):
        if kind not in [k.name for k in game.kinds]:
            yield f"the catalog has no kind '{kind}'"
    try:
        for players in range(low, high + 1):
            for lineup in (facts.default_lineup, *facts.default_sweep_lineups):
                parse_lineup(lineup, players, game)
    except UsageError as error:
        yield f"default lineups: {error}"
    yield from _policies(game)
    yield from _distinct("tables", [table.name for table in facts.tables])
    for table in facts.tables:
        yield from _table(table)
    for name, roles in NEEDED_ROLES.items():
        yield from _needed(facts, name, roles)
    yield from _measures(facts)
    yield from _item_columns(game)
    yield from _held(facts)


def _policies(game: AnyGame) -> Iterator[str]:
    """Yield the policies whose names and numbers do not lead to each other."""
    for name in (*game.facts.policies, *game.facts.field):
        try:
            back = game.policy_name(game.policy_number(name))
        except UsageError as error:
            yield f"the policy '{name}' is not known: {error}"
            continue
        if back != name:
            yield f"the policy '{name}' has the number of '{back}'"


def _distinct(what: str, names: Sequence[str]) -> Iterator[str]:
    if not names:
        yield f"{what} is empty"
    if len(set(names)) != len(names):
        yield f"{what} names something twice: {list(names)}"


def _needed(facts: Facts, name: str, roles: Sequence[str]) -> Iterator[str]:
    if name not in [table.name for table in facts.tables]:
        yield f"the table {name} is missing"
        return
    has = [column.role for column in facts.table(name).columns]
    for role in roles:
        if role not in has:
            yield f"the table {name} has no column with the role {role}"


def _measures(facts: Facts) -> Iterator[str]:
    """Yield the columns for metrics that no table has."""
    named = facts.measures
    for table, names in (("games", (named.lead_changes,)), ("seats", (named.half_score,))):
        has = [column.name for t in facts.tables if t.name == table for column in t.columns]
        yield from (f"the table {table} has no column {name}" for name in names if name and name not in has)


def _item_columns(game: AnyGame) -> Iterator[str]:
    """Yield the columns for the value of items that no table or listing has."""
    facts, named = game.facts, game.facts.item_columns
    listed = [name for kind in game.kinds if kind.name == facts.item for name in kind.columns]
    for name in (named.cost, named.score):
        if name and name not in listed:
            yield f"the listing of {facts.items} has no column {name}"
    acquired = [t for t in facts.tables if any(column.role == "item" for column in t.columns)]
    if named.paid and not any(column.name == named.paid for t in acquired for column in t.columns):
        yield f"no table with the role item has a column {named.paid}"


def _held(facts: Facts) -> Iterator[str]:
    """Yield what is wrong with the masks of items that seats held."""
    if facts.holdings is None:
        return
    types = {column.name: column.type for t in facts.tables if t.name == "seats" for column in t.columns}
    if facts.holdings.name in [table.name for table in facts.tables]:
        yield f"holdings are called like the table {facts.holdings.name}"
    yield from _distinct("the ways of holdings", [how for how, _ in facts.holdings.ways])
    for how, columns in facts.holdings.ways:
        wrong = [name for name in columns if types.get(name) != "uint64"]
        if wrong or not columns:
            yield f"the mask of holdings '{how}' needs columns of seats of type uint64, found {wrong}"
    if len({len(columns) for _, columns in facts.holdings.ways}) > 1:
        yield "masks of holdings with different numbers of words cannot be of the same items"


def _table(table: Table) -> Iterator[str]:
    yield from _distinct(f"the table {table.name}", [column.name for column in table.columns])
    if table.name != "games" and "game" not in [column.role for column in table.columns]:
        yield f"the table {table.name} does not point to its game: no column with the role game"
    for column in table.columns:
        where = f"the column {table.name}.{column.name}"
        if column.role not in ROLES:
            yield f"{where} has the unknown role '{column.role}'"
        if column.type not in _TYPES:
            yield f"{where} has the type '{column.type}'; possible: {', '.join(_TYPES)}"
        if not table.meaning or not column.meaning:
            yield f"{where} or its table has no meaning written down"


def _catalog(game: AnyGame) -> Iterator[str]:
    catalog = game.load_catalog()
    if game.load_catalog().hash != catalog.hash:
        yield "loaded twice, it has two hashes"
    with TemporaryDirectory() as folder:
        file = Path(folder) / "catalog.toml"
        file.write_text(game.catalog_text(catalog), encoding="utf-8")
        if game.read_catalog(file).hash != catalog.hash:
            yield "written down and read again, it is another one"
    if not game.engine_hash() or game.engine_hash() != game.engine_hash():
        yield "the engine has no hash, or two"
    kinds = {kind.name: kind for kind in game.kinds}
    for kind in kinds.values():
        for row in game.rows(catalog, kind):
            if not set(kind.columns) <= set(row):
                yield f"a row of {kind.plural} lacks a column: {sorted(set(kind.columns) - set(row))}"
                break
    if game.diff(catalog, catalog):
        yield "it differs from itself"
    for edition in game.facts.editions:
        variants = game.variants(catalog, edition)
        if len(set(variants)) != len(variants):
            yield f"{edition} has a {game.facts.variant} twice"
        for variant in variants:
            entries = [e for e in game.find(catalog, variant) if e.kind == game.facts.variant]
            if [entry.id for entry in entries] != [variant]:
                yield f"the {game.facts.variant} '{variant}' of {edition} is not found by its id: {entries}"
            elif not game.describe(catalog, entries[0]).sections:
                yield f"the {game.facts.variant} '{variant}' is not described"


# --- wrong input ------------------------------------------------------------------------------------------


def _refusals(game: AnyGame) -> Iterator[str]:
    """Ask for what cannot be, and expect a UsageError each time."""
    facts = game.facts
    catalog = game.load_catalog()
    edition, low, high = facts.default_edition, *facts.players
    variants = game.variants(catalog, edition)
    cell = game.compile(catalog, edition, low)
    lineup = parse_lineup(facts.default_lineup, low, game)
    seats, seated = lineup.names(1, 0), lineup.seated(1, [0])
    asked: dict[str, Callable[[], object]] = {
        "an unknown edition": lambda: game.compile(catalog, _NOT_A_NAME, low),
        "the variants of an unknown edition": lambda: game.variants(catalog, _NOT_A_NAME),
        "too few players": lambda: game.compile(catalog, edition, low - 1),
        "too many players": lambda: game.compile(catalog, edition, high + 1),
        "an unknown variant": lambda: game.compile(catalog, edition, low, [_NOT_A_NAME]),
        "too many variants": lambda: game.compile(
            catalog, edition, low, (list(variants) * 99)[: facts.variants_at_once + 1]
        ),
        "a name that is not in the catalog": lambda: game.find(catalog, _NOT_A_NAME),
        "an overlay that does not exist": lambda: game.load_catalog([f"{_NOT_A_NAME}.toml"]),
        "an unknown policy": lambda: game.policy_number(_NOT_A_NAME),
        "a number that no policy has": lambda: game.policy_name(-1),
        "a number that no policy has in a game": lambda: game.play(cell, 1, [0], seated - 1 - seated.max()),
        "an unknown policy in a replay": lambda: game.replay(cell, 1, 0, [_NOT_A_NAME] * low),
        "too few policies": lambda: game.play(cell, 1, [0], seated[:, :-1]),
        "too few policies in a replay": lambda: game.replay(cell, 1, 0, seats[:-1]),
        "a negative seed": lambda: game.play(cell, -1, [0], seated),
        "a seed beyond the range": lambda: game.replay(cell, HIGHEST_SEED + 1, 0, seats),
        "a game index beyond the range": lambda: game.play(cell, 1, [HIGHEST_GAME + 1], seated),
        "a negative game index": lambda: game.replay(cell, 1, -1, seats),
    }
    if facts.variants_at_once >= 2:
        asked["the same variant twice"] = lambda: game.compile(catalog, edition, low, [variants[0]] * 2)
    for what, ask in asked.items():
        try:
            ask()
        except UsageError as error:
            if not str(error).strip():
                yield f"{what} is refused without a word"
        except Exception as error:  # noqa: BLE001 - that it is another one is the failure
            yield f"{what} ends in {type(error).__name__}: {error}"
        else:
            yield f"{what} is accepted"


# --- cells ------------------------------------------------------------------------------------------------


def _cell(game: AnyGame, name: CellName, games: int, seed: int, report: Report) -> Iterator[str]:
    report.cells += 1
    cell = game.compile(game.load_catalog(), name.edition, name.players, name.variants)
    if cell.players != name.players:
        yield f"the compiled cell has {cell.players} players"
    # far apart, and a multiple of ten: tables may keep some games only
    indices = [10 * k + k % 2 for k in range(games)]
    lineups = [_lineup(game.facts, name.players, k) for k in range(games)]
    seated = _seated(game, lineups)
    batch = game.play(cell, seed, indices, seated)
    shape = list(_shape(game.facts, batch))
    yield from shape
    if shape:
        return
    yield from _ranges(game.facts, batch, indices, seated)
    yield from _reproduced(game, cell, seed, indices, seated, batch)
    for row, (index, policies) in enumerate(zip(indices, lineups, strict=True)):
        events = game.replay(cell, seed, index, policies)
        report.games += 1
        report.rounds += sum(event["event"] == "round" for event in events)
        for failure in _replayed(game, cell, events, _rows(game.facts, batch, row)):
            yield f"game {index}: {failure}"


def _lineup(facts: Facts, players: int, number: int) -> list[str]:
    """Return policies that rotate through the seats, so that each is seen on each."""
    return [facts.policies[(number + seat) % len(facts.policies)] for seat in range(players)]


def _seated(game: AnyGame, lineups: Sequence[Sequence[str]]) -> "npt.NDArray[np.int64]":
    import numpy as np

    return np.array([[game.policy_number(name) for name in names] for names in lineups], np.int64)


def _shape(facts: Facts, batch: "Batch") -> Iterator[str]:
    """Yield how the columns differ from the declared schema."""
    declared = [table.name for table in facts.tables]
    if list(batch) != declared:
        yield f"the tables are {list(batch)}, declared {declared}"
        return
    for table in facts.tables:
        columns = batch[table.name]
        names = [column.name for column in table.columns]
        if list(columns) != names:
            yield f"the columns of {table.name} are {list(columns)}, declared {names}"
            continue
        for column in table.columns:
            values = columns[column.name]
            if values.dtype.name != column.type or values.ndim != 1:
                yield f"{table.name}.{column.name} is {values.ndim}-d {values.dtype}, declared {column.type}"
        if len({len(values) for values in columns.values()}) > 1:
            yield f"the columns of {table.name} have different lengths"


def _ranges(
    facts: Facts, batch: "Batch", indices: Sequence[int], seated: "npt.NDArray[np.int64]"
) -> Iterator[str]:
    """Yield what in the columns of known roles cannot be."""
    count, players = seated.shape
    for table in facts.tables:
        for column in table.columns:
            values = batch[table.name][column.name].tolist()
            low, high = {
                "game": (0, count - 1),
                "seat": (0, players - 1),
                "outcome": (0, players - 1),
                "length": (1, facts.round_limit),
                "round": (1, facts.round_limit),
            }.get(column.role, (None, None))
            bad = [] if low is None else [v for v in values if v != column.null and not low <= v <= high]
            if bad:
                yield f"{table.name}.{column.name} has {bad[0]}, not within {low}..{high}"
            if column.role == "game" and values != sorted(values):
                yield f"the rows of {table.name} are not in the order of the games"
    games, seats = facts.table("games"), facts.table("seats")
    length, winner, stalled = (_by_role(games, batch, role) for role in ("length", "outcome", "stalled"))
    if _by_role(games, batch, "index") != list(indices):
        yield f"the games are {_by_role(games, batch, 'index')}, asked for {list(indices)}"
    null = games.column("outcome").null
    for row, (rounds, who, no_winner) in enumerate(zip(length, winner, stalled, strict=True)):
        if no_winner != (who == null) or (no_winner and rounds != facts.round_limit):
            yield f"game {indices[row]}: stalled {no_winner}, winner {who}, after {rounds} rounds"
    every = [(game, seat) for game in range(count) for seat in range(players)]
    places = list(zip(_by_role(seats, batch, "game"), _by_role(seats, batch, "seat"), strict=True))
    if places != every:
        yield "seats does not have one row per game and seat, in order"
        return
    if _by_role(seats, batch, "won") != [winner[game] == seat for game, seat in every]:
        yield "seats and games name different winners"
    if _by_role(seats, batch, "policy") != seated.ravel().tolist():
        yield "the policies in seats are not those that were given"


def _by_role(table: Table, batch: "Batch", role: str) -> list[Any]:
    values: list[Any] = batch[table.name][table.column(role).name].tolist()
    return values


Rows = dict[str, list[dict[str, int]]]


def _rows(facts: Facts, batch: "Batch", row: int) -> Rows:
    """Return what one game of a batch left in every table, the number of its row set to 0."""
    found: Rows = {}
    for table in facts.tables:
        columns = {name: values.tolist() for name, values in batch[table.name].items()}
        places = [row]
        if table.name != "games":
            game = table.column("game").name
            places = [k for k, value in enumerate(columns[game]) if value == row]
            columns[game] = [0] * len(columns[game])
        found[table.name] = [{name: values[k] for name, values in columns.items()} for k in places]
    return found


def _reproduced(
    game: AnyGame,
    cell: Any,
    seed: int,
    indices: Sequence[int],
    seated: "npt.NDArray[np.int64]",
    batch: "Batch",
) -> Iterator[str]:
    """Play the same games one by one from the last to the first, and all at once in reverse."""
    facts = game.facts
    last = len(indices) - 1
    reverse = game.play(cell, seed, indices[::-1], seated[::-1])
    for row, index in enumerate(indices):
        own = _rows(facts, batch, row)
        alone = game.play(cell, seed, [index], seated[row : row + 1])
        if _rows(facts, alone, 0) != own:
            yield f"game {index} alone is another one than in a batch"
        if _rows(facts, reverse, last - row) != own:
            yield f"game {index} is another one when the batch is in another order"
    other = game.play(cell, seed + 1, indices, seated)
    if len(indices) > 1 and all(
        _rows(facts, other, row) == _rows(facts, batch, row) for row in range(len(indices))
    ):
        yield "another seed gives the same games"


def _replayed(game: AnyGame, cell: Any, events: Sequence[Event], row: Rows) -> Iterator[str]:
    """Compare a replay with the form of a log, and with the row of the game."""
    kinds = [event.get("event") for event in events]
    if kinds[:1] != ["setup"] or kinds[-1:] != ["end"]:
        yield f"the log goes from {kinds[:1]} to {kinds[-1:]}, not from setup to end"
        return
    rounds = [event["round"] for event in events if event["event"] == "round"]
    if rounds != list(range(1, len(rounds) + 1)):
        yield f"the rounds of the log are {rounds}"
    if any(next(iter(event)) != "event" for event in events):
        yield "an event does not begin with its kind"
    if json.loads(json.dumps(events)) != list(events):
        yield "the log is not the same after a way through JSON"
    again = game.rows_of(cell, events)
    for table in game.facts.tables:
        if again.get(table.name) != row[table.name]:
            yield (f"{table.name}: " + _first_difference(row[table.name], again.get(table.name, [])))
    if not game.transcript(cell, events).strip():
        yield "the transcript is empty"


def _first_difference(played: list[dict[str, int]], logged: list[dict[str, int]]) -> str:
    if len(played) != len(logged):
        return f"{len(played)} rows were played, {len(logged)} follow from the log"
    for row, (left, right) in enumerate(zip(played, logged, strict=True)):
        for name in dict.fromkeys((*left, *right)):
            if left.get(name) != right.get(name):
                return f"row {row}: {name} is {left.get(name)}, from the log {right.get(name)}"
    return "the rows differ"

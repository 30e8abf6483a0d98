"""The tiny game: a dice race for 2 or 3, complete enough for every command of the toolkit.

Everybody rolls a die and runs that far, earns half as many coins, or buys the charm on offer. Who alone leads
with the goal reached has won. A mood changes the rules, a charm helps its owner. Everything that the contract
of `balance.games.contract` asks for is here in plain Python; docs/how-to/add-a-game.md walks through it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from balance.errors import UsageError
from balance.games import tomlfile
from balance.games.contract import (
    CatalogEntry,
    Column,
    Description,
    Difference,
    Doubt,
    Event,
    Facts,
    ItemColumns,
    Kind,
    Number,
    Part,
    Reading,
    Strength,
    SweepTable,
    Table,
)
from balance.games.folding import folded
from balance.games.forms import Expected, Form, form_fields, read, text, whole, word
from balance.games.keys import check_keys
from balance.games.lineup import check_seated
from balance.games.measures import Compared, From, Measure
from balance.games.tomlfile import Problems
from balance.nearest import unknown

OFFICIAL: Final = Path(__file__).with_suffix(".toml")
ROUND_LIMIT: Final = 40
ACTIONS: Final = ("run", "earn", "buy")
POLICIES: Final = ("random", "thrifty")
EDITIONS: Final = ("classic", "brisk")
NOBODY: Final = -1

# --- facts ------------------------------------------------------------------------------------------------

_GAME: Final = Column("game", "int32", "game", "row of the game in this batch")
_SEAT: Final = Column("seat", "int8", "seat", "seat, 0..2")
_ROUND: Final = Column("round", "int16", "round", "round, from 1")

TABLES: Final = (
    Table(
        "games",
        "one row per race",
        (
            Column("game_index", "int64", "index", "number of the race"),
            Column("replicate", "int64", "replicate", "number of the repetition of the same dice"),
            Column("rounds", "int16", "length", "rounds raced"),
            Column("winner_seat", "int8", "outcome", "seat that won; none if stalled", null=NOBODY),
            Column("stalled", "bool", "stalled", f"nobody had won after {ROUND_LIMIT} rounds"),
        ),
    ),
    Table(
        "seats",
        "one row per runner",
        (
            _GAME,
            _SEAT,
            Column("policy", "int8", "policy", "number of the policy"),
            Column("won", "bool", "won", "whether the seat won"),
            Column("points", "int16", "score", "steps and the points of charms"),
            Column("coins", "int16", "measure", "coins left"),
            *(Column(f"times_{a}", "int16", "measure", f"how often the seat chose to {a}") for a in ACTIONS),
        ),
    ),
    Table(
        "buys",
        "one row per charm bought",
        (_GAME, _SEAT, _ROUND, Column("charm", "int16", "item", "id of the charm"),
         Column("paid", "int16", "measure", "coins paid")),
    ),
    Table(
        "laps",
        "one row per seat and round",
        (_GAME, _ROUND, _SEAT, Column("action", "int8", "measure", "run 0, earn 1, buy 2"),
         Column("points", "int16", "score", "points after the round")),
    ),
)  # fmt: skip

FACTS: Final = Facts(
    title="Tiny race",
    players=(2, 3),
    editions=EDITIONS,
    default_edition="classic",
    variant="mood",
    variants="moods",
    variants_at_once=1,
    variants_ordered=False,
    item="charm",
    items="charms",
    actions=ACTIONS,
    policies=POLICIES,
    field=POLICIES,
    default_lineup="mirror:random",
    round_limit=ROUND_LIMIT,
    tables=TABLES,
    default_sweep=(SweepTable("mirror:random"), SweepTable("field")),
    item_columns=ItemColumns(paid="paid", cost="cost", score="points"),  # charms are bought, never dealt
    strengths=(Strength("mirror:random", "random play"), Strength("field", "mixed play")),
    declared=(
        Measure(
            "money", "coins of a runner at the end", num="all_coins", den="players", kind="mean",
            columns=(From("seats", "all_coins", "sum(coins)"),), sentence="Runners end with {x} coins",
            compared="play",
            multiple=Compared("money_ratio", "coins at the end, as a multiple", "{x} times the coins"),
        ),
        Measure(
            "action", "share of an action among all choices", num="{of}", den="choices", of=ACTIONS,
            columns=(
                *(From("seats", action, f"sum(times_{action})") for action in ACTIONS),
                From("seats", "choices", f"sum({' + '.join(f'times_{action}' for action in ACTIONS)})"),
            ),
            sentence="{Of} is {x} of all choices", compared="play",
        ),
    ),
)  # fmt: skip

# --- catalog ----------------------------------------------------------------------------------------------


NUMBERS: Final = {
    "mood": {"goal_change": (-10, 30), "run_change": (-3, 3), "round_coins": (0, 3)},
    "charm": {"cost": (0, 20), "run_bonus": (0, 3), "earn_bonus": (0, 3), "points": (0, 9)},
}
"""The numbers of moods and charms, and within which bounds they may lie."""


def _number(kind: str, name: str) -> Expected:
    return whole(*NUMBERS[kind][name])


class Mood(Form):
    """What changes the rules of a race."""

    stand_ins: ClassVar = {"id": "?", "name": "?"}

    id: Annotated[str, text(20)]
    name: Annotated[str, text(20)]
    editions: tuple[Annotated[str, word(EDITIONS)], ...] = ()
    goal_change: Annotated[int, _number("mood", "goal_change")] = 0
    run_change: Annotated[int, _number("mood", "run_change")] = 0
    round_coins: Annotated[int, _number("mood", "round_coins")] = 0
    note: Annotated[str, text(80, empty=True)] = ""


class Charm(Form):
    """What helps the runner who buys it."""

    stand_ins: ClassVar = {"id": 1, "name": "?", "cost": 0}

    id: Annotated[int, whole(1, 99)]
    name: Annotated[str, text(20)]
    cost: Annotated[int, _number("charm", "cost")]
    run_bonus: Annotated[int, _number("charm", "run_bonus")] = 0
    earn_bonus: Annotated[int, _number("charm", "earn_bonus")] = 0
    points: Annotated[int, _number("charm", "points")] = 0


class Edition(Form):
    """A goal, and coins to start with."""

    stand_ins: ClassVar = {"id": "?", "name": "?", "goal": 1, "coins": 0}

    id: Annotated[str, text(20)]
    name: Annotated[str, text(20)]
    goal: Annotated[int, whole(1, 99)]
    coins: Annotated[int, whole(0, 9)]


Item = Mood | Charm | Edition


def _kind(name: str, entry: type, brief: tuple[str, ...]) -> Kind:
    columns = {field: f"the {field.replace('_', ' ')} of the {name}" for field in form_fields(entry)}
    return Kind(name, f"{name}s", f"one row per {name}", columns, brief)


KINDS: Final = (
    _kind("mood", Mood, ("id", "name", "note")),
    _kind("charm", Charm, ("id", "name", "cost")),
    _kind("edition", Edition, ("id", "name", "goal")),
)


@dataclass(frozen=True)
class Catalog:
    """All moods, charms and editions."""

    moods: tuple[Mood, ...]
    charms: tuple[Charm, ...]
    editions: tuple[Edition, ...]
    version: str
    entries: tuple[tomlfile.RawEntry, ...] = field(default=(), repr=False, compare=False)

    @cached_property
    def hash(self) -> str:
        content = {kind.plural: [dict(item) for item in self.items(kind.name)] for kind in KINDS}
        return hashlib.sha256(json.dumps([self.version, content], sort_keys=True).encode()).hexdigest()

    def items(self, kind: str) -> Sequence[Item]:
        return {"mood": self.moods, "charm": self.charms, "edition": self.editions}[kind]

    def one(self, kind: str, name: str) -> Any:
        for item in self.items(kind):
            if folded(name) in (folded(str(item.id)), folded(item.name)):
                return item
        raise UsageError(unknown(kind, name, [str(item.id) for item in self.items(kind)]))


def load_catalog(overlays: Iterable[str | Path] = ()) -> Catalog:
    """Read the file beside this one and lay overlays over it; every mistake is told at once."""
    return _read_files([OFFICIAL, *map(Path, overlays)])


def _read_files(paths: Iterable[Path]) -> Catalog:
    problems = Problems()
    entries: list[tomlfile.RawEntry] = []
    version = ""
    for path in paths:
        document = tomlfile.read_toml(path, problems)
        version = document.pop("catalog", {}).get("version", version)
        kinds = [kind.name for kind in KINDS]
        found = tomlfile.entries_of(document, str(path), kinds, problems)
        entries = tomlfile.merge(entries, found, problems)
    return _built(entries, version, problems)


def _built(entries: Sequence[tomlfile.RawEntry], version: str, problems: Problems) -> Catalog:
    moods, charms, editions = (
        tuple(read(form, entry, problems) for entry in entries if entry.kind == kind)
        for kind, form in (("mood", Mood), ("charm", Charm), ("edition", Edition))
    )
    problems.raise_if_any()
    return Catalog(moods, charms, editions, version, tuple(entries))


# --- the rules of a cell, and a race ----------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """What is fixed before the first die is rolled."""

    edition: str
    players: int
    mood: Mood | None
    goal: int
    coins: tuple[int, ...]
    """Of each seat at the start."""
    charms: Mapping[int, Charm]

    @property
    def moods(self) -> list[str]:
        return [self.mood.id] if self.mood else []


@dataclass
class Runner:
    """What one seat has."""

    coins: int
    steps: int = 0
    charms: list[Charm] = field(default_factory=list)

    @property
    def points(self) -> int:
        return self.steps + sum(charm.points for charm in self.charms)


def chance(*key: int) -> int:
    """64 random bits that depend on nothing but the key: any game can be played again alone."""
    return int.from_bytes(hashlib.blake2b(repr(key).encode(), digest_size=8).digest())


_DIE, _OFFER, _POLICY = range(3)  # what a hash is for


@dataclass
class Race:
    """One race; `events` is its log."""

    cell: Cell
    key: tuple[int, int, int]
    """Seed, players, game index; not the mood and the policies, so that dice are the same in all cells."""
    policies: Sequence[str]
    replicate: int
    events: list[Event] = field(default_factory=list)
    laps: list[tuple[int, int, int, int]] = field(default_factory=list)
    buys: list[tuple[int, int, int, int]] = field(default_factory=list)
    round: int = 0
    winner: int = NOBODY

    def __post_init__(self) -> None:
        self.runners = [Runner(coins) for coins in self.cell.coins]
        self.offer = sorted(self.cell.charms, key=lambda charm: (chance(*self.key, _OFFER, charm), charm))
        self.times = [[0, 0, 0] for _ in self.runners]

    def tell(self, event: str, **of: Any) -> None:
        self.events.append({"event": event, **of})

    def play(self) -> Race:
        """Race to the end."""
        seed, players, index = self.key
        self.tell(
            "setup", game="tiny", edition=self.cell.edition, players=players, moods=self.cell.moods,
            seed=seed, game_index=index, replicate=self.replicate, policies=list(self.policies),
            coins=list(self.cell.coins), offer=list(self.offer),
        )  # fmt: skip
        while self.winner == NOBODY and self.round < ROUND_LIMIT:
            self.play_round()
        winner = None if self.winner == NOBODY else self.winner
        self.tell("end", winner=winner, rounds=self.round, stalled=winner is None)
        return self

    def play_round(self) -> None:
        self.round += 1
        self.tell("round", round=self.round)
        gift = self.cell.mood.round_coins if self.cell.mood else 0
        for seat, runner in enumerate(self.runners):
            if gift:
                runner.coins += gift
                self.tell("coins", seat=seat, amount=gift, cause=f"mood:{self.cell.moods[0]}")
        actions = [self.take_turn(seat) for seat in range(len(self.runners))]
        points = [runner.points for runner in self.runners]
        self.laps += [(self.round, seat, actions[seat], points[seat]) for seat in range(len(points))]
        self.tell("state", seats=[
            {"coins": r.coins, "steps": r.steps, "charms": [c.id for c in r.charms], "points": r.points}
            for r in self.runners
        ])  # fmt: skip
        if max(points) >= self.cell.goal and points.count(max(points)) == 1:
            self.winner = points.index(max(points))

    def take_turn(self, seat: int) -> int:
        """Roll, choose, do it; returns the action's number."""
        runner = self.runners[seat]
        pips = chance(*self.key, _DIE, self.round, seat) % 6 + 1
        self.tell("roll", seat=seat, pips=pips)
        buyable = bool(self.offer) and self.cell.charms[self.offer[0]].cost <= runner.coins
        action = self.choose(seat, pips, ACTIONS if buyable else ACTIONS[:2])
        self.times[seat][ACTIONS.index(action)] += 1
        self.tell("choose", seat=seat, action=action)
        if action == "run":
            steps = run_length(self.cell, runner, pips)
            runner.steps += steps
            self.tell("run", seat=seat, steps=steps)
        elif action == "earn":
            amount = pips // 2 + sum(charm.earn_bonus for charm in runner.charms)
            runner.coins += amount
            self.tell("coins", seat=seat, amount=amount, cause="earn")
        else:
            charm = self.cell.charms[self.offer.pop(0)]
            runner.coins -= charm.cost
            runner.charms.append(charm)
            self.buys.append((seat, self.round, charm.id, charm.cost))
            self.tell("buy", seat=seat, charm=charm.id, paid=charm.cost)
        return ACTIONS.index(action)

    def choose(self, seat: int, pips: int, options: Sequence[str]) -> str:
        if self.policies[seat] == "random":
            bits = chance(*self.key, _POLICY, self.replicate, self.round, seat)
            return options[bits % len(options)]
        if "buy" in options:
            return "buy"
        return "run" if pips >= 4 or not self.offer else "earn"


def run_length(cell: Cell, runner: Runner, pips: int) -> int:
    """How far a roll carries."""
    change = cell.mood.run_change if cell.mood else 0
    return max(0, pips + change + sum(charm.run_bonus for charm in runner.charms))


# --- the contract -----------------------------------------------------------------------------------------

Rows = dict[str, list[dict[str, int]]]


class Tiny:
    """The game as the toolkit sees it; it has no state of its own."""

    name = "tiny"
    kinds = KINDS
    facts = FACTS

    def load_catalog(self, overlays: Iterable[str | Path] = ()) -> Catalog:
        return load_catalog(overlays)

    def catalog_text(self, catalog: Catalog) -> str:
        return tomlfile.toml_text({"version": catalog.version}, catalog.entries)

    def read_catalog(self, path: Path) -> Catalog:
        return _read_files([path])

    def thresholds_file(self) -> Path:
        return OFFICIAL.with_name("tiny_thresholds.toml")

    def engine_hash(self) -> str:
        return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()

    def rows(self, catalog: Catalog, kind: Kind) -> list[dict[str, Any]]:
        return [
            {name: list(value) if isinstance(value, tuple) else value for name, value in dict(item).items()}
            for item in catalog.items(kind.name)
        ]

    def find(self, catalog: Catalog, name: str) -> Sequence[CatalogEntry]:
        every = [(kind.name, item) for kind in KINDS for item in catalog.items(kind.name)]
        wanted = folded(name)
        found = [
            CatalogEntry(kind, str(item.id), item.name)
            for kind, item in every
            if wanted in (folded(str(item.id)), folded(item.name))
        ]
        if not found:
            raise UsageError(unknown("mood, charm or edition", name, [item.name for _, item in every]))
        return found

    def describe(self, catalog: Catalog, entry: CatalogEntry) -> Description:
        item = catalog.one(entry.kind, entry.id)
        lines = tuple(f"{name}: {value}" for name, value in dict(item).items() if value)
        return Description(item.name, ((entry.kind.capitalize(), lines),), dict(item))

    def diff(self, old: Catalog, new: Catalog) -> list[Difference]:
        found: list[Difference] = []
        for kind in KINDS:
            before = {item.id: item for item in old.items(kind.name)}
            after = {item.id: item for item in new.items(kind.name)}
            for key in dict.fromkeys((*before, *after)):
                if key not in before:
                    found.append(Difference("added", kind.name, str(key), after[key].name))
                elif key not in after:
                    found.append(Difference("removed", kind.name, str(key), before[key].name))
                else:
                    was, now = dict(before[key]), dict(after[key])
                    found += [
                        Difference(
                            "changed", kind.name, str(key), after[key].name, name, was[name], now[name]
                        )
                        for name in was
                        if was[name] != now[name]
                    ]
        return found

    def numbers(self, catalog: Catalog, kind: str, id_: str) -> list[Number]:
        entry = self._entry(catalog, kind, id_)
        known = [(name, bounds) for name, bounds in NUMBERS.get(kind, {}).items() if name in entry.fields]
        normal = 0 if kind == "mood" else None
        return [Number(name, entry.fields[name], *bounds, normal) for name, bounds in known]

    def with_number(self, catalog: Catalog, kind: str, id_: str, path: str, value: int) -> Catalog:
        old = self._entry(catalog, kind, id_)
        if path not in [number.path for number in self.numbers(catalog, kind, id_)]:
            raise UsageError(unknown(f"number of {old.label}", path, NUMBERS.get(kind, {})))
        new = replace(old, fields=old.fields | {path: value})
        return self._of(catalog, [new if entry is old else entry for entry in catalog.entries])

    def overlay_text(self, old: Catalog, new: Catalog) -> str:
        return tomlfile.overlay_text(old.entries, new.entries)

    def parts(self, catalog: Catalog, edition: str, variant: str) -> list[Part]:
        return [
            Part(f"{path}: {value:+}.", self.with_number(catalog, "mood", variant, path, 0))
            for path, value, *_ in self.numbers(catalog, "mood", variant)
        ]

    def stall_cause(self, cell: Cell, events: Sequence[Event]) -> str:
        best = max(seat["points"] for seat in events[-2]["seats"])
        return "the leaders are level" if best >= cell.goal else "nobody gets to the goal"

    def doubts(self, catalog: Catalog, edition: str) -> list[Doubt]:
        """The scribes differ on the Pebble, and only one of them has heard of the wind."""
        found = []
        if "5" in [str(charm.id) for charm in catalog.charms]:
            dear = Reading("Cost 9.", self.with_number(catalog, "charm", "5", "cost", 9))
            entry = CatalogEntry("charm", "5", "Pebble")
            found.append(Doubt(entry, "contested", "scribes differ", "one scribe writes 9", (dear,)))
        if "windy" in self.variants(catalog, edition):
            found.append(Doubt(CatalogEntry("mood", "windy", "Windy"), "one", "one scribe only", "", ()))
        return found

    def _entry(self, catalog: Catalog, kind: str, id_: str) -> tomlfile.RawEntry:
        own = {str(entry.id): entry for entry in catalog.entries if entry.kind == kind}
        if id_ not in own:
            raise UsageError(unknown(kind, id_, own))
        return own[id_]

    def _of(self, catalog: Catalog, entries: Sequence[tomlfile.RawEntry]) -> Catalog:
        return _built(entries, catalog.version, Problems())

    def variants(self, catalog: Catalog, edition: str) -> tuple[str, ...]:
        here = catalog.one("edition", edition).id
        return tuple(mood.id for mood in catalog.moods if here in mood.editions)

    def policy_number(self, name: str) -> int:
        if name not in POLICIES:
            raise UsageError(f"{unknown('policy', name, POLICIES)} (policies: {', '.join(POLICIES)})")
        return POLICIES.index(name)

    def policy_name(self, number: int) -> str:
        if not 0 <= number < len(POLICIES):
            raise UsageError(f"there is no policy number {number}")
        return POLICIES[number]

    def compile(self, catalog: Catalog, edition: str, players: int, variants: Sequence[str] = ()) -> Cell:
        low, high = FACTS.players
        if not low <= players <= high:
            raise UsageError(f"the tiny race is for {low} or {high} players, not {players}")
        found: Edition = catalog.one("edition", edition)
        if len(variants) > FACTS.variants_at_once:
            raise UsageError(f"a race has one mood at most, not {len(variants)}")
        mood = catalog.one("mood", variants[0]) if variants else None
        if mood and found.id not in mood.editions:
            raise UsageError(f"the mood '{mood.id}' is not in edition {found.id}")
        goal = found.goal + (mood.goal_change if mood else 0)
        coins = (found.coins,) * players
        return Cell(found.id, players, mood, goal, coins, {charm.id: charm for charm in catalog.charms})

    def play(
        self,
        cell: Cell,
        seed: int,
        indices: Sequence[int] | npt.NDArray[np.int64],
        policies: npt.NDArray[np.int64],
        replicates: Sequence[int] | npt.NDArray[np.int64] | None = None,
    ) -> dict[str, dict[str, npt.NDArray[np.generic]]]:
        check_seated(policies, len(indices), cell.players, self.policy_name)
        rows: Rows = {table.name: [] for table in TABLES}
        again = [0] * len(indices) if replicates is None else replicates
        for game, (index, numbers, replicate) in enumerate(zip(indices, policies, again, strict=True)):
            names = [self.policy_name(number) for number in numbers]
            for table, own in _rows(self._race(cell, seed, int(index), names, int(replicate)), game).items():
                rows[table] += own
        return {
            table.name: {
                column.name: np.array([row[column.name] for row in rows[table.name]], column.type)
                for column in table.columns
            }
            for table in TABLES
        }

    def replay(
        self, cell: Cell, seed: int, game_index: int, policies: Sequence[str], replicate: int = 0
    ) -> list[Event]:
        return self._race(cell, seed, game_index, policies, replicate).events

    def _race(self, cell: Cell, seed: int, index: int, policies: Sequence[str], replicate: int) -> Race:
        check_keys(seed, index, replicate)
        numbers = [self.policy_number(name) for name in policies]
        check_seated(np.array([numbers], np.int64), 1, cell.players, self.policy_name)
        return Race(cell, (seed, cell.players, index), policies, replicate).play()

    def rows_of(self, cell: Cell, events: Sequence[Event]) -> Rows:
        return rows_of(events)

    def transcript(self, cell: Cell, events: Sequence[Event]) -> str:
        return "\n".join(_told(cell, event) for event in events) + "\n"


def _rows(race: Race, game: int) -> Rows:
    """What a race leaves in the tables, from what the engine kept."""
    head = {"game_index": race.key[2], "replicate": race.replicate}
    stalled = race.winner == NOBODY
    seats = []
    for seat, runner in enumerate(race.runners):
        who = {"game": game, "seat": seat, "policy": POLICIES.index(race.policies[seat])}
        times = {f"times_{action}": race.times[seat][k] for k, action in enumerate(ACTIONS)}
        seats.append(
            {**who, "won": race.winner == seat, "points": runner.points, "coins": runner.coins, **times}
        )
    return {
        "games": [{**head, "rounds": race.round, "winner_seat": race.winner, "stalled": stalled}],
        "seats": seats,
        "buys": [
            {"game": game, "seat": seat, "round": round_, "charm": charm, "paid": paid}
            for seat, round_, charm, paid in race.buys
        ],
        "laps": [
            {"game": game, "round": round_, "seat": seat, "action": action, "points": points}
            for round_, seat, action, points in race.laps
        ],
    }


def rows_of(events: Sequence[Event]) -> Rows:
    """The same, from the log alone."""
    setup, end = events[0], events[-1]
    rows: Rows = {table.name: [] for table in TABLES}
    times = [dict.fromkeys(ACTIONS, 0) for _ in range(setup["players"])]
    latest = [0] * setup["players"]
    round_ = 0
    for event in events:
        match event["event"]:
            case "round":
                round_ = event["round"]
            case "choose":
                times[event["seat"]][event["action"]] += 1
                latest[event["seat"]] = ACTIONS.index(event["action"])
            case "buy":
                bought = {
                    "seat": event["seat"],
                    "round": round_,
                    "charm": event["charm"],
                    "paid": event["paid"],
                }
                rows["buys"].append({"game": 0, **bought})
            case "state":
                rows["laps"] += [
                    {"game": 0, "round": round_, "seat": k, "action": latest[k], "points": seat["points"]}
                    for k, seat in enumerate(event["seats"])
                ]
    winner = NOBODY if end["winner"] is None else end["winner"]
    head = {"game_index": setup["game_index"], "replicate": setup["replicate"]}
    rows["games"] = [{**head, "rounds": end["rounds"], "winner_seat": winner, "stalled": end["stalled"]}]
    last = [event for event in events if event["event"] == "state"][-1]["seats"]
    for k, policy in enumerate(setup["policies"]):
        who = {"game": 0, "seat": k, "policy": POLICIES.index(policy), "won": k == winner}
        has = {"points": last[k]["points"], "coins": last[k]["coins"]}
        rows["seats"].append({**who, **has, **{f"times_{action}": times[k][action] for action in ACTIONS}})
    return rows


def broken_laws(cell: Cell, events: Sequence[Event]) -> list[str]:
    """Coins are never negative, a charm has one owner, a run is as long as it may be, the end is the end."""
    broken: list[str] = []
    runners = [Runner(coins) for coins in events[0]["coins"]]
    offer = list(events[0]["offer"])
    pips = 0
    leader: int | None = None
    for event in events[1:]:
        runner = runners[event.get("seat", 0)]
        match event["event"]:
            case "round" if leader is not None:
                broken.append(f"round {event['round']} is raced although seat {leader} has won")
            case "roll":
                pips = event["pips"]
                if not 1 <= pips <= 6:
                    broken.append(f"no die shows {pips}")
            case "run":
                if event["steps"] != run_length(cell, runner, pips):
                    broken.append(f"a roll of {pips} does not carry {event['steps']} steps")
                runner.steps += event["steps"]
            case "coins":
                runner.coins += event["amount"]
            case "buy":
                if not offer or offer.pop(0) != event["charm"]:
                    broken.append(f"the charm {event['charm']} is not on offer")
                runner.coins -= event["paid"]
                runner.charms.append(cell.charms[event["charm"]])
            case "state":
                counted = [(r.coins, r.steps, [c.id for c in r.charms], r.points) for r in runners]
                told = [(s["coins"], s["steps"], s["charms"], s["points"]) for s in event["seats"]]
                if counted != told:
                    broken.append(f"the events add up to {counted}, told {told}")
                points = [r.points for r in runners]
                alone = points.count(max(points)) == 1
                leader = points.index(max(points)) if alone and max(points) >= cell.goal else None
            case "end":
                if event["winner"] != leader or event["stalled"] != (leader is None):
                    broken.append(f"the race ends with {event}, but the winner is {leader}")
        if runner.coins < 0:
            broken.append(f"seat {event['seat']} has {runner.coins} coins")
    return broken


def _told(cell: Cell, event: Event) -> str:
    who = f"  seat {event.get('seat')}"
    match event["event"]:
        case "setup":
            moods = ", ".join(event["moods"]) or "no mood"
            return f"Tiny race, {event['edition']}, {event['players']} players, {moods}, goal {cell.goal}"
        case "round":
            return f"Round {event['round']}"
        case "roll":
            return f"{who} rolls {event['pips']}"
        case "choose":
            return f"{who} will {event['action']}"
        case "run":
            return f"{who} runs {event['steps']}"
        case "coins":
            return f"{who} gets {event['amount']} coins ({event['cause']})"
        case "buy":
            return f"{who} buys {cell.charms[event['charm']].name} for {event['paid']}"
        case "state":
            return "  points " + ", ".join(str(seat["points"]) for seat in event["seats"])
        case _:
            return "Nobody wins." if event["stalled"] else f"Seat {event['winner']} wins."


GAME: Final = Tiny()

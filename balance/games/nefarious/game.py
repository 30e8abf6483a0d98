"""Nefarious as the toolkit sees it: the implementation of `balance.games.contract.Game`."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from balance.errors import UsageError
from balance.games.contract import CatalogEntry, Description, Difference, Event, Kind
from balance.games.facts import Facts, Holdings, ItemColumns, Measures, Strength, SweepTable
from balance.games.nefarious.catalog import adjusting, descriptions, english, loading
from balance.games.nefarious.catalog.model import KINDS, Catalog, Edition, Invention, Item, Twist, matching
from balance.games.nefarious.catalog.written import written
from balance.games.nefarious.engine import Engine, check_games
from balance.games.nefarious.policies.names import SEARCH, policy_number
from balance.games.nefarious.policies.reading import policies_text, read_policies
from balance.nearest import unknown
from balance.resources import cache_dir, data_dir

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from balance.games.nefarious.rules import Cell
    from balance.games.nefarious.training import NefariousTraining

_KERNEL: Final = "balance.games.nefarious.kernel"
STYLES: Final = "one:field+skilled+casual,learned"

_NAMES: Final = {"name": "English name", "name_ru": "Russian name"}
_FROM: Final = {"name_source": "where the English name comes from"}
_SURE: Final = {"confidence": "how sure the source is", "note": "note on the source"}

TWISTS: Final = Kind(
    name="twist",
    plural="twists",
    meaning="one row per twist of the catalog",
    columns={"id": "the id, as in `games`"}
    | _NAMES
    | _FROM
    | {"rule": "what the twist does, in words", "editions": "the editions that have it"}
    | _SURE,
    brief=("id", "name", "rule", "confidence"),
)
INVENTIONS: Final = Kind(
    name="invention",
    plural="inventions",
    meaning="one row per card of the deck",
    columns={"id": "the id, as in `builds`"}
    | _NAMES
    | _FROM
    | {
        "cost": "printed cost",
        "vp": "printed victory points",
        "vp_per_built": "victory points for each invention built, in addition",
        "self": "what the builder does",
        "others": "what the others do",
        "rule": "both in words",
    }
    | _SURE,
    brief=("id", "name", "cost", "vp", "rule", "confidence"),
)
EDITIONS: Final = Kind(
    name="edition",
    plural="editions",
    meaning="one row per edition of the catalog",
    columns={"id": "the id, as in `games`"}
    | _NAMES
    | {
        "twists": "how many twists it has",
        "deck": "what happens when the deck runs out",
        "rule": "its rules, in words",
    }
    | _SURE,
    brief=("id", "name", "twists", "deck"),
)


class Nefarious(Engine):
    """The game; it has no state of its own."""

    name = "nefarious"
    kinds = (TWISTS, INVENTIONS, EDITIONS)

    @cached_property
    def facts(self) -> Facts:
        """The facts of Nefarious; those that decide no row are added here."""
        from balance.games.nefarious.measures import MEASURES

        return replace(
            super().facts,
            declared=MEASURES,
            probes=("search:10",),
            default_sweep=(
                SweepTable("mirror:learned"),
                SweepTable("one:learned,casual", 0.04),  # skill
                SweepTable(STYLES, 0.08),  # whether one style of play wins far too much
                SweepTable("drawn:learned,skilled,casual", 0.1, replicates=2),  # luck
            ),
            fixed_games="2c8e3350ae222352",
            measures=Measures("lead_changes", "vp_half", "actions"),
            item_columns=ItemColumns(paid="paid", cost="cost", score="vp"),
            strengths=(
                Strength("mirror:random", "random play"),
                Strength("field", "casual play"),
                Strength("one:learned,casual", "one skilled player among casual ones"),
                Strength(STYLES, "one of another style among skilled players"),
                Strength("drawn:learned,skilled,casual", "players of different strength"),
                Strength("mirror:learned", "skilled play"),
                Strength(f"mirror:{SEARCH}:", "expert play", learned=False),
            ),
            policy_words=(
                ("learned", "is the default player, which learned by playing against itself"),
                ("skilled", "is the same player with more chance in what it chooses"),
                ("casual", "leaves still more to chance"),
                ("greedy", "builds the best card that it can pay for"),
                ("rusher", "builds cheap cards as soon as it can"),
                ("saver", "saves money for big cards"),
                ("investor", "places minions early, for their income"),
                ("spoiler", "likes what costs the others most"),
                ("researcher", "collects cards first"),
                ("adaptive", "weighs the same things as these, by numbers that an optimiser found"),
                ("random", "chooses by chance"),
            ),
            expert_lineup=f"mirror:{SEARCH}:20",
            seats_alike=True,
            doubtful=("contested", "one"),
            holdings=Holdings(
                "cards", (("opening", ("opening_0", "opening_1")), ("drawn", ("drawn_0", "drawn_1")))
            ),
        )

    load_catalog = staticmethod(loading.load_catalog)
    catalog_text = staticmethod(loading.catalog_text)
    read_catalog = staticmethod(loading.read_catalog)
    numbers = staticmethod(adjusting.numbers)
    with_number = staticmethod(adjusting.with_number)
    overlay_text = staticmethod(adjusting.overlay_text)
    parts = staticmethod(adjusting.parts)
    doubts = staticmethod(adjusting.doubts)
    rule_features = staticmethod(descriptions.rule_features)

    def rows(self, catalog: Catalog, kind: Kind) -> list[dict[str, Any]]:
        """Return the entries of a kind as rows."""
        return [_row(catalog, item) for item in catalog.items(kind.name)]

    def find(self, catalog: Catalog, name: str) -> Sequence[CatalogEntry]:
        """Return the entries of all kinds with this id, English or Russian name, in any case."""
        every = [(kind, item) for kind in KINDS for item in catalog.items(kind)]
        found = [CatalogEntry(kind, str(item.id), item.name) for kind, item in every if matching(item, name)]
        if not found:
            names = [n for _, item in every for n in (str(item.id), item.name, item.name_ru) if n]
            raise UsageError(unknown("invention, twist or edition", name, names))
        return found

    def describe(self, catalog: Catalog, entry: CatalogEntry) -> Description:
        """Explain an invention, a twist or an edition."""
        match entry.kind:
            case "invention":
                return descriptions.describe_invention(catalog, catalog.invention(entry.id))
            case "twist":
                return descriptions.describe_twist(catalog, catalog.twist(entry.id))
            case _:
                return descriptions.describe_edition(catalog, catalog.edition(entry.id))

    def stall_cause(self, cell: "Cell", events: Sequence[Event]) -> str:
        """Return why nobody won a game."""
        from balance.games.nefarious.replay.causes import stall_cause

        return stall_cause(cell, events)

    def diff(self, old: Catalog, new: Catalog) -> list[Difference]:
        """Return what was added, removed and changed, field by field."""
        found: list[Difference] = []
        if old.version != new.version:
            found.append(Difference("changed", "catalog", "", "", "version", old.version, new.version))
        for kind in KINDS:
            before = {item.id: item for item in old.items(kind)}
            after = {item.id: item for item in new.items(kind)}
            for key in dict.fromkeys((*before, *after)):
                found += _difference(kind, before.get(key), after.get(key), old, new)
        return found

    def policies_hash(self, catalog: Catalog) -> str:
        """Return a digest of the players' parameters."""
        return catalog.policies.hash

    def policies_text(self, catalog: Catalog) -> str:
        """Return the players' parameters as one TOML text."""
        return policies_text(catalog.policies)

    def with_policies(self, catalog: Catalog, path: Path) -> Catalog:
        """Return a catalog with the players' parameters of a file."""
        return replace(catalog, policies=read_policies(path))

    def network(self, catalog: Catalog) -> bytes:
        """Return the file of the learned players' weights."""
        return catalog.policies.network

    def trainable(self, catalog: Catalog) -> "NefariousTraining":
        """Return what learning needs to know of Nefarious."""
        from balance.games.nefarious.training import NefariousTraining

        return NefariousTraining(catalog)

    def thresholds_file(self) -> Path:
        """Return the file with the official thresholds."""
        return data_dir("nefarious") / "thresholds.toml"

    def replay(
        self, cell: "Cell", seed: int, game_index: int, policies: Sequence[str], replicate: int = 0
    ) -> list[Event]:
        """Play one game again into its event log."""
        from balance.games.nefarious.replay.events import replay

        check_games(cell, seed, [game_index], _seated(policies), [replicate])
        return replay(cell, seed, game_index, policies, replicate)

    def rows_of(self, cell: "Cell", events: Sequence[Event]) -> dict[str, list[dict[str, int]]]:
        """Recompute from its events what a game leaves in every table."""
        from balance.games.nefarious.replay.rows import rows_of

        return rows_of(cell, events)

    def transcript(self, cell: "Cell", events: Sequence[Event]) -> str:
        """Return a game as text for people."""
        from balance.games.nefarious.replay.transcript import transcript

        return transcript(cell, events)

    def warm_up_note(self, *, replay: bool) -> str | None:
        """Return a message for a user who will wait for the compiler; replays are compiled apart."""
        from balance.games.compiled import jit

        if jit.cache_folder(_KERNEL) is None:
            return (
                f"the cache folder {cache_dir()} cannot be written: compiling the engine for this run only, "
                "about a minute (BALANCE_CACHE_DIR names another folder)"
            )
        compiled = jit.is_compiled(f"{_KERNEL}.batch", "play_one_round" if replay else "play_batch")
        return None if compiled else "compiling the engine, once per version, about a minute"

    def state_after(
        self,
        cell: "Cell",
        seed: int,
        game_index: int,
        policies: Sequence[str],
        round_: int,
        replicate: int = 0,
    ) -> str:
        """Return the state of a game after a round, in the notation of docs/notation.md."""
        from balance.games.nefarious.replay.notation import state_after

        check_games(cell, seed, [game_index], _seated(policies), [replicate])
        return state_after(cell, seed, game_index, policies, round_, replicate)


GAME: Final = Nefarious()


def _seated(policies: Sequence[str]) -> "npt.NDArray[np.int64]":
    """Return the policies of one game as `play` wants them."""
    import numpy as np

    return np.array([[policy_number(name) for name in policies]], np.int64)


def _difference(
    kind: str, old: Item | None, new: Item | None, before: Catalog, after: Catalog
) -> list[Difference]:
    if old is None and new is not None:
        return [Difference("added", kind, str(new.id), new.name, "rule", None, _row(after, new)["rule"])]
    if old is not None and new is None:
        return [Difference("removed", kind, str(old.id), old.name, "rule", _row(before, old)["rule"], None)]
    if old is None or new is None:
        return []
    had, has = written(old), written(new)
    return [
        Difference("changed", kind, str(new.id), new.name, field, had.get(field), has.get(field))
        for field in dict.fromkeys((*had, *has))
        if had.get(field) != has.get(field)
    ]


def _row(catalog: Catalog, item: Item) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": item.id,
        "name": item.name,
        "name_ru": item.name_ru or None,
        "name_source": item.name_source,
        "confidence": item.confidence,
        "note": item.note or None,
    }
    match item:
        case Invention():
            # the column VP says the fixed part
            value = [english.invention_value(item)] if item.vp_per_built else []
            row |= {"cost": item.cost, "vp": item.vp, "vp_per_built": item.vp_per_built}
            row |= {
                "self": [str(e) for e in item.self_effects],
                "others": [str(e) for e in item.others_effects],
            }
            row["rule"] = " ".join(value + english.invention_lines(item))
        case Twist():
            row |= {
                "rule": " ".join(english.twist_rules(item, catalog.editions)),
                "editions": list(item.editions),
            }
        case Edition():
            row |= {"rule": " ".join(english.edition_rules(item)), "deck": item.deck}
            row["twists"] = len(catalog.twists_of(item.id))
    return row

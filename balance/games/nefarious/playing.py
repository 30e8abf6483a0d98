"""The playing half of the game's contract; the compiler is imported only when something is played."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from balance.games.contract import (
    Event,
    Facts,
    Fitting,
    Handicap,
    Holdings,
    ItemColumns,
    Measures,
    Strength,
    Throughput,
)
from balance.games.keys import check_keys
from balance.games.lineup import Lineup, check_seated
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.catalog import Catalog
from balance.games.nefarious.players import policies_text, read_policies
from balance.games.nefarious.policies import FIELD, POLICIES, SEARCH, policy_name, policy_number
from balance.resources import data_dir

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from balance.games.nefarious.rules import Cell

PLAYERS: Final = (2, v.MOST_PLAYERS)


def _check_games(
    cell: "Cell",
    seed: int,
    indices: "Sequence[int] | npt.NDArray[np.int64]",
    policies: "npt.NDArray[np.int64]",
    replicates: "Sequence[int] | npt.NDArray[np.int64]",
) -> None:
    """Refuse what the kernel would take as it comes: it looks at no bounds."""
    import numpy as np

    games, again = np.asarray(indices), np.asarray(replicates)
    if games.size and again.size:
        check_keys(seed, int(games.min()), int(again.min()))
        check_keys(seed, int(games.max()), int(again.max()))
    check_seated(policies, games.size, cell.players, policy_name)


def _seated(policies: Sequence[str]) -> "npt.NDArray[np.int64]":
    """Return the policies of one game as `play` wants them."""
    import numpy as np

    return np.array([[policy_number(name) for name in policies]], np.int64)


class Playing:
    """Compiles cells of Nefarious, plays them and tells what happened."""

    @property
    def facts(self) -> Facts:
        """What Nefarious is, before it is played."""
        from balance.games.nefarious.tables import TABLES

        return Facts(
            title="Nefarious",
            players=PLAYERS,
            editions=("ascora-2011", "magellan-2014", "mosigra-2020"),
            default_edition="ascora-2011",
            variant="twist",
            variants="twists",
            variants_at_once=v.MOST_TWISTS,
            variants_ordered=True,
            item="invention",
            items="inventions",
            actions=v.ACTIONS,
            policies=tuple(POLICIES),
            field=FIELD,
            default_lineup="mirror:adaptive",
            round_limit=v.ROUND_LIMIT,
            tables=TABLES,
            default_sweep_lineups=("mirror:adaptive", "field"),
            bench_lineups=(
                ("mirror:random", 1),
                ("mirror:adaptive", 10),
                ("field", 10),
                (f"mirror:{SEARCH}:20", 10_000),
            ),
            measures=Measures(
                lead_changes="lead_changes",
                extension="rounds_after_goal",
                exhausted="deck_exhausted",
                half_score="vp_half",
                money="money",
                hand="hand",
                chosen=tuple(f"chose_{action}" for action in v.ACTIONS),
                acted="actions",
            ),
            item_columns=ItemColumns(
                paid="paid",
                cost="cost",
                score="vp",
            ),
            strengths=(
                Strength("mirror:random", "random play"),
                Strength("field", "casual play"),
                Strength("mirror:adaptive", "skilled play"),
                Strength(f"mirror:{SEARCH}:", "expert play", learned=False),
            ),
            expert_lineup=f"mirror:{SEARCH}:20",
            adapting=("adaptive",),
            doubtful=("contested", "one"),
            holdings=Holdings(
                "cards", (("opening", ("opening_0", "opening_1")), ("drawn", ("drawn_0", "drawn_1")))
            ),
        )

    def engine_hash(self) -> str:
        """Return the hash of the kernel's sources."""
        from balance.games.nefarious.kernel.jit import KERNEL_HASH

        return KERNEL_HASH

    def variants(self, catalog: Catalog, edition: str) -> tuple[str, ...]:
        """Return the ids of the twists that an edition has."""
        return tuple(twist.id for twist in catalog.twists_of(catalog.edition(edition).id))

    def policy_number(self, name: str) -> int:
        """Return the number of a policy."""
        return policy_number(name)

    def policy_name(self, number: int) -> str:
        """Return the name of a policy."""
        return policy_name(number)

    def compile(
        self,
        catalog: Catalog,
        edition: str,
        players: int,
        variants: Sequence[str] = (),
        handicaps: Mapping[int, Handicap] | None = None,
    ) -> "Cell":
        """Compile the rules of a cell; twists in the order in which they were turned over."""
        from balance.games.nefarious.rules import compile_cell

        return compile_cell(catalog, edition, players, variants, handicaps)

    def play(
        self,
        cell: "Cell",
        seed: int,
        indices: "Sequence[int] | npt.NDArray[np.int64]",
        policies: "npt.NDArray[np.int64]",
        replicates: "Sequence[int] | npt.NDArray[np.int64] | None" = None,
    ) -> "dict[str, dict[str, npt.NDArray[np.generic]]]":
        """Play one game per index into the columns of every table."""
        import numpy as np

        from balance.games.nefarious.play import Player
        from balance.games.nefarious.tables import all_columns

        again = np.zeros(len(indices), np.int64) if replicates is None else replicates
        _check_games(cell, seed, indices, policies, again)
        batch = Player().play(
            cell,
            seed,
            np.array(indices, np.int64),
            np.ascontiguousarray(policies, np.int64),
            np.array(again, np.int64),
        )
        return all_columns(
            {"games": batch.games, "seats": batch.seats, "builds": batch.builds, "rounds": batch.rounds}
        )

    def measure(
        self,
        cells: "Sequence[Cell]",
        seed: int,
        first_index: int,
        games: int,
        lineup: Lineup,
        threads: int,
    ) -> Throughput:
        """Play so many games of each cell into rows, on so many threads, and tell how long it took."""
        from balance.games.nefarious.throughput import measure

        edges = [first_index, first_index + max(games, 1) - 1]
        for cell in cells:
            _check_games(cell, seed, edges, lineup.seated(seed, edges), [0])
        return measure(cells, seed, first_index, games, lineup, threads)

    def policies_hash(self, catalog: Catalog) -> str:
        """Return a digest of the players' parameters."""
        return catalog.policies.hash

    def policies_text(self, catalog: Catalog) -> str:
        """Return the players' parameters as one TOML text."""
        return policies_text(catalog.policies)

    def with_policies(self, catalog: Catalog, path: Path) -> Catalog:
        """Return a catalog with the players' parameters of a file."""
        return replace(catalog, policies=read_policies(path))

    def unfitted(self, catalog: Catalog, variants: Sequence[str]) -> tuple[str, ...]:
        """Return the twists to which, as they are worded now, `adaptive` was not fitted."""
        twists = [catalog.twist(name) for name in variants]
        return tuple(twist.id for twist in catalog.policies.unfitted(twists))

    def tune(
        self,
        catalog: Catalog,
        edition: str,
        variant: str,
        combinations: Sequence[tuple[str, ...]],
        budget: int,
        seed: int,
        jobs: int,
        advance: Callable[[int], object],
    ) -> Fitting:
        """Fit the offsets of `adaptive` for a twist."""
        from balance.games.nefarious.tuning import fit_overlay

        return fit_overlay(catalog, edition, variant, combinations, budget, seed, jobs, advance)

    def thresholds_file(self) -> Path:
        """Return the file with the official thresholds."""
        return data_dir("nefarious") / "thresholds.toml"

    def replay(
        self, cell: "Cell", seed: int, game_index: int, policies: Sequence[str], replicate: int = 0
    ) -> list[Event]:
        """Play one game again into its event log."""
        from balance.games.nefarious.events import replay

        _check_games(cell, seed, [game_index], _seated(policies), [replicate])
        return replay(cell, seed, game_index, policies, replicate)

    def rows_of(self, cell: "Cell", events: Sequence[Event]) -> dict[str, list[dict[str, int]]]:
        """Recompute from its events what a game leaves in every table."""
        from balance.games.nefarious.rows import rows_of

        return rows_of(cell, events)

    def broken_laws(self, cell: "Cell", events: Sequence[Event]) -> list[str]:
        """Return what in the events contradicts the laws of the game."""
        from balance.games.nefarious.ledger import broken_laws

        return broken_laws(cell, events)

    def transcript(self, cell: "Cell", events: Sequence[Event], first_round: int = 1) -> str:
        """Tell a game for people."""
        from balance.games.nefarious.transcript import transcript

        return transcript(cell, events, first_round)

    def warm_up_note(self, *, replay: bool) -> str | None:
        """Return what to tell a user who is about to wait for the compiler; replays are compiled apart."""
        from balance.games.nefarious.kernel import jit
        from balance.resources import cache_dir

        if jit.CACHE_FOLDER is None:
            return (
                f"the cache folder {cache_dir()} cannot be written: compiling the engine for this run only, "
                "about a minute (BALANCE_CACHE_DIR names another folder)"
            )
        compiled = jit.is_compiled("play_to_end" if replay else "play_batch")
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
        from balance.games.nefarious.notation import state_after

        _check_games(cell, seed, [game_index], _seated(policies), [replicate])
        return state_after(cell, seed, game_index, policies, round_, replicate)

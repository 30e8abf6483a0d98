"""The playing half of the game's contract; the compiler is imported only when something is played."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from balance.errors import UsageError
from balance.games.contract import Event, Facts, Handicap, Throughput
from balance.games.keys import check_keys
from balance.games.lineup import check_policies
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.catalog import Catalog
from balance.games.nefarious.policies import POLICIES

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from balance.games.nefarious.rules import Cell

PLAYERS: Final = (2, v.MOST_PLAYERS)


def _check_games(
    cell: "Cell",
    seed: int,
    indices: Sequence[int],
    policies: Sequence[Sequence[str]],
    replicates: Sequence[int] | None,
) -> None:
    """Refuse what the kernel would take as it comes: it looks at no bounds."""
    for edge in (min, max):
        check_keys(seed, edge(indices, default=0), edge(replicates or (), default=0))
    if len(policies) != len(indices):
        raise UsageError(f"{len(policies)} lists of policies for {len(indices)} games")
    for names in {tuple(names) for names in policies}:
        check_policies(names, cell.players, tuple(POLICIES))


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
            default_lineup="mirror:random",
            round_limit=v.ROUND_LIMIT,
            tables=TABLES,
        )

    def variants(self, catalog: Catalog, edition: str) -> tuple[str, ...]:
        """Return the ids of the twists that an edition has."""
        return tuple(twist.id for twist in catalog.twists_of(catalog.edition(edition).id))

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
        indices: Sequence[int],
        policies: Sequence[Sequence[str]],
        replicates: Sequence[int] | None = None,
    ) -> "dict[str, dict[str, npt.NDArray[np.generic]]]":
        """Play one game per index into the columns of every table."""
        import numpy as np

        from balance.games.nefarious.play import Player, policy_codes
        from balance.games.nefarious.tables import all_columns

        _check_games(cell, seed, indices, policies, replicates)
        codes = np.array([policy_codes(names) for names in policies], np.int64)
        again = None if replicates is None else np.array(replicates, np.int64)
        batch = Player().play(cell, seed, np.array(indices, np.int64), codes, again)
        return all_columns(
            {"games": batch.games, "seats": batch.seats, "builds": batch.builds, "rounds": batch.rounds}
        )

    def measure(
        self,
        cells: "Sequence[Cell]",
        seed: int,
        first_index: int,
        games: int,
        policies: Sequence[str],
        threads: int,
    ) -> Throughput:
        """Play so many games of each cell into rows, on so many threads, and tell how long it took."""
        from balance.games.nefarious.play import policy_codes
        from balance.games.nefarious.throughput import measure

        for cell in cells:
            _check_games(cell, seed, [first_index, first_index + max(games, 1) - 1], [policies] * 2, None)
        return measure(cells, seed, first_index, games, policy_codes(policies), threads)

    def replay(
        self, cell: "Cell", seed: int, game_index: int, policies: Sequence[str], replicate: int = 0
    ) -> list[Event]:
        """Play one game again into its event log."""
        from balance.games.nefarious.events import replay

        _check_games(cell, seed, [game_index], [policies], [replicate])
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

        return state_after(cell, seed, game_index, policies, round_, replicate)

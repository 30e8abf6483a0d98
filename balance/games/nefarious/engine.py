"""The half of the game that decides rows: names of policies, compiling cells, playing batches.

The engine hash begins here (`balance.games.sources`): every module that this one needs counts. What only
describes, replays, tunes or measures is in `game`. The compiler is imported only when something is played.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from balance.games import sources
from balance.games.facts import Facts
from balance.games.keys import check_keys
from balance.games.lineup import check_seated
from balance.games.nefarious.catalog.model import Catalog
from balance.games.nefarious.policies.names import policy_name, policy_number

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from balance.games.nefarious.rules import Cell


def check_games(
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


class Engine:
    """Compiles cells of Nefarious and plays them."""

    @property
    def facts(self) -> Facts:
        """What Nefarious is, before it is played."""
        from balance.games.nefarious.facts import FACTS

        return FACTS

    def engine_hash(self) -> str:
        """Return the digest of the sources that decide rows."""
        return sources.engine_hash(__name__)

    def variants(self, catalog: Catalog, edition: str) -> tuple[str, ...]:
        """Return the ids of the twists that an edition has."""
        return tuple(twist.id for twist in catalog.twists_of(catalog.edition(edition).id))

    policy_number = staticmethod(policy_number)
    policy_name = staticmethod(policy_name)

    def compile(
        self,
        catalog: Catalog,
        edition: str,
        players: int,
        variants: Sequence[str] = (),
    ) -> "Cell":
        """Compile the rules of a cell; twists in the order in which they were turned over."""
        from balance.games.nefarious.rules import compile_cell

        return compile_cell(catalog, edition, players, variants)

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

        from balance.games.nefarious.player import Player
        from balance.games.nefarious.tables import LAYOUTS

        again = np.zeros(len(indices), np.int64) if replicates is None else replicates
        check_games(cell, seed, indices, policies, again)
        batch = Player().play(
            cell,
            seed,
            np.array(indices, np.int64),
            np.ascontiguousarray(policies, np.int64),
            np.array(again, np.int64),
        )
        return {layout.name: layout.columns(getattr(batch, layout.name)) for layout in LAYOUTS}

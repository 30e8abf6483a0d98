"""Opening runs: what a folder of `balance simulate` holds, as frames to be queried.

The base of everything that reads games: it refuses what is unfinished, damaged at first sight or of an
unknown version, so that no analysis has to. Never writes.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from balance import games
from balance.dataset import manifest as states
from balance.dataset.deals import DEALS
from balance.dataset.plan import MOST_BYTES, Plan, parse_plan
from balance.dataset.schema import StoredTable, stored_tables
from balance.dataset.verify import read_rows, require_verified
from balance.errors import DataError, UsageError
from balance.files import open_regular
from balance.games.contract import Catalog, Game, Tuned
from balance.games.lineup import parse_lineup
from balance.nearest import unknown
from balance.text_columns import escape

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, repr=False)
class Run:
    """A finished run."""

    path: Path
    plan: Plan
    state: states.State
    verified: bool = False
    """Whether the files were compared with their checksums; or written by the call that returned the run."""

    def __repr__(self) -> str:
        return f"<Run {self.path}: {self.plan}>"

    def _repr_html_(self) -> str:
        tables = ", ".join(table.name for table in self.tables)
        told = html.escape(f"{self.path}: {self.plan}")
        return f"<p><b>Run</b> {told}<br>Tables: {html.escape(tables)}</p>"

    @cached_property
    def game(self) -> Game[Any, Any]:
        """The game that was played."""
        return games.get(self.plan.game)

    @cached_property
    def tables(self) -> tuple[StoredTable, ...]:
        """The big tables: every column with its type, role and meaning."""
        return stored_tables(self.game.facts)

    @cached_property
    def catalog(self) -> Catalog:
        """The catalog as used, from the run's own folder."""
        return read_catalog(self.path, self.plan, self.game)

    def files(self, table: str) -> list[Path]:
        """Return the Parquet files of a big table in the order of the shards; UsageError for a wrong name."""
        names = [*(known.name for known in self.tables), DEALS]
        if table not in names:
            raise UsageError(unknown("table", table, names))
        shards = sorted(self.state.shards.items())
        return [self.path / name for _, files in shards for name in files if name.startswith(f"{table}/")]

    def scan(self, table: str) -> pl.LazyFrame:
        """Return a big table, to be read when it is needed: `run.scan("games").filter(...).collect()`."""
        import polars as pl

        return pl.scan_parquet(self.files(table), glob=False, hive_partitioning=False)

    def small(self, table: str) -> pl.DataFrame:
        """Return a small table: `cells`, `policies`, `run`, or the entries of a kind, `twists`."""
        names = [name.removesuffix(".parquet") for name in self.state.head if name.endswith(".parquet")]
        if table not in names:
            raise UsageError(unknown("table", table, names))
        file = self.path / f"{table}.parquet"
        try:
            return read_rows(file)
        except DataError as problem:
            raise DataError(f"{file}: {problem}") from None

    def sql(self, query: str, /, **parameters: object) -> pl.DataFrame:
        """Ask in SQL, with a value for each `$name`; UsageError for what is wrong, or does more than read.

        A query `@length-by-players` is a ready one, by name; `limit=10` cuts its rows. The frame is one of
        polars; its `.to_pandas()` makes one of pandas, if pandas and pyarrow are installed.

        >>> import balance, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     options = {"players": "2-3", "variants": "none", "lineups": "mirror:random"}
        ...     run = balance.simulate(f"{folder}/run", games_per_cell=5, **options)
        ...     found = run.sql("select players, count(*) from games where players > $n group by all", n=2)
        >>> found.rows()
        [(3, 5)]
        """
        return Runs([self]).sql(query, **parameters)

    @property
    def games(self) -> pl.LazyFrame:
        """One row per game."""
        return self.scan("games")

    @property
    def seats(self) -> pl.LazyFrame:
        """One row per seat of a game."""
        return self.scan("seats")

    @property
    def cells(self) -> pl.DataFrame:
        """One row per cell."""
        return self.small("cells")


class Runs(list[Run]):
    """Finished runs that are read together."""

    def __repr__(self) -> str:
        return f"<Runs: {', '.join(str(run.path) for run in self)}>"

    def _repr_html_(self) -> str:
        return "\n".join(run._repr_html_() for run in self)

    def sql(self, query: str, /, **parameters: object) -> pl.DataFrame:
        """Ask all of them in SQL, as `Run.sql` does; a column `run` names the run of each row."""
        from balance.dataset.connection import connect
        from balance.dataset.saved_queries import bound, find_question

        with connect(self) as con:
            if query.startswith("@"):
                return con.frame(*bound(con, find_question(query[1:], game=con.game.name), parameters))
            return con.frame(query, parameters)


def open_run(path: str | Path, *, verify: bool = True) -> Run:
    """Open a finished run; DataError says what is missing, unfinished, damaged or of an unknown version.

    Every file is compared with its checksum, once per process and hour; `verify=False` leaves that out.
    """
    folder = Path(path)
    plan = read_plan(folder)
    state = states.read_state(folder, plan)
    states.require_finished(folder, state, plan.shards)
    return Run(folder, plan, state, verified=verify and require_verified(folder, plan, state))


def open_runs(paths: Sequence[str | Path], *, verify: bool = True) -> Runs:
    """Open runs that are read together: extensions of one another, no game in two of them."""
    opened = Runs(open_run(path, verify=verify) for path in paths)
    if not opened:
        raise UsageError("no run is given")
    for k, run in enumerate(opened):
        for other in opened[:k]:
            _refuse_overlap(other, run)
    return opened


def read_plan(folder: Path) -> Plan:
    """Read the plan of a run, finished or not; DataError if no game has such a plan."""
    if "\n" in str(folder):
        raise DataError(
            f"{escape(str(folder))} has a line break in its name, which messages would show as one"
        )
    file = folder / states.RUN
    try:
        with open_regular(folder, states.RUN, MOST_BYTES) as content:
            text = content.read().decode()
        plan = parse_plan(text, str(file))
        _require_known(plan)
        return plan
    except UsageError as error:  # the mistake is in the file
        raise DataError(f"{file}: {error}") from None
    except (FileNotFoundError, NotADirectoryError):
        raise DataError(f"there is no run in {folder}: {states.RUN} is missing") from None
    except OSError as error:
        raise DataError(f"{file}: {error.strerror or error}") from None
    except ValueError as error:
        if isinstance(error, UnicodeDecodeError):
            raise DataError(f"{file} is damaged: it is not UTF-8 text") from None
        raise UsageError(f"{folder} does not name a folder: {error}") from None


def _require_known(plan: Plan) -> None:
    game = games.get(plan.game)
    low, high = game.facts.players
    for players, lineup in {(cell.players, cell.lineup) for cell in plan.cells}:
        if not low <= players <= high:
            raise UsageError(f"{players} players; {game.facts.title} has {low} to {high}")
        try:
            parse_lineup(lineup, players, game)
        except ValueError:
            raise UsageError(f"lineup {lineup:.40}: a number has far too many digits") from None
    many = max((len(cell.variants) for cell in plan.cells), default=0)
    if many > game.facts.variants_at_once:
        raise UsageError(
            f"{many} {game.facts.variants} at once; {game.facts.title} has {game.facts.variants_at_once}"
        )
    heads = (plan.edition, plan.parent, plan.catalog_version, *plan.versions, *plan.versions.values())
    if not all(map(str.isprintable, (*heads, *(name for cell in plan.cells for name in cell.variants)))):
        raise UsageError("a text with control characters")


def read_catalog(folder: Path, plan: Plan, game: Game[Any, Any]) -> Catalog:
    """Read the catalog, policies included, that a run was played with; DataError if it is another by now."""
    try:
        catalog: Catalog = game.read_catalog(folder / states.CATALOG)
        if isinstance(game, Tuned):
            catalog = game.with_policies(catalog, folder / states.POLICIES)
    except UsageError as error:  # it names the file
        raise DataError(str(error)) from None
    if catalog.hash != plan.catalog_hash:
        raise DataError(f"{folder / states.CATALOG} is not the catalog that the run was played with")
    if isinstance(game, Tuned) and game.policies_hash(catalog) != plan.policies_hash:
        raise DataError(f"{folder / states.POLICIES} does not hold the policies that played the run")
    require_variants(folder, plan, game, catalog)
    return catalog


def require_variants(folder: Path, plan: Plan, game: Game[Any, Any], catalog: Catalog) -> None:
    """Refuse a plan with an edition or a variant that the catalog of the run does not have."""
    try:
        known = game.variants(catalog, plan.edition)
    except UsageError as error:
        raise DataError(f"{folder / states.RUN}: {error}") from None
    for name in sorted({name for cell in plan.cells for name in cell.variants}.difference(known)):
        raise DataError(f"{folder / states.RUN}: the catalog of the run has no {game.facts.variant} {name}")


def _refuse_overlap(one: Run, two: Run) -> None:
    both = f"{one.path} and {two.path}"
    for name in ("game", "edition", "seed", "ordered", "catalog_hash", "policies_hash", "engine_hash"):
        if getattr(one.plan, name) != getattr(two.plan, name):
            raise UsageError(
                f"{both} cannot be read together: their {name.replace('_', ' ')} differs; "
                "runs are read together if one extends the other"
            )
    cells = {cell.id: cell for cell in one.plan.cells}
    for cell in two.plan.cells:
        known = cells.get(cell.id)
        if known is None:
            continue
        if known.key != cell.key:
            raise UsageError(f"{both} cannot be read together: cell {cell.id} is {known} there, {cell} here")
        if known.common(cell):
            raise UsageError(f"{both} overlap: both hold games of the cell {cell}")

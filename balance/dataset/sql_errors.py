"""What an error of DuckDB means: a mistake of the user, a damaged run, or other trouble."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import duckdb

from balance.dataset import sql_quote
from balance.dataset.run import Run
from balance.dataset.sql_guard import shortened
from balance.dataset.verify import damages
from balance.errors import BalanceError, DataError, Failed, UsageError
from balance.userfiles import quoted

_OF_PARQUET: Final = re.compile("Parquet|TProtocol|ZSTD")
"""Words of DuckDB's Parquet reader, which does not always name the file."""
_MISTAKES: Final = (
    *(duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException, duckdb.PermissionException),
    *(duckdb.ConversionException, duckdb.OutOfRangeException, duckdb.TypeMismatchException),
)
"""What only a query can cause; other errors may also come from a file that is not as it was written."""


def explained(error: Exception, runs: Sequence[Run], *, asked: bool = True) -> BalanceError:
    """Return what an error of DuckDB means: a mistake of the user, a damaged run, or other trouble.

    Where the user has `asked` nothing yet, only the run can be wrong.
    """
    trouble = isinstance(error, (duckdb.IOException, duckdb.InternalException, duckdb.FatalException))
    if not asked or not isinstance(error, _MISTAKES):
        for run in runs:
            for damage in damages(run.path, run.state):
                return _damaged(run, f"{damage.file}: {damage.problem}")
        for run in runs:
            if not (asked or trouble) or _names_unreadable(error, run):
                return _damaged(run, _plain(error).partition("\n")[0])
    if trouble:
        return Failed(_plain(error))
    if isinstance(error, duckdb.PermissionException):
        return UsageError(
            _plain(error).replace(
                "file system operations are disabled by configuration",
                "only the files of the runs can be read, and nothing can be written",
            )
        )
    return UsageError(_plain(error))


def _names_unreadable(error: Exception, run: Run) -> bool:
    """Return whether an error is of a Parquet file of the run that cannot be read as what it is."""
    unnamed = isinstance(error, UnicodeDecodeError) or _OF_PARQUET.search(str(error))
    for name in run.state.files():
        file = run.path.resolve() / name
        if file.suffix == ".parquet" and (unnamed or str(file) in str(error)):
            try:
                with duckdb.connect(config={"memory_limit": "1GB"}) as con:
                    rows = sql_quote.parquet([file])
                    con.execute(f"select bit_xor(hash(x)) from {rows} x").fetchall()  # noqa: S608 - quoted
                    _ = con.sql(f"from {rows}").columns
            except (duckdb.Error, UnicodeDecodeError):
                return True
    return False


def _damaged(run: Run, what: str) -> DataError:
    return DataError(f"{run.path} is damaged: {what}; 'balance doctor {quoted(run.path)}' shows everything")


def _plain(error: BaseException) -> str:
    """Return DuckDB's message and the place in the user's text, cut short, without advice on settings."""
    message = str(error)
    # what runs begins with a line of ours
    message = re.sub(
        r"^LINE (\d+):", lambda line: f"LINE {max(1, int(line[1]) - 1)}:", message, flags=re.MULTILINE
    )
    return shortened(message)

"""The SQL that turns the columns of a result into what a format can hold, every value exact.

DuckDB writes the files itself; this only chooses the expressions. Its own JSON rounds decimal numbers and
writes NaN, its Parquet rounds numbers of 128 bits, its CSV writes nested values in a notation of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from balance.dataset import sql_quote

if TYPE_CHECKING:
    from duckdb.sqltypes import DuckDBPyType

NOT_ARROW: Final = re.compile(r"HUGEINT|INTERVAL|TIME WITH TIME ZONE|\bBIT\b|BIGNUM|UNION|VARIANT|GEOMETRY")
"""Types that polars and Parquet do not know, or would get changed."""
_NUMBER: Final = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$|FLOAT|DOUBLE|DECIMAL\(|BIGNUM")
_NESTED: Final = ("list", "array", "struct", "map", "union", "tuple")
_PLAIN_JSON: Final = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?$|DECIMAL\(|BIGNUM|BOOLEAN")
"""Types whose text is their JSON."""


class Column(NamedTuple):
    """One column of a result."""

    name: str
    type: DuckDBPyType

    @property
    def is_number(self) -> bool:
        """Whether its values stand flush right in a table."""
        kind = str(self.type)
        return bool(_NUMBER.match(kind)) and not kind.endswith("]")

    @property
    def is_nested(self) -> bool:
        """Whether its texts are JSON."""
        return self.type.id in _NESTED


def texts(query: str, columns: Sequence[Column]) -> str:
    """Return a query for the same rows as texts: nested values as JSON, NULL as NULL."""
    return _select(query, columns, [_text(f"c{k}", column.type) for k, column in enumerate(columns)])


def csv(query: str, columns: Sequence[Column]) -> str:
    """Return a query whose rows DuckDB writes as CSV: NULL is nothing, an empty text a pair of quotes."""
    values = [
        _text(f"c{k}", column.type) if column.is_nested else f"c{k}" for k, column in enumerate(columns)
    ]
    if len(values) == 1:  # a line of one NULL would be an empty line, which readers skip
        values = [f"coalesce({values[0]}::varchar, '')"]
    return _select(query, columns, values)


def json_lines(query: str, columns: Sequence[Column]) -> str:
    """Return a query of one column: each row as a JSON object on one line."""
    parts = [f"{_key(column.name)} || {_json(f'c{k}', column.type)}" for k, column in enumerate(columns)]
    row = " || ', ' || ".join(parts)
    return _select(query, columns, [f"'{{' || {row} || '}}'"], ["line"])


def arrow(query: str, columns: Sequence[Column]) -> str:
    """Return a query for the same rows in types that Arrow and polars know; others become texts."""
    return _select(query, columns, [_plain(k, column) for k, column in enumerate(columns)])


def ranges(columns: Sequence[Column]) -> str:
    """Return a query over a table `result` for the smallest and the largest value of each wide column.

    It has one row, whatever the table holds.
    """
    ends = [f"min(c{k}), max(c{k})" if _is_wide(c) else "min(null), null" for k, c in enumerate(columns)]
    inner = ", ".join(f"c{k}" for k in range(len(columns)))
    return f"select {', '.join(ends)} from result as t({inner})"  # noqa: S608 - no word of the user in it


def parquet(query: str, columns: Sequence[Column], ends: Sequence[int | None]) -> str:
    """Return a query whose rows Parquet holds exactly; a wide number has the smallest type for its range."""
    values = []
    for k, column in enumerate(columns):
        low, high = ends[2 * k] or 0, ends[2 * k + 1] or 0
        if not _is_wide(column):
            value = _plain(k, column)
        elif low >= -(2**63) and high < 2**63:
            value = f"c{k}::bigint"
        elif max(-low, high) < 10**38:
            value = f"c{k}::decimal(38, 0)"
        else:
            value = f"c{k}::varchar"
        values.append(value)
    return _select(query, columns, values)


def _plain(place: int, column: Column) -> str:
    return _text(f"c{place}", column.type) if NOT_ARROW.search(str(column.type)) else f"c{place}"


def _is_wide(column: Column) -> bool:
    return str(column.type) in ("HUGEINT", "UHUGEINT")


def _select(
    query: str, columns: Sequence[Column], values: Sequence[str], names: Sequence[str] | None = None
) -> str:
    shown = ", ".join(
        f"{value} as {sql_quote.name(name)}"
        for value, name in zip(values, names or [column.name for column in columns], strict=True)
    )
    inner = ", ".join(f"c{k}" for k in range(len(columns)))
    return f"select {shown} from ({query}) as t({inner})"  # noqa: S608 - the gate has passed the query


def _key(name: str) -> str:
    return sql_quote.text(json.dumps(name, ensure_ascii=False) + ": ")


def _text(value: str, kind: DuckDBPyType) -> str:
    if kind.id not in _NESTED:
        return f"{value}::varchar"
    return f"case when {value} is not null then {_json(value, kind)} end"


def _json(value: str, kind: DuckDBPyType, depth: int = 0) -> str:
    """Return an expression for a value as JSON; a number that is not finite is null there."""
    if kind.id in ("list", "array"):
        item = f"x{depth}"
        inner = _json(item, cast("DuckDBPyType", kind.children[0][1]), depth + 1)
        made = f"'[' || array_to_string(list_transform({value}, lambda {item}: {inner}), ', ') || ']'"
    elif kind.id == "struct":
        fields = []
        for name, own in kind.children:
            field = f"struct_extract({value}, {sql_quote.text(name)})"
            fields.append(f"{_key(name)} || {_json(field, cast('DuckDBPyType', own), depth)}")
        made = "'{' || " + " || ', ' || ".join(fields) + " || '}'"
    elif kind.id == "map":
        item = f"x{depth}"
        inner = _json(f"{item}.value", cast("DuckDBPyType", kind.children[1][1]), depth + 1)
        pair = f"to_json({item}.key::varchar)::varchar || ': ' || {inner}"
        pairs = f"list_transform(map_entries({value}), lambda {item}: {pair})"
        made = f"'{{' || array_to_string({pairs}, ', ') || '}}'"
    elif str(kind) in ("DOUBLE", "FLOAT"):
        made = f"case when isfinite({value}) then to_json({value})::varchar end"
    elif _PLAIN_JSON.match(str(kind)):
        made = f"{value}::varchar"
    else:
        made = f"to_json({value})::varchar"
    return f"case when {value} is null then 'null' else coalesce({made}, 'null') end"

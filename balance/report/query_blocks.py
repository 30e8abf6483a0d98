"""Results of query files as tables and figures; the head of a file says how they look.

Nothing is computed: values are those of the query, and texts are these values printed.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from balance.dataset import derived
from balance.dataset.saved_queries import Question, bind, interval_of, report_question
from balance.dataset.views import keep_views
from balance.errors import BalanceError, UsageError
from balance.nearest import unknown
from balance.report.formatting import UNKNOWN, command_path, interval, printed, series_name, slug
from balance.report.glossary import own_words
from balance.report.model import Cell, Chart, Heading, Mark, Section, Source, Table
from balance.stats.intervals import Interval

if TYPE_CHECKING:
    import duckdb

    from balance.dataset.connection import Connection
    from balance.dataset.exact import Column
    from balance.dataset.run import Run

Values = tuple[tuple[Any, ...], ...]
_MOST_ROWS: Final = 5_000
"""Rows of a table at most: a report is read by people."""
_LONGEST: Final = 1_000
"""Characters of a text that a query of a user returns."""
_FARTHEST: Final = 1e15
"""The largest number in a figure of a user."""
_IDS: Final = ("variant", "item", "pair", "lineup", "of")
"""Kinds of columns that are looked up."""
_WITH_NAMES: Final = ("bars", "rows")
"""Figures that may have names on the axis of x."""
_LONG: Final = 40
_PLAIN: Final = {"signed": "number", "form": "number", "lineup": "text", "of": "text"}
"""Kinds that the head of a column does not know."""
_MIXED: Final = {"None", "none"}
"""What stands among variants and is none: it keeps its place."""


class RunQueries:
    """The query files of reports on some runs; what several of them read is computed once."""

    def __init__(
        self,
        run: Run,
        con: duckdb.DuckDBPyConnection,
        names: Mapping[Any, str],
        counts: Sequence[int] = (),
        judging: str = "",
    ) -> None:
        """Take the command that gives the verdicts where those of SQL are others."""
        self._con = con
        self._results: dict[object, tuple[list[str], Values]] = {}
        self._facts, self._game = run.game.facts, run.game.name
        self._narrowed = {"counts": ",".join(map(str, counts))} if counts else {}
        self._names = names
        self._judging = judging

    def has(self, name: str) -> bool:
        """Return whether a query file is for the game at hand."""
        return report_question(name).game in ("", self._game)

    def ask(
        self, name: str, caption: str = "", *, n: str = "", table: bool = False, **given: Any
    ) -> Table | Chart:
        """Run `report/NAME.sql` or a ready query; return its result as its head says, or as a table."""
        question = report_question(name)
        given |= self._narrowing(question)
        columns, rows = self._rows(question, given)
        telling = [str(given[key]) for key in ("lineup", "variant", "which") if key in given]
        made = block_of(
            question, columns, rows, given, names=self._names,
            name=slug("-".join([name, *telling]) + ("" if table or not question.figure else "-figure")),
            caption=caption, n=n, table=table,
        )  # fmt: skip
        made = self._worded(made, caption)
        if self._judging and derived.named(question.sql):
            made = replace(made, source=Source(n, command=self._judging))
        return made

    def _worded(self, made: Table | Chart, caption: str) -> Table | Chart:
        """Return a block in the game's words, where they are those of the file; `caption` is not."""
        own = partial(own_words, facts=self._facts)
        made = replace(made, caption=caption or own(made.caption), note=own(made.note))
        if isinstance(made, Chart):
            return replace(made, alt=own(made.alt))
        heads = [replace(head, title=own(head.title), help=own(head.help)) for head in made.headings]
        rows = (
            tuple(
                replace(cell, text=own(cell.text)) if head.kind == "text" else cell
                for head, cell in zip(heads, row, strict=True)
            )
            for row in made.rows
        )
        return replace(made, headings=tuple(heads), rows=tuple(rows))

    def records(self, name: str) -> list[dict[str, Any]]:
        """Run a query file and return its rows by column."""
        question = report_question(name)
        columns, rows = self._rows(question, self._narrowing(question))
        return [dict(zip(columns, row, strict=True)) for row in rows]

    def _narrowing(self, question: Question) -> dict[str, Any]:
        """Return the parameters that keep a query to the numbers of players asked for."""
        known = {parameter.name for parameter in question.parameters}
        return {name: value for name, value in self._narrowed.items() if name in known}

    def _rows(self, question: Question, given: Mapping[str, Any]) -> tuple[list[str], Values]:
        """Return the result of a query; where rows name their lineup, all lineups are asked for at once."""
        optional = {p.name for p in question.parameters if not p.required and p.default is None}
        alike = "lineup" in optional and "lineup" in dict(question.columns)
        every = {k: v for k, v in given.items() if not (alike and k == "lineup")}
        key = question.name, tuple(sorted(every.items()))
        if key not in self._results:
            keep_views(self._con, question.sql, str(every.get("lineup", "")))
            result = self._con.execute(question.sql, bind(self._con, question, every))
            columns = [column[0] for column in result.description or []]
            self._results[key] = columns, tuple(result.fetchall())
        columns, rows = self._results[key]
        if len(every) < len(given):
            rows = tuple(row for row in rows if row[columns.index("lineup")] == given["lineup"])
        return columns, rows


def rows_of(block: Table | Chart) -> int:
    """Return how many rows the query behind a block has."""
    return len(block.raw[1]) if block.raw else 0


def records_of(block: Table | Chart) -> list[dict[str, Any]]:
    """Return the rows of the query behind a block, by column."""
    columns, rows = block.raw or ((), ())
    return [dict(zip(columns, row, strict=True)) for row in rows]


def block_of(
    question: Question,
    columns: Sequence[str],
    rows: Values,
    parameters: Mapping[str, Any],
    *,
    name: str = "",
    caption: str = "",
    n: str = "",
    names: Mapping[Any, str] | None = None,
    table: bool = False,
) -> Table | Chart:
    """Return the result of a query file as its head says; `table` asks for a table in any case.

    `names` are printed instead of ids in columns of the kinds `variant`, `item`, `pair` and `lineup`.
    """
    names = names or {}
    made = _chart if question.figure and not table else _table
    return replace(
        made(question, columns, _by_name(question, columns, rows, names), names),
        id=name or slug(question.name),
        caption=caption or question.title or question.question,
        source=Source(n, sql=question.sql, query=question.name, parameters=dict(parameters)),
        note=question.note,
        raw=(tuple(columns), rows),
    )


def _by_name(question: Question, columns: Sequence[str], rows: Values, names: Mapping[Any, str]) -> Values:
    """Return rows in the order of the names that are printed, where that of the query is of variants' ids."""
    kinds = {own: kind for (own, _), (_, kind) in zip(question.columns, question.heads, strict=True)}
    column = next((k for k, own in enumerate(columns) if kinds.get(own) in ("variant", "pair")), None)
    ids = [] if column is None else [row[column] for row in rows]
    if column is None or _MIXED & set(map(str, ids)) or ids != sorted(ids):
        return rows
    kind = kinds[columns[column]]
    return tuple(sorted(rows, key=lambda row: _cell(row[column], kind, None, None, False, names).text))


def chapters_of(con: Connection, questions: Sequence[Question]) -> list[Section]:
    """Return a chapter with the result of each query of a user; files of the same name differ by a number."""
    found: list[Section] = []
    for question in questions:
        name = f"with-{slug(question.name)}"
        name += f"-{again}" if (again := 1 + sum(one.id.startswith(name) for one in found)) > 1 else ""
        columns, rows = _asked(con, question)
        own = replace(question, name=command_path(question.path))
        found.append(Section(name, question.question, (block_of(own, columns, rows, {}, name=name),)))
    return found


def _asked(con: Connection, question: Question) -> tuple[list[str], Values]:
    """Run a query of a user behind the gate of `balance sql`; UsageError names file and line."""
    lines = question.sql.splitlines()
    head = next((k for k, line in enumerate(lines) if not line.startswith("--")), 0)
    try:
        result = con.texts("\n".join(lines[head:]), con.bind(question, {}))
        rows = list(islice((row for chunk in result.chunks() for row in chunk), _MOST_ROWS + 1))
        result.close()
    except BalanceError as error:
        said = str(error).removeprefix(f"{question.path}: ")
        if said == str(error):  # it is about the text without its head
            said = re.sub(r"LINE (\d+):", lambda found: f"LINE {int(found[1]) + head}:", said)
        where = "" if "LINE " in said else f"line {head + 1}: "
        raise type(error)(f"{question.path}: {where}{said}") from error
    if len(rows) > _MOST_ROWS:
        raise UsageError(f"{question.path}: more than {_MOST_ROWS:,} rows are too many for a report")
    columns = [column.name for column in result.columns]
    values = tuple(tuple(map(_value, row, result.columns)) for row in rows)
    for name, _ in question.columns:
        if name not in columns:
            raise _misnamed(question, name, unknown("column of its result", name, columns))
    if any(isinstance(value, str) and len(value) > _LONGEST for row in values for value in row):
        raise UsageError(
            f"{question.path}: a text of more than {_LONGEST:,} characters is too long for a report"
        )
    named = {
        own for (own, _), (_, kind) in zip(question.columns, question.heads, strict=True) if kind in _IDS
    }
    named |= {question.axes[word] for word in ("label", "series", "x") if word in question.axes}
    for name in sorted(named):
        if result.columns[columns.index(name)].is_nested:
            raise _misnamed(question, name, f"{name} has to be a name or a number, not a list or the like")
    for word in ("x", "y", "low", "high", "middle", "n"):
        axis = question.axes.get(word)
        if not axis or (word == "x" and question.figure in _WITH_NAMES):
            continue
        place = columns.index(axis)
        if not result.columns[place].is_number:
            raise _misnamed(question, axis, f"the figure needs numbers in {axis}")
        known = [row[place] for row in values if row[place] is not None]
        if any(abs(value) > _FARTHEST for value in known):
            raise _misnamed(question, axis, f"a number in {axis} is too large to be drawn")
        if word in ("x", "n") and (len(known) < len(values) or any(map(math.isnan, known))):
            raise _misnamed(question, axis, f"the figure needs a number in each row of {axis}")
    return columns, values


def _misnamed(question: Question, column: str, message: str) -> UsageError:
    """Return the error about a column, with the line of the head that names it."""
    lines = question.sql.splitlines()
    named = re.compile(rf"--\s+{re.escape(column)}\s*[:\[]")
    line = next((k for k, line in enumerate(lines, 1) if named.match(line)), 1)
    return UsageError(f"{question.path}: line {line}: {message}")


def _value(text: str | None, column: Column) -> Any:
    """Return the value that a text of `balance sql` stands for: what its JSON holds."""
    kind = str(column.type)
    if text is None:
        return None
    if kind == "BOOLEAN":
        return text == "true"
    if column.is_number:
        return int(text) if kind.endswith(("INT", "INTEGER", "BIGNUM")) else float(text)
    return json.loads(text) if column.is_nested else text


# --- tables


def _table(question: Question, columns: Sequence[str], rows: Values, names: Mapping[Any, str]) -> Table:
    intervals = {column: ends for column in columns if (ends := interval_of(columns, column))}
    hidden = {end for ends in intervals.values() for end in ends}
    heads = {own: head for (own, _), head in zip(question.columns, question.heads, strict=True)}
    meanings = dict(question.columns)
    shown = [c for c in columns if c not in hidden and heads.get(c, ("", ""))[1] != "hidden"]
    kinds = {c: heads.get(c, ("", ""))[1] or _kind([row[columns.index(c)] for row in rows]) for c in shown}

    def heading(column: str, title: str = "") -> Heading:
        plain = _PLAIN.get(kinds[column], kinds[column])
        kind = "interval" if column in intervals else plain
        own = title or heads.get(column, ("", ""))[0] or column.replace("_", " ").capitalize()
        return Heading(column, own, kind, meanings.get(column, ""))

    def cell(row: Mapping[str, Any], column: str) -> Cell:
        low, high = (row[end] for end in intervals[column]) if column in intervals else (None, None)
        kind = kinds[column]
        if kind == "form":
            kind = row.get("form", "number")
        elif kind == "of":
            kind = "item" if row.get("metric") == "item" else "text"
        return _cell(row[column], kind, low, high, column in intervals, names)

    records = [dict(zip(columns, row, strict=True)) for row in rows]
    if question.spread is None:
        headings = [heading(column) for column in shown]
        cells = [[cell(row, column) for column in shown] for row in records]
    else:
        over, value = question.spread
        keys = shown[: shown.index(over)]
        across = list(dict.fromkeys(row[over] for row in records))
        across = sorted(across) if all(isinstance(one, int) for one in across) else across
        headings = [heading(c) for c in keys]
        headings += [
            heading(value, f"{one} {over}" if isinstance(one, int) else str(names.get(one, one)))
            for one in across
        ]
        by_key: dict[str, dict[Any, Mapping[str, Any]]] = {}
        for row in records:
            by_key.setdefault(str([row[key] for key in keys]), {})[row[over]] = row
        cells = [
            [cell(next(iter(own.values())), key) for key in keys]
            + [cell(own[one], value) if one in own else Cell(None, UNKNOWN) for one in across]
            for own in by_key.values()
        ]
    found = tuple(map(tuple, cells))
    return Table("", "", tuple(headings), found, Source(""), long=len(cells) > _LONG)


def _cell(value: Any, kind: str, low: Any, high: Any, has_interval: bool, names: Mapping[Any, str]) -> Cell:
    if value is None:
        return Cell(None, UNKNOWN)
    if kind in ("variant", "item", "lineup"):
        return Cell(value, str(names.get(value, value)))
    if isinstance(value, bool):
        return Cell(value, "yes" if value else "no")
    if isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(x, dict | list) for x in value)
    ):
        return Cell(value, json.dumps(value, ensure_ascii=False))
    if isinstance(value, list | tuple):
        return Cell(tuple(value), " + ".join(str(names.get(one, one)) for one in value))
    if kind in ("text", "verdict") or not isinstance(value, int | float):
        return Cell(value, str(value))
    if not has_interval:
        return Cell(value, printed(float(value), kind))
    return interval(Interval(value, *(math.nan if end is None else end for end in (low, high))), kind)


def _kind(values: Sequence[Any]) -> str:
    """Return how a column is printed whose kind the head does not give."""
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, int) and not isinstance(value, bool) for value in known):
        return "integer"
    return "number" if known and all(isinstance(value, int | float) for value in known) else "text"


# --- figures


def _chart(question: Question, columns: Sequence[str], rows: Values, names: Mapping[Any, str]) -> Chart:
    axes = question.axes
    heads = dict(zip([column for column, _ in question.columns], question.heads, strict=True))
    data = {
        word: tuple(row[columns.index(axes[word])] for row in rows)
        for word in ("label", "series", "x", "y", "low", "high", "middle", "n")
        if word in axes
    }
    for word in ("y", "middle"):
        ends = interval_of(columns, axes[word]) if word in axes else None
        for end, column in zip(("low", "high"), ends or ("", ""), strict=True):
            key = end if word == "y" else f"middle_{end}"
            data.setdefault(key, tuple(row[columns.index(column)] if column else None for row in rows))
    if heads.get(axes.get("label", ""), ("", ""))[1] in ("variant", "item"):
        data["label"] = tuple(names.get(one, one) for one in data["label"])
    data.setdefault("series", ("",) * len(rows))
    y = [value for value in data["y"] if value is not None]
    kind = axes.get("y_kind") or heads[axes["y"]][1]
    shown = (
        f" From {printed(min(y), kind)} to {printed(max(y), kind)}."
        if y and all(isinstance(one, int | float) for one in y)
        else ""
    )
    chart = Chart(
        "",
        "",
        question.figure,
        data,
        Source(""),
        f"{question.question}{shown}",
        x_title=axes.get("x_title", ""),
        y_title=axes.get("y_title", axes["y"].replace("_", " ")),
        y_kind=kind if kind in ("share", "integer") else "number",
        reference=float(axes["reference"]) if "reference" in axes else None,
        stacked=axes.get("stacked") == "yes",
    )
    linked = next((c for c in columns if heads.get(c, ("", ""))[1] in ("variant", "item", "pair")), "")
    values = [row[columns.index(linked)] if linked else None for row in rows]
    counted = (heads[axes["n"]][0] or axes["n"]).lower() if "n" in axes else ""
    marks = (
        Mark(
            _tip(chart, place, kind, counted), heads[linked][1] if linked else "", values[place[0]]
        )
        for place in chart.places()
    )  # fmt: skip
    return replace(chart, marks=tuple(marks))


def _tip(chart: Chart, place: Sequence[int], kind: str, counted: str) -> str:
    """Return the numbers of a part of a chart in words: what, how much with its interval, over how many."""
    data, first = chart.data, place[0]
    series = list(map(series_name, data["series"]))

    def figure(word: str, row: int, low: str, high: str, kind: str) -> str:
        value, least, most = (data[key][row] if key in data else None for key in (word, low, high))
        return _cell(value, kind, least, most, least is not None, {}).text

    n = data.get("n", ())
    alike = len({n[row] for row in place}) == 1 if n else False

    def over(row: int) -> str:
        return f" ({n[row]:,} {counted})" if n else ""

    named = chart.kind != "scatter" and any(data["series"])
    where = [str(data["label"][first])] if "label" in data else []
    if "x" in data and chart.kind != "ridges":
        where.append(f"{'' if chart.kind == 'rows' else chart.x_title} {data['x'][first]}".strip())
    if chart.kind == "ridges":
        said = [f"median {figure('middle', first, 'middle_low', 'middle_high', 'integer')} {chart.x_title}"]
    elif len(place) == 1:
        where += [series[first]] if named else []
        said = [figure("y", first, "low", "high", kind)]
    else:
        said = [
            f"{series[row]} {figure('y', row, 'low', 'high', kind)}{'' if alike else over(row)}"
            for row in place
        ]
    return f"{', '.join(where)}: {', '.join(said)}{over(first) if alike else ''}"

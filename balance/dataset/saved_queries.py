"""Ready queries: a question in a file `NAME.sql`, with a head that says what it asks, takes and answers.

The same form serves the queries that ship with the toolkit and those of a user; docs/queries.md explains it.
The head is a comment, so a file can be given to anything that speaks SQL on the views of
`balance.dataset.views`. Values of parameters are bound, never pasted into the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from balance.errors import CatalogError, Problem, UsageError
from balance.nearest import unknown
from balance.userfiles import read_file

if TYPE_CHECKING:
    import duckdb

    from balance.dataset.connection import Connection


OURS: Final = Path(__file__).resolve().parent.parent / "queries"
REPORT: Final = "report/"
MOST_TEXT: Final = 1_000_000
_TYPES: Final = ("text", "integer", "number", "boolean")
_PARAMETER: Final = re.compile(
    r"\$(?P<name>\w+) \((?P<type>[\w.]+), (?:(?P<how>required|optional)|default (?P<default>[^)]+))\): "
    r"(?P<meaning>.+)"
)
_COLUMN: Final = re.compile(r"(?P<name>\w+)(?: \[(?P<title>[^\],]*)(?:, (?P<kind>\w+))?\])?: (?P<meaning>.+)")
KINDS: Final = (
    "text",
    "integer",
    "number",
    "share",
    "signed",
    "verdict",
    "variant",
    "item",
    "pair",
    "lineup",
    "form",
    "of",
    "hidden",
)
"""How the values of a column are printed, and what they are linked to."""
FIGURES: Final = {
    "bars": ("x", "series", "y"),
    "histogram": ("x", "series", "y"),
    "areas": ("x", "series", "y"),
    "lines": ("x", "series", "y"),
    "dots": ("label", "y"),
    "scatter": ("label", "x", "y"),
    "ridges": ("label", "x", "y", "middle"),
    "rows": ("label", "x", "y"),
}
"""The kinds of figures that a head may ask for, and what each needs to know."""
_FIGURE_WORDS: Final = (
    *("label", "series", "x", "y", "low", "high", "middle", "n"),
    *("x_title", "y_title", "y_kind", "reference", "stacked"),
)
_FEW: Final = 12
HEAD: Final = re.compile(r"\s*--\s*Question:")
_HEADINGS: Final = ("Question", "Game", "Parameters", "Columns", "Title", "Note", "Spread", "Figure")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a ready query."""

    name: str
    type: str
    meaning: str
    required: bool = False
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A ready query."""

    name: str
    question: str
    game: str
    """The game whose words it uses; empty: any."""
    parameters: tuple[Parameter, ...]
    columns: tuple[tuple[str, str], ...]
    sql: str
    path: Path
    heads: tuple[tuple[str, str], ...] = ()
    title: str = ""
    note: str = ""
    spread: tuple[str, str] | None = None
    figure: str = ""
    """How a report draws the result; empty: as a table."""
    axes: Mapping[str, str] = field(default_factory=dict)
    """For a figure: which column is on which axis, and titles."""


# --- finding them


def questions(game: str | None = None) -> dict[str, Question]:
    """Return the ready queries by name; with `game`, only those for it or for any."""
    found = map(load_question, sorted(OURS.glob("*.sql")))
    return {known.name: known for known in found if game is None or known.game in ("", game)}


def find_question(name: str, game: str | None = None) -> Question:
    """Return a ready query by its name, or by the path of its file; UsageError with the nearest names."""
    if name.endswith(".sql"):
        return load_question(Path(name))
    if name.startswith(REPORT):
        return load_question(OURS / f"{name}.sql")
    known = questions(game)
    if name in known:
        return known[name]
    elsewhere = questions().get(name) if game else None
    if elsewhere:
        raise UsageError(f"the ready query '{name}' is for the game {elsewhere.game}, this run is of {game}")
    raise UsageError(unknown("ready query", name, known))


def report_question(name: str) -> Question:
    """Return the query behind a table of a report: one of its own, `report/NAME`, or a ready one."""
    own = OURS / f"{REPORT}{name}.sql"
    if not own.exists():
        return find_question(name)
    return replace(load_question(own), name=f"{REPORT}{name}")


def interval_of(columns: Sequence[str], name: str) -> tuple[str, str] | None:
    """Return the columns with the ends of a column's interval; None if it has none.

    >>> interval_of(["mean", "low", "high"], "mean"), interval_of(["low", "high"], "low")
    (('low', 'high'), None)
    """
    if {f"{name}_low", f"{name}_high"} <= set(columns):
        return f"{name}_low", f"{name}_high"
    after = list(columns[columns.index(name) + 1 :][:2])
    return ("low", "high") if after == ["low", "high"] else None


def read_query(file: str | Path) -> str:
    """Return the text of a file of SQL; UsageError for what is not one."""
    try:
        return read_file(file, MOST_TEXT).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not UTF-8 text") from None
    except (FileNotFoundError, ValueError):  # a name with a NUL character
        raise UsageError(f"there is no file {file}") from None
    except IsADirectoryError:
        raise UsageError(f"{file} is a folder; name a file in it") from None
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror or error}") from None


def load_question(path: str | Path, *, plain: bool = False) -> Question:
    """Read one file; CatalogError with everything that is wrong with its head, line by line.

    If it may be `plain`, a file without a head is a query that is called by the name of its file.
    """
    file = Path(path)
    text = read_query(file)
    if plain and not HEAD.match(text):
        return Question(file.stem, file.stem, "", (), (), text, file)
    return _parse(text, file)


# --- the head


def _parse(text: str, file: Path) -> Question:
    problems: list[Problem] = []
    wrong = partial(_wrong, problems, file)
    head = _head(text, wrong)
    said = {heading: " ".join(lines) for heading, lines in head.items()}
    if not said["Question"]:
        wrong("Question", "what does it ask? (-- Question: How long do games last?)")
    parameters = [_parameter(line, wrong) for line in head["Parameters"]]
    columns, heads = [], []
    for line in head["Columns"]:
        column = _COLUMN.fullmatch(line)
        if column:
            columns.append((column["name"], column["meaning"]))
            heads.append((column["title"] or "", column["kind"] or ""))
            if column["kind"] and column["kind"] not in KINDS:
                wrong("Columns", f"{column['name']}: {unknown('kind', column['kind'], KINDS)}", line)
        else:
            form = "'NAME: MEANING' or 'NAME [TITLE, KIND]: MEANING'"
            wrong("Columns", f"expected {form}, found '{line}'", line)
    names = [name for name, _ in columns]
    spread = _spread(head["Spread"], names, wrong)
    figure, axes = _figure(head["Figure"], names, wrong)
    if not columns:
        wrong("Columns", "what does it answer? (--   games: how many games)")
    if problems:
        raise CatalogError(problems)
    known = tuple(parameter for parameter in parameters if parameter)
    return Question(
        file.stem,
        said["Question"],
        said["Game"],
        known,
        tuple(columns),
        text,
        file,
        tuple(heads),
        said["Title"],
        said["Note"],
        spread,
        figure,
        axes,
    )


def _spread(lines: Sequence[_Line], columns: Sequence[str], wrong: Any) -> tuple[str, str] | None:
    if not lines:
        return None
    over, _, value = (part.strip() for part in lines[0].partition(","))
    for name in (over, value):
        if name not in columns:
            wrong("Spread", f"expected 'COLUMN, COLUMN': {unknown('column', name, columns)}", lines[0])
    return over, value


def _figure(lines: Sequence[_Line], columns: Sequence[str], wrong: Any) -> tuple[str, dict[str, str]]:
    if not lines:
        return "", {}
    kind, *rest = lines
    axes = {}
    for line in rest:
        word, _, value = (part.strip() for part in line.partition(":"))
        if word not in _FIGURE_WORDS:
            wrong("Figure", unknown("word", word, _FIGURE_WORDS), line)
        elif word in _FIGURE_WORDS[:8] and value not in columns:
            wrong("Figure", f"{word}: {unknown('column', value, columns)}", line)
        elif word == "reference" and not re.fullmatch(r"-?\d+(\.\d+)?", value):
            wrong("Figure", f"reference: expected a number, found '{value}'", line)
        axes[word] = value
    if kind not in FIGURES:
        wrong("Figure", unknown("kind of figure", kind, FIGURES), kind)
    missing = [word for word in FIGURES.get(kind, ()) if word not in axes]
    if missing:
        wrong("Figure", f"{kind} also needs {', '.join(missing)}", kind)
    return kind, axes


class _Line(str):
    """A line of a head that knows its number in the file, the first being 1."""

    number: int

    def __new__(cls, content: str, number: int) -> _Line:
        line = super().__new__(cls, content)
        line.number = number
        return line


def _wrong(problems: list[Problem], file: Path, heading: str, message: str, line: str = "") -> None:
    """Note what is wrong with a line; without one, it is the head as a whole."""
    problems.append(Problem(str(file), f"line {getattr(line, 'number', 1)}", heading, message))


def _head(text: str, wrong: Any) -> dict[str, list[_Line]]:
    found: dict[str, list[_Line]] = {heading: [] for heading in _HEADINGS}
    heading = ""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("--"):
            break
        content = line.removeprefix("--").removeprefix(" ")
        title = re.match(r"(\w+):\s*(.*)", content)
        if title:
            heading = title[1]
            if heading not in found:
                wrong("", unknown("heading", heading, _HEADINGS), _Line(content, number))
                heading = ""
            elif title[2]:
                found[heading].append(_Line(title[2], number))
        elif not content.strip():
            heading = ""
        elif heading and content.startswith("      ") and found[heading]:
            before = found[heading].pop()
            found[heading].append(_Line(f"{before} {content.strip()}", before.number))
        elif heading:
            found[heading].append(_Line(content.strip(), number))
    return found


def _parameter(line: str, wrong: Any) -> Parameter | None:
    match = _PARAMETER.fullmatch(line)
    if not match:
        form = "$NAME (TYPE, required|optional|default VALUE): MEANING"
        wrong("Parameters", f"expected '{form}', found '{line}'", line)
        return None
    if match["type"] not in _TYPES and not re.fullmatch(r"\w+\.\w+", match["type"]):
        wrong("Parameters", f"${match['name']}: {unknown('type', match['type'], _TYPES)}", line)
        return None
    return Parameter(
        match["name"], match["type"], match["meaning"], match["how"] == "required", match["default"]
    )


# --- asking


def bind(
    con: duckdb.DuckDBPyConnection, question: Question, arguments: Mapping[str, object] | None = None
) -> dict[str, object]:
    """Return a value for every parameter of a ready query; UsageError for a wrong or missing one."""
    given = dict(arguments or {})
    names = [parameter.name for parameter in question.parameters]
    for name in given:
        if name not in names:
            has = f"it has {', '.join(names)}" if names else "it has none"
            raise UsageError(f"{unknown(f'parameter of {question.name}', name, names)} ({has})")
    statement = _statement(con, question)
    values = {p.name: _value(con, question, p, given.get(p.name)) for p in question.parameters}
    if values.keys() != statement.named_parameters:
        odd = ", ".join(f"${name}" for name in sorted(values.keys() ^ set(statement.named_parameters)))
        raise UsageError(f"{question.path}: head and query do not have the same parameters: {odd}")
    return values


def _statement(con: duckdb.DuckDBPyConnection, question: Question) -> duckdb.Statement:
    import duckdb

    from balance.dataset.sql_guard import shortened

    try:
        statements = con.extract_statements(question.sql)
    except duckdb.Error as error:
        raise UsageError(f"{question.path}: {shortened(str(error))}") from None
    if len(statements) != 1:
        raise UsageError(f"{question.path}: expected one statement, found {len(statements)}")
    return statements[0]


def _value(con: duckdb.DuckDBPyConnection, question: Question, parameter: Parameter, given: object) -> object:
    value = parameter.default if given is None else given
    if value is None:
        if parameter.required:
            raise UsageError(
                f"{question.name} needs {parameter.name}=...: {parameter.meaning} ({parameter.type})"
            )
        return None
    text = str(value).strip()
    if parameter.type in _TYPES:
        return _converted(parameter, text)
    return _looked_up(con, parameter, text)


def _converted(parameter: Parameter, text: str) -> object:
    booleans = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}
    kinds: dict[str, tuple[Callable[[str], object], str]] = {
        "text": (str, ""),
        "integer": (int, "a whole number"),
        "number": (float, "a number"),
        "boolean": (lambda text: booleans[text.lower()], "true or false"),
    }
    convert, expected = kinds[parameter.type]
    try:
        return convert(text)
    except (ValueError, KeyError):
        raise UsageError(f"{parameter.name}: expected {expected}, found '{text}'") from None


def _looked_up(con: duckdb.DuckDBPyConnection, parameter: Parameter, text: str) -> object:
    """Return the value of a column that a text means: the value itself, or the name beside it."""
    table, column = parameter.type.split(".")
    has = [str(row[0]) for row in con.execute(f'describe "{table}"').fetchall()]
    name = "name" if "name" in has else column
    rows = con.execute(
        f'select distinct "{column}", "{column}"::varchar, "{name}"::varchar '  # noqa: S608 - \w+ alone
        f'from "{table}" order by all'
    ).fetchall()
    known = [row for row in rows if row[0] is not None]
    for fold in (str, str.casefold):
        for value, *words in known:
            if fold(text) in [fold(word) for word in words if word is not None]:
                return value
    shown = list(dict.fromkeys(row[1] for row in known))
    folded_ids = {name.casefold() for name in shown}
    names = [row[2] for row in known if row[2] and row[2].casefold() not in folded_ids]
    listed = ", ".join(shown) if len(shown) <= _FEW else f"{table} lists them"
    raise UsageError(f"{unknown(parameter.name, text, [*shown, *names])} ({listed})")


def bound(con: Connection, question: Question, given: Mapping[str, object]) -> tuple[str, dict[str, object]]:
    """Return the text of a ready query and the values of its parameters; `limit` cuts the rows of any."""
    values = dict(given)
    if "limit" not in values or any(parameter.name == "limit" for parameter in question.parameters):
        return question.sql, con.bind(question, values)
    most = values.pop("limit")
    if not re.fullmatch(r"[0-9]{1,9}", str(most)):
        raise UsageError(f"limit={most}: expected a number of rows")
    return f"from (\n{question.sql.rstrip().rstrip(';')}\n) limit {most}", con.bind(question, values)

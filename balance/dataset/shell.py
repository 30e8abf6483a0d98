"""What a shell for SQL has to know apart from the terminal: where a statement ends, which word may come next.

The terminal itself belongs to `balance.cli.shell`. Reads and writes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from balance.dataset.statements import ends_of_statements

__all__ = ["COMMANDS", "Completer", "Gathered", "parameter"]

COMMANDS: Final = {
    ".help": "what can be typed here",
    ".schema [TABLE]": "the tables, or the columns of one",
    ".queries": "the ready queries",
    ".timer on|off": "whether rows and seconds are told",
    ".quit": "leave; so does Ctrl-D",
}


@dataclass
class Gathered:
    r"""Lines that are not a whole statement yet.

    >>> lines = Gathered()
    >>> lines.add("select 'a;b'")
    []
    >>> lines.add("  as c; select 2; select")
    ["select 'a;b'\n  as c;", 'select 2;']
    >>> lines.rest()
    'select'
    """

    text: str = field(default="")

    def add(self, line: str) -> list[str]:
        """Take one more line, and return the statements that are whole now."""
        content = f"{self.text}\n{line}".encode() if self.text else line.encode()
        begin, whole = 0, []
        for end in ends_of_statements(content.decode()):
            whole.append(content[begin:end].decode().strip())
            begin = end
        rest = content[begin:].decode()
        self.text = rest if rest.strip() else ""
        return [statement for statement in whole if statement != ";"]

    def rest(self) -> str:
        """Return what was begun, and forget it."""
        text, self.text = self.text.strip(), ""
        return text


@dataclass(frozen=True)
class Completer:
    """Which words may come next."""

    tables: Mapping[str, Sequence[str]]
    """The columns of every table."""
    words: Sequence[str]
    """Keywords and functions."""
    queries: Sequence[str] = ()

    def matches(self, before: str, word: str) -> list[str]:
        """Return what `word` may become, after the text `before` it.

        >>> tables = {"games": ["players", "rounds"], "seats": ["seat"]}
        >>> completer = Completer(tables, ["select", "sum"], ["length"])
        >>> completer.matches("select count(*) from ", "g")
        ['games']
        >>> completer.matches("select * from games where ", "ro")
        ['rounds']
        >>> completer.matches("select g.", "p"), completer.matches("select games.", "p")
        ([], ['players'])
        >>> completer.matches("select * from games as g where g.", "p")
        ['players']
        >>> completer.matches("", ".q"), completer.matches("", "@l"), completer.matches(".schema ", "s")
        (['.queries', '.quit'], ['@length'], ['seats'])
        """
        if not before.strip() and word.startswith("."):
            return _begin(word, sorted(name.split()[0] for name in COMMANDS))
        if not before.strip() and word.startswith("@"):
            return _begin(word, [f"@{name}" for name in self.queries])
        if before.lstrip().startswith(".schema"):
            return _begin(word, self.tables)
        qualified = re.search(r"(\w+)\.$", before)
        if qualified:
            return _begin(word, self._columns_of(qualified[1], before))
        named = [name for name in self.tables if re.search(rf"\b{name}\b", before, re.IGNORECASE)]
        columns = [column for name in named or self.tables for column in self.tables[name]]
        if re.search(r"\b(from|join|table|describe|summarize)\s+$", before, re.IGNORECASE):
            return _begin(word, self.tables)
        return _begin(word, dict.fromkeys([*columns, *self.tables, *self.words]))

    def _columns_of(self, name: str, before: str) -> Sequence[str]:
        """Return the columns of a table, or of what stands for one."""
        if name in self.tables:
            return self.tables[name]
        for table, columns in self.tables.items():
            if re.search(rf"\b{table}\s+(as\s+)?{re.escape(name)}\b", before, re.IGNORECASE):
                return columns
        return ()


def _begin(word: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.lower().startswith(word.lower())]


def parameter(text: str) -> object:
    """Return the value that a user has written after `name=`.

    >>> [parameter(text) for text in ("4", "0.5", "true", "null", "unions", "'4'")]
    [4, 0.5, True, None, 'unions', '4']
    """
    words: dict[str, object] = {"true": True, "false": False, "null": None}
    if text.lower() in words:
        return words[text.lower()]
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text)
    if re.fullmatch(r"[+-]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][+-]?\d+)?", text):
        return float(text)
    quoted = re.fullmatch(r"'(.*)'", text, re.DOTALL)
    return quoted[1].replace("''", "'") if quoted else text

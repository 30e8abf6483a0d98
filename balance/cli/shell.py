"""The shell of `balance sql`: statements from a pipe, or from a terminal with history, completion and paging.

Where a statement ends and which word may come next is known by `balance.dataset.shell`; what is printed goes
through `balance.cli.output` and `balance.cli.diagnostics` as everywhere.
"""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from balance import resources
from balance.cli import asking, diagnostics, output, results, terminal
from balance.errors import BalanceError, UsageError
from balance.suggest import unknown

if TYPE_CHECKING:
    from balance.dataset.connection import Connection

__all__ = ["converse", "list_queries"]

_PROMPT: Final = "balance> "
_MORE: Final = "    ...> "
_HISTORY: Final = "sql_history"
_MOST_LINES: Final = 5_000
_DELIMITERS: Final = " \t\n\"'`\\=+-*/<>|&!?,;:()[]{}%^~$"
"""What separates words for completion; neither `.` nor `@`."""


def converse(con: Connection, options: output.OutputOptions) -> None:
    """Run the statements of the standard input: in a shell on a terminal, else until the first error."""
    if terminal.is_terminal(sys.stdin):
        if options.out is not None or options.format is output.Format.parquet:
            raise UsageError("--out and --format parquet need a query: balance sql RUN QUERY --out FILE")
        _Shell(con, options, talking=True).talk()
        return
    _script(con, options, sys.stdin.read() if sys.stdin else "")


def list_queries(game: str | None, options: output.OutputOptions) -> None:
    """List the ready queries for a game, or for all."""
    output.rows(asking.ready_rows(game), ["name", "question", "parameters"], options)


# --- from a pipe


def _script(con: Connection, options: output.OutputOptions, text: str) -> None:
    todo = list(_statements(text.splitlines()))
    if len(todo) > 1 and (options.out is not None or options.format is output.Format.parquet):
        raise UsageError(f"--out and --format parquet take one statement; there are {len(todo)}")
    shell = _Shell(con, options, talking=False)
    for number, line in enumerate(todo):
        if number and options.format in (output.Format.table, output.Format.markdown):
            output.text("")
        shell.do(line)
        if shell.left:
            return


def _statements(lines: list[str]) -> Iterator[str]:
    from balance.dataset.shell import Gathered

    gathered = Gathered()
    for line in lines:
        if not gathered.text and _is_command(line):
            yield line.strip()
        else:
            yield from gathered.add(line)
    rest = gathered.rest()
    if rest:
        yield rest


def _is_command(line: str) -> bool:
    return line.lstrip().startswith((".", "@"))


# --- on a terminal


class _Shell:
    """What is remembered from one line to the next."""

    def __init__(self, con: Connection, options: output.OutputOptions, *, talking: bool) -> None:
        self.con, self.options = con, options
        self.talking = self.timer = talking
        self.left = False

    def talk(self) -> None:
        """Ask and answer until the user leaves."""
        from balance.dataset.shell import Gathered

        names = ", ".join(self.con.tables())
        diagnostics.say(f"tables: {names}\n.help tells what can be typed; a statement ends with a semicolon")
        gathered = Gathered()
        with _line_editor(self.con, gathered):
            while not self.left:
                try:
                    line = _ask(_MORE if gathered.text else _PROMPT)
                except KeyboardInterrupt:
                    gathered.rest()
                    diagnostics.say("")
                    continue
                except EOFError:
                    diagnostics.say("")
                    return
                if not gathered.text and _is_command(line):
                    self.attempt(line.strip())
                else:
                    for statement in gathered.add(line):
                        self.attempt(statement)

    def attempt(self, line: str) -> None:
        """Do what a line says; whatever goes wrong is told, and the shell goes on."""
        try:
            self.do(line)
        except KeyboardInterrupt:
            diagnostics.say("cancelled")
        except BalanceError as problem:
            diagnostics.error(str(problem))

    def do(self, line: str) -> None:
        """Do what a line says: a command, a ready query, or a statement."""
        if line.startswith("."):
            self._command(line.rstrip(";").split())
            return
        if line.startswith("@"):
            name, *words = _words(line)
            if name == "@":
                list_queries(self.con.game.name, self.options)
                return
            asked = asking.ready_query(self.con, name[1:], asking.read_parameters(words))
        else:
            asked = asking.plain_query(line, {})
        rows, seconds = results.write_result(
            self.con, asked.sql, asked.parameters, self.options, paged=self.talking
        )
        if self.timer:
            diagnostics.say(f"{rows:,} row{'' if rows == 1 else 's'} in {seconds:.3f} s")

    def _command(self, words: list[str]) -> None:
        match words:
            case [".help"]:
                output.text(_help())
            case [".schema"]:
                output.rows(self._tables(), ["table", "columns"], self.options)
            case [".schema", name]:
                output.rows(self._columns(name), ["column", "type"], self.options)
            case [".queries"]:
                list_queries(self.con.game.name, self.options)
            case [".timer", "on" | "off" as word]:
                self.timer = word == "on"
            case [".quit" | ".exit"]:
                self.left = True
            case [name, *_]:
                raise UsageError(_wrong_command(name))

    def _tables(self) -> list[dict[str, str]]:
        return [
            {"table": name, "columns": ", ".join(column.name for column in columns)}
            for name, columns in self.con.tables().items()
        ]

    def _columns(self, name: str) -> list[dict[str, str]]:
        tables = self.con.tables()
        if name not in tables:
            raise UsageError(unknown("table", name, list(tables)))
        return [{"column": column.name, "type": column.type} for column in tables[name]]


def _help() -> str:
    from balance.dataset.shell import COMMANDS

    lines = {
        "select ...;": "SQL, also over several lines, up to a semicolon",
        "@NAME KEY=VALUE ...": "a ready query",
        **COMMANDS,
    }
    return "\n".join(f"{what:21}{meaning}" for what, meaning in lines.items())


def _wrong_command(name: str) -> str:
    from balance.dataset.shell import COMMANDS

    known = {command.split()[0]: command for command in COMMANDS}
    return f"it is {known[name]}" if name in known else unknown("command", name, list(known))


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line.rstrip("; "))
    except ValueError as error:
        raise UsageError(f"{line}: {error}") from None


def _ask(prompt: str) -> str:
    """Read a line; the prompt is talk where the standard output is no terminal."""
    if terminal.is_terminal(sys.stdout):
        return input(prompt)
    diagnostics.prompt(prompt)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


@contextlib.contextmanager
def _line_editor(con: Connection, gathered: Any) -> Iterator[None]:
    """Have history and completion while the shell runs, where Python was built with them."""
    try:
        import readline
    except ImportError:
        yield
        return
    history = _history_file()
    if history is not None:
        with contextlib.suppress(OSError):
            readline.read_history_file(history)
    readline.set_history_length(_MOST_LINES)
    readline.set_completer_delims(_DELIMITERS)
    readline.set_completer(_completion(con, gathered))
    is_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
    try:
        yield
    finally:
        readline.set_completer(None)
        if history is not None:
            _save(readline.write_history_file, history)


def _completion(con: Connection, gathered: Any) -> Callable[[str, int], str | None]:
    """Return what readline asks for the first, second ... word that may come."""
    import readline

    from balance.dataset.shell import Completer

    tables = {name: [column.name for column in columns] for name, columns in con.tables().items()}
    completer = Completer(tables, [*con.keywords(), *con.functions()], asking.ready_names(con.game.name))
    found: list[str] = []

    def complete(text: str, number: int) -> str | None:
        line = readline.get_line_buffer()[: readline.get_endidx()].lstrip()
        if number == 0 and line.startswith("@"):
            # Names of queries hold hyphens, at which readline begins a new word.
            found[:] = [name[len(line) - len(text) :] for name in completer.matches("", line)]
        elif number == 0:
            # With a dot in it, only what follows the dot is to be completed.
            begun, dot, word = text.rpartition(".") if not text.startswith(".") else ("", "", text)
            before = f"{gathered.text}\n{readline.get_line_buffer()[: readline.get_begidx()]}{begun}{dot}"
            found[:] = [f"{begun}{dot}{match}" for match in completer.matches(before, word)]
        return found[number] if number < len(found) else None

    return complete


def _history_file() -> Path | None:
    try:
        return resources.state_dir() / _HISTORY
    except BalanceError:
        return None


def _save(write: Callable[[Path], object], file: Path) -> None:
    """Keep the history for its owner's eyes only; no shell fails because it cannot be kept."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        write(file)
    except OSError as error:
        diagnostics.detail(f"the history was not kept: {error}")

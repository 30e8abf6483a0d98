"""Which source code decides the rows of a game, and a digest of it.

The modules are found by following imports, also those inside functions, from the modules that play. The
digest is taken over their syntax trees, written down by a walk of our own, so that it is the same on every
supported Python. What cannot change a row does not count: comments, layout, docstrings, `__all__`,
annotations (except those of the fields of a class), blocks under `if TYPE_CHECKING`, the arguments of a
raised exception, the message of an assert, and an argument `meaning=`, which describes a column or a table.
An import that only the last four use is neither counted nor followed: a module that words an error decides
nothing. An import that annotations use is followed, because objects come as arguments.

Nothing here is kept on disk, and no module is imported to be read.
"""

import ast
import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

_PLAYED_BY: Final = "balance.sweep.playing"
"""The module that makes rows of a plan, whatever the game."""


def engine_hash(entry: str) -> str:
    """Return the digest of everything but catalog and policies that decides the rows of a game.

    `entry` names the module of the game that compiles and plays.
    """
    return digest(entry, _PLAYED_BY)


@cache
def digest(*entries: str) -> str:
    """Return the digest of some modules and of all modules that they need."""
    return digest_of(outlines(*entries))


def modules_of(package: str) -> list[str]:
    """Return the names of all modules of a package, subpackages left out."""
    path = _path(package)
    if path is None or path.name != "__init__.py":
        raise ModuleNotFoundError(f"there is no package {package}", name=package)
    return sorted(f"{package}.{file.stem}" for file in path.parent.glob("*.py") if file != path)


class Outline(NamedTuple):
    """A module, reduced to what can decide a row."""

    digest: bytes
    imports: tuple[tuple[str, str], ...]
    """The module and the name of each import; the name is empty where the whole module is imported."""


def digest_of(found: dict[str, Outline]) -> str:
    """Return one digest of some outlines, the same in whatever order they come."""
    whole = hashlib.sha256()
    for name in sorted(found):
        whole.update(name.encode() + b"\0" + found[name].digest)
    return whole.hexdigest()


def outlines(*entries: str, read: Callable[[Path], str] | None = None) -> dict[str, Outline]:
    """Return the modules named and all modules that they need, of the same packages, by name."""
    inside = {entry.partition(".")[0] for entry in entries}
    found: dict[str, Outline] = {}
    waiting = list(entries)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        path = _path(name)
        if path is None:
            raise ModuleNotFoundError(f"there is no module {name}", name=name)
        found[name] = outline((read or _read)(path))
        waiting += [module for module in _needed(found[name]) if module.partition(".")[0] in inside]
    return found


def _needed(module: Outline) -> Iterator[str]:
    """Yield the modules that a module imports; of a package that is named, the module inside it."""
    for package, name in module.imports:
        inner = f"{package}.{name}"
        yield inner if name and _path(inner) else package


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def _path(module: str) -> Path | None:
    """Return the file of a module, without importing anything; None if there is none."""
    top, _, rest = module.partition(".")
    spec = find_spec(top)
    if spec is None or not spec.submodule_search_locations:
        return Path(spec.origin) if spec and spec.origin and not rest else None
    base = (
        Path(spec.submodule_search_locations[0], *rest.split(".")) if rest else Path(spec.origin or "").parent
    )
    for file in (base.with_suffix(".py") if rest else None, base / "__init__.py"):
        if file and file.is_file():
            return file
    return None


# --- the walk


@cache
def outline(text: str) -> Outline:
    """Reduce the text of a module to what can decide a row."""
    walk = _Walk()
    walk.node(ast.parse(text))
    imports = sorted({(bound, *source) for bound, *source in walk.imports if bound in walk.used or not bound})
    words = walk.words + ["imports"] + [word for found in imports for word in found]
    content = "".join(f"{len(word)} {word}" for word in words).encode("utf-8", "surrogatepass")
    needed = tuple(dict.fromkeys((module, name) for _, module, name in imports))
    return Outline(hashlib.sha256(content).digest(), needed)


# Fields of nodes that do not change what is computed.
_SILENT: Final = frozenset({"ctx", "type_comment", "kind", "type_ignores"})
_ANNOTATIONS: Final = ("annotation", "returns")
_FIELDS: Final[dict[type, tuple[str, ...]]] = {}


class _Walk:
    """Writes a tree down as words."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.used: set[str] = set()
        self.imports: list[tuple[str, str, str]] = []
        """The name bound (empty: counts in any case), the module, and the name in it."""
        self._special: dict[type, Callable[[Any], None]] = {
            ast.Import: self._import,
            ast.ImportFrom: self._import_from,
            ast.Name: self._name,
            ast.Constant: self._constant,
            ast.Expr: self._expression,
            ast.If: self._if,
            ast.Raise: self._raise,
            ast.Assert: self._assert,
            ast.Assign: self._assign,
            ast.ClassDef: self._class,
            ast.JoinedStr: self._joined,
            ast.keyword: self._keyword,
        }

    def node(self, node: Any) -> None:
        special = self._special.get(type(node))
        if special is None:
            self._plain(node)
        else:
            special(node)

    def _plain(self, node: Any) -> None:
        kind = type(node)
        fields = _FIELDS.get(kind)
        if fields is None:
            fields = _FIELDS[kind] = tuple(sorted(field for field in node._fields if field not in _SILENT))
        self.words.append(kind.__name__)
        for field in fields:
            value = getattr(node, field, None)
            # Python 3.12 and later have further fields; empty ones are left out in every version
            if value is None or value == []:
                continue
            if field in _ANNOTATIONS:
                self.used.update(part.id for part in ast.walk(value) if isinstance(part, ast.Name))
                continue
            self.words.append(field)
            if isinstance(value, list):
                self._list(value)
            else:
                self._value(value)
        self.words.append(")")

    def _list(self, values: list[Any]) -> None:
        for value in values:
            self._value(value)
        self.words.append("]")

    def _value(self, value: Any) -> None:
        if isinstance(value, ast.AST):
            self.node(value)
        else:
            self.words.append(f"{type(value).__name__} {value}")

    def _name(self, node: ast.Name) -> None:
        self.used.add(node.id)
        self.words += ("Name", node.id)

    def _constant(self, node: ast.Constant) -> None:
        value = node.value
        self.words.append(type(value).__name__)
        self.words.append(value if isinstance(value, str) else repr(value))

    def _joined(self, node: ast.JoinedStr) -> None:
        """Write an f-string down; versions of Python cut its constant parts differently."""
        self.words.append("JoinedStr")
        text = ""
        for part in node.values:
            if isinstance(part, ast.Constant):
                text += str(part.value)
                continue
            self.words += ("str", text)
            text = ""
            self._plain(part)
        self.words += ("str", text, ")")

    def _keyword(self, node: ast.keyword) -> None:
        """Write an argument down, unless it says what a column means."""
        if node.arg != "meaning":
            self._plain(node)

    def _expression(self, node: ast.Expr) -> None:
        if not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):
            self._plain(node)

    def _if(self, node: ast.If) -> None:
        """Write an if down; what only the type checker sees is left out."""
        test = node.test
        name = test.id if isinstance(test, ast.Name) else test.attr if isinstance(test, ast.Attribute) else ""
        if name == "TYPE_CHECKING":
            for statement in node.orelse:
                self.node(statement)
        else:
            self._plain(node)

    def _raise(self, node: ast.Raise) -> None:
        raised = node.exc
        self.words.append("Raise")
        for value in (raised.func if isinstance(raised, ast.Call) else raised, node.cause):
            if value is not None:
                self.node(value)
        self.words.append(")")

    def _assert(self, node: ast.Assert) -> None:
        self.words.append("Assert")
        self.node(node.test)

    def _assign(self, node: ast.Assign) -> None:
        if not any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets):
            self._plain(node)

    def _class(self, node: ast.ClassDef) -> None:
        """Write a class down, with the annotations that make its fields."""
        self._plain(node)
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign):
                self.words.append("annotation")
                self.node(statement.annotation)

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            bound = alias.asname or alias.name.partition(".")[0]
            self.imports.append(("" if alias.asname == alias.name else bound, alias.name, ""))

    def _import_from(self, node: ast.ImportFrom) -> None:
        if node.level:
            raise SyntaxError(f"a relative import of {node.module}: the digest follows absolute ones")
        for alias in node.names:
            again = alias.asname == alias.name or alias.name == "*"
            name = "" if alias.name == "*" else alias.name
            self.imports.append(("" if again else alias.asname or alias.name, node.module or "", name))

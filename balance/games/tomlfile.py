"""Reading catalog files that a stranger may have written: every way a file can be bad becomes a Problem.

Knows nothing of any game: it delivers the lists of tables of a TOML file (`[[twist]]`) with the place
they came from, merges overlays over entries of the same id, and writes them. What their fields may be is
checked by `forms`, what they mean is the game's.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time
from pathlib import Path
from typing import Any, Final

from balance.errors import CatalogError, Problem
from balance.nearest import unknown
from balance.userfiles import read_file

LARGEST_FILE: Final = 1_000_000
DEEPEST: Final = 8
LONGEST_NAME: Final = 60
LONGEST_NOTE: Final = 600
MOST_PROBLEMS: Final = 500

# A key of many dotted parts. The parser takes time in the square of their number, so such a file is
# refused before it is parsed.
_DOTTED: Final = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){20}""")


class Problems:
    """Collects problems, so that all of them are reported at once."""

    def __init__(self) -> None:
        self.found: list[Problem] = []

    def add(self, file: str, entry: str, name: str, message: str) -> None:
        """Note one problem; a field's name comes from the file and may be anything."""
        shown = name if name.isprintable() and len(name) <= LONGEST_NAME else describe(name)
        self.found.append(Problem(file, entry, shown, message))
        if len(self.found) >= MOST_PROBLEMS:
            self.found.append(Problem(file, "", "", f"{MOST_PROBLEMS} problems; the rest is not shown"))
            self.raise_if_any()

    def raise_if_any(self) -> None:
        """Raise CatalogError if there is a problem."""
        if self.found:
            raise CatalogError(self.found)


@dataclass(slots=True)
class RawEntry:
    """One table of a list in a catalog file, after merging: its fields and the file each came from."""

    kind: str
    id: Any
    file: str
    fields: dict[str, Any]
    origin: dict[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """How messages name the entry: `twist 'unions'`, `invention 12`."""
        return self.kind if self.id is None else f"{self.kind} {self.shown_id}"

    @property
    def shown_id(self) -> str:
        """The id, short enough for a message."""
        return describe(self.id)

    def file_of(self, name: str) -> str:
        """Return the file that gave a field its present value; `set.goal` came with `set`."""
        return self.origin.get(name.partition(".")[0], self.file)


def toml_files(path: Path, problems: Problems) -> list[Path]:
    """Return the file itself, or the TOML files of a folder in order of name; none is a problem."""
    try:
        folder = path.is_dir()
    except (OSError, ValueError):
        folder = False  # reading it as a file will say what is wrong
    if not folder:
        return [path]
    files = sorted(path.glob("*.toml"))
    if not files:
        problems.add(str(path), "", "", "the folder holds no .toml file")
    return files


def read_toml(path: Path, problems: Problems) -> dict[str, Any]:
    """Read one file; what is wrong with the file as a whole is noted, and an empty table returned."""
    try:
        document = _parse(read_file(path, LARGEST_FILE))
    except FileNotFoundError:
        message = "no such file"
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
    except UnicodeDecodeError as error:
        message = f"the file is not UTF-8 text (byte {error.start + 1})"
    except tomllib.TOMLDecodeError as error:
        message = f"not valid TOML: {_in_words(error)}"
    except RecursionError:
        message = f"nested too deeply; a catalog file has at most {DEEPEST} levels"
    except ValueError as error:
        # tomllib lets through what Python thinks of a number with thousands of digits
        message = "holds a number that is far too large" if "digits" in str(error) else str(error)
    else:
        return document
    problems.add(str(path), "", "", message)
    return {}


def _parse(raw: bytes) -> dict[str, Any]:
    if not raw.strip():
        raise ValueError("the file is empty")
    if b"\0" in raw:
        raise ValueError("the file is binary, not TOML text")
    text = raw.decode("utf-8-sig")
    if _DOTTED.search(text):
        raise RecursionError
    document = tomllib.loads(text)
    if not document:
        raise ValueError("the file is empty: it holds comments only")
    if _depth(document) > DEEPEST:
        raise RecursionError
    return document


def _in_words(error: tomllib.TOMLDecodeError) -> str:
    """Return the parser's message with control characters written out."""
    text = str(error)
    return text if text.isprintable() else ascii(text)[1:-1]


def _depth(value: Any) -> int:
    """Return the levels of nesting, without recursion: the input may be built to exhaust the stack."""
    deepest, todo = 0, [(value, 0)]
    while todo:
        item, depth = todo.pop()
        deepest = max(deepest, depth)
        if isinstance(item, dict):
            todo += [(child, depth + 1) for child in item.values()]
        elif isinstance(item, list):
            todo += [(child, depth + 1) for child in item]
    return deepest


def entries_of(
    document: dict[str, Any], file: str, kinds: Sequence[str], problems: Problems
) -> list[RawEntry]:
    """Return the entries of one file; other top-level keys, wrong forms and ids given twice are noted."""
    found: list[RawEntry] = []
    for key, value in document.items():
        if key not in kinds:
            shown = unknown("key", key, kinds)
            problems.add(file, "", key, f"{shown} (allowed: {', '.join(f'[[{kind}]]' for kind in kinds)})")
        elif not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            problems.add(file, "", key, f"write each {key} under its own [[{key}]], found {describe(value)}")
        else:
            for number, fields in enumerate(value, 1):
                problem = _id_problem(fields)
                if problem:
                    problems.add(file, f"{key} number {number}", "id", problem)
                else:
                    found.append(RawEntry(key, fields["id"], file, fields, dict.fromkeys(fields, file)))
    seen: set[tuple[str, Any]] = set()
    for entry in found:
        if (entry.kind, entry.id) in seen:
            problems.add(file, entry.label, "id", "given twice in this file")
        seen.add((entry.kind, entry.id))
    return found


def _id_problem(fields: dict[str, Any]) -> str:
    if "id" not in fields:
        return "missing; every entry needs an id"
    if not isinstance(fields["id"], int | str) or isinstance(fields["id"], bool):
        return f"expected a number or a text, found {describe(fields['id'])}"
    return ""


def toml_text(head: Mapping[str, Any], entries: Iterable[RawEntry]) -> str:
    """Return entries as one file, after its table `[catalog]`; reading it gives the same entries.

    >>> unions = RawEntry("twist", "unions", "", {"id": "unions", "set": {"goal": 9}})
    >>> print(toml_text({"version": "1"}, [unions]))
    [catalog]
    version = "1"
    <BLANKLINE>
    [[twist]]
    id = "unions"
    set = { "goal" = 9 }
    <BLANKLINE>
    """
    tables = [("[catalog]", head), *((f"[[{entry.kind}]]", entry.fields) for entry in entries)]
    return _tables_text(tables)


def overlay_text(old: Iterable[RawEntry], new: Iterable[RawEntry]) -> str:
    """Return the overlay that makes of some entries others; empty if nothing differs.

    >>> old = [RawEntry("charm", 1, "", {"id": 1, "cost": 3}), RawEntry("charm", 2, "", {"id": 2})]
    >>> print(overlay_text(old, [RawEntry("charm", 1, "", {"id": 1, "cost": 4})]))
    [[charm]]
    id = 1
    cost = 4
    <BLANKLINE>
    [[charm]]
    id = 2
    remove = true
    <BLANKLINE>
    """
    before = {(entry.kind, entry.id): entry.fields for entry in old}
    after = {(entry.kind, entry.id): entry.fields for entry in new}
    tables = []
    for key in dict.fromkeys((*before, *after)):
        had, has = before.get(key, {}), after.get(key)
        if has is None:
            changed = {"remove": True}
        else:
            changed = {name: value for name, value in has.items() if had.get(name) != value}
        if changed:
            tables.append((f"[[{key[0]}]]", {"id": key[1]} | changed))
    return _tables_text(tables)


def _tables_text(tables: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    blocks = [
        "\n".join([title, *(f"{name} = {toml_value(value)}" for name, value in fields.items())])
        for title, fields in tables
    ]
    return "\n\n".join(blocks) + "\n" if blocks else ""


def toml_value(value: Any) -> str:
    """Return a value as it stands in a file.

    >>> print(toml_value({"goal": 9, "words": ["it's", True]}))
    { "goal" = 9, "words" = ["it's", true] }
    """
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            # a text of JSON is one of TOML, but for a character that JSON leaves bare
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case list():
            return f"[{', '.join(map(toml_value, value))}]"
        case dict():
            inner = ", ".join(f"{toml_value(name)} = {toml_value(item)}" for name, item in value.items())
            return f"{{ {inner} }}" if inner else "{}"
        case _:
            return str(value)


def merge(base: list[RawEntry], overlay: list[RawEntry], problems: Problems) -> list[RawEntry]:
    """Lay a file's entries over others: a known id changes the fields given, `remove = true` takes it out."""
    merged = {(entry.kind, entry.id): entry for entry in base}
    for entry in overlay:
        key = (entry.kind, entry.id)
        known = merged.get(key)
        if "remove" in entry.fields:
            problem = _remove_problem(entry, list(merged))
            if problem:
                problems.add(entry.file, entry.label, "remove", problem)
            else:
                del merged[key]
        elif known is not None:
            fields, origin = known.fields | entry.fields, known.origin | entry.origin
            merged[key] = RawEntry(entry.kind, entry.id, known.file, fields, origin)
        else:
            merged[key] = entry
    return list(merged.values())


def _remove_problem(entry: RawEntry, known: Sequence[tuple[str, Any]]) -> str:
    if entry.fields["remove"] is not True:
        return f"only 'remove = true' is possible, found {describe(entry.fields['remove'])}"
    if set(entry.fields) - {"id", "remove"}:
        return "an entry that is removed takes no other field"
    if (entry.kind, entry.id) not in known:
        shown = entry.id if isinstance(entry.id, str) else entry.shown_id
        ids = [
            name if isinstance(name, str) else describe(name) for kind, name in known if kind == entry.kind
        ]
        return unknown(entry.kind, shown, ids)
    return ""


def describe(value: Any) -> str:
    """Return a value found in a file, short enough for a message, never raw control characters.

    >>> describe("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…"
    """
    if isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, date | time):
        text = value.isoformat()
    elif isinstance(value, int) and value.bit_length() > 64:  # thousands of digits have no text
        return "a number that is far too large"
    elif isinstance(value, dict):
        text = "a table" if value else "an empty table"
    elif isinstance(value, list):
        text = "a list" if value else "an empty list"
    else:
        text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= 40 else text[:38] + "…"

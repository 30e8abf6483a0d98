"""One street: SQL makes figures in `dataset/` and the query files; what comes after reads no rows."""

import ast
import re

import pytest

AFTER = ("report", "judge", "cli", "experiments/compare")
"""Folders behind the numbers."""
SQL = re.compile(
    r"\bselect\b.+\bfrom\b|\bfrom \w+ where\b|\bcreate (or replace )?(temp )?(table|view)\b|\binsert into\b",
    re.IGNORECASE | re.DOTALL,
)
AGGREGATES = re.compile(r"\bgroup by\b|\b(sum|count|min|max|avg|list|any_value) ?\(", re.IGNORECASE)
EXAMPLE = "balance sql "
"""How a command begins that a text quotes: users write SQL, and help shows them how."""
AGGREGATING = ("duckdb", "balance.dataset.sql_quote", "balance.dataset.deals", "balance.dataset.metric_views")
"""Modules that only those need who read rows."""


def texts(tree):
    """Yield every text of a module but its docstrings, holes of f-strings as `x`."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    first = [node.body[0] for node in ast.walk(tree) if isinstance(node, kinds) and node.body]
    skipped = {id(one.value) for one in first if isinstance(one, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
            parts = (part.value if isinstance(part, ast.Constant) else "x" for part in node.values)
            yield node.lineno, "".join(parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.lineno, node.value


def imported(tree):
    """Yield every module that a module imports while it runs."""
    typing = [n for n in ast.walk(tree) if isinstance(n, ast.If) and "TYPE_CHECKING" in ast.dump(n.test)]
    skipped = {id(node) for one in typing for node in ast.walk(one)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and id(node) not in skipped:
            yield from (name.name for name in node.names)
        if isinstance(node, ast.ImportFrom) and id(node) not in skipped:
            yield node.module or ""
            yield from (f"{node.module}.{name.name}" for name in node.names)


def problems(source):
    tree = ast.parse(source)
    found = [f"line {line}: SQL" for line, text in texts(tree) if SQL.search(text) and EXAMPLE not in text]
    return found + [f"imports {name}" for name in imported(tree) if name in AGGREGATING]


@pytest.mark.parametrize("folder", AFTER)
def test_no_sql_and_no_rows_after_the_numbers(folder, checkout):
    found = {
        str(file.relative_to(checkout)): wrong
        for file in sorted((checkout / "balance" / folder).rglob("*.py"))
        if (wrong := problems(file.read_text(encoding="utf-8")))
    }
    assert found == {}


def sums(source):
    """Return the lines of a module whose SQL adds rows up."""
    return [line for line, text in texts(ast.parse(source)) if AGGREGATES.search(text)]


def test_measuring_reads_views_and_adds_nothing_up(checkout):
    found = {
        file.name: lines
        for file in sorted((checkout / "balance" / "measure").rglob("*.py"))
        if (lines := sums(file.read_text(encoding="utf-8")))
    }
    assert found == {}
    assert sums('con.execute(f"select a, min(b) from {files} group by a")') == [1]
    assert sums('con.execute("select a, num::bigint from metric_sums order by all")') == []


def test_the_reader_finds_what_it_looks_for():
    assert problems('con.execute(f"select a from {files} group by a")') == ["line 1: SQL"]
    assert problems("def f():\n    import duckdb\n") == ["imports duckdb"]
    assert problems('"""select a from b"""\nx = "choose from these"') == []
    assert problems("x = 'balance sql RUN \"select count(*) from games\"'") == []

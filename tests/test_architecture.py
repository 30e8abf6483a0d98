"""The code is where docs/architecture.md says: folders, imports, names of classes, length of modules."""

import ast
import re
from collections import defaultdict
from itertools import chain

import pytest

MOST_LINES = 500


@pytest.fixture(scope="module")
def page(checkout):
    return (checkout / "docs" / "architecture.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def modules(checkout):
    """Every module of the package: its path below `balance/`, and its syntax tree."""
    package = checkout / "balance"
    paths = [path for path in sorted(package.rglob("*.py")) if "_data" not in path.parts]
    return {
        path.relative_to(package).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths
    }


def section(page, heading):
    return re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", page, re.M | re.S)[1]


def rows(page, heading):
    """Return the first cell of every row of a table, and the other cells."""
    found = re.findall(r"^\| `([^`]+)` \| (.+) \|$", section(page, heading), re.M)
    return {name: rest.split(" | ") for name, rest in found}


def room(path):
    """Return the folder of the table that a module belongs to.

    >>> [room(path) for path in ("errors.py", "cli/app.py", "report/chapters/wins.py", "games/chess/x.py")]
    ['.', 'cli', 'report', 'games/chess']
    """
    parts = path.split("/")[:-1]
    return "/".join(parts[: 2 if parts[:1] == ["games"] else 1]) or "."


def reachable(page):
    """Return what each folder may import, by the arrows of the picture."""
    arrows = re.findall(r"^ *(\S+) --> (\S+)$", section(page, "What may import what"), re.M)
    direct = defaultdict(set)
    for start, end in arrows:
        direct[start].add(end)
    found = {}
    for start in direct.keys() | {end for _, end in arrows}:
        seen, ahead = {start}, [start]
        while ahead:
            new = direct[ahead.pop()] - seen
            seen |= new
            ahead += new
        found[start] = seen
    return found


def imported(tree, names):
    """Yield the paths of our modules that a module imports, also inside functions and for types only."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            wanted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            wanted = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for dotted in wanted:
            parts = dotted.split(".")
            while parts[0] == "balance" and parts != ["balance"]:
                path = "/".join(parts[1:])
                if f"{path}.py" in names or f"{path}/__init__.py" in names:
                    yield f"{path}.py" if f"{path}.py" in names else f"{path}/__init__.py"
                    break
                parts.pop()


def test_every_folder_is_described_and_drawn(page, modules, checkout):
    rooms = {room(path) for path in modules}
    assert rows(page, "The folders").keys() == rooms | {"queries"}
    assert all(len(cells) == 2 and all(cells) for cells in rows(page, "The folders").values())
    assert reachable(page).keys() == rooms
    assert list((checkout / "balance" / "queries").glob("*.sql"))


def test_a_folder_imports_only_what_the_picture_shows(page, modules):
    allowed = reachable(page)
    found = [
        f"{path} imports {other}"
        for path, tree in modules.items()
        if path not in ("__init__.py", "__main__.py")
        for other in imported(tree, modules)
        if room(other) not in allowed[room(path)]
    ]
    assert found == []


def test_the_picture_has_no_ring(page):
    allowed = reachable(page)
    rings = [(one, other) for one in allowed for other in allowed[one] - {one} if one in allowed[other]]
    assert rings == []


def test_imports_inside_functions_and_of_names_are_seen(modules):
    lines = ["import balance.machine", "def f():", "  from balance.errors import Failed"]
    text = "\n".join([*lines, "  from balance.dataset import shards"])
    assert set(imported(ast.parse(text), modules)) == {"errors.py", "dataset/shards.py", "machine.py"}


def test_a_class_name_exists_once(modules):
    """Once outside `games/`, once in what all games share, once in each game's folder."""
    homes = defaultdict(list)
    for path, tree in modules.items():
        scope = room(path) if path.startswith("games/") else "outside games"
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                homes[scope, node.name].append(path)
    assert {name: paths for (_, name), paths in homes.items() if len(paths) > 1} == {}


def test_no_module_is_long_without_a_reason(page, checkout):
    package = checkout / "balance"
    sources = chain(package.rglob("*.py"), package.rglob("*.sql"))
    lines = {path.relative_to(package).as_posix(): path.read_bytes().count(b"\n") for path in sources}
    long = {path for path, count in lines.items() if count > MOST_LINES}
    assert long - rows(page, "Long modules").keys() == set()


def test_every_file_that_the_page_names_exists(page, checkout):
    named = re.findall(r"`([\w/]+\.(?:py|sql))`", page)
    assert len(named) > 8
    assert [
        name
        for name in named
        if not (checkout / name).exists() and not (checkout / "balance" / name).exists()
    ] == []


def test_the_walks_are_short_and_their_functions_exist(page, modules):
    walks = page.partition("## Two walks")[2].partition("## The folders")[0].split("`report RUN`:")
    for walk in walks:
        steps = re.findall(r"^\d+\. .*", walk, re.MULTILINE)
        assert 10 < len(steps) <= 20
        for path, name in re.findall(r"`([\w/]+\.py)` `(\w+)`", "\n".join(steps)):
            known = (ast.FunctionDef, ast.ClassDef)
            functions = {node.name for node in modules[path].body if isinstance(node, known)}
            assert name in functions, f"{path} has no {name}"


def test_the_folders_of_tests_are_those_of_the_code(modules, checkout):
    """Beside them is the plain engine that the compiled one is compared with."""
    rooms = {path.rpartition("/")[0] for path in modules}
    top = checkout / "tests"
    found = {path.parent.relative_to(top).as_posix() for path in top.rglob("test_*.py")} - {"."}
    assert len(found) > 12
    assert found - rooms == {"reference"}

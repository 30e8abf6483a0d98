"""Help and the catalog answer at once: the heavy libraries stay out until they are needed."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest

HEAVY = {"numba", "polars", "duckdb", "scipy", "matplotlib"}

SCRIPT = """
import sys
from balance.cli.app import run
code = run(sys.argv[1:])
print("modules:", *sys.modules, file=sys.stderr)
sys.exit(code)
"""


def test_nothing_is_imported_before_ctrl_c_is_answered(checkout):
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); before = set(sys.modules); import balance.__main__; "
    )
    script += "print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-I", "-c", script, checkout], capture_output=True, text=True)
    assert {*done.stdout.split()} - {"__future__"} == {"balance", "balance.__main__"}


@pytest.mark.parametrize(
    "command",
    [
        ["--help"],
        ["--version"],
        ["doctor"],
        ["catalog", "--help"],
        ["catalog", "list", "twists"],
        ["simulate", "--help"],
        ["replay", "--help"],
        ["sql", "--help"],
    ],
)
def test_no_heavy_library_is_imported(command):
    done = subprocess.run([sys.executable, "-c", SCRIPT, *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert HEAVY & set(done.stderr.split()) == set()


@pytest.mark.parametrize("command", [["--help"], ["--version"]])
def test_help_reads_no_catalog(command):
    done = subprocess.run([sys.executable, "-c", SCRIPT, *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert {"pydantic", "pydantic_core", "tomllib"} & set(done.stderr.split()) == set()


def test_the_probe_would_see_one():
    script = SCRIPT.replace("import sys\n", "import sys, polars\n", 1)
    done = subprocess.run([sys.executable, "-c", script, "--help"], capture_output=True, text=True)
    assert "polars" in done.stderr.split()


def test_the_package_itself_imports_nothing_of_weight():
    script = "import sys, balance; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert (HEAVY | {"numpy", "typer"}) & set(done.stdout.split()) == set()


def test_every_library_that_is_imported_is_declared(checkout):
    project = tomllib.loads((checkout / "pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"]
    texts = [*project["dependencies"], *optional["train"]]
    declared = {re.match(r"[\w-]+", text)[0].lower() for text in texts}
    imported = set()
    for path in (checkout / "balance").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(node.module.partition(".")[0])
    homes = packages_distributions()
    ours = imported - sys.stdlib_module_names - {"balance"}
    assert "polars" in ours
    # PyTorch need not be installed
    assert {homes.get(name, [name])[0].lower().replace("_", "-") for name in ours} == declared

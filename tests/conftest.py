"""What all tests share: golden files, a clean environment, the budget of property tests."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import hypothesis
import pytest

hypothesis.settings.register_profile("default", deadline=None)
hypothesis.settings.register_profile("soak", deadline=None, max_examples=10_000)
hypothesis.settings.load_profile("default")

# Settings of the person who runs the tests must not decide them.
SETTINGS = (
    *("BALANCE_CACHE_DIR", "BALANCE_STATE_DIR", "BALANCE_DEBUG", "NO_COLOR", "COLUMNS", "PAGER"),
    *("XDG_CACHE_HOME", "XDG_STATE_HOME"),
)


# Under nohup a process ignores SIGHUP, and so would all that tests start.
if hasattr(signal, "SIGHUP") and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

HERE = Path(__file__).parent
# What `make test-fast` leaves out beside tests that are marked `slow` where they stand.
SLOW = {
    "cli/test_compare.py": "plays both sides of a comparison",
    "cli/test_contested.py": "plays every reading of a fact",
    "cli/test_price.py": "prices cards of Nefarious",
    "cli/test_sql_limits.py": "queries that nothing can interrupt",
    "cli/test_sql_prompt.py": "a terminal in a process of its own",
    "cli/test_suggest.py": "plays changes of a number until one helps",
    "cli/test_two_processes.py": "processes ended by every signal",
    "dataset/test_attacks.py": "what attackers found, once more",
    "dataset/test_database.py": "every ready query in a file of its own",
    "dataset/test_derived.py": "verdicts of Nefarious, made again after every damage",
    "dataset/test_hostile_runs.py": "runs forged in hundreds of ways",
    "dataset/test_queries.py": "every ready query counted a second time",
    "dataset/test_sql_fuzz.py": "statements made at random",
    "dataset/test_tables_docs.py": "a run large enough for row groups",
    "experiments/test_causes.py": "plays without each rule in turn",
    "experiments/test_compare.py": "plays and compares whole catalogs",
    "experiments/test_contested.py": "plays every reading of a fact",
    "experiments/test_price.py": "plays cards at many costs",
    "experiments/test_suggest.py": "plays changes of a number until one helps",
    "games/nefarious/test_against_reference.py": "the compiled engine against the plain one",
    "games/nefarious/test_engine_hash.py": "plays without the compiler",
    "games/nefarious/test_fuzz.py": "catalogs made at random",
    "games/nefarious/test_laws.py": "the laws of the game, for every pair of twists",
    "judge/test_calibration.py": "error rates, by repeating whole experiments",
    "judge/test_counting.py": "coverage of intervals, by repeating them",
    "judge/test_planted.py": "sweeps with faults planted in them",
    "report/test_browser.py": "a browser reads the report",
    "report/test_cli_report.py": "reports on runs of Nefarious",
    "report/test_html_real.py": "reports on runs of Nefarious",
    "report/test_json_text.py": "reports on runs of Nefarious",
    "report/test_pdf.py": "reports on runs of Nefarious",
    "report/test_scans.py": "a report on a run of Nefarious",
    "report/test_space.py": "every query of a report a second time",
    "sweep/test_disk.py": "disks that are full or read-only",
    "sweep/test_examine.py": "runs forged in every column",
    "sweep/test_interrupted.py": "kills processes at random moments",
    "sweep/test_memory.py": "the largest shards that there are",
    "sweep/test_power_loss.py": "every system call may be the last",
    "sweep/test_same_bytes.py": "the same run in several ways",
    "test_bench.py": "measures speed",
    "test_examples.py": "every example in a process of its own",
    "test_notebook.py": "every cell of a notebook",
    "test_recipes.py": "every command of the recipes",
    "test_soak.py": "both engines in processes",
    "test_tutorial.py": "every command of README and tutorial",
    "test_wheel.py": "builds and installs the package",
}

# Fixtures of tests/report that play Nefarious and write reports on it; tests that need one are slow too.
REPORTS = {"nefarious", "space", "evidence", "pair", "item"}

# What needs no compiled rules comes first: of two workers one has something to do while the other compiles.
UNCOMPILED = (
    *("stats/", "reference/", "games/nefarious/catalog/", "cli/test_catalog.py", "cli/test_output.py"),
    *("dataset/test_hostile_runs.py", "dataset/test_sql_fuzz.py", "sweep/test_folder.py"),
    *("test_import_hygiene.py", "test_wheel.py"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def among(item: pytest.Item, names: Collection[str]) -> bool:
        return item.path.is_relative_to(HERE) and item.path.relative_to(HERE).as_posix().startswith(
            tuple(names)
        )

    for item in items:
        reported = among(item, ["report/"]) and not REPORTS.isdisjoint(getattr(item, "fixturenames", ()))
        if reported or among(item, SLOW):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: not among(item, UNCOMPILED))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-goldens", action="store_true", help="rewrite golden files")


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with `goldens/<name>` beside the test; `make test-update` rewrites it."""
    folder = request.path.parent / "goldens"

    def compare(name: str, text: str) -> None:
        file = folder / name
        if request.config.getoption("--update-goldens"):
            folder.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        assert text == file.read_text(encoding="utf-8")

    return compare


@pytest.fixture
def cli() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run `balance ARGS` in a process of its own, as a user would: `cli("doctor", "--json")`."""

    def run(*args: str, **options: object) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **options.pop("env", {})}
        return subprocess.run(
            [sys.executable, "-m", "balance", *args],
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=environment,
            timeout=300,
            **options,
        )

    return run


@pytest.fixture
def command(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run `balance ARGS` like `cli`, in this process: faster, where the process is not what is tested."""

    def run(
        *args: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        from balance.cli.app import run as run_command

        with monkeypatch.context() as patched:
            if cwd is not None:
                patched.chdir(cwd)
            for name, value in (env or {}).items():
                patched.setenv(name, value)
            code = run_command(args)
        return subprocess.CompletedProcess(args, code, *capfd.readouterr())

    return run


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The top of the repository."""
    return Path(__file__).resolve().parent.parent

"""What all tests share: golden files, a clean environment, the budget of property tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
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
            timeout=60,
            **options,
        )

    return run


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The top of the repository."""
    return Path(__file__).resolve().parent.parent

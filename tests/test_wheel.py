"""What users install: the wheel works from anywhere, read-only, with the catalog inside."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def dist(checkout, tmp_path_factory):
    """The wheel and the sdist, built as a release would be, but offline."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(checkout)],
        check=True,
        capture_output=True,
        text=True,
    )
    return folder


@pytest.fixture(scope="module")
def installed(dist, tmp_path_factory):
    """The scripts folder of a new environment with the wheel; the dependencies are borrowed."""
    home = tmp_path_factory.mktemp("a home")
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    # Only the folder itself is borrowed: its .pth files, which lead to the checkout, are not read.
    (own,) = home.glob("lib/python*/site-packages")
    (own / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    (wheel,) = dist.glob("*.whl")
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            str(python),
            "install",
            "-q",
            "--no-deps",
            "--no-index",
            wheel,
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    return home / "bin"


def run(installed, *args, cwd, command="balance"):
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(
        [installed / command, *args], cwd=cwd, env=environment, capture_output=True, text=True, timeout=300
    )


@pytest.fixture
def elsewhere(tmp_path):
    """A folder that nothing can be written to."""
    tmp_path.chmod(0o555)
    yield tmp_path
    tmp_path.chmod(0o755)


def test_the_wheel_carries_the_catalog_and_nothing_else_of_data(dist, checkout):
    (wheel,) = dist.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    data = {Path(name).name for name in names if name.startswith("balance/_data/")}
    assert {path.name for path in (checkout / "data").glob("*/*.toml") if path.parent.name != "runs"} <= data
    assert {"inventions.toml", "twists.toml", "editions.toml"} <= data
    assert "balance/py.typed" in names
    queries = {f"balance/queries/{path.name}" for path in (checkout / "balance" / "queries").glob("*.sql")}
    assert len(queries) >= 20
    assert queries <= set(names)
    report = checkout / "balance" / "report" / "render"
    parts = {path for folder in ("templates", "static", "vendor") for path in (report / folder).iterdir()}
    assert len(parts) >= 10
    assert {path.relative_to(checkout).as_posix() for path in parts} <= set(names), "what pages are made of"
    assert [name for name in names if not name.startswith(("balance/", "game_balance-"))] == []
    assert [name for name in names if "runs/" in name or "/tests/" in name] == []


def test_the_source_distribution_carries_the_catalog_too(dist):
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"data/nefarious/twists.toml", "LICENSE", "README.md", "pyproject.toml"} <= names
    assert [name for name in names if name.startswith((".venv", "data/runs", ".git/"))] == []


def test_the_installed_command_runs_from_its_own_files(installed, elsewhere):
    done = run(installed, "--version", cwd=elsewhere)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("balance ")
    assert run(installed, "--version", cwd=elsewhere, command="game-balance").stdout == done.stdout
    doctor = run(installed, "doctor", "--format", "csv", cwd=elsewhere)
    assert f"catalog of nefarious,{installed.parent}" in doctor.stdout


def test_the_installed_command_knows_the_catalog(installed, elsewhere):
    done = run(installed, "catalog", "list", "twists", "--format", "csv", cwd=elsewhere)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 1 + 38

"""What the tests of reports share: small real runs, and the models made of them, once."""

import os
from pathlib import Path

import pytest

import balance
from balance import games
from balance.judge.thresholds import load_thresholds
from balance.report import build
from balance.report.evidence import collect
from balance.sweep import simulation
from tests.games.tiny import GAME

TWISTS = ("unions", "geeks", "philanthropy", "mad-broker")
HOSTILE = (
    '<script>alert("x")</script> #import "@preview/x:1.0.0": * $ x^2 $ '
    '`code` *bold* _it_ [[broken]] \\ </style> {} "'
)


@pytest.fixture(scope="package", autouse=True)
def _tiny():
    with games.registered(GAME):
        yield


@pytest.fixture(scope="package")
def workplace(tmp_path_factory):
    """The folder in which commands run."""
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="package", autouse=True)
def _there(workplace):
    before = Path.cwd()
    os.chdir(workplace)
    yield
    os.chdir(before)


@pytest.fixture(scope="package")
def nefarious(workplace):
    """All combinations of four twists, with an overlay whose notes are hostile."""
    overlay = workplace / "hostile.toml"
    quoted = HOSTILE.replace("\\", "\\\\").replace('"', '\\"')
    overlay.write_text(
        f'[[twist]]\nid = "unions"\nnote = "{quoted}"\n[[invention]]\nid = 3\nnote = "{quoted}"\n'
    )
    pairs = [f"{a},{b}" for k, a in enumerate(TWISTS) for b in TWISTS[k + 1 :]]
    balance.simulate(
        "nefarious",
        players="2,3",
        variants=["none", *TWISTS, *pairs],
        lineups=["field", "mirror:learned"],
        games_per_cell=60,
        seed=3,
        catalog=[overlay],
        jobs=2,
    )
    return "nefarious"


@pytest.fixture(scope="package")
def tiny(workplace):
    """All moods of the tiny game."""
    balance.simulate("tiny", game="tiny", games_per_cell=60, jobs=1)
    return "tiny"


@pytest.fixture(scope="package")
def space(nefarious):
    """The report on all combinations."""
    return build.build(build.ReportRequest((nefarious,)), jobs=2)


@pytest.fixture(scope="package")
def evidence(nefarious, space):
    """What the report on all combinations is made of."""
    runs = balance.open_runs([nefarious])
    play = lambda prepared: simulation.run_prepared(prepared, 2).run  # noqa: E731
    return collect(runs, load_thresholds(runs[0].game), play=play)


@pytest.fixture(scope="package")
def pair(nefarious):
    return build.build(build.ReportRequest((nefarious,), pair=("unions", "geeks")))


@pytest.fixture(scope="package")
def item(nefarious):
    return build.build(build.ReportRequest((nefarious,), item="Flying Car"), jobs=2)


@pytest.fixture(scope="package")
def tiny_space(tiny):
    return build.build(build.ReportRequest((tiny,)), jobs=1)

"""`scripts/bench.py` measures, and prints one table; nothing here looks at the clock."""

import importlib.util
import subprocess
import sys

import pyperf
import pytest


@pytest.fixture
def script(checkout):
    spec = importlib.util.spec_from_file_location("bench", checkout / "scripts/bench.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def measured(*values, **metadata):
    metadata = {"name": "some", "unit": "second", **metadata}
    return pyperf.Benchmark(
        [pyperf.Run([value], metadata=metadata, collect_metadata=False) for value in values]
    )


def test_a_row_has_the_median_between_lowest_and_highest_in_its_unit(script):
    found = {
        "a decision of random": (measured(5e-8, 1e-7, 8e-8), "ns"),
        "engine, outcomes only, 1 thread": (measured(1e-5), "1/s"),
        "reference, outcomes only": (measured(1e-3), "1/s"),
        "balance --help": (measured(0.25, command_max_rss=50 * 2**20), "s"),
    }
    assert list(script.rows(found)) == [
        ["a decision of random", "80", "50", "100", "ns", ""],
        ["engine, outcomes only, 1 thread", "100,000", "100,000", "100,000", "1/s", ""],
        ["reference, outcomes only", "1,000", "1,000", "1,000", "1/s", ""],
        ["balance --help", "0.25", "0.25", "0.25", "s", "50 MB"],
        ["engine / reference", "100", "", "", "x", ""],
    ]


def test_the_table_is_all_that_goes_to_stdout(checkout, tmp_path):
    options = [
        "--debug-single-value",
        "--run",
        str(tmp_path),
        "--only",
        "decision of random|reference,|python -c",
    ]
    done = subprocess.run(
        [sys.executable, "scripts/bench.py", *options],
        cwd=checkout,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    lines = [line.split(" | ") for line in done.stdout.splitlines()]
    assert [line[0] for line in lines[2:]] == [
        "| a decision of random", "| reference, outcomes only", "| python -c pass",
    ]  # fmt: skip
    assert lines[0][1:4] == ["median", "lowest", "highest"]

import os

import pytest

from balance import machine


@pytest.fixture
def cgroup(monkeypatch, tmp_path):
    """Write files of a control group: `cgroup({"cpu.max": "max 100000"})`."""
    monkeypatch.setattr(machine, "_CGROUP", tmp_path)

    def write(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(text + "\n")

    return write


@pytest.fixture
def three_cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3, 5, 7}, raising=False)


@pytest.mark.usefixtures("three_cores", "cgroup")
def test_only_the_cores_of_this_process_count():
    assert machine.cores() == (3, "CPU affinity of this process")


@pytest.mark.usefixtures("three_cores")
@pytest.mark.parametrize(
    ("files", "amount"),
    [
        ({"cpu.max": "100000 100000"}, 1),
        ({"cpu.max": "150000 100000"}, 2),
        ({"cpu.max": "10000 100000"}, 1),
        ({"cpu/cpu.cfs_quota_us": "200000", "cpu/cpu.cfs_period_us": "100000"}, 2),
    ],
)
def test_the_quota_of_a_container_counts_if_it_is_lower(cgroup, files, amount):
    cgroup(files)
    assert machine.cores() == (amount, "limit of the container")


@pytest.mark.usefixtures("three_cores")
@pytest.mark.parametrize(
    "files",
    [
        {"cpu.max": "max 100000"},
        {"cpu.max": "800000 100000"},
        {"cpu.max": ""},
        {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"},
        {"cpu/cpu.cfs_quota_us": "100000", "cpu/cpu.cfs_period_us": "0"},
    ],
)
def test_no_quota_or_a_wide_one_changes_nothing(cgroup, files):
    cgroup(files)
    assert machine.cores() == (3, "CPU affinity of this process")


@pytest.mark.parametrize("file", ["memory.max", "memory/memory.limit_in_bytes"])
def test_a_memory_limit_below_the_hardware_counts(cgroup, file):
    cgroup({file: "1048576"})
    assert machine.memory() == (1048576, "limit of the container")


@pytest.mark.parametrize(
    ("file", "text"), [("memory.max", "max"), ("memory/memory.limit_in_bytes", str(2**63 - 4096))]
)
def test_no_memory_limit_leaves_what_is_installed(cgroup, file, text):
    cgroup({file: text})
    assert machine.memory().source == "installed memory"
    assert machine.memory().amount > 1048576

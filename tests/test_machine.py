import os

import pytest

from balance import machine


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="no CPU affinity on this system")
def test_only_the_cores_of_this_process_count(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3, 5, 7})
    assert machine.cores() == (3, "CPU affinity of this process")


def test_a_container_limit_below_the_hardware_counts(monkeypatch, tmp_path):
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(machine, "_CGROUP_MEMORY", limit)
    limit.write_text("1048576\n")
    assert machine.memory() == (1048576, "limit of the container")
    limit.write_text("max\n")
    assert machine.memory().source == "installed memory"
    assert machine.memory().amount > 1048576

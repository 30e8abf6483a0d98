"""Threads that share a cell share its network: a kernel has its address, so it must never be freed."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from balance import games
from balance.games.nefarious import player
from balance.games.nefarious.policies.names import POLICIES

NEFARIOUS = games.get("nefarious")


def test_two_threads_that_meet_a_cell_at_the_same_time_use_one_network(monkeypatch):
    cell = NEFARIOUS.compile(NEFARIOUS.load_catalog(), "ascora-2011", 3, ())
    meeting, fold = threading.Barrier(2, timeout=60), player.fold

    def fold_together(*args):
        meeting.wait()  # both have seen that the network is missing
        return fold(*args)

    monkeypatch.setattr(player, "fold", fold_together)
    learned = np.array([[POLICIES["learned"]]])

    def think(_):
        deciders = player._records_apart(player.DECIDERS, 2)
        player.let_think(cell, deciders, learned)
        return int(deciders["networks"][0, POLICIES["learned"]])

    with ThreadPoolExecutor(2) as pool:
        addresses = list(pool.map(think, range(2)))
    assert addresses == [cell.networks[POLICIES["learned"]].ctypes.data] * 2

"""Worker threads: each plays a shard, writes it, and takes the next one.

The kernel and the compression run without Python's lock, so threads are enough. They are daemons: a kernel in
the middle of a game cannot be stopped, and must not keep the process alive after Ctrl-C.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from balance.dataset.deals import DEALS, DealMaker
from balance.dataset.manifest import FileRecord
from balance.dataset.parquet import encode
from balance.dataset.plan import Plan, PlannedCell
from balance.dataset.shards import Shard
from balance.files import make_folder, refuse_links, write_whole
from balance.games.contract import Catalog, Game
from balance.sweep.playing import Player, StopPlaying, play_shard

_PATIENCE: Final = 1.2
"""Seconds that workers have to come to an end when nobody waits for their work any more."""


@dataclass(frozen=True, slots=True)
class Played:
    """A batch of games of a cell was played."""

    cell: PlannedCell
    games: int


@dataclass(frozen=True, slots=True)
class Finished:
    """A shard is on the disk."""

    shard: Shard
    files: dict[str, FileRecord]


@dataclass(frozen=True, slots=True)
class _Over:
    problem: BaseException | None = None


Message = Played | Finished | _Over


def work(
    game: Game[Any, Any],
    catalog: Catalog,
    plan: Plan,
    shards: Sequence[Shard],
    folder: Path,
    jobs: int,
    hear: Callable[[Played | Finished], object],
) -> None:
    """Play and write the shards on `jobs` threads; `hear` gets every message, on the thread of the caller.

    After Ctrl-C, or if something fails, the workers give up their shards; finished ones are reported first.
    """
    todo = deque(shards)
    # a small run is one shard: the threads that it leaves over share its games, which may be slow ones
    spare = max(1, jobs // max(1, len(shards)))
    messages: queue.SimpleQueue[Message] = queue.SimpleQueue()
    stop = threading.Event()

    def play(shard: Shard, player: Player, deals: DealMaker) -> None:
        def played(cell: PlannedCell, games: int) -> bool:
            messages.put(Played(cell, games))
            return not stop.is_set()

        records: dict[str, FileRecord] = {}
        for table, frame in play_shard(game, player, plan, shard, played):
            records[shard.file(table)] = _write(folder, shard.file(table), encode(frame))
        rows = {table.name: [folder / shard.file(table.name)] for table in game.facts.tables}
        records[shard.file(DEALS)] = _write(folder, shard.file(DEALS), encode(deals.make(rows)))
        messages.put(Finished(shard, records))

    def run() -> None:
        try:
            player, deals = Player(game, catalog, plan, spare), DealMaker(game, plan.cells, folder)
            while not stop.is_set():
                try:
                    shard = todo.popleft()
                except IndexError:
                    break
                play(shard, player, deals)
        except StopPlaying:
            pass
        except BaseException as problem:  # noqa: BLE001 - it is raised again where somebody listens
            messages.put(_Over(problem))
            return
        messages.put(_Over())

    threads = [threading.Thread(target=run, daemon=True) for _ in range(min(jobs, len(shards)))]
    for thread in threads:
        thread.start()
    working = len(threads)
    try:
        while working:
            message = messages.get()
            if not isinstance(message, _Over):
                hear(message)
                continue
            working -= 1
            if message.problem is not None:
                raise message.problem
    except KeyboardInterrupt:
        stop.set()
        _wait(threads)
        while not messages.empty():
            message = messages.get()
            if isinstance(message, Finished):
                hear(message)
        raise
    finally:
        stop.set()
        _wait(threads)


def _write(folder: Path, name: str, content: bytes | memoryview) -> FileRecord:
    refuse_links(folder, name)
    make_folder((folder / name).parent)
    write_whole(folder / name, content)
    return FileRecord.of(content)


def _wait(threads: Sequence[threading.Thread]) -> None:
    deadline = time.monotonic() + _PATIENCE
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))

"""The pages on replays are true: what they show is what the commands print, and what they run runs."""

import json
import re
import shlex

import pytest

from balance import games
from balance.cli.app import run
from balance.games.nefarious.replay.events import _READERS

GAME = games.get("nefarious")
PAGES = ["docs/events.md", "docs/notation.md", "docs/commands/replay.md"]


def blocks(checkout, page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", (checkout / page).read_text("utf-8"), re.S | re.M)


def test_every_event_has_a_true_example(checkout, official):
    page = (checkout / "docs/events.md").read_text("utf-8")
    shown = {}
    for heading, body in re.findall(r"^### (\w+)\n(.*?)(?=^##)", page, re.S | re.M):
        lines = re.findall(r"^    (\{.*\})$", body, re.M)
        shown[heading] = [json.loads(line.replace(", ...]", "]")) for line in lines]
    assert {name: [e["event"] for e in events] for name, events in shown.items()} == {
        name: [name] * max(1, len(shown[name])) for name in shown
    }
    assert len(shown) == len(_READERS) + 1  # the set-up is no event of the kernel
    for event in all_kinds(official):
        for example in shown[event["event"]]:
            assert list(example) == list(event)
    assert {e["outcome"] for e in shown["reveal"]} == {"built", "unaffordable", "unions"}


def all_kinds(official):
    """Return one event of each kind, from games in which they happen."""
    found = {}
    for twists, players in ((["unions", "long-term-plans"], 2), (["geeks", "recycling"], 4)):
        cell = GAME.compile(official, "ascora-2011", players, twists)
        for index in range(130):
            for event in GAME.replay(cell, 1, index, ["random"] * players):
                found.setdefault(event["event"], event)
    assert len(found) == len(_READERS) + 1
    return found.values()


@pytest.mark.parametrize("page", PAGES[1:])
def test_what_a_page_prints_is_what_the_command_prints(checkout, page, capfd):
    shown = blocks(checkout, page, "console")
    assert shown
    for block in shown:
        command, _, text = block.partition("\n")
        words = shlex.split(command.removeprefix("$ ").split(" | ")[0])
        assert words[:2] == ["balance", "replay"]
        assert run(words[1:]) == 0
        printed = capfd.readouterr().out
        for part in text.split("\n...\n"):
            assert part.strip("\n") in printed


@pytest.mark.parametrize("page", PAGES[:2])
def test_the_code_of_a_page_runs(checkout, page, capsys):
    code = blocks(checkout, page, "python")
    assert code
    for block in code:
        exec(compile(block, page, "exec"), {})

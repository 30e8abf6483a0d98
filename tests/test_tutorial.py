"""README and tutorial, command by command: every console block shows what its commands print.

`make test-update` writes the blocks anew.
"""

import re
import shlex
from pathlib import Path

import pytest

from balance.cli.app import run

BLOCK = re.compile(r"(?<=```console\n)(.*?)(?=```)", re.S)


def printed(command, capfd):
    """Return what a command prints on a terminal; `| head -N` and `ls` are known."""
    if command == "ls":
        return "".join(f"{name}\n" for name in sorted(path.name for path in Path().iterdir()))
    command, _, first = command.partition(" | head -")
    run(shlex.split(command.removeprefix("balance ")))
    out, err = capfd.readouterr()
    lines = out.splitlines(keepends=True)
    return err + "".join(lines[: int(first)] if first else lines)


def played(text, overlay, capfd):
    """Return a page with every console block as its commands print it now."""

    def block(found):
        change = re.findall(r"`(set = \{.*?\})` and ask again", text[: found.start()])
        Path("my-twist.toml").write_text(re.sub(r"set = .*", change[-1], overlay) if change else overlay)
        commands = [line for line in found[0].splitlines() if line.startswith("$ ")]
        return "".join(f"{line}\n{printed(line[2:], capfd)}" for line in commands)

    return BLOCK.sub(block, text)


@pytest.mark.parametrize("name", ["README.md", "docs/tutorial.md"])
def test_every_command_prints_what_the_page_shows(name, checkout, tmp_path, monkeypatch, capfd, request):
    page = checkout / name
    text = page.read_text("utf-8")
    (overlay,) = re.findall(r"```toml\n(.*?)```", (checkout / "docs/tutorial.md").read_text("utf-8"), re.S)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    found = played(text, overlay, capfd)
    if request.config.getoption("--update-goldens"):
        page.write_text(found, encoding="utf-8")
    assert found == page.read_text("utf-8")
    shown = "\n".join(BLOCK.findall(found))
    assert "\nBROKEN: Long Haul " in shown
    if name != "README.md":
        assert (
            "\nBROKEN"
            not in shown.rpartition("$ balance check long-haul --catalog my-twist.toml --players 3 |")[2]
        )
        assert shown.endswith("$ ls\nlong-haul.html\nmy-twist.toml\n")

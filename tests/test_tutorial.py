"""The tutorial, command by command, as a reader would type them."""

import re
import shlex

import pytest

from balance.cli.app import run


@pytest.fixture
def page(checkout):
    return (checkout / "docs" / "tutorial.md").read_text("utf-8")


def test_every_command_of_the_tutorial_does_what_the_page_says(page, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (overlay,) = re.findall(r"```toml\n(.*?)```", page, re.S)
    (tmp_path / "my-twist.toml").write_text(overlay)
    shown = re.findall(r"```console\n\$ balance (.*?)\n(.*?)```", page, re.S)
    (validate, table), (check, verdict), (again, _), (send, _) = shown

    assert run(shlex.split(validate)) == 0
    assert capfd.readouterr().out == table

    assert run(shlex.split(check)) == 4
    broken = " ".join(capfd.readouterr().out.split())
    assert broken.startswith(verdict.split(".")[0])
    assert "Nobody wins" in broken
    assert "balance replay" in broken

    mended = re.search(r"`(set = \{.*?\})` and ask again", page)[1]
    (tmp_path / "my-twist.toml").write_text(overlay.replace("set = { goal = 90 }", mended))
    assert again == check
    run(shlex.split(again))
    assert "Nobody wins" not in capfd.readouterr().out.split("Verdicts")[0]

    assert run(shlex.split(send)) == 0
    assert "Long Haul" in (tmp_path / "long-haul.html").read_text("utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["long-haul.html", "my-twist.toml"]

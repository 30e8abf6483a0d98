"""Nothing undocumented: every command has a page and an example, every promised make target exists."""

import re
import shlex

import pytest

from balance.cli.app import command_tree, run
from tests.conftest import SLOW


def commands(group=None, path=()):
    """Return every command as (its words, the command): ("catalog", "list"), ..."""
    found = []
    for name, command in (group or command_tree()).commands.items():
        found.append(((*path, name), command))
        if hasattr(command, "commands"):
            found += commands(command, (*path, name))
    return found


COMMANDS = commands()
IDS = [" ".join(path) for path, _ in COMMANDS]


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=IDS)
def test_every_command_has_a_page(path, command, checkout):
    page = checkout / "docs" / "commands" / f"{path[0]}.md"
    assert page.is_file(), f"docs/commands/{path[0]}.md is missing"
    assert f"balance {' '.join(path)}" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=IDS)
def test_every_help_text_ends_with_an_example(path, command):
    last = (command.epilog or command.help or "").strip().splitlines()[-1]
    assert shlex.split(last)[: len(path) + 1] == ["balance", *path]


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=IDS)
def test_every_help_text_begins_with_an_example_and_groups_its_options(path, command, capfd):
    assert run([*path, "--help"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0].startswith(f"Example: balance {' '.join(path)}")
    titles = [line.rstrip(":") for line in lines if re.fullmatch(r"[A-Z][\w ]+:", line)]
    known = [
        "Arguments",
        "What is played",
        "How much",
        "What is shown",
        "Where it goes",
        "Messages",
        "Commands",
    ]
    assert titles == [title for title in known if title in titles]
    assert "Messages" in titles


@pytest.mark.parametrize(("path", "command"), [((), command_tree()), *COMMANDS], ids=["balance", *IDS])
def test_help_fits_a_terminal_and_names_only_options_that_there_are(path, command, capfd):
    assert run([*path, "--help"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0].startswith("Example: balance")
    assert [line for line in lines if len(line) > 80] == []
    if not path:
        return
    given = {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
    known = given | {"--twist", "--twists", "--invention"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", "\n".join(lines))) <= known | {
        "--help",
        "--json",
        "--name",
    }


COMPLETED = {
    "check uni": "unions",
    "check unions --strength q": "quick",
    "report data/runs/f": "data/runs/first",
    "sql data/runs/first @length-by-pl": "@length-by-players",
}


@pytest.mark.parametrize(("typed", "offered"), COMPLETED.items(), ids=COMPLETED)
def test_the_shell_completes(typed, offered, tmp_path, monkeypatch, capfd):
    (tmp_path / "data" / "runs" / "first").mkdir(parents=True)
    (tmp_path / "data" / "runs" / "first" / "run.json").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("_BALANCE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"balance {typed}")
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split())))
    run([])
    assert offered in capfd.readouterr().out.split()


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=IDS)
def test_every_option_is_on_the_page_of_its_command(path, command, checkout):
    page = (checkout / "docs" / "commands" / f"{path[0]}.md").read_text(encoding="utf-8")
    everywhere = {"--quiet", "--verbose", "--help", "--format", "--json", "--out", "--force"}
    own = {name for param in command.params for name in param.opts if name.startswith("--")}
    assert {name for name in own - everywhere if name not in page} == set()


@pytest.mark.parametrize("name", sorted({path[0] for path, _ in COMMANDS}))
def test_every_option_in_a_table_of_a_page_exists(name, checkout):
    page = (checkout / "docs" / "commands" / f"{name}.md").read_text(encoding="utf-8")
    named = {
        word for row in re.findall(r"^\| (`-.*?) \|", page, re.M) for word in re.findall(r"--[a-z-]+", row)
    }
    own = {
        opt
        for path, command in COMMANDS
        if path[0] == name
        for param in command.params
        for opt in (*param.opts, *param.secondary_opts)
    }
    assert named - own - {"--twists", "--twist", "--invention"} == set()


def test_the_index_leads_to_every_page_of_a_command(checkout):
    index = (checkout / "docs" / "index.md").read_text(encoding="utf-8")
    assert [path[0] for path, _ in COMMANDS if f"commands/{path[0]}.md" not in index] == []


def test_make_targets_named_in_the_readme_exist(checkout):
    makefile = (checkout / "Makefile").read_text(encoding="utf-8")
    for page in ("README.md", "CONTRIBUTING.md"):
        named = set(
            re.findall(r"\bmake ([a-z-]+)`?$|`make ([a-z-]+)`", (checkout / page).read_text("utf-8"), re.M)
        )
        targets = {first or second for first, second in named}
        assert targets, page
        assert {name for name in targets if not re.search(rf"^{name}:", makefile, re.M)} == set()


def test_commands_named_in_the_readme_exist(checkout):
    names = {path[0] for path, _ in COMMANDS}
    named = set(re.findall(r"^balance ([a-z]+)", (checkout / "README.md").read_text("utf-8"), re.M))
    assert named
    assert named <= names


def test_links_between_pages_lead_somewhere(checkout):
    pages = [*checkout.glob("*.md"), *(checkout / "docs").rglob("*.md")]
    broken = [
        f"{page.relative_to(checkout)}: {link}"
        for page in pages
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
        if not (page.parent / link).exists()
    ]
    assert broken == []


def test_a_broken_link_ends_the_build_of_the_site(checkout):
    """Links out of docs/ would be broken on the site: sources are named as paths."""
    settings = (checkout / "mkdocs.yml").read_text("utf-8")
    assert re.search(r"^strict: true$", settings, re.M)
    assert re.search(
        r"^  links:\n    not_found: warn\n    unrecognized_links: warn\n    anchors: warn$", settings, re.M
    )
    docs = checkout / "docs"
    outside = [
        f"{page.relative_to(checkout)}: {link}"
        for page in docs.rglob("*.md")
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
        if not (page.parent / link).resolve().is_relative_to(docs)
    ]
    assert outside == []


def test_pre_commit_runs_what_make_check_runs(checkout):
    recipe = re.search(r"^check: .*\n((?:\t.*\n)+)", (checkout / "Makefile").read_text("utf-8"), re.M)[1]
    entries = re.findall(
        r"entry: \.venv/bin/python -m (.+)", (checkout / ".pre-commit-config.yaml").read_text("utf-8")
    )
    assert entries == re.findall(r"\$\(PY\) -m (.+)", recipe)
    assert len(entries) == 4


def test_every_file_that_test_fast_leaves_out_exists(checkout):
    assert [name for name in SLOW if not (checkout / "tests" / name).is_file()] == []

"""`balance report` as a user runs it."""

import subprocess
import sys

import pytest

import balance
from balance.cli.app import run
from balance.errors import UsageError
from balance.report import build
from balance.report.render.html import render


@pytest.fixture
def report(capsys, monkeypatch):
    """Run `balance report ARGS` in this process: exit code, stdout and stderr."""

    def call(*args):
        code = run(["report", *args])
        said = capsys.readouterr()
        return code, said.out, said.err

    return call


def test_both_formats_of_a_pair_below_reports(nefarious, report, workplace):
    code, out, err = report(nefarious, "--pair", "Unions", "geeks", "--format", "both")
    assert code == 0, err
    assert out.splitlines() == ["reports/nefarious-unions-geeks.html", "reports/nefarious-unions-geeks.pdf"]
    html, pdf = (workplace / line for line in out.splitlines())
    assert html.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert pdf.read_bytes().startswith(b"%PDF-")
    before = pdf.read_bytes()
    code, out, err = report(nefarious, "--pair", "Unions", "geeks", "--format", "both")
    assert (code, out) == (2, "")
    assert "exists already; --force" in err
    code, out, _ = report(nefarious, "--pair", "Unions", "geeks", "--format", "both", "--force")
    assert code == 0
    assert pdf.read_bytes() == before


def test_one_item_in_the_word_of_the_game(nefarious, report, workplace):
    code, out, err = report(nefarious, "--invention", "Flying Car", "--out", "car.pdf")
    assert (code, out) == (0, "car.pdf\n"), err
    assert (workplace / "car.pdf").read_bytes().startswith(b"%PDF-")


def test_the_tiny_game_has_its_own_word(tiny, report):
    code, out, err = report(tiny, "--charm", "Boots", "--format", "html")
    assert (code, out) == (0, "reports/tiny-boots.html\n"), err


def test_all_combinations(tiny, report, workplace):
    code, out, err = report(tiny, "--format", "both", "--out", "all.html")
    assert (code, out) == (0, "all.html\nall.pdf\n"), err
    assert "Feverish" in (workplace / "all.html").read_text(encoding="utf-8")


def test_from_python(tiny, workplace):
    (path,) = balance.write_report(tiny, "python.html", players=2, jobs=1)
    assert path.read_bytes().startswith(b"<!doctype html>")
    with pytest.raises(UsageError, match="exists already"):
        balance.write_report(tiny, "python.html", players=2, jobs=1)


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["nowhere"], 3, "there is no run in nowhere"),
        (["RUN", "--format", "docx"], 2, "--format docx: expected html, pdf, json, markdown, text or both"),
        (["RUN", "--format", "pdf", "--paper", "a3"], 2, "--paper a3: expected a4 or letter"),
        (["RUN", "--pair", "unions", "geks"], 2, "geeks"),
        (["RUN", "--pair", "unions", "academics"], 2, "academics"),
        (["RUN", "--invention", "Flying Cat"], 2, "Flying Car"),
        (["RUN", "--players", "6"], 3, "no games"),
        (["RUN", "--out", "no/such/folder.html"], 2, "there is no folder"),
        (["RUN", "--out", "x.html", "--format", "pdf"], 2, "--format is pdf"),
        (["RUN", "--pair", "unions", "geeks", "--invention", "3"], 2, "give one of them"),
        (["RUN", "--thresholds", "missing.toml"], 2, "missing.toml"),
        (["RUN", "--format", "json", "--out", "-"], 2, "--out -: a report is a file: name it"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(nefarious, report, workplace, args, code, said):
    before = sorted(workplace.rglob("*.html")) + sorted(workplace.rglob("*.pdf"))
    found, out, err = report(*(nefarious if arg == "RUN" else arg for arg in args))
    assert (found, out) == (code, "")
    assert said in err
    assert "Traceback" not in err
    assert sorted(workplace.rglob("*.html")) + sorted(workplace.rglob("*.pdf")) == before


def test_a_pair_needs_a_game_with_two_at_once(tiny, report):
    code, _, err = report(tiny, "--pair", "windy", "festive")
    assert code == 2
    assert "one mood at most" in err


def test_a_report_does_not_tell_where_it_was_made(nefarious, workplace):
    report = build.build(build.ReportRequest((workplace / nefarious,), pair=("unions", "geeks")))
    assert str(workplace) in str(report)  # a terminal shows commands that work
    assert str(workplace).encode() not in build.rendering(report, "html")
    assert report.provenance.commands[-1] == "balance report nefarious --pair unions geeks"


def test_the_help_needs_no_heavy_library():
    heavy = {"polars", "duckdb", "typst", "matplotlib", "jinja2"}
    code = "from balance.cli.app import run; run(['report', '-h']); import sys\n"
    code += f"print(set(sys.modules) & {heavy})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.stdout.splitlines()[-1] == "set()"


def test_a_check_as_a_page_is_the_sheet_of_its_pair(nefarious, capsys, workplace):
    code = run(["check", "unions", "geeks", "--run", nefarious, "--format", "html", "--out", "check.html"])
    assert code == 0, capsys.readouterr().err
    page = (workplace / "check.html").read_text(encoding="utf-8")
    sheet = render(build.build(build.ReportRequest((nefarious,), pair=("unions", "geeks"))))
    command = "balance report nefarious --pair unions geeks"
    assert page == sheet.replace(command, "balance check geeks unions --run nefarious")


def test_rows_have_no_page(capsys):
    assert run(["catalog", "list", "twists", "--format", "html"]) == 2
    assert "have no page" in capsys.readouterr().err

"""stdout: what rows look like in each format, and where they may be written."""

import csv
import io
import json
import os
import stat
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from balance import text_columns
from balance.cli import formats, output
from balance.cli.output import Format, OutputOptions
from balance.errors import Failed, UsageError

CARDS = [
    {"id": 1, "name": "Death ray", "effects": ["others lose 2", "gain 1"], "blank": False, "note": None},
    {"id": 64, "name": "Лучи | смерти", "effects": [], "blank": True, "note": 'a "second"\nline'},
]
COLUMNS = ["id", "name", "effects", "blank", "note"]


@pytest.fixture
def written(capfdbinary):
    """Return what `rows` (or the given function) prints."""

    def write(rows=CARDS, columns=COLUMNS, format_=Format.table):
        output.rows(rows, columns, OutputOptions(format_))
        return capfdbinary.readouterr().out.decode()

    return write


class Screen(io.TextIOWrapper):
    """A terminal that remembers what it was sent."""

    def __init__(self):
        super().__init__(io.BytesIO(), encoding="utf-8")

    def isatty(self):
        return True

    def shown(self):
        self.flush()
        return self.buffer.getvalue().decode()


@pytest.fixture
def screen(monkeypatch):
    stream = Screen()
    # pytest puts its own sys.stdout back between a fixture and its test.
    monkeypatch.setattr(output, "sys", SimpleNamespace(stdout=stream))
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    return stream


@pytest.mark.parametrize("format_", [f for f in Format if f not in (Format.parquet, *output.PAGES)])
def test_every_text_format(format_, written, golden):
    golden(f"cards-{format_.value}.txt", written(format_=format_))


def test_csv_reads_back(written):
    read = list(csv.reader(io.StringIO(written(format_=Format.csv), newline="")))
    assert read[0] == COLUMNS
    assert read[2] == ["64", "Лучи | смерти", "", "true", 'a "second"\nline']


def test_json_is_one_array_and_jsonl_one_object_per_line(written):
    array = json.loads(written(format_=Format.json))
    assert array == CARDS
    assert [json.loads(line) for line in written(format_=Format.jsonl).splitlines()] == CARDS


def test_parquet_reads_back(tmp_path):
    import polars as pl

    file = tmp_path / "cards.parquet"
    output.rows(CARDS, ["id", "name", "effects"], OutputOptions(Format.parquet, file))
    assert pl.read_parquet(file).to_dicts() == [{k: c[k] for k in ("id", "name", "effects")} for c in CARDS]


@pytest.mark.parametrize(
    ("format_", "expected"),
    [
        (Format.table, "id  name\n--  ----\n"),
        (Format.csv, "id,name\n"),
        (Format.json, "[]\n"),
        (Format.jsonl, ""),
        (Format.markdown, "| id | name |\n| --- | --- |\n"),
    ],
)
def test_no_rows(format_, expected, written):
    assert written([], ["id", "name"], format_) == expected


@pytest.mark.parametrize("value", [float("nan"), float("inf"), Decimal("NaN"), np.float32("nan")])
def test_not_a_number_is_nothing(value, written):
    assert json.loads(written([{"x": value}], ["x"], Format.json)) == [{"x": None}]
    assert written([{"x": value, "y": 1}], ["x", "y"], Format.csv) == "x,y\n,1\n"


def test_numbers_stand_flush_right(written):
    assert written([{"n": 5}, {"n": 1000}], ["n"]).splitlines()[2:] == ["   5", "1000"]


def test_a_piped_table_wraps_its_widest_column_at_80(written):
    rule = "Each other player discards a card of their choice, then draws one. " * 3
    lines = written([{"id": "unions", "rule": rule, "cost": 12}], ["id", "rule", "cost"]).splitlines()
    assert max(map(len, lines)) == 80
    assert " ".join(line[8:74].strip() for line in lines[2:]).strip() == rule.strip()


def test_a_table_of_too_many_columns_becomes_blocks(written):
    columns = [f"column_{n}" for n in range(12)]
    lines = written([dict.fromkeys(columns, "a long value")] * 2, columns).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "column_0   a long value"
    assert len(lines) == 12 + 1 + 12


def test_wide_letters_keep_the_columns_aligned(written):
    lines = written([{"a": "発明", "b": 1}, {"a": "x", "b": 2}], ["a", "b"]).splitlines()
    assert lines[2:] == ["発明  1", "x     2"]


@given(
    st.lists(st.dictionaries(st.sampled_from(["a", "b", "c"]), st.text() | st.integers()), max_size=5),
    st.integers(20, 120),
)
def test_a_table_never_exceeds_its_width_and_never_steers_the_terminal(rows, width):
    cells = [[formats.plain(row.get(name)) for name in "abc"] for row in rows]
    right = [formats.are_numbers([row.get(name) for row in rows]) for name in "abc"]
    table = text_columns.table(["a", "b", "c"], cells, right, width)
    assert all(text_columns.text_width(line) <= width for line in table.split("\n"))
    assert text_columns.escape(table, keep="\n") == table


# --- terminals


def test_headers_are_bold_on_a_terminal_only(screen):
    output.rows([{"id": 1}], ["id"])
    assert screen.shown() == "\x1b[1mid\x1b[0m\n--\n 1\n"


def test_no_color_means_no_bold_either(screen, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    output.rows([{"id": 1}], ["id"])
    assert screen.shown() == "id\n--\n 1\n"


def test_a_terminal_is_filled_to_its_own_width(screen):
    output.rows([{"rule": "word " * 30}], ["rule"])
    assert max(map(len, screen.shown().splitlines()[1:])) == 40


@pytest.mark.parametrize("format_", [f for f in Format if f not in (Format.parquet, *output.PAGES)])
@pytest.mark.parametrize("attack", ["\x1b]0;title\x07", "\x9b31m", "\u202eevil", "\r\b", "\x7f"])
def test_no_control_character_reaches_a_terminal(format_, attack, screen, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    output.rows([{"name": attack}], ["name"], OutputOptions(format_))
    output.text(attack)
    shown = screen.shown()
    assert len(shown) > len(attack)
    assert text_columns.escape(shown, keep="\n") == shown


def test_csv_in_a_file_keeps_the_value_as_it_is(tmp_path):
    output.rows([{"name": "\x1b[1m"}], ["name"], OutputOptions(Format.csv, tmp_path / "x"))
    assert (tmp_path / "x").read_bytes() == b"name\n\x1b[1m\n"


def test_parquet_to_a_terminal_is_refused(screen):
    with pytest.raises(UsageError, match="not for a terminal"):
        output.options(Format.parquet)


# --- options


def test_json_is_short_for_its_format():
    assert output.options(as_json=True) == output.options(Format.json)


def test_json_and_another_format_contradict():
    with pytest.raises(UsageError, match="contradict"):
        output.options(Format.csv, as_json=True)


def test_a_dash_is_the_standard_output():
    assert output.options(out="-").out is None


# --- files


@pytest.mark.parametrize("format_", [f for f in Format if f not in output.PAGES])
def test_a_file_gets_the_bytes_of_the_pipe(format_, tmp_path, capfdbinary):
    output.rows(CARDS, ["id", "name"], OutputOptions(format_))
    output.rows(CARDS, ["id", "name"], OutputOptions(format_, tmp_path / "file"))
    assert (tmp_path / "file").read_bytes() == capfdbinary.readouterr().out


def test_an_existing_file_is_refused_before_any_work(tmp_path):
    file = tmp_path / "file"
    file.write_text("precious")
    with pytest.raises(UsageError, match="exists already"):
        output.options(out=str(file))
    with pytest.raises(UsageError, match="exists already"):
        output.text("new", OutputOptions(out=file))
    assert file.read_text() == "precious"


def test_force_replaces_it(tmp_path):
    file = tmp_path / "file"
    file.write_text("old")
    output.text("new", output.options(out=str(file), force=True))
    assert file.read_text() == "new\n"
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_that_appears_meanwhile_is_not_overwritten(tmp_path):
    target = tmp_path / "target"
    target.write_text("precious")
    with pytest.raises(UsageError, match="exists already"):
        output.text("new", OutputOptions(out=target))
    assert target.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [target]


def test_a_failed_write_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        output.text("new", OutputOptions(out=tmp_path / "file"))
    assert list(tmp_path.iterdir()) == []


def test_a_new_file_has_the_usual_permissions(tmp_path):
    old = os.umask(0o022)
    try:
        output.text("x", OutputOptions(out=tmp_path / "file"))
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o644


def test_a_device_needs_no_force():
    output.text("x", output.options(out="/dev/null"))


@pytest.mark.parametrize(("out", "message"), [(".", "is a folder"), ("missing/file", "there is no folder")])
def test_places_that_cannot_be_written(out, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=message):
        output.options(out=out)


def test_a_closed_standard_output_is_told(monkeypatch):
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(Failed, match="closed"):
        output.text("x")


# --- documents


def test_a_document_is_text_for_people_and_data_for_programs(capfdbinary):
    output.document("Unions", {"id": "unions"}, OutputOptions())
    output.document("Unions", {"id": "unions"}, OutputOptions(Format.jsonl))
    assert capfdbinary.readouterr().out == b'Unions\n{"id": "unions"}\n'


def test_a_document_has_no_rows(capfdbinary):
    with pytest.raises(UsageError, match="not a list of rows"):
        output.document("Unions", {}, OutputOptions(Format.csv))

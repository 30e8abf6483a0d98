"""Whatever a file holds: loading ends in a CatalogError, or in a catalog that loads alike twice."""

import json
import math
import tomllib
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from balance.errors import CatalogError
from balance.games import get
from balance.games.forms import form_fields
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.catalog import reading
from balance.games.nefarious.catalog.loading import load_catalog
from balance.resources import data_dir

OFFICIAL = {path.stem: path.read_bytes() for path in sorted(data_dir("nefarious").glob("*s.toml"))}
ENTRIES = {
    kind: tomllib.loads(OFFICIAL[f"{kind}s"].decode())[kind] for kind in ("invention", "twist", "edition")
}

CUSTOM = Path(__file__).parents[2] / "data" / "custom_twists.toml"
ENTRIES["twist"] += tomllib.loads(CUSTOM.read_text(encoding="utf-8"))["twist"]

relaxed = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz") / "mine.toml"


def told(problems):
    assert problems
    for problem in problems:
        assert problem.message
        assert str(problem).isprintable()
        assert len(str(problem)) < 1000


def check(file, content):
    """Load a file that holds anything, and describe what was accepted."""
    file.write_bytes(content)
    try:
        catalog = load_catalog([file])
    except CatalogError as error:
        told(error.problems)
        return
    assert load_catalog([file]).hash == catalog.hash
    game = get("nefarious")
    for difference in game.diff(load_catalog(), catalog):
        if difference.change != "removed" and difference.id:
            for entry in game.find(catalog, difference.id):
                assert game.describe(catalog, entry).sections


# --- documents with changed structure

FORMS = (reading.InventionForm, reading.TwistForm, reading.EditionForm, reading.LineForm)

WORDS = sorted(
    {*v.ACTIONS, *v.WHATS, *v.MOMENTS, *v.PERS, *v.QUANTITIES, *v.PARAMETERS, *v.SWITCHES, *v.CONFIDENCES}
    | {"+1 card", "-all minion off played", "x0 income", "before income", "built == 0", "played work"}
    | {"ascora-2011"}
)
KEYS = sorted(
    {name for form in FORMS for name in form_fields(form)}
    | {*v.PARAMETERS, *v.SWITCHES, *reading.TERMS, "remove", "version"}
)

# a number with so many digits that Python will not write it
HUGE = type("Huge", (), {"isoformat": lambda self: "0x" + "f" * 5000})()

texts = st.one_of(
    st.sampled_from(WORDS), st.text(max_size=20), st.sampled_from(["x" * 700, "<i>", "\x1b[0m", "a\nb"])
)
numbers = st.one_of(
    st.integers(-30, 130), st.sampled_from([2**63, -1, 1001, 9999]), st.floats(), st.booleans()
)
scalars = st.one_of(texts, numbers, st.just(date(2020, 1, 1)), st.just(HUGE))
keys = st.one_of(st.sampled_from(KEYS), st.text(max_size=8))
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=8,
)


def mutated(draw, value):
    """Return a value with one place in it changed, dropped, doubled or replaced."""
    deeper = draw(st.integers(0, 9)) > 0
    if isinstance(value, dict) and value and deeper:
        key = draw(st.sampled_from(sorted(value)))
        match draw(st.integers(0, 9)):
            case 0:
                return {k: item for k, item in value.items() if k != key}
            case 1:
                return value | {draw(keys): value[key]}
            case 2 | 3:
                return value | {draw(keys): draw(values)}
            case _:
                return value | {key: mutated(draw, value[key])}
    if isinstance(value, list) and value and deeper:
        place = draw(st.integers(0, len(value) - 1))
        match draw(st.integers(0, 5)):
            case 0:
                return value[:place] + value[place + 1 :]
            case 1:
                return [*value, value[place]]
            case _:
                return [*value[:place], mutated(draw, value[place]), *value[place + 1 :]]
    if isinstance(value, str) and value and draw(st.booleans()):
        place = draw(st.integers(0, len(value) - 1))
        return (
            value[:place] + draw(st.sampled_from(["", " ", "0", "x", value[place] * 2])) + value[place + 1 :]
        )
    if isinstance(value, int) and draw(st.booleans()):
        return value + draw(st.integers(-2, 2))
    return draw(values)


@st.composite
def documents(draw):
    """Return an overlay made from official entries, some places of which were changed."""
    document = {}
    for kind in draw(st.lists(st.sampled_from(sorted(ENTRIES)), min_size=1, max_size=3, unique=True)):
        entries = []
        for entry in draw(st.lists(st.sampled_from(ENTRIES[kind]), min_size=1, max_size=4)):
            changed = entry
            for _ in range(draw(st.integers(0, 3))):
                # the entry stays a table: what is none is refused before anything else is looked at
                changed = mutated(draw, changed) if isinstance(changed, dict) else entry
            entries.append(changed if isinstance(changed, dict) else entry)
        document[kind] = entries
    return document


def toml(value):
    """Write a value as TOML."""
    match value:
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case float():
            return "nan" if math.isnan(value) else str(value)
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case list():
            return f"[{', '.join(map(toml, value))}]"
        case dict():
            return f"{{ {', '.join(f'{toml(k)} = {toml(item)}' for k, item in value.items())} }}"
        case _:
            return value.isoformat()


def content_of(document):
    return "\n".join(f"{toml(key)} = {toml(item)}" for key, item in document.items()).encode()


def test_the_writer_writes_what_the_reader_reads():
    assert tomllib.loads(content_of(ENTRIES).decode()) == ENTRIES


@relaxed
@given(documents())
def test_documents_with_changed_structure(file, document):
    check(file, content_of(document))


@relaxed
@given(
    st.dictionaries(st.sampled_from(["twist", "invention", "edition", "catalog"]) | keys, values, max_size=3)
)
def test_documents_of_anything(file, document):
    check(file, content_of(document))


# --- changed bytes


@st.composite
def changed_bytes(draw):
    """Return an official file with bytes cut out, put in, doubled or overwritten."""
    content = OFFICIAL[draw(st.sampled_from(sorted(OFFICIAL)))]
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.integers(0, 60)))
        middle = draw(
            st.one_of(
                st.just(b""),
                st.just(content[start:end] * 2),
                st.binary(max_size=6),
                st.sampled_from(
                    [b'"', b"]", b"[[", b"\r", b"\xef\xbb\xbf", b"'''", b"\\", b"= 0x" + b"f" * 5000]
                ),
            )
        )
        content = content[:start] + middle + content[end:]
    return content


@relaxed
@given(changed_bytes())
def test_files_with_changed_bytes(file, content):
    check(file, content)


@relaxed
@given(st.binary(max_size=300))
def test_files_of_anything(file, content):
    check(file, content)

"""docs/catalog.md documents every word of the effect language, with an example that is right."""

import doctest
import re
import tomllib

import pytest

from balance.games.forms import form_fields
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.catalog import phrases, reading
from balance.games.nefarious.catalog.loading import load_catalog

ENTRY = {
    "twist": {"id": "mine", "name": "Mine", "editions": ["ascora-2011"]},
    "invention": {"id": 1001, "name": "Jet Pack", "cost": 6, "vp": 3},
    "edition": {"id": "ascora-2011"},
}
FORMS = {"twist": reading.TwistForm, "invention": reading.InventionForm, "edition": reading.EditionForm}


def own_fields(kind):
    return list(form_fields(FORMS[kind]))[len(reading.COMMON_FIELDS) :]


def field_of(kind):
    """Return a check that an example is a field of an entry that loads."""

    def check(example, word, write):
        (name,) = (fields := tomllib.loads(example))
        assert name in form_fields(FORMS[kind])
        entry = "\n".join(f"{key} = {value!r}" for key, value in ENTRY[kind].items() if key not in fields)
        load_catalog([write(f"[[{kind}]]\n{entry}\n{example}\n")])

    return check


def line_field(example, word, write):
    (name,) = tomllib.loads(example)
    assert name == word
    rest = {"when": '"build"', "do": '"-1 minion"'}
    rest = rest | {"when": '"end"'} if name in ("if", "who", "do") else rest
    rest.pop(name, None)
    body = ", ".join([example, *(f"{key} = {value}" for key, value in rest.items())])
    editions = 'editions = ["ascora-2011", "mosigra-2020"]'
    load_catalog([write(f'[[twist]]\nid = "mine"\nname = "Mine"\n{editions}\nlines = [{{ {body} }}]\n')])


def effect(example, word, write):
    found = phrases.parse_effect(example)
    assert word in (found.what, found.per, found.zone)


def condition(example, word, write):
    found = phrases.parse_condition(example)
    assert word in (found.left, found.right, found.op, found.whose)


def line(example, word, write):
    assert word in re.findall(r"[a-z]+", example)
    load_catalog(
        [write(f'[[twist]]\nid = "mine"\nname = "Mine"\neditions = ["ascora-2011"]\nlines = [{example}]\n')]
    )


# Heading of a table, the words it must have, and what its examples are.
TABLES = {
    "Fields of every entry": (reading.COMMON_FIELDS, field_of("invention")),
    "Fields of an invention": (own_fields("invention"), field_of("invention")),
    "Fields of a twist": (own_fields("twist"), field_of("twist")),
    "Fields of an edition": (own_fields("edition"), field_of("edition")),
    "Fields of a line": (form_fields(reading.LineForm), line_field),
    "Confidences": (v.CONFIDENCES, field_of("invention")),
    "Sources of names": (v.NAME_SOURCES, field_of("invention")),
    "Deck rules": (v.DECK_RULES, field_of("edition")),
    "What": (v.WHATS, effect),
    "Per": (v.PERS, lambda example, word, write: effect(re.sub(r"\d+$", "5", example), word, write)),
    "Moments": (v.MOMENTS, line),
    "Steps": (v.STEPS, line),
    "Whom": (v.WHOM, line),
    "Conditions": (v.QUANTITIES, condition),
    "Comparisons": (v.COMPARISONS, condition),
    "Ranks": (v.EXTREMES, condition),
    "Whose": (v.WHOSE, condition),
    "Parameters": (v.PARAMETERS, field_of("twist")),
    "Changes": (v.CHANGES, field_of("twist")),
    "Switches": ([*v.SWITCHES, *v.HAND_SUBSTITUTES], field_of("twist")),
}  # fmt: skip


# Tables without examples, and what an entry with one of their words is.
EXAMPLES = {
    "Confidences": 'confidence = "{}"',
    "Sources of names": 'name_source = "{}"',
    "Deck rules": 'deck = "{}"',
    "Comparisons": "hand {} 3",
}
# Headings below which words stand in a sentence.
SENTENCES = {"Words of an edition": reading.TERMS, "Actions": v.ACTIONS, "What": (*v.ACTIONS, "played")}


@pytest.fixture(scope="session")
def page(checkout):
    return (checkout / "docs" / "catalog.md").read_text(encoding="utf-8")


@pytest.fixture
def write(tmp_path):
    def to_file(text):
        (tmp_path / "mine.toml").write_text(text, encoding="utf-8")
        return tmp_path / "mine.toml"

    return to_file


def rows(page, heading):
    """Return the rows of the tables under a heading: (word, text, example)."""
    section = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", page, re.M | re.S)
    assert section, f"docs/catalog.md has no heading '{heading}'"
    if heading in EXAMPLES:
        told = re.findall(r"^\| `([^`]+)` \| (.+) \|$", section[1], re.M)
        return [(word, text, EXAMPLES[heading].format(word)) for word, text in told]
    found = re.findall(r"^\| `([^`]+)` \| (.+) \| `([^`]+)` \|$", section[1], re.M)
    assert len(found) == len(re.findall(r"^\| `", section[1], re.M)), (
        f"a row under '{heading}' has no example"
    )
    return found


@pytest.mark.parametrize("heading", TABLES)
def test_every_word_is_documented_and_no_other(page, heading):
    words, _ = TABLES[heading]
    assert [word for word, _, _ in rows(page, heading)] == list(words)


@pytest.mark.parametrize("heading", SENTENCES)
def test_words_that_need_no_table_stand_in_a_sentence(page, heading):
    (section,) = re.findall(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", page, re.M | re.S)
    assert set(SENTENCES[heading]) <= set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", section))))


@pytest.mark.parametrize("heading", TABLES)
def test_every_example_is_right(page, heading, write):
    _, check = TABLES[heading]
    assert rows(page, heading)
    for word, text, example in rows(page, heading):
        assert len(text) > 5, word
        check(example, word, write)


def test_no_list_of_words_is_left_out():
    """A list of words that is new in vocabulary.py needs a table here."""
    documented = [*(set(words) for words, _ in TABLES.values()), *map(set, SENTENCES.values())]
    lists = {
        name: {str(word) for word in value}
        for name, value in vars(v).items()
        if name.isupper() and not name.startswith("_") and isinstance(value, tuple | dict)
        if not name.endswith("_RANGE")
    }
    assert {"ACTIONS", "WHATS", "PERS"} <= set(lists)
    left_out = [name for name, words in lists.items() if not any(words <= known for known in documented)]
    assert left_out == []


def test_parameters_tell_their_numbers(page):
    assert rows(page, "Parameters")
    for word, text, _ in rows(page, "Parameters"):
        parameter = v.PARAMETERS[word]
        assert text.startswith(f"{parameter.basic}, {parameter.low}..{parameter.high} | "), word


def test_the_limits_are_those_of_the_code(page):
    from balance.games import tomlfile

    limits = page[page.index("## Limits") :]
    for name, value in vars(v).items():
        if name.isupper() and name.endswith("_RANGE"):
            assert f" {value[0]}..{value[1]} " in limits, name
        elif name.isupper() and (name.startswith("MOST_") or name.endswith("LIMIT")):
            assert re.search(rf"\b{value:,}\b", limits), name
    for number in (tomlfile.LARGEST_FILE, tomlfile.DEEPEST, tomlfile.LONGEST_NOTE, tomlfile.MOST_PROBLEMS):
        assert f"{number:,}" in limits
    assert f"| name | {tomlfile.LONGEST_NAME} characters |" in limits
    assert f"{reading.LONGEST_TERM} characters" in limits
    assert f"from {reading.FIRST_OWN_ID} to {reading.LAST_OWN_ID}" in page


def test_the_rule_for_names_is_stated(page):
    text = " ".join(page.split())
    assert "printable single-line Unicode of at most 60 characters, without `<` and `>`" in text


@pytest.mark.parametrize("name", ["catalog.md", "how-to/add-a-twist.md", "commands/catalog.md"])
def test_toml_examples_load(checkout, write, name):
    text = (checkout / "docs" / name).read_text(encoding="utf-8")
    blocks = re.findall(r"^```toml\n(.*?)^```", text, re.M | re.S)
    assert blocks
    for block in blocks:
        load_catalog([write(block)])


def test_python_examples_are_right(page):
    (code,) = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    source = "".join(
        f">>> {line.split('  #')[0].rstrip()}\n"
        + (f"{line.split('# ')[1]}\n" if re.search(r"# \d+$", line) else "")
        for line in code.splitlines()
        if line and not line.startswith("catalog.version")
    )
    test = doctest.DocTestParser().get_doctest(source, {}, "docs/catalog.md", None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_the_rules_page_has_every_twist_and_every_ruling_once(checkout, official):
    rules = (checkout / "docs" / "games" / "nefarious.md").read_text(encoding="utf-8")
    rows_ = re.findall(r"^\| `([a-z-]+)` \| (.+?) \| (A|M|A M) \| (.+) \| ([a-z+]+) \|$", rules, re.M)
    sets = {"A": ("ascora-2011",), "M": ("magellan-2014", "mosigra-2020")}
    sets["A M"] = sets["A"] + sets["M"]
    assert [(id_, name, sets[where], known) for id_, name, where, _, known in rows_] == [
        (t.id, f"{t.name} ({t.name_ru})" if t.name_ru else t.name, t.editions, t.confidence)
        for t in official.twists
    ]
    numbers = re.findall(r"\*\*\[(?:ruling|ours) (\d+\.\d+)\]\*\*", rules)
    assert numbers == sorted(numbers, key=lambda n: [int(part) for part in n.split(".")])
    assert len(numbers) == len(set(numbers)) > 20

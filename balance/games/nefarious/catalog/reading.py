"""From the entries of catalog files to inventions, twists and editions, every mistake noted.

Each field is checked alone and then with its neighbours; a wrong field gets a stand-in, so that the next
mistake is found too. What only a whole catalog can break is `catalog`'s.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, Final, TypeVar

from balance.games import tomlfile
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.catalog import phrases
from balance.games.nefarious.catalog.model import Change, Edition, Invention, Switches, Twist
from balance.games.tomlfile import Fields, Problems, RawEntry, describe
from balance.suggest import unknown

FIRST_OWN_ID: Final = 1001
LAST_OWN_ID: Final = 9999
TERMS: Final = (*v.ACTIONS, "minion", "minions", "twist", "twists")
LONGEST_TERM: Final = 20

_COMMON: Final = ("id", "name", "name_source", "name_ru", "confidence", "note")
INVENTION_FIELDS: Final = (*_COMMON, "cost", "vp", "vp_per_built", "self", "others", "alternatives")
TWIST_FIELDS: Final = (*_COMMON, "editions", *v.CHANGES, "lines", "switches", "alternatives")
EDITION_FIELDS: Final = (*_COMMON, "deck", "first_game_twists", "set", "words")
LINE_FIELDS: Final = ("when", "if", "who", "do", "first", "or_else", "editions")
_NOT_IN_ALTERNATIVES: Final = (*_COMMON, "alternatives")

T = TypeVar("T")


def read_invention(entry: RawEntry, problems: Problems) -> Invention:
    """Read one `[[invention]]`."""
    fields = Fields(entry, problems, INVENTION_FIELDS)
    if not isinstance(entry.id, int) or not 1 <= entry.id <= LAST_OWN_ID:
        fields.wrong(
            "id",
            f"expected a whole number, {FIRST_OWN_ID}..{LAST_OWN_ID} for own cards, found {entry.shown_id}",
        )
    invention = Invention(
        id=entry.id if isinstance(entry.id, int) else 0,
        cost=fields.integer("cost", *v.COST_RANGE),
        vp=fields.integer("vp", *v.VP_RANGE),
        vp_per_built=fields.integer("vp_per_built", *v.VP_RANGE, default=0),
        self_effects=_printed(fields, "self"),
        others_effects=_printed(fields, "others"),
        **_names_and_source(fields),
    )
    return replace(invention, alternatives=_readings(fields, read_invention))


def read_twist(entry: RawEntry, problems: Problems, edition_ids: Sequence[str], most_minions: int) -> Twist:
    """Read one `[[twist]]`, which may name these editions and ask for up to `most_minions` minions."""
    fields = Fields(entry, problems, TWIST_FIELDS)
    written = fields.list("editions")
    editions = _edition_list(fields, "editions", written, edition_ids)
    if not written and entry.fields.get("editions", []) == []:
        fields.wrong("editions", f"missing; the editions that have this twist, of {', '.join(edition_ids)}")
    twist = Twist(
        id=_slug(fields),
        editions=editions,
        changes=_changes(fields),
        lines=_lines(fields, edition_ids, most_minions),
        switches=_switches(fields),
        **_names_and_source(fields),
    )
    read = partial(read_twist, edition_ids=edition_ids, most_minions=most_minions)
    return replace(twist, alternatives=_readings(fields, read))


def read_edition(entry: RawEntry, problems: Problems) -> Edition:
    """Read one `[[edition]]`."""
    fields = Fields(entry, problems, EDITION_FIELDS)
    parameters = {name: parameter.basic for name, parameter in v.PARAMETERS.items()}
    for name, value in fields.table("set").items():
        if _known_parameter(fields, "set", name):
            low, high = v.PARAMETERS[name].low, v.PARAMETERS[name].high
            parameters[name] = tomlfile.check_integer(value, low, high, partial(fields.wrong, f"set.{name}"))
    words = fields.inner("words", TERMS)
    return Edition(
        id=_slug(fields),
        deck=fields.word("deck", v.DECK_RULES),
        first_game_twists=fields.integer("first_game_twists", 0, 2, default=2),
        parameters=MappingProxyType(parameters),
        words=MappingProxyType({term: _term(words, term) for term in TERMS}),
        **_names_and_source(fields),
    )


def _names_and_source(fields: Fields) -> dict[str, Any]:
    """Read the fields that every kind of entry has."""
    return {
        "name": fields.text("name", tomlfile.LONGEST_NAME, required=True),
        "name_source": fields.word("name_source", v.NAME_SOURCES, "own"),
        "name_ru": fields.text("name_ru", tomlfile.LONGEST_NAME),
        "confidence": fields.word("confidence", v.CONFIDENCES, "own"),
        "note": fields.text("note", tomlfile.LONGEST_NOTE, markup=True),
    }


def _term(words: Fields, term: str) -> str:
    basic = term.capitalize() if term in v.ACTIONS else term
    return words.text(f"words.{term}", LONGEST_TERM) or basic


def _slug(fields: Fields) -> str:
    """Return the id of a twist or an edition; an empty one after noting that it is wrong."""
    name, longest = fields.entry.id, tomlfile.LONGEST_NAME
    if not isinstance(name, str) or len(name) > longest or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        what = f"lower-case words joined by hyphens, at most {longest} characters"
        fields.wrong("id", f"expected {what}, found {fields.entry.shown_id}")
    elif name.isdigit():
        fields.wrong("id", f"needs a letter: a number alone would be read as an invention, found '{name}'")
    else:
        return name
    return ""


def _edition_list(
    fields: Fields, name: str, values: Sequence[Any], edition_ids: Sequence[str]
) -> tuple[str, ...]:
    found = []
    for value in values:
        if not isinstance(value, str) or value not in edition_ids:
            shown = value if isinstance(value, str) else describe(value)
            fields.wrong(name, f"{unknown('edition', shown, edition_ids)} (known: {', '.join(edition_ids)})")
        elif value in found:
            fields.wrong(name, f"names '{value}' twice")
        else:
            found.append(value)
    return tuple(found)


# --- inventions' effects, and other readings


def _printed(fields: Fields, name: str) -> tuple[v.Effect, ...]:
    effects: list[v.Effect] = []
    texts = fields.list(name)
    if len(texts) > v.MOST_EFFECTS:
        fields.wrong(name, f"has {len(texts)} effects; at most {v.MOST_EFFECTS} are possible")
    for text in texts[: v.MOST_EFFECTS]:
        if not isinstance(text, str) or tomlfile.text_problem(text, v.LONGEST_PHRASE, markup=True):
            fields.wrong(name, f"expected an effect like '+1 card', found {describe(text)}")
            continue
        try:
            effect = phrases.parse_effect(text)
            phrases.check_printed(effect)
        except phrases.WordError as error:
            fields.wrong(name, str(error))
        else:
            effects.append(effect)
    return tuple(effects)


def _readings(fields: Fields, read: Callable[[RawEntry, Problems], T]) -> tuple[T, ...]:
    """Read the alternative readings of an entry, each the entry with some fields changed."""
    entry = fields.entry
    kept = {name: value for name, value in entry.fields.items() if name != "alternatives"}
    tables = fields.list("alternatives")
    if len(tables) > v.MOST_READINGS:
        fields.wrong("alternatives", f"has {len(tables)} readings; at most {v.MOST_READINGS} are possible")
    known = Problems()
    if tables:
        read(RawEntry(entry.kind, entry.id, entry.file, kept, entry.origin), known)
    readings = []
    for number, changed in enumerate(tables[: v.MOST_READINGS], 1):
        if not isinstance(changed, dict) or not changed:
            fields.wrong("alternatives", f"expected tables of changed fields, found {describe(changed)}")
            continue
        forbidden = [name for name in changed if name in _NOT_IN_ALTERNATIVES]
        if forbidden:
            fields.wrong("alternatives", f"a reading may not change {', '.join(forbidden)}")
            continue
        origin = entry.origin | dict.fromkeys(changed, entry.file_of("alternatives"))
        trial = Problems()
        readings.append(read(RawEntry(entry.kind, entry.id, entry.file, kept | changed, origin), trial))
        # a mistake of the entry itself was reported already; report only what the reading adds
        for problem in trial.found:
            if problem not in known.found:
                place = f"{fields.label} alternative {number}"
                fields.problems.add(problem.file, place, problem.field, problem.message)
    return tuple(readings)


# --- twists: changes of parameters, lines, switches


def _known_parameter(fields: Fields, how: str, name: str) -> bool:
    if name not in v.PARAMETERS:
        allowed = ", ".join(v.PARAMETERS)
        fields.wrong(how, f"{unknown('parameter', name, v.PARAMETERS)} (allowed: {allowed})")
    return name in v.PARAMETERS


def _changes(fields: Fields) -> tuple[Change, ...]:
    changes: list[Change] = []
    for how in v.CHANGES:
        for name, value in fields.table(how).items():
            place = f"{how}.{name}"
            if not _known_parameter(fields, how, name):
                continue
            if any(change.parameter == name for change in changes):
                fields.wrong(
                    place, "the parameter is changed twice by this twist; use one of set, add, multiply"
                )
                continue
            low, high = change_range(how, v.PARAMETERS[name])
            number = tomlfile.check_integer(value, low, high, partial(fields.wrong, place))
            changes.append(Change(name, how, number))
    order = list(v.PARAMETERS)
    return tuple(sorted(changes, key=lambda change: order.index(change.parameter)))


def change_range(how: str, parameter: v.Parameter) -> tuple[int, int]:
    """Return within which bounds a twist may set, add to or multiply a parameter."""
    if how == "set":
        return parameter.low, parameter.high
    return (-parameter.high, parameter.high) if how == "add" else (0, 10)


def _lines(fields: Fields, edition_ids: Sequence[str], most_minions: int) -> tuple[v.Line, ...]:
    lines: list[v.Line] = []
    tables = fields.list("lines")
    if len(tables) > v.MOST_TWIST_LINES:
        fields.wrong("lines", f"has {len(tables)} lines; at most {v.MOST_TWIST_LINES} are possible")
    for number, table in enumerate(tables[: v.MOST_TWIST_LINES], 1):
        place = f"lines.{number}"
        if not isinstance(table, dict):
            example = '{ when = "start", do = "+2 money" }'
            fields.wrong(place, f"expected a table like {example}, found {describe(table)}")
            continue
        line = _line(fields, place, table, edition_ids)
        if line is None:
            continue
        try:
            phrases.check_line(line, lines, most_minions)
        except phrases.WordError as error:
            fields.wrong(place, str(error))
        lines.append(line)
    return tuple(lines)


def _line(fields: Fields, place: str, table: Mapping[str, Any], edition_ids: Sequence[str]) -> v.Line | None:
    """Read one line of a twist, or return None after noting what is wrong with its words."""
    line = fields.inner(place, LINE_FIELDS, table, origin="lines")
    before = len(fields.problems.found)
    when, step = _parse(line, f"{place}.when", table.get("when"), phrases.parse_moment) or ("", None)
    effect = _parse(line, f"{place}.do", table.get("do"), phrases.parse_effect)
    or_else = None
    if "or_else" in table:
        or_else = _parse(line, f"{place}.or_else", table["or_else"], phrases.parse_effect)
    conditions = _conditions(line, f"{place}.if", table.get("if", []))
    who = line.word(f"{place}.who", v.WHOM, "self")
    first = table.get("first", False)
    if not isinstance(first, bool):
        line.wrong(f"{place}.first", f"expected true or false, found {describe(first)}")
    editions = _edition_list(line, f"{place}.editions", line.list(f"{place}.editions"), edition_ids)
    if len(fields.problems.found) > before or effect is None:
        return None
    return v.Line(when, effect, step, who, conditions, first, or_else, editions)


def _conditions(line: Fields, name: str, value: Any) -> tuple[v.Condition, ...]:
    texts = value if isinstance(value, list) else [value]
    if len(texts) > v.MOST_CONDITIONS:
        line.wrong(name, f"has {len(texts)} conditions; at most {v.MOST_CONDITIONS} are possible")
        return ()
    found = [_parse(line, name, text, phrases.parse_condition) for text in texts]
    return tuple(condition for condition in found if condition is not None)


def _parse(line: Fields, name: str, value: Any, parse: Callable[[str], T]) -> T | None:
    """Parse one text of a line, or return None after noting what is wrong with it."""
    problem = "missing" if value is None else tomlfile.text_problem(value, v.LONGEST_PHRASE, markup=True)
    if not problem:
        try:
            return parse(value)
        except phrases.WordError as error:
            problem = str(error)
    line.wrong(name, problem)
    return None


def _switches(fields: Fields) -> Switches:
    switch = fields.inner("switches", tuple(v.SWITCHES))
    bars = switch.list("switches.bars")
    for number, action in enumerate(bars):
        if not isinstance(action, str) or action not in v.ACTIONS or action in bars[:number]:
            allowed = f"different actions of {', '.join(v.ACTIONS)}"
            switch.wrong("switches.bars", f"expected {allowed}, found {describe(action)}")
    counts = ""
    if switch.raw("switches.per_hand_counts") is not None:
        counts = switch.word("switches.per_hand_counts", v.HAND_SUBSTITUTES)
    return Switches(
        bars=tuple(action for action in v.ACTIONS if action in bars),
        rest=switch.integer("switches.rest", *v.REST_RANGE, default=0),
        echo=switch.integer("switches.echo", *v.ECHO_RANGE, default=0),
        per_hand_counts=counts,
    )

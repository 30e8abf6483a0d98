"""From the entries of catalog files to inventions, twists and editions, every mistake noted.

The forms say what each field may be. A wrong field gets a stand-in, so that the next mistake is found too.
What only a whole catalog can break is checked by `loading`.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Self, TypeVar

from pydantic import AfterValidator, Field, PlainValidator, ValidationInfo, field_validator, model_validator

from balance.games.forms import Expected, Form, Keys, attempt, known_word, read, text, whole, word
from balance.games.nefarious import vocabulary as v
from balance.games.nefarious.catalog import phrases
from balance.games.nefarious.catalog.model import Change, Edition, Invention, Switches, Twist
from balance.games.tomlfile import LONGEST_NAME, LONGEST_NOTE, Problems, RawEntry, describe

FIRST_OWN_ID: Final = 1001
LAST_OWN_ID: Final = 9999
TERMS: Final = (*v.ACTIONS, "minion", "minions", "twist", "twists")
LONGEST_TERM: Final = 20

T = TypeVar("T")


@dataclass(slots=True)
class _Known:
    """What a twist is read with."""

    editions: Sequence[str]
    """The editions that it may name."""
    most_minions: int
    """How many minions it may ask for."""
    lines: list[v.Line] = field(default_factory=list)
    """Its lines read so far."""


# --- what fields take


def _phrase(words: str, parse: Callable[[str], T]) -> Expected:
    """Take a text of the effect language."""
    line = text(v.LONGEST_PHRASE, markup=True)

    def read(value: Any) -> T:
        if isinstance(value, str):
            return parse(line.read(value))
        raise ValueError(f"expected {words}, found {describe(value)}")

    return Expected(words, read)


def _parse_printed(value: str) -> v.Effect:
    effect = phrases.parse_effect(value)
    phrases.check_printed(effect)
    return effect


def _read_conditions(value: Any) -> tuple[v.Condition, ...]:
    """Read one condition or a list of them."""
    texts = value if isinstance(value, list) else [value]
    if len(texts) > v.MOST_CONDITIONS:
        raise ValueError(f"has {len(texts)} conditions; at most {v.MOST_CONDITIONS} are possible")
    return tuple(map(_phrase("a condition like 'hand == 0'", phrases.parse_condition).read, texts))


def _read_slug(value: Any) -> str:
    words = r"(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*"
    if isinstance(value, str) and len(value) <= LONGEST_NAME and re.fullmatch(words, value):
        return value
    what = f"lower-case words joined by hyphens, with a letter, at most {LONGEST_NAME} characters"
    raise ValueError(f"expected {what}, found {describe(value)}")


def _known_edition(value: Any, info: "ValidationInfo[_Known]") -> str:
    return known_word("edition", value, info.context.editions)


def _different(value: tuple[str, ...]) -> tuple[str, ...]:
    for place, name in enumerate(value):
        if name in value[:place]:
            raise ValueError(f"names '{name}' twice")
    return value


def _read_reading(value: Any) -> dict[str, Any]:
    """Return another reading: a table of the fields that differ. What they hold is read with the rest."""
    if not isinstance(value, dict) or not value:
        raise ValueError(f"expected a table of changed fields, found {describe(value)}")
    fixed = [name for name in value if name in (*COMMON_FIELDS, "alternatives")]
    if fixed:
        raise ValueError(f"a reading may not change {', '.join(fixed)}")
    return value


def change_range(how: str, parameter: v.Parameter) -> tuple[int, int]:
    """Return within which bounds a twist may set, add to or multiply a parameter."""
    if how == "set":
        return parameter.low, parameter.high
    return (-parameter.high, parameter.high) if how == "add" else (0, 10)


def _parameters(how: str) -> Keys:
    return Keys({name: whole(*change_range(how, parameter)) for name, parameter in v.PARAMETERS.items()})


_TERMS: Final = Keys(dict.fromkeys(TERMS, text(LONGEST_TERM, empty=True)))
_Slug = Annotated[str, Expected("an id", _read_slug)]
_EFFECT: Final = "an effect like '+1 card'"
_Effect = Annotated[v.Effect, _phrase(_EFFECT, phrases.parse_effect)]
_Printed = Annotated[
    tuple[Annotated[v.Effect, _phrase(_EFFECT, _parse_printed)], ...], Field(max_length=v.MOST_EFFECTS)
]
_Points = Annotated[int, whole(*v.VP_RANGE)]
_Editions = Annotated[tuple[Annotated[str, PlainValidator(_known_edition)], ...], AfterValidator(_different)]
_Readings = Annotated[
    tuple[Annotated[dict[str, Any], Expected("a reading", _read_reading)], ...],
    Field(max_length=v.MOST_READINGS),
]


# --- forms


class CommonForm(Form):
    """The fields that every kind of entry has."""

    id: Any
    name: Annotated[str, text(LONGEST_NAME)]
    name_source: Annotated[str, word(v.NAME_SOURCES)] = "own"
    name_ru: Annotated[str, text(LONGEST_NAME, empty=True)] = ""
    confidence: Annotated[str, word(v.CONFIDENCES)] = "own"
    note: Annotated[str, text(LONGEST_NOTE, empty=True, markup=True)] = ""


COMMON_FIELDS: Final = tuple(CommonForm.model_fields)


class InventionForm(CommonForm):
    """One `[[invention]]`."""

    stand_ins: ClassVar = {"id": LAST_OWN_ID, "name": "?", "cost": 0, "vp": 0}

    id: Annotated[int, whole(1, LAST_OWN_ID)]
    cost: Annotated[int, whole(*v.COST_RANGE)]
    vp: _Points
    vp_per_built: _Points = 0
    self_effects: _Printed = Field(default=(), alias="self")
    others_effects: _Printed = Field(default=(), alias="others")
    alternatives: _Readings = ()


class LineForm(Form):
    """One line of a twist."""

    when: Annotated[tuple[str, str | None], _phrase("a moment like 'start'", phrases.parse_moment)]
    conditions: Annotated[tuple[v.Condition, ...], Expected("conditions", _read_conditions)] = Field(
        default=(), alias="if"
    )
    who: Annotated[str, word(v.WHOM)] = "self"
    do: _Effect
    first: Annotated[bool, Field(strict=True)] = False
    or_else: _Effect | None = None
    editions: _Editions = ()

    @property
    def line(self) -> v.Line:
        """The line as it is played."""
        fields = dict(self)
        when, step = fields.pop("when")
        return v.Line(when, fields.pop("do"), step, **fields)

    @model_validator(mode="after")
    def _fits(self, info: "ValidationInfo[_Known]") -> Self:
        earlier = tuple(info.context.lines)
        info.context.lines.append(self.line)
        phrases.check_line(self.line, earlier, info.context.most_minions)
        return self


class SwitchesForm(Form):
    """The structural rules that a twist switches on."""

    bars: Annotated[tuple[Annotated[str, word(v.ACTIONS)], ...], AfterValidator(_different)] = ()
    rest: Annotated[int, whole(*v.REST_RANGE)] = 0
    echo: Annotated[int, whole(*v.ECHO_RANGE)] = 0
    per_hand_counts: Annotated[str, word(v.HAND_SUBSTITUTES)] = ""


class TwistForm(CommonForm):
    """One `[[twist]]`."""

    stand_ins: ClassVar = {"id": "unread", "name": "?", "editions": ()}

    id: _Slug
    editions: Annotated[_Editions, Field(min_length=1)]
    set: Annotated[dict[str, int], _parameters("set")] = Field(default_factory=dict)
    add: Annotated[dict[str, int], _parameters("add")] = Field(default_factory=dict)
    multiply: Annotated[dict[str, int], _parameters("multiply")] = Field(default_factory=dict)
    lines: Annotated[tuple[LineForm, ...], Field(max_length=v.MOST_TWIST_LINES)] = ()
    switches: SwitchesForm = SwitchesForm()
    alternatives: _Readings = ()

    @field_validator("add", "multiply")
    @classmethod
    def _changed_once(cls, changes: dict[str, int], info: "ValidationInfo[_Known]") -> dict[str, int]:
        for name in changes:
            if any(name in info.data.get(how, {}) for how in v.CHANGES):
                raise ValueError(f"{name} is changed twice by this twist; use one of set, add, multiply")
        return changes

    @field_validator("lines", mode="before")
    @classmethod
    def _from_the_first(cls, lines: Any, info: "ValidationInfo[_Known]") -> Any:
        info.context.lines.clear()
        return lines


class EditionForm(CommonForm):
    """One `[[edition]]`."""

    stand_ins: ClassVar = {"id": "", "name": "?", "deck": v.DECK_RULES[0]}

    id: _Slug
    deck: Annotated[str, word(v.DECK_RULES)]
    first_game_twists: Annotated[int, whole(0, 2)] = 2
    set: Annotated[dict[str, int], _parameters("set")] = Field(default_factory=dict)
    words: Annotated[dict[str, str], _TERMS] = Field(default_factory=dict)


# --- from forms to the catalog


def read_invention(entry: RawEntry, problems: Problems) -> Invention:
    """Read one `[[invention]]`."""
    return _read(entry, problems, InventionForm, lambda form: Invention(**dict(form)))


def read_twist(entry: RawEntry, problems: Problems, edition_ids: Sequence[str], most_minions: int) -> Twist:
    """Read one `[[twist]]`, which may name these editions and ask for up to `most_minions` minions."""
    return _read(entry, problems, TwistForm, _twist, _Known(edition_ids, most_minions))


def read_edition(entry: RawEntry, problems: Problems) -> Edition:
    """Read one `[[edition]]`."""
    form = read(EditionForm, entry, problems)
    basic = {name: parameter.basic for name, parameter in v.PARAMETERS.items()}
    words = {term: term.capitalize() if term in v.ACTIONS else term for term in TERMS}
    words |= {term: word for term, word in form.words.items() if word}
    return Edition(
        deck=form.deck,
        first_game_twists=form.first_game_twists,
        parameters=MappingProxyType(basic | form.set),
        words=MappingProxyType(words),
        **_common(form),
    )


def _common(form: CommonForm) -> dict[str, Any]:
    return {name: getattr(form, name) for name in COMMON_FIELDS}


def _twist(form: TwistForm) -> Twist:
    changes = [Change(name, how, value) for how in v.CHANGES for name, value in getattr(form, how).items()]
    order = list(v.PARAMETERS)
    bars = tuple(action for action in v.ACTIONS if action in form.switches.bars)
    return Twist(
        editions=form.editions,
        changes=tuple(sorted(changes, key=lambda change: order.index(change.parameter))),
        lines=tuple(line.line for line in form.lines),
        switches=Switches(**{**dict(form.switches), "bars": bars}),
        **_common(form),
    )


KindT = TypeVar("KindT", InventionForm, TwistForm)
ItemT = TypeVar("ItemT", Invention, Twist)


def _read(
    entry: RawEntry,
    problems: Problems,
    kind: type[KindT],
    build: Callable[[KindT], ItemT],
    context: _Known | None = None,
) -> ItemT:
    """Read an entry and its alternative readings, each the entry with some fields changed."""
    form = read(kind, entry, problems, context)
    plain = {name: value for name, value in entry.fields.items() if name != "alternatives"}
    known = attempt(kind, plain, context)[1] if form.alternatives else []
    readings = []
    for number, changed in enumerate(form.alternatives, 1):
        other, mistakes = attempt(kind, plain | changed, context)
        # a mistake of the entry itself was reported already
        for place, message in (one for one in mistakes if one not in known):
            source = "alternatives" if place.partition(".")[0] in changed else place
            problems.add(entry.file_of(source), f"{entry.label} alternative {number}", place, message)
        readings.append(build(other))
    return replace(build(form), alternatives=tuple(readings))

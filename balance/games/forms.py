"""What the fields of a file may be: pydantic reads each entry, and its errors become problems in our words.

A form is a model of one table of a file. TOML is typed, so that a form takes what it names and converts
nothing. Knows nothing of any game.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    PlainValidator,
    ValidationError,
    create_model,
)
from pydantic.fields import FieldInfo

from balance.games.tomlfile import Problems, RawEntry, describe
from balance.nearest import unknown


class Form(BaseModel):
    """One table of a file, field by field; other fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    stand_ins: ClassVar[Mapping[str, Any]] = {}
    """Values for required fields: where one is wrong, the rest of the entry can be checked further."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a field takes, in words, and how it is read: ValueError if it is something else."""

    words: str
    read: Callable[[Any], Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        return PlainValidator(self.read).__get_pydantic_core_schema__(source, handler)


class Keys:
    """A table of values under known keys, each with what it takes."""

    def __init__(self, known: Mapping[str, Expected], *, required: bool = False) -> None:
        fields: Any = {name: (Annotated[Any, one], ... if required else None) for name, one in known.items()}
        self.form: type[Form] = create_model("Keys", __base__=Form, **fields)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> Any:
        plain = AfterValidator(lambda form: form.model_dump(exclude_unset=True))
        return handler.generate_schema(Annotated[self.form, plain])


def whole(low: int, high: int) -> Expected:
    """Take a whole number within a range."""
    return number(low, high, int, "a whole number")


def number(low: float, high: float, kind: type[float] = float, what: str = "a number") -> Expected:
    """Take a number within a range."""
    words = f"{what} {low:g}..{high:g}"

    def read(value: Any) -> float:
        # nan is not in any range
        if isinstance(value, kind | int) and not isinstance(value, bool) and low <= value <= high:
            return kind(value)
        raise ValueError(f"expected {words}, found {describe(value)}")

    return Expected(words, read)


def word(words: Collection[str]) -> Expected:
    """Take one of some words."""
    return Expected(f"one of {', '.join(words)}", lambda value: known_word("word", value, words))


def known_word(what: str, value: Any, words: Collection[str]) -> str:
    """Return a word if it is known; ValueError with the nearest ones otherwise."""
    if isinstance(value, str) and value in words:
        return value
    shown = value if isinstance(value, str) else describe(value)
    raise ValueError(f"{unknown(what, shown, words)} (allowed: {', '.join(words)})")


def text(longest: int, *, empty: bool = False, markup: bool = False) -> Expected:
    """Take a printable single line of text; `<` and `>` only where `markup` does no harm (notes).

    >>> text(60).read("Moon Base")
    'Moon Base'
    """

    def read(value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError(f"expected a text, found {describe(value)}")  # noqa: TRY004 - as pydantic asks
        if not value and not empty:
            raise ValueError("must not be empty")
        if len(value) > longest:
            raise ValueError(f"has {len(value):,} characters; at most {longest} are allowed")
        if not value.isprintable():
            raise ValueError(f"must be printable characters on a single line, found {describe(value)}")
        if value != value.strip():
            raise ValueError(f"must not begin or end with a space, found {describe(value)}")
        if not markup and any(char in value for char in "<>"):
            raise ValueError(f"must not contain < or >, found {describe(value)}")
        return value

    return Expected(f"a printable single line of at most {longest} characters", read)


# --- reading an entry

F = TypeVar("F", bound=Form)
_SHAPES: Final = {
    "tuple_type": "a list",
    "bool_type": "true or false",
    "string_type": "a text",
    "dict_type": "a table like { key = value }",
    "model_type": "a table like { key = value }",
}


def read(form: type[F], entry: RawEntry, problems: Problems, context: Any = None) -> F:
    """Return an entry read; what is wrong is noted, and stand-ins take its place."""
    found, mistakes = attempt(form, entry.fields, context)
    for place, message in mistakes:
        problems.add(entry.file_of(place), entry.label, place, message)
    return found


def attempt(form: type[F], fields: Mapping[str, Any], context: Any = None) -> tuple[F, list[tuple[str, str]]]:
    """Return fields read, as far as possible, and what is wrong: places like `lines.1.do`, and messages."""
    try:
        return form.model_validate(fields, context=context), []
    except ValidationError as error:
        errors = error.errors(include_url=False)
    mistakes = [(_place(one["loc"]), _message(form, one)) for one in errors]
    wrong = {part for one in errors for part in one["loc"][:1]}
    right = {name: value for name, value in fields.items() if name not in wrong}
    try:
        return form.model_validate({**form.stand_ins, **right}, context=context), mistakes
    except ValidationError:
        return form.model_construct(**form.stand_ins), mistakes


def _place(parts: tuple[int | str, ...]) -> str:
    """Return where an error is, counted as people do: from 1."""
    return ".".join(str(part + 1) if isinstance(part, int) else part for part in parts)


def _message(form: type[Form], error: Mapping[str, Any]) -> str:
    """Return an error of pydantic in our words."""
    *table, name = error["loc"] or ("",)
    context = error.get("ctx", {})
    match error["type"]:
        case "value_error":
            return str(context["error"])
        case "extra_forbidden":
            known = _known(form, table)
            return f"{unknown('field', str(name), known)} (allowed: {', '.join(known)})"
        case "missing":
            expected = _known(form, table)[str(name)]
            return f"missing; {expected.words}" if expected else "missing"
        case "too_short":
            return f"needs at least {context['min_length']}, found {describe(error['input'])}"
        case "too_long":
            return f"has {context['actual_length']} entries; at most {context['max_length']} are possible"
        case kind if kind in _SHAPES:
            return f"expected {_SHAPES[kind]}, found {describe(error['input'])}"
    return str(error["msg"])


def _known(form: type[Form], table: list[int | str]) -> dict[str, Expected | None]:
    """Return the names that the table at a place inside a form knows, with what each takes."""
    for part in (part for part in table if isinstance(part, str)):
        field = form_fields(form)[part]
        keys = [one.form for one in field.metadata if isinstance(one, Keys)]
        inner = (*keys, field.annotation, *get_args(field.annotation))
        form = next(one for one in inner if isinstance(one, type) and issubclass(one, Form))
    return {
        name: next((one for one in field.metadata if isinstance(one, Expected)), None)
        for name, field in form_fields(form).items()
    }


def form_fields(form: type[Form]) -> dict[str, FieldInfo]:
    """Return the fields of a form by the names that they have in files."""
    return {field.alias or name: field for name, field in form.model_fields.items()}

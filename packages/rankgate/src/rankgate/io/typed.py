"""Validation of YAML, JSON and TOML data by pydantic models, with all problems of a file in one error.

A model of a file derives from `Keys`. Its fields use the types of this module, because their messages are
full sentences. Validators raise ``ValueError`` with a sentence, or `InvalidError` with a code too.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    Strict,
    ValidationError,
    ValidationInfo,
    WrapValidator,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from rankgate.errors import Code, FormatError, InputError, Problem, did_you_mean
from rankgate.io.problems import SHOWN
from rankgate.io.yaml import Document, Path_, Plain, typed

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    D = TypeVar("D", bound=DataclassInstance)

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?", re.ASCII)
LARGEST = 2**31 - 1
"""The largest count of results or lines."""

M = TypeVar("M", bound="Keys")


class InvalidError(ValueError):
    """A problem with a code of its own, or of one key of the mapping that is validated."""

    def __init__(self, said: str, code: Code = Code.WRONG_VALUE, key: str = "") -> None:
        super().__init__(said)
        self.code, self.key = code, key


@dataclass
class Context:
    """What validators need to know, and the models of the mappings that have wrong keys."""

    owners: dict[int, type[Keys]] = field(default_factory=dict)


class Keys(BaseModel):
    """The keys of a mapping. Unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
    noun: ClassVar[str] = "this mapping"
    """What the mapping is, for messages."""
    moved: ClassVar[dict[str, str]] = {}
    """Keys that people write by mistake: the key that they mean, or a sentence about what to do."""
    known: ClassVar[frozenset[str]] = frozenset()
    required: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        cls.known = frozenset(one.alias or name for name, one in cls.model_fields.items())
        cls.required = frozenset(
            one.alias or name for name, one in cls.model_fields.items() if one.is_required()
        )

    @model_validator(mode="before")
    @classmethod
    def _is_mapping(cls, data: Any, info: ValidationInfo) -> Any:
        if not isinstance(data, dict):
            raise ValueError(f"expected {cls.noun}, found {shown(data)}.")  # noqa: TRY004 - as pydantic asks
        if isinstance(info.context, Context) and not cls.required <= data.keys() <= cls.known:
            info.context.owners[id(data)] = cls
        return data


def read(document: Document, model: type[M], context: Context | None = None, **more: Any) -> M:
    """Return the data of a file as a model.

    Args:
        document: The file.
        model: What it should hold.
        context: What the validators need.
        more: `problems`, which were found already.

    Raises:
        FormatError: with every problem.
    """
    context = context or Context()
    problems = [*document.problems, *more.get("problems", ())]
    try:
        found = model.model_validate(document.data, context=context)
    except ValidationError as error:
        raise_all([*problems, *described(document, error, context)], document.file)
    raise_all(problems, document.file)
    return found


def raise_all(problems: list[Problem], file: str) -> None:
    """Raise the problems of a file, if there are any, in the order of their lines.

    Raises:
        FormatError: with the first problems and the number of the others.
    """
    if not problems:
        return
    listed = sorted(dict.fromkeys(problems), key=lambda one: _line_of(one.where))
    if (more := len(listed) - SHOWN) > 0:
        said = f"{file}: {more:,} more problems. Fix the first {SHOWN}."
        listed = [*listed[:SHOWN], Code.WRONG_FORMAT(file, f"{more} more problems", "none", "", said)]
    raise FormatError(listed)


def _line_of(where: str) -> tuple[int, int]:
    found = re.search(r":(\d+):(\d+)$", where)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def described(document: Document, error: ValidationError, context: Context) -> list[Problem]:
    """Return the errors of pydantic as problems with positions, in our own words."""
    problems = []
    for each in error.errors(include_url=False, include_input=False):
        path, kind = each["loc"], each["type"]
        code, found = Code.WRONG_VALUE, ""
        if kind == "exactly_one":
            where, said = document.where(path), each["msg"]
        elif kind == "problem":
            code = each["ctx"]["code"]
            where, said = document.where(path, key=code is Code.UNKNOWN_KEY), each["msg"]
        elif kind in ("extra_forbidden", "missing"):
            owner = context.owners.get(id(document.get(path[:-1])), Keys)
            key = str(path[-1])
            if kind == "missing":
                where, said = document.where(path[:-1]), f"{owner.noun} needs the key `{key}`."
            else:
                where, code, found = document.where(path, key=True), Code.UNKNOWN_KEY, repr(key)
                said = f"unknown key `{key:.80}`. {_advice(key, owner)}"
        elif kind in ("value_error", "assertion_error"):
            raised = each["ctx"]["error"]
            where, said = document.where(path), str(raised)
            if isinstance(raised, InvalidError):
                code = raised.code
                where = document.where((*path, raised.key), key=True) if raised.key else where
        else:
            where = document.where(path, key=path[-1:] == ("[key]",))
            limits = each.get("ctx", {})
            choices = limits.get("expected", "").replace("'", "`")
            said = f"expected {choices}" if choices else "the value is invalid"
            said = _SENTENCES[kind].format(**limits) if kind in _SENTENCES else said
            said += f", found {shown(document.get(path))}."
            said += _QUOTES.get((kind, type(document.get(path))), "")
            if kind == "too_short" and limits["min_length"] > 1:
                said = f"expected at least {limits['min_length']} values, found {limits['actual_length']}."
        said = said[:1].lower() + said[1:] if said[1:2].islower() else said
        problems.append(code(where, found, "", "", f"{where}: {said}"))
    return problems


_SENTENCES = {
    "list_type": "expected a list",
    "dict_type": "expected a mapping",
    "mapping_type": "expected a table",
    "tuple_type": "expected a list",
    "string_type": "expected text",
    "int_type": "expected a whole number",
    "float_type": "expected a number",
    "bool_type": "expected true or false",
    "finite_number": "expected a finite number",
    "greater_than": "expected more than {gt:g}",
    "greater_than_equal": "expected {ge:g} or more",
    "less_than_equal": "expected {le:g} or less",
    "too_short": "expected at least one value",
    "none_required": "expected nothing",
}


_QUOTES = {
    ("string_type", int): " Put it in quotes.",
    ("string_type", float): " Put it in quotes.",
    ("int_type", str): " Write a number without quotes.",
    ("float_type", str): " Write a number without quotes.",
    ("bool_type", str): " Write true or false without quotes.",
}


def _advice(key: str, owner: type[Keys]) -> str:
    meant = owner.moved.get(key.lower(), "")
    if " " in meant:
        return meant
    if near := f"Did you mean `{meant}`?" if meant else suggestion(key[:80].lower(), sorted(owner.known)):
        return near
    if not owner.known:
        return "There are no keys here."
    return f"Valid keys: {', '.join(one.alias or name for name, one in owner.model_fields.items())}."


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return a question for the words that a misspelt one may mean; empty if there are none.

    >>> suggestion("htpp", ["http", "mcp"])
    'Did you mean `http`?'
    """
    near = did_you_mean(word, known)
    return f"Did you mean `{near[len('did you mean ') : -1].replace(' or ', '` or `')}`?" if near else ""


def shown(value: object) -> str:
    """Return a value as messages show it.

    >>> shown(Plain("3")), shown("3"), shown([1]), shown(None)
    ('3', "the text '3'", 'a list', 'nothing')
    """
    if isinstance(value, dict):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, (list, tuple)):
        return "a list" if value else "an empty list"
    if value is None or (value.__class__ is Plain and value in _NULLS):
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and value.__class__ is not Plain:
        return f"the text {value!r:.80}"
    return f"{value!s:.80}"


def text_from(value: Any) -> str:
    """Return text that is not blank.

    Raises:
        ValueError: for anything else.
    """
    if isinstance(value, str):
        if value.__class__ is Plain:
            if value in _NULLS:
                fix = f' Write "{value}" in quotes if you mean the word.' if value else ""
                raise ValueError(f"expected text, found nothing.{fix}")
            return str(value)
        if value and not value.isspace():
            return value
        raise ValueError("the text is empty.")
    fix = " Put it in quotes." if isinstance(value, (int, float)) else ""
    raise ValueError(f"expected text, found {shown(value)}.{fix}")


def number_from(value: Any, expected: str = "a number") -> float:
    """Return a finite number.

    Raises:
        ValueError: for anything else, and for quoted numbers.
    """
    found = value
    if isinstance(value, str):
        plain = value.__class__ is Plain
        match = _NUMBER.fullmatch(value) if len(value) < 400 else None
        if match and not plain:
            raise ValueError(f"expected {expected}, found {shown(value)}. Remove the quotes.")
        found = float(value) if match else None
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not _finite(found):
        raise ValueError(f"expected {expected}, found {shown(value)}.")
    return float(found)


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond the floats
        return False


class Check:
    """A function that reads a value, and the JSON Schema of the value."""

    def __init__(self, read: Callable[..., Any], schema: dict[str, Any]) -> None:
        self._read, self._schema = read, schema

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return PlainValidator(self._read).__get_pydantic_core_schema__(source, handler)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        return dict(self._schema)


class ByShape:
    """Types for a mapping, a list and any other value, so that errors are about the one that is written."""

    def __init__(self, one: Any = None, several: Any = None, mapping: Any = None) -> None:
        self._kinds = {"<one>": one, "<list>": several, "<map>": mapping}
        self._kinds = {shape: kind for shape, kind in self._kinds.items() if kind is not None}

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        choices = {shape: handler.generate_schema(kind) for shape, kind in self._kinds.items()}
        return core_schema.tagged_union_schema(choices, self._shape)

    def _shape(self, value: Any) -> str:
        shape = "<map>" if isinstance(value, dict) else "<list>" if isinstance(value, list) else "<one>"
        return shape if shape in self._kinds else next(iter(self._kinds))


def whole(expected: str, least: int = 1, most: int = LARGEST) -> Check:
    """Return a validator of whole numbers in a range."""

    def validate(value: Any) -> int:
        found = number_from(value, expected)
        if not found.is_integer() or not least <= found <= most:
            raise ValueError(f"expected {expected}, found {shown(value)}.")
        return int(found)

    limit = {} if most == LARGEST else {"maximum": most}
    return Check(validate, {"type": "integer", "minimum": least, **limit})


def real(expected: str, holds: Callable[[float], bool], **schema: float) -> Check:
    """Return a validator of numbers for which something holds, as the keywords of JSON Schema say."""

    def validate(value: Any) -> float:
        found = number_from(value, expected)
        if not holds(found):
            raise ValueError(f"expected {expected}, found {shown(value)}.")
        return found

    return Check(validate, {"type": "number", **schema})


def choice(*words: str) -> Check:
    """Return a validator of one of some words."""

    def validate(value: Any) -> str:
        if isinstance(value, str) and value in words:
            return str(value)
        near = suggestion(value, words) if isinstance(value, str) else ""
        raise ValueError(f"expected {_or(words)}, found {shown(value)}. {near}".rstrip())

    return Check(validate, {"enum": list(words)})


def _or(words: tuple[str, ...]) -> str:
    quoted = [f"`{word}`" for word in words]
    return " or ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)


def _flag(value: Any) -> bool:
    found = typed(value)
    if isinstance(found, bool):
        return found
    raise ValueError(f"expected true or false, found {shown(value)}.")


class OneOrMore:
    """A list, or one value in place of a list of one; ``empty`` is the message for an empty list."""

    def __init__(self, empty: str = "") -> None:
        self._empty = empty

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(self._listed, handler(source))

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Any:
        found = handler(schema)
        several = {**found, "minItems": 1} if self._empty else found
        return {"anyOf": [found.get("items", {}), several]}

    def _listed(self, value: Any) -> Any:
        if not isinstance(value, list):
            return [value]
        if not value and self._empty:
            raise ValueError(f"expected {self._empty}, found an empty list.")
        return value


WORD = {"type": ["string", "number", "boolean"]}
Text: TypeAlias = Annotated[str, Check(text_from, WORD)]
"""Text that is not blank. In YAML, plain numbers and words such as `no` are text here."""
Lines: TypeAlias = Annotated[str, Check(lambda value: text_from(value).rstrip("\n"), WORD)]
"""Text of which the line breaks at the end are not meant, as in a YAML block."""
Texts: TypeAlias = Annotated[list[Text], OneOrMore("a text or a list of texts")]
"""One text, or several."""
Count: TypeAlias = Annotated[int, whole("a whole number, 1 or more")]
Number: TypeAlias = Annotated[float, Check(number_from, {"type": "number"})]
Fraction: TypeAlias = Annotated[
    float, real("a number from 0 to 1", lambda number: 0 <= number <= 1, minimum=0, maximum=1)
]
Positive: TypeAlias = Annotated[
    float, real("a number above 0", lambda number: number > 0, exclusiveMinimum=0)
]
Seconds: TypeAlias = Annotated[
    float,
    # Sockets and processes wait for at most 31 bits of milliseconds.
    real(
        "a number of seconds from 0.001 to 2,000,000",
        lambda number: 0.001 <= number <= 2_000_000,
        minimum=0.001,
        maximum=2_000_000,
    ),
]
Flag: TypeAlias = Annotated[bool, Check(_flag, {"type": "boolean"})]
Free: TypeAlias = Annotated[Any, BeforeValidator(typed)]
"""Any value. Plain true, false, null and numbers are typed, and quoted ones are text."""


# --- dataclasses that are read from a table ---


class StrictKeys(Keys):
    """The keys of a mapping whose plain types are not converted."""

    model_config = ConfigDict(strict=True, allow_inf_nan=False)
    noun: ClassVar[str] = "this table"


class _Options(Document):
    """Options that are not from a file."""

    def where(self, path: Path_ = (), *, key: bool = False) -> str:  # noqa: ARG002
        return self.file + "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in path)


def read_options(kind: type[D], found: Mapping[str, object], where: str) -> D:
    """Make a dataclass of a mapping. Its annotations say what each option may be.

    Lists become tuples, whole numbers become floats where floats are meant, and nothing else is changed.

    Raises:
        InputError: with every key that is unknown or missing, and every value of another type.
    """
    document, context = _Options(where, dict(found)), Context()
    try:
        return made(kind, document.data, context)
    except ValidationError as error:
        problems = described(document, error, context)
        raise InputError(sorted(problems, key=lambda one: one.where)) from error


def made(kind: type[D], data: Any, context: Context) -> D:
    """Make a dataclass of a mapping in a validator.

    Raises:
        ValidationError: with every problem.
    """
    return constructed(kind, model_of(kind).model_validate(data, context=context))


def constructed(kind: type[D], keys: Keys) -> D:
    """Make a dataclass of the keys that are given in a model of its fields.

    Raises:
        ValidationError: for what the dataclass itself rejects.
    """
    keys_of = {key: one.name for one in fields(kind) for key in (one.name, f"{one.name}_")}
    given = {keys_of[key]: getattr(keys, key) for key in keys_of if key in keys.model_fields_set}
    try:
        return kind(**given)
    except InputError as error:
        raise located(error.problems) from error


def located(problems: Iterable[Problem], below: str = "") -> ValidationError:
    """Return problems with paths such as ``hosts[0]`` as an error of pydantic, to raise in a validator.

    Args:
        problems: The problems.
        below: What their paths begin with, which is not in the data.
    """
    lines: Any = []
    for one in problems:
        said = one.said.removeprefix(f"{one.where}: ") or f"expected {one.expected}, found {one.found}."
        if one.fix:
            said += f" {one.fix[:1].upper()}{one.fix[1:]}" + ("" if one.fix[-1] in ".?" else ".")
        steps = re.findall(r"[^.\[\]]+", one.where.removeprefix(below))
        path = tuple(int(step) if step.isdigit() else step for step in steps)
        kind = PydanticCustomError("problem", "{said}", {"said": said, "code": one.code or Code.WRONG_VALUE})
        lines.append({"type": kind, "loc": path, "input": None})
    return ValidationError.from_exception_data("", lines)


@cache
def model_of(
    kind: type[DataclassInstance], base: type[Keys] = StrictKeys, noun: str = "this table"
) -> type[Any]:
    """Return a model with a key for each field of a dataclass, beside those of another model."""
    hints = get_type_hints(kind, include_extras=True)
    keys: dict[str, Any] = {}
    for one in (one for one in fields(kind) if one.init and one.name not in base.model_fields):
        required = one.default is MISSING and one.default_factory is MISSING
        # Names such as `fields` and `json` are taken by pydantic.
        default = ... if required else None if one.default is MISSING else one.default
        keys[f"{one.name}_"] = (_strict(hints[one.name]), Field(default, alias=one.name))
    model: type[Keys] = create_model(kind.__name__, __base__=base, **keys)
    model.noun = noun
    return model


def _strict(hint: Any) -> Any:
    """Return the type as which a field is read: a list where it has a tuple, and one message for a union."""
    inside = get_args(hint)
    if get_origin(hint) is tuple:
        return Annotated[tuple[tuple(map(_strict, inside))], Strict(strict=False)]  # type: ignore[misc]
    if get_origin(hint) not in (Union, UnionType):
        return hint
    choices = tuple(word for one in inside if get_origin(one) is Literal for word in get_args(one))
    kinds = [one for one in inside if get_origin(one) is not Literal]
    kinds += [Literal[choices]] if choices else []
    union: Any = Union[tuple(map(_strict, kinds))]  # noqa: UP007 - of computed types
    words = [_WORDS[get_origin(one) or one] for one in kinds if (get_origin(one) or one) in _WORDS]
    expected = " or ".join([*words, *(f"`{word}`" for word in choices)])
    if len([one for one in kinds if one is not NoneType]) == 1:
        return union

    def validate(value: Any, handler: Any) -> Any:
        try:
            return handler(value)
        except ValidationError:
            raise ValueError(f"expected {expected}, found {shown(value)}.") from None

    return Annotated[union, WrapValidator(validate)]


_WORDS: dict[Any, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
_WORDS |= {tuple: "a list", Mapping: "a table", dict: "a table"}

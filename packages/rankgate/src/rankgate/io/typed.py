"""Validation of YAML, JSON and TOML data by pydantic models, with all problems of a file in one error.

A model of a file derives from `Keys`. Its fields use the types of this module, because their messages are
full sentences. Validators raise ``ValueError`` with a sentence, or `InvalidError` with a code too.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeAlias, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from rankgate.errors import Code, FormatError, Problem, did_you_mean
from rankgate.io.problems import SHOWN
from rankgate.io.text import read_text
from rankgate.io.yaml import Document, Path_, Plain, typed

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
            said = f"{_SENTENCES.get(kind, 'the value is invalid')}, found {shown(document.get(path))}."
            if kind == "too_short" and each["ctx"]["min_length"] > 1:
                wanted, count = each["ctx"]["min_length"], each["ctx"]["actual_length"]
                said = f"expected at least {wanted} values, found {count}."
        said = said[:1].lower() + said[1:] if said[1:2].islower() else said
        problems.append(code(where, found, "", "", f"{where}: {said}"))
    return problems


_SENTENCES = {
    "list_type": "expected a list",
    "dict_type": "expected a mapping",
    "too_short": "expected at least one value",
    "none_required": "expected nothing",
}


def _advice(key: str, owner: type[Keys]) -> str:
    meant = owner.moved.get(key.lower(), "")
    if " " in meant:
        return meant
    if near := f"did you mean {meant}?" if meant else did_you_mean(key[:80].lower(), sorted(owner.known)):
        return f"D{near[1:].replace('mean ', 'mean `').replace('?', '`?')}"
    return f"Valid keys: {', '.join(one.alias or name for name, one in owner.model_fields.items())}."


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
        near = did_you_mean(value, words) if isinstance(value, str) else ""
        raise ValueError(f"expected {_or(words)}, found {shown(value)}.{near and f' D{near[1:]}'}")

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
Flag: TypeAlias = Annotated[bool, Check(_flag, {"type": "boolean"})]
Free: TypeAlias = Annotated[Any, BeforeValidator(typed)]
"""Any value. Plain true, false, null and numbers are typed, and quoted ones are text."""


@dataclass(frozen=True, slots=True)
class TomlDocument(Document):
    """The data of a TOML file. Positions come from a search in the text.

    A position is that of the table or key, or of the first text behind the key that equals the value. It can
    be too early if a comment or another value of the same array contains the same text.
    """

    text: str = ""
    prefix: tuple[str, ...] = ()
    """The table of the file that holds the data."""

    def where(self, path: Path_ = (), *, key: bool = False) -> str:
        at = _toml_offset(self.text, (*self.prefix, *path), self.get(path), key=key)
        line = self.text.count("\n", 0, at) + 1
        return f"{self.file}:{line}:{at - self.text.rfind(chr(10), 0, at)}"


_TOML_NAME = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')"""
_TOML_NAMES = rf"{_TOML_NAME}(?:[ \t]*\.[ \t]*{_TOML_NAME})*"
_TOML_LINE = re.compile(
    rf"^[ \t]*(?:\[\[?[ \t]*(?P<table>{_TOML_NAMES})[ \t]*\]|(?P<key>{_TOML_NAMES})[ \t]*=[ \t]*)",
    re.MULTILINE,
)


def _toml_offset(text: str, path: Path_, value: object, *, key: bool) -> int:
    """Return the offset of a value, or of its key."""
    names = [step for step in path if isinstance(step, str)]
    table: list[str] = []
    best, found = 0, None
    for line in _TOML_LINE.finditer(text):
        said = [name.strip("\"' \t") for name in re.findall(_TOML_NAME, line["table"] or line["key"])]
        if line["table"]:
            table = said
        full = said if line["table"] else [*table, *said]
        if len(full) > best and names[: len(full)] == full:
            best, found = len(full), line
    if found is None:
        return 0
    inner = names[best:]
    at = found.end() if found["key"] and (inner or not key or best < len(names)) else found.start()
    for name in inner:
        if step := re.compile(rf"\b{re.escape(name)}[\"']?\s*=\s*").search(text, at):
            at = step.start() if key and name == inner[-1] else step.end()
    if not key and isinstance(value, str) and path and isinstance(path[-1], int):
        near = min(
            (one for quote in "\"'" if (one := text.find(f"{quote}{value}{quote}", at)) >= 0), default=at
        )
        at = near
    return at + len(text[at:]) - len(text[at:].lstrip(" \t"))


def read_toml_document(path: Path, *prefix: str) -> TomlDocument:
    """Read a TOML file, or one table of it; the data is None if the table does not exist.

    Raises:
        FormatError: for invalid TOML.
    """
    text = read_text(path).decode()
    return parse_toml(text, str(path), *prefix)


def parse_toml(text: str, file: str, *prefix: str) -> TomlDocument:
    """Parse TOML as `read_toml_document` does."""
    try:
        data: Any = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", str(error))
        line = int(place[1]) if place and place[1] else len(text.splitlines())
        column = int(place[2]) if place and place[2] else 1
        words = str(error)[: place.start()] if place else "values are nested too deeply"
        where = f"{file}:{line}:{column}"
        said = f"{where}: invalid TOML: {words[:1].lower()}{words[1:]}."
        raise FormatError(Code.BAD_SYNTAX(where, words, "valid TOML", "", said)) from error
    for name in prefix:
        data = data.get(name) if isinstance(data, dict) else None
    return TomlDocument(file, data, 0, (), text, prefix)

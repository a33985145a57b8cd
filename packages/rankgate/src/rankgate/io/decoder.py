"""Dataclasses out of untyped data (JSON, TOML, what a caller gave), by their type hints alone.

Nothing is trusted: every value must be of its field's type. All that does not fit is reported at once, each
with its path (``cases[3].at``), what was found and what was expected. `encoder` is the way back.

Hints may be dataclasses, enums, literals, unions, tuples, mappings, `PAIRS`, `object` and plain values;
`Annotated` with a `Constraint` says more than a type can. They must be importable at run time.

Suites are not read with it: the values of `tree` know their line and column, and those of other tools' files
come in several spellings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache, partial
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeAlias,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from rankgate.errors import Code, did_you_mean, escaped
from rankgate.io.problems import Problems

if TYPE_CHECKING:
    from collections.abc import Iterable

PAIRS = tuple[tuple[str, str], ...]
"""Named facts in an order, which JSON has objects for."""
At: TypeAlias = str | tuple[Any, str, object]
"""Where a value is: in words, or in what, after which sign, under which name. Most are never shown."""
Reader: TypeAlias = "Callable[[Decoder, Any, At], Any]"

_LARGEST = 1.79e308
_MOST = 1 << 64
_SHOWN = 60
_STRING = "a string"


@dataclass(frozen=True, slots=True)
class Constraint:
    """What a value must be beside its type: ``Annotated[int, Constraint("1 or more", lambda n: n > 0)]``."""

    expected: str = ""
    """What is expected, where that is not plain from the type."""
    holds: Callable[[Any], bool] | None = None
    """Returns whether a value of the type will do; None where each does."""
    nothing: str = ""
    """What is found where nothing is written though the field has a default; empty where that counts."""


Name: TypeAlias = Annotated[str, Constraint("a string", bool)]
"""Text that is not empty."""
Count: TypeAlias = Annotated[
    int, Constraint(f"a whole number from 0 to {(1 << 32) - 1}", lambda value: 0 <= value < 1 << 32)
]
"""A number of things, as 32 bits hold it."""
Total: TypeAlias = Annotated[
    int, Constraint(f"a whole number from 0 to {(1 << 64) - 1}", lambda value: 0 <= value < 1 << 64)
]
"""A number of things, as 64 bits hold it."""


class Decoder:
    """Reads values of types, and gathers what does not fit.

    >>> problems = Problems("a.json")
    >>> Decoder("a.json", problems).read({"expected": 3, "hold": None}, Constraint)
    >>> for problem in problems.shown:
    ...     print(problem)
    a.json: hold: found an unknown field, expected one of expected, holds, nothing; did you mean holds?
    a.json: expected: found 3, expected a string
    """

    unknown = "an unknown field"
    """What a member that no field has is called; empty where it is left alone, and counted."""
    advice = ""
    """What to do about one; otherwise the nearest field is named."""
    null_is_missing = False
    """True where a null counts as if the member were not there."""
    string = _STRING
    """What a text is called."""
    dotted = False
    """True where paths from the top begin with a dot."""
    whole = False
    """True where a member that does not fit is one problem, however deep the reason is."""
    finite = True
    """False where infinity and NaN are numbers too."""

    def __init__(self, where: str, problems: Problems) -> None:
        self.where = where
        """The file, and its line where each is read alone; empty where paths say all."""
        self.problems = problems
        """Where problems are gathered."""

    def read(self, found: object, kind: Any, at: At = "") -> Any:
        """Read a value of a type; None, with a problem added, where it is not one."""
        return _reader(kind)(self, found, at)

    def members(self, found: Mapping[str, object], kind: type, at: At = "") -> dict[str, Any]:
        """Read those members of an object that fit the fields of a dataclass; each other one is a problem."""
        own = _members(kind)
        if not found.keys() <= own.keys():
            for name in sorted(map(str, found.keys() - own.keys())):
                if not self.unknown:
                    self.problems.ignored[_path((at, ".", name)).removeprefix(".")] += 1
                    continue
                fix = self.advice or did_you_mean(name, own)
                known = f"one of {', '.join(own)}"
                self._add((at, ".", f"{name:.{_SHOWN}}"), self.unknown, known, fix, Code.UNKNOWN_KEY)
        values = {}
        for name, (part, reader, optional) in own.items():
            value = found.get(name)
            if value is None and (self.null_is_missing or name not in found):
                if not optional:
                    self.missing(name, part, at)
                continue
            before, below = self.problems.total, (at, ".", name)
            if not self.whole:
                read = reader(self, value, below)
            elif fitting := self.fitting(value, (part,), below):
                read = fitting[0]
            else:
                self.wrong(value, expected(part), below)
            if self.problems.total == before:
                values[name] = read
        return values

    def missing(self, name: str, kind: Any, at: At) -> None:
        """Add the problem that a member is not there."""
        rule = _constraint(kind)
        self._add((at, ".", name), (rule and rule.nothing) or "nothing", expected(kind))

    def text(self, found: str, kind: Any) -> str:  # noqa: ARG002 - for kinds of text that are read in other ways
        """Return a text as it is kept."""
        return found

    def shown(self, found: object) -> str:
        """Format a value for an error."""
        return "nothing" if found is None else f"{found!r:.80}"

    def wrong(self, found: object, wanted: str, at: At) -> None:
        """Add the problem that a value is not what it should be."""
        self._add(at, self.shown(found), wanted)

    def fitting(self, found: object, kinds: Iterable[Any], at: At = "") -> tuple[Any, ...]:
        """Return the value as the first of some types that it fits, in a tuple; an empty one for none."""
        for kind in kinds:
            trial = copy(self)
            trial.problems = Problems(self.where)
            value = _reader(kind)(trial, found, at)
            if not trial.problems.total:
                return (value,)
        return ()

    def _add(self, at: At, found: str, wanted: str, fix: str = "", code: Code = Code.WRONG_VALUE) -> None:
        path = _path(at) if self.dotted else _path(at).removeprefix(".")
        where = ": ".join(filter(None, (self.where, escaped(path))))
        self.problems.add(code(where, found, wanted.replace(_STRING, self.string), fix))


class LineDecoder(Decoder):
    """Reads files of objects, one a line, as many tools write them: what they add is left alone."""

    unknown = ""
    null_is_missing = True
    finite = False


@cache
def hints(kind: type) -> dict[str, Any]:
    """Return the types of a dataclass's fields, by their names."""
    return get_type_hints(kind, include_extras=True)


def expected(kind: Any) -> str:
    """Write in words what values of a type are.

    >>> expected(str | tuple[int, ...]), expected(Literal["l2", "dot"] | None)
    ('a string or a list, each a whole number', 'one of l2, dot')
    """
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return inside[1].expected or expected(inside[0])
    if kind == PAIRS or is_dataclass(kind):
        return "an object"
    if origin in (Union, UnionType):
        return " or ".join(expected(one) for one in _alternatives(kind))
    if origin is Literal:
        return _one_of(inside)
    if origin is tuple:
        return f"a list, each {expected(inside[0])}" if inside[1:] == (...,) else f"a list of {len(inside)}"
    if _is_mapping(origin):
        return f"a table, each value {expected(inside[1])}"
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _one_of([member.value for member in kind])
    names = {int: "a whole number", float: "a number", bool: "true or false", object: "any", Any: "any"}
    return names.get(kind, _STRING)


@cache
def _reader(kind: Any, said: str = "") -> Reader:
    """Make the function that reads values of a type; `said` is what it expects in other words."""
    said = said or expected(kind)
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _constrained_reader(inside[0], inside[1])
    if origin in (Union, UnionType):
        return _union_reader(kind, said)
    if is_dataclass(kind):
        return _fields_reader(cast(type, kind), said)
    if _is_mapping(origin) or kind == PAIRS:
        return _mapping_reader(kind, said)
    if origin is tuple:
        return _tuple_reader(inside, said)
    if origin is Literal or (isinstance(kind, type) and issubclass(kind, Enum)):
        return _choice_reader({getattr(one, "value", one): one for one in inside or kind}, said)
    plain: dict[Any, Callable[..., Any]] = {object: _any, Any: _any, int: _whole, float: _number, bool: _flag}
    return partial(plain.get(kind, partial(_text, kind)), said)


def _fields_reader(kind: type, said: str) -> Reader:
    def read(decoder: Decoder, found: Any, at: At) -> Any:
        if not isinstance(found, (dict, Mapping)):
            return decoder.wrong(found, said, at)
        before = decoder.problems.total
        values = decoder.members(found, kind, at)
        return kind(**values) if decoder.problems.total == before else None

    return read


def _constrained_reader(kind: Any, rule: Constraint) -> Reader:
    said, holds = rule.expected or expected(kind), rule.holds
    base = _reader(kind, said)
    if holds is None:
        return base

    def read(decoder: Decoder, found: Any, at: At) -> Any:
        before = decoder.problems.total
        value = base(decoder, found, at)
        if decoder.problems.total == before and not holds(value):
            decoder.wrong(found if isinstance(value, Enum) else value, said, at)
        return value

    return read


def _union_reader(kind: Any, said: str) -> Reader:
    members, null = _alternatives(kind), NoneType in get_args(kind)
    only = _reader(members[0]) if len(members) == 1 else None

    def read(decoder: Decoder, found: Any, at: At) -> Any:
        if found is None and null:
            return None
        if only is not None:
            return only(decoder, found, at)
        fitting = decoder.fitting(found, members, at)
        return fitting[0] if fitting else decoder.wrong(found, said, at)

    return read


def _tuple_reader(inside: tuple[Any, ...], said: str) -> Reader:
    each = _reader(inside[0]) if inside[1:] == (...,) else None
    several = () if each is not None else tuple(map(_reader, inside))

    def read(decoder: Decoder, found: Any, at: At) -> Any:
        if not isinstance(found, (list, tuple)):
            return decoder.wrong(found, said, at)
        readers = several if each is None else (each,) * len(found)
        if len(readers) != len(found):
            return decoder.wrong(found, said, at)
        return tuple(
            one(decoder, value, (at, "[", number))
            for number, (value, one) in enumerate(zip(found, readers, strict=True))
        )

    return read


def _mapping_reader(kind: Any, said: str) -> Reader:
    key, value = (str, str) if kind == PAIRS else get_args(kind)
    read_key, read_value = _reader(key), _reader(value)
    kept = tuple if kind == PAIRS else dict

    def read(decoder: Decoder, found: Any, at: At) -> Any:
        if not isinstance(found, Mapping):
            return decoder.wrong(found, said, at)
        return kept(
            (read_key(decoder, name, at), read_value(decoder, one, (at, ".", name)))
            for name, one in found.items()
        )

    return read


def _choice_reader(choices: Mapping[Any, Any], said: str) -> Reader:
    def read(decoder: Decoder, found: Any, at: At) -> Any:
        if isinstance(found, (str, int)) and not isinstance(found, bool) and found in choices:
            return choices[found]
        return decoder.wrong(found, said, at)

    return read


def _text(kind: Any, said: str, decoder: Decoder, found: Any, at: At) -> Any:
    return decoder.text(found, kind) if isinstance(found, str) else decoder.wrong(found, said, at)


def _flag(said: str, decoder: Decoder, found: Any, at: At) -> Any:
    return found if isinstance(found, bool) else decoder.wrong(found, said, at)


def _whole(said: str, decoder: Decoder, found: Any, at: At) -> Any:
    good = isinstance(found, int) and not isinstance(found, bool) and abs(found) < _MOST
    return found if good else decoder.wrong(found, said, at)


def _number(said: str, decoder: Decoder, found: Any, at: At) -> Any:
    if isinstance(found, float) and not decoder.finite:
        return found
    if not isinstance(found, (int, float)) or isinstance(found, bool):
        return decoder.wrong(found, said, at)
    return float(found) if abs(found) <= _LARGEST else decoder.wrong(found, "a finite number", at)


def _any(_said: str, _decoder: Decoder, found: Any, _at: At) -> Any:
    return found


@cache
def _alternatives(kind: Any) -> tuple[Any, ...]:
    """Return the types of a union beside null, its literals as one."""
    members = [one for one in get_args(kind) if one is not NoneType]
    words = tuple(word for one in members if get_origin(one) is Literal for word in get_args(one))
    others = tuple(one for one in members if get_origin(one) is not Literal)
    return (Literal[words], *others) if words else others


@cache
def _members(kind: type) -> dict[str, tuple[Any, Reader, bool]]:
    """Return the type of each field, what reads it, and whether it may be left out."""
    known = {}
    for field in (one for one in fields(kind) if one.init):
        part = hints(kind)[field.name]
        rule = _constraint(part)
        default = field.default is not MISSING or field.default_factory is not MISSING
        known[field.name] = part, _reader(part), default and not (rule and rule.nothing)
    return known


def _constraint(kind: Any) -> Constraint | None:
    return get_args(kind)[1] if get_origin(kind) is Annotated else None


def _is_mapping(origin: Any) -> bool:
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _path(at: At) -> str:
    if isinstance(at, str):
        return at
    above, sign, name = at
    return f"{_path(above)}{sign}{name}" + ("]" if sign == "[" else "")


def _one_of(values: Iterable[object]) -> str:
    return f"one of {', '.join(map(str, values))}"


class TableDecoder(Decoder):
    """Reads the tables of a TOML file that a person writes: an unknown key is a problem."""

    unknown = "an unknown key"
    whole = True
    finite = False

    def shown(self, found: object) -> str:
        """Write what was found with its type."""
        return f"{type(found).__name__} {found!r}"

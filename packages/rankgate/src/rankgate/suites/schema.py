"""The keys of a suite, as pydantic models. The JSON Schema for editors is generated from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated, Any, ClassVar, Self, TypeAlias, TypeVar

from pydantic import (
    ConfigDict,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    ValidationInfo,
    WithJsonSchema,
    WrapValidator,
    model_validator,
)

from rankgate.errors import Code, InputError, LocationError, did_you_mean
from rankgate.io.patterns import check_template, compiled_pattern
from rankgate.io.typed import (
    WORD,
    Context,
    Count,
    Flag,
    Fraction,
    InvalidError,
    Keys,
    Lines,
    Number,
    OneOrMore,
    Text,
    Texts,
    choice,
    number_from,
    real,
    shown,
    text_from,
    whole,
)
from rankgate.io.yaml import typed
from rankgate.locations import Location
from rankgate.model import (
    NO_RELEVANT,
    PAGES,
    PROPOSED,
    SOURCE_KINDS,
    UNLISTED,
    Action,
    CorpusSource,
    Invariant,
    MapRule,
    MatchBy,
    Matching,
    Query,
    Relation,
    Sampled,
    Scenario,
    Step,
    Target,
    Top,
    XFail,
)
from rankgate.plugins import listed

NAMES = ("at", "id", "quote")
"""The keys that name a target, in the order in which those of a case are read."""
CORPORA = "rankgate.corpora"
"""The entry points that open corpora; their names are the kinds there are."""
RECORDS = frozenset({"beir", "jsonl"})
"""The kinds of corpora whose documents are records with ids."""
FIRST_HITS = 10
"""The default number of results that a search step or an invariant looks at."""
RARE_TERM_HITS = 3
"""The same for `rare-term`."""
TIMES = 3
"""The default number of repetitions of `stable`."""

_LIMIT = 1e6
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
T = TypeVar("T")


@dataclass
class SuiteContext(Context):
    """What the meaning of a target depends on."""

    has_corpus: bool = False
    """Whether locations are parsed; without a corpus every target is an id."""
    records: str | None = None
    """The kind of a corpus of records, which has ids and no locations."""
    max_grade: float | None = None
    """The top of the scale, if it is declared."""


# --- places and grades ---


def location_from(text: str) -> Location:
    """Parse a location.

    Raises:
        InvalidError: for an invalid one.
    """
    try:
        return Location.at(text)
    except LocationError as error:
        problem = error.problems[0]
        detail = problem.found if problem.where.startswith(("'", '"')) else f"{problem.where} {problem.found}"
        expected = problem.expected.replace(" ..", " `..`")
        fix = f" {problem.fix[:1].upper()}{problem.fix[1:]}." if problem.fix else ""
        said = f"the location `{text:.80}` is invalid: {detail}. Expected {expected}.{fix}"
        raise InvalidError(said, Code.BAD_LOCATION) from error


def _location(value: Any, info: ValidationInfo[Any]) -> Location:
    text, context = text_from(value), info.context
    if context.records is not None:
        raise InvalidError(f"a corpus of {context.records} records has no locations. Write `id:` instead.")
    return location_from(text) if context.has_corpus else Location(text)


def _id(value: Any) -> Location:
    return Location(text_from(value))


def _bare(value: Any, info: ValidationInfo[Any]) -> Location:
    return _location(value, info) if info.context.records is None else _id(value)


def _quote(value: Any) -> Location:
    return Location.of_quote(text_from(value))


def _node(value: Any, info: ValidationInfo[Any]) -> Location:
    """Read the location of a step. Nodes have titles, so it is a location without a corpus too."""
    if info.context.records is not None:
        said = f"a corpus of {info.context.records} records has no tree. Only `search` steps work with it."
        raise InvalidError(said)
    return location_from(text_from(value))


def _file(value: Any) -> str:
    location = location_from(text_from(value))
    if location.path is None or location != Location(path=location.path):
        raise InvalidError(f"expected the path of a file, found `{location}`.")
    return location.path


def _whole_file(value: Any, info: ValidationInfo[Any]) -> Location:
    location = _node(value, info)
    if location != Location(path=location.path):
        raise InvalidError(f"expected a file, found a part of one. Write `tree: {location.path}`.")
    return location


def _grade(value: Any, info: ValidationInfo[Any]) -> float:
    grade, top = number_from(value, "a number as the grade"), info.context.max_grade
    if grade < 0:
        raise ValueError(f"the grade {grade:g} is negative. Use 0 for a result that is not relevant.")
    if top is not None and grade > top:
        raise ValueError(f"the grade {grade:g} is above {top:g}, the top of the scale.")
    return grade


def _shape(value: Any) -> str:
    return "<list>" if isinstance(value, list) else "<map>" if isinstance(value, dict) else "<one>"


def _item_shape(value: Any) -> str:
    return "<map>" if isinstance(value, dict) else "<one>"


def _group_shape(value: Any) -> str:
    if isinstance(value, dict):
        return "<map>" if value.keys().isdisjoint(NAMES) else "<names>"
    return "<list>"


def _unique(value: Any, handler: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict) and "path" in value and {"lines", "start", "heading", "symbol"} & value.keys():
        raise ValueError(
            "a location is one text. Write it as `keys.md:3-9`, `keys.md#Heading` or `a.py::name`."
        )
    found = handler(value)
    if len(found) < len(value):
        raise ValueError("two keys of this mapping are the same location. Remove one of them.")
    return found


_PLACE = {**WORD, "minLength": 1}
At: TypeAlias = Annotated[Any, PlainValidator(_location), WithJsonSchema(_PLACE)]
Id: TypeAlias = Annotated[Any, PlainValidator(_id), WithJsonSchema(_PLACE)]
Quote: TypeAlias = Annotated[Any, PlainValidator(_quote), WithJsonSchema(_PLACE)]
Bare: TypeAlias = Annotated[Any, PlainValidator(_bare), WithJsonSchema(_PLACE)]
Node: TypeAlias = Annotated[Any, PlainValidator(_node), WithJsonSchema(_PLACE)]
WholeFile: TypeAlias = Annotated[Any, PlainValidator(_whole_file), WithJsonSchema(_PLACE)]
File: TypeAlias = Annotated[str, PlainValidator(_file), WithJsonSchema(_PLACE)]
Grade: TypeAlias = Annotated[float, PlainValidator(_grade), WithJsonSchema({"type": "number", "minimum": 0})]
Start: TypeAlias = Annotated[
    int, whole("a whole number, 0 or more", least=0), WithJsonSchema({"type": "integer", "minimum": 0})
]


def _about(text: str, **more: Any) -> Any:
    return Field(None, description=text, **more)


_ONE_NAME: dict[str, Any] = {"oneOf": [{"required": [name]} for name in NAMES]}
_AT = (
    "The location: path, path:10-50, path#Heading/Sub or path::Class.method. A heading or symbol covers "
    "everything below it; with /. behind it, its own text alone."
)


class _Named(Keys):
    """The keys that name one target."""

    model_config = ConfigDict(json_schema_extra=_ONE_NAME)
    moved: ClassVar[dict[str, str]] = {
        "relevance": "grade",
        "score": "grade",
        "file": "Write the location as one text, such as `at: keys.md:10-50`.",
        "lines": "Write the location as one text, such as `at: keys.md:10-50`.",
        "heading": "Write the location as one text, such as `at: keys.md#Rotation`.",
        "symbol": "Write the location as one text, such as `at: store.py::Store.get`.",
        "reviewed": "Write `source: proposed` for a target that no person has checked.",
        "gone": "Remove the target. `rankgate suite fix --missing` does it.",
        "k": "within",
    }

    at: At | None = _about(_AT)
    id: Id | None = _about("An opaque id.")
    quote: Quote | None = _about("A passage in the documents' own words.")
    path: File | None = _about("The file that contains the passage.")
    start_char: Start | None = _about("The offset of the passage in characters: the nearest copy is meant.")

    @model_validator(mode="after")
    def _has_one_name(self) -> Self:
        named = [name for name in NAMES if getattr(self, name) is not None]
        if len(named) != 1 and self._needs_name():
            said = (
                f"`{'` and `'.join(named)}` exclude each other. Keep one."
                if named
                else (f"{self.noun} needs one of `at`, `id` and `quote`.")
            )
            raise ValueError(said)
        if named != ["quote"] and (self.path is not None or self.start_char is not None):
            key = "path" if self.path is not None else "start_char"
            raise ValueError(f"`{key}` needs a `quote` beside it. A whole file is written as `at:`.")
        return self

    def _needs_name(self) -> bool:
        return True

    def location(self, path: str | None = None) -> Location:
        """Return the location; `path` is the file of a passage without one."""
        found = self.at or self.id or self.quote
        assert found is not None  # noqa: S101 - the validator above
        return found if self.quote is None else in_file(found, self.path or path, self.start_char)


def in_file(quote: Location, path: str | None, start_char: int | None = None) -> Location:
    """Return a passage in a file."""
    return quote if path is None and start_char is None else replace(quote, path=path, start_char=start_char)


class MoreKeys(Keys):
    """What a target says beside its location."""

    noun: ClassVar[str] = "a target with grade, group and source"
    moved: ClassVar[dict[str, str]] = _Named.moved

    grade: Grade | None = _about("How relevant it is; 0 is judged and not relevant.")
    group: Text | None = _about("Targets of one group are alternatives, as in any_of.")
    source: Text | None = _about("Who judged it: person, import, model, clicks, estimated or proposed.")


class TargetKeys(_Named, MoreKeys):
    """One target with more than its location."""

    noun: ClassVar[str] = "a target"


_Item: TypeAlias = Annotated[
    Annotated[T, Tag("<one>")] | Annotated[TargetKeys, Tag("<map>")], Discriminator(_item_shape)
]
_Graded: TypeAlias = Annotated[
    Annotated[Grade, Tag("<one>")] | Annotated[MoreKeys, Tag("<map>")], Discriminator(_item_shape)
]
_Grades: TypeAlias = Annotated[dict[T, _Graded], Field(min_length=1), WrapValidator(_unique)]
Several: TypeAlias = Annotated[
    Annotated[T, Tag("<one>")]
    | Annotated[list[_Item[T]], Field(min_length=1), Tag("<list>")]
    | Annotated[_Grades[T], Tag("<map>")],
    Discriminator(_shape),
]
"""A location, a list of them, or a mapping of them to grades."""


class GroupKeys(Keys):
    """A group of alternatives with their kinds of names."""

    noun: ClassVar[str] = "a group of alternatives"
    at: Several[At] | None = _about(_AT)
    id: Several[Id] | None = _about("Opaque ids.")
    quote: Several[Quote] | None = _about("Passages in the documents' own words.")


Group: TypeAlias = Annotated[
    Annotated[list[_Item[Bare]], Field(min_length=1), Tag("<list>")]
    | Annotated[GroupKeys, Tag("<names>")]
    | Annotated[_Grades[Bare], Tag("<map>")],
    Discriminator(_group_shape),
]


class TopKeys(_Named):
    """A check that each relevant target, or one location, is within the first results."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})
    noun: ClassVar[str] = "a check with `within`, or with `at`, `id` or `quote`"
    within: Count | None = _about("The number of results to look at. Default: 1.")

    def _needs_name(self) -> bool:
        return self.within is None or bool(self.model_fields_set - {"within"})


class NeverKeys(_Named):
    """A location that must not be within the results."""

    noun: ClassVar[str] = "an unwanted result"
    within: Count | None = _about("The number of results to look at. Default: all.")


Never: TypeAlias = Annotated[
    Annotated[Bare, Tag("<one>")] | Annotated[NeverKeys, Tag("<map>")], Discriminator(_item_shape)
]


class PlaceKeys(Keys):
    """A location or an id of a scenario or invariant."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})
    noun: ClassVar[str] = "a location"
    moved: ClassVar[dict[str, str]] = {"path": "at"}
    at: At | None = _about(_AT)
    id: Id | None = _about("An opaque id.")

    @model_validator(mode="after")
    def _has_one_name(self) -> Self:
        if (self.at is None) == (self.id is None):
            raise ValueError("write one of `at` and `id`.")
        return self


Place: TypeAlias = Annotated[
    Annotated[Bare, Tag("<one>")] | Annotated[PlaceKeys, Tag("<map>")], Discriminator(_item_shape)
]
Places: TypeAlias = Annotated[list[Place], OneOrMore("a location or a list of locations")]


# --- cases ---


def _facet(value: Any) -> Any:
    return tuple(map(text_from, value)) if isinstance(value, list) else text_from(value)


_SCALAR = {"type": ["string", "number", "boolean"]}
Filters: TypeAlias = Annotated[
    dict[
        str,
        Annotated[
            Any,
            PlainValidator(_facet),
            WithJsonSchema({"anyOf": [_SCALAR, {"type": "array", "items": _SCALAR}]}),
        ],
    ],
    Field(),
]


def _until(value: Any) -> date:
    try:
        if isinstance(value, str) and _DATE.fullmatch(value):
            return date.fromisoformat(value)
    except ValueError:
        pass
    raise ValueError(f"expected a date such as 2027-01-31, found {shown(value)}.")


class XFailKeys(Keys):
    """A known miss that expires."""

    noun: ClassVar[str] = "an xfail"
    reason: Text = Field(description="Why it fails.")
    until: (
        Annotated[date, PlainValidator(_until), WithJsonSchema({"type": "string", "format": "date"})] | None
    ) = _about("The last day on which it may fail. Default: no limit.")


def _reason(value: Any) -> str:
    if isinstance(typed(value), bool):
        raise ValueError("write the reason as text, such as `xfail: no synonyms yet`.")  # noqa: TRY004
    return text_from(value)


_Known: TypeAlias = Annotated[
    Annotated[str, PlainValidator(_reason), WithJsonSchema({"type": ["string", "number"]}), Tag("<one>")]
    | Annotated[XFailKeys, Tag("<map>")],
    Discriminator(_item_shape),
]


def xfail_of(value: str | XFailKeys | None) -> XFail | None:
    """Return a known miss."""
    if isinstance(value, XFailKeys):
        return XFail(value.reason, value.until)
    return None if value is None else XFail(value)


class SampledKeys(Keys):
    """How a query was drawn from a log of searches."""

    noun: ClassVar[str] = "`sampled`"
    seen: Count = Field(description="How often it occurred in the log.")
    inclusion: Annotated[
        float,
        real("a number above 0 and up to 1", lambda number: 0 < number <= 1),
        WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "maximum": 1}),
    ] = Field(description="The probability with which it was drawn.")


class ExpectKeys(Keys):
    """What is expected of the scores of a query without relevant results."""

    noun: ClassVar[str] = "`expect`"
    max_score: Number = Field(description="The highest score that a result may have.")


def _empty(value: Any) -> str:
    if value == "empty":
        return "empty"
    fix = "An expected result is written as `at`, `id` or `quote`."
    raise ValueError(f"expected `empty` or {{max_score: 2.0}}, found {shown(value)}. {fix}")


def _tags(value: Any) -> frozenset[str]:
    if isinstance(value, dict):
        pairs = (
            (key, one) for key, some in value.items() for one in (some if isinstance(some, list) else [some])
        )
        return frozenset(f"{text_from(key)}={text_from(one)}" for key, one in pairs)
    return frozenset(map(text_from, value if isinstance(value, list) else [value]))


_TEXTS = {"anyOf": [WORD, {"type": "array", "items": WORD}]}
_EXPECTED = [{"required": [key]} for key in (*NAMES, "any_of", "top")]
_CASE_RULES: dict[str, Any] = {
    "allOf": [
        {
            "if": {"properties": {"expect": {"const": "empty"}}, "required": ["expect"]},
            "then": {"not": {"anyOf": [*_EXPECTED, {"required": ["never"]}]}},
        },
        {
            "if": {"properties": {"expect": {"type": "object"}}, "required": ["expect"]},
            "then": {"not": {"anyOf": [*_EXPECTED, {"required": ["answer"]}]}},
        },
    ]
}


class CaseKeys(Keys):
    """One query and what is expected of its results."""

    model_config = ConfigDict(json_schema_extra=_CASE_RULES)
    noun: ClassVar[str] = "a case"
    moved: ClassVar[dict[str, str]] = {
        "case": "name",
        "expected": "Write the expected results as `at`, `id` or `quote`, or `expect: empty`.",
        "q": "query",
        "relevant": "at",
        "targets": "at",
        "text": "query",
        "reviewed": "Write `source: proposed` for targets that no person has checked.",
        "result": "Patterns of result fields are not supported yet. Use `at`, `id` or `quote`.",
    }

    name: Text | None = _about("The case's name. Default: a slug of the query.")
    query: Lines = Field(description="The query.")
    at: Several[At] | None = _about(
        "The locations of the expected results: one, a list, or a mapping to grades."
    )
    id: Several[Id] | None = _about("The ids of the expected results: one, a list, or a mapping to grades.")
    quote: Several[Quote] | None = _about("Expected passages in the documents' own words.")
    path: File | None = _about("The file of the quotes that have no path of their own.")
    any_of: Annotated[list[Group], Field(min_length=1)] | None = _about(
        "Groups of alternatives: any target of a group is enough, and a group counts once."
    )
    answer: Lines | None = _about("The expected answer. Targets that are found with it count as estimated.")
    grade: Grade | None = _about("The grade of targets without a grade of their own. Default: 1.")
    exhaustive: Flag = Field(default=False, description="True if every other result is wrong.")
    expect: (
        Annotated[
            Annotated[str, PlainValidator(_empty), WithJsonSchema({"const": "empty"}), Tag("<one>")]
            | Annotated[ExpectKeys, Tag("<map>")],
            Discriminator(_item_shape),
        ]
        | None
    ) = _about("empty if the query must return no results, or the highest score of a result.")
    top: Annotated[list[TopKeys], OneOrMore()] | None = _about(
        "What must be within the first results: each relevant target, or a location."
    )
    never: Annotated[list[Never], OneOrMore()] | None = _about("Results that the query must not return.")
    category: Text | None = _about("The slice that the case belongs to.")
    tags: Annotated[
        frozenset[str],
        PlainValidator(_tags),
        WithJsonSchema({"anyOf": [*_TEXTS["anyOf"], {"type": "object", "additionalProperties": _TEXTS}]}),
    ] = Field(default=frozenset(), description="More slices: a list, or a mapping of names to values.")
    filters: Filters = Field(default_factory=dict, description="Facets that are sent with the query.")
    weight: Annotated[
        float,
        real("a number above 0, between 1e-6 and 1e6", lambda number: 1 / _LIMIT <= number <= _LIMIT),
        WithJsonSchema({"type": "number", "minimum": 1e-6, "maximum": 1e6}),
    ] = Field(default=1.0, description="Its weight in every mean. Default: 1.")
    sampled: SampledKeys | None = _about("How it was drawn from a log of searches.")
    group: Text | None = _about("Cases of one group are paraphrases.")
    xfail: _Known | None = _about("Why the case may fail for now.")
    source: Text | None = _about("Who judged the targets. Default: person.")
    notes: Lines = Field(default="", description="Notes for people.")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for number, group in enumerate(self.any_of or (), 1) if self.any_of else ():
            items = (
                list(group.values()) if isinstance(group, dict) else group if isinstance(group, list) else []
            )
            if any(isinstance(one, MoreKeys) and one.group is not None for one in items):
                raise ValueError("`group` inside `any_of` is not supported: each of its lists is a group.")
            if any(target.group == f"any-{number}" for target in self._alone()):
                raise ValueError(f"`any_of` uses the group name `any-{number}`. Rename the `group`.")
        if self.path is not None and self.quote is None:
            raise ValueError("`path` needs a `quote` beside it. A whole file is written as `at:`.")
        alone = [top for top in self.top or () if top.model_fields_set == {"within"}]
        if len(alone) > 1:
            raise ValueError("`top` has a second `within` without a location. Remove one of them.")
        if alone and not any((self.at, self.id, self.quote, self.any_of)):
            raise ValueError("`within` needs a target in the case, or `at`, `id` or `quote` beside it.")
        if self.expect is not None:
            keys = (*NAMES, "any_of", "top", "never" if self.expect == "empty" else "answer")
            if others := [key for key in keys if getattr(self, key) is not None]:
                said = "expect: empty" if self.expect == "empty" else "expect: max_score"
                raise ValueError(f"`{said}` excludes `{'` and `'.join(others)}`. Keep one of them.")
        return self

    def targets(self) -> Iterator[Target]:
        """Return the targets, alternatives last."""
        yield from self._alone()
        for number, group in enumerate(self.any_of or (), 1):
            for one in (group.at, group.id, group.quote) if isinstance(group, GroupKeys) else (group,):
                yield from self._named(one, f"any-{number}")

    def _alone(self) -> Iterator[Target]:
        for one in (self.at, self.id, self.quote):
            if one is not None:
                yield from self._named(one, None)

    def _named(self, value: Any, group: str | None) -> Iterator[Target]:
        """Return the targets of one key."""
        grade, source, path = 1.0 if self.grade is None else self.grade, self.source or "person", self.path
        if isinstance(value, Location):
            value = [value]
        for one in value or ():
            said: Any = value[one] if isinstance(value, dict) else None
            if isinstance(one, TargetKeys):
                said, location = one, one.location(path)
            else:
                location = one if path is None or one.quote is None else replace(one, path=path)
            if isinstance(said, MoreKeys):
                own = grade if said.grade is None else said.grade
                yield Target(location, own, group or said.group, said.source or source)
            else:
                yield Target(location, grade if said is None else said, group, source)

    def tops(self) -> Iterator[Top]:
        """Return the checks of single locations."""
        for top in self.top or ():
            if top.model_fields_set - {"within"}:
                yield Top(top.location(self.path), top.within or 1)
        for never in self.never or ():
            if isinstance(never, NeverKeys):
                yield Top(never.location(self.path), never.within, never=True)
            else:
                yield Top(never, None, never=True)


# --- scenarios ---


class _StepKeys(Keys):
    noun: ClassVar[str] = "a step"
    moved: ClassVar[dict[str, str]] = {
        "complete_subtree": "complete",
        "expect": "finds",
        "hits": "finds",
        "text": "contains",
        "titles": "has",
        "within": "k",
    }


def _titles_above(value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict) or not value:
        said = "expected a mapping of titles to the title above each, such as {Steps: Rotation}"
        raise ValueError(f"{said}, found {shown(value)}.")
    pairs = [
        (key, one) for key, some in value.items() for one in (some if isinstance(some, list) else [some])
    ]
    return tuple((text_from(child), text_from(parent)) for child, parent in pairs)


class SearchStep(_StepKeys):
    """A step that runs a query."""

    search: Lines = Field(description="The query.")
    k: Count = Field(default=FIRST_HITS, description="The number of results to look at. Default: 10.")
    filters: Filters = Field(default_factory=dict, description="Facets that are sent with the query.")
    finds: Places | None = _about("What must be among the results; ids if the suite has no corpus.")


class TreeStep(_StepKeys):
    """A step that lists the nodes of a file."""

    tree: WholeFile = Field(description="The file.")
    has: Texts | None = _about("Titles that the tree must have.")
    under: (
        Annotated[
            tuple[tuple[str, str], ...],
            PlainValidator(_titles_above),
            WithJsonSchema({"type": "object", "minProperties": 1, "additionalProperties": _TEXTS}),
        ]
        | None
    ) = _about("Titles, each with the title of the node directly above it.")


class ReadStep(_StepKeys):
    """A step that reads one node."""

    read: Node = Field(description="The node: path#Heading/Sub or path::Class.method.")
    contains: Texts | None = _about("Text that must be in the node.")
    excludes: Texts | None = _about("Text that must not be in the node.")


class SubtreeStep(_StepKeys):
    """A step that reads a node and everything below it."""

    subtree: Node = Field(description="The node: path#Heading/Sub or path::Class.method.")
    contains: Texts | None = _about("Text that must be there.")
    excludes: Texts | None = _about("Text that must not be there.")
    complete: Flag = Field(default=False, description="True if the title of every node below must be there.")

    @model_validator(mode="after")
    def _has_corpus(self, info: ValidationInfo[Any]) -> Self:
        if self.complete and info.context is not None and not info.context.has_corpus:
            raise ValueError("`complete` needs a corpus. Add `corpus:` to the suite, or write `contains`.")
        return self


def _one_of(words: tuple[str, ...]) -> Callable[[Any], str | None]:
    def discriminate(value: Any) -> str | None:
        named = [word for word in words if isinstance(value, dict) and word in value]
        return f"<{named[0]}>" if len(named) == 1 else None

    return discriminate


_ACTIONS = tuple(action.value for action in Action)
_STEP = "a step needs exactly one of `search`, `tree`, `read` and `subtree`."
AnyStep: TypeAlias = Annotated[
    Annotated[SearchStep, Tag("<search>")]
    | Annotated[TreeStep, Tag("<tree>")]
    | Annotated[ReadStep, Tag("<read>")]
    | Annotated[SubtreeStep, Tag("<subtree>")],
    Discriminator(_one_of(_ACTIONS), custom_error_type="exactly_one", custom_error_message=_STEP),
]
EXPECTATIONS = ("finds", "has", "under", "contains", "excludes", "complete")
"""The keys by which a step can fail."""
_EXPECTS: list[Any] = [
    *({"required": [key]} for key in EXPECTATIONS[:-1]),
    {"properties": {"complete": {"const": True}}, "required": ["complete"]},
]


class ScenarioKeys(Keys):
    """Steps that somebody who looks for something would take, in order."""

    noun: ClassVar[str] = "a scenario"
    moved: ClassVar[dict[str, str]] = {"scenario": "name", "step": "steps"}
    name: Text = Field(description="The scenario's name.")
    steps: Annotated[list[AnyStep], Field(min_length=1)] = Field(
        description="The steps, in order. At least one must expect something.",
        json_schema_extra={"contains": {"anyOf": _EXPECTS}},
    )

    @model_validator(mode="after")
    def _expects(self) -> Self:
        if not any(getattr(step, key, None) for step in self.steps for key in EXPECTATIONS):
            said = f"write one of `{'`, `'.join(EXPECTATIONS)}` in a step."
            raise ValueError(f"the scenario expects nothing and can never fail: {said}")
        for step in self.steps:
            both = {*(getattr(step, "contains", None) or ())} & {*(getattr(step, "excludes", None) or ())}
            if both:
                raise ValueError(f"`contains` and `excludes` of a step both have {min(both)!r:.80}.")
        return self

    def build(self, where: Callable[[int | None], str]) -> Scenario:
        """Return the scenario; `where` gives the position of a step, and None that of the scenario."""
        steps = tuple(_step(step, where(number)) for number, step in enumerate(self.steps))
        return Scenario(self.name, steps, where(None))


def _step(keys: Any, where: str) -> Step:
    action = next(one for one in Action if hasattr(keys, one.value))
    search = action is Action.SEARCH
    return Step(
        action,
        query=keys.search if search else "",
        filters=keys.filters if search else {},
        k=keys.k if search else FIRST_HITS,
        at=None if search else getattr(keys, action.value),
        finds=places_of(getattr(keys, "finds", None)),
        has=texts_of(getattr(keys, "has", None)),
        under=getattr(keys, "under", None) or (),
        contains=texts_of(getattr(keys, "contains", None)),
        excludes=texts_of(getattr(keys, "excludes", None)),
        complete=getattr(keys, "complete", False),
        where=where,
    )


def places_of(value: list[Location | PlaceKeys] | None) -> tuple[Location, ...]:
    """Return the locations of a scenario or invariant."""
    found = ((one.at or one.id) if isinstance(one, PlaceKeys) else one for one in value or ())
    return tuple(one for one in found if one is not None)


def texts_of(value: list[str] | None) -> tuple[str, ...]:
    """Return texts without the line breaks at their ends, which a YAML block adds."""
    return tuple(text.rstrip("\n") for text in value or ())


# --- invariants ---

Queries: TypeAlias = Annotated[list[Text], Field(min_length=2, json_schema_extra={"uniqueItems": True})]


def _word(value: Any) -> str:
    words = text_from(value).split()
    if len(words) != 1:
        raise ValueError(f"expected one word, found {shown(value)}.")
    return words[0]


Word: TypeAlias = Annotated[str, PlainValidator(_word), WithJsonSchema(WORD)]


class InvariantKeys(Keys):
    """What every invariant may say."""

    noun: ClassVar[str] = "an invariant"
    relation: ClassVar[Relation]
    moved: ClassVar[dict[str, str]] = {
        "filter": "filters",
        "under": "below",
        "with": "beside",
        **{relation.value.replace("-", "_"): relation.value for relation in Relation},
    }
    name: Text | None = _about("The invariant's name. Default: a slug of its relation and queries.")
    k: Count | None = _about("The number of results to compare. Default: 10, for rare-term 3.")
    filters: Filters = Field(default_factory=dict, description="Facets that are sent with the queries.")
    xfail: _Known | None = _about("Why the invariant may fail for now.")
    notes: Lines = Field(default="", description="Notes for people.")

    def asked(self) -> list[str]:
        """Return the texts of the queries."""
        return [self.query]  # type: ignore[attr-defined]

    def queries(self) -> tuple[Query, ...]:
        """Return the queries, in the order that the relation defines."""
        k = self.k or (RARE_TERM_HITS if self.relation is Relation.RARE_TERM else FIRST_HITS)
        return tuple(Query(text.rstrip("\n"), k, self.filters) for text in self.asked())

    def build(self, name: str, where: str) -> Invariant:
        """Return the invariant."""
        return Invariant(
            name,
            self.relation,
            self.queries(),
            above=places_of(getattr(self, "above", None)),
            below=places_of(getattr(self, "below", None)),
            only=tuple(getattr(self, "only", ())),
            by=getattr(self, "by", "place"),
            order=getattr(self, "order", True),
            xfail=xfail_of(self.xfail),
            notes=self.notes,
            where=where,
        )


class _Compared(InvariantKeys):
    by: Annotated[str, choice("place", "document"), WithJsonSchema({"enum": ["place", "document"]})] = Field(
        default="place", description="Compare locations or documents. Default: place."
    )
    order: Flag = Field(default=True, description="False to ignore the order of the results. Default: true.")

    def asked(self) -> list[str]:
        return list(self.query)  # type: ignore[attr-defined]

    @model_validator(mode="after")
    def _differ(self) -> Self:
        asked = [text.rstrip("\n") for text in self.asked()]
        if len(set(asked)) < len(asked):
            raise ValueError("two of the queries are equal. Use `stable` to repeat one query.")
        return self


class SameResults(_Compared):
    """All queries return the same results."""

    relation: ClassVar[Relation] = Relation.SAME_RESULTS
    query: Queries = Field(alias="same-results", description="Queries that must return the same results.")


class DifferentResults(_Compared):
    """No two queries return the same results."""

    relation: ClassVar[Relation] = Relation.DIFFERENT_RESULTS
    query: Queries = Field(
        alias="different-results", description="Queries of which no two may return the same results."
    )


class RanksAbove(InvariantKeys):
    """Locations that must rank above others."""

    relation: ClassVar[Relation] = Relation.RANKS_ABOVE
    query: Lines = Field(
        alias="ranks-above", description="A query that must find `above`, and before `below`."
    )
    above: Places = Field(description="The locations that must be found.")
    below: Places = Field(description="The locations that must rank after all of `above`, or be absent.")

    @model_validator(mode="after")
    def _apart(self) -> Self:
        if both := {*places_of(self.above)} & {*places_of(self.below)}:
            raise ValueError(f"`above` and `below` both have {min(map(str, both))!r}.")
        return self


class FilterOnly(InvariantKeys):
    """Results under filters must match globs."""

    relation: ClassVar[Relation] = Relation.FILTER_ONLY
    query: Lines = Field(alias="filter-only", description="A query whose results must match `only`.")
    filters: Annotated[Filters, Field(min_length=1)] = Field(
        description="Facets that are sent with the query."
    )
    only: Texts = Field(description="Globs of the allowed paths, such as docs/**.")


class _Beside(InvariantKeys):
    beside: Word = Field(
        description="A word that is not in the corpus, or for rare-term hardly occurs in it."
    )

    def asked(self) -> list[str]:
        text: str = self.query  # type: ignore[attr-defined]
        return [text, f"{text} {self.beside}"]

    @model_validator(mode="after")
    def _new(self) -> Self:
        if self.beside.casefold() in self.asked()[0].casefold().split():
            raise ValueError(f"`beside` repeats {self.beside!r:.80}. Write another word.")
        return self


class SingleTermNoBonus(_Beside):
    """A word must not score more alone than beside an unknown word."""

    relation: ClassVar[Relation] = Relation.SINGLE_TERM_NO_BONUS
    query: Word = Field(alias="single-term-no-bonus", description="A word that must score no more alone.")


class RareTerm(_Beside):
    """A rare term must not push the first result out."""

    relation: ClassVar[Relation] = Relation.RARE_TERM
    query: Lines = Field(
        alias="rare-term", description="A query whose first result stays within k when `beside` is added."
    )


class Monotone(InvariantKeys):
    """A larger number of results must not change the first ones."""

    relation: ClassVar[Relation] = Relation.MONOTONE
    query: Lines = Field(alias="monotone", description="A query whose first results do not depend on k.")
    k: Annotated[list[Count], Field(min_length=2, json_schema_extra={"uniqueItems": True})] = Field(  # type: ignore[assignment]
        description="Two or more numbers of results, ascending."
    )

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        if self.k != sorted(set(self.k)):
            raise ValueError("`k` of monotone needs ascending numbers, such as [3, 10, 20].")
        return self

    def queries(self) -> tuple[Query, ...]:
        return tuple(Query(self.query, k, self.filters) for k in self.k)


class Stable(InvariantKeys):
    """A repeated query must return the same results."""

    relation: ClassVar[Relation] = Relation.STABLE
    query: Lines = Field(alias="stable", description="A query that must return the same results every time.")
    times: Annotated[
        int,
        whole("a whole number from 2 to 1000", 2, 1000),
        WithJsonSchema({"type": "integer", "minimum": 2, "maximum": 1000}),
    ] = Field(default=TIMES, description="The number of repetitions. Default: 3.")

    def asked(self) -> list[str]:
        return [self.query] * self.times


class Empty(InvariantKeys):
    """Queries that must return no results."""

    relation: ClassVar[Relation] = Relation.EMPTY
    query: Annotated[list[Text], OneOrMore("a query or a list of queries")] = Field(
        alias="empty", description="Queries that must return no results."
    )

    def asked(self) -> list[str]:
        return self.query


_RELATIONS = tuple(relation.value for relation in Relation)
AnyInvariant: TypeAlias = Annotated[
    Annotated[SameResults, Tag("<same-results>")]
    | Annotated[DifferentResults, Tag("<different-results>")]
    | Annotated[RanksAbove, Tag("<ranks-above>")]
    | Annotated[FilterOnly, Tag("<filter-only>")]
    | Annotated[SingleTermNoBonus, Tag("<single-term-no-bonus>")]
    | Annotated[RareTerm, Tag("<rare-term>")]
    | Annotated[Monotone, Tag("<monotone>")]
    | Annotated[Stable, Tag("<stable>")]
    | Annotated[Empty, Tag("<empty>")],
    Discriminator(
        _one_of(_RELATIONS),
        custom_error_type="exactly_one",
        custom_error_message=f"an invariant needs exactly one of `{'`, `'.join(_RELATIONS)}`.",
    ),
]


# --- the suite ---


def _corpus(value: Any) -> CorpusSource:
    """Read where a corpus is. One key of a mapping is its kind; the others are options of the kind."""
    if not isinstance(value, dict):
        return CorpusSource(text_from(value))
    kinds = listed(CORPORA)
    named = [key for key in value if key in kinds]
    if len(named) != 1:
        keys = "`, `".join(named or [f"{key:.80}" for key in value][:5])
        found = f"found `{keys}`" if keys else "found an empty mapping"
        near = (
            next((one for key in value if (one := did_you_mean(f"{key:.80}", kinds))), "")
            if not named
            else ""
        )
        said = f"a corpus needs exactly one of the keys `{'`, `'.join(sorted(kinds))}`, {found}."
        raise ValueError(f"{said} D{near[1:]}" if near else said)
    options = {
        str(key): tuple(map(text_from, one)) if isinstance(one, list) else text_from(one)
        for key, one in value.items()
        if key != named[0]
    }
    return CorpusSource(text_from(value[named[0]]), named[0], options)


class MatchKeys(Keys):
    """When a result reaches a target."""

    noun: ClassVar[str] = "`match`"
    by: Annotated[str, choice("lines", "path"), WithJsonSchema({"enum": ["lines", "path"]})] = Field(
        default="lines", description="Overlapping lines, or the path alone. Default: lines."
    )
    min_lines: Count = Field(default=1, description="The number of lines that both must have in common.")
    min_fraction: Fraction = Field(
        default=0.0, description="The part of the target that the result must cover."
    )
    iou: Fraction = Field(default=0.0, description="The least intersection over union of the lines.")


def _scale(value: Any) -> float:
    if isinstance(value, dict):
        if set(value) != {"max"}:
            raise ValueError("`scale` is the highest grade, or a mapping with the key `max`.")
        value = value["max"]
    found = number_from(value, "the highest grade")
    if found <= 0:
        raise ValueError("the highest grade must be above 0.")
    return found


class MapKeys(Keys):
    """A rule that makes locations of ids and URLs."""

    noun: ClassVar[str] = "a rule with `from` and `to`"
    moved: ClassVar[dict[str, str]] = {"pattern": "from", "template": "to"}
    pattern: Text = Field(alias="from", description="A regular expression for the whole id.")
    template: Text = Field(alias="to", description="The location, with \\1 or \\g<name> for groups.")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        try:
            compiled(MapRule(self.pattern, self.template))
        except InputError as error:
            problem = error.problems[0]
            key = problem.where.removeprefix("map.")
            said = f"`{key}` is invalid: {problem.found}." + (problem.fix and f" {problem.fix.capitalize()}.")
            raise InvalidError(said, Code.WRONG_PATTERN) from error
        return self


def compiled(rule: MapRule, where: str = "map") -> re.Pattern[str]:
    """Compile a rule's pattern, and check that its template names only groups that the pattern has.

    Raises:
        InputError: for an invalid regular expression, or a template that does not fit it.
    """
    pattern = compiled_pattern(rule.pattern, f"{where}.from")
    check_template(pattern, rule.template, f"{where}.to")
    return pattern


def _pages(value: Any) -> MapRule:
    if value == "pages":
        return PAGES
    raise ValueError(f"expected `pages`, or a rule with `from` and `to`, found {shown(value)}.")


_Rule: TypeAlias = Annotated[
    Annotated[Any, PlainValidator(_pages), WithJsonSchema({"const": "pages"}), Tag("<one>")]
    | Annotated[MapKeys, Tag("<map>")],
    Discriminator(_item_shape),
]


def _source_kind(value: Any) -> str:
    if value in SOURCE_KINDS:
        return str(value)
    if value == PROPOSED:
        raise ValueError("`proposed` targets never gate. Review them, and remove `source: proposed`.")
    raise ValueError(f"expected one of `{'`, `'.join(SOURCE_KINDS)}`, found {shown(value)}.")


_SourceKind: TypeAlias = Annotated[
    str, PlainValidator(_source_kind), WithJsonSchema({"enum": list(SOURCE_KINDS)})
]


def _metric(value: Any) -> list[str]:
    """Read one entry of `metrics`: an expression, or weighted sums with their names."""
    if isinstance(value, dict):
        return [f"{name} = {text_from(one)}" for name, one in value.items()]
    return [text_from(value)]


_Metric: TypeAlias = Annotated[
    list[str],
    PlainValidator(_metric),
    WithJsonSchema(
        {"anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": {"type": "string"}}]}
    ),
]


def _version(value: Any) -> int:
    if typed(value) == 1 and not isinstance(typed(value), bool):
        return 1
    raise ValueError(f"version {value} is unsupported. This rankgate reads version 1.")


_ABOVE_ZERO = {"type": "number", "exclusiveMinimum": 0}


def _schema_extra(schema: dict[str, Any]) -> None:
    schema["title"] = "rankgate suite"


class SuiteKeys(Keys):
    """What a search should find, and what must hold for its ranking."""

    model_config = ConfigDict(json_schema_extra=_schema_extra)
    noun: ClassVar[str] = "a suite"
    moved: ClassVar[dict[str, str]] = {
        "gate": "gates",
        "matching": "match",
        "max_grade": "scale",
        "metric": "metrics",
        "queries": "cases",
        "tests": "cases",
        "copies": "Write a `map` rule.",
        "allow_estimated": "Write `gating_sources: [person, import, estimated]`.",
        "asked": "Select cases on the command line with `--only`.",
        "on_inconclusive": "Write `on_inconclusive` in rankgate.toml.",
        "max_errors": "Write `max_errors` in rankgate.toml.",
    }

    schema_: Annotated[str, PlainValidator(str), WithJsonSchema({"type": "string"})] | None = _about(
        "The JSON Schema for editors; rankgate ignores it.", alias="$schema"
    )
    version: Annotated[int, PlainValidator(_version), WithJsonSchema({"const": 1})] = Field(
        default=1, description="The version of this format."
    )
    name: Text | None = _about("The suite's name. Default: the name of its file.")
    corpus: (
        Annotated[
            Any,
            PlainValidator(_corpus),
            WithJsonSchema(
                {"anyOf": [_PLACE, {"type": "object", "minProperties": 1, "additionalProperties": _TEXTS}]}
            ),
        ]
        | None
    ) = _about("The documents: a folder, or a mapping with a kind. Without it, targets are compared as ids.")
    metrics: Annotated[list[_Metric], OneOrMore()] | None = _about("The metrics. Default: ndcg@10.")
    gates: Annotated[list[Text], OneOrMore()] = Field(
        default_factory=list, description="What must hold, such as ndcg@10 >= 0.65."
    )
    match: (
        Annotated[
            Annotated[str, choice("lines", "path"), WithJsonSchema({"enum": ["lines", "path"]}), Tag("<one>")]
            | Annotated[MatchKeys, Tag("<map>")],
            Discriminator(_item_shape),
        ]
        | None
    ) = _about("When a result reaches a target. Default: the same path and any overlap of lines.")
    scale: (
        Annotated[
            float,
            PlainValidator(_scale),
            WithJsonSchema(
                {
                    "anyOf": [
                        _ABOVE_ZERO,
                        {
                            "type": "object",
                            "properties": {"max": {**_ABOVE_ZERO, "description": "The highest grade."}},
                            "required": ["max"],
                            "additionalProperties": False,
                        },
                    ]
                }
            ),
        ]
        | None
    ) = _about("The highest grade; err needs it.")
    k: Count | None = _about("The number of results per query. Default: what the metrics need.")
    map: Annotated[list[_Rule], OneOrMore()] = Field(
        default_factory=list,
        description="How ids and URLs of results become locations: pages, or rules; the first match counts.",
    )
    unlisted: Annotated[str, choice(*UNLISTED), WithJsonSchema({"enum": list(UNLISTED)})] = Field(
        default=UNLISTED[0], description="What a result without a judgment is. Default: irrelevant."
    )
    no_relevant: Annotated[str, choice(*NO_RELEVANT), WithJsonSchema({"enum": list(NO_RELEVANT)})] = Field(
        default=NO_RELEVANT[0],
        description="How a query without relevant judgments is scored: excluded from means (default), or 0.",
    )
    gating_sources: Annotated[list[_SourceKind], OneOrMore("a source")] | None = _about(
        "The sources whose judgments gates count. Default: person and import."
    )
    guidelines: Text | None = _about("The file with guidelines for judges, relative to this one.")
    show: Texts | None = _about("The fields of results that reports show, the title first.")
    cases: Annotated[list[CaseKeys], Field(min_length=1)] = Field(description="The queries.")
    scenarios: list[ScenarioKeys] = Field(
        default_factory=list, description="Navigation: searches, trees and texts, step by step."
    )
    invariants: list[AnyInvariant] = Field(
        default_factory=list, description="Relations between the results of queries."
    )

    def matching(self) -> Matching:
        """Return when a hit reaches a target."""
        if isinstance(self.match, MatchKeys):
            keys = self.match
            return Matching(MatchBy(keys.by), keys.min_lines, keys.min_fraction, keys.iou)
        return Matching() if self.match is None else Matching(MatchBy(self.match))

    def rules(self) -> tuple[MapRule, ...]:
        """Return the rules of `map`."""
        return tuple(
            MapRule(one.pattern, one.template) if isinstance(one, MapKeys) else one for one in self.map
        )


def sampled_of(keys: SampledKeys | None) -> Sampled | None:
    """Return how a query was drawn."""
    return None if keys is None else Sampled(keys.seen, keys.inclusion)


def suite_schema() -> dict[str, Any]:
    """Return the JSON Schema of a suite."""
    found = SuiteKeys.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}

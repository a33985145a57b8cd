"""The keys of a suite, as pydantic models. The JSON Schema for editors is generated from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Annotated, Any, ClassVar, Self, TypeAlias

from pydantic import ConfigDict, Discriminator, Field, Tag, ValidationInfo, WrapValidator, model_validator
from pydantic.json_schema import GenerateJsonSchema

from rankgate.errors import Code, InputError, LocationError, did_you_mean
from rankgate.io.patterns import check_template, compiled_pattern
from rankgate.io.typed import (
    WORD,
    ByShape,
    Check,
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
    Case,
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
_PLACE = {**WORD, "minLength": 1}
_TEXTS = {"anyOf": [WORD, {"type": "array", "items": WORD}]}


@dataclass
class SuiteContext(Context):
    """What the meaning of a target depends on."""

    has_corpus: bool = False
    """Whether locations are parsed; without a corpus every target is an id."""
    records: str | None = None
    """The kind of a corpus of records, which has ids and no locations."""
    max_grade: float | None = None
    """The top of the scale, if it is declared."""


def _key(text: str, **more: Any) -> Any:
    """Return an optional key with its description."""
    return Field(None, description=text, **more)


# --- locations and grades ---


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
        raise ValueError(f"a corpus of {context.records} records has no locations. Write `id:` instead.")
    return location_from(text) if context.has_corpus else Location(text)


def _id(value: Any) -> Location:
    return Location(text_from(value))


def _bare(value: Any, info: ValidationInfo[Any]) -> Location:
    return _location(value, info) if info.context.records is None else _id(value)


def _node(value: Any, info: ValidationInfo[Any]) -> Location:
    """Read the location of a step. Nodes have titles, so it is a location without a corpus too."""
    if info.context.records is not None:
        said = f"a corpus of {info.context.records} records has no tree. Only `search` steps work with it."
        raise ValueError(said)
    return location_from(text_from(value))


def _whole_file(value: Any, info: ValidationInfo[Any]) -> Location:
    location = _node(value, info)
    if location != Location(path=location.path):
        raise ValueError(f"expected a file, found a part of one. Write `tree: {location.path}`.")
    return location


def _file(value: Any) -> str:
    location = location_from(text_from(value))
    if location.path is None or location != Location(path=location.path):
        raise ValueError(f"expected the path of a file, found `{location}`.")
    return location.path


def _grade(value: Any, info: ValidationInfo[Any]) -> float:
    grade, top = number_from(value, "a number as the grade"), info.context.max_grade
    if grade < 0:
        raise ValueError(f"the grade {grade:g} is negative. Use 0 for a result that is not relevant.")
    if top is not None and grade > top:
        raise ValueError(f"the grade {grade:g} is above {top:g}, the top of the scale.")
    return grade


At: TypeAlias = Annotated[Any, Check(_location, _PLACE)]
Id: TypeAlias = Annotated[Any, Check(_id, _PLACE)]
Quote: TypeAlias = Annotated[Any, Check(lambda value: Location.of_quote(text_from(value)), _PLACE)]
Bare: TypeAlias = Annotated[Any, Check(_bare, _PLACE)]
Node: TypeAlias = Annotated[Any, Check(_node, _PLACE)]
WholeFile: TypeAlias = Annotated[Any, Check(_whole_file, _PLACE)]
File: TypeAlias = Annotated[str, Check(_file, _PLACE)]
Grade: TypeAlias = Annotated[float, Check(_grade, {"type": "number", "minimum": 0})]

_AT = (
    "The location: path, path:10-50, path#Heading/Sub or path::Class.method. A heading or symbol covers "
    "everything below it; with /. behind it, its own text alone."
)


class NamedKeys(Keys):
    """The keys that name one target."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": [name]} for name in NAMES]})
    noun: ClassVar[str] = "a target"
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

    at: At | None = _key(_AT)
    id: Id | None = _key("An opaque id.")
    quote: Quote | None = _key("A passage in the documents' own words.")
    path: File | None = _key("The file that contains the passage.")
    start_char: Annotated[int, whole("a whole number, 0 or more", least=0)] | None = _key(
        "The offset of the passage in characters: the nearest copy is meant."
    )

    @model_validator(mode="after")
    def _has_one_name(self) -> Self:
        named = [name for name in NAMES if getattr(self, name) is not None]
        if len(named) > 1:
            raise ValueError(f"`{'` and `'.join(named)}` exclude each other. Keep one.")
        if not named and not self.is_nameless():
            raise ValueError(f"{self.noun} needs one of `at`, `id` and `quote`.")
        if named != ["quote"] and (self.path is not None or self.start_char is not None):
            key = "path" if self.path is not None else "start_char"
            raise ValueError(f"`{key}` needs a `quote` beside it. A whole file is written as `at:`.")
        return self

    def is_nameless(self) -> bool:
        """Check whether it is valid without a name."""
        return False

    def location(self, path: str | None = None) -> Location:
        """Return the location; `path` is the file of a passage without one."""
        found: Any = self.at or self.id or self.quote
        return in_file(found, self.path or path, self.start_char)


def in_file(location: Location, path: str | None, start_char: int | None = None) -> Location:
    """Return a passage in a file; any other location is returned as it is."""
    if location.quote is None or (path is None and start_char is None):
        return location
    return replace(location, path=path, start_char=start_char)


class GradedKeys(Keys):
    """What a target says beside its location."""

    noun: ClassVar[str] = "a target with grade, group and source"
    moved: ClassVar[dict[str, str]] = NamedKeys.moved

    grade: Grade | None = _key("How relevant it is; 0 is judged and not relevant.")
    group: Text | None = _key("Targets of one group are alternatives, as in any_of.")
    source: Text | None = _key("Who judged it: person, import, model, clicks, estimated or proposed.")


class TargetKeys(NamedKeys, GradedKeys):
    """One target with more than its location."""

    noun: ClassVar[str] = "a target"


class NeverKeys(NamedKeys):
    """A location that must not be within the results."""

    noun: ClassVar[str] = "an unwanted result"
    within: Count | None = _key("The number of results to look at. Default: all.")


class TopKeys(NamedKeys):
    """A check that each relevant target, or one location, is within the first results."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1})
    noun: ClassVar[str] = "a check with `within`, or with `at`, `id` or `quote`"
    within: Count | None = _key("The number of results to look at. Default: 1.")

    def is_nameless(self) -> bool:
        return self.model_fields_set == {"within"}


class PlaceKeys(Keys):
    """A location or an id of a scenario or invariant."""

    model_config = ConfigDict(json_schema_extra={"minProperties": 1, "maxProperties": 1})
    noun: ClassVar[str] = "a location"
    moved: ClassVar[dict[str, str]] = {"path": "at"}
    at: At | None = _key(_AT)
    id: Id | None = _key("An opaque id.")

    @model_validator(mode="after")
    def _has_one_name(self) -> Self:
        if (self.at is None) == (self.id is None):
            raise ValueError("write one of `at` and `id`.")
        return self


def _unique(value: Any, handler: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict) and "path" in value and {"lines", "start", "heading", "symbol"} & value.keys():
        said = "a location is one text. Write it as `keys.md:3-9`, `keys.md#Heading` or `a.py::name`."
        raise ValueError(said)
    found = handler(value)
    if len(found) < len(value):
        raise ValueError("two keys of this mapping are the same location. Remove one of them.")
    return found


def _list_of(place: Any) -> Any:
    return Annotated[list[Annotated[Any, ByShape(place, mapping=TargetKeys)]], Field(min_length=1)]


def _grades_of(place: Any) -> Any:
    graded = Annotated[Any, ByShape(Grade, mapping=GradedKeys)]
    return Annotated[dict[place, graded], Field(min_length=1), WrapValidator(_unique)]


def _several(place: Any) -> ByShape:
    """Return the types of targets: a location, a list of them, or a mapping of them to grades."""
    return ByShape(place, _list_of(place), _grades_of(place))


class GroupKeys(Keys):
    """A group of alternatives with their kinds of names."""

    noun: ClassVar[str] = "a group of alternatives"
    at: Annotated[Any, _several(At)] | None = _key(_AT)
    id: Annotated[Any, _several(Id)] | None = _key("Opaque ids.")
    quote: Annotated[Any, _several(Quote)] | None = _key("Passages in the documents' own words.")


def _group_form(value: Any) -> str:
    named = isinstance(value, dict) and not value.keys().isdisjoint(NAMES)
    return "<names>" if named else "<places>"


Group: TypeAlias = Annotated[
    Annotated[GroupKeys, Tag("<names>")]
    | Annotated[Any, ByShape(several=_list_of(Bare), mapping=_grades_of(Bare)), Tag("<places>")],
    Discriminator(_group_form),
]
Never: TypeAlias = Annotated[Any, ByShape(Bare, mapping=NeverKeys)]
Place: TypeAlias = Annotated[Any, ByShape(Bare, mapping=PlaceKeys)]
Places: TypeAlias = Annotated[list[Place], OneOrMore("a location or a list of locations")]


def _places(value: list[Location | PlaceKeys] | None) -> tuple[Location, ...]:
    """Return the locations of a scenario or invariant."""
    return tuple((one.at or one.id) if isinstance(one, PlaceKeys) else one for one in value or ())  # type: ignore[misc]


# --- cases ---


def _pairs(value: dict[Any, Any]) -> Iterator[tuple[str, str]]:
    """Yield each key with its text, or with each of its texts."""
    for key, some in value.items():
        for one in some if isinstance(some, list) else [some]:
            yield text_from(key), text_from(one)


def _facet(value: Any) -> Any:
    return tuple(map(text_from, value)) if isinstance(value, list) else text_from(value)


def _tags(value: Any) -> frozenset[str]:
    if isinstance(value, dict):
        return frozenset(f"{key}={one}" for key, one in _pairs(value))
    return frozenset(map(text_from, value if isinstance(value, list) else [value]))


def _until(value: Any) -> date:
    try:
        if isinstance(value, str) and _DATE.fullmatch(value):
            return date.fromisoformat(value)
    except ValueError:
        pass
    raise ValueError(f"expected a date such as 2027-01-31, found {shown(value)}.")


def _reason(value: Any) -> str:
    if isinstance(typed(value), bool):
        raise ValueError("write the reason as text, such as `xfail: no synonyms yet`.")  # noqa: TRY004
    return text_from(value)


def _empty(value: Any) -> str:
    if value == "empty":
        return "empty"
    fix = "An expected result is written as `at`, `id` or `quote`."
    raise ValueError(f"expected `empty` or {{max_score: 2.0}}, found {shown(value)}. {fix}")


class XFailKeys(Keys):
    """A known miss that expires."""

    noun: ClassVar[str] = "an xfail"
    reason: Text = Field(description="Why it fails.")
    until: Annotated[date, Check(_until, {"type": "string", "format": "date"})] | None = _key(
        "The last day on which it may fail. Default: no limit."
    )


class SampledKeys(Keys):
    """How a query was drawn from a log of searches."""

    noun: ClassVar[str] = "`sampled`"
    seen: Count = Field(description="How often it occurred in the log.")
    inclusion: Annotated[
        float,
        real("a number above 0 and up to 1", lambda one: 0 < one <= 1, exclusiveMinimum=0, maximum=1),
    ] = Field(description="The probability with which it was drawn.")


class ExpectKeys(Keys):
    """What is expected of the scores of a query without relevant results."""

    noun: ClassVar[str] = "`expect`"
    max_score: Number = Field(description="The highest score that a result may have.")


Filters: TypeAlias = dict[str, Annotated[Any, Check(_facet, _TEXTS)]]
Known: TypeAlias = Annotated[
    Any, ByShape(Annotated[str, Check(_reason, {"type": ["string", "number"]})], mapping=XFailKeys)
]


def _xfail(value: str | XFailKeys | None) -> XFail | None:
    if isinstance(value, XFailKeys):
        return XFail(value.reason, value.until)
    return None if value is None else XFail(value)


_EXPECTED = (*NAMES, "any_of", "top")


def _excludes(expect: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return the rule that a case with a value of `expect` has none of some keys."""
    return {
        "if": {"properties": {"expect": expect}, "required": ["expect"]},
        "then": {"not": {"anyOf": [{"required": [key]} for key in keys]}},
    }


class CaseKeys(Keys):
    """One query and what is expected of its results."""

    model_config = ConfigDict(
        json_schema_extra={
            "allOf": [
                _excludes({"const": "empty"}, *_EXPECTED, "never"),
                _excludes({"type": "object"}, *_EXPECTED, "answer"),
            ]
        }
    )
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

    name: Text | None = _key("The case's name. Default: a slug of the query.")
    query: Lines = Field(description="The query.")
    at: Annotated[Any, _several(At)] | None = _key(
        "The locations of the expected results: one, a list, or a mapping to grades."
    )
    id: Annotated[Any, _several(Id)] | None = _key(
        "The ids of the expected results: one, a list, or a mapping to grades."
    )
    quote: Annotated[Any, _several(Quote)] | None = _key("Expected passages in the documents' own words.")
    path: File | None = _key("The file of the quotes that have no path of their own.")
    any_of: Annotated[list[Group], Field(min_length=1)] | None = _key(
        "Groups of alternatives: any target of a group is enough, and a group counts once."
    )
    answer: Lines | None = _key("The expected answer. Targets that are found with it count as estimated.")
    grade: Grade | None = _key("The grade of targets without a grade of their own. Default: 1.")
    exhaustive: Flag = Field(default=False, description="True if every other result is wrong.")
    expect: (
        Annotated[Any, ByShape(Annotated[str, Check(_empty, {"const": "empty"})], mapping=ExpectKeys)] | None
    ) = _key("empty if the query must return no results, or the highest score of a result.")
    top: Annotated[list[TopKeys], OneOrMore()] | None = _key(
        "What must be within the first results: each relevant target, or a location."
    )
    never: Annotated[list[Never], OneOrMore()] | None = _key("Results that the query must not return.")
    category: Text | None = _key("The slice that the case belongs to.")
    tags: Annotated[
        frozenset[str],
        Check(_tags, {"anyOf": [*_TEXTS["anyOf"], {"type": "object", "additionalProperties": _TEXTS}]}),
    ] = Field(default=frozenset(), description="More slices: a list, or a mapping of names to values.")
    filters: Filters = Field(default_factory=dict, description="Facets that are sent with the query.")
    weight: Annotated[
        float,
        real(
            "a number from 1e-6 to 1e6",
            lambda number: 1 / _LIMIT <= number <= _LIMIT,
            minimum=1 / _LIMIT,
            maximum=_LIMIT,
        ),
    ] = Field(default=1.0, description="Its weight in every mean. Default: 1.")
    sampled: SampledKeys | None = _key("How it was drawn from a log of searches.")
    group: Text | None = _key("Cases of one group are paraphrases.")
    xfail: Known | None = _key("Why the case may fail for now.")
    source: Text | None = _key("Who judged the targets. Default: person.")
    notes: Lines = Field(default="", description="Notes for people.")

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        for number, group in enumerate(self.any_of or (), 1):
            items = group.values() if isinstance(group, dict) else group if isinstance(group, list) else ()
            if any(isinstance(one, GradedKeys) and one.group is not None for one in items):
                raise ValueError("`group` inside `any_of` is not supported: each of its lists is a group.")
            if any(target.group == f"any-{number}" for target in self._ungrouped()):
                raise ValueError(f"`any_of` uses the group name `any-{number}`. Rename the `group`.")
        if self.path is not None and self.quote is None:
            raise ValueError("`path` needs a `quote` beside it. A whole file is written as `at:`.")
        alone = [top for top in self.top or () if top.is_nameless()]
        if len(alone) > 1:
            raise ValueError("`top` has a second `within` without a location. Remove one of them.")
        if alone and not any((self.at, self.id, self.quote, self.any_of)):
            raise ValueError("`within` needs a target in the case, or `at`, `id` or `quote` beside it.")
        if self.expect is not None:
            last, said = ("never", "empty") if self.expect == "empty" else ("answer", "max_score")
            if others := [key for key in (*_EXPECTED, last) if getattr(self, key) is not None]:
                raise ValueError(f"`expect: {said}` excludes `{'` and `'.join(others)}`. Keep one of them.")
        return self

    def case(self, name: str, where: str) -> Case:
        """Return the case.

        Raises:
            InvalidError: for a location that is expected and in `never`.
        """
        targets = [*self._ungrouped()]
        for number, group in enumerate(self.any_of or (), 1):
            parts = (group.at, group.id, group.quote) if isinstance(group, GroupKeys) else (group,)
            targets += [target for part in parts for target in self._listed(part, f"any-{number}")]
        top = [
            Top(one.location(self.path), one.within or 1) for one in self.top or () if not one.is_nameless()
        ]
        expected = {target.location for target in targets if target.grade > 0} | {one.location for one in top}
        for one in self.never or ():
            keys = one if isinstance(one, NeverKeys) else None
            location = keys.location(self.path) if keys else one
            top.append(Top(location, keys.within if keys else None, never=True))
            if location in expected:
                said = f"`{location}` is expected and in `never`. Remove one of them."
                raise InvalidError(said, Code.CONFLICT)
        return Case(
            name,
            self.query,
            tuple(targets),
            weight=self.weight,
            group=self.group,
            category=self.category,
            tags=self.tags,
            filters=self.filters,
            top=tuple(top),
            targets_within=next((one.within for one in self.top or () if one.is_nameless()), None),
            exhaustive=self.exhaustive,
            expect_empty=self.expect == "empty",
            max_score=getattr(self.expect, "max_score", None),
            xfail=_xfail(self.xfail),
            answer=self.answer,
            notes=self.notes,
            sampled=Sampled(self.sampled.seen, self.sampled.inclusion) if self.sampled else None,
            where=where,
        )

    def _ungrouped(self) -> Iterator[Target]:
        """Return the targets outside of `any_of`."""
        for value in (self.at, self.id, self.quote):
            yield from self._listed(value, None)

    def _listed(self, value: Any, group: str | None) -> Iterator[Target]:
        """Return the targets of one key."""
        usual = 1.0 if self.grade is None else self.grade
        for one in [value] if isinstance(value, Location) else value or ():
            said: Any = value[one] if isinstance(value, dict) else None
            if isinstance(one, TargetKeys):
                said, location = one, one.location(self.path)
            else:
                location = in_file(one, self.path)
            keys = said if isinstance(said, GradedKeys) else None
            grade = keys.grade if keys else said
            own = (keys.group, keys.source) if keys else (None, None)
            source = own[1] or self.source or "person"
            yield Target(location, usual if grade is None else grade, group or own[0], source)


# --- scenarios ---


class _OneOf(Keys):
    """A mapping in which exactly one of some keys says which others it has."""

    kinds: ClassVar[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]]
    """The keys of each kind: those that it needs, and those that it may have."""
    shared: ClassVar[tuple[str, ...]] = ()
    """The keys that every kind may have."""
    narrowed: ClassVar[dict[str, Any]] = {"": {}}
    """What JSON Schema says about the values of a kind, and of every other kind by an empty name."""

    @property
    def kind(self) -> str:
        """The key that is there."""
        return next(key for key in self.kinds if key in self._written())

    @model_validator(mode="after")
    def _has_one_kind(self) -> Self:
        written = self._written()
        named = [key for key in self.kinds if key in written]
        if len(named) != 1:
            raise ValueError(f"{self.noun} needs exactly one of `{'`, `'.join(self.kinds)}`.")
        needed, more = self.kinds[named[0]]
        valid = (*named, *needed, *more, *self.shared)
        for key in written:
            if key not in valid:
                said = f"unknown key `{key}` beside `{named[0]}`. Valid keys: {', '.join(valid)}."
                raise InvalidError(said, Code.UNKNOWN_KEY, key)
        for key in needed:
            if key not in written:
                raise ValueError(f"{self.noun} with `{named[0]}` needs the key `{key}`.")
        return self

    def _written(self) -> list[str]:
        fields = type(self).model_fields.items()
        return [one.alias or name for name, one in fields if name in self.model_fields_set]


def _kinds_in_schema(schema: dict[str, Any], model: type[Any]) -> None:
    schema["oneOf"] = [
        {
            "required": [kind, *needed],
            "propertyNames": {"enum": [kind, *needed, *more, *model.shared]},
            "properties": model.narrowed.get(kind, model.narrowed[""]),
        }
        for kind, (needed, more) in model.kinds.items()
    ]


def _titles_above(value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict) or not value:
        said = "expected a mapping of titles to the title above each, such as {Steps: Rotation}"
        raise ValueError(f"{said}, found {shown(value)}.")
    return tuple(_pairs(value))


_ABOVE = {"type": "object", "minProperties": 1, "additionalProperties": _TEXTS}


class StepKeys(_OneOf):
    """A step of a scenario."""

    model_config = ConfigDict(json_schema_extra=_kinds_in_schema)
    noun: ClassVar[str] = "a step"
    moved: ClassVar[dict[str, str]] = {
        "complete_subtree": "complete",
        "expect": "finds",
        "hits": "finds",
        "text": "contains",
        "titles": "has",
        "within": "k",
    }
    kinds: ClassVar[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
        "search": ((), ("k", "filters", "finds")),
        "tree": ((), ("has", "under")),
        "read": ((), ("contains", "excludes")),
        "subtree": ((), ("contains", "excludes", "complete")),
    }

    search: Lines | None = _key("A step that runs a query: the query.")
    tree: WholeFile | None = _key("A step that lists the nodes of a file: the file.")
    read: Node | None = _key("A step that reads one node: path#Heading/Sub or path::Class.method.")
    subtree: Node | None = _key("A step that reads a node and everything below it.")
    k: Count = Field(default=FIRST_HITS, description="The number of results to look at. Default: 10.")
    filters: Filters = Field(default_factory=dict, description="Facets that are sent with the query.")
    finds: Places | None = _key("What must be among the results; ids if the suite has no corpus.")
    has: Texts = Field(default=[], description="Titles that the tree must have.")
    under: Annotated[tuple[tuple[str, str], ...], Check(_titles_above, _ABOVE)] = Field(
        default=(), description="Titles, each with the title of the node directly above it."
    )
    contains: Texts = Field(default=[], description="Text that must be in the node.")
    excludes: Texts = Field(default=[], description="Text that must not be in the node.")
    complete: Flag = Field(default=False, description="True if the title of every node below must be there.")

    @model_validator(mode="after")
    def _is_consistent(self, info: ValidationInfo[Any]) -> Self:
        if self.complete and info.context is not None and not info.context.has_corpus:
            raise ValueError("`complete` needs a corpus. Add `corpus:` to the suite, or write `contains`.")
        if both := {*self.contains} & {*self.excludes}:
            raise ValueError(f"`contains` and `excludes` of a step both have {min(both)!r:.80}.")
        return self

    def step(self, where: str) -> Step:
        """Return the step."""
        return Step(
            Action(self.kind),
            query=self.search or "",
            filters=self.filters,
            k=self.k,
            at=self.tree or self.read or self.subtree,
            finds=_places(self.finds),
            has=_trimmed(self.has),
            under=self.under,
            contains=_trimmed(self.contains),
            excludes=_trimmed(self.excludes),
            complete=self.complete,
            where=where,
        )


def _trimmed(texts: Iterable[str]) -> tuple[str, ...]:
    """Return texts without the line breaks at their ends, which a YAML block adds."""
    return tuple(text.rstrip("\n") for text in texts)


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
    steps: Annotated[list[StepKeys], Field(min_length=1)] = Field(
        description="The steps, in order. At least one must expect something.",
        json_schema_extra={"contains": {"anyOf": _EXPECTS}},
    )

    @model_validator(mode="after")
    def _can_fail(self) -> Self:
        if not any(getattr(step, key) for step in self.steps for key in EXPECTATIONS):
            said = f"write one of `{'`, `'.join(EXPECTATIONS)}` in a step."
            raise ValueError(f"the scenario expects nothing and can never fail: {said}")
        return self

    def scenario(self, where: Callable[..., str]) -> Scenario:
        """Return the scenario; `where` gives the position of a path inside it."""
        steps = tuple(step.step(where("steps", number)) for number, step in enumerate(self.steps))
        return Scenario(self.name, steps, where())


# --- invariants ---


def _word(value: Any) -> str:
    words = text_from(value).split()
    if len(words) != 1:
        raise ValueError(f"expected one word, found {shown(value)}.")
    return words[0]


Word: TypeAlias = Annotated[str, Check(_word, WORD)]
Queries: TypeAlias = Annotated[list[Text], Field(min_length=2, json_schema_extra={"uniqueItems": True})]


class InvariantKeys(_OneOf):
    """A relation between the results of queries."""

    model_config = ConfigDict(json_schema_extra=_kinds_in_schema)
    noun: ClassVar[str] = "an invariant"
    moved: ClassVar[dict[str, str]] = {
        "filter": "filters",
        "under": "below",
        "with": "beside",
        **{relation.value.replace("-", "_"): relation.value for relation in Relation},
    }
    kinds: ClassVar[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
        "same-results": ((), ("by", "order")),
        "different-results": ((), ("by", "order")),
        "ranks-above": (("above", "below"), ()),
        "filter-only": (("filters", "only"), ()),
        "single-term-no-bonus": (("beside",), ()),
        "rare-term": (("beside",), ()),
        "monotone": (("k",), ()),
        "stable": ((), ("times",)),
        "empty": ((), ()),
    }
    shared: ClassVar[tuple[str, ...]] = ("name", "k", "filters", "xfail", "notes")
    narrowed: ClassVar[dict[str, Any]] = {
        "": {"k": {"type": "integer"}},
        "filter-only": {"k": {"type": "integer"}, "filters": {"minProperties": 1}},
        "monotone": {"k": {"type": "array", "uniqueItems": True}},
    }

    name: Text | None = _key("The invariant's name. Default: a slug of its relation and queries.")
    same_results: Queries | None = _key("Queries that must return the same results.", alias="same-results")
    different_results: Queries | None = _key(
        "Queries of which no two may return the same results.", alias="different-results"
    )
    ranks_above: Lines | None = _key(
        "A query that must find `above`, and before `below`.", alias="ranks-above"
    )
    filter_only: Lines | None = _key("A query whose results must match `only`.", alias="filter-only")
    single_term_no_bonus: Word | None = _key(
        "A word that must score no more alone than beside an unknown word.", alias="single-term-no-bonus"
    )
    rare_term: Lines | None = _key(
        "A query whose first result stays within k when `beside` is added.", alias="rare-term"
    )
    monotone: Lines | None = _key("A query whose first results do not depend on k.")
    stable: Lines | None = _key("A query that must return the same results every time.")
    empty: Annotated[list[Text], OneOrMore("a query or a list of queries")] | None = _key(
        "Queries that must return no results."
    )
    k: Annotated[Any, ByShape(Count, Annotated[list[Count], Field(min_length=2)])] | None = _key(
        "The number of results to compare. Default: 10, for rare-term 3. For monotone: ascending numbers."
    )
    filters: Filters = Field(default_factory=dict, description="Facets that are sent with the queries.")
    above: Places | None = _key("The locations that must be found.")
    below: Places | None = _key("The locations that must rank after all of `above`, or be absent.")
    only: Texts = Field(default=[], description="Globs of the allowed paths, such as docs/**.")
    beside: Word | None = _key("A word that is not in the corpus, or for rare-term hardly occurs in it.")
    by: Annotated[str, choice("place", "document")] = Field(
        default="place", description="Compare locations or documents. Default: place."
    )
    order: Flag = Field(default=True, description="False to ignore the order of the results. Default: true.")
    times: Annotated[int, whole("a whole number from 2 to 1000", 2, 1000)] = Field(
        default=TIMES, description="The number of repetitions. Default: 3."
    )
    xfail: Known | None = _key("Why the invariant may fail for now.")
    notes: Lines = Field(default="", description="Notes for people.")

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        texts = self.texts()
        if self.kind in ("same-results", "different-results") and len(set(texts)) < len(texts):
            raise ValueError("two of the queries are equal. Use `stable` to repeat one query.")
        if self.kind == "monotone" and not (isinstance(self.k, list) and self.k == sorted(set(self.k))):
            raise ValueError("`k` of monotone needs ascending numbers, such as [3, 10, 20].")
        if self.kind != "monotone" and isinstance(self.k, list):
            raise ValueError("only `monotone` has several numbers in `k`. Write one.")
        if self.kind == "filter-only" and not self.filters:
            raise ValueError("`filter-only` needs at least one filter in `filters`.")
        if both := {*_places(self.above)} & {*_places(self.below)}:
            raise ValueError(f"`above` and `below` both have {min(map(str, both))!r}.")
        if self.beside and self.beside.casefold() in texts[0].casefold().split():
            raise ValueError(f"`beside` repeats {self.beside!r:.80}. Write another word.")
        return self

    def texts(self) -> list[str]:
        """Return the texts of the queries, in the order that the relation defines."""
        value = getattr(self, self.kind.replace("-", "_"))
        texts = [text.rstrip("\n") for text in ([value] if isinstance(value, str) else value)]
        if self.kind == "stable":
            return texts * self.times
        return [*texts, f"{texts[0]} {self.beside}"] if self.beside else texts

    def invariant(self, name: str, where: str) -> Invariant:
        """Return the invariant."""
        usual = RARE_TERM_HITS if self.kind == "rare-term" else FIRST_HITS
        texts, k = self.texts(), self.k or usual
        pairs = [(texts[0], one) for one in k] if isinstance(k, list) else [(text, k) for text in texts]
        return Invariant(
            name,
            Relation(self.kind),
            tuple(Query(text, k, self.filters) for text, k in pairs),
            above=_places(self.above),
            below=_places(self.below),
            only=tuple(self.only),
            by=self.by,  # type: ignore[arg-type]
            order=self.order,
            xfail=_xfail(self.xfail),
            notes=self.notes,
            where=where,
        )


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
    by: Annotated[str, choice("lines", "path")] = Field(
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
    found = number_from(value, "a number as the highest grade")
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


def _source_kind(value: Any) -> str:
    if value in SOURCE_KINDS:
        return str(value)
    if value == PROPOSED:
        raise ValueError("`proposed` targets never gate. Review them, and remove `source: proposed`.")
    raise ValueError(f"expected one of `{'`, `'.join(SOURCE_KINDS)}`, found {shown(value)}.")


def _metric(value: Any) -> list[str]:
    """Read one entry of `metrics`: an expression, or weighted sums with their names."""
    if isinstance(value, dict):
        return [f"{name} = {text_from(one)}" for name, one in value.items()]
    return [text_from(value)]


def _version(value: Any) -> int:
    if typed(value) == 1 and not isinstance(typed(value), bool):
        return 1
    raise ValueError(f"version {value} is unsupported. This rankgate reads version 1.")


_ABOVE_ZERO = {"type": "number", "exclusiveMinimum": 0}
_SCALE = {
    "type": "object",
    "properties": {"max": {**_ABOVE_ZERO, "description": "The highest grade."}},
    "required": ["max"],
    "additionalProperties": False,
}
_CORPUS = {"type": "object", "minProperties": 1, "additionalProperties": _TEXTS}
_SUMS = {"type": "object", "additionalProperties": {"type": "string"}}


class SuiteKeys(Keys):
    """What a search should find, and what must hold for its ranking."""

    model_config = ConfigDict(title="rankgate suite")
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

    schema_: Annotated[str, Check(str, {"type": "string"})] | None = _key(
        "The JSON Schema for editors; rankgate ignores it.", alias="$schema"
    )
    version: Annotated[int, Check(_version, {"const": 1})] = Field(
        default=1, description="The version of this format."
    )
    name: Text | None = _key("The suite's name. Default: the name of its file.")
    corpus: Annotated[Any, Check(_corpus, {"anyOf": [_PLACE, _CORPUS]})] | None = _key(
        "The documents: a folder, or a mapping with a kind. Without it, targets are compared as ids."
    )
    metrics: (
        Annotated[
            list[Annotated[list[str], Check(_metric, {"anyOf": [{"type": "string"}, _SUMS]})]], OneOrMore()
        ]
        | None
    ) = _key("The metrics. Default: ndcg@10.")
    gates: Annotated[list[Text], OneOrMore()] = Field(
        default=[], description="What must hold, such as ndcg@10 >= 0.65."
    )
    match: Annotated[Any, ByShape(Annotated[str, choice("lines", "path")], mapping=MatchKeys)] | None = _key(
        "When a result reaches a target. Default: the same path and any overlap of lines."
    )
    scale: Annotated[float, Check(_scale, {"anyOf": [_ABOVE_ZERO, _SCALE]})] | None = _key(
        "The highest grade; err needs it."
    )
    k: Count | None = _key("The number of results per query. Default: what the metrics need.")
    map: Annotated[
        list[Annotated[Any, ByShape(Annotated[Any, Check(_pages, {"const": "pages"})], mapping=MapKeys)]],
        OneOrMore(),
    ] = Field(
        default=[],
        description="How ids and URLs of results become locations: pages, or rules; the first match counts.",
    )
    unlisted: Annotated[str, choice(*UNLISTED)] = Field(
        default=UNLISTED[0], description="What a result without a judgment is. Default: irrelevant."
    )
    no_relevant: Annotated[str, choice(*NO_RELEVANT)] = Field(
        default=NO_RELEVANT[0],
        description="How a query without relevant judgments is scored: excluded from means (default), or 0.",
    )
    gating_sources: (
        Annotated[
            list[Annotated[str, Check(_source_kind, {"enum": list(SOURCE_KINDS)})]], OneOrMore("a source")
        ]
        | None
    ) = _key("The sources whose judgments gates count. Default: person and import.")
    guidelines: Text | None = _key("The file with guidelines for judges, relative to this one.")
    show: Texts | None = _key("The fields of results that reports show, the title first.")
    cases: Annotated[list[CaseKeys], Field(min_length=1)] = Field(description="The queries.")
    scenarios: list[ScenarioKeys] = Field(
        default_factory=list, description="Navigation: searches, trees and texts, step by step."
    )
    invariants: list[InvariantKeys] = Field(
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


class _SchemaWithoutNull(GenerateJsonSchema):
    """JSON Schema in which an optional key is left out, and never null, as the reader has it."""

    def nullable_schema(self, schema: Any) -> Any:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: Any) -> Any:
        found = super().default_schema(schema)
        return {key: value for key, value in found.items() if (key, value) != ("default", None)}


def suite_schema() -> dict[str, Any]:
    """Return the JSON Schema of a suite."""
    found = SuiteKeys.model_json_schema(by_alias=True, schema_generator=_SchemaWithoutNull)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}

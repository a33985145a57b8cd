"""Suites from any table or list of records: CSV, TSV, JSON, JSON Lines, Parquet and YAML.

A mapping says which field of a record is what. `presets.toml` has the mappings of known tools,
the configuration of a project its own (tables below ``presets``), and ``--option KEY=FIELD`` changes one key.

A field is named by its way into the record, ``metadata.gold``. Names are compared without case, spaces, ``_``
and ``-``. Of several names, the first with a value counts. Fields that a mapping does not use are counted.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections import Counter
from dataclasses import MISSING, dataclass, field, fields, replace
from fnmatch import fnmatchcase
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rankgate.errors import Code, FormatError, InputError, LocationError, did_you_mean
from rankgate.io.problems import Problems
from rankgate.io.tables import field_names, file_text, number_of, read_values, spelled, suffix_of, wrong
from rankgate.locations import Lines, Location, normal_path
from rankgate.model import NO_RELEVANT, UNLISTED, Case, Suite, Target, Top, XFail
from rankgate.suites.formats import SuiteFormat
from rankgate.suites.native import slug
from rankgate.suites.schema import RECORDS
from rankgate.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rankgate.model import CorpusSource
    from rankgate.suites.formats import ReadOptions

LEAVE_OUT, EMPTY = "leave out", "expect: empty"
_DOCUMENT = re.compile(
    r"[^\s:#]+\.(mdx?|markdown|rst|adoc|txt|html?|pdf|ipynb|json|ya?ml|toml|py|[jt]sx?|go|rs|java|rb|c|h|cpp)"
    r"([:#]\S+)?",
    re.IGNORECASE,
)
_WORST = {"bad", "i", "irrelevant", "no", "none", "not relevant", "off-topic"}
_SHOWN, _SUGGESTED = 10, 30


def _key(about: str, default: object = ()) -> Any:
    """Return a key of a mapping. Its value has the type of the default; None is a table."""
    return field(
        **({"default_factory": dict} if default is None else {"default": default}), metadata={"about": about}
    )


@dataclass(frozen=True, slots=True)
class FieldMap:
    """Where a file has what. A tuple names fields, of which the first with a value counts.

    In a preset, `answer`, `top` and `never` may be tables with `each`, `only` and the like of their own.
    """

    records: tuple[str, ...] = _key("the list of records, such as data.items; * is each value of an object")
    file: str = _key("the file to read in a folder, such as qrels/test.tsv", "")
    where: Mapping[str, Any] = _key("the records that count, such as status=ACTIVE", None)
    same: tuple[str, ...] = _key("fields of a target that must have one value in the whole file")
    query: tuple[str, ...] = _key("the query")
    queries: tuple[str, ...] = _key("a file with the texts of the queries, if `query` has their ids")
    each: tuple[str, ...] = _key("the list of targets of a record, or columns such as result*")
    only: Mapping[str, Any] = _key("the items of `each` that count, such as type=file", None)
    pattern: str = _key("a regular expression with named groups that splits an item of `each`", "")
    form: str = _key("the form of such an item, for errors", "")
    id: tuple[str, ...] = _key("the id of a target")
    at: tuple[str, ...] = _key("the location of a target: path, path:10-50, path#Heading, path::symbol")
    quote: tuple[str, ...] = _key("the passage that is the target")
    passage: tuple[str, ...] = _key("the target: a location if it names a file, else a passage")
    path: tuple[str, ...] = _key("the file of a target or passage, or a template such as docs/{source}.md")
    start: tuple[str, ...] = _key("the first line of a target in `path`")
    end: tuple[str, ...] = _key("the last line of a target in `path`")
    start_char: tuple[str, ...] = _key("the first character of a passage, from 0")
    any_of: tuple[str, ...] = _key("the name of the group of alternatives that a target belongs to")
    separator: str = _key("the text between several values in one text, such as |", "")
    grade: tuple[str, ...] = _key("the grade of a target; one grade of a record holds for all its targets")
    grades: Mapping[str, Any] = _key("the grade of each label, such as good=2,bad=0", None)
    by_position: bool = _key("true: the grades are by the position in the list of targets", default=False)
    without_grade: str = _key(f"what a target without a grade has: a number, or {LEAVE_OUT!r}", "")
    without_targets: str = _key(f"what a record without targets means: {EMPTY!r}, or {LEAVE_OUT!r}", "")
    strip: str = _key("the start of each path to remove, such as /home/me/docs/", "")
    prefix: str = _key("the text to put before each path, such as docs/", "")
    name: tuple[str, ...] = _key("the name of the case")
    category: tuple[str, ...] = _key("the category of the case")
    tags: tuple[str, ...] = _key("the tags of the case")
    notes: tuple[str, ...] = _key("the notes of the case")
    group: tuple[str, ...] = _key("the group of paraphrases that the case belongs to")
    answer: Any = _key("the expected answer")  # noqa: RUF009
    exhaustive: tuple[str, ...] = _key("true if the targets are all that is relevant")
    weight: tuple[str, ...] = _key("the weight of the case")
    xfail: tuple[str, ...] = _key("the reason of a known miss")
    filters: tuple[str, ...] = _key("the filters of the query, as an object")
    top: Any = _key("ids or locations that must be first")  # noqa: RUF009
    never: Any = _key("ids or locations that must not be found")  # noqa: RUF009
    within: tuple[str, ...] = _key("in a table `top` or `never`: the number of first results")
    ignore: tuple[str, ...] = _key("fields that are not reported as unused")
    unlisted: str = _key(f"what a result without a judgment is: {' or '.join(UNLISTED)}", "")
    no_relevant: str = _key(f"a query without relevant targets: {' or '.join(NO_RELEVANT)}", "")
    metrics: tuple[str, ...] = _key("the metrics of the suite")

    @property
    def kinds(self) -> dict[str, tuple[str, ...]]:
        """The fields that name a target, by kind, in the order in which they count."""
        kinds = {kind: getattr(self, kind) for kind in ("quote", "passage", "at", "id", "path")}
        return {kind: names for kind, names in kinds.items() if names}


def field_map(table: Mapping[str, Any], where: str, base: FieldMap | None = None) -> FieldMap:
    """Read a preset, or the options of the command line, over another mapping.

    Raises:
        InputError: with every key that is unknown or has an invalid value.
    """
    defaults = {each.name: {} if each.default is MISSING else each.default for each in fields(FieldMap)}
    values: dict[str, Any] = {}
    problems = []
    for key, raw in table.items():
        if key not in defaults:
            fix = did_you_mean(key, defaults) or "`rankgate list formats mapped` explains the keys"
            problems.append(wrong(where, f"unknown key {key!r}", fix, Code.WRONG_OPTION))
            continue
        try:
            values[key] = _value(key, raw, defaults[key], where)
        except ValueError as error:
            problems.append(wrong(where, f"invalid {key} {raw!r:.60}: {error}", "", Code.WRONG_OPTION))
    if problems:
        raise InputError(problems)
    return replace(base or FieldMap(), **values)


def _value(key: str, raw: Any, default: object, where: str) -> Any:
    """Take the value of a key, which has the type of its default."""
    if isinstance(raw, dict) and key in ("top", "never", "answer"):
        return field_map(raw, f"{where}.{key}")
    if isinstance(default, dict):
        return raw if isinstance(raw, dict) else dict(one.partition("=")[::2] for one in str(raw).split(","))
    if isinstance(default, bool):
        if str(raw).lower() not in ("true", "false"):
            raise ValueError("write true or false")
        return str(raw).lower() == "true"
    if isinstance(default, tuple):
        names = raw if isinstance(raw, list) else [raw]
        if not all(isinstance(name, str) and name for name in names):
            raise ValueError("write a name of a field, or a list of names")
        return tuple(names)
    allowed = {"unlisted": UNLISTED, "no_relevant": NO_RELEVANT, "without_targets": (EMPTY, LEAVE_OUT)}
    if key in allowed and raw not in allowed[key]:
        raise ValueError(f"write {' or '.join(map(repr, allowed[key]))}")
    if key == "pattern":
        try:
            re.compile(str(raw))
        except re.error as error:
            raise ValueError(str(error)) from error
    return str(raw)


# Records


class Found(NamedTuple):
    """A value of a field."""

    value: Any
    listed: bool
    """True if a list was on the way to it, so that it has neighbours."""


class Records:
    """The records of a file; remembers which fields were used."""

    def __init__(self, path: Path, mapping: FieldMap, problems: Problems) -> None:
        self.path, self.mapping, self.problems = path, mapping, problems
        self.roots: list[Any] = []
        self.hits: set[str] = set()
        """The names of fields that a record had."""
        self._used: dict[int, tuple[dict[str, Any], dict[str, bool]]] = {}
        self.table = False
        """True if the values are cells, which spell lists and objects as text."""

    def read(self) -> list[Record]:
        """Read all records.

        Raises:
            FormatError: with all that is wrong with the file, as far as it can be read.
        """
        values, self.table = read_values(self.path, self.problems)
        self.roots = [root for root, _ in values]
        found = [each for root, file in values for each in self._inside(root, file)]
        self.problems.check()
        return found

    def _inside(self, root: Any, file: str) -> Iterator[Record]:
        """Find the records in a document: those of the first way that has any, else its own objects."""
        whole = root if isinstance(root, list) else [root]
        own = any(
            isinstance(each, dict) and key_of(each, name) for each in whole for name in self.mapping.query
        )
        for way in () if own else self.mapping.records:
            if found := list(self._along(root, way.split("."), (), "", file)):
                yield from found
                return
        if own or isinstance(root, list) or not self.mapping.records:
            yield from self._along(root, [], (), "", file)
        else:
            self.problems.add(wrong(file, f"no records at {' or '.join(self.mapping.records)}"))

    def _along(
        self, value: Any, way: Sequence[str], outer: tuple[dict[str, Any], ...], at: str, file: str
    ) -> Iterator[Record]:
        if isinstance(value, list):
            for number, item in enumerate(value):
                yield from self._along(item, way, outer, f"{at}[{number}]", file)
        elif not way:
            where = f"{file}: {at}" if at else file
            if isinstance(value, dict):
                yield Record((value, *outer), where, self)
            else:
                self.problems.add(wrong(where, f"{value!r:.60} is not a record: an object"))
        elif isinstance(value, dict) and way[0] == "*":
            for key, item in value.items():
                self.mark(value, key, leaf=True)
                yield from self._along(
                    {"key": key, "value": item}, way[1:], (value, *outer), quoted(key, 60), file
                )
        elif isinstance(value, dict) and (key := key_of(value, way[0])) is not None:
            self.mark(value, key, leaf=False)
            yield from self._along(value[key], way[1:], (value, *outer), f"{at}.{key}" if at else key, file)

    def walk(self, value: Any, name: str, *, listed: bool = False) -> Iterator[Found]:
        """Yield what a field has, in each item of the lists on its way; None for an item without it."""
        if isinstance(value, list):
            for item in value:
                yield from self.walk(item, name, listed=True)
        elif not isinstance(value, dict):
            yield Found(None, listed)
        elif name.endswith("*"):
            for key in [key for key in value if fnmatchcase(key.lower(), name.lower())]:
                self.mark(value, key, leaf=True)
                yield Found(value[key], listed=True)
        elif (key := key_of(value, name)) is not None:
            self.mark(value, key, leaf=True)
            yield Found(value[key], listed)
        else:
            head, dot, rest = name.partition(".")
            key = key_of(value, head) if dot else None
            if key is None:
                yield Found(None, listed)
                return
            self.mark(value, key, leaf=False)
            if self.table:
                value[key] = spelled(value[key])
            yield from self.walk(value[key], rest, listed=listed)

    def parts(self, found: Found, separator: str = "") -> list[Found]:
        """Return the values of a list, or of a text with the separator; in a table also of a spelled list."""
        value = spelled(found.value) if self.table else found.value
        if separator and isinstance(value, str) and not found.listed:
            value = [part.strip() for part in value.split(separator) if part.strip()]
        return (
            [Found(one, listed=True) for one in value]
            if isinstance(value, list)
            else [Found(value, found.listed)]
        )

    def mark(self, holder: dict[str, Any], key: str, *, leaf: bool) -> None:
        """Remember that a field was used; not as a leaf, if something inside it was."""
        # The holder is stored with its marks, so that no other object can get its id.
        marks = self._used.setdefault(id(holder), (holder, {}))[1]
        marks[key] = marks.get(key, False) or leaf

    def unused(self) -> Counter[str]:
        """Count the fields with a value that nothing used, by their ways from the top of the file."""
        counts: Counter[str] = Counter()
        ignored = {plain(name) for name in self.mapping.ignore}

        def look(value: Any, at: str) -> None:
            if isinstance(value, list):
                for item in value:
                    look(item, at)
            elif isinstance(value, dict):
                marks = self._used.get(id(value), (value, {}))[1]
                for key, inner in value.items():
                    way, used = f"{at}.{key}" if at else key, marks.get(key)
                    if used is None and _says(inner) and not {plain(way), plain(key)} & ignored:
                        counts[way] += 1
                    elif used is not None:
                        inside = inner if isinstance(inner, list) else [inner]
                        look([one for one in inside if not used or id(one) in self._used], way)

        look(self.roots, "")
        return counts


class Record:
    """A record, with what holds it, from the inside out."""

    __slots__ = ("holders", "source", "where")

    def __init__(self, holders: tuple[dict[str, Any], ...], where: str, source: Records) -> None:
        self.holders, self.where, self.source = holders, where, source

    def wrong(self, said: str, fix: str = "") -> None:
        """Report a problem of this record; one that many records have is reported once, with their number."""
        problem = wrong(self.where, said, fix)
        self.source.problems.add_alike(replace(problem, found=said))

    def find(self, names: Iterable[str], *, outer: bool = True) -> list[Found]:
        """Return the values of the first name that has one; ``{a}/{b}`` is a template of others.

        Args:
            names: The fields.
            outer: True to look in what holds the record, too.
        """
        for name in names:
            if "{" in name:
                parts = [
                    self.text([one]) if n % 2 else one
                    for n, one in enumerate(re.split(r"\{([^{}]+)\}", name))
                ]
                if None not in parts:
                    return [Found("".join(map(str, parts)), listed=False)]
                continue
            for holder in self.holders if outer else self.holders[:1]:
                found = list(self.source.walk(holder, name))
                if any(each.value is not None for each in found):
                    self.source.hits.add(name)
                if any(_says(each.value) for each in found):
                    return found
        return []

    def text(self, names: Iterable[str], *, outer: bool = True) -> str | None:
        """Return the first text; of an object the only text. A number is the text that it is written as."""
        for found in self.find(names, outer=outer):
            value = spelled(found.value) if self.source.table and str(found.value)[:1] == "{" else found.value
            if isinstance(value, dict):
                texts = [each for each in value.values() if isinstance(each, str) and each.strip()]
                value = texts[0] if len(texts) == 1 else None
            elif isinstance(value, list):
                value = next((each for each in value if isinstance(each, str)), None)
            if isinstance(value, (str, int, float)) and not isinstance(value, bool) and str(value).strip():
                return str(value).strip() if self.source.table else str(value)
        return None

    def fits(self, wanted: Mapping[str, Any]) -> bool:
        """Check whether each field has one of its values; a field that is not there is an empty text."""
        for name, values in wanted.items():
            text = next((str(each.value) for each in self.find([name], outer=False)), "").strip().lower()
            if text not in {str(one).lower() for one in (values if isinstance(values, list) else [values])}:
                return False
        return True

    def items(self, rule: FieldMap) -> list[Record]:
        """Return the items of `each` that `only` leaves; the record itself, if the rule has no `each`."""
        if not rule.each:
            return [self]
        kind = next((names[0] for names in rule.kinds.values()), "value")
        own = {name for names in (*rule.kinds.values(), rule.only) for name in names}
        entries: list[dict[str, Any]] = []
        for part in (
            part for each in self.find(rule.each) for part in self.source.parts(each, rule.separator)
        ):
            item = part.value
            if isinstance(item, dict) and not part.listed and not any(key_of(item, name) for name in own):
                # An object of ids and grades.
                entries += [{"key": key, "value": grade} for key, grade in item.items()]
            elif isinstance(item, dict):
                entries.append(item)
            elif _says(item) and rule.pattern:
                match = re.fullmatch(rule.pattern, str(item).strip(), re.DOTALL)
                if match is None:
                    self.wrong(f"{quoted(str(item), 60)} is not {rule.form or rule.pattern}")
                else:
                    entries.append(match.groupdict())
            elif _says(item):
                entries.append({kind: item})
        found = (Record((entry, *self.holders), self.where, self.source) for entry in entries)
        return [each for each in found if each.fits(rule.only)]


@cache
def plain(name: str) -> str:
    """Return a name as names are compared.

    >>> plain("Doc ID"), plain("relevant_ids") == plain("relevantIds")
    ('docid', True)
    """
    return re.sub(r"[\s_-]+", "", name).lower()


def key_of(holder: Mapping[str, Any], name: str) -> str | None:
    """Return the key that a name means: itself, or the only one that differs in case, spaces, _ and -."""
    if name in holder:
        return name
    found = [key for key in holder if len(key) < 100 and plain(key) == plain(name)]
    return found[0] if len(found) == 1 else None


def _says(value: object) -> bool:
    return value not in (None, "", [], {}) and not (isinstance(value, str) and not value.strip())


# Cases


@dataclass(slots=True)
class Draft:
    """A case that is still being read."""

    query: str
    where: str
    name: str | None
    about: dict[str, Any]
    targets: dict[tuple[Location, str | None], tuple[Target, str]]
    invalid: bool = False
    """True if a target of it is a problem."""


class Cases:
    """Takes cases and targets in the order of a file, merges what is said twice, and makes a suite."""

    def __init__(self, path: Path, grades: Mapping[str, Any]) -> None:
        self.path, self.problems, self.grades = path, Problems(str(path)), grades
        self.drafts: dict[object, Draft] = {}
        self._worth = {_label(label): grade for label, grade in grades.items()}
        self._unknown: Counter[str] = Counter()
        self._numbers: Counter[str] = Counter()
        self._notes: Counter[str] = Counter()

    def note(self, words: str, count: int = 1) -> None:
        """Count something to report; ``{}`` stands for the number, ``{s}`` and ``{ies}`` for plurals."""
        self._notes[words] += count

    def draft(self, query: str, where: str, name: str | None = None, **about: Any) -> Draft:
        """Return the case of a name, or else of a query and its filters; its records must agree."""
        key = name or (query, *sorted(about.get("filters", {}).items()))
        draft = self.drafts.setdefault(key, Draft(query, where, name, {}, {}))
        if draft.query != query:
            said = f"the name {quoted(str(name), 60)} has another query at {draft.where}"
            self.problems.add(wrong(where, said, "give each query a name of its own"))
        for key, value in about.items():
            before = (
                draft.about.setdefault(key, value)
                if value not in (None, "", (), {}, frozenset(), False)
                else value
            )
            if before != value and key in ("tags", "top"):
                draft.about[key] = before | value if key == "tags" else (*before, *value)
            elif before != value:
                said = f"another {key} for {quoted(query, 60)} than at {draft.where}"
                self.problems.add(wrong(where, said, "if they are different cases, give each a name"))
        return draft

    def grade(self, label: object) -> float | None:
        """Return the grade of a label; None for one that is unknown, which `suite` reports."""
        known = self._worth.get(_label(label))
        number = number_of(known) if self._worth else number_of(label)
        if number is None:
            self._unknown[_shown(label)] += 1
            return None
        self._numbers[f"{number:g}"] += known is None
        if number < 0:
            self.note("{} grade{s} below 0 read as 0: judged, and not relevant")
        return max(number, 0.0)

    def target(
        self,
        draft: Draft,
        location: Location | None,
        grade: float | None,
        where: str,
        group: str | None = None,
    ) -> None:
        """Add a target; with another grade than before it is a problem, with the same it is merged."""
        if location is None or grade is None:
            draft.invalid = True
            return
        target = Target(location, grade, group, "import")
        before, at = draft.targets.setdefault((location, group), (target, where))
        if before.grade != grade:
            said = (
                f"{location} has grade {grade:g} for {quoted(draft.query, 60)}, and {before.grade:g} at {at}"
            )
            self.problems.add(wrong(where, said, "decide which is right"))
        elif before is not target:
            self.note("{} repeated judgment{s}, merged")

    def suite(self, without_targets: str, corpus: CorpusSource | None, **about: Any) -> Suite:
        """Make the suite.

        Raises:
            FormatError: with all that is wrong with the file.
        """
        self._check_grades()
        cases: list[Case] = []
        taken: set[str] = {draft.name for draft in self.drafts.values() if draft.name}
        for draft in self.drafts.values():
            more = draft.about
            if not draft.targets and not more.keys() & {"answer", "top"}:
                means = EMPTY if more.get("exhaustive") else without_targets
                if means == EMPTY:
                    more = {**more, "expect_empty": True}
                    self.note("{} quer{ies} without targets: no result is right")
                elif means == LEAVE_OUT:
                    self.note("{} quer{ies} without targets left out")
                    continue
                else:
                    if draft.invalid:
                        continue
                    fix = f"say what that means: --option without_targets='{EMPTY}' or '{LEAVE_OUT}'"
                    self.problems.add(wrong(draft.where, f"no targets for {quoted(draft.query, 60)}", fix))
                    continue
            made = draft.name or slug(draft.query)
            numbered = (
                f"{made}-{number}" if number > 1 else made for number in range(1, len(self.drafts) + 2)
            )
            name = draft.name or next(one for one in numbered if one not in taken)
            taken.add(name)
            targets = tuple(target for target, _ in draft.targets.values())
            cases.append(Case(name, draft.query, targets, where=draft.where, **more))
        if not cases and not self.problems.total:
            self.problems.add(wrong(str(self.path), "no query with targets", "check the names of the fields"))
        self.problems.check()
        locations = [target.location for case in cases for target in case.targets]
        answers = any(case.answer is not None for case in cases)
        if (
            corpus is not None
            and corpus.kind not in RECORDS
            and not answers
            and all(one.id for one in locations)
        ):
            self.note(f"the corpus {corpus} left out: it has files, and each target is an id", 0)
            corpus = None
        notes = tuple(counted(words, count) for words, count in self._notes.items())
        name = self.path.name.split(".")[0] or "suite"
        return Suite(name, tuple(cases), corpus=corpus, path=str(self.path), notes=notes, **about)

    def _check_grades(self) -> None:
        """Add one problem for all unknown labels; its fix names every label."""
        if not self._unknown:
            return
        seen = {**self._unknown, **self._numbers}
        more = f" and {len(seen) - _SHOWN} more" if len(seen) > _SHOWN else ""
        shown = ", ".join(f"{name} ({count})" for name, count in list(seen.items())[:_SHOWN]) + more
        words = [name for name in seen if number_of(name) is None and name.lower() not in _WORST]
        worth = dict(zip(words, range(len(words), 0, -1), strict=True))
        pairs = [f"{label}={grade}" for label, grade in self.grades.items()]
        pairs += [f"{name}={number_of(name) or worth.get(name, 0):g}" for name in list(seen)[:_SUGGESTED]]
        fix = f"say what each is worth: --grades {shlex.quote(','.join(pairs))}"
        self.problems.add(wrong(str(self.path), f"unknown grades {shown}", fix))


def _label(label: object) -> str:
    """Return the form in which labels are compared: ``100.000`` and 100 are one label."""
    number = number_of(label)
    return _shown(label) if number is None else repr(number)


def _shown(label: object) -> str:
    return "(empty)" if not _says(label) else str(label).strip()[:60]


def counted(words: str, count: int) -> str:
    """Put a number into words.

    >>> counted("{} quer{ies} left out", 1), counted("{} row{s}", 2)
    ('1 query left out', '2 rows')
    """
    for end, (single, several) in {"{s}": ("", "s"), "{ies}": ("y", "ies")}.items():
        words = words.replace(end, single if count == 1 else several)
    return words.replace("{}", f"{count:,}")


# Reading


def read_mapped(path: Path, reading: ReadOptions, *, base: FieldMap, name: str) -> Suite:
    """Read a file by a mapping, and by the options over it.

    Raises:
        InputError: for an option that is unknown or invalid, and a mapping without a query or targets.
        FormatError: with all that is wrong with the file.
    """
    mapping = field_map(reading.options, f"format {name}", base)
    if not mapping.query or not (mapping.kinds or mapping.answer):
        lacks = "what answers a query" if mapping.query else "the query"
        fix = f"such as --option query={mapping.query[0] if mapping.query else 'question'} --option at=page"
        raise InputError(wrong(str(path), f"no field is named as {lacks}", fix, Code.MISSING_OPTION))
    given, path = path, path / mapping.file if path.is_dir() else path
    if not path.is_file():
        raise InputError(Code.NO_SUCH_FILE(str(path), "no such file", "the file with the judgments"))
    cases = Cases(path, reading.grades or mapping.grades)
    source = Records(path, mapping, cases.problems)
    try:
        suite = suite_of(source.read(), mapping, cases, reading)
        return replace(suite, name=given.name.split(".")[0] or suite.name, path=str(given))
    except RecursionError as error:
        raise FormatError(wrong(str(path), "the values are nested too deeply")) from error


def suite_of(
    records: Sequence[Record], mapping: FieldMap, cases: Cases, reading: ReadOptions, **more: Any
) -> Suite:
    """Make a suite of the records of one file.

    Raises:
        FormatError: with all that is wrong with them.
    """
    texts = _texts(mapping, cases.path)
    same: dict[str, str] = {}
    for each in records:
        if each.fits(mapping.where):
            _take(each, mapping, cases, texts, same)
            continue
        cases.note(f"{{}} record{{s}} left out by {' and '.join(mapping.where)}")
        for key in each.holders[0]:
            each.source.mark(each.holders[0], key, leaf=True)
    source = records[0].source if records else Records(cases.path, mapping, cases.problems)
    there = dict.fromkeys(key for each in records for key in each.holders[0])
    for option, name in reading.options.items():
        named = isinstance(getattr(mapping, option), tuple) and option not in (
            "records",
            "queries",
            "metrics",
        )
        if (
            named
            and there
            and not any(one in source.hits for one in re.findall(r"\{([^{}]+)\}", name) or [name])
        ):
            fix = did_you_mean(name, there, otherwise=f"there are {', '.join(there)[:200]}")
            said = f"option {option}: no record has a field {name!r}"
            cases.problems.add(Code.WRONG_OPTION(str(cases.path), said, "", fix, f"{cases.path}: {said}"))
    if (
        mapping.by_position
        and not cases.grades
        and any(len(one.targets) > 1 for one in cases.drafts.values())
    ):
        cases.note(
            "the order of the ids is no grade: all have 1; --grades 1=3,2=2,… gives the first ids more"
        )
    if left := sum(key not in cases.drafts for key in texts):
        cases.note("{} quer{ies} without judgments left out", left)
    if unused := source.unused():
        shown = ", ".join(f"{way[:60]} ({count:,})" for way, count in list(unused.items())[:_SHOWN])
        cases.note(
            f"unused fields: {shown}" + (f" and {len(unused) - _SHOWN} more" * (len(unused) > _SHOWN)), 0
        )
    about = {key: value for key in ("unlisted", "no_relevant", "metrics") if (value := getattr(mapping, key))}
    return cases.suite(mapping.without_targets, reading.corpus, **about | more)


def _texts(mapping: FieldMap, path: Path) -> dict[str, str]:
    """Read the texts of queries by their ids: objects with an id and a text, or lines of id, tab and text."""
    tried = [one for name in mapping.queries for one in (path.parent / name, Path(name))]
    every = [one.with_name(one.name + ending) for one in tried for ending in ("", ".gz", ".zst")]
    found = next((one for one in every if one.is_file()), None)
    if found is None and len(mapping.queries) == 1:
        raise InputError(Code.NO_SUCH_FILE(mapping.queries[0], "no such file", "the texts of the queries"))
    if found is None:
        return {}
    problems, texts = Problems(str(found)), dict[str, str]()
    if suffix_of(found) in (".jsonl", ".ndjson", ".json"):
        records = Records(found, FieldMap(), problems).read()
        rows = [(each.where, each.text(["_id", "id"]), each.text(["text", "query"])) for each in records]
    else:
        lines = enumerate(file_text(found).split("\n"), 1)
        parted = ((n, *line.partition("\t")[::2]) for n, line in lines if line.strip())
        rows = [(f"{found}:{n}", key.strip(), text.strip()) for n, key, text in parted]
    for where, key, text in rows:
        if not key or key in texts:
            problems.add(wrong(where, f"the query {key} is there twice" if key else "a query without an id"))
        elif text:
            texts[key] = text
    problems.check()
    return texts


def _take(
    found: Record, mapping: FieldMap, cases: Cases, texts: Mapping[str, str], same: dict[str, str]
) -> None:
    """Add what one record says."""
    query, name = found.text(mapping.query), found.text(mapping.name, outer=False)
    if query is None:
        found.wrong(f"no query under {' or '.join(mapping.query)}")
        return
    if mapping.queries or (mapping.query == mapping.name):
        if query not in texts and name not in cases.drafts:
            cases.note("{} quer{ies} without a text, run by their ids")
        query = texts.get(query, query)
    draft = cases.draft(query, found.where, name, **_about(found, mapping, cases))
    if draft.where != found.where and (mapping.each or not mapping.grade):
        cases.note("{} record{s} merged with an earlier record of the same query")
    for number, (location, item, grade) in enumerate(_targets(found, mapping, cases, same), 1):
        given = cases.grade(number) if mapping.by_position and cases.grades else grade
        cases.target(draft, location, given, found.where, item.text(mapping.any_of, outer=False))


def _about(found: Record, mapping: FieldMap, cases: Cases) -> dict[str, Any]:
    """Read the keys of a case beside its query and targets."""
    about: dict[str, Any] = {key: found.text(getattr(mapping, key)) for key in ("category", "group", "notes")}
    if isinstance(mapping.answer, FieldMap):
        answers = (each.text(mapping.answer.quote, outer=False) for each in found.items(mapping.answer))
        about["answer"] = next(filter(None, answers), None)
    else:
        about["answer"] = found.text(mapping.answer)
    every = (
        part
        for each in found.find(mapping.tags)
        for part in found.source.parts(each, mapping.separator or "," * found.source.table)
    )
    about["tags"] = frozenset(str(part.value).strip() for part in every if _says(part.value))
    flag = next((str(each.value).strip().lower() for each in found.find(mapping.exhaustive)), "false")
    about["exhaustive"] = flag in ("true", "1", "yes")
    if flag not in ("true", "false", "1", "0", "yes", "no"):
        found.wrong(f"{quoted(flag, 40)} is neither true nor false")
    if (weight := found.text(mapping.weight)) is not None:
        about["weight"] = number_of(weight)
        if not (about["weight"] or 0) > 0:
            found.wrong(f"the weight {weight:.40} is not a number above 0")
    if (reason := found.text(mapping.xfail)) is not None:
        about["xfail"] = XFail(reason)
    about["filters"] = {}
    for each in found.find(mapping.filters):
        value = spelled(each.value) if found.source.table else each.value
        if not isinstance(value, dict):
            found.wrong("the filters are not an object of filters and their values")
            continue
        for key, inner in value.items():
            about["filters"][key] = tuple(map(_facet, inner)) if isinstance(inner, list) else _facet(inner)
    about["top"] = (*_tops(found, mapping, "top", cases), *_tops(found, mapping, "never", cases))
    return about


def _facet(value: object) -> str:
    """Return a value of a filter as JSON and YAML write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _tops(found: Record, mapping: FieldMap, key: str, cases: Cases) -> Iterator[Top]:
    """Read what must be among the first results, or must not be there."""
    rule = getattr(mapping, key)
    if not rule:
        return
    if not isinstance(rule, FieldMap):
        is_file = mapping.at or mapping.path
        rule = FieldMap(each=rule, at=("value",)) if is_file else FieldMap(each=rule, id=("value",))
    rule = replace(rule, strip=mapping.strip, prefix=mapping.prefix)
    for location, item, _ in _targets(found, rule, cases, {}):
        text = item.text(rule.within, outer=False)
        within = (None if key == "never" else 1) if text is None else number_of(text)
        if text is not None and (within is None or within < 1 or within % 1):
            found.wrong(f"{text:.40} is not a number of results")
        elif location is not None:
            yield Top(location, None if within is None else int(within), never=key == "never")


def _targets(
    found: Record, rule: FieldMap, cases: Cases, same: dict[str, str]
) -> Iterator[tuple[Location | None, Record, float | None]]:
    """Yield the location and the grade of each target of a record, with the item that it comes from.

    Without `each`, grades are paired with targets by their positions in the lists of the record.
    """
    for item in found.items(rule):
        for name in rule.same:
            text = item.text([name]) or ""
            if same.setdefault(name, text) != text:
                fix = f"read one: --option only={name}={same[name]}; or add it to --option path=TEMPLATE"
                found.wrong(f"{name} has several values, such as {same[name]} and {text}", fix)
        inner = bool(rule.each)
        tried = (
            (kind, item.find(names, outer=not inner or kind == "path")) for kind, names in rule.kinds.items()
        )
        kind, values = next(((kind, some) for kind, some in tried if some), ("", []))
        values = [part for each in values for part in item.source.parts(each, rule.separator)]
        if not values:
            if inner or item.find(rule.grade):
                found.wrong("a target without an id, location or passage")
            continue
        for value, grade in zip(values, _grades(item, rule, cases, len(values)), strict=True):
            if grade != LEAVE_OUT:
                yield _location(item, rule, kind, value.value, cases), item, grade  # type: ignore[misc]


def _grades(item: Record, rule: FieldMap, cases: Cases, number: int) -> list[float | str | None]:
    """Return a grade for each target: LEAVE_OUT for one to leave out, None for one with a problem."""
    if not rule.grade:
        return [1.0] * number
    found = item.find(rule.grade, outer=False)
    labels = [part for each in found for part in item.source.parts(each, rule.separator)] or [
        Found(None, listed=False)
    ]
    if len(labels) == 1 and not labels[0].listed:
        labels *= number
    if len(labels) != number:
        said = f"cannot pair {counted('{} target{s}', number)} with {counted('{} grade{s}', len(labels))}"
        item.wrong(said, "name the list that has both: --option each=FIELD")
        return [None] * number
    grades: list[float | str | None] = []
    for each in labels:
        if _says(each.value):
            grades.append(cases.grade(each.value))
        elif rule.without_grade == LEAVE_OUT:
            cases.note("{} target{s} without a grade left out")
            grades.append(LEAVE_OUT)
        else:
            grades.append(number_of(rule.without_grade))
            if grades[-1] is None:
                fix = f"say what that means: --option without_grade='{LEAVE_OUT}' or a number"
                item.wrong(f"no grade under {' or '.join(rule.grade)}", fix)
    return grades


def _location(item: Record, rule: FieldMap, kind: str, value: Any, cases: Cases) -> Location | None:
    """Make a location of a value."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)) or not str(value).strip():
        item.wrong(f"{value!r:.60} is not a target" if _says(value) else "a grade without a target")
        return None
    text = str(value).strip() if item.source.table or kind != "quote" else str(value)
    if kind == "id":
        return Location.of_id(text)
    if kind == "passage":
        kind = "at" if _DOCUMENT.fullmatch(text) else "quote"

    def moved(path: str) -> str:
        if rule.strip and not path.startswith(rule.strip):
            cases.note(f"{{}} path{{s}} that do not start with {rule.strip}")
        return rule.prefix + path.removeprefix(rule.strip)

    first, last, char = (item.text(names, outer=False) for names in (rule.start, rule.end, rule.start_char))
    try:
        if kind == "at":
            return Location.at(moved(text))
        if kind == "path":
            lines = None if first is None else Lines(int(first), int(last or first))
            return Location(path=normal_path(moved(text)), lines=lines)
        path = item.text(rule.path)
        try:
            path = None if path is None else normal_path(moved(path))
        except LocationError:
            path = None
            cases.note("{} path{s} of passages left out, which no corpus can have; see `strip`")
        return Location.of_quote(text, path, None if char is None else int(char))
    except (LocationError, ValueError) as error:
        found = error.problems[0] if isinstance(error, LocationError) else None
        expected = found.fix or found.expected if found else "lines are whole numbers"
        shown = f"{text}:{first}-{last or first}" if kind == "path" and first is not None else text
        item.wrong(f"invalid location {quoted(shown, 80)}", expected)
        return None


# Presets


def recognised(path: Path, start: bytes, *, signs: Mapping[str, Any]) -> bool:
    """Check whether a file is of the format of a preset, by the `recognise` of the preset.

    Args:
        path: The file.
        start: Its first bytes; none of a folder.
        signs: `folder`, a folder in the folder; `pattern`, a regular expression for the start; `columns` of a
            table, or `keys` of JSON at any depth, each a name or several with | between.
    """
    if path.is_dir():
        return "folder" in signs and (path / signs["folder"]).is_dir()
    if "pattern" in signs and re.search(signs["pattern"], start.decode(errors="replace")):
        return True
    is_json = start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")
    wanted = signs.get("keys" if is_json else "columns", [])
    if not wanted or suffix_of(path) in (".yaml", ".yml"):
        return False
    names = {plain(name) for name in field_names(path, start)}
    every = ([plain(name) for name in one.split("|")] for one in wanted)
    return all(any(fnmatchcase(name, one) for name in names for one in some) for some in every)


def _project_presets(start: Path) -> dict[str, tuple[str, Any]]:
    """Return the presets of the nearest configuration by name, each with its place and its table.

    Raises:
        InputError: for a preset that is not a table.
    """
    for folder in (start, *start.parents):
        for name, parents in (("rankgate.toml", ()), ("pyproject.toml", ("tool", "rankgate"))):
            try:
                table: Any = tomllib.loads((folder / name).read_text(encoding="utf-8"))
            except (OSError, ValueError):
                continue  # The reader of the configuration reports an invalid file.
            for parent in parents:
                table = table.get(parent) if isinstance(table, dict) else None
            if isinstance(table, dict):
                key, own = ".".join((*parents, "presets")), table.get("presets", {})
                if not isinstance(own, dict) or not all(isinstance(one, dict) for one in own.values()):
                    raise InputError(f"{folder / name}: {key}: a preset is not a table; write [{key}.NAME]")
                return {preset: (f"{folder / name}: {key}.{preset}", one) for preset, one in own.items()}
    return {}


def presets(near: Path) -> dict[str, SuiteFormat]:
    """Return the formats of presets: those of the project of a file or of the current folder, then ours.

    Raises:
        InputError: for a preset with invalid keys.
    """
    tables: dict[str, tuple[str, Any]] = {}
    for folder in (near.absolute().parent, Path.cwd()):
        tables = _project_presets(folder) | tables
    ours = tomllib.loads(files("rankgate.suites").joinpath("presets.toml").read_text(encoding="utf-8"))
    tables |= {name: (f"preset {name}", table) for name, table in ours.items() if name not in tables}
    found = {}
    for name, (where, table) in tables.items():
        keys = {key: value for key, value in table.items() if key not in ("about", "recognise")}
        read = partial(read_mapped, base=field_map(keys, where), name=name)
        recognise = partial(recognised, signs=table.get("recognise", {}))
        found[name] = SuiteFormat(
            name, table.get("about", "a preset of this project"), read, recognise, options=OPTIONS
        )
    return found


OPTIONS = {each.name: str(each.metadata["about"]) for each in fields(FieldMap)}
"""The keys of mappings, each with its explanation."""

FORMAT = SuiteFormat(
    "mapped",
    "any CSV, TSV, JSON, JSON Lines, Parquet or YAML, with options that name the fields",
    partial(read_mapped, base=FieldMap(), name="mapped"),
    lambda _path, _start: False,
    options=OPTIONS,
    presets=presets,
)

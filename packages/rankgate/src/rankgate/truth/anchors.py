"""Anchors: the hash of the text that each target points at, in a file beside the suite.

``search.yaml`` has its anchors in ``search.anchors.json``, ``search.csv`` in ``search.csv.anchors.json``. The
file has the corpus and its fingerprint, for each case its locations with their anchors, and for each location
a `TextRecord` that finds its text again. Opaque ids have no text, and so no anchor.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from rankgate.errors import Code, FormatError
from rankgate.io.atomic import replacing
from rankgate.io.text import read_text
from rankgate.locations import Location
from rankgate.model import Case, CorpusSource, Suite, anchor
from rankgate.progress import steps
from rankgate.truth.lookup import CorpusReader, Spot

SUFFIX = ".anchors.json"
LIMIT = 100_000_000
"""How many bytes a file of anchors may have."""

_VERSION = 2
_YAML = (".yaml", ".yml")
_SHOWN = 20
_CODES = {
    "json_invalid": Code.BAD_SYNTAX,
    "extra_forbidden": Code.UNKNOWN_KEY,
    "literal_error": Code.NEWER_VERSION,
}
_STRICT = ConfigDict(extra="forbid", strict=True)


def _packed(text: str) -> str:
    if len(base64.b64decode(text + "=" * (-len(text) % 4), validate=True)) % 4:
        raise ValueError("expected hashes of four bytes each")
    return text


Count = Annotated[int, Field(ge=0)]
Packed = Annotated[str, AfterValidator(_packed)]


@dataclass(frozen=True, slots=True)
class TextRecord:
    """What finds the text of a location again, without any of its words."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    text: str
    """The anchor of the text, which tells whether a record and the anchor of a case belong together."""
    path: str
    start: Count
    end: Count
    size: Count
    """The number of lines that are not blank."""
    name: tuple[str, ...] = ()
    """The whole name of the section or symbol."""
    title: Count = 0
    """The number of lines of its heading."""
    digest: str = ""
    """The hash of all lines that are not blank, without indentation."""
    words: str = ""
    """The hash of the words, however they are cut into lines."""
    lines: Packed = ""
    """The hash of each line; of a long text, the first and the last."""
    before: Packed = ""
    """The hashes of the last lines before it."""
    behind: Packed = ""
    """The hashes of the first lines after it."""
    copies: Count = 1
    """The number of places with the same lines."""
    bodies: Count = 1
    """The number of places with the same lines below the heading."""
    corpus: str | None = None
    """The fingerprint of the corpus; None for that of the file."""


_DEFAULTS = {each.name: each.default for each in fields(TextRecord)}


class AnchorState(StrEnum):
    """How the text at a location compares with its anchor."""

    MATCHING = "matching"
    CHANGED = "changed"
    NEW = "not anchored yet"
    LOST = "not in the corpus"


@dataclass(frozen=True, slots=True)
class Anchors:
    """The content of a file of anchors."""

    corpus: CorpusSource | None = None
    """The corpus of the locations."""
    fingerprint: str | None = None
    """The fingerprint of the corpus."""
    cases: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The anchors, by case and by location as it is written."""
    texts: Mapping[str, TextRecord] = field(default_factory=dict)
    """What finds texts again, by location as it is written."""

    def record(self, case: str, location: str) -> TextRecord | None:
        """Return what finds the text again that was anchored for a location of a case."""
        found = self.texts.get(location)
        return found if found is not None and found.text == self.get(case, location) else None

    def get(self, case: str, location: str) -> str | None:
        """Return the anchor of one location of a case."""
        return self.cases.get(case, {}).get(location)


@dataclass(frozen=True, slots=True)
class Anchored:
    """One location of a case, with its anchor and the hash of its text."""

    case: Case
    """The case that names the location."""
    location: Location
    """The location as it is written."""
    then: str | None
    """Its anchor, where it has one."""
    now: str | None
    """The hash of the text that is there; None where the location is not in the corpus."""

    @property
    def state(self) -> AnchorState:
        """How the text compares with its anchor."""
        if self.now is None:
            return AnchorState.LOST
        if self.then is None:
            return AnchorState.NEW
        return AnchorState.MATCHING if self.then == self.now else AnchorState.CHANGED


@dataclass(frozen=True, slots=True)
class AnchorComparison:
    """A suite and its corpus compared with the stored anchors."""

    locations: tuple[Anchored, ...]
    """Every location that has a text, in the order of the suite; one that a case names twice comes once."""
    left_over: tuple[tuple[str, str], ...] = ()
    """Cases and locations that have an anchor and are no longer in the suite."""

    def of(self, state: AnchorState) -> tuple[Anchored, ...]:
        """Return the locations of one state."""
        return tuple(each for each in self.locations if each.state is state)


def anchors_path(suite: str | Path) -> Path:
    """Name the file of anchors of a suite.

    >>> anchors_path("suites/search.yaml").as_posix()
    'suites/search.anchors.json'
    >>> anchors_path("suites/search.jsonl").as_posix()
    'suites/search.jsonl.anchors.json'
    """
    path = Path(suite)
    # Only YAML goes without its suffix: search.yaml and search.json are two suites with anchors of their own.
    return path.with_name((path.stem if path.suffix.lower() in _YAML else path.name) + SUFFIX)


def compare(suite: Suite, reader: CorpusReader, anchors: Anchors) -> AnchorComparison:
    """Compare the texts of a suite's locations with their anchors.

    Args:
        suite: the suite.
        reader: what reads its corpus.
        anchors: what was anchored.
    """
    named = [(case, location, reader.find(location)) for case in suite.cases for location in _locations(case)]
    spots = {
        found: document
        for *_, found in named
        if isinstance(found, Spot) and (document := reader.document(found)) is not None
    }
    # In the order of the documents, because then each is read once.
    ordered = sorted(spots, key=spots.__getitem__)
    now: dict[Spot, str] = {}
    for spot in steps(ordered, "reading the texts of locations"):
        now[spot] = anchor_of(reader.text(spot) or "")
    compared: list[Anchored] = []
    for case, location, found in named:
        text = now.get(found) if isinstance(found, Spot) else None
        if text is not None or not isinstance(found, Spot):
            compared.append(Anchored(case, location, anchors.get(case.id, location.whole), text))
    known = {(each.case.id, each.location.whole) for each in compared}
    left_over = tuple(
        (case, location)
        for case, kept in anchors.cases.items()
        for location in kept
        if (case, location) not in known
    )
    return AnchorComparison(tuple(compared), left_over)


def updated(
    comparison: AnchorComparison,
    suite: Suite,
    fingerprint: str,
    *,
    accept: bool | Collection[Location] = False,
    undecided: Collection[Location] = (),
    kept: Anchors | None = None,
    texts: Mapping[str, TextRecord] | None = None,
) -> Anchors:
    """Return the anchors to store: new ones are added, and those of removed targets are dropped.

    The anchor of a text that changed stays as it was unless it is accepted, and so does that of a location
    which is not in the corpus: it is what its text is found by. As long as there is one, the file keeps the
    fingerprint of the corpus that they were anchored in.

    Args:
        comparison: What the suite points at now, beside what was anchored.
        suite: The suite.
        fingerprint: That of the corpus of now.
        accept: Which texts are anchored as they are now: all, none, or those of some locations.
        undecided: Locations that need a decision, so their records stay.
        kept: The anchors of the file.
        texts: What finds each text of now again, by location.
    """
    cases: dict[str, dict[str, str]] = {}
    records: dict[str, TextRecord] = {}
    open_ones: set[str] = {location.whole for location in undecided}
    kept, texts = kept or Anchors(), texts or {}
    for each in comparison.locations:
        name = each.location.whole
        accepted = accept if isinstance(accept, bool) else each.location in accept
        anchored = each.now if each.now is not None and (accepted or each.then is None) else each.then
        if anchored is None:
            continue
        cases.setdefault(each.case.id, {})[name] = anchored
        if anchored != each.now:
            open_ones.add(name)
        new, old = None if name in open_ones else texts.get(name), kept.texts.get(name)
        found = next((one for one in (new, old) if one is not None and one.text == anchored), None)
        if found is not None and (name not in records or anchored != each.now):
            records[name] = found
    stays = kept.fingerprint is not None and kept.fingerprint != fingerprint and bool(open_ones)
    if stays:
        records = {
            name: kept.texts.get(name, one) if name in open_ones else replace(one, corpus=fingerprint)
            for name, one in records.items()
        }
        return Anchors(kept.corpus, kept.fingerprint, cases, records)
    return Anchors(suite.corpus, fingerprint, cases, records)


def anchor_of(text: str) -> str:
    r"""Return the anchor of a text; blank lines at its end do not count, as the next section may add one.

    >>> anchor_of("## Rotation\n\nOnce a day.\n\n") == anchor("## Rotation\n\nOnce a day.")
    True
    """
    text = text.rstrip()
    try:
        return anchor(text)
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can name
        return anchor(text.encode(errors="replace").decode())


class _Source(BaseModel):
    model_config = _STRICT
    kind: str
    place: str
    options: dict[str, str | tuple[str, ...]] = {}


class _File(BaseModel):
    model_config = _STRICT
    version: Literal[2]
    corpus: _Source | None = None
    fingerprint: str | None = None
    cases: dict[str, dict[str, Annotated[str, Field(pattern="^[0-9a-f]{16}$")]]] = {}
    texts: dict[str, TextRecord] = {}


def read_anchors(path: str | Path) -> Anchors | None:
    """Read a file of anchors; None if there is no such file.

    Raises:
        FormatError: with all that is wrong with the file.
    """
    path = Path(path)
    if not path.is_file():
        return None
    try:
        found = _File.model_validate_json(read_text(path, limit=LIMIT))
    except ValidationError as error:
        problems = []
        for each in error.errors(include_url=False, include_input=False)[:_SHOWN]:
            where = ": ".join([str(path), ".".join(f"{key!s:.80}" for key in each["loc"])]).removesuffix(": ")
            code = _CODES.get(each["type"], Code.WRONG_FORMAT)
            problems.append(
                code(where, each["type"], "a file of anchors", "", f"{where}: {each['msg']}. {_FIX}")
            )
        raise FormatError(problems) from error
    source = None
    if found.corpus is not None:
        source = CorpusSource(found.corpus.place, found.corpus.kind, found.corpus.options)
    return Anchors(source, found.fingerprint, found.cases, found.texts)


def kept_anchors(suite: Suite) -> Anchors:
    """Read the anchors of a suite; none if there is no file, or if it is invalid."""
    try:
        return (None if suite.path is None else read_anchors(anchors_path(suite.path))) or Anchors()
    except FormatError:
        # `suite lint` reports what is wrong with the file.
        return Anchors()


def write_anchors(anchors: Anchors, path: str | Path) -> None:
    """Write a file of anchors; it appears whole or not at all."""
    with replacing(path) as aside:
        aside.write_bytes(anchors_text(anchors).encode())


def anchors_text(anchors: Anchors) -> str:
    """Format a file of anchors: one location a line, sorted, so that moving a case alters nothing."""
    source = anchors.corpus
    corpus: dict[str, object] | None = None
    if source is not None:
        corpus = {"kind": source.kind, "place": source.place}
        corpus |= {"options": dict(source.options)} if source.options else {}
    plain = {
        "version": _VERSION,
        "corpus": corpus,
        "fingerprint": anchors.fingerprint,
        "cases": {case: dict(sorted(kept.items())) for case, kept in sorted(anchors.cases.items())},
    }
    written = json.dumps(plain, indent=1, ensure_ascii=False)
    if anchors.texts:
        rows = (
            f"  {json.dumps(location, ensure_ascii=False)}: {_record_text(record)}"
            for location, record in sorted(anchors.texts.items())
        )
        written = written.removesuffix("\n}") + ',\n "texts": {\n' + ",\n".join(rows) + "\n }\n}"
    return written + "\n"


_FIX = "Delete the file and run `rankgate suite fix`."


def _record_text(record: TextRecord) -> str:
    """Format a record as one line of JSON, without defaults."""
    given = {name: getattr(record, name) for name in _DEFAULTS}
    return json.dumps(
        {name: value for name, value in given.items() if value != _DEFAULTS[name]}, ensure_ascii=False
    )


def _locations(case: Case) -> Iterable[Location]:
    """Return the locations of a case, each once."""
    targets = (target.location for target in case.targets)
    return dict.fromkeys((*targets, *(top.location for top in case.top)))

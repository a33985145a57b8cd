"""Anchors: the hash of the text that each target points at, kept in a file beside the suite.

``search.yaml`` has its anchors in ``search.anchors.json``, ``search.csv`` in ``search.csv.anchors.json``: the
corpus, its fingerprint, and below each case its locations with their anchors, one a line, so that a change of
one target is a change of one line; then what finds each text again (`rankgate.truth.anchor_records`).
Opaque ids have no text, no anchor.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from rankgate.errors import Code, FormatError, Problem
from rankgate.io.atomic import replacing
from rankgate.io.problems import Problems
from rankgate.io.text import read_text
from rankgate.model import CorpusSource, anchor
from rankgate.progress import steps
from rankgate.truth.anchor_records import TextRecord, read_records, record_text
from rankgate.truth.locations.lookup import Spot

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from rankgate.locations import Location
    from rankgate.model import Case, Suite
    from rankgate.truth.locations.corpus_reader import CorpusReader

SUFFIX = ".anchors.json"
LIMIT = 100_000_000
"""How many bytes a file of anchors may have."""

_VERSION = 2
_YAML = (".yaml", ".yml")
_ANCHOR = re.compile(r"[0-9a-f]{16}")
_KEYS = ("version", "corpus", "fingerprint", "cases", "texts")


class AnchorState(StrEnum):
    """How the text at a location compares with its anchor."""

    MATCHING = "matching"
    CHANGED = "changed"
    NEW = "not anchored yet"
    LOST = "not in the corpus"


@dataclass(frozen=True, slots=True)
class Anchors:
    """What a file of anchors holds."""

    corpus: CorpusSource | None = None
    """What the locations were in."""
    fingerprint: str | None = None
    """What the corpus was."""
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
    """One location of a case, and what is known of its text."""

    case: Case
    """Whose location it is."""
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
    """A suite and its corpus beside the anchors that were kept."""

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
    """Compare what a suite points at now with its anchors.

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
    # In the order of the documents, so that each is read once.
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
    """Return the anchors to keep: new ones are added, and those of targets that are gone are dropped.

    The anchor of a text that changed stays as it was unless it is accepted, and so does that of a location
    which is not in the corpus: it is what its text is found by. As long as there is one, the file keeps the
    fingerprint of the corpus that they were anchored in.

    Args:
        comparison: What the suite points at now, beside what was anchored.
        suite: The suite.
        fingerprint: That of the corpus of now.
        accept: Which texts are anchored as they are now: all, none, or those of some locations.
        undecided: Locations whose record stays, whatever their text is.
        kept: What the file says.
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


def read_anchors(path: str | Path) -> Anchors | None:
    """Read a file of anchors; None where there is none.

    Raises:
        FormatError: with all that is wrong with the file.
    """
    path = Path(path)
    if not path.is_file():
        return None
    problems = Problems(str(path))
    found = _parsed(read_text(path, limit=LIMIT), path)
    for key in found:
        if key not in _KEYS:
            problems.add(
                Code.UNKNOWN_KEY(f"{path}: {key}", "an unknown key", f"one of {', '.join(_KEYS)}", _FIX)
            )
    if found.get("version") != _VERSION:
        expected = f"version {_VERSION}"
        problems.add(Code.NEWER_VERSION(f"{path}: version", f"{found.get('version')!r:.80}", expected, _FIX))
    corpus = _source(found.get("corpus"), path, problems)
    fingerprint = found.get("fingerprint")
    if fingerprint is not None and not isinstance(fingerprint, str):
        problems.add(Problem(f"{path}: fingerprint", f"{fingerprint!r:.80}", "a hash", _FIX))
    cases = dict(_cases(found.get("cases", {}), path, problems))
    texts = read_records(found.get("texts", {}), f"{path}: texts", problems, _FIX)
    problems.check()
    return Anchors(corpus, fingerprint, cases, texts)


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
            f"  {json.dumps(location, ensure_ascii=False)}: {record_text(record)}"
            for location, record in sorted(anchors.texts.items())
        )
        written = written.removesuffix("\n}") + ',\n "texts": {\n' + ",\n".join(rows) + "\n }\n}"
    return written + "\n"


_FIX = "delete the file and run rankgate suite fix"


def _locations(case: Case) -> Iterable[Location]:
    """Return the locations of a case, each once."""
    targets = (target.location for target in case.targets)
    return dict.fromkeys((*targets, *(top.location for top in case.top)))


def _parsed(data: bytes, path: Path) -> dict[str, Any]:
    try:
        found = json.loads(data, object_pairs_hook=_once, parse_constant=_no_constant)
        if b"\\u" in data:
            # An escape can name half of a surrogate pair, which no file could hold.
            json.dumps(found, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        found = f"what is not JSON ({error})"
        raise FormatError(Code.BAD_SYNTAX(str(path), found, "a file of anchors", _FIX)) from error
    if not isinstance(found, dict):
        raise FormatError(Problem(str(path), f"a {type(found).__name__}", "a JSON object", _FIX))
    return found


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"{twice!r:.80} twice in one object")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _source(found: object, path: Path, problems: Problems) -> CorpusSource | None:
    if found is None:
        return None
    options = found.get("options", {}) if isinstance(found, dict) else None
    if (
        not isinstance(found, dict)
        or not isinstance(options, dict)
        or not all(isinstance(found.get(key), str) for key in ("kind", "place"))
        or not all(isinstance(value, (str, list)) for value in options.values())
    ):
        problems.add(Problem(f"{path}: corpus", f"{found!r:.80}", "a kind and a location", _FIX))
        return None
    texts = {
        key: value if isinstance(value, str) else tuple(map(str, value)) for key, value in options.items()
    }
    return CorpusSource(found["place"], found["kind"], texts)


def _cases(found: object, path: Path, problems: Problems) -> Iterator[tuple[str, dict[str, str]]]:
    if not isinstance(found, dict):
        problems.add(Problem(f"{path}: cases", f"{found!r:.80}", "an object of cases", _FIX))
        return
    for case, anchors in found.items():
        where = f"{path}: cases.{case}"
        if not isinstance(anchors, dict):
            problems.add(Problem(where, f"{anchors!r:.80}", "an object of locations", _FIX))
            continue
        for location, kept in anchors.items():
            if not isinstance(kept, str) or not _ANCHOR.fullmatch(kept):
                problems.add(Problem(f"{where}: {location}", f"{kept!r:.80}", "16 hexadecimal digits", _FIX))
        yield case, anchors

"""rankgate's own suites: YAML or JSON, and JSON Lines with a case a line. `schema` has the keys.

The first line of JSON Lines may be about the suite, with the keys that a suite has; each further line is a
case. A file that starts with a case is recognised by its name, ``….suite.jsonl``.
"""

from __future__ import annotations

import codecs
import gc
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, FormatError, Problem
from rankgate.io.problems import SHOWN
from rankgate.io.text import read_lines
from rankgate.io.yaml import Document, Items, Table, parse_yaml, read_yaml
from rankgate.model import GATING_SOURCES, Case, GateText, Suite

if TYPE_CHECKING:
    from rankgate.suites.formats import ReadOptions
    from rankgate.suites.schema import SuiteContext

DEPTH = 10
"""The cut of the default metric, unless the suite asks for fewer results."""
LONGEST = 1_000_000
"""The longest line of JSON Lines, in bytes."""
LARGEST = 64_000_000
"""The largest file of JSON Lines, in bytes."""
CASES = 100_000
"""The largest number of cases."""
_SLUG_LENGTH = 60
_JOINERS = "\u200c\u200d"
_NAME = re.compile(
    r"(?P<name>.*?)(?P<suite>\.suite)?\.(?:jsonl|ndjson)(?:\.gz|\.zst)?\Z", re.IGNORECASE | re.DOTALL
)
_START = re.compile(rb'\s*\{\s*"version"\s*:\s*1\b')


def read_native(path: str | Path, reading: ReadOptions | None = None) -> Suite:
    """Read a suite in YAML or JSON.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: with all problems of the file, each with its position.
    """
    with _uncollected():
        return suite_from(read_yaml(path), Path(path).stem, reading)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Pause the garbage collector, which else takes half of the time to look at millions of new values."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def parse_suite(text: str, path: Path, reading: ReadOptions | None = None) -> Suite:
    """Read a suite from the text of its file.

    Raises:
        FormatError: with all problems of the text, each with its position.
    """
    return suite_from(parse_yaml(text, str(path)), path.stem, reading)


def read_jsonl(path: str | Path, reading: ReadOptions | None = None) -> Suite:
    """Read a suite in JSON Lines.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: with all problems of the file, each with its position.
    """
    lines: list[Document] = []
    problems: list[Problem] = []
    for number, line in enumerate(read_lines(path, longest=LONGEST, limit=LARGEST), 1):
        try:
            text = (line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).decode()
            if text and not text.isspace():
                lines.append(parse_yaml(text, str(path), number))
                problems += lines[-1].problems
        except UnicodeDecodeError as error:
            found = f"byte 0x{error.object[error.start]:02x}, which is not UTF-8"
            problems.append(Code.NOT_UTF8(f"{path}:{number}", found, "UTF-8 text", "save the file as UTF-8"))
        except FormatError as error:
            problems += error.problems
        if len(problems) > SHOWN or len(lines) > CASES + 1:
            break
    about: Any = lines[0].data if lines else None
    has_settings = isinstance(about, Table) and "query" not in about
    if has_settings and "cases" in about:
        where = lines[0].where(("cases",), key=True)
        said = f"{where}: the first line has the settings only. Write each case in a line of its own."
        problems.append(Code.UNKNOWN_KEY(where, "", "", "", said))
    cases, suite = Items(), Table()
    cases.marks, suite.marks = [], {}
    for one in lines[1:] if has_settings else lines:
        cases.append(one.data)
        cases.marks.append(one.mark)
    if has_settings:
        suite.update(about)
        suite.marks |= about.marks
    start = cases.marks[0] if cases.marks else 0
    suite["cases"], suite.marks["cases"] = cases, (start, start)
    named = _NAME.match(Path(path).name)
    name = (named and named["name"]) or Path(path).stem
    return suite_from(Document(str(path), suite, 0, tuple(problems)), name, reading)


def suite_from(document: Document, name: str, reading: ReadOptions | None = None) -> Suite:
    """Return the suite that the data of a file describes.

    Args:
        document: The data.
        name: The name of the suite, if it has none.
        reading: What the reader is told; its corpus replaces the suite's.

    Raises:
        FormatError: with all problems of the data.
    """
    from rankgate.io.typed import InvalidError, raise_all, read
    from rankgate.suites.schema import SuiteKeys

    data = document.data
    if not isinstance(data, dict):
        where = document.where()
        said = (
            f"{where}: the file is not a suite. A suite has at least `cases:`, each with `query:` and `at:`."
        )
        raise FormatError(Code.NO_CASES(where, "no suite", "a suite", "", said))
    if "cases" in data and not data["cases"]:
        if document.problems:  # The lines that could not be read may be its cases.
            raise_all(list(document.problems), document.file)
        where = document.where(("cases",)) if document.mark else document.file
        said = f"{where}: the suite has no cases. A case has at least `query:` and `at:`."
        raise FormatError(Code.NO_CASES(where, "no cases", "cases", "", said))
    if len(_listed(data.get("cases"))) > CASES:
        where = document.where(("cases",)) if document.mark else document.file
        said = f"{where}: the suite has more than {CASES:,} cases. Split it, or use `rankgate score`."
        raise FormatError(Code.TOO_LARGE(where, f"more than {CASES} cases", f"at most {CASES}", "", said))
    problems: list[Problem] = []
    written = {key: _names(document, key, problems) for key in ("cases", "scenarios", "invariants")}
    gates = [
        GateText(str(text), document.where(("gates", number)))
        for number, text in enumerate(_listed(data.get("gates")))
        if isinstance(text, str)
    ]
    metrics = [GateText(text, where) for text, where in _metrics(document)]
    if reading is not None and reading.check is not None:
        problems += reading.check(gates, metrics)
    keys = read(document, SuiteKeys, suite_context(data, reading), problems=problems)
    cases: list[Case] = []
    names = TakenNames(filter(None, written["cases"]))
    for number, (one, written_name) in enumerate(zip(keys.cases, written["cases"], strict=True)):
        where = document.where(("cases", number))
        try:
            cases.append(one.case(written_name or names.made(one.query, one.filters), where))
        except InvalidError as error:
            problems.append(error.code(where, "", "", "", f"{where}: {error}"))
    raise_all(problems, document.file)
    names = TakenNames(filter(None, written["invariants"]))
    return Suite(
        name=keys.name or name,
        cases=tuple(cases),
        metrics=default_metrics(keys.k) if keys.metrics is None else tuple(chain(*keys.metrics)),
        gates=tuple(gates),
        matching=keys.matching(),
        max_grade=keys.scale,
        corpus=(reading.corpus if reading is not None else None) or keys.corpus,
        k=keys.k,
        map_rules=keys.rules(),
        scenarios=tuple(
            one.scenario(lambda *path, at=at: document.where(("scenarios", at, *path)))
            for at, one in enumerate(keys.scenarios)
        ),
        invariants=tuple(
            one.invariant(
                given or names.free(usual_name(one.kind, one.texts())), document.where(("invariants", at))
            )
            for at, (one, given) in enumerate(zip(keys.invariants, written["invariants"], strict=True))
        ),
        unlisted=keys.unlisted,
        no_relevant=keys.no_relevant,
        gating_sources=tuple(dict.fromkeys(keys.gating_sources or GATING_SOURCES)),
        guidelines=keys.guidelines,
        show=tuple(keys.show or ()),
        path=document.file,
    )


def suite_context(data: Mapping[str, Any], reading: ReadOptions | None = None) -> SuiteContext:
    """Return what the meaning of targets depends on, also if other keys are invalid."""
    from rankgate.io.typed import number_from
    from rankgate.suites.schema import RECORDS, SuiteContext

    corpus = data.get("corpus")
    kind = reading.corpus.kind if reading is not None and reading.corpus is not None else None
    if kind is None and isinstance(corpus, dict):
        kind = next((key for key in corpus if key in RECORDS), None)
    has_corpus = corpus is not None or kind is not None
    scale = data.get("scale")
    try:
        top = None if scale is None else number_from(scale.get("max") if isinstance(scale, dict) else scale)
    except ValueError:
        top = None
    return SuiteContext(has_corpus=has_corpus, records=kind if kind in RECORDS else None, max_grade=top)


def default_metrics(k: int | None) -> tuple[str, ...]:
    """Return the metrics of a suite that names none and asks for so many results.

    >>> default_metrics(None), default_metrics(3)
    (('ndcg@10',), ('ndcg@3',))
    """
    return (f"ndcg@{DEPTH if k is None else min(k, DEPTH)}",)


def _metrics(document: Document) -> Iterator[tuple[str, str]]:
    """Return the text and position of every metric that is a text."""
    for number, one in enumerate(_listed(document.data.get("metrics"))):
        if isinstance(one, dict):
            for key, text in one.items():
                if isinstance(text, str):
                    yield f"{key} = {text}", document.where(("metrics", number, key))
        elif isinstance(one, str):
            yield str(one), document.where(("metrics", number))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _names(document: Document, key: str, problems: list[Problem]) -> list[str | None]:
    """Return the names that are written, and report those that occur twice."""
    names: list[str | None] = []
    first: dict[str, int] = {}
    for number, item in enumerate(_listed(document.data.get(key))):
        name = item.get("name") if isinstance(item, dict) else None
        names.append(str(name) if isinstance(name, str) else None)
        if isinstance(name, str) and first.setdefault(name, number) != number:
            where = document.where((key, number, "name"))
            other = document.where((key, first[name], "name")).split(":")
            at = f" first in line {other[-2]}." if len(other) > 2 else ""
            said = f"{where}: the name `{name:.80}` occurs twice,{at} Names must be unique."
            problems.append(Code.REPEATED(where, f"`{name:.80}`", "a unique name", "", said))
    return names


def slug(query: str) -> str:
    """Make a name of a query: its letters, marks and digits in lower case, with dashes between.

    >>> slug("Rotate an API key!"), slug("कुंजी कैसे बदलें?")
    ('rotate-an-api-key', 'कुंजी-कैसे-बदलें')
    """
    plain = unicodedata.normalize("NFKC", query).casefold()
    if plain.isascii():
        return re.sub("[^a-z0-9]+", "-", plain).lstrip("-")[:_SLUG_LENGTH].strip("-") or "case"
    made: list[str] = []
    for char in plain:
        # The vowel signs of Hindi, Thai or Arabic are marks: without them, names are other words.
        marks = unicodedata.category(char) in ("Mn", "Mc") and made and made[-1] != "-"
        if char.isalnum() or marks:
            made.append(char)
        elif char not in _JOINERS and made and made[-1] != "-":
            made.append("-")
    return "".join(made)[:_SLUG_LENGTH].strip("-") or "case"


def usual_name(relation: str, asked: Sequence[str]) -> str:
    """Make a name of a relation and its queries.

    >>> usual_name("same-results", ["log in", "login"])
    'same-results-log-in-login'
    """
    if relation in ("single-term-no-bonus", "rare-term"):
        asked = asked[-1:]
    return slug(" ".join([relation, *dict.fromkeys(asked)]))


class TakenNames:
    """The names that are taken. Names that are made give way to those that are written."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._numbers: Counter[str] = Counter()

    def made(self, query: str, filters: Mapping[str, str | Sequence[str]]) -> str:
        """Make a name of a query; if it is taken, of the query and the values of its filters."""
        name = slug(query)
        if name in self._taken and filters:
            values = [one if isinstance(one, str) else " ".join(one) for one in filters.values()]
            name = slug(f"{name[: _SLUG_LENGTH - 20]} {' '.join(values)}")
        return self.free(name)

    def free(self, name: str) -> str:
        """Return a name, with a number if it is taken, and take it."""
        free = name
        while free in self._taken:
            # The count goes on where it stopped, so that many are quick.
            self._numbers[name] += 1
            free = f"{name}-{self._numbers[name] + 1}"
        self._taken.add(free)
        return free


def recognise_jsonl(path: Path, start: bytes) -> bool:
    """Check by the name of a file and its first bytes whether it is a suite in JSON Lines."""
    named = _NAME.match(path.name)
    if named is None or named["suite"] is not None:
        return named is not None
    line, end, _ = start.removeprefix(codecs.BOM_UTF8).lstrip().partition(b"\n")
    if not end:  # the line about the suite goes on
        return _START.match(line) is not None
    try:
        about = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(about, dict) and "version" in about and not {"query", "cases"} & set(about)

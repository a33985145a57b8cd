"""Queries that stand in the text they should find, and hard cases whose query gives its answer away.

A query that stands word for word in its target asks for its own words, which any search finds. That is meant
where a case is marked `exact` (its category, a tag, or the value of a tag), where the query is a single word
or identifier, and where the target is a symbol (``path::name``) and the query is its name.

A case is hard if its category, a tag or the value of a tag is `hard`. Its query should share no content stem
with the names of its best targets (the segments of the path, the titles and symbols that begin in their
lines, and the innermost that holds them) nor with the comments and docstrings there.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rankgate.truth.lint.comments import comments
from rankgate.truth.lint.context import LintRemark, Severity, marked, quoted, rule
from rankgate.truth.locations.corpus_reader import DocumentText
from rankgate.truth.words import STOPWORDS, fold, name_words, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.model import Case
    from rankgate.outline import OutlineNode
    from rankgate.truth.lint.context import LintContext
    from rankgate.truth.locations.lookup import Spot
    from rankgate.truth.words import Stems


WORDS, SHORT_WORDS, LETTERS = 3, 2, 12
"""A query is looked for if it has three words, or two words and twelve characters."""


@rule("leak", Severity.WARNING, "the text of a target holds the query word for word", needs_corpus=True)
def leak(context: LintContext) -> Iterator[LintRemark]:
    """Look for each query in the texts of its relevant targets; each case is told once."""
    folded = {
        case.id: text
        for case, text in zip(context.cases, context.folded, strict=True)
        if _says_enough(case.query) and not marked(case, "exact")
    }
    told: set[str] = set()
    document, text = None, DocumentText("")
    for name, wanted, spot in context.relevant():
        case = wanted.case
        if case.id not in folded or case.id in told:
            continue
        if name != document:
            document, text = name, DocumentText(plain(context.reader.text_of(name).whole))
        if _holds(text, spot, folded[case.id]) and not _is_name(case):
            told.add(case.id)
            found = f"the query {quoted(case.query)} word for word in '{wanted.location}'"
            fix = "ask as someone would who has not read the text, or mark the case exact"
            yield LintRemark(found, "a query in other words than its answer", fix, case)


def _says_enough(query: str) -> bool:
    words = len(query.split())
    return words >= WORDS or (words >= SHORT_WORDS and len(query.strip()) >= LETTERS)


def _holds(text: DocumentText, spot: Spot, query: str) -> bool:
    start, end = text.offsets(spot.start, spot.end)
    # Nearly every text lacks a word of the query, and is not split into words.
    if any(text.whole.find(word, start, end) < 0 for word in query.split()):
        return False
    return f" {query} " in f" {fold(text.whole[start:end])} "


def _is_name(case: Case) -> bool:
    """Check whether a query is the name of a symbol that it should find: whoever uses it names it, too."""
    query = name_words(case.query)
    symbols = (target.location.symbol for target in case.targets if target.grade > 0)
    return any(
        query in (name_words(symbol), name_words(symbol.rpartition(".")[2]))
        for symbol in symbols
        if symbol is not None
    )


ANYWHERE = frozenset({"doc", "docs", "index", "init", "lib", "main", "src", "test", "tests"})
"""Segments of paths that say where a file is and not what is in it."""

_MOST_SHOWN = 3


@dataclass(frozen=True, slots=True, order=True)
class Trace:
    """Where a stem stands."""

    line: int
    """The line; 0 for the path."""
    what: str
    """What it stands in, for people."""


@rule(
    "hard-leak",
    Severity.WARNING,
    "a hard query shares words with the names or comments of its target",
    needs_corpus=True,
)
def hard_leak(context: LintContext) -> Iterator[LintRemark]:
    """Compare each hard query with the names and comments of its best targets; each case is told once."""
    hard = {case.id: _stems(case.query, context.stems) for case in context.cases if marked(case, "hard")}
    best = {case.id: max((each.grade for each in case.targets), default=0.0) for case in context.cases}
    shared: dict[str, dict[str, str]] = {}
    cases: dict[str, Case] = {}
    document: str | None = None
    traces: dict[str, list[Trace]] = {}
    nodes: tuple[OutlineNode, ...] = ()
    for name, wanted, spot in context.relevant():
        # What is merely related may be easy to find: that makes the answer no easier.
        if wanted.case.id not in hard or wanted.target is None or wanted.target.grade < best[wanted.case.id]:
            continue
        if name != document:
            document = name
            nodes = () if spot.path is None else context.reader.lookup.nodes(name)
            traces = _traces(name, context.reader.text_of(name).whole, nodes, context.stems)
        cases[wanted.case.id] = wanted.case
        common = {stem: word for stem, word in hard[wanted.case.id].items() if stem in traces}
        around = _holding(spot, nodes) if common else None
        for stem, word in common.items():
            if trace := _trace(traces[stem], spot, around):
                at = name if trace.line == 0 else f"{name}:{trace.line}"
                shared.setdefault(wanted.case.id, {}).setdefault(stem, f"{word!r} in {trace.what}, {at}")
    for identity, told in shared.items():
        case, more = cases[identity], len(told) - _MOST_SHOWN
        words = "; ".join(list(told.values())[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")
        found = f"the hard query {quoted(case.query)} with words of its target: {words}"
        fix = "say it in other words, or do not call it hard"
        yield LintRemark(found, "no word of the target's names and comments", fix, case)


def _stems(text: str, stems: Stems) -> dict[str, str]:
    """Return the content stems of a text, each with a word that has it."""
    found: dict[str, str] = {}
    for word in name_words(text):
        if word not in STOPWORDS:
            found.setdefault(stems(word), word)
    return found


def _traces(path: str, text: str, nodes: Sequence[OutlineNode], stems: Stems) -> dict[str, list[Trace]]:
    """Find every stem of a file's names and comments, in the order of lines."""
    found: list[tuple[str, Trace]] = []
    parts = PurePosixPath(path)
    for segment in (*parts.parts[:-1], parts.stem):
        found += (
            (stem, Trace(0, f"the path {path!r}"))
            for stem, word in _stems(segment, stems).items()
            if word not in ANYWHERE
        )
    for node in nodes:
        if node.kind != "document":
            found += ((stem, _named(node)) for stem in _stems(node.name, stems))
    for line, comment in comments(path, text):
        found += ((stem, Trace(line, "a comment")) for stem in _stems(comment, stems))
    traces: dict[str, list[Trace]] = {}
    for stem, trace in sorted(found, key=lambda each: each[1]):
        traces.setdefault(stem, []).append(trace)
    return traces


def _trace(traces: Sequence[Trace], spot: Spot, around: Trace | None) -> Trace | None:
    """Return the first trace that a target shows: in its path, in its lines, or in the name around them."""
    if traces[0].line == 0 or spot.start is None or spot.end is None:
        return traces[0]
    at = bisect_left(traces, Trace(spot.start, ""))
    if at < len(traces) and traces[at].line <= spot.end:
        return traces[at]
    return around if around in traces else None


def _holding(spot: Spot, nodes: Sequence[OutlineNode]) -> Trace | None:
    """Return the name of the innermost piece of a file that holds some lines."""
    start, end = spot.start or 1, spot.end or 1
    around = (node for node in nodes if node.kind != "document" and node.start <= start and end <= node.end)
    inner = max(around, key=lambda node: (node.start, -node.end), default=None)
    return None if inner is None else _named(inner)


def _named(node: OutlineNode) -> Trace:
    return Trace(node.start, f"the {node.kind} {node.name!r}")

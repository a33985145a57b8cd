"""Hard cases whose query gives its answer away.

A case is hard if its category, a tag or the value of a tag is `hard`. Its query should share no content stem
with the names of its targets (the segments of the path, the titles and symbols that begin in the target's
lines, and the innermost that holds them) nor with the comments and docstrings there.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rankgate.truth.lint.asked import marked
from rankgate.truth.lint.comments import comments
from rankgate.truth.lint.finding import Severity
from rankgate.truth.lint.rule import Remark, Rule
from rankgate.truth.lint.subject import quoted
from rankgate.truth.lint.words import STOPWORDS, name_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.model.suite import Case
    from rankgate.outline import Node
    from rankgate.truth.lint.subject import Subject
    from rankgate.truth.lint.words import Stems
    from rankgate.truth.lookup import Spot

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


def check(subject: Subject) -> Iterator[Remark]:
    """Compare each hard query with the names and comments of its relevant targets; each case is told once."""
    hard = {case.id: _stems(case.query, subject.stems) for case in subject.cases if marked(case, "hard")}
    shared: dict[str, dict[str, str]] = {}
    cases: dict[str, Case] = {}
    document: str | None = None
    traces: dict[str, list[Trace]] = {}
    nodes: tuple[Node, ...] = ()
    for name, wanted, spot in subject.relevant():
        if wanted.case.id not in hard:
            continue
        if name != document:
            document = name
            nodes = () if spot.path is None else subject.passages.lookup.nodes(name)
            traces = _traces(name, subject.passages.text_of(name).whole, nodes, subject.stems)
        cases[wanted.case.id] = wanted.case
        common = {stem: word for stem, word in hard[wanted.case.id].items() if stem in traces}
        around = _holding(spot, nodes) if common else None
        for stem, word in common.items():
            if trace := _trace(traces[stem], spot, around):
                place = name if trace.line == 0 else f"{name}:{trace.line}"
                shared.setdefault(wanted.case.id, {}).setdefault(stem, f"{word!r} in {trace.what}, {place}")
    for identity, told in shared.items():
        yield _remark(cases[identity], told)


def _stems(text: str, stems: Stems) -> dict[str, str]:
    """Give the content stems of a text, each with a word that has it."""
    found: dict[str, str] = {}
    for word in name_words(text):
        if word not in STOPWORDS:
            found.setdefault(stems(word), word)
    return found


def _traces(path: str, text: str, nodes: Sequence[Node], stems: Stems) -> dict[str, list[Trace]]:
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
    """Give the first trace that a target shows: in its path, in its lines, or in the name around them."""
    if traces[0].line == 0 or spot.start is None or spot.end is None:
        return traces[0]
    at = bisect_left(traces, Trace(spot.start, ""))
    if at < len(traces) and traces[at].line <= spot.end:
        return traces[at]
    return around if around in traces else None


def _holding(spot: Spot, nodes: Sequence[Node]) -> Trace | None:
    """Give the name of the innermost piece of a file that holds some lines."""
    start, end = spot.start or 1, spot.end or 1
    around = (node for node in nodes if node.kind != "document" and node.start <= start and end <= node.end)
    inner = max(around, key=lambda node: (node.start, -node.end), default=None)
    return None if inner is None else _named(inner)


def _named(node: Node) -> Trace:
    return Trace(node.start, f"the {node.kind} {node.name!r}")


def _remark(case: Case, told: dict[str, str]) -> Remark:
    shown = list(told.values())
    more = f" and {len(shown) - _MOST_SHOWN} more" if len(shown) > _MOST_SHOWN else ""
    words = "; ".join(shown[:_MOST_SHOWN])
    found = f"the hard query {quoted(case.query)} with words of its target: {words}{more}"
    fix = "say it in other words, or do not call it hard"
    return Remark(found, "no word of the target's names and comments", fix, case)


RULE = Rule(
    "hard-leak",
    Severity.WARNING,
    "a hard query shares words with the names or comments of its target",
    check,
    needs_corpus=True,
)

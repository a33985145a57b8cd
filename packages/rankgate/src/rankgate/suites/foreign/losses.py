"""What a suite loses when it is written in a format that holds less."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import Code, FormatError
from rankgate.files.problems import Problems
from rankgate.model.suite import GATING_SOURCES, NO_RELEVANT, UNLISTED, Matching, Suite
from rankgate.model.wording import many, quoted
from rankgate.suites.foreign.case_collector import counted, names_of, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from rankgate.model.suite import Case, Target


_DEFAULT = Suite.__dataclass_fields__["metrics"].default

_OF_TARGETS: dict[str, tuple[Callable[[Target], object], str]] = {
    "lines": (lambda target: target.location.lines is not None, "{} line range{s} left out"),
    "headings": (lambda target: target.location.heading, "{} heading{s} left out"),
    "symbols": (lambda target: target.location.symbol is not None, "{} symbol{s} left out"),
    "quotes": (lambda target: target.location.quote is not None, "{} quote{s} left out"),
    "paths": (lambda target: target.location.path is not None, "{} path{s} written as opaque ids"),
    "ids": (
        lambda target: target.location.id is not None,
        "{} target{s} that name{v} an id, not a file, left out",
    ),
    "grades": (lambda target: target.grade > 0 and target.grade != 1, "{} grade{s} other than 1 left out"),
    "irrelevant": (lambda target: target.grade <= 0, "{} judgment{s} of not relevant left out"),
    "any_of": (lambda target: target.group, "{} any_of group{s}, written as targets of their own"),
    "sources": (lambda target: target.source not in {"import", "person"}, "{} source{s} left out"),
    "reviewed": (
        lambda target: not target.reviewed,
        "{} target{s} that nobody reviewed, written as if someone had",
    ),
}
_OF_CASES: dict[str, tuple[Callable[[Case], object], str]] = {
    "category": (lambda case: case.category is not None, "categories of {} case{s} left out"),
    "tags": (lambda case: case.tags, "tags of {} case{s} left out"),
    "groups": (lambda case: case.group is not None, "groups of {} case{s} left out"),
    "filters": (lambda case: case.filters, "filters of {} case{s} left out"),
    "weight": (lambda case: case.weight != 1, "weights of {} case{s} left out"),
    "sampled": (lambda case: case.sampled, "how {} case{s} were drawn from a log left out"),
    "top": (
        lambda case: case.top or case.targets_within is not None,
        "checks of the first results of {} case{s} left out",
    ),
    "exhaustive": (lambda case: case.exhaustive, "exhaustive marks of {} case{s} left out"),
    "xfail": (lambda case: case.xfail, "known misses of {} case{s} left out"),
    "answer": (lambda case: case.answer is not None, "expected answers of {} case{s} left out"),
    "notes": (lambda case: case.notes, "notes of {} case{s} left out"),
    "expect_empty": (lambda case: case.expect_empty, "{} case{s} that expect{v} no results left out"),
    "max_score": (lambda case: case.max_score is not None, "highest scores of {} case{s} left out"),
}
"""What a format may not hold, by the name that a format says so with: which are counted, and the words."""

_RATED = frozenset({"ids", "lines", "headings", "symbols", "grades", "irrelevant", "unlisted"})


def losses(suite: Suite, kept: Iterable[str], written: Sequence[Case] | None = None) -> tuple[str, ...]:
    """Return in words, with counts, what is not in a format that keeps only these names.

    Args:
        suite: What was written.
        kept: What the format holds.
        written: The cases as they will be read; without it, all that have targets.

    >>> from rankgate.model.suite import Case
    >>> losses(Suite("s", (Case("a", "a", category="exact"),)), {"empty"})
    ('categories of 1 case left out',)
    """
    if written is None:
        written = [case for case in suite.cases if case.targets]
    targets = [target for case in suite.cases for target in case.targets]
    counts = {name: sum(map(bool, map(holds, targets))) for name, (holds, _) in _OF_TARGETS.items()}
    counts["any_of"] = len(
        {(case.id, each.group) for case in suite.cases for each in case.targets if each.group}
    )
    named = zip(written, names_of([case.query for case in written]), strict=True)
    counts["ids of cases"] = sum(case.id != name for case, name in named)
    counts |= {name: sum(map(bool, map(holds, suite.cases))) for name, (holds, _) in _OF_CASES.items()}
    ids = {case.id for case in written}
    counts["empty"] = sum(case.id not in ids and not case.expects_nothing for case in suite.cases)
    words = {name: words for name, (_, words) in (_OF_TARGETS | _OF_CASES).items()} | {
        "ids of cases": "ids of {} case{s} left out",
        "empty": "{} case{s} without a target to write left out",
    }
    names = set(kept)
    said = [counted(words[name], count) for name, count in counts.items() if count and name not in names]
    said += [f"{words} left out" for name, words in _of_suite(suite).items() if name not in names]
    return tuple(said)


def refuse_nothing(written: Sequence[Case], path: Path, holds: str) -> None:
    """Refuse to write a file without any case, which no reader takes.

    Raises:
        FormatError: where no case is left.
    """
    if not written:
        fix = "write a format that holds them: `rankgate list formats` explains each"
        raise FormatError(Code.CANNOT_CONVERT(str(path), "no case that this format holds", holds, fix))


def _of_suite(suite: Suite) -> Mapping[str, str]:
    said = {
        "gates": f"{len(suite.gates)} gate{'' if len(suite.gates) == 1 else 's'}" if suite.gates else "",
        "metrics": f"the metrics {', '.join(suite.metrics)}" if suite.metrics != _DEFAULT else "",
        "matching": "the rules of matching" if suite.matching != Matching() else "",
        "scale": "" if suite.max_grade is None else f"the top of the scale ({suite.max_grade:g})",
        "corpus": "" if suite.corpus is None else f"the corpus ({suite.corpus})",
        "k": "" if suite.k is None else f"how many hits to ask for ({suite.k})",
        "map": f"{len(suite.map_rules)} map rules" if suite.map_rules else "",
        "scenarios": many(len(suite.scenarios), "scenario") if suite.scenarios else "",
        "invariants": many(len(suite.invariants), "invariant") if suite.invariants else "",
        "unlisted": "" if suite.unlisted == UNLISTED[0] else f"unlisted: {suite.unlisted}",
        "no_relevant": "" if suite.no_relevant == NO_RELEVANT[0] else f"no_relevant: {suite.no_relevant}",
        "sources": ""
        if suite.gating_sources == GATING_SOURCES
        else f"gating_sources: {', '.join(suite.gating_sources)}",
        "guidelines": f"the guidelines ({suite.guidelines})" if suite.guidelines else "",
        "show": f"show: {', '.join(suite.show)}" if suite.show else "",
    }
    return {name: words for name, words in said.items() if words}


Rows = tuple["Case", list[tuple[str, float]]]
"""A case, and its targets as they are written, with their grades."""


def merged(written: Iterable[Rows], path: Path, plain: Callable[[str], str] = str) -> tuple[str, ...]:
    """Return how many cases become part of another when they are read.

    Args:
        written: The cases with what is written of them.
        path: The file they go to.
        plain: How the format's reader takes a text; that of CSV strips it.

    Raises:
        FormatError: for a target that gets two grades so, which no reader takes.
    """
    problems = Problems(str(path))
    first: dict[str, Case] = {}
    said: dict[tuple[str, str], tuple[float, str]] = {}
    more = 0
    for case, targets in written:
        query = plain(case.query)
        more += first.setdefault(query, case) is not case
        for name, grade in targets:
            before, other = said.setdefault((query, plain(name)), (grade, case.id))
            if before != grade:
                found = f"{quoted(name)} with grade {grade:g} in case {quoted(case.id)}"
                expected = f"one grade a query; case {quoted(other)} of the same query has {before:g}"
                fix = "decide which is right, or write a format that keeps cases apart"
                problems.add(Code.CANNOT_CONVERT(str(path), found, expected, fix))
    problems.check()
    return told((more, "{} case{s} of a query that another case has, merged when read"))


def rated(suite: Suite, path: Path, plain: Callable[[str], str] = str) -> tuple[list[Rows], tuple[str, ...]]:
    """Return the cases that have targets, with those by their names and grades alone, and what that loses.

    Raises:
        FormatError: where no case is left, and for what `merged` refuses.
    """
    written = [case for case in suite.cases if case.targets]
    refuse_nothing(written, path, "a case with targets")
    rows = [(case, [(str(each.location), each.grade) for each in case.targets]) for case in written]
    more = merged(rows, path, plain)
    return rows, (*losses(suite, _RATED, written), *more)

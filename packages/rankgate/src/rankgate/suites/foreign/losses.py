"""What a suite loses when it is written in a format that holds less."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import FormatError, Problem
from rankgate.files.problems import Problems
from rankgate.model.suite import Matching, Suite
from rankgate.model.wording import many, quoted
from rankgate.suites.foreign.case_collector import names_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from rankgate.model.suite import Case


_DEFAULT = Suite.__dataclass_fields__["metrics"].default


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
    names = set(kept)
    if written is None:
        written = [case for case in suite.cases if case.targets]
    counted = {**_of_targets(suite), **_of_cases(suite, written)}
    said = [
        words.format(n=count, s="" if count == 1 else "s", v="s" if count == 1 else "")
        for name, (count, words) in counted.items()
        if count and name not in names
    ]
    said += [f"{words} left out" for name, words in _of_suite(suite).items() if name not in names]
    return tuple(said)


def refuse_nothing(written: Sequence[Case], path: Path, holds: str) -> None:
    """Refuse to write a file without any case, which no reader takes.

    Raises:
        FormatError: where no case is left.
    """
    if not written:
        fix = "write a format that holds them: `rankgate list formats` explains each"
        raise FormatError(Problem(str(path), "no case that this format holds", holds, fix))


def _of_targets(suite: Suite) -> Mapping[str, tuple[int, str]]:
    targets = [target for case in suite.cases for target in case.targets]
    places = [target.location for target in targets]
    groups = {(case.id, target.group) for case in suite.cases for target in case.targets if target.group}
    return {
        "lines": (sum(place.lines is not None for place in places), "{n} line range{s} left out"),
        "headings": (sum(bool(place.heading) for place in places), "{n} heading{s} left out"),
        "symbols": (sum(place.symbol is not None for place in places), "{n} symbol{s} left out"),
        "paths": (sum(place.path is not None for place in places), "{n} path{s} written as opaque ids"),
        "ids": (
            sum(place.id is not None for place in places),
            "{n} target{s} that name{v} an id, not a file, left out",
        ),
        "grades": (
            sum(target.grade > 0 and target.grade != 1 for target in targets),
            "{n} grade{s} other than 1 left out",
        ),
        "irrelevant": (
            sum(target.grade <= 0 for target in targets),
            "{n} judgment{s} of not relevant left out",
        ),
        "any_of": (len(groups), "{n} any_of group{s}, written as targets of their own"),
        "matches": (
            sum(target.matches is not None for target in targets),
            "{n} number{s} of matches left out",
        ),
        "anchors": (sum(target.anchor is not None for target in targets), "{n} anchor{s} left out"),
        "sources": (
            sum(target.source not in {"import", "person"} for target in targets),
            "{n} source{s} left out",
        ),
        "reviewed": (
            sum(not target.reviewed for target in targets),
            "{n} target{s} that nobody reviewed, written as if someone had",
        ),
    }


def _of_cases(suite: Suite, written: Sequence[Case]) -> Mapping[str, tuple[int, str]]:
    cases = suite.cases
    left = {case.id for case in written}
    return {
        "ids of cases": (
            sum(case.id != name for case, name in zip(written, names_of(written), strict=True)),
            "ids of {n} case{s} left out",
        ),
        "category": (sum(case.category is not None for case in cases), "categories of {n} case{s} left out"),
        "tags": (sum(bool(case.tags) for case in cases), "tags of {n} case{s} left out"),
        "groups": (sum(case.group is not None for case in cases), "groups of {n} case{s} left out"),
        "filters": (sum(bool(case.filters) for case in cases), "filters of {n} case{s} left out"),
        "weight": (sum(case.weight != 1 for case in cases), "weights of {n} case{s} left out"),
        "top": (sum(bool(case.top) for case in cases), "checks of the first hits of {n} case{s} left out"),
        "exhaustive": (sum(case.exhaustive for case in cases), "exhaustive marks of {n} case{s} left out"),
        "xfail": (sum(case.xfail is not None for case in cases), "known misses of {n} case{s} left out"),
        "answer": (
            sum(case.answer is not None for case in cases),
            "expected answers of {n} case{s} left out",
        ),
        "notes": (sum(bool(case.notes) for case in cases), "notes of {n} case{s} left out"),
        "expect_empty": (
            sum(case.expect_empty for case in cases),
            "{n} case{s} that expect{v} no hit left out",
        ),
        "empty": (
            sum(case.id not in left and not case.expect_empty for case in cases),
            "{n} case{s} without a target to write left out",
        ),
    }


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
        "estimated": "allow_estimated" if suite.allow_estimated else "",
        "inconclusive": f"on_inconclusive: {suite.on_inconclusive}"
        if suite.on_inconclusive != "fail"
        else "",
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
                problems.add(Problem(str(path), found, expected, fix))
    problems.check()
    words = f"{more} case{'' if more == 1 else 's'} of a query that another case has, merged when read"
    return (words,) if more else ()

"""The annotations of CodeSearchNet: CSV of ``Language,Query,GitHubUrl,Relevance,Notes``.

A query is asked once a language, so each pair of the two is a case, tagged with its language. Targets are
URLs, which are opaque ids. Several people judged one pair, and where they disagree the file is refused
unless the option ``judges`` says how to settle it: ``mean``, ``max`` or ``min``.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, InputError, Problem
from rankgate.model.wording import quoted
from rankgate.suites.foreign.case_collector import CaseCollector, collected, counted
from rankgate.suites.foreign.csv_rows import header_of, read_rows
from rankgate.suites.formats import SuiteFormat
from rankgate.suites.native.cases import slug

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from rankgate.suites.foreign.csv_rows import Row
    from rankgate.suites.formats import ReadOptions


_Pair = tuple[str, str, str]

HEADER = ("Language", "Query", "GitHubUrl", "Relevance")
"""The columns it needs."""
JUDGES: dict[str, Callable[[Sequence[float]], float]] = {"mean": fmean, "max": max, "min": min}
"""How several grades of one pair become one."""


@collected
def read_codesearchnet(cases: CaseCollector) -> dict[str, Any]:
    """Read the annotations."""
    settle = _settle(cases.reading)
    _, rows = read_rows(cases.path, cases.problems, set(HEADER).issubset, ",".join(HEADER))
    said: dict[_Pair, list[tuple[float, Row]]] = {}
    for row in rows:
        language, query, url, label = (row.cells[name] for name in HEADER)
        grade = cases.grades.grade(label)
        if not (language and query and url):
            cases.wrong(row.where, "an empty cell", ", ".join(HEADER))
        elif grade is not None:
            said.setdefault((language, query, url), []).append((grade, row))
    torn = [pair for pair, grades in said.items() if len({grade for grade, _ in grades}) > 1]
    if torn and settle is None:
        cases.problems.add(_torn(cases.path, torn, said))
    drafts = {}
    for (language, query, url), grades in said.items():
        where = grades[0][1].where
        if (language, query) not in drafts:
            drafts[language, query] = cases.case(
                query, where, id=f"{slug(query)}-{slug(language)}", tags=frozenset({f"language={language}"})
            )
        draft = drafts[language, query]
        if settle is None and len({grade for grade, _ in grades}) == 1:
            for grade, row in grades:
                cases.target(draft, cases.id(url, row.where), grade, row.where)
        elif settle is not None:
            cases.target(draft, cases.id(url, where), settle([grade for grade, _ in grades]), where)
            if len({grade for grade, _ in grades}) > 1:
                cases.note(f"{{}} pair{{s}} judged differently, settled by {cases.reading.options['judges']}")
            cases.note("{} further judgment{s} of one pair merged", len(grades) - 1)
    return {}


def _torn(path: Path, torn: Sequence[_Pair], said: Mapping[_Pair, Sequence[tuple[float, Row]]]) -> Problem:
    """Return once of all the pairs that people judged differently, with the first as an example."""
    language, query, url = torn[0]
    grades = " and ".join(f"{grade:g} at {row.where}" for grade, row in said[torn[0]][:3])
    count = counted("{} pair{s}", len(torn))
    example = f"{quoted(query, 60)} in {language[:40]} with {url[:120]}: {grades}"
    found = f"{count} judged differently, such as {example}"
    return Code.WRONG_FORMAT(
        str(path), found, "one grade a pair", "settle them: --option judges=mean (or max, min)"
    )


def _settle(reading: ReadOptions) -> Callable[[Sequence[float]], float] | None:
    name = reading.options.get("judges")
    if name is not None and name not in JUDGES:
        raise InputError(Code.WRONG_OPTION("option judges", repr(name), f"one of {', '.join(JUDGES)}"))
    return None if name is None else JUDGES[name]


FORMAT = SuiteFormat(
    "codesearchnet",
    "the annotations of CodeSearchNet, in CSV",
    read_codesearchnet,
    lambda _path, start: set(HEADER) <= set(header_of(start)),
    options={"judges": "mean, max or min: how to settle what several people judged differently"},
)

"""From judgments back to a suite: one case a query, its targets as they were judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.files.problems import Problems
from rankgate.model.places import Lines, Location
from rankgate.model.suite import Case, Suite, Target
from rankgate.suites.gathering import corpus_for
from rankgate.suites.grades import Grades
from rankgate.truth.exporting import named_targets

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from rankgate.model.suite import CorpusSource
    from rankgate.truth.judgments import Judgments


def suite_of(
    judgments: Judgments,
    name: str,
    *,
    texts: Mapping[str, str] | None = None,
    grades: Mapping[str, float] | None = None,
    path: str | None = None,
    corpus: CorpusSource | None = None,
) -> Suite:
    """Make a suite of judgments; a query without a text is asked by its id, and a note says so.

    Args:
        judgments: What was judged.
        name: What to call the suite.
        texts: The texts of queries that the judgments do not have, by id.
        grades: What each grade is worth; without it grades are taken as they are.
        path: The file they come from.
        corpus: What the targets are in; left out, with a note, where they cannot be.

    Raises:
        FormatError: for a grade that `grades` does not name.
    """
    worth = _worth(judgments, grades or {}, path or name)
    targets: dict[str, list[Target]] = {}
    named = named_targets(judgments)
    for row in named.iter_rows(named=True):
        targets.setdefault(row["query"], []).append(_target(row, worth[row["grade"]]))
    textless = 0
    cases = []
    for row in judgments.cases.iter_rows(named=True):
        text = (texts or {}).get(row["query"]) or row["text"] or None
        textless += text is None
        cases.append(_case(row, text, tuple(targets.get(row["query"], ()))))
    said = [f"{textless} queries without a text are asked by their ids"] if textless else []
    if estimated := judgments.targets.height - named.height:
        said.append(f"{estimated} estimated labels left out")
    kept, more = corpus_for(corpus, cases)
    return Suite(
        name,
        tuple(cases),
        corpus=kept,
        matching=judgments.matching,
        max_grade=judgments.max_grade,
        path=path,
        notes=(*judgments.notes, *said, *more),
    )


def _worth(judgments: Judgments, grades: Mapping[str, float], where: str) -> dict[float, float]:
    problems = Problems(where)
    mapped = Grades(grades, problems)
    found = {
        grade: mapped.grade(grade) for grade in judgments.targets["grade"].unique().sort(descending=True)
    }
    mapped.check()
    problems.check()
    return {grade: worth for grade, worth in found.items() if worth is not None}


def _target(row: dict[str, Any], grade: float) -> Target:
    if row["id"] is not None:
        location = Location.of_id(row["id"])
    else:
        lines = None if row["start"] is None else Lines(row["start"], row["end"])
        location = Location(path=row["path"], lines=lines)
    return Target(
        location,
        grade,
        row["group"],
        source=row["source"],
        reviewed=row["reviewed"],
        matches=row["matches"],
    )


def _case(row: dict[str, Any], text: str | None, targets: tuple[Target, ...]) -> Case:
    return Case(
        row["query"],
        row["query"] if text is None else text,
        targets,
        weight=row["weight"],
        group=row["group"],
        category=row["category"],
        tags=frozenset(row["tags"]),
        exhaustive=row["exhaustive"],
        expect_empty=row["expect_empty"],
    )

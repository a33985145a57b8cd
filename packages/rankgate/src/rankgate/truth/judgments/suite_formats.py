"""Suites that come as judgments: BEIR folders and TREC qrels, one case a query.

BEIR keeps the texts of the queries beside the judgments, in ``queries.jsonl``; qrels have none, so the
option ``queries`` names a file of them. Without it a query is asked by its id, and a note says so. Ids of
queries become the ids of cases; queries without judgments are left out and counted.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.files.problems import Problems
from rankgate.model.locations import Lines, Location
from rankgate.model.suite import Case, Suite, Target
from rankgate.suites.foreign.case_collector import corpus_for
from rankgate.suites.foreign.grades import Grades
from rankgate.suites.foreign.losses import losses, refuse_nothing
from rankgate.suites.formats import SuiteFormat

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from rankgate.model.suite import CorpusSource
    from rankgate.suites.formats import ReadOptions
    from rankgate.truth.judgments.table import Judgments

_HEADER = b"query-id\tcorpus-id\tscore"
_GRADE = re.compile(rb"[-+]?\d+(\.\d+)?")
_LOOKED_AT = 20
_TOLD_OF_JUDGMENTS = frozenset(
    {
        "lines",
        "paths",
        "ids",
        "grades",
        "irrelevant",
        "any_of",
        "sources",
        "reviewed",
        "ids of cases",
        "category",
        "tags",
        "groups",
        "weight",
        "exhaustive",
        "expect_empty",
        "empty",
        "matching",
        "scale",
        "unlisted",
    }
)


def read_beir_suite(path: Path, reading: ReadOptions) -> Suite:
    """Read a BEIR folder, or its table of judgments alone.

    Raises:
        FormatError: with all that is wrong with the files.
    """
    from rankgate.truth.judgments.beir import read_beir

    return _suite(read_beir(path, reading.options.get("split", "test")), path, reading)


def read_trec_suite(path: Path, reading: ReadOptions) -> Suite:
    """Read TREC qrels, with the texts of the queries where the option names their file.

    Raises:
        FormatError: with all that is wrong with the files.
    """
    from rankgate.truth.judgments.trec_qrels import read_qrels

    return _suite(read_qrels(path), path, reading)


def write_beir_suite(suite: Suite, path: Path) -> tuple[str, ...]:
    """Write a BEIR folder without its corpus, and tell what it cannot hold."""
    from rankgate.truth.judgments.beir import write_beir

    return _written(suite, path, lambda judgments: write_beir(judgments, path))


def write_trec_suite(suite: Suite, path: Path) -> tuple[str, ...]:
    """Write TREC qrels, and tell what they cannot hold."""
    from rankgate.truth.judgments.trec_qrels import write_qrels

    return _written(suite, path, lambda judgments: write_qrels(judgments, path))


def _suite(judgments: Judgments, path: Path, reading: ReadOptions) -> Suite:
    from rankgate.truth.judgments.beir import read_texts

    given = reading.options.get("queries")
    texts = {name: text for name, text in (read_texts(Path(given)) if given else {}).items() if text}
    name = path.name.split(".")[0] or "suite"
    suite = suite_of(
        judgments, name, texts=texts, grades=reading.grades, path=str(path), corpus=reading.corpus
    )
    return replace(suite, unlisted="unjudged")


def _written(suite: Suite, path: Path, write: Callable[[Judgments], tuple[str, ...]]) -> tuple[str, ...]:
    from rankgate.truth.judgments.table import Judgments

    refuse_nothing([case for case in suite.cases if case.targets], path, "a case with targets")
    judgments = Judgments.from_suite(suite)
    return (*write(judgments), *judgments.notes, *losses(suite, _TOLD_OF_JUDGMENTS))


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
    from rankgate.truth.judgments.losses import named_targets

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
    if estimated := judgments.targets["text_hash"].count():
        said.append(f"{estimated} estimated labels left out")
    if gone := judgments.targets.height - named.height - estimated:
        said.append(f"{gone} targets that are gone left out")
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


def _is_beir(path: Path, start: bytes) -> bool:
    if path.is_dir():
        return (path / "qrels").is_dir()
    return start.removeprefix(b"\xef\xbb\xbf").startswith(_HEADER)


def _is_qrels(_path: Path, start: bytes) -> bool:
    """Recognise qrels by their lines of four words of which the last is a number; a run has six."""
    whole, _, _ = start.removeprefix(b"\xef\xbb\xbf").rpartition(b"\n")
    lines = [line.split() for line in (whole or start).split(b"\n") if not line.lstrip().startswith(b"#")]
    words = [line for line in lines if line][:_LOOKED_AT]
    return bool(words) and all(len(line) == 4 and _GRADE.fullmatch(line[3]) for line in words)


BEIR = SuiteFormat(
    "beir",
    "BEIR folders: qrels/test.tsv and queries.jsonl",
    read_beir_suite,
    _is_beir,
    write_beir_suite,
    {
        "split": "which table of qrels/ to read; test unless said",
        "queries": "a file of the texts of the queries, where they are not beside the judgments",
    },
)
TREC = SuiteFormat(
    "trec",
    "TREC qrels: lines of query, iteration, id and grade",
    read_trec_suite,
    _is_qrels,
    write_trec_suite,
    {"queries": "a file of the texts: lines of id, tab and text, or JSON lines of _id and text"},
)

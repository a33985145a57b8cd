"""Suites that come as judgments: BEIR folders and TREC qrels.

BEIR keeps the texts of the queries beside the judgments, in ``queries.jsonl``; qrels have none, so the
option ``queries`` names a file of them. Without it a query is asked by its id, and a note says so. Ids of
queries become the ids of cases; queries without judgments are left out and counted.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.suites.format import Format
from rankgate.suites.losses import losses, refuse_nothing

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate.model.suite import Suite
    from rankgate.suites.format import Reading
    from rankgate.truth.judgments import Judgments

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
        "matches",
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
    }
)


def read_beir_suite(path: Path, reading: Reading) -> Suite:
    """Read a BEIR folder, or its table of judgments alone.

    Raises:
        FormatError: with all that is wrong with the files.
    """
    from rankgate.truth.beir import read_beir

    return _suite(read_beir(path, reading.options.get("split", "test")), path, reading)


def read_trec_suite(path: Path, reading: Reading) -> Suite:
    """Read TREC qrels, with the texts of the queries where the option names their file.

    Raises:
        FormatError: with all that is wrong with the files.
    """
    from rankgate.truth.trec_qrels import read_qrels

    return _suite(read_qrels(path), path, reading)


def write_beir_suite(suite: Suite, path: Path) -> tuple[str, ...]:
    """Write a BEIR folder without its corpus, and tell what it cannot hold."""
    from rankgate.truth.beir import write_beir

    return _written(suite, path, lambda judgments: write_beir(judgments, path))


def write_trec_suite(suite: Suite, path: Path) -> tuple[str, ...]:
    """Write TREC qrels, and tell what they cannot hold."""
    from rankgate.truth.trec_qrels import write_qrels

    return _written(suite, path, lambda judgments: write_qrels(judgments, path))


def _suite(judgments: Judgments, path: Path, reading: Reading) -> Suite:
    from rankgate.truth.query_texts import read_texts
    from rankgate.truth.suite_of import suite_of

    given = reading.options.get("queries")
    texts = {name: text for name, text in (read_texts(Path(given)) if given else {}).items() if text}
    name = path.name.split(".")[0] or "suite"
    return suite_of(
        judgments, name, texts=texts, grades=reading.grades, path=str(path), corpus=reading.corpus
    )


def _written(suite: Suite, path: Path, write: Callable[[Judgments], tuple[str, ...]]) -> tuple[str, ...]:
    from rankgate.truth.judgments import Judgments

    refuse_nothing([case for case in suite.cases if case.targets], path, "a case with targets")
    judgments = Judgments.from_suite(suite)
    return (*write(judgments), *judgments.notes, *losses(suite, _TOLD_OF_JUDGMENTS))


def _is_beir(path: Path, start: bytes) -> bool:
    if path.is_dir():
        return (path / "qrels").is_dir()
    return start.removeprefix(b"\xef\xbb\xbf").startswith(_HEADER)


def _is_qrels(_path: Path, start: bytes) -> bool:
    """Tell qrels by their lines of four words of which the last is a number; a run has six."""
    whole, _, _ = start.removeprefix(b"\xef\xbb\xbf").rpartition(b"\n")
    lines = [line.split() for line in (whole or start).split(b"\n") if not line.lstrip().startswith(b"#")]
    words = [line for line in lines if line][:_LOOKED_AT]
    return bool(words) and all(len(line) == 4 and _GRADE.fullmatch(line[3]) for line in words)


BEIR = Format(
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
TREC = Format(
    "trec",
    "TREC qrels: lines of query, iteration, id and grade",
    read_trec_suite,
    _is_qrels,
    write_trec_suite,
    {"queries": "a file of the texts: lines of id, tab and text, or JSON lines of _id and text"},
)

"""TREC qrels: lines of query, iteration, id and grade."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rankgate.files.compressed import write_text
from rankgate.files.problems import Problems
from rankgate.files.words import numbers, read_words
from rankgate.truth.judgments.losses import grade_words, losses, named_targets, opaque_ids, refuse_unwritable
from rankgate.truth.judgments.table import Judgments

if TYPE_CHECKING:
    from pathlib import Path


def read_qrels(path: str | Path) -> Judgments:
    """Read qrels. The iteration is ignored, as trec_eval does; grades may be fractions.

    Raises:
        FormatError: with all that is wrong with the file.
    """
    notes: list[str] = []
    names = ("query", "iteration", "id", "grade")
    words = read_words(path, names, kind="a file of TREC qrels", notes=notes)
    problems = Problems(str(path))
    grades = numbers(words, "grade", path, problems)
    problems.check()
    targets = words.select("query", "id", grades, strategy=pl.lit("id"), source=pl.lit("import"))
    return Judgments.of(targets, where=str(path), notes=tuple(notes))


def write_qrels(judgments: Judgments, path: str | Path) -> tuple[str, ...]:
    """Write qrels and tell what they cannot hold.

    Raises:
        FormatError: for names with white space, which a line of words cannot hold.
    """
    targets = named_targets(judgments)
    frame = targets.select(
        "query",
        iteration=pl.lit("0"),
        id=opaque_ids(targets),
        grade=grade_words(targets["grade"]),
    )
    expected = "names without white space that do not start with #"
    refuse_unwritable(frame["query"], WORD_BREAKS + "|^#|^\ufeff", path, expected)
    refuse_unwritable(frame["id"], WORD_BREAKS, path, expected)
    write_text(path, (frame.write_csv(separator=" ", include_header=False, quote_style="never"),))
    return losses(judgments, frozenset())


WORD_BREAKS = r"[ \t\r\n\x0b\x0c\x00]|^$"
"""What no word can hold."""

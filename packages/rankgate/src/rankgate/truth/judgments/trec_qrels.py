"""TREC qrels: lines of query, iteration, id and grade."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rankgate.io.problems import Problems
from rankgate.io.words import numbers, read_words
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

"""What judgments lose when they are written in a format that holds less."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import Code, FormatError
from rankgate.files.paths import location_texts
from rankgate.model.suite import Matching
from rankgate.truth.judgments.checks import GONE

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.truth.judgments.table import Judgments


def named_targets(judgments: Judgments) -> pl.DataFrame:
    """Leave out the labels that are estimated, which name texts of a run, and targets that are gone."""
    return judgments.targets.filter(
        pl.col("text_hash").is_null() & (pl.col("strategy").fill_null("") != GONE)
    )


def opaque_ids(targets: pl.DataFrame) -> pl.Series:
    """Name every target by one word: its id, or its location spelt as text."""
    return targets.get_column("id").fill_null(location_texts(targets))


def refuse_unwritable(values: pl.Series, pattern: str, path: str | Path, what: str) -> None:
    """Refuse values that the format would read back as something else.

    Raises:
        FormatError: with some of them.
    """
    wrong = values.filter(values.str.contains(pattern)).unique(maintain_order=True)
    if wrong.len():
        shown = ", ".join(repr(value) for value in wrong.head(3))
        found = f"{wrong.len()} {values.name} values such as {shown}"
        raise FormatError(Code.CANNOT_CONVERT(str(path), found, what, "write JSONL or a folder instead"))


def losses(judgments: Judgments, kept: frozenset[str]) -> tuple[str, ...]:
    """Return in words, with counts, what is not in a format that keeps only these names."""
    targets, cases = named_targets(judgments), judgments.cases
    counts = {
        "lines": (targets["start"].is_not_null().sum(), "line ranges written as opaque ids"),
        "paths": (
            (targets["path"].is_not_null() & targets["start"].is_null()).sum(),
            "paths written as opaque ids",
        ),
        "group": (targets["group"].is_not_null().sum(), "targets lost their any_of group"),
        "source": ((targets["source"] != "import").sum(), "sources left out"),
        "reviewed": ((~targets["reviewed"]).sum(), "unreviewed targets written as if reviewed"),
        "gone": (_gone(judgments), "targets that are gone left out"),
        "estimated": (cases["estimated"].sum(), "cases with estimated labels left out"),
        "text": (cases["text"].is_not_null().sum(), "query texts left out"),
        "weight": ((cases["weight"] != 1).sum(), "case weights left out"),
        "exhaustive": (cases["exhaustive"].sum(), "exhaustive marks left out"),
        "category": (cases["category"].is_not_null().sum(), "categories left out"),
        "tags": ((cases["tags"].list.len() > 0).sum(), "lists of tags left out"),
        "case group": (cases["group"].is_not_null().sum(), "groups of cases left out"),
        "expect empty": (cases["expect_empty"].sum(), "cases that expect no hit left out"),
        "empty": (_without_targets(judgments), "cases without targets left out"),
    }
    said = [f"{count} {words}" for name, (count, words) in counts.items() if count and name not in kept]
    if judgments.matching != Matching():
        said.append("matching rules left out")
    if judgments.max_grade is not None:
        said.append(f"max_grade {judgments.max_grade:g} left out")
    return tuple(said)


def _gone(judgments: Judgments) -> int:
    return int((judgments.targets["strategy"].fill_null("") == GONE).sum())


def grade_words(grades: pl.Series) -> pl.Series:
    """Spell grades, whole ones as integers."""
    whole = (grades == grades.round()) & (grades.abs() < 2**53)
    integers = pl.when(whole).then(grades).otherwise(0).cast(pl.Int64).cast(pl.String)
    return pl.select(
        pl.when(whole).then(integers).otherwise(grades.cast(pl.String)).alias("grade")
    ).to_series()


def _without_targets(judgments: Judgments) -> int:
    untold = judgments.cases.filter(~pl.col("estimated") & ~pl.col("expect_empty"))
    return untold.join(judgments.targets.select("query"), on="query", how="anti").height

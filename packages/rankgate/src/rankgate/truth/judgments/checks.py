"""The checks that targets and cases pass before anything is scored by them."""

from __future__ import annotations

import polars as pl

from rankgate.errors import Problem
from rankgate.files.paths import lines_check, location_texts, normalise_paths
from rankgate.files.problems import Problems

ESTIMATED = "estimated"
"""The strategy of a label that was made from an expected answer."""
_LOCATION = ("id", "path", "start", "end", "text_hash")


def checked_cases(cases: pl.DataFrame, where: str) -> pl.DataFrame:
    """Check cases that fit their schema.

    Raises:
        FormatError: for queries without a name, said twice, or with a weight that is not positive.
    """
    problems = Problems(where)
    problems.add_repeats(
        cases.get_column("query"),
        lambda row: _problem(where, row, "more than one case", "one case a query"),
    )
    weight = pl.col("weight")
    problems.add_where(
        cases,
        (
            pl.col("query") == "",
            lambda row: _problem(where, row, "an empty query id", "an id for every query"),
        ),
        (
            ~(weight.is_finite() & (weight > 0)),
            lambda row: _problem(where, row, f"weight {row['weight']}", "a finite number above 0"),
        ),
    )
    problems.check()
    return cases


def checked_targets(targets: pl.DataFrame, cases: pl.DataFrame, where: str) -> tuple[pl.DataFrame, int]:
    """Check targets that fit their schema, merge those said twice, number them; also tell how many went.

    Raises:
        FormatError: with all that is wrong with them.
    """
    problems = Problems(where)
    targets = normalise_paths(targets, problems)
    _check_rows(targets, problems)
    _check_queries(targets, cases, problems)
    problems.check()
    targets, merged = _merge(targets, problems)
    problems.check()
    return _in_order(targets, cases), merged


def _in_order(targets: pl.DataFrame, cases: pl.DataFrame) -> pl.DataFrame:
    """Put the targets of a query together, queries in the order of their cases, and number the targets."""
    order = cases.lazy().select("query").with_row_index("case")
    together = targets.lazy().join(order, on="query", maintain_order="left").sort("case", maintain_order=True)
    number = pl.int_range(pl.len(), dtype=pl.UInt32).over("query").alias("target")
    return together.drop("case").with_columns(number).collect()


def check_rows(targets: pl.DataFrame, where: str) -> None:
    """Check what can be told from each row alone.

    Raises:
        FormatError: for grades that are not numbers, and targets without one location.
    """
    problems = Problems(where)
    _check_rows(targets, problems)
    problems.check()


def _check_rows(targets: pl.DataFrame, problems: Problems) -> None:
    where = problems.where
    problems.add_where(
        targets,
        (
            ~pl.col("grade").is_finite(),
            lambda row: _problem(where, row, f"grade {row['grade']}", "a finite number"),
        ),
        (
            pl.sum_horizontal(pl.col("id", "path", "text_hash").is_not_null()) != 1,
            lambda row: _problem(where, row, _named(row), "an id or a path"),
        ),
        (
            pl.col("id") == "",
            lambda row: _problem(where, row, "an empty id", "the id of a document"),
        ),
        (
            pl.col("path").is_null() & pl.any_horizontal(pl.col("start", "end").is_not_null()),
            lambda row: _problem(where, row, "lines without a path", "a path with lines, or an id alone"),
        ),
        lines_check(where),
    )


def _check_queries(targets: pl.DataFrame, cases: pl.DataFrame, problems: Problems) -> None:
    where = problems.where
    asked = (
        targets.lazy()
        .select("query", label=pl.col("text_hash").is_not_null())
        .unique(maintain_order=True)
        .join(
            cases.lazy().select("query", "expect_empty", "estimated"),
            on="query",
            how="left",
            maintain_order="left",
        )
        .collect()
    )
    # A query with targets and estimated labels has two rows.
    once = pl.col("query").is_first_distinct()
    problems.add_where(
        asked,
        (
            pl.col("estimated").is_null() & once,
            lambda row: _problem(where, row, "targets without a case", "a case for every query"),
        ),
        (
            pl.col("expect_empty") & once,
            lambda row: _problem(where, row, "targets and expect: empty", "one of the two"),
        ),
        (
            pl.col("label") != pl.col("estimated"),
            lambda row: _problem(
                where,
                row,
                "an estimated label in a case of targets"
                if row["label"]
                else "a target in an estimated case",
                "targets, or estimated labels in a case that is marked so",
            ),
        ),
    )


def _merge(targets: pl.DataFrame, problems: Problems) -> tuple[pl.DataFrame, int]:
    twice = targets.select("query", *_LOCATION).is_duplicated()
    if not twice.any():
        return targets, 0
    suspects = targets.filter(twice).with_columns(
        place=pl.col("id").fill_null(location_texts(targets.filter(twice)))
    )
    torn = suspects.group_by("query", "place", *_LOCATION, maintain_order=True).agg(
        grade=pl.col("grade").unique().sort(),
        # A target that does not say how many matches it has takes the number of the one that does.
        matches=pl.col("matches").drop_nulls().unique().sort(),
    )
    for name in ("grade", "matches"):
        problems.add_rows(
            torn.filter(pl.col(name).list.len() > 1),
            lambda row, name=name: _problem(  # type: ignore[misc]
                problems.where,
                row,
                f"{row['place']!r} with {_SEVERAL[name]} {', '.join(f'{value:g}' for value in row[name])}",
                f"one {_ONE[name]} for one place",
            ),
        )
    same = ["query", "group", "grade", *_LOCATION]
    # Whoever has looked at one of the two has looked at both.
    reviewed = pl.col("reviewed").any().over(same)
    matches = pl.col("matches").max().over("query", *_LOCATION)
    merged = targets.with_columns(reviewed, matches).unique(same, keep="first", maintain_order=True)
    return merged, targets.height - merged.height


_ONE = {"grade": "grade", "matches": "number of matches"}
_SEVERAL = {"grade": "grades", "matches": "matches"}


def _named(row: dict[str, object]) -> str:
    hashed = f" and text {row['text_hash']!r}" if row["text_hash"] is not None else ""
    return f"id {row['id']!r} and path {row['path']!r}{hashed}"


def _problem(where: str, row: dict[str, object], found: str, expected: str) -> Problem:
    return Problem(f"{where}: query {row['query']!r}", found, expected)

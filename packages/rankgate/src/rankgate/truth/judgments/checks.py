"""The checks that targets and cases pass before anything is scored by them."""

from __future__ import annotations

from functools import reduce
from operator import xor
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.io.parquet import lines_check, location_texts, normalise_paths
from rankgate.io.problems import Problems, repeats

if TYPE_CHECKING:
    from numpy.typing import NDArray

ESTIMATED = "estimated"
"""The strategy of a label that was made from an expected answer."""
GONE = "gone"
"""The strategy of a target that the corpus does not have any more: it has no location, so that no hit reaches
it, and is expected all the same."""
_ESTIMATED_CASE = "targets, or estimated labels in a case that is marked so"
_NAMES = "id {id!r} and path {path!r}"
_NO_LINES = pl.col("path").is_null() | pl.col("start").is_null()
_LOCATION = ("id", "path", "start", "end", "text_hash", "start_char", "end_char")


def query_heads(query: pl.Series) -> NDArray[np.int64]:
    """Return the rows where another query begins than that of the row before.

    >>> query_heads(pl.Series(["a", "a", "b", "a"])).tolist()
    [0, 2, 3]
    """
    new = np.ones(len(query), dtype=bool)
    new[1:] = query[1:].ne_missing(query[:-1]).to_numpy()
    return np.flatnonzero(new)


def checked_cases(cases: pl.DataFrame, where: str) -> pl.DataFrame:
    """Check cases that fit their schema.

    Raises:
        FormatError: for queries without a name, said twice, or with a weight that is not positive.
    """
    problems = Problems(where)
    problems.add_queries(repeats(cases.get_column("query")), "more than one case", "one case a query")
    weight = pl.col("weight")
    problems.add_where(
        cases,
        (pl.col("query") == "", "an empty query id", "an id for every query"),
        (~(weight.is_finite() & (weight > 0)), "weight {weight}", "a finite number above 0"),
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
    # What is gone has no location by which two of them would be the same.
    lost = targets["strategy"].fill_null("") == GONE
    if lost.any():
        numbered = targets.with_row_index("row")
        there, merged = _merge(numbered.filter(~lost), problems)
        targets = pl.concat([there, numbered.filter(lost)]).sort("row").drop("row")
    else:
        targets, merged = _merge(targets, problems)
    problems.check()
    return _in_order(targets, cases), merged


def _in_order(targets: pl.DataFrame, cases: pl.DataFrame) -> pl.DataFrame:
    """Put the targets of a query together, queries in the order of their cases, and number the targets."""
    heads = query_heads(targets["query"])
    if targets["query"].gather(heads).equals(cases["query"]):
        first = np.repeat(heads, np.diff(heads, append=targets.height))
        numbers = (np.arange(targets.height) - first).astype(np.uint32)
        return targets.with_columns(target=pl.Series(numbers))
    order = cases.lazy().select("query").with_row_index("case")
    together = targets.lazy().join(order, on="query", maintain_order="left").sort("case", maintain_order=True)
    number = pl.int_range(pl.len(), dtype=pl.UInt32).over("query").alias("target")
    return together.drop("case").with_columns(number).collect()


def _check_rows(targets: pl.DataFrame, problems: Problems) -> None:
    names, text = pl.sum_horizontal(pl.col("id", "path", "text_hash").is_not_null()), pl.col("text_hash")
    lone = pl.col("path").is_null() & pl.any_horizontal(pl.col("start", "end").is_not_null())
    first, behind = pl.col("start_char"), pl.col("end_char")
    gone = pl.col("strategy").fill_null("") == GONE
    torn = (first.is_null() != behind.is_null()) | (first >= behind) | (first.is_not_null() & _NO_LINES)
    problems.add_where(
        targets,
        (~pl.col("grade").is_finite(), "grade {grade}", "a finite number"),
        ((names != 1) & text.is_null() & ~gone, _NAMES, "an id or a path"),
        ((names != 0) & gone, _NAMES + " of a target that is gone", "no location"),
        ((names != 1) & text.is_not_null(), _NAMES + " and text {text_hash!r}", "an id or a path"),
        (pl.col("id") == "", "an empty id", "the id of a document"),
        (lone, "lines without a path", "a path with lines, or an id alone"),
        lines_check(),
        (torn, "characters {start_char}-{end_char}", "both, the end behind the start, beside path and lines"),
    )


def _check_queries(targets: pl.DataFrame, cases: pl.DataFrame, problems: Problems) -> None:
    label, estimated = pl.col("label"), pl.col("estimated")
    labelled = targets.select("query", label=pl.col("text_hash").is_not_null())
    if not labelled["label"].any():
        labelled = labelled[query_heads(labelled["query"])]
    asked = (
        labelled.lazy()
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
        (pl.col("estimated").is_null() & once, "targets without a case", "a case for every query"),
        (pl.col("expect_empty") & once, "targets and expect: empty", "one of the two"),
        (estimated & ~label, "a target in an estimated case", _ESTIMATED_CASE),
        (label & ~estimated, "an estimated label in a case of targets", _ESTIMATED_CASE),
    )


def _merge(targets: pl.DataFrame, problems: Problems) -> tuple[pl.DataFrame, int]:
    # What is equal has equal hashes, which are compared several times as fast.
    known = (name for name in _LOCATION if targets[name].null_count() < targets.height)
    hashes = (pl.col(name).hash(seed) for seed, name in enumerate(("query", *known)))
    if targets.select(reduce(xor, hashes)).to_series().n_unique() == targets.height:
        return targets, 0
    twice = targets.select("query", *_LOCATION).is_duplicated()
    if not twice.any():
        return targets, 0
    suspects = targets.filter(twice).with_columns(
        location=pl.col("id").fill_null(location_texts(targets.filter(twice)))
    )
    torn = suspects.group_by("query", "location", *_LOCATION, maintain_order=True).agg(
        grade=pl.col("grade").unique().sort()
    )
    values = pl.col("grade").map_elements(_numbers, return_dtype=pl.String())
    problems.add_queries(
        torn.filter(pl.col("grade").list.len() > 1).with_columns(values.alias("said")),
        "{location!r} with grades {said}",
        "one grade for one location",
    )
    same = ["query", "group", "grade", *_LOCATION]
    # Whoever has looked at one of the two has looked at both.
    reviewed = pl.col("reviewed").any().over(same)
    merged = targets.with_columns(reviewed).unique(same, keep="first", maintain_order=True)
    return merged, targets.height - merged.height


def _numbers(values: pl.Series) -> str:
    return ", ".join(f"{value:g}" for value in values)

"""Cases as rows of a table: the columns, what must hold for them, and how one becomes the other."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from rankgate.errors import Code, LocationError, Problem
from rankgate.files.tree.values import LARGEST
from rankgate.model.locations import Location, normal_path
from rankgate.model.suite import Case, GoneTarget, Sampled, Target, Top, XFail, by_location

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankgate.files.problems import Problems
    from rankgate.suites.native.targets import Defaults

T = TypeVar("T", Target, Top)

_NAME = {
    "id": pl.String(),
    "at": pl.String(),
    "quote": pl.String(),
    "path": pl.String(),
    "start_char": pl.Int64(),
}
TARGET = {
    **_NAME,
    "grade": pl.Float64(),
    "group": pl.String(),
    "anchor": pl.String(),
    "source": pl.String(),
    "reviewed": pl.Boolean(),
    "matches": pl.Int64(),
    "gone": pl.String(),
}
"""What is said of a target: exactly one of `id`, `at` and `quote`; the rest may be null.

`path` and `start_char` stand beside a quote alone.
"""

FILTER = {"key": pl.String(), "values": pl.List(pl.String()), "many": pl.Boolean()}
"""A facet to ask with; `many` is true where its value is a list, even of one."""

TOP = {**_NAME, "within": pl.Int64(), "gone": pl.String()}
"""A check of the first hits."""

COLUMNS = pl.Schema(
    {
        "id": pl.String(),
        "query": pl.String(),
        "targets": pl.List(pl.Struct(TARGET)),
        "weight": pl.Float64(),
        "group": pl.String(),
        "category": pl.String(),
        "tags": pl.List(pl.String()),
        "filters": pl.List(pl.Struct(FILTER)),
        "top": pl.List(pl.Struct(TOP)),
        "exhaustive": pl.Boolean(),
        "expect_empty": pl.Boolean(),
        "xfail_reason": pl.String(),
        "xfail_until": pl.Date(),
        "answer": pl.String(),
        "notes": pl.String(),
        "seen": pl.Int64(),
        "inclusion": pl.Float64(),
    }
)
"""One row a case. Only `id` and `query` must be there; null means what it means to leave a key out."""

NESTED = {"targets": TARGET, "filters": FILTER, "top": TOP}


def to_frame(cases: Iterable[Case]) -> pl.DataFrame:
    """Make rows of cases."""
    return pl.DataFrame([_row(case) for case in cases], schema=COLUMNS, orient="row")


def conformed(frame: pl.LazyFrame, where: str, problems: Problems) -> pl.LazyFrame:
    """Bring a table that others made to these columns; what has another type is a problem.

    Columns of other names are left out, those that are missing are null.
    """
    found = frame.collect_schema()
    for name in ("id", "query"):
        if name not in found:
            problems.add(Problem(f"{where}: {name}", "no such column", f"a column of {COLUMNS[name]}"))
    columns = []
    for name, kind in COLUMNS.items():
        have = found.get(name)
        if have is None or have == kind:
            columns.append(pl.lit(None, kind).alias(name) if have is None else pl.col(name))
        elif _fits(have, kind):
            columns.append(_cast(pl.col(name), have, kind).alias(name))
        else:
            problems.add(Problem(f"{where}: {name}", f"a column of {have}", f"a column of {kind}"))
    return frame.select(columns)


def parts(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """Spread a column of lists over rows, each with `row`, the row it came from."""
    spread = frame.select("row", column).filter(pl.col(column).list.len() > 0).explode(column)
    fields = NESTED.get(column)
    if fields is None:
        return spread
    return spread.select("row", pl.col(column).is_null().alias("null"), *(
        pl.col(column).struct.field(name).alias(name) for name in fields
    ))  # fmt: skip


def to_cases(frame: pl.DataFrame, file: str, *, has_corpus: bool) -> tuple[Case, ...]:
    """Make cases of rows that were checked; `row` is the number of each in the file."""
    targets, filters, tops = (_lists(frame, name) for name in ("targets", "filters", "top"))
    tags = frame["tags"].to_list()
    rest = frame.drop("targets", "filters", "top", "tags").iter_rows(named=True)
    named = [[_target(each, has_corpus=has_corpus) for each in some] for some in targets]
    checked = [[_top(each, has_corpus=has_corpus) for each in some] for some in tops]
    return tuple(
        Case(
            id=row["id"],
            query=row["query"],
            targets=tuple(each for each in named[n] if isinstance(each, Target)),
            weight=1.0 if row["weight"] is None else row["weight"],
            group=row["group"],
            category=row["category"],
            tags=frozenset(tags[n] or ()),
            filters={
                key: tuple(values or ()) if many or len(values or ()) != 1 else values[0]
                for key, values, many in filters[n]
            },
            top=tuple(each for each in checked[n] if isinstance(each, Top)),
            gone=by_location(each for each in (*named[n], *checked[n]) if isinstance(each, GoneTarget)),
            exhaustive=bool(row["exhaustive"]),
            expect_empty=bool(row["expect_empty"]),
            xfail=None if row["xfail_until"] is None else XFail(row["xfail_reason"], row["xfail_until"]),
            answer=row["answer"],
            notes=row["notes"] or "",
            sampled=None if row["seen"] is None else Sampled(row["seen"], row["inclusion"]),
            where=f"{file}: row {row['row']}",
        )
        for n, row in enumerate(rest)
    )


def _row(case: Case) -> tuple[Any, ...]:
    return (
        case.id,
        case.query,
        [
            {
                **_spelt(target.location),
                "grade": target.grade,
                "group": target.group,
                "anchor": target.anchor,
                "source": None if target.source == "person" else target.source,
                "reviewed": None if target.reviewed else False,
                "matches": target.matches,
                "gone": gone,
            }
            for target, gone in _with_gone(case.targets, case, Target)
        ],
        case.weight,
        case.group,
        case.category,
        sorted(case.tags),
        [
            {"key": key, "values": [value], "many": False}
            if isinstance(value, str)
            else {"key": key, "values": list(value), "many": True}
            for key, value in case.filters.items()
        ],
        [
            {**_spelt(top.location), "within": top.within, "gone": gone}
            for top, gone in _with_gone(case.top, case, Top)
        ],
        case.exhaustive,
        case.expect_empty,
        case.xfail and case.xfail.reason,
        case.xfail and case.xfail.until,
        case.answer,
        case.notes or None,
        case.sampled and case.sampled.seen,
        case.sampled and case.sampled.inclusion,
    )


def _with_gone(living: Sequence[T], case: Case, kind: type[T]) -> list[tuple[T, str | None]]:
    """List targets, or checks of the first hits, and those that are marked gone with their reason."""
    found: list[tuple[T, str | None]] = [(each, None) for each in living]
    found += [(each.was, each.reason) for each in case.gone if isinstance(each.was, kind)]
    return found


def _spelt(location: Location) -> dict[str, str | int | None]:
    if location.quote is not None:
        return {"quote": location.quote, "path": location.path, "start_char": location.start_char}
    return {"id": location.id, "at": str(location) if location.id is None else None}


def _top(row: tuple[Any, ...], *, has_corpus: bool) -> Top | GoneTarget:
    *named, within, gone = row
    top = Top(_location(*named, has_corpus=has_corpus), 1 if within is None else within)
    return top if gone is None else GoneTarget(top, gone)


def _target(row: tuple[Any, ...], *, has_corpus: bool) -> Target | GoneTarget:
    *named, grade, group, anchor, source, reviewed, matches, gone = row
    target = Target(
        _location(*named, has_corpus=has_corpus),
        1.0 if grade is None else grade,
        group,
        anchor,
        "person" if source is None else source,
        reviewed is not False,
        matches,
    )
    return target if gone is None else GoneTarget(target, gone)


@lru_cache(1 << 16)
def _location(
    id_: str | None,
    at: str | None,
    quote: str | None,
    path: str | None,
    start_char: int | None,
    *,
    has_corpus: bool,
) -> Location:
    if quote is not None:
        return Location.of_quote(quote, path, start_char)
    if at is not None and has_corpus:
        return Location.at(at)
    return Location(at if id_ is None else id_)


def _lists(frame: pl.DataFrame, column: str) -> Sequence[list[tuple[Any, ...]]]:
    """Return the structs of a column of lists as tuples, row by row."""
    spread = parts(frame, column).drop("row", "null")
    rows = spread.rows()
    ends = accumulate(frame[column].list.len().fill_null(0), initial=0)
    return [rows[start:end] for start, end in pairwise(ends)]


def _fits(have: pl.DataType, want: pl.DataType) -> bool:
    if have.is_(pl.Null) or have == want:
        return True
    if isinstance(want, pl.List):
        inner = have.inner if isinstance(have, (pl.List, pl.Array)) else None
        return inner is not None and _fits(_typed(inner), _typed(want.inner))
    if isinstance(want, pl.Struct):
        fields = {field.name: field.dtype for field in have.fields} if isinstance(have, pl.Struct) else None
        return fields is not None and all(
            field.name not in fields or _fits(_typed(fields[field.name]), _typed(field.dtype))
            for field in want.fields
        )
    if want == pl.String:
        # Integers are how other tools often keep ids; "301" and 301 name the same query.
        return have.is_integer() or have.base_type() in {pl.Categorical, pl.Enum}
    return (want.is_integer() and have.is_integer()) or (want.is_float() and have.is_numeric())


def _typed(kind: Any) -> pl.DataType:
    return kind if isinstance(kind, pl.DataType) else kind()


def _cast(column: pl.Expr, have: pl.DataType, want: pl.DataType) -> pl.Expr:
    """Cast to a type that fits; fields of other names are left out, those that are missing are null."""
    if have.is_(pl.Null) or not isinstance(want, (pl.List, pl.Struct)):
        return column.cast(want)
    if isinstance(want, pl.List):
        assert isinstance(have, (pl.List, pl.Array))  # noqa: S101 - `_fits` has seen to it
        listed = column.arr.to_list() if isinstance(have, pl.Array) else column
        return listed.list.eval(_cast(pl.element(), _typed(have.inner), _typed(want.inner)))
    fields = {field.name: _typed(field.dtype) for field in have.fields} if isinstance(have, pl.Struct) else {}
    cast = [
        _cast(column.struct.field(field.name), fields[field.name], _typed(field.dtype)).alias(field.name)
        if field.name in fields
        else pl.lit(None, field.dtype).alias(field.name)
        for field in want.fields
    ]
    # A struct made of parts is never null itself, so a null among the items would become a target of nothing.
    return pl.when(column.is_not_null()).then(pl.struct(cast)).otherwise(None)


_SEGMENT = r"[A-Za-z0-9_-][A-Za-z0-9_. -]*"
# Locations that are surely well formed. Those that this does not know are parsed, one by one.
_SURELY = rf"^{_SEGMENT}(?:/{_SEGMENT})*(?:#{_SEGMENT}|::[A-Za-z0-9_.]+|:[1-9][0-9]{{0,8}})?$"


def check_rows(frame: pl.DataFrame, file: str, defaults: Defaults, problems: Problems) -> None:
    """Find what is wrong with rows, which have their number in `row`."""
    told = _Telling(file, problems)
    for name in ("id", "query"):
        told(name, frame.filter(_blank(name)), pl.lit("text without a word"), "text")
    weight = pl.col("weight")
    light = frame.filter(~(weight.is_finite() & (weight > 0)))
    told("weight", light, weight.cast(pl.String), "a number above 0")
    both = pl.col("expect_empty") & ((pl.col("targets").list.len() > 0) | (pl.col("top").list.len() > 0))
    told("expect_empty", frame.filter(both), pl.lit("true beside targets or top"), "one of the two")
    half = pl.col("xfail_reason").is_null() != pl.col("xfail_until").is_null()
    told("xfail_reason", frame.filter(half), pl.lit("only one of reason and until"), "both or neither")
    alone = pl.col("seen").is_null() != pl.col("inclusion").is_null()
    told("seen", frame.filter(alone), pl.lit("only one of seen and inclusion"), "both or neither")
    never, chance = pl.col("seen") < 1, pl.col("inclusion")
    told("seen", frame.filter(never), pl.col("seen").cast(pl.String), "a whole number from 1")
    unlikely = frame.filter(~(chance.is_finite() & (chance > 0) & (chance <= 1)))
    told("inclusion", unlikely, chance.cast(pl.String), "a number above 0 and up to 1")
    tags = parts(frame, "tags").filter(pl.col("tags").is_null())
    told("tags", tags, pl.lit("a null"), "text")
    nothing = pl.col("key").is_null() | pl.col("values").list.eval(pl.element().is_null()).list.any()
    filters = parts(frame, "filters").filter(nothing)
    told("filters", filters, pl.lit("a facet without a key, or with a null"), "a key and its values")
    targets, tops = parts(frame, "targets"), parts(frame, "top")
    for name, spread in (("targets", targets), ("top", tops)):
        one = pl.sum_horizontal(pl.col("id", "at", "quote").is_not_null()) == 1
        told(name, spread.filter(~one), pl.lit("none or several of id, at and quote"), "one of them")
        empty = _blank("id") & _blank("at") & _blank("quote")
        told(name, spread.filter(one & empty), pl.lit("an empty name"), "a name")
        _check_locations(spread.filter(one & ~_blank("at")), name, told, defaults)
        _check_quotes(spread.filter(one), name, told)
    within = pl.col("within")
    few = tops.filter(~within.is_between(0, LARGEST))
    told("top", few, pl.lit("within ") + within.cast(pl.String), "within of 1 or more, or 0 for never")
    _check_targets(targets, told, defaults)


class _Telling:
    """Tells what is wrong with some rows."""

    def __init__(self, file: str, problems: Problems) -> None:
        self.file = file
        self.problems = problems

    def __call__(self, column: str, rows: pl.DataFrame, found: pl.Expr, expected: str, fix: str = "") -> None:
        self.problems.add_rows(
            rows.select("row", found=found),
            lambda row: Code.WRONG_VALUE(
                f"{self.file}: row {row['row']}: {column}", row["found"], expected, fix
            ),
        )


def _blank(name: str) -> pl.Expr:
    return pl.col(name).is_null() | (pl.col(name).str.strip_chars() == "")


def _check_targets(targets: pl.DataFrame, told: _Telling, defaults: Defaults) -> None:
    most = math.inf if defaults.max_grade is None else defaults.max_grade
    limit = "" if defaults.max_grade is None else f", at most {most:g}, the top of the scale"
    grade, matches = pl.col("grade"), pl.col("matches")
    high = targets.filter(~(grade.is_finite() & (grade <= most)))
    told("targets", high, pl.lit("grade ") + grade.cast(pl.String), f"a number{limit}")
    counts = targets.filter(~matches.is_between(0, LARGEST))
    told("targets", counts, pl.lit("matches ") + matches.cast(pl.String), "a whole number, 0 or more")


def _check_quotes(named: pl.DataFrame, column: str, told: _Telling) -> None:
    quote, path, start = pl.col("quote"), pl.col("path"), pl.col("start_char")
    lone = quote.is_null() & (path.is_not_null() | start.is_not_null())
    told(column, named.filter(lone), pl.lit("path or start_char without a quote"), "both beside quote alone")
    told(column, named.filter(start < 0), pl.lit("start_char below 0"), "0 or more")
    for row, text in named.filter(quote.is_not_null() & path.is_not_null()).select("row", "path").iter_rows():
        try:
            normal_path(text)
        except LocationError as error:
            problem = error.problems[0]
            where = f"{told.file}: row {row}: {column}"
            told.problems.add(
                Code.BAD_LOCATION(where, f"{text[:80]!r}, {problem.found}", problem.expected, problem.fix)
            )


def _check_locations(locations: pl.DataFrame, column: str, told: _Telling, defaults: Defaults) -> None:
    if defaults.records is not None:
        found = pl.lit(f"a location in a corpus of {defaults.records} records")
        told(column, locations, found, "the id of a record", "write id for at")
    elif defaults.has_corpus:
        for row, text in (
            locations.filter(~pl.col("at").str.contains(_SURELY)).select("row", "at").iter_rows()
        ):
            try:
                Location.at(text)
            except LocationError as error:
                problem = error.problems[0]
                where, said = f"{told.file}: row {row}: {column}", f"{text[:80]!r}, {problem.found}"
                told.problems.add(Problem(where, said, problem.expected, problem.fix))

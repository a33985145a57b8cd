"""Hits in a table find their locations: those that declare what the corpus has at once, the others by rule.

The same function places what a system answers now and what a run of other tools says: a run that was stored
is placed when it is read, unless that was done when it was made.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from rankgate.errors import InputError
from rankgate.hit_classes import HitClass, LocateRules, Strategy
from rankgate.io.paths import COPY, GIVEN
from rankgate.locations import Characters, Lines, is_path, normal_path, surely_normal
from rankgate.model import estimated_tokens
from rankgate.progress import counted_steps
from rankgate.truth.locations.locate import ANY_LINE, GivenHit, Locator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from polars._typing import PolarsDataType

    from rankgate.corpora.corpus import Corpus
    from rankgate.model import Hit, MapRule
    from rankgate.truth.locations.locate import PlacedHit

_PLACED: dict[str, PolarsDataType] = {
    "id": pl.String,
    "path": pl.String,
    "start": pl.Int64,
    "end": pl.Int64,
    "start_char": pl.Int64,
    "end_char": pl.Int64,
    "class": pl.String,
    "strategy": pl.String,
    "copies": pl.List(COPY),
}
_GIVEN = ("path", "start", "end")
_Where: TypeAlias = tuple[str | None, str | None, int | None, int | None, int | None, int | None]
_KEPT = 50_000
"""How many hits are remembered: most come back in the answers to other queries."""


class Placer:
    """Places the hits of a suite's runs; threads may share it.

    >>> placer = Placer(None)
    >>> table = pl.DataFrame({"id": [None], "path": ["x.md"], "start": [3], "end": [9], "text": [None]})
    >>> placer.place(table, [None]).select("path", "class", "strategy").row(0)
    ('x.md', 'exact', 'declared')
    """

    def __init__(
        self,
        corpus: Corpus | None,
        map_rules: Sequence[MapRule] = (),
        locate_rules: LocateRules = LocateRules(),  # noqa: B008 - frozen
        *,
        count_tokens: bool = False,
        names: Mapping[str, bool] | None = None,
    ) -> None:
        """Prepare the rules: those of the suite, and those of the system.

        Args:
            corpus: Where hits are.
            map_rules: Those of the suite.
            locate_rules: Those of the system.
            count_tokens: True to estimate the tokens of hits that come with neither a count nor a text.
            names: The judged paths and ids if there is no corpus (`pages.judged_names`).

        Raises:
            InputError: for a rule whose pattern or template cannot be used.
        """
        self._locator = Locator(corpus, map_rules, locate_rules, tuple(names or ()))
        self._names = names or {}
        self._ends: dict[str, int] = {}
        self._colons: bool | None = None
        self._known: dict[GivenHit, PlacedHit] = {}
        self._count_tokens = count_tokens
        self._tokens: dict[_Where, int | None] = {}
        self._lock = Lock()

    @property
    def unused_rules(self) -> tuple[MapRule, ...]:
        """The map rules that no hit has matched so far."""
        return self._locator.unused_rules

    def place(self, hits: pl.DataFrame, texts: Sequence[str | None]) -> pl.DataFrame:
        """Return hits with their locations, classes and strategies, and with what they declared before.

        Args:
            hits: The columns id, path, start, end and text, null where there is none, and what else is known
                of hits: start_char and end_char, with their unit where it is not characters.
            texts: The text of each, as it came.
        """
        with self._lock:
            placed = self._place(hits, texts)
            return self._in_one_name_space(placed) if self._names else placed

    def _place(self, hits: pl.DataFrame, texts: Sequence[str | None]) -> pl.DataFrame:
        if self._plain(hits):
            return self._with_tokens(self._as_declared(hits))
        easy = self._easy(hits)
        if easy.all():
            return self._with_tokens(self._as_declared(hits))
        rows = hits.with_row_index("row")
        parts = [self._as_declared(rows.filter(easy))] if easy.any() else []
        hard = rows.filter(~easy) if parts else rows
        if self._reads_id_lines(hard):
            located, found = _with_id_lines(hard, self._end)
            if found.all():
                parts.append(located)
                hard = hard.clear()
            elif found.any():
                parts.append(located.filter(found))
                hard = hard.filter(~found)
        if hard.height:
            parts.append(self._located(hard, [texts[row] for row in hard["row"]]))
        placed = pl.concat(parts, how="diagonal_relaxed").sort("row") if len(parts) > 1 else parts[0]
        return self._with_tokens(placed.drop("row"))

    def _in_one_name_space(self, hits: pl.DataFrame) -> pl.DataFrame:
        """Read ids as files and lines, and files as ids, if a suite without a corpus names them so."""
        files = [name for name, is_file in self._names.items() if is_file]
        ids = [name for name, is_file in self._names.items() if not is_file]
        known = pl.col("id").is_in(ids).fill_null(value=False)
        judged = pl.when(pl.col("path").is_in(ids) & ~known).then("path").otherwise("id")
        hits = hits.with_columns(id=judged).with_row_index("row")
        bare = hits.filter(pl.col("path").is_null() & pl.col("start").is_null() & ~known)
        file = pl.lit(HitClass.FILE.value).alias("class")
        named = bare.filter(pl.col("id").is_in(files)).with_columns(file, path="id")
        ends = dict.fromkeys(self._names, ANY_LINE)
        located, found = _with_id_lines(bare, lambda name: ends.get(name, 0))
        located = located.with_columns(id=pl.when(pl.col("path").is_in(ids)).then("path").otherwise("id"))
        changed = pl.concat([named, located.filter(found)], how="diagonal_relaxed").select(hits.columns)
        left = hits.filter(~pl.col("row").is_in(changed["row"].to_list()))
        return pl.concat([left, changed], how="vertical_relaxed").sort("row").drop("row")

    def place_hits(self, hits: Sequence[Hit]) -> list[PlacedHit]:
        """Do the same for hits that stand in no table."""
        with self._lock:
            return [
                self._placed(GivenHit(hit.id, hit.path, hit.lines, hit.text, hit.characters)) for hit in hits
            ]

    def _reads_id_lines(self, hits: pl.DataFrame) -> bool:
        """Check whether ids may be files and lines, and hits have nothing else by which they are located.

        Where a file of the corpus has a colon in its name, an id may be that name.
        """
        corpus, rules = self._locator.corpus, self._locator.rules
        if corpus is None or corpus.records or self._locator.has_rules or rules.changes_paths:
            return False
        names = [name for name in ("path", "start", "text", "start_char") if name in hits.columns]
        if not rules.counts_lines or any(hits[name].count() for name in names):
            return False
        if self._colons is None:
            self._colons = any(":" in path for path in corpus.paths())
        return not self._colons

    def _easy(self, hits: pl.DataFrame) -> pl.Series:
        """Mark the hits that need no rule: they declare lines that the corpus has, or it has their record."""
        corpus, path, start = self._locator.corpus, hits["path"], hits["start"]
        offsets = hits["start_char"].is_not_null() if "start_char" in hits.columns else None
        if corpus is not None and corpus.records:
            ids = hits["id"].unique().drop_nulls()
            known = pl.Series([name for name in ids if name in corpus], dtype=pl.String)
            return hits["id"].is_in(known).fill_null(value=False)
        if not self._locator.rules.counts_lines or (corpus is not None and not path.count()):
            return pl.Series([False]).new_from_index(0, len(hits))
        names = path.unique().drop_nulls().to_list()
        ends = path.replace_strict(names, list(map(self._end, names)), default=0, return_dtype=pl.Int64)
        easy = start.is_not_null() & (hits["end"] <= ends).fill_null(value=False)
        if corpus is None:
            if self._locator.has_rules:
                return pl.Series([False]).new_from_index(0, len(hits))
            easy = (start.is_not_null() | path.is_not_null()) & (ends > 0)
            easy |= path.is_null() & start.is_null() & hits["id"].is_not_null()
        else:
            easy &= hits["text"].is_null()
        return easy if offsets is None else easy & ~offsets

    def _plain(self, hits: pl.DataFrame) -> bool:
        """Check, a file at a time, whether all hits declare lines that the corpus has, and nothing else."""
        corpus = self._locator.corpus
        if (corpus is not None and corpus.records) or not self._locator.rules.counts_lines:
            return False
        if corpus is None and self._locator.has_rules:
            return False
        if "start_char" in hits.columns and hits["start_char"].count():
            return False
        if hits["text"].count() or any(hits[one].null_count() for one in _GIVEN):
            return False
        last = hits.group_by("path").agg(pl.col("end").max())
        return all(end <= self._end(path) for path, end in zip(last["path"], last["end"], strict=True))

    def _end(self, name: str) -> int:
        """Return the last line of a file; 0 for what is not spelt as the corpus spells it."""
        known = self._ends.get(name)
        if known is None:
            spelt = surely_normal(name) or (is_path(name) and normal_path(name) == name)
            known = self._ends[name] = self._locator.last_line(name) if spelt else 0
        return known

    def _as_declared(self, hits: pl.DataFrame) -> pl.DataFrame:
        records = self._locator.corpus is not None and self._locator.corpus.records
        if records:
            nothing = [pl.lit(None, hits.schema[name]).alias(name) for name in _GIVEN]
            where, how = pl.lit(HitClass.EXACT.value), pl.lit(Strategy.ID.value)
            return hits.with_columns(*nothing, where.alias("class"), how.alias("strategy"))
        if self._locator.corpus is None and hits["id"].null_count():
            # Paths and ids are one name space.
            hits = hits.with_columns(id=pl.coalesce(pl.col("id").cast(pl.String), "path"))
        if not hits["path"].null_count() and not hits["start"].null_count():
            where, how = pl.lit(HitClass.EXACT.value), pl.lit(Strategy.DECLARED.value)
            return hits.with_columns(where.alias("class"), how.alias("strategy"))
        named = pl.col("path").is_not_null()
        where = (
            pl.when(named & pl.col("start").is_not_null())
            .then(pl.lit(HitClass.EXACT.value))
            .when(named)
            .then(pl.lit(HitClass.FILE.value))
            .otherwise(pl.lit(HitClass.OPAQUE.value))
        )
        how = pl.when(named).then(pl.lit(Strategy.DECLARED.value)).otherwise(pl.lit(Strategy.NONE.value))
        return hits.with_columns(where.alias("class"), how.alias("strategy"))

    def _located(self, hits: pl.DataFrame, texts: Sequence[str | None]) -> pl.DataFrame:
        """Look at hits one by one, and at equal ones once."""
        every = counted_steps(_given(hits, texts), "locating hits", hits.height)
        found = [self._placed(one) for one in every]
        placed = pl.DataFrame(
            [(*one[:-1], [*one.copies] or None) for one in found], schema=_PLACED, orient="row"
        )
        said = hits
        if "unit" in hits.columns:
            # A start of 0 is kept as it was given, so that it can be told what it counts.
            unknown = pl.col("unit") == "unknown"
            said = hits.with_columns(
                start=pl.when(unknown).then("start_char").otherwise("start"),
                end=pl.when(unknown).then("end_char").otherwise("end"),
            )
        changed = pl.any_horizontal(
            said[name].cast(placed.schema[name]).ne_missing(placed[name]) for name in _GIVEN
        ) & (said["path"].is_not_null() | said["start"].is_not_null())
        given = pl.struct(said[name] for name in _GIVEN)
        more = said.select(given=pl.when(changed).then(given).cast(GIVEN))
        return hits.with_columns(placed.get_columns()).with_columns(more.get_columns())

    def _with_tokens(self, hits: pl.DataFrame) -> pl.DataFrame:
        """Estimate the tokens of hits that came with neither a count nor a text, by the corpus."""
        if not self._count_tokens or self._locator.corpus is None or "tokens" not in hits.columns:
            return hits
        unknown = hits["tokens"].is_null() & hits["text"].is_null()
        if not unknown.any():
            return hits
        nothing = pl.Series([None]).new_from_index(0, hits.height)
        names = ("id", "path", "start", "end", "start_char", "end_char")
        where = zip(*(hits[name] if name in hits.columns else nothing for name in names), strict=True)
        counts = [self._tokens_at(one) if need else None for one, need in zip(where, unknown, strict=True)]
        counted = pl.Series("tokens", counts, dtype=hits.schema["tokens"])
        return hits.with_columns(hits["tokens"].fill_null(counted))

    def _tokens_at(self, where: _Where) -> int | None:
        if where in self._tokens:
            return self._tokens[where]
        if len(self._tokens) >= _KEPT:
            self._tokens.clear()
        counted = self._tokens[where] = self._counted_tokens(where)
        return counted

    def _counted_tokens(self, where: _Where) -> int | None:
        """Count the characters or lines of a file, or a record.

        None for a file without lines, and what is not there.
        """
        record, path, start, end, first, behind = where
        reader = self._locator.reader
        name = record if self._locator.corpus is not None and self._locator.corpus.records else path
        if name is None or not reader.has(name) or (start is None and name == path):
            return None
        try:
            text = reader.text_of(name)
            # A piece may begin and end inside a line; what is read is the piece.
            return estimated_tokens(text.between(start, end) if first is None else text.whole[first:behind])
        except InputError:
            # A file that changed meanwhile is told where it matters; what it holds now was not returned.
            return None

    def _placed(self, hit: GivenHit) -> PlacedHit:
        known = self._known.get(hit)
        if known is None:
            if len(self._known) >= _KEPT:
                self._known.clear()
            known = self._known[hit] = self._locator.locate(hit)
        return known


def _given(hits: pl.DataFrame, texts: Sequence[str | None]) -> Iterator[GivenHit]:
    nothing = pl.Series([None]).new_from_index(0, hits.height)
    names = ("id", "path", "start", "end", "start_char", "end_char", "unit")
    columns = [hits[name] if name in hits.columns else nothing for name in names]
    for name, path, start, end, first, behind, unit, text in zip(*columns, texts, strict=True):
        lines = None if start is None else Lines(start, end)
        offsets = None if first is None else Characters(first, behind, unit or "characters")
        yield GivenHit(name, path, lines, text, offsets)


def _with_id_lines(hits: pl.DataFrame, last_line: Callable[[str], int]) -> tuple[pl.DataFrame, pl.Series]:
    """Return hits with the locations that their ids are, such as ``a.md:10-50``, and which of them have one.

    An id with a sign that may be an escape, a heading or a symbol has none here, nor has one whose lines are
    not written as plain numbers, or are not all in the file.

    Args:
        hits: Those that declare no path, no lines, no offsets and no text.
        last_line: Returns the last line of a file by its path; 0 where the corpus does not have it.
    """
    parts = hits.select(pl.col("id").str.splitn(":", 2).struct.rename_fields(["file", "lines"]))
    parts = parts.unnest("id").with_columns(
        pl.col("lines").str.splitn("-", 2).struct.rename_fields(["first", "last"])
    )
    parts = parts.unnest("lines").with_columns(last=pl.coalesce("last", "first"))
    numbers = parts.select(pl.col("first", "last").cast(pl.Int64, strict=False))
    start, end = numbers["first"], numbers["last"]
    plain = (start.cast(pl.String) == parts["first"]) & (end.cast(pl.String) == parts["last"])
    files = parts["file"].unique().drop_nulls()
    ends = [0 if "#" in name or "%" in name else last_line(name) for name in files]
    last = parts["file"].replace_strict(files, ends, default=0, return_dtype=pl.Int64)
    found = (plain & (start >= 1) & (start <= end) & (end <= last)).fill_null(value=False)
    located = hits.with_columns(
        parts["file"].alias("path"),
        start.alias("start"),
        end.alias("end"),
        pl.lit(HitClass.EXACT.value).alias("class"),
        pl.lit(Strategy.ID.value).alias("strategy"),
    )
    return located, found

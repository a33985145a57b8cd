"""Locate hits: from what a system returns to lines of a document.

The first that applies decides: the path and lines or characters of the hit, if the corpus has them; the map
rules of the suite; an id that is a location in the corpus; the hit's text, if the corpus has all or most of
it; the path alone. `Placer` locates the answers of systems and stored runs.

Ranges are checked against a text of at least eight words. A range that was derived from a start and the
length of the text counts only if the document has the text there. Declared lines are wrong if they have fewer
than half of the text's sequences of five words, and the text is elsewhere.

Without a corpus, paths and ids are one name space.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

import polars as pl

from rankgate.corpora.corpus import Corpus
from rankgate.errors import InputError, LocationError
from rankgate.hit_classes import HitClass, LocateRules, Strategy
from rankgate.io.parquet import COPY, GIVEN
from rankgate.locations import (
    Characters,
    Lines,
    Location,
    Unit,
    is_path,
    normal_path,
    surely_normal,
)
from rankgate.model import Hit, MapRule, estimated_tokens
from rankgate.progress import counted_steps
from rankgate.truth.lookup import CorpusReader, MissReason, Spot
from rankgate.truth.urls import MapRules, Page, location_of

if TYPE_CHECKING:
    from polars._typing import PolarsDataType

    # The index takes NumPy, and most runs have no texts to find.
    from rankgate.truth.textsearch import FoundText, Passage

_CHECKED_WORDS = 8
"""The words of a text from which on ranges are checked against it."""
_SEQUENCE = 5
"""The words of a sequence that is looked for in declared lines."""
_LOOKED_AT = 64
"""The places of a text of which the nearest is chosen."""
_COPIES = 5
_ANY_LINE = 1 << 32
_WORD = re.compile(r"[\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]|[^\W_\u2e80-\ud7ff\uf900-\ufaff]+")
"""A run of letters or digits, or one CJK character."""
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,300}>")


class GivenHit(NamedTuple):
    """The location of a hit as the system gives it."""

    id: str | None = None
    path: str | None = None
    lines: Lines | None = None
    text: str | None = None
    characters: Characters | None = None


class HitCopy(NamedTuple):
    """One of several places where a hit may be: a record, or a range of a file."""

    id: str | None = None
    path: str | None = None
    start: int | None = None
    end: int | None = None
    start_char: int | None = None
    end_char: int | None = None


class PlacedHit(NamedTuple):
    """A hit with its location."""

    id: str | None
    """The system's name for the hit, or the record."""
    path: str | None
    """The file; None if there is none, or if there are several."""
    start: int | None
    end: int | None
    start_char: int | None
    end_char: int | None
    hit_class: HitClass
    strategy: Strategy = Strategy.NONE
    copies: tuple[HitCopy, ...] = ()
    """The places of a text that occurs several times; none if there are too many to tell apart."""


# ---- one hit


class Locator:
    """Locates single hits."""

    def __init__(
        self,
        corpus: Corpus | None,
        map_rules: Sequence[MapRule] = (),
        locate_rules: LocateRules = LocateRules(),  # noqa: B008 - frozen
        names: Sequence[str] = (),
    ) -> None:
        """Prepare the rules of the suite and of the system.

        Args:
            corpus: The documents.
            map_rules: The rules of the suite.
            locate_rules: The rules of the system.
            names: The judged paths and ids if there is no corpus (`urls.judged_names`).

        Raises:
            InputError: for a rule with an invalid pattern or template.
        """
        self.corpus = corpus
        self.reader = CorpusReader(corpus)
        self.rules = locate_rules
        self._names = dict.fromkeys(names)
        self.map = MapRules(map_rules, self._names if corpus is None else corpus.paths())
        self._folded: dict[str, str] | None = None

    def last_line(self, path: str) -> int:
        """Return the last line of a file, 0 if the corpus does not have it; without a corpus, any line."""
        if self.corpus is None:
            return _ANY_LINE
        return self.corpus.lines(path) if path in self.corpus else 0

    def locate(self, hit: GivenHit) -> PlacedHit:
        """Locate a hit. Its id stays, unless a record has another one or a rule made one.

        A path that is not in the corpus becomes the id of a hit without an id.

        Raises:
            InputError: for a map rule that takes too long.
        """
        hit = self._counted(hit)
        if self.corpus is not None and self.corpus.records:
            return self._record(hit, self.corpus)
        declared = None if hit.path is None else _normal(hit.path)
        names = [name for name in (hit.path, hit.id) if name is not None]
        if self.corpus is None:
            return self._as_named(hit, declared, names)
        if declared is not None and declared in self.corpus:
            return self._in_file(hit, declared, hit.lines, Strategy.DECLARED)
        for location, strategy in self._named(names):
            if (found := self._at(hit, location, strategy)) is not None:
                return found
        if (by_text := _by_text(hit, self._found(hit.text))) is not None:
            return by_text
        why = HitClass.OPAQUE
        if hit.path is not None:
            why = HitClass.NO_FILE
        elif hit.text is not None:
            why = HitClass.NO_TEXT
        return _placed(hit, declared, None if declared is None else hit.lines, why, Strategy.NONE)

    def _counted(self, hit: GivenHit) -> GivenHit:
        """Read start and end as the system counts them."""
        rules, offsets = self.rules, hit.characters
        if rules.counts_lines or (offsets is not None and offsets.unit != "unknown"):
            return hit
        if offsets is not None:
            start, end = offsets.start, offsets.end
        elif hit.lines is not None:
            start, end = hit.lines.start, hit.lines.end
        else:
            return hit
        if rules.start_end == "lines":
            return hit._replace(lines=Lines(start + 1, max(start, end) + 1), characters=None)
        unit = cast("Unit", rules.start_end)
        return hit._replace(lines=None, characters=Characters(start, max(start, end), unit))

    def _as_named(self, hit: GivenHit, declared: str | None, names: Sequence[str]) -> PlacedHit:
        """Name a hit without a corpus: by the map rules, or as it is."""
        for name in names:
            made = self.map.mapped(name)
            location = location_of(made)
            if location is not None and location.path is not None:
                placed = self._in_file(hit, location.path, location.lines or hit.lines, Strategy.MAP)
                # A judged id may look like a path with lines.
                judged = isinstance(made, str) and made in self._names
                return placed._replace(id=cast("str", made) if judged else location.path)
            if isinstance(made, str):
                return _placed(hit, None, None, HitClass.OPAQUE, Strategy.MAP)._replace(id=made)
        if declared is None:
            return _placed(hit, None, None, HitClass.OPAQUE, Strategy.NONE)
        placed = self._in_file(hit, declared, hit.lines, Strategy.DECLARED)
        return placed._replace(id=declared) if hit.id is None else placed

    def _named(self, names: Sequence[str]) -> Iterable[tuple[Location, Strategy]]:
        """Return the locations of names: by map rules, by the system's rules, and as they are."""
        for name in names:
            if (mapped := self.map.location(name)) is not None:
                yield mapped, Strategy.MAP
        for name in names if self.rules.changes_paths else ():
            if (path := self._rewritten(name)) is not None:
                yield Location(path=path), Strategy.MAP
        for name in names:
            # The name of a file comes first: it may look like a path with lines or a heading.
            if self.corpus is not None and (path := _normal(name)) is not None and path in self.corpus:
                yield Location(path=path), Strategy.ID
            elif (location := location_of(name)) is not None:
                yield location, Strategy.ID

    def _rewritten(self, name: str) -> str | None:
        """Return the file that the system's rules make of a name."""
        made = self.rules.path(name)
        path = None if made is None or self.corpus is None else _normal(made)
        if path is None or self.corpus is None:
            return None
        if path in self.corpus:
            return path
        if not self.rules.ignore_case:
            return None
        if self._folded is None:
            names = Counter(one.casefold() for one in self.corpus.paths())
            self._folded = {one.casefold(): one for one in self.corpus.paths() if names[one.casefold()] == 1}
        return self._folded.get(path.casefold())

    def _at(self, hit: GivenHit, location: Location, strategy: Strategy) -> PlacedHit | None:
        """Locate a hit at the location of its name; None if the corpus has no such file."""
        path = str(location.path)
        if self.corpus is None or location.path is None or path not in self.corpus:
            return None
        if not location.heading and location.symbol is None:
            return self._in_file(hit, path, location.lines or hit.lines, strategy)
        found = self.reader.find(location)
        if isinstance(found, Spot):
            lines = None if found.start is None or found.end is None else Lines(found.start, found.end)
            return self._in_file(hit, path, lines, strategy)
        if found.why is MissReason.SEVERAL and hit.lines is None:
            copies = tuple(HitCopy(None, path, node.start, node.end) for node in found.nodes)
            return _several(hit, copies, strategy)
        return self._in_file(hit, path, hit.lines, strategy)

    def _in_file(self, hit: GivenHit, path: str, lines: Lines | None, strategy: Strategy) -> PlacedHit:
        """Locate a hit in a known file: at its range, unless its text contradicts, or by its text."""
        if self.corpus is None:
            return _placed(hit, path, lines, HitClass.FILE if lines is None else HitClass.EXACT, strategy)
        if hit.characters is not None and hit.characters.unit != "unknown":
            return self._at_characters(hit, path, hit.characters)
        if hit.characters is not None:
            return self._by_text_in(hit, path, HitClass.PAST_END, Strategy.NONE)
        if lines is None:
            return self._by_text_in(hit, path, HitClass.FILE, strategy)
        last = self.corpus.lines(path)
        if lines.end == last + 1 and lines.start <= last:
            # A program that splits at line feeds counts one line more.
            lines = Lines(lines.start, last)
        if lines.end > last:
            return self._by_text_in(hit, path, HitClass.PAST_END, Strategy.NONE)
        declared = _placed(hit, path, lines, HitClass.EXACT, strategy)
        document = self.reader.text_of(path)
        return self._checked(hit, declared, document.whole, document.offsets(lines.start, lines.end))

    def _at_characters(self, hit: GivenHit, path: str, characters: Characters) -> PlacedHit:
        document, text = self.reader.text_of(path), hit.text or ""
        start, end = document.code_points(characters)
        derived = end - start == len(text) and len(_WORD.findall(text)) >= _CHECKED_WORDS
        if derived and document.whole[start:end].split() != text.split():
            # The text has more or less than the document, such as a title: its length says nothing.
            found = self.reader.lookup.find_text(text, path, _LOOKED_AT)
            if not found.passages:
                return self._by_text_in(hit, path, HitClass.FILE, Strategy.DECLARED)
            nearest = min(found.passages, key=lambda one: abs(one.start - start))
            return _at_passage(hit, nearest, found.share)
        if end > len(document.whole) or start >= end:
            return self._by_text_in(hit, path, HitClass.PAST_END, Strategy.NONE)
        declared = _placed(hit, path, document.lines_of(start, end), HitClass.EXACT, Strategy.CHARACTERS)
        declared = declared._replace(start_char=start, end_char=end)
        return declared if derived else self._checked(hit, declared, document.whole, (start, end))

    def _checked(self, hit: GivenHit, declared: PlacedHit, document: str, span: tuple[int, int]) -> PlacedHit:
        """Compare the text of a hit with its declared range, given in characters too."""
        said = (hit.text or "").strip()
        at = document.find(said, *span) if said else -1
        if at >= 0:
            exact = declared.strategy is Strategy.CHARACTERS
            return declared if exact else declared._replace(start_char=at, end_char=at + len(said))
        words = _WORD.findall(_TAG.sub("", said).casefold())
        if len(words) < _CHECKED_WORDS:
            return declared
        wanted = _sequences(words)
        shown = set(_sequences(_WORD.findall(document[slice(*span)].casefold())))
        if 2 * sum(one in shown for one in wanted) >= len(wanted):
            return declared
        if any(_is_within(one, declared) for one in self._found(said, declared.path).passages):
            return declared
        # A text that is nowhere may be a summary, or one that a renderer changed.
        return _by_text(hit, self._found(said)) or declared._replace(strategy=Strategy.UNVERIFIED)

    def _by_text_in(self, hit: GivenHit, path: str, otherwise: HitClass, strategy: Strategy) -> PlacedHit:
        """Locate a hit in its file by its text; without it, only the file is known."""
        found = _by_text(hit, self._found(hit.text, path))
        return found or _placed(hit, path, None, otherwise, strategy)

    def _record(self, hit: GivenHit, corpus: Corpus) -> PlacedHit:
        """Find the record of a hit; a declared path is another name for it."""
        names = [name for name in (hit.id, hit.path) if name is not None]
        for name in names:
            if name in corpus:
                return _of_record(name, HitClass.EXACT, Strategy.ID)
        for name in names:
            made = self.map.mapped(name)
            record = made.document if isinstance(made, Page) else made
            if record is not None and record in corpus:
                return _of_record(record, HitClass.EXACT, Strategy.MAP)
        found = self._found(hit.text)
        records = dict.fromkeys(one.path for one in found.passages)
        own = hit.id or hit.path
        if not records:
            return _of_record(own, HitClass.NO_FILE if own is not None else HitClass.NO_TEXT, Strategy.NONE)
        strategy = Strategy.TEXT if found.share == 1 else Strategy.PART
        if len(records) == 1:
            return _of_record(next(iter(records)), HitClass.EXACT, strategy)
        several = _of_record(own, HitClass.SEVERAL, strategy)
        few = len(found.passages) <= _COPIES
        return several._replace(copies=tuple(map(HitCopy, records)) if few else ())

    def _found(self, text: str | None, path: str | None = None) -> FoundText:
        return self.reader.lookup.find_text(text or "", path)


def _sequences(words: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + _SEQUENCE]) for at in range(len(words) - _SEQUENCE + 1)]


def _normal(path: str) -> str | None:
    try:
        return normal_path(path)
    except LocationError:
        return None


def _placed(
    hit: GivenHit, path: str | None, lines: Lines | None, hit_class: HitClass, strategy: Strategy
) -> PlacedHit:
    name = hit.id or (hit.path if path is None else None)
    start, end = (None, None) if lines is None else (lines.start, lines.end)
    return PlacedHit(name, path, start, end, None, None, hit_class, strategy)


def _several(hit: GivenHit, copies: tuple[HitCopy, ...], strategy: Strategy) -> PlacedHit:
    placed = _placed(hit, None, None, HitClass.SEVERAL, strategy)
    return placed._replace(copies=copies if len(copies) <= _COPIES else ())


def _of_record(name: str | None, hit_class: HitClass, strategy: Strategy) -> PlacedHit:
    return PlacedHit(name, None, None, None, None, None, hit_class, strategy)


def _by_text(hit: GivenHit, found: FoundText) -> PlacedHit | None:
    if len(found.passages) == 1:
        return _at_passage(hit, found.passages[0], found.share)
    if not found.passages:
        return None
    copies = tuple(
        HitCopy(None, one.path, one.lines.start, one.lines.end, one.start, one.end) for one in found.passages
    )
    placed = _several(hit, copies, Strategy.TEXT if found.share == 1 else Strategy.PART)
    paths = {one.path for one in found.passages}
    return placed._replace(path=paths.pop()) if len(paths) == 1 else placed


def _at_passage(hit: GivenHit, one: Passage, share: float) -> PlacedHit:
    strategy = Strategy.TEXT if share == 1 else Strategy.PART
    placed = _placed(hit, one.path, one.lines, HitClass.EXACT, strategy)
    return placed._replace(start_char=one.start, end_char=one.end)


def _is_within(one: Passage, declared: PlacedHit) -> bool:
    """Check whether a passage lies in declared lines, or contains all of them."""
    start, end = declared.start or 0, declared.end or 0
    inside = start <= one.lines.start and one.lines.end <= end
    return inside or (one.lines.start <= start and end <= one.lines.end)


# ---- tables of hits

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
"""The number of hits that are cached: most occur in the answers to other queries."""


class Placer:
    """Locates the hits of a suite's runs. Threads may share it.

    Hits that declare what the corpus has are located a table at a time, the others one by one.

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
        """Prepare the rules of the suite and of the system.

        Args:
            corpus: The documents.
            map_rules: The rules of the suite.
            locate_rules: The rules of the system.
            count_tokens: Estimate the tokens of hits that have neither a count nor a text.
            names: The judged paths and ids if there is no corpus (`urls.judged_names`).

        Raises:
            InputError: for a rule with an invalid pattern or template.
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
        return self._locator.map.unused

    def place(self, hits: pl.DataFrame, texts: Sequence[str | None]) -> pl.DataFrame:
        """Return hits with their locations, classes and strategies, and with what they declared before.

        Args:
            hits: The columns id, path, start, end and text, and optionally start_char, end_char and unit.
            texts: The text of each hit.
        """
        with self._lock:
            placed = self._place(hits, texts)
            return self._in_one_name_space(placed) if self._names else placed

    def place_hits(self, hits: Sequence[Hit]) -> list[PlacedHit]:
        """Locate hits that are not in a table."""
        with self._lock:
            return [
                self._placed(GivenHit(hit.id, hit.path, hit.lines, hit.text, hit.characters)) for hit in hits
            ]

    def _place(self, hits: pl.DataFrame, texts: Sequence[str | None]) -> pl.DataFrame:
        easy = self._easy(hits)
        if easy.all():
            return self._with_tokens(self._as_declared(hits))
        rows = hits.with_row_index("row")
        parts = [self._as_declared(rows.filter(easy))] if easy.any() else []
        hard = rows.filter(~easy) if parts else rows
        if self._reads_id_lines(hard):
            located, found = _with_id_lines(hard, self._end)
            if found.any():
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
        ends = dict.fromkeys(self._names, _ANY_LINE)
        located, found = _with_id_lines(bare, lambda name: ends.get(name, 0))
        located = located.with_columns(id=pl.when(pl.col("path").is_in(ids)).then("path").otherwise("id"))
        changed = pl.concat([named, located.filter(found)], how="diagonal_relaxed").select(hits.columns)
        left = hits.filter(~pl.col("row").is_in(changed["row"].to_list()))
        return pl.concat([left, changed], how="vertical_relaxed").sort("row").drop("row")

    def _reads_id_lines(self, hits: pl.DataFrame) -> bool:
        """Check whether ids may be files and lines, and nothing else locates these hits."""
        corpus, rules = self._locator.corpus, self._locator.rules
        if corpus is None or corpus.records or self._locator.map or rules.changes_paths:
            return False
        names = [name for name in ("path", "start", "text", "start_char") if name in hits.columns]
        if not rules.counts_lines or any(hits[name].count() for name in names):
            return False
        if self._colons is None:
            # If the name of a file has a colon, an id may be that name.
            self._colons = any(":" in path for path in corpus.paths())
        return not self._colons

    def _easy(self, hits: pl.DataFrame) -> pl.Series:
        """Mark the hits that need no rule: they declare lines of the corpus, or it has their record."""
        corpus, path, start = self._locator.corpus, hits["path"], hits["start"]
        if corpus is not None and corpus.records:
            ids = hits["id"].unique().drop_nulls()
            known = pl.Series([name for name in ids if name in corpus], dtype=pl.String)
            return hits["id"].is_in(known).fill_null(value=False)
        nothing = pl.Series([False]).new_from_index(0, len(hits))
        if not self._locator.rules.counts_lines or (corpus is None and self._locator.map):
            return nothing
        if corpus is not None and not path.count():
            return nothing
        names = path.unique().drop_nulls().to_list()
        ends = path.replace_strict(names, list(map(self._end, names)), default=0, return_dtype=pl.Int64)
        if corpus is None:
            easy = (start.is_not_null() | path.is_not_null()) & (ends > 0)
            easy |= path.is_null() & start.is_null() & hits["id"].is_not_null()
        else:
            easy = start.is_not_null() & (hits["end"] <= ends).fill_null(value=False) & hits["text"].is_null()
        return easy & hits["start_char"].is_null() if "start_char" in hits.columns else easy

    def _end(self, name: str) -> int:
        """Return the last line of a file; 0 for a name that is not spelled as in the corpus."""
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
        named, ranged = pl.col("path").is_not_null(), pl.col("start").is_not_null()
        where = (
            pl.when(named & ranged)
            .then(pl.lit(HitClass.EXACT.value))
            .when(named)
            .then(pl.lit(HitClass.FILE.value))
            .otherwise(pl.lit(HitClass.OPAQUE.value))
        )
        how = pl.when(named).then(pl.lit(Strategy.DECLARED.value)).otherwise(pl.lit(Strategy.NONE.value))
        return hits.with_columns(where.alias("class"), how.alias("strategy"))

    def _located(self, hits: pl.DataFrame, texts: Sequence[str | None]) -> pl.DataFrame:
        """Locate hits one by one, and equal ones once."""
        every = counted_steps(_given(hits, texts), "locating hits", hits.height)
        found = [self._placed(one) for one in every]
        placed = pl.DataFrame(
            [(*one[:-1], [*one.copies] or None) for one in found], schema=_PLACED, orient="row"
        )
        said = hits
        if "unit" in hits.columns:
            # A start of 0 is stored as it was given, because a report names what it may count.
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
        """Estimate the tokens of hits that have neither a count nor a text, by the corpus."""
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
        """Estimate the tokens of lines, characters or a record; None for a file without lines."""
        if where in self._tokens:
            return self._tokens[where]
        if len(self._tokens) >= _KEPT:
            self._tokens.clear()
        record, path, start, end, first, behind = where
        reader, counted = self._locator.reader, None
        name = record if self._locator.corpus is not None and self._locator.corpus.records else path
        if name is not None and reader.has(name) and not (start is None and name == path):
            try:
                text = reader.text_of(name)
                # A chunk may begin and end inside a line.
                counted = estimated_tokens(
                    text.between(start, end) if first is None else text.whole[first:behind]
                )
            except InputError:
                # The file has changed during the run, so its text of now was not returned.
                counted = None
        self._tokens[where] = counted
        return counted

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
    """Return hits with the locations that their ids are, such as ``a.md:10-50``, and which have one.

    Ids with escapes, headings or symbols are left out, and ids whose lines are not plain numbers within the
    file. `last_line` returns the last line of a file by its path, 0 if the corpus does not have it.
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

"""The hits of a page: read from a run, with the targets that each reaches and the text that it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from rankgate.model.wording import no_titles
from rankgate.reports.page.model import PageHit
from rankgate.reports.rankings import hit_mark, hit_text, hit_title
from rankgate.reports.text.printable import printable
from rankgate.runs.store.columns import SNIPPET_BYTES
from rankgate.runs.store.tables import HoldsTexts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rankgate.model import Case
    from rankgate.model.wording import TitleOf
    from rankgate.reports.page.texts import Texts
    from rankgate.runs.store.hits import HitRow
    from rankgate.runs.store.tables import Run
    from rankgate.scoring.placements import JudgedHits

    TextOf: TypeAlias = Callable[[str, int | None, int | None], str | None]

MOST_HITS = 20
"""How many hits of a query are shown."""
FIRST = 3
"""How many hits of every query get their text before any other does."""
_READ = 8192
_AROUND = 20
_LENGTH = 60


def kept_texts(run: Run, hashes: Sequence[str], most: int) -> dict[str, str]:
    """Read the texts that a run kept, in the order of `hashes` as far as so many characters go."""
    sizes: dict[str, int] = {}
    for shard in run.shards():
        if isinstance(shard, HoldsTexts):
            lengths = pl.col("text").str.len_chars().clip(upper_bound=_READ)
            sizes.update(shard.read_texts().select("hash", lengths).iter_rows())
    room, wanted = most, []
    for name in dict.fromkeys(hashes):
        if name in sizes and room > 0:
            wanted.append(name)
            room -= sizes[name]
    found: dict[str, str] = {}
    for shard in run.shards() if wanted else ():
        if isinstance(shard, HoldsTexts):
            texts = shard.read_texts().filter(pl.col("hash").is_in(wanted))
            found.update(texts.select("hash", pl.col("text").str.slice(0, _READ)).iter_rows())
    return found


class HitLayout:
    """Takes the texts of hits, those of the queries that matter most first."""

    def __init__(
        self, texts: Texts, placed: JudgedHits, text_of: TextOf | None, titles: TitleOf = no_titles
    ) -> None:
        self._texts = texts
        self.placed = placed
        """Where the targets ended up."""
        self._text_of = text_of
        self.titles = titles
        """Returns the heading or symbol of lines."""
        self._numbers: dict[tuple[str, int], int] = {}
        self._seen: dict[tuple[object, ...], int] = {}

    def take(self, run: Run, hits: Mapping[str, Sequence[HitRow]], order: Iterable[Sequence[str]]) -> None:
        """Take the texts of hits: of some queries before others, and of the first hits before the rest."""
        rows = [
            hit
            for queries in order
            for part in (slice(FIRST), slice(FIRST, None))
            for query in queries
            for hit in hits.get(query, ())[part]
        ]
        hashes = [hit.text for hit in rows if hit.text is not None]
        kept = kept_texts(run, hashes, 2 * self._texts.room.characters)
        for hit in rows:
            number = self._number(hit, kept)
            if number is not None:
                self._numbers[hit.query, hit.rank] = number

    def hit(self, case: Case, hit: HitRow, numbers: Mapping[int, int], move: str = "") -> PageHit:
        """Lay out a hit; `numbers` says where the targets of its query stand in the list."""
        placed, key = self.placed, (hit.query, hit.rank)
        grade = placed.grades.get(key)
        reached = {numbers[target] for target in placed.reached.get(key, ()) if target in numbers}
        return PageHit(
            location=printable(hit_text(hit)),
            mark=hit_mark(case, placed, hit.rank),
            grade="" if grade is None else f"{grade:g}",
            targets=tuple(sorted(reached)),
            score="" if hit.score is None else f"{hit.score:.4g}",
            text=self._numbers.get(key),
            marked=self.marked(hit),
            move=move,
            title=hit_title(hit, self.titles),
        )

    def marked(self, hit: HitRow) -> tuple[tuple[int, int], ...]:
        """Return the lines that targets cover, as far as the hit has them."""
        if hit.path is None or (hit.query, hit.rank) not in self.placed.reached:
            return ()
        reached = set(self.placed.reached[hit.query, hit.rank])
        found = set()
        for row in self.placed.targets.get(hit.query, ()):
            start, end = row["start"], row["end"]
            if row["target"] not in reached or not isinstance(start, int) or not isinstance(end, int):
                continue
            if float(str(row["grade"])) <= 0:
                continue
            first = start if hit.start is None else max(start, hit.start)
            last = end if hit.end is None else min(end, hit.end)
            if first <= last:
                found.add((first, last))
        return tuple(sorted(found))

    def _number(self, hit: HitRow, kept: Mapping[str, str]) -> int | None:
        marked = self.marked(hit)
        # Equal hits show equal texts: neither is looked up twice.
        key = (hit.text, hit.id if hit.path is None else None, hit.path, hit.start, hit.end, marked[:1])
        if key in self._seen:
            return self._seen[key]
        text = None if hit.text is None else kept.get(hit.text)
        first = None if text is None else _first_line(hit, text)
        if self._texts.full:
            if text is not None or hit.text is not None or self._text_of is not None:
                self._texts.left_out += 1
            return None
        if text is None or (first is None and marked):
            named = self._of_corpus(hit, marked)
            text, first = named if named[0] is not None else (text, first)
        if text is None:
            return None
        number = self._texts.add(text, first, hit.path or "", marked)
        if number is not None:
            self._seen[key] = number
        return number

    def _of_corpus(self, hit: HitRow, marked: Sequence[tuple[int, int]]) -> tuple[str | None, int | None]:
        if self._text_of is None:
            return None, None
        if hit.path is None:
            return (None, None) if hit.id is None else (self._text_of(hit.id, None, None), None)
        start, end = hit.start, hit.end
        if start is None or end is None:
            start = max(1, marked[0][0] - _AROUND) if marked else 1
            end = start + _LENGTH
        return self._text_of(hit.path, start, end), start


def _first_line(hit: HitRow, text: str) -> int | None:
    """Return the line that a returned text begins with; None where it is not the lines that the hit names."""
    if hit.start is None or hit.end is None:
        return None
    lines = text.removesuffix("\n").count("\n") + 1
    span = hit.end - hit.start + 1
    # What was kept may be the start of the text.
    return hit.start if lines == span or (lines < span and len(text.encode()) >= SNIPPET_BYTES - 4) else None

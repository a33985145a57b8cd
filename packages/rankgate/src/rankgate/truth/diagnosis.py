"""Why hits have no location, and the one setting that would give it to them.

A search whose hits are not where the corpus is scores 0 and looks like a bad one. What is wrong is most often
one thing: a prefix, an extension, the case of letters, offsets that are taken for lines.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import escaped
from rankgate.model.placing import LEAST_HITS, HitClass, LocateRules, Strategy
from rankgate.model.wording import many

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.corpora.corpus import Corpus

_MOST_NAMES = 2000
_ALIKE = 20
"""How many files of one name are compared with a name."""
_NEAR = 8
"""How many characters offsets may be away from the first letter of a text: white space, or a mark."""
CLEAR = 0.8
"""A rule that mends so many of the hits is the one that is missing."""


@dataclass(frozen=True, slots=True)
class MappingFault:
    """What keeps hits from their locations."""

    said: str
    """What was found, with counts and an example."""
    fix: str
    """The setting that mends it, or what to do."""
    rules: LocateRules | None = None
    """How locations are named; None where no such setting will do."""

    def __str__(self) -> str:
        return f"{self.said}: {self.fix}"


def diagnose(
    hits: pl.DataFrame, corpus: Corpus, *, wants_lines: bool, files: Mapping[str, str]
) -> tuple[MappingFault, ...]:
    """Find what is wrong with the locations of hits; nothing where most are where they say.

    Args:
        hits: The hits of a run, placed: id, path, start, end, start_char, class, strategy and given.
        corpus: What they were placed in.
        wants_lines: True where targets are lines of files.
        files: The files that names stand for by the rules there are: such names are not wrong.
    """
    if len(hits) < LEAST_HITS:
        return ()
    faults = (
        _paths(hits, corpus, files),
        _lines(hits, corpus),
        _files_only(hits) if wants_lines else None,
        _texts(hits),
        _opaque(hits),
    )
    return tuple(fault for fault in faults if fault is not None)


def _paths(hits: pl.DataFrame, corpus: Corpus, files: Mapping[str, str]) -> MappingFault | None:
    """Find paths that the corpus does not have, and what would make files of it of them."""
    given = pl.col("given").struct.field("path")
    unnamed = pl.col("class").is_in([HitClass.NO_FILE.value, HitClass.OPAQUE.value])
    meant = given.replace_strict(dict(files), default=given, return_dtype=pl.String)
    by_text = given.is_not_null() & (meant != pl.col("path")) & _by_text()
    # Files that are there and no documents may be named like some that are: no rule makes those of them.
    left_out = unnamed & pl.coalesce("path", "id").is_in([*corpus.skipped]).fill_null(value=False)
    skipped = hits.filter(left_out)
    if skipped.height * 2 > len(hits):
        return _skipped(skipped, hits, corpus)
    names = (
        hits.filter((unnamed & ~left_out) | by_text)
        .select(name=pl.coalesce(given, "path", "id"))
        .drop_nulls()
        .group_by("name")
        .len()
        .sort("len", "name", descending=[True, False])
    )
    total = int(names["len"].sum())
    if not total:
        return None
    rules, mended = best_rules(dict(names.head(_MOST_NAMES).iter_rows()), corpus)
    said = f"{_of(total, hits)} name files that the corpus does not have, such as {escaped(names['name'][0])}"
    if rules is not None and mended >= max(CLEAR * total, 2):
        return MappingFault(said, f"set {rules}", rules)
    missing = hits.filter(pl.col("class") == HitClass.NO_FILE.value).height
    if missing * 2 <= len(hits):
        return None
    known = escaped(corpus.paths()[0]) if len(corpus) else "nothing"
    fix = f"index the corpus of the suite (it has {known}), or name the corpus that was indexed"
    return MappingFault(said, fix)


def _skipped(skipped: pl.DataFrame, hits: pl.DataFrame, corpus: Corpus) -> MappingFault:
    """Return that a system searches files that the suite leaves out."""
    name = str(skipped.select(pl.coalesce("path", "id")).to_series().sort()[0])
    such = f"{escaped(name)} ({escaped(corpus.skipped[name])})"
    said = f"{_of(len(skipped), hits)} name files that are not documents of the suite, such as {such}"
    fix = "leave such files out of the index, or change include and exclude of the corpus"
    return MappingFault(said, fix)


def _by_text() -> pl.Expr:
    return pl.col("strategy").is_in([Strategy.TEXT.value, Strategy.PART.value])


def best_rules(names: Mapping[str, int], corpus: Corpus) -> tuple[LocateRules | None, int]:
    """Return the rules that give most hits a file, and to how many."""
    alike: dict[str, list[str]] = defaultdict(list)
    for path in corpus.paths():
        alike[_stem(path)].append(path)
    votes: Counter[LocateRules] = Counter()
    for name, number in names.items():
        rules = {found for path in alike[_stem(name)][:_ALIKE] if (found := _rules(name, path)) is not None}
        votes.update(dict.fromkeys(rules, number))
    if not votes:
        return None, 0
    # Of rules that mend as much, the shortest says least that is not so.
    best = max(votes, key=lambda one: (votes[one], -len(str(one))))
    return best, votes[best]


def _bare(name: str) -> str:
    return name.split("#", maxsplit=1)[0].split("?", maxsplit=1)[0].replace("\\", "/").rstrip("/")


def _stem(name: str) -> str:
    return PurePosixPath(_bare(name)).stem.casefold()


def _rules(name: str, path: str) -> LocateRules | None:
    """Return what makes a name the path of a file; None where nothing simple does."""
    suffix = PurePosixPath(path).suffix
    bare = _bare(name)
    lacks = bool(suffix) and not bare.casefold().endswith(suffix.casefold())
    short = path[: -len(suffix)] if lacks else path
    for ignore_case in (False, True):
        given, wanted = (bare.casefold(), short.casefold()) if ignore_case else (bare, short)
        add = suffix if lacks else ""
        if given == wanted:
            return LocateRules(add_suffix=add, ignore_case=ignore_case)
        if given.endswith(f"/{wanted}"):
            return LocateRules(name[: len(bare) - len(short)], "", add, ignore_case)
        if wanted.endswith(f"/{given}"):
            return LocateRules("", path[: len(short) - len(bare)], add, ignore_case)
    return None


def _lines(hits: pl.DataFrame, corpus: Corpus) -> MappingFault | None:
    """Find lines that contradict the text or the length of their file, and what they may be instead."""
    given = pl.col("given").struct
    same_file = given.field("start").is_not_null() & (given.field("path") == pl.col("path"))
    moved = hits.filter(same_file & _by_text())
    past = hits.filter(pl.col("class") == HitClass.PAST_END.value)
    number = len(moved) + len(past)
    declared = hits.filter(pl.col("start").is_not_null()).height + len(past)
    if number * 10 <= declared:
        return None
    said = f"{_of(number, hits)} have lines that their file does not have or that are not where their text is"
    rows = moved.select("start", "end", "start_char", first=given.field("start"), last=given.field("end"))
    from_zero = rows.filter((pl.col("start") == pl.col("first") + 1) & (pl.col("end") == pl.col("last") + 1))
    apart = pl.col("start_char").cast(pl.Int64) - pl.col("first").cast(pl.Int64)
    offsets = rows.filter(apart.abs() <= _NEAR).height + _within(past, corpus)
    for counted, rules, words in (
        (len(from_zero), LocateRules(lines_from=0), "they count from 0"),
        (offsets, LocateRules(start_end="characters"), "they count characters"),
    ):
        if counted >= CLEAR * number:
            return MappingFault(said, f"{words}, set {rules}", rules)
    fix = "index the corpus of the suite again, which is not what was indexed"
    return MappingFault(said, fix)


def _within(past: pl.DataFrame, corpus: Corpus) -> int:
    """Count the lines that would be characters of their file, and are too many to be lines by mistake."""
    rows = past.select("path", pl.col("given").struct.field("end")).drop_nulls().iter_rows()
    return sum(
        path in corpus and 2 * corpus.lines(path) < end <= len(corpus.text(path)) for path, end in rows
    )


def _files_only(hits: pl.DataFrame) -> MappingFault | None:
    files = hits.filter(pl.col("class") == HitClass.FILE.value)
    if len(files) * 2 <= len(hits):
        return None
    said = f"{_of(len(files), hits)} name a file and no lines, and targets of the suite are lines"
    fix = "return start and end of each hit, or its text"
    if files["text"].null_count() * 2 < len(files):
        fix = f"{fix} as it is: what they return does not stand in their file"
    return MappingFault(said, fix)


def _texts(hits: pl.DataFrame) -> MappingFault | None:
    lost = hits.filter(pl.col("class") == HitClass.NO_TEXT.value).height
    tried = lost + hits.filter(_by_text()).height
    if not lost or lost * 10 <= tried:
        return None
    said = f"the text of {lost:,} of {many(tried, 'hit')} that have nothing else is not in the corpus"
    return MappingFault(said, "return the path and lines of each hit, or its text as the corpus has it")


def _opaque(hits: pl.DataFrame) -> MappingFault | None:
    opaque = hits.filter(pl.col("class") == HitClass.OPAQUE.value)
    if len(opaque) * 2 <= len(hits):
        return None
    example = escaped(str(opaque["id"].min()))
    said = f"{_of(len(opaque), hits)} have an id alone, such as {example}, and targets are locations"
    fix = "return the path and lines or the text of each hit, or write a map rule"
    return MappingFault(said, fix)


def _of(number: int, hits: pl.DataFrame) -> str:
    return f"{number:,} of {many(len(hits), 'hit')}"

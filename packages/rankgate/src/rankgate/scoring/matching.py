"""Joining a run with judgments: which hit reaches which target.

Ids are equal or not. Locations agree by path, and by lines as `Matching` says: any overlap, unless the
suite asks for more; by characters where both sides know them, since a line may be a whole paragraph. Texts,
which labels that are estimated name, are equal by their hash or not. Shards are joined in batches, large
enough to be worth it, small enough for any machine, and read ahead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from rankgate.errors import Code, InputError
from rankgate.model import Answer, MatchBy
from rankgate.runs.store.hits import collected
from rankgate.scoring.locations import (
    CHARACTERS,
    copies_of,
    hit_files,
    line_spans,
    settled,
    shares_characters,
    with_copies,
)
from rankgate.scoring.matches import HitTokens, Matches, Pairs, QueryEnds, first_of
from rankgate.scoring.truth_table import ints

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.model import Matching
    from rankgate.runs.store.tables import RunShard
    from rankgate.scoring.matches import Bools, Floats, Ints
    from rankgate.scoring.truth_table import TruthTable


@dataclass(frozen=True, slots=True)
class JudgedQueries:
    """The judged queries of a shard, in ascending order of their numbers."""

    number: Ints
    """Each query's number among all judged queries."""
    frame: pl.DataFrame
    """query, status, latency_ms and hits of each, and those left out where any are, in the same order."""

    @property
    def answered(self) -> Bools:
        """Where the system gave an answer; what else it returned does not count."""
        return (self.frame["status"] == Answer.OK.value).to_numpy()

    @property
    def failed(self) -> Bools:
        """Where the system gave no answer: an error or a time-out."""
        return self.frame["status"].is_in([Answer.ERROR.value, Answer.TIMEOUT.value]).to_numpy()

    @property
    def latency(self) -> Floats:
        """Milliseconds; NaN for an error, which is no answer in any time, and where none was measured."""
        measured = self.frame["latency_ms"].to_numpy().astype(np.float64)
        return np.where((self.frame["status"] == Answer.ERROR.value).to_numpy(), np.nan, measured)

    @property
    def empty(self) -> Bools:
        """Where no hit came back."""
        return (self.frame["hits"] == 0).to_numpy() | ~self.answered

    def local(self) -> pl.DataFrame:
        """Return the answered queries and their numbers among these, from 0, as q."""
        return self.frame.select("query").with_row_index("q").filter(pl.Series(self.answered))


class FollowingQueries:
    """Finds the judged queries of shards that mostly come in the order of the judgments.

    What comes in order is not looked up: among 10^7 queries that takes longer than scoring a shard.
    """

    def __init__(self, names: pl.DataFrame) -> None:
        """Begin with the first of `names`, which has each query once, with its number in column q."""
        self._names, self._next = names, 0

    def asked(self, shard: RunShard) -> JudgedQueries:
        """Find the judged queries of the next shard."""
        queries = shard.queries
        there = self._names[self._next : self._next + len(queries)]
        if there["query"].equals(queries["query"]):
            these = JudgedQueries(ints(there["q"]), queries.hstack([there["q"]]))
        else:
            these = asked(shard, self._names)
        if len(these.number):
            self._next = int(these.number[-1]) + 1
        return these


def asked(shard: RunShard, names: pl.DataFrame) -> JudgedQueries:
    """Find the judged queries of a shard."""
    frame = shard.queries.join(names, on="query").sort("q")
    number = ints(frame["q"])
    if (number[1:] == number[:-1]).any():
        twice = frame.filter(frame["q"].is_duplicated())["query"][0]
        raise InputError(Code.DAMAGED_FILE("run", f"a query in two shards ({twice!r})", "each in one"))
    return JudgedQueries(number, frame)


def match(
    shard: RunShard,
    truth: TruthTable,
    these: JudgedQueries,
    reads: frozenset[str],
    *,
    trec: bool,
    deepest: int | None = None,
) -> Matches:
    """Join one shard with the truth about its queries, reading only the columns and ranks that are needed."""
    copies = copies_of(shard)
    found = _reached(shard, truth, these, copies, relevant="irrelevant" not in reads, deepest=deepest)
    answered = these.answered
    pairs = _pairs(truth, found)
    columns = ["path", "start", "end", *CHARACTERS] if "spans" in reads else []
    columns += ["tokens"] if "tokens" in reads else []
    columns += ["path", "id"] if "files" in reads else []
    hits = shard.scan_hits([*dict.fromkeys(["query", "rank", *columns])])
    ends = QueryEnds(answered, these.failed, truth.expect_empty, these.empty)
    wanted, shown, unspanned = None, None, None
    if "spans" in reads:
        every = collected(hits.join(these.local().lazy().select("query"), on="query", how="semi"))
        every = every if copies is None else settled(every, copies, _through(truth, found))
        wanted, shown, unspanned = line_spans(every, these.local(), truth)
    return Matches(
        size=truth.size,
        units=truth.units,
        pairs=pairs,
        returned=np.where(answered, these.frame["hits"].to_numpy(), 0).astype(np.int64),
        exhaustive=truth.exhaustive,
        answers=ends if "answers" in reads else None,
        max_grade=truth.max_grade,
        lowest=truth.lowest,
        trec=trec,
        latency=these.latency,
        tokens=_tokens(hits, these.local(), truth.size) if "tokens" in reads else None,
        target_spans=wanted,
        hit_spans=shown,
        unspanned=unspanned,
        hit_files=hit_files(collected(hits), these.local()) if "files" in reads else None,
    )


def reached(shard: RunShard, truth: TruthTable, these: JudgedQueries, *, relevant: bool = False) -> Reached:
    """Find the hits of one shard that reach targets, or only those with a grade above 0."""
    return _reached(shard, truth, these, copies_of(shard), relevant=relevant)


def _reached(
    shard: RunShard,
    truth: TruthTable,
    these: JudgedQueries,
    copies: pl.DataFrame | None,
    *,
    relevant: bool,
    deepest: int | None = None,
) -> Reached:
    columns = ["query", "rank"]
    columns += ["id"] if truth.has_ids else []
    columns += ["path", "start", "end"] if truth.has_paths else []
    columns += CHARACTERS if truth.characters is not None else []
    columns += ["text"] if truth.has_texts else []
    hits = with_copies(shard.scan_hits(columns), copies, columns)
    if deepest is not None:
        hits = hits.filter(pl.col("rank") <= deepest)
    targets = np.flatnonzero(truth.grade > 0) if relevant else np.arange(len(truth.grade))
    parts = [_by_name(hits, targets, "id", truth)] if truth.has_ids else []
    parts += [_by_location(hits, targets, truth)] if truth.has_paths else []
    parts += [_by_name(hits, targets, "text", truth)] if truth.has_texts else []
    found, answered = _together(parts), these.answered
    return found if answered.all() else found.take(answered[truth.query[found.target]])


@dataclass(frozen=True, slots=True)
class Reached:
    """Hits that reach targets, in any order, some in two ways."""

    target: Ints
    """The target's row in the truth table."""
    rank: Ints
    """The hit's rank, from 1."""
    start: Ints
    """The hit's first line; 0 where it has none, or none is looked at."""
    end: Ints
    """Its last line."""
    first: Ints
    """The hit's first character, -1 where it is not known; empty where none is looked at."""
    behind: Ints
    """The character behind its last."""

    def take(self, rows: Bools | Ints) -> Reached:
        """Keep some rows."""
        first, behind = (column[rows] if len(column) else column for column in (self.first, self.behind))
        return Reached(self.target[rows], self.rank[rows], self.start[rows], self.end[rows], first, behind)

    def places(self) -> tuple[Ints, Ints]:
        """Return what tells two places of a target apart: characters where they are known, or lines."""
        if not len(self.first):
            return self.start, self.end
        known = self.first >= 0
        # No file has so many lines, so that characters are never taken for lines.
        return (
            np.where(known, self.first + _APART, self.start),
            np.where(known, self.behind + _APART, self.end),
        )


_NONE = np.zeros(0, dtype=np.int64)
_APART = 1 << 33


def _by_name(hits: pl.LazyFrame, targets: Ints, name: str, truth: TruthTable) -> Reached:
    """Join on one name: the id, or the hash of the text."""
    joined = _joined(hits, targets, name, {"rank": pl.col("rank")}, truth)
    none = np.zeros(len(joined), dtype=np.int64)
    return Reached(ints(joined["t"]), ints(joined["rank"]), none, none, _NONE, _NONE)


def _by_location(hits: pl.LazyFrame, targets: Ints, truth: TruthTable) -> Reached:
    more: dict[str, pl.Expr] = {}
    if truth.characters is not None:
        more = {name: pl.col(name).cast(pl.Int64).fill_null(-1) for name in CHARACTERS}
    lines = {name: pl.col(name).fill_null(0) for name in ("start", "end")}
    columns = {"rank": pl.col("rank"), **lines, **more}
    joined = _joined(hits, targets, "path", columns, truth)
    target, rank, start, end = (ints(joined[name]) for name in ("t", "rank", "start", "end"))
    first, behind = (ints(joined[name]) if name in more else _NONE for name in CHARACTERS)
    found = Reached(target, rank, start, end, first, behind)
    reaching = _reaches(truth.matching, truth.start[target], truth.end[target], start, end)
    if truth.characters is not None:
        wanted = (truth.characters[0][target], truth.characters[1][target])
        reaching &= shares_characters(truth.matching, wanted, (first, behind))
        # A target without characters is reached by lines, whatever other targets of the table have.
        known = wanted[0] >= 0
        found = replace(found, first=np.where(known, first, -1), behind=np.where(known, behind, -1))
    return found.take(reaching)


def _joined(
    hits: pl.LazyFrame, targets: Ints, name: str, columns: Mapping[str, pl.Expr], truth: TruthTable
) -> pl.DataFrame:
    """Return t of each target and some columns of each hit of its query with the same name."""
    wanted = truth.named(["query", name], targets).with_columns(t=pl.Series(targets))
    found = hits.select("query", name, **columns).join(wanted.lazy(), on=["query", name])
    return collected(found.select("t", *columns))


def _reaches(rule: Matching, start: Ints, end: Ints, hit_start: Ints, hit_end: Ints) -> Bools:
    """Return which hits reach targets of the same path; a start of 0 stands for no lines."""
    whole_file = start == 0
    if rule.by is MatchBy.PATH:
        return np.ones(len(start), dtype=bool)
    shared = np.minimum(end, hit_end) - np.maximum(start, hit_start) + 1
    wanted = end - start + 1
    either = wanted + (hit_end - hit_start + 1) - shared
    # A target shorter than min_lines is reached when the hit holds all of it.
    enough = (shared >= np.minimum(rule.min_lines, wanted)) & (shared >= rule.min_fraction * wanted - 1e-9)
    enough &= shared >= rule.iou * either - 1e-9
    reached: Bools = whole_file | ((hit_start > 0) & enough)
    return reached


def _pairs(truth: TruthTable, found: Reached) -> Pairs:
    """Sort what was found by query, rank and unit, and mark repeats."""
    at = truth.query[found.target] * (int(found.rank.max(initial=0)) + 1) + found.rank
    order = np.argsort(at)
    if (at[order][1:] == at[order][:-1]).any():
        order = np.lexsort((-truth.grade[found.target], truth.unit[found.target], at))
    found = found.take(order)
    target = found.target
    pairs = Pairs(
        truth.query[target],
        found.rank,
        truth.unit[target],
        truth.grade[target],
        _repeats(target, *found.places(), len(truth.query)),
    )
    # Of the places of one unit that a hit reaches, the best stands for all; but for those that were returned
    # before, which earn nothing and stand apart.
    several = ~pairs.new_hit()[1:] & (pairs.unit[1:] == pairs.unit[:-1])
    if not several.any():
        return pairs
    pairs = pairs.take(np.lexsort((-pairs.grade, pairs.repeat, pairs.unit, pairs.rank, pairs.query)))
    twice = np.zeros(len(pairs), dtype=bool)
    twice[1:] = several & (pairs.repeat[1:] == pairs.repeat[:-1])
    return pairs.take(~twice)


def _together(parts: list[Reached]) -> Reached:
    if len(parts) == 1:
        return parts[0]
    columns = {name: [getattr(part, name) for part in parts] for name in Reached.__slots__}
    for name in ("first", "behind"):
        # Ways that look at no characters know none.
        if any(map(len, columns[name])):
            columns[name] = [
                some if len(some) else np.full(len(part.target), -1, np.int64)
                for some, part in zip(columns[name], parts, strict=True)
            ]
    return Reached(*(np.concatenate([_NONE, *columns[name]]) for name in Reached.__slots__))


def _repeats(target: Ints, start: Ints, end: Ints, targets: int) -> Bools:
    """Mark hits whose location was returned before: the same target reached through the same lines."""
    again = ~first_of(target, targets)
    if not start.any() or not again.any():
        return again
    # `order` is stable, so of equal locations the first stays the one with the better rank.
    order = np.lexsort((end, start, target))
    same = (np.diff(target[order]) == 0) & (np.diff(start[order]) == 0) & (np.diff(end[order]) == 0)
    repeat = np.zeros(len(target), dtype=bool)
    repeat[order[1:][same]] = True
    return repeat


def _tokens(hits: pl.LazyFrame, local: pl.DataFrame, size: int) -> HitTokens:
    rows = collected(hits.select("query", "rank", "tokens").join(local.lazy(), on="query")).sort("q", "rank")
    if rows["tokens"].null_count():
        found = f"{rows['tokens'].null_count()} of {len(rows)} hits without a token count"
        fix = "have the system return tokens, texts, or lines of the suite's corpus, and ask it again"
        raise InputError(Code.METRIC_NEEDS("run", found, "tokens on every hit", fix))
    query, tokens = ints(rows["q"]), ints(rows["tokens"])
    running = np.concatenate([[0], np.cumsum(tokens)])
    first = np.searchsorted(query, np.arange(size))
    return HitTokens(query, ints(rows["rank"]), running[1:] - running[first[query]])


def _through(truth: TruthTable, found: Reached) -> pl.DataFrame:
    """List the lines through which hits reached relevant targets, and what speaks for each."""
    found = found.take(truth.grade[found.target] > 0)
    found = found.take(np.lexsort((found.rank, truth.query[found.target])))
    repeated = _repeats(found.target, *found.places(), len(truth.query))
    rows = truth.named(["query", "path"], found.target)
    lines = {"rank": found.rank, "start": found.start, "end": found.end}
    columns = (pl.Series(name, values, dtype=pl.UInt32) for name, values in lines.items())
    worth = truth.grade[found.target]
    return rows.with_columns(*columns, pl.Series("repeated", repeated), pl.Series("worth", worth))

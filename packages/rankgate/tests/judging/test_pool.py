"""Candidates of several systems become passages: merged, blind, without what is judged already."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.corpus import OpenContext, open_source
from rankgate.judging.opened import by_rank
from rankgate.judging.pool.candidates import (
    PoolCandidate,
    Vote,
    grep_candidates,
    neighbour_candidates,
    proposed_candidates,
)
from rankgate.judging.pool.gather import PoolWishes, again
from rankgate.judging.pool.passages import MOST_LINES, MOST_PASSAGES, CorpusPassages, passages_of
from rankgate.judging.pool.pool import KnownTruth, Pool, PoolBuilder, PooledUnit
from rankgate.judging.units import JudgingUnit
from rankgate.model import Case, CorpusSource
from rankgate.truth.judgments.labels import Label, Labels
from rankgate.truth.lookup import CorpusReader, Span

if TYPE_CHECKING:
    from pathlib import Path

_KEYS = """# Keys

All about keys.

## Rotation

Rotate a key once a day.
The old one works for an hour.

## Revoking

A revoked key is dead.

## Long

""" + "".join(f"Line {number}.\n" for number in range(1, 151))
_CODE = '''"""Keys."""


class Store:
    """Has the keys."""

    def rotate(self) -> None:
        """Rotate."""
        self.key = new()

    def revoke(self) -> None:
        self.key = None
'''
_CASES = (Case("rotate", "rotate a key"), Case("revoke", "revoked key"))


@pytest.fixture
def passages(tmp_path: Path) -> CorpusPassages:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "keys.md").write_text(_KEYS)
    (docs / "store.py").write_text(_CODE)
    (docs / "data.csv").write_text("a,b\n" * 10)
    corpus = open_source(CorpusSource("docs"), OpenContext(tmp_path, tmp_path))
    return CorpusPassages(CorpusReader(corpus))


def _hit(start: int, end: int, source: str = "bm25", rank: int = 1, path: str = "keys.md") -> PoolCandidate:
    return PoolCandidate("rotate", Vote(source, rank), path, start, end)


def _locations(builder: PoolBuilder) -> list[str]:
    return sorted(pooled.unit.location for pooled in builder.pool().units)


def test_the_passages_of_a_file_do_not_overlap_and_are_never_long(passages: CorpusPassages) -> None:
    for path in ("keys.md", "store.py", "data.csv"):
        found = passages.of_file(path)
        assert found
        assert all(one.end - one.start < MOST_LINES for one in found)
        assert all(one.end < other.start for one, other in pairwise(found))
        lines = passages.reader.lines(path)
        covered = {at for one in found for at in range(one.start, one.end + 1)}
        assert {at for at, line in enumerate(lines, 1) if line.strip()} <= covered


def test_overlapping_hits_of_different_chunkers_become_one_passage(passages: CorpusPassages) -> None:
    builder = PoolBuilder(_CASES, KnownTruth(), passages)
    builder.add([_hit(5, 8), _hit(6, 8, "windows", 4), _hit(7, 7, "lines", 2)])
    (pooled,) = builder.pool().units
    assert pooled.unit.location == "keys.md:5-8"
    assert pooled.unit.outline == ("Keys", "Rotation")
    assert pooled.unit.text.startswith("## Rotation")
    assert sorted((vote.source, vote.rank) for vote in pooled.votes) == [
        ("bm25", 1),
        ("lines", 2),
        ("windows", 4),
    ]


def test_the_best_rank_of_a_source_counts_and_no_judge_sees_it(passages: CorpusPassages) -> None:
    builder = PoolBuilder(_CASES, KnownTruth(), passages)
    builder.add([_hit(5, 8, rank=7), _hit(7, 8, rank=3)])
    (pooled,) = builder.pool().units
    assert [vote.rank for vote in pooled.votes] == [3]
    assert not {"rank", "score", "votes", "source", "system"} & set(type(pooled.unit).__slots__)


def test_a_class_is_its_own_text_and_its_methods(passages: CorpusPassages) -> None:
    builder = PoolBuilder(_CASES, KnownTruth(), passages)
    builder.add([_hit(4, 12, path="store.py")])
    assert _locations(builder) == ["store.py:11-12", "store.py:4-5", "store.py:7-9"]


def test_what_is_judged_is_left_out_and_cut_out(passages: CorpusPassages) -> None:
    known = KnownTruth({"rotate": [Span("keys.md", 7, 7)]})
    builder = PoolBuilder(_CASES, known, passages)
    builder.add([_hit(5, 8), _hit(10, 12), _hit(8, 8)])
    assert _locations(builder) == ["keys.md:10-12", "keys.md:8-8"]


def test_a_huge_hit_is_judged_in_its_first_parts_and_that_is_told(tmp_path: Path) -> None:
    (tmp_path / "many.md").write_text("".join(f"## Part {number}\n\nText.\n\n" for number in range(20)))
    corpus = open_source(CorpusSource("."), OpenContext(tmp_path, tmp_path))
    builder = PoolBuilder(_CASES, KnownTruth(), CorpusPassages(CorpusReader(corpus)))
    builder.add([_hit(1, 79, path="many.md")])
    pool = builder.pool()
    assert len(pool) == MOST_PASSAGES
    assert pool.notes == ("1 hit so large that only the first parts are judged",)


def test_what_cannot_be_judged_is_counted(passages: CorpusPassages) -> None:
    builder = PoolBuilder(_CASES, KnownTruth(), passages)
    nowhere = PoolCandidate("rotate", Vote("a", 1))
    builder.add([_hit(1, 2, path="gone.md"), PoolCandidate("rotate", Vote("a", 2), "keys.md"), nowhere])
    pool = builder.pool()
    assert not pool.units
    assert pool.notes == (
        "1 hit in files that the corpus does not have",
        "1 hit without a location",
        "1 hit without lines, where lines are judged",
    )


def test_files_are_judged_whole_where_paths_alone_are_matched(passages: CorpusPassages) -> None:
    builder = PoolBuilder(_CASES, KnownTruth(), passages, whole_files=True)
    builder.add([_hit(5, 8), PoolCandidate("rotate", Vote("a", 2), "keys.md")])
    (pooled,) = builder.pool().units
    assert pooled.unit.location == "keys.md"
    assert pooled.unit.text.count("\n") == MOST_LINES - 1


def test_ids_are_judged_by_what_is_known_of_them(passages: CorpusPassages) -> None:
    builder = PoolBuilder(_CASES, KnownTruth(names={"revoke": frozenset({"k1"})}), passages)
    builder.add(
        [PoolCandidate(case, Vote("a", 1), id="k1", text="Key one.") for case in ("rotate", "revoke")]
    )
    (pooled,) = builder.pool().units
    assert (pooled.unit.case, pooled.unit.location, pooled.unit.text) == ("rotate", "k1", "Key one.")


def test_the_order_is_random_by_query_and_the_same_again(passages: CorpusPassages) -> None:
    def order(seed: int) -> list[tuple[str, str]]:
        builder = PoolBuilder(_CASES, KnownTruth(), passages)
        for case in ("rotate", "revoke"):
            spans = [(1, 3), (5, 8), (10, 12), (14, 60), (80, 100), (140, 160)]
            builder.add(
                PoolCandidate(case, Vote("a", at), "keys.md", *span) for at, span in enumerate(spans, 1)
            )
        return [pooled.unit.key for pooled in builder.pool(seed).units]

    assert order(1) == order(1)
    assert len({tuple(order(seed)) for seed in range(8)}) > 4
    for seed in range(8):
        cases = [case for case, _ in order(seed)]
        changes = sum(one != other for one, other in pairwise(cases))
        assert changes == 1


def test_plain_search_finds_what_holds_most_of_the_words(passages: CorpusPassages) -> None:
    found = list(grep_candidates(_CASES, passages))
    first = {one.case: one for one in found if one.vote.rank == 1}
    assert (first["rotate"].path, first["rotate"].start) == ("keys.md", 5)
    assert (first["revoke"].path, first["revoke"].start) == ("keys.md", 10)


def test_what_lies_beside_a_relevant_target_is_a_candidate(passages: CorpusPassages) -> None:
    found = list(neighbour_candidates({"rotate": [Span("keys.md", 5, 8)]}, passages))
    assert [(one.start, one.end) for one in found] == [(1, 3), (10, 12)]


def test_proposed_targets_are_judged_as_they_are(passages: CorpusPassages, tmp_path: Path) -> None:
    from rankgate.suites.asked_suite import asked_suite
    from rankgate.suites.formats import load_suite
    from rankgate.truth.resolve import resolve

    suite_file = tmp_path / "s.yaml"
    suite_file.write_text(
        "corpus: docs\ncases:\n  - {query: rotate a key, at: 'keys.md:6-7', source: proposed}\n"
    )
    suite = asked_suite(load_suite(suite_file))
    judgments = resolve(suite, passages.reader.corpus).judgments
    builder = PoolBuilder(suite.cases, KnownTruth.of(judgments), passages)
    builder.add(proposed_candidates(judgments))
    assert _locations(builder) == ["keys.md:6-7"]


def test_a_share_of_what_others_judged_is_judged_again_the_same_for_all() -> None:
    labels = Labels(
        tuple(Label("ada", "rotate", "rotate a key", at=f"keys.md:{at}", grade=1) for at in range(1, 501))
    )
    drawn = {who: [one.unit for one in again(labels, PoolWishes(who, overlap=0.2))] for who in ("bob", "eve")}
    assert drawn["bob"] == drawn["eve"]
    assert 70 < len(drawn["bob"]) < 130
    assert not list(again(labels, PoolWishes("ada", overlap=0.2)))


def test_lines_are_cut_alone_where_a_file_has_no_outline() -> None:
    lines = ["x"] * 45 + [""] + ["y"] * 45
    assert [(one.start, one.end) for one in passages_of(lines, ())] == [(1, 45), (47, 91)]


def test_passages_are_judged_by_rank_and_those_of_one_system_first() -> None:

    def pooled(name: str, *votes: Vote) -> PooledUnit:
        return PooledUnit(JudgingUnit(name, name, f"{name}.md:1-2"), votes)

    units = (
        pooled("plain", Vote("plain search", 1)),
        pooled("third", Vote("app", 3)),
        pooled("both", Vote("app", 1), Vote("other", 2)),
        pooled("one", Vote("other", 1)),
    )
    answers = (SimpleNamespace(name="app"), SimpleNamespace(name="other"))
    found = SimpleNamespace(pool=Pool(units), answers=answers)
    assert [unit.case for unit in by_rank(found)] == ["one", "both", "third", "plain"]  # type: ignore[arg-type]

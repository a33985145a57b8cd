"""`just pools`: what systems find on the shipped suites and nobody has judged, to be read blind.

    python benchmarks/suite_pools.py                          how much is judged, by suite, system and depth
    python benchmarks/suite_pools.py --only docs --hits FILE  ask all queries, keep the hits, score nothing
    python benchmarks/suite_pools.py --only docs --hits FILE --write DIR    passages to read, in batches
    python benchmarks/suite_pools.py --again 0.2 --write DIR  a share of what was read, for a second reading
    python benchmarks/suite_pools.py --disputed --write DIR   what readings do not agree on
    python benchmarks/suite_pools.py --only docs --read DIR --said OUT --judge a  grades into the suite's log

Of code, docs and ratings the development half is asked. With --hits both halves are, for the pool alone: hits
are kept without a score, and no figure of the test half is printed. Development comes first in the batches,
then the first hits of the other half (--test-depth), then the rest of it.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from pool_batches import take_in, write_batches
from rankgate.judging.pool.candidates import PoolCandidate, Vote, hit_candidates
from rankgate.judging.pool.gather import PoolWishes, again
from rankgate.judging.pool.passages import CorpusPassages
from rankgate.judging.pool.pool import KnownTruth, PoolBuilder
from rankgate.truth.judgments.labels import read_labels
from rankgate.truth.locations.corpus_reader import CorpusReader
from suite_ground import PLANS, Ground, K
from suite_halves import halves
from suite_measuring import Desk, answered, judged_share, measured
from suite_systems import CONTENDERS, DEFAULTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from rankgate.judging.pool.pool import Pool
    from rankgate.truth.judgments.labels import UnitKey
    from suite_ground import Plan
    from suite_measuring import Measured

DEPTHS = (3, 5, 10)
UNPOOLED = ("ripgrep",)
"""Whose hits are not read: by the number of matches the longest sections come first, in many passages each.

Of the development half of docs they are 2,886 of 4,948 passages at depth 10 that no other system has.
"""


def main() -> None:
    """Measure and print, write what is to be read, or take in what was read."""
    asked = _asked()
    plans = [plan for plan in PLANS if plan.name in (asked.only or [plan.name])]
    if asked.read is not None or asked.hits is not None:
        if len(plans) != 1:
            sys.exit("name one suite: --only SUITE")
        (plan,) = plans
        if asked.read is not None:
            found = take_in(plan.name, asked.read, asked.said, asked.judge, settles=asked.settles)
            print(f"{plan.name}: {found.total()} labels by {asked.judge}: {dict(sorted(found.items()))}")
        else:
            _pool_of_hits(plan, asked)
        return
    second = bool(asked.again or asked.disputed)
    with Desk() as desk:
        for plan in plans:
            ground = Ground.read(plan, "whole" if second else None)
            hits: list[PoolCandidate] = []
            if not second:
                wanted = [one for one in DEFAULTS if plan.name in one.suites]
                results = measured(ground, wanted, desk, rounds=0, builds=1)
                print_shares(ground, results)
                hits = candidates_of(ground, results)
            if asked.write is not None:
                wishes = PoolWishes(asked.judge, overlap=asked.again, disputed=asked.disputed)
                pool = pool_of(ground, hits, asked.depth, wishes)
                _write(plan.name, pool, asked.write / plan.name, 1)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", action="append", default=[], choices=[plan.name for plan in PLANS])
    parser.add_argument("--depth", type=int, default=K)
    parser.add_argument("--test-depth", type=int, default=5)
    parser.add_argument("--hits", type=Path, metavar="FILE")
    parser.add_argument("--write", type=Path, metavar="DIR")
    parser.add_argument("--again", type=float, default=0.0, metavar="SHARE")
    parser.add_argument("--disputed", action="store_true")
    parser.add_argument("--read", type=Path, metavar="DIR")
    parser.add_argument("--said", type=Path, metavar="OUT")
    parser.add_argument("--judge", default="a")
    parser.add_argument("--settles", action="store_true")
    asked = parser.parse_args()
    if (asked.read is None) != (asked.said is None):
        parser.error("--read names the folder of the batches, and --said what was said of them")
    return asked


def print_shares(ground: Ground, found: list[Measured]) -> None:
    """Print which part of the first hits is judged, and how many passages each depth would take."""
    name = ground.plan.name
    for one in found:
        if one.answers is None:
            print(f"{name}: {one.contender.label}: not measured: {one.reason}")
            continue
        share = judged_share(ground, one.answers, ground.main)
        print(f"{name}: {one.contender.label}: judged@{K} {share or 0:.3f}")
    hits = candidates_of(ground, found)
    for depth in DEPTHS:
        left = len(pool_of(ground, hits, depth, PoolWishes("nobody")))
        print(f"{name}: depth {depth}: {left} passages that nobody has judged")


def candidates_of(ground: Ground, found: Iterable[Measured]) -> list[PoolCandidate]:
    """Return the first hits of all systems that were asked."""
    names = [case.id for case in ground.suite.cases]
    return [
        hit
        for one in found
        if one.answers is not None
        for hit in hit_candidates(one.contender.name, one.answers.run, names, K)
    ]


def _pool_of_hits(plan: Plan, asked: argparse.Namespace) -> None:
    """Ask both halves where the file of hits is not there yet; count and write what is to be read."""
    ground = Ground.read(plan, "whole")
    if not asked.hits.exists():
        names = [case.id for case in ground.suite.cases]
        with Desk() as desk:
            wanted = [one for one in CONTENDERS if plan.name in one.suites and one.name not in UNPOOLED]
            runs, failed = answered(ground, wanted, desk)
            found = [hit for name, run in runs.items() for hit in hit_candidates(name, run, names, K)]
        if failed:
            sys.exit(f"not asked, so that the pool would lack them: {failed}")
        write_hits(asked.hits, found)
    hits = [hit for hit in read_hits(asked.hits) if hit.vote.source not in UNPOOLED]
    which = halves(ground.suite)
    number = 1
    seen: set[UnitKey] = set()
    # What is looked at most comes first, so that reading can end after each.
    for half, depth in (("development", asked.depth), ("test", asked.test_depth), ("test", asked.depth)):
        cases = {case for case, one in which.items() if one == half}
        pool = pool_of(ground, hits, depth, PoolWishes(asked.judge), cases)
        fresh = [one for one in pool.units if one.unit.key not in seen]
        seen |= {one.unit.key for one in fresh}
        print(f"{plan.name}, {half}, depth {depth}: {len(fresh)} passages that nobody has judged")
        if asked.write is not None:
            number = _write(plan.name, replace(pool, units=tuple(fresh)), asked.write / plan.name, number)


def write_hits(file: Path, hits: Iterable[PoolCandidate]) -> None:
    """Write hits, one a line: case, who has it at which rank, and where it is."""
    rows = [(hit.case, hit.vote.source, hit.vote.rank, hit.path, hit.start, hit.end, hit.id) for hit in hits]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def read_hits(file: Path) -> list[PoolCandidate]:
    """Read hits that were written."""
    rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return [
        PoolCandidate(case, Vote(source, rank), path, start, end, name)
        for case, source, rank, path, start, end, name in rows
    ]


def pool_of(
    ground: Ground,
    hits: Sequence[PoolCandidate],
    depth: int,
    wishes: PoolWishes,
    only: Collection[str] | None = None,
) -> Pool:
    """Pool the first hits of all systems; for a second reading, what was read before.

    Args:
        ground: The suite.
        hits: What systems found.
        depth: How many hits of each system count.
        wishes: Who reads, and what of others' readings.
        only: The cases; by default all.
    """
    suite = ground.suite
    labels = read_labels(str(suite.path))
    main = set(pl.Series(ground.judgments.cases["query"]).filter(pl.Series(ground.main)))
    cases = [case for case in suite.cases if case.id in main and (only is None or case.id in only)]
    known = KnownTruth.of(ground.judgments, [one for one in labels.each if one.said != "skip"])
    builder = PoolBuilder(cases, known, CorpusPassages(CorpusReader(ground.corpus)))
    builder.add(hit for hit in hits if hit.vote.rank <= depth)
    builder.add_labelled(again(labels, wishes))
    return builder.pool(int.from_bytes(sha256(wishes.judge.encode()).digest()[:4], "big"))


def _write(name: str, pool: Pool, folder: Path, first: int) -> int:
    after = write_batches(name, [one.unit for one in pool.units], folder, first)
    print(f"{name}: {len(pool)} passages to read in {folder}, batches {first} to {after - 1}")
    for note in pool.notes:
        print(f"{name}: {note}")
    return after


if __name__ == "__main__":
    main()

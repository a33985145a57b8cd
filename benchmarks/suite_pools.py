"""`just pools`: what systems find on the shipped suites and nobody has judged, to be read blind.

    python benchmarks/suite_pools.py                          how much is judged, by suite, system and depth
    python benchmarks/suite_pools.py --depth 3 --write DIR    passages to read, one a line, in random order
    python benchmarks/suite_pools.py --again 0.2 --write DIR  a share of what was read, for a second reading
    python benchmarks/suite_pools.py --disputed --write DIR   what readings do not agree on
    python benchmarks/suite_pools.py --read DIR/handbook-a.jsonl --judge a    labels into the suite's log

A line to read has a number, the query, its filters, the location, the outline and the text: what the page of
`rankgate judge` shows, and nothing of systems, ranks, scores or grades. A line of labels has the number, a
grade and a comment. Of code, docs and ratings the development half is asked.
"""

from __future__ import annotations

import argparse
import json
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from rankgate.judging.pool.candidates import hit_candidates
from rankgate.judging.pool.gather import PoolWishes, again
from rankgate.judging.pool.passages import CorpusPassages
from rankgate.judging.pool.pool import KnownTruth, PoolBuilder
from rankgate.truth.judgments.labels import Label, LabelLog, read_labels
from rankgate.truth.locations.corpus_reader import CorpusReader
from suite_ground import PLANS, SUITES, Ground, K
from suite_measuring import Desk, judged_share, measured
from suite_systems import CONTENDERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.judging.pool.pool import Pool
    from suite_measuring import Measured

DEPTHS = (3, 5, 10)
BATCH = 60


def main() -> None:
    """Measure and print, write what is to be read, or take in what was read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--depth", type=int, default=K)
    parser.add_argument("--write", type=Path, metavar="DIR")
    parser.add_argument("--again", type=float, default=0.0, metavar="SHARE")
    parser.add_argument("--disputed", action="store_true")
    parser.add_argument("--read", type=Path, metavar="FILE")
    parser.add_argument("--judge", default="a")
    parser.add_argument("--settles", action="store_true")
    asked = parser.parse_args()
    if asked.read is not None:
        take_in(asked.read, asked.judge, settles=asked.settles)
        return
    second = bool(asked.again or asked.disputed)
    with Desk() as desk:
        for plan in PLANS:
            ground = Ground.read(plan)
            found = []
            if not second:
                wanted = [one for one in CONTENDERS if plan.name in one.suites]
                found = measured(ground, wanted, desk, rounds=0, builds=1)
                print_shares(ground, found)
            if asked.write is not None:
                wishes = PoolWishes(asked.judge, overlap=asked.again, disputed=asked.disputed)
                pool = pool_of(ground, found, asked.depth, wishes)
                write_batches(ground, pool, asked.write, asked.judge)


def print_shares(ground: Ground, found: list[Measured]) -> None:
    """Print which part of the first hits is judged, and how many passages each depth would take."""
    name = ground.plan.name
    for one in found:
        if one.answers is None:
            print(f"{name}: {one.contender.label}: not measured: {one.reason}")
            continue
        share = judged_share(ground, one.answers, ground.main)
        print(f"{name}: {one.contender.label}: judged@{K} {share or 0:.3f}")
    for depth in DEPTHS:
        left = len(pool_of(ground, found, depth, PoolWishes("nobody")))
        print(f"{name}: depth {depth}: {left} passages that nobody has judged")


def pool_of(ground: Ground, found: list[Measured], depth: int, wishes: PoolWishes) -> Pool:
    """Pool the first hits of all systems; for a second reading, what was read before."""
    suite = ground.suite
    labels = read_labels(str(suite.path))
    main = set(pl.Series(ground.judgments.cases["query"]).filter(pl.Series(ground.main)))
    cases = [case for case in suite.cases if case.id in main]
    known = KnownTruth.of(ground.judgments, [one for one in labels.each if one.said != "skip"])
    builder = PoolBuilder(cases, known, CorpusPassages(CorpusReader(ground.corpus)))
    for one in found:
        if one.answers is not None:
            names = [case.id for case in cases]
            builder.add(hit_candidates(one.contender.name, one.answers.run, names, depth))
    builder.add_labelled(again(labels, wishes))
    return builder.pool(int.from_bytes(sha256(wishes.judge.encode()).digest()[:4], "big"))


def write_batches(ground: Ground, pool: Pool, folder: Path, judge: str) -> None:
    """Write what is to be read in batches, and a key to the numbers, which no reader gets."""
    folder.mkdir(parents=True, exist_ok=True)
    name = ground.plan.name
    cases = {case.id: case for case in ground.suite.cases}
    rows: list[dict[str, Any]] = []
    key: dict[str, dict[str, Any]] = {}
    for number, pooled in enumerate(pool.units, 1):
        unit = pooled.unit
        filters = dict(cases[unit.case].filters)
        row = {"pair": number, "query": unit.query, "location": unit.location}
        rows.append(
            row
            | ({"only": filters} if filters else {})
            | ({"outline": list(unit.outline)} if unit.outline else {})
            | {"text": unit.text}
        )
        where = "id" if unit.path is None else "at"
        key[str(number)] = {
            "case": unit.case,
            "query": unit.query,
            where: unit.location,
            "text": unit.digest,
        }
    for at in range(0, len(rows), BATCH):
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows[at : at + BATCH])
        (folder / f"{name}-{judge}-{at // BATCH + 1:02}.jsonl").write_text(lines, encoding="utf-8")
    (folder / f"{name}-{judge}.key.json").write_text(json.dumps(key, ensure_ascii=False), encoding="utf-8")
    print(f"{name}: {len(rows)} passages to read in {folder}")
    for note in pool.notes:
        print(f"{name}: {note}")


def take_in(file: Path, judge: str, *, settles: bool) -> None:
    """Append labels to the log of a suite, named by the key beside the file."""
    name = file.name.split("-")[0]
    key_file = next(file.parent.glob(f"{name}-*.key.json"))
    key = json.loads(key_file.read_text(encoding="utf-8"))
    suite = SUITES / name / f"{name}.yaml"
    own = SUITES / name / "GUIDELINES.md"
    guidelines = sha256(
        (own if own.exists() else SUITES / "agreement" / "GUIDELINES.md").read_bytes()
    ).hexdigest()
    log = LabelLog(suite, judge)
    known = {label.unit for label in read_labels(suite).of(judge)}
    count = 0
    for row in _labels(file):
        label = Label(
            judge,
            **key[str(row["pair"])],
            grade=float(row["grade"]),
            comment=row.get("comment") or None,
            source="model",
            guidelines=guidelines,
            settles=settles,
        )
        if label.unit not in known:
            log.append(label)
            count += 1
    print(f"{name}: {count} labels by {judge}")


def _labels(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


if __name__ == "__main__":
    main()

"""`just agreement`: how far two who judge blind agree with each other, and with the suites.

    python benchmarks/agreement.py draw FOLDER   draw the pairs anew, and write what is to be labelled
    python benchmarks/agreement.py draw-releases FOLDER   the same of the suites over pinned releases
    python benchmarks/agreement.py               print how far the labels agree
    python benchmarks/agreement.py --write       and write it into suites/METHOD.md

A pair is a query and a place. Half of the pairs are judged in the suites; the other half were found by one of
several engines, and no target of the query is in them. Of the suites over releases no engine had been asked:
the pairs are judged ones; of complete sets, also symbols of the same files that are not in the set. Whoever
labels sees the query, the place and its text.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

import rankgate as rg
from page_tables import write_tables
from rankgate.evaluation.project.opening import open_corpus
from rankgate.systems.registry import open_system
from rankgate.truth.locations.resolve import resolve
from reference_support.labelled_pairs import LABELS, METHOD, RELEASES, SUITES, Pair, agreement_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.evaluation.evaluation import Evaluation
    from rankgate.truth.judgments.table import Judgments

SEED = 20
EACH = 60
"""Judged pairs of each suite, and as many that are found and not judged."""
DEPTH = 10
"""How far down an engine's hits are drawn from."""
LONGEST = 5000
"""Characters of a place that are shown."""
RELEASED = ("code", "docs", "ratings")
OF_THEM = SUITES / "RELEASES.md"
OF_RELEASES = 130
"""Pairs of each suite over releases."""
ROOTS = {"handbook": "corpus", "operations": "catalogue.json"}


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file, or a record."""

    name: str
    lines: rg.Lines | None = None

    def __str__(self) -> str:
        return f"{self.name}:{self.lines.start}-{self.lines.end}" if self.lines else self.name

    def meets(self, other: Place) -> bool:
        """Check whether a hit on one reaches the other."""
        if self.name != other.name or self.lines is None or other.lines is None:
            return self.name == other.name
        return self.lines.start <= other.lines.end and other.lines.start <= self.lines.end

    def text(self, corpus: rg.Corpus) -> str:
        """Return what stands there."""
        whole = corpus.text(self.name)
        if self.lines is None:
            return whole
        return "\n".join(whole.split("\n")[self.lines.start - 1 : self.lines.end])


def main() -> None:
    """Draw, or print what the labels say."""
    if sys.argv[1:2] == ["draw"]:
        chance = random.Random(SEED)
        draw([one for name in ROOTS for one in drawn_of(name, chance)], chance, LABELS, Path(sys.argv[2]))
        return
    if sys.argv[1:2] == ["draw-releases"]:
        chance = random.Random(SEED)
        draw(
            [one for name in RELEASED for one in drawn_judged(name, chance)],
            chance,
            RELEASES,
            Path(sys.argv[2]),
        )
        return
    for page, name, folder in ((METHOD, "agreement", LABELS), (OF_THEM, "agreement-releases", RELEASES)):
        table = agreement_table(folder)
        print(f"{table}\n")
        if "--write" in sys.argv:
            write_tables(page, {name: table})


@dataclass(frozen=True, slots=True)
class Drawn:
    """A pair, and what is shown of it."""

    suite: str
    case: rg.Case
    place: Place
    grade: float | None
    text: str

    def pair(self, number: str) -> Pair:
        """Return it a number."""
        digest = hashlib.sha256(self.text.encode()).hexdigest()[:16]
        return Pair(number, self.suite, self.case.id, str(self.place), self.grade, digest)

    def shown(self, number: str) -> dict[str, Any]:
        """Return what whoever labels it may see."""
        return {
            "pair": number,
            "suite": self.suite,
            "query": self.case.query,
            **({"only": dict(self.case.filters)} if self.case.filters else {}),
            "place": str(self.place),
            "text": self.text if len(self.text) <= LONGEST else f"{self.text[:LONGEST]}\n[… cut]",
        }


def draw(drawn: list[Drawn], chance: random.Random, kept: Path, folder: Path) -> None:
    """Write pairs in random order, apart from what is shown of them."""
    chance.shuffle(drawn)
    numbered = [(f"p{number:03}", one) for number, one in enumerate(drawn, 1)]
    for place, file, rows in (
        (kept, "pairs.jsonl", [asdict(one.pair(number)) for number, one in numbered]),
        (folder, "items.jsonl", [one.shown(number) for number, one in numbered]),
    ):
        place.mkdir(parents=True, exist_ok=True)
        lines = (f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        (place / file).write_text("".join(lines), encoding="utf-8")


def drawn_of(name: str, chance: random.Random) -> Iterator[Drawn]:
    """Draw the pairs of a suite."""
    evaluations = list(asked(name))
    cases = {case.id: case for case in evaluations[0].suite.cases if not case.expect_empty}
    corpus = evaluations[0].corpus
    if corpus is None:
        raise AssertionError(f"{name} has no corpus")
    judged = judged_pairs(evaluations[0].judgments, cases)
    found = sorted({pair for one in evaluations for pair in found_pairs(one, judged)}, key=str)
    known = [(case, place) for case, those in judged.items() for place in those]
    print(f"{name}: {len(known)} judged pairs, {len(found)} found and not judged")
    for case, place in (*chance.sample(known, EACH), *chance.sample(found, EACH)):
        yield Drawn(name, cases[case], place, judged[case].get(place), place.text(corpus))


def drawn_judged(name: str, chance: random.Random) -> Iterator[Drawn]:
    """Draw judged pairs of a suite without asking anybody; of complete sets also what stands beside them."""
    suite = rg.load_suite(SUITES / name / f"{name}.yaml")
    corpus = open_corpus(suite, None)
    if corpus is None:
        raise AssertionError(f"{name} has no corpus")
    cases = {case.id: case for case in suite.cases if not case.expect_empty}
    judged = judged_pairs(resolve(suite, corpus).judgments, cases)
    known = [(case, place) for case, those in judged.items() for place in those]
    exhaustive = [case for case in cases.values() if case.exhaustive]
    beside = sorted(
        {pair for case in exhaustive for pair in beside_pairs(case, judged[case.id], corpus)}, key=str
    )
    print(f"{name}: {len(known)} judged pairs, {len(beside)} beside complete sets")
    chosen = chance.sample(known, OF_RELEASES - (EACH if beside else 0))
    for case, place in (*chosen, *(chance.sample(beside, EACH) if beside else ())):
        yield Drawn(name, cases[case], place, judged[case].get(place), place.text(corpus))


def beside_pairs(case: rg.Case, judged: dict[Place, float], corpus: rg.Corpus) -> Iterator[tuple[str, Place]]:
    """Return the symbols of the files of a complete set that do not meet it."""
    for name in sorted({place.name for place in judged}):
        for node in rg.read_outline(name, corpus.text(name)) or ():
            place = Place(name, rg.Lines(node.start, node.end))
            if node.kind != "document" and not any(place.meets(one) for one in judged):
                yield case.id, place


def asked(name: str) -> Iterator[Evaluation]:
    """Evaluate engines that find in different ways."""
    suite = rg.load_suite(SUITES / name / f"{name}.yaml")
    reference = {"kind": "reference", "root": str(SUITES / name / ROOTS[name])}
    if name == "operations":
        reference["corpus"] = "openapi"
    with tempfile.TemporaryDirectory() as folder:
        for options in (
            {**reference, "mode": "lexical", "cache": f"{folder}/words"},
            {**reference, "mode": "vector", "cache": f"{folder}/vectors"},
            {"kind": "sqlite", "folder": f"{folder}/sqlite"},
            {"kind": "bm25s", "folder": f"{folder}/bm25s"},
        ):
            cut = "section" if name == "handbook" and options["kind"] != "reference" else None
            yield rg.evaluate(suite, open_system("asked", options), chunks=cut)


def judged_pairs(judgments: Judgments, cases: dict[str, rg.Case]) -> dict[str, dict[Place, float]]:
    """Return every judged place of every case with its grade."""
    judged: dict[str, dict[Place, float]] = {case: {} for case in cases}
    for row in judgments.targets.iter_rows(named=True):
        if row["query"] in judged:
            judged[row["query"]][_place(row)] = row["grade"]
    return judged


def found_pairs(evaluation: Evaluation, judged: dict[str, dict[Place, float]]) -> Iterator[tuple[str, Place]]:
    """Return what was found among the first ten and reaches nothing that is judged."""
    for shard in evaluation.run.shards():
        hits = shard.scan_hits(["query", "rank", "id", "path", "start", "end"])
        for row in hits.filter(pl.col("rank") <= DEPTH).collect().iter_rows(named=True):
            case, place = row["query"], _place(row)
            if case in judged and not any(place.meets(one) for one in judged[case]):
                yield case, place


def _place(row: dict[str, Any]) -> Place:
    if row["path"] is None:
        return Place(row["id"])
    return Place(row["path"], None if row["start"] is None else rg.Lines(row["start"], row["end"]))


if __name__ == "__main__":
    main()

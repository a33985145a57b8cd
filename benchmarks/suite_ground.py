"""The suites that the project ships: what is searched and asked, and what is shown of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankgate.chunks.chunking import Chunking
from rankgate.project.opening import open_corpus
from rankgate.suites.formats import load_suite
from rankgate.truth.lint.check import marked
from rankgate.truth.resolve import resolve
from suite_halves import half_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from rankgate.corpora.corpus import Corpus
    from rankgate.model import Case, Document, Suite
    from rankgate.scoring.matches import Bools
    from rankgate.truth.judgments.table import Judgments
    from suite_halves import Half

SUITES = Path(__file__).parent.parent / "suites"
K = 10
"""How many hits are asked for."""
_PIECES: dict[tuple[str, str], tuple[Document, ...]] = {}


@dataclass(frozen=True, slots=True)
class Plan:
    """What is wanted of a suite."""

    name: str
    """Its folder, and the file in it."""
    metrics: Mapping[str, str]
    """What has an interval: metrics by the heads of their columns. The first is compared."""
    base: str
    """Whom the others are compared with, by name."""
    chunks: Chunking
    """How the corpus is cut."""
    tag: str = ""
    """A tag whose values are slices, beside the categories."""
    half: Half | None = None
    """The half that is asked; None for the whole of a suite that had been seen before there were halves."""


PLANS = (
    Plan(
        "handbook",
        {"nDCG@10": "ndcg@10", "MRR": "rr(rel=2)", "P@1": "p(rel=2)@1", "recall@10": "r@10"},
        "reference-lexical",
        Chunking("section"),
    ),
    Plan(
        "operations",
        {"nDCG@5": "ndcg@5", "rr(rel=3)": "rr(rel=3)", "hit@1": "hit@1", "P@5": "p@5"},
        "reference-hybrid",
        Chunking(),
        tag="variation",
    ),
    Plan(
        "code",
        {"nDCG@10": "ndcg@10", "MRR": "rr(rel=2)", "recall@10": "r@10"},
        "reference-hybrid",
        Chunking("section"),
        half="development",
    ),
    Plan(
        "docs",
        {"nDCG@10": "ndcg@10", "MRR": "rr(rel=2)", "recall@10": "r@10"},
        "reference-hybrid",
        Chunking("section"),
        half="development",
    ),
    Plan(
        "ratings",
        {"pnDCG@10": "pndcg@10", "nDCG@10": "ndcg@10", "P@5": "p@5", "recall@10": "r@10"},
        "reference-hybrid",
        Chunking("section"),
        half="development",
    ),
)


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A suite with its places found in its corpus."""

    plan: Plan
    """What is wanted."""
    suite: Suite
    """What is asked."""
    corpus: Corpus
    """What is searched."""
    judgments: Judgments
    """What should be found."""

    @classmethod
    def read(cls, plan: Plan, half: Half | Literal["whole"] | None = None) -> Ground:
        """Read a suite: one half of it where a half is named, here or in the plan; or the whole."""
        suite = load_suite(SUITES / plan.name / f"{plan.name}.yaml")
        which = half or plan.half
        if which is not None and which != "whole":
            suite = half_of(suite, which)
        corpus = _opened(suite)
        return cls(plan, suite, corpus, resolve(suite, corpus).judgments)

    @property
    def folder(self) -> str:
        """The folder of a corpus that is one."""
        source = self.suite.corpus
        if source is None or source.kind != "folder":
            raise AssertionError(f"the corpus of {self.plan.name} is no folder")
        return str(SUITES / self.plan.name / source.place)

    def open_corpus(self) -> Corpus:
        """Open the corpus anew, as whoever builds an index does."""
        return _opened(self.suite)

    def pieces(self) -> tuple[Document, ...]:
        """Return what engines index; the same documents are cut once."""
        key = (self.corpus.fingerprint, str(self.plan.chunks))
        if key not in _PIECES:
            _PIECES[key] = tuple(self.plan.chunks.cut(self.corpus.documents()))
        return _PIECES[key]

    def marked(self, ids: Collection[str]) -> Bools:
        """Mark cases, in the order of the judgments."""
        return np.array([name in ids for name in self.judgments.cases["query"]])

    @property
    def main(self) -> Bools:
        """Mark what every system can be asked, and what has something to be found."""
        return self.marked({case.id for case in self.suite.cases if not case.filters and _answered(case)})

    @property
    def hard(self) -> Bools:
        """Mark what is hard by the suite's own word, of what every system can be asked."""
        return self.main & self.marked({case.id for case in self.suite.cases if marked(case, "hard")})

    @property
    def empty(self) -> Bools:
        """Mark what should find nothing."""
        return self.marked({case.id for case in self.suite.cases if case.expect_empty})

    @property
    def most_p5(self) -> float:
        """What P@5 could be at most: a query with two targets cannot pass 0.4."""
        counts = [sum(target.grade > 0 for target in case.targets) for case in self.suite.cases]
        return float(np.minimum(counts, 5)[self.main].mean() / 5)

    @property
    def slices(self) -> dict[str, Bools]:
        """Mark each category, then each value of the tag; without what should find nothing."""
        found: dict[str, set[str]] = {}
        for case in self.suite.cases:
            if _answered(case):
                found.setdefault(str(case.category), set()).add(case.id)
        for tag in sorted({tag for case in self.suite.cases for tag in case.tags}):
            key, _, value = tag.partition("=")
            if key == self.plan.tag:
                found[value] = {case.id for case in self.suite.cases if tag in case.tags}
        return {name: self.marked(ids) for name, ids in found.items()}


@dataclass(frozen=True, slots=True)
class QueryCounts:
    """How many queries of a half are in its means."""

    main: int
    """Those that every system can be asked, and that have something to be found."""
    hard: int
    """Of these, the hard ones."""


def query_counts(plan: Plan, half: Half) -> QueryCounts:
    """Count the queries of a half by the suite alone: no corpus is opened, and no system asked."""
    suite = half_of(load_suite(SUITES / plan.name / f"{plan.name}.yaml"), half)
    main = [case for case in suite.cases if not case.filters and _answered(case)]
    return QueryCounts(len(main), sum(marked(case, "hard") for case in main))


def _answered(case: Case) -> bool:
    """Check whether there is something to be found."""
    return not case.expect_empty and any(target.grade > 0 for target in case.targets)


def _opened(suite: Suite) -> Corpus:
    corpus = open_corpus(suite, None)
    if corpus is None:
        raise AssertionError("the suites here have a corpus")
    return corpus

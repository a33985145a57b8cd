"""The pool of a project: the answers that are named, or the latest of every system, and plain search."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.judging.pool.candidates import (
    grep_candidates,
    hit_candidates,
    neighbour_candidates,
    proposed_candidates,
)
from rankgate.judging.pool.open_targets import mending_candidates, open_targets
from rankgate.judging.pool.passages import CorpusPassages
from rankgate.judging.pool.pool import KnownTruth, PoolBuilder
from rankgate.model import MatchBy
from rankgate.project.project import OWN
from rankgate.truth.labelled import counted_labels, current_labels
from rankgate.truth.lookup import CorpusReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rankgate.judging.pool.pool import Pool
    from rankgate.model import Suite
    from rankgate.project.named_answers import NamedAnswers
    from rankgate.project.project import Project
    from rankgate.truth.judgments.labels import Label, Labels
    from rankgate.truth.judgments.table import Judgments


@dataclass(frozen=True, slots=True)
class PoolWishes:
    """What somebody wants to judge."""

    judge: str
    """Who judges."""
    sources: tuple[str, ...] = ()
    """The answers to look at: systems, runs, baselines; by default the latest of every system."""
    depth: int = 10
    """How many hits of each query."""
    overlap: float = 0.0
    """Which share of what others judged is judged once more."""
    mending: bool = True
    """False to leave out what may be targets that `rankgate suite fix` left open."""
    plain: bool = True
    """False to leave out what plain search finds, and what lies beside relevant targets."""
    only: frozenset[str] = frozenset()
    """The cases; by default all."""
    in_turn: bool = False
    """True to judge query by query, and not the first ranks first."""


@dataclass(frozen=True, slots=True)
class GatheredPool:
    """A pool, and what it was made of."""

    pool: Pool
    """What is to be judged."""
    answers: tuple[NamedAnswers, ...]
    """The answers that were looked at."""
    judgments: Judgments
    """What the suite says today."""
    reader: CorpusReader
    """What reads the corpus."""
    labels: Labels
    """What judges said of the queries and texts of today."""


def gathered(project: Project, suite: Suite, labels: Labels, wishes: PoolWishes) -> GatheredPool:
    """Make the pool of one judge.

    Raises:
        InputError: for answers that are not there, and where there are none at all.
    """
    judgments = project.judgments(suite)
    corpus = project.corpus(suite)
    reader = CorpusReader(corpus)
    passages = CorpusPassages(reader)
    cases = [case for case in suite.cases if not case.expects_nothing]
    if wishes.only:
        cases = [case for case in cases if case.id in wishes.only]
    # What changed since, and what no gate counts, is to be judged as if nobody had.
    labels = current_labels(suite, labels, corpus)
    counted = counted_labels(suite, labels)
    trusted = [label for label in counted.each if label.source in {*suite.gating_sources, "person"}]
    seen = [label for label in (*trusted, *labels.of(wishes.judge)) if label.said != "skip"]
    known = KnownTruth.of(judgments, seen)
    builder = PoolBuilder(cases, known, passages, whole_files=suite.matching.by is MatchBy.PATH)
    answers = tuple(_answers(project, suite, wishes.sources))
    names = [case.id for case in cases]
    for one in answers:
        builder.add(hit_candidates(one.name, one.run, names, wishes.depth))
    builder.add(proposed_candidates(judgments))
    if wishes.mending:
        for change in open_targets(project, suite, reader):
            builder.add_open(mending_candidates(change, reader), {label.unit for label in trusted})
    if wishes.plain:
        builder.add(grep_candidates(cases, passages))
        relevant = {case: spans for case, spans in known.relevant.items() if case in names}
        builder.add(neighbour_candidates(relevant, passages))
    builder.add_labelled(again(labels, wishes))
    seed = int.from_bytes(sha256(f"{suite.name}/{wishes.judge}".encode()).digest()[:4], "big")
    return GatheredPool(builder.pool(seed), answers, judgments, reader, labels)


def _answers(project: Project, suite: Suite, names: Sequence[str]) -> Iterator[NamedAnswers]:
    if names:
        # The baseline is that of the system beside it.
        other = next((name for name in names if name != OWN and not project.names_file(name)), None)
        yield from (project.answers(suite, name, other) for name in names)
        return
    found, first = 0, None
    for name in project.configuration.systems:
        try:
            answers = project.answers(suite, name)
        except InputError as error:
            # Those that were tested will do; only where none was, somebody has to know why.
            first = first or error
            continue
        found += 1
        yield answers
    if not found:
        fix = "test a system first: rankgate test; or name a run: --from runs/app"
        raise first or InputError(Code.NO_ANSWERS("rankgate judge", "no answers", "those of a system", fix))


def again(labels: Labels, wishes: PoolWishes) -> Iterator[Label]:
    """Return what others judged and this judge shall judge, too: a share, drawn.

    It is drawn by the passage alone, so that every judge gets the same ones.
    """
    own = {label.unit for label in labels.of(wishes.judge)}
    for unit, said in labels.graded().items():
        if unit not in own and _share(unit) < wishes.overlap:
            yield said[-1]


def _share(unit: Iterable[str]) -> float:
    return int.from_bytes(sha256("\n".join(unit).encode()).digest()[:6], "big") / (1 << 48)

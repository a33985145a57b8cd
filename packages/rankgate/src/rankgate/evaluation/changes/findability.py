"""What an edit of the documents did to findability: one system, asked over both states of the documents."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from rankgate.evaluation.flow import Stopwatch, run_evaluation
from rankgate.evaluation.project.opening import opened
from rankgate.evaluation.project.preparation import needs_corpus
from rankgate.evaluation.settings import RunOptions, settings_of
from rankgate.model.fingerprints import canonical_json
from rankgate.model.search import Indexer
from rankgate.model.suite import CorpusSource
from rankgate.model.verdict import Answer
from rankgate.reports.suite.changes import Findability, QueryEffect
from rankgate.scoring.placements import JudgedHits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.corpora.corpus import Corpus
    from rankgate.evaluation.configuration import Configuration, SystemEntry
    from rankgate.evaluation.evaluation import Evaluation
    from rankgate.model import Case, Suite

_ALIKE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class DocumentState:
    """One state of the documents, and what should be found in it."""

    suite: Suite
    """The suite."""
    corpus: Corpus
    """The documents."""


def findability(
    configuration: Configuration, system: str | None, before: DocumentState, after: DocumentState
) -> Findability:
    """Ask a system over both states of the documents.

    Only a system that is made of the documents tells anything: one that builds its index from them, or that
    is prepared with ``{corpus}``.

    Args:
        configuration: What the project says of the system.
        system: Its name; the configured one where None.
        before: The documents as they were.
        after: The documents of today.

    Raises:
        InputError: for a system that is not there.
        SystemFailedError: for one that cannot be prepared.
    """
    entry = configuration.entry(system)
    with _in_folder(before) as (state, folder):
        then = _asked(configuration, entry, state, folder)
    if then is None:
        why = "it is not made of the documents: let it build its index, or prepare it with {corpus}"
        return Findability(entry.name, unknown=why)
    now = _asked(configuration, entry, after, configuration.corpus_root)
    return Findability(entry.name) if now is None else _compared(entry.name, then, now)


@contextmanager
def _in_folder(state: DocumentState) -> Iterator[tuple[DocumentState, Path]]:
    """Write documents into a folder of their own, for what is made of a folder."""
    with TemporaryDirectory(prefix="rankgate-documents-") as name:
        folder = Path(name).resolve()
        for path in state.corpus.paths():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(state.corpus.text(path), encoding="utf-8", newline="\n")
        yield replace(state, suite=replace(state.suite, corpus=CorpusSource(str(folder)))), folder


def _asked(
    configuration: Configuration, entry: SystemEntry, state: DocumentState, root: Path
) -> Evaluation | None:
    """Ask the system, and judge by no gate; None for one that is not made of the documents."""
    suite = state.suite
    asking = RunOptions(pace=entry.pace, chunks=entry.chunks, locate=entry.locate, entry=entry)
    settings = settings_of(entry, suite, asking, root)
    settings = replace(settings, gates=(), enforce=False, baselines=None, corpus=state.corpus)
    with opened(entry, configuration.root, suite, root) as system:
        if not (needs_corpus(entry) or isinstance(system, Indexer)):
            return None
        return run_evaluation(suite, system, settings, Stopwatch())


class _Value(NamedTuple):
    """What one query is worth in one state."""

    score: float | None
    """None where it has no value: nothing relevant is there, or the system failed."""
    first: int


def _values(evaluation: Evaluation, label: str) -> dict[str, _Value]:
    """Return what every case is worth, by its question."""
    scores, column = evaluation.scores, evaluation.scores.columns[label]
    first = JudgedHits(evaluation.judgments, evaluation.run).first_relevant()
    known = [
        float(value) if there and status == Answer.OK else None
        for value, there, status in zip(column.values, column.defined, scores.status, strict=True)
    ]
    found = dict(zip(scores.queries, map(_Value, known, first.tolist()), strict=True))
    return {question(case): found[case.id] for case in evaluation.suite.cases if case.id in found}


def question(case: Case) -> str:
    """Return what tells a case from others, whatever it is called."""
    return canonical_json([case.query, dict(case.filters)])


def _compared(name: str, then: Evaluation, now: Evaluation) -> Findability:
    label = now.scores.metrics[0].label
    before, after = _values(then, label), _values(now, label)
    sums, effects, left_out = [0.0, 0.0], [], []
    for case in now.suite.cases:
        old, new = before.get(question(case)), after.get(question(case))
        if old is None or new is None or old.score is None or new.score is None:
            left_out += [case.id] if case.targets else []
            continue
        sums = [sums[0] + old.score, sums[1] + new.score]
        change = new.score - old.score
        if old.first != new.first or abs(change) > _ALIKE:
            effects.append(QueryEffect(case.id, case.query, old.first, new.first, change))
    compared = sum(bool(case.targets) for case in now.suite.cases) - len(left_out)
    then_mean, now_mean = (one / compared if compared else None for one in sums)
    effects.sort(key=lambda one: (one.change, one.case))
    return Findability(name, label, then_mean, now_mean, compared, tuple(effects), tuple(left_out))

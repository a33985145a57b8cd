"""The facts about an evaluation: of the whole run, and of texts."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rankgate.errors import InputError, SystemFailedError
from rankgate.evaluation.advice.examined import LOW, FailedQueries
from rankgate.evaluation.advice.gone_facts import gone_facts, moved_targets
from rankgate.model.wording import many, quoted
from rankgate.truth.facts.checked import CheckedFact, FactKind
from rankgate.truth.facts.texts import changed_texts, same_text
from rankgate.truth.locations.corpus_reader import CorpusReader

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.evaluation.advice.examined import ExaminedCase
    from rankgate.gates.outcomes import Outcome
    from rankgate.gates.scored import Scored

_LONGEST_ERROR = 200
_ABOVE = 20
"""How many hits above a target are compared with it."""


def checked_facts(
    scored: Scored, corpus: Corpus | None, ended: Sequence[Outcome] | None = None
) -> tuple[CheckedFact, ...]:
    """Find what is certain about the queries that fell short; nothing where hits are not where they say.

    Args:
        scored: What was tested, judged.
        corpus: What targets are in.
        ended: How every case ended, where that is worked out already.
    """
    if scored.faults or scored.nothing_located:
        return ()
    try:
        return _facts(scored, corpus, FailedQueries.of(scored, ended))
    except (InputError, SystemFailedError):
        # A document that changed meanwhile, a system that is gone: the verdict stands, and nothing more is.
        return ()


def _facts(scored: Scored, corpus: Corpus | None, failed: FailedQueries) -> tuple[CheckedFact, ...]:
    facts = [*gone_facts(scored), *_outage(scored, failed)]
    if 2 * len(failed.errored) >= len(scored.scores.queries) > 0:
        return tuple(facts)
    reader = CorpusReader(corpus)
    silent = _no_hits(scored, failed)
    if silent is not None:
        return (*facts, silent)
    changed = list(_changed(scored, failed, reader))
    facts += changed
    facts += _of_cases(failed, reader, {one.cases[0] for one in changed})
    facts += [
        CheckedFact(
            FactKind.UNWANTED,
            (one.case.id,),
            f"{quoted(one.case.query)} returned {many(scored.answers[one.case.id].hits, 'hit')}",
            details=(many(scored.answers[one.case.id].hits, "hit"),),
        )
        for one in failed.unwanted
    ]
    return tuple(facts)


def _outage(scored: Scored, failed: FailedQueries) -> Iterator[CheckedFact]:
    """Return what the system said where it did not answer: each cause once, with its count."""
    causes: dict[str, list[str]] = {}
    for one in failed.errored:
        causes.setdefault(_cause(scored.answers[one.case.id].error), []).append(one.case.id)
    total = len(scored.scores.queries)
    for cause, cases in causes.items():
        evidence = f"{len(cases):,} of {many(total, 'query', 'queries')}: {cause}"
        yield CheckedFact(FactKind.OUTAGE, tuple(cases), evidence, cause)


def _cause(error: str | None) -> str:
    words = " ".join((error or "no answer").split())
    return words if len(words) <= _LONGEST_ERROR else words[: _LONGEST_ERROR - 1] + "…"


def _no_hits(scored: Scored, failed: FailedQueries) -> CheckedFact | None:
    """Return that no query returned anything."""
    hits = Counter(bool(answer.hits) for answer in scored.answers.values() if answer.error is None)
    if not failed.missed or hits[True]:
        return None
    evidence = f"0 hits for {hits[False]:,} of {many(hits[False], 'query', 'queries')}"
    return CheckedFact(FactKind.NO_HITS, tuple(one.case.id for one in failed.missed), evidence)


def _changed(scored: Scored, failed: FailedQueries, reader: CorpusReader) -> Iterator[CheckedFact]:
    """Return the cases whose judged text is another one now."""
    short = [one.case for one in (*failed.missed, *failed.found)]
    if reader.corpus is None or not short:
        return
    changed = changed_texts(scored.suite, reader, short)
    moved = moved_targets(scored, reader.corpus, set(changed)) if changed else {}
    for case, locations in changed.items():
        names = [str(location) for location in locations]
        name = next((one for one in names if (case, one) in moved), names[0])
        if new := moved.get((case, name)):
            evidence = f"another text stands at {name}, and the one that was anchored at {new}"
            yield CheckedFact(FactKind.MOVED, (case,), evidence, details=(f"{name} → {new}",))
            continue
        evidence = f"the text of {name} is not what it was when it was anchored"
        yield CheckedFact(FactKind.TEXT_CHANGED, (case,), evidence, details=(name,))


def _of_cases(failed: FailedQueries, reader: CorpusReader, changed: Container[str]) -> list[CheckedFact]:
    """Return one fact a query at most, the first that holds.

    Of a text that changed since it was judged, neither words nor ranks say anything.
    """
    found: dict[str, CheckedFact] = {}
    for one in (*failed.missed, *failed.found):
        if one.case.id in changed:
            continue
        if (fact := _without_asking(one, reader)) is not None:
            found[one.case.id] = fact
    order = [one.case.id for one in (*failed.missed, *failed.found)]
    return [found[case] for case in order if case in found]


def _without_asking(one: ExaminedCase, reader: CorpusReader) -> CheckedFact | None:
    """Return the first fact that the corpus and the run show about one query."""
    case = one.case
    above = [hit for hit in one.hits if one.rank is None or hit.rank < one.rank]
    for hit in above[:_ABOVE]:
        if same_text(reader, one.best, hit._asdict()):
            evidence = (
                f"{quoted(case.query)} returns {hit} at rank {hit.rank}, which has the text of {one.name}"
            )
            return CheckedFact(FactKind.DUPLICATE, (case.id,), evidence, str(hit.path or hit.id))
    # Where only a lesser target is found, its rank says nothing of the one that should be.
    if one.rank is None or one.rank <= LOW or one.best_rank != one.rank:
        return None
    words = f"rank {one.rank}"
    evidence = f"{quoted(case.query)} returns the first relevant hit at {words}"
    return CheckedFact(FactKind.BELOW, (case.id,), evidence, details=(words,))

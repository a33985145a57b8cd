"""Every target of a suite asked of a system: which it cannot return, names otherwise, or has copies of."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankgate.evaluation.advice.examined import place
from rankgate.evaluation.advice.follow_ups import FollowUps
from rankgate.evaluation.advice.returned import ReturnedTargets, own_text
from rankgate.evaluation.indexing import have_index
from rankgate.model.wording import many
from rankgate.progress import counted_steps
from rankgate.truth.facts.checked import DEEP, FactKind
from rankgate.truth.facts.texts import same_text
from rankgate.truth.lint.context import LintRemark
from rankgate.truth.locations.corpus_reader import CorpusReader
from rankgate.truth.locations.lookup import Spot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rankgate.corpora.corpus import Corpus
    from rankgate.evaluation.advice.returned import TargetFact
    from rankgate.evaluation.settings import RunOptions
    from rankgate.model.search import System
    from rankgate.model.suite import Case, Suite

_RULES = {
    FactKind.NOT_INDEXED: ("not-returned", "a document that the system has indexed", "index it"),
    FactKind.NOT_RETURNED: (
        "not-returned",
        f"it among the first {DEEP} hits for its own text",
        "check that it is in the index",
    ),
    FactKind.OTHER_LOCATION: ("other-location", "the lines of the corpus", "index the file again"),
    FactKind.STALE: ("other-location", "the text of the corpus", "index the file again"),
    FactKind.DUPLICATE: (
        "competing-copy",
        "one location for the text",
        "judge both (any_of), or take one out of the index",
    ),
}
_ENDLESS = 24 * 3600.0


def shown_targets(
    suite: Suite, system: System, corpus: Corpus | None, asking: RunOptions
) -> dict[str, list[LintRemark]]:
    """Ask a system for the text of every relevant target, and return what it showed, by the rule of lint.

    Args:
        suite: Whose targets.
        system: What is asked.
        corpus: What the targets are in.
        asking: How the system is asked.
    """
    reader = CorpusReader(corpus)
    targets = dict(_targets(suite, reader))
    have_index(system, corpus, asking.chunks, suite=suite)
    asking = replace(asking, follow_ups=len(targets))
    found = ReturnedTargets(reader, FollowUps(system, suite, corpus, asking, _ENDLESS))
    for row, _, _ in counted_steps(targets.values(), "asking for the texts of targets", len(targets)):
        found.ask([row])
    asked = [key for key in targets if found.asked(key)]
    returned = [key for key in asked if found.returned(targets[key][0])]
    shown: dict[str, list[LintRemark]] = {}
    left = len(targets) - len(asked)
    if left or not targets:
        words = f"{left} of {many(len(targets), 'target')} that the system was not asked for or failed on"
        shown.setdefault("not-run", []).append(LintRemark(words, "an answer for each"))
    if asked and 2 * len(returned) < len(asked):
        words = f"{len(returned)} of {many(len(asked), 'target')} returned for their own texts"
        expected = "most of them, so that one that is not returned says something"
        shown.setdefault("not-run", []).append(LintRemark(words, expected))
        return shown
    found.control = targets[returned[0]][0] if returned else None
    for key in asked:
        row, case, name = targets[key]
        fact = found.fact(row, name)
        if fact is not None:
            shown.setdefault(_RULES[fact.kind][0], []).append(_remark(fact, case))
            continue
        answer = found.answer(key)
        above = [hit for hit in answer.hits if answer.rank is None or hit.rank < answer.rank]
        copy = next((hit for hit in above if same_text(reader, row, hit._asdict())), None)
        if copy is not None:
            words = f"{copy} at rank {copy.rank} for the text of {name}, which it has as well"
            shown.setdefault("competing-copy", []).append(
                LintRemark(words, *_RULES[FactKind.DUPLICATE][1:], case)
            )
    return shown


def _remark(fact: TargetFact, case: Case) -> LintRemark:
    _, expected, fix = _RULES[fact.kind]
    return LintRemark(fact.evidence, expected, fix, case)


def _targets(suite: Suite, reader: CorpusReader) -> Iterator[tuple[str, tuple[Mapping[str, Any], Case, str]]]:
    """Go through the relevant targets that have a text, each with the first case that names it."""
    seen = set()
    for case in suite.cases:
        for target in case.targets:
            spot = reader.find(target.location)
            if target.grade <= 0 or not isinstance(spot, Spot):
                continue
            row = {**spot.fields(), "grade": target.grade}
            key = place(row)
            if key not in seen and own_text(reader, row):
                seen.add(key)
                yield key, (row, case, str(target.location))

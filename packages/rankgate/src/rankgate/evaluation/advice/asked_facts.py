"""What further questions prove about queries that returned nothing relevant.

First whether the target can be returned at all, and whether it is found deeper or without a filter. Then, of
those that are still open, the words: single words that return nothing, other forms, one letter wrong.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rankgate.evaluation.advice.examined import page, relevant_targets
from rankgate.evaluation.advice.follow_ups import FollowUp
from rankgate.evaluation.advice.returned import ReturnedTargets, own_text
from rankgate.model.search import Query
from rankgate.model.wording import many, quoted
from rankgate.reports.evaluation.failures import filters_text
from rankgate.truth.facts.checked import DEEP, CheckedFact, FactKind
from rankgate.truth.facts.texts import target_text
from rankgate.truth.facts.words import compare_words
from rankgate.truth.words import Stems

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rankgate.evaluation.advice.examined import ExaminedCase, FailedQueries
    from rankgate.evaluation.advice.follow_ups import FollowUpAnswer, FollowUps
    from rankgate.gates.scored import Scored
    from rankgate.truth.facts.words import WordComparison
    from rankgate.truth.locations.corpus_reader import CorpusReader

_RESERVED = 0.4
"""How much of the questions is kept for words."""
_MOST_WORDS = 6
_MOST_OTHERS = 2


class AskedFacts:
    """Asks further, and returns what it proves."""

    def __init__(self, scored: Scored, reader: CorpusReader, follow_ups: FollowUps) -> None:
        self._scored, self._reader, self._follow_ups = scored, reader, follow_ups
        self._targets = ReturnedTargets(reader, follow_ups)
        self._deep: dict[str, FollowUpAnswer] = {}
        self._indexed: set[str] = set()
        self._stems = Stems()
        self._only_page: str | None = None

    def of_targets(self, failed: FailedQueries) -> dict[str, CheckedFact]:
        """Find targets that cannot be returned, or only without a filter; by case."""
        missed, self._only_page = failed.missed, failed.only_page
        reserved = int(self._follow_ups.left * _RESERVED)
        trusted = bool(missed) and self._targets.trust(self._controls())
        facts: dict[str, CheckedFact] = {}
        for one in missed:
            if self._follow_ups.left <= reserved:
                break
            case, query = one.case, Query(one.case.query, DEEP, one.case.filters)
            asked = [FollowUp("deep", query, one.highest)]
            if case.filters:
                asked.append(FollowUp("unfiltered", replace(query, filters={}), one.highest))
            answers = self._follow_ups.ask(asked)
            if "deep" not in answers:
                continue
            self._deep[case.id] = answers["deep"]
            free = answers.get("unfiltered")
            if answers["deep"].rank is None and free is not None and free.rank is not None:
                filters = filters_text(case)
                evidence = f"{quoted(case.query)} returns {one.name} at rank {free.rank} without {filters}"
                evidence += f", and not in the top {DEEP} with it"
                facts[case.id] = CheckedFact(FactKind.FILTERED, (case.id,), evidence, filters)
            elif trusted and (fact := self._of_target(one)) is not None:
                facts[case.id] = fact
        return facts

    def _controls(self) -> Iterator[Mapping[str, Any]]:
        """Go through what the system has returned: targets, or else any hits that are located."""
        ranks = self._scored.judged_hits.ranks
        for query, rows in relevant_targets(self._scored).items():
            yield from (row for row in rows if (query, int(row["target"])) in ranks)
        for hit in self._first_hits():
            yield {**hit._asdict(), "grade": 1.0, "id": None if hit.path is not None else hit.id}

    def _first_hits(self) -> Iterator[Any]:
        from rankgate.runs.store.hits import read_hits

        names = [case.id for case in self._scored.suite.cases[:50]]
        for hits in read_hits(self._scored.run, names, 1).values():
            yield from (hit for hit in hits if hit.hit_class == "exact")

    def _of_target(self, one: ExaminedCase) -> CheckedFact | None:
        if not own_text(self._reader, one.best):
            return None
        self._targets.ask([one.best])
        fact = self._targets.fact(one.best, one.name)
        if fact is None:
            if self._targets.returned(one.best):
                self._indexed.add(one.case.id)
            return None
        evidence = fact.evidence
        if fact.kind in (FactKind.NOT_RETURNED, FactKind.NOT_INDEXED):
            evidence += self._of_page(page(one.best))
        return CheckedFact(fact.kind, (one.case.id,), evidence, fact.subject)

    def _of_page(self, name: str) -> str:
        """Return that no hit of the whole run lies in a page, in words; nothing where one does."""
        total = many(len(self._scored.scores.queries), "query", "queries")
        if name in self._pages_hit:
            return ""
        every = ", and every failed or weak query expects it" if name == self._only_page else ""
        return f"; no hit of any of {total} lies in {name}{every}"

    @cached_property
    def _pages_hit(self) -> set[str]:
        return {
            name
            for shard in self._scored.run.shards()
            for row in shard.scan_hits(("path", "id")).unique().collect().iter_rows()
            for name in row
            if name is not None
        }

    def of_words(self, still_open: Iterable[ExaminedCase]) -> dict[str, CheckedFact]:
        """Find what the words of queries have to do with it, and else how deep the target is; by case."""
        facts: dict[str, CheckedFact] = {}
        for one in still_open:
            deep = self._deep.get(one.case.id)
            if deep is None:
                continue
            text = target_text(self._reader, one.best)
            compared = None
            if text is not None:
                compared = compare_words(one.case.query, f"{page(one.best)}\n{text}", self._stems)
            fact = None if compared is None else self._of_words(one, compared, deep)
            fact = fact or self._of_depth(one, deep, compared)
            if fact is not None:
                facts[one.case.id] = fact
        return facts

    def _of_words(
        self, one: ExaminedCase, compared: WordComparison, deep: FollowUpAnswer
    ) -> CheckedFact | None:
        if not deep.hits and one.case.id in self._indexed:
            fact = self._stop_words(one, compared)
            if fact is not None:
                return fact
        for kind, others in ((FactKind.MISSPELT, compared.slips), (FactKind.NO_STEMMING, compared.forms)):
            for word, other in list(others.items())[:_MOST_OTHERS]:
                fact = self._other_word(one, compared, kind, (word, other))
                if fact is not None:
                    return fact
        return None

    def _stop_words(self, one: ExaminedCase, compared: WordComparison) -> CheckedFact | None:
        """Return that the engine drops every word of a query that stands in a target it can return."""
        words = compared.words
        if not words or len(words) > _MOST_WORDS or not compared.standing.issuperset(words):
            return None
        answers = self._follow_ups.ask(self._alone(one, word) for word in words)
        if len(answers) < len(words) or any(answer.hits for answer in answers.values()):
            return None
        evidence = (
            f"{quoted(one.case.query)} returns nothing, nor does any of its words alone, though all stand"
        )
        evidence += f" in {one.name}, which its other words find"
        return CheckedFact(FactKind.STOP_WORDS, (one.case.id,), evidence, details=(", ".join(words),))

    def _alone(self, one: ExaminedCase, word: str) -> FollowUp:
        return FollowUp(f"word {word}", Query(word, DEEP, one.case.filters), (one.best,))

    def _other_word(
        self, one: ExaminedCase, compared: WordComparison, kind: FactKind, words: tuple[str, str]
    ) -> CheckedFact | None:
        """Return that another word finds the target, where the query's own does not match it.

        The own word alone must have returned all that it matches: fewer hits than were asked for.
        """
        word, other = words
        changed = compared.with_words({word: other})
        depth = self._scored.scores.depth or 10
        query = Query(changed, depth, one.case.filters)
        better = self._follow_ups.ask([FollowUp("changed", query, (one.best,))]).get("changed")
        if better is None or better.rank is None:
            return None
        both = [self._alone(one, word), self._alone(one, other)]
        answers = self._follow_ups.ask(both)
        if len(answers) < len(both):
            return None
        alone, right = (answers[question.key] for question in both)
        complete = not alone.hits if kind is FactKind.MISSPELT else len(alone.hits) < DEEP
        if not complete or alone.rank is not None or right.rank is None:
            return None
        alone_words = f"{quoted(word)} alone returns {many(len(alone.hits), 'hit')} and not {one.name}"
        evidence = f"{alone_words}; with {quoted(other)}, which stands there, the query returns it"
        evidence += f" at rank {better.rank}"
        return CheckedFact(kind, (one.case.id,), evidence, details=(f"{word} → {other}",))

    def _of_depth(
        self, one: ExaminedCase, deep: FollowUpAnswer, compared: WordComparison | None
    ) -> CheckedFact | None:
        case = one.case
        if deep.rank is not None:
            what = one.name if len(one.highest) == 1 else "the first of its best targets"
            evidence = f"{quoted(case.query)} returns {what} at rank {deep.rank}"
            evidence += f", with {DEEP} hits asked for"
            return CheckedFact(FactKind.BELOW, (case.id,), evidence, details=(f"rank {deep.rank}",))
        if case.id not in self._indexed:
            return None
        returned = f"{one.name} is returned for its own text, and not for {quoted(case.query)}"
        if compared is not None and not compared.shared:
            evidence = f"{returned}, of which no word but common ones stands there"
            return CheckedFact(FactKind.NO_SHARED_WORD, (case.id,), evidence)
        evidence = f"{returned}, which returns {many(len(deep.hits), 'hit')}"
        return CheckedFact(FactKind.OUT_OF_REACH, (case.id,), evidence)

"""From the words of a query to queries of Tantivy: exact terms first, then beginnings, then near misses.

A term that is in no node is replaced by words that begin with it, or else by words that are a letter or two
away, which count less than terms that are there. Nodes that have no term exactly are asked for apart, because
they stand behind all that do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rankgate_reference.lexical.titles import title_key
from rankgate_reference.lexical.words import query_terms, stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rankgate_reference.lexical.vocabulary import Vocabulary
    from rankgate_reference.lexical.weights import Weights
    from rankgate_reference.lexical.words import Term

MOST_TERMS = 64
"""How many terms of a query are asked for; a longer query is a document."""
_MOST_PREFIXED = 30
_MOST_NEAR = 10


@dataclass(frozen=True, slots=True)
class Asked:
    """One term as it is asked for."""

    stem: str
    """What it is in the index."""
    weight: float
    """What it counts, beside others."""
    how: str
    """exact, prefix or near."""
    term: Term
    """What was written."""


class Question:
    """What a query asks of one state of an index."""

    def __init__(self, text: str, engine: Any, searcher: Any, schema: Any, parts: QuestionParts) -> None:
        self._engine, self._searcher, self._schema = engine, searcher, schema
        self._weights, self._vocabulary = parts.weights, parts.vocabulary
        terms = query_terms(text)[:MOST_TERMS]
        counts = {term.stem: searcher.doc_freq("text", term.stem) for term in terms}
        known = [term for term in terms if counts[term.stem]]
        if not parts.weights.filler or all(term.filler for term in known):
            # What holds a sentence together finds nothing by itself, and is in most nodes: it takes longest.
            known = [term for term in known if not term.filler]
        self.terms = terms
        self.counts = counts
        self.known = known
        self._solid = [term for term in terms if not term.filler]

    @cached_property
    def exact(self) -> list[Asked]:
        """The terms that are in some node."""
        filler = self._weights.filler
        return [Asked(term.stem, filler if term.filler else 1.0, "exact", term) for term in self.known]

    @cached_property
    def replaced(self) -> list[Asked]:
        """What stands in for the terms that are in none: beginnings, or else near misses."""
        found: list[Asked] = []
        for term in self._solid:
            if not self.counts[term.stem]:
                found += self._prefixed(term) or ([] if term.whole else self._near(term))
        return found

    @cached_property
    def slips(self) -> dict[str, str]:
        """Words that are nowhere and begin nothing, each with the word that is nearest."""
        found: dict[str, str] = {}
        for term in self._solid:
            lost = not (term.whole or self.counts[term.stem])
            if lost and not self._vocabulary.beginning_with(term.typed, 1):
                for near in self._vocabulary.near(term.typed, 1):
                    found[term.typed] = near
        return found

    @cached_property
    def prefixed(self) -> list[Asked]:
        """Words that begin with a term, of all terms."""
        return [one for term in self._solid for one in self._prefixed(term)]

    @cached_property
    def near(self) -> list[Asked]:
        """Words that are a letter or two away from a term, of all terms."""
        return [one for term in self._solid for one in self._near(term)]

    @cached_property
    def bonus(self) -> float:
        """What a node with all terms gains; 0 where the query has one term, or one that is nowhere."""
        needed = self.needed
        if len(needed) < 2 or not all(self.counts[term] for term in needed):
            return 0.0
        return self._weights.coverage * self._weight(needed)

    @cached_property
    def title(self) -> str:
        """What a title must be to be the query: of its words, those that are in some node."""
        return title_key(self.known)

    @cached_property
    def title_bonus(self) -> float:
        """What a node gains whose title is the query, beside the bonus for having all terms."""
        more = self._weights.titled * self._weight(self.title.split())
        return more + self.bonus if more else 0.0

    def _weight(self, stems: Iterable[str]) -> float:
        return sum(map(self.weight, stems))

    def weight(self, stem: str) -> float:
        """Return what a term of the query weighs: the more, the fewer nodes have it."""
        nodes, count = self._searcher.num_docs, self.counts[stem]
        return math.log(1 + max(0.5, nodes - count + 0.5) / (count + 0.5))

    @cached_property
    def needed(self) -> list[str]:
        """The terms that a node must have for the bonus: all but fillers; parts stand for their whole."""
        return [term.stem for term in self._solid if not term.whole]

    def exact_query(self) -> Any | None:
        """Ask for the nodes that have a term exactly."""
        if not self.exact:
            return None
        query, should, must = self._engine.Query, self._engine.Occur.Should, self._engine.Occur.Must
        clauses = self._exact_clauses
        if not self.replaced:
            return query.boolean_query(clauses)
        return query.boolean_query(
            [
                (must, query.const_score_query(self._any(self.exact), 0.0)),
                (should, query.boolean_query(clauses + self._clauses(self.replaced))),
            ]
        )

    def full_query(self) -> Any | None:
        """Ask for the nodes that have all terms; None where that earns nothing.

        They score what they score in `exact_query`. Asked apart, both are fast: a bonus inside one query
        would make Tantivy score every node that has a term.
        """
        if not self.bonus:
            return None
        must, needed = self._engine.Occur.Must, set(self.needed)
        clauses = list(self._exact_clauses)
        for at, one in enumerate(self.exact):
            if one.stem in needed:
                clauses[2 * at] = (must, clauses[2 * at][1])
        return self._engine.Query.boolean_query(clauses)

    def titled_query(self) -> Any | None:
        """Ask for the nodes whose title is the query; they score what they score in `exact_query`."""
        if not self.title_bonus or not self._searcher.doc_freq("titles", self.title):
            return None
        must = self._engine.Occur.Must
        clauses = self._exact_clauses + self._clauses(self.replaced)
        return self._engine.Query.boolean_query([(must, self.of_title(0.0)), *clauses])

    def of_title(self, score: float) -> Any:
        """Ask for the title alone."""
        query = self._engine.Query
        return query.const_score_query(query.term_query(self._schema, "titles", self.title, "basic"), score)

    def prefix_query(self) -> Any | None:
        """Ask for the nodes that have only words that begin with a term."""
        return self._other_query(self.prefixed, self.exact)

    def near_query(self) -> Any | None:
        """Ask for the nodes that have only words that are near to a term."""
        return self._other_query(self.near, (*self.exact, *self.prefixed))

    def _other_query(self, asked: Sequence[Asked], without: Iterable[Asked]) -> Any | None:
        if not asked:
            return None
        query, occur = self._engine.Query, self._engine.Occur
        clauses = [(occur.Must, query.boolean_query(self._clauses(asked)))]
        not_these = [one for one in without if not one.term.filler]
        if not_these:
            clauses.append((occur.MustNot, self._any(not_these)))
        return query.boolean_query(clauses)

    def one_query(self, asked: Asked, field: str) -> Any:
        """Ask for one term in one field, to see what it counts there."""
        weight = asked.weight * (self._weights.names if field == "names" else 1.0)
        return self._engine.Query.boost_query(self._term(field, asked.stem), weight)

    @cached_property
    def _exact_clauses(self) -> list[tuple[Any, Any]]:
        return self._clauses(self.exact)

    def _clauses(self, asked: Iterable[Asked]) -> list[tuple[Any, Any]]:
        """Ask for each in the text and in the names, in turn."""
        should, names = self._engine.Occur.Should, self._weights.names
        clauses = []
        for one in asked:
            clauses.append((should, self._weighed("text", one.stem, one.weight)))
            clauses.append((should, self._weighed("names", one.stem, one.weight * names)))
        return clauses

    def _weighed(self, field: str, value: str, weight: float) -> Any:
        term = self._term(field, value)
        return term if weight == 1.0 else self._engine.Query.boost_query(term, weight)

    def _any(self, asked: Iterable[Asked]) -> Any:
        stems = dict.fromkeys(one.stem for one in asked if not one.term.filler)
        should = self._engine.Occur.Should
        return self._engine.Query.boolean_query([(should, self._term("text", one)) for one in stems])

    def _term(self, field: str, value: str) -> Any:
        return self._engine.Query.term_query(self._schema, field, value, "freq")

    def _prefixed(self, term: Term) -> list[Asked]:
        words = self._vocabulary.beginning_with(term.typed, _MOST_PREFIXED)
        return self._asked(term, words, self._weights.prefix, "prefix")

    def _near(self, term: Term) -> list[Asked]:
        words = self._vocabulary.near(term.typed, _MOST_NEAR)
        return self._asked(term, words, self._weights.near, "near")

    def _asked(self, term: Term, words: Iterable[str], weight: float, how: str) -> list[Asked]:
        stems = dict.fromkeys(form for word in words for form in (stem(word), word))
        there = (one for one in stems if one != term.stem and self._searcher.doc_freq("text", one))
        return [Asked(one, weight, how, term) for one in there]


@dataclass(frozen=True, slots=True)
class QuestionParts:
    """What questions need beside the index."""

    weights: Weights
    """What counts how much."""
    vocabulary: Vocabulary
    """The words of the index."""

"""Lexical search over nodes: BM25 on Tantivy.

Texts are cut into terms here (`words.py`) and reach Tantivy ready. One thread writes, so that the same nodes
give the same index. After an update, counts of words include the nodes that were replaced until Tantivy
merges them away, so that scores differ a little from those of an index that was made anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import rankgate as rg
from rankgate_reference.lexical.entries import WHOLE, entries_of, facet_of, key_of, schema_of, sound
from rankgate_reference.lexical.explanation import explained
from rankgate_reference.lexical.files_first import TEST_STEMS, rank_by_files
from rankgate_reference.lexical.queries import Question, QuestionParts
from rankgate_reference.lexical.vocabulary import Vocabulary, add_words
from rankgate_reference.lexical.weights import Weights
from rankgate_reference.lexical.words import Cut

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from rankgate_reference.documents.nodes import TreeNode

    Filters = Mapping[str, str | tuple[str, ...]]

_HEAP = 128_000_000
_BEHIND = 0.9
_WORDS = "words.txt"


@dataclass(frozen=True, slots=True)
class Scored:
    """A node that was found."""

    id: str
    """The node."""
    score: float
    """What it scored; of use only beside others of the same query."""
    path: str = ""
    """Its file."""
    start: int = 1
    """The first of its own lines."""
    end: int = 1
    """The last of its own lines before the first node below it."""


class LexicalIndex:
    """An index in a folder. Threads share it; one at a time updates it. Made by `LexicalIndex.open`."""

    def __init__(self, engine: Any, index: Any, weights: Weights, words: Path) -> None:
        self._engine = engine
        self._index = index
        self._schema = index.schema
        self._weights = weights
        self._words = words
        self._look()

    @classmethod
    def open(cls, folder: Path, weights: Weights | None = None) -> LexicalIndex:
        """Open the index in a folder; an empty folder gets an empty index.

        Raises:
            InputError: for a folder that holds something else, and where Tantivy is not installed.
        """
        try:
            import tantivy
        except ImportError as error:
            fix = "to install: pip install 'rankgate[reference]'"
            raise rg.InputError(rg.Problem("lexical search", str(error), "tantivy", fix)) from error
        try:
            folder.mkdir(parents=True, exist_ok=True)
            index = tantivy.Index(schema_of(tantivy), path=str(folder), reuse=True)
            index.config_reader(reload_policy="manual")
            return cls(tantivy, index, weights or Weights(), folder / _WORDS)
        except (ValueError, OSError) as error:
            fix = "remove the folder to have it built again"
            raise rg.InputError(
                rg.Problem(str(folder), f"an index that does not open ({error})", "one of this version", fix)
            ) from error

    def __len__(self) -> int:
        return self._nodes

    def update(
        self, nodes_by_path: Iterable[tuple[str, Sequence[TreeNode]]], removed: Iterable[str] = ()
    ) -> None:
        """Replace the nodes of files, and take out those of files that are gone; all of it, or nothing.

        Raises:
            SystemFailedError: where Tantivy cannot write.
        """
        try:
            writer = self._index.writer(heap_size=_HEAP, num_threads=1)
        except ValueError as error:
            raise rg.SystemFailedError(
                rg.Problem("the index", str(error), "one that nobody else writes to")
            ) from error
        fresh = len(self) == 0
        cut = Cut()
        try:
            for path in removed:
                writer.delete_documents_by_term("path", key_of(path))
            for path, nodes in nodes_by_path:
                if not fresh:
                    writer.delete_documents_by_term("path", key_of(path))
                for entry in entries_of(self._engine, nodes, self._weights, cut):
                    writer.add_document(entry)
            add_words(self._words, cut)
            writer.commit()
        except BaseException as error:
            writer.rollback()
            if isinstance(error, (ValueError, OSError)):
                raise rg.SystemFailedError(
                    rg.Problem("the index", str(error), "nodes that can be written")
                ) from error
            raise
        finally:
            # Whoever removes the folder must not meet a thread that still writes to it.
            writer.wait_merging_threads()
        self._index.reload()
        self._look()

    def search(self, text: str, k: int = 10, filters: Filters | None = None) -> list[Scored]:
        """Find the nodes for a query, best first; equal ones in the order of their ids."""
        state = self._state
        clause = self._filter(filters or {})
        if k < 1 or clause is False:
            return []
        question = self._question(text, state)
        found: list[Scored] = []
        for tier in (question.exact_query, question.prefix_query, question.near_query):
            query = tier()
            if query is not None:
                better = _better(question) if tier == question.exact_query else ()
                more = self._ranked((*better, (query, 0.0)), clause, k - len(found), question)
                found += more if not found else _behind(more, found[-1].score)
            if len(found) >= k:
                break
        return found

    def slips(self, text: str) -> dict[str, str]:
        """Return the words of a query that are in no node in any way, each with the word that is nearest."""
        return self._question(text, self._state).slips

    def coverage(self, text: str, found: Sequence[Scored]) -> float:
        """Return the largest part of a query that one of some nodes has, by what words weigh, from 0 to 1.

        A word that is nowhere weighs most, and a node with a word in its place has a part of it.
        """
        question = self._question(text, self._state)
        if not found or not question.needed:
            return 0.0
        query, occur, schema = self._engine.Query, self._engine.Occur, self._schema
        whole = sum(map(question.weight, question.needed))
        ids = [
            (occur.Should, query.term_query(schema, "id", key_of(sound(one.id)), "basic")) for one in found
        ]
        clauses = [(occur.Must, query.const_score_query(query.boolean_query(ids), 0.0))]
        for asked in (*question.exact, *question.replaced):
            if asked.term.stem in question.needed:
                term = query.term_query(schema, "text", asked.stem, "basic")
                worth = asked.weight * question.weight(asked.term.stem)
                clauses.append((occur.Should, query.const_score_query(term, worth)))
        hits = self._searcher.search(query.boolean_query(clauses), 1, count=False).hits
        return min(1.0, hits[0][0] / whole) if hits else 0.0

    def explain(self, text: str, id: str, node: TreeNode | None = None) -> str:  # noqa: A002 - what it is
        """Return what each term of a query counted for a node.

        Args:
            text: The query.
            id: The node's id.
            node: The node itself, to also say in which of its fields the terms stand.
        """
        searcher = self._searcher
        term = self._engine.Query.term_query(self._schema, "id", key_of(sound(id)), "basic")
        question = self._question(text, self._state)
        # As it is ranked: by the first query that finds it, and there by the best of its parts.
        ways = (*(query for query, _ in _better(question)), question.exact_query(), question.prefix_query())
        only = [(self._engine.Occur.Must, self._engine.Query.const_score_query(term, 0.0))]
        for way in (*ways, question.near_query(), term):
            hits = searcher.search(self._passing(way, only), 1, count=False).hits if way is not None else ()
            if hits:
                return explained(question, searcher, hits[0][1], id, node)
        return f"{id} is not in the index"

    def warnings(self, filters: Filters) -> tuple[str, ...]:
        """Return which filters no node can pass, because no node has the key."""
        unknown = [key for key in filters if not self._has_key(key)]
        if not unknown:
            return ()
        there = ", ".join(self.keys()) or "none"
        return tuple(
            f"no node has the facet {key!r}, so nothing is found; facets are: {there}" for key in unknown
        )

    def keys(self) -> list[str]:
        """List the facets that nodes have."""
        found = self._searcher.terms_with_prefix("keys", "")
        return sorted(term for term, _ in found)

    def _look(self) -> None:
        searcher = self._index.searcher()
        whole = self._engine.Query.term_query(self._schema, "holds", WHOLE, "basic")
        self._nodes = int(searcher.search(whole, 1).count)
        self._state = (
            searcher,
            QuestionParts(self._weights, Vocabulary(self._engine, searcher, self._words)),
        )

    @property
    def _searcher(self) -> Any:
        return self._state[0]

    def _question(self, text: str, state: tuple[Any, QuestionParts]) -> Question:
        return Question(text, self._engine, state[0], self._schema, state[1])

    def _has_key(self, key: str) -> bool:
        return bool(self._searcher.doc_freq("keys", sound(key)))

    def _filter(self, filters: Filters) -> Any:
        """Return the clauses that every hit must pass; None where there are none, False where nothing can."""
        if not filters:
            return None
        if not all(map(self._has_key, filters)):
            return False
        query, occur = self._engine.Query, self._engine.Occur
        clauses = []
        for key, value in filters.items():
            values = value if isinstance(value, tuple) else (value,)
            terms = [
                (occur.Should, query.term_query(self._schema, "facets", facet_of(key, one), "basic"))
                for one in values
            ]
            # A filter selects and adds nothing to the score.
            clauses.append((occur.Must, query.const_score_query(query.boolean_query(terms), 0.0)))
        return clauses

    def _ranked(
        self, queries: Sequence[tuple[Any, float]], clause: Any, k: int, question: Question
    ) -> list[Scored]:
        """Rank what queries find, each with its bonus; a node has that of the first that finds it."""
        searcher, weights = self._searcher, self._weights
        many = max(k, weights.candidates)
        # Parts of a node are found beside it, so that more must be looked at to have as many nodes.
        look = many if searcher.num_docs == self._nodes else many * 3 // 2
        while True:
            lists = [_with_ties(searcher, self._passing(query, clause), look) for query, _ in queries]
            hits = [
                (score + bonus, at)
                for (_, bonus), found in zip(queries, lists, strict=True)
                for score, at in found
            ]
            if not hits:
                return []
            scores, addresses = [score for score, _ in hits], [at for _, at in hits]
            files = searcher.fast_field_values("file", addresses)
            places = list(zip(files, searcher.fast_field_values("order", addresses), strict=True))
            kept = _best(scores, places, many)
            if len(kept) >= k or all(len(found) < look for found in lists):
                break
            look *= 4
        if not any(term.stem in TEST_STEMS for term in question.terms):
            less = weights.tests
            scores = [score * less if file & 1 else score for score, file in zip(scores, files, strict=True)]
        documents = _Documents(searcher, addresses)
        ranked = rank_by_files([(scores[at], *places[at], at) for at in kept], documents.id, weights, k)
        return [_scored(documents[at], score) for at, score in ranked]

    def _passing(self, query: Any, clause: Any) -> Any:
        if clause is None:
            return query
        return self._engine.Query.boolean_query([(self._engine.Occur.Must, query), *clause])


def _better(question: Question) -> list[tuple[Any, float]]:
    """Return the queries for what gains a bonus, the largest first."""
    queries = ((question.titled_query(), question.title_bonus), (question.full_query(), question.bonus))
    return [(query, bonus) for query, bonus in queries if query is not None]


def _with_ties(searcher: Any, query: Any, many: int) -> list[tuple[float, Any]]:
    """Return the best hits, and with the last of them all that score the same."""
    limit = many + 1
    while True:
        hits: list[tuple[float, Any]] = searcher.search(query, limit, count=False).hits
        if len(hits) < limit or hits[-1][0] < hits[many - 1][0]:
            break
        limit *= 4
    if limit == many + 1:
        return hits[:many]
    least = hits[many - 1][0] if len(hits) > many else 0.0
    return [hit for hit in hits if hit[0] >= least]


class _Documents(dict[int, Any]):
    """The documents at some addresses, each read once."""

    def __init__(self, searcher: Any, addresses: Sequence[Any]) -> None:
        self._searcher, self._addresses = searcher, addresses

    def __missing__(self, at: int) -> Any:
        found = self[at] = self._searcher.doc(self._addresses[at])
        return found

    def id(self, at: int) -> str:
        return str(self[at].get_first("id"))


def _best(scores: Sequence[float], places: Sequence[tuple[int, int]], many: int) -> list[int]:
    """Take each place once, where it first stands, and leave out what scores less than so many."""
    last = len(places) - 1
    # Backwards, so that what stands first is what stays.
    first = list(dict(zip(reversed(places), range(last, -1, -1), strict=True)).values())
    if len(first) <= many:
        return first
    least = sorted([scores[at] for at in first], reverse=True)[many - 1]
    return [at for at in first if scores[at] >= least]


def _behind(more: list[Scored], last: float) -> list[Scored]:
    """Scale scores so that they lie below the last one."""
    if not more:
        return []
    scale = last * _BEHIND / more[0].score if more[0].score > 0 else 0.0
    return [Scored(one.id, one.score * scale, one.path, one.start, one.end) for one in more]


def _scored(document: Any, score: float) -> Scored:
    get = document.get_first
    return Scored(get("id"), score, get("path"), get("start"), get("end"))

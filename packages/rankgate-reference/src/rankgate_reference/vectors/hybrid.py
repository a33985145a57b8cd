"""Search by vectors, and by words and vectors at once.

Both give scores of nodes. They are made one, and only then do files count, where files are ranked: whichever
way its nodes were found. Whoever types a single identifier wants that identifier, so there words
count nearly all, and vectors fill up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import rankgate as rg
from rankgate_reference.lexical.deeper import in_layers
from rankgate_reference.lexical.files_first import TEST_STEMS, is_test, rank_by_files
from rankgate_reference.lexical.words import query_terms
from rankgate_reference.vectors.fusion import by_ranks, by_scores, reranked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankgate_reference.documents.nodes import TreeNode
    from rankgate_reference.lexical.index import LexicalIndex, Scored
    from rankgate_reference.lexical.weights import Weights
    from rankgate_reference.vectors.fusion import Reranker
    from rankgate_reference.vectors.index import VectorIndex

SYMBOL_SHARE = 0.95
"""What words count, of 1, where the query is one identifier."""

FILES_SHARE = 0.4
"""What words count, of 1, where files are ranked, whatever they find."""

COVERING = 5
"""How many of the best nodes by words say how much of the query words can answer."""

RERANKED = 50
"""How many nodes a reranker is given."""

_WORD = re.compile(r"\w+")
_SYMBOL = re.compile(r"[\w.:$]+(?:\(\))?")


@dataclass(frozen=True, slots=True)
class Blend:
    """How words and vectors are made one."""

    lexical: float = 0.7
    """What words count, of 1, where a node has all of the query; vectors count the rest."""
    fusion: str = "scores"
    """scores, or ranks."""
    steady: bool = False
    """True where words count the same whatever they find."""

    def share(self, text: str, coverage: float = 1.0) -> float:
        """Return what words count for a query: the less, the less of it the best nodes have.

        >>> Blend().share("Client.send"), Blend().share("how requests are sent", 0.5)
        (0.95, 0.35)

        Args:
            text: The query.
            coverage: The part of it that the best of what words find has, from 0 to 1.
        """
        if is_symbol(text) and self.lexical > 0:
            return max(SYMBOL_SHARE, self.lexical)
        return self.lexical if self.steady or self.lexical == 1 else self.lexical * coverage


def is_symbol(text: str) -> bool:
    """Check whether a query is one identifier.

    >>> is_symbol("get_user()"), is_symbol("get a user")
    (True, False)
    """
    return _SYMBOL.fullmatch(text.strip()) is not None


def alone(weights: Weights) -> Weights:
    """Return weights by which a lexical search scores each node by itself, whatever its file."""
    return replace(weights, file=0.0, spread=1.0, tests=1.0)


class HybridSearch:
    """Searches by vectors, or by both."""

    def __init__(
        self,
        vectors: VectorIndex,
        weights: Weights,
        lexical: LexicalIndex | None = None,
        blend: Blend | None = None,
        *,
        records: bool = False,
    ) -> None:
        """Take the parts.

        Args:
            vectors: The vectors of nodes.
            weights: What counts how much among files.
            lexical: The words of nodes, opened with the weights of `alone`; None to search by vectors only.
            blend: How both are made one.
            records: True where ids are no paths, so that none is that of a test.
        """
        self._vectors = vectors
        self._weights = weights
        self._lexical = lexical
        self._blend = blend or Blend()
        self._records = records

    def search(self, query: rg.Query) -> list[Scored]:
        """Find the nodes for a query, best first; equal ones in the order of their ids."""
        first = self._weights.candidates
        if query.k <= first:
            return self._looked(query, first)[: max(0, query.k)]
        return in_layers(partial(self._looked, query), query.k, first, len(self._vectors))

    def _looked(self, query: rg.Query, many: int) -> list[Scored]:
        """Rank what a look at so many nodes finds, by vectors and by words."""
        near = self._vectors.search(self._spelled(query.text), many, query.filters)
        if self._lexical is None:
            scores = {one.id: max(one.score, 0.0) for one in near}
            if self._weights.file:
                # Every cosine is far from 0, so that a file would gain by all that it holds.
                scores = by_scores([scores], [1.0])
            return self._by_files(query, scores, near)
        worded = self._lexical.search(query.text, many, query.filters)
        share = self._blend.share(query.text, self._lexical.coverage(query.text, worded[:COVERING]))
        lists = [{one.id: one.score for one in found} for found in (worded, near)]
        if self._blend.fusion == "ranks":
            scores = by_ranks(lists, (share, 1 - share))
        else:
            # No word found is a natural zero; of cosines only the order among the nearest says something.
            scores = by_scores(lists, (share, 1 - share), (0.0, None))
        return self._by_files(query, scores, [*near, *worded])

    def _spelled(self, text: str) -> str:
        """Put the slips of a query right that the model cannot read; a word that it knows stays as it is."""
        if self._lexical is None:
            return text
        found = self._lexical.slips(text).items()
        slips = {word: meant for word, meant in found if not self._vectors.knows(word)}
        return _WORD.sub(lambda run: slips.get(run[0].lower(), run[0]), text) if slips else text

    def _by_files(self, query: rg.Query, scores: dict[str, float], found: Sequence[Scored]) -> list[Scored]:
        at_id = {one.id: one for one in found if one.id in scores}
        ids = sorted(at_id)
        asked = self._records or any(term.stem in TEST_STEMS for term in query_terms(query.text))
        keeps = 1.0 if asked else self._weights.tests
        values = [scores[id_] * (keeps if is_test(at_id[id_].path) else 1.0) for id_ in ids]
        numbers: dict[str, int] = {}
        nodes = [
            (value, numbers.setdefault(at_id[id_].path, len(numbers)), at, at)
            for at, (id_, value) in enumerate(zip(ids, values, strict=True))
        ]
        ranked = rank_by_files(nodes, ids.__getitem__, self._weights, len(ids))
        return [replace(at_id[ids[at]], score=score) for at, score in ranked]


def rerank_with(
    rerank: Reranker,
    search: Callable[[rg.Query], rg.Ranking],
    node: Callable[[str], TreeNode],
) -> Callable[[rg.Query], rg.Ranking]:
    """Put a reranker behind a search: it orders the best anew, and scores become 1 / rank."""

    def searched(query: rg.Query) -> rg.Ranking:
        found = search(replace(query, k=max(query.k, RERANKED))).hits
        best = found[:RERANKED]
        order = reranked(rerank, query.text, [node(hit.id or "") for hit in best])
        hits = [*(best[at] for at in order), *found[RERANKED:]][: query.k]
        return rg.Ranking(
            tuple(
                rg.Hit(id=hit.id, path=hit.path, lines=hit.lines, score=1 / rank)
                for rank, hit in enumerate(hits, 1)
            )
        )

    return searched

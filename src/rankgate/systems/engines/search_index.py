"""An index of OpenSearch or Elasticsearch that rankgate built: what it is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.errors import Problem, SystemFailedError
from rankgate.systems.engines.index_records import check_facets, facet_term
from rankgate.systems.engines.search_building import index_name
from rankgate.systems.engines.search_errors import shown
from rankgate.systems.engines.search_requests import Asked, encoded

if TYPE_CHECKING:
    from rankgate.model.search import Query
    from rankgate.systems.engines.search_client import SearchClient
    from rankgate.systems.engines.search_options import SearchOptions


@dataclass(frozen=True, slots=True)
class BuiltIndex:
    """What is searched."""

    alias: str
    """Its name."""
    shards: int
    """How many it has."""
    facets: frozenset[str]
    """The names of facets that its documents have."""

    def asked(self, query: Query) -> Asked:
        """Ask for any word of title and text; every filter selects by a facet.

        Equal scores are ordered by id, so that every copy of a shard gives the same answer.

        Raises:
            SystemFailedError: for a filter that no document has.
        """
        check_facets(query, self.facets)
        clauses = [
            {"terms": {"facets": [facet_term(name, one) for one in query.values(name)]}}
            for name in query.filters
        ]
        match: dict[str, object] = {"match": {"all": query.text}}
        body = {
            "size": query.k,
            "query": {"bool": {"must": [match], "filter": clauses}} if clauses else match,
            "sort": [{"_score": "desc"}, {"id": "asc"}],
            "_source": False,
            "docvalue_fields": ["id", "path", "start", "end"],
        }
        params = {"search_type": "dfs_query_then_fetch"} if self.shards > 1 else {}
        return Asked(f"/{self.alias}/_search", params, encoded(body))


def open_index(client: SearchClient, options: SearchOptions, name: str, where: str) -> BuiltIndex:
    """Read what a built index says of itself.

    Raises:
        SystemFailedError: where it does not say which facets it has.
    """
    alias = index_name(options, name)
    answer = client.request("GET", f"/{alias}/_mapping", {}, None)
    found: object = next(iter(answer.values()), None)
    for key in ("mappings", "_meta", "rankgate", "facets"):
        found = found.get(key) if isinstance(found, dict) else None
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        fix = f"delete the index behind {alias} to have it built anew"
        raise SystemFailedError(Problem(where, shown(answer), "the names of its facets in _meta", fix))
    return BuiltIndex(alias, options.shards, frozenset(found))

"""Elasticsearch as a system: the user's own request to an index."""

from __future__ import annotations

from rankgate.systems.engines.elastic.options import SearchOptions
from rankgate.systems.engines.elastic.system import SearchSystem
from rankgate.systems.registry import SystemKind, opener

KIND = SystemKind(
    "An index of Elasticsearch, by your own body",
    base="root",
    library="urllib3",
    extra="http",
    tested="tested with Elasticsearch 7.10.2; 8.19.21 and 9.5.3",
    options=SearchOptions,
)


class ElasticsearchSystem(SearchSystem):
    """Searches an index of Elasticsearch."""

    kind = "elasticsearch"


open_elasticsearch = opener(ElasticsearchSystem, SearchOptions)
"""The entry point of the kind `elasticsearch`."""

"""OpenSearch as a system: the user's own request to an index."""

from __future__ import annotations

from rankgate.systems.engines.elastic.options import SearchOptions
from rankgate.systems.engines.elastic.system import SearchSystem
from rankgate.systems.registry import SystemKind, opener

KIND = SystemKind(
    "An index of OpenSearch, by your own body",
    base="root",
    library="urllib3",
    extra="http",
    tested="tested with OpenSearch 2.19.1",
    options=SearchOptions,
)


class OpenSearchSystem(SearchSystem):
    """Searches an index of OpenSearch."""

    kind = "opensearch"


open_opensearch = opener(OpenSearchSystem, SearchOptions)
"""The entry point of the kind `opensearch`."""

"""OpenSearch as a system: the user's own request to an index."""

from __future__ import annotations

from typing import Any

from rankgate.systems.engines.elastic.client import KEPT_OPEN, SearchClient
from rankgate.systems.engines.elastic.options import Access, SearchOptions
from rankgate.systems.engines.elastic.system import SearchSystem
from rankgate.systems.registry import SystemKind, opener

KIND = SystemKind(
    "An index of OpenSearch, by your own body",
    base="root",
    library="opensearchpy",
    extra="opensearch",
    tested="tested with OpenSearch 2.19.1",
)


class OpenSearchClient(SearchClient):
    """opensearch-py.

    Raises:
        InputError: where it is missing.
    """

    product = "OpenSearch"

    def __init__(self, access: Access) -> None:
        super().__init__(KIND.load(access.name), access)
        self._client = self._library.OpenSearch(
            hosts=list(access.urls),
            headers=access.headers,
            connection_class=_connection_class(self._library, access),
            pool_maxsize=KEPT_OPEN,
            timeout=access.options.timeout,
            verify_certs=access.options.verify_certs,
            ssl_show_warn=False,
            ca_certs=access.ca_file,
            # A run counts what is asked again, and asks at its own pace.
            max_retries=0,
            sniff_on_start=False,
            sniff_on_connection_fail=False,
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _sent(self, method: str, target: str, body: bytes | None, headers: dict[str, str]) -> object:
        return self._client.transport.perform_request(method, target, body=body, headers=headers)


class OpenSearchSystem(SearchSystem):
    """Asks OpenSearch."""

    kind = "opensearch"

    def _connected(self, access: Access) -> SearchClient:
        return OpenSearchClient(access)


open_opensearch = opener(OpenSearchSystem, SearchOptions)
"""The entry point of the kind `opensearch`."""


def _connection_class(opensearchpy: Any, access: Access) -> type:
    """Make connections whose requests end in time, whose answers have a size, and which print nothing."""

    class Connection(opensearchpy.Urllib3HttpConnection):  # type: ignore[misc]
        def _create_urllib3_pool(self) -> None:
            self.pool: Any = access.bounded(self._urllib3_pool_factory())

        def _raise_warnings(self, warning_headers: Any) -> None:
            """Leave deprecations to whoever reads the server's log."""

    return Connection

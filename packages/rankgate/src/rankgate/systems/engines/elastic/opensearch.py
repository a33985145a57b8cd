"""OpenSearch as a system: the user's own request to an index, or an index built from a corpus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankgate.systems.adapter.options import read_options
from rankgate.systems.adapter.secrets import Secrets
from rankgate.systems.engines.elastic.client import KEPT_OPEN, SearchClient
from rankgate.systems.engines.elastic.options import Access, SearchOptions, read_access
from rankgate.systems.engines.elastic.system import SearchSystem
from rankgate.systems.registry import SystemKind

if TYPE_CHECKING:
    from collections.abc import Mapping

KIND = SystemKind(
    "An index of OpenSearch, by your own body, or one that is built",
    base="root",
    index=("index",),
    outside="a server",
    library="opensearchpy",
    extra="opensearch",
    tested="tested with OpenSearch 2.19.1",
)


@dataclass(frozen=True, slots=True)
class OpenSearchOptions(SearchOptions):
    """Which index of OpenSearch is asked, and how."""


class OpenSearchClient(SearchClient):
    """opensearch-py.

    Raises:
        InputError: where it is missing.
    """

    product = "OpenSearch"

    def __init__(self, access: Access, name: str) -> None:
        super().__init__(KIND.load(name), access, name)
        self._client = self._library.OpenSearch(
            hosts=list(access.urls),
            headers=dict(access.headers),
            connection_class=_connection_class(self._library, access, name),
            pool_maxsize=KEPT_OPEN,
            timeout=access.timeout,
            verify_certs=access.verify_certs,
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

    def _sent(
        self, method: str, target: str, body: bytes | None, headers: dict[str, str], seconds: float
    ) -> object:
        transport = self._client.transport
        return transport.perform_request(method, target, body=body, headers=headers, timeout=seconds)


def open_opensearch(name: str, options: Mapping[str, object]) -> SearchSystem:
    """Open a cluster that a configuration names; the entry point of the kind `opensearch`.

    Raises:
        InputError: with every option that is unknown or wrong, and a request that the server refuses.
        SystemFailedError: where there is no server.
    """
    read, secrets = read_options(OpenSearchOptions, options, name), Secrets()
    client = OpenSearchClient(read_access(read, name, secrets), name)
    return SearchSystem("opensearch", client, read, secrets, name)


def _connection_class(opensearchpy: Any, access: Access, where: str) -> type:
    """Make connections whose requests end in time, whose answers have a size, and which print nothing."""
    from rankgate.systems.http.client import BoundedPool

    class Connection(opensearchpy.Urllib3HttpConnection):  # type: ignore[misc]
        def _create_urllib3_pool(self) -> None:
            self.pool: Any = BoundedPool(self._urllib3_pool_factory(), access.max_body, access.secrets, where)

        def _raise_warnings(self, warning_headers: Any) -> None:
            """Leave deprecations to whoever reads the server's log."""

    return Connection

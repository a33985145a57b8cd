"""Elasticsearch as a system: the user's own request to an index.

The official client asks, and its generation must be the server's.
"""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlsplit

from rankgate.errors import Code, InputError, RankgateError, SystemFailedError
from rankgate.systems.engines.elastic.answers import shown
from rankgate.systems.engines.elastic.client import KEPT_OPEN, SearchClient
from rankgate.systems.engines.elastic.options import Access, SearchOptions
from rankgate.systems.engines.elastic.system import SearchSystem
from rankgate.systems.registry import SystemKind, opener

KIND = SystemKind(
    "An index of Elasticsearch, by your own body",
    base="root",
    library="elasticsearch",
    extra="elasticsearch",
    tested="tested with Elasticsearch 7.10.2; 8.19.21 and 9.5.3",
)
_FOR_7 = "'elasticsearch<7.14' 'numpy<2'"
_OTHER_GENERATION = re.compile(r"version must be either version (\d+)")
_FAILED = 400
_PORTS = {"http": 9200, "https": 443}


class ElasticsearchClient(SearchClient):
    """The official client, of whichever generation is installed.

    Raises:
        InputError: where it is missing.
    """

    product = "Elasticsearch"

    def __init__(self, access: Access) -> None:
        super().__init__(_library(access.name), access)
        opened = _opened_7 if self._library.__version__[0] < 8 else _opened_8
        self._client = opened(self._library, access)

    def close(self) -> None:
        """Close the connections."""
        self._client.transport.close()

    def _sent(self, method: str, target: str, body: bytes | None, headers: dict[str, str]) -> object:
        client = self._client
        if not hasattr(client, "options"):
            return client.transport.perform_request(method, target, headers=headers, body=body)
        accepting = {"accept": "application/json", **headers}
        return client.perform_request(method, target, headers=accepting, body=body).body

    def _failure(self, error: Exception) -> RankgateError:
        about = getattr(error, "info", None)
        if type(error).__name__ == "UnsupportedProductError":
            if not isinstance(about, dict):
                return SystemFailedError(
                    Code.WRONG_ANSWER(self._name, shown(about), "an answer of Elasticsearch")
                )
            version = about.get("version")
            version = version if isinstance(version, dict) else {}
            if version.get("distribution") == "opensearch":
                fix = "ask it with kind = 'opensearch'"
                return InputError(Code.WRONG_SERVER(self._name, "OpenSearch", "Elasticsearch", fix))
            return self._other(str(version.get("number") or "of another product or older than 7.14"))
        if other := _OTHER_GENERATION.search(str(about)):
            return self._other(other[1])
        return super()._failure(error)

    def _other(self, version: str) -> InputError:
        """Return the error for a client that is not of the server's generation, and which one is."""
        client = ".".join(map(str, self._library.__version__))
        number = version.partition(".")[0]
        later = number.isdecimal() and int(number) >= 8
        fitting = f"'elasticsearch>={number},<{int(number) + 1}'" if later else _FOR_7
        found = f"a server {version}, which elasticsearch {client} does not ask"
        fix = f"to install: pip install {fitting}"
        return InputError(Code.WRONG_SERVER(self._name, found, "a client of the server's generation", fix))


class ElasticsearchSystem(SearchSystem):
    """Asks Elasticsearch, with a client of the server's generation."""

    kind = "elasticsearch"

    def _connected(self, access: Access) -> SearchClient:
        return ElasticsearchClient(access)


open_elasticsearch = opener(ElasticsearchSystem, SearchOptions)
"""The entry point of the kind `elasticsearch`."""


def _library(name: str) -> Any:
    try:
        return KIND.load(name)
    except AttributeError as error:
        # The clients of 7 look for what NumPy 2 does not have, while they are imported.
        fix = f"to install: pip install {_FOR_7}"
        found = f"elasticsearch, which does not load ({error})"
        raise InputError(Code.MISSING_EXTRA(name, found, "elasticsearch", fix)) from error


def _opened_7(elasticsearch: Any, access: Access) -> Any:
    class Connection(elasticsearch.Urllib3HttpConnection):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.pool: Any = access.bounded(vars(self)["pool"])

        def _raise_warnings(self, warning_headers: Any) -> None:
            """Leave deprecations to whoever reads the server's log."""

    return elasticsearch.Elasticsearch(
        connection_class=Connection,
        maxsize=KEPT_OPEN,
        timeout=access.options.timeout,
        **_shared(access),
    )


def _opened_8(elasticsearch: Any, access: Access) -> Any:
    import elastic_transport

    class Node(elastic_transport.Urllib3HttpNode):
        def __init__(self, config: elastic_transport.NodeConfig) -> None:
            super().__init__(config)
            # As much of a pool as the node uses.
            self.pool: Any = access.bounded(vars(self)["pool"])

        def perform_request(self, *args: Any, **kwargs: Any) -> Any:
            """Leave deprecations to whoever reads the server's log, and let a status be seen."""
            meta, body = answer = super().perform_request(*args, **kwargs)
            meta.headers.pop("warning", None)
            if meta.status >= _FAILED and not _is_json(body):
                # The client would tell that the page of a proxy is no JSON, and not that it is busy.
                meta.headers["content-type"] = "text/plain"
            return answer

    return elasticsearch.Elasticsearch(
        node_class=Node,
        connections_per_node=KEPT_OPEN,
        request_timeout=access.options.timeout,
        **_shared(access),
    )


def _shared(access: Access) -> dict[str, object]:
    """Return what all generations spell alike; a run counts what is asked again, and asks at its own pace."""
    options = {"hosts": _with_ports(access.urls), "headers": access.headers, "max_retries": 0}
    # Options of TLS without TLS are refused.
    if any(url.startswith("https:") for url in access.urls):
        options |= {"verify_certs": access.options.verify_certs, "ssl_show_warn": False}
        options |= {} if access.ca_file is None else {"ca_certs": access.ca_file}
    return options


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def _with_ports(urls: tuple[str, ...]) -> list[str]:
    """Return the port of every address, which from 8 on the client wants: 9200, or 443 with TLS."""
    found = []
    for url in urls:
        parts = urlsplit(url)
        place = parts.netloc if parts.port else f"{parts.netloc}:{_PORTS[parts.scheme]}"
        found.append(parts._replace(netloc=place).geturl())
    return found

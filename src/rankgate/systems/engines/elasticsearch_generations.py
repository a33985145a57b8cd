"""The clients of Elasticsearch 7, 8 and 9: what they spell apart is here and nowhere else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rankgate.systems.engines.search_client import KEPT_OPEN

if TYPE_CHECKING:
    from rankgate.systems.engines.search_options import Access

_FAILED = 400
_PORTS = {"http": 9200, "https": 443}


def opened(elasticsearch: Any, access: Access, where: str) -> Any:
    """Open a client whose requests end in time and whose answers have a size.

    Args:
        elasticsearch: The module, of any generation.
        access: Where and how to ask.
        where: The system, for errors.
    """
    return (_opened_7 if elasticsearch.__version__[0] < 8 else _opened_8)(elasticsearch, access, where)


def sent(
    client: Any, method: str, target: str, body: bytes | None, headers: dict[str, str], seconds: float | None
) -> object:
    """Send a request and give the answer, read; None for the seconds that the client was opened with."""
    if not hasattr(client, "options"):
        waiting = {} if seconds is None else {"request_timeout": seconds}
        return client.transport.perform_request(method, target, headers=headers, params=waiting, body=body)
    # A client with other options is slow to make.
    asking = client if seconds is None else client.options(request_timeout=seconds)
    accepting = {"accept": "application/json", **headers}
    return asking.perform_request(method, target, headers=accepting, body=body).body


def _opened_7(elasticsearch: Any, access: Access, where: str) -> Any:
    from rankgate.systems.engines.search_pool import BoundedPool

    class Connection(elasticsearch.Urllib3HttpConnection):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.pool: Any = BoundedPool(vars(self)["pool"], access, where)

        def _raise_warnings(self, warning_headers: Any) -> None:
            """Leave deprecations to whoever reads the server's log."""

    return elasticsearch.Elasticsearch(
        hosts=_with_ports(access.urls),
        headers=dict(access.headers),
        connection_class=Connection,
        maxsize=KEPT_OPEN,
        timeout=access.timeout,
        **_once(access),
    )


def _opened_8(elasticsearch: Any, access: Access, where: str) -> Any:
    import elastic_transport

    from rankgate.systems.engines.search_pool import BoundedPool

    class Node(elastic_transport.Urllib3HttpNode):
        def __init__(self, config: elastic_transport.NodeConfig) -> None:
            super().__init__(config)
            # As much of a pool as the node uses.
            self.pool: Any = BoundedPool(vars(self)["pool"], access, where)

        def perform_request(self, *args: Any, **kwargs: Any) -> Any:
            """Leave deprecations to whoever reads the server's log, and let a status be seen."""
            meta, body = answer = super().perform_request(*args, **kwargs)
            meta.headers.pop("warning", None)
            if meta.status >= _FAILED and not _is_json(body):
                # The client would tell that the page of a proxy is no JSON, and not that it is busy.
                meta.headers["content-type"] = "text/plain"
            return answer

    return elasticsearch.Elasticsearch(
        hosts=_with_ports(access.urls),
        headers=dict(access.headers),
        node_class=Node,
        connections_per_node=KEPT_OPEN,
        request_timeout=access.timeout,
        **_once(access),
    )


def _once(access: Access) -> dict[str, object]:
    """Give what all generations spell alike; a run counts what is asked again, and asks at its own pace."""
    options: dict[str, object] = {"max_retries": 0}
    # Options of TLS without TLS are refused.
    if any(url.startswith("https:") for url in access.urls):
        options |= {"verify_certs": access.verify_certs, "ssl_show_warn": False}
        options |= {} if access.ca_file is None else {"ca_certs": access.ca_file}
    return options


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def _with_ports(urls: tuple[str, ...]) -> list[str]:
    """Name the port of every address, which from 8 on the client wants: 9200, or 443 with TLS."""
    found = []
    for url in urls:
        parts = urlsplit(url)
        place = parts.netloc if parts.port else f"{parts.netloc}:{_PORTS[parts.scheme]}"
        found.append(parts._replace(netloc=place).geturl())
    return found

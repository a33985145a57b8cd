"""Requests to OpenSearch and Elasticsearch, over plain HTTP."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from rankgate.errors import Code, RetriableError, SystemFailedError
from rankgate.systems.adapter.failures import refused
from rankgate.systems.engines.elastic.answers import lost_a_node, reason_of, shown
from rankgate.systems.http.client import (
    HttpClient,
    Request,
    RequestLimits,
    is_success,
    open_pool,
    retry_after,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.systems.engines.elastic.options import Access


class SearchClient:
    """Sends each request once, to a node that answered last; after a failure the next node is asked."""

    def __init__(self, access: Access) -> None:
        options = access.options
        where = f"{access.name}.ca_file"
        pool = open_pool(access.ca_file, None, where=where, verify=options.verify_certs)
        self._client = HttpClient(pool, RequestLimits(options.timeout, options.max_body), access.name)
        self._access, self._name, self._at = access, access.name, 0

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def request(
        self, method: str, path: str, params: Mapping[str, object], body: bytes | None
    ) -> dict[str, Any]:
        """Send one request and return the JSON of its answer.

        Args:
            method: GET or POST.
            path: From the root, percent-encoded.
            params: The query string.
            body: JSON.

        Raises:
            SystemFailedError: for everything that is no success: a `StatusError` with the
                status, a `RetriableError` where it may pass, a `TimedOutError` where the time is over.
        """
        at = self._at
        try:
            return self._sent(at, method, path, params, body)
        except RetriableError:
            self._at = (at + 1) % len(self._access.urls)
            raise

    def _sent(
        self, at: int, method: str, path: str, params: Mapping[str, object], body: bytes | None
    ) -> dict[str, Any]:
        url = self._access.urls[at].rstrip("/") + path
        if params:
            url += f"?{urlencode(_written(params), doseq=True)}"
        headers = {"Accept": "application/json", "Accept-Encoding": "gzip", "User-Agent": "rankgate"}
        headers |= {} if body is None else {"Content-Type": "application/json"}
        answer = self._client.send(Request(method, url, {**headers, **self._access.headers}, body))
        content = _parsed(answer.body)
        if not is_success(answer.status):
            waiting, passing = retry_after(answer.headers.get("Retry-After")), lost_a_node(content)
            reason = reason_of(content)
            raise refused(self._name, answer.status, reason, retry_after=waiting, passing=passing)
        if not isinstance(content, dict):
            raise SystemFailedError(Code.WRONG_ANSWER(self._name, shown(content), "a JSON object"))
        return content


def _parsed(body: bytes) -> object:
    """Parse JSON; what is none, such as the page of a proxy, is a text."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body.decode(errors="replace")


def _written(params: Mapping[str, object]) -> dict[str, object]:
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in params.items()}

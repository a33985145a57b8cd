"""The base of OpenSearch and Elasticsearch as systems, which answer the same requests."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from rankgate.errors import Code, InputError, RetriableError, SystemFailedError
from rankgate.model import Query
from rankgate.plugins import Exchange
from rankgate.systems.adapter.answers import ranking_of
from rankgate.systems.adapter.failures import StatusError, TimedOutError, closed_error
from rankgate.systems.adapter.options import ConfiguredSystem, json_body
from rankgate.systems.adapter.variables import variables_in
from rankgate.systems.engines.elastic.answers import check_whole, rows_of
from rankgate.systems.engines.elastic.options import SearchOptions, read_access
from rankgate.systems.engines.elastic.requests import SearchRequest
from rankgate.systems.http.system import KIND as HTTP

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate.model import Ranking
    from rankgate.systems.engines.elastic.requests import BoundRequest

_NO_VERSION = {403, 404, 405}


class SearchSystem(ConfiguredSystem[SearchOptions]):
    """Asks a cluster. Threads share its connections.

    Raises:
        InputError: for options that are wrong, and a request that the server refuses.
        SystemFailedError: where there is no server.
    """

    def __init__(self, options: SearchOptions, *, name: str) -> None:
        super().__init__(options, name)
        self.version: str | None = None
        """The server's, where it says."""
        access = read_access(options, name)
        HTTP.load(name)
        from rankgate.systems.engines.elastic.client import SearchClient

        self._client = SearchClient(access)
        self._closed = False
        try:
            self._request = self._read_request()
            self.version = self._read_version()
            self._check()
        except BaseException:
            self.close()
            raise

    def search(self, query: Query) -> Ranking:
        """Ask the cluster.

        Raises:
            SystemFailedError: where it refuses the request, does not answer in time or not whole, and for
                filters that the body has no place for; a `RetriableError` where it is out of reach.
        """
        return self._ranking(self._sent(self._asked(query)), query.k)

    def exchange(self, query: Query) -> Exchange:
        """Ask the cluster and show the request and the answer as it came."""
        shown = raw = ""
        try:
            asked = self._asked(query)
            shown = str(asked)
            answer = self._sent(asked)
            raw = json.dumps(answer, ensure_ascii=False, indent=2)
            ranking = self._ranking(answer, query.k)
        except SystemFailedError as error:
            return Exchange(shown, raw, error=error.coded)
        hits = answer["hits"]["hits"]
        fields = self._options.fields
        rows = rows_of(answer, fields, self.name)
        unmatched = [f"fields.{part}" for part in fields if hits and all(part not in row for row in rows)]
        return Exchange(shown, raw, ranking, tuple(unmatched))

    def close(self) -> None:
        """Close the connections."""
        self._closed = True
        self._client.close()

    def _asked(self, query: Query) -> BoundRequest:
        if self._closed:
            raise closed_error(self.name)
        return self._request.bound(query)

    def _sent(self, asked: BoundRequest) -> dict[str, Any]:
        return self._client.request("POST", asked.path, asked.params, asked.body)

    def _ranking(self, answer: dict[str, Any], k: int) -> Ranking:
        rows = rows_of(answer, self._options.fields, self.name)
        if not self._options.partial:
            check_whole(answer, self.name)
        ranking, over = ranking_of(rows, k)
        self.count(dropped=over)
        return ranking

    def _read_request(self) -> SearchRequest:
        options, where = self._options, self.name
        body = json_body(options.body, options.body_file, options.root, where)
        variables = variables_in(body, f"{where}.body")
        variables |= variables_in(dict(options.params), f"{where}.params")
        path = f"/{quote(options.index, safe=',*')}/_search"
        return SearchRequest(path, body, options.params, variables, where)

    def _read_version(self) -> str | None:
        """Ask the server for its version; who may only search may not be told."""
        try:
            about = self._at_last(lambda: self._client.request("GET", "/", {}, None))
        except StatusError as error:
            if error.status in _NO_VERSION:
                return None
            raise
        number = about.get("version")
        found = number.get("number") if isinstance(number, dict) else None
        return f"{self.kind} {found}" if isinstance(found, str) else None

    def _check(self) -> None:
        """Ask once, so that what is wrong with the request is told at once."""
        try:
            asked = self._request.bound(Query("word", 1))
        except SystemFailedError:
            # It needs filters, and nobody knows their values yet.
            return
        try:
            self._at_last(lambda: self._sent(asked))
        except (RetriableError, TimedOutError):
            raise
        except SystemFailedError as error:
            expected = "an index and a body that the server takes"
            raise InputError(
                [Code.NO_INDEX(self.name, one.found, expected) for one in error.problems]
            ) from None

    def _at_last(self, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Ask as often as there are nodes: a client asks another after one that is gone."""
        for _ in self._options.hosts[1:]:
            with suppress(RetriableError):
                return ask()
        return ask()

"""What OpenSearch and Elasticsearch are as systems; the client is all that they differ in."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from rankgate.errors import InputError, Problem, RetriableError, SystemFailedError
from rankgate.model.search import Query
from rankgate.model.systems import Exchange, SystemBase
from rankgate.systems.adapter.answers import ranking_of
from rankgate.systems.adapter.failures import TimedOutError
from rankgate.systems.adapter.secrets import described
from rankgate.systems.engines.built.folders import check_name
from rankgate.systems.engines.elastic.answers import RefusedError, check_whole, hiding, rows_of
from rankgate.systems.engines.elastic.index import BUILT_FIELDS, BuiltIndex, build_index, open_index
from rankgate.systems.engines.elastic.options import read_body
from rankgate.systems.engines.elastic.requests import SearchRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rankgate.model.search import Document, Ranking
    from rankgate.systems.adapter.secrets import Secrets
    from rankgate.systems.engines.elastic.client import SearchClient
    from rankgate.systems.engines.elastic.options import SearchOptions
    from rankgate.systems.engines.elastic.requests import BoundRequest

_NO_VERSION = {403, 404, 405}


class SearchSystem(SystemBase):
    """Asks a cluster. Threads share its connections.

    Args:
        kind: What a configuration calls it.
        client: Who asks.
        options: What is asked.
        secrets: What is shown nowhere.
        name: What this system is called.

    Raises:
        InputError: for options that are wrong, and a request that the server refuses.
        SystemFailedError: where there is no server.
    """

    thread_safe = True

    def __init__(
        self, kind: str, client: SearchClient, options: SearchOptions, secrets: Secrets, name: str
    ) -> None:
        super().__init__(name)
        self.version: str | None = None
        """The server's, where it says."""
        self._kind, self._client, self._options, self._secrets = kind, client, options, secrets
        self._closed = False
        self._built: BuiltIndex | None = None
        self._request: SearchRequest | None = None
        try:
            with hiding(secrets):
                if options.index is not None:
                    self._request = self._read_request(options.index)
                self.version = self._read_version()
                self._check()
        except BaseException:
            self.close()
            raise

    @property
    def wants_documents(self) -> bool:
        """True where no index is named that is there."""
        return self._options.index is None

    def build(self, documents: Iterable[Document], name: str) -> bool:
        """Build an index of this name, unless it is there, and search it from now on.

        Raises:
            InputError: where an index is named in the options.
            SystemFailedError: where the server does not take a document, or does not have all of them then.
        """
        if self._options.index is not None:
            fix = "take index out to have one built"
            raise InputError(Problem(f"{self.name}.index", self._options.index, "no index", fix))
        check_name(name)
        with hiding(self._secrets):
            new = build_index(self._client, self._options, documents, name, self.name)
            self._built = open_index(self._client, self._options, name, self.name)
        return new

    def search(self, query: Query) -> Ranking:
        """Ask the cluster.

        Raises:
            SystemFailedError: where it refuses the request, does not answer in time or not whole, and for
                filters that the body has no place for or no document has; a `RetriableError` where it is out
                of reach.
        """
        with hiding(self._secrets):
            return self._ranking(self._sent(self._asked(query)), query.k)

    def exchange(self, query: Query) -> Exchange:
        """Ask the cluster and show the request and the answer as it came."""
        shown = raw = ""
        try:
            with hiding(self._secrets):
                asked = self._asked(query)
                shown = self._secrets.hidden(str(asked))
                answer = self._sent(asked)
                raw = self._secrets.hidden(json.dumps(answer, ensure_ascii=False, indent=2))
                ranking = self._ranking(answer, query.k)
        except SystemFailedError as error:
            return Exchange(shown, raw, error=str(error))
        hits = answer["hits"]["hits"]
        rows = rows_of(answer, self._fields, self.name)
        unmatched = [
            f"fields.{part}" for part in self._fields if hits and all(part not in row for row in rows)
        ]
        return Exchange(shown, raw, ranking, tuple(unmatched))

    def describe(self) -> dict[str, object]:
        """Return the options, for the manifest of a run; no value of the environment is among them."""
        return {"kind": self._kind, **described(asdict(self._options))}

    def close(self) -> None:
        """Close the connections."""
        self._closed = True
        self._client.close()

    @property
    def _fields(self) -> dict[str, str]:
        return dict(BUILT_FIELDS if self._options.index is None else self._options.fields)

    def _asked(self, query: Query) -> BoundRequest:
        if self._closed:
            raise SystemFailedError(Problem(self.name, "a system that is closed", "one that is open"))
        if self._request is not None:
            return self._request.bound(query)
        if self._built is None:
            raise SystemFailedError(Problem(self.name, "no index", "one that was built"))
        return self._built.asked(query)

    def _sent(self, asked: BoundRequest) -> dict[str, Any]:
        return self._client.request("POST", asked.path, asked.params, asked.body)

    def _ranking(self, answer: dict[str, Any], k: int) -> Ranking:
        rows = rows_of(answer, self._fields, self.name)
        if not self._options.partial:
            check_whole(answer, self.name)
        ranking, over = ranking_of(rows, k)
        self.count(dropped=over)
        return ranking

    def _read_request(self, index: str) -> SearchRequest:
        options, where = self._options, self.name
        body = read_body(options, where)
        variables = self._secrets.variables(body, f"{where}.body")
        variables |= self._secrets.variables(dict(options.params), f"{where}.params")
        path = f"/{quote(index, safe=',*')}/_search"
        return SearchRequest(path, body, options.params, variables, where)

    def _read_version(self) -> str | None:
        """Ask the server for its version; who may only search may not be told."""
        try:
            about = self._at_last(lambda: self._client.request("GET", "/", {}, None))
        except RefusedError as error:
            if error.status in _NO_VERSION:
                return None
            raise
        number = about.get("version")
        found = number.get("number") if isinstance(number, dict) else None
        return f"{self._kind} {found}" if isinstance(found, str) else None

    def _check(self) -> None:
        """Ask once, so that what is wrong with the request is told at once."""
        if self._request is None:
            return
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
            raise InputError([Problem(self.name, one.found, expected) for one in error.problems]) from None

    def _at_last(self, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Ask as often as there are nodes: a client asks another after one that is gone."""
        for _ in self._options.hosts[1:]:
            with suppress(RetriableError):
                return ask()
        return ask()

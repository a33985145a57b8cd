"""A zoekt web server as a system: code by trigrams, in zoekt's own order."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rankgate.errors import InputError, Problem, RetriableError, SystemFailedError
from rankgate.model.search import Query, Ranking
from rankgate.systems.addresses import read_address
from rankgate.systems.answers import ranking_of
from rankgate.systems.engines.zoekt_answers import files_skipped, read_result, rows_of
from rankgate.systems.engines.zoekt_options import ZoektOptions
from rankgate.systems.engines.zoekt_queries import ATOMS, filtered, own_query, words_query
from rankgate.systems.failures import TimedOutError
from rankgate.systems.kind import Kind
from rankgate.systems.options import read_options
from rankgate.systems.secrets import Secrets, described, read_headers
from rankgate.systems.templates import check_filters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.systems.http_client import HttpClient

KIND = Kind(
    "A zoekt web server: code by trigrams",
    base="root",
    outside="a server",
    library="urllib3",
    extra="http",
    tested="tested with zoekt of 2024-08-08",
)

_REFUSED = 400
_FIX = f"name it in filters, as one of {', '.join(ATOMS)}"
# Those of zoekt's web page. Without them the API reads fewer files for a smaller k, so that k = 1 may have
# another first hit than k = 10, and stops at whichever shard comes first.
_CEILINGS = {"ShardMaxMatchCount": 100_000, "TotalMaxMatchCount": 1_000_000}


class ZoektSystem:
    """Asks a server. Threads share its connections.

    Raises:
        InputError: for options that are wrong, a request that the server refuses, or urllib3 missing.
        SystemFailedError: where there is no server.
    """

    thread_safe = True
    version: str | None = None
    """zoekt's API does not tell its version."""

    def __init__(self, options: ZoektOptions, *, name: str = "zoekt") -> None:
        KIND.load(name)
        self.name = name
        self.dropped = 0
        """How many hits over k were left out so far."""
        self.cut = 0
        """How many answers so far are of some files only, since zoekt had enough matches."""
        self._lock = threading.Lock()
        self._options = options
        self._secrets = Secrets()
        headers = read_headers(options.headers, f"{name}.headers", self._secrets)
        address = read_address(options.url, f"{name}.url", self._secrets)
        if address.authorization is not None:
            headers.setdefault("Authorization", address.authorization)
        self._headers = {"Accept-Encoding": "gzip", "Content-Type": "application/json", **headers}
        self._url = address.url.rstrip("/") + "/api/search"
        self._client = self._open_client()
        self._check()

    def search(self, query: Query) -> Ranking:
        """Ask the server.

        Raises:
            SystemFailedError: where it does not answer, or refuses the query, and for filters that have no
                place; `RetriableError` where it is out of reach, `TimedOutError` where the time is over.
        """
        options = self._options
        check_filters(query, frozenset(options.filters), _FIX)
        own = options.syntax == "zoekt"
        asked = own_query(query.text) if own else words_query(query.text, options.match, options.request)
        asked = filtered(asked, query, options.filters, own=own) if asked else ""
        if not asked:
            return Ranking()
        result = read_result(self._asked(asked, query.k), self.name)
        rows = rows_of(result, options.level, repository=options.repository, where=self.name)
        ranking, over = ranking_of(rows, query.k)
        with self._lock:
            self.dropped += over
            self.cut += files_skipped(result, self.name)
        return ranking

    def describe(self) -> dict[str, object]:
        """Give the options, for the manifest of a run; no value of the environment is among them."""
        return {"kind": "zoekt", **described(asdict(self._options))}

    def close(self) -> None:
        """Close the connections; a later query opens another."""
        self._client.close()

    def _asked(self, asked: str, k: int) -> bytes:
        from rankgate.systems.http_client import Request

        wanted: dict[str, Any] = {
            "MaxDocDisplayCount": k,
            # The server gives up when we do, and never sooner: an answer is whole, or none.
            "MaxWallTime": int(min(self._options.timeout, 1e6) * 1e9),
            **_CEILINGS,
            **self._options.opts,
            "ChunkMatches": self._options.level == "lines",
        }
        body = json.dumps({"Q": asked, "Opts": wanted}, ensure_ascii=False).encode()
        answer = self._client.ask(Request("POST", self._url, self._headers, body))
        return self._secrets.hidden_in_answer(answer)

    def _check(self) -> None:
        """Ask one query, so that a wrong address and a wrong request are told at once."""
        try:
            self.search(Query("rankgate", 1))
        except (RetriableError, TimedOutError):
            self.close()
            raise
        except SystemFailedError as error:
            self.close()
            if getattr(error, "status", None) == _REFUSED:
                option, expected, fix = "request", "a request that zoekt reads", ""
            else:
                option, expected, fix = "url", "zoekt's API", "start zoekt-webserver with -rpc"
            found = error.problems[0].found
            raise InputError(Problem(f"{self.name}.{option}", found, expected, fix)) from None

    def _open_client(self) -> HttpClient:
        from rankgate.systems.http_client import HttpClient, Limits, open_pool

        options, parts = self._options, urlsplit(self._url)
        ca_file = None if options.ca_file is None else str(Path(options.root) / options.ca_file)
        try:
            pool = open_pool(ca_file, None)
        except OSError as error:
            found = f"{options.ca_file!r} ({error.strerror or type(error).__name__})"
            raise InputError(Problem(f"{self.name}.ca_file", found, "a file of certificates")) from error
        where = self._secrets.hidden(f"POST {parts.scheme}://{parts.netloc}{parts.path}")
        return HttpClient(pool, Limits(options.timeout, options.max_body), where, self._secrets)


def open_zoekt(name: str, options: Mapping[str, object]) -> ZoektSystem:
    """Open a server that a configuration names; the entry point of the kind `zoekt`.

    Raises:
        InputError: with every option that is unknown or wrong, and a request that the server refuses.
        SystemFailedError: where there is no server.
    """
    return ZoektSystem(read_options(ZoektOptions, options, name), name=name)

"""A zoekt web server as a system: code by trigrams, in zoekt's own order."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from rankgate.errors import Code, InputError, Problem, RetriableError, SystemFailedError, did_you_mean
from rankgate.model.search import Query, Ranking
from rankgate.systems.adapter.answers import ranking_of
from rankgate.systems.adapter.contents import server_state
from rankgate.systems.adapter.failures import TimedOutError, shown
from rankgate.systems.adapter.options import ConfiguredSystem, above_zero, check_options
from rankgate.systems.adapter.secrets import Secrets, described, read_server
from rankgate.systems.adapter.templates import check_filters
from rankgate.systems.engines.zoekt.api import (
    ATOMS,
    Level,
    Match,
    files_skipped,
    filtered,
    own_query,
    read_result,
    request_problem,
    rows_of,
    words_query,
)
from rankgate.systems.registry import SystemKind, opener

if TYPE_CHECKING:
    from rankgate.files.digests import ContentsReader
    from rankgate.systems.http.client import HttpClient

KIND = SystemKind(
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
_MOST = {
    "DocumentRanksWeight": 1_000_000_000,
    "MaxDocDisplayCount": 100_000,
    "MaxMatchDisplayCount": 1_000_000,
    "NumContextLines": 1_000,
    "ShardMaxMatchCount": 10_000_000,
    "ShardRepoMaxMatchCount": 10_000_000,
    "TotalMaxMatchCount": 100_000_000,
    "UseBM25Scoring": True,
    "UseDocumentRanks": True,
}


@dataclass(frozen=True, slots=True)
class ZoektOptions:
    """Which server is asked, and how."""

    url: str
    """The server's address, such as ``http://localhost:6070``; it runs with ``-rpc``."""
    request: str | None = None
    """A query in zoekt's language with ``{query}`` in it, which becomes a group of words."""
    syntax: Literal["words", "zoekt"] = "words"
    """What a query's text is: words, or zoekt's own language."""
    match: Match = "all"
    """Of words: whether a file holds all of them, as zoekt reads words, or any."""
    level: Level = "file"
    """What a hit is: a file, or the lines of a chunk that matches."""
    repository: bool = False
    """True where the repository's name stands before the path."""
    filters: Mapping[str, str] = field(default_factory=lambda: {"lang": "lang", "repo": "repo"})
    """What each filter is in zoekt's language: `lang`, or `repo` by its whole name."""
    opts: Mapping[str, bool | int | float] = field(default_factory=dict)
    """zoekt's own search options, such as ``UseBM25Scoring``."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers; ``${NAME}`` is read from the environment, as it is in `url`."""
    timeout: float = 30.0
    """Seconds from the look-up of the host to the last byte of the answer."""
    max_body: int = 50_000_000
    """Bytes of an answer, which holds every line that matches."""
    ca_file: str | None = None
    """Certificates to trust in place of the system's, for a server with its own."""
    root: str = "."
    """The folder that `ca_file` is relative to; usually the project's."""

    def __post_init__(self) -> None:
        wrong = None if self.request is None else request_problem(self.request)
        check_options(
            (wrong is None, "request", str(wrong), "{query} alone, or after content:, file: or sym:"),
            (
                self.request is None or self.syntax == "words",
                "syntax",
                "'zoekt' beside request",
                "one of them",
            ),
            *above_zero(self, "timeout", "max_body"),
            also=[
                *(
                    Code.WRONG_VALUE(f"filters.{name}", repr(atom), f"one of {', '.join(ATOMS)}")
                    for name, atom in self.filters.items()
                    if atom not in ATOMS
                ),
                *(problem for name, value in self.opts.items() for problem in _opt_problems(name, value)),
            ],
        )


class ZoektSystem(ConfiguredSystem[ZoektOptions]):
    """Asks a server. Threads share its connections.

    Raises:
        InputError: for options that are wrong, a request that the server refuses, or urllib3 missing.
        SystemFailedError: where there is no server.
    """

    kind = "zoekt"
    version: str | None = None
    """zoekt's API does not tell its version."""

    def __init__(self, options: ZoektOptions, *, name: str = "zoekt") -> None:
        KIND.load(name)
        super().__init__(options, name)
        self.mask = self._secrets = Secrets()
        url, headers = read_server(options.url, options.headers, name, self._secrets)
        self._headers = {"Accept-Encoding": "gzip", "Content-Type": "application/json", **headers}
        self._url = url.rstrip("/") + "/api/search"
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
        self.count(dropped=over, cut=files_skipped(result, self.name))
        return ranking

    def close(self) -> None:
        """Close the connections; a later query opens another."""
        self._client.close()

    def _described(self, options: dict[str, object]) -> dict[str, object]:
        return described(options)

    def _add_contents(self, reader: ContentsReader) -> None:
        reader.add_unknown(server_state(self._secrets.hidden(urlsplit(self._url).netloc)))

    def _asked(self, asked: str, k: int) -> bytes:
        from rankgate.systems.http.client import Request

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
            raise InputError(Code.WRONG_VALUE(f"{self.name}.{option}", found, expected, fix)) from None

    def _open_client(self) -> HttpClient:
        from rankgate.systems.http.client import HttpClient, RequestLimits, open_pool

        options, parts = self._options, urlsplit(self._url)
        pool = open_pool(options.ca_file, None, options.root, f"{self.name}.ca_file")
        where = self._secrets.hidden(f"POST {parts.scheme}://{parts.netloc}{parts.path}")
        return HttpClient(pool, RequestLimits(options.timeout, options.max_body), where, self._secrets)


open_zoekt = opener(ZoektSystem, ZoektOptions)
"""The entry point of the kind `zoekt`."""


def _opt_problems(name: str, value: float) -> list[Problem]:
    # zoekt itself passes over what it does not know.
    where = f"opts.{name}"
    if name not in _MOST:
        expected = f"one of {', '.join(_MOST)}"
        return [Code.UNKNOWN_KEY(where, "an unknown option", expected, did_you_mean(name, _MOST))]
    most = _MOST[name]
    if isinstance(most, bool):
        good, expected = isinstance(value, bool), "true or false"
    else:
        kinds = (int, float) if name == "DocumentRanksWeight" else int
        good = isinstance(value, kinds) and not isinstance(value, bool) and 0 <= value <= most
        expected = f"a number from 0 to {most}"
    return [] if good else [Code.WRONG_VALUE(where, shown(value), expected)]

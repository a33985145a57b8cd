"""A server with a JSON API as a system: one request for each query."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol
from urllib.parse import urlencode, urlsplit
from urllib.request import getproxies, proxy_bypass

from rankgate.errors import Code, InputError
from rankgate.io.secrets import HIDDEN, hidden
from rankgate.io.typed import Count, Seconds
from rankgate.systems.adapter.mapping import MappedSystem, Mapper, MappingRules
from rankgate.systems.adapter.options import check_options, json_body, not_both
from rankgate.systems.adapter.records import Output
from rankgate.systems.adapter.templates import (
    OF_A_QUERY,
    Template,
    check_filters,
    check_json,
    check_placeholders,
    check_url,
    filled_url,
)
from rankgate.systems.adapter.variables import read_address, read_server, variables_in
from rankgate.systems.registry import SystemKind, opener

if TYPE_CHECKING:
    from rankgate.model import Query
    from rankgate.systems.adapter.variables import Address
    from rankgate.systems.http.client import HttpClient, Request


_FIX = "name it in url, params or body, as {filters.NAME} or {filters}"


@dataclass(frozen=True, slots=True)
class HttpOptions:
    """How a server is asked, and how its answer is read."""

    url: str
    """Where; ``{query}``, ``{k}`` and ``{filters.NAME}`` in it are percent-encoded."""
    method: Literal["GET", "POST"] | None = None
    """GET, or POST where there is a body."""
    params: Mapping[str, object] = field(default_factory=dict)
    """The query string; a list repeats its name, a filter that a query does not have leaves its name out."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers; ``${NAME}`` is read from the environment."""
    body: Mapping[str, object] | None = None
    """What is sent as JSON; a string that is ``{k}`` becomes the number, and ``{filters}`` the table.
    ``${NAME}`` is read from the environment, here as in `body_file`, `params` and `url`."""
    body_file: str | None = None
    """A JSON file in place of `body`."""
    output: Output = "json"
    """What comes back: JSON, or text in which rules find hits; see `records`."""
    hits: str = "@"
    """JMESPath to the list of hits."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """JMESPath inside a hit, by field."""
    pattern: str | None = None
    """For `lines` and `text`: a regular expression with a named group for each field."""
    empty: str | None = None
    """A regular expression that is found in text which says that there are no hits."""
    timeout: Seconds = 30.0
    """Seconds from the look-up of the host to the last byte of the answer."""
    max_body: Count = 10_000_000
    """Bytes of an answer, unpacked."""
    follow_redirects: bool = False
    """True where a redirect to the same host is followed."""
    ca_file: str | None = None
    """Certificates to trust in place of the system's, for a server with its own."""
    proxy: Literal["none", "environment"] = "none"
    """Whether HTTP_PROXY and the like are followed."""
    root: str = "."
    """The folder that `body_file` and `ca_file` are relative to; usually the project's."""

    def __post_init__(self) -> None:
        check_options(not_both(self, "body", "body_file"))


KIND = SystemKind(
    "A server with a JSON API",
    base="root",
    library="urllib3",
    extra="http",
    options=HttpOptions,
)


class HttpSystem(MappedSystem[HttpOptions, "Request"]):
    """Asks a server. Threads share its connections.

    Raises:
        InputError: for options that are wrong, a variable that is not set, or urllib3 missing.
    """

    kind = "http"

    def __init__(self, options: HttpOptions, *, name: str = "http") -> None:
        super().__init__(options, name)
        self._mapper = Mapper(MappingRules.of(options), name)
        check_url(options.url, f"{name}.url")
        self._url, self._headers = read_server(options.url, options.headers, name)
        self._params = self._template(options.params, "params")
        content = json_body(options.body, options.body_file, options.root, name)
        check_json(content, f"{name}.body")
        self._body = None if content is None else self._template(content, "body")
        self._method = options.method or ("GET" if self._body is None else "POST")
        templates = (self._params, Template(self._url), self._body or Template(None))
        if not any("query" in one.placeholders for one in templates):
            raise InputError(Code.UNKNOWN_PLACEHOLDER(name, "no {query}", "{query} in url, params or body"))
        self._taken = templates[0].names(*templates[1:])
        kind = {} if self._body is None else {"Content-Type": "application/json"}
        # The same for every request, so that what is sent is made of them once.
        self._headers = {**kind, "Accept-Encoding": "gzip", "User-Agent": "rankgate", **self._headers}
        self._client = open_client(options, self._url, self._method, name)

    def close(self) -> None:
        """Close the connections; a later query opens another."""
        self._client.close()

    def _request(self, query: Query) -> Request:
        from rankgate.systems.http.client import Request

        check_filters(query, self._taken, _FIX)
        url = filled_url(self._url, query)
        if pairs := self._params.filled(query):
            url += ("&" if "?" in url else "?") + urlencode(pairs, doseq=True)
        if self._body is None:
            return Request(self._method, url, self._headers)
        body = json.dumps(self._body.filled(query), ensure_ascii=False).encode(errors="replace")
        return Request(self._method, url, self._headers, body)

    def _shown(self, request: Request) -> str:
        configured = {"Authorization", *self._options.headers}
        headers = [
            f"{name}: {HIDDEN if name in configured else value}" for name, value in request.headers.items()
        ]
        body = [] if request.body is None else ["", request.body.decode()]
        return "\n".join([f"{request.method} {request.url}", *headers, *body])

    def _answer(self, request: Request) -> bytes:
        return self._client.ask(request)

    def _template(self, content: object, option: str) -> Template:
        check_placeholders(content, OF_A_QUERY, f"{self.name}.{option}")
        return Template(content, variables_in(content, f"{self.name}.{option}"))


class ConnectionOptions(Protocol):
    """The options of whatever asks a server."""

    @property
    def timeout(self) -> float:
        """Seconds from the look-up of the host to the last byte of the answer."""
        ...

    @property
    def max_body(self) -> int:
        """Bytes of an answer, unpacked."""
        ...

    @property
    def follow_redirects(self) -> bool:
        """True where a redirect to the same host is followed."""
        ...

    @property
    def ca_file(self) -> str | None:
        """Certificates to trust in place of the system's."""
        ...

    @property
    def proxy(self) -> str:
        """Whether HTTP_PROXY and the like are followed: none, or environment."""
        ...

    @property
    def root(self) -> str:
        """The folder that `ca_file` is relative to."""
        ...


def open_client(options: ConnectionOptions, url: str, method: str, name: str) -> HttpClient:
    """Open what asks a server.

    Args:
        options: How it is asked.
        url: Where, without credentials.
        method: GET or POST, for errors.
        name: What asks, for errors.

    Raises:
        InputError: for certificates that cannot be read, a proxy that is none, and urllib3 missing.
    """
    try:
        from rankgate.systems.http.client import HttpClient, RequestLimits, host_of, open_pool
    except ModuleNotFoundError as error:
        said = f'{name}: kind = "http" needs an extra'
        fix = "pip install 'rankgate[http]'"
        raise InputError(Code.MISSING_EXTRA(name, f"no {error.name}", "urllib3", fix, said)) from error
    parts = urlsplit(url)
    proxy = None
    if options.proxy == "environment" and not proxy_bypass(host_of(url)):
        proxy = _read_proxy(parts.scheme)
    pool = open_pool(options.ca_file, proxy, options.root, f"{name}.ca_file")
    limits = RequestLimits(options.timeout, options.max_body, options.follow_redirects)
    # Said with the placeholders in it, so that equal failures of many queries read alike.
    where = hidden(f"{method} {parts.scheme}://{parts.netloc}{parts.path}")
    return HttpClient(pool, limits, where)


def _read_proxy(scheme: str) -> Address | None:
    found, where = getproxies().get(scheme), f"{scheme.upper()}_PROXY"
    if not found:
        return None
    try:
        return read_address(found, where)
    except InputError:
        shown = found.rpartition("@")[2]
        raise InputError(
            Code.WRONG_ADDRESS(where, repr(shown), "http://host:port or https://host:port")
        ) from None


open_http = opener(HttpSystem, HttpOptions)
"""The entry point of the kind `http`."""

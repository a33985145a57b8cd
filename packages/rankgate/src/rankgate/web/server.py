"""A server for this machine alone, on the standard library.

It listens on the loopback address, shows nothing without its token, and gives every answer a policy by which
the browser runs and fetches nothing else. What it shows is a site: GET changes nothing, and what is posted
is one JSON object of a few kilobytes.
"""

from __future__ import annotations

import html
import json
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from rankgate.errors import RankgateError
from rankgate.reports.text.printable import printable
from rankgate.web.access import ADDRESS, LocalAccess, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LARGEST = 1 << 16
"""How many bytes may be posted at once."""
NOTHING = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""The policy of an answer that needs nothing."""
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
# Not a redirection: after one from another site's link, the browser would keep the strict cookie back.
_ENTERED = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>rankgate</title>'
    '<meta http-equiv="refresh" content="0;url={path}"><p><a href="{path}">Continue</a></p></html>'
)


@dataclass(frozen=True, slots=True)
class SiteAnswer:
    """What a site answers."""

    body: bytes
    """The content."""
    kind: str = "text/html; charset=utf-8"
    policy: str = NOTHING
    """What the browser may do with it."""
    status: HTTPStatus = HTTPStatus.OK
    """How it went."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """What else is to be said."""

    @classmethod
    def of_json(cls, found: object, status: HTTPStatus = HTTPStatus.OK) -> SiteAnswer:
        """Return data for a script."""
        text = json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        # Half of a surrogate pair is a string to Python and to nobody else.
        return cls(text.encode(errors="replace"), "application/json; charset=utf-8", status=status)

    @classmethod
    def in_words(cls, status: HTTPStatus, words: str) -> SiteAnswer:
        """Return a plain sentence, in which nothing steers a terminal."""
        lines = "\n".join(printable(line) for line in words.split("\n"))
        allowed = {"Allow": "GET"} if status is HTTPStatus.METHOD_NOT_ALLOWED else {}
        text = f"{lines}\n".encode(errors="replace")
        return cls(text, "text/plain; charset=utf-8", status=status, headers=allowed)


class Site(Protocol):
    """What a server shows."""

    def answer(self, path: str, query: str) -> SiteAnswer:
        """Return what stands at an address; nothing changes by it.

        Raises:
            RefusedError: where there is nothing.
            RankgateError: for what cannot be read.
        """

    def take(self, path: str, body: Mapping[str, Any]) -> SiteAnswer:
        """Take what was posted to an address.

        Raises:
            RefusedError: where nothing may be, or this may not.
            RankgateError: for what cannot be written.
        """


class Server(ThreadingHTTPServer):
    """Serves a site on the loopback address; port 0 is any that is free."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, site: Site, port: int = 0) -> None:
        self.site = site
        super().__init__((ADDRESS, port), _Handler)
        self.access = LocalAccess(self.server_port)
        """Who may ask it."""

    @property
    def url(self) -> str:
        """Where it begins, with the token."""
        return self.access.url

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Write nothing about a browser that hung up."""


class _Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server
    server_version = "rankgate"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        """Answer with what stands at the address."""
        self._send(self._outcome(self._shown))

    def do_POST(self) -> None:
        """Take what is sent."""
        self._send(self._outcome(self._taken))

    def _outcome(self, made: Callable[[], SiteAnswer]) -> SiteAnswer:
        """Return an answer, or in words why there is none."""
        try:
            return made()
        except RefusedError as error:
            return SiteAnswer.in_words(error.status, str(error))
        except (RankgateError, OSError) as error:
            what = "the log cannot be written" if self.command == "POST" else "this page cannot be shown"
            return SiteAnswer.in_words(HTTPStatus.INTERNAL_SERVER_ERROR, f"{what}: {error}")

    def _shown(self) -> SiteAnswer:
        path, _, query = self.path.partition("?")
        self.server.access.check(self.headers, writes=False)
        cookie = self.server.access.exchange(query)
        if cookie is not None:
            # A path of a request may begin with two slashes, which would be the name of another host.
            target = html.escape("/" + path.lstrip("/\\"))
            return SiteAnswer(_ENTERED.format(path=target).encode(), headers={"Set-Cookie": cookie})
        self.server.access.admit(self.headers)
        return self.server.site.answer(path, query)

    def _taken(self) -> SiteAnswer:
        self.server.access.check(self.headers, writes=True)
        self.server.access.admit(self.headers)
        return self.server.site.take(self.path.partition("?")[0], self._body())

    def _body(self) -> dict[str, Any]:
        """Read the one JSON object that was posted."""
        if self.headers.get_content_type() != "application/json":
            raise RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "only JSON is taken")
        lengths = self.headers.get_all("Content-Length", [])
        if "Transfer-Encoding" in self.headers or len(lengths) != 1 or not lengths[0].isdecimal():
            raise RefusedError(HTTPStatus.LENGTH_REQUIRED, "the length is to be given")
        if int(lengths[0]) > LARGEST:
            raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {LARGEST} bytes are taken")
        try:
            found = json.loads(self.rfile.read(int(lengths[0])), parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            raise RefusedError(HTTPStatus.BAD_REQUEST, "what was posted is not JSON") from error
        if not isinstance(found, dict):
            raise RefusedError(HTTPStatus.BAD_REQUEST, "what was posted is no object")
        return found

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """Refuse other methods, and what is no HTTP, without repeating any of it."""
        status = HTTPStatus(code)
        if status is HTTPStatus.NOT_IMPLEMENTED:
            status = HTTPStatus.METHOD_NOT_ALLOWED
        allowed = status is HTTPStatus.METHOD_NOT_ALLOWED
        self._send(SiteAnswer.in_words(status, "only GET is answered" if allowed else status.phrase))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the signature of http.server
        """Keep the terminal quiet, and the token out of it."""

    def _send(self, answer: SiteAnswer) -> None:
        self.send_response(answer.status)
        for name, value in {
            **_HEADERS,
            "Content-Security-Policy": answer.policy,
            **answer.headers,
            "Content-Type": answer.kind,
            "Content-Length": str(len(answer.body)),
        }.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        if self.command != "HEAD":
            self.wfile.write(answer.body)


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)

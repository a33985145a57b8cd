"""A server for this machine alone: it shows pages, and does nothing else.

It listens on the loopback address, answers GET under its own name only, so that no page of the internet can
read it through a name that leads here, and never makes a path of what it is asked for.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from rankgate.errors import RankgateError
from rankgate.reports.comparison_page.content import page_of_pages
from rankgate.reports.comparison_page.model import render_comparison
from rankgate.reports.page.document import assemble, checked, read_page, render
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from rankgate.reports.page.document import Assets
    from rankgate.web.catalogue import Catalogue, CatalogueEntry

ADDRESS = "127.0.0.1"
_NAMES = (ADDRESS, "localhost")
_KEY = "([0-9a-f]{16})"
_MOST = 8
_KEYS = f"[0-9a-f]{{16}}(?:/[0-9a-f]{{16}}){{1,{_MOST - 1}}}"
_PAGE, _COMPARE = re.compile(f"/page/{_KEY}"), re.compile(f"/compare/({_KEYS})")
_AT_ONCE = 2
_KEPT = 4
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_UNKNOWN = "nothing is here: the list of evaluations is at /"
_GONE = "the page of this evaluation was removed to make room"


class _RefusedError(Exception):
    """What is asked for cannot be shown."""

    def __init__(self, status: HTTPStatus, words: str) -> None:
        super().__init__(words)
        self.status = status


@dataclass(slots=True)
class Site:
    """The pages of a catalogue."""

    catalogue: Catalogue
    """What there is."""
    assets: Assets
    """What pages are made of."""
    _comparisons: OrderedDict[tuple[object, ...], bytes] = field(default_factory=OrderedDict)
    _room: threading.BoundedSemaphore = field(default_factory=lambda: threading.BoundedSemaphore(_AT_ONCE))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, path: str) -> bytes:
        """Return the page of an address, as HTML.

        Raises:
            _RefusedError: where there is none.
            RankgateError: for a kept page that cannot be read.
        """
        # A comparison of two large pages takes a few hundred megabytes: not many at a time.
        with self._room:
            if path == "/":
                return render(self.catalogue.index(), self.assets).encode()
            if found := _PAGE.fullmatch(path):
                return self._page(found[1])
            if found := _COMPARE.fullmatch(path):
                return self._comparison(found[1].split("/"))
        raise _RefusedError(HTTPStatus.NOT_FOUND, _UNKNOWN)

    def _entry(self, key: str) -> CatalogueEntry:
        entry = self.catalogue.entries().get(key)
        if entry is None:
            raise _RefusedError(HTTPStatus.NOT_FOUND, _UNKNOWN)
        if not entry.page.is_file():
            raise _RefusedError(HTTPStatus.GONE, _GONE)
        return entry

    def _page(self, key: str) -> bytes:
        entry = self._entry(key)
        title = f"{entry.record.mark} {entry.record.suite}, {entry.name}"
        return assemble(checked(entry.page), title, self.assets).encode()

    def _comparison(self, keys: list[str]) -> bytes:
        entries = [self._entry(key) for key in keys]
        if len({entry.record.suite for entry in entries}) > 1:
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "evaluations of one suite can be compared")
        known = tuple((entry.page, entry.page.stat().st_mtime_ns) for entry in entries)
        with self._lock:
            if known in self._comparisons:
                return self._comparisons[known]
        pages = [read_page(entry.page) for entry in entries]
        page = page_of_pages(pages, _names(entries), [f"/page/{key}" for key in keys])
        made = render_comparison(page, self.assets).encode()
        with self._lock:
            self._comparisons[known] = made
            if len(self._comparisons) > _KEPT:
                self._comparisons.popitem(last=False)
        return made


def _names(entries: list[CatalogueEntry]) -> list[str]:
    """Name evaluations by their systems alone, where each is of another."""
    systems = [entry.record.system for entry in entries]
    return systems if len({*systems}) == len(systems) else [entry.name for entry in entries]


class Server(ThreadingHTTPServer):
    """Serves a site on the loopback address; port 0 is any that is free."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, site: Site, port: int = 0) -> None:
        self.site = site
        super().__init__((ADDRESS, port), _Handler)
        self.hosts = frozenset(f"{name}:{self.server_port}" for name in _NAMES)

    @property
    def url(self) -> str:
        """Where the list of evaluations is."""
        return f"http://{ADDRESS}:{self.server_port}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Write nothing about a browser that hung up."""


class _Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server
    server_version = "rankgate"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        """Answer with a page, or say why not."""
        if self.headers.get_all("Host") is None or set(self.headers.get_all("Host", ())) - self.server.hosts:
            # A name that somebody else gave this address: what it asks for is not for them.
            self._say(HTTPStatus.MISDIRECTED_REQUEST, f"this server is {self.server.url}")
            return
        try:
            page = self.server.site.answer(self.path.partition("?")[0])
        except _RefusedError as error:
            self._say(error.status, str(error))
        except (RankgateError, OSError) as error:
            self._say(HTTPStatus.INTERNAL_SERVER_ERROR, f"this page cannot be shown: {error}")
        else:
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", page)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002
        """Refuse whatever is no GET, or no HTTP, without repeating any of it."""
        status = HTTPStatus(code)
        if status is HTTPStatus.NOT_IMPLEMENTED:
            status = HTTPStatus.METHOD_NOT_ALLOWED
        self._say(
            status, "only GET is answered" if status is HTTPStatus.METHOD_NOT_ALLOWED else status.phrase
        )

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the signature of http.server
        """Keep the terminal quiet."""

    def _say(self, status: HTTPStatus, words: str) -> None:
        lines = "\n".join(printable(line) for line in words.split("\n"))
        self._send(status, "text/plain; charset=utf-8", f"{lines}\n".encode(errors="replace"))

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        allowed = {"Allow": "GET"} if status is HTTPStatus.METHOD_NOT_ALLOWED else {}
        for name, value in {
            **_HEADERS,
            **allowed,
            "Content-Type": kind,
            "Content-Length": str(len(body)),
        }.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        if self.command != "HEAD":
            self.wfile.write(body)

"""One request and its answer: in time, of a bounded size, and every failure told without a secret."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

import urllib3

from rankgate.errors import Code, InputError, Problem, RankgateError, SystemFailedError
from rankgate.systems.adapter.failures import StatusError, TimedOutError, printable, refused
from rankgate.systems.http.bodies import joined_body, read_body, start_of
from rankgate.systems.http.deadline import POOLS, Deadline
from rankgate.systems.http.failures import failure_of, is_late
from rankgate.systems.http.kept_open import KeptConnections, PlainBody

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn

    from urllib3 import BaseHTTPResponse, PoolManager

    from rankgate.systems.adapter.secrets import Address, Secrets

_REDIRECTS = 5
_MOVED = {301, 302, 303, 307, 308}
_METHOD_KEPT = {307, 308}
_KEPT_OPEN = 32


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent."""

    method: str
    """GET or POST."""
    url: str
    """Where to, with its query string."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """With their secrets."""
    body: bytes | None = None
    """What is sent with it."""


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """What a request may use."""

    timeout: float
    """Seconds, from the look-up of the host to the last byte."""
    max_body: int
    """Bytes of the answer, unpacked."""
    follow_redirects: bool = False
    """True where it may go on elsewhere on the same host."""


def open_pool(
    ca_file: str | None, proxy: Address | None, root: str = ".", where: str = "ca_file"
) -> PoolManager:
    """Open a pool of connections, which threads share.

    Args:
        ca_file: Certificates to trust in place of the system's.
        proxy: The proxy to ask through.
        root: The folder that `ca_file` is relative to.
        where: The option, for errors.

    Raises:
        InputError: for certificates that cannot be read.
    """
    options: dict[str, Any] = {"maxsize": _KEPT_OPEN, "cert_reqs": "CERT_REQUIRED"}
    if ca_file is not None:
        options["ca_certs"] = str(Path(root) / ca_file)
        # Read once now, so that a wrong file is known before the first query.
        context = urllib3.util.create_urllib3_context()
        try:
            context.load_verify_locations(options["ca_certs"])
        except OSError as error:
            found = f"{ca_file!r} ({error.strerror or type(error).__name__})"
            raise InputError(Code.CERTIFICATE(where, found, "a file of certificates")) from error
    if proxy is None:
        pool = urllib3.PoolManager(**options)
    else:
        signed = {"Proxy-Authorization": proxy.authorization} if proxy.authorization else None
        pool = urllib3.ProxyManager(proxy.url, proxy_headers=signed, **options)
    pool.pool_classes_by_scheme = POOLS
    return pool


class HttpClient:
    """Asks one server; from any number of threads."""

    def __init__(self, pool: PoolManager, limits: RequestLimits, where: str, secrets: Secrets) -> None:
        self._pool = pool
        self._kept = KeptConnections(pool, limits.max_body)
        self._limits = limits
        self._where = where
        self._secrets = secrets
        self._process = os.getpid()

    def ask(self, request: Request) -> bytes:
        """Send a request and give the answer's body, unpacked.

        Raises:
            SystemFailedError: for everything that is no success; `RetriableError` where it may pass,
                `TimedOutError` where the time is over, `StatusError` for the other statuses.
        """
        with Deadline(self._limits.timeout) as deadline:
            try:
                body = self._ask(request, deadline)
            except Exception as error:
                if deadline.over or is_late(error):
                    raise self._late() from None
                if isinstance(error, RankgateError):
                    raise
                raise failure_of(error, self._where, self._secrets) from None
            if deadline.expired:
                raise self._late()
            return body

    def close(self) -> None:
        """Close every connection that is not in use."""
        self._kept.close()
        self._pool.clear()

    def _ask(self, request: Request, deadline: Deadline) -> bytes:
        if self._process != os.getpid():
            # A process that was forked has the connections of its parent, which reads from them, too.
            self.close()
            self._process = os.getpid()
        answer = self._kept.ask(request.method, request.url, request.headers, request.body, deadline)
        if isinstance(answer, PlainBody):
            if not answer.packing:
                return answer.data
            return joined_body([answer.data], answer.packing, self._limits.max_body, self._where)
        for _ in range(_REDIRECTS + 1):
            response, answer = (
                answer
                or self._pool.urlopen(
                    request.method,
                    request.url,
                    headers=dict(request.headers),
                    body=request.body,
                    redirect=False,
                    retries=False,
                    preload_content=False,
                    decode_content=False,
                    timeout=urllib3.Timeout(connect=deadline.remaining, read=deadline.remaining),
                ),
                None,
            )
            with closing(response):
                if 200 <= response.status < 300:
                    return read_body(response, self._limits.max_body, self._where)
                if response.status not in _MOVED:
                    self._refuse_status(response)
                request = self._moved(request, response)
        raise SystemFailedError(Code.STATUS(self._where, f"more than {_REDIRECTS} redirects", "an answer"))

    def _moved(self, request: Request, response: BaseHTTPResponse) -> Request:
        status = f"status {response.status}"
        try:
            target = urljoin(request.url, response.headers.get("Location", ""))
            there, here = urlsplit(target), urlsplit(request.url)
            same = (there.scheme, there.netloc) == (here.scheme, here.netloc)
        except ValueError:
            raise StatusError(
                Problem(self._where, f"{status} to what is no URL", "an answer"), response.status
            ) from None
        shown = self._secrets.hidden(printable(f"{there.scheme}://{host_of(target)}{there.path}"))
        if not self._limits.follow_redirects:
            fix = "write that URL, or follow_redirects = true"
        elif not same:
            fix = "it is on another host, where the headers must not go; write that URL"
        elif request.method != "GET" and response.status not in _METHOD_KEPT:
            fix = "it would turn the request into a GET; write that URL"
        else:
            return replace(request, url=target)
        raise StatusError(Problem(self._where, f"{status} to {shown}", "an answer", fix), response.status)

    def _refuse_status(self, response: BaseHTTPResponse) -> NoReturn:
        words = " ".join(self._secrets.hidden(start_of(response)).split())
        waiting = retry_after(response.headers.get("Retry-After"))
        raise refused(self._where, response.status, printable(words), retry_after=waiting)

    def _late(self) -> TimedOutError:
        found = f"no answer after {self._limits.timeout:g} s"
        return TimedOutError(Problem(self._where, found, "an answer", "raise timeout, or look why it hangs"))


def host_of(url: str) -> str:
    """Return the host of a URL with its port, without credentials.

    >>> host_of("http://me:word@localhost:9200/x")
    'localhost:9200'
    """
    return urlsplit(url).netloc.rpartition("@")[2]


def retry_after(text: str | None) -> float | None:
    """Read a ``Retry-After`` header: seconds, or a date.

    >>> retry_after("3"), retry_after("soon")
    (3.0, None)
    """
    if text is None:
        return None
    if text.strip().isascii() and text.strip().isdecimal():
        return float(text) if len(text) < 10 else None
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time())
    except (ValueError, TypeError, OverflowError, IndexError):
        return None

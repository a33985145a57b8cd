"""One request and its answer: in time, of a bounded size, and every failure told without a secret."""

from __future__ import annotations

import logging
import time
from contextlib import closing
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

import urllib3

from rankgate.errors import Code, InputError, Problem, RankgateError, SystemFailedError
from rankgate.io.secrets import hidden
from rankgate.systems.adapter.failures import StatusError, TimedOutError, printable, refused
from rankgate.systems.http.bodies import read_body, start_of
from rankgate.systems.http.failures import failure_of, is_late

if TYPE_CHECKING:
    from collections.abc import Mapping

    from urllib3 import BaseHTTPResponse, PoolManager

    from rankgate.systems.adapter.variables import Address

_REDIRECTS = 5
_MOVED = {301, 302, 303, 307, 308}
_METHOD_KEPT = {307, 308}
_KEPT_OPEN = 32


def _without_secrets(record: logging.LogRecord) -> bool:
    """Mask secrets in a log record of urllib3, which has the URL in it."""
    record.msg, record.args = hidden(record.getMessage()), None
    return True


for _name in ("urllib3.connection", "urllib3.connectionpool", "urllib3.response", "urllib3.util.retry"):
    logging.getLogger(_name).addFilter(_without_secrets)


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
    ca_file: str | None,
    proxy: Address | None,
    root: str = ".",
    where: str = "ca_file",
    *,
    verify: bool = True,
) -> PoolManager:
    """Open a pool of connections, which threads share.

    Args:
        ca_file: Certificates to trust in place of the system's.
        proxy: The proxy to ask through.
        root: The folder that `ca_file` is relative to.
        where: The option, for errors.
        verify: False to trust any certificate.

    Raises:
        InputError: for certificates that cannot be read.
    """
    options: dict[str, Any] = {"maxsize": _KEPT_OPEN}
    options["cert_reqs"] = "CERT_REQUIRED" if verify else "CERT_NONE"
    if not verify:
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
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
    return pool


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    """Unpacked; of an answer that is no success only the start."""


class HttpClient:
    """Sends requests; threads share its connections."""

    def __init__(self, pool: PoolManager, limits: RequestLimits, where: str) -> None:
        self._pool = pool
        self._limits = limits
        self._where = where

    def ask(self, request: Request) -> bytes:
        """Send a request and return the body of the answer.

        Raises:
            SystemFailedError: for everything that is no success; `RetriableError` where it may pass,
                `TimedOutError` where the time is over, `StatusError` for the other statuses.
        """
        answer = self.send(request)
        if is_success(answer.status):
            return answer.body
        words = printable(" ".join(hidden(answer.body.decode(errors="replace")).split()))
        waiting = retry_after(answer.headers.get("Retry-After"))
        raise refused(self._where, answer.status, words, retry_after=waiting)

    def send(self, request: Request) -> Answer:
        """Send a request and return the answer, whatever its status.

        Raises:
            SystemFailedError: where there is no answer in time, or it is too large.
        """
        end = time.monotonic() + self._limits.timeout
        try:
            return self._send(request, end)
        except Exception as error:
            if is_late(error) or time.monotonic() >= end:
                found = f"no answer after {self._limits.timeout:g} s"
                fix = "raise timeout, or look why it hangs"
                raise TimedOutError(Problem(self._where, found, "an answer", fix)) from None
            if isinstance(error, RankgateError):
                raise
            raise failure_of(error, self._where) from None

    def close(self) -> None:
        """Close every connection that is not in use."""
        self._pool.clear()

    def _send(self, request: Request, end: float) -> Answer:
        for _ in range(_REDIRECTS + 1):
            left = max(0.001, end - time.monotonic())
            response = self._pool.urlopen(
                request.method,
                request.url,
                headers=dict(request.headers),
                body=request.body,
                redirect=False,
                retries=False,
                preload_content=False,
                decode_content=False,
                timeout=urllib3.Timeout(connect=left, read=left),
            )
            with closing(response):
                if is_success(response.status):
                    body = read_body(response, self._limits.max_body, self._where, end)
                elif response.status in _MOVED:
                    request = self._moved(request, response)
                    continue
                else:
                    body = start_of(response)
                return Answer(response.status, response.headers, body)
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
        shown = printable(f"{there.scheme}://{host_of(target)}{there.path}")
        if not self._limits.follow_redirects:
            fix = "write that URL, or follow_redirects = true"
        elif not same:
            fix = "it is on another host, where the headers must not go; write that URL"
        elif request.method != "GET" and response.status not in _METHOD_KEPT:
            fix = "it would turn the request into a GET; write that URL"
        else:
            return replace(request, url=target)
        raise StatusError(Problem(self._where, f"{status} to {shown}", "an answer", fix), response.status)


def is_success(status: int) -> bool:
    """Return whether a status is a success."""
    return 200 <= status < 300


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
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError, IndexError):
        return None

"""One request and its answer: in time, of a bounded size, and every failure told without a secret."""

from __future__ import annotations

import os
import re
import zlib
from contextlib import closing
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from functools import partial
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

import urllib3
from urllib3.exceptions import (
    ConnectTimeoutError,
    NewConnectionError,
    ProtocolError,
    ProxyError,
    ReadTimeoutError,
    SSLError,
)

from rankgate.errors import Code, InputError, Problem, RankgateError, RetriableError, SystemFailedError
from rankgate.systems.adapter.failures import StatusError, TimedOutError, printable, refused
from rankgate.systems.http.deadline import POOLS, Deadline, put_back
from rankgate.systems.http.kept_open import KeptConnections, PlainBody

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, NoReturn

    from urllib3 import BaseHTTPResponse, HTTPConnectionPool, PoolManager
    from urllib3._collections import HTTPHeaderDict

    from rankgate.systems.adapter.secrets import Address, Secrets

_CHUNK = 1 << 16
_ERROR_SHOWN = 2000
_REDIRECTS = 5
_MOVED = {301, 302, 303, 307, 308}
_METHOD_KEPT = {307, 308}
_KEPT_OPEN = 32
_OBJECT = re.compile(r"<?\w+\(host='([^']*)', port=(\d+)\)>?")


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
                if deadline.expired:
                    raise self._late() from None
                if isinstance(error, RankgateError):
                    raise
                raise self._failure(error) from None
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
        shown = self._secrets.hidden(printable(f"{there.scheme}://{there.hostname}{there.path}"))
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
        words = " ".join(self._secrets.hidden(_start_of(response)).split())
        waiting = retry_after(response.headers.get("Retry-After"))
        raise refused(self._where, response.status, printable(words), retry_after=waiting)

    def _late(self) -> TimedOutError:
        found = f"no answer after {self._limits.timeout:g} s"
        return TimedOutError(Problem(self._where, found, "an answer", "raise timeout, or look why it hangs"))

    def _failure(self, error: Exception) -> SystemFailedError:
        whom = ""
        if isinstance(error, ProxyError):
            error, whom = error.original_error, " to the proxy"
        if isinstance(error, (ReadTimeoutError, ConnectTimeoutError)) and not isinstance(
            error, NewConnectionError
        ):
            return self._late()
        cause = error.__cause__ or error.__context__ or error
        inner = next((one for one in (*error.args, cause) if isinstance(one, OSError)), None)
        # Messages of the library hold the whole URL; what the system said does not.
        said = (inner.strerror if inner is not None else None) or type(inner or cause).__name__
        words = self._secrets.hidden(printable(said))
        if isinstance(error, SSLError):
            reason = self._secrets.hidden(printable(str(error.args[0]) if error.args else said))
            return SystemFailedError(
                Code.CERTIFICATE(self._where, reason, "a certificate to trust", "see ca_file")
            )
        lost = isinstance(error, NewConnectionError) or (
            isinstance(error, (ProtocolError, urllib3.exceptions.InvalidChunkLength))
            and (isinstance(inner, OSError) or "Incomplete" in repr(error) or "InvalidChunk" in repr(error))
        )
        if isinstance(error, NewConnectionError):
            said = f"could not connect{whom} ({words})"
        elif lost:
            said = f"the connection was lost ({words})"
        else:
            said = f"the answer is no HTTP ({type(error).__name__})"
        problem = Code.NO_CONNECTION(self._where, words, "an answer", said=f"{self._where}: {said}")
        return RetriableError(problem) if lost else SystemFailedError(problem)


def read_body(response: BaseHTTPResponse, limit: int, where: str) -> bytes:
    """Read an answer to its end, unpacked, and no further than the limit; then its connection is free again.

    Raises:
        SystemFailedError: for one that is larger, or packed in a way that was not asked for.
    """
    packing = response.headers.get("Content-Encoding", "").strip().lower()
    length = response.headers.get("Content-Length", "")
    if length.isdecimal() and (len(length) > 18 or int(length) > limit):
        raise _too_large(limit, where)
    data = joined_body(response.stream(_CHUNK, decode_content=False), packing, limit, where)
    response.release_conn()
    return data


def joined_body(chunks: Iterable[bytes], packing: str, limit: int, where: str) -> bytes:
    """Put the pieces of an answer together, unpacked, and no further than the limit.

    Raises:
        SystemFailedError: for one that is larger, or packed in a way that was not asked for.
    """
    if packing not in {"", "identity", "gzip", "x-gzip"}:
        raise SystemFailedError(
            Code.WRONG_ANSWER(where, f"content encoding {printable(packing)!r}", "gzip or none")
        )
    # Pieces, because a buffer that grows is copied on the way and then twice as large.
    pieces, size = [], 0
    for piece in _unpacked(chunks, where) if "gzip" in packing else chunks:
        size += len(piece)
        if size > limit:
            raise _too_large(limit, where)
        pieces.append(piece)
    return b"".join(pieces)


def _too_large(limit: int, where: str) -> SystemFailedError:
    fix = "raise max_body, or ask for fewer hits"
    return SystemFailedError(Code.ANSWER_TOO_LARGE(where, f"more than {limit:,} bytes", "less", fix))


def _unpacked(chunks: Iterable[bytes], where: str) -> Iterator[bytes]:
    """Unpack in small pieces, however well it was packed."""
    unpacking = zlib.decompressobj(wbits=31)
    for chunk in chunks:
        left = chunk
        while left:
            try:
                yield unpacking.decompress(left, _CHUNK)
            except zlib.error:
                raise SystemFailedError(
                    Code.WRONG_ANSWER(where, "what is not gzip", "what Content-Encoding says")
                ) from None
            left = unpacking.unconsumed_tail
        if unpacking.unused_data:
            # What comes after the end would be kept, and may have no end.
            raise SystemFailedError(
                Code.WRONG_ANSWER(where, "more after the end of the gzip data", "a whole answer")
            )
    if not unpacking.eof:
        raise SystemFailedError(Code.WRONG_ANSWER(where, "gzip data without its end", "a whole answer"))


def _start_of(response: BaseHTTPResponse) -> str:
    """Return the start of an answer, for an error; the status is told even where that cannot be read."""
    try:
        said = response.read(_ERROR_SHOWN, decode_content=False)
        if "gzip" in response.headers.get("Content-Encoding", ""):
            said = zlib.decompressobj(wbits=31).decompress(said, _ERROR_SHOWN)
    except (urllib3.exceptions.HTTPError, zlib.error, OSError, ValueError):
        return ""
    return said.decode(errors="replace")


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


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """An answer that was read to its end."""

    status: int
    headers: HTTPHeaderDict
    data: bytes

    def getheaders(self) -> HTTPHeaderDict:
        """Return the headers as clients of urllib3's first generation ask for them."""
        return self.headers


class BoundedPool:
    """A pool of urllib3 whose requests end with the `Deadline` of the thread that asks.

    What can be nothing but a secret that the server sent back is hidden in its answers.

    Raises:
        SystemFailedError: from `urlopen`, for an answer that is larger than the limit.
    """

    def __init__(self, pool: HTTPConnectionPool, max_body: int, secrets: Secrets, where: str) -> None:
        pool.ConnectionCls = vars(POOLS[pool.scheme or "http"])["ConnectionCls"]
        pool._put_conn = partial(put_back, pool._put_conn)  # type: ignore[method-assign] # noqa: SLF001 - no other way
        self._pool, self._max_body, self._secrets, self._where = pool, max_body, secrets, where

    def urlopen(self, *args: Any, **kwargs: Any) -> ReadAnswer:
        """Send a request and read its answer, unpacked."""
        asked: dict[str, Any] = {**kwargs, "preload_content": False, "decode_content": False}
        # Of an answer that breaks off, urllib3's first generation would take what there is.
        asked["enforce_content_length"] = True
        response = self._pool.urlopen(*args, **asked)
        with closing(response):
            data = self._secrets.hidden_in_answer(read_body(response, self._max_body, self._where))
            return ReadAnswer(response.status, response.headers, data)

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()


def without_objects(text: str) -> str:
    """Return the server in a message of urllib3 as people do.

    >>> without_objects("_Plain(host='127.0.0.1', port=9200): Failed to establish a new connection")
    '127.0.0.1:9200: Failed to establish a new connection'
    """
    return _OBJECT.sub(r"\1:\2", text)

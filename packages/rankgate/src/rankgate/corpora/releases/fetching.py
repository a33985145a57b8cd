"""Pages and files of the package index that this machine uses, over HTTP.

Sizes and times are limited, and a lost connection is tried again. A password in an address is sent to its own
host and nowhere else: not along a redirect to another host, and not into an error, a note or a file.
"""

from __future__ import annotations

import ast
import base64
import http.client
import os
import re
import ssl
import time
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar
from urllib.parse import SplitResult, unquote, urlsplit

from rankgate.corpora.programs import PIP, ask_pip
from rankgate.errors import Code, FormatError, InputError, RankgateError, escaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    T = TypeVar("T")
    from collections.abc import Mapping


SECONDS = 30.0
"""How long a connection may be silent, unless pip is configured otherwise."""

_DEFAULT = re.compile(r"--index-url\b.*?\(default:?\s+(https?://\S+?)\)", re.DOTALL)
_TRUE = {"1", "true", "yes", "on", "y", "t"}


@dataclass(frozen=True, slots=True)
class PipSettings:
    """Where packages come from. Addresses may carry passwords, so they are never shown."""

    indexes: tuple[str, ...] = field(repr=False)
    """The addresses of the simple indexes, the main one first."""
    links: tuple[str, ...] = field(default=(), repr=False)
    """Folders and pages that list files."""
    certificates: str | None = None
    """A file or a folder of certificates to trust."""
    proxy: str | None = field(default=None, repr=False)
    """A proxy in place of the environment's."""
    seconds: float = SECONDS
    """How long a connection may be silent."""


def pip_settings(environment: Mapping[str, str] = os.environ) -> PipSettings:
    """Find the index that pip would use, whoever set it.

    No index is named here. The environment is asked first, then pip's configuration, and where neither names
    one, pip's own default as its help tells it.

    Raises:
        InputError: where there is no pip to ask and the environment names no index.
    """
    said = _configured(environment)

    def setting(name: str, *others: str) -> str | None:
        variables = (f"PIP_{name.replace('-', '_').upper()}", *others)
        found = (environment.get(variable) for variable in variables)
        return next(filter(None, found), None) or said.get(f"download.{name}") or said.get(f"global.{name}")

    indexes: tuple[str, ...] = ()
    if (setting("no-index") or "").lower() not in _TRUE:
        main = setting("index-url", "UV_DEFAULT_INDEX", "UV_INDEX_URL") or _default(environment)
        # uv writes an index as name=address.
        main = re.sub(r"^[\w.-]+=(?=https?://)", "", main)
        indexes = (main, *(setting("extra-index-url") or "").split())
    return PipSettings(
        indexes,
        tuple((setting("find-links") or "").split()),
        setting("cert", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
        setting("proxy"),
        _seconds(setting("default-timeout") or setting("timeout")),
    )


def _seconds(text: str | None) -> float:
    try:
        return min(max(float(text or SECONDS), 1.0), 600.0)
    except ValueError:
        return SECONDS


def _configured(environment: Mapping[str, str]) -> dict[str, str]:
    """Read pip's configuration files through pip itself, which knows where they are."""
    found: dict[str, str] = {}
    for line in (ask_pip(environment, "config", "list") or "").splitlines():
        key, _, value = line.partition("=")
        try:
            found[key.strip()] = str(ast.literal_eval(value.strip()))
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return found


def _default(environment: Mapping[str, str]) -> str:
    said = ask_pip(environment, "download", "--help")
    found = None if said is None else _DEFAULT.search(said)
    if found is None:
        fix = f"set PIP_INDEX_URL to the address of an index, or {PIP} to a pip"
        problem = "no pip to ask" if said is None else "a pip that does not tell its index"
        raise InputError(Code.FETCH_FAILED("the package index", problem, "an index to fetch from", fix))
    return found[1]


PAGE = 64_000_000
"""How many bytes a page of an index may have."""
FILE = 500_000_000
"""How many bytes a file may have."""
LONGEST = 900.0
"""How many seconds one page or file may take in all."""
RETRIES = 3
"""How often a lost connection is tried again."""

_PAUSE = 0.3
_BUSY = (408, 429, 500, 502, 503, 504)
_ACCEPT = ", ".join(
    (
        "application/vnd.pypi.simple.v1+json",
        "application/vnd.pypi.simple.v1+html;q=0.2",
        "text/html;q=0.1",
        "*/*;q=0.01",
    )
)


class NotThereError(InputError):
    """The server says that there is no such page."""


class _LostError(Exception):
    """The connection was lost; it may be tried again."""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """What a server answered."""

    url: str
    """Where it came from in the end, without a password."""
    kind: str
    """Its content type, in lower case and without parameters."""
    data: bytes
    """The content."""


def shown_url(url: str) -> str:
    """Return an address without password, query and fragment.

    >>> shown_url("https://me:secret@example.org/simple/?token=1")
    'https://example.org/simple/'
    """
    try:
        parts = urlsplit(url)
        port = "" if parts.port is None else f":{parts.port}"
        # An unescaped @ or / in a password moves a part of it into the path.
        path = "" if "@" in parts.path else parts.path
        return escaped(f"{parts.scheme}://{parts.hostname}{port}{path}")
    except ValueError:
        return "an address that cannot be read"


class Fetcher:
    """Fetches as pip is configured to: certificates, proxies, passwords, patience."""

    def __init__(self, settings: PipSettings) -> None:
        context = _context(settings.certificates)
        proxies = {"http": settings.proxy, "https": settings.proxy} if settings.proxy else None
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler(proxies),
            urllib.request.HTTPSHandler(context=context),
            _Redirects(),
        )
        self._seconds = settings.seconds
        self._passwords: dict[tuple[str, str | None, int | None], str] = {}
        for url in (*settings.indexes, *settings.links):
            # An address that cannot be used is told when it is used.
            with suppress(InputError):
                _, origin, password = _parted(url)
                if password is not None:
                    self._passwords[origin] = password

    def page(self, url: str) -> FetchedPage:
        """Fetch a page.

        Raises:
            NotThereError: where the server says that there is none.
            InputError: where it cannot be fetched.
        """

        def once() -> FetchedPage:
            with self._open(url) as answer:
                data = b"".join(_pieces(answer, PAGE, url))
                kind = answer.headers.get_content_type().lower()
                return FetchedPage(_parted(answer.geturl())[0], kind, data)

        return self._tried(url, once)

    def file(self, url: str, path: Path) -> None:
        """Fetch a file to a path that is nobody else's.

        Raises:
            InputError: where it cannot be fetched, or is too large.
        """

        def once() -> None:
            with self._open(url) as answer, path.open("wb") as file:
                for piece in _pieces(answer, FILE, url):
                    file.write(piece)

        self._tried(url, once)

    def _open(self, url: str) -> Any:
        bare, origin, password = _parted(url)
        password = password or self._passwords.get(origin)
        request = urllib.request.Request(bare, headers={"Accept": _ACCEPT, "User-Agent": "rankgate"})  # noqa: S310 - only http and https pass _parted
        if password is not None:
            request.add_unredirected_header("Authorization", password)
        try:
            return self._opener.open(request, timeout=self._seconds)
        except urllib.error.HTTPError as error:
            with error:
                raise _refused(url, error.code) from error
        except (urllib.error.URLError, OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, ssl.SSLCertVerificationError):
                fix = "name the certificates to trust in PIP_CERT"
                found = "a certificate that is not trusted"
                raise InputError(Code.CERTIFICATE(shown_url(url), found, "a trusted server", fix)) from error
            raise _LostError(type(reason).__name__) from error

    def _tried(self, url: str, once: Callable[[], T]) -> T:
        lost = ""
        for attempt in range(RETRIES + 1):
            if attempt:
                time.sleep(_PAUSE * 2 ** (attempt - 1))
            try:
                return once()
            except _LostError as error:
                lost = str(error)
            except RankgateError:
                raise
            except ValueError as error:
                # Its text may hold the address with the password.
                raise _unreadable(url) from error
        found = f"no connection ({lost})"
        fix = "check the network, the proxy and the address of the index"
        raise InputError(Code.FETCH_FAILED(shown_url(url), found, f"an answer, in {RETRIES + 1} tries", fix))


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects between web addresses; a password stays with its host."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        try:
            bare, origin, _ = _parted(newurl)
            _, before, _ = _parted(req.full_url)
            if before[0] == "https" and origin[0] != "https":
                found = "a redirect to an address without TLS"
                raise InputError(Code.FETCH_FAILED(shown_url(req.full_url), found, "one with TLS"))  # noqa: TRY301 - closed below
        except InputError:
            fp.close()
            raise
        request = super().redirect_request(req, fp, code, msg, headers, bare)
        password = req.unredirected_hdrs.get("Authorization")
        if request is not None and password is not None and origin == before:
            request.add_unredirected_header("Authorization", password)
        return request


def _context(certificates: str | None) -> ssl.SSLContext:
    try:
        if certificates and Path(certificates).is_dir():
            return ssl.create_default_context(capath=certificates)
        return ssl.create_default_context(cafile=certificates or None)
    except (OSError, ssl.SSLError) as error:
        found = f"certificates that cannot be read ({error})"
        raise InputError(
            Code.CERTIFICATE(str(certificates), found, "a file or folder of certificates")
        ) from error


def _parted(url: str) -> tuple[str, tuple[str, str | None, int | None], str | None]:
    """Take an address apart: without its password, its origin, and the password as a header."""
    try:
        parts = urlsplit(url)
        origin = (parts.scheme, parts.hostname, parts.port or {"https": 443, "http": 80}.get(parts.scheme))
    except ValueError as error:
        raise _unreadable(url) from error
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise _unreadable(url)
    bare = SplitResult(parts.scheme, parts.netloc.rpartition("@")[2], parts.path, parts.query, "")
    if parts.username is None:
        return bare.geturl(), origin, None
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return bare.geturl(), origin, "Basic " + base64.b64encode(pair.encode()).decode()


def _unreadable(url: str) -> InputError:
    return InputError(
        Code.WRONG_ADDRESS(shown_url(url), "an address that cannot be used", "one with http or https")
    )


def _refused(url: str, code: int) -> Exception:
    where = shown_url(url)
    if code in _BUSY:
        return _LostError(f"status {code}")
    if code in {404, 410}:
        return NotThereError(Code.NO_SUCH_RELEASE(where, f"status {code}", "a page that is there"))
    if code in {401, 403, 407}:
        fix = "write user and password into the address of the index, as pip does"
        return InputError(Code.FETCH_FAILED(where, f"status {code}", "to be let in", fix))
    return InputError(Code.FETCH_FAILED(where, f"status {code}", "status 200"))


def _pieces(answer: http.client.HTTPResponse, limit: int, url: str) -> Iterator[bytes]:
    """Read an answer to its end, which must come where its header says."""
    told = answer.headers.get("Content-Length")
    if told is not None and told.isdigit() and int(told) > limit:
        raise _too_large(url, limit)
    end = time.monotonic() + LONGEST
    size = 0
    while piece := _piece(answer):
        size += len(piece)
        if size > limit:
            raise _too_large(url, limit)
        if time.monotonic() > end:
            raise InputError(
                Code.FETCH_FAILED(shown_url(url), f"no end in {LONGEST:.0f} s", "a faster server")
            )
        yield piece
    if told is not None and told.isdigit() and size != int(told):
        raise _LostError(f"{size} of {told} bytes")


def _piece(answer: http.client.HTTPResponse) -> bytes:
    try:
        return answer.read1(1 << 16)
    except (OSError, http.client.HTTPException) as error:
        raise _LostError(type(error).__name__) from error


def _too_large(url: str, limit: int) -> FormatError:
    return FormatError(Code.TOO_LARGE(shown_url(url), f"more than {limit} bytes", f"at most {limit}"))

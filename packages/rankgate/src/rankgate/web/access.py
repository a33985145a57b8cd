"""Who may ask a server of this machine: whoever has its address with the token, from its own pages.

Any program of any user can reach a port of this machine, and so can any page of the internet, by a name that
leads here. So a request must name the server as it is called here, carry the cookie that the token is
exchanged for, and come from no other origin.
"""

from __future__ import annotations

import hmac
import secrets
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

if TYPE_CHECKING:
    from email.message import Message

ADDRESS = "127.0.0.1"
"""The only address that is listened on."""
_NAMES = (ADDRESS, "localhost")
_BYTES = 24
_FIELDS = 16
_OWN = ("same-origin", "none")
NO_TOKEN = "open the address that rankgate printed: it has the token without which nothing is shown"  # noqa: S105


class RefusedError(Exception):
    """What is asked for cannot be had."""

    def __init__(self, status: HTTPStatus, words: str) -> None:
        super().__init__(words)
        self.status = status
        """How that is said in HTTP."""


class LocalAccess:
    """The names, the token and the cookie of a server at a port."""

    def __init__(self, port: int) -> None:
        self.hosts = frozenset(f"{name}:{port}" for name in _NAMES)
        """What it may be called."""
        self.origins = frozenset(f"http://{host}" for host in self.hosts)
        """Where requests of its own pages come from."""
        self.address = f"http://{ADDRESS}:{port}/"
        """Where it is, without the token."""
        self._token = secrets.token_urlsafe(_BYTES)
        self._tickets: set[str] = set()
        self._key = secrets.token_urlsafe(_BYTES)
        # Cookies are shared by all ports of a machine: two servers must not take each other's place.
        self._cookie = f"rankgate-{port}"

    @property
    def url(self) -> str:
        """The address with the token, which works as long as the server runs."""
        return f"{self.address}?token={self._token}"

    def ticket(self) -> str:
        """Return an address that works once: other users see what a browser is started with."""
        ticket = secrets.token_urlsafe(_BYTES)
        self._tickets.add(ticket)
        return f"{self.address}?token={ticket}"

    def check(self, headers: Message, *, writes: bool) -> None:
        """Check where a request comes from, and what it calls this server.

        Raises:
            RefusedError: for another name, and for another origin. What writes must tell its origin.
        """
        hosts = headers.get_all("Host")
        if hosts is None or set(hosts) - self.hosts:
            # A name that somebody else gave this address: what it asks for is not for them.
            raise RefusedError(HTTPStatus.MISDIRECTED_REQUEST, f"this server is {self.address}")
        origins = headers.get_all("Origin", [])
        # A page at another port of this machine is of the same site, and its requests carry the cookie.
        foreign = headers.get("Sec-Fetch-Site", "none") not in _OWN
        navigates = not writes and headers.get("Sec-Fetch-Mode") == "navigate"
        if set(origins) - self.origins or (writes and not origins) or (foreign and not navigates):
            raise RefusedError(HTTPStatus.FORBIDDEN, "only pages of this server may ask it")

    def exchange(self, query: str) -> str | None:
        """Return the header that sets the cookie, for the query of an address with the token; None without.

        Raises:
            RefusedError: for a wrong token.
        """
        try:
            given = parse_qs(query, keep_blank_values=True, max_num_fields=_FIELDS).get("token")
        except ValueError as error:
            raise RefusedError(HTTPStatus.BAD_REQUEST, "this address has too many parts") from error
        if given is None:
            return None
        known = [self._token, *self._tickets]
        # Every one is compared, so that the time that it takes says nothing.
        found = [one for one in known if _same(one, given[0])]
        if len(given) > 1 or not found:
            raise RefusedError(HTTPStatus.FORBIDDEN, NO_TOKEN)
        self._tickets.discard(found[0])
        return f"{self._cookie}={self._key}; Path=/; HttpOnly; SameSite=Strict"

    def admit(self, headers: Message) -> None:
        """Check the cookie.

        Raises:
            RefusedError: where it is missing or wrong.
        """
        # By hand: the library's reader gives up at the first odd cookie of another server of this machine.
        pairs = (part.partition("=") for line in headers.get_all("Cookie", []) for part in line.split(";"))
        if not any(
            name.strip() == self._cookie and _same(self._key, value.strip()) for name, _, value in pairs
        ):
            raise RefusedError(HTTPStatus.FORBIDDEN, NO_TOKEN)


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode(errors="replace"))

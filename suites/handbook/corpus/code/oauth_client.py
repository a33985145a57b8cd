"""Obtaining and renewing access tokens from ``/oauth/token``."""

from __future__ import annotations

import base64
import hashlib
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

Post = Callable[[str, dict[str, str]], dict[str, object]]


class OAuthError(Exception):
    """The server refused to give a token."""

    def __init__(self, code: str, description: str = "") -> None:
        super().__init__(f"{code}: {description}" if description else code)
        self.code = code


@dataclass(frozen=True)
class TokenPair:
    """An access token, and what it is renewed with."""

    access_token: str
    refresh_token: str | None
    expires_at: float

    def expires_within(self, seconds: float, now: float) -> bool:
        """Tell whether the access token ends in so many seconds."""
        return now + seconds >= self.expires_at


@dataclass(frozen=True)
class PkceChallenge:
    """A random verifier and its hash, for one authorization."""

    verifier: str
    challenge: str

    @classmethod
    def create(cls) -> PkceChallenge:
        """Draw a new verifier of 32 bytes."""
        verifier = _unpadded(secrets.token_bytes(32))
        return cls(verifier, _unpadded(hashlib.sha256(verifier.encode("ascii")).digest()))


class OAuthClient:
    """Holds the tokens of one workspace and renews them before they end.

    Threads may share a client. One of them renews while the others wait, because a refresh token that is
    sent twice is taken for a stolen one.
    """

    EARLY = 300.0
    """Seconds before its end at which an access token is renewed."""

    def __init__(self, post: Post, client_id: str, client_secret: str | None = None) -> None:
        self._post = post
        self._client_id = client_id
        self._client_secret = client_secret
        self._tokens: TokenPair | None = None
        self._lock = threading.Lock()

    def authorization_url(
        self, base: str, redirect_uri: str, scopes: list[str], state: str
    ) -> tuple[str, str]:
        """Give the address to send the browser to, and the verifier to keep until it comes back."""
        from urllib.parse import urlencode

        pkce = PkceChallenge.create()
        query = urlencode(
            {
                "response_type": "code",
                "client_id": self._client_id,
                "redirect_uri": redirect_uri,
                "scope": " ".join(scopes),
                "state": state,
                "code_challenge": pkce.challenge,
                "code_challenge_method": "S256",
            }
        )
        return f"{base}/oauth/authorize?{query}", pkce.verifier

    def exchange_code(self, code: str, redirect_uri: str, verifier: str) -> TokenPair:
        """Turn the code that the browser brought back into tokens."""
        return self._store(
            {
                "grant_type": "authorization_code",
                "code": code,
                "redirect_uri": redirect_uri,
                "code_verifier": verifier,
            }
        )

    def get_token(self) -> str:
        """Give an access token that is good for some minutes yet, renewing it where needed."""
        with self._lock:
            if self._tokens is None:
                raise OAuthError("not_connected")
            if self._tokens.expires_within(self.EARLY, time.time()):
                self.refresh_token()
            return self._tokens.access_token

    def refresh_token(self) -> TokenPair:
        """Spend the refresh token and keep the pair that comes back."""
        if self._tokens is None or self._tokens.refresh_token is None:
            raise OAuthError("no_refresh_token")
        return self._store({"grant_type": "refresh_token", "refresh_token": self._tokens.refresh_token})

    def revoke(self) -> None:
        """Disconnect: end all tokens of this consent, here and on the server."""
        with self._lock:
            if self._tokens is not None:
                token = self._tokens.refresh_token or self._tokens.access_token
                self._post("/oauth/revoke", {"token": token})
                self._tokens = None

    def _store(self, form: dict[str, str]) -> TokenPair:
        form = {**form, "client_id": self._client_id}
        if self._client_secret is not None:
            form["client_secret"] = self._client_secret
        answer = self._post("/oauth/token", form)
        if "error" in answer:
            raise OAuthError(str(answer["error"]), str(answer.get("error_description", "")))
        refresh = answer.get("refresh_token")
        self._tokens = TokenPair(
            access_token=str(answer["access_token"]),
            refresh_token=None if refresh is None else str(refresh),
            expires_at=time.time() + float(str(answer["expires_in"])),
        )
        return self._tokens


def _unpadded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")

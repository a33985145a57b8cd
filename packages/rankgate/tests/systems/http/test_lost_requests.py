"""Requests that fail below HTTP: what a proxy, TLS or a socket says of it, and whether to ask again."""

from __future__ import annotations

import gc
import socket
import struct
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import RankgateError, RetriableError
from rankgate.systems.adapter.failures import StatusError, TimedOutError
from rankgate.systems.adapter.secrets import Address, Secrets
from rankgate.systems.http.client import HttpClient, Request, RequestLimits, open_pool
from rankgate.systems.http.deadline import Deadline
from support.certificates import certificate
from support.scripted_server import PLAIN, scripted

if TYPE_CHECKING:
    from pathlib import Path

HEADERS = {"Accept-Encoding": "gzip", "User-Agent": "rankgate"}


def client(proxy: str | None = None, pem: Path | None = None, secrets: Secrets | None = None) -> HttpClient:
    pool = open_pool(str(pem) if pem else None, Address(proxy) if proxy else None)
    return HttpClient(pool, RequestLimits(10.0, 1000), "GET", secrets or Secrets())


def failure(asked: HttpClient, url: str) -> RankgateError:
    with pytest.raises(RankgateError) as caught:
        asked.ask(Request("GET", url, HEADERS))
    return caught.value


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize(("status", "kind"), [("407 No", StatusError), ("502 Bad", RetriableError)])
def test_what_a_proxy_refuses_has_its_status(scheme: str, status: str, kind: type[RankgateError]) -> None:
    raw = f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
    with scripted(lambda _: [raw], closes=True) as server:
        found = failure(client(server.url.removesuffix("/search")), f"{scheme}://a.example/x")
    assert type(found) is kind
    assert f"found status {status[:3]}" in str(found)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_that_hangs_up_may_answer_later(scheme: str) -> None:
    with scripted(lambda _: [b""], closes=True) as server:
        found = failure(client(server.url.removesuffix("/search")), f"{scheme}://a.example/x")
    assert type(found) is RetriableError
    assert "was lost (RemoteDisconnected)" in str(found)


@pytest.mark.parametrize("reset", [False, True])
def test_a_connection_that_ends_while_tls_begins_is_no_wrong_certificate(reset: bool, tmp_path: Path) -> None:
    pem = certificate(tmp_path, "127.0.0.1")
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as other:
        url = f"https://127.0.0.1:{listening.getsockname()[1]}/"
        found = other.submit(failure, client(pem=pem), url)
        connection, _ = listening.accept()
        connection.recv(3000)
        if reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        assert type(found.result()) is RetriableError
        assert "the connection was lost" in str(found.result())


def test_bytes_behind_an_answer_that_only_tls_knows_of_are_not_taken_for_the_next(tmp_path: Path) -> None:
    """8,192 bytes are what a reader of urllib3 asks for at once: the rest of the record stays below it."""
    pem = certificate(tmp_path, "127.0.0.1")
    head = b"HTTP/1.1 200 OK\r\nContent-Length: %05d\r\n\r\n"
    length = 8192 - len(head % 0)
    long = head % length + b"x" * length + PLAIN.replace(b"plain", b"stale")
    with scripted(lambda request: [long if b"long" in request else PLAIN], pem=pem) as server:
        asked = HttpClient(open_pool(str(pem), None), RequestLimits(10.0, 10_000), "GET", Secrets())
        # A header of its own takes the general way.
        headers = {**HEADERS, "Host": "other"}
        for path in ("", "?long", "", "?long", ""):
            body = asked.ask(Request("GET", server.url + path, headers))
            assert body == (b"x" * length if path else b"plain")
        asked.close()


def test_a_long_request_that_is_not_read_in_time_is_a_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The watchman comes late here, as on a busy machine: the time that the socket has itself ends first."""
    monkeypatch.setattr(Deadline, "expire", lambda _: None)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        asked = HttpClient(open_pool(None, None), RequestLimits(0.2, 1000), "GET", Secrets())
        with pytest.raises(TimedOutError):
            asked.ask(Request("POST", url, HEADERS, b"x" * 20_000_000))
        asked.close()


def test_a_secret_that_stands_where_an_error_is_cut_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    token = "tok-AbCdEf0123456789-ZyXwVu9876543210"
    monkeypatch.setenv("MY_TOKEN", token)
    start = b"{\n" + b" " * 1900 + b'"refused": "'
    body = start + b" " * (2000 - len(start) - len(token) + 1) + token.encode() + b'"}'
    raw = b"HTTP/1.1 401 No\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
    secrets = Secrets()
    secrets.add("MY_TOKEN", token)
    with scripted(lambda _: [raw]) as server:
        found = failure(client(secrets=secrets), server.url)
    assert "refused" in str(found)
    assert token[:8] not in str(found)


@pytest.mark.parametrize(
    "head", [b"HTTP/2.0 200 OK", b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 1"]
)
def test_an_error_that_is_kept_keeps_no_connection_open(head: bytes) -> None:
    raw = head + b"\r\n\r\nab"
    with scripted(lambda request: [raw if b"odd" in request else PLAIN]) as server:
        asked, errors = client(), []
        gc.disable()
        try:
            for _ in range(5):
                asked.ask(Request("GET", server.url, HEADERS))
                errors.append(failure(asked, f"{server.url}?odd"))
            server.wait_until_closed()
            assert not server.open_connections
        finally:
            gc.enable()
        assert len(errors) == 5


def test_a_redirect_is_told_with_its_port() -> None:
    raw = b"HTTP/1.1 301 Moved\r\nLocation: http://me:word@127.0.0.1:9999/new\r\nContent-Length: 0\r\n\r\n"
    with scripted(lambda _: [raw]) as server:
        found = failure(client(), server.url)
    assert "status 301 to http://127.0.0.1:9999/new, expected" in str(found)

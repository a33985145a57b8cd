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
from rankgate.systems.adapter.variables import Address
from rankgate.systems.http.client import HttpClient, Request, RequestLimits, open_pool
from support.certificates import certificate
from support.scripted_server import PLAIN, scripted

if TYPE_CHECKING:
    from pathlib import Path

HEADERS = {"Accept-Encoding": "gzip", "User-Agent": "rankgate"}


def client(proxy: str | None = None, pem: Path | None = None) -> HttpClient:
    pool = open_pool(str(pem) if pem else None, Address(proxy) if proxy else None)
    return HttpClient(pool, RequestLimits(10.0, 1000), "GET")


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


def test_a_long_request_that_is_not_read_in_time_is_a_time_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        asked = HttpClient(open_pool(None, None), RequestLimits(0.2, 1000), "GET")
        with pytest.raises(TimedOutError):
            asked.ask(Request("POST", url, HEADERS, b"x" * 20_000_000))
        asked.close()


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

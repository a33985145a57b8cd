"""Requests on a connection that is kept open: whatever comes back is told as on a new one."""

from __future__ import annotations

import gzip
import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
import urllib3

from rankgate.errors import RankgateError, RetriableError
from rankgate.systems.adapter.failures import StatusError, TimedOutError
from rankgate.systems.adapter.secrets import Secrets
from rankgate.systems.http.client import HttpClient, Request, RequestLimits, open_pool
from rankgate.systems.http.kept_open import _TARGET
from support.scripted_server import PLAIN, Scripted, scripted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HEADERS = {"Accept-Encoding": "gzip", "User-Agent": "rankgate", "X-Name": "größe"}
PACKED = gzip.compress(b"packed")
ODD_HEADS = {
    "lines of LF": b"HTTP/1.1 200 OK\nContent-Length: 2\n\nab",
    "one line of LF": (
        b"HTTP/1.1 200 OK\nTransfer-Encoding: chunked\r\nContent-Length: 12\r\n\r\n2\r\nab\r\n0\r\n\r\n"
    ),
    "another case": b"HTTP/1.1 200 OK\r\ncOnTeNt-LeNgTh:2\r\n\r\nab",
    "a folded line": b"HTTP/1.1 200 OK\r\nX: 1\r\n  2\r\nContent-Length: 2\r\n\r\nab",
    "length twice": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 1\r\n\r\nab",
    "a length that is none": b"HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nab",
    "a negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nab",
    "a length in a value": b"HTTP/1.1 200 OK\r\nX: content-length: 1\r\nContent-Length: 2\r\n\r\nab",
    "chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
    "chunks and a length": (
        b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"
    ),
    "the end of the connection": b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nab",
    "a connection that is closed": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab",
    "a connection that is kept": b"HTTP/1.1 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nab",
    "HTTP/1.0": b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nab",
    "first 100": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab",
    "201": b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nab",
    "204": b"HTTP/1.1 204 No Content\r\n\r\n",
    "gzip": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b"
    % (len(PACKED), PACKED),
    "no gzip": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nab",
    "another packing": b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 2\r\n\r\nab",
    "a lone CR": (
        b"HTTP/1.1 200 OK\r\nX: a\rTransfer-Encoding: chunked\r\nContent-Length: 12\r\n\r\n"
        b"2\r\nab\r\n0\r\n\r\n"
    ),
    "a control character": (
        b"HTTP/1.1 200 OK\r\n\x0bTransfer-Encoding: chunked\r\nContent-Length: 12\r\n\r\n2\r\nab\r\n0\r\n\r\n"
    ),
    "many headers": b"HTTP/1.1 200 OK\r\n%bContent-Length: 2\r\n\r\nab" % (b"X: 1\r\n" * 120),
    "nothing": b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "too much": b"HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n" + b"a" * 2000,
    "a length past all": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nab",
    "404": b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nab",
    "429": b"HTTP/1.1 429 Busy\r\nRetry-After: 3\r\nContent-Length: 2\r\n\r\nab",
    "302": b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n",
    "no HTTP": b"220 smtp.example.com ESMTP\r\n\r\n",
    "no end of the head": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n",
    "no end of the body": b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
    "not a byte": b"",
}
CLOSED = {
    "the end of the connection",
    "a length that is none",
    "a control character",
    "a lone CR",
    "a negative length",
    "no HTTP",
    "no end of the head",
    "no end of the body",
    "not a byte",
}


@contextmanager
def client(server: Scripted, timeout: float = 10.0) -> Iterator[HttpClient]:
    found = HttpClient(open_pool(None, None), RequestLimits(timeout, 1000), "GET", Secrets())
    try:
        yield found
    finally:
        found.close()


def outcome(asked: HttpClient, url: str) -> tuple[str, str]:
    """Ask; what came back, or the error and all that it says."""
    try:
        return "answer", asked.ask(Request("GET", url, HEADERS)).decode()
    except RankgateError as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("cut", [0, 10, 30])
@pytest.mark.parametrize("name", ODD_HEADS)
def test_every_answer_is_told_as_on_a_new_connection(name: str, cut: int) -> None:
    raw = ODD_HEADS[name]
    pieces = [raw[:cut], raw[cut:]] if 0 < cut < len(raw) else [raw]

    def answer(request: bytes) -> Sequence[bytes]:
        return pieces if b"odd" in request else [PLAIN]

    with scripted(answer, closes=name in CLOSED) as server:
        with client(server) as new:
            expected = outcome(new, f"{server.url}?odd")
        with client(server) as kept:
            # The second request has the connection of the first, and so has the third, where it is left open.
            assert outcome(kept, server.url) == ("answer", "plain")
            before = server.connections
            assert outcome(kept, f"{server.url}?odd") == expected
            assert server.connections == before
            if server.closes:
                server.wait_until_closed()
            assert outcome(kept, server.url) == ("answer", "plain")


@pytest.mark.parametrize(
    "path", ["?q=a+b%2F%C3%A4&k=10", "/a.b/~c;d?x=1?y/z:@", "?q=%c3", "/./a/../b?q=1", "?q='\"<>"]
)
@pytest.mark.parametrize("body", [None, b'{"q": "a"}', b""])
def test_a_kept_connection_is_sent_the_same_bytes(path: str, body: bytes | None) -> None:
    with scripted(lambda _: [PLAIN]) as server, client(server) as asked:
        request = Request("GET" if body is None else "POST", server.url + path, HEADERS, body)
        for _ in range(3):
            asked.ask(request)
        assert server.connections == 1
        assert len(set(server.requests)) == 1


@pytest.mark.parametrize(
    "more", [{"Host": "elsewhere"}, {"Connection": "close"}, {"content-length": "3"}, {"X-Latin": "\xe9"}]
)
def test_headers_of_a_configuration_are_sent_alike(more: dict[str, str]) -> None:
    with scripted(lambda _: [PLAIN]) as server, client(server) as asked:
        for _ in range(2):
            asked.ask(Request("POST", server.url, {**HEADERS, **more}, b"abc"))
        assert len(set(server.requests)) == 1


def test_a_host_with_a_dot_at_its_end_is_called_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    found = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda _, *rest, **more: found("127.0.0.1", *rest, **more))
    with scripted(lambda _: [PLAIN]) as server, client(server) as asked:
        for _ in range(2):
            asked.ask(Request("GET", server.url.replace("127.0.0.1", "search.example."), HEADERS))
        assert server.connections == 1
        assert len(set(server.requests)) == 1


def test_what_refuses_a_long_body_before_it_is_sent_is_told() -> None:
    class ByTheHead(Scripted):
        def _request(self, connection: socket.socket) -> bytes:
            return connection.recv(1000)

    raw = b"HTTP/1.1 413 Too Large\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlong"
    server = ByTheHead(lambda request: [raw] if b"odd" in request else [PLAIN], closes=True)
    with client(server) as asked:
        assert outcome(asked, server.url) == ("answer", "plain")
        with pytest.raises(StatusError, match=r"status 413 \(long\)"):
            asked.ask(Request("POST", f"{server.url}?odd", HEADERS, b"x" * 20_000_000))
        assert server.connections == 1
    server.close()


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("name", ["another case", "nothing", "gzip", "chunks", "201", "204", "404"])
def test_a_connection_with_bytes_behind_an_answer_is_not_used_again(name: str, kept: bool) -> None:
    raw = ODD_HEADS[name] + b"\r\n"
    with scripted(lambda request: [raw] if b"odd" in request else [PLAIN]) as server, client(server) as asked:
        if kept:
            outcome(asked, server.url)
        outcome(asked, f"{server.url}?odd")
        assert server.connections == 1
        assert outcome(asked, server.url) == ("answer", "plain")
        assert server.connections == 2


def test_no_log_shows_the_query_string_of_a_request(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    raw = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nno header at all\r\n\r\nplain"
    with scripted(lambda _: [raw]) as server, client(server) as asked:
        assert outcome(asked, f"{server.url}?key=s3cr3t") == ("answer", "plain")
        assert not caplog.records
        urllib3.PoolManager().request("GET", server.url)
        assert f"Failed to parse headers (url={server.url})" in caplog.text


def test_a_connection_that_the_server_closed_meanwhile_is_not_used() -> None:
    with scripted(lambda _: [PLAIN]) as server, client(server) as asked:
        for _ in range(3):
            assert outcome(asked, server.url) == ("answer", "plain")
            server.drop()
            time.sleep(0.02)
        assert server.connections == 3


@pytest.mark.parametrize("first", ["odd", "plain"])
def test_what_follows_an_interim_answer_is_nobody_elses(first: str) -> None:
    """103 is no answer: the real one comes later, on the same connection."""

    def answer(request: bytes) -> Iterator[bytes]:
        body = request.split(b" ")[1]
        if b"odd" in request:
            yield b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
            time.sleep(0.1)
        yield b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)

    with scripted(answer) as server, client(server) as asked:
        for number, query in enumerate((first, "odd", "a", "b", "odd", "c")):
            kind, said = outcome(asked, f"{server.url}?{query}{number}")
            if query == "odd":
                assert (kind, "status 103" in said) == ("StatusError", True)
            else:
                assert (kind, said) == ("answer", f"/search?{query}{number}")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_has_connections_of_its_own() -> None:
    def answer(request: bytes) -> Sequence[bytes]:
        body = request.split(b" ")[1]
        return [b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)]

    with scripted(answer) as server, client(server) as asked:
        for number in range(2):
            asked.ask(Request("GET", f"{server.url}?{number}", HEADERS))
        before = server.connections
        child = os.fork()
        if not child:
            said = outcome(asked, f"{server.url}?child")
            os._exit(0 if said == ("answer", "/search?child") else 1)
        assert outcome(asked, f"{server.url}?parent") == ("answer", "/search?parent")
        assert os.waitpid(child, 0)[1] == 0
        assert server.connections == before + 1


@pytest.mark.parametrize("odd", ["[", "%2f", "|", '"'])
def test_a_long_address_takes_no_time_to_be_looked_at(odd: str) -> None:
    start = time.process_time()
    assert _TARGET.fullmatch(f"/{'a' * 5000}{odd}") is None
    assert time.process_time() - start < 0.5


def test_a_kept_connection_keeps_time_and_the_next_request_has_another() -> None:
    def answer(request: bytes) -> Sequence[bytes]:
        return [] if b"odd" in request else [PLAIN]

    with scripted(answer) as server, client(server, timeout=0.3) as asked:
        asked.ask(Request("GET", server.url, HEADERS))
        with pytest.raises(TimedOutError, match=r"no answer after 0\.3 s"):
            asked.ask(Request("GET", f"{server.url}?odd", HEADERS))
        assert server.connections == 1
        assert outcome(asked, server.url) == ("answer", "plain")
        assert server.connections == 2


def test_a_connection_that_is_lost_may_be_tried_again() -> None:
    def answer(request: bytes) -> Sequence[bytes]:
        return [] if b"odd" in request else [PLAIN]

    with scripted(answer, closes=True) as server, client(server) as asked:
        asked.ask(Request("GET", server.url, HEADERS))
        with pytest.raises(RetriableError, match="the connection was lost"):
            asked.ask(Request("GET", f"{server.url}?odd", HEADERS))


def test_threads_get_the_answers_to_their_own_requests() -> None:
    def answer(request: bytes) -> Sequence[bytes]:
        target = request.split(b" ")[1]
        body = b"%b " % target + target * (len(target) % 7)
        return [b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)]

    with scripted(answer) as server, client(server) as asked, ThreadPoolExecutor(8) as pool:
        urls = [f"{server.url}?q={'x' * (number % 11)}{number}" for number in range(400)]
        found = pool.map(lambda url: asked.ask(Request("GET", url, HEADERS)), urls)
        for url, said in zip(urls, found, strict=True):
            assert said.decode().split(" ")[0] == url[url.index("/search") :]
        assert server.connections <= 16


def test_no_thread_is_left_of_the_servers() -> None:
    before = threading.active_count()
    with scripted(lambda _: [PLAIN]) as server, client(server) as asked:
        asked.ask(Request("GET", server.url, HEADERS))
    end = time.monotonic() + 5
    while threading.active_count() > before + 1 and time.monotonic() < end:
        time.sleep(0.01)
    # The one that keeps time stays.
    assert threading.active_count() <= before + 1

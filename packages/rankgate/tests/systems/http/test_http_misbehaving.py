"""Servers that answer badly: each query ends as an answer or a typed error, in time, in bounded memory."""

from __future__ import annotations

import threading
import time
import tracemalloc
from email.utils import formatdate
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import RetriableError, SystemFailedError
from rankgate.model import Query
from rankgate.systems.adapter.failures import StatusError, TimedOutError
from rankgate.systems.http.system import HttpOptions, HttpSystem
from support.http_servers import Server, free_port, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

QUERY = Query("rotate a key", k=5)
TIMEOUT = 1.0
MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as found:
        yield found


def ask(url: str, **options: Any) -> SystemFailedError:
    """Ask what must fail, and see that it fails in time."""
    system = HttpSystem(HttpOptions(url, **{"params": {"q": "{query}"}, "timeout": TIMEOUT, **options}))
    start = time.monotonic()
    with pytest.raises(SystemFailedError) as caught:
        system.search(QUERY)
    assert time.monotonic() - start < options.get("timeout", TIMEOUT) + 4
    system.close()
    assert "\n" not in str(caught.value)
    assert type(caught.value).__name__ not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("path", ["stall", "drip", "drip-without-length", "drip-chunks"])
def test_a_server_that_is_slow_without_end_is_a_time_out(server: Server, path: str) -> None:
    error = ask(f"{server.url}/{path}")
    assert isinstance(error, TimedOutError)
    assert "found no answer after 1 s" in str(error)


def test_a_server_that_never_accepts_is_a_time_out() -> None:
    # An address that is set aside for documentation: packets to it are lost or refused.
    error = ask("http://192.0.2.1:81/")
    assert isinstance(error, (TimedOutError, RetriableError))


@pytest.mark.parametrize("path", ["drop", "reset", "truncated", "truncated-chunks"])
def test_a_connection_that_is_lost_may_be_tried_again(server: Server, path: str) -> None:
    error = ask(f"{server.url}/{path}")
    assert isinstance(error, RetriableError)
    assert error.retry_after is None
    assert "the connection was lost" in str(error)


def test_a_refused_connection_may_be_tried_again() -> None:
    error = ask(f"http://127.0.0.1:{free_port()}/")
    assert isinstance(error, RetriableError)
    assert "could not connect (Connection refused)" in str(error)


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_busy_server_says_when_to_come_back(server: Server, status: int) -> None:
    server.headers = {"Retry-After": "7"}
    error = ask(f"{server.url}/status/{status}")
    assert isinstance(error, RetriableError)
    assert (error.status, error.retry_after) == (status, 7.0)
    server.headers = {"Retry-After": formatdate(time.time() + 100, usegmt=True)}
    error = ask(f"{server.url}/status/{status}")
    assert isinstance(error, RetriableError)
    assert 90 < (error.retry_after or 0) <= 100
    server.headers = {"Retry-After": "9" * 400}
    error = ask(f"{server.url}/status/{status}")
    assert isinstance(error, RetriableError)
    assert error.retry_after is None
    server.headers = {}


@pytest.mark.parametrize("status", [400, 401, 404, 422, 500, 501])
def test_other_statuses_are_not_tried_again_and_say_what_the_server_said(server: Server, status: int) -> None:
    error = ask(f"{server.url}/status/{status}")
    assert isinstance(error, StatusError)
    assert error.status == status
    assert f'found status {status} ({{"error": "out of order"}})' in str(error)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("no-json", "<html>welcome"),
        ("nothing", "output: found nothing"),
        ("deep", "output"),
        ("latin1", "0xf6, which is not UTF-8"),
        ("large", "more than 10,000,000 bytes"),
        ("endless", "more than 10,000,000 bytes"),
        ("bomb", "more than 10,000,000 bytes"),
        ("no-gzip", "what is not gzip"),
        ("half-gzip", "gzip data without its end"),
        ("gzip-and-more", "more after the end of the gzip data"),
        ("brotli", "content encoding 'br'"),
        ("garbage", "the answer is no HTTP"),
        ("long-header", "the answer is no HTTP"),
        ("nowhere", "status 302 to what is no URL"),
    ],
)
def test_what_is_no_answer_is_an_error_that_is_not_tried_again(server: Server, path: str, said: str) -> None:
    error = ask(f"{server.url}/{path}")
    assert not isinstance(error, (RetriableError, TimedOutError))
    assert said in str(error)


@pytest.mark.parametrize("path", ["large", "endless", "bomb", "gzip-and-more"])
def test_a_large_answer_costs_no_more_memory_than_allowed(server: Server, path: str) -> None:
    tracemalloc.start()
    try:
        ask(f"{server.url}/{path}", max_body=MEGABYTE, timeout=5)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 12 * MEGABYTE, f"{peak / MEGABYTE:.0f} MB, the server's own share included"


def test_redirects_are_told_and_not_followed(server: Server) -> None:
    error = ask(f"{server.url}/moved/307")
    assert isinstance(error, StatusError)
    assert f"status 307 to {server.url}/search, expected an answer; write that URL" in str(error)
    assert "t0k3n" not in str(error)


def test_redirects_on_the_same_host_are_followed_where_that_is_asked_for(server: Server) -> None:
    system = HttpSystem(
        HttpOptions(
            f"{server.url}/moved/301?q={{query}}",
            hits="found",
            fields={"id": "doc.name"},
            follow_redirects=True,
        )
    )
    assert [hit.id for hit in system.search(QUERY).hits] == ["a", "b"]
    assert server.asked[-1]["path"] == "/search"
    assert "more than 5 redirects" in str(ask(f"{server.url}/around", follow_redirects=True))
    assert "it would turn the request into a GET" in str(
        ask(f"{server.url}/moved/302", follow_redirects=True, body={"q": "{query}"})
    )


def test_redirects_to_another_host_are_never_followed(server: Server) -> None:
    error = ask(f"{server.url}/away", follow_redirects=True, headers={"Authorization": "Bearer w0rd"})
    assert "status 302 to http://other.invalid/search" in str(error)
    assert "another host" in str(error)
    assert "t0k3n" not in str(error)


def test_a_server_that_speaks_no_tls_is_an_error(server: Server) -> None:
    error = ask(server.url.replace("http:", "https:") + "/search")
    assert isinstance(error, SystemFailedError)


def test_queries_of_other_threads_go_on_while_one_hangs(server: Server) -> None:
    hanging = threading.Thread(target=ask, args=(f"{server.url}/drip",), kwargs={"timeout": 4.0})
    hanging.start()
    system = HttpSystem(
        HttpOptions(f"{server.url}/search?q={{query}}", hits="found", fields={"id": "doc.name"})
    )
    assert all(len(system.search(QUERY).hits) == 2 for _ in range(20))
    assert hanging.is_alive()
    hanging.join()


def test_no_thread_is_left_after_a_query_that_hung(server: Server) -> None:
    before = {thread.ident for thread in threading.enumerate()}
    for _ in range(3):
        ask(f"{server.url}/drip", timeout=0.2)
    time.sleep(0.3)
    left = [
        one for one in threading.enumerate() if one.ident not in before and "process_request" not in one.name
    ]
    assert left == []

"""The time that a request has: kept by one thread for all of them."""

from __future__ import annotations

import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import urllib3
from urllib3.util.ssltransport import SSLTransport

from rankgate.systems.adapter.secrets import Secrets
from rankgate.systems.http import deadline as watching
from rankgate.systems.http.bounded import BoundedPool
from rankgate.systems.http.client import open_pool
from rankgate.systems.http.deadline import Deadline
from support.http_servers import eventually, serving


def seconds_until_ended(seconds: float) -> float:
    """Wait for a byte that never comes, under a deadline."""
    ours, theirs = socket.socketpair()
    start = time.monotonic()
    with ours, theirs, Deadline(seconds) as deadline:
        ours.settimeout(5)
        deadline.watch(ours)
        assert ours.recv(1) == b""
        assert deadline.expired
        return time.monotonic() - start


def test_what_waits_too_long_is_ended() -> None:
    assert 0.1 <= seconds_until_ended(0.1) < 2


def test_a_shorter_time_that_begins_later_ends_first() -> None:
    ended: list[str] = []

    def wait(name: str, seconds: float) -> None:
        seconds_until_ended(seconds)
        ended.append(name)

    long = threading.Thread(target=wait, args=("long", 1.5))
    long.start()
    time.sleep(0.05)
    wait("short", 0.1)
    long.join()
    assert ended == ["short", "long"]


def test_requests_that_end_in_time_are_left_alone_and_leave_no_threads() -> None:
    seconds_until_ended(0.01)
    before = threading.active_count()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        for _ in range(5000):
            with Deadline(0.2) as deadline:
                deadline.watch(ours)
            assert threading.active_count() <= before
        time.sleep(0.3)
        theirs.send(b"x")
        assert ours.recv(1) == b"x"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_process_that_was_forked_keeps_time_too() -> None:
    seconds_until_ended(0.01)
    child = os.fork()
    if child == 0:
        os._exit(0 if seconds_until_ended(0.1) < 5 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_tls_inside_tls_is_ended_at_the_socket_below() -> None:
    ours, theirs = socket.socketpair()
    inside = SSLTransport.__new__(SSLTransport)
    inside.socket = ours
    with ours, theirs, Deadline(0.1) as deadline:
        ours.settimeout(5)
        deadline.watch(inside)
        assert ours.recv(1) == b""


def test_the_watchman_outlives_a_connection_that_cannot_be_ended() -> None:
    class Odd:
        @property
        def socket(self) -> None:
            raise RuntimeError("no socket")

    with Deadline(0.05) as deadline:
        deadline.watch(Odd())
        end = time.monotonic() + 5
        while not deadline.expired and time.monotonic() < end:
            time.sleep(0.01)
        assert deadline.expired
    ours, theirs = socket.socketpair()
    with ours, theirs, Deadline(0.1) as deadline:
        ours.settimeout(5)
        deadline.watch(ours)
        assert ours.recv(1) == b""


def test_a_time_longer_than_any_wait_does_not_end_the_watchman() -> None:
    with Deadline(1e10):
        time.sleep(0.1)
        assert seconds_until_ended(0.1) < 2


def test_time_is_kept_after_a_watchman_could_not_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    start = threading.Thread.start

    def refuse(_: threading.Thread) -> None:
        monkeypatch.setattr(threading.Thread, "start", start)
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(watching, "_WATCHMAN", watching._Watchman())
    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(RuntimeError, match="new thread"), Deadline(0.1):
        pass
    assert seconds_until_ended(0.1) < 2


@pytest.mark.parametrize("bounded", [False, True])
def test_a_late_request_does_not_end_a_connection_that_another_has_by_then(bounded: bool) -> None:
    """The pool has it back once the body is read, while its first request still unpacks and parses that."""
    late = Deadline(0.7)
    with serving() as server:
        server.answer = lambda asked: [asked["path"] == "/fast" or eventually(lambda: late.expired)]
        port = server.server_address[1]
        plain = open_pool(None, None).connection_from_url(server.url)
        pool = urllib3.HTTPConnectionPool("127.0.0.1", port) if bounded else plain
        asked: Any = BoundedPool(pool, 1000, Secrets(), "app") if bounded else pool

        def ask(path: str) -> bytes:
            data: bytes = asked.urlopen("GET", path, retries=False).data
            return data

        def ask_in_time(path: str) -> bytes:
            with Deadline(10):
                return ask(path)

        with ThreadPoolExecutor(1) as other, late:
            ask("/fast")
            assert other.submit(ask_in_time, "/slow").result() == b"[true]"
            assert late.expired
        assert pool.num_connections == 1
        asked.close()

"""Pools of urllib3 that clients of other libraries use."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest
import urllib3

from rankgate.errors import SystemFailedError
from rankgate.systems.adapter.secrets import Secrets
from rankgate.systems.http.bounded import BoundedPool
from rankgate.systems.http.deadline import Deadline
from support.scripted_server import Scripted, scripted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def bounded(server: Scripted) -> BoundedPool:
    port = int(server.url.rpartition(":")[2].partition("/")[0])
    return BoundedPool(urllib3.HTTPConnectionPool("127.0.0.1", port, maxsize=4), 1000, Secrets(), "app")


def got(pool: BoundedPool, path: str) -> bytes:
    with Deadline(10):
        return pool.urlopen("GET", path, retries=False).data


def always(raw: bytes) -> Callable[[bytes], Sequence[bytes]]:
    return lambda _: [raw]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_process_that_was_forked_has_connections_of_its_own() -> None:
    def answer(request: bytes) -> Sequence[bytes]:
        path = request.split(b" ")[1]
        time.sleep(0.05)
        return [b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(path), path)]

    with scripted(answer) as server:
        pool = bounded(server)
        assert got(pool, "/first") == b"/first"
        child = os.fork()
        if not child:
            good = all(got(pool, f"/child{number}") == b"/child%d" % number for number in range(4))
            os._exit(0 if good else 1)
        found = [got(pool, f"/parent{number}") for number in range(4)]
        assert os.waitpid(child, 0)[1] == 0
        assert found == [b"/parent%d" % number for number in range(4)]
        pool.close()


@pytest.mark.parametrize(
    ("status", "headers"),
    [(503, "Content-Encoding: gzip\r\nContent-Length: 0"), (400, "Content-Encoding: br\r\nContent-Length: 2"),
     (401, "Content-Length: 2000")],
)  # fmt: skip
def test_a_status_counts_for_more_than_what_is_wrong_with_the_body(status: int, headers: str) -> None:
    length = int(headers.rpartition(" ")[2])
    for told, good in ((status, True), (200, False)):
        raw = f"HTTP/1.1 {told} Odd\r\n{headers}\r\n\r\n".encode() + b"x" * length
        with scripted(always(raw)) as server:
            pool = bounded(server)
            if good:
                with Deadline(10):
                    assert pool.urlopen("GET", "/", retries=False).status == status
            else:
                with pytest.raises(SystemFailedError):
                    got(pool, "/")
            pool.close()

"""Pools of urllib3 for clients of other libraries: their requests end in time, their answers are bounded."""

from __future__ import annotations

import os
import re
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from rankgate.errors import SystemFailedError
from rankgate.systems.http.bodies import read_body, start_of
from rankgate.systems.http.deadline import POOLS, put_back

if TYPE_CHECKING:
    from urllib3 import HTTPConnectionPool
    from urllib3._collections import HTTPHeaderDict

    from rankgate.systems.adapter.secrets import Secrets

_OBJECT = re.compile(r"<?\w+\(host='([^']*)', port=(\d+)\)>?")


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
        self._pool: Any = pool
        self._max_body, self._secrets, self._where = max_body, secrets, where
        self._process = os.getpid()

    def urlopen(self, *args: Any, **kwargs: Any) -> ReadAnswer:
        """Send a request and read its answer, unpacked."""
        if self._process != os.getpid():
            self._forget_connections()
        asked: dict[str, Any] = {**kwargs, "preload_content": False, "decode_content": False}
        # Of an answer that breaks off, urllib3's first generation would take what there is.
        asked["enforce_content_length"] = True
        response = self._pool.urlopen(*args, **asked)
        with closing(response):
            try:
                data = read_body(response, self._max_body, self._where)
            except SystemFailedError:
                if response.status < HTTPStatus.BAD_REQUEST:
                    raise
                # What the status says counts for more than what is wrong with the words beside it.
                data = start_of(response).encode()
            return ReadAnswer(response.status, response.headers, self._secrets.hidden_in_answer(data))

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()

    def _forget_connections(self) -> None:
        """Open new connections: those of the parent of a process that was forked are read by that, too."""
        self._process = os.getpid()
        # Not one by one: another thread may have had the lock of the queue when the process was forked.
        size = self._pool.pool.maxsize
        self._pool.pool = self._pool.QueueCls(size)
        for _ in range(size):
            self._pool.pool.put(None)


def without_objects(text: str) -> str:
    """Return the server in a message of urllib3 as people do.

    >>> without_objects("_Plain(host='127.0.0.1', port=9200): Failed to establish a new connection")
    '127.0.0.1:9200: Failed to establish a new connection'
    """
    return _OBJECT.sub(r"\1:\2", text)

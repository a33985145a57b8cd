"""The connections of a client by others, made to keep to a deadline and to answers of a bounded size."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankgate.systems.http_client import read_body
from rankgate.systems.http_deadline import POOLS

if TYPE_CHECKING:
    from urllib3 import HTTPConnectionPool
    from urllib3._collections import HTTPHeaderDict

    from rankgate.systems.engines.search_options import Access

_OBJECT = re.compile(r"<?\w+\(host='([^']*)', port=(\d+)\)>?")


@dataclass(frozen=True, slots=True)
class Read:
    """An answer that was read to its end."""

    status: int
    headers: HTTPHeaderDict
    data: bytes

    def getheaders(self) -> HTTPHeaderDict:
        """Give the headers as clients of urllib3's first generation ask for them."""
        return self.headers


class BoundedPool:
    """A pool of urllib3 whose requests end with the `Deadline` of the thread that asks.

    What can be nothing but a secret that the server sent back is hidden in its answers.

    Raises:
        SystemFailedError: from `urlopen`, for an answer that is larger than the limit.
    """

    def __init__(self, pool: HTTPConnectionPool, access: Access, where: str) -> None:
        pool.ConnectionCls = vars(POOLS[pool.scheme or "http"])["ConnectionCls"]
        self._pool, self._access, self._where = pool, access, where

    def urlopen(self, *args: Any, **kwargs: Any) -> Read:
        """Send a request and read its answer, unpacked."""
        asked: dict[str, Any] = {**kwargs, "preload_content": False, "decode_content": False}
        # Of an answer that breaks off, urllib3's first generation would take what there is.
        asked["enforce_content_length"] = True
        response = self._pool.urlopen(*args, **asked)
        whole = False
        try:
            data = read_body(response, self._access.max_body, self._where)
            whole = True
            data = self._access.secrets.hidden_in_answer(data)
            return Read(response.status, response.headers, data)
        finally:
            if whole:
                response.release_conn()
            else:
                response.close()

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()


def without_objects(text: str) -> str:
    """Name the server in a message of urllib3 as people do.

    >>> without_objects("_Plain(host='127.0.0.1', port=9200): Failed to establish a new connection")
    '127.0.0.1:9200: Failed to establish a new connection'
    """
    return _OBJECT.sub(r"\1:\2", text)

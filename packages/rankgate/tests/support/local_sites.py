"""Requests to a server of this machine, as a browser or somebody else sends them."""

from __future__ import annotations

import http.client
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.web.server import Server


def asked(
    server: Server,
    path: str,
    *,
    method: str = "GET",
    headers: Mapping[str, str | None] | None = None,
    body: str | bytes | None = None,
) -> tuple[int, str, dict[str, str]]:
    """Send one request; a header that is None is left out, but for the host, which is then the right one."""
    given = {name: value for name, value in (headers or {}).items() if value is not None}
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    given.setdefault("Host", f"127.0.0.1:{server.server_port}")
    content = body.encode() if isinstance(body, str) else body
    if content is not None:
        given.setdefault("Content-Length", str(len(content)))
    for name, value in given.items():
        connection.putheader(name, value)
    connection.endheaders(content)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text, {name.lower(): value for name, value in response.getheaders()}


def entered(server: Server) -> str:
    """Exchange the token for the cookie, as the first request of a browser does."""
    status, text, headers = asked(server, "/" + server.url.split("/", 3)[3])
    assert status == 200, text
    found = re.match(r"[^;]+", headers["set-cookie"])
    assert found
    return found[0]

"""A small handbook of documentation and code, and ways to serve it to MCP clients."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rankgate
from support.http_servers import eventually

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

FILES = {
    "auth/keys.md": """\
---
title: API keys
tags: [auth, keys]
---
# API keys

A key opens the door of the service.

## Rotation

Rotate a key after 90 days:

```python
client.rotate_key(key_id, grace_period=3600)
```

### Grace period

For an hour the old key works as well.

## Revocation

End a leaked key at once.
""",
    "auth/login.md": "# Login\n## Passwords\n\nPasswords are hashed by argon2.\n\n## Sessions\n\nA day.\n",
    "hooks.md": "# Webhooks\n\n## Retries\n\nA failed delivery is sent again, five times.\n",
    "src/client.py": '''\
"""The client of the service."""


class Client:
    """Talks to the service."""

    timeout = 30

    def send(self, request):
        """Send a request and wait for the answer."""
        return self.transport.deliver(request, self.timeout)

    def rotate_key(self, key_id, grace_period):
        """Make a new key in place of an old one."""
        return self.send(("rotate", key_id, grace_period))


def sendAll(requests):
    """Send many requests."""
    return [Client().send(one) for one in requests]
''',
    "tests/test_client.py": "def test_send():\n    assert send\n",
}


def write(folder: Path) -> Path:
    for name, text in FILES.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return folder


def command(root: Path, cache: Path, *more: str) -> list[str]:
    """Give the command that serves a folder from the code under test."""
    code = str(Path(rankgate.__file__).parents[1])
    paths = os.pathsep.join([code, *filter(None, [os.environ.get("PYTHONPATH")])])
    program = ["env", f"PYTHONPATH={paths}", sys.executable, "-m", "rankgate_reference.main"]
    return [*program, "serve", str(root), "--cache", str(cache), *more]


@contextmanager
def over_http(root: Path, cache: Path, *more: str) -> Iterator[str]:
    """Serve a folder over HTTP, and give the address."""
    call = command(root, cache, "--transport", "http", "--port", "0", *more)
    log = cache.parent / f"{cache.name}.log"
    with log.open("wb") as said, subprocess.Popen(call, stdout=said, stderr=said) as server:
        try:
            assert eventually(lambda: b"/mcp" in log.read_bytes(), 60), log.read_text()
            yield next(word for word in log.read_text().split() if word.startswith("http://"))
        finally:
            server.terminate()


@asynccontextmanager
async def session(command: list[str] | None = None, url: str = "") -> AsyncIterator[Any]:
    """Open a session with the SDK's client."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client

    opens: Any
    if command:
        # The client's own default is whatever sys.stderr was when a test first imported it.
        program = StdioServerParameters(command=command[0], args=command[1:])
        opens = stdio_client(program, errlog=sys.__stderr__ or sys.stderr)
    else:
        opens = streamable_http_client(url)
    async with opens as streams, ClientSession(*streams[:2]) as made:
        await made.initialize()
        yield made

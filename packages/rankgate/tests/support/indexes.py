"""A package index on this machine, over real HTTP, that answers as a test wants it to."""

from __future__ import annotations

import base64
import hashlib
import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass
class Index:
    """What the index has and what it was asked."""

    files: dict[str, bytes] = field(default_factory=dict)
    """The files of each project's page, by name."""
    form: str = "html"
    """html or json."""
    hashes: bool = True
    """False where the page says no hashes."""
    password: str | None = None
    """``user:password`` to be let in."""
    special: dict[str, Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=dict)
    """Answers of their own, by path."""
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    """Every path that was asked for, with the password that came along."""
    port: int = 0

    @property
    def url(self) -> str:
        user = f"{self.password}@" if self.password else ""
        return f"http://{user}127.0.0.1:{self.port}/simple"

    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]

    def page(self) -> tuple[str, bytes]:
        if self.form == "json":
            files = [
                {
                    "filename": name,
                    "url": f"../../files/{name}",
                    "hashes": {"sha256": _sha256(data)} if self.hashes else {},
                }
                for name, data in self.files.items()
            ]
            said = {"meta": {"api-version": "1.1"}, "name": "x", "files": files}
            return "application/vnd.pypi.simple.v1+json", json.dumps(said).encode()
        links = "".join(
            f'<a href="/files/{name}{"#sha256=" + _sha256(data) if self.hashes else ""}" '
            f'data-requires-python="&gt;=3.8">{name}</a><br/>\n'
            for name, data in self.files.items()
        )
        return "text/html; charset=utf-8", f"<!DOCTYPE html><html><body>{links}</body></html>".encode()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def send(handler: BaseHTTPRequestHandler, data: bytes, kind: str = "text/html", status: int = 200) -> None:
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


@contextmanager
def serving(index: Index) -> Iterator[Index]:
    """Serve an index on a free port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            said = self.headers.get("Authorization")
            password = base64.b64decode(said.removeprefix("Basic ")).decode() if said else None
            index.asked.append((self.path, password))
            if special := index.special.get(self.path):
                special(self)
            elif index.password is not None and password != index.password:
                send(self, b"who are you?", status=401)
            elif self.path.startswith("/simple/my-tool/"):
                kind, data = index.page()
                send(self, data, kind)
            elif (data := index.files.get(self.path.removeprefix("/files/"), b"")) != b"":
                send(self, data, "application/gzip")
            else:
                send(self, b"not here", status=404)

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    index.port = server.server_port
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield index
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

"""Servers that rankgate starts, and placeholders of their commands."""

from __future__ import annotations

import os
import socket
import sys
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.http_servers import eventually, free_port

if TYPE_CHECKING:
    from pathlib import Path

    from support.commands import Done


SUITE = """\
corpus: docs
cases:
  - {query: rotate, at: keys.md}
  - {query: hook, at: hooks.md}
"""


SEARCH = """\
import json, os, sys
folder, query = sys.argv[1:3]
found = [name for name in sorted(os.listdir(folder)) if query in open(os.path.join(folder, name)).read()]
print(json.dumps([{"path": name} for name in found]))
"""


SERVE = """\
import http.server, json, os, sys, urllib.parse
folder, port = sys.argv[1], int(sys.argv[2])
open("server.pid", "w").write(str(os.getpid()))
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).get("q", ["-"])[0]
        found = [name for name in os.listdir(folder) if query in open(os.path.join(folder, name)).read()]
        body = json.dumps([{"path": name} for name in found]).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)
server = http.server.HTTPServer(("127.0.0.1", port), Handler)
print("listening on", port, flush=True)
server.serve_forever()
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text("# Keys\n\nTo rotate a key, ask.\n")
    (tmp_path / "docs" / "hooks.md").write_text("# Hooks\n\nA hook is sent again.\n")
    (tmp_path / "search.yaml").write_text(SUITE)
    for name, text in {"search.py": SEARCH, "serve.py": SERVE}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def outcome(project: Path, table: str) -> Done:
    text = table.replace("PYTHON", sys.executable)
    (project / "rankgate.toml").write_text(f"[systems.app]\n{text}\n")
    return rankgate("test", "search.yaml", "--system", "app")


@pytest.mark.parametrize("ready", ["{port}", '"http://127.0.0.1:{port}/"', "'^listening on \\d+'"])
def test_server_starts_before_queries_and_stops_after(project: Path, ready: str) -> None:
    port = free_port()
    table = f"""\
kind = "http"
url = "http://127.0.0.1:{port}/"
params = {{ q = "{{query}}" }}
start = "PYTHON serve.py {{corpus}} {port}"
ready = {ready.replace("{port}", str(port))}
"""
    done = outcome(project, table)
    assert done.code == 0, done.out + done.err
    assert "listening on" in (project / ".rankgate" / "prepared" / "app" / "start.log").read_text()
    assert eventually(lambda: not _runs(int((project / "server.pid").read_text())), 10)


def test_server_that_ends_early_is_a_system_error(project: Path) -> None:
    (project / "serve.py").write_text("import sys\nsys.exit('the port is taken')\n")
    table = f"""\
kind = "http"
url = "http://127.0.0.1:{free_port()}/?q={{query}}"
start = "PYTHON serve.py"
ready = "listening"
"""
    done = outcome(project, table)
    assert done.code == 3
    assert "exit code 1 (the port is taken)" in " ".join((done.out + done.err).split())


def test_server_does_not_start_on_a_used_port(project: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = outcome(
            project,
            f'kind = "http"\nurl = "http://127.0.0.1:{port}/?q={{query}}"\n'
            f'start = "PYTHON serve.py docs {port}"\nready = {port}\n',
        )
    assert done.code == 3
    assert "where something answers" in " ".join((done.out + done.err).split())
    assert not (project / "server.pid").exists()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('command = ["PYTHON", "search.py", "{corpsu}", "{query}"]', "the placeholder {corpsu}"),
        ('command = ["PYTHON", "search.py", "--root={docs}/x", "{query}"]', "the placeholder {docs}"),
        (
            'command = ["PYTHON", "search.py", "${NO_SUCH_NAME}", "{query}"]',
            "${NO_SUCH_NAME}, which is not set",
        ),
        ('command = ["PYTHON", "{query}"]\nenv = { A = "{corps}" }', "the placeholder {corps}"),
        ('command = ["PYTHON", "{query}"]\nprepare = "build.py {root}"', "the placeholder {root}"),
        ('command = ["PYTHON", "{query}"]\nprepare = "a && b"', "needs a shell"),
        ('command = ["PYTHON", "{query}"]\nstart = "serve.py"', "`start` needs the key `ready`"),
    ],
)
def test_unknown_placeholder_is_an_error_before_queries(project: Path, table: str, said: str) -> None:
    done = outcome(project, table)
    assert done.code == 2, done.out
    assert said in " ".join(done.err.split())


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True

"""A server that rankgate starts ends with rankgate, whatever ends rankgate."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.http_servers import eventually, free_port
from support.processes import ended, lives

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")

SERVE = """\
import http.server, os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open("server.pids", "w").write(f"{os.getpid()} {child.pid}")
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if "?q=" in self.path:
            open("queried", "w").close()
            time.sleep(600)
        self.send_response(200)
        self.end_headers()
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


@pytest.fixture
def started(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a test whose server never answers, and wait until the first query is sent."""
    port = free_port()
    (tmp_path / "serve.py").write_text(SERVE)
    (tmp_path / "search.yaml").write_text("cases:\n  - {query: rotate, at: keys.md}\n")
    (tmp_path / "rankgate.toml").write_text(
        f'[systems.app]\nkind = "http"\nurl = "http://127.0.0.1:{port}/?q={{query}}"\n'
        f'start = "{sys.executable} serve.py {port}"\nready = {port}\ntimeout = 600\n'
    )
    command = [sys.executable, "-m", "rankgate", "test", "search.yaml"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert eventually((tmp_path / "queried").exists, 60)
        yield process
    finally:
        process.kill()
        process.wait()
        for number in (tmp_path / "server.pids").read_text().split():
            if lives(int(number)):
                os.kill(int(number), signal.SIGKILL)


@pytest.mark.parametrize(
    "names",
    [("SIGTERM",), ("SIGTERM", "SIGTERM"), ("SIGHUP",), ("SIGKILL",), ("SIGINT", "SIGINT")],
    ids="-".join,
)
def test_started_server_ends_with_rankgate(
    started: subprocess.Popen[bytes], tmp_path: Path, names: tuple[str, ...]
) -> None:
    numbers = [int(one) for one in (tmp_path / "server.pids").read_text().split()]
    assert all(lives(number) for number in numbers)
    assert os.getpgid(numbers[0]) == numbers[0] != os.getpgid(started.pid)
    for name in names:
        if started.poll() is None:
            started.send_signal(getattr(signal, name))
            time.sleep(0.2)
    started.wait(60)
    assert [ended(number) for number in numbers] == [True, True]

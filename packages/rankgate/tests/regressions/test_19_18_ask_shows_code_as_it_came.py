"""`ask` shows code and prose that speak of tokens as they came, and hides what is known to be a secret."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

CODE = "class OAuthClient: token: str = Bearer auth; Basic auth; api_key: str; key=value"
SECRET = "s3cr3t-0123456789"
PROGRAM = """\
import http.server, json, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps([{"id": "a", "text": CODE + " " + self.headers["X-Api-Key"]}]).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


def test_code_is_shown_and_what_was_sent_is_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEARCH_KEY", SECRET)
    program = PROGRAM.replace("CODE", json.dumps(CODE))
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline())
            (tmp_path / "rankgate.toml").write_text(
                f'[systems.app]\nkind = "http"\nurl = "http://127.0.0.1:{port}/?q={{query}}"\n'
                'headers = { X-Api-Key = "${SEARCH_KEY}" }\n'
            )
            done = rankgate("ask", "app", "oauth")
        finally:
            server.kill()
    assert done.code == 0, done.err
    answer = done.out.partition("answer, as it came")[2].partition("1 hit")[0]
    assert CODE in answer
    assert SECRET not in done.out
    assert "***" in answer

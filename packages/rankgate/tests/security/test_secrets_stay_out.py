"""Values of ``${NAME}`` in a configuration are in no file and in no output."""

from __future__ import annotations

import gzip
import json
import sys
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from support.commands import Done, rankgate
from support.http_servers import Server, serving
from support.repository import SUPPORT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOKEN, KEY, WORD = "t0k3n-0123456789", "k3y/with+signs=0123", "p4ssw0rd-0123"
HOOK, TEAM = "T0SECRETPATH99", "Q7SECRETTEAM"
SECRETS = (TOKEN, KEY, WORD, HOOK, TEAM)
HANDBOOK = SUPPORT / "mcp_handbook_server.py"
SUITE = """\
cases:
  - {query: rotate a key, id: keys}
  - {query: SHOP, id: keys}
  - {query: garbage, id: keys}
"""


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as found:
        yield found


@pytest.fixture
def project(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Path:
    def echo(asked: dict[str, Any]) -> object:
        """Send everything back that was sent, as debugging servers do."""
        everything = json.dumps(asked)
        if asked["params"]["q"] == ["garbage"]:
            return {"unexpected": everything}
        return [{"id": "keys", "text": everything}]

    server.answer = echo
    monkeypatch.setenv("SHOP_TOKEN", TOKEN)
    monkeypatch.setenv("SHOP_KEY", KEY)
    monkeypatch.setenv("SHOP_PASSWORD", WORD)
    monkeypatch.setenv("SHOP_HOOK", f"{server.url}/broken/{HOOK}/x?team={TEAM}")
    (tmp_path / "search.yaml").write_text(SUITE)
    python = json.dumps(sys.executable)
    address = server.url.replace("http://", "http://shop:${SHOP_PASSWORD}@")
    paths = {"echo": "search", "refused": "status/401", "away": "away", "drop": "drop"}
    tables = [
        f"""\
[systems.{name}]
kind = "http"
url = "{address}/{path}?api_key=${{SHOP_KEY}}"
params = {{ q = "{{query}}" }}
headers = {{ X-Api-Key = "${{SHOP_TOKEN}}" }}
"""
        for name, path in paths.items()
    ]
    tables += [
        f"""\
[systems.{tool}]
kind = "mcp"
command = [{python}, {json.dumps(str(HANDBOOK))}]
env = ["SHOP_TOKEN", "SHOP_KEY"]
tool = "{tool}"
arguments = {{ query = "{{query}}" }}
hits = "hits"
fields = {{ text = "text" }}
"""
        for tool in ("crash", "environment")
    ]
    tables += [
        f"""\
[systems.{name}]
kind = "http"
url = "{url}"
params = {{ q = "{{query}}" }}
headers = {{ X-Api-Key = "none" }}
body = {{ login = {{ key = "${{SHOP_KEY}}", word = "${{SHOP_PASSWORD}}" }} }}
"""
        for name, url in {"hook": "${SHOP_HOOK}", "body": f"{server.url}/search"}.items()
    ]
    (tmp_path / "rankgate.toml").write_text('suites = ["search.yaml"]\nmax_errors = 9\n' + "".join(tables))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_nothing_written_or_printed_holds_a_secret(project: Path, server: Server) -> None:
    systems = ("echo", "refused", "away", "drop", "hook", "body", "crash", "environment")
    printed: list[Done] = []
    for name in systems:
        printed.append(rankgate("test", "--system", name, "--report", f"markdown=out/{name}.md"))
        queries = ("SHOP",) if name in ("crash", "environment") else ("rotate a key", "garbage")
        printed.extend(rankgate("query", name, query) for query in queries)
    text = "\n".join(done.out + done.err for done in printed)
    assert "Traceback" not in text
    assert "***" in text
    assert server.asked[0]["headers"]["X-Api-Key"] == TOKEN
    assert server.asked[0]["params"]["api_key"] == [KEY]
    assert server.asked[-1]["body"]["login"] == {"key": KEY, "word": WORD}
    assert any(HOOK in asked["path"] for asked in server.asked)
    for path in sorted(project.rglob("*")):
        if path.is_file() and path.name != "rankgate.toml":
            text += f"\n{path}\n" + path.read_bytes().decode(errors="replace")
            if path.suffix == ".parquet":
                text += pl.read_parquet(path).write_json()
            if path.suffix == ".gz":
                text += gzip.decompress(path.read_bytes()).decode()
    kept = [path for path in project.rglob("manifest.json") if path.parent.name == "run"]
    assert len(kept) == len(systems)
    for secret in SECRETS:
        for spelling in (secret, json.dumps(secret)[1:-1], secret.replace("/", "%2F").replace("+", "%2B")):
            at = text.find(spelling)
            assert at < 0, text[max(0, at - 300) : at + 100]

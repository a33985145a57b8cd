"""One engine behind a function, a program, HTTP and MCP: the same rankings, hit for hit."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from support.commands import rankgate
from support.http_servers import Server, serving
from support.repository import SUPPORT
from support.tiny_engine import Engine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ENGINE = SUPPORT / "tiny_engine.py"
WAYS = ("function", "command", "http", "mcp")
PAGES = {
    "auth/keys.md": "# Keys\n\n## Rotation\n\nRotate a key after 90 days.\nKeep the old key for a day.\n\n"
    "## Revocation\n\nEnd a leaked key at once.\n",
    "hooks.md": "# Hooks\n\n## Retries\n\nA failed hook is sent again, with the same key of the event.\n",
    "größe.md": "# Größe\n\nDie Größe einer Antwort ist „begrenzt“.\n",
}
SUITE = """\
corpus: docs/
gates: [rr >= 0.5]
cases:
  - {query: rotate a key, at: auth/keys.md#Rotation}
  - {query: end a leaked key, at: auth/keys.md#Revocation}
  - {query: retry failed hooks, at: hooks.md#Retries}
  - {query: "größe der \\"antwort\\" & {k} $HOME", at: größe.md}
  - {query: "key key key", at: auth/keys.md#Keys}
  - {query: blockchain, expect: empty}
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving() as found:
        yield found


@pytest.fixture
def project(tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> Path:
    docs = tmp_path / "docs"
    for name, text in PAGES.items():
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / name).write_text(text, encoding="utf-8")
    engine = Engine(docs)

    def answer(asked: dict[str, Any]) -> object:
        return {"found": engine.search(asked["body"]["q"], asked["body"]["size"])}

    server.answer = answer
    shutil.copy(ENGINE, tmp_path / "engine_of_four.py")
    (tmp_path / "search.yaml").write_text(SUITE, encoding="utf-8")
    python = json.dumps(sys.executable)
    (tmp_path / "rankgate.toml").write_text(
        f"""\
suites = ["search.yaml"]

[systems.function]
function = "engine_of_four:search"

[systems.command]
command = [{python}, "engine_of_four.py", "docs", "{{query}}", "{{k}}"]
hits = "found"

[systems.http]
kind = "http"
url = "{server.url}/search"
body = {{ q = "{{query}}", size = "{{k}}" }}
hits = "found"

[systems.mcp]
kind = "mcp"
command = [{python}, "engine_of_four.py", "docs", "--mcp"]
tool = "find"
arguments = {{ query = "{{query}}", k = "{{k}}" }}
hits = "found"
"""
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TINY_FOLDER", str(docs))
    return tmp_path


def test_rankings_of_four_ways_are_equal_hit_for_hit(project: Path) -> None:
    found: dict[str, tuple[pl.DataFrame, dict[str, Any]]] = {}
    for way in WAYS:
        done = rankgate("test", "--system", way)
        assert done.code == 0, done.out + done.err
        kept = project / ".rankgate" / "search" / way
        hits = pl.concat([pl.read_parquet(path) for path in sorted(kept.glob("run/hits-*.parquet"))])
        report = json.loads((kept / "report.json").read_text())
        for case in report["cases"]:
            del case["seconds"]
        found[way] = (hits, report)
    hits, report = found["function"]
    assert len(hits) >= 12
    assert hits["score"].null_count() == 0
    assert {"auth/keys.md", "hooks.md", "größe.md"} == set(hits["path"])
    for way in WAYS[1:]:
        assert found[way][0].equals(hits, null_equal=True), way
        assert found[way][1]["cases"] == report["cases"], way
        assert found[way][1]["gates"] == report["gates"], way


def test_each_way_can_be_asked_one_query(project: Path) -> None:
    for way in WAYS:
        text = rankgate("query", way, "rotate a key").printed()
        assert "1  auth/keys.md:5-6" in text, text

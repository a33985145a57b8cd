"""One suite through a function, a command and a run file, as the configuration names them."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from support.flows import shown

if TYPE_CHECKING:
    from pathlib import Path

SUITE = """\
# A comment that stays.
corpus: docs/
gates: [rr >= 0.9]
cases:
  - query: rotate an API key  # as people say it
    at: keys.md#Rotation
  - query: end a leaked key
    at: keys.md#Revocation
"""
APP = """\
PLACES = {"rotate an API key": "keys.md:3-5", "end a leaked key": "keys.md:7-8"}

def search(query, k):
    return [PLACES[query]] if query in PLACES else []

def worse(query, k):
    return ["keys.md:1-1", *search(query, k)]

async def later(query: str):
    return search(query, 1)

if __name__ == "__main__":
    import json, sys
    print(json.dumps([{"where": place} for place in search(sys.argv[1], 1)]))
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/keys.md").write_text("# Keys\n\n## Rotation\n\n90 days.\n\n## Revocation\nAt once.\n")
    (tmp_path / "search.yaml").write_text(SUITE)
    (tmp_path / "app.py").write_text(APP)
    hits = {"rotate-an-api-key": "keys.md:3-5", "end-a-leaked-key": "keys.md:7-8"}
    lines = [
        json.dumps(
            {"query": query, "hits": [{"path": place[:7], "start": int(place[8]), "end": int(place[10])}]}
        )
        for query, place in hits.items()
    ]
    (tmp_path / "run.jsonl").write_text("\n".join(lines))
    (tmp_path / "rankgate.toml").write_text(
        f"""\
suites = ["search.yaml", {{file = "search.yaml", system = "stricter", gates = ["rr >= 0.95"]}}]
[systems.function]
function = "app:search"
[systems.asynchronous]
function = "./app.py:later"
[systems.command]
command = [{sys.executable!r}, "app.py", "{{query}}"]
fields = {{id = "where"}}
[systems.before]
run = "run.jsonl"
[systems.stricter]
function = "./app.py:worse"
"""
    )
    return tmp_path


@pytest.mark.parametrize("system", ["function", "asynchronous", "command", "before"])
def test_system_of_each_kind_gives_the_same_verdict(project: Path, system: str) -> None:
    text = shown(project, f"rankgate test --system {system}")
    assert f"✓ search · {system} · 2 queries passed" in text
    assert "rr >= 0.9  passed  1.000      2" in text
    assert text.endswith("exit 0\n\n")


def test_reports_are_written_at_exit_codes_0_and_1(project: Path) -> None:
    for system, code in (("function", 0), ("stricter", 1)):
        command = f"rankgate test -s {system} --report markdown=out/{system}.md --report junit={system}.xml"
        assert shown(project, command).endswith(f"exit {code}\n\n")
        assert "# " in (project / f"out/{system}.md").read_text()
        assert "<testsuite" in (project / f"{system}.xml").read_text()
        kept = project / ".rankgate/search" / system
        files = {"run", "history.jsonl", "report.json", "report.html"}
        assert {path.name for path in kept.iterdir()} == {".lock", *files}


def test_query_saves_a_proposed_case_and_keeps_the_comments(project: Path) -> None:
    text = shown(project, 'rankgate query function "end a leaked key" --save-case')
    assert "1  keys.md:7-8" in text
    suite = (project / "search.yaml").read_text()
    assert suite.startswith(SUITE)
    assert "source: proposed" in suite.removeprefix(SUITE)

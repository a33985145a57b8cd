"""`--resume` goes on only with the same system, asks again what failed, and never passes off old answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankgate.runs.store.run_folder import StoredRun
from support.commands import rankgate
from support.http_servers import serving
from support.numbered import SYSTEM, numbered_suite, write_here

SUITE = numbered_suite(6, "metrics: [rr]\ngates: [rr >= 0.9]\n")
APP = """\
import os
from pathlib import Path
def search(query, k):
    with Path("asked.txt").open("a") as log:
        log.write(query + "\\n")
    if query.endswith(tuple(os.environ.get("DOWN", "none").split())):
        raise ConnectionError("no index")
    return ["d" + query.split()[1]]
"""
BROKEN = APP.replace('"d" +', '"x" +')
COMMAND = """\
import json, sys
print(json.dumps([{"id": "d" + sys.argv[1].split()[1]}]))
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_here(SUITE, APP, SYSTEM)


def asked() -> list[str]:
    log = Path("asked.txt")
    found = log.read_text().split("\n")[:-1] if log.exists() else []
    log.unlink(missing_ok=True)
    return found


def cut_short(folder: str) -> None:
    """Leave of a run what a kill would have left."""
    path = Path(folder, "manifest.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "finished": None}))


def test_a_changed_module_is_not_resumed_and_is_named() -> None:
    assert rankgate("test", "search.yaml").code == 0
    Path("app.py").write_text(BROKEN)
    for _ in range(2):
        said = rankgate("test", "search.yaml", "--resume").refused()
        assert said.splitlines()[1].startswith(".rankgate/search/app/run: found ")
        assert "app.py was changed" in said
        assert "leave --resume out; `rankgate run` takes --replace in its place" in said
        cut_short(".rankgate/search/app/run")
    assert rankgate("test", "search.yaml").code == 1


def test_one_byte_of_a_large_file_that_is_declared_is_a_change() -> None:
    with Path("index.bin").open("wb") as file:
        file.truncate(20 << 20)
    Path("rankgate.toml").write_text(f'{SYSTEM}depends = ["index.bin"]\n')
    rankgate("run", "search.yaml", "-o", "out").printed()
    with Path("index.bin").open("r+b") as file:
        file.seek(100_000)
        file.write(b"x")
    cut_short("out")
    assert "index.bin was changed" in rankgate("run", "search.yaml", "-o", "out", "--resume").refused()


def test_a_changed_script_of_a_command_is_not_resumed() -> None:
    Path("find.py").write_text(COMMAND)
    Path("rankgate.toml").write_text(
        '[systems.app]\ncommand = ["python", "find.py", "{query}"]\noutput = "json"\n'
    )
    assert rankgate("test", "search.yaml").code == 0
    Path("find.py").write_text(COMMAND.replace('"d"', '"x"'))
    assert "find.py was changed" in rankgate("test", "search.yaml", "--resume").refused()


def test_a_changed_template_or_variable_of_a_request_is_not_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as server:
        monkeypatch.setenv("BASE", server.url)
        server.answer = lambda asked: {"found": [{"name": "d" + asked["body"]["q"].split()[1]}]}
        Path("request.json").write_text('{"q": "{query}"}')
        Path("rankgate.toml").write_text(
            '[systems.app]\nkind = "http"\nurl = "${BASE}/search"\nbody_file = "request.json"\n'
            'hits = "found"\nfields = { id = "name" }\n'
        )
        assert rankgate("test", "search.yaml").code == 0
        Path("request.json").write_text('{"q": "{query}", "fuzzy": true}')
        assert "request.json was changed" in rankgate("test", "search.yaml", "--resume").refused()
        Path("request.json").write_text('{"q": "{query}"}')
        monkeypatch.setenv("BASE", f"{server.url}/")
        assert "$BASE has another value" in rankgate("test", "search.yaml", "--resume").refused()


def test_a_query_that_was_changed_is_not_resumed_and_is_named() -> None:
    rankgate("run", "search.yaml", "-o", "out")
    Path("search.yaml").write_text(SUITE.replace("number 3", "number 33\n    name: number-3"))
    said = rankgate("run", "search.yaml", "-o", "out", "--resume").refused()
    assert "the query 'number-3' was 'number 3' and is 'number 33'" in said


def test_another_judgment_is_no_other_run() -> None:
    rankgate("run", "search.yaml", "-o", "out")
    cut_short("out")
    Path("search.yaml").write_text(SUITE.replace("    id: d3\n", "    any_of: [[d3, d4]]\n"))
    asked()
    rankgate("run", "search.yaml", "-o", "out", "--resume").printed()
    assert asked() == []


def test_what_failed_is_asked_again_and_the_rest_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOWN", "2 5")
    assert rankgate("test", "search.yaml").code == 3
    asked()
    monkeypatch.delenv("DOWN")
    done = rankgate("test", "search.yaml", "--resume")
    assert asked() == ["number 2", "number 5"]
    assert done.code == 0
    assert "2 queries that failed before asked again" in done.out
    run = StoredRun.open(".rankgate/search/app/run")
    run.verify()
    rows = sorted(row for shard in run.shards() for row in shard.queries.select("query", "status").rows())
    assert rows == [(f"number-{n}", "ok") for n in range(6)]


def test_a_complete_run_is_asked_again_and_says_so() -> None:
    rankgate("run", "search.yaml", "-o", "out")
    asked()
    told = rankgate("run", "search.yaml", "-o", "out", "--resume").printed()
    assert len(asked()) == 6
    assert "the run was complete, so that everything was asked again" in told


def test_a_renamed_case_keeps_its_answer() -> None:
    rankgate("run", "search.yaml", "-o", "out")
    cut_short("out")
    Path("search.yaml").write_text(SUITE.replace("query: number 3", "query: number 3\n    name: three"))
    asked()
    rankgate("run", "search.yaml", "-o", "out", "--resume").printed()
    assert asked() == []
    queries = {query for shard in StoredRun.open("out").shards() for query in shard.queries["query"]}
    assert "three" in queries
    assert "number-3" not in queries


def test_unknown_fields_of_a_manifest_survive_a_resume() -> None:
    rankgate("run", "search.yaml", "-o", "out")
    cut_short("out")
    path = Path("out/manifest.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "tomorrow": {"a": 1}}))
    rankgate("run", "search.yaml", "-o", "out", "--resume").printed()
    assert json.loads(path.read_text())["tomorrow"] == {"a": 1}

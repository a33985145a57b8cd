"""Commands get the suite's corpus and variables; what must be prepared or started is, by configuration."""

from __future__ import annotations

import json
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
BUILD = """\
import os, shutil, sys
shutil.copytree(sys.argv[1], sys.argv[2], dirs_exist_ok=True)
print("indexed", len(os.listdir(sys.argv[1])), "files with", os.environ.get("INDEX_TOKEN"))
with open("builds.txt", "a") as log:
    log.write("built\\n")
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
    for name, text in {"search.py": SEARCH, "build.py": BUILD, "serve.py": SERVE}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def outcome(project: Path, table: str) -> Done:
    text = table.replace("PYTHON", sys.executable)
    (project / "rankgate.toml").write_text(f"[systems.app]\n{text}\n")
    return rankgate("test", "search.yaml", "--system", "app")


def test_the_corpus_and_variables_are_put_into_a_command(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROGRAM", "search.py")
    done = outcome(project, 'command = ["PYTHON", "${PROGRAM}", "{corpus}", "{query}"]')
    assert done.code == 0, done.out + done.err


def test_variables_of_a_program_have_values(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "search.py").write_text(
        SEARCH.replace("folder, query = sys.argv[1:3]", "folder, query = os.environ['DOCS'], sys.argv[1]")
    )
    monkeypatch.setenv("NAME", "docs")
    for value in ("{corpus}", "${NAME}", "./${NAME}"):
        done = outcome(
            project, f'command = ["PYTHON", "search.py", "{{query}}"]\nenv = {{ DOCS = "{value}" }}'
        )
        assert done.code == 0, (value, done.out + done.err)


def test_a_shell_reads_its_own_variables(project: Path) -> None:
    line = 'for f in search.py; do "$0" ${f} {corpus} {query}; done'
    done = outcome(project, f"command = ['sh', '-c', '{line}', 'PYTHON']")
    assert done.code == 0, done.out + done.err


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
        ('command = ["PYTHON", "{query}"]\nprepare = "a && b"', "which a shell reads"),
        ('command = ["PYTHON", "{query}"]\nstart = "serve.py"', "start without ready"),
    ],
)
def test_a_placeholder_that_nothing_fills_is_refused_before_anything_is_asked(
    project: Path, table: str, said: str
) -> None:
    done = outcome(project, table)
    assert done.code == 2, done.out
    assert said in " ".join(done.err.split())


PREPARED = """\
command = ["PYTHON", "search.py", "index", "{query}"]
prepare = "PYTHON build.py {corpus} index"
env = ["INDEX_TOKEN"]
"""


def test_a_system_is_prepared_once_for_what_it_is_made_of(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INDEX_TOKEN", "s3cr3t-0123456789")
    for _ in range(2):
        done = outcome(project, PREPARED)
        assert done.code == 0, done.out + done.err
    assert (project / "builds.txt").read_text() == "built\n"
    log = project / ".rankgate" / "prepared" / "app" / "prepare.log"
    assert log.read_text() == "indexed 2 files with ***\n"
    (project / "docs" / "keys.md").write_text("# Keys\n\nTo rotate a key, ask us.\n")
    assert outcome(project, PREPARED).code == 0
    (project / "build.py").write_text(BUILD + "\n# another\n")
    assert outcome(project, PREPARED).code == 0
    assert (project / "builds.txt").read_text() == "built\n" * 3


def test_a_preparation_that_fails_is_the_systems_failure_and_is_tried_again(project: Path) -> None:
    (project / "build.py").write_text("import sys\nsys.exit('no room on the disk')\n")
    for _ in range(2):
        done = outcome(project, PREPARED.replace('env = ["INDEX_TOKEN"]\n', ""))
        assert done.code == 3
        assert "exit code 1 (no room on the disk)" in " ".join((done.out + done.err).split())


def test_a_preparation_may_not_change_the_corpus(project: Path) -> None:
    (project / "build.py").write_text("import sys\nopen(sys.argv[1] + '/new.md', 'w').write('# New')\n")
    done = outcome(project, PREPARED.replace('env = ["INDEX_TOKEN"]\n', ""))
    assert done.code == 2
    assert "a corpus that changed meanwhile" in " ".join((done.out + done.err).split())


@pytest.mark.parametrize("ready", ["{port}", '"http://127.0.0.1:{port}/"', "'^listening on \\d+'"])
def test_a_server_is_started_asked_when_it_is_ready_and_stopped(project: Path, ready: str) -> None:
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


def test_a_server_that_ends_before_it_is_ready_says_so(project: Path) -> None:
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


def test_a_server_is_not_started_beside_another(project: Path) -> None:
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


def test_ask_has_the_corpus_of_the_suite(project: Path) -> None:
    outcome(project, 'command = ["PYTHON", "search.py", "{corpus}", "{query}"]')
    done = rankgate("query", "app", "hook", "--suite", "search.yaml")
    assert done.code == 0, done.err
    assert "hooks.md" in done.out
    # The only suite would be taken; of two, neither is.
    (project / "other.yaml").write_text((project / "search.yaml").read_text())
    alone = rankgate("query", "app", "hook")
    assert alone.code == 2
    assert "{corpus} and no corpus" in alone.err


def test_the_folder_of_the_machine_is_no_part_of_what_a_run_says(project: Path) -> None:
    outcome(project, 'command = ["PYTHON", "search.py", "{corpus}", "{query}"]')
    (manifest,) = (project / ".rankgate").rglob("run/manifest.json")
    options = json.loads(manifest.read_text())["options"]
    assert options["command"][2] == "{corpus}"
    assert "corpus_folder" not in options


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True

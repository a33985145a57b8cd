"""``rankgate doctor`` names each staged fault in its first line, with a command or an edit that mends it."""

from __future__ import annotations

import json
import re
import shlex
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from support.commands import rankgate
from support.http_servers import free_port
from support.projects import write_project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Fault(NamedTuple):
    """Something that is wrong with a project."""

    stage: Callable[[], object]
    """Makes it wrong."""
    check: str
    """The check that finds it."""
    said: str
    """What its line has."""


def _replaced(file: str, old: str, new: str) -> Callable[[], object]:
    def stage() -> None:
        path = Path(file)
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    return stage


def _twice(*stages: Callable[[], object]) -> Callable[[], object]:
    return lambda: [stage() for stage in stages]


def _baseline() -> None:
    assert rankgate("test").code == 0
    assert rankgate("baseline", "set").code == 0


def _required() -> None:
    path = Path("rankgate.toml")
    path.write_text('require_baseline = ["good"]\n' + path.read_text())


def _kept() -> Path:
    return next(Path("baselines").glob("*.jsonl"))


def _git() -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    Path(".gitignore").write_text("baselines/\n")


def _prepared() -> None:
    path = Path("rankgate.toml")
    program = json.dumps([sys.executable, "-c", "open('made', 'w').close()"])
    path.write_text(path.read_text() + f"prepare = {program}\n")


_MADE = "from pathlib import Path; Path('index.txt').write_text('keys.md#Revocation')"


def _indexed() -> None:
    path = Path("rankgate.toml")
    path.write_text(path.read_text() + f"prepare = {json.dumps([sys.executable, '-c', _MADE])}\n")
    _system("return __import__('pathlib').Path('index.txt').read_text().split()")()
    assert rankgate("test").code in (0, 1)
    assert Path("index.txt").exists()


_SERVER = """
import http.server, json, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps([{"path": "keys.md", "start": 6, "end": 7}]).encode())
    def log_message(self, *_):
        pass
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def _remote() -> None:
    path = Path("rankgate.toml")
    text = path.read_text()
    web = f'kind = "http"\nurl = "http://127.0.0.1:{free_port()}/search"\nparams = {{ q = "{{query}}" }}'
    path.write_text(text.replace('function = "./app.py:good"', web))


def _in_git() -> None:
    """Commit the project as it was judged; then a page gets another name."""
    for words in (
        "init -q",
        "add -A",
        "-c user.name=a -c user.email=a@b.c commit -qm judged",
        "mv docs/webhooks.md docs/deliveries.md",
        "-c user.name=a -c user.email=a@b.c commit -qm renamed",
    ):
        subprocess.run(["git", *words.split()], check=True)


def _page() -> None:
    """Write a page from which init proposes a case."""
    text = "# Leaks\n\n## Handling\n\nIf you want to replace a leaked key of a client, call it.\n"
    Path("docs/leaks.md").write_text(text)


def _system(body: str) -> Callable[[], object]:
    return lambda: Path("app.py").write_text(f"def good(query, k):\n    {body}\n")


MENDED = {
    "a misspelt key": Fault(_replaced("rankgate.toml", "suites =", "suitse ="), "configuration", "suitse"),
    "a misspelt usual system": Fault(
        _replaced("rankgate.toml", 'system = "good"', 'system = "godo"'), "configuration", "godo"
    ),
    "a misspelt key of a system": Fault(
        _replaced("rankgate.toml", "[systems.good]", "[systems.good]\nconcurency = 1"),
        "configuration",
        "concurency",
    ),
    "a misspelt suite": Fault(
        _replaced("rankgate.toml", "search.yaml", "serach.yaml"), "suite", "does not exist"
    ),
    "a misspelt key of a suite": Fault(_replaced("search.yaml", "gates:", "gaets:"), "suite", "gaets"),
    "a misspelt key of a case": Fault(
        _replaced("search.yaml", "category:", "categroy:"), "suite", "categroy"
    ),
    "a misspelt corpus": Fault(_replaced("search.yaml", "docs/", "dosc/"), "corpus", "does not exist"),
    "a misspelt metric of a gate": Fault(_replaced("search.yaml", "ndcg@10", "ndgc@10"), "gates", "ndgc"),
    "a page that was renamed": Fault(
        lambda: Path("docs/webhooks.md").rename("docs/hooks.md"), "targets", "webhooks.md"
    ),
    "a misspelt function": Fault(_replaced("rankgate.toml", ":good", ":goood"), "system", "goood"),
    "a baseline that is required": Fault(_required, "baseline", "baseline"),
    "a damaged baseline": Fault(_twice(_baseline, lambda: _kept().write_text("{")), "baseline", "baselines/"),
    "a baseline that git ignores": Fault(_twice(_baseline, _git), "CI", "git ignores"),
    "a system that is not prepared": Fault(_prepared, "system", "not prepared"),
    "TOML that cannot be read": Fault(
        _replaced("rankgate.toml", "[systems.good]", "[systems.good"), "configuration", "line 5"
    ),
    "YAML that cannot be read": Fault(
        _replaced("search.yaml", "  - query: b", "   -- query: b"), "suite", "search.yaml"
    ),
    "fewer hits than a gate needs": Fault(
        _replaced("search.yaml", "corpus: docs/", "corpus: docs/\nk: 3"), "gates", "k"
    ),
    "a module that does not exist": Fault(
        _replaced("rankgate.toml", "./app.py:good", "./apq.py:good"), "system", "apq.py"
    ),
    "a misspelt heading of a target": Fault(
        _replaced("search.yaml", "#Revocation", "#Revocatoin"), "targets", "Revocatoin"
    ),
    "a misspelt kind of a system": Fault(
        _replaced(
            "rankgate.toml", "[systems.good]\nfunction =", '[systems.good]\nkind = "functon"\ntarget ='
        ),
        "configuration",
        "functon",
    ),
    "a page that git renamed": Fault(_in_git, "targets", "webhooks.md"),
    "an index that was removed": Fault(
        _twice(_indexed, lambda: Path("index.txt").unlink()), "system", "index.txt"
    ),
    "an index that is empty": Fault(
        _twice(_indexed, lambda: Path("index.txt").write_text("")), "system", "finds nothing"
    ),
    "a server that is not running": Fault(_remote, "system", "could not connect"),
}
"""What the command, the edit or the action of the line mends."""

NAMED = {
    "a prefix before paths": Fault(
        _system('return [{"path": "site/keys.md", "start": 6, "end": 7} for _ in range(k)]'),
        "mapping",
        "site/",
    ),
    "paths without their ending": Fault(
        _system('return [{"path": "keys", "start": 6, "end": 7} for _ in range(k)]'), "mapping", "keys"
    ),
    "no project at all": Fault(
        _twice(Path("rankgate.toml").unlink, Path("search.yaml").unlink, _page),
        "configuration",
        "no rankgate.toml",
    ),
    "no case": Fault(
        _twice(
            lambda: Path("search.yaml").write_text("corpus: docs/\ncases: []\n"),
            _system("return ['keys.md#Revocation']"),
        ),
        "suite",
        "the suite has no cases. A case has at least `query:` and `at:`. →",
    ),
    "a system that raises": Fault(_system("raise ValueError('no index')"), "system", "no index"),
    "a system that finds nothing": Fault(_system("return []"), "system", "finds nothing"),
    "hits that name no file": Fault(_system("return ['a', 'b']"), "mapping", "location"),
    "a system that returns a number": Fault(_system("return 3"), "system", "3"),
}
"""What only a person can mend: the line says what and where."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_project(tmp_path)
    configuration = tmp_path / "rankgate.toml"
    configuration.write_text(configuration.read_text().replace('system = "app"', 'system = "good"'))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    return tmp_path


def _results() -> dict[str, Any]:
    done = rankgate("doctor", "--json")
    found: dict[str, Any] = json.loads(done.out)
    assert done.code == (0 if found["healthy"] else 2)
    return found


_EDIT = re.compile(r"in (?P<file>[^,]+), line (?P<line>\d+), replace `(?P<old>.*)` with `(?P<new>.*)`")
_START = "start the server that listens at "


def _advice(line: str) -> str:
    """Return what the first line says to do, as a reader copies it."""
    _, arrow, advice = line.partition(" → ")
    assert arrow, line
    return advice


def _wait_for(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return


@contextmanager
def _carried_out(advice: str) -> Iterator[None]:
    """Do exactly what is printed; what it starts runs until the end."""
    if found := _EDIT.fullmatch(advice):
        path, number = Path(found["file"]), int(found["line"]) - 1
        lines = path.read_text().splitlines(keepends=True)
        assert lines[number].count(found["old"]) == 1, (lines[number], advice)
        lines[number] = lines[number].replace(found["old"], found["new"])
        path.write_text("".join(lines))
    elif advice.startswith(_START):
        port = urlsplit(advice.removeprefix(_START)).port
        assert port is not None
        with subprocess.Popen([sys.executable, "-c", _SERVER, str(port)]) as server:
            _wait_for(port)
            yield
            server.terminate()
        return
    else:
        for part in advice.split(" && "):
            words = shlex.split(part)
            if words[0] == "rankgate":
                rankgate(*words[1:])
            else:
                subprocess.run(words, check=True)
    yield


@pytest.mark.parametrize("name", [*MENDED, *NAMED])
def test_the_first_line_names_the_fault(project: Path, name: str) -> None:
    fault = {**MENDED, **NAMED}[name]
    fault.stage()
    done = rankgate("doctor")
    first = done.out.splitlines()[0]
    assert (done.code, done.err) == (2, "")
    assert first.startswith(f"❌ {fault.check}: ")
    assert fault.said in first
    assert not (project / "made").exists()


@pytest.mark.parametrize("name", MENDED)
def test_what_the_first_line_says_mends_it(project: Path, name: str) -> None:
    MENDED[name].stage()
    first = rankgate("doctor").out.splitlines()[0]
    with _carried_out(_advice(first)):
        done = rankgate("doctor")
    assert done.code == 0, f"{first}\n{done.out}"
    assert project.is_dir()


def test_a_healthy_project_is_asked_one_question_and_left_as_it_was(project: Path) -> None:
    counted = project.parent / f"{project.name}.asked"
    app = project / "app.py"
    noted = f"    with open({str(counted)!r}, 'a') as file:\n        file.write('asked\\n')\n"
    app.write_text(app.read_text().replace("def good(query, k):\n", f"def good(query, k):\n{noted}"))
    before = {str(path): path.read_bytes() for path in project.rglob("*") if path.is_file()}
    done = rankgate("doctor")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("✅ healthy")
    assert counted.read_text().count("\n") == 1
    after = {
        str(path): path.read_bytes()
        for path in project.rglob("*")
        if "__pycache__" not in str(path) and path.is_file()
    }
    assert after == before


def test_what_needs_something_that_is_wrong_is_said_not_to_be_checked(project: Path) -> None:
    (project / "search.yaml").unlink()
    states = {one["name"]: one["state"] for one in _results()["checks"]}
    assert states["suite"] == "wrong"
    assert {name for name, state in states.items() if state == "not checked"} == {
        "corpus",
        "targets",
        "gates",
        "system",
        "mapping",
        "baseline",
        "CI",
    }


def test_a_secret_is_not_shown(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "s3cr3tvalue")
    (project / "app.py").write_text("def good(query, k):\n    raise ValueError('host: s3cr3tvalue')\n")
    configuration = (project / "rankgate.toml").read_text()
    (project / "rankgate.toml").write_text(
        configuration.replace("[systems.app]\n", '[systems.app]\nneeds = ["${SHOP_KEY}"]\n')
    )
    for done in (rankgate("doctor"), rankgate("doctor", "--json")):
        assert done.code == 2
        assert "host" in done.out
        assert "s3cr3tvalue" not in done.out


def test_it_takes_less_than_two_seconds_of_computing(project: Path) -> None:
    assert rankgate("doctor").code == 0
    before = time.process_time()
    assert rankgate("doctor").code == 0
    assert time.process_time() - before < 2
    assert project.is_dir()


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("  - query: hooks: how they end", '  - query: "hooks: how they end"'),
        ("  - query:revoke a leaked key", "  - query: revoke a leaked key"),
        ("   - query: revoke a leaked key", "  - query: revoke a leaked key"),
        ('  - query: "revoke a leaked key', '  - query: "revoke a leaked key"'),
    ],
)
def test_a_line_that_is_no_yaml_is_written_as_it_was_meant(project: Path, written: str, meant: str) -> None:
    suite = project / "search.yaml"
    suite.write_text(suite.read_text().replace("  - query: revoke a leaked key", written))
    with _carried_out(_advice(rankgate("doctor").out.splitlines()[0])):
        assert meant in suite.read_text().splitlines()


def test_no_edit_is_proposed_that_would_not_be_enough(project: Path) -> None:
    (project / "rankgate.toml").write_text("[systems.good\n[systems.bad\n")
    first = rankgate("doctor").out.splitlines()[0]
    assert "invalid TOML" in first
    assert " → " not in first

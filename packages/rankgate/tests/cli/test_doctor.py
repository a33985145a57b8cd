"""``rankgate doctor`` names each staged fault in its first line, with a command or an edit that mends it."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from rankgate.evaluation.doctor.edits import SuggestedEdit
from support.commands import rankgate
from support.projects import write_project

if TYPE_CHECKING:
    from collections.abc import Callable


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
    path.write_text("require_baseline = true\n" + path.read_text())


def _kept() -> Path:
    return next(Path("baselines").glob("*.jsonl"))


def _git() -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    Path(".gitignore").write_text("baselines/\n")


def _prepared() -> None:
    path = Path("rankgate.toml")
    program = json.dumps([sys.executable, "-c", "open('made', 'w').close()"])
    path.write_text(path.read_text() + f"prepare = {program}\n")


def _system(body: str) -> Callable[[], object]:
    return lambda: Path("app.py").write_text(f"def good(query, k):\n    {body}\n")


MENDED = {
    "no project at all": Fault(
        _twice(Path("rankgate.toml").unlink, Path("search.yaml").unlink),
        "configuration",
        "no rankgate.toml",
    ),
    "a misspelt key": Fault(_replaced("rankgate.toml", "suites =", "suitse ="), "configuration", "suitse"),
    "a misspelt usual system": Fault(
        _replaced("rankgate.toml", 'system = "good"', 'system = "godo"'), "configuration", "godo"
    ),
    "a misspelt key of a system": Fault(
        _replaced("rankgate.toml", "[systems.good]", "[systems.good]\nmax_erors = 1"), "system", "max_erors"
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
    "a prefix before paths": Fault(
        _system('return [{"path": "site/keys.md", "start": 6, "end": 7} for _ in range(k)]'),
        "mapping",
        "site/",
    ),
    "a baseline that is required": Fault(_required, "baseline", "baseline"),
    "a damaged baseline": Fault(_twice(_baseline, lambda: _kept().write_text("{")), "baseline", "baselines/"),
    "a baseline that git ignores": Fault(_twice(_baseline, _git), "CI", "git ignores"),
    "a system that is not prepared": Fault(_prepared, "system", "not prepared"),
}
"""What the command or the edit mends."""

NAMED = {
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
    "a system that raises": Fault(_system("raise ValueError('no index')"), "system", "no index"),
    "a system that finds nothing": Fault(_system("return []"), "system", "finds nothing"),
    "hits that name no file": Fault(_system("return ['a', 'b']"), "mapping", "location"),
    "a system that returns a number": Fault(_system("return 3"), "system", "3"),
    "no case": Fault(lambda: Path("search.yaml").write_text("corpus: docs/\ncases: []\n"), "suite", "case"),
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


def _first_wrong() -> dict[str, Any]:
    return next(one for one in _results()["checks"] if one["state"] == "wrong")


def _mend(found: dict[str, Any]) -> None:
    """Carry out what a result says: its edit, or the parts of its command."""
    if found["edit"]:
        SuggestedEdit(**found["edit"]).apply()
        return
    assert found["command"], found
    for part in found["command"].split(" && "):
        words = shlex.split(part)
        if words[0] == "rankgate":
            rankgate(*words[1:])
        else:
            subprocess.run(words, check=True)


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
def test_what_is_proposed_mends_it(project: Path, name: str) -> None:
    MENDED[name].stage()
    found = _first_wrong()
    _mend(found)
    states = {one["name"]: one for one in _results()["checks"]}
    assert states[found["name"]]["state"] == "ok", states[found["name"]]
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


def test_a_secret_is_not_shown(project: Path) -> None:
    (project / "app.py").write_text(
        "def good(query, k):\n    raise ValueError('https://me:hunter2pass@host/?api_key=s3cr3tvalue')\n"
    )
    for done in (rankgate("doctor"), rankgate("doctor", "--json")):
        assert done.code == 2
        assert "host" in done.out
        assert "hunter2pass" not in done.out
        assert "s3cr3tvalue" not in done.out


def test_it_takes_less_than_two_seconds_of_computing(project: Path) -> None:
    assert rankgate("doctor").code == 0
    before = time.process_time()
    assert rankgate("doctor").code == 0
    assert time.process_time() - before < 2
    assert project.is_dir()

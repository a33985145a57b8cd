"""``rankgate test --watch`` as a process, through edits: what is asked again, what is shown, how it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SUITE = """\
corpus: docs/
gates: [hit@1 >= 0.9]
cases:
  - {query: rotation, at: keys.md#Rotation}
  - {query: retries, at: hooks.md#Retries}
"""
APP = """\
from pathlib import Path
from places import PLACES

def search(query, k):
    with (Path(__file__).parent / "asked.log").open("a") as log:
        log.write(query + chr(10))
    return [place for name, place in PLACES.items() if name == query][:k]
"""
PLACES = """\
PLACES = {"rotation": "keys.md#Rotation", "retries": "hooks.md#Retries", "keys": "keys.md#Keys"}
"""
PATIENCE = 60.0


@dataclass
class Watch:
    """A process that watches, and what it printed."""

    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)
    seen: int = 0

    def round(self) -> list[str]:
        """Wait for the next test to be shown, and return its lines."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            done = [at for at, line in enumerate(self.lines) if line.startswith("Watching ")]
            if len(done) > self.seen:
                begin = done[self.seen - 1] + 1 if self.seen else 0
                self.seen += 1
                return self.lines[begin : done[self.seen - 1] + 1]
            assert self.process.poll() is None, self.lines
            time.sleep(0.05)
        raise AssertionError(self.lines)

    def stop(self) -> int:
        """Stop it as Ctrl-C does, and return its exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(20)


@contextmanager
def watching(*options: str) -> Iterator[Watch]:
    env = {name: value for name, value in os.environ.items() if name not in {"CI", "GITHUB_ACTIONS"}}
    command = [sys.executable, "-m", "rankgate", "test", "--watch", *options]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=subprocess.STDOUT, text=True, env=env) as process:
        watch = Watch(process)
        assert process.stdout is not None
        reader = threading.Thread(
            target=lambda lines: watch.lines.extend(iter(lines.readline, "")), args=[process.stdout]
        )
        reader.start()
        try:
            yield watch
        finally:
            if process.poll() is None:
                watch.stop()
            reader.join()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text("# Keys\n\n## Rotation\nEvery 90 days.\n")
    (tmp_path / "docs" / "hooks.md").write_text("# Hooks\n\n## Retries\nFor a day.\n")
    for name, text in {"search.yaml": SUITE, "app.py": APP, "places.py": PLACES}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "rankgate.toml").write_text(
        'suites = ["search.yaml"]\n[systems.app]\nfunction = "./app.py:search"\n'
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _asked(project: Path) -> list[str]:
    """Return what the system was asked since this was last called."""
    log = project / "asked.log"
    asked = log.read_text().split() if log.exists() else []
    log.unlink(missing_ok=True)
    return asked


def _edit(path: Path, before: str, after: str) -> None:
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


def test_an_edited_suite_asks_the_new_queries_and_edited_code_or_documents_all(project: Path) -> None:
    suite = project / "search.yaml"
    with watching() as watch:
        first = watch.round()
        assert re.fullmatch(r"\d\d:\d\d:\d\d 2 queries asked\n", first[0])
        files = "app.py, places.py, rankgate.toml, search.yaml and docs/"
        assert first[-1] == f"Watching {files}. Ctrl-C ends with exit code 0.\n"
        assert _asked(project) == ["rotation", "retries"]

        # A case more.
        suite.write_text(f"{SUITE}  - {{query: keys, at: keys.md}}\n")
        assert watch.round()[0].endswith("search.yaml edited: 1 query asked, 2 answers known\n")
        assert _asked(project) == ["keys"]

        # A judgment, a gate and the name of a case are not asked.
        _edit(suite, "keys.md#Rotation", "hooks.md#Retries, id: turned")
        failed = watch.round()
        assert failed[0].endswith("search.yaml edited: 0 queries asked, 3 answers known\n")
        assert "❌ failed · search · app (exit code 1)\n" in failed
        _edit(suite, "hit@1 >= 0.9", "hit@1 >= 0.5")
        assert "✅ passed · search · app\n" in watch.round()
        assert _asked(project) == []

        # What the code imports counts as the code itself, and is read as it is now.
        _edit(project / "places.py", "keys.md#Rotation", "hooks.md#Retries")
        _edit(suite, "hit@1 >= 0.5", "hit@1 >= 0.9")
        edited = watch.round()
        assert edited[0].endswith("places.py, search.yaml edited: 3 queries asked\n")
        assert "✅ passed · search · app\n" in edited
        assert sorted(_asked(project)) == ["keys", "retries", "rotation"]

        # Documents.
        (project / "docs" / "new.md").write_text("# New\n")
        assert watch.round()[0].endswith("docs/new.md edited: 3 queries asked\n")
        assert sorted(_asked(project)) == ["keys", "retries", "rotation"]
        assert watch.stop() == 0
    assert not (project / ".rankgate").exists()


def test_a_system_that_fails_is_not_told_to_go_on_from_what_was_not_kept(project: Path) -> None:
    _edit(project / "app.py", "    return [place", "    raise OSError('down')\n    return [place")
    with watching() as watch:
        shown = "".join(watch.round())
        assert "System error on 2 of 2 queries" in shown
        assert "rankgate test search.yaml --system app\n" in shown
        assert "--resume" not in shown
        assert watch.stop() == 3


def test_what_cannot_be_tested_is_said_and_mended_by_the_next_edit(project: Path) -> None:
    with watching() as watch:
        watch.round()
        _edit(project / "app.py", "def search", "def search)")
        wrong = watch.round()
        assert "⛔" in wrong[2]
        assert any("app.py" in line for line in wrong[3:5])
        _asked(project)
        _edit(project / "app.py", "def search)", "def search")
        assert watch.round()[0].endswith("app.py edited: 2 queries asked\n")
        _edit(project / "search.yaml", "keys.md#Rotation", "keys.md#Rotatoin")
        assert "keys.md#Rotation" in " ".join(watch.round())
        assert _asked(project) == ["rotation", "retries"]
        assert watch.stop() == 2


def test_a_quick_look_is_watched_too_and_enforces_no_gate(project: Path) -> None:
    _edit(project / "places.py", "hooks.md#Retries", "keys.md#Keys")
    with watching("--only", "retries") as watch:
        assert any("Quick look at 1 of 2 cases" in line for line in watch.round())
        assert _asked(project) == ["retries"]
        _edit(project / "search.yaml", "query: rotation", "query: rotate")
        assert watch.round()[0].endswith("0 queries asked, 1 answer known\n")
        _edit(project / "search.yaml", "query: retries", "query: retries again")
        watch.round()
        assert _asked(project) == ["retries", "again"]
        assert watch.stop() == 0


def test_a_process_that_dies_is_said_and_the_next_edit_starts_another(project: Path) -> None:
    with watching() as watch:
        watch.round()
        _edit(project / "app.py", "    with", "    import os; os.kill(os.getpid(), 9)\n    with")
        assert any("ended by signal 9" in line for line in watch.round())
        _asked(project)
        _edit(project / "app.py", "    import os; os.kill(os.getpid(), 9)\n", "")
        watch.round()
        assert _asked(project) == ["rotation", "retries"]


def test_what_failed_is_asked_again(project: Path) -> None:
    fail = """\
    if (Path(__file__).parent / "down").exists() and query == "retries":
        raise ValueError("down")
    with"""
    _edit(project / "app.py", "    with", fail)
    (project / "down").touch()
    with watching() as watch:
        assert any("exit code 3" in line for line in watch.round())
        (project / "down").unlink()
        _asked(project)
        _edit(project / "search.yaml", "0.9", "0.8")
        assert watch.round()[0].endswith("1 query asked, 1 answer known\n")
        assert _asked(project) == ["retries"]


@pytest.mark.parametrize(
    "call",
    [
        ("--resume",),
        ("--report", "html=page.html"),
        ("--repeat", "2"),
        ("--deadline", "5m"),
        ("--fix-mapping",),
    ],
    ids=" ".join,
)
def test_what_needs_one_kept_test_is_refused(project: Path, call: tuple[str, ...]) -> None:
    assert call[0] in rankgate("test", "--watch", *call).refused()
    assert _asked(project) == []


def test_reports_are_written_each_time(project: Path) -> None:
    with watching("--report", "json=out.json") as watch:
        watch.round()
        before = (project / "out.json").read_text()
        _edit(project / "search.yaml", "0.9", "0.8")
        watch.round()
        assert "hit@1 >= 0.9" in before
        assert "hit@1 >= 0.8" in (project / "out.json").read_text()

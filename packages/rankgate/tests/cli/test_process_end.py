"""The exit code of the process, whatever the threads and exit handlers of a system do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate_alone
from support.projects import write_project

if TYPE_CHECKING:
    from pathlib import Path

HANDLERS = {
    "thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n",
    "exit": "import atexit, os\natexit.register(os._exit, 0)\natexit.register(lambda: os._exit(0))\n",
    "error": "import atexit\natexit.register(lambda: 1 / 0)\n",
    "sys-exit": "import atexit, sys\natexit.register(sys.exit, 0)\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_project(tmp_path)


def outcome(project: Path, code: str, system: str) -> tuple[object, str]:
    path = project / "app.py"
    path.write_text(code + path.read_text())
    done = rankgate_alone("test", "--system", system)
    return done.code, done.out


@pytest.mark.parametrize("handler", HANDLERS)
def test_process_ends_with_the_code_of_the_verdict(project: Path, handler: str) -> None:
    code, out = outcome(project, HANDLERS[handler], "app")
    assert code == 1
    assert "failed (exit code 1)" in out


def test_exit_handlers_of_a_system_run(project: Path) -> None:
    write = "import atexit\natexit.register(lambda: open('ended', 'w').close())\n"
    assert outcome(project, write, "good")[0] == 0
    assert (project / "ended").exists()

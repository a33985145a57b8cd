"""Programs that still run when their system is closed: by its owner, or by Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import SystemFailedError
from rankgate.model import Query
from rankgate.systems.command import CommandOptions, CommandSystem
from support.http_servers import eventually
from support.processes import ended, lives

if TYPE_CHECKING:
    from pathlib import Path

SLEEPER = """\
import os, pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
here = pathlib.Path("started")
here.joinpath(f".{os.getpid()}").write_text(f"{os.getpid()} {child.pid}")
here.joinpath(f".{os.getpid()}").rename(here / str(os.getpid()))
time.sleep(60)
"""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="no groups of processes")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "started").mkdir()
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    return tmp_path


def numbers(folder: Path, count: int) -> list[int]:
    """Wait until some programs run, and name them and their children."""

    def files() -> list[Path]:
        return [path for path in (folder / "started").iterdir() if not path.name.startswith(".")]

    assert eventually(lambda: len(files()) == count, 30)
    found = [int(number) for path in files() for number in path.read_text().split()]
    assert all(map(lives, found))
    return found


def test_closing_ends_the_programs_that_other_threads_wait_for(folder: Path) -> None:
    system = CommandSystem(CommandOptions((sys.executable, "-S", "sleeper.py", "{query}"), cwd=str(folder)))
    said: list[str] = []

    def ask() -> None:
        try:
            system.search(Query("a"))
        except SystemFailedError as error:
            said.append(str(error))

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(3)]
    for thread in threads:
        thread.start()
    found = numbers(folder, 3)
    start = time.monotonic()
    system.close()
    system.close()
    assert time.monotonic() - start < 15
    assert all(map(ended, found))
    for thread in threads:
        thread.join(10)
    assert len(said) == 3
    assert all("found a system that is closed, expected one that is open" in one for one in said)


def test_a_system_that_is_closed_starts_nothing(folder: Path) -> None:
    system = CommandSystem(CommandOptions((sys.executable, "-S", "sleeper.py", "{query}"), cwd=str(folder)))
    system.close()
    with pytest.raises(SystemFailedError, match="a system that is closed"):
        system.search(Query("a"))
    assert list((folder / "started").iterdir()) == []


def test_an_interrupt_of_a_threaded_run_leaves_no_program_behind(folder: Path) -> None:
    (folder / "search.yaml").write_text(
        "cases:\n" + "".join(f"  - {{query: q{n}, id: a}}\n" for n in range(9))
    )
    (folder / "rankgate.toml").write_text(
        f"[systems.slow]\ncommand = ['{sys.executable}', '-S', 'sleeper.py', '{{query}}']\nconcurrency = 3\n"
    )
    call = [sys.executable, "-m", "rankgate", "run", "search.yaml", "-s", "slow", "-o", "out"]
    with subprocess.Popen(call, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        try:
            found = numbers(folder, 3)
            run.send_signal(signal.SIGINT)
            assert run.wait(20) == 130
        finally:
            run.kill()
    assert all(map(ended, found))
    assert len(list((folder / "started").iterdir())) == 3

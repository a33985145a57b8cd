"""zoekt for the tests: folders that zoekt-index indexed, and a web server; ``just zoekt`` builds both."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import urllib3

from support.http_servers import free_port
from support.sdists import FIXTURES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PROGRAMS = FIXTURES / "zoekt" / "bin"
_READY = 30.0


@dataclass
class Zoekt:
    """A server that runs."""

    url: str
    process: subprocess.Popen[bytes]

    def kill(self) -> None:
        """End it at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def zoekt_server(folders: Sequence[Path], *arguments: str) -> Iterator[Zoekt]:
    """Index folders, each as a repository of its name, and serve them; all of it is gone afterwards."""
    if not (PROGRAMS / "zoekt-webserver").is_file():
        if os.environ.get("CI"):
            pytest.fail("no zoekt; `just zoekt` builds it")
        pytest.skip("no zoekt; `just zoekt` builds it")
    room = Path(tempfile.mkdtemp(prefix="rankgate-zoekt-"))
    try:
        env = {**os.environ, "CTAGS_COMMAND": _ctags(room)}
        for folder in folders:
            made = subprocess.run(
                [str(PROGRAMS / "zoekt-index"), "-index", str(room), "-parallelism", "2", str(folder)],
                env=env,
                capture_output=True,
                check=False,
            )
            if made.returncode:
                raise RuntimeError(f"zoekt-index: {made.stderr.decode(errors='replace')[-2000:]}")
        server = _started(room, arguments)
        try:
            yield server
        finally:
            server.kill()
    finally:
        shutil.rmtree(room, ignore_errors=True)


def _ctags(room: Path) -> str:
    """Have a universal-ctags of any version: zoekt names languages that ctags 5.9, Debian 12's, ends at."""
    ctags = shutil.which("ctags")
    if ctags is None:
        return ""
    program = room / "ctags"
    without = 'for a; do shift; case "$a" in --languages=*) ;; *) set -- "$@" "$a";; esac; done'
    program.write_text(f'#!/bin/sh\n{without}\nexec {ctags} "$@"\n')
    program.chmod(0o700)
    return str(program)


def _loaded(url: str) -> bool:
    """Tell whether every shard is loaded: those that are not count as crashed where the API is served."""
    if urllib3.request("GET", f"{url}/healthz", retries=False, timeout=2).status != 200:
        return False
    answer = urllib3.request("POST", f"{url}/api/search", json={"Q": "word"}, retries=False, timeout=2)
    served = "json" in answer.headers.get("Content-Type", "")
    return not served or not answer.json()["Result"]["Crashes"]


def _started(room: Path, arguments: Sequence[str]) -> Zoekt:
    address = f"127.0.0.1:{free_port()}"
    log = room / "log"
    program = [str(PROGRAMS / "zoekt-webserver"), "-index", str(room), "-listen", address]
    with log.open("wb") as written:
        process = subprocess.Popen(
            [*program, *(arguments or ("-rpc", "-html=false"))],
            stdout=written,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    server = Zoekt(f"http://{address}", process)
    end = time.monotonic() + _READY
    while time.monotonic() < end and process.poll() is None:
        with suppress(urllib3.exceptions.HTTPError):
            if _loaded(server.url):
                return server
        time.sleep(0.05)
    server.kill()
    raise RuntimeError(f"zoekt is not ready:\n{log.read_text(errors='replace')[-4000:]}")

"""Nodes of Ray as processes of this machine, which can be killed one by one."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

BIN = Path(sys.executable).parent
_TRIES, _SETTLED = 5, 2.0


@dataclass
class Nodes:
    """Nodes of Ray, each with all of its processes."""

    environment: dict[str, str]
    port: int
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    def start(self, cores: int = 1) -> None:
        """Start one more and wait until it is up; the first is the head.

        On a busy machine a node gives up on its own helpers, after 15 seconds: then it is started once more.
        """
        if not any(self._started(cores) for _ in range(_TRIES)):
            raise RuntimeError(f"a node of Ray did not start {_TRIES} times")

    def _started(self, cores: int) -> bool:
        role = ["--head", f"--port={self.port}", "--include-dashboard=false"]
        if self.started:
            role = [f"--address={self.environment['RAY_ADDRESS']}"]
        node = subprocess.Popen(
            [
                BIN / "ray",
                "start",
                *role,
                f"--num-cpus={cores}",
                "--object-store-memory=100000000",
                "--block",
            ],
            env={key: value for key, value in self.environment.items() if key != "RAY_ADDRESS"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.started.append(node)
        assert node.stdout is not None
        if any("Ray runtime started" in line for line in node.stdout):
            # What it started may still give up; then it ends, too.
            try:
                node.wait(_SETTLED)
            except subprocess.TimeoutExpired:
                return True
        self.kill(len(self.started) - 1)
        return False

    def kill(self, number: int) -> None:
        """End a node and all of its processes at once."""
        node = self.started.pop(number)
        for process in [node.pid, *descendants(node.pid)]:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                continue
        node.wait()
        if node.stdout is not None:
            node.stdout.close()


def descendants(process: int) -> list[int]:
    """Return the processes below one, by what Linux says."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text()
        except OSError:
            continue
        parents.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(folder.name))
    below, line = [], [process]
    while line:
        children = parents.get(line.pop(), [])
        below += children
        line += children
    return below


@contextmanager
def cluster(folder: Path, *cores: int) -> Iterator[Nodes]:
    """Start nodes of so many cores one after another, which know each other by a token."""
    (folder / "token").write_text(secrets.token_hex(32), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    nodes = Nodes(
        {
            **os.environ,
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(folder / "token"),
            "RAY_USAGE_STATS_ENABLED": "0",
            # By default 15: then they get nothing of a machine that is busy.
            "RAY_worker_niceness": "0",
            "RAY_ADDRESS": f"127.0.0.1:{port}",
        },
        port,
    )
    try:
        for number in cores:
            nodes.start(number)
        yield nodes
    finally:
        while nodes.started:
            nodes.kill(len(nodes.started) - 1)

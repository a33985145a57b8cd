"""OpenSearch for the tests: one process a node, on loopback, fetched by ``just opensearch``."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest

from support.sdists import FIXTURES

if TYPE_CHECKING:
    from types import TracebackType

JARS = FIXTURES / "opensearch" / "jars"
_READY = 120.0
_RUNNER = "org.codelibs.opensearch.runner.OpenSearchRunner"
_MACHINE = ("-XX:+UseSerialGC", "-XX:-UsePerfData")
COMPILED_ONCE = ("-XX:TieredStopAtLevel=1",)
"""For a server of a minute: compiling what is run often a second time would take half of its time."""
_PORTS = {
    "http": re.compile(r"HttpServerTransport\] publish_address \{127\.0\.0\.1:(\d+)\}"),
    "transport": re.compile(r"TransportService *\] publish_address \{127\.0\.0\.1:(\d+)\}"),
}
_SETTINGS = """
network.host: 127.0.0.1
transport.port: 0
discovery.seed_hosts: {seeds}
cluster.initial_cluster_manager_nodes: {first}
cluster.routing.allocation.disk.threshold_enabled: false
cluster.fault_detection.follower_check.timeout: 2s
cluster.fault_detection.leader_check.timeout: 2s
"""


@dataclass
class Node:
    """One process."""

    folder: Path
    process: subprocess.Popen[bytes]
    url: str = ""

    def kill(self) -> None:
        """End the process as a power cut does."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def log(self) -> str:
        """Give what it wrote."""
        return (self.folder / "output.log").read_text(errors="replace")

    def port(self, kind: str) -> int:
        """Wait for a port that it listens on."""
        end = time.monotonic() + _READY
        while time.monotonic() < end:
            if found := _PORTS[kind].search(self.log()):
                return int(found[1])
            if self.process.poll() is not None:
                raise RuntimeError(f"OpenSearch ended:\n{self.log()[-4000:]}")
            time.sleep(0.1)
        raise TimeoutError(f"OpenSearch is not ready after {_READY:g} s:\n{self.log()[-4000:]}")


@dataclass
class Cluster:
    """A cluster of one node or more, with its data in a folder that goes with it; used with ``with``."""

    size: int = 1
    brief: bool = True
    """False where the server is measured; see `COMPILED_ONCE`."""
    heap: str = "512m"
    """The memory of each node; it refuses what would fill it."""
    nodes: list[Node] = field(default_factory=list)

    def __enter__(self) -> Self:
        java = shutil.which("java")
        if java is None or not JARS.is_dir():
            told = "no java" if java is None else "no jars of OpenSearch; `just opensearch` fetches them"
            if os.environ.get("CI"):
                pytest.fail(told)
            pytest.skip(told)
        self._folder = Path(tempfile.mkdtemp(prefix="rankgate-opensearch-"))
        try:
            for number in range(self.size):
                # The first one's port is where the others find the cluster.
                seeds = [f"127.0.0.1:{self.nodes[0].port('transport')}"] if number else []
                self.nodes.append(self._started(java, number, seeds))
            for node in self.nodes:
                node.url = f"http://127.0.0.1:{node.port('http')}"
            self.wait(self.size)
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    @property
    def urls(self) -> list[str]:
        return [node.url for node in self.nodes]

    def ask(self, method: str, path: str, body: object = None, node: int = 0) -> Any:
        """Send one request to a node, with nothing of rankgate in between."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(
            self.nodes[node].url + path, data, {"Content-Type": "application/json"}, method=method
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def wait(self, nodes: int) -> None:
        """Wait until that many nodes are in the cluster."""
        end = time.monotonic() + _READY
        while time.monotonic() < end:
            with suppress(OSError):
                if self.ask("GET", "/_cluster/health")["number_of_nodes"] == nodes:
                    return
            time.sleep(0.1)
        raise TimeoutError(f"no {nodes} nodes after {_READY:g} s:\n{self.nodes[0].log()[-4000:]}")

    def _started(self, java: str, number: int, seeds: list[str]) -> Node:
        folder = self._folder / str(number)
        config = folder / "config"
        config.mkdir(parents=True)
        # The first begins a cluster. The runner calls every node the same, and each process has one.
        settings = _SETTINGS.format(seeds=json.dumps(seeds), first=json.dumps([] if seeds else ["Node 1"]))
        (config / "opensearch.yml").write_text(settings, encoding="utf-8")
        # The runner takes the port after this one; 0 is any that is free.
        options = ["-numOfNode", "1", "-baseHttpPort", "-1", "-clusterName", self._folder.name]
        options += ["-basePath", str(folder)]
        for name in ("conf", "data", "logs"):
            options += [f"-{name}Path", str(folder / {"conf": "config"}.get(name, name))]
        machine = [
            java,
            f"-Xms{self.heap}",
            f"-Xmx{self.heap}",
            *_MACHINE,
            *(COMPILED_ONCE if self.brief else ()),
        ]
        with (folder / "output.log").open("wb") as log:
            process = subprocess.Popen(
                [*_with_us(), *machine, "-cp", f"{JARS}/*", _RUNNER, *options],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return Node(folder, process)

    def _stop(self) -> None:
        for node in self.nodes:
            node.kill()
        shutil.rmtree(self._folder, ignore_errors=True)


def _with_us() -> list[str]:
    """Have what is started end with this process, also where that is killed."""
    setpriv = shutil.which("setpriv")
    return [] if setpriv is None else [setpriv, "--pdeathsig", "KILL"]

"""Elasticsearch for the tests: one node on loopback, of the generation that the client is of.

``just elasticsearch`` fetches the jars. Elasticsearch 7 is started by a runner that others published; of 8
and 9 the server and its transport are published and little else, so that `ElasticsearchNode` starts them.
They have the analyzers of the server itself, such as `standard`, and neither those of languages nor scripts
nor an answer to ``GET /``.
"""

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
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest

from support.opensearch_server import COMPILED_ONCE
from support.sdists import FIXTURES

if TYPE_CHECKING:
    from types import TracebackType

JAVA = {7: 17, 8: 17, 9: 21}
"""The oldest Java that each generation runs on here."""

_READY = 120.0
_RUNNER = "org.codelibs.elasticsearch.runner.ElasticsearchClusterRunner"
_MEMORY = ("-Xms512m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:-UsePerfData")
_PORT = re.compile(r"HttpServerTransport\] publish_address \{127\.0\.0\.1:(\d+)\}")
_SETTINGS = """
network.host: 127.0.0.1
transport.port: 0
discovery.type: single-node
cluster.routing.allocation.disk.threshold_enabled: false
"""
_LOGGING = """
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%-25c{1.}] %m%n
rootLogger.level = info
rootLogger.appenderRef.console.ref = console
"""


class Server:
    """A node with its data in a folder that goes with it; used with ``with``."""

    def __init__(self, generation: int, *, brief: bool = True) -> None:
        self._generation = generation
        self._machine = (*_MEMORY, *(COMPILED_ONCE if brief else ()))
        self._process: subprocess.Popen[bytes] | None = None
        self.url = ""

    def __enter__(self) -> Self:
        jars = FIXTURES / "elasticsearch" / str(self._generation) / "jars"
        java = _java(JAVA[self._generation])
        if java is None:
            # No Java for Elasticsearch 9 can be counted on, in CI either.
            _without(f"no Java {JAVA[self._generation]} or later", allowed=self._generation == 9)
        if not jars.is_dir():
            _without(f"no jars of Elasticsearch {self._generation}; `just elasticsearch` fetches them")
        self._folder = Path(tempfile.mkdtemp(prefix="rankgate-elasticsearch-"))
        (self._folder / "config").mkdir()
        try:
            self._start([str(java), *self._machine, *self._command(jars)])
            self.url = f"http://127.0.0.1:{self._port()}"
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

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """Send one request, with neither rankgate nor the client in between."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def _command(self, jars: Path) -> list[str]:
        config = self._folder / "config"
        if self._generation == 7:
            (config / "elasticsearch.yml").write_text(_SETTINGS, encoding="utf-8")
            # The runner takes the port after this one; 0 is any that is free.
            options = ["-numOfNode", "1", "-baseHttpPort", "-1", "-clusterName", self._folder.name]
            folders = ["-basePath", str(self._folder), "-confPath", str(config)]
            return ["-cp", f"{jars}/*", _RUNNER, *options, *folders]
        settings = f"{_SETTINGS}http.port: 0\ncluster.name: {self._folder.name}\nnode.name: one\n"
        (config / "elasticsearch.yml").write_text(settings, encoding="utf-8")
        (config / "log4j2.properties").write_text(_LOGGING, encoding="utf-8")
        # The server refuses a class that both it and a module have.
        own = {path for path in jars.glob("*.jar") if "netty" in path.name}
        self._install("transport-netty4", own)
        others = os.pathsep.join(str(path) for path in sorted(set(jars.glob("*.jar")) - own))
        source = Path(__file__).with_name("ElasticsearchNode.java")
        allowed = ["-Djava.security.manager=allow"] if self._generation == 8 else []
        return [
            *allowed,
            f"-Des.path.home={self._folder}",
            "-cp",
            others,
            str(source),
            str(self._folder),
        ]

    def _install(self, name: str, jars: set[Path]) -> None:
        """Lay a module out as the server reads it."""
        folder = self._folder / "modules" / name
        folder.mkdir(parents=True)
        for path in jars:
            (folder / path.name).symlink_to(path.resolve())
        (named,) = (path for path in jars if path.name.startswith(name))
        with zipfile.ZipFile(named) as archive:
            text = archive.read(f"META-INF/es-plugins/{name}/plugin-descriptor.properties").decode()
        # Without its name as a Java module it is read from the class path, as the server is here.
        kept = [line for line in text.splitlines() if not line.startswith("modulename")]
        (folder / "plugin-descriptor.properties").write_text("\n".join(kept), encoding="utf-8")

    def _start(self, command: list[str]) -> None:
        with (self._folder / "output.log").open("wb") as log:
            self._process = subprocess.Popen(
                command,
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _port(self) -> int:
        end = time.monotonic() + _READY
        while time.monotonic() < end:
            log = (self._folder / "output.log").read_text(errors="replace")
            if found := _PORT.search(log):
                return int(found[1])
            if self._process is None or self._process.poll() is not None:
                raise RuntimeError(f"Elasticsearch ended:\n{log[-4000:]}")
            time.sleep(0.1)
        raise TimeoutError(f"Elasticsearch is not ready after {_READY:g} s:\n{log[-4000:]}")

    def _stop(self) -> None:
        if self._process is not None:
            if self._process.poll() is None:
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def _without(told: str, *, allowed: bool = False) -> None:
    if os.environ.get("CI") and not allowed:
        pytest.fail(told)
    pytest.skip(told)


def _java(oldest: int) -> Path | None:
    """Find a Java: the one on the path or of JAVA_HOME, or one that the system has besides."""
    named = [shutil.which("java"), f"{os.environ.get('JAVA_HOME', '')}/bin/java"]
    paths = [Path(name) for name in named if name] + sorted(Path("/usr/lib/jvm").glob("*/bin/java"))
    return next((path for path in paths if path.is_file() and _version(path) >= oldest), None)


def _version(java: Path) -> int:
    release = java.resolve().parents[1] / "release"
    text = release.read_text(encoding="utf-8") if release.is_file() else ""
    found = re.search(r'JAVA_VERSION="(\d+)', text)
    return int(found[1]) if found else 0

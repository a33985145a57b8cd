"""Servers that speak S3 for the tests: versitygw over a folder, and moto in memory.

``just s3-servers`` builds and installs both. Keys are those of the tests, in the environment alone.
"""

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
from typing import TYPE_CHECKING, ClassVar

import pytest
import urllib3

from support.http_servers import free_port
from support.sdists import FIXTURES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

VERSITYGW = FIXTURES / "versitygw" / "bin" / "versitygw"
MOTO = FIXTURES / "moto-venv" / "bin" / "moto_server"
BUCKET = "tests"
KEY, SECRET = "key-of-the-tests", "s3cr3t-of-the-tests-0123456789"
_OWNER = {"ROOT_ACCESS_KEY": KEY, "ROOT_SECRET_KEY": SECRET}
_READY = 60.0


@dataclass
class S3Server:
    """A server that runs."""

    url: str
    """Its address."""
    process: subprocess.Popen[bytes]
    """The process."""
    folder: Path | None = None
    """The folder of the bucket, where it has one."""
    scheme: ClassVar[str] = "s3"
    """How addresses of its objects begin."""
    secret: ClassVar[str] = SECRET
    """What nothing may print."""

    @property
    def env(self) -> dict[str, str]:
        """What the environment of a client has."""
        return {
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": self.url,
        }

    def address(self, name: str, bucket: str = BUCKET) -> str:
        """Return the address of an object."""
        return f"{self.scheme}://{bucket}/{name}"

    def give_to(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Set the environment of this process to that of a client."""
        for name, value in self.env.items():
            monkeypatch.setenv(name, value)

    def kill(self) -> None:
        """End it at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def versitygw_server() -> Iterator[S3Server]:
    """Serve an empty bucket from a folder; all of it is gone afterwards."""
    needed(VERSITYGW)
    room = Path(tempfile.mkdtemp(prefix="rankgate-versitygw-"))
    try:
        (room / "data" / BUCKET).mkdir(parents=True)
        address = f"127.0.0.1:{free_port()}"
        call = [str(VERSITYGW), "--port", address, "posix", str(room / "data")]
        server = started(call, f"http://{address}", room / "log", _OWNER)
        server.folder = room / "data" / BUCKET
        try:
            yield server
        finally:
            server.kill()
    finally:
        shutil.rmtree(room, ignore_errors=True)


@contextmanager
def moto_server() -> Iterator[S3Server]:
    """Serve an empty bucket from memory."""
    needed(MOTO)
    room = Path(tempfile.mkdtemp(prefix="rankgate-moto-"))
    port = free_port()
    try:
        server = started([str(MOTO), "-p", str(port)], f"http://127.0.0.1:{port}", room / "log", {})
        try:
            urllib3.request("PUT", f"{server.url}/{BUCKET}", retries=False)
            yield server
        finally:
            server.kill()
    finally:
        shutil.rmtree(room, ignore_errors=True)


def needed(program: Path, recipe: str = "s3-servers") -> None:
    """Skip the test, or fail it in CI, where a program is not there."""
    if program.is_file():
        return
    without = pytest.fail if os.environ.get("CI") else pytest.skip
    without(f"no {program.name}; `just {recipe}` makes it")


def started(call: Sequence[str], url: str, log: Path, more: Mapping[str, str]) -> S3Server:
    """Start a server, with `more` in its environment, and wait until it answers."""
    env = {**os.environ, **more}
    with log.open("wb") as written:
        process = subprocess.Popen(
            call, stdout=written, stderr=subprocess.STDOUT, start_new_session=True, env=env
        )
    server, end = S3Server(url, process), time.monotonic() + _READY
    while time.monotonic() < end and process.poll() is None:
        with suppress(urllib3.exceptions.HTTPError):
            urllib3.request("GET", f"{url}/", retries=False, timeout=2)
            return server
        time.sleep(0.05)
    server.kill()
    raise RuntimeError(f"{call[0]} is not ready:\n{log.read_text(errors='replace')[-4000:]}")

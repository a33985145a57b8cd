"""Azurite, Microsoft's own stand-in for Azure Blob Storage, for the long tests of object stores.

``just azurite`` installs it. The account and its key are those of the tests, in the environment alone.
"""

from __future__ import annotations

import base64
import email.utils
import hashlib
import hmac
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import urllib3

from support.http_servers import free_port
from support.s3_servers import BUCKET, KEY, SECRET, S3Server, needed, started
from support.sdists import FIXTURES

if TYPE_CHECKING:
    from collections.abc import Iterator

AZURITE = FIXTURES / "azurite" / "node_modules" / ".bin" / "azurite-blob"
ACCOUNT = KEY.replace("-", "")
_SECRET = base64.b64encode(SECRET.encode()).decode()
_VERSION = "2021-08-06"


@dataclass
class AzureServer(S3Server):
    """A server that runs, and that speaks as Azure does."""

    scheme: ClassVar[str] = "az"
    secret: ClassVar[str] = _SECRET

    @property
    def env(self) -> dict[str, str]:
        """What the environment of a client has."""
        return {
            "AZURE_STORAGE_ACCOUNT_NAME": ACCOUNT,
            "AZURE_STORAGE_ACCOUNT_KEY": _SECRET,
            "AZURE_STORAGE_USE_EMULATOR": "true",
            "AZURITE_BLOB_STORAGE_URL": self.url,
        }

    def make_container(self) -> None:
        """Make the container of the tests, which takes a request that is signed."""
        date = email.utils.formatdate(usegmt=True)
        said = f"x-ms-date:{date}\nx-ms-version:{_VERSION}\n/{ACCOUNT}/{ACCOUNT}/{BUCKET}\nrestype:container"
        signed = hmac.new(SECRET.encode(), f"PUT{12 * chr(10)}{said}".encode(), hashlib.sha256).digest()
        headers = {
            "x-ms-date": date,
            "x-ms-version": _VERSION,
            "Authorization": f"SharedKey {ACCOUNT}:{base64.b64encode(signed).decode()}",
            "Content-Length": "0",
        }
        url = f"{self.url}/{ACCOUNT}/{BUCKET}?restype=container"
        made = urllib3.request("PUT", url, headers=headers, retries=False)
        assert made.status == 201, made.data


@contextmanager
def azurite_server() -> Iterator[AzureServer]:
    """Serve an empty container from memory."""
    needed(AZURITE, "azurite")
    room, port = Path(tempfile.mkdtemp(prefix="rankgate-azurite-")), free_port()
    call = [str(AZURITE), "--inMemoryPersistence", "--blobPort", str(port), "--skipApiVersionCheck"]
    try:
        env = {"AZURITE_ACCOUNTS": f"{ACCOUNT}:{_SECRET}"}
        ready = started([*call, "--disableTelemetry"], f"http://127.0.0.1:{port}", room / "log", env)
        server = AzureServer(ready.url, ready.process)
        try:
            server.make_container()
            yield server
        finally:
            server.kill()
    finally:
        shutil.rmtree(room, ignore_errors=True)

"""A server of PostgreSQL 18 with pgvector, for as long as it is wanted."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def postgres_server() -> Iterator[str]:
    """Start a server with an empty database and give its address."""
    with warnings.catch_warnings():
        # It warns of a machine without a folder for sockets while it is imported.
        warnings.simplefilter("ignore")
        import pgserver

    # Where the tests run as root, the server runs as another, who must reach its folder.
    folder = Path(tempfile.mkdtemp(prefix="rankgate-postgres-"))
    folder.chmod(0o755)
    server = pgserver.get_server(folder / "data", cleanup_mode="delete")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)

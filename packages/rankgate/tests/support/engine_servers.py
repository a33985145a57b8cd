"""Where the indexes of each engine lie, for benchmarks: a folder, or a server started for the while."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import pytest

from support.elasticsearch_server import Server
from support.opensearch_server import Cluster
from support.postgres_server import postgres_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class NotHereError(Exception):
    """An engine that this machine does not have; says why."""


@contextmanager
def placed(kind: str, folder: Path, corpus: Path | None = None) -> Iterator[dict[str, object]]:
    """Give the options that say where an engine is.

    Args:
        kind: Which.
        folder: An empty one, for those that keep files.
        corpus: What is searched, for those that build no index of documents.

    Raises:
        NotHereError: where its server cannot be started.
    """
    with ExitStack() as stack:
        try:
            where = _started(kind, stack) or {"folder": str(corpus if kind == "ripgrep" else folder)}
        except (pytest.skip.Exception, pytest.fail.Exception) as error:
            # What starts a server for the tests skips them, or fails, where it cannot be had.
            raise NotHereError(str(error)) from None
        yield where


def _started(kind: str, stack: ExitStack) -> dict[str, object]:
    if kind == "postgres":
        return {"dsn": stack.enter_context(postgres_server())}
    if kind == "opensearch":
        return {"hosts": stack.enter_context(Cluster(brief=False, heap="2g")).urls}
    if kind == "elasticsearch":
        return {"hosts": [stack.enter_context(Server(7, brief=False)).url]}
    return {}
